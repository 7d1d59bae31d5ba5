"""Model of the teaching page: state and computed answers."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from threading import Lock
from typing import Any, Generic, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from rocpredict.base.rates import Rates
from rocpredict.base.results import Flags
from rocpredict.base.validation import (
    ArrayOrFloat,
    FloatArray,
    RocPredictError,
    check_finite,
    check_option,
    check_probability,
    short_repr,
    to_scalar,
)
from rocpredict.distributions.gaussian import Gaussian
from rocpredict.roc.empirical import EmpiricalRoc
from rocpredict.roc.predicted import PredictedRoc
from rocpredict.solvers.base import Hook, RocCurve, hook_of_polyline
from rocpredict.solvers.thresholds import BestThreshold, log_cost_ratio
from rocpredict.teaching.assets import python_strings
from rocpredict.teaching.data import (
    MAX_MAGNITUDE,
    FeatureRocs,
    PageDataset,
    empirical_statistics,
    feature_rocs,
    largest_tpr_gap,
    to_json_values,
    unusable_message,
)

T = TypeVar("T")


class ThreadSafeCache(Generic[T]):
    """Keep what a function gives; who asks for what is being made waits for it, and nobody else waits.

    Parameters
    ----------
    function : function
        Of things that can be a key. What it raises is not kept.
    maxsize : int
        How many are kept: those that were asked for last.

    Examples
    --------
    >>> square = ThreadSafeCache(lambda number: number**2)
    >>> square(3), square(3)
    (9, 9)
    """

    def __init__(self, function: Callable[..., T], maxsize: int = 64) -> None:
        self._make, self._most = function, maxsize
        self._lock = Lock()
        self._held: OrderedDict[tuple[Any, ...], _CacheEntry[T]] = OrderedDict()

    def __call__(self, *key: Any) -> T:
        """Give what the function gives for a key."""
        place = self._entry(key)
        with place.lock:
            if not place.made:
                place.made = [self._make(*key)]
            return place.made[0]

    def _entry(self, key: tuple[Any, ...]) -> _CacheEntry[T]:
        with self._lock:
            place = self._held.setdefault(key, _CacheEntry())
            self._held.move_to_end(key)
            while len(self._held) > self._most:
                self._held.popitem(last=False)
            return place


class _CacheEntry(Generic[T]):
    """Hold what was made, once it is, under a lock of its own."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.made: list[T] = []


@dataclass(frozen=True)
class PageState:
    """Say what the page shows; left out, it is the founding paper's example.

    Attributes
    ----------
    data : str
        "" for two Gaussians typed in, else the key of data.
    feature, contrast : int
    family : str
    mean0, mean1, std0, std1 : float
    direction : {"higher", "lower"}
    threshold : float
    prevalence : float
        Inside (0, 1).
    cost : float
        Of a false positive, in that of a false negative; above 0.
    """

    data: str = ""
    feature: int = 0
    contrast: int = 0
    family: str = "gaussian"
    mean0: float = 4.0
    mean1: float = 8.0
    std0: float = 3.0
    std1: float = 2.0
    direction: str = "higher"
    threshold: float = 6.0
    prevalence: float = 0.5
    cost: float = 1.0


_FIELD_TYPES = {item.name: type(item.default) for item in fields(PageState)}
_POSITIVE = ("std0", "std1", "cost")


def parse_state(state: Mapping[str, Any]) -> PageState:
    """Check a state as a page sends it, in words or numbers; what else is in it is the page's own affair.

    Raises
    ------
    RocPredictError
        No mapping; a number that is none, is not finite or out of range: it is named.

    Examples
    --------
    >>> parse_state({"mean0": "1.5", "prevalence": 0.1}).mean0
    1.5
    """
    if not isinstance(state, Mapping):
        raise RocPredictError(f"state={short_repr(state)} is not a mapping of names to numbers and words")
    found = PageState(**{name: _read(name, state[name]) for name in _FIELD_TYPES if name in state})
    check_option("direction", found.direction, ("higher", "lower"))
    check_probability("prevalence", found.prevalence, ends=False)
    return found


def _read(name: str, value: Any) -> Any:
    kind = _FIELD_TYPES[name]
    if kind is str:
        if not isinstance(value, str):
            raise RocPredictError(f"{name}={short_repr(value)} is not a word")
        return value
    number = _number(name, value)
    if kind is int:
        if not number.is_integer() or not 0 <= number < MAX_MAGNITUDE:
            raise RocPredictError(f"{name}={short_repr(value)} is not a whole number from 0")
        return int(number)
    if name in _POSITIVE and not 1 / MAX_MAGNITUDE <= number <= MAX_MAGNITUDE:
        raise RocPredictError(
            f"{name}={short_repr(value)} is not allowed; give a number above 0 (up to {MAX_MAGNITUDE:g})"
        )
    if abs(number) > MAX_MAGNITUDE:
        raise RocPredictError(
            f"{name}={short_repr(value)} is too large; give a number between -{MAX_MAGNITUDE:g} and {MAX_MAGNITUDE:g}"
        )
    return number


def _number(name: str, value: Any) -> float:
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise RocPredictError(f"{name}={short_repr(value)} is not a number")
    try:
        return float(check_finite(name, float(value)))
    except (ValueError, OverflowError) as error:
        if isinstance(error, RocPredictError):
            raise
        raise RocPredictError(f"{name}={short_repr(value)} is not a number") from None


_TAIL = 1e-12
_N_THRESHOLDS, _PROBABILITIES = 1025, np.linspace(0, 1, 257)
_N_SUBINTERVALS, _N_REFINEMENTS = 16, 4


class CurveTable(NamedTuple):
    """Hold the classes at many thresholds, ascending: both rates, and log(f1/f0)."""

    threshold: FloatArray
    fpr: FloatArray
    tpr: FloatArray
    log_likelihood_ratio: FloatArray


@dataclass(frozen=True, eq=False, repr=False)
class TabulatedRoc(PredictedRoc):
    """Answer what a page asks again and again from one table of the curve.

    Notes
    -----
    The table has 1025 thresholds evenly between the quantiles 1e-12 and 1 - 1e-12 of the classes, and 257 quantiles of
    each. Crossings of the densities are bracketed in it and closed in on by the densities themselves, to about 1e-9 of
    the distance of two thresholds; the best threshold is one of them or infinite, with its rates as exact as ever. A
    crossing narrower than the table, or further out than it reaches, is not seen. Where the curve meets the chance
    line, and heights at an FPR, are read between two thresholds of the table: to about 1e-4.
    """

    def tabulated(self) -> Self:
        """Make the table now, and give this prediction."""
        _ = self._curve
        return self

    def best_threshold(  # type: ignore[override]
        self, criterion: str = "ameans", *, prevalence: ArrayOrFloat = 0.5, cost_fp: ArrayOrFloat = 1.0
    ) -> BestThreshold:
        """Give the best threshold for "ameans", "cost" or "accuracy"."""
        price = log_cost_ratio(prevalence, cost_fp, 1.0)
        crossings = self._crossings(price)
        side = -np.inf if self.direction == "lower" else np.inf
        candidates = np.array([side, -side, *crossings])
        tpr, fpr = (np.asarray(rate(candidates)) for rate in (self.tpr, self.fpr))
        fnr, tnr = (np.asarray(rate(candidates)) for rate in (self.fnr, self.tnr))
        losses = fnr + np.exp(price) * fpr
        k = int(np.argmin(losses))
        threshold, *rates = (float(column[k]) for column in (candidates, tpr, fpr, tnr, fnr))
        named = dict(zip(("tpr", "fpr", "tnr", "fnr"), rates, strict=True))
        return BestThreshold(
            threshold=threshold,
            criterion=criterion,
            criterion_value=float(losses[k]),
            crossings=crossings,
            plateau=(threshold, threshold),
            flags=Flags(),
            **named,
        )

    def hook(self) -> Hook:
        """Give the part of the curve that lies below the chance line."""
        return Hook(*hook_of_polyline(self._curve.fpr, self._curve.tpr))

    def curve(self, points: int = 0) -> RocCurve:
        """Give the table as a curve."""
        del points
        return self._curve

    def tpr_at_fpr(self, fpr: ArrayLike) -> ArrayOrFloat:
        """Give the TPR at an FPR, read between two points of the table."""
        return to_scalar(np.interp(np.asarray(fpr), self._curve.fpr, self._curve.tpr))

    @cached_property
    def _table(self) -> CurveTable:
        classes = (self.negative, self.positive)
        ends = [float(tail(_TAIL)) for d in classes for tail in (d.ppf, d.isf)]
        inner = [np.asarray(d.ppf(_PROBABILITIES[1:-1])) for d in classes]
        found = np.unique(np.concatenate([np.linspace(min(ends), max(ends), _N_THRESHOLDS), *inner]))
        t = found[np.isfinite(found)]
        return CurveTable(t, np.asarray(self.fpr(t)), np.asarray(self.tpr(t)), self._level(t))

    @cached_property
    def _curve(self) -> RocCurve:
        """Give the curve from (0, 0) to (1, 1)."""
        order = slice(None) if self.direction == "lower" else slice(None, None, -1)
        side = -np.inf if self.direction == "lower" else np.inf
        t, fpr, tpr, _ = (column[order] for column in self._table)
        return RocCurve(np.array([side, *t, -side]), np.array([0.0, *fpr, 1.0]), np.array([0.0, *tpr, 1.0]))

    def _level(self, t: FloatArray) -> FloatArray:
        with np.errstate(invalid="ignore"):
            return np.asarray(np.asarray(self.positive.logpdf(t)) - self.negative.logpdf(t))

    def _crossings(self, price: FloatArray) -> FloatArray:
        """Give the thresholds at which the weighted densities cross, ascending."""
        above = self._table.log_likelihood_ratio - price
        known = np.flatnonzero(~np.isnan(above))
        signs = above[known] > 0
        turns = np.flatnonzero(signs[1:] != signs[:-1])
        low, high = self._table.threshold[known[turns]], self._table.threshold[known[turns + 1]]
        return self._refine_brackets(low, high, signs[turns + 1], price) if turns.size else np.empty(0)

    def _refine_brackets(self, low: FloatArray, high: FloatArray, rises: Any, price: FloatArray) -> FloatArray:
        """Narrow brackets to the part in which the sign changes, again and again; then a straight line."""
        rows = np.arange(len(low))
        for _ in range(_N_REFINEMENTS):
            t = np.linspace(low, high, _N_SUBINTERVALS + 1, axis=-1)
            above = self._level(t) - price
            arrived = ((above > 0) == rises[:, None]) & ~np.isnan(above)
            arrived[:, 0], arrived[:, -1] = False, True
            first = np.argmax(arrived, axis=-1)
            low, high = t[rows, first - 1], t[rows, first]
            start, end = above[rows, first - 1], above[rows, first]
        with np.errstate(divide="ignore", invalid="ignore"):
            share = start / (start - end)
        return np.asarray(low + (high - low) * np.where((share >= 0) & (share <= 1), share, 0.5))


FAMILIES = ("gaussian", "auto", "yeojohnson", "logistic", "laplace", "kde", "histogram")
"""What is fitted while a lecture waits: each fit and its first answer within about a second."""
_TABULATED = ("kde",)
"""Families that take too long to search again at every move."""
_RANGE_SD, _PADDING = 4.2, 0.01
_CACHE_SIZE = 64


class PageModel:
    """Answer for states of a page; what was fitted is kept, and made once when several ask for it at once.

    Parameters
    ----------
    data : iterable of PageDataset
    lang : str
        Of the sentences in an answer.

    Examples
    --------
    >>> from rocpredict.teaching.model import PageModel
    >>> PageModel().evaluate({"threshold": "6"})["auc"]
    0.8663712534228061
    """

    def __init__(self, data: Iterable[PageDataset] = (), lang: str = "en") -> None:
        self._data = {rows.key: rows for rows in data}
        self._words = python_strings(lang)
        self._counted = ThreadSafeCache(self._count, _CACHE_SIZE)
        self._pair = ThreadSafeCache(self._fit, _CACHE_SIZE)
        self._fitted = ThreadSafeCache(self._predict, _CACHE_SIZE)
        self._observed = ThreadSafeCache(self._empirical_roc, _CACHE_SIZE)
        self._even = ThreadSafeCache(_best_ameans, _CACHE_SIZE)
        self._weighed = ThreadSafeCache(_best_cost, _CACHE_SIZE)
        self._gap = ThreadSafeCache(largest_tpr_gap, _CACHE_SIZE)
        self._shape = ThreadSafeCache(_curve_data, _CACHE_SIZE)

    def evaluate(self, state: Mapping[str, Any]) -> dict[str, Any]:
        """Give every number that the page draws at a state, ready for JSON.

        Raises
        ------
        RocPredictError
            A state that is not allowed: the argument is named.
        """
        asked = parse_state(state)
        check_option("family", asked.family, FAMILIES)
        if not asked.data:
            return self._evaluate_roc(asked, _gaussians(asked), None)
        place = self._locate(asked)
        counted = self._counted(*place)
        own = asked.family != "gaussian"
        roc = self._fitted(*place, asked.family, asked.direction) if own else _gaussians(asked)
        return self._evaluate_roc(asked, roc, counted) | {"empirical": self._empirical_at(asked, place, roc, counted)}

    def _evaluate_roc(self, asked: PageState, roc: PredictedRoc, counted: FeatureRocs | None) -> dict[str, Any]:
        moments = _moments(roc, counted)
        range_ = _range(moments, counted)
        rates = roc.rates(asked.threshold, prevalence=asked.prevalence)
        locked = None if asked.family == "gaussian" else self._words["locked"].replace("{family}", asked.family)
        return {
            "threshold": asked.threshold,
            **_separation(moments, asked.direction),
            "rates": _measures(rates, asked),
            **self._best(roc, asked.prevalence, asked.cost),
            **self._shape(roc, moments, range_),
            "empirical": None,
            "locked": locked,
        }

    def _best(self, roc: PredictedRoc, prevalence: float, cost: float) -> dict[str, Any]:
        """Give the thresholds with the best Ameans, the least cost and the best accuracy."""
        even = self._even(roc)
        cheap, right = self._weighed(roc, prevalence, cost), self._weighed(roc, prevalence, 1.0)
        accuracy = prevalence * right.tpr + (1 - prevalence) * right.tnr
        slope = (1 - prevalence) / prevalence * cost
        least = prevalence * cheap.fnr + (1 - prevalence) * cost * cheap.fpr
        return {
            "best": to_json_values(_operating_point(even) | {"ameans": even.ameans}),
            "costbest": to_json_values(_operating_point(cheap) | {"cost": least, "slope": slope}),
            "accuracybest": to_json_values(_operating_point(right) | {"accuracy": accuracy}),
            "crossings": _distinct(even.crossings),
            "weightedcrossings": _distinct(right.crossings),
        }

    def _locate(self, asked: PageState) -> tuple[str, int, int]:
        rows = self._data[check_option("data", asked.data, self._data)]
        for name, held in (("feature", rows.features), ("contrast", rows.contrasts)):
            if getattr(asked, name) >= len(held):
                raise RocPredictError(f"{name}={getattr(asked, name)} is not on the page; it has {len(held)}, from 0")
        return asked.data, asked.contrast, asked.feature

    def _count(self, data: str, contrast: int, feature: int) -> FeatureRocs:
        rows = self._data[data]
        reason = unusable_message(rows, contrast, feature, self._words)
        if reason is not None:
            raise RocPredictError(reason)
        return feature_rocs(*rows.pair(contrast, feature))

    def _predict(self, data: str, contrast: int, feature: int, family: str, direction: str) -> PredictedRoc:
        """Predict; no direction was declared when the family was fitted, so none was taken as known."""
        pair = self._pair(data, contrast, feature, family)
        if family in _TABULATED:
            return TabulatedRoc(*pair, direction=direction).tabulated()
        return PredictedRoc(*pair, direction=direction)

    def _fit(self, data: str, contrast: int, feature: int, family: str) -> tuple[Any, Any]:
        from rocpredict.distributions.fitting import get_fitter

        rows = self._data[data]
        try:
            negative, positive = get_fitter(family)(*rows.pair(contrast, feature))
        except RocPredictError as error:
            told = {"{family}": family, "{feature}": rows.features[feature], "{reason}": str(error)}
            sentence = self._words["unfit"]
            for mark, text in told.items():
                sentence = sentence.replace(mark, text)
            raise RocPredictError(sentence) from None
        return negative, positive

    def _empirical_roc(
        self, data: str, contrast: int, feature: int, direction: str
    ) -> tuple[EmpiricalRoc, dict[str, Any]]:
        """Give the curve that is counted, and what does not depend on a threshold."""
        counted = self._counted(data, contrast, feature)
        if direction == counted.empirical.direction:
            curve = counted.empirical.curve()
            return counted.empirical, empirical_statistics(counted.empirical) | {"points": _points(curve)}
        turned = EmpiricalRoc(counted.empirical.negative, counted.empirical.positive, direction=direction)
        return turned, empirical_statistics(turned) | {"points": _points(turned.curve()), "best": None}

    def _empirical_at(
        self, asked: PageState, place: tuple[str, int, int], roc: PredictedRoc, counted: FeatureRocs
    ) -> dict[str, Any]:
        empirical, facts = self._observed(*place, asked.direction)
        rates = empirical.rates(asked.threshold)
        here = to_json_values({name: getattr(rates, name) for name in ("tpr", "fpr", "tnr", "fnr", "ameans")})
        fitted = asked.family != "gaussian" or _same(roc, counted.predicted)
        compared = fitted and asked.direction == counted.empirical.direction
        return here | facts | {"gap": self._gap(roc, empirical) if compared else None}


@lru_cache(_CACHE_SIZE)
def _pair_of(mean0: float, std0: float, mean1: float, std1: float, direction: str) -> PredictedRoc:
    return PredictedRoc(Gaussian(mean0, std0), Gaussian(mean1, std1), direction=direction)


def _gaussians(asked: PageState) -> PredictedRoc:
    return _pair_of(asked.mean0, asked.std0, asked.mean1, asked.std1, asked.direction)


def _same(roc: PredictedRoc, other: PredictedRoc) -> bool:
    return bool(roc.negative == other.negative and roc.positive == other.positive)


Moments = tuple[float, float, float, float]
Range = tuple[float, float]


def _moments(roc: PredictedRoc, counted: FeatureRocs | None) -> Moments:
    """Give m0, s0, m1, s1: those that are drawn, or those of the rows behind another family."""
    pair = roc if isinstance(roc.negative, Gaussian) or counted is None else counted.predicted
    return pair.negative.mean, pair.negative.std, pair.positive.mean, pair.positive.std


def _separation(moments: Moments, direction: str) -> dict[str, float]:
    m0, s0, m1, s1 = moments
    side = -1.0 if direction == "lower" else 1.0
    return {"dprime": side * (m1 - m0) / float(np.sqrt((s0 * s0 + s1 * s1) / 2)), "std_ratio": s1 / s0}


def _range(moments: Moments, counted: FeatureRocs | None) -> Range:
    m0, s0, m1, s1 = moments
    ends = [m + sign * _RANGE_SD * s for m, s in ((m0, s0), (m1, s1)) for sign in (-1, 1)]
    if counted is not None:
        for side in (counted.empirical.negative, counted.empirical.positive):
            ends += [float(side.unique_values[0]), float(side.unique_values[-1])]
    pad = (max(ends) - min(ends)) * _PADDING
    return min(ends) - pad, max(ends) + pad


def _measures(rates: Rates, asked: PageState) -> dict[str, Any]:
    names = ("tpr", "fpr", "tnr", "fnr", "ameans", "youden", "precision", "npv", "accuracy", "mcc")
    p = asked.prevalence
    cost = p * rates.fnr + (1 - p) * asked.cost * rates.fpr
    return to_json_values({name: getattr(rates, name) for name in names} | {"cost": cost})


def _best_ameans(roc: PredictedRoc) -> BestThreshold:
    return roc.best_threshold()


def _best_cost(roc: PredictedRoc, prevalence: float, cost: float) -> BestThreshold:
    return roc.best_threshold("cost", prevalence=prevalence, cost_fp=cost)


def _operating_point(best: BestThreshold) -> dict[str, float]:
    return {"threshold": best.threshold, "tpr": best.tpr, "fpr": best.fpr}


def _distinct(crossings: FloatArray) -> list[float]:
    return list(map(float, np.unique(crossings)))


def _curve_data(roc: PredictedRoc, moments: Moments, x_range: Range) -> dict[str, Any]:
    """Give what no threshold moves: the area, the curve, and where it crosses the chance line."""
    hook = roc.hook()
    inside = [rate for rate in (hook.fpr_low, hook.fpr_high) if 0 < rate < 1]
    return {
        "auc": roc.auc(),
        "dips": [inside[0], inside[0]] if inside else None,
        "range": list(x_range),
        "curve": _curve(roc, moments, x_range),
    }


def _curve(roc: PredictedRoc, moments: Moments, x_range: Range) -> dict[str, list[float]]:
    m0, s0, m1, s1 = moments
    z = np.linspace(-_RANGE_SD, _RANGE_SD, 71)
    threshold = np.sort(np.concatenate([np.linspace(*x_range, 121), m0 + s0 * z, m1 + s1 * z]))
    columns = {
        "threshold": threshold,
        "negative": roc.negative.pdf(threshold),
        "positive": roc.positive.pdf(threshold),
        "fpr": roc.fpr(threshold),
        "tpr": roc.tpr(threshold),
    }
    return {name: np.nan_to_num(np.asarray(column)).tolist() for name, column in columns.items()}


def _points(curve: RocCurve) -> dict[str, list[float]]:
    return {"fpr": curve.fpr.tolist(), "tpr": curve.tpr.tolist()}
