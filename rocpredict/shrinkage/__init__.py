"""An estimate between the sample and a model of it, near the sample where the model does not fit."""

from __future__ import annotations

import numpy as np

from rocpredict.arguments import FloatArray
from rocpredict.distributions import Distribution, Ecdf, Gaussian, Shrunk, Transformed
from rocpredict.distributions.gaussian_mixture import GaussianMixture
from rocpredict.distributions.kde import GaussianKde
from rocpredict.shrinkage.estimating import KERNEL, Estimate, estimate

__all__ = ["Estimate", "estimate", "shrunk_pair"]


def shrunk_pair(
    negative: FloatArray, positive: FloatArray, direction: str | None, *, smooth: bool = False
) -> tuple[Distribution, Distribution]:
    """Estimate both classes of one feature.

    Parameters
    ----------
    negative, positive : arrays of shape (n,)
        Finite values, 2 or more.
    direction : {None, "higher", "lower", "auto"}
        "higher" and "lower" are taken as known before these rows.
    smooth : bool
        Whether the model holds a kernel density too.
    """
    classes, lower = (negative, positive), direction == "lower"
    below, above = classes[::-1] if lower else classes
    found = estimate(below[None, :], above[None, :], declared=direction in {"higher", "lower"}, smooth=smooth)
    pair = [_class(found, k, sample, smooth=smooth) for k, sample in enumerate((below, above))]
    return (pair[1], pair[0]) if lower else (pair[0], pair[1])


def _class(found: Estimate, k: int, sample: FloatArray, *, smooth: bool) -> Distribution:
    """Give the lower (0) or the upper (1) class of the first feature."""
    weight, pull = float(found.weighing.weight[0]), float(found.pull[0]) * (1 if k else -1)
    mean, std = float(found.classes[2 * k][0]), float(found.classes[2 * k + 1][0]) or 1.0
    transform = found.powers.transform()
    if smooth:
        rows = found.powers.z[0, -len(sample) :] if k else found.powers.z[0, : len(sample)]
        return Shrunk(Transformed(_half_smooth(mean, std, rows), transform), Ecdf(sample), weight, pull)
    return Shrunk(Transformed(Gaussian(mean, std), transform), Ecdf(sample), weight, pull)


def _half_smooth(mean: float, std: float, rows: FloatArray) -> Gaussian | GaussianMixture:
    """Give a Gaussian and a kernel density in equal parts."""
    if not np.ptp(rows):
        return Gaussian(mean, std)
    kernels = GaussianKde(rows, **KERNEL).components
    weights = np.concatenate([[0.5], kernels.weights / kernels.total / 2])
    return GaussianMixture(weights, np.append(mean, kernels.centres), np.append(std, kernels.stds))
