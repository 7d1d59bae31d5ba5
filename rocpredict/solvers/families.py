"""Solvers for families with closed forms and for mixtures of normal distributions, and the selection of a solver.

A crossing of the weighted densities solves f1(x)/f0(x) = kappa; the functions for crossings receive log kappa as
``level``.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaincc, digamma, expit, gammaln, log_ndtr, ndtr, ndtri, polygamma, wrightomega

from rocpredict.base.validation import FloatArray, RocPredictError
from rocpredict.distributions.base import Distribution, ReflectedDistribution
from rocpredict.distributions.ecdf import Ecdf
from rocpredict.distributions.families import ScipyDistribution, ScipyFamilyBatch
from rocpredict.distributions.gaussian import Gaussian
from rocpredict.distributions.histogram import Histogram
from rocpredict.distributions.mixture import GaussianMixture
from rocpredict.distributions.normal_sum import NormalSum, NormalSumBatch, NormalSumDistribution, symmetric_sum
from rocpredict.distributions.power_transform import Transformed
from rocpredict.distributions.shrinkage import ShrinkageDistribution
from rocpredict.solvers.base import Axis, MappedSolver, OptimalThreshold, Solver
from rocpredict.solvers.binormal import BinormalSolver
from rocpredict.solvers.empirical import EmpiricalSolver
from rocpredict.solvers.histogram import HistogramSolver
from rocpredict.solvers.numerical import NumericalSolver
from rocpredict.solvers.quadrature import NODES, WEIGHTS, find_roots, log_density_ratio
from rocpredict.solvers.shrinkage import ShrinkageSolver

_MAX_SERIES_SHIFT = 1.0  # a series is used for shifts below this limit, in units of the scale
_NEWTON_STEPS = 3
_DOUBLE_ROOT_RTOL = 1e-5  # relative slope below which Newton steps do not improve a nearly double root
_SERIES_RTOL = 1e-3  # a series is used if the relative difference of the shapes is below this limit
_MIN_BRANCH = 1e-290  # values of Lambert's W below this limit are computed from their logarithms
_MAX_BLOCK_SIZE = 2**20  # largest number of pairs per block (8 MB for each of a few arrays)
_MAX_SEEDED_COMPONENTS = 1000
_SEED_Z = np.linspace(-6, 6, 49)  # distances of search points from the mean of a component, in standard deviations
_AREA_Z, _MAX_PANEL_WIDTH = 8.5, 4.0  # reach and panel width of integrals of batches, in kernel widths
_N_AREA_PANELS = 4  # number of panels of an integral over z from -8.5 to 8.5
_HIGH_DEGREES = (np.polynomial.legendre.legvander(NODES, 23) * (np.arange(24) + 0.5) * WEIGHTS[:, None])[:, -2:]
_MAX_HIGH_DEGREES = 1e-6  # largest sum of coefficients of degrees 22 and 23; the error is about its square
_SEARCH_Z, _SEARCH_STEP, _MAX_SEARCH_STEPS = 8.0, 0.25, 1000  # reach, step (kernel widths) and limit of steps
_CLEAR_LOSS = 1e-9  # a pair is solved separately if its two lowest losses differ by less than this


class FamilyParameters(NamedTuple):
    """Parameters of the distribution of one class; ``shape`` is 1 if the family has no shape parameter."""

    loc: float
    scale: float
    shape: float = 1.0


class FamilyPair(NamedTuple):
    """Parameters of two distributions of a family; if ``reflected`` is True, they describe the distributions of -x."""

    family: str
    negative: FamilyParameters
    positive: FamilyParameters
    reflected: bool

    @property
    def ordered(self) -> tuple[FamilyParameters, FamilyParameters]:
        """Both distributions, ordered so that the AUC is P(second > first)."""
        return (self.positive, self.negative) if self.reflected else (self.negative, self.positive)


_FAMILIES_BY_NAME: dict[str, tuple[str, ...]] = {
    "norm": ("normal",),
    "lognorm": ("lognormal",),
    "expon": ("exponential", "gamma", "weibull"),
    "gamma": ("gamma",),
    "erlang": ("gamma",),
    "chi2": ("gamma",),
    "weibull_min": ("weibull",),
    "beta": ("rising power", "falling power"),
    "uniform": ("rising power", "falling power"),
    "logistic": ("logistic",),
    "laplace": ("laplace",),
    "cauchy": ("cauchy",),
    "t": ("cauchy",),
    "gumbel_r": ("gumbel",),
}
"""Families to which a distribution of scipy.stats can belong; beta and t belong to a family only for some shapes."""


def match_family(negative: Distribution[Any], positive: Distribution[Any]) -> FamilyPair | None:
    """Return the parameters of two distributions if closed forms exist for this pair in a common family, else None."""
    mirrored = isinstance(negative, ReflectedDistribution) and isinstance(positive, ReflectedDistribution)
    first, second = (_family_candidates(d.base if mirrored else d) for d in (negative, positive))  # type: ignore[attr-defined]
    for kind, family in CLOSED_FORMS.items():
        if kind in first and kind in second:
            members = first[kind], second[kind]
            if all(getattr(members[0], name) == getattr(members[1], name) for name in family.shared):
                return FamilyPair(kind, *members, mirrored)
    return None


def _family_candidates(distribution: Distribution[Any]) -> dict[str, FamilyParameters]:
    """Return the families to which a distribution belongs, with the parameters in each family."""
    if isinstance(distribution, Gaussian) and not distribution.shape and distribution.std > 0:
        return {"normal": FamilyParameters(distribution.mean, distribution.std)}
    if not isinstance(distribution, ScipyDistribution) or distribution.frozen.dist.name not in _FAMILIES_BY_NAME:
        return {}
    frozen = distribution.frozen
    shapes, *loc_and_scale = frozen.dist._parse_args(*frozen.args, **frozen.kwds)
    shapes, (loc, scale) = ([float(np.asarray(value)) for value in part] for part in (shapes, loc_and_scale))
    match frozen.dist.name:
        case "chi2":
            return {"gamma": FamilyParameters(loc, 2 * scale, shapes[0] / 2)}
        case "t":
            return {"cauchy": FamilyParameters(loc, scale)} if shapes[0] == 1 else {}
        case "beta":
            exponents = {"rising power": shapes, "falling power": shapes[::-1]}
            return {kind: FamilyParameters(loc, scale, a) for kind, (a, b) in exponents.items() if b == 1}
        case name:
            return {kind: FamilyParameters(loc, scale, *shapes) for kind in _FAMILIES_BY_NAME[name]}


def prob_greater_exponential(first: FamilyParameters, second: FamilyParameters) -> float:
    """Return P(second > first), which is scale2/(scale1 + scale2) for equal locations."""
    ratio, complement = _ratio_and_complement(first.scale, second.scale)
    shift = second.loc - first.loc
    if shift < 0:
        return ratio * float(np.exp(shift / second.scale))
    return ratio - complement * float(np.expm1(-shift / first.scale))


def prob_greater_weibull(first: FamilyParameters, second: FamilyParameters) -> float:
    """Return P(second > first) = scale2^c/(scale1^c + scale2^c)."""
    return float(expit(first.shape * log_scale_ratio(second.scale, first.scale)))


def prob_greater_gumbel(first: FamilyParameters, second: FamilyParameters) -> float:
    """Return P(second > first) = 1/(1 + exp(-D)), with the shift D in units of the scale."""
    return float(expit(standardized_shift(first, second)))


def prob_greater_gamma(first: FamilyParameters, second: FamilyParameters) -> float:
    """Return P(second > first), the regularized incomplete beta function I_x(k1, k2).

    The argument of I_x is x = scale2/(scale1 + scale2).
    """
    x, y = _ratio_and_complement(first.scale, second.scale)
    return float(betainc(first.shape, second.shape, x) if x <= y else betaincc(second.shape, first.shape, y))


def prob_greater_power(first: FamilyParameters, second: FamilyParameters) -> float:
    """Return P(second > first) = a2/(a1 + a2), for the distribution functions x^a1 and x^a2."""
    return _ratio_and_complement(first.shape, second.shape)[0]


def prob_greater_reflected_power(first: FamilyParameters, second: FamilyParameters) -> float:
    """Return P(second > first) = b1/(b1 + b2), for the upper tails (1 - x)^b1 and (1 - x)^b2."""
    return prob_greater_power(second, first)


def prob_greater_logistic(first: FamilyParameters, second: FamilyParameters) -> float:
    """Return P(second > first) = (1 - q - D q)/(1 - q)^2 with q = exp(-D), for a shift D and equal scales."""
    d = standardized_shift(first, second)
    q = float(np.exp(-np.abs(d)))
    if np.abs(d) < _MAX_SERIES_SHIFT:
        return 0.5 + _sinh_minus_x(d) / float(4 * np.sinh(d / 2) ** 2) if d else 0.5
    if d > 0:
        return (1 - q - d * q if q else 1.0) / (1 - q) ** 2
    return (-d - 1 + q) / (1 - q) ** 2 * q if q else 0.0


def prob_greater_laplace(first: FamilyParameters, second: FamilyParameters) -> float:
    """Return P(second > first) = 1 - (a^2 exp(-d/a) - b^2 exp(-d/b))/(2 (a^2 - b^2)), for d >= 0 and scales a, b."""
    wide, narrow = max(first.scale, second.scale), min(first.scale, second.scale)
    d = np.abs(standardized_shift(first, second, wide))
    gap = (wide - narrow) / wide
    if gap:
        with np.errstate(over="ignore"):
            numerator = -np.expm1(2 * log_scale_ratio(narrow, wide) - d * (wide / narrow) * gap)
        factor = float(numerator / (2 * gap * (2 - gap)))
    else:
        factor = float((2 + d) / 4)
    beyond = factor * float(np.exp(-d))
    return beyond if second.loc < first.loc else 1 - beyond


def prob_greater_cauchy(first: FamilyParameters, second: FamilyParameters) -> float:
    """Return P(second > first) = 1/2 + atan(d/(scale1 + scale2))/pi, computed without cancellation."""
    with np.errstate(over="ignore"):
        total = first.scale / 2 + second.scale / 2
        return float(np.arctan2(total, first.loc / 2 - second.loc / 2) / np.pi)


def prob_greater_normal(first: FamilyParameters, second: FamilyParameters) -> float:
    """Return P(second > first) = Phi(D), where D is the separation."""
    return float(ndtr(_normal_separation(first, second)))


def prob_greater_lognormal(first: FamilyParameters, second: FamilyParameters) -> float:
    """Return P(second > first) = Phi(D), where D is the separation of the logarithms."""
    return float(ndtr(log_scale_ratio(second.scale, first.scale) / float(np.hypot(first.shape, second.shape))))


def _normal_separation(first: FamilyParameters, second: FamilyParameters) -> float:
    """Return the separation D of two normal distributions."""
    return standardized_shift(first, second, 2 * float(np.hypot(first.scale / 2, second.scale / 2)))


def standardized_shift(first: FamilyParameters, second: FamilyParameters, scale: float | None = None) -> float:
    """Return the difference between the locations, divided by the scale, without overflow."""
    unit = first.scale if scale is None else scale
    with np.errstate(over="ignore"):
        return float((np.float64(second.loc) / 2 - first.loc / 2) / unit * 2)


def log_scale_ratio(first: float, second: float) -> float:
    """Return log(first/second) with full relative accuracy, even for a ratio close to 1."""
    excess = first / second - 1 if second * 2 > first > second / 2 else np.inf
    if np.abs(excess) < 0.5:
        return float(np.log1p((first - second) / second))
    return float(np.log(first) - np.log(second))


def _ratio_and_complement(first: float, second: float) -> tuple[float, float]:
    """Return second/(first + second) and first/(first + second)."""
    with np.errstate(over="ignore", divide="ignore"):
        return float(1 / (1 + np.float64(first) / second)), float(1 / (1 + np.float64(second) / first))


def _sinh_minus_x(d: float) -> float:
    """Return sinh(d) - d for a small d, by a series without cancellation."""
    square, total = d * d, 1.0
    for n in (17, 15, 13, 11, 9, 7, 5):
        total = 1 + square / (n * (n - 1)) * total
    return d * square / 6 * total


def crossings_gamma(negative: FamilyParameters, positive: FamilyParameters, level: float) -> list[float]:
    """Solve a log u - b u = e for u = (t - loc)/scale0, with the real branches of Lambert's W function."""
    a = positive.shape - negative.shape
    b = (negative.scale - positive.scale) / positive.scale
    e = level + positive.shape * log_scale_ratio(positive.scale, negative.scale) + _log_gamma_ratio(negative.shape, a)
    return [negative.loc + negative.scale * u for u in _solve_log_linear(a, b, e) if u > 0]


def crossings_weibull(negative: FamilyParameters, positive: FamilyParameters, level: float) -> list[float]:
    """Return the crossing of two weighted Weibull densities, computed from the cumulative hazard of the negatives."""
    c = negative.shape
    hazard = c * log_scale_ratio(negative.scale, positive.scale)
    if not hazard:
        return []
    u = (hazard - level) / np.expm1(hazard)
    return [negative.loc + negative.scale * float(u ** (1 / c))] if u > 0 else []


def crossings_rising_power(negative: FamilyParameters, positive: FamilyParameters, level: float) -> list[float]:
    """Solve (a1 - a0) log x = log kappa - log(a1/a0) for x in (0, 1)."""
    log_x = _log_of_power(negative, positive, level)
    return [negative.loc + negative.scale * float(np.exp(log_x))] if log_x < 0 else []


def crossings_falling_power(negative: FamilyParameters, positive: FamilyParameters, level: float) -> list[float]:
    """Solve (b1 - b0) log(1 - x) = log kappa - log(b1/b0) for x in (0, 1)."""
    log_rest = _log_of_power(negative, positive, level)
    return [negative.loc - negative.scale * float(np.expm1(log_rest))] if log_rest < 0 else []


def crossings_logistic(negative: FamilyParameters, positive: FamilyParameters, level: float) -> list[float]:
    """Return the crossing (loc0 + loc1)/2 + scale log(sinh(D/4 + l/4)/sinh(D/4 - l/4)), with l = log kappa.

    A crossing exists only if |l| < |D|.
    """
    d = standardized_shift(negative, positive)
    if not abs(level) < abs(d):
        return []
    above, below = abs(d + level) / 4, abs(d - level) / 4
    shift = above - below + np.log(np.expm1(-2 * above) / np.expm1(-2 * below))
    return [negative.loc / 2 + positive.loc / 2 + negative.scale * float(shift)]


def crossings_laplace(negative: FamilyParameters, positive: FamilyParameters, level: float) -> list[float]:
    """Solve log f1 - log f0 = log kappa, where the left side is piecewise linear with knots at both locations."""
    d = standardized_shift(negative, positive)  # in units of the scale of the negatives, relative to their location
    knots = np.sort([0.0, d])
    start = log_scale_ratio(negative.scale, positive.scale) - level
    levels = start + np.abs(knots) - np.abs(knots - d) * (negative.scale / positive.scale)
    outer = (positive.scale - negative.scale) / positive.scale  # slope above both locations, minus the slope below
    rise = levels[1] - levels[0]
    candidates = [
        (levels[0] * outer < 0, knots[0] + levels[0] / outer if outer else np.inf),
        (levels[0] == 0 and rise * outer < 0, knots[0]),
        (levels[0] * levels[1] < 0, knots[0] - (knots[1] - knots[0]) * levels[0] / rise if rise else np.inf),
        (levels[1] == 0 and rise * outer > 0, knots[1]),
        (levels[1] * outer < 0, knots[1] - levels[1] / outer if outer else np.inf),
    ]
    return [negative.loc + negative.scale * float(u) for crosses, u in candidates if crosses]


def crossings_cauchy(negative: FamilyParameters, positive: FamilyParameters, level: float) -> list[float]:
    """Solve the quadratic equation f1/f0 = kappa.

    Only the discriminant can suffer from cancellation, and only if kappa is not 1.
    """
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
    """Solve D - exp(-z) (exp(D) - 1) = log kappa for the standardized crossing z."""
    d = standardized_shift(negative, positive)
    if not d:
        return []
    fraction = (d - level) / d
    log_ratio = d + float(np.log(-np.expm1(-d) / d)) if d > 0 else float(np.log(np.expm1(d) / d))  # log((exp(D) - 1)/D)
    return [negative.loc + negative.scale * float(log_ratio - np.log(fraction))] if fraction > 0 else []


def crossings_normal(negative: FamilyParameters, positive: FamilyParameters, level: float) -> list[float]:
    """Return the crossings of the weighted densities of two Gaussians."""
    pair = (Gaussian(member.loc, member.scale) for member in (negative, positive))
    return list(BinormalSolver(*pair).crossings(np.asarray(level)))


def crossings_lognormal(negative: FamilyParameters, positive: FamilyParameters, level: float) -> list[float]:
    """Return loc + scale0 exp(t) for the crossings t of the two Gaussian distributions of log((x - loc)/scale0)."""
    first = Gaussian(0.0, negative.shape)
    second = Gaussian(log_scale_ratio(positive.scale, negative.scale), positive.shape)
    logs = BinormalSolver(first, second).crossings(np.asarray(level))
    return [negative.loc + negative.scale * float(u) for u in np.exp(logs)]


class ClosedForm(NamedTuple):
    """Closed forms of a family, with the names of the parameters that must be equal in both classes."""

    shared: tuple[str, ...]
    prob_greater: Callable[[FamilyParameters, FamilyParameters], float]
    """Function that computes P(second > first) for two distributions of the family."""
    crossings: Callable[[FamilyParameters, FamilyParameters, float], list[float]]


CLOSED_FORMS = {
    "exponential": ClosedForm((), prob_greater_exponential, crossings_gamma),
    "weibull": ClosedForm(("loc", "shape"), prob_greater_weibull, crossings_weibull),
    "gamma": ClosedForm(("loc",), prob_greater_gamma, crossings_gamma),
    "rising power": ClosedForm(("loc", "scale"), prob_greater_power, crossings_rising_power),
    "falling power": ClosedForm(("loc", "scale"), prob_greater_reflected_power, crossings_falling_power),
    "logistic": ClosedForm(("scale",), prob_greater_logistic, crossings_logistic),
    "laplace": ClosedForm((), prob_greater_laplace, crossings_laplace),
    "cauchy": ClosedForm((), prob_greater_cauchy, crossings_cauchy),
    "gumbel": ClosedForm(("scale",), prob_greater_gumbel, crossings_gumbel),
    "normal": ClosedForm((), prob_greater_normal, crossings_normal),
    "lognormal": ClosedForm(("loc",), prob_greater_lognormal, crossings_lognormal),
}


def _solve_log_linear(a: float, b: float, e: float) -> list[float]:
    """Return all u > 0 with a log u - b u = e."""
    if a == 0:
        return [-e / b] if b else []
    if b == 0:
        return [float(np.exp(e / a))]
    ratio = abs(b / a)
    log_z = float(np.log(ratio)) + e / a
    if a * b < 0:
        branches = [float(wrightomega(log_z))]
    elif log_z <= -1:  # the two real branches are on the branch cut of the complex function
        branches = [-float(wrightomega(complex(log_z, argument)).real) for argument in (np.pi, -np.pi)]
    else:
        return []
    sign = 1.0 if a * b < 0 else -1.0
    starts = [w / ratio if w > _MIN_BRANCH else float(np.exp(e / a - sign * w)) for w in branches]
    return [_newton_refine(a, b, e, u) for u in starts]


def _newton_refine(a: float, b: float, e: float, u: float) -> float:
    for _ in range(_NEWTON_STEPS):
        slope = a - b * u
        if not 0 < u < np.inf or abs(slope) <= _DOUBLE_ROOT_RTOL * abs(a):
            break
        u *= float(np.exp(-(a * np.log(u) - b * u - e) / slope))
    return u


def _log_gamma_ratio(k: float, step: float) -> float:
    """Return log Gamma(k + step) - log Gamma(k)."""
    if abs(step) > _SERIES_RTOL * k:
        return float(gammaln(k + step) - gammaln(k))
    middle = k + step / 2
    return float(step * digamma(middle) + step**3 / 24 * polygamma(2, middle))


def _log_of_power(negative: FamilyParameters, positive: FamilyParameters, level: float) -> float:
    difference = positive.shape - negative.shape
    return (level - log_scale_ratio(positive.shape, negative.shape)) / difference if difference else np.inf


class FamilySolver(NumericalSolver):
    """Solver for two distributions of one family, with closed forms of the AUC and of most crossings."""

    def __init__(self, negative: Distribution[Any], positive: Distribution[Any], pair: FamilyPair) -> None:
        super().__init__(negative, positive)
        self.pair = pair

    def auc(self) -> FloatArray:
        """Return the AUC, P(positive > negative)."""
        return np.asarray(CLOSED_FORMS[self.pair.family].prob_greater(*self.pair.ordered))

    def auc_complement(self) -> FloatArray:
        """Return 1 - AUC = P(positive < negative) with full relative accuracy."""
        return np.asarray(CLOSED_FORMS[self.pair.family].prob_greater(*self.pair.ordered[::-1]))

    def log_auc_complement(self) -> FloatArray:
        """Return log(1 - AUC), without underflow for two normal distributions."""
        if self.pair.family == "normal":
            return np.asarray(log_ndtr(_normal_separation(*self.pair.ordered[::-1])))
        return super().log_auc_complement()

    def _crossings(self, log_prices: FloatArray) -> tuple[list[FloatArray], NDArray[np.bool_]]:
        family, negative, positive, reflected = self.pair
        if not np.isfinite(log_prices).all() or (family == "exponential" and negative.loc != positive.loc):
            return super()._crossings(log_prices)
        rows = []
        for price in log_prices.tolist():
            with np.errstate(all="ignore"):
                thresholds = np.array(CLOSED_FORMS[family].crossings(negative, positive, price), dtype=np.float64)
            thresholds = np.unique(thresholds[np.isfinite(thresholds)])
            rows.append(-thresholds[::-1] if reflected else thresholds)
        return rows, np.zeros(len(log_prices), dtype=bool)


class NormalSumSolver(NumericalSolver):
    """Solver for two weighted sums of normal distributions, such as kernel densities and Gaussian mixtures.

    Notes
    -----
    The AUC is the sum of w0 w1 Phi((m1 - m0)/hypot(s0, s1)) over all pairs of components, where w are the weights, m
    the means and s the standard deviations. For two kernel densities, the AUC depends on s0 and s1 only through H =
    hypot(s0, s1). The AUC is then the mean of F at the kernel means of the positives, where F is the distribution
    function of the negatives with kernels of standard deviation H.
    """

    def __init__(self, negative: Distribution[Any], positive: Distribution[Any]) -> None:
        super().__init__(negative, positive)
        self._sums = []
        for d in (negative, positive):
            components = _components(d)
            if components is None:
                raise RocPredictError(f"{d!r} is not a univariate mixture of normal distributions")
            self._sums.append(components)

    @cached_property
    def crossing_grid(self) -> FloatArray:
        """Grid that is searched for crossings, with additional points around each component."""
        seeded = [normals for normals in self._sums if len(normals.means) <= _MAX_SEEDED_COMPONENTS]
        seeds = [np.ravel(normals.means[:, None] + normals.stds[:, None] * _SEED_Z) for normals in seeded]
        for index, normals in enumerate(seeded):
            if normals.equal_stds and len(normals.means) > len(_SEED_Z):  # many components: equidistant points
                step = normals.stds[0] * (_SEED_Z[1] - _SEED_Z[0])
                seeds[index] = np.unique(np.rint(seeds[index] / step)) * step
        points = np.unique(np.concatenate([self.search_grid, *seeds]))
        return points[np.isfinite(points)]

    def auc(self) -> FloatArray:
        """Return the AUC, P(positive > negative) + P(tie)/2."""
        return _area(*self._sums, upper=False)

    def auc_complement(self) -> FloatArray:
        """Return 1 - AUC = P(positive < negative) + P(tie)/2 with full relative accuracy."""
        return _area(*self._sums, upper=True)


class BatchSolver(NumericalSolver):
    """Solver for two batches of continuous distributions that are fitted to B resamples.

    Each batch has shape (B,) or (B, 1).
    """

    takes_batches = True
    negative: Any
    positive: Any

    @abstractmethod
    def _dense_grid(self) -> FloatArray:
        """Return a grid of shape (B, k); the densities of each pair cross at most once between neighboring points."""

    @abstractmethod
    def _single(self, index: int) -> Solver:
        """Return the solver for one pair of distributions in the batch."""

    def along(self, axis: Axis, rate: FloatArray) -> FloatArray:
        """Return the highest TPR at an FPR or, for axis "tpr", the lowest FPR at which the TPR is at least ``rate``."""
        abscissa, ordinate = (self.negative, self.positive) if axis == "fpr" else (self.positive, self.negative)
        return np.asarray(ordinate.sf(abscissa.isf(rate)))

    def optimal(self, log_price: FloatArray) -> OptimalThreshold:
        """Return the threshold that maximizes TPR - price * FPR.

        The threshold is usually the best crossing of the weighted densities. If a pair of distributions has no clearly
        best crossing, its threshold is computed separately, by the solver for a single pair.
        """
        negative, positive, prices = self.negative, self.positive, np.broadcast_to(log_price, self.shape)
        grid = self._dense_grid()
        pair = negative._add_grid_axis(), positive._add_grid_axis()
        with np.errstate(invalid="ignore", over="ignore"):
            excess = log_density_ratio(*pair, grid) - prices[:, None]
        row, place = np.nonzero((excess[:, 1:] > 0) & (excess[:, :-1] <= 0))  # local minima of the loss

        def excess_at(x: FloatArray, row: FloatArray) -> FloatArray:
            index = row.astype(np.intp)
            return log_density_ratio(negative[index], positive[index], x) - prices[index]

        root = find_roots(excess_at, grid[row, place], grid[row, place + 1], row.astype(float))
        first, second = negative[row], positive[row]
        with np.errstate(over="ignore"):
            loss = second.cdf(root.x) + np.exp(prices[row]) * first.sf(root.x)
            worst = np.minimum(1.0, np.exp(prices))
        order = np.lexsort((loss, row))
        row, x, loss = row[order], root.x[order], loss[order]
        start, end = (np.searchsorted(row, np.arange(len(grid)), side) for side in ("left", "right"))
        padded_x, padded_loss = np.append(x, np.nan), np.append(loss, np.inf)
        threshold = padded_x[np.where(start < end, start, len(x))]
        rival = np.minimum(padded_loss[np.where(start + 1 < end, start + 1, len(x))], worst)
        is_clear = np.isfinite(excess).all(axis=1) & (grid.shape[1] <= _MAX_SEARCH_STEPS + 1)
        is_clear &= padded_loss[np.where(start < end, start, len(x))] < rival - _CLEAR_LOSS
        for index in np.flatnonzero(~is_clear).tolist():
            threshold[index] = self._single(index).optimal(prices[index]).threshold
        return self.at_threshold(threshold, self.crossings(log_price))

    def crossings(self, log_price: FloatArray) -> FloatArray:
        """Return NaN, because the crossings of resamples are not needed."""
        return np.full((*self.shape, 1), np.nan)


class NormalSumBatchSolver(BatchSolver):
    """Solver for two batches of kernel densities or mixtures that are fitted to B resamples.

    Each batch has shape (B,) or (B, 1).
    """

    negative: NormalSumBatch
    positive: NormalSumBatch

    def auc_complement(self) -> FloatArray:
        """Return 1 - AUC = P(positive < negative), computed as a sum over all pairs of components."""
        negative, positive = self.negative, self.positive._add_grid_axis()
        widths = np.hypot(negative.stds[..., None], positive.stds)
        below = NormalSumBatch(positive.weights, positive.means, widths).cdf(negative.means)
        return np.asarray(np.einsum("...k,...k->...", negative.weights, below))

    def auc(self) -> FloatArray:
        """Return the AUC, P(positive > negative)."""
        return NormalSumBatchSolver(self.positive, self.negative).auc_complement()

    def area(self, axis: Axis, low: FloatArray, high: FloatArray) -> FloatArray:
        """Return the area under the curve (axis "fpr") or to the right of the curve (axis "tpr") between two rates."""
        d, beyond = (self.negative, self.positive.reflect()) if axis == "fpr" else (self.positive, self.negative)
        ends = np.clip([d.isf(high), d.isf(low)], *d.bounds(_AREA_Z))
        narrowest = np.minimum(d.stds.min(axis=-1), beyond.stds.min(axis=-1))
        n_panels = int(np.ceil((np.diff(ends, axis=0) / narrowest).max() / _MAX_PANEL_WIDTH)) or 1
        edges = ends[0] + (ends[1] - ends[0]) * np.linspace(0, 1, n_panels + 1)[:, None]
        half = np.diff(edges, axis=0).T[..., None] / 2
        x = (((edges[1:] + edges[:-1]) / 2).T[..., None] + half * NODES).reshape(len(half), -1)
        rates = beyond._add_grid_axis().cdf(-x if axis == "fpr" else x)
        terms = np.asarray(rates * d._add_grid_axis().pdf(x)).reshape(half.shape[:-1] + NODES.shape) * half
        return np.asarray((terms @ WEIGHTS).sum(axis=-1))

    def _dense_grid(self) -> FloatArray:
        negative, positive = self.negative, self.positive
        limits = [d.bounds(_SEARCH_Z) for d in (negative, positive)]
        low, high = np.minimum(limits[0][0], limits[1][0]), np.maximum(limits[0][1], limits[1][1])
        if negative.has_one_width and positive.has_one_width:
            n_steps = float(np.max((high - low)[:, None] / np.minimum(negative.stds, positive.stds)) / _SEARCH_STEP)
            seeds = []
        else:  # few components: points around each component
            n_steps = len(_SEED_Z) * 4
            seeds = [
                (d.means[..., None] + d.stds[..., None] * _SEED_Z).reshape(len(low), -1) for d in (negative, positive)
            ]
        even = low[:, None] + (high - low)[:, None] * np.linspace(0, 1, int(min(n_steps, _MAX_SEARCH_STEPS)) + 2)
        return np.sort(np.hstack([even, *seeds]), axis=1)

    def _single(self, index: int) -> Solver:
        return NormalSumSolver(*(GaussianMixture(*d.components(index)) for d in (self.negative, self.positive)))


class ScipyFamilyBatchSolver(BatchSolver):
    """Solver for two batches of distributions of a named family that are fitted to B resamples.

    The batches have shape (B,) or (B, 1), and the distributions may be reflected. Areas are computed as integrals over
    z = Phi^-1(rate), where the rate is a tail probability of one class.
    """

    def auc(self) -> FloatArray:
        """Return the AUC, P(positive > negative)."""
        return 1 - self.auc_complement()

    def auc_complement(self) -> FloatArray:
        """Return 1 - AUC = P(positive < negative), an integral over the distribution of the class with less spread."""
        negative, positive = self.negative, self.positive
        spreads = [np.median(d.isf(0.25) - d.isf(0.75)) for d in (negative, positive)]
        pair = (negative, positive, "cdf") if spreads[0] <= spreads[1] else (positive, negative, "sf")
        return self._integrate(*pair, (0.0, 1.0), lambda single: single.auc_complement())

    def area(self, axis: Axis, low: FloatArray, high: FloatArray) -> FloatArray:
        """Return the area under the curve (axis "fpr") or to the right of the curve (axis "tpr") between two rates."""
        pair = (self.negative, self.positive, "sf") if axis == "fpr" else (self.positive, self.negative, "cdf")
        return self._integrate(*pair, (float(low), float(high)), lambda single: single.area(axis, low, high))

    def _integrate(
        self, d: Any, other: Any, tail: str, limits: tuple[float, float], exact: Callable[[Solver], FloatArray]
    ) -> FloatArray:
        """Integrate a tail probability of ``other`` over a tail probability of ``d`` between two limits.

        Panels end at the medians of both classes, where a density may have a kink. If the polynomial approximation on a
        panel is not accurate enough, the area is computed by the solver for this pair of distributions alone.
        """
        ends = np.clip(ndtri(limits), -_AREA_Z, _AREA_Z)
        edges = np.broadcast_to(np.linspace(-_AREA_Z, _AREA_Z, _N_AREA_PANELS + 1), (*d.shape, _N_AREA_PANELS + 1))
        with np.errstate(divide="ignore"):
            kink = ndtri(d.sf(other.isf(0.5)))
        edges = np.sort(np.clip(np.append(edges, kink[:, None], axis=1), *ends), axis=1)
        half = np.diff(edges, axis=1)[..., None] / 2
        z = edges[:, :-1, None] + half * (1 + NODES)
        rates = getattr(other._add_grid_axis(), tail)(d._add_grid_axis().isf(ndtr(z).reshape(len(z), -1)))
        terms = rates.reshape(z.shape) * np.exp(-z * z / 2) / np.sqrt(2 * np.pi) * half
        areas = np.asarray((terms @ WEIGHTS).sum(axis=1))
        is_uncertain = ~(np.abs(terms @ _HIGH_DEGREES).sum(axis=(1, 2)) < _MAX_HIGH_DEGREES)
        for index in np.flatnonzero(is_uncertain).tolist():
            areas[index] = exact(self._single(index))
        return areas

    def _dense_grid(self) -> FloatArray:
        levels = ndtr(_SEED_Z)
        return np.sort(np.hstack([d._add_grid_axis().isf(levels) for d in (self.negative, self.positive)]), axis=1)

    def _single(self, index: int) -> Solver:
        return solver_for(self.negative[index], self.positive[index])


def is_normal_sum(distribution: Distribution[Any]) -> bool:
    """Return True for a single Gaussian (not a batch), a kernel density or a Gaussian mixture."""
    return _components(distribution) is not None


def _components(distribution: Distribution[Any]) -> NormalSum | None:
    base = distribution.base if isinstance(distribution, ReflectedDistribution) else distribution
    if isinstance(base, ScipyDistribution) and "normal" in (candidates := _family_candidates(base)):
        gaussian = Gaussian(candidates["normal"].loc, candidates["normal"].scale)
        distribution = gaussian if base is distribution else gaussian.reflect()
    if isinstance(distribution, NormalSumDistribution):
        return distribution.components
    if isinstance(distribution, Gaussian) and not distribution.shape:
        return NormalSum(np.ones(1), np.array([distribution.mean]), np.array([distribution.std]))
    return None


def _area(negative: NormalSum, positive: NormalSum, *, upper: bool) -> FloatArray:
    equal_widths = negative.equal_stds and positive.equal_stds
    width = float(np.hypot(negative.stds[0], positive.stds[0])) if equal_widths else 0.0
    if width == 0:
        return _pairwise_auc(negative, positive, upper=upper)
    widened = NormalSum(negative.weights, negative.means, np.full(len(negative.means), width))
    return np.asarray(symmetric_sum(widened.tail(positive.means, upper=upper) * positive.weights) / positive.total)


def _pairwise_auc(negative: NormalSum, positive: NormalSum, *, upper: bool) -> FloatArray:
    """Return the AUC, or 1 - AUC if ``upper`` is True, computed as a sum over all pairs of components."""
    step, total = max(1, _MAX_BLOCK_SIZE // len(negative.means)), np.zeros(())
    for first in range(0, len(positive.means), step):
        rows = slice(first, first + step)
        gap = positive.means[rows, None] / 2 - negative.means / 2  # halves do not overflow
        if upper:
            np.negative(gap, out=gap)
        width = np.hypot(positive.stds[rows, None] / 2, negative.stds / 2)
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            z = np.where(gap == 0, 0.0, gap / width)  # two equal point masses are a tie
        total = total + symmetric_sum(symmetric_sum(ndtr(z) * negative.weights) * positive.weights[rows])
    return np.asarray(total / negative.total / positive.total)


_SOLVERS: dict[type[Distribution[Any]], type[Solver]] = {
    Gaussian: BinormalSolver,
    ShrinkageDistribution: ShrinkageSolver,
    Ecdf: EmpiricalSolver,
    NormalSumBatch: NormalSumBatchSolver,
    Histogram: HistogramSolver,
}
"""Solver for two distributions of the same Python class; the first entry that matches is used."""


def solver_for(negative: Distribution[Any], positive: Distribution[Any]) -> Solver:
    """Return the solver for two distributions.

    The solver is exact for samples and for distributions with closed forms, and numerical for other distributions.
    """
    for distribution, solver in _SOLVERS.items():
        if isinstance(negative, distribution) and isinstance(positive, distribution):
            return solver(negative, positive)
    if isinstance(negative, Transformed) and isinstance(positive, Transformed) and negative.has_transform_of(positive):
        return MappedSolver(negative, positive, solver_for(negative.base, positive.base), negative.map_back)
    bases = [d.base if isinstance(d, ReflectedDistribution) else d for d in (negative, positive)]
    if all(isinstance(base, ScipyFamilyBatch) for base in bases):
        return ScipyFamilyBatchSolver(negative, positive)
    if negative.shape or positive.shape:
        raise RocPredictError(
            f"the distributions have shapes {negative.shape} and {positive.shape}, but a batch of features needs "
            "rp.Gaussian for both classes; pass other distributions one feature at a time"
        )
    if pair := match_family(negative, positive):
        return FamilySolver(negative, positive, pair)
    if is_normal_sum(negative) and is_normal_sum(positive):
        return NormalSumSolver(negative, positive)
    return NumericalSolver(negative, positive)
