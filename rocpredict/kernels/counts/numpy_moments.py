"""Sums of powers of sorted parts, by NumPy: where all features have as many values, all at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocpredict.kernels.counts.parts import Parts, PowerSums


def power_sums(parts: Parts, groups: NDArray[np.intp], order: int) -> PowerSums:
    """Sum powers of the values of some groups of every feature, the zeros that are not stored included."""
    found = PowerSums.zero(len(groups), len(parts.first), order)
    for k, group in enumerate(groups.tolist()):
        for features, values in _pieces(parts, group):
            found.missing[k, features] = parts.last[features, group] - parts.first[features, group] - values.shape[1]
            _add(found, k, features, values, parts.zeros[features, group])
    return found


def _pieces(parts: Parts, group: int) -> Iterator[tuple[slice, NDArray[Any]]]:
    """Give the values of features, shape (features, n), without those that are NaN, which lie last."""
    first, last = parts.first[:, group], parts.last[:, group]
    features, width = len(first), len(parts.values) // max(1, len(first))
    alike = (np.diff(first) == width).all() and (last - first == last[:1] - first[:1]).all()
    if features and alike and features * width == len(parts.values):
        values = parts.values.reshape(features, width)[:, first[0] : last[0]]
        if not np.isnan(values[:, -1:]).any():
            yield slice(0, features), values
            return
    for feature, (low, high) in enumerate(zip(first.tolist(), last.tolist(), strict=True)):
        values = parts.values[low:high]
        if len(values) and np.isnan(values[-1]):
            values = values[: np.searchsorted(values, values.dtype.type(np.nan))]
        yield slice(feature, feature + 1), values[None]


def _add(found: PowerSums, k: int, features: slice, values: NDArray[Any], zeros: NDArray[np.int64]) -> None:
    """Add values of shape (features, n), ascending, and zeros besides: about 0 where most are, else the median."""
    count = values.shape[1]
    found.count[k, features] = count + zeros
    if count:
        found.shift[k, features] = np.where(zeros >= count, 0.0, values[:, count // 2])
        if found.sums.low.size:
            found.sums.low[k, features] = np.where(zeros > 0, np.minimum(values[:, 0], 0), values[:, 0])
            found.sums.high[k, features] = np.where(zeros > 0, np.maximum(values[:, -1], 0), values[:, -1])
    elif found.sums.low.size:
        found.sums.low[k, features] = found.sums.high[k, features] = np.where(zeros > 0, 0.0, np.nan)
    shift = found.shift[k, features]
    with np.errstate(all="ignore"):
        deviation = np.subtract(values, shift[:, None], dtype=np.float64)
        product = deviation
        for power in range(len(found.sums.powers)):
            product = product * deviation if power else deviation
            found.sums.powers[power, k, features] = product.sum(axis=1) + zeros * (-shift) ** (power + 1)
