"""What all pictures of a screening have: looks, names, limits and a legend."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from rocpredict.arguments import FloatArray
from rocpredict.plots.glyphs import drawable
from rocpredict.plots.style import (
    INK,
    SMALL,
    Entry,
    add_legend,
    as_plain,
)

if TYPE_CHECKING:
    from rocpredict.screening.table import Screening

ABOVE: dict[str, Any] = {"loc": "lower right", "bbox_to_anchor": (1.0, 1.0), "frameon": False}
"""Where a legend goes that would hide something inside."""
_CLASS = 16
"""Most characters of a class."""


class Look(NamedTuple):
    """Say how one kind of AUC is drawn; a dot of each kind has a shape of its own."""

    name: str
    marker: str
    colour: str
    face: str
    bar: str = ""


COUNTED = Look("empirical", "o", INK, INK, INK)
PREDICTED = Look("predicted", "D", "#0072B2", "white", "#8FBCDD")
MISFIT = Look("misfit", "X", "#B84A00", "#B84A00", "#F0B48C")
POINT = Look("features", "o", "#0072B2", "#0072B2")


def misfit_of(table: Screening) -> NDArray[np.bool_]:
    """Tell which rows are flagged as a misfit."""
    return table.flagged("misfit")


def contrasts_of(table: Screening) -> list[tuple[Any, Any]]:
    """Give the pairs (negative, positive) that the rows have."""
    if len(table.contrasts) == 1:
        return list(table.contrasts)
    return list(dict.fromkeys(zip(table["negative"], table["positive"], strict=True)))


def compared(table: Screening) -> str:
    """Say which classes the table compares."""
    contrasts = contrasts_of(table)
    return _against(*contrasts[0]) if len(contrasts) == 1 else f"{len(contrasts)} contrasts"


def names_of(table: Screening, rows: Iterable[int], longest: int, between: str = ", ") -> list[str]:
    """Name rows by their feature, and by their contrast where there are several."""
    names = [_cut(table["feature"][row], longest) for row in rows]
    if len(contrasts_of(table)) == 1:
        return names
    contrasts = (_against(table["negative"][row], table["positive"][row]) for row in rows)
    return [name + between + contrast for name, contrast in zip(names, contrasts, strict=True)]


def _against(negative: object, positive: object) -> str:
    return f"{_cut(positive, _CLASS)} against {_cut(negative, _CLASS)}"


def _cut(name: object, longest: int) -> str:
    """Give a name on one line, cut in the middle where it is too long: numbered names differ at their ends."""
    line = drawable(" ".join(str(name).split()))
    tail = longest // 3
    return line if len(line) <= longest else f"{line[: longest - tail - 1]}…{line[-tail:]}"


def limits_of(values: FloatArray) -> tuple[float, float]:
    """Give the part of [0, 1] that holds the values, with a margin."""
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    margin = max(0.05 * (high - low), 0.01)
    return max(low - margin, -0.02), min(high + margin, 1.02)


def add_grid(ax: Axes) -> None:
    """Draw a faint grid below everything else."""
    ax.grid(visible=True, color="#E4E4E4", linewidth=0.6)
    ax.set_axisbelow(True)


def add_titled_legend(ax: Axes, table: Screening, entries: Sequence[Entry], **options: Any) -> None:
    """Draw a legend below the classes that are compared."""
    legend = add_legend(ax, entries, title=" ", title_fontsize=SMALL, alignment="left", **options)
    as_plain(legend.get_title()).set_text(compared(table))
