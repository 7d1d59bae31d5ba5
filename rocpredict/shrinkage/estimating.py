"""The shrunk estimate of the ROC curve, for many features at once."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from rocpredict.arguments import FloatArray
from rocpredict.distributions import Gaussian
from rocpredict.distributions.kde import GaussianKde
from rocpredict.shrinkage.heights import FPR, counted_heights, shares_above
from rocpredict.shrinkage.levels import area_of, posterior_median, pull_to
from rocpredict.shrinkage.powers import Powers, fit_powers
from rocpredict.shrinkage.weighing import Weighing, binormal_heights, weigh

PRIOR_VARIANCE = 0.25
"""How far log variance ratios of real features lie from 0: their mean square."""
KERNEL: dict[str, Any] = {"bandwidth_factor": 2.0, "variance_preserving": True}
"""The kernel density of the transformed rows: twice Silverman's width, with the variance of the rows."""
_TAIL = np.array([3.2, 4.0, 5.0, 6.0])
_PLACES = np.concatenate([-_TAIL, ndtri((np.arange(48) + 0.5) / 48), _TAIL])
"""Normal scores at which the curve of the model is followed between the rows."""


class Classes(NamedTuple):
    """Hold two Gaussians on the transformed scale, for each feature: arrays of shape (F,)."""

    m0: FloatArray
    s0: FloatArray
    m1: FloatArray
    s1: FloatArray


class Estimate(NamedTuple):
    """Hold what was estimated: arrays of shape (F,).

    Attributes
    ----------
    powers : Powers
        The common transform.
    classes : Classes
        The Gaussians there, spreads shrunk towards each other.
    weighing : Weighing
        How much is the sample's, and why.
    pull : array
        By how many normal scores the positives lie higher, and the negatives lower, than sample and model have them.
    """

    powers: Powers
    classes: Classes
    weighing: Weighing
    pull: FloatArray


def estimate(negative: FloatArray, positive: FloatArray, *, declared: bool, smooth: bool = False) -> Estimate:
    """Estimate the pair of class distributions of each feature.

    Parameters
    ----------
    negative, positive : arrays of shape (F, n0) and (F, n1)
        Finite values, 2 or more a class; positives are looked for among the high ones.
    declared : bool
        Whether they are known to lie there.
    smooth : bool
        Whether half of the model is a kernel density of the transformed rows, the other half the Gaussians.
    """
    n0, n1 = negative.shape[1], positive.shape[1]
    powers = fit_powers(negative, positive)
    rows = powers.z[:, :n0], powers.z[:, n0:]
    classes = _classes(*rows)
    known = (classes.s0 > 0) & (classes.s1 > 0)
    floored = _floored(classes)
    below, above = _Side(rows[0], floored.m0, floored.s0, smooth), _Side(rows[1], floored.m1, floored.s1, smooth)
    heights, slope = _smooth_heights(below, above) if smooth else binormal_heights(*floored)
    weighing = weigh(heights, counted_heights(negative, positive), slope, n0, n1)
    weighing = weighing._replace(weight=np.where(known, weighing.weight, 1.0))
    fpr, tpr = _polyline(below, above, np.asarray(weighing.weight))
    middle = posterior_median(area_of(fpr, tpr), n0, n1, declared=declared)
    return Estimate(powers, classes, weighing, pull_to(fpr, tpr, middle))


def _classes(negative: FloatArray, positive: FloatArray) -> Classes:
    """Give means and SDs; the ratio of the variances is drawn towards 1 as far as it is not known from many rows.

    The log ratio varies by 2/(n0 - 1) + 2/(n1 - 1) about its true value, and that by ``PRIOR_VARIANCE`` about 0. The
    sum of both variances stays, and with it the area under the curve.
    """
    spreads = [np.where(np.ptp(part, axis=1) > 0, part.std(axis=1, ddof=1), 0.0) for part in (negative, positive)]
    noise = sum(2 / (part.shape[1] - 1) for part in (negative, positive))
    kept = PRIOR_VARIANCE / (PRIOR_VARIANCE + noise)
    both = np.hypot(*spreads)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = (spreads[1] / spreads[0]) ** kept
    known = (spreads[0] > 0) & (spreads[1] > 0)
    s0 = np.where(known, both / np.hypot(1, ratio), spreads[0])
    s1 = np.where(known, both / np.hypot(1, 1 / np.where(known, ratio, 1.0)), spreads[1])
    return Classes(negative.mean(axis=1), s0, positive.mean(axis=1), s1)


def _floored(classes: Classes) -> Classes:
    """Give a class without spread a little: its rows alone will count."""
    s0, s1 = (np.where(s > 0, s, 1.0) for s in (classes.s0, classes.s1))
    return classes._replace(s0=s0, s1=s1)


class _Side(NamedTuple):
    """Hold one class of each feature: transformed rows of shape (F, n), and what is modelled of them."""

    rows: FloatArray
    mean: FloatArray
    std: FloatArray
    smooth: bool

    @property
    def places(self) -> FloatArray:
        """Thresholds between which the model is smooth."""
        return np.asarray(self.mean[:, None] + self.std[:, None] * _PLACES)

    def model(self, at: FloatArray) -> FloatArray:
        """Give the share of the model above thresholds of shape (F, m)."""
        tail = ndtr((self.mean[:, None] - at) / self.std[:, None])
        if not self.smooth:
            return np.asarray(tail)
        kernels = [GaussianKde(row, **KERNEL) if np.ptp(row) else Gaussian(row[0], 1.0) for row in self.rows]
        return np.asarray((tail + np.stack([kernel.sf(t) for kernel, t in zip(kernels, at, strict=True)])) / 2)


def _polyline(negative: _Side, positive: _Side, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Give the blended curve as a polyline, from (0, 0) to (1, 1): (fpr, tpr) of shape (F, m)."""
    at = np.sort(np.concatenate([negative.rows, positive.rows, negative.places, positive.places], axis=1), axis=1)
    share, ends = weight[:, None], (np.zeros((len(at), 1)), np.ones((len(at), 1)))

    def rates(side: _Side) -> FloatArray:
        model = (1 - share) * side.model(at)
        tails = [share * counted + model for counted in shares_above(side.rows, at)]
        falling = np.stack(tails, axis=2)[:, ::-1].reshape(len(at), -1)
        return np.concatenate([ends[0], falling, ends[1]], axis=1)

    return rates(negative), rates(positive)


def _smooth_heights(negative: _Side, positive: _Side) -> tuple[FloatArray, FloatArray]:
    """Give the heights and slopes of the model's curve at ``FPR``, along a polyline."""
    fpr, tpr = _polyline(negative, positive, np.zeros(len(negative.rows)))
    heights = np.stack([np.interp(FPR, *curve) for curve in zip(fpr, tpr, strict=True)])
    return heights, np.gradient(heights, FPR, axis=1)
