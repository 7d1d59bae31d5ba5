"""Plots of ROC curves, mean ROC curves, confidence bands, precision-recall curves and diagnoses."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from scipy.special import ndtri

from rocpredict.base.formatting import format_estimate, format_level, format_p_statement, format_rate
from rocpredict.base.rates import check_confidence_level
from rocpredict.base.validation import FloatArray, RocPredictError, Seed, check_probability, check_result, short_repr
from rocpredict.diagnostics.comparison import max_tpr_gap
from rocpredict.inference.hypotheses import MANN_WHITNEY, PREDICTED_AUC, AucTest
from rocpredict.inference.multiple_aucs import AucTestMany
from rocpredict.inference.uncertainty import BandKind, BandMethod
from rocpredict.plots import style
from rocpredict.plots.densities import plot_densities
from rocpredict.plots.style import Canvas
from rocpredict.roc.base import Roc
from rocpredict.roc.empirical import EmpiricalRoc
from rocpredict.roc.mean_curve import MeanRoc

if TYPE_CHECKING:
    from rocpredict.diagnostics.diagnose import Diagnosis

_MARGIN = 0.02
#: Largest difference between two AUCs of the same data that can result from rounding.
_AUC_ATOL = 1e-9
_HATCHES = ("", "///", "...", "\\\\\\", "ooo", "---")
_HOOK: style.Look = {"facecolor": "none", "edgecolor": "#767676", "hatch": "xxx", "linewidth": 0.0, "zorder": 2}
_BAND: style.Look = {"facecolor": "#C9D7E6", "edgecolor": "#0072B2", "linewidth": 0.8, "zorder": 0.9}
#: Maximum number of characters of the name of a mean curve in a legend.
_MAX_NAME_LENGTH = 20
#: Maximum number of characters, in a legend, of the name of a test and of its null hypothesis.
_MAX_SHORT_LENGTH = 24
#: Minimum depth of a hatched area below the chance line; the line of the curve hides a shallower area.
_MIN_HOOK_DEPTH = 0.01
SIDE_BY_SIDE_FIGSIZE = (10.4, 4.9)


def plot_roc(
    *rocs: Roc[float],
    ax: Axes | None = None,
    labels: Sequence[str] | None = None,
    best: bool = True,
    chance: bool = True,
    legend: bool = True,
    band: bool = False,
    level: float = 0.95,
    test: AucTest | AucTestMany | None = None,
) -> Axes:
    """Plot ROC curves, with their AUCs and the points with the highest Ameans.

    Parameters
    ----------
    *rocs : Roc
        One or more predicted or empirical ROC curves, each of one feature.
    ax : matplotlib Axes, optional
        Axes to draw on. By default, the axes of a new figure.
    labels : sequence of str, optional
        Name of each curve in the legend. By default, "predicted" or "empirical", depending on the curve.
    best : bool, default=True
        On each curve, mark the point with the highest Ameans (balanced accuracy) and label it with its threshold.
    chance : bool, default=True
        Draw the chance line.
    legend : bool, default=True
        Draw a legend.
    band : bool, default=False
        Shade the pointwise confidence band of each curve; see ``plot_band`` for other kinds of bands.
    level : float, default=0.95
        Confidence level, in (0, 1).
    test : AucTest or AucTestMany, optional
        Result of ``rocpredict.auc_test`` for the features of these curves, in the same order. The p-value is added to
        the legend.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    RocPredictError
        If there is no curve, if an argument is not the ROC curve of one feature, if the number of labels is wrong, if a
        band needs class counts that are unknown, if an option is out of range, or if ``test`` does not match the
        curves.

    See Also
    --------
    plot_comparison : a predicted and an empirical curve with their largest difference.

    Notes
    -----
    Straight lines connect the points of an empirical curve; a tie between the classes gives a diagonal line. Where a
    curve is below the chance line, the area between the two lines is hatched. Two curves from the same observations are
    correlated, so the overlap of their confidence bands is not a test of their difference; pass ``test`` instead.

    Examples
    --------
    >>> from rocpredict import Gaussian, PredictedRoc
    >>> ax = plot_roc(PredictedRoc(negative=Gaussian(4, 3), positive=Gaussian(8, 2)))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['predicted, AUC 0.866', 'chance']
    """
    names = style.check_curves(rocs, labels, best=best, chance=chance, legend=legend, band=band)
    level = check_confidence_level(level)
    tested = None if test is None else format_test(test, rocs)
    shades = [roc.band(level) for roc in rocs] if band else []
    canvas = Canvas(ax, legend=legend)
    _draw_curves(canvas, rocs, names)
    if tested is not None:
        canvas.add([Line2D([], [], linestyle="none")], tested)
    for index, shade in enumerate(shades):  # each band has the color of its curve, but its own hatch and edge
        color, dash = style.CURVES[index % len(style.CURVES)]
        hatch = _HATCHES[index % len(_HATCHES)]
        look: style.Look = {"facecolor": (color, 0.14), "hatch": hatch, "gid": f"band-{index}", "zorder": 1.5}
        look |= {"edgecolor": (color, 0.45), "linestyle": dash, "linewidth": 0.7}
        area = canvas.ax.fill_between(shade.fpr, shade.low, shade.high, **look)
        canvas.add([area] if index == 0 else [], f"{format_level(level)} band, {shade.kind}")
    _finish(canvas, rocs, best=best, chance=chance)
    return canvas.ax


def plot_comparison(predicted: Roc[float], empirical: EmpiricalRoc, *, ax: Axes | None = None) -> Axes:
    """Plot a predicted and an empirical ROC curve, and mark their largest TPR difference.

    Parameters
    ----------
    predicted : PredictedRoc
        Predicted ROC curve of one feature.
    empirical : EmpiricalRoc
        Empirical ROC curve of the same feature and direction.
    ax : matplotlib Axes, optional
        Axes to draw on. By default, the axes of a new figure.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    RocPredictError
        If ``predicted`` is not a PredictedRoc of one feature, if ``empirical`` is not an EmpiricalRoc of one feature,
        or if the curves have different directions.

    Examples
    --------
    >>> import rocpredict as rp
    >>> iris = rp.datasets.load_iris()
    >>> data = {"x": iris.column("petal_width"), "y": iris.y, "positive": "virginica", "negative": "versicolor"}
    >>> ax = plot_comparison(rp.predict_roc(**data), rp.empirical_roc(**data))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['1  predicted, AUC 0.981', '2  empirical, AUC 0.980', 'chance']
    """
    gap, gap_fpr = max_tpr_gap(predicted, empirical)
    rocs, canvas = (predicted, empirical), Canvas(ax)
    _draw_curves(canvas, rocs, style.check_curves(rocs, ["predicted", "empirical"]))
    _finish(canvas, rocs)
    top = float(predicted.tpr_at_fpr(gap_fpr))
    canvas.mark_gap(gap_fpr, gap, [top - gap, top])
    return canvas.ax


def _draw_curves(canvas: Canvas, rocs: Sequence[Roc], names: Sequence[str]) -> None:
    """Draw the curves and axes of a ROC plot."""
    frame_roc(canvas)
    curves = [roc.curve() for roc in rocs]
    paths = [np.column_stack([curve.fpr, curve.tpr]) for curve in curves]
    canvas.curves("roc", rocs, paths, _format_names_with_auc(rocs, names))


def _finish(canvas: Canvas, rocs: Sequence[Roc], *, best: bool = True, chance: bool = True) -> None:
    """Hatch visible areas below the chance line, then add the chance line, the legend and the best points."""
    hooks = [path.T for path in canvas.paths if (path[:, 0] - path[:, 1]).max() >= _MIN_HOOK_DEPTH]
    for index, (fpr, tpr) in enumerate(hooks):
        below = (tpr < fpr).tolist()
        area = canvas.ax.fill_between(fpr, tpr, fpr, where=below, interpolate=True, gid="hook", **_HOOK)
        canvas.add([area] if index == 0 else [], "below chance")
    if chance:
        canvas.diagonal()
    canvas.legend_off_curves([roc.auc() for roc in rocs])
    if best:
        canvas.mark_best(rocs)


def format_test(test: object, rocs: Sequence[Roc]) -> str:
    """Check that a test matches the curves, and return its legend entry."""
    if not isinstance(test, (AucTest, AucTestMany)):
        raise RocPredictError(f"test={short_repr(test)} is not a test of AUCs; pass the result of rp.auc_test")
    plotted, tested = [float(roc.auc()) for roc in rocs], list(test.estimates)
    areas = test.estimator in {MANN_WHITNEY, PREDICTED_AUC}  # not a TPR or a partial area
    if len(plotted) != len(tested) or (areas and not np.allclose(plotted, tested, rtol=0, atol=_AUC_ATOL)):
        texts = [", ".join(f"{area:.4f}" for area in estimates) for estimates in (tested, plotted)]
        raise RocPredictError(
            f"test= does not match the curves: the tested estimates are {texts[0]}, but the AUCs of the curves are "
            f"{texts[1]}; pass the ROC curves of the tested features in the same order"
        )
    null = style.plain_text_label(test.null, _MAX_SHORT_LENGTH)
    if isinstance(test, AucTest) and len(tested) == 2 and test.null.startswith("AUC of") and " = " in test.null:
        null = "equal AUCs"  # the legend already names the features
    return f"{null}: {format_p_statement(test.p_value)} ({style.plain_text_label(test.method, _MAX_SHORT_LENGTH)})"


def frame_roc(canvas: Canvas) -> None:
    """Set limits, ticks, grid and axis labels of a ROC plot."""
    span, ticks = (-_MARGIN, 1 + _MARGIN), np.linspace(0, 1, 6)
    canvas.frame(xlim=span, ylim=span, aspect="equal", xticks=ticks, yticks=ticks)
    canvas.ax.set(xlabel="false positive rate (FPR)", ylabel="true positive rate (TPR)")


def _format_names_with_auc(rocs: Sequence[Roc], names: Sequence[str]) -> list[str]:
    """Return the name of each curve with its AUC, which is shown as 1 only if it is exactly 1."""
    digits = [format_rate(roc.auc()) if roc.auc() < 1 else ">0.999" for roc in rocs]
    digits = ["1" if roc.auc_complement() == 0 else text for roc, text in zip(rocs, digits, strict=True)]
    return [f"{name}, AUC {text}" for name, text in zip(names, digits, strict=True)]


def plot_mean_roc(
    *means: MeanRoc,
    ax: Axes | None = None,
    labels: str | Sequence[str] | None = None,
    show_folds: bool | None = None,
    band: bool = True,
    chance: bool = True,
    legend: bool = True,
) -> Axes:
    """Plot mean ROC curves with their confidence bands and mean AUCs.

    Parameters
    ----------
    *means : MeanRoc
        One or more results of ``rocpredict.mean_roc``.
    ax : matplotlib Axes, optional
        Axes to draw on. By default, the axes of a new figure.
    labels : str or sequence of str, optional
        Name of each mean curve in the legend.
    show_folds : bool, optional
        Draw a thin line for each fold. By default, True for one mean curve and False for several.
    band : bool, default=True
        Shade the pointwise confidence band of the mean curve.
    chance : bool, default=True
        Draw the chance line.
    legend : bool, default=True
        Draw a legend with the confidence interval of each mean AUC.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    RocPredictError
        If there is no mean curve, if an argument is not a MeanRoc, or if the number of labels is wrong.

    Notes
    -----
    The bands are pointwise. They are computed under the assumption that the folds are independent, although the folds
    of a cross-validation share training data. The overlap of two bands is not a test of the difference between two
    models.

    Examples
    --------
    >>> from rocpredict.roc.mean_curve import mean_roc
    >>> ax = plot_mean_roc(mean_roc([([1, 2, 3, 4], [0, 0, 1, 1]), ([1, 3, 2, 4], [0, 0, 1, 1])]))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['mean of 2, AUC 0.875 (95% CI 0.032 to 0.999)', '95% band, pointwise', 'one fold', 'chance']
    """
    style.check_separate(means, "plot_mean_roc")
    for mean in means:
        check_result("mean", mean, MeanRoc, "rp.mean_roc")
    show_folds = len(means) == 1 if show_folds is None else show_folds
    style.check_booleans(show_folds=show_folds, band=band, chance=chance, legend=legend)
    names = style.resolve_labels(labels, [f"mean of {mean.n_folds}" for mean in means], "mean ROC", _MAX_NAME_LENGTH)
    canvas = Canvas(ax, legend=legend)
    frame_roc(canvas)
    for index, (mean, name) in enumerate(zip(means, names, strict=True)):
        _draw_mean(canvas, index, mean, name, show_folds=show_folds, band=band)
    if chance:
        canvas.diagonal()
    canvas.legend_off_curves([mean.auc for mean in means])
    return canvas.ax


def _draw_mean(canvas: Canvas, index: int, mean: MeanRoc, name: str, *, show_folds: bool, band: bool) -> None:
    """Draw one mean curve; only the band and folds of the first curve have legend entries."""
    ax, properties = canvas.ax, style.line_style(index) | {"zorder": 4}
    words = f"{name}, AUC {format_estimate(mean.auc, mean.auc_interval, mean.level)}"
    canvas.add(ax.plot(mean.fpr, mean.tpr, gid=f"mean-{index}", **properties), words)
    if band:
        shade = {"color": properties["color"], "alpha": 0.16, "linewidth": 0.0, "zorder": 2, "gid": f"band-{index}"}
        area = ax.fill_between(mean.fpr, mean.low, mean.high, **shade)
        canvas.add([area] if index == 0 else [], f"{format_level(mean.level)} band, pointwise")
    if show_folds:
        thin = {"color": properties["color"], "linewidth": 0.6, "alpha": 0.45, "zorder": 3}
        curves = [roc.curve() for roc in mean.fold_rocs]
        gid = "fold" if index == 0 else f"fold-of-{index}"
        folds = [ax.plot(curve.fpr, curve.tpr, gid=f"{gid}-{k}", **thin)[0] for k, curve in enumerate(curves)]
        canvas.add(folds if index == 0 else [], "one fold")


def plot_side_by_side(
    predicted: Roc[float],
    empirical: EmpiricalRoc | None = None,
    *,
    ax: Sequence[Axes] | None = None,
    feature: str = "x",
    unit: str | None = None,
    classes: Sequence[str] | None = None,
) -> style.NotebookFigure:
    """Plot the class densities on the left and the ROC curve on the right.

    Parameters
    ----------
    predicted : Roc
        ROC curve of one feature.
    empirical : EmpiricalRoc, optional
        Empirical ROC curve of the same feature, added to the right panel for comparison.
    ax : pair of matplotlib Axes, optional
        Axes for the densities (first) and for the ROC curve (second). By default, the axes of a new figure.
    feature : str, default="x"
        Name of the feature.
    unit : str, optional
        Unit of the feature.
    classes : pair of str, optional
        Names of the negative and the positive class.

    Returns
    -------
    NotebookFigure
        A matplotlib Figure that is displayed in notebooks.

    Raises
    ------
    RocPredictError
        If an argument is invalid; see ``plot_densities`` and ``plot_comparison``.

    Examples
    --------
    >>> from rocpredict import PredictedRoc
    >>> figure = plot_side_by_side(PredictedRoc.from_stats(mean=(4, 8), std=(3, 2)), feature="width", unit="cm")
    >>> [ax.get_xlabel() for ax in figure.axes]
    ['width [cm]', 'false positive rate (FPR)']
    """
    if ax is None:
        ax = style.NotebookFigure(SIDE_BY_SIDE_FIGSIZE).subplots(1, 2)
    left, right = style.check_several_axes(ax, 2)
    plot_densities(predicted, ax=left, feature=feature, unit=unit, classes=classes)
    if empirical is None:
        plot_roc(predicted, ax=right)
    else:
        plot_comparison(predicted, empirical, ax=right)
    return cast("style.NotebookFigure", left.get_figure(root=True))


_BAND_GRID = np.arange(1001) / 1000
_RECALL_GRID = np.linspace(0, 1, 201)


def plot_band(
    roc: Roc[float],
    *,
    level: float = 0.95,
    kind: BandKind = "pointwise",
    method: BandMethod = None,
    ax: Axes | None = None,
    label: str | None = None,
    chance: bool = True,
    legend: bool = True,
    n_resamples: int = 2000,
    rng: Seed = 0,
) -> Axes:
    """Plot a ROC curve with its confidence band.

    Parameters
    ----------
    roc : Roc
        Predicted or empirical ROC curve of one feature.
    level : float, default=0.95
        Confidence level, in (0, 1).
    kind : {"pointwise", "simultaneous"}, default="pointwise"
        Kind of band:

        * "pointwise": at any one FPR, the band contains the true TPR with probability ``level``.
        * "simultaneous": the band contains the whole true curve with probability ``level``.
    method : str, optional
        Method by which the band is computed; see ``roc.band``.
    ax : matplotlib Axes, optional
        Axes to draw on. By default, the axes of a new figure.
    label : str, optional
        Name of the curve in the legend. A long name is truncated.
    chance : bool, default=True
        Draw the chance line.
    legend : bool, default=True
        Draw a legend that shows the AUC, the kind of band and its confidence level.
    n_resamples : int, default=2000
        Number of bootstrap resamples.
    rng : None, int or numpy.random.Generator, default=0
        Seed or generator for resampling.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    RocPredictError
        If ``roc`` is not the ROC curve of one feature, or if an option is invalid; see ``roc.band``.

    Examples
    --------
    >>> from rocpredict import PredictedRoc
    >>> roc = PredictedRoc.from_stats(mean=(4, 8), std=(3, 2), count=(60, 40))
    >>> ax = plot_band(roc, kind="simultaneous")
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['predicted, AUC 0.866', '95% band, simultaneous', 'chance']
    """
    names = style.check_curves([roc], None if label is None else [label], chance=chance, legend=legend)
    grid = _BAND_GRID if kind == "simultaneous" else None
    band = roc.band(level, kind=kind, fpr=grid, method=method, n_resamples=n_resamples, rng=rng)
    canvas = Canvas(ax, legend=legend)
    _draw_curves(canvas, [roc], names)
    area = canvas.ax.fill_between(band.fpr, band.low, band.high, gid="band", **_BAND)
    canvas.add([area], f"{format_level(band.level)} band, {band.kind}")
    if chance:
        canvas.diagonal()
    canvas.legend_off_curves([roc.auc()])
    return canvas.ax


def plot_precision_recall(
    *rocs: Roc[float],
    prevalence: float | None = None,
    ax: Axes | None = None,
    labels: Sequence[str] | None = None,
    chance: bool = True,
    legend: bool = True,
) -> Axes:
    """Plot precision-recall curves with their average precision (AP).

    Parameters
    ----------
    *rocs : Roc
        One or more predicted or empirical ROC curves, each of one feature.
    prevalence : float, optional
        Proportion of positives in the population where the rule is used, in (0, 1). All curves use this value. By
        default, the proportion is computed from the class counts of each curve.
    ax : matplotlib Axes, optional
        Axes to draw on. By default, the axes of a new figure.
    labels : sequence of str, optional
        Name of each curve in the legend. By default, "predicted" or "empirical", depending on the curve.
    chance : bool, default=True
        Draw the precision of a random guess, which equals the prevalence.
    legend : bool, default=True
        Draw a legend.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    RocPredictError
        If there is no curve, if an argument is not the ROC curve of one feature, if the number of labels is wrong, or
        if the prevalence is unknown.

    Notes
    -----
    An empirical curve is drawn in steps, so that the area under it equals its average precision.

    Examples
    --------
    >>> from rocpredict import PredictedRoc
    >>> roc = PredictedRoc.from_stats(mean=(4, 8), std=(3, 2), count=(60, 40))
    >>> ax = plot_precision_recall(roc)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['predicted, AP 0.758', 'random guess: prevalence 0.400']
    """
    names = style.check_curves(rocs, labels, function="plot_precision_recall", chance=chance, legend=legend)
    with np.errstate(over="ignore"):  # the density of a very narrow class overflows
        curves = [roc.precision_recall_curve(prevalence=prevalence) for roc in rocs]
        areas = [format_rate(curve.average_precision()) for curve in curves]
    canvas = Canvas(ax, legend=legend)
    frame_roc(canvas)
    canvas.ax.set(xlabel="recall (TPR)", ylabel="precision")
    paths = [np.column_stack([curve.recall, curve.precision]) for curve in curves]
    legend_names = [f"{name}, AP {area}" for name, area in zip(names, areas, strict=True)]
    for line, roc in zip(canvas.curves("precision-recall", rocs, paths, legend_names), rocs, strict=True):
        line.set_drawstyle("steps-pre" if isinstance(roc, EmpiricalRoc) else "default")
    if chance:
        for curve in select_by_prevalence(curves):
            words = f"random guess: prevalence {format_rate(curve.prevalence)}"
            canvas.guide(words, y=curve.prevalence, gid="guess")
    precision_values = np.concatenate([np.interp(_RECALL_GRID, curve.recall, curve.precision) for curve in curves])
    canvas.legend_in(_emptiest_corner(np.tile(_RECALL_GRID, len(curves)), precision_values, len(canvas.entries)))
    return canvas.ax


def select_by_prevalence(curves: Sequence[Any]) -> list[Any]:
    """Return one curve for each distinct prevalence; prevalences are first rounded to six decimals."""
    return list({round(curve.prevalence, 6): curve for curve in curves}.values())


def _emptiest_corner(x: FloatArray, y: FloatArray, lines: int) -> str:
    """Return the corner in which a legend with this number of lines hides the fewest points."""
    height = 0.04 + 0.06 * lines
    corners = {
        "lower left": (x < 0.6) & (y < height),
        "upper right": (x > 0.4) & (y > 1 - height),
        "lower right": (x > 0.4) & (y < height),
        "upper left": (x < 0.6) & (y > 1 - height),
    }
    return min(corners, key=lambda name: int(corners[name].sum()))


_TICKS = np.array([1e-6, 1e-5, 1e-4, 0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999, 0.9999, 0.99999, 0.999999])
_SEGMENT_FRACTIONS = np.arange(16) / 16
#: Ratio of the upper axis limit to the probit of the highest rate.
_PROBIT_MARGIN = 1.03


def plot_probit(
    *rocs: Roc[float],
    min_rate: float = 0.001,
    ax: Axes | None = None,
    labels: Sequence[str] | None = None,
    best: bool = True,
    chance: bool = True,
    legend: bool = True,
) -> Axes:
    """Plot ROC curves on probit axes, where the curve of two Gaussians is a straight line.

    Parameters
    ----------
    *rocs : Roc
        One or more predicted or empirical ROC curves, each of one feature.
    min_rate : float, default=0.001
        Lowest rate on the axes, in [1e-6, 0.2]. The highest rate is 1 - ``min_rate``.
    ax : matplotlib Axes, optional
        Axes to draw on. By default, the axes of a new figure.
    labels : sequence of str, optional
        Name of each curve in the legend. By default, "predicted" or "empirical", depending on the curve.
    best : bool, default=True
        On each curve, mark the point with the highest Ameans (balanced accuracy) and label it with its threshold. A
        point outside the axes is not marked.
    chance : bool, default=True
        Draw the chance line.
    legend : bool, default=True
        Draw a legend.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    RocPredictError
        If there is no curve, if an argument is not the ROC curve of one feature, if the number of labels is wrong, or
        if ``min_rate`` is out of range.

    Notes
    -----
    The axes are probit(FPR) and probit(TPR), with the rates as tick labels. The curve of two Gaussians is the line
    probit(TPR) = a + b probit(FPR) with a = (mean1 - mean0)/std1 and b = std0/std1, where 0 stands for the negative
    class and 1 for the positive class. The slope b is 1 if both classes have the same standard deviation. Rates of 0
    and 1 are infinite on this scale. If a point of an empirical curve has such a rate, it is drawn at the edge. Near
    the edges, an empirical curve depends on few observations and is unreliable. An approximately straight empirical
    curve is consistent with classes that are Gaussian after an increasing transform (Metz, Herman and Shen 1998). The
    classes themselves are Gaussian only if the empirical curve also agrees with the curve that is predicted from two
    Gaussians.

    Examples
    --------
    >>> from rocpredict import Gaussian, PredictedRoc
    >>> ax = plot_probit(PredictedRoc(negative=Gaussian(4, 3), positive=Gaussian(8, 2)))
    >>> x, y = ax.lines[0].get_data()
    >>> float(np.median(np.diff(y) / np.diff(x)).round(6))
    1.5
    """
    names = style.check_curves(rocs, labels, function="plot_probit", best=best, chance=chance, legend=legend)
    rate = check_probability("min_rate", min_rate)
    if not _TICKS[0] <= rate <= 0.2:
        raise RocPredictError(f"min_rate={short_repr(min_rate)} is out of range; use a value in [1e-6, 0.2]")
    end = _PROBIT_MARGIN * -float(ndtri(rate))
    canvas = Canvas(ax, legend=legend)
    ticks = _TICKS[np.abs(ndtri(_TICKS)) <= end]
    tick_labels = [f"{tick:g}" if tick >= 1e-4 else f"{tick:.0e}".replace("e-0", "e−") for tick in ticks]
    canvas.frame(xlim=(-end, end), ylim=(-end, end), aspect="equal")
    canvas.ax.set_xticks(ndtri(ticks), tick_labels)
    canvas.ax.set_yticks(ndtri(ticks), tick_labels)
    canvas.ax.set(xlabel="false positive rate (FPR), probit scale", ylabel="true positive rate (TPR), probit scale")
    paths = [_probit_path(roc, end) for roc in rocs]
    canvas.curves("probit", rocs, paths, _format_names_with_auc(rocs, names))
    if chance:
        canvas.diagonal(limits=(-end, end), gid="chance")
    if not any((np.abs(path) < end).all(axis=1).any() for path in paths):
        words = f"no point of the curve{'s' * (len(paths) > 1)} is within the axes"
        look: style.Look = {"ha": "center", "va": "center", "transform": canvas.ax.transAxes, "gid": "empty"}
        canvas.ax.text(0.5, 0.62, words, color=style.MUTED_COLOR, fontsize=style.SMALL, **look)
    canvas.legend_off_curves([roc.auc() for roc in rocs])
    if best:
        canvas.mark_best(rocs, ndtri)
    return canvas.ax


def _probit_path(roc: Roc, end: float) -> FloatArray:
    """Return the points of a curve on the probit scale, of shape (n, 2).

    Points with a rate of 0 or 1 are omitted from a continuous curve, and moved to the edge of the axes in a step
    function.
    """
    curve = roc.curve()
    rates = np.column_stack([curve.fpr, curve.tpr])
    if not any(d.atoms().masses.sum() > 0 for d in (roc.negative, roc.positive)):
        path = ndtri(rates)
        return np.asarray(path[np.isfinite(path).all(axis=1)])
    steps = np.diff(rates, axis=0)
    divided = rates[:-1, None] + steps[:, None] * _SEGMENT_FRACTIONS[:, None]
    diagonal = (steps > 0).all(axis=1, keepdims=True)  # these segments are not straight on the probit scale
    divided = divided[diagonal | (_SEGMENT_FRACTIONS == 0)]
    return np.asarray(np.clip(ndtri(np.concatenate([divided, rates[-1:]])), -end, end))


_DIAGNOSIS_FIGSIZE = (14.2, 5.2)
_LINE_LENGTH = 120  # largest number of characters in a line of the verdict
_CLASS_MARKERS = {"negative": "o", "positive": "D"}
_BETWEEN: style.Look = {"facecolor": "#E69F00", "edgecolor": "#7A6000", "alpha": 0.35, "hatch": ".."}


def plot_diagnosis(
    diagnosis: Diagnosis, *, ax: Sequence[Axes] | None = None, feature: str = "x", unit: str | None = None
) -> Figure:
    """Plot the curves, normal scores and fitted densities of a diagnosis.

    Parameters
    ----------
    diagnosis : Diagnosis
        Result of ``rocpredict.diagnose``.
    ax : sequence of three matplotlib Axes, optional
        Axes to draw on. By default, the axes of a new figure, with the verdict of the diagnosis as its title.
    feature : str, default="x"
        Name of the feature. A long name is truncated.
    unit : str, optional
        Unit of the feature.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    RocPredictError
        If ``diagnosis`` is not a Diagnosis, if ``ax`` does not contain three axes, or if the range of the values is too
        small or too large for an axis.

    Notes
    -----
    * Left: the predicted and the empirical curve, the area between them (hatched), and the largest TPR difference.
    * Middle: normal scores of the observations under the fitted distribution, against the scores that are expected in a
      sample of this size. If the distribution fits, the points are near the diagonal line. The band is pointwise: at
      each expected score, it contains the point in 95% of samples from the fitted distribution.
    * Right: the fitted densities with histograms of the data, and the predicted threshold.

    Examples
    --------
    >>> from rocpredict.datasets import simulate_two_gaussians
    >>> from rocpredict.diagnostics.diagnose import diagnose
    >>> figure = plot_diagnosis(diagnose(*simulate_two_gaussians(count=(40, 40)), n_resamples=50), feature="width")
    >>> [ax.get_xlabel() for ax in figure.axes]
    ['false positive rate (FPR)', 'expected normal score', 'width']
    """
    from rocpredict.diagnostics.diagnose import Diagnosis  # imported late: other plots do not need it

    check_result("diagnosis", diagnosis, Diagnosis, "rp.diagnose")
    x = diagnosis.plot_data.densities[0].x
    style.pad_limits(x[0], x[-1], 0)  # raises RocPredictError if the range is too small or too large
    curves, quantiles, densities = _canvases(ax, diagnosis.verdict)
    _draw_predicted_and_empirical(curves, diagnosis)
    _draw_quantiles(quantiles, diagnosis)
    _draw_densities(densities, diagnosis)
    densities.name_feature(feature, unit)
    return curves.ax.get_figure(root=True)  # type: ignore[return-value]


def _canvases(ax: Any, verdict: str) -> list[Canvas]:
    if ax is None:
        figure = style.NotebookFigure(_DIAGNOSIS_FIGSIZE)
        title = figure.suptitle(fill(verdict, _LINE_LENGTH), fontsize=style.SMALL + 1, color=style.TEXT_COLOR)
        style.escape_mathtext(title)
        ax = figure.subplots(1, 3)
    return [Canvas(axes) for axes in style.check_several_axes(ax, 3)]


# ---- the curve
def _draw_predicted_and_empirical(canvas: Canvas, diagnosis: Diagnosis) -> None:
    """Draw both curves, the area between them, and the largest TPR difference."""
    frame_roc(canvas)
    plot_data, aucs = diagnosis.plot_data, (diagnosis.predicted_auc, diagnosis.empirical_auc)
    for index, name in enumerate(("predicted", "empirical")):
        curve, line = getattr(plot_data, name), style.line_style(index, (2.0, 1.3)[index]) | {"gid": name}
        canvas.add(canvas.ax.plot(curve.fpr, curve.tpr, **line), f"{name}, AUC {format_rate(aucs[index])}")
    area = canvas.ax.fill_between(*plot_data.rates, gid="between", zorder=2, linewidth=0, **_BETWEEN)
    expected = f"expected {diagnosis.area_between_expected:.3f}"
    canvas.add([area], f"area between: {diagnosis.area_between:.3f}, {expected}")
    canvas.diagonal()
    canvas.legend_off_curves(aucs)
    fpr, predicted, empirical = plot_data.rates
    canvas.paths = [np.column_stack([fpr, tpr]) for tpr in (predicted, empirical)]
    gap, gap_fpr = diagnosis.max_tpr_gap, diagnosis.max_tpr_gap_fpr
    top = float(np.interp(gap_fpr, fpr, predicted))
    canvas.mark_gap(gap_fpr, gap, [top, top - gap])


# ---- the classes
def _draw_quantiles(canvas: Canvas, diagnosis: Diagnosis) -> None:
    """Draw the normal scores of both classes and their bands."""
    for class_style, q in zip((style.NEGATIVE, style.POSITIVE), diagnosis.plot_data.quantiles, strict=True):
        name = class_style.name
        band = class_style.area(0.12, 0.5) | {"linewidth": 0, "zorder": 2, "gid": f"{name}-band"}
        canvas.ax.fill_between(q.expected, q.low, q.high, **band)
        look: style.Look = {"markersize": 4, "markerfacecolor": "white", "linestyle": "none", "zorder": 4}
        look |= {"color": class_style.color, "marker": _CLASS_MARKERS[name], "gid": f"{name}-quantiles"}
        fit = format_p_statement(getattr(diagnosis, name).p_value)
        canvas.add(canvas.ax.plot(q.expected, q.fitted, **look), f"{name}, fit {fit}")
    limits = [float(limit) for q in diagnosis.plot_data.quantiles for part in q for limit in (part.min(), part.max())]
    span = min(limits) - 0.2, max(limits) + 0.2
    canvas.diagonal("perfect fit", span, "-", "fits")
    canvas.frame(xlim=span, ylim=span, aspect="equal")
    canvas.ax.set(xlabel="expected normal score", ylabel="normal score under the fitted distribution")
    canvas.legend_in("upper left")


def _draw_densities(canvas: Canvas, diagnosis: Diagnosis) -> None:
    """Draw the fitted density of each class with a histogram of its data."""
    for class_style, d in zip((style.NEGATIVE, style.POSITIVE), diagnosis.plot_data.densities, strict=True):
        name = class_style.name
        look = class_style.area(0.10, 0.6) | {"linewidth": 0.6, "fill": True, "zorder": 2, "gid": f"{name}-data"}
        bars = canvas.ax.stairs(d.histogram_density, d.edges, **look)
        lines = canvas.ax.plot(d.x, d.density, gid=f"{name}-density", **class_style.line())
        canvas.add(lines, f"{name}, fitted")
        canvas.add([bars], f"{name}, data")
    x = diagnosis.plot_data.densities[0].x
    canvas.ax.set(xlim=(x[0], x[-1]), ylim=(0, None), ylabel="density")
    if x[0] <= diagnosis.threshold <= x[-1]:
        words = f"threshold {diagnosis.threshold:.4g}".replace("-", "−")
        canvas.guide(words, x=diagnosis.threshold, gid="threshold", **style.THRESHOLD_LINE_STYLE)
    canvas.legend_above(2, spacing=1.2)
