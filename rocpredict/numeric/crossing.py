"""Where the densities cross, and the best single threshold."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rocpredict.answers import Optimum
from rocpredict.arguments import FloatArray
from rocpredict.distributions import Distribution
from rocpredict.flags import Flags
from rocpredict.numeric.search import bisect, grid_of, log_ratio, sign_changes

_ROUNDING = 4 * np.finfo(float).eps


def crossings(negative: Distribution, positive: Distribution, log_kappa: FloatArray) -> FloatArray:
    """Give all thresholds where f1 - kappa f0 changes its sign, ascending."""
    grid = grid_of(negative, positive)
    level = log_ratio(negative, positive)
    with np.errstate(invalid="ignore"):  # a price of 0 or infinity is nowhere equal to an infinite ratio
        return sign_changes(lambda x: level(x) - log_kappa, grid, level(grid) - log_kappa)


def best(
    negative: Distribution, positive: Distribution, log_kappa: FloatArray, found: FloatArray | None = None
) -> Optimum:
    """Give the threshold that maximises TPR - kappa FPR: a crossing, an atom, a gap between them or an end.

    Who knows all crossings gives them as ``found``; else they are searched.
    """
    with np.errstate(over="ignore"):
        kappa = float(np.exp(log_kappa))

    def loss(t: FloatArray) -> FloatArray:
        """Give 1 - (TPR - kappa FPR), which keeps its digits when the classes hardly overlap."""
        fnr, fpr = np.asarray(positive.below(t)), np.asarray(negative.at_or_above(t))
        return fnr + kappa * fpr if np.isfinite(kappa) else np.where(fpr > 0, np.inf, fnr)

    found = crossings(negative, positive, log_kappa) if found is None else found
    atoms = np.concatenate([negative.atoms().points, positive.atoms().points])
    ends = np.array([np.inf, -np.inf])
    grid = grid_of(negative, positive)  # serves where the densities are flat, and as a safeguard
    candidates = np.concatenate([found, atoms, np.nextafter(atoms, np.inf), ends, grid])
    losses = np.nan_to_num(loss(candidates), nan=np.inf)
    most = losses.min() * (1 + _ROUNDING)
    threshold = candidates[np.argmax(losses <= most)]
    low, high = _plateau(loss, log_ratio(negative, positive), np.unique(candidates), threshold, most, log_kappa)
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
