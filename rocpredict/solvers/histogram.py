"""Exact solution for two histograms."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rocpredict.base.validation import FloatArray
from rocpredict.distributions.ecdf import Ecdf
from rocpredict.distributions.histogram import Histogram
from rocpredict.solvers import empirical as steps
from rocpredict.solvers.base import TwoThresholdRule


class AucBounds(NamedTuple):
    """Hold the lowest and the highest value that data in these bins can give."""

    low: float
    high: float

    def __repr__(self) -> str:
        return f"AucBounds(low={self.low:.6g}, high={self.high:.6g})"


def evaluate(question: str, negative: Histogram, positive: Histogram, *args: Any) -> Any:
    """Answer what is asked of the curve by counting cells.

    Between neighbouring edges of either histogram both densities are level. So the curve by thresholds and the one by
    likelihood ratio run straight there, as they do at a value that both classes share: cells are such values.
    """
    edges, *cells = _cells(negative, positive)
    found = getattr(steps, question)(*cells, *args)
    if not isinstance(found, TwoThresholdRule):
        return found
    low, high = (_edges_at(edges, end) for end in (found.low, found.high))
    return found._replace(low=low, high=high, thresholds=_edges_at(edges, found.thresholds))


def crossings(negative: Histogram, positive: Histogram, log_kappa: FloatArray) -> FloatArray:
    """Give the edges at which f1 - kappa f0 changes its sign; where it is 0 in between, the first of them."""
    edges = np.union1d(negative.edges, positive.edges)
    middle = edges[:-1] / 2 + edges[1:] / 2
    with np.errstate(invalid="ignore"):
        steepness = np.asarray(positive.logpdf(middle)) - negative.logpdf(middle) - log_kappa
    signs = np.sign(np.where(np.isnan(steepness), 0.0, steepness))
    signed = np.flatnonzero(signs)
    turns = np.flatnonzero(signs[signed][1:] != signs[signed][:-1])
    return np.asarray(edges[signed[turns] + 1])


def auc_bounds(negative: Histogram, positive: Histogram) -> AucBounds:
    """Give the lowest and the highest AUC of any data that fall into these bins.

    Parameters
    ----------
    negative, positive : Histogram
        On the same edges or not.

    Returns
    -------
    AucBounds
        ``low`` and ``high``. Both are sharp: data with that AUC, or as near to it as one likes, exist.

    Notes
    -----
    The AUC is highest when every negative lies at the lower end of its bin and every positive at the upper end of
    its own, lowest the other way round: a bin holds its lower end and not its upper one. On common edges the two
    lie the tie mass sum_k p_k n_k apart, and the evenly filled bins give their midpoint, which is the trapezoid rule.

    Examples
    --------
    >>> auc_bounds(Histogram([0, 1, 2], [3, 1]), Histogram([0, 1, 2], [1, 3]))
    AucBounds(low=0.5625, high=0.9375)
    """
    lowest = positive.probabilities @ _mass_at_right_edges(negative).cdf(positive.edges[:-1])
    highest = positive.probabilities @ _mass_at_left_edges(negative).cdf_strict(positive.edges[1:])
    return AucBounds(float(lowest), float(highest))


def ameans_bounds(negative: Histogram, positive: Histogram) -> AucBounds:
    """Give the lowest and the highest best Ameans, with one threshold, of any data that fall into these bins.

    Parameters
    ----------
    negative, positive : Histogram
        On the same edges or not.

    Returns
    -------
    AucBounds
        ``low`` and ``high``; both sharp.

    Notes
    -----
    J = 2 Ameans - 1 is at least its largest value over edges, and at most max_k cN[k + 1] - cP[k] with the
    cumulative shares cN and cP (on common edges): all negatives of a bin below all positives of it.

    Examples
    --------
    >>> ameans_bounds(Histogram([0, 1, 2], [3, 1]), Histogram([0, 1, 2], [1, 3]))
    AucBounds(low=0.75, high=0.875)
    """
    edges = np.union1d(negative.edges, positive.edges)
    lowest = _mass_at_right_edges(negative).cdf(edges) - _mass_at_left_edges(positive).cdf_strict(edges)
    highest = _mass_at_left_edges(negative).cdf(edges) - _mass_at_right_edges(positive).cdf(edges)
    return AucBounds(*(0.5 + max(0.0, float(np.max(excess))) / 2 for excess in (lowest, highest)))


def _cells(negative: Histogram, positive: Histogram) -> tuple[FloatArray, Ecdf, Ecdf]:
    """Give all edges, and each class as the numbers of the cells between them."""
    edges = np.union1d(negative.edges, positive.edges)
    number = np.arange(len(edges) - 1)
    first, second = (Ecdf(number, _weights(d, edges[:-1], edges[1:])) for d in (negative, positive))
    return edges, first, second


def _weights(histogram: Histogram, left: FloatArray, right: FloatArray) -> FloatArray:
    """Give how many values lie in cells, none of which reaches over an edge."""
    index = np.clip(np.searchsorted(histogram.edges, left, side="right") - 1, 0, len(histogram.counts) - 1)
    inside = (left >= histogram.edges[0]) & (right <= histogram.edges[-1])
    return np.where(inside, histogram.counts[index] * ((right - left) / np.diff(histogram.edges)[index]), 0.0)


def _edges_at(edges: FloatArray, between: FloatArray) -> FloatArray:
    """Give the edges that lie between cells of these numbers."""
    inner = np.ceil(np.clip(between, 0, len(edges) - 1)).astype(np.intp)
    return np.where(np.isinf(between), between, edges[inner])


def _mass_at_left_edges(histogram: Histogram) -> Ecdf:
    return Ecdf(histogram.edges[:-1], histogram.counts)


def _mass_at_right_edges(histogram: Histogram) -> Ecdf:
    return Ecdf(histogram.edges[1:], histogram.counts)
