"""The empirical distribution of a sample: a step function."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rocpredict.arguments import FloatArray, Values, as_fractions, as_not_negative, as_reals, frozen, plain
from rocpredict.distributions.protocol import Atoms
from rocpredict.errors import RocPredictError
from rocpredict.rich_results import Rich, Shown


@dataclass(frozen=True, eq=False, repr=False)
class Ecdf(Rich):
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
    total: float = field(init=False)

    def __post_init__(self) -> None:
        sample = as_reals("sample", self.sample)
        if sample.ndim != 1 or sample.size == 0:
            raise RocPredictError(f"sample has shape {sample.shape}; a class needs shape (n,) with n of 1 or more")
        object.__setattr__(self, "sample", frozen(sample))
        if self.weights is not None:
            object.__setattr__(self, "weights", frozen(_checked_weights(self.weights, sample.shape)))
        object.__setattr__(self, "total", float(len(sample) if self.weights is None else self._below[-1]))

    @cached_property
    def ordered(self) -> FloatArray:
        """The sample in ascending order; with weights its distinct values."""
        if self.weights is not None:
            return self._tally[0]
        ordered = np.sort(self.sample)
        ordered += 0.0  # -0.0 and 0.0 are one value
        ordered.flags.writeable = False
        return ordered

    @cached_property
    def ordered_weights(self) -> FloatArray | None:
        """The weight of each value of ``ordered``; None where each is one row."""
        return None if self.weights is None else self._tally[1]

    @cached_property
    def points(self) -> FloatArray:
        """The distinct values with a weight, ascending."""
        return self._tally[0]

    @cached_property
    def counts(self) -> FloatArray:
        """The weight at each point."""
        return self._tally[1]

    @cached_property
    def _tally(self) -> tuple[FloatArray, FloatArray]:
        if self.weights is None:
            new = np.flatnonzero(np.concatenate([[True], self.ordered[1:] != self.ordered[:-1]]))
            return frozen(self.ordered[new]), frozen(np.diff(new, append=len(self.ordered)))
        points, index = np.unique(self.sample + 0.0, return_inverse=True)
        summed = np.asarray(np.bincount(index, self.weights), dtype=np.float64)
        return frozen(points[summed > 0]), frozen(summed[summed > 0])

    @cached_property
    def _below(self) -> FloatArray:
        if self.ordered_weights is None:
            return frozen(np.arange(len(self.ordered) + 1))
        return frozen(np.concatenate([[0.0], np.cumsum(self.ordered_weights)]))

    @cached_property
    def _above(self) -> FloatArray:
        if self.ordered_weights is None:
            return frozen(self._below[::-1])
        above = np.concatenate([np.cumsum(self.ordered_weights[::-1])[::-1], [0.0]])
        above[0] = self.total  # sums of weights in two orders may differ in their last digit
        return frozen(above)

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
        return self._below[np.searchsorted(self.ordered, x, side="left")]

    def weight_to(self, x: FloatArray) -> FloatArray:
        """Give the weight of the rows with X <= x."""
        return self._below[np.searchsorted(self.ordered, x, side="right")]

    def weight_from(self, x: FloatArray) -> FloatArray:
        """Give the weight of the rows with X >= x."""
        return self._above[np.searchsorted(self.ordered, x, side="left")]

    def weight_above(self, x: FloatArray) -> FloatArray:
        """Give the weight of the rows with X > x."""
        return self._above[np.searchsorted(self.ordered, x, side="right")]

    def midweight(self, below: NDArray[np.intp], to: NDArray[np.intp]) -> FloatArray:
        """Give the weight of the first ``below`` values of ``ordered``, and half of those from there up to ``to``."""
        if self.weights is None:
            return below.astype(np.float64) if below is to else (below + to) / 2
        return (self._below[below] + self._below[to]) / 2

    def ppf(self, q: ArrayLike) -> Values:
        """Give the smallest point with ``cdf(x) >= q``."""
        return plain(self.ordered[np.searchsorted(self._below[1:-1] / self.total, as_fractions("q", q), side="left")])

    def isf(self, q: ArrayLike) -> Values:
        """Give the smallest point with ``sf(x) <= q``."""
        above = self._above[1:-1][::-1] / self.total
        index = len(above) - np.searchsorted(above, as_fractions("q", q), side="right")
        return plain(self.ordered[index])

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

    def _shown(self) -> Shown:
        ends = [["minimum", self.points[0]], ["maximum", self.points[-1]]]
        return Shown("Sample (Ecdf)", [["cases", self.total], ["different values", len(self.points)], *ends])

    def __repr__(self) -> str:
        return f"Ecdf(total={self.total:g}, distinct={len(self.points)})"


def _checked_weights(weights: Values, shape: tuple[int, ...]) -> FloatArray:
    checked = as_not_negative("weights", weights)
    if checked.shape != shape:
        raise RocPredictError(f"weights has shape {checked.shape}, sample {shape}; give one for each row")
    if not checked.any():
        raise RocPredictError("weights are all 0; a class needs one above 0")
    return checked
