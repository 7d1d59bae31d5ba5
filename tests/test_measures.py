"""Every measure at a threshold, against hand-worked values and scikit-learn."""

import numpy as np
import pytest

import rocpredict as rp
from rocpredict import Gaussian, PredictedRoc, RocPredictError
from rocpredict.base.rates import (
    ALIASES,
    MEASURES,
    PREVALENCE_FREE_MEASURES,
    precision_from_rates,
    precision_from_recall,
)
from tests.cases import check_refusals, for_each, refuses

CELLS = ("tp", "fp", "fn", "tn")
TABLES = [(80, 10, 20, 90), (1, 2, 3, 4), (5, 0, 5, 5), (1000, 3, 1, 7), (2.5, 0.5, 1.25, 4)]


@pytest.mark.extra("sklearn")
@for_each(TABLES)
def test_measures_equal_scikit_learn(*table):
    from sklearn import metrics

    tp, fp, fn, tn = table
    y, called, weight = [1, 0, 1, 0], [1, 1, 0, 0], [tp, fp, fn, tn]
    rates = rp.rates(**dict(zip(CELLS, table, strict=True)))
    for name, wanted in {
        "precision": metrics.precision_score,
        "recall": metrics.recall_score,
        "accuracy": metrics.accuracy_score,
        "balanced_accuracy": metrics.balanced_accuracy_score,
        "f1": metrics.f1_score,
        "mcc": metrics.matthews_corrcoef,
    }.items():
        assert getattr(rates, name) == pytest.approx(wanted(y, called, sample_weight=weight), rel=1e-13)
    for beta in (0, 0.5, 1, 2, 10):
        wanted = metrics.fbeta_score(y, called, beta=beta, sample_weight=weight)
        assert rates.f_beta(beta) == pytest.approx(wanted, rel=1e-14)
    assert rates.f_beta(1e200) == pytest.approx(rates.recall, rel=1e-14)
    assert np.array_equal(rates.confusion, metrics.confusion_matrix(y, called, sample_weight=weight))


def test_measures_by_hand():
    rates = rp.rates(tp=80, fp=10, fn=20, tn=90)
    wanted = {
        "tpr": 0.8,
        "fpr": 0.1,
        "tnr": 0.9,
        "fnr": 0.2,
        "ameans": 0.85,
        "youden": 0.7,
        "prevalence": 0.5,
        "predicted_positive_rate": 0.45,
        "accuracy": 0.85,
        "error_rate": 0.15,
        "precision": 8 / 9,
        "npv": 9 / 11,
        "false_discovery_rate": 1 / 9,
        "false_omission_rate": 2 / 11,
        "f1": 16 / 19,
        "positive_likelihood_ratio": 8,
        "negative_likelihood_ratio": 2 / 9,
        "diagnostic_odds_ratio": 36,
        "mcc": 0.7 * 0.5 / np.sqrt(0.45 * 0.55),
    }
    assert rates.to_dict() == pytest.approx(wanted, rel=1e-14)
    assert set(wanted) == set(MEASURES)
    assert rates.undefined == ()


def test_precision_falls_with_the_base_rate():
    for base, wanted in ((0.5, 8 / 9), (0.1, 8 / 17), (0.01, 8 / 107)):
        assert precision_from_rates(0.8, 0.1, base) == pytest.approx(wanted, rel=1e-14)
    assert [round(precision_from_rates(0.8, 0.1, base), 4) for base in (0.5, 0.1, 0.01)] == [0.8889, 0.4706, 0.0748]
    assert precision_from_recall(0.8, n_positive=100, n_predicted_positive=90) == pytest.approx(8 / 9, rel=1e-15)
    assert np.isnan(precision_from_rates(0, 0, 0.5))


@for_each(ALIASES.items())
def test_aliases_are_the_same_number(alias, meaning):
    rates = rp.rates(tp=80, fp=10, fn=20, tn=90)
    assert getattr(rates, alias) == getattr(rates, meaning)


UNDEFINED = {
    "nothing called positive": (
        (0, 0, 5, 5),
        {"precision", "false_discovery_rate", "mcc", *PREVALENCE_FREE_MEASURES[6::2]},
    ),
    "everything called positive": ((5, 5, 0, 0), {"npv", "false_omission_rate", "mcc", *PREVALENCE_FREE_MEASURES[7:]}),
    "no positives": ((0, 2, 0, 3), {"tpr", "fnr", "ameans", "youden", "mcc", *PREVALENCE_FREE_MEASURES[6:]}),
    "no negatives": ((2, 0, 3, 0), {"fpr", "tnr", "ameans", "youden", "mcc", *PREVALENCE_FREE_MEASURES[6:]}),
    "nobody": ((0, 0, 0, 0), set(MEASURES)),
}


@for_each(UNDEFINED)
def test_what_is_0_over_0_is_nan_and_named(table, names):
    rates = rp.rates(**dict(zip(CELLS, table, strict=True)))
    assert set(rates.undefined) == names
    assert {name for name, value in rates.to_dict().items() if np.isnan(value)} == names
    rates = rp.rates(tp=5, fp=0, fn=5, tn=5)  # a number over 0 is infinite
    assert rates.positive_likelihood_ratio == rates.diagnostic_odds_ratio == np.inf
    assert rates.undefined == ()


def test_arrays_give_arrays():
    tables = np.array(TABLES).T
    rates = rp.rates(**dict(zip(CELLS, tables, strict=True)))
    for name in MEASURES:
        assert getattr(rates, name).tolist() == [
            getattr(rp.rates(**dict(zip(CELLS, table, strict=True))), name) for table in TABLES
        ]
    assert rates.confusion.shape == rates.confusion_joint.shape == (5, 2, 2)


@for_each(TABLES)
def test_confusion_matrices_sum_to_what_they_share(*table):
    rates = rp.rates(**dict(zip(CELLS, table, strict=True)))
    assert rates.confusion_joint.sum() == pytest.approx(1, rel=1e-15)
    assert rates.confusion_conditional.sum(axis=-1) == pytest.approx([1, 1], rel=1e-15)
    np.testing.assert_allclose(rates.confusion_joint * sum(table), rates.confusion, rtol=1e-15)


def test_prevalence_comes_from_the_argument_then_from_the_counts_and_never_from_nowhere():
    pair = {"negative": Gaussian(4, 3), "positive": Gaussian(8, 2)}
    roc = PredictedRoc(**pair)
    tpr, fpr = roc.tpr(6), roc.fpr(6)
    assert roc.rates(6, prevalence=0.1).precision == pytest.approx(0.1 * tpr / (0.1 * tpr + 0.9 * fpr), rel=1e-15)
    counted = PredictedRoc(**pair, count=(900, 100))
    assert counted.rates(6).precision == pytest.approx(roc.rates(6, prevalence=0.1).precision, rel=1e-15)
    assert counted.rates(6, prevalence=0.5).precision == pytest.approx(tpr / (tpr + fpr), rel=1e-15)
    assert counted.rates(6).confusion.sum() == pytest.approx(1000, rel=1e-15)
    assert counted.rates(6).confusion[1, 1] == 100 * tpr
    for name in set(MEASURES) - set(PREVALENCE_FREE_MEASURES) - {"prevalence"}:
        refuses(r"pass prevalence=0\.1, for example, or class counts", getattr, roc.rates(6), name)
    with pytest.raises(RocPredictError, match="confusion needs the number of observations of each class"):
        roc.rates(6, prevalence=0.1).confusion.sum()
    assert set(roc.rates(6).to_dict()) == set(PREVALENCE_FREE_MEASURES)


def test_small_rates_keep_their_digits():
    rates = PredictedRoc(negative=Gaussian(0, 1), positive=Gaussian(40, 1)).rates(20, prevalence=0.5)
    tail = 2.7536241186062337e-89  # Phi(-20), by mpmath.ncdf with 40 digits
    assert rates.fpr == pytest.approx(tail, rel=1e-13)
    assert rates.fnr == pytest.approx(tail, rel=1e-13)
    assert rates.error_rate == pytest.approx(tail, rel=1e-13)
    assert rates.positive_likelihood_ratio == pytest.approx(1 / tail, rel=1e-13)


def test_counts_are_finite_numbers_of_0_or_more():
    def rates(*table):
        return rp.rates(**dict(zip(CELLS, table, strict=True)))

    wrong = [(-1, 2, 3, 4), (1, np.nan, 3, 4), (1, 2, np.inf, 4), (1, 2, 3, "a")]
    refusals = [(rates, table, r"(tp|fp|fn|tn)=") for table in wrong]
    check_refusals([*refusals, (rates, (1e308,) * 4, "beyond the range of float64")])
