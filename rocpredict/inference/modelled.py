"""Uncertainty of a predicted curve: from means, standard deviations and counts alone, or by fitting anew."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
from scipy.special import ndtri

from rocpredict.arguments import FloatArray, Values, one_of, plain
from rocpredict.distributions import Distribution, Ecdf, Gaussian
from rocpredict.engines import engine_for
from rocpredict.errors import RocPredictError
from rocpredict.flags import Flags
from rocpredict.inference.bootstrap import Resampling, percentile_ends
from rocpredict.inference.counted import Counted
from rocpredict.inference.moments import (
    Spread,
    auc_spread,
    best_spread,
    height_spread,
    reiser_guttman,
    spread_of,
    tail_exactly,
    tail_spread,
)
from rocpredict.inference.one_curve import compare_modelled
from rocpredict.inference.placements import Band
from rocpredict.inference.results import AucTest, Claim
from rocpredict.interval import Interval, two_sided_z, unseen_ends
from rocpredict.thresholds import AMEANS, Target, find_best, log_price

Pair = tuple[Distribution, Distribution]

MODELLED_MEASURES = ("tpr", "fpr", "tnr", "fnr")
"""Measures that have an interval at a threshold, from moments alone."""
_RESOLVED = 1e-15  # a narrower interval near 1 would have no width


@dataclass(frozen=True)
class Refit:
    """Fit both classes anew on resampled rows.

    Attributes
    ----------
    negative, positive : array of shape (n,)
        Values of each class.
    fit : function
        Takes the values of both classes, and gives their distributions.
    """

    negative: FloatArray
    positive: FloatArray
    fit: Callable[[FloatArray, FloatArray], Pair]

    def reflected(self) -> Refit:
        """Give the same for -X."""

        def fit(negative: FloatArray, positive: FloatArray) -> Pair:
            pair = self.fit(-negative, -positive)
            return pair[0].reflect(), pair[1].reflect()

        return Refit(-self.negative, -self.positive, fit)

    def swapped(self) -> Refit:
        """Give the same with the classes in each other's place."""
        return Refit(self.positive, self.negative, lambda negative, positive: self.fit(positive, negative)[::-1])

    def pairs(self, resampling: Resampling) -> Iterator[Pair]:
        """Give the pairs fitted to each resample; Gaussians in batches."""
        samples = self.negative, self.positive
        gaussian = all(isinstance(d, Gaussian) for d in self.fit(*samples))
        for counts in resampling.counts((None, None), (len(self.negative), len(self.positive))):
            if gaussian:
                yield _gaussian(samples[0], counts[0]), _gaussian(samples[1], counts[1])
                continue
            for drawn in zip(*counts, strict=True):
                rows = [np.repeat(x, n.astype(np.intp)) for x, n in zip(samples, drawn, strict=True)]
                try:
                    yield self.fit(*rows)
                except RocPredictError:  # a family that cannot be fitted to these rows: the caller counts
                    continue


@dataclass(frozen=True)
class Modelled:
    """Answer how far off the answers of a predicted ROC may be.

    Attributes
    ----------
    negative, positive : distribution
        Of the rule "positive when x >= threshold".
    count : pair of float or of arrays of shape F, or None
        Cases behind the (negative, positive) class.
    resampling : Resampling
    refit : Refit or None
        How to fit resamples, where there is a sample.
    """

    negative: Distribution
    positive: Distribution
    count: tuple[Values, Values] | None
    resampling: Resampling
    refit: Refit | None = None
    counted: ClassVar[Literal[False]] = False

    def auc_std_error(self, method: str | None) -> Any:
        """Give the standard error of the AUC."""
        if self._asks_rows(method):
            return self._rows.auc_std_error(method)
        if self._chosen(method, ("delta",)) == "bootstrap":
            return float(np.std(self.replicates(_auc)[0], ddof=1))
        spread = auc_spread(*self._gaussians, self._cases)
        density = np.exp(-(spread.z**2) / 2) / np.sqrt(2 * np.pi)
        return plain(np.where(density > 0, density * spread.std_error, 0.0))

    def auc_interval(self, level: float, method: str | None) -> Interval:
        """Give the interval of the AUC."""
        if self._asks_rows(method):
            return self._of_rows(level, method)
        method = self._chosen(method, ("delta", "reiser-guttman"))
        estimate = _auc(self.negative, self.positive)
        if method == "bootstrap":
            return self._percentile(_auc, estimate, level)
        if method == "delta":
            ends = auc_spread(*self._gaussians, self._cases).ends(two_sided_z(level))
        else:
            ends = reiser_guttman(*self._gaussians, self._cases, level)
        return self._widened(*ends, estimate, level, method)

    def auc_test(self, null: Any, method: str | None, claim: Claim, level: float, direction: str) -> AucTest:
        """Test the AUC against a value."""
        one_of("method", method, (None, "delta"))
        spread = auc_spread(*self._gaussians, self._cases)
        interval = self.auc_interval(level, "delta")
        return compare_modelled(spread, interval, null, claim, n=self._cases, direction=direction)

    def partial_auc_std_error(self, band: Band, method: str | None) -> Any:
        """Give the standard error of the area in a band, as a share of its width."""
        if self._chosen(method, ("delta",)) == "bootstrap":
            return float(np.std(self.replicates(_share(band))[0], ddof=1))
        return plain(spread_of(_share(band), *self._gaussians, self._cases))

    def partial_auc_interval(self, band: Band, level: float, method: str | None) -> Interval:
        """Give the interval of the area in a band, as a share of its width."""
        return self._probability_interval(_share(band), level, method)

    def tpr_at_fpr_interval(self, fpr: FloatArray, level: float, method: str | None) -> Interval:
        """Give the interval of the TPR at an FPR, one for each feature or for each of some FPRs.

        Where a class has no spread nothing is known of it; at the ends of the curve nothing is left to know.
        """
        chosen, dropped = self._chosen(method, ("delta",)), Flags()
        estimate = _height(fpr)(self.negative, self.positive)
        if chosen == "bootstrap":
            heights, dropped = self.replicates(_heights(fpr), fpr.size)
            found = [percentile_ends(column, level) for column in heights.T]
            low, high = (np.reshape(end, fpr.shape) for end in zip(*found, strict=True))
        else:
            low, high = height_spread(*self._gaussians, self._cases, fpr).ends(two_sided_z(level))
        certain = ((fpr == 0) & (estimate == 0)) | (fpr == 1)
        flat = ~(high > low) & ~certain
        low, high = (np.where(certain, estimate, np.where(flat, end, ends)) for end, ends in ((0.0, low), (1.0, high)))
        flags = Flags(fallback=flat, single_case=np.broadcast_to(np.minimum(*self._cases) <= 1, np.shape(flat)))
        return Interval(plain(low), plain(high), level, chosen, plain(estimate), flags | dropped)

    def tail_interval(self, of_positive: bool, threshold: FloatArray, level: float, method: str | None) -> Interval:
        """Give the interval of P(X >= threshold) of a class, for a threshold that was fixed beforehand."""
        method = self._chosen(method, ("delta", "noncentral-t"), resampled=False)
        distribution, count = self._gaussians[of_positive], self._cases[of_positive]
        if method == "delta":
            ends = tail_spread(distribution, count, threshold).ends(two_sided_z(level))
        else:
            ends = tail_exactly(distribution, count, threshold, level)
        return self._widened(*ends, np.asarray(distribution.at_or_above(threshold)), level, method)

    def threshold_interval(self, target: Target, level: float, method: str | None) -> Interval:
        """Give the interval of the best threshold."""
        best = find_best(self.negative, self.positive, target)
        if self._chosen(method, ("delta",)) == "bootstrap":
            replicates, dropped = self.replicates(lambda n, p: find_best(n, p, target).threshold)
            first, last = percentile_ends(replicates[:, 0], level)
            ends = min(first, float(best.low)), max(last, float(best.high))
            return Interval(*ends, level, "bootstrap", float(best.threshold), best.flags | dropped)
        if (price := _price(target)) is not None:
            std_error = best_spread(*self._gaussians, self._cases, price)[0]
        else:
            std_error = spread_of(lambda n, p: find_best(n, p, target).threshold, *self._gaussians, self._cases)
        known = np.isfinite(best.threshold) & np.isfinite(std_error)
        with np.errstate(invalid="ignore"):
            half = two_sided_z(level) * std_error
            low = np.where(known, best.threshold - half, -np.inf)
            high = np.where(known, best.threshold + half, np.inf)
        return Interval(plain(low), plain(high), level, "delta", plain(best.threshold), best.flags)

    def ameans_interval(self, target: Target, level: float, method: str | None) -> Interval:
        """Give the interval of the Ameans at the best threshold."""

        def ameans(negative: Distribution, positive: Distribution) -> FloatArray:
            best = find_best(negative, positive, target)
            return np.asarray(best.tpr / 2 + best.tnr / 2)

        return self._probability_interval(ameans, level, method)

    @property
    def _rows(self) -> Counted:
        """Who knows the uncertainty of the curve that the rows behind the fit show."""
        assert self.refit is not None
        return Counted(Ecdf(self.refit.negative), Ecdf(self.refit.positive), self.resampling)

    def _asks_rows(self, method: str | None) -> bool:
        """Tell whether an AUC that was fitted, but not by two Gaussians, is located as its rows locate it."""
        gaussian = isinstance(self.negative, Gaussian) and isinstance(self.positive, Gaussian)
        return self.refit is not None and not gaussian and method != "bootstrap"

    def _of_rows(self, level: float, method: str | None) -> Interval:
        """Give the interval that the rows give, as wide as it takes to hold the estimate."""
        found, estimate = self._rows.auc_interval(level, method), float(_auc(self.negative, self.positive))
        low, high = min(found.low, estimate), max(found.high, estimate)
        flags = found.flags | Flags(stretched=(low, high) != (found.low, found.high))
        return replace(found, low=low, high=high, estimate=estimate, flags=flags)

    @property
    def _gaussians(self) -> tuple[Gaussian, Gaussian]:
        if isinstance(self.negative, Gaussian) and isinstance(self.positive, Gaussian):
            return self.negative, self.positive
        raise RocPredictError(
            "an interval from moments alone is for two Gaussians; a prediction by rp.predict_roc has method='bootstrap'"
        )

    @property
    def _cases(self) -> tuple[Values, Values]:
        if self.count is None:
            raise RocPredictError("an interval needs the number of cases; give count=(negative, positive)")
        return self.count

    def _chosen(self, method: str | None, allowed: tuple[str, ...], *, resampled: bool = True) -> str:
        """Give the method asked for, or the default: from moments for two Gaussians, else by fitting anew."""
        options = (*allowed, "bootstrap") if resampled else allowed
        one_of("method", method, (None, *options))
        if method is not None:
            return method
        gaussian = isinstance(self.negative, Gaussian) and isinstance(self.positive, Gaussian)
        return allowed[0] if gaussian or self.refit is None or not resampled else "bootstrap"

    def replicates(self, question: Callable[[Any, Any], FloatArray], answers: int = 1) -> tuple[FloatArray, Flags]:
        """Give what fitted resamples answer, shape (fits, answers), and the flag of those that could not be fitted."""
        if self.refit is None:
            raise RocPredictError("method='bootstrap' needs the sample behind the prediction; see rp.predict_roc")
        given = [np.reshape(question(*pair), (-1, answers)) for pair in self.refit.pairs(self.resampling)]
        found = np.concatenate([np.empty((0, answers)), *given])
        drawn = self.resampling.n_resamples
        if 2 * len(found) < drawn:
            raise RocPredictError(
                f"the family could be fitted to {len(found)} of {drawn} resamples only; "
                "an interval needs more cases, or another family"
            )
        return found, Flags(dropped_resamples=len(found) < drawn)

    def _percentile(self, question: Callable[[Any, Any], FloatArray], estimate: FloatArray, level: float) -> Interval:
        replicates, dropped = self.replicates(question)
        ends = percentile_ends(replicates[:, 0], level)
        found = self._widened(np.asarray(ends[0]), np.asarray(ends[1]), estimate, level, "bootstrap")
        return replace(found, flags=found.flags | dropped)

    def _probability_interval(
        self, question: Callable[[Any, Any], FloatArray], level: float, method: str | None
    ) -> Interval:
        """Give the interval of a probability, by the delta method on the probit scale."""
        estimate = question(self.negative, self.positive)
        if self._chosen(method, ("delta",)) == "bootstrap":
            return self._percentile(question, estimate, level)

        def probit(negative: Gaussian, positive: Gaussian) -> FloatArray:
            return np.asarray(ndtri(question(negative, positive)))

        with np.errstate(invalid="ignore"):
            std_error = spread_of(probit, *self._gaussians, self._cases)
        ends = Spread(ndtri(estimate), std_error).ends(two_sided_z(level))
        return self._widened(*ends, estimate, level, "delta")

    def _widened(self, low: FloatArray, high: FloatArray, estimate: FloatArray, level: float, method: str) -> Interval:
        """Give an interval of a probability; without spread, by how many unlike cases there can be unseen."""
        flat = ~(high - low > _RESOLVED)
        unseen = unseen_ends(estimate, self._cases, level)
        low, high = np.where(flat, unseen[0], low), np.where(flat, unseen[1], high)
        flags = Flags(fallback=flat, single_case=np.broadcast_to(np.minimum(*self._cases) <= 1, np.shape(flat)))
        method = "unseen" if flat.all() else method
        return Interval(plain(low), plain(high), level, method, plain(estimate), flags)


def _auc(negative: Distribution, positive: Distribution) -> FloatArray:
    return np.asarray(engine_for(negative, positive).auc(negative, positive))


def _height(fpr: Any) -> Callable[[Distribution, Distribution], FloatArray]:
    """Give the function that tells the TPR at an FPR."""
    return lambda n, p: np.asarray(engine_for(n, p).tpr_at_fpr(n, p, np.asarray(fpr)))


def _heights(fpr: FloatArray) -> Callable[[Distribution, Distribution], FloatArray]:
    """Give the function that tells the TPR at each of some FPRs, on a last axis."""
    return lambda n, p: np.stack([_height(at)(n, p) for at in fpr.ravel()], axis=-1)


def _share(band: Band) -> Callable[[Distribution, Distribution], FloatArray]:
    """Give the function that tells the area in a band as a share of its width."""
    ends = np.asarray(band.low), np.asarray(band.high)

    def share(negative: Distribution, positive: Distribution) -> FloatArray:
        area = getattr(engine_for(negative, positive), f"partial_auc_{band.axis}")
        return np.asarray(area(negative, positive, *ends) / band.width)

    return share


def _price(target: Target) -> FloatArray | None:
    """Give the log price of a false positive where the best threshold is a crossing of densities."""
    if target.criterion in AMEANS:
        return np.zeros(())
    if target.criterion in {"cost", "accuracy"}:
        return log_price(target.prevalence, target.cost_fp, target.cost_fn)
    return None


def _gaussian(sample: FloatArray, counts: FloatArray) -> Gaussian:
    """Give the Gaussians fitted to B resamples of a class, drawn ``counts`` times (B, n) each."""
    centre = sample.mean()
    deviation = sample - centre
    cases = counts.sum(axis=1)
    mean = counts @ deviation / cases
    squares = counts @ deviation**2 - cases * mean**2
    return Gaussian(centre + mean, np.sqrt(np.maximum(squares, 0) / (cases - 1)))
