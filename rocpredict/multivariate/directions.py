"""Which weights: the directions of Su and Liu and of Anderson and Bahadur.

Both are found in coordinates v in which the two covariances sum to the identity and both are diagonal: the
positives' has the diagonal tau, the negatives' 1 - tau. There Su and Liu's direction is the mean difference d.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh

from rocpredict import binormal
from rocpredict.arguments import FloatArray
from rocpredict.distributions import Gaussian
from rocpredict.errors import RocPredictError
from rocpredict.multivariate.moments import SINGULAR, Moments

CRITERIA = ("auc", "ameans")

_ROUNDING = 1e-14
_NUDGE = 1e-8  # of a standard deviation
_GAIN = 1e-6
_REACH = 36.0  # exp(-36) is the rounding of 1
_OFFSETS = np.array(sorted(np.linspace(-1, 1, 145), key=abs))  # the middle first: it wins ties
_ZOOMS = 7


def best_weights(moments: Moments, criterion: str, ridge: float = 0.0) -> tuple[FloatArray, float]:
    """Give the weights of the best combination, and l of Anderson and Bahadur's family.

    The score's variance, averaged over both classes, is 1. What no row spreads has weight 0.

    Raises
    ------
    RocPredictError
        Classes that no linear combination can tell apart.
    """
    if ridge:
        moments = moments.ridged(ridge)
    basis = _whitening(moments.total)
    if not basis.size:
        raise RocPredictError("no feature varies within either class")
    mixing = 0.5
    v = basis.T @ moments.difference
    if criterion == "ameans":
        tau, turn = eigh(basis.T @ moments.covariance[1] @ basis, driver="evd")
        basis = basis @ turn
        v, mixing = _anderson_bahadur(turn.T @ v, np.clip(tau, 0.0, 1.0))
    length = float(np.linalg.norm(v))
    if length <= _ROUNDING:
        raise RocPredictError("both classes have the same mean in every feature: every combination has an AUC of 1/2")
    return np.asarray(basis @ v * (np.sqrt(2) / length) / moments.scale), mixing


def _whitening(total: FloatArray) -> FloatArray:
    """Give a matrix B, one column a coordinate, with B' total B = 1, without the directions that have no spread."""
    values, vectors = eigh(total, driver="evd")
    seen = values >= SINGULAR
    return np.asarray(vectors[:, seen] / np.sqrt(values[seen]))


def _anderson_bahadur(d: FloatArray, tau: FloatArray) -> tuple[FloatArray, float]:
    """Search v = d/((1 - l)(1 - tau) + l tau) for the best Ameans.

    At the best rule no denominator is negative: else turning that coordinate round would bring the means further
    apart at the same spreads. One may be 0 where the means agree in a coordinate and only its spread tells the
    classes apart; a nudge of the means lets the search come close to that.
    """
    v, mixing, errors = _searched(d, tau)
    ends = [np.argmin(tau), np.argmax(tau)]
    nudged = d.copy()
    nudged[ends] = np.where(np.abs(d[ends]) < _NUDGE, _NUDGE, d[ends])
    if (nudged != d).any():
        other = _searched(nudged, tau)
        if other[2] < errors * (1 - _GAIN):
            return other[0], other[1]
    return v, mixing


def _searched(d: FloatArray, tau: FloatArray) -> tuple[FloatArray, float, float]:
    """Zoom into the family; give the best v, its l, and its FPR + FNR with means d."""
    ends = min(tau.min(), 0.5), max(tau.max(), 0.5)
    centre, width = 0.0, _REACH
    for _ in range(_ZOOMS):
        at = centre + width * _OFFSETS
        v, mixing = _family(at, d, tau, ends)
        errors = _errors(v, d, tau)
        best = int(np.argmin(errors))
        centre, width = at[best], width / 36
    return v[best], float(mixing[best]), float(errors[best])


def _family(at: FloatArray, d: FloatArray, tau: FloatArray, ends: tuple[float, float]) -> tuple[FloatArray, FloatArray]:
    """Give members of the family, one a row, and their l.

    The denominator is a line in tau, not negative where a tau is nor at 1/2 (where it is positive since (zN/sN -
    zP/sP) is, at the best threshold): a mixture of the lines that are 0 at either end, with log odds ``at``.
    """
    low, high = ends
    if high - low <= _ROUNDING:
        return np.tile(d, (len(at), 1)), np.full(len(at), 0.5)
    share = 1 / (1 + np.exp(-at))[:, None]
    rest = 1 / (1 + np.exp(at))[:, None]
    line = rest * (high - tau) + share * (tau - low)
    smallest = np.finfo(float).tiny
    v = d / np.maximum(line, smallest)
    with_negative, with_positive = rest * high - share * low, rest * (high - 1) + share * (1 - low)
    mixing = with_positive / np.maximum(with_negative + with_positive, smallest)
    return v / np.maximum(np.abs(v).max(axis=1, keepdims=True), smallest), mixing[:, 0]


def _errors(v: FloatArray, d: FloatArray, tau: FloatArray) -> FloatArray:
    """Give FPR + FNR at the best threshold of each row of ``v``."""
    squares = v * v
    negative = Gaussian(np.zeros(len(v)), np.sqrt(squares @ (1 - tau)))
    best = binormal.best(negative, Gaussian(v @ d, np.sqrt(squares @ tau)), np.zeros(len(v)))
    return np.asarray(best.fpr + best.fnr)
