"""Bootstrap of areas, curves and thresholds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from rocpredict.base.labels import MAX_EXPANDED_ROWS
from rocpredict.base.rates import Rates
from rocpredict.base.validation import FloatArray, RocPredictError, Seed, check_int, check_seed
from rocpredict.distributions.ecdf import Ecdf, count_below
from rocpredict.inference.placements import RateRange
from rocpredict.solvers.base import area_under, interpolate_tpr_batch, middle_of_best
from rocpredict.solvers.empirical import EmpiricalSolver
from rocpredict.solvers.thresholds import ThresholdCriterion, utility

_MAX_CHUNK_SIZE = 4_000_000  # numbers at a time, so that a chunk of resamples stays small in memory
_MIN_RESAMPLES = 20
_MAX_RESAMPLES = 10_000_000
_ROUNDING = 1e-12  # of areas that are equal


@dataclass(frozen=True)
class BootstrapOptions:
    """Options of the bootstrap: the same rows, number and seed (or numpy Generator) give the same resamples."""

    n_resamples: Any = 2000
    rng: Seed = 0

    def __post_init__(self) -> None:
        if check_int("n_resamples", self.n_resamples) < _MIN_RESAMPLES:
            raise RocPredictError(f"n_resamples={self.n_resamples!r} is too few; give {_MIN_RESAMPLES} or more")
        if self.n_resamples > _MAX_RESAMPLES:
            raise RocPredictError(f"n_resamples={self.n_resamples!r} is too many; give {_MAX_RESAMPLES:,} or fewer")

    def generator(self) -> np.random.Generator:
        """Return the source of random numbers: of the seed, or the generator itself."""
        return check_seed("rng", self.rng)

    def chunk_sizes(self, row_size: float) -> Iterator[int]:
        """Return numbers of resamples that sum to all of them, each small enough to hold at once."""
        most = max(1, int(_MAX_CHUNK_SIZE // max(row_size, 1)))
        for start in range(0, self.n_resamples, most):
            yield min(most, self.n_resamples - start)

    def resample_counts(
        self, weights: tuple[Any, Any], rows: tuple[int, int], row_size: float = 0
    ) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Return chunks of resamples: how often each row of each class is drawn, shapes (B, rows).

        ``weights`` say how many cases each row stands for (None where it is one); ``row_size`` is how many more numbers
        the caller holds for each resample.
        """
        streams = [np.random.default_rng(seed) for seed in self.generator().integers(0, 2**63, 2)]
        for size in self.chunk_sizes(2 * sum(rows) + row_size):  # a stream for each class: chunks change nothing
            negative, positive = (
                draw_counts(stream, size, w, n) for stream, w, n in zip(streams, weights, rows, strict=True)
            )
            yield negative, positive


def draw_counts(rng: np.random.Generator, size: int, weights: Any, rows: int) -> FloatArray:
    """Draw as many cases as there are, with replacement, ``size`` times: counts of shape (size, rows)."""
    if weights is not None:
        total = float(np.sum(weights))
        cases = max(1, round(total))
        return np.asarray(rng.multinomial(cases, weights / total, size) * (total / cases), dtype=np.float64)
    picked: NDArray[np.int64] = rng.integers(0, rows, (size, rows))
    picked += np.arange(size)[:, None] * rows
    return np.bincount(picked.ravel(), minlength=size * rows).reshape(size, rows).astype(np.float64)


def cumulative_counts(counts: FloatArray) -> FloatArray:
    """Return for each number of leading rows the weight that they hold, shape (B, rows + 1)."""
    total = np.zeros((len(counts), counts.shape[1] + 1))
    np.cumsum(counts, axis=1, out=total[:, 1:])
    return total


def bootstrap_areas(
    negative: Ecdf, positive: Ecdf, rate_range: RateRange | None, resampling: BootstrapOptions
) -> FloatArray:
    """Return the area, or the partial area as a share of its width, in each resample: shape (n_resamples,)."""
    areas = make_area_function(negative, positive, rate_range)
    chunks = [areas(*counts) for counts in _class_counts(negative, positive, resampling)]
    return np.asarray(np.concatenate(chunks) / (1 if rate_range is None else rate_range.width))


def _class_counts(
    negative: Ecdf, positive: Ecdf, resampling: BootstrapOptions
) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Return how often each value of both classes is drawn, a chunk of resamples at a time."""
    rows = len(negative.sorted_sample), len(positive.sorted_sample)
    return resampling.resample_counts((negative.sorted_weights, positive.sorted_weights), rows, 10 * sum(rows))


def make_area_function(
    negative: Ecdf, positive: Ecdf, rate_range: RateRange | None
) -> Callable[[FloatArray, FloatArray], FloatArray]:
    """Return the function from how often each value is drawn to the AUC, or to the partial area, of B resamples."""
    if rate_range is None:
        return make_auc_function(negative, positive)
    points = make_points_function(negative, positive)
    return lambda *counts: points(*counts).area(rate_range)


def make_auc_function(negative: Ecdf, positive: Ecdf) -> Callable[[FloatArray, FloatArray], FloatArray]:
    """Return the function of how often each value, ascending, is drawn, shapes (B, rows), that gives B areas."""
    below, to = count_below(negative.sorted_sample, positive.sorted_sample)

    def areas(negative_counts: FloatArray, positive_counts: FloatArray) -> FloatArray:
        total = cumulative_counts(negative_counts)
        lower = total.take(below, axis=1)
        if to is not below:
            lower += total.take(to, axis=1)
            lower /= 2
        return np.asarray(np.einsum("ij,ij->i", lower, positive_counts) / (total[:, -1] * positive_counts.sum(axis=1)))

    return areas


def percentile_intervals(replicates: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Return the ends of the percentile interval of each column, shape (k,) each."""
    low, high = np.array([percentile_interval(column, level) for column in replicates.T]).T
    return low, high


def percentile_interval(replicates: FloatArray, level: float) -> tuple[float, float]:
    """Return the interval between two quantiles of the replicates (Efron and Tibshirani 1993, section 13.3)."""
    tails = (1 - level) / 2, (1 + level) / 2
    if np.isinf(replicates).any():  # between an infinite value and another there is nothing
        return tuple(float(np.quantile(replicates, t, method="inverted_cdf")) for t in tails)  # type: ignore[return-value]
    low, high = np.quantile(replicates, tails)
    return float(low), float(high)


def bca_interval(replicates: FloatArray, estimate: float, acceleration: float, level: float) -> tuple[float, float]:
    """Return the bias-corrected and accelerated interval (Efron 1987)."""
    tied = np.abs(replicates - estimate) <= _ROUNDING
    below = np.mean(np.where(tied, 0.5, replicates < estimate))
    bias = float(ndtri(np.clip(below, 0.5 / len(replicates), 1 - 0.5 / len(replicates))))
    z = bias + ndtri(np.array([(1 - level) / 2, (1 + level) / 2]))
    low, high = np.quantile(replicates, ndtr(bias + z / (1 - acceleration * z)))
    return float(low), float(high)


_AMEANS_ROUNDING = 1e-14


class BootstrapPoints(NamedTuple):
    """The operating points of a chunk of resamples at the vertices of the sample, shapes (B, vertices)."""

    tpr: FloatArray
    fpr: FloatArray
    out_of_bag_tpr: Callable[[FloatArray], FloatArray]
    out_of_bag_fpr: Callable[[FloatArray], FloatArray]
    """The rate at a vertex, one for each resample, on the rows that were not drawn; NaN where all were."""

    def area(self, rate_range: RateRange) -> FloatArray:
        """Return the area over a range of rates, shape (B,)."""
        if rate_range.axis == "fpr":
            return np.asarray(area_under(self.fpr, self.tpr, rate_range.low, rate_range.high))
        return np.asarray(area_under(self.tpr, 1 - self.fpr, rate_range.low, rate_range.high))


class ResampledThresholds(NamedTuple):
    """Best threshold of each resample, and what it is worth."""

    thresholds: FloatArray
    ameans_oob: FloatArray
    """On the observations that were not drawn; NaN where a class has none."""
    tpr_optimism: float
    tnr_optimism: float
    """Mean of a rate in the resample less that in the sample, at the threshold that the resample chooses."""


def expand_weights(sample: Ecdf) -> Ecdf:
    """Return a sample with whole weights as the repeated rows that it stands for."""
    weights = sample.sorted_weights
    if weights is None or sample.total > MAX_EXPANDED_ROWS or (weights != np.round(weights)).any():
        return sample
    return Ecdf(np.repeat(sample.sorted_sample, weights.astype(np.intp)))


def bootstrap_points(negative: Ecdf, positive: Ecdf, resampling: BootstrapOptions) -> Iterator[BootstrapPoints]:
    """Return the operating points of every resample, a chunk at a time."""
    points = make_points_function(negative, positive)
    return (points(*counts) for counts in _class_counts(negative, positive, resampling))


def make_points_function(negative: Ecdf, positive: Ecdf) -> Callable[[FloatArray, FloatArray], BootstrapPoints]:
    """Return the function that takes how often each value in ascending order is drawn to the operating points."""
    pair = negative, positive
    upper = EmpiricalSolver(negative, positive).points.high
    places = [np.searchsorted(d.sorted_sample, upper, side="left") for d in pair]
    for place, d in zip(places, pair, strict=True):
        place[0] = len(d.sorted_sample)  # the first vertex calls nothing positive, not even an infinite value

    def points(*counts: FloatArray) -> BootstrapPoints:
        shares, left_out = [], []
        for draws, d, place in zip(counts, pair, places, strict=True):
            below = cumulative_counts(draws)
            shares.append((below[:, -1:] - below.take(place, axis=1)) / below[:, -1:])
            left_out.append(_oob_share(draws, d.sorted_weights, place))
        return BootstrapPoints(shares[1], shares[0], left_out[1], left_out[0])

    return points


def bootstrap_tpr(negative: Ecdf, positive: Ecdf, fpr: FloatArray, resampling: BootstrapOptions) -> FloatArray:
    """Return the TPR at some FPRs in each resample: shape (n_resamples, FPRs)."""
    chunks = bootstrap_points(negative, positive, resampling)
    return np.concatenate(
        [np.column_stack([interpolate_tpr_batch(points.fpr, points.tpr, at) for at in fpr]) for points in chunks]
    )


def bootstrap_thresholds(
    negative: Ecdf, positive: Ecdf, criterion: ThresholdCriterion, resampling: BootstrapOptions
) -> ResampledThresholds:
    """Choose the best threshold of each resample, and evaluate it on the sample and on the rows not drawn."""
    sample = EmpiricalSolver(negative, positive).points
    thresholds, ameans, optimism = [], [], np.zeros(2)
    for points in bootstrap_points(negative, positive, resampling):
        best: Any = middle_of_best(_resampled_utility(criterion, points.tpr, points.fpr), _AMEANS_ROUNDING)
        rows = np.arange(len(best))
        thresholds.append(sample.thresholds[best])
        ameans.append((1 + points.out_of_bag_tpr(best) - points.out_of_bag_fpr(best)) / 2)
        optimism += (points.tpr[rows, best] - sample.tpr[best]).sum(), (sample.fpr[best] - points.fpr[rows, best]).sum()
    tpr_optimism, tnr_optimism = (optimism / resampling.n_resamples).tolist()
    return ResampledThresholds(np.concatenate(thresholds), np.concatenate(ameans), tpr_optimism, tnr_optimism)


def _resampled_utility(target: ThresholdCriterion, tpr: FloatArray, fpr: FloatArray) -> FloatArray:
    """Return what a criterion maximises; a function is asked row by row, as it is elsewhere."""
    if not callable(target.criterion):
        return utility(target, Rates(tpr, fpr, 1 - fpr, 1 - tpr, target.prevalence))
    rows = zip(tpr, fpr, strict=True)
    return np.array([utility(target, Rates(t, f, 1 - f, 1 - t, target.prevalence)) for t, f in rows])


def _oob_share(draws: FloatArray, weights: Any, place: Any) -> Callable[[FloatArray], FloatArray]:
    """Return the function that tells the share of the cases not drawn from a vertex on.

    Of a value that stands for w cases and is drawn k times, w (1 - 1/w)^k are left out on the average.
    """

    def share(vertex: Any) -> FloatArray:
        if weights is None:
            below = cumulative_counts((draws == 0).astype(np.float64))
        else:
            below = cumulative_counts(weights * (1 - 1 / np.maximum(weights, 1)) ** draws)
        total = below[:, -1]
        with np.errstate(invalid="ignore"):
            return np.asarray((total - below[np.arange(len(vertex)), place[vertex]]) / total)

    return share
