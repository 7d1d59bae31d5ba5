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
from rocpredict.inference.bootstrap import BootstrapOptions
from rocpredict.inference.intervals import complement_interval, map_interval
from rocpredict.inference.placements import RateRange, check_rate_range
from rocpredict.solvers.thresholds import ThresholdCriterion

if TYPE_CHECKING:
    from rocpredict.inference.empirical import ConfidenceBand, EmpiricalUncertainty
    from rocpredict.inference.hypotheses import Alternative, AucTest
    from rocpredict.inference.parametric import PairFit, ParametricUncertainty
    from rocpredict.solvers.thresholds import ThresholdStability


_N_OOB_RESAMPLES = 1000  # number of resamples for the out-of-bag mean of the Ameans in a repr
_MAX_REPR_SIZE = 10_000  # largest number of observations for which a repr contains this mean
_MAX_REPR_WORK = 2_000_000  # largest product of the numbers of observations and resamples for this mean

AucErrorMethod: TypeAlias = Literal["delong", "hanley-mcneil", "smoothed-logit", "bootstrap", "delta"] | None
AucMethod: TypeAlias = (
    Literal["smoothed-logit", "newcombe", "delong", "logit", "hanley-mcneil", "bootstrap", "bca"]  # of samples
    | Literal["pivotal", "delta", "reiser-guttman"]  # of two Gaussians
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
"""Methods of the interval of a rate, for samples or for two Gaussians; None selects the default."""
BandKind: TypeAlias = Literal["pointwise", "simultaneous"]


class UncertaintyMixin(Generic[Value]):
    """Standard errors, intervals, tests and bands of a ROC curve; mixed into ``Roc``.

    The default methods had a coverage near the level in simulations. For samples these are smoothed-logit intervals
    and Dirichlet draws; for two Gaussians with counts, generalized pivots, or the delta method for a batch.
    ``n_resamples`` and ``rng`` apply to methods that use random numbers. With the default seed, the same data give the
    same interval.
    """

    _oriented_distributions: Any
    _solver: Any
    negative: Any
    count: Any
    direction: Any
    auc: Callable[..., Any]
    _to_solver_scale: Callable[..., Any]
    shape: Any
    _check_batch_argument: Callable[..., Any]
    _direction_flags: Any

    def auc_std_error(self, *, method: AucErrorMethod = None, n_resamples: int = 2000, rng: Seed = 0) -> Value:
        """Return the standard error of the AUC.

        Parameters
        ----------
        method : str, optional
            Samples:

            - "delong" (default): from the placement values. If the result is 0 or undefined, "smoothed-logit" replaces
              it.
            - "hanley-mcneil": standard error for exponential classes with this AUC.
            - "smoothed-logit": standard error with pseudo-observations, which is never 0.
            - "bootstrap": standard deviation over resamples.

            Two Gaussians with counts: "delta". A fitted prediction also accepts "bootstrap".
        n_resamples : int, default=2000
            Number of resamples or draws, for methods that use random numbers.
        rng : int or numpy.random.Generator, default=0
            Seed or generator, for methods that use random numbers.

        Returns
        -------
        float or array of shape F

        Raises
        ------
        RocPredictError
            If the method is unknown, or the counts are missing.
        """
        return self._uncertainty(n_resamples, rng).area_std_error(None, method)

    def auc_interval(
        self, level: float = 0.95, *, method: AucMethod = None, n_resamples: int = 2000, rng: Seed = 0
    ) -> Interval[Value]:
        """Return the confidence interval of the AUC.

        Parameters
        ----------
        level : float, default=0.95
            Confidence level.
        method : str, optional
            Samples:

            - "smoothed-logit" (default): DeLong's interval [1]_ on the logit scale, with pseudo-observations and
              Student's t.
            - "newcombe": score interval with the variance of exponential classes [2]_.
            - "delong", "logit": Wald intervals with DeLong's variance, for the AUC and for its logit.
            - "hanley-mcneil": Wald interval with the variance of exponential classes.
            - "bootstrap", "bca": percentiles of stratified resamples; bias-corrected and accelerated percentiles [3]_.

            Two Gaussians with counts:

            - "pivotal" (default for one feature): quantiles of a generalized pivot (cf. [4]_).
            - "delta" (default for a batch): delta method on the probit scale, with Student's t.
            - "reiser-guttman": noncentral t [5]_.

            A fitted prediction also accepts "bootstrap", with a refit to each resample.
        n_resamples : int, default=2000
            Number of resamples or draws, for methods that use random numbers.
        rng : int or numpy.random.Generator, default=0
            Seed or generator, for methods that use random numbers.

        Returns
        -------
        Interval
            Interval of a width above 0: a method with a standard error of 0 is replaced, with the flag ``fallback``.

        Raises
        ------
        RocPredictError
            If the method is unknown, ``level`` is not in (0, 1), or the counts are missing.

        Notes
        -----
        "smoothed-logit" adds a pseudo-observation that exceeds half of the other class to each class, with weight 1/4
        to estimate the area and weight 1/2 to estimate its variance. This method uses quantiles of Student's t with
        Satterthwaite's degrees of freedom.
        "pivotal" uses the distribution of the AUC for standard deviations drawn as s sqrt((n - 1)/chi-squared) and
        normal means. "delta" uses Satterthwaite's degrees of freedom. The coverage of each method is in the
        documentation ("How intervals cover").

        References
        ----------
        .. [1] E. R. DeLong, D. M. DeLong, D. L. Clarke-Pearson (1988), "Comparing the areas under two or more
           correlated receiver operating characteristic curves: a nonparametric approach", Biometrics 44, 837-845.
        .. [2] R. G. Newcombe (2006), "Confidence intervals for an effect size measure based on the Mann-Whitney
           statistic. Part 2: asymptotic methods and evaluation", Statistics in Medicine 25, 559-573.
        .. [3] B. Efron (1987), "Better bootstrap confidence intervals", Journal of the American Statistical Association
           82, 171-185.
        .. [4] C.-R. Li, C.-T. Liao, J.-P. Liu (2008), "On the exact interval estimation for the difference in paired
           areas under the ROC curves", Statistics in Medicine 27, 224-242.
        .. [5] B. Reiser, I. Guttman (1986), "Statistical inference for Pr(Y < X): the normal case", Technometrics 28,
           253-257.
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
        """Test the AUC against a value; ``rocpredict.auc_test`` tests two curves against each other.

        Parameters
        ----------
        null : float, default=0.5
            AUC under the null hypothesis.
        method : str, optional
            Samples:

            - "smoothed-logit" (default): p is 1 - the highest level at which the default interval excludes the value.
            - "delong": the difference divided by its standard error.
            - "mann-whitney": test of equal distributions by a normal approximation with tie correction.
            - "exact": test of equal distributions over all ways to choose the labels, for up to 200 observations.

            Two Gaussians with counts: "pivotal" (default), "delta"; p is 1 - the highest level at which the interval of
            this method excludes the value.
        alternative : {"two-sided", "greater", "less", "noninferior", "equivalent"}, default="two-sided"
            Alternative hypothesis. The last two need ``margin``.
        margin : float, optional
            Largest negligible difference, in (0, 1).
        level : float, default=0.95
            Confidence level of the interval in the result.

        Returns
        -------
        AucTest

        Raises
        ------
        RocPredictError
            If the method or the alternative is unknown, the ROC curve is a batch, or the counts are missing.

        See Also
        --------
        rocpredict.auc_test : Test of two curves against each other.
        """
        from rocpredict.inference.hypotheses import Hypothesis

        if isinstance(null, UncertaintyMixin):
            raise RocPredictError(
                "null= is a ROC curve; pass a value of the AUC, or compare two curves with rp.auc_test(roc1, roc2)"
            )
        claim = Hypothesis(alternative, margin)
        if np.ndim(self.auc()):
            raise RocPredictError("this is a batch of ROC curves; test the features one by one")
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
        fpr, tpr : (low, high), optional
            Range of FPR or of TPR; pass one of them.
        correction : {None, "mcclish"}, default=None
            Scale of the area, as in ``partial_auc``.
        method : str, optional
            Samples: "delong" (default; accounts for the estimated ends of the range), "smoothed-logit", "bootstrap".
            Two Gaussians with counts: "delta".
        n_resamples : int, default=2000
            Number of resamples or draws, for methods that use random numbers.
        rng : int or numpy.random.Generator, default=0
            Seed or generator, for methods that use random numbers.

        Returns
        -------
        float or array of shape F

        Raises
        ------
        RocPredictError
            If the range is invalid, the correction or the method is unknown, or the counts are missing.
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
        level : float, default=0.95
            Confidence level.
        fpr, tpr : (low, high), optional
            Range of FPR or of TPR; pass one of them.
        correction : {None, "mcclish"}, default=None
            Scale of the area, as in ``partial_auc``.
        method : str, optional
            Samples: "dirichlet" (default; draws of the curve, see ``tpr_at_fpr_interval``); "smoothed-logit", "delong"
            and "logit", as for the AUC, with the variance of the partial area; "bootstrap"; "bca". Two Gaussians with
            counts: "pivotal" (default for one feature), "delta".
        n_resamples : int, default=2000
            Number of resamples or draws, for methods that use random numbers.
        rng : int or numpy.random.Generator, default=0
            Seed or generator, for methods that use random numbers.

        Returns
        -------
        Interval
            The interval contains the empirical partial area. The flag ``extrapolated`` indicates that fewer than one
            negative is expected in the range of FPR, or fewer than one positive in the range of TPR. The interval then
            depends on an assumed curve in this range.

        Raises
        ------
        RocPredictError
            If the range is invalid, the correction or the method is unknown, or the counts are missing.
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
        fpr : float or array-like
            FPRs, of any shape for a single feature. Each FPR has its own pointwise interval (for a whole curve, see
            ``band``).
        level : float, default=0.95
            Confidence level.
        method : str, optional
            Samples:

            - "dirichlet" (default): draws of the curve.
            - "bootstrap": percentiles over stratified resamples.
            - "hilgers": exact for every pair of continuous distributions, but wide [1]_.

            Two Gaussians with counts: "pivotal" (default for one feature), "delta".
        n_resamples : int, default=2000
            Number of resamples or draws, for methods that use random numbers.
        rng : int or numpy.random.Generator, default=0
            Seed or generator, for methods that use random numbers.

        Returns
        -------
        Interval
            The interval contains the empirical TPR. The flag ``extrapolated`` indicates that FPR times the number of
            negatives is below 1, so the data do not determine the curve at this FPR.

        Raises
        ------
        RocPredictError
            If the method is unknown, an FPR is not in [0, 1], or the counts are missing.

        Notes
        -----
        "dirichlet": each observation has an exponentially distributed weight, and each class has one additional weight.
        The FPR at the k-th largest negative is then distributed as for a sample from a continuous distribution (cf.
        [2]_, [3]_). The random curve is straight between the negatives. Between (0, 0) and the largest negative, the
        curve for the lower limit starts flat (a power of 4). The curve for the upper limit starts steeply: a power law
        with half of the exponent estimated from the top quarter of the negatives.

        References
        ----------
        .. [1] R. A. Hilgers (1991), "Distribution-free confidence bounds for ROC curves", Methods of Information in
           Medicine 30, 96-101.
        .. [2] D. B. Rubin (1981), "The Bayesian bootstrap", The Annals of Statistics 9, 130-134.
        .. [3] J. Gu, S. Ghosal, A. Roy (2008), "Bayesian bootstrap estimation of ROC curve", Statistics in Medicine 27,
           5407-5420.
        """
        uncertainty, at = self._uncertainty(n_resamples, rng), self._check_rates("fpr", fpr)
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
        """Return the pointwise confidence interval of the FPR at a TPR.

        Parameters
        ----------
        tpr : float or array-like
            TPR in [0, 1], chosen before the data were seen.
        level : float, default=0.95
            Confidence level.
        method : str or None, default=None
            As in ``tpr_at_fpr_interval``, with the classes exchanged.
        n_resamples : int, default=2000
            Number of draws or resamples.
        rng : int or numpy.random.Generator, default=0
            Seed or generator of the random numbers.

        Returns
        -------
        Interval
            Limits of the FPR, with the same shape as ``tpr``.

        Raises
        ------
        RocPredictError
            If ``tpr`` is outside [0, 1], or ``level`` or ``method`` is invalid.

        See Also
        --------
        tpr_at_fpr_interval : The methods and their assumptions.

        Examples
        --------
        >>> from rocpredict import EmpiricalRoc
        >>> EmpiricalRoc(negative=range(40), positive=range(20, 60)).fpr_at_tpr_interval(0.9)
        Interval(0.239143 to 0.594609, level=0.95, method='dirichlet')
        """
        uncertainty, at = self._uncertainty(n_resamples, rng, swap_axes=True), 1 - self._check_rates("tpr", tpr)
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
        """Return a confidence band of the curve of one feature.

        Parameters
        ----------
        level : float, default=0.95
            Confidence level.
        kind : {"pointwise", "simultaneous"}, default="pointwise"
            - "pointwise": an interval of the TPR at each FPR, valid for one FPR chosen beforehand. The limits of an
              empirical curve are widened where they decrease as the FPR rises, or where they exclude the curve.
            - "simultaneous": a band that contains the whole curve with probability ``level``.
        fpr : array-like of shape (k,), optional
            FPRs of the band. By default, 201 evenly spaced FPRs from 0 to 1.
        method : str, optional
            Pointwise: as in ``tpr_at_fpr_interval``. A fitted prediction also accepts "bootstrap". Simultaneous:
            "kolmogorov-smirnov" for samples [1]_, "working-hotelling" for two Gaussians with counts [2]_.
        n_resamples : int, default=2000
            Number of resamples or draws, for methods that use random numbers.
        rng : int or numpy.random.Generator, default=0
            Seed or generator, for methods that use random numbers.

        Returns
        -------
        ConfidenceBand

        Raises
        ------
        RocPredictError
            If the kind or the method is unknown, ``level`` is not in (0, 1), an FPR is not in [0, 1], the counts are
            missing, or the ROC curve is a batch.

        Notes
        -----
        "kolmogorov-smirnov": with probability sqrt(level), the empirical FPR is within e0 of the true FPR at every
        threshold, where e0 is the exact quantile of Kolmogorov's statistic. Likewise, the empirical TPR is within e1 of
        the true TPR. The curve is therefore between TPR(FPR - e0) - e1 and TPR(FPR + e0) + e1 for all distributions.
        Ties make the band conservative. "working-hotelling": on the probit scale, the band is a + b x plus or minus
        sqrt(2 F) SE(x). SE is estimated by the delta method, and F is the quantile of F(2, min(count) - 1) at
        ``level``. Limits that a rising curve cannot reach are trimmed without loss of coverage.

        References
        ----------
        .. [1] G. Campbell (1994), "Advances in statistical methodology for the evaluation of diagnostic and laboratory
           tests", Statistics in Medicine 13, 499-508.
        .. [2] G. Ma, W. J. Hall (1993), "Confidence bands for receiver operating characteristic curves", Medical
           Decision Making 13, 191-197.

        Examples
        --------
        >>> from rocpredict import PredictedRoc
        >>> roc = PredictedRoc.from_stats(mean=(4, 8), std=(3, 2), count=(60, 40))
        >>> roc.band(kind="simultaneous")
        ConfidenceBand(simultaneous, 201 points, level=0.95, method='working-hotelling', mean_width=0.1954)
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

        The rates at a threshold that was selected on the same data are optimistic: see ``best_threshold``.

        Parameters
        ----------
        measure : str
            "tpr", "fpr", "tnr", "fnr"; for samples also "precision", "npv", "false_discovery_rate",
            "false_omission_rate", "accuracy", "error_rate", "ameans", "youden"; or an alias, such as "ppv". Precision
            and the other measures that depend on the prevalence use the prevalence of the sample.
        threshold : float or array-like
            Thresholds.
        level : float, default=0.95
            Confidence level.
        method : str, optional
            Samples: "clopper-pearson" (default; exact), "wilson". The intervals of "ameans" and "youden" combine
            Wilson's intervals of both rates [1]_. Two Gaussians with counts: "noncentral-t" (exact; default for one
            feature), "delta" (default for a batch).

        Returns
        -------
        Interval

        Raises
        ------
        RocPredictError
            If the measure or the method is unknown, or the counts are missing.

        References
        ----------
        .. [1] R. G. Newcombe (1998), "Interval estimation for the difference between independent proportions:
           comparison of eleven methods", Statistics in Medicine 17, 873-890.
        """
        uncertainty, level = self._uncertainty(_N_OOB_RESAMPLES, 0), check_confidence_level(level)
        name: Any = measure
        name = ALIASES.get(name, name) if isinstance(name, str) else name
        return uncertainty.rate_interval(name, self._to_solver_scale(threshold), level, method)

    def _check_rate_range(self, fpr: Any, tpr: Any) -> RateRange:
        """Return the range of FPR or TPR of a partial area; a shape that does not fit the batch raises an error."""
        rate_range = check_rate_range(fpr, tpr)
        for limit in (rate_range.low, rate_range.high):
            self._check_batch_argument(rate_range.axis, np.asarray(limit))
        return rate_range

    def _check_rates(self, name: str, value: ArrayLike) -> FloatArray:
        """Return rates as an array; an empty array, another shape or a value outside [0, 1] raises an error."""
        rates = check_probabilities(name, value)
        if not rates.size:
            raise RocPredictError(f"{name}={short_repr(value)} is empty; pass one rate or more")
        return self._check_batch_argument(name, rates) if self.shape else rates

    def _refit(self) -> PairFit | None:
        """Return the sample and the fit of a fitted prediction, or None."""
        return None

    def _uncertainty(
        self, n_resamples: int, rng: Seed, *, swap_axes: bool = False
    ) -> EmpiricalUncertainty | ParametricUncertainty:
        """Return the uncertainty of two samples, or of two distributions.

        With ``swap_axes``, the result is the uncertainty of the curve with the axes FPR' = 1 - TPR and TPR' = 1 - FPR.
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
    """Uncertainty of a best threshold and its Ameans, used by the methods of ``BestThreshold``.

    ``make_uncertainty`` returns the uncertainty of the curve for (n_resamples, rng). ``to_feature_scale`` converts
    thresholds of the rule "positive when x >= threshold" to thresholds of the rule in use.
    """

    make_uncertainty: Callable[[int, Any], EmpiricalUncertainty | ParametricUncertainty]
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
        """Return the interval of the Ameans at the threshold."""
        uncertainty, level = self.make_uncertainty(n_resamples, rng), check_confidence_level(level)
        return uncertainty.ameans_interval(self.criterion, level, method)

    def stability(self, n_resamples: int, rng: Seed) -> ThresholdStability:
        """Return the best thresholds of resamples."""
        return self.make_uncertainty(n_resamples, rng).stability(self.criterion, self.to_feature_scale)

    @property
    def is_fast(self) -> bool:
        """True if the optimism-corrected Ameans is defined and fast enough to compute for a repr."""
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


def apply_mcclish(area: ArrayOrFloat, rate_range: RateRange, correction: Correction) -> ArrayOrFloat:
    """Return an area over a range of rates, with McClish's correction if it is requested."""
    check_option("correction", correction, (None, "mcclish"))
    if correction is None:
        return to_scalar(area)
    return to_scalar(
        (1 + (np.asarray(area) - rate_range.chance_area) / (rate_range.width - rate_range.chance_area)) / 2
    )
