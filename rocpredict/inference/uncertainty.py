"""Intervals, tests and bands as methods of a ROC curve."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike

from rocpredict.base.rates import ALIASES, check_confidence_level
from rocpredict.base.results import Interval
from rocpredict.base.validation import (
    ArrayOrFloat,
    Correction,
    FloatArray,
    RocPredictError,
    Seed,
    Value,
    check_option,
    check_probabilities,
    short_repr,
    to_scalar,
)
from rocpredict.distributions.base import Distribution
from rocpredict.distributions.shrinkage import ShrinkageDistribution
from rocpredict.inference.base import ConfidenceBand, Uncertainty
from rocpredict.inference.bootstrap import BootstrapOptions
from rocpredict.inference.intervals import complement_interval, map_interval
from rocpredict.inference.placements import RateRange, check_rate_range
from rocpredict.solvers.thresholds import ThresholdCriterion

if TYPE_CHECKING:
    from rocpredict.inference.hypotheses import Alternative, AucTest
    from rocpredict.inference.parametric import PairFit
    from rocpredict.solvers.thresholds import ThresholdStability


_N_OOB_RESAMPLES = 1000  # resamples behind an out-of-bag mean that is shown unasked
_MAX_REPR_SIZE = 10_000  # cases, at most, of which a repr shows that mean: with more it is hardly needed
_MAX_REPR_WORK = 2_000_000  # rows times resamples, at most, for the same

AucErrorMethod: TypeAlias = Literal["delong", "hanley-mcneil", "smoothed-logit", "bootstrap", "delta"] | None
AucMethod: TypeAlias = (
    Literal[
        "smoothed-logit",
        "newcombe",
        "delong",
        "logit",
        "hanley-mcneil",
        "bootstrap",
        "bca",
        "pivotal",
        "delta",
        "reiser-guttman",
    ]
    | None
)
AucTestMethod: TypeAlias = Literal["smoothed-logit", "delong", "mann-whitney", "exact", "pivotal", "delta"] | None
PartialAucMethod: TypeAlias = (
    Literal["dirichlet", "smoothed-logit", "delong", "logit", "bootstrap", "bca", "pivotal", "delta"] | None
)
PointMethod: TypeAlias = Literal["dirichlet", "bootstrap", "hilgers", "pivotal", "delta"] | None
BandMethod: TypeAlias = (
    Literal["dirichlet", "bootstrap", "hilgers", "pivotal", "delta", "kolmogorov-smirnov", "working-hotelling"] | None
)
RateMethod: TypeAlias = Literal["clopper-pearson", "wilson", "newcombe-wilson", "delta", "noncentral-t"] | None
"""Methods of each interval, for samples or for two Gaussians; None takes the default."""
BandKind: TypeAlias = Literal["pointwise", "simultaneous"]


class UncertaintyMixin(Generic[Value]):
    """Standard errors and intervals; mixed into ``Roc``.

    Every method names its own default: for samples the intervals that held in simulation, for Gaussians known
    by mean, standard deviation and count generalized pivots, of a batch of features the delta method. Methods that
    draw take ``n_resamples`` and ``rng``, a seed or a numpy Generator; with the default seed the same data give the
    same interval.
    """

    _oriented_distributions: Any
    _solver: Any
    negative: Any
    count: Any
    direction: Any
    auc: Callable[..., Any]
    _to_solver_scale: Callable[..., Any]
    _check_batch_argument: Callable[..., Any]
    _direction_flags: Any

    def auc_std_error(self, *, method: AucErrorMethod = None, n_resamples: int = 2000, rng: Seed = 0) -> Value:
        """Return the standard error of the AUC.

        Parameters
        ----------
        method : str, optional
            Samples: "delong", "hanley-mcneil", "smoothed-logit" (never 0), "bootstrap"; left out, DeLong's, or
            the smoothed one where that is 0 for want of overlap. Two Gaussians with counts: "delta". A fitted
            prediction: also "bootstrap".
        n_resamples, rng
            Of "bootstrap".

        Raises
        ------
        RocPredictError
            An unknown method; no counts.
        """
        return self._uncertainty(n_resamples, rng).area_std_error(None, method)

    def auc_interval(
        self, level: float = 0.95, *, method: AucMethod = None, n_resamples: int = 2000, rng: Seed = 0
    ) -> Interval[Value]:
        """Return the confidence interval of the AUC.

        Parameters
        ----------
        level : float
        method : str, optional
            Samples: "smoothed-logit" (default), "newcombe", "delong", "logit", "hanley-mcneil", "bootstrap"
            (stratified percentile), "bca". Two Gaussians with counts: "pivotal" (default for one feature), "delta"
            (default for a batch; on the probit scale, with Student's t), "reiser-guttman". A fitted prediction: also
            "bootstrap", which fits each resample anew.
        n_resamples, rng
            Of the bootstrap.

        Returns
        -------
        Interval
            Never of width 0: where a method sees no spread, another stands in, with the flag ``fallback``.

        Raises
        ------
        RocPredictError
            An unknown method, a level outside (0, 1), no counts.

        Notes
        -----
        "smoothed-logit" is DeLong's interval (DeLong, DeLong and Clarke-Pearson 1988) on the logit scale. A quarter of
        an observation is added to each class to estimate the area, and half of one to estimate its variance; the
        quantiles are those of Student's t with Satterthwaite's degrees of freedom. "pivotal" are quantiles of a
        generalized pivot (cf. Li, Liao and Liu 2008), a distribution of the AUC over standard deviations
        s sqrt((n - 1)/chi-squared) and normal means. "delta" has Satterthwaite's degrees of freedom. How each method
        covers is in the documentation ("How intervals cover").
        """
        interval = self._uncertainty(n_resamples, rng).area_interval(None, check_confidence_level(level), method)
        return replace(interval, flags=interval.flags | self._direction_flags)

    def auc_test(
        self,
        null: float = 0.5,
        *,
        method: AucTestMethod = None,
        alternative: Alternative = "two-sided",
        margin: float | None = None,
        level: float = 0.95,
    ) -> AucTest:
        """Test the AUC against a value; curves are tested against each other by ``rocpredict.auc_test``.

        Parameters
        ----------
        null : float
            The value.
        method : str, optional
            Samples: "smoothed-logit" (default; p is the level at which the default interval begins to exclude the
            value), "delong", "mann-whitney" (equal distributions; tie-corrected normal), "exact" (the same, counting
            all ways to label up to 200 cases).
            Two Gaussians with counts: "pivotal" (default; p is the level of significance at which the interval excludes
            the value), "delta".
        alternative : {"two-sided", "greater", "less", "noninferior", "equivalent"}
            What is claimed; the last two need ``margin``.
        margin : float
        level : float
            Of the interval in the result.

        Raises
        ------
        RocPredictError
            An unknown method or alternative; a batch; no counts.
        """
        from rocpredict.inference.hypotheses import Hypothesis

        if isinstance(null, UncertaintyMixin):
            raise RocPredictError(
                "null= is a value of the AUC, here a ROC; two ROCs are compared by rp.auc_test(roc1, roc2)"
            )
        claim = Hypothesis(alternative, margin)
        if np.ndim(self.auc()):
            raise RocPredictError("a batch of features cannot be tested at once; give them one by one")
        direction, level = self.direction or "higher", check_confidence_level(level)
        return self._uncertainty(_N_OOB_RESAMPLES, 0).auc_test(null, method, claim, level, direction)

    def partial_auc_std_error(
        self,
        *,
        fpr: tuple[float, float] | None = None,
        tpr: tuple[float, float] | None = None,
        correction: Correction = None,
        method: AucErrorMethod = None,
        n_resamples: int = 2000,
        rng: Seed = 0,
    ) -> Value:
        """Return the standard error of ``partial_auc`` with the same range and correction.

        Parameters
        ----------
        method : str, optional
            Samples: "delong" (default; of the partial area itself, the ends of the range estimated),
            "smoothed-logit", "bootstrap". Two Gaussians with counts: "delta".
        """
        rate_range = self._check_rate_range(fpr, tpr)
        check_option("correction", correction, (None, "mcclish"))
        raw = self._uncertainty(n_resamples, rng).area_std_error(rate_range, method) * rate_range.width
        return to_scalar(raw if correction is None else raw / (2 * (rate_range.width - rate_range.chance_area)))

    def partial_auc_interval(
        self,
        level: float = 0.95,
        *,
        fpr: tuple[float, float] | None = None,
        tpr: tuple[float, float] | None = None,
        correction: Correction = None,
        method: PartialAucMethod = None,
        n_resamples: int = 2000,
        rng: Seed = 0,
    ) -> Interval[Value]:
        """Return the confidence interval of ``partial_auc`` with the same range and correction.

        Parameters
        ----------
        method : str, optional
            Samples: "dirichlet" (default; draws of the curve, see ``tpr_at_fpr_interval``), "smoothed-logit", "delong",
            "logit" (from the variance of the partial area itself), "bootstrap", "bca". Two Gaussians with counts:
            "pivotal" (default for one feature), "delta".
        n_resamples, rng
            Of "dirichlet" and of the bootstrap.

        Notes
        -----
        Where fewer than one negative is expected in the range of FPR (or positive in that of TPR), the flag
        ``extrapolated`` says that the interval rests on a curve that was assumed there.
        """
        rate_range = self._check_rate_range(fpr, tpr)
        share = self._uncertainty(n_resamples, rng).area_interval(rate_range, check_confidence_level(level), method)
        interval = map_interval(
            share, lambda part: apply_mcclish(np.multiply(part, rate_range.width), rate_range, correction)
        )
        return replace(interval, flags=interval.flags | self._direction_flags)

    @overload
    def tpr_at_fpr_interval(
        self: UncertaintyMixin[float],
        fpr: float,
        level: float = 0.95,
        *,
        method: PointMethod = None,
        n_resamples: int = 2000,
        rng: Seed = 0,
    ) -> Interval[float]: ...
    @overload
    def tpr_at_fpr_interval(
        self, fpr: ArrayLike, level: float = 0.95, *, method: PointMethod = None, n_resamples: int = 2000, rng: Seed = 0
    ) -> Interval[FloatArray]: ...
    def tpr_at_fpr_interval(
        self, fpr: ArrayLike, level: float = 0.95, *, method: PointMethod = None, n_resamples: int = 2000, rng: Seed = 0
    ) -> Interval[Any]:
        """Return the pointwise confidence interval of the TPR at an FPR.

        Parameters
        ----------
        fpr : float or array
            With a single feature of any shape: one interval for each, each by itself (see ``band``).
        method : str, optional
            Samples: "dirichlet" (default), "bootstrap", "hilgers" (exact for every pair of continuous distributions;
            wide). Two Gaussians with counts: "pivotal" (default for one feature), "delta".
        n_resamples, rng
            Of "dirichlet" and of the bootstrap.

        Returns
        -------
        Interval
            It holds the empirical TPR. With the flag ``extrapolated`` where FPR times the number of negatives is below
            1: no observation shows the curve there.

        Notes
        -----
        "dirichlet": each observation has an exponential weight, and each class one more; then the FPR at the k-th
        largest negative is distributed as that of a continuous distribution (cf. Rubin 1981; Gu, Ghosal and Roy 2008).
        The TPR is read off the drawn curve, which is straight between the negatives. Before the largest one it is flat
        for the lower limit (a power of 4 from (0, 0)) and for the upper limit as steep as the power law of half the
        exponent that the top quarter of the negatives suggests.
        """
        uncertainty, at = self._uncertainty(n_resamples, rng), _check_rates("fpr", fpr)
        return uncertainty.tpr_at_fpr_interval(at, check_confidence_level(level), method)

    @overload
    def fpr_at_tpr_interval(
        self: UncertaintyMixin[float],
        tpr: float,
        level: float = 0.95,
        *,
        method: PointMethod = None,
        n_resamples: int = 2000,
        rng: Seed = 0,
    ) -> Interval[float]: ...
    @overload
    def fpr_at_tpr_interval(
        self, tpr: ArrayLike, level: float = 0.95, *, method: PointMethod = None, n_resamples: int = 2000, rng: Seed = 0
    ) -> Interval[FloatArray]: ...
    def fpr_at_tpr_interval(
        self, tpr: ArrayLike, level: float = 0.95, *, method: PointMethod = None, n_resamples: int = 2000, rng: Seed = 0
    ) -> Interval[Any]:
        """Return the pointwise confidence interval of the FPR at a TPR; see ``tpr_at_fpr_interval``."""
        uncertainty, at = self._uncertainty(n_resamples, rng, swap_axes=True), 1 - _check_rates("tpr", tpr)
        return complement_interval(uncertainty.tpr_at_fpr_interval(at, check_confidence_level(level), method))

    def band(
        self,
        level: float = 0.95,
        *,
        kind: BandKind = "pointwise",
        fpr: ArrayLike | None = None,
        method: BandMethod = None,
        n_resamples: int = 2000,
        rng: Seed = 0,
    ) -> ConfidenceBand:
        """Return a confidence band about the curve of one feature.

        Parameters
        ----------
        level : float
        kind : {"pointwise", "simultaneous"}
            Pointwise: at each FPR an interval of the TPR there, for one FPR that was chosen beforehand; about a
            counted curve wider where an interval by itself would fall as the FPR rises, or miss the curve.
            Simultaneous: the whole curve lies inside with this level.
        fpr : array of shape (k,), optional
            Where to give the band. Left out: 201 FPRs, evenly from 0 to 1.
        method : str, optional
            Pointwise, as in ``tpr_at_fpr_interval``. Samples: "dirichlet" (default), "bootstrap", "hilgers". Two
            Gaussians with counts: "pivotal" (default), "delta". A fitted prediction: also "bootstrap". Simultaneous.
            Samples: "kolmogorov-smirnov". Two Gaussians with counts: "working-hotelling".
        n_resamples, rng
            Of "dirichlet" and "bootstrap".

        Returns
        -------
        ConfidenceBand

        Raises
        ------
        RocPredictError
            An unknown kind or method, a level outside (0, 1), FPRs outside [0, 1], no counts, a batch of features.

        Notes
        -----
        "kolmogorov-smirnov" (Campbell 1994): with probability sqrt(level) the empirical FPR is at no threshold
        farther from the true one than the exact quantile e0 of Kolmogorov's statistic, and likewise the TPR and e1;
        so the curve lies between TPR(FPR - e0) - e1 and TPR(FPR + e0) + e1, whatever the distributions. Ties make it
        conservative. "working-hotelling" (Ma and Hall 1993): on the probit scale a + b x plus or minus
        sqrt(2 F(level)) SE(x), SE by the delta method and F the quantile with 2 and min(count) - 1 degrees of
        freedom (for many cases that of chi-squared/2); trimmed to what a rising curve can reach, which costs no
        coverage.

        Examples
        --------
        >>> from rocpredict import PredictedRoc
        >>> roc = PredictedRoc.from_stats(mean=(4, 8), std=(3, 2), count=(60, 40))
        >>> roc.band(kind="simultaneous")
        ConfidenceBand(simultaneous, n_points=201, level=0.95, method='working-hotelling', mean_width=0.1954)
        """
        return self._uncertainty(n_resamples, rng).band(fpr, check_confidence_level(level), kind, method)

    @overload
    def rate_interval(
        self: UncertaintyMixin[float], measure: str, threshold: float, level: float = 0.95, *, method: RateMethod = None
    ) -> Interval[float]: ...
    @overload
    def rate_interval(
        self, measure: str, threshold: ArrayLike, level: float = 0.95, *, method: RateMethod = None
    ) -> Interval[FloatArray]: ...
    def rate_interval(
        self, measure: str, threshold: ArrayLike, level: float = 0.95, *, method: RateMethod = None
    ) -> Interval[Any]:
        """Return the confidence interval of a rate at a threshold that was fixed beforehand.

        A threshold chosen on the same rows makes the rates there optimistic: see ``best_threshold``.

        Parameters
        ----------
        measure : str
            "tpr", "fpr", "tnr", "fnr"; for samples also "precision", "npv", "false_discovery_rate",
            "false_omission_rate", "accuracy", "error_rate", "ameans", "youden". Or an alias, such as "ppv". Of rows
            that were sampled as they occur: precision and its like go with the classes' shares in the sample.
        threshold : float or array
        level : float
        method : str, optional
            Samples: "clopper-pearson" (default; exact), "wilson"; for "ameans" and "youden" Wilson's intervals
            of both rates are combined (Newcombe 1998). Two Gaussians with counts: "noncentral-t" (exact; default
            for one feature), "delta" (default for a batch).

        Raises
        ------
        RocPredictError
            A measure or method that is not listed.
        """
        uncertainty, level = self._uncertainty(_N_OOB_RESAMPLES, 0), check_confidence_level(level)
        name: Any = measure
        name = ALIASES.get(name, name) if isinstance(name, str) else name
        return uncertainty.rate_interval(name, self._to_solver_scale(threshold), level, method)

    def _check_rate_range(self, fpr: Any, tpr: Any) -> RateRange:
        """Check the range of FPR or TPR of a partial area, or too many for one feature."""
        rate_range = check_rate_range(fpr, tpr)
        for limit in (rate_range.low, rate_range.high):
            self._check_batch_argument(rate_range.axis, np.asarray(limit))
        return rate_range

    def _refit(self) -> PairFit | None:
        """Return how to fit resamples, where there is a sample behind fitted classes."""
        return None

    def _uncertainty(self, n_resamples: int, rng: Seed, *, swap_axes: bool = False) -> Uncertainty:
        """Return the uncertainty of two samples, or of two distributions.

        With ``swap_axes`` it is that of the curve as seen from the corner (1, 1).
        """
        from rocpredict.inference.empirical import EmpiricalUncertainty
        from rocpredict.inference.parametric import ParametricUncertainty

        pair: tuple[Distribution, Distribution] = self._oriented_distributions
        count, refit = self.count, self._refit()
        if swap_axes:
            pair = pair[1].reflect(), pair[0].reflect()
            count = None if count is None else count[::-1]
            refit = None if refit is None else refit.reflected().swap_classes()
        resampling = BootstrapOptions(n_resamples, rng)
        if self._solver.is_discrete and not isinstance(self.negative, ShrinkageDistribution):
            return EmpiricalUncertainty(*pair, resampling)  # type: ignore[arg-type]
        return ParametricUncertainty(*pair, count, resampling, refit)


@dataclass(frozen=True)
class ThresholdUncertainty:
    """Uncertainty of a best threshold and its Ameans; ``BestThreshold`` asks it.

    ``make_uncertainty`` takes (n_resamples, rng) to the uncertainty of the curve, and ``to_feature_scale`` thresholds
    of the rule "positive when x >= threshold" back to those of the rule in use.
    """

    make_uncertainty: Callable[[int, Any], Uncertainty]
    criterion: ThresholdCriterion
    to_feature_scale: Callable[[FloatArray], ArrayOrFloat]

    def threshold_interval(self, level: float, method: str | None, n_resamples: int, rng: Seed) -> Interval:
        """Return the interval of the threshold."""
        uncertainty, level = self.make_uncertainty(n_resamples, rng), check_confidence_level(level)
        interval = uncertainty.threshold_interval(self.criterion, level, method)
        interval = map_interval(interval, lambda threshold: self.to_feature_scale(np.asarray(threshold)))
        limits = interval.low, interval.high
        return replace(interval, low=to_scalar(np.minimum(*limits)), high=to_scalar(np.maximum(*limits)))

    def ameans_interval(self, level: float, method: str | None, n_resamples: int, rng: Seed) -> Interval:
        """Return the interval of the Ameans there."""
        uncertainty, level = self.make_uncertainty(n_resamples, rng), check_confidence_level(level)
        return uncertainty.ameans_interval(self.criterion, level, method)

    def stability(self, n_resamples: int, rng: Seed) -> ThresholdStability:
        """Return what the threshold does over resamples."""
        return self.make_uncertainty(n_resamples, rng).stability(self.criterion, self.to_feature_scale)

    @property
    def is_fast(self) -> bool:
        """True if there is a corrected Ameans that is quick enough for a repr."""
        uncertainty = self.make_uncertainty(_N_OOB_RESAMPLES, 0)
        return uncertainty.is_empirical and bool(sum(uncertainty.class_sizes) <= _MAX_REPR_SIZE)

    @cached_property
    def ameans_corrected(self) -> float | None:
        """The optimism-corrected Ameans of an empirical threshold; None for a predicted one."""
        uncertainty = self.make_uncertainty(_N_OOB_RESAMPLES, 0)
        if not uncertainty.is_empirical:
            return None
        n_resamples = int(np.clip(_MAX_REPR_WORK // sum(uncertainty.class_sizes), 20, _N_OOB_RESAMPLES))
        return self.stability(n_resamples, 0).ameans_corrected


def _check_rates(name: str, value: ArrayLike) -> FloatArray:
    """Return rates as an array, or refuse what is none or not between 0 and 1."""
    rates = check_probabilities(name, value)
    if not rates.size:
        raise RocPredictError(f"{name}={short_repr(value)} is empty; give one rate or more")
    return rates


def apply_mcclish(area: ArrayOrFloat, rate_range: RateRange, correction: Correction) -> ArrayOrFloat:
    """Return an area over a range of rates on the scale that is asked for."""
    check_option("correction", correction, (None, "mcclish"))
    if correction is None:
        return to_scalar(area)
    return to_scalar(
        (1 + (np.asarray(area) - rate_range.chance_area) / (rate_range.width - rate_range.chance_area)) / 2
    )
