"""Counts with weights: the same numbers, feature by feature."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from rocpredict import steps
from rocpredict.arguments import FloatArray
from rocpredict.distributions import Ecdf
from rocpredict.inference.permutation import sum_over_ties
from rocpredict.inference.placements import place
from rocpredict.kernels.counts import Contrast, Counts

Answer = TypeVar("Answer")
Groups = tuple[NDArray[np.intp], NDArray[np.intp]]
"""The rows of the negatives and those of the positives."""


def count_weighed(
    X: Any,
    codes: NDArray[Any],
    contrasts: Sequence[Contrast],
    weights: FloatArray,
    *,
    thresholds: FloatArray,
    grid: int,
    finish: Callable[[slice, Counts], Answer],
) -> Iterator[Answer]:
    """Give ``finish(block, counts)`` for blocks of one feature; as ``count_blocks``, cases standing for rows."""
    groups = [_groups(codes, contrast) for contrast in contrasts]
    fpr = (np.arange(grid) + 0.5) / grid
    for feature in range(X.shape[1]):
        x = _column(X, feature)
        held = [
            _count(x, weights, pair, float(at), fpr) for pair, at in zip(groups, thresholds[:, feature], strict=True)
        ]
        counts = Counts(*(np.stack(parts)[:, None] for parts in zip(*held, strict=True)))
        yield finish(slice(feature, feature + 1), counts)


def _groups(codes: NDArray[Any], contrast: Contrast) -> Groups:
    return np.flatnonzero(np.isin(codes, contrast.negative)), np.flatnonzero(codes == contrast.positive)


def _column(X: Any, feature: int) -> FloatArray:
    column = X[:, [feature]]
    dense = column.toarray() if hasattr(column, "toarray") else column
    return np.asarray(dense, dtype=np.float64)[:, 0]


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
