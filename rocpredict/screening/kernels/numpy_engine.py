"""NumPy engine, which computes sums of powers and exact rank statistics."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from rocpredict.base.validation import FloatArray
from rocpredict.distributions.ecdf import COMPARISON_FPR, FPR_PROBIT, N_FPR, count_below, count_below_transposed
from rocpredict.screening.kernels.base import Sparse, SparseSums, Sums, ThreadBuffer, Tile, rows_by_class
from rocpredict.screening.kernels.counts import GroupedValues, GroupLayer, Indexes, RankStatistics, SortGroups

_BLOCK_SIZE = 131_072
"""Number of values that are copied to a buffer at a time; as float64, they need 1 MB."""
_MAX_BLOCK_COLUMNS = 2_048
"""Largest number of columns of a block of rows."""
_MAX_COLUMN_VALUES = 8_192
"""Number of values of a column that are summed at a time; BLAS uses one thread for so few values."""
_BLOCK_COLUMNS = 8
"""Number of columns that are summed at a time."""


_CURVES_BLOCK = 256
"""Number of curves that are compared at a time, so that they fit into the cache of the processor."""


class _Buffers(NamedTuple):
    """Memory that is reused for each block, because allocating new memory may take longer than computing the sums."""

    gathered: NDArray[Any]
    differences: FloatArray
    squares: FloatArray


def _buffer_view(shape: tuple[int, ...], buffer: NDArray[Any]) -> NDArray[Any]:
    """Return the beginning of a buffer as an array of the given shape."""
    return buffer[: shape[0] * shape[1]].reshape(shape)


def power_sums(
    X: NDArray[Any], tile: Tile, codes: NDArray[Any], shift: FloatArray, sums: Sums, *, by_columns: bool
) -> None:
    """Sum the powers of (x - shift) for each class in one tile of a table, and add the results to ``sums``.

    Parameters
    ----------
    X : array of shape (n, p)
        Table of float64 or float32. Its columns (``by_columns=True``) or rows (``by_columns=False``) are contiguous in
        memory.
    tile : pair of slices
        Slices that select m rows and b columns.
    codes : array of shape (m,)
        Class of each row of the tile; -1 for rows without a class.
    shift : array of shape (K, b)
        One shift for each class and feature; it is subtracted from the values x before the powers are computed.
    sums : Sums of shape (K, b)
        Running totals, which are updated in place.
    by_columns : bool
        Whether columns are contiguous.
    """
    rows, columns = tile
    width, height, axis = _BLOCK_COLUMNS, _MAX_COLUMN_VALUES, 1
    if not by_columns:
        width, axis = min(_MAX_BLOCK_COLUMNS, max(shift.shape[1], 1)), 0
        height = max(_BLOCK_SIZE // width, 32)
    buffers = _Buffers(*(np.empty(height * width, dtype) for dtype in (X.dtype, np.float64, np.float64)))
    lists = [rows.start + members for members in rows_by_class(codes, len(shift))]
    for left in range(0, shift.shape[1], width):
        chunk = slice(left, min(left + width, shift.shape[1]))
        part = X[:, columns.start + chunk.start : columns.start + chunk.stop]
        for k, members in enumerate(lists):
            class_shift = shift[k, chunk, None] if by_columns else shift[k, chunk]
            for i in range(0, len(members), height):
                block = _take(part.T if by_columns else part, members[i : i + height], axis, buffers)
                _add(sums, block, class_shift, k, chunk, axis, buffers)


def _take(part: NDArray[Any], rows: NDArray[np.intp], axis: int, buffers: _Buffers) -> NDArray[Any]:
    """Copy the selected rows along an axis, without copying the whole ``part``."""
    if axis == 0 and not part.flags.c_contiguous:
        return part[rows]
    shape = (len(rows), part.shape[1]) if axis == 0 else (len(part), len(rows))
    return part.take(rows, axis=axis, out=_buffer_view(shape, buffers.gathered), mode="clip")


def _add(sums: Sums, block: NDArray[Any], shift: FloatArray, k: int, tile: slice, axis: int, buffers: _Buffers) -> None:
    """Compute the sums of powers of a block of rows of class ``k`` along an axis, and add them to ``sums``."""
    dot = np.vecdot if axis else partial(np.einsum, "ij,ij->j")
    low, high, powers = sums.low, sums.high, sums.powers[:, k, tile]
    if sums.missing.size:
        is_missing = np.isnan(block)
        np.copyto(block, shift, where=is_missing, casting="same_kind")
        sums.missing[k, tile] += np.add.reduce(is_missing, axis=axis, dtype=np.int64)
    if len(powers) == 4:
        low[k, tile] = np.minimum(low[k, tile], block.min(axis=axis))
        high[k, tile] = np.maximum(high[k, tile], block.max(axis=axis))
    block = np.subtract(
        block, shift, out=block if block.dtype == np.float64 else _buffer_view(block.shape, buffers.differences)
    )
    powers[0] += block.sum(axis=axis)
    powers[1] += dot(block, block)
    if len(powers) == 4:
        square = np.multiply(block, block, out=_buffer_view(block.shape, buffers.squares))
        powers[2] += dot(square, block)
        powers[3] += dot(square, square)


def weighted_sums(block: FloatArray, codes: NDArray[Any], shift: FloatArray, weights: FloatArray, sums: Sums) -> None:
    """Compute the weighted sums of powers for each class, and add them to ``sums``; NaN values are omitted."""
    for k, rows in enumerate(rows_by_class(codes, len(shift))):
        difference = block[rows] - shift[k]
        difference[np.isnan(difference)] = 0.0
        power = difference.copy()
        for total in sums.powers:
            total[k] += np.einsum("i,ij->j", weights[rows], power)
            power *= difference


def sparse_sums(
    part: Sparse,
    codes: NDArray[np.intp],
    shape: tuple[int, int],
    order: int,
    *,
    by_rows: bool,
    weights: FloatArray | None = None,
) -> SparseSums:
    """Sum the powers of the stored values for each class and feature.

    Parameters
    ----------
    part : Sparse
        Stored values of some rows (``by_rows=True``) or of some columns (``by_rows=False``).
    codes : array
        Class of each row of ``part``; K for rows without a class.
    shape : (int, int)
        Numbers of classes and features, (K, b).
    order : {2, 4}
        Number of powers.
    by_rows : bool
        Whether ``part`` consists of rows (CSR format) or of columns (CSC format).
    weights : array, optional
        Weights of the rows, all above 0; not available in the numba engine.
    """
    lengths = np.diff(part.indptr)
    if by_rows:
        cells = part.indices * np.intp(shape[0] + 1) + np.repeat(codes, lengths)
    else:
        cells = np.repeat(np.arange(shape[1]) * (shape[0] + 1), lengths) + codes.take(part.indices)
    values, is_missing = part.data, np.isnan(part.data)
    if is_missing.any():
        values = np.where(is_missing, 0.0, values)

    def total(selection: Any, terms: FloatArray | None = None) -> NDArray[Any]:
        totals = np.bincount(cells[selection], terms, minlength=shape[1] * (shape[0] + 1))
        return totals.reshape(shape[1], -1)[:, :-1].T

    result, entry_weights = SparseSums.zero(order, *shape), None
    if weights is not None:
        entry_weights = np.repeat(weights, lengths) if by_rows else weights.take(part.indices)
    term = values if entry_weights is None else entry_weights * values
    for power, sums in enumerate(result.sums.powers):
        term = term * values if power else term
        sums[:] = total(..., term)
    if order == 4:
        is_valid = ~is_missing
        for ufunc, start, extremes in ((np.minimum, np.inf, result.sums.low), (np.maximum, -np.inf, result.sums.high)):
            by_cell = np.full((shape[1], shape[0] + 1), start)
            ufunc.at(by_cell.ravel(), cells[is_valid], values[is_valid])
            extremes[:] = by_cell[:, :-1].T
        result.stored[:] = total(is_valid)
    if is_missing.any():
        result.sums.missing[:] = total(is_missing)
        if entry_weights is not None:
            result.missing_weight[:] = total(is_missing, entry_weights[is_missing])
    return result


JOINS_CLASSES = False
"""True if the engine joins and sorts the values of single classes itself."""
_STEPS = 2 * np.arange(N_FPR) + 1
"""FPRs of the grid in units of 1/(2 N_FPR)."""
_TILE = 2048
"""Number of rows that are copied at a time; with 16 columns, they fit into the cache of the processor."""


def gather(
    X: NDArray[Any], rows: NDArray[np.int32], bounds: NDArray[np.intp], columns: slice, out: NDArray[Any]
) -> None:
    """Copy the transpose of the selected rows and columns to ``out``.

    The rows of group g are ``rows[bounds[g]:bounds[g + 1]]``; this engine does not use ``bounds``.
    """
    view = X[:, columns]
    if abs(X.strides[0]) <= abs(X.strides[1]):
        for line, column in zip(out, view.T, strict=True):
            line[:] = column[rows]
        return
    for top in range(0, len(rows), _TILE):
        tile = rows[top : top + _TILE]
        out[:, top : top + _TILE] = view[tile].T


def sort_parts(values: NDArray[Any], first: Indexes, last: Indexes, keys: ThreadBuffer) -> None:
    """Sort each part ``values[first[i]:last[i]]`` in place, with NaN last; ``keys`` is not used by this engine."""
    for start, stop in zip(first.tolist(), last.tolist(), strict=True):
        values[start:stop].sort()


def partition_csc(
    table: Sparse, layers: Sequence[GroupLayer], first: NDArray[np.int64], values: NDArray[Any]
) -> NDArray[np.int64]:
    """Copy the nonzero values of each column and group to a part of ``values``, and return the end of each part.

    Parameters
    ----------
    table : Sparse
        Sparse matrix with b columns, in CSC format.
    layers : sequence of GroupLayer
        Groups of rows.
    first : array of shape (b, G)
        Start of each part.
    values : array
        Array to which the values are written.
    """
    last = np.empty_like(first)
    for column, (start, stop) in enumerate(pairwise(table.indptr.tolist())):
        data, rows = table.data[start:stop], table.indices[start:stop]
        if not data.all():
            rows, data = rows[data != 0], data[data != 0]
        for layer in layers:
            labels = layer.labels[rows]
            for place, group in enumerate(layer.groups):
                part = data[labels == place]
                begin = first[column, group]
                last[column, group] = begin + len(part)
                values[begin : begin + len(part)] = part
    return last


class RunLengths(NamedTuple):
    """Runs of equal values: the distinct values, and the number of values below each of them."""

    values: NDArray[Any]
    """Ascending values, shape (m,)."""
    starts: Indexes | None
    """Number of values below each run, followed by the total number, shape (m + 1,); None if there are no ties."""
    total: int

    def below(self, place: Any) -> Any:
        """Return the number of values below the run at position ``place``."""
        return place if self.starts is None else self.starts[place]

    @property
    def counts(self) -> Indexes | None:
        """Number of values in each run; None if there are no ties."""
        return None if self.starts is None else np.diff(self.starts)


def count_class_pairs(
    parts: GroupedValues, groups: SortGroups, thresholds: FloatArray, counts: RankStatistics, memory: ThreadBuffer
) -> None:
    """Compute the rank statistics for each feature and class pair in a block, using the sorted values of the block."""
    with np.errstate(over="ignore"):
        rounded = thresholds.astype(parts.values.dtype)
    search_sides = np.where(rounded < thresholds, "right", "left")
    for f, (first, last, zeros) in enumerate(zip(*(table.tolist() for table in parts[1:4]), strict=True)):
        runs = [_runs(parts.values[a:b], z) for a, b, z in zip(first, last, zeros, strict=True)]
        for t, (n, p, nested) in enumerate(groups.pairs.tolist()):
            negative = _subtract_runs(runs[n], runs[p]) if nested else runs[n]
            _class_pair(negative, runs[p], counts, (t, f))
            if not np.isnan(thresholds[t, f]):
                at = rounded[t, f], thresholds[t, f], search_sides[t, f]
                counts.negatives_below[t, f], counts.negatives_tied[t, f] = _rank(negative, *at)
                counts.positives_below[t, f], counts.positives_tied[t, f] = _rank(runs[p], *at)


def _runs(values: NDArray[Any], zeros: int) -> RunLengths:
    if len(values) and np.isnan(values[-1]):
        values = values[: np.searchsorted(values, values.dtype.type(np.nan))]
    total = len(values) + zeros
    new = values[1:] != values[:-1]
    if not zeros and new.all():
        return RunLengths(values, None, total)
    places = np.flatnonzero(np.concatenate([np.ones(min(1, len(values)), dtype=bool), new]))
    distinct, starts = values[places], np.append(places, len(values))
    if zeros:
        at = int(np.searchsorted(distinct, 0))
        distinct = np.concatenate([distinct[:at], np.zeros(1, distinct.dtype), distinct[at:]])
        starts = np.concatenate([starts[: at + 1], starts[at:] + zeros])
    return RunLengths(distinct, starts, total)


def _subtract_runs(runs: RunLengths, removed: RunLengths) -> RunLengths:
    """Return the runs that remain when some values are removed."""
    counts = np.ones(len(runs.values), dtype=np.intp) if runs.counts is None else runs.counts.copy()
    counts[np.searchsorted(runs.values, removed.values)] -= 1 if removed.counts is None else removed.counts
    is_left = counts > 0
    return RunLengths(
        runs.values[is_left], np.concatenate([[0], np.cumsum(counts[is_left])]), runs.total - removed.total
    )


def _class_pair(negative: RunLengths, positive: RunLengths, counts: RankStatistics, at: tuple[int, int]) -> None:
    counts.negatives[at], counts.positives[at] = negative.total, positive.total
    if not (negative.total and positive.total):
        counts.ties[at] = _tie_correction(negative.counts) + _tie_correction(positive.counts)
        return
    below, to = count_below(negative.values, positive.values)
    passed, reached = count_below_transposed(below, to, len(negative.values))
    counts.ties[at] = _ties(negative, positive, below, to)
    twice = _double_ranks(negative, below, to), _double_ranks(positive, passed, reached)
    total, counts.positive_sum_squares[at] = _scatter(twice[0], positive, negative.total)
    counts.negative_sum_squares[at] = _scatter(twice[1], negative, positive.total)[1]
    counts.area[at] = total / (2 * negative.total * positive.total)
    counts.tpr_grid[at] = _tpr_on_grid(negative, positive, passed, reached)


def _double_ranks(runs: RunLengths, below: Indexes, to: Indexes) -> Indexes:
    """Return twice the number of values in ``runs`` below each value of the other class, where ties count 1/2."""
    return np.asarray(runs.below(below) + runs.below(to) if to is not below else 2 * runs.below(below))


def _tie_correction(counts: Indexes | None) -> float:
    """Return the sum of t^3 - t over the numbers t of tied values."""
    if counts is None:
        return 0.0
    t = counts.astype(np.float64)
    return float((t * (t * t - 1)).sum())


def _ties(negative: RunLengths, positive: RunLengths, below: Indexes, to: Indexes) -> float:
    ties = _tie_correction(negative.counts) + _tie_correction(positive.counts)
    if to is below:
        return ties
    tied = to > below
    a = 1.0 if negative.counts is None else negative.counts[below[tied]].astype(np.float64)
    b = 1.0 if positive.counts is None else positive.counts[tied].astype(np.float64)
    return ties + float((3 * a * b * (a + b) + np.zeros(int(tied.sum()))).sum())  # (a + b)^3 - a^3 - b^3


def _scatter(twice: Indexes, runs: RunLengths, n_others: int) -> tuple[int, float]:
    """Return the sum of the doubled ranks ``twice``, and the sum of squared deviations of the placement values.

    The doubled ranks are the result of ``_double_ranks``. A placement value is a doubled rank divided by twice the size
    of the other class. Deviations from the integer next to the mean are exact, and few digits cancel in the sum of
    their squares.
    """
    counts = runs.counts
    total = int(twice.sum() if counts is None else (twice * counts).sum())
    centre = (2 * total + runs.total) // (2 * runs.total)
    deviations = (twice - centre).astype(np.float64)
    deviations *= deviations
    squares = float(deviations.sum() if counts is None else (deviations * counts).sum())
    return total, (squares - (total - runs.total * centre) ** 2 / runs.total) / (2 * n_others) ** 2


def _tpr_on_grid(negative: RunLengths, positive: RunLengths, passed: Indexes, reached: Indexes) -> FloatArray:
    """Compute the TPR at the FPR in the middle of each grid step, from the negative value at this FPR."""
    ranks = _negative_ranks(negative.total)
    run = ranks if negative.starts is None else np.searchsorted(negative.starts, ranks, side="right") - 1
    high = positive.below(reached[run])
    if reached is passed:
        return np.asarray((positive.total - high) / positive.total)
    low = positive.below(passed[run])
    start, stop = negative.below(run), negative.below(run + 1)
    share = (_STEPS * negative.total - (negative.total - stop) * 2 * N_FPR) / (2 * N_FPR * (stop - start))
    return np.asarray((positive.total - high + share * (high - low)) / positive.total)


@lru_cache(maxsize=8)
def _negative_ranks(total: int) -> Indexes:
    """Return the rank of the negative value that corresponds to the FPR in the middle of each grid step."""
    return total - 1 - _STEPS * total // (2 * N_FPR)


def _rank(runs: RunLengths, rounded: Any, threshold: float, side: Any) -> tuple[int, int]:
    """Count the values below a threshold and the values equal to it.

    ``rounded`` is the threshold in the dtype of the values, and ``side`` is an argument of ``searchsorted``.
    """
    place = int(runs.values.searchsorted(rounded, side))
    is_equal = place < len(runs.values) and bool(runs.values[place].astype(np.float64) == threshold)
    return runs.below(place), runs.below(place + 1) - runs.below(place) if is_equal else 0


def binormal_tpr(
    distance: FloatArray, s0: FloatArray, s1: FloatArray, fpr: FloatArray, fpr_probit: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the TPRs of two Gaussians at m FPRs, and the probits of these TPRs, both of shape (curves, m).

    ``distance`` is the mean of the positives minus the mean of the negatives, and ``s0`` and ``s1`` are the standard
    deviations of the negatives and of the positives. For two equal point masses, TPR = FPR.
    """
    probit = s0[:, None] * fpr_probit
    probit += distance[:, None]
    probit /= s1[:, None]
    tpr = ndtr(probit)
    if np.isnan(tpr.sum()):
        np.copyto(tpr, fpr, where=np.isnan(tpr))
    return tpr, probit


def compare_curves(
    distance: FloatArray, s0: FloatArray, s1: FloatArray, empirical: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the mean absolute and the mean squared difference between binormal and empirical curves.

    The differences are those of the TPRs at ``COMPARISON_FPR``. ``empirical`` contains the empirical TPRs, shape
    (curves, N_FPR); for the other parameters, see ``binormal_tpr``.
    """
    area, square = np.empty((2, len(empirical)))
    for start in range(0, len(empirical), _CURVES_BLOCK):
        block = slice(start, start + _CURVES_BLOCK)
        with np.errstate(under="ignore"):
            gap, _ = binormal_tpr(distance[block], s0[block], s1[block], COMPARISON_FPR, FPR_PROBIT)
            gap -= empirical[block]
            square[block] = np.vecdot(gap, gap) / N_FPR
            area[block] = np.abs(gap, out=gap).mean(axis=1)
    return area, square
