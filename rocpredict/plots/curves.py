"""ROC curves: one, several, or a predicted one over an empirical one."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from rocpredict.arguments import FloatArray
from rocpredict.comparison import gaps_between
from rocpredict.curve import RocCurve
from rocpredict.empirical import EmpiricalRoc
from rocpredict.plots.placing import Box, place, text_size
from rocpredict.plots.style import (
    BACKING,
    CURVES,
    INK,
    QUIET,
    SMALL,
    SQUARE,
    Entry,
    add_legend,
    as_plain,
    axes_or_new,
    draw_chance,
    free_corner,
    line_style,
    names_among,
    one_feature,
    rate,
    rule,
)
from rocpredict.roc import Roc

_MARGIN = 0.02
_VISIBLE = 0.01  # a shallower hook is hardly wider than the line that draws it


def plot_roc(
    *rocs: Roc,
    ax: Axes | None = None,
    labels: Sequence[str] | None = None,
    best: bool = True,
    chance: bool = True,
    legend: bool = True,
) -> Axes:
    """Draw ROC curves, with the best point of each and its AUC.

    Parameters
    ----------
    *rocs : ROC
        Predicted or empirical, one or several, each of one feature.
    ax : matplotlib Axes, optional
        Where to draw; left out, a figure of its own.
    labels : sequence of str, optional
        A name for each curve, shown literally; long ones are cut.
    best : bool
        Circle the point with the highest Ameans and write its threshold beside it.
    chance : bool
        Draw the line on which a guess lies.
    legend : bool
        Name the curves, each with its AUC.

    Returns
    -------
    Axes

    Raises
    ------
    RocPredictError
        No ROC, what is not the ROC of one feature, or as many labels as there are not curves.

    Notes
    -----
    An empirical curve is drawn point to point: a step where values differ, a diagonal where classes tie.
    Where a curve lies below the chance line the area between them is hatched.

    Examples
    --------
    >>> from rocpredict import Gaussian, PredictedRoc
    >>> ax = plot_roc(PredictedRoc(negative=Gaussian(4, 3), positive=Gaussian(8, 2)))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['predicted, AUC 0.866', 'chance']
    """
    rocs = tuple(one_feature(roc) for roc in rocs)
    names = names_of(rocs, labels)
    ax = axes_or_new(ax, SQUARE)
    frame(ax)
    curves = [roc.curve() for roc in rocs]
    lines = [draw_curve(ax, index, roc, curve) for index, (roc, curve) in enumerate(zip(rocs, curves, strict=True))]
    entries = list(
        zip(lines, (f"{name}, AUC {area_in_words(roc)}" for name, roc in zip(names, rocs, strict=True)), strict=True)
    )
    hooks = [hook for curve in curves for hook in _draw_hook(ax, curve)]
    entries += [(hooks[0], "below chance")] if hooks else []
    if chance:
        entries.append(draw_chance(ax))
    taken = _add_legend(ax, entries, free_corner([roc.auc() for roc in rocs])) if legend else []
    if best:
        _mark_best(ax, rocs, curves, taken)
    return ax


def plot_comparison(predicted: Roc, empirical: EmpiricalRoc, *, ax: Axes | None = None) -> Axes:
    """Draw a predicted ROC curve over an empirical one, and mark where their TPR differ most.

    Parameters
    ----------
    predicted : PredictedRoc
    empirical : EmpiricalRoc
        Of the same feature and direction.
    ax : matplotlib Axes, optional
        Where to draw; left out, a figure of its own.

    Returns
    -------
    Axes

    Raises
    ------
    RocPredictError
        As ``rocpredict.compare``.
    """
    gap, at, _ = gaps_between(predicted, empirical)
    ax = plot_roc(predicted, empirical, ax=ax, labels=["predicted", "empirical"])
    top = float(predicted.tpr_at_fpr(at))
    ends = [top - gap, top]
    ax.plot([at, at], ends, color=INK, linewidth=2, marker="_", markersize=9, zorder=6, gid="largest-gap")
    text = f"TPR gap {abs(gap):.3f}\nat FPR {at:.3f}"
    side = 1 if at < 0.55 else -1
    ax.annotate(
        text,
        (at, sum(ends) / 2),
        (at + side * 0.12, max(sum(ends) / 2 - 0.22, 0.42)),
        fontsize=SMALL,
        color=INK,
        ha="left" if side > 0 else "right",
        va="top",
        arrowprops={"arrowstyle": "->", "color": INK, "shrinkB": 3},
        bbox=BACKING,
        zorder=7,
    )
    return ax


def names_of(rocs: Sequence[Roc], labels: Sequence[str] | None) -> list[str]:
    """Give the name of each curve, numbered when there are several."""
    names = names_among(labels, ["empirical" if isinstance(roc, EmpiricalRoc) else "predicted" for roc in rocs])
    return names if len(names) == 1 else [f"{number}  {name}" for number, name in enumerate(names, 1)]


def frame(ax: Axes) -> None:
    """Give the axes the unit square of a ROC plot, its ticks, grid and names."""
    ax.set(xlim=(-_MARGIN, 1 + _MARGIN), ylim=(-_MARGIN, 1 + _MARGIN), aspect="equal")
    ax.set(xlabel="false positive rate (FPR)", ylabel="true positive rate (TPR)")
    ax.set_xticks(np.linspace(0, 1, 6))
    ax.set_yticks(np.linspace(0, 1, 6))
    ax.grid(visible=True, color="#E4E4E4", linewidth=0.6)
    ax.set_axisbelow(True)


def draw_curve(ax: Axes, index: int, roc: Roc, curve: RocCurve) -> Any:
    """Draw one curve in the colour of its place, and give its line."""
    return ax.plot(curve.fpr, curve.tpr, gid=f"roc-{index}", **line_style(index, roc))[0]


def _draw_hook(ax: Axes, curve: RocCurve) -> list[Any]:
    """Hatch what lies below the chance line, where there is enough of it to see."""
    if (curve.fpr - curve.tpr).max() < _VISIBLE:
        return []
    style: dict[str, Any] = {"facecolor": "none", "edgecolor": "#767676", "hatch": "xxx", "linewidth": 0.0, "zorder": 2}
    where = (curve.tpr < curve.fpr).tolist()
    return [ax.fill_between(curve.fpr, curve.tpr, curve.fpr, where=where, interpolate=True, gid="hook", **style)]


def area_in_words(roc: Roc) -> str:
    """Give the AUC as a legend shows it: 1 only where it is exactly that."""
    auc, complement = float(roc.auc()), float(roc.auc_complement())
    if complement == 0:
        return "1"
    return rate(auc) if auc < 1 else ">0.999"


def _add_legend(ax: Axes, entries: Sequence[Entry], corner: str) -> list[Box]:
    """Draw the legend and give the place it takes."""
    add_legend(ax, entries, loc=corner)
    width, height = text_size(ax, max((words for _, words in entries), key=len), SMALL)
    width, height = width + 0.16, height * len(entries) + 0.04
    return [Box(1 - width, 0, 1, height) if corner == "lower right" else Box(0, 1 - height, width, 1)]


def _mark_best(ax: Axes, rocs: Sequence[Roc], curves: Sequence[RocCurve], taken: Sequence[Box]) -> None:
    """Circle the best point of each curve, and write its number and rule beside it."""
    found = [roc.best_threshold() for roc in rocs]
    spots = np.array([(best.fpr, best.tpr) for best in found])
    words = [rule(best.threshold, roc.direction) for best, roc in zip(found, rocs, strict=True)]
    words = [f"{n}: {w}" for n, w in enumerate(words, 1)] if len(rocs) > 1 else [f"best: {w}" for w in words]
    order = np.argsort(spots[:, 0] - spots[:, 1])
    points = (np.concatenate([_evenly(curve) for curve in curves]) + _MARGIN) / (1 + 2 * _MARGIN)
    anchors = (spots[order] + _MARGIN) / (1 + 2 * _MARGIN)
    centres = place(anchors, [text_size(ax, words[i], SMALL) for i in order], points, taken)
    for i, centre in zip(order, centres, strict=True):
        colour = CURVES[i % len(CURVES)][0]
        ring = {"markerfacecolor": "white", "markeredgecolor": colour, "markeredgewidth": 1.8, "markersize": 8}
        ax.plot(*spots[i], "o", **ring, zorder=5, gid=f"best-{i}")
        _label(ax, words[i], spots[i], centre)


def _label(ax: Axes, text: str, spot: FloatArray, centre: tuple[float, float]) -> None:
    as_plain(
        ax.annotate(
            text,
            tuple(spot),
            centre,
            textcoords="axes fraction",
            ha="center",
            va="center",
            fontsize=SMALL,
            color=INK,
            arrowprops={"arrowstyle": "-", "color": QUIET, "linewidth": 0.8, "shrinkA": 0, "shrinkB": 5},
            bbox=BACKING,
            zorder=6,
        )
    )


def _evenly(curve: RocCurve, points: int = 160) -> FloatArray:
    """Give points spread evenly along a curve, shape (points, 2)."""
    along = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(curve.fpr), np.diff(curve.tpr)))])
    at = np.linspace(0, along[-1], points)
    return np.column_stack([np.interp(at, along, curve.fpr), np.interp(at, along, curve.tpr)])
