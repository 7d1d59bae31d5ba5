"""Methods common to all ROC curves; precision-recall and decision curves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, Self, TypeAlias, get_args, overload

import numpy as np
from numpy.typing import ArrayLike

from rocpredict.base.formatting import format_number
from rocpredict.base.rates import precision_from_rates
from rocpredict.base.results import Result
from rocpredict.base.tables import CurvePlot, thin_curve
from rocpredict.base.validation import (
    Correction,
    FloatArray,
    RocPredictError,
    Value,
    check_option,
    check_probabilities,
    readonly_array,
    short_repr,
    to_scalar,
)
from rocpredict.distributions.ecdf import is_discrete
from rocpredict.inference.placements import check_rate_range
from rocpredict.inference.uncertainty import apply_mcclish
from rocpredict.solvers.base import RocCurve, Solver
from rocpredict.solvers.quadrature import expectation
from rocpredict.solvers.thresholds import log_cost_ratio

DecisionRule: TypeAlias = Literal["best", "probability"]
#: What a decision curve calls positive at a threshold probability; the first is the default.
DECISION_RULES: tuple[DecisionRule, ...] = get_args(DecisionRule)
_PROBABILITIES = readonly_array(np.arange(1, 100) / 100)
_MAX_LOG_PRICE = 690.0  # of a false positive: doubles still hold its exponential


class CurveMethods(Generic[Value]):
    """Areas and rates of a curve, common to ``Roc`` and ``LikelihoodRatioRoc``."""

    _solver: Any
    _rate: Callable[[str, ArrayLike], FloatArray]
    _check_batch_argument: Callable[[str, FloatArray], FloatArray]

    def auc(self) -> Value:
        """Return the probability that a positive lies further to the positive side than a negative, ties half."""
        return to_scalar(self._solver.auc())

    def auc_complement(self) -> Value:
        """Return 1 - AUC, by itself: it keeps its digits when the AUC is all but 1."""
        return to_scalar(self._solver.auc_complement())

    def partial_auc(
        self,
        *,
        fpr: tuple[float, float] | None = None,
        tpr: tuple[float, float] | None = None,
        correction: Correction = None,
    ) -> Value:
        """Return the area in a band of the ROC plot.

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
        band = check_rate_range(fpr, tpr)
        limits = [self._check_batch_argument(band.axis, np.asarray(limit)) for limit in (band.low, band.high)]
        return apply_mcclish(self._solver.area(band.axis, *limits), band, correction)

    @overload
    def tpr_at_fpr(self: CurveMethods[float], fpr: float) -> float: ...
    @overload
    def tpr_at_fpr(self, fpr: ArrayLike) -> FloatArray: ...
    def tpr_at_fpr(self, fpr: ArrayLike) -> float | FloatArray:
        """Return the TPR at an FPR; where the curve is vertical, its top."""
        return to_scalar(self._solver.along("fpr", self._rate("fpr", fpr)))

    @overload
    def fpr_at_tpr(self: CurveMethods[float], tpr: float) -> float: ...
    @overload
    def fpr_at_tpr(self, tpr: ArrayLike) -> FloatArray: ...
    def fpr_at_tpr(self, tpr: ArrayLike) -> float | FloatArray:
        """Return the lowest FPR at which the curve reaches a TPR."""
        return to_scalar(self._solver.along("tpr", self._rate("tpr", tpr)))


@dataclass(frozen=True, eq=False, repr=False)
class PrecisionRecallCurve(Result):
    """Precision-recall curve, from recall 0 to recall 1.

    Attributes
    ----------
    thresholds : array of shape (T,)
        In the unit of the feature, from the end where nothing is positive to the end where all is, as in
        ``RocCurve``.
    recall : array of shape (T,)
        The TPR.
    precision : array of shape (T,)
        Share of positives among those called positive. At the first point nothing is, and precision is 0/0: a counted
        curve begins at 1 there, as scikit-learn's, a predicted one at the precision of the point next to it.
    prevalence : float
        The share of positives that the precision holds for; on average, also the precision of a guess.
    solver : Solver
        Solver of the two classes, reflected so that positives have larger values.
    """

    thresholds: FloatArray
    recall: FloatArray
    precision: FloatArray
    prevalence: float
    solver: Solver = field(repr=False, compare=False, metadata={"hidden": True})
    _heading = "Precision-recall curve for a prevalence of {prevalence:.4g}"
    _long = True

    @classmethod
    def from_curve(cls, curve: RocCurve, solver: Solver, prevalence: float) -> Self:
        """Return the precision-recall curve with the thresholds of a ROC curve."""
        precision = np.asarray(precision_from_rates(curve.tpr, curve.fpr, prevalence))
        nothing = np.isnan(precision)  # is called positive: at the first point, and above what a class can reach
        first = 1.0 if solver.is_discrete else precision[np.argmin(nothing)]
        return cls(curve.thresholds, curve.tpr, np.where(nothing, first, precision), prevalence, solver)

    def average_precision(self) -> float:
        """Return the mean precision over the positives, each taken at its own value as the threshold.

        Notes
        -----
        For samples the sum of (R_k - R_(k-1)) P_k over the points of the curve, without interpolation: scikit-learn's
        ``average_precision_score``. For densities the integral of precision over recall, by quadrature.
        """
        if self.solver.is_discrete:
            return float(np.diff(self.recall) @ self.precision[1:])
        negative, positive = self.solver.negative, self.solver.positive

        def precision(x: FloatArray) -> FloatArray:
            result = precision_from_rates(positive.sf_inclusive(x), negative.sf_inclusive(x), self.prevalence)
            return np.where(np.isnan(result), 1.0, result)  # beyond the last digit of both tails: no mass

        points, masses = positive.atoms()
        total = float(masses @ precision(points))
        return total if is_discrete(positive) else total + expectation(positive, precision, self.solver.panel_edges)

    def __len__(self) -> int:
        return len(self.recall)

    def _columns(self) -> dict[str, Any]:
        return {"threshold": self.thresholds, "recall": self.recall, "precision": self.precision}

    def _notes(self) -> list[str]:
        return [f"Average precision {format_number(self.average_precision())}."] if self.solver.is_fast else []

    def _plot(self) -> CurvePlot:
        label = f"Precision against recall for a prevalence of {self.prevalence:.4g}"
        return CurvePlot(label, [thin_curve(self.recall, self.precision)], show_diagonal=False)

    def __repr__(self) -> str:
        area = f", average_precision={self.average_precision():.6g}" if self.solver.is_fast else ""
        return f"PrecisionRecallCurve(n_points={len(self)}, prevalence={self.prevalence:.6g}{area})"


@dataclass(frozen=True, eq=False, repr=False)
class DecisionCurve(Result):
    """Net benefit of a rule at each threshold probability.

    Attributes
    ----------
    probabilities : array of shape (k,)
        At which treating is as good as not treating: a false positive costs p/(1 - p) of what a true positive gains.
    net_benefit : array of shape (k,)
        Of the rule: TPR prevalence - FPR (1 - prevalence) p/(1 - p), in true positives for each case.
    treat_all, treat_none : arrays of shape (k,)
        Of calling everyone positive, and nobody (0).
    thresholds : array of shape (k,)
        What the rule compares the feature with.
    tpr, fpr : arrays of shape (k,)
        Rates of the rule.
    prevalence : float
    rule : {"best", "probability"}
    """

    probabilities: FloatArray
    net_benefit: FloatArray
    treat_all: FloatArray
    treat_none: FloatArray
    thresholds: FloatArray
    tpr: FloatArray
    fpr: FloatArray
    prevalence: float
    rule: str
    _heading = "Decision curve for a prevalence of {prevalence:.4g}, rule {rule!r}"
    _long = True

    @classmethod
    def from_solver(
        cls,
        solver: Solver,
        to_feature_scale: Callable[..., Any],
        prevalence: float,
        probabilities: ArrayLike | None,
        rule: str,
    ) -> Self:
        """Return the decision curve of the rule "positive when x >= threshold"."""
        check_option("rule", rule, DECISION_RULES)
        values = _PROBABILITIES if probabilities is None else probabilities
        p = readonly_array(check_probabilities("probabilities", values, inclusive=False))
        if p.ndim != 1 or not p.size:
            raise RocPredictError(f"probabilities has shape {p.shape}; give shape (k,), with k of 1 or more")
        if rule == "best":
            best = solver.optimal(np.minimum(log_cost_ratio(prevalence, p, 1 - p), _MAX_LOG_PRICE))
            thresholds, tpr, fpr = best.threshold, best.tpr, best.fpr
        else:  # x >= p, for a feature that is a probability
            negative, positive = solver.negative, solver.positive
            if any(np.any(d.cdf_strict(0.0) > 0) or np.any(d.sf(1.0) > 0) for d in (negative, positive)):
                problem = "rule='probability' compares x itself with p; x has values outside [0, 1]"
                raise RocPredictError(f"{problem}: see rule='best'")
            thresholds, tpr, fpr = p, np.asarray(positive.sf_inclusive(p)), np.asarray(negative.sf_inclusive(p))
        price = (1 - prevalence) * p / (1 - p)
        return cls(
            probabilities=p,
            net_benefit=prevalence * tpr - price * fpr,
            treat_all=prevalence - price,
            treat_none=np.zeros(p.shape),
            thresholds=np.asarray(to_feature_scale(thresholds, grid=True)),
            tpr=tpr,
            fpr=fpr,
            prevalence=prevalence,
            rule=rule,
        )

    def __len__(self) -> int:
        return len(self.probabilities)

    def _plot(self) -> CurvePlot:
        lines = [(self.probabilities, part / self.prevalence) for part in (self.net_benefit, self.treat_all)]
        label = "Share of the greatest net benefit against probability; dashed: treating all"
        return CurvePlot(label, lines, show_diagonal=False)

    def __repr__(self) -> str:
        limits = f"{self.probabilities.min():g} to {self.probabilities.max():g}"
        return f"DecisionCurve(probabilities={limits}, prevalence={self.prevalence:.6g}, rule={self.rule!r})"


def resolve_prevalence(
    quantity: str, prevalence: ArrayLike | None, empirical: ArrayLike | None, shape: tuple[int, ...]
) -> float:
    """Return the prevalence asked for, or that of the class counts; refuse a batch, and what is not known."""
    if shape:
        raise RocPredictError(f"{quantity} is for one feature; this ROC is a batch of shape {shape}")
    if prevalence is None and empirical is None:
        raise RocPredictError(f"{quantity} needs the share of positives; give prevalence= (0 to 1) or class counts")
    unchecked: Any = empirical if prevalence is None else prevalence
    share = check_probabilities("prevalence", unchecked, inclusive=False)
    if share.ndim:
        raise RocPredictError(f"prevalence={short_repr(prevalence)} has shape {share.shape}; give one number")
    return float(share)


def check_one_or_each(name: str, value: Any, shape: tuple[int, ...]) -> None:
    """Refuse what is neither one number nor an array of the shape of a batch."""
    if np.shape(value) not in {(), shape}:
        allowed = f"one number, or an array of shape {shape}" if shape else "one number"
        numbers = short_repr(np.asarray(value).tolist())
        raise RocPredictError(f"{name}={numbers} has shape {np.shape(value)}; give {allowed}")
