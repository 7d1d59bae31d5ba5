"""Two Gaussians turned so that d >= 0, and the rules of their likelihood ratio by one z-score each.

The likelihood ratio of two Gaussians is a function of the distance from one centre alone. So each rule is
known by u, the z-score of its rising threshold; the falling one is the mirror image of u in the centre.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from rocpredict.arguments import FloatArray
from rocpredict.binormal.pair import GRID, between, density, log_ratio, moments_of, scaled
from rocpredict.distributions import Gaussian

_ROUNDS = 100
_CLOSE = 1e-14  # of u; the tangent of the curve makes up for the rest


class Turned(NamedTuple):
    """Two Gaussians with d >= 0: the negative at 0, the positive at d."""

    d: FloatArray
    s0: FloatArray
    s1: FloatArray
    centre0: FloatArray
    """z-scores of the centre in each class; infinite for equal spreads."""
    centre1: FloatArray
    inside: NDArray[np.bool_]
    flipped: NDArray[np.bool_]

    @property
    def point(self) -> NDArray[np.bool_]:
        """Whether a class has no spread."""
        return np.asarray((self.s0 == 0) | (self.s1 == 0))

    @property
    def identical(self) -> NDArray[np.bool_]:
        """Whether both classes have the same distribution."""
        return np.asarray((self.d == 0) & (self.s0 == self.s1))


def turned(negative: Gaussian, positive: Gaussian) -> Turned:
    """Give the distance and the spreads, turned, and the centre in both classes."""
    d, s0, s1 = np.broadcast_arrays(*scaled(*moments_of(negative, positive)))
    distance = np.abs(d)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        square_gap = (s1 - s0) * (s1 + s0)
        centre0, centre1 = -s0 * distance / square_gap, -s1 * distance / square_gap
    equal = s0 == s1
    return Turned(
        distance, s0, s1, np.where(equal, -np.inf, centre0), np.where(equal, -np.inf, centre1), s1 < s0, d < 0
    )


def z_at(rate: FloatArray, centre: FloatArray, inside: NDArray[np.bool_]) -> FloatArray:
    """Give u of the rule that holds this share of a class, by Newton's method kept between two bounds.

    Outside, the upper tail holds at least half of what both hold; inside, at least the share lies above u.
    """
    rate, centre, inside = np.broadcast_arrays(rate, centre, inside)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        low = np.where(inside, -ndtri(np.minimum(1.0, rate + ndtr(-centre))), np.maximum(-ndtri(rate), centre))
        high = np.where(inside, np.minimum(-ndtri(rate), centre), -ndtri(rate / 2))
        low = np.maximum(low, GRID[0])
        u, going = low, np.ones(np.shape(low), dtype=bool)
        for _ in range(_ROUNDS):
            excess = share(u, centre, inside) - rate
            low, high = np.where(excess > 0, u, low), np.where(excess > 0, high, u)
            new = u + excess / (density(u) + density(mirrored(u, centre)))
            new = np.where((new > low) & (new < high), new, low / 2 + high / 2)
            moves = np.abs(new - u) > _CLOSE * (1 + np.abs(new))
            u = np.where(going & np.isfinite(new), new, u)  # who has arrived stays, whatever the neighbours do
            going = going & moves
            if not going.any():
                break
    u = np.where(rate == 0, np.where(inside, centre, np.inf), u)
    return np.where(rate == 1, np.where(inside, -np.inf, centre), u)


def spread_z(share: FloatArray, centre: FloatArray, inside: NDArray[np.bool_]) -> FloatArray:
    """Give u from the corner (0, 0) to (1, 1) as a share goes from 0 to 1: near the rate, at no cost of a search."""
    beyond = ndtr(-centre)
    return np.asarray(-ndtri(np.where(inside, share + (1 - share) * beyond, share * beyond)))


def mirrored(z: FloatArray, centre: FloatArray) -> FloatArray:
    """Give the mirror image in the centre; infinite when that is."""
    with np.errstate(invalid="ignore"):
        return np.where(np.isinf(centre), centre, 2 * centre - z)


def share(z: FloatArray, centre: FloatArray, inside: NDArray[np.bool_]) -> FloatArray:
    """Give how much of a class the rule calls positive."""
    image = mirrored(z, centre)
    return np.where(inside, between(np.minimum(z, image), image), ndtr(-z) + ndtr(image))


def rest(z: FloatArray, centre: FloatArray, inside: NDArray[np.bool_]) -> FloatArray:
    """Give how much of a class it calls negative."""
    image = mirrored(z, centre)
    return np.where(inside, ndtr(z) + ndtr(-image), between(np.minimum(z, image), z))


def z1_of(t: Turned, u: FloatArray) -> FloatArray:
    """Give the z-score in the positive class of a rule known by that in the negative one."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        z = (t.s0 * u - t.d) / t.s1
        return np.where(t.inside, np.minimum(z, t.centre1), np.maximum(z, t.centre1))


def z0_of(t: Turned, v: FloatArray) -> FloatArray:
    """Give the z-score in the negative class of a rule known by that in the positive one."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        z = (t.s1 * v + t.d) / t.s0
        return np.where(t.inside, np.minimum(z, t.centre0), np.maximum(z, t.centre0))


def level_of(t: Turned, u: FloatArray) -> FloatArray:
    """Give the logarithm of the likelihood ratio at u."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        fall = (u * (t.s1 - t.s0) + t.d) / t.s1  # z0 - z1
        return np.asarray(fall * (u - fall / 2) - log_ratio(t.s0, t.s1))
