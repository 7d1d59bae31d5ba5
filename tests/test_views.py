"""Precision-recall and decision curves against scikit-learn, explicit formulas and other computations."""

import json

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad
from scipy.special import ndtr

from rocpredict import EmpiricalRoc, Gaussian, PredictedRoc, empirical_roc, predict_roc
from rocpredict.base.formatting import to_json
from rocpredict.roc.curves import DecisionCurve, PrecisionRecallCurve
from tests.cases import for_each, refuses

CLOSE = 1e-14


def drawn(decimals=None, n=400, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.uniform(size=n) < 0.3
    x = rng.normal(size=n) + 1.1 * y
    return (x if decimals is None else x.round(decimals)), y.astype(int)


@pytest.mark.extra("sklearn")
@for_each(["higher", "lower"], [None, 1, 0])
def test_points_and_average_precision_are_scikit_learns(direction, decimals):
    """At the sample's own prevalence, ties included: every point, the first (1 by convention), and the AP."""
    from sklearn.metrics import average_precision_score, precision_recall_curve

    x, y = drawn(decimals)
    curve = empirical_roc(x if direction == "higher" else -x, y, direction=direction).precision_recall_curve()
    precision, recall, thresholds = precision_recall_curve(y, x)
    assert curve.recall == pytest.approx(recall[::-1], abs=0)
    assert curve.precision == pytest.approx(precision[::-1], abs=CLOSE)
    assert curve.average_precision() == pytest.approx(average_precision_score(y, x), abs=CLOSE)
    assert len(curve) == len(thresholds) + 1


@pytest.mark.extra("sklearn")
def test_another_prevalence_is_scikit_learns_with_weights():
    """Weighing the positives so that they are 5% of all changes precision as prevalence=0.05 does."""
    from sklearn.metrics import average_precision_score

    x, y = drawn(1)
    weights = np.where(y == 1, 0.05 / y.sum(), 0.95 / (1 - y).sum())
    curve = empirical_roc(x, y).precision_recall_curve(prevalence=0.05)
    assert curve.average_precision() == pytest.approx(average_precision_score(y, x, sample_weight=weights), abs=1e-13)
    assert curve.precision[-1] == pytest.approx(0.05, abs=CLOSE)


def test_three_and_four_by_hand():
    """Negatives 1 2 3, positives 2 3 4 5: AP = 1/4 + 1/4 + 1/4 3/4 + 1/4 4/6."""
    curve = EmpiricalRoc([1, 2, 3], [2, 3, 4, 5]).precision_recall_curve()
    assert curve.thresholds.tolist() == [np.inf, 4.5, 3.5, 2.5, 1.5, -np.inf]
    assert curve.precision == pytest.approx([1, 1, 1, 3 / 4, 4 / 6, 4 / 7], abs=CLOSE)
    assert curve.average_precision() == pytest.approx(41 / 48, abs=CLOSE)


@for_each([0.5, 0.01], [(0, 1, 1.2, 1), (0, 1, 0.5, 2), (0, 2, 1, 1), (0, 1, -1, 1), (1e6, 1, 1e6 + 1, 2)])
def test_average_precision_of_two_gaussians(prevalence, *moments):
    """The integral of precision over recall, by scipy's quad over the positive density."""
    m0, s0, m1, s1 = moments
    roc = PredictedRoc(Gaussian(m0, s0), Gaussian(m1, s1))

    def integrand(z):
        above = prevalence * ndtr(-z)
        wrong = (1 - prevalence) * ndtr(-((m1 - m0) + s1 * z) / s0)
        return np.exp(-z * z / 2) / np.sqrt(2 * np.pi) * above / (above + wrong)

    wanted = quad(integrand, -12, 0, epsabs=1e-13)[0] + quad(integrand, 0, 12, epsabs=1e-13)[0]
    curve = roc.precision_recall_curve(prevalence=prevalence)
    assert curve.average_precision() == pytest.approx(wanted, abs=1e-10)
    precision = curve.precision
    assert np.trapezoid(precision, curve.recall) == pytest.approx(wanted, abs=2e-4)


def test_average_precision_of_whole_numbers_and_of_samples_by_two_routes():
    """Poisson classes by a sum over their values; two Ecdfs as a prediction give what they give when counted."""
    k = np.arange(80)
    mass, tpr, fpr = stats.poisson(4).pmf(k), stats.poisson(4).sf(k - 1), stats.poisson(2).sf(k - 1)
    curve = PredictedRoc(stats.poisson(2), stats.poisson(4)).precision_recall_curve(prevalence=0.3)
    assert curve.average_precision() == pytest.approx(mass @ (0.3 * tpr / (0.3 * tpr + 0.7 * fpr)), abs=1e-12)
    x, y = drawn(1)
    counted, predicted = empirical_roc(x, y), predict_roc(x, y, family="empirical")
    assert (
        predicted.precision_recall_curve().average_precision() == counted.precision_recall_curve().average_precision()
    )


@for_each(
    [
        (PredictedRoc.from_stats(mean=(0, 90), std=(1, 1)), 1.0),
        (PredictedRoc.from_stats(mean=(0, 0), std=(0, 0)), 0.3),
        (PredictedRoc.from_stats(mean=(0, 1), std=(0, 0)), 1.0),
        (PredictedRoc.from_stats(mean=(1, 0), std=(0, 0)), 0.3),
        (PredictedRoc.from_stats(mean=(90, 0), std=(1, 1)), None),
        (PredictedRoc.from_stats(mean=(0, 1), std=(0, 1)), None),
        (PredictedRoc.from_stats(mean=(0, 1), std=(1, 0)), 0.3 / (0.3 + 0.7 * ndtr(-1))),
        (EmpiricalRoc([1], [2]), 1.0),
        (EmpiricalRoc([2], [1]), 0.3),
        (EmpiricalRoc([1, 1], [1, 1]), 0.3),
        (EmpiricalRoc([-np.inf, np.inf], [np.inf]), 0.3 / (0.3 + 0.35)),
    ]
)
def test_degenerate_classes_give_numbers(roc, ap):
    curve, decision = roc.precision_recall_curve(prevalence=0.3), roc.decision_curve(prevalence=0.3)
    assert np.isfinite(curve.precision).all()
    assert 0 <= curve.precision.min() <= curve.precision.max() <= 1
    assert np.isfinite([decision.net_benefit, decision.tpr, decision.fpr]).all()
    result = curve.average_precision()
    assert 0 < result <= 1
    if ap is not None:
        assert result == pytest.approx(ap, abs=1e-12)


# ---- net benefit
ROCS = {
    "gaussian": PredictedRoc(Gaussian(4, 3), Gaussian(8, 2)),
    "gaussian, lower": PredictedRoc(Gaussian(8, 2), Gaussian(4, 3), direction="lower"),
    "scipy": PredictedRoc(stats.gamma(2), stats.gamma(4)),
    "transformed": predict_roc(*drawn(), family="boxcox"),
    "counted": empirical_roc(*drawn()),
    "counted, ties": empirical_roc(*drawn(0)),
    "counted, lower": empirical_roc(-drawn()[0], drawn()[1], direction="lower"),
    "separated": EmpiricalRoc([1, 2], [3, 4]),
}


@for_each(ROCS)
def test_thresholds_are_the_best_for_costs_p_and_1_minus_p(roc):
    p = np.array([0.02, 0.1, 0.25, 0.5, 0.7, 0.95])
    curve = roc.decision_curve(prevalence=0.2, probabilities=p)
    for k, share in enumerate(p):
        best = roc.best_threshold("cost", prevalence=0.2, cost_fp=share, cost_fn=1 - share)
        assert curve.thresholds[k] == best.threshold
        rates = roc.rates(best.threshold)
        assert (curve.tpr[k], curve.fpr[k]) == pytest.approx((rates.tpr, rates.fpr), abs=CLOSE)
        odds = share / (1 - share)
        assert curve.net_benefit[k] == pytest.approx(0.2 * rates.tpr - 0.8 * rates.fpr * odds, abs=CLOSE)
        assert curve.treat_all[k] == pytest.approx(0.2 - 0.8 * odds, abs=CLOSE)
    assert curve.treat_none.tolist() == [0] * 6
    # the best rule is never worse than all or none, and falls
    curve = roc.decision_curve(prevalence=0.2, probabilities=np.arange(1, 20) / 20)
    assert (curve.net_benefit >= np.maximum(curve.treat_all, 0) - CLOSE).all()
    assert (np.diff(curve.net_benefit) <= CLOSE).all()
    assert curve.net_benefit.max() <= 0.2


@pytest.mark.extra("sklearn")
@for_each([None, 1, 0])
def test_best_curve_equals_an_isotonic_calibration(decimals):
    """Isotonic regression makes probabilities of x; thresholded at p, on the same rows, they do as well as "best"."""
    from sklearn.isotonic import IsotonicRegression

    x, y = drawn(decimals)
    best = empirical_roc(x, y).decision_curve()
    calibrated = np.clip(IsotonicRegression().fit(x, y).predict(x), 0, 1)
    classical = empirical_roc(calibrated, y).decision_curve(rule="probability")
    assert classical.net_benefit == pytest.approx(best.net_benefit, abs=1e-13)


def test_the_classical_curve_counts_rows_at_p():
    """(TP - FP p/(1 - p))/n, counted; never above "best", and below none or all where probabilities are wrong."""
    x, y = drawn()
    wrong = ndtr(3 * x)
    p = np.array([0.05, 0.2, 0.5, 0.8])
    roc = empirical_roc(wrong, y)
    curve = roc.decision_curve(rule="probability", probabilities=p)
    called = wrong >= p[:, None]
    counted = ((called & (y == 1)).sum(axis=1) - (called & (y == 0)).sum(axis=1) * p / (1 - p)) / len(y)
    assert curve.net_benefit == pytest.approx(counted, abs=CLOSE)
    assert curve.thresholds.tolist() == p.tolist()
    assert (curve.net_benefit <= roc.decision_curve(probabilities=p).net_benefit + CLOSE).all()
    assert curve.net_benefit.min() < 0


def test_a_predicted_probability_has_the_classical_curve_too():
    roc = PredictedRoc(stats.beta(1, 4), stats.beta(3, 2))
    curve = roc.decision_curve(prevalence=0.4, rule="probability", probabilities=[0.3])
    wanted = 0.4 * stats.beta(3, 2).sf(0.3) - 0.6 * stats.beta(1, 4).sf(0.3) * 0.3 / 0.7
    assert curve.net_benefit[0] == pytest.approx(wanted, abs=1e-13)


def test_views_are_values():
    roc = ROCS["gaussian"]
    curve, decision = roc.precision_recall_curve(prevalence=0.2, n_points=9), roc.decision_curve(prevalence=0.2)
    assert isinstance(curve, PrecisionRecallCurve)
    assert isinstance(decision, DecisionCurve)
    assert repr(curve).startswith("PrecisionRecallCurve(9 points, prevalence=0.2, average_precision=0.")
    assert repr(decision) == "DecisionCurve(probabilities=0.01 to 0.99, prevalence=0.2, rule='best')"
    assert json.loads(to_json(curve.to_dict()))["thresholds"][0] == "inf"
    assert json.loads(to_json(decision.to_dict()))["rule"] == "best"
    assert (len(curve), len(decision)) == (9, 99)


@for_each(
    [
        (ROCS["gaussian"].precision_recall_curve, "needs a prevalence"),
        (ROCS["gaussian"].decision_curve, "needs a prevalence"),
        (lambda: ROCS["gaussian"].decision_curve(prevalence=0), "prevalence=0 is outside"),
        (lambda: ROCS["gaussian"].precision_recall_curve(prevalence=[0.1, 0.2]), "pass one number"),
        (
            lambda: ROCS["gaussian"].precision_recall_curve(prevalence=0.1, n_points=1),
            "n_points=1 is not between 2 and 10000000",
        ),
        (lambda: ROCS["gaussian"].decision_curve(prevalence=0.2, probabilities=[0, 0.5]), "outside the open"),
        (lambda: ROCS["gaussian"].decision_curve(prevalence=0.2, probabilities=0.5), r"pass an array of shape \(k,\)"),
        (lambda: ROCS["gaussian"].decision_curve(prevalence=0.2, rule="p"), "rule='p' is not allowed"),
        (lambda: ROCS["gaussian"].decision_curve(prevalence=0.2, rule="probability"), r"outside \[0, 1\]"),
        (lambda: ROCS["counted, lower"].decision_curve(rule="probability"), "direction='lower'"),
        (
            lambda: PredictedRoc.from_stats(effect_size=[1, 2]).decision_curve(prevalence=0.2),
            r"batch of ROC curves of shape \(2,\)",
        ),
        (
            lambda: PredictedRoc.from_stats(effect_size=[1, 2]).precision_recall_curve(prevalence=0.2),
            "batch of ROC curves of shape",
        ),
    ]
)
def test_invalid_arguments_are_refused(call, words):
    refuses(words, call)
