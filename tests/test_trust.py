"""Results of model_fit(): the model weight, and the distance between the model and the sample."""

import numpy as np
import pytest

from rocpredict import AssumptionWarning, PredictedRoc, RocPredictError, empirical_roc, predict_roc
from rocpredict.distributions import ecdf
from rocpredict.distributions.shrinkage import misfit_statistic
from rocpredict.roc.predicted import ModelFit
from tests.cases import for_each
from tests.samples import labelled


def sample_of(seed, n0=40, n1=30, wrong=False):
    rng = np.random.default_rng(seed)
    negative, positive = rng.normal(6, 1, n0), rng.normal(7, 1.3, n1)
    if wrong:
        positive = np.where(rng.random(n1) < 0.5, rng.normal(3.5, 0.3, n1), rng.normal(8.5, 0.3, n1))
    return labelled(negative, positive)


@for_each([True, False])
def test_the_model_weight_equals_that_of_the_estimate(wrong):
    roc = predict_roc(*sample_of(1, wrong=wrong), family="auto")
    trust = roc.model_fit()
    assert trust.is_shrinkage
    assert trust.model_weight == 1 - roc.negative.data_weight == 1 - roc.positive.data_weight
    assert roc.negative.data_weight == pytest.approx(trust.misfit_ratio**1.5 / (trust.misfit_ratio**1.5 + 0.5))
    assert (trust.n_negative, trust.n_positive) == (40, 30)


def test_the_distance_is_that_of_both_curves():
    """Mean distance over 256 FPRs; the statistic from P(positive) of the model between the ranks, written out."""
    x, y = sample_of(2)
    roc, counted = predict_roc(x, y, family="boxcox"), empirical_roc(x, y)
    trust = roc.model_fit()
    expected = np.abs(roc.tpr_at_fpr(ecdf.COMPARISON_FPR) - counted.tpr_at_fpr(ecdf.COMPARISON_FPR)).mean()
    assert trust.area_between == pytest.approx(expected, rel=1e-9)
    assert not trust.is_shrinkage
    fine = np.linspace(0, 1, 20_001)
    tpr = roc.tpr_at_fpr(fine)
    above = 30 * np.interp(np.arange(71) / 70, (40 * fine + 30 * tpr) / 70, tpr)
    model = np.diff(above)[::-1]
    statistic = misfit_statistic(model, y[np.argsort(x)] - model)
    assert trust.misfit_ratio == pytest.approx(statistic, rel=0.01)
    assert 1 - trust.model_weight == pytest.approx(trust.misfit_ratio**1.5 / (trust.misfit_ratio**1.5 + 0.5))


def test_the_statistic_is_1_for_a_known_model():
    """Mean over 4,000 samples of independent classes at 60 ranks; its SE is .015."""
    model = np.linspace(0.1, 0.9, 60) ** 2
    drawn = np.random.default_rng(3).random((4000, 60)) < model
    residual = drawn - model
    noise = model * (1 - model)
    residual -= noise * (residual.sum(axis=1) / noise.sum())[:, None]  # the class sizes are known
    assert np.mean(misfit_statistic(model, residual)) == pytest.approx(1, abs=0.06)


def test_a_right_model_is_close_and_a_wrong_one_is_not():
    """20 seeds each, the classes of one and two heaps: all of D/V of the right model below all of the wrong one."""
    right = [predict_roc(*sample_of(seed), family="auto").model_fit() for seed in range(20)]
    wrong = [predict_roc(*sample_of(seed, wrong=True), family="auto").model_fit() for seed in range(20)]
    assert max(trust.misfit_ratio for trust in right) < min(trust.misfit_ratio for trust in wrong)
    assert np.mean([trust.misfit_ratio for trust in right]) < 0.7
    assert min(trust.model_weight for trust in right) > max(trust.model_weight for trust in wrong)


def test_a_right_model_is_closer_than_a_wrong_one_by_the_area():
    """P(right < wrong) is .977 in 400 samples of each; with 40 of each, below .87 with probability 1e-4."""
    right, wrong = (
        np.array([predict_roc(*sample_of(seed, wrong=kind), family="auto").model_fit().area_between for seed in seeds])
        for kind, seeds in ((False, range(100, 140)), (True, range(1100, 1140)))
    )
    assert np.mean(right[:, None] < wrong) > 0.87


@for_each([None, "higher", "lower", "auto"])
def test_model_fit_uses_the_direction_of_the_curve(direction):
    x, y = sample_of(3)
    turned = {"lower": "higher", "higher": "lower"}.get(direction, direction)
    sign = 1 if direction in {None, "auto"} else -1
    here = predict_roc(x, y, family="yeojohnson", direction=direction).model_fit()
    there = predict_roc(sign * x, y, family="yeojohnson", direction=turned).model_fit()
    assert here.area_between == pytest.approx(there.area_between, abs=0.005)


def test_a_model_equal_to_the_sample():
    trust = predict_roc(*sample_of(4), family="empirical").model_fit()
    assert (trust.area_between, trust.misfit_ratio, trust.model_weight) == (
        pytest.approx(0, abs=1e-12),
        pytest.approx(0),
        1,
    )


EXPECTED = "more than expected from sampling variation;"
WEIGHT = "the model weight of this estimate is"
ONLY = "this prediction uses only the model (family='auto': model weight"


@for_each(
    [
        (ModelFit(0.8, True, 0.021, 0.4, 9, 9), f"no {EXPECTED} {WEIGHT} 80%."),
        (ModelFit(0.3, True, 0.1, 2.5, 9, 9), f"on average, {EXPECTED} {WEIGHT} 30%."),
        (ModelFit(0.05, True, 0.3, 9, 9, 9), f"much {EXPECTED} {WEIGHT} 5%."),
        (ModelFit(1, False, 0.02, 0.2, 9, 9), f"no {EXPECTED} {ONLY} 100%)."),
        (ModelFit(0.4, False, 0.1, 5, 9, 9), f"{ONLY} 40%)."),
    ]
)
def test_the_summary_describes_the_model_fit(trust, words):
    assert words in trust.summary
    assert trust.summary.startswith(
        f"The model and empirical curves differ by {trust.area_between:.3f} in TPR on average, "
    )
    assert trust.to_dict()["summary"] == trust.summary
    start = f"ModelFit(model_weight={trust.model_weight:.4g}, area_between={trust.area_between:.4g}, "
    assert repr(trust).startswith(start)


def test_model_fit_needs_a_sample_and_one_feature():
    for mean in ((1, 2), ([1, 2], [2, 3])):
        with pytest.raises(RocPredictError, match="needs the sample from which the curve was predicted"):
            PredictedRoc.from_stats(mean=mean, std=(1, 1)).model_fit()


@for_each([([1, 2, 3], [11, 12]), ([2, 2, 2], [2, 2]), ([2, 2, 2], [1, 2, 3]), ([1, 2], [1, 2])])
def test_no_figure_is_nan(*rows):
    x, y = np.concatenate(rows).astype(float), np.repeat([0, 1], [len(part) for part in rows])
    trust = predict_roc(x, y, family="auto").model_fit()
    assert not np.isnan([trust.model_weight, trust.area_between, trust.misfit_ratio]).any()
    assert 0 <= trust.model_weight <= 1
    assert trust.summary


def test_the_likelihood_ratio_rule_of_a_shrunk_estimate_is_its_models():
    """Rows have no likelihood ratio: proper() is that of the two models, with thresholds of the feature."""
    rng = np.random.default_rng(8)
    x, y = np.concatenate([rng.normal(0, 1, 40), rng.normal(1, 3, 40)]), np.repeat([0, 1], 40)
    roc = predict_roc(x, y, family="auto")
    models = PredictedRoc(roc.negative.model, roc.positive.model)
    assert roc.proper().auc() == models.proper().auc() > roc.auc()
    rule = roc.proper().best_rule()
    assert rule.ameans == models.proper().best_rule().ameans
    assert x.min() < rule.low < rule.high < x.max()


def test_an_interval_where_a_class_is_constant():
    roc = predict_roc([3.0, 4, 5, 6, 2, 2, 7], [0] * 4 + [1] * 3, family="auto", direction="higher")
    constant = predict_roc([3.0, 4, 5, 6, 2, 2, 2], [0] * 4 + [1] * 3, family="auto", direction="higher")
    for one in (roc, constant):
        assert one.auc() in one.auc_interval()


def test_a_declared_direction_that_the_data_contradict_warns():
    """If the interval of the empirical AUC is below 1/2, the estimate keeps the declared direction and warns."""
    rng = np.random.default_rng(10)
    x, y = np.concatenate([rng.normal(1, 1, 40), rng.normal(0, 1, 40)]), np.repeat([0, 1], 40)
    with pytest.warns(AssumptionWarning, match=r"the data contradict direction='higher': the empirical AUC is 0\.1"):
        roc = predict_roc(x, y, family="auto", direction="higher")
    assert roc.auc() >= 0.5
    interval = roc.auc_interval()
    assert interval.high == roc.auc()
    assert "interval_extended" in interval.flags
    right = predict_roc(x, y, family="auto", direction="lower")  # without a warning, which would be an error here
    assert "interval_extended" not in right.auc_interval().flags
    assert predict_roc(x, y, family="auto").auc() < 0.3
