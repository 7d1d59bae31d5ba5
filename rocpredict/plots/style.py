"""Colors, axes, legends, labels, argument checks and file output, shared by all plot functions."""

from __future__ import annotations

import io
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias
from unicodedata import bidirectional, category

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.text import Text
from numpy.typing import NDArray

from rocpredict.base.files import check_suffix, check_writable, write_atomic
from rocpredict.base.validation import (
    Direction,
    FloatArray,
    RocPredictError,
    check_int,
    check_option,
    check_probability,
    is_list,
    short_repr,
)
from rocpredict.distributions.base import Distribution
from rocpredict.distributions.ecdf import Ecdf
from rocpredict.roc.base import Roc
from rocpredict.roc.empirical import EmpiricalRoc

_PLACEHOLDER = "\N{WHITE SQUARE}"
#: Unicode characters that control the direction of text.
_BIDI_CONTROLS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_LEFT_TO_RIGHT = "\u200e"
_RTL_CLASSES = ("R", "AL")
#: Unicode categories of characters that are dropped, without a placeholder, if the font lacks them.
_ZERO_WIDTH_CATEGORIES = ("Cf", "Mn", "Me")
#: Unicode categories of characters that figure files cannot contain.
_UNPRINTABLE_CATEGORIES = ("Cc", "Cs", "Cn")


def replace_missing_glyphs(text: str) -> str:
    """Return the text with a square in place of each character that the current font cannot draw.

    Direction marks in the text are removed. Zero-width characters that the font lacks, such as emoji joiners,
    are also removed. A right-to-left name is then enclosed in direction marks, so that the text around it is not
    reordered.
    """
    fonts = tuple(findfont(FontProperties(family=[family])) for family in FontProperties().get_family())
    printable = "".join(_printable_character(character, fonts) for character in text)
    if _has_glyph(_LEFT_TO_RIGHT, fonts) and any(bidirectional(character) in _RTL_CLASSES for character in printable):
        return f"{_LEFT_TO_RIGHT}{printable}{_LEFT_TO_RIGHT}"
    return printable


@lru_cache(maxsize=4096)
def _printable_character(character: str, fonts: tuple[str, ...]) -> str:
    if character in _BIDI_CONTROLS:
        return ""
    kind = category(character)
    if kind not in _UNPRINTABLE_CATEGORIES and _has_glyph(character, fonts):
        return character
    return "" if kind in _ZERO_WIDTH_CATEGORIES else _PLACEHOLDER


def _has_glyph(character: str, fonts: tuple[str, ...]) -> bool:
    return any(get_font(font).get_char_index(ord(character)) for font in fonts)


Look: TypeAlias = dict[str, Any]
"""Properties of a matplotlib artist, keyed by their matplotlib names."""
TEXT_COLOR, MUTED_COLOR = "#222222", "#595959"
SMALL = 9.0  # font size inside a plot, in points
WIDE_FIGSIZE, SQUARE_FIGSIZE = (6.4, 4.0), (5.0, 5.0)  # inches
#: Properties of the box behind a text.
TEXT_BACKGROUND: Look = {"boxstyle": "round,pad=0.2", "facecolor": "white", "edgecolor": "none", "alpha": 0.88}
#: Properties of a text on top of other artists.
TEXT_STYLE: Look = {"fontsize": SMALL, "color": TEXT_COLOR, "bbox": TEXT_BACKGROUND}
#: Properties of a reference line.
MUTED_LINE_STYLE: Look = {"color": MUTED_COLOR, "linewidth": 1, "zorder": 1}
THRESHOLD_LINE_STYLE: Look = {"color": TEXT_COLOR, "linestyle": "-", "linewidth": 1.5, "zorder": 5}
_MAX_LABEL_LENGTH = 48
#: Maximum number of characters of a curve name in a legend inside the axes.
_MAX_LEGEND_LENGTH = 28
_NOTEBOOK_DPI, _SAVED_DPI = 110, 160
_DPI_RANGE = 20, 1200


class ClassStyle(NamedTuple):
    """Name, colors, line style and hatch used to draw one class."""

    name: str
    color: str
    text: str
    linestyle: Any
    hatch: str

    def line(self) -> Look:
        """Return the line properties for the density of the class."""
        return {"color": self.color, "linestyle": self.linestyle, "linewidth": 2, "zorder": 4}

    def area(self, face: float, edge: float, *, n_hatches: int = 1) -> Look:
        """Return the properties of a hatched area with the opacities ``face`` and ``edge``."""
        return {"facecolor": (self.color, face), "edgecolor": (self.color, edge), "hatch": self.hatch * n_hatches}


NEGATIVE = ClassStyle("negative", "#0072B2", "#00558A", "-", "\\\\")
POSITIVE = ClassStyle("positive", "#D55E00", "#9C4500", (0, (6, 2)), "//")
#: Color and dash pattern of each ROC curve, used cyclically.
CURVES: tuple[tuple[str, Any], ...] = (
    ("#000000", "-"),
    ("#009E73", (0, (5, 1.5))),
    ("#AA4E85", (0, (1.5, 1.2))),
    ("#0072B2", (0, (7, 1.5, 1.5, 1.5))),
    ("#D55E00", (0, (4, 1.2, 1, 1.2, 1, 1.2))),
    ("#7A6000", (0, (10, 3))),
)


class NotebookFigure(Figure):
    """Figure that a notebook displays without pyplot."""

    def __init__(self, size: tuple[float, float] = SQUARE_FIGSIZE, **options: Any) -> None:
        super().__init__(figsize=size, **({"layout": "constrained"} | options))

    def _repr_png_(self) -> bytes:
        return figure_to_bytes(self, "png", dots_per_inch=_NOTEBOOK_DPI)


class NotebookAxes(Axes):
    """Axes whose figure is displayed in a notebook."""

    def _repr_png_(self) -> bytes:
        figure = self.get_figure(root=True)
        return b"" if figure is None else figure_to_bytes(figure, "png", dots_per_inch=_NOTEBOOK_DPI)


def check_axes(ax: object) -> Axes:
    """Return ``ax``; raise RocPredictError if it is not a rectilinear Axes with linear scales."""
    if not isinstance(ax, Axes):
        problem = "is not a matplotlib Axes; pass Axes, or omit ax= to create a figure"
    elif ax.get_figure() is None:
        problem = "was removed from its figure; omit ax= to create a figure"
    elif ax.name != "rectilinear":
        problem = f"has the projection {ax.name!r}; pass axes with the projection 'rectilinear'"
    elif (ax.get_xscale(), ax.get_yscale()) != ("linear", "linear"):
        problem = f"has the scales {ax.get_xscale()!r} and {ax.get_yscale()!r}; pass axes with linear scales"
    else:
        return ax
    raise RocPredictError(f"ax={short_repr(ax)} {problem}")


def check_several_axes(ax: object, count: int) -> list[Axes]:
    """Return ``ax`` as a list; raise RocPredictError if it does not contain ``count`` Axes."""
    axes = list(np.ravel(np.asarray(ax, dtype=object)))
    if len(axes) == count and all(isinstance(one_axes, Axes) for one_axes in axes):
        return axes
    number = {2: "two", 3: "three"}[count]
    raise RocPredictError(
        f"ax={short_repr(ax)} is not a list of {number} matplotlib Axes; pass such a list, or omit ax="
    )


def check_booleans(**switches: object) -> None:
    """Raise RocPredictError if an option is neither True nor False."""
    for name, value in switches.items():
        check_option(name, value, (True, False))


def check_prevalence(prevalence: Any) -> float | None:
    """Check that a prevalence is in [0, 1], and return it as a float; None is returned unchanged."""
    return None if prevalence is None else check_probability("prevalence", prevalence)


def as_sequence(values: object) -> list[Any] | None:
    """Return the items of a list, tuple or array as a list, or None for unordered collections and text."""
    return list(values) if isinstance(values, Collection) and is_list(values) else None


def check_single_feature(roc: object, argument: str = "roc") -> Roc:
    """Return ``roc``; raise RocPredictError if it is not the ROC curve of one feature."""
    if not isinstance(roc, Roc):
        makers = "rp.PredictedRoc, rp.predict_roc or rp.empirical_roc"
        raise RocPredictError(f"{argument}={short_repr(roc)} is not a ROC curve; pass the result of {makers}")
    if roc.shape:
        raise RocPredictError(f"{argument} is a batch of shape {roc.shape}; plot one feature at a time")
    return roc


def check_separate(curves: Sequence[object], function: str) -> None:
    """Raise RocPredictError if curves are passed to a plot function as a list instead of as separate arguments."""
    if any(isinstance(curve, (list, tuple)) for curve in curves):
        raise RocPredictError(f"{function} received a list of curves; pass the curves one by one: {function}(a, b)")


def check_curves(
    rocs: Sequence[Roc], labels: Sequence[str] | None, *, function: str = "plot_roc", **switches: object
) -> list[str]:
    """Check the arguments of a plot function and return the curve names, numbered if there are several curves."""
    check_separate(rocs, function)
    for roc in rocs:
        check_single_feature(roc)
    check_booleans(**switches)
    names = resolve_labels(labels, ["empirical" if isinstance(roc, EmpiricalRoc) else "predicted" for roc in rocs])
    return names if len(names) == 1 else [f"{number}  {name}" for number, name in enumerate(names, 1)]


def plain_text_label(text: object, longest: int = _MAX_LABEL_LENGTH, tail: int = 0) -> str:
    """Return a name as one printable line; shorten a long name with an ellipsis before its last ``tail`` characters."""
    line = replace_missing_glyphs(" ".join(str(text).split()))
    return line if len(line) <= longest else f"{line[: longest - tail - 1]}…{line[len(line) - tail :]}"


def resolve_labels(
    labels: Sequence[Any] | None,
    defaults: Sequence[str],
    noun: str = "ROC curve",
    longest: int = _MAX_LEGEND_LENGTH,
    argument: str = "labels",
) -> list[str]:
    """Return the labels as printable text; if ``labels`` is None, use ``defaults``."""
    if not defaults:
        raise RocPredictError(f"no {noun} was passed; pass at least one")
    names = as_sequence(defaults if labels is None else labels)
    if names is None or len(names) != len(defaults):
        problem = f"is not a list of {len(defaults)} name{'s' * (len(defaults) > 1)}"
        raise RocPredictError(f"{argument}={short_repr(labels)} {problem}; pass one name for each {noun}")
    return [plain_text_label(name, longest) for name in names]


def escape_mathtext(text: Text) -> Text:
    """Disable math mode for a text, so that dollar signs are shown literally."""
    text.set_parse_math(False)
    return text


def line_style(index: int, width: float = 2.0) -> Look:
    """Return the line properties of the curve with this index."""
    color, dash = CURVES[index % len(CURVES)]
    return {"color": color, "linestyle": dash, "linewidth": width, "zorder": 3}


def format_rule(threshold: float, direction: Direction) -> str:
    """Return the rule for a threshold as text, such as "≥ 5.826"."""
    lower = direction == "lower"
    if threshold in {float("inf"), float("-inf")}:
        return "always positive" if (threshold > 0) == lower else "always negative"
    return f"{'≤' if lower else '≥'} {threshold:.4g}".replace("-", "−")


TAIL = 0.001
#: Maximum distance from the quartiles at which a class is drawn, in interquartile ranges.
_MAX_DISTANCE = 8
_MAX_BINS, _MAX_NARROW_BINS = 60, 200
#: Limits of the length of an axis; matplotlib changes a shorter axis, and a longer axis overflows.
_MIN_RANGE, _MAX_RANGE = 1e-286, 1e306
#: Minimum margin of an axis, in float spacings; with a smaller margin, matplotlib widens the axis much more.
_STEPS = 16


def feature_axis_limits(roc: Roc, threshold: float) -> tuple[float, float]:
    """Return x-axis limits that include both classes, and also the threshold if it is close to them."""
    limits = distribution_limits(roc.negative) + distribution_limits(roc.positive) or [0.0]  # all values are infinite
    low, high = min(limits), max(limits)
    if low - (high - low) < threshold < high + (high - low):
        low, high = min(low, threshold), max(high, threshold)
    return pad_limits(low, high, 0.04)


def feature_axis_points(roc: Roc, span: tuple[float, float], extra: Sequence[Any]) -> FloatArray:
    """Return x values for a smooth line: an even grid, quantiles of both classes, and the extra values."""
    probabilities = np.linspace(TAIL, 1 - TAIL, 301)
    quantiles = [d.ppf(probabilities) for d in (roc.negative, roc.positive) if not isinstance(d, Ecdf)]
    return within(np.unique(np.concatenate([np.linspace(*span, 601), *quantiles, *extra])), span)


def within(values: FloatArray, span: tuple[float, float]) -> FloatArray:
    """Return the values that lie in the closed interval ``span``."""
    return values[(values >= span[0]) & (values <= span[1])]


def pad_limits(low: float, high: float, fraction: float) -> tuple[float, float]:
    """Add a margin to the limits of an axis; raise RocPredictError if their range is too small or too large."""
    low, high = float(low), float(high)  # NumPy floats would warn on overflow
    pad = fraction * (high - low) or 0.1 * abs(low) or 1.0
    if pad < np.inf:
        pad = max(pad, _STEPS * float(np.spacing(max(abs(low), abs(high)))))
    if not _MIN_RANGE < high - low + 2 * pad < _MAX_RANGE:
        raise range_error(low, high, "far apart" if high - low > 1 else "close to each other")
    return low - pad, high + pad


def range_error(low: float, high: float, problem: str) -> RocPredictError:
    """Return the error for values whose range is too small or too large for an axis."""
    limits = f"from {low:.4g} to {high:.4g}"
    return RocPredictError(
        f"the values are too {problem} to plot ({limits}); multiply them by a constant to change the unit"
    )


def distribution_limits(distribution: Distribution) -> list[float]:
    """Return the limits within which a class is drawn, or an empty list if all its values are infinite."""
    if isinstance(distribution, Ecdf):
        finite = distribution.unique_values[np.isfinite(distribution.unique_values)]
        return [float(finite[0]), float(finite[-1])] if len(finite) else []
    low, high = float(distribution.ppf(0.25)), float(distribution.isf(0.25))
    reach = _MAX_DISTANCE * (high - low)
    low, high = max(float(distribution.ppf(TAIL)), low - reach), min(float(distribution.isf(TAIL)), high + reach)
    if not np.isfinite([low, high]).all():
        raise range_error(low, high, "far apart")
    return [low, high]


def histogram_bin_edges(roc: Roc, threshold: float) -> FloatArray:
    """Return the bin edges for the samples of both classes, with one edge at the threshold."""
    samples = [d for d in (roc.negative, roc.positive) if isinstance(d, Ecdf)]
    limits = [limit for d in samples for limit in distribution_limits(d)]
    if not limits:
        return np.array([0.0, 1.0])
    low, high = min(limits), max(limits)
    step = float(np.spacing(max(abs(low), abs(high))))
    width = max(_width(samples, high - low) or 1.0, 4 * step)  # so that adjacent edges are different floats
    start = threshold if low <= threshold <= high else low
    edges = start + width * np.arange(np.floor((low - start) / width), np.floor((high - start) / width) + 2)
    edges[0] = min(low, edges[1])  # the first bar starts at the lowest value
    return np.unique(edges)


def _width(samples: list[Ecdf], reach: float) -> float:
    """Return the Freedman-Diaconis bin width or, if smaller, a bin width based on the number of distinct values."""
    even_width = reach / np.clip(np.ceil(2 * max(len(d.unique_values) for d in samples) ** (1 / 3)), 5, _MAX_BINS)
    bulk = [2 * float(d.isf(0.25) - d.ppf(0.25)) / np.cbrt(d.total) for d in samples]
    bulk_widths = [width for width in bulk if np.isfinite(width) and width > 0]
    return float(np.clip(min(bulk_widths, default=even_width), reach / _MAX_NARROW_BINS, even_width))


#: Metadata of each file format that are omitted because they depend on the date or the matplotlib version.
_FIXED_METADATA: dict[str, Look] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


def save_figure(figure: Figure, path: str | PathLike[str], *, dpi: int = _SAVED_DPI) -> Path:
    """Write a figure to a file; identical figures give identical files.

    Parameters
    ----------
    figure : matplotlib Figure
        Figure to write, such as ``ax.figure``.
    path : str or path-like
        Name of the file. The extension sets the format: .png, .svg or .pdf. If the name has no extension and
        belongs to a pipe or a device, the format is PNG.
    dpi : int, default=160
        Number of pixels per inch of a PNG file, from 20 to 1200. It has no effect on .svg and .pdf files, which are
        vector graphics.

    Returns
    -------
    pathlib.Path
        Path of the file.

    Raises
    ------
    RocPredictError
        If ``figure`` is not a figure, if the format is not supported, if ``dpi`` is out of range, or if the file cannot
        be written.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from rocpredict import PredictedRoc
    >>> figure = PredictedRoc.from_stats(mean=(4, 8), std=(3, 2)).plot().figure
    >>> save_figure(figure, Path(tempfile.mkdtemp()) / "roc.svg").name
    'roc.svg'
    """
    if not hasattr(figure, "savefig"):
        raise RocPredictError(
            f"figure={short_repr(figure)} is not a matplotlib Figure; pass a figure, such as ax.figure"
        )
    if not _DPI_RANGE[0] <= check_int("dpi", dpi) <= _DPI_RANGE[1]:
        raise RocPredictError("dpi={!r} is out of range; pass an integer from {} to {}".format(dpi, *_DPI_RANGE))
    check_suffix("path=", check_writable(path), *(f".{kind}" for kind in _FIXED_METADATA))
    kind = Path(path).suffix.removeprefix(".").lower()
    options = {"kind": kind} if kind in {"svg", "pdf"} else {"kind": "png", "dots_per_inch": dpi}
    return write_atomic(path, figure_to_bytes(figure, **options))


def figure_to_bytes(figure: Figure, kind: str, *, dots_per_inch: float = _SAVED_DPI) -> bytes:
    """Return a figure as the bytes of a "png", "svg" or "pdf" file."""
    file = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": "rocpredict", "svg.fonttype": "none"}):
        figure.savefig(file, format=kind, dpi=dots_per_inch, metadata=_FIXED_METADATA[kind])
    return file.getvalue()


_ANGLES = np.deg2rad(np.arange(-45, 315, 15))
_DIRECTIONS = np.column_stack([np.cos(_ANGLES), np.sin(_ANGLES)])
_DISTANCES = (0.03, 0.05, 0.08, 0.11, 0.15, 0.20, 0.26)
_MIN_DISTANCE = 0.012  # in fractions of the axes; a leader line closer than this to a point counts as crossing it
_POINTS = 160
#: Leader line from a label to its point.
LEADER: Look = {"arrowstyle": "-", "color": MUTED_COLOR, "linewidth": 0.8, "shrinkA": 0, "shrinkB": 5}
_ARROW: Look = {"arrowstyle": "->", "color": TEXT_COLOR, "shrinkA": 0, "shrinkB": 3}
_CHANCE = np.array([[0.0, 0.0], [1.0, 1.0]])


class Box(NamedTuple):
    """Rectangle whose coordinates are fractions of the axes."""

    left: float
    bottom: float
    right: float
    top: float

    @classmethod
    def around(cls, centre: tuple[float, float], size: tuple[float, float]) -> Box:
        """Return a rectangle of this size centered at a point."""
        (x, y), (width, height) = centre, size
        return cls(x - width / 2, y - height / 2, x + width / 2, y + height / 2)

    @classmethod
    def in_corner(cls, corner: str, size: tuple[float, float]) -> Box:
        """Return a rectangle of this size at a corner or edge of the axes, such as "lower right" or "upper center"."""
        (edge, horizontal), (width, height) = corner.split(), size
        left = {"left": 0.0, "center": (1 - width) / 2, "right": 1 - width}[horizontal]
        bottom = 0.0 if edge == "lower" else 1 - height
        return cls(left, bottom, left + width, bottom + height)

    def holds(self, points: FloatArray) -> NDArray[np.bool_]:
        """Return a boolean array that is True for each point inside the rectangle."""
        x, y = points.T
        return np.asarray((x > self.left) & (x < self.right) & (y > self.bottom) & (y < self.top))

    def overlaps(self, other: Box) -> bool:
        """Return True if two rectangles overlap."""
        is_left_or_right = self.right < other.left or other.right < self.left
        return not (is_left_or_right or self.top < other.bottom or other.top < self.bottom)

    def inside_axes(self) -> bool:
        """Return True if the rectangle is within the axes."""
        return min(self.left, self.bottom, 1 - self.right, 1 - self.top) >= 0

    def centre(self) -> tuple[float, float]:
        """Return the center."""
        return (self.left + self.right) / 2, (self.bottom + self.top) / 2


class Canvas:
    """Axes of one plot, with the entries of its legend and the areas that labels avoid.

    Parameters
    ----------
    ax : matplotlib Axes or None
        Axes to draw on; None creates a figure.
    size : pair of float
        Size of a new figure, in inches.
    legend : bool, default=True
        Draw a legend.

    Attributes
    ----------
    ax : matplotlib Axes
        Axes of the plot.
    entries : list of (artist, str)
        Entries of the legend.
    paths : list of arrays of shape (n, 2)
        Curves that labels avoid.
    occupied : list of Box
        Rectangles of the legend and of labels, which later labels avoid.
    """

    def __init__(self, ax: object, size: tuple[float, float] = SQUARE_FIGSIZE, *, legend: bool = True) -> None:
        self.shows_legend = legend
        if ax is None:
            ax = NotebookFigure(size).add_subplot(axes_class=NotebookAxes)
        self.ax = check_axes(ax)
        self.entries: list[tuple[Any, str]] = []
        self.paths: list[FloatArray] = []
        self.occupied: list[Box] = []

    def frame(self, grid: Any = "both", **properties: Any) -> None:
        """Set properties of the axes and draw a light grid below all other artists."""
        self.ax.set(**properties)
        self.ax.grid(visible=True, axis=grid, color="#E4E4E4", linewidth=0.6)
        self.ax.set_axisbelow(True)

    def name_feature(self, feature: str, unit: str | None) -> None:
        """Label the x axis with a feature and its unit."""
        name = plain_text_label(feature)
        if unit is not None:
            name += f" [{plain_text_label(unit, 16)}]"
        escape_mathtext(self.ax.set_xlabel(name))

    def name_rows(self, names: Sequence[str], scale: float = 1.0) -> None:
        """Label the rows on the y axis, from top to bottom; ``scale`` multiplies the usual font size."""
        self.ax.set_ylim(len(names) - 0.4, -0.6)
        self.ax.set_yticks(range(len(names)), names, fontsize=SMALL * scale)
        for text in self.ax.get_yticklabels():
            escape_mathtext(text)
        self.ax.tick_params(axis="y", length=0)

    def add(self, artists: Sequence[Any], name: str) -> None:
        """Add a legend entry for the first artist, if any artist is passed."""
        self.entries += [(artist, name) for artist in artists[:1]]

    def curves(self, kind: str, rocs: Sequence[Roc], paths: Sequence[FloatArray], names: Sequence[str]) -> list[Any]:
        """Draw one line for each curve, and return the lines; empirical curves have thinner lines."""
        lines = []
        for index, (roc, path, name) in enumerate(zip(rocs, paths, names, strict=True)):
            properties = line_style(index, 1.3 if isinstance(roc, EmpiricalRoc) else 2.0)
            lines += self.ax.plot(*path.T, gid=f"{kind}-{index}", **properties)
            self.add(lines[-1:], name)
        self.paths += paths
        return lines

    def diagonal(
        self, name: str = "chance", limits: Sequence[float] = (0, 1), linestyle: str = ":", gid: str | None = None
    ) -> None:
        """Draw the line y = x, which is the chance line of a ROC plot."""
        self.add(self.ax.plot(limits, limits, linestyle=linestyle, gid=gid, **MUTED_LINE_STYLE), name)

    def guide(self, name: str, *, x: float | None = None, y: float = 0, **properties: Any) -> None:
        """Draw a vertical line at x or a horizontal line at y, with a legend entry."""
        properties = MUTED_LINE_STYLE | {"linestyle": ":"} | properties
        self.add([self.ax.axhline(y, **properties) if x is None else self.ax.axvline(x, **properties)], name)

    def ring(self, index: int, point: Sequence[float], gid: str) -> list[Any]:
        """Draw a circle around a point, in the color of the curve with this index."""
        edge: Look = {"markeredgecolor": CURVES[index % len(CURVES)][0], "markeredgewidth": 1.8}
        return self.ax.plot(*point, "o", markerfacecolor="white", **edge, markersize=8, zorder=5, gid=gid)

    def legend(self, **options: Any) -> bool:
        """Draw the legend if it is enabled and has entries, and return True if it was drawn.

        Names that begin with an underscore are also shown.
        """
        if not (self.shows_legend and self.entries):
            return False
        properties = {"fontsize": SMALL, "handlelength": 3.2, "framealpha": 0.9} | options
        legend = self.ax.legend([artist for artist, _ in self.entries], [" "] * len(self.entries), **properties)
        escape_mathtext(legend.get_title())
        for text, (_, label) in zip(legend.get_texts(), self.entries, strict=True):
            escape_mathtext(text).set_text(label)
        return True

    def legend_above(self, columns: int, *, spacing: float = 1.4) -> None:
        """Draw the legend above the axes."""
        place: Look = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0.1}
        self.legend(ncols=columns, columnspacing=spacing, frameon=False, **place)

    def legend_in(self, corner: str) -> None:
        """Draw the legend in a corner, such as "lower right", and mark the corner as occupied."""
        if self.legend(loc=corner):
            width, height = self.text_size(max((words for _, words in self.entries), key=len))
            self.occupied.append(Box.in_corner(corner, (width + 0.16, height * len(self.entries) + 0.04)))

    def legend_off_curves(self, aucs: Sequence[float]) -> None:
        """Draw the legend in the corner that ROC curves with these AUCs leave free."""
        self.legend_in("lower right" if np.mean(aucs) >= 0.5 else "upper left")

    def text_size(self, text: str) -> tuple[float, float]:
        """Estimate the width and the height of a text, in fractions of the axes."""
        lines, extent = text.split("\n"), self.ax.get_window_extent()
        points = 72 / self.ax.get_figure(root=True).dpi  # type: ignore[union-attr]
        height = 1.5 * SMALL / (extent.height * points)
        return 0.57 * SMALL * max(map(len, lines)) / (extent.width * points), height * len(lines)

    def axes_fractions(self, points: FloatArray) -> FloatArray:
        """Convert points from data coordinates to fractions of the axes, clipped to [-0.2, 1.2]."""
        low, high = np.transpose([self.ax.get_xlim(), self.ax.get_ylim()])
        return np.asarray(np.clip((points - low) / (high - low), -0.2, 1.2))

    def label(
        self, text: str, point: FloatArray, centre: tuple[float, float], arrow: Look = LEADER, **look: Any
    ) -> None:
        """Write a label at a position given in fractions of the axes, with a leader line to the labeled point."""
        look = TEXT_STYLE | {"ha": "center", "va": "center", "zorder": 6, "arrowprops": arrow} | look
        escape_mathtext(self.ax.annotate(text, tuple(point), centre, textcoords="axes fraction", **look))

    def mark_threshold(
        self, words: str, threshold: float, height: float, *, left: bool, lift: float = 0, **line_look: Any
    ) -> None:
        """Draw a threshold line with a label, or only the label if the threshold is outside the axes."""
        low, high = self.ax.get_xlim()
        position, shift, alignment = (low + high) / 2, 0, "center"
        if low <= threshold <= high:
            self.ax.axvline(threshold, color=TEXT_COLOR, gid="threshold", **line_look)
            position, shift, alignment = (threshold, -6, "right") if left else (threshold, 6, "left")
        place: Look = {"textcoords": "offset points", "ha": alignment, "va": "center", "zorder": 7}
        self.ax.annotate(words, (position, height), (shift, lift), **place, **TEXT_STYLE)

    def mark_best(self, rocs: Sequence[Roc], scale: Callable[[Any], Any] = np.asarray) -> None:
        """Mark the best point of each curve, with a label that states its threshold.

        ``scale`` converts rates to the scale of the axes.
        """
        thresholds = [roc.best_threshold() for roc in rocs]
        rates = np.array([(best.fpr, best.tpr) for best in thresholds])
        points = scale(rates)
        words = [format_rule(best.threshold, roc.direction) for best, roc in zip(thresholds, rocs, strict=True)]
        words = [f"{n}: {w}" for n, w in enumerate(words, 1)] if len(rocs) > 1 else [f"best: {w}" for w in words]
        positions = self.axes_fractions(points)
        inside = np.all((positions >= 0) & (positions <= 1), axis=1)
        order = [i for i in np.argsort(rates[:, 0] - rates[:, 1]) if inside[i]]
        if not order:
            return
        sizes = [self.text_size(words[i]) for i in order]
        centres = self._place(points[order], sizes, self.paths)
        for i, centre in zip(order, centres, strict=True):
            self.ring(i, points[i], f"best-{i}")
            self.label(words[i], points[i], centre)
        self.occupied += map(Box.around, centres, sizes)

    def mark_gap(self, fpr: float, gap: float, tpr_values: Sequence[float]) -> None:
        """Draw the largest TPR difference (predicted - empirical) between two curves, and label it with its value."""
        line = {"color": TEXT_COLOR, "linewidth": 2, "marker": "_", "markersize": 9, "zorder": 6}
        self.ax.plot([fpr, fpr], tpr_values, **line, gid="largest-gap")  # type: ignore[arg-type]
        point = np.array([fpr, sum(tpr_values) / 2])
        size = f"{gap:+.3f}".replace("-", "−") if abs(gap) >= 0.0005 else "below 0.001"
        text = f"TPR difference {size}\nat FPR {fpr:.3f}"
        width, height = self.text_size(text)
        (centre,) = self._place(point[None], [(width, 0.85 * height)], [*self.paths, _CHANCE])
        self.label(text, point, centre, _ARROW)

    def _place(
        self, anchors: FloatArray, sizes: Sequence[tuple[float, float]], paths: Sequence[FloatArray]
    ) -> list[tuple[float, float]]:
        points = []
        for path in map(self.axes_fractions, paths):  # evenly spaced points along the finite part of each path
            path_points = path[np.isfinite(path).all(axis=1)]
            if len(path_points):
                along = np.append(0.0, np.cumsum(np.hypot(*np.diff(path_points, axis=0).T)))
                distances = np.linspace(0, along[-1], _POINTS)
                points += [np.column_stack([np.interp(distances, along, part) for part in path_points.T])]
        drawn = np.concatenate([np.empty((0, 2)), *points])
        return place_labels(self.axes_fractions(anchors), sizes, drawn, self.occupied)


def place_labels(
    positions: FloatArray, sizes: Sequence[tuple[float, float]], points: FloatArray, occupied: Sequence[Box]
) -> list[tuple[float, float]]:
    """Return the centers of labels, close to their anchors but away from points, other labels and occupied boxes.

    Parameters
    ----------
    positions : array of shape (n, 2)
        Anchors. All positions and sizes are in fractions of the axes.
    sizes : sequence of n pairs (width, height)
        Sizes of the labels.
    points : array of shape (m, 2)
        Drawn points that labels avoid.
    occupied : sequence of Box
        Occupied rectangles, which labels avoid.
    """
    boxes = [*occupied, *(Box.around((x, y), (0.04, 0.04)) for x, y in positions)]
    for anchor, size in zip(positions, sizes, strict=True):
        others = [box for box in boxes if not box.holds(anchor[None]).any()]
        reaches = np.add.outer(_DISTANCES, np.divide(size, 2))[:, None]  # from the anchor to the center of a box
        candidates = [Box.around((x, y), size) for x, y in (anchor + reaches * _DIRECTIONS).reshape(-1, 2)]
        best, least = candidates[0], np.inf
        for box in candidates:
            cost = _cost(anchor, box, points, others, least)
            best, least = (box, cost) if cost < least else (best, least)
        boxes.append(best)
        points = np.concatenate([points, _line(anchor, boxes[-1])])
    return [box.centre() for box in boxes[-len(positions) :]]


def _cost(anchor: FloatArray, box: Box, points: FloatArray, others: Sequence[Box], most: float) -> float:
    """Return the cost of a label position, based on overlaps, hidden points and the line from the label to its point.

    The cost is higher if the line is longer, or if it crosses points or boxes. If the cost without the line is at least
    ``most``, this cost is returned, because the position will not be chosen.
    """
    clashes = 2 * sum(box.overlaps(other) for other in others)
    cost = 6 * int(box.holds(points).sum()) + 80 * clashes + 300 * (not box.inside_axes())
    if cost >= most:
        return cost
    line = _line(anchor, box)
    distant_points = line[np.hypot(*(line - anchor).T) > 2 * _MIN_DISTANCE]
    crossed = int((np.abs(distant_points[:, None] - points).max(axis=-1) < _MIN_DISTANCE).any(axis=-1).sum())
    crossed_boxes = sum(not box.overlaps(other) and bool(other.holds(line).any()) for other in others)
    return cost + 5 * crossed + 80 * crossed_boxes + 100 * float(np.ptp(line, axis=0).max())


def _line(anchor: FloatArray, box: Box) -> FloatArray:
    """Return points on the line from an anchor to its label."""
    along = anchor + np.linspace(0, 1, 15)[:, None] * (np.array(box.centre()) - anchor)
    outside = ~box.holds(along)
    return along[outside] if outside.any() else along[:1]  # the label covers its own point
