"""Curves, bands, probit axes, precision-recall and decision curves show the library's own numbers."""

import re

import numpy as np
import pytest
from matplotlib import colors
from matplotlib.text import Text
from scipy import stats
from scipy.special import ndtri

import rocpredict as rp
from rocpredict.base.formatting import format_p_statement
from rocpredict.plots import plot_band, plot_decision, plot_precision_recall, plot_probit
from rocpredict.plots.curves import plot_comparison, plot_roc
from rocpredict.plots.style import Box
from tests.cases import refuses
from tests.pictures import artist, has, legend, words

IRIS = rp.datasets.load_iris()
SPECIES = {"positive": "virginica", "negative": "versicolor"}
FEATURES = ("sepal_length", "sepal_width", "petal_length")
PREDICTED = rp.PredictedRoc.from_stats(mean=(4, 8), std=(3, 2), count=(60, 40))
EMPIRICAL = rp.empirical_roc(*rp.datasets.simulate_two_gaussians(count=(60, 40), rng=1))
BOTH = (PREDICTED, EMPIRICAL)


@pytest.fixture(scope="module")
def counted():
    return [rp.empirical_roc(IRIS.column(name), IRIS.y, **SPECIES) for name in FEATURES]


@pytest.fixture(scope="module")
def two():
    """Both curves on one pair of axes."""
    return plot_roc(*BOTH)


def test_roc_lines_are_the_curves(two):
    for index, roc in enumerate(BOTH):
        line, curve = artist(two, f"roc-{index}"), roc.curve()
        np.testing.assert_array_equal(line.get_xdata(), curve.fpr)
        np.testing.assert_array_equal(line.get_ydata(), curve.tpr)
        assert line.get_drawstyle() == "default"  # ties between the classes run diagonally


def test_best_points_are_circled_and_carry_their_threshold(two):
    for index, roc in enumerate(BOTH):
        best, mark = roc.best_threshold(), artist(two, f"best-{index}")
        assert (mark.get_xdata()[0], mark.get_ydata()[0]) == (best.fpr, best.tpr)
        assert f"{index + 1}: ≥ {best.threshold:.4g}" in words(two)


def test_legend_names_curves_and_areas():
    assert words(plot_roc(PREDICTED, best=False)) == ["predicted, AUC 0.866", "chance"]
    ax = plot_roc(*BOTH, labels=["model", "data"], best=False, chance=False)
    assert words(ax) == ["1  model, AUC 0.866", f"2  data, AUC {EMPIRICAL.auc():.3f}"]


def test_a_hook_shows_where_it_exists():
    assert "below chance" not in words(plot_roc(PREDICTED))  # 1e-10 of area: nothing to see
    hooked = rp.PredictedRoc(negative=rp.Gaussian(0, 1), positive=rp.Gaussian(0.2, 3))
    ax, hook = plot_roc(hooked), hooked.hook()
    assert "below chance" in words(ax)
    across = artist(ax, "hook").get_paths()[0].vertices[:, 0]
    assert (across.min(), across.max()) == pytest.approx((hook.fpr_low, hook.fpr_high), abs=2e-3)


# ---- test
def test_the_p_value_of_the_test_stands_in_the_legend(counted):
    columns = [IRIS.column(name) for name in FEATURES]
    test = rp.auc_test(*columns[:2], IRIS.y, **SPECIES)
    assert (
        legend(plot_roc(*counted[:2], test=test))[2] == f"equal AUCs: p = {test.p_value:.3f} (MOVER of smoothed-logit…)"
    )
    several = rp.auc_test_many(columns, IRIS.y, **SPECIES)
    assert legend(plot_roc(*counted, test=several))[3] == f"all AUCs are equal: p < 0.001 ({several.method[:23]}…)"
    claim = rp.auc_test(*columns[:2], IRIS.y, alternative="greater", **SPECIES)
    assert legend(plot_roc(*counted[:2], test=claim))[2].startswith("AUC of x1 <= AUC of x2: p = ")
    fitted = rp.predict_roc(columns[0], IRIS.y, **SPECIES)
    for rocs, method in ((counted[:2], "MOVER of smoothed-logit…"), ((fitted, counted[1]), "MOVER of delta and smoo…")):
        of_curves = rp.auc_test(*rocs)
        text = f"equal AUCs: p = {of_curves.p_value:.3f} ({method}"
        assert legend(plot_roc(*rocs, test=of_curves))[2].startswith(text)
        refuses("test= does not match the curves", plot_roc, *rocs[::-1], test=of_curves)
    one = rp.auc_test(columns[0], None, IRIS.y, null=0.7, **SPECIES)
    assert f": p = {one.p_value:.3f} (" in legend(plot_roc(counted[0], test=one))[1]
    for rocs in (counted[1::-1], counted, counted[:1]):
        refuses("test= does not match the curves: the tested estimates are", plot_roc, *rocs, test=test)
    for wrong in (0.03, "delong"):
        refuses("is not a test of AUCs", plot_roc, *counted[:2], test=wrong)


def test_p_is_never_shown_as_zero():
    shown = [format_p_statement(p) for p in (0, 1e-9, 0.000999, 0.001, 0.04999, 1)]
    assert shown == [*["p < 0.001"] * 3, "p = 0.001", "p = 0.050", "p = 1"]


# ---- bands
def test_bands_are_the_librarys(counted):
    ax = plot_roc(*counted, band=True, level=0.9)
    for index, roc in enumerate(counted):
        band, area = roc.band(0.9), artist(ax, f"band-{index}")
        corners = {tuple(corner) for corner in area.get_paths()[0].vertices}
        assert set(zip(band.fpr, band.low, strict=True)) | set(zip(band.fpr, band.high, strict=True)) <= corners
    assert "90% band, pointwise" in legend(ax)
    refuses("count", lambda: plot_roc(rp.PredictedRoc(rp.Gaussian(0, 1), rp.Gaussian(1, 1)), band=True))


def test_bands_differ_by_more_than_color(counted):
    ax = plot_roc(*counted, *counted, band=True)
    areas = [artist(ax, f"band-{index}") for index in range(6)]
    assert len({area.get_hatch() for area in areas}) == 6
    assert len({colors.to_hex(area.get_facecolor()[0]) for area in areas}) == 6
    assert max(area.get_zorder() for area in areas) < artist(ax, "roc-0").get_zorder()


def edges(area):
    """Return the lowest and the highest y of a filled band at each x."""
    corners = area.get_paths()[0].vertices
    x = np.unique(corners[:, 0])
    return x, np.array([[f(corners[corners[:, 0] == at, 1]) for at in x] for f in (min, max)])


def test_a_band_of_its_own_is_the_librarys():
    """A simultaneous band of samples is drawn fine enough for its steps."""
    ax, band = plot_band(PREDICTED, kind="pointwise", level=0.9), PREDICTED.band(0.9)
    x, (low, high) = edges(artist(ax, "band"))
    assert (x.tolist(), low.tolist(), high.tolist()) == (band.fpr.tolist(), band.low.tolist(), band.high.tolist())
    assert artist(ax, "roc-0").get_ydata().tolist() == PREDICTED.curve().tpr.tolist()
    assert legend(ax) == ["predicted, AUC 0.866", "90% band, pointwise", "chance"]
    ax = plot_band(EMPIRICAL, kind="simultaneous", label="$x$", chance=False)
    x, (low, _) = edges(artist(ax, "band"))
    assert len(x) == 1001
    assert low.tolist() == EMPIRICAL.band(kind="simultaneous", fpr=x).low.tolist()
    assert legend(ax) == ["$x$, AUC 0.902", "95% band, simultaneous"]


def test_band_curve_and_edge_differ_in_gray():
    """Light of the band, its edge and the curve differ without color; chance shows on the band."""
    ax = plot_band(PREDICTED)
    area, line = artist(ax, "band"), artist(ax, "roc-0")
    gray = [0.299 * r + 0.587 * g + 0.114 * b for r, g, b, _ in (area.get_facecolor()[0], area.get_edgecolor()[0])]
    assert 1 - gray[0] > 0.1
    assert gray[0] - gray[1] > 0.25
    assert colors.to_hex(line.get_color()) == "#000000"
    assert line.get_zorder() > area.get_zorder()


# ---- comparison
def test_the_largest_gap_is_that_of_the_comparison():
    result, gap = rp.compare(*BOTH), artist(plot_comparison(*BOTH), "largest-gap")
    assert set(gap.get_xdata()) == {result.max_tpr_gap_fpr}
    assert np.ptp(gap.get_ydata()) == pytest.approx(abs(result.max_tpr_gap))
    assert PREDICTED.tpr_at_fpr(result.max_tpr_gap_fpr) in gap.get_ydata()


def test_a_comparison_draws_itself(counted):
    predicted = rp.predict_roc(IRIS.column(FEATURES[0]), IRIS.y, **SPECIES)
    comparison = rp.compare(predicted, counted[0])
    ax = comparison.plot()
    assert artist(ax, "roc-0").get_ydata().tolist() == predicted.curve().tpr.tolist()
    assert artist(ax, "roc-1").get_ydata().tolist() == counted[0].curve().tpr.tolist()
    gap = f"TPR difference {comparison.max_tpr_gap:+.3f}\nat FPR {comparison.max_tpr_gap_fpr:.3f}".replace("-", "−")
    assert gap in words(ax)
    given = plot_comparison(predicted, counted[0])
    assert comparison.plot(ax=given) is given
    assert "drawn" not in comparison.to_dict()
    assert "Roc" not in repr(comparison)
    assert comparison == rp.compare(predicted, counted[0])


@pytest.mark.parametrize("feature", ["sepal_width", "petal_width"])
@pytest.mark.parametrize("pair", [("virginica", "versicolor"), ("versicolor", "setosa"), ("setosa", "virginica")])
def test_words_keep_off_the_curves_and_each_other(feature, pair):
    """The texts of comparisons, of a weak and of a strong feature: none over another, nor on 3% of a curve.

    As drawn, by the renderer: the boxes of the words against the points of both curves.
    """
    x, classes = IRIS.column(feature), {"positive": pair[0], "negative": pair[1], "direction": "auto"}
    rocs = [make(x, IRIS.y, **classes) for make in (rp.predict_roc, rp.empirical_roc)]
    ax = plot_comparison(*rocs)
    ax.figure.draw_without_rendering()
    to_axes, along = ax.transAxes.inverted(), np.linspace(0, 1, 400)
    extents = [Text.get_window_extent(text) for text in ax.texts]  # without arrows
    boxes = [Box(*to_axes.transform(extent.get_points()).ravel()) for extent in extents]
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
    for roc in rocs:
        curve = to_axes.transform(ax.transData.transform(np.column_stack([along, roc.tpr_at_fpr(along)])))
        assert all(box.holds(curve).mean() < 0.03 for box in boxes)
    assert all(min(box.left, box.bottom) > -0.01 and max(box.right, box.top) < 1.01 for box in boxes)


# ---- precision-recall and decision curves
def test_precision_recall_is_the_librarys():
    """The area of the drawn steps, each as high as the point at its right, is the average precision."""
    ax = plot_precision_recall(*BOTH, labels=["a", "b"])
    for index, roc in enumerate(BOTH):
        line, curve = artist(ax, f"precision-recall-{index}"), roc.precision_recall_curve()
        assert line.get_xdata().tolist() == curve.recall.tolist()
        assert line.get_ydata().tolist() == curve.precision.tolist()
    assert [artist(ax, f"precision-recall-{k}").get_drawstyle() for k in (0, 1)] == ["default", "steps-pre"]
    areas = [roc.precision_recall_curve().average_precision() for roc in BOTH]
    assert np.diff(line.get_xdata()) @ line.get_ydata()[1:] == pytest.approx(areas[1], abs=1e-14)
    assert legend(ax) == [f"1  a, AP {areas[0]:.3f}", f"2  b, AP {areas[1]:.3f}", "random guess: prevalence 0.400"]


def test_a_precision_recall_curve_of_narrow_classes_has_its_area():
    """The AP has no unit: that of SDs of 1e-320 is that of SDs of 1, as far as such numbers have digits."""
    areas = []
    for scale in (1.0, 1e-320):
        roc = rp.PredictedRoc.from_stats(mean=(0, scale), std=(scale, scale), count=(9, 9))
        areas.append(float(re.search(r"AP (\S+)", legend(roc.plot("precision_recall"))[0])[1]))
    assert areas[1] == pytest.approx(areas[0], abs=0.002)


def test_decision_is_the_librarys():
    ax = plot_decision(*BOTH, prevalence=0.1)
    for index, roc in enumerate(BOTH):
        curve = roc.decision_curve(prevalence=0.1)
        assert artist(ax, f"decision-{index}").get_ydata().tolist() == curve.net_benefit.tolist()
    assert artist(ax, "treat-all").get_ydata().tolist() == curve.treat_all.tolist()
    assert legend(ax) == ["1  predicted", "2  empirical", "treat all: prevalence 0.100", "treat none"]
    low, high = ax.get_ylim()
    assert low < 0
    assert high > 0.1
    roc = rp.PredictedRoc(stats.beta(1, 4), stats.beta(3, 2))
    by_probability = {"prevalence": 0.4, "rule": "probability"}
    drawn = artist(plot_decision(roc, **by_probability), "decision-0").get_ydata()
    assert drawn.tolist() == roc.decision_curve(**by_probability).net_benefit.tolist()


def test_each_prevalence_has_its_line():
    rocs = (EMPIRICAL, rp.EmpiricalRoc([1, 2, 3], [2, 3, 4]))
    guesses = ["random guess: prevalence 0.400", "random guess: prevalence 0.500"]
    assert legend(plot_precision_recall(*rocs))[-2:] == guesses
    lines = [item.get_ydata() for item in plot_decision(*rocs).lines if item.get_gid() == "treat-all"]
    assert [line.tolist() for line in lines] == [roc.decision_curve().treat_all.tolist() for roc in rocs]


# ---- probit axes
@pytest.mark.parametrize("direction", ["higher", "lower"])
def test_two_gaussians_are_their_line(direction):
    """Intercept (m1 - m0)/s1 and slope s0/s1 at every point drawn, for both directions."""
    sign = 1 if direction == "higher" else -1
    roc = rp.PredictedRoc(rp.Gaussian(4 * sign, 3), rp.Gaussian(8 * sign, 2), direction=direction)
    x, y = artist(plot_probit(roc), "probit-0").get_data()
    inside = (np.abs(x) < 4) & (np.abs(y) < 4)
    assert inside.sum() > 100
    np.testing.assert_allclose(y[inside], (8 - 4) / 2 + 3 / 2 * x[inside], atol=1e-9)


def test_points_are_the_probits_of_the_curve():
    """Of a density the rates of the curve; of rows each operating point, those of rates 0 and 1 at the edge.

    Where classes tie, a straight diagonal of rates goes through the probits of its inner points.
    """
    roc = rp.PredictedRoc(stats.gamma(2), stats.gamma(4))
    curve, line = roc.curve(), artist(plot_probit(roc), "probit-0")
    kept = (curve.fpr > 0) & (curve.tpr < 1) & (curve.fpr < 1) & (curve.tpr > 0)
    assert line.get_xdata().tolist() == ndtri(curve.fpr[kept]).tolist()
    assert line.get_ydata().tolist() == ndtri(curve.tpr[kept]).tolist()
    counted = rp.EmpiricalRoc([1, 2, 3, 5], [2.5, 4, 6])
    ax = plot_probit(counted)
    end, curve = ax.get_xlim()[1], counted.curve()
    for data, rates in zip(artist(ax, "probit-0").get_data(), (curve.fpr, curve.tpr), strict=True):
        np.testing.assert_allclose(data, np.clip(ndtri(rates), -end, end), rtol=1e-15)
    x, y = artist(plot_probit(rp.EmpiricalRoc([0, 1, 1, 3], [0, 1, 1, 3])), "probit-0").get_data()
    assert len(x) == 3 * 16 + 1  # three ties, each a diagonal in 16 parts
    np.testing.assert_allclose(x, y, atol=1e-12)


def test_ticks_are_named_by_their_rates():
    ax = plot_probit(rp.PredictedRoc(rp.Gaussian(0, 1), rp.Gaussian(1, 1)), min_rate=1e-5)
    for axis in (ax.xaxis, ax.yaxis):
        names = [label.get_text().replace("−", "-") for label in axis.get_ticklabels()]
        np.testing.assert_allclose(ndtri([float(name) for name in names]), axis.get_ticklocs())
        assert names[0] == "1e-5"
    assert ax.get_xlim()[1] > ndtri(1 - 1e-5)


def test_the_best_point_is_circled_where_it_has_room():
    best, ax = PREDICTED.best_threshold(), plot_probit(PREDICTED)
    mark = artist(ax, "best-0")
    assert (mark.get_xdata()[0], mark.get_ydata()[0]) == (ndtri(best.fpr), ndtri(best.tpr))
    assert f"best: ≥ {best.threshold:.4g}" in words(ax)
    for far in (rp.PredictedRoc(rp.Gaussian(0, 1), rp.Gaussian(-1, 1)), rp.EmpiricalRoc([1, 2], [3, 4])):
        assert not has(plot_probit(far), "best-0")


def test_an_empty_probit_picture_names_itself():
    inside = []
    for roc in (
        rp.EmpiricalRoc([1, 2], [3, 4]),
        rp.PredictedRoc(rp.Gaussian(0, 1), rp.Gaussian(20, 1)),
        rp.PredictedRoc(rp.Gaussian(0, 0), rp.Gaussian(1, 0)),
        rp.EmpiricalRoc([1], [1]),
    ):
        ax = plot_probit(roc)
        points = artist(ax, "probit-0").get_path().vertices
        inside.append(bool((np.abs(points) < ax.get_xlim()[1]).all(axis=1).any()))
        assert ("no point of the curve is within the axes" in words(ax)) == (not inside[-1])
        ax.figure.draw_without_rendering()
    assert set(inside) == {True, False}
