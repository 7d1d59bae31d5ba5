"""Piecewise uniform density."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from math import fsum
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rocpredict.base.validation import (
    FloatArray,
    RocPredictError,
    check_finite,
    check_int,
    check_nonnegative,
    check_option,
    short_repr,
)
from rocpredict.base.validation import readonly_array as fixed
from rocpredict.distributions.base import Distribution

_MAX_BINS = 100_000


def check_increasing(edges: FloatArray) -> None:
    """Check that edges increase, by widths that float64 can represent."""
    with np.errstate(over="ignore"):
        widths, span = np.diff(edges), edges[-1] - edges[0]
    if not (widths > 0).all():
        raise RocPredictError(f"edges={short_repr(edges)} do not increase")
    if np.isinf(span) or (widths < np.finfo(float).tiny).any():
        raise RocPredictError(
            f"edges={short_repr(edges)} are further apart or closer together than float64 can represent"
        )


def compute_bin_edges(values: FloatArray, bins: str | int | ArrayLike) -> FloatArray:
    """Return the given edges, or those of equal bins from the smallest value to the largest."""
    if isinstance(bins, Iterable) and not isinstance(bins, str):
        edges = check_finite("bins", bins)
        if edges.ndim != 1 or len(edges) < 2:
            raise RocPredictError(f"bins has shape {edges.shape}; give two edges or more, a number, or 'fd'")
        return edges
    low, high = values.min(), values.max()
    if low == high:
        raise RocPredictError(f"all {values.size} values are {low:g}; a class without spread needs its edges given")
    if isinstance(bins, str):
        check_option("bins", bins, ["fd"])
        return np.linspace(low, high, _freedman_diaconis(values) + 1)
    number = check_int("bins", bins)
    if not 1 <= number <= _MAX_BINS:
        raise RocPredictError(f"bins={number} is not between 1 and {_MAX_BINS}")
    return np.linspace(low, high, number + 1)


def _freedman_diaconis(values: FloatArray) -> int:
    low, high = np.quantile(values / 2, [0.25, 0.75])
    width = 2 * (high - low) / np.cbrt(values.size)  # halves, as are the values: their range may be beyond float64
    if width == 0:
        return int(np.ceil(np.log2(values.size))) + 1
    n_bins = (values.max() / 2 - values.min() / 2) / width
    return int(max(1, np.ceil(min(n_bins, values.size, _MAX_BINS))))


@dataclass(frozen=True, eq=False, repr=False)
class Histogram(Distribution[float]):
    """Histogram of a class: a density that is constant within each bin.

    Parameters
    ----------
    edges : array of shape (k + 1,)
        Ends of the bins in the unit of the feature: finite, ascending, no two equal. Nothing lies beyond.
    counts : array of shape (k,)
        Number of values in each bin, 0 or more, not all 0; fractions are allowed.

    Attributes
    ----------
    total : float
        The sum of the counts.

    Raises
    ------
    RocPredictError
        Edges that are not ascending or not finite, that reach further or lie closer than float64 can tell;
        counts that are negative, all 0, or not one for each bin.

    Notes
    -----
    The density jumps at the edges, and is there that of the fuller side. How far an AUC can lie from that of
    evenly filled bins, whatever the values were: ``rocpredict.solvers.histogram.auc_bounds``.

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
    _heading = "Histogram of {total:g} cases"
    _text = "bins={counts.size}, {_range_text}, total={total:g}"

    if TYPE_CHECKING:

        def __init__(self, edges: ArrayLike, counts: ArrayLike) -> None: ...

    def __post_init__(self) -> None:
        edges, counts = check_finite("edges", self.edges), check_nonnegative("counts", self.counts)
        if edges.ndim != 1 or counts.ndim != 1 or len(edges) != len(counts) + 1 or not len(counts):
            raise RocPredictError(
                f"edges has shape {edges.shape} and counts {counts.shape}; k bins have k + 1 edges, with k of 1 or more"
            )
        check_increasing(edges)
        if not counts.any():
            raise RocPredictError("counts are all 0; a class needs one above 0")
        object.__setattr__(self, "edges", fixed(edges + 0.0))
        object.__setattr__(self, "counts", fixed(counts))
        object.__setattr__(self, "total", fsum(counts.tolist()))

    @classmethod
    def fit(cls, x: ArrayLike, bins: str | int | ArrayLike = "fd") -> Histogram:
        """Fit the counts of bins to a sample.

        Parameters
        ----------
        x : array of shape (n,)
            Finite values of one class.
        bins : {"fd"}, int or array of edges
            ``"fd"``: bins of equal width 2 IQR n^(-1/3) (Freedman and Diaconis 1981) from the smallest value
            to the largest, but no more than there are values; without an IQR as many as Sturges' rule gives. A
            number of equal bins; or the edges, which must enclose all values (a value on an inner edge counts
            above it).

        Raises
        ------
        RocPredictError
            Values that are not finite or outside the edges; no spread where edges are not given; no such bins.

        Examples
        --------
        >>> Histogram.fit([1, 2, 2, 5], bins=2)
        Histogram(bins=2, from 1 to 5, total=4)
        """
        values = check_finite("sample", x)
        if values.ndim != 1 or values.size == 0:
            raise RocPredictError(f"sample has shape {values.shape}; a class needs shape (n,) with n of 1 or more")
        edges = compute_bin_edges(values, bins)
        check_increasing(edges)
        outside = int(np.sum((values < edges[0]) | (values > edges[-1])))
        if outside:
            raise RocPredictError(
                f"{outside} of {values.size} values lie outside the edges from {edges[0]:g} to {edges[-1]:g}; "
                "widen them"
            )
        index = np.minimum(np.searchsorted(edges, values, side="right") - 1, len(edges) - 2)
        return cls(edges, np.bincount(index, minlength=len(edges) - 1))

    @cached_property
    def probabilities(self) -> FloatArray:
        """The probability of each bin."""
        return fixed(self.counts / self.total)

    @cached_property
    def density(self) -> FloatArray:
        """The density within each bin."""
        return fixed(self.probabilities / np.diff(self.edges))

    @cached_property
    def _below(self) -> FloatArray:
        return fixed(np.minimum(np.concatenate([[0.0], np.cumsum(self.counts)]), self.total))

    @cached_property
    def _above(self) -> FloatArray:
        return fixed(np.minimum(np.concatenate([np.cumsum(self.counts[::-1])[::-1], [0.0]]), self.total))

    @cached_property
    def _nonempty_range(self) -> tuple[int, int]:
        """The first and the last bin with a value."""
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
        share = np.clip((q * self.total - self._below[index]) / self.counts[index], 0, 1)
        return self._interpolate_in_bin(index, share, 1 - share)

    def _isf(self, q: FloatArray) -> FloatArray:
        index = len(self.counts) - 1 - np.searchsorted(self._above[:-1][::-1], q * self.total, side="right")
        index = np.clip(index, *self._nonempty_range)
        share = np.clip((q * self.total - self._above[index + 1]) / self.counts[index], 0, 1)
        return self._interpolate_in_bin(index, 1 - share, share)

    def reflect(self) -> Histogram:
        """Return the distribution of -X."""
        return Histogram(-self.edges[::-1], self.counts[::-1])

    def _bin_of(self, x: FloatArray) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """Return the index of the nearest bin, and whether x is in it."""
        index = np.clip(np.searchsorted(self.edges, x, side="right") - 1, 0, len(self.counts) - 1)
        return index, (x >= self.edges[0]) & (x <= self.edges[-1])

    def _interpolate_in_bin(self, index: NDArray[np.intp], below: FloatArray, above: FloatArray) -> FloatArray:
        """Return the value with these fractions of its bin below and above, computed from the nearer edge."""
        low, high = self.edges[index], self.edges[index + 1]
        width = high - low
        return np.asarray(np.clip(np.where(below < above, low + width * below, high - width * above), low, high))

    def _columns(self) -> dict[str, Any]:
        return {"from": self.edges[:-1], "to": self.edges[1:], "count": self.counts, "density": self.density}

    @property
    def _range_text(self) -> str:
        return f"from {self.edges[0]:g} to {self.edges[-1]:g}"
