"""Solution for shrinkage estimates: a batch of features, and the pair of one feature as a batch of one."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from rocpredict.base.results import Flags
from rocpredict.base.validation import FloatArray
from rocpredict.distributions.base import Distribution
from rocpredict.distributions.gaussian import Gaussian
from rocpredict.distributions.misfit import FPR_PROBIT, area_between, empirical_tpr
from rocpredict.distributions.power import PowerTransform, Transformed
from rocpredict.distributions.shrinkage import (
    ShrinkageDistribution,
    ShrinkageEstimate,
    binormal_tpr,
    estimate_shrinkage,
)
from rocpredict.solvers.base import OptimalThreshold
from rocpredict.solvers.numerical import NumericalSolver
from rocpredict.solvers.quadrature import find_roots

_HALF_Z_GRID = np.concatenate([np.arange(0.5, 9.5, 0.5), [10.0, 11.0, 12.0, 14.0, 16.0, 19.0, 23.0, 29.0, 37.0]])
_Z_GRID = np.concatenate([-_HALF_Z_GRID[::-1], [0.0], _HALF_Z_GRID])
"""Normal scores of each model that part the axis further than the rows do."""


class BatchClass(NamedTuple):
    """One class of each feature on the transformed axis: arrays that broadcast with thresholds.

    Methods take thresholds and how many of the sample lie below them; they agree with ``ShrinkageDistribution``.
    """

    n: FloatArray
    mean: FloatArray
    std: FloatArray
    weight: FloatArray
    shift: FloatArray

    def subset(self, index: Any) -> BatchClass:
        """Return the classes of some features, or of all with another shape."""
        return BatchClass(*(part[index] for part in self))

    @np.errstate(under="ignore")
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
    classes : pair of BatchClass of shape (F, 1)
        The class that lies lower, and the one that lies higher.
    transform : PowerTransform
        Of shape (F,).
    z : array of shape (F, m)
        The edges, transformed.
    x : array of shape (F, n + 2)
        The rows of both classes, ascending, between -inf and inf.
    n_rows_below : array of int of shape (F, m)
        How many rows lie at or below an edge, in that order; of rows that are equal as many as came so far.
    is_first_occurrence : array of bool of shape (F, m)
        Which edges are the first row with a value.
    n_less_equal : pair of arrays of shape (F, m)
        Rows of each class at or below an edge.
    z_at, z_above : pairs of arrays of shape (F, m)
        Normal scores of the part of each class at or above an edge, and above it.
    """

    classes: tuple[BatchClass, BatchClass]
    transform: PowerTransform
    z: FloatArray
    x: FloatArray
    n_rows_below: NDArray[np.intp]
    is_first_occurrence: NDArray[np.bool_]
    n_less_equal: tuple[FloatArray, FloatArray]
    z_at: tuple[FloatArray, FloatArray]
    z_above: tuple[FloatArray, FloatArray]

    def log_density_ratio(self, scores: tuple[FloatArray, FloatArray]) -> FloatArray:
        """Return log(f1/f0) on the side of the edges that has these normal scores."""
        with np.errstate(invalid="ignore"):
            upper, lower = (self.classes[k].log_density(self.z, scores[k]) for k in (1, 0))
            return np.asarray(upper - lower)


class _SortedRows(NamedTuple):
    """The rows of both classes in order: arrays of shape (F, n)."""

    x: FloatArray
    z: FloatArray
    new: NDArray[np.bool_]
    first: NDArray[np.intp]
    """Places at which the rows of this value begin, and end."""
    end: NDArray[np.intp]
    counts: tuple[FloatArray, FloatArray]
    """Rows of each class among the first 0, 1, ... n rows."""


def make_batch_grid(lower: FloatArray, upper: FloatArray, estimate: ShrinkageEstimate) -> BatchGrid:
    """Return the cut axes of features that were estimated from samples of shape (F, n0) and (F, n1)."""
    m0, s0, m1, s1 = (part[:, None] for part in estimate.classes)
    weight, shift = estimate.weight.weight[:, None], estimate.shift[:, None]
    counts = [np.full(m0.shape, float(sample.shape[1])) for sample in (lower, upper)]
    distributions = BatchClass(counts[0], m0, s0, weight, -shift), BatchClass(counts[1], m1, s1, weight, shift)
    return _cut_axes(np.concatenate([lower, upper], axis=1), estimate.z, distributions, estimate.transform)


def _cut_axes(
    x: FloatArray, z: FloatArray, distributions: tuple[BatchClass, BatchClass], transform: PowerTransform
) -> BatchGrid:
    """Return the axes cut at rows of shape (F, n0 + n1) and their transformed values."""
    rows = _in_order(x, z, int(distributions[0].n[0, 0]))
    n = rows.x.shape[1]
    edges = np.concatenate(
        [rows.z, *(distribution.mean + distribution.std * _Z_GRID for distribution in distributions)], axis=1
    )
    order = np.argsort(edges, axis=1, kind="stable")  # of equal ones rows come first
    z, is_row = np.take_along_axis(edges, order, axis=1), order < n
    passed = np.cumsum(is_row, axis=1)
    row = np.where(is_row, passed - 1, 0)
    before, after = (
        np.where(is_row, np.take_along_axis(limits, row, axis=1), passed) for limits in (rows.first, rows.end)
    )
    below, to = (
        (np.take_along_axis(rows.counts[0], at, axis=1), np.take_along_axis(rows.counts[1], at, axis=1))
        for at in (before, after)
    )
    infinite = np.full((len(z), 1), np.inf)
    return BatchGrid(
        distributions,
        transform,
        z,
        np.concatenate([-infinite, rows.x, infinite], axis=1),
        passed,
        is_row & np.take_along_axis(rows.new, row, axis=1),
        to,
        (distributions[0].tail_z(z, below[0]), distributions[1].tail_z(z, below[1])),
        (distributions[0].tail_z(z, to[0]), distributions[1].tail_z(z, to[1])),
    )


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
        x,
        np.take_along_axis(z, first, axis=1),
        new,
        first,
        end,
        (_cumulative_count(~is_upper), _cumulative_count(is_upper)),
    )


def _cumulative_count(is_present: NDArray[np.bool_]) -> FloatArray:
    counts = np.zeros((len(is_present), is_present.shape[1] + 1))
    np.cumsum(is_present, axis=1, out=counts[:, 1:])
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


def _loss(scores: tuple[FloatArray, FloatArray], price: float) -> FloatArray:
    """Return FNR + price FPR of the rule "upper class when x >= threshold" from the scores at or above thresholds."""
    fnr, fpr = ndtr(-scores[1]), ndtr(scores[0])
    return np.asarray(fnr + price * fpr if np.isfinite(price) else np.where(fpr > 0, np.inf, fnr))


class _Candidates(NamedTuple):
    """Thresholds, and the normal scores of the parts of both classes at or above them."""

    threshold: FloatArray
    scores: tuple[FloatArray, FloatArray]

    def minimum_with(self, other: _Candidates, at: NDArray[np.intp], price: float) -> _Candidates:
        """Return for each feature what loses least, of this and of others that belong to the features ``at``."""
        least, loss = _loss(self.scores, price), _loss(other.scores, price)
        worse = loss < least[at]
        np.minimum.at(least, at, loss)
        improved = np.flatnonzero((loss == least[at]) & worse)

        def merged(mine: FloatArray, theirs: FloatArray) -> FloatArray:
            result = mine.copy()
            result[at[improved]] = theirs[improved]
            return result

        scores = [merged(*pair) for pair in zip(self.scores, other.scores, strict=True)]
        return _Candidates(merged(self.threshold, other.threshold), (scores[0], scores[1]))


def optimal_thresholds(grid: BatchGrid, *, lower: bool) -> ThresholdRule:
    """Return the best threshold of each feature: a row, just above one, a crossing of the densities or an end.

    ``lower``: the class that lies lower is the positive one, and the rule "positive when x <= threshold".
    """
    rows = _best_observed_value(grid, 1.0)
    feature, edge = _promising_segments(grid, _loss(rows.scores, 1.0))
    crossings = _density_crossings(grid, feature, edge, 0.0)
    best = _best_candidate(rows, crossings, feature, 1.0, -np.inf if lower else np.inf)
    above, under = ([ndtr(sign * score) for score in best.scores] for sign in (1, -1))
    if lower:
        return ThresholdRule(np.nextafter(best.threshold, -np.inf), under[0], under[1], above[1], above[0])
    return ThresholdRule(best.threshold, above[1], above[0], under[0], under[1])


def _best_candidate(
    rows: _Candidates, crossings: _Candidates, feature: NDArray[np.intp], price: float, end: float
) -> _Candidates:
    """Return what loses least of rows, crossings and the infinite threshold ``end``."""
    best = rows.minimum_with(crossings, feature, price)
    none = ~(_loss(best.scores, price) < min(1.0, price))
    score0, score1 = (np.where(none, -end, score) for score in best.scores)
    return _Candidates(np.where(none, end, best.threshold), (score0, score1))


def _best_observed_value(grid: BatchGrid, price: float) -> _Candidates:
    """Return the best row of each feature, or the threshold just above it."""
    every, m = np.arange(len(grid.z)), grid.z.shape[1]
    losses = np.concatenate([_loss(scores, price) for scores in (grid.z_at, grid.z_above)], axis=1)
    best = np.argmin(np.where(np.tile(grid.is_first_occurrence, 2), losses, np.inf), axis=1)
    edge, beyond = best % m, best >= m
    row = grid.x[every, grid.n_rows_below[every, edge]]
    threshold = np.where(beyond, np.nextafter(row, np.inf), row)
    scores = [
        np.where(beyond, after[every, edge], at[every, edge]) for at, after in zip(grid.z_at, grid.z_above, strict=True)
    ]
    return _Candidates(threshold, (scores[0], scores[1]))


def _promising_segments(grid: BatchGrid, loss: FloatArray) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return in which features and from which edge on the density of the upper class becomes the larger one.

    Stretches in which no threshold can lose less than ``loss`` are left out.
    """
    left, right = grid.log_density_ratio(grid.z_above), grid.log_density_ratio(grid.z_at)
    rising = (left[:, :-1] < 0) & (right[:, 1:] >= 0) & (grid.z[:, :-1] < grid.z[:, 1:])
    rising &= ndtr(-grid.z_above[1][:, :-1]) + ndtr(grid.z_at[0][:, 1:]) < loss[:, None]
    rising &= grid.classes[0].weight < 1
    feature, edge = np.nonzero(rising)
    return feature, edge


def _density_crossings(
    grid: BatchGrid, feature: NDArray[np.intp], edge: NDArray[np.intp], log_price: float
) -> _Candidates:
    """Return where f1 - price f0 changes its sign between these edges and the next ones."""
    distributions = [distribution.subset((feature, 0)) for distribution in grid.classes]
    below = [count[feature, edge] for count in grid.n_less_equal]

    def scores_at(z: FloatArray, columns: Any = slice(None)) -> tuple[FloatArray, FloatArray]:
        score0, score1 = (
            distribution.subset(columns).tail_z(z, n[columns])
            for distribution, n in zip(distributions, below, strict=True)
        )
        return score0, score1

    def excess(z: FloatArray, index: FloatArray) -> FloatArray:
        columns = index.astype(np.intp)
        levels = [
            distribution.subset(columns).log_density(z, s)
            for distribution, s in zip(distributions, scores_at(z, columns), strict=True)
        ]
        return np.asarray(levels[1] - levels[0] - log_price)

    z = left = grid.z[feature, edge]
    if z.size:
        z = find_roots(excess, left, grid.z[feature, edge + 1], np.arange(float(z.size))).x
    passed = grid.n_rows_below[feature, edge]
    limits = np.nextafter(grid.x[feature, passed], np.inf), grid.x[feature, passed + 1]
    return _Candidates(np.clip(grid.transform[feature].inverse_transform(z), *limits), scores_at(z))


_SEGMENT_NODES, _SEGMENT_WEIGHTS = np.polynomial.legendre.leggauss(5)


class ShrinkageBatch(NamedTuple):
    """The answers of F features: arrays of shape (F,).

    Attributes
    ----------
    auc : array
        P(positive > negative) + P(tie)/2, whatever the direction.
    rule : ThresholdRule
        The threshold with the best Ameans in the direction asked for, and its rates.
    weight : array
        Of the sample; the rest is the model's.
    area_between : array
        The mean absolute difference of the model's curve and the empirical one.
    """

    auc: FloatArray
    rule: ThresholdRule
    weight: FloatArray
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
    ``fit_shrinkage`` and ``ShrinkageSolver`` do the same for one feature. With ``lower`` the classes change their
    places, and the rule is the one that calls positive what the other calls negative.
    """
    estimate, grid = _estimated(negative, positive, lower=lower, declared=declared)
    area, rest = batch_auc(grid)
    rule = optimal_thresholds(grid, lower=lower)
    classes = (positive, negative) if lower else (negative, positive)
    model = binormal_tpr(*estimate.classes, probit=FPR_PROBIT)[0]
    between = area_between(model, empirical_tpr(*(np.sort(values, axis=1) for values in classes)))
    return ShrinkageBatch(rest if lower else area, rule, estimate.weight.weight, between)


def _estimated(
    negative: FloatArray, positive: FloatArray, *, lower: bool, declared: bool
) -> tuple[ShrinkageEstimate, BatchGrid]:
    below, above = (positive, negative) if lower else (negative, positive)
    estimate = estimate_shrinkage(below, above, direction_known=declared)
    return estimate, make_batch_grid(below, above, estimate)


@np.errstate(under="ignore")
def batch_auc(grid: BatchGrid) -> tuple[FloatArray, FloatArray]:
    """Return P(upper class > lower class) + P(tie)/2, and 1 less it: shape (F,)."""
    jump = np.where(grid.is_first_occurrence, _between(grid.z_at[0], grid.z_above[0]), 0.0)
    mass = _between(grid.z_above[0][:, :-1], grid.z_at[0][:, 1:])
    shares, tails = _segment_quadrature(grid)
    sums = []
    for tail, sign in zip(tails, (1, -1), strict=True):
        steps = (ndtr(sign * grid.z_at[1]) + ndtr(sign * grid.z_above[1])) / 2
        sums.append(np.sum(jump * steps, axis=1) + np.sum(mass * np.sum(shares * tail, axis=-1), axis=1))
    return sums[0], sums[1]


def _segment_quadrature(grid: BatchGrid) -> tuple[FloatArray, tuple[FloatArray, FloatArray]]:
    """Return what share of a stretch each of its nodes stands for, and the upper class's parts above and below it."""
    left, right = grid.z[:, :-1, None], grid.z[:, 1:, None]
    z = (left + right) / 2 + (right - left) / 2 * _SEGMENT_NODES
    distributions = [distribution.subset((..., None)) for distribution in grid.classes]
    score0, score1 = (
        distribution.tail_z(z, to[:, :-1, None])
        for distribution, to in zip(distributions, grid.n_less_equal, strict=True)
    )
    level = distributions[0].log_density(z, score0)
    highest = level.max(axis=-1, keepdims=True)
    density = np.exp(level - np.where(np.isfinite(highest), highest, 0.0)) * _SEGMENT_WEIGHTS
    total = density.sum(axis=-1, keepdims=True)
    return density / np.where(total > 0, total, 1.0), (ndtr(score1), ndtr(-score1))


def _between(left: FloatArray, right: FloatArray) -> FloatArray:
    """Return the probability between two normal scores of upper parts, from the nearer tail."""
    upper, lower = ndtr(left) - ndtr(right), ndtr(-right) - ndtr(-left)
    return np.asarray(np.maximum(np.where(left > 0, lower, upper), 0.0))


def is_batch_of_one(negative: Distribution, positive: Distribution) -> bool:
    """Check for shrinkage estimates that share weight and axis, with Gaussian models and samples without weights."""
    pair = [d for d in (negative, positive) if isinstance(d, ShrinkageDistribution) and d.sample.weights is None]
    models = [d.model for d in pair if isinstance(d.model, Transformed) and isinstance(d.model.base, Gaussian)]
    shared = len(models) == 2 and models[0].transform == models[1].transform
    return shared and pair[0].data_weight == pair[1].data_weight


class ShrinkageSolver(NumericalSolver):
    """ROC curve of two shrinkage estimates as ``family="auto"`` makes them: area and best threshold of a batch of one.

    ``is_batch_of_one`` tells which pairs it takes.
    """

    negative: Any
    positive: Any

    @cached_property
    def grid(self) -> BatchGrid:
        """The axis, cut at the rows and at quantiles of both models."""
        pair, transform = (self.negative, self.positive), self.negative.model.transform
        columns = [(d.sample.total, d.model.base.mean, d.model.base.std, d.data_weight, d.shift) for d in pair]
        distributions = [BatchClass(*(np.full((1, 1), part) for part in column)) for column in columns]
        x = np.concatenate([d.sample.sorted_sample for d in pair])[None, :]
        return _cut_axes(x, transform.transform(x), (distributions[0], distributions[1]), transform[None])

    @cached_property
    def _areas(self) -> tuple[FloatArray, FloatArray]:
        area, rest = batch_auc(self.grid)
        return area[0], rest[0]

    def auc(self) -> FloatArray:
        """Return P(positive > negative) + P(tie)/2."""
        return self._areas[0]

    def auc_complement(self) -> FloatArray:
        """Return P(positive < negative) + P(tie)/2, with its own digits."""
        return self._areas[1]

    def _crossings(self, log_price: FloatArray) -> tuple[FloatArray, bool]:
        """Return all thresholds where f1 - price f0 changes its sign, between the rows or at one, ascending."""
        return self._all_crossings(float(log_price))[1], False

    def _all_crossings(self, log_price: float) -> tuple[_Candidates, FloatArray]:
        """Return the crossings between edges, and all of them, with the rows at which densities exchange their order.

        A crossing beyond the largest float is none.
        """
        grid = self.grid
        edges = np.flatnonzero(grid.is_first_occurrence[0] | (np.diff(grid.z[0], prepend=-np.inf) > 0))
        ratios = np.stack([grid.log_density_ratio(scores)[0, edges] for scores in (grid.z_at, grid.z_above)], axis=1)
        with np.errstate(invalid="ignore"):  # a price of 0 or infinity is nowhere equal to an infinite ratio
            levels = ratios.ravel() - log_price
        signed = np.flatnonzero(np.isfinite(levels) & (levels != 0) & (self.negative.data_weight < 1))
        before = signed[np.flatnonzero(np.diff(levels[signed] > 0))]  # even: below an edge; odd: above it
        smooth = before % 2 == 1
        edge = edges[(before[smooth] + 1) // 2] - 1  # of equal rows the last
        rows = grid.x[0, grid.n_rows_below[0, edges[before[~smooth] // 2]]]
        crossings = _density_crossings(grid, np.zeros_like(edge), edge, log_price)
        thresholds = np.sort(np.concatenate([crossings.threshold, rows]))
        return crossings, thresholds[np.isfinite(thresholds)]

    def _optimal(self, log_price: FloatArray) -> OptimalThreshold:
        """Return the threshold that maximises TPR - price FPR: a row, just above one, a crossing or an end."""
        with np.errstate(over="ignore"):
            price = float(np.exp(log_price))
        crossings, candidate = self._all_crossings(float(log_price))
        feature = np.zeros(len(crossings.threshold), dtype=np.intp)
        end = np.inf if price >= 1 else -np.inf
        best = _best_candidate(_best_observed_value(self.grid, price), crossings, feature, price, end)
        optimum = self.at_threshold(best.threshold[0], candidate)
        no_benefit = float(log_price) == 0 and optimum.tpr <= optimum.fpr
        return optimum._replace(flags=optimum.flags | Flags(no_benefit=no_benefit))


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
    classes = negative, positive
    folds = min(FOLDS, negative.shape[1], positive.shape[1])
    if folds < 3:
        return np.full(len(negative), np.nan)
    right = np.zeros((2, len(negative)))
    for fold in range(folds):
        is_test = [np.arange(values.shape[1]) % folds == fold for values in classes]
        training = [values[:, ~out] for values, out in zip(classes, is_test, strict=True)]
        right += _count_correct(
            training, [values[:, out] for values, out in zip(classes, is_test, strict=True)], lower, declared
        )
    return np.asarray(right[0] / negative.shape[1] + right[1] / positive.shape[1]) / 2


def _count_correct(
    training: list[FloatArray], test: list[FloatArray], lower: bool | None, declared: bool
) -> FloatArray:
    """Return how many of the rows held out of both classes the rule of the others calls right: shape (2, F)."""
    means = [values.mean(axis=1) for values in training]
    below = means[1] < means[0] if lower is None else np.full(len(means[0]), lower)
    right = np.zeros((2, len(below)))
    for values in (False, True):
        if (some := np.flatnonzero(below == values)).size:
            _, grid = _estimated(*(part[some] for part in training), lower=values, declared=declared)
            at = optimal_thresholds(grid, lower=values).threshold[:, None]
            called = [part[some] <= at if values else part[some] >= at for part in test]
            right[:, some] = np.sum(~called[0], axis=1), np.sum(called[1], axis=1)
    return right
