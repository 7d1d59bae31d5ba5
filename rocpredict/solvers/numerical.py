"""Numerical solvers for the ROC curve of any two distributions and for the ROC curve of their likelihood ratio."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rocpredict.base.results import Flags
from rocpredict.base.validation import FloatArray, RocPredictError
from rocpredict.distributions.base import Distribution
from rocpredict.distributions.ecdf import is_discrete
from rocpredict.solvers import quadrature
from rocpredict.solvers.base import (
    ROUNDING,
    Axis,
    LikelihoodRatioSolver,
    OptimalThreshold,
    Solver,
    TwoThresholdRule,
    atom_mass,
    equal_runs,
    make_tail_grids,
    pad_rows,
    summarize_rule,
    tangent_correction,
)

_RTOL = 1e-11  # tolerance of an expectation; a level crossing is accurate to about 1e-14 times the width of a density
_TAIL = 1e-12  # tail probability beyond which rounding may hide the sign of a log ratio
_MIN_WIDTH = 1e-10  # smallest width, relative to the range, of an interval with a likelihood ratio equal to the price
_MIN_RUN = 8  # smallest number of grid points of an interval with a constant likelihood ratio
_XTOL = 1e-12  # tolerance of a rate; the remaining error is corrected along the tangent
_MAX_PRICES = 128  # largest number of prices per block
_MAX_LOG_RATIO = 1e300  # replaces an infinite log price; it is above every finite log ratio and below infinity


class NumericalSolver(Solver):
    """Solver for any two distributions of one feature, based on quadrature and root finding."""

    def auc(self) -> FloatArray:
        """Return the AUC, P(positive > negative) + P(tie)/2."""
        return self._mean_tail(self.negative.cdf_strict, self.negative.cdf)

    def auc_complement(self) -> FloatArray:
        """Return 1 - AUC = P(positive < negative) + P(tie)/2 with full relative accuracy."""
        return self._mean_tail(self.negative.sf, self.negative.sf_inclusive)

    def along(self, axis: Axis, rate: FloatArray) -> FloatArray:
        """Return the highest TPR at FPR = ``rate`` or, for axis "tpr", the lowest FPR with TPR >= ``rate``."""
        if axis == "fpr":
            t = self.negative.isf(rate)
            fraction = np.where(atom_mass(self.negative, t) > 0, _atom_fraction(self.negative, t, rate), 1.0)
            return np.where(rate == 1, 1.0, self.positive.sf(t) + fraction * atom_mass(self.positive, t))
        t = self.threshold_at("tpr", rate)
        fraction = _atom_fraction(self.positive, t, rate)
        return np.where(rate == 0, 0.0, self.negative.sf(t) + fraction * atom_mass(self.negative, t))

    def threshold_at(self, axis: Axis, rate: FloatArray) -> FloatArray:
        """Return the lowest threshold with FPR <= ``rate`` or, for axis "tpr", the highest one with TPR >= ``rate``."""
        if axis == "tpr":
            return np.where(np.equal(rate, 0), np.inf, -np.asarray(self.positive.reflect().ppf(rate)))
        t = np.asarray(self.negative.isf(rate))
        reached = np.asarray(self.negative.sf_inclusive(t))
        t = np.where((reached > rate) & (reached > self.negative.sf(t)), np.nextafter(t, np.inf), t)
        return np.where(np.equal(rate, 1), -np.inf, t)

    def area(self, axis: Axis, low: FloatArray, high: FloatArray) -> FloatArray:
        """Return the area under the curve (axis "fpr") or to the right of the curve (axis "tpr") between two rates."""
        if axis == "fpr":
            d, beyond, at = self.negative, self.positive.sf, self.positive.sf_inclusive
        else:
            d, beyond, at = self.positive, self.negative.cdf, self.negative.cdf_strict
        edges = np.clip(self.panel_edges, d.isf(high), d.isf(low))
        smooth = quadrature.expectation(d, beyond, np.unique(edges[np.isfinite(edges)]))
        points, _ = d.atoms()  # a point mass is a linear segment of the curve
        start, end = np.asarray(d.sf(points)), np.asarray(d.sf_inclusive(points))
        left, right = np.clip(start, low, high), np.clip(end, low, high)
        with np.errstate(divide="ignore", invalid="ignore"):
            fraction = np.where(end > start, ((left + right) / 2 - start) / (end - start), 0.0)
        rate = beyond(points) + fraction * (np.asarray(at(points)) - beyond(points))
        return np.asarray(smooth + np.sum((right - left) * rate))

    def crossings(self, log_price: FloatArray) -> FloatArray:
        """Return the thresholds at which f1 - price * f0 changes sign, in ascending order along the last axis.

        f0 and f1 are the densities of the negatives and of the positives.
        """
        return pad_rows(self._crossings(np.ravel(log_price))[0]).reshape(*np.shape(log_price), -1)

    @np.errstate(under="ignore")
    def optimal(self, log_price: FloatArray) -> OptimalThreshold:
        """Return the threshold that maximizes TPR - price * FPR.

        The candidates are infinite thresholds, the crossings of the weighted densities, the points of the search grid,
        the locations of the point masses, and the next larger float after each location. If all thresholds in an
        interval are equally good, the midpoint of the interval is returned. If the price is 0, the upper bound of the
        interval is returned instead.
        """
        shape, prices = np.shape(log_price), np.ravel(log_price)
        crossings, is_uncertain = self._crossings(prices)
        bounds = np.cumsum([0, *map(len, crossings)])
        inner, fixed = self._candidates(np.concatenate(crossings)), self._fixed_candidates
        best, equal = np.empty((len(prices), 3)), []
        for place, (price, first, last) in enumerate(zip(prices, bounds[:-1], bounds[1:], strict=True)):
            columns = zip(inner, fixed, strict=True)
            candidates = _Candidates(*(np.concatenate([part[first:last], rest]) for part, rest in columns))
            best[place], others = self._best_candidate(candidates, price)
            equal.append(others)
        threshold, low, high = (np.reshape(part, shape) for part in best.T)
        negative, positive, grid = self.negative, self.positive, self.search_grid
        result = self.at_threshold(
            threshold,
            pad_rows(crossings).reshape(*shape, -1),
            (low, high),
            pad_rows(equal).reshape(*shape, -1),
            identical=np.full(shape, np.array_equal(negative.cdf(grid), positive.cdf(grid))),
            crossings_uncertain=np.reshape(is_uncertain, shape),
            point_mass=np.full(shape, any((d.atoms().masses == 1).any() for d in (negative, positive))),
        )
        no_benefit = (np.reshape(prices, shape) == 0) & (result.tpr <= result.fpr)
        return result._replace(flags=result.flags | Flags(no_benefit=no_benefit))

    def likelihood_ratio(self) -> LikelihoodRatioSolver:
        """Return the solver for the ROC curve of the likelihood ratio."""
        return RankedLikelihoodRatioSolver(self)

    @property
    def crossing_grid(self) -> FloatArray:
        """Grid that is searched for crossings."""
        return self.search_grid

    def _crossings(self, log_prices: FloatArray) -> tuple[list[FloatArray], NDArray[np.bool_]]:
        """Return, for each price, all crossings, and whether the likelihood ratio equals the price on an interval."""
        if len(log_prices) > _MAX_PRICES:
            parts = [self._crossings(log_prices[:_MAX_PRICES]), self._crossings(log_prices[_MAX_PRICES:])]
            return parts[0][0] + parts[1][0], np.concatenate([parts[0][1], parts[1][1]])
        ratio = partial(quadrature.log_density_ratio, self.negative, self.positive)
        row, grid, values, noise = quadrature.refine_brackets(
            ratio, partial(quadrature.rounding_error, self.negative, self.positive), self.crossing_grid, log_prices
        )
        pair = self.negative, self.positive
        low, high = min(float(d.ppf(_TAIL)) for d in pair), max(float(d.isf(_TAIL)) for d in pair)
        inner = (grid >= low) & (grid <= high) & np.isfinite(noise) & ~np.isnan(values)
        points, owner, clear = grid[inner], row[inner], (np.abs(values) > noise)[inner]
        is_level = ~clear[1:] & ~clear[:-1] & (owner[1:] == owner[:-1])
        is_level &= np.diff(points) > _MIN_WIDTH * (high - low)
        counts = [np.bincount(part, minlength=len(log_prices)) for part in (owner[1:][is_level], owner[clear])]
        rows = quadrature.level_crossings(ratio, log_prices, row, grid, values, noise=noise)
        return rows, (counts[0] > 0) & (counts[1] > 0)

    def _candidates(self, points: FloatArray) -> _Candidates:
        """Return candidate thresholds with their rates and log likelihood ratios."""
        fnr, fpr = np.asarray(self.positive.cdf_strict(points)), np.asarray(self.negative.sf_inclusive(points))
        return _Candidates(points, fnr, fpr, quadrature.log_density_ratio(self.negative, self.positive, points))

    @cached_property
    def _fixed_candidates(self) -> _Candidates:
        """Candidate thresholds that do not depend on the price.

        These are infinite thresholds, the points of the search grid, the locations of the point masses, and the next
        larger float after each location.
        """
        atoms = np.concatenate([self.negative.atoms().points, self.positive.atoms().points])
        return self._candidates(
            np.concatenate([atoms, np.nextafter(atoms, np.inf), np.array([np.inf, -np.inf]), self.search_grid])
        )

    def _best_candidate(
        self, candidates: _Candidates, log_price: float
    ) -> tuple[tuple[float, float, float], FloatArray]:
        """Return the best threshold, the bounds of its plateau, and equally good thresholds outside of the plateau."""
        with np.errstate(over="ignore"):
            price = float(np.exp(log_price))
        points = candidates.points
        losses = np.nan_to_num(candidates.loss(price), nan=np.inf)
        most = losses.min() * (1 + ROUNDING)
        threshold = float(points[np.argmax(losses <= most)])

        def level_at(t: FloatArray) -> NDArray[np.bool_]:
            return self._candidates(t).is_level(price, log_price, most)

        low, high = _plateau(level_at, points, candidates.is_level(price, log_price, most), threshold)
        if price == 0 and low < high:
            low = threshold = high  # false positives cost nothing: choose the lowest FPR
        elif low < high and np.isfinite(high - low):
            threshold = low / 2 + high / 2
        return (threshold, low, high), equal_runs(points, losses, (low, high)) if price > 0 else np.empty(0)

    def _mean_tail(
        self, without: Callable[[FloatArray], FloatArray], including: Callable[[FloatArray], FloatArray]
    ) -> FloatArray:
        """Return the expected tail probability of the negatives at a random positive; ties count as 1/2."""
        atomic = self.negative.atoms().points.size
        tail = (lambda x: (np.asarray(without(x)) + including(x)) / 2) if atomic else without
        points, masses = self.positive.atoms()
        total = masses @ np.asarray(tail(points))
        if not is_discrete(self.positive):
            total += quadrature.expectation(self.positive, tail, self.panel_edges)
        return np.asarray(total)


def _atom_fraction(d: Distribution[Any], t: FloatArray, rate: FloatArray) -> FloatArray:
    """Return the fraction of the point mass at ``t`` that must be added to P(X > t) to obtain ``rate``."""
    mass = atom_mass(d, t)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(mass > 0, np.clip((rate - d.sf(t)) / mass, 0, 1), 0.0)


class _Candidates(NamedTuple):
    """Thresholds with their rates and log likelihood ratios."""

    points: FloatArray
    fnr: FloatArray
    fpr: FloatArray
    log_ratio: FloatArray

    def loss(self, price: float) -> FloatArray:
        """Return 1 - (TPR - price * FPR), computed accurately even if the classes hardly overlap."""
        return self.fnr + price * self.fpr if np.isfinite(price) else np.where(self.fpr > 0, np.inf, self.fnr)

    def is_level(self, price: float, log_price: float, most: float) -> NDArray[np.bool_]:
        """Return a mask of the thresholds that may belong to a plateau.

        At these thresholds, the loss is at most ``most``, and the weighted densities are equal or both 0.
        """
        with np.errstate(invalid="ignore"):
            steepness = self.log_ratio - log_price
            is_flat = np.isnan(steepness) | (steepness == 0) | np.isinf(self.points)
            return np.asarray(is_flat & (self.loss(price) <= most))


def _plateau(
    level_at: Callable[[FloatArray], NDArray[np.bool_]],
    points: FloatArray,
    is_level: NDArray[np.bool_],
    threshold: float,
) -> tuple[float, float]:
    """Return the bounds of the plateau around ``threshold``, on which the weighted densities are equal or both 0."""
    candidates, index = np.unique(points, return_index=True)
    flat = is_level[index]
    first = last = int(np.searchsorted(candidates, threshold))
    while first > 0 and flat[first - 1]:
        first -= 1
    while last < len(flat) - 1 and flat[last + 1]:
        last += 1
    low, high = candidates[first], candidates[last]
    if low < threshold and first > 0 and np.isfinite(candidates[first - 1]):
        _, low = quadrature.bisect(level_at, candidates[first - 1], low)
    if high > threshold and last < len(flat) - 1 and np.isfinite(candidates[last + 1]):
        high, _ = quadrature.bisect(lambda t: ~level_at(t), high, candidates[last + 1])
    return float(low), float(high)


class RankedLikelihoodRatioSolver(LikelihoodRatioSolver):
    """Solver for the ROC curve of the likelihood ratio of two densities.

    If one class has a density and the other is discrete, the likelihood ratio separates the classes perfectly.
    """

    def __init__(self, base: Solver) -> None:
        self.base, self.negative, self.positive = base, base.negative, base.positive
        self.separates = is_discrete(base.negative) != is_discrete(base.positive)

    @cached_property
    def ranking(self) -> LikelihoodRatioRanking:
        """Ranking of the values by their likelihood ratio."""
        self._check_densities()
        return LikelihoodRatioRanking(self.base)

    def auc_complement(self) -> FloatArray:
        """Return 1 - AUC.

        For each positive, the proportion of negatives with a higher likelihood ratio is computed; ties count as half.
        The result is the mean of these proportions.
        """
        if self.separates:
            return np.zeros(())
        ranking = self.ranking
        return ranking.expectation(self.positive, lambda x: ranking.tail_at(self.negative, x), np.empty(0), 1.0)

    def along(self, axis: Axis, rate: FloatArray) -> FloatArray:
        """Return the highest TPR at FPR = ``rate`` or, for axis "tpr", the lowest FPR with TPR >= ``rate``."""
        if self.separates:
            return np.full(np.shape(rate), 1.0 if axis == "fpr" else 0.0)
        abscissa, ordinate = (self.negative, self.positive) if axis == "fpr" else (self.positive, self.negative)
        at = self.ranking.level_at(axis, rate)
        residual = rate - self.ranking.upper_tail(abscissa, at, ties=0.5)
        log_slope = at if axis == "fpr" else -at
        result = tangent_correction(residual, self.ranking.upper_tail(ordinate, at, ties=0.5), log_slope)
        if axis == "fpr":
            return np.where(rate == 0, self._start_tpr, np.where(rate == 1, 1.0, np.maximum(result, self._start_tpr)))
        lowest = np.where(rate == 1, self._end_fpr, np.minimum(result, self._end_fpr))
        return np.where(rate <= self._start_tpr, 0.0, lowest)

    def area(self, axis: Axis, low: FloatArray, high: FloatArray) -> FloatArray:
        """Return the area under the curve (axis "fpr") or to the right of the curve (axis "tpr") between two rates."""
        if self.separates:
            return np.asarray(high - low)
        abscissa, ordinate = (self.negative, self.positive) if axis == "fpr" else (self.positive, self.negative)

        def part(x: FloatArray) -> FloatArray:
            rank = self.ranking.mean_clipped_rank(abscissa, x, low, high)
            return high - rank if axis == "fpr" else rank - low

        levels = self.ranking.level_at(axis, np.array([low, high]))
        return self.ranking.expectation(ordinate, part, levels, float(high - low))

    def rule(self, log_price: FloatArray) -> TwoThresholdRule[Any]:
        """Return the rule that maximizes TPR - price * FPR: positive if f1 > price * f0 (f0, f1: class densities)."""
        self._check_densities()
        price = np.clip(log_price, -_MAX_LOG_RATIO, _MAX_LOG_RATIO)
        grid = self.base.search_grid
        signs = quadrature.log_density_ratio(self.negative, self.positive, grid) - price
        signs = signs[np.abs(signs) > quadrature.rounding_error(self.negative, self.positive, grid)]
        return self._rule(self.base.crossings(price), starts_positive=bool(signs.size and signs[0] > 0))

    def rule_at_fpr(self, fpr: FloatArray) -> TwoThresholdRule[Any]:
        """Return the rule that maximizes TPR subject to an FPR of at most ``fpr``."""
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
        return self._rule(quadrature.sign_changes(called, ranking.grid, signs), starts_positive=bool(signs[0] > 0))

    def curve(self, n_points: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the likelihood ratio, FPR and TPR at about ``n_points`` points of the curve, from (0, 0) to (1, 1)."""
        if self.separates:
            return np.array([np.inf, np.inf, 0.0]), np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 1.0])
        ranking = self.ranking
        grids = make_tail_grids(n_points)
        columns = list(ranking.tail_tables.values())
        tied = np.any([including > strict for strict, including in columns], axis=0)
        indices = [np.searchsorted(strict, grid) for (strict, _), grid in zip(columns, grids, strict=True)]
        last = len(tied) - 1
        at = np.unique(
            np.concatenate([np.minimum(index, last) for index in indices] + [np.flatnonzero(tied), [0, last]])
        )
        with np.errstate(over="ignore"):
            level = np.exp(ranking.levels[at])
        rows = [np.stack([strict[at], including[at]], axis=-1) for strict, including in columns]
        is_point = np.stack([tied[at], np.ones(len(at), dtype=bool)], axis=-1)  # a tie contributes two points
        levels = np.stack([np.nextafter(level, np.inf), level], axis=-1)[is_point]
        fpr, tpr = (row[is_point] for row in rows)
        corners = (
            ([np.inf, np.inf], [0.0, 0.0]),
            ([0.0, 0.0], [self._end_fpr, 1.0]),
            ([0.0, self._start_tpr], [1.0, 1.0]),
        )
        whole = [np.concatenate([a, part, z]) for part, (a, z) in zip((levels, fpr, tpr), corners, strict=True)]
        moves = np.concatenate([[True], (np.diff(whole[1]) > 0) | (np.diff(whole[2]) > 0)])
        return whole[0][moves], whole[1][moves], whole[2][moves]

    @property
    def _start_tpr(self) -> FloatArray:
        """Highest TPR with an FPR of 0."""
        return self.ranking.upper_tail(self.positive, np.asarray(_MAX_LOG_RATIO), ties=1.0)

    @property
    def _end_fpr(self) -> FloatArray:
        """Lowest FPR with a TPR of 1."""
        return self.ranking.upper_tail(self.negative, np.asarray(-_MAX_LOG_RATIO), ties=0.0)

    def _rule(self, edges: FloatArray, *, starts_positive: bool) -> TwoThresholdRule[Any]:
        """Return the rule whose predicted class changes at every edge."""
        cuts = np.concatenate([[-np.inf], edges, [np.inf]])
        is_positive = np.arange(len(cuts) - 1) % 2 == (0 if starts_positive else 1)
        masses = [quadrature.interval_probability(d, cuts[:-1], cuts[1:]) for d in (self.positive, self.negative)]
        tpr, fpr = (np.asarray(mass[is_positive].sum()) for mass in masses)
        fnr, tnr = (np.asarray(mass[~is_positive].sum()) for mass in masses)
        return TwoThresholdRule(*summarize_rule(edges, starts_positive=starts_positive), edges, tpr, fpr, tnr, fnr)

    def _check_densities(self) -> None:
        if self.negative.atoms().points.size or self.positive.atoms().points.size:
            raise RocPredictError(
                "the likelihood ratio of a continuous and a discrete distribution is 0 or infinite at every value; "
                "pass two continuous or two discrete distributions"
            )


class LikelihoodRatioRanking:
    """Ranking of feature values by their likelihood ratio.

    The axis of the feature is divided into segments on which the likelihood ratio is monotonic.
    """

    def __init__(self, base: Solver) -> None:
        grid, negative, positive = base.search_grid, base.negative, base.positive
        self._panel_edges = base.panel_edges
        self.classes: dict[Axis, Distribution[Any]] = {"fpr": negative, "tpr": positive}
        self.level, flat_limits = _smooth_rounding(negative, positive, grid)
        self.has_ties = flat_limits.size > 0
        values = self.level(grid)
        self.grid, self.values = grid[~np.isnan(values)], values[~np.isnan(values)]
        self._extrema = self._find_extrema(quadrature.rounding_error(negative, positive, self.grid))
        self._knots = np.unique(np.concatenate([self.grid[[0, -1]], self._extrema, *self._finite_ratio_bounds()]))
        self.grid = np.unique(np.concatenate([self.grid, self._extrema, flat_limits]))
        self.values = self.level(self.grid)
        self.levels = np.unique(self.values[np.isfinite(self.values)])[::-1]  # descending log ratios
        self._segments = [self._make_segment(*bounds) for bounds in pairwise(self._knots)]
        self._limits = [-np.inf, *self._knots[1:-1], np.inf]

    def _find_extrema(self, noise: FloatArray) -> FloatArray:
        """Return the local maxima and minima of the likelihood ratio, except those caused by rounding errors."""
        finite = np.isfinite(self.values)
        grid, values, noise = self.grid[finite], self.values[finite], noise[finite]
        moves = np.flatnonzero(np.abs(np.diff(values)) > np.maximum(noise[1:], noise[:-1]))
        rises = np.diff(values)[moves] > 0
        index = np.flatnonzero(rises[:-1] != rises[1:])
        top = np.where(rises[index], 1.0, -1.0)
        return quadrature.golden_section(lambda x: -top * self.level(x), grid[moves[index]], grid[moves[index + 1] + 1])

    def _finite_ratio_bounds(self) -> tuple[FloatArray, FloatArray]:
        """Return neighboring floats between which the log ratio changes from finite to infinite or vice versa."""
        kind = np.where(np.isinf(self.values), np.sign(self.values), 0.0)
        index = np.flatnonzero(kind[:-1] != kind[1:])
        target_kind = kind[index + 1]

        def arrived(x: FloatArray) -> NDArray[np.bool_]:
            at = self.level(x)
            return np.asarray(np.where(np.isinf(at), np.sign(at), 0.0) == target_kind) & ~np.isnan(at)

        return quadrature.bisect(arrived, self.grid[index], self.grid[index + 1])

    def _make_segment(self, start: float, end: float) -> _MonotoneSegment:
        inner = self.grid[(self.grid > start) & (self.grid < end)]
        points = np.concatenate([[start], inner, [end]])
        values = self.level(points)
        rises = bool(values[-1] >= values[0])
        return _MonotoneSegment(points, np.maximum.accumulate(values if rises else -values), rises)

    def upper_tail(self, d: Distribution[Any], levels: FloatArray, *, ties: float) -> FloatArray:
        """Return P(log ratio > level) + ``ties`` * P(log ratio = level) for each level."""
        if not self.has_ties:
            return self._above(d, levels, strictly=True)
        strict, including = (self._above(d, levels, strictly=strictly) for strictly in (True, False))
        return (1 - ties) * strict + ties * including

    def tail_at(self, d: Distribution[Any], x: FloatArray) -> FloatArray:
        """Return P(log ratio > level) + P(log ratio = level)/2 for each x, where level is the log ratio at x."""
        levels = self.level(x)
        return self.upper_tail(d, levels, ties=0.5) if self.has_ties else self._above(d, levels, strictly=True, at=x)

    def _above(
        self, d: Distribution[Any], levels: FloatArray, *, strictly: bool, at: FloatArray | None = None
    ) -> FloatArray:
        """Return the probability that the log ratio is above each level (at or above it if ``strictly`` is False).

        ``at`` contains the feature values at these levels, if they are known; root finding is then unnecessary.
        """
        total = np.zeros(np.shape(levels))
        for segment, (left, right) in zip(self._segments, pairwise(self._limits), strict=True):
            after = strictly == segment.rises  # True: the bound is above the points with an equal level
            target = np.asarray(levels if segment.rises else -levels)
            index = np.searchsorted(segment.levels, target, side="right" if after else "left")
            bound = np.where(index == 0, left, right)
            within = (index > 0) & (index < len(segment.points))
            if at is not None:
                is_known = within & (at >= segment.points[0]) & (at <= segment.points[-1])
                bound[is_known] = at[is_known]
                within &= ~is_known
            if within.any():
                bound[within] = self._find_levels(segment, index[within], target[within])
            interval = (bound, np.full_like(bound, right)) if segment.rises else (np.full_like(bound, left), bound)
            total += quadrature.interval_probability(d, *interval)
        return np.minimum(total, 1.0)

    def _find_levels(self, segment: _MonotoneSegment, index: NDArray[np.intp], target: FloatArray) -> FloatArray:
        """Return the feature value at which each target level is reached, between two neighboring points of a segment.

        The two points are ``segment.points[index - 1]`` and ``segment.points[index]``.
        """
        sign = 1.0 if segment.rises else -1.0
        low, high, close = segment.points[index - 1], segment.points[index], quadrature.NOISE * (1 + np.abs(target))
        return _solve(lambda x, at_level: np.asarray(sign * self.level(x) - at_level), low, high, target, close)

    def mean_clipped_rank(self, d: Distribution[Any], x: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
        """Return, for each x, the class proportion with a log ratio above the log ratio at x, clipped to [low, high].

        If the log ratio has ties, the result is the expected value of the clipped proportion for a random order of the
        tied values.
        """
        if not self.has_ties:
            return np.clip(self.tail_at(d, x), low, high)
        at = self.level(x)
        start = self.upper_tail(d, at, ties=0.0)
        end = self.upper_tail(d, at, ties=1.0)
        width = end - start
        inside = np.clip(start, low, high), np.clip(end, low, high)
        below, beyond = np.clip(low - start, 0, width) * low, np.clip(end - high, 0, width) * high
        whole = below + beyond + (inside[1] - inside[0]) * (inside[0] / 2 + inside[1] / 2)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(width > 0, whole / width, np.clip(start, low, high))

    def expectation(
        self, d: Distribution[Any], function: Callable[[FloatArray], FloatArray], levels: FloatArray, width: float
    ) -> FloatArray:
        """Return the expected value of a function of the feature in one class.

        The function may have kinks at ``levels`` and at extrema of the likelihood ratio.

        Close to an extremum of the likelihood ratio, rates are computed with an accuracy of only about 1e-8. If the
        range of rates is narrow, the relative tolerance is therefore increased; ``width`` is the width of this range.
        """
        rtol = min(max(_RTOL, 1e-17 / width**2), 1e-6)
        kink_levels = np.concatenate([self.level(self._extrema), levels])
        kinks = [self.level_crossings(at) for at in kink_levels[np.isfinite(kink_levels)]]
        edges = np.unique(np.concatenate([self._panel_edges, self._knots, *kinks]))
        return np.asarray(quadrature.expectation(d, function, edges, rtol=rtol))

    def level_crossings(self, at: float) -> FloatArray:
        """Return the feature values at which the log ratio crosses a level."""
        with np.errstate(invalid="ignore"):
            return quadrature.sign_changes(lambda x: self.level(x) - at, self.grid, self.values - at)

    @cached_property
    def tail_tables(self) -> dict[Axis, tuple[FloatArray, FloatArray]]:
        """Proportions of each class with log ratio > level and with log ratio >= level, for each level.

        The keys are "fpr" for the negatives and "tpr" for the positives.
        """
        tables: dict[Axis, tuple[FloatArray, FloatArray]] = {}
        for axis, d in self.classes.items():
            strict = self.upper_tail(d, self.levels, ties=0.0)
            including = self.upper_tail(d, self.levels, ties=1.0) if self.has_ties else strict
            tables[axis] = np.maximum.accumulate(strict), np.maximum.accumulate(including)
        return tables

    def level_at(self, axis: Axis, rate: FloatArray) -> FloatArray:
        """Return, for each rate, a level with P(log ratio > level) <= rate <= P(log ratio >= level) in one class."""
        rate = np.asarray(rate)
        shape, rate = rate.shape, np.atleast_1d(rate)
        levels, (strict, including) = self.levels, self.tail_tables[axis]
        index = np.minimum(np.searchsorted(including, rate, side="left"), len(levels) - 1)
        level = levels[index]
        between_levels = (strict[index] > rate) & (index > 0)
        if between_levels.any():
            index, rate = index[between_levels], rate[between_levels]
            level[between_levels] = _solve(
                lambda at, target: target - self.upper_tail(self.classes[axis], at, ties=0.5),
                levels[index],
                levels[index - 1],
                rate,
                _XTOL * np.minimum(rate, 1 - rate),
            )
        return np.asarray(level.reshape(shape))


class _MonotoneSegment(NamedTuple):
    """Segment of the feature axis on which the likelihood ratio is monotonic."""

    points: FloatArray
    levels: FloatArray
    """Ascending log ratios at the points; their signs are reversed if the log ratio decreases."""
    rises: bool
    """True if the log ratio increases."""


def _solve(
    f: Callable[[FloatArray, FloatArray], FloatArray],
    low: FloatArray,
    high: FloatArray,
    target: FloatArray,
    close: FloatArray,
) -> FloatArray:
    """Return, for each bracket, an x with abs(f(x, target)) <= close; f must increase with x.

    If no such x is found, the bound of the bracket at which abs(f) is smaller is returned.
    """
    root = quadrature.find_roots(lambda x, target, close: f(x, target) / close, low, high, target, close, fatol=1.0)
    nearer = np.where(np.abs(root.f_bracket[0]) <= np.abs(root.f_bracket[1]), *root.bracket)
    return np.asarray(np.where(root.success, root.x, nearer))


def _smooth_rounding(
    negative: Distribution[Any], positive: Distribution[Any], grid: FloatArray
) -> tuple[Callable[[FloatArray], FloatArray], FloatArray]:
    """Return a function that computes the log likelihood ratio without fluctuations caused by rounding.

    The function is constant on each interval on which the log ratio changes only by rounding errors. The second result
    contains the bounds of these intervals.
    """
    raw = partial(quadrature.log_density_ratio, negative, positive)
    values = raw(grid)
    noise = quadrature.rounding_error(negative, positive, grid)
    with np.errstate(invalid="ignore"):
        still = np.abs(np.diff(values)) <= np.minimum(noise[1:], noise[:-1])
    first = np.flatnonzero(still & ~np.concatenate([[False], still[:-1]]))
    last = np.flatnonzero(still & ~np.concatenate([still[1:], [False]])) + 1
    long = last - first >= _MIN_RUN
    first, last = first[long], last[long]
    runs = [slice(*limits) for limits in zip(first, last + 1, strict=True)]
    medians, most = np.array([np.median(values[run]) for run in runs]), np.array([noise[run].max() for run in runs])

    def near(x: FloatArray) -> NDArray[np.bool_]:
        return np.asarray(np.abs(raw(x) - medians) <= most)

    _, lows = quadrature.bisect(near, grid[np.maximum(first - 1, 0)], grid[first])
    highs, _ = quadrature.bisect(lambda x: ~near(x), grid[last], grid[np.minimum(last + 1, len(grid) - 1)])

    def level(x: FloatArray) -> FloatArray:
        ratios = raw(x)
        for low, high, median in zip(lows, highs, medians, strict=True):
            ratios = np.where((x >= low) & (x <= high), median, ratios)
        return ratios

    return level, np.concatenate([lows, highs])
