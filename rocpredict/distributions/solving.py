"""Roots and tops of the smooth functions that likelihoods are made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from rocpredict.arguments import FloatArray

_ROUNDS = 200
_SETTLED = 1e-14
_ARRIVED = 1e-10  # of a Newton step, after which the next is rounding
_HALVINGS = 50
_LONGEST = 2.0
_SHARE = 1e-4
_LEVEL = 1e-16
_SLACK = 1e-13  # of a height: what rounding takes from it is no way down


def root(function: Callable[[float], tuple[float, float]], start: float, low: float, high: float) -> float:
    """Find where a rising function, given with its slope, is 0: Newton, in a bracket that only shrinks."""
    at = float(start)
    for _ in range(_ROUNDS):
        value, slope = function(at)
        low, high = (at, high) if value < 0 else (low, at)
        ahead = at - value / slope
        if not low < ahead < high:
            ahead = 2 * at if np.isinf(high) else (low + high) / 2
        if np.abs(ahead - at) <= _SETTLED * at:
            return ahead
        at = ahead
    return at


def climb(
    height: Callable[[FloatArray], float],
    slopes: Callable[[FloatArray], tuple[FloatArray, FloatArray]],
    start: FloatArray,
) -> FloatArray:
    """Find the top of a concave function by Newton, each step halved until it does not lead down."""
    at, best = start, height(start)
    for _ in range(_ROUNDS):
        gradient, bend = slopes(at)
        step = -np.linalg.solve(bend, gradient)
        while (found := height(at + step)) < best - _SLACK * np.abs(best) and np.abs(step / at.max()).max() > _SETTLED:
            step = step / 2
        at, best = at + step, found
        if np.abs(step).max() <= _ARRIVED * np.abs(at).max():
            break
    return at


def lowest(
    loss: Callable[[FloatArray], tuple[float, FloatArray]],
    starts: Sequence[tuple[float, ...]],
    bounds: tuple[tuple[float, ...], tuple[float, ...]],
) -> FloatArray:
    """Give the lowest point found from several starts, within bounds; the loss comes with its gradient."""
    low, high = (np.array(ends) for ends in bounds)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        found = [_descend(loss, np.clip(start, low, high), low, high) for start in starts]
    return min(found, key=lambda arrived: arrived[0])[1]


def _descend(
    loss: Callable[[FloatArray], tuple[float, FloatArray]], at: FloatArray, low: FloatArray, high: FloatArray
) -> tuple[float, FloatArray]:
    """Go down by the BFGS method, along a bound where the way down leads out (no BLAS threads for three numbers)."""
    value, slope = loss(at)
    inverse = np.eye(len(at))
    for _ in range(_ROUNDS):
        free = ~(((at <= low) & (slope > 0)) | ((at >= high) & (slope < 0)))
        ahead = -np.where(free, (inverse * free) @ slope, 0.0)
        if ahead @ slope >= 0:
            inverse, ahead = np.eye(len(at)), -slope * free
        ahead = ahead / max(1.0, float(np.abs(ahead).max()) / _LONGEST)
        step = _downhill(loss, at, (value, slope), ahead, (low, high))
        if step is None:
            break
        moved, value, turned = step
        inverse = _updated(inverse, moved - at, turned - slope)
        at, slope = moved, turned
    return value, at


def _downhill(
    loss: Callable[[FloatArray], tuple[float, FloatArray]],
    at: FloatArray,
    here: tuple[float, FloatArray],
    ahead: FloatArray,
    bounds: tuple[FloatArray, FloatArray],
) -> tuple[FloatArray, float, FloatArray] | None:
    """Give the first of ever shorter steps that leads down enough, with its loss and gradient; None at the bottom."""
    value, slope = here
    for _ in range(_HALVINGS):
        moved = np.clip(at + ahead, *bounds)
        promised = slope @ (moved - at)
        if not promised < -_LEVEL * abs(value):
            return None
        lower, turned = loss(moved)
        if lower <= value + _SHARE * promised and np.isfinite(turned).all():
            return moved, lower, turned
        ahead = ahead / 2
    return None


def _updated(inverse: FloatArray, step: FloatArray, turn: FloatArray) -> FloatArray:
    """Give the inverse of the curvature that explains how the gradient turned over a step."""
    bend = step @ turn
    if not bend > 0:
        return inverse
    keep = np.eye(len(step)) - np.outer(step, turn) / bend
    return np.asarray(keep @ inverse @ keep.T + np.outer(step, step) / bend)
