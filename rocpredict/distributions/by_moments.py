"""The parameters with which a family has a mean and a standard deviation, in the order of scipy.stats."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import digamma, gammaln, zeta

from rocpredict.errors import RocPredictError

_MOST_STEPS = 200
_SETTLED = 1e-15
_NEAR = 0.05  # below it the series serves; above it the difference of two logarithms keeps 13 digits
_TERMS = 24


def gamma(mean: float, std: float) -> tuple[float, ...]:
    """Give k, 0 and theta."""
    return (mean / std) ** 2, 0.0, std * (std / mean)


def lognormal(mean: float, std: float) -> tuple[float, ...]:
    """Give the standard deviation of the logarithms, 0 and the median."""
    square = np.logaddexp(0.0, 2 * (np.log(std) - np.log(mean)))
    return np.sqrt(square), 0.0, mean * np.exp(-square / 2)


def weibull(mean: float, std: float) -> tuple[float, ...]:
    """Give c, 0 and the scale."""
    wanted = np.log(np.logaddexp(0.0, 2 * (np.log(std) - np.log(mean))))
    inverse = std / mean
    for _ in range(_MOST_STEPS):  # log of the excess over log 1/c: a slope between 1 and 2, which Newton cannot miss
        excess, slope = _weibull_excess(inverse)
        step = np.clip((wanted - np.log(excess)) * excess / (slope * inverse), -2.0, 2.0)
        inverse *= np.exp(step)
        if np.abs(step) <= _SETTLED:
            break
    return 1 / inverse, 0.0, mean * np.exp(-gammaln(1 + inverse))


def _weibull_excess(e: float) -> tuple[float, float]:
    """Give log(1 + (std/mean)^2) for c = 1/e, and its slope in e; for a small e by a series without cancellation."""
    if e > _NEAR:
        return gammaln(1 + 2 * e) - 2 * gammaln(1 + e), 2 * (digamma(1 + 2 * e) - digamma(1 + e))
    n = np.arange(2, _TERMS)
    terms = zeta(n) * (-1.0) ** n * (2.0**n - 2) * e ** (n - 1.0)
    return float(np.sum(terms / n)) * e, float(np.sum(terms))


def logistic(mean: float, std: float) -> tuple[float, ...]:
    """Give location and scale."""
    return mean, std * (np.sqrt(3) / np.pi)


def laplace(mean: float, std: float) -> tuple[float, ...]:
    """Give location and scale."""
    return mean, std / np.sqrt(2)


def beta(mean: float, std: float) -> tuple[float, ...]:
    """Give a, b, 0 and 1; or refuse a spread that values in (0, 1) cannot have."""
    total = (mean / std) * ((1 - mean) / std) - 1
    if total <= 0:
        raise RocPredictError(
            f"std={std:g} is too large for family='beta' with mean={mean:g}; values in (0, 1) with that mean have "
            f"a std below {np.sqrt(mean * (1 - mean)):.6g}"
        )
    return mean * total, (1 - mean) * total, 0.0, 1.0


BY_MOMENTS: dict[str, Callable[[float, float], tuple[float, ...]]] = {
    "gamma": gamma,
    "lognormal": lognormal,
    "weibull": weibull,
    "exponential": lambda mean, _: (0.0, mean),
    "logistic": logistic,
    "laplace": laplace,
    "beta": beta,
}
"""Every family that two numbers fix."""
