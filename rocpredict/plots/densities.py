"""Plot of class densities with the threshold."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes

from rocpredict.base.results import format_rate
from rocpredict.base.validation import FloatArray, RocPredictError, check_real, short_repr
from rocpredict.distributions.base import Atoms, Distribution
from rocpredict.distributions.ecdf import Ecdf
from rocpredict.plots.labels import text_size
from rocpredict.plots.style import (
    NEGATIVE,
    POSITIVE,
    SMALL,
    TAIL,
    TEXT_BACKGROUND,
    TEXT_COLOR,
    WIDE_FIGSIZE,
    ClassStyle,
    add_legend,
    check_booleans,
    check_prevalence,
    check_single_feature,
    feature_axis_limits,
    format_rule,
    get_or_create_axes,
    histogram_bin_edges,
    label_x_axis,
    range_error,
    resolve_labels,
)
from rocpredict.roc.base import Roc
from rocpredict.solvers.thresholds import BestThreshold

_STEEPNESS_LIMIT = 5
"""How many times its usual height a density is drawn at most; a Gaussian's peak is 1.25 times."""
_MAX_HEIGHT = 1e306


class _ClassDrawing(NamedTuple):
    """Hold one class as it is drawn."""

    style: ClassStyle
    distribution: Distribution
    weight: float
    x: FloatArray
    height: FloatArray
    atoms: Atoms
    atom_heights: FloatArray
    """How high each atom is drawn."""


def plot_densities(
    roc: Roc,
    *,
    ax: Axes | None = None,
    threshold: float | BestThreshold | None = None,
    prevalence: float | None = None,
    feature: str = "x",
    unit: str | None = None,
    classes: Sequence[Any] | None = None,
    legend: bool = True,
) -> Axes:
    """Draw both class densities, a threshold, and the areas TP, FP, FN and TN.

    Parameters
    ----------
    roc : ROC
        Predicted (drawn as lines) or empirical (as histograms), of one feature.
    ax : matplotlib Axes, optional
        Where to draw; left out, a figure of its own.
    threshold : float or BestThreshold, optional
        In the unit of the feature; left out, ``roc.best_threshold()``.
    prevalence : float, optional
        Share of positives. Weights the densities, so that the areas add up to 1 and the crossings are
        those of the weighted densities: the best thresholds for accuracy, where unweighted ones are those
        for Ameans.
    feature, unit : str, optional
        Name of the x axis, shown literally; a long one is cut.
    classes : pair, optional
        Names of the negative and the positive class, in place of these words.
    legend : bool
        Name the lines, above the axes: give a title a ``pad`` of 24.

    Returns
    -------
    Axes

    Raises
    ------
    RocPredictError
        What is not the ROC of one feature, a threshold that is not a number, a prevalence outside [0, 1]; values so
        close to each other, or so far apart, that no axis can hold them.

    Notes
    -----
    Values with a probability of their own (a standard deviation of 0, a discrete distribution) are stems.
    Beside a density, which has another unit, only their heights relative to each other count. Histograms
    have an edge at the threshold.

    Examples
    --------
    >>> from rocpredict import Gaussian, PredictedRoc
    >>> ax = plot_densities(PredictedRoc(negative=Gaussian(4, 3), positive=Gaussian(8, 2)), feature="width", unit="cm")
    >>> ax.get_xlabel()
    'width [cm]'
    """
    roc, prevalence = check_single_feature(roc), check_prevalence(prevalence)
    check_booleans(legend=legend)
    names = resolve_labels(classes, (NEGATIVE.name, POSITIVE.name), "curve", argument="classes")
    at = _threshold(roc, threshold)
    low, high = feature_axis_limits(roc, at)
    sides = _prepare_classes(roc, at, (low, high), prevalence)
    ax = get_or_create_axes(ax, WIDE_FIGSIZE)
    top, height = _max_height(sides)
    sides = _scale_atoms(sides, top)
    ax.set(xlim=(low, high), ylim=(0, 1.16 * top), ylabel=height + ("" if prevalence is None else " × class share"))
    label_x_axis(ax, feature, unit)
    entries = [_draw_class(ax, side, name) for side, name in zip(sides, names, strict=True)]
    _draw_areas(ax, roc, sides, at, top)
    entries += _draw_crossings(ax, roc, sides, prevalence)
    _draw_threshold(ax, roc, at, top)
    if legend:
        above = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0.1, "columnspacing": 1.4}
        add_legend(ax, entries, ncols=len(entries), frameon=False, **above)
    return ax


# ---- what is drawn
def _threshold(roc: Roc, threshold: float | BestThreshold | None) -> float:
    if threshold is None:
        threshold = roc.best_threshold()
    if isinstance(threshold, (bool, np.bool_)):
        raise RocPredictError(f"threshold={short_repr(threshold)} is not a real number")
    value = check_real("threshold", threshold.threshold if isinstance(threshold, BestThreshold) else threshold)
    if value.ndim:
        raise RocPredictError(f"threshold has shape {value.shape}; draw one at a time")
    return float(value)


def _prepare_classes(roc: Roc, at: float, span: tuple[float, float], share: float | None) -> list[_ClassDrawing]:
    weights = (1.0, 1.0) if share is None else (1 - share, share)
    edges = histogram_bin_edges(roc, at)
    sides = []
    for style, distribution, weight in zip((NEGATIVE, POSITIVE), (roc.negative, roc.positive), weights, strict=True):
        counted = isinstance(distribution, Ecdf)
        x, height = _histogram(distribution, edges) if counted else _density_line(roc, distribution, at, span)
        atoms = Atoms(np.empty(0), np.empty(0)) if counted else _atoms(distribution, span)
        masses = weight * atoms.masses
        sides.append(
            _ClassDrawing(style, distribution, weight, x, weight * height, Atoms(atoms.points, masses), masses)
        )
    return sides


def _density_line(
    roc: Roc, distribution: Distribution, at: float, span: tuple[float, float]
) -> tuple[FloatArray, FloatArray]:
    """Give a density where it is drawn: at even steps, at quantiles of both classes, and at the threshold."""
    shares = np.linspace(TAIL, 1 - TAIL, 301)
    quantiles = [d.ppf(shares) for d in (roc.negative, roc.positive) if not isinstance(d, Ecdf)]
    x = np.unique(np.concatenate([np.linspace(*span, 601), *quantiles, [at]]))
    x = x[(x >= span[0]) & (x <= span[1])]
    if distribution.atoms().masses.sum() > 1 - 1e-9:
        return x, np.zeros_like(x)
    with np.errstate(over="ignore"):
        height = np.asarray(distribution.pdf(x))
    return x, np.where(np.isfinite(height), height, 0.0)


def _max_height(sides: list[_ClassDrawing]) -> tuple[float, str]:
    """Give the greatest height that is drawn, and what it is."""
    highest = max(_peak(side) for side in sides)
    masses = np.concatenate([side.atoms.masses for side in sides])
    if highest == 0 and masses.any():
        return float(masses.max()), "probability"
    return highest or 1.0, "density"


def _scale_atoms(sides: list[_ClassDrawing], top: float) -> list[_ClassDrawing]:
    """Draw the atoms of both classes to one scale, the most probable one as high as anything."""
    highest = max(float(np.max(side.atoms.masses, initial=0)) for side in sides) or 1.0
    return [side._replace(atom_heights=side.atoms.masses * (top / highest)) for side in sides]


def _peak(side: _ClassDrawing) -> float:
    """Give the height that the picture makes room for: not all of a density that has no bound."""
    highest = float(np.max(side.height, initial=0))
    if isinstance(side.distribution, Ecdf) or highest == 0:
        return highest
    middle = side.distribution.ppf(np.linspace(0.05, 0.95, 91))
    with np.errstate(over="ignore"):
        usual = side.weight * float(np.median(side.distribution.pdf(middle)))
    if usual > _MAX_HEIGHT:
        raise range_error(float(middle[0]), float(middle[-1]), "close to each other")
    return min(highest, _STEEPNESS_LIMIT * usual) or highest


def _histogram(distribution: Ecdf, edges: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Give the outline of a histogram: its area is the share of finite values."""
    counts, _ = np.histogram(distribution.unique_values, edges, weights=distribution.unique_weights)
    heights = counts / distribution.total / np.diff(edges)
    return np.repeat(edges, 2), np.concatenate([[0.0], np.repeat(heights, 2), [0.0]])


def _atoms(distribution: Distribution, span: tuple[float, float]) -> Atoms:
    points, masses = distribution.atoms()
    inside = (points >= span[0]) & (points <= span[1])
    return Atoms(points[inside], masses[inside])


# ---- drawing
def _draw_class(ax: Axes, side: _ClassDrawing, name: str) -> tuple[Any, str]:
    style = side.style
    line = {"color": style.colour, "linestyle": style.linestyle, "zorder": 4}
    if len(side.atoms.points):
        stems = ax.vlines(side.atoms.points, 0, side.atom_heights, **line, linewidth=3, gid=style.name)
        return stems, f"{name} (point masses)"
    return ax.plot(side.x, side.height, **line, linewidth=2, gid=style.name)[0], name


def _draw_areas(ax: Axes, roc: Roc, sides: list[_ClassDrawing], at: float, top: float) -> None:
    """Hatch and name the four areas; errors are hatched more densely than right calls."""
    lower = roc.direction == "lower"
    named: list[tuple[float, float, float]] = []
    for side in sides:
        for called_positive in (False, True):
            right = called_positive == (side.style is POSITIVE)
            name = ("T" if right else "F") + ("P" if called_positive else "N")
            upper_part = called_positive != lower
            _fill(ax, side, at, upper_part=upper_part, right=right, name=name)
            share = float(getattr(roc, name.lower() + "r")(at))
            if share > 0:
                text = f"{name} {format_rate(side.weight * share)}"
                x, height = _middle(side, at, upper_part=upper_part)
                x = _move_off_threshold(ax, text, x, at, upper_part=upper_part)
                y = max(0.6 * height, 0.16 * top) if right else max(0.3 * height, 0.05 * top)
                _name_area(ax, text, side.style, _avoid_overlap(ax, text, (x, y), named))


def _fill(ax: Axes, side: _ClassDrawing, at: float, *, upper_part: bool, right: bool, name: str) -> None:
    part = side.x >= at if upper_part else side.x <= at
    if isinstance(side.distribution, Ecdf):  # the outline has each edge twice: once for either bin
        part = np.append(side.x[1:] > at, side.x[-1] > at) if upper_part else np.append(True, side.x[:-1] < at)
    ax.fill_between(
        side.x,
        side.height,
        where=part.tolist(),
        facecolor=(side.style.colour, 0.10 if right else 0.28),
        edgecolor=(side.style.colour, 0.55 if right else 0.9),
        hatch=side.style.hatch if right else side.style.hatch * 2,
        linewidth=0,
        zorder=2 if right else 3,
        gid=name,
    )


def _middle(side: _ClassDrawing, at: float, *, upper_part: bool) -> tuple[float, float]:
    """Give the middle of an area, and the height of the density there."""
    d = side.distribution
    x = float(d.isf(float(d.sf_inclusive(at)) / 2) if upper_part else d.ppf(float(d.cdf_strict(at)) / 2))
    if len(side.atoms.points):
        return x, float(np.interp(x, side.atoms.points, side.atom_heights))
    return x, float(np.interp(x, side.x, side.height))


def _move_off_threshold(ax: Axes, text: str, x: float, at: float, *, upper_part: bool) -> float:
    """Move a label inside the axes, and to its own side of the threshold where there is room."""
    low, high = ax.get_xlim()
    half = (text_size(ax, text, SMALL)[0] / 2 + 0.02) * (high - low)
    if upper_part and at + 2 * half < high:
        x = max(x, at + half)
    elif not upper_part and at - 2 * half > low:
        x = min(x, at - half)
    return min(max(x, low + half), high - half)


def _avoid_overlap(
    ax: Axes, text: str, spot: tuple[float, float], named: list[tuple[float, float, float]]
) -> tuple[float, float]:
    """Move a label up until it covers no other, and keep its place and half its width."""
    wide, high = text_size(ax, text, SMALL)
    (x, y), half, line = spot, wide * np.ptp(ax.get_xlim()) / 2, high * np.ptp(ax.get_ylim())
    for other, level, reach in sorted(named, key=lambda label: label[1]):
        if abs(x - other) < half + reach and abs(y - level) < line:
            y = level + line
    named.append((x, y, half))
    return x, y


def _name_area(ax: Axes, text: str, style: ClassStyle, spot: tuple[float, float]) -> None:
    label: dict[str, Any] = {
        "ha": "center",
        "va": "center",
        "fontsize": SMALL,
        "fontweight": "bold",
        "color": style.text,
    }
    ax.text(*spot, text, **label, bbox=TEXT_BACKGROUND, zorder=7)


def _draw_crossings(ax: Axes, roc: Roc, sides: list[_ClassDrawing], prevalence: float | None) -> list[tuple[Any, str]]:
    """Mark where the drawn densities cross, as far as they are in the picture."""
    if prevalence in {0, 1}:
        return []
    found = roc.crossings(prevalence=0.5 if prevalence is None else prevalence)
    low, high = ax.get_xlim()
    found = found[(found > low) & (found < high)]
    if not len(found):
        return []
    heights = np.interp(found, sides[0].x, sides[0].height)
    mark: dict[str, Any] = {
        "markersize": 8,
        "markerfacecolor": "white",
        "markeredgecolor": TEXT_COLOR,
        "markeredgewidth": 1.6,
    }
    (drawn,) = ax.plot(found, heights, "D", **mark, zorder=8, gid="crossings")
    return [(drawn, "crossing")]


def _draw_threshold(ax: Axes, roc: Roc, at: float, top: float) -> None:
    words = format_rule(at, roc.direction)
    low, high = ax.get_xlim()
    inside = low <= at <= high
    if inside:
        ax.axvline(at, color=TEXT_COLOR, linewidth=1.5, zorder=6, gid="threshold")
        words = f"positive if {words}"
    elif np.isfinite(at):
        words = f"positive if {words} (outside)"
    left = inside and at > (low + high) / 2
    ax.annotate(
        words,
        (min(max(at, low), high) if inside else (low + high) / 2, 1.09 * top),
        xytext=((-6 if left else 6) if inside else 0, 0),
        textcoords="offset points",
        ha="center" if not inside else "right" if left else "left",
        va="center",
        fontsize=SMALL,
        color=TEXT_COLOR,
        bbox=TEXT_BACKGROUND,
        zorder=7,
    )
