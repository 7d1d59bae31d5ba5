"""Every closed form for two Gaussian classes, for one feature or a batch.

The rule is "positive when x >= threshold". Symbols of this file:

======== ==========================================================================================
m0, m1   mean of the negative and of the positive class
s0, s1   standard deviation of the negative and of the positive class
d        m1 - m0
z0, z1   (threshold - m0)/s0 and (threshold - m1)/s1
kappa    price of a false positive over that of a false negative, prevalence included: the best
         threshold maximises TPR - kappa FPR. 1 for the best Ameans
a, b     d/s1 and s0/s1: TPR = Phi(a + b Phi^-1(FPR))
D        d/sqrt(s0^2 + s1^2): AUC = Phi(D)
======== ==========================================================================================

Rates come from z-scores and never from a threshold, tails in pairs and never as 1 - cdf, and the
crossings from a form of the quadratic that does not cancel: it holds for equal standard deviations,
for ratios of 1 + 1e-15 as of 1e15, at any offset and scale. Derivations: docs/formulas.md.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import erf, log_ndtr, ndtr, ndtri, owens_t

from rocpredict.answers import Hook, Optimum, Regions
from rocpredict.arguments import FloatArray
from rocpredict.distributions import Gaussian
from rocpredict.flags import Flags
from rocpredict.quadrature import panels

_SAFE = 1e140  # what lies within [1/_SAFE, _SAFE] can be squared as it is
_BLOCK = 8_192  # features at a time, so that their temporaries stay in the cache
_PANEL_BLOCK = 256  # the same where a feature takes thousands of points
_GRID = np.linspace(-39, 39, 131)  # z-scores: beyond, the normal density is 0 in double precision
_SQRT_HALF = np.sqrt(0.5)
_LOG_SQRT_2PI = np.log(2 * np.pi) / 2


def auc(negative: Gaussian, positive: Gaussian) -> FloatArray:
    """Give Phi(D)."""
    return _each(lambda *pair: (ndtr(_separation(*pair)),), *_moments(negative, positive))[0]


def auc_complement(negative: Gaussian, positive: Gaussian) -> FloatArray:
    """Give Phi(-D), which keeps its digits when the AUC is all but 1."""
    return _each(lambda *pair: (ndtr(-_separation(*pair)),), *_moments(negative, positive))[0]


def log_auc_complement(negative: Gaussian, positive: Gaussian) -> FloatArray:
    """Give log Phi(-D), which does not underflow."""
    return _each(lambda *pair: (log_ndtr(-_separation(*pair)),), *_moments(negative, positive))[0]


def empirical_auc_variance(negative: Gaussian, positive: Gaussian, count: tuple[float, float]) -> FloatArray:
    """Give the variance of the empirical AUC of samples of these sizes, (negative, positive), drawn from the pair.

    The variance of the Mann-Whitney statistic, with P(two positives > one negative) and P(one positive > two
    negatives) by Owen's T.
    """
    n0, n1 = count
    d, s0, s1 = _scaled(*_moments(negative, positive))
    separation = _separation_of(d, s0, s1)
    a = ndtr(separation)
    with np.errstate(divide="ignore", invalid="ignore"):
        two_positives = a - 2 * owens_t(separation, s1 / np.sqrt(2 * s0 * s0 + s1 * s1))
        two_negatives = a - 2 * owens_t(separation, s0 / np.sqrt(2 * s1 * s1 + s0 * s0))
    spread = a * ndtr(-separation) + (n1 - 1) * (two_positives - a * a) + (n0 - 1) * (two_negatives - a * a)
    return np.asarray(spread / (n0 * n1))


def tpr_at_fpr(negative: Gaussian, positive: Gaussian, fpr: FloatArray) -> FloatArray:
    """Give Phi(a + b Phi^-1(FPR))."""
    d, s0, s1 = _scaled(*_moments(negative, positive))
    return _roc(d, s0, s1, fpr, top=True)


def fpr_at_tpr(negative: Gaussian, positive: Gaussian, tpr: FloatArray) -> FloatArray:
    """Give Phi((Phi^-1(TPR) - a)/b), the same curve with its axes exchanged."""
    d, s0, s1 = _scaled(*_moments(negative, positive))
    return _roc(-d, s1, s0, tpr, top=False)


def threshold_at_fpr(negative: Gaussian, positive: Gaussian, fpr: FloatArray) -> FloatArray:
    """Give the smallest threshold with no more than this FPR."""
    return np.asarray(negative.isf(fpr))


def threshold_at_tpr(negative: Gaussian, positive: Gaussian, tpr: FloatArray) -> FloatArray:
    """Give the largest threshold with no less than this TPR."""
    return np.asarray(positive.isf(tpr))


def slope(negative: Gaussian, positive: Gaussian, fpr: FloatArray) -> FloatArray:
    """Give the slope of the ROC curve: the likelihood ratio at the threshold of this FPR."""
    d, s0, s1 = _scaled(*_moments(negative, positive))
    x = ndtri(fpr)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        y = (d + s0 * x) / s1
        log_slope = (x - y) * (x / 2 + y / 2) - _log_ratio(s0, s1)
        tilt = np.where(s0 == s1, -np.sign(d) * np.sign(x), np.sign(s1 - s0))  # the wider class wins in the tails
        log_slope = np.where(np.isinf(x), np.where(tilt == 0, 0.0, tilt * np.inf), log_slope)
        jump = (s1 == 0) & (d + s0 * x == 0)
        log_slope = np.where((s0 == 0) | (s1 == 0), np.where(jump, np.inf, -np.inf), log_slope)
        return np.asarray(np.exp(log_slope))


def partial_auc_fpr(negative: Gaussian, positive: Gaussian, low: FloatArray, high: FloatArray) -> FloatArray:
    """Give the area under the curve, of TPR, between two FPRs."""
    d, s0, s1 = _scaled(*_moments(negative, positive))
    return _area(d, s1, s0, low, high)


def partial_auc_tpr(negative: Gaussian, positive: Gaussian, low: FloatArray, high: FloatArray) -> FloatArray:
    """Give the area to the right of the curve, of TNR, between two TPRs."""
    d, s0, s1 = _scaled(*_moments(negative, positive))
    return _area(d, s0, -s1, low, high)


def hook(negative: Gaussian, positive: Gaussian) -> Hook:
    """Give the part of the curve below the chance line: wherever the SDs differ there is one."""
    d, s0, s1 = _scaled(*_moments(negative, positive))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        x = np.where(s0 == s1, np.inf * np.sign(d), d / (s1 - s0))  # where it meets the chance line
    at = ndtr(x)
    low = np.where(s0 < s1, at, 0.0)
    high = np.where(s0 < s1, 1.0, np.where(s0 == s1, np.where(d < 0, 1.0, 0.0), at))
    return Hook(low, high, _area_below_chance(d, s0, s1, x))


def crossings(negative: Gaussian, positive: Gaussian, log_kappa: FloatArray) -> FloatArray:
    """Give the two thresholds where f1 = kappa f0, ascending on a last axis; NaN where there is none."""
    moments = _moments(negative, positive)
    return _each(lambda *args: (_crossings(*args),), *moments, log_kappa)[0]


def best(negative: Gaussian, positive: Gaussian, log_kappa: FloatArray) -> Optimum:
    """Give the threshold that maximises TPR - kappa FPR.

    It is the crossing at which the likelihood ratio rises, on whichever side of the means that lies,
    or an end when no crossing beats it.
    """
    m0, s0, m1, s1 = _moments(negative, positive)
    threshold, tpr, fpr, tnr, fnr, both = _each(_best, m0, s0, m1, s1, log_kappa)
    identical = (m0 == m1) & (s0 == s1)
    low, high = _plateau(threshold, identical & (np.asarray(log_kappa) == 0), m0, s0, m1, s1)
    flags = Flags(
        always_negative=threshold == np.inf,
        always_positive=threshold == -np.inf,
        identical=identical,
        no_benefit=(tpr <= fpr) & (np.asarray(log_kappa) == 0),
        perfect_separation=(fpr == 0) & (fnr == 0),
        point_mass=(s0 == 0) | (s1 == 0),
    )
    return Optimum(threshold, tpr, fpr, tnr, fnr, low, high, both, flags)


def crossing_z(
    negative: Gaussian, positive: Gaussian, log_kappa: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Give z0 and z1 where the likelihood ratio rises through kappa, then z0 and z1 where it falls."""
    return _crossing_z(*_scaled(*_moments(negative, positive)), log_kappa)


def proper_auc_complement(negative: Gaussian, positive: Gaussian) -> FloatArray:
    """Give 1 - AUC of the likelihood-ratio rule, 2 T(D, 2 s0 s1/|s0^2 - s1^2|) with Owen's T."""
    d, s0, s1 = _scaled(*_moments(negative, positive))
    with np.errstate(divide="ignore", invalid="ignore"):
        angle = 2 * (s0 / (s0 + s1)) * (s1 / np.abs(s1 - s0))
        same = (s0 == s1) & (s0 == 0)
        h = np.clip(_separation_of(d, s0, s1), _GRID[0], _GRID[-1])  # T is 0 beyond, and NaN far beyond
        complement = 2 * owens_t(h, np.where(s0 == s1, np.inf, angle))
    return np.where(same, np.where(d == 0, 0.5, 0.0), complement)


def proper_rule(negative: Gaussian, positive: Gaussian) -> Regions:
    """Give the two-threshold rule with the best Ameans: positive where f1 > f0."""
    low, high, inside, *rates = _each(_two_thresholds, *_moments(negative, positive))
    return Regions(low, high, inside, np.stack([low, high], axis=-1), *rates)


class _Pair(NamedTuple):
    """Distance and standard deviations, divided by one power of two wherever their squares need it."""

    d: FloatArray
    s0: FloatArray
    s1: FloatArray


def _moments(negative: Gaussian, positive: Gaussian) -> tuple[FloatArray, ...]:
    return (
        np.asarray(negative.mean),
        np.asarray(negative.std),
        np.asarray(positive.mean),
        np.asarray(positive.std),
    )


def _each(f: Callable[..., tuple[FloatArray, ...]], *args: FloatArray, block: int = _BLOCK) -> tuple[FloatArray, ...]:
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


def _scaled(m0: FloatArray, s0: FloatArray, m1: FloatArray, s1: FloatArray) -> _Pair:
    """Give d, s0 and s1; each feature is scaled by itself, so that no answer depends on its neighbours."""
    with np.errstate(over="ignore"):
        d = m1 - m0
    distance = np.abs(d)
    largest, smallest = np.maximum(distance, np.maximum(s0, s1)), np.minimum(s0, s1)
    safe = (largest <= _SAFE) & (smallest >= 1 / _SAFE) & ((distance >= 1 / _SAFE) | (d == 0))
    if safe.all():
        return _Pair(d, s0, s1)
    halves = (m1 / 2 - m0 / 2, s0 / 2, s1 / 2)  # a sum that overflows has no digits to lose in halves
    d, s0, s1 = (np.where(np.isinf(d), half, whole) for half, whole in zip(halves, (d, s0, s1), strict=True))
    _, exponent = np.frexp(np.maximum(np.abs(d), np.maximum(s0, s1)))
    return _Pair(*(np.ldexp(part, np.where(safe, 0, -exponent)) for part in (d, s0, s1)))


def _separation(m0: FloatArray, s0: FloatArray, m1: FloatArray, s1: FloatArray) -> FloatArray:
    return _separation_of(*_scaled(m0, s0, m1, s1))


def _separation_of(d: FloatArray, s0: FloatArray, s1: FloatArray) -> FloatArray:
    """Give D; for two point masses +-inf, and 0 when they are one."""
    spread = np.sqrt(s0 * s0 + s1 * s1)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        separation = np.asarray(d / spread)
    return separation if spread.all() else np.where(d == 0, 0.0, separation)


def _log_ratio(s0: FloatArray, s1: FloatArray) -> FloatArray:
    """Give log(s1/s0) with full relative accuracy, however close the two are."""
    gap = s1 - s0
    size = np.log1p(np.abs(gap) / np.minimum(s0, s1))
    if np.isinf(size).any():  # a ratio too large for a double has a logarithm all the same
        size = np.where(np.isinf(size), np.abs(np.log(s1) - np.log(s0)), size)
    return np.copysign(size, gap)


def _roc(d: FloatArray, s0: FloatArray, s1: FloatArray, rate: FloatArray, *, top: bool) -> FloatArray:
    """Give Phi((d + s0 Phi^-1(rate))/s1), and of a vertical piece its top or its bottom."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        distance = d + np.where(s0 == 0, 0.0, s0 * ndtri(rate))
        z = np.where((s1 == 0) & (distance == 0), np.inf if top else -np.inf, distance / s1)
    height = ndtr(z)
    if not (s0 == 0).any():
        return np.asarray(height)
    height = np.where((s0 == 0) & (rate == (1 if top else 0)), rate, height)
    return np.where((s0 == 0) & (s1 == 0) & (d == 0), rate, height)


def _crossing_z(
    d: FloatArray, s0: FloatArray, s1: FloatArray, log_kappa: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Give (z0, z1) of the rising and of the falling crossing: NaN for none, +-inf for one that ran away.

    Each root of the quadratic has two forms, one with a sum where the other has a difference. ``near``
    and ``far`` are the forms with sums only; which of them rises depends on the sign of d alone.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        gap = s1 - s0
        square_gap = gap * (s1 + s0)
        log_level = _log_ratio(s0, s1) + log_kappa
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


def _threshold(m0: FloatArray, s0: FloatArray, m1: FloatArray, s1: FloatArray, *z: FloatArray) -> FloatArray:
    """Give the threshold at (z0, z1), measured from the narrower class, whose z carries more digits."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.where(s0 <= s1, m0 + s0 * z[0], m1 + s1 * z[1])


def _crossings(m0: FloatArray, s0: FloatArray, m1: FloatArray, s1: FloatArray, log_kappa: FloatArray) -> FloatArray:
    rising0, rising1, falling0, falling1 = _crossing_z(*_scaled(m0, s0, m1, s1), log_kappa)
    moments = (m0, s0, m1, s1)
    return _in_order(_threshold(*moments, rising0, rising1), _threshold(*moments, falling0, falling1), s0, s1)


def _in_order(rising: FloatArray, falling: FloatArray, s0: FloatArray, s1: FloatArray) -> FloatArray:
    spread = (s0 > 0) & (s1 > 0)
    rising = np.where(spread & np.isfinite(rising), rising, np.nan)
    falling = np.where(spread & np.isfinite(falling), falling, np.nan)
    return np.stack([np.fmin(rising, falling), np.maximum(rising, falling)], axis=-1)


def _best(
    m0: FloatArray, s0: FloatArray, m1: FloatArray, s1: FloatArray, log_kappa: FloatArray
) -> tuple[FloatArray, ...]:
    d, scaled0, scaled1 = _scaled(m0, s0, m1, s1)
    rising0, rising1, falling0, falling1 = _crossing_z(d, scaled0, scaled1, log_kappa)
    moments = (m0, s0, m1, s1)
    threshold = _threshold(*moments, rising0, rising1)
    both = _in_order(threshold, _threshold(*moments, falling0, falling1), s0, s1)
    identical = (d == 0) & (scaled0 == scaled1)
    z0, z1 = rising0, rising1
    if scaled0.size and min(scaled0.min(), scaled1.min()) == 0:
        threshold, z0, z1 = _at_point_mass(moments, (d, scaled0, scaled1), (threshold, z0, z1))
    if np.any(identical) or np.any(log_kappa) or np.isinf(z0).any():
        end = np.where(log_kappa < 0, -np.inf, np.inf)
        crossing = np.isfinite(threshold) & ~identical & _beats_ends(z0, z1, log_kappa)
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
    """Give the interval of thresholds as good as the best: a point, but for equal or spreadless classes."""
    between = (s0 == 0) & (s1 == 0) & np.isfinite(threshold)
    if not (anywhere.any() or between.any()):
        return threshold, threshold
    low = np.select([anywhere, between], [np.full_like(threshold, -np.inf), m0], threshold)
    high = np.select([anywhere, between], [np.full_like(threshold, np.inf), m1], threshold)
    return low, high


def _beats_ends(z0: FloatArray, z1: FloatArray, log_kappa: FloatArray) -> FloatArray:
    """Tell whether TPR - kappa FPR at (z0, z1) is at least 0 and at least 1 - kappa, in logarithms."""
    with np.errstate(invalid="ignore"):
        above_none = log_ndtr(-z1) >= log_kappa + log_ndtr(-z0)
        above_all = log_kappa + log_ndtr(z0) >= log_ndtr(z1)
    return np.asarray(above_none & above_all)


def _at_point_mass(
    moments: tuple[FloatArray, ...], scaled: tuple[FloatArray, ...], crossing: tuple[FloatArray, ...]
) -> tuple[FloatArray, ...]:
    """Put (threshold, z0, z1) where a positive class without spread lies, or just above a negative one."""
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


def _two_thresholds(m0: FloatArray, s0: FloatArray, m1: FloatArray, s1: FloatArray) -> tuple[FloatArray, ...]:
    """Give low, high, inside, and the rates of the likelihood-ratio rule."""
    moments = (m0, s0, m1, s1)
    d, scaled0, scaled1 = _scaled(*moments)
    rising0, rising1, falling0, falling1 = _crossing_z(d, scaled0, scaled1, np.asarray(0.0))
    rising = np.stack([_threshold(*moments, rising0, rising1), rising0, rising1])
    falling = np.stack([_threshold(*moments, falling0, falling1), falling0, falling1])
    inside = s1 < s0  # the rising crossing is then the lower one
    low, high = np.where(inside, rising, falling), np.where(inside, falling, rising)
    identical = (d == 0) & (scaled0 == scaled1)
    low, high = np.where(identical, -np.inf, low), np.where(identical, np.inf, high)
    if scaled0.size and min(scaled0.min(), scaled1.min()) == 0:
        low, high = _around_point_mass(moments, (d, scaled0, scaled1), low, high)
    (low0, low1), (high0, high1) = low[1:], high[1:]
    outer0, inner0 = ndtr(low0) + ndtr(-high0), _between(low0, high0)
    outer1, inner1 = ndtr(low1) + ndtr(-high1), _between(low1, high1)
    tpr, fnr = np.where(inside, (inner1, outer1), (outer1, inner1))
    fpr, tnr = np.where(inside, (inner0, outer0), (outer0, inner0))
    return low[0], high[0], np.asarray(inside), tpr, fpr, tnr, fnr


def _around_point_mass(
    moments: tuple[FloatArray, ...], scaled: tuple[FloatArray, ...], low: FloatArray, high: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Let (threshold, z0, z1) at low and high close around a class without spread."""
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


def _between(low: FloatArray, high: FloatArray) -> FloatArray:
    """Give Phi(high) - Phi(low) for low <= high, each digit of it: from the nearer tail, or about 0."""
    straddles = (low < 0) & (high > 0)
    near, far = np.where(low >= 0, -low, high), np.where(low >= 0, -high, low)
    middle = (erf(high * _SQRT_HALF) - erf(low * _SQRT_HALF)) / 2
    return np.asarray(np.where(straddles, middle, ndtr(near) - ndtr(far)))


def _difference(low: FloatArray, high: FloatArray, step: FloatArray) -> FloatArray:
    """Give Phi(high) - Phi(low), or 0 for a step = high - low below 0; of a short one the step keeps the digits."""
    middle = low / 2 + high / 2
    with np.errstate(invalid="ignore", over="ignore"):
        short = np.abs(step) * (1 + np.abs(middle)) < 0.02
        u, v = middle * middle, step * step
        series = _density(middle) * step * (1 + v * (u - 1) / 24 + v * v * (u * u - 6 * u + 3) / 1920)
    return np.where(step > 0, np.where(short, series, _between(np.fmin(low, high), high)), 0.0)


def _area(d: FloatArray, sigma: FloatArray, beta: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """Integrate Phi((d + beta x)/sigma) over the normal density of x, between two probabilities."""
    return _each(_area_block, d, sigma, beta, low, high)[0]


def _area_block(
    d: FloatArray, sigma: FloatArray, beta: FloatArray, low: FloatArray, high: FloatArray
) -> tuple[FloatArray]:
    x_low, x_high = ndtri(low), ndtri(high)
    area = _bivariate(d, sigma, beta, x_high) - _bivariate(d, sigma, beta, x_low)
    # Owen's T is exact to 3e-16 and no better: small areas and steep curves need their own sum
    rough = ~(area > 0.01) | (np.abs(beta) > 100 * sigma) | (np.abs(beta) < sigma / 100)
    if rough.any():
        picked = (part[rough] for part in (d, sigma, beta, x_low, x_high, high - low))
        area[rough] = _each(_area_by_panels, *picked, block=_PANEL_BLOCK)[0]
    return (_area_at_point_mass(d, sigma, beta, low, high, area),)


def _bivariate(d: FloatArray, sigma: FloatArray, beta: FloatArray, x: FloatArray) -> FloatArray:
    """Give P(Z1 <= D, Z2 <= x) for correlation -beta/sqrt(sigma^2 + beta^2), by Owen (1956)."""
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


def _area_by_panels(
    d: FloatArray, sigma: FloatArray, beta: FloatArray, x_low: FloatArray, x_high: FloatArray, width: FloatArray
) -> tuple[FloatArray]:
    """Multiply the width by the mean height, over panels narrow against both bends: of the density and of the curve."""
    d, sigma, beta = d[..., None, None], sigma[..., None, None], beta[..., None, None]

    def height(x: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            return np.asarray(ndtr((d + beta * x) / sigma))

    edges = _edges(d[..., 0], sigma[..., 0], beta[..., 0], x_low, x_high)
    left, right = edges[..., :-1], edges[..., 1:]
    area = panels(lambda x: height(x) * _density(x), left, right).sum(axis=-1)
    total = panels(_density, left, right).sum(axis=-1)  # the width, but for the rounding of x_low and x_high
    with np.errstate(divide="ignore", invalid="ignore"):
        return (width * np.where(total > 0, area / total, height(x_low[..., None, None])[..., 0, 0]),)


def _density(x: FloatArray) -> FloatArray:
    return np.asarray(np.exp(-x * x / 2 - _LOG_SQRT_2PI))


def _edges(d: FloatArray, sigma: FloatArray, beta: FloatArray, x_low: FloatArray, x_high: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        bend = np.nan_to_num((_GRID * sigma - d) / beta, nan=0.0)
    bends = np.concatenate([np.broadcast_to(_GRID, bend.shape), bend], axis=-1)
    low, high = np.clip(x_low, _GRID[0], _GRID[-1]), np.clip(x_high, _GRID[0], _GRID[-1])
    return np.sort(np.clip(bends, low[..., None], high[..., None]), axis=-1)


def _area_at_point_mass(
    d: FloatArray, sigma: FloatArray, beta: FloatArray, low: FloatArray, high: FloatArray, area: FloatArray
) -> FloatArray:
    """Give the area where a class has no spread: the curve is a step, a level or the chance line."""
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
    return _each(_area_below_chance_by_panels, d, s0, s1, low, high, block=_PANEL_BLOCK)[0]


def _area_below_chance_by_panels(
    d: FloatArray, s0: FloatArray, s1: FloatArray, low: FloatArray, high: FloatArray
) -> tuple[FloatArray]:
    d, s0, s1 = d[..., None, None], s0[..., None, None], s1[..., None, None]

    def integrand(x: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            y, step = (d + s0 * x) / s1, ((s1 - s0) * x - d) / s1
        return np.asarray(_difference(y, x, step) * _density(x))

    edges = _edges(d[..., 0], s1[..., 0], s0[..., 0], low, high)
    return (panels(integrand, edges[..., :-1], edges[..., 1:]).sum(axis=-1),)
