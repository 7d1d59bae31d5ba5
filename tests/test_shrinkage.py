"""The shrunk estimate: its transform, its weight, where its area comes to lie, and what it is near in the limit."""

import itertools
import warnings

import numpy as np
import pytest
from scipy import integrate, stats
from scipy.special import ndtr, ndtri

from rocpredict import Ecdf, empirical_roc, predict_roc
from rocpredict.distributions import shrinkage as levels
from rocpredict.distributions.misfit import empirical_tpr, upper_tails
from rocpredict.distributions.power import LAMBDA_GRID, Transformed, fit_power_transforms
from rocpredict.distributions.shrinkage import (
    MAX_SLOPE,
    NOISE_FACTOR,
    PRIOR_LOG_RATIO_VARIANCE,
    SHRINKAGE_FPR,
    ShrinkageDistribution,
    binormal_tpr,
    estimate_shrinkage,
    fit_shrinkage,
    posterior_median_auc,
    shift_to_auc,
    shrinkage_weight,
    trapezoidal_auc,
)
from rocpredict.solvers.shrinkage import evaluate_batch
from tests.cases import for_each

pytestmark = pytest.mark.filterwarnings("ignore:the rows say the opposite")  # either direction is declared


def two_classes(seed=0, n0=30, n1=25):
    rng = np.random.default_rng(seed)
    return rng.gamma(3, 1, n0), rng.gamma(5, 1, n1)


def labelled(negative, positive):
    return np.concatenate([negative, positive]), np.repeat([0, 1], [len(negative), len(positive)])


def roc_of(negative, positive, **options):
    return predict_roc(*labelled(negative, positive), **{"family": "auto"} | options)


def score(kind, x, first, power):
    """Twice scipy's log likelihood, one for each class, and the log prior on the power."""
    llf = stats.boxcox_llf if kind == "box-cox" else stats.yeojohnson_llf
    return llf(power, x[:first]) + llf(power, x[first:]) - (power - 1) ** 2 / 2


@for_each(["box-cox", "zeros", "yeo-johnson"], range(6))
def test_powers_takes_the_likeliest_power_of_the_grid(kind, seed):
    """By scipy's likelihoods, one for each class, with the log prior, over all 71 powers."""
    rng = np.random.default_rng(seed)
    negative, positive = rng.gamma(1.5 + seed, 1, 20), rng.gamma(2.5 + seed, 1.3, 31)
    if kind == "zeros":
        negative[:2] = 0.0
    if kind == "yeo-johnson":
        negative, positive = np.log(negative) - 2, np.log(positive) - 1.7
    transforms, z = fit_power_transforms(negative[None], positive[None])
    transform = transforms[0]
    assert transform.kind == ("box-cox" if kind == "box-cox" else "yeo-johnson")
    x = (np.concatenate([negative, positive]) - transform.centre) / transform.scale
    scores = [score(transform.kind, x, 20, power) for power in LAMBDA_GRID]
    assert transform.power == LAMBDA_GRID[np.argmax(scores)]
    rows = np.concatenate([negative, positive])
    assert z[0] == pytest.approx(transform.transform(rows), rel=1e-11, abs=1e-13)
    assert transform.transform(rows) == pytest.approx(transforms[:, None].transform(rows[None])[0], rel=0)
    assert transform.inverse_transform(z[0]) == pytest.approx(rows, rel=1e-12, abs=1e-14)


def test_powers_centre_and_scale_are_those_it_says():
    x, y = np.array([0.0, 2.0, 8.0]), np.array([4.0, 0.0, 1.0])
    with_zeros = fit_power_transforms(x[None], y[None])[0][0]
    assert (with_zeros.centre, with_zeros.scale) == (0, pytest.approx(64 ** (1 / 4)))
    shifted = fit_power_transforms(x[None] - 3, y[None] - 3)[0][0]
    assert shifted.centre == -1.5
    assert shifted.scale == pytest.approx(np.std([0, 2, 8, 4, 0, 1], ddof=1))
    above = fit_power_transforms(x[None] + 1, y[None] + 1)[0][0]
    assert above.kind == "box-cox"
    assert above.scale == pytest.approx(stats.gmean([1, 3, 9, 5, 1, 2]))
    only = fit_power_transforms(x[None] + 1, y[None] + 1, method="yeo-johnson")[0][0]
    assert (only.kind, only.centre) == ("yeo-johnson", 2.5)


def test_powers_a_class_without_spread_leaves_the_shape():
    for rows in ([2.0] * 9, [0.1] * 9, [0.0] * 9, [-0.3] * 9):
        assert fit_power_transforms(np.array([rows]), np.array([[1.0, 2.0, 5.0]]))[0].power.tolist() == [1]
        assert fit_power_transforms(np.array([[1.0, 2.0, 5.0]]), np.array([rows]))[0].power.tolist() == [1]


@for_each([(2, 2), (7, 12), (300, 10), (10, 300)])
def test_empirical_tpr_values_are_the_empirical_curve(n0, n1):
    """With ties, against EmpiricalRoc.tpr_at_fpr."""
    rng = np.random.default_rng(n0)
    negative, positive = rng.integers(0, 9, (3, n0)) * 1.0, rng.integers(2, 12, (3, n1)) * 1.0
    result = empirical_tpr(np.sort(negative), np.sort(positive), SHRINKAGE_FPR)
    for k in range(3):
        assert np.array_equal(empirical_tpr(np.sort(negative[k]), np.sort(positive[k]), SHRINKAGE_FPR), result[k])
        wanted = empirical_roc(*labelled(negative[k], positive[k])).tpr_at_fpr(SHRINKAGE_FPR)
        assert result[k] == pytest.approx(wanted, abs=1e-12)


def test_shares_above_are_counted():
    rng = np.random.default_rng(1)
    sample, at = rng.integers(0, 9, (2, 40)) * 1.0, np.sort(rng.integers(-1, 10, (2, 15)) * 1.0, axis=1)
    beyond, reached = upper_tails(sample, at)
    assert np.array_equal(beyond, np.mean(sample[:, None, :] > at[:, :, None], axis=2))
    assert np.array_equal(reached, np.mean(sample[:, None, :] >= at[:, :, None], axis=2))


def test_weighing_the_weight_of_an_example_made_by_hand():
    """Constant curves: D = 0.04, V = T(1 - T)/n1 + s^2 mean f(1 - f)/n0, all of it by hand."""
    shape = (1, len(SHRINKAGE_FPR))
    result = shrinkage_weight(np.full(shape, 0.5), np.full(shape, 0.7), np.full(shape, 2.0), 10, 20)
    spread = np.mean(SHRINKAGE_FPR * (1 - SHRINKAGE_FPR))
    noise = 0.25 / 20 + 4 * spread / 10
    assert spread == pytest.approx(1 / 6, abs=1e-5)
    assert float(result.mean_square_difference[0]) == pytest.approx(0.04)
    assert float(result.expected_square_difference[0]) == pytest.approx(noise)
    assert float(result.weight[0]) == pytest.approx(0.04 / (0.04 + NOISE_FACTOR * noise))


def test_weight_at_its_limits():
    """A slope counts to its limit only; a model that is the sample has all weight."""
    same = np.full((1, len(SHRINKAGE_FPR)), 0.5)
    steep, steeper = (shrinkage_weight(same, same + 0.2, 0 * same + slope, 10, 20) for slope in (MAX_SLOPE, 1e9))
    assert np.array_equal(steep.expected_square_difference, steeper.expected_square_difference)
    for rates in (same, same * 0):
        assert shrinkage_weight(rates, rates, rates, 10, 10).weight.tolist() == [0]


@for_each([10, 40])
def test_weighing_the_noise_is_how_far_a_sample_strays_from_a_known_curve(n):
    """Monte Carlo, 4,000 samples of two known Gaussians; the expansion is good to 12 %, its noise adds 2 %."""
    rng = np.random.default_rng(n)
    m0, s0, m1, s1 = (np.array([value]) for value in (0.0, 1.0, 0.8, 1.1))
    tpr, slope = binormal_tpr(m0, s0, m1, s1)
    samples = rng.normal(0, 1, (4000, n)), rng.normal(0.8, 1.1, (4000, n))
    counted = empirical_tpr(*map(np.sort, samples), SHRINKAGE_FPR)
    result = shrinkage_weight(tpr, counted, slope, n, n)
    assert np.mean(result.mean_square_difference) == pytest.approx(
        float(result.expected_square_difference[0]), rel=0.14
    )


def test_weighing_binormal_tpr_values_are_the_formula():
    m0, s0, m1, s1 = (np.array([value]) for value in (0.3, 2.0, 1.9, 0.7))
    tpr, slope = binormal_tpr(m0, s0, m1, s1)
    assert tpr[0] == pytest.approx(ndtr((1.6 + 2 * ndtri(SHRINKAGE_FPR)) / 0.7), rel=1e-12)
    at = 1e-6
    rise = ndtr((1.6 + 2 * ndtri(SHRINKAGE_FPR + at)) / 0.7) - ndtr((1.6 + 2 * ndtri(SHRINKAGE_FPR - at)) / 0.7)
    assert slope[0] == pytest.approx(rise / (2 * at), rel=1e-4, abs=1e-8)


def median_by_quadrature(area, n0, n1, *, declared):
    """The median of the same posterior, by scipy.integrate.quad and bisection."""

    scale = levels.PRIOR_SCALE_KNOWN_DIRECTION if declared else levels.PRIOR_SCALE

    def density(d):
        variance = levels._variance(np.asarray(d), n0, n1)
        return float(np.exp(-((area - ndtr(d)) ** 2) / (2 * variance)) / np.sqrt(variance) / (1 + (d / scale) ** 2))

    low = 0.0 if declared else -levels._MAX_D
    knots = np.linspace(low, levels._MAX_D, 65)
    pieces = [integrate.quad(density, *ends, epsabs=0, epsrel=1e-9)[0] for ends in itertools.pairwise(knots)]
    reached = np.concatenate([[0], np.cumsum(pieces)])
    half = reached[-1] / 2
    k = int(np.searchsorted(reached, half)) - 1
    left, right = knots[k], knots[k + 1]
    for _ in range(40):
        middle = (left + right) / 2
        part = integrate.quad(density, knots[k], middle, epsabs=0, epsrel=1e-9)[0]
        left, right = (middle, right) if reached[k] + part < half else (left, middle)
    return float(ndtr(left))


@for_each([True, False], [(2, 2), (10, 10), (50, 20), (100, 100)])
def test_area_the_median_is_that_of_the_posterior(declared, n0, n1):
    """On a grid of cells, against quadrature: 2e-4 of AUC."""
    areas = np.array([0.05, 0.4, 0.5, 0.6, 0.9, 0.99])
    result = posterior_median_auc(areas, n0, n1, declared=declared)
    wanted = [median_by_quadrature(area, n0, n1, declared=declared) for area in areas]
    assert result == pytest.approx(wanted, abs=2e-4)


def test_area_the_variance_is_that_of_a_counted_area():
    """Two Gaussians of one spread, 20,000 pairs of samples a case: the ratio has an SE of 1 % (false: 1e-6)."""
    rng = np.random.default_rng(3)
    for d, n0, n1 in [(0.0, 8, 5), (0.9, 6, 9)]:
        negative, positive = rng.normal(size=(20_000, n0, 1)), rng.normal(d * np.sqrt(2), size=(20_000, 1, n1))
        areas = np.mean(positive > negative, axis=(1, 2))
        assert levels._variance(np.asarray(d), n0, n1) == pytest.approx(np.var(areas), rel=0.055)


def test_area_the_variance_keeps_its_sign_and_its_sides():
    """Far out A - A^2 and its like cancel; 1,000 rows against 2 made it negative."""
    d = np.linspace(-9, 9, 361)
    for n0, n1 in [(2, 1000), (1000, 2), (2, 2), (10_000, 10_000)]:
        variance = levels._variance(d, n0, n1)
        assert (variance > 0).all()
        assert np.array_equal(variance, levels._variance(-d, n0, n1))


@for_each([True, False])
def test_area_any_area_and_any_size_has_a_median(declared):
    """It rises with the area, is odd where no direction is declared, and many rows leave it alone."""
    areas = np.concatenate([[0, 1e-300, 1e-16, 1 - 1e-16, 1], np.linspace(0, 1, 101)])
    for n0, n1 in [(2, 2), (2, 1000), (1000, 2), (30, 40), (100_000, 100_000)]:
        medians = posterior_median_auc(areas, n0, n1, declared=declared)
        assert ((medians >= (0.5 if declared else 0)) & (medians <= 1)).all()
        assert (np.diff(medians[5:]) >= -1e-9).all()
    areas = np.array([0.55, 0.7, 0.9])
    assert posterior_median_auc(areas, 10**6, 10**6, declared=declared) == pytest.approx(areas, abs=2e-5)
    areas = np.linspace(0.01, 0.99, 33)
    both = [posterior_median_auc(a, 9, 14, declared=False) for a in (areas, 1 - areas)]
    assert sum(both) == pytest.approx(1, abs=1e-9)


def test_a_shift_reaches_its_area():
    fpr, t = np.linspace(0, 1, 40), np.linspace(0, 1, 40)
    curves = np.stack([t**0.3, t, t**2, np.clip(3 * t, 0, 1)])
    for wanted in (0.2, 0.5, 0.71, 0.95):
        shift = shift_to_auc(np.tile(fpr, (4, 1)), curves, np.full(4, wanted))
        moved = [
            np.concatenate([[0], ndtr(ndtri(part[:, 1:-1]) + s * shift[:, None])[k], [1]])
            for k, (part, s) in itertools.product(range(4), ((np.tile(fpr, (4, 1)), -1), (curves, 1)))
        ]
        areas = trapezoidal_auc(np.stack(moved[::2]), np.stack(moved[1::2]))
        assert areas == pytest.approx(wanted, abs=1e-9)


def test_area_a_curve_along_the_axes_stays():
    """Perfect separation, and its reverse: no shift changes them, and none is made up."""
    fpr, tpr = np.array([[0, 0, 1.0], [0, 1, 1.0]]), np.array([[0, 1, 1.0], [0, 0, 1.0]])
    assert shift_to_auc(fpr, tpr, np.array([0.9, 0.6])).tolist() == [0, 0]


@for_each([True, False])
def test_estimate_a_batch_is_a_loop(declared):
    """Features of every kind at once and each by itself: the same to 1e-10."""
    rng = np.random.default_rng(8)
    rows = [rng.gamma(2, 1, 26), rng.normal(size=26), rng.poisson(2, 26), np.full(26, 3.0), rng.normal(size=26) * 1e9]
    rows += [np.r_[np.full(12, 1.0), rng.normal(size=14)], np.exp(9 * rng.normal(size=26)), np.arange(26.0) - 9]
    table = np.array(rows, dtype=float)
    whole = estimate_shrinkage(table[:, :12], table[:, 12:], direction_known=declared)
    for k, row in enumerate(table):
        alone = estimate_shrinkage(row[None, :12], row[None, 12:], direction_known=declared)
        for part in ("power", "centre", "scale"):
            assert getattr(alone.transform, part)[0] == pytest.approx(getattr(whole.transform, part)[k], rel=1e-12)
        assert alone.z[0] == pytest.approx(whole.z[k], rel=1e-12)
        for one, many in zip((*alone.classes, *alone.weight), (*whole.classes, *whole.weight), strict=True):
            assert one[0] == pytest.approx(many[k], rel=1e-10, abs=1e-12)
        assert alone.shift[0] == pytest.approx(whole.shift[k], abs=1e-9)


def test_estimate_spreads_are_drawn_towards_each_other():
    negative, positive = two_classes(3, 12, 40)
    result = estimate_shrinkage(negative[None], positive[None], direction_known=True)
    rows = result.z[0]
    s0, s1 = rows[:12].std(ddof=1), rows[12:].std(ddof=1)
    kept = PRIOR_LOG_RATIO_VARIANCE / (PRIOR_LOG_RATIO_VARIANCE + 2 / 11 + 2 / 39)
    assert np.log(result.classes.s1[0] / result.classes.s0[0]) == pytest.approx(kept * np.log(s1 / s0))
    assert result.classes.s0[0] ** 2 + result.classes.s1[0] ** 2 == pytest.approx(s0**2 + s1**2)
    assert (result.classes.m0[0], result.classes.m1[0]) == pytest.approx((rows[:12].mean(), rows[12:].mean()))


def test_estimate_the_pair_has_the_area_that_was_aimed_at():
    """The estimate follows a polyline, the answer quadrature: they agree to 2e-4."""
    for seed in range(4):
        negative, positive = two_classes(seed)
        result = estimate_shrinkage(negative[None], positive[None], direction_known=True)
        pair = fit_shrinkage(negative, positive, "higher")
        unshifted = [ShrinkageDistribution(d.model, d.sample, d.data_weight) for d in pair]
        area = type(roc_of(negative, positive))(*unshifted).auc()
        aim = float(posterior_median_auc(np.array([area]), 30, 25, declared=True)[0])
        assert type(roc_of(negative, positive))(*pair).auc() == pytest.approx(aim, abs=2e-4)
        assert [d.shift for d in pair] == [-float(result.shift[0]), float(result.shift[0])]


def test_estimate_lower_is_higher_with_the_classes_exchanged():
    """Declared lower: the pair that is fitted is that of the exchanged classes, bit for bit."""
    negative, positive = two_classes(5)
    lower, higher = roc_of(negative, positive, direction="lower"), roc_of(positive, negative, direction="higher")
    assert (lower.negative, lower.positive) == (higher.positive, higher.negative)
    assert lower.auc() == pytest.approx(higher.auc(), abs=1e-9)
    assert lower.best_threshold().ameans == pytest.approx(higher.best_threshold().ameans, abs=1e-12)


@for_each(range(5))
def test_estimate_exchanging_the_classes_mirrors_the_curve_where_no_direction_is_declared(seed):
    """All but exactly: the weight is measured in TPR over FPR, not the other way, so areas agree to 2e-3."""
    negative, positive = two_classes(seed)
    there, back = roc_of(negative, positive), roc_of(positive, negative)
    assert there.auc() + back.auc() == pytest.approx(1, abs=2e-3)
    auto = roc_of(positive, negative, direction="auto")
    assert auto.direction == "lower"
    assert auto.auc() == pytest.approx(there.auc(), abs=2e-3)


def test_estimate_a_declared_direction_is_kept():
    """However the rows lie, the AUC is 1/2 or more on the declared side, as long as the classes overlap."""
    for seed in range(8):
        rng = np.random.default_rng(seed)
        negative, positive = rng.normal(1.2, 1, 9), rng.normal(0, 1 + seed / 4, 7)
        assert roc_of(negative, positive, direction="higher").auc() >= 0.5
        assert roc_of(positive, negative, direction="lower").auc() >= 0.5


@for_each(["positive", "zeros", "any"], [1e-200, 1e-7, 3.0, 1e200])
def test_estimate_the_unit_does_not_matter(kind, scale):
    negative, positive = two_classes(7)
    if kind == "zeros":
        negative[:3] = 0.0
    if kind == "any":
        negative, positive = negative - 4.3, positive - 4.3
    plain, scaled = roc_of(negative, positive), roc_of(negative * scale, positive * scale)
    assert scaled.auc() == pytest.approx(plain.auc(), abs=1e-9)
    best, wanted = scaled.best_threshold(), plain.best_threshold()
    assert best.threshold == pytest.approx(wanted.threshold * scale, rel=1e-9)
    assert best.ameans == pytest.approx(wanted.ameans, abs=1e-9)


def test_estimate_where_there_are_negative_values_the_zero_does_not_matter():
    negative, positive = (part - 4.25 for part in two_classes(7))
    plain, moved = roc_of(negative, positive), roc_of(negative - 64.0, positive - 64.0)
    assert moved.auc() == pytest.approx(plain.auc(), abs=1e-9)
    assert moved.best_threshold().threshold == pytest.approx(plain.best_threshold().threshold - 64, rel=1e-9)


def test_estimate_an_offset_costs_no_digits():
    """Steps of 1e-3 on 1e9: 8,000 times the grain of the floats there, and of log x one in three only."""
    negative, positive = (1e9 + np.round(part, 3) for part in two_classes(7))
    steps = roc_of(negative, positive, family="boxcox")
    wanted = roc_of(negative - 1e9 + 1e6, positive - 1e9 + 1e6, family="boxcox")
    assert steps.auc() == pytest.approx(wanted.auc(), abs=1e-5)


def test_estimate_many_rows_go_to_the_sample_if_the_model_is_wrong_and_stay_with_it_if_right():
    """A right model keeps D/V near 0.3, so a weight of 1/2 or less (false: 1e-3 a seed, 1 seed); a wrong one
    leaves a gap of 0.05 of TPR, 20 standard errors."""
    rng, shape = np.random.default_rng(12), (1, 20_000)
    right = evaluate_batch(rng.normal(0, 1, shape), rng.normal(1, 1.3, shape), lower=False, declared=True)
    assert float(right.weight[0]) < 0.6
    assert float(right.area_between[0]) < 0.006
    halves = np.where(rng.random(shape) < 0.5, rng.normal(-3, 0.3, shape), rng.normal(3, 0.3, shape))
    wrong = estimate_shrinkage(rng.normal(0, 1, shape), halves, direction_known=False)
    assert float(wrong.weight.weight[0]) > 0.99
    assert abs(float(wrong.shift[0])) < 0.01


def test_estimate_beats_the_empirical_curve_on_few_rows():
    """400 samples of 10 a class of two gammas: a quarter less error in TPR; 0.9 is 5 standard errors away."""
    rng = np.random.default_rng(4)
    truth = stats.gamma(3, scale=1.6).sf(stats.gamma(3).isf(SHRINKAGE_FPR))
    errors = []
    for _ in range(60):
        negative, positive = rng.gamma(3, 1, 10), rng.gamma(3, 1.6, 10)
        shrunk = fit_shrinkage(negative, positive, "higher")
        tpr = shrunk[1].sf(shrunk[0].isf(SHRINKAGE_FPR))
        counted = empirical_tpr(np.sort(negative), np.sort(positive), SHRINKAGE_FPR)
        errors.append([np.abs(tpr - truth).mean(), np.abs(counted - truth).mean()])
    shrunk_error, counted_error = np.mean(errors, axis=0)
    assert shrunk_error < 0.9 * counted_error


LARGE = np.finfo(float).max
ODD = {
    "perfect separation": ([1, 2, 3, 4], [11, 12, 14]),
    "reversed separation": ([11, 12, 14], [1, 2, 3, 4]),
    "constant negatives": ([2, 2, 2, 2], [1, 2, 3, 4]),
    "constant positives": ([1, 2, 3, 4], [2, 2, 2]),
    "both constant": ([2, 2, 2], [3, 3]),
    "constant feature": ([2, 2, 2], [2, 2, 2, 2]),
    "zero feature": ([0, 0, 0], [0, 0]),
    "two rows": ([1, 2], [1.5, 3]),
    "two rows tied": ([1, 1], [1, 2]),
    "one value differs": ([1] * 9, [1] * 8 + [2]),
    "one value is not 0": ([0] * 9, [0] * 8 + [1]),
    "binary": ([0, 0, 1, 0, 0], [1, 1, 0, 1]),
    "integers": ([3, 1, 4, 1, 5, 2, 6], [5, 3, 5, 8, 9, 7]),
    "huge offset": (1e9 + 1e-3 * np.arange(9) ** 2, 1e9 + 1e-3 * (np.arange(7) ** 2 + 3)),
    "huge negative offset": (-1e9 + 1e-3 * np.arange(9) ** 2, -1e9 + 1e-3 * (np.arange(7) ** 2 + 3)),
    "neighbouring floats": ([1, 1 + 2**-52], [1, 1 + 2**-51]),
    "1e200": (1e200 * np.array([1.0, 2, 4]), 1e200 * np.array([2.0, 5, 9, 7])),
    "-1e200": (-1e200 * np.array([1.0, 2, 4]), 1e200 * np.array([-2.0, 5, 9, 7])),
    "1e-200": (1e-200 * np.array([1.0, 2, 4]), 1e-200 * np.array([2.0, 5, 9, 7])),
    "large": ([-LARGE / 1.1, 0, 1, 2], [LARGE / 1.1, 3, 1, 4]),
    "subnormal": (5e-324 * np.array([100.0, 250, 400]), 5e-324 * np.array([260.0, 500, 390])),
    "outlier": ([1.0, 2, 3, 4, 5, 1e300], [2.0, 3, 5, 8]),
    "outliers of both kinds": ([-1e300, 2, 3, 4, 5], [2.0, 3, 5, 8, 1e300]),
    "outliers near 0": ([1e-300, 2, 3, 4, 5], [2.0, 3, 5, 8, 1e300]),
    "zeros": ([0, 0, 0, 1.5, 2], [0, 3.1, 2, 2.2]),
    "2 against 200": ([0.2, 0.9], stats.norm.ppf((np.arange(200) + 0.5) / 200, 0.5)),
}


@for_each(ODD)
def test_odd_samples_have_answers(negative, positive):
    """No warning, no NaN; areas sum to 1; the best threshold is what it says, and nothing on the curve beats it."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for direction in (None, "lower"):
            roc = roc_of(np.asarray(negative, dtype=float), np.asarray(positive, dtype=float), direction=direction)
            best, curve = roc.best_threshold(), roc.curve(65)
            results = roc.auc(), best.threshold, best.ameans, *roc.tpr_at_fpr([0, 0.1, 0.9, 1]), *curve.fpr, *curve.tpr
            assert not np.isnan(results).any()
            assert 0 <= roc.auc() <= 1
            assert roc.auc() + roc.auc_complement() == pytest.approx(1, abs=1e-12)
            assert roc.tpr(best.threshold) == pytest.approx(best.tpr, abs=1e-12)
            assert best.ameans >= np.max(curve.tpr + 1 - curve.fpr) / 2 - 1e-9
            assert repr(roc)


def test_rows_without_spread_count_alone():
    """A class of one value says nothing about a model: the pair is the sample's."""
    roc = roc_of([2.0] * 5, [1.0, 2, 3, 4])
    assert [d.data_weight for d in (roc.negative, roc.positive)] == [1, 1]
    assert [type(d.model) for d in (roc.negative, roc.positive)] == [Transformed] * 2
    assert roc.negative.sample == Ecdf([2.0] * 5)
