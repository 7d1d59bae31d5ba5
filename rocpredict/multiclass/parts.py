"""The parts of a multiclass AUC: which column ranks which classes, and how they are mixed."""

from __future__ import annotations

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rocpredict.arguments import FloatArray
from rocpredict.empirical import EmpiricalRoc
from rocpredict.inference.placements import at_rows, place

REST = "rest"

Groups = list[NDArray[np.intp]]
"""The rows of each class."""


class Part(NamedTuple):
    """Say which column ranks which classes against which, by their places among the labels."""

    column: int
    positive: tuple[int, ...]
    negative: tuple[int, ...]

    def rows(self, side: str, groups: Groups) -> NDArray[np.intp]:
        """Give the rows of the positive or the negative classes."""
        return np.concatenate([groups[k] for k in getattr(self, side)])

    def roc(self, columns: FloatArray, groups: Groups) -> EmpiricalRoc:
        """Give the curve of this part."""
        values = {side: columns[self.rows(side, groups), self.column] for side in ("negative", "positive")}
        return EmpiricalRoc(**values)

    def negative_name(self, names: list[Any]) -> Any:
        """Give the label of the negative class, or "rest" for several."""
        return names[self.negative[0]] if len(self.negative) == 1 else REST


def layout_of(method: str, average: str | None, sizes: list[int], width: int) -> tuple[list[Part], FloatArray]:
    """Give the parts, and the matrix that makes answers of their areas: weights, one row an answer."""
    classes = range(len(sizes))
    if method == "one-vs-rest":
        layout = [Part(k, (k,), tuple(other for other in classes if other != k)) for k in classes]
        single, share = np.eye(len(layout)), np.array(sizes, dtype=float)
    else:
        pairs = list(combinations(classes, 2))
        layout = [part for pair in pairs for part in _pair(*pair, one_feature=width == 1)]
        each = len(layout) // len(pairs)
        single = np.repeat(np.eye(len(pairs)), each, axis=1) / each
        share = np.array([sizes[i] + sizes[j] for i, j in pairs], dtype=float)
    if average is None:
        return layout, single
    share = share if average == "weighted" else np.ones(len(share))
    return layout, (share @ single)[None, :]


def mixed(mixing: FloatArray, areas: FloatArray) -> FloatArray:
    """Give the weighted means of areas, shape (..., parts), one a row of ``mixing``."""
    return np.asarray(areas @ mixing.T / mixing.sum(axis=1))  # divided last: the mean of ones is 1


def placed(layout: list[Part], rocs: list[EmpiricalRoc], columns: FloatArray, groups: Groups) -> FloatArray:
    """Give how each row moves the area of each part, shape (n, parts).

    That is its placement, times the share that its class has in its side; 0 for rows that the part does not use.
    """
    moves = np.zeros((len(columns), len(layout)))
    for index, (part, roc) in enumerate(zip(layout, rocs, strict=True)):
        found = place(roc.negative, roc.positive)
        for side in ("negative", "positive"):
            rows, distribution = part.rows(side, groups), getattr(roc, side)
            values = at_rows(getattr(found, side), distribution.ordered, columns[rows, part.column])
            sizes = [len(groups[k]) for k in getattr(part, side)]
            moves[rows, index] = values * np.repeat(sizes, sizes) / len(rows)
    return moves


def _pair(low: int, high: int, *, one_feature: bool) -> list[Part]:
    if one_feature:
        return [Part(0, (high,), (low,))]
    return [Part(low, (low,), (high,)), Part(high, (high,), (low,))]
