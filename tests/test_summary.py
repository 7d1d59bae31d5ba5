"""Summaries of parts add up to the summary of the whole, JSON preserves them, and they predict as the rows do."""

import json
import re
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.sparse import csc_array

import rocpredict as rp
from rocpredict.base.validation import RocPredictError
from rocpredict.distributions.normality import suppress_misfit_warning
from tests.cases import ENGINES, check_each, refusal

BOTH = {"positive": 1, "negative": 0}
HIGHER = {2: "m2", 3: "m3", 4: "m4"}
EPS = np.finfo(float).eps
drawn = settings(derandomize=True, deadline=None)
engines = pytest.mark.parametrize("engine", ENGINES)
orders = pytest.mark.parametrize("order", [2, 4])


@st.composite
def tables(draw):
    """Draw a table of 1 to 24 rows and 3 features, its labels 0, 1 and (of no class) 2, and where to cut it."""
    rows = draw(st.integers(1, 24))
    some = st.one_of(st.floats(-1e6, 1e6), st.just(np.nan), st.sampled_from([0.0, -0.0, 1.0, -3.5]))
    offsets = draw(st.lists(st.sampled_from([0.0, 1e3, -1e9]), min_size=3, max_size=3))
    cells = draw(st.lists(some, min_size=3 * rows, max_size=3 * rows))
    X = np.array(cells).reshape(rows, 3) + np.array(offsets)
    y = np.array(draw(st.lists(st.sampled_from([0, 0, 1, 1, 2]), min_size=rows, max_size=rows)))
    y[draw(st.integers(0, rows - 1))] = draw(st.sampled_from([0, 1]))
    cuts = sorted(draw(st.lists(st.integers(0, rows), max_size=3)))
    return X, y, [0, *cuts, rows]


def in_parts(X, y, ends, **options):
    """Summarize each part that has a row of either class."""
    parts = [slice(*bounds) for bounds in pairwise(ends)]
    return [rp.summarize(X[rows], y[rows], **BOTH, **options) for rows in parts if np.isin(y[rows], (0, 1)).any()]


def assert_agree(result, whole, X, y):
    """Compare counts, missing values and extremes exactly, moments to 1e-12 of their scale and the means' rounding."""
    for label, name in ((0, "negative"), (1, "positive")):
        mine, theirs = getattr(result, name), getattr(whole, name)
        for exact in ("count", "n_missing", "minimum", "maximum"):
            np.testing.assert_array_equal(getattr(mine, exact), getattr(theirs, exact))
        for j in range(X.shape[1]):
            values = X[(y == label) & ~np.isnan(X[:, j]), j]
            if not values.size:
                assert np.isnan(mine.mean[j])
                continue
            size, spread = np.abs(values).max(), np.abs(values - values.mean())
            assert abs(mine.mean[j] - theirs.mean[j]) <= 1e-12 * size
            for power, moment in HIGHER.items():
                if getattr(mine, moment) is not None:
                    rounding = power * 16 * EPS * size * (spread + EPS * size) ** (power - 1)
                    bound = 1e-12 * (spread**power).sum() + rounding.sum() + 5e-324
                    assert abs(getattr(mine, moment)[j] - getattr(theirs, moment)[j]) <= bound, (moment, j)


@drawn
@given(tables(), st.sampled_from(ENGINES), st.sampled_from([2, 4]))
def test_sums_of_parts_equal_the_whole(table, engine, order):
    """Also parts without one of the classes, and in any order; JSON, engines and threads change nothing."""
    X, y, ends = table
    whole = rp.summarize(X, y, **BOTH, moments=order, engine=engine)
    others = [rp.summarize(X, y, **BOTH, moments=order, engine=name) for name in ENGINES if name != engine]
    parts = in_parts(X, y, ends, moments=order, engine=engine)
    result = sum(parts)
    assert result.order == whole.order == order
    assert_agree(result, whole, X, y)
    assert_agree(sum(parts[::-1]), result, X, y)
    if len(parts) > 2:
        a, b, c = parts[0], parts[1], sum(parts[2:])
        assert_agree(a + (b + c), (a + b) + c, X, y)
    for other in others:
        assert_agree(whole, other, X, y)
    assert rp.summarize(X, y, **BOTH, moments=order, engine=engine, n_jobs=2) == whole
    text = whole.to_json()
    json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    copy = rp.TwoClassSummary.from_json(text)
    assert copy == whole
    assert copy.to_json() == text
    assert (copy.negative.count.dtype, copy.order) == (whole.negative.count.dtype, order)


@engines
def test_each_class_has_its_own_scale(engine):
    """Two classes that differ by a factor of 1e220 keep their moments, also with weights and in a sparse table."""
    values, y = np.array([1.0, 2.0, 3.0, 5.0]), np.repeat([0, 1], 4)
    X = np.outer(np.r_[values * 1e140, values * 1e-80], [1.0, 0.0, 1.0])
    X[:, 1] = X[::-1, 0]
    X[[0, 4], 2] = np.inf
    options = {**BOTH, "engine": engine}
    for table, more in ((X, {}), (X, {"weights": np.ones(8)}), (csc_array(X), {})):
        summary = rp.summarize(table, y, **options, **more)
        np.testing.assert_allclose(summary.negative.m2[:2], [8.75e280, 8.75e-160], rtol=1e-13)
        np.testing.assert_allclose(summary.positive.m2[:2], [8.75e-160, 8.75e280], rtol=1e-13)
        np.testing.assert_allclose(summary.positive.mean[:2], [2.75e-80, 2.75e140], rtol=1e-13)
        assert np.isnan(summary.positive.m2[2])


def sample(seed=0, rows=80, features=4):
    rng = np.random.default_rng(seed)
    y = np.arange(rows) % 2
    X = rng.gamma(2.0, size=(rows, features)) * [1, 10, 0.1, 1] + y[:, None]
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, y


def test_json_with_nan_is_refused():
    """NaN is no number of JSON; a mean that is not known has a count of 0 and is null."""
    text = rp.summarize(*sample(), **BOTH).to_json()
    content = json.loads(text)
    content["negative"]["mean"][0] = np.nan
    assert "NaN is not a JSON number" in refusal(rp.TwoClassSummary.from_json, json.dumps(content))


def test_json_keeps_labels_and_names_of_every_kind():
    X, y = sample()
    names = ("a", "", 'q"t', "é\n")
    features = dict(zip(names, X.T, strict=True))
    for labels in ((0, 1), (False, True), (0.5, 1.5), ("well", "sick"), ("日本", 'a"b\n')):
        array = np.array(labels)
        for negative, positive in (labels, array):
            summary = rp.summarize(features, array[y], negative=negative, positive=positive)
            copy = rp.TwoClassSummary.from_json(summary.to_json())
            assert copy == summary
            assert (copy.negative_label, copy.positive_label) == labels
            assert copy.feature_names == names


@orders
def test_json_keeps_nan_and_infinities_and_fractional_counts(order):
    """Empty, infinite and half infinite features; weights that are no whole numbers, and weights that are."""
    X, y = sample()
    X[:, 0], X[3, 1], X[2, 1], X[4, 2] = np.nan, np.inf, -np.inf, -np.inf
    for weights in (None, np.full(80, 2.0), np.linspace(0, 1, 80)):
        summary = rp.summarize(X, y, moments=order, weights=weights)
        copy = rp.TwoClassSummary.from_json(summary.to_json())
        assert copy == summary
        assert copy.negative.count.dtype == summary.negative.count.dtype
        assert copy.negative.mean[2] == -np.inf
        other = rp.summarize(X, y, moments=order, weights=weights)
        assert replace(copy, file_checksums=()) + other == summary + other


@engines
def test_an_offset_loses_no_digits(engine):
    """At 1.7e8 standard deviations from 0 a table read at once has the variance of the centred rows, to 1e-12.

    The values are whole numbers, so that the offset itself rounds nothing. A sum of parts has it up to the rounding of
    their means: their size in SDs times their distance in SDs (below .3), in units of the last place.
    """
    rng = np.random.default_rng(2)
    y = np.arange(2000) % 2
    X = rng.integers(-50, 50, (2000, 2)).astype(float)
    moved, expected = X + 5e9, X[y == 1].std(axis=0, ddof=1)
    np.testing.assert_allclose(rp.summarize(moved, y, engine=engine).positive.std, expected, rtol=1e-12)
    parts = [rp.summarize(moved[k : k + 500], y[k : k + 500], engine=engine) for k in range(0, 2000, 500)]
    np.testing.assert_allclose(sum(parts).positive.std, expected, rtol=2 * EPS * 1.8e8 * 0.3)


def test_moments_are_those_of_numpy_and_scipy():
    X, y = sample(3)
    summary = rp.summarize(X, y, moments=4)
    for label, side in ((0, summary.negative), (1, summary.positive)):
        part = X[y == label]
        np.testing.assert_allclose(side.mean, np.nanmean(part, axis=0), rtol=1e-13)
        np.testing.assert_allclose(side.std, np.nanstd(part, axis=0, ddof=1), rtol=1e-12)
        np.testing.assert_allclose(side.skewness, stats.skew(part, nan_policy="omit"), rtol=1e-11)
        np.testing.assert_allclose(side.kurtosis, stats.kurtosis(part, nan_policy="omit"), rtol=1e-11)
        np.testing.assert_array_equal(side.minimum, np.nanmin(part, axis=0))
        np.testing.assert_array_equal(side.maximum, np.nanmax(part, axis=0))
        np.testing.assert_array_equal(side.count, (~np.isnan(part)).sum(axis=0))
        np.testing.assert_array_equal(side.n_missing, np.isnan(part).sum(axis=0))
    constant = rp.summarize([[7.0], [7.0], [1.0]], [0, 0, 1], moments=4)
    assert constant.negative.std[0] == 0
    assert np.isnan([constant.negative.skewness[0], constant.negative.kurtosis[0], constant.positive.std[0]]).all()


def test_summaries_with_two_and_four_moments_add_up_to_two():
    X, y = sample(4)
    two, four = (rp.summarize(X, y, moments=order) for order in (2, 4))
    for mixed in (two + four, four + two):
        assert mixed.order == 2
        assert mixed.negative.m3 is mixed.positive.maximum is None
        np.testing.assert_allclose(mixed.negative.m2, (two + rp.summarize(X, y)).negative.m2, rtol=1e-14)
    with pytest.raises(
        RocPredictError, match="this summary contains only the first two moments; compute it with moments=4"
    ):
        _ = (two + four).positive.kurtosis


def test_sums_do_not_change_their_summands():
    """The sum() of one summary is this summary; other objects are refused."""
    X, y = sample(5)
    first, second = (rp.summarize(X, y, moments=4) for _ in range(2))
    assert sum([first]) == first == second
    _ = first + second
    assert first == second
    assert first != first + second
    assert first != "a summary"
    for other in (1, 0.0, None, "0", first.negative):
        with pytest.raises(TypeError):
            _ = first + other
    with pytest.raises(TypeError):
        _ = 1 + first
    assert hash(first) == hash(second) != hash(first + second)


def test_repr_of_a_summary():
    X, y = sample(7)
    X = X[:, :2]
    X[0, 1] = np.nan
    whole = rp.summarize(np.nan_to_num(X), np.where(y == 1, "sick", "well"), positive="sick", moments=4)
    assert repr(whole) == "TwoClassSummary(2 features, negative 'well' 40, positive 'sick' 40, order=4)"
    assert repr(whole.negative) == "ClassSummary(2 features, 40, order=4)"
    low, high = sorted((~np.isnan(X[y == 0])).sum(axis=0).tolist())
    assert f"negative 0 {low} to {high}," in repr(rp.summarize(X, y))
    assert len(whole) == len(whole.negative) == 2


def test_summaries_that_do_not_add_up():
    X, _ = sample(8)

    def summary(names=("a", "b"), y=("n", "p"), positive="p", negative="n"):
        columns = dict(zip(names, X.T[:2], strict=True))
        return rp.summarize(columns, list(y) * 40, positive=positive, negative=negative)

    first = summary()
    for words, other in {
        "only the first has 'b'; only the second has 'c'": summary(names=["a", "c"]),
        "their features are in different orders: 'a' and 'b' at position 0": summary(names=["b", "a"]),
        "the negative label is 'n' in the first and 'x' in the second": summary(y="xw", positive="w", negative="x"),
        "the positive label is 'p' in the first and 'w' in the second": summary(y=["n", "w"], positive="w"),
        "the negative label is 'n' in the first and 'p' in the second": summary(positive="n", negative="p"),
    }.items():
        assert refusal(first.__add__, other) == f"summaries cannot be added: {words}"
    words = refusal(first.negative.__add__, first.select([0]).negative)
    assert words == "summaries of 2 and 1 features cannot be added; pass summaries of the same features"
    labels = np.array(["a", "rest", "b", "c"])[np.arange(80) % 4]
    named, others = (rp.summarize(X, labels, positive="a", negative=negative) for negative in ("rest", None))
    assert named.negative.count.sum() < others.negative.count.sum()
    assert "cannot be added" in refusal(named.__add__, others)


def test_batches_are_one_table():
    """A generator of (X, y), a part without one class; a third label is dropped or joins the rest."""
    X, y = sample(11)
    y = np.where(np.arange(80) % 10 == 9, 2, np.sort(y))
    for negative in (0, None):
        whole = rp.summarize(X, y, positive=1, negative=negative, moments=4)
        batches = ((X[k : k + 20], y[k : k + 20]) for k in range(0, 80, 20))
        result = rp.summarize(batches, positive=1, negative=negative, moments=4)
        assert (result.negative_label, result.positive_label) == (whole.negative_label, whole.positive_label)
        merged = y if negative == 0 else np.where(y == 2, 0, y)
        assert_agree(result, whole, X, merged)
    y = np.arange(80) % 2
    for labels in ((0, 1), (False, True), (0.0, 1.0), (-1, 1)):  # need no positive=
        assert rp.summarize([(X, np.array(labels)[y])]) == rp.summarize(X, np.array(labels)[y])


def test_features_of_an_array_can_be_named():
    """The names, which units can then use, do not change the moments."""
    X, y = sample(15)
    names = tuple(f"gene {j}" for j in range(X.shape[1]))
    summary = rp.summarize(X, y, feature_names=names, units={names[0]: "counts"})
    assert (summary.feature_names, summary.units[0]) == (names, "counts")
    unnamed = rp.summarize(X, y)
    assert replace(summary, feature_names=unnamed.feature_names, units=unnamed.units) == unnamed


TWO = [[1.0], [2.0]]
BAD_BATCHES = {
    "X has no batches; pass an iterable of (X, y)": ([], {}),
    "positive= is needed with batches": ([(TWO, ["a", "b"])], {}),
    "positive= is needed with": ([(TWO, [0, 7])], {}),
    "no batch has an observation of the positive class, 'A'; labels are 'a', 'b'; did you mean 'a'?": (
        [(TWO, ["a", "b"])],
        {"positive": "A"},
    ),
    "no batch has an observation of the negative class": ([(TWO, [1, 1])], {}),
    "positive=[0, 1] is not a label": ([(TWO, [0, 1])], {"positive": [0, 1]}),
    "summaries cannot be added: only the second has 'x1'": ([(TWO, [0, 1]), ([[1.0, 2.0]], [1])], {}),
    "weights= is not available for batches": ([(TWO, [0, 1])], {"weights": [1, 1]}),
    "feature_names= is not available for batches": ([(TWO, [0, 1])], {"feature_names": ["age"]}),
    "batch 1=[1, 2, 3] is not a pair; pass (X, y)": ([[1, 2, 3]], {}),
    "the batches in X have no rows; pass at least one batch with rows": ([(np.empty((0, 2)), [])], {}),
    "batch 2: X has 2 rows and y has 1; both must have the same length": ([(TWO, [0, 1]), (TWO, [1])], {}),
    "y is missing, and X=array(": (np.eye(3), {}),
    "y is missing, and X=5 is not an iterable of (X, y) batches; pass y, or pass batches as X": (5, {}),
}
BAD_OPTIONS = {
    "y contains neither positive='1' nor negative=6, but must contain at least one of them; "
    "labels are 0, 1; did you mean 1?": {"positive": "1", "negative": 6},
    "negative=1 is also the positive label; pass two different labels": {"positive": 1, "negative": 1},
    "positive=5 is not a label in y; labels are [0, 1]": {"positive": 5},
    "positive=[1] is not a label in y; labels are [0, 1]": {"positive": [1], "negative": 0},
    "negative={0} is not a label in y; labels are [0, 1]": {"positive": 1, "negative": {0}},
    "positive=nan is not a label": {"positive": float("nan"), "negative": 0},
    "moments=3 is not allowed; choose one of 2, 4": {"moments": 3},
    "engine='cuda' is not allowed; choose one of 'auto', 'numpy', 'numba'": {"engine": "cuda"},
    "n_jobs=0 is not valid; pass a positive integer, or -1 for one thread per processor": {"n_jobs": 0},
    "weights has shape (1,); pass one weight for each of the 80 rows": {"weights": [1.0]},
    "feature_names has 1 name and X has 4 columns; pass one name for each column": {"feature_names": ["age"]},
}


def test_batches_and_options_that_are_refused():
    X, y = sample(13)
    messages = {words: refusal(rp.summarize, batches, **options) for words, (batches, options) in BAD_BATCHES.items()}
    messages |= {words: refusal(rp.summarize, X, y, **options) for words, options in BAD_OPTIONS.items()}
    assert {words: message for words, message in messages.items() if words not in message} == {}


def test_from_summary_predicts_what_predict_roc_predicts():
    """AUC, its interval, threshold and Ameans, feature by feature, in each direction; to 1e-12."""
    X, y = sample(14)
    summary = rp.summarize(X[:30], y[:30]) + rp.summarize(X[30:], y[30:])
    for direction in (None, "higher", "lower", "auto"):
        batch = rp.PredictedRoc.from_summary(summary, direction=direction)
        best, interval = batch.best_threshold(), batch.auc_interval()
        for j, x in enumerate(X.T):
            with suppress_misfit_warning():  # two of the features are skewed
                roc = rp.predict_roc(x, y, nan_policy="omit", direction=direction)
            single = roc.best_threshold()
            expected = [
                roc.auc(),
                *roc.auc_interval(method="delta"),
                single.threshold,
                single.ameans,
                single.tpr,
                single.fpr,
            ]
            result = [batch.auc()[j], interval.low[j], interval.high[j]]
            result += [getattr(best, name)[j] for name in ("threshold", "ameans", "tpr", "fpr")]
            np.testing.assert_allclose(result, expected, rtol=1e-12, atol=1e-13)


def test_from_summary_names_the_feature_that_has_no_prediction():
    """In plain words; further features are mentioned only where there are any."""
    X, y = sample(15)
    for without in (np.full(len(y), True), y == y[0], y != y[0]):  # both classes, or one of them
        X[:, 1] = np.where(without, np.nan, X[:, 0])
        words = refusal(rp.PredictedRoc.from_summary, rp.summarize(X, y))
        assert words.startswith("feature 'x1' has fewer than two finite values in at least one class; ")
    assert "1 more" not in words
    X[:, 3] = np.nan
    words = refusal(rp.PredictedRoc.from_summary, rp.summarize(X, y))
    assert re.match(r"feature 'x1' \(and 1 more\) has fewer", words)


def test_select_features():
    X, y = sample(16)
    summary = rp.summarize(X, y, moments=4)
    for chosen, columns in (
        ([2, 0], [2, 0]),
        (slice(1, None), [1, 2, 3]),
        (np.array([True, False, False, True]), [0, 3]),
        (np.array([3]), [3]),
        (2, [2]),
        (-1, [3]),
        ([], []),
    ):
        part, names = summary.select(chosen), [f"x{j}" for j in columns]
        assert part.feature_names == tuple(names)
        assert len(part) == len(part.negative) == len(names)
        np.testing.assert_array_equal(part.positive.m4, summary.positive.m4[columns])
        assert rp.screen(part, empirical=False).in_input_order()["feature"].tolist() == names


def test_json_of_something_else_is_refused():
    X, y = sample(17)
    text = rp.summarize(X, y).to_json()
    changes = [("negative", part) for part in (3, [], None)]
    changes += [("feature_names", part) for part in (None, "abcd", ["a"], ["a", "a", "b", "b"])]
    changes += [("mean", part) for part in (None, ["a", 0, 0, 0], [[1], [1], [1], [1]], [1.0])]
    changes += [("count", [None, 1, 1, 1]), ("count", [-3, 1, 1, 1]), ("m2", [-1, 0, 0, 0])]
    changes += [(name, [0, 0, 0, 0]) for name in ("m3", "m5")]
    texts = ["", "{", "3", "[]", "{}", None]
    for name, part in changes:
        content = json.loads(text)
        (content if name in content else content["negative"])[name] = part
        texts.append(json.dumps(content))
    check_each({str(text): text for text in texts}, lambda text: refusal(rp.TwoClassSummary.from_json, text))


def test_a_label_that_a_later_batch_adds_is_not_a_negative():
    """Three labels need positive=, in whatever batch the third one occurs."""
    y = np.repeat([0, 1, 2], 10)
    X = np.arange(30.0)[:, None]
    for rows in (slice(0, 20), slice(0, None, 2)):
        others = np.setdiff1d(np.arange(30), np.arange(30)[rows])
        batches = [(X[rows], y[rows]), (X[others], y[others])]
        for call in (rp.summarize, lambda parts: rp.screen(parts, empirical="histogram")):
            with pytest.raises(rp.RocPredictError, match="positive= is needed"):
                call(batches)
    assert rp.summarize(batches, positive=1).negative_label == "rest"


@pytest.mark.parametrize("empirical", [False, "histogram"])
def test_batches_without_rows_are_skipped(empirical):
    """As after a filter that keeps no row; the other batches are counted as without it."""
    X, y = sample(21)
    batches, empty = [(X[:30], y[:30]), (X[30:], y[30:])], (X[:0], y[:0])
    options = {"positive": 1, "empirical": empirical}
    results = [rp.screen([*more, *batches, *more], **options) for more in ([], [empty])]
    assert results[0] == results[1]
