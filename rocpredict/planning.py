"""Computation of the sample size and the power of ROC studies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, lru_cache
from math import ceil, sqrt
from typing import Any, Literal, TypeAlias, cast

import numpy as np
from scipy.special import expit, logit, ndtr, ndtri

from rocpredict.base.formatting import format_number
from rocpredict.base.progress import report_progress
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
from rocpredict.inference.expected import (
    MAX_LEVEL,
    Correlation,
    Dependence,
    ExpectedCurve,
    SharedCovariance,
    Variance,
    auc_variances,
    default_limits,
    difference_variances,
    draw_placements,
    integrate_covariance,
    is_gaussian,
    orient_classes,
    share_covariance,
    smooth_areas,
    tpr_variances,
)
from rocpredict.inference.hypotheses import ComparedQuantity
from rocpredict.roc.base import Roc
from rocpredict.roc.predicted import PredictedRoc

SampleSizes: TypeAlias = tuple[int, int]
_MAX_RATIO = 1e6
_MIN_CLASS_SIZE = 2  # smallest class size for which a variance can be estimated
_MAX_CLASS_SIZE = 10**12
_SMALL_CLASS_SIZE = 50  # in smaller classes, the normal approximation is rough
DEFAULT = "smoothed-logit"
"""Method of the default interval and the default test of an AUC, and of the difference between two AUCs."""
CURVE_DEFAULT = "dirichlet"
"""Method of the default interval of a TPR at an FPR, and of a partial AUC."""
_VARIANCES = {
    DEFAULT: "the default interval and test of empirical AUCs (smoothed logit with Student's t)",
    CURVE_DEFAULT: "the default interval of an empirical TPR or an empirical partial AUC (Dirichlet draws)",
    "exact": "exact variance of the empirical AUC under the expected distributions",
    "empirical": "large-sample variance of the empirical estimate, including the variance of the estimated threshold",
    "delta": "delta method for the estimate from two fitted Gaussians; assumes that both classes are Gaussian",
    "hanley-mcneil": "formula of Hanley and McNeil (1982), which depends only on the AUC and the class sizes",
    "obuchowski": "formula of Obuchowski and McClish (1997), which depends only on the AUC and the class sizes",
}
"""Description of the variance or the interval that each method uses."""
_BIASES = _VARIANCES | {
    "exact": "normal approximation with the exact variance",
    "empirical": "normal approximation with a large-sample variance, rough for few observations and near the corners "
    "of the curve",
    "hanley-mcneil": "exponential classes are assumed, with more variable positives",
    "obuchowski": "equal standard deviations are assumed; the correlation of the curve parameters is ignored",
}
"""Reason why the sample size by each method differs from the sample size by the default interval or test."""
METHODS = tuple(_VARIANCES)
POWER_ALTERNATIVES = ("two-sided", "greater")
_MIN_EXPECTED_ERRORS = 10  # smallest n min(AUC, 1 - AUC) for the formula, n in the smaller class
_MIN_FORMULA_SIZE = 50  # smallest size of the smaller class for the formula
_MAX_SIMULATED_VALUES = 1_500_000
_N_STUDIES = 10_000, 4_000, 1_500  # numbers of simulated studies, by increasing size of the study
_N_QUANTILES = 2**14  # number of quantiles of each distribution from which simulated studies are drawn
_DEVIATIONS = readonly_array(np.linspace(-5, 5, 401))  # deviations of an estimate in standard errors
_CURVE_RESOLUTION = 0.005  # relative resolution of the number of positives, below the Monte Carlo error
_AUC = ComparedQuantity()


@lru_cache(maxsize=16)
def _quantiles(distribution: Distribution) -> FloatArray:
    return np.asarray(distribution.ppf((np.arange(_N_QUANTILES) + 0.5) / _N_QUANTILES))


@dataclass(frozen=True)
class StudyDesign:
    """Design of a study that is planned for the width of a confidence interval or for the power of a test.

    Attributes
    ----------
    curve : Roc
        Expected curve.
    other : Roc or None
        Second curve.
    null : float or None
        AUC under the null hypothesis, or None if there is a second curve or no test.
    correlation : pair of float or None
        Correlation of the two features among the negatives and among the positives, if both features are measured on
        the same observations.
    estimated : ComparedQuantity
        Quantity that the study estimates: AUC, partial AUC or TPR at an FPR.
    quantity : {"width", "power"}
        Whether the study is planned for the width of a confidence interval or for the power of a test.
    target : float or None
        Target width or power; None if the numbers of observations are given instead.
    level : float
        Confidence level; tests use a significance level of 1 - level.
    alternative : {"two-sided", "greater"}
        Alternative hypothesis.
    auc_only : bool
        True if only the AUC of the expected curve is known.
    """

    curve: Roc
    other: Roc | None
    null: float | None
    correlation: Correlation | None
    estimated: ComparedQuantity
    quantity: str
    target: float | None
    level: float
    alternative: str
    auc_only: bool

    @cached_property
    def estimate(self) -> float:
        """Expected value of the quantity that the study estimates."""
        if self.estimated.fpr is not None:
            return float(self.curve.tpr_at_fpr(self.estimated.fpr))
        if self.estimated.rate_range is not None:
            return float(self.curve.partial_auc(**self._range_argument))
        return float(self.curve.auc()) - (0.0 if self.other is None else float(self.other.auc()))

    @cached_property
    def variances(self) -> dict[str, Variance]:
        """Functions that compute the variance of the estimate, one for each method; ``reference`` comes first."""
        if self._expected_curve is not None:
            variances = self._curve_variances(self._expected_curve)
            return {CURVE_DEFAULT: variances["empirical"]} | variances
        if self.other is not None:
            variances = difference_variances(self.curve, self.other, self.correlation)
        else:
            variances = auc_variances(self.curve)
        return {DEFAULT: variances["exact"]} | variances

    def _curve_variances(self, expected: ExpectedCurve) -> dict[str, Variance]:
        """Return functions that compute the variance of the TPR or of the partial AUC, one for each method."""
        if self.estimated.fpr is not None:
            return tpr_variances(self.curve, self.estimated.fpr)
        variances: dict[str, Variance] = {"empirical": expected.area_variance}
        if is_gaussian(self.curve):
            curve, options = self.curve, self._range_argument

            def fitted(*counts: int) -> float:
                pair: Any = {"negative": curve.negative, "positive": curve.positive, "direction": curve.direction}
                return float(PredictedRoc(**pair, count=counts).partial_auc_std_error(**options, method="delta")) ** 2

            variances["delta"] = fitted
        return variances

    @cached_property
    def null_variances(self) -> dict[str, Variance]:
        """Functions that compute the variance of the estimate under the null hypothesis, one for each method."""
        return self.variances if self.null is None else auc_variances(self.curve, self.null)

    @cached_property
    def _expected_curve(self) -> ExpectedCurve | None:
        """Expected curve with the FPR range of the estimated quantity, or None if this quantity is an AUC."""
        if self.estimated == _AUC:
            return None
        axis, limits = next(iter(self._range_argument.items()))
        return ExpectedCurve.from_roc(self.curve, axis, *limits)

    @property
    def _range_argument(self) -> dict[str, Any]:
        """Range of rates as a keyword argument of ``partial_auc``; for a TPR at an FPR, both limits are equal."""
        rate_range = self.estimated.rate_range
        if rate_range is None:
            return {"fpr": (self.estimated.fpr, self.estimated.fpr)}
        return {rate_range.axis: (float(rate_range.low), float(rate_range.high))}

    @property
    def reference(self) -> str:
        """Method of the default interval and of the default test."""
        return next(iter(self.variances))

    def achieved(self, method: str, counts: SampleSizes) -> float:
        """Return the mean width of the interval, or the power of the test, for the given class sizes.

        The reference method uses the default interval and test. With all other methods, the interval is the estimate ±
        z standard errors, and the power is the probability that the null hypothesis is rejected in the expected
        direction.
        """
        if method == self.reference:
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
        """Covariances between two (negative, positive) comparisons, within each curve and between the two curves."""
        same = [
            share_covariance(roc, roc, (1.0, 1.0)) if is_gaussian(roc) else integrate_covariance(*orient_classes(roc))
            for roc in self._rocs
        ]
        if self.correlation is None or self.other is None:
            return same, SharedCovariance(0.0, 0.0, 0.0)
        return same, share_covariance(self.curve, self.other, self.correlation)

    def has_formula(self, counts: SampleSizes) -> bool:
        """Return True if the classes are large enough for the formula: see the Notes of ``sample_size``."""
        if self._expected_curve is not None:
            return False
        areas = np.array([float(roc.auc()) for roc in self._rocs])
        errors = min(counts) * np.minimum(areas, 1 - areas).min()
        return bool(min(counts) >= _MIN_FORMULA_SIZE and errors >= _MIN_EXPECTED_ERRORS)

    def _expected(self, counts: SampleSizes) -> float:
        """Compute the mean width or the power under the assumption that the logit of the estimate is normal.

        For an estimated AUC A, the expected variance of the placement values is multiplied by A(1 - A)/(C(1 - C)),
        where C is the expected AUC. For two AUCs, the deviation of each AUC from its expected value is predicted by
        linear regression on the deviation of their difference.
        """
        same, both = self._covariances
        centres = [float(roc.auc()) for roc in self._rocs]
        variances, shared = [part.covariance(*counts) for part in same], both.covariance(*counts)
        std_error = sqrt(max(sum(variances) - 2 * shared * (len(same) - 1), 0.0))
        areas, squares, scales = [], [], []
        for sign, centre, part, variance in zip((1, -1), centres, same, variances, strict=False):
            slope = sign * (variance - shared) / (std_error * centre * (1 - centre))
            estimate = expit(logit(centre) + slope * _DEVIATIONS)
            scale = estimate * (1 - estimate) / (centre * (1 - centre))
            within = part.placement_variances(*counts)
            squares.append([(n - 1) * part * scale for n, part in zip(counts, within, strict=True)])
            areas.append(smooth_areas(estimate, squares[-1], counts))
            scales.append(scale)
        shared_scale = np.sqrt(np.prod(scales, axis=0))
        joint = both.placement_variances(*counts)
        products = [(n - 1) * part * shared_scale for n, part in zip(counts, joint, strict=True)]
        low, high = self._limits(areas, squares, products, counts)
        if self.quantity == "width":
            weights = np.exp(-(_DEVIATIONS**2) / 2)
            return float(weights @ (high - low) / weights.sum())
        low, high, null = np.maximum.accumulate(low), np.maximum.accumulate(high), self.null or 0.0
        above = float(ndtr(-np.interp(null, low, _DEVIATIONS, right=np.inf)))
        if self.alternative == "greater":
            return above
        return above + float(ndtr(np.interp(null, high, _DEVIATIONS, left=-np.inf)))

    def simulated(self, counts: SampleSizes) -> tuple[float, float]:
        """Return the mean width or the power in simulated studies, and the Monte Carlo standard error of the result."""
        if self._expected_curve is not None:
            if counts not in self._simulations:
                self._simulations[counts] = self._expected_curve.simulate_limits(counts, self.level).mean_width()
            return cast(tuple[float, float], self._simulations[counts])
        low, high = self._simulations.get(counts) or self._simulations.setdefault(counts, self._simulate(counts))
        if self.quantity == "width":
            values: Any = high - low
        else:
            null = self.null or 0.0
            values = (low > null) | ((high < null) & (self.alternative == "two-sided"))
        return float(values.mean()), float(values.std() / sqrt(len(values)))

    @cached_property
    def _simulations(self) -> dict[SampleSizes, tuple[Any, Any]]:
        return {}

    def _simulate(self, counts: SampleSizes) -> tuple[FloatArray, FloatArray]:
        """Return the limits of the default interval in each simulated study.

        A larger simulated study contains the observations of every smaller one, so that the results change smoothly
        with the sample size.
        """
        report_progress(len(self._simulations), 0)
        n_studies = next((n for n in _N_STUDIES if n * sum(counts) <= _MAX_SIMULATED_VALUES), _N_STUDIES[-1])
        deviations, areas, squares = [], [], []
        for index, roc in enumerate(self._rocs):
            pair = orient_classes(roc)
            tied = any(d.atoms().points.size for d in pair)
            values = [
                self._draw(index, label, d, (n, n_studies))
                for label, (d, n) in enumerate(zip(pair, counts, strict=True))
            ]
            placements = draw_placements(*values, tied=tied)
            estimate = placements[1].mean(axis=1)
            deviations.append([part - estimate[:, None] for part in placements])
            squares.append([(part**2).sum(axis=1) for part in deviations[-1]])
            areas.append(smooth_areas(estimate, squares[-1], counts))
        products = [np.sum(np.prod(parts, axis=0), axis=1) for parts in zip(*deviations, strict=True)]
        cubes = [np.sum(np.subtract(*parts) ** 3, axis=1) for parts in zip(*deviations, strict=True) if len(parts) > 1]
        return self._limits(areas, squares, products, counts, cubes)

    def _limits(
        self,
        areas: list[Any],
        squares: list[Any],
        products: list[Any],
        counts: SampleSizes,
        cubes: Sequence[Any] = (0.0, 0.0),
    ) -> tuple[FloatArray, FloatArray]:
        """Return the limits of the default interval in each study, for many studies at once."""
        dependence = None if self.other is None else Dependence.unpaired(areas)
        if self.correlation is not None:
            dependence = Dependence.paired(areas, squares, products, counts, cubes=cubes)
        # level of the two-sided interval that excludes the null values that the test rejects, and no others
        level = self.level if self.alternative == "two-sided" else max(2 * self.level - 1, 1e-9)
        return default_limits(areas, dependence, level)

    def _draw(self, index: int, label: int, distribution: Distribution, shape: tuple[int, int]) -> FloatArray:
        """Draw the values of one class in all simulated studies, shape (studies, n)."""
        uniform = np.random.default_rng([label, index]).random(shape).T
        if self.correlation is None:
            return _quantiles(distribution)[(uniform * _N_QUANTILES).astype(np.intp)]
        assert isinstance(distribution, Gaussian)
        scores = ndtri(uniform)
        if index:
            sign = -1 if (self.curve.direction == "lower") != (self._rocs[1].direction == "lower") else 1
            r, first = sign * self.correlation[label], ndtri(np.random.default_rng([label, 0]).random(shape).T)
            scores = r * first + sqrt(1 - r * r) * scores
        return np.asarray(distribution.mean + distribution.std * scores)

    def minimal_counts(self, method: str, ratio: float) -> SampleSizes:
        """Return the smallest class sizes that meet the goal, with ``ratio`` negatives (rounded up) per positive."""
        if not 0 < self.variances[method](*_counts(_MIN_CLASS_SIZE, ratio)) < float("inf"):
            raise RocPredictError(
                "the estimate has a variance of 0 or infinity: a class is constant, or both curves are the same; "
                "pass distributions with a positive standard deviation, or two different curves"
            )

        def is_met(n_positive: int) -> bool:
            achieved = self.achieved(method, _counts(n_positive, ratio))
            assert self.target is not None
            return achieved <= self.target if self.quantity == "width" else achieved >= self.target

        if method != self.reference:
            return _counts(_smallest_satisfying(is_met), ratio)
        # Simulations are slow, so the search starts from the result of a formula.
        if method == DEFAULT:
            return _counts(_smallest_satisfying(is_met, self.minimal_counts("exact", ratio)[1]), ratio)
        start = self.minimal_counts("empirical", ratio)[1]
        return _counts(_smallest_satisfying(is_met, start, resolution=_CURVE_RESOLUTION), ratio)

    def describe_goal(self) -> str:
        """Return a description of the goal of the study."""
        quantity = f"the {self.estimated.name} ({format_number(self.estimate)})"
        if self.estimated == _AUC:
            quantity = f"the AUC ({format_number(float(self.curve.auc()))})"
        other = f"{self.null}"
        if self.other is not None:
            other = f"the AUC of a second curve ({format_number(float(self.other.auc()))})"
        if self.quantity == "power":
            test = f"with a {self.alternative} test at the {100 * (1 - self.level):.4g}% significance level"
            power = "the power" if self.target is None else f"a power of {self.target:g}"
            return f"{power} to distinguish {quantity} from {other} {test}"
        interval = quantity if self.other is None else f"the difference between {quantity} and {other}"
        return f"a {100 * self.level:g}% confidence interval for {interval} with a width of {self.target:g}"

    def describe_assumptions(self, method: str, counts: SampleSizes) -> Iterator[str]:
        """Yield the assumptions behind the result, one sentence at a time."""
        if self.auc_only:
            yield (
                "Both classes are assumed to be Gaussian with equal standard deviations, because only the AUC is given."
            )
        else:
            assumed = "Gaussian," if is_gaussian(self.curve) else "distributed"
            yield (
                f"Both classes are assumed to be {assumed} as you specified; the result is only as good as this "
                "assumption."
            )
        yield f"Method: {_VARIANCES[method]}."
        if self.correlation is not None:
            negative, positive = self.correlation
            yield (
                "Both features are measured on the same observations and are bivariate Gaussian within each class, "
                f"with correlations of {negative:g} (negative) and {positive:g} (positive)."
            )
        elif self.other is not None:
            yield "The second curve comes from other observations, with the same numbers of negatives and positives."
        if method == self.reference:
            yield self._describe_computation(counts)
            return
        if self.quantity == "width":
            yield (
                "The interval is the estimate ± z standard errors. "
                "In about half of all studies, it is wider than planned."
            )
        else:
            yield self._describe_null(method)
        if min(counts) < _SMALL_CLASS_SIZE:
            yield (
                f"With fewer than {_SMALL_CLASS_SIZE} observations in a class, the normal approximation is rough; "
                f"method={self.reference!r} does not use it."
            )

    def _describe_computation(self, counts: SampleSizes) -> str:
        quantity = "mean width" if self.quantity == "width" else "power"
        if self.has_formula(counts):
            return f"The {quantity} is computed by a formula that agrees with simulation at these sample sizes."
        error = format_number(self.simulated(counts)[1])
        return f"The {quantity} is computed from simulated studies, with a Monte Carlo standard error of {error}."

    def _describe_null(self, method: str) -> str:
        if self.other is not None:
            return "The variance of the difference is the same under the null hypothesis, as in DeLong's test."
        if method != "exact":
            return f"Under the null hypothesis, the same formula holds with an AUC of {self.null}."
        if self.null == 0.5:
            return (
                "Under the null hypothesis, both classes have the same distribution, with the Mann-Whitney variance "
                "(n0 + n1 + 1)/(12 n0 n1)."
            )
        if is_gaussian(self.curve):
            return (
                "Under the null hypothesis, the standard deviations of the classes are as specified, and the means are "
                f"such that the AUC is {self.null}."
            )
        return "The variance is the same under the null hypothesis."

    def describe_bias(self, method: str, share: float) -> str:
        """Describe how a method's sample size differs from the sample size of the reference method, and why."""
        why = _BIASES[method]
        classes: Any = self.curve.negative, self.curve.positive
        if method == "hanley-mcneil" and is_gaussian(self.curve) and classes[0].std > classes[1].std:
            why += "; here the negatives vary more"
        if method == self.reference:
            return f"reference: {why}"
        if self.target is None:
            return f"different formula: {why}"
        percent = f"{abs(share - 1):.0%}"
        if percent == "0%":
            return f"same sample size: {why}"
        return f"{percent} {'fewer' if share < 1 else 'more'} than the reference: {why}"


def _counts(n_positive: int, ratio: float) -> SampleSizes:
    return max(_MIN_CLASS_SIZE, ceil(round(ratio * n_positive, 9))), n_positive


def _smallest_satisfying(
    is_met: Callable[[int], bool], start: int = _MIN_CLASS_SIZE, *, resolution: float = 0.0
) -> int:
    """Return the smallest integer for which a condition holds, by bisection from ``start``.

    If the condition holds for an integer, it must hold for all larger integers. The result may exceed the smallest such
    integer by up to ``resolution`` times the result.
    """
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
                raise RocPredictError(
                    "this goal needs more than 10^12 positives; pass a larger width, a smaller power, or an expected "
                    "AUC farther from against="
                )
    while high - low > max(1, resolution * high):
        middle = (low + high) // 2
        low, high = (low, middle) if is_met(middle) else (middle, high)
    return high


# ---- arguments
def _make_design(
    curve: Roc,
    method: Any,
    *,
    auc_only: bool,
    against: Any,
    correlation: Any,
    level: Any,
    alternative: str,
    estimated: ComparedQuantity = _AUC,
    width: Any = None,
    power: Any = None,
    is_planned: bool = False,
) -> StudyDesign:
    """Return the design, after checking the arguments; ``is_planned`` is True if the class sizes are given."""
    other = _other_curve(against)
    null = None if other is not None or against is None else check_probability("against", against, ends=False)
    within = None if correlation is None else _check_correlation(correlation, curve, other)
    check_option("alternative", alternative, POWER_ALTERNATIVES)
    level = check_confidence_level(level)
    if (width is None) == (power is None) and not is_planned:
        received = "neither width= nor power= was passed" if width is None else "both width= and power= were passed"
        raise RocPredictError(f"{received}; pass width=, or power= with against=")
    if estimated != _AUC:
        _check_estimated(estimated, curve, level, width=width, against=against)
    if width is None:
        compared = null if other is None else float(other.auc())
        target: float | None = _check_power(power, curve, compared, alternative, level)
    else:
        target = _check_width(width, null, alternative, estimated.band_width)
    quantity = "power" if width is None else "width"
    design = StudyDesign(curve, other, null, within, estimated, quantity, target, level, alternative, auc_only)
    if method is not None and check_option("method", method, METHODS) not in design.variances:
        allowed = ", ".join(map(repr, design.variances))
        raise RocPredictError(f"method={method!r} is not available for this design; choose one of {allowed}")
    return design


def _check_estimated(estimated: ComparedQuantity, curve: Roc, level: float, *, width: Any, against: Any) -> None:
    """Check whether a study of a TPR at an FPR or of a partial AUC can be planned with the given arguments."""
    fpr = estimated.fpr
    if fpr is not None:
        check_probability("tpr_at_fpr", fpr, ends=False)
    name = "tpr_at_fpr" if fpr is not None else cast(Any, estimated.rate_range).axis
    if width is None or against is not None:
        raise RocPredictError(
            f"with {name}=, a study can be planned only for the width of a confidence interval; pass width=, and omit "
            "power= and against="
        )
    if any(d.atoms().points.size for d in (curve.negative, curve.positive)):
        problem = f"{name}= needs two continuous distributions, not samples or point masses"
        raise RocPredictError(f"{problem}; pass a fitted PredictedRoc")
    if level > MAX_LEVEL:
        limit = f"{MAX_LEVEL:.6g}, the highest level of Dirichlet intervals"
        raise RocPredictError(f"level={level} is above {limit}; pass a lower level")


def _expected_curve(roc: Any, mean: Any, std: Any, auc: Any) -> Roc:
    """Return the expected curve, which is specified by exactly one of ``roc``, ``mean`` with ``std``, and ``auc``."""
    if (mean is None) != (std is None):
        passed, missing = ("std", "mean") if mean is None else ("mean", "std")
        raise RocPredictError(f"{passed}= is passed without {missing}=; pass both")
    if (n_curves := sum(value is not None for value in (roc, mean, auc))) != 1:
        raise RocPredictError(
            f"{n_curves} curves are passed; pass exactly one: a PredictedRoc, mean= with std=, or auc="
        )
    if auc is not None:
        roc = PredictedRoc.from_stats(effect_size=np.sqrt(2) * ndtri(check_probability("auc", auc, ends=False)))
    return _check_roc("roc", PredictedRoc.from_stats(mean=mean, std=std) if roc is None else roc)


def _other_curve(against: Any) -> Roc | None:
    """Return the second curve, or None if ``against`` is a number or None."""
    if isinstance(against, Roc):
        return _check_roc("against", against)
    if against is None or is_scalar(against):
        return None
    negative, positive = check_pair("against", against, "an AUC, a PredictedRoc or a pair of Gaussians")
    if not (isinstance(negative, Gaussian) and isinstance(positive, Gaussian)):
        raise RocPredictError(f"against={short_repr(against)} is not an AUC, a PredictedRoc or a pair of Gaussians")
    return _check_roc("against", PredictedRoc(negative=negative, positive=positive))


def _check_roc(name: str, roc: Any) -> Roc[float]:
    if not isinstance(roc, Roc):
        raise RocPredictError(
            f"{name}={short_repr(roc)} is not a ROC curve; pass rp.empirical_roc(...) or an rp.PredictedRoc"
        )
    if roc.shape:
        raise RocPredictError(f"{name} is a batch of shape {roc.shape}; pass the curve of one feature")
    if not 0 < roc.auc() < 1 or (
        is_gaussian(roc) and not np.any([cast(Any, d).std for d in (roc.negative, roc.positive)])
    ):
        raise RocPredictError(f"the AUC of {name}, {roc.auc():g}, has no sampling variation; pass overlapping classes")
    return roc


def _check_correlation(correlation: Any, curve: Roc, other: Roc | None) -> Correlation:
    if other is None:
        raise RocPredictError("correlation= needs a second curve for the same observations; pass it as against=")
    if not (is_gaussian(curve) and is_gaussian(other)):
        raise RocPredictError(
            "correlation= requires Gaussian classes for both curves; pass PredictedRocs with Gaussian classes"
        )
    pair = (correlation, correlation) if np.ndim(correlation) == 0 else check_pair("correlation", correlation)
    negative, positive = (float(check_finite("correlation", r)) for r in pair)
    if max(abs(negative), abs(positive)) > 1:
        raise RocPredictError(
            f"correlation={short_repr(correlation)} is outside [-1, 1]; pass correlations from -1 to 1"
        )
    return negative, positive


def _check_width(width: Any, null: float | None, alternative: str, largest: float) -> float:
    if null is not None:
        raise RocPredictError(
            f"width= cannot be combined with against={null}, because a confidence interval has no null value; omit "
            "against=, pass a second curve, or pass power= instead of width="
        )
    if alternative != "two-sided":
        raise RocPredictError(f"alternative={alternative!r} applies only to a test; omit it when passing width=")
    checked = check_probability("width", width, ends=False)
    if checked >= largest:
        problem = f"width={width} is not below {largest:g}, the width of the range of rates"
        raise RocPredictError(f"{problem}; pass a smaller width")
    return checked


def _check_power(power: Any, curve: Roc, against: float | None, alternative: str, level: float) -> float | None:
    if against is None:
        name = "power" if power is None else "power="
        raise RocPredictError(f"{name} needs against=; pass the AUC under the null hypothesis or a second curve")
    gap = float(curve.auc() - against)
    target = None if power is None else check_probability("power", power, ends=False)
    if target is not None and target <= 1 - level:
        problem = f"power={target:g} is not above the significance level 1 - level = {1 - level:g}"
        raise RocPredictError(f"{problem}; pass a larger power")
    if gap == 0:
        raise RocPredictError(
            f"against= equals the expected AUC {against:g}, so no sample size can reach the requested power; "
            "pass another AUC"
        )
    if alternative == "greater" and gap < 0:
        raise RocPredictError(
            f"the expected AUC is {curve.auc():g}; alternative='greater' needs an AUC above against={against:g}"
        )
    return target


@dataclass(frozen=True, repr=False)
class SampleSizeByMethod(Result):
    """Sample size, or power for a given sample size, computed by a method other than the selected one.

    Attributes
    ----------
    method : str
        Name of the method.
    n_negative, n_positive, total : int
        Numbers of negatives and positives, and total number of observations, as required by this method. For ``power``,
        these are the given numbers.
    achieved : float
        Width or power computed by this method for these numbers of observations.
    achieved_reference : float
        Width of the default interval, or power of the default test, for the same numbers of observations.
    bias : str
        Comparison with the sample size required by the reference method (see ``sample_size``), and the reason for the
        difference.
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
    _heading = "Sample size by {method}"


@dataclass(frozen=True, eq=False, repr=False)
class SampleSize(Result):
    """Sample size of a ROC study, or power of a study with a given sample size.

    Attributes
    ----------
    n_negative, n_positive : int
        Numbers of negatives and positives: the smallest numbers that meet the goal or, for ``power``, the given
        numbers. If the two curves have separate observations, these are the numbers for each curve.
    total : int
        Total number of observations in the study.
    quantity : {"width", "power"}
        Whether the study is planned for the width of a confidence interval or for the power of a test.
    target : float or None
        Target width or power; None if the numbers of observations were given instead.
    achieved : float
        Mean width of the interval, or power of the test, computed by ``method``.
    achieved_reference : float
        Mean width of the default interval, or power of the default test, for the same numbers of observations.
    mc_error : float
        Monte Carlo standard error of ``achieved_reference``; 0 if ``achieved_reference`` is computed by a formula.
    estimate : float
        Expected value of the quantity that the study estimates: AUC, difference between two AUCs, partial AUC or TPR.
    std_error : float
        Standard error of the estimate for these numbers of observations.
    level : float
        Confidence level; tests use a significance level of 1 - level.
    method : str
        Method by which the sample size is computed.
    bias : str
        Comparison with the sample size required by the reference method (see ``sample_size``), and the reason for the
        difference.
    goal : str
        Description of the goal.
    assumptions : tuple of str
        Assumptions behind the result, one sentence per item.
    other_methods : tuple of SampleSizeByMethod
        Sample sizes, or power, computed by each of the methods other than ``method``.
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
        "n_negative={n_negative}, n_positive={n_positive}, total={total}, achieved={achieved:.6g} ({quantity}), "
        "method={method!r}"
    )

    _frame_of_table = True

    def table(self) -> Table:
        """Return a table with the sample size, or the power, computed by each method."""
        methods: tuple[SampleSize | SampleSizeByMethod, ...] = (self, *self.other_methods)
        rows = [
            [
                *(method.method, method.n_negative, method.n_positive, method.total),
                method.achieved if self.target is None else method.achieved_reference,
                method.bias,
            ]
            for method in methods
        ]
        columns = ["method", "negatives", "positives", "total", self.quantity, "compared with the reference"]
        goal = "" if self.target is None else f" (goal {format_number(self.target)})"
        notes = [
            f"With method {self.method}, the {self.quantity} is {format_number(self.achieved)}{goal}.",
            f"Estimate {format_number(self.estimate)}, standard error {format_number(self.std_error)}.",
            *self.assumptions,
        ]
        title = self.goal[0].upper() + self.goal[1:] if self.target is None else f"Sample size for {self.goal}"
        return Table(title, columns, rows, {self.quantity: ".4f"}, notes)


def _summarize(design: StudyDesign, counts: dict[str, SampleSizes], method: str | None) -> SampleSize:
    """Return the result, from the numbers of observations that each method requires."""
    n_samples = 2 if design.other is not None and design.correlation is None else 1
    planned = {
        name: SampleSizeByMethod(
            name,
            *sizes,
            total=n_samples * sum(sizes),
            achieved=design.achieved(name, sizes),
            achieved_reference=design.achieved(design.reference, sizes),
            bias=design.describe_bias(name, sum(sizes) / sum(counts[design.reference])),
        )
        for name, sizes in counts.items()
    }
    selected = method or design.reference
    sizes = counts[selected]
    return SampleSize(
        **asdict(planned.pop(selected)),
        quantity=design.quantity,
        target=design.target,
        mc_error=0.0 if design.has_formula(sizes) else design.simulated(sizes)[1],
        estimate=design.estimate,
        std_error=sqrt(design.variances[selected](*sizes)),
        level=design.level,
        goal=design.describe_goal(),
        assumptions=tuple(design.describe_assumptions(selected, sizes)),
        other_methods=tuple(planned.values()),
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
    fpr: tuple[float, float] | None = None,
    tpr: tuple[float, float] | None = None,
    tpr_at_fpr: float | None = None,
    alternative: Literal["two-sided", "greater"] = "two-sided",
    level: float = 0.95,
    ratio: float = 1.0,
    method: Literal["smoothed-logit", "dirichlet", "exact", "empirical", "delta", "hanley-mcneil", "obuchowski"]
    | None = None,
) -> SampleSize:
    """Compute the sample size of a ROC study from the expected distributions of both classes.

    Parameters
    ----------
    roc : PredictedRoc or EmpiricalRoc, optional
        Expected curve: a predicted curve, or the empirical curve of a pilot sample. Pass either ``roc``, or ``mean``
        and ``std``, or ``auc``.
    mean, std : pair of float, optional
        Means and standard deviations of two Gaussian classes, each as a pair (negative, positive).
    auc : float, optional
        Expected AUC in (0, 1). Both classes are then assumed to be Gaussian with equal standard deviations.
    width : float, optional
        Target width: the mean distance between the lower and the upper limit of the default confidence interval. By
        default, this is the confidence interval for the AUC. If ``against`` is a curve, the sample size is planned for
        the confidence interval for the difference between the two AUCs. With ``fpr``, ``tpr`` or ``tpr_at_fpr``, it is
        planned for the confidence interval for the partial AUC or the TPR. Pass either ``width`` or ``power``.
    power : float, optional
        Target power: the probability that the default test rejects the null hypothesis. The null hypothesis is that the
        AUC is equal to ``against`` or, if ``against`` is a curve, that both curves have the same AUC.
    against : float, Roc or pair of Gaussian, optional
        AUC under the null hypothesis, such as 0.5, or a second curve with which the expected curve is compared.
    correlation : float or pair of float, optional
        Correlation of the two features among the negatives and among the positives, if both features are measured on
        the same observations. A single value applies to both classes. By default, the two curves come from different
        observations.
    fpr, tpr : (low, high), optional
        Range of FPR or TPR over which a partial AUC is estimated (see ``roc.partial_auc``). The sample size is then
        planned for this partial AUC.
    tpr_at_fpr : float, optional
        FPR at which the TPR is estimated; the sample size is then planned for this TPR.
    alternative : {"two-sided", "greater"}, default="two-sided"
        Alternative hypothesis of the test:

        * "two-sided": the AUC differs from ``against``.
        * "greater": the AUC is above ``against``.
    level : float, default=0.95
        Confidence level of the interval, in (0, 1). Tests use a significance level of 1 - ``level``.
    ratio : float, default=1.0
        Number of negatives for each positive. The number of negatives is rounded up.
    method : str, optional
        Method by which the sample size is computed. The default is the reference method, which uses the default
        interval or the default test. All methods except "smoothed-logit" and "dirichlet" use a normal approximation.
        The methods are:

        * "smoothed-logit": default interval and default test of an empirical AUC, or of the difference between two
          AUCs.
        * "dirichlet": default interval of an empirical partial AUC, or of an empirical TPR at an FPR.
        * "exact": exact variance of the empirical AUC, for any two distributions.
        * "empirical": large-sample variance of the empirical partial AUC, or of the empirical TPR at an FPR.
        * "delta": delta-method variance of an estimate that is computed from two fitted Gaussians.
        * "hanley-mcneil", "obuchowski": formulas in which the variance depends only on the AUC and the class sizes.

    Returns
    -------
    SampleSize

    Raises
    ------
    RocPredictError
        If not exactly one curve is passed, or not exactly one of ``width`` and ``power``. If an argument is out of
        range, or ``method`` does not apply to the design. If the estimate has no sampling variation, or the goal needs
        more than 10^12 positives.

    Notes
    -----
    For an AUC or a difference between two AUCs, the mean width and the power of the default method are computed by a
    formula if the samples are large. This formula assumes that the logit of the estimated AUC is normally distributed;
    the default interval is computed from the expected variance of the placement values. The mean width is the width of
    this interval averaged over the normal distribution of the logit. The power is the probability that the default test
    rejects the null hypothesis. The formula is used if the smaller class has n >= 50 observations and
    n min(AUC, 1 - AUC) >= 10. Under these conditions, the formula agrees with simulations to within 2% of the width or
    2 percentage points of power. In all other cases, 1,500 to 10,000 studies are simulated with a fixed seed.

    For a partial AUC or a TPR at an FPR, 1,000 to 2,500 studies are simulated with a fixed seed. The search for the
    sample size has a resolution of 0.5%. The Monte Carlo error of a width is 0.5 to 1.5%, and the resulting error of
    the sample size is about twice as large. For a TPR, the large-sample variance (method "empirical") is accurate to 2%
    if about 300 or more observations of each class are expected on each side of the threshold. For a partial AUC near a
    corner of the curve, the large-sample variance is too small by 5% or more, even with 10,000 observations in each
    class.

    The exact variance of the empirical AUC A for n0 negatives and n1 positives is

        [A(1 - A) + (n1 - 1)(Q1 - A^2) + (n0 - 1)(Q2 - A^2)] / (n0 n1),

    where Q1 is the probability that two random positives both exceed one random negative, and Q2 is the probability
    that one random positive exceeds both of two random negatives. For two Gaussians, Q1 and Q2 can be computed in
    closed form. A formula of the same form gives the covariance of two AUCs that are estimated from the same
    observations. All formulas are in the documentation ("Sample size and power").

    References
    ----------
    .. [1] J. A. Hanley, B. J. McNeil (1982), The meaning and use of the area under a receiver operating characteristic
       (ROC) curve, Radiology 143, 29-36.
    .. [2] N. A. Obuchowski, D. K. McClish (1997), Sample size determination for diagnostic accuracy studies involving
       binormal ROC curve indices, Statistics in Medicine 16, 1529-1542.

    Examples
    --------
    >>> sample_size(mean=(4, 8), std=(3, 2), width=0.05)
    SampleSize(n_negative=412, n_positive=412, total=824, achieved=0.0499484 (width), method='smoothed-logit')
    >>> sample_size(auc=0.7, power=0.9, against=0.5)
    SampleSize(n_negative=44, n_positive=44, total=88, achieved=0.9072 (power), method='smoothed-logit')
    >>> sample_size(auc=0.9, width=0.3, tpr_at_fpr=0.1)
    SampleSize(n_negative=104, n_positive=104, total=208, achieved=0.298809 (width), method='dirichlet')
    """
    curve = _expected_curve(roc, mean, std, auc)
    options: dict[str, Any] = {"against": against, "correlation": correlation, "alternative": alternative}
    options |= {"width": width, "power": power, "estimated": ComparedQuantity.from_arguments(fpr, tpr, tpr_at_fpr)}
    design = _make_design(curve, method, auc_only=auc is not None, level=level, **options)
    number = check_finite("ratio", ratio)
    if number.ndim or not 0 < number <= _MAX_RATIO:
        raise RocPredictError(f"ratio={short_repr(ratio)} is not a number in (0, {_MAX_RATIO:g}]")
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
    """Compute the power of a test of an AUC, or of the difference between two AUCs, for a given sample size.

    Parameters
    ----------
    roc, mean, std, auc, against, correlation : optional
        Expected curve and null hypothesis (see ``sample_size``); ``against`` is required.
    count : pair of int
        Numbers of negatives and of positives, each at least 2. If the two curves have separate observations, these are
        the numbers for each curve.
    alternative : {"two-sided", "greater"}, default="two-sided"
        Alternative hypothesis; see ``sample_size``.
    level : float, default=0.95
        Confidence level; the test uses a significance level of 1 - ``level``.
    method : {"smoothed-logit", "exact", "delta", "hanley-mcneil", "obuchowski"}, optional
        Method by which the power is computed; see ``sample_size``. By default, "smoothed-logit".

    Returns
    -------
    SampleSize
        Result in which ``achieved`` is the power computed by ``method``. If studies were simulated, ``mc_error`` is the
        Monte Carlo standard error of ``achieved_reference``, the power of the default test.

    Raises
    ------
    RocPredictError
        If a class has fewer than 2 observations, or for any of the reasons listed in ``sample_size``.

    See Also
    --------
    sample_size : Sample size for a given power or width.

    Examples
    --------
    >>> power(mean=(4, 8), std=(3, 2), count=(50, 50), against=0.8)
    SampleSize(n_negative=50, n_positive=50, total=100, achieved=0.2837 (power), method='smoothed-logit')
    """
    curve = _expected_curve(roc, mean, std, auc)
    options: dict[str, Any] = {"against": against, "correlation": correlation, "alternative": alternative}
    design = _make_design(curve, method, auc_only=auc is not None, level=level, **options, is_planned=True)
    sizes = tuple(int(check_int("count", n)) for n in check_pair("count", count))
    if min(sizes) < _MIN_CLASS_SIZE:
        problem = f"count={short_repr(count)} has a class of fewer than {_MIN_CLASS_SIZE} observations"
        raise RocPredictError(f"{problem}; pass {_MIN_CLASS_SIZE} or more for each class")
    return _summarize(design, dict.fromkeys(design.variances, cast(SampleSizes, sizes)), method)
