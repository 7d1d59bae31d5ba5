"""The mean ROC curve: by hand and by its area, and its band, which never has a width of 0."""

import json
from functools import partial
from itertools import product

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy import stats

from rocpredict import empirical_roc, plots
from rocpredict.base.formatting import to_json
from rocpredict.datasets import load_pima
from rocpredict.plots.curves import plot_mean_roc
from rocpredict.roc.mean_curve import mean_roc
from rocpredict.solvers.base import area_under
from tests.cases import check_refused

STEPS = [([1, 2, 3, 4], [0, 0, 1, 1]), ([1, 3, 2, 4], [0, 0, 1, 1]), ([1, 2, 2, 4], [0, 0, 1, 1])]


def drawn(k, n=30, seed=0, shift=1.2, decimals=None):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    scores = [rng.normal(size=n) + shift * y for _ in range(k)]
    return [(x if decimals is None else x.round(decimals), y) for x in scores]


def test_three_folds_by_hand():
    """A perfect fold, one with a wrong pair, one with a tie, which runs diagonally from (0, 1/2) to (1/2, 1)."""
    mean = mean_roc(STEPS)
    assert mean.fpr.tolist() == [0, 0, 0.5, 0.5, 1]
    assert mean.tpr == pytest.approx([0, 2 / 3, (1 + 1 / 2 + 1) / 3, 1, 1], abs=1e-15)
    assert mean.std == pytest.approx([0, np.std([1, 0.5, 0.5], ddof=1), np.std([1, 0.5, 1], ddof=1), 0, 0], abs=1e-15)
    assert mean.aucs.tolist() == [1, 0.75, 0.875]
    assert mean.auc == 0.875
    assert mean.fold_sizes.tolist() == [[2, 2]] * 3
    assert mean.n_folds == 3
    assert mean.tpr_at_fpr(0.25) == pytest.approx((1 + 0.5 + 0.75) / 3, abs=1e-15)
    assert mean.tpr_at_fpr(0.5) == 1
    grid = np.array([[0, 0.25], [0.5, 1]])
    assert mean.tpr_at_fpr(grid).tolist() == [[mean.tpr_at_fpr(fpr) for fpr in row] for row in grid]
    assert mean.tpr_at_fpr([0, 1]).tolist() == [pytest.approx(2 / 3, abs=1e-15), 1]
    assert isinstance(mean.tpr_at_fpr(0), float)
    stored = json.loads(to_json(mean.to_dict()))
    assert (stored["n_folds"], stored["aucs"]) == (3, [1, 0.75, 0.875])
    assert stored["auc_interval"]["estimate"] == stored["auc"] == 0.875
    assert repr(mean).startswith("MeanRoc(n_folds=3, auc=0.875 (")
    assert "\n" not in repr(mean)


def test_rows_without_a_value_are_left_out_on_request():
    gaps = [([*x, np.nan], [*y, 1]) for x, y in STEPS]
    mean = mean_roc(gaps, nan_policy="omit")
    assert to_json(mean.to_dict()) == to_json(mean_roc(STEPS).to_dict())
    assert [roc.omitted for roc in mean.fold_rocs] == [(0, 1)] * 3


@pytest.mark.extra("sklearn")
def test_the_area_under_the_exact_curve_is_the_mean_auc():
    """Averaging vertically commutes with taking the area, ties and unequal folds included."""
    from sklearn.metrics import auc as trapezoid

    for decimals, direction in product((None, 0, 1), ("higher", "lower")):
        folds = drawn(4, 31, decimals=decimals) + drawn(3, 18, seed=1, decimals=decimals)
        mean = mean_roc(folds, direction=direction)
        assert area_under(mean.fpr, mean.tpr) == pytest.approx(mean.auc, abs=1e-14), (decimals, direction)
        assert trapezoid(mean.fpr, mean.tpr) == pytest.approx(mean.auc, abs=1e-14)
        assert mean.aucs == pytest.approx([empirical_roc(x, y, direction=direction).auc() for x, y in folds], abs=0)
        assert (mean.fpr[0], mean.tpr[0], mean.fpr[-1], mean.tpr[-1]) == (0, 0, 1, 1)
        assert np.all(np.diff(mean.fpr) >= 0)
        assert np.all(np.diff(mean.tpr) >= 0)


@pytest.mark.extra("sklearn")
def test_folds_of_scikit_learn():
    """Stratified folds of real data: each AUC is scikit-learn's, each TPR the mean of the folds' own.

    n_points= thins the curve; where a fold rises at a grid point both ends stay.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import StratifiedKFold

    pima = load_pima()
    X, y = pima.X / pima.X.max(axis=0), (pima.y == "pos").astype(int)
    folds = []
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
        model = LogisticRegression().fit(X[train], y[train])
        folds.append((model.decision_function(X[test]), y[test]))
    mean = mean_roc(folds)
    assert mean.aucs == pytest.approx([roc_auc_score(y, x) for x, y in folds], abs=1e-14)
    assert mean.fold_sizes.sum(axis=0).tolist() == [500, 268]
    for fpr in (0, 0.05, 0.1, 0.333, 0.5, 1):
        rates = [empirical_roc(x, y).tpr_at_fpr(fpr) for x, y in folds]
        assert mean.tpr_at_fpr(fpr) == pytest.approx(np.mean(rates), abs=1e-14)
    assert 0.78 < mean.auc_interval.low < mean.auc < mean.auc_interval.high < 0.88
    for sample in (folds, drawn(4, 40)):
        exact, thin = mean_roc(sample), mean_roc(sample, n_points=11)
        at = np.unique(thin.fpr)
        assert at == pytest.approx(np.linspace(0, 1, 11))
        assert thin.tpr_at_fpr(at) == pytest.approx(exact.tpr_at_fpr(at), abs=1e-14)
        assert (thin.fpr[0], thin.tpr[0]) == (0, 0)
        assert thin.auc == exact.auc


def test_the_band_by_another_route():
    """Wilson's equation (mean - p)² = t² p (1 - p)/m at both ends, m from the spread of the folds or the positives."""
    folds = drawn(5, 60)
    mean = mean_roc(folds, level=0.9)
    t = stats.t(4).ppf(0.95)
    inside = (mean.fpr > 0) & (mean.fpr < 1) & (mean.tpr < 1)
    tpr, error = mean.tpr[inside], mean.std[inside] / np.sqrt(5)
    with np.errstate(divide="ignore"):
        cases = np.minimum(tpr * (1 - tpr) / error**2, 150)
    assert cases.min() < 100
    for end in (mean.low[inside], mean.high[inside]):
        assert (tpr - end) ** 2 == pytest.approx(t**2 * end * (1 - end) / cases, abs=1e-12)
    assert np.all(mean.low <= mean.tpr)
    assert np.all(mean.tpr <= mean.high)
    assert mean.low.min() >= 0
    assert mean.high.max() <= 1


def test_the_interval_of_the_mean_auc_covers_it():
    """500 draws of 5 independent folds: the share of intervals that hold the true AUC is at least 0.95 less 4 standard
    errors (false failure: below 1 in 10^4; the seed is fixed)."""
    rng = np.random.default_rng(11)
    truth = stats.norm.cdf(1.2 / np.sqrt(2))
    y = np.repeat([0, 1], [40, 15])
    inside = [
        truth in mean_roc([(rng.normal(size=55) + 1.2 * y, y) for _ in range(5)], n_points=2).auc_interval
        for _ in range(500)
    ]
    assert np.mean(inside) > 0.95 - 4 * np.sqrt(0.95 * 0.05 / 500)


def test_folds_that_agree_are_no_certainty():
    """All folds perfect: std is 0, and band and interval have a width; with few positives a wide one (T7)."""
    mean = mean_roc([(np.arange(20), np.arange(20) >= 10)] * 3)
    assert mean.auc == mean.auc_interval.high == 1
    assert mean.auc_interval.low < 0.9
    assert list(mean.flags) == ["fallback"]
    assert mean.low[1] < 0.9
    few = mean_roc([(np.arange(1000), np.arange(1000) >= 999)] * 3)
    assert few.auc_interval.low < mean.auc_interval.low
    chance = mean_roc([([1, 1, 1, 1], [0, 1, 0, 1])] * 2)
    assert chance.auc_interval.low < 0.05
    assert chance.auc_interval.high > 0.95
    low, high = mean_roc(drawn(2)).auc_interval  # one degree of freedom
    assert 0 <= low < high - 0.3 <= 0.7


def test_rocs_and_pairs_give_the_same():
    folds = drawn(3)
    words = np.array(["neg", "pos"])
    expected = to_json(mean_roc(folds).to_dict())
    assert to_json(mean_roc(empirical_roc(x, y) for x, y in folds).to_dict()) == expected
    assert to_json(mean_roc([(x, words[y]) for x, y in folds], positive="pos").to_dict()) == expected
    turned = mean_roc([(-x, y) for x, y in folds], direction="lower")
    assert to_json(turned.to_dict()) == expected


REFUSED = [
    (STEPS[:1], {}, "folds has length 1; pass at least two folds"),
    ([], {}, "folds has length 0"),
    (5, {}, "folds=5 is not a list of folds"),
    (empirical_roc(*STEPS[0]), {}, "is not a list of folds"),
    ([STEPS[0], [1, 2, 3]], {}, r"folds\[1\]=.* is not a pair; pass \(x, y\) or an EmpiricalRoc"),
    ([STEPS[0], ([1, 2], [1, 1])], {}, r"folds\[1\]: y has only the label 1; two classes"),
    ([STEPS[0], ([1, np.nan], [0, 1])], {}, r"folds\[1\]: x has missing values.*nan_policy='omit'"),
    (STEPS, {"direction": "auto"}, "direction='auto' could select a different direction in each fold"),
    ([empirical_roc(*STEPS[0], direction="lower"), STEPS[1]], {}, "folds have different directions"),
    (STEPS, {"n_points": 1}, "n_points=1 is not between 2 and 10000000"),
    (STEPS, {"n_points": 2.5}, "n_points=2.5 is not an integer"),
    (STEPS, {"level": 0}, "level=0 is outside"),
    (STEPS, {"nan_policy": "drop"}, r"folds\[0\]: nan_policy='drop' is not allowed"),
    (STEPS, {"positive": "pos"}, r"folds\[0\]: positive='pos' is not a label in y"),
]


def test_invalid_arguments_are_refused():
    mean = mean_roc(STEPS)
    others = [
        (lambda: mean.tpr_at_fpr(2), "fpr=2 is outside"),
        (lambda: mean.tpr_at_fpr(np.nan), "fpr=nan contains NaN"),
        (lambda: mean.tpr_at_fpr("a"), "fpr='a' is not a real number"),
        (plot_mean_roc, "no mean ROC was passed"),
        (lambda: plot_mean_roc(1), "mean=1 is not a MeanRoc"),
        (lambda: plot_mean_roc(mean, mean, labels=["a"]), "is not a list of 2 names; pass one name for each mean ROC"),
    ]
    check_refused([*((partial(mean_roc, folds, **options), words) for folds, options, words in REFUSED), *others])


def test_the_picture_shows_the_numbers_of_the_mean():
    mean = mean_roc(STEPS)
    ax = plot_mean_roc(mean)
    artists = {artist.get_gid(): artist for artist in ax.get_children() if artist.get_gid()}
    assert set(artists) == {"mean-0", "band-0", "fold-0", "fold-1", "fold-2"}
    assert np.array_equal(artists["mean-0"].get_xydata(), np.column_stack([mean.fpr, mean.tpr]))
    assert np.array_equal(artists["fold-1"].get_ydata(), mean.fold_rocs[1].curve().tpr)
    corners = artists["band-0"].get_paths()[0].vertices
    assert corners[:, 1].min() == mean.low.min()
    assert {round(y, 12) for y in mean.low} <= {round(float(y), 12) for y in corners[:, 1]}
    low, high = mean.auc_interval
    text = ax.get_legend().get_texts()[0].get_text()
    assert text == f"mean of 3, AUC 0.875 (95% CI {low:.3f} to {high:.3f})"


def test_means_are_drawn_on_the_axes_that_are_given():
    """``mean.plot()`` is ``plot_mean_roc`` with its options: names, without folds, band or legend on request."""
    means, ax, other = [mean_roc(STEPS), mean_roc(drawn(3))], Figure().add_subplot(), Figure().add_subplot()
    assert means[0].plot(ax, show_folds=False, chance=False) is ax
    assert [line.get_gid() for line in ax.lines] == ["mean-0"]
    assert plots.plot_mean_roc is plot_mean_roc
    assert plot_mean_roc(*means, ax=other, labels=["$a$", "b"], band=False, chance=False) is other
    assert [line.get_gid() for line in other.lines] == ["mean-0", "mean-1"]
    assert [text.get_text().split(",")[0] for text in other.get_legend().get_texts()] == ["$a$", "b"]
    assert plot_mean_roc(*means, legend=False).get_legend() is None
