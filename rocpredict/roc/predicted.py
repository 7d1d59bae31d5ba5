"""ROC curve predicted from two distributions."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, overload

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

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
    short_repr,
    to_scalar,
)
from rocpredict.distributions import misfit
from rocpredict.distributions.base import Distribution
from rocpredict.distributions.ecdf import Ecdf
from rocpredict.distributions.families import FamilyName, ScipyFamily, ScipyFrozen, from_moments
from rocpredict.distributions.gaussian import Gaussian
from rocpredict.distributions.shrinkage import ShrinkageDistribution, ranked_misfit, residual_weight
from rocpredict.roc.base import Roc, is_auc_fast

if TYPE_CHECKING:
    from rocpredict.inference.parametric import PairFit


_RATIO_OK, _RATIO_LARGE = 1.0, 4.0


@dataclass(frozen=True, eq=False, repr=False)
class ModelFit(Result):
    """Distance of a predicted curve from the sample, and the weight of the model.

    Attributes
    ----------
    model_weight : float
        Of the estimate, the share that is the model's; the rest is the sample's own. Of a family that is all model it
        is the share that it would keep if it were weighed as the shrunk estimate weighs its own model.
    is_shrinkage : bool
        Whether the prediction is the shrunk estimate.
    area_between : float
        Mean absolute difference of the TPRs of the model's curve and the empirical one, over all FPR.
    misfit_ratio : float
        Cramer-von Mises statistic: mean square distance of the cumulated classes along the pooled ranks, over its
        expectation for a model that is right and known beforehand. About 0.3 for a model that is right, since it was
        fitted to the same data.
    n_negative, n_positive : int
        Rows behind it.
    """

    model_weight: float = field(metadata={"label": "share of the model"})
    is_shrinkage: bool
    area_between: float = field(metadata={"label": "distance of the curves"})
    misfit_ratio: float = field(metadata={"label": "over chance"})
    n_negative: int = field(metadata={"label": "negatives"})
    n_positive: int = field(metadata={"label": "positives"})
    derived = ("summary",)
    _tabled = ("model_weight", "area_between", "misfit_ratio", "n_negative", "n_positive")
    _text = "model_weight={model_weight:.4g}, area_between={area_between:.4g}, misfit_ratio={misfit_ratio:.4g}"
    _heading = "Trust in a predicted curve"

    def _notes(self) -> list[str]:
        return [self.summary]

    @property
    def summary(self) -> str:
        """Interpretation of the numbers in one sentence."""
        large = "farther" if self.misfit_ratio <= _RATIO_LARGE else "much farther"
        distance = "no farther" if self.misfit_ratio <= _RATIO_OK else large
        share = f"{self.model_weight:.0%} of this estimate is the model's, the rest the sample's own"
        if not self.is_shrinkage and self.model_weight == 1:
            share = "nothing in the sample asks for less than the whole model"
        elif not self.is_shrinkage:
            retained = f"of which a blend as by family='auto' keeps {self.model_weight:.0%}"
            share = f"this prediction is the model's alone, {retained}"
        apart = f"{self.area_between:.3f} of TPR apart, {distance} than chance would put them"
        return f"The curves of model and sample lie {apart}; {share}."


_IQR_OF_STANDARD_NORMAL = 2 * ndtri(0.75)
_MEDIAN_SKEW_LIMIT = 0.2  # of the IQR: how far from its middle a median may lie before normality is in doubt


class _TwoClassMoments(Protocol):
    """Moments of two classes, such as a ``TwoClassSummary``: of each ``is_valid``, ``mean``, ``std`` and ``count``."""

    @property
    def negative(self) -> Any: ...
    @property
    def positive(self) -> Any: ...
    @property
    def feature_names(self) -> Any: ...


@dataclass(frozen=True, eq=False, repr=False)
class PredictedRoc(Roc[Value]):
    """ROC curve predicted from two class distributions.

    Two Gaussians are answered in closed form, one feature or a batch; any other pair numerically. What
    is predicted is the curve of these distributions: how well they describe real values is for
    ``compare`` with an empirical curve to say.

    Parameters
    ----------
    negative, positive : distribution
        ``Gaussian``, ``Ecdf`` or a frozen scipy.stats distribution. Gaussians may be batches of shape F:
        then every answer has shape F.
    direction : {None, "higher", "lower", "auto"}
        The rule is "positive when x >= threshold"; with "lower", "positive when x <= threshold". "auto" is
        resolved once, by the AUC, and shown.
    count : pair of float, or of arrays of shape F, optional
        Cases of the (negative, positive) class. They set the prevalence where a measure needs one.
    omitted : pair of int
        Rows of the (negative, positive) class that were left out because they have no value.

    pair_fit : PairFit, optional
        How the classes were fitted to samples; ``predict_roc`` keeps it for the bootstrap.

    Raises
    ------
    RocPredictError
        What is no distribution, batches whose shapes do not fit, an unknown direction, counts of 0.

    Examples
    --------
    The founding paper's example:

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
                raise RocPredictError(f"pair_fit={short_repr(pair_fit)} is not a PairFit; rp.predict_roc makes one")
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
        """Predict from published statistics, taking each class as Gaussian or of another family.

        Each is a pair (negative, positive); an item may be an array of shape F for a batch.

        Parameters
        ----------
        mean : pair
            Means, in the unit of the feature.
        std : pair
            Standard deviations.
        count : pair, optional
            Cases; needed with ``sem``.
        sem : pair
            Standard errors of the means, in place of ``std``: std = sem sqrt(count).
        median, iqr : pair
            In place of ``mean`` and ``std``: the median, and the interquartile range as a width or as the
            two quartiles (q1, q3). The Gaussian with these has mean = median and std = width/1.349.
        effect_size : float or array of shape F
            Cohen's d = (mean difference)/(pooled std), in place of ``std``. Without means the classes are
            put at 0 and d, with standard deviations of 1.
        family : {"gaussian", "gamma", "lognormal", "weibull", "exponential", "logistic", "laplace", "beta"}
            Which distribution has this mean and standard deviation. A mean of less than about twice the standard
            deviation of values that cannot be negative says that they are skewed: "gamma" or "lognormal" then fits
            better than "gaussian". Other than "gaussian" it needs ``mean`` with ``std`` or ``sem``, and is no batch.
        direction : {None, "higher", "lower", "auto"}

        Raises
        ------
        RocPredictError
            A combination that does not fix both Gaussians, or fixes them twice; values out of range.

        Warns
        -----
        AssumptionWarning
            A median that lies far from the middle of its quartiles: the class is skewed.

        Examples
        --------
        >>> PredictedRoc.from_stats(mean=(5.1, 6.4), std=(0.9, 1.2), count=(120, 80))
        PredictedRoc(negative=Gaussian(mean=5.1, std=0.9), positive=Gaussian(mean=6.4, std=1.2), auc=0.806938)
        >>> PredictedRoc.from_stats(effect_size=0.8).auc()
        0.7141961775233342
        """
        options = {"std": std, "sem": sem, "iqr": iqr, "effect_size": effect_size}
        spreads = [name for name, value in options.items() if value is not None]
        if str(family) == "exponential" and not spreads:
            spreads, std = ["std"], mean  # which are one
        if len(spreads) != 1:
            came = " and ".join(f"{name}=" for name in spreads) or "none of them"
            raise RocPredictError(f"give one of std=, sem=, iqr= (with median=) and effect_size=; got {came}")
        spread = spreads[0]
        if (median is not None) != (spread == "iqr"):
            raise RocPredictError("median= and iqr= go together, in place of mean= and std=")
        if (spread == "iqr" and mean is not None) or (spread in {"std", "sem"} and mean is None):
            raise RocPredictError(f"{spread}= {'needs' if mean is None else 'goes without'} mean=")
        pair: tuple[Any, ...]
        if spread == "effect_size":
            pair = _from_effect_size(mean, effect_size)
        elif spread == "iqr":
            stds = tuple(map(_std_from_iqr, check_pair("median", median), check_pair("iqr", iqr)))
            pair = tuple(map(Gaussian, check_pair("median", median), stds))
        else:
            stds = check_pair("std", std) if spread == "std" else _std_from_sem(sem, count)
            pair = tuple(map(Gaussian, check_pair("mean", mean), stds))
        if str(family) != "gaussian":
            if spread not in {"std", "sem"}:
                raise RocPredictError(f"family={family!r} needs mean= with std= or sem=; got {spread}=")
            if any(gaussian.shape for gaussian in pair):
                raise RocPredictError(f"family={family!r} takes one feature at a time; a batch is for 'gaussian'")
            pair = tuple(from_moments(family, gaussian.mean, gaussian.std) for gaussian in pair)
        return PredictedRoc(*pair, direction=direction, count=count)

    @classmethod
    def from_summary(cls, summary: _TwoClassMoments, *, direction: Direction = None) -> PredictedRoc[FloatArray]:
        """Predict every feature of a table from its summary, taking each class as Gaussian.

        Parameters
        ----------
        summary : TwoClassSummary
            As ``rocpredict.summarize`` gives it.
        direction : {None, "higher", "lower", "auto"}

        Returns
        -------
        PredictedRoc
            A batch of shape (features,).

        Raises
        ------
        RocPredictError
            A feature without two finite values in each class: it is named.

        Examples
        --------
        >>> from rocpredict import datasets, summarize
        >>> iris = datasets.load_iris()
        >>> PredictedRoc.from_summary(summarize(iris.X, iris.y, positive="virginica", negative="versicolor")).auc()
        array([0.78700845, 0.67485632, 0.96266154, 0.98069593])
        """
        if not all(hasattr(summary, name) for name in ("negative", "positive", "feature_names")):
            raise RocPredictError(f"summary={short_repr(summary)} is no TwoClassSummary; give rp.summarize(X, y)")
        unknown = np.flatnonzero(~(summary.negative.is_valid & summary.positive.is_valid))
        if unknown.size:
            remainder = f", as do {unknown.size - 1} more" if unknown.size > 1 else ""
            raise RocPredictError(
                f"feature {summary.feature_names[unknown[0]]!r} lacks two finite values in each class{remainder}; "
                "leave out such features by summary.select(), or see rp.screen"
            )
        classes = summary.negative, summary.positive
        count = summary.negative.count, summary.positive.count
        return PredictedRoc(*(Gaussian(c.mean, c.std) for c in classes), direction=direction, count=count)

    def model_fit(self) -> ModelFit:
        """Return the distance of model and sample, and the weight of the model in the estimate.

        Raises
        ------
        RocPredictError
            No sample behind the prediction, or a batch.

        Notes
        -----
        With family "auto" the weight is that of the estimate; every answer comes from one pair of class
        distributions. For another family it is the weight that it would have, were it weighed as such an estimate
        weighs its model.

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
            raise RocPredictError("model_fit() needs a prediction with a sample behind it; see rp.predict_roc")
        if self.shape:
            raise RocPredictError("model_fit() is for one feature at a time")
        counts = {"n_negative": len(refit.negative), "n_positive": len(refit.positive)}
        if isinstance(self.negative, ShrinkageDistribution):
            fit = self.negative
            return ModelFit(1 - fit.data_weight, True, fit.area_between, fit.misfit_ratio, **counts)
        tpr = self._solver.along("fpr", misfit.COMPARISON_FPR)
        empirical = misfit.empirical_tpr(np.sort(refit.negative), np.sort(refit.positive))
        misfit_ratio = float(ranked_misfit(misfit.COMPARISON_FPR, tpr, refit.negative, refit.positive))
        return ModelFit(
            model_weight=1 - float(residual_weight(misfit_ratio)),
            is_shrinkage=False,
            area_between=float(misfit.area_between(tpr, empirical)),
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
        auc = f", auc={self.auc():.6g}" if is_auc_fast(self) else ""
        if isinstance(self.negative, ShrinkageDistribution) and isinstance(self.positive, ShrinkageDistribution):
            sizes = f"n_negative={self.negative.observed.total:g}, n_positive={self.positive.observed.total:g}"
            weight = 1 - self.negative.data_weight
            return f"PredictedRoc(family='auto', model_weight={weight:.4g}, {sizes}{auc}{self._repr_suffix})"
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
    x : array of shape (n,)
        Values of one feature.
    y : array of shape (n,)
        Labels.
    positive, negative : label, optional
        ``positive`` may be left out for labels {0, 1}, {-1, 1} or booleans. ``negative=None`` means every
        other label; a named one drops the rows of a third.
    family : str or a scipy.stats distribution
        "gaussian" (default): mean and standard deviation with ddof=1, as in the founding paper. "auto": the shrunk
        estimate, which is seldom worse than the empirical curve and mostly better; ``model_fit()`` says how far it is
        the model's. "boxcox", "yeojohnson": Gaussians after one
        power transform of both classes. "kde", "mixture", "histogram", "empirical". "gamma", "lognormal", "logistic",
        "laplace", "exponential", "weibull", "beta", "student_t", "skew_normal": by maximum likelihood; what lives
        above 0 starts there. A scipy.stats distribution such as ``scipy.stats.gumbel_r`` is fitted by its own
        maximum likelihood; one that lives on x > 0 starts at 0 where all values are positive.
    direction : {None, "higher", "lower", "auto"}
        As in ``PredictedRoc``.
    nan_policy : {"raise", "omit"}
    weights : array of shape (n,), optional
        How many cases each row stands for: 0 or more. Whole weights equal repeated rows, exactly; others are
        for "gaussian" and "empirical", without the bootstrap.

    Raises
    ------
    RocPredictError
        As ``rocpredict.base.labels.split_classes``; infinite values, or a class of one row, where moments are
        needed; an unknown family, or values that it does not take; weights that it cannot use.

    Warns
    -----
    AssumptionWarning
        Two Gaussians that the sample speaks against, where that harms the curve; see ``rocpredict.diagnose``. A
        declared direction that the sample contradicts, with a shrunk family.

    Examples
    --------
    >>> from rocpredict.datasets import load_iris
    >>> iris = load_iris()
    >>> predict_roc(iris.column("petal_width"), iris.y, positive="virginica", negative="versicolor")
    PredictedRoc(negative=Gaussian(mean=1.326, std=0.197753), positive=Gaussian(mean=2.026, std=0.27465), auc=0.980696)
    """
    from rocpredict.distributions.fitting import get_fitter
    from rocpredict.distributions.normality import normality_warning
    from rocpredict.inference.parametric import PairFit

    fit = get_fitter(family, direction)
    classes = split_classes(x, y, positive=positive, negative=negative, nan_policy=nan_policy, weights=weights)
    shared: dict[str, Any] = {"direction": direction, "omitted": (classes.omitted_negative, classes.omitted_positive)}
    cases = _expand_weights(classes)
    if cases is None:
        pair = [_fit_weighted(family, name, classes) for name in ("negative", "positive")]
        return PredictedRoc(*pair, count=(classes.negative_weights.sum(), classes.positive_weights.sum()), **shared)
    fitted = fit(*cases)
    if isinstance(family, str) and family == "gaussian" and (doubt := normality_warning(*cases)):
        warnings.warn(doubt, AssumptionWarning, stacklevel=2)
    roc = PredictedRoc(*fitted, count=(len(cases[0]), len(cases[1])), pair_fit=PairFit(*cases, fit), **shared)
    if direction in {"higher", "lower"} and isinstance(roc.negative, ShrinkageDistribution):
        empirical = Roc(Ecdf(cases[0]), Ecdf(cases[1]), direction=direction).auc_interval()
        if np.asarray(empirical.high) < 0.5:
            warnings.warn(
                f"the rows say the opposite of direction={direction!r}: counted the AUC is {empirical.estimate:.3g} "
                f"({empirical.low:.3g} to {empirical.high:.3g}), and the estimate, which takes the direction as known, "
                f"{roc.auc():.3g}; leave direction out unless it was known before these rows",
                AssumptionWarning,
                stacklevel=2,
            )
    return roc


def _expand_weights(classes: ClassSamples) -> tuple[FloatArray, FloatArray] | None:
    """Return the values of both classes with whole weights as repeated rows; None where some are not whole."""
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
    problem = f"weights of the {name} class are not whole, or sum to more than {MAX_EXPANDED_ROWS:,}"
    raise RocPredictError(f"{problem}; family={short_repr(family)} needs numbers of cases")


def _std_from_sem(sem: Any, count: Any) -> tuple[Any, ...]:
    if count is None:
        raise RocPredictError("sem= needs count=, since std = sem sqrt(count)")
    roots = [np.sqrt(check_nonnegative("count", c)) for c in check_pair("count", count)]
    with np.errstate(over="ignore"):  # an infinite standard deviation is refused later
        return tuple(check_nonnegative("sem", s) * root for s, root in zip(check_pair("sem", sem), roots, strict=True))


def _std_from_iqr(median: Any, iqr: Any) -> FloatArray:
    """Return the standard deviation of a Gaussian with an interquartile range: a width, or two quartiles."""
    middle, limits = check_finite("median", median), check_finite("iqr", iqr)
    if limits.ndim <= middle.ndim:
        return check_nonnegative("iqr", to_scalar(limits)) / _IQR_OF_STANDARD_NORMAL
    low, high = check_pair("iqr", limits, "a width or (q1, q3)")
    if np.shape(low) != middle.shape or not ((low <= middle) & (middle <= high)).all():
        raise RocPredictError(f"iqr={short_repr(iqr)} does not hold its median {short_repr(median)}; give (q1, q3)")
    if (np.abs(middle - (low + high) / 2) > _MEDIAN_SKEW_LIMIT * (high - low)).any():
        warnings.warn(
            f"the median {short_repr(median)} lies far from the middle of its quartiles {short_repr(iqr)}: "
            "this class is skewed, and its Gaussian prediction is in doubt; "
            "transform the feature (such as by its logarithm) if you can",
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
            f"effect_size={short_repr(effect_size)} does not fit the means; it has the sign of their difference"
        )
    return Gaussian(low, std), Gaussian(high, std)
