"""Moments of each class and feature of a table."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from importlib import import_module
from types import ModuleType
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rocpredict.base.labels import check_sample_weight
from rocpredict.base.validation import FloatArray, RocPredictError, as_float_array, check_option
from rocpredict.screening.kernels import moments_numpy as numpy_engine
from rocpredict.screening.kernels.backend import map_ordered, select_backend
from rocpredict.screening.kernels.moments_numpy import (
    BufferPool,
    Tile,
    block,
    copied_tiles,
    is_contiguous,
    is_fortran,
    is_readable_in_place,
    median_of_three,
    middle_of_some,
    robust_moments,
    tiles,
    whole,
)
from rocpredict.screening.kernels.results import (
    SMALL,
    Classes,
    Moments,
    Sums,
    as_moments,
    merge,
    needs_recompute,
    rows_by_class,
)

"""Up to how many classes a look at all codes for each class is cheaper than to sort them."""
"""Rows of a class that may be asked for a value."""
"""How many variances the mean may lie from the shift: the last digits lost are those of (1 + 3)^4."""
"""Sums of powers below it may have lost their smallest terms."""


_BATCH_SIZE = 1_024
"""Neighbouring features whose doubts are looked at together."""
_MAX_SKIPPED = 4
"""To copy some features costs about as much as to copy so many times more in a row."""


def dense_moments(X: NDArray[Any], classes: Classes, order: int, engine: ModuleType, n_jobs: int) -> Moments:
    """Find the moments of a dense table without weights."""
    result = Moments.empty(len(classes.counts), X.shape[1], order)
    table = _Table(X, classes, engine, n_jobs, result)
    with np.errstate(all="ignore"):
        doubt = _fast_pass(table)
        for part in _batches(doubt):
            still = _missing_pass(table, part)
            if still.size:
                result.assign(still, robust_moments(X, still, classes, order, engine, n_jobs))
    return result


class _Table(NamedTuple):
    """A table, how to read it, and where the answer goes."""

    X: NDArray[Any]
    classes: Classes
    engine: ModuleType
    n_jobs: int
    result: Moments


class _ColumnSums(NamedTuple):
    """The sums of some columns about a shift; every array has shape (K, b)."""

    columns: slice
    sums: Sums
    shift: FloatArray
    missing: NDArray[np.int64]


def _batches(features: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    """Split ascending features where a new stretch of the table begins."""
    ends = np.flatnonzero(np.diff(features // _BATCH_SIZE)) + 1
    return [part for part in np.split(features, ends) if part.size]


def _fast_pass(table: _Table) -> NDArray[np.intp]:
    """Write down the moments as if nothing were missing, and give the features where this is in doubt."""
    features = np.arange(table.X.shape[1])
    doubt = [np.empty(0, np.intp)]
    for part in _read(table, features, median_of_three(table.X, table.classes), omit=False):
        count = np.broadcast_to(table.classes.counts[:, None], part.shift.shape)
        table.result.assign(part.columns, as_moments(part.sums, part.shift, count, part.missing))
        doubt.append(features[part.columns][needs_recompute(part.sums, count)])
    return np.concatenate(doubt)


def _missing_pass(table: _Table, doubt: NDArray[np.intp]) -> NDArray[np.intp]:
    """Write down the moments of the values that are there, and give the features that are still in doubt."""
    features = _merge_ranges(doubt)
    sampled = middle_of_some(table.X, table.classes, features)
    still = [np.empty(0, np.intp)]
    for part in _read(table, features, np.where(np.isnan(sampled), 0.0, sampled), omit=True):
        here, count = features[part.columns], table.classes.counts[:, None] - part.missing
        asked = np.isin(here, doubt)
        unseen = (np.isnan(sampled[:, part.columns]) & (count > 0)).any(axis=0)
        still.append(here[asked & (needs_recompute(part.sums, count) | unseen)])
        table.result.assign(here[asked], as_moments(part.sums, part.shift, count, part.missing).of_features(asked))
    return np.concatenate(still)


def _merge_ranges(doubt: NDArray[np.intp]) -> NDArray[np.intp]:
    """Take in the features between those in doubt where that is quicker than to leave them out."""
    run = np.arange(doubt[0], doubt[-1] + 1)
    return run if len(run) <= _MAX_SKIPPED * len(doubt) else doubt


def _read(table: _Table, features: NDArray[np.intp], shift: FloatArray, *, omit: bool) -> Iterator[_ColumnSums]:
    """Sum some features about a shift, in place where that can be; NaN is counted and left out only on demand."""
    X, classes, engine, n_jobs, result = table
    direct = is_readable_in_place(X) and is_contiguous(features)
    add = engine.column_sums if is_fortran(X) else engine.row_sums

    rooms = BufferPool()

    def work(piece: Tile) -> tuple[Sums, NDArray[np.int64] | None]:
        here = np.ascontiguousarray(shift[:, piece.columns])
        missing = np.zeros(here.shape, np.int64) if omit else None
        with np.errstate(all="ignore"), nullcontext() if direct else rooms.borrow() as room:
            part, where = (
                (X, _offset_tile(piece, features)) if direct else (block(X, piece, features, room), whole(piece))
            )
            return add(part, where, classes.codes[piece.rows], here, result.order, missing), missing

    cut = list((tiles if direct else copied_tiles)(X, len(features)))
    found = map_ordered(work, (piece for _, stretch in cut for piece in stretch), n_jobs)
    for columns, stretch in cut:
        here = shift[:, columns]
        total, missing = Sums.zero(result.order, *here.shape), np.zeros(here.shape, np.int64)
        for _ in stretch:
            sums, gone = next(found)
            total.add(sums)
            if gone is not None:
                missing += gone
        yield _ColumnSums(columns, total, here, missing)


def _offset_tile(piece: Tile, features: NDArray[np.intp]) -> Tile:
    """Give the piece's place in the whole table."""
    start, columns = int(features[0]), piece.columns
    return piece._replace(columns=slice(start + columns.start, start + columns.stop))


_AT_ONCE = 1_000_000
"""About how many stored values are looked at together."""


class _Part(NamedTuple):
    """The values stored in some rows or columns with their rows, features and classes."""

    values: FloatArray
    rows: NDArray[np.intp]
    features: NDArray[np.intp]
    codes: NDArray[np.intp]


class _StoredMoments(NamedTuple):
    """Moments of what is stored; how many rows and how much weight that is, missing values included."""

    moments: Moments
    rows: NDArray[np.int64]
    weight: NDArray[Any]


def sparse_moments(
    X: Any, classes: Classes, order: int, engine: ModuleType, n_jobs: int, weights: FloatArray | None
) -> Moments:
    """Find the moments of a sparse table in CSC or CSR form; weights must be above 0 in all rows of a class."""
    X = type(X)((X.data, X.indices, X.indptr), shape=X.shape, copy=False)  # scipy notes on it what it looks up
    shape, codes = (len(classes.counts), X.shape[1]), classes.codes.astype(np.intp, copy=False)
    by_rows = X.format == "csr"
    spans = list(_split_nonzeros(X.indptr, max(_AT_ONCE, 2 * shape[0] * shape[1] * by_rows)))

    def work(span: tuple[int, int]) -> _StoredMoments:
        left, right = (0, shape[1]) if by_rows else span
        part = _stored(X, span, codes)
        with np.errstate(all="ignore"):
            return _cells(part, left, (shape[0], right - left), order, engine, weights)

    found = list(_merge_parts(map_ordered(work, spans, n_jobs)) if by_rows else map_ordered(work, spans, n_jobs))
    result = Moments.empty(*shape, order, np.int64 if weights is None else np.float64)
    for (left, right), part in zip([(0, shape[1])] if by_rows else spans, found, strict=True):
        result.assign(
            slice(left, right), _with_zeros(_recompute_doubtful(X, left, part, codes, weights), part, classes, weights)
        )
    return result


def _split_nonzeros(indptr: NDArray[Any], at_once: int) -> Iterator[tuple[int, int]]:
    """Cut the rows of a CSR table, or the columns of a CSC table, into parts of like numbers of stored values."""
    size, low = len(indptr) - 1, 0
    while True:
        high = int(np.searchsorted(indptr, indptr[low] + at_once, side="right")) - 1
        high = min(max(high, low + 1), low + at_once, size)
        yield low, high
        low = high
        if low >= size:
            return


def _merge_parts(parts: Iterator[_StoredMoments]) -> Iterator[_StoredMoments]:
    """Merge parts of rows, one after the other."""
    total = next(parts)
    for part in parts:
        total = _StoredMoments(merge(total.moments, part.moments), total.rows + part.rows, total.weight + part.weight)
    yield total


def _stored(X: Any, span: tuple[int, int], codes: NDArray[np.intp]) -> _Part:
    """Look up what is stored in a span of rows or columns; duplicates are summed in a copy."""
    low, high = span
    start, stop = int(X.indptr[low]), int(X.indptr[high])
    values = as_float_array("X", X.data[start:stop])
    minor, lengths = X.indices[start:stop], np.diff(X.indptr[low : high + 1])
    if not X.has_canonical_format:
        shape = (high - low, X.shape[1]) if X.format == "csr" else (X.shape[0], high - low)
        copy = type(X)((values.copy(), minor.copy(), X.indptr[low : high + 1] - start), shape=shape)
        copy.sum_duplicates()
        values, minor, lengths = copy.data, copy.indices, np.diff(copy.indptr)
    major = np.repeat(np.arange(low, high), lengths)
    rows, features = (major, minor) if X.format == "csr" else (minor, major)
    part = _Part(values, rows, features, codes[rows])
    kept = part.codes >= 0
    left: list[Any] = [field[kept] for field in part]
    return part if kept.all() else _Part(*left)


def _cells(
    part: _Part, left: int, shape: tuple[int, int], order: int, engine: ModuleType, weights: FloatArray | None
) -> _StoredMoments:
    """Find the moments of what is stored for each class and feature, features counted from ``left``."""
    cells, size = part.codes * shape[1] + (part.features - left), shape[0] * shape[1]
    if weights is None:
        moments = Moments(*(field.reshape(shape) for field in engine.cell_moments(part.values, cells, size, order)))
        rows = moments.count + moments.n_missing
        return _StoredMoments(moments, rows, rows)
    held = weights[part.rows]
    fields = numpy_engine.cell_moments(part.values, cells, size, order, held)
    moments = Moments(*(field.reshape(shape) for field in fields))
    rows, weight = np.bincount(cells, minlength=size), np.bincount(cells, held, minlength=size)
    return _StoredMoments(moments, rows.reshape(shape), weight.reshape(shape))


def _recompute_doubtful(
    X: Any, left: int, found: _StoredMoments, codes: NDArray[np.intp], weights: FloatArray | None
) -> Moments:
    """Look once more, one by one, at features with infinities and with values near the ends of float64."""
    moments = found.moments
    last = moments.m2 if moments.m4 is None else moments.m4
    doubt = (~np.isfinite(moments.m2 + last + moments.mean) | ((last < SMALL) & (moments.m2 > 0))) & (moments.count > 0)
    for feature in np.flatnonzero(doubt.any(axis=0)):
        column = X[:, [left + feature]].tocsc()
        part = _stored(column, (0, 1), codes)
        parts = Classes.of(part.codes, len(moments.mean))
        held = None if weights is None else weights[part.rows]
        new = robust_moments(part.values[:, None], np.zeros(1, np.intp), parts, moments.order, numpy_engine, 1, held)
        moments.assign([feature], new)
    return moments


def _with_zeros(moments: Moments, found: _StoredMoments, classes: Classes, weights: FloatArray | None) -> Moments:
    """Merge with the zeros that are not stored."""
    rows = classes.counts[:, None] - found.rows
    count = rows
    if weights is not None:
        whole = np.array([weights[part].sum() for part in rows_by_class(classes.codes, len(classes.counts))])[:, None]
        count = np.where(rows > 0, np.maximum(whole - found.weight, 0.0), 0.0)
    value, nothing = np.where(count > 0, 0.0, np.nan), np.zeros(rows.shape)
    zeros = Moments(count, nothing.astype(np.int64), value, nothing, nothing, nothing, value, value)
    return merge(moments, zeros if moments.order == 4 else zeros.drop_higher())


def moments(
    X: Any,
    codes: NDArray[Any],
    classes: int,
    *,
    order: Literal[2, 4] = 2,
    weights: ArrayLike | None = None,
    engine: str = "numpy",
    n_jobs: int = 1,
) -> Moments:
    """Find the moments of each class and feature.

    Parameters
    ----------
    X : array or scipy sparse table (CSC, CSR) of shape (n, p)
        Real numbers of any type; NaN is missing. It is neither changed nor copied whole.
    codes : integer array of shape (n,)
        The class of each row, 0 to K - 1; -1 for rows that are left out.
    classes : int
        K.
    order : {2, 4}
        Two moments, or four with the extremes.
    weights : array of shape (n,), optional
        How many cases each row stands for, 0 or more; a row of weight 0 is left out. Both engines weigh by numpy.
    engine : {"numpy", "numba", "auto"}
    n_jobs : int
        Threads; the answer is the same for any number.

    Returns
    -------
    Moments of shape (K, p)

    Raises
    ------
    RocPredictError
        An unknown engine or order; weights that are negative, not finite or of another length; integers beyond 2**53
        that float64 cannot tell apart; a sparse format other than CSC and CSR.

    Notes
    -----
    Sums of powers about a value of the class, which is the middle one of three, so that nothing is lost to an offset,
    and equal values have no spread at all. Features whose sums are not finite (NaN, infinities), or whose value turned
    out to lie far from the mean, are read once more. Mean and M2 are right to 1e-12 of their scale; m2 overflows
    for standard deviations beyond 1e154 and underflows below 1e-162, for want of a float64 to hold it.

    Examples
    --------
    >>> import numpy as np
    >>> found = moments(np.array([[1.0], [3.0], [5.0], [np.nan]]), np.array([0, 0, 1, 1]), 2)
    >>> found
    Moments(classes=2, features=1, order=2)
    >>> found.mean[:, 0].tolist(), found.m2[:, 0].tolist(), found.n_missing[:, 0].tolist()
    ([2.0, 5.0], [2.0, 0.0], [0, 1])
    """
    check_option("order", order, (2, 4))
    module, held, codes = _engine(engine), check_sample_weight(weights, X.shape[0]), np.asarray(codes)
    if held is not None:
        module, codes = numpy_engine, np.where(held > 0, codes, -1)
    members = Classes.of(codes, classes)
    if hasattr(X, "tocsc"):
        return _sparse(X, members, order, module, n_jobs, held)
    X = np.asarray(X)
    if held is not None:
        return robust_moments(X, np.arange(X.shape[1]), members, order, module, n_jobs, held)
    return dense_moments(X, members, order, module, n_jobs)


def _engine(name: str) -> ModuleType:
    return (
        numpy_engine if select_backend(name) == "numpy" else import_module("rocpredict.screening.kernels.moments_numba")
    )


def _sparse(
    X: Any, members: Classes, order: int, module: ModuleType, n_jobs: int, weights: NDArray[np.float64] | None
) -> Moments:

    if X.format not in ("csc", "csr"):
        raise RocPredictError(f"X is sparse in {X.format!r} form; the forms read are 'csc' and 'csr'")
    return sparse_moments(X, members, order, module, n_jobs, weights)
