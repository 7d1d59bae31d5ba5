"""Mergeable histograms of features in two classes, and the bounds that they imply for the empirical AUC."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from rocpredict.base.formatting import pluralize
from rocpredict.base.progress import report_progress
from rocpredict.base.results import Result
from rocpredict.base.validation import (
    FloatArray,
    RocPredictError,
    as_float_array,
    check_real,
    is_scalar,
    select_indices,
    short_repr,
    suggest,
    to_numbers,
)
from rocpredict.distributions.ecdf import COMPARISON_FPR
from rocpredict.screening.kernels.counts import RankStatistics
from rocpredict.solvers.base import pad_rows
from rocpredict.sources.blocks import map_ordered
from rocpredict.sources.files import read_batches
from rocpredict.sources.table import FeatureTable, format_names

DEFAULT_EDGES = 256
"""Default number of edges of each feature.

With this number of edges, the bounds of an empirical AUC are usually less than 0.004 apart, and the error of the
estimated AUC is about 0.01 standard errors, unless the AUC is near 0 or 1 and one class is rare."""
MAX_EDGES = 65_536
_BLOCK_FEATURES = 256
"""Number of features whose histograms are evaluated or counted at a time."""
_BLOCK_BYTES = 32_000_000
_COPIES = 5
"""Memory that the histograms of a column need, divided by the size of the column."""
_SAMPLE_ROWS, _SAMPLE_CELLS = 4096, 2**24
"""Maximum numbers of rows and of cells in the sample from which edges are computed."""


@dataclass(frozen=True, eq=False, repr=False)
class FeatureHistograms(Result):
    """Histograms of each feature in the negative and in the positive class, with the extremes of each open cell.

    Histograms of parts of a table can be added if their edges are equal. A coarsened histogram can also be added to a
    histogram with other edges; the sum then has the edges that are common to both histograms. Each edge has its own
    cell for the values equal to the edge, so that frequent values are counted as ties. The other cells are called open:
    one contains the values below the first edge, one contains the values above the last edge, and the others contain
    the values between two adjacent edges.

    Attributes
    ----------
    edges : array of shape (features, edges)
        Ascending edges of each feature, padded with NaN.
    counts : array of int of shape (2, features, 2 edges + 1)
        Number of values of each class (negative, positive) in each cell. The first cell is the open cell below the
        first edge, followed by the cell of the values equal to this edge, the next open cell, and so on.
    minimum, maximum : array of shape (2, features, edges + 1)
        Smallest and largest value in each open cell. For a cell without values, the minimum is inf and the maximum is
        -inf. In coarsened histograms, the extremes are unknown: every minimum is inf, and every maximum is -inf. An
        open cell of a coarsened histogram may contain values equal to its lower edge.
    """

    edges: FloatArray
    counts: NDArray[np.int64]
    minimum: FloatArray
    maximum: FloatArray

    def __post_init__(self) -> None:
        for item in fields(self):
            getattr(self, item.name).flags.writeable = False

    def __len__(self) -> int:
        return len(self.edges)

    def __repr__(self) -> str:
        features = pluralize(len(self), "feature")
        return f"FeatureHistograms({features}, {self.edges.shape[1]} edges, {self.n_values.sum()} values)"

    @property
    def n_values(self) -> NDArray[np.int64]:
        """Number of values of each feature in each class, shape (2, features)."""
        return np.asarray(self.counts.sum(axis=2))

    def __add__(self, other: object) -> FeatureHistograms:
        if not isinstance(other, FeatureHistograms):
            return NotImplemented
        first, second = self, other
        differ = not np.array_equal(self.edges, other.edges, equal_nan=True)
        if differ and all((part.minimum <= part.maximum).any() for part in (self, other)):
            raise RocPredictError(
                "histograms with different edges cannot be added; use the same edges for all histograms, such as "
                "the edges of the first histograms: summarize(..., histogram_edges=first.histograms.edges)"
            )
        if differ or self._is_coarse().any() or other._is_coarse().any():
            filled = (np.asarray(part.counts.any(axis=(0, 2)), dtype=bool) for part in (self, other))
            common = [
                a[np.isin(a, b)] if n and m else a if n else b
                for a, b, n, m in zip(_rows(self.edges), _rows(other.edges), *filled, strict=True)
            ]
            was_coarse = [np.any(part._is_coarse(), axis=(0, 2), keepdims=True)[0] for part in (self, other)]
            first, second = (part.coarsen(common) for part in (self, other))
            # Values equal to an edge are counted with the values above it, unless both parts count them separately.
            is_joined = first._joined_edges() & was_coarse[0], second._joined_edges() & was_coarse[1]
            first, second = first._without_ties(is_joined[1]), second._without_ties(is_joined[0])
        extremes = np.minimum(first.minimum, second.minimum), np.maximum(first.maximum, second.maximum)
        return FeatureHistograms(first.edges, first.counts + second.counts, *extremes)

    def coarsen(self, edges: list[FloatArray], ties: list[NDArray[np.bool_]] | None = None) -> FeatureHistograms:
        """Return histograms with a subset of the edges; the extremes of the new cells are unknown.

        Parameters
        ----------
        edges : list of arrays
            Edges to keep for each feature, in ascending order.
        ties : list of arrays of bool, optional
            For each feature, the mask of the edges that have their own cell in the result. By default, every edge has
            its own cell. Values equal to an edge without its own cell are counted in the open cell above this edge.
        """
        target = pad_rows(edges)
        counts = np.zeros((2, *target.shape[:1], 2 * target.shape[1] + 1), dtype=np.int64)
        for j, (own, kept) in enumerate(zip(_rows(self.edges), edges, strict=True)):
            cells = 2 * np.searchsorted(kept, np.repeat(own, 2), side="right")
            is_tie = np.isin(own, kept if ties is None else kept[ties[j]])
            cells[::2] -= is_tie  # the cell of an edge precedes the open cell above it
            places = np.concatenate([[0], cells])
            for code in (0, 1):
                np.add.at(counts[code, j], places, self.counts[code, j, : len(places)])
        empty = np.full((2, len(target), target.shape[1] + 1), np.inf)
        return FeatureHistograms(target, counts, empty, -empty)

    def merge_small_cells(self, min_count: int) -> FeatureHistograms:
        """Return coarser histograms in which each cell has at least ``min_count`` values of each class.

        Empty cells are the only exception.

        Parameters
        ----------
        min_count : int
            Minimum number of values of each class in a cell. If either class has fewer than ``min_count`` values of a
            feature, all counts of this feature are 0 in the result.
        """
        is_large = np.asarray((self.n_values >= min_count).all(axis=0), dtype=bool)
        counts = np.where(is_large[:, None], self.counts, 0)
        edges, ties = [], []
        for own, cells, has_cells in zip(_rows(self.edges), np.moveaxis(counts, 1, 0), is_large, strict=True):
            kept = _safe_edges(cells[:, : 2 * len(own) + 1], min_count) if has_cells else []
            edges.append(own[[place for place, _ in kept]])
            ties.append(np.array([is_tie for _, is_tie in kept], dtype=bool))
        return replace(self, counts=counts).coarsen(edges, ties)

    def _is_coarse(self) -> NDArray[np.bool_]:
        """Return a mask of shape (2, features, edges + 1) of the open cells whose extremes are not known."""
        return np.asarray((self.counts[:, :, ::2] > 0) & (self.minimum > self.maximum), dtype=bool)

    def _ranges(self) -> tuple[FloatArray, FloatArray]:
        """Return the extremes of each open cell, or the edges on both sides of the cell if the extremes are unknown."""
        extremes = zip(_sides(self.edges), (self.minimum, self.maximum), strict=True)
        low, high = (np.where(self._is_coarse(), side, own) for side, own in extremes)
        return low, high

    def _joined_edges(self) -> NDArray[np.bool_]:
        """Return a mask of the edges that have no values of their own, although the open cell above has values.

        In a coarsened histogram, this open cell may contain values equal to the edge.
        """
        n_ties, n_above = (self.counts[:, :, start::2].sum(axis=0) for start in (1, 2))
        return np.asarray((n_ties == 0) & (n_above > 0), dtype=bool)

    def _without_ties(self, is_joined: NDArray[np.bool_]) -> FeatureHistograms:
        """Return histograms in which values equal to the selected edges are counted in the open cells above them."""
        own = _rows(self.edges)
        return self.coarsen(own, [~mask[: len(row)] for row, mask in zip(own, is_joined, strict=True)])

    def select(self, indices: Any) -> FeatureHistograms:
        """Return the histograms of the selected features.

        Parameters
        ----------
        indices : slice or array-like of int or bool
            Indices, slice or mask of the features.
        """
        selection = select_indices("indices", indices, len(self))
        extremes = self.minimum[:, selection], self.maximum[:, selection]
        return FeatureHistograms(self.edges[selection], self.counts[:, selection], *extremes)

    def auc_bounds(self) -> tuple[FloatArray, FloatArray]:
        """Return the smallest and the largest AUC that are consistent with these histograms and extremes.

        Returns
        -------
        pair of arrays of shape (features,)
            Smallest and largest AUC; NaN if a class has no values.
        """
        bounds = [part[1:] for _, part in self._blocks()]
        low, high = (np.concatenate(side) for side in zip(*bounds, strict=True)) if bounds else np.empty((2, 0))
        return low, high

    def rank_statistics(
        self, thresholds: FloatArray, area: Literal["estimate", "min", "max", "random"] = "estimate"
    ) -> Iterator[tuple[slice, RankStatistics]]:
        """Yield each block of features with its rank statistics, which are estimated from the histograms.

        By default, the pair of a negative and a positive in the same open cell counts as 1/2 if the ranges of the two
        classes overlap in this cell.

        Parameters
        ----------
        thresholds : array of shape (features,)
            Threshold of each feature, or NaN. If a threshold is between the extremes of a cell, the number of values
            below it is interpolated.
        area : {"estimate", "min", "max", "random"}, default="estimate"
            With "min" or "max", the area is the smallest or largest AUC that is consistent with the histograms, and
            the sums of squares are those of the values in the corresponding order: if the ranges of the two classes
            overlap in a cell, all negatives of the cell are above its positives, or below them. With "random", the area
            is the estimate, and the sums of squares are those expected if the order within these cells is random.
        """
        choice = ("estimate", "min", "max", "random").index(area) % 3
        for block, areas in self._blocks():
            part = self.select(block)
            slots = part._slots(area)
            has_classes = ~np.isnan(areas[choice])
            total = slots.sum(axis=2)
            below = np.cumsum(slots, axis=2) - slots
            with np.errstate(invalid="ignore", divide="ignore"):
                size = total.astype(float)
                positive_above = size[1][:, None] - below[1] - slots[1] / 2
                v = positive_above / size[1][:, None]
                u = (below[0] + slots[0] / 2) / size[0][:, None]
                center = (np.vecdot(slots[0], v) / size[0])[:, None]
                u, v = u - center, v - center
                squares = np.vecdot(slots[0], v * v), np.vecdot(slots[1], u * u)
                if area == "random":
                    squares = squares[0] + part._random_squares(0), squares[1] + part._random_squares(1)
                tail = np.cumsum(slots[:, :, ::-1], axis=2) / size[:, :, None]
            curve = np.concatenate([np.zeros((2, len(part), 1)), tail], axis=2)
            tpr = np.full((len(part), len(COMPARISON_FPR)), np.nan)
            for j in np.flatnonzero(has_classes):
                tpr[j] = np.interp(COMPARISON_FPR, curve[0, j], curve[1, j])
            undefined = np.where(has_classes, 0.0, np.nan)
            around = (number for pair in part._around(thresholds[block]) for number in pair)
            squares_of_classes = squares[0] + undefined, squares[1] + undefined
            values: Any = (*total, areas[choice], *squares_of_classes, part._ties(), *around, tpr)
            yield block, RankStatistics(*values)

    def split_widest(self, n_edges: int = DEFAULT_EDGES) -> FloatArray:
        """Return edges for a second pass, with more edges in the cells that make the AUC most uncertain.

        Parameters
        ----------
        n_edges : int, default=256
            Number of additional edges of each feature.

        Returns
        -------
        array of shape (features, edges)
            Edges for ``summarize(..., histogram_edges=...)``. The number of edges added to a cell is proportional to
            the uncertainty of the cell. If a negative and a positive are in the same cell, a histogram does not show
            which of them is larger. The uncertainty of the cell is the difference between the largest and the smallest
            possible number of pairs in which the positive is larger. The additional edges are equally spaced between
            the extremes of the cell.
        """
        rows = []
        for j in range(len(self)):
            part = self.select([j])
            _, least, most = part._open_pairs()
            low, high = part.minimum[:, 0].min(axis=0), part.maximum[:, 0].max(axis=0)
            width = np.where(np.isfinite(high - low), (most - least)[0], 0.0)
            total = np.cumsum(width) / max(width.sum(), np.finfo(float).tiny)
            share = np.diff(np.round(n_edges * total), prepend=0.0).astype(int)
            inner = [np.linspace(low[k], high[k], share[k] + 2)[1:-1] for k in np.flatnonzero(share)]
            rows.append(np.unique(np.concatenate([self.edges[j][~np.isnan(self.edges[j])], *inner])))
        return pad_rows(rows)

    def to_dict(self) -> dict[str, Any]:
        """Return the edges, counts and extremes of each feature as lists, without the padding."""
        n_edges = np.sum(~np.isnan(self.edges), axis=1)
        is_unknown = self.minimum > self.maximum
        classes = {}
        for index, name in enumerate(("negative", "positive")):
            extremes = {
                what: [
                    row[: n + 1].tolist()
                    for row, n in zip(
                        np.where(is_unknown[index], np.nan, getattr(self, what)[index]), n_edges, strict=True
                    )
                ]
                for what in ("minimum", "maximum")
            }
            cells = [row[: 2 * n + 1].tolist() for row, n in zip(self.counts[index], n_edges, strict=True)]
            classes[name] = {"count": cells, **extremes}
        return {"edges": [row[:n].tolist() for row, n in zip(self.edges, n_edges, strict=True)], **classes}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Read histograms from the dictionary that ``to_dict`` returns.

        Parameters
        ----------
        content : mapping
            Lists of edges, counts and extremes.

        Raises
        ------
        RocPredictError
            If lists are missing, have different lengths, or contain nonnumeric values.
        """
        where = "lists of histograms"
        try:
            edges = pad_rows([to_numbers(row) for row in content["edges"]])
            n_features, n_edges = edges.shape
            counts = np.zeros((2, n_features, 2 * n_edges + 1), dtype=np.int64)
            extremes = [np.full((2, n_features, n_edges + 1), value) for value in (np.inf, -np.inf)]
            for index, name in enumerate(("negative", "positive")):
                for j in range(n_features):
                    n, where = int(np.sum(~np.isnan(edges[j]))), f"item {j + 1} of the {name} histograms"
                    row = to_numbers(content[name]["count"][j])
                    counts[index, j, : 2 * n + 1] = row.astype(np.int64)
                    if len(row) != 2 * n + 1 or (row < 0).any() or (row != counts[index, j, : 2 * n + 1]).any():
                        raise ValueError("counts")
                    for target, what in zip(extremes, ("minimum", "maximum"), strict=True):
                        values = to_numbers(content[name][what][j])
                        target[index, j, : n + 1] = np.where(np.isnan(values), target[index, j, : n + 1], values)
        except (KeyError, IndexError, TypeError, ValueError):
            raise RocPredictError(
                f"{where} cannot be read from {short_repr(content)}; the dictionary must contain the edges and, for "
                "each class, the count, minimum and maximum, each with one list of numbers per feature"
            ) from None
        result = cls(edges, counts, *extremes)
        if (np.diff(edges) <= 0).any() or not result._extremes_fit():
            raise RocPredictError(
                "histograms are invalid: edges are not in ascending order, or a minimum or maximum is outside its cell"
            )
        return result

    # ---- pairs of values
    def _open(self) -> tuple[NDArray[np.int64], ...]:
        """Return the counts of the open cells of the negatives and of the positives, as floats."""
        return tuple(self.counts[:, :, ::2].astype(float))

    def _extremes_fit(self) -> bool:
        """Return whether all extremes are in their open cells, and cells without values have no extremes."""
        left, right = _sides(self.edges)
        is_filled = self.counts[:, :, ::2] > 0
        low, high = self.minimum, self.maximum
        inside = (low <= high) & ((low > left) | np.isinf(low)) & ((high < right) | np.isinf(high))
        empty = (low == np.inf) & (high == -np.inf)
        return bool((np.where(is_filled, inside, empty) | self._is_coarse()).all())

    def _open_pairs(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the estimated, smallest and largest number of pairs with a larger positive, for each open cell.

        Ties count 1/2. The largest number results if one negative is at the maximum of the negatives and the others are
        at their minimum, and if one positive is at the minimum of the positives and the others are at their maximum.
        """
        (n, m), (a, c), (b, d) = self._open(), self.minimum, self.maximum
        has_both = (n > 0) & (m > 0)
        n1, m1 = np.maximum(n - 1, 0), np.maximum(m - 1, 0)

        def score(negative: FloatArray, positive: FloatArray) -> FloatArray:
            return np.asarray((positive > negative) + 0.5 * (positive == negative))

        most = n1 * m1 * score(a, d) + n1 * score(a, c) + m1 * score(b, d) + score(b, c)
        least = n1 * m1 * score(b, c) + n1 * score(b, d) + m1 * score(a, c) + score(a, d)
        is_coarse = self._is_coarse().any(axis=0)
        most, least = np.where(is_coarse, n * m, most), np.where(is_coarse, 0.0, least)
        most, least = np.where(has_both, most, 0.0), np.where(has_both, least, 0.0)
        return np.clip(n * m / 2, least, most), least, most

    def order_bias(self) -> FloatArray:
        """Estimate by how much the AUC exceeds the estimate in which half of the pairs in a cell are in order.

        If the log density ratio increases by d from the lower to the upper end of an open cell, and both densities are
        log-linear in this cell, about 1/2 + tanh(d/6)/2 of its pairs of a negative and a positive are in order. d is
        estimated from the counts of the next cells with values on both sides.

        Returns
        -------
        array of shape (features,)
            Estimated difference of the AUCs; NaN if a class has no values.
        """
        n, m = self._open()
        estimate, least, most = self._open_pairs()
        log_ratio, places, last = np.log(m + 0.5) - np.log(n + 0.5), np.arange(n.shape[1]), n.shape[1] - 1
        is_filled = n + m > 0
        before = np.maximum.accumulate(np.where(is_filled, places, -1), axis=1)
        before = np.concatenate([np.full((len(n), 1), -1), before[:, :-1]], axis=1)
        after = np.minimum.accumulate(np.where(is_filled, places, last + 1)[:, ::-1], axis=1)[:, ::-1]
        after = np.concatenate([after[:, 1:], np.full((len(n), 1), last + 1)], axis=1)
        n_sides = (before >= 0).astype(int) + (after <= last)
        low, high = np.where(before >= 0, before, places), np.where(after <= last, after, places)
        change = np.take_along_axis(log_ratio, high, axis=1) - np.take_along_axis(log_ratio, low, axis=1)
        in_order = 1 + np.tanh(change / np.maximum(n_sides, 1) / 6)
        bias = np.where(estimate > 0, np.clip(n * m / 2 * in_order, least, most) - estimate, 0.0).sum(axis=1)
        with np.errstate(invalid="ignore"):
            return np.asarray(bias / np.prod(self.n_values.astype(float), axis=0))

    def _blocks(self) -> Iterator[tuple[slice, tuple[FloatArray, FloatArray, FloatArray]]]:
        """Yield blocks of features with the estimate and the bounds of their AUC."""
        for start in range(0, len(self), _BLOCK_FEATURES):
            block = slice(start, min(start + _BLOCK_FEATURES, len(self)))
            part = self.select(block)
            cells = part.counts.astype(float)
            below = np.cumsum(cells[0], axis=1) - cells[0]
            between = np.vecdot(cells[1], below) + np.vecdot(cells[0][:, 1::2], cells[1][:, 1::2]) / 2
            n_pairs = np.prod(part.n_values.astype(float), axis=0)
            with np.errstate(invalid="ignore"):
                areas = [(between + pairs.sum(axis=1)) / n_pairs for pairs in part._open_pairs()]
            yield block, (areas[0], areas[1], areas[2])

    def _slots(self, area: str) -> FloatArray:
        """Return counts of shape (2, features, 3 edges + 2) in ascending order of the values.

        Each open cell has two slots, and each cell of an edge has one. If all values of one class in an open cell are
        below all values of the other class, the lower class is counted in the first slot and the upper class in the
        second slot. If the order is not known, both classes are counted in the first slot, unless ``area`` is "min"
        (the positives are counted in the first slot) or "max" (the negatives).
        """
        n, m = self._open()
        low, high = self._ranges()
        negative_first = high[0] < low[1]
        positive_first = (high[1] < low[0]) & ~negative_first
        if area == "min":
            positive_first = ~negative_first
        elif area == "max":
            negative_first = ~positive_first
        slots = np.zeros((2, len(self), n.shape[1], 3))
        slots[0, :, :, 0], slots[0, :, :, 1] = np.where(positive_first, [0 * n, n], [n, 0 * n])
        slots[1, :, :, 0], slots[1, :, :, 1] = np.where(negative_first, [0 * m, m], [m, 0 * m])
        slots[:, :, :-1, 2] = self.counts[:, :, 1::2]
        return slots.reshape(2, len(self), -1)[:, :, :-1]

    def _random_squares(self, side: int) -> FloatArray:
        """Return the expected sum of squares of the placement values of one class within cells of unknown order.

        The number of values of the other class above a value is uniform on 0, 1, ..., m for m values in the cell.
        """
        low, high = self._ranges()
        is_unknown = (low <= high[::-1]).all(axis=0) & (low.min(axis=0) < high.max(axis=0))
        cells = self._open()
        n, m = cells[side], cells[1 - side]
        squares = np.where(is_unknown, n * m * (m + 2) / 12, 0.0).sum(axis=1)
        return np.asarray(squares / self.n_values[1 - side].astype(float) ** 2)

    def _ties(self) -> FloatArray:
        """Return the sum of t^3 - t over all groups of t values that are known to be equal."""
        is_single = self.minimum.min(axis=0) == self.maximum.max(axis=0)
        sizes = np.sum(self.counts, axis=0).astype(float)
        tied = np.concatenate([sizes[:, 1::2], np.where(is_single, sizes[:, ::2], 0.0)], axis=1)
        return np.asarray(np.sum(tied**3 - tied, axis=1))

    def _around(self, threshold: FloatArray) -> list[tuple[FloatArray, FloatArray]]:
        """Return the number of values below a threshold and the number of values equal to it, for each class."""
        at = threshold[:, None]
        n_below = np.sum(self.edges < at, axis=1)
        rows = np.arange(len(self))
        next_edge = self.edges[rows, np.minimum(n_below, self.edges.shape[1] - 1)] if self.edges.size else np.nan
        is_edge = next_edge == threshold
        result = []
        for counts, low, high in zip(self.counts, *self._ranges(), strict=True):
            before = np.cumsum(counts, axis=1) - counts
            a, b, size = low[rows, n_below], high[rows, n_below], counts[rows, 2 * n_below]
            with np.errstate(invalid="ignore", divide="ignore"):
                inner = np.clip(np.nan_to_num((threshold - a) / (b - a), nan=0.0), 0.0, 1.0)
            fraction = np.where(threshold > b, 1.0, np.where(threshold <= a, 0.0, inner))
            fraction = np.where(size > 0, fraction, 0.0)
            below = before[rows, 2 * n_below] + size * np.where(is_edge, 1.0, fraction)
            tied = np.where(is_edge, counts[rows, np.minimum(2 * n_below + 1, counts.shape[1] - 1)], 0)
            tied = np.where((a == threshold) & (b == threshold) & ~is_edge, size, tied)
            is_known = ~np.isnan(threshold)
            result.append((np.where(is_known, below, 0.0), np.where(is_known, tied, 0.0)))
        return result


def _rows(edges: FloatArray) -> list[FloatArray]:
    """Return the edges of each feature without the padding."""
    return [row[~np.isnan(row)] for row in edges]


def _sides(edges: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the edges on both sides of each open cell, shape (features, edges + 1)."""
    outer = np.full((len(edges), 1), np.inf)
    right = np.concatenate([edges, outer], axis=1)
    return np.concatenate([-outer, edges], axis=1), np.where(np.isnan(right), np.inf, right)


def _safe_edges(counts: NDArray[np.int64], min_count: int) -> list[tuple[int, bool]]:
    """Return edges of one feature that divide its values into cells with at least ``min_count`` values of each class.

    Parameters
    ----------
    counts : array of int of shape (2, 2 edges + 1)
        Number of values in each cell. In total, each class has at least ``min_count`` values.
    min_count : int
        Minimum number of values of each class in a cell.

    Returns
    -------
    list of (index of the edge, whether the values equal to the edge have their own cell)
    """
    total = [(0, 0), *zip(*np.cumsum(counts, axis=1).tolist(), strict=True)]

    def is_safe(start: int, stop: int) -> bool:
        return min(total[stop][0] - total[start][0], total[stop][1] - total[start][1]) >= min_count

    segments: list[tuple[int, int]] = []  # ranges of cells, separated by edges that have their own cells
    start, n_cells = 0, counts.shape[1]
    for cell in (*range(1, n_cells, 2), n_cells):
        if cell < n_cells and not is_safe(cell, cell + 1):
            continue
        if not is_safe(start, cell) and total[start] != total[cell]:
            if not segments:
                continue
            start, _ = segments.pop()
        segments.append((start, cell))
        start = cell + 1
    kept: list[tuple[int, bool]] = []

    def split(start: int, stop: int, first: int, last: int) -> None:
        """Divide the cells from ``start`` to ``stop`` at some of the edges from ``first`` to ``last`` - 1.

        The edge in the middle is tried first, so that histograms with the same initial edges tend to keep the same
        edges.
        """
        if first >= last:
            return
        middle = (first + last) // 2
        cell = 2 * middle + 1
        if not is_safe(start, cell):
            split(start, stop, middle + 1, last)
        elif not is_safe(cell, stop):
            split(start, stop, first, middle)
        else:
            split(start, cell, first, middle)
            kept.append((middle, False))
            split(cell, stop, middle + 1, last)

    for start, stop in segments:
        split(start, stop, start // 2, stop // 2)
        if stop < n_cells:
            kept.append((stop // 2, True))
    return kept


def reserve_histograms(table: FeatureTable) -> FeatureTable:
    """Return the table with a budget that includes the memory of histograms."""
    return replace(table, budget=table.budget._replace(copies=_COPIES))


class RowSample(NamedTuple):
    """Random sample of rows from a table that is read in parts.

    Each row of the table has a random key; the rows with the smallest keys form the sample.
    """

    keys: FloatArray
    values: FloatArray

    @staticmethod
    def limit(n_features: int) -> int:
        """Return the maximum number of rows in a sample."""
        return min(_SAMPLE_ROWS, max(DEFAULT_EDGES, _SAMPLE_CELLS // max(1, n_features)))

    @classmethod
    def of(cls, table: FeatureTable, rng: np.random.Generator | None = None) -> RowSample:
        """Draw a random sample of the rows of a table."""
        table = reserve_histograms(table)  # a budget that is too small is refused before anything is read
        rng, n_rows = rng or np.random.default_rng(0), min(cls.limit(len(table)), table.n_rows)
        keys = rng.random(table.n_rows)
        rows = np.sort(np.argpartition(keys, n_rows - 1)[:n_rows])
        keys = keys[rows]  # the keys of all rows would take memory while the table is read
        values, n_cells = np.empty((n_rows, len(table))), 0
        for place, columns, tile in table.iter_tiles():
            inside = slice(*np.searchsorted(rows, [place.start, place.stop]))
            values[inside, columns] = to_dense(tile[rows[inside] - place.start])
            del tile  # its memory is needed for the next tile
            n_cells += (place.stop - place.start) * (columns.stop - columns.start)
            if table.source.is_streamed:
                report_progress(n_cells // table.n_rows, len(table))
        return cls(keys, values)

    @classmethod
    def of_batches(cls, batches: Iterable[Any]) -> RowSample | None:
        """Return a random sample of the rows of all batches (X, y)."""
        rng, sample = np.random.default_rng(0), None
        for table, _ in read_batches(batches):
            part = cls.of(table, rng)
            if sample is not None and part.values.shape[1] != sample.values.shape[1]:
                return sample  # summarizing the batches raises an error that names this batch
            sample = part if sample is None else sample.merge(part)
        return sample

    def merge(self, other: RowSample) -> RowSample:
        """Merge the samples from two parts of a table into one sample of the rows of both parts."""
        return self.merge_all([self, other])

    @classmethod
    def merge_all(cls, parts: list[RowSample]) -> RowSample:
        """Merge the samples from all parts of a table into one sample of the whole table."""
        keys, values = np.concatenate([part.keys for part in parts]), np.concatenate([part.values for part in parts])
        rows = np.argsort(keys, kind="stable")[: cls.limit(values.shape[1])]
        return cls(keys[rows], values[rows])

    def edges(self, n_edges: int) -> FloatArray:
        """Return the distinct values of each feature.

        For a feature with more than ``n_edges`` distinct values, return quantiles instead.
        """
        rows = []
        for column in self.values.T:
            values = np.sort(column[~np.isnan(column)])
            distinct = np.unique(values)
            if len(distinct) > n_edges:
                distinct = np.unique(values[np.linspace(0, len(values) - 1, n_edges).round().astype(int)])
            rows.append(distinct)
        return pad_rows(rows)


def to_dense(matrix: Any) -> FloatArray:
    """Convert an array or sparse matrix to a dense float64 array."""
    return as_float_array("X", np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix))


def count_cells(matrix: Any, codes: NDArray[Any], edges: FloatArray, n_jobs: int = 1) -> FeatureHistograms:
    """Compute two histograms of each column of a matrix, one for each class.

    Parameters
    ----------
    matrix : array or sparse matrix of shape (n, features)
        Feature values; NaN is omitted.
    codes : array of int of shape (n,)
        0 for negatives, 1 for positives; rows with any other code are omitted.
    edges : array of shape (features, edges)
        Ascending edges of each feature, padded with NaN.
    n_jobs : int, default=1
        Number of threads.
    """
    classes = [codes == code for code in (0, 1)]
    width = int(np.clip(_BLOCK_BYTES // (8 * max(1, len(codes))), 1, _BLOCK_FEATURES))
    blocks = [slice(start, start + width) for start in range(0, len(edges), width)]
    shape = 2, *edges.shape
    counts = np.zeros((*shape[:2], 2 * shape[2] + 1), dtype=np.int64)
    minimum, maximum = (np.full((*shape[:2], shape[2] + 1), value) for value in (np.inf, -np.inf))

    def count(block: slice) -> None:
        columns = to_dense(matrix[:, block])
        for code, is_class in enumerate(classes):
            values = np.ascontiguousarray(columns[is_class].T)
            values.sort(axis=1)
            n_values = values.shape[1] - np.isnan(values).sum(axis=1)
            for j, row, n_row in zip(range(*block.indices(len(edges))), values, n_values, strict=True):
                column, own = row[:n_row], edges[j][~np.isnan(edges[j])]
                left, right = column.searchsorted(own, "left"), column.searchsorted(own, "right")
                starts, stops = np.append(0, right), np.append(left, len(column))
                counts[code, j, 1 : 2 * len(own) : 2] = right - left
                counts[code, j, : 2 * len(own) + 1 : 2] = stops - starts
                filled = np.flatnonzero(stops > starts)
                minimum[code, j, filled] = column[starts[filled]]
                maximum[code, j, filled] = column[stops[filled] - 1]

    for _ in map_ordered(count, blocks, n_jobs):
        pass
    return FeatureHistograms(edges, counts, minimum, maximum)


def pair_sides(codes: NDArray[Any], pair: tuple[Any, int]) -> NDArray[np.int8]:
    """Return 1 for rows of the positive class of a pair, 0 for rows of a negative class, and -1 for all other rows."""
    sides = np.full(len(codes), -1, dtype=np.int8)
    sides[np.isin(codes, pair[0])], sides[codes == pair[1]] = 0, 1
    return sides


def choose_edges(
    histogram_edges: Any, feature_names: NDArray[np.str_], draw: Callable[[int], FloatArray]
) -> FloatArray:
    """Return the passed edges or, if a number of edges was passed, the edges that ``draw`` computes."""
    names = feature_names.tolist()
    if isinstance(histogram_edges, Mapping):
        unknown = [name for name in histogram_edges if name not in names]
        if unknown:
            raise RocPredictError(
                f"histogram_edges= contains {short_repr(unknown[0])}, which is not a feature; features are "
                f"{format_names(names)}{suggest(unknown[0], names)}"
            )
        histogram_edges = pad_rows([_check_row(name, histogram_edges.get(name, [])) for name in names])
        if not histogram_edges.size:
            raise RocPredictError("histogram_edges= has no edges; pass ascending edges for at least one feature")
    edges = check_edges(histogram_edges, len(names))
    return draw(edges) if isinstance(edges, int) else edges


def _check_row(name: str, edges: Any) -> FloatArray:
    """Check and return the edges of one feature."""
    try:
        row = check_real("histogram_edges", edges)
    except RocPredictError:
        row = np.empty((0, 0))
    if is_scalar(edges) or row.ndim != 1 or (np.diff(row) <= 0).any():
        raise RocPredictError(
            f"histogram_edges= has invalid edges for the feature {name!r}: {short_repr(edges)}; pass a list of "
            "ascending numbers, such as [90, 100, 110]"
        )
    return row


def check_edges(edges: Any, n_features: int) -> FloatArray | int:
    """Check and return ``edges``, which is a number of edges or an array with the edges of each feature."""
    try:
        array = np.array([] if is_scalar(edges) else edges, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise RocPredictError(f"histogram_edges={short_repr(edges)} is not an array of real numbers") from None
    if is_scalar(edges) or not array.ndim:
        if isinstance(edges, bool) or not isinstance(edges, (int, np.integer)) or not 1 <= edges <= MAX_EDGES:
            raise RocPredictError(
                f"histogram_edges={short_repr(edges)} is not a valid number of edges; pass an integer from 1 to "
                f"{MAX_EDGES:,}, or an array of edges"
            )
        return int(edges)
    if array.ndim != 2 or len(array) != n_features:
        raise RocPredictError(
            f"histogram_edges has shape {array.shape}; pass ascending edges for each of the {n_features} features"
        )
    after = np.isnan(array[:, :-1]) & ~np.isnan(array[:, 1:])
    if after.any() or (np.diff(array) <= 0).any():
        raise RocPredictError(
            "a row of histogram_edges is not in ascending order; pass ascending edges, padded with NaN"
        )
    return array
