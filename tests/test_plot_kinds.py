"""One door to every picture of a ROC; any name can be shown in each; nothing global changes."""

import subprocess
import sys
from unicodedata import category
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure

import rocpredict as rp
from rocpredict import plots
from rocpredict.base.accessors import PLOT_KINDS
from rocpredict.plots.style import figure_to_bytes, replace_missing_glyphs

HOSTILE = {
    "script": "<script>alert(1)</script>",
    "mathtext": r"$x^2$ $\frac{1}{",
    "long": "x" * 200,
    "right to left": "\u200fשלם ערך \u202eabc",
    "arabic": "مرحبا",
    "emoji": "🧪 \N{WHITE HEAVY CHECK MARK}👨\u200d👩\u200d👧",
    "newline": "a\nb\r\n\tc",
    "control": "a\x00b\x1b[31m\x7f",
    "surrogate": "\ud800",
    "ideographs": "血糖",
    "nothing": "",
}


@pytest.fixture(scope="module")
def few():
    return rp.EmpiricalRoc([1, 2, 3], [2, 3, 4])


def seen(ax):
    legend = [] if ax.get_legend() is None else ax.get_legend().get_texts()
    return [ax.xaxis.label, *ax.texts, *legend]


@pytest.mark.parametrize("kind", PLOT_KINDS)
def test_each_kind_is_its_function(few, kind):
    """The same texts and the same lines, on the axes that are given."""
    name, told = PLOT_KINDS[kind]
    ax, own = Figure().add_subplot(), getattr(plots, name)(few, **told)
    assert few.plot(kind, ax=ax) is ax
    assert [text.get_text() for text in seen(ax)] == [text.get_text() for text in seen(own)]
    for line, same in zip(ax.lines, own.lines, strict=True):
        np.testing.assert_array_equal(line.get_xydata(), same.get_xydata())


def test_the_curve_is_the_default_and_other_kinds_are_refused(few):
    assert [text.get_text() for text in seen(few.plot())] == [t.get_text() for t in seen(few.plot("roc"))]
    with pytest.raises(rp.RocPredictError, match="kind='pie' is not allowed; choose one of 'roc', 'densities'"):
        few.plot("pie")
    with pytest.raises(rp.RocPredictError, match="kind=<Axes: > is not allowed"):
        few.plot(Figure().add_subplot())
    batch = rp.PredictedRoc.from_stats(effect_size=[1, 2], count=(9, 9))
    for kind in PLOT_KINDS:
        with pytest.raises(rp.RocPredictError, match="one feature at a time"):
            batch.plot(kind)


def checked(ax, named):
    """Words as they stand on one line, no formula, in a well-formed file."""
    ax.figure.set_layout_engine("none")
    assert not any(text.get_parse_math() for text in named)
    assert all(len(text.get_text()) < 90 and "\n" not in text.get_text() for text in named)
    assert not any(category(c) in {"Cc", "Cs"} or c in "\u202e\u200f" for text in named for c in text.get_text())
    legend = ax.get_legend()
    if legend is not None and ax.figure.get_figwidth() == ax.figure.get_figheight():  # the legend is inside
        ax.figure.draw_without_rendering()
        assert legend.get_window_extent().width < ax.get_window_extent().width
    ElementTree.fromstring(figure_to_bytes(ax.figure, "svg"))
    figure_to_bytes(ax.figure, "png", dots_per_inch=40)


@pytest.mark.parametrize(
    ("draw", "options"),
    [
        (plots.plot_roc, {"best": False}),
        (plots.plot_probit, {"best": False}),
        (plots.plot_cost, {}),
        (plots.plot_precision_recall, {}),
        (plots.plot_decision, {}),
    ],
)
def test_curves_have_any_name(few, draw, options):
    """All hostile names in one legend: no warning, no exception, no formula, nothing that turns the line around."""
    ax = draw(*[few] * len(HOSTILE), labels=list(HOSTILE.values()), **options)
    checked(ax, ax.get_legend().get_texts())


@pytest.mark.parametrize("name", HOSTILE)
def test_features_and_bands_have_any_name(few, name):
    """The same for the x axis of measures, and for all hostile names in one on the other pictures."""
    text = HOSTILE[name]
    ax = plots.plot_measures(few, measures=["tpr"], best=False, feature=text, unit=text)
    checked(ax, [ax.xaxis.label])


def test_all_hostile_names_in_one(few):
    text = " ".join(reversed(HOSTILE.values()))
    for kind in ("densities", "stability"):
        ax = few.plot(kind, feature=text, unit=text[::-1])
        checked(ax, [ax.xaxis.label])
    ax = few.plot("band", label=text)
    checked(ax, ax.get_legend().get_texts())


def test_a_square_stands_for_what_the_font_lacks():
    """Also where another font is set, and only there: what one of the fonts has is drawn."""
    assert replace_missing_glyphs("blood 血 µg ≥ ש") == "\u200eblood □ µg ≥ ש\u200e"
    assert replace_missing_glyphs("a\x00b\ud800\uffff") == "a□b□□"
    assert replace_missing_glyphs("\u202eabc\u2067") == "abc"
    assert replace_missing_glyphs("e\u0301") == "e\u0301"
    assert replace_missing_glyphs("שלם") == "\u200eשלם\u200e"
    with mpl.rc_context({"font.family": ["STIXGeneral"]}):
        assert replace_missing_glyphs("\N{SNOWMAN} a") == "□ a"
    with mpl.rc_context({"font.family": ["STIXGeneral", "DejaVu Sans"]}):
        assert replace_missing_glyphs("\N{SNOWMAN} a") == "\N{SNOWMAN} a"


def test_nothing_global_changes(few):
    before = dict(mpl.rcParams)
    for kind in PLOT_KINDS:
        few.plot(kind, ax=Figure().add_subplot()).figure.draw_without_rendering()
    assert dict(mpl.rcParams) == before


def test_pyplot_stays_out():
    """Where matplotlib is loaded by nobody else, and without a warning."""
    code = (
        "import sys, warnings; warnings.simplefilter('error')\n"
        "import rocpredict as rp, rocpredict.base.accessors as accessors; assert 'matplotlib' not in sys.modules\n"
        "roc = rp.EmpiricalRoc([1, 2, 3], [2, 3, 4])\n"
        "drawn = [roc.plot(kind) for kind in accessors.PLOT_KINDS]\n"
        "rp.compare(roc, roc).plot()\n"
        "assert 'matplotlib' in sys.modules and 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_pictures_can_be_written_as_lines(few):
    """No image inside a vector file: it stays sharp at any size."""
    for kind in ("probit", "measures", "cost", "stability"):
        assert b"<image" not in figure_to_bytes(few.plot(kind).figure, "svg")
    assert b"<image" not in figure_to_bytes(plots.plot_roc(few, band=True).figure, "svg")
