"""AUC of more than two classes: scikit-learn's values, brute force, and intervals that are never a point."""

import json
from itertools import combinations

import numpy as np
import pytest
from scipy.special import logit, ndtri
from sklearn.metrics import roc_auc_score

from rocpredict import RocPredictError, empirical_roc
from rocpredict.base.formatting import to_json
from rocpredict.datasets import load_iris
from rocpredict.multiclass import multiclass_auc

IRIS = load_iris()


def drawn(sizes, seed=0, decimals=None, shift=1.2):
    """Scores of one column a class, the own class's shifted; rounded to make ties."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(len(sizes)), sizes)
    scores = rng.normal(size=(len(y), len(sizes))) + shift * np.eye(len(sizes))[y]
    return (scores if decimals is None else scores.round(decimals)), y


def pairwise(scores, y, method):
    """Hand and Till's mean, or that of each class against the rest, by the definition."""

    def area(a, b):
        return ((b[:, None] > a).mean() + (b[:, None] >= a).mean()) / 2

    classes = range(scores.shape[1])
    if method == "one-vs-rest":
        return np.mean([area(scores[y != k, k], scores[y == k, k]) for k in classes])
    return np.mean([area(scores[y == j, i], scores[y == i, i]) for i in classes for j in classes if i != j])


def probabilities(scores):
    exponentials = np.exp(scores)
    return exponentials / exponentials.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("sizes", [(30, 40, 50), (7, 90, 20, 13)])
@pytest.mark.parametrize("decimals", [None, 1])
@pytest.mark.parametrize(
    ("method", "average", "theirs"),
    [
        ("hand-till", "macro", {"multi_class": "ovo", "average": "macro"}),
        ("one-vs-one", "macro", {"multi_class": "ovo", "average": "macro"}),
        ("one-vs-one", "weighted", {"multi_class": "ovo", "average": "weighted"}),
        ("one-vs-rest", "macro", {"multi_class": "ovr", "average": "macro"}),
        ("one-vs-rest", "weighted", {"multi_class": "ovr", "average": "weighted"}),
        ("one-vs-rest", None, {"multi_class": "ovr", "average": None}),
    ],
)
def test_scikit_learns_values(sizes, decimals, method, average, theirs):
    """Every kind of average, with and without ties, for probabilities that sum to 1."""
    scores, y = drawn(sizes, decimals=decimals)
    scores = probabilities(scores)
    if decimals is not None:
        scores = scores.round(decimals)
        scores[:, 0] += 1 - scores.sum(axis=1)
        scores = scores.round(decimals)  # equal tenths are equal floats again
    found = multiclass_auc(scores, y, method=method, average=average)
    assert found.auc == pytest.approx(roc_auc_score(y, scores, **theirs), rel=1e-12)


def test_one_feature_by_brute_force():
    """Hand and Till's mean over pairs, each the share of pairs of rows in the order of the labels."""
    x = IRIS.column("sepal_length")
    order = ["setosa", "versicolor", "virginica"]
    groups = [x[IRIS.y == name] for name in order]
    areas = [((b[:, None] > a).mean() + (b[:, None] >= a).mean()) / 2 for a, b in combinations(groups, 2)]
    found = multiclass_auc(x, IRIS.y, labels=order)
    assert found.auc == pytest.approx(np.mean(areas), rel=1e-13)
    assert [part.auc for part in found.binary_aucs] == pytest.approx(areas, rel=1e-13)
    assert multiclass_auc(x, IRIS.y, labels=order[::-1]).auc == pytest.approx(1 - np.mean(areas), rel=1e-13)
    apart = multiclass_auc(x, IRIS.y, labels=order, average=None, method="one-vs-one")
    assert apart.auc == pytest.approx(areas, rel=1e-13)


def test_parts_are_the_rocs_of_their_rows():
    """Each part's area and interval are those of the two-class ROC that it names."""
    scores, y = drawn((20, 25, 30), decimals=1)
    for part in multiclass_auc(scores, y, level=0.9).binary_aucs:
        roc = empirical_roc(scores[:, part.positive], y, positive=part.positive, negative=part.negative)
        assert part.auc == roc.auc()
        assert part.interval.to_dict() == roc.auc_interval(level=0.9).to_dict()
    for part in multiclass_auc(scores, y, method="one-vs-rest").binary_aucs:
        assert part.negative == "rest"
        assert part.auc == empirical_roc(scores[:, part.positive], y, positive=part.positive).auc()


@pytest.mark.parametrize("method", ["hand-till", "one-vs-rest"])
def test_the_width_is_that_of_the_bootstrap(method):
    """The standard error behind the interval is that of resamples counted one by one (seeded; 1000 have 2 % error)."""
    scores, y = drawn((30, 40, 50), decimals=1)
    rng = np.random.default_rng(5)
    rows = [np.flatnonzero(y == k) for k in range(3)]
    resamples = (np.concatenate([rng.choice(r, len(r)) for r in rows]) for _ in range(1000))
    areas = [pairwise(scores[picked], y, method) for picked in resamples]
    found = multiclass_auc(scores, y, method=method)
    error = np.diff(logit(list(found.interval)))[0] / (2 * ndtri(0.975)) * found.auc * (1 - found.auc)
    assert error == pytest.approx(np.std(areas) * np.sqrt(40 / 39), rel=0.08)
    assert found.interval.method == "smoothed-logit"


def test_coverage_near_one():
    """Three classes of 10 rows, AUC 0.98: 300 intervals of level 0.95 hold it 0.93 or more (seeded)."""
    shift = np.sqrt(2) * ndtri(0.98)
    found = [multiclass_auc(*drawn((10, 10, 10), seed=seed, shift=shift)).interval for seed in range(300)]
    assert np.mean([0.98 in interval for interval in found]) >= 0.93
    assert np.mean([interval.width for interval in found]) < 0.1
    assert min(interval.width for interval in found) > 0.03


def test_two_classes_have_the_usual_auc():
    """With two columns that mirror each other, and with one feature, the answer is the two-class AUC."""
    scores, y = drawn((20, 30))
    x = scores[:, 1]
    roc = empirical_roc(x, y)
    for given in (x, np.column_stack([-x, x])):
        assert multiclass_auc(given, y).auc == pytest.approx(roc.auc(), rel=1e-13)
    assert list(multiclass_auc(x, y).interval) == list(roc.auc_interval())


def test_order_and_scale_of_scores_do_not_matter():
    """Columns in the order of labels=, any monotone map of a column, and rows in any order."""
    scores, y = drawn((20, 30, 25))
    area = multiclass_auc(scores, y).auc
    assert multiclass_auc(np.exp(scores) * [1, 5, 0.1], y).auc == pytest.approx(area, rel=1e-13)
    names = np.array(["low", "middle", "high"])[y]
    assert multiclass_auc(scores, names, labels=["low", "middle", "high"]).auc == pytest.approx(area, rel=1e-13)
    shuffled = np.random.default_rng(0).permutation(len(y))
    assert multiclass_auc(scores[shuffled], y[shuffled]).auc == pytest.approx(area, rel=1e-13)


def test_perfect_separation_has_an_interval():
    """All pairs are right: flagged, and the lower end is where 10 agreeing pairs have probability 0.025 (T7)."""
    scores, y = np.repeat(np.eye(3), 10, axis=0), np.repeat([0, 1, 2], 10)
    found = multiclass_auc(scores, y)
    assert found.auc == 1
    assert list(found.flags) == ["fallback"]
    assert found.interval.method == "conservative"
    assert found.interval.low**10 == pytest.approx(0.025, rel=1e-12)
    assert found.interval.high == 1
    wrong = multiclass_auc(-scores, y)
    assert list(wrong.interval) == pytest.approx([0, 1 - found.interval.low], abs=1e-15)


def test_constant_scores_have_an_interval():
    """All tied: area 1/2, flagged, and no certainty (T11)."""
    y = np.repeat([0, 1, 2], 10)
    found = multiclass_auc(np.zeros(30), y)
    share = 0.025**0.1
    assert found.auc == 0.5
    assert list(found.interval) == pytest.approx([share / 2, 1 - share / 2], rel=1e-12)
    assert list(found.flags) == ["fallback"]


def test_parts_that_cancel_have_the_mean_of_their_intervals():
    """One column twice: the two areas of a pair sum to 1 whatever the rows; the ends are Bonferroni's."""
    scores, y = drawn((12, 15))
    found = multiclass_auc(scores[:, [1, 1]], y)
    ends = empirical_roc(scores[:, 1], y).auc_interval(level=1 - 0.05 / 2)
    assert found.auc == pytest.approx(0.5, abs=1e-15)
    half = (ends.high - ends.low) / 2
    assert list(found.interval) == pytest.approx([0.5 - half, 0.5 + half], rel=1e-9)
    assert list(found.flags) == ["fallback"]


def test_a_class_of_one_row_is_said():
    """How it varies cannot be seen: flagged, and the interval is wider than with that row twice."""
    scores, y = drawn((1, 20, 20), seed=2)
    found = multiclass_auc(scores, y)
    assert list(found.flags) == ["fallback", "single_observation"]
    assert found.n_by_class == {0: 1, 1: 20, 2: 20}
    assert found.interval.method == "conservative"
    doubled = multiclass_auc(np.concatenate([scores[:1], scores]), np.concatenate([[0], y]))
    assert found.interval.width > doubled.interval.width > 0


def test_without_an_average_every_area_has_its_interval():
    """Arrays, one a class: each interval is that of its part, also where the class is perfect."""
    scores, y = drawn((20, 20, 20))
    scores[:, 0] = y == 0
    found = multiclass_auc(scores, y, method="one-vs-rest", average=None)
    assert found.interval.low.tolist() == [part.interval.low for part in found.binary_aucs]
    assert found.interval.high.tolist() == [part.interval.high for part in found.binary_aucs]
    assert found.auc[0] == 1
    assert np.all(found.interval.low < found.auc)
    pairs = multiclass_auc(scores, y, average=None)
    assert np.all((pairs.interval.low < pairs.auc) & (pairs.auc <= pairs.interval.high))
    assert repr(pairs) == "MulticlassAuc(shape=(3,), classes=3, n=60, method='hand-till')"


def test_infinite_scores_are_ranked():
    """Infinities are values like others for ranks (T12)."""
    scores, y = drawn((5, 5, 5))
    ranked = np.where(scores == scores.max(axis=0), np.inf, scores)
    assert multiclass_auc(ranked, y).auc == pytest.approx(multiclass_auc(scores, y).auc, rel=1e-13)


def test_many_rows_need_little_memory():
    """100 000 rows: under 200 MB at once."""
    import tracemalloc

    scores, y = drawn((50_000, 30_000, 20_000))
    tracemalloc.start()
    multiclass_auc(scores, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 200e6


def test_a_result_is_ready_for_json():
    """to_dict holds plain numbers; the repr is one line."""
    found = multiclass_auc(*drawn((5, 6, 7)))
    held = json.loads(to_json(found.to_dict()))
    assert held["n_by_class"] == {"0": 5, "1": 6, "2": 7}
    assert len(held["binary_aucs"]) == 6
    assert held["interval"]["low"] <= held["auc"] <= held["interval"]["high"]
    assert "\n" not in repr(found)


SCORES, LABELS = drawn((2, 2, 2))


@pytest.mark.parametrize(
    ("scores", "y", "options", "words"),
    [
        (SCORES, LABELS, {"method": "ovr"}, "method='ovr' is not allowed"),
        (SCORES, LABELS, {"average": "micro"}, "average='micro' is not allowed"),
        (SCORES, LABELS, {"average": "weighted"}, "average='weighted' is not Hand and Till's"),
        (SCORES, LABELS, {"level": 1}, "level=1 is outside"),
        (SCORES[:, :2], LABELS, {}, r"scores has 2 columns and y 3 classes \[0, 1, 2\]"),
        (SCORES[:5], LABELS, {}, "scores has 5 rows and y has 6"),
        (SCORES[:, :0], LABELS, {}, r"scores has shape \(6, 0\)"),
        (SCORES[None], LABELS, {}, r"scores has shape \(1, 6, 3\)"),
        (np.where(SCORES.max() == SCORES, np.nan, SCORES), LABELS, {}, r"missing values \(NaN\) in 1 rows"),
        (SCORES, np.zeros(6), {}, "y has the one label 0.0; two classes"),
        (SCORES, LABELS, {"labels": [0, 1]}, r"labels=\[0, 1\] does not name the classes of y"),
        (SCORES, LABELS, {"labels": [0, 1, 2, 3]}, "does not name the classes of y"),
        (SCORES, LABELS, {"labels": [0, 1, 2, 2]}, "has a label twice"),
        (SCORES[:, 0], LABELS, {"method": "one-vs-rest"}, "needs one column of scores a class"),
        (SCORES[:, 0], np.array(["a", "b", "c"])[LABELS], {}, "labels= is needed: which of"),
        (SCORES[:, :2].astype(str), LABELS, {}, "holds text"),
    ],
)
def test_what_is_refused(scores, y, options, words):
    """Each message names the argument, what came, and what is allowed."""
    with pytest.raises(RocPredictError, match=words):
        multiclass_auc(scores, y, **options)


@pytest.mark.parametrize("method", ["hand-till", "one-vs-one", "one-vs-rest"])
def test_bootstrap_interval_is_that_of_a_plain_loop(method):
    """The quantiles over resamples, against a loop that draws each class and asks anew.

    A quantile at 2.5 % of 400 resamples has a standard error of 0.13 SDs of the areas, of 2000 one of 0.06: five of
    both together fail with probability 6e-7 a comparison.
    """
    rng = np.random.default_rng(5)
    y = np.repeat([0, 1, 2], 25)
    scores = rng.normal(size=(75, 3)) + 1.2 * np.eye(3)[y]
    found = multiclass_auc(scores, y, method=method, interval_method="bootstrap", n_resamples=2000, rng=1)
    assert found.interval.method == "bootstrap"
    areas = []
    for _ in range(400):
        rows = np.concatenate([rng.choice(np.flatnonzero(y == k), 25) for k in range(3)])
        areas.append(multiclass_auc(scores[rows], y[rows], method=method).auc)
    ends = np.quantile(areas, [0.025, 0.975])
    assert np.abs(np.array([*found.interval]) - ends).max() < 5 * 0.15 * np.std(areas)
    again = multiclass_auc(scores, y, method=method, interval_method="bootstrap", n_resamples=2000, rng=1)
    assert tuple(again.interval) == tuple(found.interval)


def test_bootstrap_interval_without_spread_falls_back():
    """Perfect scores: no resample differs, and the conservative interval stands in, flagged."""
    scores, y = np.eye(3)[np.repeat([0, 1, 2], 4)], np.repeat([0, 1, 2], 4)
    found = multiclass_auc(scores, y, interval_method="bootstrap", n_resamples=50).interval
    assert found.method == "conservative"
    assert found.low < 0.9 < found.high == 1
    assert "fallback" in found.flags
