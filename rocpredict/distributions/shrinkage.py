"""Estimates of two class distributions: the empirical distributions, shrunk towards a binormal model.

The estimate depends only on the order of the observations of both classes and on their ties. A binormal shape is a pair
of Gaussian classes, up to an increasing transform; it is determined by its AUC and its ratio of standard deviations.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import lru_cache
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainc, ndtr, ndtri, owens_t

from rocpredict.base.validation import Direction, FloatArray
from rocpredict.distributions.base import Distribution
from rocpredict.distributions.ecdf import Ecdf, cumulate

# ---- constants; docs/auto.md states how each was chosen
_DELTAS = np.array(
    [0.02, 0.08, 0.16, *np.arange(0.25, 1.2, 0.1), *np.arange(1.3, 2, 0.15), 2.1, 2.3, 2.5, 2.75, 3, 3.3, 3.7, 4.2]
)
"""Distances between the classes, Phi^-1(AUC), in the table of binormal shapes."""
_LOG_RATIOS = np.array([-1.6, -1.2, -0.9, -0.65, -0.45, -0.3, -0.15, 0, 0.15, 0.3, 0.45, 0.65, 0.9, 1.2, 1.6])
"""Logarithms of the ratio of the standard deviations (positive/negative class) in the table of binormal shapes."""
_SHAPE_GRID = np.concatenate([-np.linspace(9, 3.6, 55), np.linspace(-3.5, 3.5, 281), np.linspace(3.6, 9, 55)])
"""z-scores, relative to the mean and the SD of each class, at which the cdfs of a binormal shape are computed."""
_MAX_CELLS = 64
_MIN_PROBABILITY = 1e-7
_MIN_LOG = -700.0  # exp is slow where it underflows
_PRIOR_SCALE = 0.5
_LOG_RATIO_SCALE, _LOG_RATIO_GROWTH = 0.35, 0.2
_RANK_VARIANCE = 0.4
_INFORMATION_POWER, _INFORMATION_OFFSET = 0.25, 0.1
_MAX_LIKELIHOOD_SIZE = 500
_WIDE_BLOCK = 1 / 20
_PRODUCT_SIZE = 64  # largest number of rows or columns of a matrix product for which BLAS uses one thread
_MAX_DELTA, _N_AREA_CELLS, _MIN_AREA_RANGE, _MAX_SCORE = 5.0, 128, 0.4, 6.0
_EQUAL_VARIANCE_WEIGHT = 2.0
_RESIDUAL_OFFSET, _RESIDUAL_POWER = 0.5, 1.5
_AREA_OFFSET = 6.0
_MIN_POSTERIOR = 1e-9
_MASS_UNIT = 2.0**-34  # sums of multiples of this unit are exact in any order


class PooledSample(NamedTuple):
    """Values of both classes in ascending order, divided into blocks of equal values.

    Attributes
    ----------
    x : array of shape (F, m)
        Values, in ascending order.
    positive_fraction : array of shape (F, m)
        For each position, the proportion of positives in its block of equal values (0 or 1 for a value without ties).
    is_first : array of bool of shape (F, m)
        Whether each position is the first position of a block.
    starts, sizes : arrays of int
        First position of each block (in the flattened arrays) and number of values in each block, for all features.
    """

    x: FloatArray
    positive_fraction: FloatArray
    is_first: NDArray[np.bool_]
    starts: NDArray[np.intp]
    sizes: NDArray[np.intp]

    @classmethod
    def from_samples(cls, negative: FloatArray, positive: FloatArray) -> PooledSample:
        """Pool the negative samples, of shape (F, n0), with the positive samples, of shape (F, n1)."""
        x = np.concatenate([negative, positive], axis=1)
        order = np.argsort(x, axis=1)
        x = np.take_along_axis(x, order, axis=1)
        is_first = np.ones(x.shape, dtype=bool)
        np.not_equal(x[:, 1:], x[:, :-1], out=is_first[:, 1:])
        starts = np.flatnonzero(is_first)
        pooled = cls(x, np.empty(0), is_first, starts, np.diff(starts, append=x.size))
        return pooled._replace(positive_fraction=pooled.average((order >= negative.shape[1]).astype(np.float64)))

    @property
    def has_ties(self) -> bool:
        """True if any block has more than one value."""
        return len(self.starts) < self.x.size

    def average(self, values: FloatArray) -> FloatArray:
        """Average ``values``, of shape (F, m), within each block of equal values of the sample."""
        if not self.has_ties:
            return values
        means = np.add.reduceat(values.ravel(), self.starts) / self.sizes
        return np.repeat(means, self.sizes).reshape(values.shape)


class _ShapeTable(NamedTuple):
    """Table of C binormal shapes; the pooled ranks are divided into M cells with equal numbers of ranks."""

    posterior: FloatArray
    """Probability that an observation in a cell is positive, shape (C, M)."""
    log_odds: FloatArray
    """Log odds of ``posterior`` smoothed over the sampling variation of the ranks, shape (M, C)."""
    log_complement: FloatArray
    """Logarithm of 1 minus the smoothed ``posterior``, shape (M, C)."""
    cumulative: FloatArray
    """Expected number of positives up to each cell boundary, from the smoothed ``posterior``, shape (C, M + 1)."""
    log_prior: FloatArray
    """Log prior of each shape, plus the term of the log-likelihood that does not depend on the data, shape (C,)."""
    delta: FloatArray
    """Phi^-1(AUC) of each shape, shape (C,)."""
    is_reversed: FloatArray
    """1 if the threshold between two neighboring cells has an Ameans below 1/2, otherwise 0; shape (C, M - 1)."""


def _cell_widths(centres: FloatArray, first_edge: float) -> FloatArray:
    middles = (centres[1:] + centres[:-1]) / 2
    return np.diff(np.concatenate([[first_edge], middles, [2 * centres[-1] - middles[-1]]]))


@lru_cache(maxsize=2)
def _shapes(declared: bool) -> tuple[FloatArray, ...]:
    """Return Phi^-1(AUC) and the log prior of each binormal shape, and the cdfs of both classes on a grid.

    For C binormal shapes and P grid points, Phi^-1(AUC) and the log prior have shape (C,), and each cdf has shape
    (C, P).
    """
    delta, log_ratio = (part.ravel() for part in np.meshgrid(_DELTAS, _LOG_RATIOS, indexing="ij"))
    widths = [_cell_widths(_DELTAS, 0.0), _cell_widths(_LOG_RATIOS, 1.5 * _LOG_RATIOS[0] - 0.5 * _LOG_RATIOS[1])]
    width = np.outer(*widths).ravel()
    if not declared:
        delta, log_ratio, width = np.append(-delta, delta), np.tile(log_ratio, 2), np.tile(width, 2)
    scale = _LOG_RATIO_SCALE * (1 + _LOG_RATIO_GROWTH * np.abs(delta))
    log_prior = -0.5 * np.log1p((delta / _PRIOR_SCALE) ** 2) - np.log(scale) + np.log(width)
    log_prior -= 1.5 * np.log1p((log_ratio / scale) ** 2 / 2)
    s0, s1 = np.exp(-log_ratio / 2)[:, None], np.exp(log_ratio / 2)[:, None]
    half = delta[:, None] * np.hypot(s0, s1) / 2
    x = np.sort(np.concatenate([s0 * _SHAPE_GRID - half, s1 * _SHAPE_GRID + half], axis=1), axis=1)
    return delta, log_prior, ndtr((x + half) / s0), ndtr((x - half) / s1)


@lru_cache(maxsize=64)
def _shape_table(n0: int, n1: int, declared: bool) -> _ShapeTable:
    """Return the table of binormal shapes for classes of ``n0`` and ``n1`` observations."""
    delta, log_prior, cdf0, cdf1 = _shapes(declared)
    m, prevalence = n0 + n1, n1 / (n0 + n1)
    n_cells = min(m, _MAX_CELLS)
    ends, inner = np.arange(n_cells + 1) / n_cells, np.empty((len(delta), n_cells + 1))
    pooled = (1 - prevalence) * cdf0 + prevalence * cdf1
    for row, ranks, cdf in zip(inner, pooled, cdf1, strict=True):
        row[:] = np.interp(ends, ranks, cdf)
    inner[:, 0], inner[:, -1] = 0, 1
    posterior = np.clip(n_cells * prevalence * np.diff(inner, axis=1), _MIN_PROBABILITY, 1 - _MIN_PROBABILITY)
    size = m / _RANK_VARIANCE
    rank = size * (np.arange(n_cells) + 0.5) / n_cells + 0.5
    kernel = np.diff(betainc(rank[:, None], (size - rank + 1)[:, None], ends), axis=1)
    smoothed = posterior @ kernel.T
    noise = smoothed * (1 - smoothed)
    smoothed += noise * ((posterior - smoothed).sum(axis=1) / noise.sum(axis=1))[:, None]
    smoothed = np.clip(smoothed, _MIN_PROBABILITY, 1 - _MIN_PROBABILITY)
    information = m / n_cells * (posterior * (1 - posterior)).sum(axis=1)
    log_complement = np.log1p(-smoothed)
    return _ShapeTable(
        posterior,
        np.ascontiguousarray((np.log(smoothed) - log_complement).T),
        np.ascontiguousarray(log_complement.T),
        cumulate(smoothed * (m / n_cells)),
        log_prior + _INFORMATION_POWER * np.log(information + _INFORMATION_OFFSET),
        delta,
        (inner > ends)[:, 1:-1].astype(np.float64),
    )


def _multiply(left: FloatArray, right: FloatArray) -> FloatArray:
    """Return ``left @ right``, computed in small blocks with one BLAS thread; several threads would be slower."""
    result = np.zeros((len(left), right.shape[1]))
    steps = (range(0, size, _PRODUCT_SIZE) for size in (*left.shape, right.shape[1]))
    for i, k, j in product(*steps):
        rows, inner, columns = (slice(start, start + _PRODUCT_SIZE) for start in (i, k, j))
        result[rows, columns] += left[rows, inner] @ right[inner, columns]
    return result


def _dot(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the dot product of each row and a vector, computed without BLAS to avoid its threads."""
    return np.asarray(np.einsum("ij,j->i", values, weights))


def _rebin(values: FloatArray, n_bins: int) -> FloatArray:
    """Divide the last axis of ``values``, of shape (F, k), into ``n_bins`` equal parts, and sum over each part."""
    size = values.shape[1]
    if size == n_bins:
        return values
    return np.diff(_interpolate_columns(cumulate(values), np.arange(n_bins + 1) * (size / n_bins)), axis=1)


def _interpolate_columns(values: FloatArray, at: FloatArray) -> FloatArray:
    """Interpolate ``values``, of shape (F, k), at the fractional column numbers ``at``."""
    column = np.minimum(at.astype(np.intp), values.shape[1] - 2)
    share = at - column
    low, high = np.take(values, column, axis=1), np.take(values, column + 1, axis=1)  # contiguous rows
    return low * (1 - share) + high * share


def _shape_weights(pooled: PooledSample, table: _ShapeTable, below: FloatArray) -> FloatArray:
    """Compute the posterior weights of C binormal shapes for F features, as an array of shape (F, C).

    ``below`` contains the cumulative numbers of positives.
    """
    (n_features, m), n_cells = pooled.x.shape, len(table.log_odds)
    wide = np.flatnonzero(pooled.sizes > _WIDE_BLOCK * m)
    if not wide.size:
        base = table.log_prior + m / n_cells * table.log_complement.sum(axis=0)
        in_cells = np.diff(_interpolate_columns(below, np.arange(n_cells + 1) * (m / n_cells)), axis=1)
        level = _multiply(in_cells, table.log_odds)
        level += base
    else:  # a block of many equal values has an exact likelihood
        is_narrow = np.repeat(pooled.sizes <= _WIDE_BLOCK * m, pooled.sizes).reshape(n_features, m)
        level = _multiply(_rebin(pooled.positive_fraction * is_narrow, n_cells), table.log_odds) + table.log_prior
        level += _multiply(_rebin(is_narrow.astype(np.float64), n_cells), table.log_complement)
        feature, first = np.divmod(pooled.starts[wide], m)
        size, n_positive = pooled.sizes[wide], pooled.sizes[wide] * pooled.positive_fraction[feature, first]
        limits = [_interpolate_columns(table.cumulative, at * (n_cells / m)) for at in (first, first + size)]
        share = np.clip((limits[1] - limits[0]) / size, _MIN_PROBABILITY, 1 - _MIN_PROBABILITY).T
        terms = n_positive[:, None] * np.log(share) + (size - n_positive)[:, None] * np.log1p(-share)
        np.add.at(level, feature, terms)
    level -= level.max(axis=1, keepdims=True)
    if m > _MAX_LIKELIHOOD_SIZE:
        level *= _MAX_LIKELIHOOD_SIZE / m
    weights = np.exp(np.maximum(level, _MIN_LOG, out=level), out=level)
    weights /= weights.sum(axis=1, keepdims=True)
    return weights


def mann_whitney_auc(pooled: PooledSample, below: FloatArray, n0: int, n1: int) -> tuple[FloatArray, FloatArray]:
    """Return the empirical AUC of each feature and its DeLong variance.

    ``below`` contains the cumulative numbers of positives.
    """
    q = pooled.positive_fraction
    middle = pooled.average(np.broadcast_to(np.arange(q.shape[1]) + 0.5, q.shape))
    positives_below = pooled.average(below[:, 1:] - q / 2)
    negatives_below = middle - positives_below
    area = np.einsum("ij,ij->i", q, negatives_below) / (n0 * n1)
    spread1 = np.einsum("ij,ij,ij->i", q, negatives_below, negatives_below) / (n0 * n0 * n1) - area**2
    spread0 = np.einsum("ij,ij,ij->i", 1 - q, positives_below, positives_below) / (n1 * n1 * n0) - (1 - area) ** 2
    return area, np.maximum(spread1, 0) / (n1 - 1) + np.maximum(spread0, 0) / (n0 - 1)


def _binormal_auc_variance(delta: FloatArray, n0: int, n1: int) -> FloatArray:
    """Return the variance of the empirical AUC of two Gaussians with equal variances and Phi^-1(AUC) = ``delta``.

    Var = [A(1 - A) + (n0 + n1 - 2)(Q - A^2)]/(n0 n1), with A = AUC, d = ``delta``, Q = A - 2 T(d, 1/sqrt(3)) and
    Owen's T.
    """
    upper, lower = ndtr(np.abs(delta)), ndtr(-np.abs(delta))
    two_of_a_class = upper * lower - 2 * owens_t(np.abs(delta), 1 / np.sqrt(3))
    return np.asarray((upper * lower + (n0 + n1 - 2) * two_of_a_class) / (n0 * n1))


@np.errstate(under="ignore")
def posterior_median_auc(area: FloatArray, variance: FloatArray, n0: int, n1: int, *, declared: bool) -> FloatArray:
    """Return the posterior median of the AUC of each feature, given the empirical AUC and its DeLong variance."""
    g = n0 * n1 / (n0 + n1)
    binormal = _binormal_auc_variance(np.clip(ndtri(area), -_MAX_SCORE, _MAX_SCORE), n0, n1)
    ratio = (g * variance + _EQUAL_VARIANCE_WEIGHT * binormal) / ((g + _EQUAL_VARIANCE_WEIGHT) * binormal)

    def median(low: FloatArray, high: FloatArray, n_cells: int) -> FloatArray:
        """Return the posterior median of Phi^-1(AUC) and two bounds, as an array of shape (3, F, 1).

        The posterior density is negligible beyond these bounds.
        """
        step = (high - low) / n_cells
        delta = low + (np.arange(n_cells) + 0.5) * step
        level = -0.5 * np.log1p((delta / _PRIOR_SCALE) ** 2)
        spread = _binormal_auc_variance(delta, n0, n1)
        level = level - 0.5 * np.log(spread) - (area[:, None] - ndtr(delta)) ** 2 / (2 * spread * ratio[:, None])
        density = np.exp(np.maximum(level - level.max(axis=1, keepdims=True), _MIN_LOG))
        reached = np.cumsum(density, axis=1)
        half = reached[:, -1:] / 2
        cell = np.sum(reached < half, axis=1)[:, None]
        inside = np.take_along_axis(density, cell, axis=1)
        rest = (half - np.take_along_axis(reached, cell, axis=1)) / inside + 1
        relevant = density > 1e-12
        first, last = np.argmax(relevant, axis=1)[:, None], n_cells - np.argmax(relevant[:, ::-1], axis=1)[:, None]
        places = cell + rest, np.maximum(first - 1, 0), np.minimum(last + 1, n_cells)
        return np.stack([low + step * place for place in places])

    start = np.array([[0.0 if declared else -_MAX_DELTA]])
    n_cells = _N_AREA_CELLS if declared else 2 * _N_AREA_CELLS
    middle, low, high = median(start, np.array([[_MAX_DELTA]]), n_cells)
    if (high - low < _MIN_AREA_RANGE).any():  # many observations need a finer grid
        middle = np.where(high - low < _MIN_AREA_RANGE, median(low, high, _N_AREA_CELLS)[0], middle)
    return np.asarray(ndtr(middle[:, 0]))


class ShrinkageEstimate(NamedTuple):
    """Shrinkage estimates for F features, stored as cumulative sums of P(positive) over the m ordered values.

    Attributes
    ----------
    pooled : PooledSample
        Pooled sample of both classes.
    posterior : array of shape (F, m + 1)
        Cumulative sums of P(positive) according to the estimate.
    model : array of shape (F, m + 1)
        Cumulative sums of P(positive) according to the model alone; the model has the same AUC as the estimate.
    sample : array of shape (F, m + 1)
        Cumulative numbers of positives in the sample.
    data_weight : array of shape (F,)
        Weight of the residual (sample minus model) in the estimate.
    misfit_ratio : array of shape (F,)
        Cramer-von Mises statistic of the residual (sample minus model). If the model is correct and was not fitted to
        the sample, the expected value of this statistic is 1.
    area_between : array of shape (F,)
        Area between the ROC curve of the model and the empirical ROC curve.
    reversal_probability : array of shape (F, M - 1) or None
        Posterior probability that the Ameans is below 1/2, for thresholds at equally spaced ranks. None unless the
        direction was chosen from the sample.
    """

    pooled: PooledSample
    posterior: FloatArray
    model: FloatArray
    sample: FloatArray
    data_weight: FloatArray
    misfit_ratio: FloatArray
    area_between: FloatArray
    reversal_probability: FloatArray | None


def misfit_statistic(model: FloatArray, residual: FloatArray) -> FloatArray:
    """Return the Cramer-von Mises statistic of the residual (sample minus ``model``), along the last axis."""
    noise, residual = np.cumsum(model * (1 - model), axis=-1), np.cumsum(residual, axis=-1)
    total = noise[..., -1]
    share = noise / total[..., None]
    with np.errstate(divide="ignore", invalid="ignore"):
        squares = np.einsum("...i,...i->...", residual, residual)
        ratio = squares / (total * (share.sum(axis=-1) - np.einsum("...i,...i->...", share, share)))
    return np.where(np.isnan(ratio), 0.0, ratio)


def residual_weight(misfit_ratio: ArrayLike) -> FloatArray:
    """Return the weight of the residual in the estimate: 0 for a perfect fit, near 1 for a large misfit."""
    with np.errstate(divide="ignore"):
        return np.asarray(1 / (1 + _RESIDUAL_OFFSET * np.asarray(misfit_ratio, dtype=np.float64) ** -_RESIDUAL_POWER))


def ranked_misfit(fpr: FloatArray, tpr: FloatArray, negative: FloatArray, positive: FloatArray) -> FloatArray:
    """Return the misfit statistic of two samples with respect to the curve through the points (``fpr``, ``tpr``)."""
    pooled = PooledSample.from_samples(negative[None, :], positive[None, :])
    n0, n1, m = len(negative), len(positive), pooled.x.shape[1]
    fpr, tpr = (np.concatenate([[0.0], rate, [1.0]]) for rate in (fpr, tpr))
    pooled_above = (n0 * fpr + n1 * tpr) / m
    above = n1 * np.interp(np.arange(m, -1, -1) / m, pooled_above, tpr)
    model = pooled.average(-np.diff(above)[None, :])[0]
    return misfit_statistic(np.clip(model, _MIN_PROBABILITY, 1 - _MIN_PROBABILITY), pooled.positive_fraction[0] - model)


@np.errstate(under="ignore")
def estimate_shrinkage(
    negative: FloatArray, positive: FloatArray, *, declared: bool, is_chosen: bool = False
) -> ShrinkageEstimate:
    """Estimate, for each feature, the probability that the observation at each rank of the pooled sample is positive.

    Parameters
    ----------
    negative, positive : arrays of shape (F, n0) and (F, n1)
        Finite values, at least 2 per class. An observation is classified as positive if x >= threshold.
    declared : bool
        Whether the positives are known to have larger values than the negatives.
    is_chosen : bool, default=False
        Whether the direction was chosen from the sample.

    Notes
    -----
    The documentation page "How auto works" contains the formulas.
    """
    n0, n1 = negative.shape[1], positive.shape[1]
    pooled = PooledSample.from_samples(negative, positive)
    m, table, sample = n0 + n1, _shape_table(n0, n1, declared), pooled.positive_fraction
    below = cumulate(sample)
    weights = _shape_weights(pooled, table, below)
    n_cells = len(table.log_odds)
    in_cells = cumulate(_multiply(weights, table.posterior) * (m / n_cells))
    shape = pooled.average(np.diff(_interpolate_columns(in_cells, np.arange(m + 1) * (n_cells / m)), axis=1))

    rank = (np.arange(m) + 0.5) / m
    shape_area = (m * _dot(shape, rank) - n1 * n1 / 2) / (n0 * n1)
    table_area = shape_area + (ndtr(_dot(weights, table.delta)) - _dot(weights, ndtr(table.delta))) / 2
    rank_area = posterior_median_auc(*mann_whitney_auc(pooled, below, n0, n1), n0, n1, declared=declared)

    noise = shape * (1 - shape)
    tilt = noise * (rank - (_dot(noise, rank) / noise.sum(axis=1))[:, None])
    tilt /= _dot(tilt, rank)[:, None]  # adding tilt to P(positive) adds 1 to the sum of P(positive) times rank
    residual = sample - shape
    residual -= tilt * _dot(residual, rank)[:, None]
    misfit_ratio = misfit_statistic(shape, residual)
    data_weight = residual_weight(misfit_ratio)
    rank_weight = misfit_ratio / (misfit_ratio + _AREA_OFFSET * m / (2 * n0 * n1))
    area = table_area + rank_weight * (rank_area - table_area)
    shape += tilt * ((area - shape_area) * (n0 * n1 / m))[:, None]
    estimates = shape, shape + residual * data_weight[:, None]
    model, posterior = (
        cumulate(pooled.average(np.clip(part, _MIN_POSTERIOR, 1 - _MIN_POSTERIOR))) for part in estimates
    )
    area_between = np.abs(below - model).sum(axis=1) / (n0 * n1)
    reversal = _multiply(weights, table.is_reversed) if is_chosen else None
    return ShrinkageEstimate(pooled, posterior, model, below, data_weight, misfit_ratio, area_between, reversal)


@dataclass(frozen=True, eq=False, repr=False)
class ShrinkageDistribution(Ecdf):
    """Distribution of one class, estimated with ``family="auto"``.

    The distribution has point masses at the observed values of both classes.

    Parameters
    ----------
    sample : array of shape (n,)
        Distinct values of both classes.
    weights : array of shape (n,)
        Expected number of observations of this class at each value.
    model : Ecdf
        Distribution of this class according to the model alone.
    observed : Ecdf
        Empirical distribution of the observations of this class.
    data_weight : float
        Weight of the residual (sample minus model) in the estimate.
    misfit_ratio : float
        Cramer-von Mises statistic of the residual (sample minus model). If the model is correct and was not fitted to
        the sample, the expected value of this statistic is 1.
    area_between : float
        Area between the ROC curve of the model and the empirical ROC curve.
    reversal_probability : array of shape (M - 1,) or None
        Posterior probability that the rule "positive when x >= threshold" has an Ameans below 1/2, for thresholds at
        equally spaced ranks. None unless the direction was chosen from the sample.
    """

    _: KW_ONLY
    model: Ecdf
    observed: Ecdf
    data_weight: float
    misfit_ratio: float
    area_between: float
    reversal_probability: FloatArray | None
    _heading = "Shrunk estimate from {observed.total:g} observations"
    _text = "total={observed.total:g}, {unique_values.size} unique values, data_weight={data_weight:.6g}"

    def reflect(self) -> ShrinkageDistribution:
        """Return the distribution of -X."""
        reversal = self.reversal_probability
        return ShrinkageDistribution(
            -self.sample,
            self.weights,
            model=self.model.reflect(),
            observed=self.observed.reflect(),
            data_weight=self.data_weight,
            misfit_ratio=self.misfit_ratio,
            area_between=self.area_between,
            reversal_probability=None if reversal is None else 1 - reversal[::-1],
        )


def fit_shrinkage(
    negative: FloatArray, positive: FloatArray, direction: Direction
) -> tuple[Distribution, Distribution]:
    """Estimate the distributions of both classes of one feature.

    Parameters
    ----------
    negative, positive : arrays of shape (n,)
        Finite values, at least 2 per class.
    direction : {None, "higher", "lower", "auto"}
        Direction of the feature; "higher" and "lower" mean that the direction was known before the data were seen.
    """
    if direction == "lower":
        below, above = fit_shrinkage(-negative, -positive, "higher")
        return below.reflect(), above.reflect()
    options = {"declared": direction == "higher", "is_chosen": direction == "auto"}
    estimate = estimate_shrinkage(negative[None, :], positive[None, :], **options)
    reversal = estimate.reversal_probability
    pooled, data_weight = estimate.pooled, float(estimate.data_weight[0])
    values, sizes = pooled.x[0, pooled.starts] + 0.0, pooled.sizes
    pair = []
    for observed, is_positive in ((negative, False), (positive, True)):
        masses = []
        for part in (estimate.posterior, estimate.model):
            positives = np.diff(part[0, np.append(pooled.starts, part.shape[1] - 1)])
            mass = positives if is_positive else sizes - positives
            scale = len(observed) / mass.sum()
            masses.append(np.round(mass * scale / _MASS_UNIT) * _MASS_UNIT)
        pair.append(
            ShrinkageDistribution(
                values,
                masses[0],
                model=Ecdf(values, masses[1]),
                observed=Ecdf(observed),
                data_weight=data_weight,
                misfit_ratio=float(estimate.misfit_ratio[0]),
                area_between=float(estimate.area_between[0]),
                reversal_probability=None if reversal is None else reversal[0],
            )
        )
    return pair[0], pair[1]
