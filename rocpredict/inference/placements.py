"""Placement values and their variances."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rocpredict.base.validation import (
    ArrayOrFloat,
    FloatArray,
    RocPredictError,
    check_pair,
    check_probabilities,
    to_scalar,
)
from rocpredict.distributions.ecdf import Ecdf, count_below, count_below_transposed
from rocpredict.solvers.base import Axis, interpolate_tpr
from rocpredict.solvers.empirical import EmpiricalSolver

PSEUDO_COUNT = 0.5
"""Cases that smoothing adds to each class where the area is located, placed where chance is."""
PSEUDO_COUNT_VARIANCE = 0.25
"""Cases that smoothing adds to each class where its spread is measured: see ``Placements.smoothed``."""
VARIANCE_TOL = 1e-24
"""A variance of areas that is no more than rounding."""
PLACEMENT_TOL = 1e-12
"""Of a placement, or an area."""


class RateInterval(NamedTuple):
    """A band of the ROC plot: of FPR, or of TPR."""

    axis: Axis
    low: ArrayOrFloat
    high: ArrayOrFloat

    @property
    def width(self) -> ArrayOrFloat:
        """Give the width of the band."""
        return self.high - self.low


def check_rate_interval(fpr: Any, tpr: Any) -> RateInterval:
    """Return the band that is asked for, or refuse what is none."""
    if (fpr is None) == (tpr is None):
        raise RocPredictError("partial_auc needs one of fpr=(low, high) and tpr=(low, high)")
    name: Axis = "fpr" if tpr is None else "tpr"
    ends = fpr if tpr is None else tpr
    low, high = (check_probabilities(name, end) for end in check_pair(name, ends, "(low, high)"))
    if np.any(low >= high):
        raise RocPredictError(f"{name}={ends!r} is an empty band; give (low, high) with low < high")
    return RateInterval(name, to_scalar(low), to_scalar(high))


class ClassPlacements(NamedTuple):
    """The placement values of one class."""

    values: FloatArray
    """Shape (rows,), or (rows, K) for K curves of the same rows; their mean is the area."""
    weights: Any
    """How many cases each row stands for; None where it is one."""
    total: float
    clusters: NDArray[np.intp] | None = None
    """The cluster of each row, from 0 on, where rows are not independent; numbered alike in both classes."""

    @property
    def n_units(self) -> float:
        """How many independent units there are: cases, or clusters with a case of this class."""
        return self.total if self.clusters is None else float(len(np.unique(self.clusters)))

    def deviations(self, centre: FloatArray, clusters: int = 0) -> FloatArray:
        """Give the weighted deviations from a centre, each row's, or summed over each of the clusters."""
        deviation = self.values - centre
        weighted = deviation if self.weights is None else (deviation.T * self.weights).T
        if self.clusters is None:
            return weighted
        summed = np.zeros((clusters, *weighted.shape[1:]))
        np.add.at(summed, self.clusters, weighted)
        return summed

    def sum_squares(self, centre: FloatArray) -> FloatArray:
        """Give the sum of squares (K curves: of products, shape (K, K)) about a centre, over independent units."""
        if self.weights is None and self.clusters is None and self.values.ndim == 1:
            deviation = self.values - centre
            deviation *= deviation
            return np.asarray(deviation.sum())
        if self.clusters is None:
            return _products(self.deviations(centre), self.values - centre)
        summed = self.deviations(centre, int(self.clusters.max()) + 1)
        return _products(summed, summed)


@dataclass(frozen=True)
class Placements:
    """Hold an area and the placement values that it is the mean of.

    Attributes
    ----------
    estimate : array of shape () or (K,)
        The area, as a share of the widest that it could be.
    negative, positive : Side
        Placement values of each class: how the area changes with one case of it.
    chance : float
        What the area is for a feature that tells nothing.
    bounds : pair of float
        Between which every area lies.
    is_partial : bool
        Whether it is a part of the area only.
    """

    estimate: FloatArray
    negative: ClassPlacements
    positive: ClassPlacements
    null_value: float = 0.5
    bounds: tuple[float, float] = (0.0, 1.0)
    is_partial: bool = False

    @property
    def n_units(self) -> tuple[float, float]:
        """How many independent units each class has."""
        return self.negative.n_units, self.positive.n_units

    @property
    def df(self) -> float:
        """How many degrees of freedom the variance has: infinitely many, but for clusters, of which there are few."""
        rows = len(self.negative.values) + len(self.positive.values)
        return self._clusters - 1 if self._clustered and self._clusters < rows else np.inf

    def variance(self) -> FloatArray:
        """Give the variance of the area by DeLong, DeLong and Clarke-Pearson (1988); K curves: covariances.

        With clusters that of Obuchowski (1997). A class of one unit shows no spread and adds nothing: see
        ``smoothed`` for an honest figure.
        """
        variance = self._cross_covariance()
        for side in (self.negative, self.positive):
            if side.n_units > 1:
                variance += side.sum_squares(self.estimate) / side.total**2 * (side.n_units / (side.n_units - 1))
        if self._clustered and np.linalg.eigvalsh(np.atleast_2d(variance)).min() < 0:
            return self._sum_over_clusters()
        return variance

    def smoothed_estimate(self) -> tuple[Any, FloatArray]:
        """Give area and variance with a little of a case more in each class, about where chance is.

        The area has half a case more, placed where chance is. The spread of a class has a quarter of a case, whose
        placement has its mean where chance is and half of the largest variance that the bounds allow: so that
        placements which happen to be all alike, there or elsewhere, do not pass for certainty. Of one curve a
        class of one unit gets that largest variance.
        """
        cases = 2 / sum(1 / units for units in self.n_units)
        area = (self.estimate * cases + PSEUDO_COUNT * self.null_value) / (cases + PSEUDO_COUNT)
        pull = self.pseudo_squares(area)
        variance = self._cross_covariance()
        for side in (self.negative, self.positive):
            units = side.n_units + PSEUDO_COUNT_VARIANCE
            spread = (side.sum_squares(area) + pull) / (side.total + PSEUDO_COUNT_VARIANCE) ** 2 * (units / (units - 1))
            if side.n_units <= 1 and self.estimate.ndim == 0:
                spread = np.maximum(spread, (area - self.bounds[0]) * (self.bounds[1] - area))
            variance += spread
        if self._clustered and np.diagonal(np.atleast_2d(variance)).min() <= VARIANCE_TOL:
            return self._as_independent().smoothed_estimate()  # clusters that cancel tell nothing of others
        return area, variance

    def largest_variance(self) -> FloatArray:
        """Give the largest variance that areas within the bounds can have; of K curves on the diagonal."""
        largest = (self.estimate - self.bounds[0]) * (self.bounds[1] - self.estimate)
        return np.asarray(largest if self.estimate.ndim == 0 else np.diag(largest))

    def pseudo_squares(self, area: Any) -> FloatArray:
        """Give the squares about an area that the added case of a class has; of K curves without its own spread."""
        squares = np.multiply.outer(self.null_value - area, self.null_value - area)
        if self.estimate.ndim == 0:
            squares = squares + (self.null_value - self.bounds[0]) * (self.bounds[1] - self.null_value) / 2
        return np.asarray(PSEUDO_COUNT_VARIANCE * squares)

    @property
    def has_zero_variance_part(self) -> bool:
        """Whether a part of it shows no spread: a single set of placements has no parts."""
        return False

    @property
    def constant_classes(self) -> list[bool]:
        """Whether all units of each class, two or more, are placed alike, so that its spread was not seen."""
        sides = self.negative, self.positive
        return [side.n_units > 1 and float(np.ptp(side.values)) <= PLACEMENT_TOL for side in sides]

    @property
    def is_constant(self) -> bool:
        """Whether every case is placed where chance is: all values are tied, or all curves alike."""
        ends = (end for side in (self.negative, self.positive) for end in (side.values.min(), side.values.max()))
        return bool(max(abs(end - self.null_value) for end in ends) <= PLACEMENT_TOL)

    def contrast(self, contrast: FloatArray) -> Placements:
        """Give the placements of a weighted sum of the K curves."""
        negative, positive = (
            s._replace(values=sum(w * column for w, column in zip(contrast, s.values.T, strict=True) if w))
            for s in (self.negative, self.positive)
        )
        chance = self.null_value * float(contrast.sum())
        bounds = float(np.minimum(contrast, 0).sum()), float(np.maximum(contrast, 0).sum())
        estimate = np.asarray(self.estimate @ contrast)
        return Placements(estimate, negative, positive, chance, bounds, self.is_partial)

    @property
    def _clustered(self) -> bool:
        return self.negative.clusters is not None

    def _as_independent(self) -> Placements:
        """Give the same as if rows were independent."""
        negative, positive = (side._replace(clusters=None) for side in (self.negative, self.positive))
        return replace(self, negative=negative, positive=positive)

    def _cross_covariance(self) -> FloatArray:
        """Give what clusters with cases of both classes add: twice the covariance of their two parts."""
        if not self._clustered:
            return np.zeros(self.estimate.shape * 2)
        negative, positive = self._deviations()
        product = _products(negative, positive)
        factor = self._clusters / (self._clusters - 1) if self._clusters > 1 else 1.0
        return np.asarray((product + product.T) * factor)

    def _sum_over_clusters(self) -> FloatArray:
        """Give the variance of the sum over clusters, which is never negative as a sum of parts can be."""
        negative, positive = self._deviations()
        together = negative + positive
        factors = [units / (units - 1) for units in self.n_units if units > 1]
        return _products(together, together) * max(factors, default=1.0)

    def _deviations(self) -> tuple[FloatArray, FloatArray]:
        """Give each cluster's part of the error of the area, by class."""
        count = 1 + int(max(self.negative.clusters.max(), self.positive.clusters.max()))  # type: ignore[union-attr]
        negative, positive = (
            side.deviations(self.estimate, count) / side.total for side in (self.negative, self.positive)
        )
        return negative, positive

    @property
    def _clusters(self) -> int:
        return len(np.union1d(self.negative.clusters, self.positive.clusters))  # type: ignore[arg-type]


def _products(first: FloatArray, second: FloatArray) -> FloatArray:
    """Give the sum of the products over the rows; for K columns all of them, shape (K, K)."""
    if first.ndim == 1:  # pairwise summation keeps more digits than a dot product, and starts no threads
        return np.asarray(np.sum(first * second))
    return np.asarray(first.T @ second)


def compute_placements(negative: Ecdf, positive: Ecdf) -> Placements:
    """Give the placements of one curve, each class in ascending order of its values.

    O(n log n) time, O(n) memory (Sun and Xu 2014 give the same by midranks).
    """
    below, to = count_below(negative.sorted_sample, positive.sorted_sample)
    lower = negative.mid_rank_weight(below, to)
    below_negative = positive.mid_rank_weight(*count_below_transposed(below, to, len(negative.sorted_sample)))
    sides = (
        ClassPlacements((positive.total - below_negative) / positive.total, negative.sorted_weights, negative.total),
        ClassPlacements(lower / negative.total, positive.sorted_weights, positive.total),
    )
    return Placements(EmpiricalSolver(negative, positive).auc_from_ranks(lower), *sides)


def partial_placements(negative: Ecdf, positive: Ecdf, band: RateInterval) -> Placements:
    """Give the placements of the area in a band of FPR or TPR, as a share of the band's width.

    The part of a negative is the TPR at the FPR that it holds, taken to the nearer end where that lies outside
    the band: with it the variance counts that the ends of the band are estimated too.
    """
    axis, low, high = band
    if axis == "tpr":  # the curve seen from its other corner
        turned = partial_placements(positive.reflect(), negative.reflect(), RateInterval("fpr", 1 - high, 1 - low))
        mirrored = [
            ClassPlacements(s.values[::-1], s.weights[::-1], s.total) for s in (turned.positive, turned.negative)
        ]
        return Placements(turned.estimate, mirrored[0], mirrored[1], turned.null_value, is_partial=True)
    solver = EmpiricalSolver(negative, positive)
    v = solver.points
    from_negative, to_negative = _fpr_steps(negative, negative.unique_values)
    area_to = _cumulative_area(v.fpr, v.tpr)
    before, after = np.clip(from_negative, low, high), np.clip(to_negative, low, high)
    height_low, height_high = solver.along("fpr", np.array([low, high]))
    outside = height_low * (np.minimum(to_negative, low) - np.minimum(from_negative, low))
    outside += height_high * (np.maximum(to_negative, high) - np.maximum(from_negative, high))
    in_negative = (area_to(after) - area_to(before) + outside) / (to_negative - from_negative)
    in_positive = _mean_clipped_distance(*_fpr_steps(negative, positive.unique_values), low, high)
    side = ClassPlacements(in_positive / band.width, positive.unique_weights, positive.total)
    estimate = np.asarray(_mean(side))
    other = ClassPlacements(in_negative / band.width, negative.unique_weights, negative.total)
    other = other._replace(values=other.values - _mean(other) + estimate)
    return Placements(estimate, other, side, null_value=(low + high) / 2, is_partial=True)


def placements_in_row_order(side: ClassPlacements, ordered: FloatArray, rows: FloatArray) -> FloatArray:
    """Give the placement of each row, from those of the values in their order."""
    if len(side.values) != len(rows):  # tied rows share a value, and rows without a weight have none
        return side.values[np.minimum(np.searchsorted(ordered, rows), len(ordered) - 1)]
    placed = np.empty(len(rows))
    placed[np.argsort(rows)] = side.values
    return placed


def _mean(side: ClassPlacements) -> FloatArray:
    if side.weights is None:
        return np.asarray(side.values.mean(axis=0))
    return np.asarray(side.weights @ side.values / side.total)


def _fpr_steps(negative: Ecdf, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Give the FPRs between which the curve passes each value."""
    return negative.weight_above(values) / negative.total, negative.weight_at_or_above(values) / negative.total


def _mean_clipped_distance(start: FloatArray, end: FloatArray, low: float, high: float) -> FloatArray:
    """Give the mean length of the band that lies right of a point of each cell."""

    def area(u: FloatArray) -> FloatArray:
        inside = np.clip(u, low, high)
        left_of_band = np.minimum(u, low) * (high - low)
        return np.asarray(left_of_band + (inside - low) * (high - (inside + low) / 2))

    width = end - start
    tied = width > 0
    mean = np.asarray(high - np.clip(start, low, high))
    mean[tied] = (area(end[tied]) - area(start[tied])) / width[tied]
    return mean


def _cumulative_area(fpr: FloatArray, tpr: FloatArray) -> Callable[[FloatArray], FloatArray]:
    """Give the function that tells the area under the curve up to an FPR."""
    total = np.concatenate([[0.0], np.cumsum(np.diff(fpr) * (tpr[1:] + tpr[:-1]) / 2)])

    def area_to(at: FloatArray) -> FloatArray:
        index = np.searchsorted(fpr, at, side="right") - 1
        return np.asarray(total[index] + (at - fpr[index]) * (tpr[index] + interpolate_tpr(fpr, tpr, at)) / 2)

    return area_to


STRATUM_WEIGHTS = ("pairs", "positives", "equal")
"""How strata are weighed; the first is the default."""


@dataclass(frozen=True)
class StratifiedPlacements:
    """Hold the placements of each stratum, and how much each counts.

    Attributes
    ----------
    strata : tuple of Placements
    weights : array of shape (strata,)
        They sum to 1.
    """

    strata: tuple[Placements, ...]
    weights: FloatArray

    @classmethod
    def from_strata(cls, parts: tuple[Placements, ...], weighting: str) -> StratifiedPlacements:
        """Weigh the strata: by pairs of a negative and a positive, by positives, or all alike."""
        sizes = np.array([[part.negative.total, part.positive.total] for part in parts])
        weights = {"pairs": sizes.prod(axis=1), "positives": sizes[:, 1], "equal": np.ones(len(parts))}[weighting]
        return cls(parts, weights / weights.sum())

    @property
    def estimate(self) -> FloatArray:
        """The weighted mean of the areas of the strata."""
        return np.asarray(self.weights @ self._estimates)

    @property
    def n_units(self) -> tuple[float, float]:
        """How many independent units each class has, in all."""
        return sum(part.n_units[0] for part in self.strata), sum(part.n_units[1] for part in self.strata)

    @property
    def null_value(self) -> float:
        """What the area is for a feature that tells nothing."""
        return self.strata[0].null_value

    @property
    def constant_classes(self) -> list[bool]:
        """Neither class: strata are judged together."""
        return [False, False]

    @property
    def has_zero_variance_part(self) -> bool:
        """Whether a part of it shows no spread: a single set of placements has no parts."""
        return False

    @property
    def is_constant(self) -> bool:
        """Whether every case is placed where chance is."""
        return all(part.is_constant for part in self.strata)

    @property
    def is_partial(self) -> bool:
        """Whether it is a part of the area only."""
        return self.strata[0].is_partial

    @property
    def df(self) -> float:
        """How many degrees of freedom the variance has: infinitely many, unless most of it is that between strata."""
        blind = sum(self.has_singleton_class)
        if blind <= 1:
            return np.inf
        between, whole = (
            float(np.trace(np.atleast_2d(v))) for v in (self._between_stratum_variance(), self.variance())
        )
        return (blind - 1) * (whole / between) ** 2 if between > 0 else np.inf

    @property
    def bounds(self) -> tuple[float, float]:
        """Between which every area lies."""
        return self.strata[0].bounds

    @property
    def has_singleton_class(self) -> list[bool]:
        """Which strata have a class of one case, of which nobody sees how it varies."""
        return [min(part.n_units) <= 1 for part in self.strata]

    def variance(self) -> FloatArray:
        """Give the sum of the variances within strata; those of blind strata are seen in what sets these apart."""
        variance = np.zeros(self.estimate.shape * 2)
        for share, part, blind in zip(self.weights, self.strata, self.has_singleton_class, strict=True):
            if not blind:
                variance += share**2 * part.variance()
        return variance + self._between_stratum_variance()

    def _between_stratum_variance(self) -> FloatArray:
        held = [
            (share, part)
            for share, part, blind in zip(self.weights, self.strata, self.has_singleton_class, strict=True)
            if blind
        ]
        if len(held) <= 1:
            return np.asarray(sum((share**2 * part.largest_variance() for share, part in held), np.zeros(())))
        shares, estimates = np.array([share for share, _ in held]), np.array([part.estimate for _, part in held])
        deviation = ((estimates - shares @ estimates / shares.sum()).T * shares).T
        return np.asarray(deviation.T @ deviation * (len(held) / (len(held) - 1)))

    def smoothed_estimate(self) -> tuple[Any, FloatArray]:
        """Give area and variance with a little of a case more in each class; see ``Placements.smoothed``."""
        if len(self.strata) == 1:
            return self.strata[0].smoothed_estimate()
        cases = 2 / sum(1 / units for units in self.n_units)
        area = (self.estimate * cases + PSEUDO_COUNT * self.null_value) / (cases + PSEUDO_COUNT)
        pull = self.strata[0].pseudo_squares(area)
        return area, self.variance() + sum(pull / (units + PSEUDO_COUNT_VARIANCE) ** 2 for units in self.n_units)

    def contrast(self, contrast: FloatArray) -> StratifiedPlacements:
        """Give the same of a weighted sum of the K curves."""
        return StratifiedPlacements(tuple(part.contrast(contrast) for part in self.strata), self.weights)

    @property
    def _estimates(self) -> FloatArray:
        return np.array([part.estimate for part in self.strata])


AnyPlacements: TypeAlias = Placements | StratifiedPlacements
"""One curve or K, all rows together or stratum by stratum."""
