"""Plots of ROC curves and related results, based on matplotlib.

Each function accepts ``ax``, and returns the axes that contain the plot; ``plot_side_by_side`` and ``plot_diagnosis``
return the figure. Without ``ax``, the function creates a figure that is not registered with pyplot, so that no global
state changes and no figure has to be closed. Notebooks display such a figure. In a script, pass ``ax=plt.gca()`` to
show the plot in a window, or write the figure to a file with ``save_figure(ax.figure, path)``. Axes that you pass must
be rectilinear with linear scales; you can change the scales after plotting.

Recurring parameters have the same meaning in all functions:

ax : matplotlib Axes, optional
    Axes to draw on. By default, the axes of a new figure.
labels : sequence of str, optional
    Name of each curve. Names are shown literally, including "$", and long names are truncated.
chance : bool, default=True
    Draw the chance line.
legend : bool, default=True
    Draw a legend. If the legend is above the axes, pass ``pad=24`` (points) to ``ax.set_title`` for a legend of one
    line, or ``pad=40`` for a legend of two lines.
feature, unit : str, optional
    Name and unit of the feature on the x axis. Both are shown literally, including "$", and a long name is truncated.
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
from rocpredict.plots.screening import plot_forest, plot_screening
from rocpredict.plots.style import save_figure
from rocpredict.plots.thresholds import plot_cost, plot_decision, plot_measures, plot_stability

__all__ = [
    "plot_band",
    "plot_comparison",
    "plot_cost",
    "plot_decision",
    "plot_densities",
    "plot_diagnosis",
    "plot_forest",
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
