"""The shrunk estimate: against a slow implementation of its formulas, its invariance, ties, and degenerate samples."""

import itertools
import warnings
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from rocpredict import Ecdf, empirical_roc, predict_roc
from rocpredict.distributions import shrinkage
from rocpredict.distributions.ecdf import cumulate, empirical_tpr
from rocpredict.distributions.power_transform import LAMBDA_GRID, fit_power_transforms
from rocpredict.distributions.shrinkage import (
    ShrinkageDistribution,
    estimate_shrinkage,
    mann_whitney_auc,
    posterior_median_auc,
)
from rocpredict.solvers.shrinkage import evaluate_batch
from tests.cases import for_each
from tests.samples import labelled

pytestmark = pytest.mark.filterwarnings("ignore:the data contradict")  # either direction is declared
GRID = (np.arange(200) + 0.5) / 200


def two_classes(seed=0, n0=30, n1=25):
    rng = np.random.default_rng(seed)
    return rng.gamma(3, 1, n0), rng.gamma(5, 1, n1)


def roc_of(negative, positive, **options):
    return predict_roc(*labelled(negative, positive), **{"family": "auto"} | options)


def score(kind, x, first, power):
    """Twice scipy's log likelihood, one for each class, and the log prior on the power."""
    llf = stats.boxcox_llf if kind == "box-cox" else stats.yeojohnson_llf
    return llf(power, x[:first]) + llf(power, x[first:]) - (power - 1) ** 2 / 2


@for_each(["box-cox", "zeros", "yeo-johnson"], range(6))
def test_powers_maximize_the_likelihood_on_the_grid(kind, seed):
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


def test_powers_centre_and_scale_are_as_documented():
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


def test_powers_of_a_constant_class_keep_the_shape():
    for rows in ([2.0] * 9, [0.1] * 9, [0.0] * 9, [-0.3] * 9):
        assert fit_power_transforms(np.array([rows]), np.array([[1.0, 2.0, 5.0]]))[0].power.tolist() == [1]
        assert fit_power_transforms(np.array([[1.0, 2.0, 5.0]]), np.array([rows]))[0].power.tolist() == [1]


@for_each([(2, 2), (7, 12), (300, 10), (10, 300)])
def test_empirical_tpr_values_are_the_empirical_curve(n0, n1):
    rng = np.random.default_rng(n0)
    for _ in range(3):
        negative, positive = rng.integers(0, 9, n0) * 1.0, rng.integers(2, 12, n1) * 1.0
        wanted = empirical_roc(*labelled(negative, positive)).tpr_at_fpr(GRID)
        assert empirical_tpr(np.sort(negative), np.sort(positive), GRID) == pytest.approx(wanted, abs=1e-12)


# ---- the formulas of docs/auto.md, slowly: one feature, loops, scipy.stats
DELTA = [0.02, 0.08, 0.16, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95, 1.05, 1.15, 1.3, 1.45, 1.6, 1.75, 1.9]
DELTA += [2.1, 2.3, 2.5, 2.75, 3, 3.3, 3.7, 4.2]
LOG_RATIO = [0.15, 0.3, 0.45, 0.65, 0.9, 1.2, 1.6]
LOG_RATIO = [-value for value in LOG_RATIO[::-1]] + [0] + LOG_RATIO


def widths(points, first):
    ends = [first] + [(a + b) / 2 for a, b in itertools.pairwise(points)]
    return np.diff([*ends, 2 * points[-1] - ends[-1]])


@cache
def slow_shapes(n0, n1, declared):
    """Yield delta, log ratio, log prior and P(positive) in each of m cells, of every shape."""
    m = n0 + n1
    rho, shapes = n1 / m, []
    spans = widths(DELTA, 0), widths(LOG_RATIO, -1.8)
    for i, j, sign in np.ndindex(len(DELTA), len(LOG_RATIO), 1 if declared else 2):
        d, ratio = DELTA[i] * (-1) ** sign, LOG_RATIO[j]
        s0, s1 = np.exp(-ratio / 2), np.exp(ratio / 2)
        mu = d * np.sqrt(s0**2 + s1**2)
        x = np.linspace(-12 * s1 - 12 * s0, 12 * s1 + 12 * s0, 8001)
        f0, f1 = stats.norm(-mu / 2, s0).cdf(x), stats.norm(mu / 2, s1).cdf(x)
        reached = np.interp(np.arange(1, m) / m, (1 - rho) * f0 + rho * f1, f1)
        pi = np.clip(m * rho * np.diff([0, *reached, 1]), 1e-7, 1 - 1e-7)
        scale = 0.35 * (1 + 0.2 * abs(d))
        prior = -np.log(1 + (d / 0.5) ** 2) / 2 - np.log(scale) - 1.5 * np.log(1 + (ratio / scale) ** 2 / 2)
        shapes.append((d, prior + np.log(spans[0][i] * spans[1][j]), pi))
    return shapes


def slow_blocks(x):
    return [np.flatnonzero(x == value) for value in np.unique(x)]


def averaged(values, blocks):
    result = values.copy()
    for block in blocks:
        result[block] = values[block].mean()
    return result


def slow_estimate(negative, positive, *, declared):
    """Return P(positive) at each position, that of the model, lambda and D: for up to 100 observations."""
    n0, n1, m = len(negative), len(positive), len(negative) + len(positive)
    x, is_positive = np.concatenate([negative, positive]), np.repeat([0.0, 1.0], [n0, n1])
    order = np.argsort(x)
    x, k = x[order], np.arange(1, m + 1)
    blocks = slow_blocks(x)
    q, u = averaged(is_positive[order], blocks), (k - 0.5) / m
    size = m / 0.4
    rank = size * (k - 0.5) / m + 0.5
    kernel = np.array([np.diff(stats.beta(r, size - r + 1).cdf(np.arange(m + 1) / m)) for r in rank])
    levels, shapes = [], slow_shapes(n0, n1, declared)
    for _, prior, pi in shapes:
        smooth = kernel @ pi
        smooth += smooth * (1 - smooth) * np.sum(pi - smooth) / np.sum(smooth * (1 - smooth))
        smooth = np.clip(smooth, 1e-7, 1 - 1e-7)
        level = prior + np.log((pi * (1 - pi)).sum() + 0.1) / 4
        for block in blocks:
            share = np.full(len(block), smooth[block].mean()) if len(block) > m / 20 else smooth[block]
            level += np.sum(q[block] * np.log(share) + (1 - q[block]) * np.log(1 - share))
        levels.append(level)
    weights = np.exp(np.array(levels) - max(levels))
    weights /= weights.sum()
    p = averaged(sum(w * pi for w, (_, _, pi) in zip(weights, shapes, strict=True)), blocks)

    def area(values):
        return (np.sum(values * (k - 0.5)) - n1**2 / 2) / (n0 * n1)

    deltas = np.array([d for d, _, _ in shapes])
    table_area = area(p) + (stats.norm.cdf(weights @ deltas) - weights @ stats.norm.cdf(deltas)) / 2
    rank_area = slow_posterior_median(negative, positive, declared=declared)
    w = p * (1 - p)
    tilt = w * (u - np.sum(w * u) / w.sum())
    spread = np.sum(tilt * u)
    residual = q - p - tilt * np.sum((q - p) * u) / spread
    t = np.cumsum(w) / w.sum()
    misfit = np.sum(np.cumsum(residual) ** 2) / (w.sum() * np.sum(t * (1 - t)))
    data_weight = misfit**1.5 / (misfit**1.5 + 0.5)
    area_weight = misfit / (misfit + 6 * m / (2 * n0 * n1))
    target = table_area + area_weight * (rank_area - table_area)
    model = p + tilt * (target - area(p)) * n0 * n1 / (m * spread)
    pi = averaged(np.clip(model + data_weight * residual, 1e-9, 1 - 1e-9), blocks)
    return pi, averaged(np.clip(model, 1e-9, 1 - 1e-9), blocks), data_weight, misfit


@cache
def comparisons(d):
    """Return the variance of one comparison of equal Gaussians, and the covariance of two that share a value."""
    both = stats.multivariate_normal([0, 0], [[1, 0.5], [0.5, 1]]).cdf([d, d]) - stats.norm.cdf(d) ** 2
    return stats.norm.cdf(d) * stats.norm.cdf(-d), both


def slow_posterior_median(negative, positive, *, declared):
    """Return Phi of the posterior median of delta, by quadrature."""
    n0, n1 = len(negative), len(positive)
    wins = np.array([[float(b > a) + 0.5 * (b == a) for a in negative] for b in positive])
    area, g = wins.mean(), n0 * n1 / (n0 + n1)
    delong = wins.mean(axis=1).var(ddof=1) / n1 + wins.mean(axis=0).var(ddof=1) / n0

    def equal(d):
        q, both = comparisons(float(d))
        return (q + (n0 + n1 - 2) * both) / (n0 * n1)

    here = equal(np.clip(stats.norm.ppf(area), -6, 6))
    ratio = (g * delong + 2 * here) / ((g + 2) * here)
    d = np.linspace(0 if declared else -5, 5, 501 if declared else 1001)
    variance = ratio * np.array([equal(value) for value in d])
    density = np.exp(-((area - stats.norm.cdf(d)) ** 2) / (2 * variance)) / np.sqrt(variance * (1 + (d / 0.5) ** 2))
    reached = integrate.cumulative_trapezoid(density, d, initial=0)
    return stats.norm.cdf(np.interp(reached[-1] / 2, reached, d))


SAMPLES = {
    "normal": lambda rng, n0, n1: (rng.normal(0, 1, n0), rng.normal(0.8, 1.5, n1)),
    "weak": lambda rng, n0, n1: (rng.normal(0, 1, n0), rng.normal(0, 1, n1)),
    "misfit": lambda rng, n0, n1: (rng.normal(0, 1, n0), rng.choice([-3, 3], n1) + rng.normal(0, 0.4, n1)),
    "narrow ties": lambda rng, n0, n1: (np.round(rng.normal(0, 1, n0), 1), np.round(rng.normal(1, 1, n1), 1)),
    "ratings": lambda rng, n0, n1: (rng.integers(0, 4, n0) * 1.0, rng.integers(1, 6, n1) * 1.0),
    "binary": lambda rng, n0, n1: ((rng.random(n0) < 0.3) * 1.0, (rng.random(n1) < 0.6) * 1.0),
}
LARGER = [(SAMPLES[name], 31, 22, True) for name in ("normal", "narrow ties", "ratings")]


@for_each([*((make, 12, 9, declared) for make in SAMPLES.values() for declared in (True, False)), *LARGER])
def test_estimate_equals_a_slow_implementation(make, n0, n1, declared):
    """P(positive) to 3e-4, from the finite grids of the table and of the posterior of the area."""
    negative, positive = make(np.random.default_rng(n0), n0, n1)
    result = estimate_shrinkage(negative[None], positive[None], declared=declared)
    posterior, model, data_weight, misfit_ratio = slow_estimate(negative, positive, declared=declared)
    assert np.diff(result.posterior[0]) == pytest.approx(posterior, abs=3e-4)
    assert np.diff(result.model[0]) == pytest.approx(model, abs=3e-4)
    assert float(result.data_weight[0]) == pytest.approx(data_weight, abs=1e-4)
    assert float(result.misfit_ratio[0]) == pytest.approx(misfit_ratio, rel=1e-3)


@for_each(SAMPLES, [True, False])
def test_cells_of_many_ranks_stand_for_each_rank(make, declared):
    """With 180 + 90 observations, a table of 64 cells against one of a cell for each rank: to .004."""
    negative, positive = make(np.random.default_rng(5), 180, 90)
    coarse = estimate_shrinkage(negative[None], positive[None], declared=declared)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shrinkage, "_MAX_CELLS", 1000)
        shrinkage._shape_table.cache_clear()
        fine = estimate_shrinkage(negative[None], positive[None], declared=declared)
    shrinkage._shape_table.cache_clear()
    gaps = np.abs(coarse.posterior - fine.posterior) / 90
    assert gaps.max() < 0.004


@for_each(SAMPLES)
def test_empirical_area_and_its_variance_are_delongs(make):
    negative, positive = make(np.random.default_rng(2), 17, 23)
    pooled = shrinkage.PooledSample.from_samples(negative[None], positive[None])
    area, variance = mann_whitney_auc(pooled, cumulate(pooled.positive_fraction), 17, 23)
    empirical = empirical_roc(*labelled(negative, positive))
    assert area[0] == pytest.approx(empirical.auc(), abs=1e-12)
    assert np.sqrt(variance[0]) == pytest.approx(empirical.auc_std_error(method="delong"), rel=1e-9)


@for_each([True, False], [(2, 2), (10, 10), (10, 300), (1000, 1000), (200_000, 200_000)])
def test_posterior_median_area_rises_and_has_the_right_limits(declared, *sizes):
    """Any empirical area has a median; it rises, is odd without a direction, and many observations leave it alone."""
    areas = np.concatenate([[0.0, 1e-16], np.linspace(0.001, 0.999, 99), [1 - 1e-16, 1.0]])
    variance = shrinkage._binormal_auc_variance(np.clip(stats.norm.ppf(areas), -6, 6), *sizes)
    result = posterior_median_auc(areas, variance, *sizes, declared=declared)
    assert ((result >= (0.5 if declared else 0)) & (result <= 1)).all()
    assert (np.diff(result) > -2e-4).all()
    if not declared:
        assert result + result[::-1] == pytest.approx(1, abs=1e-9)
    if sizes[0] == 200_000:
        inner = (areas > 0.51) & (areas < 0.99)
        assert result[inner] == pytest.approx(areas[inner], abs=1e-4)


# ---- invariance
values = st.lists(st.integers(-20, 20), min_size=4, max_size=30)


@settings(max_examples=40, deadline=None)
@given(values, st.integers(0, 2**20), st.sampled_from([None, "higher", "lower"]))
def test_increasing_maps_change_nothing_but_the_thresholds(whole, seed, direction):
    """x + c, exp(x) and cubes: all answers are equal to the last digit, thresholds lie between the same values."""
    rng = np.random.default_rng(seed)
    x = np.array(whole) / 4
    y = rng.permutation(np.arange(len(x)) % 2)
    roc = predict_roc(x, y, family="auto", direction=direction)
    best, curve = roc.best_threshold(), roc.curve()
    for transform in (lambda v: v + 16, np.exp, lambda v: v**3):
        mapped = predict_roc(transform(x), y, family="auto", direction=direction)
        other = mapped.best_threshold()
        assert mapped.auc() == roc.auc()
        assert mapped.model_fit() == roc.model_fit()
        assert (other.tpr, other.fpr, other.ameans) == (best.tpr, best.fpr, best.ameans)
        assert np.array_equal(mapped.curve().tpr, curve.tpr)
        assert np.array_equal(mapped.curve().fpr, curve.fpr)
        assert np.array_equal(transform(x) >= other.threshold, x >= best.threshold)
        assert np.array_equal(mapped.tpr(transform(x)), roc.tpr(x))


@settings(max_examples=40, deadline=None)
@given(values, st.integers(0, 2**20))
def test_a_reflection_mirrors_the_estimate(whole, seed):
    """-x with the other direction is the same rule; without a direction the curve is that of the exchanged classes."""
    rng = np.random.default_rng(seed)
    x = np.array(whole) / 4
    y = rng.permutation(np.arange(len(x)) % 2)
    here, there = (
        predict_roc(sign * x, y, family="auto", direction=way) for sign, way in ((1, "higher"), (-1, "lower"))
    )
    assert here.auc() == there.auc()
    assert here.best_threshold().threshold == -there.best_threshold().threshold
    assert here.best_threshold().ameans == there.best_threshold().ameans
    open_here, open_there = predict_roc(x, y, family="auto"), predict_roc(-x, y, family="auto")
    assert open_here.auc() == pytest.approx(1 - open_there.auc(), abs=1e-7)
    exchanged = predict_roc(x, 1 - y, family="auto")
    assert exchanged.auc() == pytest.approx(1 - open_here.auc(), abs=1e-7)


@for_each([10, 50, 400])
def test_a_wild_value_counts_as_its_rank(n):
    """The largest value, and one value in a hundred, multiplied by 1,000."""
    rng = np.random.default_rng(n)
    negative, positive = np.abs(rng.normal(2, 1, n)), np.abs(rng.normal(3, 1, n))
    plain = estimate_shrinkage(negative[None], positive[None], declared=True)
    largest = max(negative.max(), positive.max())
    wild = [np.where(part == largest, 1000 * part, part) for part in (negative, positive)]
    assert np.array_equal(estimate_shrinkage(*(part[None] for part in wild), declared=True).posterior, plain.posterior)
    few = [np.where(np.arange(n) < max(1, n // 100), 1000 * part, part) for part in (negative, positive)]
    ranks = stats.rankdata(np.concatenate(few))
    ranked = predict_roc(ranks, labelled(*few)[1], family="auto")
    assert roc_of(*few).auc() == ranked.auc()


# ---- ties
@for_each([10, 50, 200], [True, False])
def test_ties_move_the_area_no_more_than_breaking_them_at_random(n, declared):
    """Binary features: the mean area of 200 samples against ties broken at random, .012 at n = 10 and .005 beyond."""
    rng = np.random.default_rng(n)
    negative, positive = ((rng.random((200, n)) < share) * 1.0 for share in (0.2, 0.5))
    tied = evaluate_batch(negative, positive, lower=False, declared=declared).auc
    broken = [part + rng.random(part.shape) / 2 for part in (negative, positive)]
    gap = np.mean(tied - evaluate_batch(*broken, lower=False, declared=declared).auc)
    assert abs(gap) < (0.012 if n == 10 else 0.005)


def test_thresholds_lie_between_values():
    """Of a binary feature .5; of others the middle of two neighbours."""
    roc = roc_of([0.0] * 8 + [1.0] * 2, [0.0] * 3 + [1.0] * 9)
    assert roc.best_threshold().threshold == 0.5
    assert roc.tpr(1.0) == roc.tpr(0.5) > roc.tpr(1.5) == 0
    negative, positive = two_classes(4)
    pooled = np.sort(np.concatenate([negative, positive]))
    middles = (pooled[1:] + pooled[:-1]) / 2
    assert roc_of(negative, positive).best_threshold().threshold in middles


# ---- the batch and one feature
@for_each([None, "higher", "lower", "auto"], SAMPLES)
def test_batch_is_the_loop(direction, make):
    rng = np.random.default_rng(7)
    rows = [make(rng, 21, 14) for _ in range(9)]
    for j, (negative, positive) in enumerate(rows):
        roc = roc_of(negative, positive, direction=direction)
        lower = roc.direction == "lower"
        batch = evaluate_batch(
            np.array([row[0] for row in rows]),
            np.array([row[1] for row in rows]),
            lower=lower,
            declared=direction in {"higher", "lower"},
            is_chosen=direction == "auto",
        )
        best, auc = roc.best_threshold(), 1 - roc.auc() if lower else roc.auc()
        assert batch.auc[j] == pytest.approx(auc, abs=1e-7)
        assert batch.threshold[j] == best.threshold
        assert batch.rule.tpr[j] == pytest.approx(best.tpr, abs=1e-7)
        assert batch.rule.tnr[j] == pytest.approx(best.tnr, abs=1e-7)
        assert batch.rule.ameans[j] == pytest.approx(best.ameans, abs=1e-7)
        assert batch.area_between[j] == pytest.approx(roc.model_fit().area_between, abs=1e-7)


def test_classes_are_point_masses_at_the_values_of_both():
    """Their weights sum to the class sizes, and the curve of the weights is the ROC curve."""
    negative, positive = two_classes(3)
    roc = roc_of(negative, positive, direction="higher")
    assert isinstance(roc.negative, ShrinkageDistribution)
    assert isinstance(roc.negative, Ecdf)
    assert np.array_equal(roc.negative.unique_values, np.union1d(negative, positive))
    assert (roc.negative.total, roc.positive.total) == (pytest.approx(30), pytest.approx(25))
    curve = roc.curve()
    assert np.trapezoid(curve.tpr, curve.fpr) == pytest.approx(roc.auc(), abs=1e-12)
    assert roc.partial_auc(fpr=(0, 1)) == pytest.approx(roc.auc(), abs=1e-12)
    assert roc.negative.pdf(negative).tolist() == [0.0] * 30


# ---- what is expected on new data
@for_each([(10, 0.012), (20, 0.005), (50, 0.005), (200, 0.005)], ["higher", None, "auto"])
def test_expected_ameans_is_that_on_new_data(n, allowed, direction):
    """Mean over seven pairs of normal classes, 400 samples each; its SE is about .001.

    With "auto" the sample chooses the direction: samples with an AUC below 1/2 are reflected.
    """
    rng = np.random.default_rng(n)
    gaps = []
    for mean, std in [(0.3, 1.0), (0.6, 1.0), (1.0, 1.0), (1.5, 1.0), (2.5, 1.0), (1.0, 2.0), (1.0, 0.6)]:
        negative, positive = rng.normal(0, 1, (400, n)), rng.normal(mean, std, (400, n))
        sign = np.ones((400, 1))
        if direction == "auto":
            sign[(positive[:, :, None] > negative[:, None, :]).mean(axis=(1, 2)) < 0.5] = -1
        options = {"declared": direction == "higher", "is_chosen": direction == "auto"}
        batch = evaluate_batch(sign * negative, sign * positive, lower=False, **options)
        sign, threshold = sign[:, 0], sign[:, 0] * batch.threshold
        achieved = (stats.norm.cdf(sign * threshold) + stats.norm.sf(sign * (threshold - mean) / std)) / 2
        gaps.append(np.mean(batch.rule.ameans - achieved))
    assert abs(np.mean(gaps)) < allowed


def test_a_reflected_estimate_exchanges_the_directions():
    """The posterior probabilities of both directions sum to 1; they matter only if the sample chose the direction."""
    negative, positive = two_classes()
    roc = roc_of(negative, positive, direction="auto")
    reversal = roc.negative.reversal_probability
    assert 0 < reversal[len(reversal) // 2] < 0.5
    assert np.array_equal(roc.negative.reflect().reversal_probability, 1 - reversal[::-1])
    for direction in (None, "higher", "lower"):
        assert roc_of(negative, positive, direction=direction).negative.reversal_probability is None


@for_each([50, 1000])
def test_a_hook_is_no_doubt_about_the_direction(n):
    """N(0, 1) and N(0, 3): the AUC is 1/2, but a high value is certainly positive, so the Ameans is not shrunk to 1/2.

    Bias and coverage over 100 samples (SE at most .005; a false failure: 1e-3).
    """
    rng = np.random.default_rng(n)
    batch = evaluate_batch(
        rng.normal(0, 1, (100, n)), rng.normal(0, 3, (100, n)), lower=False, declared=False, is_chosen=True
    )
    gap = batch.rule.ameans - (stats.norm.cdf(batch.threshold) + stats.norm.sf(batch.threshold / 3)) / 2
    assert abs(gap.mean()) < 0.015
    assert np.mean(np.abs(gap) < 1.96 * batch.rule.std_error) >= 0.88


@for_each([20, 100])
def test_interval_of_the_expected_ameans_covers(n):
    """Of 300 samples of two normal classes 93% or more (false: 1e-3), without a resample."""
    rng = np.random.default_rng(n)
    hits = []
    for _ in range(300):
        roc = roc_of(rng.normal(0, 1, n), rng.normal(1, 1.3, n))
        best = roc.best_threshold()
        interval = best.ameans_interval()
        assert interval.estimate == best.ameans
        assert 0 <= interval.low < interval.high <= 1
        hits.append((stats.norm.cdf(best.threshold) + stats.norm(1, 1.3).sf(best.threshold)) / 2 in interval)
    assert 0.91 < np.mean(hits) <= 1
    narrow = best.ameans_interval(0.5)
    assert interval.low < narrow.low < narrow.high < interval.high


def test_estimate_goes_to_the_sample_if_the_model_is_wrong_and_stays_with_it_if_right():
    """20,000 observations per class: the median of D is 0.3 for a right model; for a wrong model, D grows with n."""
    rng, shape = np.random.default_rng(12), (4, 20_000)
    right = evaluate_batch(rng.normal(0, 1, shape), rng.normal(1, 1.3, shape), lower=False, declared=True)
    assert np.median(right.data_weight) < 0.6
    assert right.area_between.max() < 0.01
    halves = np.where(rng.random(shape) < 0.5, rng.normal(-3, 0.3, shape), rng.normal(3, 0.3, shape))
    wrong = estimate_shrinkage(rng.normal(0, 1, shape), halves, declared=False)
    assert wrong.data_weight.min() > 0.999


def test_estimate_beats_the_empirical_curve_on_few_observations():
    """200 samples of 10 a class of two gammas: 0.85 is 5 standard errors away."""
    rng = np.random.default_rng(4)
    truth = stats.gamma(3, scale=1.6).sf(stats.gamma(3).isf(GRID))
    errors = []
    for _ in range(200):
        negative, positive = rng.gamma(3, 1, 10), rng.gamma(3, 1.6, 10)
        tpr = roc_of(negative, positive, direction="higher").tpr_at_fpr(GRID)
        empirical = empirical_tpr(np.sort(negative), np.sort(positive), GRID)
        errors.append([np.abs(tpr - truth).mean(), np.abs(empirical - truth).mean()])
    shrunk_error, empirical_error = np.mean(errors, axis=0)
    assert shrunk_error < 0.85 * empirical_error


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
def test_unusual_samples_have_results(negative, positive):
    """No warning, no NaN; areas sum to 1; the rates of the best threshold lie on the curve."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for direction in (None, "higher", "lower"):
            roc = roc_of(np.asarray(negative, dtype=float), np.asarray(positive, dtype=float), direction=direction)
            best, curve = roc.best_threshold(), roc.curve(65)
            results = roc.auc(), best.threshold, best.ameans, *roc.tpr_at_fpr([0, 0.1, 0.9, 1]), *curve.fpr, *curve.tpr
            assert not np.isnan(results).any()
            assert 0 <= roc.auc() <= 1
            assert roc.auc() + roc.auc_complement() == pytest.approx(1, abs=1e-12)
            assert roc.tpr(best.threshold) == pytest.approx(best.tpr, abs=1e-12)
            assert roc.fpr(best.threshold) == pytest.approx(best.fpr, abs=1e-12)
            assert roc.best_threshold("youden").criterion_value == pytest.approx(2 * best.ameans - 1)
            assert best.ameans_interval().low <= best.ameans <= best.ameans_interval().high
            assert repr(roc)
            assert roc.proper().auc() >= 0


def test_a_constant_feature_is_uninformative():
    roc = roc_of([2.0] * 5, [2.0] * 4, direction="higher")
    assert roc.auc() == 0.5
    assert roc.best_threshold().ameans == 0.5
    assert {"identical", "no_benefit"} <= set(roc.best_threshold().flags)


def test_perfect_separation_is_flagged():
    negative, positive = np.arange(5.0), np.arange(5.0, 12)
    assert "perfect_separation" in roc_of(negative, positive, direction="higher").best_threshold().flags
    negative[4], positive[0] = 5, 4
    assert "perfect_separation" not in roc_of(negative, positive, direction="higher").best_threshold().flags
