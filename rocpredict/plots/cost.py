"""Cost curves: what a feature costs at best, whatever the classes' shares and the prices of errors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from rocpredict.arguments import FloatArray, as_not_negative, shown
from rocpredict.errors import RocPredictError
from rocpredict.plots.curves import names_of
from rocpredict.plots.style import (
    INK,
    QUIET_LINE,
    WIDE,
    Entry,
    add_legend,
    as_share,
    as_switches,
    axes_or_new,
    line_style,
    one_feature,
    rate,
)
from rocpredict.roc import Roc

_AT = np.linspace(0, 1, 401)
_POINTS = 2049
"""Thresholds whose lowest cost is drawn; that of all thresholds is lower by less than 1e-5."""


def plot_cost(
    *rocs: Roc,
    prevalence: float | None = None,
    cost_fp: float = 1.0,
    cost_fn: float = 1.0,
    ax: Axes | None = None,
    labels: Sequence[str] | None = None,
    best: bool = True,
    legend: bool = True,
) -> Axes:
    """Draw cost curves (Drummond and Holte 2006): the expected cost of the best threshold at each price.

    Parameters
    ----------
    *rocs : ROC
        Predicted or empirical, one or several, each of one feature.
    prevalence, cost_fp, cost_fn : float, optional
        Where the rule will be used: marks the probability cost there. Nothing is marked without a prevalence.
    ax : matplotlib Axes, optional
        Where to draw; left out, a figure of its own.
    labels : sequence of str, optional
        A name for each curve, shown literally; long ones are cut.
    best : bool
        Draw the straight line of the one threshold with the highest Ameans, which touches the curve in the middle.
    legend : bool
        Name the curves, above the axes: give a title a ``pad`` of 40.

    Returns
    -------
    Axes

    Raises
    ------
    RocPredictError
        No ROC, what is not the ROC of one feature, as many labels as there are not curves; a prevalence outside [0, 1],
        costs that are negative or both 0, costs without a prevalence.

    Notes
    -----
    Of a prevalence BR and the costs of a false positive and of a false negative, C1 and C0, the probability cost is
    PC = BR C0/(BR C0 + (1 - BR) C1), and a threshold costs FNR PC + FPR (1 - PC), where 1 is the cost of being wrong
    with every case. Each threshold, a point of the ROC plot, is a straight line here. The curve is their lower
    envelope, and lies nowhere above the two lines of calling everyone positive, and nobody. At PC = 1/2 it is
    1 - Ameans. A curve of samples is that of thresholds chosen on these very rows, and therefore optimistic.

    References
    ----------
    C. Drummond and R. C. Holte. Cost curves: an improved method for visualizing classifier performance. Machine
    Learning 65 (2006), 95-130.

    Examples
    --------
    >>> from rocpredict import Gaussian, PredictedRoc
    >>> roc = PredictedRoc(negative=Gaussian(4, 3), positive=Gaussian(8, 2))
    >>> ax = plot_cost(roc, prevalence=0.1, cost_fn=5)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['predicted', 'its best Ameans threshold', 'always positive or negative', 'in use: probability cost 0.357']
    """
    rocs = tuple(one_feature(roc) for roc in rocs)
    as_switches(best=best, legend=legend)
    names = names_of(rocs, labels)
    used = _probability_cost(prevalence, cost_fp, cost_fn)
    ax = axes_or_new(ax, WIDE)
    entries: list[Entry] = []
    for index, (roc, name) in enumerate(zip(rocs, names, strict=True)):
        (line,) = ax.plot(_AT, _envelope(roc), gid=f"cost-{index}", **line_style(index, roc))
        entries.append((line, name))
    if best:
        lines = [_draw_threshold(ax, index, roc) for index, roc in enumerate(rocs)]
        entries.append((lines[0], "its best Ameans threshold" if len(rocs) == 1 else "best Ameans thresholds"))
    (roof,) = ax.plot([0, 0.5, 1], [0, 0.5, 0], linestyle="-.", gid="always", **QUIET_LINE)
    entries.append((roof, "always positive or negative"))
    if used is not None:
        line = ax.axvline(used, linestyle=":", linewidth=1.2, color=INK, zorder=1, gid="used")
        entries.append((line, f"in use: probability cost {rate(used)}"))
    _frame(ax)
    if legend:
        above = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0.1, "columnspacing": 1.4}
        add_legend(ax, entries, ncols=2, frameon=False, **above)
    return ax


def _frame(ax: Axes) -> None:
    ax.set(xlim=(0, 1), ylim=(0, 0.56), xlabel="probability cost of a positive", ylabel="normalized expected cost")
    ax.grid(visible=True, color="#E4E4E4", linewidth=0.6)
    ax.set_axisbelow(True)


def _probability_cost(prevalence: ArrayLike | None, cost_fp: ArrayLike, cost_fn: ArrayLike) -> float | None:
    costs = np.array([as_not_negative("cost_fp", cost_fp), as_not_negative("cost_fn", cost_fn)], dtype=object)
    if any(np.ndim(cost) for cost in costs):
        raise RocPredictError("cost_fp and cost_fn are one number each")
    share = as_share(prevalence)
    if share is None:
        if (costs != 1).any():
            raise RocPredictError("costs alone do not say where the rule is used; give prevalence= (0 to 1) too")
        return None
    falsely, missed = (1 - share) * costs[0], share * costs[1]
    if falsely + missed == 0:
        raise RocPredictError(
            f"prevalence={shown(prevalence)}, cost_fp={shown(cost_fp)} and cost_fn={shown(cost_fn)} leave no error "
            "that costs anything"
        )
    return float(missed / (falsely + missed))


def _envelope(roc: Roc) -> FloatArray:
    """Give the lowest cost of any threshold at each probability cost."""
    curve = roc.curve(_POINTS)
    fnr = 1 - curve.tpr
    return np.array([np.min(at * fnr + (1 - at) * curve.fpr) for at in _AT])


def _draw_threshold(ax: Axes, index: int, roc: Roc) -> Any:
    found = roc.best_threshold()
    style = line_style(index, roc) | {"linewidth": 0.8, "linestyle": "-", "alpha": 0.6, "zorder": 2}
    return ax.plot([0, 1], [found.fpr, found.fnr], gid=f"threshold-{index}", **style)[0]
