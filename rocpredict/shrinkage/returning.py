"""From the transformed axis back to the feature, for many features at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rocpredict.arguments import FloatArray
from rocpredict.shrinkage.powers import Powers


def features_of(powers: Powers, which: NDArray[np.intp], z: FloatArray) -> FloatArray:
    """Give the values of features whose transforms these are, as ``PowerTransform.inverse`` of one.

    Parameters
    ----------
    powers : Powers
        Of F features.
    which : array of int, shape (m,)
        The feature of each value.
    z : array of shape (m,)
    """
    power, folded = powers.power[which], ~powers.boxcox[which]
    at = np.stack([powers.logs.min(axis=1), powers.logs.max(axis=1)])[:, which]
    to = np.stack([powers.z.min(axis=1), powers.z.max(axis=1)])[:, which]
    inner = np.clip(z, *to)
    end = np.where(z < inner, *at)
    with np.errstate(over="ignore"):
        beyond = (z - inner) / np.exp(np.where(folded & (end < 0), power - 2, power) * end)
        logs = np.clip(_lowered(inner, power, folded), *at) + np.where(z == inner, 0.0, beyond)
        above = np.exp(logs + np.log(powers.scale[which]))
        about = powers.centre[which] + powers.scale[which] * np.copysign(np.expm1(np.abs(logs)), logs)
    return np.asarray(np.where(folded, about, above))


def _lowered(z: FloatArray, power: FloatArray, folded: NDArray[np.bool_]) -> FloatArray:
    """Give l, whose power z is."""
    below = folded & (z < 0)
    p, sizes = np.where(below, 2 - power, power), np.where(below, -z, z)
    flat = p == 0
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.where(flat, sizes, np.log1p(np.where(flat, 0.0, p * sizes)) / np.where(flat, 1.0, p))
    return np.asarray(np.where(below, -logs, logs))
