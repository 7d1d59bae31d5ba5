"""The page's numbers are the library's: two implementations, compared in many settings."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rocpredict as rp
from tests.browser.looking import Looker

_EXACT = 1e-8
_RATES = ("tpr", "fpr", "tnr", "fnr", "ameans", "youden", "precision", "npv", "accuracy", "mcc")
_LOADED = {
    "iris": rp.datasets.load_iris,
    "pima": rp.datasets.load_pima,
    "breast_cancer": rp.datasets.load_breast_cancer,
}


def _settings(count: int, seed: int) -> list[dict[str, Any]]:
    """Draw settings of the page: ratios of SDs from 1/20 to 20, both directions, prevalences from 1 to 99%."""
    rng = np.random.default_rng(seed)
    return [
        {
            "data": "",
            "mean0": float(rng.normal(0, 5)),
            "mean1": float(rng.normal(0, 5)),
            "std0": float(np.exp(rng.normal())),
            "std1": float(np.exp(rng.normal())),
            "direction": str(rng.choice(["higher", "lower"])),
            "prevalence": float(rng.uniform(0.01, 0.99)),
            "cost": float(np.exp(rng.normal())),
            "threshold": float(rng.normal(0, 5)),
        }
        for _ in range(count)
    ]


def _roc(state: dict[str, Any]) -> rp.PredictedRoc:
    negative, positive = (rp.Gaussian(state[f"mean{k}"], state[f"std{k}"]) for k in (0, 1))
    return rp.PredictedRoc(negative=negative, positive=positive, direction=state["direction"])


def _close(found: Any, wanted: float) -> bool:
    return bool(np.isclose(float("nan" if found is None else found), wanted, rtol=_EXACT, atol=_EXACT, equal_nan=True))


def test_results_of_two_gaussians_equal_the_librarys(opened: Callable[..., Looker]) -> None:
    """On 50 settings (seed 1): rates, areas, optima, crossings and the whole curve, to 1e-8."""
    look = opened(datasets=())
    for state, answer, broken in look.tour(_settings(50, seed=1)):
        assert broken == []
        roc = _roc(state)
        rates = roc.rates(state["threshold"], prevalence=state["prevalence"])
        cost = roc.best_threshold("cost", prevalence=state["prevalence"], cost_fp=state["cost"])
        accuracy = roc.best_threshold("accuracy", prevalence=state["prevalence"])
        pairs = {name: (answer["rates"][name], float(getattr(rates, name))) for name in _RATES}
        pairs |= {
            "auc": (answer["auc"], roc.auc()),
            "best": (answer["best"]["threshold"], roc.best_threshold().threshold),
            "best Ameans": (answer["best"]["ameans"], roc.best_threshold().ameans),
            "least cost": (answer["costbest"]["threshold"], cost.threshold),
            "accuracy": (answer["accuracybest"]["threshold"], accuracy.threshold),
        }
        wrong = {name: pair for name, pair in pairs.items() if not _close(*pair)}
        assert not wrong, (state, wrong)
        curve = {name: np.array(values) for name, values in answer["curve"].items()}
        np.testing.assert_allclose(curve["fpr"], roc.fpr_grid(curve["threshold"]), atol=_EXACT, rtol=0)
        np.testing.assert_allclose(curve["tpr"], roc.tpr_grid(curve["threshold"]), atol=_EXACT, rtol=0)
        np.testing.assert_allclose(curve["negative"], roc.negative.pdf(curve["threshold"]), atol=_EXACT, rtol=_EXACT)
        crossings = roc.crossings()
        np.testing.assert_allclose(answer["crossings"], np.unique(crossings[~np.isnan(crossings)]), rtol=_EXACT)
    assert _close(look.shown("rates.tpr"), answer["rates"]["tpr"])


@pytest.mark.parametrize("data", list(_LOADED))
def test_empirical_rates_equal_the_librarys(opened: Callable[..., Looker], data: str) -> None:
    """Every feature of each built-in table: the fit, the empirical AUC and the empirical rates at two thresholds."""
    look, loaded = opened(datasets=(data,), lesson=False), _LOADED[data]()
    pairs = look.run("return page.page.payload.datasets[0].pairs.map((c) => [c.negative, c.positive])")
    for place, (negative, positive) in enumerate(pairs):
        first = [{"data": data, "pair": place, "feature": i} for i in range(len(loaded.feature_names))]
        other = [one | {"threshold": float(loaded.X[3, i])} for i, one in enumerate(first)]
        for state, answer, broken in look.tour([*first, *other], ["auc", "empirical"]):
            assert broken == []
            classes = {"positive": positive, "negative": negative, "direction": state["direction"]}
            empirical = rp.empirical_roc(loaded.X[:, state["feature"]], loaded.y, **classes)
            assert answer["auc"] == pytest.approx(_roc(state).auc(), abs=_EXACT)
            counted, at = answer["empirical"], state["threshold"]
            wanted = [empirical.auc(), empirical.tpr(at), empirical.fpr(at)]
            assert [counted["auc"], counted["tpr"], counted["fpr"]] == pytest.approx(wanted, abs=_EXACT)


def test_the_fit_equals_the_librarys_exactly(opened: Callable[..., Looker]) -> None:
    """Means and SDs pass through the page unrounded: sliders write only what is moved."""
    look, iris = opened(datasets=("iris",)), rp.datasets.load_iris()
    look.set(data="iris", pairLabels=["versicolor", "virginica"], featureName="petal_width")
    state = look.state()
    for k, label in enumerate(("versicolor", "virginica")):
        rows = iris.column("petal_width")[iris.y == label]
        assert [state[f"mean{k}"], state[f"std{k}"]] == pytest.approx([rows.mean(), rows.std(ddof=1)], rel=1e-15)


def test_the_two_by_two_table_adds_up(opened: Callable[..., Looker]) -> None:
    """Natural frequencies: rows and columns sum to their ends, whatever is rounded; rare classes are per 10,000."""
    look = opened(datasets=())
    for prevalence in (0.5, 0.1, 0.013, 0.001, 0.999):
        look.set(prevalence=prevalence, threshold=6.3)
        tp, fp, fn, tn, positives, negatives, total = (
            look.shown(name) for name in ("tp", "fp", "fn", "tn", "positives", "negatives", "total")
        )
        assert (tp + fn, fp + tn, positives + negatives) == (positives, negatives, total)
        assert total == (10000 if min(prevalence, 1 - prevalence) < 0.01 else 1000)
        assert tp == pytest.approx(total * prevalence * look.answer()["rates"]["tpr"], abs=1.5)
