"""Measures, costs and stability: what is drawn are the library's numbers, also at degenerate thresholds."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy import stats

import rocpredict as rp
from rocpredict.base.rates import ALIASES, MEASURES
from rocpredict.plots.thresholds import plot_cost, plot_measures, plot_stability

DEGENERATE = {
    "separated": rp.EmpiricalRoc([1, 2], [3, 4]),
    "constant": rp.EmpiricalRoc([1, 1], [1, 1]),
    "reversed": rp.EmpiricalRoc([3, 4], [1, 2]),
    "infinite rows": rp.EmpiricalRoc([-np.inf, 1, 2], [2, np.inf]),
    "only infinite rows": rp.EmpiricalRoc([-np.inf], [np.inf]),
    "identical": rp.PredictedRoc(rp.Gaussian(0, 1), rp.Gaussian(0, 1)),
    "always negative": rp.PredictedRoc(rp.Gaussian(0, 1), rp.Gaussian(-1, 1)),
    "no spread": rp.PredictedRoc(rp.Gaussian(0, 0), rp.Gaussian(1, 0)),
    "one without spread": rp.PredictedRoc(rp.Gaussian(0, 0), rp.Gaussian(1, 1)),
    "far apart": rp.PredictedRoc(rp.Gaussian(0, 1), rp.Gaussian(100, 1)),
    "discrete": rp.PredictedRoc(stats.binom(9, 0.2), stats.binom(9, 0.6)),
    "wide": rp.PredictedRoc(rp.Gaussian(0, 1e200), rp.Gaussian(1e200, 1e200)),
}


@pytest.fixture
def predicted():
    return rp.PredictedRoc.from_stats(mean=(4, 8), std=(3, 2), count=(60, 40))


@pytest.fixture(scope="module")
def empirical():
    return rp.empirical_roc(*rp.datasets.simulate_two_gaussians(count=(60, 40), seed=1))


def artist(ax, gid):
    (found,) = [a for a in ax.get_children() if a.get_gid() == gid]
    return found


def there(ax, gid):
    return any(a.get_gid() == gid for a in ax.get_children())


def words(ax):
    return [text.get_text() for text in [*ax.texts, *ax.get_legend().get_texts()]]


# ---- measures
def test_measures_are_those_of_the_rates(predicted):
    """Each line at its own thresholds, given prevalence or that of the counts."""
    for prevalence in (None, 0.1):
        ax = plot_measures(predicted, prevalence=prevalence)
        for name in ("ameans", "tpr", "tnr", "precision", "accuracy"):
            x, y = artist(ax, f"measure-{name}").get_data()
            np.testing.assert_array_equal(y, getattr(predicted.rates(x, prevalence=prevalence), name))


@pytest.mark.parametrize("direction", ["higher", "lower"])
def test_steps_are_right_between_the_rows(direction):
    """What the steps show at a threshold between two rows, and on a row, is the measure there."""
    classes = ([1.0, 2, 2, 3], [2.0, 4, 5])
    pair = classes if direction == "higher" else tuple(np.negative(values) for values in classes)
    roc = rp.EmpiricalRoc(*pair, direction=direction)
    line = artist(plot_measures(roc, measures=["tpr", "tnr", "ameans"]), "measure-ameans")
    x, y = line.get_data()
    side = {"steps-pre": "left", "steps-post": "right"}[line.get_drawstyle()]
    for t in (*roc.negative.unique_values, *(roc.negative.unique_values + 0.37)):
        at = np.searchsorted(x, t, side=side) - (side == "right")
        assert y[at] == roc.rates(t).ameans


def test_the_best_of_each_criterion_is_circled(predicted):
    ax = plot_measures(predicted, measures=["ameans", "accuracy", "f1", "tpr"], prevalence=0.2)
    assert artist(ax, "threshold").get_xdata()[0] == predicted.best_threshold().threshold
    for name in ("accuracy", "f1"):
        best = predicted.best_threshold(name, prevalence=0.2)
        (x,), (y,) = artist(ax, f"best-{name}").get_data()
        assert (x, y) == (best.threshold, pytest.approx(best.criterion_value, abs=1e-12))
        assert y >= artist(ax, f"measure-{name}").get_ydata().max() - 1e-12
    assert not there(ax, "best-tpr")
    assert not there(plot_measures(predicted, best=False), "threshold")


def test_what_is_drawn_unasked_depends_on_a_known_prevalence(predicted):
    bare = rp.PredictedRoc(rp.Gaussian(4, 3), rp.Gaussian(8, 2))
    assert [text.get_text() for text in plot_measures(bare).get_legend().get_texts()] == [
        "Ameans",
        "TPR",
        "TNR",
        "its highest",
    ]
    assert "precision" in words(plot_measures(bare, prevalence=0.5))
    assert "precision" in words(plot_measures(predicted))


def test_every_bounded_measure_can_be_drawn_and_no_other(predicted):
    bounded = [name for name in MEASURES if not name.endswith(("likelihood_ratio", "odds_ratio", "prevalence"))]
    ax = plot_measures(predicted, measures=[*bounded, "recall", "ppv"])
    low, high = ax.get_ylim()
    for name in [*bounded, "recall", "ppv"]:
        y = artist(ax, f"measure-{name}").get_ydata()
        assert low <= np.nanmin(y) <= np.nanmax(y) <= high
    for name in ("positive_likelihood_ratio", "diagnostic_odds_ratio"):
        with pytest.raises(rp.RocPredictError, match="has no bound"):
            plot_measures(predicted, measures=[name])
    for wrong in (["tpr", "beauty"], ["prevalence"], [3], [None]):
        with pytest.raises(rp.RocPredictError, match=r"measures=.* is not allowed; choose one of 'tpr'"):
            plot_measures(predicted, measures=wrong)
    for wrong in ("tpr", []):
        with pytest.raises(rp.RocPredictError, match="is no list of measures"):
            plot_measures(predicted, measures=wrong)
    assert "base_rate" in ALIASES
    with pytest.raises(rp.RocPredictError, match="is not allowed"):
        plot_measures(predicted, measures=["base_rate"])
    with pytest.raises(rp.RocPredictError, match="needs a prevalence"):
        plot_measures(rp.PredictedRoc(rp.Gaussian(0, 1), rp.Gaussian(1, 1)), measures=["precision"])


# ---- costs
@pytest.mark.parametrize("kind", ["predicted", "empirical", "gamma"])
def test_the_cost_curve_is_the_cost_of_the_best_threshold(request, kind):
    """At each probability cost p: the best threshold where a positive has the share p and errors cost the same."""
    roc = rp.PredictedRoc(stats.gamma(2), stats.gamma(4)) if kind == "gamma" else request.getfixturevalue(kind)
    x, y = artist(plot_cost(roc), "cost-0").get_data()
    for at in (40, 130, 200, 310, 396):
        found = roc.best_threshold("cost", prevalence=x[at])
        assert y[at] == pytest.approx(x[at] * found.fnr + (1 - x[at]) * found.fpr, abs=1e-5)
    assert y[0] == y[-1] == 0
    assert (y <= np.minimum(x, 1 - x) + 1e-15).all()


def test_the_line_of_one_threshold_touches_its_curve_in_the_middle(predicted):
    ax, best = plot_cost(predicted), predicted.best_threshold()
    assert artist(ax, "threshold-0").get_ydata().tolist() == [best.fpr, best.fnr]
    x, y = artist(ax, "cost-0").get_data()
    assert y[x == 0.5] == pytest.approx(1 - best.ameans, abs=1e-5)
    assert (y <= best.fpr + (best.fnr - best.fpr) * x + 1e-5).all()


def test_the_place_of_use_is_marked(predicted):
    ax = plot_cost(predicted, prevalence=0.1, cost_fp=2, cost_fn=5)
    assert artist(ax, "used").get_xdata()[0] == pytest.approx(0.5 / (0.5 + 1.8))
    assert not there(plot_cost(predicted), "used")
    with pytest.raises(rp.RocPredictError, match="give prevalence="):
        plot_cost(predicted, cost_fn=5)
    with pytest.raises(rp.RocPredictError, match="leave no error that costs anything"):
        plot_cost(predicted, prevalence=0, cost_fp=0)
    for wrong in ({"cost_fp": -1}, {"cost_fn": np.nan}, {"prevalence": 20}, {"cost_fp": [1, 2]}):
        with pytest.raises(rp.RocPredictError, match=next(iter(wrong))):
            plot_cost(predicted, **({"prevalence": 0.5} | wrong))


# ---- stability
def test_shares_are_those_of_the_resamples(empirical):
    found = empirical.best_threshold().stability(n_resamples=500)
    ax = plot_stability(empirical, n_resamples=500)
    stairs = artist(ax, "shares")
    if hasattr(stairs, "get_segments"):
        heights = [segment[1, 1] for segment in stairs.get_segments()]
        values, counts = np.unique(found.thresholds, return_counts=True)
        assert [segment[0, 0] for segment in stairs.get_segments()] == values.tolist()
    else:
        heights, edges = stairs.get_data().values, stairs.get_data().edges
        counts = np.histogram(found.thresholds, edges)[0]
    np.testing.assert_allclose(heights, counts / 500)
    assert sum(heights) == pytest.approx(1)
    assert artist(ax, "range").get_xdata().tolist() == [found.quantiles[0.05], found.quantiles[0.95]]
    assert artist(ax, "threshold").get_xdata()[0] == empirical.best_threshold().threshold
    told = f"Ameans: {found.ameans_in_sample:.3f} on these rows, {found.ameans_oob:.3f} on others"
    assert told in words(ax)


def test_many_distinct_thresholds_are_binned():
    x, y = rp.datasets.simulate_two_gaussians(count=(400, 400), seed=2)
    stairs = artist(plot_stability(rp.empirical_roc(x, y), n_resamples=300), "shares").get_data()
    assert stairs.values.sum() == pytest.approx(1)
    assert 10 <= len(stairs.values) <= 60


def test_a_best_threshold_for_another_criterion_can_be_drawn(empirical):
    best = empirical.best_threshold("accuracy", prevalence=0.1)
    drawn = [
        artist(plot_stability(best, n_resamples=99), "range").get_xdata().tolist(),
        artist(plot_stability(empirical, criterion="accuracy", prevalence=0.1, n_resamples=99), "range")
        .get_xdata()
        .tolist(),
    ]
    assert drawn[0] == drawn[1]


def test_thresholds_at_infinity_are_counted():
    roc = rp.EmpiricalRoc([3, 4, 5], [1, 2, 3.5])
    found = roc.best_threshold().stability(n_resamples=200)
    share = np.isinf(found.thresholds).mean()
    assert 0 < share < 1
    told = artist(plot_stability(roc, n_resamples=200), "told").get_text()
    assert told.endswith(f"{100 * share:.3g} % beyond all finite values")


def test_stability_is_of_counted_thresholds(predicted, empirical):
    with pytest.raises(rp.RocPredictError, match="stability is asked of a threshold that was chosen by counting"):
        plot_stability(predicted)
    with pytest.raises(rp.RocPredictError, match="neither a ROC nor a best threshold"):
        plot_stability(3)
    with pytest.raises(rp.RocPredictError, match=r"n_resamples=1\.5 is not a whole number"):
        plot_stability(empirical, n_resamples=1.5)
    with pytest.raises(rp.RocPredictError, match="has its criterion"):
        plot_stability(empirical.best_threshold(), criterion="f1")
    with pytest.raises(rp.RocPredictError, match="batch of shape"):
        plot_stability(rp.PredictedRoc.from_stats(effect_size=[1, 2], count=(9, 9)))


# ---- all of them
@pytest.mark.parametrize("name", DEGENERATE)
def test_degenerate_rocs_are_drawn(name):
    roc = DEGENERATE[name]
    pictures = [plot_measures, lambda roc: plot_measures(roc, prevalence=0), plot_cost]
    if isinstance(roc, rp.EmpiricalRoc):
        pictures.append(lambda roc: plot_stability(roc, n_resamples=50))
    for draw in pictures:
        ax = draw(roc)
        ax.figure.draw_without_rendering()
        assert np.isfinite([ax.get_xlim(), ax.get_ylim()]).all()


def test_manners(predicted, empirical):
    for draw in (plot_measures, plot_cost, plot_stability):
        ax = Figure().add_subplot()
        assert draw(empirical, ax=ax) is ax
        assert draw(empirical, legend=False).get_legend() is None
        with pytest.raises(rp.RocPredictError, match="is not a matplotlib Axes"):
            draw(empirical, ax="ax")
    for draw in (plot_measures, plot_cost):
        with pytest.raises(rp.RocPredictError, match="is not a ROC"):
            draw("roc")
    with pytest.raises(rp.RocPredictError, match="no ROC to draw"):
        plot_cost()
    assert words(plot_cost(predicted, empirical, labels=["a", "b"]))[:2] == ["1  a", "2  b"]
