"""Weighted normals side by side: their sums, many values and many normals at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from rocpredict.arguments import FloatArray, frozen
from rocpredict.distributions.inverting import Landmarks

_LOG_SQRT_2PI = 0.9189385332046727418
_TOGETHER = 512  # values between as many neighbouring centres share their window
_LARGEST_BLOCK = 2**20  # 8 MB for each of a few arrays
_LANDMARKS = 32  # centres about which quantiles are tabulated


@dataclass(frozen=True, eq=False)
class Components:
    """Hold weighted normals, ascending by their centres.

    Sums keep their relative accuracy in both tails, do not depend on which other values are asked for, and of the
    mirrored components they are the same to the last bit.

    Parameters
    ----------
    weights, centres, stds : arrays of shape (k,)
        Weights of any sum, all above 0; standard deviations of 0 only for ``tail``.
    """

    weights: FloatArray
    centres: FloatArray
    stds: FloatArray

    def __post_init__(self) -> None:
        order = np.argsort(self.centres, kind="stable")
        for name in ("weights", "centres", "stds"):
            object.__setattr__(self, name, frozen(np.add(getattr(self, name)[order], 0.0)))

    @cached_property
    def total(self) -> float:
        """The sum of the weights."""
        return float(folded_sum(self.weights))

    @cached_property
    def alike(self) -> bool:
        """Whether all normals have one standard deviation."""
        return bool((self.stds == self.stds[0]).all())

    @cached_property
    def reach(self) -> float:
        """The distance, in standard deviations, beyond a nearer normal where another one changes no digit."""
        return float(np.sqrt(2 * (38 + np.log(self.total / self.weights.min()))))

    @cached_property
    def _left(self) -> FloatArray:
        return frozen(np.concatenate([[0.0], np.cumsum(self.weights)]))

    @cached_property
    def _right(self) -> FloatArray:
        return frozen(np.concatenate([[0.0], np.cumsum(self.weights[::-1])])[::-1])

    def tail(self, x: FloatArray, *, upper: bool) -> FloatArray:
        """Give P(X > x) for the ``upper`` tail, else P(X <= x)."""

        def share(z: FloatArray, part: slice) -> FloatArray:
            ndtr(np.negative(z, out=z) if upper else z, out=z)
            passed = self._right[part.stop] if upper else self._left[part.start]
            return np.asarray(passed + folded_sum(np.multiply(z, self.weights[part], out=z)))

        beyond = np.where((x == -np.inf) if upper else (x == np.inf), 1.0, 0.0)
        return np.asarray(np.where(np.isinf(x), beyond, np.minimum(self._gather(x, share) / self.total, 1.0)))

    def pdf(self, x: FloatArray) -> FloatArray:
        """Give the density."""
        narrowest = self.stds.min()
        scaled = self.weights / self.total * (narrowest / self.stds)

        def share(z: FloatArray, part: slice) -> FloatArray:
            return folded_sum(np.multiply(_exp_of_half_square(z), scaled[part], out=z))

        with np.errstate(over="ignore"):  # a density may lie beyond the largest double
            return np.asarray(self._gather(x, share) * np.exp(-_LOG_SQRT_2PI) / narrowest)

    def logpdf(self, x: FloatArray) -> FloatArray:
        """Give the logarithm of the density: about its largest term, so that it does not underflow."""
        level = np.log(self.weights / self.total) - np.log(self.stds)

        def share(z: FloatArray, part: slice) -> FloatArray:
            np.multiply(z, z, out=z)
            z *= -0.5
            z += level[part]
            top = z.max(axis=-1)
            at = np.where(np.isinf(top), 0.0, top)
            z -= at[:, None]
            return np.asarray(at + np.log(folded_sum(np.exp(z, out=z))))

        return self._gather(x, share) - _LOG_SQRT_2PI

    def outer(self, z: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Give values between which the quantile of normal score ``z`` lies."""
        widths = np.where(z < 0, self.stds.max(), self.stds.min()), np.where(z < 0, self.stds.min(), self.stds.max())
        with np.errstate(over="ignore", invalid="ignore"):
            low, high = self.centres[0] + widths[0] * z, self.centres[-1] + widths[1] * z
        largest = np.finfo(float).max
        return np.clip(low, -largest, largest), np.clip(high, -largest, largest)

    @cached_property
    def landmarks(self) -> Landmarks:
        """Some values with their normal scores, from which quantiles are sought."""
        chosen = np.unique(np.linspace(0, len(self.centres) - 1, _LANDMARKS).round().astype(int))
        with np.errstate(over="ignore"):
            x = np.unique(self.centres[chosen, None] + self.stds[chosen, None] * np.linspace(-6, 6, 13))
        x = x[np.isfinite(x)]
        lower, upper = self.tail(x, upper=False), self.tail(x, upper=True)
        scores = np.maximum.accumulate(np.where(lower < upper, ndtri(lower), -ndtri(upper)))
        return Landmarks(x[np.isfinite(scores)], scores[np.isfinite(scores)])

    def _gather(self, x: FloatArray, share: Callable[[FloatArray, slice], FloatArray]) -> FloatArray:
        """Ask ``share`` for the sum of each value from (x - centre)/std, a block of values and normals at a time."""
        values = np.ravel(x)
        found = np.empty(values.shape)
        with np.errstate(divide="ignore", over="ignore", under="ignore", invalid="ignore"):
            for rows, part in self._blocks(values):
                z = values[rows, None] / 2 - self.centres[part] / 2  # halves, so that it does not overflow
                z /= self.stds[part] / 2
                found[rows] = share(z, part)
        return found.reshape(np.shape(x))

    def _blocks(self, x: FloatArray) -> Iterator[tuple[NDArray[np.intp], slice]]:
        """Give values (by index) that share a window of normals, so few at a time that memory stays small."""
        for rows, part in self._windows(x):
            step = max(1, _LARGEST_BLOCK // (part.stop - part.start))
            yield from ((rows[first : first + step], part) for first in range(0, len(rows), step))

    def _windows(self, x: FloatArray) -> Iterator[tuple[NDArray[np.intp], slice]]:
        """Give values (by index) in groups by their rank among the centres, each with the normals that count for it."""
        if not self.alike or len(self.centres) <= _TOGETHER:
            yield np.arange(len(x)), slice(0, len(self.centres))
            return
        rank = np.searchsorted(self.centres, x, "left") + np.searchsorted(self.centres, x, "right")
        group = np.rint((rank - len(self.centres)) / (2 * _TOGETHER)).astype(int)  # symmetric about the middle
        order = np.argsort(group, kind="stable")
        for rows in np.split(order, np.flatnonzero(np.diff(group[order])) + 1):
            if rows.size:
                yield rows, self._window(int(group[rows[0]]))

    def _window(self, group: int) -> slice:
        """Give the normals that count for the values of a group: those about it, and what reaches it from beyond."""
        middle, last = len(self.centres) / 2 + group * _TOGETHER, len(self.centres) - 1
        low = max(0, int(np.floor(middle - _TOGETHER / 2)) - 1)
        high = min(last, int(np.ceil(middle + _TOGETHER / 2)))
        reach = self.reach * self.stds[0]
        left = np.searchsorted(self.centres, self.centres[low] - reach, "left")
        return slice(int(left), int(np.searchsorted(self.centres, self.centres[high] + reach, "right")))


def folded_sum(terms: FloatArray) -> FloatArray:
    """Sum over the last axis so that the terms in reverse have the same sum to the last bit."""
    half = terms.shape[-1] // 2
    total = (terms[..., :half] + terms[..., ::-1][..., :half]).sum(axis=-1)
    return np.asarray(total + terms[..., half] if terms.shape[-1] % 2 else total)


def _exp_of_half_square(z: FloatArray) -> FloatArray:
    """Give exp(-z^2/2) in place."""
    np.multiply(z, z, out=z)
    z *= -0.5
    return np.asarray(np.exp(z, out=z))
