"""Exports of the page: Python code and pictures."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from rocpredict.teaching.page import TeachingPage
from tests.browser.looking import Looker


def test_exported_code_and_pictures(opened: Callable[..., Looker], tmp_path: Path) -> None:
    """Copy Python gives a snippet that runs and finds the page's numbers; pictures are saved as files."""
    look = opened(datasets=("iris",), lesson=False)
    look.set(data="iris", pairLabels=["versicolor", "virginica"], featureName="petal_length", threshold=5.0)
    look.click("python")
    snippet = look.run("return document.querySelector('textarea').value")
    names: dict[str, object] = {}
    exec(compile(snippet, "snippet", "exec"), names)
    assert names["roc"].auc() == pytest.approx(look.answer()["auc"], abs=1e-8)  # type: ignore[attr-defined]
    assert names["roc"].tpr(5.0) == pytest.approx(look.answer()["rates"]["tpr"], abs=1e-8)  # type: ignore[attr-defined]
    look.driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)})
    look.run("for (const save of [...document.querySelectorAll('.share .tools button')].slice(0, 2)) save.click()")
    for name, start in (("densities.svg", b"<svg"), ("densities.png", b"\x89PNG")):
        _wait_for(look, tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(start)


def _wait_for(look: Looker, path: Path) -> None:
    for _ in range(100):
        if path.exists() and path.stat().st_size:
            return
        look.pause(50)
    raise AssertionError(f"{path.name} was not saved")


def test_a_one_vs_rest_snippet_runs(look: Looker, tmp_path: Path) -> None:
    """Rows of one's own, one label against the rest: Copy Python does not name a label that is none."""
    y = np.repeat([0, 1, 2], 30)
    x = np.random.default_rng(0).normal(size=90) + y
    look.open(TeachingPage(x, y, positive=2, datasets=()).save(tmp_path / "p.html").as_uri())
    look.click("python")
    names = {"x": x, "y": y}
    exec(compile(look.run("return document.querySelector('textarea').value"), "snippet", "exec"), names)
    assert names["roc"].auc() == pytest.approx(look.answer()["auc"], abs=1e-8)


def test_names_with_control_characters_are_saved_as_pictures(look: Looker, tmp_path: Path) -> None:
    """XML has no place for them: the picture is saved without."""
    y = np.repeat(["a\x01b", "c"], 30)
    x = np.random.default_rng(0).normal(size=60) + (y == "c")
    page = TeachingPage(x, y, positive="c", datasets=(), lesson=False, feature="f\x0bg")
    look.open(page.save(tmp_path / "p.html").as_uri())
    look.driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)})
    look.run("document.querySelectorAll('.share .tools button')[1].click()")
    look.pause(500)
    assert look.one(".notice").text == ""
