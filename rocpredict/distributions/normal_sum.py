"""Weighted sums of normal distributions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from rocpredict.base.validation import FloatArray, readonly_array
from rocpredict.distributions.base import LOG_SQRT_2PI, Distribution, find_smallest_root

_WINDOW_SIZE = 512  # values between as many neighbouring centres share their window
_MAX_BLOCK_SIZE = 2**20  # 8 MB for each of a few arrays
_N_TABLE_POINTS = 32  # centres about which quantiles are tabulated
_MIN_LOG = -800.0  # below the logarithm of the smallest float
_NEWTON_STEPS = 6
_NEIGHBOURS = 8  # floats on each side, among which a quantile is looked for that Newton steps have not settled
_TAIL_RTOL = 2e-14  # of a probability, in which its quantile may be off
_MAX_QUANTILE_NOISE = 1e-9  # of the largest standard deviation


@dataclass(frozen=True, eq=False)
class NormalSum:
    """Weighted sum of normal distributions, in ascending order of their centres.

    Sums keep their relative accuracy in both tails, do not depend on the other values of a call, and are the same to
    the last bit for the mirrored components.

    Parameters
    ----------
    weights, means, stds : arrays of shape (k,)
        Weights of any sum, all above 0; standard deviations of 0 only for ``tail``.
    """

    weights: FloatArray
    means: FloatArray
    stds: FloatArray

    def __post_init__(self) -> None:
        order = np.argsort(self.means, kind="stable")
        for name in ("weights", "means", "stds"):
            object.__setattr__(self, name, readonly_array(np.add(getattr(self, name)[order], 0.0)))

    @cached_property
    def total(self) -> float:
        """The sum of the weights."""
        return float(symmetric_sum(self.weights))

    @cached_property
    def equal_stds(self) -> bool:
        """True if all normals have one standard deviation."""
        return bool((self.stds == self.stds[0]).all())

    @cached_property
    def cutoff_z(self) -> float:
        """The distance, in standard deviations, beyond a nearer normal where another one changes no digit."""
        return float(np.sqrt(2 * (38 + np.log(self.total / self.weights.min()))))

    @cached_property
    def _cum_weights(self) -> FloatArray:
        return readonly_array(np.concatenate([[0.0], np.cumsum(self.weights)]))

    @cached_property
    def _cum_weights_reversed(self) -> FloatArray:
        return readonly_array(np.concatenate([[0.0], np.cumsum(self.weights[::-1])])[::-1])

    @np.errstate(under="ignore")
    def tail(self, x: FloatArray, *, upper: bool) -> FloatArray:
        """Return P(X > x) for the ``upper`` tail, else P(X <= x)."""

        def share(z: FloatArray, part: slice) -> FloatArray:
            ndtr(np.negative(z, out=z) if upper else z, out=z)
            passed = self._cum_weights_reversed[part.stop] if upper else self._cum_weights[part.start]
            return np.asarray(passed + symmetric_sum(np.multiply(z, self.weights[part], out=z)))

        beyond = np.where((x == -np.inf) if upper else (x == np.inf), 1.0, 0.0)
        return np.asarray(np.where(np.isinf(x), beyond, np.minimum(self._sum_kernels(x, share) / self.total, 1.0)))

    def pdf(self, x: FloatArray) -> FloatArray:
        """Return the density."""
        narrowest = self.stds.min()
        scaled = self.weights / self.total * (narrowest / self.stds)

        def share(z: FloatArray, part: slice) -> FloatArray:
            np.multiply(z, z, out=z)
            z *= -0.5
            return symmetric_sum(np.multiply(np.exp(z, out=z), scaled[part], out=z))

        with np.errstate(over="ignore"):  # a density may lie beyond the largest double
            return np.asarray(self._sum_kernels(x, share) * np.exp(-LOG_SQRT_2PI) / narrowest)

    def logpdf(self, x: FloatArray) -> FloatArray:
        """Return the logarithm of the density, computed from its largest term so that it does not underflow."""
        level = np.log(self.weights / self.total) - np.log(self.stds)

        def share(z: FloatArray, part: slice) -> FloatArray:
            np.multiply(z, z, out=z)
            z *= -0.5
            z += level[part]
            top = z.max(axis=-1)
            at = np.where(np.isinf(top), 0.0, top)
            z -= at[:, None]
            return np.asarray(at + np.log(symmetric_sum(np.exp(z, out=z))))

        return self._sum_kernels(x, share) - LOG_SQRT_2PI

    def quantile_brackets(self, z: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return values between which the quantiles of normal scores ``z`` lie, and a first guess."""
        x, table = self._quantile_table
        last = len(x) - 1
        widths = np.where(z < 0, self.stds.max(), self.stds.min()), np.where(z < 0, self.stds.min(), self.stds.max())
        largest = np.finfo(float).max
        with np.errstate(over="ignore", invalid="ignore"):
            low = np.clip(self.means[0] + widths[0] * z, -largest, largest)
            high = np.clip(self.means[-1] + widths[1] * z, -largest, largest)
        index = np.searchsorted(table, z)
        low = np.where(index == 0, np.minimum(low, x[0]), x[np.clip(index - 1, 0, last)])
        high = np.where(index > last, np.maximum(high, x[last]), x[np.clip(index, 0, last)])
        return low, high, np.interp(z, table, x)

    @cached_property
    def _quantile_table(self) -> tuple[FloatArray, FloatArray]:
        """Values, ascending, and the normal scores of their tails."""
        index = np.unique(np.linspace(0, len(self.means) - 1, _N_TABLE_POINTS).round().astype(int))
        with np.errstate(over="ignore"):
            x = np.unique(self.means[index, None] + self.stds[index, None] * np.linspace(-6, 6, 13))
        x = x[np.isfinite(x)]
        lower, upper = self.tail(x, upper=False), self.tail(x, upper=True)
        scores = np.maximum.accumulate(np.where(lower < upper, ndtri(lower), -ndtri(upper)))
        return x[np.isfinite(scores)], scores[np.isfinite(scores)]

    def _sum_kernels(self, x: FloatArray, kernel: Callable[[FloatArray, slice], FloatArray]) -> FloatArray:
        """Compute the sum of ``kernel`` over (x - centre)/std, a block of values and normals at a time."""
        values = np.ravel(x)
        sums = np.empty(values.shape)
        with np.errstate(divide="ignore", over="ignore", under="ignore", invalid="ignore"):
            for rows, part in self._blocks(values):
                z = values[rows, None] / 2 - self.means[part] / 2  # halves, so that it does not overflow
                z /= self.stds[part] / 2
                sums[rows] = kernel(z, part)
        return sums.reshape(np.shape(x))

    def _blocks(self, x: FloatArray) -> Iterator[tuple[NDArray[np.intp], slice]]:
        """Yield indices of values that share a window of normals, in blocks of limited memory."""
        for rows, part in self._windows(x):
            step = max(1, _MAX_BLOCK_SIZE // (part.stop - part.start))
            yield from ((rows[first : first + step], part) for first in range(0, len(rows), step))

    def _windows(self, x: FloatArray) -> Iterator[tuple[NDArray[np.intp], slice]]:
        """Yield indices of values, grouped by their rank among the centres, and the normals that contribute."""
        if not self.equal_stds or len(self.means) <= _WINDOW_SIZE:
            yield np.arange(len(x)), slice(0, len(self.means))
            return
        rank = np.searchsorted(self.means, x, "left") + np.searchsorted(self.means, x, "right")
        group = np.rint((rank - len(self.means)) / (2 * _WINDOW_SIZE)).astype(int)  # symmetric about the middle
        order = np.argsort(group, kind="stable")
        for rows in np.split(order, np.flatnonzero(np.diff(group[order])) + 1):
            if rows.size:
                yield rows, self._window(int(group[rows[0]]))

    def _window(self, group: int) -> slice:
        """Return the normals that contribute to the values of a group."""
        middle, last = len(self.means) / 2 + group * _WINDOW_SIZE, len(self.means) - 1
        low = max(0, int(np.floor(middle - _WINDOW_SIZE / 2)) - 1)
        high = min(last, int(np.ceil(middle + _WINDOW_SIZE / 2)))
        reach = self.cutoff_z * self.stds[0]
        left = np.searchsorted(self.means, self.means[low] - reach, "left")
        return slice(int(left), int(np.searchsorted(self.means, self.means[high] + reach, "right")))


def symmetric_sum(terms: FloatArray) -> FloatArray:
    """Sum over the last axis so that the terms in reverse have the same sum to the last bit."""
    half = terms.shape[-1] // 2
    total = (terms[..., :half] + terms[..., ::-1][..., :half]).sum(axis=-1)
    return np.asarray(total + terms[..., half] if terms.shape[-1] % 2 else total)


class NormalSumDistribution(Distribution):
    """Base class of kernel densities and Gaussian mixtures: a density without atoms.

    Notes
    -----
    With weights w, centres c and standard deviations s the tails are sums of w Phi(+-(x - c)/s), each by itself;
    quantiles are roots of the smaller tail. Sums take blocks of values and normals: they never need
    more than some tens of megabytes. Where all normals have one width, those too far off to change a digit
    are counted and not evaluated.
    """

    components: NormalSum

    def _pdf(self, x: FloatArray) -> FloatArray:
        return self.components.pdf(x)

    def _logpdf(self, x: FloatArray) -> FloatArray:
        return self.components.logpdf(x)

    def _cdf(self, x: FloatArray) -> FloatArray:
        return self.components.tail(x, upper=False)

    def _sf(self, x: FloatArray) -> FloatArray:
        return self.components.tail(x, upper=True)

    def _ppf(self, q: FloatArray) -> FloatArray:
        return np.where(q <= 0.5, self._quantile(q, upper=False), self._quantile(1 - q, upper=True))

    def _isf(self, q: FloatArray) -> FloatArray:
        return np.where(q <= 0.5, self._quantile(q, upper=True), self._quantile(1 - q, upper=False))

    def _quantile(self, probability: FloatArray, *, upper: bool) -> FloatArray:
        """Return the quantiles of one tail up to 1/2; for larger probabilities an end, as the other tail has them."""
        inside = (probability > 0) & (probability <= 0.5)
        quantile = np.where(inside, 0.0, np.inf if upper else -np.inf)
        target = probability[inside]
        if target.size:
            scores = -ndtri(target) if upper else ndtri(target)
            low, high, start = self.components.quantile_brackets(scores)
            quantiles, rest = self._newton_quantile(target, scores, np.clip(start, low, high), upper=upper)
            if rest.size:
                quantiles[rest] = self._root_quantile(
                    target[rest], quantiles[rest], (low[rest], high[rest]), upper=upper
                )
            quantile[inside] = quantiles
        return quantile

    def _newton_quantile(
        self, target: FloatArray, scores: FloatArray, start: FloatArray, *, upper: bool
    ) -> tuple[FloatArray, NDArray[np.intp]]:
        """Return quantiles by Newton steps on the normal score, and the indices of those that have not arrived.

        Where the density is so small that rounding of the tail moves a quantile, none arrives.
        """
        normals, x, rest = self.components, start, np.arange(len(start))
        for _ in range(_NEWTON_STEPS):
            at, aim = x[rest], target[rest]
            tail, slope = normals.tail(at, upper=upper), normals.pdf(at)
            with np.errstate(divide="ignore", over="ignore", under="ignore", invalid="ignore"):
                steep = np.finfo(float).eps * aim <= _MAX_QUANTILE_NOISE * normals.stds.max() * slope
                tolerance = np.maximum(
                    _TAIL_RTOL * aim, slope * np.spacing(np.abs(at)) / 2
                )  # half way to the next float
                arrived = steep & (np.abs(tail - aim) <= tolerance)
                score = -ndtri(tail) if upper else ndtri(tail)
                step = (scores[rest] - score) / slope * np.exp(-0.5 * score * score - LOG_SQRT_2PI)
                x[rest] = np.where(arrived, at, at + step)
            rest = rest[~arrived]
            if not rest.size:
                break
        return x, rest

    def _root_quantile(
        self, target: FloatArray, guess: FloatArray, bracket: tuple[FloatArray, FloatArray], *, upper: bool
    ) -> FloatArray:
        """Return quantiles to the float, from a bracket or from the floats around ``near`` if they lie there."""
        excess = partial(self._excess, upper=upper)
        reach = _NEIGHBOURS * np.spacing(np.abs(guess))
        low, high = guess - reach, guess + reach
        low = np.where(excess(low, target) < 0, low, bracket[0])
        high = np.where(excess(high, target) > 0, high, bracket[1])
        return find_smallest_root(excess, low, high, target, xatol=2e-16 * float(self.components.stds.min()))

    def _excess(self, x: FloatArray, target: FloatArray, *, upper: bool) -> FloatArray:
        """Return the logarithm of the ratio of a tail and its target, with the sign that makes it increasing."""
        with np.errstate(divide="ignore", over="ignore"):
            excess = np.maximum(np.log1p((self.components.tail(x, upper=upper) - target) / target), _MIN_LOG)
        return -excess if upper else excess

    def _compared(self) -> dict[str, FloatArray]:
        normals = self.components
        return {"weights": normals.weights, "means": normals.means, "stds": normals.stds}
