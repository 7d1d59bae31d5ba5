"""Base class for distributions of a feature in one class."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike

from rocpredict.base.results import Result
from rocpredict.base.validation import (
    FloatArray,
    Value,
    broadcast_arrays,
    check_probabilities,
    check_real,
    to_scalar,
)

LOG_SQRT_2PI = 0.9189385332046727418


class Atoms(NamedTuple):
    """Point masses of a distribution.

    Attributes
    ----------
    points : array of shape (k,)
        Values with positive probability, in ascending order.
    masses : array of shape (k,)
        Probability of each value in ``points``.
    """

    points: FloatArray
    masses: FloatArray


class Distribution(Result, ABC, Generic[Value]):
    """Distribution of a feature in one class.

    A distribution has a continuous part, point masses, or both. All methods accept scalars and arrays, which are
    broadcast against ``shape``. The lower tail probabilities are ``cdf`` and ``cdf_strict``, and the upper tail
    probabilities are ``sf`` and ``sf_inclusive``. A point mass at x is included in ``cdf`` and ``sf_inclusive``, and
    excluded from ``cdf_strict`` and ``sf``. Each tail probability is computed directly, not as 1 minus the
    opposite tail probability, so small probabilities keep full relative accuracy. The rule "positive when x >=
    threshold" uses ``sf_inclusive`` and ``cdf_strict``.

    Notes
    -----
    A subclass defines ``_cdf``, ``_sf``, ``_logpdf``, ``_ppf`` and ``_isf``. These methods receive validated float64
    arrays and return arrays of the same shape. A subclass with point masses also defines ``_cdf_strict``,
    ``_sf_inclusive`` and ``atoms``. A subclass can override ``_pdf`` and ``reflect`` if the inherited methods are slow
    or imprecise. If a subclass is a dataclass, two of its instances are equal if all of their fields are equal.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Rayleigh(Distribution):
    ...     scale: float
    ...
    ...     def _cdf(self, x):
    ...         return -np.expm1(-((np.maximum(x, 0) / self.scale) ** 2) / 2)
    ...
    ...     def _sf(self, x):
    ...         return np.exp(-((np.maximum(x, 0) / self.scale) ** 2) / 2)
    ...
    ...     def _logpdf(self, x):
    ...         with np.errstate(divide="ignore"):
    ...             return np.log(np.maximum(x, 0)) - 2 * np.log(self.scale) - (x / self.scale) ** 2 / 2
    ...
    ...     def _ppf(self, q):
    ...         return self.scale * np.sqrt(-2 * np.log1p(-q))
    ...
    ...     def _isf(self, q):
    ...         return self.scale * np.sqrt(-2 * np.log(q))
    >>> Rayleigh(2.0).sf(4)
    0.1353352832366127
    """

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the batch, which has one distribution for each feature; ``()`` for a single feature."""
        return ()

    @overload
    def pdf(self: Distribution[float], x: float) -> float: ...
    @overload
    def pdf(self, x: ArrayLike) -> FloatArray: ...
    def pdf(self, x: ArrayLike) -> float | FloatArray:
        """Return the probability density of the continuous part of the distribution.

        Parameters
        ----------
        x : float or array-like
            Values of the feature. An array must be broadcastable against ``shape``.

        Returns
        -------
        float or array
            Densities; the shapes of ``x`` and of the batch are broadcast together. Point masses are ignored. The
            density is 0 outside the support.
        """
        return to_scalar(self._pdf(self._check_x(x)))

    @overload
    def logpdf(self: Distribution[float], x: float) -> float: ...
    @overload
    def logpdf(self, x: ArrayLike) -> FloatArray: ...
    def logpdf(self, x: ArrayLike) -> float | FloatArray:
        """Return the logarithm of ``pdf``, computed without underflow.

        Parameters
        ----------
        x : float or array-like
            Values of the feature. An array must be broadcastable against ``shape``.

        Returns
        -------
        float or array
            Logarithms of the densities; the shapes of ``x`` and of the batch are broadcast together. The result is -inf
            where the density is 0.
        """
        return to_scalar(self._logpdf(self._check_x(x)))

    @overload
    def cdf(self: Distribution[float], x: float) -> float: ...
    @overload
    def cdf(self, x: ArrayLike) -> FloatArray: ...
    def cdf(self, x: ArrayLike) -> float | FloatArray:
        """Return the cumulative probability P(X <= x).

        Parameters
        ----------
        x : float or array-like
            Values of the feature. An array must be broadcastable against ``shape``.

        Returns
        -------
        float or array
            Probabilities; the shapes of ``x`` and of the batch are broadcast together.
        """
        return to_scalar(self._cdf(self._check_x(x)))

    @overload
    def sf(self: Distribution[float], x: float) -> float: ...
    @overload
    def sf(self, x: ArrayLike) -> FloatArray: ...
    def sf(self, x: ArrayLike) -> float | FloatArray:
        """Return the upper tail probability P(X > x).

        Parameters
        ----------
        x : float or array-like
            Values of the feature. An array must be broadcastable against ``shape``.

        Returns
        -------
        float or array
            Probabilities; the shapes of ``x`` and of the batch are broadcast together.
        """
        return to_scalar(self._sf(self._check_x(x)))

    @overload
    def cdf_strict(self: Distribution[float], x: float) -> float: ...
    @overload
    def cdf_strict(self, x: ArrayLike) -> FloatArray: ...
    def cdf_strict(self, x: ArrayLike) -> float | FloatArray:
        """Return the lower tail probability P(X < x), which excludes a point mass at x.

        Parameters
        ----------
        x : float or array-like
            Values of the feature. An array must be broadcastable against ``shape``.

        Returns
        -------
        float or array
            Probabilities; the shapes of ``x`` and of the batch are broadcast together.
        """
        return to_scalar(self._cdf_strict(self._check_x(x)))

    @overload
    def sf_inclusive(self: Distribution[float], x: float) -> float: ...
    @overload
    def sf_inclusive(self, x: ArrayLike) -> FloatArray: ...
    def sf_inclusive(self, x: ArrayLike) -> float | FloatArray:
        """Return the upper tail probability P(X >= x), which includes a point mass at x.

        Parameters
        ----------
        x : float or array-like
            Values of the feature. An array must be broadcastable against ``shape``.

        Returns
        -------
        float or array
            Probabilities; the shapes of ``x`` and of the batch are broadcast together.
        """
        return to_scalar(self._sf_inclusive(self._check_x(x)))

    @overload
    def ppf(self: Distribution[float], q: float) -> float: ...
    @overload
    def ppf(self, q: ArrayLike) -> FloatArray: ...
    def ppf(self, q: ArrayLike) -> float | FloatArray:
        """Return the quantile for a lower tail probability ``q``: the smallest x with ``cdf(x) >= q``.

        Parameters
        ----------
        q : float or array-like
            Probabilities in [0, 1]. An array must be broadcastable against ``shape``.

        Returns
        -------
        float or array
            Quantiles in the unit of the feature; the shapes of ``q`` and of the batch are broadcast together.
        """
        return to_scalar(self._ppf(self._check_q(q)))

    @overload
    def isf(self: Distribution[float], q: float) -> float: ...
    @overload
    def isf(self, q: ArrayLike) -> FloatArray: ...
    def isf(self, q: ArrayLike) -> float | FloatArray:
        """Return the quantile for an upper tail probability ``q``: the smallest x with ``sf(x) <= q``.

        Parameters
        ----------
        q : float or array-like
            Probabilities in [0, 1]. An array must be broadcastable against ``shape``.

        Returns
        -------
        float or array
            Quantiles in the unit of the feature; the shapes of ``q`` and of the batch are broadcast together.
        """
        return to_scalar(self._isf(self._check_q(q)))

    def atoms(self) -> Atoms:
        """Return the point masses: all values with a positive probability, and their probabilities."""
        return Atoms(np.empty(0), np.empty(0))

    def reflect(self) -> Distribution[Value]:
        """Return the distribution of -X."""
        return ReflectedDistribution(self)

    def _add_grid_axis(self) -> Distribution[Any]:
        """Return the batch with an additional last axis of length 1."""
        raise NotImplementedError

    @abstractmethod
    def _cdf(self, x: FloatArray) -> FloatArray: ...

    @abstractmethod
    def _sf(self, x: FloatArray) -> FloatArray: ...

    @abstractmethod
    def _logpdf(self, x: FloatArray) -> FloatArray: ...

    @abstractmethod
    def _ppf(self, q: FloatArray) -> FloatArray: ...

    @abstractmethod
    def _isf(self, q: FloatArray) -> FloatArray: ...

    @np.errstate(under="ignore")
    def _pdf(self, x: FloatArray) -> FloatArray:
        with np.errstate(over="ignore"):
            return np.asarray(np.exp(self._logpdf(x)))

    def _cdf_strict(self, x: FloatArray) -> FloatArray:
        return self._cdf(x)

    def _sf_inclusive(self, x: FloatArray) -> FloatArray:
        return self._sf(x)

    def _check_x(self, x: ArrayLike) -> FloatArray:
        return self._check_shape("x", check_real("x", x))

    def _check_q(self, q: ArrayLike) -> FloatArray:
        return self._check_shape("q", check_probabilities("q", q))

    def _check_shape(self, name: str, values: FloatArray) -> FloatArray:
        if self.shape:
            broadcast_arrays(**{name: values, "distribution": np.broadcast_to(0.0, self.shape)})
        return values


@dataclass(frozen=True, eq=False, repr=False)
class ReflectedDistribution(Distribution[Value]):
    """Distribution of -X; used for all subclasses of ``Distribution`` that do not override ``reflect``."""

    base: Distribution[Any]
    _heading = "Distribution of -X"

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the batch, which has one distribution for each feature; ``()`` for a single feature."""
        return self.base.shape

    def __getitem__(self, index: Any) -> Distribution[Any]:
        """Return the selected distributions of a batch."""
        batch: Any = self.base
        return ReflectedDistribution(batch[index])

    def _add_grid_axis(self) -> Distribution[Any]:
        return ReflectedDistribution(self.base._add_grid_axis())

    def _pdf(self, x: FloatArray) -> FloatArray:
        return self.base._pdf(-x)

    def _logpdf(self, x: FloatArray) -> FloatArray:
        return self.base._logpdf(-x)

    def _cdf(self, x: FloatArray) -> FloatArray:
        return self.base._sf_inclusive(-x)

    def _sf(self, x: FloatArray) -> FloatArray:
        return self.base._cdf_strict(-x)

    def _cdf_strict(self, x: FloatArray) -> FloatArray:
        return self.base._sf(-x)

    def _sf_inclusive(self, x: FloatArray) -> FloatArray:
        return self.base._cdf(-x)

    def _ppf(self, q: FloatArray) -> FloatArray:
        x, points = np.asarray(self.base._isf(q)), self.base.atoms().points
        if points.size:  # the largest point mass t with P(X >= t) >= q
            following = points[np.minimum(np.searchsorted(points, x, side="right"), len(points) - 1)]
            x = np.where((following > x) & (self.base._sf_inclusive(following) >= q), following, x)
        return -x + 0.0

    def _isf(self, q: FloatArray) -> FloatArray:
        return -np.asarray(self.base._ppf(q)) + 0.0

    def atoms(self) -> Atoms:
        """Return the point masses: all values with a positive probability, and their probabilities."""
        points, masses = self.base.atoms()
        return Atoms(-points[::-1], masses[::-1])

    def reflect(self) -> Distribution[Any]:
        """Return the original distribution, before the reflection."""
        return self.base

    def __repr__(self) -> str:
        return f"-{self.base!r}"


@np.errstate(under="ignore")
def find_smallest_root(
    function: Callable[..., FloatArray], low: FloatArray, high: FloatArray, *args: FloatArray, xatol: float = 0.0
) -> FloatArray:
    """Return the smallest x in each bracket at which the increasing function ``function(x, *args)`` is nonnegative.

    The root is accurate to the resolution of float64, or to ``xatol`` if this is larger. If the function is nonnegative
    in the whole bracket, the lower bound is returned. If it is negative in the whole bracket, the upper bound is
    returned.
    """
    from scipy.optimize.elementwise import find_root

    def nonzero(x: FloatArray, *args: FloatArray) -> FloatArray:
        values = function(x, *args)
        return np.where(values == 0, np.finfo(float).tiny, values)  # zeros count as positive

    result = find_root(
        nonzero,
        (np.nextafter(low, -np.inf), np.nextafter(high, np.inf)),
        args=args,
        tolerances={"xatol": xatol, "xrtol": 2.3e-16, "fatol": 0.0, "frtol": 0.0},
        maxiter=2500,
    )
    (left, right), reached = result.bracket, result.f_bracket[0] >= 0
    middle = left / 2 + right / 2  # one more float may lie inside the bracket
    return np.asarray(np.where(reached, left, np.where(nonzero(middle, *args) >= 0, middle, right)))
