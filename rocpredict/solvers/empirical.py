"""Solvers for the empirical ROC curve of two samples."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rocpredict.base.rates import Rates
from rocpredict.base.validation import FloatArray
from rocpredict.distributions.ecdf import Ecdf, count_below, mid_rank_weight
from rocpredict.solvers.base import (
    ROUNDING,
    Axis,
    Hook,
    LikelihoodRatioSolver,
    OptimalThreshold,
    SameCurveSolver,
    Solver,
    TwoThresholdRule,
    area_under,
    check_defined,
    hook_of_polyline,
    interpolate_tpr,
    interpolate_tpr_below,
    is_undominated,
    make_optimum,
    pad_rows,
    summarize_rule,
)


class OperatingPoints(NamedTuple):
    """All operating points of an empirical curve, from (0, 0) to (1, 1)."""

    thresholds: FloatArray
    low: FloatArray
    """Lower bound of the interval (low, high] of thresholds with the same rates."""
    high: FloatArray
    """Upper bound of the interval (low, high] of thresholds with the same rates."""
    tpr: FloatArray
    fpr: FloatArray
    tnr: FloatArray
    fnr: FloatArray


class BestRun(NamedTuple):
    """Best operating point, and runs of consecutive operating points that are equally good.

    ``best`` is the index of the best point. ``first`` and ``last`` are the first and the last index of the run that
    contains the best point. ``others`` contains the middle index of each of the other runs.
    """

    best: int
    first: int
    last: int
    others: NDArray[np.intp]


class EmpiricalSolver(Solver):
    """Solver for the empirical ROC curve of two samples; ties between the classes yield diagonal segments."""

    is_fast = True
    is_discrete = True
    negative: Ecdf
    positive: Ecdf

    @cached_property
    def points(self) -> OperatingPoints:
        """All operating points, with thresholds in descending order from +inf to -inf."""
        values = np.union1d(self.negative.unique_values, self.positive.unique_values)
        edges = np.concatenate([[-np.inf], values, [np.inf]])
        thresholds = np.concatenate([[-np.inf], midpoints(values[:-1], values[1:]), [np.inf]])[::-1]
        upper = np.concatenate([values, [np.inf]])[::-1]
        (fnr, tpr), (tnr, fpr) = (np.divide(d.split_weight(upper), d.total) for d in (self.positive, self.negative))
        fnr[0] = tnr[0] = 1  # the threshold inf excludes every value, even inf
        tpr[0] = fpr[0] = 0
        return OperatingPoints(thresholds, edges[-2::-1], edges[:0:-1], tpr, fpr, tnr, fnr)

    @property
    def thresholds(self) -> FloatArray:
        """Thresholds of all operating points, in descending order."""
        return self.points.thresholds

    def auc(self) -> FloatArray:
        """Return the proportion of pairs in which the positive is larger than the negative; ties count as 1/2."""
        below = count_below(self.negative.sorted_sample, self.positive.sorted_sample)
        return self.auc_from_ranks(mid_rank_weight(self.negative, *below))

    def auc_from_ranks(self, lower: FloatArray) -> FloatArray:
        """Compute the AUC from the total weight of the negatives below each positive.

        ``lower`` contains these weights for the positives in ascending order; ties count as 1/2.
        """
        weights = self.positive.sorted_weights
        ordered_pairs = lower.sum() if weights is None else weights @ lower
        return np.asarray(ordered_pairs / (self.negative.total * self.positive.total))

    def auc_complement(self) -> FloatArray:
        """Return the proportion of pairs in which the negative is larger than the positive; ties count as 1/2."""
        return EmpiricalSolver(self.positive, self.negative).auc()

    def along(self, axis: Axis, rate: FloatArray) -> FloatArray:
        """Return the highest TPR at FPR = ``rate`` or, for axis "tpr", the lowest FPR with TPR >= ``rate``."""
        fpr, tpr = self.points.fpr, self.points.tpr
        return interpolate_tpr(fpr, tpr, rate) if axis == "fpr" else interpolate_tpr_below(tpr, fpr, rate)

    def area(self, axis: Axis, low: FloatArray, high: FloatArray) -> FloatArray:
        """Return the area under the curve (axis "fpr") or to the right of the curve (axis "tpr") between two rates."""
        v = self.points
        x, y = (v.fpr, v.tpr) if axis == "fpr" else (v.tpr, v.tnr)
        return np.asarray(area_under(x, y, float(low), float(high)))

    def threshold_at(self, axis: Axis, rate: FloatArray) -> FloatArray:
        """Return the lowest threshold with FPR <= ``rate`` or, for axis "tpr", the highest one with TPR >= ``rate``."""
        v = self.points
        if axis == "fpr":
            return np.asarray(v.thresholds[np.searchsorted(v.fpr, rate, side="right") - 1])
        return np.asarray(v.thresholds[np.searchsorted(v.tpr, rate, side="left")])

    def slope(self, fpr: FloatArray) -> FloatArray:
        """Return the slope of the curve at an FPR.

        At a vertex with an FPR below 1, the slope of the segment to the right of the vertex is returned.
        """
        v = self.points
        run, rise = np.diff(v.fpr), np.diff(v.tpr)
        sloped = run > 0
        starts, slopes = v.fpr[:-1][sloped], rise[sloped] / run[sloped]
        return np.asarray(slopes[np.searchsorted(starts, fpr, side="right") - 1])

    def hook(self) -> Hook[Any]:
        """Return the part of the curve below the chance line."""
        return Hook(*(np.asarray(part) for part in hook_of_polyline(self.points.fpr, self.points.tpr)))

    def optimal(self, log_price: FloatArray) -> OptimalThreshold:
        """Return the operating point that maximizes TPR - price * FPR, with an empty array of crossings."""
        v = self.points

        def best_run(price: float) -> BestRun:
            if np.isinf(price):
                return self._best_run(np.where(v.fpr == 0, v.tpr, -np.inf), ROUNDING)
            utility = v.tpr - price * v.fpr
            first = utility.argmax()
            return self._best_run(utility, ROUNDING * (v.tpr[first] + price * v.fpr[first]))

        with np.errstate(over="ignore"):
            prices = np.exp(np.ravel(log_price))
        return self._optimum([best_run(price) for price in prices], np.shape(log_price))

    def maximize(self, utility: Callable[[Rates[Any]], FloatArray]) -> OptimalThreshold:
        """Return the operating point with the highest utility or, if several points are tied, the middle one."""
        v = self.points
        values = utility(Rates(v.tpr, v.fpr, v.tnr, v.fnr))
        check_defined(values)
        return self._optimum([self._best_run(values, ROUNDING)], ())

    @cached_property
    def _undominated(self) -> NDArray[np.bool_]:
        """Mask of the operating points that are not dominated by a point with the same TPR or FPR."""
        return is_undominated(self.points.tpr, self.points.fpr)

    def _best_run(self, utility: FloatArray, tolerance: float) -> BestRun:
        """Return the middle one of all operating points with the highest utility, and the runs of these points.

        A run consists of consecutive points with the highest utility. If two operating points have the same utility and
        one dominates the other, the dominated point is excluded.
        """
        equal = np.flatnonzero(utility >= utility.max() - tolerance)
        undominated = equal[self._undominated[equal]]
        equal = undominated if undominated.size else equal
        runs = np.split(equal, np.flatnonzero(np.diff(equal) > 1) + 1)
        best = int(equal[(len(equal) - 1) // 2])
        first, last = next((int(run[0]), int(run[-1])) for run in runs if run[0] <= best <= run[-1])
        others = [run[(len(run) - 1) // 2] for run in runs if not run[0] <= best <= run[-1]]
        return BestRun(best, first, last, np.array(others[::-1], dtype=np.intp))

    def _optimum(self, runs: list[BestRun], shape: tuple[int, ...]) -> OptimalThreshold:
        v, negative, positive = self.points, self.negative, self.positive
        best, first, last = (np.reshape([run[i] for run in runs], shape).astype(np.intp) for i in range(3))
        equal = pad_rows([v.thresholds[run.others] for run in runs])
        identical = np.array_equal(negative.unique_values, positive.unique_values) and np.array_equal(
            negative.unique_weights / negative.total, positive.unique_weights / positive.total
        )
        return make_optimum(
            v.thresholds[best],
            Rates(v.tpr[best], v.fpr[best], v.tnr[best], v.fnr[best]),
            (v.low[last], v.high[first]),
            np.empty((*best.shape, 0)),
            equal.reshape(*shape, equal.shape[-1]),
            identical=np.full(best.shape, identical),
            no_benefit=np.full(best.shape, (v.tpr + v.tnr).max() / 2 <= 0.5 + ROUNDING),
            point_mass=np.full(best.shape, min(len(negative.unique_values), len(positive.unique_values)) == 1),
        )

    def likelihood_ratio(self) -> LikelihoodRatioSolver:
        """Return the solver for the ROC curve of the empirical likelihood ratio."""
        return EmpiricalLikelihoodRatioSolver(self.negative, self.positive)


class EmpiricalLikelihoodRatioSolver(SameCurveSolver, LikelihoodRatioSolver):
    """Solver for the ROC curve of sample values ranked by their likelihood ratio.

    Each value is ranked by the proportion of positives among the observations with this value. The proportion is
    computed as if both classes had the same total weight.
    """

    def __init__(self, negative: Ecdf, positive: Ecdf) -> None:
        self.values = np.union1d(negative.unique_values, positive.unique_values)
        self.weights = [_weights(d, self.values) for d in (negative, positive)]
        self._probabilities = [weights / d.total for weights, d in zip(self.weights, (negative, positive), strict=True)]
        self.total = negative.total, positive.total
        n, p = self._probabilities
        self.positive_fraction = p / (p + n)  # an increasing function of the likelihood ratio

    @cached_property
    def base(self) -> EmpiricalSolver:  # type: ignore[override]
        """Solver for samples in which each value is replaced by the proportion of positives at this value."""
        return EmpiricalSolver(*(Ecdf(self.positive_fraction, weights) for weights in self.weights))

    def rule(self, log_price: FloatArray) -> TwoThresholdRule[Any]:
        """Return the rule "positive if the likelihood ratio is above the price" (see ``Solver``)."""
        n, p = self._probabilities
        with np.errstate(over="ignore", invalid="ignore"):
            return self._rule((p > np.exp(log_price) * n) | (n == 0))

    def rule_at_fpr(self, fpr: FloatArray) -> TwoThresholdRule[Any]:
        """Return the rule that maximizes TPR subject to an FPR of at most ``fpr``."""
        v = self.base.points
        return self._rule(self.positive_fraction > v.low[np.searchsorted(v.fpr, fpr, side="right") - 1])

    def curve(self, n_points: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the likelihood ratio threshold, the FPR and the TPR of each operating point."""
        v = self.base.points
        fraction = np.concatenate([[np.inf], v.high[1:]])
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(np.isinf(fraction), np.inf, fraction / (1 - fraction))
        return ratio, v.fpr, v.tpr

    def _rule(self, called: NDArray[np.bool_]) -> TwoThresholdRule[Any]:
        """Return the rule that classifies exactly the values selected by a mask as positive."""
        edges = midpoints(self.values[:-1], self.values[1:])[np.diff(called.astype(int)) != 0]
        rates = (
            np.asarray(self.weights[label][where].sum() / self.total[label])
            for where, label in ((called, 1), (called, 0), (~called, 0), (~called, 1))
        )
        return TwoThresholdRule(*summarize_rule(edges, starts_positive=bool(called[0])), edges, *rates)


def midpoints(lower: FloatArray, upper: FloatArray) -> FloatArray:
    """Return a threshold in (lower, upper] for each pair of neighboring values."""
    with np.errstate(over="ignore", invalid="ignore"):
        middle = np.where(np.isfinite(lower + upper), (lower + upper) / 2, lower / 2 + upper / 2)
    largest = np.finfo(float).max
    middle = np.where((upper == np.inf) & (lower < largest), largest, middle)
    return np.where(middle > lower, middle, upper)


def _weights(d: Ecdf, values: FloatArray) -> FloatArray:
    """Return the total weight of a class at each of ``values``, which must include all values of the class."""
    weights = np.zeros(len(values))
    weights[np.searchsorted(values, d.unique_values)] = d.unique_weights
    return weights
