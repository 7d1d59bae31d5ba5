"""Random ROC curves computed with random weights (Dirichlet draws), and intervals and tests based on these curves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import or_
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rocpredict.base.results import Flags, Interval
from rocpredict.base.validation import FloatArray
from rocpredict.distributions.ecdf import Ecdf
from rocpredict.inference.bootstrap import BootstrapOptions
from rocpredict.inference.hypotheses import AucStatistic, ComparedQuantity, Hypothesis
from rocpredict.inference.intervals import Tails
from rocpredict.inference.placements import ClassColumns, CurveSample, RateRange

IntArray: TypeAlias = NDArray[np.intp]
Classes: TypeAlias = tuple[ClassColumns, ClassColumns]
"""Values of each class, as an array of shape (rows, K), with the weights and clusters of the rows."""
Draws: TypeAlias = tuple[FloatArray, FloatArray]
"""Draws of a quantity from low and from high curves (see ``draw_quantity``), along the first axis of each array."""

STEEP_EXPONENT = 4.0
"""Exponent of the power law at the flat start, or at the flat end, of a random curve."""
_EXPONENT_FACTOR = 0.5
"""The exponent of a steep start is this factor times the exponent estimated from the top quarter of the negatives."""
_EXPONENT_LIMITS = (0.05, 1.0)
_REACH = 6.0  # negatives whose FPR is farther from the range, in standard deviations, have no vertex
_EXTRA_REACH = 20.0  # number of ranks by which this distance is extended
_MAX_RANKS = 256  # with more ranks of negatives, only a grid of ranks has vertices
_GRID_SIZES = (256, 32)  # for one curve, and for each of several curves
_TINY = np.finfo(float).tiny
_COUNT_TOL = 1e-9  # a TPR of 0.9 is an FPR of 0.09999999999999998


class CurveDraws(NamedTuple):
    """Random draws of one ROC curve."""

    fpr: FloatArray
    """FPRs of the vertices of each curve, which begin at (0, 0) and end at (1, 1), shape (B, m)."""
    tpr: FloatArray
    """TPRs of the vertices, shape (B, m). The vertices are connected by straight lines."""
    exponent: FloatArray
    """Exponent of the power law between (0, 0) and the first inner vertex, for curves that start steeply, shape (B,).

    The exponent is ``_EXPONENT_FACTOR`` times the slope of log TPR against log FPR between two vertices: the first
    inner vertex and the vertex at the end of the top quarter of the negatives.
    """
    missing_area: FloatArray
    """Ascending FPRs and, up to each FPR, the area between the empirical curve and the straight lines, shape (2, k).

    This area is 0 if there is a vertex at every rank.
    """
    flat: tuple[int, int]
    """Index of the last inner vertex without a positive above it, and of the first one with all positives above it.

    The first index is 0, or the second one m - 1, if there is no such vertex.
    """

    def tpr_at(self, fpr: FloatArray) -> Draws:
        """Return the TPRs of the low and of the high curves at FPRs of shape (k,); both arrays have shape (B, k)."""
        line, (first_fpr, first_tpr), (last_fpr, last_tpr) = self._interpolate(fpr), self._vertex(1), self._vertex(-2)
        is_first, is_last = fpr < first_fpr, (fpr >= last_fpr) & (fpr < 1)
        with np.errstate(divide="ignore", invalid="ignore", under="ignore"):
            ratio = fpr / first_fpr
            flat_start = first_tpr * ratio**STEEP_EXPONENT
            steep_start = first_tpr * np.where(fpr > 0, ratio ** self.exponent[:, None], 1.0)
            flat_end = 1 - (1 - last_tpr) * ((1 - fpr) / (1 - last_fpr)) ** STEEP_EXPONENT
        low = np.where(is_first, flat_start, line)
        high = np.where(is_last, flat_end, np.where(is_first, steep_start, line))
        last_zero, first_one = self.flat
        if last_zero:
            low = np.where(self._is_between(last_zero, fpr), self._vertex(last_zero)[1], low)
        if self._has_end:
            high = np.where(self._is_between(first_one - 1, fpr), self._vertex(first_one)[1], high)
        return low, high

    def area(self, start: float, end: float) -> Draws:
        """Return the areas under the low and under the high curves between two FPRs; both arrays have shape (B,)."""
        at_limits = self._interpolate(np.array([start, end]))
        tpr = np.where(self.fpr < start, at_limits[:, :1], np.where(self.fpr > end, at_limits[:, 1:], self.tpr))
        line = np.trapezoid(tpr, np.clip(self.fpr, start, end), axis=1)
        line += np.diff(np.interp([start, end], *self.missing_area))
        first, gap = np.maximum(self.fpr[:, 1], _TINY), np.maximum(1 - self.fpr[:, -2], _TINY)
        fractions = np.minimum(end, first) / first, np.minimum(start, first) / first
        last_fractions = np.minimum(1 - start, gap) / gap, np.minimum(1 - end, gap) / gap
        scale = self.tpr[:, 1] * first
        low = line + scale * _power_excess(*fractions, STEEP_EXPONENT)
        high = line + scale * _power_excess(*fractions, self.exponent)
        high -= (1 - self.tpr[:, -2]) * gap * _power_excess(*last_fractions, STEEP_EXPONENT)
        last_zero, first_one = self.flat
        if last_zero:
            low += self._step_excess(last_zero, (start, end), np.inf)
        if self._has_end:
            high += self._step_excess(first_one - 1, (start, end), 0.0)
        return low, high

    @property
    def _has_end(self) -> bool:
        """Return whether the high curves reach a TPR of 1 between two inner vertices."""
        return 1 < self.flat[1] < self.fpr.shape[1] - 1

    def _is_between(self, index: int, fpr: FloatArray) -> NDArray[np.bool_]:
        """Return whether each FPR lies between a vertex and the next one, shape (B, k)."""
        return np.asarray((self._vertex(index)[0] <= fpr) & (fpr < self._vertex(index + 1)[0]))

    def _step_excess(self, index: int, limits: tuple[float, float], exponent: float) -> FloatArray:
        """Return the area of a step minus that of the straight line from a vertex to the next one, shape (B,).

        The step is at the second of these vertices for an exponent of infinity, and at the first one for 0.
        """
        left, width = self.fpr[:, index], np.maximum(self.fpr[:, index + 1] - self.fpr[:, index], _TINY)
        start, end = (np.clip((limit - left) / width, 0, 1) for limit in limits)
        return (self.tpr[:, index + 1] - self.tpr[:, index]) * width * _power_excess(end, start, exponent)

    def _interpolate(self, fpr: FloatArray) -> FloatArray:
        """Return the TPR at the given FPRs by linear interpolation between the vertices, shape (B, k)."""
        return np.stack([np.interp(fpr, *vertices) for vertices in zip(self.fpr, self.tpr, strict=True)])

    def _vertex(self, index: int) -> Draws:
        """Return the FPR and the TPR of one vertex of each curve, as two arrays of shape (B, 1)."""
        return self.fpr[:, index, None], self.tpr[:, index, None]


def _power_excess(high: FloatArray, low: FloatArray, exponent: Any) -> FloatArray:
    """Return the integral of x^exponent - x from ``low`` to ``high``."""
    power = exponent + 1
    with np.errstate(under="ignore"):
        return np.asarray((high**power - low**power) / power - (high**2 - low**2) / 2)


# ---- draws
def steep_exponent(tpr: FloatArray, first_tpr: FloatArray, fpr: FloatArray, first_fpr: FloatArray) -> FloatArray:
    """Compute the power-law exponent of the steep start of each curve, using the rates at two vertices."""
    with np.errstate(divide="ignore", invalid="ignore"):
        rise = np.log(tpr / first_tpr) / np.log(fpr / first_fpr)
    return np.asarray(np.clip(np.nan_to_num(rise, nan=1.0), *_EXPONENT_LIMITS) * _EXPONENT_FACTOR)


def class_columns(sample: Ecdf) -> ClassColumns:
    """Return the observations of a class as ``ClassColumns`` with a single column."""
    return ClassColumns(sample.sorted_sample[:, None], sample.sorted_weights)


def draw_rates(
    classes: Classes, resampling: BootstrapOptions, rate_range: RateRange | None, fpr: FloatArray
) -> tuple[list[Draws], Flags]:
    """Return, for each of K curves, draws of the TPRs at given FPRs or, with ``rate_range``, draws of the partial area.

    Draws of the TPR have shape (B, number of FPRs). The flag ``extrapolated`` has the same shape as ``fpr``.

    Partial areas are divided by the width of the range. For a TPR range, the area lies to the right of the curve. This
    area is computed as the area under the curve that results from exchanging the two classes.
    """
    if rate_range is None:
        start, end = float(fpr.min()), float(fpr.max())
        draws = draw_quantity(classes, lambda curve: curve.tpr_at(fpr.ravel()), (start, end), resampling)
    else:
        start, end = float(rate_range.low), float(rate_range.high)
        if rate_range.axis == "tpr":
            negative, positive = (part._replace(values=-part.values) for part in classes)
            classes, start, end = (positive, negative), 1 - end, 1 - start
        areas = draw_quantity(classes, lambda curve: curve.area(start, end), (start, end), resampling)
        draws, fpr = [(low / (end - start), high / (end - start)) for low, high in areas], np.array(end)
    is_single = min(part.total for part in classes) <= 1
    is_extrapolated = classes[0].total * fpr < 1 - _COUNT_TOL
    return draws, Flags(extrapolated=is_extrapolated, single_observation=is_single)


def draw_quantity(
    classes: Classes,
    quantity: Callable[[CurveDraws], Draws],
    fpr_range: tuple[float, float],
    resampling: BootstrapOptions,
) -> list[Draws]:
    """Return draws of a quantity for each of K curves from the same observations.

    Parameters
    ----------
    classes : (negative, positive)
        Values of shape (rows, K), with their weights and clusters.
    quantity : function
        Function that computes the quantity from random curves. The result may depend only on the part of a curve
        between the two FPRs in ``fpr_range``.
    fpr_range : tuple of float
    resampling : BootstrapOptions

    Returns
    -------
    draws : list of (low, high)
        One pair of arrays for each of the K curves. The first axis of both arrays indexes the draws; there are two
        draws for each resample. The low and the high curve of a draw differ only before the first inner vertex, after
        the last one, and where the curve leaves a TPR of 0 or reaches a TPR of 1. The low curve starts flat, with a
        power law of exponent 4, and ends with a straight line; the high curve starts steeply and ends flat.

    Notes
    -----
    As in the Bayesian bootstrap [1]_, [2]_, every observation gets a random weight from an exponential distribution. In
    addition, each class gets one more weight. The FPR of a random curve at the k-th largest negative is the sum of the
    weights of the k largest negatives, divided by the total weight of the class. If the negatives have a continuous
    distribution, this FPR has the same distribution as the true FPR at the k-th largest negative. The additional weight
    of the positives belongs to an additional positive. Each set of weights is used for two draws. In one draw, the
    additional positive lies above all other positives; in the other draw, it lies below them. The interval between two
    quantiles of the TPR at a fixed threshold is therefore the mid-p interval for a proportion. If two curves come from
    the same observations, the additional positive has the opposite position in the second curve. If positives are tied
    with several negatives, the weight of these positives is divided evenly among the tied negatives.

    If the k largest observations are negatives, no observation shows where the curve begins to rise after the FPR of
    the k-th negative. The low curve is therefore flat up to the next negative. In half of the draws, the additional
    positive lies below all others. The low curve is then 0 at an FPR t if at most k of the drawn FPRs are below t; this
    event has a binomial probability. Suppose that the true TPR at t is 0. The lower limit of a 95% interval is then
    above 0 in 5% of the samples or fewer, in addition to samples in which k is 0. Similarly, the high curve reaches its
    highest TPR immediately after the last negative that is above a positive. This TPR is 1 if the additional positive
    lies above all others.

    Sums of exponential weights have gamma distributions. The total weight of a group of observations can therefore be
    drawn as one gamma variate. A group contains either the observations far outside the FPR range, or the observations
    between two adjacent ranks of a grid. With G clusters, all observations of a cluster share one weight, which has a
    gamma distribution with shape (G - 2)/G.

    References
    ----------
    .. [1] D. B. Rubin (1981), "The Bayesian bootstrap", The Annals of Statistics 9, 130-134.
    .. [2] J. Gu, S. Ghosal, A. Roy (2008), "Bayesian bootstrap estimation of ROC curve", Statistics in Medicine 27,
       5407-5420.
    """
    n_curves = classes[0].values.shape[1]
    curves = [_Curve.from_columns(classes, index, fpr_range) for index in range(n_curves)]
    sides = [
        _ClassDraws.from_bounds(part, [curve.orders[index] for curve in curves], [c.bounds[index] for c in curves])
        for index, part in enumerate(classes)
    ]
    n_clusters = 0
    if classes[0].clusters is not None:
        n_clusters = 1 + max(int(part.clusters.max()) for part in classes)
    row_size = n_clusters + sum((len(side.shapes) + 1) * (1 + 2 * n_curves) for side in sides)
    streams = resampling.streams(3)
    chunks: list[list[Draws]] = [[] for _ in curves]
    for size in resampling.chunk_sizes(row_size):
        cluster_weights = streams[2].standard_gamma(max(n_clusters - 2, 1) / max(n_clusters, 1), (size, n_clusters))
        sums = [side.cumulative(stream, size, cluster_weights) for side, stream in zip(sides, streams, strict=False)]
        for index, (curve, *class_sums) in enumerate(zip(curves, *sums, strict=True)):
            for is_above in (index % 2 == 0, index % 2 == 1):
                chunks[index].append(quantity(curve.vertices(*class_sums, is_above)))
    parts = [zip(*each, strict=True) for each in chunks]
    return [(np.concatenate(low), np.concatenate(high)) for low, high in parts]


class _Curve(NamedTuple):
    """Vertices of one curve, each at the rank of a negative, with the number of positives above this negative."""

    orders: list[IntArray]
    """Row numbers of each class, ordered from the largest value to the smallest."""
    bounds: tuple[IntArray, IntArray]
    """For each class, 0 and the numbers k for which the sum of the weights of the k largest values is needed."""
    height: IntArray
    """Number of positives above each vertex, rounded down and expressed as an index into ``bounds[1]``."""
    fraction: FloatArray
    """Fractional part of the number of positives above each vertex."""
    quarter: int
    """Index of the vertex at the end of the top quarter of the negatives; 1 if the curve does not have this vertex."""
    missing_area: FloatArray
    """See ``CurveDraws``."""
    flat: tuple[int, int]
    """See ``CurveDraws``."""

    @classmethod
    def from_columns(cls, classes: Classes, index: int, fpr_range: tuple[float, float]) -> _Curve:
        """Return only those vertices of one curve that are needed for an FPR range."""
        orders = [np.argsort(-part.values[:, index], kind="stable") for part in classes]
        negative, positive = (-part.values[order, index] for part, order in zip(classes, orders, strict=True))
        weights, positive_weights = (
            np.ones(len(order)) if part.weights is None else part.weights[order]
            for part, order in zip(classes, orders, strict=True)
        )
        totals, positive_totals = (np.concatenate([[0.0], np.cumsum(part)]) for part in (weights, positive_weights))
        n_rows, n_positives = len(negative), len(positive)
        first, last = (1, n_rows) if classes[0].clusters is not None else _rank_window(totals, fpr_range)
        quarter = min(int(np.searchsorted(totals, max(3.0, np.ceil(totals[-1] / 4)))), n_rows)
        ranks = _rank_grid(first, last, n_rows, _GRID_SIZES[classes[0].values.shape[1] > 1])
        n_zero = int(np.searchsorted(negative, positive[0]))
        n_below_one = int(np.searchsorted(negative, positive[-1], side="right"))
        ends = np.array([n_zero, n_zero + 1, n_below_one, n_below_one + 1])  # ranks next to the rise from 0 and to 1
        ranks = np.union1d(ranks, ends[(first <= ends) & (ends <= last)])
        ranks = np.union1d(ranks, [quarter]) if first == 1 else ranks

        def weight_above(ranks: IntArray) -> FloatArray:
            """Return the weight of the positives above each negative; tied positives are split among tied negatives."""
            at = negative[ranks - 1]
            above, to = (positive_totals[np.searchsorted(positive, at, side=side)] for side in ("left", "right"))
            start, end = (totals[np.searchsorted(negative, at, side=side)] for side in ("left", "right"))
            share = (totals[ranks] - start - np.minimum(weights[ranks - 1], 1) / 2) / (end - start)
            return np.asarray(above + (to - above) * share)

        drawn, all_ranks = weight_above(ranks), np.arange(first, last + 1)
        excess = np.zeros(len(all_ranks))
        if len(ranks) < len(all_ranks):
            excess = weight_above(all_ranks) - np.interp(totals[all_ranks], totals[ranks], drawn)
        fpr, tpr = totals[all_ranks] / (totals[-1] + 1), excess / (positive_totals[-1] + 1)
        missing = np.concatenate([[0.0], np.cumsum(np.diff(fpr) * (tpr[1:] + tpr[:-1]) / 2)])
        place = np.interp(drawn, positive_totals, np.arange(n_positives + 1))
        height = np.minimum(place.astype(np.intp), n_positives - 1)
        bounds = np.unique(np.concatenate([[0, n_positives], height, height + 1]))
        return cls(
            orders,
            (np.concatenate([[0], ranks]), bounds),
            np.searchsorted(bounds, height),
            place - height,
            int(np.searchsorted(ranks, quarter)) + 1 if first == 1 else 1,
            np.stack([fpr, missing]),
            (int(np.count_nonzero(drawn == 0)), 1 + int(np.count_nonzero(drawn < positive_totals[-1]))),
        )

    def vertices(self, negative: FloatArray, positive: FloatArray, is_above: bool) -> CurveDraws:
        """Return random curves.

        ``negative`` and ``positive`` contain the cumulative weights of each class at ``bounds``, divided by the total
        weight of the class.

        The additional positive is above all other positives if ``is_above`` is True, and below them otherwise.
        """
        inside = positive.take(self.height, axis=1)
        if self.fraction.any():
            inside = inside + self.fraction * (positive.take(self.height + 1, axis=1) - inside)
        inside = 1 - (positive[:, -2:-1] - inside) if is_above else inside
        zero = np.zeros((len(inside), 1))
        fpr, tpr = np.hstack([zero, negative[:, 1:-1], zero + 1]), np.hstack([zero, inside, zero + 1])
        exponent = steep_exponent(tpr[:, self.quarter], tpr[:, 1], fpr[:, self.quarter], fpr[:, 1])
        return CurveDraws(fpr, tpr, exponent, self.missing_area, self.flat)


def _rank_window(totals: FloatArray, fpr_range: tuple[float, float]) -> tuple[int, int]:
    """Return the first and the last rank of the negatives whose FPR may lie in the range.

    The FPRs of all other negatives lie in the range with negligible probability.
    """
    n, ends = totals[-1], []
    for fpr, sign in zip(fpr_range, (-1, 1), strict=True):
        ends.append(n * fpr + sign * (_REACH * np.sqrt(n * fpr * (1 - fpr)) + _EXTRA_REACH))
    first, last = np.searchsorted(totals, ends)
    return int(np.clip(first, 1, len(totals) - 1)), int(np.clip(last, 1, len(totals) - 1))


def _rank_grid(first: int, last: int, n_rows: int, grid_size: int) -> IntArray:
    """Return all ranks from ``first`` to ``last`` or, if there are too many, a grid of ranks.

    The steps of the grid become narrower towards rank 1 and towards rank ``n_rows``. The first and the last
    ``grid_size``/4 of all ranks are in the grid if they lie between ``first`` and ``last``.
    """
    if last - first < _MAX_RANKS:
        return np.arange(first, last + 1)
    n_top, ratio = grid_size / 4, 1 + 16 / grid_size
    n_steps = max(0, int(np.log(n_rows / n_top) / np.log(ratio)))
    top = np.concatenate([np.arange(1, n_top), n_top * ratio ** np.arange(n_steps)])
    grid = np.concatenate([np.linspace(first, last, grid_size // 2), top, n_rows + 1 - top])
    ranks = np.unique(np.round(grid).astype(np.intp))
    return ranks[(ranks >= first) & (ranks <= last)]


class _ClassDraws(NamedTuple):
    """Rows of one class, grouped into cells; each cell gets a random weight."""

    shapes: FloatArray
    """Number of observations in each cell. Two rows are in the same cell if no bound of any curve lies between them."""
    clusters: Any
    """Cluster of each row, or None. With clusters, every row is a cell of its own."""
    groups: list[tuple[IntArray, IntArray, IntArray, int]]
    """For each curve: the order of the cells, the position of the first cell of each nonempty interval between two
    bounds, the indices of these intervals, and the number of all intervals."""
    extra: float
    """Expected value of the additional weight of the class."""

    @classmethod
    def from_bounds(cls, part: ClassColumns, orders: list[IntArray], bounds: list[IntArray]) -> _ClassDraws:
        """Group the rows of a class into cells, and assign the cells to intervals between the bounds of each curve."""
        n_rows = len(part.values)
        intervals: list[IntArray] = []
        for order, bound in zip(orders, bounds, strict=True):
            interval = np.empty(n_rows, dtype=np.intp)
            interval[order] = np.searchsorted(bound, np.arange(n_rows), side="right") - 1
            intervals.append(interval)
        extra, n_intervals = 1.0, tuple(len(bound) for bound in bounds)
        if part.clusters is not None:
            shapes = np.ones(n_rows) if part.weights is None else part.weights
            extra = float(shapes.sum()) / len(np.unique(part.clusters))
        else:
            code = np.ravel_multi_index(tuple(intervals), n_intervals)
            cells, first_row, inverse = np.unique(code, return_index=True, return_inverse=True)
            by_row = np.argsort(first_row) if len(orders) > 1 else slice(None)  # the same for any order of curves
            shapes = np.bincount(inverse, part.weights).astype(np.float64)[by_row]
            intervals = list(np.unravel_index(cells[by_row], n_intervals))
        groups = []
        for interval, number in zip(intervals, n_intervals, strict=True):
            order = np.argsort(interval, kind="stable")
            present, starts = np.unique(interval[order], return_index=True)
            groups.append((order, starts, present, number))
        return cls(shapes, part.clusters, groups, extra)

    def cumulative(self, rng: np.random.Generator, size: int, cluster_weights: FloatArray) -> list[FloatArray]:
        """Return the cumulative fractions of the total weight at the bounds, as one array per curve.

        Each array has shape (B, bounds + 1).
        """
        last = rng.standard_exponential(size) * self.extra
        if self.clusters is None:
            weights = rng.standard_gamma(self.shapes, (size, len(self.shapes)))
        else:
            weights = cluster_weights[:, self.clusters] * self.shapes
        results = []
        for order, starts, present, number in self.groups:
            sums = np.zeros((size, number + 1))
            sums[:, present + 1] = np.add.reduceat(weights.take(order, axis=1), starts, axis=1)
            sums[:, -1] += last
            np.cumsum(sums, axis=1, out=sums)
            sums /= sums[:, -1:]
            results.append(sums)
        return results


# ---- intervals and tests
def draw_compared(
    samples: Sequence[CurveSample], quantity: ComparedQuantity, resampling: BootstrapOptions
) -> tuple[list[Draws], Flags]:
    """Return draws of the compared quantity for each curve of one or more samples, and the flags of the draws.

    The quantity is the TPR at an FPR, or a partial area divided by the width of its range.
    """
    resampling, fpr = BootstrapOptions(resampling.n_resamples, resampling.generator()), np.array(quantity.fpr or 0.0)
    parts = [draw_rates(sample.classes, resampling, quantity.rate_range, fpr) for sample in samples]
    draws = [(low.ravel(), high.ravel()) for part, _ in parts for low, high in part]
    return draws, reduce(or_, (flags for _, flags in parts))


def draws_interval(draws: Draws, level: float, estimate: Any, bounds: tuple[float, float] = (0, 1)) -> Draws:
    """Return the interval that leaves (1 - level)/2 of the draws on each side, extended to include the estimate.

    The lower limit is a quantile of the draws from the lower curves, and the upper limit is a quantile of the draws
    from the upper curves. Both limits are clipped to ``bounds``; if there are too few draws for the level, the limits
    are equal to ``bounds``.
    """
    low_draws, high_draws = draws
    n_draws = len(low_draws)
    rank = int(np.floor((1 - level) / 2 * (n_draws + 1) * (1 + 1e-12)))
    if rank < 1:
        return tuple(np.full(low_draws.shape[1:], float(bound)) for bound in bounds)  # type: ignore[return-value]
    low = np.partition(low_draws, rank - 1, axis=0)[rank - 1]
    high = np.partition(high_draws, n_draws - rank, axis=0)[n_draws - rank]
    return np.clip(np.minimum(low, estimate), *bounds), np.clip(np.maximum(high, estimate), *bounds)


def draws_test(difference: Draws, estimate: float, claim: Hypothesis, level: float, flags: Flags) -> AucStatistic:
    """Test a hypothesis about a difference, using random draws of this difference.

    The p-value is the smallest significance level at which the interval excludes the null value. Let B be the number of
    draws, and k the number of draws that are 0 or have the opposite sign of the estimate. For a two-sided test of the
    null value 0, the p-value is then 2 (k + 1)/(B + 1). The interval always contains the estimate.
    """

    def tails(value: float) -> Tails:
        at_most, at_least = (
            (1 + int(np.count_nonzero(is_beyond))) / (len(is_beyond) + 1)
            for is_beyond in (difference[0] <= value, difference[1] >= value)
        )
        return Tails(
            at_most if value < estimate else max(at_most, 0.5),
            at_least if value > estimate else max(at_least, 0.5),
            estimate,
        )

    p_value = claim.test_tails(tails, 0.0, (-1.0, 1.0))[1]
    low, high = draws_interval(difference, level, estimate, (-1, 1))
    return AucStatistic(estimate, p_value, Interval(float(low), float(high), level, "dirichlet", estimate, flags))
