"""Methods common to predicted and empirical ROC curves."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from rocpredict.base.accessors import PictureKind, plot_roc_kind
from rocpredict.base.rates import ConfusionCounts, RateFunction, Rates
from rocpredict.base.results import MAX_ROWS, Flags, Result, batch_table
from rocpredict.base.tables import CurvePlot, Table
from rocpredict.base.validation import (
    ArrayOrFloat,
    Direction,
    FloatArray,
    RocPredictError,
    Value,
    check_int,
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
from rocpredict.solvers.base import EVEN, Hook, RocCurve, Solver, check_n_points
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


_N_POINTS = 61  # thresholds from each class, in a small picture
_N_SEARCHED_POINTS = 13  # of these, where a quantile takes a search
_MAX_FAST_SIZE = 1_000  # values, at most, whose area a repr waits for


def is_auc_fast(roc: Any) -> bool:
    """Return whether the area is quick enough for a repr."""
    return roc._solver.is_fast or sum(n_terms(d) for d in (roc.negative, roc.positive)) <= _MAX_FAST_SIZE


def _thumbnail_points(roc: Any) -> tuple[FloatArray, FloatArray]:
    """Return FPR and TPR at few thresholds, spread over both classes."""
    pair: tuple[Any, ...] = roc._oriented_distributions
    every = roc._solver.is_discrete and sum(len(d.unique_values) for d in pair) <= 2 * _N_POINTS
    inner = np.concatenate([d.unique_values if every else _quantile_grid(d, quick=roc._solver.is_fast) for d in pair])
    return _rates_on_curve(roc, np.concatenate([[np.inf], np.sort(inner)[::-1], [-np.inf]]))


def _rates_on_curve(roc: Any, thresholds: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return FPR and TPR at thresholds that descend from infinity, where both are 0 even if a value is infinite."""
    fpr, tpr = (np.asarray(add_grid_axis(d).sf_inclusive(thresholds)) for d in roc._oriented_distributions)
    fpr[..., 0] = tpr[..., 0] = 0.0
    return fpr, tpr


def _quantile_grid(distribution: Any, *, quick: bool) -> FloatArray:
    """Return quantiles; where each takes a search, only some, and between them values at even steps."""
    shares = ndtr(np.linspace(-4, 4, _N_POINTS if quick else _N_SEARCHED_POINTS))
    quantiles = np.asarray(distribution.isf(shares))
    steps = np.linspace(0, _N_SEARCHED_POINTS - 1, _N_POINTS)
    return quantiles if quick else np.interp(steps, np.arange(_N_SEARCHED_POINTS), quantiles)


def _distribution_label(distribution: Any) -> str:
    """Return a description of the distribution of a class."""
    if not isinstance(distribution, ShrinkageDistribution):
        return repr(distribution)
    return f"{distribution.observed.total:g} observations shrunk to a model, weight {1 - distribution.data_weight:.4g}"


def n_terms(distribution: Any) -> int:
    """Return how many values a distribution sums over for one answer, as far as they make it slow."""
    if hasattr(distribution, "base"):
        return n_terms(distribution.base)
    return len(distribution.components.weights) if hasattr(distribution, "components") else 0


_DIRECTIONS = (None, "higher", "lower", "auto")


@dataclass(frozen=True, eq=False, repr=False)
class Roc(CurveMethods[Value], UncertaintyMixin[Value], Result):
    """ROC curve of two class distributions.

    The rule is "positive when x >= threshold"; with direction "lower" "positive when x <= threshold".

    Parameters
    ----------
    negative, positive : distribution
        ``Gaussian``, ``Ecdf`` or a frozen scipy.stats distribution. Gaussians may be batches of shape F:
        then every answer has shape F.
    direction : {None, "higher", "lower", "auto"}
        On which side the positives lie: None and "higher" are the same rule, the latter declared. "auto"
        is resolved here, once, by the AUC, and shown; the resolved value is what ``direction`` says then.
    count : pair of float, or of arrays of shape F, optional
        Cases of the (negative, positive) class. They set the prevalence where a measure needs one.
    omitted : pair of int
        Rows of the (negative, positive) class that were left out because they have no value.

    Raises
    ------
    RocPredictError
        What is no distribution, an unknown direction, counts below 0 or none above.
    """

    negative: Distribution[Value]
    positive: Distribution[Value]
    _: KW_ONLY
    direction: Direction = None
    count: tuple[Value, Value] | None = None
    omitted: tuple[int, int] = (0, 0)
    auto_direction: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        names = "negative", "positive"
        pair: dict[str, Any] = {name: check_distribution(name, getattr(self, name)) for name in names}
        try:
            shape = np.broadcast_shapes(*(d.shape for d in pair.values()))
        except ValueError:
            shapes = ", ".join(f"{name} {d.shape}" for name, d in pair.items())
            raise RocPredictError(f"batches of different shapes: {shapes}") from None
        solver_for(**pair)  # refuses a batch that has no solver
        for name, d in pair.items():
            if isinstance(d, Gaussian) and d.shape != shape:  # so that every answer has the shape of the batch
                pair[name] = Gaussian(np.broadcast_to(d.mean, shape), d.std)
            object.__setattr__(self, name, pair[name])
        check_option("direction", self.direction, _DIRECTIONS)
        for omitted in check_pair("omitted", self.omitted):
            if check_int("omitted", omitted) < 0:
                raise RocPredictError(f"omitted={short_repr(self.omitted)} holds a negative number of rows")
        if self.count is not None:
            object.__setattr__(self, "count", check_count(self.count, self.shape))
        if self.direction == "auto":
            auc = np.asarray(self._solver.auc())
            object.__setattr__(self, "direction", to_scalar(np.where(auc < 0.5, "lower", "higher")))
            object.__setattr__(self, "auto_direction", True)
            for name in ("_oriented_distributions", "_solver"):  # which were those of the rule x >= threshold
                del self.__dict__[name]

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape F of the batch of features; ``()`` for one feature."""
        return np.broadcast_shapes(self.negative.shape, self.positive.shape)

    @property
    def prevalence(self) -> Value | None:
        """The share of positives among the counted cases; None when nobody counted."""
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
        """Return the true positive rate at a threshold.

        Parameters
        ----------
        threshold : float or array
            One for all features, or of shape F one for each; with a single feature of any shape.
        """
        return self._orient(self.positive).sf_inclusive(self._to_solver_scale(threshold))

    @overload
    def fpr(self: Roc[float], threshold: float) -> float: ...
    @overload
    def fpr(self, threshold: ArrayLike) -> FloatArray: ...
    def fpr(self, threshold: ArrayLike) -> float | FloatArray:
        """Return the false positive rate at a threshold: among negatives, not among all."""
        return self._orient(self.negative).sf_inclusive(self._to_solver_scale(threshold))

    @overload
    def tnr(self: Roc[float], threshold: float) -> float: ...
    @overload
    def tnr(self, threshold: ArrayLike) -> FloatArray: ...
    def tnr(self, threshold: ArrayLike) -> float | FloatArray:
        """Return the true negative rate at a threshold."""
        return self._orient(self.negative).cdf_strict(self._to_solver_scale(threshold))

    @overload
    def fnr(self: Roc[float], threshold: float) -> float: ...
    @overload
    def fnr(self, threshold: ArrayLike) -> FloatArray: ...
    def fnr(self, threshold: ArrayLike) -> float | FloatArray:
        """Return the false negative rate at a threshold."""
        return self._orient(self.positive).cdf_strict(self._to_solver_scale(threshold))

    def tpr_grid(self, thresholds: ArrayLike) -> FloatArray:
        """Return the TPR of every feature at a common grid of thresholds (T,): shape F + (T,)."""
        return self._tail_on_grid(self.positive, thresholds)

    def fpr_grid(self, thresholds: ArrayLike) -> FloatArray:
        """Return the FPR of every feature at a common grid of thresholds (T,): shape F + (T,)."""
        return self._tail_on_grid(self.negative, thresholds)

    @overload
    def rates(self: Roc[float], threshold: float, *, prevalence: float | None = None) -> Rates[float]: ...
    @overload
    def rates(self, threshold: ArrayLike, *, prevalence: ArrayLike | None = None) -> Rates[FloatArray]: ...
    def rates(self, threshold: ArrayLike, *, prevalence: ArrayLike | None = None) -> Rates[Any]:
        """Return every measure at a threshold.

        Parameters
        ----------
        threshold : float or array
            As in ``tpr``.
        prevalence : float or array, optional
            Share of positives where the rule will be used. Left out: that of the class counts, if known.
        """
        tpr, fpr, tnr, fnr = (question(threshold) for question in (self.tpr, self.fpr, self.tnr, self.fnr))
        if prevalence is not None:
            share = check_probabilities("prevalence", prevalence)
            _check_shapes("prevalence", share.shape, "the rates", np.shape(tpr))
            return Rates(tpr, fpr, tnr, fnr, to_scalar(share))
        if self.count is None:
            return Rates(tpr, fpr, tnr, fnr)
        negatives, positives = self.count
        cells = (np.multiply(positives, tpr), np.multiply(negatives, fpr))
        others = (np.multiply(positives, fnr), np.multiply(negatives, tnr))
        return Rates(tpr, fpr, tnr, fnr, self.prevalence, ConfusionCounts(*cells, *others))

    # ---- along the curve
    def log_auc_complement(self) -> Value:
        """Return the logarithm of 1 - AUC; for two Gaussians it does not underflow."""
        return to_scalar(self._solver.log_auc_complement())

    @overload
    def threshold_at_fpr(self: Roc[float], fpr: float) -> float: ...
    @overload
    def threshold_at_fpr(self, fpr: ArrayLike) -> FloatArray: ...
    def threshold_at_fpr(self, fpr: ArrayLike) -> float | FloatArray:
        """Return the threshold with the highest TPR among those with no more than this FPR."""
        return self._to_feature_scale(self._solver.threshold_at("fpr", self._rate("fpr", fpr)))

    @overload
    def threshold_at_tpr(self: Roc[float], tpr: float) -> float: ...
    @overload
    def threshold_at_tpr(self, tpr: ArrayLike) -> FloatArray: ...
    def threshold_at_tpr(self, tpr: ArrayLike) -> float | FloatArray:
        """Return the threshold with the lowest FPR among those with no less than this TPR."""
        return self._to_feature_scale(self._solver.threshold_at("tpr", self._rate("tpr", tpr)))

    @overload
    def slope(self: Roc[float], fpr: float) -> float: ...
    @overload
    def slope(self, fpr: ArrayLike) -> FloatArray: ...
    def slope(self, fpr: ArrayLike) -> float | FloatArray:
        """Return the slope of the curve at an FPR: the likelihood ratio at its threshold."""
        return to_scalar(self._solver.slope(self._rate("fpr", fpr)))

    def hook(self) -> Hook[Value]:
        """Return the part of the curve that lies below the chance line."""
        return Hook(*(to_scalar(part) for part in self._solver.hook()))

    def curve(self, n_points: int = 513) -> RocCurve:
        """Return the curve as a table, from (0, 0) to (1, 1).

        Parameters
        ----------
        n_points : int
            How many thresholds, spread over both classes; a step function has its own and ignores this.
        """
        thresholds = self._thresholds(check_n_points(n_points))
        fpr, tpr = _rates_on_curve(self, thresholds)
        return RocCurve(self._to_feature_scale(thresholds, grid=True), fpr, tpr)

    def precision_recall_curve(
        self, *, prevalence: ArrayLike | None = None, n_points: int = 513
    ) -> PrecisionRecallCurve:
        """Return the precision-recall curve of one feature.

        Parameters
        ----------
        prevalence : float, optional
            Share of positives where the rule will be used, inside (0, 1). Left out: that of the class counts.
        n_points : int
            As in ``curve``.

        Raises
        ------
        RocPredictError
            No prevalence and no counts; a batch of features.

        Notes
        -----
        Precision follows from the rates: TPR BR/(TPR BR + FPR (1 - BR)) at a base rate BR. A curve of one prevalence is
        not comparable with that of another. ``average_precision()`` gives the area.

        Examples
        --------
        >>> from rocpredict import EmpiricalRoc
        >>> EmpiricalRoc(negative=[1, 2, 3], positive=[2, 3, 4, 5]).precision_recall_curve()
        PrecisionRecallCurve(n_points=6, prevalence=0.571429, average_precision=0.854167)
        """
        share = resolve_prevalence("precision_recall_curve", prevalence, self.prevalence, self.shape)
        return PrecisionRecallCurve.from_curve(self.curve(n_points), self._solver, share)

    def decision_curve(
        self,
        *,
        prevalence: ArrayLike | None = None,
        probabilities: ArrayLike | None = None,
        rule: DecisionRule = "best",
    ) -> DecisionCurve:
        """Return the net benefit of one feature at each threshold probability (Vickers and Elkin 2006).

        Parameters
        ----------
        prevalence : float, optional
            Share of positives where the rule will be used, inside (0, 1). Left out: that of the class counts.
        probabilities : array of shape (k,), optional
            Threshold probabilities p, inside (0, 1). Left out: 0.01, 0.02, ..., 0.99.
        rule : {"best", "probability"}
            "best": at each p the operating point with the highest net benefit, the best threshold for costs
            p of a false and 1 - p of a missed positive. "probability": positive when x >= p, for an x that is
            itself the predicted probability of being positive; this is the curve of Vickers and Elkin.

        Raises
        ------
        RocPredictError
            No prevalence and no counts; values outside [0, 1], or direction "lower", with rule="probability"; a batch
            of features.

        Notes
        -----
        "best" is what the feature could give if each p had its right threshold, as after a calibration that keeps the
        order of the values; it never lies below treating all or none. Chosen on the very rows that it is measured on,
        it is optimistic, as ``best_threshold`` is. "probability" also pays for wrong calibration.

        Examples
        --------
        >>> from rocpredict import Gaussian, PredictedRoc
        >>> roc = PredictedRoc(negative=Gaussian(4, 3), positive=Gaussian(8, 2))
        >>> curve = roc.decision_curve(prevalence=0.2, probabilities=[0.1, 0.3])
        >>> curve.net_benefit.round(4).tolist(), curve.treat_all.round(4).tolist()
        ([0.1539, 0.0854], [0.1111, -0.1429])
        """
        share = resolve_prevalence("decision_curve", prevalence, self.prevalence, self.shape)
        if str(rule) == "probability" and np.any(self._is_lower):
            raise RocPredictError(
                "rule='probability' takes x as the probability of being positive; direction is 'lower'"
            )
        return DecisionCurve.from_solver(self._solver, self._to_feature_scale, share, probabilities, rule)

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
        criterion : str or function
            "ameans" (also "youden", "balanced_accuracy"), "cost", "accuracy", "f1", "f_beta",
            "closest_topleft", "min_tpr", "min_tnr", "max_fpr"; or a function that takes ``Rates`` of
            many thresholds and gives what to maximise.
        prevalence : float or array, optional
            Share of positives where the rule will be used, for the criteria that depend on it. Left out:
            that of the class counts, if known.
        cost_fp, cost_fn : float or array
            Cost of a false positive and of a false negative, for "cost".
        beta : float
            For "f_beta".
        value : float
            The limit of "min_tpr", "min_tnr" and "max_fpr".

        Raises
        ------
        RocPredictError
            An unknown criterion, a prevalence or value that is missing or outside [0, 1], negative costs.

        Notes
        -----
        For two Gaussians the threshold is the crossing of the (weighted) densities at which the
        likelihood ratio rises (Anderson and Bahadur 1962 treat the same quadratic); an end of the axis
        when no crossing beats it. For samples it is the midpoint of the middle one of the best intervals.
        """
        numbers: dict[str, Any] = {"prevalence": prevalence, "cost_fp": cost_fp, "cost_fn": cost_fn}
        numbers |= {"beta": beta, "value": value}
        for name, number in numbers.items():
            if number is not None:
                self._check_batch_argument(name, check_real(name, number))
        if prevalence is not None and criterion in PREVALENCE_FREE_CRITERIA:
            raise RocPredictError(f"criterion={criterion!r} takes no prevalence; see 'accuracy', 'cost' and 'f1'")
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
        """Return all thresholds where the densities, weighted by prevalence and costs, are equal.

        Returns
        -------
        array of shape (k,), or F + (2,) for a batch
            Ascending; in a batch NaN where there are fewer than two. Empty for step functions.

        Notes
        -----
        Two Gaussians, most pairs of one family and histograms have their crossings by structure.
        For other pairs the log ratio is bracketed from about 2,000 quantiles of both classes, and for sums of up to
        1,000 normals from points a quarter of a standard deviation apart about each; intervals are halved until no
        further crossing fits between their ends. A density that bends more often than these points resolve may have
        further crossings. Where the ratio equals the price to rounding over an interval,
        ``best_threshold("cost", ...)`` carries the flag ``crossings_uncertain``.
        """
        for name, number in {"prevalence": prevalence, "cost_fp": cost_fp, "cost_fn": cost_fn}.items():
            self._check_batch_argument(name, check_real(name, number))
        return self._sort_on_feature_scale(self._solver.crossings(log_cost_ratio(prevalence, cost_fp, cost_fn)))

    def proper(self) -> LikelihoodRatioRoc[Value]:
        """Return the ROC of the likelihood-ratio rule, the best rule of all that use this feature.

        For family "auto" it is that of the model alone: the likelihood ratio of single observations is noise.
        """
        from rocpredict.roc.likelihood_ratio import LikelihoodRatioRoc

        return LikelihoodRatioRoc(self._model_solver, self._to_feature_scale)

    def grey_zone(
        self,
        *,
        max_fnr: ArrayLike | None = None,
        max_fpr: ArrayLike | None = None,
        min_npv: ArrayLike | None = None,
        min_ppv: ArrayLike | None = None,
        prevalence: ArrayLike | None = None,
    ) -> GreyZone[Value]:
        """Return two thresholds that rule out below, rule in above, and leave the cases between them undecided.

        Parameters
        ----------
        max_fnr : float or array of shape F, optional
            Highest share of the positives that may be ruled out. Left out, and ``min_npv`` too: 0.05.
        max_fpr : float or array of shape F, optional
            Highest share of the negatives that may be ruled in. Left out, and ``min_ppv`` too: 0.05.
        min_npv : float or array of shape F, optional
            Lowest share of negatives among the cases ruled out, instead of ``max_fnr``; needs a prevalence.
        min_ppv : float or array of shape F, optional
            Lowest share of positives among the cases ruled in, instead of ``max_fpr``; needs a prevalence.
        prevalence : float or array of shape F, optional
            Share of positives where the rule will be used. Left out: that of the class counts, if known.

        Returns
        -------
        GreyZone
            The widest decided regions that meet the demands. An end that nothing meets is infinite and decides nobody.

        Raises
        ------
        RocPredictError
            Two demands on one threshold, a demand outside [0, 1], a predictive value with no prevalence in (0, 1).

        Notes
        -----
        Positive is called at or above the upper threshold, negative below the lower one; with direction "lower"
        positive at or below the lower, negative above the upper. Where the two regions would overlap, one threshold
        meets both demands and ``single_threshold`` says so: it is the one of the overlap with the highest Ameans.

        A predictive value need not rise with the threshold: far out in a tail the other class may be the more common
        one. It is that of all the cases ruled in, and of the thresholds that meet it the one that decides most is
        taken. For samples the rates are those of these very rows, without allowance for chance.

        The partition into three zones is that of Coste and Pouchot (2003); with error rates as demands it is what
        Greiner, Sohr and Göbel (1995) read off the two-graph ROC plot.

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
        share = self.prevalence if prevalence is None else prevalence
        return find_grey_zone(self._solver, limits, share, self._is_lower, self._to_feature_scale)

    def plot(self, kind: PictureKind = "roc", *, ax: Axes | None = None, **options: object) -> Axes:
        """Draw this ROC, or another picture of the same two classes.

        Parameters
        ----------
        kind : str
            "roc": the curve with its best point. "densities": the class densities with the threshold. "probit": the
            curve on probit axes. "measures": measures against the threshold. "cost": the cost curve. "band",
            "simultaneous_band": the curve with a confidence band. "precision_recall", "decision": these curves.
            "stability": where the threshold falls on resampled rows (of samples only).
        ax : matplotlib Axes, optional
            Where to draw; left out, a figure of its own.
        **options
            As the function of ``rocpredict.plots`` that is named after the kind: ``plot_roc``, ``plot_densities``,
            and so on; of both bands ``plot_band``.

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        RocPredictError
            An unknown kind, a batch of features; as that function.

        Examples
        --------
        >>> from rocpredict import PredictedRoc
        >>> roc = PredictedRoc.from_stats(mean=(4, 8), std=(3, 2))
        >>> roc.plot("probit").get_xlabel()
        'false positive rate (FPR), probit scale'
        """
        return plot_roc_kind(self, kind, ax=ax, **options)

    # ---- what lies behind
    @property
    def _repr_suffix(self) -> str:
        """Return what a repr adds where it is not the usual: the direction, and how many rows were left out."""
        suffix = f", direction={self.direction!r}" if self.direction is not None else ""
        suffix += " (auto)" if self.auto_direction else ""
        return suffix + (f", omitted={self.omitted}" if any(self.omitted) else "")

    def table(self) -> Table:
        """Return the pair, the area and the best threshold, as far as these take no longer than a look."""
        if self.shape:
            return self._batch_table()
        rows: list[list[Any]] = [[name, _distribution_label(getattr(self, name))] for name in ("negative", "positive")]
        auc = self.auc() if is_auc_fast(self) else None
        rows += [] if auc is None else [["AUC", auc]]
        best: BestThreshold[Any] | None = self.best_threshold() if self._solver.is_fast else None
        if best is not None:
            rows += [["best threshold (Ameans)", best.threshold], ["Ameans there", best.ameans]]
        if self.direction:
            rows.append(["direction", f"{self.direction}{' (auto)' * self.auto_direction}"])
        if any(self.omitted):
            rows.append(["rows left out (negative, positive)", str(self.omitted)])
        if auc is None:
            note = ["So many rows take a while: ask auc() for the area, plot() for the curve."]
            return Table(self._title, ("quantity", "value"), rows, None, note, self._direction_flags)
        label = f"{self._title}, TPR against FPR, AUC {auc:.5g}"
        plot = CurvePlot(label, [_thumbnail_points(self)], None if best is None else (best.fpr, best.tpr))
        flags = self._direction_flags if best is None else best.flags
        return Table(self._title, ("quantity", "value"), rows, flags=flags, plot=plot)

    def _batch_table(self) -> Table:
        """Return the first features, without computing the others."""
        selected = slice(min(int(np.prod(self.shape)), MAX_ROWS))
        pair: tuple[Any, ...] = self._oriented_distributions
        moments = [[np.broadcast_to(part, self.shape).flat[selected] for part in (d.mean, d.std)] for d in pair]
        solver = solver_for(*(Gaussian(mean, std) for mean, std in moments))
        best, lower = solver.optimal(EVEN), np.broadcast_to(self._is_lower, self.shape).flat[selected]
        columns = {
            "AUC": solver.auc(),
            "best threshold (Ameans)": np.where(lower, np.negative(best.threshold), best.threshold) + 0.0,
            "Ameans there": np.asarray(best.tpr) / 2 + np.asarray(best.tnr) / 2,
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

    @property
    def _model_solver(self) -> Solver:
        """The solver of the models alone where both classes are shrunk to one, else the solver of the curve."""
        models = [d.model for d in self._oriented_distributions if isinstance(d, ShrinkageDistribution)]
        return solver_for(*models) if len(models) == 2 else self._solver

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
        """Return what an engine takes: for two Gaussians whatever fits the batch, else one number."""
        if values.ndim and not all(isinstance(d, Gaussian) for d in (self.negative, self.positive)):
            raise RocPredictError(f"{name}={short_repr(values.tolist())} has shape {values.shape}; give one number")
        _check_shapes(name, values.shape, "the batch of features", self.shape)
        return values

    def _orient(self, distribution: Any) -> Distribution:
        """Return the distribution of x, or of -x where positives lie lower: then the rule is x >= threshold again."""
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
        """Return -threshold where positives lie lower; with ``grid`` the last axis is that of many thresholds."""
        lower = self._is_lower[..., None] if grid and np.ndim(self._is_lower) else self._is_lower
        return np.where(lower, np.negative(threshold), threshold) + 0.0 if np.any(lower) else threshold

    def _sort_on_feature_scale(self, thresholds: FloatArray) -> FloatArray:
        """Return thresholds ascending on the last axis, of one feature without NaN."""
        thresholds = np.sort(self._to_feature_scale(thresholds, grid=True), axis=-1)
        return thresholds if thresholds.ndim > 1 else thresholds[~np.isnan(thresholds)]

    def _tail_on_grid(self, distribution: Any, thresholds: ArrayLike) -> FloatArray:
        wide = add_grid_axis(self._orient(distribution))
        thresholds = np.atleast_1d(self._to_solver_scale(thresholds, grid=True))
        if thresholds.ndim > 1 + len(self.shape):
            raise RocPredictError(f"thresholds has shape {thresholds.shape}; give (T,)")
        tails = np.asarray(wide.sf_inclusive(thresholds))
        return np.broadcast_to(tails, self.shape + tails.shape[-1:])

    def _thresholds(self, points: int) -> FloatArray:
        """Return thresholds spread over both classes, descending from +inf to -inf."""
        if (thresholds := self._solver.thresholds) is not None:
            return thresholds
        wide = [add_grid_axis(d) for d in self._oriented_distributions]
        shares = [ndtr(np.linspace(-6, 6, count)) for count in ((points - 1) // 2, (points - 2) // 2)]
        inner = [_quantiles_with_atoms(d, share) for d, share in zip(wide, shares, strict=True)]
        inner = [np.broadcast_to(i, (*self.shape, i.shape[-1])) for i in inner]
        corners = [np.full((*self.shape, 1), value) for value in (np.inf, -np.inf)]
        return -np.sort(-np.concatenate([*inner, *corners], axis=-1), axis=-1)


def _quantiles_with_atoms(distribution: Distribution, share: FloatArray) -> FloatArray:
    """Return quantiles; of an atom those in its upper half lie just above it, since the curve jumps there."""
    quantiles = np.asarray(distribution.isf(share))
    at = np.asarray(distribution.sf_inclusive(quantiles)) > distribution.sf(quantiles)
    return np.where(at & (share < 0.5), _next_float(quantiles), quantiles)


@np.errstate(under="ignore")
def _next_float(x: FloatArray) -> FloatArray:
    """Return the next float; beyond the largest lies infinity."""
    with np.errstate(over="ignore"):
        return np.asarray(np.nextafter(x, np.inf))


def _check_shapes(name: str, shape: tuple[int, ...], whole: str, whole_shape: tuple[int, ...]) -> None:
    try:
        np.broadcast_shapes(shape, whole_shape)
    except ValueError:
        raise RocPredictError(
            f"{name} has shape {shape} and {whole} {whole_shape}; give one for all, or one for each"
        ) from None


def check_count(count: Any, shape: tuple[int, ...]) -> tuple[ArrayOrFloat, ArrayOrFloat]:
    """Return the cases of both classes, one number for all features or one for each."""
    negatives, positives = (check_real("count", c) for c in check_pair("count", count))
    for cases in (negatives, positives):
        if not ((cases > 0) & (cases < np.inf)).all() or cases.shape not in {(), shape}:
            each = f", or an array of shape {shape} of them" if shape else ""
            raise RocPredictError(f"count={short_repr(count)} is not one number of cases above 0 for each class{each}")
    return to_scalar(negatives), to_scalar(positives)
