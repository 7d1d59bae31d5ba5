"""The questions that a predicted and an empirical ROC curve share."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from rocpredict import steps
from rocpredict.answers import Hook
from rocpredict.arguments import FloatArray, Values, as_fractions, as_pair, as_reals, as_whole, one_of, plain, shown
from rocpredict.curve import RocCurve
from rocpredict.distributions import (
    Distribution,
    Ecdf,
    Gaussian,
    Shrunk,
    as_distribution,
    as_steps,
    is_frozen_scipy,
    with_grid_axis,
)
from rocpredict.engines import engine_for
from rocpredict.errors import RocPredictError
from rocpredict.flags import Flags
from rocpredict.measures import Cells, Measure, Rates
from rocpredict.rich_results import Rich, Shown
from rocpredict.roc_page import page_of
from rocpredict.thresholds import UNWEIGHTED, BestThreshold, Target, find_best, log_price, value_of
from rocpredict.uncertainty import ChoiceUncertainty, Uncertain, corrected

if TYPE_CHECKING:
    from rocpredict.grey_zone import GreyZone
    from rocpredict.proper import ProperRoc
    from rocpredict.views import DecisionCurve, PrecisionRecallCurve

_DIRECTIONS = (None, "higher", "lower", "auto")


@dataclass(frozen=True, eq=False, repr=False)
class Roc(Uncertain, Rich):
    """Answer every question about the ROC curve of two class distributions.

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

    negative: Any
    positive: Any
    _: KW_ONLY
    direction: Any = None
    count: tuple[Values, Values] | None = None
    omitted: tuple[int, int] = (0, 0)
    auto_direction: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        pair = {name: as_distribution(name, getattr(self, name)) for name in ("negative", "positive")}
        try:
            shape = np.broadcast_shapes(*(d.shape for d in pair.values()))
        except ValueError:
            shapes = ", ".join(f"{name} {d.shape}" for name, d in pair.items())
            raise RocPredictError(f"batches of different shapes: {shapes}") from None
        engine_for(**pair)  # refuses a batch that it could not answer
        for name, distribution in pair.items():
            object.__setattr__(self, name, _spread(distribution, shape))
        one_of("direction", self.direction, _DIRECTIONS)
        if self.count is not None:
            object.__setattr__(self, "count", _checked_count(self.count, self.shape))
        if self.direction == "auto":
            auc = np.asarray(self._engine.auc(*self._pair))
            object.__setattr__(self, "direction", plain(np.where(auc < 0.5, "lower", "higher")))
            object.__setattr__(self, "auto_direction", True)
            for name in ("_pair", "_engine"):  # which were those of the rule x >= threshold
                del self.__dict__[name]

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape F of the batch of features; ``()`` for one feature."""
        return np.broadcast_shapes(self.negative.shape, self.positive.shape)

    @property
    def prevalence(self) -> Values:
        """The share of positives among the counted cases; None when nobody counted."""
        return None if self.count is None else self.count[1] / (self.count[0] + self.count[1])

    # ---- rates at a threshold
    def tpr(self, threshold: ArrayLike) -> Values:
        """Give the true positive rate at a threshold.

        Parameters
        ----------
        threshold : float or array
            One for all features, or of shape F one for each; with a single feature of any shape.
        """
        return self._oriented(self.positive).at_or_above(self._turned(threshold))

    def fpr(self, threshold: ArrayLike) -> Values:
        """Give the false positive rate at a threshold: among negatives, not among all."""
        return self._oriented(self.negative).at_or_above(self._turned(threshold))

    def tnr(self, threshold: ArrayLike) -> Values:
        """Give the true negative rate at a threshold."""
        return self._oriented(self.negative).below(self._turned(threshold))

    def fnr(self, threshold: ArrayLike) -> Values:
        """Give the false negative rate at a threshold."""
        return self._oriented(self.positive).below(self._turned(threshold))

    def tpr_grid(self, thresholds: ArrayLike) -> FloatArray:
        """Give the TPR of every feature at a common grid of thresholds (T,): shape F + (T,)."""
        return self._grid(self.positive, thresholds)

    def fpr_grid(self, thresholds: ArrayLike) -> FloatArray:
        """Give the FPR of every feature at a common grid of thresholds (T,): shape F + (T,)."""
        return self._grid(self.negative, thresholds)

    def rates(self, threshold: ArrayLike, *, prevalence: ArrayLike | None = None) -> Rates:
        """Give every measure at a threshold.

        Parameters
        ----------
        threshold : float or array
            As in ``tpr``.
        prevalence : float or array, optional
            Share of positives where the rule will be used. Left out: that of the class counts, if known.
        """
        tpr, fpr, tnr, fnr = (question(threshold) for question in (self.tpr, self.fpr, self.tnr, self.fnr))
        if prevalence is not None:
            share = as_fractions("prevalence", prevalence)
            _check_shapes("prevalence", share.shape, "the rates", np.shape(tpr))
            return Rates(tpr, fpr, tnr, fnr, plain(share))
        if self.count is None:
            return Rates(tpr, fpr, tnr, fnr)
        negatives, positives = self.count
        cells = (np.multiply(positives, tpr), np.multiply(negatives, fpr))
        others = (np.multiply(positives, fnr), np.multiply(negatives, tnr))
        return Rates(tpr, fpr, tnr, fnr, self.prevalence, Cells(*cells, *others))

    # ---- areas
    def auc(self) -> Values:
        """Give the probability that a positive lies further to the positive side than a negative, ties half."""
        return plain(self._engine.auc(*self._pair))

    def auc_complement(self) -> Values:
        """Give 1 - AUC, by itself: it keeps its digits when the AUC is all but 1."""
        return plain(self._engine.auc_complement(*self._pair))

    def log_auc_complement(self) -> Values:
        """Give the logarithm of 1 - AUC; for two Gaussians it does not underflow."""
        return plain(self._engine.log_auc_complement(*self._pair))

    def partial_auc(
        self,
        *,
        fpr: tuple[float, float] | None = None,
        tpr: tuple[float, float] | None = None,
        correction: str | None = None,
    ) -> Values:
        """Give the area in a band of the ROC plot.

        Parameters
        ----------
        fpr : (low, high), optional
            The area under the curve between two FPRs: the integral of TPR.
        tpr : (low, high), optional
            The area to the right of the curve between two TPRs: the integral of 1 - FPR.
        correction : {None, "mcclish"}
            "mcclish" puts the area on the scale on which chance is 1/2 and perfection 1 (McClish 1989).
            Below 1/2 (even below 0) the curve is worse than chance in this band; nothing is clipped.

        Raises
        ------
        RocPredictError
            Neither or both of ``fpr`` and ``tpr``, or a band that is empty or outside [0, 1].
        """
        band = self._band(fpr, tpr)
        area = getattr(self._engine, f"partial_auc_{band.axis}")
        return corrected(area(*self._pair, np.asarray(band.low), np.asarray(band.high)), band, correction)

    # ---- along the curve
    def tpr_at_fpr(self, fpr: ArrayLike) -> Values:
        """Give the TPR at an FPR; where the curve is vertical, its top."""
        return plain(self._engine.tpr_at_fpr(*self._pair, self._rate("fpr", fpr)))

    def fpr_at_tpr(self, tpr: ArrayLike) -> Values:
        """Give the lowest FPR at which the curve reaches a TPR."""
        return plain(self._engine.fpr_at_tpr(*self._pair, self._rate("tpr", tpr)))

    def threshold_at_fpr(self, fpr: ArrayLike) -> Values:
        """Give the threshold with the highest TPR among those with no more than this FPR."""
        return self._turned_back(self._engine.threshold_at_fpr(*self._pair, self._rate("fpr", fpr)))

    def threshold_at_tpr(self, tpr: ArrayLike) -> Values:
        """Give the threshold with the lowest FPR among those with no less than this TPR."""
        return self._turned_back(self._engine.threshold_at_tpr(*self._pair, self._rate("tpr", tpr)))

    def slope(self, fpr: ArrayLike) -> Values:
        """Give the slope of the curve at an FPR: the likelihood ratio at its threshold."""
        return plain(self._engine.slope(*self._pair, self._rate("fpr", fpr)))

    def hook(self) -> Hook:
        """Give the part of the curve that lies below the chance line."""
        return Hook(*(plain(part) for part in self._engine.hook(*self._pair)))

    def curve(self, points: int = 513) -> RocCurve:
        """Give the curve as a table, from (0, 0) to (1, 1).

        Parameters
        ----------
        points : int
            How many thresholds, spread over both classes; a step function has its own and ignores this.
        """
        if as_whole("points", points) < 2:
            raise RocPredictError(f"points={points!r} is too few; the curve has at least its two ends")
        thresholds = self._thresholds(points)
        negative, positive = (with_grid_axis(d) for d in self._pair)
        fpr, tpr = (np.asarray(d.at_or_above(thresholds)) for d in (negative, positive))
        fpr[..., 0] = tpr[..., 0] = 0.0  # at infinity: also when a value is infinite
        return RocCurve(self._turned_back(thresholds, grid=True), fpr, tpr)

    def precision_recall_curve(self, *, prevalence: ArrayLike | None = None, points: int = 513) -> PrecisionRecallCurve:
        """Give the precision-recall curve of one feature.

        Parameters
        ----------
        prevalence : float, optional
            Share of positives where the rule will be used, inside (0, 1). Left out: that of the class counts.
        points : int
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
        PrecisionRecallCurve(points=6, prevalence=0.571429, average_precision=0.854167)
        """
        from rocpredict.views import precision_recall, share_of_positives

        share = share_of_positives("precision_recall_curve", prevalence, self.prevalence, self.shape)
        return precision_recall(self.curve(points), self._pair, share)

    def decision_curve(
        self,
        *,
        prevalence: ArrayLike | None = None,
        probabilities: ArrayLike | None = None,
        rule: str = "best",
    ) -> DecisionCurve:
        """Give the net benefit of one feature at each threshold probability (Vickers and Elkin 2006).

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
        from rocpredict.views import decision, share_of_positives

        share = share_of_positives("decision_curve", prevalence, self.prevalence, self.shape)
        if rule == "probability" and np.any(self._lower):
            raise RocPredictError(
                "rule='probability' takes x as the probability of being positive; direction is 'lower'"
            )
        return decision(self._pair, self._turned_back, share, probabilities, rule)

    # ---- thresholds
    def best_threshold(
        self,
        criterion: str | Measure = "ameans",
        *,
        prevalence: ArrayLike | None = None,
        cost_fp: ArrayLike = 1.0,
        cost_fn: ArrayLike = 1.0,
        beta: float | None = None,
        value: ArrayLike | None = None,
    ) -> BestThreshold:
        """Give the best threshold for a criterion.

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
        given = {"prevalence": prevalence, "cost_fp": cost_fp, "cost_fn": cost_fn, "beta": beta, "value": value}
        for name, number in given.items():
            if number is not None:
                self._fitting(name, as_reals(name, number))
        if prevalence is not None and criterion in UNWEIGHTED:
            raise RocPredictError(f"criterion={criterion!r} takes no prevalence; see 'accuracy', 'cost' and 'f1'")
        if prevalence is None:
            prevalence = self.prevalence
        target = Target(
            criterion=criterion, prevalence=prevalence, cost_fp=cost_fp, cost_fn=cost_fn, beta=beta, value=value
        )
        found = find_best(*self._pair, target)
        ends = self._turned_back(found.low), self._turned_back(found.high)
        crossings = self._turned_back(found.crossings, grid=True)
        crossings = np.sort(crossings, axis=-1)
        return BestThreshold(
            threshold=self._turned_back(found.threshold),
            tpr=plain(found.tpr),
            fpr=plain(found.fpr),
            tnr=plain(found.tnr),
            fnr=plain(found.fnr),
            criterion=criterion if isinstance(criterion, str) else getattr(criterion, "__name__", "function"),
            value=value_of(target, Rates(found.tpr, found.fpr, found.tnr, found.fnr, prevalence)),
            crossings=crossings if crossings.ndim > 1 else crossings[~np.isnan(crossings)],
            plateau=(plain(np.minimum(*ends)), plain(np.maximum(*ends))),
            flags=found.flags | self._own_flags,
            uncertainty=ChoiceUncertainty(self._behind, target, self._turned_back),
        )

    def crossings(
        self, *, prevalence: ArrayLike = 0.5, cost_fp: ArrayLike = 1.0, cost_fn: ArrayLike = 1.0
    ) -> FloatArray:
        """Give all thresholds where the densities, weighted by prevalence and costs, are equal.

        Returns
        -------
        array of shape (k,), or F + (2,) for a batch
            Ascending; in a batch NaN where there are fewer than two. Empty for step functions.
        """
        for name, number in {"prevalence": prevalence, "cost_fp": cost_fp, "cost_fn": cost_fn}.items():
            self._fitting(name, as_reals(name, number))
        found = self._engine.crossings(*self._pair, log_price(prevalence, cost_fp, cost_fn))
        found = np.sort(self._turned_back(found, grid=True), axis=-1)
        return found if found.ndim > 1 else found[~np.isnan(found)]

    def proper(self) -> ProperRoc:
        """Give the ROC of the likelihood-ratio rule, the best rule of all that use this feature.

        A shrunk estimate (family "auto" or "blend") answers by its model alone, as it was fitted: between rows and
        densities there is no likelihood ratio.
        """
        from rocpredict.proper import ProperRoc

        negative, positive = (d.model if isinstance(d, Shrunk) else d for d in self._modelled)
        return ProperRoc(engine_for(negative, positive), (negative, positive), self._turned_back)

    def grey_zone(
        self,
        *,
        max_fnr: ArrayLike | None = None,
        max_fpr: ArrayLike | None = None,
        min_npv: ArrayLike | None = None,
        min_ppv: ArrayLike | None = None,
        prevalence: ArrayLike | None = None,
    ) -> GreyZone:
        """Give two thresholds that rule out below, rule in above, and leave the cases between them undecided.

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
        meets both demands and ``single`` says so: it is the one of the overlap with the highest Ameans.

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
        from rocpredict.grey_zone import Demands, find_grey_zone

        demands = Demands(
            max_fnr=max_fnr,
            max_fpr=max_fpr,
            min_npv=min_npv,
            min_ppv=min_ppv,
            prevalence=self.prevalence if prevalence is None else prevalence,
        )
        return find_grey_zone(self._pair, demands, self._lower, self._turned_back)

    def plot(self, kind: str = "roc", *, ax: Any = None, **options: Any) -> Any:
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
        from rocpredict import _show

        return _show.plot(self, kind, ax=ax, **options)

    # ---- what lies behind
    @property
    def _remarks(self) -> str:
        """Give what a repr adds where it is not the usual: the direction, and how many rows were left out."""
        side = f", direction={self.direction!r}" if self.direction is not None else ""
        side += " (auto)" if self.auto_direction else ""
        return side + (f", omitted={self.omitted}" if any(self.omitted) else "")

    def _shown(self) -> Shown:
        return page_of(self)

    @property
    def _title(self) -> str:
        return "Predicted ROC curve"

    @cached_property
    def _engine(self) -> Any:
        return engine_for(*self._pair)

    @property
    def _lower(self) -> Any:
        return np.equal(self.direction, "lower") if self.direction is not None else np.False_

    @property
    def _modelled(self) -> tuple[Distribution, Distribution]:
        """Both classes of the rule x >= threshold, shrunk ones as such where they are all sample."""
        shrunk = isinstance(self.negative, Shrunk) and isinstance(self.positive, Shrunk)
        return (self._oriented(self.negative), self._oriented(self.positive)) if shrunk else self._pair

    @cached_property
    def _pair(self) -> tuple[Distribution, Distribution]:
        pair = self._oriented(self.negative), self._oriented(self.positive)
        return pair if all(isinstance(d, Gaussian) for d in pair) else as_steps(*pair)

    @property
    def _own_flags(self) -> Flags:
        return Flags(auto_direction=np.full(self.shape, self.auto_direction))

    def _rate(self, name: str, rate: ArrayLike) -> FloatArray:
        rate = as_fractions(name, rate)
        _check_shapes(name, rate.shape, "the batch of features", self.shape)
        return rate

    def _fitting(self, name: str, values: FloatArray) -> FloatArray:
        """Return what an engine takes: for two Gaussians whatever fits the batch, else one number."""
        if values.ndim and not all(isinstance(d, Gaussian) for d in (self.negative, self.positive)):
            raise RocPredictError(f"{name}={shown(values.tolist())} has shape {values.shape}; give one number")
        _check_shapes(name, values.shape, "the batch of features", self.shape)
        return values

    def _oriented(self, distribution: Any) -> Distribution:
        """Give the distribution of x, or of -x where positives lie lower: then the rule is x >= threshold again."""
        if not np.any(self._lower):
            return distribution  # type: ignore[no-any-return]
        if isinstance(distribution, Gaussian):
            return distribution.reflect(where=self._lower)
        return distribution.reflect()  # type: ignore[no-any-return]

    def _turned(self, threshold: ArrayLike, *, grid: bool = False) -> FloatArray:
        threshold = as_reals("threshold", threshold)
        if not grid:
            _check_shapes("threshold", threshold.shape, "the batch of features", self.shape)
        lower = self._lower[..., None] if grid and np.ndim(self._lower) else self._lower
        if not np.any(lower):
            return threshold
        return np.where(lower, -threshold, threshold) + 0.0

    def _turned_back(self, threshold: FloatArray, *, grid: bool = False) -> Values:
        lower = self._lower[..., None] if grid and np.ndim(self._lower) else self._lower
        if not np.any(lower):
            return plain(threshold)
        return plain(np.where(lower, np.negative(threshold), threshold) + 0.0)

    def _grid(self, distribution: Any, thresholds: ArrayLike) -> FloatArray:
        wide = with_grid_axis(self._oriented(distribution))
        thresholds = np.atleast_1d(self._turned(thresholds, grid=True))
        heights = np.asarray(wide.at_or_above(thresholds))
        return np.broadcast_to(heights, self.shape + heights.shape[-1:])

    def _thresholds(self, points: int) -> FloatArray:
        """Give thresholds spread over both classes, descending from +inf to -inf."""
        if self._engine is steps:
            return steps.vertices(*self._pair).thresholds  # type: ignore[arg-type]
        wide = [with_grid_axis(d) for d in self._pair]
        shares = [ndtr(np.linspace(-6, 6, count)) for count in ((points - 1) // 2, (points - 2) // 2)]
        inner = [_around_atoms(d, share) for d, share in zip(wide, shares, strict=True)]
        inner = [np.broadcast_to(i, (*self.shape, i.shape[-1])) for i in inner]
        ends = [np.full((*self.shape, 1), end) for end in (np.inf, -np.inf)]
        if isinstance(self.negative, Shrunk):  # whose curve turns at every row
            rows = np.concatenate([d.atoms().points for d in self._pair])
            inner += [rows, _just_above(rows)]
        return -np.sort(-np.concatenate([*inner, *ends], axis=-1), axis=-1)


def _around_atoms(distribution: Distribution, share: FloatArray) -> FloatArray:
    """Give quantiles; of an atom those in its upper half lie just above it, since the curve jumps there."""
    quantiles = np.asarray(distribution.isf(share))
    at = np.asarray(distribution.at_or_above(quantiles)) > distribution.sf(quantiles)
    return np.where(at & (share < 0.5), _just_above(quantiles), quantiles)


def _just_above(x: FloatArray) -> FloatArray:
    """Give the next float; beyond the largest lies infinity."""
    with np.errstate(over="ignore"):
        return np.asarray(np.nextafter(x, np.inf))


def as_sample(name: str, sample: Any) -> Ecdf:
    """Return an empirical distribution as it is, and a sample as one."""
    if isinstance(sample, Ecdf):
        return sample
    if isinstance(sample, Distribution) or is_frozen_scipy(sample):
        raise RocPredictError(
            f"{name}={shown(sample)} is no sample; an empirical ROC needs values, a predicted one takes this"
        )
    try:
        return Ecdf(sample)
    except RocPredictError as error:
        raise RocPredictError(f"{name}: {error}") from None


def _spread(distribution: Distribution, shape: tuple[int, ...]) -> Distribution:
    """Give a Gaussian the shape of the whole batch, so that every answer has it."""
    if isinstance(distribution, Gaussian) and distribution.shape != shape:
        return Gaussian(np.broadcast_to(distribution.mean, shape), distribution.std)
    return distribution


def _check_shapes(name: str, shape: tuple[int, ...], whole: str, of_whole: tuple[int, ...]) -> None:
    try:
        np.broadcast_shapes(shape, of_whole)
    except ValueError:
        raise RocPredictError(
            f"{name} has shape {shape} and {whole} {of_whole}; give one for all, or one for each"
        ) from None


def _checked_count(count: Any, shape: tuple[int, ...]) -> tuple[Values, Values]:
    negatives, positives = (as_reals("count", c) for c in as_pair("count", count))
    for cases in (negatives, positives):
        if not ((cases > 0) & (cases < np.inf)).all() or cases.shape not in {(), shape}:
            each = f", or an array of shape {shape} of them" if shape else ""
            raise RocPredictError(f"count={shown(count)} is not one number of cases above 0 for each class{each}")
    return plain(negatives), plain(positives)
