"""Numba engine: sums of powers and exact counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

from rocpredict.base.validation import FloatArray
from rocpredict.distributions.curve_distance import N_FPR
from rocpredict.screening.kernels import numpy_engine
from rocpredict.screening.kernels.base import Sparse, SparseSums, Sums, Tile, rows_by_class
from rocpredict.screening.kernels.counts import GroupedValues, GroupLayer, RankStatistics

Jitted = TypeVar("Jitted", bound=Callable[..., Any])


def numba_jit(*fastmath: str) -> Callable[[Jitted], Jitted]:
    """Return a decorator that compiles without the interpreter lock; ``fastmath`` names LLVM flags."""
    options: dict[str, Any] = {"nogil": True, "fastmath": set(fastmath)}

    def compiling(function: Jitted) -> Jitted:
        try:
            return cast(Jitted, njit(cache=True, **options)(function))
        except RuntimeError:  # the cache folder is not writable
            return cast(Jitted, njit(**options)(function))

    return compiling


_TILE_COLUMNS = 512
"""Number of columns that are summed together; the sums of two classes fit into the cache."""
_BUFFER_SIZE = 1_024
"""Number of values of one column that are gathered before they are summed."""
INDEX_TYPE = np.uint64
"""Type of indices in loops; numba checks the sign of signed indices each time."""
UNIT_RUN = np.uint64(1)
_exact_jit = numba_jit()
_fast_jit = numba_jit("contract")
_sum_jit = numba_jit("contract", "reassoc")


def power_sums(
    X: NDArray[Any], tile: Tile, codes: NDArray[Any], shift: FloatArray, sums: Sums, *, by_columns: bool
) -> None:
    """Add powers to sums; see ``power_sums`` of the NumPy engine."""
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
    """Sum powers of stored values; see ``sparse_sums`` of the NumPy engine."""
    result = SparseSums.zero(order, *shape)
    _sparse_sums(*part, codes, by_rows, result.stored, *result.sums)
    return result


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only view, so that only one array type is compiled."""
    view = array.view()
    view.flags.writeable = False
    return view


@_exact_jit
def _difference(value, shift):  # type: ignore[no-untyped-def]
    """Return a difference that is not reassociated with other terms."""
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
    """Add rows of class k, unrolled if the batch is full. Column j is at ``left`` in X."""
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
    """Copy values, with NaN counted and replaced by the shift."""
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
    """Count the values of classes 0 and 1, and sum two powers about the shift of each class."""
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


@_exact_jit
def run_length_encode_all(values, first, last, zeros, starts):  # type: ignore[no-untyped-def]
    """Replace values by their distinct values, including zeros; ``starts`` counts the values below each."""
    starts[0] = 0
    if not zeros:
        runs = run_length_encode(values, first, last, first, starts, 0, 0)
    else:  # sparse parts have a free element before their first value
        cut = first + np.searchsorted(values[first:last], 0.0)
        runs = run_length_encode(values, first, cut, first - 1, starts, 0, 0)
        values[first - 1 + runs] = 0.0
        runs += 1
        starts[runs] = cut - first + zeros
        runs = run_length_encode(values, cut, last, first - 1, starts, runs, cut - first + zeros)
    starts[runs + 1] = starts[runs]  # _add_ties reads this element and masks it
    return runs


@_exact_jit
def run_length_encode(values, first, last, base, starts, runs, counted):  # type: ignore[no-untyped-def]
    """Append the distinct values of an interval to the runs, and return the number of runs."""
    if first == last:
        return runs
    before = values[first]
    run, place = INDEX_TYPE(runs), INDEX_TYPE(base + runs)
    values[place] = before
    starts[run + UNIT_RUN] = counted + 1
    for i in range(INDEX_TYPE(first + 1), INDEX_TYPE(last)):
        value = values[i]
        new = INDEX_TYPE(value != before)
        run += new
        place += new
        counted += 1
        values[place] = value
        starts[run + UNIT_RUN] = counted + 1
        before = value
    return np.int64(run) + 1


@_exact_jit
def tie_correction(starts, runs):  # type: ignore[no-untyped-def]
    """Return the sum of t^3 - t over the runs of one class."""
    total = 0.0
    if runs == starts[runs]:
        return total
    for run in range(runs):
        count = float(starts[run + 1] - starts[run])
        total += count * (count * count - 1.0)
    return total


_ROW_TILE, _COLUMN_TILE = 1024, 32
"""Numbers of rows and columns of a tile that fits into the cache."""


def gather(X: NDArray[Any], rows: NDArray[np.int32], columns: slice, out: NDArray[Any]) -> None:
    """Copy the selected rows of some columns, transposed, to ``out``."""
    if X.dtype not in (np.dtype(np.float32), np.dtype(np.float64)):
        numpy_engine.gather(X, rows, columns, out)
    else:
        _gather(X, rows, columns.start, out)


@_exact_jit
def _gather(X, rows, start, out):  # type: ignore[no-untyped-def]
    for left in range(0, len(out), _COLUMN_TILE):
        for top in range(0, len(rows), _ROW_TILE):
            tile = rows[top : top + _ROW_TILE]
            for c in range(left, min(left + _COLUMN_TILE, len(out))):
                line, column = out[c, top : top + _ROW_TILE], INDEX_TYPE(start + c)
                for i in range(len(tile)):
                    line[i] = X[INDEX_TYPE(tile[i]), column]


def partition_csc(
    table: Sparse, layers: Sequence[GroupLayer], first: NDArray[np.int64], values: NDArray[Any]
) -> NDArray[np.int64]:
    """Copy nonzero values to parts; see ``partition_csc`` of the NumPy engine.

    The element before each part and the last element of ``values`` are free.
    """
    last = np.empty_like(first)
    for layer in layers:
        groups = list(layer.groups)
        nowhere = np.full(len(first), len(values) - 1)
        bounds = np.column_stack([first[:, groups], nowhere])
        (_split_two if len(groups) == 2 else _split)(*table, layer.labels, bounds, values)
        last[:, groups] = bounds[:, :-1]
    return last


@_exact_jit
def _split(data, indices, indptr, labels, bounds, values):  # type: ignore[no-untyped-def]
    nobody = bounds.shape[1] - 1
    for c in range(len(bounds)):
        for e in range(INDEX_TYPE(indptr[c]), INDEX_TYPE(indptr[c + 1])):
            value, group = data[e], INDEX_TYPE(labels[INDEX_TYPE(indices[e])])
            place = bounds[c, group]
            values[INDEX_TYPE(place)] = value
            bounds[c, group] = place + ((value != 0) & (group != nobody))


@_exact_jit
def _split_two(data, indices, indptr, labels, bounds, values):  # type: ignore[no-untyped-def]
    """Split into two groups without branches, with the ends of the parts in local variables."""
    for c in range(len(bounds)):
        end0, end1 = INDEX_TYPE(bounds[c, 0]), INDEX_TYPE(bounds[c, 1])
        for e in range(INDEX_TYPE(indptr[c]), INDEX_TYPE(indptr[c + 1])):
            value, group = data[e], labels[INDEX_TYPE(indices[e])]
            values[end0 if group == 0 else end1] = (
                value  # a value of no group is overwritten, or in the free last element
            )
            end0 += INDEX_TYPE((group == 0) & (value != 0))
            end1 += INDEX_TYPE((group == 1) & (value != 0))
        bounds[c, 0], bounds[c, 1] = end0, end1


def count(table: Sparse, layers: Sequence[GroupLayer], shape: tuple[int, int]) -> NDArray[np.int64]:
    """Count the stored values (CSR) of each column and group; ``shape`` is (columns, groups)."""
    counts = np.zeros(shape, dtype=np.int64)
    for layer in layers:
        layer_counts = np.zeros((len(layer.groups) + 1, shape[0]), dtype=np.int64)
        _count(table.indices, table.indptr, layer.labels, layer_counts)
        counts[:, layer.groups] = layer_counts[:-1].T
    return counts


@_exact_jit
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
    """Copy the nonzero values of some columns of a CSR matrix to parts, and return the end of each part.

    Parameters
    ----------
    table : Sparse
        n rows with ascending and unique columns.
    cursors : array of shape (n,)
        Position of the first value of these columns in each row. It is moved to the first value after them.
    columns : slice
        Columns to copy.
    layers : sequence of GroupLayer
        Groups of rows.
    first : array of shape (columns, G)
        Start of each part.
    values : array
        Array that is written to.
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


@_exact_jit
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


_UINT64_RANGE = 2.0**64
_N_STEPS = 2 * N_FPR


def count_class_pairs(
    parts: GroupedValues, pairs: NDArray[np.intp], thresholds: FloatArray, counts: RankStatistics
) -> None:
    """Compute the counts of all features and class pairs of a block from sorted parts, which are overwritten."""
    longest = int((parts.last - parts.first + 3).sum(axis=1).max(initial=0))
    nested = longest if pairs[:, 2].any() else 0
    starts, places = np.empty(longest, dtype=np.int32), np.empty(longest, dtype=np.int32)
    rest = np.empty(nested, dtype=np.int32)
    with np.errstate(over="ignore"):  # without compilation NumPy warns of integers that wrap on purpose
        _tally(parts, starts, rest, places, pairs, thresholds, counts)


@_exact_jit
def _tally(parts, starts, rest, places, pairs, thresholds, counts):  # type: ignore[no-untyped-def]
    features, groups = parts.first.shape
    base, size, offset = np.empty(groups, np.int64), np.empty(groups, np.int64), np.empty(groups, np.int64)
    for f in range(features):
        used, tied_group, ties = 0, np.int64(-1), 0.0
        for g in range(groups):
            first, zeros = parts.first[f, g], parts.zeros[f, g]
            last = parts.last[f, g]
            if first < last and np.isnan(parts.values[last - 1]):
                last = first + np.searchsorted(parts.values[first:last], np.nan)
            base[g] = first - (zeros > 0)
            offset[g] = used
            size[g] = run_length_encode_all(parts.values, first, last, zeros, starts[used:])
            used += size[g] + 2
        for t in range(len(pairs)):
            n, p, nested = pairs[t]
            a, above = parts.values[base[n] : base[n] + size[n]], starts[offset[n] :]
            b, sb = parts.values[base[p] : base[p] + size[p]], starts[offset[p] :]
            if nested:
                if tied_group != n:
                    tied_group, ties = n, tie_correction(above, len(a))
                counts.ties[t, f] = ties
                _class_against_rest(a, above, b, sb, places, rest, thresholds[t, f], counts, t, f)
            else:
                _class_pair(a, above, b, sb, places, thresholds[t, f], counts, t, f)


@_exact_jit
def _class_pair(a, sa, b, sb, places, threshold, counts, t, f):  # type: ignore[no-untyped-def]
    negatives, positives = np.int64(sa[len(a)]), np.int64(sb[len(b)])
    counts.negatives[t, f], counts.positives[t, f] = negatives, positives
    counts.negatives_below[t, f], counts.negatives_tied[t, f] = _rank(a, sa, threshold)
    counts.positives_below[t, f], counts.positives_tied[t, f] = _rank(b, sb, threshold)
    below, squares0, squares1, rough0, rough1, ties = _merge(a, sa, b, sb, places)
    counts.ties[t, f] = ties + tie_correction(sa, len(a)) + tie_correction(sb, len(b))
    if negatives and positives:
        pairs = 2 * negatives * positives
        counts.area[t, f] = below / pairs
        counts.negative_sum_squares[t, f] = _sum_squares(pairs - below, squares0, rough0, negatives, positives)
        counts.positive_sum_squares[t, f] = _sum_squares(below, squares1, rough1, positives, negatives)
        _tpr_on_grid(a, sa, b, sb, places, counts.tpr_grid[t, f])


@_exact_jit
def _class_against_rest(a, sa, b, sb, places, ends, threshold, counts, t, f):  # type: ignore[no-untyped-def]
    """Count the positives b against the other values of a, which include b, in steps of the runs of b.

    Each run of b is found in a by doubling steps, the first of about the mean distance. The integer sums are those of
    ``_class_pair``. ``places`` and ``ends`` receive the numbers of negatives below each run of b, and below or in it.
    """
    positives = np.int64(sb[len(b)])
    negatives = np.int64(sa[len(a)]) - positives
    below_a, tied_a = _rank(a, sa, threshold)
    below_b, tied_b = _rank(b, sb, threshold)
    counts.negatives[t, f], counts.positives[t, f] = negatives, positives
    counts.negatives_below[t, f], counts.negatives_tied[t, f] = below_a - below_b, tied_a - tied_b
    counts.positives_below[t, f], counts.positives_tied[t, f] = below_b, tied_b
    if not (negatives and positives):
        return
    total, squares0, squares1, rough0, rough1 = np.int64(0), np.int64(0), np.int64(0), 0.0, 0.0
    i, n_runs, end, first_step = INDEX_TYPE(0), INDEX_TYPE(len(a)), np.int64(0), UNIT_RUN
    while 2 * first_step * len(b) <= len(a):
        first_step += first_step
    for j in range(len(b)):
        value, step = b[j], first_step
        while i + step < n_runs and a[i + step] <= value:
            i += step
            step += step
        while step > UNIT_RUN:
            step >>= UNIT_RUN
            i += step * INDEX_TYPE(i + step < n_runs and a[min(i + step, n_runs - UNIT_RUN)] <= value)
        before, count1 = np.int64(sb[j]), np.int64(sb[j + 1]) - np.int64(sb[j])
        low = np.int64(sa[i]) - before
        count0 = np.int64(sa[i + UNIT_RUN]) - np.int64(sa[i]) - count1
        gap, twice, tied_twice, twice1 = low - end, 2 * before, 2 * before + count1, 2 * low + count0
        product0, tied_product, product1 = gap * twice, count0 * tied_twice, count1 * twice1
        total += product1
        squares0 += product0 * twice + tied_product * tied_twice
        squares1 += product1 * twice1
        rough0 += float(product0) * twice + float(tied_product) * tied_twice
        rough1 += float(product1) * twice1
        end = low + count0
        places[j], ends[j] = low, end
    product0 = (negatives - end) * 2 * positives
    squares0 += product0 * 2 * positives
    rough0 += float(product0) * 2.0 * positives
    pairs = 2 * negatives * positives
    counts.area[t, f] = total / pairs
    counts.negative_sum_squares[t, f] = _sum_squares(pairs - total, squares0, rough0, negatives, positives)
    counts.positive_sum_squares[t, f] = _sum_squares(total, squares1, rough1, positives, negatives)
    _tpr_of_rest(places, ends[: len(b)], sb, negatives, counts.tpr_grid[t, f])


@_exact_jit
def _tpr_of_rest(lows, ends, sb, negatives, tpr):  # type: ignore[no-untyped-def]
    """Write the TPR at the middle of each step of the grid, from the negatives below the runs of positives."""
    run, positives = len(ends), np.int64(sb[len(ends)])
    for g in range(N_FPR):
        share = (2 * g + 1) * negatives
        rank = negatives - 1 - share // _N_STEPS
        run = np.searchsorted(ends[:run], rank, "right")
        if run < len(ends) and lows[run] <= rank:
            above, tied = positives - np.int64(sb[run + 1]), np.int64(sb[run + 1]) - np.int64(sb[run])
            passed = share - (negatives - np.int64(ends[run])) * _N_STEPS
            tpr[g] = (above + passed / (_N_STEPS * np.int64(ends[run] - lows[run])) * tied) / positives
            run += 1
        else:
            tpr[g] = (positives - np.int64(sb[run])) / positives


@_exact_jit
def _rank(values, starts, threshold):  # type: ignore[no-untyped-def]
    """Count the values below and at a threshold."""
    if np.isnan(threshold):
        return 0, 0
    place = np.searchsorted(values, threshold)
    at = starts[place + 1] - starts[place] if place < len(values) and values[place] == threshold else 0
    return starts[place], at


@_exact_jit
def _merge(a, sa, b, sb, places):  # type: ignore[no-untyped-def]
    """Sum twice the placement counts of the positives, the squares of both classes, and the tie correction.

    ``places`` receives the number of runs of positives below each run of negatives. Two independent merges, below and
    above the middle value, run in the same loop, so that the processor can overlap their steps.
    """
    middle, end, start = INDEX_TYPE(len(a) // 2), INDEX_TYPE(len(a)), INDEX_TYPE(0)
    cut, b_end = INDEX_TYPE(np.searchsorted(b, a[middle]) if len(a) else 0), INDEX_TYPE(len(b))
    i, j, k, m = start, start, middle, cut
    sums = (0, 0, 0, 0.0, 0.0, 0.0)
    while (i < middle) & (j < cut) & (k < end) & (m < b_end):
        i, j, sums = _advance(a, sa, b, sb, places, i, j, sums)
        k, m, sums = _advance(a, sa, b, sb, places, k, m, sums)
    sums = _merge_to(a, sa, b, sb, places, i, j, middle, cut, sums)
    return _merge_to(a, sa, b, sb, places, k, m, end, b_end, sums)


@_exact_jit
def _merge_to(a, sa, b, sb, places, i, j, i_end, j_end, sums):  # type: ignore[no-untyped-def]
    while (i < i_end) & (j < j_end):
        i, j, sums = _advance(a, sa, b, sb, places, i, j, sums)
    while i < i_end:
        places[i] = j
        sums = _add_ties(sa, sb, i, j, UNIT_RUN, INDEX_TYPE(0), sums)
        i += UNIT_RUN
    while j < j_end:
        sums = _add_ties(sa, sb, i, j, INDEX_TYPE(0), UNIT_RUN, sums)
        j += UNIT_RUN
    return sums


@_exact_jit
def _advance(a, sa, b, sb, places, i, j, sums):  # type: ignore[no-untyped-def]
    places[i] = j
    take0, take1 = INDEX_TYPE(a[i] <= b[j]), INDEX_TYPE(b[j] <= a[i])
    return i + take0, j + take1, _add_ties(sa, sb, i, j, take0, take1, sums)


@_exact_jit
def _add_ties(sa, sb, i, j, take0, take1, sums):  # type: ignore[no-untyped-def]
    """Add a group of tied values of one or both classes, without branches."""
    below0, below1 = np.int64(sa[i]), np.int64(sb[j])
    count0 = (sa[i + UNIT_RUN] - below0) & -np.int64(take0)
    count1 = (sb[j + UNIT_RUN] - below1) & -np.int64(take1)
    twice0, twice1 = 2 * below1 + count1, 2 * below0 + count0
    product0, product1 = count0 * twice0, count1 * twice1
    below, squares0, squares1, rough0, rough1, ties = sums
    return (
        below + product1,
        squares0 + product0 * twice0,
        squares1 + product1 * twice1,
        rough0 + float(product0) * twice0,
        rough1 + float(product1) * twice1,
        ties + 3.0 * float(count0 * count1) * float(count0 + count1),  # (a + b)^3 - a^3 - b^3
    )


@_exact_jit
def _sum_squares(total, squares, rough, count, others):  # type: ignore[no-untyped-def]
    """Compute the sum of squared deviations of the placements, which are integers divided by twice ``others``.

    ``squares`` is exact modulo 2^64; the missing multiple of 2^64 is derived from ``rough``, the same sum in float64.
    Deviations from the integer next to the mean do not cancel.
    """
    centre = (2 * total + count) // (2 * count)
    remainder = total - count * centre
    exact = squares - 2 * centre * total + count * centre * centre
    roughly = rough - 2.0 * centre * total + float(count) * centre * centre
    about = exact + np.rint((roughly - exact) / _UINT64_RANGE) * _UINT64_RANGE
    return (about - float(remainder) * remainder / count) / (4.0 * others * others)


@_exact_jit
def _tpr_on_grid(a, sa, b, sb, places, tpr):  # type: ignore[no-untyped-def]
    """Write the TPR at the middle of each step of the grid, from the run of negatives at that FPR."""
    negatives, positives = np.int64(sa[len(a)]), np.int64(sb[len(b)])
    run, above, tied, height = np.int64(len(a)), np.int64(0), np.int64(0), 0.0
    for g in range(N_FPR):
        share = (2 * g + 1) * negatives
        rank = negatives - 1 - share // _N_STEPS
        if g == 0 or rank < sa[run]:
            run = (
                rank if sa[run] == run else np.searchsorted(sa[:run], rank, "right") - 1
            )  # equal to rank if no values below are tied
            place = places[run]
            is_tied = place < len(b) and b[place] == a[run]
            above = positives - np.int64(sb[place + is_tied])
            tied = np.int64(sb[place + is_tied]) - np.int64(sb[place])
            height = above / positives
        tpr[g] = height
        if tied:
            passed = share - (negatives - sa[run + 1]) * _N_STEPS
            tpr[g] = (above + passed / (_N_STEPS * np.int64(sa[run + 1] - sa[run])) * tied) / positives
