"""A histogram as a class distribution: even density within each bin."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import fsum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rocpredict.arguments import (
    FloatArray,
    Values,
    as_finite,
    as_fractions,
    as_not_negative,
    as_reals,
    plain,
)
from rocpredict.arguments import frozen as fixed
from rocpredict.distributions.binning import edges_for, refuse_unlike, refuse_unordered, span
from rocpredict.distributions.protocol import Atoms
from rocpredict.errors import RocPredictError
from rocpredict.rich_results import Rich, Shown, spread_rows


@dataclass(frozen=True, eq=False, repr=False)
class Histogram(Rich):
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
    evenly filled bins, whatever the values were: ``rocpredict.closed.histograms.auc_bounds``.

    Examples
    --------
    >>> values = Histogram([0, 1, 3], [1, 3])
    >>> values.cdf(2), values.ppf(0.25)
    (0.625, 1.0)
    """

    edges: Values
    counts: Values
    total: float = field(init=False)

    def __post_init__(self) -> None:
        edges, counts = as_finite("edges", self.edges), as_not_negative("counts", self.counts)
        refuse_unlike(edges, counts)
        refuse_unordered(edges)
        if not counts.any():
            raise RocPredictError("counts are all 0; a class needs one above 0")
        object.__setattr__(self, "edges", fixed(edges + 0.0))
        object.__setattr__(self, "counts", fixed(counts))
        object.__setattr__(self, "total", fsum(counts.tolist()))

    @classmethod
    def fit(cls, sample: ArrayLike, bins: str | int | ArrayLike = "fd") -> Histogram:
        """Count a sample into bins.

        Parameters
        ----------
        sample : array of shape (n,)
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
        values = as_finite("sample", sample)
        if values.ndim != 1 or values.size == 0:
            raise RocPredictError(f"sample has shape {values.shape}; a class needs shape (n,) with n of 1 or more")
        edges = edges_for(values, bins)
        refuse_unordered(edges)
        outside = int(np.sum((values < edges[0]) | (values > edges[-1])))
        if outside:
            raise RocPredictError(f"{outside} of {values.size} values lie outside the edges {span(edges)}; widen them")
        index = np.minimum(np.searchsorted(edges, values, side="right") - 1, len(edges) - 2)
        return cls(edges, np.bincount(index, minlength=len(edges) - 1))

    @property
    def shape(self) -> tuple[int, ...]:
        """Always ``()``: one feature."""
        return ()

    @cached_property
    def shares(self) -> FloatArray:
        """The probability of each bin."""
        return fixed(self.counts / self.total)

    @cached_property
    def density(self) -> FloatArray:
        """The density within each bin."""
        return fixed(self.shares / np.diff(self.edges))

    @cached_property
    def _below(self) -> FloatArray:
        return fixed(np.minimum(np.concatenate([[0.0], np.cumsum(self.counts)]), self.total))

    @cached_property
    def _above(self) -> FloatArray:
        return fixed(np.minimum(np.concatenate([np.cumsum(self.counts[::-1])[::-1], [0.0]]), self.total))

    @cached_property
    def _filled(self) -> tuple[int, int]:
        """The first and the last bin with a value."""
        filled = np.flatnonzero(self.counts)
        return int(filled[0]), int(filled[-1])

    def pdf(self, x: ArrayLike) -> Values:
        """Give the density: at an edge that of the fuller side."""
        x = as_reals("x", x)
        heights = np.concatenate([[0.0], self.density, [0.0]])
        right = heights[np.searchsorted(self.edges, x, side="right")]
        left = heights[np.searchsorted(self.edges, x, side="left")]
        return plain(np.maximum(left, right))

    def logpdf(self, x: ArrayLike) -> Values:
        """Give the logarithm of the density (-inf in an empty bin)."""
        with np.errstate(divide="ignore"):
            return plain(np.log(self.pdf(x)))

    def cdf(self, x: ArrayLike) -> Values:
        """Give P(X <= x)."""
        x, index, inside = self._bin_of(x)
        low, width = self.edges[index], np.diff(self.edges)[index]
        within = self._below[index] + self.counts[index] * ((np.where(inside, x, low) - low) / width)
        return plain(np.where(inside, np.minimum(within / self.total, 1), x > self.edges[0]))

    def sf(self, x: ArrayLike) -> Values:
        """Give P(X > x)."""
        x, index, inside = self._bin_of(x)
        high, width = self.edges[index + 1], np.diff(self.edges)[index]
        within = self._above[index + 1] + self.counts[index] * ((high - np.where(inside, x, high)) / width)
        return plain(np.where(inside, np.minimum(within / self.total, 1), x < self.edges[0]))

    def below(self, x: ArrayLike) -> Values:
        """Give P(X < x)."""
        return self.cdf(x)

    def at_or_above(self, x: ArrayLike) -> Values:
        """Give P(X >= x)."""
        return self.sf(x)

    def ppf(self, q: ArrayLike) -> Values:
        """Give the smallest x with ``cdf(x) >= q``; the lower end of the first filled bin for 0."""
        target = as_fractions("q", q) * self.total
        index = np.clip(np.searchsorted(self._below[1:], target, side="left"), *self._filled)
        share = np.clip((target - self._below[index]) / self.counts[index], 0, 1)
        return plain(self._place(index, share))

    def isf(self, q: ArrayLike) -> Values:
        """Give the smallest x with ``sf(x) <= q``; the lower end of the first filled bin for 1."""
        target = as_fractions("q", q) * self.total
        index = len(self.counts) - 1 - np.searchsorted(self._above[:-1][::-1], target, side="right")
        index = np.clip(index, *self._filled)
        share = np.clip((target - self._above[index + 1]) / self.counts[index], 0, 1)
        return plain(self._place(index, 1 - share, share))

    def atoms(self) -> Atoms:
        """Give nothing: a bin spreads its values."""
        return Atoms(np.empty(0), np.empty(0))

    def reflect(self) -> Histogram:
        """Give the distribution of -X."""
        return Histogram(-self.edges[::-1], self.counts[::-1])

    def _bin_of(self, x: ArrayLike) -> tuple[FloatArray, NDArray[np.intp], NDArray[np.bool_]]:
        x = as_reals("x", x)
        index = np.clip(np.searchsorted(self.edges, x, side="right") - 1, 0, len(self.counts) - 1)
        return x, index, (x >= self.edges[0]) & (x <= self.edges[-1])

    def _place(self, index: NDArray[np.intp], share: FloatArray, rest: FloatArray | None = None) -> FloatArray:
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

    def _shown(self) -> Shown:
        columns = {"from": self.edges[:-1], "to": self.edges[1:], "count": self.counts, "density": self.density}
        names, rows = spread_rows(columns)
        cut = [f"Bins spread over all {len(self.counts)}."] if len(rows) < len(self.counts) else []
        return Shown(f"Histogram of {self.total:g} cases", rows, names, notes=cut)

    def __repr__(self) -> str:
        return f"Histogram(bins={len(self.counts)}, {span(self.edges)}, total={self.total:g})"
