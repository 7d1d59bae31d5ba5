"""Dirichlet draws of empirical curves and pivots of predicted ones: by slow loops, by known laws, by simulation."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from scipy import stats

import rocpredict as rp
from rocpredict.base.results import Flags
from rocpredict.distributions.ecdf import Ecdf
from rocpredict.inference.bootstrap import BootstrapOptions
from rocpredict.inference.curve_draws import (
    CurveDraws,
    _Curve,
    class_columns,
    draw_quantity,
    draw_rates,
    draws_interval,
    draws_test,
)
from rocpredict.inference.expected import _Draws, _select_ranks
from rocpredict.inference.hypotheses import Hypothesis
from rocpredict.inference.parametric import PivotalAuc, lattice
from rocpredict.inference.placements import ClassColumns, RateRange
from tests.cases import refuses
from tests.samples import correlated, two_normals

MANY = BootstrapOptions(4000, 3)


def slow_draws(negative, positive, fpr, area_range, size):
    """Draw curves one by one, as the definition has it; low and high TPR at an FPR, low and high mean over a range."""
    rng = np.random.default_rng(0)
    negative, positive = -np.sort(-negative), -np.sort(-positive)
    n, m = len(negative), len(positive)
    heights = []
    for k, value in enumerate(negative):
        tied = np.flatnonzero(negative == value)
        share = (k - tied[0] + 0.5) / len(tied)
        heights.append(np.sum(positive > value) + share * np.sum(positive == value))
    quarter = min(n, max(3, int(np.ceil(n / 4)))) - 1
    last_zero, first_one = np.sum(np.equal(heights, 0)), 1 + np.sum(np.less(heights, m))
    grid = area_range[0] + (area_range[1] - area_range[0]) * (np.arange(4000) + 0.5) / 4000
    rows = []
    for _ in range(size):
        g, h, above = rng.exponential(size=n + 1), rng.exponential(size=m + 1), rng.integers(2)
        u = np.cumsum(g)[:-1] / g.sum()
        sums = np.concatenate([[0], np.cumsum(h[:-1])])
        v = (np.interp(heights, np.arange(m + 1), sums) + above * h[-1]) / h.sum()
        with np.errstate(divide="ignore"):
            exponent = np.clip(np.log(v[quarter] / v[0]) / np.log(u[quarter] / u[0]), 0.05, 1) / 2
        x, y = np.concatenate([[0], u, [1]]), np.concatenate([[0], v, [1]])
        row = []
        for at in (np.array([fpr]), grid):
            line = np.interp(at, x, y)
            low = np.where(at < u[0], v[0] * (at / u[0]) ** 4, line)
            if last_zero:
                low[(x[last_zero] <= at) & (at < x[last_zero + 1])] = y[last_zero]
            steep = np.where(at < u[0], v[0] * (at / u[0]) ** exponent, line)
            high = np.where(at >= u[-1], 1 - (1 - v[-1]) * ((1 - at) / (1 - u[-1])) ** 4, steep)
            if 1 < first_one <= n:
                high[(x[first_one - 1] <= at) & (at < x[first_one])] = y[first_one]
            row += [low.mean(), high.mean()]
        rows.append(row)
    return np.array(rows).T


@pytest.mark.parametrize(
    ("sizes", "fpr", "decimals", "distant"),
    [
        ((8, 6), 0.1, None, 0),
        ((40, 40), 0.2, 0, 0),
        ((12, 30), 0.95, None, 0),
        ((900, 700), 0.05, None, 0),
        ((30, 20), 0.1, None, 3),
        ((30, 20), 0.9, None, 3),
        ((30, 20), 0.1, 0, 3),
        ((900, 700), 0.05, None, 45),
    ],
)
def test_draws_have_the_distribution_of_a_slow_loop(sizes, fpr, decimals, distant):
    """Two-sample Kolmogorov-Smirnov at 1e-6 of 32 comparisons; 900 negatives are drawn from a window of ranks."""
    negative, positive = two_normals(sizes, 1, decimals=decimals)
    negative[:distant] += 20
    negative[distant : 2 * distant] -= 20
    classes = class_columns(Ecdf(negative)), class_columns(Ecdf(positive))
    start = max(0.0, fpr - 0.05)
    (tpr,) = draw_quantity(classes, lambda curve: curve.tpr_at(np.array([fpr])), (fpr, fpr), MANY)
    (area,) = draw_quantity(classes, lambda curve: curve.area(start, fpr), (start, fpr), MANY)
    fast = [part.ravel() for part in tpr] + [part / (fpr - start) for part in area]
    for one, other in zip(fast, slow_draws(negative, positive, fpr, (start, fpr), 1500), strict=True):
        assert stats.ks_2samp(one.round(9), other.round(9)).pvalue > 1e-6


def both_features(sizes, seed, decimals):
    """Values of two correlated features by class, shape (rows, 2)."""
    (x1, x2), y = correlated(sizes, seed)
    table = np.column_stack([x1, x2]).round(decimals)
    return ClassColumns(table[y == 0]), ClassColumns(table[y == 1])


@pytest.mark.parametrize("decimals", [12, 1])
def test_a_grid_of_ranks_changes_no_distribution(monkeypatch, decimals):
    """Areas of two curves and their difference, 3,000 + 2,000: a grid of ranks against every rank by itself.

    Two-sample Kolmogorov-Smirnov at 1e-4 and means at 4 standard errors: 12 comparisons fail falsely once in 500 seeds.
    """
    import rocpredict.inference.curve_draws as module

    classes = both_features((3000, 2000), 2, decimals)
    draws = []
    for seed, max_ranks in ((1, module._MAX_RANKS), (2, 10_000)):
        monkeypatch.setattr(module, "_MAX_RANKS", max_ranks)
        areas = draw_quantity(classes, lambda curve: curve.area(0, 0.8), (0, 0.8), BootstrapOptions(1000, seed))
        first, second = (low for low, _ in areas)
        draws.append([first, second, first - second])
    for quick, full in zip(*draws, strict=True):
        assert stats.ks_2samp(quick, full).pvalue > 1e-4
        assert np.std(quick) == pytest.approx(np.std(full), rel=0.08)
        error = np.std(full) * np.sqrt(2 / 1000)  # both draws of a resample have the same weights
        assert quick.mean() == pytest.approx(full.mean(), abs=4 * error)


def test_a_grid_of_ranks_adds_the_area_that_it_leaves_out():
    """Between every rank of 3,000 negatives and a grid of them, by the trapezoidal rule."""
    classes = tuple(class_columns(Ecdf(sample)) for sample in two_normals((3000, 40), 5))
    curve = _Curve.from_columns(classes, 0, (0.0, 0.8))
    negative, positive = (part.values[::-1, 0] for part in classes)
    fpr, area = curve.missing_area
    ranks, every = curve.bounds[0][1:], np.arange(1, len(fpr) + 1)
    assert 2 * len(ranks) < len(every)
    above = (positive > negative[: len(every), None]).sum(axis=1)
    excess = (above - np.interp(every, ranks, above[ranks - 1])) / 41
    assert fpr == pytest.approx(every / 3001, rel=1e-14)
    assert area == pytest.approx([np.trapezoid(excess[:k], every[:k] / 3001) for k in every], rel=1e-9, abs=1e-15)
    assert abs(area).max() > 1e-5


def test_ranks_with_vertices():
    """A plan and an interval take the same ranks: all whose FPR may lie in the range or, of many, a grid.

    A step of the grid is at most 1, plus a fraction of the distance to the nearer end: 1/16, or 1/10 in a plan.
    """
    for n, low, high in ((3, 0, 1), (13, 0, 0.1), (900, 0.05, 0.05), (900, 0.9, 0.9), (10_000, 0, 1), (10_000, 0.3, 1)):
        values = ClassColumns(np.arange(float(n))[:, None])
        curve = _Curve.from_columns((values, values), 0, (low, high))
        ranks, quarter = _select_ranks(n, (low, high))
        drawn = curve.bounds[0][1:]
        assert (drawn[0], drawn[-1]) == (ranks[0], ranks[-1])
        assert ranks[0] == 1 or stats.beta(ranks[0] - 1, n + 2 - ranks[0]).sf(low) < 1e-8
        assert ranks[-1] == n or stats.beta(ranks[-1] + 1, n - ranks[-1]).cdf(high) < 1e-8
        if ranks[0] == 1:
            assert curve.bounds[0][curve.quarter] == quarter == min(n, max(3, -(-n // 4)))
        else:
            assert curve.quarter == 1
        if n < 10_000:
            assert drawn.tolist() == ranks.tolist()
            continue
        for grid, growth in ((ranks, 0.1), (drawn, 1 / 16)):
            assert len(grid) < 1000
            distances = np.minimum(grid[1:] - 1, n + 1 - grid[:-1])
            assert (np.diff(grid) <= 1 + growth * distances).all()


def test_planned_curves_start_as_steeply_as_the_largest_negatives_suggest():
    """TPR at an FPR of 2% in studies with 12 negatives: a power from the first rank to the quarter, 3, halved."""
    n_above = np.array([[1, 1, 2, 4, 4, 5], [1, 3, 3, 4, 6, 6], [2, 2, 5, 5, 6, 7]])
    draws = _Draws.draw(np.arange(1, 7), 3, n_above, counts=(12, 8), n_draws=40, rng=np.random.default_rng(2))
    high = draws.quantity((0.02, 0.02))[1].reshape(3, 2, 40)
    for study, place, draw in np.ndindex(high.shape):
        u = draws.fpr[1:-1, draw]
        v = draws.sums[draws.sum_index[study], draw] + (draws.extra[draw] if place == 0 else 0)
        exponent = np.clip(np.log(v[2] / v[0]) / np.log(u[2] / u[0]), 0.05, 1) / 2
        steep = v[0] * (0.02 / u[0]) ** exponent if u[0] > 0.02 else np.interp(0.02, u, v)
        assert high[study, place, draw] == pytest.approx(steep, rel=1e-12)


def planned_curve(at, vertices, exponent, flat, ends):
    """Return the TPRs of the low and of the high curve at FPRs, from the vertices of one draw.

    ``flat`` contains the last inner vertex without a positive above it, and the first one with all positives above it.
    ``ends`` indicates whether the largest and the smallest negative have a vertex.
    """
    (x, y), (last_zero, first_one) = vertices, flat
    line = np.interp(at, x, y)
    low, high, is_first, is_last = line.copy(), line.copy(), (at < x[1]) & ends[0], (at >= x[-2]) & ends[1]
    low[is_first] = (y[1] * (at / x[1]) ** 4)[is_first]
    high[is_first] = (y[1] * (at / x[1]) ** exponent)[is_first]
    high[is_last] = (1 - (1 - y[-2]) * ((1 - at) / (1 - x[-2])) ** 4)[is_last]
    if last_zero:
        low[(x[last_zero] <= at) & (at < x[last_zero + 1])] = y[last_zero]
    if 1 < first_one < len(x) - 1:
        high[(x[first_one - 1] <= at) & (at < x[first_one])] = y[first_one]
    return np.array([low, high])


def planned_area(start, end, curve, *arguments):
    """Integrate a planned curve from ``start`` to ``end`` between its vertices, by quadrature."""
    nodes, weights = np.polynomial.legendre.leggauss(40)
    s = (nodes + 1) / 2
    edges = np.union1d(np.clip(curve[0], start, end), [start, end])
    # with the 12th power of s, the integrand is smooth where a curve starts with a small power of the FPR
    fpr = edges[:-1, None] + np.diff(edges)[:, None] * s**12
    return planned_curve(fpr, curve, *arguments) @ (6 * weights * s**11) @ np.diff(edges)


PLANNED = {
    "all ranks": (np.arange(1, 7), 3, (6, 8), ((0, 1), (0, 0.03), (0.2, 0.6), (0.7, 1), (0.02,), (0.3,), (0.97,))),
    "first ranks": (np.array([1, 2, 3, 5, 10, 14]), 10, (40, 8), ((0, 0.1), (0.01, 0.05), (0.005,), (0.1,))),
    "inner ranks": (np.arange(18, 24), 10, (40, 8), ((0.5, 0.55), (0.53,))),
    "last ranks": (np.array([25, 30, 37, 38, 39, 40]), 10, (40, 8), ((0.8, 1), (0.9, 0.99), (0.95,), (0.995,))),
    "one negative": (np.array([1]), 1, (1, 8), ((0, 1), (0.3, 0.9), (0.1,), (0.8,))),
}
"""Ranks of negatives with a vertex, last rank of the top quarter, class sizes, and ranges of FPRs or single FPRs."""
ABOVE = np.array(
    [[0, 0, 2, 5, 8, 8], [1, 2, 2, 4, 6, 7], [0] * 6, [8] * 6, [0, 0, 0, 8, 8, 8], [3] * 6, [0, 1, 3, 3, 7, 8]]
)
"""Numbers of positives above six negatives in each study."""


@pytest.mark.parametrize("case", PLANNED)
def test_rates_and_areas_of_planned_curves(case):
    """Every draw of every study by its definition: power laws at the ends, steps from 0 and to 1, straight lines."""
    ranks, quarter, counts, ranges = PLANNED[case]
    for n_above in (ABOVE[:, : len(ranks)], ABOVE[[1, 5], : len(ranks)]):
        draws = _Draws.draw(ranks, quarter, n_above, counts=counts, n_draws=3, rng=np.random.default_rng(3))
        ends = ranks[0] == 1, ranks[-1] == counts[0]
        assert (draws.has_first, draws.has_last) == ends
        for limits in ranges:
            result = np.array(draws.quantity((limits[0], limits[-1]))).reshape(2, len(n_above), 2, 3)
            for study, place, draw in np.ndindex(result.shape[1:]):
                above = n_above[study]
                y = draws.sums[draws.sum_index[study], draw] + (draws.extra[draw] if place == 0 else 0)
                x, quarter_place = draws.fpr[:, draw], int(np.flatnonzero(ranks >= quarter)[0])
                with np.errstate(divide="ignore", invalid="ignore"):
                    rise = np.log(y[quarter_place] / y[0]) / np.log(x[quarter_place + 1] / x[1])
                exponent = 0.5 if np.isnan(rise) else np.clip(rise, 0.05, 1) / 2
                flat = int(np.sum(above == 0)), 1 + int(np.sum(above < counts[1]))
                arguments = (x, np.array([0, *y, 1])), exponent, flat, ends
                if len(limits) == 1:
                    expected = planned_curve(np.array(limits), *arguments)[:, 0]
                else:
                    expected = planned_area(*limits, *arguments)
                assert result[:, study, place, draw] == pytest.approx(expected, rel=1e-7, abs=1e-9), (limits, study)


def test_planned_vertices_are_uniform_order_statistics():
    """FPRs at the ranks, TPRs at the counts, steps between them and the additional positive are beta variates.

    17 Kolmogorov-Smirnov tests at 1e-5.
    """
    ranks, above = np.array([1, 3, 4, 9]), np.array([[0, 2, 2, 5], [1, 1, 4, 7]])
    draws = _Draws.draw(ranks, 3, above, counts=(12, 7), n_draws=4000, rng=np.random.default_rng(8))

    def check(values, a, total):
        assert stats.kstest(values, stats.beta(a, total - a).cdf).pvalue > 1e-5

    for k, rank in enumerate(ranks, 1):
        check(draws.fpr[k], rank, 13)
    for k in (2, 3, 4):
        check(draws.fpr[k] - draws.fpr[k - 1], ranks[k - 1] - ranks[k - 2], 13)
    check(draws.extra, 1, 8)
    tpr = draws.sums[draws.sum_index]
    for study, k in zip(*np.nonzero(above), strict=True):
        check(tpr[study, k], above[study, k], 8)
    check(tpr[0, 3] - tpr[0, 2], 3, 8)
    check(tpr[1, 3] - tpr[0, 3], 2, 8)  # studies of a block have the same draws
    assert (tpr[0, 0] == 0).all()
    assert tpr[1, 3] + draws.extra == pytest.approx(np.ones(4000), rel=1e-12)


def test_quick_draws_are_centered_at_the_empirical_area():
    """100,000 + 50,000, drawn by a grid: the mean is within 4 standard errors of the area by the trapezoidal rule."""
    classes = both_features((100_000, 50_000), 3, 12)
    for low, high in ((0.0, 0.02), (0.1, 0.6)):
        draws = draw_quantity(
            classes, lambda curve, a=low, b=high: curve.area(a, b), (low, high), BootstrapOptions(400)
        )
        for curve, (lower, _) in enumerate(draws):
            pair = (rp.Ecdf(part.values[:, curve]) for part in classes)
            area = rp.EmpiricalRoc(*pair).partial_auc(fpr=(low, high))
            assert lower.mean() == pytest.approx(area, abs=4 * np.std(lower) * np.sqrt(1 / 400))


def test_the_fpr_at_an_order_statistic_is_beta_distributed():
    classes = tuple(class_columns(Ecdf(sample)) for sample in two_normals((30, 20), 3))
    for k in (1, 7, 30):
        (drawn,) = draw_quantity(classes, lambda curve, k=k: (curve.fpr[:, k], curve.fpr[:, k]), (0, 1), MANY)
        assert stats.kstest(drawn[0][: len(drawn[0]) // 2], stats.beta(k, 31 - k).cdf).pvalue > 1e-4


def test_the_tpr_at_a_fixed_threshold_has_the_mid_p_interval():
    """All negatives are one value, so that every FPR belongs to one threshold: quantiles halve those of two betas."""
    positive = np.repeat([0.0, 2.0], (7, 13))
    roc = rp.EmpiricalRoc(negative=np.full(20_000, 1.0), positive=positive)
    interval = roc.tpr_at_fpr_interval(0.5, n_resamples=20_000)

    def mid_p(p):
        return (stats.beta(13, 8).cdf(p) + stats.beta(14, 7).cdf(p)) / 2

    assert mid_p(interval.low) == pytest.approx(0.025, abs=0.004)
    assert mid_p(interval.high) == pytest.approx(0.975, abs=0.004)


def test_intervals_hold_the_estimate_widen_and_ignore_the_scale():
    negative, positive = two_normals((25, 35), 4)
    roc = rp.EmpiricalRoc(negative=negative, positive=positive)
    stretched = rp.EmpiricalRoc(negative=np.exp(3 * negative), positive=np.exp(3 * positive))
    mirrored = rp.EmpiricalRoc(negative=-positive, positive=-negative)
    for fpr in (0.0, 0.01, 0.2, 0.9):
        intervals = [roc.tpr_at_fpr_interval(fpr, level, n_resamples=400) for level in (0.5, 0.9, 0.95, 0.99)]
        for inner, outer in pairwise(intervals):
            assert outer.low <= inner.low <= roc.tpr_at_fpr(fpr) <= inner.high <= outer.high
        assert stretched.tpr_at_fpr_interval(fpr, n_resamples=400) == intervals[2]
        turned = mirrored.fpr_at_tpr_interval(1 - fpr, n_resamples=400)
        assert (1 - turned.high, 1 - turned.low) == pytest.approx(tuple(intervals[2]), abs=1e-12)
    partial = roc.partial_auc_interval(fpr=(0.1, 0.4), n_resamples=400)
    turned = mirrored.partial_auc_interval(tpr=(0.6, 0.9), n_resamples=400)
    assert tuple(turned) == pytest.approx(tuple(partial), rel=1e-9)
    assert roc.partial_auc(fpr=(0.1, 0.4)) in partial


def test_the_ends_of_the_curve():
    roc = rp.EmpiricalRoc(*two_normals((25, 35), 4))
    assert tuple(roc.tpr_at_fpr_interval(1.0)) == (1, 1)
    several = roc.tpr_at_fpr_interval([0.02, 0.2])
    assert several.flags["extrapolated"].tolist() == [True, False]
    assert "extrapolated" in roc.partial_auc_interval(fpr=(0, 0.03)).flags
    assert "extrapolated" not in roc.partial_auc_interval(tpr=(0.9, 1)).flags
    single = rp.EmpiricalRoc(negative=[1.0], positive=[2.0]).tpr_at_fpr_interval(0.1)
    assert single.low < 0.1
    assert single.high > 0.9
    assert {"single_observation", "extrapolated"} <= set(single.flags)
    tied = rp.EmpiricalRoc(negative=[1.0] * 6, positive=[1.0] * 5).tpr_at_fpr_interval(0.5)
    assert tied.low < 0.5 < tied.high
    assert tuple(roc.tpr_at_fpr_interval(0.2, 0.9999, n_resamples=50)) == (0, 1)  # more than 50 draws can tell
    assert tuple(roc.tpr_at_fpr_interval(1.0, 0.9999, n_resamples=50)) == (1, 1)


def test_limits_at_several_fprs_are_those_at_each():
    """Up to the simulation error, of which .01 is about ten standard errors; 900 negatives have a window of ranks."""
    roc = rp.EmpiricalRoc(*two_normals((900, 700), 1))
    several, alone = roc.tpr_at_fpr_interval([0.02, 0.4]), roc.tpr_at_fpr_interval(0.4)
    assert (several.low[1], several.high[1]) == pytest.approx(tuple(alone), abs=0.01)


def test_limits_and_p_values_are_order_statistics_of_the_draws():
    """Of 1,999 draws, 500 lie at or beyond each limit of a 50% interval; 1,050 low and 951 high ones contradict."""
    drawn = np.tile(np.arange(-1049.0, 950), (600, 1))
    low, high = (np.random.default_rng(seed).permuted(drawn, axis=1).T for seed in (1, 2))
    limits = draws_interval((low, high + 1), 0.5, -50.0, (-np.inf, np.inf))
    assert [np.unique(limit).tolist() for limit in limits] == [[-550], [451]]
    low, high = low[:, 0], high[:, 0]
    for alternative, p_value in (("greater", 1051 / 2000), ("less", 952 / 2000), ("two-sided", 952 / 1000)):
        test = draws_test((low, high + 1), -50.0, Hypothesis(alternative), 0.95, Flags())
        assert test.p_value == pytest.approx(p_value, rel=1e-14), alternative


def test_an_estimate_of_0_agrees_with_equality_whatever_the_draws():
    """The interval contains the estimate, so that p is 1, and 1/2 or more for a one-sided alternative."""
    draws = np.random.default_rng(3).random(99)
    for sign in (1, -1):
        for alternative in ("two-sided", "greater", "less"):
            test = draws_test((sign * draws - 0.1, sign * draws), 0.0, Hypothesis(alternative), 0.95, Flags())
            assert test.p_value >= (1 if alternative == "two-sided" else 0.5)
            assert 0 in test.interval


def test_chunks_of_draws_are_small(monkeypatch):
    """The vertices of a chunk are among the values that ``_MAX_CHUNK_SIZE`` limits."""
    classes, sizes = both_features((300, 200), 4, 12), []
    monkeypatch.setattr("rocpredict.inference.bootstrap._MAX_CHUNK_SIZE", 20_000)

    def count(curve):
        sizes.append(curve.fpr.size + curve.tpr.size)
        return curve.fpr[:, 0], curve.tpr[:, 0]

    for low, _ in draw_quantity(classes, count, (0, 1), BootstrapOptions(500)):
        assert low.size == 1000
    assert max(sizes) < 20_000


def test_mean_tpr_of_ties():
    """Positives that are tied with negatives are divided among them; means within 6 standard errors (outside: 1e-7)."""
    negative, positive = np.array([3.0, 2, 2, 2, 1, 1]), np.array([4.0, 3, *[2] * 9, *[1] * 4, 0, 0])
    classes = class_columns(Ecdf(negative)), class_columns(Ecdf(positive))
    (tpr,) = draw_quantity(classes, lambda curve: (curve.tpr[:, 1:-1], curve.tpr[:, 1:-1]), (0, 1), MANY)
    heights = np.array([1.5, 2 + 1.5, 2 + 4.5, 2 + 7.5, 11 + 1, 11 + 3])
    for is_above, drawn in zip((True, False), np.split(tpr[0], 2), strict=True):
        assert (np.abs(drawn.mean(axis=0) - (heights + is_above) / 18) < 6 * drawn.std(axis=0) / np.sqrt(4000)).all()


@pytest.mark.parametrize("quantity", [{"tpr_at_fpr": 0.2}, {"fpr": (0, 0.3)}, {"tpr": (0.7, 1)}])
def test_p_is_the_level_at_which_the_interval_excludes(quantity):
    (x1, x2), y = correlated((40, 50), 6)
    split = (x1[::2], y[::2]), (x2[1::2], y[1::2])
    for arguments in ((x1, x2, y), split):
        test = rp.auc_test(*arguments, **quantity, n_resamples=500)
        assert 0.001 < test.p_value < 1
        inside = rp.auc_test(*arguments, **quantity, n_resamples=500, level=1 - test.p_value * 0.97)
        outside = rp.auc_test(*arguments, **quantity, n_resamples=500, level=1 - min(test.p_value * 1.03, 0.999))
        assert 0 in inside.interval
        assert 0 not in outside.interval
        one_sided = rp.auc_test(*arguments, **quantity, n_resamples=500, alternative="greater").p_value
        other = rp.auc_test(*arguments, **quantity, n_resamples=500, alternative="less").p_value
        assert test.p_value == pytest.approx(2 * min(one_sided, other))
        margin = 0.04 if "tpr_at_fpr" not in quantity else 0.2
        claims = [
            rp.auc_test(*arguments, **quantity, n_resamples=500, level=0.9, alternative=claim, margin=margin)
            for claim in ("noninferior", "equivalent")
        ]
        assert (claims[0].p_value < 0.05) == (claims[0].interval.low > -margin)
        assert (claims[1].p_value < 0.05) == (claims[1].interval.low > -margin and claims[1].interval.high < margin)


def test_exchanging_curves_and_clusters():
    (x1, x2), y = correlated((40, 50), 7)
    one, other = (rp.auc_test(*pair, y, tpr_at_fpr=0.2) for pair in ((x1, x2), (x2, x1)))
    assert (one.p_value, one.interval.low) == pytest.approx((other.p_value, -other.interval.high), rel=1e-12)
    rows = np.arange(len(y))
    alone = rp.auc_test(x1, x2, y, tpr_at_fpr=0.2, clusters=rows)
    assert tuple(alone.interval) == pytest.approx(tuple(one.interval), abs=0.06)
    assert alone.method == "Dirichlet draws, paired, clustered"
    tripled = [np.repeat(part, 3) for part in (x1, x2, y)]
    clustered = rp.auc_test(*tripled, tpr_at_fpr=0.2, clusters=np.repeat(rows, 3))
    independent = rp.auc_test(*tripled, tpr_at_fpr=0.2)
    assert tuple(clustered.interval) == pytest.approx(tuple(one.interval), abs=0.08)
    assert independent.interval.width < 0.75 * clustered.interval.width
    same = rp.auc_test(x1, 2 * x1, y, tpr_at_fpr=0.2)
    assert (same.p_value, list(same.flags)) == (1, ["same_curve"])
    with pytest.raises(rp.RocPredictError, match="clusters= has 3 clusters with negatives"):
        rp.auc_test(x1, x2, y, tpr_at_fpr=0.2, clusters=np.where(y == 0, rows % 3, rows))
    refuses("does not accept strata=", rp.auc_test, x1, x2, y, fpr=(0, 0.2), method="dirichlet", strata=rows % 2)
    assert (
        rp.auc_test(x1, x2, y, fpr=(0, 0.2), strata=rows % 2).method
        == "MOVER of smoothed-logit intervals, paired, stratified"
    )
    refuses("pass fpr=, tpr= or tpr_at_fpr=", rp.auc_test, x1, x2, y, method="dirichlet")


def covered(sizes, fpr, n_sets, n_resamples, ratio=1.0):
    """Return the number of intervals of the TPR and of the partial AUC that cover the truth of two Gaussians."""
    shift = 1.19 * np.hypot(1, ratio) / np.sqrt(2)
    truth = rp.PredictedRoc(negative=rp.Gaussian(0, 1), positive=rp.Gaussian(shift, ratio))
    rng, hits = np.random.default_rng(0), np.zeros(2)
    for _ in range(n_sets):
        roc = rp.EmpiricalRoc(negative=rng.normal(size=sizes[0]), positive=rng.normal(shift, ratio, size=sizes[1]))
        hits += [
            truth.tpr_at_fpr(fpr) in roc.tpr_at_fpr_interval(fpr, n_resamples=n_resamples),
            truth.partial_auc(fpr=(0, fpr)) in roc.partial_auc_interval(fpr=(0, fpr), n_resamples=n_resamples),
        ]
    return hits / n_sets


def test_a_tpr_of_zero_below_distant_negatives_is_covered():
    """10% of the negatives are above all positives, the FPR is just below: .90 of 150, at a true 97% false once in 1e4.

    For the FPR at a TPR, the classes are exchanged.
    """
    rng, hits = np.random.default_rng(1), np.zeros(4)
    for _ in range(150):
        n_distant = rng.binomial(60, 0.1)
        negative = np.concatenate([10 + rng.random(n_distant), rng.normal(size=60 - n_distant)])
        positive = rng.normal(1.5, 1, 60)
        roc = rp.EmpiricalRoc(negative=negative, positive=positive)
        mirrored = rp.EmpiricalRoc(negative=-positive, positive=-negative)
        hits += [
            roc.tpr_at_fpr_interval(0.0999, n_resamples=200).low == 0,
            roc.partial_auc_interval(fpr=(0, 0.0999), n_resamples=200).low == 0,
            mirrored.fpr_at_tpr_interval(0.9001, n_resamples=200).high == 1,
            mirrored.partial_auc_interval(tpr=(0.9001, 1), n_resamples=200).low == 0,
        ]
    assert hits.min() / 150 > 0.9


def test_few_negatives_beyond_the_fpr_are_covered():
    """Resamples of the observations cover 71 and 48%; at a true 95%, .90 of 150 fails once in 200 seeds."""
    assert covered((20, 200), 0.05, 150, 150).min() > 0.9


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sizes", "fpr", "ratio"),
    [((5, 100), 0.1, 1), ((250, 5), 0.1, 1), ((10, 10), 0.1, 0.5), ((100, 100), 0.1, 1), ((20, 20), 0.2, 2)],
)
def test_coverage_of_drawn_intervals(sizes, fpr, ratio):
    """At a true 93%, below .91 of 1,000 fails once in 150 seeds."""
    assert covered(sizes, fpr, 1000, 400, ratio).min() > 0.91


@pytest.mark.slow
def test_paired_tests_keep_their_level():
    """At a true 5%, above .08 of 400 fails once in 300 seeds; resamples of the observations reject 11%."""
    rejected = np.zeros(2)
    for seed in range(400):
        (x1, x2), y = correlated((30, 100), seed, (1.5, 1.5))
        rejected += [
            rp.auc_test(x1, x2, y, **quantity, n_resamples=300).p_value < 0.05
            for quantity in ({"tpr_at_fpr": 0.05}, {"fpr": (0, 0.1)})
        ]
    assert (rejected / 400).max() < 0.08


# ---- pivots of two Gaussians
MOMENTS = {"mean": (4, 8), "std": (3, 2)}


def pivots(count, size=400_000, seed=0):
    """Draw means and standard deviations about the estimated ones at random."""
    rng = np.random.default_rng(seed)
    stds = [s * np.sqrt((n - 1) / rng.chisquare(n - 1, size)) for s, n in zip(MOMENTS["std"], count, strict=True)]
    classes = zip(MOMENTS["mean"], stds, count, strict=True)
    return [m + rng.normal(size=size) * s / np.sqrt(n) for m, s, n in classes], stds


@pytest.mark.parametrize("count", [(60, 40), (5, 500), (3, 8)])
def test_pivotal_intervals_by_random_draws(count):
    means, stds = pivots(count)
    roc = rp.PredictedRoc.from_stats(**MOMENTS, count=count)
    gap, tails = means[1] - means[0], (0.025, 0.975)
    auc = stats.norm.cdf(gap / np.hypot(*stds))
    assert roc.auc_interval().method == "pivotal"
    assert tuple(roc.auc_interval()) == pytest.approx(np.quantile(auc, tails), abs=0.004)
    tpr = stats.norm.cdf((gap + stds[0] * stats.norm.ppf(0.1)) / stds[1])
    assert tuple(roc.tpr_at_fpr_interval(0.1)) == pytest.approx(np.quantile(tpr, tails), abs=0.01)
    fpr = stats.norm.cdf((stds[1] * stats.norm.ppf(0.9) - gap) / stds[0])
    assert tuple(roc.fpr_at_tpr_interval(0.9)) == pytest.approx(np.quantile(fpr, tails), abs=0.01)
    nodes = stats.norm.ppf((np.arange(200) + 0.5) / 2000)
    draws = [part[:20_000] for part in (gap, *stds)]
    area = stats.norm.cdf((draws[0] + draws[1] * nodes[:, None]) / draws[2]).mean(axis=0)
    partial = roc.partial_auc_interval(fpr=(0, 0.1))
    assert (partial.low * 10, partial.high * 10) == pytest.approx(np.quantile(area, tails), abs=0.02)
    assert roc.auc_test(0.75).p_value == pytest.approx(2 * min(np.mean(auc <= 0.75), np.mean(auc >= 0.75)), abs=0.004)


def test_p_of_a_pivot_is_the_level_at_which_the_interval_excludes():
    roc = rp.PredictedRoc.from_stats(**MOMENTS, count=(12, 9))
    for null in (0.5, 0.7, 0.86, 0.97):
        p_value = roc.auc_test(null).p_value
        interval = roc.auc_interval(1 - p_value)
        assert min(abs(interval.low - null), abs(interval.high - null)) < 1e-6
    assert 0 < rp.PredictedRoc.from_stats(mean=(0, 1.5), std=(1, 1), count=(400, 400)).auc_test().p_value < 1e-60
    halves = [roc.auc_test(0.7, alternative=side).p_value for side in ("greater", "less")]
    assert sum(halves) == pytest.approx(1)
    assert roc.auc_test(0.7).p_value == pytest.approx(2 * min(halves))
    near = roc.auc_test(0.9, alternative="equivalent", margin=0.2)  # the upper limit would be above 1
    assert near.p_value == pytest.approx(halves[0], rel=1e-12)
    sides = [{"null": 0.9, "alternative": "equivalent", "margin": 0.2}, {"null": 0.7, "alternative": "greater"}]
    both = [roc.auc_test(**side, method="delta").p_value for side in sides]
    assert both[0] == pytest.approx(both[1], rel=1e-12)


def test_pivots_of_the_area_over_a_tpr_range_are_those_of_the_exchanged_classes():
    roc = rp.PredictedRoc(rp.Gaussian(4, 3), rp.Gaussian(8, 2), count=(12, 9))
    exchanged = rp.PredictedRoc(rp.Gaussian(-8, 2), rp.Gaussian(-4, 3), count=(9, 12))
    interval = roc.partial_auc_interval(tpr=(0.7, 0.95))
    assert interval.method == "pivotal"
    assert tuple(interval) == pytest.approx(tuple(exchanged.partial_auc_interval(fpr=(0.05, 0.3))), rel=1e-12)


def test_where_the_delta_method_stands_in():
    batch = rp.PredictedRoc.from_stats(mean=([0, 1], [2, 2]), std=([1, 1], [2, 2]), count=(9, 9))
    assert batch.auc_interval().method == batch.tpr_at_fpr_interval(0.1).method == "delta"
    refuses("needs a single feature", batch.auc_interval, method="pivotal")
    few, more = (rp.PredictedRoc.from_stats(**MOMENTS, count=count) for count in ((9, 30), (10, 30)))
    assert (few.best_threshold().threshold_interval().method, few.auc_interval().method) == ("delta", "pivotal")
    assert more.best_threshold().threshold_interval().method == "pivotal"
    assert rp.PredictedRoc.from_stats(**MOMENTS, count=(2, 30)).auc_interval().method == "pivotal"
    assert more.best_threshold("f1", prevalence=0.2).threshold_interval().method == "delta"
    single = rp.PredictedRoc.from_stats(**MOMENTS, count=(1, 30)).auc_interval()
    assert (single.low, single.high, single.method) == (0, 1, "delta")
    point = rp.PredictedRoc.from_stats(mean=(4, 8), std=(0, 2), count=(20, 30)).auc_interval()
    assert point.method == "delta"


def test_lattice_and_tails():
    points = lattice(4)
    assert np.abs(points.mean(axis=0) - 0.5).max() < 1e-3
    assert np.abs(np.corrcoef(points.T) - np.eye(4)).max() < 5e-3
    pivot = PivotalAuc.from_moments(rp.Gaussian(4, 3), rp.Gaussian(8, 2), (12, 9))
    for probit in (-3.0, 0.2, 4.0):
        assert pivot.tail(probit, 1.0) + pivot.tail(probit, -1.0) == pytest.approx(1, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("count", [(5, 5), (5, 250), (100, 5)])
def test_coverage_of_pivots(count):
    """At a true 95%, outside .93 to .985 of 2,000 fails once in 30,000 seeds below; those above are conservative."""
    rng, hits = np.random.default_rng(2), 0
    truth = rp.PredictedRoc(negative=rp.Gaussian(4, 3), positive=rp.Gaussian(8, 2)).auc()
    for _ in range(2000):
        mean = 4 + rng.normal() * 3 / np.sqrt(count[0]), 8 + rng.normal() * 2 / np.sqrt(count[1])
        std = tuple(s * np.sqrt(rng.chisquare(n - 1) / (n - 1)) for s, n in zip((3, 2), count, strict=True))
        hits += truth in rp.PredictedRoc.from_stats(mean=mean, std=std, count=count).auc_interval()
    assert 0.93 < hits / 2000 < 0.985


def test_whole_weights_are_repeated_values():
    negative, positive = two_normals((12, 15), 5)
    weights = np.arange(12) % 3 + 1
    weighed = rp.EmpiricalRoc(negative=Ecdf(negative, weights), positive=Ecdf(positive))
    repeated = rp.EmpiricalRoc(negative=np.repeat(negative, weights), positive=positive)
    assert weighed.tpr_at_fpr_interval(0.2) == repeated.tpr_at_fpr_interval(0.2)
    parts = rp.EmpiricalRoc(negative=Ecdf(negative, weights + 1e-9), positive=Ecdf(positive))
    near = parts.tpr_at_fpr_interval(0.3, n_resamples=4000)
    assert tuple(near) == pytest.approx(tuple(repeated.tpr_at_fpr_interval(0.3, n_resamples=4000)), abs=0.05)


# ---- curves with the mean weights, and curves by their definition
class MeanWeights:
    """Stand-in for a generator: the mean of each distribution, times 1, 2, ... for the weights of ``n_clusters``."""

    def __init__(self, n_clusters=0):
        self.n_clusters = n_clusters

    def standard_exponential(self, size):
        return np.ones(size)

    def standard_gamma(self, shape, size):
        steps = 1 + np.arange(size[1]) if self.n_clusters and size[1] == self.n_clusters else 1.0
        return np.ones(size) * shape * steps


def mean_curves(monkeypatch, classes, fpr_range=(0.0, 1.0), n_clusters=0):
    """Return for each curve the draws with the additional positive above all others, and below them."""
    curves = []
    monkeypatch.setattr(BootstrapOptions, "streams", lambda _, n: [MeanWeights(n_clusters)] * n)

    def keep(curve):
        curves.append(curve)
        return curve.fpr[:, 0], curve.tpr[:, 0]

    draw_quantity(classes, keep, fpr_range, BootstrapOptions(20))
    pairs = list(zip(curves[::2], curves[1::2], strict=True))
    return [pair[:: 1 if index % 2 == 0 else -1] for index, pair in enumerate(pairs)]


def expected_vertices(negative, positive, weights=None, positive_weights=None):
    """Return for each negative, from the largest on, the weights of the negatives and of the positives above it.

    The weight of a negative is included. Tied positives are above a share of the tied negatives: for the k-th of t
    negatives of weight 1, it is (k - 1/2)/t; a negative with a smaller weight is at its middle.
    """
    w = np.ones(len(negative)) if weights is None else weights
    v = np.ones(len(positive)) if positive_weights is None else positive_weights
    order, rows = np.argsort(-negative, kind="stable"), []
    for k, row in enumerate(order):
        before, value = order[: k + 1], negative[row]
        tied = negative == value
        inside = w[before][negative[before] == value].sum() - min(1, w[row]) / 2
        rows.append((w[before].sum(), v[positive > value].sum() + v[positive == value].sum() * inside / w[tied].sum()))
    return np.transpose(rows)


def assert_vertices(curve, vertices, totals, *, is_above, extra=(1.0, 1.0)):
    """Compare with weights of the negatives and positives above each vertex; each class has one additional weight."""
    fpr, above = map(np.asarray, vertices)
    expected = fpr / (totals[0] + extra[0]), (above + is_above * extra[1]) / (totals[1] + extra[1])
    for part, inner in zip((curve.fpr, curve.tpr), expected, strict=True):
        assert (part == part[0]).all()
        assert part[0] == pytest.approx([0, *inner, 1], rel=1e-12)


def test_mean_weights_give_the_vertices_of_the_empirical_curve(monkeypatch):
    """Rank k of n negatives at k/(n + 1); of two curves, one has the additional positive above, the other below."""
    rng = np.random.default_rng(4)
    for decimals, weighted in ((12, False), (0, False), (12, True), (0, True)):
        columns = [rng.normal(shift, 1, (n, 2)).round(decimals) for shift, n in ((0, 14), (0.8, 11))]
        weights = [rng.integers(1, 4, len(part)) * 0.75 if weighted else None for part in columns]
        classes = tuple(map(ClassColumns, columns, weights))
        totals = [part.total for part in classes]
        for index, pair in enumerate(mean_curves(monkeypatch, classes)):
            fpr, above = expected_vertices(*(part[:, index] for part in columns), *weights)
            for curve, is_above in zip(pair, (True, False), strict=True):
                assert_vertices(curve, (fpr, above), totals, is_above=is_above)
                quarter = 1 + min(13, np.searchsorted(fpr, max(3, np.ceil(totals[0] / 4))))
                u, v = curve.fpr[0], curve.tpr[0]
                with np.errstate(divide="ignore"):
                    slope = np.log(v[quarter] / v[1]) / np.log(u[quarter] / u[1]) if v[1] else 1.0
                assert curve.exponent == pytest.approx(np.full(20, np.clip(slope, 0.05, 1) / 2), rel=1e-9)
                assert curve.flat == (np.sum(above == 0), 1 + np.sum(above < totals[1] - 1e-9))
                assert not np.diff(curve.missing_area[1]).any()
    (single,) = mean_curves(monkeypatch, (ClassColumns(np.array([[2.0]])), ClassColumns(np.array([[1.0], [3], [4]]))))
    for curve, is_above in zip(single, (True, False), strict=True):
        assert_vertices(curve, ([1.0], [2.0]), (1, 3), is_above=is_above)


def test_weights_below_1_and_repeated_negatives_leave_the_curve_in_place(monkeypatch):
    """Negatives of weight 1/2 have the TPRs of weight 1; three copies of a negative end where its weight of 3 does."""
    negative, positive = np.array([[3.0], [2], [2], [1], [0]]), np.array([[4.0], [2], [2], [2], [1], [-1]])
    plain, halved, tripled, copied = (
        mean_curves(monkeypatch, (ClassColumns(part, weights), ClassColumns(positive)))[0][0]
        for part, weights in (
            (negative, None),
            (negative, np.full(5, 0.5)),
            (negative, np.full(5, 3.0)),
            (np.repeat(negative, 3, axis=0), None),
        )
    )
    assert halved.tpr[0] == pytest.approx(plain.tpr[0], rel=1e-12)
    assert halved.fpr[0, 1:-1] == pytest.approx(np.arange(1, 6) * 0.5 / 3.5, rel=1e-12)
    last = [0, 3, 6, 9, 12, 15, 16]
    assert tripled.fpr[0] == pytest.approx(copied.fpr[0, last], rel=1e-12)
    assert tripled.tpr[0] == pytest.approx(copied.tpr[0, last], rel=1e-12)


def test_rows_of_a_cluster_share_one_weight(monkeypatch):
    """Clusters weigh 1, 2, ... times (G - 2)/G; the additional weight of a class is its mean total per cluster."""
    rng = np.random.default_rng(5)
    columns = [rng.normal(shift, 1, (n, 2)) for shift, n in ((0, 13), (0.8, 17))]
    clusters = rng.permutation(np.arange(13) % 6), rng.permutation(np.arange(17) % 8)
    for weights in ([None, None], [rng.uniform(0.5, 2, n) for n in (13, 17)]):
        classes = tuple(map(ClassColumns, columns, weights, clusters))
        own = [np.ones(part.shape[0]) if w is None else w for part, w in zip(columns, weights, strict=True)]
        drawn = [w * 6 / 8 * (1 + part) for w, part in zip(own, clusters, strict=True)]
        extra = own[0].sum() / 6, own[1].sum() / 8
        for index, pair in enumerate(mean_curves(monkeypatch, classes, n_clusters=8)):
            fpr, above = expected_vertices(*(part[:, index] for part in columns), *drawn)
            for curve, is_above in zip(pair, (True, False), strict=True):
                totals = [part.sum() for part in drawn]
                assert_vertices(curve, (fpr, above), totals, is_above=is_above, extra=extra)


def test_vertices_of_a_window_and_of_a_grid_lie_on_the_curve(monkeypatch):
    """Each vertex has the rank and the TPR of one negative; those next to the rise from 0 and to 1 are never left out.

    Between the vertices, the area of the straight lines and the missing area add up to that of the whole curve.
    """
    rng = np.random.default_rng(6)
    samples = rng.normal(size=(2000, 2)), rng.normal(1, 0.5, (300, 2))
    cases = [
        *((1, n, fpr_range) for n in (37, 637) for fpr_range in ((0.0, 1.0), (0.4, 0.4), (0.3, 0.9))),
        (2, 637, (0.0, 1.0)),
        (2, 37, (0.0, 0.01)),
    ]
    for n_curves, n_distant, fpr_range in cases:
        negative, positive = np.copy(samples[0]), samples[1]
        negative[:n_distant] += 20
        negative[n_distant : 2 * n_distant + 6] -= 20
        classes = ClassColumns(negative[:, :n_curves]), ClassColumns(positive[:, :n_curves])
        for index, pair in enumerate(mean_curves(monkeypatch, classes, fpr_range)):
            above = np.sum(positive[:, index] > -np.sort(-negative[:, index])[:, None], axis=1)
            for curve, is_above in zip(pair, (True, False), strict=True):
                ranks = np.round(curve.fpr[0, 1:-1] * 2001).astype(int)
                assert_vertices(curve, (ranks, above[ranks - 1]), (2000, 300), is_above=is_above)
                assert len(ranks) < 1200
                rises = np.array(
                    [np.sum(above == 0), 1 + np.sum(above == 0), np.sum(above < 300), 1 + np.sum(above < 300)]
                )
                inside = (ranks[0] <= rises) & (rises <= ranks[-1])
                assert np.isin(rises[inside], ranks).all()
                whole = np.interp(np.arange(1, 2001), ranks, above[ranks - 1])
                ends, missing = np.clip(np.array(fpr_range) * 2001, ranks[0], ranks[-1]), curve.missing_area
                inner = np.arange(np.ceil(ends[0]), np.floor(ends[1]) + 1).astype(int)
                gap = np.trapezoid((above - whole)[inner - 1], inner) / 2001 / 301
                found = np.diff(np.interp(inner[[0, -1]] / 2001, *missing)) if len(inner) > 1 else [0.0]
                assert found == pytest.approx([gap], abs=1e-12)


def random_curves(rng, n_inner, flat):
    """Return 4 random curves with the given indices of flat parts, and the area that they lack."""
    fpr, tpr = (np.sort(rng.random((4, n_inner)), axis=1) for _ in range(2))
    zero = np.zeros((4, 1))
    missing = np.array([[0.0, 0.3, 0.7, 1.0], [0.0, 0.01, -0.02, 0.03]])
    return CurveDraws(
        np.hstack([zero, fpr, zero + 1]), np.hstack([zero, tpr, zero + 1]), rng.uniform(0.03, 0.5, 4), missing, flat
    )


def definition(curves, row, at):
    """Return the TPRs of the low and of the high curve at one FPR that is not that of a vertex."""
    u, v, exponent = curves.fpr[row], curves.tpr[row], curves.exponent[row]
    k = np.searchsorted(u, at) - 1  # at lies between the vertices k and k + 1
    line = v[k] + (v[k + 1] - v[k]) * (at - u[k]) / (u[k + 1] - u[k])
    low = high = line
    if k == 0:
        low, high = v[1] * (at / u[1]) ** 4, v[1] * (at / u[1]) ** exponent
    elif k == len(u) - 2:
        high = 1 - (1 - v[-2]) * ((1 - at) / (1 - u[-2])) ** 4
    if 0 < k == curves.flat[0]:
        low = v[k]
    if 0 < k == curves.flat[1] - 1 < len(u) - 2:
        high = v[k + 1]
    return low, high


@pytest.mark.parametrize("flat", [(0, 1), (0, 6), (2, 4), (1, 5), (3, 4), (4, 6), (5, 6)])
def test_tpr_and_area_of_curves_by_their_definition(flat):
    """Curves with 5 inner vertices; the area is the integral of the TPR, in ranges that begin and end anywhere."""
    rng = np.random.default_rng(sum(flat))
    curves = random_curves(rng, 5, flat)
    at = np.concatenate([rng.random(30), curves.fpr[:, 1] / 3, (2 + curves.fpr[:, -2]) / 3])
    expected = np.array([[definition(curves, row, x) for x in at] for row in range(4)])
    assert np.moveaxis(curves.tpr_at(at), 0, -1) == pytest.approx(expected, rel=1e-10)
    for row in range(2):
        u, v = curves.fpr[row], curves.tpr[row]
        for k in (*range(1, 6), 6):  # a step is complete at its later vertex
            low, high = (part[row, 0] for part in curves.tpr_at(u[k : k + 1]))
            assert low == pytest.approx(v[k], rel=1e-12)
            assert high == pytest.approx(v[k + 1] if 0 < k == flat[1] - 1 < 5 else v[k], rel=1e-12)
        inner = np.array([0.2 * u[1], 0.7 * u[1], u[2], (u[3] + u[4]) / 2, (u[5] + 1) / 2, (u[5] + 3) / 4])
        for start, end in [(0.0, 1.0), *combinations(inner, 2), (0.0, inner[2]), (inner[3], 1.0)]:
            cuts = np.unique([start, *u[(start < u) & (u < end)], end])
            total = np.diff(np.interp([start, end], *curves.missing_area)) * np.ones(2)
            for a, b in pairwise(cuts):
                for x, w in zip(*np.polynomial.legendre.leggauss(30 if a < u[1] else 10), strict=True):
                    s = (x + 1) / 2
                    total += w / 2 * (b - a) * 4 * s**3 * np.array(definition(curves, row, a + (b - a) * s**4))
            assert [part[row] for part in curves.area(start, end)] == pytest.approx(total, rel=1e-5)


def test_fprs_below_that_of_one_negative_are_flagged():
    """With 10 negatives, an FPR below 1/10 needs an extrapolation; for a TPR range, 20 positives take their place."""
    roc = rp.EmpiricalRoc(*two_normals((10, 20), 2))
    calls = {
        0.1: (lambda at: roc.tpr_at_fpr_interval(at, n_resamples=20)),
        0.05: (lambda at: roc.fpr_at_tpr_interval(1 - at, n_resamples=20)),
    }
    for limit, call in calls.items():
        flagged = [set(call(at).flags) for at in (0.5 * limit, 0.99 * limit, 1.01 * limit, 2 * limit)]
        assert flagged == [{"extrapolated"}, {"extrapolated"}, set(), set()]
        assert call(np.array([0.5, 2]) * limit).flags["extrapolated"].tolist() == [True, False]
    for size, at in ((10, 0.9), (5, 0.8), (20, 0.95)):  # 10 * (1 - 0.9) is 1 only up to rounding
        rounded = rp.EmpiricalRoc(*two_normals((20, size), 2))
        assert not rounded.fpr_at_tpr_interval(at, n_resamples=20).flags
    for axis, limit in (("fpr", 0.1), ("tpr", 0.05)):
        for end, expected in ((0.9 * limit, {"extrapolated"}), (1.1 * limit, set())):
            limits = (0.0, end) if axis == "fpr" else (1 - end, 1.0)
            assert set(roc.partial_auc_interval(**{axis: limits}, n_resamples=20).flags) == expected
    for sizes, expected in (((1, 2), True), ((2, 1), True), ((2, 2), False)):
        flags = rp.EmpiricalRoc(*two_normals(sizes, 2)).tpr_at_fpr_interval(0.9, n_resamples=20).flags
        assert ("single_observation" in flags) == expected


def test_too_few_draws_for_the_level_give_the_bounds_at_each_fpr():
    """39 draws have a quantile of 2.5%, the smallest; 38 have none."""
    draws = np.random.default_rng(1).random((39, 3))
    limits = draws_interval((draws, draws), 0.95, 0.5)
    assert np.array(limits) == pytest.approx(np.array([draws.min(axis=0), draws.max(axis=0)]))
    test = draws_test((draws[1:, 0], draws[1:, 0]), 0.5, Hypothesis(), 0.95, Flags())
    assert tuple(test.interval) == (-1, 1)
    assert np.array(draws_interval((draws[1:], draws[1:]), 0.95, 0.5, (-1, 1))).tolist() == [[-1] * 3, [1] * 3]


def test_areas_are_divided_by_the_width_of_the_range():
    """Draws from the same random numbers; a TPR range is an FPR range of the exchanged classes, multiplied by -1."""
    classes = both_features((30, 20), 8, 1)
    turned = tuple(part._replace(values=-part.values) for part in classes[::-1])
    for rate_range, expected in ((RateRange("fpr", 0.1, 0.35), classes), (RateRange("tpr", 0.65, 0.9), turned)):
        options = BootstrapOptions(50, 4)
        areas = draw_quantity(expected, lambda curve: curve.area(0.1, 0.35), (0.1, 0.35), options)
        draws, _ = draw_rates(classes, options, rate_range, np.array(0.0))
        assert np.array(draws) == pytest.approx(np.array(areas) * 4, rel=1e-9)
        assert np.ptp(draws) > 0.1


def test_exchanging_curves_at_the_ends_of_the_range_changes_the_sign():
    """Before the first negative and after the last one, the low and the high curve of a draw differ."""
    (x1, x2), y = correlated((30, 25), 9)
    for options in ({"tpr_at_fpr": 0.01}, {"tpr_at_fpr": 0.99}, {"fpr": (0, 0.02)}, {"tpr": (0.97, 1)}):
        for is_paired in (True, False):
            pairs = [(x1, x2), (x2, x1)]
            calls = [(*pair, y) if is_paired else tuple((x, y) for x in pair) for pair in pairs]
            one, other = (rp.auc_test(*call, n_resamples=100, method="dirichlet", **options) for call in calls)
            if is_paired:
                assert tuple(other.interval) == pytest.approx((-one.interval.high, -one.interval.low), rel=1e-9)
                assert other.p_value == pytest.approx(one.p_value, rel=1e-9)
                assert other.statistic == pytest.approx(-one.statistic, rel=1e-9)
            assert one.interval.low < one.difference < one.interval.high


def test_the_difference_of_two_samples_has_the_draws_of_both():
    """The variance of a TPR difference is the sum of the variances; limits are at most those of separate intervals."""
    samples = [(xs[0], y) for xs, y in (correlated((25, 30), 3), correlated((40, 20), 4))]
    for fpr in (0.01, 0.3):
        test = rp.auc_test(*samples, tpr_at_fpr=fpr, n_resamples=1000)
        singles = [rp.empirical_roc(x, y).tpr_at_fpr_interval(fpr, n_resamples=1000) for x, y in samples]
        assert test.covariance[0, 1] == test.covariance[1, 0] == 0
        lowest, highest = singles[0].low - singles[1].high, singles[0].high - singles[1].low
        assert lowest - 0.02 < test.interval.low < test.interval.high < highest + 0.02
        assert test.interval.width > max(single.width for single in singles)
    errors = np.array([single.width for single in singles]) / (2 * stats.norm.ppf(0.975))
    assert np.sqrt(np.diag(test.covariance)) == pytest.approx(errors, rel=0.2)
    (x1, x2), y = correlated((40, 50), 6)
    paired = rp.auc_test(x1, x2, y, tpr_at_fpr=0.3, n_resamples=1000)
    error = np.sqrt([1, -1] @ paired.covariance @ [1, -1])
    assert error == pytest.approx(paired.interval.width / (2 * stats.norm.ppf(0.975)), rel=0.2)
    assert paired.covariance[0, 1] > 0.1 * paired.covariance[0, 0]
    same = rp.auc_test(x1, 2 * x1, y, tpr_at_fpr=0.3, n_resamples=1000)
    assert same.covariance.ravel() == pytest.approx(np.full(4, paired.covariance[0, 0]), rel=0.25)


def test_estimates_of_intervals_are_the_rates_of_the_curve():
    roc = rp.EmpiricalRoc(*two_normals((10, 35), 6))
    for rate in (0.15, 0.5, 0.85):
        for method in ("dirichlet", "bootstrap", "hilgers"):
            tpr = roc.tpr_at_fpr_interval(rate, method=method, n_resamples=20)
            fpr = roc.fpr_at_tpr_interval(rate, method=method, n_resamples=20)
            assert tpr.estimate == pytest.approx(roc.tpr_at_fpr(rate), rel=1e-12)
            assert fpr.estimate == pytest.approx(roc.fpr_at_tpr(rate), rel=1e-12)
            assert fpr.low <= fpr.estimate <= fpr.high
