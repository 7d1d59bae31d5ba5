"""Exact solution for two histograms."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rocpredict.base.validation import FloatArray
from rocpredict.distributions.ecdf import Ecdf
from rocpredict.distributions.histogram import Histogram
from rocpredict.solvers.base import Hook, LikelihoodRatioSolver, MappedLikelihoodRatioSolver, SameCurveSolver
from rocpredict.solvers.empirical import EmpiricalSolver
from rocpredict.solvers.numerical import NumericalSolver
from rocpredict.solvers.quadrature import make_log_density_ratio


class AucBounds(NamedTuple):
    """The lowest and the highest value that data in these bins can give."""

    low: float
    high: float

    def __repr__(self) -> str:
        return f"AucBounds(low={self.low:.6g}, high={self.high:.6g})"


class HistogramSolver(SameCurveSolver, NumericalSolver):
    """ROC curve of two histograms.

    Both densities are constant between neighbouring edges of either histogram. So the curve by thresholds and the one
    by likelihood ratio are straight there, as at a value that both classes share: the solver counts such cells.
    """

    base: EmpiricalSolver
    negative: Histogram
    positive: Histogram

    def __init__(self, negative: Histogram, positive: Histogram) -> None:
        super().__init__(negative, positive)
        self.edges = np.union1d(negative.edges, positive.edges)
        number = np.arange(len(self.edges) - 1)
        weights = [_weights(d, self.edges[:-1], self.edges[1:]) for d in (negative, positive)]
        self.base = EmpiricalSolver(*(Ecdf(number, weight) for weight in weights))

    def slope(self, fpr: FloatArray) -> FloatArray:
        """Return the slope of the curve."""
        return self.base.slope(fpr)

    def hook(self) -> Hook[Any]:
        """Return the part of the curve below the chance line."""
        return self.base.hook()

    def likelihood_ratio(self) -> LikelihoodRatioSolver:
        """Return the ROC curve of the likelihood ratio."""
        return MappedLikelihoodRatioSolver(self.base.likelihood_ratio(), self._edges_at)

    def _crossings(self, log_price: FloatArray) -> tuple[FloatArray, bool]:
        """Return the edges at which f1 - price f0 changes its sign; where it is 0 in between, the first of them."""
        middle = self.edges[:-1] / 2 + self.edges[1:] / 2
        with np.errstate(invalid="ignore"):
            excess = make_log_density_ratio(self.negative, self.positive)(middle) - log_price
        signs = np.sign(np.where(np.isnan(excess), 0.0, excess))
        signed = np.flatnonzero(signs)
        turns = np.flatnonzero(signs[signed][1:] != signs[signed][:-1])
        return self.edges[signed[turns] + 1], False

    def _edges_at(self, between: FloatArray) -> FloatArray:
        """Return the edges between cells of these numbers."""
        inner = np.ceil(np.clip(between, 0, len(self.edges) - 1)).astype(np.intp)
        return np.where(np.isinf(between), between, self.edges[inner])


def auc_bounds(negative: Histogram, positive: Histogram) -> AucBounds:
    """Return the lowest and the highest AUC of any data that fall into these bins.

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
    """Return the lowest and the highest best Ameans, with one threshold, of any data that fall into these bins.

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


def _weights(histogram: Histogram, left: FloatArray, right: FloatArray) -> FloatArray:
    """Return how many values lie in cells, none of which reaches over an edge."""
    index = np.clip(np.searchsorted(histogram.edges, left, side="right") - 1, 0, len(histogram.counts) - 1)
    inside = (left >= histogram.edges[0]) & (right <= histogram.edges[-1])
    return np.where(inside, histogram.counts[index] * ((right - left) / np.diff(histogram.edges)[index]), 0.0)


def _mass_at_left_edges(histogram: Histogram) -> Ecdf:
    return Ecdf(histogram.edges[:-1], histogram.counts)


def _mass_at_right_edges(histogram: Histogram) -> Ecdf:
    return Ecdf(histogram.edges[1:], histogram.counts)
