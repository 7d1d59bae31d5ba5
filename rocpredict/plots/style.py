"""What all pictures share: colours, dashes and hatches, a figure of their own, and text shown literally.

Colours are those of Okabe and Ito (2008), safe for the colour-blind; each comes with a dash or a hatch,
so that a picture can be read in grey. Text is darker than the line it names: its contrast on white is
4.5 or more.
"""

import io
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.text import Text

from rocpredict.arguments import as_fractions, one_of, shown
from rocpredict.empirical import EmpiricalRoc
from rocpredict.errors import RocPredictError
from rocpredict.plots.glyphs import drawable
from rocpredict.roc import Roc

INK, QUIET = "#222222", "#595959"
SMALL = 9.0
"""Size of text inside a picture, in points."""
WIDE, SQUARE = (6.4, 4.0), (5.0, 5.0)
"""Sizes of a picture, in inches."""
BACKING: dict[str, Any] = {"boxstyle": "round,pad=0.2", "facecolor": "white", "edgecolor": "none", "alpha": 0.88}
"""The box behind a text."""
QUIET_LINE: dict[str, Any] = {"color": QUIET, "linewidth": 1, "zorder": 1}
"""A line that others are seen against."""
Entry: TypeAlias = tuple[Any, str]
"""What is drawn, and its name in the legend."""
_LONGEST = 48
_IN_LEGEND = 28
"""Most characters of a curve's name, which stands beside its AUC in a legend inside the axes."""
_DOTS_PER_INCH = 110


class ClassStyle(NamedTuple):
    """Say how one class is drawn."""

    name: str
    colour: str
    text: str
    dash: Any
    hatch: str


NEGATIVE = ClassStyle("negative", "#0072B2", "#00558A", "-", "\\\\")
POSITIVE = ClassStyle("positive", "#D55E00", "#9C4500", (0, (6, 2)), "//")

CURVES: tuple[tuple[str, Any], ...] = (
    ("#000000", "-"),
    ("#009E73", (0, (5, 1.5))),
    ("#AA4E85", (0, (1.5, 1.2))),
    ("#0072B2", (0, (7, 1.5, 1.5, 1.5))),
    ("#D55E00", (0, (4, 1.2, 1, 1.2, 1, 1.2))),
    ("#7A6000", (0, (10, 3))),
)
"""Colour and dash of each further ROC curve; both begin anew after the last."""


class Picture(Figure):
    """Hold a figure that shows itself in a notebook, without pyplot."""

    def __init__(self, size: tuple[float, float] = SQUARE, **options: Any) -> None:
        super().__init__(figsize=size, **({"layout": "constrained"} | options))

    def _repr_png_(self) -> bytes:
        return _png(self)


class PictureAxes(Axes):
    """Hold axes that show their figure in a notebook."""

    def _repr_png_(self) -> bytes:
        return _png(self.get_figure(root=True))


def axes_or_new(ax: object, size: tuple[float, float]) -> Axes:
    """Return the given axes, or without any make some on a picture of their own."""
    return Picture(size).add_subplot(axes_class=PictureAxes) if ax is None else as_axes(ax)


def as_axes(ax: object) -> Axes:
    """Return axes on which all pictures can be drawn, or refuse what is none, or others."""
    if not isinstance(ax, Axes):
        raise RocPredictError(f"ax={shown(ax)} is not a matplotlib Axes; leave it out for a picture of its own")
    if ax.get_figure() is None:
        raise RocPredictError(f"ax={shown(ax)} was removed from its figure; leave it out for a picture of its own")
    if ax.name != "rectilinear":
        raise RocPredictError(f"ax={shown(ax)} has the projection {ax.name!r}; give axes without one: 'rectilinear'")
    if (ax.get_xscale(), ax.get_yscale()) != ("linear", "linear"):
        raise RocPredictError(
            f"ax={shown(ax)} has the scales {ax.get_xscale()!r} and {ax.get_yscale()!r}; give axes with linear ones"
        )
    return ax


def as_switches(**switches: object) -> None:
    """Refuse what is neither True nor False."""
    for name, value in switches.items():
        one_of(name, value, (True, False))


def as_share(prevalence: Any) -> float | None:
    """Return a prevalence as a float, or refuse what is not one number in [0, 1]; None stays None."""
    if prevalence is None:
        return None
    share = as_fractions("prevalence", prevalence)
    if share.ndim:
        raise RocPredictError(f"prevalence={shown(prevalence)} has shape {share.shape}; give one number")
    return float(share)


def in_order(values: object) -> list[Any] | None:
    """Return what a list, a tuple or an array holds; None for what has no such order, and for text."""
    if isinstance(values, (str, bytes, dict, set, frozenset)) or not hasattr(values, "__len__"):
        return None
    try:
        return list(values)  # type: ignore[call-overload, no-any-return]
    except TypeError:  # an array without axes
        return None


def one_feature(roc: object) -> Roc:
    """Refuse what is not the ROC of one feature."""
    if not isinstance(roc, Roc):
        raise RocPredictError(
            f"roc={shown(roc)} is not a ROC; give rp.PredictedRoc, rp.predict_roc or rp.empirical_roc"
        )
    if roc.shape:
        raise RocPredictError(f"roc is a batch of shape {roc.shape}; draw one feature at a time")
    return roc


def literal(text: object, longest: int = _LONGEST) -> str:
    """Give a name on one line that the font can draw, cut where it is too long for a picture."""
    line = drawable(" ".join(str(text).split()))
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def names_among(
    labels: Sequence[Any] | None,
    own: Sequence[str],
    what: str = "ROC",
    longest: int = _IN_LEGEND,
    argument: str = "labels",
) -> list[str]:
    """Give the labels, or without any the names that the drawn have of their own, each as a picture shows it."""
    if not own:
        raise RocPredictError(f"there is no {what} to draw; give one or several")
    names = in_order(own if labels is None else labels)
    if names is None or len(names) != len(own):
        raise RocPredictError(
            f"{argument}={shown(labels)} does not give one name to each of {len(own)} {what}s; give a list of names"
        )
    return [literal(name, longest) for name in names]


def as_plain(text: Text) -> Text:
    """Show a text as it is: a dollar sign is a dollar sign."""
    text.set_parse_math(False)
    return text


def name_x(ax: Axes, feature: str, unit: str | None) -> None:
    """Name the x axis after a feature and its unit."""
    name = literal(feature) if unit is None else f"{literal(feature)} [{literal(unit, 16)}]"
    as_plain(ax.set_xlabel(name))


def line_style(index: int, roc: Roc) -> dict[str, Any]:
    """Give colour, dash and width of the curve at a place; a counted one is thinner."""
    colour, dash = CURVES[index % len(CURVES)]
    width = 1.3 if isinstance(roc, EmpiricalRoc) else 2.0
    return {"color": colour, "linestyle": dash, "linewidth": width, "zorder": 3}


def draw_chance(ax: Axes) -> Entry:
    """Draw the line on which a guess lies."""
    return ax.plot([0, 1], [0, 1], linestyle=":", **QUIET_LINE)[0], "chance"


def free_corner(aucs: Sequence[float]) -> str:
    """Name the corner that ROC curves of these areas leave free."""
    return "lower right" if np.mean(aucs) >= 0.5 else "upper left"


def add_legend(ax: Axes, entries: Sequence[Entry], **options: Any) -> Legend:
    """Draw a legend whose words are shown as they are, also those that begin with an underscore."""
    handles = [handle for handle, _ in entries]
    legend = ax.legend(
        handles, [" "] * len(handles), fontsize=SMALL, handlelength=3.2, **({"framealpha": 0.9} | options)
    )
    for text, (_, label) in zip(legend.get_texts(), entries, strict=True):
        as_plain(text).set_text(label)
    return legend


def rate(value: float) -> str:
    """Show a rate with three decimals, never rounded to a false 0 or 1."""
    if 0 < value < 0.0005:
        return "<0.001"
    return ">0.999" if 0.9995 <= value < 1 else f"{value:.3f}"


def rule(threshold: float, direction: str | None) -> str:
    """Show a threshold as what it calls positive, such as "≥ 5.826"."""
    lower = direction == "lower"
    if threshold in {float("inf"), float("-inf")}:
        return "always positive" if (threshold > 0) == lower else "always negative"
    return f"{'≤' if lower else '≥'} {threshold:.4g}".replace("-", "−")


def _png(figure: Figure | None) -> bytes:
    file = io.BytesIO()
    if figure is not None:
        figure.savefig(file, format="png", dpi=_DOTS_PER_INCH, metadata={"Software": None})
    return file.getvalue()
