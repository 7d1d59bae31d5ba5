"""Gaussian distribution."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri

from rocpredict.base.validation import (
    FloatArray,
    RocPredictError,
    Value,
    broadcast_arrays,
    check_finite,
    check_int,
    check_nonnegative,
    check_option,
    check_real,
    readonly_array,
    to_scalar,
)
from rocpredict.distributions.base import LOG_SQRT_2PI, Atoms, Distribution

_HALF_MAX_FLOAT = np.finfo(float).max / 2


@dataclass(frozen=True, eq=False, repr=False)
class Gaussian(Distribution[Value]):
    """Gaussian distribution of a class, for one feature or for a batch of features.

    Parameters
    ----------
    mean : float or array-like of shape F
        Mean, in the unit of the feature.
    std : float or array-like of shape F
        Standard deviation (not the variance), in the unit of the feature. A value of 0 means a point mass at the mean.

    Raises
    ------
    RocPredictError
        If a mean or a standard deviation is not finite, if a standard deviation is negative, or if the shapes of
        ``mean`` and ``std`` cannot be broadcast together.

    Examples
    --------
    >>> Gaussian(4, 3).sf(10)
    0.022750131948179195
    >>> Gaussian(mean=[0.0, 1.0], std=1).cdf(1)
    array([0.84134475, 0.5       ])
    """

    mean: Value
    std: Value
    _text = "mean={mean:.6g}, std={std:.6g}"
    _text_batch = "shape={batch_shape}"

    if TYPE_CHECKING:

        @overload
        def __init__(self: Gaussian[float], mean: float, std: float) -> None: ...
        @overload
        def __init__(self: Gaussian[FloatArray], mean: ArrayLike, std: ArrayLike) -> None: ...
        def __init__(self, mean: Any, std: Any) -> None: ...

    def __post_init__(self) -> None:
        mean, std = broadcast_arrays(mean=check_finite("mean", self.mean), std=check_nonnegative("std", self.std))
        object.__setattr__(self, "mean", to_scalar(readonly_array(mean)))
        object.__setattr__(self, "std", to_scalar(readonly_array(std)))

    @overload
    @classmethod
    def fit(cls, x: Sequence[float], *, ddof: int = 1, weights: ArrayLike | None = None) -> Gaussian[float]: ...
    @overload
    @classmethod
    def fit(cls, x: ArrayLike, *, ddof: int = 1, weights: ArrayLike | None = None) -> Gaussian[Any]: ...
    @classmethod
    def fit(cls, x: ArrayLike, *, ddof: int = 1, weights: ArrayLike | None = None) -> Gaussian[Any]:
        """Estimate the mean and the standard deviation from a sample.

        Parameters
        ----------
        x : array-like of shape (n,) or (n, F)
            Finite values of one class, with one column per feature.
        ddof : {1, 0}, default=1
            The sum of squared deviations is divided by ``n - ddof``. The founding paper uses ``ddof=1``.
        weights : array-like of shape (n,), optional
            Nonnegative frequency weights. By default, each row is one observation.

        Returns
        -------
        Gaussian
            Distribution of one feature, or a batch of shape (F,).

        Raises
        ------
        RocPredictError
            If values are not finite, if there are ``ddof`` or fewer observations, or if ``ddof`` or ``weights``
            is invalid.
        """
        sample = check_finite("x", x)
        if sample.ndim not in (1, 2):
            raise RocPredictError(f"x has shape {sample.shape}; pass an array of shape (n,) or (n, features)")
        check_option("ddof", check_int("ddof", ddof), (0, 1))
        counts = np.ones(len(sample)) if weights is None else check_nonnegative("weights", weights)
        if counts.shape != (len(sample),):
            raise RocPredictError(
                f"weights has shape {counts.shape}; pass one weight for each of the {len(sample)} observations"
            )
        sample, counts = sample[counts > 0], counts[counts > 0]
        total = float(counts.sum())
        if total <= ddof:
            raise RocPredictError(
                f"x has a sample size of {total:g}, but a standard deviation with {ddof=} needs a sample size above "
                f"{ddof}"
            )
        _, exponent = np.frexp(np.abs(sample).max(axis=0))
        scaled = np.ldexp(sample, -exponent)  # neither the sum nor the squares overflow
        fractions = counts / total
        mean = fractions @ scaled
        mean += fractions @ (scaled - mean)
        deviation = scaled - mean
        deviation -= fractions @ deviation  # a mean far from 0 has a larger rounding error than the deviations
        std = np.sqrt(counts @ deviation**2 / (total - ddof))
        constant = (sample == sample[0]).all(axis=0)
        return cls(
            np.where(constant, sample[0], np.ldexp(mean, exponent)), np.where(constant, 0.0, np.ldexp(std, exponent))
        )

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the batch, which has one distribution for each feature; ``()`` for a single feature."""
        return np.shape(self.mean)

    def _logpdf(self, x: FloatArray) -> FloatArray:
        z = self._z(x, at_mean=np.inf)
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            logpdf = -0.5 * z * z - np.log(self.std) - LOG_SQRT_2PI
        return np.where(np.equal(self.std, 0), -np.inf, logpdf)

    def _cdf(self, x: FloatArray) -> FloatArray:
        z = self._z(x, at_mean=np.inf)
        return np.asarray(ndtr(z, out=z))

    def _sf(self, x: FloatArray) -> FloatArray:
        z = self._z(x, at_mean=np.inf)
        return np.asarray(ndtr(np.negative(z, out=z), out=z))

    def _cdf_strict(self, x: FloatArray) -> FloatArray:
        z = self._z(x, at_mean=-np.inf)
        return np.asarray(ndtr(z, out=z))

    def _sf_inclusive(self, x: FloatArray) -> FloatArray:
        z = self._z(x, at_mean=-np.inf)
        return np.asarray(ndtr(np.negative(z, out=z), out=z))

    def _ppf(self, q: FloatArray) -> FloatArray:
        return self._from_z(ndtri(q))

    def _isf(self, q: FloatArray) -> FloatArray:
        return self._from_z(-ndtri(q))

    def atoms(self) -> Atoms:
        """Return the point masses.

        If the standard deviation is 0, there is one point mass, at the mean, with probability 1. Otherwise, there is
        none.
        """
        if self.shape:
            raise RocPredictError(f"atoms() needs one feature; this is a batch of Gaussians of shape {self.shape}")
        points = [self.mean] if self.std == 0 else []
        return Atoms(np.array(points), np.ones(len(points)))

    def reflect(self, where: ArrayLike = True) -> Gaussian[Value]:
        """Return the distribution of -X.

        Parameters
        ----------
        where : bool or array-like of bool of shape F, default=True
            Features to reflect; the other features keep their distribution.

        Returns
        -------
        Gaussian
            Distribution in which the mean of each selected feature has the opposite sign.
        """
        where = check_real("where", where) != 0
        reflected: Gaussian[Any] = Gaussian(np.add(np.where(where, np.negative(self.mean), self.mean), 0.0), self.std)
        return reflected

    def _z(self, x: FloatArray, *, at_mean: float) -> FloatArray:
        """Return (x - mean)/std.

        If std is 0, the result is -inf below the mean, inf above it and ``at_mean`` at the mean.
        """
        mean, std = np.asarray(self.mean), np.asarray(self.std)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            z = np.asarray(x - mean)
            np.divide(z, std, out=z)
            if max(np.abs(x).max(initial=0), np.abs(mean).max(initial=0)) > _HALF_MAX_FLOAT:
                overflowed = np.isinf(x - mean) & np.isfinite(x)
                z = np.where(overflowed, (x / 2 - mean / 2) / (std / 2), z)
        if std.size and std.min() == 0:
            z = np.where((std == 0) & (x == mean), at_mean, z)
        return z

    def _from_z(self, z: FloatArray) -> FloatArray:
        z = np.where(np.equal(self.std, 0), 0.0, z)
        with np.errstate(over="ignore"):
            return np.asarray(self.mean + self.std * z)

    def _add_grid_axis(self) -> Gaussian[Any]:
        return Gaussian(np.asarray(self.mean)[..., None], np.asarray(self.std)[..., None])


def add_grid_axis(distribution: Distribution) -> Distribution:
    """Append an axis of length 1 to a batch, for broadcasting with a grid; return a single distribution unchanged."""
    return distribution._add_grid_axis() if distribution.shape else distribution
