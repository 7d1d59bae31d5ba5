"""Areas, and questions asked at one point of the curve."""

from collections.abc import Callable

import numpy as np

from rocpredict.answers import Hook
from rocpredict.arguments import FloatArray
from rocpredict.distributions import Distribution
from rocpredict.numeric.search import density, edges_of, grid_of, log_ratio, sign_changes
from rocpredict.quadrature import integrate


def auc(negative: Distribution, positive: Distribution) -> FloatArray:
    """Give P(positive > negative) + P(tie)/2."""
    return _mean_over(positive, _with_half_of_ties(negative, negative.below, negative.cdf), negative)


def auc_complement(negative: Distribution, positive: Distribution) -> FloatArray:
    """Give P(positive < negative) + P(tie)/2."""
    return _mean_over(positive, _with_half_of_ties(negative, negative.sf, negative.at_or_above), negative)


def log_auc_complement(negative: Distribution, positive: Distribution) -> FloatArray:
    """Give the logarithm of ``auc_complement``: -inf when it is 0."""
    with np.errstate(divide="ignore"):
        return np.log(auc_complement(negative, positive))


def tpr_at_fpr(negative: Distribution, positive: Distribution, fpr: FloatArray) -> FloatArray:
    """Give the height of the curve, on a vertical piece its top; on an atom the curve runs straight."""
    t = negative.isf(fpr)
    share = _share_of_atom(negative, t, fpr)
    height = positive.sf(t) + share * (positive.at_or_above(t) - positive.sf(t))
    return np.where(fpr == 1, 1.0, height)


def fpr_at_tpr(negative: Distribution, positive: Distribution, tpr: FloatArray) -> FloatArray:
    """Give the FPR at which the curve first reaches this height."""
    t = threshold_at_tpr(negative, positive, tpr)
    share = _share_of_atom(positive, t, tpr)
    place = negative.sf(t) + share * (negative.at_or_above(t) - negative.sf(t))
    return np.where(tpr == 0, 0.0, place)


def threshold_at_fpr(negative: Distribution, positive: Distribution, fpr: FloatArray) -> FloatArray:
    """Give the smallest threshold with no more than this FPR."""
    t = np.asarray(negative.isf(fpr))
    reached = np.asarray(negative.at_or_above(t))
    return np.where((reached > fpr) & (reached > negative.sf(t)), np.nextafter(t, np.inf), t)


def threshold_at_tpr(negative: Distribution, positive: Distribution, tpr: FloatArray) -> FloatArray:
    """Give the largest threshold with no less than this TPR."""
    return -np.asarray(positive.reflect().ppf(tpr))


def slope(negative: Distribution, positive: Distribution, fpr: FloatArray) -> FloatArray:
    """Give the likelihood ratio at the threshold of this FPR."""
    grid = grid_of(negative, positive)
    t = np.clip(negative.isf(fpr), grid[0], grid[-1])  # at an infinite threshold its limit, far out
    with np.errstate(over="ignore"):
        return np.asarray(np.exp(log_ratio(negative, positive)(t)))


def partial_auc_fpr(negative: Distribution, positive: Distribution, low: FloatArray, high: FloatArray) -> FloatArray:
    """Give the area under the curve between two FPRs."""
    return _area_over(negative, (positive.sf, positive.at_or_above), low, high, edges_of(negative, positive))


def partial_auc_tpr(negative: Distribution, positive: Distribution, low: FloatArray, high: FloatArray) -> FloatArray:
    """Give the area to the right of the curve between two TPRs."""
    return _area_over(positive, (negative.cdf, negative.below), low, high, edges_of(negative, positive))


def hook(negative: Distribution, positive: Distribution) -> Hook:
    """Give the part of the curve below the chance line: the FPRs it lies between, and its area."""
    grid = grid_of(negative, positive)

    def excess(x: FloatArray) -> FloatArray:
        """Give TPR - FPR from whichever pair of tails is the smaller."""
        above = np.asarray(positive.at_or_above(x)) - negative.at_or_above(x)
        below = np.asarray(negative.below(x)) - positive.below(x)
        return np.asarray(np.where(np.asarray(negative.below(x)) < negative.at_or_above(x), below, above))

    def shortfall(x: FloatArray) -> FloatArray:
        return density(negative, x) * np.maximum(0.0, -excess(x))

    height = excess(grid)
    under = grid[height < 0]
    if not under.size:
        return Hook(np.zeros(()), np.zeros(()), np.zeros(()))
    meets = sign_changes(excess, grid, height)
    points, masses = negative.atoms()
    at_atoms = np.maximum(0.0, -(excess(points) + excess(np.nextafter(points, np.inf))) / 2)
    area = integrate(shortfall, np.unique(np.concatenate([edges_of(negative, positive), meets])))
    before, after = meets[meets <= under[0]], meets[meets >= under[-1]]
    high = negative.at_or_above(before[-1]) if before.size else 1.0
    low = negative.at_or_above(after[0]) if after.size else 0.0
    return Hook(np.asarray(low), np.asarray(high), np.asarray(area + masses @ at_atoms))


def _area_over(
    d: Distribution,
    heights: tuple[Callable[[FloatArray], FloatArray], Callable[[FloatArray], FloatArray]],
    low: FloatArray,
    high: FloatArray,
    edges: FloatArray,
) -> FloatArray:
    """Integrate a height over the upper tail of ``d``, from ``low`` to ``high``; at an atom it runs straight."""
    beyond, at = heights
    edges = np.clip(edges, d.isf(high), d.isf(low))
    smooth = integrate(lambda x: density(d, x) * np.asarray(beyond(x)), np.unique(edges[np.isfinite(edges)]))
    points, _ = d.atoms()
    start, end = np.asarray(d.sf(points)), np.asarray(d.at_or_above(points))
    left, right = np.clip(start, low, high), np.clip(end, low, high)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(end > start, ((left + right) / 2 - start) / (end - start), 0.0)
    height = beyond(points) + share * (at(points) - beyond(points))
    return np.asarray(smooth + np.sum((right - left) * height))


def _with_half_of_ties(
    d: Distribution, without: Callable[[FloatArray], FloatArray], including: Callable[[FloatArray], FloatArray]
) -> Callable[[FloatArray], FloatArray]:
    """Give a tail that counts half of an atom; without atoms both tails are one."""
    return (lambda x: (without(x) + including(x)) / 2) if d.atoms().points.size else without


def _mean_over(weighing: Distribution, f: Callable[[FloatArray], FloatArray], other: Distribution) -> FloatArray:
    """Give the mean of ``f`` over a distribution; ``f`` bends or jumps where ``other`` does."""
    points, masses = weighing.atoms()
    total = masses @ np.asarray(f(points))
    if masses.sum() < 0.5:
        total += integrate(lambda x: density(weighing, x) * f(x), edges_of(weighing, other))
    return np.asarray(total)


def _share_of_atom(d: Distribution, t: FloatArray, rate: FloatArray) -> FloatArray:
    """Give how much of the atom at ``t`` it takes to bring the tail above ``t`` up to ``rate``."""
    mass = np.asarray(d.at_or_above(t)) - d.sf(t)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(mass > 0, np.clip((rate - d.sf(t)) / mass, 0, 1), 0.0)
