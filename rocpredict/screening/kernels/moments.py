"""Moments of each class and feature of a table."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from types import ModuleType
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rocpredict.base.labels import check_sample_weight
from rocpredict.base.validation import FloatArray, RocPredictError, as_float_array, check_option
from rocpredict.screening.kernels import moments_numpy as numpy_engine
from rocpredict.screening.kernels.base import (
    Classes,
    Moments,
    Sparse,
    Sums,
    as_moments,
    is_canonical,
    map_ordered,
    needs_recompute,
    select_engine,
    split_by_weight,
)
from rocpredict.screening.kernels.moments_numpy import (
    BufferPool,
    FeatureBlock,
    SparseSums,
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
        bounds = np.flatnonzero(np.diff(doubt // _BATCH_SIZE)) + 1
        for part in np.split(doubt, bounds if doubt.size else []):
            still = _missing_pass(table, part) if part.size else part
            if still.size:
                result.assign(still, robust_moments(FeatureBlock(X, still, classes, order, engine, n_jobs)))
    return result


class _Table(NamedTuple):
    """A table, how to read it, and where the answer goes."""

    X: NDArray[Any]
    classes: Classes
    engine: ModuleType
    n_jobs: int
    result: Moments


def _fast_pass(table: _Table) -> NDArray[np.intp]:
    """Store the moments as if nothing were missing, and return the features for which they may be wrong."""
    doubt, shift = [np.empty(0, np.intp)], median_of_three(table.X, table.classes)
    for columns, sums in _read(table, np.arange(table.X.shape[1]), shift, omit=False):
        count = np.broadcast_to(table.classes.counts[:, None], sums.powers[0].shape)
        table.result.assign(columns, as_moments(sums, shift[:, columns], count))
        doubt.append(columns.start + np.flatnonzero(needs_recompute(sums, count)))
    return np.concatenate(doubt)


def _missing_pass(table: _Table, doubt: NDArray[np.intp]) -> NDArray[np.intp]:
    """Store the moments of the values other than NaN, and return the features for which they may be wrong."""
    run = np.arange(doubt[0], doubt[-1] + 1)
    features = run if len(run) <= _MAX_SKIPPED * len(doubt) else doubt
    sampled, still = middle_of_some(table.X, table.classes, features), [np.empty(0, np.intp)]
    shift = np.where(np.isnan(sampled), 0.0, sampled)
    for columns, sums in _read(table, features, shift, omit=True):
        selected, count = features[columns], table.classes.counts[:, None] - sums.missing
        is_doubtful = np.isin(selected, doubt)
        unseen = (np.isnan(sampled[:, columns]) & (count > 0)).any(axis=0)
        still.append(selected[is_doubtful & (needs_recompute(sums, count) | unseen)])
        table.result.assign(selected[is_doubtful], as_moments(sums, shift[:, columns], count).of_features(is_doubtful))
    return np.concatenate(still)


def _read(table: _Table, features: NDArray[np.intp], shift: FloatArray, *, omit: bool) -> Iterator[tuple[slice, Sums]]:
    """Sum some features about a shift, in place where that is possible. NaN is counted and left out only on demand."""
    X, classes, engine, n_jobs, result = table
    direct = is_readable_in_place(X) and is_contiguous(features)
    add = engine.column_sums if is_fortran(X) else engine.row_sums
    buffers = BufferPool()

    def work(tile: Tile) -> Sums:
        tile_shift = np.ascontiguousarray(shift[:, tile.columns])
        sums, codes = Sums.zero(result.order, *tile_shift.shape, omit=omit), classes.codes[tile.rows]
        with np.errstate(all="ignore"):
            if direct:
                start, stop = features[tile.columns][[0, -1]].tolist()
                add(X, tile._replace(columns=slice(start, stop + 1)), codes, tile_shift, sums)
            else:
                with buffers.borrow() as buffer:
                    add(block(X, tile, features, buffer), whole(tile), codes, tile_shift, sums)
        return sums

    strips = list((tiles if direct else copied_tiles)(X, len(features)))
    results = map_ordered(work, (tile for _, strip in strips for tile in strip), n_jobs)
    for columns, strip in strips:
        total = Sums.zero(result.order, len(shift), columns.stop - columns.start, omit=omit)
        for _ in strip:
            total.add(next(results))
        yield columns, total


_SPAN_VALUES = 1_000_000
"""Stored values of a sparse table that are summed together."""
_DENSE_CELLS = 4_000_000
"""Cells of the features of a sparse table that are recomputed together as a dense table."""


def sparse_moments(
    X: Any, classes: Classes, order: int, engine: ModuleType, n_jobs: int, weights: FloatArray | None
) -> Moments:
    """Compute the moments of a sparse table in CSC or CSR form. All rows of a class have weights above 0.

    The powers are summed about 0, to which zeros that are not stored contribute nothing.
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
            sums: SparseSums = engine.sparse_sums(part, codes[rows], (shape[0], width), order, **options)
            return sums

    result = Moments.empty(*shape, order, np.int64 if weights is None else np.float64)
    results = map_ordered(work, spans, n_jobs)
    doubt = []
    for columns in [slice(0, shape[1])] if by_rows else spans:
        total = SparseSums.zero(order, shape[0], columns.stop - columns.start)
        for _ in spans if by_rows else [columns]:
            total.add(next(results))
        with np.errstate(all="ignore"):
            part = total.moments(classes, weights)
            doubt.append(columns.start + np.flatnonzero(needs_recompute(total.sums, part.count)))
        result.assign(columns, part)
    features = np.concatenate([np.empty(0, np.intp), *doubt])
    for chunk in split_by_weight(np.full(len(features), X.shape[0]), _DENSE_CELLS):
        dense, some = X[:, features[chunk]].astype(np.float64).toarray(), np.arange(chunk.stop - chunk.start)
        table = FeatureBlock(dense, some, classes, order, engine, n_jobs, weights)
        result.assign(features[chunk], robust_moments(table))
    return result


def _stored(X: Any, span: slice, canonical: bool) -> Sparse:
    """Return the values stored in some rows (CSR) or columns (CSC). Duplicates are summed in a copy."""
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
    >>> result = moments(np.array([[1.0], [3.0], [5.0], [np.nan]]), np.array([0, 0, 1, 1]), 2)
    >>> result
    Moments(classes=2, features=1, order=2)
    >>> result.mean[:, 0].tolist(), result.m2[:, 0].tolist(), result.n_missing[:, 0].tolist()
    ([2.0, 5.0], [2.0, 0.0], [0, 1])
    """
    check_option("order", order, (2, 4))
    module = import_module(f"rocpredict.screening.kernels.moments_{select_engine(engine)}")
    row_weights, codes = check_sample_weight(weights, X.shape[0]), np.asarray(codes)
    if row_weights is not None:
        module, codes = numpy_engine, np.where(row_weights > 0, codes, -1)
    members = Classes.of(codes, classes)
    if hasattr(X, "tocsc"):
        if X.format not in ("csc", "csr"):
            raise RocPredictError(f"X is sparse in {X.format!r} form; the forms read are 'csc' and 'csr'")
        return sparse_moments(X, members, order, module, n_jobs, row_weights)
    X = np.asarray(X)
    if row_weights is not None:
        return robust_moments(FeatureBlock(X, np.arange(X.shape[1]), members, order, module, n_jobs, row_weights))
    return dense_moments(X, members, order, module, n_jobs)
