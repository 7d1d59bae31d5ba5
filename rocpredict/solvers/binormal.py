"""Closed forms for two Gaussian classes, for one feature or a batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import erf, log_ndtr, ndtr, ndtri, owens_t

from rocpredict.base.rates import Rates
from rocpredict.base.validation import FloatArray
from rocpredict.distributions.gaussian import Gaussian, add_grid_axis
from rocpredict.solvers.base import (
    Axis,
    Hook,
    LikelihoodRatioSolver,
    OptimalThreshold,
    Solver,
    TwoThresholdRule,
    make_optimum,
    tangent_correction,
)
from rocpredict.solvers.quadrature import gauss_legendre

DEFAULT_GRID_SIZE = np.linspace(-39, 39, 131)
"""z-scores: beyond, the normal density is 0 in double precision."""
PANEL_BLOCK = 256
"""Features at a time where one takes thousands of points."""
_BLOCK = 8_192  # features at a time, so that their temporaries stay in the cache
_MAX_SQUARABLE = 1e140  # what lies within [1/_SAFE, _SAFE] can be squared as it is
_SQRT_HALF = np.sqrt(0.5)
_LOG_SQRT_2PI = np.log(2 * np.pi) / 2
_ROUNDS = 100
_XTOL = 1e-14  # of u; the tangent of the curve makes up for the rest
_ODDS_ROUNDS = 200
_MAX_Z = 6.0  # z-scores of the points of a table


class Scaled(NamedTuple):
    """Distance and standard deviations, divided by one power of two wherever their squares need it."""

    d: FloatArray
    s0: FloatArray
    s1: FloatArray


def map_blocks(
    f: Callable[..., tuple[FloatArray, ...]], *args: FloatArray, block: int = _BLOCK
) -> tuple[FloatArray, ...]:
    """Apply an elementwise ``f`` to some features at a time."""
    shape = np.broadcast_shapes(*(np.shape(arg) for arg in args))
    flat = [np.broadcast_to(arg, shape).reshape(-1) for arg in args]
    size = flat[0].size
    results = f(*(arg[:block] for arg in flat))
    if size > block:  # written in place, so that only one block's temporaries are ever held
        first, results = results, tuple(np.empty((size, *out.shape[1:]), out.dtype) for out in results)
        for start in range(0, size, block):
            outs = f(*(arg[start : start + block] for arg in flat)) if start else first
            for result, out in zip(results, outs, strict=True):
                result[start : start + block] = out
    return tuple(result.reshape(shape + result.shape[1:]) for result in results)


def scale_parameters(m0: FloatArray, s0: FloatArray, m1: FloatArray, s1: FloatArray) -> Scaled:
    """Return d, s0 and s1; each feature is scaled by itself, so that no answer depends on its neighbours."""
    with np.errstate(over="ignore"):
        d = m1 - m0
    distance = np.abs(d)
    largest, smallest = np.maximum(distance, np.maximum(s0, s1)), np.minimum(s0, s1)
    safe = (
        (largest <= _MAX_SQUARABLE) & (smallest >= 1 / _MAX_SQUARABLE) & ((distance >= 1 / _MAX_SQUARABLE) | (d == 0))
    )
    if safe.all():
        return Scaled(d, s0, s1)
    halves = (m1 / 2 - m0 / 2, s0 / 2, s1 / 2)  # a sum that overflows has no digits to lose in halves
    d, s0, s1 = (np.where(np.isinf(d), half, whole) for half, whole in zip(halves, (d, s0, s1), strict=True))
    _, exponent = np.frexp(np.maximum(np.abs(d), np.maximum(s0, s1)))
    return Scaled(*(np.ldexp(part, np.where(safe, 0, -exponent)) for part in (d, s0, s1)))


def separation(m0: FloatArray, s0: FloatArray, m1: FloatArray, s1: FloatArray) -> FloatArray:
    """Return D, from the moments."""
    return separation_from_scaled(*scale_parameters(m0, s0, m1, s1))


def separation_from_scaled(d: FloatArray, s0: FloatArray, s1: FloatArray) -> FloatArray:
    """Return D; for two point masses +-inf, and 0 when they are one."""
    spread = np.sqrt(s0 * s0 + s1 * s1)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        separation = np.asarray(d / spread)
    return separation if spread.all() else np.where(d == 0, 0.0, separation)


def log_ratio(s0: FloatArray, s1: FloatArray) -> FloatArray:
    """Return log(s1/s0) with full relative accuracy, however close the two are."""
    gap = s1 - s0
    size = np.log1p(np.abs(gap) / np.minimum(s0, s1))
    if np.isinf(size).any():  # a ratio too large for a double has a logarithm all the same
        size = np.where(np.isinf(size), np.abs(np.log(s1) - np.log(s0)), size)
    return np.copysign(size, gap)


def cdf_difference(low: FloatArray, high: FloatArray) -> FloatArray:
    """Return Phi(high) - Phi(low) for low <= high, each digit of it: from the nearer tail, or about 0."""
    straddles = (low < 0) & (high > 0)
    near, far = np.where(low >= 0, -low, high), np.where(low >= 0, -high, low)
    middle = (erf(high * _SQRT_HALF) - erf(low * _SQRT_HALF)) / 2
    return np.asarray(np.where(straddles, middle, ndtr(near) - ndtr(far)))


def normal_pdf(x: FloatArray) -> FloatArray:
    """Return the standard normal density."""
    return np.asarray(np.exp(-x * x / 2 - _LOG_SQRT_2PI))


class BinormalSolver(Solver):
    """ROC curve of two Gaussians, in closed form; the only solver of batches."""

    exact = True
    negative: Gaussian
    positive: Gaussian

    @property
    def parameters(self) -> tuple[FloatArray, ...]:
        """Means and standard deviations m0, s0, m1, s1."""
        return tuple(np.asarray(part) for d in (self.negative, self.positive) for part in (d.mean, d.std))

    @property
    def scaled(self) -> Scaled:
        """Distance and standard deviations on a scale on which they can be squared."""
        return scale_parameters(*self.parameters)

    def auc(self) -> FloatArray:
        """Return Phi(D)."""
        return map_blocks(lambda *pair: (ndtr(separation(*pair)),), *self.parameters)[0]

    def auc_complement(self) -> FloatArray:
        """Return Phi(-D), which keeps its digits when the AUC is close to 1."""
        return map_blocks(lambda *pair: (ndtr(-separation(*pair)),), *self.parameters)[0]

    def log_auc_complement(self) -> FloatArray:
        """Return log Phi(-D), which does not underflow."""
        return map_blocks(lambda *pair: (log_ndtr(-separation(*pair)),), *self.parameters)[0]

    def empirical_auc_variance(self, count: tuple[float, float]) -> FloatArray:
        """Return the variance of the empirical AUC of samples of these sizes, (negative, positive).

        The variance of the Mann-Whitney statistic, with P(two positives > one negative) and P(one positive > two
        negatives) by Owen's T.
        """
        n0, n1 = count
        d, s0, s1 = self.scaled
        separation = separation_from_scaled(d, s0, s1)
        a = ndtr(separation)
        with np.errstate(divide="ignore", invalid="ignore"):
            two_positives = a - 2 * owens_t(separation, s1 / np.sqrt(2 * s0 * s0 + s1 * s1))
            two_negatives = a - 2 * owens_t(separation, s0 / np.sqrt(2 * s1 * s1 + s0 * s0))
        spread = a * ndtr(-separation) + (n1 - 1) * (two_positives - a * a) + (n0 - 1) * (two_negatives - a * a)
        return np.asarray(spread / (n0 * n1))

    def along(self, axis: Axis, rate: FloatArray) -> FloatArray:
        """Return Phi(a + b Phi^-1(FPR)), or Phi((Phi^-1(TPR) - a)/b)."""
        d, s0, s1 = self.scaled
        return _phi_ratio(d, s0, s1, rate, top=True) if axis == "fpr" else _phi_ratio(-d, s1, s0, rate, top=False)

    def threshold_at(self, axis: Axis, rate: FloatArray) -> FloatArray:
        """Return the least threshold with at most this FPR, or the largest one with at least this TPR."""
        if axis == "tpr":
            return np.where(np.equal(rate, 0), np.inf, self.positive.isf(rate))
        t = np.asarray(self.negative.isf(rate))
        point = np.equal(self.negative.std, 0)
        t = np.where(point, np.nextafter(t, np.inf), t) if point.any() else t
        return np.where(np.equal(rate, 1), -np.inf, t)

    def slope(self, fpr: FloatArray) -> FloatArray:
        """Return the slope of the curve: the likelihood ratio at the threshold of this FPR."""
        d, s0, s1 = self.scaled
        x = ndtri(fpr)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            y = (d + s0 * x) / s1
            log_slope = (x - y) * (x / 2 + y / 2) - log_ratio(s0, s1)
            tilt = np.where(s0 == s1, -np.sign(d) * np.sign(x), np.sign(s1 - s0))  # the wider class wins in the tails
            log_slope = np.where(np.isinf(x), np.where(tilt == 0, 0.0, tilt * np.inf), log_slope)
            jump = (s1 == 0) & (d + s0 * x == 0)
            log_slope = np.where((s0 == 0) | (s1 == 0), np.where(jump, np.inf, -np.inf), log_slope)
            return np.asarray(np.exp(log_slope))

    def area(self, axis: Axis, low: FloatArray, high: FloatArray) -> FloatArray:
        """Return the area under the curve between two FPRs, or to its right between two TPRs."""
        d, s0, s1 = self.scaled
        return _integrate_normal_cdf(d, *((s1, s0) if axis == "fpr" else (s0, -s1)), low, high)

    def hook(self) -> Hook:
        """Return the part of the curve below the chance line, which exists wherever the standard deviations differ."""
        d, s0, s1 = self.scaled
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            x = np.where(s0 == s1, np.inf * np.sign(d), d / (s1 - s0))  # where it meets the chance line
        at = ndtr(x)
        low = np.where(s0 < s1, at, 0.0)
        high = np.where(s0 < s1, 1.0, np.where(s0 == s1, np.where(d < 0, 1.0, 0.0), at))
        area = _area_below_chance(d, s0, s1, x)
        return Hook(np.where(area > 0, low, 0.0), np.where(area > 0, high, 0.0), area)

    def crossings(self, log_price: FloatArray) -> FloatArray:
        """Return the two thresholds where f1 = price f0, ascending on a last axis; NaN where there is none."""
        return map_blocks(lambda *args: (_crossings(*args),), *self.parameters, log_price)[0]

    def crossing_z_scores(self, log_price: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Return z0 and z1 where the likelihood ratio rises through the price, then z0 and z1 where it falls."""
        return z_scores(*self.scaled, log_price)

    def optimal(self, log_price: FloatArray) -> OptimalThreshold:
        """Return the threshold that maximises TPR - price FPR.

        It is the crossing at which the likelihood ratio rises, on whichever side of the means that is, or an end of the
        axis when no crossing is better.
        """
        m0, s0, m1, s1 = self.parameters
        threshold, tpr, fpr, tnr, fnr, both = map_blocks(_best, m0, s0, m1, s1, log_price)
        identical, even = (m0 == m1) & (s0 == s1), np.asarray(log_price) == 0
        return make_optimum(
            threshold,
            Rates(tpr, fpr, tnr, fnr),
            _plateau(threshold, identical & even, m0, s0, m1, s1),
            both,
            identical=identical,
            no_benefit=(tpr <= fpr) & even,
            point_mass=(s0 == 0) | (s1 == 0),
        )

    def threshold_for_odds(self, log_odds: FloatArray) -> FloatArray:
        """Return the smallest threshold with TPR >= odds FPR; +inf where no threshold has that.

        TPR - odds FPR is highest at the rising crossing of the weighted densities, and rises on its way there, from
        the falling crossing where that is below. The threshold is found between the two by bisection.
        """
        return map_blocks(_at_odds, *self.parameters, log_odds)[0]

    def likelihood_ratio(self) -> BinormalLikelihoodRatioSolver:
        """Return the ROC curve of the likelihood ratio."""
        return BinormalLikelihoodRatioSolver(self.negative, self.positive)


class BinormalLikelihoodRatioSolver(LikelihoodRatioSolver):
    """ROC curve of the likelihood ratio of two Gaussians, by the z-scores of the rules with two thresholds.

    The ratio turns at one point, about which both classes are folded; only there is it equal for thresholds that are
    mirror images.
    """

    def __init__(self, negative: Gaussian, positive: Gaussian) -> None:
        self.base = BinormalSolver(negative, positive)

    @property
    def canonical(self) -> CanonicalPair:
        """The two classes with d >= 0, and the point where the ratio turns as z-scores of both."""
        d, s0, s1 = np.broadcast_arrays(*self.base.scaled)
        return to_canonical(d, s0, s1)

    def auc_complement(self) -> FloatArray:
        """Return 1 - AUC = 2 T(D, 2 s0 s1/|s0^2 - s1^2|) with Owen's T."""
        d, s0, s1 = self.base.scaled
        with np.errstate(divide="ignore", invalid="ignore"):
            angle = 2 * (s0 / (s0 + s1)) * (s1 / np.abs(s1 - s0))
            same = (s0 == s1) & (s0 == 0)
            h = np.clip(
                separation_from_scaled(d, s0, s1), DEFAULT_GRID_SIZE[0], DEFAULT_GRID_SIZE[-1]
            )  # T is 0 beyond, and NaN far beyond
            complement = 2 * owens_t(h, np.where(s0 == s1, np.inf, angle))
        return np.where(same, np.where(d == 0, 0.5, 0.0), complement)

    def along(self, axis: Axis, rate: FloatArray) -> FloatArray:
        """Return the TPR at an FPR, or the FPR at which the curve reaches a TPR."""
        t = self.canonical
        if axis == "fpr":
            u = rule_z_score(rate, t.vertex_z0, t.inside)
            v, given, log_slope = (
                z1_of(t, u),
                positive_probability(u, t.vertex_z0, t.inside),
                log_likelihood_ratio(t, u),
            )
            other = positive_probability(v, t.centre1, t.inside)
        else:
            v = rule_z_score(rate, t.centre1, t.inside)
            u, given = z0_of(t, v), positive_probability(v, t.centre1, t.inside)
            log_slope, other = -log_likelihood_ratio(t, u), positive_probability(u, t.vertex_z0, t.inside)
        other = tangent_correction(rate - given, other, log_slope)
        ends = np.equal(rate, 0) | np.equal(rate, 1)
        other = np.where(t.has_point_mass, 1.0 if axis == "fpr" else 0.0, np.where(ends, rate, other))
        return np.where(t.identical, rate, other)

    def area(self, axis: Axis, low: FloatArray, high: FloatArray) -> FloatArray:
        """Return the area under the curve between two FPRs, or to its right between two TPRs."""
        t, chance = self.canonical, np.asarray(low) / 2 + np.asarray(high) / 2
        forward = axis == "fpr"
        centre = t.vertex_z0 if forward else t.centre1
        z = tuple(rule_z_score(rate, centre, t.inside) for rate in (low, high))
        if forward:
            pair = _CanonicalPair(t.d, t.s0, t.s1, centre)
            heights = [positive_probability(z1_of(t, end), t.centre1, t.inside) for end in z]
        else:
            pair = _CanonicalPair(-t.d, t.s1, t.s0, centre)
            heights = [negative_probability(z0_of(t, end), t.vertex_z0, t.inside) for end in z]
        beyond = _tail_probability(pair, _tail_intervals((z[0], z[1]), centre, t.inside))
        height = np.where(t.inside == forward, 1 - beyond, beyond)
        height = np.where(np.isnan(beyond), heights[0] / 2 + heights[1] / 2, height)
        chance = chance if forward else 1 - chance
        return np.asarray((high - low) * np.where(t.identical, chance, np.where(t.has_point_mass, 1.0, height)))

    def rule(self, log_price: FloatArray) -> TwoThresholdRule:
        """Return the rule with two thresholds that maximises TPR - price FPR: positive where f1 > price f0."""
        low, high, inside, *rates = map_blocks(two_threshold_rule, *self.base.parameters, log_price)
        return TwoThresholdRule(low, high, inside, np.stack([low, high], axis=-1), *rates)

    def rule_at_fpr(self, fpr: FloatArray) -> TwoThresholdRule:
        """Return the rule with the highest TPR of all with at most this FPR."""
        t = self.canonical
        u = rule_z_score(fpr, t.vertex_z0, t.inside)
        v, sign = z1_of(t, u), np.where(t.reflected, -1.0, 1.0)
        moments = self.base.parameters
        rising = threshold_from_z(*moments, sign * u, sign * v)
        falling = threshold_from_z(*moments, sign * reflect_about(u, t.vertex_z0), sign * reflect_about(v, t.centre1))
        rates = [
            part(z, centre, t.inside)
            for part in (positive_probability, negative_probability)
            for z, centre in ((v, t.centre1), (u, t.vertex_z0))
        ]
        found = [np.minimum(rising, falling), np.maximum(rising, falling), t.inside, *rates[:2], rates[3], rates[2]]
        if t.has_point_mass.any():
            whole = np.where(t.identical & np.equal(fpr, 1), -1.0, 0.0)
            spreadless = map_blocks(two_threshold_rule, *moments, whole)
            found = [np.where(t.has_point_mass, there, here) for there, here in zip(spreadless, found, strict=True)]
        low, high, inside, *rates = (np.array(part) for part in np.broadcast_arrays(*found))
        tpr, fpr, tnr, fnr = rates
        return TwoThresholdRule(low, high, inside, np.stack([low, high], axis=-1), tpr, fpr, tnr, fnr)

    def curve(self, n_points: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the ratio, FPR and TPR of rules spread over both classes, from (0, 0) to (1, 1)."""
        wide = [add_grid_axis(d) for d in (self.base.negative, self.base.positive)]
        t = BinormalLikelihoodRatioSolver(*wide).canonical  # type: ignore[arg-type]
        shares = [ndtr(np.linspace(-_MAX_Z, _MAX_Z, count)) for count in ((n_points - 1) // 2, (n_points - 2) // 2)]
        u, v = initial_z(shares[0], t.vertex_z0, t.inside), initial_z(shares[1], t.centre1, t.inside)
        z0, z1 = np.concatenate([u, z0_of(t, v)], axis=-1), np.concatenate([z1_of(t, u), v], axis=-1)
        order = np.argsort(-z0, axis=-1, kind="stable")
        z0, z1 = (np.take_along_axis(z, order, axis=-1) for z in (z0, z1))
        with np.errstate(over="ignore"):
            level = np.minimum.accumulate(np.exp(log_likelihood_ratio(t, z0)), axis=-1)
        inner = [level, positive_probability(z0, t.vertex_z0, t.inside), positive_probability(z1, t.centre1, t.inside)]
        if t.has_point_mass.any():
            inner = _degenerate_roc_points(t, np.sort(np.concatenate(shares)), inner)
        ends = (np.inf, 0.0), (0.0, 1.0), (0.0, 1.0)
        padded = [_add_endpoints(column, *end) for column, end in zip(inner, ends, strict=True)]
        return padded[0], padded[1], padded[2]


def to_canonical(d: FloatArray, s0: FloatArray, s1: FloatArray) -> CanonicalPair:
    """Return the distance and standard deviations, reflected, and the centre in both classes."""
    distance = np.abs(d)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        square_gap = (s1 - s0) * (s1 + s0)
        centre0, centre1 = -s0 * distance / square_gap, -s1 * distance / square_gap
    equal = s0 == s1
    return CanonicalPair(
        distance, s0, s1, np.where(equal, -np.inf, centre0), np.where(equal, -np.inf, centre1), s1 < s0, d < 0
    )


def _phi_ratio(d: FloatArray, s0: FloatArray, s1: FloatArray, rate: FloatArray, *, top: bool) -> FloatArray:
    """Return Phi((d + s0 Phi^-1(rate))/s1), and of a vertical piece its top or its bottom."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        distance = d + np.where(s0 == 0, 0.0, s0 * ndtri(rate))
        z = np.where((s1 == 0) & (distance == 0), np.inf if top else -np.inf, distance / s1)
    height = ndtr(z)
    if not (s0 == 0).any():
        return np.asarray(height)
    height = np.where((s0 == 0) & (rate == (1 if top else 0)), rate, height)
    return np.where((s0 == 0) & (s1 == 0) & (d == 0), rate, height)


def _integrate_normal_cdf(
    d: FloatArray, sigma: FloatArray, beta: FloatArray, low: FloatArray, high: FloatArray
) -> FloatArray:
    """Integrate Phi((d + beta x)/sigma) over the normal density of x, between two probabilities."""
    return map_blocks(_integrate_block, d, sigma, beta, low, high)[0]


def _integrate_block(
    d: FloatArray, sigma: FloatArray, beta: FloatArray, low: FloatArray, high: FloatArray
) -> tuple[FloatArray]:
    x_low, x_high = ndtri(low), ndtri(high)
    area = _bivariate_normal_cdf(d, sigma, beta, x_high) - _bivariate_normal_cdf(d, sigma, beta, x_low)
    # Owen's T is exact to 3e-16 and no better: small areas and steep curves need their own sum
    rough = ~(area > 0.01) | (np.abs(beta) > 100 * sigma) | (np.abs(beta) < sigma / 100)
    if rough.any():
        picked = (part[rough] for part in (d, sigma, beta, x_low, x_high, high - low))
        area[rough] = map_blocks(_integrate_panels, *picked, block=PANEL_BLOCK)[0]
    return (_degenerate_area(d, sigma, beta, low, high, area),)


def _bivariate_normal_cdf(d: FloatArray, sigma: FloatArray, beta: FloatArray, x: FloatArray) -> FloatArray:
    """Return P(Z1 <= D, Z2 <= x) for correlation -beta/sqrt(sigma^2 + beta^2), by Owen (1956)."""
    square = sigma * sigma + beta * beta
    d = d + 0.0  # a zero of positive sign decides the sign of the infinities below
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
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
    """Multiply the width by the mean height, over panels narrow against both bends: of the density and of the curve."""
    d, sigma, beta = d[..., None, None], sigma[..., None, None], beta[..., None, None]

    def height(x: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            return np.asarray(ndtr((d + beta * x) / sigma))

    edges = _panel_edges(d[..., 0], sigma[..., 0], beta[..., 0], x_low, x_high)
    left, right = edges[..., :-1], edges[..., 1:]
    area = gauss_legendre(lambda x: height(x) * normal_pdf(x), left, right).sum(axis=-1)
    total = gauss_legendre(normal_pdf, left, right).sum(axis=-1)  # the width, but for the rounding of x_low and x_high
    with np.errstate(divide="ignore", invalid="ignore"):
        return (width * np.where(total > 0, area / total, height(x_low[..., None, None])[..., 0, 0]),)


def _panel_edges(
    d: FloatArray, sigma: FloatArray, beta: FloatArray, x_low: FloatArray, x_high: FloatArray
) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        bend = np.nan_to_num((DEFAULT_GRID_SIZE * sigma - d) / beta, nan=0.0)
    bends = np.concatenate([np.broadcast_to(DEFAULT_GRID_SIZE, bend.shape), bend], axis=-1)
    low, high = (
        np.clip(x_low, DEFAULT_GRID_SIZE[0], DEFAULT_GRID_SIZE[-1]),
        np.clip(x_high, DEFAULT_GRID_SIZE[0], DEFAULT_GRID_SIZE[-1]),
    )
    return np.sort(np.clip(bends, low[..., None], high[..., None]), axis=-1)


def _degenerate_area(
    d: FloatArray, sigma: FloatArray, beta: FloatArray, low: FloatArray, high: FloatArray, area: FloatArray
) -> FloatArray:
    """Return the area where a class has no spread: the curve is a step, a level or the chance line."""
    if sigma.all() and beta.all():
        return area
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        jump = ndtr(-d / beta)
        level = (high - low) * ndtr(np.where((sigma == 0) & (d == 0), 0.0, d / sigma))
        # beta > 0: positive from the jump on (TPR over FPR); beta < 0: up to it (TNR over TPR)
        after = np.maximum(0, high - np.maximum(low, jump))
        before = np.maximum(0, np.minimum(high, ndtr(d / np.abs(beta))) - low)
    chance = (high - low) * (high + low) / 2
    chance = np.where(np.signbit(beta), (high - low) - chance, chance)
    where = [(sigma == 0) & (beta == 0) & (d == 0), beta == 0, (sigma == 0) & (beta > 0), sigma == 0]
    return np.select(where, [chance, level, after, before], area)


def _area_below_chance(d: FloatArray, s0: FloatArray, s1: FloatArray, x: FloatArray) -> FloatArray:
    """Integrate FPR - TPR over FPR, from where the curve meets the chance line to the corner."""
    low = np.where(s0 < s1, x, -np.inf)
    high = np.where((s0 > s1) | ((s0 == s1) & (d >= 0)), np.where(s0 == s1, -np.inf, x), np.inf)
    return map_blocks(_area_below_chance_by_panels, d, s0, s1, low, high, block=PANEL_BLOCK)[0]


def _area_below_chance_by_panels(
    d: FloatArray, s0: FloatArray, s1: FloatArray, low: FloatArray, high: FloatArray
) -> tuple[FloatArray]:
    d, s0, s1 = d[..., None, None], s0[..., None, None], s1[..., None, None]

    def integrand(x: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            y, step = (d + s0 * x) / s1, ((s1 - s0) * x - d) / s1
        return np.asarray(_cdf_difference(y, x, step) * normal_pdf(x))

    edges = _panel_edges(d[..., 0], s1[..., 0], s0[..., 0], low, high)
    return (gauss_legendre(integrand, edges[..., :-1], edges[..., 1:]).sum(axis=-1),)


def _cdf_difference(low: FloatArray, high: FloatArray, step: FloatArray) -> FloatArray:
    """Return Phi(high) - Phi(low), or 0 for a step = high - low below 0; of a short one the step keeps the digits."""
    middle = low / 2 + high / 2
    with np.errstate(invalid="ignore", over="ignore"):
        short = np.abs(step) * (1 + np.abs(middle)) < 0.02
        u, v = middle * middle, step * step
        series = normal_pdf(middle) * step * (1 + v * (u - 1) / 24 + v * v * (u * u - 6 * u + 3) / 1920)
    return np.where(step > 0, np.where(short, series, cdf_difference(np.fmin(low, high), high)), 0.0)


def z_scores(
    d: FloatArray, s0: FloatArray, s1: FloatArray, log_kappa: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return (z0, z1) of the rising and of the falling crossing: NaN for none, +-inf for one that ran away.

    Each root of the quadratic has two forms, one with a sum where the other has a difference. ``near``
    and ``far`` are the forms with sums only; which of them rises depends on the sign of d alone.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        gap = s1 - s0
        square_gap = gap * (s1 + s0)
        log_level = log_ratio(s0, s1) + log_kappa
        root = np.sqrt(d * d + 2 * square_gap * log_level)
        distance = np.abs(d)
        sum0 = s1 * root + s0 * distance
        sum1 = s0 * root + s1 * distance
        near0 = (d * d + 2 * s1 * s1 * log_level) / sum0
        near1 = (2 * s0 * s0 * log_level - d * d) / sum1
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


def threshold_from_z(m0: FloatArray, s0: FloatArray, m1: FloatArray, s1: FloatArray, *z: FloatArray) -> FloatArray:
    """Return the threshold at (z0, z1), measured from the narrower class, whose z carries more digits."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.where(s0 <= s1, m0 + s0 * z[0], m1 + s1 * z[1])


def _crossings(m0: FloatArray, s0: FloatArray, m1: FloatArray, s1: FloatArray, log_kappa: FloatArray) -> FloatArray:
    rising0, rising1, falling0, falling1 = z_scores(*scale_parameters(m0, s0, m1, s1), log_kappa)
    moments = (m0, s0, m1, s1)
    return _sort_crossings(
        threshold_from_z(*moments, rising0, rising1), threshold_from_z(*moments, falling0, falling1), s0, s1
    )


def _sort_crossings(rising: FloatArray, falling: FloatArray, s0: FloatArray, s1: FloatArray) -> FloatArray:
    """Return both crossings ascending on a last axis, NaN for one that is none."""
    spread = (s0 > 0) & (s1 > 0)
    rising = np.where(spread & np.isfinite(rising), rising, np.nan)
    falling = np.where(spread & np.isfinite(falling), falling, np.nan)
    return np.stack([np.fmin(rising, falling), np.maximum(rising, falling)], axis=-1)


def _best(
    m0: FloatArray, s0: FloatArray, m1: FloatArray, s1: FloatArray, log_kappa: FloatArray
) -> tuple[FloatArray, ...]:
    d, scaled0, scaled1 = scale_parameters(m0, s0, m1, s1)
    rising0, rising1, falling0, falling1 = z_scores(d, scaled0, scaled1, log_kappa)
    moments = (m0, s0, m1, s1)
    threshold = threshold_from_z(*moments, rising0, rising1)
    both = _sort_crossings(threshold, threshold_from_z(*moments, falling0, falling1), s0, s1)
    identical = (d == 0) & (scaled0 == scaled1)
    z0, z1 = rising0, rising1
    if scaled0.size and min(scaled0.min(), scaled1.min()) == 0:
        threshold, z0, z1 = _degenerate_crossing(moments, (d, scaled0, scaled1), (threshold, z0, z1))
    if np.any(identical) or np.any(log_kappa) or np.isinf(z0).any():
        end = np.where(log_kappa < 0, -np.inf, np.inf)
        crossing = np.isfinite(threshold) & ~identical & _is_global_optimum(z0, z1, log_kappa)
        threshold, z0, z1 = (np.where(crossing, value, end) for value in (threshold, z0, z1))
    return threshold, ndtr(-z1), ndtr(-z0), ndtr(z0), ndtr(z1), both


def _plateau(
    threshold: FloatArray,
    anywhere: NDArray[np.bool_],
    m0: FloatArray,
    s0: FloatArray,
    m1: FloatArray,
    s1: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Return the interval of thresholds as good as the best: a point, but for equal or spreadless classes."""
    between = (s0 == 0) & (s1 == 0) & np.isfinite(threshold)
    if not (anywhere.any() or between.any()):
        return threshold, threshold
    low = np.select([anywhere, between], [np.full_like(threshold, -np.inf), m0], threshold)
    high = np.select([anywhere, between], [np.full_like(threshold, np.inf), m1], threshold)
    return low, high


def _is_global_optimum(z0: FloatArray, z1: FloatArray, log_kappa: FloatArray) -> FloatArray:
    """Return whether TPR - kappa FPR at (z0, z1) is at least 0 and at least 1 - kappa, in logarithms."""
    with np.errstate(invalid="ignore"):
        above_none = log_ndtr(-z1) >= log_kappa + log_ndtr(-z0)
        above_all = log_kappa + log_ndtr(z0) >= log_ndtr(z1)
    return np.asarray(above_none & above_all)


def _degenerate_crossing(
    moments: tuple[FloatArray, ...], scaled: tuple[FloatArray, ...], crossing: tuple[FloatArray, ...]
) -> tuple[FloatArray, ...]:
    """Return (threshold, z0, z1) at a positive class without variability, or just above a negative one."""
    m0, _, m1, _ = moments
    d, s0, s1 = scaled
    infinite = np.full_like(d, np.inf)
    just_above = np.nextafter(m0, np.inf)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        between = np.where(d > 0, np.maximum(m0 / 2 + m1 / 2, just_above), np.inf)
        cases = {
            "both": ((s0 == 0) & (s1 == 0), (between, infinite, np.where(d > 0, -np.inf, np.inf))),
            "negative": (s0 == 0, (just_above, infinite, -d / s1)),
            "positive": (s1 == 0, (m1, d / s0, -infinite)),
        }
    where = [mask for mask, _ in cases.values()]
    options = zip(*(values for _, values in cases.values()), strict=True)
    return tuple(np.select(where, list(option), default) for option, default in zip(options, crossing, strict=True))


def _at_odds(m0: FloatArray, s0: FloatArray, m1: FloatArray, s1: FloatArray, log_odds: FloatArray) -> tuple[FloatArray]:
    d, scaled0, scaled1 = scale_parameters(m0, s0, m1, s1)
    price = np.where(np.isfinite(log_odds), log_odds, 0.0)
    rising0, rising1, falling0, _ = z_scores(d, scaled0, scaled1, price)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):

        def excess(z: FloatArray) -> FloatArray:
            return np.asarray(log_ndtr((d - scaled0 * z) / scaled1) - price - log_ndtr(-z))

        reached = np.isfinite(rising0) & (log_ndtr(-rising1) >= price + log_ndtr(-rising0))
        high = np.where(reached, rising0, 0.0)
        low = np.where(np.isfinite(falling0) & (s1 > s0), falling0, DEFAULT_GRID_SIZE[0])
        low = np.minimum(np.maximum(low, DEFAULT_GRID_SIZE[0]), high)
        for _ in range(_ODDS_ROUNDS):
            middle = low / 2 + high / 2
            if ((middle <= low) | (middle >= high)).all():
                break
            met = excess(middle) >= 0
            low, high = np.where(met, low, middle), np.where(met, middle, high)
        t = np.where(reached, threshold_from_z(m0, s0, m1, s1, high, (scaled0 * high - d) / scaled1), np.inf)
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
    """Return low, high, inside, and the rates of the rule at one level of the likelihood ratio."""
    moments = (m0, s0, m1, s1)
    d, scaled0, scaled1 = scale_parameters(*moments)
    rising0, rising1, falling0, falling1 = z_scores(d, scaled0, scaled1, log_kappa)
    rising = np.stack([threshold_from_z(*moments, rising0, rising1), rising0, rising1])
    falling = np.stack([threshold_from_z(*moments, falling0, falling1), falling0, falling1])
    inside = s1 < s0  # the rising crossing is then the lower one
    low, high = np.where(inside, rising, falling), np.where(inside, falling, rising)
    alike = (d == 0) & (scaled0 == scaled1)
    alike = alike | ((scaled0 > 0) & (scaled1 > 0) & (np.isnan(rising0) | np.isinf(log_kappa)))
    always = alike & np.where(np.isnan(rising0) & np.isfinite(log_kappa) & (s0 != s1), ~inside, log_kappa < 0)
    low, high = np.where(alike, -np.inf, low), np.where(alike, np.inf, high)
    inside = np.where(alike, always, inside)
    if scaled0.size and min(scaled0.min(), scaled1.min()) == 0:
        low, high = _degenerate_rule(moments, (d, scaled0, scaled1), low, high)
    (low0, low1), (high0, high1) = low[1:], high[1:]
    outer0, inner0 = ndtr(low0) + ndtr(-high0), cdf_difference(low0, high0)
    outer1, inner1 = ndtr(low1) + ndtr(-high1), cdf_difference(low1, high1)
    tpr, fnr = np.where(inside, (inner1, outer1), (outer1, inner1))
    fpr, tnr = np.where(inside, (inner0, outer0), (outer0, inner0))
    return low[0], high[0], np.asarray(inside), tpr, fpr, tnr, fnr


def _degenerate_rule(
    moments: tuple[FloatArray, ...], scaled: tuple[FloatArray, ...], low: FloatArray, high: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return (threshold, z0, z1) at low and high, next to a class without variability."""
    m0, _, m1, _ = moments
    d, s0, s1 = scaled
    infinite = np.full_like(d, np.inf)
    above = d > 0
    between = m0 / 2 + m1 / 2
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        z0, z1 = d / s0, -d / s1
    both = np.where(above, (-infinite, -infinite, -infinite), (between, -infinite, infinite))
    both_high = np.where(above, (between, infinite, -infinite), (infinite, infinite, infinite))
    where = [(s0 == 0) & (s1 == 0) & (d != 0), (s0 == 0) & (s1 != 0), (s1 == 0) & (s0 != 0)]
    lows = [both, np.stack([np.nextafter(m0, -np.inf), -infinite, z1]), np.stack([m1, z0, -infinite])]
    highs = [both_high, np.stack([np.nextafter(m0, np.inf), infinite, z1]), np.stack([m1, z0, infinite])]
    return np.select(where, lows, low), np.select(where, highs, high)


class CanonicalPair(NamedTuple):
    """Two Gaussians with d >= 0: the negative at 0, the positive at d."""

    d: FloatArray
    s0: FloatArray
    s1: FloatArray
    vertex_z0: FloatArray
    """z-scores of the centre in each class; infinite for equal spreads."""
    centre1: FloatArray
    inside: NDArray[np.bool_]
    reflected: NDArray[np.bool_]

    @property
    def has_point_mass(self) -> NDArray[np.bool_]:
        """Whether a class has no spread."""
        return np.asarray((self.s0 == 0) | (self.s1 == 0))

    @property
    def identical(self) -> NDArray[np.bool_]:
        """Whether both classes have the same distribution."""
        return np.asarray((self.d == 0) & (self.s0 == self.s1))


def rule_z_score(rate: FloatArray, centre: FloatArray, inside: NDArray[np.bool_]) -> FloatArray:
    """Return u of the rule that holds this share of a class, by Newton's method kept between two bounds.

    Outside, the upper tail holds at least half of what both hold; inside, at least the share lies above u.
    """
    rate, centre, inside = np.broadcast_arrays(rate, centre, inside)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        low = np.where(inside, -ndtri(np.minimum(1.0, rate + ndtr(-centre))), np.maximum(-ndtri(rate), centre))
        high = np.where(inside, np.minimum(-ndtri(rate), centre), -ndtri(rate / 2))
        low = np.maximum(low, DEFAULT_GRID_SIZE[0])
        u, going = low, np.ones(np.shape(low), dtype=bool)
        for _ in range(_ROUNDS):
            excess = positive_probability(u, centre, inside) - rate
            low, high = np.where(excess > 0, u, low), np.where(excess > 0, high, u)
            new = u + excess / (normal_pdf(u) + normal_pdf(reflect_about(u, centre)))
            new = np.where((new > low) & (new < high), new, low / 2 + high / 2)
            moves = np.abs(new - u) > _XTOL * (1 + np.abs(new))
            u = np.where(going & np.isfinite(new), new, u)  # who has arrived stays, whatever the neighbours do
            going = going & moves
            if not going.any():
                break
    u = np.where(rate == 0, np.where(inside, centre, np.inf), u)
    return np.where(rate == 1, np.where(inside, -np.inf, centre), u)


def initial_z(share: FloatArray, centre: FloatArray, inside: NDArray[np.bool_]) -> FloatArray:
    """Return u from the corner (0, 0) to (1, 1) as a share goes from 0 to 1: near the rate, at no cost of a search."""
    beyond = ndtr(-centre)
    return np.asarray(-ndtri(np.where(inside, share + (1 - share) * beyond, share * beyond)))


def reflect_about(z: FloatArray, centre: FloatArray) -> FloatArray:
    """Return the mirror image in the centre; infinite when that is."""
    with np.errstate(invalid="ignore"):
        return np.where(np.isinf(centre), centre, 2 * centre - z)


def positive_probability(z: FloatArray, centre: FloatArray, inside: NDArray[np.bool_]) -> FloatArray:
    """Return how much of a class the rule calls positive."""
    image = reflect_about(z, centre)
    return np.where(inside, cdf_difference(np.minimum(z, image), image), ndtr(-z) + ndtr(image))


def negative_probability(z: FloatArray, centre: FloatArray, inside: NDArray[np.bool_]) -> FloatArray:
    """Return how much of a class it calls negative."""
    image = reflect_about(z, centre)
    return np.where(inside, ndtr(z) + ndtr(-image), cdf_difference(np.minimum(z, image), z))


def z1_of(t: CanonicalPair, u: FloatArray) -> FloatArray:
    """Return the z-score in the positive class of a rule known by that in the negative one."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        z = (t.s0 * u - t.d) / t.s1
        return np.where(t.inside, np.minimum(z, t.centre1), np.maximum(z, t.centre1))


def z0_of(t: CanonicalPair, v: FloatArray) -> FloatArray:
    """Return the z-score in the negative class of a rule known by that in the positive one."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        z = (t.s1 * v + t.d) / t.s0
        return np.where(t.inside, np.minimum(z, t.vertex_z0), np.maximum(z, t.vertex_z0))


def log_likelihood_ratio(t: CanonicalPair, u: FloatArray) -> FloatArray:
    """Return the logarithm of the likelihood ratio at u."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        fall = (u * (t.s1 - t.s0) + t.d) / t.s1  # z0 - z1
        return np.asarray(fall * (u - fall / 2) - log_ratio(t.s0, t.s1))


class _CanonicalPair(NamedTuple):
    """The class whose rate is given, at 0, and the other one."""

    d: FloatArray
    std: FloatArray
    other_std: FloatArray
    vertex: FloatArray


def _tail_intervals(
    ends: tuple[FloatArray, FloatArray], centre: FloatArray, inside: NDArray[np.bool_]
) -> tuple[tuple[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]:
    """Return the bands between two rules, above and below the centre, as probabilities in the tail they lie in."""
    mirrors = reflect_about(ends[0], centre), reflect_about(ends[1], centre)
    upper = [np.where(inside, mirror, z) for mirror, z in zip(mirrors, ends, strict=True)]
    lower = [np.where(inside, z, mirror) for mirror, z in zip(mirrors, ends, strict=True)]
    above, below = (ndtr(-upper[0]), ndtr(-upper[1])), (ndtr(lower[0]), ndtr(lower[1]))
    return (np.minimum(*above), np.maximum(*above)), (np.minimum(*below), np.maximum(*below))


def _tail_probability(
    classes: _CanonicalPair, bands: tuple[tuple[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]
) -> FloatArray:
    """Return P(a case of the other class lies farther from the centre), for a case in the bands; NaN for empty ones.

    Farther is above it or below its mirror image: four areas in bands of one-threshold curves.
    """
    (d, std, other_std, centre), (upper, lower) = classes, bands
    here = Gaussian(np.zeros_like(d), std)

    def area(mean: FloatArray, band: tuple[FloatArray, FloatArray]) -> FloatArray:
        return BinormalSolver(here, Gaussian(mean, other_std)).area("fpr", *band)

    near = area(d, upper) + area(-d, lower)
    with np.errstate(invalid="ignore", over="ignore"):
        shift = 2 * std * centre
        finite = np.isfinite(shift - d)
        shift = np.where(finite, shift - d, 0.0)
    far = area(shift, upper) + area(-shift, lower)
    width = (upper[1] - upper[0]) + (lower[1] - lower[0])
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((near + np.where(finite, far, 0.0)) / width)


def _degenerate_roc_points(t: CanonicalPair, shares: FloatArray, inner: list[FloatArray]) -> list[FloatArray]:
    """Return the points of a curve that rises at once and then runs level, or along the chance line."""
    rank, half = np.arange(len(shares)), len(shares) // 2
    up, top = rank < half, rank >= half - 1
    perfect = np.where(up, np.inf, 0.0), np.where(up, 0.0, shares), np.where(top, 1.0, shares)
    chance = np.ones_like(shares), shares, shares
    columns = zip(perfect, chance, inner, strict=True)
    return [np.where(t.has_point_mass, np.where(t.identical, same, apart), usual) for apart, same, usual in columns]


def _add_endpoints(column: FloatArray, first: float, last: float) -> FloatArray:
    end = (*column.shape[:-1], 1)
    return np.concatenate([np.full(end, first), column, np.full(end, last)], axis=-1)
