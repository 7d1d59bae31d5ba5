"""Pictures: each function takes ``ax`` and returns it.

Without ``ax`` they draw on a figure of their own that pyplot does not know: nothing global changes and
nothing has to be closed. Such a figure shows itself in a notebook. In a script give ``ax=plt.gca()`` to see
it in a window, or write it with ``save_figure(ax.figure, path)``. Axes that are given have linear scales and no
projection, others are refused; change the scale afterwards.
"""

from rocpredict.plots.bands import plot_band, plot_decision, plot_precision_recall, plot_probit
from rocpredict.plots.curves import plot_comparison, plot_mean_roc, plot_roc, plot_side_by_side
from rocpredict.plots.densities import plot_densities
from rocpredict.plots.diagnosis import plot_diagnosis
from rocpredict.plots.screening import plot_screening
from rocpredict.plots.style import save_figure
from rocpredict.plots.thresholds import plot_cost, plot_measures, plot_stability

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
