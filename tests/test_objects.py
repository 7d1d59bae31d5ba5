"""Results as objects: comparison, display, and one clear message for invalid arguments."""

import re
from decimal import Decimal

import numpy as np
import pytest

import rocpredict as rp
from rocpredict.base.results import Flags
from rocpredict.base.validation import is_missing
from tests.cases import optional

pd = optional("pandas")


def test_batches_that_differ_are_unequal():
    batch = rp.PredictedRoc(rp.Gaussian([0, 1], [1, 2]), rp.Gaussian([1, 2], [1, 3]))
    assert batch.hook() == batch.hook()
    assert not batch.hook() != batch.hook()  # noqa: SIM202
    assert batch.hook() != rp.PredictedRoc(rp.Gaussian([0, 1], [1, 2]), rp.Gaussian([1, 2], [1, 4])).hook()


def test_rates_of_several_prevalences_are_shown():
    roc = rp.PredictedRoc(rp.Gaussian(4, 3), rp.Gaussian(8, 2))
    rates = roc.rates(5.0, prevalence=[0.1, 0.2])
    assert repr(rates).startswith("Rates(batch of shape (2,), tpr=[0.933193, 0.933193], ")
    assert "precision=[0.219154, 0.387063]" in repr(rates)
    assert rates.table().rows[1][1] == rates.tpr
    assert repr(roc.rates(np.linspace(0, 9, 20))) == "Rates(batch of shape (20,))"


def refusals():
    x, y = [1.0, 2.0, 3.0, 4.0], [0, 1, 0, 1]
    roc, other = rp.empirical_roc(x, y), rp.PredictedRoc(rp.Gaussian(4, 3), rp.Gaussian(8, 2))
    frame = np.ones((2, 1)) if pd is None else pd.DataFrame({"a": [1, 2]})
    texts = np.array(["tpr", "fpr"])
    return {
        "from_summary": (lambda: rp.PredictedRoc.from_summary(np.ones((3, 3))), "pass rp.summarize"),
        "tpr interval": (lambda: roc.tpr_at_fpr_interval([]), "fpr=\\[\\] is empty"),
        "fpr interval": (lambda: roc.fpr_at_tpr_interval([]), "tpr=\\[\\] is empty"),
        "beta": (
            lambda: other.best_threshold("f_beta", prevalence=0.2, beta=np.array([1.0, 2.0])),
            "not a single number",
        ),
        "precision-recall": (lambda: other.precision_recall_curve(prevalence=0.2, n_points=2**63), "n_points="),
        "curve": (lambda: other.curve(n_points=2**63), "n_points="),
        "proper curve": (lambda: other.proper().curve(n_points=10**9), "n_points="),
        "mean curve": (lambda: rp.mean_roc([(x, y), (x, y)], n_points=10**9), "n_points="),
        "family": (lambda: rp.predict_roc(x, y, family=frame), "family="),
        "direction": (lambda: rp.predict_roc(x, y, direction=texts), "direction="),
        "criterion": (lambda: roc.best_threshold(texts), "criterion="),
        "method": (lambda: roc.auc_interval(method=texts), "method="),
        "measure": (lambda: roc.rate_interval(texts, 2.0), "measure="),
        "decision rule": (lambda: other.decision_curve(prevalence=0.2, rule=frame), "rule="),
        "positive list": (lambda: rp.predict_roc(x, y, positive=[[1]]), "positive="),
        "signaling NaN": (lambda: rp.predict_roc(x, y, positive=Decimal("sNaN")), "positive="),
        "family of statistics": (lambda: rp.PredictedRoc.from_stats(mean=(1, 2), std=(1, 1), family=frame), "family="),
        "flags": (lambda: Flags(a=True), "a: unknown flag"),
        "null": (lambda: roc.auc_test(roc), r"rp.auc_test\(roc1, roc2\)"),
        "one date": (lambda: rp.mcnemar_test([0, 1], np.datetime64("2026-01-01"), [0, 1]), "y_pred2="),
        "two ranges": (lambda: rp.sample_size(other, width=0.1, tpr=[[0.1], [0.2]]), "tpr=.* is not a single range"),
        "frame as option": (lambda: rp.auc_test(roc, roc, negative=frame), "omit negative="),
        "use_raw": (lambda: rp.summarize(np.ones((4, 1)), y, use_raw=texts), "use_raw="),
        "layer": (lambda: rp.summarize(np.ones((4, 1)), y, layer=3), "layer=3 is not the name"),
    }


def test_what_is_no_argument_has_one_clear_message():
    faults = []
    for name, (call, message) in refusals().items():
        try:
            call()
        except rp.RocPredictError as error:
            text = str(error)
            if "\n" in text or not re.search(message, text):
                faults.append(f"{name}: {text}")
        except Exception as error:
            faults.append(f"{name}: {type(error).__name__}: {error}")
        else:
            faults.append(f"{name}: no error")
    assert not faults, "\n".join(faults)


def test_confusion_counts_go_by_keyword():
    with pytest.raises(TypeError, match="positional"):
        rp.rates(90, 10, 20, 80)
    assert rp.rates(tn=90, fp=10, fn=20, tp=80).precision == 80 / 90


def test_values_without_a_truth_value_are_not_missing():
    assert not is_missing(Decimal("sNaN"))
    assert not is_missing(np.array([1, 2]))
