"""Queries of a page in a browser: its contents, its messages and its requests."""

from __future__ import annotations

import json
from collections.abc import Iterable
from importlib import resources
from typing import Any

from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

HANDLE = "[data-handle]"
ERRORS = "window.harm = []; addEventListener('error', (e) => harm.push(e.message));"
OPENINGS = {
    "share": "document.querySelector('.menu.share').open = true",
    "menu": "document.querySelectorAll('.menu').forEach((menu, i) => { menu.open = i === 1; })",
    "card": "document.querySelectorAll('.menu').forEach((menu) => { menu.open = false; }); page.page.openTerm('auc')",
}
"""Scripts that open a menu or a card of the teaching page."""
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
_LOCAL = ("file:", "data:", "blob:", "about:", "chrome:", "devtools:")
_PAGE = "const page = document.querySelectorAll('.rocpredict')[{nth}]?.rocpredict;"
# JSON has neither NaN nor infinities: they come as words.
_PLAIN = """
const plain = (value) => typeof value === "number" && !Number.isFinite(value) ? String(value)
  : Array.isArray(value) ? value.map(plain)
  : value && typeof value === "object" ? Object.fromEntries(Object.entries(value).map(([k, v]) => [k, plain(v)]))
  : value;
"""
# A page that has changed its size draws once more, one frame after the frame in which the browser sees the new size.
_THREE_FRAMES = """
const threeFrames = async () => { for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame); };
"""
_DRAWN = """
const [nth, done] = arguments;
(function look() {
  const root = document.querySelectorAll(".rocpredict")[nth];
  if (root && !root.rocpredict) setTimeout(look, 5);
  else Promise.resolve(root?.rocpredict.ready).then(threeFrames).then(() => done());
})();
"""
_TOUR = """
const [states, names, done] = arguments, seen = [];
(async () => {
  for (const state of states) {
    await page.set(state);
    const part = (name) => name.split(".").reduce((held, key) => held?.[key], page.answer);
    const answer = names ? Object.fromEntries(names.map((name) => [name, part(name)])) : page.answer;
    seen.push([plain(page.state), plain(answer), broken()]);
  }
  done(seen);
})();
"""
# An SD of one sample is not known, and data-value says so; nothing else may.
_BROKEN = r"""
const broken = () => [...document.querySelectorAll(".rocpredict *")].flatMap((e) => {
  const senseless = (a) => a.name !== "data-value" && /\b(NaN|undefined|Infinity|\[object)/.test(a.value);
  const wrong = [...e.attributes].filter(senseless);
  const said = !e.childElementCount && /\b(NaN|undefined|null|\[object)/.test(e.textContent) ? [e.textContent] : [];
  return [...wrong.map((a) => `${a.name}="${a.value.slice(0, 60)}"`), ...said].map((words) => `${e.tagName} ${words}`);
}).slice(0, 5);
"""
_BOXES = """
const parts = ["densities", "roc", "thresholds", "sliders"].map((name) => {
  const { left, top, right, bottom } = document.querySelector(`.frame > .${name}`).getBoundingClientRect();
  return [name, [left, top, right, bottom]];
});
return Object.fromEntries(parts);
"""
_CLICK = """
const word = page.page.words.page.buttons[arguments[0]];
[...document.querySelectorAll(".rocpredict button")].find((button) => button.textContent === word).click();
"""


class Looker:
    """Queries of the page that a browser has opened."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver = driver

    # ---- opening
    def clear(self) -> None:
        """Leave the page, delete its messages, and restore the default size and media."""
        self.driver.get("about:blank")
        self.driver.get_log("browser")
        self.driver.get_log("performance")
        self.resize(1280)
        self.emulate()

    def resize(self, width: int, height: int = 1600, *, mobile: bool = False) -> None:
        """Set the size of the window in pixels; a mobile window has no scroll bars."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    def emulate(self, media: str = "", **features: str) -> None:
        """Emulate a medium such as "print", and preferences of a reader such as ``forced_colors="active"``."""
        wishes = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": wishes})

    def open(self, address: str) -> Looker:
        """Open a page, and wait until it has drawn."""
        self.driver.get(address)
        self.wait()
        return self

    def wait(self, nth: int = 0) -> None:
        """Wait until a teaching page has drawn, if there is one."""
        self.later(_THREE_FRAMES + _DRAWN, nth)

    def pause(self, milliseconds: int) -> None:
        """Wait while the page runs its timers."""
        self.later("setTimeout(arguments[1], arguments[0])", milliseconds)

    # ---- asking
    def run(self, script: str, *arguments: Any) -> Any:
        """Run a script, and return its result; ``page`` is the first teaching page."""
        return self.driver.execute_script(_PAGE.format(nth=0) + script, *arguments)

    def later(self, script: str, *arguments: Any) -> Any:
        """Run a script as ``run`` does, and wait until it calls its last argument."""
        return self.driver.execute_async_script(_PAGE.format(nth=0) + script, *arguments)

    def set(self, nth: int = 0, /, **state: Any) -> None:
        """Change the state of a page, and wait until it has drawn."""
        script = "page.set(arguments[0]).then(threeFrames).then(() => arguments[1]())"
        self.driver.execute_async_script(_PAGE.format(nth=nth) + _THREE_FRAMES + script, state)

    def tour(self, states: Iterable[dict[str, Any]], names: list[str] | None = None) -> list[Any]:
        """Set one state after the other: state, answer (or the parts of it named) and what is broken, after each."""
        return list(self.later(_PLAIN + _BROKEN + _TOUR, list(states), names))

    def state(self, nth: int = 0) -> dict[str, Any]:
        """Return the state of a page."""
        return dict(self.driver.execute_script(f"{_PAGE.format(nth=nth)} {_PLAIN} return plain(page.state)"))

    def answer(self, nth: int = 0) -> dict[str, Any]:
        """Return the numbers that a page shows, infinities and NaN as words."""
        return dict(self.driver.execute_script(f"{_PAGE.format(nth=nth)} {_PLAIN} return plain(page.answer)"))

    def range(self) -> list[float]:
        """Return both ends of the axis of the densities."""
        return list(self.run("return page.page.getRange()"))

    def redraws(self, since: int = 0) -> list[float]:
        """Return the duration of each redraw in milliseconds, from a given one on."""
        return list(self.run("return page.redraws.slice(arguments[0])", since))

    def shown(self, name: str) -> float:
        """Return a number of the page by its name."""
        return float(self.one(f"output[data-name='{name}']").get_attribute("data-value") or "nan")

    def one(self, selector: str) -> WebElement:
        """Return the first element of a kind."""
        return self.driver.find_element("css selector", selector)

    def all(self, selector: str) -> list[WebElement]:
        """Return all elements of a kind."""
        return self.driver.find_elements("css selector", selector)

    def each(self, selector: str, expression: str) -> list[Any]:
        """Evaluate a JavaScript expression of ``e`` for each element of a kind, all before the page can draw again."""
        return list(self.run(f"return [...document.querySelectorAll(arguments[0])].map((e) => {expression})", selector))

    def focused(self) -> WebElement:
        """Return the element that has the focus."""
        return self.driver.switch_to.active_element

    # ---- doing
    def click(self, word: str) -> None:
        """Click the button of the toolbar that has this key among the words."""
        self.run(_CLICK, word)

    def focus(self, selector: str = HANDLE) -> None:
        """Focus the first element of a kind."""
        self.run("document.querySelector(arguments[0]).focus()", selector)

    def press(self, *keys: str) -> None:
        """Press keys, one after the other, where the focus is."""
        ActionChains(self.driver).send_keys(*keys).perform()

    def press_with_shift(self, key: str) -> None:
        """Press a key with Shift held."""
        ActionChains(self.driver).key_down(Keys.SHIFT).send_keys(key).key_up(Keys.SHIFT).perform()

    def drag(self, selector: str, x: int, y: int) -> None:
        """Drag an element by so many pixels."""
        held = ActionChains(self.driver, duration=20).click_and_hold(self.one(selector))
        held.move_by_offset(x, y).release().perform()

    def touch(self, selector: str, x: float, y: float, *, offset: tuple[float, float] = (0, 0)) -> None:
        """Drag a finger by so many pixels from the middle of an element, or from a point at some distance."""
        box = self.run("return document.querySelector(arguments[0]).getBoundingClientRect().toJSON()", selector)
        start = [box["x"] + box["width"] / 2 + offset[0], box["y"] + box["height"] / 2 + offset[1]]
        self._touch("touchStart", [start])
        for step in range(1, 11):
            self._touch("touchMove", [[start[0] + x * step / 10, start[1] + y * step / 10]])
        self._touch("touchEnd", [])

    def _touch(self, kind: str, points: list[list[float]]) -> None:
        parameters = {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]}
        self.driver.execute_cdp_cmd("Input.dispatchTouchEvent", parameters)

    def boxes(self) -> dict[str, list[float]]:
        """Return left, top, right and bottom of the parts of the stage."""
        return dict(self.run(_BOXES))

    def type(self, name: str, text: str) -> None:
        """Type an exact value into the number box of a slider, and leave it."""
        box = self.one(f"[data-box='{name}']")
        box.send_keys(Keys.CONTROL, "a", Keys.NULL, text or Keys.DELETE, Keys.TAB)

    # ---- what must not be
    def requests(self) -> list[str]:
        """Name everything that was fetched from elsewhere."""
        said = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        kinds = {"Network.requestWillBeSent", "Network.webSocketCreated"}
        sent = [item["params"] for item in said if item["method"] in kinds]
        urls = [item.get("url") or item["request"]["url"] for item in sent]
        return [url for url in urls if not url.startswith(_LOCAL)]

    def complaints(self) -> list[str]:
        """Return the severe messages of the console."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]

    def broken(self) -> list[str]:
        """Return attributes and texts of the page that should be numbers but are not."""
        return list(self.run(f"{_BROKEN} return broken()"))

    def findings(self) -> list[str]:
        """Return the violations of WCAG 2.2, levels A and AA, that axe-core finds."""
        self.run(resources.files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8"))
        script = "axe.run(document, {runOnly: arguments[0]}).then((found) => arguments[1](found.violations))"
        return [
            f"{item['id']}: {item['nodes'][0]['html'][:120]} ({item['nodes'][0]['failureSummary'][:200]})"
            for item in self.later(script, WCAG)
        ]

    def overflow(self) -> int:
        """Return by how many pixels the page is wider than the window."""
        return int(self.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth"))
