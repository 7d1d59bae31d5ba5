"""Results as objects: copies through every door, comparison, display, and one clear message for what is none."""

import copy
import multiprocessing
import pickle
import re
from concurrent.futures import ProcessPoolExecutor
from decimal import Decimal

import numpy as np
import pytest
from scipy import stats

import rocpredict as rp
from rocpredict.base.results import Flags
from rocpredict.base.validation import is_missing
from tests.cases import optional

pd = optional("pandas")


def samples():
    rng = np.random.default_rng(7)
    y = np.repeat([0, 1], 40)
    return rng.normal(size=80) + y, rng.normal(size=80) + 0.5 * y, y


def used_results():
    """Return results of every kind after use, by name."""
    x, other, y = samples()
    positive = np.exp(x)
    families = ("gaussian", "auto", "boxcox", "kde", "histogram", "skew_normal")
    rocs = {name: rp.predict_roc(positive if name == "boxcox" else x, y, family=name) for name in families}
    rocs["samples"] = rp.empirical_roc(x, y)
    rocs["lower"] = rp.empirical_roc(-x, y, direction="auto")
    rocs["batch"] = rp.PredictedRoc(rp.Gaussian([0, 1], [1, 2]), rp.Gaussian([1, 2], [1, 3]))
    rocs["stats"] = rp.PredictedRoc.from_stats(mean=(5.1, 6.4), std=(0.9, 1.2), count=(120, 80))
    rocs["scipy"] = rp.PredictedRoc(stats.gamma(2), stats.rv_histogram(np.histogram(x, bins=9))())
    results = dict(rocs)
    for name, roc in rocs.items():
        roc.auc()
        results |= {f"{name} best": roc.best_threshold(), f"{name} curve": roc.curve(), f"{name} hook": roc.hook()}
        results[f"{name} rates"] = roc.rates(1.0)
        if name != "batch":
            results[f"{name} proper"] = roc.proper()
        if name not in {"batch", "scipy"}:
            results[f"{name} interval"] = roc.auc_interval()
    results |= {
        "comparison": rp.compare(rocs["gaussian"], rocs["samples"]),
        "band": rocs["samples"].band(),
        "test": rp.auc_test(x, other, y),
        "tests": rp.auc_test_many([x, other, -x], y),
        "mean": rp.mean_roc([(x[::2], y[::2]), (x[1::2], y[1::2])]),
        "estimate": rp.auc_estimate(x, y),
        "groups": rp.auc_estimate(x, y, groups=np.tile([0, 1], 40)),
        "diagnosis": rp.diagnose(x, y),
        "screening": rp.screen(np.column_stack([x, other]), y),
        "summary": rp.summarize(np.column_stack([x, other]), y),
        "fit": rocs["auto"].model_fit(),
        "precision-recall": rocs["gaussian"].precision_recall_curve(),
        "stability": results["samples best"].stability(n_resamples=30),
    }
    for result in results.values():
        repr(result)
        if hasattr(result, "table"):
            result.table()
    return results


def answers(result):
    """Return what a copy must repeat."""
    area = result.auc() if callable(getattr(result, "auc", None)) else None
    return repr(result), np.asarray(area if area is not None else np.nan).tolist()


@pytest.fixture(scope="module")
def results():
    return used_results()


def differences(results, copies):
    pairs = zip(results.items(), copies, strict=True)
    return [name for (name, result), other in pairs if result != other or str(answers(result)) != str(answers(other))]


def test_used_results_can_be_copied(results):
    doors = {
        "pickle": lambda result: pickle.loads(pickle.dumps(result)),
        "deepcopy": copy.deepcopy,
    }
    faults = {name: differences(results, map(door, results.values())) for name, door in doors.items()}
    assert not any(faults.values()), faults


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_used_results_go_through_process_pools(results, method):
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context(method)) as pool:
        assert not differences(results, pool.map(copy.copy, results.values()))
        texts = list(pool.map(answers, results.values()))
    assert [str(text) for text in texts] == [str(answers(result)) for result in results.values()]


@pytest.mark.extra("sklearn")  # which brings joblib
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_used_results_go_through_joblib(results):
    import joblib

    copies = joblib.Parallel(2)(joblib.delayed(copy.copy)(result) for result in results.values())
    assert not differences(results, copies)


def test_batches_that_differ_are_unequal():
    batch = rp.PredictedRoc(rp.Gaussian([0, 1], [1, 2]), rp.Gaussian([1, 2], [1, 3]))
    assert batch.hook() == batch.hook()
    assert not batch.hook() != batch.hook()  # noqa: SIM202
    assert batch.hook() != rp.PredictedRoc(rp.Gaussian([0, 1], [1, 2]), rp.Gaussian([1, 2], [1, 4])).hook()


def test_rates_of_several_prevalences_are_shown():
    roc = rp.PredictedRoc(rp.Gaussian(4, 3), rp.Gaussian(8, 2))
    rates = roc.rates(5.0, prevalence=[0.1, 0.2])
    assert repr(rates).startswith("Rates(shape=(2,), tpr=[0.933193, 0.933193], ")
    assert "precision=[0.219154, 0.387063]" in repr(rates)
    assert rates.table().rows[1][1] == rates.tpr
    assert repr(roc.rates(np.linspace(0, 9, 20))) == "Rates(shape=(20,))"


def refusals():
    x, y = [1.0, 2.0, 3.0, 4.0], [0, 1, 0, 1]
    roc, other = rp.empirical_roc(x, y), rp.PredictedRoc(rp.Gaussian(4, 3), rp.Gaussian(8, 2))
    frame = np.ones((2, 1)) if pd is None else pd.DataFrame({"a": [1, 2]})
    texts = np.array(["tpr", "fpr"])
    return {
        "from_summary": (lambda: rp.PredictedRoc.from_summary(np.ones((3, 3))), "pass rp.summarize"),
        "tpr interval": (lambda: roc.tpr_at_fpr_interval([]), "fpr=\\[\\] is empty"),
        "fpr interval": (lambda: roc.fpr_at_tpr_interval([]), "tpr=\\[\\] is empty"),
        "beta": (lambda: other.best_threshold("f_beta", prevalence=0.2, beta=np.array([1.0, 2.0])), "not one number"),
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
