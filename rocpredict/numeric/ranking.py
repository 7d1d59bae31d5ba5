"""Values ranked by their likelihood ratio: pieces of the axis on which it only rises or only falls."""

from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocpredict.arguments import FloatArray
from rocpredict.distributions import Distribution
from rocpredict.numeric.search import between, bisect, edges_of, grid_of, log_ratio, mean_over, sign_changes

_Flat = tuple[float, float, float]  # from, to, log ratio
_RTOL = 1e-11  # a level is found again to about 1e-14 of a density's width
_NOISE = 16 * np.finfo(float).eps  # of log f1 and log f0, in their difference
_RUN = 8  # points of the grid that make a level stretch, and no chance
_HALVINGS = 45  # from one point of the grid to the next
_FINE = 4e-16  # of a place, relative
_ROUNDS = 30
_CLOSE = 1e-12  # of a rate; the tangent of the curve makes up for the rest


@lru_cache(maxsize=16)
def ranking_of(negative: Distribution, positive: Distribution) -> "Ranking":
    """Give the ranking of two densities, kept for the next question."""
    return Ranking(negative, positive)


class Ranking:
    """Tell how probable a higher likelihood ratio is."""

    def __init__(self, negative: Distribution, positive: Distribution) -> None:
        grid = grid_of(negative, positive)
        self._pair = negative, positive
        self.level, flats = _without_noise(negative, positive, grid)
        values = self.level(grid)
        self.grid, self.values = grid[~np.isnan(values)], values[~np.isnan(values)]
        self._turns = _turning_points(self.level, self.grid, self.values, _noise(negative, positive, self.grid))
        finite_ends = _ends_of_finite_ratios(self.level, self.grid, self.values)
        self._ends = np.unique(np.concatenate([self.grid[[0, -1]], self._turns, *finite_ends]))
        self.grid = np.unique(np.concatenate([self.grid, self._turns]))
        self.values = self.level(self.grid)
        self.levels = np.unique(self.values[np.isfinite(self.values)])[::-1]  # of the log ratio, descending
        self._pieces = [self._piece(start, end, flats) for start, end in pairwise(self._ends)]
        self._limits = [-np.inf, *self._ends[1:-1], np.inf]

    def _piece(self, start: float, end: float, flats: list[_Flat]) -> "_Piece":
        inner = self.grid[(self.grid > start) & (self.grid < end)]
        here = [height for low, high, height in flats if low < end and high > start]
        return _Piece(self.level, np.unique(np.concatenate([[start], inner, [end]])), here)

    @property
    def tied(self) -> bool:
        """Whether a level is held by more than a point."""
        return any(piece.flat for piece in self._pieces)

    def above(self, d: Distribution, wanted: FloatArray, *, ties: float) -> FloatArray:
        """Give the probability of a higher log ratio than the wanted one, and this share of that of an equal one."""
        parts = [
            piece.probability(d, wanted, left, right, ties)
            for piece, (left, right) in zip(self._pieces, pairwise(self._limits), strict=True)
        ]
        return np.asarray(sum(parts))

    def mean_of(
        self, d: Distribution, height: Callable[[FloatArray], FloatArray], levels: FloatArray, width: float
    ) -> FloatArray:
        """Give the mean over a class of a height that bends at these levels, and where the ratio turns.

        Next to a turn the ratio tells rates apart to 1e-8 and no better: narrow bands settle for fewer digits.
        """
        rtol = min(max(_RTOL, 1e-17 / width**2), 1e-6)
        bent = np.concatenate([self.level(self._turns), levels])
        bends = [self.edges_at(at) for at in bent[np.isfinite(bent)]]
        edges = np.unique(np.concatenate([edges_of(*self._pair), self._ends, *bends]))
        return np.asarray(mean_over(d, height, edges, rtol=rtol))

    def edges_at(self, at: float) -> FloatArray:
        """Give where the ratio passes a level."""
        with np.errstate(invalid="ignore"):
            return sign_changes(lambda x: self.level(x) - at, self.grid, self.values - at)

    def table(self, d: Distribution) -> tuple[FloatArray, FloatArray]:
        """Give the share of a class above each of the levels, and at or above."""
        return _table(self, d)

    def level_at(self, d: Distribution, rate: FloatArray) -> FloatArray:
        """Give the log ratio that this share of a class lies above, ties taken or not."""
        rate = np.asarray(rate)
        shape, rate = rate.shape, np.atleast_1d(rate)
        levels, (strict, including) = self.levels, self.table(d)
        index = np.minimum(np.searchsorted(including, rate, side="left"), len(levels) - 1)
        found = levels[index]
        between_levels = (strict[index] > rate) & (index > 0)
        found[between_levels] = root_between(
            lambda at, wanted: wanted - self.above(d, at, ties=0.5),
            (levels[index], levels[np.maximum(index - 1, 0)]),
            rate,
            _CLOSE * np.minimum(rate, 1 - rate),
            _ROUNDS,
            between_levels,
        )
        return np.asarray(found.reshape(shape))


@lru_cache(maxsize=32)
def _table(ranking: Ranking, d: Distribution) -> tuple[FloatArray, FloatArray]:
    strict = ranking.above(d, ranking.levels, ties=0.0)
    including = ranking.above(d, ranking.levels, ties=1.0) if ranking.tied else strict
    return np.maximum.accumulate(strict), np.maximum.accumulate(including)


def _noise(negative: Distribution, positive: Distribution, x: FloatArray) -> FloatArray:
    """Give how much of the log ratio is rounding."""
    return np.asarray(_NOISE * (1 + np.abs(positive.logpdf(x)) + np.abs(negative.logpdf(x))))


def _without_noise(
    negative: Distribution, positive: Distribution, grid: FloatArray
) -> tuple[Callable[[FloatArray], FloatArray], list[_Flat]]:
    """Give the logarithm of the likelihood ratio, constant wherever it moves by no more than rounding; and where."""
    raw = log_ratio(negative, positive)
    values = raw(grid)
    noise = _noise(negative, positive, grid)
    with np.errstate(invalid="ignore"):
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

    return level, [(float(low), float(high), float(height)) for low, high, height in flats]


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


def _turning_points(
    level: Callable[[FloatArray], FloatArray], grid: FloatArray, values: FloatArray, noise: FloatArray
) -> FloatArray:
    """Give where the likelihood ratio stops rising and starts to fall, or the reverse, by more than rounding."""
    finite = np.isfinite(values)
    grid, values, noise = grid[finite], values[finite], noise[finite]
    moves = np.flatnonzero(np.abs(np.diff(values)) > np.maximum(noise[1:], noise[:-1]))
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

    def __init__(self, level: Callable[[FloatArray], FloatArray], points: FloatArray, flats: list[float]) -> None:
        values = level(points)
        self._rises = bool(values[-1] >= values[0])
        self._level = level
        self._points = points
        self._heights = np.maximum.accumulate(values if self._rises else -values)
        self.flat = bool(flats)
        self._flats = flats

    def probability(self, d: Distribution, wanted: FloatArray, left: float, right: float, ties: float) -> FloatArray:
        """Give the probability, from left to right, of a ratio above the wanted one, and a share of an equal one."""
        if not self.flat:
            return self._above(d, wanted, left, right, strictly=True)
        parts = [self._above(d, wanted, left, right, strictly=strictly) for strictly in (True, False)]
        return (1 - ties) * parts[0] + ties * parts[1]

    def _above(self, d: Distribution, wanted: FloatArray, left: float, right: float, *, strictly: bool) -> FloatArray:
        after = strictly == self._rises  # whether equal heights lie before the place that is looked for
        height = np.asarray(wanted if self._rises else -wanted)
        index = np.searchsorted(self._heights, height, side="right" if after else "left")
        low = self._points[np.maximum(index - 1, 0)]
        high = self._points[np.minimum(index, len(self._points) - 1)]
        place = np.where(index == 0, left, right)
        within = (index > 0) & (index < len(self._points))
        if within.any():
            place[within] = self._found(low[within], high[within], height[within], after=after)
        whole = np.full_like(place, left), np.full_like(place, right)
        return between(d, place, whole[1]) if self._rises else between(d, whole[0], place)

    def _found(self, low: FloatArray, high: FloatArray, height: FloatArray, *, after: bool) -> FloatArray:
        """Give where the height is passed, between points of the grid; of a level stretch the end that is asked for."""
        sign = 1.0 if self._rises else -1.0

        def excess(y: FloatArray, wanted: FloatArray) -> FloatArray:
            return np.asarray(sign * self._level(y) - wanted)

        noise = _NOISE * (1 + np.abs(height))
        level = np.any(
            [np.abs(height - sign * at) <= noise for at in self._flats] + [np.zeros(len(height), bool)], axis=0
        )
        place = np.empty(len(height))
        place[~level] = root_between(excess, (low, high), height, noise / 4, 60, ~level)
        wanted = height[level]
        _, place[level] = bisect(
            lambda y: excess(y, wanted) > 0 if after else excess(y, wanted) >= 0, low[level], high[level], _HALVINGS
        )
        return place


def root_between(
    f: Callable[[FloatArray, FloatArray], FloatArray],
    ends: tuple[FloatArray, FloatArray],
    wanted: FloatArray,
    close: FloatArray,
    rounds: int,
    where: NDArray[np.bool_],
) -> FloatArray:
    """Give where ``f(x, wanted)``, rising in x, is 0, to within ``close``.

    By false position, the stale end halved in its weight (Illinois), and by halving every third time.
    """
    low, high, wanted, close = (part[where] for part in (*ends, wanted, close))
    place = np.empty(len(low))
    index = np.arange(len(low))
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        below, above = f(low, wanted), f(high, wanted)
        best, least = np.where(-below < above, low, high), np.fmin(-below, above)
        before: NDArray[Any] = np.full(len(low), 2)  # at first no end is stale
        for step in range(rounds):
            middle = low / 2 + high / 2
            guess = low - below * ((high - low) / (above - below)) if step % 3 < 2 else middle
            guess = np.where((guess > low) & (guess < high), guess, middle)
            here = f(guess, wanted)
            best, least = np.where(np.abs(here) < least, guess, best), np.fmin(np.abs(here), least)
            going = (least > close) & (high - low > _FINE * np.maximum(np.abs(low), np.abs(high)))
            place[index[~going]] = best[~going]
            over = here > 0
            stale = np.where(over == before, 0.5, 1.0)
            low, below = np.where(over, low, guess), np.where(over, below * stale, here)
            high, above = np.where(over, guess, high), np.where(over, here, above * stale)
            index, before = index[going], over[going]
            kept = (low, high, below, above, wanted, close, best, least)
            low, high, below, above, wanted, close, best, least = (part[going] for part in kept)
            if not len(index):
                break
    place[index] = best
    return place
