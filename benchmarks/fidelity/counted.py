"""Empirical curves and their best thresholds, for many samples at once."""

from typing import NamedTuple

import numpy as np

from benchmarks.fidelity.sources import Array
from rocpredict.distributions import ecdf

GRID = (np.arange(200) + 0.5) / 200
"""FPRs at which curves are compared with the truth."""
_ROUNDING = 1e-12


class Answer(NamedTuple):
    """Results of an estimator for R samples."""

    heights: Array
    """TPR on the grid of FPRs, shape (R, G)."""
    ameans: Array
    """The predicted Ameans at its best threshold, of shape (R,)."""
    threshold: Array | None
    """The best threshold; None if the estimator has no threshold."""


def counted(negative: Array, positive: Array) -> Answer:
    """Return the empirical curve."""
    threshold, ameans = best_counted(negative, positive)
    return Answer(empirical_heights(negative, positive), ameans, threshold)


def empirical_heights(negative: Array, positive: Array, fpr: Array = GRID) -> Array:
    """Return the empirical TPR at FPRs, by default the FPRs of the estimates."""
    rows = zip(np.sort(negative, axis=1), np.sort(positive, axis=1), strict=True)
    return np.array([ecdf.empirical_tpr(*pair, fpr) for pair in rows])


def best_counted(negative: Array, positive: Array) -> tuple[Array, Array]:
    """Return the middle of the thresholds with the highest Ameans, and this Ameans, as ``EmpiricalRoc`` does."""
    rows = np.concatenate([negative, positive], axis=1)
    order = np.argsort(rows, axis=1, kind="stable")
    rows = np.take_along_axis(rows, order, axis=1)
    of_negatives = order < negative.shape[1]
    steps = np.where(of_negatives, 1 / negative.shape[1], -1 / positive.shape[1])
    excess = np.concatenate([np.zeros((len(rows), 1)), np.cumsum(steps, axis=1)], axis=1)
    edges = np.full((len(rows), 1), np.inf)
    low, high = np.concatenate([-edges, rows], axis=1), np.concatenate([rows, edges], axis=1)
    excess = np.where(high > low, excess, -np.inf)  # between equal values there is no threshold
    highest = excess.max(axis=1)
    good = excess >= highest[:, None] - _ROUNDING
    reached = np.cumsum(good, axis=1)
    place = np.argmax(reached > (reached[:, -1:] // 2), axis=1)[:, None]
    ends = (np.take_along_axis(side, place, axis=1)[:, 0] for side in (low, high))
    return sum(end / 2 for end in ends), (1 + highest) / 2
