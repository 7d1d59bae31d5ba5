"""The rows that a comparison uses: of both classes, oriented, with weights, clusters and strata."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rocpredict.arguments import FloatArray, one_of, shown
from rocpredict.errors import RocPredictError
from rocpredict.flags import Flags
from rocpredict.inference.differences import Columns, Quantity
from rocpredict.inference.strata import STRATUM_WEIGHTS, Areas, Stratified
from rocpredict.labels import MOST_CASES, as_weights, split_rows

_DIRECTIONS = (None, "higher", "lower", "auto")


@dataclass(frozen=True)
class Prepared:
    """Hold what a comparison starts from.

    Attributes
    ----------
    columns : Columns
        Positives to the higher side.
    names : tuple of str
        Of the features.
    directions : tuple of str
        "higher" or "lower", of each feature.
    omitted : pair of int
        Rows of each class without a value.
    strata : pair of int array or None
        The stratum of each row of each class.
    stratum_weights : str
    flags : Flags
    """

    columns: Columns
    names: tuple[str, ...]
    directions: tuple[str, ...]
    omitted: tuple[int, int]
    strata: tuple[Any, Any]
    stratum_weights: str
    flags: Flags

    @property
    def n(self) -> tuple[float, float]:
        """Cases of each class."""
        return self.columns.totals

    @property
    def plain(self) -> bool:
        """Whether rows are independent cases of one stratum."""
        return self.strata[0] is None and self.columns.clusters[0] is None

    def areas(self, quantity: Quantity) -> Areas:
        """Give the placements of all curves, stratum by stratum where there are strata."""
        if self.strata[0] is None:
            return self.columns.placements(quantity.band)
        codes = np.intersect1d(*self.strata)
        parts = [self.stratum(code).columns.placements(quantity.band) for code in codes]
        if not parts:
            raise RocPredictError("strata= has no stratum with rows of both classes; nothing can be compared")
        return Stratified.of(tuple(parts), self.stratum_weights)

    def stratum(self, code: int) -> Prepared:
        """Give the rows of one stratum."""
        rows = self.strata[0] == code, self.strata[1] == code
        return replace(self, columns=self.columns.where(*rows), strata=(None, None))

    @property
    def design(self) -> str:
        """Say how rows belong together, to put behind the name of a method."""
        if self.columns.clusters[0] is not None:
            return ", clustered"
        return "" if self.strata[0] is None else ", stratified"


def prepare(
    features: Mapping[str, ArrayLike],
    y: ArrayLike,
    *,
    positive: Any = None,
    negative: Any = None,
    direction: Any = None,
    nan_policy: str = "raise",
    weights: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    stratum_weights: str = "pairs",
    strata_name: str = "strata",
) -> Prepared:
    """Split rows by class, drop those without a value in any column, and turn features whose positives lie lower."""
    one_of("stratum_weights", stratum_weights, STRATUM_WEIGHTS)
    if clusters is not None and strata is not None:
        raise RocPredictError("clusters= and strata= do not go together; give one of them")
    values, rows = split_rows(features, y, positive=positive, negative=negative, nan_policy=nan_policy)
    length = len(next(iter(values.values())))
    weighed = as_weights(weights, length)
    groups = {name: _codes(name, given, length) for name, given in (("clusters", clusters), (strata_name, strata))}

    def parted(column: Any) -> tuple[Any, Any]:
        if column is None:
            return None, None
        return column.T[..., rows.negative].T, column.T[..., rows.positive].T  # each feature stays in one piece

    if weighed is not None:
        _check_weights(*parted(weighed))
        held = weighed > 0
        rows = rows._replace(negative=rows.negative[held[rows.negative]], positive=rows.positive[held[rows.positive]])
    table = np.array(list(values.values())).T
    if weighed is not None and (weighed == np.round(weighed)).all() and weighed.sum() <= MOST_CASES:
        times = weighed.astype(np.intp)  # whole weights are repeated rows, in everything
        rows = rows._replace(
            negative=np.repeat(rows.negative, times[rows.negative]),
            positive=np.repeat(rows.positive, times[rows.positive]),
        )
        weighed = None
    columns = Columns(*parted(table), parted(weighed), parted(groups["clusters"]))
    columns, directions, auto = _oriented(columns, tuple(values), direction)
    return Prepared(
        columns=columns,
        names=tuple(values),
        directions=directions,
        omitted=rows.omitted,
        strata=parted(groups[strata_name]),
        stratum_weights=stratum_weights,
        flags=Flags(auto_direction=auto),
    )


def _codes(name: str, given: ArrayLike | None, length: int) -> NDArray[np.intp] | None:
    if given is None:
        return None
    column = np.asarray(given)
    if column.shape != (length,):
        raise RocPredictError(f"{name} has shape {column.shape}; give one for each of the {length} rows")
    if column.dtype.kind == "f" and np.isnan(column).any():
        raise RocPredictError(f"{name} is NaN somewhere; leave these rows out")
    try:
        return np.unique(column, return_inverse=True)[1]
    except TypeError:
        raise RocPredictError(
            f"{name} holds values of different kinds that have no order; give numbers or text"
        ) from None


def _check_weights(*classes: FloatArray) -> None:
    for name, weights in zip(("negative", "positive"), classes, strict=True):
        if weights.sum() < 1:
            raise RocPredictError(
                f"weights of the {name} class sum to {weights.sum():g}; they say how many cases each row stands "
                "for: 1 or more in all"
            )


def _oriented(columns: Columns, names: tuple[str, ...], direction: Any) -> tuple[Columns, tuple[str, ...], bool]:
    """Turn the features whose positives are said, or by "auto" seem, to lie lower."""
    auto = isinstance(direction, str) and direction == "auto"
    if auto:
        areas = [Quantity().of(*columns.pair(curve)) for curve in range(len(names))]
        directions = tuple("lower" if area < 0.5 else "higher" for area in areas)
        if len(set(directions)) > 1:
            found = ", ".join(f"{name} {side!r}" for name, side in zip(names, directions, strict=True))
            raise RocPredictError(
                f"direction='auto' finds opposite directions ({found}); if that is meant, say direction={directions}"
            )
    else:
        directions = _given(direction, len(names))
    signs = np.where(np.array(directions) == "lower", -1.0, 1.0)
    return replace(columns, negative=columns.negative * signs, positive=columns.positive * signs), directions, auto


def _given(direction: Any, count: int) -> tuple[str, ...]:
    if direction is None or isinstance(direction, str):
        one_of("direction", direction, _DIRECTIONS)
        return (direction or "higher",) * count
    sides = tuple(direction) if isinstance(direction, Sequence) else (direction,)
    if len(sides) != count:
        raise RocPredictError(
            f"direction={shown(direction)} has {len(sides)} items; give one for each of {count} curves"
        )
    for side in sides:
        one_of("direction", side, _DIRECTIONS[1:3])
    return sides
