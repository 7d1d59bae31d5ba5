"""Errors of other packages in intervals and tests, numbered as in tests/test_traps.py.

Random tests state the probability that a right result fails; their seeds are fixed.
"""

import json
from itertools import product

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtri

import rocpredict as rp
from rocpredict.inference.bootstrap import BootstrapOptions
from tests.cases import check_refused, for_each, refuses

AUC_METHODS = ("smoothed-logit", "newcombe", "delong", "logit", "hanley-mcneil", "bootstrap", "bca")
PAIRED_METHODS = ("delong", "bootstrap", "venkatraman")
ONE_METHODS = ("smoothed-logit", "delong", "mann-whitney", "exact")
Y = np.repeat([0, 1], [30, 25])


def scores(seed=1, shift=0.8, sizes=(30, 25)):
    rng = np.random.default_rng(seed)
    return rng.normal(size=sum(sizes)) + np.repeat([0, shift], sizes)


def test_t01_direction_is_never_decided_inside_a_resample():
    """Guards against a bootstrap that turns every resample to AUC >= 1/2: null intervals must straddle 1/2 evenly.

    Over 200 null samples of 30 and 30 the mean of 200 resampled areas has a mean of 1/2 with an error of
    .075/sqrt(200) = .0053: .027 off is 5 of them (1 in 1,700,000); turned resamples would give .56 and more.
    """
    rng = np.random.default_rng(3)
    rocs = [rp.EmpiricalRoc(rng.normal(size=30), rng.normal(size=30)) for _ in range(200)]
    middles = [np.mean([*roc.auc_interval(method="bootstrap", n_resamples=200)]) for roc in rocs]
    assert np.mean(middles) == pytest.approx(0.5, abs=0.027)
    assert min(middles) < 0.45


def test_t01_auto_direction_is_stated_by_every_test():
    """Guards against a direction that the data chose and the result does not mention."""
    x = scores(shift=-0.8)
    for result in (
        rp.auc_test(x, None, Y, direction="auto"),
        rp.auc_test(x, x + 0.1 * np.sin(9 * x), Y, direction="auto"),
        rp.auc_test_many([x, x**3, x + np.sin(x)], Y, direction="auto"),
        rp.auc_test((x, Y), (x**3, Y), direction="auto"),
    ):
        assert "auto_direction" in result.flags
        assert {*result.direction} == {"lower"}
        assert min(result.estimates) > 0.5
    assert "auto_direction" not in rp.auc_test(x, None, Y, direction="lower").flags


def test_t02_a_null_feature_gets_a_signed_area_and_a_two_sided_p():
    """Guards against max(AUC, 1 - AUC): over 400 null features the areas average 1/2 and p is uniform.

    The mean's error is .078/sqrt(400) = .0039, .02 is 5 of them; p below .05 in 20 of 400, more than 45 or fewer
    than 4 in 1 of 100,000.
    """
    rng = np.random.default_rng(11)
    y = np.repeat([0, 1], 30)
    exact = [rp.auc_test(rng.normal(size=60), None, y, method="exact") for _ in range(12)]
    quick = [rp.auc_test(rng.normal(size=60), None, y) for _ in range(400)]
    areas = [test.estimates[0] for test in quick]
    assert np.mean(areas) == pytest.approx(0.5, abs=0.02)
    assert min(areas) < 0.45
    assert 4 <= sum(test.p_value < 0.05 for test in quick) <= 45
    assert {np.sign(test.difference) for test in exact} == {-1, 1}


def test_t04_interval_of_a_fixed_direction_is_of_its_own_estimand():
    """Guards against an AUC of 0.12 with the interval (0.81, 0.94) of the other side; partial areas and TPR too."""
    x = scores(shift=-1.7)
    for method in AUC_METHODS:
        for direction in (None, "higher"):
            roc = rp.empirical_roc(x, Y, direction=direction)
            result = roc.auc_interval(method=method, n_resamples=300)
            assert result.low < roc.auc() < result.high < 0.5, method
        lower = rp.empirical_roc(x, Y, direction="lower").auc_interval(method=method, n_resamples=300)
        assert lower.low > 0.5, method
    up, down = rp.empirical_roc(x, Y), rp.empirical_roc(-x, Y, direction="lower")
    for call in (
        lambda roc: roc.partial_auc_interval(fpr=(0, 0.3), method="delong"),
        lambda roc: roc.partial_auc_interval(fpr=(0, 0.3), method="bootstrap", n_resamples=300),
        lambda roc: roc.tpr_at_fpr_interval(0.3, method="hilgers"),
        lambda roc: roc.tpr_at_fpr_interval(0.3, method="bootstrap", n_resamples=300),
    ):
        assert call(up).estimate == pytest.approx(call(down).estimate, rel=1e-12)
        assert call(up).low == pytest.approx(call(down).low, abs=1e-12)
        assert call(up).high < 0.5


def test_t05_tests_across_directions_are_refused_or_declared():
    """Guards against z = 0 and p = 1 for a feature and its negation: refused under "auto", otherwise distinguished."""
    x = scores(shift=1.0)
    for method in PAIRED_METHODS:
        refuses(r"opposite.*direction=\('higher', 'lower'\)", rp.auc_test, x, -x, Y, method=method, direction="auto")
        plain = rp.auc_test(x, -x, Y, method=method, n_resamples=200)
        assert plain.p_value < 0.05, method
        assert "opposite_directions" in plain.flags
        assert "opposite_directions" not in rp.auc_test(x, 0 * x, Y, method=method, n_resamples=200).flags
        declared = rp.auc_test(x, -x, Y, method=method, direction=("higher", "lower"), n_resamples=200)
        assert (declared.p_value, declared.difference) == (1, 0)
        assert "same_curve" in declared.flags
        assert declared.direction == ("higher", "lower")


def test_t05_one_sided_sign_agrees_across_methods():
    """Guards against a one-sided p whose side depends on the method, log10 p, and a z that is always negative."""
    better, worse = scores(2, 1.4), scores(3, 0.2)
    pairs = [((better, worse, Y), ("delong", "bootstrap")), ((better, None, Y), ONE_METHODS)]
    for samples, method in [(samples, method) for samples, methods in pairs for method in methods]:
        options = {"method": method, "n_resamples": 300}
        greater, less = (rp.auc_test(*samples, alternative=side, **options) for side in ("greater", "less"))
        assert (greater.p_value < 0.05, less.p_value > 0.9) == (True, True), method
        assert greater.statistic > 0
    for method in ("delong", "bootstrap"):
        unpaired = rp.auc_test((better, Y), (worse, Y), method=method, alternative="greater", n_resamples=300)
        assert unpaired.p_value < 0.05, method
    for result in (rp.auc_test(better, worse, Y), rp.auc_test(better, None, Y), rp.auc_test((better, Y), (worse, Y))):
        assert min(result.statistic, result.difference) > 0
        assert json.loads(json.dumps(result.to_dict()))["p_value"] == result.p_value
        assert f"p_value={result.p_value:.6g}" in repr(result)


def test_t07_perfect_separation_interval():
    """Guards against 0/0 at an AUC of 1: an interval that shrinks with n, and the complement of a reversal's."""
    for method, n in product(AUC_METHODS, (1, 2, 3, 10, 100)):
        negative, positive, options = np.arange(n) + 0.0, np.arange(n) + 1000.0, {"method": method, "n_resamples": 50}
        result = rp.EmpiricalRoc(negative, positive).auc_interval(**options)
        assert 0 < result.low < 1 - 1e-4
        assert result.low < result.high <= 1
        assert rp.EmpiricalRoc(np.arange(4 * n), np.arange(4 * n) + 1e4).auc_interval(**options).low > result.low
        turned = rp.EmpiricalRoc(positive, negative).auc_interval(**options)
        assert tuple(turned) == pytest.approx((1 - result.high, 1 - result.low), abs=1e-9), (method, n)
    assert rp.EmpiricalRoc([1.0, 2, 3], [4.0, 5]).auc_std_error(method="smoothed-logit") > 0.05
    assert rp.EmpiricalRoc([1.0], [2.0]).auc_std_error(method="smoothed-logit") > 0.1
    for sizes in ((1, 1), (1, 9), (9, 1)):  # T9: one case of a class
        x, y = scores(4, 0.5, sizes), np.repeat([0, 1], sizes)
        assert 0 < rp.auc_test_many([x, -x, np.sin(9 * x)], y).p_value <= 1
        assert rp.empirical_roc(x, y).auc_interval().width > 0.5


def test_t10_a_class_is_never_lost_in_a_resample():
    """Guards against resamples of one class only, counted as 0, NaN or not at all: each class keeps its size."""
    x, y = np.array([1.0, 5.0, 2, 3, 4, 6, 7, 8, 9, 10]), np.repeat([0, 1], [2, 8])
    roc = rp.empirical_roc(x, y)
    result = roc.auc_interval(method="bootstrap", n_resamples=500)
    assert not np.isnan([result.low, result.high]).any()
    stability = roc.best_threshold().stability(n_resamples=500)
    assert stability.n_resamples == 500
    # one of two negatives is drawn twice in half of the resamples; else none is left out: 250 +- 5 sd of 11
    assert 195 < stability.n_failed < 305
    with pytest.raises(rp.RocPredictError):
        rp.auc_test(x, None, np.ones(10, dtype=int))


def test_t11_constant_feature_has_an_interval_with_a_width():
    """Guards against AUC 0.5, SE 0, interval (0.5, 0.5) for a constant feature, and against p of 0 or NaN."""
    for value in (0.0, 0.1, -7.5, 1e300, np.inf):
        x = np.full(55, value)
        results = [rp.empirical_roc(x, Y).auc_interval(method=method, n_resamples=50) for method in AUC_METHODS]
        assert all("point_mass" in result.flags for result in results)
        if np.isfinite(value):
            results.append(rp.predict_roc(x, Y).auc_interval())
        assert all(result.low < 0.45 and result.high > 0.55 for result in results), results
        assert {rp.auc_test(x, None, Y, method=method).p_value for method in ONE_METHODS} == {1}


def test_t12_infinite_scores_are_ranked_by_everything_that_ranks():
    """Guards against NaN out of an infinite score, and against NaN let in."""
    x = scores()
    infinite = np.where(x > 1, np.inf, np.where(x < -1, -np.inf, x))
    finite = np.clip(x, -1, 1)
    for method in AUC_METHODS:
        one, other = (rp.empirical_roc(v, Y).auc_interval(method=method, n_resamples=60) for v in (infinite, finite))
        assert tuple(one) == tuple(other)
    for method in PAIRED_METHODS:
        one, other = (rp.auc_test(v, scores(2), Y, method=method, n_resamples=60) for v in (infinite, finite))
        assert one.p_value == other.p_value
    interval = rp.empirical_roc(infinite, Y).best_threshold().threshold_interval(n_resamples=60)
    assert not np.isnan([*interval]).any()
    x[3] = np.nan
    calls = (
        lambda: rp.auc_test(x, None, Y),
        lambda: rp.auc_test(scores(), x, Y),
        lambda: rp.auc_test((x, Y), (x, Y)),
        lambda: rp.auc_test_many([scores(), x], Y),
        lambda: rp.auc_test_many([scores(), x, x], Y),
    )
    check_refused([(call, "NaN") for call in calls])


def test_t14_ties_count_half_in_every_resample():
    """Guards against an ecdf without half ties: each resampled area is a multiple of half a pair of 500."""
    rng = np.random.default_rng(3)
    roc = rp.EmpiricalRoc(negative=rng.integers(0, 3, 20), positive=rng.integers(0, 3, 25))
    drawn = roc.auc_interval(method="bootstrap", n_resamples=401)  # whose quantiles need no interpolation
    assert np.array([*drawn]) * 1000 % 1 == pytest.approx(0, abs=1e-6)


def test_t13_missing_values_are_dropped_jointly():
    """Guards against pairs broken by deletion: a row that lacks one feature is left out of both, and counted."""
    a, b = scores(1), scores(2)
    lacking_a, lacking_b = a.copy(), b.copy()
    lacking_a[[2, 40]], lacking_b[[5, 40, 50]] = np.nan, np.nan
    kept = np.delete(np.arange(55), [2, 5, 40, 50])
    clusters, weights = np.arange(55) // 2, np.arange(55) % 3 + 1
    for options in ({}, {"clusters": clusters}, {"weights": weights}, {"strata": clusters % 2}):
        result = rp.auc_test(lacking_a, lacking_b, Y, nan_policy="omit", **options)
        fewer = {name: column[kept] for name, column in options.items()}
        expected = rp.auc_test(a[kept], b[kept], Y[kept], **fewer)
        assert (result.p_value, *result.interval) == pytest.approx((expected.p_value, *expected.interval), rel=1e-12)
        assert result.n == expected.n
    result = rp.auc_test(lacking_a, lacking_b, Y, nan_policy="omit")
    assert (result.n, result.omitted) == ((28, 23), (2, 2))
    many = rp.auc_test_many([lacking_a, lacking_b, a], Y, nan_policy="omit")
    assert (many.n, many.omitted) == ((28, 23), (2, 2))
    unpaired = rp.auc_test((lacking_a, Y), (lacking_b, Y), nan_policy="omit")
    assert (unpaired.n, unpaired.omitted) == (((29, 24), (29, 23)), (2, 3))


def everything(x, x2, y, weights, clusters):
    """Call every function that accepts arrays."""
    options = {"weights": weights}
    roc = rp.empirical_roc(x, y, **options)
    for method in AUC_METHODS:
        roc.auc_interval(method=method, n_resamples=20)
    roc.partial_auc_interval(tpr=(0.2, 0.9))
    roc.tpr_at_fpr_interval(np.array([0.3, 0.1]))
    best = roc.best_threshold()
    best.threshold_interval(n_resamples=20)
    best.ameans_interval(n_resamples=20)
    rp.predict_roc(x, y).auc_interval(method="bootstrap", n_resamples=20)
    for method in PAIRED_METHODS:
        rp.auc_test(x, x2, y, method=method, n_resamples=20, direction=("lower", "higher"))
        rp.auc_test((x, y), (x2, y), method=method, n_resamples=20)
    for method in ONE_METHODS:
        rp.auc_test(x, None, y, method=method, direction="auto", **options)
    rp.auc_test(x, x2, y, clusters=clusters)
    rp.auc_test(x, x2, y, strata=clusters, **options)
    rp.auc_test_many([x, x2], y, clusters=clusters, contrasts=[1, -1])
    rp.auc_test_many([x, x2], y, **options)


def test_t15_inputs_are_never_written_to():
    """Guards against ranking in place: everything is asked of arrays that cannot be written to, and they stay equal."""
    columns = [np.round(scores(1), 1), np.round(scores(2), 1), Y.copy(), np.arange(55) % 3 + 1.0, np.arange(55) // 4]
    copies = [column.copy() for column in columns]
    for writeable in (False, True):
        for column in columns:
            column.flags.writeable = writeable
        everything(*columns)
        assert all((column == copy).all() for column, copy in zip(columns, copies, strict=True))


def test_t16_near_ties_are_no_ties():
    """Guards against absolute tolerances in ranks: scores of scale 1e-7, of 1e-300, and with 1e9."""
    x, x2 = scores(1), scores(2)
    neighbours = 1e9 + np.argsort(np.argsort(x)) * np.spacing(1e9)
    for call in (
        lambda a: tuple(rp.empirical_roc(a, Y).auc_interval()),
        lambda a: rp.auc_test(a, x2, Y).p_value,
        lambda a: rp.auc_test(a, None, Y, method="exact").p_value,
        lambda a: rp.auc_test(a, x2, Y, method="bootstrap", n_resamples=50).p_value,
    ):
        assert {call(other) for other in (x * 1e-7, x * 1e-300, neighbours)} == {call(x)}
    after = np.nextafter(1.0, 2)
    assert rp.EmpiricalRoc(negative=[1.0, 1.0], positive=[after, after]).auc_interval().estimate == 1


def test_t17_monotone_maps_change_no_resample():
    """Guards against scores squashed before they are ranked, and float32 areas above 1."""
    x = 100 * scores() + 500
    for method in ("bootstrap", "bca", "delong"):
        one, other = (
            rp.empirical_roc(v, Y).auc_interval(method=method, n_resamples=60) for v in (x, np.argsort(np.argsort(x)))
        )
        assert tuple(one) == tuple(other)
    single = scores().astype(np.float32)
    roc = rp.empirical_roc(single, single > 0)
    for method in AUC_METHODS:
        result = roc.auc_interval(method=method, n_resamples=60)
        assert 0 <= result.low < result.high <= 1
    assert rp.auc_test(single, single * np.float32(2), Y).p_value == 1


def test_t21_products_of_class_sizes_do_not_overflow():
    """Guards against 32-bit n0 n1 and sums of ranks with 100,000 and 100,000 rows, and against their outer products."""
    x = np.arange(200_000, dtype=np.int32)
    y = (x % 2).astype(np.int8)
    for method in AUC_METHODS[:5]:
        result = rp.empirical_roc(x, y).auc_interval(method=method)
        assert result.low < 0.5 < result.high, method
        assert result.width == pytest.approx(2 * ndtri(0.975) * np.sqrt((1 / 12) * 2 / 100_000), rel=0.01), method
    for method, scaled in product(ONE_METHODS[:3], (x, x // 1000)):
        assert rp.auc_test(scaled, None, y, method=method).p_value == pytest.approx(1, abs=0.02)
    assert 0 < rp.auc_test(x, x[::-1], y).p_value <= 1


def test_t23_partial_area_has_its_own_variance():
    """Guards against the variance of the whole area about a partial one: SE, interval and test, each of the band."""
    x, x2, band = scores(1, 1.2), scores(2, 0.6), (0, 0.2)
    roc = rp.empirical_roc(x, Y)
    for method in ("smoothed-logit", "delong", "logit", "bootstrap", "bca"):
        result = roc.partial_auc_interval(fpr=band, method=method, n_resamples=400)
        assert 0 <= result.low < roc.partial_auc(fpr=band) < result.high <= 0.2
    drawn = roc.partial_auc_std_error(fpr=band, method="bootstrap")
    assert roc.partial_auc_std_error(fpr=band) == pytest.approx(drawn, rel=0.2)
    test = rp.auc_test(x, x2, Y, fpr=band)
    assert -0.2 <= test.interval.low < test.interval.high <= 0.2
    assert test.statistic != pytest.approx(rp.auc_test(x, x2, Y).statistic, rel=0.01)
    corrected = [*roc.partial_auc_interval(fpr=band, correction="mcclish")]
    raw = np.array([*roc.partial_auc_interval(fpr=band)])
    assert corrected == pytest.approx((1 + (raw - 0.02) / 0.18) / 2, rel=1e-12)


def test_t26_every_replicate_is_refitted():
    """Guards against one smoothed curve for all replicates, and ddof=0: resampled means and SDs, with ddof=1."""
    x, y = scores(5, 1.5, (12, 9)), np.repeat([0, 1], [12, 9])
    result = rp.predict_roc(x, y).auc_interval(method="bootstrap", n_resamples=200, rng=4)
    areas = []
    for negative, positive in BootstrapOptions(200, 4).resample_counts((None, None), (12, 9)):
        for n, p in zip(negative, positive, strict=True):
            rows = [np.repeat(x[y == label], c.astype(int)) for label, c in ((0, n), (1, p))]
            d = (rows[1].mean() - rows[0].mean()) / np.hypot(*(np.std(r, ddof=1) for r in rows))
            areas.append(stats.norm.cdf(d))
    assert tuple(result) == pytest.approx(tuple(np.quantile(areas, [0.025, 0.975])), rel=1e-9)
    assert rp.auc_test(x, None, y).estimator != rp.predict_roc(x, y).auc_test().estimator


def test_t27_what_is_tested_is_stated():
    """Guards against a test of curves read as one of areas: here the areas are equal, the curves are not."""
    rng = np.random.default_rng(6)
    y = np.repeat([0, 1], 150)
    steep = np.where(y == 1, rng.normal(0.0, 3.5, 300), rng.normal(size=300))
    flat = rng.normal(size=300)
    curves = rp.auc_test(steep, flat, y, method="venkatraman", n_resamples=200)
    unpaired = rp.auc_test((steep, y), (flat, y), method="venkatraman", n_resamples=200)
    for result in (curves, unpaired):
        assert "same ROC curve" in result.null
        assert "AUC" not in result.null
        assert result.p_value < 0.05 < rp.auc_test(steep, flat, y, method="delong").p_value
    assert "distribution" in rp.auc_test(steep[100:200], None, y[100:200], method="mann-whitney").null


@for_each(["kde", "logistic", "auto"])
def test_the_interval_of_a_rate_of_other_families_names_the_empirical_curve(family):
    rng, y = np.random.default_rng(0), np.arange(60) % 2
    roc = rp.predict_roc(rng.normal(size=60) + y, y, family=family)
    refuses(r"two Gaussians only; if you have a sample, use the curve from", roc.rate_interval, "tpr", 0.5)
