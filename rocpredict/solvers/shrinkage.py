"""Solution for shrinkage estimates, for one feature or a batch."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from rocpredict.base.results import Flags
from rocpredict.base.validation import FloatArray
from rocpredict.distributions.misfit import FPR_PROBIT, area_between, empirical_tpr
from rocpredict.distributions.power import PowerTransform, Transformed
from rocpredict.distributions.shrinkage import (
    ShrinkageDistribution,
    ShrinkageEstimate,
    binormal_tpr,
    estimate_shrinkage,
)
from rocpredict.solvers.base import OptimalThreshold, rates_at
from rocpredict.solvers.numerical import NumericalSolver
from rocpredict.solvers.quadrature import bisect, log_ratio

_HALF_Z_GRID = np.concatenate([np.arange(0.5, 9.5, 0.5), [10.0, 11.0, 12.0, 14.0, 16.0, 19.0, 23.0, 29.0, 37.0]])
_Z_GRID = np.concatenate([-_HALF_Z_GRID[::-1], [0.0], _HALF_Z_GRID])
"""Normal scores of each model that part the axis further than the rows do."""


class BatchClass(NamedTuple):
    """One class of each feature on the transformed axis: arrays that broadcast with the thresholds asked about.

    Everything is asked at a threshold and with how many of the sample lie below it: as ``ShrinkageDistribution``
    answers.
    """

    n: FloatArray
    mean: FloatArray
    std: FloatArray
    weight: FloatArray
    shift: FloatArray

    def subset(self, index: Any) -> BatchClass:
        """Return the classes of some features, or of all with another shape."""
        return BatchClass(*(part[index] for part in self))

    def tail_z(self, z: FloatArray, below: FloatArray) -> FloatArray:
        """Return the normal score of the part above."""
        u = (z - self.mean) / self.std
        upper = self.weight * ((self.n - below) / self.n) + (1 - self.weight) * ndtr(-u)
        lower = self.weight * (below / self.n) + (1 - self.weight) * ndtr(u)
        nearer = ndtri(np.minimum(upper, lower))
        return np.asarray(np.where(upper < lower, nearer, -nearer) + self.shift)

    def log_density(self, z: FloatArray, score: FloatArray) -> FloatArray:
        """Return the logarithm of the density between the rows, but for what both classes have in common."""
        level = -(((z - self.mean) / self.std) ** 2) / 2 - np.log(self.std)
        turned = np.where(self.shift == 0, 0.0, self.shift * (np.where(np.isinf(score), 0.0, score) - self.shift / 2))
        return np.where(np.isinf(score) & (self.shift != 0), -np.inf, level - turned)


class BatchGrid(NamedTuple):
    """Axis of each feature, cut at its rows and at quantiles of the models: m edges, ascending.

    Attributes
    ----------
    classes : pair of Law of shape (F, 1)
        The class that lies lower, and the one that lies higher.
    z : array of shape (F, m)
        The edges, transformed.
    x : array of shape (F, n + 2)
        The rows of both classes, ascending, between -inf and inf.
    n_rows_below : array of int of shape (F, m)
        How many rows lie at or below an edge, in that order; of rows that are equal as many as came so far.
    is_first_occurrence : array of bool of shape (F, m)
        Which edges are the first row with a value.
    n_less, n_less_equal : pairs of arrays of shape (F, m)
        Rows of each class below an edge, and at or below it.
    z_at, z_above : pairs of arrays of shape (F, m)
        Normal scores of the part of each class at or above an edge, and above it.
    """

    classes: tuple[BatchClass, BatchClass]
    z: FloatArray
    x: FloatArray
    n_rows_below: NDArray[np.intp]
    is_first_occurrence: NDArray[np.bool_]
    n_less: tuple[FloatArray, FloatArray]
    n_less_equal: tuple[FloatArray, FloatArray]
    z_at: tuple[FloatArray, FloatArray]
    z_above: tuple[FloatArray, FloatArray]


class _SortedRows(NamedTuple):
    """The rows of both classes in order: arrays of shape (F, n)."""

    x: FloatArray
    z: FloatArray
    new: NDArray[np.bool_]
    first: NDArray[np.intp]
    """Where the rows of this value begin, and end."""
    end: NDArray[np.intp]
    counts: tuple[FloatArray, FloatArray]
    """How many of each class are among the first 0, 1, ... n rows."""


def make_batch_grid(lower: FloatArray, upper: FloatArray, found: ShrinkageEstimate) -> BatchGrid:
    """Return the cut axes of features that were estimated from samples of shape (F, n0) and (F, n1)."""
    laws = _laws(found, lower.shape[1], upper.shape[1])
    rows = _in_order(np.concatenate([lower, upper], axis=1), found.z, lower.shape[1])
    n = rows.x.shape[1]
    edges = np.concatenate([rows.z, *(law.mean + law.std * _Z_GRID for law in laws)], axis=1)
    order = np.argsort(edges, axis=1, kind="stable")  # of equal ones rows come first
    z, is_row = np.take_along_axis(edges, order, axis=1), order < n
    passed = np.cumsum(is_row, axis=1)
    row = np.where(is_row, passed - 1, 0)
    before, behind = (
        np.where(is_row, np.take_along_axis(ends, row, axis=1), passed) for ends in (rows.first, rows.end)
    )
    below, to = (
        (np.take_along_axis(rows.counts[0], at, axis=1), np.take_along_axis(rows.counts[1], at, axis=1))
        for at in (before, behind)
    )
    infinite = np.full((len(z), 1), np.inf)
    return BatchGrid(
        laws,
        z,
        np.concatenate([-infinite, rows.x, infinite], axis=1),
        passed,
        is_row & np.take_along_axis(rows.new, row, axis=1),
        below,
        to,
        (laws[0].tail_z(z, below[0]), laws[1].tail_z(z, below[1])),
        (laws[0].tail_z(z, to[0]), laws[1].tail_z(z, to[1])),
    )


def _laws(found: ShrinkageEstimate, n0: int, n1: int) -> tuple[BatchClass, BatchClass]:
    m0, s0, m1, s1 = (part[:, None] for part in found.classes)
    weight, pull = found.weight.weight[:, None], found.shift[:, None]
    spreads = [np.where(s > 0, s, 1.0) for s in (s0, s1)]
    counts = [np.full(m0.shape, float(n)) for n in (n0, n1)]
    return BatchClass(counts[0], m0, spreads[0], weight, -pull), BatchClass(counts[1], m1, spreads[1], weight, pull)


def _in_order(x: FloatArray, z: FloatArray, n0: int) -> _SortedRows:
    """Sort the rows by the feature itself: rounding may have exchanged or parted neighbours on the transformed axis."""
    order, places = np.argsort(x, axis=1, kind="stable"), np.arange(x.shape[1])
    x, is_upper = np.take_along_axis(x, order, axis=1), order >= n0
    new, last = np.ones(x.shape, dtype=bool), np.ones(x.shape, dtype=bool)
    new[:, 1:] = last[:, :-1] = x[:, 1:] != x[:, :-1]
    first = np.maximum.accumulate(np.where(new, places, 0), axis=1)
    end = np.minimum.accumulate(np.where(last, places + 1, x.shape[1])[:, ::-1], axis=1)[:, ::-1]
    z = np.maximum.accumulate(np.take_along_axis(z, order, axis=1), axis=1)
    return _SortedRows(
        x, np.take_along_axis(z, first, axis=1), new, first, end, (_counted(~is_upper), _counted(is_upper))
    )


def _counted(held: NDArray[np.bool_]) -> FloatArray:
    counts = np.zeros((len(held), held.shape[1] + 1))
    np.cumsum(held, axis=1, out=counts[:, 1:])
    return counts


class ThresholdRule(NamedTuple):
    """Thresholds and their rates: arrays of shape (F,).

    Attributes
    ----------
    threshold : array
        In the unit of the feature; infinite where no threshold is better than calling nobody positive.
    tpr, fpr, tnr, fnr : array
    """

    threshold: FloatArray
    tpr: FloatArray
    fpr: FloatArray
    tnr: FloatArray
    fnr: FloatArray


class _Candidates(NamedTuple):
    """Thresholds, and the normal scores of the parts of both classes at or above them."""

    threshold: FloatArray
    scores: tuple[FloatArray, FloatArray]

    def loss(self) -> FloatArray:
        """Return FNR + FPR of the rule "upper class when x >= threshold"."""
        return np.asarray(ndtr(-self.scores[1]) + ndtr(self.scores[0]))

    def minimum_with(self, other: _Candidates, at: NDArray[np.intp]) -> _Candidates:
        """Return for each feature what loses least, of this and of others that belong to the features ``at``."""
        least, loss = self.loss(), other.loss()
        np.minimum.at(least, at, loss)
        chosen = np.flatnonzero((loss == least[at]) & (loss < self.loss()[at]))

        def merged(mine: FloatArray, theirs: FloatArray) -> FloatArray:
            result = mine.copy()
            result[at[chosen]] = theirs[chosen]
            return result

        return _Candidates(
            merged(self.threshold, other.threshold),
            (merged(self.scores[0], other.scores[0]), merged(self.scores[1], other.scores[1])),
        )


_MAX_BISECTIONS = 80


def regula_falsi(
    f: Callable[[FloatArray], FloatArray],
    low: FloatArray,
    high: FloatArray,
    at_low: FloatArray,
    at_high: FloatArray,
    *,
    tolerance: float,
) -> FloatArray:
    """Return a root of a smooth ``f`` in a bracket, to a value of ``tolerance`` (Illinois rule)."""
    for _ in range(_MAX_BISECTIONS):
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


def optimal_thresholds(grid: BatchGrid, transform: PowerTransform, *, lower: bool) -> ThresholdRule:
    """Return the best threshold of each feature: a row, just above one, a crossing of the densities or an end.

    ``lower``: the class that lies lower is the positive one, and the rule "positive when x <= threshold".
    """
    rows = _best_observed_value(grid)
    found = rows.minimum_with(*_density_crossings(grid, transform, rows.loss()))
    none = ~(found.loss() < 1)
    threshold = np.where(none, np.inf, found.threshold)
    above = [np.where(none, lower * 1.0, ndtr(score)) for score in found.scores]
    under = [np.where(none, 1.0 - lower, ndtr(-score)) for score in found.scores]
    if lower:
        turned = np.where(none, -np.inf, np.nextafter(threshold, -np.inf))
        return ThresholdRule(turned, under[0], under[1], above[1], above[0])
    return ThresholdRule(threshold, above[1], above[0], under[0], under[1])


def _best_observed_value(grid: BatchGrid) -> _Candidates:
    """Return the best row of each feature, or the threshold just above it."""
    every, m = np.arange(len(grid.z)), grid.z.shape[1]
    losses = [ndtr(-scores[1]) + ndtr(scores[0]) for scores in (grid.z_at, grid.z_above)]
    best = np.argmin(np.where(np.tile(grid.is_first_occurrence, 2), np.concatenate(losses, axis=1), np.inf), axis=1)
    edge, beyond = best % m, best >= m
    row = grid.x[every, grid.n_rows_below[every, edge]]
    threshold = np.where(beyond, np.nextafter(row, np.inf), row)
    scores = [
        np.where(beyond, after[every, edge], at[every, edge]) for at, after in zip(grid.z_at, grid.z_above, strict=True)
    ]
    return _Candidates(threshold, (scores[0], scores[1]))


def _density_crossings(
    grid: BatchGrid, transform: PowerTransform, loss: FloatArray
) -> tuple[_Candidates, NDArray[np.intp]]:
    """Return where the density of the upper class becomes the larger one between two edges, and of which features.

    Stretches in which no threshold can lose less than ``loss`` are left out.
    """
    with np.errstate(invalid="ignore"):
        left, right = (
            grid.classes[1].log_density(grid.z, scores[1]) - grid.classes[0].log_density(grid.z, scores[0])
            for scores in (grid.z_above, grid.z_at)
        )
    rising = (left[:, :-1] < 0) & (right[:, 1:] >= 0) & (grid.z[:, :-1] < grid.z[:, 1:])
    rising &= ndtr(-grid.z_above[1][:, :-1]) + ndtr(grid.z_at[0][:, 1:]) < loss[:, None]
    rising &= grid.classes[0].weight < 1
    feature, edge = np.nonzero(rising)
    laws = [law.subset((feature, 0)) for law in grid.classes]
    below = grid.n_less_equal[0][feature, edge], grid.n_less_equal[1][feature, edge]

    def scores_at(z: FloatArray) -> tuple[FloatArray, FloatArray]:
        return laws[0].tail_z(z, below[0]), laws[1].tail_z(z, below[1])

    def risen(z: FloatArray) -> NDArray[np.bool_]:
        score0, score1 = scores_at(z)
        with np.errstate(invalid="ignore"):
            return np.asarray(laws[1].log_density(z, score1) > laws[0].log_density(z, score0))

    _, z = bisect(risen, grid.z[feature, edge], grid.z[feature, edge + 1])
    passed = grid.n_rows_below[feature, edge]
    ends = np.nextafter(grid.x[feature, passed], np.inf), grid.x[feature, passed + 1]
    return _Candidates(np.clip(transform[feature].inverse_transform(z), *ends), scores_at(z)), feature


_SEGMENT_NODES, _SEGMENT_WEIGHTS = np.polynomial.legendre.leggauss(4)


class ShrinkageBatch(NamedTuple):
    """The answers of F features: arrays of shape (F,).

    Attributes
    ----------
    auc : array
        P(positive > negative) + P(tie)/2, whatever the direction.
    rule : Rule
        The threshold with the best Ameans in the direction asked for, and its rates.
    weight : array
        Of the sample; the rest is the model's.
    shift : array
        By how many normal scores the classes were moved apart.
    area_between : array
        The mean absolute difference of the model's curve and the empirical one.
    """

    auc: FloatArray
    rule: ThresholdRule
    weight: FloatArray
    shift: FloatArray
    area_between: FloatArray


def evaluate_batch(negative: FloatArray, positive: FloatArray, *, lower: bool, declared: bool) -> ShrinkageBatch:
    """Estimate both classes of each feature, and give the area and the best threshold.

    Parameters
    ----------
    negative, positive : arrays of shape (F, n0) and (F, n1)
        Finite values, 2 or more a class.
    lower : bool
        Whether the rule is "positive when x <= threshold": positives are looked for among the low values.
    declared : bool
        Whether they are known to lie on their side.

    Notes
    -----
    As ``fit_shrinkage`` and ``ShrinkageSolver`` do for one feature. With ``lower`` the classes change their places, and
    the rule is the one that calls positive what the other calls negative.
    """
    found, along = _estimated(negative, positive, lower=lower, declared=declared)
    area, rest = batch_auc(along)
    rule = optimal_thresholds(along, found.transform, lower=lower)
    classes = (positive, negative) if lower else (negative, positive)
    model = binormal_tpr(*found.classes.with_positive_std(), probit=FPR_PROBIT)[0]
    between = area_between(model, empirical_tpr(*(np.sort(values, axis=1) for values in classes)))
    return ShrinkageBatch(rest if lower else area, rule, found.weight.weight, found.shift, between)


def threshold_batch(negative: FloatArray, positive: FloatArray, *, lower: bool, declared: bool) -> ThresholdRule:
    """Return the best thresholds alone, as ``evaluate_batch`` does."""
    found, along = _estimated(negative, positive, lower=lower, declared=declared)
    return optimal_thresholds(along, found.transform, lower=lower)


def _estimated(
    negative: FloatArray, positive: FloatArray, *, lower: bool, declared: bool
) -> tuple[ShrinkageEstimate, BatchGrid]:
    below, above = (positive, negative) if lower else (negative, positive)
    found = estimate_shrinkage(below, above, direction_known=declared)
    return found, make_batch_grid(below, above, found)


def batch_auc(along: BatchGrid) -> tuple[FloatArray, FloatArray]:
    """Return P(upper class > lower class) + P(tie)/2, and 1 less it: shape (F,)."""
    jump = np.where(along.is_first_occurrence, _between(along.z_at[0], along.z_above[0]), 0.0)
    mass = _between(along.z_above[0][:, :-1], along.z_at[0][:, 1:])
    shares, heights = _segment_quadrature(along)
    sums = []
    for height, side in zip(heights, (1, -1), strict=True):
        steps = (ndtr(side * along.z_at[1]) + ndtr(side * along.z_above[1])) / 2
        sums.append(np.sum(jump * steps, axis=1) + np.sum(mass * np.sum(shares * height, axis=-1), axis=1))
    return sums[0], sums[1]


def _segment_quadrature(along: BatchGrid) -> tuple[FloatArray, tuple[FloatArray, FloatArray]]:
    """Return what share of a stretch each of its nodes stands for, and the upper class's parts above and below it."""
    left, right = along.z[:, :-1, None], along.z[:, 1:, None]
    z = (left + right) / 2 + (right - left) / 2 * _SEGMENT_NODES
    laws = [law.subset((..., None)) for law in along.classes]
    score0, score1 = (law.tail_z(z, to[:, :-1, None]) for law, to in zip(laws, along.n_less_equal, strict=True))
    level = laws[0].log_density(z, score0)
    highest = level.max(axis=-1, keepdims=True)
    density = np.exp(level - np.where(np.isfinite(highest), highest, 0.0)) * _SEGMENT_WEIGHTS
    total = density.sum(axis=-1, keepdims=True)
    return density / np.where(total > 0, total, 1.0), (ndtr(score1), ndtr(-score1))


def _between(left: FloatArray, right: FloatArray) -> FloatArray:
    """Return the probability between two normal scores of upper parts, from the nearer tail."""
    upper, lower = ndtr(left) - ndtr(right), ndtr(-right) - ndtr(-left)
    return np.asarray(np.maximum(np.where(left > 0, lower, upper), 0.0))


_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(8)
_RTOL = 1e-12
_MAX_SIZE = np.finfo(float).max
_LOWER_TAIL = ndtr(-np.concatenate([np.arange(0, 6, 0.5), np.arange(6, 37.5, 1.0)]))
"""Tails of the models between whose quantiles a piece lies."""


class ShrinkageSolver(NumericalSolver):
    """ROC curve of two shrinkage estimates: sums over the rows, and a short rule on the pieces between them."""

    negative: ShrinkageDistribution
    positive: ShrinkageDistribution

    @cached_property
    def edges(self) -> FloatArray:
        """The rows of both classes and quantiles of both models, ascending."""
        models = [d.model for d in (self.negative, self.positive)]
        quantiles = [np.asarray(tail(_LOWER_TAIL)) for model in models for tail in (model.ppf, model.isf)]
        points = np.concatenate([self.rows, *quantiles])
        return np.unique(np.clip(points, -_MAX_SIZE, _MAX_SIZE))

    @property
    def rows(self) -> FloatArray:
        """The distinct values of both samples, ascending."""
        return np.union1d(self.negative.sample.unique_values, self.positive.sample.unique_values)

    def _mean_tail(
        self, without: Callable[[FloatArray], FloatArray], including: Callable[[FloatArray], FloatArray]
    ) -> FloatArray:
        """Return the mean over positives of a tail of the negatives that includes half of an atom."""

        def height(x: FloatArray) -> FloatArray:
            return (np.asarray(without(x)) + including(x)) / 2

        over, edges = self.positive, self.edges
        points, masses = over.atoms()
        left, right = edges[:-1], edges[1:]
        upper, lower = (
            np.asarray(over.sf(left)) - over.sf_inclusive(right),
            np.asarray(over.cdf_strict(right)) - over.cdf(left),
        )
        mass = np.maximum(0.0, np.where(np.asarray(over.cdf(left)) > 0.5, upper, lower))
        x, level = _quadrature_nodes(over, left, right)
        highest = level.max(axis=-1, keepdims=True)
        density = np.exp(level - np.where(np.isfinite(highest), highest, 0.0)) * _WEIGHTS  # narrow pieces overflow else
        total = density.sum(axis=-1)
        heights = height(x)
        with np.errstate(divide="ignore", invalid="ignore"):
            between = np.where(total > 0, np.sum(density * heights, axis=-1) / total, heights @ _WEIGHTS / 2)
        beyond = np.array([over.cdf_strict(edges[0]), over.sf(edges[-1])])  # none, except where a quantile overflows
        outside = (height(edges[[0, -1]]) + height(np.array([-np.inf, np.inf]))) / 2
        return np.asarray(masses @ np.asarray(height(points)) + mass @ between + beyond @ outside)

    def _crossings(self, log_price: FloatArray) -> FloatArray:
        """Return all thresholds where f1 - price f0 changes its sign between the rows or at one, ascending."""
        ratio = log_ratio(self.negative, self.positive)

        def level(x: FloatArray) -> FloatArray:
            with np.errstate(invalid="ignore"):
                return ratio(x) - log_price

        # a shifted density jumps at a row
        sides = [_adjacent_floats(self.rows, end) for end in (-np.inf, np.inf)]
        at = np.unique(np.concatenate([self.edges, *sides]))
        at = at[np.isfinite(at)]
        values = level(at)
        signed = np.isfinite(values) & (values != 0)
        at, values = at[signed], values[signed]
        turns = np.flatnonzero((values[:-1] > 0) != (values[1:] > 0))
        low, high = at[turns], at[turns + 1]
        smooth = np.nextafter(low, np.inf) < high  # else it jumps, at a row
        left, right = low[smooth], high[smooth]
        ends = values[turns][smooth], values[turns + 1][smooth]
        share = regula_falsi(
            lambda share: level(left * (1 - share) + right * share),
            np.zeros(len(left)),
            np.ones(len(left)),
            *ends,
            tolerance=_RTOL,
        )
        high[smooth] = left * (1 - share) + right * share
        return np.asarray(high)

    def _optimal(self, log_price: FloatArray) -> OptimalThreshold:
        """Return the threshold that maximises TPR - price FPR: a row, just above one, a crossing or an end."""
        with np.errstate(over="ignore"):
            price = np.exp(log_price)
        found = self.crossings(log_price)
        # besides the rows, quantiles serve where a model is nearly an atom
        candidates = np.concatenate([[np.inf, -np.inf], found, self.edges, _adjacent_floats(self.edges, np.inf)])
        rates = rates_at(self.negative, self.positive, candidates)
        fnr, fpr = np.asarray(rates.fnr), np.asarray(rates.fpr)
        with np.errstate(invalid="ignore", over="ignore"):
            loss = np.where(np.isfinite(price), fnr + price * fpr, np.where(fpr > 0, np.inf, fnr))
        best = self.at_threshold(candidates[np.argmin(loss)], found)
        return best._replace(flags=best.flags | Flags(no_benefit=float(log_price) == 0 and best.tpr <= best.fpr))


def _adjacent_floats(rows: FloatArray, end: float) -> FloatArray:
    with np.errstate(over="ignore"):
        return np.nextafter(rows, end)


def _quadrature_nodes(d: ShrinkageDistribution, left: FloatArray, right: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return places in each piece, and the logarithm of the density there: on the axis where the model is Gaussian."""
    if isinstance(d.model, Transformed):
        transform = d.model.transform
        start, end = transform.transform(left), transform.transform(right)
        if np.isfinite(start).all() and np.isfinite(end).all():
            x = transform.inverse_transform((start / 2 + end / 2)[:, None] + (end / 2 - start / 2)[:, None] * _NODES)
            x = np.clip(x, left[:, None], right[:, None])
            return x, np.asarray(d.logpdf(x)) - transform.log_derivative(x)
    x = (left / 2 + right / 2)[:, None] + (right / 2 - left / 2)[:, None] * _NODES
    return x, np.asarray(d.logpdf(x))


FOLDS = 5


def cross_validated_ameans(
    negative: FloatArray, positive: FloatArray, *, lower: bool | None, declared: bool
) -> FloatArray:
    """Return the Ameans counted on rows that were held out, a fifth of each class in turn: shape (F,).

    Parameters
    ----------
    negative, positive : arrays of shape (F, n0) and (F, n1)
        Finite values in any order but an order by size: each fifth row is held out together.
    lower : bool or None
        The direction; None: that of the means of the rows that are left in.
    declared : bool
        Whether it was known before these rows.

    Returns
    -------
    array of shape (F,)
        NaN where a class has no more than 2 rows: none can be spared.
    """
    sides = negative, positive
    folds = min(FOLDS, negative.shape[1], positive.shape[1])
    if folds < 3:
        return np.full(len(negative), np.nan)
    right = np.zeros((2, len(negative)))
    for fold in range(folds):
        held = [np.arange(side.shape[1]) % folds == fold for side in sides]
        left_in = [side[:, ~out] for side, out in zip(sides, held, strict=True)]
        right += _count_correct(left_in, [side[:, out] for side, out in zip(sides, held, strict=True)], lower, declared)
    return np.asarray(right[0] / negative.shape[1] + right[1] / positive.shape[1]) / 2


def _count_correct(left_in: list[FloatArray], held: list[FloatArray], lower: bool | None, declared: bool) -> FloatArray:
    """Return how many of the rows held out of both classes the rule of the others calls right: shape (2, F)."""
    means = [side.mean(axis=1) for side in left_in]
    below = means[1] < means[0] if lower is None else np.full(len(means[0]), lower)
    right = np.zeros((2, len(below)))
    for side in (False, True):
        if (some := np.flatnonzero(below == side)).size:
            rule = threshold_batch(*(part[some] for part in left_in), lower=side, declared=declared)
            at = rule.threshold[:, None]
            called = [part[some] <= at if side else part[some] >= at for part in held]
            right[:, some] = np.sum(~called[0], axis=1), np.sum(called[1], axis=1)
    return right
