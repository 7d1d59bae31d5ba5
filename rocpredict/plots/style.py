"""Style of plots: colours, names, argument checks, axis limits and files."""

import io
from collections.abc import Sequence
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

from rocpredict.base.files import write_atomic
from rocpredict.base.validation import (
    Direction,
    FloatArray,
    RocPredictError,
    check_option,
    check_probabilities,
    short_repr,
)
from rocpredict.distributions.base import Distribution
from rocpredict.distributions.ecdf import Ecdf
from rocpredict.roc.base import Roc
from rocpredict.roc.empirical import EmpiricalRoc

_PLACEHOLDER = "\N{WHITE SQUARE}"
#: Unicode control characters of the text direction.
_BIDI_CONTROLS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_LEFT_TO_RIGHT = "\u200e"
_RTL_CLASSES = ("R", "AL")
#: Unicode categories that are dropped, without a placeholder, if the font lacks them.
_ZERO_WIDTH_CATEGORIES = ("Cf", "Mn", "Me")
#: Unicode categories that figure files cannot contain.
_UNPRINTABLE_CATEGORIES = ("Cc", "Cs", "Cn")


def replace_missing_glyphs(text: str) -> str:
    """Return a text with a square for each character that the current font cannot draw.

    Characters of zero width, such as those that join emoji, and direction marks are removed. A right-to-left name is
    enclosed in direction marks, so that it does not reorder the text around it.
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
"""Properties of an artist, by their names in matplotlib."""
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
#: Maximum characters of the name of a curve in a legend inside the axes.
_MAX_LEGEND_LENGTH = 28
_NOTEBOOK_DPI, _SAVED_DPI = 110, 160


class ClassStyle(NamedTuple):
    """Style of one class."""

    name: str
    color: str
    text: str
    linestyle: Any
    hatch: str

    def line(self) -> Look:
        """Return the properties of the density line of the class."""
        return {"color": self.color, "linestyle": self.linestyle, "linewidth": 2, "zorder": 4}

    def area(self, face: float, edge: float, *, n_hatches: int = 1) -> Look:
        """Return the properties of a hatched area with the opacities ``face`` and ``edge``."""
        return {"facecolor": (self.color, face), "edgecolor": (self.color, edge), "hatch": self.hatch * n_hatches}


NEGATIVE = ClassStyle("negative", "#0072B2", "#00558A", "-", "\\\\")
POSITIVE = ClassStyle("positive", "#D55E00", "#9C4500", (0, (6, 2)), "//")
#: Colour and dash of each ROC curve, used cyclically.
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
    """Return axes after checking that they are rectilinear with linear scales."""
    if not isinstance(ax, Axes):
        problem = "is not a matplotlib Axes; omit ax= to create a figure"
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
    """Return a list of axes after checking their number."""
    axes = list(np.ravel(np.asarray(ax, dtype=object)))
    if len(axes) == count and all(isinstance(one_axes, Axes) for one_axes in axes):
        return axes
    number = {2: "two", 3: "three"}[count]
    raise RocPredictError(f"ax={short_repr(ax)} is not {number} matplotlib Axes; omit ax= to create a figure")


def check_booleans(**switches: object) -> None:
    """Raise unless every option is True or False."""
    for name, value in switches.items():
        check_option(name, value, (True, False))


def check_prevalence(prevalence: Any) -> float | None:
    """Return a prevalence in [0, 1] as a float, or None."""
    if prevalence is None:
        return None
    value = check_probabilities("prevalence", prevalence)
    if value.ndim:
        raise RocPredictError(f"prevalence={short_repr(prevalence)} has shape {value.shape}; pass one number")
    return float(value)


def as_sequence(values: object) -> list[Any] | None:
    """Return the items of a list, tuple or array as a list, or None for unordered collections and text."""
    if isinstance(values, (str, bytes, dict, set, frozenset)) or not hasattr(values, "__len__"):
        return None
    try:
        return list(values)  # type: ignore[call-overload]
    except TypeError:  # a zero-dimensional array
        return None


def check_single_feature(roc: object, argument: str = "roc") -> Roc:
    """Return an argument after checking that it is the ROC curve of one feature."""
    if not isinstance(roc, Roc):
        makers = "rp.PredictedRoc, rp.predict_roc or rp.empirical_roc"
        raise RocPredictError(f"{argument}={short_repr(roc)} is not a ROC curve; pass the result of {makers}")
    if roc.shape:
        raise RocPredictError(f"{argument} is a batch of shape {roc.shape}; plot one feature at a time")
    return roc


def check_separate(curves: Sequence[object], function: str) -> None:
    """Raise if curves are passed to a plot function as a list instead of separate arguments."""
    if any(isinstance(curve, (list, tuple)) for curve in curves):
        raise RocPredictError(f"{function} received a list of curves; pass the curves one by one: {function}(a, b)")


def check_curves(
    rocs: Sequence[Roc], labels: Sequence[str] | None, *, function: str = "plot_roc", **switches: object
) -> list[str]:
    """Return the name of each curve, numbered if there are several, after checking the arguments of a plot function."""
    check_separate(rocs, function)
    for roc in rocs:
        check_single_feature(roc)
    check_booleans(**switches)
    names = resolve_labels(labels, ["empirical" if isinstance(roc, EmpiricalRoc) else "predicted" for roc in rocs])
    return names if len(names) == 1 else [f"{number}  {name}" for number, name in enumerate(names, 1)]


def plain_text_label(text: object, longest: int = _MAX_LABEL_LENGTH, tail: int = 0) -> str:
    """Return a name on one printable line, truncated before its last ``tail`` characters if it is too long."""
    line = replace_missing_glyphs(" ".join(str(text).split()))
    return line if len(line) <= longest else f"{line[: longest - tail - 1]}…{line[len(line) - tail :]}"


def resolve_labels(
    labels: Sequence[Any] | None,
    defaults: Sequence[str],
    noun: str = "ROC curve",
    longest: int = _MAX_LEGEND_LENGTH,
    argument: str = "labels",
) -> list[str]:
    """Return the labels, or the defaults if there are no labels, as printable text."""
    if not defaults:
        raise RocPredictError(f"no {noun} was passed; pass one or more")
    names = as_sequence(defaults if labels is None else labels)
    if names is None or len(names) != len(defaults):
        problem = f"is not a list of {len(defaults)} name{'s' * (len(defaults) > 1)}"
        raise RocPredictError(f"{argument}={short_repr(labels)} {problem}; pass one name for each {noun}")
    return [plain_text_label(name, longest) for name in names]


def escape_mathtext(text: Text) -> Text:
    """Disable math in a text, so that dollar signs are shown literally."""
    text.set_parse_math(False)
    return text


def line_style(index: int, width: float = 2.0) -> Look:
    """Return the line properties of the curve with this index."""
    color, dash = CURVES[index % len(CURVES)]
    return {"color": color, "linestyle": dash, "linewidth": width, "zorder": 3}


def format_rule(threshold: float, direction: Direction) -> str:
    """Return the rule of a threshold as text, such as "≥ 5.826"."""
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
#: Minimum margin of an axis in float spacings; matplotlib widens a narrower axis much more.
_STEPS = 16


def feature_axis_limits(roc: Roc, threshold: float) -> tuple[float, float]:
    """Return the limits of the x axis, which contain both classes and, unless it is far away, the threshold."""
    limits = distribution_limits(roc.negative) + distribution_limits(roc.positive) or [0.0]  # all values are infinite
    low, high = min(limits), max(limits)
    if low - (high - low) < threshold < high + (high - low):
        low, high = min(low, threshold), max(high, threshold)
    return pad_limits(low, high, 0.04)


def feature_axis_points(roc: Roc, span: tuple[float, float], extra: Sequence[Any]) -> FloatArray:
    """Return the x values of a smooth line from an even grid, quantiles of both classes and extra values."""
    probabilities = np.linspace(TAIL, 1 - TAIL, 301)
    quantiles = [d.ppf(probabilities) for d in (roc.negative, roc.positive) if not isinstance(d, Ecdf)]
    return within(np.unique(np.concatenate([np.linspace(*span, 601), *quantiles, *extra])), span)


def within(values: FloatArray, span: tuple[float, float]) -> FloatArray:
    """Return the values in a closed interval."""
    return values[(values >= span[0]) & (values <= span[1])]


def pad_limits(low: float, high: float, fraction: float) -> tuple[float, float]:
    """Return the limits of an axis with a margin, after checking that an axis can hold the values."""
    low, high = float(low), float(high)  # NumPy floats would warn on overflow
    pad = fraction * (high - low) or 0.1 * abs(low) or 1.0
    if pad < np.inf:
        pad = max(pad, _STEPS * float(np.spacing(max(abs(low), abs(high)))))
    if not _MIN_RANGE < high - low + 2 * pad < _MAX_RANGE:
        raise range_error(low, high, "far apart" if high - low > 1 else "close to each other")
    return low - pad, high + pad


def range_error(low: float, high: float, problem: str) -> RocPredictError:
    """Return the error for values that no axis can hold."""
    limits = f"from {low:.4g} to {high:.4g}"
    return RocPredictError(f"values too {problem} to plot, {limits}; multiply them by a constant to change the unit")


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
    """Return the bin width from the number of observations, or from the IQR of a class if that width is smaller."""
    even_width = reach / np.clip(np.ceil(2 * max(len(d.unique_values) for d in samples) ** (1 / 3)), 5, _MAX_BINS)
    bulk = [2 * float(d.isf(0.25) - d.ppf(0.25)) / np.cbrt(d.total) for d in samples]
    bulk_widths = [width for width in bulk if np.isfinite(width) and width > 0]
    return float(np.clip(min(bulk_widths, default=even_width), reach / _MAX_NARROW_BINS, even_width))


#: Metadata, by file format, that depend on the date or the version of matplotlib.
_FIXED_METADATA: dict[str, Look] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


def save_figure(figure: Figure, path: str | PathLike[str]) -> Path:
    """Write a figure to a file with reproducible bytes.

    Parameters
    ----------
    figure : matplotlib Figure
        Figure to write, such as ``ax.figure``.
    path : str or path-like
        Name of the file. Its extension is the format: .png, .svg or .pdf.

    Returns
    -------
    pathlib.Path
        Path of the file.

    Raises
    ------
    RocPredictError
        If the format is not supported or the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from rocpredict import PredictedRoc
    >>> figure = PredictedRoc.from_stats(mean=(4, 8), std=(3, 2)).plot().figure
    >>> save_figure(figure, Path(tempfile.mkdtemp()) / "roc.svg").name
    'roc.svg'
    """
    return write_atomic(path, figure_to_bytes(figure, Path(path).suffix.removeprefix(".").lower()))


def figure_to_bytes(figure: Figure, kind: str, *, dots_per_inch: float = _SAVED_DPI) -> bytes:
    """Return a figure as the bytes of a "png", "svg" or "pdf" file."""
    if kind not in _FIXED_METADATA:
        raise RocPredictError(f"format {kind!r} is not supported for figures; use the extension .png, .svg or .pdf")
    file = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": "rocpredict", "svg.fonttype": "none"}):
        figure.savefig(file, format=kind, dpi=dots_per_inch, metadata=_FIXED_METADATA[kind])
    return file.getvalue()
