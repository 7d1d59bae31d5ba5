"""Moments of a dense table: quickly for all features, then once more for those that were in doubt."""

from __future__ import annotations

from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rocpredict.arguments import FloatArray
from rocpredict.kernels.moments_careful import careful_moments
from rocpredict.kernels.moments_sums import Members, Moments, Sums, as_moments, doubtful
from rocpredict.kernels.moments_tables import (
    Piece,
    block,
    by_columns,
    copies,
    in_place,
    middle_of_some,
    middle_of_three,
    pieces,
)
from rocpredict.kernels.threads import in_order

_AT_ONCE = 1_024
"""Neighbouring features whose doubts are looked at together."""
_LEFT_OUT = 4
"""To copy some features costs about as much as to copy so many times more in a row."""


def dense_moments(X: NDArray[Any], members: Members, order: int, engine: ModuleType, n_jobs: int) -> Moments:
    """Find the moments of a dense table without weights."""
    result = Moments.blank(len(members.starts), X.shape[1], order)
    table = _Table(X, members, engine, n_jobs, result)
    doubt = _quick(table)
    for part in _batches(doubt):
        still = _with_missing(table, part)
        if still.size:
            result.put(still, careful_moments(X, still, members, order, engine, n_jobs))
    return result


class _Table(NamedTuple):
    """A table, how to read it, and where the answer goes."""

    X: NDArray[Any]
    members: Members
    engine: ModuleType
    n_jobs: int
    result: Moments


def _batches(features: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    """Split ascending features where a new stretch of the table begins."""
    ends = np.flatnonzero(np.diff(features // _AT_ONCE)) + 1
    return [part for part in np.split(features, ends) if part.size]


def _quick(table: _Table) -> NDArray[np.intp]:
    """Write down the moments as if nothing were missing, and give the features where this is in doubt."""
    X, members, engine, n_jobs, result = table
    direct = in_place(X)
    read = engine.column_sums if by_columns(X) else engine.row_sums

    def work(piece: Piece) -> Sums:
        inside, columns = members.between(piece.top, piece.bottom), piece.columns
        with np.errstate(all="ignore"):
            shift = middle_of_three(X, members, columns)
            if direct:
                return read(X, inside, shift, columns, result.order)  # type: ignore[no-any-return]
            return _of_block(block(X, piece), inside.from_row(piece.top), shift, table)

    cut = list(pieces(X) if direct else copies(*X.shape))
    found = in_order(work, (piece for _, stretch in cut for piece in stretch), n_jobs)
    doubt = [np.empty(0, np.intp)]
    for columns, stretch in cut:
        total = Sums.zero(result.order, len(members.starts), columns.stop - columns.start)
        for _ in stretch:
            total.add(next(found))
        with np.errstate(all="ignore"):
            count = np.broadcast_to(members.counts[:, None], total.powers.shape[1:])
            shift = middle_of_three(X, members, columns)
            result.put(columns, as_moments(total, shift, count, np.zeros(count.shape, np.int64)))
            doubt.append(columns.start + np.flatnonzero(doubtful(total, count)))
    return np.concatenate(doubt)


def _of_block(copy: FloatArray, inside: Members, shift: FloatArray, table: _Table) -> Sums:
    columns = slice(0, copy.shape[1])
    return table.engine.row_sums(copy, inside, shift, columns, table.result.order)  # type: ignore[no-any-return]


def _with_missing(table: _Table, doubt: NDArray[np.intp]) -> NDArray[np.intp]:
    """Write down the moments of the values that are there, and give the features that are still in doubt."""
    X, members, engine, n_jobs, result = table
    features = _read_together(doubt)
    codes, sampled = members.codes(len(X)), middle_of_some(X, members, features)
    shift = np.where(np.isnan(sampled), 0.0, sampled)

    def work(piece: Piece) -> tuple[Sums, NDArray[np.int64]]:
        inside = members.between(piece.top, piece.bottom).from_row(piece.top)
        copy, here = block(X, piece, features), np.ascontiguousarray(shift[:, piece.columns])
        with np.errstate(all="ignore"):
            missing = engine.fill(copy, codes[piece.top : piece.bottom], here)
            return _of_block(copy, inside, here, table), missing

    cut = list(copies(len(X), len(features)))
    found = in_order(work, (piece for _, stretch in cut for piece in stretch), n_jobs)
    still = [np.empty(0, np.intp)]
    for columns, stretch in cut:
        total = Sums.zero(result.order, len(shift), columns.stop - columns.start)
        missing = np.zeros(total.powers.shape[1:], dtype=np.int64)
        for _ in stretch:
            sums, gone = next(found)
            total.add(sums)
            missing += gone
        count = members.counts[:, None] - missing
        asked = np.isin(features[columns], doubt)
        with np.errstate(all="ignore"):
            moments = as_moments(total, shift[:, columns], count, missing)
            unseen = (np.isnan(sampled[:, columns]) & (count > 0)).any(axis=0)
            still.append(features[columns][asked & (doubtful(total, count) | unseen)])
        result.put(features[columns][asked], moments.of_features(asked))
    return np.concatenate(still)


def _read_together(doubt: NDArray[np.intp]) -> NDArray[np.intp]:
    """Take in the features between those in doubt where that is quicker than to leave them out."""
    run = np.arange(doubt[0], doubt[-1] + 1)
    return run if len(run) <= _LEFT_OUT * len(doubt) else doubt
