"""Plot of a diagnosis."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from rocpredict.base.formatting import format_p_value, format_rate
from rocpredict.base.validation import RocPredictError, short_repr
from rocpredict.plots import style
from rocpredict.plots.canvas import Canvas
from rocpredict.plots.curves import frame_roc

if TYPE_CHECKING:
    from rocpredict.diagnostics.diagnose import Diagnosis, QuantilePlotData


_SIZE = (14.2, 5.2)
_LINE_LENGTH = 120
"""Characters in a line of the verdict."""
_MARKERS = {"negative": "o", "positive": "D"}
_BETWEEN: dict[str, Any] = {"facecolor": "#E69F00", "edgecolor": "#7A6000", "alpha": 0.35, "hatch": ".."}


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
    style.pad_limits(x[0], x[-1], 0)  # refuses values that no axis can hold
    curves, quantiles, densities = _canvases(ax, diagnosis.verdict)
    _draw_curves(curves, diagnosis)
    _draw_quantiles(quantiles, diagnosis)
    _draw_densities(densities, diagnosis)
    densities.name_feature(feature, unit)
    return curves.ax.get_figure(root=True)  # type: ignore[return-value]


def _canvases(ax: Any, verdict: str) -> list[Canvas]:
    if ax is None:
        picture = style.NotebookFigure(_SIZE)
        style.escape_mathtext(
            picture.suptitle(fill(verdict, _LINE_LENGTH), fontsize=style.SMALL + 1, color=style.TEXT_COLOR)
        )
        return [Canvas(axes) for axes in picture.subplots(1, 3)]
    return [Canvas(axes) for axes in style.check_several_axes(ax, 3)]


# ---- the curve
def _draw_curves(canvas: Canvas, diagnosis: Diagnosis) -> None:
    """Draw both curves, the area between them, and the largest gap."""
    frame_roc(canvas)
    plot_data, aucs = diagnosis.plot_data, (diagnosis.predicted_auc, diagnosis.empirical_auc)
    for index, (name, curve) in enumerate((("predicted", plot_data.predicted), ("empirical", plot_data.empirical))):
        properties = style.line_style(index, (2.0, 1.3)[index])
        canvas.add(
            canvas.ax.plot(curve.fpr, curve.tpr, gid=name, **properties), f"{name}, AUC {format_rate(aucs[index])}"
        )
    area = canvas.ax.fill_between(*plot_data.rates, gid="between", zorder=2, linewidth=0, **_BETWEEN)
    canvas.add([area], f"between: {diagnosis.area_between:.3f}, by chance {diagnosis.area_between_expected:.3f}")
    canvas.diagonal()
    canvas.legend_off_curves(aucs)
    fpr, predicted, empirical = plot_data.rates
    canvas.paths = [np.column_stack([fpr, tpr]) for tpr in (predicted, empirical)]
    gap, gap_fpr = diagnosis.max_tpr_gap, diagnosis.max_tpr_gap_fpr
    top = float(np.interp(gap_fpr, fpr, predicted))
    canvas.mark_gap(gap_fpr, gap, [top, top - gap])


# ---- the classes
def _draw_quantiles(canvas: Canvas, diagnosis: Diagnosis) -> None:
    shapes = diagnosis.negative, diagnosis.positive
    for class_style, q, shape in zip(
        (style.NEGATIVE, style.POSITIVE), diagnosis.plot_data.quantiles, shapes, strict=True
    ):
        canvas.add(_draw_class(canvas.ax, class_style, q), f"{class_style.name}, fit p {format_p_value(shape.p_value)}")
    limits = [float(limit) for q in diagnosis.plot_data.quantiles for part in q for limit in (part.min(), part.max())]
    span = min(limits) - 0.2, max(limits) + 0.2
    canvas.diagonal("a class that fits", span, "-", "fits")
    canvas.frame(xlim=span, ylim=span, aspect="equal")
    canvas.ax.set(xlabel="normal score expected", ylabel="normal score by the fitted distribution")
    canvas.legend_in("upper left")


def _draw_class(ax: Axes, class_style: style.ClassStyle, q: QuantilePlotData) -> list[Any]:
    """Draw the normal scores of one class and their band."""
    band: dict[str, Any] = {
        "facecolor": (class_style.color, 0.12),
        "edgecolor": (class_style.color, 0.5),
        "hatch": class_style.hatch,
    }
    ax.fill_between(q.expected, q.low, q.high, linewidth=0, zorder=2, gid=f"{class_style.name}-band", **band)
    properties: dict[str, Any] = {
        "color": class_style.color,
        "markersize": 4,
        "markerfacecolor": "white",
        "linestyle": "none",
    }
    marker = _MARKERS[class_style.name]
    return ax.plot(q.expected, q.fitted, marker, zorder=4, gid=f"{class_style.name}-quantiles", **properties)


def _draw_densities(canvas: Canvas, diagnosis: Diagnosis) -> None:
    """Draw the fitted density of each class over a histogram of its rows."""
    for class_style, d in zip((style.NEGATIVE, style.POSITIVE), diagnosis.plot_data.densities, strict=True):
        edge: dict[str, Any] = {"edgecolor": (class_style.color, 0.6), "hatch": class_style.hatch, "linewidth": 0.6}
        faint: dict[str, Any] = {"facecolor": (class_style.color, 0.10), "zorder": 2, "fill": True}
        bars = canvas.ax.stairs(d.histogram_density, d.edges, gid=f"{class_style.name}-rows", **edge, **faint)
        line: dict[str, Any] = {
            "color": class_style.color,
            "linestyle": class_style.linestyle,
            "linewidth": 2,
            "zorder": 4,
        }
        canvas.add(
            canvas.ax.plot(d.x, d.density, gid=f"{class_style.name}-density", **line), f"{class_style.name}, fitted"
        )
        canvas.add([bars], f"{class_style.name}, rows")
    x = diagnosis.plot_data.densities[0].x
    canvas.ax.set(xlim=(x[0], x[-1]), ylim=(0, None), ylabel="density")
    if x[0] <= diagnosis.threshold <= x[-1]:
        words = f"threshold {diagnosis.threshold:.4g}".replace("-", "−")
        canvas.guide(words, x=diagnosis.threshold, gid="threshold", **style.THRESHOLD_LINE_STYLE)
    canvas.legend_above(2, spacing=1.2)
