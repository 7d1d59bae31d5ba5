"""ROC curve of the likelihood-ratio rule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic

import numpy as np
from numpy.typing import ArrayLike

from rocpredict.base.formatting import format_number
from rocpredict.base.results import Result, batch_table
from rocpredict.base.tables import Table
from rocpredict.base.validation import FloatArray, Value, check_probabilities, check_real, short_repr, to_scalar
from rocpredict.roc.curves import CurveMethods, check_one_or_each
from rocpredict.solvers.base import (
    EVEN,
    Hook,
    LikelihoodRatioSolver,
    RocCurve,
    Solver,
    TwoThresholdRule,
    check_n_points,
)
from rocpredict.solvers.thresholds import log_cost_ratio

#: Smallest gain in Ameans for which the summary recommends more than one threshold.
_MIN_AMEANS_GAIN = 0.005


@dataclass(frozen=True, eq=False, repr=False)
class LikelihoodRatioGain(Result, Generic[Value]):
    """Gain of the likelihood-ratio rule over the one-threshold rule.

    The one-threshold rule has the same direction as the ROC curve.

    Attributes
    ----------
    auc_single, auc : float or array of shape F
        AUCs of the one-threshold rule and of the likelihood-ratio rule.
    ameans_single, ameans : float or array of shape F
        Highest Ameans (balanced accuracy) of the one-threshold rule and of the likelihood-ratio rule.
    hook : Hook
        Hook of the one-threshold ROC curve, that is, the part of this curve below the chance line.

    Notes
    -----
    ``youden_gain`` is the gain in the highest Youden's J = TPR - FPR. It is twice the gain in Ameans. The highest J of
    the likelihood-ratio rule equals the total variation distance between the class distributions, that is, 1 minus the
    overlap of their densities. If the densities cross at most twice, as the densities of two Gaussians do,
    ``youden_gain`` equals the J of the best single threshold in the opposite direction.
    """

    auc_single: Value
    auc: Value
    ameans_single: Value
    ameans: Value
    hook: Hook[Value]
    _tabled = ("auc_single", "auc", "auc_gain", "ameans_single", "ameans", "ameans_gain", "youden_gain")
    _listed = (*_tabled, "hook", "summary")
    _text = "ameans={ameans_single:.6r} -> {ameans:.6r}, auc={auc_single:.6r} -> {auc:.6r}"
    _heading = "Gain from more than one threshold"

    def _notes(self) -> list[str]:
        return [self.summary]

    @property
    def auc_gain(self) -> Value:
        """Return the gain in AUC."""
        return to_scalar(np.asarray(self.auc) - self.auc_single)

    @property
    def ameans_gain(self) -> Value:
        """Return the gain in the highest Ameans."""
        return to_scalar(np.asarray(self.ameans) - self.ameans_single)

    @property
    def youden_gain(self) -> Value:
        """Return the gain in the highest Youden's J."""
        return to_scalar(2 * np.asarray(self.ameans_gain))

    @property
    def summary(self) -> str:
        """One-sentence description of the gain."""
        gain = np.asarray(self.ameans_gain)
        worthwhile = gain >= _MIN_AMEANS_GAIN
        if gain.ndim:
            some = f"{worthwhile.sum()} of {gain.size} features"
            return f"More than one threshold raises the best Ameans by {_MIN_AMEANS_GAIN:g} or more for {some}."
        values = (self.ameans_single, self.ameans, self.auc_single, self.auc)
        ameans_single, ameans, auc_single, auc = (format_number(value, 4) for value in values)
        change = f"raises the best Ameans from {ameans_single} to {ameans} and the AUC from {auc_single} to {auc}"
        return f"More than one threshold {change}: {'see best_rule()' if worthwhile else 'one threshold is enough'}."


@dataclass(frozen=True, eq=False, repr=False)
class LikelihoodRatioRoc(CurveMethods[Value], Result):
    """ROC curve of the likelihood-ratio rule, which classifies observations with high likelihood ratios as positive.

    No other rule based on the same feature is better [1]_: the curve is concave, and it is nowhere below the curve of
    the one-threshold rule for the same two distributions. For two Gaussians with different standard deviations, the
    likelihood-ratio rule has two thresholds [2]_. Its AUC is at least max(A, 1 - A), where A is the AUC of the
    one-threshold rule. ``Roc.proper()`` returns this curve.

    Parameters
    ----------
    base : Solver
        Solver that computes rates and areas from the two class distributions. For direction "lower", it contains the
        distributions of -x.
    _to_feature_scale : function
        Function that converts a threshold of ``base`` to the scale of the feature.

    Notes
    -----
    The computation depends on the distributions:

    * Two Gaussians: the AUC and the best rule have closed forms. The two thresholds for a given rate are found by
      Newton's method, and partial areas are computed by quadrature. The results for all features of a batch are
      computed together.
    * Samples: the values are ranked by a likelihood ratio estimated from the same samples, so the curve is optimistic.
    * Other densities: the range of the feature is divided at the local extrema of the likelihood ratio, and the results
      for the segments are combined.
    * One class with a density and one discrete class: the likelihood-ratio rule separates the classes perfectly.

    Results are accurate to about 1e-12.

    References
    ----------
    .. [1] J. Neyman, E. S. Pearson (1933), On the problem of the most efficient tests of statistical hypotheses,
       Philosophical Transactions of the Royal Society A 231, 289-337.
    .. [2] C. E. Metz, X. Pan (1999), "Proper" binormal ROC curves, Journal of Mathematical Psychology 43, 1-33.

    Examples
    --------
    >>> from rocpredict import Gaussian, PredictedRoc
    >>> proper = PredictedRoc(negative=Gaussian(4, 3), positive=Gaussian(8, 2)).proper()
    >>> proper
    LikelihoodRatioRoc(auc=0.866559)
    >>> proper.best_rule()
    TwoThresholdRule(low=5.82611, high=16.5739, positive_inside=True, ameans=0.795057)
    >>> proper.tpr_at_fpr([0.01, 0.1, 0.5])
    array([0.07356379, 0.53116964, 0.97724993])
    >>> proper.gain().summary
    'More than one threshold raises the best Ameans from 0.7951 to 0.7951 and the AUC from 0.8664 to 0.8666: one
    threshold is enough.'
    """

    base: Solver
    _to_feature_scale: Callable[..., Any]

    def _compared(self) -> dict[str, Any]:
        return {"negative": self.base.negative, "positive": self.base.positive}

    @cached_property
    def _solver(self) -> LikelihoodRatioSolver:
        return self.base.likelihood_ratio()

    def curve(self, n_points: int = 513) -> RocCurve:
        """Return the points of the curve from (0, 0) to (1, 1).

        Parameters
        ----------
        n_points : int, default=513
            Number of points of the curve. The points cover the values of both classes. For empirical curves, this
            argument is ignored and all points are returned. If the likelihood ratio is constant over an interval, the
            number of points may differ slightly from ``n_points``.

        Returns
        -------
        RocCurve
            Arrays ``thresholds``, ``fpr`` and ``tpr`` of shape F + (T,), where F is the shape of the batch and T is the
            number of points. The thresholds are values of the likelihood ratio f1/f0, descending from infinity to 0.
            Each threshold is also the slope of the curve at the corresponding point. For thresholds in the unit of the
            feature, use ``rule_at_fpr``.
        """
        return RocCurve(*self._solver.curve(check_n_points(n_points)))

    def rule_at_fpr(self, fpr: ArrayLike) -> TwoThresholdRule[Value]:
        """Return the rule that maximizes TPR subject to FPR <= ``fpr``.

        Parameters
        ----------
        fpr : float or array-like of shape F
            Highest allowed false positive rate, in [0, 1].

        Returns
        -------
        TwoThresholdRule
            Thresholds in the unit of the feature, and the rates of the rule. If both classes have densities, the FPR of
            the rule equals ``fpr`` up to a relative error of about 1e-12. The FPR may be lower if several feature
            values have the same likelihood ratio.

        Raises
        ------
        RocPredictError
            If ``fpr`` is outside [0, 1].

        Examples
        --------
        >>> from rocpredict import Gaussian, PredictedRoc
        >>> rule = PredictedRoc(negative=Gaussian(4, 3), positive=Gaussian(8, 2)).proper().rule_at_fpr(0.1)
        >>> round(rule.low, 4), round(rule.high, 4), round(rule.tpr, 4)
        (7.841, 14.559, 0.5312)
        """
        rate = self._check_batch_argument("fpr", check_probabilities("fpr", fpr))
        return self._on_own_axis(self._solver.rule_at_fpr(rate))

    def best_rule(
        self, *, prevalence: ArrayLike = 0.5, cost_fp: ArrayLike = 1.0, cost_fn: ArrayLike = 1.0
    ) -> TwoThresholdRule[Value]:
        """Return the rule with the lowest expected cost; by default, this is the rule with the highest Ameans.

        Parameters
        ----------
        prevalence : float or array-like of shape F, default=0.5
            Proportion of positives in the population where the rule is used. With 0.5, both classes have equal weight.
        cost_fp, cost_fn : float or array-like of shape F, default=1.0
            Cost of a false positive and cost of a false negative.

        Returns
        -------
        TwoThresholdRule
            Thresholds in the unit of the feature, and the rates of the rule. If the best rule assigns all observations
            to the same class, both thresholds are infinite.

        Raises
        ------
        RocPredictError
            If ``prevalence`` is outside [0, 1], if a cost is negative, or if the expected cost of every rule is 0.

        Notes
        -----
        The rule classifies x as positive if f1(x) > kappa * f0(x). Here f0 is the density of the negatives, f1 is the
        density of the positives, and kappa = (1 - prevalence) * cost_fp/(prevalence * cost_fn). At the operating point
        of this rule, the slope of the curve is kappa.

        Examples
        --------
        >>> from rocpredict import Gaussian, PredictedRoc
        >>> PredictedRoc(negative=Gaussian(4, 3), positive=Gaussian(8, 2)).proper().best_rule()
        TwoThresholdRule(low=5.82611, high=16.5739, positive_inside=True, ameans=0.795057)
        """
        for name, number in {"prevalence": prevalence, "cost_fp": cost_fp, "cost_fn": cost_fn}.items():
            self._check_batch_argument(name, check_real(name, number))
        return self._on_own_axis(self._solver.rule(log_cost_ratio(prevalence, cost_fp, cost_fn)))

    def gain(self) -> LikelihoodRatioGain[Value]:
        """Return the gain of the likelihood-ratio rule over the best single threshold.

        Returns
        -------
        LikelihoodRatioGain
            The attribute ``summary`` states the gain in one sentence.
        """
        best = self.base.optimal(EVEN)
        hook = Hook(*(to_scalar(part) for part in self.base.hook()))
        single = to_scalar(self.base.auc()), to_scalar(best.tpr / 2 + best.tnr / 2)
        return LikelihoodRatioGain(single[0], self.auc(), single[1], self.best_rule().ameans, hook)

    def _rate(self, name: str, rate: ArrayLike) -> FloatArray:
        """Return ``rate``, or raise an error if it is outside [0, 1] or its shape does not match the batch."""
        rates = check_probabilities(name, rate)
        return self._check_batch_argument(name, rates) if self.base.shape else rates

    def _check_batch_argument(self, name: str, values: FloatArray) -> FloatArray:
        """Return ``values``, or raise an error if they are neither one number nor one number for each feature."""
        check_one_or_each(name, values, self.base.shape)
        return values

    def _on_own_axis(self, rule: TwoThresholdRule[Any]) -> TwoThresholdRule[Value]:
        """Convert the thresholds of a rule to the scale of the feature."""
        limits = [np.asarray(self._to_feature_scale(limit)) for limit in (rule.low, rule.high)]
        fields = {name: to_scalar(getattr(rule, name)) for name in ("positive_inside", "tpr", "fpr", "tnr", "fnr")}
        return rule._replace(
            low=to_scalar(np.minimum(*limits)),
            high=to_scalar(np.maximum(*limits)),
            thresholds=np.sort(self._to_feature_scale(rule.thresholds, grid=True), axis=-1),
            **fields,
        )

    def table(self) -> Table:
        """Return a table of the class distributions, with the AUC if it is fast to compute.

        Returns
        -------
        Table
        """
        title = "ROC curve of the likelihood-ratio rule"
        if self.base.shape:
            return batch_table(title, self.base.shape, {"AUC": self.auc()})
        pair = [["negative", repr(self.base.negative)], ["positive", repr(self.base.positive)]]
        area = [["AUC", self.auc()]] if self.base.is_fast else []
        notes = () if area else ["The AUC is slow to compute; call auc() for it."]
        return Table(title, ("quantity", "value"), [*pair, *area], notes=notes)

    def __repr__(self) -> str:
        if self.base.shape:
            return f"LikelihoodRatioRoc(batch of shape {self.base.shape})"
        if self.base.is_fast:
            return f"LikelihoodRatioRoc(auc={format_number(self.auc())})"
        negative, positive = (short_repr(d, 110) for d in (self.base.negative, self.base.positive))
        return f"LikelihoodRatioRoc(negative {negative}, positive {positive})"
