"""The traps that other packages fell into, where uncertainty is concerned; numbered as in tests/test_traps.py.

Random tests say how often a right answer would fail them; their seeds are fixed.
"""

from __future__ import annotations

import json
from functools import partial

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtri

import rocpredict as rp

AUC_METHODS = ("smoothed-logit", "newcombe", "delong", "logit", "hanley-mcneil", "bootstrap", "bca")
PAIRED_METHODS = ("delong", "bootstrap", "permutation", "venkatraman")
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
    middles = []
    for _ in range(200):
        roc = rp.EmpiricalRoc(negative=rng.normal(size=30), positive=rng.normal(size=30))
        found = roc.auc_interval(method="bootstrap", n_resamples=200)
        middles.append((found.low + found.high) / 2)
    assert np.mean(middles) == pytest.approx(0.5, abs=0.027)
    assert min(middles) < 0.45


def test_t01_auto_direction_is_stated_by_every_test():
    """Guards against a direction that the data chose and the result does not mention."""
    x = scores(shift=-0.8)
    for found in (
        rp.auc_test(x, None, Y, direction="auto"),
        rp.auc_test(x, x + 0.1 * np.sin(9 * x), Y, direction="auto"),
        rp.auc_test_many([x, x**3, x + np.sin(x)], Y, direction="auto"),
        rp.auc_test((x, Y), (x**3, Y), direction="auto"),
    ):
        assert "auto_direction" in found.flags
        assert {*found.direction} == {"lower"}
        assert min(found.estimates) > 0.5
    assert "auto_direction" not in rp.auc_test(x, None, Y, direction="lower").flags


def test_t02_a_null_feature_gets_a_signed_area_and_a_two_sided_p():
    """Guards against max(AUC, 1 - AUC): over 400 null features the areas average 1/2 and p is uniform.

    The mean's error is .078/sqrt(400) = .0039, .02 is 5 of them; p below .05 in 20 of 400, more than 45 or fewer
    than 4 in 1 of 100,000.
    """
    rng = np.random.default_rng(11)
    y = np.repeat([0, 1], 30)
    found = [rp.auc_test(rng.normal(size=60), None, y, method="exact") for _ in range(60)]
    quick = [rp.auc_test(rng.normal(size=60), None, y) for _ in range(400)]
    areas = [test.estimates[0] for test in quick]
    assert np.mean(areas) == pytest.approx(0.5, abs=0.02)
    assert min(areas) < 0.45
    assert 4 <= sum(test.p_value < 0.05 for test in quick) <= 45
    assert {np.sign(test.difference) for test in found} == {-1, 1}


@pytest.mark.parametrize("method", AUC_METHODS)
def test_t04_interval_of_a_fixed_direction_is_of_its_own_estimand(method):
    """Guards against an AUC of 0.12 with the interval (0.81, 0.94) of the other side."""
    x = scores(shift=-1.7)
    for direction in (None, "higher"):
        roc = rp.empirical_roc(x, Y, direction=direction)
        found = roc.auc_interval(method=method, n_resamples=300)
        assert roc.auc() < 0.2
        assert found.low < roc.auc() < found.high < 0.5
    lower = rp.empirical_roc(x, Y, direction="lower").auc_interval(method=method, n_resamples=300)
    assert lower.low > 0.5
    assert lower.estimate == pytest.approx(1 - roc.auc(), rel=1e-12)


def test_t04_bands_and_heights_of_a_fixed_direction():
    """Guards against the same for partial areas and heights, resampled and not."""
    x = scores(shift=-1.7)
    up, down = rp.empirical_roc(x, Y), rp.empirical_roc(-x, Y, direction="lower")
    for ask in (
        lambda r, m: r.partial_auc_interval(fpr=(0, 0.3), method=m, n_resamples=300),
        lambda r, m: r.tpr_at_fpr_interval(0.3, method="hilgers" if m != "bootstrap" else m, n_resamples=300),
    ):
        for method in ("delong", "bootstrap"):
            assert ask(up, method).estimate == pytest.approx(ask(down, method).estimate, rel=1e-12)
            assert ask(up, method).low == pytest.approx(ask(down, method).low, abs=1e-12)
            assert ask(up, method).high < 0.5


@pytest.mark.parametrize("method", PAIRED_METHODS)
def test_t05_tests_across_directions_are_refused_or_declared(method):
    """Guards against z = 0 and p = 1 for a feature and its negation: refused under "auto", else told apart."""
    x = scores(shift=1.0)
    with pytest.raises(rp.RocPredictError, match=r"opposite.*direction=\('higher', 'lower'\)"):
        rp.auc_test(x, -x, Y, method=method, direction="auto")
    plain = rp.auc_test(x, -x, Y, method=method, n_resamples=200)
    assert plain.p_value < 0.05
    assert "opposite_directions" in plain.flags
    declared = rp.auc_test(x, -x, Y, method=method, direction=("higher", "lower"), n_resamples=200)
    assert (declared.p_value, declared.difference) == (1, 0)
    assert "same_curve" in declared.flags
    assert declared.direction == ("higher", "lower")


def test_t05_one_sided_sign_agrees_across_methods():
    """Guards against a one-sided p whose side depends on the method."""
    better, worse = scores(2, 1.4), scores(3, 0.2)
    for method in ("delong", "bootstrap", "permutation"):
        greater, less = (
            rp.auc_test(better, worse, Y, method=method, alternative=side, n_resamples=300)
            for side in ("greater", "less")
        )
        assert (greater.p_value < 0.05, less.p_value > 0.9) == (True, True), method
        assert greater.statistic > 0
        unpaired = rp.auc_test((better, Y), (worse, Y), method=method, alternative="greater", n_resamples=300)
        assert unpaired.p_value < 0.05, method
    for method in ONE_METHODS:
        assert rp.auc_test(better, None, Y, method=method, alternative="greater").p_value < 0.01, method
        assert rp.auc_test(better, None, Y, method=method, alternative="less").p_value > 0.9, method


def test_t06_in_sample_ameans_never_stands_alone():
    """Guards against an optimistic Ameans without its companion: in the repr, in to_dict, in the interval."""
    best = rp.empirical_roc(scores(shift=0.0), Y).best_threshold()
    assert best.ameans > best.ameans_corrected
    assert "out of bag" in repr(best)
    assert best.to_dict()["ameans_corrected"] == best.ameans_corrected
    assert best.ameans_interval().estimate < best.ameans
    assert best.ameans_interval().method == "out-of-bag"


@pytest.mark.parametrize("method", AUC_METHODS)
@pytest.mark.parametrize("n", [1, 2, 3, 10, 100])
def test_t07_perfect_separation_interval(method, n):
    """Guards against (1, 1), NaN and 0/0 at an AUC of 1: an interval that shrinks with n, and a flag."""
    negative, positive = np.arange(n) + 0.0, np.arange(n) + 1000.0
    roc = rp.EmpiricalRoc(negative=negative, positive=positive)
    found = roc.auc_interval(method=method, n_resamples=50)
    assert 0 < found.low < 1 - 1e-4
    assert found.low < found.high <= 1
    assert "perfect_separation" in found.flags
    more = rp.EmpiricalRoc(negative=np.arange(4 * n), positive=np.arange(4 * n) + 1e4)
    assert more.auc_interval(method=method, n_resamples=50).low > found.low
    turned = rp.EmpiricalRoc(negative=positive, positive=negative).auc_interval(method=method, n_resamples=50)
    assert tuple(turned) == pytest.approx((1 - found.high, 1 - found.low), abs=1e-9)
    assert "perfect_reversal" in turned.flags


def test_t07_smoothed_standard_error_sees_more_than_no_overlap():
    """Guards against a standard error of 0 where the classes do not overlap: the smoothed one never is."""
    roc = rp.EmpiricalRoc(negative=[1.0, 2, 3], positive=[4.0, 5])
    assert roc.auc_std_error(method="smoothed-logit") > 0.05
    assert rp.EmpiricalRoc(negative=[1.0], positive=[2.0]).auc_std_error(method="smoothed-logit") > 0.1


@pytest.mark.parametrize("method", PAIRED_METHODS)
def test_t08_a_curve_against_itself_has_p_of_1(method):
    """Guards against z = 0 with p = 0, and NaN, for a model against itself, or against exp of its score."""
    x = scores()
    for other in (x.copy(), np.exp(x), x * 1e-7):
        found = rp.auc_test(x, other, Y, method=method, n_resamples=50)
        assert found.p_value == 1
        assert "same_curve" in found.flags
        assert found.interval.low < 0 < found.interval.high


@pytest.mark.parametrize("sizes", [(1, 1), (1, 9), (9, 1)])
def test_t09_one_case_of_a_class(sizes):
    """Guards against NaN and crashes with one case or one control: every method answers, wide and flagged."""
    x, y = scores(4, 0.5, sizes), np.repeat([0, 1], sizes)
    for method in AUC_METHODS:
        found = rp.empirical_roc(x, y).auc_interval(method=method, n_resamples=50)
        assert "single_observation" in found.flags
        assert 0 <= found.low < found.high <= 1
    for method in ONE_METHODS:
        test = rp.auc_test(x, None, y, method=method)
        assert 0 < test.p_value <= 1
        assert "single_observation" in test.flags
    many = rp.auc_test_many([x, -x, np.sin(9 * x)], y)
    assert 0 < many.p_value <= 1
    wide = rp.empirical_roc(x, y).auc_interval()
    assert wide.width > 0.5


def test_t10_a_class_is_never_lost_in_a_resample():
    """Guards against resamples of one class only, counted as 0, NaN or not at all: each class keeps its size."""
    x, y = np.array([1.0, 5.0, 2, 3, 4, 6, 7, 8, 9, 10]), np.repeat([0, 1], [2, 8])
    roc = rp.empirical_roc(x, y)
    found = roc.auc_interval(method="bootstrap", n_resamples=500)
    assert not np.isnan([found.low, found.high]).any()
    stability = roc.best_threshold().stability(n_resamples=500)
    assert stability.n_resamples == 500
    # one of two negatives is drawn twice in half of the resamples; else none is left out: 250 +- 5 sd of 11
    assert 195 < stability.n_failed < 305
    with pytest.raises(rp.RocPredictError):
        rp.auc_test(x, None, np.ones(10, dtype=int))


@pytest.mark.parametrize("value", [0.0, 0.1, -7.5, 1e300, np.inf])
def test_t11_constant_feature_has_an_honest_interval(value):
    """Guards against AUC 0.5, SE 0, interval (0.5, 0.5) for a constant feature, and against p of 0 or NaN."""
    x = np.full(55, value)
    for method in AUC_METHODS:
        found = rp.empirical_roc(x, Y).auc_interval(method=method, n_resamples=50)
        assert found.low < 0.45
        assert found.high > 0.55
        assert "point_mass" in found.flags
    for method in ONE_METHODS:
        assert rp.auc_test(x, None, Y, method=method).p_value == 1
    if np.isfinite(value):
        found = rp.predict_roc(x, Y).auc_interval()
        assert (found.low < 0.45, found.high > 0.55) == (True, True)


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
    low, high = rp.empirical_roc(infinite, Y).best_threshold().threshold_interval(n_resamples=60)
    assert not np.isnan([low, high]).any()
    x[3] = np.nan
    for ask in (
        lambda: rp.auc_test(x, None, Y),
        lambda: rp.auc_test(scores(), x, Y),
        lambda: rp.auc_test_many([scores(), x], Y),
        lambda: rp.auc_test((x, Y), (x, Y)),
        lambda: rp.auc_test_many([scores(), x, x], Y),
    ):
        with pytest.raises(rp.RocPredictError, match="NaN"):
            ask()


def test_t13_missing_values_are_dropped_jointly():
    """Guards against pairs broken by deletion: a row that lacks one feature is left out of both, and counted."""
    a, b = scores(1), scores(2)
    lacking_a, lacking_b = a.copy(), b.copy()
    lacking_a[[2, 40]], lacking_b[[5, 40, 50]] = np.nan, np.nan
    kept = np.delete(np.arange(55), [2, 5, 40, 50])
    clusters, weights = np.arange(55) // 2, np.arange(55) % 3 + 1
    for options in ({}, {"clusters": clusters}, {"weights": weights}, {"strata": clusters % 2}):
        found = rp.auc_test(lacking_a, lacking_b, Y, nan_policy="omit", **options)
        fewer = {name: column[kept] for name, column in options.items()}
        expected = rp.auc_test(a[kept], b[kept], Y[kept], **fewer)
        assert (found.p_value, *found.interval) == pytest.approx((expected.p_value, *expected.interval), rel=1e-12)
        assert found.n == expected.n
    found = rp.auc_test(lacking_a, lacking_b, Y, nan_policy="omit")
    assert (found.n, found.omitted) == ((28, 23), (2, 2))
    many = rp.auc_test_many([lacking_a, lacking_b, a], Y, nan_policy="omit")
    assert (many.n, many.omitted) == ((28, 23), (2, 2))
    unpaired = rp.auc_test((lacking_a, Y), (lacking_b, Y), nan_policy="omit")
    assert (unpaired.n, unpaired.omitted) == (((29, 24), (29, 23)), (2, 3))


def test_t14_ties_count_half_in_every_variance():
    """Guards against an ecdf without half ties: the standard error of 3-level scores, by all pairs."""
    rng = np.random.default_rng(3)
    negative, positive = rng.integers(0, 3, 20), rng.integers(0, 3, 25)
    gap = np.subtract.outer(positive, negative)
    wins = (gap > 0) + (gap == 0) / 2
    variance = np.var(wins.mean(axis=1), ddof=1) / 25 + np.var(wins.mean(axis=0), ddof=1) / 20
    roc = rp.EmpiricalRoc(negative=negative, positive=positive)
    assert roc.auc_std_error() == pytest.approx(np.sqrt(variance), rel=1e-12)
    # every resampled area is a multiple of 1/2 pair: so are the ends, but for the interpolation of quantiles
    drawn = roc.auc_interval(method="bootstrap", n_resamples=401)
    assert np.array([*drawn]) * 1000 % 1 == pytest.approx(0, abs=1e-6)


def everything(x, x2, y, weights, clusters):
    """Ask all that takes arrays."""
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
    given = [np.round(scores(1), 1), np.round(scores(2), 1), Y.copy(), np.arange(55) % 3 + 1.0, np.arange(55) // 4]
    kept = [column.copy() for column in given]
    for column in given:
        column.flags.writeable = False
    everything(*given)
    for column, before in zip(given, kept, strict=True):
        assert (column == before).all()
    for column in given:
        column.flags.writeable = True
    everything(*given)
    for column, before in zip(given, kept, strict=True):
        assert (column == before).all()


def test_t15_zeros_of_a_sparse_feature_are_ties():
    """Guards against p < 1 for a feature of zeros, and a test without tie correction."""
    x = np.zeros(55)
    assert rp.auc_test(x, None, Y, method="mann-whitney").p_value == 1
    x[[3, 40, 50]] = 1.0
    theirs = stats.mannwhitneyu(x[Y == 1], x[Y == 0], method="asymptotic", use_continuity=False).pvalue
    assert rp.auc_test(x, None, Y, method="mann-whitney").p_value == pytest.approx(theirs, rel=1e-10)


@pytest.mark.parametrize("ask", ["interval", "paired", "exact", "permutation", "bootstrap"])
def test_t16_near_ties_are_no_ties(ask):
    """Guards against absolute tolerances in ranks: scores of scale 1e-7, of 1e-300, beside 1e9."""
    x, x2 = scores(1), scores(2)
    questions = {
        "interval": lambda a, _: tuple(rp.empirical_roc(a, Y).auc_interval()),
        "paired": lambda a, b: rp.auc_test(a, b, Y).p_value,
        "exact": lambda a, _: rp.auc_test(a, None, Y, method="exact").p_value,
        "permutation": lambda a, b: rp.auc_test(a, b, Y, method="permutation", n_resamples=50).p_value,
        "bootstrap": lambda a, b: rp.auc_test(a, b, Y, method="bootstrap", n_resamples=50).p_value,
    }
    expected = questions[ask](x, x2)
    order = np.argsort(np.argsort(x))
    neighbours = 1e9 + order * np.spacing(1e9)
    for other in (x * 1e-7, x * 1e-300, neighbours):
        assert questions[ask](other, x2) == expected
    one = np.nextafter(1.0, 2)
    assert rp.EmpiricalRoc(negative=[1.0, 1.0], positive=[one, one]).auc_interval().estimate == 1


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
        found = roc.auc_interval(method=method, n_resamples=60)
        assert 0 <= found.low < found.high <= 1
    assert rp.auc_test(single, single * np.float32(2), Y).p_value == 1


@pytest.mark.parametrize("method", ["smoothed-logit", "newcombe", "delong", "logit", "hanley-mcneil"])
def test_t21_products_of_class_sizes_do_not_overflow(method):
    """Guards against 32-bit n0 n1 with 100,000 and 100,000 rows: the width is that of chance, and not 1 to 1."""
    x = np.arange(200_000, dtype=np.int32)
    y = (x % 2).astype(np.int8)
    roc = rp.empirical_roc(x, y)
    found = roc.auc_interval(method=method)
    assert found.low < 0.5 < found.high
    assert found.width == pytest.approx(2 * ndtri(0.975) * np.sqrt((1 / 12) * 2 / 100_000), rel=0.01)


def test_t21_tests_of_many_rows_do_not_overflow():
    """Guards against 32-bit sums of ranks and of tied ranks, in tests, and against outer products of the rows."""
    x = np.arange(200_000, dtype=np.int32)
    y = (x % 2).astype(np.int8)
    for method in ("smoothed-logit", "delong", "mann-whitney"):
        for scaled in (x, x // 1000):
            found = rp.auc_test(scaled, None, y, method=method)
            assert found.p_value == pytest.approx(1, abs=0.02)
    assert 0 < rp.auc_test(x, x[::-1], y).p_value <= 1


def test_t23_partial_area_has_its_own_variance():
    """Guards against the variance of the whole area about a partial one: SE, interval and test, each of the band."""
    x, x2, band = scores(1, 1.2), scores(2, 0.6), (0, 0.2)
    roc = rp.empirical_roc(x, Y)
    for method in ("smoothed-logit", "delong", "logit", "bootstrap", "bca"):
        found = roc.partial_auc_interval(fpr=band, method=method, n_resamples=400)
        assert 0 <= found.low < roc.partial_auc(fpr=band) < found.high <= 0.2
    drawn = roc.partial_auc_std_error(fpr=band, method="bootstrap")
    assert roc.partial_auc_std_error(fpr=band) == pytest.approx(drawn, rel=0.2)
    assert roc.partial_auc_std_error(fpr=band) < roc.auc_std_error()
    test = rp.auc_test(x, x2, Y, fpr=band)
    assert test.estimates[0] == pytest.approx(roc.partial_auc(fpr=band), rel=1e-12)
    assert "partial AUC over FPR 0 to 0.2" in test.null
    assert -0.2 <= test.interval.low < test.interval.high <= 0.2
    whole = rp.auc_test(x, x2, Y)
    assert test.statistic != pytest.approx(whole.statistic, rel=0.01)
    corrected = roc.partial_auc_interval(fpr=band, correction="mcclish")
    raw = roc.partial_auc_interval(fpr=band)
    for one, other in zip(corrected, raw, strict=True):
        assert one == pytest.approx((1 + (other - 0.02) / 0.18) / 2, rel=1e-12)


def test_t26_every_replicate_fits_anew():
    """Guards against one smoothed curve for all replicates, and ddof=0: resampled means and SDs, with ddof=1."""
    x = scores(5, 1.5, (12, 9))
    y = np.repeat([0, 1], [12, 9])
    found = rp.predict_roc(x, y).auc_interval(method="bootstrap", n_resamples=200, rng=4)
    from rocpredict.inference.bootstrap import BootstrapOptions

    areas = []
    for negative, positive in BootstrapOptions(200, 4).resample_counts((None, None), (12, 9)):
        for n, p in zip(negative, positive, strict=True):
            rows = [np.repeat(x[y == label], c.astype(int)) for label, c in ((0, n), (1, p))]
            d = (rows[1].mean() - rows[0].mean()) / np.hypot(*(np.std(r, ddof=1) for r in rows))
            areas.append(stats.norm.cdf(d))
    assert tuple(found) == pytest.approx(tuple(np.quantile(areas, [0.025, 0.975])), rel=1e-9)
    assert rp.auc_test(x, None, y).estimator != rp.predict_roc(x, y).auc_test().estimator


def test_t27_what_is_tested_is_stated():
    """Guards against a test of curves read as one of areas: here the areas are equal, the curves are not."""
    rng = np.random.default_rng(6)
    y = np.repeat([0, 1], 150)
    steep = np.where(y == 1, rng.normal(0.0, 3.5, 300), rng.normal(size=300))
    flat = rng.normal(size=300)
    curves = rp.auc_test(steep, flat, y, method="venkatraman", n_resamples=200)
    areas = rp.auc_test(steep, flat, y, method="delong")
    assert "same ROC curve" in curves.null
    assert "AUC" not in curves.null
    assert "AUC of x1 = AUC of x2" in areas.null
    assert curves.p_value < 0.05 < areas.p_value
    for method in ("mann-whitney", "exact"):
        assert "distribution" in rp.auc_test(steep[100:200], None, y[100:200], method=method).null
    unpaired = rp.auc_test((steep, y), (flat, y), method="venkatraman", n_resamples=200)
    assert "same ROC curve" in unpaired.null
    assert unpaired.p_value < 0.05


def test_t28_p_is_a_probability_and_z_has_a_side():
    """Guards against log10 p, and against a z that is always negative; to_dict is JSON but for its floats."""
    better, worse = scores(2, 1.4), scores(3, 0.2)
    up, down = rp.auc_test(better, worse, Y), rp.auc_test(worse, better, Y)
    assert up.statistic == pytest.approx(-down.statistic, rel=1e-12)
    assert up.statistic > 0
    assert up.p_value == pytest.approx(2 * stats.norm.sf(up.statistic), rel=1e-9)
    for found in (up, rp.auc_test(better, None, Y), rp.auc_test((better, Y), (worse, Y))):
        assert 0 < found.p_value < 1
        assert json.loads(json.dumps(found.to_dict()))["p_value"] == found.p_value
        assert f"p_value={found.p_value:.6g}" in repr(found)
    for ask in (partial(rp.auc_test, better, worse, Y), partial(rp.auc_test, (better, Y), (worse, Y))):
        assert np.sign(ask().difference) == np.sign(ask().statistic)
