"""Sums of powers about a value of the data, the moments they make, and whether to believe them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rocpredict.arguments import FloatArray

_FAR = 9.0
"""How many variances the mean may lie from the shift: the last digits lost are those of (1 + 3)^4."""
SMALL = 1e-280
"""Sums of powers below it may have lost their smallest terms."""


class Sums(NamedTuple):
    """Sums of the powers 1 to ``order`` of (value - shift); every array has shape (K, b)."""

    powers: FloatArray
    low: FloatArray
    high: FloatArray

    @classmethod
    def zero(cls, order: int, classes: int, width: int) -> Sums:
        """Start; without four powers the extremes have no rows."""
        kept = (classes if order == 4 else 0, width)
        return cls(np.zeros((order, classes, width)), np.full(kept, np.inf), np.full(kept, -np.inf))

    def add(self, other: Sums) -> None:
        """Take in the sums of further rows about the same shift."""
        np.add(self.powers, other.powers, out=self.powers)
        np.minimum(self.low, other.low, out=self.low)
        np.maximum(self.high, other.high, out=self.high)


class Moments(NamedTuple):
    """Count, mean and central moments of each class and feature; every array has shape (K, p).

    Attributes
    ----------
    count : array of int64, of float64 with weights
        Values that are there, or the sum of their weights.
    missing : array of int64
        Values that are NaN.
    mean, m2 : array of float64
        The mean, and the sum of (x - mean)^2; of no values NaN and 0.
    m3, m4 : array of float64, or None
        The sums of (x - mean)^3 and (x - mean)^4.
    minimum, maximum : array of float64, or None
        NaN of no values.
    """

    count: NDArray[Any]  # type: ignore[assignment]  # a tuple counts, too
    missing: NDArray[np.int64]
    mean: FloatArray
    m2: FloatArray
    m3: FloatArray | None = None
    m4: FloatArray | None = None
    minimum: FloatArray | None = None
    maximum: FloatArray | None = None

    def __repr__(self) -> str:
        classes, features = self.mean.shape
        return f"Moments(classes={classes}, features={features}, order={self.order})"

    @property
    def order(self) -> int:
        """Give 4 with skewness and kurtosis, else 2."""
        return 2 if self.m4 is None else 4

    def of_order_two(self) -> Moments:
        """Leave out what only four moments tell."""
        return Moments(*self[:4])

    def of_features(self, columns: Any) -> Moments:
        """Give the moments of some of the features."""
        chosen: list[Any] = [None if field is None else field[:, columns] for field in self]
        return Moments(*chosen)

    @classmethod
    def blank(cls, classes: int, features: int, order: int, count: Any = np.int64) -> Moments:
        """Make room for moments."""
        shape = (classes, features)
        further: list[Any] = [np.empty(shape) for _ in range(4 if order == 4 else 0)]
        return cls(np.empty(shape, count), np.empty(shape, np.int64), np.empty(shape), np.empty(shape), *further)

    @classmethod
    def beside(cls, parts: Sequence[Moments]) -> Moments:
        """Put the features of several parts side by side."""
        fields: list[Any] = list(zip(*parts, strict=True))
        joined: list[Any] = [None if field[0] is None else np.concatenate(field, axis=1) for field in fields]
        return cls(*joined)

    def put(self, columns: Any, part: Moments) -> None:
        """Write down what was found of some of the features."""
        for mine, found in zip(self, part, strict=True):
            if mine is not None and found is not None:
                mine[:, columns] = found


def central(powers: FloatArray, count: NDArray[Any]) -> list[FloatArray]:
    """Give the mean's distance from the shift, and the central sums M2 (and M3, M4)."""
    first, second = powers[:2]
    mean = first / np.maximum(count, np.finfo(float).tiny)
    m2 = second - first * mean
    if len(powers) == 2:
        return [mean, m2]
    third, fourth = powers[2:]
    m3 = third - mean * (3 * second - 2 * first * mean)
    return [mean, m2, m3, fourth - mean * (4 * third - mean * (6 * second - 3 * first * mean))]


def as_moments(sums: Sums, shift: FloatArray, count: NDArray[Any], missing: NDArray[np.int64]) -> Moments:
    """Turn sums about a shift into moments; what no value is behind is NaN."""
    mean, m2, *higher = central(sums.powers, count)
    mean += shift
    extremes = [sums.low.copy(), sums.high.copy()] if higher else []
    empty = count == 0
    if empty.any():
        for array in (mean, *extremes):
            array[empty] = np.nan
    return Moments(count, missing, mean, np.maximum(m2, 0.0, out=m2), *higher, *extremes)


def doubtful(sums: Sums, count: NDArray[Any]) -> NDArray[np.bool_]:
    """Tell which features, shape (b,), hold NaN, infinities, or lost digits to a bad shift or to too small powers."""
    first, second, last = sums.powers[0], sums.powers[1], sums.powers[-1]
    lost = first * first
    far = lost * (1 + _FAR) > _FAR * second * count
    small = (last < SMALL) & (second + np.abs(first) > 0)
    return np.asarray((far | small | ~np.isfinite(last)).any(axis=0))
