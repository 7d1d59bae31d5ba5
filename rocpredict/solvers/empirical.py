"""Exact solution for two samples: step functions."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rocpredict.base.results import Flags
from rocpredict.base.validation import FloatArray
from rocpredict.distributions.ecdf import Ecdf, count_below
from rocpredict.solvers.base import (
    Hook,
    OptimalThreshold,
    TwoThresholdRule,
    area_under,
    hook_of_polyline,
    interpolate_fpr,
    interpolate_tpr,
    summarize_rule,
)

_ROUNDING = 4 * np.finfo(float).eps
_ZERO = np.zeros(())


class OperatingPoints(NamedTuple):
    """Hold every operating point, from "nothing is positive" to "all is"."""

    thresholds: FloatArray
    low: FloatArray
    """Each point holds for the thresholds in (low, high]."""
    high: FloatArray
    tpr: FloatArray
    fpr: FloatArray
    tnr: FloatArray
    fnr: FloatArray


def operating_points(negative: Ecdf, positive: Ecdf) -> OperatingPoints:
    """Give all operating points, thresholds descending from +inf to -inf."""
    values = np.union1d(negative.unique_values, positive.unique_values)
    edges = np.concatenate([[-np.inf], values, [np.inf]])
    thresholds = np.concatenate([[-np.inf], _midpoints(values), [np.inf]])[::-1]
    upper = np.concatenate([values, [np.inf]])[::-1]
    never = np.arange(len(upper)) == 0  # an infinite value does not exceed +inf, yet this end is "never"
    tpr, fpr = (np.where(never, 0.0, d.weight_at_or_above(upper) / d.total) for d in (positive, negative))
    fnr, tnr = (np.where(never, 1.0, d.weight_below(upper) / d.total) for d in (positive, negative))
    return OperatingPoints(thresholds, edges[-2::-1], edges[:0:-1], tpr, fpr, tnr, fnr)


def auc(negative: Ecdf, positive: Ecdf) -> FloatArray:
    """Give the Mann-Whitney probability that a positive is the larger, ties half."""
    lower = negative.mid_rank_weight(*count_below(negative.sorted_sample, positive.sorted_sample))
    return auc_from_ranks(negative, positive, lower)


def auc_from_ranks(negative: Ecdf, positive: Ecdf, lower: FloatArray) -> FloatArray:
    """Give the AUC from the weight of the negatives below each of the positives in their order, ties half."""
    weights = positive.sorted_weights
    won = lower.sum() if weights is None else weights @ lower
    return np.asarray(won / (negative.total * positive.total))


def auc_complement(negative: Ecdf, positive: Ecdf) -> FloatArray:
    """Give the Mann-Whitney probability that a negative is the larger, ties half."""
    return auc(positive, negative)


def log_auc_complement(negative: Ecdf, positive: Ecdf) -> FloatArray:
    """Give the logarithm of ``auc_complement``: -inf when it is 0."""
    with np.errstate(divide="ignore"):
        return np.log(auc_complement(negative, positive))


def tpr_at_fpr(negative: Ecdf, positive: Ecdf, fpr: FloatArray) -> FloatArray:
    """Give the height of the curve, on a vertical piece its top."""
    v = operating_points(negative, positive)
    return interpolate_tpr(v.fpr, v.tpr, fpr)


def fpr_at_tpr(negative: Ecdf, positive: Ecdf, tpr: FloatArray) -> FloatArray:
    """Give the FPR at which the curve first reaches this height."""
    v = operating_points(negative, positive)
    return interpolate_fpr(v.fpr, v.tpr, tpr)


def threshold_at_fpr(negative: Ecdf, positive: Ecdf, fpr: FloatArray) -> FloatArray:
    """Give the lowest operating point's threshold with no more than this FPR."""
    v = operating_points(negative, positive)
    return np.asarray(v.thresholds[np.searchsorted(v.fpr, fpr, side="right") - 1])


def threshold_at_tpr(negative: Ecdf, positive: Ecdf, tpr: FloatArray) -> FloatArray:
    """Give the highest operating point's threshold with no less than this TPR."""
    v = operating_points(negative, positive)
    return np.asarray(v.thresholds[np.searchsorted(v.tpr, tpr, side="left")])


def slope(negative: Ecdf, positive: Ecdf, fpr: FloatArray) -> FloatArray:
    """Give the slope of the piece of the curve that begins at or holds this FPR."""
    v = operating_points(negative, positive)
    run, rise = np.diff(v.fpr), np.diff(v.tpr)
    sloped = run > 0
    starts, slopes = v.fpr[:-1][sloped], rise[sloped] / run[sloped]
    return np.asarray(slopes[np.searchsorted(starts, fpr, side="right") - 1])


def partial_auc_fpr(negative: Ecdf, positive: Ecdf, low: FloatArray, high: FloatArray) -> FloatArray:
    """Give the area under the curve between two FPRs."""
    v = operating_points(negative, positive)
    return np.asarray(area_under(v.fpr, v.tpr, float(low), float(high)))


def partial_auc_tpr(negative: Ecdf, positive: Ecdf, low: FloatArray, high: FloatArray) -> FloatArray:
    """Give the area to the right of the curve between two TPRs."""
    v = operating_points(negative, positive)
    return np.asarray(area_under(v.tpr, v.tnr, float(low), float(high)))


def hook(negative: Ecdf, positive: Ecdf) -> Hook:
    """Give the part of the curve below the chance line."""
    v = operating_points(negative, positive)
    return Hook(*(np.asarray(part) for part in hook_of_polyline(v.fpr, v.tpr)))


def crossings(negative: Ecdf, positive: Ecdf, log_kappa: FloatArray) -> FloatArray:
    """Give nothing: step functions have no densities to cross."""
    return np.empty(0)


def best(negative: Ecdf, positive: Ecdf, log_kappa: FloatArray) -> OptimalThreshold:
    """Give the operating point that maximises TPR - kappa FPR."""
    v = operating_points(negative, positive)
    with np.errstate(over="ignore"):
        kappa = float(np.exp(log_kappa))
    if not np.isfinite(kappa):
        return best_operating_point(negative, positive, v, np.where(v.fpr > 0, -np.inf, v.tpr))
    utility = v.tpr - kappa * v.fpr
    first = np.argmax(utility)
    return best_operating_point(negative, positive, v, utility, _ROUNDING * (v.tpr[first] + kappa * v.fpr[first]))


def best_operating_point(
    negative: Ecdf, positive: Ecdf, v: OperatingPoints, utility: FloatArray, tolerance: float = _ROUNDING
) -> OptimalThreshold:
    """Give the middle one of the operating points with the highest utility, and the run of them it is in."""
    good = utility >= utility.max() - tolerance
    chosen = np.flatnonzero(good)[(np.count_nonzero(good) - 1) // 2]
    first = last = chosen
    while first > 0 and good[first - 1]:
        first -= 1
    while last < len(good) - 1 and good[last + 1]:
        last += 1
    ameans = (v.tpr + v.tnr).max() / 2
    flags = Flags(
        always_negative=v.thresholds[chosen] == np.inf,
        always_positive=v.thresholds[chosen] == -np.inf,
        identical=np.array_equal(negative.unique_values, positive.unique_values)
        and np.array_equal(negative.unique_weights / negative.total, positive.unique_weights / positive.total),
        no_benefit=ameans <= 0.5 + _ROUNDING,
        perfect_separation=v.fpr[chosen] == 0 and v.fnr[chosen] == 0,
        point_mass=min(len(negative.unique_values), len(positive.unique_values)) == 1,
    )
    threshold, tpr, fpr, tnr, fnr, low, high = (
        np.asarray(column[index])
        for column, index in (
            (v.thresholds, chosen),
            (v.tpr, chosen),
            (v.fpr, chosen),
            (v.tnr, chosen),
            (v.fnr, chosen),
            (v.low, last),
            (v.high, first),
        )
    )
    return OptimalThreshold(threshold, tpr, fpr, tnr, fnr, low, high, np.empty(0), flags)


def proper_auc_complement(negative: Ecdf, positive: Ecdf) -> FloatArray:
    """Give 1 - AUC when the values are ranked by their likelihood ratio in these very samples."""
    return auc_complement(*_rank_by_likelihood_ratio(negative, positive))


def proper_rule(negative: Ecdf, positive: Ecdf, log_kappa: FloatArray = _ZERO) -> TwoThresholdRule:
    """Give the rule "positive where the share of positives is above kappa times that of negatives", counted here."""
    values = np.union1d(negative.unique_values, positive.unique_values)
    n, p = (_probabilities(d, values) for d in (negative, positive))
    with np.errstate(over="ignore", invalid="ignore"):
        likelier = p > np.exp(log_kappa) * n
    return _two_threshold_rule(negative, positive, values, likelier | (n == 0))


def proper_rule_at_fpr(negative: Ecdf, positive: Ecdf, fpr: FloatArray) -> TwoThresholdRule:
    """Give the rule by likelihood ratio with the highest TPR of those with no more than this FPR."""
    values = np.union1d(negative.unique_values, positive.unique_values)
    v = operating_points(*_rank_by_likelihood_ratio(negative, positive))
    lowest = v.low[np.searchsorted(v.fpr, fpr, side="right") - 1]
    return _two_threshold_rule(negative, positive, values, _positive_fraction(negative, positive, values) > lowest)


def proper_tpr_at_fpr(negative: Ecdf, positive: Ecdf, fpr: FloatArray) -> FloatArray:
    """Give the height of the curve of the values ranked by their likelihood ratio, on a vertical piece its top."""
    return tpr_at_fpr(*_rank_by_likelihood_ratio(negative, positive), fpr)


def proper_fpr_at_tpr(negative: Ecdf, positive: Ecdf, tpr: FloatArray) -> FloatArray:
    """Give the FPR at which that curve first reaches this height."""
    return fpr_at_tpr(*_rank_by_likelihood_ratio(negative, positive), tpr)


def proper_partial_auc_fpr(negative: Ecdf, positive: Ecdf, low: FloatArray, high: FloatArray) -> FloatArray:
    """Give the area under that curve between two FPRs."""
    return partial_auc_fpr(*_rank_by_likelihood_ratio(negative, positive), low, high)


def proper_partial_auc_tpr(negative: Ecdf, positive: Ecdf, low: FloatArray, high: FloatArray) -> FloatArray:
    """Give the area to the right of that curve between two TPRs."""
    return partial_auc_tpr(*_rank_by_likelihood_ratio(negative, positive), low, high)


def likelihood_ratio_roc_points(
    negative: Ecdf, positive: Ecdf, points: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Give the least likelihood ratio that is called positive at each point of that curve, its FPR and TPR."""
    v = operating_points(*_rank_by_likelihood_ratio(negative, positive))
    share = np.concatenate([[np.inf], v.high[1:]])
    with np.errstate(divide="ignore", invalid="ignore"):
        level = np.where(np.isinf(share), np.inf, share / (1 - share))
    return level, v.fpr, v.tpr


def _two_threshold_rule(
    negative: Ecdf, positive: Ecdf, values: FloatArray, called: NDArray[np.bool_]
) -> TwoThresholdRule:
    """Give the rule that calls these of the values positive."""
    edges = _midpoints(values)[np.diff(called.astype(int)) != 0]
    rates = (
        np.asarray(_weights(d, values)[where].sum() / d.total)
        for where, d in ((called, positive), (called, negative), (~called, negative), (~called, positive))
    )
    return TwoThresholdRule(*summarize_rule(edges, starts_positive=bool(called[0])), edges, *rates)


def _midpoints(values: FloatArray) -> FloatArray:
    """Give a threshold between neighbours: above the lower, at most the upper, whatever the floats."""
    lower, upper = values[:-1], values[1:]
    with np.errstate(over="ignore", invalid="ignore"):
        middle = np.where(np.isfinite(lower + upper), (lower + upper) / 2, lower / 2 + upper / 2)
    largest = np.finfo(float).max
    middle = np.where((upper == np.inf) & (lower < largest), largest, middle)
    return np.where(middle > lower, middle, upper)


def _weights(d: Ecdf, values: FloatArray) -> FloatArray:
    """Give the weight of the class at each of the values, of which its own points are some."""
    weights = np.zeros(len(values))
    weights[np.searchsorted(values, d.unique_values)] = d.unique_weights
    return weights


def _probabilities(d: Ecdf, values: FloatArray) -> FloatArray:
    return _weights(d, values) / d.total


def _positive_fraction(negative: Ecdf, positive: Ecdf, values: FloatArray) -> FloatArray:
    """Give the share of positives at each of the values, p/(p + n): a function of the likelihood ratio."""
    n, p = _probabilities(negative, values), _probabilities(positive, values)
    return np.asarray(p / (p + n))


def _rank_by_likelihood_ratio(negative: Ecdf, positive: Ecdf) -> tuple[Ecdf, Ecdf]:
    """Give both classes with each value replaced by its share of positives."""
    values = np.union1d(negative.unique_values, positive.unique_values)
    share = _positive_fraction(negative, positive, values)
    return Ecdf(share, _weights(negative, values)), Ecdf(share, _weights(positive, values))
