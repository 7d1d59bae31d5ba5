"""What the readers hand to the engines, and what these hand back."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rocpredict.arguments import FloatArray, to_floats
from rocpredict.kernels.moments import Moments
from rocpredict.kernels.moments.sums import Sums, as_moments, doubtful

Whole = NDArray[np.int64]
_WHOLE = ("negatives", "positives", "negatives_below", "negatives_at", "positives_below", "positives_at")


class Sparse(NamedTuple):
    """The arrays of a compressed sparse matrix, by column or by row."""

    data: NDArray[Any]
    indices: NDArray[Any]
    indptr: NDArray[Any]


class Parts(NamedTuple):
    """The values of b features, those of each of G groups of rows apart."""

    values: NDArray[Any]
    """Flat, float32 or float64; NaN is missing."""
    first: NDArray[np.int64]
    """Shape (b, G): where each part begins."""
    last: NDArray[np.int64]
    """Shape (b, G): where it ends."""
    zeros: NDArray[np.int64]
    """Shape (b, G): how many zeros it has besides. Where any, none is among the values, and the place before the
    first value is free."""

    def column(self, feature: int, group: int) -> NDArray[Any]:
        """Give all values of one part, zeros and NaN included, in some order."""
        stored = self.values[self.first[feature, group] : self.last[feature, group]]
        return np.append(stored, np.zeros(self.zeros[feature, group], dtype=stored.dtype))


class Counts(NamedTuple):
    """Exact counts of T contrasts and b features; arrays of shape (T, b)."""

    negatives: Whole
    """Values that are there."""
    positives: Whole
    area: FloatArray
    """P(positive > negative) + P(=)/2; NaN where a class is empty."""
    negative_scatter: FloatArray
    """Sum over the negatives of (v - area)^2, v the share of positives above, ties half; NaN as the area."""
    positive_scatter: FloatArray
    """The same over the positives, v the share of negatives below."""
    ties: FloatArray
    """Sum of t^3 - t over groups of t tied values of both classes together."""
    negatives_below: Whole
    """Values below the threshold given; 0 without one."""
    negatives_at: Whole
    """Values equal to it."""
    positives_below: Whole
    positives_at: Whole
    heights: FloatArray
    """Shape (T, b, G): TPR at the FPRs (g + 1/2)/G; NaN as the area."""


class PowerSums(NamedTuple):
    """Sums of powers of the values of K classes and b features, about a value near their middle; shape (K, b)."""

    count: Whole  # type: ignore[assignment]  # a tuple counts, too
    missing: Whole
    shift: FloatArray
    sums: Sums

    @classmethod
    def zero(cls, classes: int, features: int, order: int) -> PowerSums:
        """Give sums of nothing."""
        shape = classes, features
        whole = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
        return cls(*whole, np.zeros(shape), Sums.zero(order, *shape))

    def moments(self) -> Moments:
        """Give mean and central moments."""
        with np.errstate(all="ignore"):
            return as_moments(self.sums, self.shift, self.count, self.missing)

    def doubtful(self) -> NDArray[np.intp]:
        """Give the features whose sums over- or underflow, or hold infinities."""
        with np.errstate(all="ignore"):
            return np.flatnonzero(doubtful(self.sums, self.count))


def empty_counts(shape: tuple[int, ...], grid: int) -> Counts:
    """Give counts of nothing, to be filled."""
    whole: dict[str, Any] = {name: np.zeros(shape, dtype=np.int64) for name in _WHOLE}
    undefined: dict[str, Any] = {
        name: np.full(shape, np.nan) for name in ("area", "negative_scatter", "positive_scatter")
    }
    return Counts(**whole, **undefined, ties=np.zeros(shape), heights=np.full((*shape, grid), np.nan))


def sortable(values: NDArray[Any]) -> NDArray[Any]:
    """Give values as float32 where that holds them exactly, else as float64; or refuse what float64 cannot hold."""
    if values.dtype in {np.dtype(np.float32), np.dtype(np.float64)}:
        return values
    if values.dtype.itemsize <= 4:
        return values.astype(np.float32 if values.dtype.itemsize <= 2 else np.float64)
    return to_floats("X", values)
