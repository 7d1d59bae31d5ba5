"""Two thresholds with an undecided zone between them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Generic, NamedTuple

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
    short_repr,
    to_scalar,
)
from rocpredict.distributions.base import Distribution
from rocpredict.solvers.base import EVEN, Solver, middle_of_best
from rocpredict.solvers.binormal import BinormalSolver
from rocpredict.solvers.quadrature import bisect

_DEFAULT_ERROR_RATE = 0.05
_ROUNDING = 1e-12  # of a rate that was asked for, in the rate of its own quantile


@dataclass(frozen=True, eq=False, repr=False)
class GreyZone(Result, Generic[Value]):
    """Two thresholds, the rates beyond them and the shares of both classes that stay undecided between them.

    Attributes
    ----------
    low, high : float or array of shape F
        Ends of the grey zone, ``low <= high``, in the unit of the feature; an infinite end decides nobody (or, when
        both are the same, everybody). ``rule_out`` and ``rule_in`` say which end is which.
    tpr, fpr : float or array of shape F
        Share of the positives, and of the negatives, that are called positive: they lie at ``rule_in`` or beyond.
    tnr, fnr : float or array of shape F
        Share of the negatives, and of the positives, that are called negative: they lie beyond ``rule_out``.
    undecided_negative, undecided_positive : float or array of shape F
        Share of each class inside; with the rates above they add up to 1 in each class.
    single_threshold : bool or array of shape F
        Whether one threshold meets both demands, so that no grey zone is needed: then ``low == high``.
    prevalence : float or array, or None
        Share of positives where the rule will be used.
    lower : bool or array of shape F
        Whether positives lie lower, so that low values rule in.
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
        note = "One threshold meets both demands: no case is left undecided."
        return [note if self.single_threshold else f"Ruled in: {region}; undecided: in between."]

    @property
    def rule_in(self) -> Value:
        """Return the threshold of a positive call: "higher" x >= it, "lower" x <= it."""
        return to_scalar(np.where(self.lower, self.low, self.high))

    @property
    def rule_out(self) -> Value:
        """Return the threshold of a negative call: "higher" x < it, "lower" x > it."""
        return to_scalar(np.where(self.lower, self.high, self.low))

    @property
    def undecided(self) -> Value:
        """Return the share of all cases that stay undecided, for the prevalence."""
        share = self._share("undecided")
        return to_scalar(share * self.undecided_positive + (1 - share) * self.undecided_negative)

    @property
    def ppv(self) -> Value:
        """Return the share of positives among the cases ruled in, for the prevalence; NaN when nobody is."""
        share = self._share("ppv")
        return _fraction(share * self.tpr, (1 - share) * np.asarray(self.fpr))

    @property
    def npv(self) -> Value:
        """Return the share of negatives among the cases ruled out, for the prevalence; NaN when nobody is."""
        share = self._share("npv")
        return _fraction((1 - share) * np.asarray(self.tnr), share * self.fnr)

    @property
    def likelihood_ratios(self) -> tuple[Value, Value, Value]:
        """Return P(zone | positive)/P(zone | negative) of the cases ruled out, undecided and ruled in; NaN for none."""
        zones = ((self.fnr, self.tnr), (self.undecided_positive, self.undecided_negative), (self.tpr, self.fpr))
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = [to_scalar(np.divide(positive, negative)) for positive, negative in zones]
        return ratios[0], ratios[1], ratios[2]

    @property
    def decided_rates(self) -> Rates[Value]:
        """Return the rates among the decided cases alone, with their own prevalence; NaN in a class with none."""
        rates = Rates(
            tpr=_fraction(self.tpr, self.fnr),
            fpr=_fraction(self.fpr, self.tnr),
            tnr=_fraction(self.tnr, self.fpr),
            fnr=_fraction(self.fnr, self.tpr),
        )
        if self.prevalence is None:
            return rates
        share = np.asarray(self.prevalence)
        weighed = share * np.add(self.tpr, self.fnr), (1 - share) * np.add(self.tnr, self.fpr)
        return replace(rates, prevalence=_fraction(*weighed))

    @property
    def undefined(self) -> tuple[str, ...]:
        """Return the names of what is 0/0 because nobody is ruled in, ruled out or undecided (of any feature)."""
        empty = {
            "ppv": np.add(self.tpr, self.fpr) == 0,
            "npv": np.add(self.tnr, self.fnr) == 0,
            "likelihood_ratios": np.any([np.add(self.tpr, self.fpr) == 0, np.add(self.tnr, self.fnr) == 0], axis=0)
            | (np.add(self.undecided_negative, self.undecided_positive) == 0),
            "decided_rates": (np.add(self.tpr, self.fnr) == 0) | (np.add(self.tnr, self.fpr) == 0),
        }
        return tuple(name for name, mask in empty.items() if np.any(mask))

    def _share(self, name: str) -> FloatArray:
        if self.prevalence is None:
            raise RocPredictError(f"{name} needs the share of positives; give prevalence= (0 to 1) or class counts")
        return np.asarray(self.prevalence)

    def __repr__(self) -> str:
        if np.ndim(self.low):
            return (
                f"GreyZone(shape={np.shape(self.low)}, single={np.sum(self.single_threshold)} of "
                f"{np.size(self.single_threshold)})"
            )
        ends = f"threshold={self.low:.6g}" if self.single_threshold else f"low={self.low:.6g}, high={self.high:.6g}"
        shares = f"undecided_negative={self.undecided_negative:.4g}, undecided_positive={self.undecided_positive:.4g}"
        return f"GreyZone({ends}, {shares}, fnr={self.fnr:.4g}, fpr={self.fpr:.4g})"


@dataclass(frozen=True, kw_only=True)
class GreyZoneConstraints:
    """Demands on ruling out and ruling in; the fields are those of ``Roc.grey_zone``."""

    max_fnr: Any = None
    max_fpr: Any = None
    min_npv: Any = None
    min_ppv: Any = None
    prevalence: Any = None

    def __post_init__(self) -> None:
        for rate, value in (("max_fnr", "min_npv"), ("max_fpr", "min_ppv")):
            if getattr(self, rate) is not None and getattr(self, value) is not None:
                raise RocPredictError(f"{rate} and {value} are two demands on one threshold; give one of them")
            if getattr(self, value) is not None and self.prevalence is None:
                raise RocPredictError(
                    f"{value} needs the share of positives; give prevalence= (0 to 1) or class counts"
                )
        if self.prevalence is not None:
            check_probabilities("prevalence", self.prevalence, inclusive=self.min_npv is None and self.min_ppv is None)

    @property
    def rule_in(self) -> _Constraint:
        """The demand on the cases called positive."""
        return self._demand("max_fpr", "min_ppv", lambda share: np.log1p(-share) - np.log(share))

    @property
    def rule_out(self) -> _Constraint:
        """The demand on the cases called negative."""
        return self._demand("max_fnr", "min_npv", lambda share: np.log(share) - np.log1p(-share))

    def _demand(self, rate: str, value: str, log_odds: Callable[[FloatArray], FloatArray]) -> _Constraint:
        if getattr(self, value) is None:
            limit = getattr(self, rate)
            return _Constraint(check_probabilities(rate, _DEFAULT_ERROR_RATE if limit is None else limit), None)
        least = check_probabilities(value, getattr(self, value))
        with np.errstate(divide="ignore"):
            odds = np.log(least) - np.log1p(-least) + log_odds(check_probabilities("prevalence", self.prevalence))
        return _Constraint(None, np.where(np.abs(odds) < _ROUNDING, 0.0, odds))

    def allow_rule_in(self, solver: Solver, t: FloatArray) -> NDArray[np.bool_]:
        """Return whether calling positive from t on meets the demand; calling nobody so does."""
        right, wrong = (np.asarray(d.sf_inclusive(t)) for d in (solver.positive, solver.negative))
        return self.rule_in.is_satisfied(right, wrong)

    def allow_rule_out(self, solver: Solver, t: FloatArray) -> NDArray[np.bool_]:
        """Return whether calling negative below t meets the demand; calling nobody so does."""
        right, wrong = (np.asarray(d.cdf_strict(t)) for d in (solver.negative, solver.positive))
        return self.rule_out.is_satisfied(right, wrong)


class _Constraint(NamedTuple):
    """A highest rate of wrong calls, or lowest odds of right ones to wrong ones, each as a share of its class."""

    rate: FloatArray | None
    log_odds: FloatArray | None

    def is_satisfied(self, right: FloatArray, wrong: FloatArray) -> NDArray[np.bool_]:
        """Return where it is met, but for rounding."""
        if self.rate is not None:
            return np.asarray(wrong <= self.rate * (1 + _ROUNDING))
        with np.errstate(divide="ignore", invalid="ignore"):
            odds = np.exp(np.minimum(np.asarray(self.log_odds), 700.0))  # no rate but 0 is as small
            return np.asarray((right >= odds * np.asarray(wrong) * (1 - _ROUNDING)) | (self.log_odds == -np.inf))


class _ZoneLimits(NamedTuple):
    """The thresholds of ruling out (x < out) and of ruling in (x >= in_), positives lying higher."""

    rule_out: FloatArray
    rule_in: FloatArray
    single: NDArray[np.bool_]


def find_grey_zone(
    solver: Solver, demands: GreyZoneConstraints, lower: ArrayLike, turned_back: Callable[..., Any]
) -> GreyZone[Any]:
    """Find the grey zone of two distributions, reflected so that positives have larger values."""
    for name in ("max_fnr", "max_fpr", "min_npv", "min_ppv", "prevalence"):
        _check_shape(name, getattr(demands, name), solver.shape)
    negative, positive = pair = solver.negative, solver.positive
    thresholds = solver.thresholds if solver.is_discrete else None
    if thresholds is not None:
        out, in_, single = _widest_regions(solver, demands, thresholds[::-1])
    else:
        out, in_, single = (_grey_zone_gaussian if solver.is_fast else _grey_zone_search)(solver, demands)
    tpr, fpr = (to_scalar(d.sf_inclusive(in_)) for d in (positive, negative))
    tnr, fnr = (to_scalar(d.cdf_strict(out)) for d in (negative, positive))
    undecided = [to_scalar(np.where(single, 0.0, _interval_probability(d, out, in_))) for d in pair]
    limits = [np.asarray(turned_back(limit)) for limit in (out, in_)]
    low, high = to_scalar(np.minimum(*limits)), to_scalar(np.maximum(*limits))
    is_single, is_lower = to_scalar(single), to_scalar(np.asarray(lower))
    return GreyZone(low, high, tpr, fpr, tnr, fnr, undecided[0], undecided[1], is_single, demands.prevalence, is_lower)


def _grey_zone_gaussian(solver: Solver, demands: GreyZoneConstraints) -> _ZoneLimits:
    """Find the ends for two Gaussians, one feature or a batch, by their quantiles."""
    negative, positive = solver.negative, solver.positive

    def limit(pair: BinormalSolver, demand: _Constraint) -> FloatArray:
        if demand.log_odds is not None:
            return pair.threshold_for_odds(demand.log_odds)
        return pair.threshold_at("fpr", np.asarray(demand.rate))

    in_ = limit(BinormalSolver(negative, positive), demands.rule_in)
    out = 0.0 - limit(BinormalSolver(positive.reflect(), negative.reflect()), demands.rule_out)
    out, in_ = np.broadcast_arrays(out, in_)
    single = out >= in_
    if not single.any():
        return _ZoneLimits(out, in_, single)
    best = np.asarray(solver.optimal(EVEN).threshold)
    # beyond the best values a tail may predict worse again, on one side at most: an end of the overlap meets both
    choices = [np.clip(best, in_, np.maximum(in_, out)), in_, out]
    ameans = [
        np.where(
            demands.allow_rule_in(solver, t) & demands.allow_rule_out(solver, t),
            np.asarray(positive.sf_inclusive(t)) / 2 + np.asarray(negative.cdf_strict(t)) / 2,
            -np.inf,
        )
        for t in choices
    ]
    selected = np.choose(np.argmax(ameans, axis=0), choices)
    return _ZoneLimits(np.where(single, selected, out), np.where(single, selected, in_), single)


def _grey_zone_search(solver: Solver, demands: GreyZoneConstraints) -> _ZoneLimits:
    """Find the ends on a grid, and then to the float."""
    atoms = np.concatenate([solver.negative.atoms().points, solver.positive.atoms().points])
    best = float(solver.optimal(EVEN).threshold)
    t = np.unique(np.concatenate([solver.search_grid, atoms, np.nextafter(atoms, np.inf), [-np.inf, best, np.inf]]))
    first = int(np.argmax(demands.allow_rule_in(solver, t)))
    last = len(t) - 1 - int(np.argmax(demands.allow_rule_out(solver, t)[::-1]))
    in_ = _refine_by_bisection(lambda x: demands.allow_rule_in(solver, x), t[max(first - 1, 0)], t[first])
    out = _refine_by_bisection(
        lambda x: ~demands.allow_rule_out(solver, x), t[last], t[min(last + 1, len(t) - 1)], before=True
    )
    regions = _widest_regions(solver, demands, np.unique(np.concatenate([t, [in_, out]])))
    negative, positive = solver.negative, solver.positive  # an end that decides nobody is infinite
    nobody_in = positive.sf_inclusive(regions.rule_in) + negative.sf_inclusive(regions.rule_in) == 0
    nobody_out = positive.cdf_strict(regions.rule_out) + negative.cdf_strict(regions.rule_out) == 0
    inward, outward = np.where(nobody_in, np.inf, regions.rule_in), np.where(nobody_out, -np.inf, regions.rule_out)
    if regions.single:
        inward = outward = np.where(nobody_in, inward, outward)
    return _ZoneLimits(outward, inward, regions.single)


def _widest_regions(solver: Solver, demands: GreyZoneConstraints, t: FloatArray) -> _ZoneLimits:
    """Return the widest regions among ascending thresholds, or the best threshold where these overlap.

    Where no threshold in the overlap meets both demands, the region ruled in keeps its width.
    """
    meets_in, meets_out = demands.allow_rule_in(solver, t), demands.allow_rule_out(solver, t)
    first = int(np.argmax(meets_in))
    both = first + np.flatnonzero((meets_in & meets_out)[first:])
    if not both.size:
        last = int(np.flatnonzero(meets_out[: first + 1])[-1])
        return _ZoneLimits(np.asarray(t[last]), np.asarray(t[first]), np.asarray(False))
    ameans = np.asarray(solver.positive.sf_inclusive(t[both])) / 2 + np.asarray(solver.negative.cdf_strict(t[both])) / 2
    threshold = np.asarray(t[both[middle_of_best(ameans)]])
    return _ZoneLimits(threshold, threshold, np.asarray(True))


def _refine_by_bisection(
    holds: Callable[[FloatArray], NDArray[np.bool_]], left: float, right: float, *, before: bool = False
) -> float:
    """Return where a statement becomes true between two thresholds: the first float there, or the last before."""
    if not (np.isfinite(left) and np.isfinite(right)):
        return left if before else right
    brackets = bisect(holds, np.asarray(left), np.asarray(right))
    return float(brackets[0] if before else brackets[1])


def _interval_probability(d: Distribution[Any], low: FloatArray, high: FloatArray) -> FloatArray:
    """Return P(low <= X < high) from the nearer tail."""
    above, below = (
        np.asarray(d.sf_inclusive(low)) - d.sf_inclusive(high),
        np.asarray(d.cdf_strict(high)) - d.cdf_strict(low),
    )
    return np.asarray(np.where(np.asarray(d.cdf_strict(low)) > 0.5, above, below))


def _fraction(some: ArrayLike, rest: ArrayLike) -> ArrayOrFloat:
    """Return some/(some + rest); NaN for 0/0."""
    with np.errstate(invalid="ignore"):
        return to_scalar(np.divide(some, np.add(some, rest)))


def _check_shape(name: str, value: Any, shape: tuple[int, ...]) -> None:
    """Refuse a demand that is neither one number nor an array of the shape of the batch."""
    if value is not None and np.shape(value) not in {(), shape}:
        allowed = f"one number, or an array of shape {shape}" if shape else "one number"
        raise RocPredictError(f"{name}={short_repr(value)} has shape {np.shape(value)}; give {allowed}")
