"""What every class distribution answers."""

from typing import NamedTuple, Protocol, Self, runtime_checkable

from numpy.typing import ArrayLike

from rocpredict.arguments import FloatArray, Values


class Atoms(NamedTuple):
    """Hold the values that have a probability of their own, ascending, and these probabilities."""

    points: FloatArray
    masses: FloatArray


@runtime_checkable
class Distribution(Protocol):
    """Answer for the values of one class: a continuous part, atoms, or both.

    Every method takes scalars or arrays and broadcasts them with ``shape``. Tails come in pairs
    (``cdf`` with ``sf``, ``below`` with ``at_or_above``), each computed by itself and never as one minus
    the other, so that a small tail keeps its digits. The pairs differ at atoms only: the rule
    "positive when x >= threshold" needs ``at_or_above`` and ``below``.
    """

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the batch of features; ``()`` for one feature."""

    def __hash__(self) -> int: ...

    def pdf(self, x: ArrayLike) -> Values:
        """Give the density of the continuous part (0 everywhere when there is none)."""

    def logpdf(self, x: ArrayLike) -> Values:
        """Give the logarithm of ``pdf`` without underflow (-inf where it is 0)."""

    def cdf(self, x: ArrayLike) -> Values:
        """Give P(X <= x)."""

    def sf(self, x: ArrayLike) -> Values:
        """Give P(X > x)."""

    def below(self, x: ArrayLike) -> Values:
        """Give P(X < x)."""

    def at_or_above(self, x: ArrayLike) -> Values:
        """Give P(X >= x)."""

    def ppf(self, q: ArrayLike) -> Values:
        """Give the smallest x with ``cdf(x) >= q``."""

    def isf(self, q: ArrayLike) -> Values:
        """Give the smallest x with ``sf(x) <= q``."""

    def atoms(self) -> Atoms:
        """Give all values that have a probability of their own."""

    def reflect(self) -> Self | "Distribution":
        """Give the distribution of -X."""
