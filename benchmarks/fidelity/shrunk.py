"""``family="auto"`` and ``family="blend"`` for many samples at once, by the library's own estimates."""

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from benchmarks.fidelity.counted import Answer
from benchmarks.fidelity.sources import Array
from rocpredict import Gaussian
from rocpredict.distributions.kde import GaussianKde
from rocpredict.distributions.shrinkage import FPR, KDE_OPTIONS, ShrinkageEstimate, estimate_shrinkage, upper_tails
from rocpredict.solvers.shrinkage import make_batch_grid, optimal_thresholds

_TAIL = np.array([3.2, 4.0, 5.0, 6.0])
_PLACES = np.concatenate([-_TAIL, ndtri((np.arange(96) + 0.5) / 96), _TAIL])
"""Normal scores at which a model is followed between the rows."""


class _Curve(NamedTuple):
    """Hold rates at m thresholds of R samples, ascending on the transformed scale: arrays of shape (R, m)."""

    at: Array
    above: list[Array]
    """(FPR, TPR) of the rule "positive above the threshold"."""
    from_there: list[Array]
    """The same with the threshold itself."""

    def heights(self) -> Array:
        """Give the TPR on the grid of FPRs; rates rise as the threshold falls."""
        rates = zip(self.above, self.from_there, strict=True)
        fpr, tpr = (np.stack(pair, axis=2)[:, ::-1].reshape(len(self.at), -1) for pair in rates)
        ends = np.zeros((len(self.at), 1))
        fpr, tpr = (np.concatenate([ends, rate, 1 - ends], axis=1) for rate in (fpr, tpr))
        return np.array([np.interp(FPR, *curve) for curve in zip(fpr, tpr, strict=True)])


def auto(negative: Array, positive: Array, *, declared: bool = True) -> Answer:
    """Give the shrunk curve; declared: the positives are known to be the higher ones."""
    found = estimate_shrinkage(negative, positive, direction_known=declared)
    rule = optimal_thresholds(make_batch_grid(negative, positive, found), found.transform, lower=False)
    heights = _curve(found, negative.shape[1], smooth=False).heights()
    return Answer(heights, (rule.tpr + rule.tnr) / 2, rule.threshold)


def blend(negative: Array, positive: Array, *, declared: bool = True) -> Answer:
    """Give the shrunk curve that holds kernel densities too; its threshold is a row or a point of a fine grid."""
    found = estimate_shrinkage(negative, positive, direction_known=declared, smooth=True)
    curve = _curve(found, negative.shape[1], smooth=True)
    here, after = (tpr - fpr for fpr, tpr in (curve.from_there, curve.above))
    excess = np.concatenate([np.zeros((len(here), 1)), here, after], axis=1)
    best = np.argmax(excess, axis=1)
    beyond, place = np.divmod(best - 1, here.shape[1])
    z = np.take_along_axis(curve.at, place[:, None], axis=1)[:, 0]
    x = _rows_or(found.transform.inverse_transform(z), z, found, np.concatenate([negative, positive], axis=1))
    threshold = np.where(beyond == 1, np.nextafter(x, np.inf), x)
    return Answer(curve.heights(), (1 + excess.max(axis=1)) / 2, np.where(best == 0, np.inf, threshold))


def _rows_or(x: Array, z: Array, found: ShrinkageEstimate, rows: Array) -> Array:
    """Give the very rows where thresholds are transformed rows."""
    same = found.z == z[:, None]
    return np.where(same.any(axis=1), rows[np.arange(len(rows)), np.argmax(same, axis=1)], x)


def _curve(found: ShrinkageEstimate, first: int, *, smooth: bool) -> _Curve:
    samples = found.z[:, :first], found.z[:, first:]
    c = found.classes
    moments = [(m[:, None], np.where(s > 0, s, 1.0)[:, None]) for m, s in ((c.m0, c.s0), (c.m1, c.s1))]
    at = np.sort(np.concatenate([*samples, *(m + s * _PLACES for m, s in moments)], axis=1), axis=1)
    weight, pull = found.weight.weight[:, None], found.shift[:, None]
    above, from_there = [], []
    for sample, (mean, std), sign in zip(samples, moments, (-1, 1), strict=True):
        tail = ndtr((mean - at) / std)
        model = (1 - weight) * ((tail + _kernel_tails(sample, at)) / 2 if smooth else tail)
        shares = [ndtr(ndtri(weight * share + model) + sign * pull) for share in upper_tails(sample, at)]
        above.append(shares[0])
        from_there.append(shares[1])
    return _Curve(at, above, from_there)


def _kernel_tails(samples: Array, at: Array) -> Array:
    densities = [GaussianKde(row, **KDE_OPTIONS) if np.ptp(row) else Gaussian(row[0], 1.0) for row in samples]
    return np.array([density.sf(row) for density, row in zip(densities, at, strict=True)])
