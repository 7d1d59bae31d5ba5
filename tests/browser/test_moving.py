"""The page by hand: keys alone, a pointer alone, number boxes and lists."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from rocpredict.teaching.page import TeachingPage
from tests.browser.looking import HANDLE, Looker

_STOPS = """
const all = [...document.querySelectorAll("button, input, select, textarea, [tabindex='0'], summary, a[href]")];
const first = (e) => e.type !== "radio" || e.checked || e === document.querySelector(`input[name='${e.name}']`);
const stops = all.filter((e) => !e.disabled && e.checkVisibility() && e.tabIndex >= 0 && first(e));
return stops.map((e, i) => e.dataset.stop = String(i));
"""
_PART = """
const stop = document.querySelector(`[data-stop='${arguments[0]}']`);
return [...stop.closest(".frame > *").classList][0];
"""
_ORDER = ["sentence", "densities", "thresholds", "roc", "sliders", "table", "panel", "bar"]
_WIDTH = "return document.querySelector('[data-picture=densities]').viewBox.baseVal.width"
# The ends of the drawn curve, the corners (0, 0) and (1, 1), and the point, in pixels.
_DRAWN_CURVE = """
const numbers = document.querySelector("[data-curve=predicted]").getAttribute("d").match(/[-\\d.]+/g).map(Number);
const { x1, y1, x2, y2 } = document.querySelector("[data-curve=chance]");
const ring = document.querySelector("circle[r='9']");
const [low, left, high, right] = [y1, x1, y2, x2].map((length) => length.baseVal.value);
const corners = [[left, low], [right, high]], point = [ring.cx.baseVal.value, ring.cy.baseVal.value];
return [numbers.slice(0, 2), numbers.slice(-2), corners, point];
"""
_MOVED = """
const done = arguments[0], from = page.state.threshold, began = performance.now();
(function look() {
  const moved = page.state.threshold !== from;
  if (moved || performance.now() - began > 5000) done(moved);
  else setTimeout(look, 20);
})();
"""
_PULL = """
const [mark, from, to, button] = arguments, buttons = button ? 2 : 1;
const at = (clientX) => ({ pointerId: 1, bubbles: true, clientX, clientY: 300, button, buttons });
Element.prototype.setPointerCapture = () => {};
mark.dispatchEvent(new PointerEvent("pointerdown", at(from)));
mark.dispatchEvent(new PointerEvent("pointermove", at(to)));
"""


def test_the_saved_page_makes_no_request_and_logs_nothing(opened: Callable[..., Looker]) -> None:
    """No request leaves the file, and the console has no severe line, in a session that uses every control."""
    look = opened()
    for state in (
        {"data": "iris"},
        {"strip": True, "costline": True, "weighted": True},
        {"lecture": True},
        {"step": 2},
        {"draws": 30},
    ):
        look.set(**state)
    for word in ("best", "reset", "python", "embed"):
        look.click(word)
    assert look.requests() == []
    assert look.complaints() == []


def test_tab_reaches_everything(opened: Callable[..., Looker]) -> None:
    """From the top, Tab alone visits every control that is shown, once around."""
    look = opened(datasets=("iris",))
    look.run("window.scrollTo(0, 0); document.activeElement.blur()")
    wanted = look.run(_STOPS)
    reached = []
    for _ in range(len(wanted) + 2):
        look.press(Keys.TAB)
        reached.append(look.run("return document.activeElement.dataset?.stop ?? ''"))
    assert set(wanted) <= set(reached)
    assert len(wanted) > 25
    parts = [look.run(_PART, stop) for stop in dict.fromkeys(reached) if stop]
    assert list(dict.fromkeys(parts)) == _ORDER


@pytest.mark.parametrize("handle", ["threshold", "point"])
def test_arrows_move_both_handles(opened: Callable[..., Looker], handle: str) -> None:
    """Steps of 1/200 of the range, with Shift 1/2000, pages 1/20, the ends; on the curve, right is a larger FPR."""
    look = opened(datasets=())
    look.set(threshold=6.0)
    low, high = look.range()
    side = 1 if handle == "threshold" else -1
    look.focus(f"[data-handle='{handle}']")
    at = 6.0
    for key, step in (
        (Keys.ARROW_RIGHT, 1 / 200),
        (Keys.ARROW_UP, 1 / 200),
        (Keys.ARROW_LEFT, -1 / 200),
        (Keys.ARROW_DOWN, -1 / 200),
        (Keys.PAGE_UP, 1 / 20),
        (Keys.PAGE_DOWN, -1 / 20),
    ):
        look.press(key)
        at += side * step * (high - low)
        assert look.state()["threshold"] == pytest.approx(at, rel=1e-12)
    look.press_with_shift(Keys.ARROW_RIGHT)
    assert look.state()["threshold"] == pytest.approx(at + side * (high - low) / 2000, rel=1e-12)
    look.press(Keys.END)
    assert look.state()["threshold"] == pytest.approx(high if side == 1 else low)
    look.press(Keys.HOME)
    assert look.state()["threshold"] == pytest.approx(low if side == 1 else high)
    said = "[e.ariaValueMin, e.ariaValueNow, e.ariaValueMax, e.ariaValueText]"
    *numbers, text = look.each(f"[data-handle='{handle}']", said)[0]
    assert [*map(float, numbers)] == sorted(map(float, numbers))
    assert "TPR" in text


def test_single_keys_can_be_disabled(opened: Callable[..., Looker]) -> None:
    """B, P, U, ? and space act; a box turns them off, and where one types they are letters."""
    look = opened(datasets=())
    look.set(threshold=2.0)
    look.focus()
    look.press("b")
    assert look.state()["threshold"] == pytest.approx(look.answer()["best"]["threshold"])
    look.press("p")
    assert look.state()["lecture"] is True
    assert not look.one(".tabs").is_displayed()
    # in one script: a redraw replaces the elements
    sizes = look.run("return [...document.querySelectorAll('.picture text')].map(t => t.getAttribute('font-size'))")
    assert min(map(float, sizes)) >= 24
    look.press("p")
    assert look.one(".tabs").is_displayed()
    look.press("?")
    assert look.one("dialog[open]").text.startswith("Keys")
    look.press(Keys.ESCAPE)
    look.set(keys=False, threshold=2.0)
    look.press(*"bpu? ")
    look.set(keys=True)
    look.one("[data-box=mean0]").click()
    look.press(*"bpu? ")
    look.pause(100)
    assert (look.state()["threshold"], look.state()["lecture"], look.all("dialog")) == (2.0, False, [])
    look.focus()
    look.pause(1000)  # changes in quick succession are undone together
    look.press("b", "u")
    assert look.state()["threshold"] == 2.0


def test_space_sweeps_unless_reduced_motion_is_set(opened: Callable[..., Looker]) -> None:
    """The sweep draws the curve from (0, 0) to the point, until any input; at its end the curve is whole.

    With reduced motion, each press is one step.
    """
    look = opened(datasets=())
    whole = look.run(_DRAWN_CURVE)
    for stop in (lambda: look.press(" "), lambda: look.press(Keys.ARROW_LEFT), look.one(".sweep").click):
        look.set(threshold=0.0)
        look.focus()
        look.press(" ")
        assert look.later(_MOVED) is True
        look.pause(200)
        start, end, corners, point = look.run(_DRAWN_CURVE)
        assert end == pytest.approx(corners[0], abs=0.1), "it begins at (0, 0)"
        assert start == pytest.approx(point, abs=0.1), "it ends at the point"
        stop()
        assert look.run("return page.page.sweep") is None
        rested = look.state()["threshold"]
        look.pause(60)
        assert look.state()["threshold"] == rested
        assert look.run(_DRAWN_CURVE)[:2] == whole[:2]
    assert whole[:2] == [pytest.approx(corner, abs=0.1) for corner in reversed(whole[2])]
    look.emulate(prefers_reduced_motion="reduce")
    rested = look.state()["threshold"]
    look.press(" ")
    look.pause(100)
    low, high = look.range()
    assert 0 < rested - look.state()["threshold"] <= (high - low) / 20 + 1e-9


def test_a_pointer_drags_the_line_and_the_point(opened: Callable[..., Looker]) -> None:
    """Dragged by some pixels, the threshold moves by their share of the axis; the point stays on the curve."""
    look = opened(datasets=())
    look.set(threshold=4.0)
    low, high = look.range()
    width = look.run(_WIDTH) - 20
    look.drag("[data-handle='threshold']", 90, 0)
    assert look.state()["threshold"] == pytest.approx(4.0 + 90 / width * (high - low), abs=2 / width * (high - low))
    look.drag("[data-handle='point']", 60, -40)
    answer = look.answer()
    fpr, tpr = np.array(answer["curve"]["fpr"]), np.array(answer["curve"]["tpr"])
    assert np.hypot(fpr - answer["rates"]["fpr"], tpr - answer["rates"]["tpr"]).min() < 0.02
    assert answer["rates"]["fpr"] > 0.05
    ActionChains(look.driver).move_to_element_with_offset(
        look.one("[data-picture='densities']"), -100, 0
    ).click().perform()
    assert look.state()["threshold"] == pytest.approx(
        (low + high) / 2 - 100 / width * (high - low), abs=3 / width * (high - low)
    )


def test_number_boxes_take_exact_values_and_refuse_others(opened: Callable[..., Looker]) -> None:
    """A typed number is used to its last digit; an SD of 0 raises a message and changes no picture."""
    look = opened(datasets=())
    look.type("std1", "2.123456789")
    assert look.state()["std1"] == 2.123456789
    look.type("prevalence", "12.5")
    assert look.state()["prevalence"] == 0.125
    for name, wrong in (("std1", "0"), ("std0", "-3"), ("mean0", "a"), ("prevalence", "100"), ("threshold", "")):
        before = look.state()
        look.type(name, wrong)
        box = look.one(f"[data-box='{name}']")
        assert look.one(f"[id='{box.get_attribute('aria-describedby')}']").text, (name, wrong)
        assert (box.get_attribute("aria-invalid"), box.get_attribute("value")) == ("true", wrong)
        assert look.state() == before


def test_a_sweep_follows_the_axis(opened: Callable[..., Looker]) -> None:
    """Other data while the threshold sweeps: it sweeps along the new axis."""
    look = opened(datasets=())
    look.focus()
    look.press(" ")
    look.set(mean0=0.0, mean1=0.1, std0=0.02, std1=0.02, fresh=True)
    look.pause(300)
    look.press(" ")
    low, high = look.range()
    assert low <= look.state()["threshold"] <= high


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


def test_the_other_mouse_button_drags_nothing_and_a_line_stays_on_the_axis(opened: Callable[..., Looker]) -> None:
    """A menu that is asked for on the line does not move it; dragged beyond the picture it stands at its end."""
    look = opened(datasets=())
    look.set(threshold=1.0)
    look.run(_PULL, look.one(HANDLE), 300, 500, 2)
    assert look.state()["threshold"] == 1.0
    look.run(_PULL, look.one(HANDLE), 300, -900, 0)
    assert look.state()["threshold"] == pytest.approx(look.range()[0], rel=1e-12)
