"""The questions of a ROC curve, for any two distributions: search on a grid, then polish; sum over panels.

The rule is "positive when x >= threshold". Densities may have several peaks, atoms, or both. The
grid follows the quantiles of both classes far into the tails, so that no crossing with probability
around it is missed; areas are good to about 1e-12, thresholds to the float where densities allow it.
"""

import warnings
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from rocpredict.answers import Hook, Optimum, Regions, outline
from rocpredict.arguments import FloatArray
from rocpredict.distributions import Distribution
from rocpredict.errors import RocPredictError
from rocpredict.flags import Flags
from rocpredict.quadrature import integrate

_ROUNDING = 4 * np.finfo(float).eps
_TAIL = 10.0 ** -np.concatenate([np.arange(1, 8), np.arange(8, 32, 2), np.arange(32, 310, 12)])
_QUARTILES = np.array([0.25, 0.5, 0.75])
_MIDDLE = ndtr(np.linspace(-8, 0, 257))
_BISECTIONS = 1200  # enough to get from the widest bracket of doubles to neighbours


def auc(negative: Distribution, positive: Distribution) -> FloatArray:
    """Give P(positive > negative) + P(tie)/2."""
    return _mean_over(positive, lambda x: (negative.below(x) + negative.cdf(x)) / 2, negative)


def auc_complement(negative: Distribution, positive: Distribution) -> FloatArray:
    """Give P(positive < negative) + P(tie)/2."""
    return _mean_over(positive, lambda x: (negative.sf(x) + negative.at_or_above(x)) / 2, negative)


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
    t = negative.isf(fpr)
    with np.errstate(invalid="ignore", over="ignore"):
        return np.asarray(np.exp(np.asarray(positive.logpdf(t)) - negative.logpdf(t)))


def partial_auc_fpr(negative: Distribution, positive: Distribution, low: FloatArray, high: FloatArray) -> FloatArray:
    """Give the area under the curve between two FPRs."""
    first, last = negative.isf(high), negative.isf(low)
    edges = _edges(negative, positive)
    edges = np.unique(np.clip(edges, first, last)[np.isfinite(np.clip(edges, first, last))])
    smooth = integrate(lambda x: _density(negative, x) * positive.sf(x), edges)
    points, _ = negative.atoms()
    start, end = np.asarray(negative.sf(points)), np.asarray(negative.at_or_above(points))
    left, right = np.clip(start, low, high), np.clip(end, low, high)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(end > start, ((left + right) / 2 - start) / (end - start), 0.0)
    height = positive.sf(points) + share * (np.asarray(positive.at_or_above(points)) - positive.sf(points))
    return np.asarray(smooth + np.sum((right - left) * height))


def partial_auc_tpr(negative: Distribution, positive: Distribution, low: FloatArray, high: FloatArray) -> FloatArray:
    """Give the area to the right of the curve between two TPRs."""
    # the mirror (FPR, TPR) -> (FNR, TNR) is the curve of the reflected classes with their roles exchanged
    return partial_auc_fpr(positive.reflect(), negative.reflect(), 1 - high, 1 - low)


def hook(negative: Distribution, positive: Distribution) -> Hook:
    """Give the part of the curve below the chance line: the FPRs it lies between, and its area."""
    grid = _grid(negative, positive)

    def excess(x: FloatArray) -> FloatArray:
        """Give TPR - FPR from whichever pair of tails is the smaller."""
        above = np.asarray(positive.at_or_above(x)) - negative.at_or_above(x)
        below = np.asarray(negative.below(x)) - positive.below(x)
        return np.asarray(np.where(np.asarray(negative.below(x)) < negative.at_or_above(x), below, above))

    def shortfall(x: FloatArray) -> FloatArray:
        return _density(negative, x) * np.maximum(0.0, -excess(x))

    height = excess(grid)
    under = grid[height < 0]
    if not under.size:
        return Hook(np.zeros(()), np.zeros(()), np.zeros(()))
    meets = _sign_changes(excess, grid, height)
    points, masses = negative.atoms()
    at_atoms = np.maximum(0.0, -(excess(points) + excess(np.nextafter(points, np.inf))) / 2)
    area = integrate(shortfall, np.unique(np.concatenate([_edges(negative, positive), meets])))
    before, after = meets[meets <= under[0]], meets[meets >= under[-1]]
    high = negative.at_or_above(before[-1]) if before.size else 1.0
    low = negative.at_or_above(after[0]) if after.size else 0.0
    return Hook(np.asarray(low), np.asarray(high), np.asarray(area + masses @ at_atoms))


def crossings(negative: Distribution, positive: Distribution, log_kappa: FloatArray) -> FloatArray:
    """Give all thresholds where f1 - kappa f0 changes its sign, ascending."""
    grid = _grid(negative, positive)
    level = _log_ratio(negative, positive)
    return _sign_changes(lambda x: level(x) - log_kappa, grid, level(grid) - log_kappa)


def best(negative: Distribution, positive: Distribution, log_kappa: FloatArray) -> Optimum:
    """Give the threshold that maximises TPR - kappa FPR: a crossing, an atom, a gap between them or an end."""
    with np.errstate(over="ignore"):
        kappa = float(np.exp(log_kappa))

    def loss(t: FloatArray) -> FloatArray:
        """Give 1 - (TPR - kappa FPR), which keeps its digits when the classes hardly overlap."""
        fnr, fpr = np.asarray(positive.below(t)), np.asarray(negative.at_or_above(t))
        return fnr + kappa * fpr if np.isfinite(kappa) else np.where(fpr > 0, np.inf, fnr)

    found = crossings(negative, positive, log_kappa)
    atoms = np.concatenate([negative.atoms().points, positive.atoms().points])
    ends = np.array([np.inf, -np.inf])
    grid = _grid(negative, positive)  # serves where the densities are flat, and as a safeguard
    candidates = np.concatenate([found, atoms, np.nextafter(atoms, np.inf), ends, grid])
    losses = np.nan_to_num(loss(candidates), nan=np.inf)
    most = losses.min() * (1 + _ROUNDING)
    threshold = candidates[np.argmax(losses <= most)]
    low, high = _plateau(loss, _log_ratio(negative, positive), np.unique(candidates), threshold, most, log_kappa)
    if low < high and np.isfinite(high - low):
        threshold = low / 2 + high / 2
    tpr, fnr = np.asarray(positive.at_or_above(threshold)), np.asarray(positive.below(threshold))
    fpr, tnr = np.asarray(negative.at_or_above(threshold)), np.asarray(negative.below(threshold))
    flags = Flags(
        always_negative=threshold == np.inf,
        always_positive=threshold == -np.inf,
        identical=np.array_equal(negative.cdf(grid), positive.cdf(grid)),
        no_benefit=float(log_kappa) == 0 and tpr <= fpr,
        perfect_separation=fpr == 0 and fnr == 0,
        point_mass=any((d.atoms().masses == 1).any() for d in (negative, positive)),
    )
    return Optimum(np.asarray(threshold), tpr, fpr, tnr, fnr, np.asarray(low), np.asarray(high), found, flags)


def proper_auc_complement(negative: Distribution, positive: Distribution) -> FloatArray:
    """Give 1 - AUC of the likelihood-ratio rule: the mean, over positives, of the share of likelier negatives."""
    if negative.atoms().points.size or positive.atoms().points.size:
        return np.zeros(())  # an atom of one class has no probability in the other: it gives the class away
    level = _log_ratio(negative, positive)
    grid = _grid(negative, positive)
    values = level(grid)
    grid, values = grid[~np.isnan(values)], values[~np.isnan(values)]
    turns = _turning_points(level, grid, values)
    starts, ends = np.concatenate([grid[:1], turns]), np.concatenate([turns, grid[-1:]])
    rises = level(ends) > level(starts)
    flat = bool((np.diff(values[np.isfinite(values)]) == 0).any())

    def likelier(x: FloatArray) -> FloatArray:
        """Give P(g(X0) > g(x)) + P(g(X0) = g(x))/2, summed over the pieces on which g is monotone."""
        wanted = level(x)[..., None]
        strictly = _piece_above(negative, starts, ends, rises, lambda y: level(y) > wanted, wanted.shape)
        if not flat:
            return strictly
        return (strictly + _piece_above(negative, starts, ends, rises, lambda y: level(y) >= wanted, wanted.shape)) / 2

    kinks = [_where_equal(level, at, grid, values) for at in level(turns)]
    edges = np.unique(np.concatenate([_edges(negative, positive), turns, *kinks]))
    return np.asarray(integrate(lambda x: _density(positive, x) * likelier(x), edges))


def proper_rule(negative: Distribution, positive: Distribution) -> Regions:
    """Give the rule with the best Ameans, positive where f1 > f0, with as many thresholds as that takes."""
    points = np.concatenate([negative.atoms().points, positive.atoms().points])
    if points.size:
        raise RocPredictError(
            "the likelihood-ratio rule between a density and single values is to look for these values; "
            "give two densities, or two distributions of single values"
        )
    edges = crossings(negative, positive, np.zeros(()))
    signs = _log_ratio(negative, positive)(_grid(negative, positive))
    signs = signs[~np.isnan(signs) & (signs != 0)]
    starts_positive = bool(signs.size and signs[0] > 0)
    cuts = np.concatenate([[-np.inf], edges, [np.inf]])
    odd = np.arange(len(cuts) - 1) % 2 == 1
    chosen = ~odd if starts_positive else odd
    shares = [_between(d, cuts[:-1], cuts[1:]) for d in (positive, negative)]
    tpr, fpr = (np.asarray(share[chosen].sum()) for share in shares)
    fnr, tnr = (np.asarray(share[~chosen].sum()) for share in shares)
    return Regions(*outline(edges, starts_positive=starts_positive), edges, tpr, fpr, tnr, fnr)


def _mean_over(weighing: Distribution, f: Callable[[FloatArray], FloatArray], other: Distribution) -> FloatArray:
    """Give the mean of ``f`` over a distribution; ``f`` bends or jumps where ``other`` does."""
    points, masses = weighing.atoms()
    total = masses @ np.asarray(f(points))
    if masses.sum() < 0.5:
        total += integrate(lambda x: _density(weighing, x) * f(x), _edges(weighing, other))
    return np.asarray(total)


def _density(d: Distribution, x: FloatArray) -> FloatArray:
    """Give the density to integrate; a point that was rounded onto a pole of it stands for no width."""
    pdf = np.asarray(d.pdf(x))
    return np.where(np.isinf(pdf), 0.0, pdf)


def _share_of_atom(d: Distribution, t: FloatArray, rate: FloatArray) -> FloatArray:
    """Give how much of the atom at ``t`` it takes to bring the tail above ``t`` up to ``rate``."""
    mass = np.asarray(d.at_or_above(t)) - d.sf(t)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(mass > 0, np.clip((rate - d.sf(t)) / mass, 0, 1), 0.0)


def _log_ratio(negative: Distribution, positive: Distribution) -> Callable[[FloatArray], FloatArray]:
    """Give log(f1/f0) as a function: +-inf where one class alone has density, NaN where none has."""

    def level(x: FloatArray) -> FloatArray:
        with np.errstate(invalid="ignore"):
            return np.asarray(np.asarray(positive.logpdf(x)) - negative.logpdf(x))

    return level


@lru_cache(maxsize=32)
def _edges(negative: Distribution, positive: Distribution) -> FloatArray:
    """Give quantiles of both classes, far into the tails, ascending: panels between them are smooth."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # a family may run out of digits in its far tail: that point is dropped
        found = [d.ppf(_TAIL) for d in (negative, positive)] + [d.isf(_TAIL) for d in (negative, positive)]
        found += [d.ppf(_QUARTILES) for d in (negative, positive)]
        found += [d.ppf(np.array([0.0, 1.0])) for d in (negative, positive)]
    found += [d.atoms().points for d in (negative, positive)]
    points = np.unique(np.concatenate(found))
    return np.asarray(points[np.isfinite(points)])


@lru_cache(maxsize=32)
def _grid(negative: Distribution, positive: Distribution) -> FloatArray:
    """Give points dense wherever a class has probability, and some far beyond."""
    edges = _edges(negative, positive)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        inner = [side(_MIDDLE) for d in (negative, positive) for side in (d.ppf, d.isf)]
        inner = [points[np.isfinite(points)] for points in inner]
        even = np.linspace(min(p.min() for p in inner), max(p.max() for p in inner), 513)
        width = max(edges[-1] - edges[0], np.finfo(float).tiny)
        beyond = width * 2.0 ** np.arange(-4, 44)
        between = (edges[:-1] + edges[1:]) / 2
        points = np.unique(np.concatenate([*inner, even, edges, between, edges[0] - beyond, edges[-1] + beyond]))
    return np.asarray(points[np.isfinite(points)])


def _sign_changes(f: Callable[[FloatArray], FloatArray], grid: FloatArray, values: FloatArray) -> FloatArray:
    """Give where ``f`` changes its sign, to the float; ``values`` are those on the ascending grid."""
    signed = ~np.isnan(values) & (values != 0)
    grid, above = grid[signed], values[signed] > 0
    index = np.flatnonzero(above[:-1] != above[1:])
    left, right, rising = grid[index], grid[index + 1], above[index + 1]
    left, right = _bisect(lambda x: (f(x) > 0) == rising, left, right)
    with np.errstate(invalid="ignore"):
        return np.where(np.abs(f(left)) < np.abs(f(right)), left, right)


def _where_equal(
    level: Callable[[FloatArray], FloatArray], at: float, grid: FloatArray, values: FloatArray
) -> FloatArray:
    return _sign_changes(lambda x: level(x) - at, grid, values - at)


def _bisect(
    holds: Callable[[FloatArray], NDArray[np.bool_]], left: FloatArray, right: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Give neighbouring floats between which a statement becomes true, from left to right in each bracket."""
    for _ in range(_BISECTIONS):
        middle = left / 2 + right / 2
        if ((middle == left) | (middle == right)).all():
            break
        true = holds(middle)
        left, right = np.where(true, left, middle), np.where(true, middle, right)
    return left, right


def _plateau(
    loss: Callable[[FloatArray], FloatArray],
    level: Callable[[FloatArray], FloatArray],
    candidates: FloatArray,
    threshold: float,
    most: float,
    log_kappa: FloatArray,
) -> tuple[float, float]:
    """Give the ends of the thresholds around this one that lose no more, where the densities are level or none."""

    def level_at(t: FloatArray) -> NDArray[np.bool_]:
        with np.errstate(invalid="ignore"):
            steepness = level(t) - log_kappa
        return np.asarray((np.isnan(steepness) | (steepness == 0) | np.isinf(t)) & (loss(t) <= most))

    flat = level_at(candidates)
    first = last = int(np.searchsorted(candidates, threshold))
    while first > 0 and flat[first - 1]:
        first -= 1
    while last < len(flat) - 1 and flat[last + 1]:
        last += 1
    low, high = candidates[first], candidates[last]
    if low < threshold and first > 0 and np.isfinite(candidates[first - 1]):
        _, low = _bisect(level_at, candidates[first - 1], low)
    if high > threshold and last < len(flat) - 1 and np.isfinite(candidates[last + 1]):
        high, _ = _bisect(lambda t: ~level_at(t), high, candidates[last + 1])
    return float(low), float(high)


def _turning_points(level: Callable[[FloatArray], FloatArray], grid: FloatArray, values: FloatArray) -> FloatArray:
    """Give where the likelihood ratio stops rising and starts to fall, or the reverse."""
    finite = np.isfinite(values)
    grid, values = grid[finite], values[finite]
    moves = np.flatnonzero(np.diff(values) != 0)
    rises = np.diff(values)[moves] > 0
    index = np.flatnonzero(rises[:-1] != rises[1:])
    left, right = grid[moves[index]], grid[moves[index + 1] + 1]
    top = np.where(rises[index], 1.0, -1.0)
    golden = (np.sqrt(5) - 1) / 2
    for _ in range(100):
        inner_left, inner_right = right - golden * (right - left), left + golden * (right - left)
        nearer = top * level(inner_left) >= top * level(inner_right)
        left, right = np.where(nearer, left, inner_left), np.where(nearer, inner_right, right)
    return left / 2 + right / 2


def _piece_above(
    d: Distribution,
    starts: FloatArray,
    ends: FloatArray,
    rises: NDArray[np.bool_],
    above: Callable[[FloatArray], NDArray[np.bool_]],
    shape: tuple[int, ...],
) -> FloatArray:
    """Give the probability of the parts, piece by monotone piece, on which ``above`` holds."""
    left = np.broadcast_to(starts, shape[:-1] + starts.shape)
    right = np.broadcast_to(ends, shape[:-1] + ends.shape)
    holds_left, holds_right = above(left), above(right)
    low, high = _bisect(lambda y: above(y) == rises, left, right)
    # where the statement holds all over a piece, or nowhere, the search has run into an end
    begin = np.where(holds_left, left, np.where(rises, high, right))
    end = np.where(holds_right, right, np.where(rises, left, low))
    everywhere, nowhere = holds_left & holds_right, ~holds_left & ~holds_right
    begin, end = np.where(everywhere | ~rises, left, begin), np.where(everywhere | rises, right, end)
    begin = np.where(nowhere, right, begin)
    end = np.where(nowhere, right, end)
    begin = np.where((left == starts[0]) & (begin == left), -np.inf, begin)
    end = np.where((right == ends[-1]) & (end == right), np.inf, end)
    return np.asarray(_between(d, begin, np.maximum(begin, end)).sum(axis=-1))


def _between(d: Distribution, low: FloatArray, high: FloatArray) -> FloatArray:
    """Give P(low < X <= high) from the nearer tail."""
    above, below = np.asarray(d.sf(low)) - d.sf(high), np.asarray(d.cdf(high)) - d.cdf(low)
    return np.asarray(np.where(np.asarray(d.cdf(low)) > 0.5, above, below))
