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
    """Return a confidence level as a float, or refuse what is not inside (0, 1)."""
    return check_probability("level", level, ends=False)


def normal_critical_value(level: float) -> float:
    """Return the normal quantile that leaves half of 1 - level above it."""
    return float(-ndtri((1 - level) / 2))


def zero_variance_interval(
    estimate: FloatArray, class_sizes: tuple[ArrayOrFloat, ArrayOrFloat], level: float
) -> tuple[FloatArray, FloatArray]:
    """Return the ends of an area where no spread was seen, by how many unlike cases there can be all the same.

    The smaller class has n cases, so there are n pairs of a negative and a positive that share no case. All were
    alike: others can be at most a share of 1 - ((1 - level)/2)^(1/n) (Clopper and Pearson 1934), all on one side at
    the worst.
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
    """Return the interval of a proportion.

    Parameters
    ----------
    successes, n_trials : float or array
        Cases with the property, and all cases: 0 <= successes <= n_trials, n_trials above 0. Weights may make them
        fractions.
    level : float
    method : {"clopper-pearson", "wilson"}
        Exact (Clopper and Pearson 1934): covers at least ``level``, whatever the proportion. Wilson's score
        interval (1927): covers ``level`` on the average over proportions, and is narrower.

    Returns
    -------
    Interval
        Of the shape of the counts.

    Raises
    ------
    RocPredictError
        Counts below 0 or above their total, a total of 0, a level outside (0, 1), an unknown method.

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
            "be no more than n_trials, and n_trials above 0"
        )
    compute = clopper_pearson if method == "clopper-pearson" else wilson
    low, high = map(to_scalar, compute(successes, n_trials, level))
    return Interval(low, high, level, method, to_scalar(successes / n_trials))


def clopper_pearson(successes: FloatArray, n_trials: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Return the ends of the exact interval of count/total."""
    tail = (1 - level) / 2
    none, all_of_them = successes == 0, successes == n_trials
    low = np.where(none, 0.0, betaincinv(np.where(none, 1.0, successes), n_trials - successes + 1, tail))
    rest = np.where(all_of_them, 1.0, n_trials - successes)
    return low, np.where(all_of_them, 1.0, betaincinv(successes + 1, rest, 1 - tail))


def wilson(successes: FloatArray, n_trials: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Return the ends of the score interval of count/total."""
    return wilson_limits(successes / n_trials, n_trials, normal_critical_value(level))


def wilson_limits(share: FloatArray, n_trials: ArrayOrFloat, quantile: float) -> tuple[FloatArray, FloatArray]:
    """Return the proportions that lie this many standard errors from a share, by their own variance (Wilson 1927)."""
    square = quantile * quantile / n_trials
    middle = (share + square / 2) / (1 + square)
    half = quantile * np.sqrt(share * (1 - share) / n_trials + square / (4 * n_trials)) / (1 + square)
    low, high = np.maximum(middle - half, 0), np.minimum(middle + half, 1)
    return np.where(share == 0, 0.0, low), np.where(share == 1, 1.0, high)
