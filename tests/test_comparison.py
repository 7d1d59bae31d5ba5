"""Predicted against empirical: every number by an independent route."""

import numpy as np
import pytest
from scipy import stats

import rocpredict as rp
from rocpredict import Gaussian, PredictedRoc, compare
from rocpredict.datasets import load_iris, simulate_two_gaussians
from rocpredict.distributions.normality import (
    binormal_misfit,
    sample_moments,
    sort_and_scale,
    suppress_misfit_warning,
)
from tests.cases import ENGINES, check_each, check_refused
from tests.samples import pair_wins

IRIS = load_iris()
ROWS = IRIS.y != "setosa"
CASES = {name: (IRIS.column(name)[ROWS], (IRIS.y[ROWS] == "virginica").astype(int)) for name in IRIS.feature_names}
CASES["simulated"] = simulate_two_gaussians(count=(300, 200), rng=3)


def assert_by_brute_force(case):
    x, y = case
    n, p = x[y == 0], x[y == 1]
    laws = [stats.norm(v.mean(), v.std(ddof=1)) for v in (n, p)]
    result = compare(rp.predict_roc(x, y), rp.empirical_roc(x, y))
    auc = stats.norm.cdf((p.mean() - n.mean()) / np.hypot(n.std(ddof=1), p.std(ddof=1)))
    above = pair_wins(n, p)
    counted = above.mean()
    assert result.predicted_auc == pytest.approx(auc, rel=1e-13)
    assert result.empirical_auc == pytest.approx(counted, rel=1e-13)
    assert result.auc_error == pytest.approx(auc - counted, abs=1e-14)
    error = np.sqrt(above.mean(axis=1).var(ddof=1) / len(p) + above.mean(axis=0).var(ddof=1) / len(n))
    assert result.auc_error_z == pytest.approx((auc - counted) / error, rel=1e-9)
    assert (result.empirical_auc_low, result.empirical_auc_high) == tuple(rp.empirical_roc(x, y).auc_interval())
    assert result.empirical_auc_low < counted < result.empirical_auc_high
    assert result.ks_negative == pytest.approx(stats.kstest(n, laws[0].cdf).statistic, abs=1e-13)
    assert result.ks_positive == pytest.approx(stats.kstest(p, laws[1].cdf).statistic, abs=1e-13)
    assert result.ks == max(result.ks_negative, result.ks_positive)
    cuts = [*np.unique(x), np.inf]
    highest = max(((p >= t).mean() + (n < t).mean()) / 2 for t in cuts)
    at = result.predicted_threshold
    assert result.predicted_ameans == pytest.approx((laws[1].sf(at) + laws[0].cdf(at)) / 2, rel=1e-13)
    grid = np.linspace(x.min(), x.max(), 20001)
    assert result.predicted_ameans >= ((laws[1].sf(grid) + laws[0].cdf(grid)) / 2).max()
    assert result.ameans_at_predicted_threshold == pytest.approx(((p >= at).mean() + (n < at).mean()) / 2, abs=1e-15)
    assert result.empirical_ameans == pytest.approx(highest, abs=1e-15)
    assert result.threshold_regret == pytest.approx(highest - result.ameans_at_predicted_threshold, abs=1e-15)
    assert result.threshold_regret >= 0
    assert result.empirical_ameans_corrected == rp.empirical_roc(x, y).best_threshold().ameans_corrected
    assert 0.5 < result.empirical_ameans_corrected < result.empirical_ameans
    fpr = (np.arange(200_000) + 0.5) / 200_000
    corners = np.array([((n >= t).mean(), (p >= t).mean()) for t in cuts[::-1]])
    predicted, shown = laws[1].sf(laws[0].isf(fpr)), np.interp(fpr, *corners.T)
    middles = (np.arange(256) + 0.5) / 256
    apart = np.abs(laws[1].sf(laws[0].isf(middles)) - np.interp(middles, *corners.T)).mean()
    assert result.area_between == pytest.approx(apart, rel=1e-12)
    assert result.area_between == pytest.approx(np.abs(predicted - shown).mean(), rel=0.03)
    inside = (fpr > 1 / len(n)) & (fpr < 1 - 1 / len(n))
    gaps = (predicted - shown)[inside]
    largest = gaps[np.argmax(np.abs(gaps))]
    assert result.max_tpr_gap == pytest.approx(largest, abs=2e-3)  # the grid stops short of the corners
    assert abs(result.max_tpr_gap) >= abs(largest) - 1e-9
    assert 1 / len(n) <= result.max_tpr_gap_fpr <= 1 - 1 / len(n)


def test_every_number_by_brute_force():
    check_each(CASES, assert_by_brute_force)


def test_every_function_has_the_same_misfit():
    """``compare``, ``diagnose``, ``model_fit``, ``screen`` and the warning, with both kernels, to 1e-12."""

    def check(case):
        (x, y), direction, side = case
        with suppress_misfit_warning():
            predicted = rp.predict_roc(x, y, direction=direction)
        result = compare(predicted, rp.empirical_roc(x, y, direction=direction))
        diagnosis = rp.diagnose(x, y, direction=direction, n_resamples=20)
        values = [diagnosis.area_between, predicted.model_fit().area_between]
        for engine in ENGINES:
            table = rp.screen(np.column_stack([x, -x]), y, direction=direction, engine=engine).in_input_order()
            values.append(table["misfit"][0])
        samples = sort_and_scale(side * x[y == 0], side * x[y == 1])
        moments = sample_moments(samples[0]), sample_moments(samples[1])
        values.append(binormal_misfit(samples, moments).area_between)
        assert values == pytest.approx([result.area_between] * len(values), abs=1e-12)
        assert (diagnosis.max_tpr_gap, diagnosis.max_tpr_gap_fpr) == (result.max_tpr_gap, result.max_tpr_gap_fpr)

    higher = {f"{name}, higher": (CASES[name], "higher", 1) for name in CASES}
    check_each(higher | {f"{name}, lower": (CASES[name], "lower", -1) for name in CASES}, check)


def test_errors_have_the_sign_of_predicted_minus_empirical():
    """A prediction from the sample itself has no error."""
    empirical = rp.EmpiricalRoc(negative=[0, 1, 2, 3], positive=[2, 3, 4, 5])
    high = compare(PredictedRoc(negative=Gaussian(0, 1), positive=Gaussian(5, 1)), empirical)
    low = compare(PredictedRoc(negative=Gaussian(0, 1), positive=Gaussian(-5, 1)), empirical)
    assert high.auc_error > 0 > low.auc_error
    assert high.max_tpr_gap > 0 > low.max_tpr_gap
    x, y = CASES["petal_width"]
    result = compare(rp.predict_roc(x, y, family="empirical"), rp.empirical_roc(x, y))
    zeros = ("auc_error", "max_tpr_gap", "area_between", "ks", "ks_negative", "ks_positive", "threshold_regret")
    assert [getattr(result, name) for name in zeros] == [0] * len(zeros)
    assert result.predicted_threshold == result.empirical_threshold


def test_both_directions_compare_alike():
    x, y = CASES["petal_width"]
    up = compare(rp.predict_roc(x, y), rp.empirical_roc(x, y)).to_dict()
    down = compare(rp.predict_roc(-x, y, direction="lower"), rp.empirical_roc(-x, y, direction="lower")).to_dict()
    assert (up.pop("direction"), down.pop("direction")) == ("higher", "lower")
    for name in up:
        sign = -1 if name in {"predicted_threshold", "empirical_threshold"} else 1
        assert down[name] == pytest.approx(sign * up[name], abs=1e-12)


def test_invalid_comparisons_are_refused():
    empirical = rp.EmpiricalRoc(negative=[0, 1], positive=[1, 2])
    lower = rp.EmpiricalRoc(negative=[0, 1], positive=[1, 2], direction="lower")
    predicted = PredictedRoc(negative=Gaussian(0, 1), positive=Gaussian(1, 1))
    batch = PredictedRoc(negative=Gaussian([0, 1], 1), positive=Gaussian(1, 1))
    table = [
        (lambda: compare(1, empirical), "predicted=1 is not a ROC"),
        (
            lambda: compare(empirical, empirical),
            "predicted= is an empirical curve; to compare two samples, use rp.auc_test",
        ),
        (lambda: compare(predicted, predicted), "is not an empirical ROC curve; pass rp.empirical_roc"),
        (lambda: compare(batch, empirical), r"predicted is a batch of shape \(2,\); compare one feature at a time"),
        (
            lambda: compare(predicted, lower),
            "predicted has direction='higher', but empirical has direction='lower'; pass the same direction",
        ),
        (lambda: compare(predicted, empirical, level=95), "level=95 is outside"),
    ]
    check_refused(table)


def test_comparisons_of_degenerate_samples_are_finite():
    for classes in ([1, 2], [3, 4]), ([1], [2]), ([1, 1], [1, 1]), ([1], [1]), ([2], [1, 2, 3]):
        empirical = rp.EmpiricalRoc(negative=classes[0], positive=classes[1])
        result = compare(PredictedRoc(negative=Gaussian(0, 1), positive=Gaussian(1, 1)), empirical)
        assert np.isfinite(result.auc_error_z), classes
        assert np.sign(result.auc_error_z) == np.sign(result.auc_error), classes
        assert result.empirical_auc_low < result.empirical_auc_high, classes
        assert 0 <= result.empirical_ameans_corrected <= 1, classes


def test_the_level_is_that_of_the_interval():
    x, y = CASES["sepal_width"]
    rocs = rp.predict_roc(x, y), rp.empirical_roc(x, y)
    usual, narrow = compare(*rocs), compare(*rocs, level=0.5)
    assert (usual.level, narrow.level) == (0.95, 0.5)
    assert usual.empirical_auc_low < narrow.empirical_auc_low < narrow.empirical_auc_high < usual.empirical_auc_high


def test_a_fitted_prediction_is_close_to_its_data():
    """As documented: within 0.4 standard errors in 95 of 100 Gaussian draws, not of lognormal ones."""
    errors = {"gaussian": [], "lognormal": []}
    for seed in range(60):
        x, y = simulate_two_gaussians(mean=(0, 1.2), std=(1, 1), count=(50, 50), rng=seed)
        for name, values in (("gaussian", x), ("lognormal", np.exp(x)))[: 1 + (seed < 20)]:
            with suppress_misfit_warning():  # of the lognormal ones
                predicted = rp.predict_roc(values, y)
            errors[name].append(compare(predicted, rp.empirical_roc(values, y)).auc_error_z)
    assert np.quantile(np.abs(errors["gaussian"]), 0.95) < 0.4
    assert np.mean(errors["lognormal"]) < -1


def test_few_negatives_have_a_largest_difference():
    """With one or two negatives there is no FPR between the first step and the last: all FPRs are searched."""
    x, y = [2, 3, 1, 5], [0, 0, 1, 1]
    result = compare(rp.predict_roc(x, y), rp.empirical_roc(x, y))
    assert abs(result.max_tpr_gap) > result.area_between > 0.05
