"""How much better a threshold looks on the rows that chose it than it is.

The best of many thresholds is chosen by the same few means and standard deviations that are then asked how good it is,
and so is the direction. Where the classes hardly differ this is most of what is seen: two equal classes of 30 cases
each show an Ameans of .55 on average.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from rocpredict.arguments import FloatArray, Values
from rocpredict.binormal.crossing import z_scores
from rocpredict.binormal.pair import each

_BLOCK = 256  # features at a time
_DRAWS = 16  # and as many mirrored ones: optimism to about .004 at 30 cases a class


def of_prediction(
    count: tuple[Values, Values], d: FloatArray, s0: FloatArray, s1: FloatArray, free: bool
) -> FloatArray:
    """Give by how much the predicted Ameans exceeds what its threshold achieves, on the average over samples.

    A parametric bootstrap: samples of two Gaussians that differ as much as these classes do *beyond* what chance makes
    classes differ, each with its threshold, its prediction, and what that threshold is worth. It takes a fixed set of
    draws, so that it is a function of its arguments.

    Parameters
    ----------
    count : pair of float or of arrays of shape F
        Cases, 2 or more.
    d, s0, s1 : array of shape F
        Mean of the positives less that of the negatives, and the standard deviations.
    free : bool
        Whether each sample chooses its direction too.
    """
    n0, n1 = (np.broadcast_to(np.asarray(n, dtype=np.float64), d.shape) for n in count)

    def mean_excess(*features: FloatArray) -> tuple[FloatArray]:
        return (_excess(_world(*features), _design(), free).mean(axis=0),)

    with np.errstate(all="ignore"):
        excess = each(mean_excess, d, s0, s1, n0, n1, block=_BLOCK)[0]
        return np.asarray(np.nan_to_num(excess, posinf=0.0, neginf=0.0))


def of_count(count: tuple[Values, Values], z0: FloatArray, z1: FloatArray, ratio: FloatArray) -> FloatArray:
    """Give by how much the Ameans counted at the best threshold exceeds its worth, for classes well apart.

    The threshold moves with each case: by (z^2 + (z^2 - 1)^2/2)/(n H) for a case that lies there, H the slope of the
    log density ratio, and each class has the density g there. Up to a half this is the covariance of the threshold
    with the counted rates, the term in 1/n of the optimism. It grows without bound as the classes become alike.

    Parameters
    ----------
    count : pair of float or of arrays of shape F
    z0, z1 : array of shape F
        Of the best threshold within each class.
    ratio : array of shape F
        Standard deviation of the negatives over that of the positives.
    """
    with np.errstate(all="ignore"):
        pulls = [(z * z + (z * z - 1) ** 2 / 2) / n for z, n in zip((z0, z1), count, strict=True)]
        density = np.exp(-z0 * z0 / 2) / np.sqrt(2 * np.pi)
        return np.asarray(
            np.nan_to_num(density / np.abs(z0 - z1 * ratio) * (pulls[0] + pulls[1]) / 2, nan=0.0, posinf=np.inf)
        )


def _world(d: FloatArray, s0: FloatArray, s1: FloatArray, n0: FloatArray, n1: FloatArray) -> tuple[FloatArray, ...]:
    """Give two Gaussians, 0 and the second mean, that differ less than the sample does by what chance adds."""
    unit = np.sqrt(s0) * np.sqrt(s1)
    gap, ratio = d / unit, np.log(s1) - np.log(s0)
    noise = s0 / s1 / n0 + s1 / s0 / n1
    excess = np.sqrt(np.maximum(gap * gap - noise, 0))
    noise_of_ratio = 0.5 / (n0 - 1) + 0.5 / (n1 - 1)
    shrunk = ratio * np.maximum(1 - noise_of_ratio / (ratio * ratio), 0)
    shrunk = np.where(ratio == 0, 0.0, shrunk)
    return np.copysign(excess, gap), np.exp(-shrunk / 2), np.exp(shrunk / 2), n0, n1


def _excess(world: tuple[FloatArray, ...], draws: FloatArray, free: bool) -> FloatArray:
    """Give what each sample of the world predicts, less what its threshold is worth: shape (samples, features)."""
    draw = draws.T[:, :, None]
    distance, w0, w1, n0, n1 = world
    m0, m1 = draw[0] * w0 / np.sqrt(n0), distance + draw[1] * w1 / np.sqrt(n1)
    s0, s1 = w0 * np.exp(draw[2] / np.sqrt(2 * n0 - 2)), w1 * np.exp(draw[3] / np.sqrt(2 * n1 - 2))
    d = m1 - m0
    side = np.where(d < 0, -1.0, 1.0) if free else 1.0
    z0, z1, _, _ = z_scores(d * side, s0, s1, np.zeros(()))
    predicted = ndtr(z0) + ndtr(-z1)
    threshold = m0 * side + s0 * z0
    achieved = ndtr(threshold / w0) + ndtr((distance * side - threshold) / w1)
    return np.asarray(np.where(np.isfinite(z0), predicted - achieved, 0.0) / 2)


@cache
def _design() -> NDArray[np.float64]:
    """Give draws of four standard normals that fill their space evenly, with mean 0 and covariance 1 exactly."""
    step = 1.1673039782614187  # root of x^5 = x + 1: its powers fill four dimensions most evenly
    uniform = (0.5 + np.outer(np.arange(1, _DRAWS + 1), step ** -np.arange(1.0, 5.0))) % 1
    half = ndtri(uniform)
    draws = np.concatenate([half, -half])
    return np.asarray(draws @ np.linalg.cholesky(np.linalg.inv(draws.T @ draws / len(draws))))
