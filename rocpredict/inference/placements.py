"""Placement values: where each case lies among the other class; every variance of an empirical area comes from them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rocpredict import steps
from rocpredict.arguments import FloatArray, Values, as_fractions, as_pair, plain
from rocpredict.counting import inverse_ranks, ranks
from rocpredict.curve import height_at
from rocpredict.distributions import Ecdf
from rocpredict.errors import RocPredictError

PSEUDO = 0.5
"""Cases that smoothing adds to each class where the area is located, placed where chance is."""
PSEUDO_SPREAD = 0.25
"""Cases that smoothing adds to each class where its spread is measured: see ``Placements.smoothed``."""
NO_VARIANCE = 1e-24
"""A variance of areas that is no more than rounding."""
ROUNDING = 1e-12
"""Of a placement, or an area."""


class Band(NamedTuple):
    """A band of the ROC plot: of FPR, or of TPR."""

    axis: str
    low: Values
    high: Values

    @property
    def width(self) -> Values:
        """Give the width of the band."""
        return self.high - self.low


def as_band(fpr: Any, tpr: Any) -> Band:
    """Return the band that is asked for, or refuse what is none."""
    if (fpr is None) == (tpr is None):
        raise RocPredictError("partial_auc needs one of fpr=(low, high) and tpr=(low, high)")
    name, ends = ("fpr", fpr) if tpr is None else ("tpr", tpr)
    low, high = (as_fractions(name, end) for end in as_pair(name, ends, "(low, high)"))
    if np.any(low >= high):
        raise RocPredictError(f"{name}={ends!r} is an empty band; give (low, high) with low < high")
    return Band(name, plain(low), plain(high))


class Side(NamedTuple):
    """The placement values of one class."""

    values: FloatArray
    """Shape (rows,), or (rows, K) for K curves of the same rows; their mean is the area."""
    weights: Any
    """How many cases each row stands for; None where it is one."""
    total: float
    clusters: NDArray[np.intp] | None = None
    """The cluster of each row, from 0 on, where rows are not independent; numbered alike in both classes."""

    @property
    def units(self) -> float:
        """How many independent units there are: cases, or clusters with a case of this class."""
        return self.total if self.clusters is None else float(len(np.unique(self.clusters)))

    def sums(self, centre: FloatArray, clusters: int = 0) -> FloatArray:
        """Give the weighted deviations from a centre, each row's, or summed over each of the clusters."""
        deviation = self.values - centre
        weighted = deviation if self.weights is None else (deviation.T * self.weights).T
        if self.clusters is None:
            return weighted
        summed = np.zeros((clusters, *weighted.shape[1:]))
        np.add.at(summed, self.clusters, weighted)
        return summed

    def scatter(self, centre: FloatArray) -> FloatArray:
        """Give the sum of squares (K curves: of products, shape (K, K)) about a centre, over independent units."""
        if self.weights is None and self.clusters is None and self.values.ndim == 1:
            deviation = self.values - centre
            deviation *= deviation
            return np.asarray(deviation.sum())
        if self.clusters is None:
            return _products(self.sums(centre), self.values - centre)
        summed = self.sums(centre, int(self.clusters.max()) + 1)
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
    of_band : bool
        Whether it is a part of the area only.
    """

    estimate: FloatArray
    negative: Side
    positive: Side
    chance: float = 0.5
    bounds: tuple[float, float] = (0.0, 1.0)
    of_band: bool = False

    @property
    def units(self) -> tuple[float, float]:
        """How many independent units each class has."""
        return self.negative.units, self.positive.units

    @property
    def freedom(self) -> float:
        """How many degrees of freedom the variance has: infinitely many, but for clusters, of which there are few."""
        rows = len(self.negative.values) + len(self.positive.values)
        return self._clusters - 1 if self._clustered and self._clusters < rows else np.inf

    def variance(self) -> FloatArray:
        """Give the variance of the area by DeLong, DeLong and Clarke-Pearson (1988); K curves: covariances.

        With clusters that of Obuchowski (1997). A class of one unit shows no spread and adds nothing: see
        ``smoothed`` for an honest figure.
        """
        variance = self._across()
        for side in (self.negative, self.positive):
            if side.units > 1:
                variance += side.scatter(self.estimate) / side.total**2 * (side.units / (side.units - 1))
        if self._clustered and np.linalg.eigvalsh(np.atleast_2d(variance)).min() < 0:
            return self._sum_over_clusters()
        return variance

    def smoothed(self) -> tuple[Any, FloatArray]:
        """Give area and variance with a little of a case more in each class, about where chance is.

        The area has half a case more, placed where chance is. The spread of a class has a quarter of a case, whose
        placement has its mean where chance is and half of the largest variance that the bounds allow: so that
        placements which happen to be all alike, there or elsewhere, do not pass for certainty. Of one curve a
        class of one unit gets that largest variance.
        """
        cases = 2 / sum(1 / units for units in self.units)
        area = (self.estimate * cases + PSEUDO * self.chance) / (cases + PSEUDO)
        pull = self.pull(area)
        variance = self._across()
        for side in (self.negative, self.positive):
            units = side.units + PSEUDO_SPREAD
            spread = (side.scatter(area) + pull) / (side.total + PSEUDO_SPREAD) ** 2 * (units / (units - 1))
            if side.units <= 1 and self.estimate.ndim == 0:
                spread = np.maximum(spread, (area - self.bounds[0]) * (self.bounds[1] - area))
            variance += spread
        if self._clustered and np.diagonal(np.atleast_2d(variance)).min() <= NO_VARIANCE:
            return self._as_independent().smoothed()  # clusters that cancel tell nothing of others
        return area, variance

    def largest_variance(self) -> FloatArray:
        """Give the largest variance that areas within the bounds can have; of K curves on the diagonal."""
        largest = (self.estimate - self.bounds[0]) * (self.bounds[1] - self.estimate)
        return np.asarray(largest if self.estimate.ndim == 0 else np.diag(largest))

    def pull(self, area: Any) -> FloatArray:
        """Give the squares about an area that the added case of a class has; of K curves without its own spread."""
        squares = np.multiply.outer(self.chance - area, self.chance - area)
        if self.estimate.ndim == 0:
            squares = squares + (self.chance - self.bounds[0]) * (self.bounds[1] - self.chance) / 2
        return np.asarray(PSEUDO_SPREAD * squares)

    @property
    def half_blind(self) -> bool:
        """Whether a part of it shows no spread: a single set of placements has no parts."""
        return False

    @property
    def units_placed_alike(self) -> list[float]:
        """The number of units of each class, of two or more, whose cases are all placed alike: no spread was seen."""
        sides = self.negative, self.positive
        return [side.units for side in sides if side.units > 1 and float(np.ptp(side.values)) <= ROUNDING]

    @property
    def uninformative(self) -> bool:
        """Whether every case is placed where chance is: all values are tied, or all curves alike."""
        ends = (end for side in (self.negative, self.positive) for end in (side.values.min(), side.values.max()))
        return bool(max(abs(end - self.chance) for end in ends) <= ROUNDING)

    def select(self, contrast: FloatArray) -> Placements:
        """Give the placements of a weighted sum of the K curves."""
        negative, positive = (
            s._replace(values=sum(w * column for w, column in zip(contrast, s.values.T, strict=True) if w))
            for s in (self.negative, self.positive)
        )
        chance = self.chance * float(contrast.sum())
        bounds = float(np.minimum(contrast, 0).sum()), float(np.maximum(contrast, 0).sum())
        estimate = np.asarray(self.estimate @ contrast)
        return Placements(estimate, negative, positive, chance, bounds, self.of_band)

    @property
    def _clustered(self) -> bool:
        return self.negative.clusters is not None

    def _as_independent(self) -> Placements:
        """Give the same as if rows were independent."""
        negative, positive = (side._replace(clusters=None) for side in (self.negative, self.positive))
        return replace(self, negative=negative, positive=positive)

    def _across(self) -> FloatArray:
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
        factors = [units / (units - 1) for units in self.units if units > 1]
        return _products(together, together) * max(factors, default=1.0)

    def _deviations(self) -> tuple[FloatArray, FloatArray]:
        """Give each cluster's part of the error of the area, by class."""
        count = 1 + int(max(self.negative.clusters.max(), self.positive.clusters.max()))  # type: ignore[union-attr]
        negative, positive = (side.sums(self.estimate, count) / side.total for side in (self.negative, self.positive))
        return negative, positive

    @property
    def _clusters(self) -> int:
        return len(np.union1d(self.negative.clusters, self.positive.clusters))  # type: ignore[arg-type]


def _products(first: FloatArray, second: FloatArray) -> FloatArray:
    """Give the sum of the products over the rows; for K columns all of them, shape (K, K)."""
    if first.ndim == 1:  # pairwise summation keeps more digits than a dot product, and starts no threads
        return np.asarray(np.sum(first * second))
    return np.asarray(first.T @ second)


def place(negative: Ecdf, positive: Ecdf) -> Placements:
    """Give the placements of one curve, each class in ascending order of its values.

    O(n log n) time, O(n) memory (Sun and Xu 2014 give the same by midranks).
    """
    below, to = ranks(negative.ordered, positive.ordered)
    lower = negative.midweight(below, to)
    below_negative = positive.midweight(*inverse_ranks(below, to, len(negative.ordered)))
    sides = (
        Side((positive.total - below_negative) / positive.total, negative.ordered_weights, negative.total),
        Side(lower / negative.total, positive.ordered_weights, positive.total),
    )
    return Placements(steps.share_won(negative, positive, lower), *sides)


def place_in_band(negative: Ecdf, positive: Ecdf, band: Band) -> Placements:
    """Give the placements of the area in a band of FPR or TPR, as a share of the band's width.

    The part of a negative is the TPR at the FPR that it holds, taken to the nearer end where that lies outside
    the band: with it the variance counts that the ends of the band are estimated too.
    """
    axis, low, high = band
    if axis == "tpr":  # the curve seen from its other corner
        turned = place_in_band(positive.reflect(), negative.reflect(), Band("fpr", 1 - high, 1 - low))
        mirrored = [Side(s.values[::-1], s.weights[::-1], s.total) for s in (turned.positive, turned.negative)]
        return Placements(turned.estimate, mirrored[0], mirrored[1], turned.chance, of_band=True)
    v = steps.vertices(negative, positive)
    from_negative, to_negative = _cells(negative, negative.points)
    area_to = _areas_to(v.fpr, v.tpr)
    before, after = np.clip(from_negative, low, high), np.clip(to_negative, low, high)
    height_low, height_high = steps.tpr_at_fpr(negative, positive, np.array([low, high]))
    outside = height_low * (np.minimum(to_negative, low) - np.minimum(from_negative, low))
    outside += height_high * (np.maximum(to_negative, high) - np.maximum(from_negative, high))
    in_negative = (area_to(after) - area_to(before) + outside) / (to_negative - from_negative)
    in_positive = _mean_right_of(*_cells(negative, positive.points), low, high)
    side = Side(in_positive / band.width, positive.counts, positive.total)
    estimate = np.asarray(_mean(side))
    other = Side(in_negative / band.width, negative.counts, negative.total)
    other = other._replace(values=other.values - _mean(other) + estimate)
    return Placements(estimate, other, side, chance=(low + high) / 2, of_band=True)


def at_rows(side: Side, ordered: FloatArray, rows: FloatArray) -> FloatArray:
    """Give the placement of each row, from those of the values in their order."""
    if len(side.values) != len(rows):  # tied rows share a value, and rows without a weight have none
        return side.values[np.minimum(np.searchsorted(ordered, rows), len(ordered) - 1)]
    placed = np.empty(len(rows))
    placed[np.argsort(rows)] = side.values
    return placed


def _mean(side: Side) -> FloatArray:
    if side.weights is None:
        return np.asarray(side.values.mean(axis=0))
    return np.asarray(side.weights @ side.values / side.total)


def _cells(negative: Ecdf, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Give the FPRs between which the curve passes each value."""
    return negative.weight_above(values) / negative.total, negative.weight_from(values) / negative.total


def _mean_right_of(start: FloatArray, end: FloatArray, low: float, high: float) -> FloatArray:
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


def _areas_to(fpr: FloatArray, tpr: FloatArray) -> Callable[[FloatArray], FloatArray]:
    """Give the function that tells the area under the curve up to an FPR."""
    total = np.concatenate([[0.0], np.cumsum(np.diff(fpr) * (tpr[1:] + tpr[:-1]) / 2)])

    def area_to(at: FloatArray) -> FloatArray:
        index = np.searchsorted(fpr, at, side="right") - 1
        return np.asarray(total[index] + (at - fpr[index]) * (tpr[index] + height_at(fpr, tpr, at)) / 2)

    return area_to
