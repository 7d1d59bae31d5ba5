"""Confidence levels and intervals of proportions."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, get_args, overload

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv, ndtri

from rocpredict.base.results import Interval
from rocpredict.base.validation import (
    ArrayOrFloat,
    FloatArray,
    RocPredictError,
    broadcast_arrays,
    check_nonnegative,
    check_option,
    check_probability,
    short_repr,
    to_scalar,
)

ProportionMethod: TypeAlias = Literal["clopper-pearson", "wilson"]

PROPORTION_METHODS: tuple[ProportionMethod, ...] = get_args(ProportionMethod)


def check_confidence_level(level: ArrayLike) -> float:
    """Return a confidence level as a float, or raise if it is not in (0, 1)."""
    return check_probability("level", level, ends=False)


def normal_critical_value(level: float) -> float:
    """Return the normal quantile that leaves half of 1 - level above it."""
    return float(-ndtri((1 - level) / 2))


def zero_variance_interval(
    estimate: FloatArray, class_sizes: tuple[ArrayOrFloat, ArrayOrFloat], level: float
) -> tuple[FloatArray, FloatArray]:
    """Return the interval bounds of an AUC whose estimated variance is zero.

    If the smaller class has n observations, there are n disjoint pairs of a negative and a positive. All of them agree,
    so the proportion of discordant pairs is at most 1 - ((1 - level)/2)^(1/n) (Clopper and Pearson 1934). In the worst
    case all discordant pairs differ in the same direction.
    """
    max_share = ((1 - level) / 2) ** (1 / np.minimum(*class_sizes))
    return np.asarray(estimate * max_share), np.asarray(1 - (1 - estimate) * max_share)


@overload
def proportion_interval(
    successes: float, n_trials: float, *, level: float = 0.95, method: ProportionMethod = "clopper-pearson"
) -> Interval[float]: ...


@overload
def proportion_interval(
    successes: ArrayLike, n_trials: ArrayLike, *, level: float = 0.95, method: ProportionMethod = "clopper-pearson"
) -> Interval[FloatArray]: ...


def proportion_interval(
    successes: ArrayLike, n_trials: ArrayLike, *, level: float = 0.95, method: ProportionMethod = "clopper-pearson"
) -> Interval[Any]:
    """Return a confidence interval of a proportion.

    Parameters
    ----------
    successes, n_trials : float or array
        Number of observations with the property, and number of all observations: 0 <= successes <= n_trials, with
        n_trials above 0. Sums of weights may be fractions.
    level : float, default=0.95
        Confidence level, in (0, 1).
    method : {"clopper-pearson", "wilson"}, default="clopper-pearson"
        - "clopper-pearson": exact interval [1]_. Its coverage is at least ``level`` for every proportion.
        - "wilson": score interval [2]_. Its coverage is ``level`` on average over proportions, and it is narrower.

    Returns
    -------
    Interval
        Interval with the broadcast shape of ``successes`` and ``n_trials``.

    Raises
    ------
    RocPredictError
        If a number of successes is below 0 or above its number of trials, a number of trials is 0, ``level`` is not
        in (0, 1), or ``method`` is unknown.

    References
    ----------
    .. [1] C. J. Clopper, E. S. Pearson (1934), The use of confidence or fiducial limits illustrated in the case of the
       binomial, Biometrika 26, 404-413.
    .. [2] E. B. Wilson (1927), Probable inference, the law of succession, and statistical inference, Journal of the
       American Statistical Association 22, 209-212.

    Examples
    --------
    >>> proportion_interval(9, 10)
    Interval(0.554984 to 0.997471, level=0.95, method='clopper-pearson')
    >>> proportion_interval(9, 10, method="wilson")
    Interval(0.59585 to 0.982124, level=0.95, method='wilson')
    """
    level = check_confidence_level(level)
    check_option("method", method, PROPORTION_METHODS)
    successes, n_trials = broadcast_arrays(
        successes=check_nonnegative("successes", successes), n_trials=check_nonnegative("n_trials", n_trials)
    )
    if (successes > n_trials).any() or (n_trials == 0).any():
        raise RocPredictError(
            f"successes={short_repr(successes.tolist())} and n_trials={short_repr(n_trials.tolist())}: successes must "
            "not exceed n_trials, and n_trials must be above 0"
        )
    compute = clopper_pearson if method == "clopper-pearson" else wilson
    low, high = map(to_scalar, compute(successes, n_trials, level))
    return Interval(low, high, level, method, to_scalar(successes / n_trials))


def clopper_pearson(successes: FloatArray, n_trials: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Return the bounds of the exact interval of successes/n_trials."""
    tail = (1 - level) / 2
    none, all_of_them = successes == 0, successes == n_trials
    low = np.where(none, 0.0, betaincinv(np.where(none, 1.0, successes), n_trials - successes + 1, tail))
    rest = np.where(all_of_them, 1.0, n_trials - successes)
    return low, np.where(all_of_them, 1.0, betaincinv(successes + 1, rest, 1 - tail))


def wilson(successes: FloatArray, n_trials: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Return the bounds of the score interval of successes/n_trials."""
    return wilson_limits(successes / n_trials, n_trials, normal_critical_value(level))


def wilson_limits(share: FloatArray, n_trials: ArrayOrFloat, quantile: float) -> tuple[FloatArray, FloatArray]:
    """Return the proportions at a distance of ``quantile`` standard errors, by their own variance (Wilson 1927)."""
    square = quantile * quantile / n_trials
    middle = (share + square / 2) / (1 + square)
    half = quantile * np.sqrt(share * (1 - share) / n_trials + square / (4 * n_trials)) / (1 + square)
    low, high = np.maximum(middle - half, 0), np.minimum(middle + half, 1)
    return np.where(share == 0, 0.0, low), np.where(share == 1, 1.0, high)
