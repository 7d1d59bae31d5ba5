"""Uncertainty of ROC curves: confidence bands, and intervals and tests of empirical curves."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv, expit

from rocpredict.base.formatting import format_number
from rocpredict.base.rates import ConfusionCounts, clopper_pearson, normal_critical_value, wilson_limits
from rocpredict.base.results import Flags, Interval, Result
from rocpredict.base.tables import CurvePlot, thin_curve
from rocpredict.base.validation import (
    ArrayOrFloat,
    FloatArray,
    RocPredictError,
    check_option,
    check_probabilities,
    readonly_array,
    short_repr,
    to_scalar,
)
from rocpredict.distributions.ecdf import Ecdf
from rocpredict.inference import intervals
from rocpredict.inference.bootstrap import (
    BootstrapOptions,
    bootstrap_areas,
    bootstrap_thresholds,
    bootstrap_tpr,
    expand_weights,
    percentile_interval,
)
from rocpredict.inference.curve_draws import class_columns, draw_rates, draws_interval
from rocpredict.inference.hypotheses import AucTest, Hypothesis, empirical_auc_test
from rocpredict.inference.placements import (
    Placements,
    RateRange,
    check_total_weight,
    compute_placements,
    partial_placements,
)
from rocpredict.solvers.base import ROUNDING, Solver
from rocpredict.solvers.empirical import EmpiricalSolver, OperatingPoints
from rocpredict.solvers.families import solver_for
from rocpredict.solvers.thresholds import ThresholdCriterion, ThresholdStability, correct_ameans, find_best_threshold

KINDS = ("pointwise", "simultaneous")
"""Kinds of confidence bands; the first is the default."""
TPR_METHODS = ("dirichlet", "bootstrap", "hilgers")
"""Methods for the interval of the TPR at an FPR; the first is the default."""
THRESHOLD_METHODS = ("test-inversion", "bootstrap")
"""Methods for the interval of the best threshold; the first, the default, is only available for weighted criteria."""
AMEANS_METHOD = "optimism-corrected"
_GRID = readonly_array(np.arange(201) / 200)  # correctly rounded, as the FPRs of empirical curves are
_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
_LEVELS = (0.01, 0.1, 0.3, 0.5, 0.68, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999)
_CRITICAL_VALUES = (0.01, 0.101, 0.305, 0.53, 0.778, 1.003, 1.292, 1.545, 1.84, 2.046, 2.234, 2.64)
"""Critical value of the local tests of thresholds at each of the levels: about 0.79 times the normal quantile.

Near the best threshold, the empirical utility tends to a path Z(t) = W(t) - t^2 of a two-sided Brownian motion W with
drift. M is the maximum of Z, T the location of this maximum, and 0 the true best threshold. For each simulated path,
(M - Z(c))/sqrt(|T - c|) is minimized over the points c that 0 separates from T. The values are quantiles of these
minima over 1,300,000 paths. For t of 1e-6 or more, the steps of a path are 0.4 to 1% of t. The maximum within a step is
drawn from its distribution. Monte Carlo standard errors are at most 0.0025 up to level 0.99, and 0.007 above.
"""
_FARTHEST_CRITICAL_VALUE = 10.0, 8.4
"""A normal quantile, and its critical value extrapolated with a slope of 0.86, which tends to 0.887 for high levels."""
_CONTINUITY_CORRECTION = 0.4
"""Number of observations subtracted from a count for Wilson's lower limit.

The best threshold lies next to an observation that favors it and therefore counts against every other threshold on
this side. A correction of 1/2 makes the confidence set wider; without correction, its coverage is too low in skewed
classes.
"""


@dataclass(frozen=True, eq=False, repr=False)
class ConfidenceBand(Result):
    """Confidence band of a ROC curve.

    Attributes
    ----------
    fpr : array of shape (k,)
        FPRs of the band.
    tpr : array of shape (k,)
        TPR of the estimated curve. On a vertical segment, it is the highest TPR.
    low, high : arrays of shape (k,)
        Limits of the band.
    level : float
        Confidence level.
    kind : {"pointwise", "simultaneous"}
        With probability ``level``, a pointwise band contains the TPR at one FPR chosen beforehand, and a simultaneous
        band contains the whole curve.
    method : str
        Method of the band.
    flags : Flags
        Flags of degenerate inputs and of replaced methods.
    """

    fpr: FloatArray
    tpr: FloatArray
    low: FloatArray
    high: FloatArray
    level: float
    kind: str
    method: str
    flags: Flags = field(default_factory=Flags)
    _long = True
    _heading = "ROC curve with its {kind} band of level {level:g} by {method}"
    _text = "{kind}, {length} points, level={level:g}, method={method!r}, mean_width={mean_width:.4g}{flag_text}"

    @property
    def mean_width(self) -> float:
        """Mean of high - low over the FPRs of the band."""
        return float(np.mean(self.high - self.low))

    def contains(self, curve: Any) -> bool:
        """Return whether a curve is inside the band at every FPR of the band.

        Parameters
        ----------
        curve : Roc or function
            ROC curve of one feature, or a function from FPRs of shape (k,) to TPRs of shape (k,).

        Returns
        -------
        bool

        Raises
        ------
        RocPredictError
            If ``curve`` is neither a ROC curve of one feature nor a function.
        """
        tpr_function = getattr(curve, "tpr_at_fpr", curve)
        if not callable(tpr_function):
            raise RocPredictError(f"curve={short_repr(curve)} is not a curve; pass a ROC curve or a function of FPRs")
        tpr = np.asarray(tpr_function(self.fpr))
        return bool(np.all((self.low <= tpr) & (tpr <= self.high)))

    def __len__(self) -> int:
        return len(self.fpr)

    def _plot(self) -> CurvePlot:
        curves = [thin_curve(self.fpr, part) for part in (self.tpr, self.low, self.high)]
        return CurvePlot(f"ROC curve; dashed: its {self.kind} band of level {self.level:g}", curves)

    def _notes(self) -> list[str]:
        return [f"Mean width {format_number(self.mean_width)}, {len(self)} FPRs."]


class Uncertainty(ABC):
    """Uncertainty of one ROC curve of the rule "positive when x >= threshold".

    Partial areas are fractions of the width of their range of rates.
    """

    negative: Any
    positive: Any
    is_empirical: ClassVar[bool]

    @cached_property
    def solver(self) -> Solver:
        """Solver of the two classes."""
        return solver_for(self.negative, self.positive)

    def band(self, fpr: ArrayLike | None, level: float, kind: str, method: str | None) -> ConfidenceBand:
        """Return the confidence band of the curve of one feature."""
        check_option("kind", kind, KINDS)
        if self.solver.shape:
            raise RocPredictError(
                f"this is a batch of ROC curves of shape {self.solver.shape}; request the band of one feature at a time"
            )
        grid = _GRID if fpr is None else check_probabilities("fpr", fpr)
        if grid.ndim != 1 or not grid.size:
            raise RocPredictError(
                f"fpr={short_repr(fpr)} has shape {grid.shape}; pass an array of shape (k,) with k >= 1"
            )
        return self._band(readonly_array(grid), level, kind, method)

    @abstractmethod
    def _band(self, fpr: FloatArray, level: float, kind: str, method: str | None) -> ConfidenceBand:
        """Return the band at the given FPRs, shape (k,)."""

    def _kolmogorov_smirnov_band(
        self, total: tuple[float, float], fpr: FloatArray, level: float, kind: str, *, fallback: bool = False
    ) -> ConfidenceBand:
        """Return the band of Campbell (1994).

        With probability ``level``, the true FPR at every threshold differs from its estimate by at most the first
        critical value, and the true TPR by at most the second. The curve is then between TPR(FPR - first) - second and
        TPR(FPR + first) + second.
        """
        right, up = (kolmogorov_critical_value(np.sqrt(level), n) for n in total)
        before, after = fpr - right, fpr + right
        low = np.where(before >= 0, self.solver.along("fpr", np.maximum(before, 0)) - up, 0.0)
        high = np.where(after < 1, self.solver.along("fpr", np.minimum(after, 1)) + up, 1.0)
        low, high = np.where(fpr == 1, 1.0, np.maximum(low, 0)), np.minimum(high, 1)
        flags = Flags(fallback=fallback, single_observation=min(total) <= 1)
        return ConfidenceBand(fpr, self.solver.along("fpr", fpr), low, high, level, kind, "kolmogorov-smirnov", flags)


def area_function(rate_range: RateRange | None) -> Callable[[Solver], FloatArray]:
    """Return the function that computes the AUC, or the area over a range of rates as a fraction of its width."""
    if rate_range is None:
        return Solver.auc
    limits = np.asarray(rate_range.low), np.asarray(rate_range.high)
    return lambda solver: np.asarray(solver.area(rate_range.axis, *limits) / rate_range.width)


def kolmogorov_critical_value(level: float, total: float) -> float:
    """Return the quantile of the largest distance of an empirical cdf from the true cdf.

    The quantile is exact for a continuous distribution; with ties the distances are smaller. A fractional total is
    rounded down.
    """
    from scipy.stats import kstwo

    return float(kstwo.ppf(level, max(1, int(total))))


@dataclass(frozen=True)
class EmpiricalUncertainty(Uncertainty):
    """Uncertainty of an empirical ROC curve."""

    negative: Ecdf
    positive: Ecdf
    resampling: BootstrapOptions
    is_empirical = True

    @cached_property
    def solver(self) -> EmpiricalSolver:
        """Solver of the two samples."""
        return EmpiricalSolver(self.negative, self.positive)

    @property
    def class_sizes(self) -> tuple[float, float]:
        """Numbers of observations of each class."""
        return self.negative.total, self.positive.total

    @cached_property
    def _expanded(self) -> tuple[Ecdf, Ecdf]:
        """Both samples, with whole weights as repeated observations."""
        return expand_weights(self.negative), expand_weights(self.positive)

    def area_std_error(self, rate_range: RateRange | None, method: str | None) -> Any:
        """Return the standard error of an area."""
        replicate = partial(bootstrap_areas, *self._expanded, rate_range, self.resampling)
        return intervals.auc_std_error(self.placements(rate_range), method, replicate)

    def area_interval(self, rate_range: RateRange | None, level: float, method: str | None) -> Interval[Any]:
        """Return the interval of an area."""
        if rate_range is not None:
            check_option("method", method, (None, "dirichlet", *intervals.PARTIAL_AUC_METHODS))
            if method in {None, "dirichlet"}:
                return self._drawn_interval(rate_range, np.zeros(()), level)
        replicate = partial(bootstrap_areas, *self._expanded, rate_range, self.resampling)
        return intervals.auc_interval(self.placements(rate_range), level, method, replicate)

    def auc_test(self, null: Any, method: str | None, claim: Hypothesis, level: float, direction: str) -> AucTest:
        """Test the AUC against a value."""
        rows: dict[str, Any] = {"n": self.class_sizes, "direction": (direction,), "flags": Flags()}
        areas = self.placements(None)
        return empirical_auc_test(areas, self._expanded, null, method, claim=claim, level=level, **rows)

    def tpr_at_fpr_interval(self, fpr: FloatArray, level: float, method: str | None) -> Interval[Any]:
        """Return the interval of the TPR at each of the given FPRs."""
        method = check_option("method", method, (None, *TPR_METHODS)) or TPR_METHODS[0]
        if method == "dirichlet":
            return self._drawn_interval(None, fpr, level)
        limits, is_flat = self._hilgers_limits(fpr, level), np.zeros(fpr.shape, dtype=bool)
        if method == "bootstrap":
            replicates = bootstrap_tpr(*self._expanded, fpr.ravel(), self.resampling)
            resampled = [np.reshape(limit, fpr.shape) for limit in percentile_interval(replicates, level)]
            is_flat = (resampled[0] == resampled[1]) & (fpr < 1)  # at FPR 1 the TPR is always 1
            limits = np.where(is_flat, limits[0], resampled[0]), np.where(is_flat, limits[1], resampled[1])
        low, high, estimate = (to_scalar(part) for part in (*limits, self.solver.along("fpr", fpr)))
        return Interval(low, high, level, "hilgers" if is_flat.all() else method, estimate, Flags(fallback=is_flat))

    def _drawn_interval(self, rate_range: RateRange | None, fpr: FloatArray, level: float) -> Interval[Any]:
        """Return the interval of a partial area, or of the TPR at each of the given FPRs, by Dirichlet draws."""
        check_total_weight(self.class_sizes, "an interval")
        negative, positive = map(class_columns, self._expanded)
        (draws,), flags = draw_rates((negative, positive), self.resampling, rate_range, fpr)
        solver = self.solver
        estimate = solver.along("fpr", fpr) if rate_range is None else area_function(rate_range)(solver)
        limits = draws_interval(draws, level, np.ravel(estimate))
        low, high = (to_scalar(np.where(fpr == 1, 1.0, np.reshape(limit, fpr.shape))) for limit in limits)
        return Interval(low, high, level, "dirichlet", to_scalar(estimate), flags)

    def _hilgers_limits(self, fpr: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
        """Return limits that hold for all continuous distributions (Hilgers 1991).

        The FPR at the k-th largest of n negatives has a beta distribution. The FPR at one rank is below the requested
        FPR, and the FPR at another rank is above it, each with probability 1 - (1 - level)/4. The exact intervals of
        the TPR at these two negatives use the other half of 1 - level.
        """
        tail, (negatives, positives) = (1 - level) / 4, self.class_sizes
        strict = _largest_rank(lambda rank: betaincinv(rank, negatives + 1 - rank, 1 - tail) <= fpr, negatives)
        lax = _largest_rank(lambda rank: betaincinv(rank, negatives + 1 - rank, tail) < fpr, negatives) + 1
        values = np.append(self.negative.unique_values[::-1], -np.inf)
        totals = np.cumsum(self.negative.unique_weights[::-1])
        n_strict = self.positive.weight_above(values[np.searchsorted(totals, strict)])
        n_lax = self.positive.weight_at_or_above(values[np.searchsorted(totals, lax)])
        low, _ = clopper_pearson(n_strict, np.full(fpr.shape, positives), 1 - 2 * tail)
        _, high = clopper_pearson(n_lax, np.full(fpr.shape, positives), 1 - 2 * tail)
        return np.where(strict < 1, 0.0, low), np.where(lax > negatives, 1.0, high)

    def rate_interval(self, measure: str, threshold: ArrayOrFloat, level: float, method: str | None) -> Interval[Any]:
        """Return the interval of a measure at a threshold that was fixed beforehand."""
        shares = [(d.sf_inclusive(threshold), d.cdf_strict(threshold)) for d in (self.negative, self.positive)]
        (fp, tn), (tp, fn) = (np.multiply(total, share) for total, share in zip(self.class_sizes, shares, strict=True))
        return intervals.rate_interval(ConfusionCounts(tp, fp, fn, tn), measure, level, method)

    def threshold_interval(self, criterion: ThresholdCriterion, level: float, method: str | None) -> Interval[Any]:
        """Return the interval of the best threshold."""
        price = criterion.log_price
        methods = ("bootstrap",) if price is None else THRESHOLD_METHODS
        method = check_option("method", method, (None, *methods)) or methods[0]
        best = find_best_threshold(self.solver, criterion)
        if price is not None and method == THRESHOLD_METHODS[0]:
            limits, flags = threshold_set(self.solver.points, float(price), self.class_sizes, level), Flags()
        else:
            resampled = bootstrap_thresholds(*self._expanded, criterion, self.resampling).thresholds
            low = float(np.quantile(resampled, (1 - level) / 2, method="lower"))
            high = float(np.quantile(resampled, (1 + level) / 2, method="higher"))
            limits = min(low, float(best.plateau_low)), max(high, float(best.plateau_high))
            flags = Flags(undercoverage=True)
        return Interval(*limits, level, method, float(best.threshold), best.flags | flags)

    def stability(
        self, criterion: ThresholdCriterion, to_feature_scale: Callable[[FloatArray], Any] = np.asarray
    ) -> ThresholdStability:
        """Return the best thresholds of resamples, and the Ameans in the sample and out of bag."""
        best = find_best_threshold(self.solver, criterion)
        first, last = np.sort(to_feature_scale(np.array([best.plateau_low, best.plateau_high])))
        resampled = bootstrap_thresholds(*self._expanded, criterion, self.resampling)
        thresholds = np.sort(np.asarray(to_feature_scale(resampled.thresholds)))
        quantiles = np.quantile(thresholds, _QUANTILES, method="inverted_cdf").tolist()
        return ThresholdStability(
            thresholds=readonly_array(thresholds),
            quantiles=dict(zip(_QUANTILES, quantiles, strict=True)),
            fraction_in_plateau=float(np.mean((thresholds >= first) & (thresholds <= last))),
            ameans_in_sample=float(best.tpr + best.tnr) / 2,
            ameans_oob=resampled.mean_oob,
            n_resamples=len(thresholds),
            n_failed=int(np.isnan(resampled.ameans_oob).sum()),
        )

    def ameans_interval(self, criterion: ThresholdCriterion, level: float, method: str | None) -> Interval[Any]:
        """Return the interval of the Ameans that the best threshold has in the population.

        Each rate is reduced by its own optimism: the mean difference between a resample and the sample at the best
        threshold of the resample (Efron and Gong 1983). The limits are computed as for a fixed threshold with the
        reduced rates. For the upper limit, only half of the optimism is subtracted if the limit is then higher;
        otherwise the coverage would be too low.
        """
        check_option("method", method, (None, AMEANS_METHOD))
        best = find_best_threshold(self.solver, criterion)
        resampled = bootstrap_thresholds(*self._expanded, criterion, self.resampling)
        estimate = correct_ameans(resampled.mean_oob, float(best.tpr + best.tnr) / 2)
        rates = np.array([float(best.tpr), float(best.tnr)])
        shrunk = [np.clip(rates - share * resampled.optimism, 0, 1) for share in (1, 0.5)]
        full, half = (intervals.ameans_interval(tpr, tnr, self.class_sizes, level) for tpr, tnr in shrunk)
        low, high = min(float(full[0]), estimate), max(float(full[1]), float(half[1]), estimate)
        return Interval(low, high, level, AMEANS_METHOD, estimate, best.flags)

    def _band(self, fpr: FloatArray, level: float, kind: str, method: str | None) -> ConfidenceBand:
        """Return a band; pointwise limits are widened until they contain the estimate and do not decrease with FPR."""
        check_total_weight(self.class_sizes, "a band")
        if kind != KINDS[0]:
            check_option("method", method, (None, "kolmogorov-smirnov"))
            return self._kolmogorov_smirnov_band(self.class_sizes, fpr, level, kind)
        interval = self.tpr_at_fpr_interval(fpr, level, method)
        is_end = fpr == 1  # every curve ends at (1, 1)
        tpr = np.where(is_end, 1.0, interval.estimate)
        low, high = np.minimum(interval.low, tpr), np.maximum(interval.high, tpr)
        low, high = np.where(is_end, 1.0, low), np.where(is_end, 1.0, high)
        order = np.argsort(fpr)
        low[order] = np.minimum.accumulate(low[order][::-1])[::-1]
        high[order] = np.maximum.accumulate(high[order])
        fallback = interval.flags["fallback"] & ~is_end if "fallback" in interval.flags else False
        flags = Flags(fallback=fallback, single_observation=min(self.class_sizes) <= 1)
        return ConfidenceBand(fpr, tpr, low, high, level, kind, interval.method, flags)

    def placements(self, rate_range: RateRange | None) -> Placements:
        """Return the placements of the sample, for the whole area or the area over a range."""
        pair = self._expanded
        placements = compute_placements(*pair) if rate_range is None else partial_placements(*pair, rate_range)
        check_total_weight(placements.n_units, "an interval")
        return placements


def _largest_rank(is_met: Callable[[FloatArray], Any], most: float) -> FloatArray:
    """Return by bisection the largest rank up to ``most`` for which a condition is met, or 0 if there is none."""
    low = np.zeros(np.shape(is_met(np.asarray(1.0))))
    high = np.full(low.shape, np.floor(most) + 1)
    while (high - low > 1).any():
        middle = np.floor((low + high) / 2)
        is_low = is_met(np.maximum(middle, 1.0)) & (middle >= 1)
        low, high = np.where(is_low, middle, low), np.where(is_low, high, middle)
    return low


# ---- confidence set of the best threshold
def threshold_set(
    points: OperatingPoints, log_price: float, sizes: tuple[float, float], level: float
) -> tuple[float, float]:
    """Return the interval of all thresholds that a local test does not reject as worse than the best threshold.

    Parameters
    ----------
    points : OperatingPoints
        All operating points of the two samples.
    log_price : float
        Log of the cost ratio: the cost of a false positive divided by the cost of a false negative.
    sizes : tuple of float
        Numbers of observations of the (negative, positive) class.
    level : float
        Confidence level.

    Returns
    -------
    low, high : float

    Notes
    -----
    Near the best threshold the empirical utility, as a function of the threshold, tends to a two-sided Brownian motion
    with a parabolic drift [1]_. The location of the maximum converges at the rate n^(-1/3), at which the bootstrap is
    not consistent. The loss of utility between the best and another threshold, divided by its standard error, has a
    limit distribution without nuisance parameters, as likelihood ratios have in similar problems [2]_. The quantiles of
    this distribution are tabulated.

    A threshold is rejected as worse if its loss of utility exceeds the margin of error. Let a of n1 positives and b of
    n0 negatives be between this threshold and the best one, and let w1 and w0 be the weights of the classes. The loss
    is w1 a/n1 - w0 b/n0. The margin is the square root of the sum of the squares of w1 (a/n1 - lower limit) and w0
    (upper limit - b/n0), with Wilson's limits [3]_. Below the best threshold, the roles of the classes are exchanged.

    References
    ----------
    .. [1] J. Kim, D. Pollard (1990), "Cube root asymptotics", The Annals of Statistics 18, 191-219.
    .. [2] M. Banerjee, J. A. Wellner (2001), "Likelihood ratio tests for monotone functions", The Annals of Statistics
       29, 1699-1731.
    .. [3] R. G. Newcombe (1998), "Interval estimation for the difference between independent proportions", Statistics
       in Medicine 17, 873-890.
    """
    rates, weights = (points.fpr, points.tpr), (float(expit(log_price)), float(expit(-log_price)))
    utility, quantile = weights[1] * points.tpr - weights[0] * points.fpr, local_critical_value(level)
    first, last = np.flatnonzero(utility >= utility.max() - ROUNDING)[[0, -1]]  # thresholds are in descending order

    def is_worse(cuts: slice, best: int, losing: int) -> NDArray[np.bool_]:
        """Return whether the loss in one class, minus the gain in the other, exceeds its margin of error."""
        gaining = 1 - losing
        lost, gained = (np.abs(rates[k][best] - rates[k][cuts]) for k in (losing, gaining))
        fewer = np.maximum(lost - _CONTINUITY_CORRECTION / sizes[losing], 0)
        lower, upper = (
            wilson_limits(fewer, sizes[losing], quantile)[0],
            wilson_limits(gained, sizes[gaining], quantile)[1],
        )
        margin = np.hypot(weights[losing] * (lost - lower), weights[gaining] * (upper - gained))
        return np.asarray(weights[losing] * lost - weights[gaining] * gained > margin)

    highest = np.argmin(is_worse(slice(None, first + 1), last, 1))
    lowest = len(utility) - 1 - np.argmin(is_worse(slice(last, None), first, 0)[::-1])
    return float(points.low[lowest]), float(points.high[highest])


def local_critical_value(level: float) -> float:
    """Return the quantile of the studentized loss between the estimated and the true best threshold."""
    farthest, value = _FARTHEST_CRITICAL_VALUE
    knots = [*map(normal_critical_value, _LEVELS), farthest]
    return float(np.interp(normal_critical_value(level), knots, [*_CRITICAL_VALUES, value]))
