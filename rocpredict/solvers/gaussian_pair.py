"""Formulas for two Gaussian classes, on arrays of features: scales, crossings, areas, and both classes folded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import erf, ndtr, ndtri, owens_t

from rocpredict.base.validation import FloatArray
from rocpredict.solvers.quadrature import gauss_legendre

Z_GRID = np.linspace(-39, 39, 131)
"""z-scores: beyond, the normal density is 0 in double precision."""
PANEL_BLOCK = 256
"""Features at a time where one takes thousands of points."""
_BLOCK = 8_192  # features at a time, so that their temporaries stay in the cache
_MAX_SQUARABLE = 1e140  # what lies within [1/_MAX_SQUARABLE, _MAX_SQUARABLE] can be squared as it is
_SQRT_HALF = np.sqrt(0.5)
_LOG_SQRT_2PI = np.log(2 * np.pi) / 2
_ROUNDS = 100
_XTOL = 1e-14  # of u; the tangent of the curve makes up for the rest


class Scaled(NamedTuple):
    """Distance and standard deviations, divided by one power of two wherever their squares need it."""

    d: FloatArray
    s0: FloatArray
    s1: FloatArray


def map_blocks(
    f: Callable[..., tuple[FloatArray, ...]], *args: NDArray[Any], block: int = _BLOCK
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


def separation(d: FloatArray, s0: FloatArray, s1: FloatArray) -> FloatArray:
    """Return D; for two point masses +-inf, and 0 when they are one."""
    spread = np.sqrt(s0 * s0 + s1 * s1)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        separation = np.asarray(d / spread)
    return separation if spread.all() else np.where(d == 0, 0.0, separation)


def log_scale_ratio(s0: FloatArray, s1: FloatArray) -> FloatArray:
    """Return log(s1/s0) with full relative accuracy, however close the two are."""
    gap = s1 - s0
    size = np.log1p(np.abs(gap) / np.minimum(s0, s1))
    if np.isinf(size).any():  # a ratio too large for a double has a logarithm all the same
        size = np.where(np.isinf(size), np.abs(np.log(s1) - np.log(s0)), size)
    return np.copysign(size, gap)


def cdf_difference(low: FloatArray, high: FloatArray) -> FloatArray:
    """Return Phi(high) - Phi(low) for low <= high, each digit of it: from the nearer tail, or about 0."""
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
    """Return (z0, z1) of the rising and of the falling crossing: NaN for none, +-inf for one that ran away.

    Each root of the quadratic has two forms, one with a sum where the other has a difference. ``near``
    and ``far`` are the forms with sums only; which of them rises depends on the sign of d alone.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        gap = s1 - s0
        square_gap = gap * (s1 + s0)
        log_level = log_scale_ratio(s0, s1) + log_kappa
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


def integrate_normal_cdf(
    d: FloatArray, sigma: FloatArray, beta: FloatArray, low: FloatArray, high: FloatArray
) -> tuple[FloatArray]:
    """Integrate Phi((d + beta x)/sigma) over the normal density of x, between two probabilities."""
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
    edges = _panel_edges(_bends(*(part[..., None] for part in (d, sigma, beta))), x_low[..., None], x_high[..., None])
    d, sigma, beta = d[..., None, None], sigma[..., None, None], beta[..., None, None]

    def integrand(x: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            return np.asarray(ndtr((d + beta * x) / sigma))

    return (width * _mean_value(integrand, normal_pdf, edges),)


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


@np.errstate(under="ignore")
def area_below_chance(
    d: FloatArray, s0: FloatArray, s1: FloatArray, low: FloatArray, high: FloatArray
) -> tuple[FloatArray]:
    """Integrate FPR - TPR over FPR, from where the curve meets the chance line to the corner."""
    edges = _panel_edges(_bends(*(part[..., None] for part in (d, s1, s0))), low[..., None], high[..., None])
    d, s0, s1 = d[..., None, None], s0[..., None, None], s1[..., None, None]

    def integrand(x: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            y, step = (d + s0 * x) / s1, ((s1 - s0) * x - d) / s1
        return np.asarray(_cdf_difference(y, x, step) * normal_pdf(x))

    return (gauss_legendre(integrand, edges[..., :-1], edges[..., 1:]).sum(axis=-1),)


def _cdf_difference(low: FloatArray, high: FloatArray, step: FloatArray) -> FloatArray:
    """Return Phi(high) - Phi(low), or 0 for a step = high - low below 0; of a short one the step keeps the digits."""
    middle = low / 2 + high / 2
    with np.errstate(invalid="ignore", over="ignore"):
        short = np.abs(step) * (1 + np.abs(middle)) < 0.02
        u, v = middle * middle, step * step
        series = normal_pdf(middle) * step * (1 + v * (u - 1) / 24 + v * v * (u * u - 6 * u + 3) / 1920)
    return np.where(step > 0, np.where(short, series, cdf_difference(np.fmin(low, high), high)), 0.0)


@np.errstate(under="ignore")
def _mean_value(
    f: Callable[[FloatArray], FloatArray], density: Callable[[FloatArray], FloatArray], edges: FloatArray
) -> FloatArray:
    """Return the mean of a function over a density between the first edge and the last, of whatever mass."""
    left, right = edges[..., :-1], edges[..., 1:]
    area = gauss_legendre(lambda x: f(x) * density(x), left, right).sum(axis=-1)
    total = gauss_legendre(density, left, right).sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(total > 0, area / total, f(edges[..., :1, None])[..., 0, 0])


def _bends(d: FloatArray, sigma: FloatArray, beta: FloatArray) -> FloatArray:
    """Return the x at which x or (d + beta x)/sigma is a point of the grid."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        bend = np.nan_to_num((Z_GRID * sigma - d) / beta, nan=0.0)
    return np.concatenate([np.broadcast_to(Z_GRID, bend.shape), bend], axis=-1)


def _panel_edges(bends: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """Return the bends between two bounds, ascending; those beyond lie on the bounds."""
    first, last = (np.clip(end, Z_GRID[0], Z_GRID[-1]) for end in (low, high))
    return np.sort(np.clip(bends, first, last), axis=-1)


class FoldedNormal(NamedTuple):
    """Rules for a standard normal class: positive at z or above and at its mirror image in a centre or below.

    ``inside``: positive between the two; then z is the lower one. Its methods are those of a distribution.
    """

    centre: FloatArray
    inside: NDArray[np.bool_]

    def reflect(self, z: FloatArray) -> FloatArray:
        """Return the mirror image in the centre; infinite when that is."""
        with np.errstate(invalid="ignore"):
            return np.where(np.isinf(self.centre), self.centre, 2 * self.centre - z)

    def sf(self, z: FloatArray) -> FloatArray:
        """Return how much of the class the rule calls positive."""
        image = self.reflect(z)
        return np.where(self.inside, cdf_difference(np.minimum(z, image), image), ndtr(-z) + ndtr(image))

    def cdf(self, z: FloatArray) -> FloatArray:
        """Return how much of the class the rule calls negative."""
        image = self.reflect(z)
        return np.where(self.inside, ndtr(z) + ndtr(-image), cdf_difference(np.minimum(z, image), z))

    def pdf(self, z: FloatArray) -> FloatArray:
        """Return the density of both thresholds."""
        return normal_pdf(z) + normal_pdf(self.reflect(z))

    def isf(self, rate: FloatArray) -> FloatArray:
        """Return z of the rule that calls this share of the class positive, by Newton's method between two bounds.

        Outside, the upper tail holds at least half of what both hold; inside, at least the share lies above z.
        """
        rate, centre, inside = np.broadcast_arrays(rate, *self)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            low = np.where(inside, -ndtri(np.minimum(1.0, rate + ndtr(-centre))), np.maximum(-ndtri(rate), centre))
            high = np.where(inside, np.minimum(-ndtri(rate), centre), -ndtri(rate / 2))
            low = np.maximum(low, Z_GRID[0])
            z, going = low, np.ones(np.shape(low), dtype=bool)
            for _ in range(_ROUNDS):
                excess = self.sf(z) - rate
                low, high = np.where(excess > 0, z, low), np.where(excess > 0, high, z)
                new = z + excess / self.pdf(z)
                new = np.where((new > low) & (new < high), new, low / 2 + high / 2)
                moves = np.abs(new - z) > _XTOL * (1 + np.abs(new))
                z = np.where(going & np.isfinite(new), new, z)  # who has arrived stays, whatever the neighbours do
                going = going & moves
                if not going.any():
                    break
        z = np.where(rate == 0, np.where(inside, centre, np.inf), z)
        return np.where(rate == 1, np.where(inside, -np.inf, centre), z)

    def spread(self, share: FloatArray) -> FloatArray:
        """Return z from the corner (0, 0) to (1, 1) as a share goes from 0 to 1: near the rate, without a search."""
        beyond = ndtr(-self.centre)
        return np.asarray(-ndtri(np.where(self.inside, share + (1 - share) * beyond, share * beyond)))


class FoldedPair(NamedTuple):
    """Two Gaussians, the class whose rate is given at 0 and the other one at d, folded about one point."""

    d: FloatArray
    std: FloatArray
    other_std: FloatArray
    centre: FloatArray
    """z-scores of the point in each class; infinite for equal standard deviations."""
    other_centre: FloatArray
    inside: NDArray[np.bool_]

    @property
    def abscissa(self) -> FoldedNormal:
        """The class whose rate is given."""
        return FoldedNormal(self.centre, self.inside)

    @property
    def ordinate(self) -> FoldedNormal:
        """The other class."""
        return FoldedNormal(self.other_centre, self.inside)

    @property
    def exchanged(self) -> FoldedPair:
        """The pair for a rate of the other class."""
        return FoldedPair(-self.d, self.other_std, self.std, self.other_centre, self.centre, self.inside)

    @property
    def has_point_mass(self) -> NDArray[np.bool_]:
        """True if a class has no spread."""
        return np.asarray((self.std == 0) | (self.other_std == 0))

    @property
    def identical(self) -> NDArray[np.bool_]:
        """True if both classes have the same distribution."""
        return np.asarray((self.d == 0) & (self.std == self.other_std))

    def other_z(self, z: FloatArray) -> FloatArray:
        """Return the z-score in the other class of a rule from that in the first one."""
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            other = (self.std * z - self.d) / self.other_std
            bound = np.where(self.inside, np.minimum(other, self.other_centre), np.maximum(other, self.other_centre))
        return np.asarray(bound)

    def log_ratio(self, z: FloatArray) -> FloatArray:
        """Return the logarithm of the density of the other class over that of the given one."""
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            fall = (z * (self.other_std - self.std) + self.d) / self.other_std  # z less the z-score in the other class
            return np.asarray(fall * (z - fall / 2) - log_scale_ratio(self.std, self.other_std))


def folded_height(forward: bool, *parts: NDArray[Any]) -> tuple[FloatArray]:
    """Return the mean TPR between two rules over the negatives, or if not ``forward`` the mean TNR over positives."""
    *columns, low, high = (part[..., None] for part in parts)
    pair = FoldedPair(*columns)
    bends = _bends(-pair.d, pair.other_std, pair.std)[..., ::4]  # panels of 2.4 standard deviations suffice
    edges = _panel_edges(np.concatenate([bends, pair.abscissa.reflect(bends)], axis=-1), low, high)
    deep = FoldedPair(*(column[..., None] for column in columns))

    def integrand(z: FloatArray) -> FloatArray:
        return deep.ordinate.sf(deep.other_z(z)) if forward else deep.ordinate.cdf(deep.other_z(z))

    return (_mean_value(integrand, deep.abscissa.pdf, edges),)
