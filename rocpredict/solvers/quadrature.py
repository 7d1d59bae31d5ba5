"""Numerical integration and root finding for two distributions of a feature."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from rocpredict.base.validation import FloatArray, RocPredictError
from rocpredict.distributions.base import Distribution

NODES, WEIGHTS = np.polynomial.legendre.leggauss(24)
"""Gauss-Legendre nodes and weights on [-1, 1]."""
_MAX_PANELS = 20_000
_NEGLIGIBLE = 1e-4  # a panel is negligible if its integral is below this fraction of the tolerance
with np.errstate(under="ignore"):
    _TAIL = 10.0 ** -np.concatenate([np.arange(1, 8), np.arange(8, 32, 2), np.arange(32, 310, 12)])
_QUARTERS = np.linspace(0, 1, 5)
_LOWER_HALF = ndtr(np.linspace(-8, 0, 257))
NOISE = 16 * np.finfo(float).eps  # rounding error of log f1 - log f0, relative to these two terms
_MIN_LOG_DENSITY = -300.0  # a density of 0 is treated as an underflow if the nearest log density is below this
_MAX_VALUE = 1e300  # finite value that replaces infinity
_BISECTIONS = 1200  # number of steps from the widest bracket of floats to neighboring floats


def gauss_legendre(f: Callable[[FloatArray], FloatArray], left: FloatArray, right: FloatArray) -> FloatArray:
    """Integrate ``f`` over each panel by a Gauss-Legendre rule; ``f`` receives the nodes on an additional last axis."""
    half = (right - left) / 2
    x = (left / 2 + right / 2)[..., None] + half[..., None] * NODES
    return half * (f(x) @ WEIGHTS)


def integrate(
    integrate_panel: Callable[[FloatArray, FloatArray], FloatArray], edges: FloatArray, *, rtol: float = 1e-13
) -> float:
    """Sum the integrals over the panels between finite edges, halving each panel until its integral converges.

    ``rtol`` is relative to the integral of the absolute value of the integrand. A panel in a far tail is not halved if
    its integral is negligible compared with this tolerance.
    """
    left, right = edges[:-1], edges[1:]
    coarse = integrate_panel(left, right)
    matters = ~(np.abs(coarse) < _NEGLIGIBLE * rtol * np.abs(coarse).sum())  # True for NaN
    total, size = coarse[~matters].sum(), np.abs(coarse[~matters]).sum()
    left, right, coarse = left[matters], right[matters], coarse[matters]
    for _ in range(200):
        middle = left / 2 + right / 2
        lower, upper = integrate_panel(left, middle), integrate_panel(middle, right)
        fine = lower + upper
        scale = size + np.abs(fine).sum()
        settled = (np.abs(fine - coarse) <= rtol * scale / 16) | (middle <= left) | (middle >= right)
        if len(left) > _MAX_PANELS:
            settled[:] = True  # smooth panels have converged by now; the remaining differences are rounding errors
        total, size = total + fine[settled].sum(), size + np.abs(fine[settled]).sum()
        if settled.all():
            return float(total)
        left, right = (
            np.concatenate([left[~settled], middle[~settled]]),
            np.concatenate([middle[~settled], right[~settled]]),
        )
        coarse = np.concatenate([lower[~settled], upper[~settled]])
    raise RocPredictError(
        "an integral over these distributions does not converge; use distributions with smooth densities"
    )


@np.errstate(under="ignore")
def expectation(
    d: Distribution[Any], function: Callable[[FloatArray], FloatArray], edges: FloatArray, *, rtol: float = 1e-13
) -> float:
    """Integrate a function over the continuous part of a distribution, between the first and the last edge.

    The integral over a panel is the probability of the panel times the mean of the function on this panel. A pole of
    the density, which a quadrature rule cannot resolve, therefore causes no loss of accuracy.
    """

    def panel(left: FloatArray, right: FloatArray) -> FloatArray:
        above, below = np.asarray(d.sf(left)) - d.sf_inclusive(right), np.asarray(d.cdf_strict(right)) - d.cdf(left)
        mass = np.maximum(0.0, np.where(np.asarray(d.cdf(left)) > 0.5, above, below))
        x = (left / 2 + right / 2)[..., None] + ((right - left) / 2)[..., None] * NODES
        pdf, values = np.asarray(d.pdf(x)), np.asarray(function(x))
        weight = np.where(np.isinf(pdf), 0.0, pdf) * WEIGHTS  # a node that is rounded onto a pole has no weight
        total = weight.sum(axis=-1)
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = np.where(total > 0, (weight * values).sum(axis=-1) / total, values @ WEIGHTS / 2)
        return np.asarray(mass * mean)

    return integrate(panel, edges, rtol=rtol)


def log_density_ratio(negative: Distribution[Any], positive: Distribution[Any], x: FloatArray) -> FloatArray:
    """Return log(f1/f0), which is infinite if one density is 0 and NaN if both densities are 0."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.asarray(positive.logpdf(x)) - negative.logpdf(x))


def interval_probability(d: Distribution[Any], low: FloatArray, high: FloatArray) -> FloatArray:
    """Return P(low < X <= high), computed from the smaller tail."""
    above, below = np.asarray(d.sf(low)) - d.sf(high), np.asarray(d.cdf(high)) - d.cdf(low)
    return np.asarray(np.where(np.asarray(d.cdf(low)) > 0.5, above, below))


def panel_edges(negative: Distribution[Any], positive: Distribution[Any]) -> FloatArray:
    """Return the panel edges in ascending order: quantiles of both classes, including the far tails."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # quantiles that cannot be computed are omitted
        quantiles = [part for d in (negative, positive) for part in (d.ppf(_TAIL), d.isf(_TAIL), d.ppf(_QUARTERS))]
    points = np.unique(np.concatenate([*quantiles, negative.atoms().points, positive.atoms().points]))
    return np.asarray(points[np.isfinite(points)])


def search_grid(negative: Distribution[Any], positive: Distribution[Any], edges: FloatArray) -> FloatArray:
    """Return a grid that is dense in the bulk of both classes and extends far beyond the ``panel_edges``."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        inner = [part for d in (negative, positive) for part in (d.ppf(_LOWER_HALF), d.isf(_LOWER_HALF))]
        inner = [points[np.isfinite(points)] for points in inner]
        even = np.linspace(min(p.min() for p in inner), max(p.max() for p in inner), 513)
        width = max(edges[-1] - edges[0], np.finfo(float).tiny)
        beyond = width * 2.0 ** np.arange(-4, 44)
        between = (edges[:-1] + edges[1:]) / 2
        points = np.unique(np.concatenate([*inner, even, edges, between, edges[0] - beyond, edges[-1] + beyond]))
    return np.asarray(points[np.isfinite(points)])


def rounding_error(negative: Distribution[Any], positive: Distribution[Any], x: FloatArray) -> FloatArray:
    """Return a bound on the rounding error of the log ratio; the bound is infinite where a density underflows to 0.

    A log density of -inf is treated as an underflow if the nearest finite log density is below ``_MIN_LOG_DENSITY``.
    """
    logs = [np.asarray(d.logpdf(x)) for d in (negative, positive)]
    noise = NOISE * (1 + np.abs(logs[0]) + np.abs(logs[1]))
    underflow = [np.isneginf(log) & (_nearest_finite(log) < _MIN_LOG_DENSITY) for log in logs]
    return np.where(underflow[0] | underflow[1], np.inf, np.where(np.isfinite(noise), noise, 0.0))


def _nearest_finite(values: FloatArray) -> FloatArray:
    """Return, for each value, the smaller of the nearest finite value before it and the nearest one after it."""
    index, finite = np.arange(len(values)), np.isfinite(values)
    before = np.maximum.accumulate(np.where(finite, index, -1))
    after = np.minimum.accumulate(np.where(finite, index, len(values))[::-1])[::-1]
    padded = np.concatenate([values, [np.inf]])  # the indexes -1 and len(values) select the padding
    return np.asarray(np.minimum(padded[before], padded[after]))


def refine_brackets(
    f: Callable[[FloatArray], FloatArray],
    noise: Callable[[FloatArray], FloatArray],
    grid: FloatArray,
    levels: FloatArray,
) -> tuple[NDArray[np.intp], FloatArray, FloatArray, FloatArray]:
    """Return, for each level, a finer grid that separates close roots of ``f(x) = level``.

    Returns
    -------
    row : array of int of shape (m,)
        Level index of each point; the indices are in ascending order.
    points, values, bounds : arrays of shape (m,)
        ``points`` contains an ascending grid for each level. ``values`` contains ``f(x) - level`` at each point x, and
        ``bounds`` contains bounds on the rounding errors of ``values``.

    Notes
    -----
    Each interval is halved until the difference ``f(x) - level`` is nearly linear in this interval. Let a and b be the
    differences at the bounds of the interval, m the difference at its midpoint, and c = abs(m - (a + b)/2). The
    difference counts as nearly linear if c < abs(b - a)/8. If a, b and m have the same sign, c < min(abs(a), abs(b),
    abs(m))/2 is also sufficient. Two roots are therefore separated if two conditions are met: between the roots, the
    absolute difference exceeds its rounding error, and the initial grid resolves the curvature of ``f``.
    """
    with np.errstate(invalid="ignore"):  # an infinite value minus an infinite level is NaN
        values = f(grid) - levels[:, None]
    row, index = np.nonzero(np.isfinite(values[:, :-1]) & np.isfinite(values[:, 1:]))
    left, right, low, high = grid[index], grid[index + 1], values[row, index], values[row, index + 1]
    parts = [(np.repeat(np.arange(len(levels)), len(grid)), np.tile(grid, len(levels)), values.ravel())]
    bounds = [np.tile(noise(grid), len(levels))]
    for _ in range(40):
        middle = left / 2 + right / 2
        inner = (middle > left) & (middle < right)
        left, right, low, high, middle = (part[inner] for part in (left, right, low, high, middle))
        row = row[inner]
        if not middle.size:
            break
        distinct, inverse = np.unique(middle, return_inverse=True)  # the levels share the first intervals
        value, rounding = f(distinct)[inverse] - levels[row], noise(distinct)[inverse]
        parts.append((row, middle, value))
        bounds.append(rounding)
        bend = np.abs(value - (low / 2 + high / 2))
        least = np.minimum(np.minimum(np.abs(low), np.abs(high)), np.abs(value))
        same = ((low > 0) == (high > 0)) & ((low > 0) == (value > 0))
        settled = (same & (least > 2 * bend)) | (np.abs(high - low) > 8 * bend)
        settled |= ~np.isfinite(value) | (np.maximum(least, bend) <= rounding)
        split = ~settled
        left, middle, right, low, value, high = (part[split] for part in (left, middle, right, low, value, high))
        row, left, right = np.tile(row[split], 2), np.concatenate([left, middle]), np.concatenate([middle, right])
        low, high = np.concatenate([low, value]), np.concatenate([value, high])
        if left.size > _MAX_PANELS * len(levels):
            break
    rows, points, all_values = (np.concatenate(part) for part in zip(*parts, strict=True))
    order = np.lexsort((points, rows))
    return rows[order], points[order], all_values[order], np.concatenate(bounds)[order]


def sign_changes(f: Callable[[FloatArray], FloatArray], grid: FloatArray, values: FloatArray) -> FloatArray:
    """Return the points at which ``f`` changes sign, to float64 resolution, starting from values on an ascending grid.

    If ``f`` changes sign twice between two neighboring grid points, both changes are found only if one of these points
    is a local minimum of abs(f) on the grid.
    """
    return level_crossings(f, np.zeros(1), np.zeros(len(grid), dtype=np.intp), grid, values)[0]


def level_crossings(
    f: Callable[[FloatArray], FloatArray],
    levels: FloatArray,
    row: NDArray[np.intp],
    grid: FloatArray,
    values: FloatArray,
    *,
    noise: FloatArray | float = 0.0,
) -> list[FloatArray]:
    """Return, for each level, the points at which ``f(x) - level`` changes sign; see ``sign_changes``.

    For each point x of ``grid``, ``row`` contains the index of its level, and ``values`` contains ``f(x) - level``. The
    indices are in ascending order. Values between ``-noise`` and ``noise`` are ignored, because their sign is
    uncertain.
    """

    def excess(x: FloatArray, level: FloatArray) -> FloatArray:
        with np.errstate(invalid="ignore"):
            return f(x) - level

    signed = np.abs(values) > noise  # False for NaN
    row, grid, values = row[signed], grid[signed], values[signed]
    if len(grid) > 2:
        size, above = np.abs(values), values > 0
        one_sign = (above[1:-1] == above[:-2]) & (above[1:-1] == above[2:]) & (row[2:] == row[:-2])
        dip = np.flatnonzero(one_sign & (size[1:-1] < np.minimum(size[:-2], size[2:]))) + 1
        sign, level = np.where(above[dip], 1.0, -1.0), levels[row[dip]]
        turn = golden_section(lambda x: sign * excess(x, level), grid[dip - 1], grid[dip + 1])
        crossed = sign * excess(turn, level) < 0
        turn, level = turn[crossed], level[crossed]
        row = np.concatenate([row, row[dip[crossed]]])
        grid, values = np.concatenate([grid, turn]), np.concatenate([values, excess(turn, level)])
        order = np.lexsort((grid, row))
        row, grid, values = row[order], grid[order], values[order]
    index = np.flatnonzero(((values[:-1] > 0) != (values[1:] > 0)) & (row[:-1] == row[1:]))
    left, right, rising, level = grid[index], grid[index + 1], values[index + 1] > 0, levels[row[index]]
    if index.size:
        root = find_roots(excess, left, right, level)
        low, high = root.bracket  # brackets that are a few floats wide
        left, right = bisect(lambda x: (excess(x, level) > 0) == rising, low, high)
        left = np.where(np.abs(excess(left, level)) < np.abs(excess(right, level)), left, right)
    return np.split(left, np.searchsorted(row[index], np.arange(1, len(levels))))


def find_roots(
    f: Callable[..., FloatArray], left: FloatArray, right: FloatArray, *args: FloatArray, fatol: float = 0.0
) -> Any:
    """Return the result of ``scipy.optimize.elementwise.find_root`` for a root of ``f`` in each bracket.

    If ``f`` returns NaN, -1 is used instead; other values are clipped to [-1e300, 1e300].
    """
    from scipy.optimize.elementwise import find_root  # slow to import

    def bounded(x: FloatArray, *args: FloatArray) -> FloatArray:
        with np.errstate(over="ignore", invalid="ignore"):
            values = f(x, *args)
        return np.clip(np.where(np.isnan(values), -1.0, values), -_MAX_VALUE, _MAX_VALUE)

    tolerances = {"xatol": np.finfo(float).tiny, "xrtol": 4e-16, "fatol": fatol, "frtol": 0.0}
    return find_root(bounded, (left, right), args=args, tolerances=tolerances)


def golden_section(f: Callable[[FloatArray], FloatArray], left: FloatArray, right: FloatArray) -> FloatArray:
    """Return the point at which ``f`` is lowest in each bracket, found by golden-section search."""
    golden = (np.sqrt(5) - 1) / 2
    for _ in range(100):
        outer_left, outer_right, step = left, right, golden * (right - left)
        inner = np.stack([right - step, left + step])
        low, high = f(inner)
        left, right = np.where(low <= high, left, inner[0]), np.where(low <= high, inner[1], right)
        if ((left == outer_left) & (right == outer_right)).all():
            break
    return left / 2 + right / 2


def bisect(
    predicate: Callable[[FloatArray], NDArray[np.bool_]], left: FloatArray, right: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return, for each bracket, the neighboring floats between which the predicate changes from False to True."""
    for _ in range(_BISECTIONS):
        middle = left / 2 + right / 2
        if ((middle == left) | (middle == right)).all():
            break
        true = predicate(middle)
        left, right = np.where(true, left, middle), np.where(true, middle, right)
    return left, right
