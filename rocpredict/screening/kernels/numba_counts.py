"""Exact rank statistics of the numba engine, computed from sorted values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

from rocpredict.base.validation import FloatArray
from rocpredict.distributions.ecdf import N_FPR
from rocpredict.screening.kernels.counts import GroupedValues, RankStatistics, SortGroups

Jitted = TypeVar("Jitted", bound=Callable[..., Any])


def numba_jit(*fastmath: str) -> Callable[[Jitted], Jitted]:
    """Return a decorator that compiles functions to run without the GIL; ``fastmath`` is a set of LLVM flags."""
    options: dict[str, Any] = {"nogil": True, "fastmath": set(fastmath)}

    def compiling(function: Jitted) -> Jitted:
        try:
            return cast(Jitted, njit(cache=True, **options)(function))
        except RuntimeError:  # the cache folder is not writable
            return cast(Jitted, njit(**options)(function))

    return compiling


INDEX_TYPE = np.uint64
"""Type of indices in loops; numba checks the sign of signed indices each time."""
UNIT_RUN = np.uint64(1)
exact_jit = numba_jit()


@exact_jit
def run_length_encode_all(values, first, last, zeros, starts):  # type: ignore[no-untyped-def]
    """Replace values with their distinct values, including zeros, and return the number of distinct values.

    ``starts`` receives the number of values below each distinct value, followed by the number of all values.
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
JOINS_CLASSES = True
"""True if the engine merges the sorted values of single classes itself."""
_SIGN, _LOW_BITS = np.uint64(2**31), np.uint64(2**32 - 1)


def count_class_pairs(parts: GroupedValues, groups: SortGroups, thresholds: FloatArray, counts: RankStatistics) -> None:
    """Compute the rank statistics of all features and class pairs of a block from its sorted values.

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
            starts, room = np.empty((2, longest), dtype=np.int32)
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
    first, zeros = parts.first[:, members], parts.zeros[:, members]
    last = np.array(parts.last[:, members])
    longest = int((last - first).sum(axis=1).max(initial=0))
    is_short = parts.values.dtype == np.float32
    keys, values = np.empty(longest, np.uint64 if is_short else np.float64), np.empty(longest, parts.values.dtype)
    labels, sorted_labels = np.empty((2, longest), np.int32)
    for f in range(len(first)):
        if is_short:  # sorting integers that contain value and class is faster than an indirect sort
            bits = parts.values.view(np.uint32)
            n = _pack(parts.values, bits, first[f], last[f], keys)
            keys[:n].sort()
            _unpack(keys[:n], values.view(np.uint32), sorted_labels)
        else:
            n = _join(parts.values, first[f], last[f], keys, labels)
            _reorder(keys, labels, np.argsort(keys[:n]), values, sorted_labels)
        parts_of_feature = parts.values, first[f], zeros[f], last[f] - first[f]
        _one_pass(values[:n], sorted_labels[:n], *parts_of_feature, pair_of, thresholds, counts, f)


@exact_jit
def _end_of_numbers(values, first, last):  # type: ignore[no-untyped-def]
    """Return the index after the last value that is not missing."""
    if first < last and np.isnan(values[last - 1]):
        return first + np.searchsorted(values[first:last], np.nan)
    return last


@exact_jit
def _pack(values, bits, first, last, keys):  # type: ignore[no-untyped-def]
    """Write integers that have the same order as the float32 values, with the class in the low bits.

    Missing values are excluded by changing ``last``.
    """
    n = INDEX_TYPE(0)
    for k in range(len(first)):
        last[k] = _end_of_numbers(values, first[k], last[k])
        label = np.uint64(k)
        for i in range(INDEX_TYPE(first[k]), INDEX_TYPE(last[k])):
            bit = np.uint64(bits[i])
            bit = np.uint64(0) if bit == _SIGN else bit  # -0.0 is equal to 0.0
            key = bit ^ _LOW_BITS if bit & _SIGN else bit | _SIGN
            keys[n] = (key << np.uint64(32)) | label
            n += UNIT_RUN
    return np.int64(n)


@exact_jit
def _unpack(keys, bits, labels):  # type: ignore[no-untyped-def]
    for i in range(len(keys)):
        key = keys[i] >> np.uint64(32)
        bits[i] = key ^ (_SIGN if key & _SIGN else _LOW_BITS)
        labels[i] = np.int32(keys[i] & _LOW_BITS)


@exact_jit
def _join(values, first, last, out, labels):  # type: ignore[no-untyped-def]
    """Copy the values of all classes; missing values are excluded by changing ``last``."""
    n = INDEX_TYPE(0)
    for k in range(len(first)):
        last[k] = _end_of_numbers(values, first[k], last[k])
        for i in range(INDEX_TYPE(first[k]), INDEX_TYPE(last[k])):
            out[n], labels[n] = values[i], k
            n += UNIT_RUN
    return np.int64(n)


@exact_jit
def _reorder(values, labels, order, out, out_labels):  # type: ignore[no-untyped-def]
    for i in range(len(order)):
        place = INDEX_TYPE(order[i])
        out[i], out_labels[i] = values[place], labels[place]


@exact_jit
def _one_pass(values, labels, parts, first, zeros, stored, pair_of, thresholds, counts, f):  # type: ignore[no-untyped-def]
    """Compute the rank statistics of each class against the others, in one pass over all values in ascending order.

    The integer sums are the same as in ``_class_pair``. In ``parts``, the stored values of each class begin at
    ``first``; ``stored`` is the number of stored values, and ``zeros`` is the number of zeros that are not stored.
    """
    classes, n_zeros, n_all = len(pair_of), zeros.sum(), (zeros + stored).sum()
    n_before, end, rank, step = np.zeros((4, classes), np.int64)
    total, squares0, squares1, in_run = np.zeros((4, classes), np.int64)
    rough0, rough1 = np.zeros((2, classes))
    for k in range(classes):
        positives = zeros[k] + stored[k]
        is_counted = pair_of[k] >= 0 and 0 < positives < n_all
        step[k] = N_FPR - 1 if is_counted else -1
        rank[k] = _negative_rank(n_all - positives, step[k]) if is_counted else n_all
    state = n_before, end, rank, step, total, squares0, squares1, rough0, rough1
    n_negative_values = np.int64(np.searchsorted(values, 0.0)) if n_zeros else np.int64(-1)
    below, ties, i = np.int64(0), 0.0, np.int64(0)
    while i < len(values) or n_negative_values >= 0:
        if i == n_negative_values:
            for k in range(classes):
                if zeros[k]:
                    _add_run(k, zeros[k], n_zeros, below, zeros[k] + stored[k], n_all, state, pair_of, counts, f)
            count, n_negative_values = n_zeros, np.int64(-1)
        else:
            j = i + 1
            while j < len(values) and values[j] == values[i]:
                j += 1
            count = np.int64(j - i)
            if count == 1:
                k = labels[i]
                _add_run(k, count, count, below, zeros[k] + stored[k], n_all, state, pair_of, counts, f)
            else:
                _add_ties_of_classes(labels[i:j], in_run, below, zeros, stored, n_all, state, pair_of, counts, f)
            i = j
        if count > 1:
            ties += float(count) * (float(count) * float(count) - 1.0)
        below += count
    for k in range(classes):
        if pair_of[k] >= 0:
            own, at = parts[first[k] : first[k] + stored[k]], thresholds[pair_of[k], f]
            positives = zeros[k] + stored[k]
            ranks = _count_at(values, n_zeros, at), _count_at(own, zeros[k], at)
            _finish_class(k, pair_of[k], f, positives, n_all - positives, ties, ranks, state, counts)


@exact_jit
def _add_ties_of_classes(labels, in_run, below, zeros, stored, n_all, state, pair_of, counts, f):  # type: ignore[no-untyped-def]
    for k in labels:
        in_run[k] += 1
    for k in labels:
        if in_run[k]:
            _add_run(k, in_run[k], len(labels), below, zeros[k] + stored[k], n_all, state, pair_of, counts, f)
            in_run[k] = 0


@exact_jit
def _finish_class(k, t, f, positives, negatives, ties, ranks, state, counts):  # type: ignore[no-untyped-def]
    """Write the rank statistics of a class after all values have been processed."""
    _, end, _, step, total, squares0, squares1, rough0, rough1 = state
    (all_below, all_tied), (below, tied) = ranks
    counts.negatives[t, f], counts.positives[t, f], counts.ties[t, f] = negatives, positives, ties
    counts.negatives_below[t, f], counts.negatives_tied[t, f] = all_below - below, all_tied - tied
    counts.positives_below[t, f], counts.positives_tied[t, f] = below, tied
    if negatives and positives:
        product0, pairs = (negatives - end[k]) * 2 * positives, 2 * negatives * positives
        squares, rough = squares0[k] + product0 * 2 * positives, rough0[k] + float(product0) * 2.0 * positives
        counts.area[t, f] = total[k] / pairs
        counts.negative_sum_squares[t, f] = _sum_squares(pairs - total[k], squares, rough, negatives, positives)
        counts.positive_sum_squares[t, f] = _sum_squares(total[k], squares1[k], rough1[k], positives, negatives)
        counts.tpr_grid[t, f, : step[k] + 1] = 0.0


@exact_jit
def _count_at(values, zeros, threshold):  # type: ignore[no-untyped-def]
    """Count the values below a threshold and the values equal to it, including zeros that are not stored."""
    if np.isnan(threshold):
        return 0, 0
    below, to = np.searchsorted(values, threshold), np.searchsorted(values, threshold, "right")
    return below + zeros * (threshold > 0), to - below + zeros * (threshold == 0)


@exact_jit
def _negative_rank(negatives, step):  # type: ignore[no-untyped-def]
    """Return the rank of the negative at the FPR in the middle of a step of the grid."""
    return negatives - 1 - (2 * step + 1) * negatives // _N_STEPS


@exact_jit
def _add_run(k, count1, count, below, positives, n_all, state, pair_of, counts, f):  # type: ignore[no-untyped-def]
    """Add a run of tied values, ``count1`` of them in class k, and write the TPRs of class k at the FPRs of the run."""
    n_before, end, rank, step, total, squares0, squares1, rough0, rough1 = state
    before, negatives = n_before[k], n_all - positives
    low, count0 = below - before, count - count1
    gap, twice, tied_twice, twice1 = low - end[k], 2 * before, 2 * before + count1, 2 * low + count0
    product0, tied_product, product1 = gap * twice, count0 * tied_twice, count1 * twice1
    total[k] += product1
    squares0[k] += product0 * twice + tied_product * tied_twice
    squares1[k] += product1 * twice1
    rough0[k] += float(product0) * twice + float(tied_product) * tied_twice
    rough1[k] += float(product1) * twice1
    n_before[k], end[k] = before + count1, low + count0
    while rank[k] < low + count0:
        tpr = (positives - before) / positives
        if rank[k] >= low:
            passed = (2 * step[k] + 1) * negatives - (negatives - low - count0) * _N_STEPS
            tpr = (positives - before - count1 + passed / (_N_STEPS * count0) * count1) / positives
        counts.tpr_grid[pair_of[k], f, step[k]] = tpr
        step[k] -= 1
        rank[k] = _negative_rank(negatives, step[k]) if step[k] >= 0 else n_all


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
    """Write the rank statistics of a feature without ties and return True; return False for other features.

    The integer sums are the same as in ``_class_pair``. They follow from i_j, the number of negatives below positive j,
    since the squares of the numbers of positives below the negatives sum to the sum of (2 j + 1) (n - i_j).
    """
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
    pairs = 2 * negatives * positives
    counts.negatives[0, f], counts.positives[0, f] = negatives, positives
    counts.negatives_below[0, f], counts.negatives_tied[0, f] = _count_at(a, 0, threshold)
    counts.positives_below[0, f], counts.positives_tied[0, f] = _count_at(b, 0, threshold)
    counts.ties[0, f] = 0.0
    counts.area[0, f] = 2 * total / pairs
    counts.negative_sum_squares[0, f] = _sum_squares(
        pairs - 2 * total, 4 * others, 4.0 * rough_others, negatives, positives
    )
    counts.positive_sum_squares[0, f] = _sum_squares(2 * total, 4 * squares, 4.0 * rough_squares, positives, negatives)
    for g in range(N_FPR):
        above = positives - np.searchsorted(places[:positives], _negative_rank(negatives, g), "right")
        counts.tpr_grid[0, f, g] = above / positives
    return True


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

    The placement count of a value is the number of values of the other class below it; ties count 1/2. The sums are the
    sum of the doubled placement counts of the positives, the sum of the squares of doubled placement counts in each
    class, and the sum of the terms of the tie correction. ``places`` receives the number of runs of positives below
    each run of negatives. Two independent merges, below and above the middle value, run in the same loop, so that the
    processor can overlap their steps.
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
    """Compute the sum of squared deviations of placement values, which are integers divided by twice ``others``.

    ``squares`` is exact modulo 2^64; the missing multiple of 2^64 is derived from ``rough``, the same sum in float64.
    The deviations are computed from the integer next to the mean, so that few digits cancel.
    """
    centre = (2 * total + count) // (2 * count)
    remainder = total - count * centre
    exact = squares - 2 * centre * total + count * centre * centre
    roughly = rough - 2.0 * centre * total + float(count) * centre * centre
    about = exact + np.rint((roughly - exact) / _UINT64_RANGE) * _UINT64_RANGE
    return (about - float(remainder) * remainder / count) / (4.0 * others * others)


@exact_jit
def _tpr_on_grid(a, sa, b, sb, places, tpr):  # type: ignore[no-untyped-def]
    """Write the TPR at the FPR in the middle of each step of the grid, from the run of negatives at this FPR."""
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
