"""Errors of other ROC packages, each with its number, and degenerate inputs."""

import json
from functools import partial

import numpy as np
import pytest
from scipy.special import ndtr

import rocpredict as rp
from tests.cases import check_refusals, for_each, refuses


def predicted(m0, s0, m1, s1, **options):
    return rp.PredictedRoc(negative=rp.Gaussian(m0, s0), positive=rp.Gaussian(m1, s1), **options)


empirical = rp.EmpiricalRoc


def test_t01_direction_is_fixed_by_default():
    """Guards against an AUC folded above 1/2: over 400 null samples the mean stays within 5 SE (fails 6e-7)."""
    rng = np.random.default_rng(1)
    fixed = [empirical(rng.normal(size=10), rng.normal(size=10)) for _ in range(400)]
    areas = np.array([roc.auc() for roc in fixed])
    assert abs(areas.mean() - 0.5) < 5 * np.sqrt(21 / 1200 / 400)
    assert areas.min() < 0.4
    assert all(roc.direction is None for roc in fixed)
    turned = empirical([3.0, 4.0], [1.0, 2.0], direction="auto")
    assert (turned.direction, turned.auc()) == ("lower", 1.0)
    assert "auto_direction" in turned.best_threshold().flags


def test_t03_direction_by_auc_and_not_by_medians():
    """Guards against an "auto" that medians turn the wrong way: here they disagree with the AUC."""
    negative, positive = [0.0, 0.0, 1.0, 1.0, 1.0], [0.5, 0.5, 0.5, 5.0, 5.0]
    auc = empirical(negative, positive).auc()
    assert (np.median(positive) > np.median(negative)) != (auc > 0.5)
    assert empirical(negative, positive, direction="auto").auc() > 0.5


def test_t10_one_class_is_an_error():
    """Guards against an AUC of 0 or NaN for data that hold one class only."""
    for labels in ([1, 1, 1], [0, 0, 0]):
        with pytest.raises(rp.RocPredictError):
            rp.empirical_roc([1.0, 2.0, 3.0], labels)


@for_each([0.0, 0.1, -7.5, 1e300])
def test_t11_constant_feature(value):
    """Guards against a made-up threshold and a spread of 1e-17 where all values are equal."""
    x, y = [value] * 6, [0, 0, 0, 1, 1, 1]
    for roc in (rp.predict_roc(x, y), rp.empirical_roc(x, y), empirical([value] * 2, [value])):
        best = roc.best_threshold()
        assert (roc.auc(), best.ameans) == (0.5, 0.5)
        assert {"identical", "no_benefit", "point_mass"} <= {*best.flags}
        assert best.plateau == (-np.inf, np.inf)


def test_t12_nan_is_refused_and_infinity_is_ranked():
    """Guards against an AUC computed with NaN among the scores, and against NaN out of an infinite one."""
    refuses("NaN", rp.empirical_roc, [1.0, np.nan, 3.0, 4.0], [0, 0, 1, 1])
    roc = rp.empirical_roc([-np.inf, 0.0, 1.0, np.inf], [0, 0, 1, 1])
    assert roc.auc() == 1
    assert not np.isnan(roc.curve().fpr).any()
    roc = empirical([-np.inf, 0.0, 1.0], [0.0, np.inf, np.inf])
    assert roc.auc() == pytest.approx(7.5 / 9, rel=1e-15)
    curve, best = roc.curve(), roc.best_threshold()
    assert (curve.fpr[0], curve.tpr[0], curve.fpr[-1], curve.tpr[-1]) == (0, 0, 1, 1)
    assert np.isfinite(best.threshold)
    assert best.ameans == pytest.approx(5 / 6)
    roc = empirical([-np.inf], [np.inf])
    assert (roc.auc(), roc.best_threshold().ameans) == (1, 1)
    refuses("infinite", rp.predict_roc, [-np.inf, 0.0, 1.0, 2.0], [0, 0, 1, 1])


def test_t14_ties_count_half():
    """Guards against a lost (0, 0) and stairs where tied scores make a diagonal: 0.833 and not 0.667."""
    roc = empirical([1.0, 2.0, 3.0], [2.0, 3.0, 4.0, 5.0])
    assert roc.auc() == pytest.approx(10 / 12, abs=1e-15)
    curve = roc.curve()
    assert (curve.fpr[0], curve.tpr[0], curve.fpr[-1], curve.tpr[-1]) == (0, 0, 1, 1)
    assert empirical([1.0] * 5, [1.0] * 7).auc() == 0.5


def test_t16_near_ties_are_no_ties():
    """Guards against absolute tolerances: scores of size 1e-7, neighbouring floats, 0.1 + 0.2 and 0.3."""
    assert empirical([1e-7, 2e-7], [3e-7, 4e-7]).auc() == 1
    one = np.nextafter(1.0, 2)
    roc = empirical([1.0], [one])
    assert (roc.auc(), roc.best_threshold().ameans) == (1, 1)
    assert roc.curve().thresholds.tolist() == [np.inf, one, -np.inf]  # the midpoint would swallow the negative
    assert roc.best_threshold().threshold == one
    top = np.finfo(float).max
    for negative, positive, threshold in ((-top, top, 0), (top / 2, top, top / 2 + top / 4), (0.0, 5e-324, 5e-324)):
        assert empirical([negative], [positive]).best_threshold().threshold == threshold
    assert empirical([0.3], [0.1 + 0.2]).auc() == 1
    assert empirical([0.0], [-0.0]).auc() == 0.5


def test_t17_scores_are_not_squashed():
    """Guards against a sigmoid before ranking, and against float32 areas above 1."""
    x = np.array([100.0, 200.0, 300.0, 400.0])
    assert rp.empirical_roc(x, [0, 0, 1, 1]).auc() == 1
    rng = np.random.default_rng(2)
    single = rng.normal(size=1000).astype(np.float32)
    roc = rp.empirical_roc(single, single > 0.2)
    assert (roc.auc(), roc.auc_complement()) == (1, 0)
    assert isinstance(roc.auc(), float)


def test_t18_infinite_thresholds_are_flagged():
    """Guards against a made-up first threshold (max + 1), and against an infinite optimum that does not say so."""
    thresholds = empirical([1.0, 2.0], [2.0, 3.0]).curve().thresholds
    assert (thresholds[0], thresholds[-1]) == (np.inf, -np.inf)
    assert np.isfinite(thresholds[1:-1]).all()
    for prevalence, flag, end in ((1e-9, "always_negative", np.inf), (1 - 1e-9, "always_positive", -np.inf)):
        best = predicted(0, 1, 1, 1.0).best_threshold("accuracy", prevalence=prevalence)
        assert np.isfinite(best.threshold)
        roc = predicted(0, 2, 1, 1) if end > 0 else predicted(0, 1, 1, 2)
        best = roc.best_threshold("accuracy", prevalence=prevalence)
        assert best.threshold == end
        assert [*best.flags] == [flag]
    assert json.loads(json.dumps([*best.flags])) == ["always_positive"]


def test_t19_every_operating_point_is_kept():
    """Guards against points dropped as collinear: as many as distinct values, and one."""
    rng = np.random.default_rng(4)
    x = rng.integers(0, 30, 200).astype(float)
    y = rng.integers(0, 2, 200)
    curve = rp.empirical_roc(x, y).curve()
    assert len(curve) == len(np.unique(x)) + 1
    for t, fpr, tpr in zip(curve.thresholds, curve.fpr, curve.tpr, strict=True):
        assert tpr == np.mean(x[y == 1] >= t)
        assert fpr == np.mean(x[y == 0] >= t)


def test_t20_the_whole_optimum_is_returned():
    """Guards against > for >=, and against one of several equal thresholds given as the only one."""
    best = empirical([1.0, 2.0], [5.0, 6.0]).best_threshold()
    assert best.plateau == (2.0, 5.0)
    assert best.threshold == 3.5
    roc = empirical([1.0, 2.0], [2.0, 3.0])
    assert (roc.tpr(2.0), roc.fpr(2.0)) == (1.0, 0.5)
    low, high = best.plateau
    inside = empirical([1.0, 2.0], [5.0, 6.0]).rates(np.array([np.nextafter(low, 9), 3.0, high]))
    assert (inside.ameans == 1).all()
    neighbours = empirical([1.0], [np.nextafter(1.0, 2)]).best_threshold()
    assert neighbours.ameans == 1
    assert empirical([-1.7e308, 1.6e308], [1.7e308]).best_threshold().ameans == 1


def test_t21_counts_do_not_overflow():
    """Guards against 32-bit products of class sizes: 100,000 times 100,000, and weights of 1e10."""
    x = np.arange(200_000, dtype=np.int32)
    roc = rp.empirical_roc(x, (x % 2).astype(np.int8))
    assert roc.auc() == pytest.approx(0.5 + 0.5 / 100_000, rel=1e-14)
    heavy = empirical(rp.Ecdf([0.0, 1.0], weights=[1e10, 1e10]), rp.Ecdf([0.0, 1.0], weights=[1e10, 3e10]))
    assert heavy.auc() == pytest.approx(0.625, rel=1e-15)


def test_t22_mcclish_names_its_chance_area():
    """Guards against b^2/2 for the chance area of a band [a, b], and against clipping below 1/2."""
    roc = predicted(0, 1, 1, 1.5)
    low, high = 0.2, 0.5
    raw = roc.partial_auc(fpr=(low, high))
    chance = (high**2 - low**2) / 2
    expected = (1 + (raw - chance) / (high - low - chance)) / 2
    assert roc.partial_auc(fpr=(low, high), correction="mcclish") == pytest.approx(expected, rel=1e-14)
    assert predicted(1, 1, 0, 1).partial_auc(fpr=(0, 0.5), correction="mcclish") < 0.5


def test_t24_vertical_steps_are_not_interpolated():
    """Guards against a ramp where the curve is vertical: bands that begin and end within steps."""
    roc = empirical([0.0, 1.0, 2.0, 3.0], [1.5, 2.5, 2.6, 4.0])
    assert roc.partial_auc(fpr=(0, 0.1)) == pytest.approx(0.1 * 0.25, rel=1e-14)
    assert roc.partial_auc(fpr=(0.2, 0.3)) == pytest.approx(0.05 * 0.25 + 0.05 * 0.75, rel=1e-14)
    steps = [(0.25, 0.25), (0.5, 0.75), (0.75, 1.0), (1.0, 1.0)]
    assert roc.partial_auc(fpr=(0, 1)) == pytest.approx(sum(0.25 * height for _, height in steps), rel=1e-14)
    assert roc.tpr_at_fpr(0.25) == 0.75


def test_t25_percent_is_refused():
    """Guards against an AUC of 8500: rates are fractions everywhere."""
    roc = predicted(4, 3, 8, 2)
    calls = [partial(roc.tpr_at_fpr, 10), partial(roc.fpr_at_tpr, 90), partial(roc.partial_auc, fpr=(0, 10))]
    calls += [partial(roc.best_threshold, "min_tpr", value=90), partial(roc.best_threshold, "accuracy", prevalence=10)]
    calls += [partial(roc.rates, 5, prevalence=30)]
    check_refusals([(call, (), "percent") for call in calls])


def test_t26_the_estimator_is_named():
    """Guards against a silent ddof=0: the standard deviation divides by n - 1 unless said otherwise."""
    x = np.array([1.0, 2.0, 4.0, 3.0, 5.0, 9.0])
    roc = rp.predict_roc(x, [0, 0, 0, 1, 1, 1])
    assert roc.negative.std == pytest.approx(np.std(x[:3], ddof=1), rel=1e-15)
    assert roc.positive.std == pytest.approx(np.std(x[3:], ddof=1), rel=1e-15)
    assert rp.Gaussian.fit(x, ddof=0).std == pytest.approx(np.std(x), rel=1e-15)


@for_each([0.0, 1e-15, 1e-9, -1e-9, 1e-6])
def test_t29_equal_spread_needs_no_branch(gap):
    """Guards against division by a difference of variances, at a mean of 1e6 too."""
    best = predicted(1e6, 1.0, 1e6 + 2, 1.0 + gap).best_threshold()
    assert best.threshold == pytest.approx(1e6 + 1, abs=abs(gap) + 5e-10)
    assert best.ameans == pytest.approx(ndtr(1), abs=abs(gap) + 1e-15)


def test_t30_both_crossings_and_the_rule_between_them():
    """Guards against a discarded second crossing: here two thresholds have twice the J of one."""
    roc = predicted(0, 1, 0.1, 3)
    best, rule = roc.best_threshold(), roc.proper().best_rule()
    assert best.crossing_count == 2
    assert list(best.crossings) == [rule.low, rule.high]
    assert best.threshold == best.crossings[1]
    assert best.tpr - best.fpr == pytest.approx(0.254, abs=5e-4)
    assert rule.tpr - rule.fpr == pytest.approx(0.485, abs=5e-4)
    same = predicted(0, 1, 0, 2).best_threshold()
    assert same.crossings[0] == -same.crossings[1]


def test_t31_a_wrong_orientation_is_shown_and_not_clamped():
    """Guards against a threshold clamped to the data, or a direction turned in silence."""
    roc = predicted(1, 1, 0, 1)
    best = roc.best_threshold()
    assert roc.auc() < 0.5
    assert np.isinf(best.threshold)
    assert "no_benefit" in best.flags
    assert best.ameans == 0.5
    assert predicted(1, 1, 0, 1, direction="lower").best_threshold().threshold == 0.5


def test_t32_no_crossing_is_a_result():
    """Guards against NaN for a negative discriminant: with these weights one answer for all is best."""
    best = predicted(4, 3, 8, 2).best_threshold("accuracy", prevalence=0.02)
    assert best.crossing_count == 0
    assert best.threshold == np.inf
    assert "always_negative" in best.flags
    outside = predicted(0, 1, 1, 1).best_threshold("accuracy", prevalence=0.01)
    assert outside.threshold == pytest.approx(0.5 + np.log(99), rel=1e-14)


def test_t33_hooks_are_shown():
    """Guards against a curve below the chance line that nobody mentions: exactly where the SDs differ."""
    assert not predicted(0, 1, 1, 1).hook().exists
    for std, top in ((2.0, True), (0.5, False)):
        roc = predicted(0, 1, 1, std)
        hook = roc.hook()
        middle = (hook.fpr_low + hook.fpr_high) / 2
        assert hook.exists
        assert (hook.fpr_high == 1) == top
        assert roc.tpr_at_fpr(middle) < middle
        assert roc.proper().auc() > roc.auc()


def test_t34_the_optimum_is_the_highest_peak():
    """Guards against a golden-section search that stops at a local optimum: the J here has two peaks."""

    def lumps(centres, sizes):
        return np.concatenate([c + np.linspace(-0.5, 0.5, n) for c, n in zip(centres, sizes, strict=True)])

    negative, positive = lumps((0, 5), (60, 40)), lumps((2, 7), (45, 55))
    best = empirical(negative, positive).best_threshold()
    scan = np.linspace(-1, 8, 5_001)
    youden = (positive[:, None] >= scan).mean(axis=0) - (negative[:, None] >= scan).mean(axis=0)
    assert best.tpr - best.fpr == pytest.approx(youden.max(), abs=1e-14)


# ---- degenerate pairs: flags, no NaN, no warning (warnings are errors here)

DEGENERATE = {
    "negative is a point": ((0, 0, 1, 1), ndtr(1), {"point_mass"}),
    "positive is a point": ((0, 1, 1, 0), ndtr(1), {"point_mass"}),
    "two points": ((0, 0, 1, 0), 1.0, {"point_mass", "perfect_separation"}),
    "two points, reversed": ((1, 0, 0, 0), 0.0, {"point_mass", "no_benefit", "always_negative", "equal_thresholds"}),
    "one point": ((1, 0, 1, 0), 0.5, {"point_mass", "identical", "no_benefit", "always_negative"}),
    "identical": ((1, 2, 1, 2), 0.5, {"identical", "no_benefit", "always_negative"}),
    "reversed": ((1, 1, 0, 1), ndtr(-np.sqrt(0.5)), {"no_benefit", "always_negative", "equal_thresholds"}),
    "far apart": ((0, 1, 1e300, 1), 1.0, {"perfect_separation"}),
    "tiny spread": ((0, 1e-300, 1, 1e-300), 1.0, {"perfect_separation"}),
    "huge spread": ((0, 1e300, 1, 1e300), 0.5, {"no_benefit"}),
    "a point to double precision": ((0, 1e-300, 1, 1), ndtr(1), set()),
}


@for_each(DEGENERATE)
def test_degenerate_pair(numbers, auc, flags):
    roc = predicted(*numbers)
    best = roc.best_threshold()
    assert roc.auc() == pytest.approx(auc, abs=1e-15)
    assert {*best.flags} == flags
    assert best.ameans >= 0.5
    for rate in ("tpr", "fpr", "tnr", "fnr"):
        got = getattr(best, rate)
        assert 0 <= got <= 1
        if np.isfinite(best.threshold) and numbers not in {(0, 1e-300, 1, 1), (0, 1e300, 1, 1e300)}:
            assert getattr(roc, rate)(best.threshold) == pytest.approx(got, abs=1e-12)
    curve, rates = roc.curve(21), [0, 0.3, 1]
    results = [*roc.tpr_at_fpr(rates), *roc.fpr_at_tpr(rates), roc.partial_auc(fpr=(0, 0.2)), *curve.fpr, *curve.tpr]
    results += [roc.partial_auc(tpr=(0.2, 1)), roc.hook().area, roc.auc_complement(), roc.proper().auc()]
    results += [roc.proper().best_rule().ameans, *roc.crossings(), best.threshold]
    assert not np.isnan(results).any()
    assert roc.partial_auc(fpr=(0, 1)) == pytest.approx(roc.auc(), abs=1e-14)


@for_each([(0, 1, 1, 2), (0, 2, 1, 1), (0, 1, 1, 1), (0, 0, 1, 1), (0, 1, 1, 0)])
def test_prevalence_of_none_and_of_all(*numbers):
    """A prevalence of 0 makes every positive call wrong, of 1 every negative one."""
    roc = predicted(*numbers)
    none, all_ = (roc.best_threshold("accuracy", prevalence=p) for p in (0.0, 1.0))
    assert (none.fpr, all_.fnr) == (0, 0)
    assert roc.rates(none.threshold, prevalence=0.0).accuracy == 1
    assert roc.rates(all_.threshold, prevalence=1.0).accuracy == 1
    assert not np.isnan([none.tpr, none.tnr, all_.tpr, all_.tnr]).any()


def test_the_slope_at_a_point_mass_is_infinite_at_its_jump_only():
    """A Gaussian against the value 1: TPR jumps from 0 to 1 at FPR = P(X >= 1), and is constant elsewhere."""
    roc = rp.PredictedRoc(negative=rp.Gaussian(0, 1), positive=rp.Gaussian(1, 0))
    assert roc.slope([ndtr(-1), 0.05, 0.5]).tolist() == [np.inf, 0, 0]


def test_the_table_of_a_batch_shows_the_middle_point_of_each_curve():
    curve = rp.PredictedRoc.from_stats(mean=([0, 0], [1, 2]), std=([1, 1], [1, 1])).curve(9)
    shown = [row[-2:] for row in curve.table().rows]
    assert shown == [[curve.fpr[k, 4], curve.tpr[k, 4]] for k in (0, 1)]
