"""ROC curves on probit axes: the drawn points are the library's rates, and two Gaussians are a line."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy import stats
from scipy.special import ndtri

import rocpredict as rp
from rocpredict.plots import plot_probit


def artist(ax, gid):
    (found,) = [a for a in ax.get_children() if a.get_gid() == gid]
    return found


def words(ax):
    return [text.get_text() for text in [*ax.texts, *ax.get_legend().get_texts()]]


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
    """Of a density the rates of the curve; of rows each operating point, those of rates 0 and 1 at the edge."""
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


def test_where_classes_tie_the_line_is_bent():
    """A straight diagonal of rates goes through the probits of its inner points."""
    ax = plot_probit(rp.EmpiricalRoc([0, 1, 1, 3], [0, 1, 1, 3]))
    x, y = artist(ax, "probit-0").get_data()
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
    roc = rp.PredictedRoc(rp.Gaussian(4, 3), rp.Gaussian(8, 2))
    best, mark = roc.best_threshold(), artist(plot_probit(roc), "best-0")
    assert (mark.get_xdata()[0], mark.get_ydata()[0]) == (ndtri(best.fpr), ndtri(best.tpr))
    assert f"best: ≥ {best.threshold:.4g}" in words(plot_probit(roc))
    for far in (rp.PredictedRoc(rp.Gaussian(0, 1), rp.Gaussian(-1, 1)), rp.EmpiricalRoc([1, 2], [3, 4])):
        assert not [a for a in plot_probit(far).get_children() if a.get_gid() == "best-0"]


@pytest.mark.parametrize(
    "roc",
    [
        rp.EmpiricalRoc([1, 2], [3, 4]),
        rp.PredictedRoc(rp.Gaussian(0, 1), rp.Gaussian(20, 1)),
        rp.PredictedRoc(rp.Gaussian(0, 0), rp.Gaussian(1, 0)),
        rp.EmpiricalRoc([1], [1]),
    ],
    ids=["separated", "far apart", "no spread", "constant"],
)
def test_what_leaves_the_picture_empty_says_so(roc):
    ax = plot_probit(roc)
    lies_inside = artist(ax, "probit-0").get_path().vertices
    end = ax.get_xlim()[1]
    inside = (np.abs(lies_inside) < end).all(axis=1).any()
    assert ("no point of the curve lies inside" in words(ax)) == (not inside)
    assert ax._repr_png_().startswith(b"\x89PNG") if hasattr(ax, "_repr_png_") else True


def test_manners():
    ax = Figure().add_subplot()
    roc = rp.PredictedRoc(rp.Gaussian(0, 1), rp.Gaussian(1, 1))
    assert plot_probit(roc, ax=ax) is ax
    assert plot_probit(roc, legend=False).get_legend() is None
    assert words(plot_probit(roc, roc, labels=["a", "b"], best=False, chance=False)) == [
        "1  a, AUC 0.760",
        "2  b, AUC 0.760",
    ]
    for lowest in (0, 0.3, 1e-9):
        with pytest.raises(rp.RocPredictError, match=r"min_rate=.* is outside \[1e-6, 0.2\]"):
            plot_probit(roc, min_rate=lowest)
    with pytest.raises(rp.RocPredictError, match="min_rate"):
        plot_probit(roc, min_rate=5)
