"""Models of both classes without a weight for the sample: Gaussian, transformed Gaussian and kernel density."""

import numpy as np

from benchmarks.fidelity.counted import GRID, Answer
from benchmarks.fidelity.sources import Array
from rocpredict import Gaussian, PredictedRoc
from rocpredict.distributions.base import Distribution
from rocpredict.distributions.normal_sum import GaussianKde
from rocpredict.distributions.power_transform import fit_power_transforms

_POINTS = 401
_REACH = 5.0  # kernel SDs between an outermost observation and the end of the range
_REFINED = 41


def gaussian(negative: Array, positive: Array) -> Answer:
    """Return the curve of two Gaussians with the means and SDs of the samples."""
    moments = [f(part) for part in (negative, positive) for f in (_mean, _std)]
    best = PredictedRoc(Gaussian(*moments[:2]), Gaussian(*moments[2:])).best_threshold()
    return Answer(gaussian_heights(*moments), np.asarray(best.ameans), np.asarray(best.threshold))


def gaussian_heights(m0: Array, s0: Array, m1: Array, s1: Array, *, fpr: Array = GRID) -> Array:
    """Return the TPR of Gaussians of shape (R,) at FPRs."""
    each = [np.repeat(part, len(fpr)) for part in (m0, s0, m1, s1)]
    roc = PredictedRoc(Gaussian(*each[:2]), Gaussian(*each[2:]))
    return np.asarray(roc.tpr_at_fpr(np.tile(fpr, len(m0)))).reshape(-1, len(fpr))


def boxcox(negative: Array, positive: Array) -> Answer:
    """Return the curve of two Gaussians after one transform of both classes."""
    transform, z = fit_power_transforms(negative, positive)
    found = gaussian(z[:, : negative.shape[1]], z[:, negative.shape[1] :])
    return found._replace(threshold=transform.inverse_transform(found.threshold))


def kde(negative: Array, positive: Array) -> Answer:
    """Return the curve of two kernel densities on the transformed scale."""
    (transform, rows), first = fit_power_transforms(negative, positive), negative.shape[1]
    found = [_of_kernels(_kernels(z[:first]), _kernels(z[first:])) for z in rows]
    heights, ameans, threshold = (np.array(part) for part in zip(*found, strict=True))
    return Answer(heights, ameans, transform.inverse_transform(threshold))


def _kernels(sample: Array) -> Distribution:
    """Return a kernel density, or a point mass for a constant sample."""
    if (sample == sample[0]).all():
        return Gaussian(float(sample[0]), 0.0)
    return GaussianKde(sample, bandwidth_factor=2.0, variance_preserving=True)


def _of_kernels(negative: Distribution, positive: Distribution) -> tuple[Array, float, float]:
    at = np.linspace(*_ends(negative, positive), _POINTS)
    fpr, tpr = (np.asarray(d.sf_inclusive(at)) for d in (negative, positive))
    ends = [np.concatenate([[0.0], rate[::-1], [1.0]]) for rate in (fpr, tpr)]
    return np.interp(GRID, *ends), *best_near(negative, positive, at, tpr - fpr)


def _ends(negative: Distribution, positive: Distribution) -> tuple[float, float]:
    """Return the range outside of which both classes have almost no probability."""
    reach = [np.asarray(d.means)[[0, -1]] + _REACH * d.std * np.array([-1, 1]) for d in _spread(negative, positive)]
    points = [np.array([d.mean, d.mean]) for d in (negative, positive) if isinstance(d, Gaussian)]
    ends = np.array([*reach, *points])
    return ends[:, 0].min(), np.nextafter(ends[:, 1].max(), np.inf)


def _spread(*classes: Distribution) -> list[GaussianKde]:
    return [d for d in classes if isinstance(d, GaussianKde)]


def best_near(negative: Distribution, positive: Distribution, at: Array, excess: Array) -> tuple[float, float]:
    """Return the highest Ameans and its threshold, refined between the neighbors of the best grid point."""
    best = int(np.argmax(excess))
    fine = np.linspace(at[max(best - 1, 0)], at[min(best + 1, len(at) - 1)], _REFINED)
    again = np.asarray(positive.sf_inclusive(fine)) - negative.sf_inclusive(fine)
    place = int(np.argmax(again))
    return (1 + max(float(again[place]), float(excess[best]))) / 2, float(
        fine[place] if again[place] >= excess[best] else at[best]
    )


def _mean(sample: Array) -> Array:
    return sample.mean(axis=1)


def _std(sample: Array) -> Array:
    return sample.std(axis=1, ddof=1)
