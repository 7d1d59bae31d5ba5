"""ROC curve of the likelihood ratio."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic

import numpy as np
from numpy.typing import ArrayLike

from rocpredict.base.results import Result, batch_table
from rocpredict.base.tables import Table
from rocpredict.base.validation import (
    FloatArray,
    Value,
    check_probabilities,
    check_real,
    short_repr,
    to_scalar,
)
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

_MIN_AMEANS_GAIN = 0.005  # of Ameans: below, a second threshold is not worth its trouble
_MAX_FAST_SIZE = 20_000  # values whose ranking a look can wait for


@dataclass(frozen=True, eq=False, repr=False)
class LikelihoodRatioGain(Result, Generic[Value]):
    """Gain of the likelihood-ratio rule over the best single threshold of the declared direction.

    Attributes
    ----------
    auc_single, auc : float or array of shape F
        Of the one-threshold rule and of the likelihood-ratio rule.
    ameans_single, ameans : float or array of shape F
        The best that each of them reaches.
    hook : Hook
        The part of the one-threshold curve that lies below the chance line.

    Notes
    -----
    ``youden_gain`` is the gain in Youden's J, TPR - FPR: twice the gain in Ameans. J of the likelihood-ratio rule is
    the total variation distance of the classes, 1 less their overlap. Where the densities cross twice at most, as those
    of two Gaussians do, the benefit is the J that a single threshold reaches in the opposite direction.
    """

    auc_single: Value
    auc: Value
    ameans_single: Value
    ameans: Value
    hook: Hook[Value]
    _tabled = ("auc_single", "auc", "auc_gain", "ameans_single", "ameans", "ameans_gain", "youden_gain")
    _listed = (*_tabled, "hook", "summary")
    _text = "ameans={ameans_single:.6g} -> {ameans:.6g}, auc={auc_single:.6g} -> {auc:.6g}"
    _heading = "Gain of more than one threshold"

    def _notes(self) -> list[str]:
        return [self.summary]

    @property
    def auc_gain(self) -> Value:
        """Return how much higher the AUC is."""
        return to_scalar(np.asarray(self.auc) - self.auc_single)

    @property
    def ameans_gain(self) -> Value:
        """Return how much higher the best Ameans is."""
        return to_scalar(np.asarray(self.ameans) - self.ameans_single)

    @property
    def youden_gain(self) -> Value:
        """Return how much higher the best Youden's J is."""
        return to_scalar(2 * np.asarray(self.ameans_gain))

    @property
    def summary(self) -> str:
        """The gain in one sentence."""
        gain = np.asarray(self.ameans_gain)
        worthwhile = gain >= _MIN_AMEANS_GAIN
        if gain.ndim:
            some = f"{worthwhile.sum()} of {gain.size} features"
            return f"More than one threshold raises the best Ameans by {_MIN_AMEANS_GAIN:g} or more for {some}."
        change = f"raises the best Ameans from {self.ameans_single:.4g} to {self.ameans:.4g}"
        verdict = "look at best_rule()" if worthwhile else "one threshold is enough"
        return f"More than one threshold {change} and the AUC from {self.auc_single:.4g} to {self.auc:.4g}: {verdict}."


@dataclass(frozen=True, eq=False, repr=False)
class LikelihoodRatioRoc(CurveMethods[Value], Result):
    """ROC curve of the rule that calls positive where the likelihood ratio is high (Metz and Pan 1999).

    No rule on the same feature does better (Neyman and Pearson 1933): its curve is concave and nowhere below that of
    the one-threshold rule for the same two distributions. For Gaussians of different standard deviations it has two
    thresholds, and its AUC is at least max(AUC, 1 - AUC) of the one-threshold rule.

    Parameters
    ----------
    base : Solver
        Solver of the two classes, reflected so that positives have larger values.
    to_feature_scale : function
        Gives a threshold on this turned axis as one on the feature's own.

    Notes
    -----
    Two Gaussians: closed forms, each rate found by Newton's method on the two thresholds, partial areas by quadrature;
    batches at once. Samples: the values ranked by their likelihood ratio in these very samples, which is optimistic.
    Other densities: the axis is cut where the ratio turns. All good to about 1e-12. A density against single values has
    one question: the likelihood ratio tells the classes apart.

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
    to_feature_scale: Callable[..., Any]

    def _compared(self) -> dict[str, Any]:
        return {"negative": self.base.negative, "positive": self.base.positive}

    @cached_property
    def _solver(self) -> LikelihoodRatioSolver:
        return self.base.likelihood_ratio()

    def curve(self, n_points: int = 513) -> RocCurve:
        """Return the curve as a table, from (0, 0) to (1, 1).

        Parameters
        ----------
        n_points : int
            How many rules, spread over both classes; step functions have their own and ignore this, and where
            densities level out there may be some more or fewer.

        Returns
        -------
        RocCurve
            Its ``thresholds`` are those of the likelihood ratio f1/f0, which is the slope of the curve there:
            descending from +inf, where nothing is positive, to 0. In the unit of the feature: ``rule_at_fpr``.
        """
        return RocCurve(*self._solver.curve(check_n_points(n_points)))

    def rule_at_fpr(self, fpr: ArrayLike) -> TwoThresholdRule[Value]:
        """Return the rule with the highest TPR of all with no more than this FPR, as its thresholds.

        Parameters
        ----------
        fpr : float or array of shape F
            For densities the rule has this FPR, to about 1e-12 of it; at ties of the likelihood ratio less.
        """
        rate = self._check_batch_argument("fpr", check_probabilities("fpr", fpr))
        return self._on_own_axis(self._solver.rule_at_fpr(rate))

    def best_rule(
        self, *, prevalence: ArrayLike = 0.5, cost_fp: ArrayLike = 1.0, cost_fn: ArrayLike = 1.0
    ) -> TwoThresholdRule[Value]:
        """Return the rule with the highest Ameans, or the lowest expected cost of errors.

        Parameters
        ----------
        prevalence : float or array of shape F
            Share of positives where the rule will be used; 0.5 weighs both classes alike.
        cost_fp, cost_fn : float or array of shape F
            Cost of a false positive and of a false negative.

        Raises
        ------
        RocPredictError
            A prevalence outside [0, 1], negative costs, or nothing that costs anything.

        Notes
        -----
        Positive where f1 > kappa f0, with kappa = (1 - prevalence) cost_fp/(prevalence cost_fn): there the curve has
        the slope kappa. It may be that all cases are called one class; then both thresholds are infinite.
        """
        for name, number in {"prevalence": prevalence, "cost_fp": cost_fp, "cost_fn": cost_fn}.items():
            self._check_batch_argument(name, check_real(name, number))
        return self._on_own_axis(self._solver.rule(log_cost_ratio(prevalence, cost_fp, cost_fn)))

    def gain(self) -> LikelihoodRatioGain[Value]:
        """Return what this rule gains over the best single threshold, and what that means."""
        best = self.base.optimal(EVEN)
        hook = Hook(*(to_scalar(part) for part in self.base.hook()))
        single = to_scalar(self.base.auc()), to_scalar(best.tpr / 2 + best.tnr / 2)
        return LikelihoodRatioGain(single[0], self.auc(), single[1], self.best_rule().ameans, hook)

    def _rate(self, name: str, rate: ArrayLike) -> FloatArray:
        """Return rates of any shape for one feature, for a batch what fits it."""
        rates = check_probabilities(name, rate)
        return self._check_batch_argument(name, rates) if self.base.shape else rates

    def _check_batch_argument(self, name: str, values: FloatArray) -> FloatArray:
        """Return one value for all features, or one for each."""
        check_one_or_each(name, values, self.base.shape)
        return values

    def _on_own_axis(self, rule: TwoThresholdRule[Any]) -> TwoThresholdRule[Value]:
        """Return a rule with its thresholds on the feature's own axis."""
        limits = [np.asarray(self.to_feature_scale(limit)) for limit in (rule.low, rule.high)]
        shares = {name: to_scalar(getattr(rule, name)) for name in ("positive_inside", "tpr", "fpr", "tnr", "fnr")}
        return rule._replace(
            low=to_scalar(np.minimum(*limits)),
            high=to_scalar(np.maximum(*limits)),
            thresholds=np.sort(self.to_feature_scale(rule.thresholds, grid=True), axis=-1),
            **shares,
        )

    def table(self) -> Table:
        """Return the area, where it takes no longer than a look, and the pair."""
        title = "ROC of the likelihood-ratio rule"
        if self.base.shape:
            return batch_table(title, self.base.shape, {"AUC": self.auc()})
        pair = [["negative", repr(self.base.negative)], ["positive", repr(self.base.positive)]]
        area = [["AUC", self.auc()]] if self._is_fast else []
        notes = () if area else ["Its area takes a while: ask auc()."]
        return Table(title, ("quantity", "value"), [*pair, *area], notes=notes)

    @property
    def _is_fast(self) -> bool:
        """True where its area takes no longer than a look."""
        return self.base.is_fast and (self.base.thresholds is None or len(self.base.thresholds) < _MAX_FAST_SIZE)

    def __repr__(self) -> str:
        if self.base.shape:
            return f"LikelihoodRatioRoc(shape={self.base.shape})"
        if self._is_fast:
            return f"LikelihoodRatioRoc(auc={self.auc():.6g})"
        negative, positive = (short_repr(d, 110) for d in (self.base.negative, self.base.positive))
        return f"LikelihoodRatioRoc(negative={negative}, positive={positive})"
