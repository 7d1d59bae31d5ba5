"""The engine that needs numba: one pass over sorted runs for each feature and contrast."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rocpredict.kernels.counts.numba_runs import INDEX, ONE, cubes, first_from, jitted, squeeze_all, there, without
from rocpredict.kernels.counts.parts import Counts, Parts, empty_counts

_TWO_64 = 2.0**64


def tally(parts: Parts, pairs: NDArray[np.intp], thresholds: NDArray[np.float64], grid: int) -> Counts:
    """Count every feature of a block in every contrast, from sorted parts, which are used up."""
    counts = empty_counts(thresholds.shape, grid)
    longest = int((parts.last - parts.first + 3).sum(axis=1).max(initial=0))
    nested = longest if pairs[:, 2].any() else 0
    starts = np.empty(longest, dtype=np.int32), np.empty(nested, dtype=np.int32)
    rest = np.empty(nested, dtype=parts.values.dtype)
    _tally(parts, starts, rest, pairs, thresholds, counts)
    return counts


@jitted
def _tally(parts, starts, rest, pairs, thresholds, counts):  # type: ignore[no-untyped-def]
    features, groups = parts.first.shape
    base, size, offset = np.empty(groups, np.int64), np.empty(groups, np.int64), np.empty(groups, np.int64)
    for f in range(features):
        used = 0
        for g in range(groups):
            first, zeros = parts.first[f, g], parts.zeros[f, g]
            last = there(parts.values, first, parts.last[f, g])
            base[g] = first - (zeros > 0)
            offset[g] = used
            size[g] = squeeze_all(parts.values, first, last, zeros, starts[0][used:])
            used += size[g] + 2
        for t in range(len(pairs)):
            n, p, nested = pairs[t]
            a, above = parts.values[base[n] : base[n] + size[n]], starts[0][offset[n] :]
            b, sb = parts.values[base[p] : base[p] + size[p]], starts[0][offset[p] :]
            if nested:
                left = without(a, above, b, sb, rest, starts[1])
                _contrast(rest[:left], starts[1], b, sb, thresholds[t, f], counts, t, f)
            else:
                _contrast(a, above, b, sb, thresholds[t, f], counts, t, f)


@jitted
def _contrast(a, sa, b, sb, threshold, counts, t, f):  # type: ignore[no-untyped-def]
    negatives, positives = np.int64(sa[len(a)]), np.int64(sb[len(b)])
    counts.negatives[t, f], counts.positives[t, f] = negatives, positives
    counts.negatives_below[t, f], counts.negatives_at[t, f] = _rank(a, sa, threshold)
    counts.positives_below[t, f], counts.positives_at[t, f] = _rank(b, sb, threshold)
    below, squares0, squares1, rough0, rough1, ties = _merge(a, sa, b, sb)
    counts.ties[t, f] = ties + cubes(sa, len(a)) + cubes(sb, len(b))
    if negatives and positives:
        pairs = 2 * negatives * positives
        counts.area[t, f] = below / pairs
        counts.negative_scatter[t, f] = _scatter(pairs - below, squares0, rough0, negatives, positives)
        counts.positive_scatter[t, f] = _scatter(below, squares1, rough1, positives, negatives)
        _heights(a, sa, b, sb, counts.heights[t, f])


@jitted
def _rank(values, starts, threshold):  # type: ignore[no-untyped-def]
    """Count the values below a threshold, and those at it."""
    if np.isnan(threshold):
        return 0, 0
    place = first_from(values, threshold, 0, len(values))
    at = starts[place + 1] - starts[place] if place < len(values) and values[place] == threshold else 0
    return starts[place], at


@jitted
def _merge(a, sa, b, sb):  # type: ignore[no-untyped-def]
    """Sum twice the placement counts of the positives, their squares of both classes, and what ties add.

    Two merges run side by side, below and above the middle value, since either alone waits for its own last step.
    """
    middle, end, start = INDEX(len(a) // 2), INDEX(len(a)), INDEX(0)
    cut, b_end = INDEX(first_from(b, a[middle], 0, len(b)) if len(a) else 0), INDEX(len(b))
    i, j, k, m = start, start, middle, cut
    sums = (0, 0, 0, 0.0, 0.0, 0.0)
    while (i < middle) & (j < cut) & (k < end) & (m < b_end):
        i, j, sums = _advance(a, sa, b, sb, i, j, sums)
        k, m, sums = _advance(a, sa, b, sb, k, m, sums)
    sums = _merge_to(a, sa, b, sb, i, j, middle, cut, sums)
    return _merge_to(a, sa, b, sb, k, m, end, b_end, sums)


@jitted
def _merge_to(a, sa, b, sb, i, j, i_end, j_end, sums):  # type: ignore[no-untyped-def]
    while (i < i_end) & (j < j_end):
        i, j, sums = _advance(a, sa, b, sb, i, j, sums)
    while i < i_end:
        sums = _add(sa, sb, i, j, ONE, INDEX(0), sums)
        i += ONE
    while j < j_end:
        sums = _add(sa, sb, i, j, INDEX(0), ONE, sums)
        j += ONE
    return sums


@jitted
def _advance(a, sa, b, sb, i, j, sums):  # type: ignore[no-untyped-def]
    take0, take1 = INDEX(a[i] <= b[j]), INDEX(b[j] <= a[i])
    return i + take0, j + take1, _add(sa, sb, i, j, take0, take1, sums)


@jitted
def _add(sa, sb, i, j, take0, take1, sums):  # type: ignore[no-untyped-def]
    """Add a group of tied values: of the negatives, of the positives, or of both, without a branch."""
    below0, below1 = np.int64(sa[i]), np.int64(sb[j])
    count0 = (sa[i + ONE] - below0) & -np.int64(take0)
    count1 = (sb[j + ONE] - below1) & -np.int64(take1)
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
def _scatter(total, squares, rough, count, others):  # type: ignore[no-untyped-def]
    """Give the sum of squares about the mean of whole numbers, each as a share of twice the others.

    ``squares`` is exact but for multiples of 2^64, which the rough sum of the same squares tells. About the whole
    number next to the mean nothing cancels.
    """
    centre = (2 * total + count) // (2 * count)
    remainder = total - count * centre
    exact = squares - 2 * centre * total + count * centre * centre
    roughly = rough - 2.0 * centre * total + float(count) * centre * centre
    about = exact + np.rint((roughly - exact) / _TWO_64) * _TWO_64
    return (about - float(remainder) * remainder / count) / (4.0 * others * others)


@jitted
def _heights(a, sa, b, sb, heights):  # type: ignore[no-untyped-def]
    negatives, positives = np.int64(sa[len(a)]), np.int64(sb[len(b)])
    steps = 2 * len(heights)
    run, place = len(a) - 1, len(b)
    for g in range(len(heights)):
        share = (2 * g + 1) * negatives
        run = _run_of(sa, negatives - 1 - share // steps, run + 1)
        place = first_from(b, a[run], 0, place)
        height = np.int64(sb[place])
        tied = 0.0
        if place < len(b) and b[place] == a[run]:
            height = np.int64(sb[place + 1])
            passed = share - (negatives - sa[run + 1]) * steps
            tied = passed / (steps * np.int64(sa[run + 1] - sa[run])) * (sb[place + 1] - sb[place])
            place += 1
        heights[g] = (positives - height + tied) / positives


@jitted
def _run_of(starts, rank, high):  # type: ignore[no-untyped-def]
    """Give the run that holds a rank, known to be below ``high``."""
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
