"""A frozen scipy.stats distribution as a class distribution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rocpredict.arguments import FloatArray, Values, as_fractions, as_reals, plain, shown
from rocpredict.distributions.ecdf import Ecdf
from rocpredict.distributions.protocol import Atoms
from rocpredict.errors import RocPredictError
from rocpredict.rich_results import Rich, Shown

_MOST_ATOMS = 10_000_000
_REST = 1e-30  # the mass beyond the last atom that is listed


def is_frozen_scipy(candidate: object) -> bool:
    """Tell a frozen scipy.stats distribution by what it has, without importing scipy.stats."""
    return all(hasattr(candidate, name) for name in ("dist", "args", "kwds", "cdf", "sf", "ppf", "isf"))


def from_scipy(frozen: Any) -> FromScipy | Ecdf:
    """Return a frozen scipy.stats distribution as one that answers the protocol."""
    if hasattr(frozen.dist, "xk"):  # a table of values and probabilities
        _, loc, _ = frozen.dist._parse_args(*frozen.args, **frozen.kwds)
        return Ecdf(np.asarray(frozen.dist.xk) + loc, frozen.dist.pk)
    return FromScipy(frozen)


@dataclass(frozen=True)
class FromScipy(Rich):
    """Wrap a frozen scipy.stats distribution, continuous or discrete.

    Parameters
    ----------
    frozen : frozen scipy.stats distribution
        With scalar parameters.

    Raises
    ------
    RocPredictError
        Array parameters, or parameters outside the family's domain.

    Examples
    --------
    >>> from scipy import stats
    >>> FromScipy(stats.poisson(2)).at_or_above(1)
    0.8646647167633873
    """

    frozen: Any

    def __post_init__(self) -> None:
        median = np.asarray(self.frozen.ppf(0.5))
        if median.ndim:
            raise RocPredictError(f"{self!r} has parameters of shape {median.shape}; give one distribution a feature")
        if self.discrete and float(self.frozen.support()[0]) % 1 and np.isfinite(self.frozen.support()[0]):
            raise RocPredictError(f"{self!r} lies on no whole numbers; give it a whole loc")
        if np.isnan(median):
            raise RocPredictError(f"{self!r} has parameters outside its domain")

    @property
    def shape(self) -> tuple[int, ...]:
        """Always ``()``: one feature."""
        return ()

    @property
    def discrete(self) -> bool:
        """Whether all probability lies on atoms."""
        return not hasattr(self.frozen.dist, "pdf")

    def pdf(self, x: ArrayLike) -> Values:
        """Give the density (0 everywhere when discrete)."""
        return plain(np.exp(self.logpdf(x)))

    def logpdf(self, x: ArrayLike) -> Values:
        """Give the logarithm of the density (-inf everywhere when discrete)."""
        x = as_reals("x", x)
        if self.discrete:
            return plain(np.full(x.shape, -np.inf))
        return plain(np.where(np.isinf(x), -np.inf, self._ask("logpdf", x)))

    def cdf(self, x: ArrayLike) -> Values:
        """Give P(X <= x)."""
        return self._tail("cdf", as_reals("x", x))

    def sf(self, x: ArrayLike) -> Values:
        """Give P(X > x)."""
        return self._tail("sf", as_reals("x", x))

    def below(self, x: ArrayLike) -> Values:
        """Give P(X < x)."""
        return self._tail("cdf", self._just_before(x))

    def at_or_above(self, x: ArrayLike) -> Values:
        """Give P(X >= x)."""
        return self._tail("sf", self._just_before(x))

    def ppf(self, q: ArrayLike) -> Values:
        """Give the smallest x with ``cdf(x) >= q``."""
        return self._inside(self._ask("ppf", as_fractions("q", q)))

    def isf(self, q: ArrayLike) -> Values:
        """Give the smallest x with ``sf(x) <= q``."""
        return self._inside(self._ask("isf", as_fractions("q", q)))

    def atoms(self) -> Atoms:
        """Give the whole numbers (shifted by loc) that have a probability, up to a rest of 1e-30 in a tail."""
        if not self.discrete:
            return Atoms(np.empty(0), np.empty(0))
        low, high = self.frozen.support()
        low = low if np.isfinite(low) else self._end("cdf", -1)
        high = high if np.isfinite(high) else self._end("sf", 1)
        if not high - low < _MOST_ATOMS:
            raise RocPredictError(f"{self!r} has more than {_MOST_ATOMS:,} atoms")
        points = np.arange(low, high + 1, dtype=np.float64)
        masses = self.frozen.pmf(points)
        return Atoms(points[masses > 0], masses[masses > 0])

    def reflect(self) -> Reflected:
        """Give the distribution of -X."""
        return Reflected(self)

    def _inside(self, quantiles: Values) -> Values:
        """Keep quantiles of 0 and 1 in the support: scipy puts them one step below a discrete one."""
        return plain(np.clip(quantiles, *self.frozen.support())) if self.discrete else quantiles

    def _ask(self, question: str, x: FloatArray) -> Values:
        with np.errstate(all="ignore"):
            return plain(getattr(self.frozen, question)(x))

    def _tail(self, question: str, x: FloatArray) -> Values:
        tail = self._ask(question, x)
        lost = np.isnan(tail) & (np.abs(x) >= 2**53)  # where some discrete families run out of integers
        return plain(np.where(lost, (x > 0) == (question == "cdf"), tail))

    def _end(self, tail: str, step: int) -> float:
        """Give a value beyond which a tail holds next to nothing (scipy's own isf runs out of digits at 1e-16)."""
        end = float(self.frozen.median())
        while self._ask(tail, np.asarray(end)) > _REST and abs(step) < _MOST_ATOMS:
            end, step = end + step, 2 * step
        return end

    def _just_before(self, x: ArrayLike) -> FloatArray:
        x = as_reals("x", x)
        with np.errstate(over="ignore"):  # before the smallest double lies -inf
            return np.where(np.isinf(x), x, np.nextafter(x, -np.inf)) if self.discrete else x

    def _shown(self) -> Shown:
        named = [(str(place), value) for place, value in enumerate(self.frozen.args, start=1)]
        rows = [[name, _parameter(value)] for name, value in [*named, *self.frozen.kwds.items()]]
        return Shown(f"Distribution {self.frozen.dist.name} of scipy.stats", rows, ["parameter", "value"])

    def __repr__(self) -> str:
        args = [_parameter(a) for a in self.frozen.args]
        args += [f"{name}={_parameter(a)}" for name, a in self.frozen.kwds.items()]
        return f"{self.frozen.dist.name}({', '.join(args)})"


def _parameter(value: Any) -> str:
    return f"{value:.6g}" if np.ndim(value) == 0 else shown(value)


@dataclass(frozen=True, repr=False)
class Reflected(Rich):
    """Give the distribution of -X for a distribution that has no reflection in its own family."""

    base: FromScipy

    @property
    def shape(self) -> tuple[int, ...]:
        """Always ``()``: one feature."""
        return ()

    def pdf(self, x: ArrayLike) -> Values:
        """Give the density."""
        return self.base.pdf(-as_reals("x", x))

    def logpdf(self, x: ArrayLike) -> Values:
        """Give the logarithm of the density."""
        return self.base.logpdf(-as_reals("x", x))

    def cdf(self, x: ArrayLike) -> Values:
        """Give P(X <= x)."""
        return self.base.at_or_above(-as_reals("x", x))

    def sf(self, x: ArrayLike) -> Values:
        """Give P(X > x)."""
        return self.base.below(-as_reals("x", x))

    def below(self, x: ArrayLike) -> Values:
        """Give P(X < x)."""
        return self.base.sf(-as_reals("x", x))

    def at_or_above(self, x: ArrayLike) -> Values:
        """Give P(X >= x)."""
        return self.base.cdf(-as_reals("x", x))

    def ppf(self, q: ArrayLike) -> Values:
        """Give the smallest x with ``cdf(x) >= q``."""
        x = np.asarray(self.base.isf(q))
        if self.base.discrete:  # the largest atom with that much at and above it
            x = np.where(np.asarray(self.base.at_or_above(x + 1)) >= q, x + 1, x)
        return plain(-x + 0.0)

    def isf(self, q: ArrayLike) -> Values:
        """Give the smallest x with ``sf(x) <= q``."""
        return plain(-np.asarray(self.base.ppf(q)) + 0.0)

    def atoms(self) -> Atoms:
        """Give all values that have a probability of their own."""
        points, masses = self.base.atoms()
        return Atoms(-points[::-1], masses[::-1])

    def reflect(self) -> FromScipy:
        """Give the distribution of X again."""
        return self.base

    def _shown(self) -> Shown:
        return Shown("Distribution of the negative of", [["x", repr(self.base)]])

    def __repr__(self) -> str:
        return f"-{self.base!r}"
