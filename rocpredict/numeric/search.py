"""Where to look: quantiles of both classes, sign changes between them, polished to the float."""

import warnings
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from rocpredict.arguments import FloatArray
from rocpredict.distributions import Distribution
from rocpredict.quadrature import NODES, WEIGHTS, integrate

_TAIL = 10.0 ** -np.concatenate([np.arange(1, 8), np.arange(8, 32, 2), np.arange(32, 310, 12)])
_QUARTILES = np.array([0.25, 0.5, 0.75])
_MIDDLE = ndtr(np.linspace(-8, 0, 257))
_BISECTIONS = 1200  # enough to get from the widest bracket of doubles to neighbours
_ROUNDS = 80


def density(d: Distribution, x: FloatArray) -> FloatArray:
    """Give the density to integrate; a point that was rounded onto a pole of it stands for no width."""
    pdf = np.asarray(d.pdf(x))
    return np.where(np.isinf(pdf), 0.0, pdf)


def mean_over(
    d: Distribution, height: Callable[[FloatArray], FloatArray], edges: FloatArray, *, rtol: float = 1e-13
) -> float:
    """Integrate a height over the continuous part of a distribution, between the first and the last edge.

    Each panel gives its probability times its mean height: so a pole of the density, which no sum over
    points can follow to the end, costs no digits.
    """

    def panel(left: FloatArray, right: FloatArray) -> FloatArray:
        above, below = np.asarray(d.sf(left)) - d.at_or_above(right), np.asarray(d.below(right)) - d.cdf(left)
        mass = np.maximum(0.0, np.where(np.asarray(d.cdf(left)) > 0.5, above, below))
        x = (left / 2 + right / 2)[..., None] + ((right - left) / 2)[..., None] * NODES
        weight, at = density(d, x) * WEIGHTS, np.asarray(height(x))
        total = weight.sum(axis=-1)
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = np.where(total > 0, (weight * at).sum(axis=-1) / total, at @ WEIGHTS / 2)
        return np.asarray(mass * mean)

    return integrate(panel, edges, rtol=rtol)


def log_ratio(negative: Distribution, positive: Distribution) -> Callable[[FloatArray], FloatArray]:
    """Give log(f1/f0) as a function: +-inf where one class alone has density, NaN where none has."""

    def level(x: FloatArray) -> FloatArray:
        with np.errstate(invalid="ignore"):
            return np.asarray(np.asarray(positive.logpdf(x)) - negative.logpdf(x))

    return level


def between(d: Distribution, low: FloatArray, high: FloatArray) -> FloatArray:
    """Give P(low < X <= high) from the nearer tail."""
    above, below = np.asarray(d.sf(low)) - d.sf(high), np.asarray(d.cdf(high)) - d.cdf(low)
    return np.asarray(np.where(np.asarray(d.cdf(low)) > 0.5, above, below))


@lru_cache(maxsize=32)
def edges_of(negative: Distribution, positive: Distribution) -> FloatArray:
    """Give quantiles of both classes, far into the tails, ascending: panels between them are smooth."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # a family may run out of digits in its far tail: that point is dropped
        found = [d.ppf(_TAIL) for d in (negative, positive)] + [d.isf(_TAIL) for d in (negative, positive)]
        found += [d.ppf(_QUARTILES) for d in (negative, positive)]
        found += [d.ppf(np.array([0.0, 1.0])) for d in (negative, positive)]
    found += [d.atoms().points for d in (negative, positive)]
    points = np.unique(np.concatenate(found))
    return np.asarray(points[np.isfinite(points)])


@lru_cache(maxsize=32)
def grid_of(negative: Distribution, positive: Distribution) -> FloatArray:
    """Give points dense wherever a class has probability, and some far beyond."""
    edges = edges_of(negative, positive)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        inner = [side(_MIDDLE) for d in (negative, positive) for side in (d.ppf, d.isf)]
        inner = [points[np.isfinite(points)] for points in inner]
        even = np.linspace(min(p.min() for p in inner), max(p.max() for p in inner), 513)
        width = max(edges[-1] - edges[0], np.finfo(float).tiny)
        beyond = width * 2.0 ** np.arange(-4, 44)
        between = (edges[:-1] + edges[1:]) / 2
        points = np.unique(np.concatenate([*inner, even, edges, between, edges[0] - beyond, edges[-1] + beyond]))
    return np.asarray(points[np.isfinite(points)])


def sign_changes(f: Callable[[FloatArray], FloatArray], grid: FloatArray, values: FloatArray) -> FloatArray:
    """Give where ``f`` changes its sign, to the float; ``values`` are those on the ascending grid."""
    signed = ~np.isnan(values) & (values != 0)
    grid, above = grid[signed], values[signed] > 0
    index = np.flatnonzero(above[:-1] != above[1:])
    left, right, rising = grid[index], grid[index + 1], above[index + 1]
    left, right = bisect(lambda x: (f(x) > 0) == rising, left, right)
    with np.errstate(invalid="ignore"):
        return np.where(np.abs(f(left)) < np.abs(f(right)), left, right)


def bisect(
    holds: Callable[[FloatArray], NDArray[np.bool_]],
    left: FloatArray,
    right: FloatArray,
    halvings: int = _BISECTIONS,
) -> tuple[FloatArray, FloatArray]:
    """Give neighbouring floats between which a statement becomes true, from left to right in each bracket."""
    for _ in range(halvings):
        middle = left / 2 + right / 2
        if ((middle == left) | (middle == right)).all():
            break
        true = holds(middle)
        left, right = np.where(true, left, middle), np.where(true, middle, right)
    return left, right


def false_position(
    f: Callable[[FloatArray], FloatArray],
    low: FloatArray,
    high: FloatArray,
    at_low: FloatArray,
    at_high: FloatArray,
    *,
    tolerance: float,
) -> FloatArray:
    """Give where a smooth ``f`` is 0 between ends of opposite sign, to a height of ``tolerance`` (Illinois rule)."""
    for _ in range(_ROUNDS):
        run = at_high - at_low
        with np.errstate(divide="ignore", invalid="ignore"):
            middle = np.where(run != 0, high - at_high * ((high - low) / run), high)
        at_middle = f(middle)
        crossed = at_middle * at_high < 0
        low, at_low = np.where(crossed, high, low), np.where(crossed, at_high, at_low / 2)
        high, at_high = middle, at_middle
        if (np.abs(at_high) <= tolerance).all():
            break
    return high
