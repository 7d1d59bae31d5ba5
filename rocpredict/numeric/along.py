"""Areas, and questions asked at one point of the curve."""

from collections.abc import Callable

import numpy as np

from rocpredict.answers import Hook
from rocpredict.arguments import FloatArray
from rocpredict.curve import below_chance
from rocpredict.distributions import Distribution, is_atomic
from rocpredict.numeric.search import edges_of, grid_of, log_ratio, mean_over, sign_changes


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
    share = np.where(_mass_at(negative, t) > 0, _share_of_atom(negative, t, fpr), 1.0)
    height = positive.sf(t) + share * _mass_at(positive, t)
    return np.where(fpr == 1, 1.0, height)


def fpr_at_tpr(negative: Distribution, positive: Distribution, tpr: FloatArray) -> FloatArray:
    """Give the FPR at which the curve first reaches this height."""
    t = threshold_at_tpr(negative, positive, tpr)
    share = _share_of_atom(positive, t, tpr)
    place = negative.sf(t) + share * _mass_at(negative, t)
    return np.where(tpr == 0, 0.0, place)


def threshold_at_fpr(negative: Distribution, positive: Distribution, fpr: FloatArray) -> FloatArray:
    """Give the smallest threshold with no more than this FPR."""
    t = np.asarray(negative.isf(fpr))
    reached = np.asarray(negative.at_or_above(t))
    t = np.where((reached > fpr) & (reached > negative.sf(t)), np.nextafter(t, np.inf), t)
    return np.where(np.equal(fpr, 1), -np.inf, t)


def threshold_at_tpr(negative: Distribution, positive: Distribution, tpr: FloatArray) -> FloatArray:
    """Give the largest threshold with no less than this TPR."""
    return np.where(np.equal(tpr, 0), np.inf, -np.asarray(positive.reflect().ppf(tpr)))


def slope(negative: Distribution, positive: Distribution, fpr: FloatArray) -> FloatArray:
    """Give the likelihood ratio at the threshold of this FPR."""
    grid = grid_of(negative, positive)
    t = np.clip(negative.isf(fpr), grid[0], grid[-1])  # at an infinite threshold its limit, far out
    atom = _mass_at(negative, t)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        return np.where(atom > 0, _mass_at(positive, t) / atom, np.exp(log_ratio(negative, positive)(t)))


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

    meets = sign_changes(excess, grid, excess(grid))
    points, masses = negative.atoms()
    start, end = excess(np.nextafter(points, np.inf)), excess(points)
    with np.errstate(divide="ignore", invalid="ignore"):  # on an atom the curve runs straight, and may cross the line
        crossing = np.minimum(start, end) ** 2 / np.abs(end - start) / 2
    at_atoms = np.where(start * end < 0, crossing, np.maximum(0.0, -(start + end) / 2))
    edges = np.unique(np.concatenate([edges_of(negative, positive), meets]))
    area = mean_over(negative, lambda x: np.maximum(0.0, -excess(x)), edges) + masses @ at_atoms
    thresholds = np.unique(np.concatenate([grid, meets, points, np.nextafter(points, np.inf)]))[::-1]
    fpr, tpr = np.asarray(negative.at_or_above(thresholds)), np.asarray(positive.at_or_above(thresholds))
    low, high, _ = below_chance(np.concatenate([[0.0], fpr, [1.0]]), np.concatenate([[0.0], tpr, [1.0]]))
    return Hook(*(np.asarray(part if area > 0 else 0.0) for part in (low, high, area)))


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
    smooth = mean_over(d, beyond, np.unique(edges[np.isfinite(edges)]))
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
    if not is_atomic(weighing):
        total += mean_over(weighing, f, edges_of(weighing, other))
    return np.asarray(total)


def _mass_at(d: Distribution, t: FloatArray) -> FloatArray:
    return np.asarray(np.asarray(d.at_or_above(t)) - d.sf(t))


def _share_of_atom(d: Distribution, t: FloatArray, rate: FloatArray) -> FloatArray:
    """Give how much of the atom at ``t`` it takes to bring the tail above ``t`` up to ``rate``."""
    mass = _mass_at(d, t)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(mass > 0, np.clip((rate - d.sf(t)) / mass, 0, 1), 0.0)
