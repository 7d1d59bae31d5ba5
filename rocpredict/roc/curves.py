"""Methods shared by all ROC curves, and classes for precision-recall and decision curves."""

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
    check_probability,
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
#: Names of the rules for which a decision curve can be computed; the first is the default.
DECISION_RULES: tuple[DecisionRule, ...] = get_args(DecisionRule)
_PROBABILITIES = readonly_array(np.arange(1, 100) / 100)
#: Upper limit of the log cost ratio of a decision curve; the ratio itself is then finite in float64.
_MAX_LOG_PRICE = 690.0


class CurveMethods(Generic[Value]):
    """Area and rate methods that are shared by ``Roc`` and ``LikelihoodRatioRoc``."""

    _solver: Any
    _rate: Callable[[str, ArrayLike], FloatArray]
    _check_batch_argument: Callable[[str, FloatArray], FloatArray]

    def auc(self) -> Value:
        """Return the area under the ROC curve (AUC).

        Returns
        -------
        float or array of shape F
            Probability that a random positive has a larger value than a random negative. For direction "lower", the
            probability that the positive has the smaller value. Ties count one half.

        See Also
        --------
        auc_complement : 1 - AUC, computed accurately even when the AUC is close to 1.
        partial_auc : area between two FPRs or two TPRs.

        Examples
        --------
        >>> from rocpredict import Gaussian, PredictedRoc
        >>> round(PredictedRoc(negative=Gaussian(4, 3), positive=Gaussian(8, 2)).auc(), 4)
        0.8664
        """
        return to_scalar(self._solver.auc())

    def auc_complement(self) -> Value:
        """Return 1 - AUC, computed accurately even when the AUC is close to 1.

        Returns
        -------
        float or array of shape F

        Examples
        --------
        >>> from rocpredict import Gaussian, PredictedRoc
        >>> roc = PredictedRoc(negative=Gaussian(0, 1), positive=Gaussian(20, 1))
        >>> roc.auc(), f"{roc.auc_complement():.3g}"
        (1.0, '1.04e-45')
        """
        return to_scalar(self._solver.auc_complement())

    def partial_auc(
        self,
        *,
        fpr: tuple[float, float] | None = None,
        tpr: tuple[float, float] | None = None,
        correction: Correction = None,
    ) -> Value:
        """Return the partial area under the curve between two FPRs or two TPRs.

        Parameters
        ----------
        fpr : (low, high), optional
            Range of FPRs. The result is the area under the curve in this range, which is the integral of TPR over FPR.
        tpr : (low, high), optional
            Range of TPRs, in place of ``fpr``. The result is the area to the right of the curve in this range, which is
            the integral of 1 - FPR over TPR.
        correction : {None, "mcclish"}, default=None
            Scale of the result:

            * None: the partial area itself.
            * "mcclish": the partial area, rescaled so that it is 1/2 for the chance line and 1 for a perfect curve
              [1]_. A value below 1/2 (possibly below 0) indicates that the curve is worse than chance in this range.

        Returns
        -------
        float or array of shape F

        Raises
        ------
        RocPredictError
            If both ``fpr`` and ``tpr`` are passed, if neither is passed, or if a range is empty or not within [0, 1].

        References
        ----------
        .. [1] D. K. McClish (1989), Analyzing a portion of the ROC curve, Medical Decision Making 9, 190-195.

        Examples
        --------
        >>> from rocpredict import Gaussian, PredictedRoc
        >>> roc = PredictedRoc(negative=Gaussian(4, 3), positive=Gaussian(8, 2))
        >>> round(roc.partial_auc(fpr=(0, 0.1)), 4)
        0.03
        >>> round(roc.partial_auc(fpr=(0, 0.1), correction="mcclish"), 4)
        0.6318
        """
        band = check_rate_range(fpr, tpr)
        limits = [self._check_batch_argument(band.axis, np.asarray(limit)) for limit in (band.low, band.high)]
        return apply_mcclish(self._solver.area(band.axis, *limits), band, correction)

    @overload
    def tpr_at_fpr(self: CurveMethods[float], fpr: float) -> float: ...
    @overload
    def tpr_at_fpr(self, fpr: ArrayLike) -> FloatArray: ...
    def tpr_at_fpr(self, fpr: ArrayLike) -> float | FloatArray:
        """Return the TPR of the curve at an FPR.

        Parameters
        ----------
        fpr : float or array-like
            False positive rate, in [0, 1]. For one feature, pass a number or an array of any shape. For a batch of
            shape F, pass a number or an array of shape F.

        Returns
        -------
        float or array
            Highest TPR of the curve at this FPR. The result has the shape of ``fpr`` for one feature, and shape F for a
            batch of features.

        Raises
        ------
        RocPredictError
            If ``fpr`` is outside [0, 1].

        Examples
        --------
        >>> from rocpredict import Gaussian, PredictedRoc
        >>> PredictedRoc(negative=Gaussian(4, 3), positive=Gaussian(8, 2)).tpr_at_fpr([0.05, 0.1, 0.2]).round(3)
        array([0.32 , 0.531, 0.77 ])
        """
        return to_scalar(self._solver.along("fpr", self._rate("fpr", fpr)))

    @overload
    def fpr_at_tpr(self: CurveMethods[float], tpr: float) -> float: ...
    @overload
    def fpr_at_tpr(self, tpr: ArrayLike) -> FloatArray: ...
    def fpr_at_tpr(self, tpr: ArrayLike) -> float | FloatArray:
        """Return the lowest FPR at which the curve reaches a TPR.

        Parameters
        ----------
        tpr : float or array-like
            True positive rate, in [0, 1]. For one feature, pass a number or an array of any shape. For a batch of shape
            F, pass a number or an array of shape F.

        Returns
        -------
        float or array
            False positive rates. The result has the shape of ``tpr`` for one feature, and shape F for a batch of
            features.

        Raises
        ------
        RocPredictError
            If ``tpr`` is outside [0, 1].

        Examples
        --------
        >>> from rocpredict import Gaussian, PredictedRoc
        >>> round(PredictedRoc(negative=Gaussian(4, 3), positive=Gaussian(8, 2)).fpr_at_tpr(0.9), 4)
        0.316
        """
        return to_scalar(self._solver.along("tpr", self._rate("tpr", tpr)))


@dataclass(frozen=True, eq=False, repr=False)
class PrecisionRecallCurve(Result):
    """Precision-recall curve, from recall 0 to recall 1.

    Attributes
    ----------
    thresholds : array of shape (T,)
        Thresholds in the unit of the feature, ordered as in ``RocCurve``. At the first threshold, no observation is
        classified as positive; at the last threshold, all observations are.
    recall : array of shape (T,)
        True positive rates.
    precision : array of shape (T,)
        Proportion of positives among the observations classified as positive. At the first point, no observation is
        classified as positive, so the precision is undefined (0/0). The first precision of an empirical curve is set to
        1, as in scikit-learn; the first precision of a predicted curve is set to the precision of the second point.
    prevalence : float
        Prevalence (proportion of positives) for which the precision is computed. It is also the expected precision of
        random guessing.
    solver : Solver
        Solver that computes rates and areas from the two class distributions. For direction "lower", it contains the
        distributions of -x.
    """

    thresholds: FloatArray
    recall: FloatArray
    precision: FloatArray
    prevalence: float
    solver: Solver = field(repr=False, compare=False, metadata={"hidden": True})
    _heading = "Precision-recall curve for a prevalence of {prevalence:.4g}"
    _long = True

    @classmethod
    def _from_curve(cls, curve: RocCurve, solver: Solver, prevalence: float) -> Self:
        """Return the precision-recall curve at the thresholds of a ROC curve."""
        precision = np.asarray(precision_from_rates(curve.tpr, curve.fpr, prevalence))
        is_undefined = np.isnan(precision)  # no observation is classified as positive
        first = 1.0 if solver.is_discrete else precision[np.argmin(is_undefined)]
        return cls(curve.thresholds, curve.tpr, np.where(is_undefined, first, precision), prevalence, solver)

    def average_precision(self) -> float:
        """Return the average precision, the area under the precision-recall curve.

        Returns
        -------
        float

        Notes
        -----
        For samples, the average precision is the sum of (R_k - R_(k-1)) * P_k over the points k of the curve, where
        R_k is the recall and P_k is the precision at point k. As in scikit-learn's ``average_precision_score``, the
        curve is not interpolated. For densities, the average precision is the integral of precision over recall,
        computed by quadrature.

        Examples
        --------
        >>> from rocpredict import EmpiricalRoc
        >>> curve = EmpiricalRoc(negative=[1, 2, 3], positive=[2, 3, 4, 5]).precision_recall_curve()
        >>> round(curve.average_precision(), 4)
        0.8542
        """
        if self.solver.is_discrete:
            return float(np.diff(self.recall) @ self.precision[1:])
        negative, positive = self.solver.negative, self.solver.positive

        def precision(x: FloatArray) -> FloatArray:
            result = precision_from_rates(positive.sf_inclusive(x), negative.sf_inclusive(x), self.prevalence)
            return np.where(np.isnan(result), 1.0, result)  # NaN only where both tails are 0 in float64

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
        label = f"Precision against recall, prevalence {self.prevalence:.4g}"
        return CurvePlot(label, [thin_curve(self.recall, self.precision)], show_diagonal=False)

    def __repr__(self) -> str:
        area = f", average_precision={self.average_precision():.6g}" if self.solver.is_fast else ""
        return f"PrecisionRecallCurve({len(self)} points, prevalence={self.prevalence:.6g}{area})"


@dataclass(frozen=True, eq=False, repr=False)
class DecisionCurve(Result):
    """Net benefit of a rule at each threshold probability.

    Attributes
    ----------
    probabilities : array of shape (k,)
        Threshold probabilities. At threshold probability p, the cost of a false positive is p/(1 - p) times the benefit
        of a true positive.
    net_benefit : array of shape (k,)
        Net benefit of the rule, in true positives per observation:
        TPR * prevalence - FPR * (1 - prevalence) * p/(1 - p).
    treat_all, treat_none : array of shape (k,)
        Net benefit of classifying all observations as positive, and of classifying none as positive (always 0).
    thresholds : array of shape (k,)
        Threshold of the rule at each p, in the unit of the feature.
    tpr, fpr : array of shape (k,)
        TPR and FPR of the rule at each p.
    prevalence : float
        Prevalence (proportion of positives) for which the net benefit is computed.
    rule : {"best", "probability"}
        Decision rule; see ``Roc.decision_curve``.
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
    def _from_solver(
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
            raise RocPredictError(f"probabilities has shape {p.shape}; pass an array of shape (k,) with k >= 1")
        if rule == "best":
            best = solver.optimal(np.minimum(log_cost_ratio(prevalence, p, 1 - p), _MAX_LOG_PRICE))
            thresholds, tpr, fpr = best.threshold, best.tpr, best.fpr
        else:  # positive when x >= p, where x is a predicted probability
            negative, positive = solver.negative, solver.positive
            if any(np.any(d.cdf_strict(0.0) > 0) or np.any(d.sf(1.0) > 0) for d in (negative, positive)):
                problem = "rule='probability' needs probabilities as feature values, but some values are outside [0, 1]"
                raise RocPredictError(f"{problem}; use rule='best'")
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
        with np.errstate(over="ignore"):
            lines = [(self.probabilities, part / self.prevalence) for part in (self.net_benefit, self.treat_all)]
        label = "Net benefit as a fraction of its maximum, against threshold probability; dashed: treat all"
        return CurvePlot(label, lines, show_diagonal=False)

    def __repr__(self) -> str:
        limits = f"{self.probabilities.min():g} to {self.probabilities.max():g}"
        return f"DecisionCurve(probabilities={limits}, prevalence={self.prevalence:.6g}, rule={self.rule!r})"


def resolve_prevalence(
    quantity: str, prevalence: ArrayLike | None, empirical: ArrayLike | None, shape: tuple[int, ...]
) -> float:
    """Return ``prevalence`` or, if it is None, ``empirical``, the proportion of positives in the data.

    RocPredictError is raised for a batch of features, or if ``prevalence`` and ``empirical`` are both None.
    """
    if shape:
        raise RocPredictError(f"{quantity} needs one feature; this is a batch of ROC curves of shape {shape}")
    if prevalence is None and empirical is None:
        remedy = "pass prevalence=0.1, for example, or class counts"
        raise RocPredictError(f"{quantity} needs a prevalence in (0, 1); {remedy}")
    unchecked: Any = empirical if prevalence is None else prevalence
    return check_probability("prevalence", unchecked, ends=False)


def check_one_or_each(name: str, value: Any, shape: tuple[int, ...]) -> None:
    """Raise RocPredictError unless ``value`` is one number or an array with the shape of the batch of features."""
    if np.shape(value) not in {(), shape}:
        allowed = f"one number or an array of shape {shape}" if shape else "one number"
        numbers = short_repr(np.asarray(value).tolist())
        raise RocPredictError(f"{name}={numbers} has shape {np.shape(value)}; pass {allowed}")
