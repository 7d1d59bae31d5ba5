"""How far the curve that two Gaussians predict lies from the empirical one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from rocpredict.arguments import FloatArray
from rocpredict.screening.predicted import Pair

GRID = 64
"""FPRs at which both curves are compared: the middles of as many equal parts of [0, 1]."""
_FPR = (np.arange(GRID) + 0.5) / GRID
_Z = ndtri(_FPR)
_STEEPEST = 20.0
_SLOPE = np.exp(_Z**2 / 2)
TOLERATED = 0.02
"""Mean distance of the curves that does no harm."""
BY_CHANCE = 1.1
"""What the mean square of the distance, over its expectation, exceeds in 1 of 100 samples of two Gaussians.

It is 0.3 in the middle, since the Gaussians were fitted to the same rows. For equal spreads the level holds from 5 to
some hundred cases a class; with one spread three times the other it is exceeded in 2 to 3 of 100, with ten times in 5.
From 1000 cases on the distance that is tolerated decides."""


class Misfit(NamedTuple):
    """The mean distance of two curves, and whether it is more than chance makes it."""

    distance: FloatArray
    beyond_chance: NDArray[np.bool_]


def misfit(pair: Pair, heights: FloatArray) -> Misfit:
    """Compare the heights of empirical curves, shape (features, GRID), with those of two Gaussians.

    The distance is the mean of |TPR predicted - TPR empirical| over all FPR. By chance its mean square would be about
    the variance of an empirical curve about a given one, TPR (1 - TPR)/positives + slope^2 FPR (1 - FPR)/negatives.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        d = pair.m1 - pair.m0
        probit = (d[:, None] + pair.s0[:, None] * _Z) / pair.s1[:, None]
        predicted = ndtr(probit)
        predicted = np.where(np.isnan(predicted), _FPR, predicted)
        gap = np.abs(heights - predicted)
        slope = (pair.s0 / pair.s1)[:, None] * np.exp(-(probit**2) / 2) * _SLOPE
        slope = np.minimum(np.nan_to_num(slope, nan=0.0, posinf=_STEEPEST), _STEEPEST)
        of_positives = predicted * (1 - predicted) / pair.n1[:, None]
        expected = np.mean(of_positives + slope**2 * _FPR * (1 - _FPR) / pair.n0[:, None], axis=1)
    distance = np.where(pair.known, gap.mean(axis=1), np.nan)
    beyond = pair.known & (np.mean(gap**2, axis=1) > BY_CHANCE * expected) & (distance > TOLERATED)
    return Misfit(distance, beyond)
