"""Uncertainty of an empirical ROC curve."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
from scipy.special import betaincinv

from rocpredict.base.results import Flags, Interval, clopper_pearson
from rocpredict.base.validation import FloatArray, check_option
from rocpredict.distributions.ecdf import Ecdf
from rocpredict.inference.auc import (
    AREA_METHODS,
    BAND_METHODS,
    ameans_interval,
    auc_interval,
    auc_std_error,
    check_total_weight,
)
from rocpredict.inference.bootstrap import (
    BootstrapOptions,
    BootstrapThresholds,
    ThresholdStability,
    bootstrap_auc,
    bootstrap_thresholds,
    bootstrap_tpr,
    expand_weights,
    percentile_interval,
    resampled_partial_areas,
)
from rocpredict.inference.differences import OneSampleInput, test_empirical_auc
from rocpredict.inference.hypotheses import AucTest, Hypothesis
from rocpredict.inference.placements import Placements, RateInterval, compute_placements, partial_placements
from rocpredict.solvers.base import OptimalThreshold
from rocpredict.solvers.empirical import EmpiricalSolver
from rocpredict.solvers.thresholds import ThresholdCriterion, find_best_threshold

HEIGHT_METHODS = ("bootstrap", "hilgers")
"""Intervals of the TPR at an FPR; the first is the default."""


@dataclass(frozen=True)
class EmpiricalUncertainty:
    """Answer how far off the answers of an empirical ROC may be.

    Attributes
    ----------
    negative, positive : Ecdf
        Of the rule "positive when x >= threshold".
    resampling : Resampling
    """

    negative: Ecdf
    positive: Ecdf
    resampling: BootstrapOptions
    is_empirical: ClassVar[Literal[True]] = True

    @cached_property
    def solver(self) -> EmpiricalSolver:
        """Solver of the two samples."""
        return EmpiricalSolver(self.negative, self.positive)

    def auc_std_error(self, method: str | None) -> float:
        """Give the standard error of the AUC."""
        return auc_std_error(self._placements(), method, self._bootstrap_auc)

    def auc_interval(self, level: float, method: str | None) -> Interval:
        """Give the interval of the AUC."""
        return auc_interval(self._placements(), level, _select_method(method, AREA_METHODS), self._bootstrap_auc)

    def auc_test(self, null: Any, method: str | None, hypothesis: Hypothesis, level: float, direction: str) -> AucTest:
        """Test the AUC against a value."""
        count = (self.negative.total, self.positive.total)
        return test_empirical_auc(
            OneSampleInput(self._placements(), self._cases(), count, direction), null, method, hypothesis, level
        )

    def partial_auc_std_error(self, band: RateInterval, method: str | None) -> float:
        """Give the standard error of the area in a band, as a share of its width."""
        check_option("method", method, (None, "delong", "smoothed-logit", "bootstrap"))
        return auc_std_error(self._placements(band), method, lambda: self._partial_areas(band))

    def partial_auc_interval(self, band: RateInterval, level: float, method: str | None) -> Interval:
        """Give the interval of the area in a band, as a share of its width."""
        chosen = _select_method(method, BAND_METHODS)
        return auc_interval(self._placements(band), level, chosen, lambda: self._partial_areas(band))

    def tpr_at_fpr_interval(self, fpr: FloatArray, level: float, method: str | None) -> Interval:
        """Give the interval of the TPR at each of some FPRs, shape (k,)."""
        method = _select_method(method, HEIGHT_METHODS)
        estimate = self.solver.along("fpr", fpr)
        low, high = self._hilgers_limits(fpr, level)
        if method == "hilgers":
            return Interval(low, high, level, method, estimate)
        replicates = bootstrap_tpr(*self._cases(), fpr, self.resampling)
        ends = [percentile_interval(column, level) for column in replicates.T]
        resampled_low, resampled_high = np.array(ends).T
        flat = (resampled_low == resampled_high) & (fpr < 1)  # at FPR 1 the TPR is 1, whatever the data
        flags = Flags(fallback=flat)
        method = "hilgers" if flat.all() else method
        return Interval(
            np.where(flat, low, resampled_low), np.where(flat, high, resampled_high), level, method, estimate, flags
        )

    def threshold_interval(self, criterion: ThresholdCriterion, level: float, method: str | None) -> Interval:
        """Give the interval of the best threshold: its quantiles over resamples."""
        _select_method(method, ("bootstrap",))
        best = self._best(criterion)
        chosen = np.sort(self._bootstrap_thresholds(criterion).thresholds)
        low = min(float(np.quantile(chosen, (1 - level) / 2, method="lower")), float(best.plateau_low))
        high = max(float(np.quantile(chosen, (1 + level) / 2, method="higher")), float(best.plateau_high))
        return Interval(low, high, level, "bootstrap", float(best.threshold), best.flags)

    def stability(
        self, criterion: ThresholdCriterion, to_feature_scale: Callable[[FloatArray], Any] = np.asarray
    ) -> ThresholdStability:
        """Tell what the threshold does over resamples, and what its Ameans is worth on rows it was not chosen on."""
        best = self._best(criterion)
        ameans = float(best.tpr + best.tnr) / 2
        ends = np.sort(to_feature_scale(np.array([best.plateau_low, best.plateau_high])))
        choices = self._bootstrap_thresholds(criterion)
        thresholds = np.asarray(to_feature_scale(choices.thresholds))
        return ThresholdStability.from_bootstrap(
            choices._replace(thresholds=thresholds), ameans, (float(ends[0]), float(ends[1]))
        )

    def ameans_interval(self, criterion: ThresholdCriterion, level: float, method: str | None) -> Interval:
        """Give the interval of the Ameans that the chosen threshold has in truth, about its out-of-bag mean."""
        _select_method(method, ("out-of-bag",))
        best = self._best(criterion)
        honest = self.stability(criterion).ameans_oob
        optimism = (float(best.tpr) + float(best.tnr)) / 2 - honest
        tpr, tnr = (min(max(float(rate) - optimism, 0.0), 1.0) for rate in (best.tpr, best.tnr))
        low, high = ameans_interval(tpr, tnr, (self.negative.total, self.positive.total), level)
        return Interval(low, high, level, "out-of-bag", honest, best.flags)

    def _best(self, criterion: ThresholdCriterion) -> OptimalThreshold:
        return find_best_threshold(self.solver, criterion)

    def _bootstrap_thresholds(self, criterion: ThresholdCriterion) -> BootstrapThresholds:
        return bootstrap_thresholds(*self._cases(), criterion, self.resampling)

    def _placements(self, band: RateInterval | None = None) -> Placements:
        pair = self._cases()
        placements = compute_placements(*pair) if band is None else partial_placements(*pair, band)
        check_total_weight(placements)
        return placements

    def _bootstrap_auc(self) -> FloatArray:
        return bootstrap_auc(*self._cases(), self.resampling)

    def _partial_areas(self, band: RateInterval) -> FloatArray:
        return resampled_partial_areas(*self._cases(), band, self.resampling)

    def _cases(self) -> tuple[Ecdf, Ecdf]:
        return expand_weights(self.negative), expand_weights(self.positive)

    def _hilgers_limits(self, fpr: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
        """Give ends that hold whatever the distributions (Hilgers 1991).

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
        """Give the value with this rank among the negatives, the largest being 1; beyond the ends infinite."""
        values = self.negative.unique_values[::-1]
        index = np.searchsorted(np.cumsum(self.negative.unique_weights[::-1]), rank, side="left")
        found = np.append(values, -np.inf)[index]
        return np.where(rank < 1, np.inf, found)


def _largest_satisfying(holds: Callable[[FloatArray], Any], most: float) -> FloatArray:
    """Give the largest whole rank up to ``most`` for which a condition holds; it holds up to there. 0: for none."""
    with np.errstate(invalid="ignore"):
        low = np.zeros(np.shape(holds(np.asarray(1.0))))
        high = np.full(low.shape, np.floor(most) + 1)
        while (high - low > 1).any():
            middle = np.floor((low + high) / 2)
            good = holds(np.maximum(middle, 1.0))
            low, high = np.where(good & (middle >= 1), middle, low), np.where(good & (middle >= 1), high, middle)
        return low


def _select_method(method: str | None, allowed: tuple[str, ...]) -> str:
    """Give the method asked for, or the default, the first of those allowed."""
    check_option("method", method, (None, *allowed))
    return allowed[0] if method is None else method
