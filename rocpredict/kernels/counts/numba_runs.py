"""Sorted values as runs, with numba: each distinct value once, and how many values lie below it."""

from __future__ import annotations

import numpy as np

from rocpredict.kernels.compiling import compiled

jitted = compiled()
INDEX = np.uint64
"""Of what is indexed in a loop over rows: numba asks of every other index whether it is negative."""
ONE = np.uint64(1)


@jitted
def there(values, first, last):  # type: ignore[no-untyped-def]
    """Give where the values end and NaN, which are sorted behind all others, begin."""
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
def first_from(values, value, low, high):  # type: ignore[no-untyped-def]
    """Give the first place between two whose value is not below the one given."""
    while low < high:
        middle = (low + high) // 2
        if values[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low


@jitted
def squeeze_all(values, first, last, zeros, starts):  # type: ignore[no-untyped-def]
    """Leave each distinct value once, a block of zeros among them; ``starts`` tells how many values lie below."""
    starts[0] = 0
    if not zeros:
        runs = squeeze(values, first, last, first, starts, 0, 0)
    else:  # sparse parts have a free place before their first value
        cut = first_from(values, 0.0, first, last)
        runs = squeeze(values, first, cut, first - 1, starts, 0, 0)
        values[first - 1 + runs] = 0.0
        runs += 1
        starts[runs] = cut - first + zeros
        runs = squeeze(values, cut, last, first - 1, starts, runs, cut - first + zeros)
    starts[runs + 1] = starts[runs]  # read, and masked, behind the end
    return runs


@jitted
def squeeze(values, first, last, base, starts, runs, seen):  # type: ignore[no-untyped-def]
    """Write the distinct values of a stretch behind the runs there are; give how many these are then."""
    if first == last:
        return runs
    before = values[first]
    run, place = INDEX(runs), INDEX(base + runs)
    values[place] = before
    starts[run + ONE] = seen + 1
    for i in range(INDEX(first + 1), INDEX(last)):
        value = values[i]
        new = INDEX(value != before)
        run += new
        place += new
        seen += 1
        values[place] = value
        starts[run + ONE] = seen + 1
        before = value
    return np.int64(run) + 1


@jitted
def without(a, sa, b, sb, left, starts):  # type: ignore[no-untyped-def]
    """Take the values ``b`` out of those in ``a``, which hold them all."""
    j = kept = below = 0
    for i in range(len(a)):
        same = j < len(b) and a[i] == b[j]
        count = sa[i + 1] - sa[i]
        if same:
            count -= sb[j + 1] - sb[j]
            j += 1
        left[kept] = a[i]
        starts[kept] = below
        kept += count > 0
        below += count
    starts[kept] = starts[kept + 1] = below
    return kept


@jitted
def cubes(starts, runs):  # type: ignore[no-untyped-def]
    """Sum t^3 - t over the runs of one class."""
    total = 0.0
    if runs == starts[runs]:
        return total
    for run in range(runs):
        count = float(starts[run + 1] - starts[run])
        total += count * (count * count - 1.0)
    return total
