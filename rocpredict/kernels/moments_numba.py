"""Sums of powers by numba: four rows of one class at a time, the class whose next row comes first.

All rows are read about in their order, whatever the order of the classes. Compilers may contract multiplications and
additions everywhere, and change the order of terms only where differences are already taken: NaN and infinities are
left what they are, and the difference of neighbouring values stays exact.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from rocpredict.arguments import FloatArray
from rocpredict.kernels.moments_sums import Sums

_TILE = 1_024
"""Columns at a time, so that the sums of two classes stay in the nearest caches."""
_AT_ONCE = 1_024
"""Values of one column that are gathered before they are summed."""
_quick = njit(nogil=True, cache=True, fastmath={"contract"})
_summing = njit(nogil=True, cache=True, fastmath={"contract", "reassoc"})


def row_sums(X: NDArray[Any], members: Any, shift: FloatArray, columns: slice, order: int) -> Sums:
    """Sum as the numpy engine's ``row_sums``."""
    sums = Sums.zero(order, *shift.shape)
    rows, starts, stops = members
    _row_sums(_read_only(X), rows.view(np.uintp), starts, stops, shift, columns.start, *sums)
    return sums


def column_sums(X: NDArray[Any], members: Any, shift: FloatArray, columns: slice, order: int) -> Sums:
    """Sum as the numpy engine's ``column_sums``."""
    sums = Sums.zero(order, *shift.shape)
    rows, starts, stops = members
    _column_sums(_read_only(X.T[columns]), rows.view(np.uintp), starts, stops, shift, *sums)
    return sums


def fill(block: FloatArray, codes: NDArray[Any], shift: FloatArray) -> NDArray[np.int64]:
    """Fill as the numpy engine's ``fill``."""
    missing = np.zeros(shift.shape, dtype=np.int64)
    _fill(block, codes.astype(np.intp, copy=False), shift, missing)
    return missing


def stored(values: FloatArray, cells: NDArray[np.intp], size: int, order: int) -> tuple[Any, ...]:
    """Find what the numpy engine's ``stored`` finds."""
    counts = np.zeros((2, size), dtype=np.int64)
    state = np.zeros((1 + order, size))
    extremes = np.empty((2, size if order == 4 else 0))
    extremes[0], extremes[1] = np.inf, -np.inf
    _stored(values, cells.view(np.uintp), counts, state, extremes)
    shift, mean, *higher = state
    return (*counts, shift + mean, *higher, *(extremes if order == 4 else ()))


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Give a view that cannot be written to: one kind of array to compile for."""
    view = array.view()
    view.flags.writeable = False
    return view


@_quick
def _first_class(rows, at, stops):  # type: ignore[no-untyped-def]
    found = -1
    for k in range(len(at)):
        if at[k] < stops[k] and (found < 0 or rows[at[k]] < rows[at[found]]):
            found = k
    return found


@_quick
def _add_two(x0, x1, x2, x3, shift, s1, s2):  # type: ignore[no-untyped-def]
    for j in range(len(shift)):
        c = shift[j]
        a, b = np.float64(x0[j]) - c, np.float64(x1[j]) - c
        d, e = np.float64(x2[j]) - c, np.float64(x3[j]) - c
        s1[j] += (a + b) + (d + e)
        s2[j] += (a * a + b * b) + (d * d + e * e)


@_quick
def _add_four(x0, x1, x2, x3, shift, s1, s2, s3, s4, low, high):  # type: ignore[no-untyped-def]
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


@_quick
def _add(x0, x1, x2, x3, k, j, shift, powers, low, high):  # type: ignore[no-untyped-def]
    end = j + len(x0)
    if len(powers) == 2:
        _add_two(x0, x1, x2, x3, shift[k, j:end], powers[0, k, j:end], powers[1, k, j:end])
        return
    s1, s2, s3, s4 = powers[0, k, j:end], powers[1, k, j:end], powers[2, k, j:end], powers[3, k, j:end]
    _add_four(x0, x1, x2, x3, shift[k, j:end], s1, s2, s3, s4, low[k, j:end], high[k, j:end])


@_quick
def _add_one(x, k, j0, shift, powers, low, high):  # type: ignore[no-untyped-def]
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


@_quick
def _row_sums(X, rows, starts, stops, shift, first, powers, low, high):  # type: ignore[no-untyped-def]
    width = shift.shape[1]
    for j in range(0, width, _TILE):
        left, right = first + j, first + min(j + _TILE, width)
        at = starts.copy()
        k = _first_class(rows, at, stops)
        while k >= 0:
            i = at[k]
            if i + 4 <= stops[k]:
                x0, x1 = X[rows[i], left:right], X[rows[i + 1], left:right]
                x2, x3 = X[rows[i + 2], left:right], X[rows[i + 3], left:right]
                _add(x0, x1, x2, x3, k, j, shift, powers, low, high)
                at[k] += 4
            else:
                _add_one(X[rows[i], left:right], k, j, shift, powers, low, high)
                at[k] += 1
            k = _first_class(rows, at, stops)


@_quick
def _gather(x, rows, block):  # type: ignore[no-untyped-def]
    for i in range(len(rows)):
        block[i] = np.float64(x[rows[i]])


@_quick
def _subtract(block, shift):  # type: ignore[no-untyped-def]
    for i in range(len(block)):
        block[i] -= shift


@_quick
def _ends(block):  # type: ignore[no-untyped-def]
    a = b = c = d = np.inf
    w = x = y = z = -np.inf
    for group in range(len(block) // 4):
        i = np.uintp(4 * group)
        p, q, r, s = block[i], block[i + np.uintp(1)], block[i + np.uintp(2)], block[i + np.uintp(3)]
        a, b, c, d = min(a, p), min(b, q), min(c, r), min(d, s)
        w, x, y, z = max(w, p), max(x, q), max(y, r), max(z, s)
    for rest in range(len(block) // 4 * 4, len(block)):
        a, w = min(a, block[rest]), max(w, block[rest])
    return min(a, b, c, d), max(w, x, y, z)


@_summing
def _two_powers(block):  # type: ignore[no-untyped-def]
    s1 = s2 = 0.0
    for i in range(len(block)):
        s1 += block[i]
        s2 += block[i] * block[i]
    return s1, s2


@_summing
def _four_powers(block):  # type: ignore[no-untyped-def]
    s1 = s2 = s3 = s4 = 0.0
    for i in range(len(block)):
        a = block[i]
        aa = a * a
        s1 += a
        s2 += aa
        s3 += aa * a
        s4 += aa * aa
    return s1, s2, s3, s4


@_quick
def _column_sums(XT, rows, starts, stops, shift, powers, low, high):  # type: ignore[no-untyped-def]
    room = np.empty(_AT_ONCE)
    for j in range(len(XT)):
        for k in range(len(starts)):
            for i in range(starts[k], stops[k], _AT_ONCE):
                here = rows[i : min(i + _AT_ONCE, stops[k])]
                block = room[: len(here)]
                _gather(XT[j], here, block)
                if len(powers) == 4:
                    least, most = _ends(block)
                    low[k, j], high[k, j] = min(low[k, j], least), max(high[k, j], most)
                _subtract(block, shift[k, j])
                if len(powers) == 2:
                    s1, s2 = _two_powers(block)
                else:
                    s1, s2, s3, s4 = _four_powers(block)
                    powers[2, k, j] += s3
                    powers[3, k, j] += s4
                powers[0, k, j] += s1
                powers[1, k, j] += s2


@_quick
def _fill(block, codes, shift, missing):  # type: ignore[no-untyped-def]
    for i in range(len(block)):
        k, row, gone = codes[i], block[i], 0
        for j in range(len(row)):
            gone += np.isnan(row[j])
        if k >= 0 and gone > 0:
            for j in range(len(row)):
                missing[k, j] += np.isnan(row[j])
                row[j] = shift[k, j] if np.isnan(row[j]) else row[j]


@_quick
def _stored(values, cells, counts, state, extremes):  # type: ignore[no-untyped-def]
    for i in range(len(values)):
        value, cell = values[i], cells[i]
        if np.isnan(value):
            counts[1, cell] += 1
            continue
        if counts[0, cell] == 0:
            state[0, cell] = value
        counts[0, cell] += 1
        n = np.float64(counts[0, cell])
        away = value - state[0, cell] - state[1, cell]
        step = away / n
        square = away * step * (n - 1)
        state[1, cell] += step
        if len(state) == 5:
            m2, m3 = state[2, cell], state[3, cell]
            state[4, cell] += square * step * step * (n * n - 3 * n + 3) + 6 * step * step * m2 - 4 * step * m3
            state[3, cell] += square * step * (n - 2) - 3 * step * m2
            extremes[0, cell] = min(extremes[0, cell], value)
            extremes[1, cell] = max(extremes[1, cell], value)
        state[2, cell] += square
