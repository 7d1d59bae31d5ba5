"""All plots of a ROC curve: any name, degenerate classes and given axes; values that cannot be plotted are refused."""

import subprocess
import sys
from unicodedata import category
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure
from mpl_toolkits.mplot3d import Axes3D
from scipy import stats

import rocpredict as rp
from rocpredict import plots
from rocpredict.base.rates import ALIASES, MEASURES
from rocpredict.base.results import PLOT_KINDS
from rocpredict.plots import plot_cost, plot_densities, plot_measures, plot_roc, plot_screening, plot_stability
from rocpredict.plots.curves import plot_diagnosis
from rocpredict.plots.style import figure_to_bytes, replace_missing_glyphs
from tests.cases import check_each, refuses
from tests.pictures import artist, legend, words

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
CURVES = ("roc", "probit", "cost", "precision_recall", "decision")
FEW = rp.EmpiricalRoc([1, 2, 3], [2, 3, 4])
GAUSSIAN = rp.PredictedRoc(rp.Gaussian(1, 1), rp.Gaussian(3, 1))
BARE = rp.PredictedRoc(rp.Gaussian(4, 3), rp.Gaussian(8, 2))
COUNTED = rp.PredictedRoc.from_stats(mean=(4, 8), std=(3, 2), count=(60, 40))
BATCH = rp.PredictedRoc.from_stats(effect_size=[1, 2], count=(9, 9))
Q = (np.arange(40) + 0.5) / 40
X = np.concatenate([np.log(Q / (1 - Q)), 1 + np.log(Q / (1 - Q))])
Y = np.repeat([0, 1], 40)


def texts(ax):
    return [ax.get_xlabel(), *words(ax)]


# ---- one door
def test_each_kind_is_its_function():
    """The same texts and the same lines, on the axes that are given, with and without a legend; nothing global."""

    def check(kind):
        name, options = PLOT_KINDS[kind]
        before, ax, own = dict(mpl.rcParams), Figure().add_subplot(), getattr(plots, name)(FEW, **options)
        assert FEW.plot(kind, ax=ax) is ax
        assert ax.figure.axes == [ax]
        assert texts(ax) == texts(own)
        for line, same in zip(ax.lines, own.lines, strict=True):
            np.testing.assert_array_equal(line.get_xydata(), same.get_xydata())
        assert FEW.plot(kind, legend=False).get_legend() is None
        assert dict(mpl.rcParams) == before

    check_each({kind: kind for kind in PLOT_KINDS}, check)
    ax = FEW.plot()
    for shown in (ax, ax.figure):
        assert shown._repr_png_().startswith(b"\x89PNG")


def test_the_curve_is_the_default_and_other_kinds_are_refused():
    assert texts(FEW.plot()) == texts(FEW.plot("roc"))
    refuses("kind='pie' is not allowed; choose one of 'roc', 'densities'", FEW.plot, "pie")
    refuses("kind=<Axes: > is not allowed", lambda: FEW.plot(Figure().add_subplot()))


def test_curves_may_have_names():
    for kind in CURVES:
        for labels in (["a"], ("a",), np.array(["a"])):
            assert legend(FEW.plot(kind, labels=labels))[0].startswith("a")
    assert legend(plots.plot_probit(FEW, FEW, labels=["a", "b"], best=False, chance=False)) == [
        "1  a, AUC 0.778",
        "2  b, AUC 0.778",
    ]
    assert words(plot_cost(COUNTED, FEW, labels=["a", "b"]))[:2] == ["1  a", "2  b"]


def test_pyplot_stays_out():
    """In all pictures, where matplotlib is loaded by nobody else, and without a warning."""
    code = (
        "import sys, warnings; warnings.simplefilter('error')\n"
        "import rocpredict as rp, rocpredict.base.results as results\n"
        "table = rp.screen([[1], [2], [3], [2.5]], [0, 1] * 2, engine='numpy')\n"
        "assert 'matplotlib' not in sys.modules\n"
        "roc = rp.EmpiricalRoc([1, 2, 3], [2, 3, 4])\n"
        "drawn = [roc.plot(kind) for kind in results.PLOT_KINDS]\n"
        "rp.compare(rp.PredictedRoc(rp.Gaussian(1, 1), rp.Gaussian(3, 1)), roc).plot(), table.plot()\n"
        "assert 'matplotlib' in sys.modules and 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_pictures_are_lines_and_always_the_same():
    """No image inside a vector file: it stays sharp at any size; twice the same picture is the same bytes."""
    for kind in ("probit", "measures", "cost", "stability", "band", "precision_recall", "decision"):
        picture = figure_to_bytes(FEW.plot(kind).figure, "svg")
        assert b"<image" not in picture
        if kind in {"band", "precision_recall", "decision"}:
            assert picture == figure_to_bytes(FEW.plot(kind).figure, "svg"), kind
    assert b"<image" not in figure_to_bytes(plots.plot_roc(FEW, band=True).figure, "svg")


# ---- any name
def check_names(ax, named):
    """Words as they stand on one line, no formula, in a well-formed file."""
    ax.figure.set_layout_engine("none")
    assert not any(text.get_parse_math() for text in named)
    assert all(len(text.get_text()) < 90 and "\n" not in text.get_text() for text in named)
    assert not any(category(c) in {"Cc", "Cs"} or c in "\u202e\u200f" for text in named for c in text.get_text())
    box = ax.get_legend()
    if box is not None and ax.figure.get_figwidth() == ax.figure.get_figheight():  # the legend is inside
        ax.figure.draw_without_rendering()
        assert box.get_window_extent().width < ax.get_window_extent().width
    ElementTree.fromstring(figure_to_bytes(ax.figure, "svg"))
    figure_to_bytes(ax.figure, "png", dots_per_inch=40)


@pytest.mark.parametrize("kind", CURVES)
def test_curves_have_any_name(kind):
    options = {"best": False} if kind in {"roc", "probit"} else {}
    draw = getattr(plots, PLOT_KINDS[kind][0])
    ax = draw(*[FEW] * len(HOSTILE), labels=list(HOSTILE.values()), **options)
    check_names(ax, ax.get_legend().get_texts())


def test_features_and_bands_have_any_name():
    for name in HOSTILE.values():
        ax = plot_measures(FEW, measures=["tpr"], best=False, feature=name, unit=name)
        check_names(ax, [ax.xaxis.label])
    name = " ".join(reversed(HOSTILE.values()))
    for kind in ("densities", "stability"):
        ax = FEW.plot(kind, feature=name, unit=name[::-1])
        check_names(ax, [ax.xaxis.label])
    ax = FEW.plot("band", label=name)
    check_names(ax, ax.get_legend().get_texts())


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


# ---- degenerate classes
GAUSSIANS = {
    "identical": ((0, 1), (0, 1)),
    "always negative": ((0, 1), (-1, 1)),
    "point mass": ((0, 0), (1, 1)),
    "two point masses": ((0, 0), (1, 0)),
    "one point": ((1, 0), (1, 0)),
    "far apart": ((0, 1), (100, 1)),
    "wide": ((0, 1e200), (1e200, 1e200)),
}
ROWS = {
    "one row each": ([1], [1]),
    "constant": ([1, 1], [1, 1]),
    "separated": ([1, 2], [3, 4]),
    "reversed": ([3, 4], [1, 2]),
    "infinite rows": ([-np.inf, 1, 2], [2, np.inf]),
    "only infinite rows": ([-np.inf], [np.inf]),
    "an outlier": ([1, 2, 1e300], [2, 3, 4]),
    "one class of infinite rows": ([1, 2], [np.inf]),
}
DEGENERATE = {
    **{name: rp.PredictedRoc(rp.Gaussian(*n), rp.Gaussian(*p)) for name, (n, p) in GAUSSIANS.items()},
    **{name: rp.EmpiricalRoc(*classes) for name, classes in ROWS.items()},
    "discrete": rp.PredictedRoc(stats.binom(9, 0.2), stats.binom(9, 0.6)),
    "heavy tails": rp.PredictedRoc(stats.cauchy(0), stats.cauchy(3)),
    "unbounded density": rp.PredictedRoc(stats.beta(0.5, 0.5), stats.gamma(0.5)),
    "mixed": rp.PredictedRoc(rp.Gaussian(0, 1), rp.Ecdf([1, 2, 3])),
}
OF_DISTRIBUTIONS = ("roc", "densities", "probit", "measures", "cost")
"""Pictures that need neither counts nor a prevalence."""


@pytest.mark.parametrize("kind", PLOT_KINDS)
def test_degenerate_rocs_are_drawn(kind):
    def check(roc):
        if isinstance(roc, rp.PredictedRoc) and kind not in OF_DISTRIBUTIONS:
            return
        ax = roc.plot(kind, **options)
        ax.figure.draw_without_rendering()
        assert np.isfinite([ax.get_xlim(), ax.get_ylim()]).all()

    options = {"n_resamples": 50} if kind == "stability" else {}
    check_each(DEGENERATE, check)
    if kind == "measures":
        options = {"prevalence": 0}
        check_each({name: DEGENERATE[name] for name in ("identical", "discrete", "infinite rows", "separated")}, check)


# ---- what no axis holds
@pytest.mark.parametrize(("scale", "how"), [(1e-320, "close to each other"), (2e307, "far apart")])
def test_values_that_no_axis_holds_are_refused(scale, how):
    """By all pictures whose axis is that of the feature, alike and without a warning."""
    gaussian = rp.PredictedRoc.from_stats(mean=(0, 5 * scale), std=(5 * scale, 5 * scale), count=(9, 9))
    for roc in (rp.empirical_roc(X * scale, Y), gaussian):
        for draw in (plot_densities, plot_measures, lambda roc: plot_stability(roc, n_resamples=20)):
            if roc is not gaussian or draw in (plot_densities, plot_measures):
                refuses(f"^the values are too {how} to plot .from -.* to .*.; multiply", draw, roc)


@pytest.mark.parametrize("scale", [2e307, 1e-320])
def test_a_diagnosis_at_the_ends_of_floats_warns_of_nothing(scale):
    """Its numbers without a unit are those of the values themselves; its picture is refused."""
    extreme, usual = rp.diagnose(scale * X, Y, n_resamples=20), rp.diagnose(X, Y, n_resamples=20)
    near = 0.01 if scale < 1 else 1e-9  # so few digits have numbers of 1e-320
    for one, other in zip((extreme.negative, extreme.positive), (usual.negative, usual.positive), strict=True):
        assert (one.skewness, one.kurtosis) == pytest.approx((other.skewness, other.kurtosis), abs=near)
        assert one.outliers == other.outliers
    assert extreme.empirical_auc == usual.empirical_auc
    refuses("values are too", plot_diagnosis, extreme)


# ---- refusals
def assert_refused(*calls):
    """Each call, of a function with a first argument and options, is refused in its words."""

    def check(case):
        draw, first, options, match = case
        refuses(match, draw, first, **options)

    check_each({f"{place}: {call[2:]}": call for place, call in enumerate(calls)}, check)


def test_other_axes_are_refused():
    figure = Figure()
    removed, logarithmic = figure.add_subplot(1, 2, 1), figure.add_subplot(1, 2, 2)
    removed.remove()
    logarithmic.set_yscale("log")
    axes = [
        (Axes3D(Figure()), "has the projection '3d'"),
        (Figure().add_subplot(projection="polar"), "has the projection 'polar'"),
        (removed, "was removed from its figure"),
        (logarithmic, "has the scales 'linear' and 'log'; pass axes with linear scales"),
        (figure, "is not a matplotlib Axes"),
    ]
    assert_refused(*((plot_roc, FEW, {"ax": ax}, f"^ax=<.*{why}") for ax, why in axes))
    inset = Figure().add_subplot().inset_axes((0, 0, 0.5, 0.5))
    assert plot_roc(FEW, ax=inset) is inset


def test_what_is_no_roc_is_refused():
    for name, _ in PLOT_KINDS.values():
        draw = getattr(plots, name)
        assert_refused(
            (draw, "roc", {}, "is (not a ROC curve|neither a ROC curve nor a best threshold)"),
            (draw, BATCH, {}, r"batch of shape \(2,\); plot one feature at a time"),
            (draw, FEW, {"ax": "ax"}, "is not a matplotlib Axes"),
        )
    for kind in CURVES:
        refuses("no ROC curve was passed", getattr(plots, PLOT_KINDS[kind][0]))
        for labels in (3, (name for name in "a"), {"a"}, "a", np.array("a"), [], ["a", "b"]):
            with pytest.raises(
                rp.RocPredictError, match=r"^labels=.* is not a list of 1 name; pass one name for each ROC curve"
            ):
                FEW.plot(kind, labels=labels)


def test_a_list_of_curves_is_refused_with_the_right_call():
    for kind in CURVES:
        name = PLOT_KINDS[kind][0]
        refuses(rf"pass the curves one by one: {name}\(a, b\)", getattr(plots, name), [FEW, FEW])
    with pytest.raises(rp.RocPredictError, match=r"pass the curves one by one: plot_mean_roc\(a, b\)"):
        plots.plot_mean_roc([rp.mean_roc([(X, Y), (-X, Y)])])


SWITCHES = {
    "roc": ("best", "chance", "legend", "band"),
    "densities": ("legend",),
    "probit": ("best", "chance", "legend"),
    "measures": ("best", "legend"),
    "cost": ("best", "legend"),
    "band": ("chance", "legend"),
    "precision_recall": ("chance", "legend"),
    "decision": ("legend",),
    "stability": ("legend",),
}


def test_a_switch_is_true_or_false():
    for kind, names in SWITCHES.items():
        for name in names:
            match = f"^{name}=.* is not allowed; choose one of True, False"
            assert_refused(*((FEW.plot, kind, {name: value}, match) for value in ("no", 2, None)))


def test_options_that_are_none_are_refused():
    table, folds = rp.screen(np.column_stack([X, -X]), Y), rp.mean_roc([(X, Y), (-X, Y)])
    pair = {"prevalence": [0.1, 0.2]}, r"prevalence=\[0.1, 0.2\] has shape \(2,\); pass one number"
    with_prevalence = ("densities", "measures", "cost", "precision_recall")
    assert_refused(
        (FEW.plot, "roc", {"foo": 1}, "foo= is not an option of plot_roc; its options are ax, labels, best, chance"),
        (FEW.plot, "stability", {"best": None}, "best= is not an option of plot_stability; its options are criterion"),
        (FEW.plot, "densities", {"roc": FEW}, "roc= is not an option"),
        (table.plot, "volcano", {"foo": 1}, "foo= is not an option of plot_screening; its options are kind, n_top"),
        (
            lambda comparison, **options: comparison.plot(**options),
            rp.compare(GAUSSIAN, FEW),
            {"foo": 1},
            "foo= is not an opt",
        ),
        *((FEW.plot, kind, *pair) for kind in with_prevalence),
        *((plot_roc, FEW, {"level": level}, "level") for level in (2, "a", np.nan)),
        (plots.plot_band, FEW, {"kind": "both"}, "kind='both' is not allowed"),
        (plot_densities, FEW, {"threshold": True}, "threshold=True is not a real number"),
        (plot_densities, FEW, {"threshold": np.nan}, "threshold"),
        (plot_densities, FEW, {"threshold": [1, 2]}, r"threshold=\[1.0, 2.0\] has shape"),
        (plot_densities, FEW, {"prevalence": 30}, "prevalence"),
        (plot_screening, table, {"legend": "no"}, "legend='no' is not allowed"),
        (lambda mean, **options: mean.plot(**options), folds, {"show_folds": "all"}, "show_folds='all' is not allowed"),
        *((FEW.plot, "probit", {"min_rate": low}, r"min_rate=.* \[1e-6, 0.2\]") for low in (0, 0.3, 1e-9)),
        (FEW.plot, "probit", {"min_rate": 5}, "min_rate=5 is outside"),
    )
    for kind in with_prevalence:
        FEW.plot(kind, prevalence=np.array(0.2))


def test_measures_without_a_bound_are_refused():
    bounded = [name for name in MEASURES if not name.endswith(("likelihood_ratio", "odds_ratio", "prevalence"))]
    ax = plot_measures(COUNTED, measures=[*bounded, "recall", "ppv"])
    low, high = ax.get_ylim()
    for name in [*bounded, "recall", "ppv"]:
        y = artist(ax, f"measure-{name}").get_ydata()
        assert low <= np.nanmin(y) <= np.nanmax(y) <= high
    assert "base_rate" in ALIASES
    assert len(plot_measures(FEW, measures=np.array(["tpr", "recall"]), best=False).lines) == 2
    refused = {
        "is unbounded": [["positive_likelihood_ratio"], ["diagnostic_odds_ratio"]],
        "choose one of 'tpr'": [["tpr", "beauty"], ["prevalence"], [3], [None], ["base_rate"], [[1]]],
        "^measures=.* is not a list of names": [3, (name for name in ["tpr"]), [], "tpr"],
    }
    for match, lists in refused.items():
        assert_refused(*((plot_measures, COUNTED, {"measures": wrong}, match) for wrong in lists))
    assert_refused((plot_measures, BARE, {"measures": ["precision"]}, "needs a prevalence"))


def test_costs_and_stability_that_are_none_are_refused():
    wrong = ({"cost_fp": -1}, {"cost_fn": np.nan}, {"prevalence": 20}, {"cost_fp": [1, 2]})
    counted_only = r"stability\(\) needs a threshold of an empirical curve"
    assert_refused(
        (plot_cost, COUNTED, {"cost_fn": 5}, "pass prevalence="),
        (plot_cost, COUNTED, {"prevalence": 0, "cost_fp": 0}, "make the cost of all errors 0; pass cost_fp= above 0"),
        *((plot_cost, COUNTED, {"prevalence": 0.5} | given, next(iter(given))) for given in wrong),
        (plot_stability, COUNTED, {}, counted_only),
        (plot_stability, 3, {}, "is neither a ROC curve nor a best threshold"),
        (plot_stability, FEW, {"n_resamples": 1.5}, r"n_resamples=1\.5 is not an integer"),
        (plot_stability, FEW.best_threshold(), {"criterion": "f1"}, "already has its criterion and prevalence"),
    )
