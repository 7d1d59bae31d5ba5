"""All features of a screening as points: predicted against empirical AUC, and AUC against p-value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from rocpredict.arguments import FloatArray
from rocpredict.errors import RocPredictError
from rocpredict.plots.placing import Box, place, text_size
from rocpredict.plots.screening.shared import (
    ABOVE,
    MISFIT,
    POINT,
    Look,
    add_grid,
    add_titled_legend,
    compared,
    contrasts_of,
    limits_of,
    misfit_of,
    names_of,
)
from rocpredict.plots.style import (
    BACKING,
    INK,
    QUIET,
    QUIET_LINE,
    SMALL,
    SQUARE,
    WIDE,
    Entry,
    as_plain,
    axes_or_new,
)

if TYPE_CHECKING:
    from rocpredict.screening.table import Screening

_SMALLEST = float(np.nextafter(0, 1))
_VECTOR = 1000
"""More points than these are drawn as pixels, also in a vector file."""
_CELLS = 50
"""Into how many parts each axis is cut to see where points are."""
_LARGEST = (0.38, 0.14)
"""Width and height of a label, in shares of the axes: a larger one could come to lie on its own point."""
_HIDDEN = 3
"""How many parts with points a name may hide."""
_LABEL = 20
"""Most characters of a feature beside a point."""
_ZERO = Look("p = 0", "^", "#0072B2", "#0072B2")
_FAINT = "#8A8A8A"


class _Cloud(NamedTuple):
    """Hold where points lie: ``spots`` of shape (rows of the table, 2), of which ``rows`` are drawn."""

    ax: Axes
    table: Screening
    spots: FloatArray
    rows: NDArray[np.intp]

    def draw(self, mask: NDArray[np.bool_], style: Look, words: str) -> list[Entry]:
        """Draw some points, the smaller and fainter the more there are in all, and give their entry of the legend."""
        chosen, digits = self.rows[mask[self.rows]], np.log10(len(self.rows))
        if not chosen.size:
            return []
        look: dict[str, Any] = {"marker": style.marker, "linestyle": "none", "color": style.colour}
        look |= {"markerfacecolor": style.face, "markeredgewidth": 0.0 if style.face == style.colour else 0.8}
        size, alpha = np.clip([9 - 1.4 * digits, 1.3 - 0.2 * digits], [2, 0.25], [6.5, 0.9]).tolist()
        many: dict[str, Any] = {"alpha": alpha, "rasterized": len(self.rows) > _VECTOR, "zorder": 3}
        many["markersize"] = size if style.marker == "o" else size + 1.5
        self.ax.plot(*self.spots[chosen].T, gid=style.name, **look, **many)
        return [(Line2D([], [], markersize=6, **look), f"{words} ({len(chosen):,})")]

    def shares(self, rows: NDArray[np.intp]) -> FloatArray:
        """Give where rows lie, in shares of the axes."""
        low, high = np.transpose([self.ax.get_xlim(), self.ax.get_ylim()])
        return np.asarray((self.spots[rows] - low) / (high - low))

    def cells(self) -> FloatArray:
        """Give where there are points, in shares of the axes: one for all of them in a cell."""
        return np.asarray((np.unique(np.floor(self.shares(self.rows) * _CELLS), axis=0) + 0.5) / _CELLS)


def draw_agreement(table: Screening, ax: Axes | None, label: int, *, legend: bool) -> Axes:
    """Draw the empirical AUC of each row over its predicted one."""
    predicted, empirical, misfit = table["auc"], table["empirical_auc"], misfit_of(table)
    gap = np.abs(predicted - empirical)
    rows = np.flatnonzero(~np.isnan(gap))
    if not rows.size:
        raise RocPredictError(
            f"no row of the table has both a predicted and an empirical AUC (it was made with empirical="
            f"{table.empirical!r}); screen with empirical=True or 'top', or draw kind='ranking'"
        )
    cloud = _Cloud(axes_or_new(ax, SQUARE), table, np.column_stack([predicted, empirical]), rows)
    limits = limits_of(cloud.spots[rows])
    cloud.ax.set(xlim=limits, ylim=limits, aspect="equal", ylabel="empirical AUC")
    cloud.ax.set_xlabel("predicted AUC" + _left_out(cloud))
    entries = cloud.draw(~misfit, POINT, "features" if len(contrasts_of(table)) == 1 else "rows")
    entries += cloud.draw(misfit, MISFIT, "flagged misfit")
    (line,) = cloud.ax.plot(limits, limits, linestyle="--", gid="identity", **QUIET_LINE)
    entries.append((line, "empirical = predicted"))
    diagonal = np.linspace(0, 1, _CELLS)[:, None] * [1, 1]
    furthest = rows[np.argsort(-gap[rows], kind="stable")[:label]]
    _finish(cloud, entries, furthest, diagonal, ("upper left", "lower right") if legend else ())
    return cloud.ax


def draw_volcano(table: Screening, ax: Axes | None, label: int, level: float, *, legend: bool) -> Axes:
    """Draw the p-value of each row over its AUC."""
    p, counted = table["p_value"], ~np.isnan(table["empirical_auc"])
    spots = np.column_stack([np.where(counted, table["empirical_auc"], table["auc"]), _evidence(p)])
    rows = np.flatnonzero(~np.isnan(spots).any(axis=1))
    if not rows.size:
        raise RocPredictError("no row of the table has both an AUC and a p-value; table['flags'] says why")
    cloud = _Cloud(axes_or_new(ax, WIDE), table, spots, rows)
    tallest = max(float(spots[rows, 1].max()), float(_evidence(level)))
    cloud.ax.set(xlim=limits_of(np.append(spots[rows, 0], 0.5)), ylim=(-0.03 * tallest, 1.12 * tallest))
    cloud.ax.set(xlabel=_which_auc(counted[rows]) + _left_out(cloud))
    cloud.ax.set(ylabel="−log10 of the p-value")
    entries = _draw_by_level(cloud, p, counted, level)
    line, entry = _draw_level(cloud, level)
    entries += entry
    entries.append((cloud.ax.axvline(0.5, linestyle=":", gid="chance", **QUIET_LINE), "chance"))
    corners = ("upper left", "upper center", "upper right", "lower left", "lower right")
    _finish(cloud, entries, rows[:label], line, corners if legend else ())
    return cloud.ax


def _evidence(p: Any) -> FloatArray:
    return np.asarray(-np.log10(np.maximum(p, _SMALLEST)))


def _draw_by_level(cloud: _Cloud, p: FloatArray, counted: NDArray[np.bool_], level: float) -> list[Entry]:
    """Draw points by whether q is within the level; hollow where others were counted but these were not."""
    found, zero, some = cloud.table["q_value"] <= level, p == 0, counted[cloud.rows]
    mixed = bool(some.any() and not some.all())
    entries = cloud.draw(zero, _ZERO, f"p below {_SMALLEST:.0e}, drawn there".replace("-", "−"))
    for sign, of_sign, colour in (("≤", found, POINT.colour), (">", ~found, _FAINT)):
        for kind, of_kind in (("empirical", counted), ("predicted", ~counted)):
            hollow = mixed and kind == "predicted"
            style = Look(f"{kind} q {sign}", "o", colour, "white" if hollow else colour)
            words = f"q {sign} {level:g}" + (f", {kind}" if mixed else "")
            entries += cloud.draw(of_sign & of_kind & ~zero, style, words)
    return entries


def _draw_level(cloud: _Cloud, level: float) -> tuple[FloatArray, list[Entry]]:
    """Draw the line between what is within the level and what is not, and give points on it and its entry.

    No q-value is below its p-value, so that the line lies no lower than where p is the level.
    """
    found, heights = (cloud.table["q_value"] <= level)[cloud.rows], cloud.spots[cloud.rows, 1]
    if not found.any():
        return np.empty((0, 2)), []
    floor = float(_evidence(level))
    at = floor if found.all() else (heights[found].min() + max(floor, heights[~found].max())) / 2
    low, high = cloud.ax.get_ylim()
    along = np.linspace(0, 1, _CELLS)
    line = cloud.ax.axhline(at, linestyle="--", gid="level", **QUIET_LINE)
    return np.column_stack([along, np.full(_CELLS, (at - low) / (high - low))]), [(line, f"q = {level:g}")]


def _which_auc(counted: NDArray[np.bool_]) -> str:
    if counted.all():
        return "empirical AUC"
    return "AUC (empirical where counted, else predicted)" if counted.any() else "predicted AUC"


def _left_out(cloud: _Cloud) -> str:
    total = len(cloud.table)
    missing = total - len(cloud.rows)
    return f"\n({missing:,} of {total:,} rows lack one: left out)" if missing else ""


def _finish(
    cloud: _Cloud, entries: Sequence[Entry], named: NDArray[np.intp], lines: FloatArray, corners: Sequence[str]
) -> None:
    """Add what goes where there is room: the legend, in one of the corners if any are given, and names of rows."""
    add_grid(cloud.ax)
    points = np.concatenate([cloud.cells(), lines])
    taken = _add_legend_off(cloud, entries, points, corners) if corners else []
    if named.size:
        _write_names(cloud, named, points, taken)


def _add_legend_off(cloud: _Cloud, entries: Sequence[Entry], points: FloatArray, corners: Sequence[str]) -> list[Box]:
    """Draw a legend in a corner without points, and give what it takes; where there is none, above the axes."""
    width, height = text_size(cloud.ax, max((words for _, words in entries), key=len), SMALL)
    width = max(width + 0.14, text_size(cloud.ax, compared(cloud.table), SMALL)[0] + 0.03)
    height = height * (len(entries) + 1) + 0.05
    left = {"left": 0.0, "center": (1 - width) / 2, "right": 1 - width}
    for corner in corners:
        edge, side = corner.split()
        bottom = 0.0 if edge == "lower" else 1 - height
        box = Box(left[side], bottom, left[side] + width, bottom + height)
        if not box.holds(points).any():
            add_titled_legend(cloud.ax, cloud.table, entries, loc=corner)
            return [box]
    add_titled_legend(cloud.ax, cloud.table, entries, **ABOVE, ncols=2 if width < 0.6 else 1)
    return []


def _write_names(cloud: _Cloud, rows: NDArray[np.intp], points: FloatArray, taken: list[Box]) -> None:
    """Write the names of rows beside their points, but for those that find no room."""
    names, shares = names_of(cloud.table, rows, _LABEL, "\n"), cloud.shares(rows)
    sizes = [_size(cloud.ax, name) for name in names]
    centres = place(shares, [(min(w, _LARGEST[0]), min(h, _LARGEST[1])) for w, h in sizes], points, taken)
    look: dict[str, Any] = {"fontsize": SMALL, "color": INK, "ha": "center", "va": "center"}
    look["bbox"] = BACKING | {"boxstyle": "round,pad=0.05"}
    look["arrowprops"] = {"arrowstyle": "-", "color": QUIET, "linewidth": 0.8, "shrinkA": 0, "shrinkB": 3}
    for row, name, (x, y), (width, height) in zip(rows, names, centres, sizes, strict=True):
        box = Box(x - width / 2, y - height / 2, x + width / 2, y + height / 2)
        inside = min(box.left, box.bottom, 1 - box.right, 1 - box.top) >= 0
        if inside and not any(map(box.overlaps, taken)) and box.holds(points).sum() <= _HIDDEN:
            at = tuple(cloud.spots[row])
            text = cloud.ax.annotate(name, at, (x, y), textcoords="axes fraction", zorder=6, gid="name", **look)
            as_plain(text)
            taken = [*taken, box]


def _size(ax: Axes, name: str) -> tuple[float, float]:
    lines = name.split("\n")
    width, height = text_size(ax, max(lines, key=len), SMALL)
    return width, height * len(lines)
