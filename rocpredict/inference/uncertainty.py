"""Methods of ROC curves that compute confidence intervals, tests and confidence bands."""

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


_N_OOB_RESAMPLES = 1000  # number of resamples for the optimism-corrected Ameans in a repr
_MAX_REPR_SIZE = 10_000  # largest number of observations for which a repr contains this Ameans
_MAX_REPR_WORK = 2_000_000  # largest product of the numbers of observations and resamples for this Ameans

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
RateMethod: TypeAlias = (
    Literal["clopper-pearson", "wilson"]  # of proportions in samples
    | Literal["newcombe-clopper-pearson", "newcombe-wilson"]  # of the Ameans and Youden's J in samples
    | Literal["delta", "noncentral-t"]  # of two fitted Gaussians
    | None
)
"""Methods for the confidence interval of a rate; None selects the default."""
BandKind: TypeAlias = Literal["pointwise", "simultaneous"]


class UncertaintyMixin(Generic[Value]):
    """Mixin class of ``Roc`` with methods for standard errors, intervals, tests and bands.

    The default methods are those whose coverage was close to the confidence level in simulations. For samples, the
    defaults are smoothed-logit intervals and Dirichlet draws. For two Gaussians with known class sizes, the defaults
    are generalized pivots or, for a batch, the delta method. ``n_resamples`` and ``rng`` apply to methods that use
    random numbers. With the default seed, the same data always result in the same interval.
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
            For samples:

            - "delong" (default): DeLong's standard error, computed from the placement values. If ``method`` is omitted
              and this standard error is 0 or undefined, "smoothed-logit" is used instead.
            - "hanley-mcneil": standard error under the assumption that both classes have exponential distributions.
            - "smoothed-logit": standard error after pseudo-observations are added to each class; this standard error is
              never 0.
            - "bootstrap": standard deviation of the AUC over resamples.

            For two Gaussians with known class sizes: "delta" (default). For a prediction fitted with another family:
            the methods for samples, applied to the empirical AUC. For every prediction fitted to a sample, "bootstrap"
            refits the distributions to each resample.
        n_resamples : int, default=2000
            Number of resamples or draws, for methods that use random numbers.
        rng : int or numpy.random.Generator, default=0
            Seed or generator, for methods that use random numbers.

        Returns
        -------
        std_error : float or array of shape F
            Standard error; for a batch of curves of shape F, an array with one standard error for each curve.

        Raises
        ------
        RocPredictError
            If the method is unknown, or the class sizes are missing.
        """
        return self._uncertainty(n_resamples, rng).area_std_error(None, method)

    def auc_interval(
        self, level: float = 0.95, *, method: AucMethod = None, n_resamples: int = 2000, rng: Seed = 0
    ) -> Interval[Value]:
        """Return a confidence interval for the AUC.

        Parameters
        ----------
        level : float, default=0.95
            Confidence level.
        method : str, optional
            For samples:

            - "smoothed-logit" (default): DeLong's interval [1]_ on the logit scale, with pseudo-observations and
              Student's t.
            - "newcombe": score interval with a variance derived for exponential distributions [2]_.
            - "delong", "logit": Wald interval with DeLong's variance, for the AUC itself ("delong") or for the logit of
              the AUC ("logit").
            - "hanley-mcneil": Wald interval with a variance derived for exponential distributions.
            - "bootstrap": percentiles of the AUC over stratified resamples.
            - "bca": bias-corrected and accelerated percentiles of the AUC over stratified resamples [3]_.

            For two Gaussians with known class sizes:

            - "pivotal" (default for one feature): quantiles of a generalized pivot (see [4]_).
            - "delta" (default for a batch): delta-method interval on the probit scale, based on Student's t.
            - "reiser-guttman": interval from the noncentral t distribution [5]_.

            For a prediction fitted with another family: the methods for samples. The interval for the empirical AUC is
            extended to contain the predicted AUC. For every prediction fitted to a sample, "bootstrap" refits the
            distributions to each resample.
        n_resamples : int, default=2000
            Number of resamples or draws, for methods that use random numbers.
        rng : int or numpy.random.Generator, default=0
            Seed or generator, for methods that use random numbers.

        Returns
        -------
        Interval
            Confidence interval. Its width is never 0. If the standard error is 0, another method is used, and the flag
            ``fallback`` is set.

        Raises
        ------
        RocPredictError
            If the method is unknown, ``level`` is not in (0, 1), or the class sizes are missing.

        Notes
        -----
        The method "smoothed-logit" adds a pseudo-observation to each class. This artificial observation lies between
        the lower and the upper half of the observations of the other class. Its weight is 1/4 in the estimate of the
        area, and 1/2 in the estimate of the variance. Rare observations that would change the AUC may be absent from a
        sample. The lower limit is therefore at most b, and the upper limit is at least 1 - b, where b is the lower
        limit for an AUC of 1. With n observations in the smaller class, b is ((1 - level)/2)^(1/n). Both
        "smoothed-logit" and "delta" use quantiles of Student's t with Satterthwaite's degrees of freedom.

        The method "pivotal" first draws the standard deviation of each class as s sqrt((n - 1)/q). Here s is the
        standard deviation of the n observations, and q is drawn from the chi-squared distribution with n - 1 degrees of
        freedom. The means are then drawn from normal distributions with these standard deviations divided by sqrt(n).
        The limits are quantiles of the AUC over these draws. The coverage of the default methods is reported in the
        documentation ("Coverage of the intervals, and levels of the tests").

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
        """Test the AUC against a given value; to compare two curves, use ``rocpredict.auc_test``.

        Parameters
        ----------
        null : float, default=0.5
            AUC under the null hypothesis.
        method : str, optional
            For samples:

            - "smoothed-logit" (default): p is 1 minus the highest confidence level at which the smoothed-logit interval
              of the AUC excludes ``null``.
            - "delong": test based on the difference between the AUC and ``null``, divided by DeLong's standard error.
            - "mann-whitney": test of the hypothesis that both classes have the same distribution, by a normal
              approximation with tie correction.
            - "exact": exact test of the same hypothesis as "mann-whitney", by permutation of the labels. The test
              accepts up to 200 observations.

            For two Gaussians with known class sizes: "pivotal" (default) or "delta"; p is 1 minus the highest
            confidence level at which the interval computed by this method excludes ``null``.
        alternative : {"two-sided", "greater", "less", "noninferior", "equivalent"}, default="two-sided"
            Alternative hypothesis. "noninferior" and "equivalent" need ``margin``.
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
            If the method or the alternative is unknown, if ``auc_test`` is called for a batch of ROC curves, if the
            class sizes are missing, or if the curve was predicted from other distributions than two Gaussians.

        See Also
        --------
        rocpredict.auc_test : Test of two curves against each other.
        """
        from rocpredict.inference.hypotheses import Hypothesis

        if isinstance(null, UncertaintyMixin):
            raise RocPredictError(
                "null= is a ROC curve; pass an AUC value, or compare two curves with rp.auc_test(roc1, roc2)"
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
        """Return the standard error of the partial AUC; see ``partial_auc`` for the range and the correction.

        Parameters
        ----------
        fpr, tpr : (low, high), optional
            FPR range or TPR range; pass exactly one of ``fpr`` and ``tpr``.
        correction : {None, "mcclish"}, default=None
            McClish's correction of the area (see ``partial_auc``), or None for the uncorrected area.
        method : str, optional
            For samples: "delong" (default), "smoothed-logit" or "bootstrap". "delong" includes the uncertainty of the
            thresholds at both ends of the range. For two Gaussians with known class sizes: "delta".
        n_resamples : int, default=2000
            Number of resamples or draws, for methods that use random numbers.
        rng : int or numpy.random.Generator, default=0
            Seed or generator, for methods that use random numbers.

        Returns
        -------
        std_error : float or array of shape F
            Standard error; for a batch of curves of shape F, an array with one standard error for each curve.

        Raises
        ------
        RocPredictError
            If the range is invalid, the correction or the method is unknown, or the class sizes are missing.
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
        """Return a confidence interval for the partial AUC; see ``partial_auc`` for the range and the correction.

        Parameters
        ----------
        level : float, default=0.95
            Confidence level.
        fpr, tpr : (low, high), optional
            FPR range or TPR range; pass exactly one of ``fpr`` and ``tpr``.
        correction : {None, "mcclish"}, default=None
            McClish's correction of the area (see ``partial_auc``), or None for the uncorrected area.
        method : str, optional
            For samples:

            - "dirichlet" (default): quantiles of the partial area over random draws of the curve (see
              ``tpr_at_fpr_interval``).
            - "smoothed-logit", "delong", "logit", "bootstrap", "bca": as in ``auc_interval``, applied to the
              partial area.

            For two Gaussians with known class sizes: "pivotal" (default for one feature) or "delta" (default for a
            batch). For a prediction fitted with another family: "bootstrap".
        n_resamples : int, default=2000
            Number of resamples or draws, for methods that use random numbers.
        rng : int or numpy.random.Generator, default=0
            Seed or generator, for methods that use random numbers.

        Returns
        -------
        Interval
            Confidence interval. For samples, the interval computed by the default method contains the empirical partial
            area. For an FPR range (low, high), the flag ``extrapolated`` is set if ``high`` times the number of
            negatives is below 1. For a TPR range (low, high), this flag is set if (1 - ``low``) times the number of
            positives is below 1. The interval then depends on an assumption about the shape of the curve in this range.

        Raises
        ------
        RocPredictError
            If the range is invalid, the correction or the method is unknown, or the class sizes are missing.
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
        """Return a pointwise confidence interval for the TPR at an FPR.

        Parameters
        ----------
        fpr : float or array-like
            FPRs in [0, 1]; for one feature, a number or an array of any shape. Each FPR has its own pointwise interval;
            for the whole curve, use ``band``.
        level : float, default=0.95
            Confidence level.
        method : str, optional
            For samples:

            - "dirichlet" (default): quantiles of the TPR over random draws of the curve (see Notes).
            - "bootstrap": percentiles of the TPR over stratified resamples.
            - "hilgers": interval that is valid for every pair of continuous distributions, but wide [1]_.

            For two Gaussians with known class sizes: "pivotal" (default for one feature) or "delta" (default for a
            batch). For a prediction fitted with another family: "bootstrap".
        n_resamples : int, default=2000
            Number of resamples or draws, for methods that use random numbers.
        rng : int or numpy.random.Generator, default=0
            Seed or generator, for methods that use random numbers.

        Returns
        -------
        Interval
            Confidence interval. For samples, the interval computed by the default method contains the empirical TPR.
            The flag ``extrapolated`` is set if the FPR times the number of negatives is below 1; the data then do not
            determine the curve at this FPR.

        Raises
        ------
        RocPredictError
            If the method is unknown, an FPR is not in [0, 1], or the class sizes are missing.

        Notes
        -----
        In each draw of the method "dirichlet", every observation gets a random weight from an exponential distribution,
        and each class gets one additional weight. At the k-th largest negative, the drawn FPR then has the same
        distribution as the true FPR in samples from a continuous distribution (see [2]_, [3]_). Between the FPRs of two
        adjacent negatives, the drawn curve is a straight line.

        Near the ends of the curve, different curves are used for the two limits. The curve for the lower limit starts
        flat, with a power law of exponent 4. The curve for the upper limit starts steeply, with a power law whose
        exponent is half the exponent estimated from the top quarter of the negatives; it ends flat. If the largest
        observations are negatives, the curve for the lower limit is flat up to the first negative below a positive. If
        the smallest observations are negatives, the curve for the upper limit reaches a TPR of 1 at the last negative
        above a positive.

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
        """Return a pointwise confidence interval for the FPR at a TPR.

        Parameters
        ----------
        tpr : float or array-like
            TPRs in [0, 1], which must be chosen without looking at the data.
        level : float, default=0.95
            Confidence level.
        method : str or None, default=None
            As in ``tpr_at_fpr_interval``, but with the classes exchanged.
        n_resamples : int, default=2000
            Number of draws or resamples.
        rng : int or numpy.random.Generator, default=0
            Seed or random number generator.

        Returns
        -------
        Interval
            Confidence interval of the FPR; the limits have the same shape as ``tpr``.

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
        """Return a confidence band for the ROC curve of one feature.

        Parameters
        ----------
        level : float, default=0.95
            Confidence level.
        kind : {"pointwise", "simultaneous"}, default="pointwise"
            - "pointwise": a confidence interval of the TPR at each FPR. The confidence level holds for one FPR that is
              chosen beforehand, not for all FPRs together. For an empirical curve, the limits are widened where they
              would otherwise decrease with the FPR or exclude the curve.
            - "simultaneous": a band that contains the whole curve with probability ``level``.
        fpr : array-like of shape (k,), optional
            FPRs of the band. By default, 201 evenly spaced FPRs from 0 to 1.
        method : str, optional
            For pointwise bands, the methods of ``tpr_at_fpr_interval``; "bootstrap" is also available for a prediction
            that was fitted to a sample. For simultaneous bands, "kolmogorov-smirnov" for samples [1]_, and
            "working-hotelling" for two Gaussians with known class sizes [2]_.
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
            If the kind or the method is unknown or not available for this curve, ``level`` is not in (0, 1), an FPR is
            not in [0, 1], the class sizes are missing, or the curve is a batch.

        Notes
        -----
        The method "kolmogorov-smirnov" uses the exact quantiles e0 and e1 of Kolmogorov's statistic for the negatives
        and the positives, at level sqrt(``level``). With probability sqrt(``level``), the empirical FPR differs from
        the true FPR by at most e0 at every threshold. In the same way, the empirical TPR differs from the true TPR by
        at most e1. The true curve therefore lies between TPR(FPR - e0) - e1 and TPR(FPR + e0) + e1 with probability
        ``level``, where TPR(.) is the empirical curve. The band is valid for all distributions; ties make it
        conservative.

        The method "working-hotelling" computes the band on the probit scale, where x is the probit of the FPR and the
        curve is the line a + b x. The limits are a + b x plus or minus sqrt(2 F) SE(x). SE(x) is the standard error of
        a + b x by the delta method, and F is the ``level`` quantile of the F distribution with 2 and min(count) - 1
        degrees of freedom. Because a ROC curve never decreases, a lower limit also applies to all larger FPRs, and an
        upper limit to all smaller FPRs. This narrows the band without loss of coverage.

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
        """Return a confidence interval for a rate at a threshold that was fixed beforehand.

        If the threshold was selected on the same data, the rates at this threshold are optimistic; use the methods of
        ``best_threshold`` instead.

        Parameters
        ----------
        measure : str
            Name of the rate: "tpr", "fpr", "tnr" or "fnr"; for samples also "precision", "npv", "false_discovery_rate",
            "false_omission_rate", "accuracy", "error_rate", "ameans" or "youden". Aliases such as "ppv" are accepted.
            Measures that depend on the prevalence, such as the precision, use the prevalence in the sample.
        threshold : float or array-like
            Thresholds.
        level : float, default=0.95
            Confidence level.
        method : str, optional
            For samples: "clopper-pearson" (default), which is exact, or "wilson". For "ameans" and "youden" of samples:
            "newcombe-clopper-pearson" (default) or "newcombe-wilson", which combine such intervals of TPR and TNR
            [1]_. In eight pairs of class sizes from 5 + 5 to 10 + 300, the coverage of the default is at least 92.7%,
            and that of "newcombe-wilson" is down to 84% if both rates are near 0 or 1. For two Gaussians with known
            class sizes:
            "noncentral-t" (default for one feature), which is exact, or "delta" (default for a batch).

        Returns
        -------
        Interval

        Raises
        ------
        RocPredictError
            If the measure or the method is unknown, ``level`` is not in (0, 1), the class sizes are missing, or the
            curve was predicted from other distributions than two Gaussians.

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
        """Check that the range of a partial area fits the batch of curves, and return its FPR or TPR limits."""
        rate_range = check_rate_range(fpr, tpr)
        for limit in (rate_range.low, rate_range.high):
            self._check_batch_argument(rate_range.axis, np.asarray(limit))
        return rate_range

    def _check_rates(self, name: str, value: ArrayLike) -> FloatArray:
        """Return rates as an array, after checking that the array is not empty and fits the batch of curves."""
        rates = check_probabilities(name, value)
        if not rates.size:
            raise RocPredictError(f"{name}={short_repr(value)} is empty; pass at least one rate")
        return self._check_batch_argument(name, rates) if self.shape else rates

    def _refit(self) -> PairFit | None:
        """Return the sample and the fitting function of a fitted prediction, or None for all other curves."""
        return None

    def _uncertainty(
        self, n_resamples: int, rng: Seed, *, swap_axes: bool = False
    ) -> EmpiricalUncertainty | ParametricUncertainty:
        """Return the object that computes standard errors, intervals, tests and bands of this curve.

        With ``swap_axes``, the object computes them for the curve with the axes FPR' = 1 - TPR and TPR' = 1 - FPR.
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
            uncertainty = EmpiricalUncertainty(*pair, resampling)  # type: ignore[arg-type]
            if not swap_axes:  # the operating points are computed only once
                vars(uncertainty)["solver"] = self._solver
            return uncertainty
        return ParametricUncertainty(*pair, count, resampling, refit)


@dataclass(frozen=True)
class ThresholdUncertainty:
    """Intervals for a best threshold and for its Ameans; used by the methods of ``BestThreshold``.

    ``make_uncertainty`` is a function that takes (n_resamples, rng) and returns the ``Uncertainty`` object of the
    curve. ``to_feature_scale`` is a function that converts thresholds for the rule "positive when x >= threshold" to
    thresholds for the rule of the curve.
    """

    make_uncertainty: Callable[[int, Any], EmpiricalUncertainty | ParametricUncertainty]
    criterion: ThresholdCriterion
    to_feature_scale: Callable[[FloatArray], ArrayOrFloat]

    def threshold_interval(self, level: float, method: str | None, n_resamples: int, rng: Seed) -> Interval:
        """Return the confidence interval of the best threshold."""
        uncertainty, level = self.make_uncertainty(n_resamples, rng), check_confidence_level(level)
        interval = uncertainty.threshold_interval(self.criterion, level, method)
        interval = map_interval(interval, lambda threshold: self.to_feature_scale(np.asarray(threshold)))
        limits = interval.low, interval.high
        return replace(interval, low=to_scalar(np.minimum(*limits)), high=to_scalar(np.maximum(*limits)))

    def ameans_interval(self, level: float, method: str | None, n_resamples: int, rng: Seed) -> Interval:
        """Return the confidence interval of the Ameans at the best threshold."""
        uncertainty, level = self.make_uncertainty(n_resamples, rng), check_confidence_level(level)
        return uncertainty.ameans_interval(self.criterion, level, method)

    def stability(self, n_resamples: int, rng: Seed) -> ThresholdStability:
        """Return the best thresholds in bootstrap resamples and a summary of their variation."""
        return self.make_uncertainty(n_resamples, rng).stability(self.criterion, self.to_feature_scale)

    @property
    def is_fast(self) -> bool:
        """True if the optimism-corrected Ameans is defined and can be computed quickly enough for a repr."""
        uncertainty = self.make_uncertainty(_N_OOB_RESAMPLES, 0)
        return uncertainty.is_empirical and bool(sum(uncertainty.class_sizes) <= _MAX_REPR_SIZE)

    @cached_property
    def ameans_corrected(self) -> float | None:
        """Optimism-corrected Ameans at the best threshold of an empirical curve; None for a predicted curve."""
        uncertainty = self.make_uncertainty(_N_OOB_RESAMPLES, 0)
        if not uncertainty.is_empirical:
            return None
        n_resamples = int(np.clip(_MAX_REPR_WORK // sum(uncertainty.class_sizes), 20, _N_OOB_RESAMPLES))
        return self.stability(n_resamples, 0).ameans_corrected


def apply_mcclish(area: ArrayOrFloat, rate_range: RateRange, correction: Correction) -> ArrayOrFloat:
    """Return a partial area over a range of rates; McClish's correction is applied if ``correction`` is "mcclish"."""
    check_option("correction", correction, (None, "mcclish"))
    if correction is None:
        return to_scalar(area)
    return to_scalar(
        (1 + (np.asarray(area) - rate_range.chance_area) / (rate_range.width - rate_range.chance_area)) / 2
    )
