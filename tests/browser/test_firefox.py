"""The saved page in Firefox: it draws, is dragged, and has the library's numbers."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rocpredict as rp
from tests.browser.firefox import Firefox

_ROOT = "document.querySelector('.rocpredict').rocpredict"
_READY = f"""(async () => {{
  while (!document.querySelector('.rocpredict')?.rocpredict) await new Promise((go) => setTimeout(go, 20));
  await {_ROOT}.ready;
  return true;
}})()"""
_HANDLE = """(() => {
  const box = document.querySelector("[data-handle='threshold']").getBoundingClientRect();
  return [box.left + box.width / 2, box.top + box.height / 2];
})()"""


@pytest.fixture(scope="module")
def firefox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    binary = shutil.which("firefox-esr") or shutil.which("firefox")
    if binary is None:
        raise RuntimeError("Firefox is not installed; run: make system")
    with Firefox(binary, tmp_path_factory.mktemp("firefox")) as started:
        yield started


def _check_numbers(firefox: Firefox) -> dict[str, Any]:
    """Compare what the page shows with the library, and return its state."""
    state, answer = firefox.run(f"{_ROOT}.state"), firefox.run(f"{_ROOT}.answer")
    classes = [rp.Gaussian(state[f"mean{k}"], state[f"std{k}"]) for k in (0, 1)]
    roc = rp.PredictedRoc(*classes, direction=state["direction"])
    rates = roc.rates(state["threshold"], prevalence=state["prevalence"])
    for name in ("tpr", "fpr", "ameans", "precision", "npv", "accuracy", "mcc"):
        assert answer["rates"][name] == pytest.approx(getattr(rates, name), abs=1e-8), name
    assert answer["auc"] == pytest.approx(roc.auc(), abs=1e-8)
    assert answer["best"]["threshold"] == pytest.approx(roc.best_threshold().threshold, rel=1e-8)
    np.testing.assert_allclose(answer["curve"]["tpr"], roc.tpr(np.array(answer["curve"]["threshold"])), atol=1e-8)
    return dict(state)


def test_a_saved_page_is_dragged(firefox: Firefox, saved: Callable[..., Path]) -> None:
    """By mouse and by touch at two sizes: the threshold follows the pointer, and the numbers are the library's."""
    for width, height, touch in ((1280, 720, False), (390, 844, True)):
        firefox.open(saved(datasets=("iris",)).as_uri(), width, height)
        assert firefox.run(_READY)
        before = _check_numbers(firefox)["threshold"]
        x, y = firefox.run(_HANDLE)
        firefox.drag(x, y, 40, touch=touch)
        assert firefox.run(_HANDLE)[0] == pytest.approx(x + 40, abs=2), width
        assert _check_numbers(firefox)["threshold"] > before
    firefox.run(f"{_ROOT}.set({{data: 'iris', pair: 2, feature: 2}}).then(() => true)")
    assert _check_numbers(firefox)["data"] == "iris"
