"""Moments of a sparse table: those of the values stored, and one block of zeros for the others."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rocpredict.arguments import FloatArray, to_floats
from rocpredict.kernels.moments import numpy_engine
from rocpredict.kernels.moments.careful import careful_moments
from rocpredict.kernels.moments.classes import Classes, class_rows
from rocpredict.kernels.moments.merging import merge
from rocpredict.kernels.moments.sums import SMALL, Moments
from rocpredict.kernels.threads import in_order

_AT_ONCE = 1_000_000
"""About how many stored values are looked at together."""


class _Part(NamedTuple):
    """The values stored in some rows or columns with their rows, features and classes."""

    values: FloatArray
    rows: NDArray[np.intp]
    features: NDArray[np.intp]
    codes: NDArray[np.intp]


class _Found(NamedTuple):
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
    spans = list(_spans(X.indptr, max(_AT_ONCE, 2 * shape[0] * shape[1] * by_rows)))

    def work(span: tuple[int, int]) -> _Found:
        left, right = (0, shape[1]) if by_rows else span
        part = _stored(X, span, codes)
        with np.errstate(all="ignore"):
            return _cells(part, left, (shape[0], right - left), order, engine, weights)

    found = list(_joined(in_order(work, spans, n_jobs)) if by_rows else in_order(work, spans, n_jobs))
    result = Moments.blank(*shape, order, np.int64 if weights is None else np.float64)
    for (left, right), part in zip([(0, shape[1])] if by_rows else spans, found, strict=True):
        result.put(slice(left, right), _with_zeros(_redone(X, left, part, codes, weights), part, classes, weights))
    return result


def _spans(indptr: NDArray[Any], at_once: int) -> Iterator[tuple[int, int]]:
    """Cut the rows of a CSR table, or the columns of a CSC table, into parts of like numbers of stored values."""
    size, low = len(indptr) - 1, 0
    while True:
        high = int(np.searchsorted(indptr, indptr[low] + at_once, side="right")) - 1
        high = min(max(high, low + 1), low + at_once, size)
        yield low, high
        low = high
        if low >= size:
            return


def _joined(parts: Iterator[_Found]) -> Iterator[_Found]:
    """Merge parts of rows, one after the other."""
    total = next(parts)
    for part in parts:
        total = _Found(merge(total.moments, part.moments), total.rows + part.rows, total.weight + part.weight)
    yield total


def _stored(X: Any, span: tuple[int, int], codes: NDArray[np.intp]) -> _Part:
    """Look up what is stored in a span of rows or columns; duplicates are summed in a copy."""
    low, high = span
    start, stop = int(X.indptr[low]), int(X.indptr[high])
    values = to_floats("X", X.data[start:stop])
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
) -> _Found:
    """Find the moments of what is stored for each class and feature, features counted from ``left``."""
    cells, size = part.codes * shape[1] + (part.features - left), shape[0] * shape[1]
    if weights is None:
        moments = Moments(*(field.reshape(shape) for field in engine.stored(part.values, cells, size, order)))
        rows = moments.count + moments.missing
        return _Found(moments, rows, rows)
    held = weights[part.rows]
    fields = numpy_engine.stored(part.values, cells, size, order, held)
    moments = Moments(*(field.reshape(shape) for field in fields))
    rows, weight = np.bincount(cells, minlength=size), np.bincount(cells, held, minlength=size)
    return _Found(moments, rows.reshape(shape), weight.reshape(shape))


def _redone(X: Any, left: int, found: _Found, codes: NDArray[np.intp], weights: FloatArray | None) -> Moments:
    """Look once more, one by one, at features with infinities and with values near the ends of float64."""
    moments = found.moments
    last = moments.m2 if moments.m4 is None else moments.m4
    doubt = (~np.isfinite(moments.m2 + last + moments.mean) | ((last < SMALL) & (moments.m2 > 0))) & (moments.count > 0)
    for feature in np.flatnonzero(doubt.any(axis=0)):
        column = X[:, [left + feature]].tocsc()
        part = _stored(column, (0, 1), codes)
        parts = Classes.of(part.codes, len(moments.mean))
        held = None if weights is None else weights[part.rows]
        new = careful_moments(part.values[:, None], np.zeros(1, np.intp), parts, moments.order, numpy_engine, 1, held)
        moments.put([feature], new)
    return moments


def _with_zeros(moments: Moments, found: _Found, classes: Classes, weights: FloatArray | None) -> Moments:
    """Merge with the zeros that are not stored."""
    rows = classes.counts[:, None] - found.rows
    count = rows
    if weights is not None:
        whole = np.array([weights[part].sum() for part in class_rows(classes.codes, len(classes.counts))])[:, None]
        count = np.where(rows > 0, np.maximum(whole - found.weight, 0.0), 0.0)
    value, nothing = np.where(count > 0, 0.0, np.nan), np.zeros(rows.shape)
    zeros = Moments(count, nothing.astype(np.int64), value, nothing, nothing, nothing, value, value)
    return merge(moments, zeros if moments.order == 4 else zeros.of_order_two())
