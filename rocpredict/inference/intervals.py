"""Standard errors and confidence intervals for areas, for differences between areas, and for proportions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, cast

import numpy as np
from scipy.special import betainc, betaincinv, expit, logit, ndtr, ndtri, stdtr, stdtrit

from rocpredict.base.rates import (
    PROPORTION_METHODS,
    ConfusionCounts,
    ProportionMethod,
    proportion_interval,
    wilson,
    zero_variance_interval,
)
from rocpredict.base.results import Flags, Interval
from rocpredict.base.validation import ArrayOrFloat, FloatArray, check_option, to_scalar
from rocpredict.inference.bootstrap import bca_interval, percentile_interval
from rocpredict.inference.placements import (
    PLACEMENT_TOL,
    VARIANCE_TOL,
    Placements,
    VarianceComponent,
)

AUC_METHODS = ("smoothed-logit", "newcombe", "delong", "logit", "hanley-mcneil", "bootstrap", "bca")
"""Methods for the interval of the whole empirical area; the first is the default."""
PARTIAL_AUC_METHODS = ("smoothed-logit", "delong", "logit", "bootstrap", "bca")
"""Methods for the interval of a partial area."""
STD_ERRORS = ("delong", "hanley-mcneil", "smoothed-logit", "bootstrap")
"""Methods for the standard error of the whole empirical area; the first is the default."""
PARTIAL_AUC_STD_ERRORS = ("delong", "smoothed-logit", "bootstrap")
"""Methods for the standard error of a partial area."""
PSEUDO_COUNT = 0.25
"""Number of pseudo-observations that are added to each class to compute the center of an interval.

Their placement value is the area of an uninformative feature.
"""
PSEUDO_COUNT_VARIANCE = 0.5
"""Number of pseudo-observations that are added to each class to estimate the variance."""
CHANCE_WEIGHT = 0.1
"""Weight of the second of the two variances that are defined in the Notes of ``SmoothedAreas``."""
_MIN_SHARE, _MIN_SHARE_SIZE, _MIN_SHARE_LOSS = 0.5, 100, 8
"""Constants of ``min_variance``: the fraction of Hanley and McNeil's variance; the fraction decreases if the size n of
the smaller class is above ``_MIN_SHARE_SIZE`` and n (1 - AUC) is above ``_MIN_SHARE_LOSS``."""
_MAX_FACTOR = (3, 6)
"""Largest factor by which ``min_variance`` increases a variance, for up to 100 and for 200 or more observations in the
smaller class."""
_MAX_DISCORDANT = 4
"""Number of discordant pairs below which the bound farther from 1/2 takes into account that this number is discrete."""
MIN_SUM_SQUARES = 0.005
"""Number added to the sum of squares for a difference between areas, so that the degrees of freedom are never 0/0."""
UNSEEN_COUNT = 0.75
"""Number of unseen observations per class for which the curves differ, for tests of a margin: see ``Unseen``."""
_MAX_SHIFT = 2.0  # largest shift of a bound for skewness, in standard errors
MIN_SCALE = 1e-4
"""Lower limit of ``AreaContrast.scale``."""
_QUANTILES = np.concatenate([[0.0], np.geomspace(1e-6, 1e9, 121)])  # ascending quantiles; two of them bracket a root
_FRACTIONS = np.linspace(0, 1, 33)
_COUNT_TOL = 1e-9  # n (1 - AUC) is often an integer, but only up to rounding
_XTOL = 1e-14


# ---- smoothed areas
class Tails(NamedTuple):
    """One-sided p-values for a null value.

    The alternative is that the quantity is greater (``greater``) or less (``less``) than the null value.
    """

    greater: float
    less: float
    statistic: float
    """Student's t for the p-value ``greater``; the statistic for the p-value ``less`` has the opposite sign."""

    @classmethod
    def from_lower(cls, p_value: float, df: Any) -> Tails:
        """Return the two one-sided p-values and Student's t, all computed from the p-value ``greater``."""
        statistic = -float(stdtrit(df, p_value)) if p_value < 1 / 2 else 0.0
        return cls(p_value, max(1 - p_value, 1 / 2), statistic)

    def swapped(self) -> Tails:
        """Return the one-sided p-values for the quantity multiplied by -1."""
        return Tails(self.less, self.greater, -self.statistic)


@dataclass(frozen=True)
class SmoothedAreas:
    """Estimated areas with smoothed and unsmoothed variances; every array has one entry for each area.

    Attributes
    ----------
    estimate : array
        Areas; partial areas are divided by the width of the range.
    centre : array
        Areas computed after ``PSEUDO_COUNT`` pseudo-observations have been added to each class. The pseudo-observations
        have the placement value of an uninformative feature. The resulting areas are never 0 or 1.
    variance, df : array
        Smoothed variance of each area, and the degrees of freedom of this variance [1]_.
    n_units : pair
        Number of independent units (observations or clusters) of each class.
    plain_variance, plain_df : array, float
        Unsmoothed variance, and the degrees of freedom of a Wald interval. The variance is computed by DeLong's method
        or, for clustered data, by the jackknife over clusters.
    constant_classes : pair of bool or array
        Whether a class has at least two units and all its units have the same placement value. The class then
        contributes 0 to the unsmoothed variance.
    is_constant : bool or array
        Whether every unit has the placement value of an uninformative feature.
    is_partial : bool
        Whether the areas are partial areas, which can reach their largest value even if the feature does not separate
        the classes perfectly.
    has_dominant_cluster : bool
        Whether one cluster contains more than half of the observations of a class.
    is_probit : bool or array
        Whether bounds are computed on the probit scale, as for two Gaussians, instead of the logit scale.
    min_variance : array
        Lower limit for the variance from which the bound nearer to 1/2 is computed; 0 for partial areas. This limit
        applies only to the interval and the tests of one area.

    Notes
    -----
    The variance of an area A is the sum of one term for each class. For a class of n observations, the term is (S +
    q)/(u (u - 1)). Here S is the sum of the squared deviations of the placement values from A, and u = n +
    ``PSEUDO_COUNT_VARIANCE``. The sum of squares of the pseudo-observations, q, is ``PSEUDO_COUNT_VARIANCE`` times a
    weighted mean of two variances. The weight of the second variance is ``CHANCE_WEIGHT``. The first variance is the
    largest possible variance of values between 0 and 1 with mean B, which is B(1 - B). Here B is the area after half a
    pseudo-observation is added to each class. The second variance is (c - C)^2 + c(1 - c)/2, where c is the area of an
    uninformative feature and C is ``centre``. The constants were chosen by simulation: see the documentation ("Which
    interval, which test?").

    If a few members of the population cause most of the loss 1 - A, a sample may contain none of them. A is then too
    large, and the lower bound is too close to A. For an area above 1/2, the lower bound is therefore computed with a
    variance of at least (C - 1/2) min(1, max(100/n, 8/(n (1 - C)))) v. This minimum is limited to three times the
    estimated variance, or to six times for n of 200 or more. Here n is the size of the smaller class, and v is the
    variance of Hanley and McNeil (1982), which depends only on C and the class sizes. This variance changes if the
    classes are exchanged; v is the larger of the two values. The upper
    bound of an area below 1/2 is treated in the same way. With clusters or strata, the class sizes are replaced by
    effective numbers of independent observations.

    Members of the population that cause most of the loss may also be so rare that they do not affect the estimated
    variance. The lower bound of a whole area is therefore at most a^(1/n), which is the lower bound if the classes are
    perfectly separated. In the same way, the upper bound is at least 1 - a^(1/n). Here a is the one-sided error
    probability, and n is the number of units of the smaller class. For two Gaussians (``is_probit``), the bounds have
    no such limits.

    References
    ----------
    .. [1] F. E. Satterthwaite (1946), An approximate distribution of estimates of variance components, Biometrics
       Bulletin 2, 110-114.
    """

    estimate: FloatArray
    centre: FloatArray
    variance: FloatArray
    df: FloatArray
    n_units: tuple[ArrayOrFloat, ArrayOrFloat]
    plain_variance: FloatArray
    constant_classes: Sequence[Any] = (False, False)
    is_constant: Any = False
    plain_df: float = np.inf
    is_partial: bool = False
    has_dominant_cluster: bool = False
    is_probit: Any = False
    min_variance: Any = 0.0

    @classmethod
    def from_sum_squares(
        cls,
        estimate: FloatArray,
        sum_squares: Sequence[Any],
        n_units: tuple[Any, Any],
        null_value: float = 0.5,
        *,
        is_partial: bool = False,
    ) -> SmoothedAreas:
        """Return smoothed areas of independent observations, given the sum of squared deviations in each class.

        A class with one observation contributes at least A(1 - A) to the smoothed variance, where A is the smoothed
        area.
        """
        centre, added = smooth_centre(estimate, n_units, null_value)
        variance, weighted_squares, plain_variance = (np.zeros(np.shape(centre)) for _ in range(3))
        for squares, n in zip(sum_squares, n_units, strict=True):
            is_single, units, degrees = n <= 1, n + PSEUDO_COUNT_VARIANCE, np.where(n <= 1, 1, n - 1)
            part = (squares + added) / (units * (units - 1))
            part = np.where(is_single, np.maximum(part, centre * (1 - centre)), part)
            variance += part
            weighted_squares += np.where(is_single, 0.0, part**2 / degrees)
            plain_variance += np.where(is_single, 0.0, squares / (np.maximum(n, 1) * degrees))
        with np.errstate(divide="ignore"):
            df = variance**2 / weighted_squares
        equal = [np.asarray(squares) <= PLACEMENT_TOL**2 for squares in sum_squares]
        constant = [part & (np.asarray(n) > 1) for part, n in zip(equal, n_units, strict=True)]
        is_constant = (np.abs(estimate - null_value) <= PLACEMENT_TOL) & equal[0] & equal[1]
        areas = cls(np.asarray(estimate), centre, variance, df, n_units, plain_variance, constant, is_constant)
        if is_partial:
            return replace(areas, is_partial=True)
        return replace(areas, min_variance=_min_variance(centre, n_units, variance))

    @classmethod
    def from_placements(cls, areas: Placements) -> SmoothedAreas:
        """Return the smoothed area, or the K smoothed areas, of a sample.

        With clusters or strata, the unsmoothed variance and the degrees of freedom are taken from ``areas``. The
        variance that smoothing adds is computed from the class sizes as for independent observations. With clusters,
        effective class sizes are used.
        """
        n_units, estimate = areas.n_units, areas.estimate
        squares = [_diagonal(part.sum_squares(estimate)) for part in areas.classes]
        smoothed = cls.from_sum_squares(estimate, squares, n_units, areas.null_value, is_partial=areas.is_partial)
        if not areas.is_clustered and not areas.is_stratified:
            return smoothed
        sizes = _effective_sizes(areas) if areas.is_clustered else n_units
        centre, added = smooth_centre(estimate, sizes, areas.null_value)
        pooled = sizes if areas.is_clustered else areas.pooled_sizes
        units = [n + PSEUDO_COUNT_VARIANCE for n in sizes]
        parts = [VarianceComponent(_diagonal(part.variance), part.df) for part in areas.components()]
        plain_variance = sum((part.variance for part in parts), np.zeros(np.shape(centre)))
        variance = plain_variance + added * sum(1 / (u * (u - 1)) for u in units)
        return replace(
            smoothed,
            centre=centre,
            variance=variance,
            df=satterthwaite_df(parts),
            plain_variance=plain_variance,
            plain_df=areas.df,
            constant_classes=(False, False) if areas.is_stratified else smoothed.constant_classes,
            is_constant=areas.is_constant,
            has_dominant_cluster=areas.has_dominant_cluster,
            min_variance=0.0 if areas.is_partial else _min_variance(centre, pooled, variance),
        )

    @property
    def is_blind(self) -> Any:
        """True if the unsmoothed variance is 0, or cannot be estimated because a class has only one unit."""
        return (self.plain_variance <= VARIANCE_TOL) | (np.minimum(*self.n_units) <= 1)

    @property
    def std_error(self) -> FloatArray:
        """Square root of the unsmoothed variance or, if ``is_blind`` is True, of the smoothed variance."""
        return np.sqrt(np.where(self.is_blind, self.variance, self.plain_variance))

    @property
    def flags(self) -> Flags:
        """Flags that mark degenerate samples, such as a single observation or perfect separation."""
        return Flags(
            single_observation=np.minimum(*self.n_units) <= 1,
            perfect_separation=(self.estimate == 1) & (not self.is_partial),
            perfect_reversal=(self.estimate == 0) & (not self.is_partial),
            point_mass=self.is_constant,
            dominant_cluster=self.has_dominant_cluster,
        )

    def limits(self, quantile: ArrayOrFloat, df: Any) -> tuple[FloatArray, FloatArray]:
        """Return the bounds of ``smoothed_limits``, extended where necessary.

        The estimate lies between the returned bounds. The lower bound is at most ``largest_lower_bound``, and the upper
        bound is at least 1 minus ``largest_lower_bound``. ``quantile`` is a quantile of Student's t with ``df`` degrees
        of freedom.
        """
        (low, high), largest = self.smoothed_limits(quantile), self.largest_lower_bound(stdtr(df, -quantile))
        low, high = np.minimum(low, self.estimate), np.maximum(high, self.estimate)
        return np.minimum(low, largest), np.maximum(high, 1 - largest)

    def largest_lower_bound(self, tail: ArrayOrFloat) -> FloatArray:
        """Return the lower bound for a sample with perfect separation; 1 minus this bound is the smallest upper bound.

        ``tail`` is the probability that the true AUC is below its lower bound. For a partial area or the AUC of two
        Gaussians, there is no such limit, and 1 is returned.
        """
        if self.is_partial:
            return np.ones(())
        return np.where(self.is_probit, 1.0, tail ** (1 / np.minimum(*self.n_units)))

    def smoothed_limits(self, quantile: ArrayOrFloat) -> tuple[FloatArray, FloatArray]:
        """Return the bounds that lie ``quantile`` standard errors from the center, on the logit or the probit scale."""
        distance, middle = quantile * np.sqrt(self.variance), logit(self.centre)
        half = distance / (self.centre * (1 - self.centre))
        low, high = expit(middle - half), expit(middle + half)
        if np.any(self.is_probit):
            middle = ndtri(self.centre)
            half = distance * np.sqrt(2 * np.pi) * np.exp(middle**2 / 2)
            low = np.where(self.is_probit, ndtr(middle - half), low)
            high = np.where(self.is_probit, ndtr(middle + half), high)
        return low, high

    def interval(self, level: float) -> tuple[FloatArray, FloatArray]:
        """Return the bounds of the smoothed-logit confidence interval at a confidence level.

        If a class is constant (see ``constant_classes``), or if the area is near 0 or 1, the interval is widened. It
        then accounts for observations that occur in the population but may be absent from the sample. If the area is 0
        or 1, or if all values are tied, the interval accounts only for these observations: see
        ``zero_variance_interval``.
        """
        tail, estimate = (1 - level) / 2, self.estimate
        quantile = -stdtrit(self.df, tail)
        inner, outer = self.smoothed_limits(quantile), self._with_min_variance().smoothed_limits(quantile)
        largest = self.largest_lower_bound(tail)
        low = np.minimum(np.where(estimate > 1 / 2, outer[0], inner[0]), np.minimum(estimate, largest))
        high = np.maximum(np.where(estimate < 1 / 2, outer[1], inner[1]), np.maximum(estimate, 1 - largest))
        if not self.is_partial:
            for n, constant in zip(self.n_units, self.constant_classes, strict=True):
                if np.any(constant):
                    limits = zero_variance_interval(estimate, (n, n), level)
                    low = np.where(constant, np.minimum(low, limits[0]), low)
                    high = np.where(constant, np.maximum(high, limits[1]), high)
            low = np.minimum.reduce([low, *self._discordant(1 - estimate, betaincinv, tail, otherwise=1.0)])
            high = np.maximum.reduce(
                [high, *(1 - q for q in self._discordant(estimate, betaincinv, tail, otherwise=1.0))]
            )
        if not np.any(self._is_unseen):
            return low, high
        unseen = zero_variance_interval(estimate, self.n_units, level)
        return np.where(self._is_unseen, unseen[0], low), np.where(self._is_unseen, unseen[1], high)

    def tails(self, value: float) -> Tails:
        """Return one-sided p-values for a null value.

        If the null value is a bound of the confidence interval with level L, the smaller p-value is (1 - L)/2.
        """
        estimate = float(self.estimate)
        if abs(value - estimate) <= PLACEMENT_TOL:
            return Tails(0.5, 0.5, 0.0)
        if value > estimate:
            return replace(self, estimate=1 - self.estimate, centre=1 - self.centre).tails(1 - value).swapped()
        variance = (self._with_min_variance() if estimate > 1 / 2 else self).variance
        with np.errstate(divide="ignore"):
            t = float((logit(self.centre) - logit(value)) * self.centre * (1 - self.centre) / np.sqrt(variance))
        p_value = min(float(stdtr(self.df, -t)), 0.5)  # every interval contains the values between center and estimate
        ratio, n = value / estimate, min(self.n_units)
        if self._is_unseen:
            return Tails.from_lower(ratio**n, self.df)
        if not self.is_partial:
            shares = [ratio**n for n, constant in zip(self.n_units, self.constant_classes, strict=True) if constant]
            discordant = self._discordant(1 - self.estimate, betainc, value, otherwise=0.0)
            share = max(*shares, *map(float, discordant), value**n)
            if share > p_value:
                return Tails.from_lower(share, self.df)
        return Tails(p_value, 1 - p_value, t)

    def _with_min_variance(self) -> SmoothedAreas:
        return replace(self, variance=np.maximum(self.variance, self.min_variance))

    def _discordant(self, area: FloatArray, function: Any, argument: float, *, otherwise: float) -> list[FloatArray]:
        """Return two quantiles (``betaincinv``) or probabilities (``betainc``) of the proportion of discordant pairs.

        The pairs share no observation, and their number n is either the size of the smaller class or C(1 - C)/v (Korn
        and Graubard 1998), where C is ``centre`` and v is ``variance``. With the size of the smaller class, the
        distribution is the beta distribution of Clopper and Pearson's lower bound (1934). It is only used if
        0 < n (1 - area) < 1. With C(1 - C)/v, a quarter of a discordant pair replaces a quarter of another pair, and
        n (1 - area) must be below ``_MAX_DISCORDANT``. If n (1 - area) is outside these limits, ``otherwise`` is
        returned. The use of these distributions is a rule of thumb, because n (1 - area) is not an integer.

        References
        ----------
        E. L. Korn, B. I. Graubard (1998), Confidence intervals for proportions with small expected number of positive
        counts estimated from survey data, Survey Methodology 24, 193-201.
        """
        results = []
        sizes = np.minimum(*self.n_units), self.centre * (1 - self.centre) / self.variance
        for n, most, added in zip(sizes, (1, _MAX_DISCORDANT), (0, 0.25), strict=True):
            lost, won = np.broadcast_arrays(n * (1 - area), n * area)
            is_near = (lost > 0) & (lost < most - _COUNT_TOL)
            result = np.full(np.shape(lost), otherwise)
            result[is_near] = function(lost[is_near] + added, won[is_near] + 1 - added, argument)
            results.append(result)
        return results

    @property
    def _is_unseen(self) -> Any:
        return self.is_constant | ((self.estimate == 0) | (self.estimate == 1)) & (not self.is_partial)


def _min_variance(centre: FloatArray, sizes: tuple[Any, Any], variance: FloatArray) -> Any:
    """Return the smallest variance that is used to compute the bound nearer to 1/2: see ``SmoothedAreas``."""
    largest = np.maximum(*(hanley_mcneil_variance(centre, order) for order in (sizes, sizes[::-1])))
    smaller = np.minimum(*sizes)
    n_lost = smaller * np.minimum(centre, 1 - centre)
    share = _MIN_SHARE * np.minimum(1, np.maximum(_MIN_SHARE_SIZE / smaller, _MIN_SHARE_LOSS / n_lost))
    factor = np.clip(_MAX_FACTOR[0] * smaller / _MIN_SHARE_SIZE, *_MAX_FACTOR)
    return np.minimum(share * np.abs(2 * centre - 1) * largest, factor * variance)


def smooth_centre(estimate: FloatArray, n_units: tuple[Any, Any], null_value: float) -> tuple[FloatArray, FloatArray]:
    """Return the areas computed with pseudo-observations, and the sums of squares of these pseudo-observations."""
    n = 2 / sum(1 / count for count in n_units)
    centre = np.asarray((estimate * n + PSEUDO_COUNT * null_value) / (n + PSEUDO_COUNT))
    mean = (estimate * n + null_value / 2) / (n + 1 / 2)
    about_chance = (null_value - centre) ** 2 + null_value * (1 - null_value) / 2
    added = (1 - CHANCE_WEIGHT) * mean * (1 - mean) + CHANCE_WEIGHT * about_chance
    return centre, np.asarray(PSEUDO_COUNT_VARIANCE * added)


def _effective_sizes(areas: Placements) -> tuple[FloatArray, FloatArray]:
    """Return the effective number of independent observations in each class of clustered data.

    This number is the geometric mean of two numbers. The first is Kish's effective number of clusters (1965), 1 / (sum
    of f^2 over the clusters), where f is the fraction of the observations that a cluster contains. The second is the
    number of observations multiplied by v/w, where v is the variance of the area if clusters are ignored, and w is the
    variance with clusters. The second number is limited to the range from the number of clusters to the number of
    observations.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        worth = np.nan_to_num(_diagonal(areas.unclustered().variance()) / _diagonal(areas.variance()), posinf=np.inf)
    negative, positive = (
        np.sqrt(np.clip(part.total * worth, part.n_units, part.total) / np.sum(part.cluster_shares() ** 2))
        for part in areas.classes
    )
    return negative, positive


def _smoothed_covariance(areas: Placements) -> FloatArray:
    """Return the covariance matrix of K smoothed areas, shape (K, K)."""
    sizes = _effective_sizes(areas) if areas.is_clustered else areas.n_units
    added = np.asarray(smooth_centre(areas.estimate, sizes, areas.null_value)[1])
    pairs: list[Any] = [(n + PSEUDO_COUNT_VARIANCE) * (n + PSEUDO_COUNT_VARIANCE - 1) for n in sizes]
    if areas.is_clustered or areas.is_stratified:
        parts = [(areas.variance(), added * sum(1 / pair for pair in pairs))]
    else:
        squares = [part.sum_squares(areas.estimate) for part in areas.classes]
        parts = [(part / pair, added / pair) for part, pair in zip(squares, pairs, strict=True)]
    covariance: FloatArray = np.zeros(areas.estimate.shape * 2)
    for part, more in parts:
        variances = np.diagonal(part)
        covariance = covariance + part + shared_smoothing(variances[:, None], variances, more[:, None], more)
    return covariance


def shared_smoothing(first: Any, second: Any, first_added: Any, second_added: Any) -> FloatArray:
    """Return the contribution of smoothing to the covariance of two areas from the same observations.

    ``first_added`` and ``second_added`` are the variances that smoothing adds to the two areas. ``first`` and
    ``second`` describe the variability of the two areas; they are either sums of squares of the placement values in one
    class, or variances. The added contributions are assumed to have the correlation sqrt(r), where r is the ratio of
    the smaller to the larger of ``first`` and ``second``. The correlation is 1 if ``first`` and ``second`` are equal;
    equal added variances then cancel in the variance of the difference. The correlation is smaller if the curves have
    different shapes, because an observation that is absent from the sample may then affect only one of the curves.
    """
    larger = np.maximum(first, second)
    ratio = np.divide(np.minimum(first, second), larger, out=np.zeros(np.shape(larger)), where=larger > 0)
    return np.sqrt(ratio * first_added * second_added)


def _diagonal(matrix: FloatArray) -> FloatArray:
    """Return the diagonal of a covariance matrix, or a single variance unchanged."""
    return np.diagonal(matrix) if matrix.ndim == 2 else matrix


class Unseen(NamedTuple):
    """Contribution of ``UNSEEN_COUNT`` unseen observations per class to two cumulants of a contrast."""

    variance: Any
    third_cumulant: Any

    @classmethod
    def from_sizes(cls, sizes: Sequence[Any], weights: FloatArray) -> Unseen:
        """Return the contribution for the given class sizes and the given weights of the K areas.

        On each curve, the placement values of an unseen observation have the largest possible variance, 1/4. The
        placement values on different curves are independent.
        """
        square = float(weights @ weights) / 4
        variance = sum(1 / (n * np.maximum(n - 1, 1)) for n in sizes)
        return cls(UNSEEN_COUNT * square * variance, UNSEEN_COUNT * square**1.5 * sum(1 / n**3 for n in sizes))

    def distances(self, variance: Any, skewness: Any, quantiles: Any) -> tuple[Any, Any]:
        """Return the distances of the lower and upper bounds from the estimate.

        ``variance`` and ``skewness`` describe the estimate without the contribution of unseen observations.
        """
        third, total = skewness * variance**1.5, variance + self.variance
        with np.errstate(divide="ignore", invalid="ignore"):
            shifts = [
                skewness_shifts(np.nan_to_num((third + sign * self.third_cumulant) / total**1.5), quantiles)[side]
                for side, sign in enumerate((-1, 1))
            ]
        below, above = (np.sqrt(total) * (quantiles + shift) for shift in shifts)
        return below, above


def satterthwaite_df(components: Sequence[VarianceComponent]) -> Any:
    """Return Satterthwaite's degrees of freedom for a sum of independent variances."""
    nothing = np.zeros(())
    total = sum((component.variance for component in components), nothing)
    with np.errstate(divide="ignore", invalid="ignore"):
        df = total**2 / sum((component.variance**2 / component.df for component in components), nothing)
    return np.where(np.isnan(df), np.inf, df)


# ---- differences and other contrasts of areas
@dataclass(frozen=True)
class AreaContrast:
    """Weighted sum of K areas, with its variance and its MOVER confidence interval.

    Attributes
    ----------
    weights : array of shape (K,)
    areas : SmoothedAreas
        The K areas.
    correlation : array of shape (K, K)
        Correlation matrix of the areas.
    df : float
        Degrees of freedom of the t distribution whose quantiles determine the bounds of the sum.
    plain_variance, plain_df : float
        Unsmoothed variance of the sum, and the degrees of freedom of Wald's test. The variance is computed by DeLong's
        method or, for clustered data, by the jackknife over clusters.
    is_same_curve : bool, default=False
        Whether each observation has the same placement value on all curves.
    is_constant : bool, default=False
        Whether the placement values of the curves differ by the same nonzero amount for every observation.
    is_blind : bool, default=False
        True if a class has only one observation. For two samples, also True if the variance of either area is 0.
    std_error : float, default=0.0
        Standard error for a Wald interval based on Student's t. The interval for the sum always contains this Wald
        interval. If the standard error is 0, no Wald interval is used.
    skewness : float, default=0.0
        Skewness of the estimated sum. To correct for this skewness, ``limits`` shifts one bound outwards: see
        ``skewness_shifts``.
    unseen : Unseen, optional
        Contribution of observations that may be absent from the sample and whose placement values differ between the
        curves. For each bound, these differences are assumed to be in the direction of this bound. The contribution is
        used in a skewness-corrected Wald interval based on Student's t. The interval for the sum always contains this
        Wald interval.
    cautious : AreaContrast, optional
        The same contrast with independent pseudo-observations for each curve, corrected for ``skewness`` and
        ``unseen``. The resulting interval contains the intervals of both contrasts, with one exception: if the interval
        computed without ``cautious`` excludes 0, the resulting interval also excludes 0.

    Notes
    -----
    The method of variance estimates recovery (MOVER) computes the bounds of the sum from the bounds of the single areas
    [1]_; for contrasts see [2]_. The distance from the sum to each of its bounds is the square root of a quadratic
    form. The arguments of this form are the distances between the areas and their bounds. Because areas are bounded,
    the bounds of the sum converge to finite limits as the confidence level rises to 1. If ``zero_variance_interval``
    extends beyond these limits, its bounds are used instead.

    If two whole areas computed from the same observations are equal, both use the same pseudo-observations (see
    ``shared_smoothing``). The distances from the smoothed areas to their bounds are then computed at ``scale`` times
    the quantile and divided by ``scale``. The difference between correlated areas varies much less than the areas
    themselves; without the factor ``scale``, the bounds of the single areas would be too close to 0 or 1. If the true
    difference is not 0, the areas are unequal and share fewer pseudo-observations. A bound that does not exclude 0 is
    therefore also computed for ``cautious``, and the bound farther from the estimate is used. A bound that excludes 0
    is used unchanged.

    If a few members of the population cause most of the difference, a sample may contain none of them. The bounds of
    the single areas are therefore limited by ``SmoothedAreas.largest_lower_bound``, which is computed without the
    factor ``scale``. The bounds of ``cautious`` are also corrected for skewness, which can only widen the interval: see
    ``skewness_shifts``. A sample in which the curves hardly differ has a small variance and no skewness. Each bound of
    ``cautious`` therefore allows for ``UNSEEN_COUNT`` additional observations of each class. On each curve, the
    placement values of these observations have the largest possible variance, 1/4. The placement values on different
    curves are assumed to be independent. Suppose that each observation has the same placement value on both curves. At
    a one-sided error probability of 5%, the distance between the estimate and each bound is then at least 2.2/n if both
    classes have n observations. The distance is at least 1.7/n if one class has n observations and the other class has
    many more. For comparison, if a sample contains no observation of a certain kind, the exact (Poisson) upper
    confidence limit for the expected number of observations of this kind is 3.0.

    References
    ----------
    .. [1] G. Y. Zou, A. Donner (2008), Construction of confidence limits about effect measures: a general approach,
       Statistics in Medicine 27, 1693-1702.
    .. [2] G. Y. Zou, W. Huang, X. Zhang (2009), A note on confidence interval estimation for a linear function of
       binomial proportions, Computational Statistics & Data Analysis 53, 1080-1085.
    """

    weights: FloatArray
    areas: SmoothedAreas
    correlation: FloatArray
    df: float
    plain_variance: float
    plain_df: float
    is_same_curve: bool = False
    is_constant: bool = False
    is_blind: bool = False
    std_error: float = 0.0
    skewness: float = 0.0
    unseen: Unseen | None = None
    cautious: AreaContrast | None = None

    @classmethod
    def from_placements(cls, areas: Placements, weights: FloatArray) -> AreaContrast:
        """Return a contrast of the areas of several curves from the same observations."""
        chosen = np.flatnonzero(weights)
        areas, weights = areas.select(chosen), weights[chosen]
        smoothed, contrast = SmoothedAreas.from_placements(areas), areas.contrast(weights)
        std_error = np.sqrt(smoothed.variance)

        def correlation(covariance: FloatArray) -> FloatArray:
            matrix = np.clip(covariance / np.multiply.outer(std_error, std_error), -1, 1)
            np.fill_diagonal(matrix, 1.0)
            return matrix

        components, variance = contrast.components(), float(contrast.variance())
        if not areas.is_clustered and not areas.is_stratified:
            components = [
                part._replace(variance=part.variance + MIN_SUM_SQUARES / (part.df * (part.df + 1)))
                for part in components
            ]
        is_same = float(contrast.estimate) == 0 and contrast.is_constant
        cautious = cls(
            weights,
            smoothed,
            correlation(areas.variance()),
            float(satterthwaite_df(components)),
            variance,
            contrast.df,
            is_same_curve=is_same,
            is_constant=variance <= VARIANCE_TOL and not is_same,
            is_blind=min(contrast.n_units) <= 1,
        )
        if cautious.is_blind or cautious.is_constant or is_same or areas.is_partial:
            return cautious
        shared, plain_error = correlation(_smoothed_covariance(areas)), float(np.sqrt(variance))
        sizes = [float(np.min(n)) for n in (_effective_sizes(areas) if areas.is_clustered else areas.pooled_sizes)]
        skewness, unseen = contrast.third_cumulant() / plain_error**3, Unseen.from_sizes(sizes, weights)
        outer = replace(cautious, skewness=skewness, unseen=unseen)
        return replace(cautious, correlation=shared, std_error=plain_error, cautious=outer)

    @classmethod
    def from_samples(cls, first: SmoothedAreas, second: SmoothedAreas) -> AreaContrast:
        """Return the difference between two areas from different observations."""
        parts = first, second
        columns: dict[str, Any] = {
            name: np.array([getattr(part, name) for part in parts])
            for name in ("estimate", "centre", "variance", "df", "plain_variance", "is_probit")
        }
        negatives, positives = (np.array(sizes) for sizes in zip(*(part.n_units for part in parts), strict=True))
        is_dominant = first.has_dominant_cluster or second.has_dominant_cluster
        is_partial = first.is_partial or second.is_partial
        areas = SmoothedAreas(
            **columns, n_units=(negatives, positives), is_partial=is_partial, has_dominant_cluster=is_dominant
        )
        variances = columns["variance"]
        if columns["is_probit"].any():  # the degrees of freedom apply to variances on the probit scale
            variances = variances * np.exp(ndtri(columns["centre"]) ** 2)
        components = [VarianceComponent(v, float(part.df)) for v, part in zip(variances, parts, strict=True)]
        return cls(
            np.array([1.0, -1.0]),
            areas,
            np.eye(2),
            float(satterthwaite_df(components)),
            float(areas.plain_variance.sum()),
            min(part.plain_df for part in parts),
            is_same_curve=bool(first.estimate == second.estimate and first.is_constant and second.is_constant),
            is_blind=bool(first.is_blind or second.is_blind),
        )

    @property
    def estimate(self) -> float:
        """Weighted sum of the areas."""
        return float(self.weights @ self.areas.estimate)

    @property
    def n_units(self) -> tuple[Any, Any]:
        """Number of units of each class; for two samples, the smaller of the two numbers for each class."""
        negatives, positives = self.areas.n_units
        return np.min(negatives), np.min(positives)

    @cached_property
    def scale(self) -> float:
        """Standard error of the sum, divided by the standard error for uncorrelated areas; at most 1."""
        if self.cautious is None:
            return 1.0
        parts = self.weights * np.sqrt(self.areas.variance)
        return float(np.sqrt(np.clip(parts @ self.correlation @ parts / (parts @ parts), MIN_SCALE**2, 1)))

    def limits(self, quantiles: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the lower and upper bounds of the sum at Q quantiles of Student's t, as two arrays of shape (Q,)."""
        points = np.asarray(quantiles)[:, None]
        if self.cautious is None:
            (low, high), middle = self.areas.limits(points, self.df), self.areas.estimate
        else:
            (low, high), middle = self.areas.smoothed_limits(points * self.scale), self.areas.centre
        below, above = (middle - low) / self.scale, (high - middle) / self.scale
        if self.cautious is not None:
            largest = self.areas.largest_lower_bound(stdtr(self.df, -points))
            below, above = np.maximum(below, middle - largest), np.maximum(above, 1 - largest - middle)
        shift = float(self.weights @ (self.areas.estimate - middle))
        is_positive = self.weights > 0
        distances = (self.weights * np.where(is_positive, *pair) for pair in ((below, above), (above, below)))
        squares = (np.einsum("qi,ij,qj->q", part, self.correlation, part) for part in distances)
        wald = quantiles * self.std_error if self.std_error else 0.0
        downwards, upwards = (np.sqrt(np.maximum(square, 0)) for square in squares)
        lowered, raised = (part * np.sqrt(self.plain_variance) for part in skewness_shifts(self.skewness, quantiles))
        downwards = np.maximum(downwards + shift, wald) + lowered
        upwards = np.maximum(upwards - shift, wald) + raised
        if self.unseen is not None:
            least = self.unseen.distances(self.plain_variance, self.skewness, quantiles)
            downwards, upwards = np.maximum(downwards, least[0]), np.maximum(upwards, least[1])
        return self.estimate - downwards, self.estimate + upwards

    def interval(self, level: float) -> tuple[float, float]:
        """Return the bounds of the confidence interval of the sum."""
        quantile = -float(stdtrit(self.df, (1 - level) / 2))
        low, high = self.limits(quantile * _FRACTIONS)
        lowest, highest = self._reach
        smallest, largest = self._bounds
        width = largest - smallest
        unseen = zero_variance_interval(np.asarray((self.estimate - smallest) / width), self.n_units, level)
        first, last = (smallest + width * float(end) for end in unseen)
        low_end, high_end = float(low.min()), float(high.max())  # a higher level never narrows the interval
        low_end = min(low_end, first) if first < lowest else low_end
        high_end = max(high_end, last) if last > highest else high_end
        low_end, high_end = max(low_end, smallest), min(high_end, largest)
        if self.cautious is None:
            return low_end, high_end
        outer = self.cautious.interval(level)
        return (low_end if low_end > 0 else min(low_end, outer[0])), (
            high_end if high_end < 0 else max(high_end, outer[1])
        )

    def tails(self, value: float) -> Tails:
        """Return one-sided p-values for a null value.

        If the null value is a bound of the confidence interval with level L, the smaller p-value is (1 - L)/2.
        """
        if value > self.estimate:
            return self._negated.tails(-value).swapped()
        own = self._lower_tails(value)
        if self.cautious is None or value >= 0:
            return own
        others = [self.cautious._lower_tails(value), *([self._lower_tails(0.0)] if self.estimate > 0 else [])]
        return max(own, min(others))

    @property
    def _negated(self) -> AreaContrast:
        cautious = None if self.cautious is None else self.cautious._negated
        return replace(self, weights=-self.weights, skewness=-self.skewness, cautious=cautious)

    def _lower_tails(self, value: float) -> Tails:
        """Return one-sided p-values for a null value that does not exceed the estimate; ``cautious`` is ignored."""
        t, smallest = self._quantile_at(value), self._bounds[0]
        reachable = min(value, self._reach[0])
        distance = self.estimate - smallest
        unseen = (max(reachable - smallest, 0.0) / distance if distance else 1.0) ** min(self.n_units)
        p_value = float(stdtr(self.df, -t))
        return Tails.from_lower(unseen, self.df) if unseen > p_value else Tails(p_value, 1 - p_value, t)

    def _quantile_at(self, value: float) -> float:
        """Return the smallest quantile at which the lower bound is at most ``value``, or infinity if there is none."""
        from scipy.optimize import brentq

        reached = np.flatnonzero(self.limits(_QUANTILES)[0] <= value)
        if not reached.size or reached[0] == 0:
            return 0.0 if reached.size else np.inf
        bracket = _QUANTILES[reached[0] - 1 : reached[0] + 1]
        return float(brentq(lambda q: float(self.limits(np.array([q]))[0][0]) - value, *bracket, rtol=1e-14))

    @property
    def _reach(self) -> tuple[float, float]:
        """Limits of the bounds as the level rises to 1, without the shift for skewness and without ``unseen``."""
        (low,), (high,) = replace(self, skewness=0.0, unseen=None).limits(np.array([np.inf]))
        return float(low), float(high)

    @property
    def _bounds(self) -> tuple[float, float]:
        return float(np.minimum(self.weights, 0).sum()), float(np.maximum(self.weights, 0).sum())


def skewness_shifts(skewness: Any, quantiles: Any) -> tuple[FloatArray, FloatArray]:
    """Return the shifts of the lower and upper bounds, in standard errors, that correct for skewness.

    A bound is never shifted towards the estimate.

    References
    ----------
    N. J. Johnson (1978), Modified t tests and confidence intervals for asymmetrical populations, Journal of the
    American Statistical Association 73, 536-544.
    """
    shift = skewness * (1 + 2 * np.minimum(quantiles, _QUANTILES[-1]) ** 2) / 6
    return np.clip(-shift, 0, _MAX_SHIFT), np.clip(shift, 0, _MAX_SHIFT)


# ---- one area by any method
def auc_interval(areas: Placements, level: float, method: str | None, replicate: Any = None) -> Interval[Any]:
    """Return the confidence interval of one area.

    If ``method`` gives a standard error of 0, the interval is computed by "smoothed-logit" instead.

    Parameters
    ----------
    areas : Placements
        Placement values of one curve.
    level : float
        Confidence level, in (0, 1).
    method : str or None
        One of ``AUC_METHODS`` or, for a partial area, one of ``PARTIAL_AUC_METHODS``. None selects the first.
    replicate : function, optional
        For the methods "bootstrap" and "bca": a function without arguments that returns the area in each resample.

    Returns
    -------
    Interval
        Confidence interval of the AUC, or of the partial area divided by the width of the range of rates. The flag
        ``fallback`` is set if another method was used instead of ``method``.

    Raises
    ------
    RocPredictError
        If ``method`` is unknown.
    """
    allowed = PARTIAL_AUC_METHODS if areas.is_partial else AUC_METHODS
    method = check_option("method", method, (None, *allowed)) or allowed[0]
    smoothed, estimate = SmoothedAreas.from_placements(areas), float(areas.estimate)
    limits, flags = _interval_limits(areas, smoothed, level, method, replicate), smoothed.flags
    if not limits[1] > limits[0]:
        flags |= Flags(fallback=True)
        method, limits = "smoothed-logit", smoothed.interval(level)
    if method == "smoothed-logit" and 0 < estimate < 1 and not areas.is_partial:
        flags |= Flags(fallback=any(smoothed.constant_classes))
    low, high = (min(max(float(end), 0.0), 1.0) for end in limits)
    return Interval(low, high, level, method, estimate, flags)


def _interval_limits(
    areas: Placements, smoothed: SmoothedAreas, level: float, method: str, replicate: Any
) -> tuple[Any, Any]:
    """Return the bounds of the confidence interval; the two bounds are equal if the standard error is 0."""
    area, units = float(areas.estimate), areas.n_units
    if method == "smoothed-logit":
        return smoothed.interval(level)
    if method == "bootstrap":
        return percentile_interval(replicate(), level)
    if method == "bca":
        return bca_interval(replicate(), area, _bca_acceleration(areas), level)
    quantile = critical_value(smoothed.plain_df, level)
    if method == "newcombe":
        return _newcombe_low(area, units, quantile), 1 - _newcombe_low(1 - area, units, quantile)
    if method == "hanley-mcneil":
        variance = hanley_mcneil_variance(area, units)
    else:
        variance = 0.0 if smoothed.is_blind else float(smoothed.plain_variance)
    half = quantile * float(np.sqrt(variance)) if variance > VARIANCE_TOL else 0.0
    if method != "logit":
        return area - half, area + half
    half = half / (area * (1 - area)) if 0 < area < 1 else 0.0
    return expit(logit(area) - half), expit(logit(area) + half)


def auc_std_error(areas: Placements, method: str | None, replicate: Any = None) -> float:
    """Return the standard error of an area.

    By default, DeLong's standard error is returned or, if it is 0 or undefined, the smoothed standard error.
    """
    check_option("method", method, (None, *(PARTIAL_AUC_STD_ERRORS if areas.is_partial else STD_ERRORS)))
    if method == "bootstrap":
        return float(np.std(replicate(), ddof=1))
    if method == "hanley-mcneil":
        return float(np.sqrt(hanley_mcneil_variance(float(areas.estimate), areas.n_units)))
    smoothed = SmoothedAreas.from_placements(areas)
    if method is None:
        return float(smoothed.std_error)
    return float(np.sqrt(smoothed.plain_variance if method == "delong" else smoothed.variance))


def critical_value(df: float, level: float) -> float:
    """Return the two-sided critical value of Student's t or, if ``df`` is infinite, of the normal distribution."""
    return -float(stdtrit(df, (1 - level) / 2))


def hanley_mcneil_variance(area: Any, count: tuple[Any, Any]) -> Any:
    """Return the variance of an empirical AUC, assuming that both classes have exponential distributions.

    References
    ----------
    J. A. Hanley, B. J. McNeil (1982), The meaning and use of the area under a receiver operating characteristic (ROC)
    curve, Radiology 143, 29-36.
    """
    negatives, positives = count
    both_above, both_below = area / (2 - area), 2 * area**2 / (1 + area)
    spread = (positives - 1) * (both_above - area**2) + (negatives - 1) * (both_below - area**2)
    return (area * (1 - area) + spread) / (negatives * positives)


def _newcombe_low(area: float, count: tuple[float, float], quantile: float) -> float:
    """Return the lower score bound of Newcombe (2006, method 5), which uses the variance at the bound.

    The upper bound for an area A is 1 minus the lower bound for 1 - A.

    References
    ----------
    R. G. Newcombe (2006), Confidence intervals for an effect size measure based on the Mann-Whitney statistic. Part 2:
    asymptotic methods and evaluation, Statistics in Medicine 25, 559-573.
    """
    from scipy.optimize import brentq

    half = sum(count) / 2 - 1

    def excess(t: float) -> float:
        ratio = quantile**2 * (1 + half * ((1 - t) / (2 - t) + t / (1 + t))) / (count[0] * count[1])
        if area == 1:  # both sides are divided by 1 - t, because t = 1 is a solution
            return 1 - t - ratio * t
        return (area - t) ** 2 - ratio * t * (1 - t)

    return float(brentq(excess, 0, area, xtol=_XTOL)) if area else 0.0


def _bca_acceleration(placements: Placements) -> float:
    """Return the acceleration of the BCa interval: one sixth of the skewness of the estimated area (Efron 1987)."""
    squares = sum(float(part.sum_squares(placements.estimate)) / part.total**2 for part in placements.classes)
    return placements.third_cumulant() / (6 * squares**1.5) if squares > 0 else 0.0


def map_interval(interval: Interval[Any], change: Callable[[Any], Any]) -> Interval[Any]:
    """Return a copy of an interval, with the bounds and the estimate transformed by an increasing function."""
    low, high, estimate = (change(part) for part in (interval.low, interval.high, interval.estimate))
    return replace(interval, low=low, high=high, estimate=estimate)


def complement_interval(interval: Interval[Any]) -> Interval[Any]:
    """Convert the confidence interval of a quantity to the interval of 1 minus this quantity."""
    turned = map_interval(interval, lambda part: to_scalar(1 - np.asarray(part)))
    return replace(turned, low=turned.high, high=turned.low)


# ---- rates at a fixed threshold
_PROPORTIONS = {
    "tpr": (("tp",), ("fn",)),
    "fnr": (("fn",), ("tp",)),
    "tnr": (("tn",), ("fp",)),
    "fpr": (("fp",), ("tn",)),
    "precision": (("tp",), ("fp",)),
    "false_discovery_rate": (("fp",), ("tp",)),
    "npv": (("tn",), ("fn",)),
    "false_omission_rate": (("fn",), ("tn",)),
    "accuracy": (("tp", "tn"), ("fp", "fn")),
    "error_rate": (("fp", "fn"), ("tp", "tn")),
}
"""For each proportion, the counts in the numerator, and the counts that occur only in the denominator."""
AMEANS_METHODS = ("newcombe-clopper-pearson", "newcombe-wilson")
"""Methods for "ameans" and "youden": the intervals of the TPR and of the TNR that are combined."""
EMPIRICAL_MEASURES = (*_PROPORTIONS, "ameans", "youden")
"""Performance measures whose intervals are computed from the confusion matrix at a fixed threshold."""


def rate_interval(cells: ConfusionCounts, measure: str, level: float, method: str | None) -> Interval[Any]:
    """Return the confidence interval of a performance measure from the confusion matrix at a prespecified threshold."""
    check_option("measure", measure, EMPIRICAL_MEASURES)
    if measure not in _PROPORTIONS:
        method = check_option("method", method, (None, *AMEANS_METHODS)) or AMEANS_METHODS[0]
        parts = {"tpr": (cells.tp, cells.tp + cells.fn), "tnr": (cells.tn, cells.fp + cells.tn)}
        limits: Any = method.removeprefix("newcombe-")
        tpr, tnr = (proportion_interval(*counts, level=level, method=limits) for counts in parts.values())
        low, high = _mean_limits(tpr, tnr)
        estimate = (tpr.estimate + tnr.estimate) / 2
        interval = Interval(np.asarray(low)[()], np.asarray(high)[()], level, method, estimate)
        return interval if measure == "ameans" else map_interval(interval, lambda part: 2 * part - 1)
    name = cast(ProportionMethod, check_option("method", method, (None, *PROPORTION_METHODS)) or PROPORTION_METHODS[0])
    part, other = (np.sum([getattr(cells, cell) for cell in names], axis=0) for names in _PROPORTIONS[measure])
    is_defined = part + other > 0
    interval = proportion_interval(part, np.where(is_defined, part + other, 1), level=level, method=name)
    if is_defined.all():
        return interval
    choices = (interval.low, 0.0), (interval.high, 1.0), (interval.estimate, np.nan)
    low, high, estimate = (np.where(is_defined, value, undefined)[()] for value, undefined in choices)
    return Interval(low, high, level, name, estimate, Flags(undefined=~is_defined))


def ameans_interval(
    tpr: ArrayOrFloat, tnr: ArrayOrFloat, count: tuple[ArrayOrFloat, ArrayOrFloat], level: float
) -> tuple[FloatArray, FloatArray]:
    """Return the interval of (TPR + TNR)/2 at a fixed threshold, computed from Wilson's intervals of both rates."""
    rates, total = np.array([tnr, tpr]), np.array(count, dtype=np.float64)
    bounds = zip(*wilson(rates * total, total, level), rates, strict=True)
    return _mean_limits(*(Interval(low, high, level, "wilson", rate) for low, high, rate in bounds))


def _mean_limits(tpr: Interval[Any], tnr: Interval[Any]) -> tuple[FloatArray, FloatArray]:
    """Combine the intervals of TPR and TNR into that of their mean.

    Let a and b be the distances of the TPR and of the TNR from their lower limits. The distance between TPR + TNR and
    its lower limit is sqrt(a^2 + b^2). The upper limit is computed in the same way.

    References
    ----------
    R. G. Newcombe (1998), Interval estimation for the difference between independent proportions: comparison of eleven
    methods, Statistics in Medicine 17, 873-890.
    """
    middle = (tpr.estimate + tnr.estimate) / 2
    low, high = (np.hypot(*(getattr(part, side) - part.estimate for part in (tpr, tnr))) for side in ("low", "high"))
    return middle - low / 2, middle + high / 2
