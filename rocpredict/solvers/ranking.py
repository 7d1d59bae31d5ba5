"""ROC curve of the likelihood ratio of two densities, by ranking their values."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from rocpredict.base.validation import FloatArray, RocPredictError
from rocpredict.distributions.base import Distribution
from rocpredict.distributions.ecdf import is_discrete
from rocpredict.solvers.base import (
    Axis,
    LikelihoodRatioSolver,
    Solver,
    TwoThresholdRule,
    summarize_rule,
    tangent_correction,
)
from rocpredict.solvers.quadrature import (
    NOISE,
    bisect,
    expectation,
    find_roots,
    golden_section,
    interval_probability,
    log_ratio,
    rounding_error,
    sign_changes,
)

_ConstantInterval = tuple[float, float, float]  # from, to, log ratio
_RTOL = 1e-11  # a level is found again to about 1e-14 of a density's width
_MIN_RUN = 8  # points of the grid that make a level stretch, and no chance
_HALVINGS = 45  # from one point of the grid to the next
_XTOL = 1e-12  # of a rate; the tangent of the curve makes up for the rest
_REACH = 6.0  # z-scores of the points of a table
_MAX_LOG_RATIO = 1e300  # stands for an infinite price: above every finite ratio, below an infinite one


class RankedLikelihoodRatioSolver(LikelihoodRatioSolver):
    """ROC curve of the likelihood ratio of two densities.

    A density against single values needs no ranking: the likelihood ratio separates the classes.
    """

    def __init__(self, base: Solver) -> None:
        self.base, self.negative, self.positive = base, base.negative, base.positive
        self.separates = is_discrete(base.negative) != is_discrete(base.positive)

    @cached_property
    def ranking(self) -> LikelihoodRatioRanking:
        """The ranking of the values."""
        self._check_densities()
        return LikelihoodRatioRanking(self.base)

    def auc_complement(self) -> FloatArray:
        """Return 1 - AUC: the mean, over positives, of the share of negatives with a higher ratio."""
        if self.separates:
            return np.zeros(())
        ranking = self.ranking
        return ranking.expectation(
            self.positive, lambda x: ranking.upper_tail(self.negative, ranking.level(x), ties=0.5), np.empty(0), 1.0
        )

    def along(self, axis: Axis, rate: FloatArray) -> FloatArray:
        """Return the TPR at an FPR, where the curve is vertical its top, or the lowest FPR that reaches a TPR."""
        if self.separates:
            return np.full(np.shape(rate), 1.0 if axis == "fpr" else 0.0)
        given, other = (self.negative, self.positive) if axis == "fpr" else (self.positive, self.negative)
        at = self.ranking.level_at(axis, rate)
        residual = rate - self.ranking.upper_tail(given, at, ties=0.5)
        log_slope = at if axis == "fpr" else -at
        height = tangent_correction(residual, self.ranking.upper_tail(other, at, ties=0.5), log_slope)
        if axis == "fpr":
            return np.where(rate == 0, self._top, np.where(rate == 1, 1.0, np.maximum(height, self._top)))
        return np.where(rate <= self._top, 0.0, np.where(rate == 1, self._end, np.minimum(height, self._end)))

    def area(self, axis: Axis, low: FloatArray, high: FloatArray) -> FloatArray:
        """Return the area under the curve between two FPRs, or to its right between two TPRs."""
        if self.separates:
            return np.asarray(high - low)
        given, other = (self.negative, self.positive) if axis == "fpr" else (self.positive, self.negative)

        def part(x: FloatArray) -> FloatArray:
            rank = _mean_clipped_rank(self.ranking, given, x, low, high)
            return high - rank if axis == "fpr" else rank - low

        levels = self.ranking.level_at(axis, np.array([low, high]))
        return self.ranking.expectation(other, part, levels, float(high - low))

    def rule(self, log_price: FloatArray) -> TwoThresholdRule:
        """Return the rule that maximises TPR - price FPR: positive where f1 > price f0, with all its thresholds."""
        self._check_densities()
        price = np.clip(log_price, -_MAX_LOG_RATIO, _MAX_LOG_RATIO)
        grid = self.base.search_grid
        signs = log_ratio(self.negative, self.positive)(grid) - price
        signs = signs[np.abs(signs) > rounding_error(self.negative, self.positive, grid)]
        return self._rule(self.base.crossings(price), starts_positive=bool(signs.size and signs[0] > 0))

    def rule_at_fpr(self, fpr: FloatArray) -> TwoThresholdRule:
        """Return the rule with the highest TPR of all with at most this FPR."""
        ranking = self.ranking
        highest, lowest = ranking.values.max(), ranking.values.min()
        at = highest if fpr == 0 and np.isposinf(highest) else float(ranking.level_at("fpr", fpr))
        at = min(at, _MAX_LOG_RATIO) if fpr == 0 else at
        if fpr == 1:
            at = -_MAX_LOG_RATIO if np.isneginf(lowest) else np.nextafter(lowest, -np.inf)

        def called(x: FloatArray) -> FloatArray:
            level = ranking.level(x)
            return np.where(np.isnan(level), np.nan, np.where(level > at, 1.0, -1.0))

        signs = called(ranking.grid)
        return self._rule(sign_changes(called, ranking.grid, signs), starts_positive=bool(signs[0] > 0))

    def curve(self, n_points: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the ratio, FPR and TPR of rules spread over both classes, from (0, 0) to (1, 1)."""
        if self.separates:
            return np.array([np.inf, np.inf, 0.0]), np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 1.0])
        ranking = self.ranking
        shares = [ndtr(np.linspace(-_REACH, _REACH, count)) for count in ((n_points - 1) // 2, (n_points - 2) // 2)]
        columns = list(ranking.tail_tables.values())
        tied = np.any([including > strict for strict, including in columns], axis=0)
        spread = [np.searchsorted(strict, share) for (strict, _), share in zip(columns, shares, strict=True)]
        last = len(tied) - 1
        at = np.unique(
            np.concatenate([np.minimum(index, last) for index in spread] + [np.flatnonzero(tied), [0, last]])
        )
        with np.errstate(over="ignore"):
            level = np.exp(ranking.levels[at])
        rows = [np.stack([strict[at], including[at]], axis=-1) for strict, including in columns]
        wanted = np.stack([tied[at], np.ones(len(at), dtype=bool)], axis=-1)  # a tie has two ends, any other level one
        levels = np.stack([np.nextafter(level, np.inf), level], axis=-1)[wanted]
        fpr, tpr = (row[wanted] for row in rows)
        ends = ([np.inf, np.inf], [0.0, 0.0]), ([0.0, 0.0], [self._end, 1.0]), ([0.0, self._top], [1.0, 1.0])
        whole = [np.concatenate([a, part, z]) for part, (a, z) in zip((levels, fpr, tpr), ends, strict=True)]
        moves = np.concatenate([[True], (np.diff(whole[1]) > 0) | (np.diff(whole[2]) > 0)])
        return whole[0][moves], whole[1][moves], whole[2][moves]

    @property
    def _top(self) -> FloatArray:
        """The TPR at which the curve leaves FPR 0."""
        return self.ranking.upper_tail(self.positive, np.asarray(_MAX_LOG_RATIO), ties=1.0)

    @property
    def _end(self) -> FloatArray:
        """The FPR at which the curve reaches TPR 1."""
        return self.ranking.upper_tail(self.negative, np.asarray(-_MAX_LOG_RATIO), ties=0.0)

    def _rule(self, edges: FloatArray, *, starts_positive: bool) -> TwoThresholdRule:
        """Return the rule that changes sides at every edge."""
        cuts = np.concatenate([[-np.inf], edges, [np.inf]])
        chosen = np.arange(len(cuts) - 1) % 2 == (0 if starts_positive else 1)
        shares = [interval_probability(d, cuts[:-1], cuts[1:]) for d in (self.positive, self.negative)]
        tpr, fpr = (np.asarray(share[chosen].sum()) for share in shares)
        fnr, tnr = (np.asarray(share[~chosen].sum()) for share in shares)
        return TwoThresholdRule(*summarize_rule(edges, starts_positive=starts_positive), edges, tpr, fpr, tnr, fnr)

    def _check_densities(self) -> None:
        if self.negative.atoms().points.size or self.positive.atoms().points.size:
            raise RocPredictError(
                "a likelihood ratio between a density and single values is infinite there and nowhere else; "
                "give two densities, or two distributions of single values"
            )


class LikelihoodRatioRanking:
    """Probabilities of a higher likelihood ratio: the axis is cut where the ratio turns."""

    def __init__(self, base: Solver) -> None:
        grid, negative, positive = base.search_grid, base.negative, base.positive
        self._panel_edges = base.panel_edges
        self.classes: dict[Axis, Distribution] = {"fpr": negative, "tpr": positive}
        self.level, flats = _smooth_rounding(negative, positive, grid)
        values = self.level(grid)
        self.grid, self.values = grid[~np.isnan(values)], values[~np.isnan(values)]
        self._turns = _turning_points(self.level, self.grid, self.values, rounding_error(negative, positive, self.grid))
        finite_ends = _finite_ratio_bounds(self.level, self.grid, self.values)
        self._ends = np.unique(np.concatenate([self.grid[[0, -1]], self._turns, *finite_ends]))
        self.grid = np.unique(np.concatenate([self.grid, self._turns]))
        self.values = self.level(self.grid)
        self.levels = np.unique(self.values[np.isfinite(self.values)])[::-1]  # of the log ratio, descending
        self._pieces = [self._piece(start, end, flats) for start, end in pairwise(self._ends)]
        self._limits = [-np.inf, *self._ends[1:-1], np.inf]

    def _piece(self, start: float, end: float, flats: list[_ConstantInterval]) -> _MonotonePiece:
        inner = self.grid[(self.grid > start) & (self.grid < end)]
        here = [height for low, high, height in flats if low < end and high > start]
        return _MonotonePiece(self.level, np.unique(np.concatenate([[start], inner, [end]])), here)

    @property
    def has_ties(self) -> bool:
        """Whether a level is held by more than a point."""
        return any(piece.flat for piece in self._pieces)

    def upper_tail(self, d: Distribution, wanted: FloatArray, *, ties: float) -> FloatArray:
        """Return the probability of a higher log ratio than the wanted one, and this share of that of an equal one."""
        parts = [
            piece.probability(d, wanted, left, right, ties)
            for piece, (left, right) in zip(self._pieces, pairwise(self._limits), strict=True)
        ]
        return np.minimum(sum(parts), 1.0)

    def expectation(
        self, d: Distribution, height: Callable[[FloatArray], FloatArray], levels: FloatArray, width: float
    ) -> FloatArray:
        """Return the mean over a class of a height that bends at these levels, and where the ratio turns.

        Next to a turn the ratio tells rates apart to 1e-8 and no better: narrow bands settle for fewer digits.
        """
        rtol = min(max(_RTOL, 1e-17 / width**2), 1e-6)
        bent = np.concatenate([self.level(self._turns), levels])
        bends = [self.level_crossings(at) for at in bent[np.isfinite(bent)]]
        edges = np.unique(np.concatenate([self._panel_edges, self._ends, *bends]))
        return np.asarray(expectation(d, height, edges, rtol=rtol))

    def level_crossings(self, at: float) -> FloatArray:
        """Return where the ratio passes a level."""
        with np.errstate(invalid="ignore"):
            return sign_changes(lambda x: self.level(x) - at, self.grid, self.values - at)

    @cached_property
    def tail_tables(self) -> dict[Axis, tuple[FloatArray, FloatArray]]:
        """Shares of the negatives ("fpr") and the positives ("tpr") above each of the levels, and at or above."""
        tables: dict[Axis, tuple[FloatArray, FloatArray]] = {}
        for axis, d in self.classes.items():
            strict = self.upper_tail(d, self.levels, ties=0.0)
            including = self.upper_tail(d, self.levels, ties=1.0) if self.has_ties else strict
            tables[axis] = np.maximum.accumulate(strict), np.maximum.accumulate(including)
        return tables

    def level_at(self, axis: Axis, rate: FloatArray) -> FloatArray:
        """Return the log ratio that this share of a class lies above, ties taken or not."""
        rate = np.asarray(rate)
        shape, rate = rate.shape, np.atleast_1d(rate)
        levels, (strict, including) = self.levels, self.tail_tables[axis]
        index = np.minimum(np.searchsorted(including, rate, side="left"), len(levels) - 1)
        found = levels[index]
        between_levels = (strict[index] > rate) & (index > 0)
        if between_levels.any():
            index, rate = index[between_levels], rate[between_levels]
            found[between_levels] = _solve(
                lambda at, wanted: wanted - self.upper_tail(self.classes[axis], at, ties=0.5),
                levels[index],
                levels[index - 1],
                rate,
                _XTOL * np.minimum(rate, 1 - rate),
            )
        return np.asarray(found.reshape(shape))


class _MonotonePiece:
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
        """Return the probability, from left to right, of a ratio above the wanted one, and a share of an equal one."""
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
        return interval_probability(d, place, whole[1]) if self._rises else interval_probability(d, whole[0], place)

    def _found(self, low: FloatArray, high: FloatArray, height: FloatArray, *, after: bool) -> FloatArray:
        """Return where the height is passed, between points of the grid; of a level interval its end."""
        sign = 1.0 if self._rises else -1.0

        def excess(y: FloatArray, wanted: FloatArray) -> FloatArray:
            return np.asarray(sign * self._level(y) - wanted)

        noise = NOISE * (1 + np.abs(height))
        level = np.any(
            [np.abs(height - sign * at) <= noise for at in self._flats] + [np.zeros(len(height), bool)], axis=0
        )
        place = np.empty(len(height))
        if not level.all():
            at = ~level
            place[at] = _solve(excess, low[at], high[at], height[at], noise[at] / 4)
        wanted = height[level]
        _, place[level] = bisect(
            lambda y: excess(y, wanted) > 0 if after else excess(y, wanted) >= 0, low[level], high[level], _HALVINGS
        )
        return place


def _solve(
    f: Callable[[FloatArray, FloatArray], FloatArray],
    low: FloatArray,
    high: FloatArray,
    wanted: FloatArray,
    close: FloatArray,
) -> FloatArray:
    """Return where ``f(x, wanted)``, rising in x, is within ``close`` of 0; an end where rounding hides its sign."""
    root = find_roots(lambda x, wanted, close: f(x, wanted) / close, low, high, wanted, close, fatol=1.0)
    nearer = np.where(np.abs(root.f_bracket[0]) <= np.abs(root.f_bracket[1]), *root.bracket)
    return np.asarray(np.where(root.success, root.x, nearer))


def _smooth_rounding(
    negative: Distribution, positive: Distribution, grid: FloatArray
) -> tuple[Callable[[FloatArray], FloatArray], list[_ConstantInterval]]:
    """Return the logarithm of the likelihood ratio, constant wherever it moves by no more than rounding; and where."""
    raw = log_ratio(negative, positive)
    values = raw(grid)
    noise = rounding_error(negative, positive, grid)
    with np.errstate(invalid="ignore"):
        still = np.abs(np.diff(values)) <= np.minimum(noise[1:], noise[:-1])
    starts = np.flatnonzero(still & ~np.concatenate([[False], still[:-1]]))
    ends = np.flatnonzero(still & ~np.concatenate([still[1:], [False]])) + 1
    runs = [(int(first), int(last)) for first, last in zip(starts, ends, strict=True) if last - first >= _MIN_RUN]
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


def _finite_ratio_bounds(
    level: Callable[[FloatArray], FloatArray], grid: FloatArray, values: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return neighbouring floats between which the ratio turns finite or infinite: the ends of a support."""
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
    """Return where the likelihood ratio stops rising and starts to fall, or the reverse, by more than rounding."""
    finite = np.isfinite(values)
    grid, values, noise = grid[finite], values[finite], noise[finite]
    moves = np.flatnonzero(np.abs(np.diff(values)) > np.maximum(noise[1:], noise[:-1]))
    rises = np.diff(values)[moves] > 0
    index = np.flatnonzero(rises[:-1] != rises[1:])
    left, right = grid[moves[index]], grid[moves[index + 1] + 1]
    top = np.where(rises[index], 1.0, -1.0)
    return golden_section(lambda x: -top * level(x), left, right)


def _mean_clipped_rank(
    ranking: LikelihoodRatioRanking, d: Distribution, x: FloatArray, low: FloatArray, high: FloatArray
) -> FloatArray:
    """Return the mean place of x among a class by its ratio, as a rate kept in a band; ties spread evenly."""
    at = ranking.level(x)
    start = ranking.upper_tail(d, at, ties=0.0)
    if not ranking.has_ties:
        return np.clip(start, low, high)
    end = ranking.upper_tail(d, at, ties=1.0)
    width = end - start
    inside = np.clip(start, low, high), np.clip(end, low, high)
    below, beyond = np.clip(low - start, 0, width) * low, np.clip(end - high, 0, width) * high
    whole = below + beyond + (inside[1] - inside[0]) * (inside[0] / 2 + inside[1] / 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(width > 0, whole / width, np.clip(start, low, high))
