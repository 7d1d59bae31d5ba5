"""ROC curve predicted from two distributions."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, overload

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from rocpredict.base.formatting import format_estimate, format_number, format_rate
from rocpredict.base.labels import MAX_EXPANDED_ROWS, ClassSamples, split_classes
from rocpredict.base.results import Result
from rocpredict.base.validation import (
    AssumptionWarning,
    Direction,
    FloatArray,
    Label,
    NanPolicy,
    RocPredictError,
    Value,
    broadcast_arrays,
    check_finite,
    check_nonnegative,
    check_pair,
    check_whole_counts,
    short_repr,
    to_scalar,
)
from rocpredict.distributions.base import Distribution
from rocpredict.distributions.ecdf import COMPARISON_FPR, Ecdf, area_between, empirical_tpr
from rocpredict.distributions.families import FamilyName, ScipyFamily, ScipyFrozen, from_moments
from rocpredict.distributions.gaussian import Gaussian
from rocpredict.distributions.normality import (
    ASSUMPTIONS,
    OTHER_SUGGESTION,
    SKEWED_SUGGESTION,
    curve_misfit,
    misfit_warning,
    sort_and_scale,
)
from rocpredict.distributions.shrinkage import ShrinkageDistribution, ranked_misfit, residual_weight
from rocpredict.roc.base import Roc
from rocpredict.solvers.families import solver_for

if TYPE_CHECKING:
    from rocpredict.inference.parametric import PairFit


_RATIO_OK, _RATIO_LARGE = 1.0, 4.0


@dataclass(frozen=True, eq=False, repr=False)
class ModelFit(Result):
    """Model weight, and distance between the curve of a fitted model and the empirical curve.

    Attributes
    ----------
    model_weight : float
        Weight of the model in the shrunk estimate of family "auto", in [0, 1]. The weight of the empirical distribution
        is 1 - ``model_weight``. For other families, ``model_weight`` is the weight that "auto" would assign to a model
        with the same misfit ratio.
    is_shrinkage : bool
        True if the prediction is a shrunk estimate (family "auto").
    area_between : float
        Absolute difference in TPR between the curve of the model and the empirical curve, averaged over all FPRs. Part
        of this difference is due to sampling variation of the empirical curve; to judge the model, use
        ``misfit_ratio``.
    misfit_ratio : float
        Cramer-von Mises statistic of the model, divided by its expected value for a correct model with known
        parameters. The statistic compares the observed cumulative number of positives at each pooled rank with its
        expected value, and averages the squared differences. For a correct model fitted to the same data, the ratio is
        about 0.3.
    n_negative, n_positive : int
        Number of observations in each class.
    """

    model_weight: float = field(metadata={"label": "model weight"})
    is_shrinkage: bool
    area_between: float = field(metadata={"label": "mean TPR difference"})
    misfit_ratio: float = field(metadata={"label": "misfit ratio"})
    n_negative: int = field(metadata={"label": "negatives"})
    n_positive: int = field(metadata={"label": "positives"})
    derived = ("summary",)
    _tabled = ("model_weight", "area_between", "misfit_ratio", "n_negative", "n_positive")
    _text = "model_weight={model_weight:.4g}, area_between={area_between:.4g}, misfit_ratio={misfit_ratio:.4g}"
    _heading = "Fit of the model to the sample"

    def _notes(self) -> list[str]:
        return [self.summary]

    @property
    def summary(self) -> str:
        """Interpretation of the fit in one sentence."""
        large = "more than" if self.misfit_ratio <= _RATIO_LARGE else "much more than"
        size = "no more than" if self.misfit_ratio <= _RATIO_OK else large
        percent = f"{self.model_weight:.0%}"
        if self.is_shrinkage:
            weight = f"the model weight of this estimate is {percent}"
        else:
            weight = f"this prediction uses only the model (family='auto': model weight {percent})"
        difference = f"{self.area_between:.3f} in TPR on average, {size} expected from sampling variation"
        return f"The model and empirical curves differ by {difference}; {weight}."


_IQR_OF_STANDARD_NORMAL = 2 * ndtri(0.75)
#: Largest distance, in IQRs, between a median and the midpoint of its quartiles that causes no warning.
_MEDIAN_SKEW_LIMIT = 0.2


class _TwoClassMoments(Protocol):
    """Type of an object with the moments of two classes, such as a ``TwoClassSummary``.

    Each class has the attributes ``is_valid``, ``mean``, ``std`` and ``count``.
    """

    @property
    def negative(self) -> Any: ...
    @property
    def positive(self) -> Any: ...
    @property
    def feature_names(self) -> Any: ...


@dataclass(frozen=True, eq=False, repr=False)
class PredictedRoc(Roc[Value]):
    """ROC curve predicted from two class distributions.

    Parameters
    ----------
    negative, positive : distribution
        Distribution of each class: ``Gaussian``, ``Ecdf`` or a frozen scipy.stats distribution. For a batch of
        features, ``negative`` and ``positive`` are ``Gaussian`` objects of shape F, with one distribution for each
        feature. Results then have shape F.
    direction : {None, "higher", "lower", "auto"}, default=None
        Direction of the classification rule:

        * None or "higher": classify as positive when x >= threshold.
        * "lower": classify as positive when x <= threshold.
        * "auto": the direction with an AUC of at least 0.5. The chosen direction is stored in ``direction``.
    count : pair of float or of arrays of shape F, optional
        Number of observations in each class, (negative, positive). These numbers determine the prevalence and the
        widths of the confidence intervals.
    omitted : pair of int, default=(0, 0)
        Number of observations omitted from each class because of missing values, (negative, positive).
    n_unlabelled : int, default=0
        Number of rows that were omitted because they have no label.
    negative_labels : tuple, default=()
        Labels of the negative class, if it has more than one label. They are shown in the repr.
    pair_fit : PairFit, optional
        Samples of both classes, and the function that fits their distributions. ``predict_roc`` stores this
        information for the bootstrap.

    Raises
    ------
    RocPredictError
        If ``negative`` or ``positive`` is not a distribution, if the shapes of batches differ, if ``direction`` is
        unknown, or if a number of observations is out of range.

    See Also
    --------
    predict_roc : fit the class distributions to a sample.
    PredictedRoc.from_stats : use published means and standard deviations.
    compare : compare a predicted curve with an empirical curve.

    Notes
    -----
    The results for two Gaussians are computed in closed form, both for one feature and for a batch of features. The
    results for other pairs of distributions are computed numerically. A prediction is only as good as its
    distributional assumptions; compare it with an empirical curve if data are available.

    Examples
    --------
    The example of the founding paper:

    >>> roc = PredictedRoc(negative=Gaussian(4, 3), positive=Gaussian(8, 2))
    >>> roc.auc()
    0.8663712534228061
    >>> roc.best_threshold()
    BestThreshold(threshold=5.82611, ameans=0.795054, tpr=0.861469, fpr=0.271361, criterion='ameans')
    """

    _: KW_ONLY
    pair_fit: PairFit | None = field(default=None, metadata={"hidden": True})

    def __post_init__(self) -> None:
        pair_fit: object = self.pair_fit
        if pair_fit is not None:
            from rocpredict.inference.parametric import PairFit

            if not isinstance(pair_fit, PairFit):
                raise RocPredictError(f"pair_fit={short_repr(pair_fit)} is not a PairFit; use rp.predict_roc")
        super().__post_init__()

    if TYPE_CHECKING:

        def __init__(
            self,
            negative: Distribution[Value] | ScipyFrozen,
            positive: Distribution[Value] | ScipyFrozen,
            *,
            direction: Direction = None,
            count: Sequence[ArrayLike] | None = None,
            omitted: tuple[int, int] = (0, 0),
            n_unlabelled: int = 0,
            negative_labels: tuple[Label, ...] = (),
            pair_fit: PairFit | None = None,
        ) -> None: ...

    @overload
    @classmethod
    def from_stats(
        cls,
        *,
        mean: Sequence[float] | None = None,
        std: Sequence[float] | None = None,
        count: Sequence[float] | None = None,
        sem: Sequence[float] | None = None,
        median: Sequence[float] | None = None,
        iqr: Sequence[float] | Sequence[tuple[float, float]] | None = None,
        effect_size: float | None = None,
        family: FamilyName = "gaussian",
        direction: Direction = None,
    ) -> PredictedRoc[float]: ...
    @overload
    @classmethod
    def from_stats(
        cls,
        *,
        mean: Sequence[ArrayLike] | None = None,
        std: Sequence[ArrayLike] | None = None,
        count: Sequence[ArrayLike] | None = None,
        sem: Sequence[ArrayLike] | None = None,
        median: Sequence[ArrayLike] | None = None,
        iqr: Sequence[ArrayLike] | None = None,
        effect_size: ArrayLike | None = None,
        family: FamilyName = "gaussian",
        direction: Direction = None,
    ) -> PredictedRoc[FloatArray]: ...
    @classmethod
    def from_stats(
        cls,
        *,
        mean: Sequence[ArrayLike] | None = None,
        std: Sequence[ArrayLike] | None = None,
        count: Sequence[ArrayLike] | None = None,
        sem: Sequence[ArrayLike] | None = None,
        median: Sequence[ArrayLike] | None = None,
        iqr: Sequence[ArrayLike] | None = None,
        effect_size: ArrayLike | None = None,
        family: FamilyName = "gaussian",
        direction: Direction = None,
    ) -> PredictedRoc[Any]:
        """Predict the ROC curve from published summary statistics of both classes.

        Pass one of these combinations: ``mean`` with ``std``, ``mean`` with ``sem``, ``median`` with ``iqr``, or
        ``effect_size`` with or without ``mean``. Each statistic except ``effect_size`` is a pair (negative, positive).

        Parameters
        ----------
        mean : pair of float or of arrays of shape F, optional
            Class means, in the unit of the feature. Arrays define a batch of features.
        std : pair of float or of arrays of shape F, optional
            Standard deviation of each class.
        count : pair of int or of arrays of shape F, optional
            Number of observations in each class (whole numbers). Required with ``sem``.
        sem : pair of float or of arrays of shape F, optional
            Standard errors of the means, in place of ``std``. The standard deviations are computed as
            sem * sqrt(count).
        median : pair of float or of arrays of shape F, optional
            Class medians, in place of ``mean``. ``iqr`` is then required.
        iqr : pair of float, of (q1, q3), or of arrays, optional
            Interquartile range of each class, passed as a width or as two quartiles (q1, q3). The fitted Gaussian has
            the median as its mean; its standard deviation is (q3 - q1)/1.349.
        effect_size : float or array-like of shape F, optional
            Cohen's d = (mean difference)/(pooled std), in place of ``std``. Without ``mean``, the class means are 0 and
            d, and both standard deviations are 1.
        family : str, default="gaussian"
            Family of the class distributions: "gaussian", "gamma", "lognormal", "weibull", "exponential", "logistic",
            "laplace" or "beta". The parameters of the family are computed from the means and SDs. Families other than
            "gaussian" accept only one feature, and only ``mean`` with ``std`` or ``sem``. For "exponential", ``mean``
            alone is sufficient.
        direction : {None, "higher", "lower", "auto"}, default=None
            Direction of the classification rule:

            * None or "higher": classify as positive when x >= threshold.
            * "lower": classify as positive when x <= threshold.
            * "auto": the direction with an AUC of at least 0.5.

        Returns
        -------
        PredictedRoc

        Raises
        ------
        RocPredictError
            If the statistics do not determine both distributions, cannot be combined, or are out of range.

        Warns
        -----
        AssumptionWarning
            If a median is far from the midpoint of its quartiles, which indicates a skewed distribution.

        Notes
        -----
        For nonnegative values, a mean below about twice the standard deviation indicates skewness; "gamma" or
        "lognormal" then fits better than "gaussian".

        Examples
        --------
        >>> PredictedRoc.from_stats(mean=(5.1, 6.4), std=(0.9, 1.2), count=(120, 80))
        PredictedRoc(negative=Gaussian(mean=5.1, std=0.9), positive=Gaussian(mean=6.4, std=1.2), auc=0.806938)
        >>> PredictedRoc.from_stats(effect_size=0.8).auc()
        0.7141961775233342
        """
        for class_size in () if count is None else check_pair("count", count):
            check_whole_counts(class_size)
        options = {"std": std, "sem": sem, "iqr": iqr, "effect_size": effect_size}
        statistics = [name for name, value in options.items() if value is not None]
        if str(family) == "exponential" and not statistics:
            statistics, std = ["std"], mean  # an exponential distribution has std = mean
        if len(statistics) != 1:
            names = " and ".join(f"{name}=" for name in statistics)
            problem = f"{names} cannot be combined" if statistics else "no standard deviation was passed"
            raise RocPredictError(f"{problem}; pass one of std=, sem=, iqr= (with median=) or effect_size=")
        statistic = statistics[0]
        if (median is not None) != (statistic == "iqr"):
            raise RocPredictError("median= and iqr= must be passed together, in place of mean= and std=")
        if statistic == "iqr" and mean is not None:
            raise RocPredictError("iqr= cannot be combined with mean=; pass median= with iqr=, or mean= with std=")
        if statistic in {"std", "sem"} and mean is None:
            raise RocPredictError(f"{statistic}= needs mean=; pass both")
        pair: tuple[Any, ...]
        if statistic == "effect_size":
            pair = _from_effect_size(mean, effect_size)
        elif statistic == "iqr":
            stds = tuple(map(_std_from_iqr, check_pair("median", median), check_pair("iqr", iqr)))
            pair = tuple(map(Gaussian, check_pair("median", median), stds))
        else:
            stds = check_pair("std", std) if statistic == "std" else _std_from_sem(sem, count)
            pair = tuple(map(Gaussian, check_pair("mean", mean), stds))
        if str(family) != "gaussian":
            if statistic not in {"std", "sem"}:
                raise RocPredictError(
                    f"family={short_repr(family)} does not accept {statistic}=; pass mean= with std= or sem="
                )
            if any(gaussian.shape for gaussian in pair):
                raise RocPredictError(
                    f"family={short_repr(family)} accepts one feature at a time; use 'gaussian' for a batch"
                )
            pair = tuple(from_moments(family, gaussian.mean, gaussian.std) for gaussian in pair)
        return PredictedRoc(*pair, direction=direction, count=count)

    @classmethod
    def from_summary(cls, summary: _TwoClassMoments, *, direction: Direction = None) -> PredictedRoc[FloatArray]:
        """Predict the ROC curve of every feature in a summary, with a Gaussian for each class.

        Parameters
        ----------
        summary : TwoClassSummary
            Summary of the features, from ``rocpredict.summarize``.
        direction : {None, "higher", "lower", "auto"}, default=None
            Direction of the classification rule:

            * None or "higher": classify as positive when x >= threshold.
            * "lower": classify as positive when x <= threshold.
            * "auto": for each feature, the direction with an AUC of at least 0.5.

        Returns
        -------
        PredictedRoc
            Batch of shape (features,), with one ROC curve for each feature.

        Raises
        ------
        RocPredictError
            If a feature has fewer than two finite values in at least one class.

        Examples
        --------
        >>> from rocpredict import datasets, summarize
        >>> iris = datasets.load_iris()
        >>> PredictedRoc.from_summary(summarize(iris.X, iris.y, positive="virginica", negative="versicolor")).auc()
        array([0.78700845, 0.67485632, 0.96266154, 0.98069593])
        """
        if not all(hasattr(summary, name) for name in ("negative", "positive", "feature_names")):
            raise RocPredictError(f"summary={short_repr(summary)} is not a TwoClassSummary; pass rp.summarize(X, y)")
        unknown = np.flatnonzero(~(summary.negative.is_valid & summary.positive.is_valid))
        if unknown.size:
            others, excluded = (f" (and {unknown.size - 1} more)", "them") if unknown.size > 1 else ("", "it")
            raise RocPredictError(
                f"feature {summary.feature_names[unknown[0]]!r}{others} has fewer than two finite values in at least "
                f"one class; exclude {excluded} with summary.select(), or use rp.screen"
            )
        classes = summary.negative, summary.positive
        count = summary.negative.count, summary.positive.count
        return PredictedRoc(*(Gaussian(c.mean, c.std) for c in classes), direction=direction, count=count)

    def model_fit(self) -> ModelFit:
        """Compare the model with the sample to which it was fitted.

        Returns
        -------
        ModelFit
            Model weight, and distance between the curve of the model and the empirical curve.

        Raises
        ------
        RocPredictError
            If the distributions were not fitted to a sample, or if the method is called for a batch of features.

        Notes
        -----
        With family "auto", ``model_weight`` is the weight of the model in the shrunk estimate. For other families, it
        is the weight that "auto" would assign to a model with the same misfit ratio.

        Examples
        --------
        >>> from rocpredict import datasets
        >>> iris = datasets.load_iris()
        >>> classes = {"positive": "virginica", "negative": "versicolor"}
        >>> predict_roc(iris.column("petal_width"), iris.y, family="auto", **classes).model_fit()
        ModelFit(model_weight=0.8797, area_between=0.006936, misfit_ratio=0.1672)
        """
        refit = self._refit()
        if refit is None:
            raise RocPredictError("model_fit() needs the sample from which the curve was predicted; use rp.predict_roc")
        if self.shape:
            raise RocPredictError(f"model_fit() needs one feature; this is a batch of ROC curves of shape {self.shape}")
        counts = {"n_negative": len(refit.negative), "n_positive": len(refit.positive)}
        if isinstance(self.negative, ShrinkageDistribution):
            fit = self.negative
            return ModelFit(1 - fit.data_weight, True, fit.area_between, fit.misfit_ratio, **counts)
        tpr = self._solver.along("fpr", COMPARISON_FPR)
        empirical = empirical_tpr(np.sort(refit.negative), np.sort(refit.positive))
        fpr, curve_tpr = COMPARISON_FPR, tpr
        if self._solver.is_discrete:  # a grid of FPRs would omit corners of the curve
            curve = self.curve()
            fpr, curve_tpr = curve.fpr, curve.tpr
        misfit_ratio = float(ranked_misfit(fpr, curve_tpr, refit.negative, refit.positive))
        return ModelFit(
            model_weight=1 - float(residual_weight(misfit_ratio)),
            is_shrinkage=False,
            area_between=float(area_between(tpr, empirical)),
            misfit_ratio=misfit_ratio,
            **counts,
        )

    def _refit(self) -> PairFit | None:
        if self.pair_fit is None or not np.any(self._is_lower):
            return self.pair_fit
        return self.pair_fit.reflected()

    def __repr__(self) -> str:
        if self.shape:
            return f"PredictedRoc(shape={self.shape}, negative={self.negative!r}, positive={self.positive!r})"
        auc = f", auc={format_number(self.auc())}"
        if isinstance(self.negative, ShrinkageDistribution) and isinstance(self.positive, ShrinkageDistribution):
            sizes = f"count=({self.negative.observed.total:g}, {self.positive.observed.total:g})"
            weight = 1 - self.negative.data_weight
            return f"PredictedRoc(family 'auto', model weight {weight:.4g}, {sizes}{auc}{self._repr_suffix})"
        pair = f"negative={short_repr(self.negative, 110)}, positive={short_repr(self.positive, 110)}"
        return f"PredictedRoc({pair}{auc}{self._repr_suffix})"


def predict_roc(
    x: ArrayLike,
    y: ArrayLike,
    *,
    positive: Label = None,
    negative: Label = None,
    family: FamilyName | ScipyFamily = "gaussian",
    direction: Direction = None,
    nan_policy: NanPolicy = "raise",
    weights: ArrayLike | None = None,
) -> PredictedRoc[float]:
    """Predict the ROC curve from a distribution fitted to each class of a sample.

    Parameters
    ----------
    x : array-like of shape (n,)
        Feature values.
    y : array-like of shape (n,)
        Class labels.
    positive : label, optional
        Label of the positive class. May be omitted if the labels are {0, 1}, {-1, 1} or booleans.
    negative : label, optional
        Label of the negative class. By default, all other labels are negative. If ``negative`` is passed, observations
        with any other label are ignored.
    family : str or scipy.stats distribution, default="gaussian"
        Distribution that is fitted to each class:

        * "gaussian": mean and standard deviation (ddof=1), as in the founding paper.
        * "auto": shrunk estimate, a compromise between a model and the empirical distribution. The curve of this
          estimate is usually more accurate than the empirical curve, and rarely less accurate. ``model_fit()`` returns
          the weight of the model.
        * "boxcox", "yeojohnson": a Gaussian for each class, after both classes are transformed by the same power
          transform.
        * "gamma", "lognormal", "logistic", "laplace", "exponential", "weibull", "beta", "student_t", "skew_normal":
          fitted by maximum likelihood. The lower bound of "gamma", "lognormal", "exponential", "weibull" and "beta" is
          fixed at 0. The upper bound of "beta" is fixed at 1.
        * "kde": kernel density estimate.
        * "mixture": Gaussian mixture.
        * "histogram": histogram.
        * "empirical": the empirical distribution of the sample.
        * a distribution such as ``scipy.stats.gumbel_r``: fitted by its own ``fit`` method (maximum likelihood). If
          the support of this distribution begins at 0 and all values are positive, the lower bound is fixed at 0.
    direction : {None, "higher", "lower", "auto"}, default=None
        Direction of the classification rule:

        * None or "higher": classify as positive when x >= threshold.
        * "lower": classify as positive when x <= threshold.
        * "auto": the direction with an AUC of at least 0.5.
    nan_policy : {"raise", "omit"}, default="raise"
        How to handle observations with missing values: "raise" raises an error; "omit" omits these observations and
        stores their number.
    weights : array-like of shape (n,), optional
        Nonnegative frequency weight of each observation. An integer weight k is equivalent to k copies of the
        observation. Only the families "gaussian" and "empirical" accept non-integer weights, and bootstrap methods are
        unavailable for such weights.

    Returns
    -------
    PredictedRoc

    Raises
    ------
    RocPredictError
        If the data, labels or weights are invalid, if ``family`` is unknown, or if a class cannot be fitted (for
        example because it has only one observation or contains infinite values).

    Warns
    -----
    AssumptionWarning
        For the families "gaussian", "kde", "histogram" and "mixture": if the family does not fit the data and the
        misfit affects the curve (see ``rocpredict.diagnose``). For the family "auto": if the data contradict
        ``direction``.

    See Also
    --------
    empirical_roc : ROC curve of the sample without a model.
    PredictedRoc.from_stats : ROC curve from published summary statistics.

    Examples
    --------
    >>> from rocpredict.datasets import load_iris
    >>> iris = load_iris()
    >>> predict_roc(iris.column("petal_width"), iris.y, positive="virginica", negative="versicolor")
    PredictedRoc(negative=Gaussian(mean=1.326, std=0.197753), positive=Gaussian(mean=2.026, std=0.27465), auc=0.980696)
    """
    from rocpredict.distributions.fitting import fits_batches, get_fitter
    from rocpredict.inference.parametric import PairFit

    fit = get_fitter(family, direction)
    classes = split_classes(x, y, positive=positive, negative=negative, nan_policy=nan_policy, weights=weights)
    names = ("omitted", "n_unlabelled", "negative_labels")
    shared: dict[str, Any] = {"direction": direction} | {name: getattr(classes.rows, name) for name in names}
    samples = _expand_weights(classes)
    if samples is None:
        pair = [_fit_weighted(family, name, classes) for name in ("negative", "positive")]
        return PredictedRoc(*pair, count=(classes.negative_weights.sum(), classes.positive_weights.sum()), **shared)
    fitted = fit(*samples)
    if doubt := fit_warning(family, fitted, samples):
        warnings.warn(doubt, AssumptionWarning, stacklevel=2)
    pair_fit = PairFit(*samples, fit, fits_batches(family))
    roc = PredictedRoc(*fitted, count=(len(samples[0]), len(samples[1])), pair_fit=pair_fit, **shared)
    if direction in {"higher", "lower"} and isinstance(roc.negative, ShrinkageDistribution):
        empirical = Roc(Ecdf(samples[0]), Ecdf(samples[1]), direction=direction).auc_interval()
        if np.asarray(empirical.high) < 0.5:
            warnings.warn(
                f"the data contradict direction={direction!r}: the empirical AUC is "
                f"{format_estimate(empirical.estimate, empirical, empirical.level)}, and the predicted AUC for this "
                f"direction is {format_rate(roc.auc())}; omit direction= unless it was known before the data were seen",
                AssumptionWarning,
                stacklevel=2,
            )
    return roc


def fit_warning(family: Any, fitted: tuple[Any, Any], samples: tuple[FloatArray, FloatArray]) -> str | None:
    """Return a warning if the ROC curve of the fitted distributions does not fit the samples, else None."""
    if not isinstance(family, str) or family not in ASSUMPTIONS:
        return None
    tpr_at = None if family == "gaussian" else partial(solver_for(*fitted).along, "fpr")
    doubt = misfit_warning(*samples, family, tpr_at)
    if doubt and doubt.endswith(SKEWED_SUGGESTION) and not _boxcox_fits(samples):
        return doubt.removesuffix(SKEWED_SUGGESTION) + OTHER_SUGGESTION
    return doubt


def _boxcox_fits(samples: tuple[FloatArray, FloatArray]) -> bool:
    """Return whether the ROC curve predicted with family "boxcox" fits the samples."""
    from rocpredict.distributions.fitting import get_fitter

    try:
        tpr_at = partial(solver_for(*get_fitter("boxcox")(*samples)).along, "fpr")
    except RocPredictError:
        return False
    return curve_misfit(sort_and_scale(*samples), tpr_at).ratio_to_expected <= ASSUMPTIONS["gaussian"].limit


def _expand_weights(classes: ClassSamples) -> tuple[FloatArray, FloatArray] | None:
    """Return the values of both classes, each repeated according to its weight, or None if this is impossible.

    The result is None if a weight is not an integer, or if the weights of a class sum to more than
    ``MAX_EXPANDED_ROWS``.
    """
    weights = classes.negative_weights, classes.positive_weights
    if weights[0] is None:
        return classes.negative, classes.positive
    if any((w != np.round(w)).any() or w.sum() > MAX_EXPANDED_ROWS for w in weights):
        return None
    n_negative, n_positive = (w.astype(np.intp) for w in weights)
    return np.repeat(classes.negative, n_negative), np.repeat(classes.positive, n_positive)


def _fit_weighted(family: Any, name: str, classes: ClassSamples) -> Distribution:
    from rocpredict.distributions.fitting import check_finite_sample

    sample, weights = getattr(classes, name), getattr(classes, f"{name}_weights")
    if isinstance(family, str) and family == "empirical":
        return Ecdf(sample, weights)
    if isinstance(family, str) and family == "gaussian":
        return Gaussian.fit(check_finite_sample(name, sample), weights=weights)
    problem = f"weights of the {name} class are not integers, or their sum exceeds {MAX_EXPANDED_ROWS:,}"
    needed = f"integer frequency weights with a sum of at most {MAX_EXPANDED_ROWS:,}"
    raise RocPredictError(f"{problem}; family={short_repr(family)} needs {needed}")


def _std_from_sem(sem: Any, count: Any) -> tuple[Any, ...]:
    if count is None:
        raise RocPredictError("sem= needs count=, because std = sem * sqrt(count); pass both")
    roots = [np.sqrt(check_nonnegative("count", c)) for c in check_pair("count", count)]
    with np.errstate(over="ignore"):
        stds = tuple(check_nonnegative("sem", s) * root for s, root in zip(check_pair("sem", sem), roots, strict=True))
    if not all(np.isfinite(std).all() for std in stds):
        raise RocPredictError(
            f"sem={short_repr(sem)} is too large: std = sem * sqrt(count) is beyond the range of float64"
        )
    return stds


def _std_from_iqr(median: Any, iqr: Any) -> FloatArray:
    """Return the standard deviation of a Gaussian from its interquartile range, passed as a width or two quartiles."""
    middle, limits = check_finite("median", median), check_finite("iqr", iqr)
    if limits.ndim <= middle.ndim:
        return check_nonnegative("iqr", to_scalar(limits)) / _IQR_OF_STANDARD_NORMAL
    low, high = check_pair("iqr", limits, "a width or (q1, q3)")
    if np.shape(low) != middle.shape or not ((low <= middle) & (middle <= high)).all():
        problem = f"iqr={short_repr(iqr)} does not contain median={short_repr(median)}"
        raise RocPredictError(f"{problem}; pass (q1, q3) with q1 <= median <= q3")
    if (np.abs(middle - (low + high) / 2) > _MEDIAN_SKEW_LIMIT * (high - low)).any():
        warnings.warn(
            f"median={short_repr(median)} is far from the midpoint of its quartiles {short_repr(iqr)}: this class is "
            "skewed, and the Gaussian prediction may be wrong; transform the feature (for example to its logarithm)",
            AssumptionWarning,
            stacklevel=3,
        )
    return np.asarray(high - low) / _IQR_OF_STANDARD_NORMAL


def _from_effect_size(mean: Any, effect_size: Any) -> tuple[Gaussian[Any], Gaussian[Any]]:
    d = check_finite("effect_size", effect_size)
    if mean is None:
        return Gaussian(np.zeros_like(d), 1.0), Gaussian(d, 1.0)
    low, high = (check_finite("mean", m) for m in check_pair("mean", mean))
    low, high, d = broadcast_arrays(negative_mean=low, positive_mean=high, effect_size=d)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        std = (high - low) / d
    if not np.all((std > 0) & np.isfinite(std)):
        raise RocPredictError(
            f"effect_size={short_repr(effect_size)} and mean= do not imply a positive and finite "
            "standard deviation; pass an effect size with the sign of mean[1] - mean[0]"
        )
    return Gaussian(low, std), Gaussian(high, std)
