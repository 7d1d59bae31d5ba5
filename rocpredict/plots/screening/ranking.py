"""The first features of a screening, each with its intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from rocpredict.arguments import FloatArray
from rocpredict.errors import RocPredictError
from rocpredict.plots.placing import text_size
from rocpredict.plots.screening.shared import (
    ABOVE,
    COUNTED,
    MISFIT,
    PREDICTED,
    Look,
    add_grid,
    add_titled_legend,
    limits_of,
    misfit_of,
    names_of,
)
from rocpredict.plots.style import (
    BACKING,
    QUIET,
    QUIET_LINE,
    SMALL,
    Entry,
    as_plain,
    axes_or_new,
)

if TYPE_CHECKING:
    from rocpredict.screening.table import Screening

_TALLEST = 50.0
_NAME = 40
"""Most characters of a feature."""
_INTERVALS = {
    "empirical": ("empirical_auc", "empirical_low", "empirical_high"),
    "predicted": ("auc", "auc_low", "auc_high"),
    "misfit": ("auc", "auc_low", "auc_high"),
}


def draw_ranking(table: Screening, ax: Axes | None, *, legend: bool) -> Axes:
    """Draw all rows of a table, each with the interval of its AUCs."""
    names, misfit = names_of(table, range(len(table)), _NAME), misfit_of(table)
    there = {name: ~np.isnan(table[name]) for name in ("auc", "empirical_auc")}
    neither = ~np.logical_or(*there.values())
    if neither.all():
        raise RocPredictError(f"none of the {len(table)} rows to draw has an AUC; table['flags'] says why")
    ax = axes_or_new(ax, (4.6 + 0.07 * max(map(len, names)), min(1.6 + 0.26 * len(table), _TALLEST)))
    scale = min(1.0, 1 / (len(table) * text_size(ax, "", SMALL)[1]))
    aside = np.where(np.logical_and(*there.values()), 0.17, 0.0)
    interval = f"{100 * table.level:g} % interval"
    entries: list[Entry] = []
    for style, mask, offset, words in (
        (COUNTED, there["empirical_auc"], -aside, f"empirical, {interval}"),
        (PREDICTED, there["auc"] & ~misfit, aside, f"predicted, {interval}"),
        (MISFIT, there["auc"] & misfit, aside, "predicted, misfit"),
    ):
        if mask.any():
            entries.append((_draw_intervals(ax, table, np.flatnonzero(mask), offset, style=style, scale=scale), words))
    entries.append((ax.axvline(0.5, linestyle=":", gid="chance", **QUIET_LINE), "chance"))
    for row in np.flatnonzero(neither).tolist():
        _say_why(ax, row, table["flags"][row], scale)
    _frame_ranking(ax, table, names, scale)
    if legend:
        add_titled_legend(ax, table, entries, **ABOVE, ncols=2)
    return ax


def _draw_intervals(
    ax: Axes, table: Screening, rows: NDArray[np.intp], offset: FloatArray, *, style: Look, scale: float
) -> Any:
    """Draw the AUC of some rows with its interval, and give what stands for it."""
    auc, low, high = (table[name][rows] for name in _INTERVALS[style.name])
    heights = rows + offset[rows]
    bar: dict[str, Any] = {"color": style.bar, "linewidth": 1.8 * scale, "zorder": 2, "gid": f"{style.name}-interval"}
    ax.hlines(heights, low, high, **bar)
    dot: dict[str, Any] = {"marker": style.marker, "markerfacecolor": style.face, "markeredgecolor": style.colour}
    own: dict[str, Any] = {"color": style.colour, "linestyle": "none", "markersize": 6 * scale, "zorder": 3}
    ax.plot(auc, heights, gid=style.name, **own, **dot)
    return Line2D([], [], color=style.bar, linewidth=1.8, markersize=6, **dot)


def _say_why(ax: Axes, row: int, flags: str, scale: float) -> None:
    """Write in a row without an AUC that there is none."""
    why = f"no AUC: {flags.replace('_', ' ')}" if flags else "no AUC"
    at = ax.get_yaxis_transform()
    look: dict[str, Any] = {"fontsize": SMALL * scale, "fontstyle": "italic", "color": QUIET, "bbox": BACKING}
    ax.text(0.02, row, why, transform=at, va="center", gid="no-auc", **look)


def _frame_ranking(ax: Axes, table: Screening, names: list[str], scale: float) -> None:
    drawn = np.concatenate([table[name] for style in (COUNTED, PREDICTED) for name in _INTERVALS[style.name]])
    below = np.nanmin([table["auc"], table["empirical_auc"]]) < 0.5
    ax.set(xlim=limits_of(np.append(drawn, 0.5)), ylim=(len(names) - 0.4, -0.6))
    ax.set_xlabel("AUC (below 0.5: positives lie lower)" if below else "AUC")
    ax.set_yticks(range(len(names)), names, fontsize=SMALL * scale)
    for text in ax.get_yticklabels():
        as_plain(text)
    ax.tick_params(axis="y", length=0)
    add_grid(ax)
