"""Placement of labels and annotations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from rocpredict.base.validation import FloatArray
from rocpredict.plots.style import (
    CURVES,
    MUTED_COLOR,
    SMALL,
    TEXT_BACKGROUND,
    TEXT_COLOR,
    LegendEntry,
    add_legend,
    escape_mathtext,
    format_rule,
)
from rocpredict.roc.base import Roc

_DIRECTIONS = np.deg2rad(np.arange(-45, 315, 15))
_DISTANCES = (0.03, 0.05, 0.08, 0.11, 0.15, 0.20, 0.26)
_MIN_DISTANCE = 0.012
"""How close to a leader a point counts as crossed."""


class Box(NamedTuple):
    """Hold a rectangle, in shares of the axes."""

    left: float
    bottom: float
    right: float
    top: float

    def holds(self, points: FloatArray) -> NDArray[np.bool_]:
        """Say of each of the points (n, 2) whether it lies inside."""
        x, y = points.T
        return np.asarray((x > self.left) & (x < self.right) & (y > self.bottom) & (y < self.top))

    def overlaps(self, other: Box) -> bool:
        """Say whether two rectangles meet."""
        apart = self.right < other.left or other.right < self.left or self.top < other.bottom or other.top < self.bottom
        return not apart

    def centre(self) -> tuple[float, float]:
        """Give the middle."""
        return (self.left + self.right) / 2, (self.bottom + self.top) / 2


def text_size(ax: Axes, text: str, size: float) -> tuple[float, float]:
    """Estimate width and height of a text, in shares of the axes."""
    extent = ax.get_window_extent()
    points = 72 / ax.get_figure(root=True).dpi  # type: ignore[union-attr]
    return 0.57 * size * len(text) / (extent.width * points), 1.5 * size / (extent.height * points)


def place_labels(
    positions: FloatArray, sizes: Sequence[tuple[float, float]], points: FloatArray, occupied: Sequence[Box]
) -> list[tuple[float, float]]:
    """Give the middle of each label, near its anchor and off points, other labels and boxes taken.

    Parameters
    ----------
    positions : array of shape (n, 2)
        In shares of the axes, as everything here.
    sizes : n pairs (width, height)
    points : array of shape (m, 2)
        What is drawn.
    occupied : boxes
    """
    boxes = [*occupied, *(Box(x - 0.02, y - 0.02, x + 0.02, y + 0.02) for x, y in positions)]
    for anchor, size in zip(positions, sizes, strict=True):
        others = [box for box in boxes if not box.holds(anchor[None]).any()]
        candidates = _around(anchor, size)
        costs = [_cost(anchor, box, points, others) for box in candidates]
        boxes.append(candidates[int(np.argmin(costs))])
        points = np.concatenate([points, _line(anchor, boxes[-1])])
    return [box.centre() for box in boxes[-len(positions) :]]


def _around(anchor: FloatArray, size: tuple[float, float]) -> list[Box]:
    """Give boxes around an anchor, each with an edge at one of the distances from it."""
    width, height = size
    boxes = []
    for distance in _DISTANCES:
        for angle in _DIRECTIONS:
            x = anchor[0] + np.cos(angle) * (distance + width / 2)
            y = anchor[1] + np.sin(angle) * (distance + height / 2)
            boxes.append(Box(x - width / 2, y - height / 2, x + width / 2, y + height / 2))
    return boxes


def _cost(anchor: FloatArray, box: Box, points: FloatArray, others: Sequence[Box]) -> float:
    """Weigh what a label and the line to it would cover, and how long that line is."""
    line = _line(anchor, box)
    far = line[np.hypot(*(line - anchor).T) > 2 * _MIN_DISTANCE]
    crossed = int((np.abs(far[:, None] - points).max(axis=-1) < _MIN_DISTANCE).any(axis=-1).sum())
    outside = min(box.left, box.bottom, 1 - box.right, 1 - box.top) < 0
    clashes = sum(2 * box.overlaps(other) or other.holds(line).any() for other in others)
    return (
        6 * int(box.holds(points).sum())
        + 5 * crossed
        + 80 * clashes
        + 300 * outside
        + 100 * float(np.ptp(line, axis=0).max())
    )


def _line(anchor: FloatArray, box: Box) -> FloatArray:
    """Give points on the line from an anchor to its label."""
    along = anchor + np.linspace(0, 1, 15)[:, None] * (np.array(box.centre()) - anchor)
    outside = ~box.holds(along)
    return along[outside] if outside.any() else along[:1]  # a label that lies on its own point


_POINTS = 160
Scale = Callable[[Any], Any]
"""What a picture does to rates before it draws them."""


def draw_legend(ax: Axes, entries: Sequence[LegendEntry], corner: str) -> list[Box]:
    """Draw the legend in a corner, such as "lower right", and give the place it takes."""
    add_legend(ax, entries, loc=corner)
    width, height = text_size(ax, max((words for _, words in entries), key=len), SMALL)
    width, height = width + 0.16, height * len(entries) + 0.04
    edge, side = corner.split()
    left, bottom = 1 - width if side == "right" else 0.0, 0.0 if edge == "lower" else 1 - height
    return [Box(left, bottom, left + width, bottom + height)]


def annotate_best_threshold(
    ax: Axes,
    rocs: Sequence[Roc],
    paths: Sequence[FloatArray],
    occupied: Sequence[Box],
    scale: Scale = np.asarray,
) -> list[Box]:
    """Circle the best point of each curve, and write its number and rule beside it.

    Parameters
    ----------
    paths : arrays of shape (n, 2)
        What is drawn, to keep off.
    occupied : boxes
        As are these.
    scale : function
        Of rates.

    Returns
    -------
    boxes
        Those taken, and those of the words.
    """
    found = [roc.best_threshold() for roc in rocs]
    rates = np.array([(best.fpr, best.tpr) for best in found])
    spots = scale(rates)
    words = [format_rule(best.threshold, roc.direction) for best, roc in zip(found, rocs, strict=True)]
    words = [f"{n}: {w}" for n, w in enumerate(words, 1)] if len(rocs) > 1 else [f"best: {w}" for w in words]
    order = [i for i in np.argsort(rates[:, 0] - rates[:, 1]) if np.isfinite(spots[i]).all() and _inside(ax, spots[i])]
    if not order:
        return list(occupied)
    sizes = [text_size(ax, words[i], SMALL) for i in order]
    points = np.concatenate([_resample_path(_to_axes_fraction(ax, path)) for path in paths])
    centres = place_labels(_to_axes_fraction(ax, spots[order]), sizes, points, occupied)
    for i, centre in zip(order, centres, strict=True):
        ring = {"markerfacecolor": "white", "markeredgecolor": CURVES[i % len(CURVES)][0], "markeredgewidth": 1.8}
        ax.plot(*spots[i], "o", **ring, markersize=8, zorder=5, gid=f"best-{i}")
        _label(ax, words[i], spots[i], centre)
    return [*occupied, *map(_positions_around, centres, sizes)]


def annotate_largest_gap(
    ax: Axes, at: float, ends: Sequence[float], *, text: str, paths: Sequence[FloatArray], occupied: Sequence[Box]
) -> None:
    """Draw the largest gap between two curves at an FPR, and write beside it how large it is."""
    ax.plot([at, at], ends, color=TEXT_COLOR, linewidth=2, marker="_", markersize=9, zorder=6, gid="largest-gap")
    spot = np.array([at, sum(ends) / 2])
    lines = text.split("\n")
    width, height = text_size(ax, max(lines, key=len), SMALL)
    points = np.concatenate(
        [_resample_path(_to_axes_fraction(ax, path)) for path in [*paths, np.array([[0.0, 0.0], [1.0, 1.0]])]]
    )
    (centre,) = place_labels(_to_axes_fraction(ax, spot[None]), [(width, 0.85 * height * len(lines))], points, occupied)
    arrow = {"arrowstyle": "->", "color": TEXT_COLOR, "shrinkA": 0, "shrinkB": 3}
    _label(ax, text, spot, centre, arrow)


def format_gap(gap: float, at: float) -> str:
    """Say how large a gap is, predicted - empirical, and where."""
    size = f"{gap:+.3f}".replace("-", "−") if abs(gap) >= 0.0005 else "below 0.001"
    return f"TPR gap {size}\nat FPR {at:.3f}"


def _label(
    ax: Axes, text: str, spot: FloatArray, centre: tuple[float, float], arrow: dict[str, Any] | None = None
) -> None:
    line = {"arrowstyle": "-", "color": MUTED_COLOR, "linewidth": 0.8, "shrinkA": 0, "shrinkB": 5}
    look: dict[str, Any] = {
        "fontsize": SMALL,
        "color": TEXT_COLOR,
        "ha": "center",
        "va": "center",
        "bbox": TEXT_BACKGROUND,
    }
    place_of: dict[str, Any] = {"textcoords": "axes fraction", "zorder": 6, "arrowprops": arrow or line}
    escape_mathtext(ax.annotate(text, tuple(spot), centre, **place_of, **look))


def _positions_around(centre: tuple[float, float], size: tuple[float, float]) -> Box:
    (x, y), (width, height) = centre, size
    return Box(x - width / 2, y - height / 2, x + width / 2, y + height / 2)


def _inside(ax: Axes, spot: FloatArray) -> bool:
    return Box(0, 0, 1, 1).overlaps(Box(*_to_axes_fraction(ax, spot[None])[0], *_to_axes_fraction(ax, spot[None])[0]))


def _to_axes_fraction(ax: Axes, points: FloatArray) -> FloatArray:
    """Give points (n, 2) in shares of the axes, those far outside drawn near."""
    low, high = np.transpose([ax.get_xlim(), ax.get_ylim()])
    return np.asarray(np.clip((points - low) / (high - low), -0.2, 1.2))


def _resample_path(path: FloatArray) -> FloatArray:
    """Give points spread evenly along a path of shape (n, 2), those of it that are finite."""
    path = path[np.isfinite(path).all(axis=1)]
    if len(path) == 0:
        return np.empty((0, 2))
    along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(path, axis=0).T))])
    at = np.linspace(0, along[-1], _POINTS)
    return np.column_stack([np.interp(at, along, path[:, 0]), np.interp(at, along, path[:, 1])])
