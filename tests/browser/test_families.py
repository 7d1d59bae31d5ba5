"""Saved pages with the user's data: curves of every family, equal to the library's."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rocpredict as rp
from rocpredict.distributions.fitting import get_fitter
from rocpredict.teaching.model import PAGE_FAMILIES, TabulatedRoc, _drawn_density
from rocpredict.teaching.page import TeachingPage
from tests.browser.looking import Looker

_RATES = ("tpr", "fpr", "ameans", "youden", "precision", "npv", "accuracy", "mcc")


def _marker() -> tuple[np.ndarray, np.ndarray]:
    """A lognormal marker in 60 healthy and 40 ill people (seed 5)."""
    rng = np.random.default_rng(5)
    return np.concatenate([rng.lognormal(0, 1, 60), rng.lognormal(1.5, 1.3, 40)]), np.repeat([0, 1], [60, 40])


def _expected(roc: rp.PredictedRoc, state: dict[str, Any]) -> dict[str, float]:
    rates = roc.rates(state["threshold"], prevalence=state["prevalence"])
    odds = {"prevalence": state["prevalence"], "cost_fp": state["cost"]}
    cheapest, best = roc.best_threshold("cost", **odds), roc.best_threshold()
    return {
        **{f"rates.{name}": float(getattr(rates, name)) for name in _RATES},
        "auc": roc.auc(),
        "best.threshold": best.threshold,
        "best.ameans": best.ameans,
        "costbest.threshold": cheapest.threshold,
        "costbest.cost": cheapest.criterion_value,
    }


def test_saved_families_equal_the_library(look: Looker, tmp_path: Path) -> None:
    """Two directions, thresholds and prevalences: all numbers of each family to 1e-8."""
    x, y = _marker()
    look.open(TeachingPage(x, y, datasets=(), lesson=False).save(tmp_path / "page.html").as_uri())
    fitted = [name for name in PAGE_FAMILIES if name not in ("gaussian", "beta")]
    offered = look.each("select[id$='-family'] option", "e.value")
    assert offered == ["gaussian", *fitted]
    points = [("higher", 2.0, 0.07), ("lower", 0.3, 0.3)]
    names = ("direction", "threshold", "prevalence")
    states = [
        {"family": family, "cost": 0.8, **dict(zip(names, point, strict=True))} for family in fitted for point in points
    ]
    wrong = []
    for state, answer, broken in look.tour(states):
        assert broken == []
        pair = get_fitter(state["family"])(x[y == 0], x[y == 1])
        roc = rp.PredictedRoc(*pair, direction=state["direction"])
        for name, value in _expected(roc, state).items():
            if name == "best.threshold" and state["family"] == "auto" and state["direction"] == "lower":
                continue
            found: Any = answer
            for key in name.split("."):
                found = found[key]
            rates = roc.rates(value) if name.endswith("best.threshold") else None
            if rates and max(min(rates.tpr, rates.fnr), min(rates.fpr, rates.tnr)) < 1e-8:
                continue  # it calls everybody or nobody positive
            if not np.isclose(float(found), value, rtol=1e-8, atol=1e-8, equal_nan=True):
                wrong.append((state["family"], state["direction"], state["threshold"], name, found, value))
        assert state["family"] in answer["locked"]
        thresholds = np.array(answer["curve"]["threshold"])
        np.testing.assert_allclose(answer["curve"]["tpr"], roc.tpr(thresholds), atol=1e-8, rtol=0)
        np.testing.assert_allclose(
            answer["curve"]["negative"], _drawn_density(pair[0]).pdf(thresholds), atol=1e-8, rtol=1e-8
        )
        hook = TabulatedRoc(*pair, direction=state["direction"]).hook()
        inside = [rate for rate in (hook.fpr_low, hook.fpr_high) if 0 < rate < 1]
        assert (answer["dips"] is None) == (not inside), state
        if inside:
            assert answer["dips"][0] == pytest.approx(inside[0], abs=1e-3), state
    assert not wrong, "\n".join(map(str, wrong))
    assert look.complaints() == []


def test_a_band_and_a_second_feature_are_laid_over_the_curve(look: Looker, tmp_path: Path) -> None:
    """In a saved page: the limits of the library's band, and the curve of another feature; elsewhere no control."""
    x, y = _marker()
    other = np.random.default_rng(6).normal(size=100) + y
    page = TeachingPage({"first": x, "second": other, "flat": np.ones(100)}, y, datasets=("iris",), lesson=False)
    look.open(page.save(tmp_path / "page.html").as_uri())
    band = rp.empirical_roc(x, y, direction="higher").band(fpr=np.linspace(0, 1, 51))
    found = look.answer()["empirical"]["band"]
    np.testing.assert_allclose([found["low"], found["high"]], [band.low, band.high], atol=1e-6)
    assert not look.all("[data-curve=band], [data-curve=second]")
    look.run("document.querySelector(\"input[id$='-band']\").click()")
    select = "const list = document.querySelector(\"select[id$='-second']\");"
    assert look.run(f"{select} return [...list.options].map((o) => o.textContent)") == ["none", "second"]
    look.run(f"{select} list.value = 1; list.dispatchEvent(new Event('change'))")
    assert (look.state()["band"], look.state()["second"]) == (True, 1)
    assert len(look.all("[data-curve=band]")) == len(look.all("[data-curve=second]")) == 1
    auc = f"{rp.predict_roc(other, y).auc():.3f}"
    assert f"second, AUC {auc}" in look.one("[data-picture=roc]").get_attribute("textContent")
    assert look.broken() == []
    assert look.findings() == []
    look.set(direction="lower")
    assert "band" not in look.answer()["empirical"]
    look.set(data="", mean0=0, mean1=1, std0=1, std1=1)
    assert not look.all("[data-curve=band], [data-curve=second]")
    assert not look.one("select[id$='-second']").is_displayed()
    assert look.complaints() == []
