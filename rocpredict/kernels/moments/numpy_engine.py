"""Sums of powers by numpy: rows are taken class by class into blocks that stay in the cache."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rocpredict.arguments import FloatArray
from rocpredict.kernels.moments.classes import class_rows
from rocpredict.kernels.moments.sums import Sums
from rocpredict.kernels.moments.tables import Piece

_BLOCK = 131_072
"""Numbers at a time: 1 MB, gathered once and read several times."""
_WIDE = 2_048
"""Up to how many columns a block of rows has."""
_LONG = 8_192
"""Values of a column at a time: libraries that compute scalar products leave so few to one thread."""
_COLUMNS = 8
"""Columns at a time."""


class _Rooms(NamedTuple):
    """Memory that is used again and again: fresh pages may cost more than the sums."""

    taken: NDArray[Any]
    differences: FloatArray
    squares: FloatArray

    @classmethod
    def of(cls, X: NDArray[Any], shape: tuple[int, int]) -> _Rooms:
        """Make room for blocks of values of X."""
        size = shape[0] * shape[1]
        return cls(np.empty(size, X.dtype), np.empty(size), np.empty(size))


def _like(block: NDArray[Any], room: NDArray[Any]) -> NDArray[Any]:
    """Give a part of a room the shape of a block."""
    return room[: block.size].reshape(block.shape)


def row_sums(
    X: NDArray[Any],
    piece: Piece,
    codes: NDArray[Any],
    shift: FloatArray,
    order: int,
    missing: NDArray[np.int64] | None = None,
) -> Sums:
    """Sum the powers of (x - shift) of each class over a piece of a table in C order.

    Parameters
    ----------
    X : array of shape (n, p)
        float64 or float32.
    piece : Piece
        m rows and b columns.
    codes : array of shape (m,)
        The classes of its rows, -1 for none.
    shift : array of shape (K, b)
    order : {2, 4}
    missing : array of shape (K, b), optional
        Where it is given, NaN is left out, and its numbers are added there.

    Returns
    -------
    Sums of shape (K, b)
    """
    sums, columns = Sums.zero(order, *shift.shape), piece.columns
    width = min(_WIDE, max(shift.shape[1], 1))
    height = max(_BLOCK // width, 32)
    lists, rooms = list(class_rows(codes, len(shift))), _Rooms.of(X, (height, width))
    for left in range(0, shift.shape[1], width):
        tile = slice(left, left + width)
        part = X[piece.rows, columns.start + left : min(columns.start + left + width, columns.stop)]
        for k, rows in enumerate(lists):
            for top in range(0, len(rows), height):
                here = rows[top : top + height]
                block = _rows(part, here, rooms)
                if missing is not None:
                    missing[k, tile] += _fill(block, shift[k, tile], axis=0)
                _add(sums, block, shift[k, tile], k, tile, rooms)
    return sums


def _rows(part: NDArray[Any], rows: NDArray[np.intp], rooms: _Rooms) -> NDArray[Any]:
    """Take rows; of a part of the columns ``take`` would copy all."""
    if not part.flags.c_contiguous:
        return part[rows]
    room = rooms.taken[: len(rows) * part.shape[1]].reshape(len(rows), -1)
    return part.take(rows, axis=0, out=room, mode="clip")


def _columns(part: NDArray[Any], rows: NDArray[np.intp], rooms: _Rooms) -> NDArray[Any]:
    """Take rows of columns, each contiguous."""
    room = rooms.taken[: len(part) * len(rows)].reshape(len(part), -1)
    return part.take(rows, axis=1, out=room, mode="clip")


def _fill(block: NDArray[Any], shift: FloatArray, axis: int) -> NDArray[Any]:
    """Put the shift in place of what is NaN, and count it."""
    gone = np.isnan(block)
    np.copyto(block, shift, where=gone, casting="same_kind")
    count: NDArray[Any] = np.add.reduce(gone, axis=axis, dtype=np.int64)
    return count


def _add(sums: Sums, block: NDArray[Any], shift: FloatArray, k: int, tile: slice, rooms: _Rooms) -> None:
    """Add the powers of a block of rows of one class."""
    low, high, powers = sums.low, sums.high, sums.powers[:, k, tile]
    if len(sums.powers) == 4:
        low[k, tile] = np.minimum(low[k, tile], block.min(axis=0))
        high[k, tile] = np.maximum(high[k, tile], block.max(axis=0))
    block = _minus(block, shift, rooms)
    powers[0] += np.add.reduce(block, axis=0)
    if len(sums.powers) == 2:
        powers[1] += np.einsum("ij,ij->j", block, block)
        return
    square = np.multiply(block, block, out=_like(block, rooms.squares))
    powers[1] += np.add.reduce(square, axis=0)
    powers[2] += np.einsum("ij,ij->j", square, block)
    powers[3] += np.einsum("ij,ij->j", square, square)


def column_sums(
    X: NDArray[Any],
    piece: Piece,
    codes: NDArray[Any],
    shift: FloatArray,
    order: int,
    missing: NDArray[np.int64] | None = None,
) -> Sums:
    """Sum as ``row_sums`` does, over a piece of a table in Fortran order."""
    sums, features = Sums.zero(order, *shift.shape), X.T[piece.columns]
    rooms = _Rooms.of(X, (_COLUMNS, _LONG))
    for k, rows in enumerate(class_rows(codes, len(shift))):
        for top in range(0, len(rows), _LONG):
            here = piece.top + rows[top : top + _LONG]
            for left in range(0, len(features), _COLUMNS):
                tile = slice(left, left + _COLUMNS)
                block = _columns(features[tile], here, rooms)
                if missing is not None:
                    missing[k, tile] += _fill(block, shift[k, tile, None], axis=1)
                _add_columns(sums, block, shift[k, tile, None], k, tile, rooms)
    return sums


def _add_columns(sums: Sums, block: NDArray[Any], shift: FloatArray, k: int, tile: slice, rooms: _Rooms) -> None:
    """Add the powers of a block of columns of one class, each column contiguous."""
    low, high, powers = sums.low, sums.high, sums.powers[:, k, tile]
    if len(sums.powers) == 4:
        low[k, tile] = np.minimum(low[k, tile], block.min(axis=1))
        high[k, tile] = np.maximum(high[k, tile], block.max(axis=1))
    block = _minus(block, shift, rooms)
    powers[0] += block.sum(axis=1)
    powers[1] += np.vecdot(block, block)
    if len(sums.powers) == 4:
        square = np.multiply(block, block, out=_like(block, rooms.squares))
        powers[2] += np.vecdot(square, block)
        powers[3] += np.vecdot(square, square)


def _minus(block: NDArray[Any], shift: FloatArray, rooms: _Rooms) -> FloatArray:
    """Subtract in float64, in place where the block is of float64."""
    room = block if block.dtype == np.float64 else _like(block, rooms.differences)
    difference: FloatArray = np.subtract(block, shift, out=room)
    return difference


def weighted_sums(
    block: FloatArray, codes: NDArray[Any], shift: FloatArray, order: int, weights: FloatArray
) -> FloatArray:
    """Sum weights times powers; NaN is left out. The shape is (order, K, b)."""
    sums = np.zeros((order, *shift.shape))
    for k, rows in enumerate(class_rows(codes, len(shift))):
        held = weights[rows]
        difference = block[rows] - shift[k]
        difference[np.isnan(difference)] = 0.0
        power = difference.copy()
        for total in sums:
            total[k] += np.einsum("i,ij->j", held, power)
            power *= difference
    return sums


def stored(
    values: FloatArray, cells: NDArray[np.intp], size: int, order: int, weights: FloatArray | None = None
) -> tuple[Any, ...]:
    """Find the moments of the values of each cell, whatever their order.

    Parameters
    ----------
    values : array of shape (m,)
        NaN for what is missing.
    cells : array of shape (m,)
        To which of ``size`` cells each value belongs.
    size : int
    order : {2, 4}
    weights : array of shape (m,), optional
        Above 0; only this engine takes them.

    Returns
    -------
    The fields of Moments, each of shape (size,); of an empty cell the mean is 0
    """
    gone = np.isnan(values)
    missing = np.bincount(cells[gone], minlength=size)
    if gone.any():
        values, cells, weights = values[~gone], cells[~gone], None if weights is None else weights[~gone]

    def total(terms: FloatArray) -> NDArray[Any]:
        return np.bincount(cells, terms if weights is None else terms * weights, minlength=size)

    count = np.bincount(cells, weights, minlength=size)
    some = np.where(count > 0, count, 1)
    shift = np.zeros(size)
    shift[cells] = values
    difference = values - shift[cells]
    mean = np.zeros(size)
    for _ in range(2):
        step = total(difference) / some
        difference -= step[cells]
        mean += step
    higher = [total(difference**power) for power in range(2, order + 1)]
    return (count, missing, shift + mean, *higher, *(_extremes(values, cells, size) if order == 4 else []))


def _extremes(values: FloatArray, cells: NDArray[np.intp], size: int) -> list[FloatArray]:
    low, high = np.full(size, np.inf), np.full(size, -np.inf)
    np.minimum.at(low, cells, values)
    np.maximum.at(high, cells, values)
    return [low, high]
