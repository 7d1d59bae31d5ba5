"""Grey zone between two thresholds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rocpredict.base.rates import Rates
from rocpredict.base.results import Result
from rocpredict.base.validation import (
    ArrayOrFloat,
    FloatArray,
    RocPredictError,
    Value,
    check_probabilities,
    check_real,
    to_scalar,
)
from rocpredict.distributions.base import Distribution
from rocpredict.roc.curves import check_one_or_each
from rocpredict.solvers.base import EVEN, Solver, middle_of_best
from rocpredict.solvers.binormal import BinormalSolver
from rocpredict.solvers.quadrature import bisect

_DEFAULT_ERROR_RATE = 0.05
_PREVALENCE_REMEDY = "pass prevalence=0.1, for example, or class counts"
#: Relative tolerance, for rounding errors, when the rate at a threshold is compared with the required rate.
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False, repr=False)
class GreyZone(Result, Generic[Value]):
    """Two thresholds, with the proportions of observations that are ruled in, ruled out and undecided.

    Attributes
    ----------
    low, high : float or array of shape F
        Lower and upper threshold, in the unit of the feature; the grey zone is between them. If no finite threshold
        meets the requirement for ruling out, the threshold for ruling out is infinite, and no observation is ruled out.
        If no finite threshold meets the requirement for ruling in, the threshold for ruling in is infinite, and no
        observation is ruled in. If both thresholds are equal, no observation is undecided. The properties ``rule_out``
        and ``rule_in`` contain the same two thresholds, named by their use.
    tpr, fpr : float or array of shape F
        Proportion of the positives (``tpr``) and of the negatives (``fpr``) that are ruled in, that is, classified as
        positive.
    tnr, fnr : float or array of shape F
        Proportion of the negatives (``tnr``) and of the positives (``fnr``) that are ruled out, that is, classified as
        negative.
    undecided_negative, undecided_positive : float or array of shape F
        Proportion of each class that is in the grey zone, neither ruled in nor ruled out.
    single_threshold : bool or array of shape F
        True if one threshold meets both requirements. Then ``low == high``, and there is no grey zone.
    prevalence : float or array, or None
        Proportion of positives in the population where the rule is used.
    lower : bool or array of shape F
        True for direction "lower"; observations with low values are then ruled in.
    """

    low: Value
    high: Value
    tpr: Value
    fpr: Value
    tnr: Value
    fnr: Value
    undecided_negative: Value
    undecided_positive: Value
    single_threshold: bool | NDArray[np.bool_]
    prevalence: Value | None
    lower: bool | NDArray[np.bool_]
    _heading = "Grey zone"

    def _names(self) -> tuple[str, ...]:
        names = (
            *("low", "high", "rule_out", "rule_in", "single_threshold", "tpr", "fpr", "tnr", "fnr"),
            *("undecided_negative", "undecided_positive", "likelihood_ratios", "undefined"),
        )
        return names if self.prevalence is None else (*names, "prevalence", "undecided", "npv", "ppv")

    def _notes(self) -> list[str]:
        if np.ndim(self.low):
            return []
        region = "at or below low" if self.lower else "at or above high"
        note = "One threshold meets both requirements: no observation is undecided."
        return [note if self.single_threshold else f"Ruled in: {region}; undecided: in between."]

    @property
    def rule_in(self) -> Value:
        """Return the threshold for ruling in; the rule is x >= rule_in or, for direction "lower", x <= rule_in."""
        return to_scalar(np.where(self.lower, self.low, self.high))

    @property
    def rule_out(self) -> Value:
        """Return the threshold for ruling out; the rule is x < rule_out or, for direction "lower", x > rule_out."""
        return to_scalar(np.where(self.lower, self.high, self.low))

    @property
    def undecided(self) -> Value:
        """Return the proportion of undecided observations in a population with this ``prevalence``."""
        base_rate = self._prevalence_for("undecided")
        return to_scalar(base_rate * self.undecided_positive + (1 - base_rate) * self.undecided_negative)

    @property
    def ppv(self) -> Value:
        """Return the positive predictive value of the observations ruled in, or NaN if there are none."""
        base_rate = self._prevalence_for("ppv")
        return _fraction(base_rate * self.tpr, (1 - base_rate) * np.asarray(self.fpr))

    @property
    def npv(self) -> Value:
        """Return the negative predictive value of the observations ruled out, or NaN if there are none."""
        base_rate = self._prevalence_for("npv")
        return _fraction((1 - base_rate) * np.asarray(self.tnr), base_rate * self.fnr)

    @property
    def likelihood_ratios(self) -> tuple[Value, Value, Value]:
        """Return the likelihood ratios of the three zones (ruled out, undecided, ruled in).

        Each ratio is P(zone | positive)/P(zone | negative), or NaN for an empty zone.
        """
        zones = ((self.fnr, self.tnr), (self.undecided_positive, self.undecided_negative), (self.tpr, self.fpr))
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = [to_scalar(np.divide(positive, negative)) for positive, negative in zones]
        return ratios[0], ratios[1], ratios[2]

    @property
    def decided_rates(self) -> Rates[Value]:
        """Return the rates and the prevalence among the decided observations.

        The rates of a class are NaN if no observation of this class is decided.
        """
        decided_prevalence = None
        if self.prevalence is not None:
            base_rate = np.asarray(self.prevalence)
            decided = base_rate * np.add(self.tpr, self.fnr), (1 - base_rate) * np.add(self.tnr, self.fpr)
            decided_prevalence = _fraction(*decided)
        return Rates(
            tpr=_fraction(self.tpr, self.fnr),
            fpr=_fraction(self.fpr, self.tnr),
            tnr=_fraction(self.tnr, self.fpr),
            fnr=_fraction(self.fnr, self.tpr),
            prevalence=decided_prevalence,
        )

    @property
    def undefined(self) -> tuple[str, ...]:
        """Return the names of the properties that are undefined (0/0) for at least one feature.

        A predictive value or likelihood ratio is undefined if its zone contains no observations. ``decided_rates`` is
        undefined if at least one class has no decided observations.
        """
        no_positive_call, no_negative_call = np.add(self.tpr, self.fpr) == 0, np.add(self.tnr, self.fnr) == 0
        no_undecided = np.add(self.undecided_negative, self.undecided_positive) == 0
        empty_zone = no_positive_call | no_negative_call | no_undecided
        empty_class = (np.add(self.tpr, self.fnr) == 0) | (np.add(self.tnr, self.fpr) == 0)
        empty = {"ppv": no_positive_call, "npv": no_negative_call}
        empty |= {"likelihood_ratios": empty_zone, "decided_rates": empty_class}
        return tuple(name for name, mask in empty.items() if np.any(mask))

    def _prevalence_for(self, name: str) -> FloatArray:
        if self.prevalence is None:
            raise RocPredictError(f"{name} needs a prevalence in [0, 1]; {_PREVALENCE_REMEDY}")
        return np.asarray(self.prevalence, dtype=np.float64)

    def __repr__(self) -> str:
        if np.ndim(self.low):
            singles = f"{np.sum(self.single_threshold)} of {np.size(self.single_threshold)}"
            return f"GreyZone(batch of shape {np.shape(self.low)}, {singles} with a single threshold)"
        ends = f"threshold={self.low:.6g}" if self.single_threshold else f"low={self.low:.6g}, high={self.high:.6g}"
        shares = f"undecided_negative={self.undecided_negative:.4g}, undecided_positive={self.undecided_positive:.4g}"
        return f"GreyZone({ends}, {shares}, fnr={self.fnr:.4g}, fpr={self.fpr:.4g})"


class _Demand(NamedTuple):
    """Requirement on one threshold: a maximum error rate, or a minimum for the odds of a correct decision.

    ``right(t)`` is the proportion of one class that is classified correctly at threshold t. ``wrong(t)`` is the
    proportion of the other class that is misclassified at t.
    """

    right: Callable[[FloatArray], Any]
    wrong: Callable[[FloatArray], Any]
    rate: FloatArray | None
    log_odds: FloatArray | None

    def is_met(self, t: FloatArray) -> NDArray[np.bool_]:
        """Return whether each threshold meets the requirement, up to rounding errors.

        A threshold that rules no observation in or out meets every requirement.
        """
        wrong = np.asarray(self.wrong(t))
        if self.rate is not None:
            return np.asarray(wrong <= self.rate * (1 + _ROUNDING))
        with np.errstate(divide="ignore", invalid="ignore"):
            odds = np.exp(np.minimum(np.asarray(self.log_odds), 700.0))  # larger odds would overflow
            return np.asarray((self.right(t) >= odds * wrong * (1 - _ROUNDING)) | (self.log_odds == -np.inf))


def _check_demand(limits: dict[str, Any], names: tuple[str, str], prior: Any) -> tuple[Any, Any]:
    """Return the maximum error rate and the minimum log odds of a correct decision; one of the two is None.

    ``names`` are the keys of the error rate and of the predictive value in ``limits``. ``prior`` is the prior log odds
    of the class for which the decision is wrong.
    """
    rate, value = names
    if limits[value] is None:
        return check_probabilities(rate, _DEFAULT_ERROR_RATE if limits[rate] is None else limits[rate]), None
    least = check_probabilities(value, limits[value])
    with np.errstate(divide="ignore"):
        odds = np.log(least) - np.log1p(-least) + prior
    return None, np.where(np.abs(odds) < _ROUNDING, 0.0, odds)


#: Threshold for ruling out (x < out), threshold for ruling in (x >= in), and True where one threshold serves both.
_ZoneLimits: TypeAlias = tuple[FloatArray, FloatArray, NDArray[np.bool_]]


def find_grey_zone(
    solver: Solver, limits: dict[str, Any], prevalence: Any, lower: ArrayLike, to_feature_scale: Callable[..., Any]
) -> GreyZone[Any]:
    """Find the grey zone of two class distributions.

    For direction "lower", ``solver`` must contain the distributions of -x. ``limits`` contains the arguments max_fnr,
    max_fpr, min_npv and min_ppv of ``Roc.grey_zone``, keyed by name.
    """
    for rate, value in (("max_fnr", "min_npv"), ("max_fpr", "min_ppv")):
        if limits[rate] is not None and limits[value] is not None:
            raise RocPredictError(f"{rate}= and {value}= are requirements on the same threshold; pass only one of them")
        if limits[value] is not None and prevalence is None:
            raise RocPredictError(f"{value}= needs a prevalence in (0, 1); {_PREVALENCE_REMEDY}")
    prior: Any = None
    if prevalence is not None:
        needs_both_classes = limits["min_npv"] is not None or limits["min_ppv"] is not None
        base_rate = check_probabilities("prevalence", prevalence, inclusive=not needs_both_classes)
        with np.errstate(divide="ignore"):
            prior = np.log1p(-base_rate) - np.log(base_rate)
    for name, number in (limits | {"prevalence": prevalence}).items():
        if number is not None:
            check_one_or_each(name, check_real(name, number), solver.shape)
    negative, positive = pair = solver.negative, solver.positive
    in_limits = _check_demand(limits, ("max_fpr", "min_ppv"), prior)
    out_limits = _check_demand(limits, ("max_fnr", "min_npv"), None if prior is None else -prior)
    rule_in = _Demand(positive.sf_inclusive, negative.sf_inclusive, *in_limits)
    rule_out = _Demand(negative.cdf_strict, positive.cdf_strict, *out_limits)
    thresholds = solver.thresholds if solver.is_discrete else None
    if thresholds is not None:
        out, in_, single = _widest_regions(solver, rule_out, rule_in, thresholds[::-1])
    else:
        out, in_, single = (_grey_zone_gaussian if solver.is_fast else _grey_zone_search)(solver, rule_out, rule_in)
    tpr, fpr = (to_scalar(d.sf_inclusive(in_)) for d in (positive, negative))
    tnr, fnr = (to_scalar(d.cdf_strict(out)) for d in (negative, positive))
    undecided = [to_scalar(np.where(single, 0.0, _interval_probability(d, out, in_))) for d in pair]
    ends = [np.asarray(to_feature_scale(end)) for end in (out, in_)]
    low, high = to_scalar(np.minimum(*ends)), to_scalar(np.maximum(*ends))
    is_single, is_lower = to_scalar(single), to_scalar(np.asarray(lower))
    return GreyZone(low, high, tpr, fpr, tnr, fnr, undecided[0], undecided[1], is_single, prevalence, is_lower)


def _grey_zone_gaussian(solver: Solver, rule_out: _Demand, rule_in: _Demand) -> _ZoneLimits:
    """Find the grey zone of two Gaussians from their quantiles, for one feature or a batch."""
    negative, positive = solver.negative, solver.positive

    def limit(pair: BinormalSolver, demand: _Demand) -> FloatArray:
        if demand.log_odds is not None:
            return pair.threshold_for_odds(demand.log_odds)
        return pair.threshold_at("fpr", np.asarray(demand.rate))

    in_ = limit(BinormalSolver(negative, positive), rule_in)
    out = 0.0 - limit(BinormalSolver(positive.reflect(), negative.reflect()), rule_out)
    out, in_ = np.broadcast_arrays(out, in_)
    single = out >= in_
    if not single.any():
        return out, in_, single
    best = np.asarray(solver.optimal(EVEN).threshold)
    # the predictive value may decrease again in one tail; a bound of the overlap then meets both requirements
    choices = [np.clip(best, in_, np.maximum(in_, out)), in_, out]
    ameans = [np.where(rule_in.is_met(t) & rule_out.is_met(t), _ameans(solver, t), -np.inf) for t in choices]
    selected = np.choose(np.argmax(ameans, axis=0), choices)
    return np.where(single, selected, out), np.where(single, selected, in_), single


def _grey_zone_search(solver: Solver, rule_out: _Demand, rule_in: _Demand) -> _ZoneLimits:
    """Find the grey zone on a grid of thresholds, and refine both thresholds by bisection to the nearest float."""
    negative, positive = solver.negative, solver.positive
    atoms = np.concatenate([negative.atoms().points, positive.atoms().points])
    best = float(solver.optimal(EVEN).threshold)
    t = np.unique(np.concatenate([solver.search_grid, atoms, np.nextafter(atoms, np.inf), [-np.inf, best, np.inf]]))
    first = int(np.argmax(rule_in.is_met(t)))
    last = len(t) - 1 - int(np.argmax(rule_out.is_met(t)[::-1]))
    _, first_in = _bisect(rule_in.is_met, t[max(first - 1, 0)], t[first])
    last_out, _ = _bisect(lambda x: ~rule_out.is_met(x), t[last], t[min(last + 1, len(t) - 1)])
    t = np.unique(np.append(t, [first_in, last_out]))
    out, in_, single = _widest_regions(solver, rule_out, rule_in, t)
    nobody_in = positive.sf_inclusive(in_) + negative.sf_inclusive(in_) == 0  # then the bound is infinite
    nobody_out = positive.cdf_strict(out) + negative.cdf_strict(out) == 0
    inward, outward = np.where(nobody_in, np.inf, in_), np.where(nobody_out, -np.inf, out)
    if single:
        inward = outward = np.where(nobody_in, inward, outward)
    return outward, inward, single


def _widest_regions(solver: Solver, rule_out: _Demand, rule_in: _Demand, t: FloatArray) -> _ZoneLimits:
    """Return the bounds of the widest ruled-out and ruled-in regions, or the best threshold if these regions overlap.

    The bounds are chosen from ``t``, the candidate thresholds in ascending order. If the regions overlap but no
    threshold in the overlap meets both requirements, the ruled-out region is shortened until the overlap vanishes.
    """
    meets_in, meets_out = rule_in.is_met(t), rule_out.is_met(t)
    first = int(np.argmax(meets_in))
    both = first + np.flatnonzero((meets_in & meets_out)[first:])
    if not both.size:
        last = int(np.flatnonzero(meets_out[: first + 1])[-1])
        return np.asarray(t[last]), np.asarray(t[first]), np.asarray(False)
    threshold = np.asarray(t[both[middle_of_best(_ameans(solver, t[both]))]])
    return threshold, threshold, np.asarray(True)


def _ameans(solver: Solver, t: FloatArray) -> FloatArray:
    return np.asarray(solver.positive.sf_inclusive(t)) / 2 + np.asarray(solver.negative.cdf_strict(t)) / 2


def _bisect(holds: Callable[[FloatArray], NDArray[np.bool_]], left: float, right: float) -> tuple[float, float]:
    """Return two neighboring floats between two thresholds; ``holds`` is false at the first and true at the second."""
    if not (np.isfinite(left) and np.isfinite(right)):
        return left, right
    before, there = bisect(holds, np.asarray(left), np.asarray(right))
    return float(before), float(there)


def _interval_probability(d: Distribution[Any], low: FloatArray, high: FloatArray) -> FloatArray:
    """Return P(low <= X < high), computed from the tail that is closer to the interval."""
    below_low = np.asarray(d.cdf_strict(low))
    from_above = np.asarray(d.sf_inclusive(low)) - d.sf_inclusive(high)
    return np.where(below_low > 0.5, from_above, np.asarray(d.cdf_strict(high)) - below_low)


def _fraction(some: ArrayLike, rest: ArrayLike) -> ArrayOrFloat:
    """Return some/(some + rest), with NaN for 0/0."""
    with np.errstate(invalid="ignore"):
        return to_scalar(np.divide(some, np.add(some, rest)))
