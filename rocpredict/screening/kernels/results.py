"""Moments, their merging, and the rows of each class."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rocpredict.base.validation import FloatArray

_N_SAMPLES = 8
_SAMPLE = 25


def rows_by_class(codes: NDArray[Any], classes: int) -> Iterator[NDArray[np.intp]]:
    """List the rows of each class in turn, ascending; rows of no class have code -1."""
    if classes <= _N_SAMPLES:
        yield from (np.flatnonzero(codes == k) for k in range(classes))
        return
    order = np.argsort(codes, kind="stable")
    ends = np.searchsorted(codes[order], np.arange(classes + 1))
    yield from (order[start:stop] for start, stop in pairwise(ends))


class Classes(NamedTuple):
    """The class of each row; how many rows each class has, and some of them from the first to the last.

    Rows are listed piece by piece only: the codes of a long table are small, its lists of rows are not.
    """

    codes: NDArray[Any]
    counts: NDArray[np.intp]
    samples: list[NDArray[np.intp]]

    @classmethod
    def of(cls, codes: NDArray[Any], classes: int) -> Classes:
        """Look through the codes, 0 to ``classes`` - 1, or -1 for rows of no class."""
        codes = codes.astype(np.int8 if classes <= np.iinfo(np.int8).max else np.intp, copy=False)
        counts, samples = np.zeros(classes, np.intp), []
        for k, rows in enumerate(rows_by_class(codes, classes)):
            counts[k] = len(rows)
            samples.append(rows[np.unique(np.linspace(0, max(len(rows) - 1, 0), min(_SAMPLE, len(rows))).astype(int))])
        return cls(codes, counts, samples)


_MAX_SHIFT_RATIO = 9.0
SMALL = 1e-280


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
    n_missing : array of int64
        Values that are NaN.
    mean, m2 : array of float64
        The mean, and the sum of (x - mean)^2; of no values NaN and 0.
    m3, m4 : array of float64, or None
        The sums of (x - mean)^3 and (x - mean)^4.
    minimum, maximum : array of float64, or None
        NaN of no values.
    """

    count: NDArray[Any]  # type: ignore[assignment]  # a tuple counts, too
    n_missing: NDArray[np.int64]
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

    def drop_higher(self) -> Moments:
        """Leave out what only four moments tell."""
        return Moments(*self[:4])

    def of_features(self, columns: Any) -> Moments:
        """Give the moments of some of the features."""
        chosen: list[Any] = [None if field is None else field[:, columns] for field in self]
        return Moments(*chosen)

    @classmethod
    def empty(cls, classes: int, features: int, order: int, count: Any = np.int64) -> Moments:
        """Make room for moments."""
        shape = (classes, features)
        further: list[Any] = [np.empty(shape) for _ in range(4 if order == 4 else 0)]
        return cls(np.empty(shape, count), np.empty(shape, np.int64), np.empty(shape), np.empty(shape), *further)

    @classmethod
    def concatenate(cls, parts: Sequence[Moments]) -> Moments:
        """Put the features of several parts side by side."""
        fields: list[Any] = list(zip(*parts, strict=True))
        joined: list[Any] = [None if field[0] is None else np.concatenate(field, axis=1) for field in fields]
        return cls(*joined)

    def assign(self, columns: Any, part: Moments) -> None:
        """Write down what was found of some of the features."""
        for mine, found in zip(self, part, strict=True):
            if mine is not None and found is not None:
                mine[:, columns] = found


def central_sums(powers: FloatArray, count: NDArray[Any]) -> list[FloatArray]:
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
    mean, m2, *higher = central_sums(sums.powers, count)
    mean += shift
    extremes = [sums.low.copy(), sums.high.copy()] if higher else []
    empty = count == 0
    if empty.any():
        for array in (mean, *extremes):
            array[empty] = np.nan
    return Moments(count, missing, mean, np.maximum(m2, 0.0, out=m2), *higher, *extremes)


def needs_recompute(sums: Sums, count: NDArray[Any]) -> NDArray[np.bool_]:
    """Tell which features, shape (b,), hold NaN, infinities, or lost digits to a bad shift or to too small powers."""
    first, second, last = sums.powers[0], sums.powers[1], sums.powers[-1]
    lost = first * first
    far = lost * (1 + _MAX_SHIFT_RATIO) > _MAX_SHIFT_RATIO * second * count
    small = (last < SMALL) & (second + np.abs(first) > 0)
    return np.asarray((far | small | ~np.isfinite(last)).any(axis=0))


def merge(a: Moments, b: Moments) -> Moments:
    """Merge the moments of two sets of rows by the pairwise update.

    Parameters
    ----------
    a, b : Moments
        Of the same shape; of different order they give order 2.

    Returns
    -------
    Moments
        Where one side has no values, exactly the other side's.

    Notes
    -----
    The means' difference carries their rounding: M2 is off by about 1e-16 times the means' size in standard deviations
    times their distance in standard deviations.

    References
    ----------
    Chan, Golub and LeVeque (1983), The American Statistician 37, 242; Pebay (2008), Sandia report SAND2008-6212.
    """
    if a.order != b.order:
        return merge(a.drop_higher(), b.drop_higher())
    with np.errstate(all="ignore"):
        return _keep_nonempty(a, b, _merged(a, b))


def _merged(a: Moments, b: Moments) -> Moments:
    count = a.count + b.count
    some = np.where(count > 0, count, 1)
    p, q = a.count / some, b.count / some
    delta = b.mean - a.mean
    mean = np.where(np.isfinite(delta), a.mean + delta * q, p * a.mean + q * b.mean)
    between = delta * delta * p * b.count
    m2 = a.m2 + b.m2 + between
    result = Moments(count, a.n_missing + b.n_missing, mean, m2)
    if a.m3 is None or b.m3 is None:
        return result
    further = p * b.m2 - q * a.m2
    m3 = a.m3 + b.m3 + delta * (between * (p - q) + 3 * further)
    return result._replace(m3=m3, m4=_merge_m4(a, b, delta, between, p, q), **_extremes(a, b))


def _merge_m4(a: Moments, b: Moments, delta: FloatArray, between: FloatArray, p: Any, q: Any) -> FloatArray:
    assert a.m3 is not None
    assert b.m3 is not None
    assert a.m4 is not None
    assert b.m4 is not None
    squares = between * (p * p - p * q + q * q) + 6 * (p * p * b.m2 + q * q * a.m2)
    fourth: FloatArray = a.m4 + b.m4 + delta * (delta * squares + 4 * (p * b.m3 - q * a.m3))
    return fourth


def _extremes(a: Moments, b: Moments) -> dict[str, NDArray[Any]]:
    assert a.minimum is not None
    assert b.minimum is not None
    assert a.maximum is not None
    assert b.maximum is not None
    return {"minimum": np.fmin(a.minimum, b.minimum), "maximum": np.fmax(a.maximum, b.maximum)}


def _keep_nonempty(a: Moments, b: Moments, merged: Moments) -> Moments:
    """Keep one side as it is where the other has no values."""
    sides = a.count == 0, b.count == 0
    if not (sides[0].any() or sides[1].any()):
        return merged
    triples: Any = zip(merged, a, b, strict=True)
    fields: list[Any] = [
        None if new is None else np.where(sides[0], theirs, np.where(sides[1], ours, new))
        for new, ours, theirs in triples
    ]
    return Moments(*fields)._replace(n_missing=merged.n_missing)
