"""Tables and figures of the founding paper."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy.special import ndtr

from rocpredict.base.files import make_directory
from rocpredict.base.tables import Table
from rocpredict.base.validation import Direction, FloatArray
from rocpredict.combination import class_mean_distance
from rocpredict.datasets import load_iris, simulate_two_gaussians
from rocpredict.distributions.gaussian import Gaussian
from rocpredict.distributions.normality import suppress_misfit_warning
from rocpredict.plots.curves import plot_roc
from rocpredict.plots.densities import plot_densities
from rocpredict.plots.style import SMALL, TEXT_BACKGROUND, TEXT_COLOR, NotebookFigure, save_figure
from rocpredict.roc.base import Roc
from rocpredict.roc.empirical import EmpiricalRoc, empirical_roc
from rocpredict.roc.predicted import PredictedRoc, predict_roc
from rocpredict.solvers.base import area_under
from rocpredict.solvers.binormal import BinormalSolver

if TYPE_CHECKING:
    from matplotlib.axes import Axes

EXAMPLE = {"mean": (4.0, 8.0), "std": (3.0, 2.0)}
"""Class means and standard deviations of Table I and Figure 2, (negative, positive)."""
BALANCED = (1000, 1000)
IMBALANCED = (500, 1000)
"""Class sizes of the two experiments of Table I, (negative, positive)."""
TABLE_1 = {
    "AUC": {"prediction": 0.8663, "balanced": 0.8735, "imbalanced": 0.8712},
    "max Ameans": {"prediction": 0.7950, "balanced": 0.8000, "imbalanced": 0.7990},
}
FEATURES = ("sepal length", "sepal width", "petal length", "petal width")
TABLE_2 = {
    "mean class 2": (5.94, 2.77, 4.26, 1.33),
    "mean class 3": (6.59, 2.97, 5.55, 2.03),
    "difference": (0.65, 0.20, 1.29, 0.70),
    "SD class 2": (0.52, 0.31, 0.47, 0.20),
    "SD class 3": (0.64, 0.32, 0.55, 0.27),
}
"""Statistics of each feature of Iris classes 2 (versicolor) and 3 (virginica), as printed in the paper."""
TABLE_3 = {
    "class 2 to the mean of class 2": (0.71, 0.34),
    "class 3 to the mean of class 2": (1.74, 0.70),
    "class 2 to the mean of class 3": (1.70, 0.60),
    "class 3 to the mean of class 3": (0.82, 0.45),
}
"""Mean and SD of the Euclidean distance to a class mean, with all four features, as printed in the paper."""
TABLE_4 = {
    "sepal length": (0.7847, 0.7175),
    "sepal width": (0.6735, 0.6259),
    "petal length": (0.9622, 0.8974),
    "petal width": (0.9793, 0.9320),
    "distance to mean of class 2": (0.9086, 0.8538),
    "distance to mean of class 3": (0.8783, 0.8013),
}
"""Predicted AUC and maximum Ameans of each feature, as printed in the paper."""
_NEGATIVE, _POSITIVE = "versicolor", "virginica"
_N_REPLICATIONS = 400
_GRID_STEPS = dict(zip(TABLE_4, (0.2, 0.1, 0.1, 0.1, 0.04, 0.05), strict=True))
"""Steps between thresholds for which the trapezoidal AUC agrees with the printed AUC; the paper states no steps."""


def example() -> PredictedRoc:
    """Return the ROC curve of the example in the paper, predicted from two Gaussians.

    Returns
    -------
    PredictedRoc
    """
    return PredictedRoc.from_stats(mean=EXAMPLE["mean"], std=EXAMPLE["std"])


@cache
def simulate_experiment(count: tuple[int, int], rng: int) -> EmpiricalRoc:
    """Return the empirical ROC curve of one simulated experiment.

    Parameters
    ----------
    count : pair of int
        Number of observations in each class, (negative, positive).
    rng : int
        Seed of the experiment.

    Returns
    -------
    EmpiricalRoc
    """
    return empirical_roc(*simulate_two_gaussians(**EXAMPLE, count=count, rng=rng))


def iris_features() -> dict[str, tuple[FloatArray, NDArray[np.str_], Direction]]:
    """Return the values, labels and direction of each feature of Table IV, for classes 2 and 3.

    Returns
    -------
    dict of str to tuple
        For each feature, the values and the labels (arrays of shape (100,)) and the direction.
    """
    iris = load_iris()
    selected = np.isin(iris.y, [_NEGATIVE, _POSITIVE])
    X, y = iris.X[selected], iris.y[selected]
    features: dict[str, Any] = {name: (X[:, place], y, "higher") for place, name in enumerate(FEATURES)}
    for number, species, direction in ((2, _NEGATIVE, "higher"), (3, _POSITIVE, "lower")):
        distance = class_mean_distance(X, y, class_label=species)
        features[f"distance to mean of class {number}"] = (distance, y, direction)
    return features


def iris_prediction(feature: str) -> PredictedRoc:
    """Return the predicted ROC curve of one feature of Table IV.

    Parameters
    ----------
    feature : str
        Name of the feature, a key of ``iris_features()``.

    Returns
    -------
    PredictedRoc
    """
    x, y, direction = iris_features()[feature]
    with suppress_misfit_warning():  # the paper assumes that distances are Gaussian, which they are not
        return predict_roc(x, y, positive=_POSITIVE, negative=_NEGATIVE, direction=direction)


def table_1(rng: int = 0) -> Table:
    """Return Table I, which compares two simulated experiments with the prediction from two Gaussians.

    Parameters
    ----------
    rng : int, default=0
        Seed of the simulated experiments.

    Returns
    -------
    Table
    """
    predicted = example()
    exact = {"AUC": predicted.auc(), "max Ameans": predicted.best_threshold().ameans}
    rows: list[list[object]] = []
    for measure, values in TABLE_1.items():
        printed, ours = values["prediction"], exact[measure]
        rows.append([measure, "prediction", printed, ours, printed - ours, None, None])
        for name, count in (("balanced", BALANCED), ("imbalanced", IMBALANCED)):
            experiment = simulate_experiment(count, rng)
            ours = experiment.auc() if measure == "AUC" else experiment.best_threshold().ameans
            expected, error = _sampling(measure, count)
            away = (values[name] - expected) / error
            rows.append([measure, f"{name}, {count[1]} + {count[0]}", values[name], ours, None, expected, away])
    return Table(
        "Table I. Two Gaussian classes: an experiment and its prediction",
        ["measure", "source", "printed", "recomputed", "difference", "expected", "z"],
        rows,
        {"printed": ".2%", "recomputed": ".2%", "difference": "+z.3%", "expected": ".2%", "z": "+z.2f"},
        [
            f"The experiments are simulated with seed {rng}; class sizes are given as positives + negatives.",
            "z: difference between the published value and the value expected from the experiment, in standard errors.",
            (
                "The expected value and the standard error of the AUC are exact (for the Mann-Whitney statistic of two "
                "Gaussians)."
            ),
            f"The maximum Ameans is optimistic; its mean and standard error are from {_N_REPLICATIONS} simulations.",
            "The printed predictions are truncated to two decimals, not rounded.",
        ],
    )


def table_2() -> Table:
    """Return Table II, which lists the means and standard deviations of the Iris features.

    Returns
    -------
    Table
    """
    features = iris_features()
    samples = [_by_class(features[name]) for name in FEATURES]
    ours = {
        "mean class 2": [low.mean() for low, _ in samples],
        "mean class 3": [high.mean() for _, high in samples],
        "difference": [high.mean() - low.mean() for low, high in samples],
        "SD class 2": [low.std(ddof=1) for low, _ in samples],
        "SD class 3": [high.std(ddof=1) for _, high in samples],
    }
    rows = [
        [statistic, name, printed, float(value), printed - float(value)]
        for statistic, values in TABLE_2.items()
        for name, printed, value in zip(FEATURES, values, ours[statistic], strict=True)
    ]
    return Table(
        "Table II. Iris, classes 2 (versicolor) and 3 (virginica), in cm",
        ["statistic", "feature", "printed", "recomputed", "difference"],
        rows,
        {"printed": ".2f", "recomputed": ".4f", "difference": "+z.4f"},
        ["The divisor of the standard deviations is n - 1; the divisor n does not reproduce the printed digits."],
    )


def table_3() -> Table:
    """Return Table III, which lists the mean and standard deviation of each distance to a class mean.

    Returns
    -------
    Table
    """
    features = iris_features()
    ours = [values for number in (2, 3) for values in _by_class(features[f"distance to mean of class {number}"])]
    rows = []
    for (name, (mean, std)), values in zip(TABLE_3.items(), ours, strict=True):
        fitted = Gaussian.fit(values)
        rows.append([name, mean, fitted.mean, mean - fitted.mean, std, fitted.std, std - fitted.std])
    kinds = {"printed": ".2f", "recomputed": ".4f", "difference": "+z.4f"}
    formats = {f"{statistic} {kind}": form for statistic in ("mean", "SD") for kind, form in kinds.items()}
    title = "Table III. Iris: Euclidean distance to a class mean, all four features"
    return Table(title, ["distance", *formats], rows, formats)


def table_4() -> Table:
    """Return Table IV, which lists the predicted AUC and the maximum Ameans of the Iris features.

    Returns
    -------
    Table
    """
    rows = []
    for name, (auc, ameans) in TABLE_4.items():
        roc = iris_prediction(name)
        best = roc.best_threshold()
        step = _GRID_STEPS[name]
        areas = (auc, roc.auc(), auc - roc.auc(), step, _trapezoid_auc(roc, step))
        rows.append((name, *areas, ameans, best.ameans, ameans - best.ameans, best.threshold))
    formats = {
        "feature": "",
        "AUC printed": ".2%",
        "AUC recomputed": ".3%",
        "AUC difference": "+z.3%",
        "step": "g",
        "AUC on grid": ".3%",
        "Ameans printed": ".2%",
        "Ameans recomputed": ".3%",
        "Ameans difference": "+z.3%",
        "threshold": ".4f",
    }
    return Table(
        "Table IV. Iris, class 3 against class 2: predicted AUC and maximum Ameans",
        list(formats),
        rows,
        formats,
        [
            (
                "The recomputed AUC is the closed form Phi(D). Every printed AUC is below this value. The trapezoidal "
                "area over a grid of thresholds is smaller than Phi(D) by about step^2 D phi(D)/(6 (s0^2 + s1^2))."
            ),
            (
                "The AUC on the grid is this trapezoidal area. The step of the grid was chosen so that the area agrees "
                "with the printed digits, because the paper does not state a step."
            ),
            "The printed Ameans are rounded; the value for sepal length is the mean of two rounded rates.",
            "For the distance to the mean of class 3, an observation is classified as positive if x <= threshold.",
        ],
    )


TABLES: dict[str, Callable[..., Table]] = {make.__name__: make for make in (table_1, table_2, table_3, table_4)}
"""Functions that return the tables, keyed by file name."""


def _by_class(feature: tuple[FloatArray, NDArray[np.str_], Direction]) -> tuple[FloatArray, FloatArray]:
    x, y, _ = feature
    return x[y == _NEGATIVE], x[y == _POSITIVE]


def _sampling(measure: str, count: tuple[int, int]) -> tuple[float, float]:
    """Return the expected value and the standard error of a measure in an experiment with these class sizes."""
    predicted = example()
    if measure == "AUC":
        variance = BinormalSolver(predicted.negative, predicted.positive).empirical_auc_variance(count)
        return predicted.auc(), float(np.sqrt(variance))
    replicates = _replicated_ameans(count)
    return float(replicates.mean()), float(replicates.std(ddof=1))


@cache
def _replicated_ameans(count: tuple[int, int]) -> FloatArray:
    draws = (simulate_two_gaussians(**EXAMPLE, count=count, rng=seed) for seed in range(1, _N_REPLICATIONS + 1))
    return np.array([empirical_roc(x, y).best_threshold().ameans for x, y in draws])


def _trapezoid_auc(roc: PredictedRoc, step: float) -> float:
    """Return the area under a predicted ROC curve, computed by the trapezoidal rule on a grid of thresholds."""
    classes: list[Any] = [roc.negative, roc.positive]
    low = min(d.mean - 10 * d.std for d in classes)
    high = max(d.mean + 10 * d.std for d in classes)
    thresholds = (np.arange(np.floor(low / step), np.ceil(high / step)) + 0.5) * step
    fpr, tpr = np.sort(roc.fpr(thresholds)), np.sort(roc.tpr(thresholds))
    return float(area_under(np.concatenate([[0.0], fpr, [1.0]]), np.concatenate([[0.0], tpr, [1.0]])))


def figure_1() -> Figure:
    """Plot two class densities and the four areas into which a threshold divides them.

    The areas of the true negatives (TN) and of the false negatives (FN) are below the threshold. The areas of the true
    positives (TP) and of the false positives (FP) are above the threshold. At the best threshold, both densities are
    equal.

    Returns
    -------
    matplotlib.figure.Figure
    """
    figure = NotebookFigure((6.4, 4.0))
    plot_densities(example(), ax=figure.add_subplot(), feature="feature x")
    return figure


def figure_2(*, rng_balanced: int = 0, rng_imbalanced: int = 0) -> Figure:
    """Plot the predicted ROC curve of the example with the ROC curves of two simulated experiments.

    The negatives are N(4, 3), and the positives are N(8, 2). One experiment is balanced, the other imbalanced; the
    class sizes (positives + negatives) are shown in the legend. The point with the highest Ameans is marked on each
    curve.

    Parameters
    ----------
    rng_balanced, rng_imbalanced : int, default=0
        Seeds of the two experiments.

    Returns
    -------
    matplotlib.figure.Figure
    """
    experiments = simulate_experiment(BALANCED, rng_balanced), simulate_experiment(IMBALANCED, rng_imbalanced)
    labels = ["predicted", "balanced, 1000 + 1000", "imbalanced, 1000 + 500"]
    return _draw_rocs([example(), *experiments], labels)


def figure_3() -> Figure:
    """Plot predicted ROC curves for several means of the positive class.

    The negatives are N(0, 2), and the positives are N(m, 1) for m from 0 to 4. The larger the distance between the
    means, the higher the curve. For small m, part of the curve is visibly below the chance line, because the standard
    deviations differ.

    Returns
    -------
    matplotlib.figure.Figure
    """
    means = (0.0, 1.0, 2.0, 3.0, 4.0)
    rocs = [PredictedRoc(negative=Gaussian(0, 2), positive=Gaussian(mean, 1)) for mean in means]
    return _draw_rocs(rocs, [f"m = {mean:g}" for mean in means], "negative N(0, 2), positive N(m, 1)")


def figure_4() -> Figure:
    """Plot predicted ROC curves for several standard deviations of the negative class.

    The negatives are N(0, s) for s from 0.5 to 4, and the positives are N(2, 2). All curves have a common point at the
    threshold 0, which is the median of the negatives for every s. The FPR of this point is 1/2, and its TPR is Phi(1) =
    0.841.

    Returns
    -------
    matplotlib.figure.Figure
    """
    stds = (0.5, 1.0, 2.0, 3.0, 4.0)
    rocs = [PredictedRoc(negative=Gaussian(0, std), positive=Gaussian(2, 2)) for std in stds]
    figure = _draw_rocs(rocs, [f"s = {std:g}" for std in stds], "negative N(0, s), positive N(2, 2)")
    _mark_intersection(figure.axes[0], 0.5, float(ndtr(1.0)))
    return figure


def figure_5() -> Figure:
    """Plot the predicted ROC curves of the four Iris features and of the distances to the two class means.

    Virginica is the positive class, and versicolor is the negative class. Petal width has the highest AUC.

    Returns
    -------
    matplotlib.figure.Figure
    """
    names = list(iris_features())
    return _draw_rocs(list(map(iris_prediction, names)), names, "Iris: virginica (positive) against versicolor")


FIGURES: dict[str, Callable[[], Figure]] = {
    draw.__name__: draw for draw in (figure_1, figure_2, figure_3, figure_4, figure_5)
}
"""Functions that draw the figures, keyed by file name; the docstring of each function describes its figure."""


def save_figures(folder: str | PathLike[str], *, rng: int = 0) -> list[Path]:
    """Write every figure as a PNG file and an SVG file; repeated calls write identical files.

    Parameters
    ----------
    folder : path
        Folder for the files; it is created if it does not exist.
    rng : int, default=0
        Seed of the simulated experiments in Figure 2.

    Returns
    -------
    list of Path
        Paths of the files, in the order of the figures.

    Raises
    ------
    RocPredictError
        If the folder cannot be created, or a file cannot be written.
    """
    folder = make_directory(folder)
    paths = []
    for name, draw in FIGURES.items():
        figure = figure_2(rng_balanced=rng, rng_imbalanced=rng) if draw is figure_2 else draw()
        paths += [save_figure(figure, folder / f"{name}.{kind}") for kind in ("png", "svg")]
    return paths


def _draw_rocs(rocs: Sequence[Roc], labels: Sequence[str], title: str = "") -> Figure:
    figure = NotebookFigure((5.6, 5.6))
    ax = figure.add_subplot()
    plot_roc(*rocs, ax=ax, labels=labels)
    ax.set_title(title, fontsize="medium")
    return figure


def _mark_intersection(ax: Axes, fpr: float, tpr: float) -> None:
    """Mark the common point of all curves of Figure 4."""
    square: dict[str, Any] = {"markersize": 7, "markerfacecolor": "white", "markeredgewidth": 1.6}
    ax.plot(fpr, tpr, "s", color=TEXT_COLOR, zorder=6, gid="meeting", **square)
    arrow = {"arrowstyle": "->", "color": TEXT_COLOR, "shrinkA": 0, "shrinkB": 6, "relpos": (0.1, 1.0)}
    words = f"common point:\nFPR 1/2, TPR {tpr:.3f}"
    style: dict[str, Any] = {"fontsize": SMALL, "color": TEXT_COLOR, "va": "top", "bbox": TEXT_BACKGROUND, "zorder": 6}
    ax.annotate(words, (fpr, tpr), (0.47, 0.70), arrowprops=arrow, **style)
