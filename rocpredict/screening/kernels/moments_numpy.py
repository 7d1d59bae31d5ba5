"""Moments in numpy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rocpredict.base.validation import FloatArray, as_float_array
from rocpredict.screening.kernels.backend import map_ordered
from rocpredict.screening.kernels.results import Classes, Moments, Sums, central_sums, rows_by_class

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


class Tile(NamedTuple):
    """Rows from ``row_start`` to ``row_stop`` of some columns."""

    row_start: int
    row_stop: int
    columns: slice

    @property
    def rows(self) -> slice:
        """Give the rows."""
        return slice(self.row_start, self.row_stop)


def whole(piece: Tile) -> Tile:
    """Give the place of a piece in a copy of it."""
    return Tile(0, piece.row_stop - piece.row_start, slice(0, piece.columns.stop - piece.columns.start))


ColumnSlice: TypeAlias = tuple[slice, list[Tile]]
"""Some columns, and their pieces from top to bottom."""


def is_fortran(X: NDArray[Any]) -> bool:
    """Tell whether neighbours in a column are also neighbours in memory."""
    return X.shape[1] == 1 or abs(X.strides[0]) < abs(X.strides[1])


def is_readable_in_place(X: NDArray[Any]) -> bool:
    """Tell whether an engine can read the table where it lies."""
    contiguous = X.T.flags.c_contiguous if is_fortran(X) else X.flags.c_contiguous
    return bool(contiguous and X.flags.aligned and X.dtype in (np.dtype(np.float64), np.dtype(np.float32)))


def is_contiguous(features: NDArray[np.intp]) -> bool:
    """Tell whether ascending features are neighbours."""
    return not len(features) or bool(features[-1] - features[0] == len(features) - 1)


def tiles(X: NDArray[Any], features: int) -> Iterator[ColumnSlice]:
    """Cut a table, or some of its features, for reading in place."""
    yield from _cut(len(X), features, _MANY_ROWS if is_fortran(X) else _FEW_ROWS, _PIECE)


def copied_tiles(X: NDArray[Any], features: int) -> Iterator[ColumnSlice]:
    """Cut a table, or some of its features, whose pieces are copied."""
    yield from _cut(len(X), features, _MANY_COPIED_ROWS if is_fortran(X) else _COPIED_ROWS, _COPY)


def _cut(n: int, p: int, height: int, size: int) -> Iterator[ColumnSlice]:
    """Cut into pieces of one width, so that none is a sliver."""
    height = max(min(n, height), 1)
    stretches = max(-(-p // max(size // height, 1)), 1)
    width = max(-(-p // stretches), 1)
    for left in range(0, p, width):
        columns = slice(left, min(left + width, p))
        yield columns, [Tile(top, min(top + height, n), columns) for top in range(0, n, height)]


class BufferPool:
    """Memory for copies that is used again when a piece is done: fresh pages cost more than the copy."""

    def __init__(self) -> None:
        self._free: list[FloatArray] = []

    @contextmanager
    def borrow(self) -> Iterator[FloatArray]:
        """Lend a room for one piece."""
        room = self._free.pop() if self._free else np.empty(_COPY)
        yield room
        self._free.append(room)


def block(X: NDArray[Any], piece: Tile, features: NDArray[np.intp], room: FloatArray | None = None) -> FloatArray:
    """Copy a piece of some features (ascending) of the table as float64, neighbours in memory as they are there."""
    chosen = features[piece.columns]
    run = slice(chosen[0], chosen[-1] + 1)
    if is_contiguous(chosen):
        part = X[piece.rows, run]
    elif is_fortran(X):
        part = X.T[chosen, piece.rows].T
    else:
        part = X[piece.rows, run][:, chosen - run.start]
    if part.dtype.itemsize > 8 or (part.dtype.kind in "iu" and part.dtype.itemsize == 8):
        part = as_float_array("X", part)
    target = (np.empty(part.size) if room is None else room)[: part.size]
    copy = target.reshape(part.shape, order="F" if is_fortran(X) else "C")
    np.copyto(copy, part)
    return copy


def median_of_three(X: NDArray[Any], classes: Classes) -> FloatArray:
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


_BLOCK = 131_072
"""Numbers at a time: 1 MB, gathered once and read several times."""
_WIDE = 2_048
"""Up to how many columns a block of rows has."""
_LONG = 8_192
"""Values of a column at a time: libraries that compute scalar products leave so few to one thread."""
_COLUMNS = 8
"""Columns at a time."""


class _Buffers(NamedTuple):
    """Memory that is used again and again: fresh pages may cost more than the sums."""

    taken: NDArray[Any]
    differences: FloatArray
    squares: FloatArray

    @classmethod
    def of(cls, X: NDArray[Any], shape: tuple[int, int]) -> _Buffers:
        """Make room for blocks of values of X."""
        size = shape[0] * shape[1]
        return cls(np.empty(size, X.dtype), np.empty(size), np.empty(size))


def _buffer_view(block: NDArray[Any], room: NDArray[Any]) -> NDArray[Any]:
    """Give a part of a room the shape of a block."""
    return room[: block.size].reshape(block.shape)


def row_sums(
    X: NDArray[Any],
    piece: Tile,
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
    lists, rooms = list(rows_by_class(codes, len(shift))), _Buffers.of(X, (height, width))
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


def _rows(part: NDArray[Any], rows: NDArray[np.intp], rooms: _Buffers) -> NDArray[Any]:
    """Take rows; of a part of the columns ``take`` would copy all."""
    if not part.flags.c_contiguous:
        return part[rows]
    room = rooms.taken[: len(rows) * part.shape[1]].reshape(len(rows), -1)
    return part.take(rows, axis=0, out=room, mode="clip")


def _columns(part: NDArray[Any], rows: NDArray[np.intp], rooms: _Buffers) -> NDArray[Any]:
    """Take rows of columns, each contiguous."""
    room = rooms.taken[: len(part) * len(rows)].reshape(len(part), -1)
    return part.take(rows, axis=1, out=room, mode="clip")


def _fill(block: NDArray[Any], shift: FloatArray, axis: int) -> NDArray[Any]:
    """Put the shift in place of what is NaN, and count it."""
    gone = np.isnan(block)
    np.copyto(block, shift, where=gone, casting="same_kind")
    count: NDArray[Any] = np.add.reduce(gone, axis=axis, dtype=np.int64)
    return count


def _add(sums: Sums, block: NDArray[Any], shift: FloatArray, k: int, tile: slice, rooms: _Buffers) -> None:
    """Add the powers of a block of rows of one class."""
    low, high, powers = sums.low, sums.high, sums.powers[:, k, tile]
    if len(sums.powers) == 4:
        low[k, tile] = np.minimum(low[k, tile], block.min(axis=0))
        high[k, tile] = np.maximum(high[k, tile], block.max(axis=0))
    block = _subtract_shift(block, shift, rooms)
    powers[0] += np.add.reduce(block, axis=0)
    if len(sums.powers) == 2:
        powers[1] += np.einsum("ij,ij->j", block, block)
        return
    square = np.multiply(block, block, out=_buffer_view(block, rooms.squares))
    powers[1] += np.add.reduce(square, axis=0)
    powers[2] += np.einsum("ij,ij->j", square, block)
    powers[3] += np.einsum("ij,ij->j", square, square)


def column_sums(
    X: NDArray[Any],
    piece: Tile,
    codes: NDArray[Any],
    shift: FloatArray,
    order: int,
    missing: NDArray[np.int64] | None = None,
) -> Sums:
    """Sum as ``row_sums`` does, over a piece of a table in Fortran order."""
    sums, features = Sums.zero(order, *shift.shape), X.T[piece.columns]
    rooms = _Buffers.of(X, (_COLUMNS, _LONG))
    for k, rows in enumerate(rows_by_class(codes, len(shift))):
        for top in range(0, len(rows), _LONG):
            here = piece.row_start + rows[top : top + _LONG]
            for left in range(0, len(features), _COLUMNS):
                tile = slice(left, left + _COLUMNS)
                block = _columns(features[tile], here, rooms)
                if missing is not None:
                    missing[k, tile] += _fill(block, shift[k, tile, None], axis=1)
                _add_columns(sums, block, shift[k, tile, None], k, tile, rooms)
    return sums


def _add_columns(sums: Sums, block: NDArray[Any], shift: FloatArray, k: int, tile: slice, rooms: _Buffers) -> None:
    """Add the powers of a block of columns of one class, each column contiguous."""
    low, high, powers = sums.low, sums.high, sums.powers[:, k, tile]
    if len(sums.powers) == 4:
        low[k, tile] = np.minimum(low[k, tile], block.min(axis=1))
        high[k, tile] = np.maximum(high[k, tile], block.max(axis=1))
    block = _subtract_shift(block, shift, rooms)
    powers[0] += block.sum(axis=1)
    powers[1] += np.vecdot(block, block)
    if len(sums.powers) == 4:
        square = np.multiply(block, block, out=_buffer_view(block, rooms.squares))
        powers[2] += np.vecdot(square, block)
        powers[3] += np.vecdot(square, square)


def _subtract_shift(block: NDArray[Any], shift: FloatArray, rooms: _Buffers) -> FloatArray:
    """Subtract in float64, in place where the block is of float64."""
    room = block if block.dtype == np.float64 else _buffer_view(block, rooms.differences)
    difference: FloatArray = np.subtract(block, shift, out=room)
    return difference


def weighted_sums(
    block: FloatArray, codes: NDArray[Any], shift: FloatArray, order: int, weights: FloatArray
) -> FloatArray:
    """Sum weights times powers; NaN is left out. The shape is (order, K, b)."""
    sums = np.zeros((order, *shift.shape))
    for k, rows in enumerate(rows_by_class(codes, len(shift))):
        held = weights[rows]
        difference = block[rows] - shift[k]
        difference[np.isnan(difference)] = 0.0
        power = difference.copy()
        for total in sums:
            total[k] += np.einsum("i,ij->j", held, power)
            power *= difference
    return sums


def cell_moments(
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


_LARGEST_POWER = 1_000


class _Extremes(NamedTuple):
    """What the first reading finds; every array has shape (K, b)."""

    counted: NDArray[Any]
    missing: NDArray[np.int64]
    low: FloatArray
    high: FloatArray
    finite_low: FloatArray
    finite_high: FloatArray


class _FeatureBlock(NamedTuple):
    """Some features of a table, and which rows count how much."""

    X: NDArray[Any]
    features: NDArray[np.intp]
    classes: Classes
    order: int
    engine: ModuleType
    n_jobs: int
    weights: FloatArray | None


def robust_moments(
    X: NDArray[Any],
    features: NDArray[np.intp],
    classes: Classes,
    order: int,
    engine: ModuleType,
    n_jobs: int = 1,
    weights: FloatArray | None = None,
) -> Moments:
    """Find the moments of some features whatever their values are; weights must be above 0 in all rows of a class."""
    table = _FeatureBlock(X, features, classes, order, engine, n_jobs, weights)
    with np.errstate(all="ignore"):
        seen = _scan_extremes(table)
        largest = np.maximum(np.abs(seen.finite_low), np.abs(seen.finite_high)).max(axis=0, initial=0.0)
        power = np.clip(-np.frexp(largest)[1], -_LARGEST_POWER, _LARGEST_POWER)
        low, high = np.ldexp(seen.finite_low, power), np.ldexp(seen.finite_high, power)
        middle = np.where(low == high, low, low / 2 + high / 2)
        first, *_ = central_sums(_sums(table, middle, power), _has_values(seen))
        shift = np.where(low == high, low, middle + first)
        return _moments(seen, shift, power, central_sums(_sums(table, shift, power), _has_values(seen)), order)


def _has_values(value_range: _Extremes) -> NDArray[Any]:
    return np.where(value_range.counted > 0, value_range.counted, 1)


def _scan_extremes(table: _FeatureBlock) -> _Extremes:
    """Read once: what is there, and between which ends."""

    def work(piece: Tile) -> _Extremes:
        copy, held = block(table.X, piece, table.features), table.weights
        parts = rows_by_class(table.classes.codes[piece.rows], len(table.classes.counts))
        with np.errstate(all="ignore"):
            found = [
                _tile_extremes(copy[rows], None if held is None else held[piece.row_start + rows]) for rows in parts
            ]
        return _Extremes(*map(np.array, zip(*found, strict=True)))

    return _Extremes(*_map_tiles(table, work, [np.add] * 2 + [np.minimum, np.maximum] * 2))


def _tile_extremes(values: FloatArray, weights: FloatArray | None) -> list[NDArray[Any]]:
    there = ~np.isnan(values)
    count = there.sum(axis=0) if weights is None else weights @ there
    finite = np.isfinite(values)
    ends = [
        reduce.reduce(values, axis=0, where=where, initial=start)
        for where in (there, finite)
        for reduce, start in ((np.minimum, np.inf), (np.maximum, -np.inf))
    ]
    return [count, (~there).sum(axis=0), *ends]


def _sums(table: _FeatureBlock, shift: FloatArray, power: NDArray[Any]) -> FloatArray:
    """Read once more: the sums of the powers of what is finite, about a shift, both scaled."""
    shift = np.where(np.isfinite(shift), shift, 0.0)
    add = table.engine.column_sums if is_fortran(table.X) else table.engine.row_sums

    def work(piece: Tile) -> list[FloatArray]:
        codes, here = table.classes.codes[piece.rows], np.ascontiguousarray(shift[:, piece.columns])
        with np.errstate(all="ignore"):
            copy = np.ldexp(block(table.X, piece, table.features), power[piece.columns])
            copy[np.isinf(copy)] = np.nan
            if table.weights is None:
                return [add(copy, whole(piece), codes, here, table.order, np.zeros(here.shape, np.int64)).powers]
            return [weighted_sums(copy, codes, here, table.order, table.weights[piece.rows])]

    return _map_tiles(table, work, [np.add])[0]


def _map_tiles(table: _FeatureBlock, work: Any, combine: list[np.ufunc]) -> list[NDArray[Any]]:
    """Put the answers for pieces above each other together by ``combine``, and those beside each other in a row."""
    cut = list(copied_tiles(table.X, len(table.features)))
    found = map_ordered(work, (piece for _, stretch in cut for piece in stretch), table.n_jobs)
    stretches = [_combined((next(found) for _ in stretch), combine) for _, stretch in cut]
    return [np.concatenate(parts, axis=-1) for parts in zip(*stretches, strict=True)]


def _combined(answers: Iterable[Iterable[NDArray[Any]]], combine: list[np.ufunc]) -> list[NDArray[Any]]:
    total: list[NDArray[Any]] = []
    for answer in answers:
        new = list(answer)
        total = [add(a, b) for add, a, b in zip(combine, total, new, strict=True)] if total else new
    return total


def _moments(
    value_range: _Extremes, shift: FloatArray, power: NDArray[Any], sums: list[FloatArray], order: int
) -> Moments:
    """Scale back; infinities have their own mean and no spread."""
    mean = np.ldexp(shift + sums[0], -power)
    spread = [np.ldexp(part, -degree * power) for degree, part in enumerate(sums[1:], 2)]
    spread[0] = np.maximum(spread[0], 0.0)
    infinite = np.isinf(value_range.low) | np.isinf(value_range.high)
    empty = value_range.counted == 0
    infinite &= ~empty
    mean = np.where(
        infinite,
        np.where(np.isinf(value_range.low), value_range.low, 0.0)
        + np.where(np.isinf(value_range.high), value_range.high, 0.0),
        mean,
    )
    mean[empty] = np.nan
    spread[0][(value_range.low < value_range.high) & (spread[0] == 0)] = np.nextafter(
        0, 1
    )  # below float64, which is not none
    for part in spread:
        part[infinite] = np.nan
        part[empty] = 0.0
    extremes = [np.where(empty, np.nan, end) for end in (value_range.low, value_range.high)] if order == 4 else []
    return Moments(value_range.counted, value_range.missing, mean, *spread, *extremes)
