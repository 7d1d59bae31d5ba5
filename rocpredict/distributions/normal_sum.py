"""Weighted sums of normal distributions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri

from rocpredict.base.validation import (
    ArrayOrFloat,
    FloatArray,
    RocPredictError,
    check_probabilities,
    check_real,
    readonly_array,
    to_scalar,
)
from rocpredict.distributions.base import Atoms

_LOG_SQRT_2PI = 0.9189385332046727418
_RTOL = 2e-14  # of the tail
_MIN_SLOPE = 1e-9  # of a width: where rounding of the tail moves the quantile by more, the search goes on to the float
_MAX_ITER = 2500  # the widest bracket of doubles, halved to neighbours


class QuantileTable(NamedTuple):
    """Hold values of a feature, ascending, with the normal score of the tail at each."""

    x: FloatArray
    z: FloatArray


class Bracket(NamedTuple):
    """Hold a first guess of each quantile, and values between which it lies."""

    low: FloatArray
    high: FloatArray
    initial: FloatArray


def bracket_quantiles(landmarks: QuantileTable, outer: tuple[FloatArray, FloatArray], scores: FloatArray) -> Bracket:
    """Give where the quantiles of some normal scores lie: between two landmarks, or between the last and an end."""
    index = np.searchsorted(landmarks.z, scores)
    last = len(landmarks.x) - 1
    before, after = landmarks.x[np.clip(index - 1, 0, last)], landmarks.x[np.clip(index, 0, last)]
    low = np.where(index == 0, np.minimum(outer[0], before), before)
    high = np.where(index > last, np.maximum(outer[1], after), after)
    return Bracket(low, high, np.interp(scores, landmarks.z, landmarks.x))


def invert_tail(
    tail: Callable[[FloatArray], FloatArray],
    density: Callable[[FloatArray], FloatArray],
    wanted_tail: FloatArray,
    bracket: Bracket,
    *,
    width: float,
    upper: bool,
) -> FloatArray:
    """Give the smallest x whose tail has come to a wanted probability: to 2e-14 of it, or to the float.

    Parameters
    ----------
    tail, density : functions of an array
        The lower tail, or the ``upper`` one, and its slope.
    wanted_tail : array of shape (m,)
        Inside (0, 1/2].
    bracket : Bracket
        Arrays of shape (m,).
    width : float
        A standard deviation of the distribution, to tell where its density is next to nothing.
    upper : bool
        Whether ``tail`` falls.
    """
    low, high, x = (np.array(part) for part in bracket)
    found, active = np.array(x), np.arange(len(x))
    for turn in range(_MAX_ITER):
        if not active.size:
            return found
        at, target = x[active], wanted_tail[active]
        probability, slope = tail(at), density(at)
        reached = probability <= target if upper else probability >= target
        high[active], low[active] = np.where(reached, at, high[active]), np.where(reached, low[active], at)
        left, right = low[active], high[active]
        close = np.nextafter(left, np.inf) >= right
        with np.errstate(over="ignore", under="ignore"):
            steep = np.finfo(float).eps * target <= _MIN_SLOPE * width * slope
        done = close | ((np.abs(probability - target) <= _RTOL * target) & steep)
        found[active] = np.where(close, right, at)
        step = _newton_step(probability, slope, target)
        x[active] = _safeguarded_step(at, -step if upper else step, left, right, turn)
        active = active[~done]
    raise RocPredictError("a quantile of this distribution does not settle; its tails are too rough")


def _newton_step(probability: FloatArray, slope: FloatArray, target: FloatArray) -> FloatArray:
    """Give how far up a rising tail has to go, taking its normal score as straight."""
    with np.errstate(divide="ignore", over="ignore", under="ignore", invalid="ignore"):
        score = ndtri(probability)
        return np.asarray((ndtri(target) - score) / slope * np.exp(-0.5 * score * score - _LOG_SQRT_2PI))


def _safeguarded_step(at: FloatArray, step: FloatArray, left: FloatArray, right: FloatArray, turn: int) -> FloatArray:
    """Give where to look next: a step on, long enough to close the bracket from its other side; else its middle."""
    with np.errstate(over="ignore", invalid="ignore"):
        shortest = np.spacing(np.abs(at)) * 2.0 ** min(turn + 1, 60)
        onward = at + np.where(np.abs(step) < shortest, np.copysign(shortest, step), step)
        inside: NDArray[np.bool_] = (onward > left) & (onward < right)
    return np.where(inside, onward, left / 2 + right / 2)


_LOG_SQRT_2PI = 0.9189385332046727418
_WINDOW_SIZE = 512  # values between as many neighbouring centres share their window
_MAX_BLOCK_SIZE = 2**20  # 8 MB for each of a few arrays
_N_TABLE_POINTS = 32  # centres about which quantiles are tabulated


@dataclass(frozen=True, eq=False)
class GaussianSum:
    """Hold weighted normals, ascending by their centres.

    Sums keep their relative accuracy in both tails, do not depend on which other values are asked for, and of the
    mirrored components they are the same to the last bit.

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
        """Whether all normals have one standard deviation."""
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

    def tail(self, x: FloatArray, *, upper: bool) -> FloatArray:
        """Give P(X > x) for the ``upper`` tail, else P(X <= x)."""

        def share(z: FloatArray, part: slice) -> FloatArray:
            ndtr(np.negative(z, out=z) if upper else z, out=z)
            passed = self._cum_weights_reversed[part.stop] if upper else self._cum_weights[part.start]
            return np.asarray(passed + symmetric_sum(np.multiply(z, self.weights[part], out=z)))

        beyond = np.where((x == -np.inf) if upper else (x == np.inf), 1.0, 0.0)
        return np.asarray(np.where(np.isinf(x), beyond, np.minimum(self._sum_kernels(x, share) / self.total, 1.0)))

    def pdf(self, x: FloatArray) -> FloatArray:
        """Give the density."""
        narrowest = self.stds.min()
        scaled = self.weights / self.total * (narrowest / self.stds)

        def share(z: FloatArray, part: slice) -> FloatArray:
            return symmetric_sum(np.multiply(_gaussian_kernel_inplace(z), scaled[part], out=z))

        with np.errstate(over="ignore"):  # a density may lie beyond the largest double
            return np.asarray(self._sum_kernels(x, share) * np.exp(-_LOG_SQRT_2PI) / narrowest)

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
            return np.asarray(at + np.log(symmetric_sum(np.exp(z, out=z))))

        return self._sum_kernels(x, share) - _LOG_SQRT_2PI

    def quantile_bounds(self, z: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Give values between which the quantile of normal score ``z`` lies."""
        widths = np.where(z < 0, self.stds.max(), self.stds.min()), np.where(z < 0, self.stds.min(), self.stds.max())
        with np.errstate(over="ignore", invalid="ignore"):
            low, high = self.means[0] + widths[0] * z, self.means[-1] + widths[1] * z
        largest = np.finfo(float).max
        return np.clip(low, -largest, largest), np.clip(high, -largest, largest)

    @cached_property
    def quantile_table(self) -> QuantileTable:
        """Some values with their normal scores, from which quantiles are sought."""
        chosen = np.unique(np.linspace(0, len(self.means) - 1, _N_TABLE_POINTS).round().astype(int))
        with np.errstate(over="ignore"):
            x = np.unique(self.means[chosen, None] + self.stds[chosen, None] * np.linspace(-6, 6, 13))
        x = x[np.isfinite(x)]
        lower, upper = self.tail(x, upper=False), self.tail(x, upper=True)
        scores = np.maximum.accumulate(np.where(lower < upper, ndtri(lower), -ndtri(upper)))
        return QuantileTable(x[np.isfinite(scores)], scores[np.isfinite(scores)])

    def _sum_kernels(self, x: FloatArray, kernel: Callable[[FloatArray, slice], FloatArray]) -> FloatArray:
        """Ask ``kernel`` for the sum of each value from (x - centre)/std, a block of values and normals at a time."""
        values = np.ravel(x)
        found = np.empty(values.shape)
        with np.errstate(divide="ignore", over="ignore", under="ignore", invalid="ignore"):
            for rows, part in self._blocks(values):
                z = values[rows, None] / 2 - self.means[part] / 2  # halves, so that it does not overflow
                z /= self.stds[part] / 2
                found[rows] = kernel(z, part)
        return found.reshape(np.shape(x))

    def _blocks(self, x: FloatArray) -> Iterator[tuple[NDArray[np.intp], slice]]:
        """Give values (by index) that share a window of normals, so few at a time that memory stays small."""
        for rows, part in self._windows(x):
            step = max(1, _MAX_BLOCK_SIZE // (part.stop - part.start))
            yield from ((rows[first : first + step], part) for first in range(0, len(rows), step))

    def _windows(self, x: FloatArray) -> Iterator[tuple[NDArray[np.intp], slice]]:
        """Give values (by index) in groups by their rank among the centres, each with the normals that count for it."""
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
        """Give the normals that count for the values of a group: those about it, and what reaches it from beyond."""
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


def _gaussian_kernel_inplace(z: FloatArray) -> FloatArray:
    """Give exp(-z^2/2) in place."""
    np.multiply(z, z, out=z)
    z *= -0.5
    return np.asarray(np.exp(z, out=z))


class GaussianSumDistribution:
    """Answer for weighted normals side by side: a density without atoms.

    Notes
    -----
    With weights w, centres c and standard deviations s the tails are sums of w Phi(+-(x - c)/s), each by itself;
    quantiles solve for whichever tail is the smaller one. Sums take blocks of values and normals: they never need
    more than some tens of megabytes. Where all normals have one width, those too far off to change a digit
    are counted and not evaluated.
    """

    components: GaussianSum

    @property
    def shape(self) -> tuple[int, ...]:
        """Always ``()``: one feature."""
        return ()

    def pdf(self, x: ArrayLike) -> ArrayOrFloat:
        """Give the density."""
        return to_scalar(self.components.pdf(check_real("x", x)))

    def logpdf(self, x: ArrayLike) -> ArrayOrFloat:
        """Give the logarithm of the density."""
        return to_scalar(self.components.logpdf(check_real("x", x)))

    def cdf(self, x: ArrayLike) -> ArrayOrFloat:
        """Give P(X <= x)."""
        return to_scalar(self.components.tail(check_real("x", x), upper=False))

    def sf(self, x: ArrayLike) -> ArrayOrFloat:
        """Give P(X > x)."""
        return to_scalar(self.components.tail(check_real("x", x), upper=True))

    def cdf_strict(self, x: ArrayLike) -> ArrayOrFloat:
        """Give P(X < x), the same as ``cdf``."""
        return self.cdf(x)

    def sf_inclusive(self, x: ArrayLike) -> ArrayOrFloat:
        """Give P(X >= x), the same as ``sf``."""
        return self.sf(x)

    def ppf(self, q: ArrayLike) -> ArrayOrFloat:
        """Give the smallest x with ``cdf(x) >= q``."""
        q = check_probabilities("q", q)
        return to_scalar(np.where(q <= 0.5, self._quantile(q, upper=False), self._quantile(1 - q, upper=True)))

    def isf(self, q: ArrayLike) -> ArrayOrFloat:
        """Give the smallest x with ``sf(x) <= q``."""
        q = check_probabilities("q", q)
        return to_scalar(np.where(q <= 0.5, self._quantile(q, upper=True), self._quantile(1 - q, upper=False)))

    def atoms(self) -> Atoms:
        """Give nothing: no value has a probability of its own."""
        return Atoms(np.empty(0), np.empty(0))

    def _quantile(self, probability: FloatArray, *, upper: bool) -> FloatArray:
        """Give where a tail of up to 1/2 begins (for larger ones an end: they are asked of the other tail)."""
        sought = (probability > 0) & (probability <= 0.5)
        found = np.where(sought, 0.0, np.inf if upper else -np.inf)
        wanted = probability[sought]
        if wanted.size:
            normals = self.components
            scores = -ndtri(wanted) if upper else ndtri(wanted)
            between = bracket_quantiles(normals.quantile_table, normals.quantile_bounds(scores), scores)
            width = float(normals.stds.max())
            found[sought] = invert_tail(
                lambda x: normals.tail(x, upper=upper), normals.pdf, wanted, between, width=width, upper=upper
            )
        return found

    def _identity(self) -> tuple[Any, ...]:
        normals = self.components
        return type(self), *((part + 0.0).tobytes() for part in (normals.weights, normals.means, normals.stds))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GaussianSumDistribution):
            return NotImplemented
        return self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())
