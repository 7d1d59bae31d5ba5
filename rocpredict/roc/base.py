"""Methods shared by predicted and empirical ROC curves."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike

from rocpredict.base.formatting import format_list, format_number, label_to_text
from rocpredict.base.rates import ConfusionCounts, RateFunction, Rates
from rocpredict.base.results import MAX_ROWS, Flags, PictureKind, Result, batch_table, omitted_text, plot_roc_kind
from rocpredict.base.tables import CurvePlot, Table, thin_curve
from rocpredict.base.validation import (
    ArrayOrFloat,
    Direction,
    FloatArray,
    Label,
    RocPredictError,
    Value,
    check_int,
    check_list,
    check_option,
    check_pair,
    check_probabilities,
    check_real,
    short_repr,
    to_scalar,
)
from rocpredict.distributions.base import Distribution
from rocpredict.distributions.ecdf import to_step_functions
from rocpredict.distributions.families import check_distribution
from rocpredict.distributions.gaussian import Gaussian, add_grid_axis
from rocpredict.distributions.shrinkage import ShrinkageDistribution
from rocpredict.inference.uncertainty import ThresholdUncertainty, UncertaintyMixin
from rocpredict.roc.curves import CurveMethods, DecisionCurve, DecisionRule, PrecisionRecallCurve, resolve_prevalence
from rocpredict.solvers.base import EVEN, Hook, RocCurve, Solver, check_n_points, make_tail_grids
from rocpredict.solvers.families import solver_for
from rocpredict.solvers.thresholds import (
    PREVALENCE_FREE_CRITERIA,
    BestThreshold,
    CriterionName,
    ThresholdCriterion,
    evaluate_criterion,
    find_best_threshold,
    log_cost_ratio,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rocpredict.roc.grey_zone import GreyZone
    from rocpredict.roc.likelihood_ratio import LikelihoodRatioRoc


#: Number of thresholds in the small ROC plot of a table.
_N_POINTS = 123


def _distribution_label(distribution: Any) -> str:
    """Return the text that describes a class distribution in a table."""
    if not isinstance(distribution, ShrinkageDistribution):
        return repr(distribution)
    weight = f"model weight {1 - distribution.data_weight:.4g}"
    return f"distribution of {distribution.observed.total:g} observations, shrunk towards a model ({weight})"


_DIRECTIONS = (None, "higher", "lower", "auto")
_MIN_COUNT = 1e-100  # keeps the squares of 1/count finite


@dataclass(frozen=True, eq=False, repr=False)
class Roc(CurveMethods[Value], UncertaintyMixin[Value], Result):
    """ROC curve of two class distributions.

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
        Number of observations in each class, (negative, positive). The prevalence is computed from these numbers.
    omitted : pair of int, default=(0, 0)
        Number of observations omitted from each class because of missing values, (negative, positive).
    n_unlabelled : int, default=0
        Number of rows that were omitted because they have no label.
    negative_labels : tuple, default=()
        Labels of the negative class, if it has more than one label. They are shown in the repr.

    Raises
    ------
    RocPredictError
        If ``negative`` or ``positive`` is not a distribution, if ``direction`` is invalid, or if a number of
        observations is out of range.
    """

    negative: Distribution[Value]
    positive: Distribution[Value]
    _: KW_ONLY
    direction: Direction = None
    count: tuple[Value, Value] | None = None
    omitted: tuple[int, int] = (0, 0)
    n_unlabelled: int = 0
    negative_labels: tuple[Label, ...] = field(default=(), compare=False, metadata={"hidden": True})
    auto_direction: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        names = "negative", "positive"
        pair: dict[str, Any] = {name: check_distribution(name, getattr(self, name)) for name in names}
        try:
            shape = np.broadcast_shapes(*(d.shape for d in pair.values()))
        except ValueError:
            shapes = ", ".join(f"{name} {d.shape}" for name, d in pair.items())
            raise RocPredictError(f"batches have different shapes: {shapes}; use the same shape for both") from None
        solver_for(**pair)  # raises an error if no solver supports this batch
        for name, d in pair.items():
            if isinstance(d, Gaussian) and d.shape != shape:  # every result then has the shape of the batch
                pair[name] = Gaussian(np.broadcast_to(d.mean, shape), d.std)
            object.__setattr__(self, name, pair[name])
        check_option("direction", self.direction, _DIRECTIONS)
        for name, numbers in (("omitted", check_pair("omitted", self.omitted)), ("n_unlabelled", (self.n_unlabelled,))):
            if min(check_int(name, number) for number in numbers) < 0:
                raise RocPredictError(f"{name}={short_repr(getattr(self, name))} is negative; use 0 or more")
        labels = check_list("negative_labels", self.negative_labels, "such as ('well', 'unsure')", "labels")
        object.__setattr__(self, "negative_labels", tuple(labels))
        if self.count is not None:
            object.__setattr__(self, "count", check_count(self.count, self.shape))
        if self.direction == "auto":
            auc = np.asarray(self._solver.auc())
            object.__setattr__(self, "direction", to_scalar(np.where(auc < 0.5, "lower", "higher")))
            object.__setattr__(self, "auto_direction", True)
            for name in ("_oriented_distributions", "_solver"):  # they were cached for the rule x >= threshold
                del self.__dict__[name]

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape F of the batch of features; ``()`` for one feature."""
        return np.broadcast_shapes(self.negative.shape, self.positive.shape)

    @property
    def prevalence(self) -> Value | None:
        """Proportion of positives according to ``count``, or None if ``count`` is None."""
        if self.count is None:
            return None
        negatives, positives = (np.asarray(count) for count in self.count)
        return to_scalar(positives / (negatives + positives))

    # ---- rates at a threshold
    @overload
    def tpr(self: Roc[float], threshold: float) -> float: ...
    @overload
    def tpr(self, threshold: ArrayLike) -> FloatArray: ...
    def tpr(self, threshold: ArrayLike) -> float | FloatArray:
        """Return the true positive rate (sensitivity) at a threshold.

        Parameters
        ----------
        threshold : float or array-like
            Threshold, in the unit of the feature. For one feature, pass a number or an array of any shape. For a batch
            of shape F, pass a number or an array of shape F.

        Returns
        -------
        float or array
            Probability P(x >= threshold) in the positive class, or P(x <= threshold) with direction "lower". The result
            has the shape of ``threshold`` for one feature, and shape F for a batch of features.

        Examples
        --------
        >>> from rocpredict import Gaussian, PredictedRoc
        >>> roc = PredictedRoc(negative=Gaussian(4, 3), positive=Gaussian(8, 2))
        >>> roc.tpr(8)
        0.5
        >>> roc.tpr([6, 8, 10]).round(3)
        array([0.841, 0.5  , 0.159])
        """
        return self._orient(self.positive).sf_inclusive(self._to_solver_scale(threshold))

    @overload
    def fpr(self: Roc[float], threshold: float) -> float: ...
    @overload
    def fpr(self, threshold: ArrayLike) -> FloatArray: ...
    def fpr(self, threshold: ArrayLike) -> float | FloatArray:
        """Return the false positive rate (1 - specificity) at a threshold.

        Parameters
        ----------
        threshold : float or array-like
            Threshold, as in ``tpr``.

        Returns
        -------
        float or array
            Probability P(x >= threshold) in the negative class, or P(x <= threshold) with direction "lower". The result
            has the shape of ``threshold`` for one feature, and shape F for a batch of features.

        Examples
        --------
        >>> from rocpredict import Gaussian, PredictedRoc
        >>> PredictedRoc(negative=Gaussian(4, 3), positive=Gaussian(8, 2)).fpr(4)
        0.5
        """
        return self._orient(self.negative).sf_inclusive(self._to_solver_scale(threshold))

    @overload
    def tnr(self: Roc[float], threshold: float) -> float: ...
    @overload
    def tnr(self, threshold: ArrayLike) -> FloatArray: ...
    def tnr(self, threshold: ArrayLike) -> float | FloatArray:
        """Return the true negative rate (specificity) at a threshold.

        Parameters
        ----------
        threshold : float or array-like
            Threshold, as in ``tpr``.

        Returns
        -------
        float or array
            1 - FPR. The result has the shape of ``threshold`` for one feature, and shape F for a batch of features.

        Examples
        --------
        >>> from rocpredict import Gaussian, PredictedRoc
        >>> round(PredictedRoc(negative=Gaussian(4, 3), positive=Gaussian(8, 2)).tnr(7), 4)
        0.8413
        """
        return self._orient(self.negative).cdf_strict(self._to_solver_scale(threshold))

    @overload
    def fnr(self: Roc[float], threshold: float) -> float: ...
    @overload
    def fnr(self, threshold: ArrayLike) -> FloatArray: ...
    def fnr(self, threshold: ArrayLike) -> float | FloatArray:
        """Return the false negative rate (1 - sensitivity) at a threshold.

        Parameters
        ----------
        threshold : float or array-like
            Threshold, as in ``tpr``.

        Returns
        -------
        float or array
            1 - TPR. The result has the shape of ``threshold`` for one feature, and shape F for a batch of features.

        Examples
        --------
        >>> from rocpredict import Gaussian, PredictedRoc
        >>> round(PredictedRoc(negative=Gaussian(4, 3), positive=Gaussian(8, 2)).fnr(6), 4)
        0.1587
        """
        return self._orient(self.positive).cdf_strict(self._to_solver_scale(threshold))

    def tpr_grid(self, thresholds: ArrayLike) -> FloatArray:
        """Return the TPR of every feature on a grid of thresholds.

        Parameters
        ----------
        thresholds : array-like of shape (T,)
            Thresholds, the same for all features.

        Returns
        -------
        array of shape F + (T,)

        Examples
        --------
        >>> from rocpredict import PredictedRoc
        >>> roc = PredictedRoc.from_stats(mean=([4, 5], [8, 9]), std=([3, 1], [2, 2]))
        >>> roc.tpr_grid([7, 8, 9]).round(3)
        array([[0.691, 0.5  , 0.309],
               [0.841, 0.691, 0.5  ]])
        """
        return self._tail_on_grid(self.positive, thresholds)

    def fpr_grid(self, thresholds: ArrayLike) -> FloatArray:
        """Return the FPR of every feature on a grid of thresholds.

        Parameters
        ----------
        thresholds : array-like of shape (T,)
            Thresholds, the same for all features.

        Returns
        -------
        array of shape F + (T,)

        Examples
        --------
        >>> from rocpredict import PredictedRoc
        >>> roc = PredictedRoc.from_stats(mean=([4, 5], [8, 9]), std=([3, 1], [2, 2]))
        >>> roc.fpr_grid([4, 5]).round(3)
        array([[0.5  , 0.369],
               [0.841, 0.5  ]])
        """
        return self._tail_on_grid(self.negative, thresholds)

    @overload
    def rates(self: Roc[float], threshold: float, *, prevalence: float | None = None) -> Rates[float]: ...
    @overload
    def rates(self, threshold: ArrayLike, *, prevalence: ArrayLike | None = None) -> Rates[FloatArray]: ...
    def rates(self, threshold: ArrayLike, *, prevalence: ArrayLike | None = None) -> Rates[Any]:
        """Return all performance measures at a threshold.

        Parameters
        ----------
        threshold : float or array-like
            Threshold, as in ``tpr``.
        prevalence : float or array-like, optional
            Proportion of positives in the population where the rule is used, in [0, 1]. By default, the prevalence is
            computed from ``count``, or is unknown if ``count`` is None.

        Returns
        -------
        Rates
            TPR, FPR, TNR and FNR, and the performance measures that are computed from these rates. Some measures, such
            as accuracy and PPV, also need a prevalence.

        Raises
        ------
        RocPredictError
            If ``prevalence`` is outside [0, 1], or if the shape of an argument does not match the batch.

        Examples
        --------
        >>> from rocpredict import Gaussian, PredictedRoc
        >>> rates = PredictedRoc(negative=Gaussian(4, 3), positive=Gaussian(8, 2)).rates(6, prevalence=0.2)
        >>> round(rates.tpr, 4), round(rates.fpr, 4), round(rates.ppv, 4)
        (0.8413, 0.2525, 0.4545)
        """
        tpr, fpr, tnr, fnr = (rate(threshold) for rate in (self.tpr, self.fpr, self.tnr, self.fnr))
        if prevalence is not None:
            base_rate = check_probabilities("prevalence", prevalence)
            _check_shapes("prevalence", base_rate.shape, "the rates", np.shape(tpr))
            return Rates(tpr, fpr, tnr, fnr, to_scalar(base_rate))
        if self.count is None:
            return Rates(tpr, fpr, tnr, fnr)
        negatives, positives = self.count
        cells = (np.multiply(positives, tpr), np.multiply(negatives, fpr))
        others = (np.multiply(positives, fnr), np.multiply(negatives, tnr))
        return Rates(tpr, fpr, tnr, fnr, self.prevalence, ConfusionCounts(*cells, *others))

    # ---- along the curve
    def log_auc_complement(self) -> Value:
        """Return the natural logarithm of 1 - AUC.

        For two Gaussians, the result is finite even if 1 - AUC is too small for a float.

        Returns
        -------
        float or array of shape F

        Examples
        --------
        >>> from rocpredict import Gaussian, PredictedRoc
        >>> round(PredictedRoc(negative=Gaussian(0, 1), positive=Gaussian(100, 1)).log_auc_complement(), 1)
        -2505.2
        """
        return to_scalar(self._solver.log_auc_complement())

    @overload
    def threshold_at_fpr(self: Roc[float], fpr: float) -> float: ...
    @overload
    def threshold_at_fpr(self, fpr: ArrayLike) -> FloatArray: ...
    def threshold_at_fpr(self, fpr: ArrayLike) -> float | FloatArray:
        """Return the threshold that maximizes TPR subject to FPR <= ``fpr``.

        Parameters
        ----------
        fpr : float or array-like
            Highest allowed false positive rate, in [0, 1]. For one feature, pass a number or an array of any shape. For
            a batch of shape F, pass a number or an array of shape F.

        Returns
        -------
        float or array
            Thresholds in the unit of the feature. The result has the shape of ``fpr`` for one feature, and shape F for
            a batch of features.

        Raises
        ------
        RocPredictError
            If ``fpr`` is outside [0, 1].

        Examples
        --------
        >>> from rocpredict import Gaussian, PredictedRoc
        >>> round(PredictedRoc(negative=Gaussian(4, 3), positive=Gaussian(8, 2)).threshold_at_fpr(0.1), 4)
        7.8447
        """
        return self._to_feature_scale(self._solver.threshold_at("fpr", self._rate("fpr", fpr)))

    @overload
    def threshold_at_tpr(self: Roc[float], tpr: float) -> float: ...
    @overload
    def threshold_at_tpr(self, tpr: ArrayLike) -> FloatArray: ...
    def threshold_at_tpr(self, tpr: ArrayLike) -> float | FloatArray:
        """Return the threshold that minimizes FPR subject to TPR >= ``tpr``.

        Parameters
        ----------
        tpr : float or array-like
            Lowest allowed true positive rate, in [0, 1]. For one feature, pass a number or an array of any shape. For a
            batch of shape F, pass a number or an array of shape F.

        Returns
        -------
        float or array
            Thresholds in the unit of the feature. The result has the shape of ``tpr`` for one feature, and shape F for
            a batch of features.

        Raises
        ------
        RocPredictError
            If ``tpr`` is outside [0, 1].

        Examples
        --------
        >>> from rocpredict import Gaussian, PredictedRoc
        >>> round(PredictedRoc(negative=Gaussian(4, 3), positive=Gaussian(8, 2)).threshold_at_tpr(0.9), 4)
        5.4369
        """
        return self._to_feature_scale(self._solver.threshold_at("tpr", self._rate("tpr", tpr)))

    @overload
    def slope(self: Roc[float], fpr: float) -> float: ...
    @overload
    def slope(self, fpr: ArrayLike) -> FloatArray: ...
    def slope(self, fpr: ArrayLike) -> float | FloatArray:
        """Return the slope of the ROC curve at an FPR.

        The slope equals f1(t)/f0(t), where t is the threshold with this FPR, f0 is the density of the negatives, and f1
        is the density of the positives.

        Parameters
        ----------
        fpr : float or array-like
            False positive rate, in [0, 1]. For one feature, pass a number or an array of any shape. For a batch of
            shape F, pass a number or an array of shape F.

        Returns
        -------
        float or array
            Slopes dTPR/dFPR. The result has the shape of ``fpr`` for one feature, and shape F for a batch of features.

        Raises
        ------
        RocPredictError
            If ``fpr`` is outside [0, 1].

        Examples
        --------
        >>> from rocpredict import Gaussian, PredictedRoc
        >>> round(PredictedRoc(negative=Gaussian(4, 3), positive=Gaussian(8, 2)).slope(0.1), 4)
        3.3995
        """
        return to_scalar(self._solver.slope(self._rate("fpr", fpr)))

    def hook(self) -> Hook[Value]:
        """Return the hook, the part of the curve below the chance line.

        Returns
        -------
        Hook
            Smallest and largest FPR of the hook, and the area between the hook and the chance line. If the curve is
            predicted from two Gaussians with different standard deviations, it always has a hook, but the hook is often
            too small to see.

        See Also
        --------
        proper : ROC curve of the likelihood-ratio rule; this curve is never below the chance line.

        Examples
        --------
        >>> from rocpredict import Gaussian, PredictedRoc
        >>> PredictedRoc(negative=Gaussian(4, 3), positive=Gaussian(5, 1)).hook()
        Hook(fpr_low=0, fpr_high=0.308538, area=0.0267799)
        """
        return Hook(*(to_scalar(part) for part in self._solver.hook()))

    def curve(self, n_points: int = 513) -> RocCurve:
        """Return the points of the curve from (0, 0) to (1, 1).

        Parameters
        ----------
        n_points : int, default=513
            Number of thresholds at which the curve is computed. The thresholds span the values of both classes. For
            empirical curves, this argument is ignored and all points are returned.

        Returns
        -------
        RocCurve
            Arrays ``thresholds``, ``fpr`` and ``tpr`` of shape F + (T,). See ``RocCurve`` for the order of the points.

        Examples
        --------
        >>> from rocpredict import EmpiricalRoc
        >>> curve = EmpiricalRoc(negative=[1, 2, 3], positive=[2, 3, 4, 5]).curve()
        >>> curve.tpr
        array([0.  , 0.25, 0.5 , 0.75, 1.  , 1.  ])
        """
        thresholds = self._thresholds(check_n_points(n_points))
        fpr, tpr = (np.asarray(add_grid_axis(d).sf_inclusive(thresholds)) for d in self._oriented_distributions)
        fpr[..., 0] = tpr[..., 0] = 0.0  # the threshold inf excludes every value, even inf
        return RocCurve(self._to_feature_scale(thresholds, grid=True), fpr, tpr)

    def precision_recall_curve(
        self, *, prevalence: ArrayLike | None = None, n_points: int = 513
    ) -> PrecisionRecallCurve:
        """Return the precision-recall curve of one feature.

        Parameters
        ----------
        prevalence : float, optional
            Proportion of positives in the population where the rule is used, in (0, 1). By default, the prevalence
            is computed from ``count``.
        n_points : int, default=513
            Number of thresholds at which the curve is computed; see ``curve``.

        Returns
        -------
        PrecisionRecallCurve

        Raises
        ------
        RocPredictError
            If the prevalence is unknown, or if the method is called for a batch of features.

        Notes
        -----
        With a prevalence (base rate) BR, the precision is TPR * BR/(TPR * BR + FPR * (1 - BR)). Precision-recall curves
        for different prevalences are not comparable. The method ``average_precision`` of the result returns the area
        under the curve.

        Examples
        --------
        >>> from rocpredict import EmpiricalRoc
        >>> EmpiricalRoc(negative=[1, 2, 3], positive=[2, 3, 4, 5]).precision_recall_curve()
        PrecisionRecallCurve(6 points, prevalence=0.571429, average_precision=0.854167)
        """
        base_rate = resolve_prevalence("precision_recall_curve", prevalence, self.prevalence, self.shape)
        return PrecisionRecallCurve._from_curve(self.curve(n_points), self._solver, base_rate)

    def decision_curve(
        self,
        *,
        prevalence: ArrayLike | None = None,
        probabilities: ArrayLike | None = None,
        rule: DecisionRule = "best",
    ) -> DecisionCurve:
        """Return the net benefit of one feature at each threshold probability.

        Parameters
        ----------
        prevalence : float, optional
            Proportion of positives in the population where the rule is used, in (0, 1). By default, the prevalence
            is computed from ``count``.
        probabilities : array-like of shape (k,), optional
            Threshold probabilities p, in (0, 1). By default, 0.01, 0.02, ..., 0.99.
        rule : {"best", "probability"}, default="best"
            Decision rule:

            * "best": at each p, use the threshold with the highest net benefit. This threshold also minimizes the
              expected cost if a false positive costs p and a false negative costs 1 - p.
            * "probability": classify as positive when x >= p. The feature must be a predicted probability. The result
              is the decision curve of Vickers and Elkin [1]_.

        Returns
        -------
        DecisionCurve

        Raises
        ------
        RocPredictError
            If the prevalence is unknown, or if the method is called for a batch of features. Also if
            ``rule="probability"`` and the feature has values outside [0, 1] or the direction is "lower".

        Notes
        -----
        With "best", the result is the net benefit after perfect calibration: the values of the feature are converted to
        calibrated probabilities without changing their order. This net benefit is never lower than the net benefit of
        classifying all observations, or none, as positive. The estimate is optimistic if the thresholds are chosen and
        evaluated on the same data. With "probability", poor calibration of the feature reduces the net benefit.

        References
        ----------
        .. [1] A. J. Vickers, E. B. Elkin (2006), Decision curve analysis: a novel method for evaluating prediction
           models, Medical Decision Making 26, 565-574.

        Examples
        --------
        >>> from rocpredict import Gaussian, PredictedRoc
        >>> roc = PredictedRoc(negative=Gaussian(4, 3), positive=Gaussian(8, 2))
        >>> curve = roc.decision_curve(prevalence=0.2, probabilities=[0.1, 0.3])
        >>> curve.net_benefit.round(4).tolist(), curve.treat_all.round(4).tolist()
        ([0.1539, 0.0854], [0.1111, -0.1429])
        """
        base_rate = resolve_prevalence("decision_curve", prevalence, self.prevalence, self.shape)
        if str(rule) == "probability" and np.any(self._is_lower):
            raise RocPredictError(
                "rule='probability' uses the feature as the probability of the positive class, but "
                "direction='lower' classifies low values as positive; use rule='best'"
            )
        return DecisionCurve._from_solver(self._solver, self._to_feature_scale, base_rate, probabilities, rule)

    # ---- thresholds
    @overload
    def best_threshold(
        self,
        criterion: CriterionName | RateFunction = "ameans",
        *,
        prevalence: float | None = None,
        cost_fp: float = 1.0,
        cost_fn: float = 1.0,
        beta: float | None = None,
        value: float | None = None,
    ) -> BestThreshold[Value]: ...
    @overload
    def best_threshold(
        self,
        criterion: CriterionName | RateFunction = "ameans",
        *,
        prevalence: ArrayLike | None = None,
        cost_fp: ArrayLike = 1.0,
        cost_fn: ArrayLike = 1.0,
        beta: float | None = None,
        value: ArrayLike | None = None,
    ) -> BestThreshold[FloatArray]: ...
    def best_threshold(
        self,
        criterion: CriterionName | RateFunction = "ameans",
        *,
        prevalence: ArrayLike | None = None,
        cost_fp: ArrayLike = 1.0,
        cost_fn: ArrayLike = 1.0,
        beta: float | None = None,
        value: ArrayLike | None = None,
    ) -> BestThreshold[Any]:
        """Return the best threshold for a criterion.

        Parameters
        ----------
        criterion : str or function, default="ameans"
            Criterion to optimize:

            * "ameans" (also "youden", "balanced_accuracy"): highest (TPR + TNR)/2.
            * "cost": lowest expected cost; uses ``prevalence``, ``cost_fp`` and ``cost_fn``.
            * "accuracy", "f1", "f_beta": highest value of this measure; uses ``prevalence``.
            * "closest_topleft": smallest distance to the corner (FPR = 0, TPR = 1).
            * "min_tpr": highest TNR subject to TPR >= ``value``.
            * "min_tnr": highest TPR subject to TNR >= ``value``.
            * "max_fpr": highest TPR subject to FPR <= ``value``.
            * function: called with the ``Rates`` at many thresholds; must return one value for each threshold. The
              threshold with the highest value is chosen.
        prevalence : float or array-like of shape F, optional
            Proportion of positives in the population where the rule is used, in [0, 1]. By default, the prevalence is
            computed from ``count``, or is unknown if ``count`` is None.
        cost_fp, cost_fn : float or array-like of shape F, default=1.0
            Cost of a false positive and cost of a false negative, for the criterion "cost".
        beta : float, optional
            For the criterion "f_beta": recall has ``beta**2`` times the weight of precision.
        value : float or array-like of shape F, optional
            Limit for three of the criteria: the lowest allowed TPR for "min_tpr", the lowest allowed TNR for "min_tnr",
            and the highest allowed FPR for "max_fpr".

        Returns
        -------
        BestThreshold
            Best threshold (in the unit of the feature), rates and value of the criterion at this threshold, and flags.

        Raises
        ------
        RocPredictError
            If ``criterion`` is unknown, a required argument is missing, or an argument is out of range.

        Notes
        -----
        If both classes are Gaussian, the best threshold for "ameans" or "cost" is computed from weighted class
        densities. For "cost", the weights depend on the prevalence and the costs; for "ameans", they are equal. The
        weighted densities are equal at up to two thresholds, the roots of a quadratic equation [1]_. The best threshold
        is the root at which the likelihood ratio increases with x or, for direction "lower", decreases with x. If
        assigning all observations to one class is at least as good as using this root, the best threshold is infinite.
        For empirical curves, all thresholds between two neighboring values have the same rates. If the thresholds of
        several such intervals are equally good, the result is the midpoint of the middle interval. The rates at the
        best threshold are optimistic if they are computed from the same data as the threshold.

        References
        ----------
        .. [1] T. W. Anderson, R. R. Bahadur (1962), Classification into two multivariate normal distributions with
           different covariance matrices, Annals of Mathematical Statistics 33, 420-431.

        Examples
        --------
        >>> from rocpredict import Gaussian, PredictedRoc
        >>> roc = PredictedRoc(negative=Gaussian(4, 3), positive=Gaussian(8, 2))
        >>> roc.best_threshold()
        BestThreshold(threshold=5.82611, ameans=0.795054, tpr=0.861469, fpr=0.271361, criterion='ameans')
        >>> round(roc.best_threshold("max_fpr", value=0.1).threshold, 4)
        7.8447
        """
        numbers: dict[str, Any] = {"prevalence": prevalence, "cost_fp": cost_fp, "cost_fn": cost_fn}
        numbers |= {"beta": beta, "value": value}
        for name, number in numbers.items():
            if number is not None:
                checked = check_real(name, number)
                self._check_batch_argument(name, checked)
                numbers[name] = number if isinstance(number, (int, float)) else to_scalar(checked)
        if prevalence is not None and isinstance(criterion, str) and criterion in PREVALENCE_FREE_CRITERIA:
            raise RocPredictError(
                f"criterion={criterion!r} does not accept prevalence=; omit prevalence=, or pass "
                "criterion='accuracy', 'cost', 'f1' or 'f_beta'"
            )
        if prevalence is None:
            numbers["prevalence"] = self.prevalence
        target = ThresholdCriterion(criterion=criterion, **numbers)
        optimum = find_best_threshold(self._solver, target)
        plateau = self._to_feature_scale(optimum.plateau_low), self._to_feature_scale(optimum.plateau_high)
        rates = Rates(optimum.tpr, optimum.fpr, optimum.tnr, optimum.fnr, target.prevalence)
        expected, criterion_value = optimum.expected_ameans, evaluate_criterion(target, rates)
        if expected is not None:
            criterion_value = to_scalar(2 * expected - 1 if criterion == "youden" else expected)
        return BestThreshold(
            _expected_ameans=expected,
            threshold=self._to_feature_scale(optimum.threshold),
            **{name: to_scalar(getattr(optimum, name)) for name in ("tpr", "fpr", "tnr", "fnr")},
            criterion=criterion if isinstance(criterion, str) else getattr(criterion, "__name__", "function"),
            criterion_value=criterion_value,
            crossings=self._sort_on_feature_scale(optimum.crossings),
            plateau=(to_scalar(np.minimum(*plateau)), to_scalar(np.maximum(*plateau))),
            equal_thresholds=self._sort_on_feature_scale(optimum.equal_thresholds),
            flags=optimum.flags | self._direction_flags,
            _uncertainty=ThresholdUncertainty(self._uncertainty, target, self._to_feature_scale),
        )

    def crossings(
        self, *, prevalence: ArrayLike = 0.5, cost_fp: ArrayLike = 1.0, cost_fn: ArrayLike = 1.0
    ) -> FloatArray:
        """Return all thresholds at which the class densities, weighted by prevalence and costs, are equal.

        Parameters
        ----------
        prevalence : float or array-like of shape F, default=0.5
            Proportion of positives, in [0, 1].
        cost_fp, cost_fn : float or array-like of shape F, default=1.0
            Cost of a false positive and cost of a false negative.

        Returns
        -------
        array of shape (k,), or F + (2,) for a batch
            Thresholds in ascending order. For a batch of features, crossings that do not exist are NaN. For empirical
            curves, the array is empty.

        Raises
        ------
        RocPredictError
            If ``prevalence`` is outside [0, 1], or a cost is negative.

        Notes
        -----
        A crossing t satisfies prevalence * cost_fn * f1(t) = (1 - prevalence) * cost_fp * f0(t), where f0 is the
        density of the negatives and f1 the density of the positives. For two Gaussians, for histograms, and for most
        pairs of distributions of the same family, the crossings are computed directly from the parameters. For other
        pairs, each crossing is first bracketed between two points of a grid. The grid contains about 2,000 quantiles of
        both classes. For mixtures of up to 1,000 normal distributions, the grid also contains points around the mean of
        each component, with a spacing of one quarter of the component's SD. Each grid interval is halved repeatedly
        until the log likelihood ratio is nearly linear within each part. If a density oscillates too fast for this
        grid, some crossings may be missed. If the weighted densities are equal over a whole interval (up to rounding),
        the result of ``best_threshold("cost", ...)`` has the flag ``crossings_uncertain``.

        Examples
        --------
        >>> from rocpredict import Gaussian, PredictedRoc
        >>> PredictedRoc(negative=Gaussian(4, 3), positive=Gaussian(8, 2)).crossings().round(4)
        array([ 5.8261, 16.5739])
        """
        for name, number in {"prevalence": prevalence, "cost_fp": cost_fp, "cost_fn": cost_fn}.items():
            self._check_batch_argument(name, check_real(name, number))
        return self._sort_on_feature_scale(self._solver.crossings(log_cost_ratio(prevalence, cost_fp, cost_fn)))

    def proper(self) -> LikelihoodRatioRoc[Value]:
        """Return the ROC curve of the likelihood-ratio rule, the best rule based on this feature.

        Returns
        -------
        LikelihoodRatioRoc

        Notes
        -----
        For a shrunk estimate (family "auto"), the likelihood ratio is computed only from the fitted model. The
        empirical distribution is not used, because a likelihood ratio estimated from single observations would be
        mostly noise.

        Examples
        --------
        >>> from rocpredict import Gaussian, PredictedRoc
        >>> PredictedRoc(negative=Gaussian(4, 3), positive=Gaussian(8, 2)).proper()
        LikelihoodRatioRoc(auc=0.866559)
        """
        from rocpredict.roc.likelihood_ratio import LikelihoodRatioRoc

        models = [d.model for d in self._oriented_distributions if isinstance(d, ShrinkageDistribution)]
        solver = solver_for(*models) if len(models) == 2 else self._solver
        return LikelihoodRatioRoc(solver, self._to_feature_scale)

    def grey_zone(
        self,
        *,
        max_fnr: ArrayLike | None = None,
        max_fpr: ArrayLike | None = None,
        min_npv: ArrayLike | None = None,
        min_ppv: ArrayLike | None = None,
        prevalence: ArrayLike | None = None,
    ) -> GreyZone[Value]:
        """Return two thresholds, one for ruling out and one for ruling in, with an undecided zone between them.

        Parameters
        ----------
        max_fnr : float or array-like of shape F, optional
            Highest proportion of the positives that may be ruled out. The default is 0.05, unless ``min_npv`` is
            passed.
        max_fpr : float or array-like of shape F, optional
            Highest proportion of the negatives that may be ruled in. The default is 0.05, unless ``min_ppv`` is passed.
        min_npv : float or array-like of shape F, optional
            Lowest allowed negative predictive value among the observations ruled out; an alternative to ``max_fnr``.
            ``min_npv`` requires a prevalence.
        min_ppv : float or array-like of shape F, optional
            Lowest allowed positive predictive value among the observations ruled in; an alternative to ``max_fpr``.
            ``min_ppv`` requires a prevalence.
        prevalence : float or array-like of shape F, optional
            Proportion of positives in the population where the rule is used. By default, the prevalence is computed
            from ``count``, or is unknown if ``count`` is None.

        Returns
        -------
        GreyZone
            The two thresholds that meet the requirements and leave as few observations as possible undecided. If no
            finite threshold meets the requirement for ruling out, the threshold for ruling out is infinite, and no
            observation is ruled out. If no finite threshold meets the requirement for ruling in, the threshold for
            ruling in is infinite, and no observation is ruled in.

        Raises
        ------
        RocPredictError
            If both ``max_fnr`` and ``min_npv`` are passed, or both ``max_fpr`` and ``min_ppv``. Also if one of these
            values is outside [0, 1], or if ``min_npv`` or ``min_ppv`` is passed without a prevalence in (0, 1).

        Notes
        -----
        Observations at or above the upper threshold are classified as positive, and observations below the lower
        threshold as negative. With direction "lower", observations at or below the lower threshold are classified as
        positive, and observations above the upper threshold as negative. If the ruled-in and ruled-out regions would
        overlap, one threshold meets both requirements. ``single_threshold`` is then True, and both thresholds are equal
        to the threshold with the highest Ameans in the overlap.

        The PPV does not always increase with the threshold, because negatives can be more frequent than positives far
        out in the tail. ``min_ppv`` is the lowest allowed PPV of all ruled-in observations combined. Among the
        thresholds for which this PPV is at least ``min_ppv``, the one that leaves the fewest observations undecided is
        chosen. The threshold for ``min_npv`` is chosen in the same way. For empirical curves, the thresholds and the
        rates are computed from the same data. The rates are therefore optimistic: the error rates in the population may
        exceed the requirements.

        The partition into three zones is described in [1]_. If the requirements are ``max_fnr`` and ``max_fpr``, the
        grey zone equals the intermediate range of the two-graph ROC plot [2]_.

        References
        ----------
        .. [1] J. Coste, J. Pouchot (2003), A grey zone for quantitative diagnostic and screening tests, International
           Journal of Epidemiology 32, 304-313.
        .. [2] M. Greiner, D. Sohr, P. Göbel (1995), A modified ROC analysis for the selection of cut-off values and the
           definition of intermediate results of serodiagnostic tests, Journal of Immunological Methods 185, 123-132.

        Examples
        --------
        >>> from rocpredict import Gaussian, PredictedRoc
        >>> roc = PredictedRoc(negative=Gaussian(4, 3), positive=Gaussian(8, 2))
        >>> roc.grey_zone()
        GreyZone(low=4.71029, high=8.93456, undecided_negative=0.3564, undecided_positive=0.6299, fnr=0.05, fpr=0.05)
        >>> zone = roc.grey_zone(min_npv=0.8, min_ppv=0.8, prevalence=0.5)
        >>> zone
        GreyZone(low=6.27289, high=6.66978, undecided_negative=0.03758, undecided_positive=0.05907, fnr=0.1939,
        fpr=0.1868)
        """
        from rocpredict.roc.grey_zone import find_grey_zone

        limits = {"max_fnr": max_fnr, "max_fpr": max_fpr, "min_npv": min_npv, "min_ppv": min_ppv}
        base_rate = self.prevalence if prevalence is None else prevalence
        return find_grey_zone(self._solver, limits, base_rate, self._is_lower, self._to_feature_scale)

    def plot(self, kind: PictureKind = "roc", *, ax: Axes | None = None, **options: object) -> Axes:
        """Plot the ROC curve, the class distributions or a related curve, depending on ``kind``.

        Parameters
        ----------
        kind : str, default="roc"
            Kind of plot:

            * "roc": ROC curve, with the point of highest Ameans marked.
            * "densities": class densities and the best threshold.
            * "probit": ROC curve on probit axes.
            * "measures": performance measures against the threshold.
            * "cost": cost curve.
            * "band": ROC curve with a pointwise confidence band.
            * "simultaneous_band": ROC curve with a simultaneous confidence band.
            * "precision_recall": precision-recall curve.
            * "decision": decision curve.
            * "stability": distribution of the best threshold over bootstrap resamples; only for empirical curves.
        ax : matplotlib Axes, optional
            Axes to draw on. By default, the axes of a new figure.
        **options
            Options of the plotting function in ``rocpredict.plots``. For ``kind="roc"``, this function is ``plot_roc``;
            the functions for the other kinds are named accordingly. Both kinds of bands are drawn by ``plot_band``.

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        RocPredictError
            If ``kind`` or an option is unknown, or if the method is called for a batch of features.

        Examples
        --------
        >>> from rocpredict import PredictedRoc
        >>> roc = PredictedRoc.from_stats(mean=(4, 8), std=(3, 2))
        >>> roc.plot("probit").get_xlabel()
        'false positive rate (FPR), probit scale'
        """
        return plot_roc_kind(self, kind, ax=ax, **options)

    # ---- representation and internals
    @property
    def _repr_suffix(self) -> str:
        """Return the part of the repr with the direction, omitted observations and negative labels."""
        suffix = f", direction={self.direction!r}" if self.direction is not None else ""
        suffix += " (auto)" if self.auto_direction else ""
        labels = f", negative_labels={short_repr(self.negative_labels)}" if self.negative_labels else ""
        return suffix + omitted_text(self) + labels

    def table(self) -> Table:
        """Return a table of the class distributions, with the AUC, and the best threshold if it is fast to compute.

        Returns
        -------
        Table
        """
        if self.shape:
            return self._batch_table()
        rows: list[list[Any]] = [[name, _distribution_label(getattr(self, name))] for name in ("negative", "positive")]
        auc: Any = self.auc()
        rows.append(["AUC", auc])
        best: BestThreshold[Any] | None = self.best_threshold() if self._solver.is_fast else None
        if best is not None:
            rows += [["best threshold (Ameans)", best.threshold], ["Ameans at this threshold", best.ameans]]
        if self.direction:
            rows.append(["direction", f"{self.direction}{' (auto)' * self.auto_direction}"])
        if self.negative_labels:
            rows.append(["negative labels", format_list(map(label_to_text, self.negative_labels), MAX_ROWS)])
        if any(self.omitted):
            rows.append(["omitted observations (negative, positive)", str(self.omitted)])
        if self.n_unlabelled:
            rows.append(["omitted rows without a label", self.n_unlabelled])
        label = f"{self._title}, TPR against FPR, AUC {format_number(auc, 5)}"
        curve = self.curve(_N_POINTS)
        point = None if best is None else (best.fpr, best.tpr)
        plot = CurvePlot(label, [thin_curve(curve.fpr, curve.tpr)], point)
        flags = self._direction_flags if best is None else best.flags
        return Table(self._title, ("quantity", "value"), rows, flags=flags, plot=plot)

    def _batch_table(self) -> Table:
        """Return a table of the first features of a batch; results for the other features are not computed."""
        selected = slice(min(int(np.prod(self.shape)), MAX_ROWS))
        pair: tuple[Any, ...] = self._oriented_distributions
        moments = [[np.broadcast_to(part, self.shape).flat[selected] for part in (d.mean, d.std)] for d in pair]
        solver = solver_for(*(Gaussian(mean, std) for mean, std in moments))
        best, lower = solver.optimal(EVEN), np.broadcast_to(self._is_lower, self.shape).flat[selected]
        columns = {
            "AUC": solver.auc(),
            "best threshold (Ameans)": np.where(lower, np.negative(best.threshold), best.threshold) + 0.0,
            "Ameans at this threshold": np.asarray(best.tpr) / 2 + np.asarray(best.tnr) / 2,
            "direction": np.where(lower, "lower", "higher"),
        }
        return batch_table(self._title, self.shape, columns, flags=self._direction_flags)

    @property
    def _title(self) -> str:
        return "Predicted ROC curve"

    @cached_property
    def _solver(self) -> Solver:
        return solver_for(*self._oriented_distributions)

    @property
    def _is_lower(self) -> Any:
        return np.equal(self.direction, "lower") if self.direction is not None else np.False_

    @cached_property
    def _oriented_distributions(self) -> tuple[Distribution, Distribution]:
        pair = self._orient(self.negative), self._orient(self.positive)
        return pair if all(isinstance(d, Gaussian) for d in pair) else to_step_functions(*pair)

    @property
    def _direction_flags(self) -> Flags:
        return Flags(auto_direction=np.full(self.shape, self.auto_direction))

    def _rate(self, name: str, rate: ArrayLike) -> FloatArray:
        rate = check_probabilities(name, rate)
        _check_shapes(name, rate.shape, "the batch of features", self.shape)
        return rate

    def _check_batch_argument(self, name: str, values: FloatArray) -> FloatArray:
        """Return ``values``, or raise an error if their shape does not match the batch."""
        if values.ndim and not all(isinstance(d, Gaussian) for d in (self.negative, self.positive)):
            raise RocPredictError(f"{name}={short_repr(values.tolist())} has shape {values.shape}; pass one number")
        _check_shapes(name, values.shape, "the batch of features", self.shape)
        return values

    def _orient(self, distribution: Any) -> Distribution:
        """Return the distribution of x, or of -x for direction "lower", so that the rule is x >= threshold."""
        if not np.any(self._is_lower):
            return distribution
        is_gaussian = isinstance(distribution, Gaussian)
        return distribution.reflect(where=self._is_lower) if is_gaussian else distribution.reflect()

    def _to_solver_scale(self, threshold: ArrayLike, *, grid: bool = False) -> FloatArray:
        threshold = check_real("threshold", threshold)
        if not grid:
            _check_shapes("threshold", threshold.shape, "the batch of features", self.shape)
        return self._reflect(threshold, grid=grid)

    def _to_feature_scale(self, threshold: FloatArray, *, grid: bool = False) -> ArrayOrFloat:
        return to_scalar(self._reflect(threshold, grid=grid))

    def _reflect(self, threshold: FloatArray, *, grid: bool) -> FloatArray:
        """Return thresholds, multiplied by -1 for direction "lower".

        If ``grid`` is True, the last axis of ``threshold`` is a grid of thresholds for each feature.
        """
        lower = self._is_lower[..., None] if grid and np.ndim(self._is_lower) else self._is_lower
        return np.where(lower, np.negative(threshold), threshold) + 0.0 if np.any(lower) else threshold

    def _sort_on_feature_scale(self, thresholds: FloatArray) -> FloatArray:
        """Return thresholds sorted along the last axis; for one feature, NaN values are omitted."""
        thresholds = np.sort(self._to_feature_scale(thresholds, grid=True), axis=-1)
        return thresholds if thresholds.ndim > 1 else thresholds[~np.isnan(thresholds)]

    def _tail_on_grid(self, distribution: Any, thresholds: ArrayLike) -> FloatArray:
        wide = add_grid_axis(self._orient(distribution))
        thresholds = np.atleast_1d(self._to_solver_scale(thresholds, grid=True))
        if thresholds.ndim > 1 + len(self.shape):
            raise RocPredictError(f"thresholds has shape {thresholds.shape}; pass an array of shape (T,)")
        tails = np.asarray(wide.sf_inclusive(thresholds))
        return np.broadcast_to(tails, self.shape + tails.shape[-1:])

    def _thresholds(self, points: int) -> FloatArray:
        """Return descending thresholds from +inf to -inf that cover the values of both classes."""
        if (thresholds := self._solver.thresholds) is not None:
            return thresholds
        wide = [add_grid_axis(d) for d in self._oriented_distributions]
        inner = [_quantiles_with_atoms(d, tail) for d, tail in zip(wide, make_tail_grids(points), strict=True)]
        inner = [np.broadcast_to(i, (*self.shape, i.shape[-1])) for i in inner]
        corners = [np.full((*self.shape, 1), value) for value in (np.inf, -np.inf)]
        return -np.sort(-np.concatenate([*inner, *corners], axis=-1), axis=-1)


def _quantiles_with_atoms(distribution: Distribution, tail: FloatArray) -> FloatArray:
    """Return the quantiles of a distribution for upper tail probabilities.

    If a quantile is at a point mass and the tail probability is below 0.5, the next larger float is returned.
    """
    quantiles = np.asarray(distribution.isf(tail))
    at = np.asarray(distribution.sf_inclusive(quantiles)) > distribution.sf(quantiles)
    with np.errstate(over="ignore", under="ignore"):
        return np.where(at & (tail < 0.5), np.nextafter(quantiles, np.inf), quantiles)


def _check_shapes(name: str, shape: tuple[int, ...], whole: str, whole_shape: tuple[int, ...]) -> None:
    try:
        np.broadcast_shapes(shape, whole_shape)
    except ValueError:
        raise RocPredictError(
            f"{name} has shape {shape}; pass one number, or an array of shape {whole_shape} (the shape of {whole})"
        ) from None


def check_count(count: Any, shape: tuple[int, ...]) -> tuple[ArrayOrFloat, ArrayOrFloat]:
    """Return the class sizes (negative, positive), each as a number or as an array with the shape of the batch."""
    negatives, positives = (check_real("count", c) for c in check_pair("count", count))
    for class_size in (negatives, positives):
        if not ((class_size > _MIN_COUNT) & (class_size < np.inf)).all() or class_size.shape not in {(), shape}:
            each = f" or an array of shape {shape}" if shape else ""
            raise RocPredictError(
                f"count={short_repr(count)} is invalid; pass a finite number above 0{each} for each class"
            )
    return to_scalar(negatives), to_scalar(positives)
