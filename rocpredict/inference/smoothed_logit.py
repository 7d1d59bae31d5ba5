"""Smoothed areas on the logit scale: their intervals, their p-values, and those of differences between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.special import betainc, betaincinv, expit, logit, stdtr, stdtrit

from rocpredict.base.rates import zero_variance_interval
from rocpredict.base.validation import ArrayOrFloat, FloatArray
from rocpredict.inference.placements import (
    PLACEMENT_TOL,
    AnyPlacements,
    Placements,
    StratifiedPlacements,
    VarianceComponent,
)

PSEUDO_COUNT = 0.25
"""Observations that smoothing adds to each class where the area is located, placed where chance is."""
PSEUDO_COUNT_VARIANCE = 0.5
"""Observations that smoothing adds to each class where its variance is measured."""
CHANCE_WEIGHT = 0.1
"""Share of the variance about chance in that of the added observations."""
MIN_SUM_SQUARES = 0.005
"""Added to those of the placements of a difference, so that degrees of freedom are never 0/0."""
_QUANTILES = np.concatenate([[0.0], np.geomspace(1e-6, 1e9, 121)])  # brackets of a root
_FRACTIONS = np.linspace(0, 1, 33)


class Tails(NamedTuple):
    """One-sided p-values of a value: that the quantity is not above it, and that it is not below it."""

    greater: float
    less: float
    statistic: float
    """Student's t of the first; the second has the opposite sign."""

    @classmethod
    def from_lower(cls, p_value: float, df: Any) -> Tails:
        """Return the tails of which the first is known, with the t that has this p-value."""
        statistic = -float(stdtrit(df, p_value)) if p_value < 1 / 2 else 0.0
        return cls(p_value, max(1 - p_value, 1 / 2), statistic)

    def swapped(self) -> Tails:
        """Return the tails of the quantity with the opposite sign."""
        return Tails(self.less, self.greater, -self.statistic)


@dataclass(frozen=True)
class SmoothedAreas:
    """Areas with smoothed variances; every array has the shape of the areas: (), F features, or K curves.

    Attributes
    ----------
    estimate : array
        The areas, as shares of the widest that they could be.
    centre : array
        The same with ``PSEUDO_COUNT`` observations more in each class, placed where chance is: never 0 or 1.
    variance, df : array
        The smoothed variance, and its degrees of freedom by Satterthwaite (1946).
    n_units : pair
        Independent units of each class.
    constant_classes : pair of bool or array
        Whether all units of a class, two or more, have the same placement, so that its variance was not seen.
    is_constant : bool or array
        Whether every unit is placed where chance is.
    is_partial : bool
        Whether these are partial areas, which can be as large as there is without a perfect feature.

    Notes
    -----
    The variance of n placements with mean A is (S + q)/(u (u - 1)), S the sum of squares about A, u = n +
    ``PSEUDO_COUNT_VARIANCE``, and q what the added observations have: ``PSEUDO_COUNT_VARIANCE`` times a mixture of
    B(1 - B), the largest variance that placements with the mean B can have, B being the area with half an observation
    more, and of (c - A)^2 + c(1 - c)/2, c the area of an uninformative feature. The three constants were chosen by
    simulation: see the documentation ("How intervals cover").
    """

    estimate: FloatArray
    centre: FloatArray
    variance: FloatArray
    df: FloatArray
    n_units: tuple[ArrayOrFloat, ArrayOrFloat]
    constant_classes: Sequence[Any] = (False, False)
    is_constant: Any = False
    is_partial: bool = False

    @classmethod
    def from_sum_squares(
        cls, estimate: FloatArray, sum_squares: Sequence[Any], n_units: tuple[Any, Any], null_value: float, **rest: Any
    ) -> SmoothedAreas:
        """Smooth areas of independent observations, from the sums of squares of the placements of each class.

        A class of one observation has the largest variance that its mean allows.
        """
        centre, added = _smooth(estimate, n_units, null_value)
        variance, weighted_squares = np.zeros(np.shape(centre)), np.zeros(np.shape(centre))
        for squares, n in zip(sum_squares, n_units, strict=True):
            units = n + PSEUDO_COUNT_VARIANCE
            part = (squares + added) / (units * (units - 1))
            part = np.where(n <= 1, np.maximum(part, centre * (1 - centre)), part)
            variance += part
            weighted_squares += np.where(n <= 1, 0.0, part**2 / np.where(n <= 1, 1, n - 1))
        with np.errstate(divide="ignore"):
            df = variance**2 / weighted_squares
        return cls(np.asarray(estimate), centre, variance, df, n_units, **rest)

    @classmethod
    def from_placements(cls, areas: AnyPlacements) -> SmoothedAreas:
        """Smooth the area, or the K areas, of a sample.

        With clusters, or in more than one stratum, the variance and its degrees of freedom are those of the sample.
        Smoothing adds as much as for as many independent observations as there are, with clusters as they are worth.
        """
        if isinstance(areas, StratifiedPlacements) and len(areas.strata) == 1:
            return cls.from_placements(areas.strata[0])
        n_units, estimate = areas.n_units, areas.estimate
        rest: dict[str, Any] = {
            "constant_classes": areas.constant_classes,
            "is_constant": areas.is_constant,
            "is_partial": areas.is_partial,
        }
        if isinstance(areas, Placements) and not areas.is_clustered:
            squares = [_diagonal(part.sum_squares(estimate)) for part in areas.classes]
            return cls.from_sum_squares(estimate, squares, n_units, areas.null_value, **rest)
        sizes = _effective_sizes(areas) if isinstance(areas, Placements) else n_units
        centre, added = _smooth(estimate, sizes, areas.null_value)
        units = [n + PSEUDO_COUNT_VARIANCE for n in sizes]
        components = [
            VarianceComponent(_diagonal(component.variance), component.df) for component in areas.components()
        ]
        total = sum((component.variance for component in components), np.zeros(np.shape(centre)))
        variance = total + added * sum(1 / (u * (u - 1)) for u in units)
        return cls(estimate, centre, variance, satterthwaite_df(components), n_units, **rest)

    def limits(self, quantile: ArrayOrFloat) -> tuple[FloatArray, FloatArray]:
        """Return the ends that lie a quantile of standard errors off on the logit scale; they hold the estimate."""
        half = quantile * np.sqrt(self.variance) / (self.centre * (1 - self.centre))
        middle = logit(self.centre)
        return np.minimum(expit(middle - half), self.estimate), np.maximum(expit(middle + half), self.estimate)

    def interval(self, level: float) -> tuple[FloatArray, FloatArray]:
        """Return the ends of the interval.

        Observations that may exist unseen widen it where a class is constant, and near 0 and 1. They alone set it where
        the area is 0 or 1, or every value is tied: see ``zero_variance_interval``.
        """
        tail, estimate = (1 - level) / 2, self.estimate
        low, high = self.limits(-stdtrit(self.df, tail))
        if not self.is_partial:
            for n, constant in zip(self.n_units, self.constant_classes, strict=True):
                if not np.any(constant):
                    continue
                limits = zero_variance_interval(estimate, (n, n), level)
                low = np.where(constant, np.minimum(low, limits[0]), low)
                high = np.where(constant, np.maximum(high, limits[1]), high)
            n = np.minimum(*self.n_units)
            low = np.minimum(low, _lost_share(1 - estimate, n, betaincinv, tail, otherwise=1.0))
            high = np.maximum(high, 1 - _lost_share(estimate, n, betaincinv, tail, otherwise=1.0))
        if not np.any(self._is_unseen):
            return low, high
        unseen = zero_variance_interval(estimate, self.n_units, level)
        return np.where(self._is_unseen, unseen[0], low), np.where(self._is_unseen, unseen[1], high)

    def tails(self, value: float) -> Tails:
        """Return the one-sided p-values of a value: half the levels at which intervals begin to leave it out.

        One area only.
        """
        estimate, is_above = float(self.estimate), value > float(self.estimate)
        with np.errstate(divide="ignore"):
            t = float((logit(self.centre) - logit(value)) * self.centre * (1 - self.centre) / np.sqrt(self.variance))
        p_value = min(float(stdtr(self.df, t if is_above else -t)), 0.5)  # centre to estimate: always in the interval
        if abs(value - estimate) <= PLACEMENT_TOL:
            return Tails(0.5, 0.5, 0.0)
        ratio, near_one, share = (
            ((1 - value) / (1 - estimate), self.estimate, 1 - value)
            if is_above
            else ((value / estimate if estimate else 1.0), 1 - self.estimate, value)
        )
        if self._is_unseen:
            bounds, p_value = [ratio ** min(self.n_units)], 0.0
        elif self.is_partial:
            bounds = []
        else:
            bounds = [ratio**n for n, constant in zip(self.n_units, self.constant_classes, strict=True) if constant]
            bounds.append(float(_lost_share(near_one, min(self.n_units), betainc, share, otherwise=0.0)))
        if max(bounds, default=0.0) > p_value or self._is_unseen:
            tails = Tails.from_lower(max(bounds), self.df)
            return tails.swapped() if is_above else tails
        return Tails(1 - p_value, p_value, t) if is_above else Tails(p_value, 1 - p_value, t)

    @property
    def _is_unseen(self) -> Any:
        extreme = ((self.estimate == 0) | (self.estimate == 1)) & (not self.is_partial)
        return self.is_constant | extreme


def _lost_share(area: FloatArray, n: Any, function: Any, argument: float, *, otherwise: float) -> FloatArray:
    """Return a quantile or a probability of the share of pairs that is lost, where n (1 - area) is between 0 and 1.

    The smaller class has n observations, so there are n pairs that share no observation; fewer than one is lost. The
    beta distribution is that of the upper end of Clopper and Pearson (1934): a rule of thumb, as n (1 - area) is a
    fraction.
    """
    lost, won = np.broadcast_arrays(n * (1 - area), n * area)
    is_near = (lost > 0) & (lost < 1)
    result = np.full(np.shape(lost), otherwise)
    result[is_near] = function(lost[is_near], won[is_near] + 1, argument)
    return result


def _smooth(estimate: FloatArray, n_units: tuple[Any, Any], null_value: float) -> tuple[FloatArray, FloatArray]:
    """Return areas with observations added where chance is, and the squares of those added to a variance."""
    n = 2 / sum(1 / count for count in n_units)
    centre = np.asarray((estimate * n + PSEUDO_COUNT * null_value) / (n + PSEUDO_COUNT))
    mean = (estimate * n + null_value / 2) / (n + 1 / 2)
    about_chance = (null_value - centre) ** 2 + null_value * (1 - null_value) / 2
    added = (1 - CHANCE_WEIGHT) * mean * (1 - mean) + CHANCE_WEIGHT * about_chance
    return centre, np.asarray(PSEUDO_COUNT_VARIANCE * added)


def _effective_sizes(areas: Placements) -> tuple[FloatArray, FloatArray]:
    """Return how many independent observations of each class clusters are worth in smoothing.

    The geometric mean of two numbers: of equal clusters that have as large a sum of squared sizes (Kish), and of
    observations by the ratio of both variances, at least that of clusters.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        worth = _diagonal(areas.unclustered().variance()) / _diagonal(areas.variance())
    worth = np.where(np.isnan(worth), 0.0, worth)
    negative, positive = (
        np.sqrt(np.clip(part.total * worth, part.n_units, part.total) / np.sum(part.cluster_shares() ** 2))
        for part in areas.classes
    )
    return negative, positive


def _diagonal(matrix: FloatArray) -> FloatArray:
    """Return the variances of a covariance matrix; one variance as it is."""
    return np.diagonal(matrix) if matrix.ndim == 2 else matrix


def satterthwaite_df(components: Sequence[VarianceComponent]) -> Any:
    """Return the degrees of freedom of a sum of independent variances."""
    nothing = np.zeros(())
    total = sum((component.variance for component in components), nothing)
    with np.errstate(divide="ignore", invalid="ignore"):
        df = total**2 / sum((component.variance**2 / component.df for component in components), nothing)
    return np.where(np.isnan(df), np.inf, df)


@dataclass(frozen=True)
class AreaContrast:
    """A weighted sum of K areas, with an interval by the method of variance estimates recovery (MOVER).

    Attributes
    ----------
    weights : array of shape (K,)
    areas : SmoothedAreas
        The K areas.
    correlation : array of shape (K, K)
        Of the areas.
    df : float
        Degrees of freedom of the variance of the sum.

    Notes
    -----
    The distances of the ends from the sum are the roots of quadratic forms of the distances of the ends of each area
    (Zou and Donner 2008; contrasts: Zou, Huang and Zhang 2009). As areas are bounded, so are the ends at any level:
    beyond, ``zero_variance_interval`` sets them.
    """

    weights: FloatArray
    areas: SmoothedAreas
    correlation: FloatArray
    df: float

    @classmethod
    def from_placements(cls, areas: AnyPlacements, weights: FloatArray) -> AreaContrast:
        """Return the contrast of K curves on the same observations."""
        if isinstance(areas, StratifiedPlacements) and len(areas.strata) == 1:
            areas = areas.strata[0]
        chosen = np.flatnonzero(weights)
        areas, weights = areas.select(chosen), weights[chosen]
        smoothed = SmoothedAreas.from_placements(areas)
        std_error = np.sqrt(smoothed.variance)
        correlation = np.clip(areas.variance() / np.multiply.outer(std_error, std_error), -1, 1)
        np.fill_diagonal(correlation, 1.0)
        components = areas.contrast(weights).components()
        if isinstance(areas, Placements) and not areas.is_clustered:
            floors = [MIN_SUM_SQUARES / (component.df * (component.df + 1)) for component in components]
            components = [
                component._replace(variance=component.variance + floor)
                for component, floor in zip(components, floors, strict=True)
            ]
        return cls(weights, smoothed, correlation, float(satterthwaite_df(components)))

    @classmethod
    def from_samples(cls, parts: Sequence[SmoothedAreas]) -> AreaContrast:
        """Return the difference of two areas on different observations."""
        fields: dict[str, Any] = {
            name: np.array([getattr(part, name) for part in parts]) for name in ("estimate", "centre", "variance", "df")
        }
        n_units = min(part.n_units[0] for part in parts), min(part.n_units[1] for part in parts)
        components = [VarianceComponent(part.variance, float(part.df)) for part in parts]
        areas = SmoothedAreas(**fields, n_units=n_units)
        return cls(np.array([1.0, -1.0]), areas, np.eye(2), float(satterthwaite_df(components)))

    @property
    def estimate(self) -> float:
        """The weighted sum of the areas."""
        return float(self.weights @ self.areas.estimate)

    def limits(self, quantiles: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the ends for quantiles, shape (Q,)."""
        low, high = self.areas.limits(np.asarray(quantiles)[:, None])
        below, above = self.areas.estimate - low, high - self.areas.estimate
        is_positive = self.weights > 0
        distances = (
            self.weights * np.where(is_positive, below, above),
            self.weights * np.where(is_positive, above, below),
        )
        squares = (np.einsum("qi,ij,qj->q", part, self.correlation, part) for part in distances)
        downwards, upwards = (np.sqrt(np.maximum(square, 0)) for square in squares)
        return self.estimate - downwards, self.estimate + upwards

    def interval(self, level: float) -> tuple[float, float]:
        """Return the ends of the interval."""
        quantile = -float(stdtrit(self.df, (1 - level) / 2))
        low, high = self.limits(quantile * _FRACTIONS)  # an end never comes nearer as the level rises
        lowest, highest = (float(end[0]) for end in self.limits(np.array([np.inf])))
        share, width = (self.estimate - self._bounds[0]) / self._width, self._width
        unseen = zero_variance_interval(np.asarray(share), self.areas.n_units, level)
        first, last = (self._bounds[0] + width * float(end) for end in unseen)
        low_end = min(float(low.min()), first) if first < lowest else float(low.min())
        high_end = max(float(high.max()), last) if last > highest else float(high.max())
        return max(low_end, self._bounds[0]), min(high_end, self._bounds[1])

    def tails(self, value: float) -> Tails:
        """Return the one-sided p-values of a value: half the levels at which intervals begin to leave it out."""
        if value > self.estimate:
            return AreaContrast(-self.weights, self.areas, self.correlation, self.df).tails(-value).swapped()
        t = self._quantile_at(value)
        reachable = min(value, float(self.limits(np.array([np.inf]))[0][0]))
        distance = self.estimate - self._bounds[0]
        unseen = (max(reachable - self._bounds[0], 0.0) / distance if distance else 1.0) ** min(self.areas.n_units)
        p_value = float(stdtr(self.df, -t))
        return Tails.from_lower(unseen, self.df) if unseen > p_value else Tails(p_value, 1 - p_value, t)

    def _quantile_at(self, value: float) -> float:
        """Return the smallest quantile whose lower end is not above a value; infinity if there is none."""
        from scipy.optimize import brentq

        reached = np.flatnonzero(self.limits(_QUANTILES)[0] <= value)
        if not reached.size:
            return np.inf
        if reached[0] == 0:
            return 0.0
        bracket = _QUANTILES[reached[0] - 1 : reached[0] + 1]
        return float(brentq(lambda q: float(self.limits(np.array([q]))[0][0]) - value, *bracket, rtol=1e-14))

    @property
    def _bounds(self) -> tuple[float, float]:
        return float(np.minimum(self.weights, 0).sum()), float(np.maximum(self.weights, 0).sum())

    @property
    def _width(self) -> float:
        return self._bounds[1] - self._bounds[0]
