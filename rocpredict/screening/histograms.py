"""Mergeable histograms of features in two classes, and bounds of the empirical AUC from them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from rocpredict.base.results import Result
from rocpredict.base.validation import FloatArray, RocPredictError, as_float_array, select_indices, short_repr
from rocpredict.distributions.ecdf import COMPARISON_FPR
from rocpredict.screening.kernels.base import map_ordered
from rocpredict.screening.kernels.counts import RankStatistics
from rocpredict.sources.files import read_batches
from rocpredict.sources.table import FeatureTable

DEFAULT_EDGES = 256
"""Number of edges. The AUC is then known to within about 0.004, and its estimate to within 0.02 standard errors."""
MAX_EDGES = 65_536
_BLOCK_FEATURES = 256
"""Number of features whose histograms are evaluated or counted at a time."""
_BLOCK_BYTES = 32_000_000
_SAMPLE_ROWS, _SAMPLE_CELLS = 4096, 2**24
"""Largest numbers of rows and of cells of the sample from which edges are computed."""


@dataclass(frozen=True, eq=False, repr=False)
class FeatureHistograms(Result):
    """Histograms of features in the negative and in the positive class, with the extremes of each cell.

    Histograms of parts of a table with equal edges can be added. Each edge is a cell of its own, which contains the
    values equal to the edge, so that frequent values are counted as ties. An open cell contains the values between two
    edges, below the first edge or above the last edge.

    Attributes
    ----------
    edges : array of shape (features, edges)
        Ascending edges of each feature, followed by NaN.
    counts : array of int of shape (2, features, 2 edges + 1)
        Number of values of the (negative, positive) class in each cell: the open cell below the first edge, the values
        equal to it, the next open cell, and so on.
    minimum, maximum : array of shape (2, features, edges + 1)
        Extremes of each open cell; inf and -inf for a cell without values.
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
        return f"FeatureHistograms({len(self)} features, {self.edges.shape[1]} edges, {self.n_values.sum()} values)"

    @property
    def n_values(self) -> NDArray[np.int64]:
        """Number of values of each class and feature, shape (2, features)."""
        return np.asarray(self.counts.sum(axis=2))

    def __add__(self, other: object) -> FeatureHistograms:
        if not isinstance(other, FeatureHistograms):
            return NotImplemented
        if not np.array_equal(self.edges, other.edges, equal_nan=True):
            raise RocPredictError(
                "histograms with different edges cannot be added; compute all histograms with the first edges: "
                "summarize(..., histogram_edges=first.histograms.edges)"
            )
        extremes = np.minimum(self.minimum, other.minimum), np.maximum(self.maximum, other.maximum)
        return FeatureHistograms(self.edges, self.counts + other.counts, *extremes)

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
        """Return the least and the greatest AUC that data with these histograms and extremes can have.

        Returns
        -------
        pair of arrays of shape (features,)
            Bounds, each attained by some data; NaN if a class has no values.
        """
        bounds = [part[1:] for _, part in self._blocks()]
        low, high = (np.concatenate(side) for side in zip(*bounds, strict=True)) if bounds else np.empty((2, 0))
        return low, high

    def rank_statistics(self, thresholds: FloatArray) -> Iterator[tuple[slice, RankStatistics]]:
        """Yield statistics of blocks of features; half of the pairs count in a cell in which the classes overlap.

        Parameters
        ----------
        thresholds : array of shape (features,)
            Threshold of each feature, or NaN. Between the extremes of a cell, counts are interpolated.
        """
        for block, (area, *_) in self._blocks():
            part = self.select(block)
            slots = part._slots()
            has_classes = ~np.isnan(area)
            total = slots.sum(axis=2)
            below = np.cumsum(slots, axis=2) - slots
            with np.errstate(invalid="ignore", divide="ignore"):
                size = total.astype(float)
                positive_above = size[1][:, None] - below[1] - slots[1] / 2
                v = positive_above / size[1][:, None] - area[:, None]
                u = (below[0] + slots[0] / 2) / size[0][:, None] - area[:, None]
                squares = np.vecdot(slots[0], v * v), np.vecdot(slots[1], u * u)
                tail = np.cumsum(slots[:, :, ::-1], axis=2) / size[:, :, None]
            curve = np.concatenate([np.zeros((2, len(part), 1)), tail], axis=2)
            tpr = np.full((len(part), len(COMPARISON_FPR)), np.nan)
            for j in np.flatnonzero(has_classes):
                tpr[j] = np.interp(COMPARISON_FPR, curve[0, j], curve[1, j])
            undefined = np.where(has_classes, 0.0, np.nan)
            around = (number for pair in part._around(thresholds[block]) for number in pair)
            squares_of_classes = squares[0] + undefined, squares[1] + undefined
            values: Any = (*total, area, *squares_of_classes, part._ties(), *around, tpr)
            yield block, RankStatistics(*values)

    def split_widest(self, n_edges: int = DEFAULT_EDGES) -> FloatArray:
        """Return edges for a second pass, with further edges in the open cells that leave the AUC most uncertain.

        Parameters
        ----------
        n_edges : int, default=256
            Number of further edges of each feature.

        Returns
        -------
        array of shape (features, edges)
            Edges for ``summarize(..., histogram_edges=...)``. The further edges of a cell are equally spaced between
            its extremes. Their number is proportional to the number of uncertain pairs in the cell.
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
        return pad_edges(rows)

    def to_dict(self) -> dict[str, Any]:
        """Return the edges, counts and extremes of each feature as lists, without the padding."""
        n_edges = np.sum(~np.isnan(self.edges), axis=1)
        classes = {}
        for index, name in enumerate(("negative", "positive")):
            extremes = {
                what: [
                    np.where(np.isfinite(row) | (row != empty), row, np.nan)[: n + 1].tolist()
                    for row, n in zip(getattr(self, what)[index], n_edges, strict=True)
                ]
                for what, empty in (("minimum", np.inf), ("maximum", -np.inf))
            }
            cells = [row[: 2 * n + 1].tolist() for row, n in zip(self.counts[index], n_edges, strict=True)]
            classes[name] = {"count": cells, **extremes}
        return {"edges": [row[:n].tolist() for row, n in zip(self.edges, n_edges, strict=True)], **classes}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Read histograms from a dictionary, as ``to_dict`` returns it.

        Parameters
        ----------
        content : mapping
            Lists of edges, counts and extremes.

        Raises
        ------
        RocPredictError
            If lists are missing, differ in length, or contain anything but numbers.
        """
        try:
            edges = pad_edges([_numbers(row) for row in content["edges"]])
            n_features, n_edges = edges.shape
            counts = np.zeros((2, n_features, 2 * n_edges + 1), dtype=np.int64)
            extremes = [np.full((2, n_features, n_edges + 1), value) for value in (np.inf, -np.inf)]
            for index, name in enumerate(("negative", "positive")):
                for j in range(n_features):
                    n = int(np.sum(~np.isnan(edges[j])))
                    row = _numbers(content[name]["count"][j])
                    counts[index, j, : 2 * n + 1] = row.astype(np.int64)
                    if len(row) != 2 * n + 1 or (row < 0).any() or (row != counts[index, j, : 2 * n + 1]).any():
                        raise ValueError("counts")
                    for target, what in zip(extremes, ("minimum", "maximum"), strict=True):
                        values = _numbers(content[name][what][j])
                        target[index, j, : n + 1] = np.where(np.isnan(values), target[index, j, : n + 1], values)
        except (KeyError, IndexError, TypeError, ValueError):
            raise RocPredictError(
                f"{short_repr(content)} are not histograms, which need edges, and for each class count, minimum and "
                "maximum, with one list for each feature"
            ) from None
        result = cls(edges, counts, *extremes)
        if (np.diff(edges) <= 0).any() or not result._extremes_fit():
            raise RocPredictError("histograms are invalid: edges do not ascend, or extremes lie outside their cells")
        return result

    # ---- pairs of values
    def _open(self) -> tuple[NDArray[np.int64], ...]:
        """Return the counts of the open cells of the negatives and of the positives, as float."""
        return tuple(self.counts[:, :, ::2].astype(float))

    def _extremes_fit(self) -> bool:
        """Check that extremes lie in their open cells, and exist only for cells with values."""
        padded = np.concatenate([np.full((len(self), 1), -np.inf), self.edges, np.full((len(self), 1), np.nan)], axis=1)
        left, right = padded[:, :-1], np.where(np.isnan(padded[:, 1:]), np.inf, padded[:, 1:])
        is_filled = self.counts[:, :, ::2] > 0
        low, high = self.minimum, self.maximum
        inside = (low <= high) & ((low > left) | np.isinf(low)) & ((high < right) | np.isinf(high))
        empty = (low == np.inf) & (high == -np.inf)
        return bool(np.where(is_filled, inside, empty).all())

    def _open_pairs(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the estimated, least and greatest number of pairs in each open cell in which the positive is larger.

        Ties count 1/2. The greatest number results if one negative is at the maximum and the others are at the minimum,
        and one positive is at the minimum and the others are at the maximum.
        """
        (n, m), (a, c), (b, d) = self._open(), self.minimum, self.maximum
        has_both = (n > 0) & (m > 0)
        n1, m1 = np.maximum(n - 1, 0), np.maximum(m - 1, 0)

        def score(negative: FloatArray, positive: FloatArray) -> FloatArray:
            return np.asarray((positive > negative) + 0.5 * (positive == negative))

        most = n1 * m1 * score(a, d) + n1 * score(a, c) + m1 * score(b, d) + score(b, c)
        least = n1 * m1 * score(b, c) + n1 * score(b, d) + m1 * score(a, c) + score(a, d)
        most, least = np.where(has_both, most, 0.0), np.where(has_both, least, 0.0)
        return np.clip(n * m / 2, least, most), least, most

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

    def _slots(self) -> FloatArray:
        """Return counts of shape (2, features, 3 edges + 2) in ascending order of the values.

        An open cell has two slots. If all values of one class are below those of the other, the lower class is in the
        first slot and the upper class in the second. Otherwise, both are in the first slot.
        """
        n, m = self._open()
        negative_first = self.maximum[0] < self.minimum[1]
        positive_first = (self.maximum[1] < self.minimum[0]) & ~negative_first
        slots = np.zeros((2, len(self), n.shape[1], 3))
        slots[0, :, :, 0], slots[0, :, :, 1] = np.where(positive_first, [0 * n, n], [n, 0 * n])
        slots[1, :, :, 0], slots[1, :, :, 1] = np.where(negative_first, [0 * m, m], [m, 0 * m])
        slots[:, :, :-1, 2] = self.counts[:, :, 1::2]
        return slots.reshape(2, len(self), -1)[:, :, :-1]

    def _ties(self) -> FloatArray:
        """Return the sum of t^3 - t over values that are known to be equal."""
        is_single = self.minimum.min(axis=0) == self.maximum.max(axis=0)
        sizes = np.sum(self.counts, axis=0).astype(float)
        tied = np.concatenate([sizes[:, 1::2], np.where(is_single, sizes[:, ::2], 0.0)], axis=1)
        return np.asarray(np.sum(tied**3 - tied, axis=1))

    def _around(self, threshold: FloatArray) -> list[tuple[FloatArray, FloatArray]]:
        """Return for each class the numbers of values below and equal to a threshold."""
        at = threshold[:, None]
        n_below = np.sum(self.edges < at, axis=1)
        rows = np.arange(len(self))
        next_edge = self.edges[rows, np.minimum(n_below, self.edges.shape[1] - 1)] if self.edges.size else np.nan
        is_edge = next_edge == threshold
        result = []
        for counts, low, high in zip(self.counts, self.minimum, self.maximum, strict=True):
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


def _numbers(values: Any) -> FloatArray:
    """Return a list of numbers, with None as NaN and "inf" as infinity."""
    return np.array([np.nan if item is None else item for item in values], dtype=np.float64)


def pad_edges(rows: list[FloatArray]) -> FloatArray:
    """Return ascending edges of each feature as one array, followed by NaN."""
    edges = np.full((len(rows), max(map(len, rows), default=0)), np.nan)
    for target, row in zip(edges, rows, strict=True):
        target[: len(row)] = row
    return edges


class RowSample(NamedTuple):
    """Random rows of the parts of a table: those with the smallest random keys."""

    keys: FloatArray
    values: FloatArray

    @classmethod
    def of(cls, table: FeatureTable, rng: np.random.Generator) -> RowSample:
        """Draw rows of a table."""
        n_rows = min(_SAMPLE_ROWS, max(DEFAULT_EDGES, _SAMPLE_CELLS // max(1, len(table))), table.n_rows)
        keys = rng.random(table.n_rows)
        rows = np.sort(np.argpartition(keys, n_rows - 1)[:n_rows])
        values = np.empty((n_rows, len(table)))
        for place, columns, tile in table.iter_tiles():
            inside = slice(*np.searchsorted(rows, [place.start, place.stop]))
            values[inside, columns] = to_dense(tile[rows[inside] - place.start])
        return cls(keys[rows], values)

    @classmethod
    def of_batches(cls, batches: Iterable[Any]) -> RowSample | None:
        """Draw rows of all batches (X, y)."""
        rng, sample = np.random.default_rng(0), None
        for table, _ in read_batches(batches):
            part = cls.of(table, rng)
            if sample is not None and part.values.shape[1] != sample.values.shape[1]:
                return sample  # the error names the batch
            sample = part if sample is None else sample.merge(part)
        return sample

    def merge(self, other: RowSample) -> RowSample:
        """Return a sample of both parts."""
        keys, values = np.concatenate([self.keys, other.keys]), np.concatenate([self.values, other.values])
        rows = np.argsort(keys, kind="stable")[: max(len(self.keys), len(other.keys))]
        return RowSample(keys[rows], values[rows])

    def edges(self, n_edges: int) -> FloatArray:
        """Return the distinct values of each feature if there are at most ``n_edges``, else evenly spaced quantiles."""
        rows = []
        for column in self.values.T:
            values = np.sort(column[~np.isnan(column)])
            distinct = np.unique(values)
            if len(distinct) > n_edges:
                distinct = np.unique(values[np.linspace(0, len(values) - 1, n_edges).round().astype(int)])
            rows.append(distinct)
        return pad_edges(rows)


def to_dense(matrix: Any) -> FloatArray:
    """Return an array or sparse matrix as a dense array of float64."""
    return as_float_array("X", np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix))


def count_cells(matrix: Any, codes: NDArray[Any], edges: FloatArray, n_jobs: int = 1) -> FeatureHistograms:
    """Count the values of the columns of a matrix in the cells of their edges.

    Parameters
    ----------
    matrix : array or sparse matrix of shape (n, features)
        Feature values; NaN is omitted.
    codes : array of int of shape (n,)
        0 for negatives, 1 for positives; other rows are omitted.
    edges : array of shape (features, edges)
        Ascending edges of each feature, followed by NaN.
    n_jobs : int, default=1
        Number of threads.
    """
    rows = [np.flatnonzero(codes == code) for code in (0, 1)]
    width = int(np.clip(_BLOCK_BYTES // (8 * max(1, len(codes))), 1, _BLOCK_FEATURES))
    blocks = [slice(start, start + width) for start in range(0, len(edges), width)]
    shape = 2, *edges.shape
    counts = np.zeros((*shape[:2], 2 * shape[2] + 1), dtype=np.int64)
    minimum, maximum = (np.full((*shape[:2], shape[2] + 1), value) for value in (np.inf, -np.inf))

    def count(block: slice) -> None:
        columns = to_dense(matrix[:, block])
        for code, class_rows in enumerate(rows):
            values = np.ascontiguousarray(columns[class_rows].T)
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


def choose_edges(histogram_edges: Any, table: FeatureTable, sample: RowSample | None = None) -> FloatArray:
    """Return the edges of histograms: the edges that were passed, or edges from random rows of a table."""
    edges = check_edges(histogram_edges, len(table))
    if not isinstance(edges, int):
        return edges
    return (RowSample.of(table, np.random.default_rng(0)) if sample is None else sample).edges(edges)


def check_edges(edges: Any, n_features: int) -> FloatArray | int:
    """Check and return a number of edges, or the edges of each feature."""
    if np.ndim(edges) == 0:
        if isinstance(edges, bool) or not isinstance(edges, (int, np.integer)) or not 1 <= edges <= MAX_EDGES:
            raise RocPredictError(
                f"histogram_edges={short_repr(edges)} is not a number of edges from 1 to {MAX_EDGES:,}, or an array of "
                "edges"
            )
        return int(edges)
    array = np.array(edges, dtype=np.float64)
    if array.ndim != 2 or len(array) != n_features:
        raise RocPredictError(
            f"histogram_edges has shape {array.shape}; pass ascending edges for each of the {n_features} features"
        )
    after = np.isnan(array[:, :-1]) & ~np.isnan(array[:, 1:])
    if after.any() or (np.diff(array) <= 0).any():
        raise RocPredictError("histogram_edges do not ascend in each row; pass ascending edges, then only NaN")
    return array
