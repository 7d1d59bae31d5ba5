"""Dirichlet draws of empirical ROC curves, and the intervals and tests that they give."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rocpredict.base.results import Flags, Interval
from rocpredict.base.validation import FloatArray, RocPredictError
from rocpredict.distributions.ecdf import Ecdf
from rocpredict.inference.bootstrap import BootstrapOptions
from rocpredict.inference.hypotheses import AucStatistic, ComparedQuantity, Hypothesis
from rocpredict.inference.placements import RateRange
from rocpredict.inference.samples import ClassColumns, CurveSample

IntArray: TypeAlias = NDArray[np.intp]

STEEP_EXPONENT = 4.0
"""Exponent of a drawn curve that starts flat in the first gap, or ends flat in the last one."""
_EXPONENT_FACTOR = 0.5
"""Factor of the exponent that the top quarter of the negatives suggests, for a curve that starts steeply."""
_EXPONENT_LIMITS = (0.05, 1.0)
_REACH = 6.0  # standard deviations of the FPR of an order statistic, beyond which no observation is drawn by itself
_EXTRA_REACH = 20.0  # observations, in addition
_MAX_RANKS = 256  # of the negatives that are drawn by themselves; of more, a grid
_GRID_SIZES = (256, 64)  # of the grid of one curve, and of each of several, whose cells multiply
_MIN_CLUSTERS = 4  # of each class


@dataclass(frozen=True)
class CurveDraws:
    """Draws of one ROC curve.

    Attributes
    ----------
    fpr, tpr : arrays of shape (B, m)
        Vertices from (0, 0) to (1, 1), joined by straight lines.
    exponent : array of shape (B,)
        Of the power law from (0, 0) to the first vertex, by the slope of log TPR against log FPR from there to the
        quarter of the negatives with the largest values.
    has_first, has_last : bool
        Whether the first and the last vertex inside belong to the largest and the smallest negative.
    """

    fpr: FloatArray
    tpr: FloatArray
    exponent: FloatArray
    has_first: bool
    has_last: bool

    def tpr_at(self, fpr: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return a low and a high TPR at each of some FPRs of shape (k,), shape (B, k) each."""
        low = np.stack([np.interp(fpr, *vertices) for vertices in zip(self.fpr, self.tpr, strict=True)])
        high = low.copy()
        if self.has_first:
            first_fpr, first_tpr = self.fpr[:, 1:2], self.tpr[:, 1:2]
            with np.errstate(divide="ignore", invalid="ignore", under="ignore"):
                ratio, is_first = fpr / first_fpr, fpr < first_fpr
                low = np.where(is_first, first_tpr * ratio**STEEP_EXPONENT, low)
                power = first_tpr * np.where(fpr > 0, ratio**self._steep_start, 1.0)
            high = np.where(is_first, power, high)
        if self.has_last:
            last_fpr, last_tpr = self.fpr[:, -2:-1], self.tpr[:, -2:-1]
            with np.errstate(divide="ignore", invalid="ignore"):
                power = 1 - (1 - last_tpr) * ((1 - fpr) / (1 - last_fpr)) ** STEEP_EXPONENT
            high = np.where((fpr >= last_fpr) & (fpr < 1), power, high)
        return low, high

    def area(self, start: float, end: float) -> tuple[FloatArray, FloatArray]:
        """Return a low and a high area between two FPRs, shape (B,) each."""
        limits = np.array([start, end])
        ends = np.stack([np.interp(limits, *vertices) for vertices in zip(self.fpr, self.tpr, strict=True)])
        tpr = np.where(self.fpr < start, ends[:, :1], np.where(self.fpr > end, ends[:, 1:], self.tpr))
        low = np.trapezoid(tpr, np.clip(self.fpr, start, end), axis=1)
        high = low
        if self.has_first:
            first = np.maximum(self.fpr[:, 1], np.finfo(float).tiny)
            fractions = np.minimum(end, first) / first, np.minimum(start, first) / first
            scale = self.tpr[:, 1] * first
            low = low + scale * _power_excess(*fractions, STEEP_EXPONENT)
            high = high + scale * _power_excess(*fractions, self._steep_start[:, 0])
        if self.has_last:
            gap = np.maximum(1 - self.fpr[:, -2], np.finfo(float).tiny)
            fractions = np.minimum(1 - start, gap) / gap, np.minimum(1 - end, gap) / gap
            high = high - (1 - self.tpr[:, -2]) * gap * _power_excess(*fractions, STEEP_EXPONENT)
        return low, high

    @property
    def _steep_start(self) -> FloatArray:
        return (self.exponent * _EXPONENT_FACTOR)[:, None]


def _power_excess(high: FloatArray, low: FloatArray, exponent: Any) -> FloatArray:
    """Return the integral of x^exponent - x between two fractions."""
    power = exponent + 1
    with np.errstate(under="ignore"):
        return np.asarray((high**power - low**power) / power - (high**2 - low**2) / 2)


Quantity: TypeAlias = Callable[[CurveDraws], tuple[FloatArray, FloatArray]]
"""Function of the draws of a curve to low and high draws of a quantity, of which the first axis has the draws."""


def orient_to_range(
    classes: tuple[ClassColumns, ClassColumns], rate_range: RateRange
) -> tuple[tuple[ClassColumns, ClassColumns], float, float]:
    """Return classes and FPRs between which their curve has the area over a range of FPR or of TPR.

    Reflected, with the classes in each other's place, the area to the right of the curve is one under it.
    """
    low, high = float(rate_range.low), float(rate_range.high)
    if rate_range.axis == "fpr":
        return classes, low, high
    negative, positive = (part._replace(values=-part.values) for part in classes)
    return (positive, negative), 1 - high, 1 - low


def class_columns(sample: Ecdf) -> ClassColumns:
    """Return the observations of a class, as those of one curve."""
    return ClassColumns(sample.sorted_sample[:, None], sample.sorted_weights)


# ---- draws
def draw_quantity(
    classes: tuple[ClassColumns, ClassColumns],
    quantity: Quantity,
    fpr_range: tuple[float, float],
    resampling: BootstrapOptions,
) -> list[tuple[FloatArray, FloatArray]]:
    """Return draws of a quantity of the K curves of the same observations.

    Parameters
    ----------
    classes : (negative, positive)
        Values of shape (rows, K), with their weights and clusters.
    quantity : function
        Of the drawn curve between two FPRs, ``fpr_range``; elsewhere it is not drawn in detail.

    Returns
    -------
    list of (low, high)
        Of each of the K curves; the first axis of both arrays has the draws, two for each resample. They differ where a
        draw has no negative beyond the FPR: there the low curve is flat at first (a power of 4) and the high one steep.

    Notes
    -----
    Every observation has an exponential weight, and each class one weight more (cf. Rubin 1981; Gu, Ghosal and Roy
    2008). The sum of the weights of the k largest negatives over the total is then distributed as the FPR at the k-th
    largest value of a continuous distribution. The one positive more lies below all others in one draw and above them
    in another with the same weights, so that quantiles of the TPR at a fixed threshold are the mid-p interval of a
    proportion; in the second of two curves of the same observations it lies at the other end. Tied negatives rise
    through the positives tied with them one after the other. Sums of weights are gamma distributed: observations far
    from the range of FPR, and those between two ranks of a grid, need one variate together. With clusters one weight,
    of gamma shape (G - 2)/G, serves all observations of one of the G clusters.
    """
    n_curves = classes[0].values.shape[1]
    curves = [_Curve.from_columns(classes, index, fpr_range) for index in range(n_curves)]
    class_draws = [
        _ClassDraws.from_bounds(part, [curve.orders[index] for curve in curves], [c.bounds[index] for c in curves])
        for index, part in enumerate(classes)
    ]
    n_clusters = 0
    if classes[0].clusters is not None:
        n_clusters = 1 + max(int(part.clusters.max()) for part in classes)
    row_size = n_clusters + sum(draws.size * (1 + 2 * n_curves) for draws in class_draws)
    streams = [np.random.default_rng(seed) for seed in resampling.generator().integers(0, 2**63, 3)]
    chunks: list[list[tuple[FloatArray, FloatArray]]] = [[] for _ in curves]
    for size in resampling.chunk_sizes(row_size):
        cluster_weights = streams[2].standard_gamma(max(n_clusters - 2, 1) / max(n_clusters, 1), (size, n_clusters))
        sums = [
            draws.cumulative(stream, size, cluster_weights)
            for draws, stream in zip(class_draws, streams[:2], strict=True)
        ]
        for place, curve in enumerate(curves):
            for is_above in (place % 2 == 0, place % 2 == 1):
                chunks[place].append(quantity(curve.vertices(sums[0][place], sums[1][place], is_above)))
    parts = [zip(*each, strict=True) for each in chunks]
    return [(np.concatenate(low), np.concatenate(high)) for low, high in parts]


class _Positions(NamedTuple):
    """Places among the sorted observations of a class: a boundary, and a fraction of the step to the next one."""

    boundary: IntArray
    fraction: FloatArray

    @classmethod
    def at(cls, weight: FloatArray, cumulative: FloatArray) -> _Positions:
        """Return the places of cumulative weights."""
        boundary = np.minimum(np.searchsorted(cumulative, weight, side="right") - 1, len(cumulative) - 2)
        step = np.diff(cumulative)[boundary]
        return cls(boundary, np.clip((weight - cumulative[boundary]) / step, 0, 1))

    def among(self, bounds: IntArray) -> _Positions:
        """Return the same places with boundaries numbered as they come among some of them."""
        return self._replace(boundary=np.searchsorted(bounds, self.boundary))

    def take(self, sums: FloatArray) -> FloatArray:
        """Return drawn sums at these places, shape (B, places)."""
        low = sums.take(self.boundary, axis=1)
        if not self.fraction.any():
            return low
        return np.asarray(low + self.fraction * (sums.take(self.boundary + 1, axis=1) - low))


@dataclass(frozen=True)
class _Curve:
    """The vertices of one curve: ranks of negatives, and for each a place among the positives."""

    orders: tuple[IntArray, IntArray]
    """Rows of each class from the largest value to the smallest."""
    bounds: tuple[IntArray, IntArray]
    """Numbers of leading rows of each class at which a sum is needed, ascending, from 0 on."""
    vertex: IntArray
    heights: _Positions
    quarter: int
    has_first: bool
    has_last: bool

    @classmethod
    def from_columns(
        cls, classes: tuple[ClassColumns, ClassColumns], index: int, fpr_range: tuple[float, float]
    ) -> _Curve:
        """Return the vertices of a curve around a range of FPR."""
        orders = [np.argsort(-part.values[:, index], kind="stable") for part in classes]
        values = [part.values[order, index] for part, order in zip(classes, orders, strict=True)]
        weights = [
            np.ones(len(order)) if part.weights is None else part.weights[order]
            for part, order in zip(classes, orders, strict=True)
        ]
        totals = [np.concatenate([[0.0], np.cumsum(weight)]) for weight in weights]
        n_rows, quarter = len(values[0]), max(3.0, np.ceil(totals[0][-1] / 4))
        first, last = 1, n_rows
        if classes[0].clusters is None:
            first, last = _rank_window(totals[0], fpr_range)
        ranks = _rank_grid(first, last, n_rows, _GRID_SIZES[classes[0].values.shape[1] > 1])
        quarter_rank = min(int(np.searchsorted(totals[0], quarter)), n_rows)
        ranks = np.union1d(ranks, [quarter_rank]) if ranks[0] == 1 else ranks

        descending = [-part for part in values]
        at = descending[0][ranks - 1]
        above, to = (totals[1][np.searchsorted(descending[1], at, side=side)] for side in ("left", "right"))
        start, end = (totals[0][np.searchsorted(descending[0], at, side=side)] for side in ("left", "right"))
        share = (totals[0][ranks] - start - np.minimum(weights[0][ranks - 1], 1) / 2) / (end - start)
        heights = _Positions.at(above + (to - above) * share, totals[1])
        needed = np.concatenate([[0, len(values[1])], heights.boundary, heights.boundary + 1])
        bounds = np.concatenate([[0], ranks]), np.unique(needed)
        return cls(
            (orders[0], orders[1]),
            bounds,
            np.arange(1, len(ranks) + 1),
            heights.among(bounds[1]),
            int(np.searchsorted(ranks, quarter_rank)) + 1,
            bool(ranks[0] == 1),
            bool(ranks[-1] == n_rows),
        )

    def vertices(self, negative: FloatArray, positive: FloatArray, is_above: bool) -> CurveDraws:
        """Return the drawn curve from sums of weights at the boundaries, as fractions of their totals.

        ``is_above`` tells whether the one positive more lies above all others.
        """
        inside = self.heights.take(positive)
        inside = 1 - (positive[:, -2:-1] - inside) if is_above else inside
        corner = np.zeros((len(inside), 1))
        fpr = np.hstack([corner, negative[:, self.vertex], corner + 1])
        tpr = np.hstack([corner, inside, corner + 1])
        exponent = np.ones(len(inside))
        if self.has_first and self.quarter > 1:
            with np.errstate(divide="ignore", invalid="ignore"):
                rise = np.log(tpr[:, self.quarter] / tpr[:, 1]) / np.log(fpr[:, self.quarter] / fpr[:, 1])
            exponent = np.clip(np.nan_to_num(rise, nan=1.0), *_EXPONENT_LIMITS)
        return CurveDraws(fpr, tpr, exponent, self.has_first, self.has_last)


def _rank_window(totals: FloatArray, fpr_range: tuple[float, float]) -> tuple[int, int]:
    """Return the ranks between which the negatives have FPRs in a range, all but surely."""
    n, ends = totals[-1], []
    for fpr, sign in zip(fpr_range, (-1, 1), strict=True):
        ends.append(n * fpr + sign * (_REACH * np.sqrt(n * fpr * (1 - fpr)) + _EXTRA_REACH))
    first, last = np.searchsorted(totals, ends)
    return int(np.clip(first, 1, len(totals) - 1)), int(np.clip(last, 1, len(totals) - 1))


def _rank_grid(first: int, last: int, n_rows: int, grid_size: int) -> IntArray:
    """Return all ranks between two, or so many of them that the steps between are small beside the distance to an end.

    A quarter of the size is the number of ranks from each end that the grid holds one by one.
    """
    if last - first < _MAX_RANKS:
        return np.arange(first, last + 1)
    n_top, ratio = grid_size / 4, 1 + 16 / grid_size
    n_steps = max(0, int(np.log(n_rows / n_top) / np.log(ratio)))
    top = np.concatenate([np.arange(1, n_top), n_top * ratio ** np.arange(n_steps)])
    grid = np.concatenate([np.linspace(first, last, grid_size // 2), top, n_rows + 1 - top])
    ranks = np.unique(np.round(grid).astype(np.intp))
    return ranks[(ranks >= first) & (ranks <= last)]


@dataclass(frozen=True)
class _ClassDraws:
    """Sums of weights of a class that the K curves need."""

    shapes: FloatArray
    """Weights of the cells: rows that no boundary of any curve separates."""
    clusters: Any
    """The cluster of each cell, where cells are rows; or None."""
    intervals: list[IntArray]
    """For each curve the interval between boundaries that each cell belongs to."""
    n_intervals: list[int]
    extra: float
    """Shape of the one weight more."""

    @classmethod
    def from_bounds(cls, part: ClassColumns, orders: list[IntArray], bounds: list[IntArray]) -> _ClassDraws:
        """Return the cells of a class."""
        n_rows = len(part.values)
        row_intervals = []
        for order, bound in zip(orders, bounds, strict=True):
            interval = np.empty(n_rows, dtype=np.intp)
            interval[order] = np.searchsorted(bound, np.arange(n_rows), side="right") - 1
            row_intervals.append(interval)
        n_intervals = [len(bound) for bound in bounds]
        if part.clusters is not None:
            weights = np.ones(n_rows) if part.weights is None else part.weights
            size = float(weights.sum()) / len(np.unique(part.clusters))
            return cls(weights, part.clusters, row_intervals, n_intervals, size)
        code = np.ravel_multi_index(tuple(row_intervals), tuple(n_intervals))
        cells, first_row, inverse = np.unique(code, return_index=True, return_inverse=True)
        shapes = np.bincount(inverse, part.weights).astype(np.float64)
        by_row = np.argsort(first_row) if len(orders) > 1 else slice(None)  # the same if curves are exchanged
        intervals = list(np.unravel_index(cells[by_row], tuple(n_intervals)))
        return cls(shapes[by_row], None, intervals, n_intervals, 1.0)

    @property
    def size(self) -> int:
        """Number of weights in each draw."""
        return len(self.shapes) + 1

    def cumulative(self, rng: np.random.Generator, size: int, cluster_weights: FloatArray) -> list[FloatArray]:
        """Return for each curve sums up to each boundary and the total, as fractions of it: shape (B, bounds + 1)."""
        last = rng.standard_exponential(size) * self.extra
        if self.clusters is None:
            weights = rng.standard_gamma(self.shapes, (size, len(self.shapes)))
        else:
            weights = cluster_weights[:, self.clusters] * self.shapes
        results = []
        for interval, number in zip(self.intervals, self.n_intervals, strict=True):
            order = np.argsort(interval, kind="stable")
            present, starts = np.unique(interval[order], return_index=True)
            sums = np.zeros((size, number + 1))
            sums[:, present + 1] = np.add.reduceat(weights[:, order], starts, axis=1)
            sums[:, -1] += last
            np.cumsum(sums, axis=1, out=sums)
            sums /= sums[:, -1:]
            results.append(sums)
        return results


# ---- intervals and tests
def draw_compared(
    samples: Sequence[CurveSample], quantity: ComparedQuantity, resampling: BootstrapOptions
) -> tuple[list[tuple[FloatArray, FloatArray]], Flags]:
    """Return low and high draws of a quantity of each curve of one sample, or of several samples in turn, and flags.

    The quantity is the TPR at an FPR, or a partial area as a fraction of the width of its range.
    """
    resampling = BootstrapOptions(resampling.n_resamples, resampling.generator())
    draws, n_beyond, n_units = [], [], []
    for sample in samples:
        _check_clusters(sample.classes)
        if quantity.rate_range is None:
            classes, ends = sample.classes, (float(quantity.fpr or 0), float(quantity.fpr or 0))
        else:
            classes, *limits = orient_to_range(sample.classes, quantity.rate_range)
            ends = limits[0], limits[1]
        draws += draw_quantity(classes, partial(_compared_draws, ends), ends, resampling)
        n_beyond.append(classes[0].total * ends[1])
        n_units += [part.total for part in classes]
    return draws, Flags(extrapolated=min(n_beyond) < 1, single_observation=min(n_units) <= 1)


def _compared_draws(ends: tuple[float, float], curve: CurveDraws) -> tuple[FloatArray, FloatArray]:
    """Return the TPR where both ends are the same FPR, else the mean TPR between them."""
    start, end = ends
    if start < end:
        low, high = curve.area(start, end)
        return low / (end - start), high / (end - start)
    low, high = curve.tpr_at(np.array([start]))
    return low[:, 0], high[:, 0]


def _check_clusters(classes: tuple[ClassColumns, ClassColumns]) -> None:
    for name, part in zip(("negative", "positive"), classes, strict=True):
        if part.clusters is not None and (number := len(np.unique(part.clusters))) < _MIN_CLUSTERS:
            raise RocPredictError(
                f"clusters= has {number} clusters with a {name}; method='dirichlet' draws clusters and needs "
                f"{_MIN_CLUSTERS} or more of each class"
            )


def draws_interval(low_draws: FloatArray, high_draws: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Return the order statistics of draws that leave half of 1 - level outside; infinite where there are too few."""
    n_draws = len(low_draws)
    rank = int(np.floor((1 - level) / 2 * (n_draws + 1) * (1 + 1e-12)))
    if rank < 1:
        return np.full(low_draws.shape[1:], -np.inf), np.full(low_draws.shape[1:], np.inf)
    low = np.partition(low_draws, rank - 1, axis=0)[rank - 1]
    high = np.partition(high_draws, n_draws - rank, axis=0)[n_draws - rank]
    return np.asarray(low), np.asarray(high)


def draws_test(
    difference: tuple[FloatArray, FloatArray], estimate: float, claim: Hypothesis, level: float, flags: Flags
) -> AucStatistic:
    """Test a difference by low and high draws; p is the lowest level of significance at which the interval excludes.

    Half of p is a fraction of draws, with one draw more on either side. A value beyond the estimate is never excluded.
    """
    low_draws, high_draws = difference
    n_draws = len(low_draws)

    def fraction_at_most(value: float) -> float:
        fraction = (1 + np.count_nonzero(low_draws <= value)) / (n_draws + 1)
        return float(fraction if value < estimate else max(fraction, 0.5))

    def fraction_at_least(value: float) -> float:
        fraction = (1 + np.count_nonzero(high_draws >= value)) / (n_draws + 1)
        return float(fraction if value > estimate else max(fraction, 0.5))

    margin = claim.width
    p_value = {
        "two-sided": 2 * min(fraction_at_most(0.0), fraction_at_least(0.0)),
        "greater": fraction_at_most(0.0),
        "less": fraction_at_least(0.0),
        "noninferior": fraction_at_most(-margin),
        "equivalent": max(fraction_at_most(-margin), fraction_at_least(margin)),
    }[claim.alternative]
    low, high = draws_interval(low_draws, high_draws, level)
    limits = max(-1.0, min(float(low), estimate)), min(1.0, max(float(high), estimate))
    return AucStatistic(estimate, min(p_value, 1.0), Interval(*limits, level, "dirichlet", estimate, flags))
