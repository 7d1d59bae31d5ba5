"""Counts in numpy."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from rocpredict.base.validation import FloatArray
from rocpredict.distributions.ecdf import count_below, count_below_transposed
from rocpredict.distributions.misfit import N_FPR
from rocpredict.screening.kernels.base import Sparse
from rocpredict.screening.kernels.counts import GroupedValues, GroupLayer, RankStatistics

_STEPS = 2 * np.arange(N_FPR) + 1
"""The FPRs of the grid in units of 1/(2 N_FPR)."""
_CHUNK_SIZE = 1_000_000
"""Stored values that are counted together."""
_TILE = 2048
"""Rows copied at once: with 16 columns they stay in the cache between reading and writing."""


def gather(X: NDArray[Any], rows: NDArray[np.int32], columns: slice, out: NDArray[Any]) -> None:
    """Copy the rows, in their order, of some columns into rows of ``out``."""
    view = X[:, columns]
    if abs(X.strides[0]) <= abs(X.strides[1]):
        for line, column in zip(out, view.T, strict=True):
            line[:] = column[rows]
        return
    for top in range(0, len(rows), _TILE):
        tile = rows[top : top + _TILE]
        out[:, top : top + _TILE] = view[tile].T


def partition_csc(
    table: Sparse, layers: Sequence[GroupLayer], first: NDArray[np.int64], values: NDArray[Any]
) -> NDArray[np.int64]:
    """Copy what is not zero of each column (CSC) into its parts, and give where each ends.

    Parameters
    ----------
    table : Sparse
        b columns.
    layers : sequence of Layer
    first : array of shape (b, G)
        Where each part begins.
    values : array
        What is written to.
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


def count(table: Sparse, layers: Sequence[GroupLayer], shape: tuple[int, int]) -> NDArray[np.int64]:
    """Count what is stored (CSR) for each of ``shape`` columns and groups."""
    counts = np.zeros(shape, dtype=np.int64)
    for layer in layers:
        groups = len(layer.groups) + 1
        totals = np.zeros(shape[0] * groups, dtype=np.int64)
        for rows in _pieces(table.indptr):
            inside = slice(table.indptr[rows.start], table.indptr[rows.stop])
            labels = np.repeat(layer.labels[rows], np.diff(table.indptr[rows.start : rows.stop + 1]))
            totals += np.bincount(table.indices[inside] * np.int64(groups) + labels, minlength=len(totals))
        counts[:, layer.groups] = totals.reshape(-1, groups)[:, :-1]
    return counts


def _pieces(indptr: NDArray[Any]) -> list[slice]:
    """Cut rows into pieces with about as many stored values as ``_CHUNK_SIZE``."""
    cuts = np.searchsorted(indptr, np.arange(_CHUNK_SIZE, indptr[-1], _CHUNK_SIZE))
    bounds = np.unique([0, *cuts, len(indptr) - 1])
    return [slice(start, stop) for start, stop in pairwise(bounds.tolist())]


def partition_csr(
    table: Sparse,
    cursors: NDArray[np.int64],
    columns: slice,
    layers: Sequence[GroupLayer],
    first: NDArray[np.int64],
    values: NDArray[Any],
) -> NDArray[np.int64]:
    """Copy what is not zero of some columns of rows (CSR) into parts, and give where each ends.

    Parameters
    ----------
    table : Sparse
        n rows, ascending in each, no column twice.
    cursors : array of shape (n,)
        Where each row has its first value of these columns; SciPy finds them by itself.
    columns : slice
    layers : sequence of Layer
    first : array of shape (columns, G)
        Where each part begins.
    values : array
        What is written to.
    """
    shape = len(cursors), int(table.indices.max(initial=0)) + 1
    by_row = csr_array(tuple(table), shape=(shape[0], max(shape[1], columns.stop)))[:, columns]
    by_column = by_row.tocsc()
    return partition_csc(Sparse(by_column.data, by_column.indices, by_column.indptr), layers, first, values)


Indexes = NDArray[np.intp]


class RunLengths(NamedTuple):
    """Distinct values, and how many lie below each."""

    values: NDArray[Any]
    """Shape (m,), ascending."""
    starts: Indexes | None
    """Shape (m + 1,), the last is how many there are in all; None where no value is tied."""
    total: int

    def below(self, place: Any) -> Any:
        """Return the number of values below the run at a place."""
        return place if self.starts is None else self.starts[place]

    @property
    def counts(self) -> Indexes | None:
        """Return the number of values of each run; None where all have one."""
        return None if self.starts is None else np.diff(self.starts)


def count_class_pairs(
    parts: GroupedValues, pairs: NDArray[np.intp], thresholds: FloatArray, counts: RankStatistics
) -> None:
    """Count every feature of a block in every class pair, from sorted parts, into ``counts``."""
    with np.errstate(over="ignore"):
        rounded = thresholds.astype(parts.values.dtype)
    search_sides = np.where(rounded < thresholds, "right", "left")
    for f, (first, last, zeros) in enumerate(zip(*(table.tolist() for table in parts[1:]), strict=True)):
        runs = [_runs(parts.values[a:b], z) for a, b, z in zip(first, last, zeros, strict=True)]
        for t, (n, p, nested) in enumerate(pairs.tolist()):
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
    """Remove values that are all among those of the whole."""
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
    """Return twice the placement counts: values below, and values at or below."""
    return np.asarray(runs.below(below) + runs.below(to) if to is not below else 2 * runs.below(below))


def _tie_correction(counts: Indexes | None) -> float:
    """Sum t^3 - t."""
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
    """Return the sum of twice the placement counts, and the sum of squares of the placements about their mean.

    Deviations are taken from the whole number next to the mean: they are exact, and little cancels.
    """
    counts = runs.counts
    total = int(twice.sum() if counts is None else (twice * counts).sum())
    centre = (2 * total + runs.total) // (2 * runs.total)
    deviations = (twice - centre).astype(np.float64)
    deviations *= deviations
    squares = float(deviations.sum() if counts is None else (deviations * counts).sum())
    return total, (squares - (total - runs.total * centre) ** 2 / runs.total) / (2 * n_others) ** 2


def _tpr_on_grid(negative: RunLengths, positive: RunLengths, passed: Indexes, reached: Indexes) -> FloatArray:
    """Compute the TPR half-way through each step of the grid, from the negative at that FPR."""
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
    """Return the rank of the negative half-way through each step of the grid."""
    return total - 1 - _STEPS * total // (2 * N_FPR)


def _rank(runs: RunLengths, rounded: Any, threshold: float, side: Any) -> tuple[int, int]:
    """Count the values below a threshold, and those at it.

    ``near`` is the threshold in the dtype of the values, and ``side`` the side on which these are searched for it.
    """
    place = int(runs.values.searchsorted(rounded, side))
    is_equal = place < len(runs.values) and bool(runs.values[place].astype(np.float64) == threshold)
    return runs.below(place), runs.below(place + 1) - runs.below(place) if is_equal else 0
