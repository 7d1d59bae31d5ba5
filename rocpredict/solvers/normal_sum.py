"""Exact areas of two weighted sums of normal distributions."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from rocpredict.base.validation import FloatArray, RocPredictError
from rocpredict.distributions.base import Distribution
from rocpredict.distributions.gaussian import Gaussian
from rocpredict.distributions.normal_sum import GaussianSum, GaussianSumDistribution, symmetric_sum
from rocpredict.solvers.families import as_gaussian
from rocpredict.solvers.numerical import NumericalSolver

_LARGEST_BLOCK = 2**20  # pairs at a time: 8 MB for each of a few arrays
_STEP = 0.35  # in hypot(s0, s1): the sum over such points is the integral, to 1e-17 of it
_NODE_COST = 2  # a point costs two sums, a pair one


class NormalSumSolver(NumericalSolver):
    """ROC curve of two weighted sums of normal distributions, with the area as a sum.

    Notes
    -----
    The AUC is the sum over all pairs of components of w0 w1 Phi((c1 - c0)/hypot(s0, s1)), with weights w, centres c and
    standard deviations s. Between two kernel densities the sum depends on hypot(s0, s1) = H alone. So both may be given
    the width H/sqrt(2), and with their cdf F and density f it is the integral of F f; of such smooth functions the sum
    over evenly spaced points is the integral to rounding (the trapezoidal rule: Trefethen and Weideman 2014), pair by
    pair and in relative terms. That takes (n0 + n1) terms a point and not n0 n1.

    References
    ----------
    L. N. Trefethen and J. A. C. Weideman, The exponentially convergent trapezoidal rule, SIAM Review 56 (2014)
    385-458.
    """

    def __init__(self, negative: Distribution, positive: Distribution) -> None:
        super().__init__(negative, positive)
        self._sums = [_components(d) for d in (negative, positive)]

    def auc(self) -> FloatArray:
        """Return P(positive > negative) + P(tie)/2."""
        return _area(*self._sums, upper=False)

    def auc_complement(self) -> FloatArray:
        """Return P(positive < negative) + P(tie)/2, with its own digits."""
        return _area(*self._sums, upper=True)


def is_normal_sum(distribution: Distribution) -> bool:
    """Return whether a distribution is a sum of normals: a Gaussian of one feature, a kernel density or a mixture."""
    gaussian = as_gaussian(distribution)
    return isinstance(gaussian, GaussianSumDistribution) or (isinstance(gaussian, Gaussian) and not gaussian.shape)


def _components(distribution: Distribution) -> GaussianSum:
    gaussian = as_gaussian(distribution)
    if isinstance(gaussian, GaussianSumDistribution):
        return gaussian.components
    if isinstance(gaussian, Gaussian) and not gaussian.shape:
        return GaussianSum(np.ones(1), np.array([gaussian.mean]), np.array([gaussian.std]))
    raise RocPredictError(f"{distribution!r} is not a sum of normals of one feature")


def _area(negative: GaussianSum, positive: GaussianSum, *, upper: bool) -> FloatArray:
    if not (negative.equal_stds and positive.equal_stds):
        return _pairwise_auc(negative, positive, upper=upper)
    width = float(np.hypot(negative.stds[0], positive.stds[0]))
    if width == 0:
        return _pairwise_auc(negative, positive, upper=upper)
    points = _quadrature_nodes(negative, positive, width)
    if points is not None:
        return _trapezoidal_auc(negative, positive, width, points, upper=upper)
    tails = _select_bandwidth(negative, width).tail(positive.means, upper=upper)
    return np.asarray(symmetric_sum(tails * positive.weights) / positive.total)


def _quadrature_nodes(negative: GaussianSum, positive: GaussianSum, width: float) -> FloatArray | None:
    """Return the points to sum over, or nothing where they cost more than the pairs."""
    beyond = max(negative.cutoff_z, positive.cutoff_z) * width
    with np.errstate(over="ignore", invalid="ignore"):
        low = min(negative.means[0], positive.means[0]) - beyond
        high = max(negative.means[-1], positive.means[-1]) + beyond
        count = (high / 2 - low / 2) / (_STEP * width / 2) + 1
    kernels = len(negative.means), len(positive.means)
    if not _NODE_COST * count * sum(kernels) < kernels[0] * kernels[1]:
        return None
    return np.asarray(low + np.arange(int(count) + 1) * (_STEP * width))


def _trapezoidal_auc(
    negative: GaussianSum, positive: GaussianSum, width: float, points: FloatArray, *, upper: bool
) -> FloatArray:
    """Sum the tail of the one class times the density of the other."""
    halved = width * np.sqrt(0.5)
    tails = _select_bandwidth(negative, halved).tail(points, upper=upper)
    densities = _select_bandwidth(positive, halved).pdf(points) * (_STEP * width)
    return np.asarray(symmetric_sum(tails * densities))


def _select_bandwidth(normals: GaussianSum, width: float) -> GaussianSum:
    return GaussianSum(normals.weights, normals.means, np.full(len(normals.means), width))


def _pairwise_auc(negative: GaussianSum, positive: GaussianSum, *, upper: bool) -> FloatArray:
    """Sum over all pairs, some rows of them at a time."""
    step = max(1, _LARGEST_BLOCK // len(negative.means))
    parts = [
        _block(negative, positive, slice(first, first + step), upper=upper)
        for first in range(0, len(positive.means), step)
    ]
    return np.asarray(sum(parts) / negative.total / positive.total)


def _block(negative: GaussianSum, positive: GaussianSum, rows: slice, *, upper: bool) -> FloatArray:
    gap = positive.means[rows, None] / 2 - negative.means / 2  # halves, so that it does not overflow
    if upper:
        np.negative(gap, out=gap)
    width = np.hypot(positive.stds[rows, None] / 2, negative.stds / 2)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        z = np.where(gap == 0, 0.0, gap / width)  # two point masses may tie
    return symmetric_sum(symmetric_sum(ndtr(z) * negative.weights) * positive.weights[rows])
