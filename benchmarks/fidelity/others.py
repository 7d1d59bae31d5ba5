"""Conventional estimators: a family chosen by AIC, and a straight line through the points on probit axes."""

import numpy as np
from scipy.special import ndtr, ndtri

from benchmarks.fidelity.counted import GRID, Answer, best_counted, empirical_heights
from benchmarks.fidelity.predicted import best_near
from benchmarks.fidelity.sources import Array
from rocpredict import Gaussian, RocPredictError
from rocpredict.distributions.base import Distribution
from rocpredict.distributions.families import PARAMETRIC_FAMILIES, fit_family

_PARAMETERS = {"exponential": 1, "student_t": 3, "skew_normal": 3}
"""Number of fitted parameters; the other families have two."""
_FINE = ndtri((np.arange(4_000) + 0.5) / 4_000)


def chosen_by_aic(negative: Array, positive: Array) -> Answer:
    """Return the curve of the best family of each class: the Gaussian, or one of ``PARAMETRIC_FAMILIES``."""
    pairs = [tuple(map(best_family, rows)) for rows in zip(negative, positive, strict=True)]
    heights, ameans, threshold = (np.array(part) for part in zip(*(_read(*pair) for pair in pairs), strict=True))
    return Answer(heights, ameans, threshold)


def best_family(sample: Array) -> Distribution:
    """Return the family with the smallest AICc among those whose support includes the values."""
    found = [(aicc(fitted, sample, k), i, fitted) for i, (fitted, k) in enumerate(_fitted(sample))]
    return min(found)[-1]


def _fitted(sample: Array) -> list[tuple[Distribution, int]]:
    found: list[tuple[Distribution, int]] = [(Gaussian.fit(sample), 2)]
    if found[0][0].std == 0:
        return found
    for name in PARAMETRIC_FAMILIES:
        try:
            found.append((fit_family(name, sample, "one"), _PARAMETERS.get(name, 2)))
        except RocPredictError:
            continue
    return found


def aicc(fitted: Distribution, sample: Array, parameters: int) -> float:
    """Return Akaike's criterion for small samples (Hurvich and Tsai 1989), infinity if it cannot be computed."""
    likelihood, n = float(np.sum(fitted.logpdf(sample))), len(sample)
    penalty = 2 * parameters * n / (n - parameters - 1)
    return penalty - 2 * likelihood if np.isfinite(likelihood) else np.inf


def _read(negative: Distribution, positive: Distribution) -> tuple[Array, float, float]:
    at = np.unique(np.concatenate([np.asarray(d.isf(GRID)) for d in (negative, positive)]))
    excess = np.asarray(positive.sf_inclusive(at)) - negative.sf_inclusive(at)
    return np.asarray(positive.sf(negative.isf(GRID))), *best_near(negative, positive, at, excess)


def probit_line(negative: Array, positive: Array) -> Answer:
    """Return the curve that is a straight line on probit axes, fitted to the empirical points by least squares.

    The probit of the specificity is regressed on the probit of the sensitivity, over all thresholds at which both are
    inside (0, 1). If these points give no increasing line, the empirical curve is used. A smoothed curve has no
    thresholds.
    """
    heights, (_, ameans) = empirical_heights(negative, positive), best_counted(negative, positive)
    for i, rows in enumerate(zip(negative, positive, strict=True)):
        if (line := _line(*rows)) is not None:
            heights[i] = ndtr((ndtri(1 - GRID) - line[0]) / line[1])
            ameans[i] = (ndtr(_FINE) + ndtr(line[0] + line[1] * _FINE)).max() / 2
    return Answer(heights, ameans, None)


def _line(negative: Array, positive: Array) -> tuple[float, float] | None:
    """Return intercept and slope, or None with fewer than two distinct points or without an increasing line."""
    at = np.unique(np.concatenate([negative, positive]))[:, None]
    sensitivity, specificity = (positive >= at).mean(axis=1), (negative < at).mean(axis=1)
    inside = (sensitivity > 0) & (sensitivity < 1) & (specificity > 0) & (specificity < 1)
    x, y = ndtri(sensitivity[inside]), ndtri(specificity[inside])
    if len(np.unique(x)) < 2:
        return None
    slope = float(np.sum((x - x.mean()) * (y - y.mean())) / np.sum((x - x.mean()) ** 2))
    return (float(y.mean() - slope * x.mean()), slope) if slope < 0 else None
