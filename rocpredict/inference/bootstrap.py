"""The stratified bootstrap: resampled classes as counts of each row, many resamples at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from rocpredict.arguments import FloatArray, as_whole, shown
from rocpredict.counting import ranks
from rocpredict.distributions import Ecdf
from rocpredict.errors import RocPredictError

_HELD = 4_000_000  # numbers at a time, so that a chunk of resamples stays small in memory
_FEWEST = 20
_ROUNDING = 1e-12  # of areas that are equal


@dataclass(frozen=True)
class Resampling:
    """Say how resamples are drawn: the same rows, number and seed give the same resamples.

    Attributes
    ----------
    n_resamples : int
    rng : int or numpy Generator
    """

    n_resamples: Any = 2000
    rng: Any = 0

    def __post_init__(self) -> None:
        if as_whole("n_resamples", self.n_resamples) < _FEWEST:
            raise RocPredictError(f"n_resamples={self.n_resamples!r} is too few; give {_FEWEST} or more")

    def generator(self) -> np.random.Generator:
        """Give the source of random numbers: of the seed, or the generator itself."""
        if isinstance(self.rng, np.random.Generator):
            return self.rng
        if self.rng is not None and as_whole("rng", self.rng) < 0:
            raise RocPredictError(f"rng={shown(self.rng)} is negative; give a seed of 0 or more, or a numpy Generator")
        return np.random.default_rng(self.rng)

    def chunks(self, held_each: float) -> Iterator[int]:
        """Give numbers of resamples that sum to all of them, each small enough to hold at once."""
        most = max(1, int(_HELD // max(held_each, 1)))
        for start in range(0, self.n_resamples, most):
            yield min(most, self.n_resamples - start)

    def counts(
        self, weights: tuple[Any, Any], rows: tuple[int, int], held: float = 0
    ) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Give chunks of resamples: how often each row of each class is drawn, shapes (B, rows).

        Parameters
        ----------
        weights : pair of array or None
            How many cases each row stands for; None where it is one.
        rows : pair of int
        held : float
            How many more numbers the caller holds for each resample.
        """
        streams = [np.random.default_rng(seed) for seed in self.generator().integers(0, 2**63, 2)]
        for size in self.chunks(2 * sum(rows) + held):  # a stream for each class: chunks change nothing
            negative, positive = (
                drawn(stream, size, w, n) for stream, w, n in zip(streams, weights, rows, strict=True)
            )
            yield negative, positive


def drawn(rng: np.random.Generator, size: int, weights: Any, rows: int) -> FloatArray:
    """Draw as many cases as there are, with replacement, ``size`` times: counts of shape (size, rows)."""
    if weights is not None:
        total = float(np.sum(weights))
        cases = max(1, round(total))
        return np.asarray(rng.multinomial(cases, weights / total, size) * (total / cases), dtype=np.float64)
    picked: NDArray[np.int64] = rng.integers(0, rows, (size, rows))
    picked += np.arange(size)[:, None] * rows
    return np.bincount(picked.ravel(), minlength=size * rows).reshape(size, rows).astype(np.float64)


def cumulated(counts: FloatArray) -> FloatArray:
    """Give for each number of leading rows the weight that they hold, shape (B, rows + 1)."""
    total = np.zeros((len(counts), counts.shape[1] + 1))
    np.cumsum(counts, axis=1, out=total[:, 1:])
    return total


def resampled_areas(negative: Ecdf, positive: Ecdf, resampling: Resampling) -> FloatArray:
    """Give the area in each resample, shape (n_resamples,)."""
    weights = negative.ordered_weights, positive.ordered_weights
    rows = len(negative.ordered), len(positive.ordered)
    areas = areas_maker(negative, positive)
    return np.concatenate([areas(*counts) for counts in resampling.counts(weights, rows)])


def areas_maker(negative: Ecdf, positive: Ecdf) -> Callable[[FloatArray, FloatArray], FloatArray]:
    """Give the function that takes how often each value of ``ordered`` is drawn, shapes (B, rows), to B areas."""
    below, to = ranks(negative.ordered, positive.ordered)

    def areas(drawn_negative: FloatArray, drawn_positive: FloatArray) -> FloatArray:
        total = cumulated(drawn_negative)
        lower = total.take(below, axis=1)
        if to is not below:
            lower += total.take(to, axis=1)
            lower /= 2
        return np.asarray(np.einsum("ij,ij->i", lower, drawn_positive) / (total[:, -1] * drawn_positive.sum(axis=1)))

    return areas


def percentile_ends(replicates: FloatArray, level: float) -> tuple[float, float]:
    """Give the interval between two quantiles of the replicates (Efron and Tibshirani 1993, section 13.3)."""
    tails = (1 - level) / 2, (1 + level) / 2
    if np.isinf(replicates).any():  # between an infinite value and another there is nothing
        return tuple(float(np.quantile(replicates, t, method="inverted_cdf")) for t in tails)  # type: ignore[return-value]
    low, high = np.quantile(replicates, tails)
    return float(low), float(high)


def bca_ends(replicates: FloatArray, estimate: float, acceleration: float, level: float) -> tuple[float, float]:
    """Give the bias-corrected and accelerated interval (Efron 1987)."""
    tied = np.abs(replicates - estimate) <= _ROUNDING
    below = np.mean(np.where(tied, 0.5, replicates < estimate))
    bias = float(ndtri(np.clip(below, 0.5 / len(replicates), 1 - 0.5 / len(replicates))))
    z = bias + ndtri(np.array([(1 - level) / 2, (1 + level) / 2]))
    low, high = np.quantile(replicates, ndtr(bias + z / (1 - acceleration * z)))
    return float(low), float(high)
