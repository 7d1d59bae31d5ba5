"""Expected variances of empirical areas from two class distributions, and default intervals of many studies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np
from scipy.special import ndtri, stdtrit

from rocpredict.base.validation import ArrayOrFloat, FloatArray
from rocpredict.distributions.base import Distribution
from rocpredict.distributions.ecdf import is_discrete
from rocpredict.distributions.gaussian import Gaussian
from rocpredict.inference.intervals import (
    MIN_SCALE,
    MIN_SUM_SQUARES,
    PSEUDO_COUNT_VARIANCE,
    SmoothedAreas,
    hanley_mcneil_variance,
    satterthwaite_df,
    shared_smoothing,
    smooth_centre,
)
from rocpredict.inference.parametric import ProbitEstimate, auc_probit, tpr_probit
from rocpredict.inference.placements import VarianceComponent
from rocpredict.solvers.binormal import BinormalSolver
from rocpredict.solvers.quadrature import expectation, gauss_legendre, panel_edges

Variance: TypeAlias = Callable[[int, int], float]
Correlation: TypeAlias = tuple[float, float]
Curve: TypeAlias = Any
"""A ``Roc``; this class is defined in a package that imports this package."""
_ROUNDING = 1e-12  # relative rounding error of a difference of two variances


def auc_variances(roc: Curve, null: float | None = None) -> dict[str, Variance]:
    """Return the variances of one AUC by method, the exact one first; with ``null``, under the null hypothesis."""
    auc = float(roc.auc()) if null is None else null
    methods: dict[str, Variance] = {"exact": _exact(roc, null)}
    if is_gaussian(roc):
        pair = _gaussians(roc, null)
        methods["delta"] = lambda n0, n1: _probit_variance(auc_probit(*pair, (n0, n1)))
    methods["hanley-mcneil"] = lambda n0, n1: hanley_mcneil_variance(auc, (n0, n1))
    return methods | {"obuchowski": _obuchowski(auc)}


def difference_variances(roc: Curve, other: Curve, correlation: Correlation | None) -> dict[str, Variance]:
    """Return the variances of a difference of two AUCs by method.

    ``correlation`` is the correlation of both features within each class; None means independent samples.
    """
    if correlation is not None:
        return {"exact": _difference(_exact(roc), _exact(other), share_covariance(roc, other, correlation).covariance)}
    first, second = auc_variances(roc), auc_variances(other)
    return {name: _difference(first[name], second[name]) for name in first if name in second}


def tpr_variances(roc: Curve, fpr: float) -> dict[str, Variance]:
    """Return the variances of the TPR at an FPR by method, the empirical one first."""
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
    """Return True if both classes are Gaussian."""
    return isinstance(roc.negative, Gaussian) and isinstance(roc.positive, Gaussian)


def _difference(first: Variance, second: Variance, covariance: Variance | None = None) -> Variance:
    def variance(n0: int, n1: int) -> float:
        total = first(n0, n1) + second(n0, n1)
        difference = total - (0.0 if covariance is None else 2 * covariance(n0, n1))
        return difference if difference > _ROUNDING * total else 0.0

    return variance


# ---- the empirical AUC
class SharedCovariance(NamedTuple):
    """Covariances of two comparisons of a positive with a negative that share both, the positive, or the negative."""

    both: float
    positive: float
    negative: float

    def covariance(self, n0: int, n1: int) -> float:
        """Return the (co)variance of the mean over all n0 n1 comparisons.

        References
        ----------
        W. Hoeffding (1948), A class of statistics with asymptotically normal distribution, Annals of Mathematical
        Statistics 19, 293-325.
        """
        return (self.both + (n0 - 1) * self.positive + (n1 - 1) * self.negative) / (n0 * n1)

    def placement_variances(self, n0: int, n1: int) -> tuple[float, float]:
        """Return the expected sample (co)variance of the placements of the negatives, and of the positives."""
        negative = (self.both + (n1 - 1) * self.negative - self.positive) / n1
        return negative, (self.both + (n0 - 1) * self.positive - self.negative) / n0


def _exact(roc: Curve, null: float | None = None) -> Variance:
    """Return the exact variance; for a null AUC of 1/2, by Mann and Whitney, for another one, of shifted Gaussians."""
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
    """Return the covariance of the empirical AUCs of two Gaussian features of the same observations."""
    (first, first0, first1), (second, second0, second1) = _standardized(roc), _standardized(other)
    turned = -1 if (roc.direction == "lower") != (other.direction == "lower") else 1
    r0, r1 = (turned * r for r in correlation)
    by_negative, by_positive = r0 * np.sqrt(first0 * second0), r1 * np.sqrt(first1 * second1)
    return SharedCovariance(
        *(_bivariate_normal_excess(first, second, r) for r in (by_negative + by_positive, by_positive, by_negative))
    )


def _standardized(roc: Curve) -> tuple[float, float, float]:
    """Return the standardized distance of the means, and the fraction of each class in the sum of variances."""
    negative, positive = _gaussians(roc)
    size = np.hypot(negative.std, positive.std)
    w0, w1 = ((d.std / size) ** 2 for d in (negative, positive))
    return float((positive.mean - negative.mean) / size), float(w0), float(w1)


def _bivariate_normal_excess(h: float, k: float, correlation: float) -> float:
    """Return P(Z1 < h, Z2 < k) - Phi(h) Phi(k), the integral of the bivariate density over the correlation.

    References
    ----------
    R. L. Plackett (1954), A reduction formula for normal multivariate integrals, Biometrika 41, 351-360.
    """
    end = np.arcsin(np.clip(np.round(correlation, 15), -1, 1))  # near 1 rounding errors grow
    edges = np.append(end * (1 - 0.5 ** np.arange(40)), end)  # finer towards a correlation of 1

    def density(angle: FloatArray) -> FloatArray:
        square = (h - k) ** 2 + 4 * h * k * np.sin(np.pi / 4 - angle / 2) ** 2
        return np.asarray(np.exp(-square / (2 * np.cos(angle) ** 2)))

    return float(gauss_legendre(density, edges[:-1], edges[1:]).sum() / (2 * np.pi))


# ---- other formulas
def _obuchowski(auc: float) -> Variance:
    """Return the variance of Obuchowski and McClish (1997), Statistics in Medicine 16, 1529-1542."""
    square = 2 * ndtri(auc) ** 2
    scale = 0.0099 * np.exp(-square / 2)
    return lambda n0, n1: float(scale * ((5 * square + 8) / n1 + (square + 8) / n0))


def _probit_variance(probit: ProbitEstimate) -> float:
    """Return the variance of Phi(z) from the standard error of z."""
    return float(np.exp(-(probit.z**2)) / (2 * np.pi) * probit.std_error**2)


def orient_classes(roc: Curve) -> tuple[Distribution, Distribution]:
    """Return both classes, reflected for direction "lower"."""
    pair = roc.negative, roc.positive
    return (pair[0].reflect(), pair[1].reflect()) if roc.direction == "lower" else pair


def _gaussians(roc: Curve, null: float | None = None) -> tuple[Gaussian, Gaussian]:
    """Return both Gaussian classes, with the means shifted to an AUC of ``null`` if it is passed."""
    negative, positive = orient_classes(roc)
    assert isinstance(negative, Gaussian)
    assert isinstance(positive, Gaussian)
    if null is None:
        return negative, positive
    shift = ndtri(null) * np.hypot(negative.std, positive.std)
    return Gaussian(0.0, negative.std), Gaussian(shift, positive.std)


# ---- default intervals of many studies
class Dependence(NamedTuple):
    """Dependence of two areas in many studies; every array has the shape of the studies."""

    correlation: ArrayOrFloat
    df: Any
    std_error: ArrayOrFloat = 0.0
    """Standard error of the Wald interval that the interval of the difference contains; 0 for different samples."""
    cautious: Any = None
    """The dependence if smoothing added observations to each curve independently, or None: see ``AreaContrast``."""

    @classmethod
    def paired(
        cls,
        areas: Sequence[SmoothedAreas],
        squares: Sequence[Sequence[Any]],
        products: Sequence[Any],
        counts: tuple[int, int],
    ) -> Dependence:
        """Return the dependence of two areas of the same observations.

        ``squares`` are the sums of squares of the placements of each curve by class, ``products`` the sums of products.
        """
        added = [smooth_centre(part.estimate, counts, 0.5)[1] for part in areas]
        covariance: Any = 0.0
        plain: Any = 0.0
        variance: Any = 0.0
        components = []
        for n, one, other, product in zip(counts, *squares, products, strict=True):
            units = n + PSEUDO_COUNT_VARIANCE
            covariance = covariance + (product + shared_smoothing(one, other, *added)) / (units * (units - 1))
            plain = plain + product / (n * (n - 1))
            rest = np.maximum(one + other - 2 * product, 0)
            variance = variance + rest / (n * (n - 1))
            components.append(VarianceComponent((rest + MIN_SUM_SQUARES) / (n * (n - 1)), n - 1))
        product, df = np.sqrt(areas[0].variance * areas[1].variance), satterthwaite_df(components)
        shared, separate = (np.clip(part / product, -1, 1) for part in (covariance, plain))
        return cls(shared, df, np.sqrt(variance), cls(separate, df))

    @classmethod
    def unpaired(cls, areas: Sequence[SmoothedAreas]) -> Dependence:
        """Return the dependence of two areas of different observations."""
        df = satterthwaite_df([VarianceComponent(part.variance, cast(Any, part.df)) for part in areas])
        return cls(0.0, df)


def default_limits(
    areas: Sequence[SmoothedAreas], dependence: Dependence | None, level: float
) -> tuple[FloatArray, FloatArray]:
    """Return the bounds of the default interval in many studies: of one area, or of the difference of two."""
    if dependence is None:
        return areas[0].interval(level)
    first, second = areas
    correlation, df, std_error, cautious = dependence
    quantile, scale, shift = -stdtrit(df, (1 - level) / 2), 1.0, np.zeros(())
    if cautious is not None:
        total, product = first.variance + second.variance, np.sqrt(first.variance * second.variance)
        scale = np.sqrt(np.clip(1 - 2 * correlation * product / total, MIN_SCALE**2, 1))
        shift = (first.estimate - first.centre) - (second.estimate - second.centre)

    def distances(part: SmoothedAreas) -> tuple[FloatArray, FloatArray]:
        if cautious is None:
            (low, high), middle = part.limits(quantile), part.estimate
        else:
            (low, high), middle = part.smoothed_limits(quantile * scale), part.centre
        return (middle - low) / scale, (high - middle) / scale

    def distance(one: FloatArray, other: FloatArray, shift: FloatArray) -> FloatArray:
        square = one**2 + other**2 - 2 * correlation * one * other
        return np.maximum(np.sqrt(np.maximum(square, 0)) + shift, quantile * std_error)

    (below, above), (other_below, other_above) = distances(first), distances(second)
    estimate = first.estimate - second.estimate
    low, high = estimate - distance(below, other_above, shift), estimate + distance(above, other_below, -shift)
    if cautious is None:
        return low, high
    outer_low, outer_high = default_limits(areas, cautious, level)
    return np.where(low > 0, low, np.minimum(low, outer_low)), np.where(high < 0, high, np.maximum(high, outer_high))


smooth_areas = SmoothedAreas.from_sum_squares
"""Smooth the areas of many studies, from the sums of squares of the placements of each class."""


def draw_placements(negative: FloatArray, positive: FloatArray, *, tied: bool) -> tuple[FloatArray, FloatArray]:
    """Return the placements of the negatives and the positives of R studies, shapes (R, n0) and (R, n1)."""

    def count(first: FloatArray, second: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Count the values of ``second`` below each value of ``first``, and of ``first`` up to each of ``second``."""
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
