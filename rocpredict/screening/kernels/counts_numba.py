"""Counts in numba."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocpredict.base.validation import FloatArray
from rocpredict.distributions.misfit import N_FPR
from rocpredict.screening.kernels import counts_numpy as numpy_reading
from rocpredict.screening.kernels.base import Sparse
from rocpredict.screening.kernels.counts import GroupedValues, GroupLayer, RankStatistics
from rocpredict.screening.kernels.moments_numba import numba_jit

jitted = numba_jit()
INDEX_TYPE = np.uint64
"""Of what is indexed in a loop over rows: numba asks of every other index whether it is negative."""
UNIT_RUN = np.uint64(1)


@jitted
def find_valid_end(values, first, last):  # type: ignore[no-untyped-def]
    """Return where the values end and NaN, which are sorted behind all others, begin."""
    if first == last or not np.isnan(values[last - 1]):
        return last
    while first < last:
        middle = (first + last) // 2
        if np.isnan(values[middle]):
            last = middle
        else:
            first = middle + 1
    return first


@jitted
def lower_bound(values, value, low, high):  # type: ignore[no-untyped-def]
    """Return the first place between two whose value is not below the one given."""
    while low < high:
        middle = (low + high) // 2
        if values[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low


@jitted
def run_length_encode_all(values, first, last, zeros, starts):  # type: ignore[no-untyped-def]
    """Keep each distinct value once, a block of zeros among them; ``starts`` counts the values below."""
    starts[0] = 0
    if not zeros:
        runs = run_length_encode(values, first, last, first, starts, 0, 0)
    else:  # sparse parts have a free place before their first value
        cut = lower_bound(values, 0.0, first, last)
        runs = run_length_encode(values, first, cut, first - 1, starts, 0, 0)
        values[first - 1 + runs] = 0.0
        runs += 1
        starts[runs] = cut - first + zeros
        runs = run_length_encode(values, cut, last, first - 1, starts, runs, cut - first + zeros)
    starts[runs + 1] = starts[runs]  # read, and masked, behind the end
    return runs


@jitted
def run_length_encode(values, first, last, base, starts, runs, counted):  # type: ignore[no-untyped-def]
    """Write the distinct values of a stretch behind the runs there are; give how many these are then."""
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


@jitted
def subtract_runs(a, starts_a, b, starts_b, left, starts):  # type: ignore[no-untyped-def]
    """Remove the values ``b`` from those in ``a``, which include them all."""
    j = n_retained = below = 0
    for i in range(len(a)):
        same = j < len(b) and a[i] == b[j]
        count = starts_a[i + 1] - starts_a[i]
        if same:
            count -= starts_b[j + 1] - starts_b[j]
            j += 1
        left[n_retained] = a[i]
        starts[n_retained] = below
        n_retained += count > 0
        below += count
    starts[n_retained] = starts[n_retained + 1] = below
    return n_retained


@jitted
def tie_correction(starts, runs):  # type: ignore[no-untyped-def]
    """Sum t^3 - t over the runs of one class."""
    total = 0.0
    if runs == starts[runs]:
        return total
    for run in range(runs):
        count = float(starts[run + 1] - starts[run])
        total += count * (count * count - 1.0)
    return total


_ROW_TILE, _COLUMN_TILE = 1024, 32
"""Rows and columns of a tile that stays in the cache while its columns are written one after the other."""


def gather(X: NDArray[Any], rows: NDArray[np.int32], columns: slice, out: NDArray[Any]) -> None:
    """Copy the rows, in their order, of some columns into rows of ``out``."""
    if X.dtype not in (np.dtype(np.float32), np.dtype(np.float64)):
        numpy_reading.gather(X, rows, columns, out)
    else:
        _gather(X, rows, columns.start, out)


@jitted
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
    """Copy as the numpy engine's ``partition_csc``. The place before each part and the last of ``values`` are free."""
    last = np.empty_like(first)
    for layer in layers:
        groups = list(layer.groups)
        nowhere = np.full(len(first), len(values) - 1)
        bounds = np.column_stack([first[:, groups], nowhere])
        (_split_two if len(groups) == 2 else _split)(*table, layer.labels, bounds, values)
        last[:, groups] = bounds[:, :-1]
    return last


@jitted
def _split(data, indices, indptr, labels, bounds, values):  # type: ignore[no-untyped-def]
    nobody = bounds.shape[1] - 1
    for c in range(len(bounds)):
        for e in range(INDEX_TYPE(indptr[c]), INDEX_TYPE(indptr[c + 1])):
            value, group = data[e], INDEX_TYPE(labels[INDEX_TYPE(indices[e])])
            place = bounds[c, group]
            values[INDEX_TYPE(place)] = value
            bounds[c, group] = place + ((value != 0) & (group != nobody))


@jitted
def _split_two(data, indices, indptr, labels, bounds, values):  # type: ignore[no-untyped-def]
    """Split without a branch, and without waiting for the end that was written before."""
    for c in range(len(bounds)):
        end0, end1 = INDEX_TYPE(bounds[c, 0]), INDEX_TYPE(bounds[c, 1])
        for e in range(INDEX_TYPE(indptr[c]), INDEX_TYPE(indptr[c + 1])):
            value, group = data[e], labels[INDEX_TYPE(indices[e])]
            values[end0 if group == 0 else end1] = value  # of no group: written over, or in the free place behind
            end0 += INDEX_TYPE((group == 0) & (value != 0))
            end1 += INDEX_TYPE((group == 1) & (value != 0))
        bounds[c, 0], bounds[c, 1] = end0, end1


def count(table: Sparse, layers: Sequence[GroupLayer], shape: tuple[int, int]) -> NDArray[np.int64]:
    """Count what is stored (CSR) for each of ``shape`` columns and groups."""
    counts = np.zeros(shape, dtype=np.int64)
    for layer in layers:
        layer_counts = np.zeros((len(layer.groups) + 1, shape[0]), dtype=np.int64)
        _count(table.indices, table.indptr, layer.labels, layer_counts)
        counts[:, layer.groups] = layer_counts[:-1].T
    return counts


@jitted
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
    """Copy as the numpy engine's ``partition_csr``; ``cursors`` are moved to the first value behind the columns."""
    last, moved = np.empty_like(first), cursors
    for layer in layers:
        bounds = np.full((len(layer.groups) + 1, len(first)), len(values) - 1)
        bounds[:-1] = first[:, layer.groups].T
        moved = cursors.copy()
        _scatter(*table, moved, columns.start, columns.stop, layer.labels, bounds, values)
        last[:, layer.groups] = bounds[:-1].T
    cursors[:] = moved
    return last


@jitted
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
    """Count every feature of a block in every class pair into ``counts``, from sorted parts, which are used up."""
    longest = int((parts.last - parts.first + 3).sum(axis=1).max(initial=0))
    nested = longest if pairs[:, 2].any() else 0
    starts = np.empty(longest, dtype=np.int32), np.empty(nested, dtype=np.int32)
    rest, places = np.empty(nested, dtype=parts.values.dtype), np.empty(longest, dtype=np.int32)
    _tally(parts, starts, rest, places, pairs, thresholds, counts)


@jitted
def _tally(parts, starts, rest, places, pairs, thresholds, counts):  # type: ignore[no-untyped-def]
    features, groups = parts.first.shape
    base, size, offset = np.empty(groups, np.int64), np.empty(groups, np.int64), np.empty(groups, np.int64)
    for f in range(features):
        used = 0
        for g in range(groups):
            first, zeros = parts.first[f, g], parts.zeros[f, g]
            last = find_valid_end(parts.values, first, parts.last[f, g])
            base[g] = first - (zeros > 0)
            offset[g] = used
            size[g] = run_length_encode_all(parts.values, first, last, zeros, starts[0][used:])
            used += size[g] + 2
        for t in range(len(pairs)):
            n, p, nested = pairs[t]
            a, above = parts.values[base[n] : base[n] + size[n]], starts[0][offset[n] :]
            b, sb = parts.values[base[p] : base[p] + size[p]], starts[0][offset[p] :]
            if nested:
                left = subtract_runs(a, above, b, sb, rest, starts[1])
                _class_pair(rest[:left], starts[1], b, sb, places, thresholds[t, f], counts, t, f)
            else:
                _class_pair(a, above, b, sb, places, thresholds[t, f], counts, t, f)


@jitted
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


@jitted
def _rank(values, starts, threshold):  # type: ignore[no-untyped-def]
    """Count the values below a threshold, and those at it."""
    if np.isnan(threshold):
        return 0, 0
    place = lower_bound(values, threshold, 0, len(values))
    at = starts[place + 1] - starts[place] if place < len(values) and values[place] == threshold else 0
    return starts[place], at


@jitted
def _merge(a, sa, b, sb, places):  # type: ignore[no-untyped-def]
    """Sum twice the placement counts of the positives, their squares of both classes, and what ties add.

    ``places`` receives the number of runs of positives below each run of negatives. Two merges run side by side, below
    and above the middle value, since either alone waits for its own last step.
    """
    middle, end, start = INDEX_TYPE(len(a) // 2), INDEX_TYPE(len(a)), INDEX_TYPE(0)
    cut, b_end = INDEX_TYPE(lower_bound(b, a[middle], 0, len(b)) if len(a) else 0), INDEX_TYPE(len(b))
    i, j, k, m = start, start, middle, cut
    sums = (0, 0, 0, 0.0, 0.0, 0.0)
    while (i < middle) & (j < cut) & (k < end) & (m < b_end):
        i, j, sums = _advance(a, sa, b, sb, places, i, j, sums)
        k, m, sums = _advance(a, sa, b, sb, places, k, m, sums)
    sums = _merge_to(a, sa, b, sb, places, i, j, middle, cut, sums)
    return _merge_to(a, sa, b, sb, places, k, m, end, b_end, sums)


@jitted
def _merge_to(a, sa, b, sb, places, i, j, i_end, j_end, sums):  # type: ignore[no-untyped-def]
    while (i < i_end) & (j < j_end):
        i, j, sums = _advance(a, sa, b, sb, places, i, j, sums)
    while i < i_end:
        places[i] = j
        sums = _add(sa, sb, i, j, UNIT_RUN, INDEX_TYPE(0), sums)
        i += UNIT_RUN
    while j < j_end:
        sums = _add(sa, sb, i, j, INDEX_TYPE(0), UNIT_RUN, sums)
        j += UNIT_RUN
    return sums


@jitted
def _advance(a, sa, b, sb, places, i, j, sums):  # type: ignore[no-untyped-def]
    places[i] = j
    take0, take1 = INDEX_TYPE(a[i] <= b[j]), INDEX_TYPE(b[j] <= a[i])
    return i + take0, j + take1, _add(sa, sb, i, j, take0, take1, sums)


@jitted
def _add(sa, sb, i, j, take0, take1, sums):  # type: ignore[no-untyped-def]
    """Add a group of tied values: of the negatives, of the positives, or of both, without a branch."""
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


@jitted
def _sum_squares(total, squares, rough, count, others):  # type: ignore[no-untyped-def]
    """Compute the sum of squares about the mean of whole numbers, each as a share of twice the others.

    ``squares`` is exact but for multiples of 2^64, which the rough sum of the same squares tells. About the whole
    number next to the mean nothing cancels.
    """
    centre = (2 * total + count) // (2 * count)
    remainder = total - count * centre
    exact = squares - 2 * centre * total + count * centre * centre
    roughly = rough - 2.0 * centre * total + float(count) * centre * centre
    about = exact + np.rint((roughly - exact) / _UINT64_RANGE) * _UINT64_RANGE
    return (about - float(remainder) * remainder / count) / (4.0 * others * others)


@jitted
def _tpr_on_grid(a, sa, b, sb, places, tpr):  # type: ignore[no-untyped-def]
    """Write the TPR half-way through each step of the grid, from the run of negatives at that FPR."""
    negatives, positives = np.int64(sa[len(a)]), np.int64(sb[len(b)])
    run, above, tied, height = len(a), np.int64(0), np.int64(0), 0.0
    for g in range(N_FPR):
        share = (2 * g + 1) * negatives
        rank = negatives - 1 - share // _N_STEPS
        if g == 0 or rank < sa[run]:
            run = _run_of(sa, rank, run)
            place = places[run]
            is_tied = place < len(b) and b[place] == a[run]
            above = positives - np.int64(sb[place + is_tied])
            tied = np.int64(sb[place + is_tied]) - np.int64(sb[place])
            height = above / positives
        tpr[g] = height
        if tied:
            passed = share - (negatives - sa[run + 1]) * _N_STEPS
            tpr[g] = (above + passed / (_N_STEPS * np.int64(sa[run + 1] - sa[run])) * tied) / positives


@jitted
def _run_of(starts, rank, high):  # type: ignore[no-untyped-def]
    """Return the run with a rank, known to be below ``high``."""
    if starts[high] == high:  # no ties below
        return rank
    low = 0
    while high - low > 1:
        middle = (low + high) // 2
        if starts[middle] <= rank:
            low = middle
        else:
            high = middle
    return low
