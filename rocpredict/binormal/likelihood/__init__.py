"""The likelihood-ratio rule along its whole curve: two thresholds that move together."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, owens_t

from rocpredict.answers import TwoSidedRule
from rocpredict.arguments import FloatArray
from rocpredict.binormal.areas import partial_auc_fpr
from rocpredict.binormal.crossing import threshold_at
from rocpredict.binormal.likelihood.rules import proper_rule, two_thresholds
from rocpredict.binormal.likelihood.turned import (
    Turned,
    level_of,
    mirrored,
    rest,
    share,
    spread_z,
    turned,
    z0_of,
    z1_of,
    z_at,
)
from rocpredict.binormal.pair import GRID, each, moments_of, scaled, separation_of
from rocpredict.distributions import Gaussian, with_grid_axis

__all__ = [
    "proper_auc_complement",
    "proper_fpr_at_tpr",
    "proper_partial_auc_fpr",
    "proper_partial_auc_tpr",
    "proper_points",
    "proper_rule",
    "proper_rule_at_fpr",
    "proper_tpr_at_fpr",
]

_REACH = 6.0  # z-scores of the points of a table


def proper_auc_complement(negative: Gaussian, positive: Gaussian) -> FloatArray:
    """Give 1 - AUC of the likelihood-ratio rule, 2 T(D, 2 s0 s1/|s0^2 - s1^2|) with Owen's T."""
    d, s0, s1 = scaled(*moments_of(negative, positive))
    with np.errstate(divide="ignore", invalid="ignore"):
        angle = 2 * (s0 / (s0 + s1)) * (s1 / np.abs(s1 - s0))
        same = (s0 == s1) & (s0 == 0)
        h = np.clip(separation_of(d, s0, s1), GRID[0], GRID[-1])  # T is 0 beyond, and NaN far beyond
        complement = 2 * owens_t(h, np.where(s0 == s1, np.inf, angle))
    return np.where(same, np.where(d == 0, 0.5, 0.0), complement)


def proper_tpr_at_fpr(negative: Gaussian, positive: Gaussian, fpr: FloatArray) -> FloatArray:
    """Give the height of the curve of the likelihood-ratio rule."""
    t = turned(negative, positive)
    u = z_at(fpr, t.centre0, t.inside)
    height = _on_tangent(fpr - share(u, t.centre0, t.inside), share(z1_of(t, u), t.centre1, t.inside), level_of(t, u))
    return _at_ends(t, fpr, height, perfect=1.0)


def proper_fpr_at_tpr(negative: Gaussian, positive: Gaussian, tpr: FloatArray) -> FloatArray:
    """Give the FPR at which that curve reaches a TPR."""
    t = turned(negative, positive)
    v = z_at(tpr, t.centre1, t.inside)
    u = z0_of(t, v)
    place = _on_tangent(tpr - share(v, t.centre1, t.inside), share(u, t.centre0, t.inside), -level_of(t, u))
    return _at_ends(t, tpr, place, perfect=0.0)


def proper_rule_at_fpr(negative: Gaussian, positive: Gaussian, fpr: FloatArray) -> TwoSidedRule:
    """Give the rule with the highest TPR of all with no more than this FPR, as its thresholds."""
    t = turned(negative, positive)
    u = z_at(fpr, t.centre0, t.inside)
    v, sign = z1_of(t, u), np.where(t.flipped, -1.0, 1.0)
    moments = moments_of(negative, positive)
    rising = threshold_at(*moments, sign * u, sign * v)
    falling = threshold_at(*moments, sign * mirrored(u, t.centre0), sign * mirrored(v, t.centre1))
    rates = [part(z, centre, t.inside) for part in (share, rest) for z, centre in ((v, t.centre1), (u, t.centre0))]
    found = [np.minimum(rising, falling), np.maximum(rising, falling), t.inside, *rates[:2], rates[3], rates[2]]
    if t.point.any():
        whole = np.where(t.identical & np.equal(fpr, 1), -1.0, 0.0)
        spreadless = each(two_thresholds, *moments, whole)
        found = [np.where(t.point, there, here) for there, here in zip(spreadless, found, strict=True)]
    found = [np.array(part) for part in np.broadcast_arrays(*found)]
    low, high, inside, *rates = found
    tpr, fpr, tnr, fnr = rates
    return TwoSidedRule(low, high, inside, np.stack([low, high], axis=-1), tpr, fpr, tnr, fnr)


def proper_partial_auc_fpr(negative: Gaussian, positive: Gaussian, low: FloatArray, high: FloatArray) -> FloatArray:
    """Give the area under that curve between two FPRs."""
    t = turned(negative, positive)
    u = [z_at(rate, t.centre0, t.inside) for rate in (low, high)]
    beyond = _share_farther(_Classes(t.d, t.s0, t.s1, t.centre0), _bands((u[0], u[1]), t.centre0, t.inside))
    heights = [share(z1_of(t, end), t.centre1, t.inside) for end in u]
    height = np.where(t.inside, 1 - beyond, beyond)
    height = np.where(np.isnan(beyond), heights[0] / 2 + heights[1] / 2, height)
    chance = np.asarray(low) / 2 + np.asarray(high) / 2
    return np.asarray((high - low) * np.where(t.identical, chance, np.where(t.point, 1.0, height)))


def proper_partial_auc_tpr(negative: Gaussian, positive: Gaussian, low: FloatArray, high: FloatArray) -> FloatArray:
    """Give the area to the right of that curve between two TPRs."""
    t = turned(negative, positive)
    v = [z_at(rate, t.centre1, t.inside) for rate in (low, high)]
    beyond = _share_farther(_Classes(-t.d, t.s1, t.s0, t.centre1), _bands((v[0], v[1]), t.centre1, t.inside))
    heights = [rest(z0_of(t, end), t.centre0, t.inside) for end in v]
    height = np.where(t.inside, beyond, 1 - beyond)
    height = np.where(np.isnan(beyond), heights[0] / 2 + heights[1] / 2, height)
    chance = 1 - (np.asarray(low) / 2 + np.asarray(high) / 2)
    return np.asarray((high - low) * np.where(t.identical, chance, np.where(t.point, 1.0, height)))


def proper_points(negative: Gaussian, positive: Gaussian, points: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Give the likelihood ratio, FPR and TPR of rules spread over both classes, from (0, 0) to (1, 1)."""
    t = turned(with_grid_axis(negative), with_grid_axis(positive))  # type: ignore[arg-type]
    shares = [ndtr(np.linspace(-_REACH, _REACH, count)) for count in ((points - 1) // 2, (points - 2) // 2)]
    u, v = spread_z(shares[0], t.centre0, t.inside), spread_z(shares[1], t.centre1, t.inside)
    z0, z1 = np.concatenate([u, z0_of(t, v)], axis=-1), np.concatenate([z1_of(t, u), v], axis=-1)
    order = np.argsort(-z0, axis=-1, kind="stable")
    z0, z1 = (np.take_along_axis(z, order, axis=-1) for z in (z0, z1))
    with np.errstate(over="ignore"):
        level = np.minimum.accumulate(np.exp(level_of(t, z0)), axis=-1)
    inner = [level, share(z0, t.centre0, t.inside), share(z1, t.centre1, t.inside)]
    if t.point.any():
        inner = _steps_without_spread(t, np.sort(np.concatenate(shares)), inner)
    ends = (np.inf, 0.0), (0.0, 1.0), (0.0, 1.0)
    padded = [_with_ends(column, *end) for column, end in zip(inner, ends, strict=True)]
    return padded[0], padded[1], padded[2]


def _on_tangent(residual: FloatArray, height: FloatArray, log_slope: FloatArray) -> FloatArray:
    """Give the height at a rate next to one on the curve: its slope is the likelihood ratio."""
    with np.errstate(over="ignore", invalid="ignore"):
        step = residual * np.exp(log_slope)
    return np.clip(height + np.where(np.isfinite(step), step, 0.0), 0.0, 1.0)


def _at_ends(t: Turned, rate: FloatArray, height: FloatArray, *, perfect: float) -> FloatArray:
    """Give the height, also at a rate of 0 or 1, and where a class has no spread."""
    height = np.where(t.point, perfect, np.where(np.equal(rate, 0) | np.equal(rate, 1), rate, height))
    return np.where(t.identical, rate, height)


class _Classes(NamedTuple):
    """The class whose rate is given, at 0, and the other one."""

    d: FloatArray
    std: FloatArray
    other_std: FloatArray
    centre: FloatArray


def _bands(
    ends: tuple[FloatArray, FloatArray], centre: FloatArray, inside: NDArray[np.bool_]
) -> tuple[tuple[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]:
    """Give the bands between two rules, above and below the centre, as probabilities in the tail they lie in."""
    mirrors = mirrored(ends[0], centre), mirrored(ends[1], centre)
    upper = [np.where(inside, mirror, z) for mirror, z in zip(mirrors, ends, strict=True)]
    lower = [np.where(inside, z, mirror) for mirror, z in zip(mirrors, ends, strict=True)]
    above, below = (ndtr(-upper[0]), ndtr(-upper[1])), (ndtr(lower[0]), ndtr(lower[1]))
    return (np.minimum(*above), np.maximum(*above)), (np.minimum(*below), np.maximum(*below))


def _share_farther(
    classes: _Classes, bands: tuple[tuple[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]
) -> FloatArray:
    """Give P(a case of the other class lies farther from the centre), for a case in the bands; NaN for empty ones.

    Farther is above it or below its mirror image: four areas in bands of one-threshold curves.
    """
    (d, std, other_std, centre), (upper, lower) = classes, bands
    here = Gaussian(np.zeros_like(d), std)
    near = partial_auc_fpr(here, Gaussian(d, other_std), *upper) + partial_auc_fpr(
        here, Gaussian(-d, other_std), *lower
    )
    with np.errstate(invalid="ignore", over="ignore"):
        shift = 2 * std * centre
        finite = np.isfinite(shift - d)
        shift = np.where(finite, shift - d, 0.0)
    far = partial_auc_fpr(here, Gaussian(shift, other_std), *upper)
    far = far + partial_auc_fpr(here, Gaussian(-shift, other_std), *lower)
    width = (upper[1] - upper[0]) + (lower[1] - lower[0])
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((near + np.where(finite, far, 0.0)) / width)


def _steps_without_spread(t: Turned, shares: FloatArray, inner: list[FloatArray]) -> list[FloatArray]:
    """Give the points of a curve that rises at once and then runs level, or along the chance line."""
    rank, half = np.arange(len(shares)), len(shares) // 2
    up, top = rank < half, rank >= half - 1
    perfect = np.where(up, np.inf, 0.0), np.where(up, 0.0, shares), np.where(top, 1.0, shares)
    chance = np.ones_like(shares), shares, shares
    columns = zip(perfect, chance, inner, strict=True)
    return [np.where(t.point, np.where(t.identical, same, apart), usual) for apart, same, usual in columns]


def _with_ends(column: FloatArray, first: float, last: float) -> FloatArray:
    end = (*column.shape[:-1], 1)
    return np.concatenate([np.full(end, first), column, np.full(end, last)], axis=-1)
