"""How far a pair of distributions is off two samples: class by class, along the curve, and at the threshold."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, ndtr, ndtri

from rocpredict.arguments import FloatArray
from rocpredict.assumptions import counted_heights
from rocpredict.distributions import Distribution
from rocpredict.roc import Roc

GRID = (np.arange(256) + 0.5) / 256
"""FPRs at which curves are compared."""
_GRID_Z = ndtri(GRID)
FURTHEST = 8.0
"""Standard deviations up to which a normal score is told."""
_WIDEST = 400


class Misfit(NamedTuple):
    """What is compared with draws from the fitted pair; floats, or arrays of one number a draw."""

    negative: FloatArray
    """Anderson and Darling's A^2 of the negative class."""
    positive: FloatArray
    distance: FloatArray
    """Mean |TPR predicted - TPR counted| over all FPR."""
    bias: FloatArray
    """|mean of the same with its sign|."""
    lost: FloatArray
    """Ameans that the value of a row with the best predicted Ameans loses against the best counted one."""


class Sorted(NamedTuple):
    """Both samples in ascending order, of the rule "positive when x >= threshold"."""

    negative: FloatArray
    positive: FloatArray


def oriented(roc: Roc, negative: FloatArray, positive: FloatArray) -> Sorted:
    """Sort two samples, those of direction "lower" mirrored."""
    side = -1.0 if roc.direction == "lower" else 1.0
    return Sorted(np.sort(side * negative), np.sort(side * positive))


def gaps(roc: Roc, samples: Sorted) -> FloatArray:
    """Give TPR predicted - TPR counted at each FPR of the grid."""
    return np.asarray(roc.tpr_at_fpr(GRID)) - counted_heights(*samples, GRID)


def misfit(roc: Roc, samples: Sorted) -> Misfit:
    """Measure how far a ROC curve is off two samples."""
    gap = gaps(roc, samples)
    negative, positive = (anderson_darling(*scores_of(d, x)) for d, x in zip(pair_of(roc), samples, strict=True))
    distance, bias = np.abs(gap).mean(), np.abs(gap.mean())
    return Misfit(negative, positive, np.asarray(distance), np.asarray(bias), np.asarray(_lost(roc, samples)))


def misfit_of_gaussians(samples: Sorted) -> tuple[Misfit, tuple[FloatArray, FloatArray]]:
    """Fit Gaussians to each row of samples, shapes (draws, rows), and measure; also give the normal scores.

    Values do not tie.
    """
    (m0, s0, z0), (m1, s1, z1) = (_standardised(x) for x in samples)
    negative, positive = (anderson_darling(log_ndtr(z), log_ndtr(-z)) for z in (z0, z1))
    predicted = ndtr((m1 - m0) / s1 + s0 / s1 * _GRID_Z)
    falling, below = _falling(samples)
    lows, highs = (np.cumsum(part, axis=1) for part in (below, ~below))
    counts = samples.negative.shape[1], samples.positive.shape[1]
    above = highs[below].reshape(len(falling), -1) / counts[1]
    gap = predicted - above[:, (GRID * counts[0]).astype(np.intp)]
    better = highs / counts[1] - lows / counts[0]
    chosen = np.argmax(ndtr((m1 - falling) / s1) - ndtr((m0 - falling) / s0), axis=1)
    lost = np.maximum(better.max(axis=1), 0) - better[np.arange(len(better)), chosen]
    return Misfit(negative, positive, np.abs(gap).mean(axis=1), np.abs(gap.mean(axis=1)), lost / 2), (z0, z1)


def pair_of(roc: Roc) -> tuple[Distribution, Distribution]:
    """Give both distributions of the rule "positive when x >= threshold"."""
    if roc.direction == "lower":
        return roc.negative.reflect(), roc.positive.reflect()
    return roc.negative, roc.positive


def scores_of(distribution: Distribution, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Give the logarithms of the probabilities up to values and from them on; half of an atom belongs to each."""
    below, above = _tails(distribution, values)
    with np.errstate(divide="ignore"):
        return np.log(below), np.log(above)


def normal_scores(distribution: Distribution, values: FloatArray) -> FloatArray:
    """Give where values would lie in a standard normal class, no further than 8."""
    below, above = _tails(distribution, values)
    return np.asarray(np.clip(np.where(below < above, ndtri(below), -ndtri(above)), -FURTHEST, FURTHEST))


def anderson_darling(below: FloatArray, above: FloatArray) -> FloatArray:
    """Give A^2 of the logarithms of both tails of values in ascending order, along the last axis.

    It is inf where a value has no probability.
    """
    n = below.shape[-1]
    weights = np.arange(1, 2 * n, 2) / n
    return np.asarray(-n - (below + above[..., ::-1]) @ weights)


def kolmogorov_smirnov(distribution: Distribution, values: FloatArray) -> float:
    """Give the largest difference of a cdf and that of values in ascending order."""
    steps = np.arange(len(values) + 1) / len(values)
    over = steps[1:] - np.asarray(distribution.cdf(values))
    under = np.asarray(distribution.below(values)) - steps[:-1]
    return float(max(over.max(), under.max()))


def places(count: int) -> NDArray[np.intp]:
    """Give the ranks (from 0) of the values that stand for a sample, all of it where it is not large."""
    return np.unique(np.round(np.linspace(0, count - 1, min(count, _WIDEST))).astype(np.intp))


def _tails(distribution: Distribution, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    below = (np.asarray(distribution.below(values)) + distribution.cdf(values)) / 2
    above = (np.asarray(distribution.at_or_above(values)) + distribution.sf(values)) / 2
    return below, above


def _lost(roc: Roc, samples: Sorted) -> float:
    side = -1.0 if roc.direction == "lower" else 1.0
    values = np.union1d(*samples)
    counted = np.subtract(
        *((len(x) - np.searchsorted(x, values, "left")) / len(x) for x in (samples.positive, samples.negative))
    )
    predicted = np.asarray(roc.tpr(side * values)) - np.asarray(roc.fpr(side * values))
    return float((max(counted.max(), 0) - counted[np.argmax(predicted)]) / 2)


def _standardised(values: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    mean = values.mean(axis=1, keepdims=True)
    std = values.std(axis=1, ddof=1, keepdims=True)
    return mean, std, (values - mean) / std


def _falling(samples: Sorted) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Give all values of each draw from the highest down, and which of them are negatives."""
    together = np.concatenate(samples, axis=1)
    order = np.argsort(together, axis=1)[:, ::-1]
    return np.take_along_axis(together, order, axis=1), order < samples.negative.shape[1]
