"""Texts of the page: notes on crossings, formulas, and the decimal mark of each language."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import rocpredict as rp
from rocpredict.teaching.page import TeachingPage
from tests.browser.looking import Looker

_LABEL = """
const output = document.querySelector(`.readouts output[data-name='${arguments[0]}']`);
return output.closest('dl > div').firstChild.textContent;
"""
_NAMES = """
const parts = [...document.querySelectorAll(".frame > :not(.panel, .bar, [role=status]), .chance")];
const labels = parts.flatMap((part) => [...part.querySelectorAll("[aria-label], [aria-valuetext]")]);
return [...parts.map((part) => part.textContent),
  ...labels.flatMap((e) => [e.getAttribute("aria-label") ?? "", e.getAttribute("aria-valuetext") ?? ""])];
"""
_TITLE = "return document.querySelector('[data-mark=best] title').textContent"
_POINTS = r"""
const attributes = (e) => ["aria-label", "aria-valuetext", "title"].map((name) => e.getAttribute(name) ?? "");
const said = (e) => [...attributes(e), ...[...e.childNodes].filter((n) => n.nodeType === 3).map((n) => n.data)];
const all = [...document.querySelectorAll(".rocpredict *:not(textarea)")].flatMap(said);
return all.filter((words) => arguments[0] === "," ? /\d\.\d/.test(words) : /\d,\d(?!\d\d)/.test(words));
"""


def _remarks(look: Looker) -> str:
    return look.one(".notes").get_attribute("textContent") or ""


def test_the_best_threshold_and_the_worst_are_named(opened: Callable[..., Looker]) -> None:
    """Two Gaussians that cross twice: both crossings, as the library calls them."""
    look = opened(datasets=())
    look.set(mean0=5.0, std0=1.0, mean1=6.0, std1=3.0)
    worst, best = rp.PredictedRoc(rp.Gaussian(5, 1), rp.Gaussian(6, 3)).crossings()
    assert f"cross twice: {best:.2f} is the best single threshold, {worst:.2f} the worst" in _remarks(look)
    assert look.run(_TITLE) == "Best Ameans: here the unweighted densities cross"
    look.set(mean0=5.0, std0=2.0, mean1=5.0, std1=2.0)
    assert "no threshold discriminates" in look.one(".state-note").get_attribute("textContent")
    assert look.run(_TITLE) == "Best Ameans"


def test_weighted_densities_cross_where_accuracy_is_best(opened: Callable[..., Looker]) -> None:
    """The notes distinguish both kinds of crossing: accuracy is best at one, Ameans at the other."""
    look = opened(datasets=())
    look.set(prevalence=0.2, weighted=True)
    roc = rp.PredictedRoc(rp.Gaussian(4, 3), rp.Gaussian(8, 2))
    accurate = roc.best_threshold("accuracy", prevalence=0.2).threshold
    said = _remarks(look)
    assert f"weighted densities cross at {accurate:.2f}: there accuracy is best" in said
    assert f"Ameans is best at {roc.best_threshold().threshold:.2f}, where the unweighted densities cross" in said
    assert "cross twice" not in said
    titles = look.each("[data-crossing] title", "e.textContent")
    assert titles[0].startswith("The weighted densities cross at")
    look.set(prevalence=0.001, mean1=4.5, std1=2.9)
    assert "no threshold is more accurate than the same call for all" in _remarks(look)
    look.set(weighted=False)
    assert "accura" not in _remarks(look)


def test_more_crossings_than_two_are_counted(look: Looker) -> None:
    """Densities of a family that follows the rows: as many crossings as are drawn, and no worst among them."""
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.normal([0, 8], 1, (60, 2)).ravel(), rng.normal([4, 12], 1, (60, 2)).ravel()])
    with TeachingPage(x, np.repeat(["a", "b"], 120), positive="b", datasets=(), lesson=False).serve() as server:
        look.open(server.url)
        look.set(family="histogram")
        low, high = look.answer()["range"]
        count = sum(low < t < high for t in look.answer()["crossings"])
        assert count > 2
        assert f"The densities cross {count} times; " in _remarks(look)
        assert "worst" not in _remarks(look)
        assert look.run(_LABEL, "auc") == "AUC"


def test_the_formula_of_the_area_is_that_of_the_state(opened: Callable[..., Looker]) -> None:
    """With lower positives the means are exchanged in the formula; with unequal SDs the index is named."""
    look = opened(datasets=())
    assert look.run(_LABEL, "auc") == "AUC = Φ((m₁ − m₀)/√(s₀² + s₁²))"
    look.set(direction="lower")
    assert look.run(_LABEL, "auc") == "AUC = Φ((m₀ − m₁)/√(s₀² + s₁²))"
    assert look.run(_LABEL, "dprime") == "dₐ (d\N{PRIME} where both SDs are equal)"


@pytest.mark.parametrize(("lang", "decimal"), [("en", "."), ("de", ",")])
def test_decimal_signs_follow_the_language(opened: Callable[..., Looker], lang: str, decimal: str) -> None:
    """No number that is read has another decimal mark; what a program reads has the point."""
    look = opened(lang=lang, datasets=("iris", "pima"))
    look.set(weighted=True, strip=True, prevalence=0.3, draws=5, threshold=5.5)
    look.run("for (const name of ['one', 'hundred']) document.querySelector(`[data-chance=${name}]`).click()")
    assert look.run(_POINTS, decimal) == []
    output = look.one(".readouts output[data-name='rates.tpr']")
    value = float(output.get_attribute("data-value"))
    assert output.get_attribute("textContent") == f"{value:.3f}".replace(".", decimal)
    for step in range(6):
        look.set(step=step)
        look.pause(50)
        assert (step, look.run(_POINTS, decimal)) == (step, [])
    look.click("python")
    assert "prevalence=0.1, cost_fp=1)" in look.run("return document.querySelector('textarea').value")


def test_curves_differ_without_the_zeros_too(opened: Callable[..., Looker]) -> None:
    """The step on insulin: without the women of a zero, what is counted and what two bells predict is the library's."""
    look = opened("#step=8", datasets=("pima",))
    look.pause(50)
    look.run("document.querySelector('.chip').click()")
    look.run("document.querySelector('[data-lesson=reveal]').click()")
    look.pause(100)
    pima = rp.datasets.load_pima()
    x = pima.column("insulin")
    clean = [x[(x != 0) & (pima.y == label)] for label in ("neg", "pos")]
    counted = rp.EmpiricalRoc(*clean).auc()
    predicted = rp.PredictedRoc(*map(rp.Gaussian.fit, clean)).auc()
    found = [look.shown(f"lesson.clean.{name}") for name in ("counted", "predicted")]
    assert found == pytest.approx([counted, predicted], abs=1e-8)


def test_a_poor_fit_shows_a_warning(opened: Callable[..., Looker]) -> None:
    """The first screen shows the library's warning, but not for a fit that is good or was changed by the user."""
    look = opened(datasets=("iris", "pima"))
    look.resize(1280, 720)
    doubt = look.run("return page.page.words.page.remarks.doubt")
    look.set(data="pima", featureName="insulin")
    box = look.one(".state-note").rect
    assert look.one(".state-note").text == doubt
    assert box["y"] + box["height"] < 720
    look.set(panel="numbers")
    assert look.one(".messages").text.count(doubt) == 1
    look.set(mean0=60)
    assert doubt not in look.one(".messages").text
    look.set(data="iris", pairLabels=["versicolor", "virginica"], featureName="petal_length")
    assert doubt not in look.one(".messages").text


_EXPECTED = {
    "en": (
        "At 82.4 U/ml, the model expects {} of 59 ill and {} of 200 healthy to be called positive; in the data, {}",
        "{} of 59 and {} of 200 are.",
        "expected",
    ),
    "de": (
        "Bei 82,4 U/ml gelten nach dem Modell {} von 59 ill und {} von 200 healthy als positiv, in den Daten {}",
        "{} von 59 und {} von 200.",
        "erwartet",
    ),
}


@pytest.mark.parametrize("lang", list(_EXPECTED))
def test_expected_counts_are_compared_with_the_data(look: Looker, tmp_path: Path, lang: str) -> None:
    """The sentence has both counts, and the table calls its counts expected; other totals are named for both."""
    sentence, data, expected = _EXPECTED[lang]
    rng = np.random.default_rng(3)
    healthy, ill = rng.lognormal(3, 0.8, 200), rng.lognormal(4, 1.1, 59)
    x, y = np.concatenate([healthy, ill]), np.repeat(["healthy", "ill"], [200, 59])
    page = TeachingPage(x, y, positive="ill", unit="U/ml", datasets=(), lang=lang)
    look.open(page.save(tmp_path / "page.html").as_uri())
    roc = rp.PredictedRoc(rp.Gaussian.fit(healthy), rp.Gaussian.fit(ill))
    threshold = roc.best_threshold().threshold
    tp, fp = int(np.sum(ill >= threshold)), int(np.sum(healthy >= threshold))
    counts = round(59 * roc.tpr(threshold)), round(200 * roc.fpr(threshold)), tp
    assert counts[0] > tp + 10
    assert sentence.format(*counts) in look.one(".sentence").text
    assert look.one(".counts thead td").text == expected
    look.set(prevalence=0.1)
    assert look.one(".sentence").text.endswith(data.format(tp, fp))


def test_controls_without_effect_are_hidden(opened: Callable[..., Looker]) -> None:
    """Of two Gaussians typed in there are no rows to show, and no fit to go back to."""
    look = opened(datasets=("iris",))
    words = look.run("return document.querySelector('.rocpredict').rocpredict.page.words.page")
    shown = [words["labels"]["empirical"], words["buttons"]["fit"]]
    script = "return [...document.querySelectorAll('.source .option:not([hidden]), .controls button:not([hidden])')]"
    script += ".map((e) => e.textContent)"
    assert not set(shown) & set(look.run(script))
    look.set(data="iris")
    assert set(shown) <= set(look.run(script))


@pytest.mark.parametrize("lang", ["en", "de"])
def test_data_have_the_names_of_their_classes(opened: Callable[..., Looker], lang: str) -> None:
    """Flowers are not ill: axes, sliders, table, definitions and the game name the classes, with their prevalence."""
    look = opened(datasets=("iris",), lang=lang)
    words = look.run("return document.querySelector('.rocpredict').rocpredict.page.words.page")
    ill = re.compile(r"\b(ill|healthy|krank|Kranken?|Kranker|gesund|Gesunden?|Gesunder|alarms?|Alarme?)\b")
    assert ill.search(" ".join(look.run(_NAMES)))
    look.set(data="iris", pair=2, feature=2)
    assert look.state()["prevalence"] == 0.5
    assert "virginica" in look.one(".slider.prevalence .slider-name").text
    assert [text.split()[-1] for text in look.each(".counts thead .head", "e.innerText")] == ["50", "50"]
    titles = look.run("return [...document.querySelectorAll('[data-picture=roc] text')].map((e) => e.textContent)")
    assert {"TPR (virginica)", "FPR (versicolor)"} <= set(titles)
    look.set(names="signal")
    titles = look.run("return [...document.querySelectorAll('[data-picture=roc] text')].map((e) => e.textContent)")
    assert words["names"]["signal"]["fpr"] in " ".join(titles)
    look.set(names="roc")
    assert not ill.search(" ".join(look.run(_NAMES)))
    for term in look.run("return Object.keys(page.page.words.terms)"):
        look.run("page.page.openTerm(arguments[0])", term)
        text = look.one(".card").text
        assert not ill.search(text), text
        assert "{" not in text
    look.set(direction="lower")
    look.run("page.page.openTerm('auc')")
    assert {"en": "smaller", "de": "kleineren"}[lang] in look.one(".card").text
    look.run("page.page.payload.datasets[0].features[2].unit = ''")
    look.set(threshold=5.0)
    assert " ," not in look.one(".sentence").text
