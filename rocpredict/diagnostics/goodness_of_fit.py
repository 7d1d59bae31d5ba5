"""Goodness of fit of class distributions, with p-values from a parametric bootstrap."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import nan, sqrt
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtri, ndtri

from rocpredict.base.progress import track
from rocpredict.base.results import Interval, Result
from rocpredict.base.validation import ArrayOrFloat, FloatArray, RocPredictError
from rocpredict.distributions.base import Distribution
from rocpredict.distributions.ecdf import COMPARISON_FPR, Ecdf, area_between, empirical_tpr
from rocpredict.distributions.gaussian import Gaussian, add_grid_axis
from rocpredict.distributions.normality import sample_moments, skewness_z
from rocpredict.inference.bootstrap import BootstrapOptions
from rocpredict.inference.expected import orient_classes
from rocpredict.inference.parametric import PairFit
from rocpredict.roc.base import Roc
from rocpredict.roc.predicted import PredictedRoc
from rocpredict.solvers.families import solver_for

_MIN_COUNT_FOR_Z = 8
_OUTLIER_IQR_FACTOR = 3  # a value further than this from a quartile, in interquartile ranges, is an outlier


@dataclass(frozen=True, eq=False, repr=False)
class ClassDescription(Result):
    """Descriptive statistics of one class, with goodness-of-fit measures of its fitted distribution.

    Attributes
    ----------
    count : int
        Number of observations.
    mean, std : float
        Mean and standard deviation (ddof=1), in the unit of the feature.
    skewness, skewness_se, skewness_z : float
        Skewness G1 (unbiased for a normal class), its standard error for a normal class, and its z-score (D'Agostino
        1970). All three are NaN if all values are equal. The skewness and its standard error are NaN for fewer than 3
        observations, and the z-score is NaN for fewer than 8.
    kurtosis, kurtosis_se, kurtosis_z : float
        Excess kurtosis G2, its standard error and its z-score (Anscombe and Glynn 1983). All three are NaN if all
        values are equal. The kurtosis and its standard error are NaN for fewer than 4 observations, and the z-score is
        NaN for fewer than 8.
    minimum, maximum : float
        Smallest and largest value.
    n_unique : int
        Number of distinct values.
    mode, mode_fraction, mode_count : float, float, int
        Most frequent value (the lowest if several are equally frequent), and the fraction and number of observations
        with this value.
    fraction_at_minimum, fraction_at_maximum, fraction_at_zero : float
        Fractions of observations equal to the minimum, to the maximum, and to 0.
    outliers : float
        Fraction of observations that are more than 3 interquartile ranges below the lower or above the upper quartile.
    ks : float
        Kolmogorov-Smirnov statistic: largest absolute difference between the fitted and the empirical distribution
        functions.
    anderson_darling : float
        Anderson-Darling statistic A^2 of the fitted distribution; inf if a value is impossible under this distribution.
    p_value : float
        p-value of A^2, computed by a parametric bootstrap.
    """

    count: int
    mean: float
    std: float
    skewness: float
    skewness_se: float
    skewness_z: float
    kurtosis: float
    kurtosis_se: float
    kurtosis_z: float
    minimum: float
    maximum: float
    n_unique: int
    mode: float
    mode_fraction: float
    mode_count: int
    fraction_at_minimum: float
    fraction_at_maximum: float
    fraction_at_zero: float
    outliers: float
    ks: float
    anderson_darling: float
    p_value: float
    _text = (
        "count={count}, mean={mean:.6g}, std={std:.6g}, skewness={skewness:.4g}, "
        "kurtosis={kurtosis:.4g}, n_unique={n_unique}, p_value={p_value:.2g}"
    )
    _heading = "Shape of one class"

    @property
    def constant(self) -> bool:
        """Return whether all values are equal."""
        return self.n_unique == 1


def describe_classes(
    roc: Roc, rows: tuple[FloatArray, FloatArray], observed: GoodnessOfFit, p: GoodnessOfFit
) -> list[ClassDescription]:
    """Describe both classes; for direction "lower", the measures of fit are computed from -x."""
    samples = sort_by_direction(roc, *rows)
    fits = zip(orient_classes(roc), samples, observed[:2], p[:2], strict=True)
    return [
        _describe(np.sort(values), ks_statistic(distribution, Ecdf(mirrored)), a_squared, p_value)
        for values, (distribution, mirrored, a_squared, p_value) in zip(rows, fits, strict=True)
    ]


def _describe(values: FloatArray, ks: float, anderson_darling: float, p_value: float) -> ClassDescription:
    """Describe one class from two or more values in ascending order."""
    distinct, counts = np.unique(values, return_counts=True)
    most = int(np.argmax(counts))
    exponent = int(np.frexp(max(abs(values[0]), abs(values[-1])))[1])
    scaled = np.ldexp(values, -exponent)  # to avoid overflow
    moments = sample_moments(scaled)
    low, high = np.quantile(scaled, [0.25, 0.75])
    fence = _OUTLIER_IQR_FACTOR * (high - low)
    return ClassDescription(
        count=len(values),
        mean=float(np.ldexp(moments.mean, exponent)),
        std=float(np.ldexp(moments.std, exponent)),
        **_skewness(moments.skewness, len(values), constant=moments.std == 0),
        **_kurtosis(moments.kurtosis, len(values), constant=moments.std == 0),
        minimum=float(values[0]),
        maximum=float(values[-1]),
        n_unique=len(distinct),
        mode=float(distinct[most]),
        mode_fraction=float(counts[most] / len(values)),
        mode_count=int(counts[most]),
        fraction_at_minimum=float(counts[0] / len(values)),
        fraction_at_maximum=float(counts[-1] / len(values)),
        fraction_at_zero=float(np.mean(values == 0)),
        outliers=float(np.mean((scaled < low - fence) | (scaled > high + fence))),
        ks=ks,
        anderson_darling=0.0 if len(distinct) == 1 else float(anderson_darling),
        p_value=p_value,
    )


def std_ratio(negative: ClassDescription, positive: ClassDescription, level: float = 0.95) -> Interval:
    """Return the SD ratio (positives divided by negatives), with an interval from the F distribution.

    For a class with positive excess kurtosis, the degrees of freedom n - 1 are divided by 1 + kurtosis/2. For a
    heavy-tailed distribution, the sample variance varies more than for a normal distribution (Shoemaker 2003). If a
    class has zero variance, the interval is [0, inf].
    """
    if negative.constant or positive.constant:
        estimate = nan if negative.constant and positive.constant else float("inf") if negative.constant else 0.0
        return Interval(0.0, float("inf"), level, "F", estimate)
    ratio = positive.std / negative.std
    freedom = [(c.count - 1) / (1 + max(np.nan_to_num(c.kurtosis), 0.0) / 2) for c in (positive, negative)]
    tails = (1 + level) / 2, (1 - level) / 2
    low, high = (ratio / sqrt(fdtri(*freedom, tail)) for tail in tails)
    return Interval(low, high, level, "F", ratio)


def _skewness(moment: float, count: int, *, constant: bool) -> dict[str, float]:
    """Return the skewness G1, its standard error and its z-score; ``moment`` is the skewness g1."""
    n = float(count)
    is_defined = count >= 3 and not constant
    se = sqrt(6 * n * (n - 1) / ((n - 2) * (n + 1) * (n + 3))) if count >= 3 else nan
    value = moment * sqrt(n * (n - 1)) / (n - 2) if is_defined else nan
    z = skewness_z(moment, count) if is_defined and count >= _MIN_COUNT_FOR_Z else nan
    return {"skewness": value, "skewness_se": se, "skewness_z": z}


def _kurtosis(moment: float, count: int, *, constant: bool) -> dict[str, float]:
    """Return the excess kurtosis G2, its standard error and its z-score; ``moment`` is the excess kurtosis g2."""
    n = float(count)
    is_defined = count >= 4 and not constant
    se = sqrt(24 * n * (n - 1) ** 2 / ((n - 3) * (n - 2) * (n + 3) * (n + 5))) if count >= 4 else nan
    value = (n - 1) * ((n + 1) * moment + 6) / ((n - 2) * (n - 3)) if is_defined else nan
    z = _kurtosis_z(moment, n) if is_defined and count >= _MIN_COUNT_FOR_Z else nan
    return {"kurtosis": value, "kurtosis_se": se, "kurtosis_z": z}


def _kurtosis_z(moment: float, n: float) -> float:
    variance = 24 * n * (n - 2) * (n - 3) / ((n + 1) ** 2 * (n + 3) * (n + 5))
    x = (moment + 6 / (n + 1)) / sqrt(variance)
    skew = 6 * (n * n - 5 * n + 2) / ((n + 7) * (n + 9)) * sqrt(6 * (n + 3) * (n + 5) / (n * (n - 2) * (n - 3)))
    a = 6 + 8 / skew * (2 / skew + sqrt(1 + 4 / skew**2))
    below = 1 + x * sqrt(2 / (a - 4))
    third = np.cbrt((1 - 2 / a) / below) if below else 0.0
    return float((1 - 2 / (9 * a) - third) / sqrt(2 / (9 * a)))


MAX_Z = 8.0
"""Largest absolute normal score; normal scores are clipped to the range from -MAX_Z to MAX_Z."""
_MAX_POINTS = 400


class GoodnessOfFit(NamedTuple):
    """Measures of misfit: single numbers for the data, or arrays with one number for each simulated sample."""

    negative: ArrayOrFloat
    """Anderson-Darling statistic A^2 of the negative class."""
    positive: ArrayOrFloat
    """Anderson-Darling statistic A^2 of the positive class."""
    area_between: ArrayOrFloat
    """Absolute difference between predicted and empirical TPR, averaged over all FPRs."""
    auc_error: ArrayOrFloat
    """Absolute difference between the means of the predicted and the empirical TPR over all FPRs."""
    threshold_regret: ArrayOrFloat
    """Best empirical Ameans, minus the empirical Ameans at the observed value with the best predicted Ameans."""


class SortedSamples(NamedTuple):
    """Samples of both classes in ascending order; the values are -x for direction "lower"."""

    negative: FloatArray
    positive: FloatArray


def sort_by_direction(roc: Roc, negative: FloatArray, positive: FloatArray) -> SortedSamples:
    """Sort two samples; for direction "lower", their values are multiplied by -1."""
    sign = -1.0 if roc.direction == "lower" else 1.0
    return SortedSamples(np.sort(sign * negative), np.sort(sign * positive))


def goodness_of_fit(roc: Roc, samples: SortedSamples) -> GoodnessOfFit:
    """Compute the measures of misfit between a ROC curve and two samples."""
    predicted, empirical = np.asarray(roc.tpr_at_fpr(COMPARISON_FPR)), empirical_tpr(*samples)
    with np.errstate(divide="ignore"):
        tails = [np.log(_mid_tails(d, x)) for d, x in zip(orient_classes(roc), samples, strict=True)]
    negative, positive = (anderson_darling(*class_tails) for class_tails in tails)
    auc_error = np.abs((predicted - empirical).mean())
    sign = -1.0 if roc.direction == "lower" else 1.0
    values = np.union1d(*samples)
    sample_fpr, sample_tpr = ((len(x) - np.searchsorted(x, values, "left")) / len(x) for x in samples)
    better = sample_tpr - sample_fpr
    best_index = np.argmax(np.asarray(roc.tpr(sign * values)) - np.asarray(roc.fpr(sign * values)))
    lost = max(better.max(), 0) - better[best_index]
    return GoodnessOfFit(negative, positive, area_between(predicted, empirical), auc_error, lost / 2)


def goodness_of_fit_batch(pair: tuple[Distribution, Distribution], samples: SortedSamples) -> _Chunk:
    """Return misfit measures and normal scores of many samples; each sample has its own fitted distributions.

    The samples must not contain ties.
    """
    negative, positive = map(add_grid_axis, pair)
    n0, n1 = (part.shape[1] for part in samples)
    predicted = solver_for(negative, positive).along("fpr", COMPARISON_FPR)
    together = np.concatenate(samples, axis=1)
    order = np.argsort(together, axis=1, kind="stable")[:, ::-1]  # merges the two sorted samples
    values, is_negative = np.take_along_axis(together, order, axis=1), order < n0  # in descending order
    negatives = np.cumsum(is_negative, axis=1)  # numbers of negatives at or above each value
    positives = np.arange(1, n0 + n1 + 1) - negatives
    empirical = (positives[is_negative].reshape(-1, n0) / n1)[:, (COMPARISON_FPR * n0).astype(np.intp)]
    better = positives / n1 - negatives / n0
    best_index = np.argmax(np.asarray(positive.sf(values)) - negative.sf(values), axis=1)
    lost = np.maximum(better.max(axis=1), 0) - better[np.arange(len(better)), best_index]
    auc_error = np.abs((predicted - empirical).mean(axis=1))
    tails = [(np.asarray(d.cdf(x)), np.asarray(d.sf(x))) for d, x in zip((negative, positive), samples, strict=True)]
    with np.errstate(divide="ignore"):
        a_squared = tuple(anderson_darling(np.log(below), np.log(above)) for below, above in tails)
    ranks = plot_ranks(n0), plot_ranks(n1)
    scores = tuple(_scores_of_tails(*(tail[:, k] for tail in part)) for part, k in zip(tails, ranks, strict=True))
    return GoodnessOfFit(*(*a_squared, area_between(predicted, empirical), auc_error, lost / 2)), scores


def normal_scores(distribution: Distribution, values: FloatArray) -> FloatArray:
    """Return the normal scores Phi^-1(P(X <= x)) of values x, clipped to [-8, 8]."""
    return _scores_of_tails(*_mid_tails(distribution, values))


def _scores_of_tails(below: FloatArray, above: FloatArray) -> FloatArray:
    return np.asarray(np.clip(np.where(below < above, ndtri(below), -ndtri(above)), -MAX_Z, MAX_Z))


def anderson_darling(below: FloatArray, above: FloatArray) -> FloatArray:
    """Return the Anderson-Darling statistic A^2 from the log tail probabilities of sorted values.

    ``below`` contains the logarithms of the lower tail probabilities, and ``above`` contains the logarithms of the
    upper tail probabilities. The last axis of both arrays corresponds to the sorted values of a sample. A^2 is inf if a
    tail probability is 0.
    """
    n = below.shape[-1]
    weights = np.arange(1, 2 * n, 2) / n
    return np.asarray(-n - (below + above[..., ::-1]) @ weights)


def ks_statistic(distribution: Distribution, sample: Ecdf) -> float:
    """Return the Kolmogorov-Smirnov distance between a distribution and a sample."""
    values = sample.unique_values
    after = np.abs(distribution.cdf(values) - sample.cdf(values))
    before = np.abs(distribution.cdf_strict(values) - sample.cdf_strict(values))
    return float(max(after.max(), before.max()))


def plot_ranks(count: int) -> NDArray[np.intp]:
    """Return the ranks (from 0) of the values to plot: all ranks of a small sample, otherwise evenly spaced ranks."""
    return np.unique(np.round(np.linspace(0, count - 1, min(count, _MAX_POINTS))).astype(np.intp))


def _mid_tails(distribution: Distribution, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the lower and upper tail probabilities of values; a point mass is divided equally between both tails."""
    below = (np.asarray(distribution.cdf_strict(values)) + distribution.cdf(values)) / 2
    above = (np.asarray(distribution.sf_inclusive(values)) + distribution.sf(values)) / 2
    return below, above


_BAND_QUANTILES = (0.025, 0.975)
_ROUNDING = 1e-9
_MAX_SEPARATION = 1e3  # in standard deviations; classes further apart do not overlap
_MIN_STD_RATIO = 1e-6  # a smaller standard deviation is replaced by this fraction of the larger one
_ARRAYS_PER_ROW = 12  # temporary arrays with one element per observation of a simulated sample


class BootstrapResult(NamedTuple):
    """Result of a parametric bootstrap."""

    misfit: GoodnessOfFit
    """Measures of misfit of each simulated sample."""
    bands: tuple[FloatArray, FloatArray]
    """Lower and upper bounds of the 95% band of the normal score at each rank, for both classes."""
    n_failed: int
    """Number of simulated samples to which the family could not be fitted."""


_Chunk = tuple[GoodnessOfFit, tuple[FloatArray, ...]]
"""Measures of misfit of one chunk of simulated samples, and normal scores of both classes, shape (samples, ranks)."""


def parametric_bootstrap(roc: PredictedRoc, counts: tuple[int, int], resampling: BootstrapOptions) -> BootstrapResult:
    """Simulate samples from two fitted distributions, refit the family to each, and compute the measures of misfit.

    Raises
    ------
    RocPredictError
        If the family could not be fitted to any simulated sample.
    """
    smooth = all(isinstance(d, Gaussian) and d.std > 0 for d in (roc.negative, roc.positive))  # a point mass makes ties
    simulate = _bootstrap_gaussian if smooth else _bootstrap_generic
    if cast(PairFit, roc.pair_fit).takes_batches:
        simulate = _bootstrap_batch
    chunks = list(simulate(roc, counts, resampling))
    if not chunks:
        raise RocPredictError(
            "the family could not be fitted to any sample simulated from the fitted distributions; use another family"
        )
    misfits, scores = zip(*chunks, strict=True)
    joined = GoodnessOfFit(*map(np.concatenate, zip(*misfits, strict=True)))
    low, high = (np.quantile(np.concatenate(part), _BAND_QUANTILES, axis=0) for part in zip(*scores, strict=True))
    return BootstrapResult(joined, (low, high), resampling.n_resamples - len(joined.area_between))


def p_values(observed: GoodnessOfFit, simulated: GoodnessOfFit) -> GoodnessOfFit:
    """Return p-values (b + 1)/(n + 1), where b of n simulated values are at least as large as the observed value."""

    def p_value(value: float, draws: FloatArray) -> float:
        limit = value if np.isinf(value) else value - _ROUNDING * (1 + abs(value))
        return float((np.count_nonzero(draws >= limit) + 1) / (len(draws) + 1))

    return GoodnessOfFit(*map(p_value, observed, simulated))


def _bootstrap_gaussian(roc: PredictedRoc, counts: tuple[int, int], resampling: BootstrapOptions) -> Iterator[_Chunk]:
    """Simulate and fit many Gaussian samples at once, in units of the larger SD to avoid overflow."""
    low, high = cast(tuple[Gaussian, Gaussian], orient_classes(roc))
    unit = max(low.std, high.std)
    distance = float(np.clip(high.mean / unit - low.mean / unit, -_MAX_SEPARATION, _MAX_SEPARATION))
    means, stds = (0.0, distance), (max(low.std / unit, _MIN_STD_RATIO), max(high.std / unit, _MIN_STD_RATIO))
    streams = resampling.streams()
    for size in resampling.chunk_sizes(_ARRAYS_PER_ROW * sum(counts)):
        samples = SortedSamples(
            *(
                np.sort(mean + std * stream.standard_normal((size, n)), axis=1)
                for mean, std, stream, n in zip(means, stds, streams, counts, strict=True)
            )
        )
        fits: list[Gaussian[Any]] = [Gaussian(x.mean(axis=1), x.std(axis=1, ddof=1)) for x in samples]
        yield goodness_of_fit_batch((fits[0], fits[1]), samples)


def _bootstrap_batch(roc: PredictedRoc, counts: tuple[int, int], resampling: BootstrapOptions) -> Iterator[_Chunk]:
    """Simulate many samples, and fit the family to all of them at once."""
    streams, fit = resampling.streams(), cast(PairFit, roc.pair_fit)
    for size in resampling.chunk_sizes(_ARRAYS_PER_ROW * sum(counts)):
        drawn = [
            np.asarray(d.ppf(s.random((size, n)).ravel())).reshape(size, n)
            for d, s, n in zip((roc.negative, roc.positive), streams, counts, strict=True)
        ]
        varies = np.logical_and(*(np.ptp(part, axis=1) > 0 for part in drawn))  # a constant class cannot be fitted
        if not varies.any():
            continue
        values = [part[varies] for part in drawn]
        pair = fit.fit(*values, fit.negative, fit.positive)
        if roc.direction == "lower":
            pair = pair[0].reflect(), pair[1].reflect()
        yield goodness_of_fit_batch(pair, sort_by_direction(roc, *values))


def _bootstrap_generic(roc: PredictedRoc, counts: tuple[int, int], resampling: BootstrapOptions) -> Iterator[_Chunk]:
    """Simulate and fit one sample at a time.

    Samples to which the family cannot be fitted are omitted.
    """
    streams, pair = resampling.streams(), (roc.negative, roc.positive)
    ranks = [plot_ranks(n) for n in counts]
    fit = roc.pair_fit.fit  # type: ignore[union-attr]
    for _ in track(range(resampling.n_resamples), resampling.n_resamples):
        values = [np.asarray(d.ppf(s.random(n))) for d, s, n in zip(pair, streams, counts, strict=True)]
        try:
            refitted = PredictedRoc(*fit(*values), direction=roc.direction)
        except RocPredictError:
            continue
        samples = sort_by_direction(roc, *values)
        fitted = zip(orient_classes(refitted), samples, ranks, strict=True)
        scores = tuple(normal_scores(d, x[rank])[None] for d, x, rank in fitted)
        yield GoodnessOfFit(*map(np.atleast_1d, goodness_of_fit(refitted, samples))), scores
