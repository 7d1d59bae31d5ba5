"""What all closed forms start from: two Gaussians as distance and spreads, a block of features at a time."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import erf, ndtr

from rocpredict.arguments import FloatArray
from rocpredict.distributions import Gaussian

GRID = np.linspace(-39, 39, 131)
"""z-scores: beyond, the normal density is 0 in double precision."""
PANEL_BLOCK = 256
"""Features at a time where one takes thousands of points."""
_BLOCK = 8_192  # features at a time, so that their temporaries stay in the cache
_SAFE = 1e140  # what lies within [1/_SAFE, _SAFE] can be squared as it is
_SQRT_HALF = np.sqrt(0.5)
_LOG_SQRT_2PI = np.log(2 * np.pi) / 2


class Scaled(NamedTuple):
    """Distance and standard deviations, divided by one power of two wherever their squares need it."""

    d: FloatArray
    s0: FloatArray
    s1: FloatArray


def moments_of(negative: Gaussian, positive: Gaussian) -> tuple[FloatArray, ...]:
    """Give m0, s0, m1, s1."""
    return (
        np.asarray(negative.mean),
        np.asarray(negative.std),
        np.asarray(positive.mean),
        np.asarray(positive.std),
    )


def each(f: Callable[..., tuple[FloatArray, ...]], *args: FloatArray, block: int = _BLOCK) -> tuple[FloatArray, ...]:
    """Apply an elementwise ``f`` to some features at a time."""
    shape = np.broadcast_shapes(*(np.shape(arg) for arg in args))
    flat = [np.broadcast_to(arg, shape).reshape(-1) for arg in args]
    size = flat[0].size
    results = f(*(arg[:block] for arg in flat))
    if size > block:  # written in place, so that only one block's temporaries are ever held
        first, results = results, tuple(np.empty((size, *out.shape[1:]), out.dtype) for out in results)
        for start in range(0, size, block):
            outs = f(*(arg[start : start + block] for arg in flat)) if start else first
            for result, out in zip(results, outs, strict=True):
                result[start : start + block] = out
    return tuple(result.reshape(shape + result.shape[1:]) for result in results)


def scaled(m0: FloatArray, s0: FloatArray, m1: FloatArray, s1: FloatArray) -> Scaled:
    """Give d, s0 and s1; each feature is scaled by itself, so that no answer depends on its neighbours."""
    with np.errstate(over="ignore"):
        d = m1 - m0
    distance = np.abs(d)
    largest, smallest = np.maximum(distance, np.maximum(s0, s1)), np.minimum(s0, s1)
    safe = (largest <= _SAFE) & (smallest >= 1 / _SAFE) & ((distance >= 1 / _SAFE) | (d == 0))
    if safe.all():
        return Scaled(d, s0, s1)
    halves = (m1 / 2 - m0 / 2, s0 / 2, s1 / 2)  # a sum that overflows has no digits to lose in halves
    d, s0, s1 = (np.where(np.isinf(d), half, whole) for half, whole in zip(halves, (d, s0, s1), strict=True))
    _, exponent = np.frexp(np.maximum(np.abs(d), np.maximum(s0, s1)))
    return Scaled(*(np.ldexp(part, np.where(safe, 0, -exponent)) for part in (d, s0, s1)))


def separation(m0: FloatArray, s0: FloatArray, m1: FloatArray, s1: FloatArray) -> FloatArray:
    """Give D, from the moments."""
    return separation_of(*scaled(m0, s0, m1, s1))


def separation_of(d: FloatArray, s0: FloatArray, s1: FloatArray) -> FloatArray:
    """Give D; for two point masses +-inf, and 0 when they are one."""
    spread = np.sqrt(s0 * s0 + s1 * s1)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        separation = np.asarray(d / spread)
    return separation if spread.all() else np.where(d == 0, 0.0, separation)


def log_ratio(s0: FloatArray, s1: FloatArray) -> FloatArray:
    """Give log(s1/s0) with full relative accuracy, however close the two are."""
    gap = s1 - s0
    size = np.log1p(np.abs(gap) / np.minimum(s0, s1))
    if np.isinf(size).any():  # a ratio too large for a double has a logarithm all the same
        size = np.where(np.isinf(size), np.abs(np.log(s1) - np.log(s0)), size)
    return np.copysign(size, gap)


def between(low: FloatArray, high: FloatArray) -> FloatArray:
    """Give Phi(high) - Phi(low) for low <= high, each digit of it: from the nearer tail, or about 0."""
    straddles = (low < 0) & (high > 0)
    near, far = np.where(low >= 0, -low, high), np.where(low >= 0, -high, low)
    middle = (erf(high * _SQRT_HALF) - erf(low * _SQRT_HALF)) / 2
    return np.asarray(np.where(straddles, middle, ndtr(near) - ndtr(far)))


def density(x: FloatArray) -> FloatArray:
    """Give the standard normal density."""
    return np.asarray(np.exp(-x * x / 2 - _LOG_SQRT_2PI))
