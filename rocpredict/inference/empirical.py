"""Uncertainty of an empirical ROC curve."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from scipy.special import betaincinv

from rocpredict.base.rates import ConfusionCounts, clopper_pearson
from rocpredict.base.results import Flags, Interval
from rocpredict.base.validation import ArrayOrFloat, FloatArray, check_option, readonly_array, to_scalar
from rocpredict.distributions.ecdf import Ecdf
from rocpredict.inference.base import KINDS, ConfidenceBand, Uncertainty, area_function
from rocpredict.inference.best_threshold import corrected_ameans_interval, threshold_set
from rocpredict.inference.bootstrap import (
    BootstrapOptions,
    ResampledThresholds,
    bootstrap_areas,
    bootstrap_thresholds,
    bootstrap_tpr,
    expand_weights,
    percentile_intervals,
)
from rocpredict.inference.curve_draws import (
    class_columns,
    draw_quantity,
    draws_interval,
    orient_to_range,
)
from rocpredict.inference.hypotheses import AucTest, Hypothesis, empirical_auc_test
from rocpredict.inference.intervals import (
    PARTIAL_AUC_METHODS,
    auc_interval,
    auc_std_error,
    check_total_weight,
    rate_interval,
)
from rocpredict.inference.placements import Placements, RateRange, compute_placements, partial_placements
from rocpredict.inference.samples import ClassColumns
from rocpredict.solvers.empirical import EmpiricalSolver
from rocpredict.solvers.thresholds import (
    CHANCE_AMEANS,
    ThresholdCriterion,
    ThresholdStability,
    correct_ameans,
    find_best_threshold,
)

TPR_METHODS = ("dirichlet", "bootstrap", "hilgers")
"""Intervals of the TPR at an FPR; the first is the default."""
THRESHOLD_METHODS = ("test-inversion", "bootstrap")
"""Intervals of the best threshold for a weighted criterion; the first is the default. Others have the bootstrap."""
AMEANS_METHOD = "optimism-corrected"
_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True)
class EmpiricalUncertainty(Uncertainty):
    """Uncertainty of an empirical ROC."""

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
        """Cases of each class."""
        return self.negative.total, self.positive.total

    @cached_property
    def _cases(self) -> tuple[Ecdf, Ecdf]:
        return expand_weights(self.negative), expand_weights(self.positive)

    @cached_property
    def _columns(self) -> tuple[ClassColumns, ClassColumns]:
        return class_columns(self._cases[0]), class_columns(self._cases[1])

    def area_std_error(self, rate_range: RateRange | None, method: str | None) -> float:
        """Return the standard error of an area."""
        replicate = partial(bootstrap_areas, *self._cases, rate_range, self.resampling)
        return auc_std_error(self._placements(rate_range), method, replicate)

    def area_interval(self, rate_range: RateRange | None, level: float, method: str | None) -> Interval[Any]:
        """Return the interval of an area."""
        if rate_range is not None:
            check_option("method", method, (None, "dirichlet", *PARTIAL_AUC_METHODS))
            if method in {None, "dirichlet"}:
                return self._drawn_area_interval(rate_range, level)
        replicate = partial(bootstrap_areas, *self._cases, rate_range, self.resampling)
        return auc_interval(self._placements(rate_range), level, method, replicate)

    def _drawn_area_interval(self, rate_range: RateRange, level: float) -> Interval[Any]:
        """Return the interval of a partial area, as a fraction of the width of its range, by Dirichlet draws."""
        check_total_weight(self.class_sizes, "an interval")
        classes, low_fpr, high_fpr = orient_to_range(self._columns, rate_range)
        ((low_draws, high_draws),) = draw_quantity(
            classes, lambda draws: draws.area(low_fpr, high_fpr), (low_fpr, high_fpr), self.resampling
        )
        estimate, width = float(area_function(rate_range)(self.solver)), high_fpr - low_fpr
        low, high = draws_interval(low_draws / width, high_draws / width, level)
        limits = max(0.0, min(float(low), estimate)), min(1.0, max(float(high), estimate))
        flags = Flags(extrapolated=classes[0].total * high_fpr < 1, single_observation=min(self.class_sizes) <= 1)
        return Interval(*limits, level, "dirichlet", estimate, flags)

    def auc_test(self, null: Any, method: str | None, claim: Hypothesis, level: float, direction: str) -> AucTest:
        """Test the AUC against a value."""
        rows: dict[str, Any] = {"n": self.class_sizes, "direction": (direction,), "flags": Flags()}
        return empirical_auc_test(self._placements(None), self._cases, null, method, claim=claim, level=level, **rows)

    def tpr_at_fpr_interval(self, fpr: FloatArray, level: float, method: str | None) -> Interval[Any]:
        """Return the interval of the TPR at each of some FPRs."""
        method = check_option("method", method, (None, *TPR_METHODS)) or TPR_METHODS[0]
        if method == "dirichlet":
            return self._drawn_tpr_interval(fpr, level)
        limits, flat = self._hilgers_limits(fpr, level), np.zeros(fpr.shape, dtype=bool)
        if method == "bootstrap":
            replicates = bootstrap_tpr(*self._cases, fpr.ravel(), self.resampling)
            resampled = [np.reshape(limit, fpr.shape) for limit in percentile_intervals(replicates, level)]
            flat = (resampled[0] == resampled[1]) & (fpr < 1)  # at FPR 1 the TPR is 1, whatever the data
            limits = np.where(flat, limits[0], resampled[0]), np.where(flat, limits[1], resampled[1])
        low, high, estimate = (to_scalar(part) for part in (*limits, self.solver.along("fpr", fpr)))
        return Interval(low, high, level, "hilgers" if flat.all() else method, estimate, Flags(fallback=flat))

    def _drawn_tpr_interval(self, fpr: FloatArray, level: float) -> Interval[Any]:
        """Return the interval of the TPR at each of some FPRs by Dirichlet draws; it holds the empirical TPR."""
        check_total_weight(self.class_sizes, "an interval")
        at = fpr.ravel()
        ends = float(at.min()), float(at.max())
        (draws,) = draw_quantity(self._columns, lambda curve: curve.tpr_at(at), ends, self.resampling)
        limits = (np.reshape(limit, fpr.shape) for limit in draws_interval(*draws, level))
        low, high = (np.where(fpr == 1, 1.0, np.clip(limit, 0, 1)) for limit in limits)
        estimate = np.asarray(self.solver.along("fpr", fpr))
        flags = Flags(extrapolated=self.negative.total * fpr < 1, single_observation=min(self.class_sizes) <= 1)
        low, high = np.minimum(low, estimate), np.maximum(high, estimate)
        return Interval(to_scalar(low), to_scalar(high), level, "dirichlet", to_scalar(estimate), flags)

    def rate_interval(self, measure: str, threshold: ArrayOrFloat, level: float, method: str | None) -> Interval[Any]:
        """Return the interval of a measure at a threshold that was fixed beforehand."""
        shares = [(d.sf_inclusive(threshold), d.cdf_strict(threshold)) for d in (self.negative, self.positive)]
        (fp, tn), (tp, fn) = (np.multiply(total, share) for total, share in zip(self.class_sizes, shares, strict=True))
        return rate_interval(ConfusionCounts(tp, fp, fn, tn), measure, level, method)

    def threshold_interval(self, criterion: ThresholdCriterion, level: float, method: str | None) -> Interval[Any]:
        """Return the interval of the best threshold."""
        price = criterion.log_price
        methods = ("bootstrap",) if price is None else THRESHOLD_METHODS
        method = check_option("method", method, (None, *methods)) or methods[0]
        best = find_best_threshold(self.solver, criterion)
        if price is not None and method == THRESHOLD_METHODS[0]:
            limits, flags = threshold_set(self.solver.points, float(price), self.class_sizes, level), Flags()
        else:
            resampled = bootstrap_thresholds(*self._cases, criterion, self.resampling).thresholds
            low = float(np.quantile(resampled, (1 - level) / 2, method="lower"))
            high = float(np.quantile(resampled, (1 + level) / 2, method="higher"))
            limits = min(low, float(best.plateau_low)), max(high, float(best.plateau_high))
            flags = Flags(undercoverage=True)
        return Interval(*limits, level, method, float(best.threshold), best.flags | flags)

    def stability(
        self, criterion: ThresholdCriterion, to_feature_scale: Callable[[FloatArray], Any] = np.asarray
    ) -> ThresholdStability:
        """Return what the threshold does over resamples, and its Ameans on rows that it was not chosen on."""
        best = find_best_threshold(self.solver, criterion)
        first, last = np.sort(to_feature_scale(np.array([best.plateau_low, best.plateau_high])))
        resampled = bootstrap_thresholds(*self._cases, criterion, self.resampling)
        thresholds = np.sort(np.asarray(to_feature_scale(resampled.thresholds)))
        quantiles = np.quantile(thresholds, _QUANTILES, method="inverted_cdf").tolist()
        return ThresholdStability(
            thresholds=readonly_array(thresholds),
            quantiles=dict(zip(_QUANTILES, quantiles, strict=True)),
            fraction_in_plateau=float(np.mean((thresholds >= first) & (thresholds <= last))),
            ameans_in_sample=float(best.tpr + best.tnr) / 2,
            ameans_oob=_mean_oob(resampled),
            n_resamples=len(thresholds),
            n_failed=int(np.isnan(resampled.ameans_oob).sum()),
        )

    def ameans_interval(self, criterion: ThresholdCriterion, level: float, method: str | None) -> Interval[Any]:
        """Return the interval of the Ameans that the chosen threshold has in the population."""
        check_option("method", method, (None, AMEANS_METHOD))
        best = find_best_threshold(self.solver, criterion)
        resampled = bootstrap_thresholds(*self._cases, criterion, self.resampling)
        estimate = correct_ameans(_mean_oob(resampled), float(best.tpr + best.tnr) / 2)
        limits = corrected_ameans_interval(best, resampled, estimate, self.class_sizes, level)
        return Interval(*limits, level, AMEANS_METHOD, estimate, best.flags)

    def _band(self, fpr: FloatArray, level: float, kind: str, method: str | None) -> ConfidenceBand:
        check_total_weight(self.class_sizes, "a band")
        if kind == KINDS[0]:
            return self._pointwise_band(fpr, level, method)
        check_option("method", method, (None, "kolmogorov-smirnov"))
        return self._kolmogorov_smirnov_band(self.class_sizes, fpr, level, kind)

    def _pointwise_band(self, fpr: FloatArray, level: float, method: str | None) -> ConfidenceBand:
        """Return the pointwise intervals, wider where it takes that to hold the estimate and to rise as a curve does.

        Where resamples all have the same height the exact interval stands in, and is wider than those beside it.
        """
        interval = self.tpr_at_fpr_interval(fpr, level, method)
        sure = fpr == 1  # where every curve ends
        tpr = np.where(sure, 1.0, interval.estimate)
        order = np.argsort(fpr)
        low, high = (
            np.where(sure, 1.0, np.minimum(interval.low, tpr)),
            np.where(sure, 1.0, np.maximum(interval.high, tpr)),
        )
        low[order] = np.minimum.accumulate(low[order][::-1])[::-1]
        high[order] = np.maximum.accumulate(high[order])
        fallback = interval.flags["fallback"] & ~sure if "fallback" in interval.flags else False
        flags = Flags(fallback=fallback, single_observation=min(self.class_sizes) <= 1)
        return ConfidenceBand(fpr, tpr, low, high, level, KINDS[0], interval.method, flags)

    def _placements(self, rate_range: RateRange | None) -> Placements:
        placements = (
            compute_placements(*self._cases) if rate_range is None else partial_placements(*self._cases, rate_range)
        )
        check_total_weight(placements.n_units, "an interval")
        return placements

    def _hilgers_limits(self, fpr: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
        """Return ends that hold whatever the distributions (Hilgers 1991).

        The FPR of the k-th largest of n negatives is beta distributed: a threshold whose FPR is surely above
        the one asked for, and one surely below, each with the exact interval of the TPR there. The four tails
        share 1 - level.
        """
        tail = (1 - level) / 4
        negatives, positives = self.negative.total, self.positive.total
        strict = _largest_satisfying(lambda rank: betaincinv(rank, negatives + 1 - rank, 1 - tail) <= fpr, negatives)
        lax = _largest_satisfying(lambda rank: betaincinv(rank, negatives + 1 - rank, tail) < fpr, negatives) + 1
        caught_strict = self.positive.weight_above(self._kth_largest(strict))
        caught_lax = self.positive.weight_at_or_above(self._kth_largest(lax))
        low, _ = clopper_pearson(caught_strict, np.full(fpr.shape, positives), 1 - 2 * tail)
        _, high = clopper_pearson(caught_lax, np.full(fpr.shape, positives), 1 - 2 * tail)
        return np.where(strict < 1, 0.0, low), np.where(lax > negatives, 1.0, high)

    def _kth_largest(self, rank: FloatArray) -> FloatArray:
        """Return the value with this rank among the negatives, the largest being 1; beyond the ends infinite."""
        values = self.negative.unique_values[::-1]
        index = np.searchsorted(np.cumsum(self.negative.unique_weights[::-1]), rank, side="left")
        kth = np.append(values, -np.inf)[index]
        return np.where(rank < 1, np.inf, kth)


def _mean_oob(resampled: ResampledThresholds) -> float:
    """Return the mean out-of-bag Ameans, that of chance where no resample left out a row of each class."""
    defined = resampled.ameans_oob[~np.isnan(resampled.ameans_oob)]
    return float(defined.mean()) if defined.size else CHANCE_AMEANS


def _largest_satisfying(holds: Callable[[FloatArray], Any], most: float) -> FloatArray:
    """Return the largest whole rank up to ``most`` for which a condition holds; it holds up to there. 0: for none."""
    with np.errstate(invalid="ignore"):
        low = np.zeros(np.shape(holds(np.asarray(1.0))))
        high = np.full(low.shape, np.floor(most) + 1)
        while (high - low > 1).any():
            middle = np.floor((low + high) / 2)
            good = holds(np.maximum(middle, 1.0))
            low, high = np.where(good & (middle >= 1), middle, low), np.where(good & (middle >= 1), high, middle)
        return low
