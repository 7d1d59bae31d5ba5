"""Plot of class densities and a threshold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes

from rocpredict.base.formatting import format_rate
from rocpredict.base.validation import FloatArray, RocPredictError, check_real, check_single, short_repr
from rocpredict.distributions.base import Distribution
from rocpredict.distributions.ecdf import Ecdf
from rocpredict.plots import style
from rocpredict.plots.style import Canvas
from rocpredict.roc.base import Roc
from rocpredict.solvers.thresholds import BestThreshold

#: Maximum of the y axis, as a multiple of the median height of a density; the peak of a Gaussian is at 1.25.
_MAX_RELATIVE_HEIGHT = 5
_MAX_HEIGHT = 1e306


class _ClassDrawing(NamedTuple):
    """Data for drawing one class; ``stems`` are the probabilities of point masses, later scaled to heights."""

    class_style: style.ClassStyle
    distribution: Distribution
    weight: float
    x: FloatArray
    height: FloatArray
    points: FloatArray
    stems: FloatArray


def plot_densities(
    roc: Roc[float],
    *,
    ax: Axes | None = None,
    threshold: float | BestThreshold[float] | None = None,
    prevalence: float | None = None,
    feature: str = "x",
    unit: str | None = None,
    classes: Sequence[str] | None = None,
    legend: bool = True,
) -> Axes:
    """Plot the densities of both classes, a threshold, and the areas TP, FP, FN and TN.

    Parameters
    ----------
    roc : Roc
        Predicted or empirical ROC curve of one feature. Predicted densities are drawn as lines, and samples as
        histograms.
    ax : matplotlib Axes, optional
        Axes to draw on. By default, the axes of a new figure.
    threshold : float or BestThreshold, optional
        Threshold, in the unit of the feature. By default, ``roc.best_threshold()``.
    prevalence : float, optional
        Proportion of positives, in [0, 1]. If a prevalence is passed, the densities are weighted by the class
        proportions. The four areas then add up to 1, and the crossings of the densities are candidates for the
        threshold with the highest accuracy. Without a prevalence, the crossings are candidates for the threshold with
        the highest Ameans.
    feature : str, default="x"
        Name of the feature.
    unit : str, optional
        Unit of the feature.
    classes : pair of str, optional
        Names of the negative and the positive class. By default, "negative" and "positive".
    legend : bool, default=True
        Draw a legend above the axes.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    RocPredictError
        If ``roc`` is not the ROC curve of one feature, if ``threshold`` is not a number, if ``prevalence`` is out of
        range, or if the range of the values is too small or too large for an axis.

    Notes
    -----
    A single value with a positive probability is drawn as a stem; discrete classes and classes with a standard
    deviation of 0 have such values. Probabilities and densities have different units. If the plot shows both, the
    stems can be compared with each other, but not with the densities. Histograms have a bin edge at the threshold.

    Examples
    --------
    >>> from rocpredict import Gaussian, PredictedRoc
    >>> ax = plot_densities(PredictedRoc(negative=Gaussian(4, 3), positive=Gaussian(8, 2)), feature="width", unit="cm")
    >>> ax.get_xlabel()
    'width [cm]'
    """
    roc, prevalence = style.check_single_feature(roc), style.check_prevalence(prevalence)
    style.check_booleans(legend=legend)
    names = style.resolve_labels(classes, (style.NEGATIVE.name, style.POSITIVE.name), "class", argument="classes")
    threshold_value = _threshold(roc, threshold)
    low, high = style.feature_axis_limits(roc, threshold_value)
    drawings = _prepare_classes(roc, threshold_value, (low, high), prevalence)
    peak, highest = max(map(_peak, drawings)), max(float(np.max(drawing.stems, initial=0)) for drawing in drawings)
    top = peak or highest or 1.0
    drawings = [d._replace(stems=d.stems * (top / (highest or 1.0))) for d in drawings]  # the highest stem is top
    canvas = Canvas(ax, style.WIDE_FIGSIZE, legend=legend)
    height = "probability" if peak == 0 and highest > 0 else "density"
    ylabel = height + ("" if prevalence is None else " × class proportion")
    canvas.ax.set(xlim=(low, high), ylim=(0, 1.16 * top), ylabel=ylabel)
    canvas.name_feature(feature, unit)
    for drawing, name in zip(drawings, names, strict=True):
        line = drawing.class_style.line() | {"gid": drawing.class_style.name}
        if len(drawing.points):
            stems = canvas.ax.vlines(drawing.points, 0, drawing.stems, **line | {"linewidth": 3})
            canvas.add([stems], f"{name} (point masses)")
        else:
            canvas.add(canvas.ax.plot(drawing.x, drawing.height, **line), name)
    _draw_areas(canvas, roc, drawings, threshold_value, top)
    if prevalence not in {0, 1}:
        _draw_crossings(canvas, roc.crossings(prevalence=0.5 if prevalence is None else prevalence), drawings[0])
    words = style.format_rule(threshold_value, roc.direction)
    if np.isfinite(threshold_value):
        words = f"positive if {words}" + ("" if low <= threshold_value <= high else " (outside)")
    canvas.mark_threshold(
        words, threshold_value, 1.09 * top, left=threshold_value > (low + high) / 2, linewidth=1.5, zorder=6
    )
    canvas.legend_above(len(canvas.entries))
    return canvas.ax


# ---- data of the drawing
def _threshold(roc: Roc, threshold: float | BestThreshold[float] | None) -> float:
    if threshold is None:
        threshold = roc.best_threshold()
    if isinstance(threshold, (bool, np.bool_)):
        raise RocPredictError(
            f"threshold={short_repr(threshold)} is not a real number; pass a float or a BestThreshold"
        )
    value = threshold.threshold if isinstance(threshold, BestThreshold) else threshold
    return check_single("threshold", check_real("threshold", value))


def _prepare_classes(
    roc: Roc, threshold: float, span: tuple[float, float], prevalence: float | None
) -> list[_ClassDrawing]:
    weights = (1.0, 1.0) if prevalence is None else (1 - prevalence, prevalence)
    edges, grid = style.histogram_bin_edges(roc, threshold), style.feature_axis_points(roc, span, [[threshold]])
    drawings = []
    classes = (style.NEGATIVE, roc.negative, weights[0]), (style.POSITIVE, roc.positive, weights[1])
    for class_style, d, weight in classes:
        points, masses = np.empty((2, 0))
        if isinstance(d, Ecdf):  # outline of a histogram; its area is the proportion of finite values
            counts, _ = np.histogram(d.unique_values, edges, weights=d.unique_weights)
            bars = np.repeat(counts / d.total / np.diff(edges), 2)
            x, height = np.repeat(edges, 2), np.concatenate([[0.0], bars, [0.0]])
        else:
            points, masses = d.atoms()
            inside = (points >= span[0]) & (points <= span[1])
            points, masses = points[inside], weight * masses[inside]
            x, height = grid, _density(d, grid)
        drawings.append(_ClassDrawing(class_style, d, weight, x, weight * height, points, masses))
    return drawings


def _density(distribution: Distribution, x: FloatArray) -> FloatArray:
    """Return the density at x, or 0 where it is infinite or does not exist."""
    if distribution.atoms().masses.sum() > 1 - 1e-9:
        return np.zeros_like(x)
    with np.errstate(over="ignore"):
        height = np.asarray(distribution.pdf(x))
    return np.where(np.isfinite(height), height, 0.0)


def _peak(drawing: _ClassDrawing) -> float:
    """Return the largest height at which a class is drawn; the peak of an unbounded density is cut off."""
    highest = float(np.max(drawing.height, initial=0))
    if isinstance(drawing.distribution, Ecdf) or highest == 0:
        return highest
    middle = drawing.distribution.ppf(np.linspace(0.05, 0.95, 91))
    with np.errstate(over="ignore"):
        usual = drawing.weight * float(np.median(drawing.distribution.pdf(middle)))
    if usual > _MAX_HEIGHT:
        raise style.range_error(float(middle[0]), float(middle[-1]), "close to each other")
    return min(highest, _MAX_RELATIVE_HEIGHT * usual) or highest


# ---- drawing
def _draw_areas(canvas: Canvas, roc: Roc, drawings: list[_ClassDrawing], threshold: float, top: float) -> None:
    """Hatch and label the four areas, with a denser hatch for errors."""
    lower = roc.direction == "lower"
    labels: list[tuple[float, float, float]] = []
    for drawing in drawings:
        for called_positive in (False, True):
            right = called_positive == (drawing.class_style is style.POSITIVE)
            name = ("T" if right else "F") + ("P" if called_positive else "N")
            upper_part = called_positive != lower
            _fill(canvas.ax, drawing, threshold, upper_part=upper_part, right=right, name=name)
            rate = float(getattr(roc, name.lower() + "r")(threshold))
            if rate > 0:
                text = f"{name} {format_rate(drawing.weight * rate)}"
                x, height = _middle(drawing, threshold, upper_part=upper_part)
                x = _move_off_threshold(canvas, text, x, threshold, upper_part=upper_part)
                y = max(0.6 * height, 0.16 * top) if right else max(0.3 * height, 0.05 * top)
                point = _avoid_overlap(canvas, text, (x, y), labels)
                properties = style.TEXT_STYLE | {"color": drawing.class_style.text, "fontweight": "bold"}
                canvas.ax.text(*point, text, ha="center", va="center", **properties, zorder=7)


def _fill(ax: Axes, drawing: _ClassDrawing, threshold: float, *, upper_part: bool, right: bool, name: str) -> None:
    part = drawing.x >= threshold if upper_part else drawing.x <= threshold
    if isinstance(drawing.distribution, Ecdf):  # the outline contains each edge twice, once for each bin
        above, below = drawing.x > threshold, drawing.x < threshold
        part = np.append(above[1:], above[-1]) if upper_part else np.append(True, below[:-1])
    face, edge, n_hatches, zorder = (0.10, 0.55, 1, 2) if right else (0.28, 0.9, 2, 3)
    area = drawing.class_style.area(face, edge, n_hatches=n_hatches)
    ax.fill_between(drawing.x, drawing.height, where=part.tolist(), **area, linewidth=0, zorder=zorder, gid=name)


def _middle(drawing: _ClassDrawing, threshold: float, *, upper_part: bool) -> tuple[float, float]:
    """Return the median of the values in an area, and the height of the density at the median."""
    d = drawing.distribution
    x = float(d.isf(float(d.sf_inclusive(threshold)) / 2) if upper_part else d.ppf(float(d.cdf_strict(threshold)) / 2))
    points = (drawing.points, drawing.stems) if len(drawing.points) else (drawing.x, drawing.height)
    return x, float(np.interp(x, *points))


def _move_off_threshold(canvas: Canvas, text: str, x: float, threshold: float, *, upper_part: bool) -> float:
    """Return the x position that keeps a label within the axes and, if there is room, on its side of the threshold."""
    low, high = canvas.ax.get_xlim()
    half = (canvas.text_size(text)[0] / 2 + 0.02) * (high - low)
    if upper_part and threshold + 2 * half < high:
        x = max(x, threshold + half)
    elif not upper_part and threshold - 2 * half > low:
        x = min(x, threshold - half)
    return min(max(x, low + half), high - half)


def _avoid_overlap(
    canvas: Canvas, text: str, point: tuple[float, float], labels: list[tuple[float, float, float]]
) -> tuple[float, float]:
    """Move a label up until it covers no other label, and record its position and half width."""
    wide, high = canvas.text_size(text)
    (x, y), half, line = point, wide * np.ptp(canvas.ax.get_xlim()) / 2, high * np.ptp(canvas.ax.get_ylim())
    for other, level, reach in sorted(labels, key=lambda label: label[1]):
        if abs(x - other) < half + reach and abs(y - level) < line:
            y = level + line
    labels.append((x, y, half))
    return x, y


def _draw_crossings(canvas: Canvas, crossings: FloatArray, drawing: _ClassDrawing) -> None:
    """Mark the crossings of the densities that lie within the axes."""
    low, high = canvas.ax.get_xlim()
    visible = crossings[(crossings > low) & (crossings < high)]
    if len(visible):
        face: style.Look = {"markersize": 8, "markerfacecolor": "white", "zorder": 8, "gid": "crossings"}
        edge: style.Look = {"markeredgecolor": style.TEXT_COLOR, "markeredgewidth": 1.6}
        heights = np.interp(visible, drawing.x, drawing.height)
        canvas.add(canvas.ax.plot(visible, heights, "D", **face, **edge), "crossing")
