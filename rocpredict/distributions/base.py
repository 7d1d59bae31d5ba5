"""Base class of class-conditional distributions."""

from collections.abc import Callable
from typing import NamedTuple, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from rocpredict.base.validation import ArrayOrFloat, FloatArray


class Atoms(NamedTuple):
    """Hold the values that have a probability of their own, ascending, and these probabilities."""

    points: FloatArray
    masses: FloatArray


@runtime_checkable
class Distribution(Protocol):
    """Answer for the values of one class: a continuous part, atoms, or both.

    Every method takes scalars or arrays and broadcasts them with ``shape``. Tails come in pairs
    (``cdf`` with ``sf``, ``cdf_strict`` with ``sf_inclusive``), each computed by itself and never as one minus
    the other, so that a small tail keeps its digits. The pairs differ at atoms only: the rule
    "positive when x >= threshold" needs ``sf_inclusive`` and ``cdf_strict``.
    """

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the batch of features; ``()`` for one feature."""

    def __hash__(self) -> int: ...

    def pdf(self, x: ArrayLike) -> ArrayOrFloat:
        """Give the density of the continuous part (0 everywhere when there is none)."""

    def logpdf(self, x: ArrayLike) -> ArrayOrFloat:
        """Give the logarithm of ``pdf`` without underflow (-inf where it is 0)."""

    def cdf(self, x: ArrayLike) -> ArrayOrFloat:
        """Give P(X <= x)."""

    def sf(self, x: ArrayLike) -> ArrayOrFloat:
        """Give P(X > x)."""

    def cdf_strict(self, x: ArrayLike) -> ArrayOrFloat:
        """Give P(X < x)."""

    def sf_inclusive(self, x: ArrayLike) -> ArrayOrFloat:
        """Give P(X >= x)."""

    def ppf(self, q: ArrayLike) -> ArrayOrFloat:
        """Give the smallest x with ``cdf(x) >= q``."""

    def isf(self, q: ArrayLike) -> ArrayOrFloat:
        """Give the smallest x with ``sf(x) <= q``."""

    def atoms(self) -> Atoms:
        """Give all values that have a probability of their own."""

    def reflect(self) -> Self | "Distribution":
        """Give the distribution of -X."""


_MAX_BISECTIONS = 80


def regula_falsi(
    f: Callable[[FloatArray], FloatArray],
    low: FloatArray,
    high: FloatArray,
    at_low: FloatArray,
    at_high: FloatArray,
    *,
    tolerance: float,
) -> FloatArray:
    """Give where a smooth ``f`` is 0 between ends of opposite sign, to a height of ``tolerance`` (Illinois rule)."""
    for _ in range(_MAX_BISECTIONS):
        run = at_high - at_low
        with np.errstate(divide="ignore", invalid="ignore"):
            middle = np.where(run != 0, high - at_high * ((high - low) / run), high)
        at_middle = f(middle)
        crossed = at_middle * at_high < 0
        low, at_low = np.where(crossed, high, low), np.where(crossed, at_high, at_low / 2)
        high, at_high = middle, at_middle
        if (np.abs(at_high) <= tolerance).all():
            break
    return high
