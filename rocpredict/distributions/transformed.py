"""A distribution on a transformed axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rocpredict.arguments import Values, as_fractions, as_reals, plain, shown
from rocpredict.distributions.power import PowerTransform
from rocpredict.distributions.protocol import Atoms, Distribution
from rocpredict.errors import RocPredictError
from rocpredict.rich_results import Rich, Shown


@dataclass(frozen=True, repr=False)
class Transformed(Rich):
    """Describe values whose power transform has a known distribution.

    A ROC curve does not change when the axis is transformed: two classes with one transform have the curve of
    their bases, closed form and all.

    Parameters
    ----------
    base : distribution
        Of the transformed values; of one feature, continuous.
    transform : PowerTransform

    Raises
    ------
    RocPredictError
        A base that is a batch or has atoms, what is no transform.

    Examples
    --------
    >>> from rocpredict.distributions import Gaussian
    >>> logarithm = PowerTransform("box-cox", 0.0, 0.0, 1.0, -3.0, 3.0)
    >>> Transformed(Gaussian(1, 0.5), logarithm).ppf(0.5)
    2.718281828459045
    """

    base: Any
    transform: PowerTransform

    def __post_init__(self) -> None:
        if not isinstance(self.transform, PowerTransform):
            raise RocPredictError(f"transform={shown(self.transform)} is no PowerTransform")
        if not isinstance(self.base, Distribution) or self.base.shape or self.base.atoms().points.size:
            raise RocPredictError(f"base={shown(self.base)} is no continuous distribution of one feature")

    @property
    def shape(self) -> tuple[int, ...]:
        """Always ``()``: one feature."""
        return ()

    def pdf(self, x: ArrayLike) -> Values:
        """Give the density."""
        with np.errstate(over="ignore"):
            return plain(np.exp(self.logpdf(x)))

    def logpdf(self, x: ArrayLike) -> Values:
        """Give the logarithm of the density."""
        x = as_reals("x", x)
        level = np.asarray(self.base.logpdf(self.transform.forward(x)))
        with np.errstate(invalid="ignore"):
            return plain(np.where(np.isneginf(level) | np.isinf(x), -np.inf, level + self.transform.log_slope(x)))

    def cdf(self, x: ArrayLike) -> Values:
        """Give P(X <= x)."""
        return plain(self.base.cdf(self.transform.forward(as_reals("x", x))))

    def sf(self, x: ArrayLike) -> Values:
        """Give P(X > x)."""
        return plain(self.base.sf(self.transform.forward(as_reals("x", x))))

    below, at_or_above = cdf, sf

    def ppf(self, q: ArrayLike) -> Values:
        """Give the smallest x with ``cdf(x) >= q``."""
        return plain(self.transform.inverse(np.asarray(self.base.ppf(as_fractions("q", q)))))

    def isf(self, q: ArrayLike) -> Values:
        """Give the smallest x with ``sf(x) <= q``."""
        return plain(self.transform.inverse(np.asarray(self.base.isf(as_fractions("q", q)))))

    def atoms(self) -> Atoms:
        """Give nothing: all probability is spread."""
        return Atoms(np.empty(0), np.empty(0))

    def reflect(self) -> Transformed:
        """Give the distribution of -X."""
        return Transformed(self.base.reflect(), self.transform.reflect())

    def _shown(self) -> Shown:
        rows: list[list[Any]] = [
            ["transform", self.transform.kind],
            ["power", self.transform.power],
            ["then", repr(self.base)],
        ]
        return Shown("Transformed distribution", rows)

    def __repr__(self) -> str:
        sign = "-" if self.transform.reflected else ""
        return f"Transformed({self.base!r}, {sign}{self.transform.kind}, power={self.transform.power:.6g})"
