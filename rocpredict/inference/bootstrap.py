"""Bootstrap of areas, curves and thresholds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtr, ndtri

from rocpredict.base.labels import MAX_EXPANDED_ROWS
from rocpredict.base.progress import report_progress
from rocpredict.base.rates import Rates
from rocpredict.base.validation import FloatArray, RocPredictError, Seed, check_int, check_seed, to_scalar
from rocpredict.distributions.ecdf import Ecdf, count_below, cumulate
from rocpredict.inference.placements import RateRange
from rocpredict.solvers.base import area_under, interpolate_tpr_batch, middle_of_best
from rocpredict.solvers.empirical import EmpiricalSolver
from rocpredict.solvers.thresholds import CHANCE_AMEANS, ThresholdCriterion, utility

_MAX_CHUNK_SIZE = 4_000_000  # largest number of values in a chunk of resamples, to limit memory
_MIN_RESAMPLES = 20
_MAX_RESAMPLES = 10_000_000
_AREA_TOL = 1e-12  # areas that differ by less are treated as equal
_AMEANS_TOL = 1e-14
_BOUND_TOL = 1e-9  # far above the rounding error in the utility of a threshold
_N_BLOCKS, _MIN_BLOCK_SIZE = 1000, 5  # number of blocks of thresholds, and smallest mean number of thresholds in one
_MIN_MERGED = 20  # smallest class whose values may be merged
_MANY_ROWS = 20_000  # with at least this number of observations, the values far from the best threshold are merged
_RARE = 16.0  # thresholds that exceed the sample's best one in a resample with probability exp(-16) or less are omitted
_N_16_BITS = 2**16  # number of values of a random number of 16 bits
_MANY_VALUES, _LARGE_WEIGHT = 500, 100  # with more values, smaller integer weights are not drawn by a multinomial


@dataclass(frozen=True)
class BootstrapOptions:
    """Number of resamples, and the seed or generator of the random numbers; a seed makes the resamples reproducible."""

    n_resamples: Any = 2000
    rng: Seed = 0

    def __post_init__(self) -> None:
        if check_int("n_resamples", self.n_resamples) < _MIN_RESAMPLES:
            raise RocPredictError(f"n_resamples={self.n_resamples!r} is too few; pass {_MIN_RESAMPLES} or more")
        if self.n_resamples > _MAX_RESAMPLES:
            raise RocPredictError(f"n_resamples={self.n_resamples!r} is too many; pass {_MAX_RESAMPLES:,} or fewer")

    def generator(self) -> np.random.Generator:
        """Return the random number generator; if ``rng`` is a seed, a new generator is created at each call."""
        return check_seed("rng", self.rng)

    def streams(self, n_streams: int = 2) -> list[np.random.Generator]:
        """Return independent random generators, by default one for each class."""
        return [np.random.default_rng(seed) for seed in self.generator().integers(0, 2**63, n_streams)]

    def chunk_sizes(self, row_size: float) -> Iterator[int]:
        """Yield the sizes of chunks of resamples that fit into memory; the sizes sum to ``n_resamples``."""
        most = max(1, int(_MAX_CHUNK_SIZE // max(row_size, 1)))
        for start in range(0, self.n_resamples, most):
            size = min(most, self.n_resamples - start)
            yield size
            report_progress(start + size, self.n_resamples)

    def resample_counts(
        self, weights: tuple[Any, Any], rows: tuple[int, int], row_size: float = 0
    ) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Yield chunks of B resamples: per class, an array of shape (B, rows) that counts the draws of each row.

        ``weights`` contains the frequency weights of each class, or None. ``row_size`` is the number of values that the
        caller keeps in memory for each resample, in addition to the counts.
        """
        classes = list(zip(self.streams(), weights, rows, strict=True))
        for size in self.chunk_sizes(2 * sum(rows) + row_size):  # one stream per class: results do not depend on chunks
            negative, positive = (draw_counts(stream, size, w, n) for stream, w, n in classes)
            yield negative, positive


def draw_counts(rng: np.random.Generator, size: int, weights: Any, rows: int) -> NDArray[Any]:
    """Draw ``size`` resamples with replacement, and return how often each row is drawn.

    The result has shape (size, rows).
    """
    if weights is not None:
        total = float(np.sum(weights))
        n_drawn = max(1, round(total))
        if rows > _MANY_VALUES and (weights == np.round(weights)).all():
            return _draw_whole_weights(rng, size, weights)
        return np.asarray(rng.multinomial(n_drawn, weights / total, size) * (total / n_drawn), dtype=np.float64)
    picked: NDArray[np.int64] = rng.integers(0, rows, (size, rows))
    picked += np.arange(size)[:, None] * rows
    return np.bincount(picked.ravel(), minlength=size * rows).reshape(size, rows).astype(np.float64)


def _draw_whole_weights(rng: np.random.Generator, size: int, weights: Any) -> NDArray[np.intp]:
    """Return how often each of many values with integer weights is drawn, shape (size, number of values)."""
    large = weights >= _LARGE_WEIGHT
    small = np.flatnonzero(~large)
    n_equal, total = weights[small].astype(np.intp), weights.sum()
    n_cells = int(n_equal.sum())
    drawn = rng.multinomial(int(total), np.append(weights[large], n_cells) / total, size)
    counts = np.empty((size, len(weights)), dtype=np.intp)
    counts[:, large] = drawn[:, :-1]
    if 0 < n_cells == len(small) == np.ptp(small) + 1:
        _draw_cells(rng, drawn[:, -1], counts[:, small[0] : small[-1] + 1])
    elif n_cells:
        cells = np.empty((size, n_cells), dtype=np.intp)
        _draw_cells(rng, drawn[:, -1], cells)
        counts[:, small] = np.add.reduceat(cells, np.cumsum(n_equal) - n_equal, axis=1)
    return counts


def _draw_cells(rng: np.random.Generator, n_drawn: NDArray[np.int64], out: NDArray[np.intp]) -> None:
    """Write into each row of ``out`` how often each of equally probable cells is drawn.

    A random number of 16 bits is divided by the largest divisor for which every cell is a quotient. All quotients that
    are cells have the same probability. Each other quotient is replaced by a new draw.
    """
    n_cells, n_all = out.shape[1], int(n_drawn.sum())
    if n_cells > _N_16_BITS:
        drawn = rng.integers(0, n_cells, n_all)
    else:
        bits = rng.integers(0, 2**64 - 1, n_all // 4 + 1, np.uint64, endpoint=True).view(np.uint16)
        drawn = bits[:n_all] // (_N_16_BITS // n_cells)
    for row, part in zip(out, np.split(drawn, np.cumsum(n_drawn)[:-1]), strict=True):  # a row fits into the cache
        row[:] = np.bincount(part, minlength=n_cells)[:n_cells]
    missing = n_drawn - out.sum(axis=1)
    again = np.repeat(np.arange(len(out)), missing), rng.integers(0, n_cells, missing.sum())
    np.add.at(out, again, 1)


def expand_weights(sample: Ecdf) -> Ecdf:
    """Return a sample without weights, in which a value with the integer weight w occurs w times.

    A very large sample, or a sample with weights that are not integers, is returned unchanged.
    """
    weights = sample.sorted_weights
    if weights is None or sample.total > MAX_EXPANDED_ROWS or (weights != np.round(weights)).any():
        return sample
    return Ecdf(np.repeat(sample.sorted_sample, weights.astype(np.intp)))


# ---- intervals from replicates
def percentile_interval(replicates: FloatArray, level: float) -> tuple[Any, Any]:
    """Return the bootstrap percentile interval (Efron and Tibshirani 1993, section 13.3).

    ``replicates`` contains the estimates from B resamples. If ``replicates`` has shape (B, k), the limits have shape
    (k,); if ``replicates`` has shape (B,), the limits are floats.
    """
    method: Any = "inverted_cdf" if np.isinf(replicates).any() else "linear"  # infinite values cannot be interpolated
    low, high = np.quantile(replicates, ((1 - level) / 2, (1 + level) / 2), axis=0, method=method)
    return to_scalar(low), to_scalar(high)


def bca_interval(replicates: FloatArray, estimate: float, acceleration: float, level: float) -> tuple[float, float]:
    """Return the bias-corrected and accelerated (BCa) bootstrap interval (Efron 1987)."""
    tied = np.abs(replicates - estimate) <= _AREA_TOL
    below = np.mean(np.where(tied, 0.5, replicates < estimate))
    bias = float(ndtri(np.clip(below, 0.5 / len(replicates), 1 - 0.5 / len(replicates))))
    z = bias + ndtri(np.array([(1 - level) / 2, (1 + level) / 2]))
    low, high = np.quantile(replicates, ndtr(bias + z / (1 - acceleration * z)))
    return float(low), float(high)


# ---- areas and curves of resamples
def make_area_function(
    negative: Ecdf, positive: Ecdf, rate_range: RateRange | None
) -> Callable[[FloatArray, FloatArray], FloatArray]:
    """Return a function that computes the AUC or, with ``rate_range``, the partial area of each of B resamples.

    The returned function takes the arguments described in ``make_auc_function``.
    """
    if rate_range is None:
        return make_auc_function(negative, positive)
    points, (axis, low, high) = make_points_function(negative, positive), rate_range

    def areas(*counts: FloatArray) -> FloatArray:
        tpr, fpr = points(*counts)
        return np.asarray(area_under(fpr, tpr, low, high) if axis == "fpr" else area_under(tpr, 1 - fpr, low, high))

    return areas


def make_auc_function(negative: Ecdf, positive: Ecdf) -> Callable[[FloatArray, FloatArray], FloatArray]:
    """Return a function that computes the AUCs of B resamples.

    The returned function takes one array of shape (B, rows) for each class. This array contains the number of times
    that each of the sorted values occurs in each resample.
    """
    below, to = count_below(negative.sorted_sample, positive.sorted_sample)

    def areas(negative_counts: FloatArray, positive_counts: FloatArray) -> FloatArray:
        total = cumulate(negative_counts)
        lower = total.take(below, axis=1)
        if to is not below:
            lower = (lower + total.take(to, axis=1)) / 2
        return np.asarray(np.einsum("ij,ij->i", lower, positive_counts) / (total[:, -1] * positive_counts.sum(axis=1)))

    return areas


class BootstrapPoints(NamedTuple):
    """TPRs and FPRs of B resamples at the thresholds of the original sample, both of shape (B, vertices)."""

    tpr: FloatArray
    fpr: FloatArray


def make_points_function(negative: Ecdf, positive: Ecdf) -> Callable[[FloatArray, FloatArray], BootstrapPoints]:
    """Return a function that computes the operating points of B resamples.

    The returned function takes the arguments described in ``make_auc_function``.
    """
    places = _vertex_places(EmpiricalSolver(negative, positive))

    def points(*counts: FloatArray) -> BootstrapPoints:
        fpr, tpr = (
            (total[:, -1:] - total.take(place, axis=1)) / total[:, -1:]
            for total, place in zip(map(cumulate, counts), places, strict=True)
        )
        return BootstrapPoints(tpr, fpr)

    return points


def _vertex_places(solver: EmpiricalSolver) -> list[NDArray[np.intp]]:
    """Return, for each class, the number of values below each threshold of the sample."""
    pair = solver.negative, solver.positive
    places = [np.searchsorted(d.sorted_sample, solver.points.high, side="left") for d in pair]
    for place, d in zip(places, pair, strict=True):
        place[0] = len(d.sorted_sample)  # at the first vertex, no observation is predicted positive, not even infinity
    return places


def _class_counts(
    negative: Ecdf, positive: Ecdf, resampling: BootstrapOptions
) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Yield how often each sorted value is drawn, in chunks of resamples: one array per class."""
    rows = len(negative.sorted_sample), len(positive.sorted_sample)
    return resampling.resample_counts((negative.sorted_weights, positive.sorted_weights), rows, 10 * sum(rows))


def bootstrap_areas(
    negative: Ecdf, positive: Ecdf, rate_range: RateRange | None, resampling: BootstrapOptions
) -> FloatArray:
    """Return the AUC of each resample or, with ``rate_range``, the partial area divided by the width of the range."""
    areas = make_area_function(negative, positive, rate_range)
    chunks = [areas(*counts) for counts in _class_counts(negative, positive, resampling)]
    return np.asarray(np.concatenate(chunks) / (1 if rate_range is None else rate_range.width))


def bootstrap_tpr(negative: Ecdf, positive: Ecdf, fpr: FloatArray, resampling: BootstrapOptions) -> FloatArray:
    """Return the TPR at the given FPRs in each resample, as an array of shape (n_resamples, k)."""
    points, chunks = make_points_function(negative, positive), []
    for counts in _class_counts(negative, positive, resampling):
        tpr, curve_fpr = points(*counts)
        chunks.append(np.column_stack([interpolate_tpr_batch(curve_fpr, tpr, at) for at in fpr]))
    return np.concatenate(chunks)


# ---- thresholds of resamples
class ResampledThresholds(NamedTuple):
    """Best threshold of each resample, its out-of-bag Ameans, and the mean optimism over the resamples."""

    thresholds: FloatArray
    ameans_oob: FloatArray
    """Ameans of the out-of-bag observations of each resample; NaN if a class has no out-of-bag observations."""
    optimism: FloatArray
    """Mean optimism of the TPR and of the TNR: the rate in the resample minus the rate in the sample, both at the best
    threshold of the resample."""

    @property
    def mean_oob(self) -> float:
        """Mean of the out-of-bag Ameans; 1/2 if no resample has out-of-bag observations of both classes."""
        defined = self.ameans_oob[~np.isnan(self.ameans_oob)]
        return float(defined.mean()) if defined.size else CHANCE_AMEANS


def bootstrap_thresholds(
    solver: EmpiricalSolver, criterion: ThresholdCriterion, resampling: BootstrapOptions
) -> ResampledThresholds:
    """Find the best threshold of each resample, and evaluate this threshold in the original sample and out of bag.

    If there are many thresholds, the rates of a resample are first computed on a grid of about 1,000 thresholds. The
    rates at two adjacent thresholds of this grid give an upper bound on the utility of every threshold between them.
    Only intervals that may contain the best threshold are then examined. In a large sample, the values far from the
    best threshold are merged before resampling: see ``merge_far_values``.
    """
    merged = merge_far_values(solver, criterion)
    pair, sample, places = (merged.negative, merged.positive), merged.points, _vertex_places(merged)
    last = len(sample.tpr) - 1  # each merged value is a block of its own
    coarse = np.unique(np.append(np.linspace(0, last, _N_BLOCKS + 1), [1, last - 1]).astype(np.intp))
    blocks = [_block_starts(place[coarse], len(d.sorted_sample)) for place, d in zip(places, pair, strict=True)]
    has_bound = criterion.log_price is not None or criterion.criterion == "closest_topleft"
    thresholds, ameans, optimism = [], [], np.zeros(2)
    for counts in _class_counts(*pair, resampling):
        whole = slice(0, len(sample.tpr))
        if has_bound and len(sample.tpr) > _MIN_BLOCK_SIZE * _N_BLOCKS:
            whole = _range_of_best(criterion, counts, blocks, coarse)
        fpr, tpr = (_rates_between(draws, place[whole]) for draws, place in zip(counts, places, strict=True))
        rows: Any = np.arange(len(tpr))
        inner: Any = middle_of_best(_resampled_utility(criterion, tpr, fpr), _AMEANS_TOL)
        best = inner + whole.start
        oob_fpr, oob_tpr = (
            _oob_share(draws, d.sorted_weights, place[best])
            for draws, d, place in zip(counts, pair, places, strict=True)
        )
        thresholds.append(sample.thresholds[best])
        ameans.append((1 + oob_tpr - oob_fpr) / 2)
        optimism += (tpr[rows, inner] - sample.tpr[best]).sum(), (sample.fpr[best] - fpr[rows, inner]).sum()
    return ResampledThresholds(np.concatenate(thresholds), np.concatenate(ameans), optimism / resampling.n_resamples)


def merge_far_values(solver: EmpiricalSolver, criterion: ThresholdCriterion, many: int = _MANY_ROWS) -> EmpiricalSolver:
    """Merge the values that are far from the best threshold into one weighted value on each side of the threshold.

    A threshold other than the sample's best threshold matters only if it can have the higher utility in a resample. Let
    d be the utility of the sample's best threshold minus the utility of the other threshold; d is a mean of independent
    terms. If d is large enough in the sample, then the probability that d is negative in a resample is at most
    exp(-16), by Bernstein's inequality. On each side of the best threshold, let t be the farthest threshold at which d
    is too small for this bound. All values beyond t are merged.

    ``solver`` is returned unchanged if the observations have weights, if the utility is not a weighted sum of TPR and
    TNR, or if both classes together have fewer than ``many`` observations. It is also returned unchanged if one class
    has fewer than 20 observations, because a resample may then contain all of them.
    """
    pair, log_price = (solver.negative, solver.positive), criterion.log_price
    sizes = [len(d.sorted_sample) for d in pair]
    if sum(sizes) < many or min(sizes) < _MIN_MERGED or log_price is None or any(d.weights is not None for d in pair):
        return solver
    points, weights = solver.points, (float(expit(log_price)), float(expit(-log_price)))
    loss = weights[0] * points.fpr - weights[1] * points.tpr
    best = int(loss.argmin())
    loss -= loss[best]
    variance, largest = np.zeros(len(loss)), max(w / n for w, n in zip(weights, sizes, strict=True))
    for rate, weight, size in zip((points.fpr, points.tpr), weights, sizes, strict=True):
        between = np.abs(rate - rate[best])
        variance += weight**2 * between * (1 - between) / size
    possible = np.flatnonzero(loss**2 <= 2 * _RARE * (variance + largest * loss / 3))
    first, last = max(possible[0] - 1, 0), min(possible[-1] + 1, len(loss) - 1)
    below, above = points.low[last], points.high[first]  # the values next to the outermost possible thresholds

    def merge(d: Ecdf, place: NDArray[np.intp]) -> Ecdf:
        start, stop = place[last], place[first]
        counts = np.ones(stop - start + 2)
        counts[0], counts[-1] = start, len(d.sorted_sample) - stop
        values = np.concatenate([[below], d.sorted_sample[start:stop], [above]])
        return Ecdf(values[counts > 0], counts[counts > 0])

    return EmpiricalSolver(*(merge(d, place) for d, place in zip(pair, _vertex_places(solver), strict=True)))


def _range_of_best(
    criterion: ThresholdCriterion,
    counts: tuple[FloatArray, FloatArray],
    blocks: list[tuple[NDArray[np.intp], NDArray[np.intp]]],
    coarse: NDArray[np.intp],
) -> slice:
    """Return a range of vertices that contains the best vertex of every resample; both ends are in ``coarse``."""
    fpr, tpr = (_rates_from(draws, *parts) for draws, parts in zip(counts, blocks, strict=True))
    reached = _resampled_utility(criterion, tpr, fpr)
    most = reached.max(axis=1, keepdims=True)
    most -= _BOUND_TOL * np.maximum(np.abs(most), 1)
    bound = _resampled_utility(criterion, tpr[:, 1:], fpr[:, :-1])  # the rates increase
    inside = (bound >= most).any(axis=0) & (np.diff(coarse) > 1)  # blocks without inner vertices consist of their ends
    best = (reached >= most).any(axis=0)
    best[:-1] |= inside
    best[1:] |= inside
    first, last = np.flatnonzero(best)[[0, -1]]
    return slice(int(coarse[first]), int(coarse[last]) + 1)


def _block_starts(place: NDArray[np.intp], rows: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the first rows of the blocks between the rows in ``place``, and the number of blocks before each place."""
    starts = np.unique(np.append(0, place[place < rows]))
    return starts, np.searchsorted(starts, place)


def _rates_from(draws: FloatArray, starts: NDArray[np.intp], n_before: NDArray[np.intp]) -> FloatArray:
    """Return the fraction of the draws of each resample that are not in the first ``n_before`` blocks."""
    below = cumulate(np.add.reduceat(draws, starts, axis=1))
    return np.asarray((below[:, -1:] - below.take(n_before, axis=1)) / below[:, -1:])


def _rates_between(draws: FloatArray, place: NDArray[np.intp]) -> FloatArray:
    """Return the fraction of the draws of each resample at or after each index in ``place``, for many indices."""
    first, last = int(place[-1]), int(place[0])
    below = cumulate(draws[:, first:last])
    below += draws[:, :first].sum(axis=1, keepdims=True)
    total = below[:, -1:] + draws[:, last:].sum(axis=1, keepdims=True)
    return np.asarray((total - below.take(place - first, axis=1)) / total)


def _resampled_utility(criterion: ThresholdCriterion, tpr: FloatArray, fpr: FloatArray) -> FloatArray:
    """Return the utility of each operating point; if the criterion is a function, it is called once per resample."""
    if not callable(criterion.criterion):
        return utility(criterion, Rates(tpr, fpr, 1 - fpr, 1 - tpr, criterion.prevalence))
    rows = zip(tpr, fpr, strict=True)
    return np.array([utility(criterion, Rates(t, f, 1 - f, 1 - t, criterion.prevalence)) for t, f in rows])


def _oob_share(draws: FloatArray, weights: Any, place: NDArray[np.intp]) -> FloatArray:
    """Return the fraction of the out-of-bag observations at or after ``place`` in each resample; NaN if there are none.

    A value with frequency weight w stands for w equal observations. If the value is drawn k times, the expected number
    of these observations that are out of bag is w (1 - 1/w)^k.
    """
    left_out = draws == 0
    above = np.array([np.count_nonzero(row[start:]) for row, start in zip(left_out, place.tolist(), strict=True)])
    total = np.array([np.count_nonzero(row) for row in left_out])  # faster than with axis=1
    if weights is not None:
        other = np.flatnonzero(weights != 1)
        w = weights[other]
        more = w * (1 - 1 / np.maximum(w, 1)) ** draws[:, other] - left_out[:, other]
        above, total = above + (more * (other >= place[:, None])).sum(axis=1), total + more.sum(axis=1)
    with np.errstate(invalid="ignore"):
        return np.asarray(above / total)
