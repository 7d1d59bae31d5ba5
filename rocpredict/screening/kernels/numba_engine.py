"""Numba engine, which computes sums of powers and partitions values by class."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocpredict.base.validation import FloatArray
from rocpredict.distributions.ecdf import COMPARISON_FPR, FPR_PROBIT
from rocpredict.screening.kernels import numpy_engine
from rocpredict.screening.kernels.base import Sparse, SparseSums, Sums, Tile, rows_by_class
from rocpredict.screening.kernels.counts import GroupLayer
from rocpredict.screening.kernels.numba_counts import (
    INDEX_TYPE,
    JOINS_CLASSES,
    UNIT_RUN,
    count_class_pairs,
    count_two_classes,
)
from rocpredict.screening.kernels.numba_sort import exact_jit, numba_jit, sort_parts

__all__ = [
    "JOINS_CLASSES",
    "compare_curves",
    "count",
    "count_class_pairs",
    "count_two_classes",
    "gather",
    "partition_csc",
    "partition_csr",
    "power_sums",
    "sort_parts",
    "sparse_sums",
]

_TILE_COLUMNS = 512
"""Number of columns that are summed at a time; the sums of two classes then fit into the cache of the processor."""
_BUFFER_SIZE = 1_024
"""Number of values of one column that are gathered before they are summed."""
_SQRT_HALF = math.sqrt(0.5)
_fast_jit = numba_jit("contract")
_sum_jit = numba_jit("contract", "reassoc")


def power_sums(
    X: NDArray[Any], tile: Tile, codes: NDArray[Any], shift: FloatArray, sums: Sums, *, by_columns: bool
) -> None:
    """Compute sums of powers, and add them to ``sums``; see ``power_sums`` of the NumPy engine."""
    rows, columns = tile
    if not by_columns:
        _row_sums(_read_only(X[rows]), codes, shift, columns.start, *sums)
        return
    features = _read_only(X.T[columns])
    if len(shift) == 2 == len(sums.powers):
        _masked_sums(features, rows.start, codes, shift, sums.missing, sums.powers)
        return
    for k, members in enumerate(rows_by_class(codes, len(shift))):
        _gathered_sums(features, (rows.start + members).view(np.uintp), k, shift, *sums)


def sparse_sums(
    part: Sparse, codes: NDArray[np.intp], shape: tuple[int, int], order: int, *, by_rows: bool
) -> SparseSums:
    """Compute sums of powers of stored values; see ``sparse_sums`` of the NumPy engine."""
    result = SparseSums.zero(order, *shape)
    _sparse_sums(*part, codes, by_rows, result.stored, *result.sums)
    return result


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only view, so that functions are compiled for only one type of array."""
    view = array.view()
    view.flags.writeable = False
    return view


@exact_jit
def _difference(value, shift):  # type: ignore[no-untyped-def]
    """Return a difference that the compiler cannot reassociate with other terms."""
    return np.float64(value) - shift


@_fast_jit
def _accumulate_8(X, i, left, shift, s1, s2):  # type: ignore[no-untyped-def]
    right = left + len(shift)
    x0, x1, x2, x3 = X[i[0], left:right], X[i[1], left:right], X[i[2], left:right], X[i[3], left:right]
    x4, x5, x6, x7 = X[i[4], left:right], X[i[5], left:right], X[i[6], left:right], X[i[7], left:right]
    for j in range(len(shift)):
        c = shift[j]
        a, b, d, e = np.float64(x0[j]) - c, np.float64(x1[j]) - c, np.float64(x2[j]) - c, np.float64(x3[j]) - c
        w, x, y, z = np.float64(x4[j]) - c, np.float64(x5[j]) - c, np.float64(x6[j]) - c, np.float64(x7[j]) - c
        s1[j] += ((a + b) + (d + e)) + ((w + x) + (y + z))
        s2[j] += ((a * a + b * b) + (d * d + e * e)) + ((w * w + x * x) + (y * y + z * z))


@_fast_jit
def _accumulate_4(X, i, left, shift, s1, s2, s3, s4, low, high):  # type: ignore[no-untyped-def]
    right = left + len(shift)
    x0, x1, x2, x3 = X[i[0], left:right], X[i[1], left:right], X[i[2], left:right], X[i[3], left:right]
    for j in range(len(shift)):
        c = shift[j]
        w, x, y, z = np.float64(x0[j]), np.float64(x1[j]), np.float64(x2[j]), np.float64(x3[j])
        a, b, d, e = w - c, x - c, y - c, z - c
        aa, bb, dd, ee = a * a, b * b, d * d, e * e
        s1[j] += (a + b) + (d + e)
        s2[j] += (aa + bb) + (dd + ee)
        s3[j] += (aa * a + bb * b) + (dd * d + ee * e)
        s4[j] += (aa * aa + bb * bb) + (dd * dd + ee * ee)
        low[j] = min(low[j], min(min(w, x), min(y, z)))  # noqa: PLW3301  (a tree is faster)
        high[j] = max(high[j], max(max(w, x), max(y, z)))  # noqa: PLW3301


@_fast_jit
def _accumulate_1(x, k, j0, shift, powers, low, high):  # type: ignore[no-untyped-def]
    for i in range(len(x)):
        j = j0 + i
        value = np.float64(x[i])
        a = value - shift[k, j]
        powers[0, k, j] += a
        powers[1, k, j] += a * a
        if len(powers) == 4:
            powers[2, k, j] += a * a * a
            powers[3, k, j] += (a * a) * (a * a)
            low[k, j] = min(low[k, j], value)
            high[k, j] = max(high[k, j], value)


@_fast_jit
def _add(X, rows, left, k, j, end, shift, powers, low, high):  # type: ignore[no-untyped-def]
    """Add rows of class k to the sums; a full batch of rows is added in an unrolled loop.

    Column ``left`` of X is added to column j of the sums.
    """
    if len(powers) == 2 and len(rows) == 8:
        _accumulate_8(X, rows, left, shift[k, j:end], powers[0, k, j:end], powers[1, k, j:end])
    elif len(powers) == 4 and len(rows) == 4:
        s1, s2, s3, s4 = powers[0, k, j:end], powers[1, k, j:end], powers[2, k, j:end], powers[3, k, j:end]
        _accumulate_4(X, rows, left, shift[k, j:end], s1, s2, s3, s4, low[k, j:end], high[k, j:end])
    else:
        for i in rows:
            _accumulate_1(X[i, left : left + end - j], k, j, shift, powers, low, high)


@_fast_jit
def _replace_nan(x, shift, missing, buffer):  # type: ignore[no-untyped-def]
    """Copy values to a buffer, replace each NaN by the shift, and count NaNs."""
    for j in range(len(shift)):
        value = np.float64(x[j])
        missing[j] += np.isnan(value)
        buffer[j] = shift[j] if np.isnan(value) else value


@_fast_jit
def _accumulate_pending(X, rows, first, k, j, end, shift, missing, powers, low, high, buffer):  # type: ignore[no-untyped-def]
    if missing.size:
        for i in range(len(rows)):
            _replace_nan(X[rows[i], first + j : first + end], shift[k, j:end], missing[k, j:end], buffer[i])
        _add(buffer, np.arange(len(rows)).astype(np.uintp), 0, k, j, end, shift, powers, low, high)
    else:
        _add(X, rows, first + j, k, j, end, shift, powers, low, high)


@_fast_jit
def _row_sums(X, codes, shift, first, missing, powers, low, high):  # type: ignore[no-untyped-def]
    classes, width = shift.shape
    together = 8 if len(powers) == 2 else 4
    tiles = (width + _TILE_COLUMNS - 1) // _TILE_COLUMNS
    tile = (width + tiles - 1) // tiles
    waiting, buffer = np.empty((classes, together), np.uintp), np.empty((together, tile))
    for j in range(0, width, tile):
        end, count = min(j + tile, width), np.zeros(classes, np.intp)
        for i in range(len(X)):
            k = codes[i]
            if k >= 0:
                waiting[k, count[k]] = i
                count[k] += 1
                if count[k] == together:
                    _accumulate_pending(X, waiting[k], first, k, j, end, shift, missing, powers, low, high, buffer)
                    count[k] = 0
        for k in range(classes):
            _accumulate_pending(X, waiting[k, : count[k]], first, k, j, end, shift, missing, powers, low, high, buffer)


@_sum_jit
def _two_classes(values, codes, first, second):  # type: ignore[no-untyped-def]
    """Count the values of classes 0 and 1, and sum their deviations from the shift and the squared deviations."""
    a1 = a2 = b1 = b2 = 0.0
    a_count = b_count = 0
    for i in range(len(values)):
        value, code = values[i], codes[i]
        is_first, is_second = (code == 0) & (value == value), (code == 1) & (value == value)  # noqa: PLR0124
        a, b = _difference(value, first) if is_first else 0.0, _difference(value, second) if is_second else 0.0
        a1 += a
        a2 += a * a
        b1 += b
        b2 += b * b
        a_count += is_first
        b_count += is_second
    return (a1, b1), (a2, b2), (a_count, b_count)


@_fast_jit
def _masked_sums(XT, top, codes, shift, missing, powers):  # type: ignore[no-untyped-def]
    first = second = 0
    for code in codes:  # without an array of counts, so that several codes are compared at a time
        first += code == 0
        second += code == 1
    counts = first, second
    for j in range(len(XT)):
        s1, s2, n_valid = _two_classes(XT[j, top : top + len(codes)], codes, shift[0, j], shift[1, j])
        for k in range(2):
            is_complete = n_valid[k] == counts[k]
            powers[0, k, j] = s1[k] if is_complete or missing.size else np.nan
            powers[1, k, j] = s2[k] if is_complete or missing.size else np.nan
            if missing.size:
                missing[k, j] += counts[k] - n_valid[k]


@_sum_jit
def _two_powers(values, shift):  # type: ignore[no-untyped-def]
    s1 = s2 = 0.0
    for i in range(len(values)):
        a = _difference(values[i], shift)
        s1 += a
        s2 += a * a
    return s1, s2


@_sum_jit
def _four_powers(values, shift):  # type: ignore[no-untyped-def]
    s1 = s2 = s3 = s4 = 0.0
    for i in range(len(values)):
        a = _difference(values[i], shift)
        aa = a * a
        s1 += a
        s2 += aa
        s3 += aa * a
        s4 += aa * aa
    return s1, s2, s3, s4


@_fast_jit
def _min_max(values):  # type: ignore[no-untyped-def]
    a = b = c = d = np.inf
    w = x = y = z = -np.inf
    for group in range(len(values) // 4):
        i = np.uintp(4 * group)
        p, q, r, s = values[i], values[i + np.uintp(1)], values[i + np.uintp(2)], values[i + np.uintp(3)]
        a, b, c, d = min(a, p), min(b, q), min(c, r), min(d, s)
        w, x, y, z = max(w, p), max(x, q), max(y, r), max(z, s)
    for rest in range(len(values) // 4 * 4, len(values)):
        a, w = min(a, values[rest]), max(w, values[rest])
    return min(a, b, c, d), max(w, x, y, z)


@_fast_jit
def _fill(values, shift):  # type: ignore[no-untyped-def]
    """Replace each NaN by the shift, and return the number of NaNs."""
    n_missing = 0
    for i in range(len(values)):
        n_missing += np.isnan(values[i])
        values[i] = shift if np.isnan(values[i]) else values[i]
    return n_missing


@_fast_jit
def _gathered_sums(XT, rows, k, shift, missing, powers, low, high):  # type: ignore[no-untyped-def]
    buffer = np.empty(_BUFFER_SIZE)
    for j in range(len(XT)):
        for i in range(0, len(rows), _BUFFER_SIZE):
            batch = rows[i : i + _BUFFER_SIZE]
            values = buffer[: len(batch)]
            for g in range(len(batch)):
                values[g] = np.float64(XT[j, batch[g]])
            if missing.size:
                missing[k, j] += _fill(values, shift[k, j])
            if len(powers) == 2:
                s1, s2 = _two_powers(values, shift[k, j])
            else:
                least, most = _min_max(values)
                low[k, j], high[k, j] = min(low[k, j], least), max(high[k, j], most)
                s1, s2, s3, s4 = _four_powers(values, shift[k, j])
                powers[2, k, j] += s3
                powers[3, k, j] += s4
            powers[0, k, j] += s1
            powers[1, k, j] += s2


@_fast_jit
def _sparse_sums(values, indices, indptr, codes, by_rows, stored, missing, powers, low, high):  # type: ignore[no-untyped-def]
    for major in range(np.uintp(len(indptr) - 1)):
        for i in range(np.uintp(indptr[major]), np.uintp(indptr[major + np.uintp(1)])):
            minor = np.uintp(indices[i])
            row, j = (major, minor) if by_rows else (minor, major)
            k, value = np.uintp(codes[row]), values[i]
            if k == powers.shape[1]:
                continue
            if np.isnan(value):
                missing[k, j] += 1
                continue
            square = value * value
            powers[0, k, j] += value
            powers[1, k, j] += square
            if len(powers) == 4:
                stored[k, j] += 1
                powers[2, k, j] += square * value
                powers[3, k, j] += square * square
                low[k, j] = min(low[k, j], value)
                high[k, j] = max(high[k, j], value)


_ROW_TILE, _COLUMN_TILE = 1024, 32
"""Numbers of rows and columns of a tile that fits into the cache."""


def gather(
    X: NDArray[Any], rows: NDArray[np.int32], bounds: NDArray[np.intp], columns: slice, out: NDArray[Any]
) -> None:
    """Copy the transpose of the selected rows and columns to ``out``; see ``gather`` of the NumPy engine."""
    if X.dtype not in (np.dtype(np.float32), np.dtype(np.float64)):
        numpy_engine.gather(X, rows, bounds, columns, out)
    else:
        _gather(X, rows, bounds, columns.start, out)


@exact_jit
def _gather(X, rows, bounds, start, out):  # type: ignore[no-untyped-def]
    for left in range(0, len(out), _COLUMN_TILE):
        for top in range(0, np.diff(bounds).max(), _ROW_TILE):
            for g in range(len(bounds) - 1):  # tiles of several groups have cells of X in common lines of the cache
                first, last = bounds[g] + top, min(bounds[g] + top + _ROW_TILE, bounds[g + 1])
                tile = rows[first:last]
                for c in range(left, min(left + _COLUMN_TILE, len(out))):
                    line, column = out[c, first:last], INDEX_TYPE(start + c)
                    for i in range(len(tile)):
                        line[i] = X[INDEX_TYPE(tile[i]), column]


def partition_csc(
    table: Sparse, layers: Sequence[GroupLayer], first: NDArray[np.int64], values: NDArray[Any]
) -> NDArray[np.int64]:
    """Copy the nonzero values to their parts of ``values``; see ``partition_csc`` of the NumPy engine.

    The element before each part and the last element of ``values`` must be unused.
    """
    last = np.empty_like(first)
    for layer in layers:
        groups = list(layer.groups)
        nowhere = np.full(len(first), len(values) - 1)
        bounds = np.column_stack([first[:, groups], nowhere])
        (_split_two if len(groups) == 2 else _split)(*table, layer.labels, bounds, values)
        last[:, groups] = bounds[:, :-1]
    return last


@exact_jit
def _split(data, indices, indptr, labels, bounds, values):  # type: ignore[no-untyped-def]
    nobody = bounds.shape[1] - 1
    for c in range(len(bounds)):
        for e in range(INDEX_TYPE(indptr[c]), INDEX_TYPE(indptr[c + 1])):
            value, group = data[e], INDEX_TYPE(labels[INDEX_TYPE(indices[e])])
            place = bounds[c, group]
            values[INDEX_TYPE(place)] = value
            bounds[c, group] = place + ((value != 0) & (group != nobody))


@exact_jit
def _split_two(data, indices, indptr, labels, bounds, values):  # type: ignore[no-untyped-def]
    """Divide the values of each column into two groups, without branches."""
    for c in range(len(bounds)):
        end0, end1 = INDEX_TYPE(bounds[c, 0]), INDEX_TYPE(bounds[c, 1])
        for e in range(INDEX_TYPE(indptr[c]), INDEX_TYPE(indptr[c + 1])):
            value, group = data[e], labels[INDEX_TYPE(indices[e])]
            # a value in neither group is overwritten by the next value, or is in the unused last element
            values[end0 if group == 0 else end1] = value
            end0 += INDEX_TYPE((group == 0) & (value != 0))
            end1 += INDEX_TYPE((group == 1) & (value != 0))
        bounds[c, 0], bounds[c, 1] = end0, end1


def count(table: Sparse, layers: Sequence[GroupLayer], shape: tuple[int, int]) -> NDArray[np.int64]:
    """Count the stored values of each column and group of a CSR matrix; ``shape`` is (columns, groups)."""
    counts = np.zeros(shape, dtype=np.int64)
    for layer in layers:
        layer_counts = np.zeros((len(layer.groups) + 1, shape[0]), dtype=np.int64)
        _count(table.indices, table.indptr, layer.labels, layer_counts)
        counts[:, layer.groups] = layer_counts[:-1].T
    return counts


@exact_jit
def _count(indices, indptr, labels, counts):  # type: ignore[no-untyped-def]
    for r in range(len(labels)):
        line = counts[labels[r]]
        for e in range(INDEX_TYPE(indptr[r]), INDEX_TYPE(indptr[r + 1])):
            line[INDEX_TYPE(indices[e])] += 1


def partition_csr(
    table: Sparse,
    cursors: NDArray[np.int64],
    columns: slice,
    layers: Sequence[GroupLayer],
    first: NDArray[np.int64],
    values: NDArray[Any],
) -> NDArray[np.int64]:
    """Copy the nonzero values of some columns of a CSR matrix to parts of ``values``, and return the end of each part.

    Parameters
    ----------
    table : Sparse
        Sparse matrix with n rows, in CSR format; the column indices in each row are ascending and unique.
    cursors : array of shape (n,)
        For each row, the position of the first value in the selected columns. On return, ``cursors`` contains the
        position after the last value in these columns.
    columns : slice
        Columns to copy.
    layers : sequence of GroupLayer
        Groups of rows.
    first : array of shape (columns, G)
        Start of each part.
    values : array
        Array to which the values are written.
    """
    last, moved = np.empty_like(first), cursors
    for layer in layers:
        bounds = np.full((len(layer.groups) + 1, len(first)), len(values) - 1)
        bounds[:-1] = first[:, layer.groups].T
        moved = cursors.copy()
        _scatter(*table, moved, columns.start, columns.stop, layer.labels, bounds, values)
        last[:, layer.groups] = bounds[:-1].T
    cursors[:] = moved
    return last


@exact_jit
def _scatter(data, indices, indptr, cursors, start, stop, labels, bounds, values):  # type: ignore[no-untyped-def]
    for r in range(len(labels)):
        line, has_group = bounds[labels[r]], labels[r] < len(bounds) - 1
        e, end = INDEX_TYPE(cursors[r]), INDEX_TYPE(indptr[r + 1])
        while e < end and indices[e] < stop:
            column = INDEX_TYPE(indices[e] - start)
            place = line[column]
            values[INDEX_TYPE(place)] = data[e]
            line[column] = place + (has_group & (data[e] != 0))
            e += UNIT_RUN
        cursors[r] = e


def compare_curves(
    distance: FloatArray, s0: FloatArray, s1: FloatArray, empirical: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the mean differences between binormal and empirical curves; see ``compare_curves`` of the NumPy engine."""
    area, square = np.empty((2, len(empirical)))
    _compare_curves(distance, s0, 1 / s1, _read_only(empirical), COMPARISON_FPR, FPR_PROBIT, area, square)
    return area, square


@_sum_jit
def _compare_curves(distance, s0, inverse, empirical, fpr, probit, area, square):  # type: ignore[no-untyped-def]
    n_points = len(fpr)
    for i in range(len(empirical)):
        absolute = squared = 0.0
        for j in range(n_points):
            z = (s0[i] * probit[j] + distance[i]) * inverse[i]
            tpr = fpr[j] if np.isnan(z) else math.erfc(-z * _SQRT_HALF) / 2
            gap = tpr - empirical[i, j]
            absolute += abs(gap)
            squared += gap * gap
        area[i], square[i] = absolute / n_points, squared / n_points
