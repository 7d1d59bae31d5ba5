"""One power transform for both classes of each feature, by penalised likelihood."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rocpredict.arguments import FloatArray
from rocpredict.distributions.power import KINDS, PowerTransform, log_share

POWERS = np.arange(-30, 41) / 10
"""The powers tried."""
_AT_ONCE = 2**21  # transformed values held together


class Powers(NamedTuple):
    """Hold the transform of each feature: arrays of shape (F,), and what it makes of the rows."""

    boxcox: NDArray[np.bool_]
    power: FloatArray
    centre: FloatArray
    scale: FloatArray
    logs: FloatArray
    """The rows of both classes on the logarithmic axis, shape (F, n0 + n1)."""
    z: FloatArray
    """The rows transformed, the same shape."""

    def transform(self, feature: int = 0) -> PowerTransform:
        """Give the transform of one feature."""
        logs = self.logs[feature]
        kind = KINDS[0] if self.boxcox[feature] else KINDS[1]
        power, centre, scale = (float(part[feature]) for part in (self.power, self.centre, self.scale))
        return PowerTransform(kind, power, centre, scale, float(logs.min()), float(logs.max()))


def fit_powers(negative: FloatArray, positive: FloatArray, *, only: str | None = None) -> Powers:
    """Fit a common transform to both classes of each feature.

    Parameters
    ----------
    negative, positive : arrays of shape (F, n0) and (F, n1)
        Finite values.
    only : {None, "yeo-johnson"}
        Left out: Box-Cox of x over its geometric mean where all values are above 0; Yeo-Johnson of x over the geometric
        mean of those above 0 where none is negative; else Yeo-Johnson of (x - median)/SD. "yeo-johnson": the last.

    Notes
    -----
    Of the powers -3, -2.9, ... 4 the one is taken that has the highest likelihood of two Gaussian classes, times a
    standard normal density about 1 (Box and Cox 1964, for two groups): -sum_k n_k/2 log var_k + (p - 1) sum l -
    (p - 1)^2/2. A class without spread leaves the power at 1.
    """
    rows, first = np.concatenate([negative, positive], axis=1), negative.shape[1]
    lowest = rows.min(axis=1)
    boxcox = (lowest > 0) & (only is None)
    centre, scale = _centre_and_scale(rows, lowest, centred=(lowest < 0) | (only is not None))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
        u = (rows - centre[:, None]) / scale[:, None]
        ratios = log_share(np.where(boxcox[:, None], rows, 1.0), scale[:, None])
        logs = np.where(boxcox[:, None], ratios, np.sign(u) * np.log1p(np.abs(u)))
    power = np.empty(len(rows))
    step = max(1, _AT_ONCE // (rows.shape[1] * len(POWERS)))
    for start in range(0, len(rows), step):
        part = slice(start, start + step)
        power[part] = _likeliest(logs[part], first, ~boxcox[part])
    return Powers(boxcox, power, centre, scale, logs, _raised(logs, power[:, None], ~boxcox[:, None]))


def _centre_and_scale(
    rows: FloatArray, lowest: FloatArray, *, centred: NDArray[np.bool_]
) -> tuple[FloatArray, FloatArray]:
    """Give what is subtracted and what is divided by."""
    centre, scale = np.zeros(len(rows)), np.ones(len(rows))
    if centred.any():
        chosen = rows[centred]
        centre[centred] = np.median(chosen, axis=1)
        largest = np.maximum(np.abs(chosen).max(axis=1), np.finfo(float).tiny)
        scale[centred] = largest * (chosen / largest[:, None]).std(axis=1, ddof=1)
    if not centred.all():
        chosen = rows[~centred]
        above = chosen > 0
        logs = np.where(above, np.log(np.where(above, chosen, 1.0)), 0.0).sum(axis=1)
        scale[~centred] = np.exp(logs / np.maximum(above.sum(axis=1), 1))
    return centre, np.where(scale > 0, scale, 1.0)


def _likeliest(logs: FloatArray, first: int, folded: NDArray[np.bool_]) -> FloatArray:
    """Give the power with the highest penalised likelihood, for each feature."""
    at_once = max(1, _AT_ONCE // logs.size)
    parts = [POWERS[start : start + at_once] for start in range(0, len(POWERS), at_once)]
    likelihood = np.concatenate([_likelihood(logs, first, folded, powers) for powers in parts], axis=1)
    level = [np.ptp(part, axis=1) == 0 for part in (logs[:, :first], logs[:, first:])]  # whatever rounding says
    known = np.isfinite(likelihood) & ~np.logical_or(*level)[:, None]
    best = np.argmax(np.where(known, likelihood, -np.inf), axis=1)
    return np.where(known.any(axis=1), POWERS[best], 1.0)


def _likelihood(logs: FloatArray, first: int, folded: NDArray[np.bool_], powers: FloatArray) -> FloatArray:
    """Give the penalised log-likelihood of each feature and power: shape (F, powers)."""
    z = _raised(logs[:, None, :], powers[:, None], folded[:, None, None])
    likelihood = np.zeros(z.shape[:2])
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        for part in (z[..., :first], z[..., first:]):
            likelihood -= part.shape[-1] / 2 * np.log(part.var(axis=-1))
        return np.asarray(likelihood + (powers - 1) * logs.sum(axis=1)[:, None] - (powers - 1) ** 2 / 2)


def _raised(logs: FloatArray, power: FloatArray, folded: NDArray[np.bool_]) -> FloatArray:
    """Give z from l; where it is ``folded`` (Yeo-Johnson), negative values have the power 2 - p."""
    below = folded & (logs < 0)
    p, sizes = np.where(below, 2 - power, power), np.where(below, -logs, logs)
    flat = p == 0
    with np.errstate(over="ignore"):
        z = np.where(flat, sizes, np.expm1(p * sizes) / np.where(flat, 1.0, p))
    return np.where(below, -z, z)
