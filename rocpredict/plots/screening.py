"""Plots of screening results and of pooled AUCs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from rocpredict.base.formatting import format_estimate, format_level
from rocpredict.base.validation import (
    FloatArray,
    RocPredictError,
    check_int,
    check_option,
    check_probability,
    check_result,
)
from rocpredict.plots import style
from rocpredict.plots.style import LEADER, Box, Canvas, place_labels

if TYPE_CHECKING:
    from rocpredict.screening.pooling import PooledAuc
    from rocpredict.screening.result import ScreeningResult


_TITLED: style.Look = {"title_fontsize": style.SMALL, "alignment": "left"}
#: Properties of a legend that is drawn above the axes because it would hide points inside the axes.
_ABOVE: style.Look = _TITLED | {"loc": "lower right", "bbox_to_anchor": (1.0, 1.0), "frameon": False}
#: Maximum number of characters of a class name.
_MAX_CLASS_LENGTH = 16


class AucStyle(NamedTuple):
    """Drawing style of one kind of AUC; ``columns`` are the table columns with the AUC and its confidence limits."""

    name: str
    marker: str
    color: str
    face: str
    bar: str = ""
    columns: tuple[str, ...] = ()


_EMPIRICAL_COLUMNS = ("empirical_auc", "empirical_low", "empirical_high")
_PREDICTED_COLUMNS = ("auc", "auc_low", "auc_high")
EMPIRICAL_STYLE = AucStyle("empirical", "o", style.TEXT_COLOR, style.TEXT_COLOR, style.TEXT_COLOR, _EMPIRICAL_COLUMNS)
PREDICTED_STYLE = AucStyle("predicted", "D", "#0072B2", "white", "#8FBCDD", _PREDICTED_COLUMNS)
MISFIT = AucStyle("misfit", "X", "#B84A00", "#B84A00", "#F0B48C", _PREDICTED_COLUMNS)
POINT = AucStyle("features", "o", "#0072B2", "#0072B2")


def unique_class_pairs(table: ScreeningResult) -> list[tuple[Any, Any]]:
    """Return the distinct class pairs (negative, positive) of the rows."""
    if len(table.class_pairs) == 1:
        return list(table.class_pairs)
    return list(dict.fromkeys(zip(table["negative"], table["positive"], strict=True)))


def contrast_title(table: ScreeningResult) -> str:
    """Return a title that names the compared classes."""
    class_pairs = unique_class_pairs(table)
    return _format_class_pair(*class_pairs[0]) if len(class_pairs) == 1 else f"{len(class_pairs)} class pairs"


def row_labels(table: ScreeningResult, rows: Iterable[int], longest: int, between: str = ", ") -> list[str]:
    """Return a label for each row: the feature name, followed by the class pair if the table has several pairs."""
    names = [_truncate_middle(table["feature"][row], longest) for row in rows]
    if len(unique_class_pairs(table)) == 1:
        return names
    class_pairs = (_format_class_pair(table["negative"][row], table["positive"][row]) for row in rows)
    return [name + between + class_pair for name, class_pair in zip(names, class_pairs, strict=True)]


def _format_class_pair(negative: object, positive: object) -> str:
    return f"{_truncate_middle(positive, _MAX_CLASS_LENGTH)} against {_truncate_middle(negative, _MAX_CLASS_LENGTH)}"


def _truncate_middle(name: object, longest: int) -> str:
    """Return a name on one line, truncated in the middle because numbered names differ at their ends."""
    return style.plain_text_label(name, longest, tail=longest // 3)


def axis_limits(values: FloatArray) -> tuple[float, float]:
    """Return the limits of an AUC axis that shows all values, with a margin."""
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    margin = max(0.05 * (high - low), 0.01)
    return max(low - margin, -0.02), min(high + margin, 1.02)


_MAX_FIGURE_HEIGHT = 50.0
#: Maximum number of characters of a feature name in the ranking.
_MAX_NAME_LENGTH = 40


def draw_ranking(table: ScreeningResult, ax: Axes | None, *, legend: bool) -> Axes:
    """For each row of a table, draw the AUCs with their confidence intervals."""
    names, misfit = row_labels(table, range(len(table)), _MAX_NAME_LENGTH), table.flag_mask("misfit")
    predicted, empirical = ~np.isnan(table["auc"]), ~np.isnan(table["empirical_auc"])
    if not (predicted | empirical).any():
        raise RocPredictError("no row of the table has an AUC; see table['flags'] for the reasons")
    size = 4.6 + 0.07 * max(map(len, names)), min(1.6 + 0.26 * len(table), _MAX_FIGURE_HEIGHT)
    canvas = Canvas(ax, size, legend=legend)
    scale = min(1.0, 1 / (len(table) * canvas.text_size("")[1]))
    aside = np.where(predicted & empirical, 0.17, 0.0)
    interval = f"{format_level(table.level)} CI"
    for mark, mask, offset, words in (
        (EMPIRICAL_STYLE, empirical, -aside, f"empirical, {interval}"),
        (PREDICTED_STYLE, predicted & ~misfit, aside, f"predicted, {interval}"),
        (MISFIT, predicted & misfit, aside, "predicted, misfit"),
    ):
        if mask.any():
            rows = np.flatnonzero(mask)
            y = rows + offset[rows]
            auc, low, high = (table[name][rows] for name in mark.columns)
            bar: style.Look = {"color": mark.bar, "linewidth": 1.8 * scale, "gid": f"{mark.name}-interval"}
            canvas.ax.hlines(y, low, high, **bar, zorder=2)
            dot: style.Look = {"marker": mark.marker, "markerfacecolor": mark.face, "markeredgecolor": mark.color}
            dots: style.Look = dot | {"color": mark.color, "linestyle": "none", "markersize": 6 * scale}
            canvas.ax.plot(auc, y, **dots, zorder=3, gid=mark.name)
            canvas.add([Line2D([], [], color=mark.bar, linewidth=1.8, markersize=6, **dot)], words)
    canvas.guide("chance", x=0.5, gid="chance")
    properties = style.TEXT_STYLE | {"fontsize": style.SMALL * scale, "color": style.MUTED_COLOR, "fontstyle": "italic"}
    for row in np.flatnonzero(~(predicted | empirical)).tolist():
        flags = table["flags"][row].replace("_", " ")
        why = f"no AUC: {flags}" if flags else "no AUC"
        place = canvas.ax.get_yaxis_transform()
        canvas.ax.text(0.02, row, why, transform=place, va="center", gid="no-auc", **properties)
    areas = np.concatenate([[0.5], *(table[name] for name in _EMPIRICAL_COLUMNS + _PREDICTED_COLUMNS)])
    below = np.nanmin([table["auc"], table["empirical_auc"]]) < 0.5
    canvas.frame(xlim=axis_limits(areas))
    canvas.ax.set_xlabel("AUC (below 0.5: positives have smaller values)" if below else "AUC")
    canvas.name_rows(names, scale)
    canvas.legend(title=contrast_title(table), ncols=2, **_ABOVE)
    return canvas.ax


_MIN_P_VALUE = 5e-324
#: Maximum number of points that are drawn as vectors; a larger number of points is rasterized.
_MAX_VECTOR_POINTS = 1000
#: Number of cells along each axis of the grid that locates the points.
_N_CELLS = 50
#: Maximum width and height of a label, in fractions of the axes; a larger label could cover its own point.
_MAX_LABEL_SIZE = (0.38, 0.14)
#: Maximum number of cells with points that a label may cover.
_MAX_HIDDEN_CELLS = 3
#: Maximum number of characters of a feature name next to a point.
_MAX_LABEL_LENGTH = 20
_ZERO = AucStyle("p = 0", "^", "#0072B2", "#0072B2")
_GUIDE_LINE = "#8A8A8A"


class _Scatter(NamedTuple):
    """Scatter plot of selected rows of a table; ``points`` has shape (rows of the table, 2)."""

    canvas: Canvas
    table: ScreeningResult
    points: FloatArray
    rows: NDArray[np.intp]

    def draw(self, mask: NDArray[np.bool_], mark: AucStyle, words: str) -> None:
        """Draw the points selected by a mask, and add them to the legend.

        If the plot has many points, the markers are smaller and more transparent.
        """
        indices, digits = self.rows[mask[self.rows]], np.log10(len(self.rows))
        if not indices.size:
            return
        properties: style.Look = {"marker": mark.marker, "linestyle": "none", "color": mark.color}
        properties |= {"markerfacecolor": mark.face, "markeredgewidth": 0.0 if mark.face == mark.color else 0.8}
        size, alpha = np.clip([9 - 1.4 * digits, 1.3 - 0.2 * digits], [2, 0.25], [6.5, 0.9]).tolist()
        crowding: style.Look = {"alpha": alpha, "rasterized": len(self.rows) > _MAX_VECTOR_POINTS, "zorder": 3}
        crowding["markersize"] = size if mark.marker == "o" else size + 1.5
        self.canvas.ax.plot(*self.points[indices].T, gid=mark.name, **properties, **crowding)
        self.canvas.add([Line2D([], [], markersize=6, **properties)], f"{words} ({len(indices):,})")

    def missing_note(self) -> str:
        """Return a note about the rows that cannot be drawn."""
        total = len(self.table)
        missing = total - len(self.rows)
        return f"\n({missing:,} of {total:,} rows omitted: missing values)" if missing else ""


def draw_agreement(table: ScreeningResult, ax: Axes | None, label: int, *, legend: bool) -> Axes:
    """Plot the empirical AUC of each row against its predicted AUC."""
    predicted, empirical, misfit = table["auc"], table["empirical_auc"], table.flag_mask("misfit")
    gap = np.abs(predicted - empirical)
    rows = np.flatnonzero(~np.isnan(gap))
    if not rows.size:
        origin = f"(empirical={table.empirical!r})"
        remedy = "call rp.screen with empirical=True or 'top', or use kind='ranking'"
        raise RocPredictError(f"no row of the table has both a predicted and an empirical AUC {origin}; {remedy}")
    canvas = Canvas(ax, legend=legend)
    scatter = _Scatter(canvas, table, np.column_stack([predicted, empirical]), rows)
    limits = axis_limits(scatter.points[rows])
    canvas.frame(xlim=limits, ylim=limits, aspect="equal", ylabel="empirical AUC")
    canvas.ax.set_xlabel("predicted AUC" + scatter.missing_note())
    scatter.draw(~misfit, POINT, "features" if len(unique_class_pairs(table)) == 1 else "rows")
    scatter.draw(misfit, MISFIT, "flagged misfit")
    canvas.diagonal("empirical = predicted", limits, "--", "identity")
    diagonal = np.linspace(0, 1, _N_CELLS)[:, None] * [1, 1]
    furthest = rows[np.argsort(-gap[rows], kind="stable")[:label]]
    _finish(scatter, furthest, diagonal, ("upper left", "lower right"))
    return canvas.ax


def draw_volcano(table: ScreeningResult, ax: Axes | None, label: int, level: float, *, legend: bool) -> Axes:
    """Plot the p-value of each row against its AUC."""
    p, has_empirical = table["p_value"], ~np.isnan(table["empirical_auc"])
    points = np.column_stack([np.where(has_empirical, table["empirical_auc"], table["auc"]), _neg_log10_p(p)])
    rows = np.flatnonzero(~np.isnan(points).any(axis=1))
    if not rows.size:
        raise RocPredictError("no row of the table has both an AUC and a p-value; see table['flags'] for the reasons")
    canvas = Canvas(ax, style.WIDE_FIGSIZE, legend=legend)
    scatter, some = _Scatter(canvas, table, points, rows), has_empirical[rows]
    tallest = max(float(points[rows, 1].max()), float(_neg_log10_p(level)))
    canvas.frame(xlim=axis_limits(np.append(points[rows, 0], 0.5)), ylim=(-0.03 * tallest, 1.12 * tallest))
    kind = "AUC (empirical if available, else predicted)" if some.any() else "predicted AUC"
    xlabel = "empirical AUC" if some.all() else kind
    canvas.ax.set(xlabel=xlabel + scatter.missing_note(), ylabel="−log10 of the p-value")
    _draw_by_level(scatter, p, has_empirical, level)
    line = _draw_level(scatter, p, level)
    canvas.guide("chance", x=0.5, gid="chance")
    corners = ("upper left", "upper center", "upper right", "lower left", "lower right")
    _finish(scatter, rows[:label], line, corners)
    return canvas.ax


def _neg_log10_p(p: Any) -> FloatArray:
    return np.asarray(-np.log10(np.maximum(p, _MIN_P_VALUE)))


def _draw_by_level(scatter: _Scatter, p: FloatArray, has_empirical: NDArray[np.bool_], level: float) -> None:
    """Draw points with q <= level in one color, and points with q > level in another color.

    If the table contains both empirical and predicted AUCs, points with predicted AUCs are hollow.
    """
    is_significant, zero, some = scatter.table["q_value"] <= level, p == 0, has_empirical[scatter.rows]
    mixed = bool(some.any() and not some.all())
    scatter.draw(zero, _ZERO, f"p < {_MIN_P_VALUE:.0e}, drawn at this value".replace("-", "−"))
    for sign, of_sign, color in (("≤", is_significant, POINT.color), (">", ~is_significant, _GUIDE_LINE)):
        for kind, of_kind in (("empirical", has_empirical), ("predicted", ~has_empirical)):
            hollow = mixed and kind == "predicted"
            mark = AucStyle(f"{kind} q {sign}", "o", color, "white" if hollow else color)
            scatter.draw(of_sign & of_kind & ~zero, mark, f"q {sign} {level:g}" + (f", {kind}" if mixed else ""))


def _draw_level(scatter: _Scatter, p: FloatArray, level: float) -> FloatArray:
    """Draw the line at which q equals the level, and return points on this line, in fractions of the axes.

    The line is at the p-value ``level * p / q``, computed from the significant row with the largest p. With the
    Benjamini-Hochberg adjustment, q is ``m * p / k`` in this row if k of the m tested rows are significant, so the
    line is at the critical value ``k * level / m``.
    """
    q = scatter.table["q_value"]
    significant = scatter.rows[(q[scatter.rows] <= level) & (p[scatter.rows] > 0)]
    if not significant.size:
        return np.empty((0, 2))
    last = significant[np.argmax(p[significant])]
    line_y = float(_neg_log10_p(level * p[last] / q[last]))
    scatter.canvas.guide(f"q = {level:g}", y=line_y, linestyle="--", gid="level")
    low, high = scatter.canvas.ax.get_ylim()
    return np.column_stack([np.linspace(0, 1, _N_CELLS), np.full(_N_CELLS, (line_y - low) / (high - low))])


def _finish(scatter: _Scatter, labelled_rows: NDArray[np.intp], lines: FloatArray, corners: Sequence[str]) -> None:
    """Draw the legend in one of the corners, and write the names of rows where there is room."""
    cells = np.unique(np.floor(scatter.canvas.axes_fractions(scatter.points[scatter.rows]) * _N_CELLS), axis=0)
    points = np.concatenate([(cells + 0.5) / _N_CELLS, lines])  # one point represents all points of a cell
    if scatter.canvas.shows_legend:
        _add_legend_off_points(scatter.canvas, contrast_title(scatter.table), points, corners)
    if labelled_rows.size:
        _label_points(scatter, labelled_rows, points)


def _add_legend_off_points(canvas: Canvas, title: str, points: FloatArray, corners: Sequence[str]) -> None:
    """Draw the legend in a corner without points or, if every corner has points, above the axes."""
    width, height = canvas.text_size(max((words for _, words in canvas.entries), key=len))
    width = max(width + 0.14, canvas.text_size(title)[0] + 0.03)
    height = height * (len(canvas.entries) + 1) + 0.05
    boxes = {corner: Box.in_corner(corner, (width, height)) for corner in corners}
    free = [corner for corner, box in boxes.items() if not box.holds(points).any()]
    if free:
        canvas.legend(title=title, loc=free[0], **_TITLED)
        canvas.occupied.append(boxes[free[0]])
    else:
        canvas.legend(title=title, ncols=2 if width < 0.6 else 1, **_ABOVE)


def _label_points(scatter: _Scatter, rows: NDArray[np.intp], points: FloatArray) -> None:
    """Write the names of rows next to their points, except where there is no room."""
    canvas, anchors = scatter.canvas, scatter.points[rows]
    names = row_labels(scatter.table, rows, _MAX_LABEL_LENGTH, "\n")
    sizes = [canvas.text_size(name) for name in names]
    limited = [(min(width, _MAX_LABEL_SIZE[0]), min(height, _MAX_LABEL_SIZE[1])) for width, height in sizes]
    centres = place_labels(canvas.axes_fractions(anchors), limited, points, canvas.occupied)
    properties = {"bbox": style.TEXT_BACKGROUND | {"boxstyle": "round,pad=0.05"}, "gid": "name"}
    for anchor, name, centre, size in zip(anchors, names, centres, sizes, strict=True):
        box = Box.around(centre, size)
        free = box.inside_axes() and not any(map(box.overlaps, canvas.occupied))
        if free and box.holds(points).sum() <= _MAX_HIDDEN_CELLS:
            canvas.label(name, anchor, centre, LEADER | {"shrinkB": 3}, **properties)
            canvas.occupied.append(box)


def plot_screening(
    table: ScreeningResult,
    *,
    kind: Literal["ranking", "agreement", "volcano"] = "ranking",
    n_top: int = 20,
    n_labels: int = 5,
    max_q: float = 0.05,
    ax: Axes | None = None,
    legend: bool = True,
) -> Axes:
    """Plot the result of a screening.

    Parameters
    ----------
    table : ScreeningResult
        Result of ``rocpredict.screen``, or a selection of its rows.
    kind : {"ranking", "agreement", "volcano"}, default="ranking"
        Kind of plot:

        * "ranking": empirical and predicted AUC of the first rows of the table, with confidence intervals.
        * "agreement": empirical against predicted AUC of each row.
        * "volcano": p-value against AUC of each row. The empirical AUC is used if it is available, and the predicted
          AUC otherwise.

        "agreement" and "volcano" omit rows with missing values; the number of omitted rows is printed below the axis.
    n_top : int, default=20
        Number of rows that are plotted in "ranking".
    n_labels : int, default=5
        Maximum number of labeled points. In "agreement", the points with the largest difference between the two AUCs
        are labeled. In "volcano", the first rows of the table are labeled.
    max_q : float, default=0.05
        q-value, in (0, 1), at which a dashed line is drawn in "volcano".
    ax : matplotlib Axes, optional
        Axes to draw on. By default, the axes of a new figure.
    legend : bool, default=True
        Draw a legend with the compared classes. The legend is placed above the axes if it would otherwise hide points.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    RocPredictError
        If ``table`` is not a ScreeningResult, if ``table`` is empty or lacks the values to plot, or if an option is out
        of range.

    Notes
    -----
    Long names are truncated in the middle. The predicted AUC of a row with the flag ``misfit`` is drawn as a cross.

    In "volcano", the dashed line separates the rows with q <= ``max_q`` from the other rows. The line is at the p-value
    ``max_q * p / q``, where p and q are the p-value and the q-value of the least significant row with q <= ``max_q``.
    With the Benjamini-Hochberg adjustment, this p-value is ``max_q * k / m`` if k of the m tested rows have
    q <= ``max_q``. A p-value that is too small for a float is drawn as a triangle at the smallest positive float.

    Examples
    --------
    >>> from rocpredict.datasets import load_iris
    >>> from rocpredict.screening.screen import screen
    >>> iris = load_iris()
    >>> table = screen(iris.X, iris.y, positive="virginica", negative="versicolor", feature_names=iris.feature_names)
    >>> ax = plot_screening(table, n_top=2)
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['petal_length', 'petal_width']
    """
    from rocpredict.screening.result import ScreeningResult  # imported late: other plots do not need it

    check_result("table", table, ScreeningResult, "rp.screen")
    if not len(table):
        raise RocPredictError("table has no rows; pass a table with at least one row")
    check_option("kind", kind, ("ranking", "agreement", "volcano"))
    check_int("n_top", n_top, least=1)
    check_int("n_labels", n_labels, least=0)
    style.check_booleans(legend=legend)
    level = check_probability("max_q", max_q, ends=False)
    if kind == "ranking":
        return draw_ranking(table.top(n_top), ax, legend=legend)
    if kind == "agreement":
        return draw_agreement(table, ax, n_labels, legend=legend)
    return draw_volcano(table, ax, n_labels, level, legend=legend)


def plot_forest(pooled: PooledAuc, *, feature: str | None = None, ax: Axes | None = None, legend: bool = True) -> Axes:
    """Draw a forest plot of one feature, with the AUC of each study and the pooled AUCs.

    Parameters
    ----------
    pooled : PooledAuc
        Result of ``rocpredict.pool``.
    feature : str, optional
        Name of the feature. By default, the first feature.
    ax : matplotlib Axes, optional
        Axes to draw on. By default, the axes of a new figure.
    legend : bool, default=True
        Draw a legend above the axes.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    RocPredictError
        If ``pooled`` is not a PooledAuc, or does not contain an AUC of the feature.

    Notes
    -----
    The area of a square increases with the random-effects weight of the study. Each diamond spans the confidence
    interval of a pooled AUC.

    Examples
    --------
    >>> from rocpredict import TwoClassSummary, pool
    >>> studies = [TwoClassSummary.from_stats(mean=(0, m), std=(1, 1), count=(50, 40)) for m in (0.8, 1.0, 1.3)]
    >>> ax = plot_forest(pool(studies, study_names=["Rome", "Oslo", "Lima"]))
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['Rome', 'Oslo', 'Lima', 'random effects', 'fixed effect']
    """
    from rocpredict.screening.pooling import PooledAuc  # imported late: other plots do not need it

    check_result("pooled", pooled, PooledAuc, "rp.pool")
    style.check_booleans(legend=legend)
    j = pooled.feature_index(feature)
    studies = np.flatnonzero(~np.isnan(pooled.study_auc[j]))
    if not studies.size:
        raise RocPredictError(
            f"no study has an AUC for feature {pooled.feature_names[j]!r}; see pooled.flags for the reasons"
        )
    totals = [("fixed effect", pooled.fixed_auc[j], pooled.fixed_low[j], pooled.fixed_high[j])]
    if not np.isnan(pooled.auc[j]):
        totals.insert(0, ("random effects", pooled.auc[j], pooled.low[j], pooled.high[j]))
    names = [_truncate_middle(pooled.study_names[k], _MAX_NAME_LENGTH) for k in studies]
    rows = [*names, *(name for name, *_ in totals)]
    size = 5.6 + 0.07 * max(map(len, rows)), min(1.6 + 0.3 * len(rows), _MAX_FIGURE_HEIGHT)
    canvas = Canvas(ax, size, legend=legend)
    auc, low, high = (values[j, studies] for values in (pooled.study_auc, pooled.study_low, pooled.study_high))
    y = np.arange(len(studies))
    canvas.ax.hlines(y, low, high, color=PREDICTED_STYLE.bar, linewidth=1.8, zorder=2, gid="study-interval")
    share = pooled.weights[j, studies]
    sizes = 20 + 130 * share / share.max() if share.any() else np.full(len(studies), 80.0)
    canvas.ax.scatter(auc, y, sizes, marker="s", color=PREDICTED_STYLE.color, zorder=3, gid="study")
    interval = f"{format_level(pooled.level)} CI"
    square: style.Look = {"marker": "s", "markerfacecolor": PREDICTED_STYLE.color, "markeredgecolor": "none"}
    canvas.add([Line2D([], [], color=PREDICTED_STYLE.bar, markersize=7, **square)], f"study, {interval}")
    for row, (_, estimate, *limits) in enumerate(totals, len(studies)):
        corners = [limits[0], estimate, limits[1], estimate], [row, row - 0.25, row, row + 0.25]
        canvas.add(canvas.ax.fill(*corners, color=MISFIT.color, zorder=3, gid="pooled"), f"pooled, {interval}")
    canvas.entries = canvas.entries[:2]
    canvas.guide("chance", x=0.5, gid="chance")
    estimates = [*zip(auc, low, high, strict=True), *(numbers for _, *numbers in totals)]
    for row, (estimate, *limits) in enumerate(estimates):
        properties = style.TEXT_STYLE | {"fontsize": style.SMALL, "va": "center"}
        place = canvas.ax.get_yaxis_transform()
        text = format_estimate(float(estimate), limits)
        canvas.ax.text(1.02, row, text, transform=place, gid="estimate", **properties)
    xlim = axis_limits(np.array([0.5, *(number for numbers in estimates for number in numbers)]))
    canvas.frame(xlim=xlim)
    style.escape_mathtext(canvas.ax.set_xlabel(f"AUC of {_truncate_middle(pooled.feature_names[j], _MAX_NAME_LENGTH)}"))
    canvas.name_rows(rows)
    canvas.legend(ncols=3, **_ABOVE)
    return canvas.ax
