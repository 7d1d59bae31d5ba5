"""Hosts of the page: a server, a notebook's frame, a widget, two on one document; with malicious names."""

import json
import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from selenium.webdriver.common.keys import Keys

import rocpredict as rp
from rocpredict.teaching import assets as bundle
from rocpredict.teaching.page import TeachingPage
from tests.browser.looking import ERRORS, Looker

HOSTILE = (
    "</script><script>document.title='harmed'</script>",
    "<img src=x onerror=\"document.title='harmed'\">",
    "\"quoted\" & 'single' `tick`",
    "x" * 200,
    "מדד עם ערך",
    "🧬 level",
    "constructor",
    "inf",
)
_STAND_IN = """
window.sent = []; window.saved = {}; window.heard = null;
window.model = {
  get: (name) => window.held[name], set: (name, value) => { window.saved[name] = value; }, save_changes() {}, off() {},
  send: (message) => window.sent.push(message), on: (name, fn) => { window.heard = fn; },
};
"""
_UPDATED = """
const [before, done] = arguments;
(function look() { page.redraws.length > before ? done() : setTimeout(look, 2); })();
"""
_IDS_USED = """
const root = document.getElementById(arguments[0]), filled = [...root.querySelectorAll("[fill^='url(#']")];
return filled.map((e) => root.contains(document.getElementById(e.getAttribute("fill").slice(5, -1))));
"""
_LATE = """
const ask = fetch;
let first = true;
window.fetch = async (...a) => {
  if (!first) return ask(...a);
  first = false;
  await new Promise((go) => setTimeout(go, 100));
  throw new Error("gone");
};
"""
_UNHELD = """
const all = [...document.querySelectorAll("button, input, select, [tabindex]")];
return all.filter((e) => !e.dataset.lmSuppressShortcuts).length;
"""


def _written(folder: Path, html: str) -> str:
    path = folder / "page.html"
    path.write_text(f"<!doctype html><title>a page</title>{html}", encoding="utf-8")
    return path.as_uri()


def test_served_numbers_are_the_library_s(look: Looker) -> None:
    """Ten settings (seed 2) of the served page; everything it shows was answered by Python."""
    rng = np.random.default_rng(2)
    with TeachingPage(datasets=("iris",)).serve() as server:
        look.open(server.url)
        for _ in range(10):
            state = {
                "mean0": float(rng.normal()),
                "mean1": float(rng.normal()),
                "std0": float(rng.uniform(0.5, 2)),
                "std1": float(rng.uniform(0.5, 2)),
                "threshold": float(rng.normal()),
            }
            look.set(**state)
            roc = rp.PredictedRoc(
                negative=rp.Gaussian(state["mean0"], state["std0"]), positive=rp.Gaussian(state["mean1"], state["std1"])
            )
            assert look.shown("auc") == pytest.approx(roc.auc(), abs=1e-12)
            assert look.shown("rates.tpr") == pytest.approx(roc.tpr(state["threshold"]), abs=1e-12)
            assert look.shown("best.ameans") == pytest.approx(roc.best_threshold().ameans, abs=1e-12)
        assert look.complaints() == []
        assert all(url.startswith(server.url) for url in look.requests())


def test_a_redraw_waits_on_one_request(look: Looker, tell: Callable[[str], None]) -> None:
    """A key press is one question to Python; a burst is answered by its last wish, with few questions."""
    with TeachingPage(datasets=("iris",)).serve() as server:
        look.open(server.url)
        look.set(data="iris", featureName="petal_length", pairLabels=["versicolor", "virginica"])
        look.requests()
        look.focus()
        asked = []
        for _ in range(20):
            before = len(look.redraws())
            look.press(Keys.ARROW_RIGHT)
            look.later(_UPDATED, before)
            asked.append(len(look.requests()))
        assert set(asked) == {1}
        times = look.redraws(-20)
        look.later("for (let i = 0; i < 30; i++) page.set({threshold: 4 + i / 30}).then(arguments[0])")
        look.pause(100)
        assert look.answer()["threshold"] == pytest.approx(4 + 29 / 30)
        assert len(look.requests()) <= 3
    tell(f"redraw after a key press, served: median {statistics.median(times):.1f} ms of {len(times)}")


def test_a_missing_or_refusing_server_shows_one_message(look: Looker) -> None:
    """The page shows the server's refusal, or that it has ended, and draws nothing else."""
    with TeachingPage(datasets=("iris",)).serve() as server:
        look.open(server.url)
        refused = look.later("fetch('model?std0=-1').then(async (r) => arguments[0]([r.status, await r.text()]))")
        assert refused[0] == 400
        assert "std0" in refused[1]
        assert "Traceback" not in refused[1]
    look.set(threshold=1.0)
    assert look.one(".notice").text


def test_other_families_respond_when_served(look: Looker) -> None:
    """A family that follows the rows cannot be moved by hand: its sliders rest, and a line says why."""
    with TeachingPage(
        "iris", positive="virginica", negative="versicolor", feature="petal_length", datasets=("iris",)
    ).serve() as server:
        look.open(server.url)
        iris, family = rp.datasets.load_iris(), "kde"
        look.set(family=family)
        roc = rp.predict_roc(
            iris.column("petal_length"), iris.y, positive="virginica", negative="versicolor", family=family
        )
        assert look.shown("auc") == pytest.approx(roc.auc(), abs=1e-8)
        assert look.answer()["locked"]
        assert look.answer()["locked"] in look.one(".state-note").text
        assert not look.one("input[id$='-mean0']").is_enabled()
        look.set(family="gaussian")
        assert look.one("input[id$='-mean0']").is_enabled()


def test_two_pages_on_one_document(look: Looker, tmp_path: Path) -> None:
    """Each has ids of its own and a state of its own."""
    payload = json.dumps(TeachingPage(datasets=("iris",)).payload()).replace("<", "\\u003c")
    mounts = "".join(f"mount(document.getElementById('{name}'), {payload});" for name in "ab")
    body = f"<div id=a></div><div id=b></div><script type=module>{bundle.script()}\n{mounts}</script>"
    look.driver.get(_written(tmp_path, f"<style>{bundle.style()}</style>{body}"))
    look.wait(0)
    look.wait(1)
    ids = look.run("return [...document.querySelectorAll('[id]')].map((e) => e.id)")
    assert len(ids) == len(set(ids)) > 40
    look.set(1, data="iris")
    assert (look.state(0)["data"], look.state(1)["data"]) == ("", "iris")
    for mine in "ab":
        own = look.run(_IDS_USED, mine)
        assert own
        assert all(own), "a hatch of the other page"
    assert look.complaints() == []


def test_the_notebook_s_frame_shows_the_page(look: Looker, tmp_path: Path) -> None:
    """A notebook shows a frame that draws without a server, and a line for viewers that show no frame."""
    look.driver.get(_written(tmp_path, TeachingPage(datasets=("iris",))._repr_html_()))
    assert "trust" in look.one("body").text
    look.driver.switch_to.frame(look.one("iframe"))
    look.wait()
    look.focus()
    before = look.state()["threshold"]
    look.press(Keys.ARROW_RIGHT)
    assert look.state()["threshold"] > before
    look.driver.switch_to.default_content()
    assert look.complaints() == []


def test_the_widget_queries_the_kernel(look: Looker, tmp_path: Path) -> None:
    """The widget's module in a stand-in for a notebook that carries its messages to the Python half and back."""
    widget = TeachingPage(datasets=("iris",)).widget()
    replies: list[dict[str, Any]] = []
    widget.send = lambda content, buffers=None: replies.append(content)
    esm = widget._esm.replace("export default {", "window.half = {", 1)
    assert esm != widget._esm
    held = json.dumps({"payload": widget.payload}).replace("<", "\\u003c")
    render = "window.half.render({model: window.model, el: document.getElementById('out')});"
    script = f"<script type=module>{_STAND_IN} window.held = {held};\n{esm}\n{render}</script>"
    look.driver.get(_written(tmp_path, f"<style>{widget._css}</style><div id=out></div>{script}"))

    def answer_all() -> None:
        for message in look.run("return window.sent.splice(0)"):
            widget._reply(widget, message, [])
            look.run("window.heard(arguments[0])", replies.pop())

    answer_all()
    look.wait()
    assert look.answer()["auc"] == pytest.approx(0.86637125342280607712, abs=1e-12)
    look.run("page.set({mean1: 9})")
    answer_all()
    look.pause(50)
    assert look.run("return window.saved.state.mean1") == 9
    assert look.all("[data-lm-suppress-shortcuts]")
    assert look.run(_UNHELD) == 0
    assert look.complaints() == []


@pytest.mark.parametrize("place", range(len(HOSTILE)))
def test_malicious_names_are_shown_as_text(look: Looker, tmp_path: Path, place: int) -> None:
    """As a feature, a unit and both labels: text, cut where long; nothing runs, overflows or is fetched."""
    name, rng = HOSTILE[place], np.random.default_rng(0)
    x, y = rng.normal(size=60) + np.repeat([0, 1], 30), np.repeat([name + "-", name], 30)
    names = {"positive": name, "negative": name + "-", "feature": name, "unit": name[:20], "title": name}
    page = TeachingPage(x, y, datasets=(), lesson=False, **names)
    look.resize(390)
    look.open(page.save(tmp_path / "page.html").as_uri())
    assert (look.one("h1").get_attribute("textContent") or "").split() == name.split()
    assert look.driver.title != "harmed"
    assert look.overflow() == 0
    assert look.complaints() == []
    assert look.requests() == []
    assert name[:12] in look.one("[data-picture=densities]").get_attribute("textContent")
    look.resize(1280)
    assert look.findings() == []


def test_keys_before_the_first_response_are_ignored(look: Looker) -> None:
    """While Python is still asked for the first time, keys and clicks do nothing."""
    slow = "const ask = fetch; window.fetch = (...a) => new Promise((go) => setTimeout(go, 500)).then(() => ask(...a));"
    with TeachingPage(datasets=()).serve() as server:
        added = look.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": slow + ERRORS})
        look.driver.get(server.url)
        look.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)
        look.focus()
        look.press("b", " ", Keys.ARROW_RIGHT)
        look.run("document.querySelector('[data-chance=one]').click()")
        look.run("for (const p of document.querySelectorAll('.picture')) p.dispatchEvent(new MouseEvent('click'))")
        look.run("document.querySelector('.sliders input[type=range]').dispatchEvent(new Event('input'))")
        look.wait()
        assert look.run("return harm") == []


def test_a_response_clears_the_last_error(look: Looker) -> None:
    """A question that failed while the next was asked: the answer clears what was said of the failure."""
    with TeachingPage(datasets=()).serve() as server:
        look.open(server.url)
        look.run(_LATE)
        look.run("page.set({threshold: 1}); setTimeout(() => page.set({threshold: 3}), 30);")
        look.pause(500)
        assert look.shown("threshold") == 3
        assert look.one(".notice").text == ""
