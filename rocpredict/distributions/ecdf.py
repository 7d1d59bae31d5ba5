"""The empirical distribution of a sample: a step function."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from rocpredict.arguments import FloatArray, Values, as_fractions, as_not_negative, as_reals, frozen, plain
from rocpredict.distributions.protocol import Atoms
from rocpredict.errors import RocPredictError


@dataclass(frozen=True, eq=False, repr=False)
class Ecdf:
    """Describe the values of a class by the sample itself: every row an atom.

    Parameters
    ----------
    sample : array of shape (n,)
        Values in the unit of the feature; infinities are legal, NaN is not. Values tie when they are
        equal as floats, never within a tolerance (so 0.1 + 0.2 and 0.3 are two values).
    weights : array of shape (n,), optional
        How many rows each value stands for: 0 or more. Integer weights equal repeated rows exactly.

    Attributes
    ----------
    points : array of shape (m,)
        The distinct values with a weight, ascending.
    counts : array of shape (m,)
        The weight at each point.
    total : float
        The sum of the weights; the number of rows when there are none.

    Raises
    ------
    RocPredictError
        An empty sample, NaN, negative weights or none above 0, lengths that differ.

    Examples
    --------
    >>> values = Ecdf([1, 2, 2, 4])
    >>> values.below(2), values.at_or_above(2)
    (0.25, 0.75)
    """

    sample: Values
    weights: Values = None
    points: FloatArray = field(init=False)
    counts: FloatArray = field(init=False)
    total: float = field(init=False)
    _below: FloatArray = field(init=False)
    _above: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        sample = as_reals("sample", self.sample)
        if sample.ndim != 1 or sample.size == 0:
            raise RocPredictError(f"sample has shape {sample.shape}; a class needs shape (n,) with n of 1 or more")
        points, counts = self._tally(sample)
        self._keep(frozen(sample), points, counts)

    def _tally(self, sample: FloatArray) -> tuple[FloatArray, FloatArray]:
        if self.weights is None:
            points, rows = np.unique(sample, return_counts=True)
            return points, rows.astype(np.float64)
        weights = as_not_negative("weights", self.weights)
        if weights.shape != sample.shape:
            raise RocPredictError(f"weights has shape {weights.shape}, sample {sample.shape}; give one for each row")
        if not weights.any():
            raise RocPredictError("weights are all 0; a class needs one above 0")
        object.__setattr__(self, "weights", frozen(weights))
        points, index = np.unique(sample, return_inverse=True)
        summed = np.asarray(np.bincount(index, weights), dtype=np.float64)
        return points[summed > 0], summed[summed > 0]

    def _keep(self, sample: FloatArray, points: FloatArray, counts: FloatArray) -> None:
        below = np.concatenate([[0.0], np.cumsum(counts)])
        above = np.concatenate([np.cumsum(counts[::-1])[::-1], [0.0]])
        above[0] = below[-1]  # sums of weights in two orders may differ in their last digit
        for name, value in {
            "sample": sample,
            "points": frozen(points + 0.0),  # -0.0 and 0.0 are one value
            "counts": frozen(counts),
            "total": float(below[-1]),
            "_below": frozen(below),
            "_above": frozen(above),
        }.items():
            object.__setattr__(self, name, value)

    @property
    def shape(self) -> tuple[int, ...]:
        """Always ``()``: one feature."""
        return ()

    def pdf(self, x: ArrayLike) -> Values:
        """Give 0: an empirical distribution has atoms and no density."""
        return plain(np.zeros(np.shape(as_reals("x", x))))

    def logpdf(self, x: ArrayLike) -> Values:
        """Give -inf, the logarithm of no density."""
        return plain(np.full(np.shape(as_reals("x", x)), -np.inf))

    def cdf(self, x: ArrayLike) -> Values:
        """Give P(X <= x)."""
        return plain(self.weight_to(as_reals("x", x)) / self.total)

    def sf(self, x: ArrayLike) -> Values:
        """Give P(X > x)."""
        return plain(self.weight_above(as_reals("x", x)) / self.total)

    def below(self, x: ArrayLike) -> Values:
        """Give P(X < x)."""
        return plain(self.weight_below(as_reals("x", x)) / self.total)

    def at_or_above(self, x: ArrayLike) -> Values:
        """Give P(X >= x)."""
        return plain(self.weight_from(as_reals("x", x)) / self.total)

    def weight_below(self, x: FloatArray) -> FloatArray:
        """Give the weight of the rows with X < x: a whole number when rows have no weights."""
        return self._below[np.searchsorted(self.points, x, side="left")]

    def weight_to(self, x: FloatArray) -> FloatArray:
        """Give the weight of the rows with X <= x."""
        return self._below[np.searchsorted(self.points, x, side="right")]

    def weight_from(self, x: FloatArray) -> FloatArray:
        """Give the weight of the rows with X >= x."""
        return self._above[np.searchsorted(self.points, x, side="left")]

    def weight_above(self, x: FloatArray) -> FloatArray:
        """Give the weight of the rows with X > x."""
        return self._above[np.searchsorted(self.points, x, side="right")]

    def ppf(self, q: ArrayLike) -> Values:
        """Give the smallest point with ``cdf(x) >= q``."""
        return plain(self.points[np.searchsorted(self._below[1:-1] / self.total, as_fractions("q", q), side="left")])

    def isf(self, q: ArrayLike) -> Values:
        """Give the smallest point with ``sf(x) <= q``."""
        above = self._above[1:-1][::-1] / self.total
        index = len(above) - np.searchsorted(above, as_fractions("q", q), side="right")
        return plain(self.points[index])

    def atoms(self) -> Atoms:
        """Give every distinct value with its share of the sample."""
        return Atoms(self.points, self.counts / self.total)

    def reflect(self) -> Ecdf:
        """Give the distribution of -X."""
        return Ecdf(-self.sample, self.weights)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ecdf):
            return NotImplemented
        return np.array_equal(self.points, other.points) and np.array_equal(self.counts, other.counts)

    def __hash__(self) -> int:
        return hash((self.points.tobytes(), self.counts.tobytes()))

    def __repr__(self) -> str:
        return f"Ecdf(total={self.total:g}, distinct={len(self.points)})"
