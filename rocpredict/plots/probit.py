"""ROC curves on probit axes, where that of two Gaussians is a straight line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from scipy.special import ndtri

from rocpredict.arguments import FloatArray, as_fraction, shown
from rocpredict.errors import RocPredictError
from rocpredict.plots.curves import area_in_words, names_of
from rocpredict.plots.marks import legend_in, mark_best
from rocpredict.plots.style import (
    QUIET,
    QUIET_LINE,
    SMALL,
    SQUARE,
    Entry,
    as_switches,
    axes_or_new,
    free_corner,
    line_style,
    one_feature,
)
from rocpredict.roc import Roc

_TICKS = np.array([1e-6, 1e-5, 1e-4, 0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999, 0.9999, 0.99999, 0.999999])
_PARTS = np.arange(16) / 16
_SPARE = 1.03
"""How far the axes go beyond the lowest rate."""


def plot_probit(
    *rocs: Roc,
    lowest: float = 0.001,
    ax: Axes | None = None,
    labels: Sequence[str] | None = None,
    best: bool = True,
    chance: bool = True,
    legend: bool = True,
) -> Axes:
    """Draw ROC curves on probit axes, where that of two Gaussians is a straight line.

    Parameters
    ----------
    *rocs : ROC
        Predicted or empirical, one or several, each of one feature.
    lowest : float
        The lowest rate that has room, in [1e-6, 0.2]; the highest is 1 - ``lowest``.
    ax : matplotlib Axes, optional
        Where to draw; left out, a figure of its own.
    labels : sequence of str, optional
        A name for each curve, shown literally; long ones are cut.
    best : bool
        Circle the point with the highest Ameans, where it has room, and write its threshold beside it.
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
        No ROC, what is not the ROC of one feature, or as many labels as there are not curves; ``lowest`` outside
        its bounds.

    Notes
    -----
    The axes are probit(FPR) and probit(TPR), named by the rates. Two Gaussians give the line a + b probit(FPR), with
    a = (mean1 - mean0)/std1 and b = std0/std1: its slope is 1 where both classes have one standard deviation. Rates of
    0 and 1 lie at infinity: a step function is drawn at the edge there. Near the edges a curve rests on few rows, so
    that it strays widely by chance alone. A straight counted curve says that some increasing transform makes both
    classes Gaussian (Metz, Herman and Shen 1998); that they are so as they stand, only if it lies on the predicted one.

    Examples
    --------
    >>> from rocpredict import Gaussian, PredictedRoc
    >>> ax = plot_probit(PredictedRoc(negative=Gaussian(4, 3), positive=Gaussian(8, 2)))
    >>> x, y = ax.lines[0].get_data()
    >>> float(np.median(np.diff(y) / np.diff(x)).round(6))
    1.5
    """
    rocs = tuple(one_feature(roc) for roc in rocs)
    as_switches(best=best, chance=chance, legend=legend)
    names = names_of(rocs, labels)
    end = _SPARE * _end(lowest)
    ax = axes_or_new(ax, SQUARE)
    _frame(ax, end)
    paths = [_path(roc, end) for roc in rocs]
    entries: list[Entry] = []
    for index, (roc, path, name) in enumerate(zip(rocs, paths, names, strict=True)):
        (line,) = ax.plot(*path.T, gid=f"probit-{index}", **line_style(index, roc))
        entries.append((line, f"{name}, AUC {area_in_words(roc)}"))
    if chance:
        entries.append((ax.plot([-end, end], [-end, end], linestyle=":", gid="chance", **QUIET_LINE)[0], "chance"))
    _say_if_empty(ax, paths, end)
    taken = legend_in(ax, entries, free_corner([roc.auc() for roc in rocs])) if legend else []
    if best:
        mark_best(ax, rocs, paths, taken, ndtri)
    return ax


def _end(lowest: float) -> float:
    rate = as_fraction("lowest", lowest)
    if not _TICKS[0] <= rate <= 0.2:
        raise RocPredictError(f"lowest={shown(lowest)} is outside [1e-6, 0.2]")
    return -float(ndtri(rate))


def _frame(ax: Axes, end: float) -> None:
    ticks = _TICKS[np.abs(ndtri(_TICKS)) <= end]
    names = [f"{tick:g}" if tick >= 1e-4 else f"{tick:.0e}".replace("e-0", "e−") for tick in ticks]
    ax.set(xlim=(-end, end), ylim=(-end, end), aspect="equal")
    ax.set_xticks(ndtri(ticks), names)
    ax.set_yticks(ndtri(ticks), names)
    ax.set(xlabel="false positive rate (FPR), probit scale", ylabel="true positive rate (TPR), probit scale")
    ax.grid(visible=True, color="#E4E4E4", linewidth=0.6)
    ax.set_axisbelow(True)


def _path(roc: Roc, end: float) -> FloatArray:
    """Give the points of a curve on the probit scale, shape (n, 2); those with a rate of 0 or 1 only of steps."""
    curve = roc.curve()
    rates = np.column_stack([curve.fpr, curve.tpr])
    if any(d.atoms().masses.sum() > 0 for d in (roc.negative, roc.positive)):
        return np.asarray(np.clip(ndtri(_with_diagonals(rates)), -end, end))
    path = ndtri(rates)
    return np.asarray(path[np.isfinite(path).all(axis=1)])


def _with_diagonals(rates: FloatArray) -> FloatArray:
    """Divide what is straight on the scale of rates, and bent on that of probits: where both rates change."""
    steps = np.diff(rates, axis=0)
    fine = rates[:-1, None] + steps[:, None] * _PARTS[:, None]
    diagonal = (steps[:, :1] > 0) & (steps[:, 1:] > 0)
    wanted = diagonal | (_PARTS == 0)
    return np.concatenate([fine[wanted], rates[-1:]])


def _say_if_empty(ax: Axes, paths: Sequence[FloatArray], end: float) -> None:
    if any((np.abs(path) < end).all(axis=1).any() for path in paths):
        return
    look: dict[str, Any] = {"ha": "center", "va": "center", "color": QUIET, "fontsize": SMALL}
    words = "no point of the curve lies inside" if len(paths) == 1 else "no point of the curves lies inside"
    ax.text(0.5, 0.62, words, transform=ax.transAxes, gid="empty", **look)
