"""Pictures: each function takes ``ax`` and returns it.

Without ``ax`` they draw on a figure of their own that pyplot does not know: nothing global changes and
nothing has to be closed. Such a figure shows itself in a notebook. In a script give ``ax=plt.gca()`` to see
it in a window, or write it with ``save_figure(ax.figure, path)``. Axes that are given have linear scales and no
projection, others are refused; change the scale afterwards.

Parameters of several pictures mean the same in each:

ax : matplotlib Axes, optional
    Where to draw; left out, a figure of its own.
labels : sequence of str, optional
    A name for each curve, shown literally; long ones are cut.
chance : bool
    Draw the line on which a guess lies.
legend : bool
    Name what is drawn. A legend that stands above the axes needs a title with a ``pad`` of 24 for one line, of 40
    for two.
feature, unit : str, optional
    Name of the x axis, shown literally; a long one is cut.

All of them refuse with a RocPredictError what is not the ROC of one feature, other than one name for each curve, and a
switch that is neither True nor False.
"""

from rocpredict.plots.curves import (
    plot_band,
    plot_comparison,
    plot_diagnosis,
    plot_mean_roc,
    plot_precision_recall,
    plot_probit,
    plot_roc,
    plot_side_by_side,
)
from rocpredict.plots.densities import plot_densities
from rocpredict.plots.screening import plot_screening
from rocpredict.plots.style import save_figure
from rocpredict.plots.thresholds import plot_cost, plot_decision, plot_measures, plot_stability

__all__ = [
    "plot_band",
    "plot_comparison",
    "plot_cost",
    "plot_decision",
    "plot_densities",
    "plot_diagnosis",
    "plot_mean_roc",
    "plot_measures",
    "plot_precision_recall",
    "plot_probit",
    "plot_roc",
    "plot_screening",
    "plot_side_by_side",
    "plot_stability",
    "save_figure",
]
