"""Several curves with their bands and test, the comparison's picture, and where words go."""

import numpy as np
import pytest
from matplotlib import colors
from matplotlib.text import Text

import rocpredict as rp
from rocpredict.plots.canvas import Box
from rocpredict.plots.curves import p_in_words, plot_comparison, plot_roc

IRIS = rp.datasets.load_iris()
SPECIES = {"positive": "virginica", "negative": "versicolor"}
FEATURES = ("sepal_length", "sepal_width", "petal_length")


def artist(ax, gid):
    (found,) = [a for a in ax.get_children() if a.get_gid() == gid]
    return found


def words(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


@pytest.fixture(scope="module")
def counted():
    return [rp.empirical_roc(IRIS.column(name), IRIS.y, **SPECIES) for name in FEATURES]


# ---- test
def test_the_p_value_of_the_test_stands_in_the_legend(counted):
    test = rp.auc_test(*(IRIS.column(name) for name in FEATURES[:2]), IRIS.y, **SPECIES)
    assert words(plot_roc(*counted[:2], test=test))[2] == f"equal AUCs: p = {test.p_value:.3f} (DeLong, paired)"
    several = rp.auc_test_many([IRIS.column(name) for name in FEATURES], IRIS.y, **SPECIES)
    assert words(plot_roc(*counted, test=several))[3] == f"all AUCs are equal: p < 0.001 ({several.method})"
    claim = rp.auc_test(*(IRIS.column(name) for name in FEATURES[:2]), IRIS.y, alternative="greater", **SPECIES)
    assert words(plot_roc(*counted[:2], test=claim))[2].startswith("AUC of x1 <= AUC of x2: p = ")
    fitted = rp.predict_roc(IRIS.column(FEATURES[0]), IRIS.y, **SPECIES)
    for rocs, method in ((counted[:2], "DeLong, paired"), ((fitted, counted[1]), "delta and DeLong, ")):
        test = rp.auc_test(*rocs)
        assert words(plot_roc(*rocs, test=test))[2].startswith(f"equal AUCs: p = {test.p_value:.3f} ({method}")
        with pytest.raises(rp.RocPredictError, match="test is of other curves"):
            plot_roc(*rocs[::-1], test=test)
    one = rp.auc_test(IRIS.column(FEATURES[0]), None, IRIS.y, null=0.7, **SPECIES)
    assert f": p = {one.p_value:.3f} (" in words(plot_roc(counted[0], test=one))[1]


def test_a_test_of_other_curves_is_refused(counted):
    test = rp.auc_test(*(IRIS.column(name) for name in FEATURES[:2]), IRIS.y, **SPECIES)
    for rocs in (counted[1::-1], counted, counted[:1]):
        with pytest.raises(rp.RocPredictError, match="test is of other curves: its estimates are"):
            plot_roc(*rocs, test=test)
    for wrong in (0.03, "delong"):
        with pytest.raises(rp.RocPredictError, match="is not a test of AUCs"):
            plot_roc(*counted[:2], test=wrong)


def test_p_is_never_rounded_to_nothing():
    assert [p_in_words(p) for p in (0, 1e-9, 0.000999, 0.001, 0.04999, 1)] == [
        *["p < 0.001"] * 3,
        "p = 0.001",
        "p = 0.050",
        "p = 1.000",
    ]


# ---- bands
def test_bands_are_the_librarys(counted):
    ax = plot_roc(*counted, band=True, level=0.9)
    for index, roc in enumerate(counted):
        band, area = roc.band(0.9), artist(ax, f"band-{index}")
        corners = {tuple(corner) for corner in area.get_paths()[0].vertices}
        assert set(zip(band.fpr, band.low, strict=True)) | set(zip(band.fpr, band.high, strict=True)) <= corners
    assert "90 % band, pointwise" in words(ax)


def test_bands_differ_by_more_than_colour(counted):
    ax = plot_roc(*counted, *counted, band=True)
    areas = [artist(ax, f"band-{index}") for index in range(6)]
    assert len({area.get_hatch() for area in areas}) == 6
    assert len({colors.to_hex(area.get_facecolor()[0]) for area in areas}) == 6
    assert max(area.get_zorder() for area in areas) < artist(ax, "roc-0").get_zorder()


def test_a_band_needs_counts():
    with pytest.raises(rp.RocPredictError, match="count"):
        plot_roc(rp.PredictedRoc(rp.Gaussian(0, 1), rp.Gaussian(1, 1)), band=True)


# ---- comparison
def test_a_comparison_draws_itself(counted):
    predicted = rp.predict_roc(IRIS.column(FEATURES[0]), IRIS.y, **SPECIES)
    comparison = rp.compare(predicted, counted[0])
    ax = comparison.plot()
    assert artist(ax, "roc-0").get_ydata().tolist() == predicted.curve().tpr.tolist()
    assert artist(ax, "roc-1").get_ydata().tolist() == counted[0].curve().tpr.tolist()
    gap = f"TPR gap {comparison.max_tpr_gap:+.3f}\nat FPR {comparison.max_tpr_gap_fpr:.3f}".replace("-", "−")
    assert gap in [text.get_text() for text in ax.texts]
    given = plot_comparison(predicted, counted[0])
    assert comparison.plot(ax=given) is given
    assert "drawn" not in comparison.to_dict()
    assert "Roc" not in repr(comparison)
    assert comparison == rp.compare(predicted, counted[0])


@pytest.mark.parametrize("feature", ["sepal_width", "petal_width"])
@pytest.mark.parametrize("pair", [("virginica", "versicolor"), ("versicolor", "setosa"), ("setosa", "virginica")])
def test_words_keep_off_the_curves_and_each_other(feature, pair):
    """The texts of comparisons, of a weak and of a strong feature: none over another, nor on 3 % of a curve.

    As drawn, by the renderer: the boxes of the words against the points of both curves.
    """
    x, classes = IRIS.column(feature), {"positive": pair[0], "negative": pair[1], "direction": "auto"}
    predicted, counted = rp.predict_roc(x, IRIS.y, **classes), rp.empirical_roc(x, IRIS.y, **classes)
    ax = plot_comparison(predicted, counted)
    ax.figure.draw_without_rendering()
    extents = [Text.get_window_extent(text) for text in ax.texts]  # without arrows
    boxes = [Box(*ax.transAxes.inverted().transform(extent.get_points()).ravel()) for extent in extents]
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
    along = np.linspace(0, 1, 400)
    for roc in (predicted, counted):
        curve = ax.transAxes.inverted().transform(
            ax.transData.transform(np.column_stack([along, roc.tpr_at_fpr(along)]))
        )
        assert all(box.holds(curve).mean() < 0.03 for box in boxes)
    assert all(min(box.left, box.bottom) > -0.01 and max(box.right, box.top) < 1.01 for box in boxes)
