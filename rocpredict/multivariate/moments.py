"""Means and covariances of two classes, each feature in a unit of its own spread."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.linalg import eigh

from rocpredict.arguments import FloatArray, as_finite, as_pair, shown
from rocpredict.distributions import Gaussian
from rocpredict.errors import RocPredictError
from rocpredict.multivariate.columns import as_names

SINGULAR = 1e-10
"""A variance this small, of features of unit variance, is none: rounding leaves as much."""
_INVOLVED = 1e-6
_ASYMMETRY = 1e-8


class Moments(NamedTuple):
    """Hold the moments of the negative and the positive class.

    Attributes
    ----------
    names : tuple of str
    mean : pair of arrays of shape (p,)
        In the units of the features.
    scale : array of shape (p,)
        sqrt(variance of the negatives + variance of the positives); 1 where that is 0.
    difference : array of shape (p,)
        Of the means, positive - negative, in units of ``scale``.
    covariance : pair of arrays of shape (p, p)
        In units of ``scale``.
    """

    names: tuple[str, ...]
    mean: tuple[FloatArray, FloatArray]
    scale: FloatArray
    difference: FloatArray
    covariance: tuple[FloatArray, FloatArray]

    @classmethod
    def of_samples(cls, samples: tuple[FloatArray, FloatArray], names: tuple[str, ...]) -> Self:
        """Give those of samples of shapes (n0, p) and (n1, p), two rows or more each, ddof 1."""
        fits = [Gaussian.fit(sample) for sample in samples]
        scale = _unit(np.hypot(*(fit.std for fit in fits)))
        deviations = [(sample - fit.mean) / scale for sample, fit in zip(samples, fits, strict=True)]
        negative, positive = (part.T @ part / (len(part) - 1) for part in deviations)
        mean = (fits[0].mean, fits[1].mean)
        return cls(names, mean, scale, (mean[1] - mean[0]) / scale, (negative, positive))

    @classmethod
    def of_stats(cls, mean: Any, covariance: Any, names: Iterable[str] | None) -> Self:
        """Give those of published means and covariances, pairs (negative, positive)."""
        means = [_as_vector(m) for m in as_pair("mean", mean)]
        size = len(means[0])
        if len(means[1]) != size:
            raise RocPredictError(f"mean has {size} features in the negative and {len(means[1])} in the positive class")
        negative, positive = (_as_covariance(c, size) for c in as_pair("covariance", covariance))
        scale = _unit(np.hypot(*(np.sqrt(np.diag(part)) for part in (negative, positive))))
        parts = (negative / scale / scale[:, None], positive / scale / scale[:, None])
        for which, part in zip(("negative", "positive"), parts, strict=True):
            _refuse_impossible(which, part)
        return cls(tuple(as_names(names, size)), (means[0], means[1]), scale, (means[1] - means[0]) / scale, parts)

    @property
    def total(self) -> FloatArray:
        """Give the sum of both covariances: 1 on its diagonal, 0 for a constant feature."""
        return np.asarray(self.covariance[0] + self.covariance[1])

    def ridged(self, ridge: float) -> Moments:
        """Give them with ``ridge`` times the mean variance of each feature added to that of both classes."""
        more = ridge / 2 * np.eye(len(self.scale))
        return self._replace(covariance=(self.covariance[0] + more, self.covariance[1] + more))

    def of_score(self, weights: FloatArray) -> tuple[Gaussian, Gaussian]:
        """Give mean and standard deviation of a weighted sum of the features, in both classes."""
        inner = weights * self.scale
        variances = [max(float(inner @ part @ inner), 0.0) for part in self.covariance]
        means = [float(weights @ mean) for mean in self.mean]
        negative, positive = (Gaussian(m, np.sqrt(v)) for m, v in zip(means, variances, strict=True))
        return negative, positive


def class_covariance(sample: FloatArray, names: tuple[str, ...]) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Give mean, standard deviations and correlations of one class, or refuse those that cannot be inverted."""
    n, p = sample.shape
    if n <= p:
        raise RocPredictError(f"the class has {n} rows with values and X {p} features; {p + 1} rows or more are needed")
    fit = Gaussian.fit(sample)
    constant = [name for name, std in zip(names, fit.std, strict=True) if std == 0]
    if constant:
        raise RocPredictError(f"constant in the class: {_listed(constant)}; leave out what does not vary")
    deviation = (sample - fit.mean) / fit.std
    correlation = deviation.T @ deviation / (n - 1)
    refuse_singular(correlation, names, "the covariance of the class is", ", or use metric='euclidean'")
    return fit.mean, fit.std, correlation


def refuse_constant(moments: Moments) -> None:
    """Refuse features that do not vary within either class."""
    constant = [name for name, own in zip(moments.names, np.diag(moments.total), strict=True) if own == 0]
    if constant:
        raise RocPredictError(f"constant within each class: {_listed(constant)}; leave out what does not vary")


def refuse_singular(total: FloatArray, names: tuple[str, ...], what: str, remedy: str) -> None:
    """Refuse a covariance, in units of its diagonal, under which some combination of features is constant."""
    values, vectors = eigh(total, driver="evd")
    lost = int((values < SINGULAR).sum())
    if lost:
        shares = (vectors[:, :lost] ** 2).sum(axis=1)
        involved = [name for name, share in zip(names, shares, strict=True) if share > _INVOLVED]
        raise RocPredictError(
            f"{what} singular: of {_listed(involved)}, {lost} can be computed from the others; "
            f"leave {lost} of them out{remedy}"
        )


def _unit(spread: FloatArray) -> FloatArray:
    return np.where(spread > 0, spread, 1.0)


def _as_vector(mean: Any) -> FloatArray:
    vector = as_finite("mean", mean)
    if vector.ndim != 1 or not vector.size:
        raise RocPredictError(f"mean has shape {vector.shape} in a class; give one mean for each feature, shape (p,)")
    return vector


def _as_covariance(covariance: Any, size: int) -> FloatArray:
    matrix = as_finite("covariance", covariance)
    if matrix.shape != (size, size):
        raise RocPredictError(f"covariance has shape {matrix.shape} in a class; {size} means need ({size}, {size})")
    variances = np.diag(matrix)
    if (variances < 0).any():
        raise RocPredictError(f"covariance={shown(covariance)} has a negative variance on its diagonal")
    unit = np.sqrt(variances)
    if (np.abs(matrix - matrix.T) > _ASYMMETRY * unit * unit[:, None]).any():
        raise RocPredictError(f"covariance={shown(covariance)} is not symmetric")
    return (matrix + matrix.T) / 2


def _refuse_impossible(which: str, covariance: FloatArray) -> None:
    smallest = float(eigh(covariance, eigvals_only=True)[0])
    if smallest < -_ASYMMETRY:
        raise RocPredictError(
            f"covariance of the {which} class gives some combination of features a negative variance; "
            "digits may have been lost in rounding"
        )


def _listed(names: list[str]) -> str:
    return ", ".join(map(repr, names[:10])) + (f", ... ({len(names)} in all)" if len(names) > 10 else "")
