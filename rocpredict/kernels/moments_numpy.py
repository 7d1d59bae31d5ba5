"""Sums of powers by numpy: rows are taken class by class into blocks that stay in the cache."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocpredict.arguments import FloatArray
from rocpredict.kernels.moments_sums import Sums

_BLOCK = 131_072
"""Numbers at a time: 1 MB, gathered once and read several times."""
_WIDE = 2_048
"""Up to how many columns a block of rows has."""


def row_sums(X: NDArray[Any], members: Any, shift: FloatArray, columns: slice, order: int) -> Sums:
    """Sum the powers of (x - shift) of each class over some columns of a table in C order.

    Parameters
    ----------
    X : array of shape (n, p)
        float64 or float32.
    members : Members
        Which rows of which class.
    shift : array of shape (K, b)
    columns : slice
        b columns of X.
    order : {2, 4}

    Returns
    -------
    Sums of shape (K, b)
    """
    sums = Sums.zero(order, *shift.shape)
    width = min(_WIDE, shift.shape[1])
    for left in range(0, shift.shape[1], _WIDE):
        tile = slice(left, left + _WIDE)
        part = X[:, columns.start + left : min(columns.start + left + _WIDE, columns.stop)]
        whole = part.shape == X.shape
        for k, rows in enumerate(members.parts()):
            height = max(_BLOCK // max(width, 1), 32)
            for top in range(0, len(rows), height):
                piece = rows[top : top + height]
                block = X.take(piece, axis=0) if whole else part[piece]
                _add(sums, block, shift[k, tile], k, tile)
    return sums


def _add(sums: Sums, block: NDArray[Any], shift: FloatArray, k: int, tile: slice) -> None:
    """Add the powers of a block of rows of one class."""
    low, high, powers = sums.low, sums.high, sums.powers[:, k, tile]
    if len(sums.powers) == 4:
        low[k, tile] = np.minimum(low[k, tile], block.min(axis=0))
        high[k, tile] = np.maximum(high[k, tile], block.max(axis=0))
    block = _minus(block, shift)
    powers[0] += np.add.reduce(block, axis=0)
    if len(sums.powers) == 2:
        powers[1] += np.einsum("ij,ij->j", block, block)
        return
    square = block * block
    powers[1] += np.add.reduce(square, axis=0)
    powers[2] += np.einsum("ij,ij->j", square, block)
    powers[3] += np.einsum("ij,ij->j", square, square)


def column_sums(X: NDArray[Any], members: Any, shift: FloatArray, columns: slice, order: int) -> Sums:
    """Sum as ``row_sums`` does, over columns of a table in Fortran order."""
    sums = Sums.zero(order, *shift.shape)
    features = X.T[columns]
    for k, rows in enumerate(members.parts()):
        height = max(_BLOCK // max(len(rows), 1), 1)
        for left in range(0, len(features) if len(rows) else 0, height):
            tile = slice(left, left + height)
            _add_columns(sums, features[tile].take(rows, axis=1), shift[k, tile, None], k, tile)
    return sums


def _add_columns(sums: Sums, block: NDArray[Any], shift: FloatArray, k: int, tile: slice) -> None:
    """Add the powers of a block of columns of one class, each column contiguous."""
    powers = sums.powers[:, k, tile]
    if len(sums.powers) == 4:
        sums.low[k, tile] = block.min(axis=1)
        sums.high[k, tile] = block.max(axis=1)
    block = _minus(block, shift)
    powers[0] += block.sum(axis=1)
    powers[1] += np.einsum("ij,ij->i", block, block)
    if len(sums.powers) == 4:
        square = block * block
        powers[2] += np.einsum("ij,ij->i", square, block)
        powers[3] += np.einsum("ij,ij->i", square, square)


def _minus(block: NDArray[Any], shift: FloatArray) -> FloatArray:
    """Subtract in float64, in place where the block is of float64."""
    difference: FloatArray = np.subtract(block, shift, out=block if block.dtype == np.float64 else None)
    return difference


def weighted_sums(block: FloatArray, members: Any, shift: FloatArray, order: int, weights: FloatArray) -> Sums:
    """Sum weights times powers; the extremes are left alone."""
    sums = Sums.zero(order, *shift.shape)
    for k, rows in enumerate(members.parts()):
        held = weights[rows]
        difference = block[rows] - shift[k]
        power = difference.copy()
        for total in sums.powers:
            total[k] += np.einsum("i,ij->j", held, power)
            power *= difference
    return sums


def fill(block: FloatArray, codes: NDArray[Any], shift: FloatArray) -> NDArray[np.int64]:
    """Put the shift of its class in place of what is NaN, and count it: shape (K, b)."""
    rows, columns = np.nonzero(np.isnan(block))
    here = codes[rows]
    rows, columns, here = rows[here >= 0], columns[here >= 0], here[here >= 0]
    block[rows, columns] = shift[here, columns]
    cells = here.astype(np.intp) * shift.shape[1] + columns
    return np.bincount(cells, minlength=shift.size).reshape(shift.shape).astype(np.int64)


def stored(
    values: FloatArray, cells: NDArray[np.intp], size: int, order: int, weights: FloatArray | None = None
) -> tuple[Any, ...]:
    """Find the moments of the values of each cell, whatever their order.

    Parameters
    ----------
    values : array of shape (m,)
        NaN for what is missing.
    cells : array of shape (m,)
        To which of ``size`` cells each value belongs.
    size : int
    order : {2, 4}
    weights : array of shape (m,), optional
        Above 0; only this engine takes them.

    Returns
    -------
    The fields of Moments, each of shape (size,); of an empty cell the mean is 0
    """
    gone = np.isnan(values)
    missing = np.bincount(cells[gone], minlength=size)
    if gone.any():
        values, cells, weights = values[~gone], cells[~gone], None if weights is None else weights[~gone]

    def total(terms: FloatArray) -> NDArray[Any]:
        return np.bincount(cells, terms if weights is None else terms * weights, minlength=size)

    count = np.bincount(cells, weights, minlength=size)
    some = np.where(count > 0, count, 1)
    shift = np.zeros(size)
    shift[cells] = values
    difference = values - shift[cells]
    mean = np.zeros(size)
    for _ in range(2):
        step = total(difference) / some
        difference -= step[cells]
        mean += step
    higher = [total(difference**power) for power in range(2, order + 1)]
    return (count, missing, shift + mean, *higher, *(_extremes(values, cells, size) if order == 4 else []))


def _extremes(values: FloatArray, cells: NDArray[np.intp], size: int) -> list[FloatArray]:
    low, high = np.full(size, np.inf), np.full(size, -np.inf)
    np.minimum.at(low, cells, values)
    np.maximum.at(high, cells, values)
    return [low, high]
