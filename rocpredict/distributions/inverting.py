"""Quantiles of a smooth distribution from its tails: Newton's steps on the normal score, kept in a bracket."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from rocpredict.arguments import FloatArray
from rocpredict.errors import RocPredictError

_LOG_SQRT_2PI = 0.9189385332046727418
_RTOL = 2e-14  # of the tail
_FLAT = 1e-9  # of a width: where rounding of the tail moves the quantile by more, the search goes on to the float
_MOST_TURNS = 2500  # the widest bracket of doubles, halved to neighbours


class Landmarks(NamedTuple):
    """Hold values of a feature, ascending, with the normal score of the tail at each."""

    x: FloatArray
    scores: FloatArray


class Bracket(NamedTuple):
    """Hold a first guess of each quantile, and values between which it lies."""

    low: FloatArray
    high: FloatArray
    start: FloatArray


def bracket(landmarks: Landmarks, outer: tuple[FloatArray, FloatArray], scores: FloatArray) -> Bracket:
    """Give where the quantiles of some normal scores lie: between two landmarks, or between the last and an end."""
    index = np.searchsorted(landmarks.scores, scores)
    last = len(landmarks.x) - 1
    before, after = landmarks.x[np.clip(index - 1, 0, last)], landmarks.x[np.clip(index, 0, last)]
    low = np.where(index == 0, np.minimum(outer[0], before), before)
    high = np.where(index > last, np.maximum(outer[1], after), after)
    return Bracket(low, high, np.interp(scores, landmarks.scores, landmarks.x))


def invert(
    tail: Callable[[FloatArray], FloatArray],
    density: Callable[[FloatArray], FloatArray],
    wanted: FloatArray,
    between: Bracket,
    *,
    width: float,
    upper: bool,
) -> FloatArray:
    """Give the smallest x whose tail has come to a wanted probability: to 2e-14 of it, or to the float.

    Parameters
    ----------
    tail, density : functions of an array
        The lower tail, or the ``upper`` one, and its slope.
    wanted : array of shape (m,)
        Inside (0, 1/2].
    between : Bracket
        Arrays of shape (m,).
    width : float
        A standard deviation of the distribution, to tell where its density is next to nothing.
    upper : bool
        Whether ``tail`` falls.
    """
    low, high, x = (np.array(part) for part in between)
    found, active = np.array(x), np.arange(len(x))
    for turn in range(_MOST_TURNS):
        if not active.size:
            return found
        at, target = x[active], wanted[active]
        probability, slope = tail(at), density(at)
        reached = probability <= target if upper else probability >= target
        high[active], low[active] = np.where(reached, at, high[active]), np.where(reached, low[active], at)
        left, right = low[active], high[active]
        close = np.nextafter(left, np.inf) >= right
        with np.errstate(over="ignore", under="ignore"):
            steep = np.finfo(float).eps * target <= _FLAT * width * slope
        done = close | ((np.abs(probability - target) <= _RTOL * target) & steep)
        found[active] = np.where(close, right, at)
        step = _newton_step(probability, slope, target)
        x[active] = _next(at, -step if upper else step, left, right, turn)
        active = active[~done]
    raise RocPredictError("a quantile of this distribution does not settle; its tails are too rough")


def _newton_step(probability: FloatArray, slope: FloatArray, target: FloatArray) -> FloatArray:
    """Give how far up a rising tail has to go, taking its normal score as straight."""
    with np.errstate(divide="ignore", over="ignore", under="ignore", invalid="ignore"):
        score = ndtri(probability)
        return np.asarray((ndtri(target) - score) / slope * np.exp(-0.5 * score * score - _LOG_SQRT_2PI))


def _next(at: FloatArray, step: FloatArray, left: FloatArray, right: FloatArray, turn: int) -> FloatArray:
    """Give where to look next: a step on, long enough to close the bracket from its other side; else its middle."""
    with np.errstate(over="ignore", invalid="ignore"):
        shortest = np.spacing(np.abs(at)) * 2.0 ** min(turn + 1, 60)
        onward = at + np.where(np.abs(step) < shortest, np.copysign(shortest, step), step)
        inside: NDArray[np.bool_] = (onward > left) & (onward < right)
    return np.where(inside, onward, left / 2 + right / 2)
