"""Measures, costs and stability: what is drawn are the library's numbers."""

import numpy as np
import pytest
from scipy import stats

import rocpredict as rp
from rocpredict.plots.thresholds import plot_cost, plot_measures, plot_stability
from tests.pictures import artist, has, legend, words

PREDICTED = rp.PredictedRoc.from_stats(mean=(4, 8), std=(3, 2), count=(60, 40))
EMPIRICAL = rp.empirical_roc(*rp.datasets.simulate_two_gaussians(count=(60, 40), rng=1))


# ---- measures
def test_measures_are_those_of_the_rates():
    for prevalence in (None, 0.1):
        ax = plot_measures(PREDICTED, prevalence=prevalence)
        for name in ("ameans", "tpr", "tnr", "precision", "accuracy"):
            x, y = artist(ax, f"measure-{name}").get_data()
            np.testing.assert_array_equal(y, getattr(PREDICTED.rates(x, prevalence=prevalence), name))


@pytest.mark.parametrize("direction", ["higher", "lower"])
def test_steps_are_right_between_the_rows(direction):
    classes = ([1.0, 2, 2, 3], [2.0, 4, 5])
    pair = classes if direction == "higher" else tuple(np.negative(values) for values in classes)
    roc = rp.EmpiricalRoc(*pair, direction=direction)
    line = artist(plot_measures(roc, measures=["tpr", "tnr", "ameans"]), "measure-ameans")
    x, y = line.get_data()
    side = {"steps-pre": "left", "steps-post": "right"}[line.get_drawstyle()]
    for t in (*roc.negative.unique_values, *(roc.negative.unique_values + 0.37)):
        at = np.searchsorted(x, t, side=side) - (side == "right")
        assert y[at] == roc.rates(t).ameans


def test_the_best_of_each_criterion_is_circled():
    ax = plot_measures(PREDICTED, measures=["ameans", "accuracy", "f1", "tpr"], prevalence=0.2)
    assert artist(ax, "threshold").get_xdata()[0] == PREDICTED.best_threshold().threshold
    for name in ("accuracy", "f1"):
        best = PREDICTED.best_threshold(name, prevalence=0.2)
        (x,), (y,) = artist(ax, f"best-{name}").get_data()
        assert (x, y) == (best.threshold, pytest.approx(best.criterion_value, abs=1e-12))
        assert y >= artist(ax, f"measure-{name}").get_ydata().max() - 1e-12
    assert not has(ax, "best-tpr")
    assert not has(plot_measures(PREDICTED, best=False), "threshold")


def test_what_is_drawn_unasked_depends_on_a_known_prevalence():
    bare = rp.PredictedRoc(rp.Gaussian(4, 3), rp.Gaussian(8, 2))
    assert legend(plot_measures(bare)) == ["Ameans", "TPR", "TNR", "maximum"]
    assert "precision" in words(plot_measures(bare, prevalence=0.5))
    assert "precision" in words(plot_measures(PREDICTED))


# ---- costs
@pytest.mark.parametrize(
    "roc",
    [PREDICTED, EMPIRICAL, rp.PredictedRoc(stats.gamma(2), stats.gamma(4))],
    ids=["predicted", "empirical", "gamma"],
)
def test_the_cost_curve_is_the_cost_of_the_best_threshold(roc):
    """At each probability cost p: the best threshold where a positive has the share p and errors cost the same."""
    x, y = artist(plot_cost(roc), "cost-0").get_data()
    for at in (40, 130, 200, 310, 396):
        best = roc.best_threshold("cost", prevalence=x[at])
        assert y[at] == pytest.approx(x[at] * best.fnr + (1 - x[at]) * best.fpr, abs=1e-5)
    assert y[0] == y[-1] == 0
    assert (y <= np.minimum(x, 1 - x) + 1e-15).all()


def test_the_line_of_one_threshold_touches_its_curve_in_the_middle():
    ax, best = plot_cost(PREDICTED), PREDICTED.best_threshold()
    assert artist(ax, "threshold-0").get_ydata().tolist() == [best.fpr, best.fnr]
    x, y = artist(ax, "cost-0").get_data()
    assert y[x == 0.5] == pytest.approx(1 - best.ameans, abs=1e-5)
    assert (y <= best.fpr + (best.fnr - best.fpr) * x + 1e-5).all()


def test_the_place_of_use_is_marked():
    ax = plot_cost(PREDICTED, prevalence=0.1, cost_fp=2, cost_fn=5)
    assert artist(ax, "used").get_xdata()[0] == pytest.approx(0.5 / (0.5 + 1.8))
    assert not has(plot_cost(PREDICTED), "used")


# ---- stability
def test_shares_are_those_of_the_resamples():
    stability = EMPIRICAL.best_threshold().stability(n_resamples=500)
    ax = plot_stability(EMPIRICAL, n_resamples=500)
    stairs = artist(ax, "shares")
    if hasattr(stairs, "get_segments"):
        heights = [segment[1, 1] for segment in stairs.get_segments()]
        values, counts = np.unique(stability.thresholds, return_counts=True)
        assert [segment[0, 0] for segment in stairs.get_segments()] == values.tolist()
    else:
        heights, edges = stairs.get_data().values, stairs.get_data().edges
        counts = np.histogram(stability.thresholds, edges)[0]
    np.testing.assert_allclose(heights, counts / 500)
    assert sum(heights) == pytest.approx(1)
    assert artist(ax, "range").get_xdata().tolist() == [stability.quantiles[0.05], stability.quantiles[0.95]]
    assert artist(ax, "threshold").get_xdata()[0] == EMPIRICAL.best_threshold().threshold
    rates = (stability.ameans_in_sample, stability.ameans_oob)
    assert "Ameans: {:.3f} in sample, {:.3f} out of bag".format(*rates) in words(ax)


def test_many_distinct_thresholds_are_binned():
    x, y = rp.datasets.simulate_two_gaussians(count=(400, 400), rng=2)
    stairs = artist(plot_stability(rp.empirical_roc(x, y), n_resamples=300), "shares").get_data()
    assert stairs.values.sum() == pytest.approx(1)
    assert 10 <= len(stairs.values) <= 60


def test_a_best_threshold_for_another_criterion_can_be_drawn():
    other = {"criterion": "accuracy", "prevalence": 0.1}
    axes = [plot_stability(EMPIRICAL.best_threshold(**other), n_resamples=99)]
    axes.append(plot_stability(EMPIRICAL, **other, n_resamples=99))
    ranges = [artist(ax, "range").get_xdata().tolist() for ax in axes]
    assert ranges[0] == ranges[1]


def test_thresholds_at_infinity_are_counted():
    roc = rp.EmpiricalRoc([3, 4, 5], [1, 2, 3.5])
    share = np.isinf(roc.best_threshold().stability(n_resamples=200).thresholds).mean()
    assert 0 < share < 1
    text = artist(plot_stability(roc, n_resamples=200), "ameans").get_text()
    assert text.endswith(f"{100 * share:.3g}% beyond all finite values")
