"""The rule that maximises TPR - kappa FPR of two Gaussians: two thresholds wherever the spreads differ."""

import numpy as np
from scipy.special import ndtr

from rocpredict.answers import TwoSidedRule
from rocpredict.arguments import FloatArray
from rocpredict.binormal.crossing import threshold_at, z_scores
from rocpredict.binormal.pair import between, each, moments_of, scaled
from rocpredict.distributions import Gaussian

_EVEN = np.zeros(())


def proper_rule(
    negative: Gaussian,
    positive: Gaussian,
    log_kappa: FloatArray = np.zeros(()),  # noqa: B008
) -> TwoSidedRule:
    """Give the two-threshold rule that maximises TPR - kappa FPR: positive where f1 > kappa f0."""
    low, high, inside, *rates = each(two_thresholds, *moments_of(negative, positive), log_kappa)
    return TwoSidedRule(low, high, inside, np.stack([low, high], axis=-1), *rates)


def two_thresholds(
    m0: FloatArray, s0: FloatArray, m1: FloatArray, s1: FloatArray, log_kappa: FloatArray
) -> tuple[FloatArray, ...]:
    """Give low, high, inside, and the rates of the rule at one level of the likelihood ratio."""
    moments = (m0, s0, m1, s1)
    d, scaled0, scaled1 = scaled(*moments)
    rising0, rising1, falling0, falling1 = z_scores(d, scaled0, scaled1, log_kappa)
    rising = np.stack([threshold_at(*moments, rising0, rising1), rising0, rising1])
    falling = np.stack([threshold_at(*moments, falling0, falling1), falling0, falling1])
    inside = s1 < s0  # the rising crossing is then the lower one
    low, high = np.where(inside, rising, falling), np.where(inside, falling, rising)
    alike = (d == 0) & (scaled0 == scaled1)
    alike = alike | ((scaled0 > 0) & (scaled1 > 0) & (np.isnan(rising0) | np.isinf(log_kappa)))
    always = alike & np.where(np.isnan(rising0) & np.isfinite(log_kappa) & (s0 != s1), ~inside, log_kappa < 0)
    low, high = np.where(alike, -np.inf, low), np.where(alike, np.inf, high)
    inside = np.where(alike, always, inside)
    if scaled0.size and min(scaled0.min(), scaled1.min()) == 0:
        low, high = _around_point_mass(moments, (d, scaled0, scaled1), low, high)
    (low0, low1), (high0, high1) = low[1:], high[1:]
    outer0, inner0 = ndtr(low0) + ndtr(-high0), between(low0, high0)
    outer1, inner1 = ndtr(low1) + ndtr(-high1), between(low1, high1)
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
