"""Columns of a screening result, computed for blocks of features."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln, ndtr, ndtri, stdtr

from rocpredict.base.labels import MAX_EXPANDED_ROWS
from rocpredict.base.rates import zero_variance_interval
from rocpredict.base.results import Flags, Interval
from rocpredict.base.validation import ArrayOrFloat, Direction, FloatArray, RocPredictError
from rocpredict.distributions.ecdf import COMPARISON_FPR, MAX_HARMLESS_AREA, Ecdf
from rocpredict.distributions.gaussian import Gaussian
from rocpredict.inference.hypotheses import hypergeometric_p_value, null_auc_variance, tie_correction
from rocpredict.inference.intervals import SmoothedAreas
from rocpredict.inference.placements import compute_placements
from rocpredict.roc.predicted import PredictedRoc
from rocpredict.screening.histograms import to_dense
from rocpredict.screening.kernels.counts import ClassPair, RankStatistics
from rocpredict.screening.kernels.numpy_engine import binormal_tpr
from rocpredict.screening.summary import TwoClassSummary
from rocpredict.solvers.base import EVEN
from rocpredict.solvers.binormal import BinormalSolver, map_blocks, near_z_scores, z_scores
from rocpredict.solvers.empirical import EmpiricalSolver
from rocpredict.solvers.shrinkage import ShrinkageBatch, evaluate_batch
from rocpredict.sources.blocks import map_ordered

_BLOCK = 512
"""Number of features for which the optimism is computed at a time."""
_N_DRAWS, _N_DRAWS_OF_LARGE_CLASSES = 16, 6
"""Number of quasi-random draws for small and for large classes; each draw is used with both signs.

With 30 observations per class, the root mean squared error of the computed optimism is 0.0015. With 16 draws, it is
0.0005 for classes of 200 and 0.0004 for classes of ``_LARGE_CLASS``; with 6 draws, it is 0.0005 for the latter."""
_LARGE_CLASS = 500
"""Number of observations in the smaller class from which fewer draws suffice."""
PREDICTED_ROWS = 8_192
"""Number of features and class pairs that are predicted at a time."""


def prediction_optimism(
    count: tuple[ArrayOrFloat, ArrayOrFloat], d: FloatArray, s0: FloatArray, s1: FloatArray, direction_from_data: bool
) -> FloatArray:
    """Compute by how much, on average, the predicted Ameans exceeds the true Ameans at the predicted threshold.

    This is a parametric bootstrap. Samples are simulated from two Gaussians. These Gaussians differ less than the
    classes in the data, because the difference that is expected from sampling variation alone is subtracted from the
    observed difference. From each sample, a threshold and the Ameans at this threshold are predicted. The predicted
    Ameans is compared with the true Ameans of the two Gaussians at this threshold. The random numbers are fixed, so the
    result is reproducible.

    Parameters
    ----------
    count : pair of float or of arrays of shape F
        Number of observations in each class, (negative, positive); each at least 2.
    d : array of shape F
        Mean of the positives minus mean of the negatives.
    s0, s1 : array of shape F
        Standard deviations of the negatives and of the positives.
    direction_from_data : bool
        Whether the direction of the rule is chosen from each simulated sample.

    Returns
    -------
    array of shape F
    """
    n0, n1 = (np.broadcast_to(np.asarray(n, dtype=np.float64), d.shape) for n in count)

    is_large, excess = np.minimum(n0, n1) >= _LARGE_CLASS, np.zeros(d.shape)

    def mean_excess(*features: FloatArray, draws: FloatArray) -> tuple[FloatArray]:
        return (_sample_optimism(_shrunken_population(*features), draws, direction_from_data).mean(axis=0),)

    with np.errstate(all="ignore"):
        for chosen, n_draws in ((~is_large, _N_DRAWS), (is_large, _N_DRAWS_OF_LARGE_CLASSES)):
            if chosen.any():
                f = partial(mean_excess, draws=_quasi_random_normals(n_draws))
                features = (part[chosen] for part in (d, s0, s1, n0, n1))
                excess[chosen] = map_blocks(f, *features, block=_BLOCK)[0]
        return np.asarray(np.nan_to_num(excess, posinf=0.0, neginf=0.0))


def empirical_optimism(
    count: tuple[ArrayOrFloat, ArrayOrFloat], z0: FloatArray, z1: FloatArray, ratio: FloatArray
) -> FloatArray:
    """Compute the optimism of the empirical Ameans at the best threshold, for well-separated classes.

    To order 1/n, the optimism is the covariance of the estimated threshold with the empirical rates. One observation at
    the threshold shifts the estimated threshold by (z^2 + (z^2 - 1)^2/2)/(n * H). Here, z is the z-score of the
    threshold in the class of this observation, n is the size of this class, and H is the slope of the log density
    ratio. The covariance is the sum of the two shifts, one for each class, multiplied by g/2, where g is the density of
    either class at the best threshold. The covariance diverges as the distributions of the two classes become equal.

    Parameters
    ----------
    count : pair of float or of arrays of shape F
        Number of observations of each class (negative, positive).
    z0, z1 : array of shape F
        z-scores of the best threshold in each class.
    ratio : array of shape F
        Standard deviation of the negatives divided by the standard deviation of the positives.

    Returns
    -------
    array of shape F
    """
    with np.errstate(all="ignore"):
        shifts = [(z * z + (z * z - 1) ** 2 / 2) / n for z, n in zip((z0, z1), count, strict=True)]
        density = np.exp(-z0 * z0 / 2) / np.sqrt(2 * np.pi)
        return np.asarray(
            np.nan_to_num(density / np.abs(z0 - z1 * ratio) * (shifts[0] + shifts[1]) / 2, nan=0.0, posinf=np.inf)
        )


def _shrunken_population(
    d: FloatArray, s0: FloatArray, s1: FloatArray, n0: FloatArray, n1: FloatArray
) -> tuple[FloatArray, ...]:
    """Return two Gaussians that differ less than the classes, as described in ``prediction_optimism``.

    The first Gaussian has mean 0. The result contains the mean of the second Gaussian, the standard deviations of both
    Gaussians, and the class sizes.
    """
    unit = np.sqrt(s0) * np.sqrt(s1)
    gap, ratio = d / unit, np.log(s1) - np.log(s0)
    noise = s0 / s1 / n0 + s1 / s0 / n1
    excess = np.sqrt(np.maximum(gap * gap - noise, 0))
    noise_of_ratio = 0.5 / (n0 - 1) + 0.5 / (n1 - 1)
    shrunk = ratio * np.maximum(1 - noise_of_ratio / (ratio * ratio), 0)
    shrunk = np.where(ratio == 0, 0.0, shrunk)
    return np.copysign(excess, gap), np.exp(-shrunk / 2), np.exp(shrunk / 2), n0, n1


def _sample_optimism(population: tuple[FloatArray, ...], draws: FloatArray, direction_from_data: bool) -> FloatArray:
    """Return the predicted Ameans minus the true Ameans at the same threshold, shape (simulated samples, features)."""
    draw = draws.T[:, :, None]
    distance, w0, w1, n0, n1 = population
    m0, m1 = draw[0] * w0 / np.sqrt(n0), distance + draw[1] * w1 / np.sqrt(n1)
    s0, s1 = w0 * np.exp(draw[2] / np.sqrt(2 * n0 - 2)), w1 * np.exp(draw[3] / np.sqrt(2 * n1 - 2))
    d = m1 - m0
    sign = np.where(d < 0, -1.0, 1.0) if direction_from_data else 1.0
    z0, z1, _, _ = near_z_scores(d, s0, s1, 0.0) if direction_from_data else z_scores(d, s0, s1, np.zeros(()))
    predicted = ndtr(z0) + ndtr(-z1)
    threshold = m0 * sign + s0 * z0
    achieved = ndtr(threshold / w0) + ndtr((distance * sign - threshold) / w1)
    return np.asarray(np.where(np.isfinite(z0), predicted - achieved, 0.0) / 2)


@cache
def _quasi_random_normals(n_draws: int) -> NDArray[np.float64]:
    """Return quasi-random draws of four standard normal variables, with sample mean 0 and identity covariance."""
    step = 1.1673039782614187  # root of x^5 = x + 1; multiples of its powers, modulo 1, fill four dimensions evenly
    uniform = (0.5 + np.outer(np.arange(1, n_draws + 1), step ** -np.arange(1.0, 5.0))) % 1
    half = ndtri(uniform)
    draws = np.concatenate([half, -half])
    return np.asarray(draws @ np.linalg.cholesky(np.linalg.inv(draws.T @ draws / len(draws))))


class GaussianPairs(NamedTuple):
    """Two Gaussians for each feature.

    Attributes
    ----------
    is_valid : array of bool of shape (features,)
        True for features with valid moments in both classes; the Gaussians of other features are arbitrary.
    m0, s0, m1, s1, n0, n1 : array of shape (features,)
        Means, standard deviations and counts of the negatives (0) and of the positives (1).
    lower : array of bool of shape (features,)
        Whether an observation is classified as positive when x <= threshold.
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
        """Number of observations of each class (negative, positive)."""
        return self.n0, self.n1

    def subset(self, features: Any) -> GaussianPairs:
        """Return the Gaussians of the selected features."""
        return GaussianPairs(*(field[features] for field in self))


class Prediction(NamedTuple):
    """Predicted columns, flags and optimism of a set of features."""

    pair: GaussianPairs
    columns: dict[str, Any]
    """Columns that do not depend on the family."""
    model_columns: dict[str, Any]
    """Columns of the Gaussian model. In rows with family "auto", ``shrinkage_columns`` replaces their values; a column
    without a shrunk estimate is NaN in these rows."""
    flags: Flags
    optimism: FloatArray
    """Mean excess of the predicted Ameans over the true Ameans, from ``prediction_optimism``."""
    empirical_optimism: FloatArray
    """Optimism of the empirical Ameans at the best threshold, from ``empirical_optimism``."""

    @staticmethod
    def combine(function: Callable[..., NDArray[Any]], *predictions: Prediction) -> Prediction:
        """Apply a function to each array of a prediction, or to the corresponding arrays of several predictions."""

        def combined(groups: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
            return {name: function(*(group[name] for group in groups)) for name in groups[0]}

        pairs, columns, model_columns, flags, *optimism = zip(*predictions, strict=True)
        return Prediction(
            GaussianPairs(*map(function, *pairs)),
            combined(columns),
            combined(model_columns),
            Flags(**combined(flags)),
            *(function(*parts) for parts in optimism),
        )


def gaussian_pairs(summary: TwoClassSummary, direction: Direction) -> GaussianPairs:
    """Return the Gaussians of a summary; for the direction "auto", the means determine the direction."""
    classes = summary.negative, summary.positive
    is_valid = classes[0].is_valid & classes[1].is_valid
    m0, m1 = (np.where(is_valid, class_summary.mean, 0.0) for class_summary in classes)
    s0, s1 = (np.where(is_valid, class_summary.std, 1.0) for class_summary in classes)
    n0, n1 = (np.where(is_valid, class_summary.count, 2.0) for class_summary in classes)
    lower = m1 < m0 if direction == "auto" else np.full(len(m0), direction == "lower")
    return GaussianPairs(is_valid, m0, s0, m1, s1, n0, n1, lower)


def predict(pair: GaussianPairs, direction: Direction, level: float) -> Prediction:
    """Compute the columns that are predicted from the moments of both classes.

    Parameters
    ----------
    pair : GaussianPairs
        Gaussians of both classes.
    direction : {"auto", None, "higher", "lower"}
        Direction of the rule; see ``screen``.
    level : float
        Confidence level, in (0, 1).
    """
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
    columns = {"effect_size": effect_size(pair), "p_value": welch_p_value(pair)}
    model_columns = {
        "auc": signed.auc(),
        "auc_low": low,
        "auc_high": high,
        "threshold": side * best.threshold,
        "ameans": ameans,
        "ameans_corrected": np.where(is_degenerate, np.nan, np.where(np.isinf(best.threshold), 0.5, ameans - excess)),
        "tpr": best.tpr,
        "fpr": best.fpr,
    }
    valid_columns, valid_model_columns = (
        {name: np.where(pair.is_valid, values, np.nan) for name, values in group.items()}
        for group in (columns, model_columns)
    )
    flags = best.flags | interval.flags | Flags(fallback=is_degenerate)
    valid_flags = Flags(**{name: flags[name] & pair.is_valid for name in flags})
    return Prediction(pair, valid_columns, valid_model_columns, valid_flags, excess, empirical_excess)


def _widen_degenerate(
    pair: GaussianPairs, interval: Interval[Any], level: float
) -> tuple[FloatArray, FloatArray, NDArray[np.bool_]]:
    """Widen the AUC intervals of features with zero variance in a class, and return the mask of these features.

    The widened intervals contain the intervals of ``zero_variance_interval``.
    """
    low, high = np.asarray(interval.low), np.asarray(interval.high)
    for std, count in ((pair.s0, pair.n0), (pair.s1, pair.n1)):
        limits = zero_variance_interval(np.asarray(interval.estimate), (count, count), level)
        low = np.where(std == 0, np.minimum(low, limits[0]), low)
        high = np.where(std == 0, np.maximum(high, limits[1]), high)
    return low, high, (pair.s0 == 0) | (pair.s1 == 0)


def effect_size(pair: GaussianPairs) -> FloatArray:
    """Compute Cohen's d: the difference between the means, divided by the pooled SD; 0 for equal means."""
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = pair.n0 + pair.n1 - 2
        pooled = np.hypot(pair.s0 * np.sqrt((pair.n0 - 1) / freedom), pair.s1 * np.sqrt((pair.n1 - 1) / freedom))
        return np.where(pair.m1 == pair.m0, 0.0, (pair.m1 - pair.m0) / pooled)


def welch_p_value(pair: GaussianPairs) -> FloatArray:
    """Compute the two-sided p-value of Welch's t-test (Welch 1947).

    The null hypothesis is that the means are equal, which implies a predicted AUC of 1/2. If one class has zero
    variance, the result is the larger of this p-value and the p-value of Student's t-test with pooled variance. If both
    classes have zero variance, t is undefined. The p-value is then 2 divided by the number of ways to assign the class
    labels to the observations, but at most 1.
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
    ways = np.log1p(pair.n0 + pair.n1) + betaln(pair.n0 + 1, pair.n1 + 1)  # -log of the number of assignments
    p_value = np.where(unit == 0, np.minimum(2 * np.exp(ways), 1), p_value)
    return np.where(pair.m1 == pair.m0, 1.0, p_value)


_COARSE_FPR = (np.arange(64) + 0.5) / 64
"""FPRs at which the variance of an empirical curve is computed; 64 suffice, since the variance changes slowly."""
_COARSE_PROBIT = ndtri(_COARSE_FPR)
_MAX_SLOPE = 20.0
SCREENING_MISFIT_RATIO = 1.1
"""Limit of the mean squared difference between predicted and empirical curve, as a multiple of its expectation.

If the classes are Gaussian with equal standard deviations, 1% of samples with 5 to several hundred observations per
class exceed this limit. The fraction is 2 to 3% if one standard deviation is three times the other, and 5% if one is
ten times the other. The median of the ratio is 0.3, below 1, since the Gaussians are fitted to the same data. With 1000
or more observations per class, ``MAX_HARMLESS_AREA`` is the stricter limit."""


def misfit(pair: GaussianPairs, empirical: FloatArray, engine: str = "numpy") -> tuple[FloatArray, NDArray[np.bool_]]:
    """Return the area between the empirical and binormal curves, and a mask of the features with a misfit.

    ``empirical`` contains the TPRs of the empirical curves, shape (features, N_FPR). A feature has a misfit if this
    area is above ``MAX_HARMLESS_AREA`` and the curves differ by more than sampling variation explains. For the second
    condition, the mean squared difference between predicted and empirical TPR is compared with the variance of the
    empirical TPR. At a fixed FPR, this variance is TPR * (1 - TPR)/positives + slope^2 * FPR * (1 - FPR)/negatives.
    This variance is averaged over the FPRs.
    """
    module = import_module(f"rocpredict.screening.kernels.{engine}_engine")
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        area, square = module.compare_curves(pair.m1 - pair.m0, pair.s0, pair.s1, empirical)
        is_significant = pair.is_valid & (area > MAX_HARMLESS_AREA)
        is_significant[is_significant] = square[is_significant] > SCREENING_MISFIT_RATIO * _expected_square(
            pair.subset(is_significant)
        )
    return np.where(pair.is_valid, area, np.nan), is_significant


def _expected_square(pair: GaussianPairs) -> FloatArray:
    """Return the sampling variance of the empirical TPR for binormal data, averaged over FPRs."""
    tpr, probit = binormal_tpr(pair.m1 - pair.m0, pair.s0, pair.s1, _COARSE_FPR, _COARSE_PROBIT)
    slope = (pair.s0 / pair.s1)[:, None] * np.exp((_COARSE_PROBIT**2 - probit**2) / 2)
    slope = np.minimum(np.nan_to_num(slope, nan=0.0, posinf=_MAX_SLOPE), _MAX_SLOPE)
    noise = tpr * (1 - tpr) / pair.n1[:, None] + slope**2 * _COARSE_FPR * (1 - _COARSE_FPR) / pair.n0[:, None]
    return np.asarray(np.mean(noise, axis=1))


_MIN_EXPECTED = 5
"""Smallest expected count in a 2 x 2 table for which the normal approximation is used (Cochran 1954)."""
AMEANS_AT_THRESHOLD = "achieved"
"""Key of the column with the empirical Ameans at the predicted threshold, before the correction for optimism."""


def empirical_columns(
    counts: RankStatistics, pair: GaussianPairs, level: float, engine: str = "numpy"
) -> tuple[dict[str, Any], Flags]:
    """Compute the empirical columns of one class pair, and the flags of its features.

    Parameters
    ----------
    counts : RankStatistics
        Rank statistics of one class pair.
    pair : GaussianPairs
        Gaussians of the same features.
    level : float
        Confidence level, in (0, 1).
    engine : {"numpy", "numba"}, default="numpy"
        Computing engine.
    """
    has_both_classes = (counts.negatives > 0) & (counts.positives > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        areas = smoothed_areas(counts)
        low, high = areas.interval(level)
        achieved = _achieved(counts, pair)
    area_between_curves, is_misfit = misfit(pair, counts.tpr_grid, engine)
    columns = {
        "empirical_auc": areas.estimate,
        "empirical_se": areas.std_error,
        "empirical_low": low,
        "empirical_high": high,
        "p_value": mann_whitney_p_value(counts),
        AMEANS_AT_THRESHOLD: np.where(pair.is_valid, achieved, np.nan),
        "misfit": area_between_curves,
    }
    flags = areas.flags | Flags(fallback=areas.is_blind | np.logical_or(*areas.constant_classes))
    row_flags = Flags(**{name: flags[name] & has_both_classes for name in flags}) | Flags(
        misfit=is_misfit & has_both_classes
    )
    return {name: np.where(has_both_classes, values, np.nan) for name, values in columns.items()}, row_flags


def smoothed_areas(counts: RankStatistics) -> SmoothedAreas:
    """Return the empirical AUC of each feature, from which its default confidence interval is computed."""
    sizes = counts.negatives.astype(float), counts.positives.astype(float)
    squares = counts.negative_sum_squares, counts.positive_sum_squares
    return SmoothedAreas.from_sum_squares(counts.area, squares, sizes)


def mann_whitney_p_value(counts: RankStatistics) -> FloatArray:
    """Compute the two-sided p-value of the Mann-Whitney test (Mann and Whitney 1947).

    The normal approximation has a tie correction and no continuity correction. The p-value is 1 if all values are tied.
    If a feature has two distinct values and an expected count is below ``_MIN_EXPECTED`` (Cochran 1954), the p-value is
    exact, as with ``auc_test(method="exact")``.
    """
    variance = null_auc_variance(counts.negatives, counts.positives, counts.ties)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = (counts.area - 0.5) / np.sqrt(variance)
        p_value = np.where(variance > 0, 2 * ndtr(-np.abs(z)), 1.0)
        is_rare, *table = _rare_binary(counts)
    if is_rare.any():
        p_value[is_rare] = hypergeometric_p_value(*(part[is_rare] for part in table))
    return p_value


def _rare_binary(counts: RankStatistics) -> tuple[NDArray[np.bool_], FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return a mask of features with two distinct values and a small expected count, and their 2 x 2 tables.

    A table is described by four numbers of observations: all observations, those in the smaller class, those with the
    rarer value, and those in the smaller class with the rarer value. If a feature has two distinct values, these four
    numbers follow from ``ties`` and ``area``, and the sums of squares follow from the four numbers. A feature with more
    values is recognized because its sums of squares are different. Only 20 of 430,000 small tables with three or four
    values are not recognized; in these tables, all values of one class are equal. A feature with such a table is
    treated as if it had two distinct values.
    """
    sizes = counts.negatives.astype(float), counts.positives.astype(float)
    total, smaller = sizes[0] + sizes[1], np.minimum(*sizes)
    product = (total**3 - total - counts.ties) / (3 * total)  # rare (total - rare)
    root = np.sqrt(np.maximum(total**2 - 4 * product, 0))
    rare = np.round(2 * product / (total + root))
    shift = (2 * counts.area - 1) * sizes[0] * sizes[1]
    is_possible = (rare > 0) & (rare * smaller < _MIN_EXPECTED * total)
    is_possible &= np.abs(rare * (total - rare) - product) <= 1e-9 + 1e-14 * total**2
    is_rare, of_smaller = np.zeros(rare.shape, bool), np.zeros(rare.shape)
    for sign in (1, -1):  # 1 if the rarer value is the larger one, -1 if it is the smaller one
        of_positives = np.round((sizes[1] * rare + sign * shift) / total)
        agrees = is_possible.copy()
        for size, number, squares in (
            (sizes[0], rare - of_positives, counts.negative_sum_squares),
            (sizes[1], of_positives, counts.positive_sum_squares),
        ):
            expected = number * (size - number) / (4 * size)
            agrees &= (number >= 0) & (number <= size) & (np.abs(squares - expected) <= 1e-7 * (1 + expected))
        of_smaller = np.where(agrees, np.where(sizes[1] <= sizes[0], of_positives, rare - of_positives), of_smaller)
        is_rare |= agrees
    return is_rare, total, smaller, rare, of_smaller


def one_sided_p_value(negative: FloatArray, positive: FloatArray, sign: int) -> FloatArray:
    """Compute exact one-sided p-values of the features that ``mann_whitney_p_value`` tests exactly.

    Parameters
    ----------
    negative, positive : array of shape (n0, features), (n1, features)
        Values of both classes; NaN if missing.
    sign : {1, -1}
        1 if the alternative hypothesis states that positives have larger values, -1 for smaller values.

    Returns
    -------
    array of shape (features,)
        p-values; NaN for features that are not tested exactly.
    """
    classes = negative, positive
    low = np.fmin(*(np.fmin.reduce(values, axis=0) for values in classes))
    high = np.fmax(*(np.fmax.reduce(values, axis=0) for values in classes))
    sizes, small, large = (
        [np.asarray(np.sum(mask, axis=0), dtype=np.float64) for mask in masks]
        for masks in zip(*((~np.isnan(values), values == low, values == high) for values in classes), strict=True)
    )
    total, rare = sizes[0] + sizes[1], large[0] + large[1]
    has_two_values = (low < high) & (small[0] + small[1] + rare == total)
    is_flipped = 2 * rare > total  # the smaller value is the rarer one
    rare = np.where(is_flipped, total - rare, rare)
    is_smaller = sizes[1] <= sizes[0]
    size, of_size = (np.where(is_smaller, *pair[::-1]) for pair in (sizes, large))
    observed = np.where(is_flipped, size - of_size, of_size)
    is_exact = has_two_values & (rare * size < _MIN_EXPECTED * total) & (size > 0)
    side = sign * np.where(is_flipped == is_smaller, -1, 1)
    p_value = np.full(len(total), np.nan)
    if is_exact.any():
        p_value[is_exact] = hypergeometric_p_value(*(part[is_exact] for part in (total, size, rare, observed, side)))
    return p_value


def _achieved(counts: RankStatistics, pair: GaussianPairs) -> FloatArray:
    """Return the empirical Ameans, (TPR + TNR)/2, at the predicted threshold."""
    below = counts.negatives_below / counts.negatives, counts.positives_below / counts.positives
    to_negative = (counts.negatives_below + counts.negatives_tied) / counts.negatives
    to_positive = (counts.positives_below + counts.positives_tied) / counts.positives
    return np.where(pair.lower, 0.5 + (to_positive - to_negative) / 2, 0.5 + (below[0] - below[1]) / 2)


RowPair = tuple[NDArray[np.intp], NDArray[np.intp]]
"""Row indices of the negatives and of the positives."""


def count_weighted(
    X: Any, codes: NDArray[Any], class_pairs: Sequence[ClassPair], weights: FloatArray, thresholds: FloatArray
) -> Iterator[tuple[slice, RankStatistics]]:
    """Yield the rank statistics of weighted observations, one feature at a time.

    For observations without weights, ``count_blocks`` computes the same statistics.
    """
    pair_rows = [class_rows(codes, class_pair) for class_pair in class_pairs]
    for feature in range(X.shape[1]):
        x = to_dense(X[:, [feature]])[:, 0]
        counts = [
            _count(x, weights, rows, float(at)) for rows, at in zip(pair_rows, thresholds[:, feature], strict=True)
        ]
        stacked = (np.stack(parts)[:, None] for parts in zip(*counts, strict=True))
        yield slice(feature, feature + 1), RankStatistics(*stacked)


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
    """Return the total weight of the values below a threshold, and of the values equal to it."""
    if np.isnan(threshold):
        return 0.0, 0.0
    below = ecdf.cdf_strict(threshold)
    return below * ecdf.total, (ecdf.cdf(threshold) - below) * ecdf.total


GAUSSIAN_ONLY_FLAGS = ("always_negative", "always_positive", "no_benefit", "misfit")
"""Flags of the Gaussian rule that do not apply to the shrunk estimate."""
_MAX_BLOCK_FEATURES, _MAX_BLOCK_VALUES = 128, 2**20  # limits of a block that is estimated at a time


class ShrinkageBlock(NamedTuple):
    """Shrunk estimates of a set of features, with the indices of these features."""

    columns_index: NDArray[np.intp]
    columns: dict[str, FloatArray]
    flags: Flags


def shrinkage_columns(
    matrix: Any, pair: GaussianPairs, rows: RowPair, direction: Direction, n_jobs: int
) -> Iterator[ShrinkageBlock]:
    """Yield the shrunk estimates for each block of features; features without a Gaussian prediction are skipped.

    Parameters
    ----------
    matrix : array or sparse matrix of shape (n, features)
        Feature values.
    pair : GaussianPairs
        Gaussians of the same features.
    rows : pair of arrays of int
        Row indices of the negatives and of the positives. Each index occurs once or, with weights, as many times as the
        integer weight of its row.
    direction : {"auto", None, "higher", "lower"}
        Direction of the rule; see ``screen``.
    n_jobs : int
        Number of threads.
    """
    options = {"declared": direction in {"higher", "lower"}, "is_chosen": direction == "auto"}

    def work(places: NDArray[np.intp]) -> ShrinkageBlock:
        (negative, positive), lower = _values(matrix, places, pair, rows), bool(pair.lower[places[0]])
        return _shrinkage_block(places, evaluate_batch(negative, positive, lower=lower, **options))

    return map_ordered(work, _blocks(pair), n_jobs)


def class_rows(codes: NDArray[Any], class_pair: ClassPair, weights: FloatArray | None = None) -> RowPair:
    """Return the row indices of the negatives and of the positives.

    Each index occurs once or, with weights, as many times as the integer weight of its row.
    """
    negative, positive = (
        np.flatnonzero(np.isin(codes, class_pair.negative)),
        np.flatnonzero(codes == class_pair.positive),
    )
    if weights is None:
        return negative, positive
    repeats = weights.astype(np.intp)
    return np.repeat(negative, repeats[negative]), np.repeat(positive, repeats[positive])


def check_integer_weights(weights: FloatArray | None) -> None:
    """Raise RocPredictError if the weights are not whole numbers, or if their sum exceeds ``MAX_EXPANDED_ROWS``."""
    if weights is not None and ((weights != np.round(weights)).any() or weights.sum() > MAX_EXPANDED_ROWS):
        raise RocPredictError(
            f"weights are not whole numbers, or their sum exceeds {MAX_EXPANDED_ROWS:,}; pass whole numbers with a sum "
            f"of at most {MAX_EXPANDED_ROWS:,}, or use family='gaussian'"
        )


def _blocks(pair: GaussianPairs) -> Iterator[NDArray[np.intp]]:
    """Yield blocks of features with the same class sizes and the same direction."""
    kinds = np.stack([pair.n0, pair.n1, pair.lower], axis=1).astype(np.int64)
    valid = np.flatnonzero(pair.is_valid)
    for kind in np.unique(kinds[valid], axis=0):
        same_kind = valid[(kinds[valid] == kind).all(axis=1)]
        size = max(1, min(_MAX_BLOCK_FEATURES, _MAX_BLOCK_VALUES // int(kind[0] + kind[1])))
        yield from (same_kind[start : start + size] for start in range(0, len(same_kind), size))


def _values(matrix: Any, places: NDArray[np.intp], pair: GaussianPairs, rows: RowPair) -> list[FloatArray]:
    """Return the values that are not missing in each class, as two arrays of shape (features, values)."""
    columns, result = to_dense(matrix[:, places]).T, []
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
        "auc_low": unknown,  # the interval of the empirical AUC, from the same data, is used instead
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
