"""Empirical distributions, and the area between an empirical and a predicted ROC curve."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from rocpredict.base.validation import FloatArray, RocPredictError, check_nonnegative, check_real, readonly_array
from rocpredict.distributions.base import Atoms, Distribution

IntArray = NDArray[np.intp]


def count_below(values: FloatArray, queries: FloatArray) -> tuple[IntArray, IntArray]:
    """For each query, count the values below it and the values at or below it.

    Values and queries must be in ascending order. If no query equals a value, both results are the same array object.
    """
    below = np.searchsorted(values, queries, side="left")
    at = values.take(below, mode="clip")
    if not (at == queries).any():
        return below, below
    return below, np.searchsorted(values, queries, side="right")


def count_below_transposed(n_less: IntArray, n_less_equal: IntArray, size: int) -> tuple[IntArray, IntArray]:
    """For each value, count the queries below it and the queries at or below it.

    The counts are computed from the results of ``count_below``; ``size`` is the number of values.
    """
    queries_below = np.cumsum(np.bincount(n_less_equal, minlength=size + 1)[:size])
    if n_less_equal is n_less:
        return queries_below, queries_below
    return queries_below, np.cumsum(np.bincount(n_less, minlength=size + 1)[:size])


def cumulate(values: NDArray[Any]) -> NDArray[Any]:
    """Return the cumulative sums of each row, beginning with 0, as an array of shape (rows, columns + 1).

    Sums of integers are integers; they are computed faster than sums of floats.
    """
    total = np.zeros((len(values), values.shape[1] + 1), dtype=np.result_type(values, np.intp))
    np.cumsum(values, axis=1, out=total[:, 1:])
    return total


@dataclass(frozen=True, eq=False, repr=False)
class Ecdf(Distribution[float]):
    """Empirical distribution of a class, with a point mass at each observation.

    Parameters
    ----------
    sample : array-like of shape (n,)
        Feature values. Infinite values are accepted; NaN is not. Two values are tied only if they are exactly
        equal as floats: 0.1 + 0.2 and 0.3, for example, are not tied.
    weights : array-like of shape (n,), optional
        Nonnegative frequency weights: the number of observations that each value represents. A weight of 2 is
        equivalent to repeating the value. By default, each value is one observation.

    Attributes
    ----------
    total : float
        Sum of the weights; without weights, the number of values.

    Raises
    ------
    RocPredictError
        If the sample is empty or contains NaN, if a weight is negative, if all weights are 0, or if ``sample`` and
        ``weights`` have different lengths.

    Examples
    --------
    >>> values = Ecdf([1, 2, 2, 4])
    >>> values.cdf_strict(2), values.sf_inclusive(2)
    (0.25, 0.75)
    """

    sample: FloatArray
    weights: FloatArray | None = None
    total: float = field(init=False)
    _long = True
    _text = "total={total:g}, {unique_values.size} unique values"
    _heading = "Empirical distribution (Ecdf) of {total:g} observations"

    if TYPE_CHECKING:

        def __init__(self, sample: ArrayLike, weights: ArrayLike | None = None) -> None: ...

    def _columns(self) -> dict[str, Any]:
        return {"value": self.unique_values, "weight": self.unique_weights}

    _compared = _columns

    def __post_init__(self) -> None:
        sample = check_real("sample", self.sample)
        if sample.ndim != 1 or sample.size == 0:
            raise RocPredictError(f"sample has shape {sample.shape}; pass an array of shape (n,) with n >= 1")
        object.__setattr__(self, "sample", readonly_array(sample))
        if self.weights is not None:
            weights = check_nonnegative("weights", self.weights)
            if weights.shape != sample.shape:
                raise RocPredictError(
                    f"weights has shape {weights.shape} but sample has shape {sample.shape}; "
                    "pass one weight for each observation"
                )
            if not weights.any():
                raise RocPredictError("weights are all 0; at least one must be above 0")
            object.__setattr__(self, "weights", readonly_array(weights))
        object.__setattr__(self, "total", float(len(sample) if self.weights is None else self._below[-1]))

    @cached_property
    def order(self) -> IntArray:
        """Indices of the observations in ascending order of their values.

        If these indices have already been computed, ``sorted_sample`` uses them to sort an unweighted sample.
        """
        return np.argsort(self.sample)

    @cached_property
    def sorted_sample(self) -> FloatArray:
        """Values in ascending order; for a weighted sample, only the distinct values with a positive weight."""
        if self.weights is not None:
            return self._unique_with_weights[0]
        ordered = self.sample[self.order] if "order" in vars(self) else np.sort(self.sample)
        ordered += 0.0  # -0.0 and 0.0 are one value
        ordered.flags.writeable = False
        return ordered

    @cached_property
    def sorted_weights(self) -> FloatArray | None:
        """Weight of each value of ``sorted_sample``, or None if the sample has no weights."""
        return None if self.weights is None else self._unique_with_weights[1]

    @cached_property
    def unique_values(self) -> FloatArray:
        """Distinct values with a positive weight, ascending."""
        return self._unique_with_weights[0]

    @cached_property
    def unique_weights(self) -> FloatArray:
        """Weight of each of the ``unique_values``."""
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
        above[0] = self.total  # sums in two orders may differ in the last digit
        return readonly_array(above)

    def _logpdf(self, x: FloatArray) -> FloatArray:
        return np.full(x.shape, -np.inf)

    def _cdf(self, x: FloatArray) -> FloatArray:
        return self._below[np.searchsorted(self.sorted_sample, x, side="right")] / self.total

    def _sf(self, x: FloatArray) -> FloatArray:
        return self.weight_above(x) / self.total

    def _cdf_strict(self, x: FloatArray) -> FloatArray:
        return self.weight_below(x) / self.total

    def _sf_inclusive(self, x: FloatArray) -> FloatArray:
        return self.weight_at_or_above(x) / self.total

    def weight_below(self, x: FloatArray) -> FloatArray:
        """Return the total weight of the values below x."""
        return self._below[np.searchsorted(self.sorted_sample, check_real("x", x), side="left")]

    def split_weight(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the total weight of the values below x, and of the values at or above x."""
        index = np.searchsorted(self.sorted_sample, check_real("x", x), side="left")
        return self._below[index], self._above[index]

    def weight_at_or_above(self, x: FloatArray) -> FloatArray:
        """Return the total weight of the values at or above x."""
        return self._above[np.searchsorted(self.sorted_sample, check_real("x", x), side="left")]

    def weight_above(self, x: FloatArray) -> FloatArray:
        """Return the total weight of the values above x."""
        return self._above[np.searchsorted(self.sorted_sample, check_real("x", x), side="right")]

    def _ppf(self, q: FloatArray) -> FloatArray:
        return self.sorted_sample[np.searchsorted(self._below[1:-1] / self.total, q, side="left")]

    def _isf(self, q: FloatArray) -> FloatArray:
        above = self._above[1:-1][::-1] / self.total
        return self.sorted_sample[len(above) - np.searchsorted(above, q, side="right")]

    def atoms(self) -> Atoms:
        """Return the distinct values and their proportions."""
        return Atoms(self.unique_values, self.unique_weights / self.total)

    def reflect(self) -> Ecdf:
        """Return the distribution of -X."""
        return Ecdf(-self.sample, self.weights)


def mid_rank_weight(sample: Ecdf, below: NDArray[np.intp], to: NDArray[np.intp]) -> FloatArray:
    """Return the mean of two sums of weights.

    The first sum is the total weight of the ``below`` smallest values of the sample, and the second sum is the total
    weight of the ``to`` smallest values.
    """
    if sample.weights is None:
        return below.astype(np.float64) if below is to else (below + to) / 2
    return (sample._below[below] + sample._below[to]) / 2


_MIN_TOTAL_MASS = 1 - 1e-9


def is_discrete(distribution: Distribution) -> bool:
    """Return True if a univariate distribution consists only of point masses."""
    return isinstance(distribution, Ecdf) or bool(distribution.atoms().masses.sum() > _MIN_TOTAL_MASS)


def to_step_functions(negative: Distribution, positive: Distribution) -> tuple[Distribution, Distribution]:
    """Convert two discrete distributions to ``Ecdf`` objects, and return any other pair unchanged."""
    pair = (negative, positive)
    if any(d.shape for d in pair) or not all(is_discrete(d) for d in pair):
        return pair
    stepped = [d if isinstance(d, Ecdf) else Ecdf(*d.atoms()) for d in pair]
    return stepped[0], stepped[1]


N_FPR = 256
"""Number of FPRs at which curves are compared; with a power of 2, float64 represents the FPRs exactly."""
COMPARISON_FPR = (np.arange(N_FPR) + 0.5) / N_FPR
"""FPRs at which curves are compared: the midpoints of ``N_FPR`` equal intervals of [0, 1]."""
FPR_PROBIT = ndtri(COMPARISON_FPR)
MAX_HARMLESS_AREA = 0.02
"""Largest area between two curves that never counts as a misfit."""


def area_between(predicted: FloatArray, empirical: FloatArray) -> FloatArray:
    """Return the mean absolute difference between two arrays of TPRs at ``COMPARISON_FPR``.

    Notes
    -----
    The mean is computed along the last axis. This mean approximates the area between the curves. The approximation is
    not exact, because the empirical curve can have steps between two neighboring FPRs. With 50 observations per class,
    the error is at most 3% of the area. In most samples, the error is at most 1%.
    """
    return np.asarray(np.abs(predicted - empirical).mean(axis=-1))


def empirical_tpr(negative: FloatArray, positive: FloatArray, fpr: FloatArray = COMPARISON_FPR) -> FloatArray:
    """Return the empirical TPR at ascending FPRs in (0, 1).

    Ties between the classes produce diagonal segments of the curve. The values of each class must be an ascending array
    of shape (n,).
    """
    n0 = len(negative)
    at = negative[n0 - 1 - np.minimum((fpr * n0).astype(np.intp), n0 - 1)[::-1]]
    (beyond, reached), (above, from_there) = (_upper_tails(sample, at) for sample in (negative, positive))
    fraction = (fpr[::-1] - beyond) / (reached - beyond)
    return np.asarray((above + fraction * (from_there - above))[::-1])


def _upper_tails(sample: FloatArray, at: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the proportion of a sorted sample above each threshold, and the proportion at or above it."""
    n = len(sample)
    return (n - sample.searchsorted(at, "right")) / n, (n - sample.searchsorted(at, "left")) / n
