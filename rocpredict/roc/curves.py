"""Precision-recall and decision curves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rocpredict.base.rates import precision_from_rates
from rocpredict.base.results import CurvePlot, Result, ResultSummary, sample_rows, thin_curve
from rocpredict.base.validation import (
    FloatArray,
    RocPredictError,
    check_option,
    check_probabilities,
    readonly_array,
    short_repr,
)
from rocpredict.distributions.base import Distribution
from rocpredict.distributions.ecdf import Ecdf, is_discrete
from rocpredict.distributions.gaussian import Gaussian
from rocpredict.solvers import binormal
from rocpredict.solvers import empirical as steps
from rocpredict.solvers.base import RocCurve
from rocpredict.solvers.numerical import expectation, panel_edges
from rocpredict.solvers.select import select_solver
from rocpredict.solvers.thresholds import log_cost_ratio

Pair = tuple[Distribution, Distribution]
DECISION_RULES = ("best", "probability")
"""What a decision curve calls positive at a threshold probability; the first is the default."""
_PROBABILITIES = readonly_array(np.arange(1, 100) / 100)
_MAX_BLOCK = 4_000_000  # numbers at a time
_ROUNDING = 4 * np.finfo(float).eps
_MAX_PRECISION = 690.0  # log of a price that doubles still hold


@dataclass(frozen=True, eq=False, repr=False)
class PrecisionRecallCurve(Result):
    """Hold the points of a precision-recall curve, from recall 0 to recall 1.

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
    pair : pair of distributions
        (negative, positive), turned so that positives lie higher.
    """

    thresholds: FloatArray
    recall: FloatArray
    precision: FloatArray
    prevalence: float
    pair: Pair = field(repr=False)

    def average_precision(self) -> float:
        """Give the mean precision over the positives, each taken at its own value as the threshold.

        Notes
        -----
        For samples the sum of (R_k - R_(k-1)) P_k over the points of the curve, without interpolation: scikit-learn's
        ``average_precision_score``. For densities the integral of precision over recall, by quadrature.
        """
        if self._counted:
            return float(np.diff(self.recall) @ self.precision[1:])
        return _mean_precision(*self.pair, self.prevalence)

    def to_dict(self) -> dict[str, Any]:
        """Give the columns as lists, and the prevalence."""
        columns = {name: getattr(self, name).tolist() for name in ("thresholds", "recall", "precision")}
        return columns | {"prevalence": self.prevalence}

    def __len__(self) -> int:
        return len(self.recall)

    def _summary(self) -> ResultSummary:
        title = f"Precision-recall curve for a prevalence of {self.prevalence:.4g}"
        columns = {"threshold": self.thresholds, "recall": self.recall, "precision": self.precision}
        line = thin_curve(self.recall, self.precision)
        notes = [f"Average precision {self.average_precision():.5g}."] if self._is_fast else []
        picture = CurvePlot(f"{title}, precision against recall", [line], show_diagonal=False)
        names, rows = sample_rows(columns)
        return ResultSummary(title, rows, names, notes=notes, picture=picture)

    @property
    def _is_fast(self) -> bool:
        """Whether the average precision takes no longer than a look."""
        return self._counted or all(isinstance(d, Gaussian) for d in self.pair)

    @property
    def _counted(self) -> bool:
        return isinstance(self.pair[0], Ecdf) and isinstance(self.pair[1], Ecdf)

    def __repr__(self) -> str:
        area = f", average_precision={self.average_precision():.6g}" if self._is_fast else ""
        return f"PrecisionRecallCurve(n_points={len(self)}, prevalence={self.prevalence:.6g}{area})"


@dataclass(frozen=True, eq=False, repr=False)
class DecisionCurve(Result):
    """Hold the net benefit of a rule at each threshold probability.

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

    def to_dict(self) -> dict[str, Any]:
        """Give the columns as lists, the prevalence and the rule."""
        names = ("probabilities", "net_benefit", "treat_all", "treat_none", "thresholds", "tpr", "fpr")
        columns = {name: getattr(self, name).tolist() for name in names}
        return columns | {"prevalence": self.prevalence, "rule": self.rule}

    def __len__(self) -> int:
        return len(self.probabilities)

    def _summary(self) -> ResultSummary:
        title = f"Decision curve for a prevalence of {self.prevalence:.4g}, rule {self.rule!r}"
        names, rows = sample_rows(
            {
                "probability": self.probabilities,
                "net benefit": self.net_benefit,
                "treat all": self.treat_all,
                "threshold": self.thresholds,
                "TPR": self.tpr,
                "FPR": self.fpr,
            }
        )
        lines = [(self.probabilities, part / self.prevalence) for part in (self.net_benefit, self.treat_all)]
        label = f"{title}: share of the greatest net benefit against probability; dashed: treating all"
        return ResultSummary(title, rows, names, picture=CurvePlot(label, lines, show_diagonal=False))

    def __repr__(self) -> str:
        ends = f"{self.probabilities.min():g} to {self.probabilities.max():g}"
        return f"DecisionCurve(probabilities={ends}, prevalence={self.prevalence:.6g}, rule={self.rule!r})"


def resolve_prevalence(
    asked: str, prevalence: ArrayLike | None, counted: float | None, shape: tuple[int, ...]
) -> float:
    """Return the prevalence asked for, or that of the class counts; refuse a batch, and what is not known."""
    if shape:
        raise RocPredictError(f"{asked} is for one feature; this ROC is a batch of shape {shape}")
    if prevalence is None and counted is None:
        raise RocPredictError(f"{asked} needs the share of positives; give prevalence= (0 to 1) or class counts")
    asked_for: Any = counted if prevalence is None else prevalence
    share = check_probabilities("prevalence", asked_for, inclusive=False)
    if share.ndim:
        raise RocPredictError(f"prevalence={short_repr(prevalence)} has shape {share.shape}; give one number")
    return float(share)


def precision_recall(curve: RocCurve, pair: Pair, prevalence: float) -> PrecisionRecallCurve:
    """Give the precision-recall curve with the thresholds of a ROC curve."""
    precision = np.asarray(precision_from_rates(curve.tpr, curve.fpr, prevalence))
    nothing = np.isnan(precision)  # is called positive: at the first point, and above what a class can reach
    first = 1.0 if select_solver(*pair) is steps else precision[np.argmin(nothing)]
    return PrecisionRecallCurve(curve.thresholds, curve.tpr, np.where(nothing, first, precision), prevalence, pair)


def decision(
    pair: Pair, turned_back: Callable[..., Any], prevalence: float, probabilities: ArrayLike | None, rule: str
) -> DecisionCurve:
    """Give the decision curve of the rule "positive when x >= threshold"."""
    check_option("rule", rule, DECISION_RULES)
    given = _PROBABILITIES if probabilities is None else probabilities
    p = readonly_array(check_probabilities("probabilities", given, inclusive=False))
    if p.ndim != 1 or not p.size:
        raise RocPredictError(f"probabilities has shape {p.shape}; give shape (k,), with k of 1 or more")
    thresholds, tpr, fpr = _rates_at_probability(pair, p) if rule == "probability" else _best_at(pair, prevalence, p)
    price = (1 - prevalence) * p / (1 - p)
    return DecisionCurve(
        probabilities=p,
        net_benefit=prevalence * tpr - price * fpr,
        treat_all=prevalence - price,
        treat_none=np.zeros(p.shape),
        thresholds=np.asarray(turned_back(thresholds, grid=True)),
        tpr=tpr,
        fpr=fpr,
        prevalence=prevalence,
        rule=rule,
    )


def _mean_precision(negative: Distribution, positive: Distribution, prevalence: float) -> float:
    """Give the mean, over positives, of the precision with their value as the threshold."""

    def precision(x: FloatArray) -> FloatArray:
        found = precision_from_rates(positive.sf_inclusive(x), negative.sf_inclusive(x), prevalence)
        return np.where(np.isnan(found), 1.0, found)  # beyond the last digit of both tails: no mass

    points, masses = positive.atoms()
    total = float(masses @ precision(points))
    return total if is_discrete(positive) else total + expectation(positive, precision, panel_edges(negative, positive))


def _rates_at_probability(pair: Pair, p: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Give threshold, TPR and FPR of the rule "x >= p", for a feature that is a probability."""
    if any(d.cdf_strict(0.0) > 0 or d.sf(1.0) > 0 for d in pair):
        raise RocPredictError(
            "rule='probability' compares x itself with p; x has values outside [0, 1]: see rule='best'"
        )
    negative, positive = pair
    return p, np.asarray(positive.sf_inclusive(p)), np.asarray(negative.sf_inclusive(p))


def _best_at(pair: Pair, prevalence: float, p: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Give threshold, TPR and FPR of the best rule at each price of a false positive."""
    log_kappa = np.minimum(log_cost_ratio(prevalence, p, 1 - p), _MAX_PRECISION)
    engine = select_solver(*pair)
    if engine is steps:
        return _best_operating_points(steps.operating_points(*pair), np.exp(log_kappa))  # type: ignore[arg-type]
    if engine is binormal:
        found = binormal.best(*pair, log_kappa)  # type: ignore[arg-type]
        return found.threshold, found.tpr, found.fpr
    each = [engine.best(*pair, price) for price in log_kappa]
    thresholds, tpr, fpr = (np.array([getattr(f, name) for f in each]) for name in ("threshold", "tpr", "fpr"))
    return thresholds, tpr, fpr


def _best_operating_points(v: steps.OperatingPoints, kappa: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Choose among the operating points as ``steps.best`` does, for many prices at a time."""
    size = max(1, _MAX_BLOCK // len(v.tpr))
    parts = [kappa[start : start + size, None] for start in range(0, len(kappa), size)]
    chosen = np.concatenate([_best_columns(v, part) for part in parts])
    return v.thresholds[chosen], v.tpr[chosen], v.fpr[chosen]


def _best_columns(v: steps.OperatingPoints, kappa: FloatArray) -> Any:
    """Give the middle one of the best operating points for each price, shape (k, 1)."""
    utility = v.tpr - kappa * v.fpr
    first = utility.argmax(axis=1)
    tolerance = _ROUNDING * (v.tpr[first] + kappa[:, 0] * v.fpr[first])
    good = utility >= (utility.max(axis=1) - tolerance)[:, None]
    rank = np.cumsum(good, axis=1)
    return np.argmax(good & (rank == (rank[:, -1:] + 1) // 2), axis=1)
