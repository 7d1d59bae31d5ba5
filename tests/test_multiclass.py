"""AUC of more than two classes: scikit-learn's values, brute force, and intervals, which never have a width of 0."""

import json
import tracemalloc
from functools import partial
from itertools import combinations, product

import numpy as np
import pytest
from scipy.special import logit, ndtri

from rocpredict import empirical_roc
from rocpredict.base.formatting import to_json
from rocpredict.datasets import load_iris
from rocpredict.multiclass import multiclass_auc
from tests.cases import check_refused
from tests.samples import pair_wins

IRIS = load_iris()


def drawn(sizes, seed=0, decimals=None, shift=1.2):
    """Scores of one column a class, the own class's shifted; rounded to make ties."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(len(sizes)), sizes)
    scores = rng.normal(size=(len(y), len(sizes))) + shift * np.eye(len(sizes))[y]
    return (scores if decimals is None else scores.round(decimals)), y


def pairwise(scores, y, method):
    """Hand and Till's mean, or that of each class against the rest, by the definition."""
    classes = range(scores.shape[1])
    if method == "one-vs-rest":
        return np.mean([pair_wins(scores[y != k, k], scores[y == k, k]).mean() for k in classes])
    return np.mean([pair_wins(scores[y == j, i], scores[y == i, i]).mean() for i in classes for j in classes if i != j])


@pytest.mark.extra("sklearn")
def test_scikit_learns_values():
    from sklearn.metrics import roc_auc_score

    kinds = [
        ("hand-till", "macro", "ovo"),
        ("one-vs-one", "macro", "ovo"),
        ("one-vs-one", "weighted", "ovo"),
        ("one-vs-rest", "macro", "ovr"),
        ("one-vs-rest", "weighted", "ovr"),
        ("one-vs-rest", None, "ovr"),
    ]
    for sizes, decimals in product([(30, 40, 50), (7, 90, 20, 13)], [None, 1]):
        scores, y = drawn(sizes, decimals=decimals)
        scores = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
        if decimals is not None:
            scores = scores.round(decimals)
            scores[:, 0] += 1 - scores.sum(axis=1)
            scores = scores.round(decimals)  # equal tenths are equal floats again
        for method, average, theirs in kinds:
            result = multiclass_auc(scores, y, method=method, average=average)
            expected = roc_auc_score(y, scores, multi_class=theirs, average=average)
            assert result.auc == pytest.approx(expected, rel=1e-12), (sizes, decimals, method, average)


def test_one_feature_by_brute_force():
    """Hand and Till's mean over pairs, each the share of pairs of rows in the order of the labels."""
    x, order = IRIS.column("sepal_length"), ["setosa", "versicolor", "virginica"]
    areas = [pair_wins(x[IRIS.y == a], x[IRIS.y == b]).mean() for a, b in combinations(order, 2)]
    result = multiclass_auc(x, IRIS.y, labels=order)
    assert result.auc == pytest.approx(np.mean(areas), rel=1e-13)
    assert [part.auc for part in result.binary_aucs] == pytest.approx(areas, rel=1e-13)
    assert multiclass_auc(x, IRIS.y, labels=order[::-1]).auc == pytest.approx(1 - np.mean(areas), rel=1e-13)
    apart = multiclass_auc(x, IRIS.y, labels=order, average=None, method="one-vs-one")
    assert apart.auc == pytest.approx(areas, rel=1e-13)


def test_parts_are_the_rocs_of_their_rows():
    scores, y = drawn((20, 25, 30), decimals=1)
    for part in multiclass_auc(scores, y, level=0.9).binary_aucs:
        roc = empirical_roc(scores[:, part.positive], y, positive=part.positive, negative=part.negative)
        assert part.auc == roc.auc()
        assert part.interval.to_dict() == roc.auc_interval(level=0.9).to_dict()
    for part in multiclass_auc(scores, y, method="one-vs-rest").binary_aucs:
        assert part.negative == "rest"
        assert part.auc == empirical_roc(scores[:, part.positive], y, positive=part.positive).auc()


def test_intervals_by_a_plain_loop_over_resamples():
    """The standard error behind the default interval (seeded; 1000 have 2% error), and the bootstrap's quantiles.

    A quantile at 2.5 % of 1000 resamples has a standard error of 0.08 SDs of the areas, of 2000 one of 0.06: five of
    both together fail with probability 6e-7 a comparison.
    """
    scores, y = drawn((30, 40, 50), decimals=1)
    rng = np.random.default_rng(5)
    rows = [np.flatnonzero(y == k) for k in range(3)]
    resamples = [np.concatenate([rng.choice(r, len(r)) for r in rows]) for _ in range(1000)]
    options = {"interval_method": "bootstrap", "n_resamples": 2000, "rng": 1}
    for method in ("hand-till", "one-vs-one", "one-vs-rest"):
        areas = [pairwise(scores[picked], y, method) for picked in resamples]
        result = multiclass_auc(scores, y, method=method)
        error = np.diff(logit(list(result.interval)))[0] / (2 * ndtri(0.975)) * result.auc * (1 - result.auc)
        assert error == pytest.approx(np.std(areas) * np.sqrt(40 / 39), rel=0.08)
        assert result.interval.method == "smoothed-logit"
        drawn_interval = multiclass_auc(scores, y, method=method, **options).interval
        assert drawn_interval.method == "bootstrap"
        limits = np.quantile(areas, [0.025, 0.975])
        assert np.abs(np.array([*drawn_interval]) - limits).max() < 5 * 0.1 * np.std(areas), method
        assert tuple(multiclass_auc(scores, y, method=method, **options).interval) == tuple(drawn_interval)


def test_coverage_near_one():
    """Three classes of 10 rows, AUC 0.98: 300 intervals of level 0.95 hold it 0.93 or more (seeded)."""
    shift = np.sqrt(2) * ndtri(0.98)
    intervals = [multiclass_auc(*drawn((10, 10, 10), seed=seed, shift=shift)).interval for seed in range(300)]
    assert np.mean([0.98 in interval for interval in intervals]) >= 0.93
    assert np.mean([interval.width for interval in intervals]) < 0.1
    assert min(interval.width for interval in intervals) > 0.03


def test_order_and_scale_of_scores_do_not_matter():
    """Columns in the order of labels=, any monotone map of a column, rows in any order, infinities as ranks (T12).

    Of two classes with two columns that mirror each other, and with one feature, the answer is the two-class AUC.
    """
    scores, y = drawn((20, 30, 25))
    auc = pytest.approx(multiclass_auc(scores, y).auc, rel=1e-13)
    assert multiclass_auc(np.exp(scores) * [1, 5, 0.1], y).auc == auc
    names = np.array(["low", "middle", "high"])[y]
    assert multiclass_auc(scores, names, labels=["low", "middle", "high"]).auc == auc
    shuffled = np.random.default_rng(0).permutation(len(y))
    assert multiclass_auc(scores[shuffled], y[shuffled]).auc == auc
    assert multiclass_auc(np.where(scores == scores.max(axis=0), np.inf, scores), y).auc == auc
    x, y = scores[:50, 1], y[:50]
    roc = empirical_roc(x, y)
    for table in (x, np.column_stack([-x, x])):
        assert multiclass_auc(table, y).auc == pytest.approx(roc.auc(), rel=1e-13)
    assert list(multiclass_auc(x, y).interval) == list(roc.auc_interval())


def test_scores_without_spread_have_an_interval():
    """All pairs right (T7): flagged, down to where 10 agreeing pairs have probability 0.025. All tied (T11): likewise.

    By the bootstrap no resample differs, and the same interval stands in.
    """
    scores, y = np.repeat(np.eye(3), 10, axis=0), np.repeat([0, 1, 2], 10)
    share = 0.025**0.1
    perfect = multiclass_auc(scores, y)
    tied = multiclass_auc(np.zeros(30), y)
    assert (perfect.auc, tied.auc) == (1, 0.5)
    assert list(perfect.flags) == list(tied.flags) == ["fallback"]
    assert perfect.interval.method == "conservative"
    assert list(perfect.interval) == pytest.approx([share, 1], rel=1e-12)
    assert list(multiclass_auc(-scores, y).interval) == pytest.approx([0, 1 - share], abs=1e-15)
    assert list(tied.interval) == pytest.approx([share / 2, 1 - share / 2], rel=1e-12)
    resampled = multiclass_auc(scores, y, interval_method="bootstrap", n_resamples=50).interval
    assert list(resampled) == list(perfect.interval)
    assert resampled.method == "conservative"
    assert "fallback" in resampled.flags


def test_parts_that_cannot_vary_have_conservative_intervals():
    """One column twice: the two areas of a pair sum to 1 whatever the rows; the limits are Bonferroni's.

    The variability of a class of one row is unknown: it is flagged, and the interval is wider than with this row twice.
    """
    scores, y = drawn((12, 15))
    result = multiclass_auc(scores[:, [1, 1]], y)
    half = empirical_roc(scores[:, 1], y).auc_interval(level=1 - 0.05 / 2).width / 2
    assert result.auc == pytest.approx(0.5, abs=1e-15)
    assert list(result.interval) == pytest.approx([0.5 - half, 0.5 + half], rel=1e-9)
    assert list(result.flags) == ["fallback"]
    scores, y = drawn((1, 20, 20), seed=2)
    result = multiclass_auc(scores, y)
    assert list(result.flags) == ["fallback", "single_observation"]
    assert result.n_by_class == {0: 1, 1: 20, 2: 20}
    assert result.interval.method == "conservative"
    doubled = multiclass_auc(np.concatenate([scores[:1], scores]), np.concatenate([[0], y]))
    assert result.interval.width > doubled.interval.width > 0


def test_without_an_average_every_area_has_its_interval():
    scores, y = drawn((20, 20, 20))
    scores[:, 0] = y == 0
    result = multiclass_auc(scores, y, method="one-vs-rest", average=None)
    assert result.interval.low.tolist() == [part.interval.low for part in result.binary_aucs]
    assert result.interval.high.tolist() == [part.interval.high for part in result.binary_aucs]
    assert result.auc[0] == 1
    assert np.all(result.interval.low < result.auc)
    pairs = multiclass_auc(scores, y, average=None)
    assert np.all((pairs.interval.low < pairs.auc) & (pairs.auc <= pairs.interval.high))
    assert repr(pairs) == "MulticlassAuc(batch of shape (3,), 3 classes, 60 observations, method='hand-till')"


def test_a_result_is_ready_for_json():
    """And 100 000 rows take under 200 MB at once."""
    result = multiclass_auc(*drawn((5, 6, 7)))
    stored = json.loads(to_json(result.to_dict()))
    assert stored["n_by_class"] == {"0": 5, "1": 6, "2": 7}
    scores, y = drawn((50_000, 30_000, 20_000))
    tracemalloc.start()
    multiclass_auc(scores, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 200e6


SCORES, LABELS = drawn((2, 2, 2))
REFUSED = [
    (SCORES, LABELS, {"method": "ovr"}, "method='ovr' is not allowed"),
    (SCORES, LABELS, {"average": "micro"}, "average='micro' is not allowed"),
    (SCORES, LABELS, {"average": "weighted"}, "average='weighted' is not available for method='hand-till'"),
    (SCORES, LABELS, {"level": 1}, "level=1 is outside"),
    (SCORES[:, :2], LABELS, {}, r"scores has 2 columns, but y has 3 classes \[0, 1, 2\]"),
    (SCORES[:5], LABELS, {}, "scores has length 5, but y has length 6"),
    (SCORES[:, :0], LABELS, {}, r"scores has shape \(6, 0\)"),
    (SCORES[None], LABELS, {}, r"scores has shape \(1, 6, 3\)"),
    (np.where(SCORES.max() == SCORES, np.nan, SCORES), LABELS, {}, r"missing values \(NaN\) in 1 row;"),
    (SCORES, np.zeros(6), {}, "y has only one label, 0.0; pass labels of at least two classes"),
    (SCORES, LABELS, {"labels": [0, 1]}, r"labels=\[0, 1\] does not match the classes of y"),
    (SCORES, LABELS, {"labels": [0, 1, 2, 3]}, "does not match the classes of y"),
    (SCORES, LABELS, {"labels": [0, 1, 2, 2]}, "contains duplicates"),
    (SCORES[:, 0], LABELS, {"method": "one-vs-rest"}, "needs one column for each class"),
    (SCORES[:, 0], np.array(["a", "b", "c"])[LABELS], {}, "the order of the classes .* is unknown; pass labels="),
    (SCORES[:, :2].astype(str), LABELS, {}, "contains text"),
]


def test_invalid_arguments_are_refused():
    check_refused([(partial(multiclass_auc, scores, y, **options), words) for scores, y, options, words in REFUSED])
