"""Moments of each feature in each class of a table."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rocpredict.base.labels import check_sample_weight
from rocpredict.base.validation import FloatArray, RocPredictError, as_float_array, check_option
from rocpredict.screening.kernels import numpy_engine
from rocpredict.screening.kernels.base import (
    Classes,
    Moments,
    Sparse,
    SparseSums,
    Sums,
    ThreadBuffer,
    Tile,
    as_moments,
    central_sums,
    is_canonical,
    needs_recompute,
    rows_by_class,
    select_engine,
    sum_strips,
)
from rocpredict.sources.blocks import split_by_weight

_TILE_SIZE = 8_388_608
"""Number of cells of a tile that is read without a copy."""
_COPY_SIZE = 262_144
"""Number of cells of a tile that is copied into a reused buffer; these 2 MB fit into the cache of the processor."""
_TILE_ROWS = 8_192
"""Number of rows of a tile that is read without a copy; sums over so many rows are accurate to 15 digits."""
_TILE_ROWS_FORTRAN = 65_536
"""Number of rows of a tile in Fortran order that is read without a copy; the engine sums shorter parts of this tile."""
_COPY_ROWS = 512
"""Number of rows of a tile that is copied."""
_COPY_ROWS_FORTRAN = 16_384
"""Number of rows of a tile in Fortran order that is copied."""
_BATCH_SIZE = 1_024
"""Number of adjacent features that are recomputed at a time."""
_MAX_SKIPPED = 4
"""A range of features is copied as a whole if it contains at most this number of features for each selected feature.

Otherwise, only the selected features are copied."""
_MAX_POWER = 1_000
"""Largest exponent of the power of two by which values are scaled."""


class _Table(NamedTuple):
    """Dense table with the options of the computation. All rows with a class have a weight above 0."""

    X: NDArray[Any]
    classes: Classes
    order: int
    engine: ModuleType
    n_jobs: int
    weights: FloatArray | None = None

    @property
    def is_fortran(self) -> bool:
        """True if consecutive cells of a column are adjacent in memory."""
        return self.X.shape[1] == 1 or abs(self.X.strides[0]) < abs(self.X.strides[1])

    @property
    def is_readable_in_place(self) -> bool:
        """True if the engine can read the table without copying it."""
        contiguous = self.X.T.flags.c_contiguous if self.is_fortran else self.X.flags.c_contiguous
        return bool(contiguous and self.X.flags.aligned and self.X.dtype in (np.float64, np.float32))

    def tiles(self, features: int, *, in_place: bool) -> Iterator[tuple[slice, list[Tile]]]:
        """Divide the features into strips of about equal width, and each strip into tiles."""
        rows, height, size = len(self.X), _COPY_ROWS_FORTRAN if self.is_fortran else _COPY_ROWS, _COPY_SIZE
        if in_place:
            height, size = _TILE_ROWS_FORTRAN if self.is_fortran else _TILE_ROWS, _TILE_SIZE
        height = max(min(rows, height), 1)
        n_strips = max(-(-features // max(size // height, 1)), 1)
        width = max(-(-features // n_strips), 1)
        for left in range(0, features, width):
            columns = slice(left, min(left + width, features))
            yield columns, [(slice(top, min(top + height, rows)), columns) for top in range(0, max(rows, 1), height)]

    def copy(self, rows: slice, features: NDArray[np.intp], scratch: ThreadBuffer) -> FloatArray:
        """Copy a tile to a float64 array with the memory order of the table; ``features`` must be ascending."""
        run = slice(features[0], features[-1] + 1)
        if _is_contiguous(features):
            part = self.X[rows, run]
        elif self.is_fortran:
            part = self.X.T[features, rows].T
        else:
            part = self.X[rows, run][:, features - run.start]
        if part.dtype.itemsize > 8 or (part.dtype.kind in "iu" and part.dtype.itemsize == 8):
            part = as_float_array("X", part)
        buffer = scratch.allocate(part.size, np.dtype(np.float64))
        copy = buffer.reshape(part.shape, order="F" if self.is_fortran else "C")
        np.copyto(copy, part)
        return copy


def _is_contiguous(features: NDArray[np.intp]) -> bool:
    """Check whether ascending features are adjacent."""
    return not len(features) or bool(features[-1] - features[0] == len(features) - 1)


def _dense_moments(table: _Table) -> Moments:
    """Compute the moments of a dense table without weights."""
    features = np.arange(table.X.shape[1])
    result = Moments.empty(len(table.classes.counts), len(features), table.order)
    with np.errstate(all="ignore"):
        sampled = _median_of_three(table.X, table.classes)
        doubt = _store_moments(table, features, features, sampled, result, omit=False)
        for part in filter(len, np.split(doubt, np.flatnonzero(np.diff(doubt // _BATCH_SIZE)) + 1)):
            run = np.arange(part[0], part[-1] + 1)
            features = run if len(run) <= _MAX_SKIPPED * len(part) else part
            sampled = _middle_of_some(table.X, table.classes, features)
            still = _store_moments(table, features, part, sampled, result, omit=True)
            if still.size:
                result.assign(still, _robust_moments(table, still))
    return result


def _median_of_three(X: NDArray[Any], classes: Classes) -> FloatArray:
    """Return the median of the first, middle and last value of each feature in each class.

    The median is subtracted from the values before they are summed. Since the median is one of the values, the
    differences are exact if the standard deviation is small, and 0 if all values are equal. The result is NaN if one of
    the three values is missing.
    """
    shift = np.zeros((len(classes.samples), X.shape[1]))
    for k, rows in enumerate(classes.samples):
        if len(rows):
            a, b, c = (X[rows[at]].astype(np.float64) for at in (0, len(rows) // 2, -1))
            shift[k] = np.maximum(np.minimum(a, b), np.minimum(np.maximum(a, b), c))
    return shift


def _middle_of_some(X: NDArray[Any], classes: Classes, features: NDArray[np.intp]) -> FloatArray:
    """Return the median of some values of each feature in each class; NaN if all of these values are missing."""
    shift = np.full((len(classes.samples), len(features)), np.nan)
    for k, rows in enumerate(classes.samples):
        if len(rows):
            values = np.sort(X[rows[:, None], features].astype(np.float64), axis=0)
            n_valid = len(rows) - np.isnan(values).sum(axis=0)
            shift[k] = np.take_along_axis(values, np.maximum(n_valid - 1, 0)[None] // 2, axis=0)[0]
    return shift


def _store_moments(
    table: _Table,
    features: NDArray[np.intp],
    doubtful: NDArray[np.intp],
    sampled: FloatArray,
    result: Moments,
    *,
    omit: bool,
) -> NDArray[np.intp]:
    """Store the moments of the ``doubtful`` features, and return the features whose moments may still be wrong.

    If ``omit`` is False, missing values are not omitted from the sums, and features with missing values are returned.
    """
    shift, still = np.where(np.isnan(sampled), 0.0, sampled), [np.empty(0, np.intp)]
    for columns, sums in _power_sums(table, features, shift, omit=omit):
        count = np.broadcast_to(table.classes.counts[:, None], sums.powers[0].shape) - (sums.missing if omit else 0)
        unseen = (np.isnan(sampled[:, columns]) & (count > 0)).any(axis=0)
        is_wanted = np.isin(features[columns], doubtful)
        still.append(features[columns][is_wanted & (needs_recompute(sums, count) | unseen)])
        block = as_moments(sums, shift[:, columns], count)
        result.assign(features[columns][is_wanted], block.map(lambda part: part[:, is_wanted]))  # noqa: B023
    return np.concatenate(still)


def _power_sums(
    table: _Table, features: NDArray[np.intp], shift: FloatArray, *, omit: bool, power: NDArray[Any] | None = None
) -> Iterator[tuple[slice, Sums]]:
    """Yield the sums of the powers of (value - shift) for the given features, computed without a copy if possible.

    If ``omit`` is True, NaN is counted and omitted. If ``power`` of shape (K, b) is passed, each finite value is
    multiplied by 2**power for its class and feature, and infinite values are omitted.
    """
    scratch, in_place = ThreadBuffer(), power is None and table.is_readable_in_place and _is_contiguous(features)
    add = partial(table.engine.power_sums, by_columns=table.is_fortran)

    def work(tile: Tile) -> Sums:
        rows, columns = tile
        codes, tile_shift = table.classes.codes[rows], np.ascontiguousarray(shift[:, columns])
        sums = Sums.zero(table.order, *tile_shift.shape, omit=omit)
        with np.errstate(all="ignore"):
            if in_place:
                left = int(features[columns.start])
                add(table.X, (rows, slice(left, left + tile_shift.shape[1])), codes, tile_shift, sums)
                return sums
            copy = table.copy(rows, features[columns], scratch)
            if power is not None:
                np.ldexp(copy, power[:, columns][codes], out=copy)
                copy[np.isinf(copy)] = np.nan
            if table.weights is None:
                add(copy, (slice(0, len(copy)), slice(0, copy.shape[1])), codes, tile_shift, sums)
            else:
                numpy_engine.weighted_sums(copy, codes, tile_shift, table.weights[rows], sums)
        return sums

    return sum_strips(work, table.tiles(len(features), in_place=in_place), table.n_jobs)


class _Extremes(NamedTuple):
    """Counts and extremes of K classes and b features, as arrays of shape (K, b)."""

    counted: NDArray[Any]
    missing: NDArray[np.int64]
    low: FloatArray
    high: FloatArray
    finite_low: FloatArray
    finite_high: FloatArray

    def add(self, other: _Extremes) -> None:
        """Add the counts of further rows, and update the extremes."""
        for ufunc, total, addend in zip([np.add] * 2 + [np.minimum, np.maximum] * 2, self, other, strict=True):
            ufunc(total, addend, out=total)


@np.errstate(all="ignore")
def _robust_moments(table: _Table, features: NDArray[np.intp]) -> Moments:
    """Compute the moments of features that may have infinite, missing, very large or very small values.

    If a feature has infinite values, its mean is infinite, and its sum of squared deviations is NaN. If infinite values
    of both signs occur, the mean is NaN.
    """
    scan = _scan_extremes(table, features)
    n_valid = np.where(scan.counted > 0, scan.counted, 1)
    largest = np.maximum(np.abs(scan.finite_low), np.abs(scan.finite_high))
    power = np.clip(-np.frexp(np.where(np.isinf(largest), 0.0, largest))[1], -_MAX_POWER, _MAX_POWER)
    low, high = np.ldexp(scan.finite_low, power), np.ldexp(scan.finite_high, power)

    def scaled_sums(shift: FloatArray) -> list[FloatArray]:
        finite_shift = np.where(np.isfinite(shift), shift, 0.0)
        strips = _power_sums(table, features, finite_shift, omit=True, power=power)
        return central_sums(np.concatenate([sums.powers for _, sums in strips], axis=-1), n_valid)

    middle = np.where(low == high, low, low / 2 + high / 2)
    shift = np.where(low == high, low, middle + scaled_sums(middle)[0])
    distance, *central = scaled_sums(shift)
    mean = np.ldexp(shift + distance, -power)
    m2, *higher = (np.ldexp(part, -degree * power) for degree, part in enumerate(central, 2))
    m2 = np.maximum(m2, 0.0)
    m2[(scan.low < scan.high) & (m2 == 0)] = np.nextafter(0, 1)  # below the range of float64, but not 0
    empty, is_low, is_high = scan.counted == 0, np.isinf(scan.low), np.isinf(scan.high)
    infinite = (is_low | is_high) & ~empty
    mean = np.where(infinite, np.where(is_low, scan.low, 0.0) + np.where(is_high, scan.high, 0.0), mean)
    mean[empty] = np.nan
    for part in (m2, *higher):
        part[infinite] = np.nan
        part[empty] = 0.0
    extremes = [np.where(empty, np.nan, end) for end in (scan.low, scan.high)] if table.order == 4 else []
    return Moments(scan.counted, scan.missing, mean, m2, *higher, *extremes)


def _scan_extremes(table: _Table, features: NDArray[np.intp]) -> _Extremes:
    """Count the values of the given features, and find the smallest and the largest value."""
    scratch = ThreadBuffer()

    def work(tile: Tile) -> _Extremes:
        rows, columns = tile
        copy, weights = table.copy(rows, features[columns], scratch), table.weights
        parts = rows_by_class(table.classes.codes[rows], len(table.classes.counts))
        with np.errstate(all="ignore"):
            results = [_extremes(copy[part], None if weights is None else weights[rows][part]) for part in parts]
        return _Extremes(*map(np.array, zip(*results, strict=True)))

    strips = sum_strips(work, table.tiles(len(features), in_place=False), table.n_jobs)
    return _Extremes(*(np.concatenate(parts, axis=-1) for parts in zip(*(total for _, total in strips), strict=True)))


def _extremes(values: FloatArray, weights: FloatArray | None) -> list[NDArray[Any]]:
    is_valid, is_finite = ~np.isnan(values), np.isfinite(values)
    count = is_valid.sum(axis=0) if weights is None else weights @ is_valid
    ends = [
        ufunc.reduce(values, axis=0, where=where, initial=start)
        for where in (is_valid, is_finite)
        for ufunc, start in ((np.minimum, np.inf), (np.maximum, -np.inf))
    ]
    return [count, (~is_valid).sum(axis=0), *ends]


_SPAN_VALUES = 1_000_000
"""Number of stored values of a sparse table that are summed at a time."""
_DENSE_CELLS = 4_000_000
"""Number of cells of a sparse table that are converted to a dense table and recomputed at a time."""


def _sparse_moments(
    X: Any, classes: Classes, order: int, engine: ModuleType, n_jobs: int, weights: FloatArray | None
) -> Moments:
    """Compute the moments of a sparse table in CSC or CSR format.

    All rows with a class must have a weight above 0. The powers are summed without a shift, so that zeros that are not
    stored do not contribute.
    """
    shape, by_rows = (len(classes.counts), X.shape[1]), X.format == "csr"
    codes, canonical = np.where(classes.codes < 0, np.intp(shape[0]), classes.codes), is_canonical(X)
    most = max(_SPAN_VALUES, 2 * shape[0] * shape[1] * by_rows)
    spans = split_by_weight(np.diff(X.indptr), most, _SPAN_VALUES)

    def work(span: slice) -> SparseSums:
        part, rows = _stored(X, span, canonical), span if by_rows else slice(None)
        width = shape[1] if by_rows else span.stop - span.start
        options = {"by_rows": by_rows} if weights is None else {"by_rows": by_rows, "weights": weights[rows]}
        with np.errstate(all="ignore"):
            return engine.sparse_sums(part, codes[rows], (shape[0], width), order, **options)

    result = Moments.empty(*shape, order, np.int64 if weights is None else np.float64)
    doubt = [np.empty(0, np.intp)]
    for columns, sums in sum_strips(
        work, [(slice(0, shape[1]), spans)] if by_rows else [(s, [s]) for s in spans], n_jobs
    ):
        with np.errstate(all="ignore"):
            part = _with_zeros(sums, classes, weights)
            doubt.append(columns.start + np.flatnonzero(needs_recompute(sums.sums, part.count)))
        result.assign(columns, part)
    features = np.concatenate(doubt)
    for chunk in split_by_weight(np.full(len(features), X.shape[0]), _DENSE_CELLS):
        dense = X[:, features[chunk]].astype(np.float64).toarray()
        table = _Table(dense, classes, order, engine, n_jobs, weights)
        result.assign(features[chunk], _robust_moments(table, np.arange(dense.shape[1])))
    return result


def _with_zeros(sparse: SparseSums, classes: Classes, weights: FloatArray | None) -> Moments:
    """Return the moments of all values, including zeros that are not stored."""
    sums = sparse.sums
    n_valid = classes.counts[:, None] - sums.missing
    count: NDArray[Any] = n_valid
    if weights is not None:
        total = [weights[rows].sum() for rows in rows_by_class(classes.codes, len(classes.counts))]
        count = np.where(n_valid > 0, np.array(total)[:, None] - sparse.missing_weight, 0.0)
    if sums.low.size:
        has_zeros = n_valid > sparse.stored
        np.minimum(sums.low, 0.0, out=sums.low, where=has_zeros)
        np.maximum(sums.high, 0.0, out=sums.high, where=has_zeros)
    return as_moments(sums, np.zeros(count.shape), count)


def _stored(X: Any, span: slice, canonical: bool) -> Sparse:
    """Return the stored values of some rows (CSR) or columns (CSC). Duplicates are summed in a copy."""
    bounds = X.indptr[span.start : span.stop + 1]
    inside = slice(bounds[0], bounds[-1])
    part = Sparse(as_float_array("X", X.data[inside]), X.indices[inside], bounds - bounds[0])
    if canonical:
        return part
    lengths = span.stop - span.start, X.shape[1] if X.format == "csr" else X.shape[0]
    copy = type(X)(tuple(map(np.copy, part)), shape=lengths if X.format == "csr" else lengths[::-1])
    copy.sum_duplicates()
    return Sparse(copy.data, copy.indices, copy.indptr)


def moments(
    X: Any,
    codes: NDArray[Any],
    classes: int,
    *,
    order: Literal[2, 4] = 2,
    weights: ArrayLike | None = None,
    engine: str = "numpy",
    n_jobs: int = 1,
    shared: Classes | None = None,
) -> Moments:
    """Compute the moments of each feature in each class.

    Parameters
    ----------
    X : array or SciPy sparse matrix (CSC, CSR) of shape (n, p)
        Real numbers of any type; NaN marks a missing value. The table is not changed, and only parts of it are copied.
    codes : array of int of shape (n,)
        Class of each row, 0 to K - 1; -1 for rows that are omitted.
    classes : int
        Number of classes, K.
    order : {2, 4}, default=2
        Number of moments. With order 4, the minimum and the maximum are also computed.
    weights : array-like of shape (n,), optional
        Nonnegative frequency weights; a row of weight 0 is omitted. Weighted sums are computed by NumPy, even with
        ``engine="numba"``.
    engine : {"numpy", "numba", "auto"}, default="numpy"
        Computing engine; see ``screen``.
    n_jobs : int, default=1
        Number of threads. The result does not depend on the number of threads.
    shared : Classes, optional
        Result of ``Classes.of(codes, classes)``, if already computed; ignored if weights are passed.

    Returns
    -------
    Moments
        Moments of shape (K, p).

    Raises
    ------
    RocPredictError
        If the engine or order is unknown, if weights are negative, not finite or of the wrong length, if integers
        cannot be represented exactly in float64, or if a sparse matrix is neither in CSC nor in CSR format.

    Notes
    -----
    Before the powers are summed, the median of three values of the class is subtracted from each value. A constant
    offset therefore causes no loss of digits, and equal values have a variance of exactly 0. A feature is read again if
    its sums are not finite (NaN, infinities), or if the subtracted median is far from the mean. The relative error of
    the mean and of M2, the sum of squared deviations, is at most 1e-12. M2 overflows for standard deviations above
    1e154 and underflows for standard deviations below 1e-162.

    Examples
    --------
    >>> import numpy as np
    >>> result = moments(np.array([[1.0], [3.0], [5.0], [np.nan]]), np.array([0, 0, 1, 1]), 2)
    >>> result
    Moments(classes=2, features=1, order=2)
    >>> result.mean[:, 0].tolist(), result.m2[:, 0].tolist(), result.n_missing[:, 0].tolist()
    ([2.0, 5.0], [2.0, 0.0], [0, 1])
    """
    check_option("order", order, (2, 4))
    module = import_module(f"rocpredict.screening.kernels.{select_engine(engine)}_engine")
    row_weights, codes = check_sample_weight(weights, X.shape[0]), np.asarray(codes)
    if row_weights is not None:
        module, codes = numpy_engine, np.where(row_weights > 0, codes, -1)
    members = shared if shared is not None and row_weights is None else Classes.of(codes, classes)
    if hasattr(X, "tocsc"):
        if X.format not in ("csc", "csr"):
            raise RocPredictError(f"X is a sparse matrix in {X.format!r} format; pass X.tocsc() or X.tocsr()")
        return _sparse_moments(X, members, order, module, n_jobs, row_weights)
    table = _Table(np.asarray(X), members, order, module, n_jobs, row_weights)
    return _dense_moments(table) if row_weights is None else _robust_moments(table, np.arange(X.shape[1]))
