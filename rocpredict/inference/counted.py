"""Uncertainty of a curve that was counted on two samples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from scipy.special import betaincinv

from rocpredict import steps
from rocpredict.answers import Optimum
from rocpredict.arguments import FloatArray, one_of
from rocpredict.distributions import Ecdf
from rocpredict.flags import Flags
from rocpredict.inference.areas import (
    AREA_METHODS,
    BAND_METHODS,
    area_interval,
    area_std_error,
    check_units,
)
from rocpredict.inference.bootstrap import Resampling, percentile_ends, resampled_areas
from rocpredict.inference.one_curve import OneCurve, compare_counted
from rocpredict.inference.placements import Band, Placements, place, place_in_band
from rocpredict.inference.rates import ameans_ends
from rocpredict.inference.replicates import (
    Choices,
    as_cases,
    resampled_choices,
    resampled_heights,
    resampled_partial_areas,
)
from rocpredict.inference.results import AucTest, Claim
from rocpredict.inference.stability import Stability
from rocpredict.interval import Interval, clopper_pearson
from rocpredict.thresholds import Target, find_best

HEIGHT_METHODS = ("bootstrap", "hilgers")
"""Intervals of the TPR at an FPR; the first is the default."""


@dataclass(frozen=True)
class Counted:
    """Answer how far off the answers of an empirical ROC may be.

    Attributes
    ----------
    negative, positive : Ecdf
        Of the rule "positive when x >= threshold".
    resampling : Resampling
    """

    negative: Ecdf
    positive: Ecdf
    resampling: Resampling
    counted: ClassVar[Literal[True]] = True

    def auc_std_error(self, method: str | None) -> float:
        """Give the standard error of the AUC."""
        return area_std_error(self._placed(), method, self._areas)

    def auc_interval(self, level: float, method: str | None) -> Interval:
        """Give the interval of the AUC."""
        return area_interval(self._placed(), level, _chosen(method, AREA_METHODS), self._areas)

    def auc_test(self, null: Any, method: str | None, claim: Claim, level: float, direction: str) -> AucTest:
        """Test the AUC against a value."""
        count = (self.negative.total, self.positive.total)
        return compare_counted(OneCurve(self._placed(), self._cases(), count, direction), null, method, claim, level)

    def partial_auc_std_error(self, band: Band, method: str | None) -> float:
        """Give the standard error of the area in a band, as a share of its width."""
        one_of("method", method, (None, "delong", "smoothed-logit", "bootstrap"))
        return area_std_error(self._placed(band), method, lambda: self._partial_areas(band))

    def partial_auc_interval(self, band: Band, level: float, method: str | None) -> Interval:
        """Give the interval of the area in a band, as a share of its width."""
        chosen = _chosen(method, BAND_METHODS)
        return area_interval(self._placed(band), level, chosen, lambda: self._partial_areas(band))

    def tpr_at_fpr_interval(self, fpr: FloatArray, level: float, method: str | None) -> Interval:
        """Give the interval of the TPR at each of some FPRs, shape (k,)."""
        method = _chosen(method, HEIGHT_METHODS)
        estimate = steps.tpr_at_fpr(self.negative, self.positive, fpr)
        low, high = self._hilgers(fpr, level)
        if method == "hilgers":
            return Interval(low, high, level, method, estimate)
        replicates = resampled_heights(*self._cases(), fpr, self.resampling)
        ends = [percentile_ends(column, level) for column in replicates.T]
        resampled_low, resampled_high = np.array(ends).T
        flat = (resampled_low == resampled_high) & (fpr < 1)  # at FPR 1 the TPR is 1, whatever the data
        flags = Flags(fallback=flat)
        method = "hilgers" if flat.all() else method
        return Interval(
            np.where(flat, low, resampled_low), np.where(flat, high, resampled_high), level, method, estimate, flags
        )

    def threshold_interval(self, target: Target, level: float, method: str | None) -> Interval:
        """Give the interval of the best threshold: its quantiles over resamples."""
        _chosen(method, ("bootstrap",))
        best = self._best(target)
        chosen = np.sort(self._choices(target).thresholds)
        low = min(float(np.quantile(chosen, (1 - level) / 2, method="lower")), float(best.low))
        high = max(float(np.quantile(chosen, (1 + level) / 2, method="higher")), float(best.high))
        return Interval(low, high, level, "bootstrap", float(best.threshold), best.flags)

    def stability(self, target: Target, turned_back: Callable[[FloatArray], Any] = np.asarray) -> Stability:
        """Tell what the threshold does over resamples, and what its Ameans is worth on rows it was not chosen on."""
        best = self._best(target)
        ameans = float(best.tpr + best.tnr) / 2
        ends = np.sort(turned_back(np.array([best.low, best.high])))
        choices = self._choices(target)
        thresholds = np.asarray(turned_back(choices.thresholds))
        return Stability.of(choices._replace(thresholds=thresholds), ameans, (float(ends[0]), float(ends[1])))

    def ameans_interval(self, target: Target, level: float, method: str | None) -> Interval:
        """Give the interval of the Ameans that the chosen threshold has in truth, about its out-of-bag mean."""
        _chosen(method, ("out-of-bag",))
        best = self._best(target)
        honest = self.stability(target).ameans_out_of_bag
        optimism = (float(best.tpr) + float(best.tnr)) / 2 - honest
        tpr, tnr = (min(max(float(rate) - optimism, 0.0), 1.0) for rate in (best.tpr, best.tnr))
        low, high = ameans_ends(tpr, tnr, (self.negative.total, self.positive.total), level)
        return Interval(low, high, level, "out-of-bag", honest, best.flags)

    def _best(self, target: Target) -> Optimum:
        return find_best(self.negative, self.positive, target)

    def _choices(self, target: Target) -> Choices:
        return resampled_choices(*self._cases(), target, self.resampling)

    def _placed(self, band: Band | None = None) -> Placements:
        pair = self._cases()
        placements = place(*pair) if band is None else place_in_band(*pair, band)
        check_units(placements)
        return placements

    def _areas(self) -> FloatArray:
        return resampled_areas(*self._cases(), self.resampling)

    def _partial_areas(self, band: Band) -> FloatArray:
        return resampled_partial_areas(*self._cases(), band, self.resampling)

    def _cases(self) -> tuple[Ecdf, Ecdf]:
        return as_cases(self.negative), as_cases(self.positive)

    def _hilgers(self, fpr: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
        """Give ends that hold whatever the distributions (Hilgers 1991).

        The FPR of the k-th largest of n negatives is beta distributed: a threshold whose FPR is surely above
        the one asked for, and one surely below, each with the exact interval of the TPR there. The four tails
        share 1 - level.
        """
        tail = (1 - level) / 4
        negatives, positives = self.negative.total, self.positive.total
        strict = _largest(lambda rank: betaincinv(rank, negatives + 1 - rank, 1 - tail) <= fpr, negatives)
        lax = _largest(lambda rank: betaincinv(rank, negatives + 1 - rank, tail) < fpr, negatives) + 1
        caught_strict = self.positive.weight_above(self._from_the_top(strict))
        caught_lax = self.positive.weight_from(self._from_the_top(lax))
        low, _ = clopper_pearson(caught_strict, np.full(fpr.shape, positives), 1 - 2 * tail)
        _, high = clopper_pearson(caught_lax, np.full(fpr.shape, positives), 1 - 2 * tail)
        return np.where(strict < 1, 0.0, low), np.where(lax > negatives, 1.0, high)

    def _from_the_top(self, rank: FloatArray) -> FloatArray:
        """Give the value with this rank among the negatives, the largest being 1; beyond the ends infinite."""
        values = self.negative.points[::-1]
        index = np.searchsorted(np.cumsum(self.negative.counts[::-1]), rank, side="left")
        found = np.append(values, -np.inf)[index]
        return np.where(rank < 1, np.inf, found)


def _largest(holds: Callable[[FloatArray], Any], most: float) -> FloatArray:
    """Give the largest whole rank up to ``most`` for which a condition holds; it holds up to there. 0: for none."""
    with np.errstate(invalid="ignore"):
        low = np.zeros(np.shape(holds(np.asarray(1.0))))
        high = np.full(low.shape, np.floor(most) + 1)
        while (high - low > 1).any():
            middle = np.floor((low + high) / 2)
            good = holds(np.maximum(middle, 1.0))
            low, high = np.where(good & (middle >= 1), middle, low), np.where(good & (middle >= 1), high, middle)
        return low


def _chosen(method: str | None, allowed: tuple[str, ...]) -> str:
    """Give the method asked for, or the default, the first of those allowed."""
    one_of("method", method, (None, *allowed))
    return allowed[0] if method is None else method
