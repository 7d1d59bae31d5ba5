"""Moments in numba."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

from rocpredict.base.validation import FloatArray
from rocpredict.screening.kernels.base import Sparse, Sums, rows_by_class
from rocpredict.screening.kernels.moments_numpy import SparseSums, Tile

Jitted = TypeVar("Jitted", bound=Callable[..., Any])


def numba_jit(*fastmath: str) -> Callable[[Jitted], Jitted]:
    """Compile without the interpreter's lock; ``fastmath`` names what the compiler may do to floating point."""
    options: dict[str, Any] = {"nogil": True, "fastmath": set(fastmath)}

    def compiling(function: Jitted) -> Jitted:
        try:
            return cast(Jitted, njit(cache=True, **options)(function))
        except RuntimeError:  # a file system where nothing can be kept
            return cast(Jitted, njit(**options)(function))

    return compiling


_TILE_COLUMNS = 512
"""Columns at a time, so that the sums of two classes stay in the nearest caches."""
_BUFFER_SIZE = 1_024
"""Values of one column that are gathered before they are summed."""
_exact_jit = numba_jit()
_fast_jit = numba_jit("contract")
_sum_jit = numba_jit("contract", "reassoc")


def row_sums(X: NDArray[Any], tile: Tile, codes: NDArray[Any], shift: FloatArray, sums: Sums) -> None:
    """Add as the numpy engine's ``row_sums``."""
    _row_sums(_read_only(X[tile.rows]), codes, shift, tile.columns.start, *sums)


def column_sums(X: NDArray[Any], tile: Tile, codes: NDArray[Any], shift: FloatArray, sums: Sums) -> None:
    """Add as the numpy engine's ``column_sums``."""
    features = _read_only(X.T[tile.columns])
    if len(shift) == 2 == len(sums.powers):
        _masked_sums(features, tile.row_start, codes, shift, sums.missing, sums.powers)
        return
    for k, rows in enumerate(rows_by_class(codes, len(shift))):
        _gathered_sums(features, (tile.row_start + rows).view(np.uintp), k, shift, *sums)


def sparse_sums(
    part: Sparse, codes: NDArray[np.intp], shape: tuple[int, int], order: int, *, by_rows: bool
) -> SparseSums:
    """Sum as the numpy engine's ``sparse_sums``."""
    result = SparseSums.zero(order, *shape)
    _sparse_sums(*part, codes, by_rows, result.stored, *result.sums)
    return result


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return a view that cannot be written to: one kind of array to compile for."""
    view = array.view()
    view.flags.writeable = False
    return view


@_exact_jit
def _difference(value, shift):  # type: ignore[no-untyped-def]
    """Return a difference that no change in the order of terms takes apart again."""
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
        low[j] = min(low[j], min(min(w, x), min(y, z)))  # noqa: PLW3301  (a tree is quicker)
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
    """Add rows of class k: together where as many are there as were waited for. Column j lies at ``left`` in X."""
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
    """Copy values, with the shift in place of what is NaN, which is counted."""
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
    """Count what is there of classes 0 and 1, and sum two powers of it, each about its own shift."""
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
    counts = np.zeros(2, np.int64)
    for code in codes:
        if code >= 0:
            counts[code] += 1
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
def _gather(x, rows, buffer):  # type: ignore[no-untyped-def]
    for i in range(len(rows)):
        buffer[i] = np.float64(x[rows[i]])


@_fast_jit
def _fill(values, shift):  # type: ignore[no-untyped-def]
    """Replace NaN by the shift, and return their number."""
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
            _gather(XT[j], batch, values)
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
