"""A dense table in pieces: how it lies in memory, and where to cut it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rocpredict.arguments import FloatArray, to_floats
from rocpredict.kernels.moments.classes import Classes

_PIECE = 8_388_608
"""Numbers of a piece that is read where it lies."""
_COPY = 262_144
"""Numbers of a piece that is copied: 2 MB, which stay in the cache and need no fresh memory each time."""
_FEW_ROWS = 8_192
"""Rows that are summed in one go: few enough for 15 digits."""
_MANY_ROWS = 65_536
"""The same where columns are contiguous and an engine sums a part of them at a time."""
_COPIED_ROWS = 512
"""Rows of a piece that is copied."""
_MANY_COPIED_ROWS = 16_384
"""The same where columns are contiguous."""


class Piece(NamedTuple):
    """Rows from ``top`` to ``bottom`` of some columns."""

    top: int
    bottom: int
    columns: slice

    @property
    def rows(self) -> slice:
        """Give the rows."""
        return slice(self.top, self.bottom)


def whole(piece: Piece) -> Piece:
    """Give the place of a piece in a copy of it."""
    return Piece(0, piece.bottom - piece.top, slice(0, piece.columns.stop - piece.columns.start))


Stretch: TypeAlias = tuple[slice, list[Piece]]
"""Some columns, and their pieces from top to bottom."""


def by_columns(X: NDArray[Any]) -> bool:
    """Tell whether neighbours in a column are also neighbours in memory."""
    return X.shape[1] == 1 or abs(X.strides[0]) < abs(X.strides[1])


def in_place(X: NDArray[Any]) -> bool:
    """Tell whether an engine can read the table where it lies."""
    contiguous = X.T.flags.c_contiguous if by_columns(X) else X.flags.c_contiguous
    return bool(contiguous and X.flags.aligned and X.dtype in (np.dtype(np.float64), np.dtype(np.float32)))


def in_a_row(features: NDArray[np.intp]) -> bool:
    """Tell whether ascending features are neighbours."""
    return not len(features) or bool(features[-1] - features[0] == len(features) - 1)


def pieces(X: NDArray[Any], features: int) -> Iterator[Stretch]:
    """Cut a table, or some of its features, for reading in place."""
    yield from _cut(len(X), features, _MANY_ROWS if by_columns(X) else _FEW_ROWS, _PIECE)


def copies(X: NDArray[Any], features: int) -> Iterator[Stretch]:
    """Cut a table, or some of its features, whose pieces are copied."""
    yield from _cut(len(X), features, _MANY_COPIED_ROWS if by_columns(X) else _COPIED_ROWS, _COPY)


def _cut(n: int, p: int, height: int, size: int) -> Iterator[Stretch]:
    """Cut into pieces of one width, so that none is a sliver."""
    height = max(min(n, height), 1)
    stretches = max(-(-p // max(size // height, 1)), 1)
    width = max(-(-p // stretches), 1)
    for left in range(0, p, width):
        columns = slice(left, min(left + width, p))
        yield columns, [Piece(top, min(top + height, n), columns) for top in range(0, n, height)]


class Rooms:
    """Memory for copies that is used again when a piece is done: fresh pages cost more than the copy."""

    def __init__(self) -> None:
        self._free: list[FloatArray] = []

    @contextmanager
    def lent(self) -> Iterator[FloatArray]:
        """Lend a room for one piece."""
        room = self._free.pop() if self._free else np.empty(_COPY)
        yield room
        self._free.append(room)


def block(X: NDArray[Any], piece: Piece, features: NDArray[np.intp], room: FloatArray | None = None) -> FloatArray:
    """Copy a piece of some features (ascending) of the table as float64, neighbours in memory as they are there."""
    chosen = features[piece.columns]
    run = slice(chosen[0], chosen[-1] + 1)
    if in_a_row(chosen):
        part = X[piece.rows, run]
    elif by_columns(X):
        part = X.T[chosen, piece.rows].T
    else:
        part = X[piece.rows, run][:, chosen - run.start]
    if part.dtype.itemsize > 8 or (part.dtype.kind in "iu" and part.dtype.itemsize == 8):
        part = to_floats("X", part)
    target = (np.empty(part.size) if room is None else room)[: part.size]
    copy = target.reshape(part.shape, order="F" if by_columns(X) else "C")
    np.copyto(copy, part)
    return copy


def middle_of_three(X: NDArray[Any], classes: Classes) -> FloatArray:
    """Give for each class and feature the middle one of three values: of the first, a middle and the last row.

    A value of the data: differences from it are exact where the spread is small, and 0 where all are equal. Two
    outliers would have to meet to be taken for it. NaN where one of the three is missing.
    """
    shift = np.zeros((len(classes.samples), X.shape[1]))
    for k, rows in enumerate(classes.samples):
        if len(rows):
            a, b, c = (X[rows[at]].astype(np.float64) for at in (0, len(rows) // 2, -1))
            shift[k] = np.maximum(np.minimum(a, b), np.minimum(np.maximum(a, b), c))
    return shift


def middle_of_some(X: NDArray[Any], classes: Classes, features: NDArray[np.intp]) -> FloatArray:
    """Give for each class and feature the middle one of some values that are there; NaN where none is."""
    shift = np.full((len(classes.samples), len(features)), np.nan)
    for k, rows in enumerate(classes.samples):
        if len(rows):
            values = np.sort(X[rows[:, None], features].astype(np.float64), axis=0)
            there = len(rows) - np.isnan(values).sum(axis=0)
            shift[k] = np.take_along_axis(values, np.maximum(there - 1, 0)[None] // 2, axis=0)[0]
    return shift
