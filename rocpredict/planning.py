"""Sample size of an ROC study."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from math import ceil, sqrt
from typing import Any, Literal, NamedTuple, TypeAlias, cast

import numpy as np
from scipy.special import ndtr, ndtri

from rocpredict.base.formatting import format_number
from rocpredict.base.proportions import check_confidence_level, normal_critical_value
from rocpredict.base.results import Result
from rocpredict.base.tables import Table
from rocpredict.base.validation import (
    FloatArray,
    RocPredictError,
    check_finite,
    check_option,
    check_pair,
    check_probability,
    is_scalar,
    short_repr,
)
from rocpredict.distributions.base import Distribution
from rocpredict.distributions.ecdf import is_discrete
from rocpredict.distributions.gaussian import Gaussian
from rocpredict.inference.auc import hanley_mcneil_variance
from rocpredict.inference.parametric import ProbitEstimate, auc_probit, tpr_probit
from rocpredict.roc.base import Roc
from rocpredict.roc.predicted import PredictedRoc
from rocpredict.solvers.binormal import BinormalSolver
from rocpredict.solvers.quadrature import expectation, gauss_legendre, panel_edges

Variance: TypeAlias = Callable[[int, int], float]
Correlation: TypeAlias = tuple[float, float]
_ROUNDING = 1e-12  # of two variances: where their difference falls below, both curves are one


def auc_variances(roc: Roc, null: float | None = None) -> dict[str, Variance]:
    """Return the variances of one AUC by method, the reference first; those of a test under its null AUC."""
    auc = float(roc.auc()) if null is None else null
    methods: dict[str, Variance] = {"exact": _exact(roc, null)}
    if is_gaussian(roc):
        pair = _gaussians(roc, null)
        methods["delta"] = lambda n0, n1: _probit_variance(auc_probit(*pair, (n0, n1)))
    methods["hanley-mcneil"] = lambda n0, n1: hanley_mcneil_variance(auc, (n0, n1))
    return methods | {"obuchowski": _obuchowski(auc)}


def difference_variances(roc: Roc, other: Roc, correlation: Correlation | None) -> dict[str, Variance]:
    """Return the variances of a difference of two AUCs by method; without correlation each has its own cases."""
    if correlation is not None:
        return {"exact": _difference(_exact(roc), _exact(other), _covariance(roc, other, correlation).covariance)}
    first, second = auc_variances(roc), auc_variances(other)
    return {name: _difference(first[name], second[name]) for name in first if name in second}


def tpr_variances(roc: Roc, fpr: float) -> dict[str, Variance]:
    """Return the variances of the TPR at an FPR by method, the reference first."""
    tpr, slope = float(roc.tpr_at_fpr(fpr)), float(roc.slope(fpr))

    def empirical(n0: int, n1: int) -> float:
        return tpr * (1 - tpr) / n1 + slope * slope * fpr * (1 - fpr) / n0

    if not is_gaussian(roc):
        return {"empirical": empirical}
    pair = _gaussians(roc)
    return {
        "empirical": empirical,
        "delta": lambda n0, n1: _probit_variance(tpr_probit(*pair, (n0, n1), np.asarray(fpr))),
    }


def is_gaussian(roc: Roc) -> bool:
    """Return whether both classes are Gaussian."""
    return isinstance(roc.negative, Gaussian) and isinstance(roc.positive, Gaussian)


def _difference(first: Variance, second: Variance, covariance: Variance | None = None) -> Variance:
    def variance(n0: int, n1: int) -> float:
        variance_sum = first(n0, n1) + second(n0, n1)
        variance_difference = variance_sum - (0.0 if covariance is None else 2 * covariance(n0, n1))
        return variance_difference if variance_difference > _ROUNDING * variance_sum else 0.0

    return variance


# ---- the empirical AUC
class _SharedCovariance(NamedTuple):
    """Covariances of two comparisons of a positive with a negative, by the cases that both share."""

    both: float
    positive: float
    negative: float

    def covariance(self, n0: int, n1: int) -> float:
        """Return the (co)variance of the mean over all n0 n1 comparisons (Hoeffding 1948)."""
        return (self.both + (n0 - 1) * self.positive + (n1 - 1) * self.negative) / (n0 * n1)


def _exact(roc: Roc, null: float | None = None) -> Variance:
    """Return the exact variance; under a null hypothesis Mann-Whitney's at 1/2, elsewhere that of shifted Gaussians."""
    if null == 0.5:
        return lambda n0, n1: (n0 + n1 + 1) / (12 * n0 * n1)
    if not is_gaussian(roc):
        return _placement_variance(*_oriented(roc)).covariance
    solver = BinormalSolver(*_gaussians(roc, null))
    return lambda n0, n1: float(solver.empirical_auc_variance((n0, n1)))


def _placement_variance(negative: Distribution, positive: Distribution) -> _SharedCovariance:
    """Integrate the squared placements of one class over the other; a tie counts half."""

    def of_positive(x: FloatArray) -> FloatArray:
        return np.asarray((np.asarray(negative.cdf_strict(x)) + negative.cdf(x)) / 2)

    def of_negative(x: FloatArray) -> FloatArray:
        return np.asarray((np.asarray(positive.sf(x)) + positive.sf_inclusive(x)) / 2)

    auc = _mean(positive, of_positive, negative)
    points, masses = negative.atoms()
    ties = float(masses @ (np.asarray(positive.sf_inclusive(points)) - positive.sf(points)))
    return _SharedCovariance(
        both=auc * (1 - auc) - ties / 4,
        positive=_mean(positive, lambda x: of_positive(x) ** 2, negative) - auc * auc,
        negative=_mean(negative, lambda x: of_negative(x) ** 2, positive) - auc * auc,
    )


def _mean(weighing: Distribution, f: Callable[[FloatArray], FloatArray], other: Distribution) -> float:
    points, masses = weighing.atoms()
    smooth = 0.0 if is_discrete(weighing) else expectation(weighing, f, panel_edges(weighing, other))
    return float(masses @ np.asarray(f(points))) + smooth


def _covariance(roc: Roc, other: Roc, correlation: Correlation) -> _SharedCovariance:
    """Return the covariance of the empirical AUCs of two Gaussian features of the same cases."""
    (first, first0, first1), (second, second0, second1) = _standardized(roc), _standardized(other)
    turned = -1 if (roc.direction == "lower") != (other.direction == "lower") else 1
    r0, r1 = (turned * r for r in correlation)
    by_negative, by_positive = r0 * np.sqrt(first0 * second0), r1 * np.sqrt(first1 * second1)
    return _SharedCovariance(
        *(_bivariate_normal_excess(first, second, r) for r in (by_negative + by_positive, by_positive, by_negative))
    )


def _standardized(roc: Roc) -> tuple[float, float, float]:
    """Return the standardized distance of the means, and the share of each class in the sum of variances."""
    negative, positive = _gaussians(roc)
    size = np.hypot(negative.std, positive.std)
    w0, w1 = ((d.std / size) ** 2 for d in (negative, positive))
    return float((positive.mean - negative.mean) / size), float(w0), float(w1)


def _bivariate_normal_excess(h: float, k: float, correlation: float) -> float:
    """Return P(Z1 < h, Z2 < k) - Phi(h) Phi(k): the bivariate density over the correlation (Plackett 1954)."""
    rounded = np.round(correlation, 15)  # at 1 the angle would show half the digits of a rounding
    end = np.arcsin(np.clip(rounded, -1, 1))
    edges = np.append(end * (1 - 0.5 ** np.arange(40)), end)  # ever finer to a correlation of 1, where it may bend hard

    def density(angle: FloatArray) -> FloatArray:
        square = (h - k) ** 2 + 4 * h * k * np.sin(np.pi / 4 - angle / 2) ** 2
        return np.asarray(np.exp(-square / (2 * np.cos(angle) ** 2)))

    return float(gauss_legendre(density, edges[:-1], edges[1:]).sum() / (2 * np.pi))


# ---- other formulas
def _obuchowski(auc: float) -> Variance:
    square = 2 * ndtri(auc) ** 2
    scale = 0.0099 * np.exp(-square / 2)
    return lambda n0, n1: float(scale * ((5 * square + 8) / n1 + (square + 8) / n0))


def _probit_variance(probit: ProbitEstimate) -> float:
    """Return the variance of Phi(z) from the standard error of z."""
    return float(np.exp(-(probit.z**2)) / (2 * np.pi) * probit.std_error**2)


def _oriented(roc: Roc) -> tuple[Distribution, Distribution]:
    """Return both classes with the positives on the higher side."""
    pair = roc.negative, roc.positive
    return (pair[0].reflect(), pair[1].reflect()) if roc.direction == "lower" else pair


def _gaussians(roc: Roc, null: float | None = None) -> tuple[Gaussian, Gaussian]:
    """Return both classes where they are Gaussian, the means shifted to an AUC of ``null`` if there is one."""
    negative, positive = _oriented(roc)
    assert isinstance(negative, Gaussian)
    assert isinstance(positive, Gaussian)
    if null is None:
        return negative, positive
    shift = ndtri(null) * np.hypot(negative.std, positive.std)
    return Gaussian(0.0, negative.std), Gaussian(shift, positive.std)


# ---- the study
SampleSizes: TypeAlias = tuple[int, int]
_MAX_RATIO = 1e6
_MIN_CLASS_SIZE = 2  # cases of a class, for a variance to be estimated
_MAX_CLASS_SIZE = 10**12
_SMALL_CLASS_SIZE = 50  # cases of a class, below which the normal approximation is rough
_VARIANCES = {
    "exact": "the exact variance of the empirical AUC of these classes",
    "empirical": "the large-sample variance of the counted TPR at this FPR, its threshold being estimated, too",
    "delta": "for the estimate of two fitted Gaussians, not for the counted one; it takes normality for granted",
    "hanley-mcneil": "the formula of Hanley and McNeil (1982), which knows no more than the AUC",
    "obuchowski": "the formula of Obuchowski and McClish (1997), which knows no more than the AUC",
}
"""The variance of each method, in words."""
_BIASES = _VARIANCES | {
    "hanley-mcneil": "it knows the AUC alone, and gives it the variance of exponential classes, whose positives spread "
    "more",
    "obuchowski": "it assumes equal SDs, and leaves out that the two parameters of its curve vary together",
}
"""Why a method differs from the reference, in words."""
METHODS = tuple(_VARIANCES)
POWER_ALTERNATIVES = ("two-sided", "greater")


@dataclass(frozen=True)
class StudyDesign:
    """Checked design of a study: what it estimates, and an interval's width or a test's power as its goal.

    ``other`` is the curve to compare with, ``null`` the AUC to test against, ``correlation`` that of both features
    within each class where they are measured on the same cases, ``fpr`` the place of the TPR. ``auc_only``: no more
    than the AUC of the curve was given.
    """

    curve: Roc
    other: Roc | None
    null: float | None
    correlation: Correlation | None
    fpr: float | None
    quantity: str
    target: float
    level: float
    alternative: str
    auc_only: bool

    @cached_property
    def estimate(self) -> float:
        """Predicted value of the quantity that the study estimates."""
        if self.fpr is not None:
            return float(self.curve.tpr_at_fpr(self.fpr))
        return float(self.curve.auc()) - (0.0 if self.other is None else float(self.other.auc()))

    @cached_property
    def variances(self) -> dict[str, Variance]:
        """The variances of the estimate by method, the reference first."""
        if self.fpr is not None:
            return tpr_variances(self.curve, self.fpr)
        if self.other is not None:
            return difference_variances(self.curve, self.other, self.correlation)
        return auc_variances(self.curve)

    @cached_property
    def null_variances(self) -> dict[str, Variance]:
        """The variances under the null hypothesis."""
        return self.variances if self.null is None else auc_variances(self.curve, self.null)

    def achieved(self, method: str, counts: SampleSizes) -> float:
        """Return the width of the interval +- z SE at these counts, or the power to reject to the right side."""
        z = normal_critical_value(self.level) if self.alternative == "two-sided" else float(ndtri(self.level))
        std_error = sqrt(self.variances[method](*counts))
        if self.quantity == "width":
            return 2 * z * std_error
        gap = abs(self.estimate - (self.null or 0.0))
        return float(ndtr((gap - z * sqrt(self.null_variances[method](*counts))) / std_error))

    def minimal_counts(self, method: str, ratio: float) -> SampleSizes:
        """Return the fewest positives that meet the goal, with ``ratio`` negatives for each, rounded up."""
        if not 0 < self.variances[method](*_counts(_MIN_CLASS_SIZE, ratio)) < float("inf"):
            raise RocPredictError(
                "this estimate has no variance to plan for: a class is without spread, or both curves are one"
            )

        def is_met(n_positive: int) -> bool:
            achieved = self.achieved(method, _counts(n_positive, ratio))
            return achieved <= self.target if self.quantity == "width" else achieved >= self.target

        return _counts(_smallest_satisfying(is_met), ratio)

    def describe_goal(self) -> str:
        """Return the goal in words."""
        quantity = f"the AUC ({self.curve.auc():.6g})"
        if self.fpr is not None:
            quantity = f"the TPR ({self.estimate:.6g}) at FPR {self.fpr:g}"
        other = f"{self.null}" if self.other is None else f"that of a second curve ({self.other.auc():.6g})"
        if self.quantity == "power":
            test = f"by a {self.alternative} test at the {100 * (1 - self.level):.4g} % significance level"
            return f"a power of {self.target:g} to tell {quantity} from {other} {test}"
        target = quantity if self.other is None else f"the difference of {quantity} from {other}"
        return f"a {100 * self.level:g} % interval of {target} that is {self.target:g} wide"

    def describe_assumptions(self, method: str, counts: SampleSizes) -> Iterator[str]:
        """Return the sentences that say what a sample size rests on."""
        if self.auc_only:
            yield "Both classes are Gaussian with equal SDs: all that an AUC alone allows to assume."
        else:
            law = "Gaussian" if is_gaussian(self.curve) else "distributed"
            yield f"Both classes are {law} as given; the numbers are only as good as that expectation."
        yield f"Variance: {_VARIANCES[method]}."
        if self.correlation is not None:
            negative, positive = self.correlation
            yield (
                "Both features are measured on the same cases, and are bivariate Gaussian within each class, with "
                f"correlations of {negative:g} (negative) and {positive:g} (positive)."
            )
        elif self.other is not None:
            yield "The second curve has cases of its own: as many negatives and positives again."
        if self.quantity == "width":
            yield "The interval is the estimate +- z SE; about half of such studies find it somewhat wider."
        else:
            yield self._describe_null(method)
        if min(counts) < _SMALL_CLASS_SIZE:
            yield (
                f"Below {_SMALL_CLASS_SIZE} cases in a class the normal approximation is rough: simulate such a study."
            )

    def _describe_null(self, method: str) -> str:
        if self.other is not None:
            return (
                "The variance of the difference is taken to be the same under the null hypothesis, as by DeLong's test."
            )
        if method != "exact":
            return f"Under the null hypothesis the same formula holds, at an AUC of {self.null}."
        if self.null == 0.5:
            return "Under the null hypothesis both classes are alike: Mann-Whitney's (n0 + n1 + 1)/(12 n0 n1)."
        if is_gaussian(self.curve):
            return f"Under the null hypothesis the classes keep their SDs, with means moved to an AUC of {self.null}."
        return "The variance is taken to be the same under the null hypothesis."

    def describe_bias(self, method: str, reference: str, share: float) -> str:
        """Return how far the number of cases by a method is off that by the reference, and why."""
        why = _BIASES[method]
        classes: Any = self.curve.negative, self.curve.positive
        if method == "hanley-mcneil" and is_gaussian(self.curve) and classes[0].std > classes[1].std:
            why += "; here the negatives do"
        if method == reference:
            return f"the reference: {why}"
        percent = f"{abs(share - 1):.0%}".replace("%", " %")
        if percent == "0 %":
            return f"as many: {why}"
        verdict = ("fewer" if share < 1 else "more") if method == "delta" else ("too few" if share < 1 else "too many")
        return f"{percent} {verdict}: {why}"


def _counts(n_positive: int, ratio: float) -> SampleSizes:
    return max(_MIN_CLASS_SIZE, ceil(round(ratio * n_positive, 9))), n_positive


def _smallest_satisfying(is_met: Callable[[int], bool]) -> int:
    """Return the first number from which on a statement holds, by halving."""
    low, high = _MIN_CLASS_SIZE - 1, _MIN_CLASS_SIZE
    while not is_met(high):
        low, high = high, 2 * high
        if high > _MAX_CLASS_SIZE:
            raise RocPredictError("this goal needs more than 10^12 cases; ask for less")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_met(middle) else (middle, high)
    while high > _MIN_CLASS_SIZE and is_met(
        high - 1
    ):  # the variances fall with every case; this holds if one should not
        high -= 1
    return high


# ---- the arguments
def _check_design(
    curve: Roc, *, against: Any, correlation: Any, fpr: Any, width: Any, power: Any, level: Any, alternative: str
) -> dict[str, Any]:
    """Return the fields of the design beside the curve."""
    other = _other_curve(against)
    null = None if other is not None or against is None else check_probability("against", against, ends=False)
    within = None if correlation is None else _check_correlation(correlation, curve, other)
    fpr = None if fpr is None else check_probability("tpr_at_fpr", fpr, ends=False)
    check_option("alternative", alternative, POWER_ALTERNATIVES)
    level = check_confidence_level(level)
    if (width is None) == (power is None):
        raise RocPredictError("give one goal: width=, or power= with against=")
    if fpr is not None and (width is None or against is not None):
        raise RocPredictError("tpr_at_fpr= is planned for by width= alone")
    if fpr is not None and any(d.atoms().points.size for d in (curve.negative, curve.positive)):
        raise RocPredictError("tpr_at_fpr= needs densities: in a sample or a point mass the curve has no slope")
    if width is None:
        target = _check_power(power, curve, other.auc() if other is not None else null, alternative, level)
    else:
        target = _check_width(width, null, alternative)
    goal = {"quantity": "power" if width is None else "width", "target": target, "level": level}
    return {"other": other, "null": null, "correlation": within, "fpr": fpr, "alternative": alternative} | goal


def _expected_curve(roc: Any, mean: Any, std: Any, auc: Any) -> Roc:
    if (mean is None) != (std is None):
        raise RocPredictError(f"{'mean' if std is None else 'std'}= goes with {'std' if std is None else 'mean'}=")
    if sum(value is not None for value in (roc, mean, auc)) != 1:
        raise RocPredictError("give one curve: a PredictedRoc, mean= with std=, or auc=")
    if auc is not None:
        roc = PredictedRoc.from_stats(effect_size=np.sqrt(2) * ndtri(check_probability("auc", auc, ends=False)))
    return _check_roc("roc", PredictedRoc.from_stats(mean=mean, std=std) if roc is None else roc)


def _other_curve(against: Any) -> Roc | None:
    """Return the second curve; None where ``against`` is a number or nothing."""
    if isinstance(against, Roc):
        return _check_roc("against", against)
    if against is None or is_scalar(against):
        return None
    negative, positive = check_pair("against", against, "an AUC, a PredictedRoc or two Gaussians")
    if not (isinstance(negative, Gaussian) and isinstance(positive, Gaussian)):
        raise RocPredictError(f"against={short_repr(against)} is not an AUC, a PredictedRoc or two Gaussians")
    return _check_roc("against", PredictedRoc(negative=negative, positive=positive))


def _check_roc(name: str, roc: Any) -> Roc[float]:
    if not isinstance(roc, Roc):
        raise RocPredictError(f"{name}={short_repr(roc)} is not a ROC; give rp.PredictedRoc or rp.empirical_roc(...)")
    if roc.shape:
        raise RocPredictError(f"{name} is a batch of shape {roc.shape}; plan for one feature at a time")
    if not 0 < roc.auc() < 1 or (
        is_gaussian(roc) and not np.any([cast(Any, d).std for d in (roc.negative, roc.positive)])
    ):
        raise RocPredictError(f"the expected AUC is {roc.auc():g}: it would not vary, and there is nothing to plan for")
    return roc


def _check_correlation(correlation: Any, curve: Roc, other: Roc | None) -> Correlation:
    if other is None:
        raise RocPredictError("correlation= needs against= to be a second curve, measured on the same cases")
    if not (is_gaussian(curve) and is_gaussian(other)):
        raise RocPredictError("correlation= needs two Gaussians for each curve; other pairs have no one joint law")
    pair = (correlation, correlation) if np.ndim(correlation) == 0 else check_pair("correlation", correlation)
    negative, positive = (float(check_finite("correlation", r)) for r in pair)
    if max(abs(negative), abs(positive)) > 1:
        raise RocPredictError(f"correlation={short_repr(correlation)} is outside [-1, 1]")
    return negative, positive


def _check_width(width: Any, null: float | None, alternative: str) -> float:
    if null is not None:
        raise RocPredictError("width= goes without a null value; against= must be a second curve here")
    if alternative != "two-sided":
        raise RocPredictError(f"alternative={alternative!r} is of a test; width= asks for an interval")
    return check_probability("width", width, ends=False)


def _check_power(power: Any, curve: Roc, against: float | None, alternative: str, level: float) -> float:
    if against is None:
        raise RocPredictError("power= needs against= to be an AUC as null hypothesis, or a second curve")
    target, gap = check_probability("power", power, ends=False), float(curve.auc() - against)
    if target <= 1 - level:
        raise RocPredictError(f"power={target:g} is no more than 1 - level = {1 - level:g}, which chance alone gives")
    if gap == 0:
        raise RocPredictError("the AUC equals that of against=: no number of cases can tell them apart")
    if alternative == "greater" and gap < 0:
        raise RocPredictError("alternative='greater' needs an AUC above that of against=; here it is below")
    return target


@dataclass(frozen=True, repr=False)
class SampleSizeByMethod(Result):
    """Sample size by another method.

    Attributes
    ----------
    method : str
    n_negative, n_positive, total : int
        What it asks for.
    achieved_reference : float
        What these numbers would give by the reference: the exact variance, of a TPR the empirical one.
    bias : str
        How far off it is, and why.
    """

    method: str
    n_negative: int
    n_positive: int
    total: int
    achieved_reference: float
    bias: str
    _text = (
        "method={method!r}, n_negative={n_negative}, n_positive={n_positive}, "
        "total={total}, achieved_reference={achieved_reference:.6g}"
    )
    _tabled = ("n_negative", "n_positive", "total", "achieved_reference", "bias")
    _heading = "Plan by {method}"


@dataclass(frozen=True, eq=False, repr=False)
class SampleSize(Result):
    """Sample size of an ROC study.

    Attributes
    ----------
    n_negative, n_positive : int
        The smallest numbers that meet the goal; of each curve where a second one has cases of its own.
    total : int
        All cases of the study.
    quantity : {"width", "power"}
        What the goal is about.
    target, achieved : float
        What was asked for, and what these whole numbers of cases give by ``method``.
    achieved_reference : float
        What they give by the reference: the exact variance, of a TPR the empirical one.
    estimate : float
        What is estimated, as predicted: the AUC, the difference of two, or the TPR.
    std_error : float
        Its standard error with these cases.
    level : float
        The confidence level; a test rejects at 1 - level.
    method : str
        The variance that was planned with.
    bias : str
        How far this method is off the reference, and why.
    goal : str
        The goal in words.
    assumptions : tuple of str
        What it rests on, in sentences.
    other_methods : tuple of SampleSizeByMethod
        What the other methods would have said, each with its bias in words.
    """

    n_negative: int
    n_positive: int
    total: int
    quantity: str
    target: float
    achieved: float
    achieved_reference: float
    estimate: float
    std_error: float
    level: float
    method: str
    bias: str
    goal: str
    assumptions: tuple[str, ...]
    other_methods: tuple[SampleSizeByMethod, ...]
    _text = (
        "n_negative={n_negative}, n_positive={n_positive}, total={total}, {quantity}={achieved:.6g}, method={method!r}"
    )

    _frame_of_table = True

    def table(self) -> Table:
        """Return the cases that each method asks for."""
        methods: tuple[SampleSize | SampleSizeByMethod, ...] = (self, *self.other_methods)
        rows = [
            [method.method, method.n_negative, method.n_positive, method.total, method.achieved_reference, method.bias]
            for method in methods
        ]
        columns = ["method", "negatives", "positives", "total", self.quantity, "against the reference"]
        achieved_text = f"{self.quantity} {format_number(self.achieved)} (asked: {format_number(self.target)})"
        notes = [
            f"By {self.method} these cases give {achieved_text}.",
            f"Estimate {format_number(self.estimate)}, standard error {format_number(self.std_error)}.",
            *self.assumptions,
        ]
        return Table(f"Cases for {self.goal}", columns, rows, {self.quantity: ".4f"}, notes)


def sample_size(
    roc: Roc[float] | None = None,
    *,
    mean: Sequence[float] | None = None,
    std: Sequence[float] | None = None,
    auc: float | None = None,
    width: float | None = None,
    power: float | None = None,
    against: float | Roc[float] | Sequence[Gaussian[float]] | None = None,
    correlation: float | Sequence[float] | None = None,
    tpr_at_fpr: float | None = None,
    alternative: Literal["two-sided", "greater"] = "two-sided",
    level: float = 0.95,
    ratio: float = 1.0,
    method: Literal["exact", "empirical", "delta", "hanley-mcneil", "obuchowski"] | None = None,
) -> SampleSize:
    """Compute the sample size of an ROC study from the classes it expects.

    Parameters
    ----------
    roc : PredictedRoc or EmpiricalRoc, optional
        The curve that the study is expected to find: predicted, or that of a pilot sample.
    mean, std : pair (negative, positive), optional
        In its place: means and standard deviations of two Gaussian classes.
    auc : float, optional
        In their place, where no more is known: Gaussian classes with equal standard deviations.
    width : float, optional
        The full width that the interval estimate +- z SE may have; of the AUC, of the difference from
        ``against`` where that is a curve, or of the TPR at ``tpr_at_fpr``.
    power : float, optional
        In place of ``width``: the probability with which the study shall tell the AUC from ``against``.
    against : float, PredictedRoc or pair of Gaussians, optional
        An AUC as null hypothesis, such as 0.5; or a second curve.
    correlation : float or pair (negative, positive), optional
        Both curves are measured on the same cases, and the two features have this correlation within each
        class. None: the second curve has cases of its own.
    tpr_at_fpr : float, optional
        Plan for the TPR at this FPR instead of the AUC.
    alternative : {"two-sided", "greater"}
        Of a test; "greater": the AUC is above ``against``.
    level : float
        Confidence level of the interval; a test rejects at 1 - level.
    ratio : float
        Negatives for each positive; their number is rounded up.
    method : {None, "exact", "empirical", "delta", "hanley-mcneil", "obuchowski"}
        The variance to plan with. None: the reference, "exact" for an AUC (of the counted AUC, for any two
        distributions) and "empirical" for a TPR. "delta": of the AUC or TPR of two fitted Gaussians.

    Returns
    -------
    SampleSize

    Raises
    ------
    RocPredictError
        No curve or two, no goal or two, an argument out of range, a method that does not apply; an estimate that
        does not vary; a goal beyond 10^12 positives.

    Notes
    -----
    The exact variance of the empirical AUC of n0 negatives and n1 positives is

        [A(1 - A) + (n1 - 1)(Q1 - A^2) + (n0 - 1)(Q2 - A^2)] / (n0 n1),

    with Q1 = P(two positives > one negative) and Q2 = P(one positive > two negatives) in closed form for two
    Gaussians. The covariance of two such AUCs of the same cases has the same form. A test against a value
    takes its null variance at that value, at 1/2 Mann-Whitney's (n0 + n1 + 1)/(12 n0 n1); a test of two curves
    takes the same variance under both hypotheses, as DeLong's does. Formulas and sources: docs/planning.md.

    Examples
    --------
    >>> sample_size(mean=(4, 8), std=(3, 2), width=0.05)
    SampleSize(n_negative=406, n_positive=406, total=812, width=0.0499985, method='exact')
    >>> sample_size(auc=0.7, power=0.9, against=0.5)
    SampleSize(n_negative=41, n_positive=41, total=82, power=0.901913, method='exact')
    """
    curve = _expected_curve(roc, mean, std, auc)
    goal: dict[str, Any] = {"width": width, "power": power, "level": level, "alternative": alternative}
    checked = _check_design(curve, against=against, correlation=correlation, fpr=tpr_at_fpr, **goal)
    design = StudyDesign(curve, auc_only=auc is not None, **checked)
    if method is not None and check_option("method", method, METHODS) not in design.variances:
        raise RocPredictError(
            f"method={method!r} does not answer this; choose one of {', '.join(map(repr, design.variances))}"
        )
    number = check_finite("ratio", ratio)
    if number.ndim or not 0 < number <= _MAX_RATIO:
        raise RocPredictError(
            f"ratio={short_repr(ratio)} is not a number above 0 (to {_MAX_RATIO:g}); give negatives for each positive"
        )
    counts = {name: design.minimal_counts(name, float(number)) for name in design.variances}
    reference = next(iter(counts))
    n_samples = 2 if design.other is not None and design.correlation is None else 1
    planned = {
        name: SampleSizeByMethod(
            name,
            *sizes,
            total=n_samples * sum(sizes),
            achieved_reference=design.achieved(reference, sizes),
            bias=design.describe_bias(name, reference, sum(sizes) / sum(counts[reference])),
        )
        for name, sizes in counts.items()
    }
    selected = method or reference
    return SampleSize(
        **asdict(planned.pop(selected)),
        quantity=design.quantity,
        target=design.target,
        achieved=design.achieved(selected, counts[selected]),
        estimate=design.estimate,
        std_error=sqrt(design.variances[selected](*counts[selected])),
        level=design.level,
        goal=design.describe_goal(),
        assumptions=tuple(design.describe_assumptions(selected, counts[selected])),
        other_methods=tuple(planned.values()),
    )
