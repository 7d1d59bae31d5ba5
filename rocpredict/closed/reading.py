"""Which family two classes share, read from what scipy.stats calls them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from rocpredict.distributions import Distribution, FromScipy, Gaussian
from rocpredict.distributions.from_scipy import Reflected

Shapes: TypeAlias = tuple[float, ...]


class Member(NamedTuple):
    """Hold the parameters of one class in a family; ``shape`` is 1 where the family has none."""

    loc: float
    scale: float
    shape: float = 1.0


class Pair(NamedTuple):
    """Hold two members of one family; ``mirrored``: the classes are these with all signs turned."""

    kind: str
    negative: Member
    positive: Member
    mirrored: bool

    @property
    def low_high(self) -> tuple[Member, Member]:
        """The members in the order in which "positive lies further up" reads as "the second exceeds the first"."""
        return (self.positive, self.negative) if self.mirrored else (self.negative, self.positive)


_READERS: dict[str, Callable[[Shapes, float, float], dict[str, Member]]] = {
    "norm": lambda _, loc, scale: {"normal": Member(loc, scale)},
    "lognorm": lambda shapes, loc, scale: {"lognormal": Member(loc, scale, *shapes)},
    "expon": lambda _, loc, scale: {
        "exponential": Member(loc, scale),
        "gamma": Member(loc, scale),
        "weibull": Member(loc, scale),
    },
    "gamma": lambda shapes, loc, scale: {"gamma": Member(loc, scale, *shapes)},
    "erlang": lambda shapes, loc, scale: {"gamma": Member(loc, scale, *shapes)},
    "chi2": lambda shapes, loc, scale: {"gamma": Member(loc, 2 * scale, shapes[0] / 2)},
    "weibull_min": lambda shapes, loc, scale: {"weibull": Member(loc, scale, *shapes)},
    "beta": lambda shapes, loc, scale: (
        ({"rising power": Member(loc, scale, shapes[0])} if shapes[1] == 1 else {})
        | ({"falling power": Member(loc, scale, shapes[1])} if shapes[0] == 1 else {})
    ),
    "uniform": lambda _, loc, scale: {"rising power": Member(loc, scale), "falling power": Member(loc, scale)},
    "logistic": lambda _, loc, scale: {"logistic": Member(loc, scale)},
    "laplace": lambda _, loc, scale: {"laplace": Member(loc, scale)},
    "cauchy": lambda _, loc, scale: {"cauchy": Member(loc, scale)},
    "t": lambda shapes, loc, scale: {"cauchy": Member(loc, scale)} if shapes[0] == 1 else {},
    "gumbel_r": lambda _, loc, scale: {"gumbel": Member(loc, scale)},
}


def _any(_first: Member, _second: Member) -> bool:
    return True


def _one_start(first: Member, second: Member) -> bool:
    return first.loc == second.loc


def _one_scale(first: Member, second: Member) -> bool:
    return first.scale == second.scale


def _one_home(first: Member, second: Member) -> bool:
    return _one_start(first, second) and _one_scale(first, second)


def _one_start_and_shape(first: Member, second: Member) -> bool:
    return _one_start(first, second) and first.shape == second.shape


CLOSED: dict[str, Callable[[Member, Member], bool]] = {
    "exponential": _any,
    "weibull": _one_start_and_shape,
    "gamma": _one_start,
    "rising power": _one_home,
    "falling power": _one_home,
    "logistic": _one_scale,
    "laplace": _any,
    "cauchy": _any,
    "gumbel": _one_scale,
    "normal": _any,
    "lognormal": _one_start,
}
"""The families whose area is closed, and what two members of them have to share for that."""


def read_pair(negative: Distribution, positive: Distribution) -> Pair | None:
    """Recognise two classes of one family whose area is closed, or their mirror images."""
    mirrored = isinstance(negative, Reflected) and isinstance(positive, Reflected)
    first, second = (_readings(d.base if mirrored else d) for d in (negative, positive))  # type: ignore[attr-defined]
    for kind, share in CLOSED.items():
        if kind in first and kind in second and share(first[kind], second[kind]):
            return Pair(kind, first[kind], second[kind], mirrored)
    return None


def as_gaussian(distribution: Distribution) -> Distribution:
    """Return a normal distribution of scipy.stats as a ``Gaussian``, anything else as it is."""
    base = distribution.base if isinstance(distribution, Reflected) else distribution
    if not isinstance(base, FromScipy) or "normal" not in (found := _readings(base)):
        return distribution
    gaussian = Gaussian(found["normal"].loc, found["normal"].scale)
    return gaussian.reflect() if base is not distribution else gaussian


def _readings(distribution: Distribution) -> dict[str, Member]:
    """Give every family that a class belongs to, and what it is there."""
    if isinstance(distribution, Gaussian) and not distribution.shape and distribution.std > 0:
        return {"normal": Member(distribution.mean, distribution.std)}
    if not isinstance(distribution, FromScipy) or distribution.frozen.dist.name not in _READERS:
        return {}
    frozen = distribution.frozen
    shapes, loc, scale = frozen.dist._parse_args(*frozen.args, **frozen.kwds)
    shapes = tuple(float(np.asarray(shape)) for shape in shapes)
    return _READERS[frozen.dist.name](shapes, float(np.asarray(loc)), float(np.asarray(scale)))
