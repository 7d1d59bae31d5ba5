"""Properties of every sample: weights, symmetries, levels, and tests that agree with intervals (derandomised).

Values are small integers, so that ties are everywhere; the examples are chosen by hypothesis with a fixed seed.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rocpredict as rp
from tests.cases import check_each, refuses
from tests.samples import clusters_of_two

drawn = settings(derandomize=True, deadline=None, max_examples=25)
few = settings(derandomize=True, deadline=None, max_examples=12)
AUC_METHODS = ("smoothed-logit", "newcombe", "delong", "logit", "hanley-mcneil", "bootstrap", "bca")
COUNTED_METHODS = AUC_METHODS[:5]  # that draw nothing
SYMMETRIC_METHODS = ("smoothed-logit", "newcombe", "delong", "logit")  # Hanley-McNeil's law has a better class
LEVELS = st.floats(0.5, 0.999)
values = st.lists(st.integers(-4, 4).map(float), min_size=1, max_size=10)
samples = st.tuples(values, values)


@st.composite
def tables(draw, curves=2, smallest=2):
    """Return K features and labels of the same rows, both classes with some rows."""
    sizes = [draw(st.integers(smallest, max(9, 2 * smallest))) for _ in range(2)]
    y = draw(st.permutations([0] * sizes[0] + [1] * sizes[1]))
    row = st.lists(st.integers(-3, 3).map(float), min_size=sum(sizes), max_size=sum(sizes))
    return [np.array(draw(row)) for _ in range(curves)], np.array(y)


@st.composite
def counted_tables(draw, curves=2, smallest=2):
    """Return a table with integer weights, at least one observation in each class, and the repeated rows."""
    xs, y = draw(tables(curves, smallest))
    weights = np.array(draw(st.lists(st.integers(0, 3), min_size=len(y), max_size=len(y))))
    for label in (0, 1):
        first = np.flatnonzero(y == label)[0]
        weights[first] = max(weights[first], 1)
    return xs, y, weights, [np.repeat(x, weights) for x in xs], np.repeat(y, weights)


def paired_clusters(y, weights=None):
    """Merge two rows of a class into one cluster; return options without clusters if a class has fewer than four."""
    clusters = clusters_of_two(y)
    kept = np.ones(len(y), dtype=bool) if weights is None else weights > 0
    fewest = min(len(np.unique(clusters[kept & (y == label)])) for label in (0, 1))
    return {"clusters": clusters} if fewest >= 4 else {}


empirical = rp.EmpiricalRoc


def limits(interval):
    return interval.low, interval.high, interval.estimate


@few
@given(counted_tables(1))
def test_whole_weights_are_repeated_rows_in_a_curve(table):
    """Areas, curves, best thresholds and every interval, those of one seed included: equal, not nearly."""
    (x,), y, weights, (repeated,), labels = table
    roc, long = rp.empirical_roc(x, y, weights=weights), rp.empirical_roc(repeated, labels)
    assert roc.auc() == long.auc()
    for part in ("thresholds", "fpr", "tpr"):
        assert (getattr(roc.curve(), part) == getattr(long.curve(), part)).all()
    best, other = roc.best_threshold(), long.best_threshold()
    assert (best.threshold, best.ameans, best.plateau) == (other.threshold, other.ameans, other.plateau)
    options = {"n_resamples": 40, "rng": 3}
    for method in AUC_METHODS:
        result, expected = (r.auc_interval(method=method, **options) for r in (roc, long))
        assert limits(result) == pytest.approx(limits(expected), abs=1e-12), method
        assert [*result.flags] == [*expected.flags], method
    for method in ("delong", "smoothed-logit", "hanley-mcneil", "bootstrap"):
        errors = [r.auc_std_error(method=method, **options) for r in (roc, long)]
        assert errors[0] == pytest.approx(errors[1], abs=1e-12), method
    for call in (
        lambda r: r.partial_auc_interval(fpr=(0.1, 0.45)),
        lambda r: r.partial_auc_interval(tpr=(0.4, 1), method="bootstrap", **options),
        lambda r: r.tpr_at_fpr_interval(0.3, **options),
        lambda r: r.tpr_at_fpr_interval(0.3, method="hilgers"),
        lambda r: r.fpr_at_tpr_interval(0.6, **options),
        lambda r: r.rate_interval("ameans", 0.5),
        lambda r: r.best_threshold().threshold_interval(**options),
        lambda r: r.best_threshold().ameans_interval(**options),
    ):
        assert limits(call(roc)) == pytest.approx(limits(call(long)), abs=1e-12)
    assert best.ameans_corrected == pytest.approx(other.ameans_corrected, abs=1e-12)
    assert best.stability(**options).to_dict() == other.stability(**options).to_dict()


@few
@given(counted_tables(2, smallest=8))
def test_whole_weights_are_repeated_rows_in_a_test(table):
    xs, y, weights, repeated, labels = table
    drawing = {"n_resamples": 30, "rng": 2}
    options = [{"method": method, **drawing} for method in ("delong", "bootstrap", "venkatraman")]
    options += [{"fpr": (0.1, 0.4)}, {"tpr_at_fpr": 0.3, **drawing}, {"alternative": "equivalent", "margin": 0.2}]
    for case in options:
        result, expected = rp.auc_test(*xs, y, weights=weights, **case), rp.auc_test(*repeated, labels, **case)
        assert result.p_value == pytest.approx(expected.p_value, abs=1e-12), case
        assert limits(result.interval) == pytest.approx(limits(expected.interval), abs=1e-12), case
        assert (result.n, [*result.flags]) == (expected.n, [*expected.flags]), case
    for method in ("smoothed-logit", "delong", "mann-whitney", "exact"):
        result = rp.auc_test(xs[0], None, y, weights=weights, method=method)
        expected = rp.auc_test(repeated[0], None, labels, method=method)
        assert result.p_value == pytest.approx(expected.p_value, abs=1e-12), method
        assert result.n == expected.n
    options = paired_clusters(y, weights)
    result = rp.auc_test(*xs, y, weights=weights, **options)
    expected = rp.auc_test(*repeated, labels, **{name: np.repeat(codes, weights) for name, codes in options.items()})
    assert (result.p_value, *result.interval) == pytest.approx((expected.p_value, *expected.interval), abs=1e-12)


@few
@given(counted_tables(1, smallest=8), st.floats(0.1, 5))
def test_rows_without_weight_are_no_rows(table, scale):
    """Also where weights are not whole: a row of weight 0 may be left out, clusters and all."""
    (x,), y, weights, _, _ = table
    weights = weights * scale + (weights > 0)
    kept = weights > 0
    clustered = paired_clusters(y, weights)
    for options, fewer in (({}, {}), (clustered, {name: codes[kept] for name, codes in clustered.items()})):
        result = rp.auc_test(x, None, y, weights=weights, **options)
        expected = rp.auc_test(x[kept], None, y[kept], weights=weights[kept], **fewer)
        assert (result.p_value, *result.interval) == pytest.approx((expected.p_value, *expected.interval), rel=1e-9)


@drawn
@given(samples, LEVELS)
def test_intervals_lie_inside_and_turn_with_the_curve(pair, level):
    """Inside [0, 1], with a width; including the estimate, except for a shrunk centre at 0 and 1 and drawn quantiles.

    The other direction takes the complement. P(P > N) = P(-N > -P) has the same interval, with the classes' roles
    exchanged in every formula.
    """
    roc, down = (empirical(*pair, direction=direction) for direction in ("higher", "lower"))
    swapped = empirical(-np.array(pair[1]), -np.array(pair[0]))
    for method in AUC_METHODS:
        result = roc.auc_interval(level, method=method, n_resamples=30)
        assert 0 <= result.low < result.high <= 1, method
        assert result.width > 1e-4, method
        assert result.estimate == pytest.approx(roc.auc(), abs=1e-15)
        assert result.level == level
        drawn_or_shrunk = result.method in {"bootstrap", "bca"} or roc.auc() in {0, 1}
        assert drawn_or_shrunk or result.estimate in result or result.method == "smoothed-logit", method
        if method in COUNTED_METHODS:
            other = swapped.auc_interval(level, method=method)
            assert result.estimate == pytest.approx(other.estimate, abs=1e-12)
        if method in SYMMETRIC_METHODS:
            assert limits(result) == pytest.approx(limits(other), abs=1e-9), method
            turned = 1 - result.high, 1 - result.low, 1 - result.estimate
            assert limits(down.auc_interval(level, method=method)) == pytest.approx(turned, abs=1e-9), method
    assert roc.auc_std_error() == pytest.approx(down.auc_std_error(), abs=1e-12)
    one = roc.partial_auc_interval(level, fpr=(0.12, 0.57))
    other = swapped.partial_auc_interval(level, tpr=(0.43, 0.88))
    assert limits(one) == pytest.approx(limits(other), abs=1e-9)


@drawn
@given(samples, st.tuples(LEVELS, LEVELS).filter(lambda pair: pair[0] < pair[1] - 1e-6))
def test_intervals_widen_with_the_level(pair, levels):
    roc = empirical(*pair)
    calls = [lambda level, m=m: roc.auc_interval(level, method=m, n_resamples=30) for m in AUC_METHODS]
    calls += [
        lambda level: roc.partial_auc_interval(level, fpr=(0.2, 0.7)),
        lambda level: roc.tpr_at_fpr_interval(0.4, level, method="hilgers"),
        lambda level: roc.rate_interval("tpr", 0.5, level),
        lambda level: roc.rate_interval("ameans", 0.5, level),
        lambda level: roc.best_threshold().threshold_interval(level, n_resamples=30),
        lambda level: roc.best_threshold().ameans_interval(level, n_resamples=30),
    ]
    for call in calls:
        narrow, wide = (call(level) for level in levels)
        assert wide.low <= narrow.low + 1e-12
        assert wide.high >= narrow.high - 1e-12


@drawn
@given(samples, st.sampled_from([0.5, 2.0, 1024.0]), st.integers(-100, 100))
def test_rising_maps_change_no_interval(pair, scale, offset):
    """An affine map to the last bit, resampled intervals too; thresholds go along. Also x^3."""
    roc = empirical(*pair)
    mapped = empirical(*(np.array(x) * scale + offset for x in pair))
    cubed = empirical(*(np.array(x) ** 3 for x in pair))
    for method in AUC_METHODS:
        expected = limits(roc.auc_interval(method=method, n_resamples=25))
        for other in (mapped, cubed):
            assert limits(other.auc_interval(method=method, n_resamples=25)) == expected
    low, high = roc.best_threshold().threshold_interval(n_resamples=25)
    moved = mapped.best_threshold().threshold_interval(n_resamples=25)
    assert tuple(moved) == pytest.approx((low * scale + offset, high * scale + offset), rel=1e-12)


@drawn
@given(
    st.tuples(st.floats(-3, 3), st.floats(0.2, 3), st.floats(-3, 3), st.floats(0.2, 3)),
    st.tuples(st.integers(2, 50), st.integers(2, 50)),
    LEVELS,
)
def test_predicted_intervals_have_the_same_symmetries(moments, count, level):
    """Inside [0, 1] with the estimate; turned, swapped and scaled as the curve is."""
    m0, s0, m1, s1 = moments
    roc = rp.PredictedRoc.from_stats(mean=(m0, m1), std=(s0, s1), count=count)
    turned = rp.PredictedRoc.from_stats(mean=(m0, m1), std=(s0, s1), count=count, direction="lower")
    swapped = rp.PredictedRoc.from_stats(mean=(-m1, -m0), std=(s1, s0), count=count[::-1])
    scaled = rp.PredictedRoc.from_stats(mean=(4 * m0 + 1, 4 * m1 + 1), std=(4 * s0, 4 * s1), count=count)
    for method in ("delta", "reiser-guttman"):
        result = roc.auc_interval(level, method=method)
        assert 0 <= result.low < result.high <= 1
        assert result.estimate in result
        other = turned.auc_interval(level, method=method)
        assert limits(other) == pytest.approx((1 - result.high, 1 - result.low, 1 - result.estimate), abs=1e-9)
        for same in (swapped, scaled):
            assert limits(same.auc_interval(level, method=method)) == pytest.approx(limits(result), abs=1e-9)
    low, high = roc.best_threshold().threshold_interval(level)
    moved = scaled.best_threshold().threshold_interval(level)
    assert tuple(moved) == pytest.approx((4 * low + 1, 4 * high + 1), rel=1e-6, abs=1e-6)


@few
@given(tables(2))
def test_exchanging_the_curves_turns_the_sign(table):
    """p stays, the difference and the interval turn, "greater" becomes "less"; every method, partial areas too."""
    (a, b), y = table
    options = [{"method": m, "n_resamples": 30} for m in ("delong", "bootstrap")]
    for case in [*options, {"fpr": (0.1, 0.6)}, {"tpr_at_fpr": 0.4, "n_resamples": 30}]:
        one, other = rp.auc_test(a, b, y, **case), rp.auc_test(b, a, y, **case)
        assert one.p_value == pytest.approx(other.p_value, abs=1e-10), case
        assert one.difference == pytest.approx(-other.difference, abs=1e-12)
        assert tuple(one.interval) == pytest.approx((-other.interval.high, -other.interval.low), abs=1e-9), case
        greater = rp.auc_test(a, b, y, alternative="greater", **case)
        less = rp.auc_test(b, a, y, alternative="less", **case)
        assert greater.p_value == pytest.approx(less.p_value, abs=1e-10), case
    venkatraman = [rp.auc_test(*pair, y, method="venkatraman", n_resamples=40) for pair in ((a, b), (b, a))]
    assert venkatraman[0].statistic == pytest.approx(venkatraman[1].statistic, abs=1e-9)


@drawn
@given(tables(2))
def test_p_values_are_probabilities(table):
    """Inside (0, 1]; the two one-sided ones of a normal law sum to 1, and the smaller one has the difference's side."""
    (a, b), y = table
    for x2, methods in ((b, ("delong", "bootstrap")), (None, ("smoothed-logit", "delong", "mann-whitney"))):
        for method in methods:
            two, up, down = (
                rp.auc_test(a, x2, y, alternative=alternative, method=method, n_resamples=25)
                for alternative in ("two-sided", "greater", "less")
            )
            assert all(0 < result.p_value <= 1 for result in (two, up, down)), method
            special = {"same_curve", "point_mass", "fallback"} & {*two.flags}
            if special or np.isinf(two.statistic) or two.statistic == 0:
                continue
            assert up.p_value + down.p_value == pytest.approx(1, abs=1e-12), method
            assert two.p_value == pytest.approx(2 * min(up.p_value, down.p_value), abs=1e-12), method
            if abs(two.difference) > 1e-9 and "single_observation" not in two.flags:
                assert (up.p_value < down.p_value) == (two.difference > 0), method


@drawn
@given(tables(2, smallest=8))
def test_rows_in_any_order(table):
    (a, b), y = table
    order = np.random.default_rng(len(y)).permutation(len(y))
    clusters, named = paired_clusters(y)["clusters"], np.where(y == 1, "sick", "well")
    for options, other in (
        ({}, {}),
        ({"clusters": clusters}, {"clusters": 100 - clusters[order]}),
        ({"weights": clusters + 0.5}, {"weights": clusters[order] + 0.5}),
    ):
        one = rp.auc_test(a, b, y, **options)
        two = rp.auc_test(a[order], b[order], named[order], positive="sick", **other)
        assert (one.p_value, *one.interval) == pytest.approx((two.p_value, *two.interval), abs=1e-9)


@drawn
@given(tables(2))
def test_directions_of_each_curve(table):
    """A pair of directions is the negation of one feature; both lower turn the sign of the difference."""
    (a, b), y = table
    for directions, other in ((("higher", "lower"), (a, -b)), (("lower", "higher"), (-a, b)), ("lower", (-a, -b))):
        one = rp.auc_test(a, b, y, direction=directions)
        two = rp.auc_test(*other, y)
        assert (one.p_value, *limits(one.interval)) == (two.p_value, *limits(two.interval))
    lower, higher = rp.auc_test(a, b, y, direction="lower"), rp.auc_test(a, b, y)
    assert lower.difference == pytest.approx(-higher.difference, abs=1e-12)
    assert lower.p_value == pytest.approx(higher.p_value, abs=1e-9)
    unpaired = rp.auc_test((a, y), (b, y), direction=("higher", "lower"))
    assert unpaired.p_value == rp.auc_test((a, y), (-b, y)).p_value


@drawn
@given(tables(3))
def test_many_curves_in_any_order(table):
    """The omnibus p is invariant to the order of curves, and to a repeated curve except for its degree of freedom."""
    xs, y = table
    one, two = rp.auc_test_many(xs, y), rp.auc_test_many(xs[::-1], y)
    assert 0 < one.p_value <= 1
    assert one.df == two.df
    assert one.p_value == pytest.approx(two.p_value, abs=1e-7)
    again = rp.auc_test_many([*xs, xs[0]], y)
    assert (again.df, again.p_value) == (one.df, pytest.approx(one.p_value, abs=1e-7))
    assert all(a >= t.p_value - 1e-15 for a, t in zip(one.adjusted_p_values, one.contrasts, strict=True))


Y = np.repeat([0, 1], 12)
X = np.random.default_rng(0).normal(size=24) + Y
ROC, PREDICTED = rp.empirical_roc(X, Y), rp.predict_roc(X, Y)
BOOTSTRAP = {"method": "bootstrap", "n_resamples": 99}
SEEDED = {
    "bootstrap": lambda rng: ROC.auc_interval(**BOOTSTRAP, rng=rng),
    "bca": lambda rng: ROC.auc_interval(method="bca", n_resamples=99, rng=rng),
    "band": lambda rng: ROC.partial_auc_interval(fpr=(0, 0.4), **BOOTSTRAP, rng=rng),
    "TPR": lambda rng: ROC.tpr_at_fpr_interval(0.31, n_resamples=99, rng=rng),
    "refit": lambda rng: PREDICTED.auc_interval(**BOOTSTRAP, rng=rng),
    "threshold": lambda rng: PREDICTED.best_threshold().threshold_interval(**BOOTSTRAP, rng=rng),
    "ameans": lambda rng: ROC.best_threshold().ameans_interval(n_resamples=99, rng=rng),
    "paired": lambda rng: rp.auc_test(X, X**2, Y, **BOOTSTRAP, rng=rng).interval,
    "unpaired": lambda rng: rp.auc_test((X, Y), (X**2, Y), **BOOTSTRAP, rng=rng).interval,
}


def test_seeds():
    """The same seed gives the same, another one something else, a generator what its seed gives, and then goes on."""

    def check(call):
        first, again, other = (tuple(call(seed)) for seed in (5, 5, 6))
        assert first == again
        assert first != other
        generator = np.random.default_rng(5)
        assert tuple(call(generator)) == first
        assert tuple(call(generator)) != first
        assert tuple(call(np.int64(5))) == first

    check_each(SEEDED, check)
    options = {"method": "venkatraman", "rng": 1}
    paired = [rp.auc_test(X, -X, Y, n_resamples=500, **options).p_value for _ in range(2)]
    assert paired[0] == paired[1] >= 1 / 501
    unpaired = [rp.auc_test((X, Y), (-X, Y), n_resamples=99, **options).p_value for _ in range(2)]
    assert unpaired[0] == unpaired[1] >= 1 / 100


def test_default_seed_does_not_touch_the_global_one():
    """Neither read nor moved: an answer depends on its arguments alone."""
    state = np.random.get_state()  # noqa: NPY002
    first = ROC.auc_interval(method="bootstrap", n_resamples=50)
    np.random.seed(3)  # noqa: NPY002
    assert tuple(ROC.auc_interval(method="bootstrap", n_resamples=50)) == tuple(first)
    np.random.set_state(state)  # noqa: NPY002


def test_whole_weights_are_repeated_rows_for_the_other_tests():
    rng = np.random.default_rng(8)
    y, weights = rng.permutation(np.repeat([0, 1, 2], 12)), rng.integers(0, 4, 36)
    x, times = rng.normal(size=36) + y, np.repeat(np.arange(36), weights)
    two = y < 2
    first, second = (x[two], y[two]), (np.sin(x[two]), y[two])
    written = [tuple(np.repeat(column, weights[two]) for column in sample) for sample in (first, second)]
    result, expected = rp.auc_test(first, second, weights=(weights[two], weights[two])), rp.auc_test(*written)
    assert (result.p_value, *result.interval, result.n) == (expected.p_value, *expected.interval, expected.n)
    calls, truth = [(x > t).astype(int) for t in (0.5, 1)], (y > 0).astype(int)
    weighted = rp.mcnemar_test(*calls, truth, weights=weights)
    assert weighted.to_dict() == rp.mcnemar_test(calls[0][times], calls[1][times], truth[times]).to_dict()
    multiclass = rp.multiclass_auc(x, y, weights=weights).interval
    assert tuple(multiclass) == tuple(rp.multiclass_auc(x[times], y[times]).interval)
    refuses(r"weights.*are not frequency weights", rp.multiclass_auc, x, y, weights=weights + 0.5)
    with pytest.raises(rp.RocPredictError, match=r"bootstrap.*does not accept clusters"):
        rp.auc_test(first, second, method="bootstrap", clusters=(np.arange(24) // 2, None))
    clustered = rp.auc_test(first, second, clusters=(np.arange(24) // 2, None))
    assert 0 < clustered.p_value <= 1
    assert "clustered" in clustered.method
