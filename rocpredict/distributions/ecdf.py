"""Empirical distribution of a sample."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rocpredict.base.results import Result, ResultSummary
from rocpredict.base.validation import (
    ArrayOrFloat,
    FloatArray,
    RocPredictError,
    check_nonnegative,
    check_probabilities,
    check_real,
    readonly_array,
    to_scalar,
)
from rocpredict.distributions.base import Atoms, Distribution

Counts = NDArray[np.intp]


def count_below(values: FloatArray, queries: FloatArray) -> tuple[Counts, Counts]:
    """Tell for each query how many of the values lie below it, and how many at or below.

    Parameters
    ----------
    values : array of shape (n,)
        Ascending.
    queries : array of shape (m,)
        Ascending.

    Returns
    -------
    below, to : arrays of shape (m,)
        Where no value is tied with a query they are one and the same array.
    """
    below = np.searchsorted(values, queries, side="left")
    at = values[np.minimum(below, len(values) - 1)]
    if not (at == queries).any():
        return below, below
    return below, np.searchsorted(values, queries, side="right")


def count_below_transposed(n_less: Counts, n_less_equal: Counts, size: int) -> tuple[Counts, Counts]:
    """Tell for each value how many queries lie below it, and how many at or below, from what ``ranks`` gave.

    Parameters
    ----------
    n_less, n_less_equal : arrays of shape (m,)
        Of the queries among the values.
    size : int
        How many values there are.
    """
    queries_below = np.cumsum(np.bincount(n_less_equal, minlength=size + 1)[:size])
    if n_less_equal is n_less:
        return queries_below, queries_below
    return queries_below, np.cumsum(np.bincount(n_less, minlength=size + 1)[:size])


@dataclass(frozen=True, eq=False, repr=False)
class Ecdf(Result):
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
    >>> values.cdf_strict(2), values.sf_inclusive(2)
    (0.25, 0.75)
    """

    sample: ArrayOrFloat
    weights: ArrayOrFloat = None
    total: float = field(init=False)

    def __post_init__(self) -> None:
        sample = check_real("sample", self.sample)
        if sample.ndim != 1 or sample.size == 0:
            raise RocPredictError(f"sample has shape {sample.shape}; a class needs shape (n,) with n of 1 or more")
        object.__setattr__(self, "sample", readonly_array(sample))
        if self.weights is not None:
            object.__setattr__(self, "weights", readonly_array(_check_weights(self.weights, sample.shape)))
        object.__setattr__(self, "total", float(len(sample) if self.weights is None else self._below[-1]))

    @cached_property
    def sorted_sample(self) -> FloatArray:
        """The sample in ascending order; with weights its distinct values."""
        if self.weights is not None:
            return self._unique_with_weights[0]
        ordered = np.sort(self.sample)
        ordered += 0.0  # -0.0 and 0.0 are one value
        ordered.flags.writeable = False
        return ordered

    @cached_property
    def sorted_weights(self) -> FloatArray | None:
        """The weight of each value of ``ordered``; None where each is one row."""
        return None if self.weights is None else self._unique_with_weights[1]

    @cached_property
    def unique_values(self) -> FloatArray:
        """The distinct values with a weight, ascending."""
        return self._unique_with_weights[0]

    @cached_property
    def unique_weights(self) -> FloatArray:
        """The weight at each point."""
        return self._unique_with_weights[1]

    @cached_property
    def _unique_with_weights(self) -> tuple[FloatArray, FloatArray]:
        if self.weights is None:
            new = np.flatnonzero(np.concatenate([[True], self.sorted_sample[1:] != self.sorted_sample[:-1]]))
            return readonly_array(self.sorted_sample[new]), readonly_array(np.diff(new, append=len(self.sorted_sample)))
        points, index = np.unique(self.sample + 0.0, return_inverse=True)
        summed = np.asarray(np.bincount(index, self.weights), dtype=np.float64)
        return readonly_array(points[summed > 0]), readonly_array(summed[summed > 0])

    @cached_property
    def _below(self) -> FloatArray:
        if self.sorted_weights is None:
            return readonly_array(np.arange(len(self.sorted_sample) + 1))
        return readonly_array(np.concatenate([[0.0], np.cumsum(self.sorted_weights)]))

    @cached_property
    def _above(self) -> FloatArray:
        if self.sorted_weights is None:
            return readonly_array(self._below[::-1])
        above = np.concatenate([np.cumsum(self.sorted_weights[::-1])[::-1], [0.0]])
        above[0] = self.total  # sums of weights in two orders may differ in their last digit
        return readonly_array(above)

    @property
    def shape(self) -> tuple[int, ...]:
        """Always ``()``: one feature."""
        return ()

    def pdf(self, x: ArrayLike) -> ArrayOrFloat:
        """Give 0: an empirical distribution has atoms and no density."""
        return to_scalar(np.zeros(np.shape(check_real("x", x))))

    def logpdf(self, x: ArrayLike) -> ArrayOrFloat:
        """Give -inf, the logarithm of no density."""
        return to_scalar(np.full(np.shape(check_real("x", x)), -np.inf))

    def cdf(self, x: ArrayLike) -> ArrayOrFloat:
        """Give P(X <= x)."""
        return to_scalar(self.weight_at_or_below(check_real("x", x)) / self.total)

    def sf(self, x: ArrayLike) -> ArrayOrFloat:
        """Give P(X > x)."""
        return to_scalar(self.weight_above(check_real("x", x)) / self.total)

    def cdf_strict(self, x: ArrayLike) -> ArrayOrFloat:
        """Give P(X < x)."""
        return to_scalar(self.weight_below(check_real("x", x)) / self.total)

    def sf_inclusive(self, x: ArrayLike) -> ArrayOrFloat:
        """Give P(X >= x)."""
        return to_scalar(self.weight_at_or_above(check_real("x", x)) / self.total)

    def weight_below(self, x: FloatArray) -> FloatArray:
        """Give the weight of the rows with X < x: a whole number when rows have no weights."""
        return self._below[np.searchsorted(self.sorted_sample, x, side="left")]

    def weight_at_or_below(self, x: FloatArray) -> FloatArray:
        """Give the weight of the rows with X <= x."""
        return self._below[np.searchsorted(self.sorted_sample, x, side="right")]

    def weight_at_or_above(self, x: FloatArray) -> FloatArray:
        """Give the weight of the rows with X >= x."""
        return self._above[np.searchsorted(self.sorted_sample, x, side="left")]

    def weight_above(self, x: FloatArray) -> FloatArray:
        """Give the weight of the rows with X > x."""
        return self._above[np.searchsorted(self.sorted_sample, x, side="right")]

    def mid_rank_weight(self, below: NDArray[np.intp], to: NDArray[np.intp]) -> FloatArray:
        """Give the weight of the first ``below`` values of ``ordered``, and half of those from there up to ``to``."""
        if self.weights is None:
            return below.astype(np.float64) if below is to else (below + to) / 2
        return (self._below[below] + self._below[to]) / 2

    def ppf(self, q: ArrayLike) -> ArrayOrFloat:
        """Give the smallest point with ``cdf(x) >= q``."""
        return to_scalar(
            self.sorted_sample[
                np.searchsorted(self._below[1:-1] / self.total, check_probabilities("q", q), side="left")
            ]
        )

    def isf(self, q: ArrayLike) -> ArrayOrFloat:
        """Give the smallest point with ``sf(x) <= q``."""
        above = self._above[1:-1][::-1] / self.total
        index = len(above) - np.searchsorted(above, check_probabilities("q", q), side="right")
        return to_scalar(self.sorted_sample[index])

    def atoms(self) -> Atoms:
        """Give every distinct value with its share of the sample."""
        return Atoms(self.unique_values, self.unique_weights / self.total)

    def reflect(self) -> Ecdf:
        """Give the distribution of -X."""
        return Ecdf(-self.sample, self.weights)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ecdf):
            return NotImplemented
        return np.array_equal(self.unique_values, other.unique_values) and np.array_equal(
            self.unique_weights, other.unique_weights
        )

    def __hash__(self) -> int:
        return hash((self.unique_values.tobytes(), self.unique_weights.tobytes()))

    def _summary(self) -> ResultSummary:
        ends = [["minimum", self.unique_values[0]], ["maximum", self.unique_values[-1]]]
        return ResultSummary(
            "Sample (Ecdf)", [["cases", self.total], ["different values", len(self.unique_values)], *ends]
        )

    def __repr__(self) -> str:
        return f"Ecdf(total={self.total:g}, n_unique={len(self.unique_values)})"


def _check_weights(weights: ArrayOrFloat, shape: tuple[int, ...]) -> FloatArray:
    checked = check_nonnegative("weights", weights)
    if checked.shape != shape:
        raise RocPredictError(f"weights has shape {checked.shape}, sample {shape}; give one for each row")
    if not checked.any():
        raise RocPredictError("weights are all 0; a class needs one above 0")
    return checked


_TOTAL_MASS_TOL = 1 - 1e-9


def is_discrete(distribution: Distribution) -> bool:
    """Tell a distribution of one feature whose whole probability lies on single values."""
    return isinstance(distribution, Ecdf) or bool(distribution.atoms().masses.sum() > _TOTAL_MASS_TOL)


def to_step_functions(negative: Distribution, positive: Distribution) -> tuple[Distribution, Distribution]:
    """Return two distributions of single values as the step functions that they are, any other pair as it is."""
    pair = (negative, positive)
    if any(d.shape for d in pair) or not all(is_discrete(d) for d in pair):
        return pair
    stepped = [d if isinstance(d, Ecdf) else Ecdf(*d.atoms()) for d in pair]
    return stepped[0], stepped[1]
