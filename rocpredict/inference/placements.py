"""Samples of two classes, their placement values, and variances of AUCs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import chain
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rocpredict.base.formatting import pluralize
from rocpredict.base.labels import (
    MAX_EXPANDED_ROWS,
    ClassRows,
    SourceRows,
    check_index,
    check_sample_weight,
    encode_groups,
    omit_rows,
    split_rows,
)
from rocpredict.base.results import Flags
from rocpredict.base.validation import (
    ArrayOrFloat,
    FloatArray,
    Label,
    NanPolicy,
    RocPredictError,
    check_option,
    check_pair,
    check_probabilities,
    short_repr,
    to_scalar,
)
from rocpredict.distributions.ecdf import Ecdf, count_below, count_below_transposed, mid_rank_weight
from rocpredict.solvers.base import Axis, interpolate_tpr
from rocpredict.solvers.empirical import EmpiricalSolver

VARIANCE_TOL = 1e-24
"""A variance of an area below this value is treated as 0, because it can be due to rounding errors."""
MIN_CLUSTERS = 4
"""Smallest number of clusters per class with which the variance between clusters is estimated."""
PLACEMENT_TOL = 1e-12
"""Tolerance for the rounding error of a placement value or an area."""
EIGENVALUE_RTOL = 1e-10
"""Eigenvalues of a covariance matrix below this fraction of the largest one are treated as 0."""
StratumWeights: TypeAlias = Literal["pairs", "positives", "equal"]
STRATUM_WEIGHTS: tuple[StratumWeights, ...] = get_args(StratumWeights)
"""Options for the weights of strata; the first is the default."""
_DIRECTIONS = (None, "higher", "lower", "auto")


class RateRange(NamedTuple):
    """FPR range or TPR range."""

    axis: Axis
    low: ArrayOrFloat
    high: ArrayOrFloat

    @property
    def width(self) -> ArrayOrFloat:
        """Difference between the two limits of the range."""
        return self.high - self.low

    @property
    def chance_area(self) -> ArrayOrFloat:
        """Partial area of an uninformative feature over this range."""
        middle = (self.low + self.high) / 2
        return self.width * (middle if self.axis == "fpr" else 1 - middle)


def check_rate_range(fpr: Any, tpr: Any) -> RateRange:
    """Check both range arguments and return the FPR or TPR range of a partial area."""
    if (fpr is None) == (tpr is None):
        raise RocPredictError("partial_auc needs one range of rates; pass either fpr=(low, high) or tpr=(low, high)")
    name: Axis = "fpr" if tpr is None else "tpr"
    limits = fpr if tpr is None else tpr
    low, high = (check_probabilities(name, limit) for limit in check_pair(name, limits, "(low, high)"))
    if np.any(low >= high):
        raise RocPredictError(f"{name}={short_repr(limits)} is an empty range; pass (low, high) with low < high")
    return RateRange(name, to_scalar(low), to_scalar(high))


# ---- placement values
class ClassColumns(NamedTuple):
    """Rows of one class, with the values or the placement values of K features."""

    values: FloatArray
    """Feature values or placement values, shape (rows,) or (rows, K). The mean of placement values is the area."""
    weights: Any = None
    """Frequency weight of each row, or None."""
    clusters: Any = None
    """Integer code of the cluster of each row, or None for independent rows. Both classes use the same codes."""
    strata: Any = None
    """Integer code of the stratum of each row, or None."""

    @property
    def total(self) -> float:
        """Number of observations."""
        return len(self.values) if self.weights is None else float(self.weights.sum())

    @property
    def n_units(self) -> float:
        """Number of independent units: clusters with rows of this class or, if there are no clusters, observations."""
        return float(self.total if self.clusters is None else len(np.unique(self.clusters)))

    def rows(self, rows: NDArray[Any]) -> ClassColumns:
        """Return the rows with the given indices; the values of each feature stay contiguous in memory."""
        columns: Any = (None if part is None else part.T[..., rows].T for part in self)
        return ClassColumns(*columns)

    def distribution(self, curve: int) -> Ecdf:
        """Return the empirical distribution of one feature."""
        return Ecdf(self.values[:, curve], self.weights)

    def deviations(self, centre: FloatArray) -> FloatArray:
        """Subtract a center from each value, and multiply each difference by the weight of its row."""
        deviations = self.values - centre
        return deviations if self.weights is None else (deviations.T * self.weights).T

    def sum_squares(self, centre: FloatArray) -> FloatArray:
        """Return the sum of squared deviations from a center.

        For K curves, return the (K, K) matrix of the summed products of the deviations.
        """
        deviations = self.values - centre
        return _products(deviations if self.weights is None else self.deviations(centre), deviations)

    def sum_by_cluster(self, values: FloatArray, n_clusters: int) -> FloatArray:
        """Return the sum of the values over the rows of each cluster."""
        sums = np.zeros((n_clusters, *values.shape[1:]))
        np.add.at(sums, self.clusters, values)
        return sums

    def cluster_shares(self) -> FloatArray:
        """Return, for each cluster, the fraction of this class's observations that the cluster contains."""
        return np.bincount(self.clusters, self.weights) / self.total


class Stratum(NamedTuple):
    """One stratum of the data: the area, the placement values of both classes, and the weight of the stratum."""

    estimate: FloatArray
    """Area computed from the rows of the stratum, shape () or (K,)."""
    classes: list[ClassColumns]
    """Placement values of the negatives and of the positives, in this order."""
    weight: float = 1.0


class VarianceComponent(NamedTuple):
    """One of the independent terms whose sum is the variance of one area or the covariance matrix of K areas."""

    variance: FloatArray
    df: float


@dataclass(frozen=True)
class Placements:
    """Placement values for one area, or for K areas computed from the same observations.

    Attributes
    ----------
    strata : tuple of Stratum
        Placement values by stratum; data without strata have a single stratum. The area is the weighted mean of the
        areas of the strata.
    null_value : float, default=0.5
        Area of an uninformative feature.
    bounds : pair of float, default=(0.0, 1.0)
        Smallest and largest possible area.
    is_partial : bool, default=False
        Whether the area is a partial area.
    wins_within_clusters : array of shape (G,) or (G, K), optional
        For each cluster, the number of negative-positive pairs in which the positive has the larger value; ties count
        half. None for partial areas and for data without clusters.

    Notes
    -----
    The placement value of a positive is the fraction of the negatives below this positive. The placement value of a
    negative is the fraction of the positives above this negative. Ties count as half. The variance in each stratum is
    estimated by the method of DeLong, DeLong and Clarke-Pearson [1]_. With clusters, there is only one stratum, and the
    variance is estimated by the jackknife over clusters. A stratum in which a class has a single observation, such as a
    matched pair, does not provide an estimate of the variance; the variance between all such strata is used instead.

    References
    ----------
    .. [1] E. R. DeLong, D. M. DeLong, D. L. Clarke-Pearson (1988), Comparing the areas under two or more correlated
       receiver operating characteristic curves: a nonparametric approach, Biometrics 44, 837-845.
    """

    strata: tuple[Stratum, ...]
    null_value: float = 0.5
    bounds: tuple[float, float] = (0.0, 1.0)
    is_partial: bool = False
    wins_within_clusters: Any = None

    @cached_property
    def estimate(self) -> FloatArray:
        """Area or, for a range of rates, partial area divided by the width of the range; the shape is () or (K,)."""
        return np.asarray(sum(part.weight * part.estimate for part in self.strata))

    @property
    def negative(self) -> ClassColumns:
        """Placement values of the negatives of the first stratum."""
        return self.classes[0]

    @property
    def positive(self) -> ClassColumns:
        """Placement values of the positives of the first stratum."""
        return self.classes[1]

    @property
    def classes(self) -> list[ClassColumns]:
        """Placement values of both classes of the first stratum."""
        return self.strata[0].classes

    @property
    def n_units(self) -> tuple[float, float]:
        """Number of independent units of each class."""
        negatives, positives = zip(
            *((part.n_units for part in stratum.classes) for stratum in self.strata), strict=True
        )
        return sum(negatives), sum(positives)

    @property
    def pooled_sizes(self) -> tuple[float, float]:
        """Effective size of each class: 1 divided by the sum of weight^2 / class size over the strata."""
        negative, positive = (
            1 / sum(stratum.weight**2 / stratum.classes[label].total for stratum in self.strata) for label in (0, 1)
        )
        return negative, positive

    @property
    def is_stratified(self) -> bool:
        """True if there are two or more strata."""
        return len(self.strata) > 1

    @property
    def is_clustered(self) -> bool:
        """True if the rows are grouped in clusters of dependent rows."""
        return self.negative.clusters is not None

    @property
    def has_dominant_cluster(self) -> bool:
        """True if one cluster has more than half of the observations of a class."""
        return self.is_clustered and max(float(part.cluster_shares().max()) for part in self.classes) > 1 / 2

    @property
    def is_constant(self) -> bool:
        """True if all placement values are equal to ``null_value``, for example because all values are tied."""
        values = [part.values for stratum in self.strata for part in stratum.classes]
        return all(float(np.abs(part - self.null_value).max()) <= PLACEMENT_TOL for part in values)

    @property
    def has_singleton_class(self) -> list[bool]:
        """For each stratum, True if a class has only one unit; always False if there is only one stratum."""
        return [self.is_stratified and min(part.n_units for part in stratum.classes) <= 1 for stratum in self.strata]

    @property
    def df(self) -> float:
        """Degrees of freedom for a Wald interval; infinite unless a variance between clusters or strata is used."""
        if self.is_clustered:
            return self.components()[0].df
        n_between = sum(self.has_singleton_class)
        if n_between <= 1:
            return np.inf
        between, whole = (
            float(np.trace(np.atleast_2d(variance))) for variance in (self._between_strata(), self.variance())
        )
        return (n_between - 1) * (whole / between) ** 2 if between > 0 else np.inf

    def variance(self) -> FloatArray:
        """Return the variance of the area, or the covariance matrix of K areas."""
        return sum((part.variance for part in self.components()), np.zeros(self.estimate.shape * 2))

    def components(self) -> list[VarianceComponent]:
        """Return the independent terms of the variance.

        With clusters, there is a single term. Otherwise, each class of each stratum has its own term, except that all
        strata in which a class has only one unit share a single term.
        """
        if self.is_clustered:
            changes = self._jackknife()
            variance = _products(changes, changes) * ((len(changes) - 1) / len(changes))
            return [VarianceComponent(variance, _fourth_moment_df(changes))]
        singles = self.has_singleton_class
        within = [
            VarianceComponent(
                stratum.weight**2 * part.sum_squares(stratum.estimate) / (part.total * (part.total - 1)), part.total - 1
            )
            for stratum, is_single in zip(self.strata, singles, strict=True)
            for part in stratum.classes
            if part.total > 1 and not is_single
        ]
        df = sum(singles) - 1 if sum(singles) > 1 else np.inf
        return [*within, VarianceComponent(self._between_strata(), df)] if any(singles) else within

    def third_cumulant(self) -> float:
        """Return an estimate of the third cumulant of the sampling distribution of one area."""
        if self.is_clustered:
            return -float(np.sum(self._jackknife() ** 3))
        return sum(
            stratum.weight**3
            * float(np.sum(part.deviations(stratum.estimate) * (part.values - stratum.estimate) ** 2))
            / part.total**3
            for stratum in self.strata
            for part in stratum.classes
        )

    def select(self, curves: NDArray[np.intp]) -> Placements:
        """Return the placement values of the curves with the given indices."""
        return self._map(lambda array: array[..., curves])

    def curve(self, index: int) -> Placements:
        """Return the placement values of the curve with the given index."""
        return self._map(lambda array: array[..., index])

    def contrast(self, weights: FloatArray) -> Placements:
        """Return placement values for a weighted sum of the K areas.

        The placement value of an observation is the weighted sum of its placement values on the K curves.
        """
        bounds = float(np.minimum(weights, 0).sum()), float(np.maximum(weights, 0).sum())
        placements = self._map(lambda array: sum(w * array[..., k] for k, w in enumerate(weights) if w))
        return replace(placements, null_value=self.null_value * float(weights.sum()), bounds=bounds)

    def unclustered(self) -> Placements:
        """Return a copy without clusters, in which all rows are treated as independent."""
        stratum = self.strata[0]._replace(classes=[part._replace(clusters=None) for part in self.classes])
        return replace(self, strata=(stratum,), wins_within_clusters=None)

    def _map(self, function: Callable[[FloatArray], Any]) -> Placements:
        """Return a copy with a linear function applied to the last axis of each array, which indexes the curves."""
        strata = [
            stratum._replace(
                estimate=np.asarray(function(stratum.estimate)),
                classes=[part._replace(values=function(part.values)) for part in stratum.classes],
            )
            for stratum in self.strata
        ]
        within = None if self.wins_within_clusters is None else function(self.wins_within_clusters)
        return replace(self, strata=tuple(strata), wins_within_clusters=within)

    def _between_strata(self) -> FloatArray:
        """Return the variance between strata with a single-unit class; for only one such stratum, an upper bound."""
        strata = [part for part, single in zip(self.strata, self.has_singleton_class, strict=True) if single]
        if len(strata) <= 1:
            lowest, highest = self.bounds
            largest = [part.weight**2 * (part.estimate - lowest) * (highest - part.estimate) for part in strata]
            return np.asarray(sum((np.diag(v) if v.ndim else v for v in largest), np.zeros(())))
        weights, estimates = np.array([part.weight for part in strata]), np.array([part.estimate for part in strata])
        deviation = ((estimates - weights @ estimates / weights.sum()).T * weights).T
        return np.asarray(deviation.T @ deviation * (len(strata) / (len(strata) - 1)))

    def _jackknife(self) -> FloatArray:
        """Return the changes of the area when one cluster at a time is left out, shape (G,) or (G, K).

        For a whole area, the changes are exact. For a partial area, they are approximate, because the placement values
        of the remaining rows are not recomputed.
        """
        n_clusters = 1 + int(max(part.clusters.max() for part in self.classes))
        shape = (n_clusters, *np.ones(self.estimate.ndim, dtype=int))
        remaining, sums = [], []
        for part in self.classes:
            weights = np.ones(len(part.values)) if part.weights is None else part.weights
            remaining.append((part.total - part.sum_by_cluster(weights, n_clusters)).reshape(shape))
            sums.append(part.sum_by_cluster(part.deviations(self.estimate), n_clusters))
        (left0, left1), (total0, total1) = remaining, (part.total for part in self.classes)
        if self.wins_within_clusters is None:
            changes = -sums[0] / left0 - sums[1] / left1
        else:
            excess = self.wins_within_clusters - self.estimate * (total0 - left0) * (total1 - left1)
            changes = (excess - total1 * sums[0] - total0 * sums[1]) / (left0 * left1)
        in_use = (left0 < total0) | (left1 < total1)
        return changes[in_use.ravel()]


def _fourth_moment_df(changes: FloatArray) -> float:
    """Return the degrees of freedom of a jackknife variance, from the change e of the area for each left-out cluster.

    For one curve, the degrees of freedom are 3 (sum e^2)^2 / sum e^4 - 2. This is Satterthwaite's approximation for
    Gaussian changes e with unequal variances, which are estimated by e^2. For K curves and G clusters, the result is
    limited to the range from K + 3 to G - 1; if G - 1 is below K + 3, the result is G - 1.
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
    """Return the sum of products over the rows or, for K columns, the sums for all pairs of columns, shape (K, K)."""
    if first.ndim == 1:  # np.sum adds in pairs: it is more precise than a dot product and starts no threads
        return np.asarray(np.sum(first * second))
    return np.asarray(first.T @ second)


def compute_placements(negative: Ecdf, positive: Ecdf) -> Placements:
    """Return the placement values of the observations for one curve, sorted by feature value within each class.

    The computation takes O(n log n) time and O(n) memory. The midrank formula gives the same values (Sun and Xu 2014).
    """
    below, to = count_below(negative.sorted_sample, positive.sorted_sample)
    lower = mid_rank_weight(negative, below, to)
    below_negative = mid_rank_weight(positive, *count_below_transposed(below, to, len(negative.sorted_sample)))
    negatives = ClassColumns((positive.total - below_negative) / positive.total, negative.sorted_weights)
    positives = ClassColumns(lower / negative.total, positive.sorted_weights)
    return Placements((Stratum(EmpiricalSolver(negative, positive).auc_from_ranks(lower), [negatives, positives]),))


def partial_placements(negative: Ecdf, positive: Ecdf, rate_range: RateRange) -> Placements:
    """Return placement values whose mean is the partial area divided by the width of its FPR or TPR range.

    On the empirical curve, each value of a negative corresponds to a step in FPR. For an FPR range, the placement
    value of a negative is the mean TPR over this step. Outside the range, the TPR is replaced by the TPR at the nearer
    limit of the range. A constant is then added to the placement values of all negatives, so that the mean of these
    values is the area. A variance that is estimated from these values includes the sampling variation of the thresholds
    at both ends of the range.
    """
    axis, low, high = rate_range
    if axis == "tpr":  # compute the area under the curve of the exchanged classes
        turned = partial_placements(positive.reflect(), negative.reflect(), RateRange("fpr", 1 - high, 1 - low))
        classes = [ClassColumns(part.values[::-1], part.weights[::-1]) for part in reversed(turned.classes)]
        return replace(turned, strata=(Stratum(turned.estimate, classes),))
    solver, width = EmpiricalSolver(negative, positive), high - low
    fpr, tpr = solver.points.fpr, solver.points.tpr
    inside, (tpr_low, tpr_high) = (low <= fpr) & (fpr <= high), solver.along("fpr", np.array([low, high]))
    levelled = (
        np.concatenate([[0, low], fpr[inside], [high, 1]]),
        np.concatenate([[tpr_low] * 2, tpr[inside], [tpr_high] * 2]),
    )
    falling = np.array([0, low, high, 1]), np.array([width, width, 0, 0])
    classes = []
    for polyline, part in ((levelled, negative), (falling, positive)):
        start, end = negative.weight_above(part.unique_values), negative.weight_at_or_above(part.unique_values)
        values = _mean_over_steps(*polyline, start / negative.total, end / negative.total) / width
        classes.append(ClassColumns(values, part.unique_weights))
    negatives, positives = classes
    estimate, mean = (np.asarray(part.weights @ part.values / part.total) for part in (positives, negatives))
    negatives = negatives._replace(values=negatives.values - mean + estimate)
    return Placements((Stratum(estimate, [negatives, positives]),), null_value=(low + high) / 2, is_partial=True)


def _mean_over_steps(x: FloatArray, y: FloatArray, start: FloatArray, end: FloatArray) -> FloatArray:
    """Return the mean of a polyline over each step, or the value of the polyline where the width of a step is 0."""
    total = np.concatenate([[0.0], np.cumsum(np.diff(x) * (y[1:] + y[:-1]) / 2)])

    def area_to(at: FloatArray) -> FloatArray:
        index = np.searchsorted(x, at, side="right") - 1
        return np.asarray(total[index] + (at - x[index]) * (y[index] + interpolate_tpr(x, y, at)) / 2)

    mean, is_step = np.array(interpolate_tpr(x, y, start)), end > start
    mean[is_step] = (area_to(end[is_step]) - area_to(start[is_step])) / (end - start)[is_step]
    return mean


def placements_in_row_order(placements: FloatArray, ordered: FloatArray, sample: Ecdf) -> FloatArray:
    """Return the placement value of each row; ``placements[i]`` belongs to the feature value ``ordered[i]``."""
    rows = sample.sample
    if len(placements) != len(rows):  # tied rows share one entry, or some rows have weight 0
        return placements[np.minimum(np.searchsorted(ordered, rows), len(ordered) - 1)]
    values = np.empty(len(rows))
    values[sample.order] = placements
    return values


# ---- samples
class RowOptions(NamedTuple):
    """Options for splitting rows into two classes; public functions have arguments with the same names."""

    positive: Label = None
    negative: Label = None
    nan_policy: NanPolicy = "raise"
    direction: Any = None
    weights: Any = None
    clusters: Any = None
    strata: Any = None
    stratum_weights: str = "pairs"
    strata_name: str = "strata"
    """Name of the argument ``strata`` in error messages."""


@dataclass(frozen=True)
class CurveSample:
    """Values of K features in each class, multiplied by -1 for features whose direction is "lower".

    Attributes
    ----------
    classes : pair of ClassColumns
    names : tuple of str
    directions : tuple of {"higher", "lower"}
        Original direction of each feature, before any values were multiplied by -1.
    omitted : pair of int
        Numbers of negatives and positives that were omitted because a value is missing.
    n_unlabelled : int
        Number of rows that were omitted because their label is missing.
    stratum_weights : str
        One of ``STRATUM_WEIGHTS``.
    flags : Flags
    """

    classes: tuple[ClassColumns, ClassColumns]
    names: tuple[str, ...]
    directions: tuple[str, ...]
    omitted: tuple[int, int]
    n_unlabelled: int
    stratum_weights: str
    flags: Flags

    @classmethod
    def from_rows(cls, features: Mapping[str, ArrayLike], y: ArrayLike, options: RowOptions) -> CurveSample:
        """Split rows by class; rows with missing values raise an error or are omitted, depending on ``nan_policy``."""
        check_option("stratum_weights", options.stratum_weights, STRATUM_WEIGHTS)
        if options.clusters is not None and options.strata is not None:
            raise RocPredictError("clusters= and strata= cannot be combined; pass one of them")
        groupings = {"clusters": options.clusters, options.strata_name: options.strata}
        check_index({"y": y, "weights": options.weights, **groupings})
        values, rows = split_rows(
            features, y, positive=options.positive, negative=options.negative, nan_policy=options.nan_policy
        )
        table, names, codes = np.array(list(values.values())).T, tuple(values), []
        weights = check_sample_weight(options.weights, len(table))
        for name, grouping in groupings.items():
            codes.append(None if grouping is None else encode_groups(name, grouping, len(table))[0])
            rows = rows if codes[-1] is None else omit_rows(rows, codes[-1] < 0, name, options.nan_policy)
        parts, weights = _apply_weights(rows, weights)
        negative, positive = (ClassColumns(table, weights, *codes).rows(part) for part in parts)
        if options.clusters is not None:
            _check_clusters(negative, positive)
        auto = isinstance(options.direction, str) and options.direction == "auto"
        directions = (
            _find_directions((negative, positive), names) if auto else _check_directions(options.direction, len(names))
        )
        signs = np.where(np.array(directions) == "lower", -1.0, 1.0)
        classes = negative._replace(values=negative.values * signs), positive._replace(values=positive.values * signs)
        numbers = rows.omitted, rows.n_unlabelled
        return cls(classes, names, directions, *numbers, options.stratum_weights, Flags(auto_direction=auto))

    @property
    def n(self) -> tuple[float, float]:
        """Number of observations of each class."""
        return self.classes[0].total, self.classes[1].total

    def fields(self) -> dict[str, Any]:
        """Return the fields of a result that describe the sample."""
        names = ("n", "omitted", "n_unlabelled", "flags")
        return {"direction": self.directions} | {name: getattr(self, name) for name in names}

    @property
    def design(self) -> str:
        """Text appended to a method name if there are clusters or strata; otherwise empty."""
        if self.classes[0].clusters is not None:
            return ", clustered"
        return "" if self.classes[0].strata is None else ", stratified"

    def pair(self, curve: int) -> tuple[Ecdf, Ecdf]:
        """Return the empirical distributions of one feature in the negatives and in the positives."""
        return self.classes[0].distribution(curve), self.classes[1].distribution(curve)

    def stratum(self, code: int) -> CurveSample:
        """Return the sample that consists of the rows of one stratum."""
        none = np.empty(0, dtype=np.intp)
        negative, positive = (
            part.rows(rows.get(code, none))._replace(strata=None)
            for part, rows in zip(self.classes, self._rows_by_stratum, strict=True)
        )
        return replace(self, classes=(negative, positive))

    @cached_property
    def _rows_by_stratum(self) -> list[dict[int, NDArray[np.intp]]]:
        """Row indices of each stratum in ascending order, for each class."""
        result = []
        for part in self.classes:
            order = np.argsort(part.strata, kind="stable")
            codes, first = np.unique(part.strata[order], return_index=True)
            result.append(dict(zip(codes.tolist(), np.split(order, first[1:]), strict=True)))
        return result

    def placements(self, rate_range: RateRange | None = None) -> Placements:
        """Return the placement values of the rows on all K curves, in the order of the rows within each stratum."""
        if self.classes[0].strata is None:
            return self._placements(rate_range)
        codes = np.intersect1d(*(part.strata for part in self.classes))
        if not codes.size:
            problem = "strata= has no stratum with rows of both classes"
            raise RocPredictError(f"{problem}; pass at least one stratum that contains both classes")
        parts = [self.stratum(code)._placements(rate_range) for code in codes]
        sizes = np.array([[part.negative.total, part.positive.total] for part in parts])
        weights = {"pairs": sizes.prod(axis=1), "positives": sizes[:, 1], "equal": np.ones(len(parts))}
        shares = weights[self.stratum_weights] / weights[self.stratum_weights].sum()
        strata = (part.strata[0]._replace(weight=share) for part, share in zip(parts, shares, strict=True))
        return replace(parts[0], strata=tuple(strata))

    def area(self, rate_range: RateRange | None = None) -> Placements:
        """Return the placement values of the rows on the first curve."""
        return self.placements(rate_range).curve(0)

    def _placements(self, rate_range: RateRange | None) -> Placements:
        pairs = [self.pair(curve) for curve in range(len(self.names))]
        if self.classes[0].weights is None:
            for sample in chain(*pairs):
                sample.order  # noqa: B018  (cached, so that each sample is sorted once)
        parts = [
            compute_placements(*pair) if rate_range is None else partial_placements(*pair, rate_range) for pair in pairs
        ]
        classes, clusters = [], [rows.clusters for rows in self.classes]
        if clusters[0] is not None and len(np.unique(codes := np.concatenate(clusters))) == len(codes):
            clusters = [None, None]  # if every cluster has one row, the rows are independent
        for index, rows in enumerate(self.classes):
            columns = [
                placements_in_row_order(
                    part.classes[index].values,
                    pair[index].sorted_sample if rate_range is None else pair[index].unique_values,
                    pair[index],
                )
                for part, pair in zip(parts, pairs, strict=True)
            ]
            classes.append(rows._replace(values=np.column_stack(columns), clusters=clusters[index]))
        within = None if clusters[0] is None or rate_range is not None else _wins_within_clusters(*self.classes)
        stratum = Stratum(np.array([part.estimate for part in parts]), classes)
        return replace(parts[0], strata=(stratum,), wins_within_clusters=within)


def _wins_within_clusters(negative: ClassColumns, positive: ClassColumns) -> FloatArray:
    """For each cluster, return the number of pairs with a larger positive, in shape (G, K); ties count as half."""
    n_clusters, columns = 1 + int(max(part.clusters.max() for part in (negative, positive))), []
    for values in zip(negative.values.T, positive.values.T, strict=True):
        ranks = np.unique(np.concatenate(values), return_inverse=True)[1] + 1.0
        starts = [(len(ranks) + 1) * part.clusters for part in (negative, positive)]  # separates the clusters
        keys = starts[1] + ranks[len(values[0]) :]
        ordered = Ecdf(starts[0] + ranks[: len(values[0])], negative.weights)
        below = (ordered.weight_below(keys) + ordered.total - ordered.weight_above(keys)) / 2
        won = below - ordered.weight_below(starts[1])
        columns.append(
            np.bincount(positive.clusters, won if positive.weights is None else won * positive.weights, n_clusters)
        )
    return np.column_stack(columns)


def _check_clusters(negative: ClassColumns, positive: ClassColumns) -> None:
    """Raise RocPredictError if a class has too few clusters to estimate the variance between them."""
    counts = [len(np.unique(part.clusters)) for part in (negative, positive)]
    if min(counts) < MIN_CLUSTERS:
        raise RocPredictError(
            f"clusters= has {pluralize(counts[0], 'cluster')} with negatives and {counts[1]} with positives; "
            f"{MIN_CLUSTERS} or more of each are needed to estimate the variance between clusters"
        )


def check_total_weight(totals: Sequence[float], quantity: str) -> None:
    """Raise RocPredictError if the sum of the weights of a class is below 1."""
    for name, total in zip(("negative", "positive"), totals, strict=True):
        if total < 1:
            raise RocPredictError(
                f"weights of the {name} class sum to {total:g}; {quantity} needs frequency weights that sum to 1 or "
                "more"
            )


def _apply_weights(rows: ClassRows, weights: FloatArray | None) -> tuple[list[NDArray[np.intp]], FloatArray | None]:
    """Return the rows of both classes and their weights; integer weights are replaced by repeated rows."""
    parts = [rows.negative, rows.positive]
    if weights is None:
        return parts, None
    check_total_weight([weights[part].sum() for part in parts], "a test or an interval")
    if (weights == np.round(weights)).all() and weights.sum() <= MAX_EXPANDED_ROWS:
        times = weights.astype(np.intp)
        return [np.repeat(part, times[part]) for part in parts], None
    return [part[weights[part] > 0] for part in parts], weights


def _find_directions(classes: tuple[ClassColumns, ClassColumns], names: tuple[str, ...]) -> tuple[str, ...]:
    """Return, for each feature, the direction with an empirical AUC of at least 1/2."""
    pairs = [[part.distribution(curve) for part in classes] for curve in range(len(names))]
    directions = tuple("lower" if EmpiricalSolver(*pair).auc() < 0.5 else "higher" for pair in pairs)
    check_same_direction(directions, names)
    return directions


def check_same_direction(directions: Sequence[str], names: Sequence[str]) -> None:
    """Raise RocPredictError if "auto" has chosen opposite directions for curves that are compared."""
    if len(set(directions)) > 1:
        listing = ", ".join(f"{name} {direction!r}" for name, direction in zip(names, directions, strict=True))
        raise RocPredictError(
            f"direction='auto' finds opposite directions ({listing}); if they are intended, pass "
            f"direction={tuple(directions)}"
        )


def _check_directions(direction: Any, count: int) -> tuple[str, ...]:
    if direction is None or isinstance(direction, str):
        check_option("direction", direction, _DIRECTIONS)
        return (direction or "higher",) * count
    directions = tuple(direction) if isinstance(direction, Sequence) else (direction,)
    if len(directions) != count:
        raise RocPredictError(
            f"direction={short_repr(direction)} has {pluralize(len(directions), 'item')}; pass one direction for each "
            f"of {pluralize(count, 'curve')}"
        )
    for item in directions:
        check_option("direction", item, _DIRECTIONS[1:3])
    return directions


def join_rocs(rocs: Mapping[str, Any]) -> CurveSample:
    """Combine empirical curves of the same observations into one sample; rows missing from any curve are omitted."""
    curves = list(rocs.values())
    sizes = [(len(roc.negative.sample), len(roc.positive.sample)) for roc in curves]
    row_numbers: list[Any] = [getattr(roc, "source_rows", None) for roc in curves]
    if any(rows is None for rows in row_numbers):  # observations are matched by their order within the classes
        row_numbers = [SourceRows(np.arange(n), np.arange(n, n + m), None) for n, m in sizes]
    totals = [tuple(np.add(size, roc.omitted).tolist()) for size, roc in zip(sizes, curves, strict=True)]
    shared = [reduce(np.intersect1d, [rows[k] for rows in row_numbers]) for k in (0, 1)]
    exchanged = [np.intersect1d(row_numbers[0][k], row_numbers[-1][1 - k]).size for k in (0, 1)]
    if len(set(totals)) > 1:
        raise RocPredictError(
            "the curves do not have the same observations in each class: their numbers of (negative, positive) "
            f"observations are {totals[0]} and {totals[-1]}; pass paired=False for independent samples"
        )
    if any(exchanged):
        raise RocPredictError(
            "some rows belong to the negative class of one curve and to the positive class of another, so the "
            "observations or their order differ; pass the same observations in the same order, or paired=False for "
            "independent samples"
        )
    if not min(map(len, shared)):
        raise RocPredictError(
            "in one of the classes, the curves have no observation in common; pass paired=False for independent samples"
        )
    values, weights = [], []
    for roc, rows in zip(curves, row_numbers, strict=True):
        indices = (np.searchsorted(rows[k], shared[k]) for k in (0, 1))
        classes = list(zip((roc.negative, roc.positive), indices, strict=True))
        values.append(np.concatenate([d.sample[index] for d, index in classes]))
        weights.append(
            np.concatenate([np.ones(len(index)) if d.weights is None else d.weights[index] for d, index in classes])
        )
    if (weights[0] != weights[-1]).any():
        raise RocPredictError(
            "the curves have different weights for the same observations; pass paired=False for independent samples"
        )
    has_weights = any(roc.negative.weights is not None for roc in curves)
    directions = tuple(roc.direction or "higher" for roc in curves)
    options = RowOptions(positive=1, direction=directions, weights=weights[0] if has_weights else None)
    labels = np.repeat([0, 1], [len(part) for part in shared])
    sample = CurveSample.from_rows(dict(zip(rocs, values, strict=True)), labels, options)
    omitted = totals[0][0] - len(shared[0]), totals[0][1] - len(shared[1])
    n_unlabelled = max(roc.n_unlabelled for roc in curves)
    flags = Flags(auto_direction=any(roc.auto_direction for roc in curves))
    return replace(sample, omitted=omitted, n_unlabelled=n_unlabelled, flags=flags)
