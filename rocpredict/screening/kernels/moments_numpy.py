"""Moments in numpy."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from types import ModuleType
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rocpredict.base.validation import FloatArray, as_float_array
from rocpredict.screening.kernels.base import (
    Classes,
    Moments,
    Sparse,
    Sums,
    as_moments,
    central_sums,
    map_ordered,
    rows_by_class,
)

_PIECE_SIZE = 8_388_608
"""Numbers of a piece that is read where it lies."""
_COPY_SIZE = 262_144
"""Numbers of a piece that is copied: 2 MB, which stay in the cache and need no fresh memory each time."""
_PIECE_ROWS = 8_192
"""Rows that are summed in one go: few enough for 15 digits."""
_PIECE_ROWS_FORTRAN = 65_536
"""The same where columns are contiguous and an engine sums a part of them at a time."""
_COPY_ROWS = 512
"""Rows of a piece that is copied."""
_COPY_ROWS_FORTRAN = 16_384
"""The same where columns are contiguous."""


class Tile(NamedTuple):
    """Rows from ``row_start`` to ``row_stop`` of some columns."""

    row_start: int
    row_stop: int
    columns: slice

    @property
    def rows(self) -> slice:
        """Return the rows."""
        return slice(self.row_start, self.row_stop)


def whole(tile: Tile) -> Tile:
    """Return the place of a piece in a copy of it."""
    return Tile(0, tile.row_stop - tile.row_start, slice(0, tile.columns.stop - tile.columns.start))


ColumnSlice: TypeAlias = tuple[slice, list[Tile]]
"""Some columns, and their pieces from top to bottom."""


def is_fortran(X: NDArray[Any]) -> bool:
    """Check whether neighbours in a column are also neighbours in memory."""
    return X.shape[1] == 1 or abs(X.strides[0]) < abs(X.strides[1])


def is_readable_in_place(X: NDArray[Any]) -> bool:
    """Check whether an engine can read the table where it lies."""
    contiguous = X.T.flags.c_contiguous if is_fortran(X) else X.flags.c_contiguous
    return bool(contiguous and X.flags.aligned and X.dtype in (np.dtype(np.float64), np.dtype(np.float32)))


def is_contiguous(features: NDArray[np.intp]) -> bool:
    """Check whether ascending features are neighbours."""
    return not len(features) or bool(features[-1] - features[0] == len(features) - 1)


def tiles(X: NDArray[Any], features: int) -> Iterator[ColumnSlice]:
    """Cut a table, or some of its features, for reading in place."""
    yield from _cut(len(X), features, _PIECE_ROWS_FORTRAN if is_fortran(X) else _PIECE_ROWS, _PIECE_SIZE)


def copied_tiles(X: NDArray[Any], features: int) -> Iterator[ColumnSlice]:
    """Cut a table, or some of its features, whose pieces are copied."""
    yield from _cut(len(X), features, _COPY_ROWS_FORTRAN if is_fortran(X) else _COPY_ROWS, _COPY_SIZE)


def _cut(n: int, p: int, height: int, size: int) -> Iterator[ColumnSlice]:
    """Cut into pieces of one width, so that none is a sliver."""
    height = max(min(n, height), 1)
    n_strips = max(-(-p // max(size // height, 1)), 1)
    width = max(-(-p // n_strips), 1)
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
        buffer = self._free.pop() if self._free else np.empty(_COPY_SIZE)
        yield buffer
        self._free.append(buffer)


def block(X: NDArray[Any], tile: Tile, features: NDArray[np.intp], buffer: FloatArray | None = None) -> FloatArray:
    """Copy a piece of some features (ascending) of the table as float64, neighbours in memory as they are there."""
    columns = features[tile.columns]
    run = slice(columns[0], columns[-1] + 1)
    if is_contiguous(columns):
        part = X[tile.rows, run]
    elif is_fortran(X):
        part = X.T[columns, tile.rows].T
    else:
        part = X[tile.rows, run][:, columns - run.start]
    if part.dtype.itemsize > 8 or (part.dtype.kind in "iu" and part.dtype.itemsize == 8):
        part = as_float_array("X", part)
    target = (np.empty(part.size) if buffer is None else buffer)[: part.size]
    copy = target.reshape(part.shape, order="F" if is_fortran(X) else "C")
    np.copyto(copy, part)
    return copy


def median_of_three(X: NDArray[Any], classes: Classes) -> FloatArray:
    """Return for each class and feature the middle one of three values: of the first, a middle and the last row.

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
    """Return for each class and feature the middle one of some values that are there; NaN where none is."""
    shift = np.full((len(classes.samples), len(features)), np.nan)
    for k, rows in enumerate(classes.samples):
        if len(rows):
            values = np.sort(X[rows[:, None], features].astype(np.float64), axis=0)
            n_valid = len(rows) - np.isnan(values).sum(axis=0)
            shift[k] = np.take_along_axis(values, np.maximum(n_valid - 1, 0)[None] // 2, axis=0)[0]
    return shift


_BLOCK_SIZE = 131_072
"""Numbers at a time: 1 MB, gathered once and read several times."""
_MAX_BLOCK_COLUMNS = 2_048
"""Up to how many columns a block of rows has."""
_MAX_COLUMN_VALUES = 8_192
"""Values of a column at a time: libraries that compute scalar products leave so few to one thread."""
_BLOCK_COLUMNS = 8
"""Columns at a time."""


class _Buffers(NamedTuple):
    """Memory that is used again and again: fresh pages may cost more than the sums."""

    gathered: NDArray[Any]
    differences: FloatArray
    squares: FloatArray

    @classmethod
    def of(cls, X: NDArray[Any], shape: tuple[int, int]) -> _Buffers:
        """Make room for blocks of values of X."""
        size = shape[0] * shape[1]
        return cls(np.empty(size, X.dtype), np.empty(size), np.empty(size))


def _buffer_view(shape: tuple[int, ...], buffer: NDArray[Any]) -> NDArray[Any]:
    """Return a part of a buffer as an array of some shape."""
    return buffer[: shape[0] * shape[1]].reshape(shape)


def row_sums(X: NDArray[Any], tile: Tile, codes: NDArray[Any], shift: FloatArray, sums: Sums) -> None:
    """Add the powers of (x - shift) of each class over a tile of a table in C order to sums.

    Parameters
    ----------
    X : array of shape (n, p)
        float64 or float32.
    tile : Tile
        m rows and b columns.
    codes : array of shape (m,)
        The classes of its rows, -1 for none.
    shift : array of shape (K, b)
    sums : Sums of shape (K, b)
    """
    columns, width = tile.columns, min(_MAX_BLOCK_COLUMNS, max(shift.shape[1], 1))
    height = max(_BLOCK_SIZE // width, 32)
    lists, buffers = list(rows_by_class(codes, len(shift))), _Buffers.of(X, (height, width))
    for left in range(0, shift.shape[1], width):
        chunk = slice(left, left + width)
        part = X[tile.rows, columns.start + left : min(columns.start + left + width, columns.stop)]
        for k, rows in enumerate(lists):
            for top in range(0, len(rows), height):
                _add(sums, _take(part, rows[top : top + height], 0, buffers), shift[k, chunk], k, chunk, 0, buffers)


def column_sums(X: NDArray[Any], tile: Tile, codes: NDArray[Any], shift: FloatArray, sums: Sums) -> None:
    """Add as ``row_sums`` does, over a tile of a table in Fortran order."""
    features, buffers = X.T[tile.columns], _Buffers.of(X, (_BLOCK_COLUMNS, _MAX_COLUMN_VALUES))
    for k, rows in enumerate(rows_by_class(codes, len(shift))):
        for top in range(0, len(rows), _MAX_COLUMN_VALUES):
            tile_rows = tile.row_start + rows[top : top + _MAX_COLUMN_VALUES]
            for left in range(0, len(features), _BLOCK_COLUMNS):
                chunk = slice(left, left + _BLOCK_COLUMNS)
                _add(sums, _take(features[chunk], tile_rows, 1, buffers), shift[k, chunk, None], k, chunk, 1, buffers)


def _take(part: NDArray[Any], rows: NDArray[np.intp], axis: int, buffers: _Buffers) -> NDArray[Any]:
    """Copy rows of the table, which lie along an axis; ``take`` would copy a part that is not contiguous as a whole."""
    if axis == 0 and not part.flags.c_contiguous:
        return part[rows]
    shape = (len(rows), part.shape[1]) if axis == 0 else (len(part), len(rows))
    return part.take(rows, axis=axis, out=_buffer_view(shape, buffers.gathered), mode="clip")


def _add(sums: Sums, block: NDArray[Any], shift: FloatArray, k: int, tile: slice, axis: int, buffers: _Buffers) -> None:
    """Add the powers of a block of rows of one class, which lie along an axis."""
    dot = np.vecdot if axis else partial(np.einsum, "ij,ij->j")
    low, high, powers = sums.low, sums.high, sums.powers[:, k, tile]
    if sums.missing.size:
        is_missing = np.isnan(block)
        np.copyto(block, shift, where=is_missing, casting="same_kind")
        sums.missing[k, tile] += np.add.reduce(is_missing, axis=axis, dtype=np.int64)
    if len(powers) == 4:
        low[k, tile] = np.minimum(low[k, tile], block.min(axis=axis))
        high[k, tile] = np.maximum(high[k, tile], block.max(axis=axis))
    block = _subtract_shift(block, shift, buffers)
    powers[0] += block.sum(axis=axis)
    powers[1] += dot(block, block)
    if len(powers) == 4:
        square = np.multiply(block, block, out=_buffer_view(block.shape, buffers.squares))
        powers[2] += dot(square, block)
        powers[3] += dot(square, square)


def _subtract_shift(block: NDArray[Any], shift: FloatArray, buffers: _Buffers) -> FloatArray:
    """Subtract in float64, in place where the block is of float64."""
    buffer = block if block.dtype == np.float64 else _buffer_view(block.shape, buffers.differences)
    difference: FloatArray = np.subtract(block, shift, out=buffer)
    return difference


def weighted_sums(
    block: FloatArray, codes: NDArray[Any], shift: FloatArray, order: int, weights: FloatArray
) -> FloatArray:
    """Sum weights times powers; NaN is left out. The shape is (order, K, b)."""
    sums = np.zeros((order, *shift.shape))
    for k, rows in enumerate(rows_by_class(codes, len(shift))):
        class_weights = weights[rows]
        difference = block[rows] - shift[k]
        difference[np.isnan(difference)] = 0.0
        power = difference.copy()
        for total in sums:
            total[k] += np.einsum("i,ij->j", class_weights, power)
            power *= difference
    return sums


class SparseSums(NamedTuple):
    """Sums of the powers of stored values; every array has shape (K, b)."""

    sums: Sums
    stored: NDArray[np.int64]
    """Number of stored values other than NaN; 0 without four powers."""
    missing_weight: NDArray[Any]
    """Sum of the weights of missing values; 0 without weights."""

    @classmethod
    def zero(cls, order: int, classes: int, width: int) -> SparseSums:
        """Return sums of no values."""
        shape = classes, width
        return cls(Sums.zero(order, *shape, omit=True), np.zeros(shape, np.int64), np.zeros(shape))

    def add(self, other: SparseSums) -> None:
        """Add the sums of further rows."""
        self.sums.add(other.sums)
        np.add(self.stored, other.stored, out=self.stored)
        np.add(self.missing_weight, other.missing_weight, out=self.missing_weight)

    def moments(self, classes: Classes, weights: FloatArray | None) -> Moments:
        """Compute the moments of all rows, the zeros that are not stored included."""
        n_valid = classes.counts[:, None] - self.sums.missing
        count: NDArray[Any] = n_valid
        if weights is not None:
            total = [weights[rows].sum() for rows in rows_by_class(classes.codes, len(classes.counts))]
            count = np.where(n_valid > 0, np.array(total)[:, None] - self.missing_weight, 0.0)
        if self.sums.low.size:
            has_zeros = n_valid > self.stored
            np.minimum(self.sums.low, 0.0, out=self.sums.low, where=has_zeros)
            np.maximum(self.sums.high, 0.0, out=self.sums.high, where=has_zeros)
        return as_moments(self.sums, np.zeros(count.shape), count)


def sparse_sums(
    part: Sparse,
    codes: NDArray[np.intp],
    shape: tuple[int, int],
    order: int,
    *,
    by_rows: bool,
    weights: FloatArray | None = None,
) -> SparseSums:
    """Sum the powers of the stored values of each class and feature.

    Parameters
    ----------
    part : Sparse
        Some rows (``by_rows``), or some columns.
    codes : array
        Classes of the rows of the part, K for none.
    shape : (K, b)
    order : {2, 4}
    weights : array, optional
        Weights of the rows, above 0. Only this engine takes them.
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
        low, high = _extremes(values[is_valid], cells[is_valid], shape[1] * (shape[0] + 1))
        result.sums.low[:], result.sums.high[:] = (extremes.reshape(shape[1], -1)[:, :-1].T for extremes in (low, high))
        result.stored[:] = total(is_valid)
    if is_missing.any():
        result.sums.missing[:] = total(is_missing)
        if entry_weights is not None:
            result.missing_weight[:] = total(is_missing, entry_weights[is_missing])
    return result


def _extremes(values: FloatArray, cells: NDArray[np.intp], size: int) -> tuple[FloatArray, FloatArray]:
    low, high = np.full(size, np.inf), np.full(size, -np.inf)
    np.minimum.at(low, cells, values)
    np.maximum.at(high, cells, values)
    return low, high


_MAX_POWER = 1_000


class _Extremes(NamedTuple):
    """Counts and extremes from the first reading; every array has shape (K, b)."""

    counted: NDArray[Any]
    missing: NDArray[np.int64]
    low: FloatArray
    high: FloatArray
    finite_low: FloatArray
    finite_high: FloatArray


class FeatureBlock(NamedTuple):
    """Some features of a table, and the weights of its rows, above 0 in all rows of a class."""

    X: NDArray[Any]
    features: NDArray[np.intp]
    classes: Classes
    order: int
    engine: ModuleType
    n_jobs: int = 1
    weights: FloatArray | None = None


def robust_moments(table: FeatureBlock) -> Moments:
    """Compute the moments of some features whatever their values are."""
    with np.errstate(all="ignore"):
        extremes = _scan_extremes(table)
        n_valid = np.where(extremes.counted > 0, extremes.counted, 1)
        largest = np.maximum(np.abs(extremes.finite_low), np.abs(extremes.finite_high)).max(axis=0, initial=0.0)
        power = np.clip(-np.frexp(largest)[1], -_MAX_POWER, _MAX_POWER)
        low, high = np.ldexp(extremes.finite_low, power), np.ldexp(extremes.finite_high, power)
        middle = np.where(low == high, low, low / 2 + high / 2)
        first, *_ = central_sums(_sums(table, middle, power), n_valid)
        shift = np.where(low == high, low, middle + first)
        return _moments(extremes, shift, power, central_sums(_sums(table, shift, power), n_valid), table.order)


def _scan_extremes(table: FeatureBlock) -> _Extremes:
    """Read once: what is there, and between which ends."""

    def work(tile: Tile) -> _Extremes:
        copy, weights = block(table.X, tile, table.features), table.weights
        parts = rows_by_class(table.classes.codes[tile.rows], len(table.classes.counts))
        with np.errstate(all="ignore"):
            results = [
                _tile_extremes(copy[rows], None if weights is None else weights[tile.row_start + rows])
                for rows in parts
            ]
        return _Extremes(*map(np.array, zip(*results, strict=True)))

    return _Extremes(*_map_tiles(table, work, [np.add] * 2 + [np.minimum, np.maximum] * 2))


def _tile_extremes(values: FloatArray, weights: FloatArray | None) -> list[NDArray[Any]]:
    is_valid = ~np.isnan(values)
    count = is_valid.sum(axis=0) if weights is None else weights @ is_valid
    finite = np.isfinite(values)
    extremes = [
        reduce.reduce(values, axis=0, where=where, initial=start)
        for where in (is_valid, finite)
        for reduce, start in ((np.minimum, np.inf), (np.maximum, -np.inf))
    ]
    return [count, (~is_valid).sum(axis=0), *extremes]


def _sums(table: FeatureBlock, shift: FloatArray, power: NDArray[Any]) -> FloatArray:
    """Read once more: the sums of the powers of what is finite, about a shift, both scaled."""
    shift = np.where(np.isfinite(shift), shift, 0.0)
    add = table.engine.column_sums if is_fortran(table.X) else table.engine.row_sums

    def work(tile: Tile) -> list[FloatArray]:
        codes, tile_shift = table.classes.codes[tile.rows], np.ascontiguousarray(shift[:, tile.columns])
        with np.errstate(all="ignore"):
            copy = np.ldexp(block(table.X, tile, table.features), power[tile.columns])
            copy[np.isinf(copy)] = np.nan
            if table.weights is None:
                sums = Sums.zero(table.order, *tile_shift.shape, omit=True)
                add(copy, whole(tile), codes, tile_shift, sums)
                return [sums.powers]
            return [weighted_sums(copy, codes, tile_shift, table.order, table.weights[tile.rows])]

    return _map_tiles(table, work, [np.add])[0]


def _map_tiles(table: FeatureBlock, work: Any, combine: list[np.ufunc]) -> list[NDArray[Any]]:
    """Combine the results of tiles above each other by ``combine``, and join those side by side."""
    strips = list(copied_tiles(table.X, len(table.features)))
    results = map_ordered(work, (tile for _, strip in strips for tile in strip), table.n_jobs)
    totals = []
    for _, strip in strips:
        total = list(next(results))
        for _ in strip[1:]:
            total = [ufunc(a, b) for ufunc, a, b in zip(combine, total, next(results), strict=True)]
        totals.append(total)
    return [np.concatenate(parts, axis=-1) for parts in zip(*totals, strict=True)]


def _moments(scan: _Extremes, shift: FloatArray, power: NDArray[Any], sums: list[FloatArray], order: int) -> Moments:
    """Scale back. Infinities have their own mean and no standard deviation."""
    mean = np.ldexp(shift + sums[0], -power)
    m2, *higher = (np.ldexp(part, -degree * power) for degree, part in enumerate(sums[1:], 2))
    m2 = np.maximum(m2, 0.0)
    m2[(scan.low < scan.high) & (m2 == 0)] = np.nextafter(0, 1)  # below float64, but not 0
    empty, is_low, is_high = scan.counted == 0, np.isinf(scan.low), np.isinf(scan.high)
    infinite = (is_low | is_high) & ~empty
    mean = np.where(infinite, np.where(is_low, scan.low, 0.0) + np.where(is_high, scan.high, 0.0), mean)
    mean[empty] = np.nan
    for part in (m2, *higher):
        part[infinite] = np.nan
        part[empty] = 0.0
    extremes = [np.where(empty, np.nan, end) for end in (scan.low, scan.high)] if order == 4 else []
    return Moments(scan.counted, scan.missing, mean, m2, *higher, *extremes)
