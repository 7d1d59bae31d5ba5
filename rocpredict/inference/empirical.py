"""Confidence bands of ROC curves, and confidence intervals and tests for empirical curves."""

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
"""Methods for the interval of the best threshold; the first requires the criterion Ameans, cost or accuracy."""
AMEANS_METHOD = "optimism-corrected"
_GRID = readonly_array(np.arange(201) / 200)  # division by 200 is correctly rounded, as in the FPRs of empirical curves
_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
_LEVELS = (0.01, 0.1, 0.3, 0.5, 0.68, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999)
_CRITICAL_VALUES = (0.01, 0.101, 0.305, 0.53, 0.778, 1.003, 1.292, 1.545, 1.84, 2.046, 2.234, 2.64)
"""Critical value of the local tests of thresholds at each level in ``_LEVELS``: about 0.79 times the normal quantile.

Near the best threshold, the empirical utility converges in distribution to Z(t) = W(t) - t^2, where W is a two-sided
Brownian motion and t = 0 is the true best threshold. Let M be the maximum of Z, which is reached at T. For each
simulated path of Z, (M - Z(c))/sqrt(|T - c|) is minimized over all points c for which 0 lies between c and T. The
critical values are quantiles of these minima over 1,300,000 paths. For t of 1e-6 or more, the paths are simulated with
steps of 0.4 to 1% of t, and the maximum within a step is drawn from its distribution. The critical values have Monte
Carlo standard errors of at most 0.0025 up to level 0.99 and of at most 0.007 at higher levels.
"""
_FARTHEST_CRITICAL_VALUE = 10.0, 8.4
"""A normal quantile, and the critical value for this quantile, which is extrapolated with a slope of 0.86.

For high levels, the true slope tends to 0.887.
"""
_CONTINUITY_CORRECTION = 0.4
"""Number of observations that is subtracted from a count before Wilson's lower limit is computed.

The best threshold always lies next to an observation that favors this threshold over every other threshold on the same
side. A correction of 1/2 would make the confidence set wider than necessary; without a correction, its coverage is too
low for skewed distributions.
"""

_DIP_FACTOR = 1.5
"""A threshold that is worse at this multiple of the normal quantile separates the modes of the utility.

With a multiple of 1.3, intervals of unimodal classes would be 6% wider on average; with 1.5, they are about 2% wider.
"""


@dataclass(frozen=True, eq=False, repr=False)
class ConfidenceBand(Result):
    """Confidence band of a ROC curve.

    Attributes
    ----------
    fpr : array of shape (k,)
        FPRs at which the band is computed.
    tpr : array of shape (k,)
        TPR of the estimated curve at each FPR; on a vertical segment of the curve, the highest TPR.
    low, high : arrays of shape (k,)
        Lower and upper limit of the TPR at each FPR.
    level : float
        Confidence level.
    kind : {"pointwise", "simultaneous"}
        At any single FPR chosen beforehand, a pointwise band contains the true TPR with probability ``level``. A
        simultaneous band contains the whole true curve with this probability.
    method : str
        Name of the method by which the band was computed.
    flags : Flags
        Flags for degenerate input, and for limits that were computed by a method other than the requested one.
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
        """Difference between the upper and the lower limit, averaged over the FPRs of the band."""
        return float(np.mean(self.high - self.low))

    def contains(self, curve: Any) -> bool:
        """Return whether a curve lies inside the band at every FPR in ``fpr``.

        Parameters
        ----------
        curve : Roc or function
            ROC curve of one feature, or a function that computes TPRs of shape (k,) from FPRs of shape (k,).

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
            raise RocPredictError(
                f"curve={short_repr(curve)} is not a curve; pass a ROC curve, or a function that converts FPRs to TPRs"
            )
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
    """Standard errors, intervals and bands of the ROC curve for the rule "positive when x >= threshold".

    All partial areas are divided by the width of their FPR or TPR range.
    """

    negative: Any
    positive: Any
    is_empirical: ClassVar[bool]

    @cached_property
    def solver(self) -> Solver:
        """Solver that computes the ROC curve of the two classes."""
        return solver_for(self.negative, self.positive)

    def band(self, fpr: ArrayLike | None, level: float, kind: str, method: str | None) -> ConfidenceBand:
        """Return the confidence band of the curve of one feature."""
        check_option("kind", kind, KINDS)
        if self.solver.shape:
            raise RocPredictError(
                f"this is a batch of ROC curves of shape {self.solver.shape}; request the band for one feature at a "
                "time"
            )
        grid = _GRID if fpr is None else check_probabilities("fpr", fpr)
        if grid.ndim != 1 or not grid.size:
            raise RocPredictError(
                f"fpr={short_repr(fpr)} has shape {grid.shape}; pass an array of shape (k,) with k >= 1"
            )
        return self._band(readonly_array(grid), level, kind, method)

    @abstractmethod
    def _band(self, fpr: FloatArray, level: float, kind: str, method: str | None) -> ConfidenceBand:
        """Return the confidence band at the given FPRs, shape (k,)."""

    def _kolmogorov_smirnov_band(
        self, total: tuple[float, float], fpr: FloatArray, level: float, kind: str, *, fallback: bool = False
    ) -> ConfidenceBand:
        """Return the simultaneous band of Campbell (1994), from the Kolmogorov-Smirnov bounds of both classes.

        Let e0 and e1 be the critical values of the two classes. With probability ``level``, the true FPR at every
        threshold differs from its estimate by at most e0, and the true TPR by at most e1. The true curve then lies
        between TPR(FPR - e0) - e1 and TPR(FPR + e0) + e1, where TPR(.) is the estimated curve.
        """
        right, up = (kolmogorov_critical_value(np.sqrt(level), n) for n in total)
        before, after = fpr - right, fpr + right
        low = np.where(before >= 0, self.solver.along("fpr", np.maximum(before, 0)) - up, 0.0)
        high = np.where(after < 1, self.solver.along("fpr", np.minimum(after, 1)) + up, 1.0)
        low, high = np.where(fpr == 1, 1.0, np.maximum(low, 0)), np.minimum(high, 1)
        flags = Flags(fallback=fallback, single_observation=min(total) <= 1)
        return ConfidenceBand(fpr, self.solver.along("fpr", fpr), low, high, level, kind, "kolmogorov-smirnov", flags)


def area_function(rate_range: RateRange | None) -> Callable[[Solver], FloatArray]:
    """Return a function that computes the AUC or, with ``rate_range``, the partial area divided by the range width."""
    if rate_range is None:
        return Solver.auc
    limits = np.asarray(rate_range.low), np.asarray(rate_range.high)
    return lambda solver: np.asarray(solver.area(rate_range.axis, *limits) / rate_range.width)


def kolmogorov_critical_value(level: float, total: float) -> float:
    """Return a quantile of the largest distance between the empirical and the true distribution function.

    ``total`` is the sample size, which is rounded down to a whole number. The quantile is exact for continuous
    distributions; for discrete distributions, the true quantile is smaller.
    """
    from scipy.stats import kstwo

    return float(kstwo.ppf(level, max(1, int(total))))


@dataclass(frozen=True)
class EmpiricalUncertainty(Uncertainty):
    """Standard errors, intervals, tests and bands of an empirical ROC curve."""

    negative: Ecdf
    positive: Ecdf
    resampling: BootstrapOptions
    is_empirical = True

    @cached_property
    def solver(self) -> EmpiricalSolver:
        """Solver that computes the empirical ROC curve of the two samples."""
        return EmpiricalSolver(self.negative, self.positive)

    @property
    def class_sizes(self) -> tuple[float, float]:
        """Number of observations of each class."""
        return self.negative.total, self.positive.total

    @cached_property
    def _expanded(self) -> tuple[Ecdf, Ecdf]:
        """Both samples, with integer weights replaced by repeated observations."""
        return expand_weights(self.negative), expand_weights(self.positive)

    @property
    def _expanded_solver(self) -> EmpiricalSolver:
        is_same = self._expanded[0] is self.negative and self._expanded[1] is self.positive
        return self.solver if is_same else EmpiricalSolver(*self._expanded)

    def area_std_error(self, rate_range: RateRange | None, method: str | None) -> Any:
        """Return the standard error of the AUC or, with ``rate_range``, of the partial area."""
        replicate = partial(bootstrap_areas, *self._expanded, rate_range, self.resampling)
        return intervals.auc_std_error(self.placements(rate_range), method, replicate)

    def area_interval(self, rate_range: RateRange | None, level: float, method: str | None) -> Interval[Any]:
        """Return the confidence interval of the AUC or, with ``rate_range``, of the partial area."""
        if rate_range is not None:
            check_option("method", method, (None, "dirichlet", *intervals.PARTIAL_AUC_METHODS))
            if method in {None, "dirichlet"}:
                return self._drawn_interval(rate_range, np.zeros(()), level)
        replicate = partial(bootstrap_areas, *self._expanded, rate_range, self.resampling)
        return intervals.auc_interval(self.placements(rate_range), level, method, replicate)

    def auc_test(self, null: Any, method: str | None, claim: Hypothesis, level: float, direction: str) -> AucTest:
        """Test the AUC against a given value."""
        rows: dict[str, Any] = {"n": self.class_sizes, "direction": (direction,), "flags": Flags()}
        areas = self.placements(None)
        return empirical_auc_test(areas, self._expanded, null, method, claim=claim, level=level, **rows)

    def tpr_at_fpr_interval(self, fpr: FloatArray, level: float, method: str | None) -> Interval[Any]:
        """Return the confidence interval of the TPR at each of the given FPRs."""
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
        """Return the Dirichlet interval of the TPR at each FPR or, with ``rate_range``, of the partial area."""
        check_total_weight(self.class_sizes, "an interval")
        negative, positive = map(class_columns, self._expanded)
        (draws,), flags = draw_rates((negative, positive), self.resampling, rate_range, fpr)
        solver = self.solver
        estimate = solver.along("fpr", fpr) if rate_range is None else area_function(rate_range)(solver)
        limits = draws_interval(draws, level, np.ravel(estimate))
        low, high = (to_scalar(np.where(fpr == 1, 1.0, np.reshape(limit, fpr.shape))) for limit in limits)
        return Interval(low, high, level, "dirichlet", to_scalar(estimate), flags)

    def _hilgers_limits(self, fpr: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
        """Return limits of the TPR that are valid for all continuous distributions (Hilgers 1991).

        The true FPR at the k-th largest of n negatives has a beta distribution. Two ranks k are determined from this
        distribution. At the first rank, the true FPR is below the requested FPR with a probability of at least 1 - a,
        where a = (1 - level)/4. At the second rank, the true FPR is above the requested FPR with at least this
        probability. The lower limit is the lower Clopper-Pearson limit of the TPR at the negative of the first rank.
        The upper limit is the upper Clopper-Pearson limit of the TPR at the negative of the second rank. Each
        Clopper-Pearson limit has an error probability of a or less.
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
        """Return the confidence interval of a performance measure at a threshold that was fixed beforehand."""
        shares = [(d.sf_inclusive(threshold), d.cdf_strict(threshold)) for d in (self.negative, self.positive)]
        (fp, tn), (tp, fn) = (np.multiply(total, share) for total, share in zip(self.class_sizes, shares, strict=True))
        return intervals.rate_interval(ConfusionCounts(tp, fp, fn, tn), measure, level, method)

    def threshold_interval(self, criterion: ThresholdCriterion, level: float, method: str | None) -> Interval[Any]:
        """Return the confidence interval of the best threshold."""
        price = criterion.log_price
        methods = ("bootstrap",) if price is None else THRESHOLD_METHODS
        method = check_option("method", method, (None, *methods)) or methods[0]
        best = find_best_threshold(self.solver, criterion)
        if price is not None and method == THRESHOLD_METHODS[0]:
            limits, flags = threshold_set(self.solver.points, float(price), self.class_sizes, level), Flags()
        else:
            resampled = bootstrap_thresholds(self._expanded_solver, criterion, self.resampling).thresholds
            low = float(np.quantile(resampled, (1 - level) / 2, method="lower"))
            high = float(np.quantile(resampled, (1 + level) / 2, method="higher"))
            limits = min(low, float(best.plateau_low)), max(high, float(best.plateau_high))
            flags = Flags(undercoverage=True)
        return Interval(*limits, level, method, float(best.threshold), best.flags | flags)

    def stability(
        self, criterion: ThresholdCriterion, to_feature_scale: Callable[[FloatArray], Any] = np.asarray
    ) -> ThresholdStability:
        """Return the best thresholds of the resamples, with the in-sample Ameans and the mean out-of-bag Ameans."""
        best = find_best_threshold(self.solver, criterion)
        first, last = np.sort(to_feature_scale(np.array([best.plateau_low, best.plateau_high])))
        resampled = bootstrap_thresholds(self._expanded_solver, criterion, self.resampling)
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
        """Return the confidence interval of the population Ameans at the estimated best threshold.

        The TPR and the TNR at this threshold are each reduced by their optimism. To estimate the optimism, both rates
        are computed at the best threshold of each resample, once in this resample and once in the original sample. The
        optimism of a rate is the mean difference (resample minus sample) over the resamples (Efron and Gong 1983). The
        limits are computed from the reduced rates as if the threshold had been fixed beforehand. The upper limit is
        also computed with only half of the optimism subtracted, and the higher of the two results is used; otherwise
        the coverage would be too low.
        """
        check_option("method", method, (None, AMEANS_METHOD))
        best = find_best_threshold(self.solver, criterion)
        resampled = bootstrap_thresholds(self._expanded_solver, criterion, self.resampling)
        estimate = correct_ameans(resampled.mean_oob, float(best.tpr + best.tnr) / 2)
        rates = np.array([float(best.tpr), float(best.tnr)])
        shrunk = [np.clip(rates - share * resampled.optimism, 0, 1) for share in (1, 0.5)]
        full, half = (intervals.ameans_interval(tpr, tnr, self.class_sizes, level) for tpr, tnr in shrunk)
        low, high = min(float(full[0]), estimate), max(float(full[1]), float(half[1]), estimate)
        return Interval(low, high, level, AMEANS_METHOD, estimate, best.flags)

    def _band(self, fpr: FloatArray, level: float, kind: str, method: str | None) -> ConfidenceBand:
        """Return the band; pointwise limits are widened to contain the curve and to be nondecreasing in the FPR."""
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
        """Return the placement values of the sample for the AUC or, with ``rate_range``, for the partial area."""
        pair = self._expanded
        placements = compute_placements(*pair) if rate_range is None else partial_placements(*pair, rate_range)
        check_total_weight(placements.n_units, "an interval")
        return placements


def _largest_rank(is_met: Callable[[FloatArray], Any], most: float) -> FloatArray:
    """Find by bisection the largest rank up to ``most`` that meets a condition; return 0 if no rank does."""
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
    """Return the range of thresholds that a local test does not reject as worse than the best threshold.

    Parameters
    ----------
    points : OperatingPoints
        All operating points of the two samples.
    log_price : float
        The value log(w0/w1), where w0 and w1 are the weights of the FPR and of the TPR in the utility.
    sizes : tuple of float
        Numbers of negatives and positives.
    level : float
        Confidence level.

    Returns
    -------
    low, high : float

    Notes
    -----
    Near the best threshold, the empirical utility, as a function of the threshold, converges in distribution to a
    two-sided Brownian motion with a parabolic drift [1]_. The location of the maximum converges at the rate n^(-1/3),
    and the bootstrap of this location is inconsistent. For a threshold other than the best one, the test statistic
    is the loss of utility compared with the best threshold, divided by the standard error of this loss. The limiting
    distribution of this statistic has no unknown parameters; the same is true of likelihood ratios in similar problems
    [2]_. The critical values are tabulated quantiles of this distribution.

    A threshold is rejected as worse if its loss of utility exceeds the margin of error. For a threshold t above the
    best one, let a of the n1 positives and b of the n0 negatives lie between the best threshold and t. Let w1 and w0 be
    the weights of the TPR and of the FPR in the utility. The loss is w1 a/n1 - w0 b/n0. The margin of error is
    sqrt((w1 (a/n1 - L))^2 + (w0 (U - b/n0))^2). Here L is Wilson's lower limit of the proportion (a - 0.4)/n1, and U is
    Wilson's upper limit of the proportion b/n0 [3]_. For a threshold below the best one, the two classes are exchanged
    in these formulas.

    The utility may have a second mode, far from the best threshold. A threshold there is not adjacent to the best one,
    and its loss has a normal distribution. If a threshold is significantly worse even with a critical value of 1.5
    times the normal quantile, the critical value of all thresholds beyond it is therefore the normal quantile.

    References
    ----------
    .. [1] J. Kim, D. Pollard (1990), "Cube root asymptotics", The Annals of Statistics 18, 191-219.
    .. [2] M. Banerjee, J. A. Wellner (2001), "Likelihood ratio tests for monotone functions", The Annals of Statistics
       29, 1699-1731.
    .. [3] R. G. Newcombe (1998), "Interval estimation for the difference between independent proportions", Statistics
       in Medicine 17, 873-890.
    """
    rates, weights = (points.fpr, points.tpr), (float(expit(log_price)), float(expit(-log_price)))
    utility = weights[1] * points.tpr - weights[0] * points.fpr
    local, normal = local_critical_value(level), normal_critical_value(level)
    first, last = np.flatnonzero(utility >= utility.max() - ROUNDING)[[0, -1]]  # the thresholds are in descending order

    def is_worse(lost: FloatArray, gained: FloatArray, losing: int, quantile: float) -> NDArray[np.bool_]:
        """Return whether the loss in one class minus the gain in the other class exceeds the margin of error."""
        gaining = 1 - losing
        fewer = np.maximum(lost - _CONTINUITY_CORRECTION / sizes[losing], 0)
        lower, upper = (
            wilson_limits(fewer, sizes[losing], quantile)[0],
            wilson_limits(gained, sizes[gaining], quantile)[1],
        )
        margin = np.hypot(weights[losing] * (lost - lower), weights[gaining] * (upper - gained))
        return np.asarray(weights[losing] * lost - weights[gaining] * gained > margin)

    def find_farthest(cuts: slice, best: int, losing: int) -> int:
        """Return the position of the last threshold in the set; ``cuts`` begin at the best threshold."""
        lost, gained = (np.abs(rates[k][best] - rates[k][cuts]) for k in (losing, 1 - losing))
        reach = normal / 2 / np.sqrt(sizes)  # Wilson's limits are never farther from the proportion
        reach[losing] += _CONTINUITY_CORRECTION / sizes[losing]
        bound = np.linalg.norm(np.multiply(weights, reach))
        near = np.flatnonzero(weights[losing] * lost - weights[1 - losing] * gained <= bound)
        farthest, beyond = (
            near[~is_worse(lost[near], gained[near], losing, quantile)][-1] for quantile in (local, normal)
        )
        if beyond > farthest and is_worse(lost[:beyond], gained[:beyond], losing, _DIP_FACTOR * normal).any():
            farthest = beyond
        return int(farthest)

    highest = first - find_farthest(slice(first, None, -1), last, 1)
    lowest = last + find_farthest(slice(last, None), first, 0)
    return float(points.low[lowest]), float(points.high[highest])


def local_critical_value(level: float) -> float:
    """Return the critical value for the loss of utility at a threshold, in units of the standard error of this loss."""
    farthest, value = _FARTHEST_CRITICAL_VALUE
    knots = [*map(normal_critical_value, _LEVELS), farthest]
    return float(np.interp(normal_critical_value(level), knots, [*_CRITICAL_VALUES, value]))
