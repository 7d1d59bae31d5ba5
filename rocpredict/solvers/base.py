"""Base classes of solvers, classes for their results, and functions for polylines in ROC space."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Generic, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from rocpredict.base.rates import Rates
from rocpredict.base.results import Flags, Result, batch_table, curve_table
from rocpredict.base.tables import CurvePlot, Table, thin_curve
from rocpredict.base.validation import ArrayOrFloat, FloatArray, RocPredictError, Value, check_int, to_scalar
from rocpredict.distributions.base import Distribution
from rocpredict.distributions.gaussian import add_grid_axis
from rocpredict.solvers.quadrature import expectation, log_density_ratio, panel_edges, search_grid, sign_changes

Axis: TypeAlias = Literal["fpr", "tpr"]
ROUNDING = 4 * np.finfo(float).eps
_MAX_MAXIMA = 32
_MAX_POINTS = 10_000_000
_TIE_RTOL = 64 * np.finfo(float).eps  # losses within this relative difference are treated as equal
EVEN = np.zeros(())
"""Value of ``log_price`` (see ``Solver``) if a false positive and a false negative have equal weighted costs."""


class OptimalThreshold(NamedTuple):
    """Threshold that maximizes TPR - price * FPR, with its rates; the notes of ``Solver`` define the price."""

    threshold: FloatArray
    tpr: FloatArray
    fpr: FloatArray
    tnr: FloatArray
    fnr: FloatArray
    plateau_low: FloatArray
    """Lower bound of the interval of equally good thresholds around ``threshold``."""
    plateau_high: FloatArray
    """Upper bound of the interval of equally good thresholds around ``threshold``."""
    crossings: FloatArray
    """Crossings of the weighted densities, in ascending order along the last axis and padded with NaN."""
    equal_thresholds: FloatArray
    """One threshold from each of the other intervals of equally good thresholds, ascending and padded with NaN."""
    flags: Flags
    expected_ameans: FloatArray | None = None
    """Ameans expected on new data; if None, (TPR + TNR)/2 is used instead."""


class _HookFields(NamedTuple, Generic[Value]):
    fpr_low: Value
    fpr_high: Value
    area: Value


class Hook(Result, _HookFields[Value]):
    """Part of a ROC curve that lies below the chance line.

    Attributes
    ----------
    fpr_low, fpr_high : float or array of shape F
        Smallest and largest FPR of the part of the curve below the chance line. Both are 0 if no part of the curve is
        below the chance line, or if ``area`` underflows to 0.
    area : float or array of shape F
        Area below the chance line and above the curve.
    """

    __slots__ = ()
    _text = "fpr_low={fpr_low:.6g}, fpr_high={fpr_high:.6g}, area={area:.6g}"
    _heading = "Hook: the part below the chance line"

    @property
    def exists(self) -> bool | NDArray[np.bool_]:
        """True if the curve lies below the chance line at some FPR."""
        return to_scalar(np.asarray(self.area) > 0)


class _TwoThresholdRuleFields(NamedTuple, Generic[Value]):
    low: Value
    high: Value
    positive_inside: bool | NDArray[np.bool_]
    thresholds: FloatArray
    tpr: Value
    fpr: Value
    tnr: Value
    fnr: Value


class TwoThresholdRule(Result, _TwoThresholdRuleFields[Value]):
    """Classification rule with two or more thresholds, and its rates.

    Attributes
    ----------
    low, high : float or array of shape F
        Lowest and highest threshold. If the rule has only one threshold, ``low`` is -inf or ``high`` is +inf. If both
        thresholds are infinite, the rule predicts the same class for every value: positive if ``positive_inside`` is
        True, otherwise negative.
    positive_inside : bool or array of shape F
        True if values with ``low <= x <= high`` are classified as positive; False if values with ``x <= low`` or ``x >=
        high`` are classified as positive. With more than two thresholds, the predicted class also changes between
        ``low`` and ``high``.
    thresholds : array of shape (k,), or F + (2,) for a batch
        All thresholds at which the predicted class changes, ascending. A rule for two Gaussians has two thresholds,
        which may be infinite. A rule for other distributions has more than two thresholds if the densities cross more
        than twice.
    tpr, fpr, tnr, fnr : float or array of shape F
        Rates of the rule.
    ameans : float or array of shape F
        Ameans (balanced accuracy) of the rule, (TPR + TNR)/2.
    """

    __slots__ = ()
    derived = ("ameans",)
    _tabled = ("low", "high", "positive_inside", "ameans", "tpr", "fpr", "tnr", "fnr")
    _text = "low={low:.6g}, high={high:.6g}, positive_inside={positive_inside}, ameans={ameans:.6g}"
    _heading = "Rule with two or more thresholds"

    @property
    def ameans(self) -> Value:
        """Ameans (balanced accuracy), (TPR + TNR)/2."""
        return to_scalar(np.asarray(self.tpr) / 2 + np.asarray(self.tnr) / 2)


def summarize_rule(edges: FloatArray, *, starts_positive: bool) -> tuple[FloatArray, FloatArray, NDArray[np.bool_]]:
    """Return ``low``, ``high`` and ``positive_inside`` of a rule whose predicted class changes at ``edges``."""
    if not len(edges):
        return np.asarray(-np.inf), np.asarray(np.inf), np.asarray(starts_positive)
    last_positive = starts_positive != (len(edges) % 2 == 1)
    inside = not starts_positive and not last_positive
    low = edges[0] if inside or starts_positive else -np.inf
    high = edges[-1] if inside or last_positive else np.inf
    return np.asarray(low), np.asarray(high), np.asarray(inside)


@dataclass(frozen=True, eq=False, repr=False)
class RocCurve(Result):
    """Points of a ROC curve, from (0, 0) to (1, 1).

    Attributes
    ----------
    thresholds : array of shape (..., n_points)
        Thresholds in the unit of the feature, in descending order from +inf (with direction "lower", in ascending order
        from -inf). The first threshold classifies no value as positive, and the last one classifies all values as
        positive.
    fpr, tpr : arrays of shape (..., n_points)
        Rates of the rule at each threshold.
    """

    thresholds: FloatArray
    fpr: FloatArray
    tpr: FloatArray
    _long = True
    _text = "{length} points"

    def __len__(self) -> int:
        return int(np.shape(self.fpr)[-1])

    def table(self) -> Table:
        """Return a table of selected points of the curve; for a batch, return the middle point of each curve."""
        columns = {"threshold": self.thresholds, "FPR": self.fpr, "TPR": self.tpr}
        title = f"ROC curve with {len(self)} points"
        if np.ndim(self.fpr) > 1:
            middle = {f"{name} at middle point": values[..., len(self) // 2] for name, values in columns.items()}
            return batch_table(title, np.shape(self.fpr)[:-1], middle)
        plot = CurvePlot(f"{title}, TPR against FPR", [thin_curve(self.fpr, self.tpr)])
        return curve_table(title, columns, plot=plot)


def area_under(fpr: FloatArray, tpr: FloatArray, low: float = 0.0, high: float = 1.0) -> ArrayOrFloat:
    """Return the area under polylines between two FPRs.

    ``fpr`` and ``tpr`` contain the coordinates of the vertices, in ascending order along the last axis.
    """
    width = np.diff(fpr)
    start = fpr[..., :-1]
    left, right = np.clip(start, low, high), np.clip(fpr[..., 1:], low, high)
    with np.errstate(divide="ignore", invalid="ignore"):
        rise = np.where(width > 0, np.diff(tpr) / width, 0.0)
    middle = tpr[..., :-1] + rise * ((left - start) + (right - start)) / 2
    return to_scalar(np.sum((right - left) * middle, axis=-1))


def interpolate_tpr(fpr: FloatArray, tpr: FloatArray, at: ArrayOrFloat) -> FloatArray:
    """Return the TPR of a polyline at the given FPRs; on a vertical segment, return the TPR of its upper end."""
    index = np.searchsorted(fpr, at, side="right") - 1
    following = np.minimum(index + 1, len(fpr) - 1)
    return _interpolate(at, fpr[index], fpr[following], tpr[index], tpr[following])


def interpolate_tpr_below(fpr: FloatArray, tpr: FloatArray, at: ArrayOrFloat) -> FloatArray:
    """Return the TPR of a polyline at the given FPRs; on a vertical segment, return the TPR of its lower end."""
    following = np.searchsorted(fpr, at, side="left")
    before = np.maximum(following - 1, 0)
    between = _interpolate(at, fpr[before], fpr[following], tpr[before], tpr[following])
    return np.where(fpr[following] == at, tpr[following], between)  # exact at a vertex


def interpolate_tpr_batch(fpr: FloatArray, tpr: FloatArray, at: float) -> FloatArray:
    """Return the TPR of B polylines at one FPR; ``fpr`` and ``tpr``, of shape (B, m), contain the vertices."""
    index = np.count_nonzero(fpr <= at, axis=-1)[..., None] - 1
    following = np.minimum(index + 1, fpr.shape[-1] - 1)
    vertices = (np.take_along_axis(part, where, -1)[..., 0] for part in (fpr, tpr) for where in (index, following))
    return _interpolate(at, *vertices)


@np.errstate(under="ignore")
def _interpolate(at: ArrayOrFloat, start: FloatArray, end: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """Interpolate linearly between two vertices; on a vertical segment, return the value of the first vertex."""
    with np.errstate(divide="ignore", invalid="ignore"):
        fraction = np.where(end > start, (at - start) / (end - start), 0.0)
    return np.asarray(low + fraction * (high - low))


def hook_of_polyline(fpr: FloatArray, tpr: FloatArray) -> tuple[float, float, float]:
    """Return the part of a polyline below the chance line.

    The result contains the smallest and the largest FPR of this part, and the area between this part and the chance
    line.
    """
    start, end = (tpr - fpr)[:-1], (tpr - fpr)[1:]
    run = np.diff(fpr)
    under = (np.minimum(start, end) < 0) & (run > 0)
    if not under.any():
        return 0.0, 0.0, 0.0
    crosses = under & (np.maximum(start, end) > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        meets = np.where(crosses, start / (start - end), 0.0)  # fraction of the segment before the chance line
        area = np.where(crosses, np.minimum(start, end) ** 2 / np.abs(end - start) / 2, -(start + end) / 2)
    begins = fpr[:-1] + np.where(crosses & (start > 0), meets, 0.0) * run
    stops = fpr[:-1] + np.where(crosses & (end > 0), meets, 1.0) * run
    return float(begins[under].min()), float(stops[under].max()), float((area * run)[under].sum())


def is_undominated(tpr: FloatArray, fpr: FloatArray) -> NDArray[np.bool_]:
    """Return a mask of the operating points that are not dominated by a point with the same TPR or FPR.

    The points must be in ascending order.
    """
    index = np.arange(tpr.shape[-1])
    change = np.ones((*tpr.shape[:-1], 1), dtype=bool)
    first = np.maximum.accumulate(np.where(np.concatenate([change, np.diff(tpr) > 0], axis=-1), index, 0), axis=-1)
    last = np.where(np.concatenate([np.diff(fpr) > 0, change], axis=-1), index, len(index) - 1)
    last = np.minimum.accumulate(last[..., ::-1], axis=-1)[..., ::-1]
    lowest, highest = np.take_along_axis(fpr, first, axis=-1), np.take_along_axis(tpr, last, axis=-1)
    return np.asarray((fpr == lowest) & (tpr == highest))


def middle_of_best(utility: FloatArray, tolerance: ArrayLike = ROUNDING) -> NDArray[np.intp]:
    """Return the index of the largest value along the last axis.

    Values within ``tolerance`` of the maximum are treated as equal to it. If there are several such values, the middle
    index is returned; if their number is even, the lower of the two middle indices is returned.
    """
    good = utility >= utility.max(axis=-1, keepdims=True) - np.asarray(tolerance)[..., None]
    rank = np.cumsum(good, axis=-1)
    return np.asarray(np.argmax(good & (rank == (rank[..., -1:] + 1) // 2), axis=-1))


def equal_runs(candidates: FloatArray, loss: FloatArray, plateau: tuple[float, float]) -> FloatArray:
    """Return one threshold from each run of equally good candidates outside the interval ``plateau``.

    Candidates are equally good if their loss equals the smallest loss of all candidates, up to rounding errors.
    """
    candidates, index = np.unique(candidates, return_index=True)
    loss = loss[index]
    equal = np.flatnonzero(loss <= loss.min() * (1 + _TIE_RTOL))
    runs = np.split(equal, np.flatnonzero(np.diff(equal) > 1) + 1)
    others = [run for run in runs if candidates[run[-1]] < plateau[0] or candidates[run[0]] > plateau[1]]
    return np.array([candidates[run[np.argmin(loss[run])]] for run in others])


def pad_rows(rows: list[FloatArray]) -> FloatArray:
    """Return rows of different lengths as one array, padded with NaN."""
    padded = np.full((len(rows), max(map(len, rows), default=0)), np.nan)
    for target, row in zip(padded, rows, strict=True):
        target[: len(row)] = row
    return padded


def check_n_points(n_points: object) -> int:
    """Return the number of curve points, or raise an error if this number is out of range."""
    number = check_int("n_points", n_points)
    if not 2 <= number <= _MAX_POINTS:
        raise RocPredictError(f"n_points={number} is not between 2 and {_MAX_POINTS}")
    return number


class CurveSolver(ABC):
    """Base class of solvers that compute areas and rates of a ROC curve.

    Rates are passed and returned as arrays. ``axis`` is the name of the rate that is passed. For axis "fpr", ``along``
    returns TPRs; on a vertical segment of the curve, it returns the highest TPR. For axis "tpr", ``along`` returns
    FPRs; on a horizontal segment, it returns the lowest FPR.
    """

    @abstractmethod
    def auc_complement(self) -> FloatArray:
        """Return 1 - AUC with full relative accuracy."""

    @abstractmethod
    def along(self, axis: Axis, rate: FloatArray) -> FloatArray:
        """Return the highest TPR at FPR = ``rate`` or, for axis "tpr", the lowest FPR with TPR >= ``rate``."""

    @abstractmethod
    def area(self, axis: Axis, low: FloatArray, high: FloatArray) -> FloatArray:
        """Return the area under the curve (axis "fpr") or to the right of the curve (axis "tpr") between two rates."""

    def auc(self) -> FloatArray:
        """Return the area under the curve."""
        return 1 - self.auc_complement()


class Solver(CurveSolver):
    """Solver for the ROC curve of two distributions and the rule "positive when x >= threshold".

    Parameters
    ----------
    negative, positive : distribution
        Distributions of one feature in the two classes. If both are Gaussian, they may be batches; F is the shape of
        the batch.

    Attributes
    ----------
    is_fast : bool
        Whether every method is fast enough to be called in a repr.
    is_discrete : bool
        Whether the number of operating points is finite.
    takes_batches : bool
        Whether the two distributions may be batches, with one distribution per feature. If True, ``maximize`` refines
        only the best point of the search grid; otherwise, it also refines other local maxima.
    thresholds : array or None
        Thresholds of all operating points, descending; None if the solver is not discrete.

    Notes
    -----
    The price is the cost of a false positive times the proportion of negatives, divided by the cost of a false negative
    times the proportion of positives. ``log_price`` is the logarithm of the price; it may be a number or an array. The
    weighted densities are f1 and price * f0, where f0 and f1 are the densities of the negatives and the positives.
    """

    is_fast: ClassVar[bool] = False
    is_discrete: ClassVar[bool] = False
    takes_batches: bool = False

    def __init__(self, negative: Distribution[Any], positive: Distribution[Any]) -> None:
        self.negative, self.positive = negative, positive

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape F of the batch of features; ``()`` for one feature."""
        return np.broadcast_shapes(self.negative.shape, self.positive.shape)

    @property
    def thresholds(self) -> FloatArray | None:
        """Thresholds of all operating points, descending, or None if the solver is not discrete."""
        return None

    @abstractmethod
    def threshold_at(self, axis: Axis, rate: FloatArray) -> FloatArray:
        """Return the lowest threshold with FPR <= ``rate`` or, for axis "tpr", the highest one with TPR >= ``rate``."""

    @abstractmethod
    def optimal(self, log_price: FloatArray) -> OptimalThreshold:
        """Return the threshold that maximizes TPR - price * FPR, and all crossings of the weighted densities."""

    @abstractmethod
    def likelihood_ratio(self) -> LikelihoodRatioSolver:
        """Return the solver for the ROC curve of the likelihood ratio f1/f0."""

    def log_auc_complement(self) -> FloatArray:
        """Return log(1 - AUC), which is -inf for an AUC of 1."""
        with np.errstate(divide="ignore"):
            return np.log(self.auc_complement())

    def crossings(self, log_price: FloatArray) -> FloatArray:
        """Return the thresholds at which the weighted densities cross, in ascending order along the last axis."""
        return self.optimal(log_price).crossings

    @cached_property
    def panel_edges(self) -> FloatArray:
        """Quantiles of both classes, including quantiles far out in the tails."""
        return panel_edges(self.negative, self.positive)

    @cached_property
    def search_grid(self) -> FloatArray:
        """Grid of feature values that is dense in the bulk of both classes and extends far beyond ``panel_edges``."""
        return search_grid(self.negative, self.positive, self.panel_edges)

    def slope(self, fpr: FloatArray) -> FloatArray:
        """Return the slope of the curve at an FPR, which is the likelihood ratio at the corresponding threshold."""
        grid = self.search_grid
        t = np.clip(self.negative.isf(fpr), grid[0], grid[-1])  # the ends of the grid replace infinite thresholds
        atom = atom_mass(self.negative, t)
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            ratio = np.exp(log_density_ratio(self.negative, self.positive, t))
            return np.where(atom > 0, atom_mass(self.positive, t) / atom, ratio)

    def hook(self) -> Hook[Any]:
        """Return the part of the curve below the chance line."""
        negative, positive, grid = self.negative, self.positive, self.search_grid

        def excess(x: FloatArray) -> FloatArray:
            """Return TPR - FPR; if TNR < FPR, compute this difference as TNR - FNR, which reduces rounding errors."""
            fpr, tnr = np.asarray(negative.sf_inclusive(x)), np.asarray(negative.cdf_strict(x))
            return np.where(tnr < fpr, tnr - positive.cdf_strict(x), positive.sf_inclusive(x) - fpr)

        meets = sign_changes(excess, grid, excess(grid))
        points, masses = negative.atoms()
        start, end = excess(np.nextafter(points, np.inf)), excess(points)
        with np.errstate(divide="ignore", invalid="ignore"):  # the segment of a point mass may cross the chance line
            crossing = np.minimum(start, end) ** 2 / np.abs(end - start) / 2
        at_atoms = np.where(start * end < 0, crossing, np.maximum(0.0, -(start + end) / 2))
        edges = np.unique(np.concatenate([self.panel_edges, meets]))
        area = expectation(negative, lambda x: np.maximum(0.0, -excess(x)), edges) + masses @ at_atoms
        thresholds = np.unique(np.concatenate([grid, meets, points, np.nextafter(points, np.inf)]))[::-1]
        fpr, tpr = np.asarray(negative.sf_inclusive(thresholds)), np.asarray(positive.sf_inclusive(thresholds))
        low, high, _ = hook_of_polyline(np.concatenate([[0.0], fpr, [1.0]]), np.concatenate([[0.0], tpr, [1.0]]))
        return Hook(*(np.asarray(part if area > 0 else 0.0) for part in (low, high, area)))

    def optimal_ameans(self) -> OptimalThreshold:
        """Return the threshold with the highest Ameans."""
        return self.optimal(EVEN)

    def maximize(self, utility: Callable[[Rates[Any]], FloatArray]) -> OptimalThreshold:
        """Return the threshold that maximizes ``utility``, a function of the rates.

        ``utility`` returns -inf for rates at which it is undefined.
        """
        wide = add_grid_axis(self.negative), add_grid_axis(self.positive)
        levels = np.concatenate([np.linspace(0.01, 0.99, 197), 10.0 ** -np.arange(1, 17)])
        quantiles = [np.asarray(part) for d in wide for part in (d.ppf(levels), d.isf(levels))]
        parts = [np.broadcast_to(p, self.shape + p.shape[-1:]) for p in (*quantiles, np.array([-np.inf, np.inf]))]
        grid = np.sort(np.concatenate(parts, axis=-1), axis=-1)
        best, threshold = np.full(self.shape, -np.inf), np.zeros(self.shape)
        for reach in (8, *[1] * 14):  # 8, because quantiles of x and -x may differ in the last digit
            values = utility(rates_at(*wide, grid))
            if np.isneginf(best).all():
                check_defined(values)
            index = np.argmax(values, axis=-1)[..., None]
            utility_value = np.take_along_axis(values, index, axis=-1)[..., 0]
            here = np.take_along_axis(grid, index, axis=-1)[..., 0]
            threshold, best = np.where(utility_value > best, here, threshold), np.maximum(utility_value, best)
            grid = _refine_grid(grid, index, reach)
        if self.takes_batches:
            return self.at_threshold(threshold, self.crossings(EVEN))
        candidates, values = self._local_maxima(utility)
        tolerance = _TIE_RTOL * max(1.0, abs(float(best)))
        if values.size and values.max() > best + tolerance:
            threshold, best = candidates[np.argmax(values)], values.max()
        candidates, values = np.append(candidates, threshold), np.append(values, best)
        loss = np.where(values >= best - tolerance, 0.0, 1.0)
        equal = equal_runs(candidates, loss, (float(threshold), float(threshold)))
        return self.at_threshold(np.asarray(threshold), self.crossings(EVEN), None, equal)

    def _local_maxima(self, utility: Callable[[Rates[Any]], FloatArray]) -> tuple[FloatArray, FloatArray]:
        """Return candidate thresholds and their utilities.

        The candidates are the points of the search grid, the point masses and the refined local maxima.
        """
        atoms = np.concatenate([self.negative.atoms().points, self.positive.atoms().points])
        points = np.unique(
            np.concatenate([self.search_grid, atoms, np.nextafter(atoms, np.inf), np.array([-np.inf, np.inf])])
        )
        values = utility(rates_at(self.negative, self.positive, points))
        gap = np.abs(np.diff(np.where(np.isneginf(values), np.nan, values)))
        rise = np.fmax(np.append(gap, 0.0), np.append(0.0, gap))  # largest difference from a neighbor
        top = np.fmax(values, values + np.nan_to_num(rise))
        inner = (values[1:-1] >= values[:-2]) & (values[1:-1] >= values[2:]) & np.isfinite(points[1:-1])
        index = np.flatnonzero(inner & (top[1:-1] >= values.max())) + 1
        index = index[np.argsort(-values[index], kind="stable")[:_MAX_MAXIMA]]
        if not index.size:
            return points, values
        grid = _refine_grid(np.broadcast_to(points, (len(index), len(points))), index[:, None], 1)
        best, location = values[index], points[index]
        for _ in range(14):
            rates = rates_at(self.negative, self.positive, grid)
            rows = zip(rates.tpr, rates.fpr, rates.tnr, rates.fnr, strict=True)
            refined = np.array([utility(Rates(*row)) for row in rows])
            at = np.argmax(refined, axis=-1)[:, None]
            value, here = (np.take_along_axis(part, at, axis=-1)[:, 0] for part in (refined, grid))
            location, best = np.where(value > best, here, location), np.maximum(value, best)
            grid = _refine_grid(grid, at, 1)
        return np.concatenate([points, location]), np.concatenate([values, best])

    def at_threshold(
        self,
        threshold: FloatArray,
        crossings: FloatArray,
        plateau: tuple[FloatArray, FloatArray] | None = None,
        equal_thresholds: FloatArray | None = None,
        **flags: ArrayLike,
    ) -> OptimalThreshold:
        """Return a threshold with its rates and flags (``flags`` and the flags derived from the rates)."""
        low, high = (threshold, threshold) if plateau is None else plateau
        rates = rates_at(self.negative, self.positive, threshold)
        return make_optimum(threshold, rates, (low, high), crossings, equal_thresholds, **flags)


def _refine_grid(grid: FloatArray, index: NDArray[np.intp], reach: int) -> FloatArray:
    """Return 33 equidistant points around one point of each grid, or copies of this point if it is infinite."""
    inner = np.take_along_axis(grid, index, axis=-1)
    left, right = (
        np.take_along_axis(grid, np.clip(index + step, 0, grid.shape[-1] - 1), axis=-1) for step in (-reach, reach)
    )
    left, right = (np.where(np.isfinite(end), end, inner) for end in (left, right))
    with np.errstate(invalid="ignore"):  # an infinite point is not refined
        fine = left + (right - left) * np.linspace(0, 1, 33)
    return np.where(np.isfinite(inner), fine, inner)


def make_optimum(
    threshold: FloatArray,
    rates: Rates[Any],
    plateau: tuple[FloatArray, FloatArray],
    crossings: FloatArray,
    equal_thresholds: FloatArray | None = None,
    **flags: ArrayLike,
) -> OptimalThreshold:
    """Return a threshold with its rates and flags (``flags`` and the flags derived from the rates)."""
    tpr, fpr, tnr, fnr = (np.asarray(rate) for rate in (rates.tpr, rates.fpr, rates.tnr, rates.fnr))
    equal = np.empty((*np.shape(threshold), 0)) if equal_thresholds is None else equal_thresholds
    all_flags = Flags(
        equal_thresholds=~np.isnan(equal).all(axis=-1),
        always_negative=threshold == np.inf,
        always_positive=threshold == -np.inf,
        perfect_separation=(fpr == 0) & (fnr == 0),
        **flags,
    )
    low, high = (np.asarray(limit) for limit in plateau)
    return OptimalThreshold(np.asarray(threshold), tpr, fpr, tnr, fnr, low, high, crossings, equal, all_flags)


def rates_at(negative: Distribution[Any], positive: Distribution[Any], threshold: FloatArray) -> Rates[Any]:
    """Return the rates of the rule "positive when x >= threshold"."""
    return Rates(
        np.asarray(positive.sf_inclusive(threshold)),
        np.asarray(negative.sf_inclusive(threshold)),
        np.asarray(negative.cdf_strict(threshold)),
        np.asarray(positive.cdf_strict(threshold)),
    )


def check_defined(utility: FloatArray) -> None:
    """Raise RocPredictError if the utility is undefined (-inf) at every threshold."""
    if np.isneginf(utility).all(axis=-1).any():
        raise RocPredictError(
            "criterion is undefined (NaN) at every threshold; use a criterion that is defined for at least one "
            "threshold"
        )


def tangent_correction(residual: FloatArray, rate: FloatArray, log_slope: FloatArray) -> FloatArray:
    """Correct a rate along the tangent of the curve, and clip the result to [0, 1].

    If the corrected rate is a TPR, ``residual`` is the required FPR minus the computed FPR; if it is an FPR,
    ``residual`` is the required TPR minus the computed TPR.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        step = residual * np.exp(log_slope)
    return np.clip(rate + np.where(np.isfinite(step), step, 0.0), 0.0, 1.0)


def make_tail_grids(n_points: int) -> tuple[FloatArray, FloatArray]:
    """Return two grids of tail probabilities, one per class, for a curve of about ``n_points`` points."""
    first, second = (ndtr(np.linspace(-6, 6, count)) for count in ((n_points - 1) // 2, (n_points - 2) // 2))
    return first, second


def atom_mass(d: Distribution[Any], t: FloatArray) -> FloatArray:
    """Return P(X = t)."""
    if not d.shape and not d.atoms().points.size:
        return np.zeros(np.shape(t))
    return np.asarray(np.asarray(d.sf_inclusive(t)) - d.sf(t))


class LikelihoodRatioSolver(CurveSolver):
    """Base class of solvers for the ROC curve of the likelihood ratio f1/f0.

    A rule "positive when the likelihood ratio is above a level" is represented by thresholds in the unit of the
    feature.
    """

    @abstractmethod
    def rule(self, log_price: FloatArray) -> TwoThresholdRule[Any]:
        """Return the rule "positive if the likelihood ratio is above the price", which maximizes TPR - price * FPR."""

    @abstractmethod
    def rule_at_fpr(self, fpr: FloatArray) -> TwoThresholdRule[Any]:
        """Return the rule that maximizes TPR subject to an FPR of at most ``fpr``."""

    @abstractmethod
    def curve(self, n_points: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the likelihood ratio, FPR and TPR at about ``n_points`` points of the curve, from (0, 0) to (1, 1)."""


class SameCurveSolver(CurveSolver):
    """Solver that uses the areas and rates of ``base``, another solver for the same ROC curve."""

    base: CurveSolver

    def auc(self) -> FloatArray:
        """Return the area under the curve."""
        return self.base.auc()

    def auc_complement(self) -> FloatArray:
        """Return 1 - AUC with full relative accuracy."""
        return self.base.auc_complement()

    def along(self, axis: Axis, rate: FloatArray) -> FloatArray:
        """Return the highest TPR at FPR = ``rate`` or, for axis "tpr", the lowest FPR with TPR >= ``rate``."""
        return self.base.along(axis, rate)

    def area(self, axis: Axis, low: FloatArray, high: FloatArray) -> FloatArray:
        """Return the area under the curve (axis "fpr") or to the right of the curve (axis "tpr") between two rates."""
        return self.base.area(axis, low, high)


class MappedSolver(SameCurveSolver, Solver):
    """Solver for a feature y that is an increasing function of a feature x.

    Parameters
    ----------
    negative, positive : distribution
        Distributions of y in the two classes.
    base : Solver
        Solver for a feature x that has the same ROC curve as y.
    back : function
        Function that converts an array of thresholds of x to thresholds of y.
    """

    base: Solver

    def __init__(
        self,
        negative: Distribution[Any],
        positive: Distribution[Any],
        base: Solver,
        back: Callable[[FloatArray], FloatArray],
    ) -> None:
        super().__init__(negative, positive)
        self.base, self._threshold_map = base, back
        self.takes_batches = bool(base.shape)

    def log_auc_complement(self) -> FloatArray:
        """Return log(1 - AUC)."""
        return self.base.log_auc_complement()

    def slope(self, fpr: FloatArray) -> FloatArray:
        """Return the slope of the curve."""
        return self.base.slope(fpr)

    def hook(self) -> Hook[Any]:
        """Return the part of the curve below the chance line."""
        return self.base.hook()

    def threshold_at(self, axis: Axis, rate: FloatArray) -> FloatArray:
        """Return the lowest threshold with FPR <= ``rate`` or, for axis "tpr", the highest one with TPR >= ``rate``."""
        return self._map_back(self.base.threshold_at(axis, rate))

    def crossings(self, log_price: FloatArray) -> FloatArray:
        """Return the thresholds at which the weighted densities cross."""
        return self._map_back(self.base.crossings(log_price))

    def optimal(self, log_price: FloatArray) -> OptimalThreshold:
        """Return the threshold that maximizes TPR - price * FPR, and all crossings of the weighted densities."""
        best = self.base.optimal(log_price)
        names = ("threshold", "plateau_low", "plateau_high", "crossings", "equal_thresholds")
        mapped: dict[str, Any] = {name: self._map_back(getattr(best, name)) for name in names}
        return best._replace(**mapped)

    def likelihood_ratio(self) -> LikelihoodRatioSolver:
        """Return the solver for the ROC curve of the likelihood ratio.

        The likelihood ratio at a value of y equals the likelihood ratio at the corresponding value of x.
        """
        return MappedLikelihoodRatioSolver(self.base.likelihood_ratio(), self._map_back)

    def _map_back(self, threshold: FloatArray) -> FloatArray:
        return np.where(np.isinf(threshold), threshold, self._threshold_map(threshold))


class MappedLikelihoodRatioSolver(SameCurveSolver, LikelihoodRatioSolver):
    """Likelihood ratio solver that converts the thresholds of ``base`` to thresholds of another feature."""

    base: LikelihoodRatioSolver

    def __init__(self, base: LikelihoodRatioSolver, back: Callable[[FloatArray], FloatArray]) -> None:
        self.base, self._map_back = base, back

    def curve(self, n_points: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the likelihood ratio, FPR and TPR at about ``n_points`` points of the curve, from (0, 0) to (1, 1)."""
        return self.base.curve(n_points)

    def rule(self, log_price: FloatArray) -> TwoThresholdRule[Any]:
        """Return the rule that maximizes TPR - price * FPR."""
        return self._mapped(self.base.rule(log_price))

    def rule_at_fpr(self, fpr: FloatArray) -> TwoThresholdRule[Any]:
        """Return the rule that maximizes TPR subject to an FPR of at most ``fpr``."""
        return self._mapped(self.base.rule_at_fpr(fpr))

    def _mapped(self, rule: TwoThresholdRule[Any]) -> TwoThresholdRule[Any]:
        mapped: dict[str, Any] = {name: self._map_back(getattr(rule, name)) for name in ("low", "high", "thresholds")}
        return rule._replace(**mapped)
