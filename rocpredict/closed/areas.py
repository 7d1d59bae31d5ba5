"""The probability that a member of a family exceeds another, closed.

Each function gives a factor and an exponent: the probability is factor times exp(exponent). So its
logarithm does not underflow, and each of AUC and 1 - AUC, which is the same with exchanged roles, keeps
its digits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from scipy.special import betainc, betaincc, betaln, erfcx, ndtr

from rocpredict.closed.reading import Member

Parts: TypeAlias = tuple[float, float]

_TINY = 1e-280
_ROUNDS = 10_000
_SERIES_BELOW = 1.0


def exponential(low: Member, high: Member) -> Parts:
    """Give scale/(sum of scales) where both start at one place; else what the later start adds or takes."""
    share, rest = _shares(low.scale, high.scale)
    ahead = high.loc - low.loc
    if ahead < 0:
        return share, ahead / high.scale
    return share - rest * float(np.expm1(-ahead / low.scale)), 0.0


def weibull(low: Member, high: Member) -> Parts:
    """Give scale^c/(sum of scale^c)."""
    return _odds(low.shape * log_ratio(high.scale, low.scale))


def gumbel(low: Member, high: Member) -> Parts:
    """Give 1/(1 + exp(-D)), D the shift in units of the scale."""
    return _odds(gap(low, high))


def gamma(low: Member, high: Member) -> Parts:
    """Give I_x(k_low, k_high), x = scale_high/(sum of scales): the regularised incomplete beta function."""
    x, y = _shares(low.scale, high.scale)
    found = betainc(low.shape, high.shape, x) if x <= y else betaincc(high.shape, low.shape, y)
    if found > _TINY:
        return float(found), 0.0
    return _far_betainc(low.shape, high.shape, log_ratio(low.scale, high.scale), x)


def power(low: Member, high: Member) -> Parts:
    """Give a/(sum of both a), for cdfs x^a."""
    share, _ = _shares(low.shape, high.shape)
    return share, 0.0


def falling_power(low: Member, high: Member) -> Parts:
    """Give b_low/(sum of both b), for upper tails (1 - x)^b."""
    return power(high, low)


def logistic(low: Member, high: Member) -> Parts:
    """Give (1 - q - D q)/(1 - q)^2, q = exp(-D), for equal scales."""
    d = gap(low, high)
    q = float(np.exp(-np.abs(d)))
    if np.abs(d) < _SERIES_BELOW:
        return 0.5 + _sinh_excess(d) / float(4 * np.sinh(d / 2) ** 2) if d else 0.5, 0.0
    if d > 0:
        return (1 - q - d * q if q else 1.0) / (1 - q) ** 2, 0.0
    return (-d - 1 + q) / (1 - q) ** 2, d


def laplace(low: Member, high: Member) -> Parts:
    """Give 1 - (a^2 exp(-d/a) - b^2 exp(-d/b))/(2 (a^2 - b^2)) for a shift d >= 0 and scales a, b."""
    wide, narrow = max(low.scale, high.scale), min(low.scale, high.scale)
    d = np.abs(gap(low, high, wide))
    less = (wide - narrow) / wide
    if less:
        with np.errstate(over="ignore"):
            lost = -np.expm1(2 * log_ratio(narrow, wide) - d * (wide / narrow) * less)
        factor = float(lost / (2 * less * (2 - less)))
    else:
        factor = float((2 + d) / 4)
    return (factor, -float(d)) if high.loc < low.loc else (1 - factor * float(np.exp(-d)), 0.0)


def cauchy(low: Member, high: Member) -> Parts:
    """Give 1/2 + atan(d/(sum of scales))/pi, as one angle."""
    with np.errstate(over="ignore"):
        total = low.scale / 2 + high.scale / 2
        return float(np.arctan2(total, low.loc / 2 - high.loc / 2) / np.pi), 0.0


def normal(low: Member, high: Member) -> Parts:
    """Give Phi(D)."""
    return _below(gap(low, high, 2 * float(np.hypot(low.scale / 2, high.scale / 2))))


def lognormal(low: Member, high: Member) -> Parts:
    """Give Phi(D) of the logarithms."""
    shift = log_ratio(high.scale, low.scale)
    return _below(shift / float(np.hypot(low.shape, high.shape)))


EXCEEDS: dict[str, Callable[[Member, Member], Parts]] = {
    "exponential": exponential,
    "weibull": weibull,
    "gamma": gamma,
    "rising power": power,
    "falling power": falling_power,
    "logistic": logistic,
    "laplace": laplace,
    "cauchy": cauchy,
    "gumbel": gumbel,
    "normal": normal,
    "lognormal": lognormal,
}
"""P(a value of the second member exceeds one of the first), by family."""


def gap(low: Member, high: Member, scale: float | None = None) -> float:
    """Give the shift in units of the scale; in halves, so that it does not overflow before it is divided."""
    unit = low.scale if scale is None else scale
    with np.errstate(over="ignore"):
        return float((np.float64(high.loc) / 2 - low.loc / 2) / unit * 2)


def log_ratio(first: float, second: float) -> float:
    """Give log(first/second), to full digits where both are nearly equal."""
    excess = first / second - 1 if second * 2 > first > second / 2 else np.inf
    if np.abs(excess) < 0.5:
        return float(np.log1p((first - second) / second))
    return float(np.log(first) - np.log(second))


def _shares(low: float, high: float) -> tuple[float, float]:
    """Give high/(low + high) and low/(low + high)."""
    with np.errstate(over="ignore", divide="ignore"):
        return float(1 / (1 + np.float64(low) / high)), float(1 / (1 + np.float64(high) / low))


def _odds(level: float) -> Parts:
    """Give 1/(1 + exp(-level))."""
    return float(1 / (1 + np.exp(-np.abs(level)))), min(level, 0.0)


def _below(z: float) -> Parts:
    """Give Phi(z)."""
    if z > -1:
        return float(ndtr(z)), 0.0
    with np.errstate(over="ignore"):
        return float(erfcx(-z / np.sqrt(2)) / 2), float(-0.5 * np.float64(z) ** 2)


def _sinh_excess(d: float) -> float:
    """Give sinh(d) - d for a small d, in which no term cancels another."""
    square, total = d * d, 1.0
    for n in (17, 15, 13, 11, 9, 7, 5):
        total = 1 + square / (n * (n - 1)) * total
    return d * square / 6 * total


def _far_betainc(a: float, b: float, log_odds: float, x: float) -> Parts:
    """Give I_x(a, b) far below double precision: its continued fraction (Lentz), and the logarithm of the rest."""
    log_x = -float(np.logaddexp(0.0, log_odds))
    log_y = -float(np.logaddexp(0.0, -log_odds))
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    fraction = d
    for m in range(1, _ROUNDS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d, c = 1 / (1 + term * d), 1 + term / c
            fraction *= d * c
        if abs(d * c - 1) < np.finfo(float).eps:
            break
    return fraction, a * log_x + b * log_y - float(betaln(a, b)) - float(np.log(a))
