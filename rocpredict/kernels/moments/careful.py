"""Moments in three readings, for what a quick sum cannot hold: weights, infinities, numbers near the ends of float64.

The first reading finds the extremes, the second the mean, the third the powers about it; the values are scaled by a
power of 2 of each feature's own.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rocpredict.arguments import FloatArray
from rocpredict.kernels.moments.classes import Classes, class_rows
from rocpredict.kernels.moments.numpy_engine import weighted_sums
from rocpredict.kernels.moments.sums import Moments, central
from rocpredict.kernels.moments.tables import Piece, block, by_columns, copies, whole
from rocpredict.kernels.threads import in_order

_LARGEST_POWER = 1_000


class _Extremes(NamedTuple):
    """What the first reading finds; every array has shape (K, b)."""

    counted: NDArray[Any]
    missing: NDArray[np.int64]
    low: FloatArray
    high: FloatArray
    finite_low: FloatArray
    finite_high: FloatArray


class _Feature(NamedTuple):
    """Some features of a table, and which rows count how much."""

    X: NDArray[Any]
    features: NDArray[np.intp]
    classes: Classes
    order: int
    engine: ModuleType
    n_jobs: int
    weights: FloatArray | None


def careful_moments(
    X: NDArray[Any],
    features: NDArray[np.intp],
    classes: Classes,
    order: int,
    engine: ModuleType,
    n_jobs: int = 1,
    weights: FloatArray | None = None,
) -> Moments:
    """Find the moments of some features whatever their values are; weights must be above 0 in all rows of a class."""
    table = _Feature(X, features, classes, order, engine, n_jobs, weights)
    with np.errstate(all="ignore"):
        seen = _look(table)
        largest = np.maximum(np.abs(seen.finite_low), np.abs(seen.finite_high)).max(axis=0, initial=0.0)
        power = np.clip(-np.frexp(largest)[1], -_LARGEST_POWER, _LARGEST_POWER)
        low, high = np.ldexp(seen.finite_low, power), np.ldexp(seen.finite_high, power)
        middle = np.where(low == high, low, low / 2 + high / 2)
        first, *_ = central(_sums(table, middle, power), _known(seen))
        shift = np.where(low == high, low, middle + first)
        return _moments(seen, shift, power, central(_sums(table, shift, power), _known(seen)), order)


def _known(seen: _Extremes) -> NDArray[Any]:
    return np.where(seen.counted > 0, seen.counted, 1)


def _look(table: _Feature) -> _Extremes:
    """Read once: what is there, and between which ends."""

    def work(piece: Piece) -> _Extremes:
        copy, held = block(table.X, piece, table.features), table.weights
        parts = class_rows(table.classes.codes[piece.rows], len(table.classes.counts))
        with np.errstate(all="ignore"):
            found = [_extremes(copy[rows], None if held is None else held[piece.top + rows]) for rows in parts]
        return _Extremes(*map(np.array, zip(*found, strict=True)))

    return _Extremes(*_side_by_side(table, work, [np.add] * 2 + [np.minimum, np.maximum] * 2))


def _extremes(values: FloatArray, weights: FloatArray | None) -> list[NDArray[Any]]:
    there = ~np.isnan(values)
    count = there.sum(axis=0) if weights is None else weights @ there
    finite = np.isfinite(values)
    ends = [
        reduce.reduce(values, axis=0, where=where, initial=start)
        for where in (there, finite)
        for reduce, start in ((np.minimum, np.inf), (np.maximum, -np.inf))
    ]
    return [count, (~there).sum(axis=0), *ends]


def _sums(table: _Feature, shift: FloatArray, power: NDArray[Any]) -> FloatArray:
    """Read once more: the sums of the powers of what is finite, about a shift, both scaled."""
    shift = np.where(np.isfinite(shift), shift, 0.0)
    add = table.engine.column_sums if by_columns(table.X) else table.engine.row_sums

    def work(piece: Piece) -> list[FloatArray]:
        codes, here = table.classes.codes[piece.rows], np.ascontiguousarray(shift[:, piece.columns])
        with np.errstate(all="ignore"):
            copy = np.ldexp(block(table.X, piece, table.features), power[piece.columns])
            copy[np.isinf(copy)] = np.nan
            if table.weights is None:
                return [add(copy, whole(piece), codes, here, table.order, np.zeros(here.shape, np.int64)).powers]
            return [weighted_sums(copy, codes, here, table.order, table.weights[piece.rows])]

    return _side_by_side(table, work, [np.add])[0]


def _side_by_side(table: _Feature, work: Any, combine: list[np.ufunc]) -> list[NDArray[Any]]:
    """Put the answers for pieces above each other together by ``combine``, and those beside each other in a row."""
    cut = list(copies(table.X, len(table.features)))
    found = in_order(work, (piece for _, stretch in cut for piece in stretch), table.n_jobs)
    stretches = [_combined((next(found) for _ in stretch), combine) for _, stretch in cut]
    return [np.concatenate(parts, axis=-1) for parts in zip(*stretches, strict=True)]


def _combined(answers: Iterable[Iterable[NDArray[Any]]], combine: list[np.ufunc]) -> list[NDArray[Any]]:
    total: list[NDArray[Any]] = []
    for answer in answers:
        new = list(answer)
        total = [add(a, b) for add, a, b in zip(combine, total, new, strict=True)] if total else new
    return total


def _moments(seen: _Extremes, shift: FloatArray, power: NDArray[Any], found: list[FloatArray], order: int) -> Moments:
    """Scale back; infinities have their own mean and no spread."""
    mean = np.ldexp(shift + found[0], -power)
    spread = [np.ldexp(part, -degree * power) for degree, part in enumerate(found[1:], 2)]
    spread[0] = np.maximum(spread[0], 0.0)
    infinite = np.isinf(seen.low) | np.isinf(seen.high)
    empty = seen.counted == 0
    infinite &= ~empty
    mean = np.where(
        infinite, np.where(np.isinf(seen.low), seen.low, 0.0) + np.where(np.isinf(seen.high), seen.high, 0.0), mean
    )
    mean[empty] = np.nan
    spread[0][(seen.low < seen.high) & (spread[0] == 0)] = np.nextafter(0, 1)  # below float64, which is not none
    for part in spread:
        part[infinite] = np.nan
        part[empty] = 0.0
    extremes = [np.where(empty, np.nan, end) for end in (seen.low, seen.high)] if order == 4 else []
    return Moments(seen.counted, seen.missing, mean, *spread, *extremes)
