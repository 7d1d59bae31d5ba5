"""Numerical solution for any two distributions."""

import warnings
from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from rocpredict.base.results import Flags
from rocpredict.base.validation import FloatArray, RocPredictError
from rocpredict.distributions.base import Distribution
from rocpredict.distributions.ecdf import is_discrete
from rocpredict.solvers.base import (
    NODES,
    WEIGHTS,
    Hook,
    OptimalThreshold,
    TwoThresholdRule,
    hook_of_polyline,
    integrate,
    summarize_rule,
)

_TAIL = 10.0 ** -np.concatenate([np.arange(1, 8), np.arange(8, 32, 2), np.arange(32, 310, 12)])
_QUANTILE_GRID = np.array([0.25, 0.5, 0.75])
_N_INNER = ndtr(np.linspace(-8, 0, 257))
_BISECTIONS = 1200  # enough to get from the widest bracket of doubles to neighbours


def density(d: Distribution, x: FloatArray) -> FloatArray:
    """Give the density to integrate; a point that was rounded onto a pole of it stands for no width."""
    pdf = np.asarray(d.pdf(x))
    return np.where(np.isinf(pdf), 0.0, pdf)


def expectation(
    d: Distribution, height: Callable[[FloatArray], FloatArray], edges: FloatArray, *, rtol: float = 1e-13
) -> float:
    """Integrate a height over the continuous part of a distribution, between the first and the last edge.

    Each panel gives its probability times its mean height: so a pole of the density, which no sum over
    points can follow to the end, costs no digits.
    """

    def panel(left: FloatArray, right: FloatArray) -> FloatArray:
        above, below = np.asarray(d.sf(left)) - d.sf_inclusive(right), np.asarray(d.cdf_strict(right)) - d.cdf(left)
        mass = np.maximum(0.0, np.where(np.asarray(d.cdf(left)) > 0.5, above, below))
        x = (left / 2 + right / 2)[..., None] + ((right - left) / 2)[..., None] * NODES
        weight, at = density(d, x) * WEIGHTS, np.asarray(height(x))
        total = weight.sum(axis=-1)
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = np.where(total > 0, (weight * at).sum(axis=-1) / total, at @ WEIGHTS / 2)
        return np.asarray(mass * mean)

    return integrate(panel, edges, rtol=rtol)


def log_ratio(negative: Distribution, positive: Distribution) -> Callable[[FloatArray], FloatArray]:
    """Give log(f1/f0) as a function: +-inf where one class alone has density, NaN where none has."""

    def level(x: FloatArray) -> FloatArray:
        with np.errstate(invalid="ignore"):
            return np.asarray(np.asarray(positive.logpdf(x)) - negative.logpdf(x))

    return level


def interval_probability(d: Distribution, low: FloatArray, high: FloatArray) -> FloatArray:
    """Give P(low < X <= high) from the nearer tail."""
    above, below = np.asarray(d.sf(low)) - d.sf(high), np.asarray(d.cdf(high)) - d.cdf(low)
    return np.asarray(np.where(np.asarray(d.cdf(low)) > 0.5, above, below))


@lru_cache(maxsize=32)
def panel_edges(negative: Distribution, positive: Distribution) -> FloatArray:
    """Give quantiles of both classes, far into the tails, ascending: panels between them are smooth."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # a family may run out of digits in its far tail: that point is dropped
        found = [d.ppf(_TAIL) for d in (negative, positive)] + [d.isf(_TAIL) for d in (negative, positive)]
        found += [d.ppf(_QUANTILE_GRID) for d in (negative, positive)]
        found += [d.ppf(np.array([0.0, 1.0])) for d in (negative, positive)]
    found += [d.atoms().points for d in (negative, positive)]
    points = np.unique(np.concatenate(found))
    return np.asarray(points[np.isfinite(points)])


@lru_cache(maxsize=32)
def search_grid(negative: Distribution, positive: Distribution) -> FloatArray:
    """Give points dense wherever a class has probability, and some far beyond."""
    edges = panel_edges(negative, positive)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        inner = [side(_N_INNER) for d in (negative, positive) for side in (d.ppf, d.isf)]
        inner = [points[np.isfinite(points)] for points in inner]
        even = np.linspace(min(p.min() for p in inner), max(p.max() for p in inner), 513)
        width = max(edges[-1] - edges[0], np.finfo(float).tiny)
        beyond = width * 2.0 ** np.arange(-4, 44)
        between = (edges[:-1] + edges[1:]) / 2
        points = np.unique(np.concatenate([*inner, even, edges, between, edges[0] - beyond, edges[-1] + beyond]))
    return np.asarray(points[np.isfinite(points)])


def sign_changes(f: Callable[[FloatArray], FloatArray], grid: FloatArray, values: FloatArray) -> FloatArray:
    """Give where ``f`` changes its sign, to the float; ``values`` are those on the ascending grid."""
    signed = ~np.isnan(values) & (values != 0)
    grid, above = grid[signed], values[signed] > 0
    index = np.flatnonzero(above[:-1] != above[1:])
    left, right, rising = grid[index], grid[index + 1], above[index + 1]
    left, right = bisect(lambda x: (f(x) > 0) == rising, left, right)
    with np.errstate(invalid="ignore"):
        return np.where(np.abs(f(left)) < np.abs(f(right)), left, right)


def bisect(
    predicate: Callable[[FloatArray], NDArray[np.bool_]],
    left: FloatArray,
    right: FloatArray,
    halvings: int = _BISECTIONS,
) -> tuple[FloatArray, FloatArray]:
    """Give neighbouring floats between which a statement becomes true, from left to right in each bracket."""
    for _ in range(halvings):
        middle = left / 2 + right / 2
        if ((middle == left) | (middle == right)).all():
            break
        true = predicate(middle)
        left, right = np.where(true, left, middle), np.where(true, middle, right)
    return left, right


def auc(negative: Distribution, positive: Distribution) -> FloatArray:
    """Give P(positive > negative) + P(tie)/2."""
    return _expectation(positive, _mid_tail(negative, negative.cdf_strict, negative.cdf), negative)


def auc_complement(negative: Distribution, positive: Distribution) -> FloatArray:
    """Give P(positive < negative) + P(tie)/2."""
    return _expectation(positive, _mid_tail(negative, negative.sf, negative.sf_inclusive), negative)


def log_auc_complement(negative: Distribution, positive: Distribution) -> FloatArray:
    """Give the logarithm of ``auc_complement``: -inf when it is 0."""
    with np.errstate(divide="ignore"):
        return np.log(auc_complement(negative, positive))


def tpr_at_fpr(negative: Distribution, positive: Distribution, fpr: FloatArray) -> FloatArray:
    """Give the height of the curve, on a vertical piece its top; on an atom the curve runs straight."""
    t = negative.isf(fpr)
    share = np.where(_atom_mass(negative, t) > 0, _atom_fraction(negative, t, fpr), 1.0)
    height = positive.sf(t) + share * _atom_mass(positive, t)
    return np.where(fpr == 1, 1.0, height)


def fpr_at_tpr(negative: Distribution, positive: Distribution, tpr: FloatArray) -> FloatArray:
    """Give the FPR at which the curve first reaches this height."""
    t = threshold_at_tpr(negative, positive, tpr)
    share = _atom_fraction(positive, t, tpr)
    place = negative.sf(t) + share * _atom_mass(negative, t)
    return np.where(tpr == 0, 0.0, place)


def threshold_at_fpr(negative: Distribution, positive: Distribution, fpr: FloatArray) -> FloatArray:
    """Give the smallest threshold with no more than this FPR."""
    t = np.asarray(negative.isf(fpr))
    reached = np.asarray(negative.sf_inclusive(t))
    t = np.where((reached > fpr) & (reached > negative.sf(t)), np.nextafter(t, np.inf), t)
    return np.where(np.equal(fpr, 1), -np.inf, t)


def threshold_at_tpr(negative: Distribution, positive: Distribution, tpr: FloatArray) -> FloatArray:
    """Give the largest threshold with no less than this TPR."""
    return np.where(np.equal(tpr, 0), np.inf, -np.asarray(positive.reflect().ppf(tpr)))


def slope(negative: Distribution, positive: Distribution, fpr: FloatArray) -> FloatArray:
    """Give the likelihood ratio at the threshold of this FPR."""
    grid = search_grid(negative, positive)
    t = np.clip(negative.isf(fpr), grid[0], grid[-1])  # at an infinite threshold its limit, far out
    atom = _atom_mass(negative, t)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        return np.where(atom > 0, _atom_mass(positive, t) / atom, np.exp(log_ratio(negative, positive)(t)))


def partial_auc_fpr(negative: Distribution, positive: Distribution, low: FloatArray, high: FloatArray) -> FloatArray:
    """Give the area under the curve between two FPRs."""
    return _integrate_over_rate(
        negative, (positive.sf, positive.sf_inclusive), low, high, panel_edges(negative, positive)
    )


def partial_auc_tpr(negative: Distribution, positive: Distribution, low: FloatArray, high: FloatArray) -> FloatArray:
    """Give the area to the right of the curve between two TPRs."""
    return _integrate_over_rate(
        positive, (negative.cdf, negative.cdf_strict), low, high, panel_edges(negative, positive)
    )


def hook(negative: Distribution, positive: Distribution) -> Hook:
    """Give the part of the curve below the chance line: the FPRs it lies between, and its area."""
    grid = search_grid(negative, positive)

    def excess(x: FloatArray) -> FloatArray:
        """Give TPR - FPR from whichever pair of tails is the smaller."""
        above = np.asarray(positive.sf_inclusive(x)) - negative.sf_inclusive(x)
        below = np.asarray(negative.cdf_strict(x)) - positive.cdf_strict(x)
        return np.asarray(np.where(np.asarray(negative.cdf_strict(x)) < negative.sf_inclusive(x), below, above))

    meets = sign_changes(excess, grid, excess(grid))
    points, masses = negative.atoms()
    start, end = excess(np.nextafter(points, np.inf)), excess(points)
    with np.errstate(divide="ignore", invalid="ignore"):  # on an atom the curve runs straight, and may cross the line
        crossing = np.minimum(start, end) ** 2 / np.abs(end - start) / 2
    at_atoms = np.where(start * end < 0, crossing, np.maximum(0.0, -(start + end) / 2))
    edges = np.unique(np.concatenate([panel_edges(negative, positive), meets]))
    area = expectation(negative, lambda x: np.maximum(0.0, -excess(x)), edges) + masses @ at_atoms
    thresholds = np.unique(np.concatenate([grid, meets, points, np.nextafter(points, np.inf)]))[::-1]
    fpr, tpr = np.asarray(negative.sf_inclusive(thresholds)), np.asarray(positive.sf_inclusive(thresholds))
    low, high, _ = hook_of_polyline(np.concatenate([[0.0], fpr, [1.0]]), np.concatenate([[0.0], tpr, [1.0]]))
    return Hook(*(np.asarray(part if area > 0 else 0.0) for part in (low, high, area)))


def _integrate_over_rate(
    d: Distribution,
    heights: tuple[Callable[[FloatArray], FloatArray], Callable[[FloatArray], FloatArray]],
    low: FloatArray,
    high: FloatArray,
    edges: FloatArray,
) -> FloatArray:
    """Integrate a height over the upper tail of ``d``, from ``low`` to ``high``; at an atom it runs straight."""
    beyond, at = heights
    edges = np.clip(edges, d.isf(high), d.isf(low))
    smooth = expectation(d, beyond, np.unique(edges[np.isfinite(edges)]))
    points, _ = d.atoms()
    start, end = np.asarray(d.sf(points)), np.asarray(d.sf_inclusive(points))
    left, right = np.clip(start, low, high), np.clip(end, low, high)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(end > start, ((left + right) / 2 - start) / (end - start), 0.0)
    height = beyond(points) + share * (at(points) - beyond(points))
    return np.asarray(smooth + np.sum((right - left) * height))


def _mid_tail(
    d: Distribution, without: Callable[[FloatArray], FloatArray], including: Callable[[FloatArray], FloatArray]
) -> Callable[[FloatArray], FloatArray]:
    """Give a tail that counts half of an atom; without atoms both tails are one."""
    return (lambda x: (without(x) + including(x)) / 2) if d.atoms().points.size else without


def _expectation(weighing: Distribution, f: Callable[[FloatArray], FloatArray], other: Distribution) -> FloatArray:
    """Give the mean of ``f`` over a distribution; ``f`` bends or jumps where ``other`` does."""
    points, masses = weighing.atoms()
    total = masses @ np.asarray(f(points))
    if not is_discrete(weighing):
        total += expectation(weighing, f, panel_edges(weighing, other))
    return np.asarray(total)


def _atom_mass(d: Distribution, t: FloatArray) -> FloatArray:
    return np.asarray(np.asarray(d.sf_inclusive(t)) - d.sf(t))


def _atom_fraction(d: Distribution, t: FloatArray, rate: FloatArray) -> FloatArray:
    """Give how much of the atom at ``t`` it takes to bring the tail above ``t`` up to ``rate``."""
    mass = _atom_mass(d, t)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(mass > 0, np.clip((rate - d.sf(t)) / mass, 0, 1), 0.0)


_ROUNDING = 4 * np.finfo(float).eps


def crossings(negative: Distribution, positive: Distribution, log_kappa: FloatArray) -> FloatArray:
    """Give all thresholds where f1 - kappa f0 changes its sign, ascending."""
    grid = search_grid(negative, positive)
    level = log_ratio(negative, positive)
    with np.errstate(invalid="ignore"):  # a price of 0 or infinity is nowhere equal to an infinite ratio
        return sign_changes(lambda x: level(x) - log_kappa, grid, level(grid) - log_kappa)


def best(
    negative: Distribution, positive: Distribution, log_kappa: FloatArray, found: FloatArray | None = None
) -> OptimalThreshold:
    """Give the threshold that maximises TPR - kappa FPR: a crossing, an atom, a gap between them or an end.

    Who knows all crossings gives them as ``found``; else they are searched.
    """
    with np.errstate(over="ignore"):
        kappa = float(np.exp(log_kappa))

    def loss(t: FloatArray) -> FloatArray:
        """Give 1 - (TPR - kappa FPR), which keeps its digits when the classes hardly overlap."""
        fnr, fpr = np.asarray(positive.cdf_strict(t)), np.asarray(negative.sf_inclusive(t))
        return fnr + kappa * fpr if np.isfinite(kappa) else np.where(fpr > 0, np.inf, fnr)

    found = crossings(negative, positive, log_kappa) if found is None else found
    atoms = np.concatenate([negative.atoms().points, positive.atoms().points])
    ends = np.array([np.inf, -np.inf])
    grid = search_grid(negative, positive)  # serves where the densities are flat, and as a safeguard
    candidates = np.concatenate([found, atoms, np.nextafter(atoms, np.inf), ends, grid])
    losses = np.nan_to_num(loss(candidates), nan=np.inf)
    most = losses.min() * (1 + _ROUNDING)
    threshold = candidates[np.argmax(losses <= most)]
    low, high = _plateau(loss, log_ratio(negative, positive), np.unique(candidates), threshold, most, log_kappa)
    if low < high and np.isfinite(high - low):
        threshold = low / 2 + high / 2
    tpr, fnr = np.asarray(positive.sf_inclusive(threshold)), np.asarray(positive.cdf_strict(threshold))
    fpr, tnr = np.asarray(negative.sf_inclusive(threshold)), np.asarray(negative.cdf_strict(threshold))
    flags = Flags(
        always_negative=threshold == np.inf,
        always_positive=threshold == -np.inf,
        identical=np.array_equal(negative.cdf(grid), positive.cdf(grid)),
        no_benefit=float(log_kappa) == 0 and tpr <= fpr,
        perfect_separation=fpr == 0 and fnr == 0,
        point_mass=any((d.atoms().masses == 1).any() for d in (negative, positive)),
    )
    return OptimalThreshold(np.asarray(threshold), tpr, fpr, tnr, fnr, np.asarray(low), np.asarray(high), found, flags)


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
        _, low = bisect(level_at, candidates[first - 1], low)
    if high > threshold and last < len(flat) - 1 and np.isfinite(candidates[last + 1]):
        high, _ = bisect(lambda t: ~level_at(t), high, candidates[last + 1])
    return float(low), float(high)


_ConstantInterval = tuple[float, float, float]  # from, to, log ratio
_RTOL = 1e-11  # a level is found again to about 1e-14 of a density's width
_NOISE = 16 * np.finfo(float).eps  # of log f1 and log f0, in their difference
_MIN_RUN = 8  # points of the grid that make a level stretch, and no chance
_HALVINGS = 45  # from one point of the grid to the next
_FINE_GRID = 4e-16  # of a place, relative
_ROUNDS = 30
_XTOL = 1e-12  # of a rate; the tangent of the curve makes up for the rest


@lru_cache(maxsize=16)
def likelihood_ratio_ranking(negative: Distribution, positive: Distribution) -> "LikelihoodRatioRanking":
    """Give the ranking of two densities, kept for the next question."""
    return LikelihoodRatioRanking(negative, positive)


class LikelihoodRatioRanking:
    """Tell how probable a higher likelihood ratio is."""

    def __init__(self, negative: Distribution, positive: Distribution) -> None:
        grid = search_grid(negative, positive)
        self._pair = negative, positive
        self.level, flats = _smooth_rounding(negative, positive, grid)
        values = self.level(grid)
        self.grid, self.values = grid[~np.isnan(values)], values[~np.isnan(values)]
        self._turns = _turning_points(
            self.level, self.grid, self.values, _rounding_error(negative, positive, self.grid)
        )
        finite_ends = _finite_ratio_bounds(self.level, self.grid, self.values)
        self._ends = np.unique(np.concatenate([self.grid[[0, -1]], self._turns, *finite_ends]))
        self.grid = np.unique(np.concatenate([self.grid, self._turns]))
        self.values = self.level(self.grid)
        self.levels = np.unique(self.values[np.isfinite(self.values)])[::-1]  # of the log ratio, descending
        self._pieces = [self._piece(start, end, flats) for start, end in pairwise(self._ends)]
        self._limits = [-np.inf, *self._ends[1:-1], np.inf]

    def _piece(self, start: float, end: float, flats: list[_ConstantInterval]) -> "_MonotonePiece":
        inner = self.grid[(self.grid > start) & (self.grid < end)]
        here = [height for low, high, height in flats if low < end and high > start]
        return _MonotonePiece(self.level, np.unique(np.concatenate([[start], inner, [end]])), here)

    @property
    def has_ties(self) -> bool:
        """Whether a level is held by more than a point."""
        return any(piece.flat for piece in self._pieces)

    def upper_tail(self, d: Distribution, wanted: FloatArray, *, ties: float) -> FloatArray:
        """Give the probability of a higher log ratio than the wanted one, and this share of that of an equal one."""
        parts = [
            piece.probability(d, wanted, left, right, ties)
            for piece, (left, right) in zip(self._pieces, pairwise(self._limits), strict=True)
        ]
        return np.asarray(sum(parts))

    def expectation(
        self, d: Distribution, height: Callable[[FloatArray], FloatArray], levels: FloatArray, width: float
    ) -> FloatArray:
        """Give the mean over a class of a height that bends at these levels, and where the ratio turns.

        Next to a turn the ratio tells rates apart to 1e-8 and no better: narrow bands settle for fewer digits.
        """
        rtol = min(max(_RTOL, 1e-17 / width**2), 1e-6)
        bent = np.concatenate([self.level(self._turns), levels])
        bends = [self.level_crossings(at) for at in bent[np.isfinite(bent)]]
        edges = np.unique(np.concatenate([panel_edges(*self._pair), self._ends, *bends]))
        return np.asarray(expectation(d, height, edges, rtol=rtol))

    def level_crossings(self, at: float) -> FloatArray:
        """Give where the ratio passes a level."""
        with np.errstate(invalid="ignore"):
            return sign_changes(lambda x: self.level(x) - at, self.grid, self.values - at)

    def tail_table(self, d: Distribution) -> tuple[FloatArray, FloatArray]:
        """Give the share of a class above each of the levels, and at or above."""
        return _table(self, d)

    def level_at(self, d: Distribution, rate: FloatArray) -> FloatArray:
        """Give the log ratio that this share of a class lies above, ties taken or not."""
        rate = np.asarray(rate)
        shape, rate = rate.shape, np.atleast_1d(rate)
        levels, (strict, including) = self.levels, self.tail_table(d)
        index = np.minimum(np.searchsorted(including, rate, side="left"), len(levels) - 1)
        found = levels[index]
        between_levels = (strict[index] > rate) & (index > 0)
        found[between_levels] = find_root_vectorized(
            lambda at, wanted: wanted - self.upper_tail(d, at, ties=0.5),
            (levels[index], levels[np.maximum(index - 1, 0)]),
            rate,
            _XTOL * np.minimum(rate, 1 - rate),
            _ROUNDS,
            between_levels,
        )
        return np.asarray(found.reshape(shape))


@lru_cache(maxsize=32)
def _table(ranking: LikelihoodRatioRanking, d: Distribution) -> tuple[FloatArray, FloatArray]:
    strict = ranking.upper_tail(d, ranking.levels, ties=0.0)
    including = ranking.upper_tail(d, ranking.levels, ties=1.0) if ranking.has_ties else strict
    return np.maximum.accumulate(strict), np.maximum.accumulate(including)


def _rounding_error(negative: Distribution, positive: Distribution, x: FloatArray) -> FloatArray:
    """Give how much of the log ratio is rounding."""
    return np.asarray(_NOISE * (1 + np.abs(positive.logpdf(x)) + np.abs(negative.logpdf(x))))


def _smooth_rounding(
    negative: Distribution, positive: Distribution, grid: FloatArray
) -> tuple[Callable[[FloatArray], FloatArray], list[_ConstantInterval]]:
    """Give the logarithm of the likelihood ratio, constant wherever it moves by no more than rounding; and where."""
    raw = log_ratio(negative, positive)
    values = raw(grid)
    noise = _rounding_error(negative, positive, grid)
    with np.errstate(invalid="ignore"):
        still = np.abs(np.diff(values)) <= np.minimum(noise[1:], noise[:-1])
    starts = np.flatnonzero(still & ~np.concatenate([[False], still[:-1]]))
    ends = np.flatnonzero(still & ~np.concatenate([still[1:], [False]])) + 1
    runs = [(int(first), int(last)) for first, last in zip(starts, ends, strict=True) if last - first >= _MIN_RUN]
    flats = []
    for first, last in runs:
        height, most = np.median(values[first : last + 1]), noise[first : last + 1].max()
        beyond = grid[max(first - 1, 0)], grid[min(last + 1, len(grid) - 1)]
        _, low = bisect(lambda x, h=height, m=most: np.abs(raw(x) - h) <= m, beyond[0], grid[first])  # type: ignore[misc]
        high, _ = bisect(lambda x, h=height, m=most: ~(np.abs(raw(x) - h) <= m), grid[last], beyond[1])  # type: ignore[misc]
        flats.append((low, high, height))

    def level(x: FloatArray) -> FloatArray:
        found = raw(x)
        for low, high, height in flats:
            found = np.where((x >= low) & (x <= high), height, found)
        return found

    return level, [(float(low), float(high), float(height)) for low, high, height in flats]


def _finite_ratio_bounds(
    level: Callable[[FloatArray], FloatArray], grid: FloatArray, values: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Give neighbouring floats between which the ratio turns finite or infinite: the ends of a support."""
    kind = np.where(np.isinf(values), np.sign(values), 0.0)
    index = np.flatnonzero(kind[:-1] != kind[1:])
    wanted = kind[index + 1]

    def arrived(x: FloatArray) -> NDArray[np.bool_]:
        at = level(x)
        return np.asarray(np.where(np.isinf(at), np.sign(at), 0.0) == wanted) & ~np.isnan(at)

    return bisect(arrived, grid[index], grid[index + 1])


def _turning_points(
    level: Callable[[FloatArray], FloatArray], grid: FloatArray, values: FloatArray, noise: FloatArray
) -> FloatArray:
    """Give where the likelihood ratio stops rising and starts to fall, or the reverse, by more than rounding."""
    finite = np.isfinite(values)
    grid, values, noise = grid[finite], values[finite], noise[finite]
    moves = np.flatnonzero(np.abs(np.diff(values)) > np.maximum(noise[1:], noise[:-1]))
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


class _MonotonePiece:
    """A piece of the axis on which the likelihood ratio only rises or only falls."""

    def __init__(self, level: Callable[[FloatArray], FloatArray], points: FloatArray, flats: list[float]) -> None:
        values = level(points)
        self._rises = bool(values[-1] >= values[0])
        self._level = level
        self._points = points
        self._heights = np.maximum.accumulate(values if self._rises else -values)
        self.flat = bool(flats)
        self._flats = flats

    def probability(self, d: Distribution, wanted: FloatArray, left: float, right: float, ties: float) -> FloatArray:
        """Give the probability, from left to right, of a ratio above the wanted one, and a share of an equal one."""
        if not self.flat:
            return self._above(d, wanted, left, right, strictly=True)
        parts = [self._above(d, wanted, left, right, strictly=strictly) for strictly in (True, False)]
        return (1 - ties) * parts[0] + ties * parts[1]

    def _above(self, d: Distribution, wanted: FloatArray, left: float, right: float, *, strictly: bool) -> FloatArray:
        after = strictly == self._rises  # whether equal heights lie before the place that is looked for
        height = np.asarray(wanted if self._rises else -wanted)
        index = np.searchsorted(self._heights, height, side="right" if after else "left")
        low = self._points[np.maximum(index - 1, 0)]
        high = self._points[np.minimum(index, len(self._points) - 1)]
        place = np.where(index == 0, left, right)
        within = (index > 0) & (index < len(self._points))
        if within.any():
            place[within] = self._found(low[within], high[within], height[within], after=after)
        whole = np.full_like(place, left), np.full_like(place, right)
        return interval_probability(d, place, whole[1]) if self._rises else interval_probability(d, whole[0], place)

    def _found(self, low: FloatArray, high: FloatArray, height: FloatArray, *, after: bool) -> FloatArray:
        """Give where the height is passed, between points of the grid; of a level stretch the end that is asked for."""
        sign = 1.0 if self._rises else -1.0

        def excess(y: FloatArray, wanted: FloatArray) -> FloatArray:
            return np.asarray(sign * self._level(y) - wanted)

        noise = _NOISE * (1 + np.abs(height))
        level = np.any(
            [np.abs(height - sign * at) <= noise for at in self._flats] + [np.zeros(len(height), bool)], axis=0
        )
        place = np.empty(len(height))
        place[~level] = find_root_vectorized(excess, (low, high), height, noise / 4, 60, ~level)
        wanted = height[level]
        _, place[level] = bisect(
            lambda y: excess(y, wanted) > 0 if after else excess(y, wanted) >= 0, low[level], high[level], _HALVINGS
        )
        return place


def find_root_vectorized(
    f: Callable[[FloatArray, FloatArray], FloatArray],
    ends: tuple[FloatArray, FloatArray],
    wanted: FloatArray,
    close: FloatArray,
    rounds: int,
    where: NDArray[np.bool_],
) -> FloatArray:
    """Give where ``f(x, wanted)``, rising in x, is 0, to within ``close``.

    By false position, the stale end halved in its weight (Illinois), and by halving every third time.
    """
    low, high, wanted, close = (part[where] for part in (*ends, wanted, close))
    place = np.empty(len(low))
    index = np.arange(len(low))
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        below, above = f(low, wanted), f(high, wanted)
        best, least = np.where(-below < above, low, high), np.fmin(-below, above)
        before: NDArray[Any] = np.full(len(low), 2)  # at first no end is stale
        for step in range(rounds):
            middle = low / 2 + high / 2
            guess = low - below * ((high - low) / (above - below)) if step % 3 < 2 else middle
            guess = np.where((guess > low) & (guess < high), guess, middle)
            here = f(guess, wanted)
            best, least = np.where(np.abs(here) < least, guess, best), np.fmin(np.abs(here), least)
            going = (least > close) & (high - low > _FINE_GRID * np.maximum(np.abs(low), np.abs(high)))
            place[index[~going]] = best[~going]
            over = here > 0
            stale = np.where(over == before, 0.5, 1.0)
            low, below = np.where(over, low, guess), np.where(over, below * stale, here)
            high, above = np.where(over, guess, high), np.where(over, here, above * stale)
            index, before = index[going], over[going]
            kept = (low, high, below, above, wanted, close, best, least)
            low, high, below, above, wanted, close, best, least = (part[going] for part in kept)
            if not len(index):
                break
    place[index] = best
    return place


_REACH = 6.0  # z-scores of the points of a table
_EVEN = np.zeros(())
_MAX_LOG_RATIO = 1e300  # stands for an infinite price: above every finite ratio, below an infinite one


def proper_auc_complement(negative: Distribution, positive: Distribution) -> FloatArray:
    """Give 1 - AUC of the likelihood-ratio rule: the mean, over positives, of the share of likelier negatives."""
    if _is_mutually_singular(negative, positive):
        return np.zeros(())
    ranking = _ranking(negative, positive)
    return ranking.expectation(
        positive, lambda x: ranking.upper_tail(negative, ranking.level(x), ties=0.5), np.empty(0), 1.0
    )


def proper_rule(negative: Distribution, positive: Distribution, log_kappa: FloatArray = _EVEN) -> TwoThresholdRule:
    """Give the rule that maximises TPR - kappa FPR: positive where f1 > kappa f0, with all its thresholds."""
    _check_same_type(negative, positive)
    price = np.clip(log_kappa, -_MAX_LOG_RATIO, _MAX_LOG_RATIO)
    edges = crossings(negative, positive, price)
    signs = log_ratio(negative, positive)(search_grid(negative, positive)) - price
    signs = signs[~np.isnan(signs) & (signs != 0)]
    return _rule(negative, positive, edges, starts_positive=bool(signs.size and signs[0] > 0))


def proper_rule_at_fpr(negative: Distribution, positive: Distribution, fpr: FloatArray) -> TwoThresholdRule:
    """Give the rule with the highest TPR of all with no more than this FPR."""
    ranking = _ranking(negative, positive)
    highest, lowest = ranking.values.max(), ranking.values.min()
    at = highest if fpr == 0 and np.isposinf(highest) else float(ranking.level_at(negative, fpr))
    at = min(at, _MAX_LOG_RATIO) if fpr == 0 else at
    if fpr == 1:
        at = -_MAX_LOG_RATIO if np.isneginf(lowest) else np.nextafter(lowest, -np.inf)

    def called(x: FloatArray) -> FloatArray:
        level = ranking.level(x)
        return np.where(np.isnan(level), np.nan, np.where(level > at, 1.0, -1.0))

    signs = called(ranking.grid)
    return _rule(negative, positive, sign_changes(called, ranking.grid, signs), starts_positive=bool(signs[0] > 0))


def proper_tpr_at_fpr(negative: Distribution, positive: Distribution, fpr: FloatArray) -> FloatArray:
    """Give the height of the curve of the likelihood-ratio rule; where it is vertical, its top."""
    if _is_mutually_singular(negative, positive):
        return np.ones(np.shape(fpr))
    ranking = _ranking(negative, positive)
    at = ranking.level_at(negative, fpr)
    residual = fpr - ranking.upper_tail(negative, at, ties=0.5)
    height = _on_tangent(residual, ranking.upper_tail(positive, at, ties=0.5), at)
    top = ranking.upper_tail(positive, np.asarray(_MAX_LOG_RATIO), ties=1.0)
    return np.where(fpr == 0, top, np.where(fpr == 1, 1.0, np.maximum(height, top)))


def proper_fpr_at_tpr(negative: Distribution, positive: Distribution, tpr: FloatArray) -> FloatArray:
    """Give the lowest FPR at which that curve reaches a TPR."""
    if _is_mutually_singular(negative, positive):
        return np.zeros(np.shape(tpr))
    ranking = _ranking(negative, positive)
    at = ranking.level_at(positive, tpr)
    residual = tpr - ranking.upper_tail(positive, at, ties=0.5)
    place = _on_tangent(residual, ranking.upper_tail(negative, at, ties=0.5), -at)
    end = ranking.upper_tail(negative, np.asarray(-_MAX_LOG_RATIO), ties=0.0)
    top = ranking.upper_tail(positive, np.asarray(_MAX_LOG_RATIO), ties=1.0)
    return np.where(tpr <= top, 0.0, np.where(tpr == 1, end, np.minimum(place, end)))


def proper_partial_auc_fpr(
    negative: Distribution, positive: Distribution, low: FloatArray, high: FloatArray
) -> FloatArray:
    """Give the area under that curve between two FPRs: how much of the band a positive leaves to its right."""
    if _is_mutually_singular(negative, positive):
        return np.asarray(high - low)
    ranking = _ranking(negative, positive)
    levels = ranking.level_at(negative, np.array([low, high]))
    return ranking.expectation(
        positive, lambda x: high - _mean_clipped_rank(ranking, negative, x, low, high), levels, float(high - low)
    )


def proper_partial_auc_tpr(
    negative: Distribution, positive: Distribution, low: FloatArray, high: FloatArray
) -> FloatArray:
    """Give the area to the right of that curve between two TPRs: how much of the band lies below a negative."""
    if _is_mutually_singular(negative, positive):
        return np.asarray(high - low)
    ranking = _ranking(negative, positive)
    levels = ranking.level_at(positive, np.array([low, high]))
    return ranking.expectation(
        negative, lambda x: _mean_clipped_rank(ranking, positive, x, low, high) - low, levels, float(high - low)
    )


def likelihood_ratio_roc_points(
    negative: Distribution, positive: Distribution, points: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Give the likelihood ratio, FPR and TPR of rules spread over both classes, from (0, 0) to (1, 1)."""
    if _is_mutually_singular(negative, positive):
        return np.array([np.inf, np.inf, 0.0]), np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 1.0])
    ranking = _ranking(negative, positive)
    shares = [ndtr(np.linspace(-_REACH, _REACH, count)) for count in ((points - 1) // 2, (points - 2) // 2)]
    columns = [(table[0], table[1]) for table in (ranking.tail_table(d) for d in (negative, positive))]
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
    top = ranking.upper_tail(positive, np.asarray(_MAX_LOG_RATIO), ties=1.0)
    end = ranking.upper_tail(negative, np.asarray(-_MAX_LOG_RATIO), ties=0.0)
    ends = ([np.inf, np.inf], [0.0, 0.0]), ([0.0, 0.0], [end, 1.0]), ([0.0, top], [1.0, 1.0])
    whole = [np.concatenate([a, part, z]) for part, (a, z) in zip((levels, fpr, tpr), ends, strict=True)]
    moves = np.concatenate([[True], (np.diff(whole[1]) > 0) | (np.diff(whole[2]) > 0)])
    return whole[0][moves], whole[1][moves], whole[2][moves]


def _rule(
    negative: Distribution, positive: Distribution, edges: FloatArray, *, starts_positive: bool
) -> TwoThresholdRule:
    """Give the rule that changes sides at every edge."""
    cuts = np.concatenate([[-np.inf], edges, [np.inf]])
    odd = np.arange(len(cuts) - 1) % 2 == 1
    chosen = ~odd if starts_positive else odd
    shares = [interval_probability(d, cuts[:-1], cuts[1:]) for d in (positive, negative)]
    tpr, fpr = (np.asarray(share[chosen].sum()) for share in shares)
    fnr, tnr = (np.asarray(share[~chosen].sum()) for share in shares)
    return TwoThresholdRule(*summarize_rule(edges, starts_positive=starts_positive), edges, tpr, fpr, tnr, fnr)


def _ranking(negative: Distribution, positive: Distribution) -> LikelihoodRatioRanking:
    _check_same_type(negative, positive)
    return likelihood_ratio_ranking(negative, positive)


def _is_mutually_singular(negative: Distribution, positive: Distribution) -> bool:
    """Tell whether one class alone has single values: they have no probability in a density, and give it away."""
    return is_discrete(negative) != is_discrete(positive)


def _check_same_type(negative: Distribution, positive: Distribution) -> None:
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


def _mean_clipped_rank(
    ranking: LikelihoodRatioRanking, d: Distribution, x: FloatArray, low: FloatArray, high: FloatArray
) -> FloatArray:
    """Give the mean place of x among a class by its ratio, as a rate kept in a band; ties spread evenly."""
    at = ranking.level(x)
    start = ranking.upper_tail(d, at, ties=0.0)
    if not ranking.has_ties:
        return np.clip(start, low, high)
    end = ranking.upper_tail(d, at, ties=1.0)
    width = end - start
    inside = np.clip(start, low, high), np.clip(end, low, high)
    below, beyond = np.clip(low - start, 0, width) * low, np.clip(end - high, 0, width) * high
    whole = below + beyond + (inside[1] - inside[0]) * (inside[0] / 2 + inside[1] / 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(width > 0, whole / width, np.clip(start, low, high))
