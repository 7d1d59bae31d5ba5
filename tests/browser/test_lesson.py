"""The guided lesson from start to end, by keys alone, and the play with chance."""

import re
from collections.abc import Callable

import numpy as np
import pytest
from selenium.webdriver.common.keys import Keys

import rocpredict as rp
from tests.browser.looking import Looker

_UNTOLD = re.compile(r"\{[\w.]+|NaN|undefined|null")


def _press_button(look: Looker, name: str) -> None:
    """Go to a button of the lesson by its focus, and press Enter."""
    look.focus(f"[data-lesson='{name}']")
    look.press(Keys.ENTER)
    look.pause(20)


_ACTIONS = {
    "alarm": {"threshold": 8.0},
    "crossing": {"threshold": 6.0},
    "rare": {"prevalence": 0.01},
    "widths": {"mean0": 8.0},
}
_KEYS = ["alarm", "crossing", "curve", "auc", "rare", "widths", "cost", "iris", "pima", "sample"]
_ROC = rp.PredictedRoc(rp.Gaussian(4, 3), rp.Gaussian(8, 2))
_COST = _ROC.best_threshold("cost", prevalence=0.5, cost_fp=0.1, cost_fn=1.0)
# What the answers must say, by the library.
_FACTS = {
    "alarm": {"counts.tp": round(100 * _ROC.rates(8.0).tpr), "counts.fp": round(900 * _ROC.rates(8.0).fpr)},
    "crossing": {"best.threshold": _ROC.best_threshold().threshold, "best.ameans": _ROC.best_threshold().ameans},
    "auc": {"auc": _ROC.auc(), "hundred.auc": 100 * _ROC.auc()},
    "rare": {"percent.precision": 100 * _ROC.rates(_ROC.best_threshold().threshold, prevalence=0.01).precision},
    "widths": {"auc": 0.5},
    "cost": {"costbest.threshold": _COST.threshold, "costbest.tpr": _COST.tpr, "costbest.fpr": _COST.fpr},
}


def _answer(look: Looker) -> None:
    """Choose the first answer, where there are answers."""
    look.run("document.querySelector('.chip')?.click()")


def _find_visible(look: Looker, selector: str) -> list[str]:
    """Return the tags of the elements that a reader can see."""
    visible = "e.checkVisibility({visibilityProperty: true})"
    script = f"return [...document.querySelectorAll(arguments[0])].filter((e) => {visible}).map((e) => e.tagName)"
    return list(look.run(script, selector))


def _act(look: Looker, key: str) -> None:
    """Do what a step asks for."""
    if key in _ACTIONS:
        look.set(**_ACTIONS[key])
    if key == "auc":
        _press_button(look, "pairs")
    if key == "curve":
        look.run("page.page.toggleSweep()")
        low, high = look.range()
        look.set(threshold=high)
        look.set(threshold=low)
        look.pause(20)


@pytest.mark.parametrize("lang", ["en", "de"])
def test_the_lesson_from_start_to_end(opened: Callable[..., Looker], lang: str) -> None:
    """Six steps and four more: each waits for an answer and an action, then explains with the present numbers."""
    look = opened(lang=lang)
    look.set(mean0=3.25, prevalence=0.3)
    _press_button(look, "start")
    for step, key in enumerate(_KEYS):
        if step == 6:
            state = look.state()
            assert (state["step"], state["mean0"], state["prevalence"]) == (-1, 3.25, 0.3), (
                "the state of before is back"
            )
            look.run("document.querySelector('.steps details').open = true")
            look.one("[data-open-step=cost]").click()
            look.pause(30)
        assert look.one(".progress").text == f"{step + 1}/{6 if step < 6 else 10}"
        assert look.focused().tag_name == "h3", step
        assert not look.one("[data-lesson=reveal]").is_enabled(), key
        reason = look.one("[data-lesson=reveal]").get_attribute("title") or ""
        assert len(reason) > 10, key
        _answer(look)
        if key in _ACTIONS or key in ("auc", "curve"):
            assert not look.one("[data-lesson=reveal]").is_enabled(), key
            if key == "curve":
                assert not _find_visible(look, ".roc svg :is(path, circle, [data-guide])"), "the start of the curve"
            _act(look, key)
            if key == "auc":
                assert len(look.all("[data-mark=pairs]")) == 2
                assert not _find_visible(look, ".auc, [data-mark=pairs]"), "the AUC"
        assert look.one("[data-lesson=reveal]").is_enabled(), key
        assert not look.run("return document.querySelector('.readouts').checkVisibility()")
        _press_button(look, "reveal")
        told = look.one(".lesson .explanation")
        assert told.is_displayed()
        assert look.focused() == told
        assert len(told.text) > 80
        assert not _UNTOLD.search(told.text), told.text
        for name, number in _FACTS.get(key, {}).items():
            assert look.shown(f"lesson.{name}") == pytest.approx(number, abs=1e-8), (key, name)
        assert look.state()["step"] == step
        _press_button(look, "finish" if step in (5, 9) else "next")
    state = look.state()
    assert (state["step"], state["mean0"], state["prevalence"]) == (-1, 3.25, 0.3), "the state of before is back"
    assert look.complaints() == []


def test_the_best_threshold_is_not_given_away(opened: Callable[..., Looker]) -> None:
    """While a step asks for it: no key B, no button and no mark; afterwards the numbers are the library's."""
    look = opened("#step=2", datasets=())
    look.pause(50)
    look.focus()
    look.press("z", "b")
    assert look.state()["threshold"] == 2
    assert not look.one(".thresholds button").is_enabled()
    assert not any(look.each("[data-crossing], [data-mark=best]", "e.checkVisibility()"))
    _answer(look)
    look.set(threshold=9.0)
    _press_button(look, "reveal")
    best = rp.PredictedRoc(rp.Gaussian(4, 3), rp.Gaussian(8, 2)).best_threshold()
    shown = [look.shown(f"lesson.best.{name}") for name in ("threshold", "ameans")]
    assert shown == pytest.approx([best.threshold, best.ameans], abs=1e-8)
    assert look.state()["threshold"] == pytest.approx(best.threshold, abs=1e-8)


def test_a_step_comes_from_the_address(opened: Callable[..., Looker]) -> None:
    """A lecturer can link to a step, by its number or its name, and the page keeps it after it is loaded again."""
    for at, number in (("#step=3", 3), ("#step=rare", 5), ("#step=sample", 8)):
        look = opened(at, datasets=())
        look.pause(50)
        assert look.one(".lesson .progress").text.startswith(f"{number}/")
        assert not look.one(".link-note").is_displayed()
        look.pause(300)
        look.driver.refresh()
        look.wait()
        look.pause(50)
        assert look.one(".lesson .progress").text.startswith(f"{number}/")
        look.driver.get("about:blank")


def test_simulated_aucs_have_delongs_variance(opened: Callable[..., Looker]) -> None:
    """Fifty redraws of 40 cases: their mean AUC is within 5 standard errors of the prediction; seeded."""
    look = opened(datasets=())
    look.set(n=40, draws=50, seed=7)
    mean, spread = look.shown("chance.mean"), look.shown("chance.sd")
    assert abs(mean - look.answer()["auc"]) < 5 * spread / np.sqrt(50)
    assert 0.02 < spread < 0.07
    assert len(look.all("[data-curve=draw]")) == 50
    again = look.shown("chance.mean")
    look.set(seed=8)
    assert look.shown("chance.mean") != again
    look.set(seed=7)
    assert look.shown("chance.mean") == again


def test_the_game_of_pairs_converges_to_the_auc(opened: Callable[..., Looker]) -> None:
    """Two thousand pairs: the share of wins is within 5 standard errors of the AUC, and the tally adds up."""
    look = opened(datasets=())
    look.run("for (let i = 0; i < 20; i++) document.querySelector(\"[data-chance='hundred']\").click()")
    assert look.shown("chance.played") == 2000
    auc = look.answer()["auc"]
    assert abs(look.shown("chance.share") - auc) < 5 * np.sqrt(auc * (1 - auc) / 2000)
    assert look.shown("chance.share") == pytest.approx(
        (look.shown("chance.wins") + look.shown("chance.ties") / 2) / 2000
    )


def test_reveal_and_next_at_once_keep_the_next_step(opened: Callable[..., Looker]) -> None:
    """Next, before what Reveal does has come: the next step has its own state."""
    look = opened("#step=5")
    look.pause(50)
    look.run("page.page.lesson.forward(); document.querySelector('[data-lesson=next]').click()")
    look.pause(100)
    assert (look.state()["step"], look.state()["prevalence"]) == (5, 0.1)


def test_reveal_reveals_once(opened: Callable[..., Looker]) -> None:
    """A double click tells one answer, and plays 100 pairs."""
    look = opened("#step=4")
    look.pause(50)
    look.run("page.page.lesson.choose(0); document.querySelector('[data-lesson=pairs]').click()")
    look.run("const reveal = document.querySelector('[data-lesson=reveal]'); reveal.click(); reveal.click();")
    look.pause(100)
    assert len(look.all(".verdict")) == 1
    assert look.shown("chance.played") == 100


def test_the_sweep_of_a_step_needs_no_motion(opened: Callable[..., Looker]) -> None:
    """With reduced motion, each press is one step of the sweep; the step can be revealed after the last one."""
    look = opened("#step=3", datasets=())
    look.emulate(prefers_reduced_motion="reduce")
    look.pause(50)
    _answer(look)
    look.later("""
      const done = arguments[0];
      (async () => {
        for (let i = 0; i < 40; i++) { page.page.toggleSweep(); await new Promise(requestAnimationFrame); }
        done();
      })();
    """)
    assert look.one("[data-lesson=reveal]").is_enabled()
    assert "circle" in _find_visible(look, ".roc svg circle")


def test_the_menu_opens_the_measures_along_the_threshold(opened: Callable[..., Looker]) -> None:
    """Their plot is in a panel: a tick opens the panel, closes the menu above it, and scrolls to the plot."""
    look = opened(datasets=())
    look.resize(1024, 768)
    look.one(".menu:not(.share) summary").click()
    look.one(".option input[id$='-strip']").click()
    look.pause(60)
    assert (look.state()["strip"], look.state()["panel"]) == (True, "numbers")
    assert not look.one(".menu-list").is_displayed()
    top, bottom = look.run("""
      const box = (selector) => document.querySelector(selector).getBoundingClientRect();
      return [box("section.strip").top - box("[id$='panel-numbers']").top,
        box("[id$='panel-numbers']").bottom - box("section.strip").top];
    """)
    assert top > -1
    assert bottom > 60
