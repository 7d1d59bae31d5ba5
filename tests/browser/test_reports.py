"""Pages saved as files: the report of a screening, the report of one feature, and the worksheet."""

from collections.abc import Callable

import numpy as np
import pytest
from selenium.webdriver.common.keys import Keys

import rocpredict as rp
from rocpredict.teaching.worksheet import worksheet_html
from tests.browser.looking import Looker

_KINDS = ("screening", "feature", "worksheet-en", "worksheet-de")
_CLASSES = {"positive": "virginica", "negative": "versicolor"}
_HOSTILE = (
    "</script><script>document.title='harmed'</script>",
    "<img src=x onerror=\"document.title='harmed'\">",
    "\"quoted\" & 'single' {{ 7*7 }}",
    "x" * 200,
    "מדד עם ערך",
)
_CUT_OFF = """
const wide = (e) => !e.closest("svg") && e.clientWidth && e.scrollWidth > e.clientWidth + 1;
const cut = (e) => wide(e) && getComputedStyle(e).overflowX === "hidden";
return [...document.querySelectorAll("body *")].filter(cut).map((e) => e.outerHTML.slice(0, 80));
"""
_COLUMN = """
const cells = [...document.querySelectorAll("table.sortable tbody tr")].map((row) => row.cells[arguments[0]]);
return cells.map((cell) => cell.dataset.value ?? cell.textContent);
"""
_SORTED = """
const said = [...document.querySelectorAll("table.sortable thead th")].map((head) => head.ariaSort);
return said.flatMap((how, place) => how === "none" ? [] : [place, how]);
"""


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    """Return the address of a report of each kind, on iris."""
    folder, iris = tmp_path_factory.mktemp("reports"), rp.datasets.load_iris()
    table = rp.screen(iris.X, iris.y, feature_names=iris.feature_names, **_CLASSES)
    table.report(folder / "screening.html", n_top=2, data=(iris.X, iris.y))
    one = {"feature": "petal_width", "unit": "cm", "n_resamples": 20}
    rp.feature_report(iris.column("petal_width"), iris.y, folder / "feature.html", **one, **_CLASSES)
    for lang in ("en", "de"):
        (folder / f"worksheet-{lang}.html").write_text(worksheet_html(lang), encoding="utf-8")
    return lambda kind: (folder / f"{kind}.html").as_uri()


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Return the addresses of both reports on malicious names of features, units and labels."""
    folder, rng = tmp_path_factory.mktemp("hostile"), np.random.default_rng(3)
    y = np.repeat([_HOSTILE[0], _HOSTILE[1]], 30)
    x = rng.normal(size=(60, len(_HOSTILE))) + (y == _HOSTILE[0])[:, None]
    classes = {"positive": _HOSTILE[0], "negative": _HOSTILE[1]}
    options = {"data": (x, y), "n_top": 1, "title": _HOSTILE[1]}
    table = rp.screen(x, y, feature_names=list(_HOSTILE), **classes)
    names = {"feature": _HOSTILE[0], "unit": _HOSTILE[1], "title": _HOSTILE[2], "n_resamples": 20}
    report = rp.feature_report(x[:, 0], y, folder / "feature.html", **names, **classes)
    return [table.report(folder / "screening.html", **options).as_uri(), report.as_uri()]


@pytest.mark.parametrize("kind", _KINDS)
def test_each_report_is_accessible(look: Looker, written: Callable[[str], str], kind: str) -> None:
    """WCAG 2.2 A and AA, wide and on a telephone; no request, no severe line, and the page names its language.

    From 320 to 1920 pixels a table scrolls inside its own box, and nothing is cut off. Every heading, row and picture
    is there when no script runs.
    """
    look.open(written(kind))
    assert look.run("return document.documentElement.lang") == ("de" if kind.endswith("de") else "en")
    assert look.findings() == []
    for width in (390, 640, 1280, 1920, 320):
        look.resize(width)
        assert (width, look.overflow(), look.run(_CUT_OFF)) == (width, 0, [])
    assert look.findings() == []
    assert look.requests() == []
    assert look.complaints() == []
    look.resize(1280)
    tags = ("h2", "h3", "tr", "img", "svg")
    text, counts = look.one("main").text, [len(look.all(tag)) for tag in tags]
    look.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        look.driver.get(written(kind))
        assert [len(look.all(tag)) for tag in tags] == counts
        assert look.one("main").text == text
        assert not look.all("button"), "a button that does nothing"
    finally:
        look.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_the_screening_is_sorted_by_keys(look: Looker, written: Callable[[str], str]) -> None:
    """Tab reaches each heading of the table; Enter sorts upwards and space downwards, and aria-sort says which."""
    look.open(written("screening"))
    count = len(look.all("table.sortable thead th"))
    for place in range(count):
        look.focus(f"table.sortable th:nth-child({place + 1}) button")
        look.press(Keys.ENTER)
        up = look.run(_COLUMN, place)
        assert look.run(_SORTED) == [place, "ascending"]
        look.press(" ")
        down = look.run(_COLUMN, place)
        assert look.run(_SORTED) == [place, "descending"]
        assert sorted(up) == sorted(down)
        assert (down == up[::-1]) or len(set(up)) < len(up)
        look.press(Keys.TAB)
        assert (look.focused().tag_name == "button") == (place + 1 < count)


def test_numbers_are_sorted_as_numbers(look: Looker, written: Callable[[str], str]) -> None:
    """The AUC of each row, as the library orders them, though it is shown with three digits."""
    look.open(written("screening"))
    place = look.each("table.sortable thead th button", "e.innerText").index("AUC predicted")
    look.focus(f"table.sortable th:nth-child({place + 1}) button")
    look.press(Keys.ENTER)
    found = [float(value) for value in look.run(_COLUMN, place)]
    assert found == sorted(found)
    assert len(set(found)) == 4


@pytest.mark.parametrize("place", range(2))
def test_malicious_names_are_shown_as_text(look: Looker, hostile: list[str], place: int) -> None:
    """Nothing runs, nothing is fetched, nothing is wider than the window, and axe finds nothing."""
    look.open(hostile[place])
    assert look.driver.title != "harmed"
    assert not look.all("img[src='x']")
    assert _HOSTILE[0] in look.one("body").text
    assert look.findings() == []
    for width in (320, 1280):
        look.resize(width)
        assert (width, look.overflow()) == (width, 0)
    assert look.requests() == []
    assert look.complaints() == []
