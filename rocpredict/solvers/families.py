"""Closed forms for pairs of one parametric family."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.special import betainc, betaincc, betaln, digamma, erfcx, gammaln, ndtr, polygamma, wrightomega

from rocpredict.base.validation import FloatArray
from rocpredict.distributions.base import Distribution, ReflectedDistribution
from rocpredict.distributions.families import ScipyDistribution
from rocpredict.distributions.gaussian import Gaussian
from rocpredict.solvers.binormal import BinormalSolver
from rocpredict.solvers.numerical import NumericalSolver

ShapeParameters: TypeAlias = tuple[float, ...]


class FamilyParameters(NamedTuple):
    """The parameters of one class in a family; ``shape`` is 1 where the family has none."""

    loc: float
    scale: float
    shape: float = 1.0


class FamilyPair(NamedTuple):
    """Two members of one family; ``reflected``: the classes are these with all signs turned."""

    family: str
    negative: FamilyParameters
    positive: FamilyParameters
    reflected: bool

    @property
    def ordered(self) -> tuple[FamilyParameters, FamilyParameters]:
        """The members in the order in which "positive lies further up" reads as "the second exceeds the first"."""
        return (self.positive, self.negative) if self.reflected else (self.negative, self.positive)


_PARAMETER_READERS: dict[str, Callable[[ShapeParameters, float, float], dict[str, FamilyParameters]]] = {
    "norm": lambda _, loc, scale: {"normal": FamilyParameters(loc, scale)},
    "lognorm": lambda shapes, loc, scale: {"lognormal": FamilyParameters(loc, scale, *shapes)},
    "expon": lambda _, loc, scale: {
        "exponential": FamilyParameters(loc, scale),
        "gamma": FamilyParameters(loc, scale),
        "weibull": FamilyParameters(loc, scale),
    },
    "gamma": lambda shapes, loc, scale: {"gamma": FamilyParameters(loc, scale, *shapes)},
    "erlang": lambda shapes, loc, scale: {"gamma": FamilyParameters(loc, scale, *shapes)},
    "chi2": lambda shapes, loc, scale: {"gamma": FamilyParameters(loc, 2 * scale, shapes[0] / 2)},
    "weibull_min": lambda shapes, loc, scale: {"weibull": FamilyParameters(loc, scale, *shapes)},
    "beta": lambda shapes, loc, scale: (
        ({"rising power": FamilyParameters(loc, scale, shapes[0])} if shapes[1] == 1 else {})
        | ({"falling power": FamilyParameters(loc, scale, shapes[1])} if shapes[0] == 1 else {})
    ),
    "uniform": lambda _, loc, scale: {
        "rising power": FamilyParameters(loc, scale),
        "falling power": FamilyParameters(loc, scale),
    },
    "logistic": lambda _, loc, scale: {"logistic": FamilyParameters(loc, scale)},
    "laplace": lambda _, loc, scale: {"laplace": FamilyParameters(loc, scale)},
    "cauchy": lambda _, loc, scale: {"cauchy": FamilyParameters(loc, scale)},
    "t": lambda shapes, loc, scale: {"cauchy": FamilyParameters(loc, scale)} if shapes[0] == 1 else {},
    "gumbel_r": lambda _, loc, scale: {"gumbel": FamilyParameters(loc, scale)},
}


def _always(_first: FamilyParameters, _second: FamilyParameters) -> bool:
    return True


def _same_loc(first: FamilyParameters, second: FamilyParameters) -> bool:
    return first.loc == second.loc


def _same_scale(first: FamilyParameters, second: FamilyParameters) -> bool:
    return first.scale == second.scale


def _same_support(first: FamilyParameters, second: FamilyParameters) -> bool:
    return _same_loc(first, second) and _same_scale(first, second)


def _same_loc_and_shape(first: FamilyParameters, second: FamilyParameters) -> bool:
    return _same_loc(first, second) and first.shape == second.shape


CLOSED_FORM_CONDITIONS: dict[str, Callable[[FamilyParameters, FamilyParameters], bool]] = {
    "exponential": _always,
    "weibull": _same_loc_and_shape,
    "gamma": _same_loc,
    "rising power": _same_support,
    "falling power": _same_support,
    "logistic": _same_scale,
    "laplace": _always,
    "cauchy": _always,
    "gumbel": _same_scale,
    "normal": _always,
    "lognormal": _same_loc,
}
"""The families whose area is closed, and what two members of them have to share for that."""


def match_family(negative: Distribution, positive: Distribution) -> FamilyPair | None:
    """Return two classes as members of one family with a closed area, or as their mirror images; None otherwise."""
    mirrored = isinstance(negative, ReflectedDistribution) and isinstance(positive, ReflectedDistribution)
    first, second = (_family_candidates(d.base if mirrored else d) for d in (negative, positive))  # type: ignore[attr-defined]
    for kind, share in CLOSED_FORM_CONDITIONS.items():
        if kind in first and kind in second and share(first[kind], second[kind]):
            return FamilyPair(kind, first[kind], second[kind], mirrored)
    return None


def as_gaussian(distribution: Distribution) -> Distribution:
    """Return a normal distribution of scipy.stats as a ``Gaussian``, anything else as it is."""
    base = distribution.base if isinstance(distribution, ReflectedDistribution) else distribution
    if not isinstance(base, ScipyDistribution) or "normal" not in (found := _family_candidates(base)):
        return distribution
    gaussian = Gaussian(found["normal"].loc, found["normal"].scale)
    return gaussian.reflect() if base is not distribution else gaussian


def _family_candidates(distribution: Distribution) -> dict[str, FamilyParameters]:
    """Return every family that a class belongs to, and what it is there."""
    if isinstance(distribution, Gaussian) and not distribution.shape and distribution.std > 0:
        return {"normal": FamilyParameters(distribution.mean, distribution.std)}
    if not isinstance(distribution, ScipyDistribution) or distribution.frozen.dist.name not in _PARAMETER_READERS:
        return {}
    frozen = distribution.frozen
    shapes, loc, scale = frozen.dist._parse_args(*frozen.args, **frozen.kwds)
    shapes = tuple(float(np.asarray(shape)) for shape in shapes)
    return _PARAMETER_READERS[frozen.dist.name](shapes, float(np.asarray(loc)), float(np.asarray(scale)))


ProbabilityPair: TypeAlias = tuple[float, float]
_TINY = 1e-280
_ROUNDS = 10_000
_SERIES_BELOW = 1.0


def prob_greater_exponential(first: FamilyParameters, second: FamilyParameters) -> ProbabilityPair:
    """Return scale/(sum of scales) where both start at one place; else what the later start adds or takes."""
    share, rest = _ratio_and_complement(first.scale, second.scale)
    ahead = second.loc - first.loc
    if ahead < 0:
        return share, ahead / second.scale
    return share - rest * float(np.expm1(-ahead / first.scale)), 0.0


def prob_greater_weibull(first: FamilyParameters, second: FamilyParameters) -> ProbabilityPair:
    """Return scale^c/(sum of scale^c)."""
    return _expit_pair(first.shape * log_ratio(second.scale, first.scale))


def prob_greater_gumbel(first: FamilyParameters, second: FamilyParameters) -> ProbabilityPair:
    """Return 1/(1 + exp(-D)), D the shift in units of the scale."""
    return _expit_pair(standardized_shift(first, second))


def prob_greater_gamma(first: FamilyParameters, second: FamilyParameters) -> ProbabilityPair:
    """Return I_x(k_low, k_high), x = scale_high/(sum of scales): the regularised incomplete beta function."""
    x, y = _ratio_and_complement(first.scale, second.scale)
    found = betainc(first.shape, second.shape, x) if x <= y else betaincc(second.shape, first.shape, y)
    if found > _TINY:
        return float(found), 0.0
    return _log_betainc(first.shape, second.shape, log_ratio(first.scale, second.scale), x)


def prob_greater_power(first: FamilyParameters, second: FamilyParameters) -> ProbabilityPair:
    """Return a/(sum of both a), for cdfs x^a."""
    share, _ = _ratio_and_complement(first.shape, second.shape)
    return share, 0.0


def prob_greater_reflected_power(first: FamilyParameters, second: FamilyParameters) -> ProbabilityPair:
    """Return b_low/(sum of both b), for upper tails (1 - x)^b."""
    return prob_greater_power(second, first)


def prob_greater_logistic(first: FamilyParameters, second: FamilyParameters) -> ProbabilityPair:
    """Return (1 - q - D q)/(1 - q)^2, q = exp(-D), for equal scales."""
    d = standardized_shift(first, second)
    q = float(np.exp(-np.abs(d)))
    if np.abs(d) < _SERIES_BELOW:
        return 0.5 + _sinh_minus_x(d) / float(4 * np.sinh(d / 2) ** 2) if d else 0.5, 0.0
    if d > 0:
        return (1 - q - d * q if q else 1.0) / (1 - q) ** 2, 0.0
    return (-d - 1 + q) / (1 - q) ** 2, d


def prob_greater_laplace(first: FamilyParameters, second: FamilyParameters) -> ProbabilityPair:
    """Return 1 - (a^2 exp(-d/a) - b^2 exp(-d/b))/(2 (a^2 - b^2)) for a shift d >= 0 and scales a, b."""
    wide, narrow = max(first.scale, second.scale), min(first.scale, second.scale)
    d = np.abs(standardized_shift(first, second, wide))
    less = (wide - narrow) / wide
    if less:
        with np.errstate(over="ignore"):
            lost = -np.expm1(2 * log_ratio(narrow, wide) - d * (wide / narrow) * less)
        factor = float(lost / (2 * less * (2 - less)))
    else:
        factor = float((2 + d) / 4)
    return (factor, -float(d)) if second.loc < first.loc else (1 - factor * float(np.exp(-d)), 0.0)


def prob_greater_cauchy(first: FamilyParameters, second: FamilyParameters) -> ProbabilityPair:
    """Return 1/2 + atan(d/(sum of scales))/pi, as one angle."""
    with np.errstate(over="ignore"):
        total = first.scale / 2 + second.scale / 2
        return float(np.arctan2(total, first.loc / 2 - second.loc / 2) / np.pi), 0.0


def prob_greater_normal(first: FamilyParameters, second: FamilyParameters) -> ProbabilityPair:
    """Return Phi(D)."""
    return _normal_cdf_pair(standardized_shift(first, second, 2 * float(np.hypot(first.scale / 2, second.scale / 2))))


def prob_greater_lognormal(first: FamilyParameters, second: FamilyParameters) -> ProbabilityPair:
    """Return Phi(D) of the logarithms."""
    shift = log_ratio(second.scale, first.scale)
    return _normal_cdf_pair(shift / float(np.hypot(first.shape, second.shape)))


PROB_GREATER: dict[str, Callable[[FamilyParameters, FamilyParameters], ProbabilityPair]] = {
    "exponential": prob_greater_exponential,
    "weibull": prob_greater_weibull,
    "gamma": prob_greater_gamma,
    "rising power": prob_greater_power,
    "falling power": prob_greater_reflected_power,
    "logistic": prob_greater_logistic,
    "laplace": prob_greater_laplace,
    "cauchy": prob_greater_cauchy,
    "gumbel": prob_greater_gumbel,
    "normal": prob_greater_normal,
    "lognormal": prob_greater_lognormal,
}
"""P(a value of the second member exceeds one of the first), by family."""


def standardized_shift(first: FamilyParameters, second: FamilyParameters, scale: float | None = None) -> float:
    """Return the shift in units of the scale; in halves, so that it does not overflow before it is divided."""
    unit = first.scale if scale is None else scale
    with np.errstate(over="ignore"):
        return float((np.float64(second.loc) / 2 - first.loc / 2) / unit * 2)


def log_ratio(first: float, second: float) -> float:
    """Return log(first/second), to full digits where both are nearly equal."""
    excess = first / second - 1 if second * 2 > first > second / 2 else np.inf
    if np.abs(excess) < 0.5:
        return float(np.log1p((first - second) / second))
    return float(np.log(first) - np.log(second))


def _ratio_and_complement(first: float, second: float) -> tuple[float, float]:
    """Return high/(low + high) and low/(low + high)."""
    with np.errstate(over="ignore", divide="ignore"):
        return float(1 / (1 + np.float64(first) / second)), float(1 / (1 + np.float64(second) / first))


def _expit_pair(level: float) -> ProbabilityPair:
    """Return 1/(1 + exp(-level))."""
    return float(1 / (1 + np.exp(-np.abs(level)))), min(level, 0.0)


def _normal_cdf_pair(z: float) -> ProbabilityPair:
    """Return Phi(z)."""
    if z > -1:
        return float(ndtr(z)), 0.0
    with np.errstate(over="ignore"):
        return float(erfcx(-z / np.sqrt(2)) / 2), float(-0.5 * np.float64(z) ** 2)


def _sinh_minus_x(d: float) -> float:
    """Return sinh(d) - d for a small d, in which no term cancels another."""
    square, total = d * d, 1.0
    for n in (17, 15, 13, 11, 9, 7, 5):
        total = 1 + square / (n * (n - 1)) * total
    return d * square / 6 * total


def _log_betainc(a: float, b: float, log_odds: float, x: float) -> ProbabilityPair:
    """Return I_x(a, b) far below double precision: its continued fraction (Lentz), and the logarithm of the rest."""
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


_NEWTON_STEPS = 3
_DOUBLE = 1e-5  # two roots that near to one another are polished by nothing
_RTOL = 1e-3  # shapes that differ by less are told apart by a series
_TINY_DENSITY = 1e-290


def family_crossings(pair: FamilyPair, log_kappa: float) -> FloatArray | None:
    """Return the crossings of a pair, ascending, or None where they are not closed."""
    find = CROSSING_SOLVERS[pair.family]
    if not np.isfinite(log_kappa) or (
        pair.family in _ZERO_LOCATION_FAMILIES and pair.negative.loc != pair.positive.loc
    ):
        return None
    with np.errstate(all="ignore"):
        found = np.array(find(pair.negative, pair.positive, log_kappa), dtype=np.float64)
    found = np.unique(found[np.isfinite(found)])
    return -found[::-1] if pair.reflected else found


def crossings_gamma(negative: FamilyParameters, positive: FamilyParameters, level: float) -> list[float]:
    """Solve A log u - B u = E, u = (t - loc)/scale0, by both branches of Lambert's W."""
    a = positive.shape - negative.shape
    b = (negative.scale - positive.scale) / positive.scale
    e = level + positive.shape * log_ratio(positive.scale, negative.scale) + _log_gamma_ratio(negative.shape, a)
    return [negative.loc + negative.scale * u for u in _solve_log_linear(a, b, e) if u > 0]


def crossings_weibull(negative: FamilyParameters, positive: FamilyParameters, level: float) -> list[float]:
    """Solve for the cumulative hazard of the negatives, which has an exponential distribution."""
    c = negative.shape
    hazard = c * log_ratio(negative.scale, positive.scale)
    if not hazard:
        return []
    u = (hazard - level) / np.expm1(hazard)
    return [negative.loc + negative.scale * float(u ** (1 / c))] if u > 0 else []


def crossings_rising_power(negative: FamilyParameters, positive: FamilyParameters, level: float) -> list[float]:
    """Solve (a1 - a0) log x = log kappa - log(a1/a0)."""
    log_x = _log_of_power(negative, positive, level)
    return [negative.loc + negative.scale * float(np.exp(log_x))] if log_x < 0 else []


def crossings_falling_power(negative: FamilyParameters, positive: FamilyParameters, level: float) -> list[float]:
    """Solve the same for 1 - x."""
    log_rest = _log_of_power(negative, positive, level)
    return [negative.loc - negative.scale * float(np.expm1(log_rest))] if log_rest < 0 else []


def crossings_logistic(negative: FamilyParameters, positive: FamilyParameters, level: float) -> list[float]:
    """Return the midpoint, moved by log(sinh(D/4 + l/4)/sinh(D/4 - l/4)) scales for l = log kappa below D."""
    d = standardized_shift(negative, positive)
    if not abs(level) < abs(d):
        return []
    ahead, behind = abs(d + level) / 4, abs(d - level) / 4
    moved = ahead - behind + np.log(np.expm1(-2 * ahead) / np.expm1(-2 * behind))
    return [_midpoint(negative, positive) + negative.scale * float(moved)]


def crossings_laplace(negative: FamilyParameters, positive: FamilyParameters, level: float) -> list[float]:
    """Solve piece by piece: log f1 - log f0 is continuous, and straight but at both locations."""
    d = standardized_shift(negative, positive)  # in units of the negatives' scale, from their location
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


def crossings_cauchy(negative: FamilyParameters, positive: FamilyParameters, level: float) -> list[float]:
    """Solve the quadratic in a form without cancellation, its discriminant a difference for kappa of not 1 only."""
    unit = max(negative.scale, positive.scale, abs(positive.loc / 2 - negative.loc / 2))
    s0, s1, d = negative.scale / unit, positive.scale / unit, standardized_shift(negative, positive, unit)
    root = np.exp(level / 2)
    square = s0 * s1 * (d * d + (s1 - s0) ** 2 - s0 * s1 * (2 * np.sinh(level / 2)) ** 2)
    if not square > 0:
        return []
    a, half_b = s1 / root - root * s0, root * s0 * d
    c = s0 * (s1 * s0 / root - root * (s1 * s1 + d * d))
    q = -(half_b + np.copysign(np.sqrt(square), half_b))
    return [negative.loc + unit * float(u) for u in (q / a if a else np.inf, c / q if q else np.inf)]


def crossings_gumbel(negative: FamilyParameters, positive: FamilyParameters, level: float) -> list[float]:
    """Solve D - exp(-z) (exp(D) - 1) = log kappa."""
    d = standardized_shift(negative, positive)
    if not d:
        return []
    share = (d - level) / d
    return [negative.loc + negative.scale * float(_log_expm1_ratio(d) - np.log(share))] if share > 0 else []


def crossings_normal(negative: FamilyParameters, positive: FamilyParameters, level: float) -> list[float]:
    """Solve the quadratic of two Gaussians."""
    pair = (Gaussian(member.loc, member.scale) for member in (negative, positive))
    return list(BinormalSolver(*pair).crossings(np.asarray(level)))


def crossings_lognormal(negative: FamilyParameters, positive: FamilyParameters, level: float) -> list[float]:
    """Solve for the logarithms, in units of the negatives' scale."""
    first = Gaussian(0.0, negative.shape)
    second = Gaussian(log_ratio(positive.scale, negative.scale), positive.shape)
    logs = BinormalSolver(first, second).crossings(np.asarray(level))
    return [negative.loc + negative.scale * float(u) for u in np.exp(logs)]


CROSSING_SOLVERS: dict[str, Callable[[FamilyParameters, FamilyParameters, float], list[float]]] = {
    "exponential": crossings_gamma,
    "weibull": crossings_weibull,
    "gamma": crossings_gamma,
    "rising power": crossings_rising_power,
    "falling power": crossings_falling_power,
    "logistic": crossings_logistic,
    "laplace": crossings_laplace,
    "cauchy": crossings_cauchy,
    "gumbel": crossings_gumbel,
    "normal": crossings_normal,
    "lognormal": crossings_lognormal,
}
"""Function that finds the crossings, by family."""
_ZERO_LOCATION_FAMILIES = ("exponential",)


def _solve_log_linear(a: float, b: float, e: float) -> list[float]:
    """Return the u > 0 with a log u - b u = e."""
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
    starts = [w / ratio if w > _TINY_DENSITY else float(np.exp(e / a - sign * w)) for w in branches]
    return [_newton_refine(a, b, e, u) for u in starts]


def _newton_refine(a: float, b: float, e: float, u: float) -> float:
    for _ in range(_NEWTON_STEPS):
        slope = a - b * u
        if not 0 < u < np.inf or abs(slope) <= _DOUBLE * abs(a):
            break
        u *= float(np.exp(-(a * np.log(u) - b * u - e) / slope))
    return u


def _log_gamma_ratio(k: float, more: float) -> float:
    """Return log Gamma(k + more) - log Gamma(k)."""
    if abs(more) > _RTOL * k:
        return float(gammaln(k + more) - gammaln(k))
    middle = k + more / 2
    return float(more * digamma(middle) + more**3 / 24 * polygamma(2, middle))


def _log_of_power(negative: FamilyParameters, positive: FamilyParameters, level: float) -> float:
    more = positive.shape - negative.shape
    return (level - log_ratio(positive.shape, negative.shape)) / more if more else np.inf


def _midpoint(negative: FamilyParameters, positive: FamilyParameters) -> float:
    return negative.loc / 2 + positive.loc / 2


def _log_expm1_ratio(d: float) -> float:
    """Return log((exp(d) - 1)/d)."""
    return d + float(np.log(-np.expm1(-d) / d)) if d > 0 else float(np.log(np.expm1(d) / d))


class FamilySolver(NumericalSolver):
    """ROC curve of two members of one family, with the area and most crossings in closed form."""

    def __init__(self, negative: Distribution, positive: Distribution, pair: FamilyPair) -> None:
        super().__init__(negative, positive)
        self.pair = pair

    def auc(self) -> FloatArray:
        """Return P(positive > negative)."""
        factor, exponent = self._prob_greater(*self.pair.ordered)
        return np.asarray(factor * np.exp(exponent))

    def auc_complement(self) -> FloatArray:
        """Return P(positive < negative), with its own digits."""
        factor, exponent = self._prob_greater(*self.pair.ordered[::-1])
        return np.asarray(factor * np.exp(exponent))

    def log_auc_complement(self) -> FloatArray:
        """Return the logarithm of ``auc_complement``, which does not underflow."""
        factor, exponent = self._prob_greater(*self.pair.ordered[::-1])
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(factor) + exponent)

    def _prob_greater(self, first: FamilyParameters, second: FamilyParameters) -> ProbabilityPair:
        return PROB_GREATER[self.pair.family](first, second)

    def _crossings(self, log_price: FloatArray) -> FloatArray:
        found = family_crossings(self.pair, float(log_price))
        return super()._crossings(log_price) if found is None else found
