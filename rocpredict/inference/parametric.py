"""Confidence intervals, tests and confidence bands for predicted ROC curves.

They are computed from generalized pivots, by the delta method, or from distributions refitted to resamples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from scipy.special import gammaincinv, ndtr, ndtri, stdtr, stdtrit

from rocpredict.base.progress import track
from rocpredict.base.rates import normal_critical_value, zero_variance_interval
from rocpredict.base.results import Flags, Interval
from rocpredict.base.validation import (
    ArrayOrFloat,
    FloatArray,
    RocPredictError,
    check_option,
    check_probability,
    readonly_array,
    to_scalar,
)
from rocpredict.distributions.base import Distribution
from rocpredict.distributions.ecdf import Ecdf
from rocpredict.distributions.fitting import PairFitter
from rocpredict.distributions.gaussian import Gaussian, add_grid_axis
from rocpredict.inference.bootstrap import BootstrapOptions, percentile_interval
from rocpredict.inference.empirical import KINDS, ConfidenceBand, EmpiricalUncertainty, Uncertainty, area_function
from rocpredict.inference.hypotheses import AucStatistic, AucTest, Hypothesis
from rocpredict.inference.intervals import Tails, complement_interval
from rocpredict.inference.placements import Placements, RateRange
from rocpredict.solvers.base import Solver
from rocpredict.solvers.binormal import BinormalSolver
from rocpredict.solvers.families import solver_for
from rocpredict.solvers.shrinkage import ShrinkageSolver
from rocpredict.solvers.thresholds import AMEANS_ALIASES, ThresholdCriterion, ThresholdStability, find_best_threshold

Pair: TypeAlias = tuple[Distribution, Distribution]
Count: TypeAlias = tuple[ArrayOrFloat, ArrayOrFloat]
"""Numbers of negatives and of positives: floats, or arrays with one value for each feature."""
Quantity: TypeAlias = Callable[[Solver], FloatArray]
Limits: TypeAlias = tuple[Any, Any]
PARAMETRIC_MEASURES = ("tpr", "fpr", "tnr", "fnr")
"""Rates for which a confidence interval is computed from the means, the standard deviations and the counts alone."""
_MIN_WIDTH = 1e-15  # narrower intervals near 1 have a width of 0 in float64
_PROBITS = ndtr(np.linspace(-8, 8, 1025))
_STEP = 1e-5  # step of numerical derivatives, in standard deviations
_N_PIVOTS = 8191  # number of draws of a pivot; a prime number
_KOROBOV = 2488  # multiplier of 2 to 4,095 with nearly the smallest worst-case error (P_2) in 2, 3 and 4 dimensions
_N_NODES = 32  # number of nodes in the quadrature of a simulated partial area
_MIN_PIVOTAL_THRESHOLD = 10  # smallest class size for which thresholds use pivots by default
_MIN_BOOTSTRAP = 50  # smallest class size for which bootstrap intervals cover the truth as often as they say
_MIN_WEIGHTED_DELTA = 200  # the same for delta intervals of thresholds with unequal prevalences or costs


@dataclass(frozen=True)
class PairFit:
    """Samples of the two classes, and the function ``fit`` that fits a distribution to each sample.

    The samples have shapes (n0,) and (n1,). If ``takes_batches`` is True, ``fit`` also accepts four arguments: a batch
    of resamples for each class, followed by the two samples.
    """

    negative: FloatArray
    positive: FloatArray
    fit: PairFitter
    takes_batches: bool = False

    def reflected(self) -> PairFit:
        """Return a copy for the feature multiplied by -1, with reflected samples and reflected fitted distributions."""

        def fit(*values: FloatArray) -> Pair:
            pair = self.fit(*(-part for part in values))
            return pair[0].reflect(), pair[1].reflect()

        return PairFit(-self.negative, -self.positive, fit, self.takes_batches)

    def swap_classes(self) -> PairFit:
        """Return a copy in which the classes are swapped, with swapped samples and swapped fitted distributions."""

        def fit(negative: FloatArray, positive: FloatArray, *samples: FloatArray) -> Pair:
            return self.fit(positive, negative, *samples[::-1])[::-1]

        return PairFit(self.positive, self.negative, fit, self.takes_batches)

    def bootstrap_fits(self, resampling: BootstrapOptions) -> Iterator[Pair]:
        """Yield the pair of distributions fitted to each resample or, where possible, to a batch of resamples."""
        samples = self.negative, self.positive
        n_before = 0
        is_gaussian = all(isinstance(d, Gaussian) for d in self.fit(*samples))
        for counts in resampling.resample_counts((None, None), (len(self.negative), len(self.positive))):
            if is_gaussian:
                yield _resampled_gaussians(samples[0], counts[0]), _resampled_gaussians(samples[1], counts[1])
                continue
            if self.takes_batches:
                yield self.fit(*(_repeat_rows(x, n) for x, n in zip(samples, counts, strict=True)), *samples)
                continue
            for draws in track(zip(*counts, strict=True), resampling.n_resamples, n_before):
                rows = [np.repeat(x, n.astype(np.intp)) for x, n in zip(samples, draws, strict=True)]
                try:
                    yield self.fit(*rows)
                except RocPredictError:  # the family cannot be fitted to this resample; the caller counts the fits
                    continue
            n_before += len(counts[0])


def _repeat_rows(sample: FloatArray, counts: FloatArray) -> FloatArray:
    """Return B resamples of a class; ``counts``, of shape (B, n), contains the number of draws of each value."""
    resamples: FloatArray = np.repeat(np.tile(sample, len(counts)), counts.astype(np.intp).ravel())
    return resamples.reshape(counts.shape)


def _resampled_gaussians(sample: FloatArray, counts: FloatArray) -> Gaussian[Any]:
    """Return the Gaussians fitted to B resamples; ``counts`` is a (B, n) array of the number of draws of each value."""
    center = sample.mean()
    deviation, totals = sample - center, counts.sum(axis=1)
    mean = counts @ deviation / totals
    squares = counts @ deviation**2 - totals * mean**2
    return Gaussian(center + mean, np.sqrt(np.maximum(squares, 0) / (totals - 1)))


@dataclass(frozen=True)
class ParametricUncertainty(Uncertainty):
    """Standard errors, intervals, tests and bands of a predicted ROC curve.

    ``count`` contains the numbers of negatives and positives, or is None if they are unknown. ``refit`` contains the
    sample to which the distributions were fitted, or is None for distributions that were not fitted to a sample.
    """

    negative: Distribution[Any]
    positive: Distribution[Any]
    count: Count | None
    resampling: BootstrapOptions
    refit: PairFit | None = None
    is_empirical = False

    @property
    def class_sizes(self) -> Count:
        """Number of observations of each class."""
        if self.count is None:
            raise RocPredictError(
                "an interval or a band needs the number of observations of each class; pass count=(negative, positive)"
            )
        return self.count

    # ---- intervals and tests
    def area_std_error(self, rate_range: RateRange | None, method: str | None) -> Any:
        """Return the standard error of the AUC or, with ``rate_range``, of the partial area."""
        if rate_range is None and self._uses_empirical(method):
            return self._empirical.area_std_error(None, method)
        area = area_function(rate_range)
        if self._select_method(method, ("delta",)) == "bootstrap":
            return float(np.std(self.bootstrap(area)[0], ddof=1))
        if rate_range is not None:
            return to_scalar(delta_std_error(area, *self._moments)[0])
        probit = auc_probit(*self._moments)
        density = np.exp(-(probit.z**2) / 2) / np.sqrt(2 * np.pi)
        return to_scalar(np.where(density > 0, density * probit.std_error, 0.0))

    def area_interval(self, rate_range: RateRange | None, level: float, method: str | None) -> Interval[Any]:
        """Return the confidence interval of the AUC or, with ``rate_range``, of the partial area."""
        area = area_function(rate_range)
        if rate_range is not None:
            return self._probability_interval(area, level, method, lambda: pivotal_areas(*self._moments, rate_range))
        if not self._uses_empirical(method):
            engines: dict[str, Callable[[], Limits]] = {
                "pivotal": lambda: PivotalAuc.from_moments(*self._moments).interval(level),
                "delta": lambda: auc_probit(*self._moments).interval(level),
                "reiser-guttman": lambda: reiser_guttman_interval(*self._moments, level),
            }
            return self._interval(area, level, method, engines)
        interval, estimate = self._empirical.area_interval(None, level, method), float(self.solver.auc())
        low, high = min(interval.low, estimate), max(interval.high, estimate)
        flags = interval.flags | Flags(interval_extended=(low, high) != (interval.low, interval.high))
        return replace(interval, low=low, high=high, estimate=estimate, flags=flags)

    def probit_area(self, rate_range: RateRange | None) -> ProbitEstimate:
        """Return the probit of the AUC or, with ``rate_range``, of the partial area, and its standard error."""
        return (
            auc_probit(*self._moments)
            if rate_range is None
            else delta_probit(area_function(rate_range), *self._moments)
        )

    def auc_test(self, null: Any, method: str | None, claim: Hypothesis, level: float, direction: str) -> AucTest:
        """Test the AUC against a null value.

        The p-value is 1 minus the level of the confidence interval that has a limit at the null value.
        """
        self._check_gaussian("auc_test()")
        method = self._select_method(method, ("pivotal", "delta"), resampled=False)
        engine = PivotalAuc.from_moments(*self._moments) if method == "pivotal" else auc_probit(*self._moments)
        interval, value = self.area_interval(None, level, method), check_probability("null", null)
        statistic, estimate = claim.test_tails(engine.tails, value, (0.0, 1.0)), float(self.solver.auc())
        return AucStatistic(*statistic, interval).result(
            claim.describe("AUC", f"{value:g}"),
            method="generalized pivot" if method == "pivotal" else "delta, on the probit scale",
            estimator="two Gaussians, Phi of the mean difference divided by sqrt(s0^2 + s1^2)",
            estimates=(estimate,),
            difference=estimate - value,
            covariance=np.reshape(self.area_std_error(None, "delta") ** 2, (1, 1)),
            n=self.class_sizes,
            direction=(direction,),
            flags=Flags(),
        )

    def tpr_at_fpr_interval(self, fpr: FloatArray, level: float, method: str | None) -> Interval[Any]:
        """Return the confidence interval of the TPR at each FPR or, for a batch, at one FPR per feature.

        The interval is [0, 1] if the standard deviation of a class is 0. At the ends of the curve, where the TPR is
        known, the interval has width 0.
        """
        method = self._select_method(method, ("pivotal", "delta"))
        estimate, (low, high), dropped = self.solver.along("fpr", fpr), *self._tpr_limits(fpr, level, method)
        is_certain = ((fpr == 0) & (estimate == 0)) | (fpr == 1)
        is_flat = ~(high > low) & ~is_certain
        low, high = (
            to_scalar(np.where(is_certain, estimate, np.where(is_flat, bound, limit)))
            for bound, limit in ((0.0, low), (1.0, high))
        )
        return Interval(low, high, level, method, to_scalar(estimate), self._flat_flags(is_flat) | dropped)

    def rate_interval(self, measure: str, threshold: ArrayOrFloat, level: float, method: str | None) -> Interval[Any]:
        """Return the confidence interval of a rate at a threshold that was fixed beforehand."""
        check_option("measure", measure, PARAMETRIC_MEASURES)
        check_option("method", method, (None, "noncentral-t", "delta"))
        self._check_gaussian("rate_interval()")
        is_positive = measure in {"tpr", "fnr"}
        distribution, count = self._gaussians[is_positive], self.class_sizes[is_positive]
        method = method or ("delta" if self.solver.shape else "noncentral-t")
        probit = tail_probit(distribution, count, threshold)
        if method == "delta":
            limits = probit.interval(level)
        else:
            limits = noncentral_t_interval(probit.z, np.sqrt(count), count - 1, level)
        interval = self._ensure_width(limits, np.asarray(distribution.sf_inclusive(threshold)), level, method)
        return interval if measure in {"tpr", "fpr"} else complement_interval(interval)

    def threshold_interval(self, criterion: ThresholdCriterion, level: float, method: str | None) -> Interval[Any]:
        """Return the confidence interval of the best threshold.

        If the best threshold is infinite, the default method is "delta". The method "pivotal" is not used in this case,
        because its interval would contain a finite true threshold too rarely.
        """

        def threshold_of(solver: Solver) -> FloatArray:
            return find_best_threshold(solver, criterion).threshold

        best, price, dropped = find_best_threshold(self.solver, criterion), criterion.log_price, Flags()
        allowed = ("delta",) if price is None else ("pivotal", "delta")
        requested, method = method, self._select_method(method, allowed, min_count=_MIN_PIVOTAL_THRESHOLD)
        if method == "pivotal" and not np.isfinite(best.threshold):
            if requested:
                raise RocPredictError(
                    "method='pivotal' needs a finite best threshold, but the best threshold is infinite; pass "
                    "method='delta', which then returns an unbounded interval"
                )
            method = "delta"
        if method == "delta":
            if price is not None:
                std_error, df = threshold_std_error(*self._moments, price)
            else:
                std_error, df = delta_std_error(threshold_of, *self._moments)
            is_estimated = np.isfinite(best.threshold) & np.isfinite(std_error)
            for fitted in self._moments[:2]:  # the error of a standard deviation of 0 is unknown
                is_estimated = is_estimated & (fitted.std > 0)
            half = np.where(is_estimated, student_critical_value(df, level) * std_error, np.inf)
            is_doubtful = is_estimated & (price != 0) & (np.minimum(*self.class_sizes) < _MIN_WEIGHTED_DELTA)
            center, dropped = np.where(is_estimated, best.threshold, 0.0), Flags(unbounded=~is_estimated)
            dropped |= Flags(undercoverage=is_doubtful)
            low, high = center - half, center + half
        else:
            if method == "pivotal":
                replicates = pivotal_draws(*self._moments, threshold_of)
            else:
                replicates, dropped = self.bootstrap(threshold_of)
            low, high = percentile_interval(replicates.ravel(), level)
            low, high = np.minimum(low, best.plateau_low), np.maximum(high, best.plateau_high)
        limits = to_scalar(low), to_scalar(high)
        return Interval(*limits, level, method, to_scalar(best.threshold), best.flags | dropped)

    def stability(self, criterion: ThresholdCriterion, to_feature_scale: Any) -> ThresholdStability:
        """Raise RocPredictError; stability is defined only for thresholds that are selected from observed values."""
        raise RocPredictError(
            "stability() needs a threshold of an empirical curve; for a predicted curve use threshold_interval()"
        )

    def ameans_interval(self, criterion: ThresholdCriterion, level: float, method: str | None) -> Interval[Any]:
        """Return the confidence interval of the Ameans at the best threshold."""
        solver = self.solver
        is_ameans = criterion.criterion in AMEANS_ALIASES
        if isinstance(solver, ShrinkageSolver) and is_ameans and method in (None, "delta"):
            estimate, half = float(solver.rule.ameans[0]), normal_critical_value(level) * solver.rule.std_error[0]
            limits = float(max(estimate - half, 0.0)), float(min(estimate + half, 1.0))
            return Interval(*limits, level, "delta", estimate, Flags())

        def ameans(solver: Solver) -> FloatArray:
            best = find_best_threshold(solver, criterion)
            return np.asarray(best.tpr / 2 + best.tnr / 2)

        has_pivot = criterion.log_price is not None
        draw = (lambda: pivotal_draws(*self._moments, ameans)) if has_pivot else None
        return self._probability_interval(ameans, level, method, draw)

    def _band(self, fpr: FloatArray, level: float, kind: str, method: str | None) -> ConfidenceBand:
        """Return the band of the requested kind; simultaneous bands use the method of Working and Hotelling.

        On the probit scale, the curve of two Gaussians is a straight line. The F quantile in the method of Working and
        Hotelling is computed with the degrees of freedom of the smaller class. A chi-squared quantile is the limit of
        the F quantile for many observations. With this quantile, the coverage is too low in small samples: at level
        0.95, it is 0.912 for 10 observations per class and 0.929 for 20.
        """
        if kind == KINDS[0]:
            method = self._select_method(method, ("pivotal", "delta"))
            grid = np.unique(fpr if method == "bootstrap" else fpr[(fpr > 0) & (fpr < 1)])
            (low, high), flags = self._tpr_limits(grid, level, method)
        else:
            if not self._is_gaussian:
                raise RocPredictError(
                    "a simultaneous band needs an empirical curve (rp.empirical_roc) or two Gaussian classes"
                )
            method = check_option("method", method, (None, "working-hotelling")) or "working-hotelling"
            grid = np.union1d(fpr[(fpr > 0) & (fpr < 1)], _PROBITS)
            factor = working_hotelling_factor(level, min(self.class_sizes) - 1)
            low, high = tpr_probit(*self._moments, grid).limits(factor)
            # the curve increases, so a lower limit is valid at all larger FPRs and an upper limit at all smaller FPRs
            low, high = np.maximum.accumulate(low), np.minimum.accumulate(high[::-1])[::-1]
            flags = Flags()
        has_width = bool(np.any(high - low > np.finfo(float).eps))
        if not has_width or (method != "bootstrap" and any(np.equal(d.std, 0) for d in self._gaussians)):
            return self._kolmogorov_smirnov_band(self.class_sizes, fpr, level, kind, fallback=True)
        tpr, index = self.solver.along("fpr", fpr), np.searchsorted(grid, fpr)
        low, high = np.append(low, 1.0)[index], np.append(high, 1.0)[index]
        if method == "bootstrap":
            low, high = np.minimum(low, tpr), np.maximum(high, tpr)
        else:  # the limits at FPR 0 and FPR 1 are exact
            low, high = (np.where(fpr == 1, 1.0, np.where(fpr == 0, 0.0, limit)) for limit in (low, high))
            flags = Flags(single_observation=min(self.class_sizes) <= 1)
        return ConfidenceBand(fpr, tpr, low, high, level, kind, method, flags)

    # ---- parts of the intervals
    @property
    def _is_gaussian(self) -> bool:
        return isinstance(self.negative, Gaussian) and isinstance(self.positive, Gaussian)

    def _check_gaussian(self, name: str) -> None:
        """Raise RocPredictError unless both classes are Gaussian; ``name`` is the called method, for the message."""
        if not self._is_gaussian:
            raise RocPredictError(
                f"{name} of a predicted curve is available for two Gaussians only; if you have a sample, use the "
                "curve from rp.empirical_roc(x, y)"
            )

    @property
    def _gaussians(self) -> tuple[Gaussian[Any], Gaussian[Any]]:
        if isinstance(self.negative, Gaussian) and isinstance(self.positive, Gaussian):
            return self.negative, self.positive
        raise RocPredictError(
            "this method needs two Gaussians; for other families, use rp.predict_roc and pass method='bootstrap'"
        )

    @property
    def _moments(self) -> tuple[Gaussian[Any], Gaussian[Any], Count]:
        """The two fitted Gaussians and the numbers of observations."""
        return *self._gaussians, self.class_sizes

    @property
    def _empirical(self) -> EmpiricalUncertainty:
        """Uncertainty of the empirical curve of the sample to which the distributions were fitted."""
        assert self.refit is not None
        return EmpiricalUncertainty(Ecdf(self.refit.negative), Ecdf(self.refit.positive), self.resampling)

    def placements_of_sample(self) -> Placements:
        """Return the placement values of the sample to which the distributions were fitted."""
        return self._empirical.placements(None)

    def _uses_empirical(self, method: str | None) -> bool:
        """Return True if the interval is computed from the empirical AUC, as for fitted non-Gaussian families."""
        is_bootstrap = isinstance(method, str) and method == "bootstrap"
        return self.refit is not None and not self._is_gaussian and not is_bootstrap

    def _select_method(
        self, method: str | None, allowed: tuple[str, ...], *, resampled: bool = True, min_count: float = 2
    ) -> str:
        """Return the requested method or, if ``method`` is None, the default.

        For two Gaussians, the default is "pivotal" if there is one feature with ``min_count`` or more observations of
        each class, and otherwise "delta". For other fitted families, the default is "bootstrap".
        """
        check_option("method", method, (None, *allowed, "bootstrap") if resampled else (None, *allowed))
        is_refitted = method is None and not self._is_gaussian and self.refit is not None and resampled
        if method == "bootstrap" or is_refitted:
            return "bootstrap"
        negative, positive, count = self._moments
        is_batch = bool(self.solver.shape) or any(np.ndim(n) for n in count)
        if method == "pivotal" and is_batch:
            raise RocPredictError("method='pivotal' needs a single feature, not a batch; pass method='delta'")
        has_pivot = "pivotal" in allowed and not is_batch and min(count) > 1
        has_pivot = has_pivot and all(d.std > 0 and np.isfinite(d.std) for d in (negative, positive))
        if method is None:
            return "pivotal" if has_pivot and min(count) >= min_count else "delta"
        if method == "pivotal" and not has_pivot:
            raise RocPredictError(
                "method='pivotal' needs more than one observation and a finite standard deviation above 0 in each "
                "class; pass method='delta'"
            )
        return method

    def bootstrap(self, statistic: Quantity, n_outputs: int = 1) -> tuple[FloatArray, Flags]:
        """Return the statistic of every resample to which the family can be fitted, and flags.

        The flags are set if some fits failed, and if a class has too few observations for intervals from resamples.

        The statistics have shape (fits, n_outputs).
        """
        if self.refit is None:
            raise RocPredictError(
                "method='bootstrap' needs the sample from which the curve was predicted; use rp.predict_roc"
            )
        fits = self.refit.bootstrap_fits(self.resampling)
        outputs = [np.reshape(statistic(solver_for(*pair)), (-1, n_outputs)) for pair in fits]
        replicates = np.concatenate([np.empty((0, n_outputs)), *outputs])
        n_requested = self.resampling.n_resamples
        if 2 * len(replicates) < n_requested:
            raise RocPredictError(
                f"the family could be fitted to only {len(replicates)} of {n_requested} resamples; "
                "pass more observations or another family"
            )
        is_small = min(self.class_sizes) < _MIN_BOOTSTRAP
        return replicates, Flags(dropped_resamples=len(replicates) < n_requested, undercoverage=is_small)

    def _tpr_limits(self, fpr: FloatArray, level: float, method: str) -> tuple[Limits, Flags]:
        """Return the limits of the TPR at each FPR (in a batch, one FPR per feature), and a flag for failed fits."""
        if method == "delta":
            return tpr_probit(*self._moments, fpr).interval(level), Flags()

        def tpr_of(solver: Solver) -> FloatArray:
            return solver_for(add_grid_axis(solver.negative), add_grid_axis(solver.positive)).along("fpr", fpr.ravel())

        if method == "pivotal":
            replicates, dropped = pivotal_tpr(*self._moments, fpr), Flags()
        else:
            replicates, dropped = self.bootstrap(tpr_of, fpr.size)
        low, high = percentile_interval(replicates, level)
        return (np.reshape(low, fpr.shape), np.reshape(high, fpr.shape)), dropped

    def _probability_interval(
        self, quantity: Quantity, level: float, method: str | None, draw_pivots: Callable[[], FloatArray] | None
    ) -> Interval[Any]:
        """Return the interval of a probability, from draws of pivots or by the delta method on the probit scale."""
        engines: dict[str, Callable[[], Limits]] = {}
        if draw_pivots is not None:
            engines["pivotal"] = lambda: percentile_interval(draw_pivots(), level)
        engines["delta"] = lambda: delta_probit(quantity, *self._moments).interval(level)
        return self._interval(quantity, level, method, engines)

    def _interval(
        self, quantity: Quantity, level: float, method: str | None, engines: Mapping[str, Callable[[], Limits]]
    ) -> Interval[Any]:
        """Return the interval of a probability; ``method`` is a key of ``engines``, "bootstrap", or None."""
        method = self._select_method(method, tuple(engines))
        dropped = Flags()
        if method == "bootstrap":
            replicates, dropped = self.bootstrap(quantity)
            limits: Limits = percentile_interval(replicates[:, 0], level)
        else:
            limits = engines[method]()
        interval = self._ensure_width(limits, quantity(self.solver), level, method)
        return replace(interval, flags=interval.flags | dropped)

    def _ensure_width(self, limits: Limits, estimate: FloatArray, level: float, method: str) -> Interval[Any]:
        """Return the interval of a probability; an interval of width 0 is replaced by ``zero_variance_interval``."""
        low, high = map(np.asarray, limits)
        is_flat = ~(high - low > _MIN_WIDTH)
        unseen = zero_variance_interval(estimate, self.class_sizes, level)
        low, high = (to_scalar(np.where(is_flat, *parts)) for parts in zip(unseen, (low, high), strict=True))
        method = "unseen" if is_flat.all() else method
        return Interval(low, high, level, method, to_scalar(estimate), self._flat_flags(is_flat))

    def _flat_flags(self, is_flat: Any) -> Flags:
        """Return flags for replaced intervals of width 0, and for classes with a single observation."""
        single = np.broadcast_to(np.minimum(*self.class_sizes) <= 1, np.shape(is_flat))
        return Flags(fallback=is_flat, single_observation=single)


# ---- the delta method for two fitted Gaussians
class ProbitEstimate(NamedTuple):
    """Estimated probit of a probability, the standard error of the estimate, and the degrees of freedom."""

    z: FloatArray
    std_error: FloatArray
    df: FloatArray

    @classmethod
    def from_variances(cls, z: FloatArray, negative: FloatArray, positive: FloatArray, count: Count) -> ProbitEstimate:
        """Return an estimate whose variance is the sum of two independent terms, one for each class."""
        with np.errstate(invalid="ignore"):
            return cls(z, np.sqrt(negative + positive), satterthwaite_df((negative, positive), count))

    def limits(self, factor: ArrayOrFloat) -> tuple[FloatArray, FloatArray]:
        """Return the probabilities whose probits are ``factor`` standard errors below and above the estimate."""
        with np.errstate(invalid="ignore"):
            half = np.nan_to_num(factor * self.std_error, nan=0.0, posinf=np.inf)
            return ndtr(self.z - half), ndtr(self.z + half)

    def interval(self, level: float) -> tuple[FloatArray, FloatArray]:
        """Return the confidence interval of the probability, computed on the probit scale."""
        return self.limits(student_critical_value(self.df, level))

    def tails(self, value: float) -> Tails:
        """Return the t statistic for a null value of the probability, and both one-sided p-values."""
        with np.errstate(invalid="ignore", divide="ignore"):
            distance = (self.z - ndtri(value)) / self.std_error
        t = float(np.nan_to_num(distance, nan=0.0, posinf=np.inf, neginf=-np.inf))
        return Tails(float(stdtr(self.df, -t)), float(stdtr(self.df, t)), t)


def satterthwaite_df(variances: tuple[FloatArray, FloatArray], count: Count) -> FloatArray:
    """Return Satterthwaite's (1946) degrees of freedom for a sum of two variances; the result is at least 1."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        total = np.add(*variances)
        df = 1 / np.sum([(v / total) ** 2 / (n - 1) for v, n in zip(variances, count, strict=True)], axis=0)
    return np.where(np.isfinite(df), np.maximum(df, 1.0), np.inf)


def student_critical_value(df: FloatArray, level: float) -> FloatArray:
    """Return the quantile of Student's t that is exceeded with probability (1 - level)/2."""
    return np.asarray(np.where(np.isinf(df), normal_critical_value(level), -stdtrit(df, (1 - level) / 2)))


def working_hotelling_factor(level: float, freedom: float) -> float:
    """Return sqrt(2 F), where F is the quantile of the F distribution with 2 and ``freedom`` degrees of freedom."""
    if freedom <= 0:
        return np.inf
    with np.errstate(over="ignore"):
        return float(np.sqrt(freedom * np.expm1(-2 * np.log1p(-level) / freedom)))


def auc_probit(negative: Gaussian[Any], positive: Gaussian[Any], count: Count) -> ProbitEstimate:
    """Return D = (mean difference)/sqrt(sum of variances) and the standard error of D, where AUC = Phi(D)."""
    z, parts = _auc_parts(negative, positive, count)
    with np.errstate(invalid="ignore"):
        half = z * z / 2
        first, second = (mean + half * std for mean, std in parts)
        return ProbitEstimate.from_variances(z, first, second, count)


def tpr_probit(negative: Gaussian[Any], positive: Gaussian[Any], count: Count, fpr: FloatArray) -> ProbitEstimate:
    """Return the probit of the TPR at an FPR, and the standard error of this probit.

    Let the negatives have mean m0 and standard deviation s0, and the positives m1 and s1. The probit of the TPR is
    a + b Phi^-1(FPR), where a = (m1 - m0)/s1 and b = s0/s1.
    """
    d, s0, s1 = BinormalSolver(negative, positive).scaled
    x = ndtri(fpr)
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = s0 / s1
        z = (d + s0 * x) / s1
        first = slope**2 / count[0] + _safe_divide(slope**2 * x * x / 2, count[0] - 1)
        return ProbitEstimate.from_variances(z, first, 1 / count[1] + _safe_divide(z * z / 2, count[1] - 1), count)


def tail_probit(distribution: Gaussian[Any], count: ArrayOrFloat, threshold: ArrayOrFloat) -> ProbitEstimate:
    """Return the probit of P(X >= threshold), and the standard error of this probit."""
    with np.errstate(divide="ignore", invalid="ignore"):
        z = (np.asarray(distribution.mean) - threshold) / np.asarray(distribution.std)
        std_error = np.sqrt(1 / count + _safe_divide(z * z / 2, count - 1))
    return ProbitEstimate(z, std_error, np.maximum(np.asarray(count, dtype=np.float64) - 1, 1.0))


def threshold_std_error(
    negative: Gaussian[Any], positive: Gaussian[Any], count: Count, log_price: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the standard error of the best threshold, and the degrees of freedom of this standard error.

    The standard error (see Schisterman and Perkins 2007) tends to infinity as the two distributions become equal.
    """
    z0, z1, _, _ = BinormalSolver(negative, positive).crossing_z_scores(log_price)
    with np.errstate(divide="ignore", invalid="ignore"):
        steepness = z0 / np.asarray(negative.std) - z1 / np.asarray(positive.std)
        classes = zip((z0, z1), count, strict=True)
        first, second = (z * z / n + _safe_divide((z * z - 1) ** 2 / 2, n - 1) for z, n in classes)
        return np.asarray(np.sqrt(first + second) / np.abs(steepness)), satterthwaite_df((first, second), count)


def delta_std_error(
    quantity: Quantity, negative: Gaussian[Any], positive: Gaussian[Any], count: Count
) -> tuple[FloatArray, FloatArray]:
    """Return the delta-method standard error of ``quantity``, and the degrees of freedom of this standard error.

    ``quantity`` is a smooth function of the moments of two Gaussians. Its derivatives are approximated by central
    differences.
    """
    std_errors = []
    for index, (d, n) in enumerate(zip((negative, positive), count, strict=True)):
        step, std_error = _STEP * np.asarray(d.std), np.zeros(())
        for name, moment_variance in (("mean", 1 / n), ("std", _safe_divide(np.asarray(0.5), n - 1))):
            shifted = []
            for sign in (1, -1):
                pair = [negative, positive]
                pair[index] = replace(d, **{name: getattr(d, name) + sign * step})
                shifted.append(quantity(BinormalSolver(*pair)))
            with np.errstate(invalid="ignore"):
                slope = (shifted[0] - shifted[1]) / (2 * _STEP)  # derivative per standard deviation
                std_error = np.hypot(std_error, np.where(step > 0, slope * np.sqrt(moment_variance), 0.0))
        std_errors.append(std_error)
    first, second = std_errors
    std_error = np.hypot(first, second)
    with np.errstate(invalid="ignore", divide="ignore"):
        return std_error, satterthwaite_df(((first / std_error) ** 2, (second / std_error) ** 2), count)


def delta_probit(
    probability: Quantity, negative: Gaussian[Any], positive: Gaussian[Any], count: Count
) -> ProbitEstimate:
    """Return the probit of a probability that is a smooth function of the moments of two Gaussians.

    The standard error of the probit and its degrees of freedom are computed by the delta method.
    """

    def probit(solver: Solver) -> FloatArray:
        return np.asarray(ndtri(probability(solver)))

    with np.errstate(invalid="ignore"):
        std_error, df = delta_std_error(probit, negative, positive, count)
    return ProbitEstimate(probit(BinormalSolver(negative, positive)), std_error, df)


def _auc_parts(
    negative: Gaussian[Any], positive: Gaussian[Any], count: Count
) -> tuple[FloatArray, tuple[tuple[FloatArray, FloatArray], ...]]:
    """Return D (see ``auc_probit``) and, for each class, two terms of the variance of D.

    The first term comes from the estimated mean, the second from the estimated standard deviation; the caller must
    multiply the second term by D^2/2. The terms do not depend on the unit of the feature, because they are computed
    from the variance of each class divided by the sum of both variances.
    """
    d, s0, s1 = BinormalSolver(negative, positive).scaled
    with np.errstate(divide="ignore", invalid="ignore"):
        size = np.hypot(s0, s1)
        z = np.where((size == 0) & (d == 0), 0.0, d / size)
        shares = (s0 / size) ** 2, (s1 / size) ** 2
        parts = tuple((share / n, _safe_divide(share**2, n - 1)) for share, n in zip(shares, count, strict=True))
    return z, parts


def _safe_divide(part: FloatArray, whole: ArrayOrFloat) -> FloatArray:
    """Return part/whole, or infinity if ``whole`` is 0 (no degrees of freedom)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(np.greater(whole, 0), np.divide(part, whole), np.inf)


# ---- the noncentral t distribution
def reiser_guttman_interval(
    negative: Gaussian[Any], positive: Gaussian[Any], count: Count, level: float
) -> tuple[FloatArray, FloatArray]:
    """Return the confidence interval of the AUC by the method of Reiser and Guttman (1986).

    The interval is computed from the noncentral t distribution of D, which is defined in ``auc_probit``.
    """
    z, parts = _auc_parts(negative, positive, count)
    with np.errstate(divide="ignore", invalid="ignore"):
        size, freedom = 1 / np.sqrt(parts[0][0] + parts[1][0]), 1 / (parts[0][1] + parts[1][1])
        return noncentral_t_interval(z, size, freedom, level)


def noncentral_t_interval(
    z: FloatArray, size: ArrayOrFloat, freedom: ArrayOrFloat, level: float
) -> tuple[FloatArray, FloatArray]:
    """Return the confidence interval of Phi(c), from an estimate z of c.

    The interval is exact if size * z has a noncentral t distribution with noncentrality size * c and ``freedom``
    degrees of freedom. If P(X >= threshold) = Phi(c) is estimated from n Gaussian values, this condition is met if
    size^2 = n and freedom = n - 1.
    """
    low, high = np.vectorize(_noncentral_t_limits)(size * z, freedom, level)
    return ndtr(low / size), ndtr(high / size)


def _noncentral_t_limits(t: float, freedom: float, level: float) -> tuple[float, float]:
    """Return the confidence limits of the noncentrality parameter, from one value ``t`` of a noncentral t variable."""
    from scipy.optimize import brentq
    from scipy.stats import nct

    if not np.isfinite(t) or not freedom > 0:
        return -np.inf, np.inf
    stride = 1 + abs(t) / np.sqrt(2 * freedom)  # about one standard deviation of t

    def solve(tail: float) -> float:
        def excess(c: float) -> float:
            return float(nct.cdf(t, freedom, c)) - tail

        sign = 1.0 if excess(t) > 0 else -1.0
        start, end = t, t + sign * stride
        while excess(end) * sign > 0:  # small steps, because SciPy's function returns NaN far from t
            start, end = end, end + sign * stride
        if np.isnan(excess(start) + excess(end)):
            return np.nan
        return float(brentq(excess, start, end, xtol=1e-12))

    return solve((1 + level) / 2), solve((1 - level) / 2)


# ---- generalized pivots of two fitted Gaussians
@dataclass(frozen=True)
class PivotalAuc:
    """Distribution of the generalized pivot of D, where AUC = Phi(D) (see Li, Liao and Liu 2008).

    The standard deviation of each class is drawn as s sqrt((n - 1)/q), where s is the standard deviation of the n
    observations, and q is a chi-squared variate with n - 1 degrees of freedom. Given the drawn standard deviations, the
    distance between the means has a normal distribution. The distribution of the pivot is therefore a mixture of normal
    distributions.

    Attributes
    ----------
    distance : float
        Distance between the estimated means.
    scale, std_error : arrays of shape (draws,)
        ``scale`` is the square root of the sum of the two drawn variances. ``std_error`` is the standard error of the
        distance, computed from the drawn variances.
    """

    distance: float
    scale: FloatArray
    std_error: FloatArray

    @classmethod
    def from_moments(cls, negative: Gaussian[Any], positive: Gaussian[Any], count: Count) -> PivotalAuc:
        """Return the pivot for the two Gaussians of one feature."""
        distance, *stds = BinormalSolver(negative, positive).scaled
        s0, s1 = (_draw_std(s, n, axis) for s, n, axis in zip(stds, count, (0, 1), strict=True))
        return cls(float(distance), np.hypot(s0, s1), np.hypot(s0 / np.sqrt(count[0]), s1 / np.sqrt(count[1])))

    def tail(self, probit: float, sign: float) -> float:
        """Return P(D <= ``probit``) if ``sign`` is 1, or P(D >= ``probit``) if ``sign`` is -1."""
        with np.errstate(under="ignore"):
            return float(np.mean(ndtr(sign * (probit * self.scale - self.distance) / self.std_error)))

    def tails(self, value: float) -> Tails:
        """Return both one-sided p-values for a null value of the AUC, and the equivalent normal quantile."""
        greater, less = (self.tail(float(ndtri(value)), sign) for sign in (1.0, -1.0))
        return Tails(greater, less, float(ndtri(less) if less < greater else -ndtri(greater)))

    def interval(self, level: float) -> tuple[float, float]:
        """Return the confidence interval of the AUC."""
        from scipy.optimize import brentq

        alpha, limits = (1 - level) / 2, []
        for sign in (1.0, -1.0):
            ends = (self.distance + sign * ndtri(alpha) * self.std_error) / self.scale
            start, end = float(ends.min()), float(ends.max())
            excess = [self.tail(probit, sign) - alpha for probit in (start, end)]
            if excess[0] * excess[1] < 0:
                start = float(brentq(lambda probit, s=sign: self.tail(probit, s) - alpha, start, end, xtol=1e-12))
            limits.append(float(ndtr(start)))
        return limits[0], limits[1]


def pivotal_tpr(negative: Gaussian[Any], positive: Gaussian[Any], count: Count, fpr: FloatArray) -> FloatArray:
    """Return draws of the TPR at k FPRs, as an array of shape (draws, k).

    The draws are computed from the pivot of a + b Phi^-1(FPR); see ``tpr_probit`` for a and b.
    """
    points = lattice(3)
    d, *stds = BinormalSolver(negative, positive).scaled
    s0, s1 = (_draw_std(s, n, axis)[:, None] for s, n, axis in zip(stds, count, (0, 1), strict=True))
    distance = d + ndtri(points[:, 2:]) * np.hypot(s0 / np.sqrt(count[0]), s1 / np.sqrt(count[1]))
    with np.errstate(invalid="ignore", under="ignore"):
        return np.asarray(ndtr((distance + s0 * ndtri(np.ravel(fpr))) / s1))


def pivotal_areas(negative: Gaussian[Any], positive: Gaussian[Any], count: Count, rate_range: RateRange) -> FloatArray:
    """Return draws of the partial area, divided by the width of the rate range, as an array of shape (draws,).

    The area is computed by Gauss-Legendre quadrature over a variable t from 0 to 1. The rate at t is low + (high -
    low)(3 t^2 - 2 t^3), where low and high are the limits of the range. As a function of t, even a curve that is steep
    at the ends of the range is smooth.
    """
    if np.ndim(rate_range.low) or np.ndim(rate_range.high):
        raise RocPredictError(f"{rate_range.axis}= contains arrays; pass two numbers, such as (0, 0.2)")
    low, high = float(rate_range.low), float(rate_range.high)
    if rate_range.axis == "tpr":
        negative, positive, count = positive.reflect(), negative.reflect(), count[::-1]
        low, high = 1 - high, 1 - low
    nodes, weights = np.polynomial.legendre.leggauss(_N_NODES)
    t = (nodes + 1) / 2
    fpr = low + (high - low) * t * t * (3 - 2 * t)
    return np.asarray(pivotal_tpr(negative, positive, count, fpr) @ (weights * 3 * t * (1 - t)))


def pivotal_draws(negative: Gaussian[Any], positive: Gaussian[Any], count: Count, quantity: Quantity) -> FloatArray:
    """Return the value of ``quantity`` for each draw of the moments of two Gaussians, as an array of shape (draws,).

    ``quantity`` is a function of these moments, which are drawn from their generalized pivots.
    """
    points = lattice(4)
    drawn = []
    for d, n, axis in zip((negative, positive), count, (0, 2), strict=True):
        std = _draw_std(np.asarray(d.std), n, axis)
        drawn.append(Gaussian(d.mean + ndtri(points[:, axis + 1]) * std / np.sqrt(n), std))
    return np.broadcast_to(quantity(BinormalSolver(*drawn)), (_N_PIVOTS,))


def lattice(n_dims: int) -> FloatArray:
    """Return quasi-random numbers of shape (draws, n_dims): the points of a Korobov lattice in the unit cube."""
    generator = [pow(_KOROBOV, power, _N_PIVOTS) for power in range(n_dims)]
    return np.asarray((np.outer(np.arange(_N_PIVOTS), generator) % _N_PIVOTS + 0.5) / _N_PIVOTS)


def _draw_std(std: FloatArray, count: ArrayOrFloat, axis: int) -> FloatArray:
    """Return draws of the pivot of a standard deviation, computed as ``std`` times ``_std_ratios``."""
    return np.asarray(std * _std_ratios(float(count), axis))


@lru_cache(maxsize=16)  # the chi-squared quantiles take most of the time of an interval
def _std_ratios(count: float, axis: int) -> FloatArray:
    """Return sqrt(f/q), where q are chi-squared quantiles with f = ``count`` - 1 degrees of freedom."""
    half = (count - 1) / 2
    quantiles = gammaincinv(half, lattice(axis + 1)[:, axis])
    return readonly_array(np.sqrt(half / np.maximum(quantiles, np.finfo(float).tiny)))
