"""A redraw: how long it takes, what it leaves as it is, and that it follows the window."""

import statistics
from collections.abc import Callable

from selenium.webdriver.common.keys import Keys

from rocpredict.teaching.page import TeachingPage
from tests.browser.looking import ERRORS, Looker

_WIDTH = "return document.querySelector('[data-picture=densities]').viewBox.baseVal.width"
# A window says in a frame of its own that it has another size.
_NARROWER = """
const [wide, done] = arguments, picture = document.querySelector("[data-picture=densities]"), began = performance.now();
(function look() {
  const { width } = picture.viewBox.baseVal;
  if (width < wide || performance.now() - began > 5000) done(width);
  else setTimeout(look, 10);
})();
"""
_MARK = """
const drawn = [...document.querySelectorAll(arguments[0])];
for (const element of drawn) element.marked = true;
return drawn.length;
"""
_MARKED = "return [...document.querySelectorAll(arguments[0])].filter((element) => element.marked).length"
_CLOUD, _CURVE = "[data-curve=draw]", "[data-curve=predicted]"


def test_a_redraw_is_quick(opened: Callable[..., Looker], tell: Callable[[str], None]) -> None:
    """The time of a redraw after a key press is printed (it is meant to be below 16 ms), and no time is asserted."""
    look = opened(datasets=("iris",))
    look.set(data="iris", featureName="petal_length", pairLabels=["versicolor", "virginica"], strip=True)
    look.focus()
    before = len(look.redraws())
    for _ in range(40):
        look.press(Keys.ARROW_RIGHT)
    times = look.redraws(before)
    assert len(times) == 40
    tell(f"redraw after a key press, from a file: median {statistics.median(times):.1f} ms of {len(times)}")


def test_a_threshold_moves_before_thirty_large_samples(
    opened: Callable[..., Looker], tell: Callable[[str], None]
) -> None:
    """Thirty samples of 2 x 1000 cases stay as they were drawn; the time is printed (it is meant to be below 20 ms)."""
    look = opened(datasets=(), lesson=False)
    look.set(draws=30, n=1000)
    assert look.run(_MARK, _CLOUD) == 30
    assert look.run(_MARK, _CURVE) == 1
    look.focus()
    before = len(look.redraws())
    look.press(*20 * [Keys.ARROW_RIGHT])
    assert (look.run(_MARKED, _CLOUD), look.run(_MARKED, _CURVE)) == (30, 1)
    times = look.redraws(before)
    assert len(times) == 20
    tell(f"redraw before 30 samples of 2 x 1000 cases: median {statistics.median(times):.1f} ms of {len(times)}")
    look.set(mean1=9.0)
    assert (look.run(_MARKED, _CLOUD), len(look.all(_CLOUD))) == (0, 30)


def test_samples_stay_after_a_response_of_python(look: Looker) -> None:
    """Each answer of Python brings a curve of its own, and no samples."""
    with TeachingPage(datasets=()).serve() as server:
        look.open(server.url)
        look.set(draws=5, n=40)
        assert look.run(_MARK, _CLOUD) == 5
        look.set(threshold=3.0)
        assert look.run(_MARKED, _CLOUD) == 5


def test_a_browser_without_some_features(opened: Callable[..., Looker]) -> None:
    """Without ResizeObserver and clipboard the page draws, follows the window, and offers text to copy by hand."""
    script = "delete window.ResizeObserver; Object.defineProperty(navigator, 'clipboard', {value: undefined});"
    look = opened(datasets=(), lesson=False)
    added = look.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": script})
    look.driver.get(look.driver.current_url.split("#")[0] + "?again")
    look.wait()
    look.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)
    look.click("python")
    assert "import rocpredict" in look.run("return document.querySelector('textarea').value")
    wide = look.run(_WIDTH)
    look.resize(500)
    assert look.later(_NARROWER, wide) < wide
    assert look.complaints() == []


def test_no_layout_loops(opened: Callable[..., Looker]) -> None:
    """A narrower window is one redraw: the browser reports no loop of resizing."""
    look = opened(datasets=())
    look.run(ERRORS)
    for width in (640, 320, 1280, 390):
        look.resize(width)
        look.pause(60)
    assert look.run("return harm") == []
