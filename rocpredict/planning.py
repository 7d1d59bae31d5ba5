"""Sample size and power of an ROC study."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, lru_cache
from math import ceil, sqrt
from typing import Any, Literal, TypeAlias, cast

import numpy as np
from scipy.special import expit, logit, ndtr, ndtri

from rocpredict.base.formatting import format_number
from rocpredict.base.rates import check_confidence_level, normal_critical_value
from rocpredict.base.results import Result
from rocpredict.base.tables import Table
from rocpredict.base.validation import (
    FloatArray,
    RocPredictError,
    check_finite,
    check_int,
    check_option,
    check_pair,
    check_probability,
    is_scalar,
    readonly_array,
    short_repr,
)
from rocpredict.distributions.base import Distribution
from rocpredict.distributions.gaussian import Gaussian
from rocpredict.inference.expected_areas import (
    Correlation,
    SharedCovariance,
    Variance,
    auc_variances,
    default_limits,
    difference_variances,
    draw_placements,
    integrate_covariance,
    is_gaussian,
    orient_classes,
    paired_df,
    share_covariance,
    smooth_areas,
    tpr_variances,
    unpaired_df,
)
from rocpredict.roc.base import Roc
from rocpredict.roc.predicted import PredictedRoc

SampleSizes: TypeAlias = tuple[int, int]
_MAX_RATIO = 1e6
_MIN_CLASS_SIZE = 2  # cases of a class, for a variance to be estimated
_MAX_CLASS_SIZE = 10**12
_SMALL_CLASS_SIZE = 50  # cases of a class, below which the normal approximation is rough
DEFAULT = "smoothed-logit"
"""Method of the default interval and test of the AUC, and of the difference of two."""
_VARIANCES = {
    DEFAULT: "the default interval and test of empirical curves, smoothed logit with Student's t",
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
_MIN_EXPECTED_ERRORS = 10  # n min(A, 1 - A) of the smaller class, from which the formula holds
_MIN_FORMULA_SIZE = 50  # observations of the smaller class, from which the formula holds
_MAX_SIMULATED_VALUES = 1_500_000
_N_STUDIES = 10_000, 4_000, 1_500  # simulated at once, by how many values that takes
_N_QUANTILES = 2**14  # of a distribution, which studies are drawn from
_DEVIATIONS = readonly_array(np.linspace(-5, 5, 401))  # of the estimate, in standard errors


@lru_cache(maxsize=16)
def _quantiles(distribution: Distribution) -> FloatArray:
    return np.asarray(distribution.ppf((np.arange(_N_QUANTILES) + 0.5) / _N_QUANTILES))


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
    target: float | None
    """None where the counts are given, and no goal."""
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
            variances = difference_variances(self.curve, self.other, self.correlation)
        else:
            variances = auc_variances(self.curve)
        return {DEFAULT: variances["exact"]} | variances

    @cached_property
    def null_variances(self) -> dict[str, Variance]:
        """The variances under the null hypothesis."""
        return self.variances if self.null is None else auc_variances(self.curve, self.null)

    def achieved(self, method: str, counts: SampleSizes) -> float:
        """Return the width of the interval at these counts, or the power of the test.

        By the default method they are those of the default interval. By others the interval is +- z SE, and the
        power that to reject to the right side.
        """
        if method == DEFAULT:
            return self._expected(counts) if self.has_formula(counts) else self.simulated(counts)[0]
        z = normal_critical_value(self.level) if self.alternative == "two-sided" else float(ndtri(self.level))
        std_error = sqrt(self.variances[method](*counts))
        if self.quantity == "width":
            return 2 * z * std_error
        gap = abs(self.estimate - (self.null or 0.0))
        return float(ndtr((gap - z * sqrt(self.null_variances[method](*counts))) / std_error))

    # ---- the default interval
    @property
    def _rocs(self) -> list[Roc]:
        return [self.curve] if self.other is None else [self.curve, self.other]

    @cached_property
    def _covariances(self) -> tuple[list[SharedCovariance], SharedCovariance]:
        """Covariances of the comparisons of each curve, and of both curves."""
        same = [
            share_covariance(roc, roc, (1.0, 1.0)) if is_gaussian(roc) else integrate_covariance(*orient_classes(roc))
            for roc in self._rocs
        ]
        if self.correlation is None or self.other is None:
            return same, SharedCovariance(0.0, 0.0, 0.0)
        return same, share_covariance(self.curve, self.other, self.correlation)

    def has_formula(self, counts: SampleSizes) -> bool:
        """Return whether the formula agrees with simulation: to 2 % of the width, or 2 points of power."""
        areas = np.array([float(roc.auc()) for roc in self._rocs])
        errors = min(counts) * np.minimum(areas, 1 - areas).min()
        return bool(min(counts) >= _MIN_FORMULA_SIZE and errors >= _MIN_EXPECTED_ERRORS)

    def _expected(self, counts: SampleSizes) -> float:
        """Return the expected width or the power, the estimate being normal on the logit scale.

        The placements vary as expected, in proportion to A(1 - A); two areas deviate together as their regression on
        the difference has it.
        """
        same, both = self._covariances
        centres = [float(roc.auc()) for roc in self._rocs]
        variances, shared = [part.covariance(*counts) for part in same], both.covariance(*counts)
        std_error = sqrt(max(sum(variances) - 2 * shared * (len(same) - 1), 0.0))
        areas, spreads = [], []
        for sign, centre, part, variance in zip((1, -1), centres, same, variances, strict=False):
            slope = sign * (variance - shared) / (std_error * centre * (1 - centre))
            estimate = expit(logit(centre) + slope * _DEVIATIONS)
            scale = estimate * (1 - estimate) / (centre * (1 - centre))
            spreads.append(part.placement_variances(*counts))
            squares = [(n - 1) * spread * scale for n, spread in zip(counts, spreads[-1], strict=True)]
            areas.append(smooth_areas(estimate, squares, counts))
        correlation: FloatArray = np.asarray(0.0)
        df: Any = areas[0].df
        if self.correlation is not None:
            joint = both.placement_variances(*counts)
            covariance = sum(part / n for part, n in zip(joint, counts, strict=True))
            correlation = np.clip(covariance / np.sqrt(areas[0].variance * areas[1].variance), -1, 1)
            parts = zip(counts, *spreads, joint, strict=True)
            df = paired_df([(n - 1) * (one + two - 2 * product) for n, one, two, product in parts], counts)
        elif self.other is not None:
            df = unpaired_df(areas)
        low, high = default_limits(areas, correlation, df, self._interval_level)
        if self.quantity == "width":
            weights = np.exp(-(_DEVIATIONS**2) / 2)
            return float(weights @ (high - low) / weights.sum())
        low, high, null = np.maximum.accumulate(low), np.maximum.accumulate(high), self.null or 0.0
        above = float(ndtr(-np.interp(null, low, _DEVIATIONS, right=np.inf)))
        if self.alternative == "greater":
            return above
        return above + float(ndtr(np.interp(null, high, _DEVIATIONS, left=-np.inf)))

    def simulated(self, counts: SampleSizes) -> tuple[float, float]:
        """Return the mean width or the power over simulated studies, and its Monte-Carlo standard error."""
        low, high = self._simulations.get(counts) or self._simulations.setdefault(counts, self._simulate(counts))
        if self.quantity == "width":
            values: Any = high - low
        else:
            null = self.null or 0.0
            values = (low > null) | ((high < null) & (self.alternative == "two-sided"))
        return float(values.mean()), float(values.std() / sqrt(len(values)))

    @cached_property
    def _simulations(self) -> dict[SampleSizes, tuple[FloatArray, FloatArray]]:
        return {}

    def _simulate(self, counts: SampleSizes) -> tuple[FloatArray, FloatArray]:
        """Return the ends of the default interval in each of many simulated studies.

        A study of more observations begins with those of a smaller one, so that the number changes little else.
        """
        few = _N_STUDIES[-1]
        n_studies = next((n for n in _N_STUDIES if n * sum(counts) <= _MAX_SIMULATED_VALUES), few)
        placements, areas = [], []
        for index, roc in enumerate(self._rocs):
            pair = orient_classes(roc)
            tied = any(d.atoms().points.size for d in pair)
            values = [
                self._draw(index, label, d, (n, n_studies))
                for label, (d, n) in enumerate(zip(pair, counts, strict=True))
            ]
            placements.append(draw_placements(*values, tied=tied))
            estimate = placements[-1][1].mean(axis=1)
            squares = [((part - estimate[:, None]) ** 2).sum(axis=1) for part in placements[-1]]
            areas.append(smooth_areas(estimate, squares, counts))
        correlation: FloatArray = np.asarray(0.0)
        df: Any = areas[0].df
        if self.correlation is not None:
            deviations = [[p - p.mean(axis=1, keepdims=True) for p in pair] for pair in placements]
            squares = [((one - other) ** 2).sum(axis=1) for one, other in zip(*deviations, strict=True)]
            products = [(one * other).sum(axis=1) for one, other in zip(*deviations, strict=True)]
            covariance = sum(part / (n * (n - 1)) for part, n in zip(products, counts, strict=True))
            std_errors = np.sqrt(areas[0].variance * areas[1].variance)
            correlation, df = np.clip(covariance / std_errors, -1, 1), paired_df(squares, counts)
        elif self.other is not None:
            df = unpaired_df(areas)
        return default_limits(areas, correlation, df, self._interval_level)

    def _draw(self, index: int, label: int, distribution: Distribution, shape: tuple[int, int]) -> FloatArray:
        """Draw the values of one class, shape (studies, n)."""
        uniform = np.random.default_rng([label, index]).random(shape).T
        if self.correlation is None:
            return _quantiles(distribution)[(uniform * _N_QUANTILES).astype(np.intp)]
        assert isinstance(distribution, Gaussian)
        scores = ndtri(uniform)
        if index:
            turned = -1 if (self.curve.direction == "lower") != (self._rocs[1].direction == "lower") else 1
            r, first = turned * self.correlation[label], ndtri(np.random.default_rng([label, 0]).random(shape).T)
            scores = r * first + sqrt(1 - r * r) * scores
        return np.asarray(distribution.mean + distribution.std * scores)

    @property
    def _interval_level(self) -> float:
        """Level of the interval that leaves out what the test rejects."""
        return self.level if self.alternative == "two-sided" else max(2 * self.level - 1, 1e-9)

    def minimal_counts(self, method: str, ratio: float) -> SampleSizes:
        """Return the fewest positives that meet the goal, with ``ratio`` negatives for each, rounded up."""
        if not 0 < self.variances[method](*_counts(_MIN_CLASS_SIZE, ratio)) < float("inf"):
            raise RocPredictError(
                "this estimate has no variance to plan for: a class is without spread, or both curves are one"
            )

        def is_met(n_positive: int) -> bool:
            achieved = self.achieved(method, _counts(n_positive, ratio))
            assert self.target is not None
            return achieved <= self.target if self.quantity == "width" else achieved >= self.target

        if method != DEFAULT:
            return _counts(_smallest_satisfying(is_met), ratio)
        near = self.minimal_counts("exact", ratio)[1]  # where the search begins: a simulated study takes its time
        return _counts(_smallest_satisfying(is_met, near), ratio)

    def describe_goal(self) -> str:
        """Return the goal in words."""
        quantity = f"the AUC ({self.curve.auc():.6g})"
        if self.fpr is not None:
            quantity = f"the TPR ({self.estimate:.6g}) at FPR {self.fpr:g}"
        other = f"{self.null}" if self.other is None else f"that of a second curve ({self.other.auc():.6g})"
        if self.quantity == "power":
            test = f"by a {self.alternative} test at the {100 * (1 - self.level):.4g} % significance level"
            power = "the power" if self.target is None else f"a power of {self.target:g}"
            return f"{power} to tell {quantity} from {other} {test}"
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
        if method == DEFAULT:
            yield self._describe_computation(counts)
            return
        if self.quantity == "width":
            yield "The interval is the estimate +- z SE; about half of such studies find it somewhat wider."
        else:
            yield self._describe_null(method)
        if min(counts) < _SMALL_CLASS_SIZE:
            yield (
                f"Below {_SMALL_CLASS_SIZE} cases in a class the normal approximation is rough: simulate such a study."
            )

    def _describe_computation(self, counts: SampleSizes) -> str:
        quantity = "mean width over studies" if self.quantity == "width" else "power"
        if self.has_formula(counts):
            return f"The {quantity} is computed by a formula, which agrees with simulation here."
        error = format_number(self.simulated(counts)[1])
        return f"The {quantity} is that of simulated studies, with a Monte-Carlo standard error of {error}."

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
        """Return how far the number of observations by a method is off that by the reference, and why."""
        why = _BIASES[method]
        classes: Any = self.curve.negative, self.curve.positive
        if method == "hanley-mcneil" and is_gaussian(self.curve) and classes[0].std > classes[1].std:
            why += "; here the negatives do"
        if method == reference:
            return f"the reference: {why}"
        if self.target is None:
            return f"its own formula: {why}"
        percent = f"{abs(share - 1):.0%}".replace("%", " %")
        if percent == "0 %":
            return f"as many: {why}"
        verdict = ("fewer" if share < 1 else "more") if method == "delta" else ("too few" if share < 1 else "too many")
        return f"{percent} {verdict}: {why}"


def _counts(n_positive: int, ratio: float) -> SampleSizes:
    return max(_MIN_CLASS_SIZE, ceil(round(ratio * n_positive, 9))), n_positive


def _smallest_satisfying(is_met: Callable[[int], bool], start: int = _MIN_CLASS_SIZE) -> int:
    """Return the first number from which on a condition holds, by halving, from a number near it."""
    low, high = _MIN_CLASS_SIZE - 1, max(start, _MIN_CLASS_SIZE)
    step = max(1, high // 8)
    if start > _MIN_CLASS_SIZE and is_met(high):
        while high - step > low and is_met(high - step):
            high, step = high - step, 2 * step
        low = max(low, high - step)
    else:
        step = max(step, high // 2) if start == _MIN_CLASS_SIZE else step
        while not is_met(high):
            low, high, step = high, high + step, 2 * step
            if high > _MAX_CLASS_SIZE:
                raise RocPredictError("this goal needs more than 10^12 cases; ask for less")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_met(middle) else (middle, high)
    return high


# ---- the arguments
def _check_design(
    curve: Roc,
    *,
    against: Any,
    correlation: Any,
    level: Any,
    alternative: str,
    fpr: Any = None,
    width: Any = None,
    power: Any = None,
    is_planned: bool = False,
) -> dict[str, Any]:
    """Return the fields of the design beside the curve; there is no goal if the counts are planned already."""
    other = _other_curve(against)
    null = None if other is not None or against is None else check_probability("against", against, ends=False)
    within = None if correlation is None else _check_correlation(correlation, curve, other)
    fpr = None if fpr is None else check_probability("tpr_at_fpr", fpr, ends=False)
    check_option("alternative", alternative, POWER_ALTERNATIVES)
    level = check_confidence_level(level)
    if (width is None) == (power is None) and not is_planned:
        raise RocPredictError("give one goal: width=, or power= with against=")
    if fpr is not None and (width is None or against is not None):
        raise RocPredictError("tpr_at_fpr= is planned for by width= alone")
    if fpr is not None and any(d.atoms().points.size for d in (curve.negative, curve.positive)):
        raise RocPredictError("tpr_at_fpr= needs densities: in a sample or a point mass the curve has no slope")
    if width is None:
        compared = null if other is None else float(other.auc())
        target: float | None = _check_power(power, curve, compared, alternative, level)
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


def _check_power(power: Any, curve: Roc, against: float | None, alternative: str, level: float) -> float | None:
    if against is None:
        name = "power" if power is None else "power="
        raise RocPredictError(f"{name} needs against= to be an AUC as null hypothesis, or a second curve")
    gap = float(curve.auc() - against)
    target = None if power is None else check_probability("power", power, ends=False)
    if target is not None and target <= 1 - level:
        raise RocPredictError(f"power={target:g} is no more than 1 - level = {1 - level:g}, which chance alone gives")
    if gap == 0:
        raise RocPredictError("the AUC equals that of against=: no number of cases can tell them apart")
    if alternative == "greater" and gap < 0:
        raise RocPredictError("alternative='greater' needs an AUC above that of against=; here it is below")
    return target


@dataclass(frozen=True, repr=False)
class SampleSizeByMethod(Result):
    """Sample size, or power, by another method.

    Attributes
    ----------
    method : str
    n_negative, n_positive, total : int
        The numbers of observations by this method; of ``power`` those that were given.
    achieved : float
        Width or power that these numbers give by this method.
    achieved_reference : float
        What they give by the reference: the default interval and test, of a TPR the empirical variance.
    bias : str
        How far off the method is, and why.
    """

    method: str
    n_negative: int
    n_positive: int
    total: int
    achieved: float
    achieved_reference: float
    bias: str
    _text = (
        "method={method!r}, n_negative={n_negative}, n_positive={n_positive}, "
        "total={total}, achieved_reference={achieved_reference:.6g}"
    )
    _tabled = ("n_negative", "n_positive", "total", "achieved", "achieved_reference", "bias")
    _heading = "Plan by {method}"


@dataclass(frozen=True, eq=False, repr=False)
class SampleSize(Result):
    """Sample size of an ROC study, or the power of a study whose size is given.

    Attributes
    ----------
    n_negative, n_positive : int
        The smallest numbers that meet the goal, or those that were given; of each curve where a second one has
        observations of its own.
    total : int
        All observations of the study.
    quantity : {"width", "power"}
        What the goal is about.
    target : float or None
        What was asked for; None where the numbers were given.
    achieved : float
        Mean width of the interval, or power of the test, that these numbers give by ``method``.
    achieved_reference : float
        What they give by the reference: the default interval and test, of a TPR the empirical variance.
    mc_error : float
        Monte-Carlo standard error of ``achieved_reference``; 0 where it is computed by a formula.
    estimate : float
        What is estimated, as predicted: the AUC, the difference of two, or the TPR.
    std_error : float
        Its standard error with these numbers.
    level : float
        The confidence level; a test rejects at 1 - level.
    method : str
        The method that was planned with.
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
    target: float | None
    achieved: float
    achieved_reference: float
    mc_error: float
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
        """Return the observations that each method asks for, or the power by each."""
        methods: tuple[SampleSize | SampleSizeByMethod, ...] = (self, *self.other_methods)
        rows = [
            [
                *(method.method, method.n_negative, method.n_positive, method.total),
                method.achieved if self.target is None else method.achieved_reference,
                method.bias,
            ]
            for method in methods
        ]
        columns = ["method", "negatives", "positives", "total", self.quantity, "against the reference"]
        goal = "" if self.target is None else f" (asked: {format_number(self.target)})"
        notes = [
            f"By {self.method} these cases give {self.quantity} {format_number(self.achieved)}{goal}.",
            f"Estimate {format_number(self.estimate)}, standard error {format_number(self.std_error)}.",
            *self.assumptions,
        ]
        title = self.goal[0].upper() + self.goal[1:] if self.target is None else f"Cases for {self.goal}"
        return Table(title, columns, rows, {self.quantity: ".4f"}, notes)


def _summarize(design: StudyDesign, counts: dict[str, SampleSizes], method: str | None) -> SampleSize:
    """Return the result for the counts by each method, the reference first."""
    reference = next(iter(counts))
    n_samples = 2 if design.other is not None and design.correlation is None else 1
    planned = {
        name: SampleSizeByMethod(
            name,
            *sizes,
            total=n_samples * sum(sizes),
            achieved=design.achieved(name, sizes),
            achieved_reference=design.achieved(reference, sizes),
            bias=design.describe_bias(name, reference, sum(sizes) / sum(counts[reference])),
        )
        for name, sizes in counts.items()
    }
    selected = method or reference
    is_simulated = reference == DEFAULT and not design.has_formula(counts[selected])
    return SampleSize(
        **asdict(planned.pop(selected)),
        quantity=design.quantity,
        target=design.target,
        mc_error=design.simulated(counts[selected])[1] if is_simulated else 0.0,
        estimate=design.estimate,
        std_error=sqrt(design.variances[selected](*counts[selected])),
        level=design.level,
        goal=design.describe_goal(),
        assumptions=tuple(design.describe_assumptions(selected, counts[selected])),
        other_methods=tuple(planned.values()),
    )


def _check_method(method: Any, design: StudyDesign) -> None:
    if method is not None and check_option("method", method, METHODS) not in design.variances:
        raise RocPredictError(
            f"method={method!r} does not answer this; choose one of {', '.join(map(repr, design.variances))}"
        )


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
    method: Literal["smoothed-logit", "exact", "empirical", "delta", "hanley-mcneil", "obuchowski"] | None = None,
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
        The full width that the interval shall have on average: the default interval of the AUC, or of the difference
        from ``against`` where that is a curve. By other methods that of estimate +- z SE, also of the TPR at
        ``tpr_at_fpr``.
    power : float, optional
        In place of ``width``: the probability with which the default test shall reject ``against``.
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
    method : {None, "smoothed-logit", "exact", "empirical", "delta", "hanley-mcneil", "obuchowski"}
        None: the reference, for an AUC or a difference "smoothed-logit", the default interval and test of empirical
        curves, for a TPR "empirical". The others plan with a normal distribution and a variance: "exact" that of the
        empirical AUC of any two distributions, "delta" that of the AUC or TPR of two fitted Gaussians.

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
    The default interval is that of expected placements, averaged over a normal distribution of the logit of the AUC,
    from 50 observations and 10 expected errors, n min(AUC, 1 - AUC), of the smaller class on: there it agrees with
    simulation to 2 % of the width or 2 points of power. Elsewhere 1,500 to 10,000 seeded studies are simulated.
    The exact variance of the empirical AUC of n0 negatives and n1 positives is

        [A(1 - A) + (n1 - 1)(Q1 - A^2) + (n0 - 1)(Q2 - A^2)] / (n0 n1),

    with Q1 = P(two positives > one negative) and Q2 = P(one positive > two negatives) in closed form for two
    Gaussians. The covariance of two such AUCs of the same cases has the same form. Formulas and sources:
    docs/planning.md.

    Examples
    --------
    >>> sample_size(mean=(4, 8), std=(3, 2), width=0.05)
    SampleSize(n_negative=412, n_positive=412, total=824, width=0.0499484, method='smoothed-logit')
    >>> sample_size(auc=0.7, power=0.9, against=0.5)
    SampleSize(n_negative=44, n_positive=44, total=88, power=0.9072, method='smoothed-logit')
    """
    curve = _expected_curve(roc, mean, std, auc)
    goal: dict[str, Any] = {"width": width, "power": power, "level": level, "alternative": alternative}
    checked = _check_design(curve, against=against, correlation=correlation, fpr=tpr_at_fpr, **goal)
    design = StudyDesign(curve, auc_only=auc is not None, **checked)
    _check_method(method, design)
    number = check_finite("ratio", ratio)
    if number.ndim or not 0 < number <= _MAX_RATIO:
        raise RocPredictError(
            f"ratio={short_repr(ratio)} is not a number above 0 (to {_MAX_RATIO:g}); give negatives for each positive"
        )
    counts = {name: design.minimal_counts(name, float(number)) for name in design.variances}
    return _summarize(design, counts, method)


def power(
    roc: Roc[float] | None = None,
    *,
    mean: Sequence[float] | None = None,
    std: Sequence[float] | None = None,
    auc: float | None = None,
    count: Sequence[int],
    against: float | Roc[float] | Sequence[Gaussian[float]],
    correlation: float | Sequence[float] | None = None,
    alternative: Literal["two-sided", "greater"] = "two-sided",
    level: float = 0.95,
    method: Literal["smoothed-logit", "exact", "delta", "hanley-mcneil", "obuchowski"] | None = None,
) -> SampleSize:
    """Compute the power of the default test of an AUC, or of the difference of two, for the observations one has.

    Parameters
    ----------
    roc, mean, std, auc, against, correlation, alternative, level
        As in ``sample_size``.
    count : pair (negative, positive)
        Observations of each class, 2 or more; of each curve where a second one has observations of its own.
    method : {None, "smoothed-logit", "exact", "delta", "hanley-mcneil", "obuchowski"}
        As in ``sample_size``.

    Returns
    -------
    SampleSize
        ``achieved`` is the power; ``mc_error`` its Monte-Carlo standard error where studies were simulated.

    Raises
    ------
    RocPredictError
        As in ``sample_size``; counts below 2.

    Examples
    --------
    >>> power(mean=(4, 8), std=(3, 2), count=(50, 50), against=0.8)
    SampleSize(n_negative=50, n_positive=50, total=100, power=0.2837, method='smoothed-logit')
    """
    curve = _expected_curve(roc, mean, std, auc)
    options: dict[str, Any] = {"against": against, "correlation": correlation, "level": level}
    checked = _check_design(curve, **options, alternative=alternative, is_planned=True)
    design = StudyDesign(curve, auc_only=auc is not None, **checked)
    _check_method(method, design)
    sizes = tuple(int(check_int("count", n)) for n in check_pair("count", count))
    if min(sizes) < _MIN_CLASS_SIZE:
        raise RocPredictError(f"count={short_repr(count)}: a class needs {_MIN_CLASS_SIZE} observations or more")
    return _summarize(design, dict.fromkeys(design.variances, cast(SampleSizes, sizes)), method)
