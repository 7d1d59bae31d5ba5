"""Uncertainty of a predicted ROC curve: pivots and the delta method of two Gaussians, and refitted resamples."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from scipy.special import gammaincinv, ndtr, ndtri, stdtrit

from rocpredict.base.rates import normal_critical_value, zero_variance_interval
from rocpredict.base.results import Flags, Interval
from rocpredict.base.validation import (
    ArrayOrFloat,
    FloatArray,
    RocPredictError,
    check_option,
    check_probability,
    to_scalar,
)
from rocpredict.distributions.base import Distribution
from rocpredict.distributions.ecdf import Ecdf
from rocpredict.distributions.gaussian import Gaussian, add_grid_axis
from rocpredict.inference.base import KINDS, ConfidenceBand, Uncertainty, area_function, working_hotelling_factor
from rocpredict.inference.bootstrap import BootstrapOptions, percentile_interval, percentile_intervals
from rocpredict.inference.empirical import EmpiricalUncertainty
from rocpredict.inference.hypotheses import AucStatistic, AucTest, Hypothesis
from rocpredict.inference.intervals import complement_interval
from rocpredict.inference.placements import RateRange
from rocpredict.solvers.base import Solver
from rocpredict.solvers.binormal import BinormalSolver
from rocpredict.solvers.families import solver_for
from rocpredict.solvers.shrinkage import ShrinkageSolver
from rocpredict.solvers.thresholds import AMEANS_ALIASES, ThresholdCriterion, find_best_threshold

Pair = tuple[Distribution, Distribution]
PARAMETRIC_MEASURES = ("tpr", "fpr", "tnr", "fnr")
"""Measures that have an interval at a threshold, from moments alone."""
_MIN_WIDTH = 1e-15  # a narrower interval near 1 would have no width
_PROBITS = ndtr(np.linspace(-8, 8, 1025))
Count = tuple[ArrayOrFloat, ArrayOrFloat]
"""Cases of the (negative, positive) class: a float, or one for each feature."""
_STEP = 1e-5  # of a standard deviation, for differences
_N_PIVOTS = 8191  # draws of the pivots; a prime
_KOROBOV = 2488  # of 2 to 4,095 nearly the least worst-case error (P_2) in two, three and four dimensions
_N_NODES = 32  # of the quadrature of a drawn partial area
_MIN_PIVOTAL_THRESHOLD = 10  # observations of each class, for the pivots of a threshold


@dataclass(frozen=True)
class PairFit:
    """Samples of both classes, shape (n,) each, and the function that fits their distributions."""

    negative: FloatArray
    positive: FloatArray
    fit: Callable[[FloatArray, FloatArray], Pair]

    def reflected(self) -> PairFit:
        """Return the same for -X."""

        def fit(negative: FloatArray, positive: FloatArray) -> Pair:
            pair = self.fit(-negative, -positive)
            return pair[0].reflect(), pair[1].reflect()

        return PairFit(-self.negative, -self.positive, fit)

    def swap_classes(self) -> PairFit:
        """Return the same with the classes in each other's place."""
        return PairFit(self.positive, self.negative, lambda negative, positive: self.fit(positive, negative)[::-1])

    def bootstrap_fits(self, resampling: BootstrapOptions) -> Iterator[Pair]:
        """Return the pairs fitted to each resample; Gaussians in batches."""
        samples = self.negative, self.positive
        gaussian = all(isinstance(d, Gaussian) for d in self.fit(*samples))
        for counts in resampling.resample_counts((None, None), (len(self.negative), len(self.positive))):
            if gaussian:
                yield _resampled_gaussians(samples[0], counts[0]), _resampled_gaussians(samples[1], counts[1])
                continue
            for draws in zip(*counts, strict=True):
                rows = [np.repeat(x, n.astype(np.intp)) for x, n in zip(samples, draws, strict=True)]
                try:
                    yield self.fit(*rows)
                except RocPredictError:  # a family that cannot be fitted to these rows: the caller counts
                    continue


@dataclass(frozen=True)
class ParametricUncertainty(Uncertainty):
    """Uncertainty of a predicted ROC.

    ``count`` has the cases of the (negative, positive) class, where they are known, and ``refit`` the sample behind
    the prediction, where there is one.
    """

    negative: Distribution[Any]
    positive: Distribution[Any]
    count: Count | None
    resampling: BootstrapOptions
    refit: PairFit | None = None
    is_empirical = False

    @property
    def class_sizes(self) -> Count:
        """Cases of each class."""
        if self.count is None:
            raise RocPredictError("an interval needs the number of cases; give count=(negative, positive)")
        return self.count

    def area_std_error(self, rate_range: RateRange | None, method: str | None) -> Any:
        """Return the standard error of an area."""
        if rate_range is None and self._uses_empirical(method):
            return self._empirical.area_std_error(None, method)
        if self._select_method(method, ("delta",)) == "bootstrap":
            return float(np.std(self.bootstrap(area_function(rate_range))[0], ddof=1))
        if rate_range is not None:
            return to_scalar(delta_std_error(area_function(rate_range), *self._moments)[0])
        spread = auc_probit(*self._moments)
        density = np.exp(-(spread.z**2) / 2) / np.sqrt(2 * np.pi)
        return to_scalar(np.where(density > 0, density * spread.std_error, 0.0))

    def area_interval(self, rate_range: RateRange | None, level: float, method: str | None) -> Interval[Any]:
        """Return the interval of an area."""
        if rate_range is not None:
            area = area_function(rate_range)
            return self._probability_interval(area, level, method, lambda: pivotal_areas(*self._moments, rate_range))
        if self._uses_empirical(method):
            return self._empirical_interval(level, method)
        method = self._select_method(method, ("pivotal", "delta", "reiser-guttman"))
        estimate = self.solver.auc()
        if method == "bootstrap":
            return self._percentile(Solver.auc, estimate, level)
        limits: tuple[Any, Any]
        if method == "pivotal":
            limits = PivotalAuc.from_moments(*self._moments).interval(level)
        elif method == "delta":
            limits = auc_probit(*self._moments).interval(level)
        else:
            limits = reiser_guttman_interval(*self._moments, level)
        return self._ensure_width(np.asarray(limits[0]), np.asarray(limits[1]), estimate, level, method)

    def auc_test(self, null: Any, method: str | None, claim: Hypothesis, level: float, direction: str) -> AucTest:
        """Test the AUC against a value; p is the level of significance at which the interval excludes it."""
        method = self._select_method(method, ("pivotal", "delta"), resampled=False)
        probit = auc_probit(*self._moments)
        interval, value = self.area_interval(None, level, method), check_probability("null", null)
        estimate = float(ndtr(probit.z))
        with np.errstate(invalid="ignore", divide="ignore"):
            low, high = (float(ndtri(np.clip(value + sign * claim.width, 0, 1))) for sign in (-1, 1))
            if method == "pivotal":
                statistic = PivotalAuc.from_moments(*self._moments).test(low, high, claim)
            else:
                statistic = claim.normal_test(probit.z, low, high, float(probit.std_error), float(probit.df))
        return AucStatistic(*statistic, interval).result(
            claim.describe("AUC", f"{value:g}"),
            method="generalized pivot" if method == "pivotal" else "delta, on the probit scale",
            estimator="two Gaussians, Phi of the standardised mean difference",
            estimates=(estimate,),
            difference=estimate - value,
            covariance=np.reshape(self.area_std_error(None, "delta") ** 2, (1, 1)),
            n=self.class_sizes,
            direction=(direction,),
            flags=Flags(),
        )

    def tpr_at_fpr_interval(self, fpr: FloatArray, level: float, method: str | None) -> Interval[Any]:
        """Return the interval of the TPR at an FPR, one for each feature or for each of some FPRs.

        Where a class has no spread nothing is known of it; at the ends of the curve nothing is left to know.
        """
        selected, dropped = self._select_method(method, ("pivotal", "delta")), Flags()
        estimate = self.solver.along("fpr", fpr)
        if selected == "bootstrap":
            replicates, dropped = self.bootstrap(
                lambda solver: np.stack([solver.along("fpr", np.asarray(at)) for at in fpr.ravel()], axis=-1), fpr.size
            )
            low, high = (np.reshape(end, fpr.shape) for end in percentile_intervals(replicates, level))
        elif selected == "pivotal":
            low, high = pivotal_tpr_interval(*self._moments, fpr, level)
        else:
            low, high = tpr_probit(*self._moments, fpr).interval(level)
        certain = ((fpr == 0) & (estimate == 0)) | (fpr == 1)
        flat = ~(high > low) & ~certain
        low, high = (np.where(certain, estimate, np.where(flat, end, ends)) for end, ends in ((0.0, low), (1.0, high)))
        flags = self._flat_flags(flat) | dropped
        return Interval(to_scalar(low), to_scalar(high), level, selected, to_scalar(estimate), flags)

    def rate_interval(self, measure: str, threshold: ArrayOrFloat, level: float, method: str | None) -> Interval[Any]:
        """Return the interval of a measure at a threshold that was fixed beforehand."""
        check_option("measure", measure, PARAMETRIC_MEASURES)
        is_positive = measure in {"tpr", "fnr"}
        check_option("method", method, (None, "noncentral-t", "delta"))
        distribution, count = self._gaussians[is_positive], self.class_sizes[is_positive]
        method = method or ("delta" if self.solver.shape else "noncentral-t")
        if method == "delta":
            limits = tail_probit(distribution, count, threshold).interval(level)
        else:
            limits = tail_noncentral_t_interval(distribution, count, threshold, level)
        interval = self._ensure_width(*limits, np.asarray(distribution.sf_inclusive(threshold)), level, method)
        return interval if measure in {"tpr", "fpr"} else complement_interval(interval)

    def threshold_interval(self, criterion: ThresholdCriterion, level: float, method: str | None) -> Interval[Any]:
        """Return the interval of the best threshold."""
        best = find_best_threshold(self.solver, criterion)
        price = criterion.log_price
        allowed = ("delta",) if price is None else ("pivotal", "delta")
        selected = self._select_method(method, allowed, min_count=_MIN_PIVOTAL_THRESHOLD)
        if selected == "pivotal" and not np.isfinite(best.threshold):
            selected = "delta"  # which leaves the threshold open
        if selected in {"bootstrap", "pivotal"}:
            replicates, dropped = (
                (pivotal_draws(*self._moments, self._threshold_of(criterion)), Flags())
                if selected == "pivotal"
                else self.bootstrap(self._threshold_of(criterion))
            )
            first, last = percentile_interval(replicates.ravel(), level)
            limits = min(first, float(best.plateau_low)), max(last, float(best.plateau_high))
            return Interval(*limits, level, selected, float(best.threshold), best.flags | dropped)
        if price is not None:
            std_error, df = threshold_std_error(*self._moments, price)
        else:
            std_error, df = delta_std_error(self._threshold_of(criterion), *self._moments)
        is_estimated = np.isfinite(best.threshold) & np.isfinite(std_error)
        with np.errstate(invalid="ignore"):
            half = student_critical_value(df, level) * std_error
            low = np.where(is_estimated, best.threshold - half, -np.inf)
            high = np.where(is_estimated, best.threshold + half, np.inf)
        return Interval(to_scalar(low), to_scalar(high), level, "delta", to_scalar(best.threshold), best.flags)

    @staticmethod
    def _threshold_of(criterion: ThresholdCriterion) -> Callable[[Solver], FloatArray]:
        return lambda solver: find_best_threshold(solver, criterion).threshold

    def ameans_interval(self, criterion: ThresholdCriterion, level: float, method: str | None) -> Interval[Any]:
        """Return the interval of the Ameans at the best threshold."""
        if (
            isinstance(self.solver, ShrinkageSolver)
            and criterion.criterion in AMEANS_ALIASES
            and method in (None, "delta")
        ):
            rule, half = self.solver.rule, normal_critical_value(level) * self.solver.rule.std_error[0]
            estimate = float(rule.ameans[0])
            limits = float(max(estimate - half, 0.0)), float(min(estimate + half, 1.0))
            return Interval(*limits, level, "delta", estimate, Flags())

        def ameans(solver: Solver) -> FloatArray:
            best = find_best_threshold(solver, criterion)
            return np.asarray(best.tpr / 2 + best.tnr / 2)

        has_pivot = criterion.log_price is not None
        draw = (lambda: pivotal_draws(*self._moments, ameans)) if has_pivot else None
        return self._probability_interval(ameans, level, method, draw)

    # ---- bands
    def _band(self, fpr: FloatArray, level: float, kind: str, method: str | None) -> ConfidenceBand:
        """Return a band: by the delta method for two Gaussians, or, pointwise, by fitting resamples anew.

        Simultaneous: of a straight line with two coefficients, on the probit scale. With the F quantile that Working
        and Hotelling have, at the freedom of the smaller class: chi-squared, its limit for many cases, leaves out a
        true curve too often among few (0.912 in place of 0.95 at 10 + 10, 0.929 at 20 + 20).
        """
        if kind == KINDS[0]:
            check_option("method", method, (None, "pivotal", "delta", "bootstrap"))
            if method == "bootstrap" or (method is None and not self._is_gaussian and self.refit is not None):
                return self._bootstrap_band(fpr, level)
            if not self._is_gaussian:
                raise RocPredictError(
                    "a band from moments alone is for two Gaussians; a prediction by rp.predict_roc has "
                    "method='bootstrap'"
                )
            return self._probit_band(fpr, level, kind, self._select_method(method, ("pivotal", "delta")))
        if not self._is_gaussian:
            raise RocPredictError(
                "a simultaneous band is for samples (rp.empirical_roc) and for two Gaussians with counts"
            )
        check_option("method", method, (None, "working-hotelling"))
        return self._probit_band(fpr, level, kind, "working-hotelling")

    def _probit_band(self, fpr: FloatArray, level: float, kind: str, method: str) -> ConfidenceBand:
        """Return the band of a line on the probit scale; it begins at (0, 0) and ends at (1, 1)."""
        count, pair = self._band_cases, self._gaussians
        inner = fpr[(fpr > 0) & (fpr < 1)]
        inner = np.unique(inner) if kind == KINDS[0] else np.union1d(inner, _PROBITS)
        if method == "pivotal":
            low, high = pivotal_tpr_interval(*pair, count, inner, level)
        elif method == "delta":
            low, high = tpr_probit(*pair, count, inner).interval(level)
        else:
            factor = working_hotelling_factor(level, min(self._band_cases) - 1)
            low, high = tpr_probit(*pair, count, inner).limits(factor)
        if any(np.equal(d.std, 0) for d in pair) or not _has_width(low, high):
            return self._kolmogorov_smirnov_band(count, fpr, level, kind, fallback=True)
        if kind == KINDS[1]:  # the curve rises, so what bounds it at one FPR bounds it at all those beyond
            low, high = np.maximum.accumulate(low), np.minimum.accumulate(high[::-1])[::-1]
        index = np.searchsorted(inner, fpr)
        low, high = (
            np.where(fpr == 1, 1.0, np.where(fpr == 0, 0.0, np.append(end, 1.0)[index])) for end in (low, high)
        )
        flags = Flags(single_observation=min(count) <= 1)
        return ConfidenceBand(fpr, self.solver.along("fpr", fpr), low, high, level, kind, method, flags)

    def _bootstrap_band(self, fpr: FloatArray, level: float) -> ConfidenceBand:
        """Return quantiles of the height over fitted resamples, stretched to the estimate where that lies outside."""

        def tpr_at_fprs(solver: Solver) -> FloatArray:
            return solver_for(add_grid_axis(solver.negative), add_grid_axis(solver.positive)).along("fpr", fpr)

        replicates, dropped = self.bootstrap(tpr_at_fprs, len(fpr))
        low, high = np.quantile(replicates, ((1 - level) / 2, (1 + level) / 2), axis=0)
        if not _has_width(low, high):
            return self._kolmogorov_smirnov_band(self._band_cases, fpr, level, KINDS[0], fallback=True)
        tpr = self.solver.along("fpr", fpr)
        low, high = np.minimum(low, tpr), np.maximum(high, tpr)
        return ConfidenceBand(fpr, tpr, low, high, level, KINDS[0], "bootstrap", dropped)

    @property
    def _band_cases(self) -> tuple[float, float]:
        if self.count is None:
            raise RocPredictError("a band needs the number of cases; give count=(negative, positive)")
        return self.count

    # ---- what the intervals share
    @property
    def _empirical(self) -> EmpiricalUncertainty:
        """The uncertainty of the curve that the rows behind the fit show."""
        assert self.refit is not None
        return EmpiricalUncertainty(Ecdf(self.refit.negative), Ecdf(self.refit.positive), self.resampling)

    def _uses_empirical(self, method: str | None) -> bool:
        """Return whether an AUC that was fitted, but not by two Gaussians, is located as its rows locate it."""
        return self.refit is not None and not self._is_gaussian and method != "bootstrap"

    def _empirical_interval(self, level: float, method: str | None) -> Interval[Any]:
        """Return the interval that the rows give, as wide as it takes to hold the estimate."""
        interval, estimate = self._empirical.area_interval(None, level, method), float(self.solver.auc())
        low, high = min(interval.low, estimate), max(interval.high, estimate)
        flags = interval.flags | Flags(interval_extended=(low, high) != (interval.low, interval.high))
        return replace(interval, low=low, high=high, estimate=estimate, flags=flags)

    @property
    def _is_gaussian(self) -> bool:
        return isinstance(self.negative, Gaussian) and isinstance(self.positive, Gaussian)

    @property
    def _gaussians(self) -> tuple[Gaussian[Any], Gaussian[Any]]:
        if isinstance(self.negative, Gaussian) and isinstance(self.positive, Gaussian):
            return self.negative, self.positive
        raise RocPredictError(
            "an interval from moments alone is for two Gaussians; a prediction by rp.predict_roc has method='bootstrap'"
        )

    @property
    def _moments(self) -> tuple[Gaussian[Any], Gaussian[Any], Count]:
        """Both Gaussians and their cases, as the delta method takes them."""
        return *self._gaussians, self.class_sizes

    def _select_method(
        self, method: str | None, allowed: tuple[str, ...], *, resampled: bool = True, min_count: float = 2
    ) -> str:
        """Return the requested method or the default.

        Two Gaussians: "pivotal" for one feature with ``min_count`` observations of each class and more, else "delta".
        Other fitted families: "bootstrap".
        """
        check_option("method", method, (None, *allowed, "bootstrap") if resampled else (None, *allowed))
        is_refitted = method is None and not self._is_gaussian and self.refit is not None and resampled
        if method == "bootstrap" or is_refitted:
            return "bootstrap"
        negative, positive, count = self._moments
        is_batch = bool(self.solver.shape) or any(np.ndim(n) for n in count)
        if method == "pivotal" and is_batch:
            raise RocPredictError("method='pivotal' takes one feature at a time; a batch has 'delta'")
        has_pivot = "pivotal" in allowed and not is_batch and min(count) > 1
        has_pivot = has_pivot and bool(np.all([d.std > 0 and np.isfinite(d.std) for d in (negative, positive)]))
        if method is None:
            return "pivotal" if has_pivot and min(count) >= min_count else "delta"
        return "delta" if method == "pivotal" and not has_pivot else method

    def bootstrap(self, statistic: Callable[[Solver], FloatArray], n_outputs: int = 1) -> tuple[FloatArray, Flags]:
        """Return a statistic of fitted resamples, shape (fits, n_outputs), and a flag if some could not be fitted."""
        if self.refit is None:
            raise RocPredictError("method='bootstrap' needs the sample behind the prediction; see rp.predict_roc")
        fits = self.refit.bootstrap_fits(self.resampling)
        outputs = [np.reshape(statistic(solver_for(*pair)), (-1, n_outputs)) for pair in fits]
        replicates = np.concatenate([np.empty((0, n_outputs)), *outputs])
        n_requested = self.resampling.n_resamples
        if 2 * len(replicates) < n_requested:
            raise RocPredictError(
                f"the family could be fitted to {len(replicates)} of {n_requested} resamples only; "
                "an interval needs more cases, or another family"
            )
        return replicates, Flags(dropped_resamples=len(replicates) < n_requested)

    def _percentile(
        self, quantity: Callable[[Solver], FloatArray], estimate: FloatArray, level: float
    ) -> Interval[Any]:
        replicates, dropped = self.bootstrap(quantity)
        limits = percentile_interval(replicates[:, 0], level)
        interval = self._ensure_width(np.asarray(limits[0]), np.asarray(limits[1]), estimate, level, "bootstrap")
        return replace(interval, flags=interval.flags | dropped)

    def _probability_interval(
        self,
        quantity: Callable[[Solver], FloatArray],
        level: float,
        method: str | None,
        draw_pivots: Callable[[], FloatArray] | None,
    ) -> Interval[Any]:
        """Return the interval of a probability: by draws of pivots, or by the delta method on the probit scale."""
        estimate = quantity(self.solver)
        selected = self._select_method(method, ("pivotal", "delta") if draw_pivots else ("delta",))
        if selected == "bootstrap":
            return self._percentile(quantity, estimate, level)
        limits: tuple[Any, Any]
        if selected == "pivotal" and draw_pivots:
            limits = percentile_interval(draw_pivots(), level)
        else:
            with np.errstate(invalid="ignore"):
                moved = delta_std_error(lambda solver: np.asarray(ndtri(quantity(solver))), *self._moments)
            limits = ProbitEstimate(ndtri(estimate), *moved).interval(level)
        return self._ensure_width(np.asarray(limits[0]), np.asarray(limits[1]), estimate, level, selected)

    def _ensure_width(
        self, low: FloatArray, high: FloatArray, estimate: FloatArray, level: float, method: str
    ) -> Interval[Any]:
        """Return an interval of a probability; without spread, by how many unlike cases there can be unseen."""
        flat = ~(high - low > _MIN_WIDTH)
        unseen = zero_variance_interval(estimate, self.class_sizes, level)
        low, high = np.where(flat, unseen[0], low), np.where(flat, unseen[1], high)
        method = "unseen" if flat.all() else method
        return Interval(to_scalar(low), to_scalar(high), level, method, to_scalar(estimate), self._flat_flags(flat))

    def _flat_flags(self, flat: Any) -> Flags:
        """Flag intervals without a width of their own, and classes of one case."""
        single = np.broadcast_to(np.minimum(*self.class_sizes) <= 1, np.shape(flat))
        return Flags(fallback=flat, single_observation=single)


def _has_width(low: FloatArray, high: FloatArray) -> bool:
    """Return whether a band is anywhere wider than rounding, on the scale from 0 to 1."""
    return bool(np.any(high - low > np.finfo(float).eps))


def _resampled_gaussians(sample: FloatArray, counts: FloatArray) -> Gaussian[Any]:
    """Return the Gaussians fitted to B resamples of a class, drawn ``counts`` times (B, n) each."""
    centre = sample.mean()
    deviation = sample - centre
    cases = counts.sum(axis=1)
    mean = counts @ deviation / cases
    squares = counts @ deviation**2 - cases * mean**2
    return Gaussian(centre + mean, np.sqrt(np.maximum(squares, 0) / (cases - 1)))


# ---- the delta method for two fitted Gaussians
class ProbitEstimate(NamedTuple):
    """A probit-scale estimate, its standard error, and the degrees of freedom of the variance."""

    z: FloatArray
    std_error: FloatArray
    df: FloatArray

    def limits(self, factor: ArrayOrFloat) -> tuple[FloatArray, FloatArray]:
        """Return the limits so many standard errors away, on the scale of probabilities."""
        with np.errstate(invalid="ignore"):
            half = np.nan_to_num(factor * self.std_error, nan=0.0, posinf=np.inf)
            return ndtr(self.z - half), ndtr(self.z + half)

    def interval(self, level: float) -> tuple[FloatArray, FloatArray]:
        """Return the interval on the scale of probabilities."""
        return self.limits(student_critical_value(self.df, level))


def satterthwaite_df(variances: tuple[FloatArray, FloatArray], count: Count) -> FloatArray:
    """Return the degrees of freedom of a sum of two variances (Satterthwaite 1946); 1 or more."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        parts = [
            (np.asarray(v) / (variances[0] + variances[1])) ** 2 / (n - 1)
            for v, n in zip(variances, count, strict=True)
        ]
        df = np.asarray(1 / (parts[0] + parts[1]))
    return np.where(np.isfinite(df), np.maximum(df, 1.0), np.inf)


def student_critical_value(df: FloatArray, level: float) -> FloatArray:
    """Return the quantile of Student's t that leaves half of 1 - level above it."""
    return np.asarray(np.where(np.isinf(df), normal_critical_value(level), -stdtrit(df, (1 - level) / 2)))


def auc_probit(negative: Gaussian[Any], positive: Gaussian[Any], count: Count) -> ProbitEstimate:
    """Return D = (mean difference)/sqrt(sum of variances) and its standard error, so that AUC = Phi(D)."""
    z, parts = _parts(negative, positive, count)
    with np.errstate(invalid="ignore"):
        half = z * z / 2
        std_error = np.sqrt(parts[0][0] + parts[1][0] + half * (parts[0][1] + parts[1][1]))
        df = satterthwaite_df((parts[0][0] + half * parts[0][1], parts[1][0] + half * parts[1][1]), count)
        return ProbitEstimate(z, std_error, df)


def tpr_probit(negative: Gaussian[Any], positive: Gaussian[Any], count: Count, fpr: FloatArray) -> ProbitEstimate:
    """Return the probit of the TPR at an FPR, a + b Phi^-1(FPR), and its standard error."""
    d, s0, s1 = BinormalSolver(negative, positive).scaled
    x = ndtri(fpr)
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = s0 / s1
        z = (d + s0 * x) / s1
        negative_variance = slope**2 / count[0] + _safe_divide(slope**2 * x * x / 2, count[0] - 1)
        std_variance = _safe_divide(z * z / 2, count[1] - 1)
        df = satterthwaite_df((negative_variance, 1 / count[1] + std_variance), count)
        return ProbitEstimate(z, np.sqrt(negative_variance + 1 / count[1] + std_variance), df)


def tail_probit(distribution: Gaussian[Any], count: ArrayOrFloat, threshold: FloatArray) -> ProbitEstimate:
    """Return the probit of P(X >= threshold) and its standard error."""
    with np.errstate(divide="ignore", invalid="ignore"):
        z = (np.asarray(distribution.mean) - threshold) / np.asarray(distribution.std)
        std_error = np.sqrt(1 / count + _safe_divide(z * z / 2, count - 1))
    return ProbitEstimate(z, std_error, np.maximum(np.asarray(count, dtype=np.float64) - 1, 1.0))


def threshold_std_error(
    negative: Gaussian[Any], positive: Gaussian[Any], count: Count, log_price: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the standard error of the best threshold (cf. Schisterman and Perkins 2007) and its degrees of freedom.

    The error grows without bound as the classes become alike.
    """
    z0, z1, _, _ = BinormalSolver(negative, positive).crossing_z_scores(log_price)
    with np.errstate(divide="ignore", invalid="ignore"):
        steepness = z0 / np.asarray(negative.std) - z1 / np.asarray(positive.std)
        classes = zip((z0, z1), count, strict=True)
        first, second = (z * z / n + _safe_divide((z * z - 1) ** 2 / 2, n - 1) for z, n in classes)
        df = satterthwaite_df((first, second), count)
        return np.asarray(np.sqrt(first + second) / np.abs(steepness)), df


def delta_std_error(
    quantity: Callable[[Solver], FloatArray], negative: Gaussian[Any], positive: Gaussian[Any], count: Count
) -> tuple[FloatArray, FloatArray]:
    """Return the standard error of any smooth function of the two Gaussians, and its degrees of freedom.

    The slopes are central differences.
    """
    std_errors = []
    for index, (d, n) in enumerate(zip((negative, positive), count, strict=True)):
        step, std_error = _STEP * np.asarray(d.std), np.zeros(())
        for moved, moment_variance in (("mean", 1 / n), ("std", _safe_divide(np.asarray(0.5), n - 1))):
            shifted = []
            for sign in (1, -1):
                other = Gaussian(**{"mean": d.mean, "std": d.std} | {moved: getattr(d, moved) + sign * step})
                pair = (other, positive) if index == 0 else (negative, other)
                shifted.append(quantity(BinormalSolver(*pair)))
            with np.errstate(invalid="ignore"):
                moves = (shifted[0] - shifted[1]) / (2 * _STEP)  # by one standard deviation
                std_error = np.hypot(std_error, np.where(step > 0, moves * np.sqrt(moment_variance), 0.0))
        std_errors.append(std_error)
    first, second = std_errors
    std_error = np.hypot(first, second)
    with np.errstate(invalid="ignore", divide="ignore"):
        return std_error, satterthwaite_df(((first / std_error) ** 2, (second / std_error) ** 2), count)


# ---- generalized pivots of two fitted Gaussians
@dataclass(frozen=True)
class PivotalAuc:
    """Distribution of the generalized pivot of D, with AUC = Phi(D) (cf. Li, Liao and Liu 2008).

    The pivot draws standard deviations s sqrt((n - 1)/chi-squared) and, about the means, a normal distance between
    the classes. It is a mixture over the standard deviations of normal distributions of that distance.

    Attributes
    ----------
    distance : float
        Between the estimated means.
    scale, std_error : arrays of shape (draws,)
        Root of the sum of both drawn variances; standard error of the distance with them.
    """

    distance: float
    scale: FloatArray
    std_error: FloatArray

    @classmethod
    def from_moments(cls, negative: Gaussian[Any], positive: Gaussian[Any], count: Count) -> PivotalAuc:
        """Return the pivot of two Gaussians of one feature."""
        points = lattice(2)
        distance, *stds = BinormalSolver(negative, positive).scaled
        s0, s1 = (_draw_std(s, n, u) for s, n, u in zip(stds, count, points.T, strict=True))
        return cls(float(distance), np.hypot(s0, s1), np.hypot(s0 / np.sqrt(count[0]), s1 / np.sqrt(count[1])))

    def tail(self, probit: float, sign: float) -> float:
        """Return the probability that D is at most ``probit`` (sign 1), or at least (sign -1)."""
        with np.errstate(under="ignore"):
            return float(np.mean(ndtr(sign * (probit * self.scale - self.distance) / self.std_error)))

    def interval(self, level: float) -> tuple[float, float]:
        """Return the interval of the AUC."""
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

    def test(self, low: float, high: float, claim: Hypothesis) -> tuple[float, float]:
        """Return a normal quantile with this p, and p, of the probits of the value less and plus the margin."""
        below, above = self.tail(low, 1.0), self.tail(high, -1.0)
        p_value = {
            "two-sided": min(1.0, 2 * min(below, above)),
            "less": above,
            "equivalent": max(below, above),
        }.get(claim.alternative, below)
        return float(ndtri(above) if claim.alternative == "less" else -ndtri(below)), p_value


def pivotal_tpr(negative: Gaussian[Any], positive: Gaussian[Any], count: Count, fpr: FloatArray) -> FloatArray:
    """Return draws of the TPR at each of some FPRs by the pivot of a + b Phi^-1(FPR): shape (draws, k)."""
    points = lattice(3)
    d, *stds = BinormalSolver(negative, positive).scaled
    s0, s1 = (_draw_std(s, n, u)[:, None] for s, n, u in zip(stds, count, points.T, strict=False))
    distance = d + ndtri(points[:, 2:]) * np.hypot(s0 / np.sqrt(count[0]), s1 / np.sqrt(count[1]))
    with np.errstate(invalid="ignore", under="ignore"):
        return np.asarray(ndtr((distance + s0 * ndtri(np.ravel(fpr))) / s1))


def pivotal_tpr_interval(
    negative: Gaussian[Any], positive: Gaussian[Any], count: Count, fpr: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """Return the interval of the TPR at each FPR."""
    tails = (1 - level) / 2, (1 + level) / 2
    low, high = np.quantile(pivotal_tpr(negative, positive, count, fpr), tails, axis=0)
    return np.reshape(low, np.shape(fpr)), np.reshape(high, np.shape(fpr))


def pivotal_areas(negative: Gaussian[Any], positive: Gaussian[Any], count: Count, rate_range: RateRange) -> FloatArray:
    """Return draws of the area over a range of rates as a fraction of its width, shape (draws,).

    By Gauss-Legendre quadrature of x = 3 t^2 - 2 t^3, in which a curve that is steep at its ends is smooth.
    """
    low, high = float(rate_range.low), float(rate_range.high)
    if rate_range.axis == "tpr":
        negative, positive, count = positive.reflect(), negative.reflect(), count[::-1]
        low, high = 1 - high, 1 - low
    nodes, weights = np.polynomial.legendre.leggauss(_N_NODES)
    t = (nodes + 1) / 2
    fpr = low + (high - low) * t * t * (3 - 2 * t)
    return np.asarray(pivotal_tpr(negative, positive, count, fpr) @ (weights * 3 * t * (1 - t)))


def pivotal_draws(
    negative: Gaussian[Any], positive: Gaussian[Any], count: Count, quantity: Callable[[Solver], FloatArray]
) -> FloatArray:
    """Return a quantity of two Gaussians at draws of their pivots, shape (draws,)."""
    points = lattice(4)
    drawn = []
    for d, n, u in zip((negative, positive), count, (points[:, :2], points[:, 2:]), strict=True):
        std = _draw_std(np.asarray(d.std), n, u[:, 0])
        drawn.append(Gaussian(d.mean + ndtri(u[:, 1]) * std / np.sqrt(n), std))
    return np.broadcast_to(quantity(BinormalSolver(*drawn)), (_N_PIVOTS,))


def lattice(n_dims: int) -> FloatArray:
    """Return the points of a Korobov lattice in the unit cube, shape (draws, n_dims): quasi-random numbers."""
    generator = [pow(_KOROBOV, power, _N_PIVOTS) for power in range(n_dims)]
    return np.asarray((np.outer(np.arange(_N_PIVOTS), generator) % _N_PIVOTS + 0.5) / _N_PIVOTS)


def _draw_std(std: FloatArray, count: ArrayOrFloat, uniform: FloatArray) -> FloatArray:
    """Return s sqrt(f/chi-squared) with f = n - 1 degrees of freedom, at fractions of its distribution."""
    half = (np.asarray(count) - 1) / 2
    return np.asarray(std * np.sqrt(half / np.maximum(gammaincinv(half, uniform), np.finfo(float).tiny)))


def reiser_guttman_interval(
    negative: Gaussian[Any], positive: Gaussian[Any], count: Count, level: float
) -> tuple[FloatArray, FloatArray]:
    """Return the interval of the AUC by the noncentral t of its D (Reiser and Guttman 1986)."""
    z, parts = _parts(negative, positive, count)
    with np.errstate(divide="ignore", invalid="ignore"):
        size, freedom = 1 / np.sqrt(parts[0][0] + parts[1][0]), 1 / (parts[0][1] + parts[1][1])
        t = size * z
    low, high = np.vectorize(_noncentral_t_limits)(t, freedom, level)
    return ndtr(low / size), ndtr(high / size)


def tail_noncentral_t_interval(
    distribution: Gaussian[Any], count: ArrayOrFloat, threshold: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """Return the exact interval of P(X >= threshold) for a Gaussian sample, by the noncentral t."""
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.sqrt(count) * (np.asarray(distribution.mean) - threshold) / np.asarray(distribution.std)
    low, high = np.vectorize(_noncentral_t_limits)(t, count - 1, level)
    return ndtr(low / np.sqrt(count)), ndtr(high / np.sqrt(count))


def _noncentral_t_limits(t: float, freedom: float, level: float) -> tuple[float, float]:
    """Return the noncentralities at which the noncentral t leaves half of 1 - level above, then below, ``t``."""
    from scipy.optimize import brentq
    from scipy.stats import nct

    if not np.isfinite(t) or not freedom > 0:
        return -np.inf, np.inf
    stride = 1 + abs(t) / np.sqrt(2 * freedom)  # about one standard deviation of t

    def solved(tail: float) -> float:
        def excess(c: float) -> float:
            return float(nct.cdf(t, freedom, c)) - tail

        sign = 1.0 if excess(t) > 0 else -1.0
        start, end = t, t + sign * stride
        while excess(end) * sign > 0:  # step by step: far out scipy's function has no answer
            start, end = end, end + sign * stride
        if np.isnan(excess(start) + excess(end)):
            return np.nan
        return float(brentq(excess, start, end, xtol=1e-12))

    return solved((1 + level) / 2), solved((1 - level) / 2)


def _parts(
    negative: Gaussian[Any], positive: Gaussian[Any], count: Count
) -> tuple[FloatArray, tuple[tuple[FloatArray, FloatArray], ...]]:
    """Return D, and what the mean and the standard deviation of each class add to its variance.

    The latter for D^2/2 = 1. All from the fractions of the classes in the sum of variances, so that no unit matters.
    """
    d, s0, s1 = BinormalSolver(negative, positive).scaled
    with np.errstate(divide="ignore", invalid="ignore"):
        size = np.hypot(s0, s1)
        z = np.where((size == 0) & (d == 0), 0.0, d / size)
        shares = (s0 / size) ** 2, (s1 / size) ** 2
        parts = tuple((share / n, _safe_divide(share**2, n - 1)) for share, n in zip(shares, count, strict=True))
    return z, parts


def _safe_divide(part: FloatArray, whole: ArrayOrFloat) -> FloatArray:
    """Return part/whole; infinite where the class has a single case, whose spread nobody saw."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(np.greater(whole, 0), np.divide(part, whole), np.inf)
