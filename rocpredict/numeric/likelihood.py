"""The likelihood-ratio rule: as many thresholds as the densities have crossings."""

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rocpredict.answers import TwoSidedRule, outline
from rocpredict.arguments import FloatArray
from rocpredict.distributions import Distribution, is_atomic
from rocpredict.errors import RocPredictError
from rocpredict.numeric.crossing import crossings
from rocpredict.numeric.search import between, bisect, edges_of, grid_of, log_ratio, mean_over, sign_changes

_RTOL = 1e-11  # a level is found again to about 1e-14 of a density's width
_NOISE = 16 * np.finfo(float).eps  # of log f1 and log f0, in their difference
_RUN = 8  # points of the grid that make a level stretch, and no chance
_HALVINGS = 45  # from one point of the grid to the next


def proper_auc_complement(negative: Distribution, positive: Distribution) -> FloatArray:
    """Give 1 - AUC of the likelihood-ratio rule: the mean, over positives, of the share of likelier negatives."""
    atomic = [is_atomic(d) for d in (negative, positive)]
    if atomic[0] != atomic[1]:
        return np.zeros(())  # single values have no probability in a density: they give their class away
    _refuse_mixed(negative, positive)
    grid = grid_of(negative, positive)
    level = _without_noise(negative, positive, grid)
    values = level(grid)
    grid, values = grid[~np.isnan(values)], values[~np.isnan(values)]
    turns = _turning_points(level, grid, values)
    ends = np.unique(np.concatenate([grid[[0, -1]], turns, *_ends_of_finite_ratios(level, grid, values)]))
    pieces = [
        _Piece(level, np.unique(np.concatenate([[start], grid[(grid > start) & (grid < end)], [end]])))
        for start, end in pairwise(ends)
    ]
    limits = [-np.inf, *ends[1:-1], np.inf]

    def likelier(x: FloatArray) -> FloatArray:
        """Give P(g(X0) > g(x)) + P(g(X0) = g(x))/2, summed over the pieces on which g is monotone."""
        wanted = level(x)
        parts = [
            piece.probability(negative, wanted, left, right)
            for piece, (left, right) in zip(pieces, pairwise(limits), strict=True)
        ]
        return np.asarray(sum(parts))

    bends = [sign_changes(lambda x, at=at: level(x) - at, grid, values - at) for at in level(turns)]  # type: ignore[misc]
    edges = np.unique(np.concatenate([edges_of(negative, positive), ends, *bends]))
    return np.asarray(mean_over(positive, likelier, edges, rtol=_RTOL))


def proper_rule(negative: Distribution, positive: Distribution) -> TwoSidedRule:
    """Give the rule with the best Ameans, positive where f1 > f0, with as many thresholds as that takes."""
    _refuse_mixed(negative, positive)
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


def _refuse_mixed(negative: Distribution, positive: Distribution) -> None:
    if negative.atoms().points.size or positive.atoms().points.size:
        raise RocPredictError(
            "a likelihood ratio between a density and single values is infinite there and nowhere else; "
            "give two densities, or two distributions of single values"
        )


def _without_noise(
    negative: Distribution, positive: Distribution, grid: FloatArray
) -> Callable[[FloatArray], FloatArray]:
    """Give the logarithm of the likelihood ratio, constant wherever it moves by no more than rounding."""
    raw = log_ratio(negative, positive)
    values = raw(grid)
    with np.errstate(invalid="ignore"):
        noise = _NOISE * (1 + np.abs(positive.logpdf(grid)) + np.abs(negative.logpdf(grid)))
        still = np.abs(np.diff(values)) <= np.minimum(noise[1:], noise[:-1])
    starts = np.flatnonzero(still & ~np.concatenate([[False], still[:-1]]))
    ends = np.flatnonzero(still & ~np.concatenate([still[1:], [False]])) + 1
    runs = [(int(first), int(last)) for first, last in zip(starts, ends, strict=True) if last - first >= _RUN]
    flats = []
    for first, last in runs:
        height, most = np.median(values[first : last + 1]), noise[first : last + 1].max()
        beyond = grid[max(first - 1, 0)], grid[min(last + 1, len(grid) - 1)]
        _, low = bisect(lambda x, h=height, m=most: np.abs(raw(x) - h) <= m, beyond[0], grid[first])  # type: ignore[misc]
        high, _ = bisect(lambda x, h=height, m=most: ~(np.abs(raw(x) - h) <= m), grid[last], beyond[1])  # type: ignore[misc]
        flats.append((low, high, height))

    def level(x: FloatArray) -> FloatArray:
        found = raw(x)
        for low, high, height in flats:
            found = np.where((x >= low) & (x <= high), height, found)
        return found

    return level


def _ends_of_finite_ratios(
    level: Callable[[FloatArray], FloatArray], grid: FloatArray, values: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Give neighbouring floats between which the ratio turns finite or infinite: the ends of a support."""
    kind = np.where(np.isinf(values), np.sign(values), 0.0)
    index = np.flatnonzero(kind[:-1] != kind[1:])
    wanted = kind[index + 1]

    def arrived(x: FloatArray) -> NDArray[np.bool_]:
        at = level(x)
        return np.asarray(np.where(np.isinf(at), np.sign(at), 0.0) == wanted) & ~np.isnan(at)

    return bisect(arrived, grid[index], grid[index + 1])


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
        self._flat = bool((self._heights[1:] == self._heights[:-1]).any())

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
