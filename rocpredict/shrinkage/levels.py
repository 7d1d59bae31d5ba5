"""Where the area of a curve comes to lie, once small distances of the classes are held likelier than large ones."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr, ndtri, owens_t

from rocpredict.arguments import FloatArray
from rocpredict.numeric.search import false_position

DECLARED, OPEN = 1.4, 0.7
"""Scales of the prior on the distance D of the classes: of a feature whose direction is known beforehand more is to be
expected than of one that is merely looked at."""
_WIDEST = 8.0
_CELLS = 1024
_NARROW, _NOTHING = 1.0, 1e-12
_TOLERANCE = 1e-13
_FARTHEST = 4.0


def posterior_median(area: FloatArray, n0: int, n1: int, *, declared: bool) -> FloatArray:
    """Give the middle of what the AUC may be, given the estimated one: shape (F,).

    Parameters
    ----------
    area : array of shape (F,)
    n0, n1 : int
        Cases behind it.
    declared : bool
        Whether positives are known to lie on their side: then the AUC is at least 1/2.

    Notes
    -----
    The prior is on D = Phi^-1(AUC), the distance of two Gaussian classes in units of sqrt(s0^2 + s1^2): Cauchy, of
    scale 1.4 and folded to D >= 0 where the direction is declared, else of scale 0.7; it is cut off at 8. Its heavy
    tails let a convincing area stand. The estimate is taken as normal about the AUC, with the variance that a counted
    one has for two Gaussians of one spread. The median does not depend on the scale on which it is taken.
    """
    scale, start = (DECLARED, 0.0) if declared else (OPEN, -_WIDEST)
    middle, low, high = _middle(area, np.array([start]), np.array([_WIDEST]), scale, (n0, n1))
    narrow = np.flatnonzero(high - low < _NARROW)  # many cases: look closer
    if narrow.size:
        middle[narrow] = _middle(area[narrow], low[narrow], high[narrow], scale, (n0, n1))[0]
    return np.asarray(ndtr(middle))


def _middle(
    area: FloatArray, low: FloatArray, high: FloatArray, scale: float, counts: tuple[int, int]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Give the median of D between two ends, and between which ends all but nothing of its density lies."""
    step = ((high - low) / _CELLS)[:, None]
    d = low[:, None] + (np.arange(_CELLS) + 0.5) * step
    prior, variance, possible = -np.log1p((d / scale) ** 2), _variance(d, *counts), ndtr(d)
    level = prior - np.log(variance) / 2 - (area[:, None] - possible) ** 2 / (2 * variance)
    density = np.exp(level - level.max(axis=1, keepdims=True))
    reached = np.cumsum(density, axis=1)
    half = reached[:, -1:] / 2
    at = np.sum(reached < half, axis=1)[:, None]
    inside = np.take_along_axis(density, at, axis=1)
    before = np.take_along_axis(reached, at, axis=1) - inside
    known = density > _NOTHING
    first, last = np.argmax(known, axis=1)[:, None], _CELLS - np.argmax(known[:, ::-1], axis=1)[:, None]
    places = (at + (half - before) / inside, np.maximum(first - 1, 0), np.minimum(last + 1, _CELLS))
    middle, first_end, last_end = ((low[:, None] + step * place)[:, 0] for place in places)
    return middle, first_end, last_end


def _variance(d: FloatArray, n0: int, n1: int) -> FloatArray:
    """Give the variance of a counted AUC of two Gaussians of one spread, a distance ``d`` apart, of either side.

    Var = [A(1 - A) + (n0 + n1 - 2)(Q - A^2)]/(n0 n1), Q = A - 2 T(d, 1/sqrt(3)) with Owen's T.
    """
    upper, lower = ndtr(np.abs(d)), ndtr(-np.abs(d))
    two_of_a_class = upper * lower - 2 * owens_t(np.abs(d), 1 / np.sqrt(3))
    return np.asarray((upper * lower + (n0 + n1 - 2) * two_of_a_class) / (n0 * n1))


def area_of(fpr: FloatArray, tpr: FloatArray) -> FloatArray:
    """Give the area under polylines of shape (F, m), ascending."""
    return np.asarray(np.sum(np.diff(fpr, axis=1) * (tpr[:, 1:] + tpr[:, :-1]) / 2, axis=1))


def pull_to(fpr: FloatArray, tpr: FloatArray, area: FloatArray) -> FloatArray:
    """Give by how many normal scores both classes move apart until polylines of shape (F, m) enclose these areas.

    Every TPR becomes Phi(Phi^-1(TPR) + pull), every FPR Phi(Phi^-1(FPR) - pull): the area rises with the pull. It is 0
    where no pull helps: a curve that touches the axes only encloses its area whatever the pull.
    """
    scores = ndtri(np.stack([fpr, tpr]))
    ends = np.full(len(area), _FARTHEST)
    at_low, at_high = (_excess(scores, area, end) for end in (-ends, ends))
    some = np.flatnonzero((at_low < 0) & (at_high > 0))
    pull = np.zeros(len(area))
    low, high = -ends[some], ends[some]
    pull[some] = false_position(
        lambda middle: _excess(scores[:, some], area[some], middle),
        low,
        high,
        at_low[some],
        at_high[some],
        tolerance=_TOLERANCE,
    )
    return pull


def _excess(scores: FloatArray, area: FloatArray, pull: FloatArray) -> FloatArray:
    return area_of(ndtr(scores[0] - pull[:, None]), ndtr(scores[1] + pull[:, None])) - area
