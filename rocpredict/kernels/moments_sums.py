"""Sums of powers about a value of the data, the moments they make, and whether to believe them."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rocpredict.arguments import FloatArray

_FAR = 9.0
"""How many variances the mean may lie from the shift: the last digits lost are those of (1 + 3)^4."""
SMALL = 1e-280
"""Sums of powers below it may have lost their smallest terms."""
_FEW = 8
"""Up to how many classes a look at all codes for each class is cheaper than to sort them."""


def class_rows(codes: NDArray[Any], classes: int) -> list[NDArray[np.intp]]:
    """List the rows of each class, ascending; rows of no class have code -1."""
    if classes <= _FEW:
        return [np.flatnonzero(codes == k) for k in range(classes)]
    order = np.argsort(codes, kind="stable")
    ends = np.searchsorted(codes[order], np.arange(classes + 1))
    return [order[start:stop] for start, stop in pairwise(ends)]


class Members(NamedTuple):
    """The rows of each class, ascending, class after class: those of class k are ``rows[starts[k]:stops[k]]``."""

    rows: NDArray[np.intp]
    starts: NDArray[np.intp]
    stops: NDArray[np.intp]

    @classmethod
    def joined(cls, parts: list[NDArray[np.intp]]) -> Members:
        """Lay the rows of the classes after each other."""
        stops = np.cumsum([len(part) for part in parts], dtype=np.intp)
        rows = np.concatenate([*parts, np.empty(0, np.intp)], dtype=np.intp)
        return cls(rows, stops - np.diff(stops, prepend=0), stops)

    @property
    def counts(self) -> NDArray[np.intp]:
        """Give the number of rows of each class."""
        return self.stops - self.starts

    def parts(self) -> list[NDArray[np.intp]]:
        """Give the rows class by class."""
        return [self.rows[start:stop] for start, stop in zip(self.starts, self.stops, strict=True)]

    def codes(self, n: int) -> NDArray[np.intp]:
        """Give the class of each of n rows, -1 for those of no class."""
        codes = np.full(n, -1, dtype=np.intp)
        for k, part in enumerate(self.parts()):
            codes[part] = k
        return codes

    def between(self, low: int, high: int) -> Members:
        """Give the rows from ``low`` up to, but not including, ``high``."""
        ends = [np.searchsorted(part, (low, high)) for part in self.parts()]
        found = self.starts[:, None] + np.array(ends, dtype=np.intp).reshape(-1, 2)
        return Members(self.rows, found[:, 0].copy(), found[:, 1].copy())

    def from_row(self, low: int) -> Members:
        """Count the rows from ``low`` on."""
        return Members.joined([part - low for part in self.parts()])


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
