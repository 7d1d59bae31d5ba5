"""Measures of the misfit between two fitted distributions and their data, and a warning if the misfit is large."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import asinh, frexp, log, sqrt
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from rocpredict.base.validation import FloatArray
from rocpredict.distributions.ecdf import COMPARISON_FPR, FPR_PROBIT, MAX_HARMLESS_AREA, area_between, empirical_tpr


class Assumption(NamedTuple):
    """Model that a family assumes, the limit above which a misfit causes a warning, and the usual cause of a misfit."""

    model: str
    limit: float
    """Largest ``ratio_to_expected`` without a warning; for a correct model, the median of this ratio is 0.3."""
    doubt: str


ASSUMPTIONS = {
    "gaussian": Assumption("two Gaussians", 1.6, "the classes are not normal"),
    "kde": Assumption("kernel densities", 1.4, "the bandwidth is wider than a peak or an edge of a density"),
    "histogram": Assumption("histograms", 1.4, "the bins are too wide"),
    "mixture": Assumption("Gaussian mixtures", 1.4, "up to four Gaussians per class do not describe the sample"),
}
"""Families for which a poor fit causes a warning."""
CONTRADICTED_LIMIT = 0.4
"""Limit that replaces ``Assumption.limit`` for Gaussians if a class is significantly skewed, and for other families if
many values of a class are equal."""
SKEWNESS_Z_LIMIT = 3.2
"""Absolute z-score above which skewness is significant; about 1 of 350 pairs of normal samples exceeds it."""
MIN_CLASS_SIZE = 5
"""Smallest number of observations per class for which a warning is issued."""
_PSEUDO_VARIANCE = 0.25
"""Constant c: if the smaller class has n observations, c/n^2 is added to the expected squared difference. This
difference is almost 0 if the classes hardly overlap; without the constant, one misclassified value would then cause a
warning."""
_COARSE_FPR = (np.arange(32) + 0.5) / 32
"""FPRs at which the expected squared difference is computed. The difference varies smoothly, so a few FPRs suffice."""
_ARCSINE_FPR = np.arcsin(np.sqrt(_COARSE_FPR))[:, None]
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(5)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()
_TIE_LIMIT, _SKEWNESS_LIMIT, _KURTOSIS_LIMIT = 0.1, 1.0, 3.0
_MIN_TIES = 3
_MIN_SIZE_SKEWNESS_TEST = 8
_warnings_enabled = ContextVar("_warnings_enabled", default=True)
SKEWED_SUGGESTION = "family='boxcox' or family='auto'"
OTHER_SUGGESTION = "family='auto' or rp.empirical_roc"


class SampleMoments(NamedTuple):
    """Mean, standard deviation (``ddof=1``), skewness and excess kurtosis (``ddof=0``) of a sample."""

    mean: float
    std: float
    skewness: float
    kurtosis: float


class CurveMisfit(NamedTuple):
    """Difference between the empirical curve and the curve of two fitted distributions."""

    area_between: float
    """Absolute difference between the predicted and the empirical TPR, averaged over all FPRs."""
    ratio_to_expected: float
    """Mean squared difference, divided by the value expected from sampling variation alone."""


@contextmanager
def suppress_misfit_warning() -> Iterator[None]:
    """Suppress ``misfit_warning`` in a ``with`` block, for the current thread or task only."""
    token = _warnings_enabled.set(False)
    try:
        yield
    finally:
        _warnings_enabled.reset(token)


def misfit_warning(
    negative: FloatArray,
    positive: FloatArray,
    family: str = "gaussian",
    tpr_at: Callable[[FloatArray], FloatArray] | None = None,
) -> str | None:
    """Return a warning if the curve of a fitted family differs too much from the empirical curve, otherwise None.

    The result is None if the curves agree, if sampling variation explains the difference, if a class has fewer than 5
    observations, or if the function is called within a ``with suppress_misfit_warning()`` block.

    Parameters
    ----------
    negative, positive : arrays of shape (n,)
        Finite values of each class.
    family : str, default="gaussian"
        A key of ``ASSUMPTIONS``.
    tpr_at : function, optional
        Function that returns the TPR of the fitted curve at an array of FPRs. An observation is classified as positive
        if x >= threshold. By default, the curve of two Gaussians with the means and standard deviations of the samples
        is used.

    Notes
    -----
    With 5 to 5000 observations per class and a ratio of standard deviations of at most 3, two normal samples cause a
    warning in fewer than 1 of 100 simulations (usually in about 1 of 1000). The absence of a warning does not prove
    normality. For two exponential classes whose means differ by a factor of 2, the proportion of simulations with a
    warning is about 10% with 10 observations per class, 40% with 20, and 93% with 50.

    For the other families, too, fewer than 1 of 100 simulations cause a warning if the family is suitable for the
    classes. For kernel densities, the simulated classes were normal, lognormal or gamma. For histograms, they were
    uniform or had densities that were constant within each of four bins. For mixtures, they were normal. The table
    lists pairs of classes for which the family is not suitable, and the proportion of simulations that cause a warning
    with 50 and with 200 observations per class:

    ========== ============================ ==== ====
    family     pair                           50  200
    ========== ============================ ==== ====
    kde        Poisson, means 0.2 and 0.5    15%  92%
    kde        90% and 60% zeros             74% 100%
    kde        modes at -3 and 3             99% 100%
    kde        two modes 4 SD apart           4%  67%
    kde        40% within a narrow peak      18%  99%
    histogram  uniform and beta(1, 0.2)      83% 100%
    histogram  2% of values times 1,000      80%  99%
    mixture    Poisson, means 0.2 and 0.5    39%  99%
    mixture    90% and 60% zeros             72%  86%
    mixture    2% of values times 1,000      87% 100%
    ========== ============================ ==== ====

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> print(misfit_warning(rng.normal(0, 1, 80), rng.normal(1, 2, 80)))
    None
    >>> misfit_warning(rng.lognormal(0, 1, 80), rng.lognormal(1, 1, 80)).split(":")[0]
    'the positive class is skewed (skewness 6.5)'
    """
    counts = len(negative), len(positive)
    if not _warnings_enabled.get() or min(counts) < MIN_CLASS_SIZE:
        return None
    samples = sort_and_scale(negative, positive)
    moments = sample_moments(samples[0]), sample_moments(samples[1])
    if max(moments[0].std, moments[1].std) == 0:
        return None
    misfit = binormal_misfit(samples, moments) if tpr_at is None else curve_misfit(samples, tpr_at)
    if misfit.area_between <= MAX_HARMLESS_AREA:
        return None
    if family != "gaussian":
        is_contradicted = max(_mode_fraction(sample)[0] for sample in samples) > _TIE_LIMIT
    else:
        zs = (abs(skewness_z(m.skewness, n)) for m, n in zip(moments, counts, strict=True))
        is_contradicted = min(counts) >= _MIN_SIZE_SKEWNESS_TEST and max(zs) > SKEWNESS_Z_LIMIT
    if misfit.ratio_to_expected <= (CONTRADICTED_LIMIT if is_contradicted else ASSUMPTIONS[family].limit):
        return None
    why, remedy = _explain_misfit((negative, positive), moments, family)
    return (
        f"{why}: the TPR predicted from {ASSUMPTIONS[family].model} differs from the empirical TPR by "
        f"{misfit.area_between:.2f} on average, more than expected from sampling variation; use {remedy}"
    )


def curve_misfit(samples: tuple[FloatArray, FloatArray], tpr_at: Callable[[FloatArray], FloatArray]) -> CurveMisfit:
    """Compare the empirical curve of two ascending samples with the curve that ``tpr_at`` computes.

    If the area between the curves is at most ``MAX_HARMLESS_AREA``, ``ratio_to_expected`` is set to 0 without being
    computed.
    """
    predicted, empirical = tpr_at(COMPARISON_FPR), empirical_tpr(*samples)
    area = float(area_between(predicted, empirical))
    if area <= MAX_HARMLESS_AREA:
        return CurveMisfit(area, 0.0)
    nodes = np.concatenate([[0.0], COMPARISON_FPR, [1.0]]), np.concatenate([[0.0], predicted, [1.0]])
    return CurveMisfit(area, _ratio_to_expected(predicted - empirical, lambda fpr: np.interp(fpr, *nodes), samples))


def binormal_misfit(
    samples: tuple[FloatArray, FloatArray], moments: tuple[SampleMoments, SampleMoments]
) -> CurveMisfit:
    """Compare the empirical curve of two samples with the curve of two Gaussians that have the given moments.

    The values must be in ascending order, and at least one standard deviation must be above 0. If the area between the
    curves is at most ``MAX_HARMLESS_AREA``, ``ratio_to_expected`` is set to 0 without being computed.
    """
    area = float(area_between(_binormal_tpr(*moments), empirical_tpr(*samples)))
    if area <= MAX_HARMLESS_AREA:
        return CurveMisfit(area, 0.0)
    if moments[0].std > moments[1].std:  # the curve of the exchanged and reflected classes has no steep start
        samples = -samples[1][::-1], -samples[0][::-1]
        moments = moments[1]._replace(mean=-moments[1].mean), moments[0]._replace(mean=-moments[0].mean)
    low, high = moments
    a, b = (high.mean - low.mean) / high.std, low.std / high.std

    def tpr_at(fpr: FloatArray) -> FloatArray:
        return np.asarray(ndtr(a + b * ndtri(fpr)) if b else np.full(fpr.shape, ndtr(a)))

    gap = _binormal_tpr(*moments) - empirical_tpr(*samples)
    return CurveMisfit(area, _ratio_to_expected(gap, tpr_at, samples))


def _binormal_tpr(low: SampleMoments, high: SampleMoments) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        tpr = ndtr((high.mean - low.mean + low.std * FPR_PROBIT) / high.std)
    return np.where(np.isnan(tpr), COMPARISON_FPR, tpr)


def sample_moments(ordered: FloatArray) -> SampleMoments:
    """Return the moments of an ascending sample of at least two values; the skewness is 0 if all values are equal."""
    count = len(ordered)
    mean = float(ordered.sum()) / count
    deviation = ordered - mean
    square = deviation * deviation
    total = float(square.sum())
    if ordered[0] == ordered[-1] or total == 0:
        return SampleMoments(float(ordered[0]), 0.0, 0.0, 0.0)
    variance = total / count
    third, fourth = float(square @ deviation) / total, float(square @ square) / total
    return SampleMoments(mean, sqrt(total / (count - 1)), third / sqrt(variance), fourth / variance - 3)


def skewness_z(skewness: float, count: int) -> float:
    """Convert the skewness of 8 or more values to a z-score that is N(0, 1) for normal data (D'Agostino 1970)."""
    n = float(count)
    scaled = skewness * sqrt((n + 1) * (n + 3) / (6 * (n - 2)))
    kurtosis = 3 * (n * n + 27 * n - 70) * (n + 1) * (n + 3) / ((n - 2) * (n + 5) * (n + 7) * (n + 9))
    square = sqrt(2 * (kurtosis - 1)) - 1
    return asinh(scaled * sqrt((square - 1) / 2)) / sqrt(log(square) / 2)


def sort_and_scale(negative: FloatArray, positive: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the sorted values of both classes, scaled by a common power of 2 so that moments do not overflow."""
    low, high = np.sort(negative), np.sort(positive)
    exponent = -frexp(max(low[-1], -low[0], high[-1], -high[0]))[1]
    return np.ldexp(low, exponent), np.ldexp(high, exponent)


def _ratio_to_expected(
    gap: FloatArray, tpr_at: Callable[[FloatArray], FloatArray], samples: tuple[FloatArray, FloatArray]
) -> float:
    counts = len(samples[0]), len(samples[1])
    return float(np.mean(gap**2)) / (_expected_square_distance(tpr_at, counts) + _PSEUDO_VARIANCE / min(counts) ** 2)


def _expected_square_distance(tpr_at: Callable[[FloatArray], FloatArray], counts: tuple[int, int]) -> float:
    """Return the expected mean squared difference between an empirical curve and the true curve ``tpr_at``."""
    angle = _ARCSINE_FPR + _NODES / (2 * sqrt(counts[0]))
    np.clip(angle, 0, np.pi / 2, out=angle)
    tpr = tpr_at(np.sin(angle) ** 2)
    off = tpr - tpr_at(_COARSE_FPR)[:, None]
    return float(((off * off + tpr * (1 - tpr) / counts[1]) @ _WEIGHTS).sum() / len(_COARSE_FPR))


def _explain_misfit(
    samples: tuple[FloatArray, FloatArray], moments: tuple[SampleMoments, SampleMoments], family: str
) -> tuple[str, str]:
    """Return the cause of the misfit, and alternatives that fit better."""
    for word, (fraction, value) in _classes_by_magnitude(map(_mode_fraction, samples)):
        if fraction > _TIE_LIMIT:
            problem = f"{100 * fraction:.0f}% of the values of the {word} class are equal to {value:.6g}"
            return problem, OTHER_SUGGESTION
    for word, skewness in _classes_by_magnitude(m.skewness for m in moments):
        if family == "gaussian" and abs(skewness) > _SKEWNESS_LIMIT:
            return f"the {word} class is skewed (skewness {skewness:.1f})", SKEWED_SUGGESTION
    for word, kurtosis in _classes_by_magnitude(m.kurtosis for m in moments):
        if kurtosis > _KURTOSIS_LIMIT:
            return f"the {word} class has heavy tails (excess kurtosis {kurtosis:.1f})", OTHER_SUGGESTION
    return ASSUMPTIONS[family].doubt, OTHER_SUGGESTION


def _classes_by_magnitude(measured: Any) -> list[tuple[str, Any]]:
    """Return the name and the measured value of each class, with the larger absolute value first."""
    by_class = zip(("negative", "positive"), measured, strict=True)
    return sorted(by_class, key=lambda item: -abs(item[1][0] if isinstance(item[1], tuple) else item[1]))


def _mode_fraction(sample: FloatArray) -> tuple[float, float]:
    """Return the proportion of the most frequent value, and this value.

    The proportion is set to 0 if the value occurs fewer than three times.
    """
    values, counts = np.unique(sample, return_counts=True)
    mode = int(np.argmax(counts))
    return float(counts[mode] / len(sample)) if counts[mode] >= _MIN_TIES else 0.0, float(values[mode])
