"""``family="auto"`` for many samples at once, by the library's own estimate."""

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from benchmarks.fidelity.counted import Answer
from benchmarks.fidelity.sources import Array
from rocpredict.distributions.shrinkage import SHRINKAGE_FPR, ShrinkageEstimate, estimate_shrinkage, upper_tails
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
        return np.array([np.interp(SHRINKAGE_FPR, *curve) for curve in zip(fpr, tpr, strict=True)])


def auto(negative: Array, positive: Array, *, declared: bool = True) -> Answer:
    """Give the shrunk curve; declared: the positives are known to be the higher ones."""
    found = estimate_shrinkage(negative, positive, direction_known=declared)
    rule = optimal_thresholds(make_batch_grid(negative, positive, found), lower=False)
    heights = _curve(found, negative.shape[1]).heights()
    return Answer(heights, (rule.tpr + rule.tnr) / 2, rule.threshold)


def _curve(found: ShrinkageEstimate, first: int) -> _Curve:
    samples = found.z[:, :first], found.z[:, first:]
    c = found.classes
    moments = [(m[:, None], s[:, None]) for m, s in ((c.m0, c.s0), (c.m1, c.s1))]
    at = np.sort(np.concatenate([*samples, *(m + s * _PLACES for m, s in moments)], axis=1), axis=1)
    weight, pull = found.weight.weight[:, None], found.shift[:, None]
    above, from_there = [], []
    for sample, (mean, std), sign in zip(samples, moments, (-1, 1), strict=True):
        tail = ndtr((mean - at) / std)
        model = (1 - weight) * tail
        shares = [ndtr(ndtri(weight * share + model) + sign * pull) for share in upper_tails(sample, at)]
        above.append(shares[0])
        from_there.append(shares[1])
    return _Curve(at, above, from_there)
