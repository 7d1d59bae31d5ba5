"""A ROC curve with its confidence band, precision-recall curves, decision curves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
from matplotlib.axes import Axes

from rocpredict.arguments import FloatArray
from rocpredict.empirical import EmpiricalRoc
from rocpredict.plots.curves import area_in_words, draw_curve, frame, names_of
from rocpredict.plots.style import (
    QUIET_LINE,
    SQUARE,
    WIDE,
    Entry,
    add_legend,
    as_switches,
    axes_or_new,
    draw_chance,
    free_corner,
    line_style,
    one_feature,
    rate,
)
from rocpredict.roc import Roc
from rocpredict.views import DecisionCurve, PrecisionRecallCurve

_FINE = np.arange(1001) / 1000
_ALONG = np.linspace(0, 1, 201)
Drawn = TypeVar("Drawn", PrecisionRecallCurve, DecisionCurve)


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
    roc = one_feature(roc)
    as_switches(chance=chance, legend=legend)
    (name,) = names_of([roc], None if label is None else [label])
    grid = _FINE if kind == "simultaneous" else None
    found = roc.band(level, kind=kind, fpr=grid, method=method, n_resamples=n_resamples, rng=rng)
    ax = axes_or_new(ax, SQUARE)
    frame(ax)
    entries: list[Entry] = [(draw_curve(ax, 0, roc, roc.curve()), f"{name}, AUC {area_in_words(roc)}")]
    shade: dict[str, Any] = {"facecolor": "#C9D7E6", "edgecolor": "#0072B2", "linewidth": 0.8, "zorder": 0.9}
    area = ax.fill_between(found.fpr, found.low, found.high, gid="band", **shade)
    entries.append((area, f"{100 * found.level:g} % band, {found.kind}"))
    if chance:
        entries.append(draw_chance(ax))
    if legend:
        add_legend(ax, entries, loc=free_corner([roc.auc()]))
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
    rocs = tuple(one_feature(roc) for roc in rocs)
    as_switches(chance=chance, legend=legend)
    names = names_of(rocs, labels)
    with np.errstate(over="ignore"):  # a density of a class that is very narrow
        found = [roc.precision_recall_curve(prevalence=prevalence) for roc in rocs]
        areas = [rate(curve.average_precision()) for curve in found]
    ax = axes_or_new(ax, SQUARE)
    frame(ax)
    ax.set(xlabel="recall (TPR)", ylabel="precision")
    entries: list[Entry] = []
    for index, (roc, curve, name, area) in enumerate(zip(rocs, found, names, areas, strict=True)):
        style = line_style(index, roc) | {"drawstyle": "steps-pre" if isinstance(roc, EmpiricalRoc) else "default"}
        (line,) = ax.plot(curve.recall, curve.precision, gid=f"precision-recall-{index}", **style)
        entries.append((line, f"{name}, AP {area}"))
    if chance:
        for curve in _of_each_prevalence(found):
            line = ax.axhline(curve.prevalence, linestyle=":", gid="guess", **QUIET_LINE)
            entries.append((line, f"a guess: prevalence {rate(curve.prevalence)}"))
    if legend:
        heights = np.concatenate([np.interp(_ALONG, curve.recall, curve.precision) for curve in found])
        add_legend(ax, entries, loc=_corner(np.tile(_ALONG, len(found)), heights, len(entries)))
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
    rocs = tuple(one_feature(roc) for roc in rocs)
    as_switches(legend=legend)
    names = names_of(rocs, labels)
    found = [roc.decision_curve(prevalence=prevalence, rule=rule) for roc in rocs]
    ax = axes_or_new(ax, WIDE)
    entries: list[Entry] = []
    for index, (roc, curve, name) in enumerate(zip(rocs, found, names, strict=True)):
        style = line_style(index, roc)
        entries += [(ax.plot(curve.probabilities, curve.net_benefit, gid=f"decision-{index}", **style)[0], name)]
    for curve in _of_each_prevalence(found):
        (line,) = ax.plot(curve.probabilities, curve.treat_all, linestyle="-.", gid="treat-all", **QUIET_LINE)
        entries.append((line, f"treat all: prevalence {rate(curve.prevalence)}"))
    entries.append((ax.axhline(0, linestyle=":", gid="treat-none", **QUIET_LINE), "treat none"))
    top = max(curve.prevalence for curve in found)
    ax.set(xlim=(0, 1), ylim=(-0.16 * top, 1.06 * top), xlabel="threshold probability", ylabel="net benefit")
    ax.grid(visible=True, color="#E4E4E4", linewidth=0.6)
    ax.set_axisbelow(True)
    if legend:
        add_legend(ax, entries, loc="upper right")
    return ax


def _of_each_prevalence(curves: Sequence[Drawn]) -> list[Drawn]:
    """Give one curve of each prevalence that a picture can tell from the others."""
    return list({round(curve.prevalence, 6): curve for curve in curves}.values())


def _corner(x: FloatArray, y: FloatArray, lines: int) -> str:
    """Name the corner where the fewest of some points lie under a legend of so many lines."""
    height = 0.04 + 0.06 * lines
    corners = {
        "lower left": (x < 0.6) & (y < height),
        "upper right": (x > 0.4) & (y > 1 - height),
        "lower right": (x > 0.4) & (y < height),
        "upper left": (x < 0.6) & (y > 1 - height),
    }
    return min(corners, key=lambda name: int(corners[name].sum()))
