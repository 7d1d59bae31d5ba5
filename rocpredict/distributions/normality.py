"""Misfit of two Gaussians, and the warning about it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import asinh, frexp, log, sqrt
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from rocpredict.base.validation import FloatArray
from rocpredict.distributions.misfit import COMPARISON_FPR, FPR_PROBIT, MAX_HARMLESS_AREA, area_between, empirical_tpr

WARNING_MISFIT_RATIO = 1.6
"""Limit of a mean square distance over its expectation, by itself; the ratio is 0.3 in the middle, being fitted."""
WARNING_MISFIT_RATIO_SKEWED = 0.4
"""The same where a class is skewed beyond doubt."""
SKEWNESS_Z_LIMIT = 3.2
"""Standard errors of a skewness, which 1 of 350 pairs of normal samples exceed."""
MIN_CLASS_SIZE = 5
"""Rows of a class, below which nothing is said."""
_PSEUDO_VARIANCE = 0.25
"""Addition to the expectation, in squares of one row of the smaller class: where classes hardly overlap it is
nearly 0, and a single row on the wrong side would be beyond all chance."""
_COARSE_FPR = (np.arange(32) + 0.5) / 32
"""FPRs at which the expectation is taken, which is smooth."""
_COARSE_FPR_PROBIT = ndtri(_COARSE_FPR)[:, None]
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
    """The mean and standard deviation (ddof 1) of a sample, its skewness and excess kurtosis (moments, ddof 0)."""

    mean: float
    std: float
    skewness: float
    kurtosis: float


class CurveMisfit(NamedTuple):
    """Distance of the counted curve from that of two Gaussians."""

    area_between: float
    """Mean of |TPR predicted - TPR counted| over all FPR."""
    ratio_to_expected: float
    """The mean square of the same, over what chance makes it."""


@contextmanager
def suppress_normality_warning() -> Iterator[None]:
    """Fit Gaussians on purpose: within, ``normality_warning`` says nothing, in this thread or task alone."""
    token = _warnings_enabled.set(False)
    try:
        yield
    finally:
        _warnings_enabled.reset(token)


def normality_warning(negative: FloatArray, positive: FloatArray) -> str | None:
    """Return one sentence on why the Gaussians of two finite samples should not be used, or None.

    It is None where the curve is not harmed, where chance would explain it, below 5 rows in a class, and within
    ``suppress_normality_warning``.

    Notes
    -----
    Two normal samples make it speak in less than 1 of 100 draws (mostly 1 of 1000), from 5 to 5000 rows a class and
    standard deviations up to 3 times each other's. That it says nothing is no proof: of two exponential classes of 10,
    20 and 50 rows each, one with twice the mean of the other, it sees about 10, 40 and 93 of 100.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> print(normality_warning(rng.normal(0, 1, 80), rng.normal(1, 2, 80)))
    None
    >>> normality_warning(rng.lognormal(0, 1, 80), rng.lognormal(1, 1, 80))[:81]
    'the positive class is skewed (skewness 6.5): the curve of two Gaussians lies 0.20'
    """
    if not _warnings_enabled.get() or min(len(negative), len(positive)) < MIN_CLASS_SIZE:
        return None
    samples = sort_and_scale(negative, positive)
    moments = sample_moments(samples[0]), sample_moments(samples[1])
    if max(moments[0].std, moments[1].std) == 0:
        return None
    misfit = binormal_misfit(samples, moments)
    limit, counts = WARNING_MISFIT_RATIO, (len(negative), len(positive))
    if min(counts) >= _MIN_SIZE_SKEWNESS_TEST:
        z = max(abs(skewness_z(m.skewness, n)) for m, n in zip(moments, counts, strict=True))
        limit = WARNING_MISFIT_RATIO_SKEWED if z > SKEWNESS_Z_LIMIT else limit
    if misfit.area_between <= MAX_HARMLESS_AREA or misfit.ratio_to_expected <= limit:
        return None
    why, remedy = _explain_misfit((negative, positive), moments)
    return (
        f"{why}: the curve of two Gaussians lies {misfit.area_between:.2f} of TPR off the counted one on the average, "
        f"more than chance explains; use {remedy}"
    )


def binormal_misfit(
    samples: tuple[FloatArray, FloatArray], moments: tuple[SampleMoments, SampleMoments]
) -> CurveMisfit:
    """Compare the counted curve with that of two Gaussians with these moments.

    Values are in ascending order; not both standard deviations are 0. No excess is looked for within what is tolerated.
    """
    area = float(area_between(_binormal_tpr(*moments), empirical_tpr(*samples)))
    if area <= MAX_HARMLESS_AREA:
        return CurveMisfit(area, 0.0)
    if moments[0].std > moments[1].std:  # of the exchanged and reflected classes the curve has no steep start
        samples = -samples[1][::-1], -samples[0][::-1]
        moments = moments[1]._replace(mean=-moments[1].mean), moments[0]._replace(mean=-moments[0].mean)
    square = float(np.mean((_binormal_tpr(*moments) - empirical_tpr(*samples)) ** 2))
    low, high = moments
    counts = len(samples[0]), len(samples[1])
    expected = _expected_square_distance((high.mean - low.mean) / high.std, low.std / high.std, counts)
    return CurveMisfit(area, square / (expected + _PSEUDO_VARIANCE / min(counts) ** 2))


def _binormal_tpr(low: SampleMoments, high: SampleMoments) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        tpr = ndtr((high.mean - low.mean + low.std * FPR_PROBIT) / high.std)
    return np.where(np.isnan(tpr), COMPARISON_FPR, tpr)


def sample_moments(ordered: FloatArray) -> SampleMoments:
    """Return the moments of a sample of two rows or more in ascending order; shape is 0 where there is no spread."""
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
    """Return the normal score of a skewness among those of normal samples of 8 rows or more (D'Agostino 1970)."""
    n = float(count)
    scaled = skewness * sqrt((n + 1) * (n + 3) / (6 * (n - 2)))
    kurtosis = 3 * (n * n + 27 * n - 70) * (n + 1) * (n + 3) / ((n - 2) * (n + 5) * (n + 7) * (n + 9))
    square = sqrt(2 * (kurtosis - 1)) - 1
    return asinh(scaled * sqrt((square - 1) / 2)) / sqrt(log(square) / 2)


def sort_and_scale(negative: FloatArray, positive: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the values of both classes in ascending order, over a power of 2, so that no power of them overflows."""
    low, high = np.sort(negative), np.sort(positive)
    exponent = -frexp(max(low[-1], -low[0], high[-1], -high[0]))[1]
    return np.ldexp(low, exponent), np.ldexp(high, exponent)


def _expected_square_distance(a: float, b: float, counts: tuple[int, int]) -> float:
    """Return the mean square distance of an empirical curve from the given one."""
    angle = _ARCSINE_FPR + _NODES / (2 * sqrt(counts[0]))
    np.clip(angle, 0, np.pi / 2, out=angle)
    tpr = ndtr(a + b * ndtri(np.sin(angle) ** 2)) if b else np.full(angle.shape, ndtr(a))
    off = tpr - ndtr(a + b * _COARSE_FPR_PROBIT)
    return float(((off * off + tpr * (1 - tpr) / counts[1]) @ _WEIGHTS).sum() / len(_COARSE_FPR))


def _explain_misfit(
    samples: tuple[FloatArray, FloatArray], moments: tuple[SampleMoments, SampleMoments]
) -> tuple[str, str]:
    """Return what is wrong with the worse class, and what helps."""
    for word, (share, value) in _classes_by_magnitude(map(_mode_share, samples)):
        if share > _TIE_LIMIT:
            return f"{100 * share:.0f} % of the {word} class are equal ({value:.6g})", OTHER_SUGGESTION
    for word, skewness in _classes_by_magnitude(m.skewness for m in moments):
        if abs(skewness) > _SKEWNESS_LIMIT:
            return f"the {word} class is skewed (skewness {skewness:.1f})", SKEWED_SUGGESTION
    for word, kurtosis in _classes_by_magnitude(m.kurtosis for m in moments):
        if kurtosis > _KURTOSIS_LIMIT:
            return f"the {word} class has heavy tails (excess kurtosis {kurtosis:.1f})", OTHER_SUGGESTION
    return "the classes are not normal", OTHER_SUGGESTION


def _classes_by_magnitude(measured: Any) -> list[tuple[str, Any]]:
    """Name the classes, the one with the greater measure first."""
    by_class = zip(("negative", "positive"), measured, strict=True)
    return sorted(by_class, key=lambda item: -abs(item[1][0] if isinstance(item[1], tuple) else item[1]))


def _mode_share(sample: FloatArray) -> tuple[float, float]:
    """Return the share of the most frequent value, 0 where it is no more than a pair, and the value."""
    values, counts = np.unique(sample, return_counts=True)
    most = int(np.argmax(counts))
    return float(counts[most] / len(sample)) if counts[most] >= _MIN_TIES else 0.0, float(values[most])
