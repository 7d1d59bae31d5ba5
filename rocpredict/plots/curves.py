"""Plots of ROC curves."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from rocpredict.base.results import check_confidence_level, format_level, format_rate
from rocpredict.base.validation import FloatArray, RocPredictError, short_repr
from rocpredict.diagnostics.comparison import max_tpr_gap
from rocpredict.inference.hypotheses import AucTest
from rocpredict.inference.multiple_tests import AucTestMany
from rocpredict.plots.densities import plot_densities
from rocpredict.plots.labels import Box, annotate_best_threshold, annotate_largest_gap, draw_legend, format_gap
from rocpredict.plots.style import (
    CURVES,
    SQUARE_FIGSIZE,
    LegendEntry,
    NotebookFigure,
    add_legend,
    best_legend_corner,
    check_booleans,
    check_single_feature,
    draw_chance,
    get_or_create_axes,
    line_style,
    plain_text_label,
    resolve_labels,
)
from rocpredict.roc.base import Roc
from rocpredict.roc.empirical import EmpiricalRoc
from rocpredict.roc.mean_curve import MeanRoc
from rocpredict.solvers.base import RocCurve

if TYPE_CHECKING:
    from rocpredict.inference.bands import ConfidenceBand


_MARGIN = 0.02
_OVERLAP_TOL = 1e-9
"""How far AUCs of the same rows differ by rounding."""
_HATCHES = ("", "///", "...", "\\\\\\", "ooo", "---")
_AREA = "Mann-Whitney"
_SHORT = 24
"""Most characters of what a test is called, and of its hypothesis."""
_MIN_HOOK_DEPTH = 0.01  # a shallower hook is hardly wider than the line that draws it


def plot_roc(
    *rocs: Roc,
    ax: Axes | None = None,
    labels: Sequence[str] | None = None,
    best: bool = True,
    chance: bool = True,
    legend: bool = True,
    band: bool = False,
    level: float = 0.95,
    test: AucTest | AucTestMany | None = None,
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
    band : bool
        Shade the pointwise band of each curve, by ``roc.band``; see ``plot_band`` for the other kinds.
    level : float
        Of the bands.
    test : AucTest or AucTestMany, optional
        A test of these very curves in their order, as ``rocpredict.auc_test`` gives it: its p-value joins the legend.

    Returns
    -------
    Axes

    Raises
    ------
    RocPredictError
        No ROC, what is not the ROC of one feature, or as many labels as there are not curves; a band of a curve
        without counts; a level outside (0, 1); a switch that is not True or False; a test of other curves.

    Notes
    -----
    An empirical curve is drawn point to point: a step where values differ, a diagonal where classes tie.
    Where a curve lies below the chance line the area between them is hatched. Bands that overlap, or do not, are no
    test of two curves of the same cases: these go up and down together, as ``test`` knows and bands do not.

    Examples
    --------
    >>> from rocpredict import Gaussian, PredictedRoc
    >>> ax = plot_roc(PredictedRoc(negative=Gaussian(4, 3), positive=Gaussian(8, 2)))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['predicted, AUC 0.866', 'chance']
    """
    rocs, level = tuple(check_single_feature(roc) for roc in rocs), check_confidence_level(level)
    check_booleans(best=best, chance=chance, legend=legend, band=band)
    names = curve_labels(rocs, labels)
    told = [] if test is None else [(Line2D([], [], linestyle="none"), format_test(test, rocs))]
    shades = [roc.band(level) for roc in rocs] if band else []
    ax = get_or_create_axes(ax, SQUARE_FIGSIZE)
    draw_curves(ax, rocs, names, shades, told, best=best, chance=chance, legend=legend)
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
    gap, at = max_tpr_gap(predicted, empirical)
    ax = get_or_create_axes(ax, SQUARE_FIGSIZE)
    rocs = (predicted, empirical)
    paths, taken = draw_curves(ax, rocs, curve_labels(rocs, ["predicted", "empirical"]))
    top = float(predicted.tpr_at_fpr(at))
    annotate_largest_gap(ax, at, [top - gap, top], text=format_gap(gap, at), paths=paths, occupied=taken)
    return ax


def draw_curves(
    ax: Axes,
    rocs: Sequence[Roc],
    names: Sequence[str],
    shades: Sequence[ConfidenceBand] = (),
    annotations: Sequence[LegendEntry] = (),
    *,
    best: bool = True,
    chance: bool = True,
    legend: bool = True,
) -> tuple[list[FloatArray], list[Box]]:
    """Draw curves and all that belongs to them; give their points, and the boxes that words take."""
    set_up_roc_axes(ax)
    curves = [roc.curve() for roc in rocs]
    entries: list[LegendEntry] = []
    for index, (roc, curve, name) in enumerate(zip(rocs, curves, names, strict=True)):
        entries.append((draw_curve(ax, index, roc, curve), f"{name}, AUC {format_auc(roc)}"))
    entries += [*annotations, *_draw_bands(ax, shades)]
    hooks = [hook for curve in curves for hook in _draw_hook(ax, curve)]
    entries += [(hooks[0], "below chance")] if hooks else []
    if chance:
        entries.append(draw_chance(ax))
    paths = [np.column_stack([curve.fpr, curve.tpr]) for curve in curves]
    taken = draw_legend(ax, entries, best_legend_corner([roc.auc() for roc in rocs])) if legend else []
    if best:
        taken = annotate_best_threshold(ax, rocs, paths, taken)
    return paths, taken


def format_test(test: object, rocs: Sequence[Roc]) -> str:
    """Say what a test found about these curves; refuse a test of others."""
    if not isinstance(test, (AucTest, AucTestMany)):
        raise RocPredictError(f"test={short_repr(test)} is not a test of AUCs; give what rp.auc_test returns")
    drawn, tested = [float(roc.auc()) for roc in rocs], list(test.estimates)
    areas = test.estimator.startswith(_AREA)  # and no height or part of the area
    if len(drawn) != len(tested) or (areas and not np.allclose(drawn, tested, rtol=0, atol=_OVERLAP_TOL)):
        raise RocPredictError(
            f"test is of other curves: its estimates are {_listed(tested)}, the AUCs drawn {_listed(drawn)}; "
            "give the empirical ROCs of the tested features, in their order"
        )
    return f"{_null_hypothesis_text(test)}: {p_in_words(test.p_value)} ({plain_text_label(test.method, _SHORT)})"


def _null_hypothesis_text(test: AucTest | AucTestMany) -> str:
    """Give the null hypothesis without the names of features, which the legend has."""
    if isinstance(test, AucTestMany):
        return plain_text_label(test.null, _SHORT)
    same = len(test.estimates) == 2 and test.null.startswith("AUC of") and " = " in test.null
    return "equal AUCs" if same else plain_text_label(test.null, _SHORT)


def p_in_words(p: float) -> str:
    """Show a p-value, the small ones by their bound."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def _listed(areas: Sequence[float]) -> str:
    return ", ".join(f"{area:.4f}" for area in areas)


def curve_labels(rocs: Sequence[Roc], labels: Sequence[str] | None) -> list[str]:
    """Give the name of each curve, numbered when there are several."""
    names = resolve_labels(labels, ["empirical" if isinstance(roc, EmpiricalRoc) else "predicted" for roc in rocs])
    return names if len(names) == 1 else [f"{number}  {name}" for number, name in enumerate(names, 1)]


def set_up_roc_axes(ax: Axes) -> None:
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


def _draw_bands(ax: Axes, shades: Sequence[ConfidenceBand]) -> list[LegendEntry]:
    """Shade bands, each in the colour of its curve and with a hatch and edge of its own, and name the first."""
    areas = []
    for index, (shade, hatch) in enumerate(zip(shades, cycle(_HATCHES), strict=False)):
        colour, dash = CURVES[index % len(CURVES)]
        edge: dict[str, Any] = {"edgecolor": (colour, 0.45), "linestyle": dash, "linewidth": 0.7, "hatch": hatch}
        face = (colour, 0.14)
        areas.append(ax.fill_between(shade.fpr, shade.low, shade.high, facecolor=face, zorder=1.5, **edge))
        areas[-1].set_gid(f"band-{index}")
    return [(areas[0], f"{format_level(shades[0].level)} band, {shades[0].kind}")] if areas else []


def _draw_hook(ax: Axes, curve: RocCurve) -> list[Any]:
    """Hatch what lies below the chance line, where there is enough of it to see."""
    if (curve.fpr - curve.tpr).max() < _MIN_HOOK_DEPTH:
        return []
    style: dict[str, Any] = {"facecolor": "none", "edgecolor": "#767676", "hatch": "xxx", "linewidth": 0.0, "zorder": 2}
    where = (curve.tpr < curve.fpr).tolist()
    return [ax.fill_between(curve.fpr, curve.tpr, curve.fpr, where=where, interpolate=True, gid="hook", **style)]


def format_auc(roc: Roc) -> str:
    """Give the AUC as a legend shows it: 1 only where it is exactly that."""
    auc, complement = float(roc.auc()), float(roc.auc_complement())
    if complement == 0:
        return "1"
    return format_rate(auc) if auc < 1 else ">0.999"


_NAME = 20
"""Most characters of a name, which stands beside an AUC and its interval."""


def plot_mean_roc(
    *means: MeanRoc,
    ax: Axes | None = None,
    labels: Any = None,
    show_folds: bool | None = None,
    band: bool = True,
    chance: bool = True,
    legend: bool = True,
) -> Axes:
    """Draw mean ROC curves, each with its band and its mean AUC.

    Parameters
    ----------
    *means : MeanRoc
        One or several.
    ax : matplotlib Axes, optional
        Where to draw; left out, a figure of its own.
    labels : sequence of str, optional
        A name for each mean, shown literally; long ones are cut.
    show_folds : bool, optional
        Draw the curve of each fold, thin. Left out: where there is one mean.
    band : bool
        Shade the pointwise band of the mean.
    chance : bool
        Draw the line on which a guess lies.
    legend : bool
        Name the curves, each with its mean AUC and the interval of that.

    Returns
    -------
    Axes

    Raises
    ------
    RocPredictError
        No mean, what is not one, or as many labels as there are not means.

    Notes
    -----
    The band is pointwise and describes the folds, which share training rows: that two bands do not overlap, or do,
    is no test of two models.

    Examples
    --------
    >>> from rocpredict.roc.mean_curve import mean_roc
    >>> ax = plot_mean_roc(mean_roc([([1, 2, 3, 4], [0, 0, 1, 1]), ([1, 3, 2, 4], [0, 0, 1, 1])]))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['mean of 2, AUC 0.875 (0.032 to 0.999)', '95 % band, pointwise', 'one fold', 'chance']
    """
    for mean in means:
        if not isinstance(mean, MeanRoc):
            raise RocPredictError(f"mean={short_repr(mean)} is not a mean ROC; give rp.mean_roc(...)")
    show_folds = len(means) == 1 if show_folds is None else show_folds
    check_booleans(show_folds=show_folds, band=band, chance=chance, legend=legend)
    names = resolve_labels(labels, [f"mean of {mean.n_folds}" for mean in means], "mean ROC", _NAME)
    ax = get_or_create_axes(ax, SQUARE_FIGSIZE)
    set_up_roc_axes(ax)
    entries: list[LegendEntry] = []
    for index, (mean, name) in enumerate(zip(means, names, strict=True)):
        entries += _draw(ax, index, mean, name, show_folds=show_folds, band=band)
    if chance:
        entries.append(draw_chance(ax))
    if legend:
        add_legend(ax, entries, loc=best_legend_corner([mean.auc for mean in means]))
    return ax


def _draw(ax: Axes, index: int, mean: MeanRoc, name: str, *, show_folds: bool, band: bool) -> list[LegendEntry]:
    """Draw one mean with what belongs to it, and give its entries of the legend."""
    colour, dash = CURVES[index % len(CURVES)]
    style: dict[str, Any] = {"color": colour, "linestyle": dash, "linewidth": 2.0, "zorder": 4, "gid": f"mean-{index}"}
    (line,) = ax.plot(mean.fpr, mean.tpr, **style)
    low, high = mean.auc_interval
    entries: list[LegendEntry] = [
        (line, f"{name}, AUC {format_rate(mean.auc)} ({format_rate(low)} to {format_rate(high)})")
    ]
    if band:
        shade: dict[str, Any] = {"color": colour, "alpha": 0.16, "linewidth": 0.0, "zorder": 2}
        area = ax.fill_between(mean.fpr, mean.low, mean.high, gid=f"band-{index}", **shade)
        entries += [(area, f"{format_level(mean.level)} band, pointwise")] if index == 0 else []
    if show_folds:
        entries += [(_draw_folds(ax, mean, colour), "one fold")] if index == 0 else []
    return entries


def _draw_folds(ax: Axes, mean: MeanRoc, colour: str) -> Any:
    thin: dict[str, Any] = {"color": colour, "linewidth": 0.6, "alpha": 0.45, "zorder": 3}
    curves = [roc.curve() for roc in mean.fold_rocs]
    lines = [ax.plot(curve.fpr, curve.tpr, gid=f"fold-{k}", **thin)[0] for k, curve in enumerate(curves)]
    return lines[0]


_SIZE = (10.4, 4.9)


def plot_side_by_side(
    predicted: Roc,
    empirical: EmpiricalRoc | None = None,
    *,
    feature: str = "x",
    unit: str | None = None,
    classes: Sequence[Any] | None = None,
) -> NotebookFigure:
    """Draw the two class densities on the left, the ROC curve on the right.

    Parameters
    ----------
    predicted : ROC
        Of one feature.
    empirical : EmpiricalRoc, optional
        Of the same feature: then the right panel lays the predicted curve over it.
    feature, unit : str, optional
    classes : pair, optional
        As in ``plot_densities``.

    Returns
    -------
    Picture
        A matplotlib Figure.

    Raises
    ------
    RocPredictError
        As ``plot_densities`` and ``plot_comparison``.
    """
    picture = NotebookFigure(_SIZE)
    left, right = picture.subplots(1, 2)
    plot_densities(predicted, ax=left, feature=feature, unit=unit, classes=classes)
    if empirical is None:
        plot_roc(predicted, ax=right)
    else:
        plot_comparison(predicted, empirical, ax=right)
    return picture
