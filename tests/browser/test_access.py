"""The page for everybody: WCAG 2.2 A and AA, narrow and wide windows, large text, print, other languages."""

from collections.abc import Callable
from pathlib import Path

import pytest
from selenium.webdriver.common.keys import Keys

from tests.browser.looking import OPENINGS, Looker
from tests.cases import check_each

_USUAL = {"data": "", "names": "roc", "strip": False, "costline": False, "weighted": False, "lecture": False}
_USUAL |= {"step": -1, "draws": 0, "panel": "", "theme": "light", "mean0": 4, "mean1": 8}
_STATES = {
    "first": {},
    **{panel: {"panel": panel} for panel in ("lesson", "numbers", "game", "data")},
    "data": {"data": "iris", "strip": True, "costline": True, "weighted": True},
    "lecture": {"lecture": True},
    "lesson": {"step": 0},
    "chance": {"draws": 10, "panel": "game", "theme": "dark"},
    "clinic": {"names": "clinic", "data": "breast_cancer", "panel": "data"},
    "dark": {"theme": "dark", "panel": "numbers", "mean0": 9, "direction": "higher"},
}


@pytest.mark.parametrize("lang", ["en", "de"])
def test_every_state_is_accessible(opened: Callable[..., Looker], lang: str) -> None:
    """axe-core 4.12, rules of WCAG 2.0 to 2.2, levels A and AA, in each state of the page and in both languages.

    No window scrolls sideways at 320, 640 and 1280 pixels; 640 is a window of 1280 at 200%.
    """
    look = opened(lang=lang)
    assert look.run("return document.documentElement.lang") == lang

    def check(state: dict[str, object]) -> None:
        look.set(**_USUAL | state)
        assert look.findings() == []
        for width in (320, 640, 1280):
            look.resize(width)
            assert (width, look.overflow()) == (width, 0)

    names = _STATES if lang == "en" else ("first", "lesson", "numbers", "game", "data", "lecture")
    theme = {"theme": "light" if lang == "en" else "dark"}
    check_each({name: theme | _STATES[name] for name in names}, check)
    look.set(**_USUAL | theme)
    # In the light theme in English, in the dark one in German: each menu, a card, and each phase of the lesson.
    for name, opening in OPENINGS.items():
        look.run(opening)
        assert (name, look.findings()) == (name, [])
    for step in range(6):
        look.set(step=step)
        look.pause(30)
        assert (step, look.findings()) == (step, [])
        look.run("page.page.lesson.forward(); page.page.stopSweep()")
        look.pause(30)
        assert (step, look.findings()) == (step, [])


def test_axe_finds_no_violation_on_a_phone(opened: Callable[..., Looker]) -> None:
    """The same rules at 320 pixels, where targets and contrasts may fail by themselves."""
    look = opened(width=320)
    assert look.findings() == []


def test_without_javascript_a_message_is_shown(look: Looker, saved: Callable[..., Path]) -> None:
    """A reader without JavaScript is told what is missing."""
    look.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        look.driver.get(saved(datasets=()).as_uri())
        assert "JavaScript" in look.one("body").text
    finally:
        look.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_only_one_live_region_is_announced(opened: Callable[..., Looker]) -> None:
    """Thirty numbers change at once: only the status line is read aloud, after 300 ms, once."""
    look = opened(datasets=())
    assert set(look.each("output", "e.ariaLive")) == {"off"}
    assert len(look.all("[aria-live=polite]")) == 1
    look.focus()
    look.press(*5 * [Keys.ARROW_RIGHT])
    look.pause(450)
    assert look.one("[aria-live=polite]").get_attribute("textContent").count("TPR") == 1


def test_print_omits_the_controls(opened: Callable[..., Looker]) -> None:
    """On paper: the pictures and the numbers, without buttons and sliders."""
    look = opened(datasets=())
    look.emulate("print")
    controls = "[...document.querySelectorAll('button:not(.term), input[type=range]')]"
    assert look.run(f"return {controls}.filter((e) => e.checkVisibility()).length") == 0
    assert look.one(".densities").is_displayed()


@pytest.mark.parametrize("lang", ["en", "de"])
def test_doubled_text_size_fits(opened: Callable[..., Looker], lang: str) -> None:
    """At 640 pixels, for a reader whose usual text is twice as large, no state runs out of the window."""
    look = opened(width=640, lang=lang)
    look.run("document.documentElement.style.fontSize = '200%'")
    for name, state in _STATES.items():
        look.set(**_USUAL | state)
        assert (name, look.overflow()) == (name, 0)


def test_forced_colours_hide_nothing(opened: Callable[..., Looker]) -> None:
    """In the colours of a reader's own: no wider, curves keep their two colours, and axe finds nothing."""
    look = opened(width=640)
    look.emulate(forced_colors="active")
    assert look.run("return matchMedia('(forced-colors: active)').matches")
    for name, state in _STATES.items():
        look.set(**_USUAL | state)
        strokes = set(look.each("[data-line$=tive]", "getComputedStyle(e).stroke"))
        assert (name, look.overflow(), len(strokes)) == (name, 0, 2)
    assert look.findings() == []


def test_the_page_uses_the_browser_s_text_size(opened: Callable[..., Looker]) -> None:
    """A larger text size set in the browser applies to the page."""
    look = opened(datasets=())
    size = "return parseFloat(getComputedStyle(document.querySelector('.rocpredict')).fontSize)"
    usual = look.run(size)
    look.run("document.documentElement.style.fontSize = '200%'")
    assert look.run(size) == 2 * usual
