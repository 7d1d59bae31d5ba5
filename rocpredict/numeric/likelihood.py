"""The likelihood-ratio rule: as many thresholds as the densities have crossings."""

import numpy as np
from scipy.special import ndtr

from rocpredict.answers import TwoSidedRule, outline
from rocpredict.arguments import FloatArray
from rocpredict.distributions import Distribution, is_atomic
from rocpredict.errors import RocPredictError
from rocpredict.numeric.crossing import crossings
from rocpredict.numeric.ranking import Ranking, ranking_of
from rocpredict.numeric.search import between, grid_of, log_ratio, sign_changes

_REACH = 6.0  # z-scores of the points of a table
_EVEN = np.zeros(())
_HUGE = 1e300  # stands for an infinite price: above every finite ratio, below an infinite one


def proper_auc_complement(negative: Distribution, positive: Distribution) -> FloatArray:
    """Give 1 - AUC of the likelihood-ratio rule: the mean, over positives, of the share of likelier negatives."""
    if _is_apart(negative, positive):
        return np.zeros(())
    ranking = _ranking(negative, positive)
    return ranking.mean_of(positive, lambda x: ranking.above(negative, ranking.level(x), ties=0.5), np.empty(0), 1.0)


def proper_rule(negative: Distribution, positive: Distribution, log_kappa: FloatArray = _EVEN) -> TwoSidedRule:
    """Give the rule that maximises TPR - kappa FPR: positive where f1 > kappa f0, with all its thresholds."""
    _refuse_mixed(negative, positive)
    price = np.clip(log_kappa, -_HUGE, _HUGE)
    edges = crossings(negative, positive, price)
    signs = log_ratio(negative, positive)(grid_of(negative, positive)) - price
    signs = signs[~np.isnan(signs) & (signs != 0)]
    return _rule(negative, positive, edges, starts_positive=bool(signs.size and signs[0] > 0))


def proper_rule_at_fpr(negative: Distribution, positive: Distribution, fpr: FloatArray) -> TwoSidedRule:
    """Give the rule with the highest TPR of all with no more than this FPR."""
    ranking = _ranking(negative, positive)
    highest, lowest = ranking.values.max(), ranking.values.min()
    at = highest if fpr == 0 and np.isposinf(highest) else float(ranking.level_at(negative, fpr))
    at = min(at, _HUGE) if fpr == 0 else at
    if fpr == 1:
        at = -_HUGE if np.isneginf(lowest) else np.nextafter(lowest, -np.inf)

    def called(x: FloatArray) -> FloatArray:
        level = ranking.level(x)
        return np.where(np.isnan(level), np.nan, np.where(level > at, 1.0, -1.0))

    signs = called(ranking.grid)
    return _rule(negative, positive, sign_changes(called, ranking.grid, signs), starts_positive=bool(signs[0] > 0))


def proper_tpr_at_fpr(negative: Distribution, positive: Distribution, fpr: FloatArray) -> FloatArray:
    """Give the height of the curve of the likelihood-ratio rule; where it is vertical, its top."""
    if _is_apart(negative, positive):
        return np.ones(np.shape(fpr))
    ranking = _ranking(negative, positive)
    at = ranking.level_at(negative, fpr)
    residual = fpr - ranking.above(negative, at, ties=0.5)
    height = _on_tangent(residual, ranking.above(positive, at, ties=0.5), at)
    top = ranking.above(positive, np.asarray(_HUGE), ties=1.0)
    return np.where(fpr == 0, top, np.where(fpr == 1, 1.0, np.maximum(height, top)))


def proper_fpr_at_tpr(negative: Distribution, positive: Distribution, tpr: FloatArray) -> FloatArray:
    """Give the lowest FPR at which that curve reaches a TPR."""
    if _is_apart(negative, positive):
        return np.zeros(np.shape(tpr))
    ranking = _ranking(negative, positive)
    at = ranking.level_at(positive, tpr)
    residual = tpr - ranking.above(positive, at, ties=0.5)
    place = _on_tangent(residual, ranking.above(negative, at, ties=0.5), -at)
    end = ranking.above(negative, np.asarray(-_HUGE), ties=0.0)
    top = ranking.above(positive, np.asarray(_HUGE), ties=1.0)
    return np.where(tpr <= top, 0.0, np.where(tpr == 1, end, np.minimum(place, end)))


def proper_partial_auc_fpr(
    negative: Distribution, positive: Distribution, low: FloatArray, high: FloatArray
) -> FloatArray:
    """Give the area under that curve between two FPRs: how much of the band a positive leaves to its right."""
    if _is_apart(negative, positive):
        return np.asarray(high - low)
    ranking = _ranking(negative, positive)
    levels = ranking.level_at(negative, np.array([low, high]))
    return ranking.mean_of(
        positive, lambda x: high - _clipped(ranking, negative, x, low, high), levels, float(high - low)
    )


def proper_partial_auc_tpr(
    negative: Distribution, positive: Distribution, low: FloatArray, high: FloatArray
) -> FloatArray:
    """Give the area to the right of that curve between two TPRs: how much of the band lies below a negative."""
    if _is_apart(negative, positive):
        return np.asarray(high - low)
    ranking = _ranking(negative, positive)
    levels = ranking.level_at(positive, np.array([low, high]))
    return ranking.mean_of(
        negative, lambda x: _clipped(ranking, positive, x, low, high) - low, levels, float(high - low)
    )


def proper_points(
    negative: Distribution, positive: Distribution, points: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Give the likelihood ratio, FPR and TPR of rules spread over both classes, from (0, 0) to (1, 1)."""
    if _is_apart(negative, positive):
        return np.array([np.inf, np.inf, 0.0]), np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 1.0])
    ranking = _ranking(negative, positive)
    shares = [ndtr(np.linspace(-_REACH, _REACH, count)) for count in ((points - 1) // 2, (points - 2) // 2)]
    columns = [(table[0], table[1]) for table in (ranking.table(d) for d in (negative, positive))]
    tied = np.any([including > strict for strict, including in columns], axis=0)
    spread = [np.searchsorted(strict, share) for (strict, _), share in zip(columns, shares, strict=True)]
    last = len(tied) - 1
    at = np.unique(np.concatenate([np.minimum(index, last) for index in spread] + [np.flatnonzero(tied), [0, last]]))
    with np.errstate(over="ignore"):
        level = np.exp(ranking.levels[at])
    rows = [np.stack([strict[at], including[at]], axis=-1) for strict, including in columns]
    wanted = np.stack([tied[at], np.ones(len(at), dtype=bool)], axis=-1)  # a tie has two ends, any other level one
    levels = np.stack([np.nextafter(level, np.inf), level], axis=-1)[wanted]
    fpr, tpr = (row[wanted] for row in rows)
    top = ranking.above(positive, np.asarray(_HUGE), ties=1.0)
    end = ranking.above(negative, np.asarray(-_HUGE), ties=0.0)
    ends = ([np.inf, np.inf], [0.0, 0.0]), ([0.0, 0.0], [end, 1.0]), ([0.0, top], [1.0, 1.0])
    whole = [np.concatenate([a, part, z]) for part, (a, z) in zip((levels, fpr, tpr), ends, strict=True)]
    moves = np.concatenate([[True], (np.diff(whole[1]) > 0) | (np.diff(whole[2]) > 0)])
    return whole[0][moves], whole[1][moves], whole[2][moves]


def _rule(negative: Distribution, positive: Distribution, edges: FloatArray, *, starts_positive: bool) -> TwoSidedRule:
    """Give the rule that changes sides at every edge."""
    cuts = np.concatenate([[-np.inf], edges, [np.inf]])
    odd = np.arange(len(cuts) - 1) % 2 == 1
    chosen = ~odd if starts_positive else odd
    shares = [between(d, cuts[:-1], cuts[1:]) for d in (positive, negative)]
    tpr, fpr = (np.asarray(share[chosen].sum()) for share in shares)
    fnr, tnr = (np.asarray(share[~chosen].sum()) for share in shares)
    return TwoSidedRule(*outline(edges, starts_positive=starts_positive), edges, tpr, fpr, tnr, fnr)


def _ranking(negative: Distribution, positive: Distribution) -> Ranking:
    _refuse_mixed(negative, positive)
    return ranking_of(negative, positive)


def _is_apart(negative: Distribution, positive: Distribution) -> bool:
    """Tell whether one class alone has single values: they have no probability in a density, and give it away."""
    return is_atomic(negative) != is_atomic(positive)


def _refuse_mixed(negative: Distribution, positive: Distribution) -> None:
    if negative.atoms().points.size or positive.atoms().points.size:
        raise RocPredictError(
            "a likelihood ratio between a density and single values is infinite there and nowhere else; "
            "give two densities, or two distributions of single values"
        )


def _on_tangent(residual: FloatArray, height: FloatArray, log_slope: FloatArray) -> FloatArray:
    """Give the height at a rate next to one on the curve: its slope is the likelihood ratio."""
    with np.errstate(over="ignore", invalid="ignore"):
        step = residual * np.exp(log_slope)
    return np.clip(height + np.where(np.isfinite(step), step, 0.0), 0.0, 1.0)


def _clipped(ranking: Ranking, d: Distribution, x: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """Give the mean place of x among a class by its ratio, as a rate kept in a band; ties spread evenly."""
    at = ranking.level(x)
    start = ranking.above(d, at, ties=0.0)
    if not ranking.tied:
        return np.clip(start, low, high)
    end = ranking.above(d, at, ties=1.0)
    width = end - start
    inside = np.clip(start, low, high), np.clip(end, low, high)
    below, beyond = np.clip(low - start, 0, width) * low, np.clip(end - high, 0, width) * high
    whole = below + beyond + (inside[1] - inside[0]) * (inside[0] / 2 + inside[1] / 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(width > 0, whole / width, np.clip(start, low, high))
