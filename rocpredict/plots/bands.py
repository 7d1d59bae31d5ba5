"""Plots of confidence bands, of precision-recall, decision and probit curves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
from matplotlib.axes import Axes
from scipy.special import ndtri

from rocpredict.base.results import format_level, format_rate
from rocpredict.base.validation import FloatArray, RocPredictError, check_probability, short_repr
from rocpredict.plots.curves import curve_labels, draw_curve, format_auc, set_up_roc_axes
from rocpredict.plots.labels import annotate_best_threshold, draw_legend
from rocpredict.plots.style import (
    MUTED_COLOR,
    MUTED_LINE_STYLE,
    SMALL,
    SQUARE_FIGSIZE,
    WIDE_FIGSIZE,
    LegendEntry,
    add_legend,
    best_legend_corner,
    check_booleans,
    check_single_feature,
    draw_chance,
    get_or_create_axes,
    line_style,
)
from rocpredict.roc.base import Roc
from rocpredict.roc.curves import DecisionCurve, PrecisionRecallCurve
from rocpredict.roc.empirical import EmpiricalRoc

_N_POINTS = np.arange(1001) / 1000
_FPR_GRID = np.linspace(0, 1, 201)
PlottedCurve = TypeVar("PlottedCurve", PrecisionRecallCurve, DecisionCurve)


def plot_band(
    roc: Roc,
    *,
    level: float = 0.95,
    kind: str = "pointwise",
    method: str | None = None,
    ax: Axes | None = None,
    label: str | None = None,
    chance: bool = True,
    legend: bool = True,
    n_resamples: int = 2000,
    rng: Any = 0,
) -> Axes:
    """Draw a ROC curve with its confidence band.

    Parameters
    ----------
    roc : ROC
        Predicted or empirical, of one feature.
    level, kind, method, n_resamples, rng
        As in ``roc.band``.
    ax : matplotlib Axes, optional
        Where to draw; left out, a figure of its own.
    label : str, optional
        A name for the curve, shown literally; a long one is cut.
    chance : bool
        Draw the line on which a guess lies.
    legend : bool
        Name the curve with its AUC, and the band with its level and kind.

    Returns
    -------
    Axes

    Raises
    ------
    RocPredictError
        What is not the ROC of one feature; as ``roc.band``.

    Examples
    --------
    >>> from rocpredict import PredictedRoc
    >>> roc = PredictedRoc.from_stats(mean=(4, 8), std=(3, 2), count=(60, 40))
    >>> ax = plot_band(roc, kind="simultaneous")
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['predicted, AUC 0.866', '95 % band, simultaneous', 'chance']
    """
    roc = check_single_feature(roc)
    check_booleans(chance=chance, legend=legend)
    (name,) = curve_labels([roc], None if label is None else [label])
    grid = _N_POINTS if kind == "simultaneous" else None
    found = roc.band(level, kind=kind, fpr=grid, method=method, n_resamples=n_resamples, rng=rng)
    ax = get_or_create_axes(ax, SQUARE_FIGSIZE)
    set_up_roc_axes(ax)
    entries: list[LegendEntry] = [(draw_curve(ax, 0, roc, roc.curve()), f"{name}, AUC {format_auc(roc)}")]
    shade: dict[str, Any] = {"facecolor": "#C9D7E6", "edgecolor": "#0072B2", "linewidth": 0.8, "zorder": 0.9}
    area = ax.fill_between(found.fpr, found.low, found.high, gid="band", **shade)
    entries.append((area, f"{format_level(found.level)} band, {found.kind}"))
    if chance:
        entries.append(draw_chance(ax))
    if legend:
        add_legend(ax, entries, loc=best_legend_corner([roc.auc()]))
    return ax


def plot_precision_recall(
    *rocs: Roc,
    prevalence: float | None = None,
    ax: Axes | None = None,
    labels: Sequence[str] | None = None,
    chance: bool = True,
    legend: bool = True,
) -> Axes:
    """Draw precision-recall curves, each with its average precision (AP).

    Parameters
    ----------
    *rocs : ROC
        Predicted or empirical, one or several, each of one feature.
    prevalence : float, optional
        As in ``roc.precision_recall_curve``; for all of them.
    ax : matplotlib Axes, optional
        Where to draw; left out, a figure of its own.
    labels : sequence of str, optional
        A name for each curve, shown literally; long ones are cut.
    chance : bool
        Draw the precision of a guess: the prevalence.
    legend : bool
        Name the curves.

    Returns
    -------
    Axes

    Raises
    ------
    RocPredictError
        No ROC, what is not the ROC of one feature, as many labels as there are not curves; no prevalence and no counts.

    Notes
    -----
    A counted curve is drawn in steps, so that the area under it is its AP.

    Examples
    --------
    >>> from rocpredict import PredictedRoc
    >>> roc = PredictedRoc.from_stats(mean=(4, 8), std=(3, 2), count=(60, 40))
    >>> ax = plot_precision_recall(roc)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['predicted, AP 0.758', 'a guess: prevalence 0.400']
    """
    rocs = tuple(check_single_feature(roc) for roc in rocs)
    check_booleans(chance=chance, legend=legend)
    names = curve_labels(rocs, labels)
    with np.errstate(over="ignore"):  # a density of a class that is very narrow
        found = [roc.precision_recall_curve(prevalence=prevalence) for roc in rocs]
        areas = [format_rate(curve.average_precision()) for curve in found]
    ax = get_or_create_axes(ax, SQUARE_FIGSIZE)
    set_up_roc_axes(ax)
    ax.set(xlabel="recall (TPR)", ylabel="precision")
    entries: list[LegendEntry] = []
    for index, (roc, curve, name, area) in enumerate(zip(rocs, found, names, areas, strict=True)):
        style = line_style(index, roc) | {"drawstyle": "steps-pre" if isinstance(roc, EmpiricalRoc) else "default"}
        (line,) = ax.plot(curve.recall, curve.precision, gid=f"precision-recall-{index}", **style)
        entries.append((line, f"{name}, AP {area}"))
    if chance:
        for curve in _unique_prevalences(found):
            line = ax.axhline(curve.prevalence, linestyle=":", gid="guess", **MUTED_LINE_STYLE)
            entries.append((line, f"a guess: prevalence {format_rate(curve.prevalence)}"))
    if legend:
        heights = np.concatenate([np.interp(_FPR_GRID, curve.recall, curve.precision) for curve in found])
        add_legend(ax, entries, loc=_legend_location(np.tile(_FPR_GRID, len(found)), heights, len(entries)))
    return ax


def plot_decision(
    *rocs: Roc,
    prevalence: float | None = None,
    rule: str = "best",
    ax: Axes | None = None,
    labels: Sequence[str] | None = None,
    legend: bool = True,
) -> Axes:
    """Draw decision curves, with those of treating all and of treating none.

    Parameters
    ----------
    *rocs : ROC
        Predicted or empirical, one or several, each of one feature.
    prevalence, rule
        As in ``roc.decision_curve``; for all of them.
    ax : matplotlib Axes, optional
        Where to draw; left out, a figure of its own.
    labels : sequence of str, optional
        A name for each curve, shown literally; long ones are cut.
    legend : bool
        Name the curves.

    Returns
    -------
    Axes

    Raises
    ------
    RocPredictError
        No ROC, what is not the ROC of one feature, as many labels as there are not curves; as ``roc.decision_curve``.

    Examples
    --------
    >>> from rocpredict import PredictedRoc
    >>> roc = PredictedRoc.from_stats(mean=(4, 8), std=(3, 2), count=(60, 40))
    >>> ax = plot_decision(roc)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['predicted', 'treat all: prevalence 0.400', 'treat none']
    """
    rocs = tuple(check_single_feature(roc) for roc in rocs)
    check_booleans(legend=legend)
    names = curve_labels(rocs, labels)
    found = [roc.decision_curve(prevalence=prevalence, rule=rule) for roc in rocs]
    ax = get_or_create_axes(ax, WIDE_FIGSIZE)
    entries: list[LegendEntry] = []
    for index, (roc, curve, name) in enumerate(zip(rocs, found, names, strict=True)):
        style = line_style(index, roc)
        entries += [(ax.plot(curve.probabilities, curve.net_benefit, gid=f"decision-{index}", **style)[0], name)]
    for curve in _unique_prevalences(found):
        (line,) = ax.plot(curve.probabilities, curve.treat_all, linestyle="-.", gid="treat-all", **MUTED_LINE_STYLE)
        entries.append((line, f"treat all: prevalence {format_rate(curve.prevalence)}"))
    entries.append((ax.axhline(0, linestyle=":", gid="treat-none", **MUTED_LINE_STYLE), "treat none"))
    top = max(curve.prevalence for curve in found)
    ax.set(xlim=(0, 1), ylim=(-0.16 * top, 1.06 * top), xlabel="threshold probability", ylabel="net benefit")
    ax.grid(visible=True, color="#E4E4E4", linewidth=0.6)
    ax.set_axisbelow(True)
    if legend:
        add_legend(ax, entries, loc="upper right")
    return ax


def _unique_prevalences(curves: Sequence[PlottedCurve]) -> list[PlottedCurve]:
    """Give one curve of each prevalence that a picture can tell from the others."""
    return list({round(curve.prevalence, 6): curve for curve in curves}.values())


def _legend_location(x: FloatArray, y: FloatArray, lines: int) -> str:
    """Name the corner where the fewest of some points lie under a legend of so many lines."""
    height = 0.04 + 0.06 * lines
    corners = {
        "lower left": (x < 0.6) & (y < height),
        "upper right": (x > 0.4) & (y > 1 - height),
        "lower right": (x > 0.4) & (y < height),
        "upper left": (x < 0.6) & (y > 1 - height),
    }
    return min(corners, key=lambda name: int(corners[name].sum()))


_TICKS = np.array([1e-6, 1e-5, 1e-4, 0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999, 0.9999, 0.99999, 0.999999])
_N_SEGMENTS = np.arange(16) / 16
_MARGIN = 1.03
"""How far the axes go beyond the lowest rate."""


def plot_probit(
    *rocs: Roc,
    min_rate: float = 0.001,
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
    min_rate : float
        The lowest rate that has room, in [1e-6, 0.2]; the highest is 1 - ``min_rate``.
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
        No ROC, what is not the ROC of one feature, or as many labels as there are not curves; ``min_rate`` outside
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
    rocs = tuple(check_single_feature(roc) for roc in rocs)
    check_booleans(best=best, chance=chance, legend=legend)
    names = curve_labels(rocs, labels)
    end = _MARGIN * _axis_limit(min_rate)
    ax = get_or_create_axes(ax, SQUARE_FIGSIZE)
    _frame(ax, end)
    paths = [_path(roc, end) for roc in rocs]
    entries: list[LegendEntry] = []
    for index, (roc, path, name) in enumerate(zip(rocs, paths, names, strict=True)):
        (line,) = ax.plot(*path.T, gid=f"probit-{index}", **line_style(index, roc))
        entries.append((line, f"{name}, AUC {format_auc(roc)}"))
    if chance:
        entries.append(
            (ax.plot([-end, end], [-end, end], linestyle=":", gid="chance", **MUTED_LINE_STYLE)[0], "chance")
        )
    _annotate_if_empty(ax, paths, end)
    taken = draw_legend(ax, entries, best_legend_corner([roc.auc() for roc in rocs])) if legend else []
    if best:
        annotate_best_threshold(ax, rocs, paths, taken, ndtri)
    return ax


def _axis_limit(min_rate: float) -> float:
    rate = check_probability("min_rate", min_rate)
    if not _TICKS[0] <= rate <= 0.2:
        raise RocPredictError(f"min_rate={short_repr(min_rate)} is outside [1e-6, 0.2]")
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
        return np.asarray(np.clip(ndtri(_subdivide_segments(rates)), -end, end))
    path = ndtri(rates)
    return np.asarray(path[np.isfinite(path).all(axis=1)])


def _subdivide_segments(rates: FloatArray) -> FloatArray:
    """Divide what is straight on the scale of rates, and bent on that of probits: where both rates change."""
    steps = np.diff(rates, axis=0)
    fine = rates[:-1, None] + steps[:, None] * _N_SEGMENTS[:, None]
    diagonal = (steps[:, :1] > 0) & (steps[:, 1:] > 0)
    wanted = diagonal | (_N_SEGMENTS == 0)
    return np.concatenate([fine[wanted], rates[-1:]])


def _annotate_if_empty(ax: Axes, paths: Sequence[FloatArray], end: float) -> None:
    if any((np.abs(path) < end).all(axis=1).any() for path in paths):
        return
    look: dict[str, Any] = {"ha": "center", "va": "center", "color": MUTED_COLOR, "fontsize": SMALL}
    words = "no point of the curve lies inside" if len(paths) == 1 else "no point of the curves lies inside"
    ax.text(0.5, 0.62, words, transform=ax.transAxes, gid="empty", **look)
