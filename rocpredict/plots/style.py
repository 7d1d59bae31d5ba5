"""Style of pictures: colours, names, checks of arguments, limits of axes, files."""

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
#: Marks of the direction in which the rest of a line runs.
_BIDI_CONTROLS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_LEFT_TO_RIGHT = "\u200e"
_RTL_CLASSES = ("R", "AL")
_ZERO_WIDTH_CATEGORIES = ("Cf", "Mn", "Me")  # left out where the font has none, with no square for it
_UNPRINTABLE_CATEGORIES = ("Cc", "Cs", "Cn")  # that no picture file may hold


def replace_missing_glyphs(text: str) -> str:
    """Return a text with a square for each character that the font in use cannot draw.

    Characters without width, such as those that join emoji, and marks of direction are left out; a name that runs from
    right to left is set between marks of its own, so that what stands before and after it in a legend stays there.
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
SMALL = 9.0  # points: the size of text inside a picture
WIDE_FIGSIZE, SQUARE_FIGSIZE = (6.4, 4.0), (5.0, 5.0)  # inches
#: The properties of the box behind a text.
TEXT_BACKGROUND: Look = {"boxstyle": "round,pad=0.2", "facecolor": "white", "edgecolor": "none", "alpha": 0.88}
#: The properties of a text on top of what is drawn.
TEXT_STYLE: Look = {"fontsize": SMALL, "color": TEXT_COLOR, "bbox": TEXT_BACKGROUND}
#: The properties of a line that others are seen against.
MUTED_LINE_STYLE: Look = {"color": MUTED_COLOR, "linewidth": 1, "zorder": 1}
THRESHOLD_LINE_STYLE: Look = {"color": TEXT_COLOR, "linestyle": "-", "linewidth": 1.5, "zorder": 5}
_MAX_LABEL_LENGTH = 48
_MAX_LEGEND_LENGTH = 28  # characters of a curve's name, which stands beside its AUC in a legend inside the axes
_NOTEBOOK_DPI, _SAVED_DPI = 110, 160


class ClassStyle(NamedTuple):
    """The look of one class."""

    name: str
    color: str
    text: str
    linestyle: Any
    hatch: str

    def line(self) -> Look:
        """Return the properties of the line of its density."""
        return {"color": self.color, "linestyle": self.linestyle, "linewidth": 2, "zorder": 4}

    def area(self, face: float, edge: float, *, n_hatches: int = 1) -> Look:
        """Return the properties of a hatched area, with the opacity of its face and of its hatches."""
        return {"facecolor": (self.color, face), "edgecolor": (self.color, edge), "hatch": self.hatch * n_hatches}


NEGATIVE = ClassStyle("negative", "#0072B2", "#00558A", "-", "\\\\")
POSITIVE = ClassStyle("positive", "#D55E00", "#9C4500", (0, (6, 2)), "//")
#: Colour and dash of each further ROC curve; both begin anew after the last.
CURVES: tuple[tuple[str, Any], ...] = (
    ("#000000", "-"),
    ("#009E73", (0, (5, 1.5))),
    ("#AA4E85", (0, (1.5, 1.2))),
    ("#0072B2", (0, (7, 1.5, 1.5, 1.5))),
    ("#D55E00", (0, (4, 1.2, 1, 1.2, 1, 1.2))),
    ("#7A6000", (0, (10, 3))),
)


class NotebookFigure(Figure):
    """A figure that shows itself in a notebook, without pyplot."""

    def __init__(self, size: tuple[float, float] = SQUARE_FIGSIZE, **options: Any) -> None:
        super().__init__(figsize=size, **({"layout": "constrained"} | options))

    def _repr_png_(self) -> bytes:
        return figure_to_bytes(self, "png", dots_per_inch=_NOTEBOOK_DPI)


class NotebookAxes(Axes):
    """Axes that show their figure in a notebook."""

    def _repr_png_(self) -> bytes:
        figure = self.get_figure(root=True)
        return b"" if figure is None else figure_to_bytes(figure, "png", dots_per_inch=_NOTEBOOK_DPI)


def check_axes(ax: object) -> Axes:
    """Return axes on which all pictures can be drawn, or refuse what is none, or others."""
    if not isinstance(ax, Axes):
        wrong = "is not a matplotlib Axes; leave it out for a picture of its own"
    elif ax.get_figure() is None:
        wrong = "was removed from its figure; leave it out for a picture of its own"
    elif ax.name != "rectilinear":
        wrong = f"has the projection {ax.name!r}; give axes without one: 'rectilinear'"
    elif (ax.get_xscale(), ax.get_yscale()) != ("linear", "linear"):
        wrong = f"has the scales {ax.get_xscale()!r} and {ax.get_yscale()!r}; give axes with linear ones"
    else:
        return ax
    raise RocPredictError(f"ax={short_repr(ax)} {wrong}")


def check_several_axes(ax: object, count: int) -> list[Axes]:
    """Return as many axes as a picture has panels, or refuse another number of them."""
    axes = list(np.ravel(np.asarray(ax, dtype=object)))
    if len(axes) == count and all(isinstance(one_axes, Axes) for one_axes in axes):
        return axes
    number = {2: "two", 3: "three"}[count]
    raise RocPredictError(f"ax={short_repr(ax)} is not {number} matplotlib Axes; leave it out for a picture of its own")


def check_booleans(**switches: object) -> None:
    """Refuse what is neither True nor False."""
    for name, value in switches.items():
        check_option(name, value, (True, False))


def check_prevalence(prevalence: Any) -> float | None:
    """Return a prevalence as a float, or refuse what is not one number in [0, 1]; None stays None."""
    if prevalence is None:
        return None
    value = check_probabilities("prevalence", prevalence)
    if value.ndim:
        raise RocPredictError(f"prevalence={short_repr(prevalence)} has shape {value.shape}; give one number")
    return float(value)


def as_sequence(values: object) -> list[Any] | None:
    """Return what a list, a tuple or an array holds; None for what has no such order, and for text."""
    if isinstance(values, (str, bytes, dict, set, frozenset)) or not hasattr(values, "__len__"):
        return None
    try:
        return list(values)  # type: ignore[call-overload]
    except TypeError:  # an array without axes
        return None


def check_single_feature(roc: object, argument: str = "roc") -> Roc:
    """Refuse what is not the ROC of one feature."""
    if not isinstance(roc, Roc):
        makers = "rp.PredictedRoc, rp.predict_roc or rp.empirical_roc"
        raise RocPredictError(f"roc={short_repr(roc)} is not a ROC; give {makers}")
    if roc.shape:
        raise RocPredictError(f"{argument} is a batch of shape {roc.shape}; draw one feature at a time")
    return roc


def check_curves(rocs: Sequence[Roc], labels: Sequence[str] | None, **switches: object) -> list[str]:
    """Return the name of each ROC, numbered when there are several; refuse what is no ROC, and other switches."""
    for roc in rocs:
        check_single_feature(roc)
    check_booleans(**switches)
    names = resolve_labels(labels, ["empirical" if isinstance(roc, EmpiricalRoc) else "predicted" for roc in rocs])
    return names if len(names) == 1 else [f"{number}  {name}" for number, name in enumerate(names, 1)]


def plain_text_label(text: object, longest: int = _MAX_LABEL_LENGTH, tail: int = 0) -> str:
    """Return a name on one line that the font can draw; one too long for a picture is cut before its ``tail``."""
    line = replace_missing_glyphs(" ".join(str(text).split()))
    return line if len(line) <= longest else f"{line[: longest - tail - 1]}…{line[len(line) - tail :]}"


def resolve_labels(
    labels: Sequence[Any] | None,
    defaults: Sequence[str],
    noun: str = "ROC",
    longest: int = _MAX_LEGEND_LENGTH,
    argument: str = "labels",
) -> list[str]:
    """Return the labels, or without any the names that the drawn have of their own, each as a picture shows it."""
    if not defaults:
        raise RocPredictError(f"there is no {noun} to draw; give one or several")
    names = as_sequence(defaults if labels is None else labels)
    if names is None or len(names) != len(defaults):
        each = f"one name to each of {len(defaults)} {noun}s"
        raise RocPredictError(f"{argument}={short_repr(labels)} does not give {each}; give a list of names")
    return [plain_text_label(name, longest) for name in names]


def escape_mathtext(text: Text) -> Text:
    """Show a text as it is: a dollar sign is a dollar sign."""
    text.set_parse_math(False)
    return text


def line_style(index: int, width: float = 2.0) -> Look:
    """Return colour, dash and width of the curve at a place."""
    color, dash = CURVES[index % len(CURVES)]
    return {"color": color, "linestyle": dash, "linewidth": width, "zorder": 3}


def format_rule(threshold: float, direction: Direction) -> str:
    """Show a threshold as what it calls positive, such as "≥ 5.826"."""
    lower = direction == "lower"
    if threshold in {float("inf"), float("-inf")}:
        return "always positive" if (threshold > 0) == lower else "always negative"
    return f"{'≤' if lower else '≥'} {threshold:.4g}".replace("-", "−")


TAIL = 0.001
_MAX_DISTANCE = 8  # interquartile ranges beyond its quartiles that a class is drawn: heavy tails have no end
_MAX_BINS, _MAX_NARROW_BINS = 60, 200
_MIN_RANGE, _MAX_RANGE = 1e-286, 1e306  # of an axis: of a shorter one matplotlib draws another, a longer one overflows
_STEPS = 16  # of a float: the least room beside all values; a narrower axis matplotlib would widen by far more


def feature_axis_limits(roc: Roc, threshold: float) -> tuple[float, float]:
    """Return the ends of the x axis: both classes up to their tails, and the threshold unless it is far away."""
    limits = distribution_limits(roc.negative) + distribution_limits(roc.positive) or [0.0]  # 0: all rows infinite
    low, high = min(limits), max(limits)
    if low - (high - low) < threshold < high + (high - low):
        low, high = min(low, threshold), max(high, threshold)
    return pad_limits(low, high, 0.04)


def feature_axis_points(roc: Roc, span: tuple[float, float], extra: Sequence[Any]) -> FloatArray:
    """Return values where a smooth line is drawn: even steps, quantiles of both classes, and extra ones."""
    shares = np.linspace(TAIL, 1 - TAIL, 301)
    quantiles = [d.ppf(shares) for d in (roc.negative, roc.positive) if not isinstance(d, Ecdf)]
    return within(np.unique(np.concatenate([np.linspace(*span, 601), *quantiles, *extra])), span)


def within(values: FloatArray, span: tuple[float, float]) -> FloatArray:
    """Return the values that lie in a span, ends included."""
    return values[(values >= span[0]) & (values <= span[1])]


def pad_limits(low: float, high: float, fraction: float) -> tuple[float, float]:
    """Return the ends of an axis with room beside all values, or refuse values that no axis can hold."""
    low, high = float(low), float(high)  # those of NumPy warn where these overflow
    pad = fraction * (high - low) or 0.1 * abs(low) or 1.0
    if pad < np.inf:
        pad = max(pad, _STEPS * float(np.spacing(max(abs(low), abs(high)))))
    if not _MIN_RANGE < high - low + 2 * pad < _MAX_RANGE:
        raise range_error(low, high, "far apart" if high - low > 1 else "close to each other")
    return low - pad, high + pad


def range_error(low: float, high: float, problem: str) -> RocPredictError:
    """Return the error for values that no axis can hold."""
    limits = f"from {low:.4g} to {high:.4g}"
    return RocPredictError(
        f"values too {problem} to be drawn, {limits}; change their unit: multiply them by a constant"
    )


def distribution_limits(distribution: Distribution) -> list[float]:
    """Return the ends of one class as it is drawn; none where all of its rows are infinite."""
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
    """Return bins for the samples of both classes, one edge at the threshold."""
    samples = [d for d in (roc.negative, roc.positive) if isinstance(d, Ecdf)]
    limits = [limit for d in samples for limit in distribution_limits(d)]
    if not limits:
        return np.array([0.0, 1.0])
    low, high = min(limits), max(limits)
    step = float(np.spacing(max(abs(low), abs(high))))
    width = max(_width(samples, high - low) or 1.0, 4 * step)  # each edge is a number of its own
    start = threshold if low <= threshold <= high else low
    edges = start + width * np.arange(np.floor((low - start) / width), np.floor((high - start) / width) + 2)
    edges[0] = min(low, edges[1])  # no bar reaches below the lowest value
    return np.unique(edges)


def _width(samples: list[Ecdf], reach: float) -> float:
    """Return the width of the bins: by the number of rows, or by the bulk of the narrower class where that is less."""
    even_width = reach / np.clip(np.ceil(2 * max(len(d.unique_values) for d in samples) ** (1 / 3)), 5, _MAX_BINS)
    bulk = [2 * float(d.isf(0.25) - d.ppf(0.25)) / np.cbrt(d.total) for d in samples]
    bulk_widths = [width for width in bulk if np.isfinite(width) and width > 0]
    return float(np.clip(min(bulk_widths, default=even_width), reach / _MAX_NARROW_BINS, even_width))


#: By kind of file, the metadata that differ by the day or by matplotlib's version.
_FIXED_METADATA: dict[str, Look] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


def save_figure(figure: Figure, path: str | PathLike[str]) -> Path:
    """Write a figure into a file, the same bytes each time.

    Parameters
    ----------
    figure : matplotlib Figure
    path : path
        The kind of file is that of its name: .png, .svg or .pdf.

    Returns
    -------
    Path

    Raises
    ------
    RocPredictError
        Another kind, or a place that cannot be written to.
    """
    return write_atomic(path, figure_to_bytes(figure, Path(path).suffix.removeprefix(".").lower()))


def figure_to_bytes(figure: Figure, kind: str, *, dots_per_inch: float = _SAVED_DPI) -> bytes:
    """Return a figure as the bytes of a "png", "svg" or "pdf" file."""
    if kind not in _FIXED_METADATA:
        raise RocPredictError(f"a picture cannot be written as {kind!r}; name the file .png, .svg or .pdf")
    file = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": "rocpredict", "svg.fonttype": "none"}):
        figure.savefig(file, format=kind, dpi=dots_per_inch, metadata=_FIXED_METADATA[kind])
    return file.getvalue()
