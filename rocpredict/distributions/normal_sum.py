"""What every sum of weighted normals answers: a kernel density, a mixture."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from rocpredict.arguments import FloatArray, Values, as_fractions, as_reals, plain
from rocpredict.distributions.components import Components
from rocpredict.distributions.inverting import bracket, invert
from rocpredict.distributions.protocol import Atoms


class NormalSum:
    """Answer for weighted normals side by side: a density without atoms.

    Notes
    -----
    With weights w, centres c and standard deviations s the tails are sums of w Phi(+-(x - c)/s), each by itself;
    quantiles solve for whichever tail is the smaller one. Sums take blocks of values and normals: they never need
    more than some tens of megabytes. Where all normals have one width, those too far off to change a digit
    are counted and not evaluated.
    """

    components: Components

    @property
    def shape(self) -> tuple[int, ...]:
        """Always ``()``: one feature."""
        return ()

    def pdf(self, x: ArrayLike) -> Values:
        """Give the density."""
        return plain(self.components.pdf(as_reals("x", x)))

    def logpdf(self, x: ArrayLike) -> Values:
        """Give the logarithm of the density."""
        return plain(self.components.logpdf(as_reals("x", x)))

    def cdf(self, x: ArrayLike) -> Values:
        """Give P(X <= x)."""
        return plain(self.components.tail(as_reals("x", x), upper=False))

    def sf(self, x: ArrayLike) -> Values:
        """Give P(X > x)."""
        return plain(self.components.tail(as_reals("x", x), upper=True))

    def below(self, x: ArrayLike) -> Values:
        """Give P(X < x), the same as ``cdf``."""
        return self.cdf(x)

    def at_or_above(self, x: ArrayLike) -> Values:
        """Give P(X >= x), the same as ``sf``."""
        return self.sf(x)

    def ppf(self, q: ArrayLike) -> Values:
        """Give the smallest x with ``cdf(x) >= q``."""
        q = as_fractions("q", q)
        return plain(np.where(q <= 0.5, self._quantile(q, upper=False), self._quantile(1 - q, upper=True)))

    def isf(self, q: ArrayLike) -> Values:
        """Give the smallest x with ``sf(x) <= q``."""
        q = as_fractions("q", q)
        return plain(np.where(q <= 0.5, self._quantile(q, upper=True), self._quantile(1 - q, upper=False)))

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
            between = bracket(normals.landmarks, normals.outer(scores), scores)
            width = float(normals.stds.max())
            found[sought] = invert(
                lambda x: normals.tail(x, upper=upper), normals.pdf, wanted, between, width=width, upper=upper
            )
        return found

    def _identity(self) -> tuple[Any, ...]:
        normals = self.components
        return type(self), *((part + 0.0).tobytes() for part in (normals.weights, normals.centres, normals.stds))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, NormalSum):
            return NotImplemented
        return self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())
