"""The stage of the teaching page: its parts stay on the screen, and answer a finger."""

import base64
import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import rocpredict as rp
from tests.browser.looking import OPENINGS, Looker

_SIZES = {"phone": (390, 844), "projector": (1024, 768), "desk": (1280, 720)}
_SMALL_TARGETS = """
const small = [...document.querySelectorAll(".rocpredict :is(button, select, summary, input, .grip)")].filter((e) => {
  const { width, height } = (e.type === "checkbox" ? e.closest("label") : e).getBoundingClientRect();
  return e.checkVisibility({opacityProperty: true}) && (width < 43.5 || height < 43.5);
});
return small.map((e) => e.outerHTML.slice(0, 80));
"""
# A number box answers a finger on 44 x 44 pixels, except while the thumb of its slider is below it.
_COVERED = """
const done = arguments[0], covered = [], at = (x, y) => document.elementFromPoint(x, y);
(async () => {
  for (const slider of document.querySelectorAll(".sliders .slider")) {
    const [box, range] = slider.querySelectorAll("input"), { right, top } = box.getBoundingClientRect();
    const isFree = [4, 40].every((x) => [4, 40].every((y) => at(right - x, top + y) === box));
    range.value = 2000;
    range.dispatchEvent(new Event("input"));
    await new Promise(requestAnimationFrame);
    const end = range.getBoundingClientRect();
    if (!isFree || at(end.right - 9, end.bottom - 11) !== range) covered.push(slider.className);
    await page.set({ ...page.page.payload.start, mean0: 4, std0: 3, mean1: 8, std1: 2, prevalence: 0.1 });
  }
  done(covered);
})();
"""
_OPENINGS = OPENINGS | {"data": "page.page.showDataDialog()"}
_CUT = """
const { clientWidth, scrollWidth, clientHeight, scrollHeight } = document.querySelector(arguments[0]);
return [scrollWidth - clientWidth, scrollHeight - clientHeight].map((difference) => Math.max(0, difference));
"""
_LOWEST = """
const parts = [...document.querySelectorAll(".step > *")].filter((e) => e.checkVisibility());
return Math.max(...parts.map((e) => e.getBoundingClientRect().bottom));
"""
_OVERLAPPING = """
const boxes = [...document.querySelectorAll(".densities svg [data-label], .densities svg [stroke-linejoin]")]
  .map((e) => e.getBoundingClientRect());
return boxes.some((a, i) => boxes.some((b, k) => k > i
  && a.left < b.right && b.left < a.right && a.top + 4 < b.bottom - 4 && b.top + 4 < a.bottom - 4));
"""
_CUT_CASES = """
const list = document.querySelector("select.case"), context = document.createElement("canvas").getContext("2d");
context.font = getComputedStyle(list).font;
return [...list.options].map((option) => option.text).filter((text) =>
  context.measureText(text).width > document.querySelector(".bar").clientWidth - 200);
"""
_SMALL_TEXTS = """
const texts = document.createTreeWalker(document.querySelector(".rocpredict"), NodeFilter.SHOW_TEXT), small = [];
while (texts.nextNode()) {
  const e = texts.currentNode.parentElement, size = parseFloat(getComputedStyle(e).fontSize);
  if (texts.currentNode.data.trim() && e.checkVisibility({opacityProperty: true}) && size < arguments[0]) {
    small.push(`${texts.currentNode.data} ${size}`);
  }
}
return small;
"""
_DOTS = """
const count = (mark) => document.querySelector(mark).getAttribute("d").split("M").length - 1;
const [results, done] = [[], arguments[1]];
(async () => {
  for (const state of arguments[0]) {
    await page.set(state);
    const { tp, fp } = page.page.counts, blocks = ["tp", "fp"].map((name) => count(`[data-block=${name}]`));
    const large = ["positive", "negative"].map((name) => count(`[data-dots="${name} called"]`));
    results.push([state, [tp, fp], blocks, large]);
  }
  done(results);
})();
"""
_MENU = """
const { left, right } = document.querySelector(".menu[open] .menu-list").getBoundingClientRect();
return [left, right];
"""
_WALK = """
const done = arguments[0], boxes = () => [...document.querySelectorAll(".frame > *")].map((e) => {
  const { x, y, width, height } = e.getBoundingClientRect();
  return [x, y, width, height].map((value) => Math.round(2 * value) / 2).join(" ");
}).join("|"), seen = new Set();
(async () => {
  for (const range of document.querySelectorAll(".sliders input[type=range]")) {
    for (let i = 0; i <= 4; i++) {
      range.value = 500 * i;
      range.dispatchEvent(new Event("input"));
      await new Promise(requestAnimationFrame);
      seen.add(boxes());
    }
  }
  done(seen.size);
})();
"""
_MIDDLE = """
const { left, top, height } = document.querySelector(arguments[0]).getBoundingClientRect();
return [left + 4, top + height / 2];
"""
_COLORS = """
const style = (e, name) => getComputedStyle(e)[name], hues = ["healthy", "ill", "healthy-text", "ill-text"];
const probe = document.createElement("i");
document.querySelector(".rocpredict").append(probe);
const colors = new Set(hues.map((hue) => { probe.style.color = `var(--${hue})`; return style(probe, "color"); }));
const plain = [...document.querySelectorAll(".cell-word, .verdict, button, .cell")];
return plain.filter((e) => colors.has(style(e, "color")) || colors.has(style(e, "outlineColor"))).length;
"""


def _assert_inside(look: Looker, size: tuple[int, int], label: object) -> None:
    for name, (left, top, right, bottom) in look.boxes().items():
        assert (left >= 0, top >= 0, right <= size[0], bottom <= size[1]) == (True,) * 4, (label, name)


def _assert_large(look: Looker, label: object, size: int = 16) -> None:
    """Check that no target is below 44 x 44 pixels and no text below a size."""
    width = look.run("return innerWidth")
    assert (width, label, look.run(_SMALL_TARGETS)) == (width, label, [])
    assert (width, label, look.run(_SMALL_TEXTS, size)) == (width, label, [])


@pytest.mark.parametrize("lang", ["en", "de"])
@pytest.mark.parametrize("name", list(_SIZES))
def test_the_stage_is_on_the_screen(opened: Callable[..., Looker], name: str, lang: str) -> None:
    """Pictures, threshold and sliders: at load, in both themes, and in each step before and after its answer.

    The lesson does not move them by 1 pixel, and its task and answer are on the screen, too: with 1% ill, 3% of the
    alarms are correct.
    """
    size = _SIZES[name]
    look = opened(lang=lang)
    look.resize(*size, mobile=name == "phone")
    look.pause(60)
    at_load = look.boxes()
    _assert_inside(look, size, "load")
    look.set(theme="dark")
    assert look.boxes() == at_load
    for step in range(6):
        look.set(step=step)
        look.pause(30)
        for phase in ("ask", "reveal"):
            _assert_inside(look, size, (step, phase))
            for part, box in look.boxes().items():
                assert box == pytest.approx(at_load[part], abs=1), (step, phase, part)
            look.run("page.page.lesson.choose(0)")
            if step == 4:
                look.set(prevalence=0.1 if phase == "ask" else 0.01)
                percent = look.one(":is(.try, .explanation):not([hidden]) output").text
                assert percent == ("26" if phase == "ask" else "3")
            assert look.run(_LOWEST) <= size[1], (step, phase)
            assert look.run(_CUT, ".panel-body:not([hidden])") == [0, 0], (step, phase)
            look.run("page.page.lesson.forward(); page.page.stopSweep()") if phase == "ask" else None
            look.pause(30)
    assert look.overflow() == 0
    assert look.run("return document.documentElement.scrollHeight") <= size[1] or name == "phone"
    assert look.complaints() == []


@pytest.mark.parametrize(("lang", "name"), [("en", "phone"), ("en", "desk"), ("de", "phone")])
def test_targets_and_texts_are_large(opened: Callable[..., Looker], lang: str, name: str) -> None:
    """Targets of 44 x 44 pixels and texts of 16 pixels: at load, in each panel, menu, card, dialog and lesson phase.

    No menu is cut off or scrolls sideways, no head of the table is cut, and a number box leaves its slider free.
    """
    (width, height), look = _SIZES[name], opened(datasets=(), lang=lang)
    look.resize(width, height, mobile=width < 600)
    look.pause(60)
    _assert_large(look, "load")
    assert look.later(_COVERED) == []
    assert look.one(".counts thead .head").text.split()[-1] == "100"
    assert look.one(".fp .cell-word").text == {"en": "false alarm ✕", "de": "Fehlalarm ✕"}[lang]
    assert look.run(_CUT_CASES) == []
    for head in (1, 2):
        assert look.run(_CUT, f".counts th:nth-of-type({head}) b")[0] == 0
    for panel in ("lesson", "numbers", "game", "data"):
        look.set(panel=panel)
        _assert_large(look, panel)
    for opened_part, opening in _OPENINGS.items():
        look.run(opening)
        _assert_large(look, opened_part)
        if opened_part in ("share", "menu"):
            left, right = look.run(_MENU)
            assert (left >= 0, right <= width) == (True, True), (width, opened_part)
            assert look.run(_CUT, ".menu[open] .menu-list")[0] == 0
            assert look.run(_CUT, ".menu-list .slider-name")[0] == 0
    look.run("document.querySelector('dialog').close()")
    for step in range(6):
        look.set(step=step)
        look.pause(30)
        _assert_large(look, step)
        look.run("page.page.lesson.forward(); page.page.stopSweep()")
        look.pause(30)
        _assert_large(look, (step, "reveal"))


def test_a_tablet_shows_table_and_panel(opened: Callable[..., Looker]) -> None:
    """Upright, the panel begins below the table."""
    look = opened(datasets=())
    look.resize(768, 1024)
    look.pause(60)
    _assert_large(look, "tablet")
    table, panel = (
        look.run(f"return document.querySelector('.frame > .{name}').getBoundingClientRect().toJSON()")
        for name in ("table", "panel")
    )
    assert table["bottom"] <= panel["top"]
    look.set(prevalence=0.001)
    text, dots = look.each(".fp :is(.cell-word span, .block)", "e.getBoundingClientRect().toJSON()")
    assert text["right"] <= dots["left"]
    assert look.run("return document.documentElement.scrollHeight") <= 1024


def test_long_names_and_messages_have_room(opened: Callable[..., Looker]) -> None:
    """A sentence with two names of 35 letters and a long unit stays in its row, and no message covers the table."""
    names = {"negative": "Healthy controls of the same age xx", "positive": "Patients with proliferative disease"}
    asked = {"mean": (4, 8), "std": (3, 2), "feature": "marker", "unit": "micromol per liter", **names}
    for lang in ("en", "de"):
        for name, (width, height) in _SIZES.items():
            look = opened(datasets=(), lang=lang)
            look.resize(width, height, mobile=name == "phone")
            look.pause(60)
            boxes = look.boxes()
            look = opened(datasets=(), lang=lang, **asked)
            look.resize(width, height, mobile=name == "phone")
            look.set(prevalence=0.002, threshold=1.0)
            look.pause(60)
            assert look.boxes() == boxes
            sentence = look.run("return document.querySelector('.sentence p').getBoundingClientRect().toJSON()")
            assert sentence["top"] >= 44
            assert sentence["bottom"] <= boxes["densities"][1]
            assert look.each(".sentence .name", "e.title")[1:] == [names["positive"], names["negative"]]
    look.resize(390, 844, mobile=True)
    look.set(mean0=8.0, mean1=4.0, prevalence=0.1)
    look.pause(60)
    button, table = look.each(".messages > button, .counts", "e.getBoundingClientRect().toJSON()")[::-1]
    assert button["bottom"] <= table["top"]


def test_a_short_phone_shows_the_stage(opened: Callable[..., Looker]) -> None:
    """At 390 x 664, a phone with the bars of its browser."""
    look = opened(datasets=())
    look.resize(390, 664, mobile=True)
    look.pause(60)
    _assert_inside(look, (390, 664), "short")
    _, top, _, bottom = look.boxes()["densities"]
    assert bottom - top >= 190
    assert not look.run(_OVERLAPPING)
    widths = look.each("[data-dots='negative called']", "e.getAttribute('stroke-width')")
    assert float(widths[0]) > 3, "dots, not a block"
    assert look.one(".counts thead td").text == "● = 5"
    assert look.later(_WALK.replace(".frame > *", ".frame > :not(.table, .panel)")) == 1
    look.set(mean0=4, mean1=8, std0=3, std1=2, prevalence=0.001)
    text, dots = look.each(".fp :is(.cell-input, .block)", "e.getBoundingClientRect().toJSON()")
    assert text["right"] <= dots["left"] + 1
    look.run("page.page.openTerm('auc')")
    look.pause(30)
    assert look.run("return document.querySelector('.card').getBoundingClientRect().bottom") <= 664


@pytest.mark.parametrize("width", [390, 768, 1024, 1280])
def test_a_finger_drags_the_grips(opened: Callable[..., Looker], width: int) -> None:
    """The threshold moves 80 pixels with the finger; the page does not scroll, unless the finger moves vertically."""
    look = opened(datasets=(), width=width)
    look.resize(width, 600, mobile=True)
    look.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
    try:
        look.run("document.body.style.minHeight = '3000px'")
        look.pause(150)
        line = "return Number(document.querySelector('line[data-line=threshold]').getAttribute('x1'))"
        before = look.run(line)
        look.touch("[data-handle=threshold]", -80, 0)
        assert look.run(line) - before == pytest.approx(-80, abs=1)
        assert look.run("return scrollY") == 0
        fpr, mean, std = look.answer()["rates"]["fpr"], look.state()["mean1"], look.state()["std1"]
        look.touch("[data-handle=point]", -30, 30)
        assert look.answer()["rates"]["fpr"] < fpr
        look.touch("[data-grip=mean1]", 20, 0)
        assert look.state()["mean1"] > mean
        look.touch("[data-grip=std1]", 20, 0)
        assert look.state()["std1"] > std
        assert look.run("return scrollY") == 0
        threshold = look.state()["threshold"]
        look.touch(".densities", 2, -120, offset=(-100, 40))
        look.pause(100)
        assert look.run("return scrollY") > 60
        assert look.state()["threshold"] == threshold
    finally:
        look.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})


def test_the_sentence_follows_the_threshold(opened: Callable[..., Looker]) -> None:
    """At the start, in two languages, and without the class that has nobody."""
    sentences = {
        "en": "At 5.83 you find 86 of 100 ill people and alarm 244 of 900 healthy people.",
        "de": "Bei 5,83 erkennen Sie 86 von 100 Kranken und alarmieren 244 von 900 Gesunden.",
    }
    for lang, sentence in sentences.items():
        look = opened(datasets=(), lang=lang)
        assert " ".join(look.one(".sentence").text.split()) == sentence
    look.set(prevalence=0.001)
    assert "9 von 10 Kranken" in look.one(".sentence").text


def test_people_are_counted_once(opened: Callable[..., Looker]) -> None:
    """The dots in the cells are the counts of the table, and the large dots are those called positive.

    50 thresholds and 5 prevalences. While sliders move, no box of the stage moves. Without an alarm no share is shown.
    """
    look = opened(datasets=())
    states = [{"prevalence": p, "threshold": -5.0 + 0.45 * i} for p in (0.01, 0.1, 0.3, 0.5, 0.99) for i in range(50)]
    for state, counts, blocks, large in look.later(_DOTS, states):
        assert (state, blocks, large) == (state, counts, counts)
    look.set(prevalence=0.1, threshold=40)
    assert look.one(".correct output[data-name=precision]").text == "–"
    look.run("page.page.openTerm('precision')")
    assert look.one(".formula").text.endswith("0/0 = –")
    look.set(prevalence=0.1, threshold=5.826109644144424)
    counts = look.run("return [page.page.counts.tp, page.page.counts.fp]")
    assert counts == [86, 244]
    curve = "return document.querySelector('[data-curve=predicted]').getAttribute('d')"
    before = look.run(curve)
    assert look.each(".correct", "e.innerText") == ["26%\nPrecision", "98%\nNPV"]
    look.set(panel="numbers")
    names = ("threshold", "prevalence", "best.threshold", "auc", "dprime")
    shown = [look.one(f".readouts output[data-name='{name}']").text for name in names]
    assert shown == ["5.83", "10%", "5.83", "0.866", "1.569"]
    assert not look.all(".sliders .term")
    look.set(prevalence=0.01)
    assert look.run(curve) == before
    assert look.one("output[data-name=precision]").text == "3%"
    assert look.one("output[data-name=npv]").text == ">99%"
    look.set(prevalence=0.1)
    assert look.later(_WALK) == 1


def test_a_cell_takes_a_number(opened: Callable[..., Looker]) -> None:
    """90% of the ill are found at the threshold that the library gives; 101 of 100 is an error next to the box."""
    look = opened(datasets=())
    box = look.one(".tp .cell-input")
    type_text = "const [box, text] = arguments; box.value = text; box.dispatchEvent(new Event('change'));"
    look.run(type_text, box, "90%")
    roc = rp.PredictedRoc(rp.Gaussian(4, 3), rp.Gaussian(8, 2))
    assert look.state()["threshold"] == pytest.approx(5.436897, abs=1e-6)
    assert look.answer()["rates"]["fpr"] == pytest.approx(float(roc.fpr_at_tpr(0.9)), abs=1e-8)
    before = look.state()
    look.run(type_text, box, "101")
    assert box.get_attribute("aria-invalid") == "true"
    assert look.one(".counts-box .box-error").text == "Enter 0 to 100."
    assert look.state() == before
    look.run(type_text, look.one(".fp .cell-input"), "100")
    assert look.shown("fp") == 100


def test_a_curve_below_the_chance_line_offers_the_other_direction(opened: Callable[..., Looker]) -> None:
    """Means 8 and 4: a note, no best threshold, and one click gives an AUC of 0.866; equal classes have no best."""
    look = opened(datasets=())
    look.set(mean0=8.0, mean1=4.0)
    assert look.one(".state-note").text.startswith("AUC is below 0.5")
    assert look.run("return [...document.querySelectorAll('[data-mark=best]')].length") == 0
    look.one(".messages > button").click()
    assert look.state()["direction"] == "lower"
    assert look.answer()["auc"] == pytest.approx(0.86637, abs=1e-5)
    assert not look.one(".state-note").is_displayed()
    look.set(mean0=4.0, mean1=4.0, std0=2.0, std1=2.0, direction="higher")
    best = look.one(".thresholds button")
    assert not best.is_enabled()
    reason = look.run(
        "return document.getElementById(arguments[0]).textContent", best.get_attribute("aria-describedby")
    )
    assert reason == look.one(".state-note").text == "The two classes are equal; no threshold discriminates."
    assert look.one(".auc").text == "AUC 0.500"
    assert look.complaints() == []


def test_weighted_areas_have_shares_of_all(opened: Callable[..., Looker]) -> None:
    """With weights all four labels sum to 1 and are shares of all; without them, they are rates, also on a phone."""
    look = opened(datasets=(), width=390)
    look.resize(390, 844, mobile=True)
    look.pause(60)
    labels = "return [...document.querySelectorAll('[data-share]')].map((e) => e.textContent)"
    assert sorted(look.run(labels)) == ["FNR 0.139", "FPR 0.271", "TNR 0.729", "TPR 0.861"]
    look.set(weighted=True)
    weighted = ["FN 0.014 of all", "FP 0.244 of all", "TN 0.656 of all", "TP 0.086 of all"]
    assert sorted(look.run(labels)) == weighted
    look.resize(1280, 720)
    look.pause(60)
    assert sorted(look.run(labels)) == weighted
    look = opened("#weighted=true", datasets=(), width=390, lang="de")
    look.resize(390, 844, mobile=True)
    look.pause(60)
    assert min(look.run(labels)) == "FN 0,014 aller"
    assert len(look.run(labels)) == 4
    look.set(weighted=False, names="clinic")
    assert len(look.run(labels)) == 4
    look = opened(datasets=())
    shares = "return [...document.querySelectorAll('[data-share]')].map((e) => Number(e.dataset.share))"
    look.set(prevalence=0.4, weighted=True, threshold=6.5)
    assert all(label.endswith(" of all") for label in look.run(labels))
    assert sum(look.run(shares)) == pytest.approx(1, abs=1e-9)
    look.set(weighted=False)
    assert sum(look.run(shares)) == pytest.approx(2, abs=1e-9)


def test_hues_mean_classes_only(opened: Callable[..., Looker]) -> None:
    """No verdict, cell or button has the color of a class, and classes differ in dashes, dots and hatches, too.

    In a screenshot in gray, the lines of the classes differ in lightness.
    """
    look = opened(datasets=())
    attributes = "const [mark, name] = arguments; return document.querySelector(mark).getAttribute(name)"
    marks = {"[data-line=%s]": "stroke-dasharray", "[data-dots^=%s]": "stroke-linecap"}
    marks["pattern[id$=hatch-%s]"] = "patternTransform"
    for theme in ("light", "dark"):
        look.set(theme=theme)
        assert look.run(_COLORS) == 0
        for mark, name in marks.items():
            assert look.run(attributes, mark % "negative", name) != look.run(attributes, mark % "positive", name)
        for name in ("negative", "positive"):
            called, other = (
                float(look.run(attributes, f"[data-dots='{name} {call}']", "stroke-width"))
                for call in ("called", "other")
            )
            assert called > 1.5 * other
        look.run("document.documentElement.style.filter = 'grayscale(1)'")
        picture = np.asarray(Image.open(io.BytesIO(look.driver.get_screenshot_as_png())).convert("RGB")).astype(int)
        assert (np.ptp(picture, axis=2) <= 1).all()
        grays = [
            picture[int(y) - 1 : int(y) + 2, int(x) - 1 : int(x) + 2, 0].mean()
            for x, y in (look.run(_MIDDLE, f".counts thead .key.{name}") for name in ("negative", "positive"))
        ]
        assert abs(grays[0] - grays[1]) > 30
        look.run("document.documentElement.style.filter = ''")


def test_a_definition_has_a_link_to_the_glossary(look: Looker, tmp_path: Path) -> None:
    """A site with a glossary; a page without one has no link."""
    page = rp.TeachingPage(datasets=())
    look.open(f"{page.save_site(tmp_path, glossary='../glossary.html').as_uri()}/index.html")
    look.run("page.page.openTerm('tpr')")
    links = look.each(".card a", "[e.checkVisibility(), e.textContent, e.getAttribute('href')]")
    assert links == [[True, "Glossary", "../glossary.html#term-TPR"]]
    assert look.findings() == []
    look.open(page.save(tmp_path / "page.html").as_uri())
    look.run("page.page.openTerm('tpr')")
    assert look.each(".card a", "e.getBoundingClientRect().height + e.textContent") == ["0"]


def test_a_term_opens_its_definition(opened: Callable[..., Looker]) -> None:
    """The card covers no picture; Escape closes it, and the focus returns."""
    look = opened(datasets=())
    for width, height in _SIZES.values():
        look.resize(width, height)
        look.pause(60)
        look.run("const t = document.querySelector('.auc'); t.focus(); t.click()")
        card = look.run("return document.querySelector('.card').getBoundingClientRect().toJSON()")
        for name in ("densities", "roc"):
            left, top, right, bottom = look.boxes()[name]
            assert card["left"] >= right or card["top"] >= bottom or card["right"] <= left or card["bottom"] <= top
        assert "Probability" in look.one(".card").text
        look.press("\ue00c")
        assert not look.one(".card").is_displayed()
        assert look.focused() == look.one(".auc")
    look.run("page.page.openTerm('dprime')")
    assert look.each(".formula b", "e.className + e.textContent") == [
        *("of-illm₁", "of-healthym₀"),
        *("of-healthys₀", "of-ills₁"),
    ]
    look.run("page.page.openTerm('precision')")
    dimmed = look.each(".densities g[class], .block", "getComputedStyle(e).opacity")
    assert dimmed == ["0.3", "1", "0.3", "1", "1", "1", "0.3", "0.3"], "the areas and cells that it does not count"


def test_undo_restores_the_state_before_a_drag(opened: Callable[..., Looker]) -> None:
    """One state for each drag, with the key U and the button."""
    look = opened(datasets=())
    before = look.state()
    look.drag("[data-grip=mean1]", 40, 0)
    assert look.state()["mean1"] != before["mean1"]
    look.drag("[data-handle=threshold]", 30, 0)
    look.press("u")
    look.pause(20)
    look.one(".undo").click()
    assert look.state() == before
    assert not look.one(".undo").is_enabled()


def test_a_lecture_walks_through_the_lesson(opened: Callable[..., Looker]) -> None:
    """Page Down twelve times asks and reveals six steps, and then the lesson ends.

    No text is below 24 pixels, no target below 44, and nothing but the stage is shown. Question and answer are shown
    without scrolling, at three sizes and in two languages.
    """
    for lang in ("en", "de"):
        for width, height in ((1280, 720), (1024, 768), (1920, 1080)):
            look = opened("#lecture=true", lang=lang)
            look.resize(width, height)
            look.pause(60)
            for step in range(12):
                look.run("page.page.lesson.forward(); page.page.stopSweep()")
                look.pause(40)
                assert (lang, width, step, look.run(_CUT, ".panel")) == (lang, width, step, [0, 0])
                assert (lang, width, step, look.run(_CUT, ".panel-body:not([hidden])")) == (lang, width, step, [0, 0])
    look = opened("#lecture=true")
    look.resize(1024, 768)
    look.pause(60)
    _assert_large(look, "lecture", 24)
    assert look.run("return getComputedStyle(document.querySelector('.bar')).opacity") == "0"
    look.run("document.querySelector('.roc').dispatchEvent(new PointerEvent('pointermove', { bubbles: true }))")
    assert look.run("return getComputedStyle(document.querySelector('.bar')).opacity") == "1"
    assert look.one(".bar > button").text == "End (Esc)"
    look.run("delete document.querySelector('.rocpredict').dataset.moved")
    hidden = "return [...document.querySelectorAll('.bar, .panel, .undo')].filter((e) => "
    assert look.run(f"{hidden} e.checkVisibility({{opacityProperty: true}})).length") == 0
    look.focus()
    for step in range(6):
        look.press("\ue00f")
        look.pause(40)
        assert look.state()["step"] == step
        _assert_inside(look, (1024, 768), step)
        assert not look.one(".explanation").is_displayed()
        _assert_large(look, step, 24)
        look.press("\ue00f")
        look.pause(40)
        assert look.one(".explanation").is_displayed(), step
        _assert_large(look, (step, "reveal"), 24)
    look.press("\ue00e")
    look.pause(40)
    assert look.state()["step"] == 4
    look.press("\ue00f", "\ue00f")
    look.pause(40)
    look.press("\ue00f")
    look.pause(40)
    assert (look.state()["step"], look.state()["lecture"]) == (5, True)
    look.press("\ue00f")
    look.pause(40)
    assert look.state()["step"] == -1
    look.press("\ue00c")
    look.pause(40)
    assert not look.state()["lecture"]
    assert look.complaints() == []


def test_print_is_one_page(opened: Callable[..., Looker]) -> None:
    """A4 with the pictures and the numbers, from both a desk and a lecture, and in light colors from a dark theme."""
    address = "https://example.org/roc.html"
    for state in ("", "#lecture=true&theme=dark"):
        look = opened(state, datasets=(), url=address)
        pdf = look.driver.print_page()
        assert base64.b64decode(pdf).count(b"/Type /Page\n") == 1
        look.emulate("print")
        assert f"rocpredict {rp.__version__} {address}#" in look.one(".imprint").text
        assert look.one(".imprint svg").is_displayed()
        style = "getComputedStyle(document.querySelector('.rocpredict'))"
        assert look.run(f"return {style}.backgroundColor") == "rgb(255, 255, 255)"
        assert look.run(f"return {style}.getPropertyValue('--healthy')") == "#0b5c97"
        labels = look.run(
            "return [...document.querySelectorAll('.sliders .slider')].map((e) => [getComputedStyle(e, "
            "'::before').content, e.querySelector('[type=text]').checkVisibility()])"
        )
        assert ['"Mean of the healthy:"', True] in labels
        assert ['"Ill (prevalence):"', True] in labels
        look.emulate()


def test_pairs_fill_a_bar_to_the_auc(opened: Callable[..., Looker]) -> None:
    """The height of the bar is the share of pairs won."""
    look = opened("#panel=game", datasets=())
    look.run("document.querySelector('[data-chance=hundred]').click()")
    height = look.each("rect[data-mark=pairs]", "e.height.baseVal.value")[0]
    side = look.run(
        "const c = document.querySelector('[data-curve=chance]'); return c.x2.baseVal.value - c.x1.baseVal.value"
    )
    assert height / side == pytest.approx(look.shown("chance.share"), abs=1e-6)
