"""The likelihood-ratio rule: as many thresholds as the densities have crossings."""

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rocpredict.answers import TwoSidedRule, outline
from rocpredict.arguments import FloatArray
from rocpredict.distributions import Distribution
from rocpredict.errors import RocPredictError
from rocpredict.numeric.crossing import crossings
from rocpredict.numeric.search import between, bisect, density, edges_of, grid_of, log_ratio, sign_changes
from rocpredict.quadrature import integrate

_RTOL = 1e-11  # a level is found again to about 1e-14 of a density's width
_HALVINGS = 45  # from one point of the grid to the next


def proper_auc_complement(negative: Distribution, positive: Distribution) -> FloatArray:
    """Give 1 - AUC of the likelihood-ratio rule: the mean, over positives, of the share of likelier negatives."""
    if negative.atoms().points.size or positive.atoms().points.size:
        return np.zeros(())  # an atom of one class has no probability in the other: it gives the class away
    level = log_ratio(negative, positive)
    grid = grid_of(negative, positive)
    values = level(grid)
    grid, values = grid[~np.isnan(values)], values[~np.isnan(values)]
    turns = _turning_points(level, grid, values)
    pieces = [
        _Piece(level, np.unique(np.concatenate([[start], grid[(grid > start) & (grid < end)], [end]])))
        for start, end in pairwise([grid[0], *turns, grid[-1]])
    ]
    ends = [-np.inf, *turns, np.inf]

    def likelier(x: FloatArray) -> FloatArray:
        """Give P(g(X0) > g(x)) + P(g(X0) = g(x))/2, summed over the pieces on which g is monotone."""
        wanted = level(x)
        parts = [
            piece.probability(negative, wanted, left, right)
            for piece, (left, right) in zip(pieces, pairwise(ends), strict=True)
        ]
        return np.asarray(sum(parts))

    bends = [sign_changes(lambda x, at=at: level(x) - at, grid, values - at) for at in level(turns)]  # type: ignore[misc]
    edges = np.unique(np.concatenate([edges_of(negative, positive), turns, *bends]))
    return np.asarray(integrate(lambda x: density(positive, x) * likelier(x), edges, rtol=_RTOL))


def proper_rule(negative: Distribution, positive: Distribution) -> TwoSidedRule:
    """Give the rule with the best Ameans, positive where f1 > f0, with as many thresholds as that takes."""
    points = np.concatenate([negative.atoms().points, positive.atoms().points])
    if points.size:
        raise RocPredictError(
            "the likelihood-ratio rule between a density and single values is to look for these values; "
            "give two densities, or two distributions of single values"
        )
    edges = crossings(negative, positive, np.zeros(()))
    signs = log_ratio(negative, positive)(grid_of(negative, positive))
    signs = signs[~np.isnan(signs) & (signs != 0)]
    starts_positive = bool(signs.size and signs[0] > 0)
    cuts = np.concatenate([[-np.inf], edges, [np.inf]])
    odd = np.arange(len(cuts) - 1) % 2 == 1
    chosen = ~odd if starts_positive else odd
    shares = [between(d, cuts[:-1], cuts[1:]) for d in (positive, negative)]
    tpr, fpr = (np.asarray(share[chosen].sum()) for share in shares)
    fnr, tnr = (np.asarray(share[~chosen].sum()) for share in shares)
    return TwoSidedRule(*outline(edges, starts_positive=starts_positive), edges, tpr, fpr, tnr, fnr)


def _turning_points(level: Callable[[FloatArray], FloatArray], grid: FloatArray, values: FloatArray) -> FloatArray:
    """Give where the likelihood ratio stops rising and starts to fall, or the reverse."""
    finite = np.isfinite(values)
    grid, values = grid[finite], values[finite]
    moves = np.flatnonzero(np.diff(values) != 0)
    rises = np.diff(values)[moves] > 0
    index = np.flatnonzero(rises[:-1] != rises[1:])
    left, right = grid[moves[index]], grid[moves[index + 1] + 1]
    top = np.where(rises[index], 1.0, -1.0)
    golden = (np.sqrt(5) - 1) / 2
    for _ in range(100):
        inner_left, inner_right = right - golden * (right - left), left + golden * (right - left)
        nearer = top * level(inner_left) >= top * level(inner_right)
        left, right = np.where(nearer, left, inner_left), np.where(nearer, inner_right, right)
    return left / 2 + right / 2


class _Piece:
    """A piece of the axis on which the likelihood ratio only rises or only falls."""

    def __init__(self, level: Callable[[FloatArray], FloatArray], points: FloatArray) -> None:
        values = level(points)
        self._rises = bool(values[-1] >= values[0])
        self._level = level
        self._points = points
        self._heights = np.maximum.accumulate(values if self._rises else -values)
        self._flat = bool((np.diff(self._heights[np.isfinite(self._heights)]) == 0).any())

    def probability(self, d: Distribution, wanted: FloatArray, left: float, right: float) -> FloatArray:
        """Give the probability, from left to right, of a ratio above the wanted one; of an equal one half."""
        strict = self._above(d, wanted, left, right, strictly=True)
        return (strict + self._above(d, wanted, left, right, strictly=False)) / 2 if self._flat else strict

    def _above(self, d: Distribution, wanted: FloatArray, left: float, right: float, *, strictly: bool) -> FloatArray:
        after = strictly == self._rises  # whether equal heights lie before the place that is looked for
        height = wanted if self._rises else -wanted
        index = np.searchsorted(self._heights, height, side="right" if after else "left")
        low = self._points[np.maximum(index - 1, 0)]
        high = self._points[np.minimum(index, len(self._points) - 1)]

        def passed(y: FloatArray) -> NDArray[np.bool_]:
            here = self._level(y) if self._rises else -self._level(y)
            return here > height if after else here >= height

        _, place = bisect(passed, low, high, _HALVINGS)
        place = np.where(index == 0, left, np.where(index == len(self._points), right, place))
        whole = np.full_like(place, left), np.full_like(place, right)
        return between(d, place, whole[1]) if self._rises else between(d, whole[0], place)
