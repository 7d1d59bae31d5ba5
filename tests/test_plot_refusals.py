"""What no picture can show is refused in one sentence: values beyond an axis, other axes, options that are none."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from mpl_toolkits.mplot3d import Axes3D

import rocpredict as rp
from rocpredict.diagnostics.diagnose import diagnose
from rocpredict.plots.curves import plot_roc
from rocpredict.plots.densities import plot_densities
from rocpredict.plots.diagnosis import plot_diagnosis
from rocpredict.plots.screening import plot_screening
from rocpredict.plots.style import histogram_bin_edges, pad_limits
from rocpredict.plots.thresholds import plot_measures, plot_stability

Q = (np.arange(40) + 0.5) / 40
X = np.concatenate([np.log(Q / (1 - Q)), 1 + np.log(Q / (1 - Q))])
Y = np.repeat([0, 1], 40)


@pytest.fixture(scope="module")
def few():
    return rp.EmpiricalRoc([1, 2, 3], [2, 3, 4])


# ---- what an axis holds
def test_bins_far_from_zero_have_a_width():
    """Values a few steps of a float apart are drawn: edges differ, and the axis is the one that was asked for."""
    roc = rp.empirical_roc(X + 1e16, Y)
    edges = histogram_bin_edges(roc, 1e16)
    assert len(edges) >= 2
    assert (np.diff(edges) >= 4 * np.spacing(1e15)).all()
    low, high = plot_densities(roc).get_xlim()
    assert 1e16 - 500 < low < X.min() + 1e16
    assert X.max() + 1e16 < high < 1e16 + 500
    assert (np.diff(histogram_bin_edges(rp.EmpiricalRoc([1e20, 1e20], [1e20]), 1e20)) > 0).all()


@pytest.mark.parametrize(("scale", "how"), [(1e-320, "close to each other"), (2e307, "far apart")])
def test_values_that_no_axis_holds_are_refused(scale, how):
    """By all pictures whose axis is that of the feature, alike and without a warning."""
    roc = rp.empirical_roc(X * scale, Y)
    for draw in (plot_densities, plot_measures, lambda roc: plot_stability(roc, n_resamples=20)):
        with pytest.raises(rp.RocPredictError, match=f"^values too {how} to be drawn, from -.* to .*; change"):
            draw(roc)


def test_gaussians_that_no_axis_holds_are_refused():
    for scale, how in ((1e308, "far apart"), (1e-320, "close to each other")):
        roc = rp.PredictedRoc.from_stats(mean=(0, scale), std=(scale, scale), count=(9, 9))
        for draw in (plot_densities, plot_measures):
            with pytest.raises(rp.RocPredictError, match=f"values too {how}"):
                draw(roc)
    narrow = rp.PredictedRoc(negative=rp.Gaussian(0, 1e-320), positive=rp.Gaussian(1, 1))
    with pytest.raises(rp.RocPredictError, match="values too close to each other"):
        plot_densities(narrow)


def test_a_precision_recall_curve_of_narrow_classes_has_its_area():
    """The AP has no unit: that of SDs of 1e-320 is that of SDs of 1, as far as such numbers have digits."""
    drawn = []
    for scale in (1.0, 1e-320):
        roc = rp.PredictedRoc.from_stats(mean=(0, scale), std=(scale, scale), count=(9, 9))
        drawn.append(float(roc.plot("precision_recall").get_legend().get_texts()[0].get_text().rsplit(" ", 1)[1]))
    assert drawn[1] == pytest.approx(drawn[0], abs=0.002)


def test_padding_leaves_usual_values_their_share():
    assert pad_limits(0, 10, 0.05) == (-0.5, 10.5)
    assert pad_limits(3, 3, 0.05) == (2.7, 3.3)
    assert pad_limits(0, 0, 0.05) == (-1, 1)


@pytest.mark.parametrize("scale", [2e307, 1e-320])
def test_a_diagnosis_at_the_ends_of_floats_warns_of_nothing(scale):
    """Its numbers without a unit are those of the values themselves; its picture is refused."""
    found, usual = diagnose(scale * X, Y, n_resamples=20), diagnose(X, Y, n_resamples=20)
    near = 0.01 if scale < 1 else 1e-9  # so few digits have numbers of 1e-320
    for one, other in zip((found.negative, found.positive), (usual.negative, usual.positive), strict=True):
        assert one.skewness == pytest.approx(other.skewness, abs=near)
        assert one.kurtosis == pytest.approx(other.kurtosis, abs=near)
        assert one.outliers == other.outliers
    assert found.empirical_auc == usual.empirical_auc
    with pytest.raises(rp.RocPredictError, match="values too"):
        plot_diagnosis(found)


# ---- axes
def test_other_axes_are_refused(few):
    figure = Figure()
    removed, logarithmic = figure.add_subplot(1, 2, 1), figure.add_subplot(1, 2, 2)
    removed.remove()
    logarithmic.set_yscale("log")
    for ax, why in (
        (Axes3D(Figure()), "has the projection '3d'"),
        (Figure().add_subplot(projection="polar"), "has the projection 'polar'"),
        (removed, "was removed from its figure"),
        (logarithmic, "has the scales 'linear' and 'log'; give axes with linear ones"),
        (figure, "is not a matplotlib Axes"),
    ):
        with pytest.raises(rp.RocPredictError, match=f"^ax=<.*{why}"):
            plot_roc(few, ax=ax)
    inset = Figure().add_subplot().inset_axes((0, 0, 0.5, 0.5))
    assert plot_roc(few, ax=inset) is inset


# ---- options
def test_an_unknown_option_is_named_with_those_there_are(few):
    for kind, options, said in (
        ("roc", {"foo": 1}, "foo= is no option of this picture; those of plot_roc are ax, labels, best, chance"),
        ("stability", {"best": None}, "best= is no option of this picture; those of plot_stability are criterion"),
        ("densities", {"roc": few}, "roc= is no option"),
    ):
        with pytest.raises(rp.RocPredictError, match=said):
            few.plot(kind, **options)
    with pytest.raises(rp.RocPredictError, match=r"foo= is no option.*plot_screening are kind, n_top"):
        rp.screen(np.column_stack([X, -X]), Y).plot("volcano", foo=1)
    with pytest.raises(rp.RocPredictError, match="foo= is no option"):
        rp.compare(few, few).plot(foo=1)


@pytest.mark.parametrize("kind", ["roc", "probit", "cost", "precision_recall", "decision"])
def test_labels_are_names_in_an_order(few, kind):
    for labels in (3, (name for name in "a"), {"a"}, "a", np.array("a"), []):
        with pytest.raises(rp.RocPredictError, match=r"^labels=.* does not give one name to each of 1 ROCs"):
            few.plot(kind, labels=labels)
    for labels in (["a"], ("a",), np.array(["a"])):
        assert few.plot(kind, labels=labels).get_legend().get_texts()[0].get_text().startswith("a")


def test_measures_are_names_in_an_order(few):
    for measures in (3, (name for name in ["tpr"]), [], "tpr"):
        with pytest.raises(rp.RocPredictError, match=r"^measures=.* is no list of measures"):
            plot_measures(few, measures=measures)
    with pytest.raises(rp.RocPredictError, match=r"measures=\[1\] is not allowed"):
        plot_measures(few, measures=[[1]])
    assert len(plot_measures(few, measures=np.array(["tpr", "recall"]), best=False).lines) == 2


@pytest.mark.parametrize("kind", ["densities", "measures", "cost", "precision_recall"])
def test_a_prevalence_is_one_number(few, kind):
    with pytest.raises(rp.RocPredictError, match=r"prevalence=\[0.1, 0.2\] has shape \(2,\); give one number"):
        few.plot(kind, prevalence=[0.1, 0.2])
    few.plot(kind, prevalence=np.array(0.2))


@pytest.mark.parametrize(
    ("kind", "switches"),
    [
        ("roc", ("best", "chance", "legend", "band")),
        ("densities", ("legend",)),
        ("probit", ("best", "chance", "legend")),
        ("measures", ("best", "legend")),
        ("cost", ("best", "legend")),
        ("band", ("chance", "legend")),
        ("precision_recall", ("chance", "legend")),
        ("decision", ("legend",)),
        ("stability", ("legend",)),
    ],
)
def test_a_switch_is_true_or_false(few, kind, switches):
    for name in switches:
        for value in ("no", 2, None):
            with pytest.raises(rp.RocPredictError, match=f"{name}={value!r} is not allowed; choose one of True, False"):
                few.plot(kind, **{name: value})


def test_what_is_not_used_is_checked_all_the_same(few):
    for level in (2, "a", np.nan):
        with pytest.raises(rp.RocPredictError, match="level"):
            plot_roc(few, level=level)
    with pytest.raises(rp.RocPredictError, match="threshold=True is not a real number"):
        plot_densities(few, threshold=True)
    with pytest.raises(rp.RocPredictError, match="legend='no' is not allowed"):
        plot_screening(rp.screen(np.column_stack([X, -X]), Y), legend="no")
    with pytest.raises(rp.RocPredictError, match="show_folds='all' is not allowed"):
        rp.mean_roc([(X, Y), (-X, Y)]).plot(show_folds="all")
