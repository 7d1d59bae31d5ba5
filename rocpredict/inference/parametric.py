"""Uncertainty of a predicted ROC curve: delta method and parametric bootstrap."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
from scipy.special import ndtri

from rocpredict.base.results import Flags, Interval, normal_critical_value, zero_variance_interval
from rocpredict.base.validation import ArrayOrFloat, FloatArray, RocPredictError, check_option, to_scalar
from rocpredict.distributions.base import Distribution
from rocpredict.distributions.ecdf import Ecdf
from rocpredict.distributions.gaussian import Gaussian
from rocpredict.inference.bootstrap import BootstrapOptions, percentile_interval
from rocpredict.inference.delta_method import (
    ProbitEstimate,
    auc_probit,
    delta_std_error,
    reiser_guttman_interval,
    tail_noncentral_t_interval,
    tail_probit,
    threshold_std_errors,
    tpr_probit,
)
from rocpredict.inference.differences import test_predicted_auc
from rocpredict.inference.empirical import EmpiricalUncertainty
from rocpredict.inference.hypotheses import AucTest, Hypothesis
from rocpredict.inference.placements import RateInterval
from rocpredict.solvers.base import Solver
from rocpredict.solvers.select import solver_for
from rocpredict.solvers.thresholds import ThresholdCriterion, find_best_threshold

Pair = tuple[Distribution, Distribution]
PARAMETRIC_MEASURES = ("tpr", "fpr", "tnr", "fnr")
"""Measures that have an interval at a threshold, from moments alone."""
_MIN_WIDTH = 1e-15  # a narrower interval near 1 would have no width


@dataclass(frozen=True)
class PairFit:
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

    def reflected(self) -> PairFit:
        """Give the same for -X."""

        def fit(negative: FloatArray, positive: FloatArray) -> Pair:
            pair = self.fit(-negative, -positive)
            return pair[0].reflect(), pair[1].reflect()

        return PairFit(-self.negative, -self.positive, fit)

    def swap_classes(self) -> PairFit:
        """Give the same with the classes in each other's place."""
        return PairFit(self.positive, self.negative, lambda negative, positive: self.fit(positive, negative)[::-1])

    def bootstrap_fits(self, resampling: BootstrapOptions) -> Iterator[Pair]:
        """Give the pairs fitted to each resample; Gaussians in batches."""
        samples = self.negative, self.positive
        gaussian = all(isinstance(d, Gaussian) for d in self.fit(*samples))
        for counts in resampling.resample_counts((None, None), (len(self.negative), len(self.positive))):
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
class ParametricUncertainty:
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
    count: tuple[ArrayOrFloat, ArrayOrFloat] | None
    resampling: BootstrapOptions
    refit: PairFit | None = None
    is_empirical: ClassVar[Literal[False]] = False

    @cached_property
    def solver(self) -> Solver:
        """Solver of the two distributions."""
        return solver_for(self.negative, self.positive)

    def auc_std_error(self, method: str | None) -> Any:
        """Give the standard error of the AUC."""
        if self._uses_empirical(method):
            return self._empirical.auc_std_error(method)
        if self._select_method(method, ("delta",)) == "bootstrap":
            return float(np.std(self.bootstrap(Solver.auc)[0], ddof=1))
        spread = auc_probit(*self._gaussians, self._cases)
        density = np.exp(-(spread.z**2) / 2) / np.sqrt(2 * np.pi)
        return to_scalar(np.where(density > 0, density * spread.std_error, 0.0))

    def auc_interval(self, level: float, method: str | None) -> Interval:
        """Give the interval of the AUC."""
        if self._uses_empirical(method):
            return self._empirical_interval(level, method)
        method = self._select_method(method, ("delta", "reiser-guttman"))
        estimate = self.solver.auc()
        if method == "bootstrap":
            return self._percentile(Solver.auc, estimate, level)
        if method == "delta":
            ends = auc_probit(*self._gaussians, self._cases).interval(normal_critical_value(level))
        else:
            ends = reiser_guttman_interval(*self._gaussians, self._cases, level)
        return self._ensure_width(*ends, estimate, level, method)

    def auc_test(self, null: Any, method: str | None, hypothesis: Hypothesis, level: float, direction: str) -> AucTest:
        """Test the AUC against a value."""
        check_option("method", method, (None, "delta"))
        spread = auc_probit(*self._gaussians, self._cases)
        interval = self.auc_interval(level, "delta")
        return test_predicted_auc(spread, interval, null, hypothesis, n=self._cases, direction=direction)

    def partial_auc_std_error(self, band: RateInterval, method: str | None) -> Any:
        """Give the standard error of the area in a band, as a share of its width."""
        if self._select_method(method, ("delta",)) == "bootstrap":
            return float(np.std(self.bootstrap(_normalized_partial_auc(band))[0], ddof=1))
        return to_scalar(delta_std_error(_normalized_partial_auc(band), *self._gaussians, self._cases))

    def partial_auc_interval(self, band: RateInterval, level: float, method: str | None) -> Interval:
        """Give the interval of the area in a band, as a share of its width."""
        return self._probability_interval(_normalized_partial_auc(band), level, method)

    def tpr_at_fpr_interval(self, fpr: FloatArray, level: float, method: str | None) -> Interval:
        """Give the interval of the TPR at an FPR, one for each feature or for each of some FPRs.

        Where a class has no spread nothing is known of it; at the ends of the curve nothing is left to know.
        """
        chosen, dropped = self._select_method(method, ("delta",)), Flags()
        estimate = self.solver.along("fpr", fpr)
        if chosen == "bootstrap":
            heights, dropped = self.bootstrap(
                lambda solver: np.stack([solver.along("fpr", np.asarray(at)) for at in fpr.ravel()], axis=-1), fpr.size
            )
            found = [percentile_interval(column, level) for column in heights.T]
            low, high = (np.reshape(end, fpr.shape) for end in zip(*found, strict=True))
        else:
            low, high = tpr_probit(*self._gaussians, self._cases, fpr).interval(normal_critical_value(level))
        certain = ((fpr == 0) & (estimate == 0)) | (fpr == 1)
        flat = ~(high > low) & ~certain
        low, high = (np.where(certain, estimate, np.where(flat, end, ends)) for end, ends in ((0.0, low), (1.0, high)))
        flags = Flags(fallback=flat, single_case=np.broadcast_to(np.minimum(*self._cases) <= 1, np.shape(flat)))
        return Interval(to_scalar(low), to_scalar(high), level, chosen, to_scalar(estimate), flags | dropped)

    def rate_interval(self, of_positive: bool, threshold: FloatArray, level: float, method: str | None) -> Interval:
        """Give the interval of P(X >= threshold) of a class, for a threshold that was fixed beforehand."""
        method = self._select_method(method, ("delta", "noncentral-t"), resampled=False)
        distribution, count = self._gaussians[of_positive], self._cases[of_positive]
        if method == "delta":
            ends = tail_probit(distribution, count, threshold).interval(normal_critical_value(level))
        else:
            ends = tail_noncentral_t_interval(distribution, count, threshold, level)
        return self._ensure_width(*ends, np.asarray(distribution.sf_inclusive(threshold)), level, method)

    def threshold_interval(self, criterion: ThresholdCriterion, level: float, method: str | None) -> Interval:
        """Give the interval of the best threshold."""
        best = find_best_threshold(self.solver, criterion)
        if self._select_method(method, ("delta",)) == "bootstrap":
            replicates, dropped = self.bootstrap(lambda solver: find_best_threshold(solver, criterion).threshold)
            first, last = percentile_interval(replicates[:, 0], level)
            ends = min(first, float(best.plateau_low)), max(last, float(best.plateau_high))
            return Interval(*ends, level, "bootstrap", float(best.threshold), best.flags | dropped)
        if (price := criterion.log_price) is not None:
            std_error = threshold_std_errors(*self._gaussians, self._cases, price)[0]
        else:
            std_error = delta_std_error(
                lambda solver: find_best_threshold(solver, criterion).threshold, *self._gaussians, self._cases
            )
        known = np.isfinite(best.threshold) & np.isfinite(std_error)
        with np.errstate(invalid="ignore"):
            half = normal_critical_value(level) * std_error
            low = np.where(known, best.threshold - half, -np.inf)
            high = np.where(known, best.threshold + half, np.inf)
        return Interval(to_scalar(low), to_scalar(high), level, "delta", to_scalar(best.threshold), best.flags)

    def ameans_interval(self, criterion: ThresholdCriterion, level: float, method: str | None) -> Interval:
        """Give the interval of the Ameans at the best threshold."""

        def ameans(solver: Solver) -> FloatArray:
            best = find_best_threshold(solver, criterion)
            return np.asarray(best.tpr / 2 + best.tnr / 2)

        return self._probability_interval(ameans, level, method)

    @property
    def _empirical(self) -> EmpiricalUncertainty:
        """Who knows the uncertainty of the curve that the rows behind the fit show."""
        assert self.refit is not None
        return EmpiricalUncertainty(Ecdf(self.refit.negative), Ecdf(self.refit.positive), self.resampling)

    def _uses_empirical(self, method: str | None) -> bool:
        """Tell whether an AUC that was fitted, but not by two Gaussians, is located as its rows locate it."""
        gaussian = isinstance(self.negative, Gaussian) and isinstance(self.positive, Gaussian)
        return self.refit is not None and not gaussian and method != "bootstrap"

    def _empirical_interval(self, level: float, method: str | None) -> Interval:
        """Give the interval that the rows give, as wide as it takes to hold the estimate."""
        found, estimate = self._empirical.auc_interval(level, method), float(self.solver.auc())
        low, high = min(found.low, estimate), max(found.high, estimate)
        flags = found.flags | Flags(interval_extended=(low, high) != (found.low, found.high))
        return replace(found, low=low, high=high, estimate=estimate, flags=flags)

    @property
    def _gaussians(self) -> tuple[Gaussian, Gaussian]:
        if isinstance(self.negative, Gaussian) and isinstance(self.positive, Gaussian):
            return self.negative, self.positive
        raise RocPredictError(
            "an interval from moments alone is for two Gaussians; a prediction by rp.predict_roc has method='bootstrap'"
        )

    @property
    def _cases(self) -> tuple[ArrayOrFloat, ArrayOrFloat]:
        if self.count is None:
            raise RocPredictError("an interval needs the number of cases; give count=(negative, positive)")
        return self.count

    def _select_method(self, method: str | None, allowed: tuple[str, ...], *, resampled: bool = True) -> str:
        """Give the method asked for, or the default: from moments for two Gaussians, else by fitting anew."""
        options = (*allowed, "bootstrap") if resampled else allowed
        check_option("method", method, (None, *options))
        if method is not None:
            return method
        gaussian = isinstance(self.negative, Gaussian) and isinstance(self.positive, Gaussian)
        return allowed[0] if gaussian or self.refit is None or not resampled else "bootstrap"

    def bootstrap(self, statistic: Callable[[Solver], FloatArray], n_outputs: int = 1) -> tuple[FloatArray, Flags]:
        """Give what fitted resamples answer, shape (fits, answers), and the flag of those that could not be fitted."""
        if self.refit is None:
            raise RocPredictError("method='bootstrap' needs the sample behind the prediction; see rp.predict_roc")
        fits = self.refit.bootstrap_fits(self.resampling)
        given = [np.reshape(statistic(solver_for(*pair)), (-1, n_outputs)) for pair in fits]
        found = np.concatenate([np.empty((0, n_outputs)), *given])
        drawn = self.resampling.n_resamples
        if 2 * len(found) < drawn:
            raise RocPredictError(
                f"the family could be fitted to {len(found)} of {drawn} resamples only; "
                "an interval needs more cases, or another family"
            )
        return found, Flags(dropped_resamples=len(found) < drawn)

    def _percentile(self, quantity: Callable[[Solver], FloatArray], estimate: FloatArray, level: float) -> Interval:
        replicates, dropped = self.bootstrap(quantity)
        ends = percentile_interval(replicates[:, 0], level)
        found = self._ensure_width(np.asarray(ends[0]), np.asarray(ends[1]), estimate, level, "bootstrap")
        return replace(found, flags=found.flags | dropped)

    def _probability_interval(
        self, quantity: Callable[[Solver], FloatArray], level: float, method: str | None
    ) -> Interval:
        """Give the interval of a probability, by the delta method on the probit scale."""
        estimate = quantity(self.solver)
        if self._select_method(method, ("delta",)) == "bootstrap":
            return self._percentile(quantity, estimate, level)

        with np.errstate(invalid="ignore"):
            std_error = delta_std_error(
                lambda solver: np.asarray(ndtri(quantity(solver))), *self._gaussians, self._cases
            )
        ends = ProbitEstimate(ndtri(estimate), std_error).interval(normal_critical_value(level))
        return self._ensure_width(*ends, estimate, level, "delta")

    def _ensure_width(
        self, low: FloatArray, high: FloatArray, estimate: FloatArray, level: float, method: str
    ) -> Interval:
        """Give an interval of a probability; without spread, by how many unlike cases there can be unseen."""
        flat = ~(high - low > _MIN_WIDTH)
        unseen = zero_variance_interval(estimate, self._cases, level)
        low, high = np.where(flat, unseen[0], low), np.where(flat, unseen[1], high)
        flags = Flags(fallback=flat, single_case=np.broadcast_to(np.minimum(*self._cases) <= 1, np.shape(flat)))
        method = "unseen" if flat.all() else method
        return Interval(to_scalar(low), to_scalar(high), level, method, to_scalar(estimate), flags)


def _normalized_partial_auc(band: RateInterval) -> Callable[[Solver], FloatArray]:
    """Return the function that computes the area in a band as a share of its width."""
    ends = np.asarray(band.low), np.asarray(band.high)
    return lambda solver: np.asarray(solver.area(band.axis, *ends) / band.width)


def _gaussian(sample: FloatArray, counts: FloatArray) -> Gaussian:
    """Give the Gaussians fitted to B resamples of a class, drawn ``counts`` times (B, n) each."""
    centre = sample.mean()
    deviation = sample - centre
    cases = counts.sum(axis=1)
    mean = counts @ deviation / cases
    squares = counts @ deviation**2 - cases * mean**2
    return Gaussian(centre + mean, np.sqrt(np.maximum(squares, 0) / (cases - 1)))
