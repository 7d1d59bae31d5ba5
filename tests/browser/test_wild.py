"""The page under an impatient student: whatever is done, in whatever order, numbers stay numbers."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from selenium.webdriver.common.keys import Keys

from rocpredict.teaching.page import TeachingPage
from tests.browser.looking import Looker

_KEYS = [*"bBpx1-", " ", Keys.ENTER, Keys.ESCAPE, Keys.TAB, Keys.HOME, Keys.END, Keys.PAGE_UP, Keys.PAGE_DOWN]
_ARROWS = [Keys.ARROW_LEFT, Keys.ARROW_RIGHT, Keys.ARROW_UP, Keys.ARROW_DOWN]
# Printing waits for a hand, and a picture would be downloaded.
_USE = """
const [picks, done] = arguments, typed = ["", "0", "-1", "1e-9", "1e9", "12.5", "99.9", "nonsense"], used = [];
const left = (e) => e.matches(".share button");
function use([pick, share]) {
  const all = [...document.querySelectorAll(".rocpredict :is(button, input, select)")];
  const shown = all.filter((e) => !e.disabled && e.getClientRects().length && !left(e));
  const e = shown[Math.floor(pick * shown.length)];
  if (e.tagName === "SELECT") e.selectedIndex = Math.floor(share * e.options.length);
  else if (e.type === "range") e.value = Number(e.min) + share * (e.max - e.min);
  else if (e.type === "text") e.value = typed[Math.floor(share * typed.length)];
  else e.click();
  if (e.type !== "button") e.dispatchEvent(new Event(e.type === "range" ? "input" : "change"));
  used.push(`${e.id} ${e.textContent.slice(0, 20)} ${share}`);
}
(async () => {
  for (const pick of picks) {
    use(pick);
    await new Promise((go) => setTimeout(go, 2));
  }
  done(used);
})();
"""
_FOCUS = """
const all = document.querySelectorAll("[data-handle], .rocpredict input[type=range]");
all[Math.floor(arguments[0] * all.length)].focus();
"""
_DRAG = """
const [handle, dx, dy] = arguments, element = document.querySelector(`[data-handle='${handle}']`);
const box = element.getBoundingClientRect(), lesson = document.querySelectorAll("[data-lesson]");
const at = (share) => ({ clientX: box.x + box.width / 2 + share * dx, clientY: box.y + box.height / 2 + share * dy });
const pointer = (kind, share) => new PointerEvent(kind, { pointerId: 1, bubbles: true, ...at(share) });
const send = (kind, share) => element.dispatchEvent(pointer(kind, share));
Element.prototype.setPointerCapture = () => {};
send("pointerdown", 0);
for (const share of [0.2, 0.4, 0.6]) send("pointermove", share);
lesson[Math.floor(Math.abs(dx) % lesson.length)]?.click();
for (const share of [0.8, 1]) send("pointermove", share);
send("pointerup", 1);
"""


class _Student:
    """Do one thing after the other, at random but the same for the same seed."""

    def __init__(self, look: Looker, seed: int) -> None:
        self.look, self.rng = look, np.random.default_rng(seed)

    def act(self) -> Any:
        """Do something, and tell what."""
        kinds = [self.use, self.press, self.set, self.drag, self.resize]
        return kinds[self.rng.choice(5, p=[0.4, 0.2, 0.15, 0.15, 0.1])]()

    def use(self) -> Any:
        return self.look.later(_USE, self.rng.random((6, 2)).tolist())

    def press(self) -> list[str]:
        self.look.run(_FOCUS, self.rng.random())
        keys = [str(key) for key in self.rng.choice(_KEYS + 2 * _ARROWS, 6)]
        self.look.press(*keys)
        return keys

    def set(self) -> dict[str, Any]:
        rng = self.rng
        state = {"mean0": rng.normal(), "mean1": rng.normal(), "std0": 10 ** rng.uniform(-4, 4)}
        state |= {"std1": 10 ** rng.uniform(-4, 4), "prevalence": rng.uniform(0.001, 0.999)}
        state |= {"cost": 10 ** rng.uniform(-2, 2), "draws": int(rng.integers(6)), "n": int(rng.integers(2, 60))}
        state |= {name: bool(rng.random() < 0.5) for name in ("strip", "costline", "weighted", "empirical")}
        state |= {"data": str(rng.choice(["", "iris", "pima"])), "step": int(rng.integers(-1, 10))}
        self.look.run("page.set(arguments[0])", state)
        return state

    def drag(self) -> list[Any]:
        handle, by = str(self.rng.choice(["threshold", "point"])), self.rng.integers(-400, 400, 2).tolist()
        self.look.run(_DRAG, handle, *by)
        return [handle, *by]

    def resize(self) -> int:
        width = int(self.rng.choice([320, 640, 1280]))
        self.look.resize(width)
        return width


def _run_wild(look: Looker, seed: int) -> None:
    student, done = _Student(look, seed), []
    for _ in range(50):  # four things each, on average
        done.append(student.act())
        assert (look.broken(), done[-3:]) == ([], done[-3:])
    assert look.complaints() == []
    assert look.overflow() == 0


def test_two_hundred_random_actions(opened: Callable[..., Looker]) -> None:
    """Controls, keys, states, drags with steps of the lesson between them, widths: no NaN, no error, no overflow."""
    _run_wild(opened(datasets=("iris", "pima")), seed=1)


def test_two_hundred_random_requests_to_python(look: Looker) -> None:
    """The same of the served page, where each answer is on its way while the next thing is done."""
    with TeachingPage(datasets=("iris", "pima")).serve() as server:
        _run_wild(look.open(server.url), seed=7)
        assert all(url.startswith(server.url) for url in look.requests())


def test_no_key_is_lost_while_a_response_is_pending(look: Looker) -> None:
    """Sixty key presses at once, each answer 30 ms late: the last state is the one that is drawn."""
    slow = "const ask = fetch; window.fetch = (...a) => new Promise((go) => setTimeout(go, 30)).then(() => ask(...a));"
    with TeachingPage(datasets=("iris",)).serve() as server:
        look.open(server.url)
        look.run(slow)
        look.set(threshold=2.0)
        look.focus()
        look.press(*60 * [Keys.ARROW_RIGHT], *20 * [Keys.ARROW_LEFT])
        look.pause(400)
        low, high = look.range()
        wanted = pytest.approx(2 + 40 * (high - low) / 200)
        assert [look.state()["threshold"], look.answer()["threshold"], look.shown("threshold")] == 3 * [wanted]
        assert float(look.each("[data-handle]", "e.ariaValueNow")[0]) == wanted
