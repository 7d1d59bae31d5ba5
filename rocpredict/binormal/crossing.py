"""Where the densities cross, and the best single threshold."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, ndtr

from rocpredict.answers import Optimum
from rocpredict.arguments import FloatArray
from rocpredict.binormal.pair import each, log_ratio, moments_of, scaled
from rocpredict.distributions import Gaussian
from rocpredict.flags import Flags


def crossings(negative: Gaussian, positive: Gaussian, log_kappa: FloatArray) -> FloatArray:
    """Give the two thresholds where f1 = kappa f0, ascending on a last axis; NaN where there is none."""
    moments = moments_of(negative, positive)
    return each(lambda *args: (_crossings(*args),), *moments, log_kappa)[0]


def best(negative: Gaussian, positive: Gaussian, log_kappa: FloatArray) -> Optimum:
    """Give the threshold that maximises TPR - kappa FPR.

    It is the crossing at which the likelihood ratio rises, on whichever side of the means that lies,
    or an end when no crossing beats it.
    """
    m0, s0, m1, s1 = moments_of(negative, positive)
    threshold, tpr, fpr, tnr, fnr, both = each(_best, m0, s0, m1, s1, log_kappa)
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
    return z_scores(*scaled(*moments_of(negative, positive)), log_kappa)


def z_scores(
    d: FloatArray, s0: FloatArray, s1: FloatArray, log_kappa: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Give (z0, z1) of the rising and of the falling crossing: NaN for none, +-inf for one that ran away.

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


def threshold_at(m0: FloatArray, s0: FloatArray, m1: FloatArray, s1: FloatArray, *z: FloatArray) -> FloatArray:
    """Give the threshold at (z0, z1), measured from the narrower class, whose z carries more digits."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.where(s0 <= s1, m0 + s0 * z[0], m1 + s1 * z[1])


def _crossings(m0: FloatArray, s0: FloatArray, m1: FloatArray, s1: FloatArray, log_kappa: FloatArray) -> FloatArray:
    rising0, rising1, falling0, falling1 = z_scores(*scaled(m0, s0, m1, s1), log_kappa)
    moments = (m0, s0, m1, s1)
    return _in_order(threshold_at(*moments, rising0, rising1), threshold_at(*moments, falling0, falling1), s0, s1)


def _in_order(rising: FloatArray, falling: FloatArray, s0: FloatArray, s1: FloatArray) -> FloatArray:
    """Give both crossings ascending on a last axis, NaN for one that is none."""
    spread = (s0 > 0) & (s1 > 0)
    rising = np.where(spread & np.isfinite(rising), rising, np.nan)
    falling = np.where(spread & np.isfinite(falling), falling, np.nan)
    return np.stack([np.fmin(rising, falling), np.maximum(rising, falling)], axis=-1)


def _best(
    m0: FloatArray, s0: FloatArray, m1: FloatArray, s1: FloatArray, log_kappa: FloatArray
) -> tuple[FloatArray, ...]:
    d, scaled0, scaled1 = scaled(m0, s0, m1, s1)
    rising0, rising1, falling0, falling1 = z_scores(d, scaled0, scaled1, log_kappa)
    moments = (m0, s0, m1, s1)
    threshold = threshold_at(*moments, rising0, rising1)
    both = _in_order(threshold, threshold_at(*moments, falling0, falling1), s0, s1)
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
