"""Figures 1 to 5 of the founding paper, drawn anew."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.special import ndtr

from rocpredict.distributions import Gaussian
from rocpredict.files import make_folder
from rocpredict.paper import printed
from rocpredict.paper.results import example, experiment, iris_features, iris_prediction
from rocpredict.plots import plot_densities, plot_roc, save_figure
from rocpredict.plots.style import BACKING, INK, SMALL, Picture
from rocpredict.predictor import PredictedRoc

_SIZE = (5.6, 5.6)
_SWEPT_MEANS = (0.0, 1.0, 2.0, 3.0, 4.0)
_SWEPT_STDS = (0.5, 1.0, 2.0, 3.0, 4.0)


class PaperFigure(NamedTuple):
    """Hold how a figure is drawn, and what it shows."""

    draw: Callable[[], Figure]
    caption: str


def figure_1() -> Figure:
    """Draw two class densities, a threshold, and the four areas it cuts out."""
    figure, ax = _blank((6.4, 4.0))
    plot_densities(example(), ax=ax, feature="feature x")
    return figure


def figure_2(*, seed_balanced: int = 0, seed_imbalanced: int = 0) -> Figure:
    """Draw the predicted ROC of the example over the ROCs of two simulated experiments."""
    figure, ax = _blank()
    balanced = experiment(printed.BALANCED, seed_balanced)
    imbalanced = experiment(printed.IMBALANCED, seed_imbalanced)
    labels = ["predicted", "balanced, 1000 + 1000", "imbalanced, 1000 + 500"]
    plot_roc(example(), balanced, imbalanced, ax=ax, labels=labels)
    return figure


def figure_3() -> Figure:
    """Draw predicted ROCs for several means of the positive class."""
    figure, ax = _blank()
    rocs = [PredictedRoc(negative=Gaussian(0, 2), positive=Gaussian(mean, 1)) for mean in _SWEPT_MEANS]
    plot_roc(*rocs, ax=ax, labels=[f"m = {mean:g}" for mean in _SWEPT_MEANS])
    ax.set_title("negative N(0, 2), positive N(m, 1)", fontsize="medium")
    return figure


def figure_4() -> Figure:
    """Draw predicted ROCs for several standard deviations of the negative class, and where they meet."""
    figure, ax = _blank()
    rocs = [PredictedRoc(negative=Gaussian(0, std), positive=Gaussian(2, 2)) for std in _SWEPT_STDS]
    plot_roc(*rocs, ax=ax, labels=[f"s = {std:g}" for std in _SWEPT_STDS])
    ax.set_title("negative N(0, s), positive N(2, 2)", fontsize="medium")
    _mark_meeting(ax, 0.5, float(ndtr(1.0)))
    return figure


def figure_5() -> Figure:
    """Draw the predicted ROCs of four Iris features and of two distances."""
    figure, ax = _blank()
    names = list(iris_features())
    plot_roc(*map(iris_prediction, names), ax=ax, labels=names)
    ax.set_title("Iris: virginica (positive) against versicolor", fontsize="medium")
    return figure


FIGURES: dict[str, PaperFigure] = {
    "figure_1": PaperFigure(
        figure_1,
        "Two class densities and a threshold. It cuts each density in two: true and false negatives (TN, FN) "
        "below, true and false positives (TP, FP) above. The best one lies where the densities are equal.",
    ),
    "figure_2": PaperFigure(
        figure_2,
        "The predicted ROC of N(4, 3) against N(8, 2), and the ROCs of a balanced and an imbalanced simulated "
        "experiment (positives + negatives), each with the point of its highest Ameans.",
    ),
    "figure_3": PaperFigure(
        figure_3,
        "Predicted ROCs of N(0, 2) against N(m, 1) for m from 0 to 4. The further the means lie apart, the "
        "higher the curve. Where m is small, a part of the curve lies below chance: the spreads differ.",
    ),
    "figure_4": PaperFigure(
        figure_4,
        "Predicted ROCs of N(0, s) against N(2, 2) for s from 0.5 to 4. All meet at one point: at the threshold "
        "0, the negative median whatever s is, FPR is 1/2 and TPR is Phi(1) = 0.841.",
    ),
    "figure_5": PaperFigure(
        figure_5,
        "Iris, virginica (positive) against versicolor (negative): predicted ROCs of the four features and of "
        "the distances to both class means. Petal width tells the classes apart best.",
    ),
}
"""Every figure, by the name of its file."""


def save_figures(folder: str | os.PathLike[str], *, seed: int = 0) -> list[Path]:
    """Write every figure as PNG and as SVG, the same bytes each time.

    Parameters
    ----------
    folder : path
        Made where it is missing.
    seed : int
        Of the simulated experiments in Figure 2.

    Returns
    -------
    list of Path
        The files, in the order of the figures.

    Raises
    ------
    RocPredictError
        A folder that cannot be written to.
    """
    folder = make_folder(folder)
    written = []
    for name, (draw, _) in FIGURES.items():
        figure = figure_2(seed_balanced=seed, seed_imbalanced=seed) if draw is figure_2 else draw()
        written += [save_figure(figure, folder / f"{name}.{kind}") for kind in ("png", "svg")]
    return written


def _blank(size: tuple[float, float] = _SIZE) -> tuple[Figure, Axes]:
    figure = Picture(size)
    return figure, figure.add_subplot()


def _mark_meeting(ax: Axes, fpr: float, tpr: float) -> None:
    """Mark the point that all curves share."""
    ax.plot(
        fpr, tpr, "s", color=INK, markersize=7, markerfacecolor="white", markeredgewidth=1.6, zorder=6, gid="meeting"
    )
    arrow = {"arrowstyle": "->", "color": INK, "shrinkA": 0, "shrinkB": 6, "relpos": (0.1, 1.0)}
    words = f"all meet here:\nFPR 1/2, TPR {tpr:.3f}"
    style: dict[str, Any] = {"fontsize": SMALL, "color": INK, "va": "top", "bbox": BACKING, "zorder": 6}
    ax.annotate(words, (fpr, tpr), (0.47, 0.70), arrowprops=arrow, **style)
