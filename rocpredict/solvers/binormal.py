"""Closed forms for the ROC curve of two Gaussians, for one feature or a batch of features."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import erf, log_ndtr, ndtr, ndtri, owens_t

from rocpredict.base.rates import Rates
from rocpredict.base.validation import FloatArray
from rocpredict.distributions.base import find_smallest_root
from rocpredict.distributions.gaussian import Gaussian, add_grid_axis
from rocpredict.solvers.base import (
    Axis,
    Hook,
    LikelihoodRatioSolver,
    OptimalThreshold,
    Solver,
    TwoThresholdRule,
    make_optimum,
    make_tail_grids,
    tangent_correction,
)
from rocpredict.solvers.quadrature import gauss_legendre

Z_GRID = np.linspace(-39, 39, 131)
"""Grid of z-scores; outside the range of the grid, the normal density is 0 in double precision."""
PANEL_BLOCK = 256
"""Number of features per block for functions that use thousands of points per feature."""
_BLOCK = 8_192  # number of features per block; temporary arrays then fit into the cache
_MAX_SQUARABLE = 1e140  # numbers in [1/_MAX_SQUARABLE, _MAX_SQUARABLE] are squared without scaling
_SQRT_HALF = np.sqrt(0.5)
_LOG_SQRT_2PI = np.log(2 * np.pi) / 2
_XTOL = 1e-14  # tolerance of z; the remaining error is corrected along the tangent
Scaled: TypeAlias = tuple[FloatArray, FloatArray, FloatArray]
"""Mean difference and both standard deviations, divided by a power of two if a square would over- or underflow."""
_Crossing: TypeAlias = tuple[FloatArray, FloatArray, FloatArray]
"""Threshold at a crossing, with its z-scores z0 in the negative class and z1 in the positive class."""


class BinormalSolver(Solver):
    """Closed-form solver for two Gaussians, for one feature or a batch of features."""

    is_fast = True
    takes_batches = True
    negative: Gaussian[Any]
    positive: Gaussian[Any]

    @property
    def parameters(self) -> tuple[FloatArray, ...]:
        """Mean and standard deviation of the negatives (m0, s0), then of the positives (m1, s1)."""
        return tuple(np.asarray(part) for d in (self.negative, self.positive) for part in (d.mean, d.std))

    @property
    def scaled(self) -> Scaled:
        """Mean difference and both standard deviations, scaled so that their squares neither overflow nor underflow."""
        return scale_parameters(*self.parameters)

    @property
    def separation(self) -> FloatArray:
        """Separation D: the difference between the means, divided by the square root of the sum of the variances."""
        return map_blocks(lambda *moments: (separation(*scale_parameters(*moments)),), *self.parameters)[0]

    def auc(self) -> FloatArray:
        """Return the AUC, Phi(D), where D is the separation."""
        return np.asarray(ndtr(self.separation))

    def auc_complement(self) -> FloatArray:
        """Return 1 - AUC = Phi(-D), accurate even for an AUC close to 1."""
        return np.asarray(ndtr(-self.separation))

    def log_auc_complement(self) -> FloatArray:
        """Return log(1 - AUC) = log Phi(-D), which does not underflow."""
        return np.asarray(log_ndtr(-self.separation))

    def empirical_auc_variance(self, count: tuple[float, float]) -> FloatArray:
        """Return the variance of the empirical AUC; ``count`` contains the numbers of negatives and of positives.

        The variance of the Mann-Whitney statistic depends on two probabilities: that two random positives both exceed a
        random negative, and that a random positive exceeds two random negatives. Both probabilities are computed with
        Owen's T function.
        """
        n0, n1 = count
        _, s0, s1 = self.scaled
        separation = self.separation
        a = ndtr(separation)
        with np.errstate(divide="ignore", invalid="ignore"):
            two_positives = a - 2 * owens_t(separation, s1 / np.sqrt(2 * s0 * s0 + s1 * s1))
            two_negatives = a - 2 * owens_t(separation, s0 / np.sqrt(2 * s1 * s1 + s0 * s0))
        total = a * ndtr(-separation) + (n1 - 1) * (two_positives - a * a) + (n0 - 1) * (two_negatives - a * a)
        return np.asarray(total / (n0 * n1))

    def along(self, axis: Axis, rate: FloatArray) -> FloatArray:
        """Return the TPR Phi(a + b Phi^-1(FPR)) or, for axis "tpr", the FPR Phi((Phi^-1(TPR) - a)/b)."""
        d, s0, s1 = self.scaled
        return _phi_ratio(d, s0, s1, rate, top=True) if axis == "fpr" else _phi_ratio(-d, s1, s0, rate, top=False)

    def threshold_at(self, axis: Axis, rate: FloatArray) -> FloatArray:
        """Return the lowest threshold with FPR <= ``rate`` or, for axis "tpr", the highest one with TPR >= ``rate``."""
        if axis == "tpr":
            return np.where(np.equal(rate, 0), np.inf, self.positive.isf(rate))
        t = np.asarray(self.negative.isf(rate))
        point = np.equal(self.negative.std, 0)
        t = np.where(point, np.nextafter(t, np.inf), t) if point.any() else t
        return np.where(np.equal(rate, 1), -np.inf, t)

    def slope(self, fpr: FloatArray) -> FloatArray:
        """Return the slope of the curve at an FPR, which is the likelihood ratio at the corresponding threshold."""
        d, s0, s1 = self.scaled
        x = ndtri(fpr)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            y = (d + s0 * x) / s1
            log_slope = (x - y) * (x / 2 + y / 2) - log_scale_ratio(s0, s1)
            tilt = np.where(s0 == s1, -np.sign(d) * np.sign(x), np.sign(s1 - s0))  # the wider class dominates the tails
            log_slope = np.where(np.isinf(x), np.where(tilt == 0, 0.0, tilt * np.inf), log_slope)
            jump = (s1 == 0) & (d + s0 * x == 0)
            log_slope = np.where((s0 == 0) | (s1 == 0), np.where(jump, np.inf, -np.inf), log_slope)
            return np.asarray(np.exp(log_slope))

    def area(self, axis: Axis, low: FloatArray, high: FloatArray) -> FloatArray:
        """Return the area under the curve (axis "fpr") or to the right of the curve (axis "tpr") between two rates."""
        d, s0, s1 = self.scaled
        sigma, beta = (s1, s0) if axis == "fpr" else (s0, -s1)
        return map_blocks(integrate_normal_cdf, d, sigma, beta, low, high)[0]

    def hook(self) -> Hook[Any]:
        """Return the part of the curve below the chance line.

        Such a part always exists if the standard deviations differ.
        """
        d, s0, s1 = self.scaled
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            x = np.where(s0 == s1, np.inf * np.sign(d), d / (s1 - s0))  # probit of the FPR on the chance line
        first = np.where(s0 < s1, x, -np.inf)
        last = np.where((s0 > s1) | ((s0 == s1) & (d >= 0)), np.where(s0 == s1, -np.inf, x), np.inf)
        area = map_blocks(area_below_chance, d, s0, s1, first, last, block=PANEL_BLOCK)[0]
        return Hook(np.where(area > 0, ndtr(first), 0.0), np.where(area > 0, ndtr(last), 0.0), area)

    def crossings(self, log_price: FloatArray) -> FloatArray:
        """Return both thresholds at which f1 = price * f0 (f0, f1: class densities), sorted along the last axis.

        A missing crossing is NaN.
        """
        return map_blocks(_crossings, *self.parameters, log_price)[0]

    def crossing_z_scores(self, log_price: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Return the z-scores of the crossing where the likelihood ratio rises, then of the crossing where it falls.

        A crossing is a value at which f1 = price * f0. Each crossing has two z-scores: z0 in the negative class, and z1
        in the positive class.
        """
        return z_scores(*self.scaled, log_price)

    def optimal(self, log_price: FloatArray) -> OptimalThreshold:
        """Return the threshold that maximizes TPR - price * FPR.

        The threshold is the crossing of the weighted densities at which the likelihood ratio rises. This crossing need
        not be between the two means. If this crossing does not exist, or if an infinite threshold is better, the
        returned threshold is infinite.
        """
        m0, s0, m1, s1 = self.parameters
        threshold, tpr, fpr, tnr, fnr, both = map_blocks(_best_threshold, m0, s0, m1, s1, log_price)
        identical, even = (m0 == m1) & (s0 == s1), np.asarray(log_price) == 0
        between = (s0 == 0) & (s1 == 0) & np.isfinite(threshold)
        low, high = (
            np.where(identical & even, end, np.where(between, mean, threshold))
            for end, mean in ((-np.inf, m0), (np.inf, m1))
        )
        tied = np.isinf(threshold) & even & ~identical  # -inf and inf are equally good
        return make_optimum(
            threshold,
            Rates(tpr, fpr, tnr, fnr),
            (low, high),
            both,
            np.where(tied, -threshold, np.nan)[..., None] if np.any(tied) else None,
            identical=identical,
            no_benefit=(tpr <= fpr) & even,
            point_mass=(s0 == 0) | (s1 == 0),
        )

    def threshold_for_odds(self, log_odds: FloatArray) -> FloatArray:
        """Return the smallest threshold with TPR >= odds * FPR, or inf if no finite threshold has this property.

        TPR - odds * FPR is largest at the crossing of f1 and odds * f0 where the likelihood ratio f1/f0 rises. The
        threshold is the root of TPR - odds * FPR below this crossing. If there is a lower crossing, where the
        likelihood ratio falls, the root lies between the two crossings.
        """
        return map_blocks(_threshold_for_odds, *self.parameters, log_odds)[0]

    def likelihood_ratio(self) -> BinormalLikelihoodRatioSolver:
        """Return the solver for the ROC curve of the likelihood ratio."""
        return BinormalLikelihoodRatioSolver(self.negative, self.positive)


class BinormalLikelihoodRatioSolver(LikelihoodRatioSolver):
    """Solver for the ROC curve of the likelihood ratio of two Gaussians.

    The log likelihood ratio is a quadratic function of the feature. The vertex of this function is at infinity if the
    standard deviations are equal. The two thresholds of each rule are symmetric about the vertex. Both classes are
    therefore folded about the vertex, and a rule is represented by the z-scores of one of its thresholds.
    """

    def __init__(self, negative: Gaussian[Any], positive: Gaussian[Any]) -> None:
        self.base = BinormalSolver(negative, positive)

    @property
    def folded(self) -> FoldedPair:
        """Both classes, folded about the vertex of the log likelihood ratio.

        If the positives have the lower mean, the classes are reflected before they are folded.
        """
        d, s0, s1 = np.broadcast_arrays(*self.base.scaled)
        d = np.abs(d)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            square_gap = (s1 - s0) * (s1 + s0)
            centre0, centre1 = (np.where(s0 == s1, -np.inf, -s * d / square_gap) for s in (s0, s1))
        return FoldedPair(d, s0, s1, centre0, centre1, s1 < s0)

    def auc_complement(self) -> FloatArray:
        """Return 1 - AUC = 2 T(D, 2 s0 s1/|s0^2 - s1^2|), where D is the separation and T is Owen's T function."""
        d, s0, s1 = self.base.scaled
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            angle = 2 * (s0 / (s0 + s1)) * (s1 / np.abs(s1 - s0))
            same = (s0 == s1) & (s0 == 0)
            h = np.clip(separation(d, s0, s1), Z_GRID[0], Z_GRID[-1])  # T is 0 (or NaN) outside this range
            complement = 2 * owens_t(h, np.where(s0 == s1, np.inf, angle))
        return np.where(same, np.where(d == 0, 0.5, 0.0), complement)

    def along(self, axis: Axis, rate: FloatArray) -> FloatArray:
        """Return the TPR at FPR = ``rate`` or, for axis "tpr", the FPR at TPR = ``rate``."""
        forward = axis == "fpr"
        pair = self.folded if forward else self.folded.exchanged
        z = pair.abscissa.isf(rate)
        other = pair.other_z(z)
        log_slope = self.folded.log_ratio(z) if forward else -self.folded.log_ratio(other)
        value = tangent_correction(rate - pair.abscissa.sf(z), pair.ordinate.sf(other), log_slope)
        is_corner = np.equal(rate, 0) | np.equal(rate, 1)
        value = np.where(pair.has_point_mass, 1.0 if forward else 0.0, np.where(is_corner, rate, value))
        return np.where(pair.identical, rate, value)

    def area(self, axis: Axis, low: FloatArray, high: FloatArray) -> FloatArray:
        """Return the area under the curve (axis "fpr") or to the right of the curve (axis "tpr") between two rates."""
        forward = axis == "fpr"
        pair = self.folded if forward else self.folded.exchanged
        limits = pair.abscissa.isf(high), pair.abscissa.isf(low)
        mean_rate = map_blocks(partial(folded_mean_rate, forward), *pair, *limits, block=PANEL_BLOCK)[0]
        chance = np.asarray(low) / 2 + np.asarray(high) / 2
        chance = chance if forward else 1 - chance
        return np.asarray(
            (high - low) * np.where(pair.identical, chance, np.where(pair.has_point_mass, 1.0, mean_rate))
        )

    def rule(self, log_price: FloatArray) -> TwoThresholdRule[Any]:
        """Return the rule that maximizes TPR - price * FPR: positive if f1 > price * f0 (f0, f1: class densities)."""
        low, high, inside, *rates = map_blocks(two_threshold_rule, *self.base.parameters, log_price)
        return TwoThresholdRule(low, high, inside.astype(bool), np.stack([low, high], axis=-1), *rates)

    def rule_at_fpr(self, fpr: FloatArray) -> TwoThresholdRule[Any]:
        """Return the rule that maximizes TPR subject to an FPR of at most ``fpr``."""
        pair, moments = self.folded, self.base.parameters
        z0 = pair.abscissa.isf(fpr)
        z1 = pair.other_z(z0)
        sign = np.where(self.base.scaled[0] < 0, -1.0, 1.0)
        mirrors = pair.abscissa.reflect(z0), pair.ordinate.reflect(z1)
        limits = [threshold_from_z(*moments, *(sign * z for z in both)) for both in ((z0, z1), mirrors)]
        rates = pair.ordinate.sf(z1), pair.abscissa.sf(z0), pair.abscissa.cdf(z0), pair.ordinate.cdf(z1)
        parts = [np.minimum(*limits), np.maximum(*limits), pair.inside, *rates]
        if pair.has_point_mass.any():
            whole = np.where(pair.identical & np.equal(fpr, 1), -1.0, 0.0)
            degenerate_parts = map_blocks(two_threshold_rule, *moments, whole)
            parts = [
                np.where(pair.has_point_mass, degenerate, usual)
                for degenerate, usual in zip(degenerate_parts, parts, strict=True)
            ]
        low, high, inside, *rest = (np.array(part) for part in np.broadcast_arrays(*parts))
        return TwoThresholdRule(low, high, inside.astype(bool), np.stack([low, high], axis=-1), *rest)

    def curve(self, n_points: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the likelihood ratio, FPR and TPR at about ``n_points`` points of the curve, from (0, 0) to (1, 1)."""
        wide = [add_grid_axis(d) for d in (self.base.negative, self.base.positive)]
        pair = BinormalLikelihoodRatioSolver(*wide).folded  # type: ignore[arg-type]
        grids = make_tail_grids(n_points)
        u, v = pair.abscissa.approximate_isf(grids[0]), pair.ordinate.approximate_isf(grids[1])
        z0 = np.concatenate([u, pair.exchanged.other_z(v)], axis=-1)
        z1 = np.concatenate([pair.other_z(u), v], axis=-1)
        order = np.argsort(-z0, axis=-1, kind="stable")
        z0, z1 = (np.take_along_axis(z, order, axis=-1) for z in (z0, z1))
        with np.errstate(over="ignore"):
            level = np.minimum.accumulate(np.exp(pair.log_ratio(z0)), axis=-1)
        inner = [level, pair.abscissa.sf(z0), pair.ordinate.sf(z1)]
        if pair.has_point_mass.any():
            inner = _degenerate_roc_points(pair, np.sort(np.concatenate(grids)), inner)
        corner = np.zeros((*level.shape[:-1], 1))
        corners = (corner + np.inf, corner), (corner, corner + 1), (corner, corner + 1)
        levels, fpr, tpr = (
            np.concatenate([first, column, last], axis=-1) for column, (first, last) in zip(inner, corners, strict=True)
        )
        return levels, fpr, tpr


def _phi_ratio(d: FloatArray, s0: FloatArray, s1: FloatArray, rate: FloatArray, *, top: bool) -> FloatArray:
    """Return Phi((d + s0 Phi^-1(rate))/s1).

    On a vertical segment, the result is the rate at the upper end if ``top`` is True, otherwise at the lower end.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        distance = d + np.where(s0 == 0, 0.0, s0 * ndtri(rate))
        z = np.where((s1 == 0) & (distance == 0), np.inf if top else -np.inf, distance / s1)
    value = ndtr(z)
    if not (s0 == 0).any():
        return np.asarray(value)
    value = np.where((s0 == 0) & (rate == (1 if top else 0)), rate, value)
    return np.where((s0 == 0) & (s1 == 0) & (d == 0), rate, value)


def _rising_and_falling(
    moments: tuple[FloatArray, ...], scaled: Scaled, log_kappa: FloatArray
) -> tuple[_Crossing, _Crossing]:
    """Return the crossing at which the likelihood ratio rises, and the crossing at which it falls."""
    z = z_scores(*scaled, log_kappa)
    return (threshold_from_z(*moments, *z[:2]), *z[:2]), (threshold_from_z(*moments, *z[2:]), *z[2:])


def _crossings(*columns: FloatArray) -> tuple[FloatArray]:
    *moments, log_kappa = columns
    rising, falling = _rising_and_falling(tuple(moments), scale_parameters(*moments), log_kappa)
    return (_sort_crossings(rising[0], falling[0], moments[1], moments[3]),)


def _sort_crossings(rising: FloatArray, falling: FloatArray, s0: FloatArray, s1: FloatArray) -> FloatArray:
    """Return both crossings, ascending along the last axis; a crossing that does not exist is NaN."""
    continuous = (s0 > 0) & (s1 > 0)
    rising, falling = (np.where(continuous & np.isfinite(t), t, np.nan) for t in (rising, falling))
    return np.stack([np.fmin(rising, falling), np.maximum(rising, falling)], axis=-1)


def _best_threshold(*columns: FloatArray) -> tuple[FloatArray, ...]:
    *moments, log_kappa = columns
    d, s0, s1 = scaled = scale_parameters(*moments)
    rising, falling = _rising_and_falling(tuple(moments), scaled, log_kappa)
    both = _sort_crossings(rising[0], falling[0], moments[1], moments[3])
    best, identical = rising, (d == 0) & (s0 == s1)
    if s0.size and min(s0.min(), s1.min()) == 0:
        best = _degenerate_crossing(tuple(moments), scaled, best)
    threshold, z0, z1 = best
    if np.any(identical) or np.any(log_kappa) or np.isinf(z0).any():
        above_none = log_ndtr(-z1) >= log_kappa + log_ndtr(-z0)  # log TPR >= log(kappa FPR)
        above_all = log_kappa + log_ndtr(z0) >= log_ndtr(z1)
        better = np.isfinite(threshold) & ~identical & above_none & above_all
        end = np.where(log_kappa < 0, -np.inf, np.inf)
        threshold, z0, z1 = (np.where(better, value, end) for value in best)
    return threshold, ndtr(-z1), ndtr(-z0), ndtr(z0), ndtr(z1), both


def _degenerate_crossing(moments: tuple[FloatArray, ...], scaled: Scaled, crossing: _Crossing) -> _Crossing:
    """Replace the crossing of each feature for which at least one class is a point mass.

    If the positives are a point mass, the new crossing is this point. If the negatives are a point mass, the new
    crossing is the next larger float. If both classes are point masses, the new crossing is a value between them, or
    inf if no threshold separates them.
    """
    m0, _, m1, _ = moments
    d, s0, s1 = scaled
    infinite = np.full_like(d, np.inf)
    just_above = np.nextafter(m0, np.inf)
    where = [(s0 == 0) & (s1 == 0), s0 == 0, s1 == 0]
    between = np.where(d > 0, np.maximum(m0 / 2 + m1 / 2, just_above), np.inf)
    return (
        np.select(where, [between, just_above, m1], crossing[0]),
        np.select(where, [infinite, infinite, d / s0], crossing[1]),
        np.select(where, [np.where(d > 0, -np.inf, np.inf), -d / s1, -infinite], crossing[2]),
    )


def _threshold_for_odds(
    m0: FloatArray, s0: FloatArray, m1: FloatArray, s1: FloatArray, log_odds: FloatArray
) -> tuple[FloatArray]:
    d, scaled0, scaled1 = scale_parameters(m0, s0, m1, s1)
    price = np.where(np.isfinite(log_odds), log_odds, 0.0)
    rising0, rising1, falling0, _ = z_scores(d, scaled0, scaled1, price)

    def excess(z: FloatArray, d: FloatArray, s0: FloatArray, s1: FloatArray, price: FloatArray) -> FloatArray:
        return np.asarray(log_ndtr((d - s0 * z) / s1) - price - log_ndtr(-z))

    reached = np.isfinite(rising0) & (log_ndtr(-rising1) >= price + log_ndtr(-rising0))
    high = np.where(reached, rising0, 0.0)
    low = np.where(np.isfinite(falling0) & (s1 > s0), falling0, Z_GRID[0])
    low = np.minimum(np.maximum(low, Z_GRID[0]), high)
    z = find_smallest_root(excess, low, high, d, scaled0, scaled1, price)
    t = np.where(reached, threshold_from_z(m0, s0, m1, s1, z, (scaled0 * z - d) / scaled1), np.inf)
    t = np.where(np.isposinf(log_odds), np.inf, t)
    if (s0 == 0).any() or (s1 == 0).any():
        above = np.nextafter(m0, np.inf)
        rarer = np.asarray(Gaussian(m0, s0).isf(np.exp(-np.maximum(log_odds, 0.0))))
        t = np.where(s1 == 0, np.where(rarer <= m1, rarer, np.inf), t)
        t = np.where(s0 == 0, np.where(np.asarray(Gaussian(m1, s1).sf_inclusive(above)) > 0, above, np.inf), t)
    return (np.where(log_odds <= 0, -np.inf, t),)


def two_threshold_rule(
    m0: FloatArray, s0: FloatArray, m1: FloatArray, s1: FloatArray, log_kappa: FloatArray
) -> tuple[FloatArray, ...]:
    """Return ``low``, ``high``, ``positive_inside`` and the rates of the rule "positive if f1/f0 > kappa"."""
    moments = (m0, s0, m1, s1)
    d, scaled0, scaled1 = scaled = scale_parameters(*moments)
    rising, falling = (np.stack(crossing) for crossing in _rising_and_falling(moments, scaled, log_kappa))
    rising0 = rising[1]
    inside = s1 < s0  # the likelihood ratio rises at the lower crossing
    low, high = np.where(inside, rising, falling), np.where(inside, falling, rising)
    alike = (d == 0) & (scaled0 == scaled1)
    alike = alike | ((scaled0 > 0) & (scaled1 > 0) & (np.isnan(rising0) | np.isinf(log_kappa)))
    always = alike & np.where(np.isnan(rising0) & np.isfinite(log_kappa) & (s0 != s1), ~inside, log_kappa < 0)
    low, high = np.where(alike, -np.inf, low), np.where(alike, np.inf, high)
    inside = np.where(alike, always, inside)
    if scaled0.size and min(scaled0.min(), scaled1.min()) == 0:
        low, high = _degenerate_rule(moments, scaled, low, high)
    (low0, low1), (high0, high1) = low[1:], high[1:]
    outer0, inner0 = ndtr(low0) + ndtr(-high0), cdf_difference(low0, high0)
    outer1, inner1 = ndtr(low1) + ndtr(-high1), cdf_difference(low1, high1)
    tpr, fnr = np.where(inside, (inner1, outer1), (outer1, inner1))
    fpr, tnr = np.where(inside, (inner0, outer0), (outer0, inner0))
    return low[0], high[0], np.asarray(inside), tpr, fpr, tnr, fnr


def _degenerate_rule(
    moments: tuple[FloatArray, ...], scaled: Scaled, low: FloatArray, high: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Replace ``low`` and ``high`` of each feature for which at least one class is a point mass.

    ``low`` and ``high`` each contain a threshold and its z-scores, (threshold, z0, z1).
    """
    m0, _, m1, _ = moments
    d, s0, s1 = scaled
    infinite = np.full_like(d, np.inf)
    above = d > 0
    between = m0 / 2 + m1 / 2
    z0, z1 = d / s0, -d / s1
    both = np.where(above, (-infinite, -infinite, -infinite), (between, -infinite, infinite))
    both_high = np.where(above, (between, infinite, -infinite), (infinite, infinite, infinite))
    where = [(s0 == 0) & (s1 == 0) & (d != 0), (s0 == 0) & (s1 != 0), (s1 == 0) & (s0 != 0)]
    lows = [both, np.stack([np.nextafter(m0, -np.inf), -infinite, z1]), np.stack([m1, z0, -infinite])]
    highs = [both_high, np.stack([np.nextafter(m0, np.inf), infinite, z1]), np.stack([m1, z0, infinite])]
    return np.select(where, lows, low), np.select(where, highs, high)


def _degenerate_roc_points(pair: FoldedPair, rates: FloatArray, inner: list[FloatArray]) -> list[FloatArray]:
    """Replace the ROC points of each feature for which at least one class is a point mass.

    The new points are on the chance line if both classes are equal, and on the perfect curve otherwise.
    """
    rank, half = np.arange(len(rates)), len(rates) // 2
    up, top = rank < half, rank >= half - 1
    perfect = np.where(up, np.inf, 0.0), np.where(up, 0.0, rates), np.where(top, 1.0, rates)
    chance = np.ones_like(rates), rates, rates
    columns = zip(perfect, chance, inner, strict=True)
    return [
        np.where(pair.has_point_mass, np.where(pair.identical, same, separated), usual)
        for separated, same, usual in columns
    ]


@np.errstate(all="ignore")
def map_blocks(
    f: Callable[..., tuple[FloatArray, ...]], *args: NDArray[Any], block: int = _BLOCK
) -> tuple[FloatArray, ...]:
    """Apply an elementwise function ``f`` to blocks of features, with floating-point warnings disabled."""
    shape = np.broadcast_shapes(*(np.shape(arg) for arg in args))
    flat = [np.broadcast_to(arg, shape).reshape(-1) for arg in args]
    size = flat[0].size
    results = f(*(arg[:block] for arg in flat))
    if size > block:  # results are written in place; only one block of temporary arrays exists at a time
        first, results = results, tuple(np.empty((size, *out.shape[1:]), out.dtype) for out in results)
        for start in range(0, size, block):
            outs = f(*(arg[start : start + block] for arg in flat)) if start else first
            for result, out in zip(results, outs, strict=True):
                result[start : start + block] = out
    return tuple(result.reshape(shape + result.shape[1:]) for result in results)


def scale_parameters(m0: FloatArray, s0: FloatArray, m1: FloatArray, s1: FloatArray) -> Scaled:
    """Return the mean difference and both standard deviations, scaled so that squares neither overflow nor underflow.

    Each feature is scaled separately, so that its results do not depend on the other features.
    """
    with np.errstate(over="ignore"):
        d = m1 - m0
    distance = np.abs(d)
    largest, smallest = np.maximum(distance, np.maximum(s0, s1)), np.minimum(s0, s1)
    safe = (
        (largest <= _MAX_SQUARABLE) & (smallest >= 1 / _MAX_SQUARABLE) & ((distance >= 1 / _MAX_SQUARABLE) | (d == 0))
    )
    if safe.all():
        return d, s0, s1
    halves = (m1 / 2 - m0 / 2, s0 / 2, s1 / 2)  # halving such large numbers is exact
    d, s0, s1 = (np.where(np.isinf(d), half, whole) for half, whole in zip(halves, (d, s0, s1), strict=True))
    _, exponent = np.frexp(np.maximum(np.abs(d), np.maximum(s0, s1)))
    d, s0, s1 = (np.ldexp(part, np.where(safe, 0, -exponent)) for part in (d, s0, s1))
    return d, s0, s1


def separation(d: FloatArray, s0: FloatArray, s1: FloatArray) -> FloatArray:
    """Return the separation D = d/sqrt(s0^2 + s1^2); for two point masses, D is 0 if they coincide, else infinite."""
    std = np.sqrt(s0 * s0 + s1 * s1)
    separation = np.asarray(d / std)
    return separation if std.all() else np.where(d == 0, 0.0, separation)


def log_scale_ratio(s0: FloatArray, s1: FloatArray) -> FloatArray:
    """Return log(s1/s0) with full relative accuracy, even for a ratio close to 1."""
    gap = s1 - s0
    size = np.log1p(np.abs(gap) / np.minimum(s0, s1))
    if np.isinf(size).any():  # the ratio overflows, but its logarithm is finite
        size = np.where(np.isinf(size), np.abs(np.log(s1) - np.log(s0)), size)
    return np.copysign(size, gap)


def cdf_difference(low: FloatArray, high: FloatArray) -> FloatArray:
    """Return Phi(high) - Phi(low) for low <= high with full relative accuracy."""
    straddles = (low < 0) & (high > 0)
    near_tail, far_tail = np.where(low >= 0, -low, high), np.where(low >= 0, -high, low)
    middle = (erf(high * _SQRT_HALF) - erf(low * _SQRT_HALF)) / 2
    return np.asarray(np.where(straddles, middle, ndtr(near_tail) - ndtr(far_tail)))


@np.errstate(under="ignore")
def normal_pdf(x: FloatArray) -> FloatArray:
    """Return the standard normal density."""
    return np.asarray(np.exp(-x * x / 2 - _LOG_SQRT_2PI))


def z_scores(
    d: FloatArray, s0: FloatArray, s1: FloatArray, log_kappa: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return the z-scores of the crossing where the likelihood ratio rises, then of the crossing where it falls.

    A crossing is a value at which the likelihood ratio f1/f0 equals kappa. Each crossing has two z-scores: z0 in the
    negative class, and z1 in the positive class. The z-scores of a missing crossing are NaN; the z-scores of a crossing
    at infinity are infinite. The crossings are the roots of a quadratic equation. The usual formula for one of the
    roots suffers from cancellation. Both roots are therefore computed from ``sum0`` and ``sum1``, which are sums of
    nonnegative numbers. The sign of the mean difference ``d`` determines at which of the two crossings the likelihood
    ratio rises.
    """
    near0, near1, sum0, sum1 = near_z_scores(d, s0, s1, log_kappa)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        square_gap = (s1 - s0) * (s1 + s0)
        far0 = sum0 / square_gap
        far1 = sum1 / square_gap
    rising = d >= 0
    falling = d <= 0
    return (
        np.where(rising, near0, far0),
        np.where(rising, near1, far1),
        np.where(falling, -near0, -far0),
        np.where(falling, -near1, -far1),
    )


def near_z_scores(
    d: FloatArray, s0: FloatArray, s1: FloatArray, log_kappa: FloatArray | float
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return the z-scores of the nearer crossing for the distance ``abs(d)``, and two sums of ``z_scores``.

    The nearer crossing is the one at which the likelihood ratio rises if the positives have the larger mean.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        square = d * d
        log_level = log_scale_ratio(s0, s1) + log_kappa
        root = np.sqrt(square + 2 * ((s1 - s0) * (s1 + s0)) * log_level)
        distance = np.abs(d)
        sum0 = s1 * root + s0 * distance
        sum1 = s0 * root + s1 * distance
        near0 = (square + 2 * s1 * s1 * log_level) / sum0
        near1 = (2 * s0 * s0 * log_level - square) / sum1
    return near0, near1, sum0, sum1


def threshold_from_z(m0: FloatArray, s0: FloatArray, m1: FloatArray, s1: FloatArray, *z: FloatArray) -> FloatArray:
    """Compute a threshold from its z-scores (z0, z1), using the class with the smaller standard deviation."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.where(s0 <= s1, m0 + s0 * z[0], m1 + s1 * z[1])


def integrate_normal_cdf(
    d: FloatArray, sigma: FloatArray, beta: FloatArray, low: FloatArray, high: FloatArray
) -> tuple[FloatArray]:
    """Integrate Phi((d + beta x)/sigma) times the standard normal density of x, between two quantiles of x."""
    x_low, x_high = ndtri(low), ndtri(high)
    area = _bivariate_normal_cdf(d, sigma, beta, x_high) - _bivariate_normal_cdf(d, sigma, beta, x_low)
    # Owen's T has an absolute error of 3e-16, which is too large for small areas and steep curves
    rough = ~(area > 0.01) | (np.abs(beta) > 100 * sigma) | (np.abs(beta) < sigma / 100)
    if rough.any():
        picked = (part[rough] for part in (d, sigma, beta, x_low, x_high, high - low))
        area[rough] = map_blocks(_integrate_panels, *picked, block=PANEL_BLOCK)[0]
    return (_degenerate_area(d, sigma, beta, low, high, area),)


def _bivariate_normal_cdf(d: FloatArray, sigma: FloatArray, beta: FloatArray, x: FloatArray) -> FloatArray:
    """Return P(Z1 <= h, Z2 <= x) for standard normal Z1 and Z2, computed by Owen's (1956) formula.

    Here h = d/sqrt(sigma^2 + beta^2), and the correlation of Z1 and Z2 is -beta/sqrt(sigma^2 + beta^2).
    """
    square = sigma * sigma + beta * beta
    d = d + 0.0  # convert -0.0 to 0.0, because the sign determines the sign of infinities below
    h = d / np.sqrt(square)
    tilt = beta / sigma
    at_h = owens_t(h, x * square / (d * sigma) + tilt)
    at_x = owens_t(x, d / (x * sigma) + tilt)
    same_side = (h * x > 0) | ((h * x == 0) & (h + x >= 0))
    value = (ndtr(h) + ndtr(x)) / 2 - at_h - at_x - np.where(same_side, 0.0, 0.5)
    value = np.where((h == 0) & (x == 0), 0.25 - np.arctan(tilt) / (2 * np.pi), value)
    return np.where(np.isinf(x), np.where(x > 0, ndtr(h), 0.0), value)


def _integrate_panels(
    d: FloatArray, sigma: FloatArray, beta: FloatArray, x_low: FloatArray, x_high: FloatArray, width: FloatArray
) -> tuple[FloatArray]:
    """Compute ``integrate_normal_cdf`` as a sum over panels on which neither factor of the integrand varies much."""
    edges = _panel_edges(
        _break_points(*(part[..., None] for part in (d, sigma, beta))), x_low[..., None], x_high[..., None]
    )
    d, sigma, beta = d[..., None, None], sigma[..., None, None], beta[..., None, None]
    return (width * _mean_value(lambda x: ndtr((d + beta * x) / sigma), normal_pdf, edges),)


def _degenerate_area(
    d: FloatArray, sigma: FloatArray, beta: FloatArray, low: FloatArray, high: FloatArray, area: FloatArray
) -> FloatArray:
    """Replace the area if a class is a point mass.

    The curve is then a step, a horizontal line or the chance line.
    """
    if sigma.all() and beta.all():
        return area
    level = (high - low) * ndtr(np.where((sigma == 0) & (d == 0), 0.0, d / sigma))
    # the rate is 1 above a jump for beta > 0 (TPR against FPR), and below it for beta < 0 (TNR against TPR)
    after = np.maximum(0, high - np.maximum(low, ndtr(-d / beta)))
    before = np.maximum(0, np.minimum(high, ndtr(d / np.abs(beta))) - low)
    chance = (high - low) * (high + low) / 2
    chance = np.where(np.signbit(beta), (high - low) - chance, chance)
    where = [(sigma == 0) & (beta == 0) & (d == 0), beta == 0, (sigma == 0) & (beta > 0), sigma == 0]
    return np.select(where, [chance, level, after, before], area)


def area_below_chance(
    d: FloatArray, s0: FloatArray, s1: FloatArray, low: FloatArray, high: FloatArray
) -> tuple[FloatArray]:
    """Integrate FPR - TPR over the part of the curve below the chance line."""
    edges = _panel_edges(_break_points(*(part[..., None] for part in (d, s1, s0))), low[..., None], high[..., None])
    d, s0, s1 = d[..., None, None], s0[..., None, None], s1[..., None, None]

    def integrand(x: FloatArray) -> FloatArray:
        y, step = (d + s0 * x) / s1, ((s1 - s0) * x - d) / s1
        return np.asarray(_cdf_difference(y, x, step) * normal_pdf(x))

    return (gauss_legendre(integrand, edges[..., :-1], edges[..., 1:]).sum(axis=-1),)


def _cdf_difference(low: FloatArray, high: FloatArray, step: FloatArray) -> FloatArray:
    """Return Phi(high) - Phi(low), or 0 if ``step`` = high - low is negative.

    If ``step`` is small, the difference is computed by a series.
    """
    middle = low / 2 + high / 2
    short = np.abs(step) * (1 + np.abs(middle)) < 0.02
    u, v = middle * middle, step * step
    series = normal_pdf(middle) * step * (1 + v * (u - 1) / 24 + v * v * (u * u - 6 * u + 3) / 1920)
    return np.where(step > 0, np.where(short, series, cdf_difference(np.fmin(low, high), high)), 0.0)


def _mean_value(
    f: Callable[[FloatArray], FloatArray], density: Callable[[FloatArray], FloatArray], edges: FloatArray
) -> FloatArray:
    """Return the density-weighted mean of ``f`` between the first and the last edge."""
    left, right = edges[..., :-1], edges[..., 1:]
    area = gauss_legendre(lambda x: f(x) * density(x), left, right).sum(axis=-1)
    total = gauss_legendre(density, left, right).sum(axis=-1)
    return np.where(total > 0, area / total, f(edges[..., :1, None])[..., 0, 0])


def _break_points(d: FloatArray, sigma: FloatArray, beta: FloatArray) -> FloatArray:
    """Return all x for which x or (d + beta x)/sigma is a point of ``Z_GRID``."""
    break_point = np.nan_to_num((Z_GRID * sigma - d) / beta, nan=0.0)
    return np.concatenate([np.broadcast_to(Z_GRID, break_point.shape), break_point], axis=-1)


def _panel_edges(break_points: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """Return the break points in ascending order, clipped to two bounds."""
    first, last = (np.clip(end, Z_GRID[0], Z_GRID[-1]) for end in (low, high))
    return np.sort(np.clip(break_points, first, last), axis=-1)


class FoldedNormal(NamedTuple):
    """Standard normal distribution folded about a center.

    A rule has two thresholds, z and the reflection of z about the center. If ``inside`` is False, z is the higher
    threshold, and values that are not between the two thresholds are classified as positive. If ``inside`` is True, z
    is the lower threshold, and values between the two thresholds are classified as positive.
    """

    centre: FloatArray
    inside: NDArray[np.bool_]

    def reflect(self, z: FloatArray) -> FloatArray:
        """Return the reflection of z about the center; if the center is infinite, so is the reflection."""
        with np.errstate(invalid="ignore"):
            return np.where(np.isinf(self.centre), self.centre, 2 * self.centre - z)

    def sf(self, z: FloatArray) -> FloatArray:
        """Return the probability that the rule classifies a value of the class as positive."""
        image = self.reflect(z)
        return np.where(self.inside, cdf_difference(np.minimum(z, image), image), ndtr(-z) + ndtr(image))

    def cdf(self, z: FloatArray) -> FloatArray:
        """Return the probability that the rule classifies a value of the class as negative."""
        image = self.reflect(z)
        return np.where(self.inside, ndtr(z) + ndtr(-image), cdf_difference(np.minimum(z, image), z))

    def pdf(self, z: FloatArray) -> FloatArray:
        """Return the sum of the normal densities at both thresholds of the rule."""
        return normal_pdf(z) + normal_pdf(self.reflect(z))

    def isf(self, rate: FloatArray) -> FloatArray:
        """Use Newton's method between two bounds to compute the threshold z at which the rule has a given rate.

        The bounds on z follow from bounds on the probability P(Z >= z). If ``inside`` is False, this probability is
        between half of the rate and the rate. If ``inside`` is True, the probability is between the rate and the rate
        plus P(Z >= center).
        """
        rate, centre, inside = np.broadcast_arrays(rate, *self)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            low = np.where(inside, -ndtri(np.minimum(1.0, rate + ndtr(-centre))), np.maximum(-ndtri(rate), centre))
            high = np.where(inside, np.minimum(-ndtri(rate), centre), -ndtri(rate / 2))
            low = np.maximum(low, Z_GRID[0])
            z, going = low, np.ones(np.shape(low), dtype=bool)
            for _ in range(100):
                excess = self.sf(z) - rate
                low, high = np.where(excess > 0, z, low), np.where(excess > 0, high, z)
                new = z + excess / self.pdf(z)
                new = np.where((new > low) & (new < high), new, low / 2 + high / 2)
                moves = np.abs(new - z) > _XTOL * (1 + np.abs(new))
                z = np.where(going & np.isfinite(new), new, z)  # converged values do not change
                going = going & moves
                if not going.any():
                    break
        z = np.where(rate == 0, np.where(inside, centre, np.inf), z)
        return np.where(rate == 1, np.where(inside, -np.inf, centre), z)

    def approximate_isf(self, rate: FloatArray) -> FloatArray:
        """Approximate ``isf`` without iteration; the result is exact for a rate of 0 or 1."""
        beyond = ndtr(-self.centre)
        return np.asarray(-ndtri(np.where(self.inside, rate + (1 - rate) * beyond, rate * beyond)))


class FoldedPair(NamedTuple):
    """Two Gaussian classes folded about the same point; the first class has mean 0, and the second has mean d."""

    d: FloatArray
    std: FloatArray
    other_std: FloatArray
    centre: FloatArray
    """z-score of the folding point in the first class; infinite for equal standard deviations."""
    other_centre: FloatArray
    """z-score of the folding point in the second class."""
    inside: NDArray[np.bool_]

    @property
    def abscissa(self) -> FoldedNormal:
        """Distribution of the first class, for which the rate of each rule is given."""
        return FoldedNormal(self.centre, self.inside)

    @property
    def ordinate(self) -> FoldedNormal:
        """Distribution of the second class, for which the rate of each rule is computed."""
        return FoldedNormal(self.other_centre, self.inside)

    @property
    def exchanged(self) -> FoldedPair:
        """Pair with the two classes exchanged."""
        return FoldedPair(-self.d, self.other_std, self.std, self.other_centre, self.centre, self.inside)

    @property
    def has_point_mass(self) -> NDArray[np.bool_]:
        """True if a class is a point mass."""
        return np.asarray((self.std == 0) | (self.other_std == 0))

    @property
    def identical(self) -> NDArray[np.bool_]:
        """True if both classes have the same distribution."""
        return np.asarray((self.d == 0) & (self.std == self.other_std))

    def other_z(self, z: FloatArray) -> FloatArray:
        """Convert the z-score of a threshold in the first class to its z-score in the second class."""
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            other = (self.std * z - self.d) / self.other_std
            bound = np.where(self.inside, np.minimum(other, self.other_centre), np.maximum(other, self.other_centre))
        return np.asarray(bound)

    def log_ratio(self, z: FloatArray) -> FloatArray:
        """Return log(f/g), where f is the density of the second class and g is the density of the first class."""
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            fall = (z * (self.other_std - self.std) + self.d) / self.other_std  # z minus z in the second class
            return np.asarray(fall * (z - fall / 2) - log_scale_ratio(self.std, self.other_std))


def folded_mean_rate(forward: bool, *parts: NDArray[Any]) -> tuple[FloatArray]:
    """Return the mean TPR over the FPR range bounded by two rules.

    If ``forward`` is False, return the mean TNR over the TPR range bounded by the two rules instead.
    """
    *columns, low, high = (part[..., None] for part in parts)
    pair = FoldedPair(*columns)
    # panels of 2.4 standard deviations are accurate enough
    break_points = _break_points(-pair.d, pair.other_std, pair.std)[..., ::4]
    edges = _panel_edges(np.concatenate([break_points, pair.abscissa.reflect(break_points)], axis=-1), low, high)
    deep = FoldedPair(*(column[..., None] for column in columns))

    def integrand(z: FloatArray) -> FloatArray:
        return deep.ordinate.sf(deep.other_z(z)) if forward else deep.ordinate.cdf(deep.other_z(z))

    return (_mean_value(integrand, deep.abscissa.pdf, edges),)
