"""Engine selection, multithreaded computation, and class moments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib import import_module
from itertools import pairwise
from os import cpu_count
from threading import local
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from rocpredict.base.validation import FloatArray, RocPredictError, check_int, check_option
from rocpredict.sources.blocks import Item, Output, map_ordered

Engine: TypeAlias = Literal["auto", "numpy", "numba"]
ENGINES: tuple[Engine, ...] = get_args(Engine)
"""Values of ``engine=``; "auto" selects numba if it is installed and the table is large."""
MIN_CELLS_NUMBA = 1_000_000
"""Smallest number of cells for which "auto" selects numba; for fewer cells, loading compiled code takes too long."""


def select_engine(engine: str, cells: int = MIN_CELLS_NUMBA) -> str:
    """Select the engine, "numpy" or "numba".

    Parameters
    ----------
    engine : {"auto", "numpy", "numba"}
        Requested engine.
    cells : int, default=1_000_000
        Number of cells of the table.

    Raises
    ------
    RocPredictError
        If the engine is unknown, or numba cannot be imported.
    """
    check_option("engine", engine, ENGINES)
    if engine == "numba" and not _numba_works():
        raise RocPredictError("engine='numba' needs numba: pip install 'rocpredict[fast]'")
    if engine == "auto":
        return "numba" if cells >= MIN_CELLS_NUMBA and _numba_works() else "numpy"
    return engine


@cache
def _numba_works() -> bool:
    """Check whether numba is installed and supports the installed version of NumPy."""
    try:
        import_module("numba")
    except (ImportError, SystemError):
        return False
    return True


def sum_strips(
    work: Callable[[Item], Output], strips: Iterable[tuple[slice, list[Item]]], n_jobs: int
) -> Iterator[tuple[slice, Output]]:
    """Yield, for each strip of tiles, its columns and the sum of ``work(tile)`` over its tiles.

    The results are added in the order of the tiles, so that the sum does not depend on the number of threads.
    """
    strips = list(strips)
    results = map_ordered(work, (tile for _, tiles in strips for tile in tiles), n_jobs)
    for columns, tiles in strips:
        total: Any = next(results)
        for _ in tiles[1:]:
            total.add(next(results))
        yield columns, total


def effective_n_jobs(n_jobs: int) -> int:
    """Return the number of threads; ``n_jobs=-1`` selects one thread per processor."""
    jobs = check_int("n_jobs", n_jobs)
    if jobs == -1:
        return cpu_count() or 1
    if jobs < 1:
        raise RocPredictError(
            f"n_jobs={jobs} is not valid; pass a positive integer, or -1 for one thread per processor"
        )
    return jobs


class ThreadBuffer(local):
    """Memory that a thread reuses for each block; allocating new memory would take longer than copying a block."""

    buffer: NDArray[np.uint8] = np.empty(0, dtype=np.uint8)

    def allocate(self, size: int, dtype: np.dtype[Any]) -> NDArray[Any]:
        """Return an array that reuses the memory of the previous array.

        Arrays of integers are set to 0. Arrays of other types are not initialized.
        """
        if len(self.buffer) < size * dtype.itemsize:
            self.buffer = np.empty(size * dtype.itemsize, dtype=np.uint8)
        array = self.buffer[: size * dtype.itemsize].view(dtype)
        if dtype.kind in "iu":  # the conversion to float64 checks unused integers too
            array[:] = 0
        return array


Tile: TypeAlias = tuple[slice, slice]
"""Slices of the rows and of the columns of a table."""


class Sparse(NamedTuple):
    """Arrays of a sparse matrix in CSC or CSR format."""

    data: NDArray[Any]
    indices: NDArray[Any]
    indptr: NDArray[Any]


def is_canonical(X: Any) -> bool:
    """Return whether each cell of a sparse matrix is stored at most once.

    A second matrix with the same arrays is checked, so that SciPy does not store the result in the user's matrix.
    """
    return bool(type(X)((X.data, X.indices, X.indptr), shape=X.shape, copy=False).has_canonical_format)


_MAX_SCANNED_CLASSES = 8
"""Largest number of classes for which scanning the codes once for each class is faster than sorting them."""
_N_SAMPLE_ROWS = 25
"""The shift, which is subtracted from values before they are summed, is computed from at most this number of rows."""


def rows_by_class(codes: NDArray[Any], classes: int) -> Iterator[NDArray[np.intp]]:
    """Yield the row indices of each class in ascending order. Rows without a class have code -1."""
    if classes <= _MAX_SCANNED_CLASSES:
        yield from (np.flatnonzero(codes == k) for k in range(classes))
        return
    order = np.argsort(codes, kind="stable")
    bounds = np.searchsorted(codes[order], np.arange(classes + 1))
    yield from (order[start:stop] for start, stop in pairwise(bounds))


class Classes(NamedTuple):
    """Class of each row, number of rows of each class, and a sample of the rows of each class.

    The rows of a class are listed for one part of the table at a time, because row indices need more memory than codes.
    """

    codes: NDArray[Any]
    counts: NDArray[np.intp]
    samples: list[NDArray[np.intp]]

    @classmethod
    def of(cls, codes: NDArray[Any], classes: int) -> Classes:
        """Count and sample the rows of each class; codes are 0 to ``classes`` - 1, or -1 for rows without a class."""
        codes = codes.astype(np.int8 if classes <= np.iinfo(np.int8).max else np.intp, copy=False)
        counts, samples = np.zeros(classes, np.intp), []
        for k, rows in enumerate(rows_by_class(codes, classes)):
            counts[k] = len(rows)
            places = np.linspace(0, max(len(rows) - 1, 0), min(_N_SAMPLE_ROWS, len(rows)))
            samples.append(rows[np.unique(places.astype(int))])
        return cls(codes, counts, samples)


_MAX_SHIFT_RATIO = 9.0
"""Largest (mean - shift)^2, divided by the variance, at which sums are accurate."""
_MIN_POWER_SUM = 1e-280
"""Smallest sum of powers without a risk of underflow."""


class Sums(NamedTuple):
    """Sums of the powers 1 to ``order`` of (value - shift), for K classes and b features.

    The last two axes of each array have shape (K, b).
    """

    missing: NDArray[np.int64]
    """Number of omitted NaNs; an array without rows if NaN is not omitted."""
    powers: FloatArray
    low: FloatArray
    high: FloatArray

    @classmethod
    def zero(cls, order: int, classes: int, width: int, *, omit: bool = False) -> Sums:
        """Return the initial sums, before rows are added. The arrays of extremes are empty unless ``order`` is 4."""
        low = np.full((classes if order == 4 else 0, width), np.inf)
        return cls(np.zeros((classes * omit, width), np.int64), np.zeros((order, classes, width)), low, -low)

    def add(self, other: Sums) -> None:
        """Add the sums over further rows, which must be computed with the same shift."""
        for ufunc, total, addend in zip((np.add, np.add, np.minimum, np.maximum), self, other, strict=True):
            ufunc(total, addend, out=total)


class SparseSums(NamedTuple):
    """Sums of the powers of stored values, for K classes and b features.

    The last two axes of each array have shape (K, b).
    """

    sums: Sums
    stored: NDArray[np.int64]
    """Number of stored values other than NaN; 0 unless four powers are summed."""
    missing_weight: NDArray[Any]
    """Sum of the weights of missing values; 0 without weights."""

    @classmethod
    def zero(cls, order: int, classes: int, width: int) -> SparseSums:
        """Return the initial sums, before rows are added."""
        shape = classes, width
        return cls(Sums.zero(order, *shape, omit=True), np.zeros(shape, np.int64), np.zeros(shape))

    def add(self, other: SparseSums) -> None:
        """Add the sums over further rows."""
        self.sums.add(other.sums)
        np.add(self.stored, other.stored, out=self.stored)
        np.add(self.missing_weight, other.missing_weight, out=self.missing_weight)


class Moments(NamedTuple):
    """Count, mean and central moments of each feature in each class; every array has shape (K, p).

    Attributes
    ----------
    count : array of int64, or of float64 with weights
        Number of values that are not missing; with weights, the sum of their weights.
    n_missing : array of int64
        Number of missing values (NaN).
    mean, m2 : array of float64
        Mean, and sum of (x - mean)^2. If there are no values, the mean is NaN and the sum is 0.
    m3, m4 : array of float64, or None
        Sums of (x - mean)^3 and (x - mean)^4.
    minimum, maximum : array of float64, or None
        Smallest and largest value; NaN if there are no values.
    """

    count: NDArray[Any]  # type: ignore[assignment]  # a tuple has a method of this name
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
        """Number of moments, 2 or 4."""
        return 2 if self.m4 is None else 4

    def map(self, function: Callable[..., Any], *others: Moments) -> Moments:
        """Apply a function to each array and the corresponding arrays of ``others``."""
        fields: Any = (None if arrays[0] is None else function(*arrays) for arrays in zip(self, *others, strict=True))
        return Moments(*fields)

    @classmethod
    def empty(cls, classes: int, features: int, order: int, count: Any = np.int64) -> Moments:
        """Return moments with uninitialized arrays."""
        shape = (classes, features)
        further: list[Any] = [np.empty(shape) for _ in range(4 if order == 4 else 0)]
        return cls(np.empty(shape, count), np.empty(shape, np.int64), np.empty(shape), np.empty(shape), *further)

    def assign(self, columns: Any, block: Moments) -> None:
        """Store the moments of the selected features."""
        for target, values in zip(self, block, strict=True):
            if target is not None and values is not None:
                target[:, columns] = values


def central_sums(powers: FloatArray, count: NDArray[Any]) -> list[FloatArray]:
    """Compute the mean minus the shift, and the sum of each higher power of the deviations from the mean."""
    first, second = powers[:2]
    mean = first / np.maximum(count, np.finfo(float).tiny)
    m2 = second - first * mean
    if len(powers) == 2:
        return [mean, m2]
    third, fourth = powers[2:]
    m3 = third - mean * (3 * second - 2 * first * mean)
    return [mean, m2, m3, fourth - mean * (4 * third - mean * (6 * second - 3 * first * mean))]


def as_moments(sums: Sums, shift: FloatArray, count: NDArray[Any]) -> Moments:
    """Convert sums about a shift to moments. The mean and the extremes are NaN if there are no values."""
    mean, m2, *higher = central_sums(sums.powers, count)
    mean += shift
    extremes = [sums.low.copy(), sums.high.copy()] if higher else []
    empty = count == 0
    if empty.any():
        for array in (mean, *extremes):
            array[empty] = np.nan
    missing = sums.missing if sums.missing.size else np.zeros(count.shape, np.int64)
    return Moments(count, missing, mean, np.maximum(m2, 0.0, out=m2), *higher, *extremes)


def needs_recompute(sums: Sums, count: NDArray[Any]) -> NDArray[np.bool_]:
    """Return a mask of shape (b,) that marks the features whose moments must be computed again.

    For these features, a sum is not finite, a sum has underflowed, or the shift is far from the mean.
    """
    first, second, last = sums.powers[0], sums.powers[1], sums.powers[-1]
    squared_sum = first * first
    is_bad_shift = squared_sum * (1 + _MAX_SHIFT_RATIO) > _MAX_SHIFT_RATIO * second * count
    is_underflow = (last < _MIN_POWER_SUM) & (second + np.abs(first) > 0)
    return np.asarray((is_bad_shift | is_underflow | ~np.isfinite(last)).any(axis=0))


def merge(a: Moments, b: Moments) -> Moments:
    """Merge the moments of two sets of rows by the pairwise update formula.

    Parameters
    ----------
    a, b : Moments
        Moments of the same shape. If one of them has order 2, the result has order 2.

    Returns
    -------
    Moments
        Merged moments. If one set of rows has no values for a feature, the moments of the other set are returned for
        this feature.

    Notes
    -----
    The rounding errors of the two means affect their difference. The relative error of M2, the sum of squared
    deviations, is therefore about 1e-16 m d. Here m is the magnitude of the two means, and d is the difference between
    them, both in units of the standard deviation.

    References
    ----------
    Chan, Golub and LeVeque (1983), The American Statistician 37, 242; Pebay (2008), Sandia report SAND2008-6212.
    """
    if a.order != b.order:
        a, b = Moments(*a[:4]), Moments(*b[:4])
    with np.errstate(all="ignore"):
        count = a.count + b.count
        some = np.where(count > 0, count, 1)
        p, q = a.count / some, b.count / some
        delta = b.mean - a.mean
        mean = np.where(np.isfinite(delta), a.mean + delta * q, p * a.mean + q * b.mean)
        between = delta * delta * p * b.count
        higher = _merge_higher(a, b, delta, between, p, q) if a.order == 4 else []
        merged = Moments(count, a.n_missing + b.n_missing, mean, a.m2 + b.m2 + between, *higher)
    a_is_empty, b_is_empty = a.count == 0, b.count == 0
    if not (a_is_empty.any() or b_is_empty.any()):
        return merged
    chosen = merged.map(lambda new, x, y: np.where(a_is_empty, y, np.where(b_is_empty, x, new)), a, b)
    return chosen._replace(n_missing=merged.n_missing)


def _merge_higher(a: Any, b: Any, delta: FloatArray, between: FloatArray, p: Any, q: Any) -> list[FloatArray]:
    """Return M3, M4, minimum and maximum of the merged sets."""
    m3 = a.m3 + b.m3 + delta * (between * (p - q) + 3 * (p * b.m2 - q * a.m2))
    squares = between * (p * p - p * q + q * q) + 6 * (p * p * b.m2 + q * q * a.m2)
    m4 = a.m4 + b.m4 + delta * (delta * squares + 4 * (p * b.m3 - q * a.m3))
    return [m3, m4, np.fmin(a.minimum, b.minimum), np.fmax(a.maximum, b.maximum)]
