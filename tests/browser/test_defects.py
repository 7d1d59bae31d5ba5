"""What an impatient student and an attacker could break once."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from selenium.webdriver.common.keys import Keys

from rocpredict.teach import TeachingPage
from tests.browser.looking import HANDLE, Looker

_ERRORS = "window.harm = []; addEventListener('error', (e) => harm.push(e.message));"


@pytest.mark.parametrize(
    "at",
    [
        "#names=foo",
        "#names=constructor",
        "#n=abc&draws=3",
        "#n=-5&draws=3",
        "#n=0.5&draws=3",
        "#draws=abc",
        "#data=iris&contrast=0.5",
        "#mean0=1e20&mean1=1e20",
        "#mean0=-1e308",
        "#std0=1e308&std1=1e308",
        "#std0=1e-320",
    ],
)
def test_an_address_that_means_harm_is_one_sentence(opened: Callable[..., Looker], at: str) -> None:
    """Names that are none, counts that are none, numbers that no axis can hold: a sentence, and no broken page."""
    look = opened(at, datasets=("iris",))
    assert look.broken() == []
    assert look.complaints() == []
    assert look.run("return !!page.answer") or look.one(".notice").text


@pytest.mark.parametrize("at", ["#draws=3000&n=2", "#draws=1&n=100000"])
def test_an_address_cannot_keep_the_browser_busy(opened: Callable[..., Looker], at: str) -> None:
    """Millions of samples are not drawn because an address says so."""
    look = opened(at, datasets=())
    assert look.state()["draws"] <= 50
    assert look.state()["n"] <= 1000


@pytest.mark.parametrize("at", ["#data=nothing", "#data=own", "#data=iris&feature=-1"])
def test_data_that_are_not_there_are_named(opened: Callable[..., Looker], at: str) -> None:
    """The sentence is about the data, not about a threshold that nobody gave."""
    look = opened(at, datasets=("iris",))
    assert look.one(".notice").text == look.run("return page.page.words.page.wrong.data")


def test_a_sweep_follows_the_axis(opened: Callable[..., Looker]) -> None:
    """Other data while the threshold sweeps: it sweeps along the new axis."""
    look = opened(datasets=())
    look.focus()
    look.press(" ")
    look.set(mean0=0.0, mean1=0.1, std0=0.02, std1=0.02, fresh=True)
    look.pause(300)
    look.press(" ")
    low, high = look.answer()["range"]
    assert low <= look.state()["threshold"] <= high


def test_reveal_and_next_at_once_keep_the_next_step(opened: Callable[..., Looker]) -> None:
    """Next, before what Reveal does has come: the next step has its own state."""
    look = opened("#step=2")
    look.pause(50)
    look.run("document.querySelector('.lesson input[type=radio]').click()")
    look.run("for (const name of ['reveal', 'next']) document.querySelector(`[data-lesson=${name}]`).click()")
    look.pause(100)
    assert (look.state()["step"], look.state()["prevalence"]) == (3, 0.5)


def test_reveal_reveals_once(opened: Callable[..., Looker]) -> None:
    """A double click tells one answer, and plays 100 pairs."""
    look = opened("#step=6")
    look.pause(50)
    look.run("document.querySelector('.lesson input[type=radio]').click()")
    look.run("const reveal = document.querySelector('[data-lesson=reveal]'); reveal.click(); reveal.click();")
    look.pause(100)
    assert len(look.all(".verdict")) == 1
    assert look.shown("chance.played") == 100


def test_keys_before_the_first_answer_are_no_error(look: Looker) -> None:
    """While Python is still asked for the first time, keys and clicks do nothing."""
    slow = "const ask = fetch; window.fetch = (...a) => new Promise((go) => setTimeout(go, 500)).then(() => ask(...a));"
    with TeachingPage(datasets=()).serve() as server:
        added = look.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": slow + _ERRORS})
        look.driver.get(server.url)
        look.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)
        look.focus()
        look.press("b", " ", Keys.ARROW_RIGHT)
        look.run("document.querySelector('[data-chance=one]').click()")
        look.run("for (const p of document.querySelectorAll('.picture')) p.dispatchEvent(new MouseEvent('click'))")
        look.run("document.querySelector('.controls input[type=range]').dispatchEvent(new Event('input'))")
        look.wait()
        assert look.run("return harm") == []


def test_an_answer_takes_back_the_last_trouble(look: Looker) -> None:
    """A question that failed while the next was asked: the answer clears what was said of the failure."""
    late = (
        "const ask = fetch; let first = true; window.fetch = async (...a) => { if (!first) return ask(...a); first = false;"
        " await new Promise((go) => setTimeout(go, 100)); throw new Error('gone'); };"
    )
    with TeachingPage(datasets=()).serve() as server:
        look.open(server.url)
        look.run(late)
        look.run("page.set({threshold: 1}); setTimeout(() => page.set({threshold: 3}), 30);")
        look.pause(500)
        assert look.shown("threshold") == 3
        assert look.one(".notice").text == ""


@pytest.mark.parametrize("name", ["mean1", "cost"])
def test_an_arrow_moves_on_from_a_typed_value(opened: Callable[..., Looker], name: str) -> None:
    """A value beyond the slider's ends is not lost by one key."""
    look = opened(datasets=())
    look.set(**{name: 90.0 if name == "mean1" else 5000.0})
    before = look.state()[name]
    look.focus(f"input[type=range][id$='-{name}']")
    look.press(Keys.ARROW_LEFT)
    assert look.state()[name] == pytest.approx(before, rel=0.2)


def test_a_feature_that_cannot_be_shown_locks_nothing(look: Looker, tmp_path: Path) -> None:
    """With a first feature that is constant: the data can be left and come back, and the list shows what is shown."""
    rng, y = np.random.default_rng(0), np.repeat(["a", "b"], 30)
    x = np.column_stack([np.ones(60), rng.normal(size=60) + (y == "b"), np.ones(60)])
    look.open(TeachingPage(x, y, positive="b", datasets=("iris",)).save(tmp_path / "p.html").as_uri())
    choose = "const s = document.querySelector(`select[id$='-${arguments[0]}']`); s.value = arguments[1];"
    choose += "s.dispatchEvent(new Event('change')); return s.value;"
    assert look.run(choose, "feature", "2") == str(look.state()["feature"])
    look.run(choose, "data", "iris")
    look.run(choose, "data", "own")
    assert look.state()["data"] == "own"


def test_the_other_mouse_button_drags_nothing(opened: Callable[..., Looker]) -> None:
    """A menu that is asked for on the line does not move it."""
    look = opened(datasets=())
    look.set(threshold=1.0)
    script = (
        "const at = (x) => ({pointerId: 1, bubbles: true, clientX: x, clientY: 300, button: 2, buttons: 2}), h = arguments[0];"
        "h.setPointerCapture = () => {};"
        "h.dispatchEvent(new PointerEvent('pointerdown', at(300))); h.dispatchEvent(new PointerEvent('pointermove', at(500)));"
    )
    look.run(script, look.one(HANDLE))
    assert look.state()["threshold"] == 1.0


def test_a_dragged_line_stays_on_the_axis(opened: Callable[..., Looker]) -> None:
    """Beyond the picture the line stands at its end, and so does the threshold."""
    look = opened(datasets=())
    script = (
        "const at = (x) => ({pointerId: 1, bubbles: true, clientX: x, clientY: 300}), h = arguments[0];"
        "h.setPointerCapture = () => {};"
        "h.dispatchEvent(new PointerEvent('pointerdown', at(300))); h.dispatchEvent(new PointerEvent('pointermove', at(-900)));"
    )
    look.run(script, look.one(HANDLE))
    assert look.state()["threshold"] >= look.answer()["range"][0]


def test_no_layout_runs_in_a_circle(opened: Callable[..., Looker]) -> None:
    """A narrower window is one redraw: the browser reports no loop of resizing."""
    look = opened(datasets=())
    look.run(_ERRORS)
    for width in (640, 320, 1280, 390):
        look.resize(width)
        look.pause(60)
    assert look.run("return harm") == []


def test_an_empty_threshold_is_refused_in_words(opened: Callable[..., Looker]) -> None:
    """As every other number box."""
    look = opened(datasets=())
    look.set(threshold=1.0)
    look.type("threshold", "")
    assert look.one(".notice").text
    assert look.state()["threshold"] == 1.0


def test_a_snippet_for_one_against_the_rest_runs(look: Looker, tmp_path: Path) -> None:
    """Rows of one's own, one label against the rest: Copy Python does not name a label that is none."""
    y = np.repeat([0, 1, 2], 30)
    x = np.random.default_rng(0).normal(size=90) + y
    look.open(TeachingPage(x, y, positive=2, datasets=()).save(tmp_path / "p.html").as_uri())
    look.click("python")
    names = {"x": x, "y": y}
    exec(compile(look.run("return document.querySelector('textarea').value"), "snippet", "exec"), names)
    assert names["roc"].auc() == pytest.approx(look.answer()["auc"], abs=1e-8)


def test_a_page_follows_the_reader_s_size_of_text(opened: Callable[..., Looker]) -> None:
    """Who has set a larger text in the browser gets it."""
    look = opened(datasets=())
    size = "return parseFloat(getComputedStyle(document.querySelector('.rocpredict')).fontSize)"
    usual = look.run(size)
    look.run("document.documentElement.style.fontSize = '200%'")
    assert look.run(size) == 2 * usual


def test_names_with_control_characters_are_saved_as_pictures(look: Looker, tmp_path: Path) -> None:
    """XML has no place for them: the picture is saved without."""
    y = np.repeat(["a\x01b", "c"], 30)
    x = np.random.default_rng(0).normal(size=60) + (y == "c")
    page = TeachingPage(x, y, positive="c", datasets=(), lesson=False, feature="f\x0bg")
    look.open(page.save(tmp_path / "p.html").as_uri())
    look.driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)})
    look.all(".densities .tools button")[1].click()
    look.pause(500)
    assert look.one(".notice").text == ""
