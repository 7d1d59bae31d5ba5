"""Gaussian kernel density estimate."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from rocpredict.base.results import Result
from rocpredict.base.validation import (
    FloatArray,
    RocPredictError,
    check_finite,
    check_option,
    check_real,
    short_repr,
)
from rocpredict.distributions.ecdf import Ecdf
from rocpredict.distributions.normal_sum import NormalSum, NormalSumDistribution, symmetric_sum

Bandwidth: TypeAlias = Literal["silverman", "scott", "cube-root"]
BANDWIDTH_RULES: tuple[Bandwidth, ...] = get_args(Bandwidth)


@dataclass(frozen=True, eq=False, repr=False)
class GaussianKde(NormalSumDistribution, Result):
    """Gaussian kernel density estimate of a class.

    Parameters
    ----------
    sample : array of shape (n,)
        Values in the unit of the feature, finite, two distinct ones at least.
    bandwidth : {"silverman", "scott", "cube-root"} or float
        The kernels' standard deviation: a rule, or a number above 0 in the unit of the feature.
    bandwidth_factor : float
        Multiplies a rule's bandwidth; a number is taken as it is given.
    variance_preserving : bool
        Shrink the centres towards their mean, so that the blurred sample has the variance of the sample. Without
        it a KDE is wider than its sample by the kernel's variance.
    weights : array of shape (n,), optional
        Number of observations that each value represents: 0 or more. Integer weights equal repeated values exactly.

    Attributes
    ----------
    std : float
        The kernels' standard deviation, in the unit of the feature.
    centres : array of shape (k,)
        The kernels' means, ascending: one for each distinct value.
    components : Components
        The kernels with the number of rows that each stands for.

    Raises
    ------
    RocPredictError
        Fewer than two distinct values, values that are not finite; a bandwidth that is neither a rule nor a number
        above 0; a factor that is not above 0, or one beside a number; weights as ``Ecdf`` refuses them, or of one
        row in all where a standard deviation is needed.

    Notes
    -----
    With n rows of standard deviation s (``ddof=1``) and interquartile range R:
    "silverman" is 0.9 min(s, R/1.34) n^(-1/5), with s alone where R is 0; "scott" 1.06 s n^(-1/5) (both for a good
    density: Silverman 1986, section 3.4); "cube-root" s n^(-1/3), narrower, for a good cdf and so for a ROC curve
    (Azzalini 1981).

    ``variance_preserving`` puts the centres at m + (x - m) sqrt((1 - h^2/s^2) n/(n - 1)) about the mean m: the
    variance of the whole is s^2, whatever the bandwidth h. From h = s on there is one kernel of width s at m, the
    Gaussian of ``Gaussian.fit``.

    References
    ----------
    B. W. Silverman, Density Estimation for Statistics and Data Analysis, Chapman and Hall, 1986.
    A. Azzalini, A note on the estimation of a distribution function and quantiles by a kernel method,
    Biometrika 68 (1981) 326-328.

    Examples
    --------
    >>> density = GaussianKde([3.1, 4.0, 4.2, 5.9, 7.3], bandwidth=0.5)
    >>> density.cdf(4.1)
    0.39548...
    >>> GaussianKde([3.1, 4.0, 4.2, 5.9, 7.3], bandwidth="cube-root").std
    0.9...
    """

    sample: FloatArray
    bandwidth: float | Bandwidth = field(default="silverman", kw_only=True)
    bandwidth_factor: float = field(default=1.0, kw_only=True)
    variance_preserving: bool = field(default=False, kw_only=True)
    weights: FloatArray | None = field(default=None, kw_only=True)
    std: float = field(init=False)
    _tabled = ("std", "variance_preserving")
    _heading = "Kernel density (GaussianKde) of {sample.size} rows"

    if TYPE_CHECKING:

        def __init__(
            self,
            sample: ArrayLike,
            *,
            bandwidth: float | Bandwidth = "silverman",
            bandwidth_factor: float = 1.0,
            variance_preserving: bool = False,
            weights: ArrayLike | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        rows = Ecdf(check_finite("sample", self.sample), self.weights)
        if len(rows.unique_values) < 2:
            raise RocPredictError(
                f"sample has one distinct value, {rows.unique_values[0]:.6g}; a kernel density needs two "
                "(rp.Ecdf or rp.Gaussian takes a class without spread)"
            )
        check_option("variance_preserving", self.variance_preserving, (True, False))
        object.__setattr__(self, "sample", rows.sample)
        object.__setattr__(self, "weights", rows.weights)
        object.__setattr__(
            self, "std", min(self._bandwidth, self._moments[1]) if self.variance_preserving else self._bandwidth
        )

    @cached_property
    def components(self) -> NormalSum:  # type: ignore[override]
        """The kernels."""
        centres, counts = self._rows.unique_values, self._rows.unique_weights
        if self.variance_preserving:
            mean, std = self._moments
            if self.std >= std:
                centres, counts = np.array([mean]), np.array([self._rows.total])
            else:
                ratio, total = self.std / std, self._rows.total
                centres = mean + (centres - mean) * np.sqrt((1 - ratio) * (1 + ratio) * total / (total - 1))
        return NormalSum(counts, centres, np.full(len(centres), self.std))

    @property
    def means(self) -> FloatArray:
        """The kernels' means, ascending."""
        return self.components.means

    def reflect(self) -> GaussianKde:
        """Return the distribution of -X."""
        return GaussianKde(
            -self.sample, bandwidth=self._bandwidth, variance_preserving=self.variance_preserving, weights=self.weights
        )

    @cached_property
    def _rows(self) -> Ecdf:
        return Ecdf(self.sample, self.weights)

    @cached_property
    def _moments(self) -> tuple[float, float]:
        return mean_and_std(self._rows.unique_values, self._rows.unique_weights)

    @cached_property
    def _bandwidth(self) -> float:
        """The bandwidth before it is limited by the standard deviation."""
        factor = _check_positive("bandwidth_factor", self.bandwidth_factor)
        if not isinstance(self.bandwidth, str):
            if factor != 1:
                raise RocPredictError(f"bandwidth_factor={factor:g} multiplies a rule; bandwidth is a number already")
            return _check_positive("bandwidth", self.bandwidth, "; or choose a rule: " + ", ".join(BANDWIDTH_RULES))
        h = factor * _rule_bandwidth(
            check_option("bandwidth", self.bandwidth, BANDWIDTH_RULES), self._rows, self._moments[1]
        )
        return _check_positive("bandwidth", h)

    def __repr__(self) -> str:
        preserving = ", variance_preserving=True" if self.variance_preserving else ""
        return f"GaussianKde({len(self.sample)} rows, std={self.std:.6g}{preserving})"


def mean_and_std(points: FloatArray, counts: FloatArray) -> tuple[float, float]:
    """Compute the mean and the standard deviation (``ddof=1``) of values with frequency weights."""
    total = float(symmetric_sum(counts))
    if not total > 1:
        raise RocPredictError(f"weights sum to {total:g} rows; a standard deviation needs more than 1")
    _, exponent = np.frexp(np.abs(points).max())
    scaled = np.ldexp(points, -exponent)  # so that neither the sum nor the squares overflow
    mean = symmetric_sum(counts * scaled) / total
    mean += symmetric_sum(counts * (scaled - mean)) / total
    deviation = scaled - mean
    deviation -= symmetric_sum(counts * deviation) / total
    std = np.sqrt(symmetric_sum(counts * deviation**2) / (total - 1))
    return float(np.ldexp(mean, exponent)), float(np.ldexp(std, exponent))


def _rule_bandwidth(rule: str, rows: Ecdf, std: float) -> float:
    n = rows.total
    if rule == "cube-root":
        return float(std * n ** (-1 / 3))
    if rule == "scott":
        return float(1.06 * std * n**-0.2)
    quarters = _quantile(rows, np.array([0.25, 0.75]))
    between = float(quarters[1] - quarters[0]) / 1.34
    return float(0.9 * (min(std, between) if between > 0 else std) * n**-0.2)


def _quantile(rows: Ecdf, q: FloatArray) -> FloatArray:
    """Compute interpolated quantiles as ``numpy.quantile``, with frequency weights."""
    place = np.maximum(rows.total - 1, 0) * q
    cumulative = np.cumsum(rows.unique_weights)
    last = len(cumulative) - 1
    low, high = (
        rows.unique_values[np.minimum(np.searchsorted(cumulative, at, "right"), last)]
        for at in (np.floor(place), np.floor(place) + 1)
    )
    return np.asarray(low + (high - low) * (place - np.floor(place)))


def _check_positive(name: str, value: object, hint: str = "") -> float:
    number = check_real(name, value)  # type: ignore[arg-type]
    if number.ndim or not 0 < number < np.inf:
        raise RocPredictError(f"{name}={short_repr(value)} is not a finite number above 0{hint}")
    return float(number)
