"""Reports: one file, readable and harmless, with the numbers of the table; and CSV that no spreadsheet computes."""

import csv
import hashlib
import io
import re
from html.parser import HTMLParser

import numpy as np
import pytest

import rocpredict as rp
from rocpredict.base.files import format_csv
from rocpredict.base.formatting import format_p_value, format_rate
from rocpredict.base.tables import Table
from rocpredict.plots.curves import plot_side_by_side
from rocpredict.reports.feature import feature_report
from rocpredict.reports.report import data_hash, figure_to_image, format_numeral, render
from rocpredict.reports.screening import screening_report
from rocpredict.sources.table import as_feature_table
from tests.blank import leave_blank

DAY = "2026-11-21"
NAMES = ["<script>alert(1)</script>", "\"quoted\" & 'so' onload=x", "n" * 200, "שלום עולם", "🦠 {{ 7*7 }} \x00\u202e"]
_RNG = np.random.default_rng(5)
Y = np.repeat(["<b>well</b>", 'sick & "ill"'], 40)
X = _RNG.normal(size=(80, 5)) + np.where(Y[0] == Y, 0, 1)[:, None] * np.array([2.0, 1.0, 0.5, -1.0, 0.0])
_VOID = {"meta", "img", "br", "link", "input"}


class Page(HTMLParser):
    """Read a page: its elements with their attributes, headings, and the cells of each table."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.open, self.tables, self.headings, self.text = [], [], [], [], []
        self.feed(text)
        self.close()
        assert not self.open, "elements that nobody closed"

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in _VOID:
            self.open.append(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in {"td", "th"}:
            self.tables[-1][-1].append("")
        elif re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if {"script", "style"} & set(self.open):
            return
        self.text.append(data)
        if {"td", "th"} & set(self.open):
            self.tables[-1][-1][-1] += data.strip()

    def all(self, tag):
        return [attrs for name, attrs in self.elements if name == tag]


def screened(**options):
    return rp.screen(X, Y, positive=Y[-1], feature_names=NAMES, **options)


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Give the text of a page of each kind, all of hostile names; only that of one feature has its pictures drawn."""
    folder = tmp_path_factory.mktemp("pages")
    asked = {"feature": NAMES[0], "unit": "<u>", "positive": Y[-1], "n_resamples": 20, "date": DAY}
    feature_report(X[:, 0], Y, folder / "feature.html", prevalence=0.1, **asked)
    with pytest.MonkeyPatch.context() as patch:
        leave_blank(patch)
        screening_report(screened(), folder / "data.html", n_top=1, data=(X, Y), date=DAY, notes=["<i>note</i>"])
        screening_report(screened(empirical=False), folder / "no_data.html", n_top=1, date=DAY)
        asked |= {"family": "boxcox", "direction": "auto", "title": "</title><script>"}
        feature_report(X[:, 3], Y, folder / "auto.html", **asked)
    return {path.stem: path.read_text(encoding="utf-8") for path in folder.iterdir()}


KINDS = ["data", "no_data", "feature", "auto"]


@pytest.mark.parametrize("kind", KINDS)
def test_names_are_text_and_nothing_else(pages, kind):
    """No element, attribute or template comes of a name; names stand apart in a bdi; the day is the one given."""
    page = Page(pages[kind])
    tags = {tag for tag, _ in page.elements}
    assert not tags & {"iframe", "object", "embed", "form", "input", "base", "link", "b", "i", "u"}
    assert len(page.all("script")) == (1 if kind in {"data", "no_data"} else 0)
    assert not [name for _, attrs in page.elements for name in attrs if name.startswith("on")]
    text = "".join(page.text)
    assert NAMES[0] in text
    assert "{{ 7*7 }}" in text or kind in {"feature", "auto"}
    assert "\x00" not in pages[kind]
    assert len(page.all("bdi")) > 1
    assert text.count(DAY) == 2


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_loaded(pages, kind):
    """No address but data and a place on the page; the policy forbids the rest."""
    page = Page(pages[kind])
    for _, attrs in page.elements:
        assert all(attrs[name].startswith("data:image/png;base64,") for name in ("src", "srcset") if name in attrs)
        assert attrs.get("href", "#").startswith("#")
    assert "url(" not in pages[kind]
    assert "@import" not in pages[kind]
    policy = next(meta["content"] for meta in page.all("meta") if "http-equiv" in meta)
    assert policy == "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'"


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_can_be_heard(pages, kind):
    """A language, one h1, no level left out, a caption and scopes in each table, a sentence with numbers a picture."""
    page = Page(pages[kind])
    assert page.all("html") == [{"lang": "en"}]
    assert page.headings[0] == 1
    assert page.headings.count(1) == 1
    assert all(after - before <= 1 for before, after in zip(page.headings, page.headings[1:], strict=False))
    assert len(page.all("caption")) == len(page.all("table")) >= 1
    assert all(head["scope"] in {"col", "row"} for head in page.all("th"))
    assert page.all("img")
    for image in page.all("img"):
        assert re.search(r"\d", image["alt"])
        assert image["alt"].endswith(".")
        assert int(image["width"]) > 300
    assert all(region["aria-label"] for region in page.all("div") if region.get("role") == "region")


@pytest.mark.parametrize("options", [{}, {"empirical": False}, {"empirical": "top", "n_top": 2}, {"family": "auto"}])
def test_numbers_are_those_of_the_table(tmp_path, options):
    """Each cell of the page is the table's format_numeral, as far as it is shown."""
    table = screened(**options)
    page = Page(table_page(table, tmp_path))
    head, *rows = page.tables[0]
    assert len(rows) == len(table)
    shown = {name: [row[head.index(name)] for row in rows] for name in head}
    for title, name, form in (
        ("p", "p_value", format_p_value),
        ("q", "q_value", format_p_value),
        ("TPR", "tpr", format_rate),
        ("FPR", "fpr", format_rate),
        ("Ameans, honest", "ameans_corrected", format_rate),
    ):
        assert shown[title] == [form(value) for value in table[name].tolist()], title
    for title, name, ends in (("AUC predicted", "auc", "auc"), ("AUC empirical", "empirical_auc", "empirical")):
        if title in shown:
            wanted = zip(*(table[one].tolist() for one in (name, f"{ends}_low", f"{ends}_high")), strict=True)
            assert shown[title] == [area_cell(*one) for one in wanted], title
    assert ("AUC empirical" in shown) == bool(table.empirical)
    if table.empirical:
        areas = [cell.partition(" (")[0] for cell in shown["AUC empirical"]]
        told = [float(value) for value in areas if value not in {"–", ">0.999"}]
        counted = table["empirical_auc"][~np.isnan(table["empirical_auc"])]
        np.testing.assert_allclose(told, counted[counted < 0.9995], atol=0.0005)
    assert not {"Negatives", "Positives", "Missing"} & set(head), "the same everywhere"


def area_cell(value, low, high):
    """Give an AUC with its interval, where it has one."""
    return format_rate(value) + ("" if np.isnan(low) else f" ({format_rate(low)} to {format_rate(high)})")


def test_the_columns_that_choose_come_first(tmp_path):
    """Eight of them, in one order; a class pair after the name; numbers of cases last, and only where they differ."""
    first = ["#", "Feature", "AUC empirical", "AUC predicted", "q", "Positive when", "Ameans, honest", "Flags"]
    rest = ["p", "Negative mean (SD)", "Positive mean (SD)", "TPR", "FPR", "Misfit"]
    assert Page(table_page(screened(), tmp_path)).tables[0][0] == first + rest
    shrunk = Page(table_page(screened(family="auto"), tmp_path)).tables[0][0]
    assert shrunk == [*first, "Family", "Share of the model", *rest]
    predicted = Page(table_page(screened(empirical=False), tmp_path)).tables[0][0]
    assert predicted == [name for name in first + rest if name not in {"AUC empirical", "Misfit"}]
    lacking = X.copy()
    lacking[:3, 0] = np.nan
    head = Page(table_page(rp.screen(lacking, Y, positive=Y[-1], feature_names=NAMES), tmp_path)).tables[0][0]
    assert head == [*first, *rest, "Negatives", "Missing"]
    three = Page(table_page(rp.screen(X, np.arange(80) % 3), tmp_path)).tables[0][0]
    assert three[:5] == ["#", "Feature", "Negative", "Positive", "AUC empirical"]
    assert three[-2:] == ["Negatives", "Positives"]


def test_a_wide_table_says_that_it_goes_on(pages):
    """By the style alone: in a browser that knows no timeline of a scroll, and on paper, nothing is shown."""
    assert 'content: "scroll for more →"' in pages["data"]
    assert ".scroll::before { content: none; }" in pages["data"]


def table_page(table, folder, **options):
    path = screening_report(table, folder / "page.html", n_top=0, date=DAY, **options)
    return path.read_text(encoding="utf-8")


def test_the_page_of_a_feature_has_the_numbers_of_its_answers(pages):
    """Both AUCs with their intervals, and the counted rates at the predicted threshold."""
    classes = {"positive": Y[-1]}
    predicted, empirical = rp.predict_roc(X[:, 0], Y, **classes), rp.empirical_roc(X[:, 0], Y, **classes)
    tables = Page(pages["feature"]).tables
    areas = {row[0]: row[1:3] for row in tables[1][1:]}
    for name, roc in (("Empirical", empirical), ("Predicted, two Gaussians", predicted)):
        interval = roc.auc_interval()
        assert areas[name] == [
            format_rate(roc.auc()),
            f"{format_rate(interval.low)} to {format_rate(interval.high)}",
        ]
    best = predicted.best_threshold()
    assert tables[2][1][1] == format_numeral(best.threshold)
    rates = {row[0]: row[1] for row in tables[3][1:]}
    assert rates["TPR (sensitivity)"] == format_rate(empirical.rates(best.threshold).tpr)
    assert rates["Precision (PPV)"] == format_rate(empirical.rates(best.threshold, prevalence=0.1).precision)


def test_headlines_know_how_many_were_looked_at(tmp_path):
    """Without any effect nothing is claimed; how many p-values below .05 stand for nothing is said."""
    noise = np.random.default_rng(8).normal(size=(60, 40))
    labels = np.arange(60) % 2
    text = table_page(rp.screen(noise, labels), tmp_path)
    assert "0 of 40 tested features have q &lt; 0.05" in text
    assert "Judge chosen features on new cases" in text
    plain = table_page(rp.screen(noise, labels, adjust="none"), tmp_path)
    assert "so many as 2 would be expected" in plain


@pytest.mark.parametrize(
    ("options", "words", "absent"),
    [
        ({}, ["Mann-Whitney test", "Benjamini and Hochberg", "delta method", "DeLong", "95 %"], ["Welch"]),
        ({"empirical": False, "level": 0.9}, ["Welch", "90 %", "nothing was counted"], ["DeLong", "Mann-Whitney"]),
        ({"adjust": "holm", "direction": "lower"}, ["after Holm", "at or below it"], ["Benjamini"]),
        ({"family": "auto"}, ["shrunk estimate", "Box-Cox", "held out"], ["where the two densities cross"]),
    ],
)
def test_methods_say_what_was_done(tmp_path, options, words, absent):
    """The paragraph and its references follow the options."""
    text = table_page(screened(**options), tmp_path)
    text = text[text.index("<h2>Methods") : text.index("<footer>")]
    assert [word for word in words if word not in text] == []
    assert [word for word in absent if word in text] == []
    assert f"rocpredict {rp.__version__}" in text


def test_the_hash_is_that_of_the_recipe(pages):
    """As the page tells it; another cell, another hash; none where the data were not given."""
    recipe = hashlib.sha256(b"a\n" + np.array([1, np.nan]).astype("<f8").tobytes() + b"u\nv\n").hexdigest()
    assert data_hash(as_feature_table({"a": [1.0, np.nan]}), np.array(["u", "v"])) == recipe
    assert data_hash(as_feature_table({"a": [2.0, np.nan]}), np.array(["u", "v"])) != recipe
    assert re.search(r"SHA-256 <code>[0-9a-f]{64}</code>", pages["data"])
    assert "SHA-256" not in pages["no_data"]


def test_the_same_picture_gives_the_same_bytes(pages):
    """Drawn once more it is the one on the page: the predicted curve over the empirical one."""
    rocs = (kind(X[:, 0], Y, positive=Y[-1]) for kind in (rp.predict_roc, rp.empirical_roc))
    image = figure_to_image(plot_side_by_side(*rocs, feature=NAMES[0], unit="<u>", classes=(Y[0], Y[-1])))
    assert Page(pages["feature"]).all("img")[0]["src"] == image.source


def test_hard_tables(tmp_path, monkeypatch):
    """No rows; no answers; missing values; three labels; long tables: a page each, which says so."""
    leave_blank(monkeypatch)
    odd = {"empty": [np.nan] * 80, "constant": [1.0] * 80, "copy": np.where(Y[0] == Y, 0.0, 1.0), "few": X[:, 0].copy()}
    odd["few"][:70:2] = np.nan
    table = rp.screen(odd, Y, positive=Y[-1]).in_input_order()
    text = screening_report(table, tmp_path / "odd.html", n_top=2, data=(odd, Y)).read_text(encoding="utf-8")
    Page(text)
    assert "No picture: " in text
    assert "Missing" in text
    assert "as a copy of the label would" in text
    assert "no rows" in table_page(table.top(0), tmp_path)
    three = rp.screen(X, np.arange(80) % 3, feature_names=NAMES)
    assert len(Page(table_page(three, tmp_path, data=(X, np.arange(80) % 3))).tables[0]) == 16
    monkeypatch.setattr("rocpredict.reports.screening.MOST_ROWS", 15)
    long = table_page(rp.screen(_RNG.normal(size=(20, 16)), np.arange(20) % 2), tmp_path)
    assert "The first 15 of 16 features are shown" in long
    assert len(Page(long).tables[0]) == 16


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"path": "none/there.html"}, "cannot be written"),
        ({"n_top": -1}, "n_top=-1 is negative"),
        ({"date": "tomorrow"}, "date='tomorrow' is no day"),
        ({"data": X}, "is not (X, y)"),
        ({"data": (X[:50], Y[:50])}, "has 50 rows and the table was made of 80"),
        ({"n_top": 1, "data": (X + 1, Y)}, "is not what the table was made of"),
    ],
)
def test_refused_and_nothing_written(tmp_path, monkeypatch, options, said):
    """What is wrong is said by name, and no part of a file is left."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(rp.RocPredictError, match=re.escape(said)):
        screening_report(screened(), **{"path": "page.html"} | options)
    assert list(tmp_path.iterdir()) == []


def test_a_bad_place_is_refused_before_any_work(tmp_path):
    with pytest.raises(rp.RocPredictError, match="cannot be written"):
        feature_report(None, None, tmp_path / "none" / "there.html")
    with pytest.raises(rp.RocPredictError, match="prevalence="):
        feature_report(X[:, 0], Y, tmp_path / "page.html", positive=Y[-1], prevalence=1.5)


def test_a_template_that_asks_for_what_nobody_told_is_an_error():
    from jinja2 import UndefinedError

    with pytest.raises(UndefinedError):
        render("page.html", title="t")


def test_a_page_stays_small(pages):
    """A picture of curves, drawn in full, below 60 kB: a page with ten of them stays below 1 MB."""
    sizes = [len(image["src"]) for image in Page(pages["feature"]).all("img")]
    assert len(sizes) == 2
    assert 5_000 < sizes[0] < 60_000
    assert len(pages["feature"]) - sum(sizes) < 30_000


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"),
        ('" =1+1', "'\" =1+1"),
        ("+49 170", "'+49 170"),
        ("-x", "'-x"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\tx", "'\tx"),
        ("\rx", "'\rx"),
        ("\uff1d1", "'\uff1d1"),
        ("-1.5", "-1.5"),
        ("+4e-3", "+4e-3"),
        ("-inf", "-inf"),
        ("a=b", "a=b"),
        ("", ""),
    ],
)
def test_no_cell_is_a_formula(text, written):
    """Text that a spreadsheet would compute gets an apostrophe, wherever CSV is written; numbers never change."""
    assert next(csv.reader(io.StringIO(format_csv([[text, -1.5]]), newline=""))) == [written, "-1.5"]
    table = Table("t", [text, "b"], [[text, -2]])
    assert list(csv.reader(io.StringIO(table.to_csv(), newline=""))) == [[written, "b"], [written, "-2"]]
    names = [text or "a", "b"]
    found = csv.DictReader(
        io.StringIO(rp.screen(X[:, :2], Y, positive=Y[-1], feature_names=names).in_input_order().to_csv(), newline="")
    )
    assert [row["feature"] for row in found] == [written or "a", "b"]


def test_numbers_of_a_screening_are_written_with_every_digit():
    """As repr gives them, signs and exponents included."""
    table = screened()
    rows = list(csv.DictReader(io.StringIO(table.to_csv(), newline="")))
    assert [row["effect_size"] for row in rows] == [repr(value) for value in table["effect_size"].tolist()]
    assert min(table["effect_size"]) < 0
