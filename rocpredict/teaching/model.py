"""State of the teaching page, and the results shown on the page for a state."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache
from itertools import islice
from threading import Lock
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike

from rocpredict.base.formatting import to_json_value
from rocpredict.base.results import Flags
from rocpredict.base.validation import (
    ArrayOrFloat,
    Direction,
    FloatArray,
    RocPredictError,
    check_finite,
    check_option,
    check_probability,
    short_repr,
    to_scalar,
)
from rocpredict.distributions.base import Distribution
from rocpredict.distributions.fitting import FAMILIES, get_fitter
from rocpredict.distributions.gaussian import Gaussian
from rocpredict.distributions.histogram import Histogram
from rocpredict.roc.empirical import EmpiricalRoc
from rocpredict.roc.predicted import PredictedRoc
from rocpredict.solvers.base import Hook, RocCurve, hook_of_polyline
from rocpredict.solvers.quadrature import find_roots, interval_probability, log_density_ratio
from rocpredict.solvers.thresholds import BestThreshold, log_cost_ratio
from rocpredict.teaching.assets import python_strings
from rocpredict.teaching.data import (
    MAX_MAGNITUDE,
    FeatureRocs,
    PageDataset,
    empirical_statistics,
    feature_rocs,
    largest_tpr_gap,
    unusable_message,
)


@dataclass(frozen=True)
class PageState:
    """State of the page; the default values come from the example in the founding paper.

    Attributes
    ----------
    data : str
        Key of a data set, or "" for two Gaussians whose parameters the user enters.
    feature, pair : int
        Index of the feature and index of the class pair.
    family : str
        Family of the class distributions.
    mean0, mean1, std0, std1 : float
        Means and standard deviations of the negative (0) and the positive (1) class.
    direction : {"higher", "lower"}
        Whether higher or lower values indicate the positive class.
    threshold : float
    prevalence : float
        Fraction of positives, in (0, 1).
    cost : float
        Cost of a false positive relative to the cost of a false negative, above 0.
    """

    data: str = ""
    feature: int = 0
    pair: int = 0
    family: str = "gaussian"
    mean0: float = 4.0
    mean1: float = 8.0
    std0: float = 3.0
    std1: float = 2.0
    direction: Direction = "higher"
    threshold: float = 6.0
    prevalence: float = 0.5
    cost: float = 1.0


_FIELD_TYPES = {item.name: type(item.default) for item in fields(PageState)}
_POSITIVE = ("std0", "std1", "cost")


def parse_state(state: Mapping[str, Any]) -> PageState:
    """Parse a state whose entries are text or numbers, and ignore unknown entries.

    Raises
    ------
    RocPredictError
        If ``state`` is not a mapping, or an entry is invalid.

    Examples
    --------
    >>> parse_state({"mean0": "1.5", "prevalence": 0.1}).mean0
    1.5
    """
    if not isinstance(state, Mapping):
        raise RocPredictError(f"state={short_repr(state)} is not a mapping; pass a dict such as {{'threshold': 6.0}}")
    parsed = PageState(**{name: _parse(name, state[name]) for name in _FIELD_TYPES if name in state})
    check_option("direction", parsed.direction, ("higher", "lower"))
    check_probability("prevalence", parsed.prevalence, ends=False)
    return parsed


def _parse(name: str, value: Any) -> Any:
    kind, received = _FIELD_TYPES[name], f"{name}={short_repr(value)}"
    if kind is str:
        if not isinstance(value, str):
            raise RocPredictError(f"{received} is not text; pass a str")
        return value
    if isinstance(value, np.ndarray) and value.ndim:
        raise RocPredictError(f"{received} has shape {value.shape}; pass one number")
    value = value.item() if isinstance(value, (np.generic, np.ndarray)) else value
    try:
        number = float("" if isinstance(value, bool) or not isinstance(value, (str, int, float)) else value)
    except (ValueError, OverflowError):
        raise RocPredictError(f"{received} is not a number; pass a float") from None
    check_finite(name, number)
    if kind is int:
        if not number.is_integer() or not 0 <= number < MAX_MAGNITUDE:
            raise RocPredictError(f"{received} is not a nonnegative integer")
        return int(number)
    if name in _POSITIVE and not 1 / MAX_MAGNITUDE <= number <= MAX_MAGNITUDE:
        limits = f"from {1 / MAX_MAGNITUDE:g} to {MAX_MAGNITUDE:g}"
        raise RocPredictError(f"{received} is not allowed; pass a number {limits}")
    if abs(number) > MAX_MAGNITUDE:
        limits = f"-{MAX_MAGNITUDE:g} and {MAX_MAGNITUDE:g}"
        raise RocPredictError(f"{received} is too large; pass a number between {limits}")
    return number


_TAIL = 1e-12
_MIN_FPR = 1e-300  # between smaller FPRs, slopes would overflow
_N_THRESHOLDS, _PROBABILITIES = 1025, np.linspace(0, 1, 257)[1:-1]


@dataclass(frozen=True, eq=False, repr=False)
class TabulatedRoc(PredictedRoc):
    """Predicted curve whose best thresholds, hook and TPR values are computed from one table of thresholds.

    Notes
    -----
    The table contains 255 quantiles of each class and 1025 equally spaced thresholds. The equally spaced thresholds
    cover the interval from the 1e-12 quantile to the 1 - 1e-12 quantile of each class. Crossings of the densities are
    bracketed by adjacent thresholds of the table, and then computed by root finding. The best threshold is either a
    crossing or infinite, and the FPR and TPR at this threshold are exact. Crossings are missed if two of them lie
    between adjacent thresholds, or if they lie outside the table. The hook (the part of the curve below the chance
    line) and the TPR at an FPR are interpolated in the table, with an error of about 1e-4.
    """

    def best_threshold(  # type: ignore[override]
        self, criterion: str = "ameans", *, prevalence: ArrayOrFloat = 0.5, cost_fp: ArrayOrFloat = 1.0
    ) -> BestThreshold:
        """Return the best threshold.

        Parameters
        ----------
        criterion : {"ameans", "cost", "accuracy"}, default="ameans"
            Name of the criterion in the result. The name has no effect on the threshold, which minimizes the expected
            cost for ``prevalence`` and ``cost_fp``.
        prevalence : float, default=0.5
            Fraction of positives, in (0, 1).
        cost_fp : float, default=1.0
            Cost of a false positive relative to the cost of a false negative.

        Returns
        -------
        BestThreshold
        """
        price = log_cost_ratio(prevalence, cost_fp, 1.0)
        crossings = self._crossings(price)
        candidates = np.array([self._curve.thresholds[0], self._curve.thresholds[-1], *crossings])
        rates = self.rates(candidates)
        losses = rates.fnr + np.exp(price) * rates.fpr
        k = int(np.argmin(losses))
        threshold = float(candidates[k])
        return BestThreshold(
            threshold=threshold,
            criterion=criterion,
            criterion_value=float(losses[k]),
            crossings=crossings,
            plateau=(threshold, threshold),
            equal_thresholds=np.empty(0),
            flags=Flags(),
            **{name: float(getattr(rates, name)[k]) for name in ("tpr", "fpr", "tnr", "fnr")},
        )

    def hook(self) -> Hook:
        """Return the part of the curve that lies below the chance line."""
        return Hook(*hook_of_polyline(self._curve.fpr, self._curve.tpr))

    def curve(self, points: int = 0) -> RocCurve:
        """Return the tabulated curve; ``points`` is ignored."""
        del points
        return self._curve

    def tpr_at_fpr(self, fpr: ArrayLike) -> ArrayOrFloat:
        """Return the TPR at each FPR, interpolated in the table."""
        grid = np.where(self._curve.fpr < _MIN_FPR, 0.0, self._curve.fpr)
        return to_scalar(np.interp(np.asarray(fpr), grid, self._curve.tpr))

    @cached_property
    def _curve(self) -> RocCurve:
        """Return the table as a curve from (0, 0) to (1, 1)."""
        classes = (self.negative, self.positive)
        limits = [float(tail(_TAIL)) for d in classes for tail in (d.ppf, d.isf)]
        quantiles = [np.asarray(d.ppf(_PROBABILITIES)) for d in classes]
        grid = np.linspace(min(limits), max(limits), _N_THRESHOLDS)
        t = np.unique(np.concatenate([grid, *quantiles, [-np.inf, np.inf]]))
        t = t if self.direction == "lower" else t[::-1]
        rates = self.rates(t)
        return RocCurve(t, np.asarray(rates.fpr), np.asarray(rates.tpr))

    @cached_property
    def _table(self) -> tuple[FloatArray, FloatArray]:
        """Return the ascending finite thresholds at which log(f1/f0) is defined, and the values of log(f1/f0)."""
        t = np.sort(self._curve.thresholds)[1:-1]
        log_ratios = log_density_ratio(self.negative, self.positive, t)
        is_defined = ~np.isnan(log_ratios)
        return t[is_defined], log_ratios[is_defined]

    def _crossings(self, price: FloatArray) -> FloatArray:
        """Return the thresholds at which the weighted densities cross, in ascending order."""
        t, log_ratios = self._table
        above = log_ratios > price
        turns = np.flatnonzero(above[1:] != above[:-1])
        if not turns.size:
            return np.empty(0)
        pair = self.negative, self.positive
        return np.asarray(find_roots(lambda x: log_density_ratio(*pair, x) - price, t[turns], t[turns + 1]).x)


PAGE_FAMILIES = tuple(name for name in FAMILIES if name != "empirical")
"""Families that the page offers; the empirical curve is always shown."""
_TABULATED = ("kde", "mixture", "student_t", "skew_normal")
"""Families whose best threshold takes 30 ms or more to compute."""
_RANGE_SD, _PADDING = 4.2, 0.01
_CACHE_SIZE = 64
_RATES = ("tpr", "fpr", "tnr", "fnr", "ameans")


class _Observed(NamedTuple):
    """Both curves of a feature in the fitted direction, and the empirical curve in the direction of the page state."""

    fit: FeatureRocs
    empirical: EmpiricalRoc
    result: dict[str, Any]


class _Curves(NamedTuple):
    """Curves for a page state, and the results that do not depend on the threshold, the prevalence or the cost."""

    predicted: PredictedRoc
    empirical: EmpiricalRoc | None
    result: dict[str, Any]
    empirical_result: dict[str, Any]


class PageModel:
    """Model that computes the results shown on the page for a state.

    Fits are cached, and several threads may use the same model.

    Parameters
    ----------
    data : iterable of PageDataset, default=()
        Data sets of the page.
    lang : str, default="en"
        Language of the sentences in the results.

    Examples
    --------
    >>> from rocpredict.teaching.model import PageModel
    >>> PageModel().evaluate({"threshold": "6"})["auc"]
    0.8663712534228061
    """

    def __init__(self, data: Iterable[PageDataset] = (), lang: str = "en") -> None:
        self._data = {rows.key: rows for rows in data}
        self._lang, self._words = lang, python_strings(lang)
        self._lock = Lock()
        keep = lru_cache(_CACHE_SIZE)
        self._observed, self._fitted = keep(self._observe), keep(self._fit)
        self._curves, self._cheapest = keep(self._compute_curves), keep(self._find_cheapest)

    def __reduce__(self) -> tuple[Any, ...]:
        """Return the arguments of the model, since locks and caches cannot be pickled."""
        return PageModel, (list(self._data.values()), self._lang)

    def evaluate(self, state: Mapping[str, Any]) -> dict[str, Any]:
        """Return all results shown on the page for a state, as a dictionary that can be converted to JSON.

        Parameters
        ----------
        state : mapping of str to str or float
            Entries of ``PageState``. Unknown entries are ignored, and missing entries take their default values.

        Returns
        -------
        dict

        Raises
        ------
        RocPredictError
            If an entry of the state is invalid.
        """
        parsed = parse_state(state)
        check_option("family", parsed.family, PAGE_FAMILIES)
        key = replace(parsed, threshold=0.0, prevalence=0.5, cost=1.0)
        if parsed.data and parsed.family != "gaussian":  # means and SDs have no effect on fitted classes
            key = replace(key, mean0=0.0, mean1=0.0, std0=1.0, std1=1.0)
        with self._lock:
            curves = self._curves(key)
            cheapest, most_accurate = (self._cheapest(key, parsed.prevalence, cost) for cost in (parsed.cost, 1.0))
        empirical = None
        if curves.empirical is not None:
            rates = curves.empirical.rates(parsed.threshold)
            empirical = to_json_value({name: getattr(rates, name) for name in _RATES}) | curves.empirical_result
        return {
            "threshold": parsed.threshold,
            "rates": _measures(curves.predicted, parsed),
            "empirical": empirical,
            **_optima(parsed, cheapest, most_accurate),
            **curves.result,
        }

    def fits(self, key: str) -> dict[str, dict[str, Any]]:
        """Return tables from which a page without Python computes the curves of the fitted families.

        Parameters
        ----------
        key : str
            Key of the data set.

        Returns
        -------
        dict
            Each key, such as "0,2", contains the index of a class pair and the index of a feature. Each value contains
            a confidence band of the empirical curve. For each family, the value also contains the predicted AUC, the
            largest difference between the predicted and the empirical TPR, and a table for each class. Families that
            cannot be fitted are omitted. Only the first 12 combinations of a class pair and a feature are included.
        """
        rows, fitted = self._data[key], {}
        views = [(i, j) for j in range(len(rows.features)) for i in range(len(rows.pairs))]
        usable = (view for view in views if unusable_message(rows, *view, self._words) is None)
        for pair, feature in islice(usable, _MAX_FITTED_VIEWS):
            tables = {name: self._tabulate_fit(key, pair, feature, name) for name in PAGE_FAMILIES[1:]}
            families = {name: table for name, table in tables.items() if table is not None}
            observed = feature_rocs(*rows.samples(pair, feature)).empirical
            fitted[f"{pair},{feature}"] = {"families": families, "band": _band(observed)}
        return fitted

    def _tabulate_fit(self, key: str, pair: int, feature: int, family: str) -> dict[str, Any] | None:
        observed = feature_rocs(*self._data[key].samples(pair, feature)).empirical
        try:
            classes = self._fitted(key, pair, feature, family)
            tables = [_tabulate_class(d, observed) for d in classes]
        except RocPredictError:
            return None
        make = TabulatedRoc if family in _TABULATED else PredictedRoc
        roc = make(*classes, direction=observed.direction)
        fit = {"auc": roc.auc(), "gap": largest_tpr_gap(roc, observed), "classes": tables}
        if "masses" in tables[0]:  # the library has a separate rule for the best threshold of this family
            best = roc.best_threshold()
            fit["best"] = to_json_value(_operating_point(best) | {"ameans": best.ameans})
        return fit

    def _compute_curves(self, state: PageState) -> _Curves:
        if not state.data:
            roc = gaussian_roc(state)
            return _Curves(roc, None, self._compute_result(state, roc, _moments(roc), []), {})
        place = self._locate(state)
        (fit, own_empirical), empirical, result = self._observed(*place, state.direction)
        if state.family == "gaussian":
            roc = gaussian_roc(state)
            fitted = roc.negative == fit.negative and roc.positive == fit.positive
        else:
            make = TabulatedRoc if state.family in _TABULATED else PredictedRoc
            roc, fitted = make(*self._fitted(*place, state.family), direction=state.direction), True
        compared = fitted and state.direction == own_empirical.direction
        moments = _moments(roc if isinstance(roc.negative, Gaussian) else fit)
        samples = own_empirical.negative.unique_values, own_empirical.positive.unique_values
        values = [float(sample[end]) for sample in samples for end in (0, -1)]
        gap = largest_tpr_gap(roc, empirical) if compared else None
        return _Curves(roc, empirical, self._compute_result(state, roc, moments, values), result | {"gap": gap})

    def _compute_result(
        self, state: PageState, roc: PredictedRoc, moments: ClassMeansStds, values: list[float]
    ) -> dict[str, Any]:
        """Return the results that do not depend on the threshold, the prevalence or the cost."""
        m0, s0, m1, s1 = moments
        sign_of_rule = -1.0 if state.direction == "lower" else 1.0
        limits = values + [m + sign * _RANGE_SD * s for m, s in ((m0, s0), (m1, s1)) for sign in (-1, 1)]
        pad = (max(limits) - min(limits)) * _PADDING
        low, high = min(limits) - pad, max(limits) + pad
        hook, best = roc.hook(), roc.best_threshold()
        inside = [rate for rate in (hook.fpr_low, hook.fpr_high) if 0 < rate < 1]
        locked = None if state.family == "gaussian" else self._words["locked"].replace("{family}", state.family)
        return {
            "dprime": sign_of_rule * (m1 - m0) / float(np.sqrt((s0 * s0 + s1 * s1) / 2)),
            "std_ratio": s1 / s0,
            "best": to_json_value(_operating_point(best) | {"ameans": best.ameans}),
            "crossings": np.unique(best.crossings).tolist(),
            "auc": roc.auc(),
            "dips": [inside[0], inside[0]] if inside else None,
            "range": [low, high],
            "curve": _curve_points(roc, moments, low, high),
            "locked": locked,
        }

    def _find_cheapest(self, key: PageState, prevalence: float, cost: float) -> BestThreshold:
        return self._curves(key).predicted.best_threshold("cost", prevalence=prevalence, cost_fp=cost)

    def _locate(self, state: PageState) -> tuple[str, int, int]:
        rows = self._data[check_option("data", state.data, self._data)]
        for name, items in (("feature", rows.features), ("pair", rows.pairs)):
            if getattr(state, name) >= len(items):
                raise RocPredictError(
                    f"{name}={getattr(state, name)} is not on the page; pass an index from 0 to {len(items) - 1}"
                )
        return state.data, state.pair, state.feature

    def _observe(self, data: str, pair: int, feature: int, direction: Direction) -> _Observed:
        rows = self._data[data]
        reason = unusable_message(rows, pair, feature, self._words)
        if reason is not None:
            raise RocPredictError(reason)
        fit = feature_rocs(*rows.samples(pair, feature))
        turned = direction != fit.empirical.direction
        empirical = replace(fit.empirical, direction=direction) if turned else fit.empirical
        curve = empirical.curve()
        result = empirical_statistics(empirical) | {"points": {"fpr": curve.fpr.tolist(), "tpr": curve.tpr.tolist()}}
        result["band"] = _band(empirical)
        return _Observed(fit, empirical, result | ({"best": None} if turned else {}))

    def _fit(self, data: str, pair: int, feature: int, family: str) -> tuple[Any, Any]:
        """Return the class distributions, fitted without a declared direction."""
        rows = self._data[data]
        try:
            negative, positive = get_fitter(family)(*rows.samples(pair, feature))
        except RocPredictError as error:
            sentence = self._words["unfit"]
            for mark, text in {"family": family, "feature": rows.features[feature], "reason": str(error)}.items():
                sentence = sentence.replace(f"{{{mark}}}", text)
            raise RocPredictError(sentence) from None
        return negative, positive


_MAX_FITTED_VIEWS = 12
_MAX_ATOMS = 5_000
_MAX_PANELS, _MIN_PANEL_MASS = 400, 1e-13
_LOG_DENSITY_ERROR, _MASS_ERROR = 1e-9, 1e-12
_TABLE_NODES, _TABLE_WEIGHTS = np.polynomial.legendre.leggauss(12)
_CHECK_NODES = np.array([-0.995, -0.94, -0.43, 0.06, 0.51, 0.94, 0.995])
_TABLE_QUANTILES = np.array([1e-13, 1e-7, 1e-3, 0.05, 0.25, 0.5])


def _interpolation_matrix() -> FloatArray:
    """Return the Lagrange polynomials of the quadrature nodes, evaluated at the check nodes."""
    difference = _TABLE_NODES[:, None] - _TABLE_NODES + np.eye(len(_TABLE_NODES))
    terms = 1 / np.prod(difference, axis=1) / (_CHECK_NODES[:, None] - _TABLE_NODES)
    return np.asarray(terms / terms.sum(axis=1, keepdims=True))


def quadrature_rule() -> dict[str, list[float]]:
    """Return the Gauss-Legendre nodes and weights on [-1, 1] for the tables of ``PageModel.fits``."""
    return {"nodes": _TABLE_NODES.tolist(), "weights": _TABLE_WEIGHTS.tolist()}


def _tabulate_class(d: Distribution, observed: EmpiricalRoc) -> dict[str, Any]:
    """Return the masses of a discrete distribution, or a table of the log density of a continuous one."""
    points, masses = d.atoms()
    if not points.size:
        return _tabulate_density(d)
    values = np.union1d(observed.negative.unique_values, observed.positive.unique_values)
    if len(values) > _MAX_ATOMS or not np.array_equal(values, points):
        raise RocPredictError(f"{d!r} has {len(points):,} point masses; a page can have at most {_MAX_ATOMS:,}")
    return {"masses": _round_digits(masses)}


def _tabulate_density(d: Distribution) -> dict[str, Any]:
    """Return subintervals (panels) with the log density at 12 nodes, and the upper tail probability at the panel edges.

    Notes
    -----
    Panels are halved until two conditions hold: the polynomial through the nodes differs from the log density by less
    than 1e-9, and the integral of exp(polynomial) differs from the probability of the panel by less than 1e-12. A panel
    without nodes has the density 0, and a panel with a single node has a constant density. The probability beyond the
    outermost panels is below 1e-13.
    """
    edges = d.edges if isinstance(d, Histogram) else _quantile_edges(d)
    left, right, matrix = edges[:-1], edges[1:], _interpolation_matrix()
    panels: list[tuple[float, float, list[float]]] = []
    while left.size:
        half, middle = (right - left) / 2, left / 2 + right / 2
        x = middle[:, None] + half[:, None] * np.concatenate([_TABLE_NODES, _CHECK_NODES])
        logs, mass = np.asarray(d.logpdf(x)), interval_probability(d, left, right)
        at_nodes, at_checks = np.split(logs, [len(_TABLE_NODES)], axis=1)
        with np.errstate(invalid="ignore", over="ignore", under="ignore"):
            error = np.abs(at_nodes @ matrix.T - at_checks).max(axis=1)
            integral = half * (np.exp(at_nodes) @ _TABLE_WEIGHTS)
            smooth = (error <= _LOG_DENSITY_ERROR) & (np.abs(integral - mass) <= _MASS_ERROR)
        is_small = (mass <= _MIN_PANEL_MASS) | (middle <= left) | (middle >= right)
        for k in np.flatnonzero(smooth | is_small):
            constant = [float(np.log(mass[k] / (right[k] - left[k])))] if mass[k] > 0 else []
            is_constant = not smooth[k] or np.ptp(at_nodes[k]) == 0
            nodes = constant if is_constant else at_nodes[k].tolist()
            panels.append((float(left[k]), float(right[k]), [round(log, 10) for log in nodes]))
        split = ~(smooth | is_small)
        left, right = np.concatenate([left[split], middle[split]]), np.concatenate([middle[split], right[split]])
        if len(left) + len(panels) > _MAX_PANELS:
            raise RocPredictError(
                f"the density of {d!r} cannot be stored as a table for the page; pass another distribution"
            )
    panels.sort()
    bounds = [panel[0] for panel in panels] + [panels[-1][1]]
    return {"edges": bounds, "upper": _round_digits(np.asarray(d.sf(bounds))), "logs": [panel[2] for panel in panels]}


def _quantile_edges(d: Distribution) -> FloatArray:
    with np.errstate(all="ignore"):
        edges = np.unique(np.concatenate([np.asarray(d.ppf(_TABLE_QUANTILES)), np.asarray(d.isf(_TABLE_QUANTILES))]))
    if len(edges) < 2 or not np.isfinite(edges).all():
        raise RocPredictError(
            f"the quantiles of {d!r} cannot be stored as a table for the page; pass another distribution"
        )
    return edges


def _round_digits(values: FloatArray) -> list[float]:
    return [float(f"{value:.13g}") for value in values.tolist()]


def _band(empirical: EmpiricalRoc) -> dict[str, list[float]]:
    """Return the limits of the 95% confidence band of a curve at 51 equally spaced FPRs."""
    band = empirical.band(fpr=np.linspace(0, 1, 51))
    return {"low": np.round(band.low, 6).tolist(), "high": np.round(band.high, 6).tolist()}


ClassMeansStds = tuple[float, float, float, float]


def gaussian_roc(state: PageState) -> PredictedRoc:
    """Return the ROC curve of the two Gaussians defined by a state."""
    pair = Gaussian(state.mean0, state.std0), Gaussian(state.mean1, state.std1)
    return PredictedRoc(*pair, direction=state.direction)


def _moments(roc: PredictedRoc) -> ClassMeansStds:
    """Return means and standard deviations in the order m0, s0, m1, s1."""
    low, high = cast(tuple[Gaussian, Gaussian], (roc.negative, roc.positive))
    return low.mean, low.std, high.mean, high.std


def _measures(roc: PredictedRoc, state: PageState) -> dict[str, Any]:
    names = (*_RATES, "youden", "precision", "npv", "accuracy", "mcc")
    rates, p = roc.rates(state.threshold, prevalence=state.prevalence), state.prevalence
    cost = p * rates.fnr + (1 - p) * state.cost * rates.fpr
    return to_json_value({name: getattr(rates, name) for name in names} | {"cost": cost})


def _optima(state: PageState, cheapest: BestThreshold, most_accurate: BestThreshold) -> dict[str, Any]:
    """Return the threshold with the lowest cost and the threshold with the highest accuracy."""
    p = state.prevalence
    accuracy = p * most_accurate.tpr + (1 - p) * most_accurate.tnr
    cost = p * cheapest.fnr + (1 - p) * state.cost * cheapest.fpr
    costs = {"cost": cost, "slope": (1 - p) / p * state.cost}
    return {
        "costbest": to_json_value(_operating_point(cheapest) | costs),
        "accuracybest": to_json_value(_operating_point(most_accurate) | {"accuracy": accuracy}),
        "weightedcrossings": np.unique(most_accurate.crossings).tolist(),
    }


def _operating_point(best: BestThreshold) -> dict[str, float]:
    return {"threshold": best.threshold, "tpr": best.tpr, "fpr": best.fpr}


def _curve_points(roc: PredictedRoc, moments: ClassMeansStds, low: float, high: float) -> dict[str, list[float]]:
    m0, s0, m1, s1 = moments
    z = np.linspace(-_RANGE_SD, _RANGE_SD, 71)
    threshold = np.sort(np.concatenate([np.linspace(low, high, 121), m0 + s0 * z, m1 + s1 * z]))
    densities = {"negative": _drawn_density(roc.negative), "positive": _drawn_density(roc.positive)}
    columns = {"threshold": threshold, "fpr": roc.fpr(threshold), "tpr": roc.tpr(threshold)}
    columns |= {name: density.pdf(threshold) for name, density in densities.items()}
    return {name: np.nan_to_num(np.asarray(column)).tolist() for name, column in columns.items()}


def _drawn_density(d: Distribution) -> Distribution:
    """Return a histogram of a distribution with point masses, and any other distribution unchanged."""
    points, masses = d.atoms()
    if not points.size:
        return d
    n_bins = min(40, max(8, math.ceil(2 * math.cbrt(len(points)))))
    edges = np.linspace(points[0], points[-1], n_bins + 1)
    return Histogram(edges, np.histogram(points, edges, weights=masses)[0])
