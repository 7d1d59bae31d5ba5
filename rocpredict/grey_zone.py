"""Two thresholds that leave a grey zone between them: rule out on one side, rule in on the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rocpredict import binormal, numeric, steps
from rocpredict.arguments import FloatArray, Values, as_fractions, plain, shown
from rocpredict.binormal.likelihood.odds import threshold_at_odds
from rocpredict.distributions import Distribution
from rocpredict.engines import engine_for
from rocpredict.errors import RocPredictError
from rocpredict.measures import Rates
from rocpredict.numeric.search import bisect, grid_of
from rocpredict.rich_results import Rich, Shown, of_batch

_Pair = tuple[Distribution, Distribution]
_USUAL = 0.05
_EPS = 4 * np.finfo(float).eps
_ROUNDING = 1e-12  # of a rate that was asked for, in the rate of its own quantile


@dataclass(frozen=True, eq=False, repr=False)
class GreyZone(Rich):
    """Hold two thresholds, what is decided beyond them and how many cases stay undecided between them.

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
    single : bool or array of shape F
        Whether one threshold meets both demands, so that no grey zone is needed: then ``low == high``.
    prevalence : float or array, or None
        Share of positives where the rule will be used.
    lower : bool or array of shape F
        Whether positives lie lower, so that low values rule in.
    """

    low: Values
    high: Values
    tpr: Values
    fpr: Values
    tnr: Values
    fnr: Values
    undecided_negative: Values
    undecided_positive: Values
    single: Values
    prevalence: Values
    lower: Values

    @property
    def rule_in(self) -> Values:
        """Give the threshold of a positive call: "higher" x >= it, "lower" x <= it."""
        return plain(np.where(self.lower, self.low, self.high))

    @property
    def rule_out(self) -> Values:
        """Give the threshold of a negative call: "higher" x < it, "lower" x > it."""
        return plain(np.where(self.lower, self.high, self.low))

    @property
    def undecided(self) -> Values:
        """Give the share of all cases that stay undecided, for the prevalence."""
        share = self._share("undecided")
        return plain(share * self.undecided_positive + (1 - share) * self.undecided_negative)

    @property
    def ppv(self) -> Values:
        """Give the share of positives among the cases ruled in, for the prevalence; NaN when nobody is."""
        share = self._share("ppv")
        return _part(share * self.tpr, (1 - share) * np.asarray(self.fpr))

    @property
    def npv(self) -> Values:
        """Give the share of negatives among the cases ruled out, for the prevalence; NaN when nobody is."""
        share = self._share("npv")
        return _part((1 - share) * np.asarray(self.tnr), share * self.fnr)

    @property
    def likelihood_ratios(self) -> tuple[Values, Values, Values]:
        """Give P(zone | positive)/P(zone | negative) of the cases ruled out, undecided and ruled in; NaN for none."""
        zones = ((self.fnr, self.tnr), (self.undecided_positive, self.undecided_negative), (self.tpr, self.fpr))
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = [plain(np.divide(positive, negative)) for positive, negative in zones]
        return ratios[0], ratios[1], ratios[2]

    @property
    def decided(self) -> Rates:
        """Give the rates among the decided cases alone, with their own prevalence; NaN in a class with none."""
        rates = Rates(
            tpr=_part(self.tpr, self.fnr),
            fpr=_part(self.fpr, self.tnr),
            tnr=_part(self.tnr, self.fpr),
            fnr=_part(self.fnr, self.tpr),
        )
        if self.prevalence is None:
            return rates
        share = np.asarray(self.prevalence)
        weighed = share * np.add(self.tpr, self.fnr), (1 - share) * np.add(self.tnr, self.fpr)
        return replace(rates, prevalence=_part(*weighed))

    @property
    def undefined(self) -> tuple[str, ...]:
        """Name what is 0/0 because nobody is ruled in, ruled out or left undecided (in a batch, of any feature)."""
        empty = {
            "ppv": np.add(self.tpr, self.fpr) == 0,
            "npv": np.add(self.tnr, self.fnr) == 0,
            "likelihood_ratios": np.any([np.add(self.tpr, self.fpr) == 0, np.add(self.tnr, self.fnr) == 0], axis=0)
            | (np.add(self.undecided_negative, self.undecided_positive) == 0),
            "decided": (np.add(self.tpr, self.fnr) == 0) | (np.add(self.tnr, self.fpr) == 0),
        }
        return tuple(name for name, mask in empty.items() if np.any(mask))

    def to_dict(self) -> dict[str, Any]:
        """Give the numbers by name; those that need a prevalence where there is one."""
        rates = ("tpr", "fpr", "tnr", "fnr", "undecided_negative", "undecided_positive")
        names = ("low", "high", "rule_out", "rule_in", "single", *rates, "likelihood_ratios", "undefined")
        weighed = () if self.prevalence is None else ("prevalence", "undecided", "npv", "ppv")
        return {name: getattr(self, name) for name in (*names, *weighed)}

    def _share(self, name: str) -> FloatArray:
        if self.prevalence is None:
            raise RocPredictError(f"{name} needs the share of positives; give prevalence= (0 to 1) or class counts")
        return np.asarray(self.prevalence)

    def _shown(self) -> Shown:
        names = ("low", "high", "tpr", "fpr", "tnr", "fnr", "undecided_negative", "undecided_positive")
        columns = {name.replace("_", " "): getattr(self, name) for name in names}
        if np.ndim(self.low):
            return of_batch("Grey zone", np.shape(self.low), columns | {"single": self.single})
        weighed = () if self.prevalence is None else ("prevalence", "undecided", "npv", "ppv")
        rows = [[word, value] for word, value in columns.items()] + [[name, getattr(self, name)] for name in weighed]
        side = "at or below low" if self.lower else "at or above high"
        one = "One threshold meets both demands: no case is left undecided."
        return Shown("Grey zone", rows, notes=[one if self.single else f"Ruled in: {side}; undecided: in between."])

    def __repr__(self) -> str:
        if np.ndim(self.low):
            return f"GreyZone(shape={np.shape(self.low)}, single={np.sum(self.single)} of {np.size(self.single)})"
        ends = f"threshold={self.low:.6g}" if self.single else f"low={self.low:.6g}, high={self.high:.6g}"
        shares = f"undecided_negative={self.undecided_negative:.4g}, undecided_positive={self.undecided_positive:.4g}"
        return f"GreyZone({ends}, {shares}, fnr={self.fnr:.4g}, fpr={self.fpr:.4g})"


@dataclass(frozen=True, kw_only=True)
class Demands:
    """Say what ruling out and ruling in must keep to; the fields are those of ``Roc.grey_zone``."""

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
            as_fractions("prevalence", self.prevalence, ends=self.min_npv is None and self.min_ppv is None)

    @property
    def on_ruling_in(self) -> _Demand:
        """The demand on the cases called positive."""
        return self._demand("max_fpr", "min_ppv", lambda share: np.log1p(-share) - np.log(share))

    @property
    def on_ruling_out(self) -> _Demand:
        """The demand on the cases called negative."""
        return self._demand("max_fnr", "min_npv", lambda share: np.log(share) - np.log1p(-share))

    def _demand(self, rate: str, value: str, log_odds: Callable[[FloatArray], FloatArray]) -> _Demand:
        if getattr(self, value) is None:
            limit = getattr(self, rate)
            return _Demand(as_fractions(rate, _USUAL if limit is None else limit), None)
        wanted = as_fractions(value, getattr(self, value))
        with np.errstate(divide="ignore"):
            odds = np.log(wanted) - np.log1p(-wanted) + log_odds(as_fractions("prevalence", self.prevalence))
        return _Demand(None, np.where(np.abs(odds) < _ROUNDING, 0.0, odds))


class _Demand(NamedTuple):
    """A highest rate of wrong calls, or lowest odds of right ones to wrong ones, each as a share of its class."""

    rate: FloatArray | None
    log_odds: FloatArray | None

    def met(self, right: FloatArray, wrong: FloatArray) -> NDArray[np.bool_]:
        """Tell where it is met, but for rounding."""
        if self.rate is not None:
            return np.asarray(wrong <= self.rate * (1 + _ROUNDING))
        with np.errstate(divide="ignore", invalid="ignore"):
            odds = np.exp(np.minimum(np.asarray(self.log_odds), 700.0))  # no rate but 0 is as small
            return np.asarray((right >= odds * np.asarray(wrong) * (1 - _ROUNDING)) | (self.log_odds == -np.inf))


class _Ends(NamedTuple):
    """The thresholds of ruling out (x < out) and of ruling in (x >= in_), positives lying higher."""

    out: FloatArray
    in_: FloatArray
    single: NDArray[np.bool_]


def find_grey_zone(pair: _Pair, demands: Demands, lower: ArrayLike, turned_back: Callable[..., Any]) -> GreyZone:
    """Find the grey zone of two distributions, turned so that positives lie higher."""
    shape = np.broadcast_shapes(*(d.shape for d in pair))
    for name in ("max_fnr", "max_fpr", "min_npv", "min_ppv", "prevalence"):
        _check_shape(name, getattr(demands, name), shape)
    negative, positive = pair
    find = _between_gaussians if engine_for(*pair) is binormal else _among_candidates
    out, in_, single = find(pair, demands)
    tpr, fpr = (np.asarray(d.at_or_above(in_)) for d in (positive, negative))
    tnr, fnr = (np.asarray(d.below(out)) for d in (negative, positive))
    undecided = [np.where(single, 0.0, _inside(d, out, in_)) for d in pair]
    ends = [np.asarray(turned_back(end)) for end in (out, in_)]
    return GreyZone(
        low=plain(np.minimum(*ends)),
        high=plain(np.maximum(*ends)),
        tpr=plain(tpr),
        fpr=plain(fpr),
        tnr=plain(tnr),
        fnr=plain(fnr),
        undecided_negative=plain(undecided[0]),
        undecided_positive=plain(undecided[1]),
        single=plain(single),
        prevalence=demands.prevalence,
        lower=plain(np.asarray(lower)),
    )


def _between_gaussians(pair: Any, demands: Demands) -> _Ends:
    """Find the ends for two Gaussians, one feature or a batch, by their quantiles."""
    negative, positive = pair
    in_ = _gaussian_end(negative, positive, demands.on_ruling_in)
    out = 0.0 - _gaussian_end(positive.reflect(), negative.reflect(), demands.on_ruling_out)
    out, in_ = np.broadcast_arrays(out, in_)
    single = out >= in_
    if not single.any():
        return _Ends(out, in_, single)
    best = np.asarray(binormal.best(negative, positive, np.zeros(())).threshold)
    # beyond the best values a tail may predict worse again, on one side at most: an end of the overlap meets both
    choices = [np.clip(best, in_, np.maximum(in_, out)), in_, out]
    ameans = [
        np.where(
            _rules_in(pair, demands, t) & _rules_out(pair, demands, t),
            np.asarray(positive.at_or_above(t)) / 2 + np.asarray(negative.below(t)) / 2,
            -np.inf,
        )
        for t in choices
    ]
    chosen = np.choose(np.argmax(ameans, axis=0), choices)
    return _Ends(np.where(single, chosen, out), np.where(single, chosen, in_), single)


def _gaussian_end(negative: Any, positive: Any, demand: _Demand) -> FloatArray:
    if demand.rate is None:
        return threshold_at_odds(negative, positive, np.asarray(demand.log_odds))
    return np.asarray(binormal.threshold_at_fpr(negative, positive, demand.rate))


def _among_candidates(pair: _Pair, demands: Demands) -> _Ends:
    """Find the ends among all steps of samples, or on a grid of densities and then to the float."""
    if engine_for(*pair) is steps:
        t = steps.vertices(*pair).thresholds[::-1]  # type: ignore[arg-type]
        return _widest(t, _rules_in(pair, demands, t), _rules_out(pair, demands, t), pair)
    t = _grid(*pair)
    first = int(np.argmax(_rules_in(pair, demands, t)))
    last = len(t) - 1 - int(np.argmax(_rules_out(pair, demands, t)[::-1]))
    in_ = _polished(lambda x: _rules_in(pair, demands, x), t[max(first - 1, 0)], t[first])
    out = _polished(lambda x: ~_rules_out(pair, demands, x), t[last], t[min(last + 1, len(t) - 1)], before=True)
    t = np.unique(np.concatenate([t, [in_, out]]))
    found = _widest(t, _rules_in(pair, demands, t), _rules_out(pair, demands, t), pair)
    negative, positive = pair  # who decides nobody, or everybody, says so
    nobody_in = positive.at_or_above(found.in_) + negative.at_or_above(found.in_) == 0
    nobody_out = positive.below(found.out) + negative.below(found.out) == 0
    inward, outward = np.where(nobody_in, np.inf, found.in_), np.where(nobody_out, -np.inf, found.out)
    if found.single:
        inward = outward = np.where(nobody_in, inward, outward)
    return _Ends(outward, inward, found.single)


def _widest(t: FloatArray, meets_in: NDArray[np.bool_], meets_out: NDArray[np.bool_], pair: _Pair) -> _Ends:
    """Give the widest regions among ascending thresholds, or the best threshold where these overlap.

    Where no threshold in the overlap meets both demands, the region ruled in keeps its width.
    """
    first = int(np.argmax(meets_in))
    both = first + np.flatnonzero((meets_in & meets_out)[first:])
    if not both.size:
        last = int(np.flatnonzero(meets_out[: first + 1])[-1])
        return _Ends(np.asarray(t[last]), np.asarray(t[first]), np.asarray(False))
    ameans = np.asarray(pair[1].at_or_above(t[both])) / 2 + np.asarray(pair[0].below(t[both])) / 2
    good = np.flatnonzero(ameans >= ameans.max() - _EPS)
    chosen = np.asarray(t[both[good[(len(good) - 1) // 2]]])
    return _Ends(chosen, chosen, np.asarray(True))


def _rules_in(pair: _Pair, demands: Demands, t: FloatArray) -> NDArray[np.bool_]:
    """Tell whether calling positive from t on meets the demand; calling nobody so does."""
    negative, positive = pair
    return demands.on_ruling_in.met(np.asarray(positive.at_or_above(t)), np.asarray(negative.at_or_above(t)))


def _rules_out(pair: _Pair, demands: Demands, t: FloatArray) -> NDArray[np.bool_]:
    """Tell whether calling negative below t meets the demand; calling nobody so does."""
    negative, positive = pair
    return demands.on_ruling_out.met(np.asarray(negative.below(t)), np.asarray(positive.below(t)))


def _grid(negative: Distribution, positive: Distribution) -> FloatArray:
    """Give thresholds dense wherever a class has probability, at atoms on both sides, and the ends of the axis."""
    atoms = np.concatenate([negative.atoms().points, positive.atoms().points])
    best = np.asarray(numeric.best(negative, positive, np.zeros(())).threshold)
    ends = np.array([-np.inf, float(best), np.inf])
    return np.unique(np.concatenate([grid_of(negative, positive), atoms, np.nextafter(atoms, np.inf), ends]))


def _polished(
    holds: Callable[[FloatArray], NDArray[np.bool_]], left: float, right: float, *, before: bool = False
) -> float:
    """Give where a statement becomes true between two thresholds: the first float there, or the last before."""
    if not (np.isfinite(left) and np.isfinite(right)):
        return left if before else right
    found = bisect(holds, np.asarray(left), np.asarray(right))
    return float(found[0] if before else found[1])


def _inside(d: Distribution, low: FloatArray, high: FloatArray) -> FloatArray:
    """Give P(low <= X < high) from the nearer tail."""
    above, below = np.asarray(d.at_or_above(low)) - d.at_or_above(high), np.asarray(d.below(high)) - d.below(low)
    return np.asarray(np.where(np.asarray(d.below(low)) > 0.5, above, below))


def _part(some: ArrayLike, rest: ArrayLike) -> Values:
    """Give some/(some + rest); NaN for 0/0."""
    with np.errstate(invalid="ignore"):
        return plain(np.divide(some, np.add(some, rest)))


def _check_shape(name: str, value: Any, shape: tuple[int, ...]) -> None:
    """Refuse a demand that is neither one number nor an array of the shape of the batch."""
    if value is not None and np.shape(value) not in {(), shape}:
        allowed = f"one number, or an array of shape {shape}" if shape else "one number"
        raise RocPredictError(f"{name}={shown(value)} has shape {np.shape(value)}; give {allowed}")
