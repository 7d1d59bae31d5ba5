"""Pictures of densities, how they look, and files: the library's own numbers, which can be read without color."""

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import colors
from matplotlib.image import imread
from scipy import stats

import rocpredict as rp
from rocpredict import paper as figures
from rocpredict.base.formatting import format_rate
from rocpredict.plots import style
from rocpredict.plots.curves import plot_roc, plot_side_by_side
from rocpredict.plots.densities import plot_densities
from rocpredict.plots.style import histogram_bin_edges, pad_limits, save_figure
from tests.cases import refuses
from tests.pictures import artist, has, legend, words

PREDICTED = rp.PredictedRoc(negative=rp.Gaussian(4, 3), positive=rp.Gaussian(8, 2))
EMPIRICAL = rp.empirical_roc(*rp.datasets.simulate_two_gaussians(count=(60, 40), rng=1))
AREAS = ("TP", "FP", "FN", "TN")


@pytest.fixture(scope="module")
def densities():
    return plot_densities(PREDICTED)


def contrast(color: str, ground: str = "white") -> float:
    """Return the contrast of WCAG 2."""
    lights = []
    for name in (color, ground):
        channels = np.array(colors.to_rgb(name))
        linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
        lights.append(linear @ [0.2126, 0.7152, 0.0722] + 0.05)
    return max(lights) / min(lights)


def area(filled) -> float:
    """Return the area of a filled polygon."""
    corners = [path.vertices.T for path in filled.get_paths()]
    return sum(abs(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))) / 2 for x, y in corners)


# ---- densities
def test_density_lines_are_the_densities(densities):
    for name in ("negative", "positive"):
        x, y = artist(densities, name).get_data()
        np.testing.assert_allclose(y, getattr(PREDICTED, name).pdf(x), rtol=1e-15)
    assert set(artist(densities, "threshold").get_xdata()) == {PREDICTED.best_threshold().threshold}


@pytest.mark.parametrize("direction", ["higher", "lower"])
@pytest.mark.parametrize(("roc", "cut"), [(PREDICTED, 0.004), (EMPIRICAL, 1e-9)], ids=["predicted", "empirical"])
def test_the_four_areas_are_the_rates(roc, cut, direction):
    pair = (roc.negative, roc.positive) if direction == "higher" else (roc.positive, roc.negative)
    roc = type(roc)(negative=pair[0], positive=pair[1], direction=direction)
    ax, best = plot_densities(roc), roc.best_threshold()
    for name in AREAS:
        rate = getattr(best, f"{name.lower()}r")
        assert area(artist(ax, name)) == pytest.approx(rate, abs=cut)
        assert f"{name} {rate:.3f}" in words(ax)


def test_prevalence_weights_densities_areas_and_crossings():
    best = PREDICTED.best_threshold("accuracy", prevalence=0.3)
    ax = plot_densities(PREDICTED, prevalence=0.3, threshold=best)
    x, y = artist(ax, "positive").get_data()
    np.testing.assert_allclose(y, 0.3 * PREDICTED.positive.pdf(x), rtol=1e-14)
    assert sum(area(artist(ax, name)) for name in AREAS) == pytest.approx(1, abs=0.004)
    assert f"FP {0.7 * best.fpr:.3f}" in words(ax)
    assert best.threshold in artist(ax, "crossings").get_xdata()
    for prevalence in (0, 1):  # a class that never occurs has no area
        ax = plot_densities(PREDICTED, prevalence=prevalence)
        assert sum(area(artist(ax, name)) for name in ("TP", "FN")) == pytest.approx(prevalence, abs=0.003)


def test_crossings_lie_on_both_lines():
    roc = rp.PredictedRoc(negative=rp.Gaussian(0, 1), positive=rp.Gaussian(1, 2))
    mark = artist(plot_densities(roc), "crossings")
    np.testing.assert_array_equal(mark.get_xdata(), roc.crossings())
    np.testing.assert_allclose(mark.get_ydata(), roc.positive.pdf(roc.crossings()), rtol=2e-3)


def test_stems_are_probabilities():
    laws = {"negative": stats.binom(9, 0.2), "positive": stats.binom(9, 0.6)}
    ax = plot_densities(rp.PredictedRoc(**laws))
    assert ax.get_ylabel() == "probability"
    for name, law in laws.items():
        ends = np.array([segment[1] for segment in artist(ax, name).get_segments()])
        np.testing.assert_allclose(ends[:, 1], law.pmf(ends[:, 0]), rtol=1e-12)
    point_mass = rp.PredictedRoc(negative=rp.Gaussian(0, 0), positive=rp.Gaussian(1, 1))
    assert plot_densities(point_mass).get_ylabel() == "density"


def test_a_threshold_at_infinity_has_no_line():
    never = rp.PredictedRoc(negative=rp.Gaussian(0, 1), positive=rp.Gaussian(-1, 1))
    identical = rp.PredictedRoc(negative=rp.Gaussian(0, 1), positive=rp.Gaussian(0, 1))
    ax = plot_densities(never)
    assert "always negative" in words(ax)
    assert not has(ax, "threshold")
    assert {text for text in words(ax) if text[:2] in AREAS} == {"TN 1.000", "FN 1.000"}
    assert "always positive" in words(plot_densities(identical, threshold=-np.inf))
    assert "best: always negative" in words(plot_roc(never))


def test_densities_may_carry_the_names_of_their_classes():
    """In the legend, shown literally and in their order; what is no pair is refused by its name."""
    assert legend(plot_densities(PREDICTED, classes=["healthy", "$ill$"]))[:2] == ["healthy", "$ill$"]
    assert legend(plot_side_by_side(PREDICTED, classes=("healthy", 1)).axes[0])[:2] == ["healthy", "1"]
    for wrong in ("ab", ["healthy"], 3):
        refuses(r"^classes=", plot_densities, PREDICTED, classes=wrong)


def test_side_by_side_has_densities_and_curve():
    left, right = plot_side_by_side(PREDICTED, EMPIRICAL, feature="mass", unit="kg").axes
    assert left.get_xlabel() == "mass [kg]"
    assert artist(right, "largest-gap")
    assert "predicted, AUC 0.866" in words(plot_side_by_side(PREDICTED).axes[1])


def test_bins_far_from_zero_have_a_width():
    """Values a few steps of a float apart are drawn: edges differ, and the axis holds those values."""
    q = (np.arange(40) + 0.5) / 40
    x = np.concatenate([np.log(q / (1 - q)), 1 + np.log(q / (1 - q))])
    roc = rp.empirical_roc(x + 1e16, np.repeat([0, 1], 40))
    edges = histogram_bin_edges(roc, 1e16)
    assert len(edges) >= 2
    assert (np.diff(edges) >= 4 * np.spacing(1e15)).all()
    low, high = plot_densities(roc).get_xlim()
    assert 1e16 - 500 < low < x.min() + 1e16
    assert x.max() + 1e16 < high < 1e16 + 500
    assert (np.diff(histogram_bin_edges(rp.EmpiricalRoc([1e20, 1e20], [1e20]), 1e20)) > 0).all()


def test_padding_leaves_usual_values_their_share():
    assert pad_limits(0, 10, 0.05) == (-0.5, 10.5)
    assert pad_limits(3, 3, 0.05) == (2.7, 3.3)
    assert pad_limits(0, 0, 0.05) == (-1, 1)


# ---- reading
def test_an_area_is_never_rounded_to_a_false_certainty():
    for distance, text in ((0.5, "0.638"), (5, ">0.999"), (20, ">0.999")):
        ax = plot_roc(rp.PredictedRoc(negative=rp.Gaussian(0, 1), positive=rp.Gaussian(distance, 1)))
        assert f"predicted, AUC {text}" in words(ax)
    assert "empirical, AUC 1" in words(plot_roc(rp.EmpiricalRoc(negative=[1, 2], positive=[3])))
    assert [format_rate(r) for r in (0, 1e-9, 0.25, 0.9999, 1)] == ["0.000", "<0.001", "0.250", ">0.999", "1.000"]


def test_classes_and_curves_differ_in_more_than_color(densities):
    assert artist(densities, "negative").get_linestyle() != artist(densities, "positive").get_linestyle()
    assert len({artist(densities, name).get_hatch() for name in AREAS}) == 4
    count = len(style.CURVES)
    ax = plot_roc(*[PREDICTED] * count)
    assert len({str(artist(ax, f"roc-{index}")._unscaled_dash_pattern) for index in range(count)}) == count
    assert len({color for color, _ in style.CURVES}) == count


def test_text_and_lines_stand_out():
    for color in (style.TEXT_COLOR, style.MUTED_COLOR, style.NEGATIVE.text, style.POSITIVE.text):
        assert contrast(color) >= 4.5
    for color in [color for color, _ in style.CURVES] + [style.NEGATIVE.color, style.POSITIVE.color]:
        assert contrast(color) >= 3


# ---- files
def test_a_file_is_of_the_kind_that_its_name_gives(tmp_path):
    for kind, head in {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}.items():
        files = [save_figure(PREDICTED.plot().figure, tmp_path / f"{name}.{kind}") for name in "ab"]
        assert files[0].read_bytes().startswith(head)
        assert files[0].read_bytes() == files[1].read_bytes()
    for name in ("roc.exe", "roc", "roc.svg.bak"):
        with pytest.raises(rp.RocPredictError, match=r"path=.*: pass a name that ends in \.png or \.svg or \.pdf"):
            save_figure(PREDICTED.plot().figure, tmp_path / name)
        assert not (tmp_path / name).exists()
    figure = PREDICTED.plot().figure
    scalable = save_figure(figure, tmp_path / "c.svg", dpi=50)
    assert scalable.read_bytes() == (tmp_path / "a.svg").read_bytes()
    for dpi in (50, 300):
        pixels = imread(save_figure(figure, tmp_path / "c.png", dpi=dpi))
        assert pixels.shape[:2] == tuple(figure.get_size_inches() * dpi)[::-1]
    for dpi, problem in {
        19: "dpi=19 is out of range; pass",
        9.5: "dpi=9.5 is not an integer",
        1201: "dpi=1201",
    }.items():
        with pytest.raises(rp.RocPredictError, match=problem):
            save_figure(figure, tmp_path / "c.png", dpi=dpi)
    with pytest.raises(rp.RocPredictError, match=r"figure=<NotebookAxes.* is not a matplotlib Figure; pass a figure"):
        save_figure(PREDICTED.plot(), tmp_path / "a.png")


# ---- the paper's figures
def test_figures_are_saved_the_same_each_time(tmp_path):
    first, second = (figures.save_figures(tmp_path / name) for name in ("first", "second"))
    assert [path.name for path in first] == [f"figure_{n}.{kind}" for n in range(1, 6) for kind in ("png", "svg")]
    for one, other in zip(first, second, strict=True):
        assert one.read_bytes() == other.read_bytes()
    assert b"dc:date" not in first[1].read_bytes()
    assert not any(mpl.__version__.encode() in path.read_bytes() for path in first)


def test_figure_4_marks_the_point_that_all_curves_share():
    (ax,) = figures.figure_4().axes
    mark = artist(ax, "meeting")
    assert mark.get_xdata()[0] == 0.5
    assert mark.get_ydata()[0] == pytest.approx(0.841344746068543, abs=1e-15)
    for index in range(5):
        x, y = artist(ax, f"roc-{index}").get_data()
        assert np.interp(0.5, x, y) == pytest.approx(mark.get_ydata()[0], abs=1e-4)


def test_figure_5_shows_six_features_and_turns_the_last():
    (ax,) = figures.figure_5().axes
    assert legend(ax)[:6] == [
        "1  sepal length, AUC 0.787",
        "2  sepal width, AUC 0.675",
        "3  petal length, AUC 0.963",
        "4  petal width, AUC 0.981",
        "5  distance to mean of class 2, AUC 0.909",
        "6  distance to mean of class 3, AUC 0.879",
    ]
    assert "6: ≤ 1.282" in words(ax)
