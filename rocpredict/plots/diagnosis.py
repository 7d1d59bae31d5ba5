"""Plot of a diagnosis."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from rocpredict.base.results import format_p_value, format_rate
from rocpredict.base.validation import RocPredictError, short_repr
from rocpredict.plots.curves import set_up_roc_axes
from rocpredict.plots.labels import Box, annotate_largest_gap, draw_legend, format_gap
from rocpredict.plots.style import (
    CURVES,
    MUTED_LINE_STYLE,
    NEGATIVE,
    POSITIVE,
    SMALL,
    TEXT_COLOR,
    ClassStyle,
    LegendEntry,
    NotebookFigure,
    add_legend,
    best_legend_corner,
    check_axes,
    draw_chance,
    escape_mathtext,
    label_x_axis,
    pad_limits,
)

if TYPE_CHECKING:
    from rocpredict.diagnostics.diagnose import DensityPlotData, Diagnosis, QuantilePlotData


_SIZE = (14.2, 5.2)
_LINE = 120
"""Characters in a line of the verdict."""
_MARKERS = {"negative": "o", "positive": "D"}


def plot_diagnosis(
    diagnosis: Diagnosis, *, ax: Sequence[Axes] | None = None, feature: str = "x", unit: str | None = None
) -> Figure:
    """Draw where a predicted ROC curve fails, and why.

    Parameters
    ----------
    diagnosis : Diagnosis
        As ``rocpredict.diagnose`` gives it; nothing is computed anew.
    ax : three matplotlib Axes, optional
        Where to draw; left out, a figure of its own, with the verdict above.
    feature, unit : str, optional
        Name of the x axis of the densities, shown literally; a long one is cut.

    Returns
    -------
    Figure

    Raises
    ------
    RocPredictError
        What is no diagnosis, or axes that are not three; values so close to each other, or so far apart, that no axis
        can hold them.

    Notes
    -----
    Left: the predicted and the counted curve, the area between them hatched, and the largest gap. Middle: the normal
    scores that the fitted distributions give to the rows over those expected of as many rows; where a class fits, its
    points lie on the line, and 95 of 100 samples from the fit have a point within the band at each place. Right: the
    fitted densities over histograms of the rows, and the predicted threshold.

    Examples
    --------
    >>> from rocpredict.datasets import simulate_two_gaussians
    >>> from rocpredict.diagnostics.diagnose import diagnose
    >>> picture = plot_diagnosis(diagnose(*simulate_two_gaussians(count=(40, 40)), n_resamples=50), feature="width")
    >>> [ax.get_xlabel() for ax in picture.axes]
    ['false positive rate (FPR)', 'normal score expected', 'width']
    """
    from rocpredict.diagnostics.diagnose import Diagnosis  # who draws a ROC needs none of this

    if not isinstance(diagnosis, Diagnosis):
        raise RocPredictError(f"diagnosis={short_repr(diagnosis)} is not a Diagnosis; give what rp.diagnose returns")
    x = diagnosis.plot_data.densities[0].x
    pad_limits(x[0], x[-1], 0)  # refuses values that no axis can hold
    curves, quantiles, densities = _axes(ax, diagnosis.verdict)
    _draw_curves(curves, diagnosis)
    _draw_quantiles(quantiles, diagnosis)
    _draw_densities(densities, diagnosis)
    label_x_axis(densities, feature, unit)
    return curves.get_figure(root=True)  # type: ignore[return-value]


def _axes(ax: Any, verdict: str) -> list[Axes]:
    if ax is None:
        picture = NotebookFigure(_SIZE)
        escape_mathtext(picture.suptitle(fill(verdict, _LINE), fontsize=SMALL + 1, color=TEXT_COLOR))
        return list(picture.subplots(1, 3))
    given = list(np.ravel(np.asarray(ax, dtype=object)))
    if len(given) != 3 or not all(isinstance(one, Axes) for one in given):
        raise RocPredictError(
            f"ax={short_repr(ax)} is not three matplotlib Axes; leave it out for a picture of its own"
        )
    return [check_axes(one) for one in given]


# ---- the curve
def _draw_curves(ax: Axes, diagnosis: Diagnosis) -> None:
    set_up_roc_axes(ax)
    drawn = diagnosis.plot_data
    entries: list[LegendEntry] = []
    named = (
        ("predicted", drawn.predicted, diagnosis.auc_predicted),
        ("empirical", drawn.empirical, diagnosis.auc_empirical),
    )
    for (name, curve, auc), (colour, dash), width in zip(named, CURVES, (2.0, 1.3), strict=False):
        style: dict[str, Any] = {"color": colour, "linestyle": dash, "linewidth": width, "zorder": 3}
        entries.append((ax.plot(curve.fpr, curve.tpr, gid=name, **style)[0], f"{name}, AUC {format_rate(auc)}"))
    between: dict[str, Any] = {
        "facecolor": "#E69F00",
        "alpha": 0.35,
        "hatch": "..",
        "edgecolor": "#7A6000",
        "linewidth": 0,
    }
    area = ax.fill_between(*drawn.heights, gid="between", zorder=2, **between)
    entries.append((area, f"between: {diagnosis.area_between:.3f}, by chance {diagnosis.area_between_expected:.3f}"))
    entries.append(draw_chance(ax))
    corner = best_legend_corner([diagnosis.auc_predicted, diagnosis.auc_empirical])
    _mark_gap(ax, diagnosis, draw_legend(ax, entries, corner))


def _mark_gap(ax: Axes, diagnosis: Diagnosis, taken: Sequence[Box]) -> None:
    fpr, predicted, counted = diagnosis.plot_data.heights
    gap, at = diagnosis.max_tpr_gap, diagnosis.max_tpr_gap_fpr
    top = float(np.interp(at, fpr, predicted))
    paths = [np.column_stack([fpr, heights]) for heights in (predicted, counted)]
    annotate_largest_gap(ax, at, [top, top - gap], text=format_gap(gap, at), paths=paths, occupied=taken)


# ---- the classes
def _draw_quantiles(ax: Axes, diagnosis: Diagnosis) -> None:
    shapes = diagnosis.negative, diagnosis.positive
    entries: list[LegendEntry] = []
    for style, q, shape in zip((NEGATIVE, POSITIVE), diagnosis.plot_data.quantiles, shapes, strict=True):
        entries.append((_draw_class(ax, style, q), f"{style.name}, fit p {format_p_value(shape.p_value)}"))
    ends = [float(end) for q in diagnosis.plot_data.quantiles for part in q for end in (part.min(), part.max())]
    low, high = min(ends) - 0.2, max(ends) + 0.2
    (line,) = ax.plot([low, high], [low, high], gid="fits", **MUTED_LINE_STYLE)
    ax.set(xlim=(low, high), ylim=(low, high), aspect="equal")
    ax.set(xlabel="normal score expected", ylabel="normal score by the fitted distribution")
    ax.grid(visible=True, color="#E4E4E4", linewidth=0.6)
    ax.set_axisbelow(True)
    add_legend(ax, [*entries, (line, "a class that fits")], loc="upper left")


def _draw_class(ax: Axes, style: ClassStyle, q: QuantilePlotData) -> Any:
    band: dict[str, Any] = {"facecolor": (style.colour, 0.12), "edgecolor": (style.colour, 0.5), "hatch": style.hatch}
    ax.fill_between(q.expected, q.low, q.high, linewidth=0, zorder=2, gid=f"{style.name}-band", **band)
    look: dict[str, Any] = {"color": style.colour, "markersize": 4, "markerfacecolor": "white", "linestyle": "none"}
    marker = _MARKERS[style.name]
    return ax.plot(q.expected, q.fitted, marker, zorder=4, gid=f"{style.name}-quantiles", **look)[0]


def _draw_densities(ax: Axes, diagnosis: Diagnosis) -> None:
    entries: list[LegendEntry] = []
    for style, d in zip((NEGATIVE, POSITIVE), diagnosis.plot_data.densities, strict=True):
        entries += _draw_density(ax, style, d)
    x = diagnosis.plot_data.densities[0].x
    ax.set(xlim=(x[0], x[-1]), ylim=(0, None), ylabel="density")
    if x[0] <= diagnosis.threshold <= x[-1]:
        line = ax.axvline(diagnosis.threshold, color=TEXT_COLOR, linewidth=1.5, zorder=5, gid="threshold")
        entries.append((line, f"threshold {diagnosis.threshold:.4g}".replace("-", "−")))
    above = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0.1, "columnspacing": 1.2}
    add_legend(ax, entries, ncols=2, frameon=False, **above)


def _draw_density(ax: Axes, style: ClassStyle, d: DensityPlotData) -> list[LegendEntry]:
    """Draw a fitted density over a histogram, and give what they are called."""
    edge: dict[str, Any] = {"edgecolor": (style.colour, 0.6), "hatch": style.hatch, "linewidth": 0.6}
    faint: dict[str, Any] = {"facecolor": (style.colour, 0.10), "zorder": 2, "fill": True}
    bars = ax.stairs(d.heights, d.edges, gid=f"{style.name}-rows", **edge, **faint)
    line: dict[str, Any] = {"color": style.colour, "linestyle": style.linestyle, "linewidth": 2, "zorder": 4}
    (fitted,) = ax.plot(d.x, d.density, gid=f"{style.name}-density", **line)
    return [(fitted, f"{style.name}, fitted"), (bars, f"{style.name}, rows")]
