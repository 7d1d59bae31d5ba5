"""Histograms as piecewise uniform densities."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from math import fsum
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rocpredict.base.formatting import pluralize
from rocpredict.base.validation import (
    FloatArray,
    RocPredictError,
    check_finite,
    check_int,
    check_nonnegative,
    check_option,
    readonly_array,
    short_repr,
)
from rocpredict.distributions.base import Distribution

_MAX_BINS = 100_000


def check_increasing(edges: FloatArray) -> None:
    """Check that the bin edges strictly increase and that no bin width is too large or too small for float64."""
    with np.errstate(over="ignore"):
        widths, span = np.diff(edges), edges[-1] - edges[0]
    if not (widths > 0).all():
        raise RocPredictError(f"edges={short_repr(edges)} do not strictly increase; sort them, and omit repeated edges")
    if np.isinf(span) or (widths < np.finfo(float).tiny).any():
        problem = f"edges={short_repr(edges)} have widths that are too large or too small for float64"
        raise RocPredictError(f"{problem}; change the unit of the feature")


def compute_bin_edges(values: FloatArray, bins: str | int | ArrayLike) -> FloatArray:
    """Return ``bins`` if it is an array of edges, else equally spaced edges from the smallest to the largest value."""
    if isinstance(bins, Iterable) and not isinstance(bins, str):
        edges = check_finite("bins", bins)
        if edges.ndim != 1 or len(edges) < 2:
            raise RocPredictError(f"bins has shape {edges.shape}; pass at least two edges, a number of bins, or 'fd'")
        return edges
    low, high = values.min(), values.max()
    if low == high:
        raise RocPredictError(f"all {values.size} values are equal to {low:g}; pass bin edges, such as bins=[0, 1, 2]")
    if isinstance(bins, str):
        check_option("bins", bins, ["fd"])
        return np.linspace(low, high, _freedman_diaconis(values) + 1)
    number = check_int("bins", bins)
    if not 1 <= number <= _MAX_BINS:
        raise RocPredictError(f"bins={number} is not between 1 and {_MAX_BINS}")
    return np.linspace(low, high, number + 1)


def _freedman_diaconis(values: FloatArray) -> int:
    low, high = np.quantile(values / 2, [0.25, 0.75])
    width = 2 * (high - low) / np.cbrt(values.size)  # half of the width, so that a large range does not overflow
    if width == 0:
        return int(np.ceil(np.log2(values.size))) + 1
    n_bins = (values.max() / 2 - values.min() / 2) / width
    return int(max(1, np.ceil(min(n_bins, values.size, _MAX_BINS))))


@dataclass(frozen=True, eq=False, repr=False)
class Histogram(Distribution[float]):
    """Histogram of a class, with a constant density within each bin.

    Parameters
    ----------
    edges : array-like of shape (k + 1,)
        Bin edges in the unit of the feature, finite and strictly increasing. All values of the class lie between the
        first and the last edge.
    counts : array-like of shape (k,)
        Nonnegative number of observations in each bin. At least one count must be positive; fractional counts are
        allowed.

    Attributes
    ----------
    total : float
        Sum of the counts.

    Raises
    ------
    RocPredictError
        If the edges are not finite or not strictly increasing, if a bin width is too large or too small for float64, if
        a count is negative, if all counts are 0, or if the number of counts differs from the number of bins.

    See Also
    --------
    rocpredict.solvers.histogram.auc_bounds : Lowest and highest AUC of data with the same bin counts.

    Notes
    -----
    At an edge, the density is the larger of the densities of the two adjacent bins.

    Examples
    --------
    >>> values = Histogram([0, 1, 3], [1, 3])
    >>> values.cdf(2), values.ppf(0.25)
    (0.625, 1.0)
    """

    edges: FloatArray
    counts: FloatArray
    total: float = field(init=False)
    _long = True
    _heading = "Histogram of {total:g} observations"
    _text = "{counts.size} bins, {_range_text}, total={total:g}"

    if TYPE_CHECKING:

        def __init__(self, edges: ArrayLike, counts: ArrayLike) -> None: ...

    def __post_init__(self) -> None:
        edges, counts = check_finite("edges", self.edges), check_nonnegative("counts", self.counts)
        if edges.ndim != 1 or counts.ndim != 1 or len(edges) != len(counts) + 1 or not len(counts):
            raise RocPredictError(
                f"edges has shape {edges.shape} and counts has shape {counts.shape}; expected (k + 1,) and (k,) "
                "with k >= 1"
            )
        check_increasing(edges)
        if not counts.any():
            raise RocPredictError("counts are all 0; at least one must be above 0")
        object.__setattr__(self, "edges", readonly_array(edges + 0.0))
        object.__setattr__(self, "counts", readonly_array(counts))
        object.__setattr__(self, "total", fsum(counts.tolist()))

    @classmethod
    def fit(cls, x: ArrayLike, bins: str | int | ArrayLike = "fd") -> Histogram:
        """Count the observations of a sample in each bin.

        Parameters
        ----------
        x : array-like of shape (n,)
            Finite values of one class.
        bins : {"fd"}, int or array-like of shape (k + 1,), default="fd"
            - ``"fd"``: bins of equal width 2 IQR n^(-1/3) (Freedman and Diaconis 1981) from the smallest to the
              largest value. The number of bins is at most the number of values. If the IQR is 0, Sturges' rule sets
              the number of bins.
            - int: number of bins of equal width from the smallest to the largest value.
            - array: edges that enclose all values. A value on an inner edge belongs to the bin above it.

        Returns
        -------
        Histogram
            Histogram of the sample.

        Raises
        ------
        RocPredictError
            If a value is not finite or lies outside the edges, if all values are equal and no edges are passed, or if
            ``bins`` is invalid.

        Examples
        --------
        >>> Histogram.fit([1, 2, 2, 5], bins=2)
        Histogram(2 bins, from 1 to 5, total=4)
        """
        values = check_finite("x", x)
        if values.ndim != 1 or values.size == 0:
            raise RocPredictError(f"x has shape {values.shape}; pass an array of shape (n,) with n >= 1")
        edges = compute_bin_edges(values, bins)
        check_increasing(edges)
        outside = int(np.sum((values < edges[0]) | (values > edges[-1])))
        if outside:
            raise RocPredictError(
                f"the edges range from {edges[0]:g} to {edges[-1]:g}, but x has {pluralize(outside, 'value')} "
                f"(of {values.size}) outside this range; pass edges that enclose all values"
            )
        index = np.minimum(np.searchsorted(edges, values, side="right") - 1, len(edges) - 2)
        return cls(edges, np.bincount(index, minlength=len(edges) - 1))

    @cached_property
    def probabilities(self) -> FloatArray:
        """Probability of each bin."""
        return readonly_array(self.counts / self.total)

    @cached_property
    def density(self) -> FloatArray:
        """Density within each bin."""
        return readonly_array(self.probabilities / np.diff(self.edges))

    @cached_property
    def _below(self) -> FloatArray:
        return readonly_array(np.minimum(np.concatenate([[0.0], np.cumsum(self.counts)]), self.total))

    @cached_property
    def _above(self) -> FloatArray:
        return readonly_array(np.minimum(np.concatenate([np.cumsum(self.counts[::-1])[::-1], [0.0]]), self.total))

    @cached_property
    def _nonempty_range(self) -> tuple[int, int]:
        """Indices of the first and the last bin that is not empty."""
        filled = np.flatnonzero(self.counts)
        return int(filled[0]), int(filled[-1])

    def _pdf(self, x: FloatArray) -> FloatArray:
        density = np.concatenate([[0.0], self.density, [0.0]])
        left, right = (density[np.searchsorted(self.edges, x, side=side)] for side in ("left", "right"))
        return np.asarray(np.maximum(left, right))

    def _logpdf(self, x: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore"):
            return np.log(self._pdf(x))

    @np.errstate(under="ignore")
    def _cdf(self, x: FloatArray) -> FloatArray:
        index, inside = self._bin_of(x)
        low, width = self.edges[index], np.diff(self.edges)[index]
        within = self._below[index] + self.counts[index] * ((np.where(inside, x, low) - low) / width)
        return np.asarray(np.where(inside, np.minimum(within / self.total, 1), x > self.edges[0]))

    def _sf(self, x: FloatArray) -> FloatArray:
        index, inside = self._bin_of(x)
        high, width = self.edges[index + 1], np.diff(self.edges)[index]
        within = self._above[index + 1] + self.counts[index] * ((high - np.where(inside, x, high)) / width)
        return np.asarray(np.where(inside, np.minimum(within / self.total, 1), x < self.edges[0]))

    def _ppf(self, q: FloatArray) -> FloatArray:
        index = np.clip(np.searchsorted(self._below[1:], q * self.total, side="left"), *self._nonempty_range)
        fraction = np.clip((q * self.total - self._below[index]) / self.counts[index], 0, 1)
        return self._interpolate_in_bin(index, fraction, 1 - fraction)

    def _isf(self, q: FloatArray) -> FloatArray:
        index = len(self.counts) - 1 - np.searchsorted(self._above[:-1][::-1], q * self.total, side="right")
        index = np.clip(index, *self._nonempty_range)
        fraction = np.clip((q * self.total - self._above[index + 1]) / self.counts[index], 0, 1)
        return self._interpolate_in_bin(index, 1 - fraction, fraction)

    def reflect(self) -> Histogram:
        """Return the distribution of -X."""
        return Histogram(-self.edges[::-1], self.counts[::-1])

    def _bin_of(self, x: FloatArray) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """Return the index of the bin nearest to each value, and a mask of the values that lie in a bin."""
        index = np.clip(np.searchsorted(self.edges, x, side="right") - 1, 0, len(self.counts) - 1)
        return index, (x >= self.edges[0]) & (x <= self.edges[-1])

    def _interpolate_in_bin(self, index: NDArray[np.intp], below: FloatArray, above: FloatArray) -> FloatArray:
        """Return the value that divides a bin into fractions ``below`` and ``above``, computed from the nearer edge."""
        low, high = self.edges[index], self.edges[index + 1]
        width = high - low
        return np.asarray(np.clip(np.where(below < above, low + width * below, high - width * above), low, high))

    def _columns(self) -> dict[str, Any]:
        return {"from": self.edges[:-1], "to": self.edges[1:], "count": self.counts, "density": self.density}

    @property
    def _range_text(self) -> str:
        return f"from {self.edges[0]:g} to {self.edges[-1]:g}"
