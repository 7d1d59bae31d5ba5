"""Best points and the largest gap, with words that keep off the curves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from rocpredict.arguments import FloatArray
from rocpredict.plots.placing import Box, place, text_size
from rocpredict.plots.style import BACKING, CURVES, INK, QUIET, SMALL, Entry, add_legend, as_plain, rule
from rocpredict.roc import Roc

_POINTS = 160
Scale = Callable[[Any], Any]
"""What a picture does to rates before it draws them."""


def legend_in(ax: Axes, entries: Sequence[Entry], corner: str) -> list[Box]:
    """Draw the legend in a corner, such as "lower right", and give the place it takes."""
    add_legend(ax, entries, loc=corner)
    width, height = text_size(ax, max((words for _, words in entries), key=len), SMALL)
    width, height = width + 0.16, height * len(entries) + 0.04
    edge, side = corner.split()
    left, bottom = 1 - width if side == "right" else 0.0, 0.0 if edge == "lower" else 1 - height
    return [Box(left, bottom, left + width, bottom + height)]


def mark_best(
    ax: Axes,
    rocs: Sequence[Roc],
    paths: Sequence[FloatArray],
    taken: Sequence[Box],
    scale: Scale = np.asarray,
) -> list[Box]:
    """Circle the best point of each curve, and write its number and rule beside it.

    Parameters
    ----------
    paths : arrays of shape (n, 2)
        What is drawn, to keep off.
    taken : boxes
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
    words = [rule(best.threshold, roc.direction) for best, roc in zip(found, rocs, strict=True)]
    words = [f"{n}: {w}" for n, w in enumerate(words, 1)] if len(rocs) > 1 else [f"best: {w}" for w in words]
    order = [i for i in np.argsort(rates[:, 0] - rates[:, 1]) if np.isfinite(spots[i]).all() and _inside(ax, spots[i])]
    if not order:
        return list(taken)
    sizes = [text_size(ax, words[i], SMALL) for i in order]
    points = np.concatenate([_evenly(_shares(ax, path)) for path in paths])
    centres = place(_shares(ax, spots[order]), sizes, points, taken)
    for i, centre in zip(order, centres, strict=True):
        ring = {"markerfacecolor": "white", "markeredgecolor": CURVES[i % len(CURVES)][0], "markeredgewidth": 1.8}
        ax.plot(*spots[i], "o", **ring, markersize=8, zorder=5, gid=f"best-{i}")
        _label(ax, words[i], spots[i], centre)
    return [*taken, *map(_around, centres, sizes)]


def mark_gap(
    ax: Axes, at: float, ends: Sequence[float], *, text: str, paths: Sequence[FloatArray], taken: Sequence[Box]
) -> None:
    """Draw the largest gap between two curves at an FPR, and write beside it how large it is."""
    ax.plot([at, at], ends, color=INK, linewidth=2, marker="_", markersize=9, zorder=6, gid="largest-gap")
    spot = np.array([at, sum(ends) / 2])
    lines = text.split("\n")
    width, height = text_size(ax, max(lines, key=len), SMALL)
    points = np.concatenate([_evenly(_shares(ax, path)) for path in [*paths, np.array([[0.0, 0.0], [1.0, 1.0]])]])
    (centre,) = place(_shares(ax, spot[None]), [(width, 0.85 * height * len(lines))], points, taken)
    arrow = {"arrowstyle": "->", "color": INK, "shrinkA": 0, "shrinkB": 3}
    _label(ax, text, spot, centre, arrow)


def gap_in_words(gap: float, at: float) -> str:
    """Say how large a gap is, predicted - empirical, and where."""
    size = f"{gap:+.3f}".replace("-", "−") if abs(gap) >= 0.0005 else "below 0.001"
    return f"TPR gap {size}\nat FPR {at:.3f}"


def _label(
    ax: Axes, text: str, spot: FloatArray, centre: tuple[float, float], arrow: dict[str, Any] | None = None
) -> None:
    line = {"arrowstyle": "-", "color": QUIET, "linewidth": 0.8, "shrinkA": 0, "shrinkB": 5}
    look: dict[str, Any] = {"fontsize": SMALL, "color": INK, "ha": "center", "va": "center", "bbox": BACKING}
    place_of: dict[str, Any] = {"textcoords": "axes fraction", "zorder": 6, "arrowprops": arrow or line}
    as_plain(ax.annotate(text, tuple(spot), centre, **place_of, **look))


def _around(centre: tuple[float, float], size: tuple[float, float]) -> Box:
    (x, y), (width, height) = centre, size
    return Box(x - width / 2, y - height / 2, x + width / 2, y + height / 2)


def _inside(ax: Axes, spot: FloatArray) -> bool:
    return Box(0, 0, 1, 1).overlaps(Box(*_shares(ax, spot[None])[0], *_shares(ax, spot[None])[0]))


def _shares(ax: Axes, points: FloatArray) -> FloatArray:
    """Give points (n, 2) in shares of the axes, those far outside drawn near."""
    low, high = np.transpose([ax.get_xlim(), ax.get_ylim()])
    return np.asarray(np.clip((points - low) / (high - low), -0.2, 1.2))


def _evenly(path: FloatArray) -> FloatArray:
    """Give points spread evenly along a path of shape (n, 2), those of it that are finite."""
    path = path[np.isfinite(path).all(axis=1)]
    if len(path) == 0:
        return np.empty((0, 2))
    along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(path, axis=0).T))])
    at = np.linspace(0, along[-1], _POINTS)
    return np.column_stack([np.interp(at, along, path[:, 0]), np.interp(at, along, path[:, 1])])
