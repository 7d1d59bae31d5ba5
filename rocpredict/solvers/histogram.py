"""Solver for the ROC curve of two histograms, and bounds on the AUC and on the best Ameans."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rocpredict.base.validation import FloatArray
from rocpredict.distributions.ecdf import Ecdf
from rocpredict.distributions.histogram import Histogram
from rocpredict.solvers.base import Hook, LikelihoodRatioSolver, MappedLikelihoodRatioSolver, SameCurveSolver
from rocpredict.solvers.empirical import EmpiricalSolver
from rocpredict.solvers.numerical import NumericalSolver
from rocpredict.solvers.quadrature import log_density_ratio


class AucBounds(NamedTuple):
    """Lowest and highest possible value of the AUC or of the best Ameans, given the bin counts."""

    low: float
    high: float

    def __repr__(self) -> str:
        return f"AucBounds(low={self.low:.6g}, high={self.high:.6g})"


class HistogramSolver(SameCurveSolver, NumericalSolver):
    """Solver for the ROC curve of two histograms.

    The edges of the two histograms divide the axis into cells on which both densities are constant. The ROC curve of
    the feature and the ROC curve of its likelihood ratio therefore have one linear segment per cell, as if all values
    in a cell were tied. The ROC curve of the feature is the empirical curve of two samples in which each value is
    replaced by the index of its cell.
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
        """Return the solver for the ROC curve of the likelihood ratio."""
        return MappedLikelihoodRatioSolver(self.base.likelihood_ratio(), self._edges_at)

    def _crossings(self, log_prices: FloatArray) -> tuple[list[FloatArray], NDArray[np.bool_]]:
        """Return, for each price (see ``Solver``), the edges at which f1 - price * f0 changes sign.

        If the sign changes across an interval on which f1 - price * f0 is 0, the lower bound of this interval is used.
        """
        middle, rows = self.edges[:-1] / 2 + self.edges[1:] / 2, []
        log_ratio = log_density_ratio(self.negative, self.positive, middle)
        for price in log_prices:
            with np.errstate(invalid="ignore"):
                excess = log_ratio - price
            signs = np.sign(np.where(np.isnan(excess), 0.0, excess))
            signed = np.flatnonzero(signs)
            turns = np.flatnonzero(signs[signed][1:] != signs[signed][:-1])
            rows.append(self.edges[signed[turns] + 1])
        return rows, np.zeros(len(log_prices), dtype=bool)

    def _edges_at(self, between: FloatArray) -> FloatArray:
        """Convert thresholds on the scale of cell indices to edges of cells."""
        inner = np.ceil(np.clip(between, 0, len(self.edges) - 1)).astype(np.intp)
        return np.where(np.isinf(between), between, self.edges[inner])


def auc_bounds(negative: Histogram, positive: Histogram) -> AucBounds:
    """Return the lowest and the highest possible AUC of data with the given bin counts.

    Parameters
    ----------
    negative, positive : Histogram
        Histograms of the classes; the edges may differ.

    Returns
    -------
    AucBounds
        Lowest (``low``) and highest (``high``) AUC. Both bounds are sharp: they are attained, or approached arbitrarily
        closely, by data with these bin counts.

    See Also
    --------
    ameans_bounds : Bounds on the best Ameans.

    Notes
    -----
    A bin contains its lower edge but not its upper edge. The AUC is highest if every negative is at the lower edge of
    its bin and every positive is just below the upper edge. The AUC is lowest if every negative is just below the upper
    edge and every positive is at the lower edge. If both histograms have the same edges, the bounds differ by the
    probability that a random positive and a random negative are in the same bin. This probability is sum_k p_k n_k,
    where p_k and n_k are the proportions of positives and negatives in bin k. For equal edges, the midpoint of the
    bounds is the AUC of values that are uniformly distributed within each bin (the trapezoidal rule).

    Examples
    --------
    >>> auc_bounds(Histogram([0, 1, 2], [3, 1]), Histogram([0, 1, 2], [1, 3]))
    AucBounds(low=0.5625, high=0.9375)
    """
    lowest = positive.probabilities @ _mass_at_right_edges(negative).cdf(positive.edges[:-1])
    highest = positive.probabilities @ _mass_at_left_edges(negative).cdf_strict(positive.edges[1:])
    return AucBounds(float(lowest), float(highest))


def ameans_bounds(negative: Histogram, positive: Histogram) -> AucBounds:
    """Return the lowest and the highest possible Ameans of the best threshold for the given bin counts.

    The Ameans is the balanced accuracy (TPR + TNR)/2; the best threshold maximizes it.

    Parameters
    ----------
    negative, positive : Histogram
        Histograms of the classes; the edges may differ.

    Returns
    -------
    AucBounds
        Lowest (``low``) and highest (``high``) Ameans. Both bounds are sharp.

    See Also
    --------
    auc_bounds : Bounds on the AUC.

    Notes
    -----
    Let J = 2 Ameans - 1. The best J is at least the maximum of J over the edges. If both histograms have the same
    edges, the best J is at most the maximum of cN[k + 1] - cP[k] over all bins k, where cN[k] and cP[k] are the
    proportions of negatives and positives below edge k. Let k be a bin with this maximum. If all negatives in bin k are
    below all positives in bin k, the best J equals this maximum.

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
    """Return the number of observations in each cell if the observations in a bin are uniformly distributed."""
    index = np.clip(np.searchsorted(histogram.edges, left, side="right") - 1, 0, len(histogram.counts) - 1)
    inside = (left >= histogram.edges[0]) & (right <= histogram.edges[-1])
    return np.where(inside, histogram.counts[index] * ((right - left) / np.diff(histogram.edges)[index]), 0.0)


def _mass_at_left_edges(histogram: Histogram) -> Ecdf:
    return Ecdf(histogram.edges[:-1], histogram.counts)


def _mass_at_right_edges(histogram: Histogram) -> Ecdf:
    return Ecdf(histogram.edges[1:], histogram.counts)
