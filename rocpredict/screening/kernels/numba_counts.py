"""Exact rank statistics of the numba engine, computed from sorted values."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocpredict.base.validation import FloatArray
from rocpredict.distributions.ecdf import N_FPR
from rocpredict.screening.kernels.base import ThreadBuffer
from rocpredict.screening.kernels.counts import GroupedValues, RankStatistics, SortGroups
from rocpredict.screening.kernels.numba_sort import (
    MAX_MOVES,
    MAX_PART,
    as_key,
    divide_keys,
    exact_jit,
    insert_values,
    sort_divided,
    sort_keys,
)

INDEX_TYPE = np.uint64
"""Type of indices in loops; numba checks the sign of signed indices each time."""
UNIT_RUN = np.uint64(1)


@exact_jit
def run_length_encode_all(values, first, last, zeros, starts):  # type: ignore[no-untyped-def]
    """Replace sorted values with their distinct values, and return the number of distinct values.

    ``zeros`` is the number of zeros that are not stored in ``values``. On return, ``starts`` contains the number of
    values below each distinct value, followed by the total number of values.
    """
    starts[0] = 0
    if not zeros:
        runs = run_length_encode(values, first, last, first, starts, 0, 0)
    else:  # sparse parts have an unused element before their first value
        cut = first + np.searchsorted(values[first:last], 0.0)
        runs = run_length_encode(values, first, cut, first - 1, starts, 0, 0)
        values[first - 1 + runs] = 0.0
        runs += 1
        starts[runs] = cut - first + zeros
        runs = run_length_encode(values, cut, last, first - 1, starts, runs, cut - first + zeros)
    starts[runs + 1] = starts[runs]  # _add_ties reads this element and masks it
    return runs


@exact_jit
def run_length_encode(values, first, last, base, starts, runs, counted):  # type: ignore[no-untyped-def]
    """Append the distinct values of ``values[first:last]`` to the runs, and return the number of runs."""
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


@exact_jit
def tie_correction(starts, runs):  # type: ignore[no-untyped-def]
    """Return the sum of t^3 - t over the runs of one class, where t is the length of a run."""
    total = 0.0
    if runs == starts[runs]:
        return total
    for run in range(runs):
        count = float(starts[run + 1] - starts[run])
        total += count * (count * count - 1.0)
    return total


_UINT64_RANGE = 2.0**64
_N_STEPS = 2 * N_FPR


_CHUNK = 1_024
_MIN_UNTIED, _MAX_UNTIED = 2**13, 2**26
"""Limits of the class sizes for which ``_count_untied`` is used.

Smaller classes are counted faster as runs of equal values. In larger classes, the sum of ``_CHUNK`` squared ranks could
reach 2^63."""
_MIN_TOGETHER = 2**16
"""Smallest number of rows for which ``count_two_classes`` is used."""
_MAX_EXACT = 2**53
"""Largest sum of integers that is exact as float64, whatever the order of the integers."""
_N_SAMPLE = 128
"""Number of values that are checked for ties before all values are sorted."""
_MIN_ROUGH = 2**20
"""With fewer values than this, sums of squared ranks are below 2^62, so that 64-bit integers are exact."""
_BEFORE, _END, _RANK, _STEP, _TOTAL, _SQUARES0, _SQUARES1, _POSITIVES = range(8)
"""Columns of the state of a class while values are read in ascending order.

The columns are the number of values of this class so far, the number of values of other classes up to the last of them,
the rank and the grid point of the next TPR, the sum of doubled ranks, the sums of squared doubled ranks of the other
classes and of this class, and the number of all values of this class."""
JOINS_CLASSES = True
"""True if the engine joins and sorts the values of single classes itself."""
_SIGN, _LOW_BITS, _ALL_BITS = np.uint64(2**31), np.uint64(2**32 - 1), np.uint64(2**64 - 1)


def count_class_pairs(
    parts: GroupedValues, groups: SortGroups, thresholds: FloatArray, counts: RankStatistics, memory: ThreadBuffer
) -> None:
    """Compute the rank statistics for each feature and class pair in a block, using the sorted values of the block.

    The arrays of ``parts`` are overwritten.
    """
    pairs, places = groups.pairs, np.arange(len(groups.pairs))
    nested = pairs[:, 2] == 1
    with np.errstate(over="ignore"):  # without compilation, NumPy would warn of the intended integer overflow
        for union, members in enumerate(groups.unions):
            own = nested & (pairs[:, 0] == union)
            pair_of = np.full(len(members), -1)
            pair_of[np.searchsorted(members, pairs[own, 1])] = places[own]
            _count_union(parts, members, pair_of, thresholds, counts)
        if not nested.all():
            longest = int((parts.last - parts.first + 3).sum(axis=1).max(initial=0))
            starts, room = memory.allocate(2 * longest, np.dtype(np.float32)).view(np.int32).reshape(2, longest)
            _tally(parts, starts, room, pairs, thresholds, counts)


def _count_union(
    parts: GroupedValues,
    members: NDArray[np.intp],
    pair_of: NDArray[np.intp],
    thresholds: FloatArray,
    counts: RankStatistics,
) -> None:
    """Compute the rank statistics of several classes, each against the others, from the sorted values of all classes.

    ``pair_of`` contains, for each class, the index of the class pair in which this class is positive, or -1.
    """
    chosen = (part if part.shape[1] == 1 else part[:, members] for part in parts[1:4])
    first, last, zeros = map(np.ascontiguousarray, chosen)
    longest = int((last - first).sum(axis=1).max(initial=0))
    keys, joined = (tuple(np.empty((2, longest), dtype)) for dtype in (np.uint64, parts.values.dtype))
    labels, ranks = tuple(np.empty((2, longest), np.int32)), np.empty((len(members), 3), np.int64)
    at = np.ascontiguousarray(np.where(pair_of >= 0, thresholds.T[:, pair_of], np.nan))
    places = first, last, zeros
    if parts.rows is None:
        _count_features(parts.values, places, at, pair_of, keys, joined, labels, ranks, counts)
    else:
        arrays = (parts.values, parts.rows, parts.labels)
        _count_stored(arrays, places, at, pair_of, keys, joined, labels, ranks, counts)


@exact_jit
def _count_features(values, places, at, pair_of, keys, joined, labels, ranks, counts):  # type: ignore[no-untyped-def]
    """Compute the rank statistics of the classes of each feature, from the sorted values of each class."""
    first, last, zeros = places
    for f in range(len(first)):
        n = _join(values, first[f], last[f], at[f], joined[0], labels[0], ranks)
        _sort_joined(keys[0][:n], keys[1][:n], joined[0][:n], labels[0][:n], joined[1][:n], labels[1][:n])
        _one_pass(joined[1][:n], labels[1][:n], zeros[f], ranks, pair_of, at[f], counts, f)


@exact_jit
def _count_stored(arrays, places, at, pair_of, keys, joined, labels, ranks, counts):  # type: ignore[no-untyped-def]
    """Compute the rank statistics of the classes of each feature, from the stored values of a sparse matrix."""
    values, rows, groups = arrays
    first, last, zeros = places
    for f in range(len(first)):
        start, stop, n_zeros = first[f, 0], last[f, 0], zeros[f].copy()
        n = _join_rows(values[start:stop], rows[start:stop], groups, at[f], joined[0], labels[0], ranks, n_zeros)
        _sort_joined(keys[0][:n], keys[1][:n], joined[0][:n], labels[0][:n], joined[1][:n], labels[1][:n])
        _one_pass(joined[1][:n], labels[1][:n], n_zeros, ranks, pair_of, at[f], counts, f)


@exact_jit
def _sort_joined(keys, sorted_keys, values, labels, out, out_labels):  # type: ignore[no-untyped-def]
    """Write values and their labels to ``out`` and ``out_labels`` in the order of the values."""
    if values.itemsize == 4:  # integers contain value and class
        low, high = _pack(values.view(np.uint32), labels, keys)
        sort_keys(keys, sorted_keys, low, high)
        _unpack(sorted_keys, out.view(np.uint32), out_labels)
        return
    low, high = _pack_places(values.view(np.uint64), keys)  # leading bits of the value, and its position
    sort_keys(keys, sorted_keys, low, high)
    if not _pick(sorted_keys, values, labels, out, out_labels):
        _reorder(values, labels, np.argsort(values), out, out_labels)


@exact_jit
def _end_of_numbers(values, first, last):  # type: ignore[no-untyped-def]
    """Return the index after the last value that is not missing."""
    if first < last and np.isnan(values[last - 1]):
        return first + np.searchsorted(values[first:last], np.nan)
    return last


@exact_jit
def _join(values, first, last, at, out, labels, ranks):  # type: ignore[no-untyped-def]
    """Copy all values except NaN, and count the values of each class.

    The values below the threshold of the class and the values equal to it are counted, too.
    """
    n = INDEX_TYPE(0)
    for k in range(len(first)):
        start, below, tied, threshold = n, 0, 0, at[k]
        for i in range(INDEX_TYPE(first[k]), INDEX_TYPE(last[k])):
            value = values[i]
            out[n], labels[n] = value, k
            n += INDEX_TYPE(value == value)  # noqa: PLR0124  (NaN is overwritten)
            below += np.float64(value) < threshold
            tied += np.float64(value) == threshold
        ranks[k, 0], ranks[k, 1], ranks[k, 2] = np.int64(n - start), below, tied
    return np.int64(n)


@exact_jit
def _join_rows(values, rows, groups, at, out, labels, ranks, zeros):  # type: ignore[no-untyped-def]
    """Copy and count values as ``_join`` does, and subtract the counts of stored values from ``zeros``."""
    n, classes = INDEX_TYPE(0), len(zeros)
    ranks[:] = 0
    for i in range(len(values)):
        k, value = groups[INDEX_TYPE(rows[i])], values[i]
        if k < classes and value != 0:
            out[n], labels[n] = value, k
            is_number, number = value == value, np.float64(value)  # noqa: PLR0124
            n += INDEX_TYPE(is_number)
            zeros[k] -= 1
            ranks[k, 0] += is_number
            ranks[k, 1] += number < at[k]
            ranks[k, 2] += number == at[k]
    return np.int64(n)


@exact_jit
def _pack(bits, labels, keys):  # type: ignore[no-untyped-def]
    """Encode each float32 value and its class as an integer, and return the smallest and the largest integer.

    The integers have the order of the values, because the class is in the low bits.
    """
    low, high = ~np.uint64(0), np.uint64(0)
    for i in range(len(bits)):
        bit = np.uint64(bits[i])
        bit = np.uint64(0) if bit == _SIGN else bit  # -0.0 is equal to 0.0
        key = ((bit ^ _LOW_BITS if bit & _SIGN else bit | _SIGN) << np.uint64(32)) | np.uint64(labels[i])
        keys[i] = key
        low, high = min(low, key), max(high, key)
    return min(low, high), high


@exact_jit
def _unpack(keys, bits, labels):  # type: ignore[no-untyped-def]
    for i in range(len(keys)):
        key = keys[i] >> np.uint64(32)
        bits[i] = key ^ (_SIGN if key & _SIGN else _LOW_BITS)
        labels[i] = np.int32(keys[i] & _LOW_BITS)


@exact_jit
def _pack_places(bits, keys):  # type: ignore[no-untyped-def]
    """Encode the leading bits and position of each float64 value as an integer, and return bounds of the integers."""
    low, high, n_bits, width = ~np.uint64(0), np.uint64(0), np.uint64(0), np.uint64(0)
    for i in range(len(bits)):
        key = as_key(bits[i])
        low, high = min(low, key), max(high, key)
    while len(bits) >> n_bits:
        n_bits += UNIT_RUN
    low = min(low, high)
    while width < np.uint64(64) and (high - low) >> width:
        width += UNIT_RUN
    dropped = width + n_bits - np.uint64(64) if width + n_bits > np.uint64(64) else np.uint64(0)
    for i in range(len(bits)):
        keys[i] = (((as_key(bits[i]) - low) >> dropped) << n_bits) | np.uint64(i)
    return np.uint64(0), (((high - low) >> dropped) << n_bits) | ((UNIT_RUN << n_bits) - UNIT_RUN)


@exact_jit
def _pick(keys, values, labels, out, out_labels):  # type: ignore[no-untyped-def]
    """Copy values and labels in the order of keys from ``_pack_places``, and correct the order of close values.

    Returns False if too many values are out of order.
    """
    n_bits = np.uint64(0)
    while len(keys) >> n_bits:
        n_bits += UNIT_RUN
    mask = (UNIT_RUN << n_bits) - UNIT_RUN
    for i in range(len(keys)):
        place = keys[i] & mask
        out[i], out_labels[i] = values[place], labels[place]
    return insert_values(out[: len(keys)], out_labels)


@exact_jit
def _reorder(values, labels, order, out, out_labels):  # type: ignore[no-untyped-def]
    for i in range(len(order)):
        place = INDEX_TYPE(order[i])
        out[i], out_labels[i] = values[place], labels[place]


@exact_jit
def _one_pass(values, labels, zeros, own, pair_of, thresholds, counts, f):  # type: ignore[no-untyped-def]
    """Compute the rank statistics of each class against the others, in one pass over all values in ascending order.

    The integer sums are the same as in ``_class_pair``. For each class, ``own`` contains the total number of stored
    values, the number below its threshold and the number equal to it. ``zeros`` contains the number of zeros that are
    not stored.
    """
    classes, n_zeros = len(pair_of), zeros.sum()
    n_all = n_zeros + len(values)
    state, rough, in_run = _first_state(zeros, own, pair_of, n_all), np.zeros((classes, 2)), np.zeros(classes, np.int64)
    n_negative_values = np.int64(np.searchsorted(values, 0.0)) if n_zeros else np.int64(-1)
    is_large = n_all >= _MIN_ROUGH
    below, ties, i = np.int64(0), 0.0, np.int64(0)
    while i < len(values) or n_negative_values >= 0:
        count = np.int64(1)
        if i == n_negative_values:
            for k in range(classes):
                if zeros[k]:
                    _add_run(k, zeros[k], n_zeros, below, n_all, state, rough, pair_of, counts, f)
            count, n_negative_values = n_zeros, np.int64(-1)
        elif i + 1 < len(values) and values[i + 1] == values[i]:
            j = i + 2
            while j < len(values) and values[j] == values[i]:
                j += 1
            count = np.int64(j - i)
            _add_ties_of_classes(labels[i:j], in_run, below, n_all, state, rough, pair_of, counts, f)
            i = j
        else:  # _add_run of one value
            own_state, i = state[INDEX_TYPE(labels[i])], i + 1
            before = own_state[_BEFORE]
            low = below - before
            twice, twice1 = 2 * before, 2 * low
            product0 = (low - own_state[_END]) * twice
            own_state[_TOTAL] += twice1
            own_state[_SQUARES0] += product0 * twice
            own_state[_SQUARES1] += twice1 * twice1
            own_state[_BEFORE], own_state[_END] = before + 1, low
            if is_large:
                rough[labels[i - 1], 0] += float(product0) * twice
                rough[labels[i - 1], 1] += float(twice1) * twice1
            rank = own_state[_RANK]
            while rank < low:
                step, positives = own_state[_STEP], own_state[_POSITIVES]
                counts.tpr_grid[pair_of[labels[i - 1]], f, step] = (positives - before) / positives
                rank = _negative_rank(n_all - positives, step - 1) if step else n_all
                own_state[_STEP], own_state[_RANK] = step - 1, rank
        if count > 1:
            ties += float(count) * (float(count) * float(count) - 1.0)
        below += count
    for k in range(classes):
        if pair_of[k] >= 0:
            at = thresholds[k]
            zeros_below, zeros_tied = zeros[k] * (at > 0), zeros[k] * (at == 0)
            ranks = _count_at(values, n_zeros, at), (own[k, 1] + zeros_below, own[k, 2] + zeros_tied)
            _finish_class(k, pair_of[k], f, n_all, ties, ranks, state, rough, counts)


@exact_jit
def _first_state(zeros, own, pair_of, n_all):  # type: ignore[no-untyped-def]
    """Return the state of the classes before the first value."""
    state = np.zeros((len(pair_of), 8), np.int64)
    for k in range(len(pair_of)):
        positives = zeros[k] + own[k, 0]
        is_counted = pair_of[k] >= 0 and 0 < positives < n_all
        state[k, _STEP] = N_FPR - 1 if is_counted else -1
        state[k, _RANK] = _negative_rank(n_all - positives, N_FPR - 1) if is_counted else n_all
        state[k, _POSITIVES] = positives
    return state


@exact_jit
def _add_ties_of_classes(labels, in_run, below, n_all, state, rough, pair_of, counts, f):  # type: ignore[no-untyped-def]
    for k in labels:
        in_run[k] += 1
    for k in labels:
        if in_run[k]:
            _add_run(k, in_run[k], len(labels), below, n_all, state, rough, pair_of, counts, f)
            in_run[k] = 0


@exact_jit
def _finish_class(k, t, f, n_all, ties, ranks, state, rough, counts):  # type: ignore[no-untyped-def]
    """Write the rank statistics of a class after all values have been processed."""
    total, end, positives = state[k, _TOTAL], state[k, _END], state[k, _POSITIVES]
    negatives = n_all - positives
    if n_all < _MIN_ROUGH:
        rough[k, 0], rough[k, 1] = float(state[k, _SQUARES0]), float(state[k, _SQUARES1])
    (all_below, all_tied), (below, tied) = ranks
    counts.negatives[t, f], counts.positives[t, f], counts.ties[t, f] = negatives, positives, ties
    counts.negatives_below[t, f], counts.negatives_tied[t, f] = all_below - below, all_tied - tied
    counts.positives_below[t, f], counts.positives_tied[t, f] = below, tied
    if negatives and positives:
        product0, pairs = (negatives - end) * 2 * positives, 2 * negatives * positives
        squares0 = state[k, _SQUARES0] + product0 * 2 * positives
        rough0 = rough[k, 0] + float(product0) * 2.0 * positives
        squares1 = state[k, _SQUARES1]
        counts.area[t, f] = total / pairs
        counts.negative_sum_squares[t, f] = _sum_squares(pairs - total, squares0, rough0, negatives, positives)
        counts.positive_sum_squares[t, f] = _sum_squares(total, squares1, rough[k, 1], positives, negatives)
        counts.tpr_grid[t, f, : state[k, _STEP] + 1] = 0.0


@exact_jit
def _count_at(values, zeros, threshold):  # type: ignore[no-untyped-def]
    """Count the values below a threshold and the values equal to it, including zeros that are not stored."""
    if np.isnan(threshold):
        return 0, 0
    below, to = np.searchsorted(values, threshold), np.searchsorted(values, threshold, "right")
    return below + zeros * (threshold > 0), to - below + zeros * (threshold == 0)


@exact_jit
def _negative_rank(negatives, step):  # type: ignore[no-untyped-def]
    """Return the rank of the negative value that corresponds to the FPR in the middle of a grid step."""
    return negatives - 1 - (2 * step + 1) * negatives // _N_STEPS


@exact_jit
def _add_run(k, count1, count, below, n_all, state, rough, pair_of, counts, f):  # type: ignore[no-untyped-def]
    """Add a run of tied values with ``count1`` values of class k, and write the TPRs of class k for this run."""
    before = state[k, _BEFORE]
    low, count0 = below - before, count - count1
    gap, twice, tied_twice, twice1 = low - state[k, _END], 2 * before, 2 * before + count1, 2 * low + count0
    product0, tied_product, product1 = gap * twice, count0 * tied_twice, count1 * twice1
    state[k, _TOTAL] += product1
    state[k, _SQUARES0] += product0 * twice + tied_product * tied_twice
    state[k, _SQUARES1] += product1 * twice1
    rough[k, 0] += float(product0) * twice + float(tied_product) * tied_twice
    rough[k, 1] += float(product1) * twice1
    state[k, _BEFORE], state[k, _END] = before + count1, low + count0
    if state[k, _RANK] < low + count0:
        _write_tpr(k, low, before, count0, count1, n_all, state, pair_of, counts, f)


@exact_jit
def _write_tpr(k, low, before, count0, count1, n_all, state, pair_of, counts, f):  # type: ignore[no-untyped-def]
    """Write the TPRs of class k at the grid points that a run with ``count0`` negatives has passed."""
    positives, step, rank, t = state[k, _POSITIVES], state[k, _STEP], state[k, _RANK], pair_of[k]
    negatives = n_all - positives
    while rank < low + count0:
        tpr = (positives - before) / positives
        if rank >= low:
            passed = (2 * step + 1) * negatives - (negatives - low - count0) * _N_STEPS
            tpr = (positives - before - count1 + passed / (_N_STEPS * count0) * count1) / positives
        counts.tpr_grid[t, f, step] = tpr
        step -= 1
        rank = _negative_rank(negatives, step) if step >= 0 else n_all
    state[k, _STEP], state[k, _RANK] = step, rank


@exact_jit
def _tally(parts, starts, places, pairs, thresholds, counts):  # type: ignore[no-untyped-def]
    features, groups = parts.first.shape
    base, size, offset = np.empty(groups, np.int64), np.empty(groups, np.int64), np.empty(groups, np.int64)
    for f in range(features):
        if len(pairs) == 1 and not pairs[0, 2] and _count_untied(parts, places, pairs[0], thresholds[0, f], counts, f):
            continue
        used = 0
        for g in range(groups):
            first, zeros = parts.first[f, g], parts.zeros[f, g]
            last = _end_of_numbers(parts.values, first, parts.last[f, g])
            base[g] = first - (zeros > 0)
            offset[g] = used
            size[g] = run_length_encode_all(parts.values, first, last, zeros, starts[used:])
            used += size[g] + 2
        for t in range(len(pairs)):
            n, p, nested = pairs[t]
            if not nested:
                a, sa = parts.values[base[n] : base[n] + size[n]], starts[offset[n] :]
                b, sb = parts.values[base[p] : base[p] + size[p]], starts[offset[p] :]
                _class_pair(a, sa, b, sb, places, thresholds[t, f], counts, t, f)


@exact_jit
def _count_untied(parts, places, pair, threshold, counts, f):  # type: ignore[no-untyped-def]
    """Write the rank statistics of a feature without ties and return True; return False for other features."""
    n, p = pair[0], pair[1]
    if parts.zeros[f, n] or parts.zeros[f, p]:
        return False
    a = parts.values[parts.first[f, n] : _end_of_numbers(parts.values, parts.first[f, n], parts.last[f, n])]
    b = parts.values[parts.first[f, p] : _end_of_numbers(parts.values, parts.first[f, p], parts.last[f, p])]
    negatives, positives = len(a), len(b)
    if not (_MIN_UNTIED < negatives < _MAX_UNTIED and _MIN_UNTIED < positives < _MAX_UNTIED):
        return False
    if _has_ties(a) or _has_ties(b) or _count_below(a, b, places):
        return False
    counts.negatives_below[0, f], counts.negatives_tied[0, f] = _count_at(a, 0, threshold)
    counts.positives_below[0, f], counts.positives_tied[0, f] = _count_at(b, 0, threshold)
    _write_counts(places[:positives], negatives, np.zeros(5, np.int64), np.zeros(2), counts, f)
    return True


def count_two_classes(
    table: NDArray[Any], labels: NDArray[np.uint8], thresholds: FloatArray, counts: RankStatistics, memory: ThreadBuffer
) -> NDArray[np.bool_]:
    """Compute the rank statistics of long features with few ties, and return a mask of these features.

    Parameters
    ----------
    table : array of shape (b, n)
        Values of b features, as float64.
    labels : array of shape (n,)
        0 for negatives and 1 for positives.
    thresholds : array of shape (b,)
        Threshold of each feature, or NaN.
    counts : RankStatistics
        Statistics of one class pair, as ``empty_counts`` returns them.
    memory : ThreadBuffer
        Memory for temporary arrays.
    """
    is_done, n, longest = np.zeros(len(table), dtype=bool), len(labels), min(len(labels), MAX_PART)
    if n < _MIN_TOGETHER:
        return is_done
    table = table.view()
    table.flags.writeable = False  # so that functions are compiled only once
    keys = memory.allocate(n + longest + n // 2 + 1, np.dtype(np.float64)).view(np.uint64)
    arrays = keys[:n], keys[n : n + longest], keys[n + longest :].view(np.int32)
    n_positives = np.count_nonzero(labels)
    with np.errstate(over="ignore"):
        for f in range(len(table)):
            is_done[f] = _count_feature(table[f], labels, n_positives, thresholds[f], *arrays, counts, f)
    return is_done


_TWICE, _NEGATIVE_SQUARES, _POSITIVE_SQUARES, _TIES, _NEXT_STEP = range(5)
"""Elements of the corrections for ties, and the next grid point whose TPR may be in a run of ties."""


@exact_jit
def _count_feature(values, labels, n_positives, threshold, keys, other, places, counts, f):  # type: ignore[no-untyped-def]
    """Write the rank statistics of a feature with few ties and return True; return False for other features.

    The values of both classes are sorted together. The last bit of each key is the class.
    """
    if _has_ties(np.sort(values[:_N_SAMPLE])):
        return False
    ends, low, shift, is_divided = divide_keys(values, labels, keys)
    if not is_divided:
        return False
    n_numbers, positives = np.int64(ends[len(ends) - 2]), np.int64(n_positives)
    for key in keys[n_numbers:]:  # missing values
        positives -= np.int64(key & UNIT_RUN)
    negatives = n_numbers - positives
    if not (0 < negatives < _MAX_UNTIED and 0 < positives < _MAX_UNTIED):
        return False
    at = as_key(np.float64(threshold + 0.0).view(np.uint64))  # 0.0 if the threshold is -0.0
    has_part = not np.isnan(threshold) and at >= low
    ranks, at_part = np.zeros((2, 2), np.int64), (at - low) >> shift if has_part else _ALL_BITS
    sums, rough, start, below0, below1 = np.zeros(5, np.int64), np.zeros(2), np.int64(0), INDEX_TYPE(0), INDEX_TYPE(0)
    sums[_NEXT_STEP] = N_FPR - 1
    for d in range(INDEX_TYPE(len(ends) - 1)):
        stop = np.int64(ends[d])
        if stop == start and d != at_part:
            continue  # most parts near 0 are empty
        part = keys[start:stop]
        if d == at_part:
            _count_at_key(part, (at - low) << UNIT_RUN, below0, below1, ranks)
        if len(part):
            sort_divided(part, other[: len(part)])
            negatives_before, positives_before = below0, below1
            below0, below1, is_ranked, has_ties = _rank_part(part, places, below0, below1)
            if not is_ranked:
                return False
            if has_ties:
                before = np.int64(negatives_before), np.int64(positives_before)
                _correct_ties(part, before, (negatives, positives), sums, rough, counts.tpr_grid[0, f])
        start = stop
    if sums[_TIES] > _MAX_EXACT:
        return False
    if has_part and at_part >= len(ends) - 1:
        ranks[0, 0], ranks[1, 0] = negatives, positives
    counts.negatives_below[0, f], counts.negatives_tied[0, f] = ranks[0]
    counts.positives_below[0, f], counts.positives_tied[0, f] = ranks[1]
    _write_counts(places[:positives], negatives, sums, rough, counts, f)
    return True


@exact_jit
def _correct_ties(keys, before, sizes, sums, rough, tpr):  # type: ignore[no-untyped-def]
    """Add to ``sums`` and ``rough`` what ties change, and write the TPRs at grid points within a run of ties.

    The sums are corrected as if each negative had been below the positives that are tied with it. ``before`` contains
    the numbers of negatives and of positives in the parts before this one.
    """
    (below0, below1), (negatives, positives) = before, sizes
    i, n = np.int64(0), np.int64(len(keys))
    while i < n:
        j, count1 = i + 1, np.int64(keys[i] & UNIT_RUN)
        while j < n and keys[j] | UNIT_RUN == keys[i] | UNIT_RUN:
            count1 += np.int64(keys[j] & UNIT_RUN)
            j += 1
        count, count0 = j - i, j - i - count1
        sums[_TIES] += count * (count * count - 1)
        if count0 and count1:
            pairs, squares0, squares1 = count0 * count1, 4 * below1 + count1, count0 - 4 * (below0 + count0)
            sums[_TWICE] -= pairs
            sums[_NEGATIVE_SQUARES] += pairs * squares0
            sums[_POSITIVE_SQUARES] += pairs * squares1
            rough[0] += float(pairs) * squares0
            rough[1] += float(pairs) * squares1
            step = sums[_NEXT_STEP]
            while step >= 0 and _negative_rank(negatives, step) < below0 + count0:
                if _negative_rank(negatives, step) >= below0:
                    passed = (2 * step + 1) * negatives - (negatives - below0 - count0) * _N_STEPS
                    above = positives - below1 - count1
                    tpr[step] = (above + passed / (_N_STEPS * count0) * count1) / positives
                step -= 1
            sums[_NEXT_STEP] = step
        below0, below1, i = below0 + count0, below1 + count1, j


@exact_jit
def _count_at_key(keys, at, negatives, positives, ranks):  # type: ignore[no-untyped-def]
    """Count the keys of each class below a threshold and the keys equal to it; the last bit of ``at`` is 0."""
    ranks[0, 0], ranks[1, 0] = np.int64(negatives), np.int64(positives)
    for key in keys:
        ranks[np.int64(key & UNIT_RUN), 0] += key < at
        ranks[np.int64(key & UNIT_RUN), 1] += key | UNIT_RUN == at | UNIT_RUN


@exact_jit
def _rank_part(keys, places, negatives, positives):  # type: ignore[no-untyped-def]
    """Sort keys that are almost in order, and write the number of negatives below each positive or tied with it.

    ``negatives`` and ``positives`` are the numbers of keys in the earlier parts. The first two results also count the
    keys of this part. The third result is False if the insertion sort needs too many moves. The last result is True if
    there are ties.
    """
    i, n, before, n_moves, has_ties = INDEX_TYPE(0), INDEX_TYPE(len(keys)), INDEX_TYPE(0), np.int64(0), False
    while i < n:
        key = keys[i]
        if i and (key | UNIT_RUN) <= before:
            j = i
            while j and keys[j - UNIT_RUN] > key:
                keys[j] = keys[j - UNIT_RUN]
                is_positive = keys[j] & UNIT_RUN
                positives -= is_positive
                negatives -= is_positive ^ UNIT_RUN
                j -= UNIT_RUN
            keys[j] = key
            n_moves += np.int64(i - j)
            if n_moves > MAX_MOVES * len(keys):
                return negatives, positives, False, has_ties
            if j and (keys[j - UNIT_RUN] | UNIT_RUN) == (key | UNIT_RUN):
                has_ties = True
            i = j
        is_positive = key & UNIT_RUN
        places[positives] = negatives
        positives += is_positive
        negatives += is_positive ^ UNIT_RUN
        before = key | UNIT_RUN
        i += UNIT_RUN
    return negatives, positives, True, has_ties


@exact_jit
def _write_counts(places, negatives, ties, rough_ties, counts, f):  # type: ignore[no-untyped-def]
    """Write the rank statistics of a feature from the number of negatives below each positive.

    ``places`` counts negatives that are tied with a positive as below it; ``ties`` and ``rough_ties`` correct for this.
    TPRs that have been written are kept.

    The integer sums are the same as in ``_class_pair``. They follow from i_j, the number of negatives below positive j.
    For each of the n negatives, the number of positives below it is squared. The sum of these squares equals the sum of
    (2 j + 1) (n - i_j) over j.
    """
    positives = len(places)
    total, squares, products, rough_squares, rough_products = np.int64(0), np.int64(0), np.int64(0), 0.0, 0.0
    for start in range(0, positives, _CHUNK):
        chunk_squares, chunk_products = np.int64(0), np.int64(0)
        for j in range(start, min(start + _CHUNK, positives)):
            below = np.int64(places[j])
            total += below
            chunk_squares += below * below
            chunk_products += below * j
        squares += chunk_squares
        products += chunk_products
        rough_squares += float(chunk_squares)
        rough_products += float(chunk_products)
    others = negatives * positives * positives - 2 * products - total
    rough_others = float(negatives) * positives * positives - 2.0 * rough_products - float(total)
    pairs, twice = 2 * negatives * positives, 2 * total + ties[_TWICE]
    squares0, rough0 = 4 * others + ties[_NEGATIVE_SQUARES], 4.0 * rough_others + rough_ties[0]
    squares1, rough1 = 4 * squares + ties[_POSITIVE_SQUARES], 4.0 * rough_squares + rough_ties[1]
    counts.negatives[0, f], counts.positives[0, f], counts.ties[0, f] = negatives, positives, float(ties[_TIES])
    counts.area[0, f] = twice / pairs
    counts.negative_sum_squares[0, f] = _sum_squares(pairs - twice, squares0, rough0, negatives, positives)
    counts.positive_sum_squares[0, f] = _sum_squares(twice, squares1, rough1, positives, negatives)
    for g in range(N_FPR):
        if np.isnan(counts.tpr_grid[0, f, g]):
            above = positives - np.searchsorted(places, _negative_rank(negatives, g), "right")
            counts.tpr_grid[0, f, g] = above / positives


@exact_jit
def _has_ties(values):  # type: ignore[no-untyped-def]
    for start in range(0, len(values) - 1, _CHUNK):
        left = values[start : min(start + _CHUNK, len(values) - 1)]
        right, n_ties = values[start + 1 : start + 1 + len(left)], 0
        for i in range(len(left)):
            n_ties += left[i] == right[i]
        if n_ties:
            return True
    return False


@exact_jit
def _count_below(a, b, places):  # type: ignore[no-untyped-def]
    """Write the number of values of ``a`` below each value of ``b``, and return whether the classes share a value.

    Four independent merges run in the same loop, so that the processor can overlap their steps. Each step moves forward
    by one value in one class; after ``n_steps`` steps, one class has no more values.
    """
    below, above = np.searchsorted(b, a[-1]), np.searchsorted(a, b[-1])
    n_steps = len(a) + below if below < len(b) else len(b) + above
    quarter = n_steps // 4
    i0, i1, end = INDEX_TYPE(0), _split_merge(a, b, quarter), INDEX_TYPE(quarter)
    i2, i3 = _split_merge(a, b, 2 * quarter), _split_merge(a, b, 3 * quarter)
    j0, j1, j2, j3 = INDEX_TYPE(0), end - i1, end + end - i2, end + end + end - i3
    starts = j1, j2, j3
    n_ties = INDEX_TYPE(0)
    for _ in range(end):
        x0, x1, x2, x3, y0, y1, y2, y3 = a[i0], a[i1], a[i2], a[i3], b[j0], b[j1], b[j2], b[j3]
        places[j0], places[j1], places[j2], places[j3] = i0, i1, i2, i3
        n_ties += INDEX_TYPE(x0 == y0) + INDEX_TYPE(x1 == y1) + INDEX_TYPE(x2 == y2) + INDEX_TYPE(x3 == y3)
        t0, t1, t2, t3 = INDEX_TYPE(x0 < y0), INDEX_TYPE(x1 < y1), INDEX_TYPE(x2 < y2), INDEX_TYPE(x3 < y3)
        i0, i1, i2, i3 = i0 + t0, i1 + t1, i2 + t2, i3 + t3
        j0, j1, j2, j3 = j0 + (t0 ^ UNIT_RUN), j1 + (t1 ^ UNIT_RUN), j2 + (t2 ^ UNIT_RUN), j3 + (t3 ^ UNIT_RUN)
    for j in starts:  # the merge before this one has also written to this position
        places[j] = np.searchsorted(a, b[j])
    while j3 < INDEX_TYPE(len(b)):
        while i3 < INDEX_TYPE(len(a)) and a[i3] < b[j3]:
            i3 += UNIT_RUN
        n_ties += INDEX_TYPE(i3 < INDEX_TYPE(len(a)) and a[i3] == b[j3])
        places[j3] = i3
        j3 += UNIT_RUN
    return n_ties > 0


@exact_jit
def _split_merge(a, b, n_steps):  # type: ignore[no-untyped-def]
    """Return the number of values of ``a`` among the ``n_steps`` smallest values of ``a`` and ``b``."""
    low, high = max(0, n_steps - len(b)), min(n_steps, len(a))
    while low < high:
        middle = (low + high) // 2
        if a[middle] < b[n_steps - 1 - middle]:
            low = middle + 1
        else:
            high = middle
    return INDEX_TYPE(low)


@exact_jit
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


@exact_jit
def _rank(values, starts, threshold):  # type: ignore[no-untyped-def]
    """Count the values below a threshold and the values equal to it."""
    if np.isnan(threshold):
        return 0, 0
    place = np.searchsorted(values, threshold)
    at = starts[place + 1] - starts[place] if place < len(values) and values[place] == threshold else 0
    return starts[place], at


@exact_jit
def _merge(a, sa, b, sb, places):  # type: ignore[no-untyped-def]
    """Return sums over all values, from which the AUC, its variance and the tie correction are computed.

    The placement count of a value is the number of values of the other class below it; ties count 1/2. The result
    contains the sum of the doubled placement counts of the positives, the sum of squared doubled placement counts in
    each class (as integers and as floats), and the part of the tie correction that is due to ties between the classes.
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


@exact_jit
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


@exact_jit
def _advance(a, sa, b, sb, places, i, j, sums):  # type: ignore[no-untyped-def]
    places[i] = j
    take0, take1 = INDEX_TYPE(a[i] <= b[j]), INDEX_TYPE(b[j] <= a[i])
    return i + take0, j + take1, _add_ties(sa, sb, i, j, take0, take1, sums)


@exact_jit
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


@exact_jit
def _sum_squares(total, squares, rough, count, others):  # type: ignore[no-untyped-def]
    """Compute the sum of squared deviations of placement values from their mean.

    A placement value is an integer divided by twice ``others``. ``squares`` is the sum of the squared integers, exact
    modulo 2^64. The missing multiple of 2^64 is derived from ``rough``, the same sum in float64. The deviations are
    computed from the integer next to the mean, so that few digits cancel.
    """
    centre = (2 * total + count) // (2 * count)
    remainder = total - count * centre
    exact = squares - 2 * centre * total + count * centre * centre
    roughly = rough - 2.0 * centre * total + float(count) * centre * centre
    about = exact + np.rint((roughly - exact) / _UINT64_RANGE) * _UINT64_RANGE
    return (about - float(remainder) * remainder / count) / (4.0 * others * others)


@exact_jit
def _tpr_on_grid(a, sa, b, sb, places, tpr):  # type: ignore[no-untyped-def]
    """Write the TPR at the FPR in the middle of each grid step, from the run of negatives at this FPR."""
    negatives, positives = np.int64(sa[len(a)]), np.int64(sb[len(b)])
    run, above, tied, height = np.int64(len(a)), np.int64(0), np.int64(0), 0.0
    for g in range(N_FPR):
        share = (2 * g + 1) * negatives
        rank = negatives - 1 - share // _N_STEPS
        if g == 0 or rank < sa[run]:
            # the run is equal to the rank if no values below are tied
            run = rank if sa[run] == run else np.searchsorted(sa[:run], rank, "right") - 1
            place = places[run]
            is_tied = place < len(b) and b[place] == a[run]
            above = positives - np.int64(sb[place + is_tied])
            tied = np.int64(sb[place + is_tied]) - np.int64(sb[place])
            height = above / positives
        tpr[g] = height
        if tied:
            passed = share - (negatives - sa[run + 1]) * _N_STEPS
            tpr[g] = (above + passed / (_N_STEPS * np.int64(sa[run + 1] - sa[run])) * tied) / positives
