"""Counts with weights: the same numbers, feature by feature."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from rocpredict import steps
from rocpredict.arguments import FloatArray, to_floats
from rocpredict.distributions import Ecdf
from rocpredict.inference.permutation import sum_over_ties
from rocpredict.inference.placements import place
from rocpredict.kernels.counts import Contrast, Counts
from rocpredict.kernels.moments import Moments, moments

Answer = TypeVar("Answer")
Groups = tuple[NDArray[np.intp], NDArray[np.intp]]
"""The rows of the negatives and those of the positives."""


class WeighedBlock(NamedTuple):
    """One feature, whose rows stand for several cases; asked as a ``Block``."""

    place: slice
    x: FloatArray
    codes: NDArray[Any]
    classes: int
    groups: list[Groups]
    weights: FloatArray

    def moments(self, order: int = 2) -> Moments:
        """Give the moments of each class."""
        return moments(self.x[:, None], self.codes, self.classes, order=4 if order == 4 else 2, weights=self.weights)

    def counts(self, thresholds: FloatArray, *, grid: int = 64) -> Counts:
        """Count every contrast."""
        fpr = (np.arange(grid) + 0.5) / grid
        held = [
            _count(self.x, self.weights, pair, float(at), fpr)
            for pair, at in zip(self.groups, thresholds[:, 0], strict=True)
        ]
        return Counts(*(np.stack(parts)[:, None] for parts in zip(*held, strict=True)))


def count_weighed(
    X: Any,
    codes: NDArray[Any],
    classes: int,
    contrasts: Sequence[Contrast],
    weights: FloatArray,
    *,
    finish: Callable[[WeighedBlock], Answer],
) -> Iterator[Answer]:
    """Give ``finish(block)`` for one feature after the other; as ``count_blocks``, cases standing for rows."""
    groups = [_groups(codes, contrast) for contrast in contrasts]
    for feature in range(X.shape[1]):
        block = slice(feature, feature + 1)
        yield finish(WeighedBlock(block, _column(X, feature), codes, classes, groups, weights))


def _groups(codes: NDArray[Any], contrast: Contrast) -> Groups:
    return np.flatnonzero(np.isin(codes, contrast.negative)), np.flatnonzero(codes == contrast.positive)


def _column(X: Any, feature: int) -> FloatArray:
    column = X[:, [feature]]
    dense = column.toarray() if hasattr(column, "toarray") else column
    return to_floats("X", np.asarray(dense))[:, 0]


def _count(x: FloatArray, weights: FloatArray, groups: Groups, threshold: float, fpr: FloatArray) -> tuple[Any, ...]:
    there = [rows[~np.isnan(x[rows]) & (weights[rows] > 0)] for rows in groups]
    totals = [weights[rows].sum() for rows in there]
    if not min(map(len, there)):
        return (*totals, np.nan, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, np.full(len(fpr), np.nan))
    negative, positive = (Ecdf(x[rows], weights[rows]) for rows in there)
    placed = place(negative, positive)
    scatters = (float(side.scatter(placed.estimate)) for side in (placed.negative, placed.positive))
    ties = sum_over_ties(negative, positive)
    about = (*_about(negative, threshold), *_about(positive, threshold))
    heights = steps.tpr_at_fpr(negative, positive, fpr)
    return (*totals, float(placed.estimate), *scatters, ties, *about, heights)


def _about(side: Ecdf, threshold: float) -> tuple[float, float]:
    """Give the weight below a threshold, and at it."""
    if np.isnan(threshold):
        return 0.0, 0.0
    below = side.below(threshold)
    return below * side.total, (side.cdf(threshold) - below) * side.total
