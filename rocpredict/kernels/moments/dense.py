"""Moments of a dense table: quickly for all features, then once more for those that were in doubt."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rocpredict.arguments import FloatArray
from rocpredict.kernels.moments.careful import careful_moments
from rocpredict.kernels.moments.classes import Classes
from rocpredict.kernels.moments.sums import Moments, Sums, as_moments, doubtful
from rocpredict.kernels.moments.tables import (
    Piece,
    Rooms,
    block,
    by_columns,
    copies,
    in_a_row,
    in_place,
    middle_of_some,
    middle_of_three,
    pieces,
    whole,
)
from rocpredict.kernels.threads import in_order

_AT_ONCE = 1_024
"""Neighbouring features whose doubts are looked at together."""
_LEFT_OUT = 4
"""To copy some features costs about as much as to copy so many times more in a row."""


def dense_moments(X: NDArray[Any], classes: Classes, order: int, engine: ModuleType, n_jobs: int) -> Moments:
    """Find the moments of a dense table without weights."""
    result = Moments.blank(len(classes.counts), X.shape[1], order)
    table = _Table(X, classes, engine, n_jobs, result)
    with np.errstate(all="ignore"):
        doubt = _quick(table)
        for part in _batches(doubt):
            still = _with_missing(table, part)
            if still.size:
                result.put(still, careful_moments(X, still, classes, order, engine, n_jobs))
    return result


class _Table(NamedTuple):
    """A table, how to read it, and where the answer goes."""

    X: NDArray[Any]
    classes: Classes
    engine: ModuleType
    n_jobs: int
    result: Moments


class _Stretch(NamedTuple):
    """The sums of some columns about a shift; every array has shape (K, b)."""

    columns: slice
    sums: Sums
    shift: FloatArray
    missing: NDArray[np.int64]


def _batches(features: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    """Split ascending features where a new stretch of the table begins."""
    ends = np.flatnonzero(np.diff(features // _AT_ONCE)) + 1
    return [part for part in np.split(features, ends) if part.size]


def _quick(table: _Table) -> NDArray[np.intp]:
    """Write down the moments as if nothing were missing, and give the features where this is in doubt."""
    features = np.arange(table.X.shape[1])
    doubt = [np.empty(0, np.intp)]
    for part in _read(table, features, middle_of_three(table.X, table.classes), omit=False):
        count = np.broadcast_to(table.classes.counts[:, None], part.shift.shape)
        table.result.put(part.columns, as_moments(part.sums, part.shift, count, part.missing))
        doubt.append(features[part.columns][doubtful(part.sums, count)])
    return np.concatenate(doubt)


def _with_missing(table: _Table, doubt: NDArray[np.intp]) -> NDArray[np.intp]:
    """Write down the moments of the values that are there, and give the features that are still in doubt."""
    features = _read_together(doubt)
    sampled = middle_of_some(table.X, table.classes, features)
    still = [np.empty(0, np.intp)]
    for part in _read(table, features, np.where(np.isnan(sampled), 0.0, sampled), omit=True):
        here, count = features[part.columns], table.classes.counts[:, None] - part.missing
        asked = np.isin(here, doubt)
        unseen = (np.isnan(sampled[:, part.columns]) & (count > 0)).any(axis=0)
        still.append(here[asked & (doubtful(part.sums, count) | unseen)])
        table.result.put(here[asked], as_moments(part.sums, part.shift, count, part.missing).of_features(asked))
    return np.concatenate(still)


def _read_together(doubt: NDArray[np.intp]) -> NDArray[np.intp]:
    """Take in the features between those in doubt where that is quicker than to leave them out."""
    run = np.arange(doubt[0], doubt[-1] + 1)
    return run if len(run) <= _LEFT_OUT * len(doubt) else doubt


def _read(table: _Table, features: NDArray[np.intp], shift: FloatArray, *, omit: bool) -> Iterator[_Stretch]:
    """Sum some features about a shift, in place where that can be; NaN is counted and left out only on demand."""
    X, classes, engine, n_jobs, result = table
    direct = in_place(X) and in_a_row(features)
    add = engine.column_sums if by_columns(X) else engine.row_sums

    rooms = Rooms()

    def work(piece: Piece) -> tuple[Sums, NDArray[np.int64] | None]:
        here = np.ascontiguousarray(shift[:, piece.columns])
        missing = np.zeros(here.shape, np.int64) if omit else None
        with np.errstate(all="ignore"), nullcontext() if direct else rooms.lent() as room:
            part, where = (X, _moved(piece, features)) if direct else (block(X, piece, features, room), whole(piece))
            return add(part, where, classes.codes[piece.rows], here, result.order, missing), missing

    cut = list((pieces if direct else copies)(X, len(features)))
    found = in_order(work, (piece for _, stretch in cut for piece in stretch), n_jobs)
    for columns, stretch in cut:
        here = shift[:, columns]
        total, missing = Sums.zero(result.order, *here.shape), np.zeros(here.shape, np.int64)
        for _ in stretch:
            sums, gone = next(found)
            total.add(sums)
            if gone is not None:
                missing += gone
        yield _Stretch(columns, total, here, missing)


def _moved(piece: Piece, features: NDArray[np.intp]) -> Piece:
    """Give the piece's place in the whole table."""
    start, columns = int(features[0]), piece.columns
    return piece._replace(columns=slice(start + columns.start, start + columns.stop))
