"""Summaries of parts add up to that of the whole, travel as JSON without a loss, and predict what the rows predict."""

import json
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import rocpredict as rp
from rocpredict.base.validation import RocPredictError
from rocpredict.distributions.normality import suppress_normality_warning

ENGINES = ("numpy", "numba")
BOTH = {"positive": 1, "negative": 0}
HIGHER = {2: "m2", 3: "m3", 4: "m4"}
EPS = np.finfo(float).eps

drawn = settings(derandomize=True, deadline=None, max_examples=50)
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
    held = [slice(*it) for it in pairwise(ends)]
    return [rp.summarize(X[rows], y[rows], **BOTH, **options) for rows in held if np.isin(y[rows], (0, 1)).any()]


def values_of(X, y, label, feature):
    column = X[y == label, feature]
    return column[~np.isnan(column)]


def assert_agree(found, whole, X, y):
    """Compare counts, missing values and extremes exactly, moments to 1e-12 of their scale and the means' rounding."""
    for label, name in ((0, "negative"), (1, "positive")):
        mine, theirs = getattr(found, name), getattr(whole, name)
        for exact in ("count", "n_missing", "minimum", "maximum"):
            np.testing.assert_array_equal(getattr(mine, exact), getattr(theirs, exact))
        for j in range(X.shape[1]):
            held = values_of(X, y, label, j)
            if not held.size:
                assert np.isnan(mine.mean[j])
                continue
            size, spread = np.abs(held).max(), np.abs(held - held.mean())
            assert abs(mine.mean[j] - theirs.mean[j]) <= 1e-12 * size
            for power, moment in HIGHER.items():
                if getattr(mine, moment) is not None:
                    rounding = power * 16 * EPS * size * (spread + EPS * size) ** (power - 1)
                    bound = 1e-12 * (spread**power).sum() + rounding.sum()
                    assert abs(getattr(mine, moment)[j] - getattr(theirs, moment)[j]) <= bound, (moment, j)


@drawn
@given(tables(), st.sampled_from(ENGINES), st.sampled_from([2, 4]))
def test_parts_add_up_to_the_whole(table, engine, order):
    """The contract: the sum of the parts, also of parts without one of the classes, is the summary of all rows."""
    X, y, ends = table
    whole = rp.summarize(X, y, **BOTH, moments=order, engine=engine)
    found = sum(in_parts(X, y, ends, moments=order, engine=engine))
    assert found.order == whole.order == order
    assert_agree(found, whole, X, y)


@drawn
@given(tables(), st.sampled_from(ENGINES))
def test_the_order_of_the_parts_does_not_matter(table, engine):
    """a + b and b + a, (a + b) + c and a + (b + c)."""
    X, y, ends = table
    parts = in_parts(X, y, ends, moments=4, engine=engine)
    assert_agree(sum(parts[::-1]), sum(parts), X, y)
    if len(parts) > 2:
        a, b, c = parts[0], parts[1], sum(parts[2:])
        assert_agree(a + (b + c), (a + b) + c, X, y)


@drawn
@given(tables(), st.sampled_from([2, 4]))
def test_engines_and_threads_agree(table, order):
    """numpy against numba within rounding, one thread against two to the last bit."""
    X, y, _ = table
    one, other = (rp.summarize(X, y, **BOTH, moments=order, engine=engine) for engine in ENGINES)
    assert_agree(one, other, X, y)
    for engine, alone in zip(ENGINES, (one, other), strict=True):
        assert rp.summarize(X, y, **BOTH, moments=order, engine=engine, n_jobs=2) == alone


@drawn
@given(tables(), st.sampled_from([2, 4]))
def test_json_loses_nothing(table, order):
    """What is read back is equal, in every bit; the text is JSON in the strict sense."""
    X, y, _ = table
    summary = rp.summarize(X, y, **BOTH, moments=order)
    text = summary.to_json()
    json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    back = rp.TwoClassSummary.from_json(text)
    assert back == summary
    assert back.to_json() == text
    assert (back.negative.count.dtype, back.order) == (summary.negative.count.dtype, order)


def sample(seed=0, rows=80, features=4):
    rng = np.random.default_rng(seed)
    y = np.arange(rows) % 2
    X = rng.gamma(2.0, size=(rows, features)) * [1, 10, 0.1, 1] + y[:, None]
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, y


@pytest.mark.parametrize("labels", [(0, 1), (False, True), (0.5, 1.5), ("well", "sick"), ("日本", 'a"b\n')])
@pytest.mark.parametrize("numpy_label", [False, True])
def test_json_keeps_labels_and_names_of_every_kind(labels, numpy_label):
    """Numbers, booleans, text in any script; given as Python's or as numpy's scalars."""
    X, y = sample()
    held = np.array(labels)[y]
    negative, positive = (np.array(labels)[k] if numpy_label else labels[k] for k in (0, 1))
    summary = rp.summarize(
        dict(zip(["a", "", 'q"t', "é\n"], X.T, strict=True)), held, negative=negative, positive=positive
    )
    back = rp.TwoClassSummary.from_json(summary.to_json())
    assert back == summary
    assert (back.negative_label, back.positive_label) == labels
    assert back.feature_names == ("a", "", 'q"t', "é\n")


@orders
def test_json_keeps_nan_and_infinities_and_fractional_counts(order):
    """Empty, infinite and half infinite features; weights that are no whole numbers, and weights that are."""
    X, y = sample()
    X[:, 0], X[3, 1], X[2, 1], X[4, 2] = np.nan, np.inf, -np.inf, -np.inf
    for weights in (None, np.full(80, 2.0), np.linspace(0, 1, 80)):
        summary = rp.summarize(X, y, moments=order, weights=weights)
        back = rp.TwoClassSummary.from_json(summary.to_json())
        assert back == summary
        assert back.negative.count.dtype == summary.negative.count.dtype
        assert back.negative.mean[2] == -np.inf
        assert back + summary == summary + summary


@engines
@orders
def test_an_infinity_stays_in_its_feature(engine, order):
    """Mean and extremes as IEEE has them, the sums of squares NaN; the neighbours are as without it."""
    X, y = sample(1)
    clean = rp.summarize(X, y, moments=order, engine=engine)
    X[1, 0], X[3, 2], X[5, 2] = np.inf, np.inf, -np.inf
    summary = rp.summarize(X[:40], y[:40], moments=order, engine=engine) + rp.summarize(
        X[40:], y[40:], moments=order, engine=engine
    )
    assert summary.positive.mean[0] == np.inf
    assert np.isnan(summary.positive.mean[2])
    assert np.isnan(summary.positive.std[[0, 2]]).all()
    assert_agree(summary.select([1, 3]), clean.select([1, 3]), X[:, [1, 3]], y)
    if order == 4:
        assert (summary.positive.minimum[2], summary.positive.maximum[2]) == (-np.inf, np.inf)


@engines
def test_an_offset_takes_no_digits(engine):
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
    """Mean, SD (ddof=1), skewness and excess kurtosis, extremes, with values missing; to 1e-12."""
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


def test_without_spread_there_is_no_shape():
    """Of a constant class SD is 0, skewness and kurtosis NaN; of one case the SD is NaN too."""
    summary = rp.summarize([[7.0], [7.0], [1.0]], [0, 0, 1], moments=4)
    assert summary.negative.std[0] == 0
    assert np.isnan([summary.negative.skewness[0], summary.negative.kurtosis[0], summary.positive.std[0]]).all()


def test_two_moments_and_four_give_two():
    """Either way round, and the two are, to the last digit or so, as if four had never been asked for."""
    X, y = sample(4)
    two, four = (rp.summarize(X, y, moments=order) for order in (2, 4))
    for mixed in (two + four, four + two):
        assert mixed.order == 2
        assert mixed.negative.m3 is mixed.positive.maximum is None
        np.testing.assert_allclose(mixed.negative.m2, (two + two).negative.m2, rtol=1e-14)
    with pytest.raises(RocPredictError, match="this summary has two moments; ask for moments=4"):
        _ = (two + four).positive.kurtosis


def test_sums_begin_with_nothing_and_adding_changes_nothing():
    """sum() of one is that one, the summands stay as they were, and what is no summary is no summand."""
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


def test_a_part_of_missing_values_adds_to_what_is_missing_only():
    X, y = sample(6)
    summary = rp.summarize(X, y, moments=4)
    gone = rp.summarize(np.full_like(X, np.nan), y, moments=4)
    both = summary + gone
    for name in ("count", "mean", "m2", "m3", "m4", "minimum", "maximum"):
        np.testing.assert_array_equal(getattr(both.negative, name), getattr(summary.negative, name))
    np.testing.assert_array_equal(both.negative.n_missing, summary.negative.n_missing + 40)


def test_it_says_in_one_line_what_it_is():
    X, y = sample(7)
    X = X[:, :2]
    X[0, 1] = np.nan
    whole = rp.summarize(np.nan_to_num(X), np.where(y == 1, "sick", "well"), positive="sick", moments=4)
    assert repr(whole) == "TwoClassSummary(2 features, negative 'well' 40, positive 'sick' 40, order=4)"
    assert repr(whole.negative) == "ClassSummary(2 features, 40, order=4)"
    low, high = sorted((~np.isnan(X[y == 0])).sum(axis=0).tolist())
    assert f"negative 0 {low} to {high}," in repr(rp.summarize(X, y))
    assert len(whole) == len(whole.negative) == 2


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ({"names": ["a", "c"]}, "summaries with feature_names ('a', 'b') and ('a', 'c') do not add up"),
        ({"names": ["b", "a"]}, "summaries with feature_names ('a', 'b') and ('b', 'a') do not add up"),
        (
            {"y": ["x", "w"], "positive": "w", "negative": "x"},
            "summaries with negative_label 'n' and 'x' do not add up",
        ),
        (
            {"y": ["n", "w"], "positive": "w", "negative": "n"},
            "summaries with positive_label 'p' and 'w' do not add up",
        ),
        (
            {"y": ["n", "p"], "positive": "n", "negative": "p"},
            "summaries with negative_label 'n' and 'p' do not add up",
        ),
    ],
)
def test_summaries_of_other_things_are_refused_in_plain_words(other, words):
    """Other features, another order of them, other labels, classes exchanged: no numpy in the words."""
    X, _ = sample(8)

    def made(names=("a", "b"), y=("n", "p"), positive="p", negative="n"):
        columns = dict(zip(names, X.T[:2], strict=True))
        return rp.summarize(columns, list(y) * 40, positive=positive, negative=negative)

    with pytest.raises(RocPredictError) as error:
        _ = made() + made(**other)
    assert str(error.value) == words


def test_class_summaries_of_other_lengths_are_refused():
    X, y = sample(9)
    summary = rp.summarize(X, y)
    with pytest.raises(RocPredictError, match="summaries of 4 and of 2 features do not add up"):
        _ = summary.negative + summary.select([0, 1]).negative


@engines
@orders
def test_whole_weights_are_repeated_rows_and_none_is_no_row(engine, order):
    """Counts and missing values and extremes exactly, moments to 1e-12; parts with weights add up."""
    X, y = sample(10)
    weights = np.random.default_rng(10).integers(0, 4, 80)
    options = {"moments": order, "engine": engine}
    weighed = rp.summarize(X, y, weights=weights, **options)
    repeated = rp.summarize(np.repeat(X, weights, axis=0), np.repeat(y, weights), **options)
    parts = sum(
        rp.summarize(X[k : k + 20], y[k : k + 20], weights=weights[k : k + 20], **options) for k in range(0, 80, 20)
    )
    for found in (weighed, parts):
        for mine, theirs in ((found.negative, repeated.negative), (found.positive, repeated.positive)):
            np.testing.assert_array_equal(mine.count, theirs.count)
            for name in ("mean", "m2", "m3", "m4"):
                if getattr(theirs, name) is not None:
                    np.testing.assert_allclose(getattr(mine, name), getattr(theirs, name), rtol=1e-11, atol=1e-12)
            if order == 4:
                np.testing.assert_array_equal(mine.minimum, theirs.minimum)
                np.testing.assert_array_equal(mine.maximum, theirs.maximum)


def test_batches_are_one_table():
    """A generator of (X, y), a part of which lacks a class; a third label is dropped or joins the rest."""
    X, y = sample(11)
    y = np.where(np.arange(80) % 10 == 9, 2, np.sort(y))
    for negative in (0, None):
        whole = rp.summarize(X, y, positive=1, negative=negative, moments=4)
        batches = ((X[k : k + 20], y[k : k + 20]) for k in range(0, 80, 20))
        found = rp.summarize(batches, positive=1, negative=negative, moments=4)
        assert (found.negative_label, found.positive_label) == (whole.negative_label, whole.positive_label)
        merged = y if negative == 0 else np.where(y == 2, 0, y)
        assert_agree(found, whole, X, merged)


@pytest.mark.parametrize("labels", [(0, 1), (False, True), (0.0, 1.0), (-1, 1)])
def test_one_batch_is_the_table(labels):
    """Labels that speak for themselves do so in batches too: the summary equals that of X, y, labels and all."""
    X, y = sample(12)
    held = np.array(labels)[y]
    whole = rp.summarize(X, held)
    assert rp.summarize([(X, held)]) == whole


@pytest.mark.parametrize(
    ("batches", "options", "words"),
    [
        ([], {}, "X has no batches; give an iterable of (X, y)"),
        ([([[1.0], [2.0]], ["a", "b"])], {}, "positive= is needed with batches"),
        ([([[1.0], [2.0]], [0, 7])], {}, "positive= is needed with batches"),
        ([([[1.0], [2.0]], ["a", "b"])], {"positive": "c"}, "no batch has a row of the positive class, 'c'"),
        ([([[1.0], [2.0]], [1, 1])], {}, "no batch has a row of the negative class"),
        ([([[1.0], [2.0]], [0, 1])], {"positive": [0, 1]}, "positive=[0, 1] is not a label"),
        ([([[1.0], [2.0]], [0, 1]), ([[1.0, 2.0]], [1])], {}, "('x0',) and ('x0', 'x1') do not add up"),
        ([([[1.0], [2.0]], [0, 1])], {"weights": [1, 1]}, "weights= go with one table; batches take none"),
        ([[1, 2, 3]], {}, "a batch=[1, 2, 3] is not a pair; give (X, y)"),
        (np.eye(3), {}, "y is needed with X=array("),
        (5, {}, "y is needed with X=5; without it X is an iterable of (X, y) batches"),
    ],
)
def test_batches_that_are_none(batches, options, words):
    with pytest.raises(RocPredictError) as error:
        rp.summarize(batches, **options)
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"positive": 5, "negative": 6}, "y has no row of positive=5 or negative=6; one of them is needed"),
        ({"positive": 1, "negative": 1}, "negative=1 is also the positive label; name two different ones"),
        ({"positive": 5}, "positive=5 is not a label in y; labels are [0, 1]"),
        ({"positive": [1], "negative": 0}, "positive=[1] is not a label in y; labels are [0, 1]"),
        ({"positive": 1, "negative": {0}}, "negative={0} is not a label in y; labels are [0, 1]"),
        ({"positive": float("nan"), "negative": 0}, "positive=nan is not a label"),
        ({"moments": 3}, "moments=3 is not allowed; choose one of 2, 4"),
        ({"engine": "cuda"}, "engine='cuda' is not allowed; choose one of 'auto', 'numpy', 'numba'"),
        ({"n_jobs": 0}, "n_jobs=0 is not 1 or more, nor -1 for one on each processor"),
        ({"weights": [1.0]}, "weights has shape (1,); give one for each of the 80 rows"),
    ],
)
def test_options_that_do_not_fit(options, words):
    X, y = sample(13)
    with pytest.raises(RocPredictError) as error:
        rp.summarize(X, y, **options)
    assert words in str(error.value)


def test_from_summary_predicts_what_predict_roc_predicts():
    """AUC, its interval, threshold and Ameans, feature by feature, in each direction; to 1e-12."""
    X, y = sample(14)
    summary = rp.summarize(X[:30], y[:30]) + rp.summarize(X[30:], y[30:])
    for direction in (None, "higher", "lower", "auto"):
        batch = rp.PredictedRoc.from_summary(summary, direction=direction)
        best, interval = batch.best_threshold(), batch.auc_interval()
        for j, x in enumerate(X.T):
            with (
                suppress_normality_warning()
            ):  # two of the features are skewed; here the Gaussians themselves are compared
                roc = rp.predict_roc(x, y, nan_policy="omit", direction=direction)
            single = roc.best_threshold()
            expected = [roc.auc(), *roc.auc_interval(), single.threshold, single.ameans, single.tpr, single.fpr]
            found = [batch.auc()[j], interval.low[j], interval.high[j]]
            found += [getattr(best, name)[j] for name in ("threshold", "ameans", "tpr", "fpr")]
            np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize(
    ("columns", "words"), [([1], "feature 'x1' lacks two finite values in each class; "), ([1, 3], "feature 'x1'")]
)
def test_from_summary_names_what_cannot_be_predicted(columns, words):
    """The feature in plain words; of others only where there are others."""
    X, y = sample(15)
    X[:, columns] = np.nan
    with pytest.raises(RocPredictError) as error:
        rp.PredictedRoc.from_summary(rp.summarize(X, y))
    assert str(error.value).startswith(words)
    assert ("as does 1 more" in str(error.value) or "as do 1 more" in str(error.value)) == (len(columns) == 2)


@pytest.mark.parametrize(
    ("chosen", "names"),
    [
        ([2, 0], ("x2", "x0")),
        (slice(1, None), ("x1", "x2", "x3")),
        (np.array([True, False, False, True]), ("x0", "x3")),
        (np.array([3]), ("x3",)),
        (2, ("x2",)),
        (-1, ("x3",)),
        ([], ()),
    ],
)
def test_some_of_the_features(chosen, names):
    """By index, slice or mask, one index too: always a summary of the features that were asked for."""
    X, y = sample(16)
    summary = rp.summarize(X, y, moments=4)
    part = summary.select(chosen)
    assert part.feature_names == names
    assert len(part) == len(part.negative) == len(names)
    columns = [int(name[1]) for name in names]
    np.testing.assert_array_equal(part.positive.m4, summary.positive.m4[columns])
    assert rp.screen(part, empirical=False).in_input_order()["feature"].tolist() == list(names)


def _changed(**parts):
    X, y = sample(17)
    held = json.loads(rp.summarize(X, y).to_json())
    for name, part in parts.items():
        if name in held:
            held[name] = part
        else:
            held["negative"][name] = part
    return json.dumps(held)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "3",
        "[]",
        "{}",
        None,
        _changed(negative=3),
        _changed(negative=[]),
        _changed(negative=None),
        _changed(feature_names=None),
        _changed(feature_names="abcd"),
        _changed(feature_names=["a"]),
        _changed(feature_names=["a", "a", "b", "b"]),
        _changed(mean=None),
        _changed(mean=["a", 0, 0, 0]),
        _changed(mean=[[1], [1], [1], [1]]),
        _changed(mean=[1.0]),
        _changed(count=[None, 1, 1, 1]),
        _changed(count=[-3, 1, 1, 1]),
        _changed(m3=[0, 0, 0, 0]),
        _changed(m5=[0, 0, 0, 0]),
        _changed(m2=[-1, 0, 0, 0]),
    ],
)
def test_json_of_something_else_is_refused(text):
    """Always a RocPredictError, however the text is wrong: cut, of another shape, with parts that cannot be."""
    with pytest.raises(RocPredictError):
        rp.TwoClassSummary.from_json(text)


def test_a_label_called_rest_is_not_the_rest():
    """The class "rest" against all that is not positive: different classes, so they do not add up unseen."""
    X, _ = sample(18)
    labels = np.array(["a", "rest", "b", "c"])[np.arange(80) % 4]
    named = rp.summarize(X, labels, positive="a", negative="rest")
    others = rp.summarize(X, labels, positive="a")
    assert named.negative.count.sum() < others.negative.count.sum()
    with pytest.raises(RocPredictError, match="do not add up"):
        _ = named + others
