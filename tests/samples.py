"""Conversion of two samples to a feature with labels, and comparison of all pairs of their values."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def labelled(negative: ArrayLike, positive: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the values of both samples in one array, and their labels 0 and 1."""
    return np.concatenate([negative, positive]), np.repeat([0, 1], [np.size(negative), np.size(positive)])


def pair_wins(negative: ArrayLike, positive: ArrayLike) -> NDArray[Any]:
    """Return for each positive (row) and negative (column) 1 if the positive is larger, 1/2 for a tie, otherwise 0."""
    column = np.asarray(positive)[:, None]
    return np.asarray((column > negative) + (column == negative) / 2)
