"""What a multiclass AUC is, and the areas that it is the mean of."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

import numpy as np

from rocpredict.arguments import Values
from rocpredict.flags import Flags
from rocpredict.interval import Interval
from rocpredict.rich_results import MOST_ROWS, Rich, Shown, clipped, listed


class PartAuc(NamedTuple):
    """Hold one of the areas that a multiclass AUC is the mean of.

    Attributes
    ----------
    positive, negative : label
        ``negative`` is "rest" when it is every other class.
    auc : float
        The probability that the score of the positive class is higher for a positive, ties half.
    interval : Interval
    """

    positive: Any
    negative: Any
    auc: float
    interval: Interval


@dataclass(frozen=True, eq=False, repr=False)
class MulticlassAuc(Rich):
    """Hold the AUC of more than two classes.

    Attributes
    ----------
    auc : float, or array of shape (classes,) or (pairs,) without an average
        1/2 by chance, 1 when every part separates perfectly.
    interval : Interval
        Of the same shape.
    parts : tuple of PartAuc
        Each area with its own interval, at the same level.
    method : str
    average : str or None
    labels : tuple
        In the order of the columns of scores.
    n_by_class : dict of label to int
    flags : Flags
        ``single_case``: a class has one row, and how it varies cannot be seen. ``fallback``: for this, or because all
        rows are placed alike, the interval is the conservative one of ``multiclass_auc``'s Notes.
    """

    auc: Values
    interval: Interval
    parts: tuple[PartAuc, ...]
    method: str
    average: str | None
    labels: tuple[Any, ...]
    n_by_class: dict[Any, int]
    flags: Flags = field(default_factory=Flags)

    def to_dict(self) -> dict[str, Any]:
        """Give the numbers by name."""
        held = {item.name: getattr(self, item.name) for item in fields(self)}
        parts = [part._asdict() | {"interval": part.interval.to_dict()} for part in self.parts]
        return held | {"interval": self.interval.to_dict(), "parts": parts, "flags": list(self.flags)}

    def _shown(self) -> Shown:
        rows = [
            [f"{clipped(str(part.positive), 60)} against {clipped(str(part.negative), 60)}", part.auc, *part.interval]
            for part in self.parts[:MOST_ROWS]
        ]
        cut = [f"The first {MOST_ROWS} of {len(self.parts)} areas."] if len(self.parts) > MOST_ROWS else []
        if not np.ndim(self.auc):
            rows.insert(0, [f"average ({self.average})", self.auc, *self.interval])
        cases = listed(f"{label} {count}" for label, count in self.n_by_class.items())
        notes = [*cut, f"Intervals of level {self.interval.level:g}. Cases: {cases}."]
        columns = ["positive against negative", "AUC", "low", "high"]
        return Shown(f"AUC of {len(self.labels)} classes, {self.method}", rows, columns, notes=notes, flags=self.flags)

    def __repr__(self) -> str:
        flags = f", flags={list(self.flags)}" if self.flags else ""
        how = f"classes={len(self.labels)}, n={sum(self.n_by_class.values())}, method={self.method!r}{flags})"
        if np.ndim(self.auc):
            return f"MulticlassAuc(shape={np.shape(self.auc)}, {how}"
        ends = f"{self.interval.low:.6g} to {self.interval.high:.6g}"
        return f"MulticlassAuc(auc={self.auc:.6g} ({ends}), average={self.average!r}, {how}"
