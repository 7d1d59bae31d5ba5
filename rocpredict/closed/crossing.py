"""Where the densities of two members of a family cross, closed: f1 = kappa f0.

Each function gives thresholds in no order, for a finite log kappa; nothing where the densities do not cross.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import digamma, gammaln, polygamma, wrightomega

from rocpredict import binormal
from rocpredict.arguments import FloatArray
from rocpredict.closed.areas import gap, log_ratio
from rocpredict.closed.reading import Member, Pair
from rocpredict.distributions import Gaussian

_POLISH = 3
_DOUBLE = 1e-5  # two roots that near to one another are polished by nothing
_ALIKE = 1e-3  # shapes that differ by less are told apart by a series
_TINY = 1e-290


def crossings(pair: Pair, log_kappa: float) -> FloatArray | None:
    """Give the crossings of a pair, ascending, or None where they are not closed."""
    find = FINDERS[pair.kind]
    if not np.isfinite(log_kappa) or (pair.kind in _FROM_ONE_START and pair.negative.loc != pair.positive.loc):
        return None
    with np.errstate(all="ignore"):
        found = np.array(find(pair.negative, pair.positive, log_kappa), dtype=np.float64)
    found = np.unique(found[np.isfinite(found)])
    return -found[::-1] if pair.mirrored else found


def gamma(negative: Member, positive: Member, level: float) -> list[float]:
    """Solve A log u - B u = E, u = (t - loc)/scale0, by both branches of Lambert's W."""
    a = positive.shape - negative.shape
    b = (negative.scale - positive.scale) / positive.scale
    e = level + positive.shape * log_ratio(positive.scale, negative.scale) + _log_gamma_ratio(negative.shape, a)
    return [negative.loc + negative.scale * u for u in _log_and_linear(a, b, e) if u > 0]


def weibull(negative: Member, positive: Member, level: float) -> list[float]:
    """Solve for the cumulative hazard of the negatives, which has an exponential distribution."""
    c = negative.shape
    hazard = c * log_ratio(negative.scale, positive.scale)
    if not hazard:
        return []
    u = (hazard - level) / np.expm1(hazard)
    return [negative.loc + negative.scale * float(u ** (1 / c))] if u > 0 else []


def rising_power(negative: Member, positive: Member, level: float) -> list[float]:
    """Solve (a1 - a0) log x = log kappa - log(a1/a0)."""
    log_x = _log_of_power(negative, positive, level)
    return [negative.loc + negative.scale * float(np.exp(log_x))] if log_x < 0 else []


def falling_power(negative: Member, positive: Member, level: float) -> list[float]:
    """Solve the same for 1 - x."""
    log_rest = _log_of_power(negative, positive, level)
    return [negative.loc - negative.scale * float(np.expm1(log_rest))] if log_rest < 0 else []


def logistic(negative: Member, positive: Member, level: float) -> list[float]:
    """Give the midpoint, moved by log(sinh(D/4 + l/4)/sinh(D/4 - l/4)) scales for l = log kappa below D."""
    d = gap(negative, positive)
    if not abs(level) < abs(d):
        return []
    ahead, behind = abs(d + level) / 4, abs(d - level) / 4
    moved = ahead - behind + np.log(np.expm1(-2 * ahead) / np.expm1(-2 * behind))
    return [_middle(negative, positive) + negative.scale * float(moved)]


def laplace(negative: Member, positive: Member, level: float) -> list[float]:
    """Solve piece by piece: log f1 - log f0 is continuous, and straight but at both locations."""
    d = gap(negative, positive)  # in units of the negatives' scale, from their location
    knots = np.sort([0.0, d])
    start = log_ratio(negative.scale, positive.scale) - level
    heights = start + np.abs(knots) - np.abs(knots - d) * (negative.scale / positive.scale)
    outer = (positive.scale - negative.scale) / positive.scale  # the slope right of both, and its opposite left of both
    rise = heights[1] - heights[0]
    found = [
        (heights[0] * outer < 0, knots[0] + heights[0] / outer if outer else np.inf),
        (heights[0] == 0 and rise * outer < 0, knots[0]),
        (heights[0] * heights[1] < 0, knots[0] - (knots[1] - knots[0]) * heights[0] / rise if rise else np.inf),
        (heights[1] == 0 and rise * outer > 0, knots[1]),
        (heights[1] * outer < 0, knots[1] - heights[1] / outer if outer else np.inf),
    ]
    return [negative.loc + negative.scale * float(u) for crosses, u in found if crosses]


def cauchy(negative: Member, positive: Member, level: float) -> list[float]:
    """Solve the quadratic in a form without cancellation, its discriminant a difference for kappa of not 1 only."""
    unit = max(negative.scale, positive.scale, abs(positive.loc / 2 - negative.loc / 2))
    s0, s1, d = negative.scale / unit, positive.scale / unit, gap(negative, positive, unit)
    root = np.exp(level / 2)
    square = s0 * s1 * (d * d + (s1 - s0) ** 2 - s0 * s1 * (2 * np.sinh(level / 2)) ** 2)
    if not square > 0:
        return []
    a, half_b = s1 / root - root * s0, root * s0 * d
    c = s0 * (s1 * s0 / root - root * (s1 * s1 + d * d))
    q = -(half_b + np.copysign(np.sqrt(square), half_b))
    return [negative.loc + unit * float(u) for u in (q / a if a else np.inf, c / q if q else np.inf)]


def gumbel(negative: Member, positive: Member, level: float) -> list[float]:
    """Solve D - exp(-z) (exp(D) - 1) = log kappa."""
    d = gap(negative, positive)
    if not d:
        return []
    share = (d - level) / d
    return [negative.loc + negative.scale * float(_log_expm1_over(d) - np.log(share))] if share > 0 else []


def normal(negative: Member, positive: Member, level: float) -> list[float]:
    """Solve the quadratic of two Gaussians."""
    first, second = (Gaussian(member.loc, member.scale) for member in (negative, positive))
    return list(binormal.crossings(first, second, np.asarray(level)))


def lognormal(negative: Member, positive: Member, level: float) -> list[float]:
    """Solve for the logarithms, in units of the negatives' scale."""
    first = Gaussian(0.0, negative.shape)
    second = Gaussian(log_ratio(positive.scale, negative.scale), positive.shape)
    logs = binormal.crossings(first, second, np.asarray(level))
    return [negative.loc + negative.scale * float(u) for u in np.exp(logs)]


FINDERS: dict[str, Callable[[Member, Member, float], list[float]]] = {
    "exponential": gamma,
    "weibull": weibull,
    "gamma": gamma,
    "rising power": rising_power,
    "falling power": falling_power,
    "logistic": logistic,
    "laplace": laplace,
    "cauchy": cauchy,
    "gumbel": gumbel,
    "normal": normal,
    "lognormal": lognormal,
}
"""Who finds the crossings of a family."""
_FROM_ONE_START = ("exponential",)


def _log_and_linear(a: float, b: float, e: float) -> list[float]:
    """Give the u > 0 with a log u - b u = e."""
    if a == 0:
        return [-e / b] if b else []
    if b == 0:
        return [float(np.exp(e / a))]
    ratio = abs(b / a)
    log_z = float(np.log(ratio)) + e / a
    if a * b < 0:
        branches = [float(wrightomega(log_z))]
    elif log_z <= -1:  # on the cut of the complex function lie the two real branches
        branches = [-float(wrightomega(complex(log_z, side)).real) for side in (np.pi, -np.pi)]
    else:
        return []
    sign = 1.0 if a * b < 0 else -1.0
    starts = [w / ratio if w > _TINY else float(np.exp(e / a - sign * w)) for w in branches]
    return [_polished(a, b, e, u) for u in starts]


def _polished(a: float, b: float, e: float, u: float) -> float:
    for _ in range(_POLISH):
        slope = a - b * u
        if not 0 < u < np.inf or abs(slope) <= _DOUBLE * abs(a):
            break
        u *= float(np.exp(-(a * np.log(u) - b * u - e) / slope))
    return u


def _log_gamma_ratio(k: float, more: float) -> float:
    """Give log Gamma(k + more) - log Gamma(k)."""
    if abs(more) > _ALIKE * k:
        return float(gammaln(k + more) - gammaln(k))
    middle = k + more / 2
    return float(more * digamma(middle) + more**3 / 24 * polygamma(2, middle))


def _log_of_power(negative: Member, positive: Member, level: float) -> float:
    more = positive.shape - negative.shape
    return (level - log_ratio(positive.shape, negative.shape)) / more if more else np.inf


def _middle(negative: Member, positive: Member) -> float:
    return negative.loc / 2 + positive.loc / 2


def _log_expm1_over(d: float) -> float:
    """Give log((exp(d) - 1)/d)."""
    return d + float(np.log(-np.expm1(-d) / d)) if d > 0 else float(np.log(np.expm1(d) / d))
