"""The variance of an estimate, as a function of the numbers of cases: a method each.

======== ==========================================================================================
n0, n1   cases of the negative and of the positive class
D        (mean difference)/sqrt(s0^2 + s1^2), so that AUC = Phi(D)
w0, w1   s0^2/(s0^2 + s1^2) and s1^2/(s0^2 + s1^2)
r0, r1   correlation of two features within the negative and within the positive class
======== ==========================================================================================
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.special import ndtri

from rocpredict.arguments import FloatArray
from rocpredict.binormal import empirical_auc_variance
from rocpredict.distributions import Distribution, Gaussian, is_atomic
from rocpredict.inference.areas import hanley_mcneil_variance
from rocpredict.inference.moments import Spread as ProbitSpread
from rocpredict.inference.moments import auc_spread, height_spread
from rocpredict.numeric.search import edges_of, mean_over
from rocpredict.quadrature import panels
from rocpredict.roc import Roc

Variance: TypeAlias = Callable[[int, int], float]
Correlation: TypeAlias = tuple[float, float]

_ROUNDING = 1e-12  # of two variances: where their difference falls below, both curves are one


class Spread(NamedTuple):
    """The variance of the estimate as predicted, and under the null hypothesis."""

    estimate: Variance
    null: Variance


def auc_spreads(roc: Roc, null: float | None = None) -> dict[str, Spread]:
    """Give the variances of one AUC by method, the reference first."""
    methods = {"exact": (_exact(roc), _exact_null(roc, null))}
    if is_gaussian(roc):
        methods["delta"] = (_delta(roc), _delta(roc, null))
    auc = float(roc.auc())
    for name, of_auc in {"hanley-mcneil": _hanley_mcneil, "obuchowski": _obuchowski}.items():
        methods[name] = (of_auc(auc), of_auc(auc if null is None else null))
    return {name: Spread(*pair) for name, pair in methods.items()}


def difference_spreads(roc: Roc, other: Roc, correlation: Correlation | None) -> dict[str, Spread]:
    """Give the variances of a difference of two AUCs, the same under the null; None: each has its own cases."""
    if correlation is not None:
        return {"exact": _same(_difference(_exact(roc), _exact(other), _covariance(roc, other, correlation).of))}
    first, second = auc_spreads(roc), auc_spreads(other)
    return {name: _same(_difference(first[name].estimate, second[name].estimate)) for name in first if name in second}


def tpr_spreads(roc: Roc, fpr: float) -> dict[str, Spread]:
    """Give the variances of the TPR at an FPR by method, the reference first."""
    methods = {"empirical": _same(_tpr_empirical(roc, fpr))}
    if is_gaussian(roc):
        methods["delta"] = _same(_tpr_delta(roc, fpr))
    return methods


def is_gaussian(roc: Roc) -> bool:
    """Tell whether both classes are Gaussian."""
    return isinstance(roc.negative, Gaussian) and isinstance(roc.positive, Gaussian)


def _same(variance: Variance) -> Spread:
    return Spread(variance, variance)


def _difference(first: Variance, second: Variance, covariance: Variance | None = None) -> Variance:
    def variance(n0: int, n1: int) -> float:
        alone = first(n0, n1) + second(n0, n1)
        left = alone - (0.0 if covariance is None else 2 * covariance(n0, n1))
        return left if left > _ROUNDING * alone else 0.0

    return variance


# ---- the empirical AUC
class _Shared(NamedTuple):
    """Covariances of two comparisons of a positive with a negative, by the cases that both share."""

    both: float
    positive: float
    negative: float

    def of(self, n0: int, n1: int) -> float:
        """Give the (co)variance of the mean over all n0 n1 comparisons (Hoeffding 1948)."""
        return (self.both + (n0 - 1) * self.positive + (n1 - 1) * self.negative) / (n0 * n1)


def _exact(roc: Roc) -> Variance:
    negative, positive = _oriented(roc)
    if isinstance(negative, Gaussian) and isinstance(positive, Gaussian):
        return lambda n0, n1: float(empirical_auc_variance(negative, positive, (n0, n1)))
    return _by_placements(negative, positive).of


def _exact_null(roc: Roc, null: float | None) -> Variance:
    """Give Mann-Whitney's null variance at 1/2; elsewhere that of the same Gaussians with their means moved."""
    if null == 0.5:
        return lambda n0, n1: (n0 + n1 + 1) / (12 * n0 * n1)
    if null is None or not is_gaussian(roc):
        return _exact(roc)
    moved = _moved(roc, null)
    return lambda n0, n1: float(empirical_auc_variance(*moved, (n0, n1)))


def _by_placements(negative: Distribution, positive: Distribution) -> _Shared:
    """Integrate the squared placements of one class over the other; a tie counts half."""

    def of_positive(x: FloatArray) -> FloatArray:
        return np.asarray((np.asarray(negative.below(x)) + negative.cdf(x)) / 2)

    def of_negative(x: FloatArray) -> FloatArray:
        return np.asarray((np.asarray(positive.sf(x)) + positive.at_or_above(x)) / 2)

    auc = _mean(positive, of_positive, negative)
    points, masses = negative.atoms()
    ties = float(masses @ (np.asarray(positive.at_or_above(points)) - positive.sf(points)))
    return _Shared(
        both=auc * (1 - auc) - ties / 4,
        positive=_mean(positive, lambda x: of_positive(x) ** 2, negative) - auc * auc,
        negative=_mean(negative, lambda x: of_negative(x) ** 2, positive) - auc * auc,
    )


def _mean(weighing: Distribution, f: Callable[[FloatArray], FloatArray], other: Distribution) -> float:
    points, masses = weighing.atoms()
    smooth = 0.0 if is_atomic(weighing) else mean_over(weighing, f, edges_of(weighing, other))
    return float(masses @ np.asarray(f(points))) + smooth


def _covariance(roc: Roc, other: Roc, correlation: Correlation) -> _Shared:
    """Give the covariance of the empirical AUCs of two Gaussian features of the same cases."""
    (first, first0, first1), (second, second0, second1) = _standardized(roc), _standardized(other)
    turned = -1 if (roc.direction == "lower") != (other.direction == "lower") else 1
    r0, r1 = (turned * r for r in correlation)
    by_negative, by_positive = r0 * np.sqrt(first0 * second0), r1 * np.sqrt(first1 * second1)
    return _Shared(*(_joint_excess(first, second, r) for r in (by_negative + by_positive, by_positive, by_negative)))


def _joint_excess(h: float, k: float, correlation: float) -> float:
    """Give P(Z1 < h, Z2 < k) - Phi(h) Phi(k): the bivariate density over the correlation (Plackett 1954)."""
    rounded = np.round(correlation, 15)  # at 1 the angle would show half the digits of a rounding
    end = np.arcsin(np.clip(rounded, -1, 1))
    edges = np.append(end * (1 - 0.5 ** np.arange(40)), end)  # ever finer to a correlation of 1, where it may bend hard

    def density(angle: FloatArray) -> FloatArray:
        square = (h - k) ** 2 + 4 * h * k * np.sin(np.pi / 4 - angle / 2) ** 2
        return np.asarray(np.exp(-square / (2 * np.cos(angle) ** 2)))

    return float(panels(density, edges[:-1], edges[1:]).sum() / (2 * np.pi))


# ---- other formulas for the AUC
def _delta(roc: Roc, null: float | None = None) -> Variance:
    """Give the variance of Phi(D) from estimated means and SDs."""
    pair = _gaussians(roc) if null is None else _moved(roc, null)
    return lambda n0, n1: _of_probability(auc_spread(*pair, (n0, n1)))


def _hanley_mcneil(auc: float) -> Variance:
    return lambda n0, n1: hanley_mcneil_variance(auc, (n0, n1))


def _obuchowski(auc: float) -> Variance:
    square = 2 * ndtri(auc) ** 2
    scale = 0.0099 * np.exp(-square / 2)
    return lambda n0, n1: float(scale * ((5 * square + 8) / n1 + (square + 8) / n0))


# ---- the TPR at an FPR
def _tpr_empirical(roc: Roc, fpr: float) -> Variance:
    tpr, slope = float(roc.tpr_at_fpr(fpr)), float(roc.slope(fpr))
    return lambda n0, n1: tpr * (1 - tpr) / n1 + slope * slope * fpr * (1 - fpr) / n0


def _tpr_delta(roc: Roc, fpr: float) -> Variance:
    """Give the variance of Phi(a + b Phi^-1(FPR)) from estimated means and SDs."""
    pair = _gaussians(roc)
    return lambda n0, n1: _of_probability(height_spread(*pair, (n0, n1), np.asarray(fpr)))


def _of_probability(probit: ProbitSpread) -> float:
    """Give the variance of Phi(z) from the standard error of z."""
    return float(np.exp(-(probit.z**2)) / (2 * np.pi) * probit.std_error**2)


def _oriented(roc: Roc) -> tuple[Distribution, Distribution]:
    """Give both classes with the positives on the higher side."""
    pair = roc.negative, roc.positive
    return (pair[0].reflect(), pair[1].reflect()) if roc.direction == "lower" else pair


def _gaussians(roc: Roc) -> tuple[Gaussian, Gaussian]:
    """Give both classes as ``_oriented`` does, where they are known to be Gaussian."""
    negative, positive = _oriented(roc)
    assert isinstance(negative, Gaussian)
    assert isinstance(positive, Gaussian)
    return negative, positive


def _moved(roc: Roc, null: float) -> tuple[Gaussian, Gaussian]:
    """Give the same Gaussians with their means moved to an AUC."""
    negative, positive = _gaussians(roc)
    spread = np.hypot(negative.std, positive.std)
    return Gaussian(0.0, negative.std), Gaussian(ndtri(null) * spread, positive.std)


def _standardized(roc: Roc) -> tuple[float, float, float]:
    """Give D, w0 and w1."""
    negative, positive = _gaussians(roc)
    spread = np.hypot(negative.std, positive.std)
    w0, w1 = ((d.std / spread) ** 2 for d in (negative, positive))
    return float((positive.mean - negative.mean) / spread), float(w0), float(w1)
