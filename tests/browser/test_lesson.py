"""The guided lesson from start to end, by keys alone, and the play with chance."""

import re
from collections.abc import Callable

import numpy as np
import pytest
from selenium.webdriver.common.keys import Keys

from tests.browser.looking import Looker

_UNTOLD = re.compile(r"\{[\w.]+|NaN|undefined|null")


def _press_button(look: Looker, name: str) -> None:
    """Go to a button of the lesson by its focus, and press Enter."""
    look.focus(f"[data-lesson='{name}']")
    look.press(Keys.ENTER)
    look.pause(20)


@pytest.mark.parametrize("lang", ["en", "de"])
def test_the_lesson_from_start_to_end(opened: Callable[..., Looker], lang: str) -> None:
    """Eight steps: each asks, waits for an answer, then tells with its own numbers, and what is new has the focus."""
    look = opened(lang=lang)
    look.set(mean0=3.25, prevalence=0.3)
    _press_button(look, "start")
    for step in range(8):
        body = look.one(".lesson .step")
        assert f"{step + 1}" in body.find_element("css selector", ".progress").text
        assert look.focused().tag_name == "h3", step
        reveal = look.one("[data-lesson=reveal]")
        assert not reveal.is_enabled(), "an answer comes first"
        radios = look.all(".lesson input[type=radio]")
        if radios:
            look.run("arguments[0].focus()", radios[0])
            look.press(" ", Keys.ARROW_DOWN)
        else:
            look.focus()
            look.press(Keys.PAGE_UP)
        assert look.one("[data-lesson=reveal]").is_enabled()
        assert not look.one(".readouts").is_displayed(), "what is to be predicted is not on the page"
        _press_button(look, "reveal")
        told = look.one(".lesson .explanation")
        assert told.is_displayed()
        assert look.focused() == told
        assert len(told.text) > 80
        assert not _UNTOLD.search(told.text), told.text
        assert look.one(".readouts").is_displayed()
        assert look.state()["step"] == step
        _press_button(look, "next" if step < 7 else "finish")
    state = look.state()
    assert (state["step"], state["mean0"], state["prevalence"]) == (-1, 3.25, 0.3), "the state of before is back"
    assert look.complaints() == []


def test_a_guess_at_the_crossing_shows_its_loss(opened: Callable[..., Looker]) -> None:
    """Step 1: the points of Ameans that the guess costs are the library's."""
    look = opened(datasets=())
    _press_button(look, "start")
    look.set(threshold=9.0)
    wanted = 100 * (look.answer()["best"]["ameans"] - look.answer()["rates"]["ameans"])
    _press_button(look, "reveal")
    assert look.shown("lesson.loss") == pytest.approx(wanted, abs=1e-9)


def test_a_step_comes_from_the_address(opened: Callable[..., Looker]) -> None:
    """A lecturer can link to a step."""
    look = opened("#step=3", datasets=())
    look.pause(50)
    assert "3" in look.one(".lesson .progress").text


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
    look = opened("#step=3")
    look.pause(50)
    look.run("document.querySelector('.lesson input[type=radio]').click()")
    look.run("for (const name of ['reveal', 'next']) document.querySelector(`[data-lesson=${name}]`).click()")
    look.pause(100)
    assert (look.state()["step"], look.state()["prevalence"]) == (3, 0.5)


def test_reveal_reveals_once(opened: Callable[..., Looker]) -> None:
    """A double click tells one answer, and plays 100 pairs."""
    look = opened("#step=7")
    look.pause(50)
    look.run("document.querySelector('.lesson input[type=radio]').click()")
    look.run("const reveal = document.querySelector('[data-lesson=reveal]'); reveal.click(); reveal.click();")
    look.pause(100)
    assert len(look.all(".verdict")) == 1
    assert look.shown("chance.played") == 100
