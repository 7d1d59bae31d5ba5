"""A class between its sample and a model of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri

from rocpredict.arguments import FloatArray, Values, as_fractions, as_reals, plain, shown
from rocpredict.distributions.ecdf import Ecdf
from rocpredict.distributions.protocol import Atoms, Distribution
from rocpredict.errors import RocPredictError
from rocpredict.rich_results import Rich, Shown


@dataclass(frozen=True, repr=False)
class Shrunk(Rich):
    """Describe a class by its sample and a model of it at once, moved towards the other class.

    P(X > x) = Phi(pull + Phi^-1(w S(x) + (1 - w) M(x))), with S(x) the share of the sample above x and M(x) that of
    the model: a step of the sample stays an atom, between the steps the model gives the shape.

    Parameters
    ----------
    model : distribution
        Continuous, of one feature.
    sample : Ecdf
        Finite values.
    weight : float
        w, from 0 (the model alone) to 1 (the sample alone).
    pull : float
        By how many normal scores the class lies higher than sample and model have it.

    Raises
    ------
    RocPredictError
        A model with atoms or of several features, a sample that is no Ecdf of finite values, a weight outside [0, 1].

    Examples
    --------
    >>> from rocpredict.distributions import Gaussian
    >>> half = Shrunk(Gaussian(0, 1), Ecdf([-1, 1]), 0.5)
    >>> half.sf(0), half.at_or_above(1) - half.sf(1)
    (0.5, 0.25)
    """

    model: Any
    sample: Any
    weight: float
    pull: float = 0.0

    def __post_init__(self) -> None:
        if not isinstance(self.model, Distribution) or self.model.shape or self.model.atoms().points.size:
            raise RocPredictError(f"model={shown(self.model)} is no continuous distribution of one feature")
        if not isinstance(self.sample, Ecdf) or not np.isfinite(self.sample.points).all():
            raise RocPredictError(f"sample={shown(self.sample)} is no Ecdf of finite values")
        as_fractions("weight", self.weight)
        if not np.isfinite(self.pull):
            raise RocPredictError(f"pull={self.pull!r} is not finite")

    @property
    def shape(self) -> tuple[int, ...]:
        """Always ``()``: one feature."""
        return ()

    def pdf(self, x: ArrayLike) -> Values:
        """Give the density between the atoms; at one the middle of both sides."""
        with np.errstate(over="ignore"):
            return plain(np.exp(self.logpdf(x)))

    def logpdf(self, x: ArrayLike) -> Values:
        """Give its logarithm."""
        x = as_reals("x", x)
        level = np.asarray(self.model.logpdf(x))
        with np.errstate(divide="ignore", invalid="ignore"):
            level = np.log1p(-self.weight) + level
            if self.pull:
                score = _score(self._halfway("sf", "at_or_above", x), self._halfway("cdf", "below", x))
                level = np.where(np.isinf(score), -np.inf, level - self.pull * (score + self.pull / 2))
        return plain(np.where(np.isinf(x), -np.inf, level))

    def cdf(self, x: ArrayLike) -> Values:
        """Give P(X <= x)."""
        return self._tail("cdf", "sf", -self.pull, x)

    def sf(self, x: ArrayLike) -> Values:
        """Give P(X > x)."""
        return self._tail("sf", "cdf", self.pull, x)

    def below(self, x: ArrayLike) -> Values:
        """Give P(X < x)."""
        return self._tail("below", "at_or_above", -self.pull, x)

    def at_or_above(self, x: ArrayLike) -> Values:
        """Give P(X >= x)."""
        return self._tail("at_or_above", "below", self.pull, x)

    def ppf(self, q: ArrayLike) -> Values:
        """Give the smallest x with ``cdf(x) >= q``."""
        q = as_fractions("q", q)
        return plain(self._lowest(q if self.pull == 0 else ndtr(ndtri(q) + self.pull), "cdf"))

    def isf(self, q: ArrayLike) -> Values:
        """Give the smallest x with ``sf(x) <= q``."""
        q = as_fractions("q", q)
        return plain(self._lowest(q if self.pull == 0 else ndtr(ndtri(q) - self.pull), "sf"))

    def atoms(self) -> Atoms:
        """Give the values of the sample, and what it keeps of their probability."""
        return self._atoms

    @cached_property
    def _atoms(self) -> Atoms:
        if self.weight == 0:
            return Atoms(np.empty(0), np.empty(0))
        points = self.sample.points
        names = ("sf", "at_or_above", "below", "cdf")
        beyond, reached, under, up_to = (np.asarray(getattr(self, name)(points)) for name in names)
        nearer = np.heaviside(beyond + reached - under - up_to, 0.5)  # 1: the lower tail keeps the digits
        masses = nearer * (up_to - under) + (1 - nearer) * (reached - beyond)
        return Atoms(points[masses > 0], masses[masses > 0])

    def reflect(self) -> Shrunk:
        """Give the distribution of -X."""
        return Shrunk(self.model.reflect(), self.sample.reflect(), self.weight, -self.pull)

    def _mixed(self, tail: str, x: FloatArray) -> FloatArray:
        sample, model = np.asarray(getattr(self.sample, tail)(x)), getattr(self.model, tail)(x)
        return np.asarray(self.weight * sample + (1 - self.weight) * np.asarray(model))

    def _halfway(self, tail: str, other: str, x: FloatArray) -> FloatArray:
        """Give the middle of a strict and a weak tail; the model has but one."""
        sample = (np.asarray(getattr(self.sample, tail)(x)) + getattr(self.sample, other)(x)) / 2
        return np.asarray(self.weight * sample + (1 - self.weight) * np.asarray(getattr(self.model, tail)(x)))

    def _tail(self, tail: str, other: str, pull: float, x: ArrayLike) -> Values:
        x = as_reals("x", x)
        if pull == 0:
            return plain(np.minimum(self._mixed(tail, x), 1.0))
        return plain(ndtr(_score(self._mixed(tail, x), self._mixed(other, x)) + pull))

    def _lowest(self, q: FloatArray, tail: str) -> FloatArray:
        """Give the smallest x whose mixed tail has reached ``q``: an atom, or between two of them by the model."""
        points, rising = self.sample.points, tail == "cdf"
        if self.weight == 0:
            return np.asarray(self.model.ppf(q) if rising else self.model.isf(q))
        at, before = (self._mixed(name, points) for name in (("cdf", "below") if rising else ("sf", "at_or_above")))
        if rising:
            passed, jumped = np.searchsorted(at, q, side="left"), np.searchsorted(before, q, side="left")
        else:
            passed, jumped = (len(points) - np.searchsorted(t[::-1], q, side="right") for t in (at, before))
        edges = np.concatenate([[-np.inf], points, [np.inf]])
        counted = self.sample.cdf(edges[passed]) if rising else self.sample.sf(edges[passed])
        with np.errstate(divide="ignore", invalid="ignore"):
            rest = (q - self.weight * np.asarray(counted)) / (1 - self.weight)
        rest = np.clip(np.where(np.isnan(rest), 1.0, rest), 0.0, 1.0)
        smooth = np.asarray(self.model.ppf(rest) if rising else self.model.isf(rest))
        with np.errstate(over="ignore"):
            above = np.nextafter(edges[passed], np.inf)
        between = np.clip(smooth, above, edges[np.minimum(passed + 1, len(points) + 1)])
        return np.where(jumped > passed, edges[np.minimum(passed + 1, len(points))], between)

    def _shown(self) -> Shown:
        rows: list[list[Any]] = [["model", repr(self.model)], ["sample", repr(self.sample)]]
        return Shown("Shrunk estimate", [*rows, ["share of the model", 1 - self.weight], ["pull", self.pull]])

    def __repr__(self) -> str:
        pull = f", pull={self.pull:.6g}" if self.pull else ""
        return f"Shrunk({self.model!r}, {self.sample!r}, weight={self.weight:.6g}{pull})"


def _score(upper: FloatArray, lower: FloatArray) -> FloatArray:
    """Give the normal score of an upper tail from the smaller of both."""
    return np.asarray(np.where(upper < 0.5, ndtri(np.minimum(upper, 0.5)), -ndtri(np.minimum(lower, 0.5))))
