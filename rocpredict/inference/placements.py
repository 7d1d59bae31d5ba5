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

VARIANCE_TOL = 1e-24
"""A variance of areas that is no more than rounding."""
MIN_CLUSTERS = 4
"""Clusters of each class, at least: fewer do not show the variance between clusters."""
PLACEMENT_TOL = 1e-12
"""Of a placement, or an area."""
EIGENVALUE_RTOL = 1e-10
"""Of the largest eigenvalue of a covariance matrix: smaller ones are 0."""


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

    def deviations(self, centre: FloatArray) -> FloatArray:
        """Return the deviation of each row from a centre, times its weight."""
        deviations = self.values - centre
        return deviations if self.weights is None else (deviations.T * self.weights).T

    def sum_squares(self, centre: FloatArray) -> FloatArray:
        """Return the sum of squares (K curves: of products, shape (K, K)) of the rows about a centre."""
        return _products(self.deviations(centre), self.values - centre)

    def sum_by_cluster(self, values: FloatArray, n_clusters: int) -> FloatArray:
        """Return the sum of one or K values of each row over the rows of each cluster."""
        sums = np.zeros((n_clusters, *values.shape[1:]))
        np.add.at(sums, self.clusters, values)  # type: ignore[arg-type]
        return sums

    def cluster_shares(self) -> FloatArray:
        """Return the share of each cluster in the class."""
        return np.bincount(self.clusters, self.weights) / self.total  # type: ignore[arg-type]


class VarianceComponent(NamedTuple):
    """An independent part of the variance of an area (K curves: of their covariances), and its degrees of freedom."""

    variance: FloatArray
    df: float


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
    wins_within_clusters : array of shape (G,) or (G, K), optional
        Of whole areas with clusters: the pairs of a negative and a positive of each cluster that the positive wins,
        ties half.
    """

    estimate: FloatArray
    negative: ClassPlacements
    positive: ClassPlacements
    null_value: float = 0.5
    bounds: tuple[float, float] = (0.0, 1.0)
    is_partial: bool = False
    wins_within_clusters: Any = None

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
        """Degrees of freedom of the variance in a Wald interval: infinitely many, except with clusters."""
        return self.components()[0].df if self.is_clustered else np.inf

    def variance(self) -> FloatArray:
        """Return the variance of the area by DeLong, DeLong and Clarke-Pearson (1988); K curves: covariances.

        With clusters that of the jackknife over clusters. A class of one unit shows no variability and adds nothing.
        """
        return sum((part.variance for part in self.components()), np.zeros(self.estimate.shape * 2))

    def components(self) -> list[VarianceComponent]:
        """Return the parts of the variance: of each class, or of all clusters together."""
        if self.is_clustered:
            changes = self._jackknife()
            n_clusters = len(changes)
            variance = _products(changes, changes) * ((n_clusters - 1) / n_clusters)
            return [VarianceComponent(variance, _fourth_moment_df(changes))]
        return [
            VarianceComponent(part.sum_squares(self.estimate) / (part.total * (part.total - 1)), part.total - 1)
            for part in self.classes
            if part.total > 1
        ]

    @property
    def is_clustered(self) -> bool:
        """True if rows of one cluster depend on each other."""
        return self.negative.clusters is not None

    @property
    def has_dominant_cluster(self) -> bool:
        """True if one cluster has more than half of the observations of a class."""
        if not self.is_clustered:
            return False
        return max(float(part.cluster_shares().max()) for part in self.classes) > 1 / 2

    @property
    def constant_classes(self) -> list[bool]:
        """True if all units of each class, two or more, are placed alike, so that its spread was not seen."""
        return [part.n_units > 1 and float(np.ptp(part.values)) <= PLACEMENT_TOL for part in self.classes]

    @property
    def is_constant(self) -> bool:
        """True if every case is placed where chance is: all values are tied, or all curves alike."""
        extremes = (extreme for part in self.classes for extreme in (part.values.min(), part.values.max()))
        return bool(max(abs(extreme - self.null_value) for extreme in extremes) <= PLACEMENT_TOL)

    def unclustered(self) -> Placements:
        """Return the same as of independent rows."""
        negative, positive = (part._replace(clusters=None) for part in self.classes)
        return replace(self, negative=negative, positive=positive, wins_within_clusters=None)

    def select(self, curves: NDArray[np.intp]) -> Placements:
        """Return the placements of some of the K curves."""
        classes = [part._replace(values=part.values[:, curves]) for part in self.classes]
        within = None if self.wins_within_clusters is None else self.wins_within_clusters[:, curves]
        return replace(
            self,
            estimate=self.estimate[curves],
            negative=classes[0],
            positive=classes[1],
            wins_within_clusters=within,
        )

    def contrast(self, contrast: FloatArray) -> Placements:
        """Return the placements of a weighted sum of the K curves."""
        classes = []
        for side in self.classes:
            columns = zip(contrast, side.values.T, strict=True)
            classes.append(side._replace(values=sum(w * column for w, column in columns if w)))
        chance = self.null_value * float(contrast.sum())
        bounds = float(np.minimum(contrast, 0).sum()), float(np.maximum(contrast, 0).sum())
        within = None if self.wins_within_clusters is None else self.wins_within_clusters @ contrast
        estimate = np.asarray(self.estimate @ contrast)
        return Placements(estimate, classes[0], classes[1], chance, bounds, self.is_partial, within)

    def _jackknife(self) -> FloatArray:
        """Return the change of the area when each cluster is left out, shape (G,) or (G, K).

        Exact for a whole area. Of a partial one the placements stay as they are.
        """
        n_clusters = 1 + int(max(part.clusters.max() for part in self.classes))  # type: ignore[union-attr]
        shape = (n_clusters, *np.ones(self.estimate.ndim, dtype=int))
        kept, sums = [], []
        for part in self.classes:
            weights = np.ones(len(part.values)) if part.weights is None else part.weights
            kept.append((part.total - part.sum_by_cluster(weights, n_clusters)).reshape(shape))
            sums.append(part.sum_by_cluster(part.deviations(self.estimate), n_clusters))
        (left0, left1), (total0, total1) = kept, (part.total for part in self.classes)
        if self.wins_within_clusters is None:
            changes = -sums[0] / left0 - sums[1] / left1
        else:
            excess = self.wins_within_clusters - self.estimate * (total0 - left0) * (total1 - left1)
            changes = (excess - total1 * sums[0] - total0 * sums[1]) / (left0 * left1)
        in_use = (left0 < total0) | (left1 < total1)
        return changes[in_use.ravel()]


def _fourth_moment_df(changes: FloatArray) -> float:
    """Return the degrees of freedom of a sum of squares over clusters, from its fourth moment.

    For one curve 3 (sum e^2)^2 / sum e^4 - 2: the Satterthwaite approximation for Gaussian e of unequal variances,
    which are estimated by e^2. At least 4 for one curve, K + 3 for K, and at most G - 1.
    """
    n_clusters, n_curves = len(changes), 1 if changes.ndim == 1 else changes.shape[1]
    if n_curves == 1:
        squares = changes.ravel() ** 2
    else:
        values, vectors = np.linalg.eigh(_products(changes, changes))
        is_positive = values > values.max(initial=0.0) * EIGENVALUE_RTOL
        squares = np.sum((changes @ vectors[:, is_positive]) ** 2 / values[is_positive], axis=1)
        n_curves = max(1, int(np.count_nonzero(is_positive)))
    fourth = float(np.sum(squares**2))
    df = (1 + 2 / n_curves) * float(squares.sum()) ** 2 / fourth - 2 if fourth > 0 else 0.0
    return float(min(max(df, n_curves + 3), n_clusters - 1))


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


def wins_within_clusters(
    negative: tuple[FloatArray, Any, NDArray[np.intp]], positive: tuple[FloatArray, Any, NDArray[np.intp]]
) -> FloatArray:
    """Return the pairs of each cluster that its positive wins, ties half, shape (G, K).

    Each class has values, shape (rows, K), weights or None, and the clusters of its rows.
    """
    values, clusters = (np.concatenate([negative[k], positive[k]]) for k in (0, 2))
    sizes = len(negative[0]), len(positive[0])
    weights = np.zeros((2, sum(sizes)))
    weights[0, : sizes[0]] = 1.0 if negative[1] is None else negative[1]
    weights[1, sizes[0] :] = 1.0 if positive[1] is None else positive[1]
    n_clusters, columns = 1 + int(clusters.max()), []
    for column in values.T:
        order = np.lexsort((column, clusters))
        ordered, codes = column[order], clusters[order]
        is_new = np.append(True, (np.diff(codes) > 0) | (np.diff(ordered) > 0))
        first = np.flatnonzero(is_new)
        negatives, positives = np.add.reduceat(weights[:, order], first, axis=1)
        below, cluster = np.cumsum(negatives) - negatives, codes[first]
        starts = np.append(True, np.diff(cluster) > 0)
        below -= np.maximum.accumulate(np.where(starts, below, 0.0))
        columns.append(np.bincount(cluster, positives * (below + negatives / 2), n_clusters))
    return np.column_stack(columns)


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
    is_clustered: ClassVar[bool] = False
    has_dominant_cluster: ClassVar[bool] = False

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
        """Return the sum of the variances within strata, and of that between strata with a class of one observation."""
        return sum((part.variance for part in self.components()), np.zeros(self.estimate.shape * 2))

    def components(self) -> list[VarianceComponent]:
        """Return the parts of the variance: of each class of each stratum, and between those of single observations."""
        within = [
            VarianceComponent(share**2 * component.variance, component.df)
            for share, part in self._weighted(blind=False)
            for component in part.components()
        ]
        blind = sum(self.has_singleton_class)
        df = blind - 1 if blind > 1 else np.inf
        return [*within, VarianceComponent(self._between_stratum_variance(), df)] if blind else within

    def _weighted(self, *, blind: bool) -> list[tuple[float, Placements]]:
        """Return the strata that are blind (see ``has_singleton_class``), or the others, with their weights."""
        strata = zip(self.weights, self.strata, self.has_singleton_class, strict=True)
        return [(share, part) for share, part, single in strata if single == blind]

    def _between_stratum_variance(self) -> FloatArray:
        strata = self._weighted(blind=True)
        if len(strata) <= 1:
            lowest, highest = self.bounds
            largest = [share**2 * (part.estimate - lowest) * (highest - part.estimate) for share, part in strata]
            return np.asarray(sum((np.diag(v) if v.ndim else v for v in largest), np.zeros(())))
        shares, estimates = np.array([share for share, _ in strata]), np.array([part.estimate for _, part in strata])
        deviation = ((estimates - shares @ estimates / shares.sum()).T * shares).T
        return np.asarray(deviation.T @ deviation * (len(strata) / (len(strata) - 1)))

    def select(self, curves: NDArray[np.intp]) -> StratifiedPlacements:
        """Return the same of some of the K curves."""
        return StratifiedPlacements(tuple(part.select(curves) for part in self.strata), self.weights)

    def contrast(self, contrast: FloatArray) -> StratifiedPlacements:
        """Return the same of a weighted sum of the K curves."""
        return StratifiedPlacements(tuple(part.contrast(contrast) for part in self.strata), self.weights)


AnyPlacements: TypeAlias = Placements | StratifiedPlacements
"""One curve or K, all rows together or stratum by stratum."""
