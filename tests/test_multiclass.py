"""AUC of more than two classes: scikit-learn's values, brute force, and intervals that are never a point."""

import json
from itertools import combinations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from rocpredict import RocPredictError, empirical_roc
from rocpredict.datasets import load_iris
from rocpredict.multiclass import multiclass_auc
from rocpredict.tables import to_json

IRIS = load_iris()
QUICK = {"n_resamples": 200}


def drawn(sizes, seed=0, decimals=None, shift=1.2):
    """Scores of one column a class, the own class's shifted; rounded to make ties."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(len(sizes)), sizes)
    scores = rng.normal(size=(len(y), len(sizes))) + shift * np.eye(len(sizes))[y]
    return (scores if decimals is None else scores.round(decimals)), y


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
    found = multiclass_auc(scores, y, method=method, average=average, **QUICK)
    assert found.auc == pytest.approx(roc_auc_score(y, scores, **theirs), rel=1e-12)


def test_one_feature_by_brute_force():
    """Hand and Till's mean over pairs, each the share of pairs of rows in the order of the labels."""
    x = IRIS.column("sepal_length")
    order = ["setosa", "versicolor", "virginica"]
    groups = [x[IRIS.y == name] for name in order]
    areas = [((b[:, None] > a).mean() + (b[:, None] >= a).mean()) / 2 for a, b in combinations(groups, 2)]
    found = multiclass_auc(x, IRIS.y, labels=order, **QUICK)
    assert found.auc == pytest.approx(np.mean(areas), rel=1e-13)
    assert [part.auc for part in found.parts] == pytest.approx(areas, rel=1e-13)
    assert multiclass_auc(x, IRIS.y, labels=order[::-1], **QUICK).auc == pytest.approx(1 - np.mean(areas), rel=1e-13)
    apart = multiclass_auc(x, IRIS.y, labels=order, average=None, method="one-vs-one", **QUICK)
    assert apart.auc == pytest.approx(areas, rel=1e-13)


def test_parts_are_the_rocs_of_their_rows():
    """Each part's area and interval are those of the two-class ROC that it names."""
    scores, y = drawn((20, 25, 30), decimals=1)
    for part in multiclass_auc(scores, y, level=0.9, **QUICK).parts:
        roc = empirical_roc(scores[:, part.positive], y, positive=part.positive, negative=part.negative)
        assert part.auc == roc.auc()
        assert part.interval.to_dict() == roc.auc_interval(level=0.9).to_dict()
    for part in multiclass_auc(scores, y, method="one-vs-rest", **QUICK).parts:
        assert part.negative == "rest"
        assert part.auc == empirical_roc(scores[:, part.positive], y, positive=part.positive).auc()


def test_the_bootstrap_is_the_plain_one():
    """The vectorised resamples have the spread of resamples counted one by one (false failure: fixed seeds, none)."""
    scores, y = drawn((15, 20, 25), decimals=1)
    rng = np.random.default_rng(5)
    rows = [np.flatnonzero(y == k) for k in range(3)]
    plain = []
    for _ in range(300):
        picked = np.concatenate([rng.choice(r, len(r)) for r in rows])
        plain.append(multiclass_auc(scores[picked], y, n_resamples=20).auc)
    interval = multiclass_auc(scores, y, n_resamples=4000).interval
    low, high = np.quantile(plain, [0.025, 0.975])
    assert interval.low == pytest.approx(low, abs=0.02)
    assert interval.high == pytest.approx(high, abs=0.02)
    assert interval.method == "bootstrap"


def test_two_classes_have_the_usual_auc():
    """With two columns that mirror each other, and with one feature, the answer is the two-class AUC."""
    scores, y = drawn((20, 30))
    x = scores[:, 1]
    area = empirical_roc(x, y).auc()
    for given in (x, np.column_stack([-x, x])):
        assert multiclass_auc(given, y, **QUICK).auc == pytest.approx(area, rel=1e-13)


def test_a_seed_gives_the_same_interval():
    """The same seed or an equal generator: the same; another seed: another; the generator moves on."""
    scores, y = drawn((20, 20, 20))
    first = multiclass_auc(scores, y, rng=3, **QUICK)
    assert list(first.interval) == list(multiclass_auc(scores, y, rng=np.random.default_rng(3), **QUICK).interval)
    assert list(first.interval) != list(multiclass_auc(scores, y, rng=4, **QUICK).interval)
    assert first.auc == multiclass_auc(scores, y, rng=4, **QUICK).auc


def test_order_and_scale_of_scores_do_not_matter():
    """Columns in the order of labels=, any monotone map of a column, and rows in any order."""
    scores, y = drawn((20, 30, 25))
    area = multiclass_auc(scores, y, **QUICK).auc
    assert multiclass_auc(np.exp(scores) * [1, 5, 0.1], y, **QUICK).auc == pytest.approx(area, rel=1e-13)
    names = np.array(["low", "middle", "high"])[y]
    assert multiclass_auc(scores, names, labels=["low", "middle", "high"], **QUICK).auc == pytest.approx(
        area, rel=1e-13
    )
    shuffled = np.random.default_rng(0).permutation(len(y))
    assert multiclass_auc(scores[shuffled], y[shuffled], **QUICK).auc == pytest.approx(area, rel=1e-13)


def test_perfect_separation_has_an_interval():
    """All resamples have area 1: flagged, and the lower end is where 10 agreeing pairs have probability 0.025 (T7)."""
    scores, y = np.repeat(np.eye(3), 10, axis=0), np.repeat([0, 1, 2], 10)
    found = multiclass_auc(scores, y, **QUICK)
    assert found.auc == 1
    assert list(found.flags) == ["fallback"]
    assert found.interval.method == "conservative"
    assert found.interval.low**10 == pytest.approx(0.025, rel=1e-12)
    assert found.interval.high == 1
    wrong = multiclass_auc(-scores, y, **QUICK)
    assert list(wrong.interval) == pytest.approx([0, 1 - found.interval.low], abs=1e-15)


def test_constant_scores_have_an_interval():
    """All tied: area 1/2 in every resample, flagged, and no certainty (T11)."""
    y = np.repeat([0, 1, 2], 10)
    found = multiclass_auc(np.zeros(30), y, **QUICK)
    share = 0.025**0.1
    assert found.auc == 0.5
    assert list(found.interval) == pytest.approx([share / 2, 1 - share / 2], rel=1e-12)
    assert list(found.flags) == ["fallback"]


def test_parts_that_cancel_have_the_mean_of_their_intervals():
    """One column twice: the two areas of a pair sum to 1 in every resample; the ends are Bonferroni's."""
    scores, y = drawn((12, 15))
    found = multiclass_auc(scores[:, [1, 1]], y, **QUICK)
    ends = empirical_roc(scores[:, 1], y).auc_interval(level=1 - 0.05 / 2)
    assert found.auc == pytest.approx(0.5, abs=1e-15)
    half = (ends.high - ends.low) / 2
    assert list(found.interval) == pytest.approx([0.5 - half, 0.5 + half], rel=1e-9)
    assert list(found.flags) == ["fallback"]


def test_a_class_of_one_row_is_said():
    """The bootstrap cannot vary it: flagged, and the interval is wider than the bootstrap's of the same data."""
    scores, y = drawn((1, 20, 20), seed=2)
    found = multiclass_auc(scores, y, **QUICK)
    assert list(found.flags) == ["fallback", "single_case"]
    assert found.n_by_class == {0: 1, 1: 20, 2: 20}
    assert found.interval.method == "conservative"
    doubled = multiclass_auc(np.concatenate([scores[:1], scores]), np.concatenate([[0], y]), **QUICK)
    assert found.interval.width > doubled.interval.width > 0


def test_without_an_average_every_area_has_its_interval():
    """Arrays, one a class; a perfect class among others is flagged by itself."""
    scores, y = drawn((20, 20, 20))
    scores[:, 0] = y == 0
    found = multiclass_auc(scores, y, method="one-vs-rest", average=None, **QUICK)
    assert found.flags["fallback"].tolist() == [True, False, False]
    assert np.all(found.interval.low < found.auc)
    assert np.all(found.interval.high >= found.auc)
    assert repr(found) == ("MulticlassAuc(shape=(3,), classes=3, n=60, method='one-vs-rest', flags=['fallback'])")


def test_infinite_scores_are_ranked():
    """Infinities are values like others for ranks (T12)."""
    scores, y = drawn((5, 5, 5))
    ranked = np.where(scores == scores.max(axis=0), np.inf, scores)
    assert multiclass_auc(ranked, y, **QUICK).auc == pytest.approx(multiclass_auc(scores, y, **QUICK).auc, rel=1e-13)


def test_many_rows_need_little_memory():
    """100 000 rows: resamples are made in chunks, under 200 MB at once."""
    import tracemalloc

    scores, y = drawn((50_000, 30_000, 20_000))
    tracemalloc.start()
    multiclass_auc(scores, y, n_resamples=20)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 200e6


def test_a_result_is_ready_for_json():
    """to_dict holds plain numbers; the repr is one line."""
    found = multiclass_auc(*drawn((5, 6, 7)), **QUICK)
    held = json.loads(to_json(found.to_dict()))
    assert held["n_by_class"] == {"0": 5, "1": 6, "2": 7}
    assert len(held["parts"]) == 6
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
        (SCORES, LABELS, {"rng": -1}, "rng=-1 is negative"),
        (SCORES, LABELS, {"n_resamples": 1}, "n_resamples=1 is too few"),
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
