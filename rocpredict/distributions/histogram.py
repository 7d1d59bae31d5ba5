"""Piecewise uniform density."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import fsum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rocpredict.base.results import Result, ResultSummary, sample_rows
from rocpredict.base.validation import (
    ArrayOrFloat,
    FloatArray,
    RocPredictError,
    check_finite,
    check_int,
    check_nonnegative,
    check_option,
    check_probabilities,
    check_real,
    short_repr,
    to_scalar,
)
from rocpredict.base.validation import readonly_array as fixed
from rocpredict.distributions.base import Atoms

_MAX_BINS = 100_000


def format_range(edges: FloatArray) -> str:
    """Say from where to where edges reach."""
    return f"from {edges[0]:g} to {edges[-1]:g}"


def check_consistent_length(edges: FloatArray, counts: FloatArray) -> None:
    """Refuse edges and counts whose numbers do not fit."""
    if edges.ndim != 1 or counts.ndim != 1 or len(edges) != len(counts) + 1 or not len(counts):
        raise RocPredictError(
            f"edges has shape {edges.shape} and counts {counts.shape}; k bins have k + 1 edges, with k of 1 or more"
        )


def check_increasing(edges: FloatArray) -> None:
    """Refuse edges that do not rise, or between which float64 knows no width."""
    with np.errstate(over="ignore"):
        widths, span = np.diff(edges), edges[-1] - edges[0]
    if not (widths > 0).all():
        raise RocPredictError(f"edges={short_repr(edges)} do not rise from each to the next")
    if np.isinf(span) or (widths < np.finfo(float).tiny).any():
        raise RocPredictError(f"edges={short_repr(edges)} lie further apart or closer together than float64 can tell")


def compute_bin_edges(values: FloatArray, bins: str | int | ArrayLike) -> FloatArray:
    """Give the edges that were asked for, or equal bins from the smallest value to the largest."""
    if not isinstance(bins, str) and np.ndim(bins):
        edges = check_finite("bins", bins)
        if edges.ndim != 1 or len(edges) < 2:
            raise RocPredictError(f"bins has shape {edges.shape}; give two edges or more, a number, or 'fd'")
        return edges
    low, high = values.min(), values.max()
    if low == high:
        raise RocPredictError(f"all {values.size} values are {low:g}; a class without spread needs its edges given")
    return np.linspace(low, high, _number_of_bins(values, bins) + 1)


def _number_of_bins(values: FloatArray, bins: object) -> int:
    if isinstance(bins, str):
        check_option("bins", bins, ["fd"])
        return _freedman_diaconis(values)
    number = check_int("bins", bins)
    if not 1 <= number <= _MAX_BINS:
        raise RocPredictError(f"bins={number} is not between 1 and {_MAX_BINS}")
    return number


def _freedman_diaconis(values: FloatArray) -> int:
    low, high = np.quantile(values / 2, [0.25, 0.75])
    width = 2 * (high - low) / np.cbrt(values.size)  # halves, as are the values: their range may be beyond float64
    if width == 0:
        return int(np.ceil(np.log2(values.size))) + 1
    needed = (values.max() / 2 - values.min() / 2) / width
    return int(max(1, np.ceil(min(needed, values.size, _MAX_BINS))))


@dataclass(frozen=True, eq=False, repr=False)
class Histogram(Result):
    """Describe the values of a class by how many lie in each bin, evenly spread within it.

    Parameters
    ----------
    edges : array of shape (k + 1,)
        Ends of the bins in the unit of the feature: finite, ascending, no two equal. Nothing lies beyond.
    counts : array of shape (k,)
        How many values each bin holds, 0 or more, not all 0; fractions are allowed.

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

    edges: ArrayOrFloat
    counts: ArrayOrFloat
    total: float = field(init=False)

    def __post_init__(self) -> None:
        edges, counts = check_finite("edges", self.edges), check_nonnegative("counts", self.counts)
        check_consistent_length(edges, counts)
        check_increasing(edges)
        if not counts.any():
            raise RocPredictError("counts are all 0; a class needs one above 0")
        object.__setattr__(self, "edges", fixed(edges + 0.0))
        object.__setattr__(self, "counts", fixed(counts))
        object.__setattr__(self, "total", fsum(counts.tolist()))

    @classmethod
    def fit(cls, x: ArrayLike, bins: str | int | ArrayLike = "fd") -> Histogram:
        """Count a sample into bins.

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
                f"{outside} of {values.size} values lie outside the edges {format_range(edges)}; widen them"
            )
        index = np.minimum(np.searchsorted(edges, values, side="right") - 1, len(edges) - 2)
        return cls(edges, np.bincount(index, minlength=len(edges) - 1))

    @property
    def shape(self) -> tuple[int, ...]:
        """Always ``()``: one feature."""
        return ()

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

    def pdf(self, x: ArrayLike) -> ArrayOrFloat:
        """Give the density: at an edge that of the fuller side."""
        x = check_real("x", x)
        heights = np.concatenate([[0.0], self.density, [0.0]])
        right = heights[np.searchsorted(self.edges, x, side="right")]
        left = heights[np.searchsorted(self.edges, x, side="left")]
        return to_scalar(np.maximum(left, right))

    def logpdf(self, x: ArrayLike) -> ArrayOrFloat:
        """Give the logarithm of the density (-inf in an empty bin)."""
        with np.errstate(divide="ignore"):
            return to_scalar(np.log(self.pdf(x)))

    def cdf(self, x: ArrayLike) -> ArrayOrFloat:
        """Give P(X <= x)."""
        x, index, inside = self._bin_of(x)
        low, width = self.edges[index], np.diff(self.edges)[index]
        within = self._below[index] + self.counts[index] * ((np.where(inside, x, low) - low) / width)
        return to_scalar(np.where(inside, np.minimum(within / self.total, 1), x > self.edges[0]))

    def sf(self, x: ArrayLike) -> ArrayOrFloat:
        """Give P(X > x)."""
        x, index, inside = self._bin_of(x)
        high, width = self.edges[index + 1], np.diff(self.edges)[index]
        within = self._above[index + 1] + self.counts[index] * ((high - np.where(inside, x, high)) / width)
        return to_scalar(np.where(inside, np.minimum(within / self.total, 1), x < self.edges[0]))

    def cdf_strict(self, x: ArrayLike) -> ArrayOrFloat:
        """Give P(X < x)."""
        return self.cdf(x)

    def sf_inclusive(self, x: ArrayLike) -> ArrayOrFloat:
        """Give P(X >= x)."""
        return self.sf(x)

    def ppf(self, q: ArrayLike) -> ArrayOrFloat:
        """Give the smallest x with ``cdf(x) >= q``; the lower end of the first filled bin for 0."""
        target = check_probabilities("q", q) * self.total
        index = np.clip(np.searchsorted(self._below[1:], target, side="left"), *self._nonempty_range)
        share = np.clip((target - self._below[index]) / self.counts[index], 0, 1)
        return to_scalar(self._interpolate_in_bin(index, share))

    def isf(self, q: ArrayLike) -> ArrayOrFloat:
        """Give the smallest x with ``sf(x) <= q``; the lower end of the first filled bin for 1."""
        target = check_probabilities("q", q) * self.total
        index = len(self.counts) - 1 - np.searchsorted(self._above[:-1][::-1], target, side="right")
        index = np.clip(index, *self._nonempty_range)
        share = np.clip((target - self._above[index + 1]) / self.counts[index], 0, 1)
        return to_scalar(self._interpolate_in_bin(index, 1 - share, share))

    def atoms(self) -> Atoms:
        """Give nothing: a bin spreads its values."""
        return Atoms(np.empty(0), np.empty(0))

    def reflect(self) -> Histogram:
        """Give the distribution of -X."""
        return Histogram(-self.edges[::-1], self.counts[::-1])

    def _bin_of(self, x: ArrayLike) -> tuple[FloatArray, NDArray[np.intp], NDArray[np.bool_]]:
        x = check_real("x", x)
        index = np.clip(np.searchsorted(self.edges, x, side="right") - 1, 0, len(self.counts) - 1)
        return x, index, (x >= self.edges[0]) & (x <= self.edges[-1])

    def _interpolate_in_bin(
        self, index: NDArray[np.intp], share: FloatArray, rest: FloatArray | None = None
    ) -> FloatArray:
        """Give the place in a bin that leaves this share of it below, from whichever end is nearer."""
        low, high = self.edges[index], self.edges[index + 1]
        rest = 1 - share if rest is None else rest
        width = high - low
        return np.asarray(np.clip(np.where(share < rest, low + width * share, high - width * rest), low, high))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Histogram):
            return NotImplemented
        return np.array_equal(self.edges, other.edges) and np.array_equal(self.counts, other.counts)

    def __hash__(self) -> int:
        return hash((self.edges.tobytes(), self.counts.tobytes()))

    def _summary(self) -> ResultSummary:
        columns = {"from": self.edges[:-1], "to": self.edges[1:], "count": self.counts, "density": self.density}
        names, rows = sample_rows(columns)
        cut = [f"Bins spread over all {len(self.counts)}."] if len(rows) < len(self.counts) else []
        return ResultSummary(f"Histogram of {self.total:g} cases", rows, names, notes=cut)

    def __repr__(self) -> str:
        return f"Histogram(bins={len(self.counts)}, {format_range(self.edges)}, total={self.total:g})"
