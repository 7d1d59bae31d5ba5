"""Variances of empirical areas, as class distributions let one expect them, and default intervals of many studies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np
from scipy.special import ndtri, stdtrit

from rocpredict.base.validation import ArrayOrFloat, FloatArray
from rocpredict.distributions.base import Distribution
from rocpredict.distributions.ecdf import is_discrete
from rocpredict.distributions.gaussian import Gaussian
from rocpredict.inference.intervals import hanley_mcneil_variance
from rocpredict.inference.parametric import ProbitEstimate, auc_probit, tpr_probit
from rocpredict.inference.placements import PLACEMENT_TOL, VarianceComponent
from rocpredict.inference.smoothed_logit import MIN_SUM_SQUARES, SmoothedAreas, satterthwaite_df
from rocpredict.solvers.binormal import BinormalSolver
from rocpredict.solvers.quadrature import expectation, gauss_legendre, panel_edges

Variance: TypeAlias = Callable[[int, int], float]
Correlation: TypeAlias = tuple[float, float]
Curve: TypeAlias = Any
"""A ``Roc``, whose room lies above this one."""
_ROUNDING = 1e-12  # of two variances: where their difference falls below, both curves are one


def auc_variances(roc: Curve, null: float | None = None) -> dict[str, Variance]:
    """Return the variances of one AUC by method, the reference first; those of a test under its null AUC."""
    auc = float(roc.auc()) if null is None else null
    methods: dict[str, Variance] = {"exact": _exact(roc, null)}
    if is_gaussian(roc):
        pair = _gaussians(roc, null)
        methods["delta"] = lambda n0, n1: _probit_variance(auc_probit(*pair, (n0, n1)))
    methods["hanley-mcneil"] = lambda n0, n1: hanley_mcneil_variance(auc, (n0, n1))
    return methods | {"obuchowski": _obuchowski(auc)}


def difference_variances(roc: Curve, other: Curve, correlation: Correlation | None) -> dict[str, Variance]:
    """Return the variances of a difference of two AUCs by method; without correlation each has its own cases."""
    if correlation is not None:
        return {"exact": _difference(_exact(roc), _exact(other), share_covariance(roc, other, correlation).covariance)}
    first, second = auc_variances(roc), auc_variances(other)
    return {name: _difference(first[name], second[name]) for name in first if name in second}


def tpr_variances(roc: Curve, fpr: float) -> dict[str, Variance]:
    """Return the variances of the TPR at an FPR by method, the reference first."""
    tpr, slope = float(roc.tpr_at_fpr(fpr)), float(roc.slope(fpr))

    def empirical(n0: int, n1: int) -> float:
        return tpr * (1 - tpr) / n1 + slope * slope * fpr * (1 - fpr) / n0

    if not is_gaussian(roc):
        return {"empirical": empirical}
    pair = _gaussians(roc)
    return {
        "empirical": empirical,
        "delta": lambda n0, n1: _probit_variance(tpr_probit(*pair, (n0, n1), np.asarray(fpr))),
    }


def is_gaussian(roc: Curve) -> bool:
    """Return whether both classes are Gaussian."""
    return isinstance(roc.negative, Gaussian) and isinstance(roc.positive, Gaussian)


def _difference(first: Variance, second: Variance, covariance: Variance | None = None) -> Variance:
    def variance(n0: int, n1: int) -> float:
        variance_sum = first(n0, n1) + second(n0, n1)
        variance_difference = variance_sum - (0.0 if covariance is None else 2 * covariance(n0, n1))
        return variance_difference if variance_difference > _ROUNDING * variance_sum else 0.0

    return variance


# ---- the empirical AUC
class SharedCovariance(NamedTuple):
    """Covariances of two comparisons of a positive with a negative, by the cases that both share."""

    both: float
    positive: float
    negative: float

    def covariance(self, n0: int, n1: int) -> float:
        """Return the (co)variance of the mean over all n0 n1 comparisons (Hoeffding 1948)."""
        return (self.both + (n0 - 1) * self.positive + (n1 - 1) * self.negative) / (n0 * n1)

    def placement_variances(self, n0: int, n1: int) -> tuple[float, float]:
        """Return the expected sample (co)variance of the placements of the negatives, and of the positives."""
        negative = (self.both + (n1 - 1) * self.negative - self.positive) / n1
        return negative, (self.both + (n0 - 1) * self.positive - self.negative) / n0


def _exact(roc: Curve, null: float | None = None) -> Variance:
    """Return the exact variance; under a null hypothesis Mann-Whitney's at 1/2, elsewhere that of shifted Gaussians."""
    if null == 0.5:
        return lambda n0, n1: (n0 + n1 + 1) / (12 * n0 * n1)
    if not is_gaussian(roc):
        return integrate_covariance(*orient_classes(roc)).covariance
    solver = BinormalSolver(*_gaussians(roc, null))
    return lambda n0, n1: float(solver.empirical_auc_variance((n0, n1)))


def integrate_covariance(negative: Distribution, positive: Distribution) -> SharedCovariance:
    """Integrate the squared placements of one class over the other; a tie counts half."""

    def of_positive(x: FloatArray) -> FloatArray:
        return np.asarray((np.asarray(negative.cdf_strict(x)) + negative.cdf(x)) / 2)

    def of_negative(x: FloatArray) -> FloatArray:
        return np.asarray((np.asarray(positive.sf(x)) + positive.sf_inclusive(x)) / 2)

    auc = _mean(positive, of_positive, negative)
    points, masses = negative.atoms()
    ties = float(masses @ (np.asarray(positive.sf_inclusive(points)) - positive.sf(points)))
    return SharedCovariance(
        both=auc * (1 - auc) - ties / 4,
        positive=_mean(positive, lambda x: of_positive(x) ** 2, negative) - auc * auc,
        negative=_mean(negative, lambda x: of_negative(x) ** 2, positive) - auc * auc,
    )


def _mean(weighing: Distribution, f: Callable[[FloatArray], FloatArray], other: Distribution) -> float:
    points, masses = weighing.atoms()
    smooth = 0.0 if is_discrete(weighing) else expectation(weighing, f, panel_edges(weighing, other))
    return float(masses @ np.asarray(f(points))) + smooth


def share_covariance(roc: Curve, other: Curve, correlation: Correlation) -> SharedCovariance:
    """Return the covariance of the empirical AUCs of two Gaussian features of the same cases."""
    (first, first0, first1), (second, second0, second1) = _standardized(roc), _standardized(other)
    turned = -1 if (roc.direction == "lower") != (other.direction == "lower") else 1
    r0, r1 = (turned * r for r in correlation)
    by_negative, by_positive = r0 * np.sqrt(first0 * second0), r1 * np.sqrt(first1 * second1)
    return SharedCovariance(
        *(_bivariate_normal_excess(first, second, r) for r in (by_negative + by_positive, by_positive, by_negative))
    )


def _standardized(roc: Curve) -> tuple[float, float, float]:
    """Return the standardized distance of the means, and the share of each class in the sum of variances."""
    negative, positive = _gaussians(roc)
    size = np.hypot(negative.std, positive.std)
    w0, w1 = ((d.std / size) ** 2 for d in (negative, positive))
    return float((positive.mean - negative.mean) / size), float(w0), float(w1)


def _bivariate_normal_excess(h: float, k: float, correlation: float) -> float:
    """Return P(Z1 < h, Z2 < k) - Phi(h) Phi(k): the bivariate density over the correlation (Plackett 1954)."""
    rounded = np.round(correlation, 15)  # at 1 the angle would show half the digits of a rounding
    end = np.arcsin(np.clip(rounded, -1, 1))
    edges = np.append(end * (1 - 0.5 ** np.arange(40)), end)  # ever finer to a correlation of 1, where it may bend hard

    def density(angle: FloatArray) -> FloatArray:
        square = (h - k) ** 2 + 4 * h * k * np.sin(np.pi / 4 - angle / 2) ** 2
        return np.asarray(np.exp(-square / (2 * np.cos(angle) ** 2)))

    return float(gauss_legendre(density, edges[:-1], edges[1:]).sum() / (2 * np.pi))


# ---- other formulas
def _obuchowski(auc: float) -> Variance:
    square = 2 * ndtri(auc) ** 2
    scale = 0.0099 * np.exp(-square / 2)
    return lambda n0, n1: float(scale * ((5 * square + 8) / n1 + (square + 8) / n0))


def _probit_variance(probit: ProbitEstimate) -> float:
    """Return the variance of Phi(z) from the standard error of z."""
    return float(np.exp(-(probit.z**2)) / (2 * np.pi) * probit.std_error**2)


def orient_classes(roc: Curve) -> tuple[Distribution, Distribution]:
    """Return both classes with the positives on the higher side."""
    pair = roc.negative, roc.positive
    return (pair[0].reflect(), pair[1].reflect()) if roc.direction == "lower" else pair


def _gaussians(roc: Curve, null: float | None = None) -> tuple[Gaussian, Gaussian]:
    """Return both classes where they are Gaussian, the means shifted to an AUC of ``null`` if there is one."""
    negative, positive = orient_classes(roc)
    assert isinstance(negative, Gaussian)
    assert isinstance(positive, Gaussian)
    if null is None:
        return negative, positive
    shift = ndtri(null) * np.hypot(negative.std, positive.std)
    return Gaussian(0.0, negative.std), Gaussian(shift, positive.std)


# ---- default intervals of many studies
def default_limits(
    areas: Sequence[SmoothedAreas], correlation: ArrayOrFloat, df: ArrayOrFloat, level: float
) -> tuple[FloatArray, FloatArray]:
    """Return the ends of the default interval in each of many studies: of one area, or of the difference of two."""
    if len(areas) == 1:
        return areas[0].interval(level)
    quantile = -stdtrit(df, (1 - level) / 2)
    (low, high), (other_low, other_high) = (part.limits(quantile) for part in areas)
    first, second = (part.estimate for part in areas)

    def distance(one: FloatArray, other: FloatArray) -> FloatArray:
        return np.asarray(np.sqrt(np.maximum(one**2 + other**2 - 2 * correlation * one * other, 0)))

    difference = first - second
    return difference - distance(first - low, other_high - second), difference + distance(
        high - first, second - other_low
    )


def smooth_areas(estimate: FloatArray, squares: Sequence[FloatArray], counts: tuple[int, int]) -> SmoothedAreas:
    """Smooth the areas of many studies, from the sums of squares of the placements of each class."""
    constant = [part <= PLACEMENT_TOL**2 for part in squares]
    is_constant = constant[0] & constant[1] & (np.abs(estimate - 1 / 2) <= PLACEMENT_TOL)
    return SmoothedAreas.from_sum_squares(
        estimate, squares, counts, 1 / 2, constant_classes=constant, is_constant=is_constant
    )


def unpaired_df(areas: Sequence[SmoothedAreas]) -> Any:
    """Return the degrees of freedom of the difference of two areas of different observations."""
    return satterthwaite_df([VarianceComponent(part.variance, cast(Any, part.df)) for part in areas])


def paired_df(squares: Sequence[ArrayOrFloat], counts: tuple[int, int]) -> Any:
    """Return the degrees of freedom of the difference of two areas of the same observations."""
    parts = zip(squares, counts, strict=True)
    return satterthwaite_df([VarianceComponent((part + MIN_SUM_SQUARES) / (n * (n - 1)), n - 1) for part, n in parts])


def draw_placements(negative: FloatArray, positive: FloatArray, *, tied: bool) -> tuple[FloatArray, FloatArray]:
    """Return the placements of the negatives and the positives of R studies, shapes (R, n0) and (R, n1)."""

    def count(first: FloatArray, second: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Count for each of the first the second ones below, and for each of the second the first ones not above."""
        order = np.argsort(np.concatenate([first, second], axis=1), axis=1, kind="stable")
        is_first = order < first.shape[1]
        so_far, counts = np.cumsum(is_first, axis=1), np.empty(order.shape)
        np.put_along_axis(counts, order, np.where(is_first, np.arange(1, order.shape[1] + 1) - so_far, so_far), axis=1)
        return counts[:, : first.shape[1]], counts[:, first.shape[1] :]

    below, won = count(negative, positive)
    if tied:
        won_strictly, not_above = count(positive, negative)
        below, won = (below + not_above) / 2, (won + won_strictly) / 2
    return 1 - below / positive.shape[1], won / negative.shape[1]
