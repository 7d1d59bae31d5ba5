"""Take values out of a table group by group, with NumPy and SciPy."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from rocpredict.kernels.counts.groups import Layer
from rocpredict.kernels.counts.parts import Sparse

_PIECE = 1_000_000
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


def split(table: Sparse, layers: Sequence[Layer], first: NDArray[np.int64], values: NDArray[Any]) -> NDArray[np.int64]:
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


def count(table: Sparse, layers: Sequence[Layer], shape: tuple[int, int]) -> NDArray[np.int64]:
    """Count what is stored (CSR) for each of ``shape`` columns and groups."""
    counts = np.zeros(shape, dtype=np.int64)
    for layer in layers:
        groups = len(layer.groups) + 1
        counted = np.zeros(shape[0] * groups, dtype=np.int64)
        for rows in _pieces(table.indptr):
            inside = slice(table.indptr[rows.start], table.indptr[rows.stop])
            labels = np.repeat(layer.labels[rows], np.diff(table.indptr[rows.start : rows.stop + 1]))
            counted += np.bincount(table.indices[inside] * np.int64(groups) + labels, minlength=len(counted))
        counts[:, layer.groups] = counted.reshape(-1, groups)[:, :-1]
    return counts


def _pieces(indptr: NDArray[Any]) -> list[slice]:
    """Cut rows into pieces with about as many stored values as ``_PIECE``."""
    cuts = np.searchsorted(indptr, np.arange(_PIECE, indptr[-1], _PIECE))
    ends = np.unique([0, *cuts, len(indptr) - 1])
    return [slice(start, stop) for start, stop in pairwise(ends.tolist())]


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
    return split(Sparse(by_column.data, by_column.indices, by_column.indptr), layers, first, values)
