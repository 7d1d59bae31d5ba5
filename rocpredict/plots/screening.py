"""Plots of a screening."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from rocpredict.base.results import format_level
from rocpredict.base.validation import (
    FloatArray,
    RocPredictError,
    check_int,
    check_option,
    check_probability,
    short_repr,
)
from rocpredict.plots.labels import Box, place_labels, text_size
from rocpredict.plots.style import (
    MUTED_COLOR,
    MUTED_LINE_STYLE,
    SMALL,
    SQUARE_FIGSIZE,
    TEXT_BACKGROUND,
    TEXT_COLOR,
    WIDE_FIGSIZE,
    LegendEntry,
    add_legend,
    check_booleans,
    escape_mathtext,
    get_or_create_axes,
    replace_missing_glyphs,
)

if TYPE_CHECKING:
    from rocpredict.screening.result import ScreeningResult


LEGEND_ABOVE: dict[str, Any] = {"loc": "lower right", "bbox_to_anchor": (1.0, 1.0), "frameon": False}
"""Where a legend goes that would hide something inside."""
_CLASS = 16
"""Most characters of a class."""


class AucStyle(NamedTuple):
    """Say how one kind of AUC is drawn; a dot of each kind has a shape of its own."""

    name: str
    marker: str
    colour: str
    face: str
    bar: str = ""


EMPIRICAL_STYLE = AucStyle("empirical", "o", TEXT_COLOR, TEXT_COLOR, TEXT_COLOR)
PREDICTED_STYLE = AucStyle("predicted", "D", "#0072B2", "white", "#8FBCDD")
MISFIT = AucStyle("misfit", "X", "#B84A00", "#B84A00", "#F0B48C")
POINT = AucStyle("features", "o", "#0072B2", "#0072B2")


def misfit_mask(table: ScreeningResult) -> NDArray[np.bool_]:
    """Tell which rows are flagged as a misfit."""
    return table.flag_mask("misfit")


def unique_contrasts(table: ScreeningResult) -> list[tuple[Any, Any]]:
    """Give the pairs (negative, positive) that the rows have."""
    if len(table.contrasts) == 1:
        return list(table.contrasts)
    return list(dict.fromkeys(zip(table["negative"], table["positive"], strict=True)))


def contrast_title(table: ScreeningResult) -> str:
    """Say which classes the table compares."""
    contrasts = unique_contrasts(table)
    return _format_contrast(*contrasts[0]) if len(contrasts) == 1 else f"{len(contrasts)} contrasts"


def row_labels(table: ScreeningResult, rows: Iterable[int], longest: int, between: str = ", ") -> list[str]:
    """Name rows by their feature, and by their contrast where there are several."""
    names = [_truncate_middle(table["feature"][row], longest) for row in rows]
    if len(unique_contrasts(table)) == 1:
        return names
    contrasts = (_format_contrast(table["negative"][row], table["positive"][row]) for row in rows)
    return [name + between + contrast for name, contrast in zip(names, contrasts, strict=True)]


def _format_contrast(negative: object, positive: object) -> str:
    return f"{_truncate_middle(positive, _CLASS)} against {_truncate_middle(negative, _CLASS)}"


def _truncate_middle(name: object, longest: int) -> str:
    """Give a name on one line, cut in the middle where it is too long: numbered names differ at their ends."""
    line = replace_missing_glyphs(" ".join(str(name).split()))
    tail = longest // 3
    return line if len(line) <= longest else f"{line[: longest - tail - 1]}…{line[-tail:]}"


def axis_limits(values: FloatArray) -> tuple[float, float]:
    """Give the part of [0, 1] that holds the values, with a margin."""
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    margin = max(0.05 * (high - low), 0.01)
    return max(low - margin, -0.02), min(high + margin, 1.02)


def add_grid(ax: Axes) -> None:
    """Draw a faint grid below everything else."""
    ax.grid(visible=True, color="#E4E4E4", linewidth=0.6)
    ax.set_axisbelow(True)


def add_titled_legend(ax: Axes, table: ScreeningResult, entries: Sequence[LegendEntry], **options: Any) -> None:
    """Draw a legend below the classes that are compared."""
    legend = add_legend(ax, entries, title=" ", title_fontsize=SMALL, alignment="left", **options)
    escape_mathtext(legend.get_title()).set_text(contrast_title(table))


_TALLEST = 50.0
_NAME = 40
"""Most characters of a feature."""
_INTERVALS = {
    "empirical": ("empirical_auc", "empirical_low", "empirical_high"),
    "predicted": ("auc", "auc_low", "auc_high"),
    "misfit": ("auc", "auc_low", "auc_high"),
}


def draw_ranking(table: ScreeningResult, ax: Axes | None, *, legend: bool) -> Axes:
    """Draw all rows of a table, each with the interval of its AUCs."""
    names, misfit = row_labels(table, range(len(table)), _NAME), misfit_mask(table)
    there = {name: ~np.isnan(table[name]) for name in ("auc", "empirical_auc")}
    neither = ~np.logical_or(*there.values())
    if neither.all():
        raise RocPredictError(f"none of the {len(table)} rows to draw has an AUC; table['flags'] says why")
    ax = get_or_create_axes(ax, (4.6 + 0.07 * max(map(len, names)), min(1.6 + 0.26 * len(table), _TALLEST)))
    scale = min(1.0, 1 / (len(table) * text_size(ax, "", SMALL)[1]))
    aside = np.where(np.logical_and(*there.values()), 0.17, 0.0)
    interval = f"{format_level(table.level)} interval"
    entries: list[LegendEntry] = []
    for style, mask, offset, words in (
        (EMPIRICAL_STYLE, there["empirical_auc"], -aside, f"empirical, {interval}"),
        (PREDICTED_STYLE, there["auc"] & ~misfit, aside, f"predicted, {interval}"),
        (MISFIT, there["auc"] & misfit, aside, "predicted, misfit"),
    ):
        if mask.any():
            entries.append((_draw_intervals(ax, table, np.flatnonzero(mask), offset, style=style, scale=scale), words))
    entries.append((ax.axvline(0.5, linestyle=":", gid="chance", **MUTED_LINE_STYLE), "chance"))
    for row in np.flatnonzero(neither).tolist():
        _annotate_missing(ax, row, table["flags"][row], scale)
    _frame_ranking(ax, table, names, scale)
    if legend:
        add_titled_legend(ax, table, entries, **LEGEND_ABOVE, ncols=2)
    return ax


def _draw_intervals(
    ax: Axes, table: ScreeningResult, rows: NDArray[np.intp], offset: FloatArray, *, style: AucStyle, scale: float
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


def _annotate_missing(ax: Axes, row: int, flags: str, scale: float) -> None:
    """Write in a row without an AUC that there is none."""
    why = f"no AUC: {flags.replace('_', ' ')}" if flags else "no AUC"
    at = ax.get_yaxis_transform()
    look: dict[str, Any] = {
        "fontsize": SMALL * scale,
        "fontstyle": "italic",
        "color": MUTED_COLOR,
        "bbox": TEXT_BACKGROUND,
    }
    ax.text(0.02, row, why, transform=at, va="center", gid="no-auc", **look)


def _frame_ranking(ax: Axes, table: ScreeningResult, names: list[str], scale: float) -> None:
    drawn = np.concatenate(
        [table[name] for style in (EMPIRICAL_STYLE, PREDICTED_STYLE) for name in _INTERVALS[style.name]]
    )
    below = np.nanmin([table["auc"], table["empirical_auc"]]) < 0.5
    ax.set(xlim=axis_limits(np.append(drawn, 0.5)), ylim=(len(names) - 0.4, -0.6))
    ax.set_xlabel("AUC (below 0.5: positives lie lower)" if below else "AUC")
    ax.set_yticks(range(len(names)), names, fontsize=SMALL * scale)
    for text in ax.get_yticklabels():
        escape_mathtext(text)
    ax.tick_params(axis="y", length=0)
    add_grid(ax)


_SMALLEST = float(np.nextafter(0, 1))
_MAX_VECTOR_POINTS = 1000
"""More points than these are drawn as pixels, also in a vector file."""
_N_CELLS = 50
"""Into how many parts each axis is cut to see where points are."""
_LARGEST = (0.38, 0.14)
"""Width and height of a label, in shares of the axes: a larger one could come to lie on its own point."""
_MIN_ALPHA = 3
"""How many parts with points a name may hide."""
_LABEL = 20
"""Most characters of a feature beside a point."""
_ZERO = AucStyle("p = 0", "^", "#0072B2", "#0072B2")
_GUIDE_LINE = "#8A8A8A"


class _ScatterData(NamedTuple):
    """Hold where points lie: ``points`` of shape (rows of the table, 2), of which ``rows`` are drawn."""

    ax: Axes
    table: ScreeningResult
    points: FloatArray
    rows: NDArray[np.intp]

    def draw(self, mask: NDArray[np.bool_], style: AucStyle, words: str) -> list[LegendEntry]:
        """Draw some points, the smaller and fainter the more there are in all, and give their entry of the legend."""
        chosen, digits = self.rows[mask[self.rows]], np.log10(len(self.rows))
        if not chosen.size:
            return []
        look: dict[str, Any] = {"marker": style.marker, "linestyle": "none", "color": style.colour}
        look |= {"markerfacecolor": style.face, "markeredgewidth": 0.0 if style.face == style.colour else 0.8}
        size, alpha = np.clip([9 - 1.4 * digits, 1.3 - 0.2 * digits], [2, 0.25], [6.5, 0.9]).tolist()
        many: dict[str, Any] = {"alpha": alpha, "rasterized": len(self.rows) > _MAX_VECTOR_POINTS, "zorder": 3}
        many["markersize"] = size if style.marker == "o" else size + 1.5
        self.ax.plot(*self.points[chosen].T, gid=style.name, **look, **many)
        return [(Line2D([], [], markersize=6, **look), f"{words} ({len(chosen):,})")]

    def shares(self, rows: NDArray[np.intp]) -> FloatArray:
        """Give where rows lie, in shares of the axes."""
        low, high = np.transpose([self.ax.get_xlim(), self.ax.get_ylim()])
        return np.asarray((self.points[rows] - low) / (high - low))

    def cells(self) -> FloatArray:
        """Give where there are points, in shares of the axes: one for all of them in a cell."""
        return np.asarray((np.unique(np.floor(self.shares(self.rows) * _N_CELLS), axis=0) + 0.5) / _N_CELLS)


def draw_agreement(table: ScreeningResult, ax: Axes | None, label: int, *, legend: bool) -> Axes:
    """Draw the empirical AUC of each row over its predicted one."""
    predicted, empirical, misfit = table["auc"], table["empirical_auc"], misfit_mask(table)
    gap = np.abs(predicted - empirical)
    rows = np.flatnonzero(~np.isnan(gap))
    if not rows.size:
        raise RocPredictError(
            f"no row of the table has both a predicted and an empirical AUC (it was made with empirical="
            f"{table.empirical!r}); screen with empirical=True or 'top', or draw kind='ranking'"
        )
    cloud = _ScatterData(get_or_create_axes(ax, SQUARE_FIGSIZE), table, np.column_stack([predicted, empirical]), rows)
    limits = axis_limits(cloud.points[rows])
    cloud.ax.set(xlim=limits, ylim=limits, aspect="equal", ylabel="empirical AUC")
    cloud.ax.set_xlabel("predicted AUC" + _missing_note(cloud))
    entries = cloud.draw(~misfit, POINT, "features" if len(unique_contrasts(table)) == 1 else "rows")
    entries += cloud.draw(misfit, MISFIT, "flagged misfit")
    (line,) = cloud.ax.plot(limits, limits, linestyle="--", gid="identity", **MUTED_LINE_STYLE)
    entries.append((line, "empirical = predicted"))
    diagonal = np.linspace(0, 1, _N_CELLS)[:, None] * [1, 1]
    furthest = rows[np.argsort(-gap[rows], kind="stable")[:label]]
    _finish(cloud, entries, furthest, diagonal, ("upper left", "lower right") if legend else ())
    return cloud.ax


def draw_volcano(table: ScreeningResult, ax: Axes | None, label: int, level: float, *, legend: bool) -> Axes:
    """Draw the p-value of each row over its AUC."""
    p, counted = table["p_value"], ~np.isnan(table["empirical_auc"])
    spots = np.column_stack([np.where(counted, table["empirical_auc"], table["auc"]), _neg_log10_p(p)])
    rows = np.flatnonzero(~np.isnan(spots).any(axis=1))
    if not rows.size:
        raise RocPredictError("no row of the table has both an AUC and a p-value; table['flags'] says why")
    cloud = _ScatterData(get_or_create_axes(ax, WIDE_FIGSIZE), table, spots, rows)
    tallest = max(float(spots[rows, 1].max()), float(_neg_log10_p(level)))
    cloud.ax.set(xlim=axis_limits(np.append(spots[rows, 0], 0.5)), ylim=(-0.03 * tallest, 1.12 * tallest))
    cloud.ax.set(xlabel=_which_auc(counted[rows]) + _missing_note(cloud))
    cloud.ax.set(ylabel="−log10 of the p-value")
    entries = _draw_by_level(cloud, p, counted, level)
    line, entry = _draw_level(cloud, level)
    entries += entry
    entries.append((cloud.ax.axvline(0.5, linestyle=":", gid="chance", **MUTED_LINE_STYLE), "chance"))
    corners = ("upper left", "upper center", "upper right", "lower left", "lower right")
    _finish(cloud, entries, rows[:label], line, corners if legend else ())
    return cloud.ax


def _neg_log10_p(p: Any) -> FloatArray:
    return np.asarray(-np.log10(np.maximum(p, _SMALLEST)))


def _draw_by_level(cloud: _ScatterData, p: FloatArray, counted: NDArray[np.bool_], level: float) -> list[LegendEntry]:
    """Draw points by whether q is within the level; hollow where others were counted but these were not."""
    found, zero, some = cloud.table["q_value"] <= level, p == 0, counted[cloud.rows]
    mixed = bool(some.any() and not some.all())
    entries = cloud.draw(zero, _ZERO, f"p below {_SMALLEST:.0e}, drawn there".replace("-", "−"))
    for sign, of_sign, colour in (("≤", found, POINT.colour), (">", ~found, _GUIDE_LINE)):
        for kind, of_kind in (("empirical", counted), ("predicted", ~counted)):
            hollow = mixed and kind == "predicted"
            style = AucStyle(f"{kind} q {sign}", "o", colour, "white" if hollow else colour)
            words = f"q {sign} {level:g}" + (f", {kind}" if mixed else "")
            entries += cloud.draw(of_sign & of_kind & ~zero, style, words)
    return entries


def _draw_level(cloud: _ScatterData, level: float) -> tuple[FloatArray, list[LegendEntry]]:
    """Draw the line between what is within the level and what is not, and give points on it and its entry.

    No q-value is below its p-value, so that the line lies no lower than where p is the level.
    """
    found, heights = (cloud.table["q_value"] <= level)[cloud.rows], cloud.points[cloud.rows, 1]
    if not found.any():
        return np.empty((0, 2)), []
    floor = float(_neg_log10_p(level))
    at = floor if found.all() else (heights[found].min() + max(floor, heights[~found].max())) / 2
    low, high = cloud.ax.get_ylim()
    along = np.linspace(0, 1, _N_CELLS)
    line = cloud.ax.axhline(at, linestyle="--", gid="level", **MUTED_LINE_STYLE)
    return np.column_stack([along, np.full(_N_CELLS, (at - low) / (high - low))]), [(line, f"q = {level:g}")]


def _which_auc(counted: NDArray[np.bool_]) -> str:
    if counted.all():
        return "empirical AUC"
    return "AUC (empirical where counted, else predicted)" if counted.any() else "predicted AUC"


def _missing_note(cloud: _ScatterData) -> str:
    total = len(cloud.table)
    missing = total - len(cloud.rows)
    return f"\n({missing:,} of {total:,} rows lack one: left out)" if missing else ""


def _finish(
    cloud: _ScatterData,
    entries: Sequence[LegendEntry],
    named: NDArray[np.intp],
    lines: FloatArray,
    corners: Sequence[str],
) -> None:
    """Add what goes where there is room: the legend, in one of the corners if any are given, and names of rows."""
    add_grid(cloud.ax)
    points = np.concatenate([cloud.cells(), lines])
    taken = _legend_outside_points(cloud, entries, points, corners) if corners else []
    if named.size:
        _label_points(cloud, named, points, taken)


def _legend_outside_points(
    cloud: _ScatterData, entries: Sequence[LegendEntry], points: FloatArray, corners: Sequence[str]
) -> list[Box]:
    """Draw a legend in a corner without points, and give what it takes; where there is none, above the axes."""
    width, height = text_size(cloud.ax, max((words for _, words in entries), key=len), SMALL)
    width = max(width + 0.14, text_size(cloud.ax, contrast_title(cloud.table), SMALL)[0] + 0.03)
    height = height * (len(entries) + 1) + 0.05
    left = {"left": 0.0, "center": (1 - width) / 2, "right": 1 - width}
    for corner in corners:
        edge, side = corner.split()
        bottom = 0.0 if edge == "lower" else 1 - height
        box = Box(left[side], bottom, left[side] + width, bottom + height)
        if not box.holds(points).any():
            add_titled_legend(cloud.ax, cloud.table, entries, loc=corner)
            return [box]
    add_titled_legend(cloud.ax, cloud.table, entries, **LEGEND_ABOVE, ncols=2 if width < 0.6 else 1)
    return []


def _label_points(cloud: _ScatterData, rows: NDArray[np.intp], points: FloatArray, taken: list[Box]) -> None:
    """Write the names of rows beside their points, but for those that find no room."""
    names, shares = row_labels(cloud.table, rows, _LABEL, "\n"), cloud.shares(rows)
    sizes = [_size(cloud.ax, name) for name in names]
    centres = place_labels(shares, [(min(w, _LARGEST[0]), min(h, _LARGEST[1])) for w, h in sizes], points, taken)
    look: dict[str, Any] = {"fontsize": SMALL, "color": TEXT_COLOR, "ha": "center", "va": "center"}
    look["bbox"] = TEXT_BACKGROUND | {"boxstyle": "round,pad=0.05"}
    look["arrowprops"] = {"arrowstyle": "-", "color": MUTED_COLOR, "linewidth": 0.8, "shrinkA": 0, "shrinkB": 3}
    for row, name, (x, y), (width, height) in zip(rows, names, centres, sizes, strict=True):
        box = Box(x - width / 2, y - height / 2, x + width / 2, y + height / 2)
        inside = min(box.left, box.bottom, 1 - box.right, 1 - box.top) >= 0
        if inside and not any(map(box.overlaps, taken)) and box.holds(points).sum() <= _MIN_ALPHA:
            at = tuple(cloud.points[row])
            text = cloud.ax.annotate(name, at, (x, y), textcoords="axes fraction", zorder=6, gid="name", **look)
            escape_mathtext(text)
            taken = [*taken, box]


def _size(ax: Axes, name: str) -> tuple[float, float]:
    lines = name.split("\n")
    width, height = text_size(ax, max(lines, key=len), SMALL)
    return width, height * len(lines)


def plot_screening(
    table: ScreeningResult,
    *,
    kind: str = "ranking",
    top: int = 20,
    label: int = 5,
    q: float = 0.05,
    ax: Axes | None = None,
    legend: bool = True,
) -> Axes:
    """Draw what a screening found.

    Parameters
    ----------
    table : ScreeningResult
        As ``rocpredict.screen`` gives it, or a part of it.
    kind : {"ranking", "agreement", "volcano"}
        "ranking": the first rows in the order of the table, with the empirical and the predicted AUC and the interval
        of each. "agreement": the empirical AUC of each row over its predicted one. "volcano": the p-value of each row
        over its AUC, which is the empirical one where there is one. Rows that lack what is drawn are left out of the
        last two, and counted below the axis.
    top : int
        How many rows a ranking has.
    label : int
        How many points carry their name: in "agreement" those whose two AUCs lie furthest apart, in "volcano" the
        first of the table; but for names that find no room.
    q : float
        In "volcano": the level at which ``q_value`` is marked.
    ax : matplotlib Axes, optional
        Where to draw; left out, a figure of its own.
    legend : bool
        Say what is what, and which classes are compared; above the axes where it would hide points inside.

    Returns
    -------
    Axes

    Raises
    ------
    RocPredictError
        No ScreeningResult, one without rows, or one that lacks what the picture shows; an unknown kind; ``top`` below
        1, ``label`` below 0, ``q`` outside (0, 1).

    Notes
    -----
    Names are shown literally; a long one is cut in the middle. Rows flagged ``misfit`` have a cross for the predicted
    AUC. A p-value of 0 is one too small for a float: it is drawn at the smallest there is, as a triangle.

    Examples
    --------
    >>> from rocpredict.datasets import load_iris
    >>> from rocpredict.screening.screen import screen
    >>> iris = load_iris()
    >>> table = screen(iris.X, iris.y, positive="virginica", negative="versicolor", feature_names=iris.feature_names)
    >>> ax = plot_screening(table, top=2)
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['petal_length', 'petal_width']
    """
    _check(table)
    check_option("kind", kind, ("ranking", "agreement", "volcano"))
    if check_int("top", top) < 1:
        raise RocPredictError(f"top={top} is below 1; give the number of rows to draw")
    if check_int("label", label) < 0:
        raise RocPredictError(f"label={label} is below 0; give the number of points to name, or 0")
    check_booleans(legend=legend)
    level = check_probability("q", q, ends=False)
    if kind == "ranking":
        return draw_ranking(table.top(top), ax, legend=legend)
    if kind == "agreement":
        return draw_agreement(table, ax, label, legend=legend)
    return draw_volcano(table, ax, label, level, legend=legend)


def _check(table: object) -> None:
    """Refuse what is no screening, or one without rows."""
    from rocpredict.screening.result import ScreeningResult  # who draws a ROC needs none of this

    if not isinstance(table, ScreeningResult):
        raise RocPredictError(f"table={short_repr(table)} is not a ScreeningResult; give what rp.screen returns")
    if not len(table):
        raise RocPredictError("table has no rows: there is nothing to draw")
