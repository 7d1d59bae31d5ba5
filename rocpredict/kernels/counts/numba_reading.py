"""Take values out of a table group by group, with numba."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocpredict.kernels.counts import numpy_reading
from rocpredict.kernels.counts.groups import Layer
from rocpredict.kernels.counts.numba_runs import INDEX, ONE, jitted
from rocpredict.kernels.counts.parts import Sparse

_NATIVE = "biuf"
_TALL, _WIDE = 1024, 32
"""Rows and columns of a tile that stays in the cache while its columns are written one after the other."""


def gather(X: NDArray[Any], rows: NDArray[np.int32], columns: slice, out: NDArray[Any]) -> None:
    """Copy the rows, in their order, of some columns into rows of ``out``."""
    if X.dtype.kind not in _NATIVE or not X.dtype.isnative or X.dtype.itemsize not in {1, 4, 8}:
        numpy_reading.gather(X, rows, columns, out)
    else:
        _gather(X, rows, columns.start, out)


@jitted
def _gather(X, rows, start, out):  # type: ignore[no-untyped-def]
    for left in range(0, len(out), _WIDE):
        for top in range(0, len(rows), _TALL):
            tile = rows[top : top + _TALL]
            for c in range(left, min(left + _WIDE, len(out))):
                line, column = out[c, top : top + _TALL], INDEX(start + c)
                for i in range(len(tile)):
                    line[i] = X[INDEX(tile[i]), column]


def split(table: Sparse, layers: Sequence[Layer], first: NDArray[np.int64], values: NDArray[Any]) -> NDArray[np.int64]:
    """Copy what is not zero of each column (CSC) into its parts, and give where each ends.

    Parameters
    ----------
    table : Sparse
        b columns.
    layers : sequence of Layer
    first : array of shape (b, G)
        Where each part begins; the place before it is free.
    values : array
        What is written to; its last place is free.
    """
    last = np.empty_like(first)
    for layer in layers:
        groups = list(layer.groups)
        nowhere = np.full(len(first), len(values) - 1)
        ends = np.column_stack([first[:, groups], nowhere])
        (_split_two if len(groups) == 2 else _split)(*table, layer.labels, ends, values)
        last[:, groups] = ends[:, :-1]
    return last


@jitted
def _split(data, indices, indptr, labels, ends, values):  # type: ignore[no-untyped-def]
    nobody = ends.shape[1] - 1
    for c in range(len(ends)):
        for e in range(INDEX(indptr[c]), INDEX(indptr[c + 1])):
            value, group = data[e], INDEX(labels[INDEX(indices[e])])
            place = ends[c, group]
            values[INDEX(place)] = value
            ends[c, group] = place + ((value != 0) & (group != nobody))


@jitted
def _split_two(data, indices, indptr, labels, ends, values):  # type: ignore[no-untyped-def]
    """Split without a branch, and without waiting for the end that was written before."""
    for c in range(len(ends)):
        end0, end1 = INDEX(ends[c, 0]), INDEX(ends[c, 1])
        for e in range(INDEX(indptr[c]), INDEX(indptr[c + 1])):
            value, group = data[e], labels[INDEX(indices[e])]
            values[end0 if group == 0 else end1] = value  # of no group: written over, or in the free place behind
            end0 += INDEX((group == 0) & (value != 0))
            end1 += INDEX((group == 1) & (value != 0))
        ends[c, 0], ends[c, 1] = end0, end1


def count(table: Sparse, layers: Sequence[Layer], shape: tuple[int, int]) -> NDArray[np.int64]:
    """Count what is stored (CSR) for each of ``shape`` columns and groups."""
    counts = np.zeros(shape, dtype=np.int64)
    for layer in layers:
        counted = np.zeros((len(layer.groups) + 1, shape[0]), dtype=np.int64)
        _count(table.indices, table.indptr, layer.labels, counted)
        counts[:, layer.groups] = counted[:-1].T
    return counts


@jitted
def _count(indices, indptr, labels, counted):  # type: ignore[no-untyped-def]
    for r in range(len(labels)):
        line = counted[labels[r]]
        for e in range(INDEX(indptr[r]), INDEX(indptr[r + 1])):
            line[INDEX(indices[e])] += 1


def scatter(
    table: Sparse,
    cursors: NDArray[np.int64],
    columns: slice,
    layers: Sequence[Layer],
    first: NDArray[np.int64],
    values: NDArray[Any],
) -> NDArray[np.int64]:
    """Copy what is not zero of some columns of rows (CSR) into parts, and give where each ends.

    Parameters
    ----------
    table : Sparse
        n rows, ascending in each, no column twice.
    cursors : array of shape (n,)
        Where each row has its first value of these columns; moved on to the first behind them.
    columns : slice
    layers : sequence of Layer
    first : array of shape (columns, G)
        Where each part begins; the place before it is free.
    values : array
        What is written to; its last place is free.
    """
    last, moved = np.empty_like(first), cursors
    for layer in layers:
        ends = np.full((len(layer.groups) + 1, len(first)), len(values) - 1)
        ends[:-1] = first[:, layer.groups].T
        moved = cursors.copy()
        _scatter(*table, moved, columns.start, columns.stop, layer.labels, ends, values)
        last[:, layer.groups] = ends[:-1].T
    cursors[:] = moved
    return last


@jitted
def _scatter(data, indices, indptr, cursors, start, stop, labels, ends, values):  # type: ignore[no-untyped-def]
    for r in range(len(labels)):
        line, known = ends[labels[r]], labels[r] < len(ends) - 1
        e, end = INDEX(cursors[r]), INDEX(indptr[r + 1])
        while e < end and indices[e] < stop:
            column = INDEX(indices[e] - start)
            place = line[column]
            values[INDEX(place)] = data[e]
            line[column] = place + (known & (data[e] != 0))
            e += ONE
        cursors[r] = e
