"""Sums of powers of sorted parts, by numba."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rocpredict.kernels.compiling import compiled
from rocpredict.kernels.counts.numba_runs import jitted, there
from rocpredict.kernels.counts.parts import Parts, PowerSums

_CHUNK = 2_048
"""Values that are summed in any order before their sum is added to the whole."""
_summing = compiled("contract", "reassoc")


def power_sums(parts: Parts, groups: NDArray[np.intp], order: int) -> PowerSums:
    """Sum powers of the values of some groups of every feature, the zeros that are not stored included."""
    found = PowerSums.zero(len(groups), len(parts.first), order)
    count, missing, shift, sums = found
    _power_sums(parts, groups, count, missing, shift, *sums)
    return found


@jitted
def _power_sums(parts, groups, count, missing, shift, powers, low, high):  # type: ignore[no-untyped-def]
    for k in range(len(groups)):
        for f in range(len(parts.first)):
            first, zeros = parts.first[f, groups[k]], parts.zeros[f, groups[k]]
            last = there(parts.values, first, parts.last[f, groups[k]])
            missing[k, f], count[k, f] = parts.last[f, groups[k]] - last, last - first + zeros
            middle = 0.0 if zeros >= last - first else np.float64(parts.values[(first + last) // 2])
            shift[k, f] = middle
            power = zeros * 1.0
            for p in range(len(powers)):
                power *= -middle
                powers[p, k, f] = power
            for start in range(first, last, _CHUNK):
                _add_chunk(parts.values[start : min(start + _CHUNK, last)], middle, powers[:, k, f])
            if low.size:
                low[k, f] = high[k, f] = 0.0 if zeros else np.nan
                if last > first:
                    smallest, largest = np.float64(parts.values[first]), np.float64(parts.values[last - 1])
                    low[k, f] = min(smallest, 0.0) if zeros else smallest
                    high[k, f] = max(largest, 0.0) if zeros else largest


@_summing
def _add_chunk(values, middle, sums):  # type: ignore[no-untyped-def]
    one = two = three = four = 0.0
    if len(sums) == 2:
        for value in values:
            d = np.float64(value) - middle
            one += d
            two += d * d
    else:
        for value in values:
            d = np.float64(value) - middle
            square = d * d
            one += d
            two += square
            three += square * d
            four += square * square
        sums[2] += three
        sums[3] += four
    sums[0] += one
    sums[1] += two
