"""Placement values and their variances."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias, get_args

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
"""Cases that smoothing adds to each class where its spread is measured: see ``Placements.smoothed_estimate``."""
VARIANCE_TOL = 1e-24
"""A variance of areas that is no more than rounding."""
_MIN_CLUSTERS = 3
"""Fewer show no more than one difference between clusters."""
_MIN_VARIANCE_RATIO = 1e-6
"""Of the variance over clusters to that over rows: below, clusters cancel."""
PLACEMENT_TOL = 1e-12
"""Of a placement, or an area."""


class RateRange(NamedTuple):
    """A range of FPR or of TPR."""

    axis: Axis
    low: ArrayOrFloat
    high: ArrayOrFloat

    @property
    def width(self) -> ArrayOrFloat:
        """The width of the range."""
        return self.high - self.low

    @property
    def chance_area(self) -> ArrayOrFloat:
        """The area over the range for a feature that tells nothing."""
        middle = (self.low + self.high) / 2
        return self.width * (middle if self.axis == "fpr" else 1 - middle)


def check_rate_range(fpr: Any, tpr: Any) -> RateRange:
    """Check the range of FPR or TPR of a partial area."""
    if (fpr is None) == (tpr is None):
        raise RocPredictError("partial_auc needs one of fpr=(low, high) and tpr=(low, high)")
    name: Axis = "fpr" if tpr is None else "tpr"
    limits = fpr if tpr is None else tpr
    low, high = (check_probabilities(name, limit) for limit in check_pair(name, limits, "(low, high)"))
    if np.any(low >= high):
        raise RocPredictError(f"{name}={limits!r} is an empty range; give (low, high) with low < high")
    return RateRange(name, to_scalar(low), to_scalar(high))


class ClassPlacements(NamedTuple):
    """The placement values of one class."""

    values: FloatArray
    """Shape (rows,), or (rows, K) for K curves of the same rows; their mean is the area."""
    weights: Any
    """Cases that each row stands for; None where it is one."""
    total: float
    clusters: NDArray[np.intp] | None = None
    """The cluster of each row, from 0 on, where rows are not independent; numbered alike in both classes."""

    @property
    def n_units(self) -> float:
        """Number of independent units: cases, or clusters with a case of this class."""
        return self.total if self.clusters is None else float(len(np.unique(self.clusters)))

    def deviations(self, centre: FloatArray, clusters: int = 0) -> FloatArray:
        """Return the weighted deviations from a centre, each row's, or summed over each of the clusters."""
        weighted = self.values - centre if self.weights is None else ((self.values - centre).T * self.weights).T
        if self.clusters is None:
            return weighted
        summed = np.zeros((clusters, *weighted.shape[1:]))
        np.add.at(summed, self.clusters, weighted)
        return summed

    def sum_squares(self, centre: FloatArray) -> FloatArray:
        """Return the sum of squares (K curves: of products, shape (K, K)) about a centre, over independent units."""
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
    """An area and the placement values that it is the mean of.

    Attributes
    ----------
    estimate : array of shape () or (K,)
        The area, as a share of the widest that it could be.
    negative, positive : ClassPlacements
        Placement values of each class: how the area changes with one case of it.
    null_value : float
        The area of a feature that tells nothing.
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
    has_zero_variance_part: ClassVar[bool] = False

    @property
    def classes(self) -> tuple[ClassPlacements, ClassPlacements]:
        """Both classes."""
        return self.negative, self.positive

    @property
    def n_units(self) -> tuple[float, float]:
        """Independent units of each class."""
        return self.negative.n_units, self.positive.n_units

    @property
    def df(self) -> float:
        """Degrees of freedom of the variance: infinitely many, but for clusters, of which there are few."""
        rows = len(self.negative.values) + len(self.positive.values)
        return self._clusters - 1 if self._clustered and self._clusters < rows else np.inf

    def variance(self) -> FloatArray:
        """Return the variance of the area by DeLong, DeLong and Clarke-Pearson (1988); K curves: covariances.

        With clusters that of Obuchowski (1997). A class of one unit shows no spread and adds nothing: see
        ``smoothed_estimate`` for an honest figure.
        """
        variance = self._cross_covariance()
        for part in self.classes:
            if part.n_units > 1:
                variance += part.sum_squares(self.estimate) / part.total**2 * (part.n_units / (part.n_units - 1))
        if self._clustered and np.linalg.eigvalsh(np.atleast_2d(variance)).min() < 0:
            return self._sum_over_clusters()
        return variance

    def smoothed_estimate(self) -> tuple[Any, FloatArray]:
        """Return area and variance with a little of a case more in each class, about where chance is.

        The area has half a case more, placed where chance is. The spread of a class has a quarter of a case, whose
        placement has its mean where chance is and half of the largest variance that the bounds allow: so that
        placements which happen to be all alike, there or elsewhere, do not pass for certainty. Of one curve a
        class of one unit gets that largest variance.
        """
        area = smoothed_area(self.estimate, self.n_units, self.null_value)
        pull = self.pseudo_squares(area)
        variance = self._cross_covariance()
        for part in self.classes:
            units = part.n_units + PSEUDO_COUNT_VARIANCE
            spread = (part.sum_squares(area) + pull) / (part.total + PSEUDO_COUNT_VARIANCE) ** 2 * (units / (units - 1))
            if part.n_units <= 1 and self.estimate.ndim == 0:
                spread = np.maximum(spread, (area - self.bounds[0]) * (self.bounds[1] - area))
            variance += spread
        if self.hides_variance:
            area, independent = self._independent.smoothed_estimate()
            return area, np.maximum(variance, independent)
        if self._clustered and np.diagonal(np.atleast_2d(variance)).min() <= VARIANCE_TOL:
            return self._independent.smoothed_estimate()  # clusters that cancel tell nothing of others
        return area, variance

    @property
    def has_few_clusters(self) -> bool:
        """True with two clusters: one difference is all that they show of the variance between clusters."""
        return self._clustered and self._clusters < _MIN_CLUSTERS

    @property
    def hides_variance(self) -> bool:
        """True if clusters of one curve are two, or cancel: their variance is no measure of that of others."""
        if not self._clustered or self.estimate.ndim:
            return False
        return self.has_few_clusters or bool(self.variance() <= _MIN_VARIANCE_RATIO * self._independent.variance())

    @property
    def _independent(self) -> Placements:
        """The same area, of rows that are no clusters."""
        negative, positive = (part._replace(clusters=None) for part in self.classes)
        return replace(self, negative=negative, positive=positive)

    def largest_variance(self) -> FloatArray:
        """Return the largest variance that areas within the bounds can have; of K curves on the diagonal."""
        largest = (self.estimate - self.bounds[0]) * (self.bounds[1] - self.estimate)
        return np.asarray(largest if self.estimate.ndim == 0 else np.diag(largest))

    def pseudo_squares(self, area: Any) -> FloatArray:
        """Return the squares about an area that the added case of a class has; of K curves without its own spread."""
        squares = np.multiply.outer(self.null_value - area, self.null_value - area)
        if self.estimate.ndim == 0:
            squares = squares + (self.null_value - self.bounds[0]) * (self.bounds[1] - self.null_value) / 2
        return np.asarray(PSEUDO_COUNT_VARIANCE * squares)

    @property
    def constant_classes(self) -> list[bool]:
        """True if all units of each class, two or more, are placed alike, so that its spread was not seen."""
        return [part.n_units > 1 and float(np.ptp(part.values)) <= PLACEMENT_TOL for part in self.classes]

    @property
    def is_constant(self) -> bool:
        """True if every case is placed where chance is: all values are tied, or all curves alike."""
        extremes = (extreme for part in self.classes for extreme in (part.values.min(), part.values.max()))
        return bool(max(abs(extreme - self.null_value) for extreme in extremes) <= PLACEMENT_TOL)

    def contrast(self, contrast: FloatArray) -> Placements:
        """Return the placements of a weighted sum of the K curves."""
        classes = []
        for side in self.classes:
            columns = zip(contrast, side.values.T, strict=True)
            classes.append(side._replace(values=sum(w * column for w, column in columns if w)))
        chance = self.null_value * float(contrast.sum())
        bounds = float(np.minimum(contrast, 0).sum()), float(np.maximum(contrast, 0).sum())
        return Placements(np.asarray(self.estimate @ contrast), classes[0], classes[1], chance, bounds, self.is_partial)

    @property
    def _clustered(self) -> bool:
        return self.negative.clusters is not None

    def _cross_covariance(self) -> FloatArray:
        """Return what clusters with cases of both classes add: twice the covariance of their two parts."""
        if not self._clustered:
            return np.zeros(self.estimate.shape * 2)
        negative, positive = self._deviations()
        product = _products(negative, positive)
        factor = self._clusters / (self._clusters - 1) if self._clusters > 1 else 1.0
        return np.asarray((product + product.T) * factor)

    def _sum_over_clusters(self) -> FloatArray:
        """Return the variance of the sum over clusters, which is never negative as a sum of parts can be."""
        negative, positive = self._deviations()
        together = negative + positive
        factors = [units / (units - 1) for units in self.n_units if units > 1]
        return _products(together, together) * max(factors, default=1.0)

    def _deviations(self) -> tuple[FloatArray, FloatArray]:
        """Return each cluster's part of the error of the area, by class."""
        count = 1 + int(max(self.negative.clusters.max(), self.positive.clusters.max()))  # type: ignore[union-attr]
        negative, positive = (part.deviations(self.estimate, count) / part.total for part in self.classes)
        return negative, positive

    @property
    def _clusters(self) -> int:
        return len(np.union1d(self.negative.clusters, self.positive.clusters))  # type: ignore[arg-type]


def smoothed_area(estimate: Any, units: tuple[Any, Any], null_value: float = 0.5) -> Any:
    """Return areas with ``PSEUDO_COUNT`` cases more, placed where chance is."""
    cases = 2 / sum(1 / count for count in units)
    return (estimate * cases + PSEUDO_COUNT * null_value) / (cases + PSEUDO_COUNT)


def _products(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return the sum of the products over the rows; for K columns all of them, shape (K, K)."""
    if first.ndim == 1:  # pairwise summation keeps more digits than a dot product, and starts no threads
        return np.asarray(np.sum(first * second))
    return np.asarray(first.T @ second)


def compute_placements(negative: Ecdf, positive: Ecdf) -> Placements:
    """Return the placements of one curve, each class in ascending order of its values.

    O(n log n) time, O(n) memory (Sun and Xu 2014 give the same by midranks).
    """
    below, to = count_below(negative.sorted_sample, positive.sorted_sample)
    lower = negative.mid_rank_weight(below, to)
    below_negative = positive.mid_rank_weight(*count_below_transposed(below, to, len(negative.sorted_sample)))
    classes = (
        ClassPlacements((positive.total - below_negative) / positive.total, negative.sorted_weights, negative.total),
        ClassPlacements(lower / negative.total, positive.sorted_weights, positive.total),
    )
    return Placements(EmpiricalSolver(negative, positive).auc_from_ranks(lower), *classes)


def partial_placements(negative: Ecdf, positive: Ecdf, rate_range: RateRange) -> Placements:
    """Return the placements of the area over a range of FPR or TPR, as a share of the range's width.

    The part of a negative is the TPR at the FPR that it holds, taken to the nearer end where that lies outside
    the band: with it the variance counts that the ends of the range are estimated too.
    """
    axis, low, high = rate_range
    if axis == "tpr":  # the curve seen from its other corner
        turned = partial_placements(positive.reflect(), negative.reflect(), RateRange("fpr", 1 - high, 1 - low))
        classes = [ClassPlacements(s.values[::-1], s.weights[::-1], s.total) for s in reversed(turned.classes)]
        return replace(turned, negative=classes[0], positive=classes[1])
    solver = EmpiricalSolver(negative, positive)
    from_negative, to_negative = _fpr_steps(negative, negative.unique_values)
    area_to = _cumulative_area(solver.points.fpr, solver.points.tpr)
    before, after = np.clip(from_negative, low, high), np.clip(to_negative, low, high)
    tpr_low, tpr_high = solver.along("fpr", np.array([low, high]))
    outside = tpr_low * (np.minimum(to_negative, low) - np.minimum(from_negative, low))
    outside += tpr_high * (np.maximum(to_negative, high) - np.maximum(from_negative, high))
    in_negative = (area_to(after) - area_to(before) + outside) / (to_negative - from_negative)
    in_positive = _mean_clipped_distance(*_fpr_steps(negative, positive.unique_values), low, high)
    positives = ClassPlacements(in_positive / rate_range.width, positive.unique_weights, positive.total)
    negatives = ClassPlacements(in_negative / rate_range.width, negative.unique_weights, negative.total)
    estimate, mean = (np.asarray(part.weights @ part.values / part.total) for part in (positives, negatives))
    negatives = negatives._replace(values=negatives.values - mean + estimate)
    return Placements(estimate, negatives, positives, null_value=(low + high) / 2, is_partial=True)


def placements_in_row_order(class_placements: ClassPlacements, ordered: FloatArray, rows: FloatArray) -> FloatArray:
    """Return the placement of each row, from those of the values in their order."""
    if len(class_placements.values) != len(rows):  # tied rows share a value, and rows without a weight have none
        return class_placements.values[np.minimum(np.searchsorted(ordered, rows), len(ordered) - 1)]
    values = np.empty(len(rows))
    values[np.argsort(rows)] = class_placements.values
    return values


def _fpr_steps(negative: Ecdf, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the FPRs between which the curve passes each value."""
    return negative.weight_above(values) / negative.total, negative.weight_at_or_above(values) / negative.total


def _mean_clipped_distance(start: FloatArray, end: FloatArray, low: float, high: float) -> FloatArray:
    """Return the mean length of the range that lies right of a point of each cell."""

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
    """Return the function that tells the area under the curve up to an FPR."""
    total = np.concatenate([[0.0], np.cumsum(np.diff(fpr) * (tpr[1:] + tpr[:-1]) / 2)])

    def area_to(at: FloatArray) -> FloatArray:
        index = np.searchsorted(fpr, at, side="right") - 1
        return np.asarray(total[index] + (at - fpr[index]) * (tpr[index] + interpolate_tpr(fpr, tpr, at)) / 2)

    return area_to


StratumWeights: TypeAlias = Literal["pairs", "positives", "equal"]
STRATUM_WEIGHTS: tuple[StratumWeights, ...] = get_args(StratumWeights)
"""Weightings of strata; the first is the default."""


@dataclass(frozen=True)
class StratifiedPlacements:
    """The placements of each stratum, and how much each counts: weights of shape (strata,) that sum to 1."""

    strata: tuple[Placements, ...]
    weights: FloatArray
    constant_classes: ClassVar[tuple[bool, bool]] = (False, False)  # strata are judged together
    has_zero_variance_part: ClassVar[bool] = False

    @classmethod
    def from_strata(cls, parts: tuple[Placements, ...], weighting: str) -> StratifiedPlacements:
        """Weigh the strata: by pairs of a negative and a positive, by positives, or all alike."""
        sizes = np.array([[part.negative.total, part.positive.total] for part in parts])
        weights = {"pairs": sizes.prod(axis=1), "positives": sizes[:, 1], "equal": np.ones(len(parts))}[weighting]
        return cls(parts, weights / weights.sum())

    @property
    def estimate(self) -> FloatArray:
        """The weighted mean of the areas of the strata."""
        return np.asarray(self.weights @ np.array([part.estimate for part in self.strata]))

    @property
    def n_units(self) -> tuple[float, float]:
        """Independent units of each class, in all."""
        return sum(part.n_units[0] for part in self.strata), sum(part.n_units[1] for part in self.strata)

    @property
    def null_value(self) -> float:
        """Area of a feature that tells nothing."""
        return self.strata[0].null_value

    @property
    def is_constant(self) -> bool:
        """True if every case is placed where chance is."""
        return all(part.is_constant for part in self.strata)

    @property
    def is_partial(self) -> bool:
        """True if it is a part of the area only."""
        return self.strata[0].is_partial

    @property
    def df(self) -> float:
        """Degrees of freedom of the variance: infinitely many, unless most of it is that between strata."""
        blind = sum(self.has_singleton_class)
        if blind <= 1:
            return np.inf
        variances = self._between_stratum_variance(), self.variance()
        between, whole = (float(np.trace(np.atleast_2d(variance))) for variance in variances)
        return (blind - 1) * (whole / between) ** 2 if between > 0 else np.inf

    @property
    def bounds(self) -> tuple[float, float]:
        """Between which every area lies."""
        return self.strata[0].bounds

    @property
    def has_singleton_class(self) -> list[bool]:
        """True for strata that have a class of one case, of which nobody sees how it varies."""
        return [min(part.n_units) <= 1 for part in self.strata]

    def variance(self) -> FloatArray:
        """Return the sum of the variances within strata; those of blind strata are seen in what sets these apart."""
        variance = np.zeros(self.estimate.shape * 2)
        for share, part in self._weighted(blind=False):
            variance += share**2 * part.variance()
        return variance + self._between_stratum_variance()

    def _weighted(self, *, blind: bool) -> list[tuple[float, Placements]]:
        """Return the strata that are blind (see ``has_singleton_class``), or the others, with their weights."""
        strata = zip(self.weights, self.strata, self.has_singleton_class, strict=True)
        return [(share, part) for share, part, single in strata if single == blind]

    def _between_stratum_variance(self) -> FloatArray:
        strata = self._weighted(blind=True)
        if len(strata) <= 1:
            return np.asarray(sum((share**2 * part.largest_variance() for share, part in strata), np.zeros(())))
        shares, estimates = np.array([share for share, _ in strata]), np.array([part.estimate for _, part in strata])
        deviation = ((estimates - shares @ estimates / shares.sum()).T * shares).T
        return np.asarray(deviation.T @ deviation * (len(strata) / (len(strata) - 1)))

    def smoothed_estimate(self) -> tuple[Any, FloatArray]:
        """Return area and variance with a little of a case more in each class; see ``Placements.smoothed_estimate``."""
        if len(self.strata) == 1:
            return self.strata[0].smoothed_estimate()
        area = smoothed_area(self.estimate, self.n_units, self.null_value)
        pull = self.strata[0].pseudo_squares(area)
        return area, self.variance() + sum(pull / (units + PSEUDO_COUNT_VARIANCE) ** 2 for units in self.n_units)

    def contrast(self, contrast: FloatArray) -> StratifiedPlacements:
        """Return the same of a weighted sum of the K curves."""
        return StratifiedPlacements(tuple(part.contrast(contrast) for part in self.strata), self.weights)


AnyPlacements: TypeAlias = Placements | StratifiedPlacements
"""One curve or K, all rows together or stratum by stratum."""
