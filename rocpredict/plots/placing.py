"""Where a label goes so that it covers as little as it can."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from rocpredict.arguments import FloatArray

_DIRECTIONS = np.deg2rad(np.arange(-45, 315, 15))
_DISTANCES = (0.03, 0.05, 0.08, 0.11, 0.15, 0.20, 0.26)
_NEAR = 0.012
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

    def overlaps(self, other: "Box") -> bool:
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


def place(
    anchors: FloatArray, sizes: Sequence[tuple[float, float]], points: FloatArray, taken: Sequence[Box]
) -> list[tuple[float, float]]:
    """Give the middle of each label, near its anchor and off points, other labels and boxes taken.

    Parameters
    ----------
    anchors : array of shape (n, 2)
        In shares of the axes, as everything here.
    sizes : n pairs (width, height)
    points : array of shape (m, 2)
        What is drawn.
    taken : boxes
    """
    boxes = [*taken, *(Box(x - 0.02, y - 0.02, x + 0.02, y + 0.02) for x, y in anchors)]
    for anchor, size in zip(anchors, sizes, strict=True):
        others = [box for box in boxes if not box.holds(anchor[None]).any()]
        candidates = _around(anchor, size)
        costs = [_cost(anchor, box, points, others) for box in candidates]
        boxes.append(candidates[int(np.argmin(costs))])
        points = np.concatenate([points, _line(anchor, boxes[-1])])
    return [box.centre() for box in boxes[-len(anchors) :]]


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
    far = line[np.hypot(*(line - anchor).T) > 2 * _NEAR]
    crossed = int((np.abs(far[:, None] - points).max(axis=-1) < _NEAR).any(axis=-1).sum())
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
