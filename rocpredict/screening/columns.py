"""Columns of a screening, computed for blocks of features."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln, ndtr, ndtri, stdtr

from rocpredict.base.labels import MAX_EXPANDED_ROWS
from rocpredict.base.proportions import zero_variance_interval
from rocpredict.base.results import Flags, Interval
from rocpredict.base.validation import ArrayOrFloat, Direction, FloatArray, RocPredictError, as_float_array
from rocpredict.distributions.ecdf import Ecdf
from rocpredict.distributions.gaussian import Gaussian
from rocpredict.distributions.misfit import COMPARISON_FPR, FPR_PROBIT, MAX_HARMLESS_AREA, N_FPR, area_between
from rocpredict.inference.auc import AucBatch, degenerate_flags
from rocpredict.inference.permutation import null_auc_variance, tie_correction
from rocpredict.inference.placements import compute_placements
from rocpredict.roc.predicted import PredictedRoc
from rocpredict.screening.kernels.base import map_ordered
from rocpredict.screening.kernels.counts import ClassPair, RankStatistics
from rocpredict.screening.summary import TwoClassSummary
from rocpredict.solvers.base import EVEN
from rocpredict.solvers.binormal import BinormalSolver, map_blocks, z_scores
from rocpredict.solvers.empirical import EmpiricalSolver
from rocpredict.solvers.shrinkage import ShrinkageBatch, evaluate_batch

_BLOCK = 256  # features at a time
_N_DRAWS = 16  # and as many mirrored ones: optimism to about .004 at 30 cases a class


def prediction_optimism(
    count: tuple[ArrayOrFloat, ArrayOrFloat], d: FloatArray, s0: FloatArray, s1: FloatArray, direction_from_data: bool
) -> FloatArray:
    """Compute the optimism of the predicted Ameans: its mean excess over the Ameans that its threshold achieves.

    A parametric bootstrap: samples of two Gaussians that differ as much as these classes do *beyond* what chance makes
    classes differ, each with its threshold, its prediction, and what that threshold is worth. It takes a fixed set of
    draws, so that it is a function of its arguments.

    Parameters
    ----------
    count : pair of float or of arrays of shape F
        Cases, 2 or more.
    d, s0, s1 : array of shape F
        Mean of the positives less that of the negatives, and the standard deviations.
    direction_from_data : bool
        Whether each sample chooses its direction too.
    """
    n0, n1 = (np.broadcast_to(np.asarray(n, dtype=np.float64), d.shape) for n in count)

    def mean_excess(*features: FloatArray) -> tuple[FloatArray]:
        population = _shrunken_population(*features)
        return (_sample_optimism(population, _quasi_random_normals(), direction_from_data).mean(axis=0),)

    with np.errstate(all="ignore"):
        excess = map_blocks(mean_excess, d, s0, s1, n0, n1, block=_BLOCK)[0]
        return np.asarray(np.nan_to_num(excess, posinf=0.0, neginf=0.0))


def empirical_optimism(
    count: tuple[ArrayOrFloat, ArrayOrFloat], z0: FloatArray, z1: FloatArray, ratio: FloatArray
) -> FloatArray:
    """Compute the optimism of the empirical Ameans at the best threshold, for classes well apart.

    The threshold moves with each case: by (z^2 + (z^2 - 1)^2/2)/(n H) for a case that lies there, H the slope of the
    log density ratio, and each class has the density g there. Up to a half this is the covariance of the threshold
    with the counted rates, the term in 1/n of the optimism. It grows without bound as the classes become alike.

    Parameters
    ----------
    count : pair of float or of arrays of shape F
    z0, z1 : array of shape F
        Of the best threshold within each class.
    ratio : array of shape F
        Standard deviation of the negatives over that of the positives.
    """
    with np.errstate(all="ignore"):
        pulls = [(z * z + (z * z - 1) ** 2 / 2) / n for z, n in zip((z0, z1), count, strict=True)]
        density = np.exp(-z0 * z0 / 2) / np.sqrt(2 * np.pi)
        return np.asarray(
            np.nan_to_num(density / np.abs(z0 - z1 * ratio) * (pulls[0] + pulls[1]) / 2, nan=0.0, posinf=np.inf)
        )


def _shrunken_population(
    d: FloatArray, s0: FloatArray, s1: FloatArray, n0: FloatArray, n1: FloatArray
) -> tuple[FloatArray, ...]:
    """Return two Gaussians, 0 and the second mean, that differ less than the sample does by what chance adds."""
    unit = np.sqrt(s0) * np.sqrt(s1)
    gap, ratio = d / unit, np.log(s1) - np.log(s0)
    noise = s0 / s1 / n0 + s1 / s0 / n1
    excess = np.sqrt(np.maximum(gap * gap - noise, 0))
    noise_of_ratio = 0.5 / (n0 - 1) + 0.5 / (n1 - 1)
    shrunk = ratio * np.maximum(1 - noise_of_ratio / (ratio * ratio), 0)
    shrunk = np.where(ratio == 0, 0.0, shrunk)
    return np.copysign(excess, gap), np.exp(-shrunk / 2), np.exp(shrunk / 2), n0, n1


def _sample_optimism(population: tuple[FloatArray, ...], draws: FloatArray, direction_from_data: bool) -> FloatArray:
    """Return the predicted less the achieved Ameans of each simulated sample, shape (samples, features)."""
    draw = draws.T[:, :, None]
    distance, w0, w1, n0, n1 = population
    m0, m1 = draw[0] * w0 / np.sqrt(n0), distance + draw[1] * w1 / np.sqrt(n1)
    s0, s1 = w0 * np.exp(draw[2] / np.sqrt(2 * n0 - 2)), w1 * np.exp(draw[3] / np.sqrt(2 * n1 - 2))
    d = m1 - m0
    sign = np.where(d < 0, -1.0, 1.0) if direction_from_data else 1.0
    z0, z1, _, _ = z_scores(d * sign, s0, s1, np.zeros(()))
    predicted = ndtr(z0) + ndtr(-z1)
    threshold = m0 * sign + s0 * z0
    achieved = ndtr(threshold / w0) + ndtr((distance * sign - threshold) / w1)
    return np.asarray(np.where(np.isfinite(z0), predicted - achieved, 0.0) / 2)


@cache
def _quasi_random_normals() -> NDArray[np.float64]:
    """Return draws of four standard normals that fill their space evenly, with mean 0 and covariance 1 exactly."""
    step = 1.1673039782614187  # root of x^5 = x + 1: its powers fill four dimensions most evenly
    uniform = (0.5 + np.outer(np.arange(1, _N_DRAWS + 1), step ** -np.arange(1.0, 5.0))) % 1
    half = ndtri(uniform)
    draws = np.concatenate([half, -half])
    return np.asarray(draws @ np.linalg.cholesky(np.linalg.inv(draws.T @ draws / len(draws))))


class GaussianPairs(NamedTuple):
    """Two Gaussians for each feature; where moments cannot be had, any two, and ``is_valid`` is False.

    Attributes
    ----------
    is_valid : array of bool of shape (features,)
    m0, s0, m1, s1, n0, n1 : array of shape (features,)
        Means, standard deviations and counts.
    lower : array of bool of shape (features,)
        Where the rule is "positive when x <= threshold".
    """

    is_valid: NDArray[np.bool_]
    m0: FloatArray
    s0: FloatArray
    m1: FloatArray
    s1: FloatArray
    n0: FloatArray
    n1: FloatArray
    lower: NDArray[np.bool_]

    @property
    def sizes(self) -> tuple[FloatArray, FloatArray]:
        """Cases of the (negative, positive) class."""
        return self.n0, self.n1

    def subset(self, features: Any) -> GaussianPairs:
        """Return the pair of some features."""
        return GaussianPairs(*(field[features] for field in self))


class Prediction(NamedTuple):
    """Columns of some features that follow from moments alone, and their optimism."""

    pair: GaussianPairs
    columns: dict[str, Any]
    flags: Flags
    optimism: FloatArray
    """Mean excess of the predicted over the achieved Ameans."""
    empirical_optimism: FloatArray
    """The same of an Ameans counted at the threshold, for classes well apart."""


def _gaussian_pairs(summary: TwoClassSummary, direction: Direction) -> GaussianPairs:
    """Return the Gaussians of a summary, and the direction of each rule: as declared, or by the means."""
    classes = summary.negative, summary.positive
    is_valid = classes[0].is_valid & classes[1].is_valid
    m0, m1 = (np.where(is_valid, class_summary.mean, 0.0) for class_summary in classes)
    s0, s1 = (np.where(is_valid, class_summary.std, 1.0) for class_summary in classes)
    n0, n1 = (np.where(is_valid, class_summary.count, 2.0) for class_summary in classes)
    lower = m1 < m0 if direction == "auto" else np.full(len(m0), direction == "lower")
    return GaussianPairs(is_valid, m0, s0, m1, s1, n0, n1, lower)


def predict(summary: TwoClassSummary, direction: Direction, level: float) -> Prediction:
    """Compute the columns that need moments only."""
    pair = _gaussian_pairs(summary, direction)
    signed = PredictedRoc(Gaussian(pair.m0, pair.s0), Gaussian(pair.m1, pair.s1), count=pair.sizes)
    interval = signed.auc_interval(level)
    side = np.where(pair.lower, -1.0, 1.0)
    solver = BinormalSolver(Gaussian(side * pair.m0, pair.s0), Gaussian(side * pair.m1, pair.s1))
    best = solver.optimal(EVEN)
    z0, z1, _, _ = solver.crossing_z_scores(EVEN)
    with np.errstate(over="ignore"):
        distance = side * pair.m1 - side * pair.m0
    excess = prediction_optimism(pair.sizes, distance, pair.s0, pair.s1, direction == "auto")
    with np.errstate(divide="ignore", invalid="ignore"):
        empirical_excess = empirical_optimism(pair.sizes, z0, z1, pair.s0 / pair.s1)
    ameans = best.tpr / 2 + best.tnr / 2
    low, high, is_degenerate = _widen_degenerate(pair, interval, level)
    columns = {
        "effect_size": effect_size(pair),
        "auc": signed.auc(),
        "auc_low": low,
        "auc_high": high,
        "p_value": welch_p_value(pair),
        "threshold": side * best.threshold,
        "ameans": ameans,
        "ameans_corrected": np.where(is_degenerate, np.nan, np.where(np.isinf(best.threshold), 0.5, ameans - excess)),
        "tpr": best.tpr,
        "fpr": best.fpr,
    }
    valid_columns = {name: np.where(pair.is_valid, values, np.nan) for name, values in columns.items()}
    flags = best.flags | interval.flags | Flags(fallback=is_degenerate)
    return Prediction(
        pair, valid_columns, Flags(**{name: flags[name] & pair.is_valid for name in flags}), excess, empirical_excess
    )


def _widen_degenerate(
    pair: GaussianPairs, interval: Interval[Any], level: float
) -> tuple[FloatArray, FloatArray, NDArray[np.bool_]]:
    """Widen intervals where one class shows no spread, by how many of its cases may be unlike those seen."""
    low, high = np.asarray(interval.low), np.asarray(interval.high)
    for std, count in ((pair.s0, pair.n0), (pair.s1, pair.n1)):
        limits = zero_variance_interval(np.asarray(interval.estimate), (count, count), level)
        low = np.where(std == 0, np.minimum(low, limits[0]), low)
        high = np.where(std == 0, np.maximum(high, limits[1]), high)
    return low, high, (pair.s0 == 0) | (pair.s1 == 0)


def effect_size(pair: GaussianPairs) -> FloatArray:
    """Compute Cohen's d: the difference of means over the pooled standard deviation; 0 for classes alike."""
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = pair.n0 + pair.n1 - 2
        pooled = np.hypot(pair.s0 * np.sqrt((pair.n0 - 1) / freedom), pair.s1 * np.sqrt((pair.n1 - 1) / freedom))
        return np.where(pair.m1 == pair.m0, 0.0, (pair.m1 - pair.m0) / pooled)


def welch_p_value(pair: GaussianPairs) -> FloatArray:
    """Compute the two-sided p of equal means, which for Gaussians is a predicted AUC of 1/2 (Welch 1947).

    Where one class shows no spread its own says nothing of how much it has: p is then no smaller than Student's, of one
    spread for both. Without any spread there is no t: p is that of the least likely order of the cases, all of one
    class first.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
        unit = np.maximum(pair.s0, pair.s1)
        parts = [(s / unit) ** 2 / n for s, n in ((pair.s0, pair.n0), (pair.s1, pair.n1))]
        error = parts[0] + parts[1]
        t = (pair.m1 - pair.m0) / unit / np.sqrt(error)
        freedom = error**2 / (parts[0] ** 2 / (pair.n0 - 1) + parts[1] ** 2 / (pair.n1 - 1))
        p_value = 2 * stdtr(freedom, -np.abs(t))
        is_degenerate = (pair.s0 == 0) | (pair.s1 == 0)
        freedom = pair.n0[is_degenerate] + pair.n1[is_degenerate] - 2
        pooled = effect_size(pair.subset(is_degenerate)) / np.sqrt(
            1 / pair.n0[is_degenerate] + 1 / pair.n1[is_degenerate]
        )
        p_value[is_degenerate] = np.maximum(p_value[is_degenerate], 2 * stdtr(freedom, -np.abs(pooled)))
    ways = np.log1p(pair.n0 + pair.n1) + betaln(pair.n0 + 1, pair.n1 + 1)  # one over the number of orders
    p_value = np.where(unit == 0, np.minimum(2 * np.exp(ways), 1), p_value)
    return np.where(pair.m1 == pair.m0, 1.0, p_value)


_COARSE_FPR = (np.arange(64) + 0.5) / 64
"""FPRs at which the sampling variance of an empirical curve is evaluated, which is smooth."""
_COARSE_PROBIT = ndtri(_COARSE_FPR)
_MAX_SLOPE = 20.0
_MISFIT_BLOCK = 64
"""Features whose curves are compared together, so that the TPRs stay in the cache."""
SCREENING_MISFIT_RATIO = 1.1
"""Ratio of the mean square distance to its expectation that 1 of 100 samples of two Gaussians exceeds.

It is 0.3 in the middle, since the Gaussians were fitted to the same rows. For equal spreads the level holds from 5 to
some hundred cases a class; with one spread three times the other it is exceeded in 2 to 3 of 100, with ten times in 5.
From 1000 cases on the distance that is tolerated decides."""


def misfit(pair: GaussianPairs, empirical: FloatArray) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Return the area between empirical curves and those of two Gaussians, and whether it exceeds chance.

    The empirical curves are TPRs of shape (features, N_FPR).
    The mean square of TPR predicted - TPR empirical is compared with the variance of an empirical curve about a given
    one, TPR (1 - TPR)/positives + slope^2 FPR (1 - FPR)/negatives.
    """
    area, square = np.empty((2, len(empirical)))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        for start in range(0, len(empirical), _MISFIT_BLOCK):
            block = slice(start, start + _MISFIT_BLOCK)
            with np.errstate(under="ignore"):
                predicted, _ = _binormal_tpr(pair.subset(block), COMPARISON_FPR, FPR_PROBIT)
                area[block] = area_between(predicted, empirical[block])
                predicted -= empirical[block]
                square[block] = np.vecdot(predicted, predicted) / N_FPR
        is_significant = pair.is_valid & (area > MAX_HARMLESS_AREA)
        is_significant[is_significant] = square[is_significant] > SCREENING_MISFIT_RATIO * _expected_square(
            pair.subset(is_significant)
        )
    return np.where(pair.is_valid, area, np.nan), is_significant


def _expected_square(pair: GaussianPairs) -> FloatArray:
    """Return the variance of an empirical curve about the given one, averaged over the FPRs."""
    tpr, probit = _binormal_tpr(pair, _COARSE_FPR, _COARSE_PROBIT)
    slope = (pair.s0 / pair.s1)[:, None] * np.exp((_COARSE_PROBIT**2 - probit**2) / 2)
    slope = np.minimum(np.nan_to_num(slope, nan=0.0, posinf=_MAX_SLOPE), _MAX_SLOPE)
    noise = tpr * (1 - tpr) / pair.n1[:, None] + slope**2 * _COARSE_FPR * (1 - _COARSE_FPR) / pair.n0[:, None]
    return np.asarray(np.mean(noise, axis=1))


def _binormal_tpr(pair: GaussianPairs, fpr: FloatArray, fpr_probit: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the TPR of two Gaussians, shape (features, m), and its probit; FPR where both are one point."""
    probit = ((pair.m1 - pair.m0)[:, None] + pair.s0[:, None] * fpr_probit) / pair.s1[:, None]
    tpr = ndtr(probit)
    np.copyto(tpr, fpr, where=np.isnan(tpr))
    return tpr, probit


AMEANS_AT_THRESHOLD = "achieved"
"""The Ameans that the rows have at the predicted threshold: what the honest value starts from."""


def empirical_columns(counts: RankStatistics, pair: GaussianPairs, level: float) -> tuple[dict[str, Any], Flags]:
    """Compute the columns of one class pair that need counts, and their flags.

    Parameters
    ----------
    counts : RankStatistics
        Of one class pair; arrays of shape (features,).
    pair : Pair
        The Gaussians of the same features.
    level : float
    """
    has_both_classes = (counts.negatives > 0) & (counts.positives > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        sizes = counts.negatives.astype(float), counts.positives.astype(float)
        areas = AucBatch(counts.area, sizes, (counts.negative_sum_squares, counts.positive_sum_squares))
        std_error, is_degenerate = areas.std_error()
        low, high = areas.smoothed.interval(level)
        achieved = _achieved(counts, pair)
    area_between_curves, is_misfit = misfit(pair, counts.tpr_grid)
    columns = {
        "empirical_auc": areas.estimate,
        "empirical_se": std_error,
        "empirical_low": low,
        "empirical_high": high,
        "p_value": mann_whitney_p_value(counts),
        AMEANS_AT_THRESHOLD: np.where(pair.is_valid, achieved, np.nan),
        "misfit": area_between_curves,
    }
    flags = degenerate_flags(areas) | Flags(fallback=is_degenerate | np.logical_or(*areas.constant_classes))
    row_flags = Flags(**{name: flags[name] & has_both_classes for name in flags}) | Flags(
        misfit=is_misfit & has_both_classes
    )
    return {name: np.where(has_both_classes, values, np.nan) for name, values in columns.items()}, row_flags


def mann_whitney_p_value(counts: RankStatistics) -> FloatArray:
    """Compute the two-sided p of equal distributions: normal, corrected for ties, without continuity correction.

    1 where all values are tied. (Mann and Whitney 1947.)
    """
    variance = null_auc_variance(counts.negatives, counts.positives, counts.ties)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = (counts.area - 0.5) / np.sqrt(variance)
    return np.where(variance > 0, 2 * ndtr(-np.abs(z)), 1.0)


def _achieved(counts: RankStatistics, pair: GaussianPairs) -> FloatArray:
    """Return the Ameans that the rows have at the predicted threshold: (TPR + TNR)/2 by counting."""
    below = counts.negatives_below / counts.negatives, counts.positives_below / counts.positives
    to_negative = (counts.negatives_below + counts.negatives_tied) / counts.negatives
    to_positive = (counts.positives_below + counts.positives_tied) / counts.positives
    return np.where(pair.lower, 0.5 + (to_positive - to_negative) / 2, 0.5 + (below[0] - below[1]) / 2)


RowPair = tuple[NDArray[np.intp], NDArray[np.intp]]
"""Rows of the negatives and of the positives."""


def count_weighted(
    X: Any,
    codes: NDArray[Any],
    class_pairs: Sequence[ClassPair],
    weights: FloatArray,
    thresholds: FloatArray,
) -> Iterator[tuple[slice, RankStatistics]]:
    """Count one feature after the other as ``count_blocks`` does, each row as often as its weight."""
    pair_rows = [class_rows(codes, class_pair) for class_pair in class_pairs]
    for feature in range(X.shape[1]):
        x = _columns_of(X, [feature])[:, 0]
        counts = [
            _count(x, weights, rows, float(at)) for rows, at in zip(pair_rows, thresholds[:, feature], strict=True)
        ]
        stacked = (np.stack(parts)[:, None] for parts in zip(*counts, strict=True))
        yield slice(feature, feature + 1), RankStatistics(*stacked)


def _columns_of(X: Any, features: Any) -> FloatArray:
    """Return some features of an array or sparse matrix as a dense array of float64."""
    selection = X[:, features]
    return as_float_array("X", np.asarray(selection.toarray() if hasattr(selection, "toarray") else selection))


def _count(x: FloatArray, weights: FloatArray, class_pair_rows: RowPair, threshold: float) -> tuple[Any, ...]:
    valid_rows = [rows[~np.isnan(x[rows]) & (weights[rows] > 0)] for rows in class_pair_rows]
    totals = [weights[rows].sum() for rows in valid_rows]
    if not min(map(len, valid_rows)):
        return (*totals, np.nan, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, np.full(len(COMPARISON_FPR), np.nan))
    negative, positive = (Ecdf(x[rows], weights[rows]) for rows in valid_rows)
    placements = compute_placements(negative, positive)
    scatters = (
        float(class_placements.sum_squares(placements.estimate))
        for class_placements in (placements.negative, placements.positive)
    )
    ties = tie_correction(negative, positive)
    about = (*_weight_around(negative, threshold), *_weight_around(positive, threshold))
    tpr_values = EmpiricalSolver(negative, positive).along("fpr", COMPARISON_FPR)
    return (*totals, float(placements.estimate), *scatters, ties, *about, tpr_values)


def _weight_around(ecdf: Ecdf, threshold: float) -> tuple[float, float]:
    """Return the weight below a threshold, and at it."""
    if np.isnan(threshold):
        return 0.0, 0.0
    below = ecdf.cdf_strict(threshold)
    return below * ecdf.total, (ecdf.cdf(threshold) - below) * ecdf.total


GAUSSIAN_ONLY_FLAGS = ("always_negative", "always_positive", "no_benefit", "misfit")
"""Flags of the Gaussian rule that say nothing of the estimate."""
_MAX_BLOCK_FEATURES, _MAX_BLOCK_VALUES = 128, 2**20  # that are estimated together


class ShrinkageBlock(NamedTuple):
    """Columns of some features, with the places of these features."""

    columns_index: NDArray[np.intp]
    columns: dict[str, FloatArray]
    flags: Flags


def shrinkage_columns(
    matrix: Any, pair: GaussianPairs, rows: RowPair, direction: Direction, n_jobs: int
) -> Iterator[ShrinkageBlock]:
    """Compute the columns of the features that have a prediction, block by block.

    Parameters
    ----------
    matrix : array or sparse matrix of shape (n, features)
    pair : GaussianPairs
        The Gaussians of the same features.
    rows : pair of arrays of int
        Rows of the negatives and of the positives, each as often as its weight.
    direction : {"auto", None, "higher", "lower"}
    n_jobs : int
    """
    declared = direction in {"higher", "lower"}

    def work(places: NDArray[np.intp]) -> ShrinkageBlock:
        (negative, positive), lower = _values(matrix, places, pair, rows), bool(pair.lower[places[0]])
        return _shrinkage_block(places, evaluate_batch(negative, positive, lower=lower, declared=declared))

    return map_ordered(work, _blocks(pair), n_jobs)


def class_rows(codes: NDArray[Any], class_pair: ClassPair, weights: FloatArray | None = None) -> RowPair:
    """Return the rows of the negatives and of the positives, each as often as its weight."""
    negative, positive = (
        np.flatnonzero(np.isin(codes, class_pair.negative)),
        np.flatnonzero(codes == class_pair.positive),
    )
    if weights is None:
        return negative, positive
    repeats = weights.astype(np.intp)
    return np.repeat(negative, repeats[negative]), np.repeat(positive, repeats[positive])


def check_integer_weights(weights: FloatArray | None) -> None:
    """Refuse weights that cannot be written out as rows."""
    if weights is not None and ((weights != np.round(weights)).any() or weights.sum() > MAX_EXPANDED_ROWS):
        raise RocPredictError(
            f"weights are not whole, or sum to more than {MAX_EXPANDED_ROWS:,}; family='auto' needs numbers of cases"
        )


def _blocks(pair: GaussianPairs) -> Iterator[NDArray[np.intp]]:
    """Return features with as many values in each class and the same direction, as many as are worked on together."""
    kinds = np.stack([pair.n0, pair.n1, pair.lower], axis=1).astype(np.int64)
    valid = np.flatnonzero(pair.is_valid)
    for kind in np.unique(kinds[valid], axis=0):
        same_kind = valid[(kinds[valid] == kind).all(axis=1)]
        size = max(1, min(_MAX_BLOCK_FEATURES, _MAX_BLOCK_VALUES // int(kind[0] + kind[1])))
        yield from (same_kind[start : start + size] for start in range(0, len(same_kind), size))


def _values(matrix: Any, places: NDArray[np.intp], pair: GaussianPairs, rows: RowPair) -> list[FloatArray]:
    """Return the values of both classes that are not missing, in their order, shape (features, values)."""
    columns, result = _columns_of(matrix, places).T, []
    for class_members, sizes in zip(rows, pair.sizes, strict=True):
        values, count = columns[:, class_members], int(sizes[places[0]])
        if count < values.shape[1]:
            order = np.argsort(np.isnan(values), axis=1, kind="stable")[:, :count]
            values = np.take_along_axis(values, order, axis=1)
        result.append(np.ascontiguousarray(values))
    return result


def _shrinkage_block(places: NDArray[np.intp], batch: ShrinkageBatch) -> ShrinkageBlock:
    rule, unknown, is_infinite = batch.rule, np.full(len(places), np.nan), np.isinf(batch.threshold)
    columns = {
        "auc": batch.auc,
        "auc_low": unknown,  # the empirical interval is that of the same data
        "auc_high": unknown,
        "threshold": batch.threshold,
        "ameans": rule.ameans,
        "ameans_corrected": rule.ameans,
        "tpr": rule.tpr,
        "fpr": 1 - rule.tnr,
        "misfit": batch.area_between,
        "model_weight": 1 - batch.data_weight,
    }
    flags = Flags(
        always_negative=is_infinite & (rule.tpr == 0),
        always_positive=is_infinite & (rule.tpr == 1),
        no_benefit=is_infinite,
        perfect_separation=rule.is_separated,
    )
    return ShrinkageBlock(places, columns, flags)
