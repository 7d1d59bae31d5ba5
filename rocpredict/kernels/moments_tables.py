"""A dense table in pieces: how it lies in memory, and where to cut it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rocpredict.arguments import FloatArray, to_floats
from rocpredict.kernels.moments_sums import Members

_PIECE = 4_000_000
"""Numbers of a piece that is read where it lies."""
_COPY = 262_144
"""Numbers of a piece that is copied: 2 MB, which stay in the cache and need no fresh memory each time."""
_COPIED_ROWS = 2_048
"""Rows of such a piece."""
_FEW_ROWS = 8_192
"""Rows that are summed in one go: few enough for 15 digits."""
_MANY_ROWS = 65_536
"""The same where columns are contiguous and an engine sums a part of them at a time."""
_SAMPLE = 25
"""Rows of a class that are asked for a value where some are missing."""


class Piece(NamedTuple):
    """Rows from ``top`` to ``bottom`` of some columns."""

    top: int
    bottom: int
    columns: slice


def by_columns(X: NDArray[Any]) -> bool:
    """Tell whether neighbours in a column are also neighbours in memory."""
    return X.shape[1] == 1 or abs(X.strides[0]) < abs(X.strides[1])


def in_place(X: NDArray[Any]) -> bool:
    """Tell whether an engine can read the table where it lies."""
    contiguous = X.T.flags.c_contiguous if by_columns(X) else X.flags.c_contiguous
    return bool(contiguous and X.flags.aligned and X.dtype in (np.dtype(np.float64), np.dtype(np.float32)))


Stretch: TypeAlias = tuple[slice, list[Piece]]
"""Some columns, and their pieces from top to bottom."""


def pieces(X: NDArray[Any]) -> Iterator[Stretch]:
    """Cut a table that is read in place."""
    n, p = X.shape
    height = max(min(n, _MANY_ROWS if by_columns(X) else _FEW_ROWS), 1)
    yield from _cut(n, p, height, max(_PIECE // height, 1))


def copies(n: int, p: int) -> Iterator[Stretch]:
    """Cut a table whose pieces are copied."""
    height = max(min(n, _COPIED_ROWS), 1)
    yield from _cut(n, p, height, max(_COPY // height, 1))


def _cut(n: int, p: int, height: int, width: int) -> Iterator[Stretch]:
    for left in range(0, p, width):
        columns = slice(left, min(left + width, p))
        yield columns, [Piece(top, min(top + height, n), columns) for top in range(0, n, height)]


def block(X: NDArray[Any], piece: Piece, features: NDArray[np.intp] | None = None) -> FloatArray:
    """Copy a piece of the table, or of some of its features (ascending), as float64 in C order."""
    rows, part = slice(piece.top, piece.bottom), X
    if features is None:
        part = X[rows, piece.columns]
    else:
        chosen = features[piece.columns]
        run = slice(chosen[0], chosen[-1] + 1)
        in_a_row = run.stop - run.start == len(chosen)
        part = (
            X[rows, run] if in_a_row else X.T[chosen, rows].T if by_columns(X) else X[rows, run][:, chosen - run.start]
        )
    if part.dtype.itemsize > 8 or (part.dtype.kind in "iu" and part.dtype.itemsize == 8):
        part = to_floats("X", part)
    return np.array(part, dtype=np.float64, order="C")


def middle_of_three(X: NDArray[Any], members: Members, columns: slice) -> FloatArray:
    """Give for each class and feature the middle one of three values: of the first, the middle and the last row.

    A value of the data: differences from it are exact where the spread is small, and 0 where all are equal. Two
    outliers would have to meet to be taken for it. NaN where one of the three is missing.
    """
    width = columns.stop - columns.start
    shift = np.zeros((len(members.starts), width))
    for k, rows in enumerate(members.parts()):
        if len(rows):
            a, b, c = (X[rows[at], columns].astype(np.float64) for at in (0, len(rows) // 2, -1))
            shift[k] = np.maximum(np.minimum(a, b), np.minimum(np.maximum(a, b), c))
    return shift


def middle_of_some(X: NDArray[Any], members: Members, features: NDArray[np.intp]) -> FloatArray:
    """Give for each class and feature the middle one of some values that are there; NaN where none is."""
    shift = np.full((len(members.starts), len(features)), np.nan)
    for k, rows in enumerate(members.parts()):
        if len(rows):
            chosen = rows[np.unique(np.linspace(0, len(rows) - 1, _SAMPLE).astype(np.intp))]
            values = np.sort(X[chosen[:, None], features].astype(np.float64), axis=0)
            there = len(chosen) - np.isnan(values).sum(axis=0)
            shift[k] = np.take_along_axis(values, np.maximum(there - 1, 0)[None] // 2, axis=0)[0]
    return shift
