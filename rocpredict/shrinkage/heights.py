"""Empirical tails and curves of many features at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rocpredict.arguments import FloatArray

GRID = 200
FPR = (np.arange(GRID) + 0.5) / GRID
"""FPRs at which curves are compared: the middles of as many equal parts of [0, 1]."""


def shares_above(sample: FloatArray, at: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Give the share of each row's sample above its thresholds, and at or above them.

    Parameters
    ----------
    sample : array of shape (F, n)
    at : array of shape (F, m)
        Ascending.
    """
    n, m = sample.shape[1], at.shape[1]
    own = np.arange(m)
    to = _ranks(np.concatenate([sample, at], axis=1))[:, n:] - own
    below = _ranks(np.concatenate([at, sample], axis=1))[:, :m] - own
    return (n - to) / n, (n - below) / n


def counted_heights(negative: FloatArray, positive: FloatArray) -> FloatArray:
    """Give the empirical TPR at ``FPR``, shape (F, GRID); through ties the curve runs diagonally.

    Parameters
    ----------
    negative, positive : arrays of shape (F, n0) and (F, n1)
    """
    n0 = negative.shape[1]
    place = np.minimum((FPR * n0).astype(np.intp), n0 - 1)[::-1]
    at = np.sort(negative, axis=1)[:, n0 - 1 - place]
    (beyond, reached), (above, from_there) = (shares_above(sample, at) for sample in (negative, positive))
    share = (FPR[::-1] - beyond) / (reached - beyond)
    return np.asarray((above + share * (from_there - above))[:, ::-1])


def _ranks(values: FloatArray) -> NDArray[np.intp]:
    """Give the place of each value in its row, ascending; of equal ones the first comes first."""
    order = np.argsort(values, axis=1, kind="stable")
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, np.arange(values.shape[1])[None, :], axis=1)
    return ranks
