"""Reports: one file, accessible and safe, with the numbers of the table; and CSV without formulas."""

import csv
import hashlib
import io
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from jinja2 import UndefinedError

import rocpredict as rp
from rocpredict.base.formatting import format_p_value, format_rate
from rocpredict.base.tables import Table
from rocpredict.plots.curves import plot_side_by_side
from rocpredict.reports.feature import feature_report
from rocpredict.reports.report import data_hash, figure_to_image, format_numeral, render
from rocpredict.reports.screening import screening_report
from rocpredict.sources.table import as_feature_table
from tests.blank import leave_blank
from tests.cases import refuses

DAY = "2026-11-21"
NAMES = ["<script>alert(1)</script>", "\"quoted\" & 'so' onload=x", "n" * 200, "שלום עולם", "🦠 {{ 7*7 }} \x00\u202e"]
_RNG = np.random.default_rng(5)
Y = np.repeat(["<b>well</b>", 'sick & "ill"'], 40)
X = _RNG.normal(size=(80, 5)) + np.where(Y[0] == Y, 0, 1)[:, None] * np.array([2.0, 1.0, 0.5, -1.0, 0.0])
_VOID = {"meta", "img", "br", "link", "input"}


class Page(HTMLParser):
    """Parser of a page: its elements with their attributes, headings, and the cells of each table."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.open, self.tables, self.headings, self.text = [], [], [], [], []
        self.feed(text)
        self.close()
        assert not self.open, "elements without an end tag"

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


def screened(values=X, **options):
    return rp.screen(values, Y, positive=Y[-1], feature_names=NAMES, **options)


def page_of(table, folder, **options):
    path = screening_report(table, folder / "page.html", n_top=0, date=DAY, **options)
    return path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Return the text of a page of each kind, with hostile names; only that of one feature has its pictures drawn."""
    folder = tmp_path_factory.mktemp("pages")
    options = {"feature": NAMES[0], "unit": "<u>", "positive": Y[-1], "n_resamples": 20, "date": DAY}
    feature_report(X[:, 0], Y, folder / "feature.html", prevalence=0.1, **options)
    with pytest.MonkeyPatch.context() as patch:
        leave_blank(patch)
        screening_report(screened(), folder / "data.html", n_top=1, data=(X, Y), date=DAY, notes=["<i>note</i>"])
        screening_report(screened(empirical=False), folder / "no_data.html", n_top=1, date=DAY)
        options |= {"family": "boxcox", "direction": "auto", "title": "</title><script>"}
        feature_report(X[:, 3], Y, folder / "auto.html", **options)
    return {path.stem: path.read_text(encoding="utf-8") for path in folder.iterdir()}


KINDS = ["data", "no_data", "feature", "auto"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_is_safe_and_accessible(pages, kind):
    """Names are text in a bdi; no address but data and anchors; headings, captions, scopes and alternative texts."""
    page = Page(pages[kind])
    assert not {tag for tag, _ in page.elements} & {
        "iframe",
        "object",
        "embed",
        "form",
        "input",
        "base",
        "link",
        "b",
        "i",
        "u",
    }
    assert len(page.all("script")) == (1 if kind in {"data", "no_data"} else 0)
    assert not [name for _, attrs in page.elements for name in attrs if name.startswith("on")]
    text = "".join(page.text)
    assert NAMES[0] in text
    assert "{{ 7*7 }}" in text or kind in {"feature", "auto"}
    assert "\x00" not in pages[kind]
    assert len(page.all("bdi")) > 1
    assert text.count(DAY) == 2

    for _, attrs in page.elements:
        assert all(attrs[name].startswith("data:image/png;base64,") for name in ("src", "srcset") if name in attrs)
        assert attrs.get("href", "#").startswith("#")
    assert "url(" not in pages[kind]
    assert "@import" not in pages[kind]
    policy = next(meta["content"] for meta in page.all("meta") if "http-equiv" in meta)
    assert policy == "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'"

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


FIRST = ["#", "Feature", "AUC empirical", "AUC predicted", "q", "Positive if", "Ameans, corrected", "Flags"]
REST = ["p", "Negative mean (SD)", "Positive mean (SD)", "TPR", "FPR", "Misfit"]
PREDICTED = [name for name in FIRST + REST if name not in {"AUC empirical", "Misfit"}]
BY_OPTIONS = [
    (
        {},
        FIRST + REST,
        ["Mann-Whitney test", "Benjamini and Hochberg", "delta method", "DeLong", "95%"],
        ["Welch"],
    ),
    ({"empirical": False, "level": 0.9}, PREDICTED, ["Welch", "90%", "without empirical results"], ["DeLong", "Mann-"]),
    ({"empirical": "top", "n_top": 2}, FIRST + REST, ["Welch", "Mann-Whitney"], []),
    (
        {"adjust": "holm", "direction": "lower"},
        FIRST + REST,
        ["by the method of Holm", "at or below the threshold"],
        ["Benjamini"],
    ),
    (
        {"family": "auto"},
        [*FIRST, "Family", "Model weight", *REST],
        ["shrunk estimate", "binormal model of the pooled ranks", "estimates the Ameans on new data"],
        ["where the two densities cross"],
    ),
]


@pytest.mark.parametrize("case", BY_OPTIONS)
def test_columns_numbers_and_methods_follow_the_options(tmp_path, monkeypatch, case):
    options, columns, words, absent = case
    leave_blank(monkeypatch)
    table = screened(**options)
    text = page_of(table, tmp_path)
    head, *rows = Page(text).tables[0]
    assert head == columns
    assert len(rows) == len(table)
    shown = {name: [row[head.index(name)] for row in rows] for name in head}
    for title, name, form in (
        ("p", "p_value", format_p_value),
        ("q", "q_value", format_p_value),
        ("TPR", "tpr", format_rate),
        ("FPR", "fpr", format_rate),
        ("Ameans, corrected", "ameans_corrected", format_rate),
    ):
        assert shown[title] == [form(value) for value in table[name].tolist()], title
    for title, name, stem in (("AUC predicted", "auc", "auc"), ("AUC empirical", "empirical_auc", "empirical")):
        if title in shown:
            areas = zip(*(table[one].tolist() for one in (name, f"{stem}_low", f"{stem}_high")), strict=True)
            assert shown[title] == [format_area(*area) for area in areas], title
    if table.empirical:
        cells = [cell.partition(" (")[0] for cell in shown["AUC empirical"]]
        areas = [float(value) for value in cells if value not in {"–", ">0.999"}]
        empirical = table["empirical_auc"][~np.isnan(table["empirical_auc"])]
        np.testing.assert_allclose(areas, empirical[empirical < 0.9995], atol=0.0005)
    text = text[text.index("<h2>Methods") : text.index("<footer>")]
    assert [word for word in words if word not in text] == []
    assert [word for word in absent if word in text] == []
    assert f"rocpredict {rp.__version__}" in text


def format_area(value, low, high):
    """Return an AUC with its interval, if there is one."""
    return format_rate(value) + ("" if np.isnan(low) else f" ({format_rate(low)} to {format_rate(high)})")


def test_the_page_of_a_feature_has_the_numbers_of_its_curves(pages):
    classes = {"positive": Y[-1]}
    predicted, empirical = rp.predict_roc(X[:, 0], Y, **classes), rp.empirical_roc(X[:, 0], Y, **classes)
    tables = Page(pages["feature"]).tables
    areas = {row[0]: row[1:3] for row in tables[1][1:]}
    for name, roc in (("Empirical", empirical), ("Predicted, two Gaussians", predicted)):
        interval = roc.auc_interval()
        assert areas[name] == [format_rate(roc.auc()), f"{format_rate(interval.low)} to {format_rate(interval.high)}"]
    best = predicted.best_threshold()
    assert tables[2][1][1] == format_numeral(best.threshold)
    rates = {row[0]: row[1] for row in tables[3][1:]}
    assert rates["TPR (sensitivity)"] == format_rate(empirical.rates(best.threshold).tpr)
    assert rates["Precision (PPV)"] == format_rate(empirical.rates(best.threshold, prevalence=0.1).precision)


def test_the_findings_state_the_number_of_features(tmp_path, monkeypatch):
    """Without any effect nothing is claimed; the number of p-values below .05 expected by chance is stated."""
    leave_blank(monkeypatch)
    noise = np.random.default_rng(8).normal(size=(60, 40))
    labels = np.arange(60) % 2
    text = page_of(rp.screen(noise, labels), tmp_path)
    assert "0 of 40 tested features have q &lt; 0.05" in text
    assert "Evaluate selected features on new data" in text
    plain = page_of(rp.screen(noise, labels, adjust="none"), tmp_path)
    assert "2 would be expected" in plain


def test_the_hash_is_that_of_the_recipe(pages):
    """As the page describes it; another cell, another hash; none without data."""
    recipe = hashlib.sha256(b"a\n" + np.array([1, np.nan]).astype("<f8").tobytes() + b"u\nv\n").hexdigest()
    assert data_hash(as_feature_table({"a": [1.0, np.nan]}), np.array(["u", "v"])) == recipe
    assert data_hash(as_feature_table({"a": [2.0, np.nan]}), np.array(["u", "v"])) != recipe
    assert re.search(r"SHA-256 <code>[0-9a-f]{64}</code>", pages["data"])
    assert "SHA-256" not in pages["no_data"]


def test_the_picture_of_a_page(pages):
    """Drawn again it has the same bytes; ten of them stay below 1 MB; a wide table has a hint to scroll, by style."""
    rocs = (kind(X[:, 0], Y, positive=Y[-1]) for kind in (rp.predict_roc, rp.empirical_roc))
    image = figure_to_image(plot_side_by_side(*rocs, feature=NAMES[0], unit="<u>", classes=(Y[0], Y[-1])))
    images = Page(pages["feature"]).all("img")
    assert images[0]["src"] == image.source
    sizes = [len(image["src"]) for image in images]
    assert len(sizes) == 2
    assert 5_000 < sizes[0] < 60_000
    assert len(pages["feature"]) - sum(sizes) < 30_000
    assert 'content: "scroll for more →"' in pages["data"]
    assert ".scroll::before { content: none; }" in pages["data"]


def test_hard_tables(tmp_path, monkeypatch):
    leave_blank(monkeypatch)
    odd = {"empty": [np.nan] * 80, "constant": [1.0] * 80, "copy": np.where(Y[0] == Y, 0.0, 1.0), "few": X[:, 0].copy()}
    odd["few"][:70:2] = np.nan
    table = rp.screen(odd, Y, positive=Y[-1]).in_input_order()
    text = screening_report(table, tmp_path / "odd.html", n_top=2, data=(odd, Y)).read_text(encoding="utf-8")
    Page(text)
    assert "No figure: " in text
    assert "Missing" in text
    assert "as a copy of the label would" in text
    assert "no rows" in page_of(table.top(0), tmp_path)
    labels = np.arange(80) % 3
    three = Page(page_of(rp.screen(X, labels, feature_names=NAMES), tmp_path, data=(X, labels))).tables[0]
    assert len(three) == 16
    assert three[0][:5] == ["#", "Feature", "Negative", "Positive", "AUC empirical"]
    assert three[0][-2:] == ["Negatives", "Positives"]
    lacking = X.copy()
    lacking[:3, 0] = np.nan
    assert Page(page_of(screened(lacking), tmp_path)).tables[0][0] == [*FIRST, *REST, "Negatives", "Missing"]
    monkeypatch.setattr("rocpredict.reports.screening.MOST_ROWS", 15)
    long = page_of(rp.screen(_RNG.normal(size=(20, 16)), np.arange(20) % 2), tmp_path)
    assert "The first 15 of 16 features are shown" in long
    assert len(Page(long).tables[0]) == 16


def test_text_columns_are_not_counted_as_features(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{row % 7},{row % 3},word {row},{row % 2}\n" for row in range(20))
    (tmp_path / "t.csv").write_text(f"a,b,note,y\n{rows}")
    text = rp.screen("t.csv", "y").report("t.html").read_text("utf-8")
    assert "We examined how well 2 features separate" in text
    assert "(positive, n = 10)" in text
    assert ">note<" not in text


def test_refusals_write_no_file(tmp_path, monkeypatch):
    """Each message names the argument; a missing folder is refused before any work, a missing value by jinja2."""
    leave_blank(monkeypatch)
    monkeypatch.chdir(tmp_path)
    table = screened()
    for words, options in {
        "cannot be written": {"path": "none/there.html"},
        "n_top=-1 is below 0; pass 0 or more": {"n_top": -1},
        "date='tomorrow' is not a date": {"date": "tomorrow"},
        "is neither (X, y) nor": {"data": X},
        "has 50 rows, but the table was computed from 80": {"data": (X[:50], Y[:50])},
        "does not match the data from which the table was computed": {"n_top": 1, "data": (X + 1, Y)},
        "columns, but no column named": {"n_top": 1, "data": (X[:, :-1], Y)},
    }.items():
        refuses(re.escape(words), screening_report, table, **{"path": "page.html"} | options)
    refuses(r"path=page.pdf: pass a name that ends in .html or .htm", feature_report, None, None, "page.pdf")
    refuses("cannot be written", feature_report, None, None, tmp_path / "none" / "there.html")
    with pytest.raises(rp.RocPredictError, match="notes='one' is not a list of sentences; pass one text for each"):
        feature_report(X[:, 0], Y, tmp_path / "a.html", positive=Y[-1], notes="one")
    refuses("prevalence=", feature_report, X[:, 0], Y, tmp_path / "page.html", positive=Y[-1], prevalence=1.5)
    with pytest.raises(UndefinedError, match="'date' is undefined"):
        render("page.html", title="t")
    assert list(tmp_path.iterdir()) == []


def test_no_cell_is_a_formula():
    """Text that a spreadsheet would compute gets an apostrophe, wherever CSV is written; numbers never change."""
    table = Table("t", ["=1+1", "b"], [["+49 170", -2], ["\uff1d1", "\tx"], ["-inf", "a=b"]])
    expected = [["'=1+1", "b"], ["'+49 170", "-2"], ["'\uff1d1", "'\tx"], ["-inf", "a=b"]]
    assert list(csv.reader(io.StringIO(table.to_csv(), newline=""))) == expected
    screening = rp.screen(X[:, 3:], Y, positive=Y[-1], feature_names=["@SUM(A1)", "b"]).in_input_order()
    rows = [*csv.DictReader(io.StringIO(screening.to_csv(), newline=""))]
    assert [row["feature"] for row in rows] == ["'@SUM(A1)", "b"]
    assert [row["effect_size"] for row in rows] == [repr(value) for value in screening["effect_size"].tolist()]
    assert min(screening["effect_size"]) < 0


def test_one_omitted_observation_is_singular(tmp_path, monkeypatch):
    leave_blank(monkeypatch)
    values = X[:, 0].copy()
    values[0] = np.nan
    options = {"positive": Y[-1], "nan_policy": "omit", "n_resamples": 20, "date": DAY}
    text = feature_report(values, Y, tmp_path / "one.html", **options).read_text(encoding="utf-8")
    assert "We omitted 1 observation without a value." in text
