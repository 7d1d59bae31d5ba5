"""Confidence set of the best threshold of two samples, and the interval of its optimism-corrected Ameans."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from rocpredict.base.rates import normal_critical_value, wilson_limits
from rocpredict.base.validation import FloatArray
from rocpredict.inference.bootstrap import ResampledThresholds
from rocpredict.inference.intervals import ameans_interval
from rocpredict.solvers.base import ROUNDING, OptimalThreshold
from rocpredict.solvers.empirical import OperatingPoints

_CRITICAL_VALUES = {
    0.01: 0.01,
    0.1: 0.101,
    0.3: 0.305,
    0.5: 0.53,
    0.68: 0.778,
    0.8: 1.003,
    0.9: 1.292,
    0.95: 1.545,
    0.98: 1.84,
    0.99: 2.046,
    0.995: 2.234,
    0.999: 2.64,
}
"""Critical value of the local tests by level: about 0.79 of the normal one.

Simulated: quantiles over 1,300,000 paths of a two-sided Brownian motion W(t) - t^2, which the empirical utility tends
to near the best threshold, of the lowest (M - Z(c))/sqrt(|T - c|) over the points c on the far side of 0 from T. Z is
the path, M its maximum, T where it lies, and 0 the true best threshold. Steps of 0.4 to 1 % of t from 1e-6 on, the
maximum within a step drawn from its law on both sides; Monte-Carlo standard errors to 0.0025, beyond 0.99 to 0.007.
"""
_FARTHEST_CRITICAL_VALUE = 10.0, 8.4
"""A normal quantile, and the critical value there: the last slope continued; its limit is 0.887."""
_CONTINUITY_CORRECTION = 0.4
"""Observations by which Wilson's lower limit of a count is moved; 1/2 is wider, 0 covers too little in skewed classes.

The best threshold lies at the edge of an observation that speaks for it, so that the first observation beyond counts
against any other threshold.
"""


class _ClassSize(NamedTuple):
    """Weight of a class in the criterion, and its number of observations."""

    weight: float
    total: float


def threshold_set(
    points: OperatingPoints, log_price: float, sizes: tuple[float, float], level: float
) -> tuple[float, float]:
    """Return the interval of all thresholds that no local test finds worse than the best one.

    Parameters
    ----------
    points : OperatingPoints
        All operating points of the two samples.
    log_price : float
        Log of what a false positive costs, in units of a false negative.
    sizes : pair of float
        Observations of the (negative, positive) class.
    level : float

    Notes
    -----
    Near the best threshold the empirical utility, as a function of the threshold, tends to a two-sided Brownian motion
    with a parabolic drift (Kim and Pollard 1990). Its location moves as the cube root of n, and the bootstrap is not
    consistent. The loss between the best and another threshold, divided by its standard error, has a limit without
    nuisance parameters, as likelihood ratios have in such problems (Banerjee and Wellner 2001). Its quantiles are
    tabulated here.

    A threshold is worse if the utility that its rule loses, w1 a/n1 - w0 b/n0 for a of n1 positives and b of n0
    negatives between it and the best one, exceeds its margin of error: the root of the summed squares of w1 (a/n1 -
    lower limit) and w0 (upper limit - b/n0) (Newcombe 1998). Below the best threshold the classes change places.
    """
    negatives, positives = sizes
    negative, positive = _ClassSize(float(expit(log_price)), negatives), _ClassSize(float(expit(-log_price)), positives)
    utility = positive.weight * points.tpr - negative.weight * points.fpr
    best = np.flatnonzero(utility >= utility.max() - ROUNDING)
    first, last = best[0], best[-1]  # thresholds descend: the first one is the highest
    above, below = slice(None, first + 1), slice(last, None)
    quantile = local_critical_value(level)
    worse_above = _is_worse(
        points.tpr[last] - points.tpr[above], positive, points.fpr[last] - points.fpr[above], negative, quantile
    )
    worse_below = _is_worse(
        points.fpr[below] - points.fpr[first], negative, points.tpr[below] - points.tpr[first], positive, quantile
    )
    highest, lowest = np.argmin(worse_above), len(utility) - 1 - np.argmin(worse_below[::-1])
    return float(points.low[lowest]), float(points.high[highest])


def local_critical_value(level: float) -> float:
    """Return the quantile of the studentised loss between the estimated and the true best threshold."""
    normal = [normal_critical_value(tabulated) for tabulated in _CRITICAL_VALUES]
    farthest, its_value = _FARTHEST_CRITICAL_VALUE
    knots, values = [*normal, farthest], [*_CRITICAL_VALUES.values(), its_value]
    return float(np.interp(normal_critical_value(level), knots, values))


def _is_worse(
    lost: FloatArray, losing: _ClassSize, gained: FloatArray, gaining: _ClassSize, quantile: float
) -> NDArray[np.bool_]:
    """Return where the loss in one rate, less the gain in the other, exceeds its margin of error."""
    fewer = np.maximum(lost - _CONTINUITY_CORRECTION / losing.total, 0)
    lower, upper = wilson_limits(fewer, losing.total, quantile)[0], wilson_limits(gained, gaining.total, quantile)[1]
    loss = losing.weight * lost - gaining.weight * gained
    margin = np.hypot(losing.weight * (lost - lower), gaining.weight * (upper - gained))
    return np.asarray(loss > margin)


def corrected_ameans_interval(
    best: OptimalThreshold,
    resampled: ResampledThresholds,
    estimate: float,
    sizes: tuple[float, float],
    level: float,
) -> tuple[float, float]:
    """Return the interval of the Ameans that a chosen threshold has in the population.

    Each rate is shrunk by its own optimism, the mean difference between a resample and the sample at the threshold
    that the resample chooses (Efron and Gong 1983); the limits are those of a fixed threshold with such rates. The
    upper one takes half of the optimism, where that is higher: with all of it the interval covers too little.
    """
    rates = np.array([float(best.tpr), float(best.tnr)])
    optimism = np.array([resampled.tpr_optimism, resampled.tnr_optimism])
    full, half = (np.clip(rates - share * optimism, 0, 1) for share in (1, 0.5))
    low, high = ameans_interval(full[0], full[1], sizes, level)
    highest = max(float(high), float(ameans_interval(half[0], half[1], sizes, level)[1]))
    return min(float(low), estimate), max(highest, estimate)
