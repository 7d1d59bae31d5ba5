"""Pictures show the library's own numbers, change nothing global, and can be read without colour."""

import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import colors
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy import stats

import rocpredict as rp
from rocpredict import paper as figures
from rocpredict.base.formatting import format_rate
from rocpredict.plots import style
from rocpredict.plots.canvas import Box, place_labels
from rocpredict.plots.curves import plot_comparison, plot_roc, plot_side_by_side
from rocpredict.plots.densities import plot_densities
from rocpredict.plots.style import figure_to_bytes, save_figure

HOSTILE = ["$x$", r"$\frac{1}{", "<script>alert(1)</script>", "_hidden", "a\nb", "50 % & more", "x" * 500, ""]


@pytest.fixture
def predicted():
    return rp.PredictedRoc(negative=rp.Gaussian(4, 3), positive=rp.Gaussian(8, 2))


@pytest.fixture
def empirical():
    return rp.empirical_roc(*rp.datasets.simulate_two_gaussians(count=(60, 40), seed=1))


def new_ax() -> Axes:
    return Figure().add_subplot()


def drawn(ax: Axes, gid: str):
    """Give the one artist of this name."""
    (found,) = [artist for artist in ax.get_children() if artist.get_gid() == gid]
    return found


def words(ax: Axes) -> list[str]:
    legend = [] if ax.get_legend() is None else ax.get_legend().get_texts()
    return [text.get_text() for text in [*ax.texts, *legend]]


def contrast(color: str, ground: str = "white") -> float:
    """Give the contrast of WCAG 2."""
    lights = []
    for name in (color, ground):
        channels = np.array(colors.to_rgb(name))
        linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
        lights.append(linear @ [0.2126, 0.7152, 0.0722] + 0.05)
    return max(lights) / min(lights)


# ---- manners
def test_each_function_draws_on_the_axes_it_was_given(predicted, empirical):
    for draw in (
        lambda ax: plot_roc(predicted, empirical, ax=ax),
        lambda ax: plot_densities(predicted, ax=ax),
        lambda ax: plot_comparison(predicted, empirical, ax=ax),
        lambda ax: predicted.plot(ax=ax),
    ):
        ax = new_ax()
        assert draw(ax) is ax
        assert ax.figure.axes == [ax]


def test_a_picture_of_its_own_shows_itself_in_a_notebook(predicted):
    ax = predicted.plot()
    for shown in (ax, ax.figure):
        assert shown._repr_png_().startswith(b"\x89PNG")


def test_nothing_global_changes(predicted, empirical):
    before = dict(mpl.rcParams)
    plot_comparison(predicted, empirical)._repr_png_()
    figure_to_bytes(plot_densities(predicted).figure, "svg")
    assert dict(mpl.rcParams) == before


def test_pyplot_is_not_even_imported():
    code = (
        "import sys, rocpredict as rp; assert 'matplotlib' not in sys.modules\n"
        "rp.PredictedRoc(negative=rp.Gaussian(4, 3), positive=rp.Gaussian(8, 2)).plot()\n"
        "assert 'matplotlib' in sys.modules and 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# ---- numbers
def test_roc_lines_are_the_curves(predicted, empirical):
    ax = plot_roc(predicted, empirical)
    for index, roc in enumerate((predicted, empirical)):
        line, curve = drawn(ax, f"roc-{index}"), roc.curve()
        np.testing.assert_array_equal(line.get_xdata(), curve.fpr)
        np.testing.assert_array_equal(line.get_ydata(), curve.tpr)
        assert line.get_drawstyle() == "default"  # ties between the classes run diagonally


def test_best_points_are_circled_and_carry_their_threshold(predicted, empirical):
    ax = plot_roc(predicted, empirical)
    for index, roc in enumerate((predicted, empirical)):
        best, mark = roc.best_threshold(), drawn(ax, f"best-{index}")
        assert (mark.get_xdata()[0], mark.get_ydata()[0]) == (best.fpr, best.tpr)
        assert f"{index + 1}: ≥ {best.threshold:.4g}" in words(ax)


def test_legend_names_curves_and_areas(predicted, empirical):
    assert words(plot_roc(predicted, best=False)) == ["predicted, AUC 0.866", "chance"]
    legend = words(plot_roc(predicted, empirical, labels=["model", "data"], best=False, chance=False))
    assert legend == ["1  model, AUC 0.866", f"2  data, AUC {empirical.auc():.3f}"]
    assert plot_roc(predicted, legend=False).get_legend() is None


def test_an_area_is_never_rounded_to_a_false_certainty():
    for distance, text in ((0.5, "0.638"), (5, ">0.999"), (20, ">0.999")):
        ax = plot_roc(rp.PredictedRoc(negative=rp.Gaussian(0, 1), positive=rp.Gaussian(distance, 1)))
        assert f"predicted, AUC {text}" in words(ax)
    assert "empirical, AUC 1" in words(plot_roc(rp.EmpiricalRoc(negative=[1, 2], positive=[3])))
    assert [format_rate(r) for r in (0, 1e-9, 0.25, 0.9999, 1)] == ["0.000", "<0.001", "0.250", ">0.999", "1.000"]


def test_a_hook_shows_where_it_exists(predicted):
    assert "below chance" not in words(plot_roc(predicted))  # 1e-10 of area: nothing to see
    hooked = rp.PredictedRoc(negative=rp.Gaussian(0, 1), positive=rp.Gaussian(0.2, 3))
    ax = plot_roc(hooked)
    assert "below chance" in words(ax)
    across = drawn(ax, "hook").get_paths()[0].vertices[:, 0]
    hook = hooked.hook()
    assert across.min() == pytest.approx(hook.fpr_low, abs=2e-3)
    assert across.max() == pytest.approx(hook.fpr_high, abs=2e-3)


def test_the_largest_gap_is_that_of_the_comparison(predicted, empirical):
    found, gap = rp.compare(predicted, empirical), drawn(plot_comparison(predicted, empirical), "largest-gap")
    assert set(gap.get_xdata()) == {found.max_tpr_gap_fpr}
    assert np.ptp(gap.get_ydata()) == pytest.approx(abs(found.max_tpr_gap))
    assert predicted.tpr_at_fpr(found.max_tpr_gap_fpr) in gap.get_ydata()


def test_density_lines_are_the_densities(predicted):
    ax = plot_densities(predicted)
    for name in ("negative", "positive"):
        line = drawn(ax, name)
        np.testing.assert_allclose(line.get_ydata(), getattr(predicted, name).pdf(line.get_xdata()), rtol=1e-15)
    assert set(drawn(ax, "threshold").get_xdata()) == {predicted.best_threshold().threshold}


def area(filled) -> float:
    """Give the area of a filled polygon."""
    total = 0.0
    for path in filled.get_paths():
        x, y = path.vertices.T
        total += abs(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))) / 2
    return total


@pytest.mark.parametrize("direction", ["higher", "lower"])
@pytest.mark.parametrize("kind", ["predicted", "empirical"])
def test_the_four_areas_are_the_rates(request, kind, direction):
    roc = request.getfixturevalue(kind)
    pair = (roc.negative, roc.positive) if direction == "higher" else (roc.positive, roc.negative)
    roc = type(roc)(negative=pair[0], positive=pair[1], direction=direction)
    ax, best = plot_densities(roc), roc.best_threshold()
    cut = 0.004 if kind == "predicted" else 1e-9  # tails outside the picture
    for name in ("TP", "FP", "FN", "TN"):
        rate = getattr(best, f"{name.lower()}r")
        assert area(drawn(ax, name)) == pytest.approx(rate, abs=cut)
        assert f"{name} {rate:.3f}" in words(ax)


def test_prevalence_weights_densities_areas_and_crossings(predicted):
    best = predicted.best_threshold("accuracy", prevalence=0.3)
    ax = plot_densities(predicted, prevalence=0.3, threshold=best)
    line = drawn(ax, "positive")
    np.testing.assert_allclose(line.get_ydata(), 0.3 * predicted.positive.pdf(line.get_xdata()), rtol=1e-14)
    assert sum(area(drawn(ax, name)) for name in ("TP", "FP", "FN", "TN")) == pytest.approx(1, abs=0.004)
    assert f"FP {0.7 * best.fpr:.3f}" in words(ax)
    assert best.threshold in drawn(ax, "crossings").get_xdata()


def test_crossings_lie_on_both_lines():
    roc = rp.PredictedRoc(negative=rp.Gaussian(0, 1), positive=rp.Gaussian(1, 2))
    mark = drawn(plot_densities(roc), "crossings")
    np.testing.assert_array_equal(mark.get_xdata(), roc.crossings())
    np.testing.assert_allclose(mark.get_ydata(), roc.positive.pdf(roc.crossings()), rtol=2e-3)


# ---- reading without colour
def test_classes_and_curves_differ_in_more_than_colour(predicted):
    ax = plot_densities(predicted)
    assert drawn(ax, "negative").get_linestyle() != drawn(ax, "positive").get_linestyle()
    assert len({drawn(ax, name).get_hatch() for name in ("TP", "FP", "FN", "TN")}) == 4
    count = len(style.CURVES)
    ax = plot_roc(*[predicted] * count)
    patterns = {str(drawn(ax, f"roc-{index}")._unscaled_dash_pattern) for index in range(count)}
    assert len(patterns) == count
    assert len({color for color, _ in style.CURVES}) == count


def test_text_and_lines_stand_out():
    for color in (style.TEXT_COLOR, style.MUTED_COLOR, style.NEGATIVE.text, style.POSITIVE.text):
        assert contrast(color) >= 4.5
    for color in [color for color, _ in style.CURVES] + [style.NEGATIVE.color, style.POSITIVE.color]:
        assert contrast(color) >= 3


def test_labels_keep_off_each_other_and_inside():
    anchors = np.array([[0.2, 0.8], [0.21, 0.81], [0.22, 0.82], [0.99, 0.99], [0.0, 0.0]])
    sizes = [(0.15, 0.04)] * len(anchors)
    centres = place_labels(anchors, sizes, np.linspace(0, 1, 100)[:, None] * [1, 1], [])
    boxes = [Box(x - 0.075, y - 0.02, x + 0.075, y + 0.02) for x, y in centres]
    assert all(min(b.left, b.bottom) >= 0 and max(b.right, b.top) <= 1 for b in boxes)
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


# ---- hostile and degenerate input
@pytest.mark.parametrize("name", HOSTILE)
def test_any_name_is_shown_as_it_is(predicted, name):
    shown = style.plain_text_label(name)
    ax = plot_densities(predicted, feature=name, unit=name)
    assert ax.get_xlabel().startswith(shown)
    assert not ax.xaxis.label.get_parse_math()
    curves = plot_roc(predicted, predicted, labels=[name, name])
    assert f"1  {style.plain_text_label(name, 28)}, AUC 0.866" in words(curves)
    assert not any(text.get_parse_math() for text in curves.get_legend().get_texts())
    assert figure_to_bytes(ax.figure, "svg")
    assert figure_to_bytes(curves.figure, "png")
    if len(name) < 40 and name == shown:
        escaped = name.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        assert escaped.encode() in figure_to_bytes(curves.figure, "svg")


DEGENERATE = {
    "identical": rp.PredictedRoc(negative=rp.Gaussian(0, 1), positive=rp.Gaussian(0, 1)),
    "always negative": rp.PredictedRoc(negative=rp.Gaussian(0, 1), positive=rp.Gaussian(-1, 1)),
    "point mass": rp.PredictedRoc(negative=rp.Gaussian(0, 0), positive=rp.Gaussian(1, 1)),
    "two point masses": rp.PredictedRoc(negative=rp.Gaussian(0, 0), positive=rp.Gaussian(1, 0)),
    "one point": rp.PredictedRoc(negative=rp.Gaussian(1, 0), positive=rp.Gaussian(1, 0)),
    "discrete": rp.PredictedRoc(negative=stats.binom(9, 0.2), positive=stats.binom(9, 0.6)),
    "heavy tails": rp.PredictedRoc(negative=stats.cauchy(0), positive=stats.cauchy(3)),
    "unbounded density": rp.PredictedRoc(negative=stats.beta(0.5, 0.5), positive=stats.gamma(0.5)),
    "one row each": rp.EmpiricalRoc(negative=[1], positive=[1]),
    "infinite rows": rp.EmpiricalRoc(negative=[-np.inf, 1, 2], positive=[2, np.inf]),
    "only infinite rows": rp.EmpiricalRoc(negative=[-np.inf], positive=[np.inf]),
    "an outlier": rp.EmpiricalRoc(negative=[1, 2, 1e300], positive=[2, 3, 4]),
    "one class of infinite rows": rp.EmpiricalRoc(negative=[1, 2], positive=[np.inf]),
    "mixed": rp.PredictedRoc(negative=rp.Gaussian(0, 1), positive=rp.Ecdf([1, 2, 3])),
}


@pytest.mark.parametrize("name", DEGENERATE)
def test_degenerate_rocs_are_drawn(name):
    roc = DEGENERATE[name]
    for draw in (plot_roc, plot_densities):
        draw(roc).figure.draw_without_rendering()


def test_stems_are_probabilities():
    roc = DEGENERATE["discrete"]
    ax = plot_densities(roc)
    assert ax.get_ylabel() == "probability"
    for name, law in (("negative", stats.binom(9, 0.2)), ("positive", stats.binom(9, 0.6))):
        ends = np.array([segment[1] for segment in drawn(ax, name).get_segments()])
        np.testing.assert_allclose(ends[:, 1], law.pmf(ends[:, 0]), rtol=1e-12)
    assert plot_densities(DEGENERATE["point mass"]).get_ylabel() == "density"


@pytest.mark.parametrize("prevalence", [0, 1])
def test_a_class_that_never_occurs_has_no_area(predicted, prevalence):
    ax = plot_densities(predicted, prevalence=prevalence)
    assert sum(area(drawn(ax, name)) for name in ("TP", "FN")) == pytest.approx(prevalence, abs=0.003)


def test_a_threshold_at_infinity_has_no_line():
    ax = plot_densities(DEGENERATE["always negative"])
    assert "always negative" in words(ax)
    assert not [line for line in ax.lines if line.get_gid() == "threshold"]
    assert {text for text in words(ax) if text[:2] in {"TN", "FN", "TP", "FP"}} == {"TN 1.000", "FN 1.000"}
    assert "always positive" in words(plot_densities(DEGENERATE["identical"], threshold=-np.inf))
    assert "best: always negative" in words(plot_roc(DEGENERATE["always negative"]))


def test_what_cannot_be_drawn_is_refused(predicted, empirical):
    batch = rp.PredictedRoc(negative=rp.Gaussian([0, 1], 1), positive=rp.Gaussian(2, 1))
    for draw in (plot_roc, plot_densities, lambda roc: plot_comparison(roc, empirical)):
        with pytest.raises(rp.RocPredictError, match=r"batch of shape \(2,\)"):
            draw(batch)
        with pytest.raises(rp.RocPredictError, match="is not a ROC"):
            draw("roc")
    for labels in (["one", "two"], "p", []):
        with pytest.raises(rp.RocPredictError, match="labels"):
            plot_roc(predicted, labels=labels)
    with pytest.raises(rp.RocPredictError, match="no ROC to draw"):
        plot_roc()
    with pytest.raises(rp.RocPredictError, match="threshold"):
        plot_densities(predicted, threshold=np.nan)
    with pytest.raises(rp.RocPredictError, match="threshold has shape"):
        plot_densities(predicted, threshold=[1, 2])
    with pytest.raises(rp.RocPredictError, match="prevalence"):
        plot_densities(predicted, prevalence=30)


# ---- files
def test_side_by_side_has_densities_and_curve(predicted, empirical):
    left, right = plot_side_by_side(predicted, empirical, feature="mass", unit="kg").axes
    assert left.get_xlabel() == "mass [kg]"
    assert drawn(right, "largest-gap")
    assert "predicted, AUC 0.866" in words(plot_side_by_side(predicted).axes[1])


@pytest.mark.parametrize(("kind", "head"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_a_file_is_of_the_kind_that_its_name_says(predicted, tmp_path, kind, head):
    files = [save_figure(predicted.plot().figure, tmp_path / f"{name}.{kind}") for name in "ab"]
    assert files[0].read_bytes().startswith(head)
    assert files[0].read_bytes() == files[1].read_bytes()


@pytest.mark.parametrize("name", ["roc.exe", "roc", "roc.svg.bak"])
def test_a_file_of_another_kind_is_refused(predicted, tmp_path, name):
    with pytest.raises(rp.RocPredictError, match=r"name the file \.png, \.svg or \.pdf"):
        save_figure(predicted.plot().figure, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


# ---- the paper's figures
def test_figures_are_saved_the_same_each_time(tmp_path):
    first, second = (figures.save_figures(tmp_path / name) for name in ("first", "second"))
    assert [path.name for path in first] == [f"figure_{n}.{kind}" for n in range(1, 6) for kind in ("png", "svg")]
    for one, other in zip(first, second, strict=True):
        assert one.read_bytes() == other.read_bytes()
    assert b"dc:date" not in first[1].read_bytes()
    assert not any(mpl.__version__.encode() in path.read_bytes() for path in first)


def test_figure_2_takes_its_seeds():
    lines = [drawn(figures.figure_2(seed_balanced=seed).axes[0], "roc-1").get_xdata() for seed in (0, 1)]
    assert not np.array_equal(*lines)


def test_figure_4_marks_the_point_that_all_curves_share():
    (ax,) = figures.figure_4().axes
    mark = drawn(ax, "meeting")
    assert mark.get_xdata()[0] == 0.5
    assert mark.get_ydata()[0] == pytest.approx(0.841344746068543, abs=1e-15)
    for index in range(5):
        line = drawn(ax, f"roc-{index}")
        assert np.interp(0.5, line.get_xdata(), line.get_ydata()) == pytest.approx(mark.get_ydata()[0], abs=1e-4)


def test_figure_5_shows_six_features_and_turns_the_last():
    (ax,) = figures.figure_5().axes
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert legend[:6] == [
        "1  sepal length, AUC 0.787",
        "2  sepal width, AUC 0.675",
        "3  petal length, AUC 0.963",
        "4  petal width, AUC 0.981",
        "5  distance to mean of class 2, AUC 0.909",
        "6  distance to mean of class 3, AUC 0.879",
    ]
    assert "6: ≤ 1.282" in words(ax)


def test_densities_may_carry_the_names_of_their_classes():
    """In the legend, shown literally and in their order; what is no pair is refused by its name."""
    roc = rp.PredictedRoc(negative=rp.Gaussian(4, 3), positive=rp.Gaussian(8, 2))
    ax = plot_densities(roc, classes=["healthy", "$ill$"])
    assert [text.get_text() for text in ax.get_legend().get_texts()][:2] == ["healthy", "$ill$"]
    left = plot_side_by_side(roc, classes=("healthy", 1)).axes[0]
    assert [text.get_text() for text in left.get_legend().get_texts()][:2] == ["healthy", "1"]
    for wrong in ("ab", ["healthy"], 3):
        with pytest.raises(rp.RocPredictError, match=r"^classes="):
            plot_densities(roc, classes=wrong)
