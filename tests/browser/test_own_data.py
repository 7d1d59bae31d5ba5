"""Data that the user pastes or drops on the page: numbers equal to the library's, one sentence for each bad input."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rocpredict as rp
from rocpredict.sources.csv_reader import read_csv
from rocpredict.teaching.assets import load_translations
from rocpredict.teaching.page import TeachingPage
from tests.browser.looking import Looker

_PASTE = """
const [text, done] = arguments, area = document.querySelector("dialog[open] textarea");
area.value = text;
area.dispatchEvent(new Event("input"));
area.dispatchEvent(new Event("change"));
done();
"""
_DROP = """
const [text, done] = arguments, transfer = new DataTransfer();
transfer.items.add(new File([text], "study.csv", { type: "text/csv" }));
document.querySelector("dialog[open]").dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true }));
const timer = setInterval(() => {
  if (!document.querySelector("dialog[open] .message").textContent) return;
  clearInterval(timer);
  done();
}, 10);
"""
_USE = "document.querySelector('dialog[open] .use').click()"
_DATASET = "return page.page.payload.datasets.find((one) => one.key === 'pasted')"
_MESSAGE = "return document.querySelector('dialog[open] .message').textContent"


def _choose(look: Looker, name: str, value: str) -> None:
    script = (
        f"const list = document.querySelector(\"dialog[open] select[id$='choice-{name}']\"); list.value = arguments[0];"
    )
    look.run(f"{script} list.dispatchEvent(new Event('change'))", value)


def _table(rng: np.random.Generator) -> str:
    """Draw a table with any separator, decimal mark and line end, quotes, gaps, ties, and two or three labels."""
    n, separator = int(rng.integers(8, 60)), str(rng.choice([",", ";", "\t"]))
    is_comma = separator != "," and bool(rng.integers(2))
    labels = [["0", "1"], ["well", "sick"], ["a b", 'c "d"', "é"]][rng.integers(3)]
    classes = np.concatenate([np.repeat(np.arange(len(labels)), 4), rng.integers(len(labels), size=n)])
    scale, digits = 10.0 ** rng.integers(-3, 6), int(rng.integers(1, 6))

    def cell(value: float) -> str:
        if rng.random() < 0.05:
            return str(rng.choice(["", "NA", "NaN", "?"]))
        text = f"{value:.{digits}g}"
        return text.replace(".", ",") if is_comma else text

    def quoted(text: str) -> str:
        needs = any(mark in text for mark in f'{separator}"\n')
        return '"' + text.replace('"', '""') + '"' if needs or rng.random() < 0.2 else text

    shift = rng.normal()
    rows = [["marker", "other [cm]", "remark", "outcome"]]
    for k in classes:
        numbers = [scale * (rng.gamma(3) + shift * k), 1000 + rng.normal(k)]
        rows.append([*map(cell, numbers), "some words", labels[k]])
    text = str(rng.choice(["\n", "\r\n"])).join(separator.join(map(quoted, row)) for row in rows)
    return ("\ufeff" if rng.random() < 0.3 else "") + text


def _library(path: Path, text: str, positive: str) -> dict[str, Any]:
    """Return the library's page of the same file, read by its reader of CSV files."""
    path.write_bytes(text.encode())
    table = read_csv(path)
    columns = {name: table.numbers(name) for name in ("marker", "other [cm]")}
    labels = np.array([str(label) for label in table.labels("outcome")])
    return dict(TeachingPage(columns, labels, positive=positive, datasets=()).payload(live=True)["datasets"][0])


def test_fifty_tables_equal_the_library(opened: Callable[..., Looker], tmp_path: Path) -> None:
    """Means, SDs, counts, areas and best thresholds of 50 drawn tables (seed 11) to 1e-8; the values themselves."""
    look, rng = opened(datasets=(), lesson=False), np.random.default_rng(11)
    for _ in range(50):
        text = _table(rng)
        look.click("data")
        look.later(_PASTE, text)
        assert look.run(_MESSAGE) == ""
        positive = look.run("return document.querySelector(\"dialog[open] select[id$='choice-positive']\").value")
        look.run(_USE)
        found, expected = look.run(_DATASET), _library(tmp_path / "table.csv", text, positive)
        assert found["columns"] == expected["columns"]
        assert [found["pairs"][0][name] for name in ("negative", "positive")] == [
            expected["pairs"][0][name] for name in ("negative", "positive")
        ]
        for one, other in zip(found["pairs"][0]["facts"], expected["pairs"][0]["facts"], strict=True):
            assert one.get("error", "") == other.get("error", "").replace(" [cm]", "")
            if "error" in other:
                continue
            for name in ("mean", "std", "auc", "count", "missing"):
                assert one[name] == pytest.approx(other[name], rel=1e-8), name
            assert one["direction"] == other["direction"]
            assert one["empirical"]["auc"] == pytest.approx(other["empirical"]["auc"], rel=1e-8)
            for name, value in other["empirical"]["best"].items():
                assert float(one["empirical"]["best"][name]) == pytest.approx(float(value), rel=1e-8), name
        state, answer = look.state(), look.answer()
        assert (state["data"], answer["empirical"]["auc"]) == (
            "pasted",
            found["pairs"][0]["facts"][0]["empirical"]["auc"],
        )
        assert look.broken() == []
    assert look.requests() == []
    assert look.complaints() == []


BAD = {
    "encoding": "a,b\n1,\ufffd",
    "header": "marker,outcome\n",
    "twice": "a,a,outcome\n1,2,x\n3,4,y",
    "cells": "a;outcome\n1;x\n2;y;z",
    "commas": "a,outcome\n1,x\n2,5,y",
    "quote": 'a,outcome\n1,"x\n2,y',
    "rows": "a,outcome\n" + "1,x\n2,y\n" * 50_000 + "1,x",
    "marks": "a;b;outcome\n1,5;1.5;x\n2,5;2.5;y",
    "comma": 'a,outcome\n"1,500",x\n2,y',
    "labels": "a,b\n1,2\n1,2\n1,2",
    "classes": "name,mean,SD\nx,1,2\ny,2,3\nz,3,4",
    "names": "name,mean,SD\nx,1,2\nx,2,3",
    "mean": "name,mean,SD\nx,one,2\ny,2,3",
    "std": "name,mean,SD\nx,1,2\ny,2,0",
    "summary": "\tx\ty\nage\t1 ± 2\t2 ± 3\nsize\t4 (2-5)\t1 ± 2",
}
BAD_ON_USE = {
    "text": "a,outcome\n1,x\nabc,y",
    "none": "a,outcome\nu,x\nv,y\nw,x",
    "label": "a,outcome\n1,x\n2,\n3,y",
    "few": "a,outcome\n1,x\n2,x\n3,y",
    "constant": "a,outcome\n1,x\n1,x\n3,y\n4,y",
    "beyond": "a,outcome\n1e200,x\n2e200,x\n3,y\n4,y",
}


@pytest.mark.parametrize("lang", ["en", "de"])
def test_bad_tables_are_one_sentence(opened: Callable[..., Looker], lang: str) -> None:
    """Each has its sentence, filled in, and the page stays as it was; a good table then clears the sentence."""
    look, sentences = opened(datasets=(), lesson=False, lang=lang), load_translations(lang)["entry"]["wrong"]
    before = look.state()
    look.click("data")
    assert look.findings() == []
    assert look.one("dialog[open] p label").text == {"en": "Choose a CSV file …", "de": "CSV-Datei wählen …"}[lang]
    assert look.one("dialog[open] [type=file]").value_of_css_property("clip-path") == "inset(50%)"
    for key, text in (BAD | BAD_ON_USE).items():
        if key == "rows":
            look.later(_PASTE, "")  # clears the last sentence
        look.later(_DROP if key == "rows" else _PASTE, text)
        if key in BAD_ON_USE:
            assert look.run(_MESSAGE) == ""
            look.run(_USE)
        message = look.run(_MESSAGE)
        pattern = re.sub(r"\\\{\w+\\\}", "(.+)", re.escape(sentences[key]))
        assert re.fullmatch(pattern, message), (key, message)
        assert "{" not in message
        assert look.state() == before
    look.later(_PASTE, look.one("dialog[open] textarea").get_attribute("placeholder"))
    assert look.run(_MESSAGE) == "", "the example"
    name = "recovered completely within a week"
    look.later(_PASTE, f"a,outcome\n1,x\n2,{name}\n3,x\n5,{name}\n4,x")
    assert look.run(_MESSAGE) == ""
    german = f"„{name}“ ist die positive Klasse, die seltenste"  # codespell:ignore ist
    chosen = {"en": f"“{name}” is the positive class, the least", "de": german}
    assert chosen[lang] in look.one("dialog[open]").text
    look.run(_USE)
    assert look.state()["data"] == "pasted"
    heads = look.each(".counts thead .head", "e.innerText")
    assert [text.split()[-1] for text in heads] == ["2", "3"], "as many as there are"
    labels = look.run("return [...document.querySelectorAll('.densities title')].map((e) => e.textContent)")
    assert name in labels
    assert look.one(".counts thead b").get_attribute("title") == name
    assert look.complaints() == []


GLUCOSE = {"name": "glucose", "unit": "mmol/L"}
SUMMARIES = {
    "name;unit;mean;SD;n\nhealthy;mmol/L;5,1;0,9;60\nill;mmol/L;6,4;1,2;40": None,
    "\thealthy (n = 60)\till (n=40)\nglucose, mmol/L\t5.1 ± 0.9\t6.4 ± 1.2": GLUCOSE,
    "Variable,healthy,ill\nn,60,40\nglucose [mmol/L],5.1 (0.9),6.4 (1.2)": GLUCOSE,
}


@pytest.mark.parametrize("text", SUMMARIES)
def test_a_published_table_gives_two_gaussians(opened: Callable[..., Looker], text: str) -> None:
    """Names, unit, mean, SD and n, in three forms; the other class as the positive one turns the direction."""
    look = opened(datasets=(), lesson=False)
    look.click("data")
    look.later(_PASTE, text)
    assert look.run(_MESSAGE) == ""
    look.run(_USE)
    state, roc = look.state(), rp.PredictedRoc(rp.Gaussian(5.1, 0.9), rp.Gaussian(6.4, 1.2))
    assert [state[name] for name in ("mean0", "std0", "mean1", "std1")] == [5.1, 0.9, 6.4, 1.2]
    assert (state["data"], state["prevalence"], state["direction"]) == ("", 0.4, "higher")
    assert state["threshold"] == pytest.approx(roc.best_threshold().threshold, rel=1e-8)
    assert look.answer()["auc"] == pytest.approx(roc.auc(), abs=1e-8)
    assert look.run("return page.page.getClassNames()") == ["healthy", "ill"]
    assert look.run("return page.page.payload.names.feature") == SUMMARIES[text]
    look.click("data")
    look.later(_PASTE, text)
    _choose(look, "positive", "0")
    look.run(_USE)
    assert (look.state()["mean1"], look.state()["direction"]) == (5.1, "lower")
    assert look.answer()["auc"] == pytest.approx(roc.auc(), abs=1e-8)


def test_pasted_data_stay_on_the_page(look: Looker) -> None:
    """On a served page they are not sent; the address has the means and SDs instead of the data."""
    with TeachingPage(datasets=("iris",)).serve() as server:
        look.open(server.url)
        look.requests()
        look.click("data")
        look.later(_PASTE, "a,b,c\n1,x,5\n2,x,5\n4,y,6\n3,y,7\n2.5,z,1\n4,z,2")
        _choose(look, "positive", "x")
        _choose(look, "negative", "=z")
        look.run(_USE)
        assert look.run("return page.page.getClassNames()") == ["z", "x"]
        look.set(threshold=2.25)
        assert look.answer()["empirical"]["tpr"] == 1
        assert look.requests() == []
        look.pause(400)
        assert "data=" not in look.driver.current_url
        assert "mean0=3.25" in look.driver.current_url
        look.set(data="iris")
        assert look.answer()["empirical"]["auc"] > 0.5
        assert look.complaints() == []
