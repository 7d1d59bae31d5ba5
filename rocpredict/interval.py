"""An interval, and the intervals of a proportion."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv, ndtri

from rocpredict.arguments import FloatArray, Values, as_fraction, as_not_negative, broadcast, one_of, plain, shown
from rocpredict.errors import RocPredictError
from rocpredict.flags import Flags
from rocpredict.rich_results import Rich, Shown, of_batch

PROPORTION_METHODS = ("clopper-pearson", "wilson")


@dataclass(frozen=True, eq=False, repr=False)
class Interval(Rich):
    """Hold an estimate and the interval about it.

    It unpacks into its ends: ``low, high = interval``; ``value in interval`` tells whether a value lies inside.

    Attributes
    ----------
    low, high : float or array of shape F
    level : float
        The confidence level, such as 0.95.
    method : str
        What made the interval.
    estimate : float or array of shape F
        What the interval is about.
    flags : Flags
        Stated outcomes of degenerate inputs.
    """

    low: Values
    high: Values
    level: float
    method: str
    estimate: Values
    flags: Flags = field(default_factory=Flags)

    @property
    def width(self) -> Values:
        """Give high - low."""
        return plain(np.subtract(self.high, self.low))

    def to_dict(self) -> dict[str, Any]:
        """Give the numbers by name."""
        numbers = {name: np.asarray(getattr(self, name)).tolist() for name in ("estimate", "low", "high")}
        return numbers | {"level": self.level, "method": self.method, "flags": list(self.flags)}

    def __iter__(self) -> Iterator[Values]:
        return iter((self.low, self.high))

    def __contains__(self, value: ArrayLike) -> bool:
        return bool(np.all((self.low <= np.asarray(value)) & (np.asarray(value) <= self.high)))

    def _shown(self) -> Shown:
        title = f"Interval of level {self.level:g} by {self.method}"
        if np.ndim(self.low):
            columns = {"estimate": self.estimate, "low": self.low, "high": self.high}
            return of_batch(title, np.shape(self.low), columns, flags=self.flags)
        rows = [["estimate", self.estimate], ["low", self.low], ["high", self.high]]
        return Shown(title, rows, flags=self.flags)

    def __repr__(self) -> str:
        if np.ndim(self.low):
            flags = f", {self.flags}" if self.flags else ""
            return f"Interval(shape={np.shape(self.low)}, level={self.level:g}, method={self.method!r}{flags})"
        flags = f", flags={list(self.flags)}" if self.flags else ""
        return f"Interval({self.low:.6g} to {self.high:.6g}, level={self.level:g}, method={self.method!r}{flags})"


def as_level(level: ArrayLike) -> float:
    """Return a confidence level as a float, or refuse what is not inside (0, 1)."""
    return as_fraction("level", level, ends=False)


def two_sided_z(level: float) -> float:
    """Give the normal quantile that leaves half of 1 - level above it."""
    return float(-ndtri((1 - level) / 2))


def unseen_ends(estimate: FloatArray, count: tuple[Values, Values], level: float) -> tuple[FloatArray, FloatArray]:
    """Give the ends of an area where no spread was seen, by how many unlike cases there can be all the same.

    The smaller class has n cases, so there are n pairs of a negative and a positive that share no case. All were
    alike: others can be at most a share of 1 - ((1 - level)/2)^(1/n) (Clopper and Pearson 1934), all on one side at
    the worst.
    """
    seen = ((1 - level) / 2) ** (1 / np.minimum(*count))
    return np.asarray(estimate * seen), np.asarray(1 - (1 - estimate) * seen)


def proportion_interval(
    count: ArrayLike, total: ArrayLike, *, level: float = 0.95, method: str = "clopper-pearson"
) -> Interval:
    """Give the interval of a proportion.

    Parameters
    ----------
    count, total : float or array
        Cases with the property, and all cases: 0 <= count <= total, total above 0. Weights may make them
        fractions.
    level : float
    method : {"clopper-pearson", "wilson"}
        Exact (Clopper and Pearson 1934): covers at least ``level``, whatever the proportion. Wilson's score
        interval (1927): covers ``level`` on the average over proportions, and is narrower.

    Returns
    -------
    Interval
        Of the shape of the counts.

    Raises
    ------
    RocPredictError
        Counts below 0 or above their total, a total of 0, a level outside (0, 1), an unknown method.

    Examples
    --------
    >>> proportion_interval(9, 10)
    Interval(0.554984 to 0.997471, level=0.95, method='clopper-pearson')
    >>> proportion_interval(9, 10, method="wilson")
    Interval(0.59585 to 0.982124, level=0.95, method='wilson')
    """
    level = as_level(level)
    one_of("method", method, PROPORTION_METHODS)
    count, total = broadcast(count=as_not_negative("count", count), total=as_not_negative("total", total))
    if (count > total).any() or (total == 0).any():
        raise RocPredictError(
            f"count={shown(count.tolist())} and total={shown(total.tolist())}: count must be no more than total, "
            "and total above 0"
        )
    ends = clopper_pearson(count, total, level) if method == "clopper-pearson" else wilson(count, total, level)
    low, high = (plain(end) for end in ends)
    return Interval(low, high, level, method, plain(count / total))


def clopper_pearson(count: FloatArray, total: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Give the ends of the exact interval of count/total."""
    tail = (1 - level) / 2
    none, all_of_them = count == 0, count == total
    low = np.where(none, 0.0, betaincinv(np.where(none, 1.0, count), total - count + 1, tail))
    rest = np.where(all_of_them, 1.0, total - count)
    return low, np.where(all_of_them, 1.0, betaincinv(count + 1, rest, 1 - tail))


def wilson(count: FloatArray, total: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Give the ends of the score interval of count/total."""
    z = two_sided_z(level)
    share, square = count / total, z * z / total
    middle = (share + square / 2) / (1 + square)
    half = z * np.sqrt(share * (1 - share) / total + square / (4 * total)) / (1 + square)
    low, high = np.maximum(middle - half, 0), np.minimum(middle + half, 1)
    return np.where(count == 0, 0.0, low), np.where(count == total, 1.0, high)
