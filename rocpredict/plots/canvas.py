"""Canvas of a plot with axes, legend entries and label placement."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rocpredict.base.validation import FloatArray
from rocpredict.plots import style
from rocpredict.roc.base import Roc
from rocpredict.roc.empirical import EmpiricalRoc

_ANGLES = np.deg2rad(np.arange(-45, 315, 15))
_DIRECTIONS = np.column_stack([np.cos(_ANGLES), np.sin(_ANGLES)])
_DISTANCES = (0.03, 0.05, 0.08, 0.11, 0.15, 0.20, 0.26)
_MIN_DISTANCE = 0.012  # distance below which a leader line crosses a point, in fractions of the axes
_POINTS = 160
#: Leader line from a label to its point.
LEADER: style.Look = {"arrowstyle": "-", "color": style.MUTED_COLOR, "linewidth": 0.8, "shrinkA": 0, "shrinkB": 5}
_ARROW: style.Look = {"arrowstyle": "->", "color": style.TEXT_COLOR, "shrinkA": 0, "shrinkB": 3}
_CHANCE = np.array([[0.0, 0.0], [1.0, 1.0]])


class Box(NamedTuple):
    """Rectangle in fractions of the axes."""

    left: float
    bottom: float
    right: float
    top: float

    @classmethod
    def around(cls, centre: tuple[float, float], size: tuple[float, float]) -> Box:
        """Return a rectangle of this size centred at a point."""
        (x, y), (width, height) = centre, size
        return cls(x - width / 2, y - height / 2, x + width / 2, y + height / 2)

    @classmethod
    def in_corner(cls, corner: str, size: tuple[float, float]) -> Box:
        """Return a rectangle of this size at a corner or edge of the axes, such as "lower right" or "upper center"."""
        (edge, horizontal), (width, height) = corner.split(), size
        left = {"left": 0.0, "center": (1 - width) / 2, "right": 1 - width}[horizontal]
        bottom = 0.0 if edge == "lower" else 1 - height
        return cls(left, bottom, left + width, bottom + height)

    def holds(self, points: FloatArray) -> NDArray[np.bool_]:
        """Return True for each of the points (n, 2) inside the rectangle."""
        x, y = points.T
        return np.asarray((x > self.left) & (x < self.right) & (y > self.bottom) & (y < self.top))

    def overlaps(self, other: Box) -> bool:
        """Return True if two rectangles overlap."""
        is_left_or_right = self.right < other.left or other.right < self.left
        return not (is_left_or_right or self.top < other.bottom or other.top < self.bottom)

    def inside_axes(self) -> bool:
        """Return True if the rectangle is within the axes."""
        return min(self.left, self.bottom, 1 - self.right, 1 - self.top) >= 0

    def centre(self) -> tuple[float, float]:
        """Return the centre."""
        return (self.left + self.right) / 2, (self.bottom + self.top) / 2


class Canvas:
    """Axes of one plot, with the entries of its legend and the areas that labels avoid.

    Parameters
    ----------
    ax : matplotlib Axes or None
        Axes to draw on; None creates a figure.
    size : pair of float
        Size of a new figure, in inches.
    legend : bool, default=True
        Draw a legend.

    Attributes
    ----------
    ax : matplotlib Axes
        Axes of the plot.
    entries : list of (artist, str)
        Entries of the legend.
    paths : list of arrays of shape (n, 2)
        Curves that labels avoid.
    occupied : list of Box
        Rectangles of the legend and of labels, which further labels avoid.
    """

    def __init__(self, ax: object, size: tuple[float, float] = style.SQUARE_FIGSIZE, *, legend: bool = True) -> None:
        self.shows_legend = legend
        if ax is None:
            ax = style.NotebookFigure(size).add_subplot(axes_class=style.NotebookAxes)
        self.ax = style.check_axes(ax)
        self.entries: list[tuple[Any, str]] = []
        self.paths: list[FloatArray] = []
        self.occupied: list[Box] = []

    def frame(self, grid: Any = "both", **properties: Any) -> None:
        """Set properties of the axes and draw a light grid below all other artists."""
        self.ax.set(**properties)
        self.ax.grid(visible=True, axis=grid, color="#E4E4E4", linewidth=0.6)
        self.ax.set_axisbelow(True)

    def name_feature(self, feature: str, unit: str | None) -> None:
        """Label the x axis with a feature and its unit."""
        name = style.plain_text_label(feature)
        if unit is not None:
            name += f" [{style.plain_text_label(unit, 16)}]"
        style.escape_mathtext(self.ax.set_xlabel(name))

    def add(self, artists: Sequence[Any], name: str) -> None:
        """Add a legend entry for the first artist, if any artist is passed."""
        self.entries += [(artist, name) for artist in artists[:1]]

    def curves(self, kind: str, rocs: Sequence[Roc], paths: Sequence[FloatArray], names: Sequence[str]) -> list[Any]:
        """Draw one path (n, 2) for each curve, with thinner lines for empirical curves, and return the lines."""
        lines = []
        for index, (roc, path, name) in enumerate(zip(rocs, paths, names, strict=True)):
            properties = style.line_style(index, 1.3 if isinstance(roc, EmpiricalRoc) else 2.0)
            lines += self.ax.plot(*path.T, gid=f"{kind}-{index}", **properties)
            self.add(lines[-1:], name)
        self.paths += paths
        return lines

    def diagonal(
        self, name: str = "chance", limits: Sequence[float] = (0, 1), linestyle: str = ":", gid: str | None = None
    ) -> None:
        """Draw the line y = x, which is the chance line of a ROC plot."""
        self.add(self.ax.plot(limits, limits, linestyle=linestyle, gid=gid, **style.MUTED_LINE_STYLE), name)

    def guide(self, name: str, *, x: float | None = None, y: float = 0, **properties: Any) -> None:
        """Draw a vertical line at x or a horizontal line at y, with a legend entry."""
        properties = style.MUTED_LINE_STYLE | {"linestyle": ":"} | properties
        self.add([self.ax.axhline(y, **properties) if x is None else self.ax.axvline(x, **properties)], name)

    def ring(self, index: int, point: Sequence[float], gid: str) -> list[Any]:
        """Draw a circle around a point in the colour of a curve."""
        edge: style.Look = {"markeredgecolor": style.CURVES[index % len(style.CURVES)][0], "markeredgewidth": 1.8}
        return self.ax.plot(*point, "o", markerfacecolor="white", **edge, markersize=8, zorder=5, gid=gid)

    def legend(self, **options: Any) -> bool:
        """Draw the legend if it is enabled and has entries, and return True if it was drawn.

        Names that begin with an underscore are shown too.
        """
        if not (self.shows_legend and self.entries):
            return False
        properties = {"fontsize": style.SMALL, "handlelength": 3.2, "framealpha": 0.9} | options
        legend = self.ax.legend([artist for artist, _ in self.entries], [" "] * len(self.entries), **properties)
        style.escape_mathtext(legend.get_title())
        for text, (_, label) in zip(legend.get_texts(), self.entries, strict=True):
            style.escape_mathtext(text).set_text(label)
        return True

    def legend_above(self, columns: int, *, spacing: float = 1.4) -> None:
        """Draw the legend above the axes."""
        place: style.Look = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0.1}
        self.legend(ncols=columns, columnspacing=spacing, frameon=False, **place)

    def legend_in(self, corner: str) -> None:
        """Draw the legend in a corner, such as "lower right", and mark the corner as occupied."""
        if self.legend(loc=corner):
            width, height = self.text_size(max((words for _, words in self.entries), key=len))
            self.occupied.append(Box.in_corner(corner, (width + 0.16, height * len(self.entries) + 0.04)))

    def legend_off_curves(self, aucs: Sequence[float]) -> None:
        """Draw the legend in the corner that ROC curves with these AUCs leave free."""
        self.legend_in("lower right" if np.mean(aucs) >= 0.5 else "upper left")

    def text_size(self, text: str) -> tuple[float, float]:
        """Estimate width and height of a text, in fractions of the axes."""
        lines, extent = text.split("\n"), self.ax.get_window_extent()
        points = 72 / self.ax.get_figure(root=True).dpi  # type: ignore[union-attr]
        height = 1.5 * style.SMALL / (extent.height * points)
        return 0.57 * style.SMALL * max(map(len, lines)) / (extent.width * points), height * len(lines)

    def axes_fractions(self, points: FloatArray) -> FloatArray:
        """Return points (n, 2) in fractions of the axes, clipped to [-0.2, 1.2]."""
        low, high = np.transpose([self.ax.get_xlim(), self.ax.get_ylim()])
        return np.asarray(np.clip((points - low) / (high - low), -0.2, 1.2))

    def label(
        self, text: str, point: FloatArray, centre: tuple[float, float], arrow: style.Look = LEADER, **look: Any
    ) -> None:
        """Write a label at a position in fractions of the axes, with a leader line to its point."""
        look = style.TEXT_STYLE | {"ha": "center", "va": "center", "zorder": 6, "arrowprops": arrow} | look
        style.escape_mathtext(self.ax.annotate(text, tuple(point), centre, textcoords="axes fraction", **look))

    def mark_threshold(
        self, words: str, threshold: float, height: float, *, left: bool, lift: float = 0, **line_look: Any
    ) -> None:
        """Draw a threshold line with a label, or only the label if the threshold is outside the axes."""
        low, high = self.ax.get_xlim()
        position, shift, alignment = (low + high) / 2, 0, "center"
        if low <= threshold <= high:
            self.ax.axvline(threshold, color=style.TEXT_COLOR, gid="threshold", **line_look)
            position, shift, alignment = (threshold, -6, "right") if left else (threshold, 6, "left")
        place: style.Look = {"textcoords": "offset points", "ha": alignment, "va": "center", "zorder": 7}
        self.ax.annotate(words, (position, height), (shift, lift), **place, **style.TEXT_STYLE)

    def mark_best(self, rocs: Sequence[Roc], scale: Callable[[Any], Any] = np.asarray) -> None:
        """Mark the best point of each curve with its number and rule.

        ``scale`` converts rates to the scale of the axes.
        """
        thresholds = [roc.best_threshold() for roc in rocs]
        rates = np.array([(best.fpr, best.tpr) for best in thresholds])
        points = scale(rates)
        words = [style.format_rule(best.threshold, roc.direction) for best, roc in zip(thresholds, rocs, strict=True)]
        words = [f"{n}: {w}" for n, w in enumerate(words, 1)] if len(rocs) > 1 else [f"best: {w}" for w in words]
        positions = self.axes_fractions(points)
        inside = np.all((positions >= 0) & (positions <= 1), axis=1)
        order = [i for i in np.argsort(rates[:, 0] - rates[:, 1]) if inside[i]]
        if not order:
            return
        sizes = [self.text_size(words[i]) for i in order]
        centres = self._place(points[order], sizes, self.paths)
        for i, centre in zip(order, centres, strict=True):
            self.ring(i, points[i], f"best-{i}")
            self.label(words[i], points[i], centre)
        self.occupied += map(Box.around, centres, sizes)

    def mark_gap(self, fpr: float, gap: float, tpr_values: Sequence[float]) -> None:
        """Draw the largest TPR difference (predicted - empirical) of two curves, and write its value."""
        line = {"color": style.TEXT_COLOR, "linewidth": 2, "marker": "_", "markersize": 9, "zorder": 6}
        self.ax.plot([fpr, fpr], tpr_values, **line, gid="largest-gap")  # type: ignore[arg-type]
        point = np.array([fpr, sum(tpr_values) / 2])
        size = f"{gap:+.3f}".replace("-", "−") if abs(gap) >= 0.0005 else "below 0.001"
        text = f"TPR difference {size}\nat FPR {fpr:.3f}"
        width, height = self.text_size(text)
        (centre,) = self._place(point[None], [(width, 0.85 * height)], [*self.paths, _CHANCE])
        self.label(text, point, centre, _ARROW)

    def _place(
        self, anchors: FloatArray, sizes: Sequence[tuple[float, float]], paths: Sequence[FloatArray]
    ) -> list[tuple[float, float]]:
        points = []
        for path in map(self.axes_fractions, paths):  # evenly spaced points along the finite part of each path
            path_points = path[np.isfinite(path).all(axis=1)]
            if len(path_points):
                along = np.append(0.0, np.cumsum(np.hypot(*np.diff(path_points, axis=0).T)))
                distances = np.linspace(0, along[-1], _POINTS)
                points += [np.column_stack([np.interp(distances, along, part) for part in path_points.T])]
        drawn = np.concatenate([np.empty((0, 2)), *points])
        return place_labels(self.axes_fractions(anchors), sizes, drawn, self.occupied)


def place_labels(
    positions: FloatArray, sizes: Sequence[tuple[float, float]], points: FloatArray, occupied: Sequence[Box]
) -> list[tuple[float, float]]:
    """Return the centre of each label, close to its anchor and away from points, other labels and occupied boxes.

    Parameters
    ----------
    positions : array of shape (n, 2)
        Anchors. All positions and sizes are in fractions of the axes.
    sizes : sequence of n pairs (width, height)
        Sizes of the labels.
    points : array of shape (m, 2)
        Points that are drawn.
    occupied : sequence of Box
        Rectangles that are already used.
    """
    boxes = [*occupied, *(Box.around((x, y), (0.04, 0.04)) for x, y in positions)]
    for anchor, size in zip(positions, sizes, strict=True):
        others = [box for box in boxes if not box.holds(anchor[None]).any()]
        reaches = np.add.outer(_DISTANCES, np.divide(size, 2))[:, None]  # from the anchor to the centre of a box
        candidates = [Box.around((x, y), size) for x, y in (anchor + reaches * _DIRECTIONS).reshape(-1, 2)]
        costs = [_cost(anchor, box, points, others) for box in candidates]
        boxes.append(candidates[int(np.argmin(costs))])
        points = np.concatenate([points, _line(anchor, boxes[-1])])
    return [box.centre() for box in boxes[-len(positions) :]]


def _cost(anchor: FloatArray, box: Box, points: FloatArray, others: Sequence[Box]) -> float:
    """Return the cost of a label position from the points it covers and the length of its leader line."""
    line = _line(anchor, box)
    distant_points = line[np.hypot(*(line - anchor).T) > 2 * _MIN_DISTANCE]
    crossed = int((np.abs(distant_points[:, None] - points).max(axis=-1) < _MIN_DISTANCE).any(axis=-1).sum())
    clashes = sum(2 * box.overlaps(other) or other.holds(line).any() for other in others)
    covered, length = int(box.holds(points).sum()), float(np.ptp(line, axis=0).max())
    return 6 * covered + 5 * crossed + 80 * clashes + 300 * (not box.inside_axes()) + 100 * length


def _line(anchor: FloatArray, box: Box) -> FloatArray:
    """Return points on the line from an anchor to its label."""
    along = anchor + np.linspace(0, 1, 15)[:, None] * (np.array(box.centre()) - anchor)
    outside = ~box.holds(along)
    return along[outside] if outside.any() else along[:1]  # the label covers its own point
