"""The teaching page from Python's side: the library's numbers in it, the server, the widget, hostile input."""

import base64
import html
import http.client
import json
import re
import socket
import struct
import sys
import threading
import time
import urllib.request
import zlib
from html.parser import HTMLParser

import numpy as np
import pytest
from matplotlib.text import Text

import rocpredict as rp
from rocpredict import RocPredictError
from rocpredict.datasets import DATASET_NAMES, load_breast_cancer, load_iris, load_pima
from rocpredict.diagnostics.comparison import compare, max_tpr_gap
from rocpredict.distributions.fitting import get_fitter
from rocpredict.distributions.normal_sum import NormalSum
from rocpredict.plots import style
from rocpredict.teaching import assets as bundle
from rocpredict.teaching.assets import languages
from rocpredict.teaching.data import builtin_dataset, feature_rocs
from rocpredict.teaching.model import _TABULATED, PAGE_FAMILIES, PageModel, TabulatedRoc
from rocpredict.teaching.page import PRESETS, TeachingPage, normal_table
from rocpredict.teaching.server import TeachingServer
from tests.cases import check_each, for_each, optional, refuses

pd, pl = optional("pandas"), optional("polars")
IRIS, PIMA = load_iris(), load_pima()
LEAST = {"datasets": ()}
IRIS_COLUMNS = {"x": dict(zip(IRIS.feature_names, IRIS.X.T, strict=True)) | {"label": IRIS.y}, "y": "label"}
HOSTILE = [
    *("</script><script>alert(1)</script>", "a\"b'c`d", "x" * 200, "\u202e\u05d8\u05e7", "🧪 💥", "<!--"),
    *("&amp;\n\x00;", "\udc80"),
]


@pytest.fixture(autouse=True)
def without_families(request, monkeypatch):
    """Leave the fitted families out of saved pages, except in tests of these: they take most of the time of a page."""
    if "fitted" not in request.fixturenames:
        monkeypatch.setattr("rocpredict.teaching.model._MAX_FITTED_VIEWS", 0)


@pytest.fixture
def fitted():
    """Mark a test that needs the fitted families."""


def embedded(text):
    """The payload of a page, read as a browser would; the words of a saved page are in its code."""
    return json.loads(re.search(r'class="rocpredict-data">(.*?)</script>', text, flags=re.DOTALL)[1])


class Elements(HTMLParser):
    """Every element of a page, with its attributes."""

    def __init__(self, text):
        super().__init__()
        self.all = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.all.append((tag, dict(attrs)))


@pytest.fixture(scope="module")
def page():
    return TeachingPage()


@pytest.fixture(scope="module")
def payload(page):
    return embedded(page.to_html())


# ---- what is in the page
def test_the_page_is_one_file_that_fetches_nothing(page):
    """No address outside of the file, a policy that forbids fetching, a language, a line for no JavaScript."""
    text = page.to_html()
    elements = Elements(text).all
    assert not [attrs for _, attrs in elements if "src" in attrs or attrs.get("href", "data:,") != "data:,"]
    policy = next(attrs["content"] for tag, attrs in elements if attrs.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith(
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: "
    )
    assert "connect-src 'none'" in policy
    assert ("html", {"lang": "en"}) in elements
    assert "noscript" in {tag for tag, _ in elements}
    assert page.to_html() == text


def test_a_page_without_data_is_small():
    """Below 80 kB in each language, and what is packed in it is the modules, with shorter names."""
    for lang in languages():
        page = TeachingPage(**LEAST, lang=lang).to_html()
        assert len(page.encode()) < 80_000
        assert f'<html lang="{lang}">' in page
    text = TeachingPage(**LEAST).to_html()
    packed = re.search(r'class="rocpredict-code">(.*?)</script>', text)[1]
    unpacked = zlib.decompress(base64.b85decode(packed.translate(str.maketrans(",./", "&<>")))).decode()
    assert re.sub(r"\s", "", unpacked).startswith(re.sub(r"\s", "", bundle.shorten_names(bundle.script())))
    assert bundle.to_script_json(bundle.page_strings("en")) in unpacked


def test_the_bundle_is_one_module():
    """No import, no export, no comment line is left; nothing ends the script."""
    lines = bundle.script().splitlines()
    assert not [line for line in lines if line.startswith(("import ", "export ", "//", " "))]
    assert "</script" not in bundle.script()
    assert "innerHTML" not in bundle.script()


def test_the_facts_are_the_librarys_to_the_last_digit(payload):
    iris = payload["datasets"][0]
    assert [one["key"] for one in payload["datasets"]] == list(DATASET_NAMES)
    place = [(one["negative"], one["positive"]) for one in iris["pairs"]].index(("versicolor", "virginica"))
    facts, x = iris["pairs"][place]["facts"][2], IRIS.column("petal_length")
    classes = {"positive": "virginica", "negative": "versicolor"}
    predicted, empirical = (make(x, IRIS.y, **classes) for make in (rp.predict_roc, rp.empirical_roc))
    both, best, interval = compare(predicted, empirical), empirical.best_threshold(), empirical.auc_interval()
    assert facts["mean"] == [predicted.negative.mean, predicted.positive.mean]
    assert facts["std"] == [predicted.negative.std, predicted.positive.std]
    assert (facts["count"], facts["missing"], facts["direction"]) == ([50, 50], 0, "higher")
    assert facts["auc"] == predicted.auc()
    counted = facts["empirical"]
    assert [counted[name] for name in ("auc", "low", "high")] == [empirical.auc(), interval.low, interval.high]
    assert counted["best"] == {name: getattr(best, name) for name in ("threshold", "tpr", "fpr", "ameans")}
    assert counted["gap"] == {"fpr": both.max_tpr_gap_fpr, "value": both.max_tpr_gap}


def test_the_rows_are_those_of_the_data(payload):
    """Every value of every built-in feature by its class, sorted, to the last digit; with names, units and facts."""
    for shown, data in zip(payload["datasets"], (IRIS, PIMA, load_breast_cancer()), strict=True):
        assert [one["name"] for one in shown["features"]] == list(data.feature_names)
        assert [one["unit"] for one in shown["features"]] == list(data.units)
        for label in shown["labels"]:
            assert shown["columns"][label] == np.sort(data.X[data.y == label], axis=0).T.tolist()
        assert not [fact for pair in shown["pairs"] for fact in pair["facts"] if "error" in fact]


def test_the_table_of_the_normal_is_the_librarys():
    """Each node is 1 - Phi(z), to the last digit."""
    table = normal_table()
    z = np.arange(len(table["upper"])) * table["step"]
    assert z[-1] == 8.5
    assert table["upper"] == rp.Gaussian(0, 1).sf(z).tolist()


def test_presets_have_results():
    """Each preset is a state that the library answers; the reversed one has its AUC above 1/2."""
    areas = {key: PageModel().evaluate(state)["auc"] for key, state in PRESETS.items()}
    assert areas["same_mean"] == 0.5
    assert areas["reversed"] > 0.5
    assert areas["perfect"] > 0.999


@pytest.mark.parametrize("x", [None, "iris"])
def test_the_preview_is_in_the_language_of_the_page(monkeypatch, x):
    """Axes, legends and numbers of the picture are German; in English they are those of the plots."""
    figures, draw = [], style.figure_to_bytes
    monkeypatch.setattr(style, "figure_to_bytes", lambda figure, *args, **options: figures.append(figure) or b"")
    for lang in ("de", "en"):
        TeachingPage(x, lang=lang, **LEAST)._picture()
    assert [draw(figure, "png")[:4] for figure in figures] == [b"\x89PNG"] * 2
    german, english = ({text.get_text() for text in figure.findobj(Text)} for figure in figures)
    assert {"Dichte", "Falsch-positiv-Rate (FPR)", "Richtig-positiv-Rate (TPR)", "Zufall"} <= german
    assert {"density", "false positive rate (FPR)", "chance", "0.2"} <= english
    assert "0,2" in german
    shared = {text for text in german & english if re.search(r"[a-z]{3}|\d\.\d", text)}
    assert shared <= {"setosa", "versicolor", "sepal_length [cm]"}


# ---- own data
@pytest.mark.parametrize("make", [dict, *([pd.DataFrame, pl.DataFrame] if pd else [])])
def test_frames_of_every_kind_are_the_same_page(make):
    """A frame with a label column, a column of words and a gap: the words are left out, the gap is counted."""
    columns = {
        "size": [1.0, 2.5, np.nan, 3.0, 2.0, 4.5],
        "color": ["red"] * 6,
        "mass": [5, 1, 4, 2, 8, 3],
        "kind": ["a", "a", "a", "b", "b", "b"],
    }
    held = TeachingPage(make(columns), "kind", positive="b", unit={"size": "cm"}, **LEAST).payload()
    (own,) = held["datasets"]
    assert (own["key"], own["name"]) == ("own", "Your data")
    assert own["features"] == [{"name": "size", "unit": "cm"}, {"name": "mass", "unit": ""}]
    assert own["columns"] == {"a": [[1, 2.5], [1, 4, 5]], "b": [[2, 3, 4.5], [2, 3, 8]]}
    assert [fact["missing"] for fact in own["pairs"][0]["facts"]] == [1, 0]
    assert own["pairs"][0]["facts"][0]["count"] == [2, 3]
    assert held["start"] == {"data": "own"}


def test_a_file_is_shown_as_its_table(tmp_path):
    path = tmp_path / "own.csv"
    path.write_text("age,name,outcome\n1,a,ill\n2,b,well\n4,c,ill\n5,d,well\n")
    page = TeachingPage(str(path), "outcome", positive="ill", **LEAST)
    assert page.data[0].features == ("age",)
    assert page.payload() == TeachingPage({"age": [1, 2, 4, 5]}, ["ill", "well"] * 2, positive="ill", **LEAST).payload()
    refuses(r"^y is missing; pass the name of the label column; columns of .*own\.csv", TeachingPage, path)
    path.write_text("age,outcome\n1,ill\nsixty,well\n")
    with pytest.raises(RocPredictError, match="'sixty', which is not a number; correct it, or pass a table without"):
        TeachingPage(path, "outcome", positive="ill")


def test_missing_values_can_be_refused():
    """``nan_policy="raise"`` names the feature; "omit", the default, leaves them out; another value is an error."""
    x, y = {"a": [1, 2, 3, 4, np.nan], "b": [1, 2, 1, 3, 2]}, [0, 0, 1, 1, 1]
    assert "own" in TeachingPage(x, y, nan_policy="omit", datasets=()).start["data"]
    with pytest.raises(RocPredictError, match=r"^x has missing values \(NaN\) in 1 of 5 rows of feature a; pass"):
        TeachingPage(x, y, nan_policy="raise", datasets=())
    refuses("nan_policy='drop'", TeachingPage, x, y, nan_policy="drop", datasets=())


@pytest.mark.extra("pandas")
def test_arrays_series_and_names():
    """(n,) and (n, p) arrays; a Series brings its name; feature= names or chooses; names that are no text."""
    y = IRIS.y == "virginica"
    widths = ["petal_width", "sepal_width"]
    for expected, page in (
        (["x"], TeachingPage(IRIS.X[:, 0], y, **LEAST)),
        (["length"], TeachingPage(IRIS.X[:, 0], y, feature="length", **LEAST)),
        (["sepal"], TeachingPage(pd.Series(IRIS.X[:, 0], name="sepal"), y, **LEAST)),
        (["3"], TeachingPage(pd.Series(IRIS.X[:, 0], name=3), y, **LEAST)),
        (["x0", "x1"], TeachingPage(IRIS.X[:, :2], y, **LEAST)),
        (["b", "a"], TeachingPage(IRIS.X[:, :2], y, feature=["b", "a"], **LEAST)),
        (["b"], TeachingPage({"a": IRIS.X[:, 0], "b": IRIS.X[:, 1]}, y, feature=np.array("b"), **LEAST)),
        (widths, TeachingPage(**IRIS_COLUMNS, positive="setosa", feature=widths, **LEAST)),
    ):
        assert list(page.data[0].features) == expected
    x, labels = [1.0, 2.0, 3.0, 5.0], [0.0, 1.0, 0.0, 1.0]
    for table in (pd.DataFrame(np.c_[x, labels]), {0: x, 1: labels}):
        (own,) = TeachingPage(table, 1, **LEAST).data
        assert (len(own.features), own.labels) == (1, ("0.0", "1.0"))
    assert TeachingPage("iris", feature=np.array("petal_width")).start["feature"] == 3


def test_the_facts_are_computed_once_and_on_demand(monkeypatch):
    """Of 400 features none is predicted to begin; both kinds of page then share the same facts."""
    asked = []
    monkeypatch.setattr("rocpredict.teaching.data.feature_statistics", lambda *place: asked.append(place) or {})
    x = np.random.default_rng(1).normal(size=(6, 400))
    page = TeachingPage(x, [0, 1] * 3, **LEAST)
    assert asked == []
    assert page.payload()["datasets"] == page.payload(live=True)["datasets"]
    assert len(asked) == 400


def test_three_labels_give_every_pair_and_a_named_one_against_the_rest():
    """Pairs in the order of labels; against the rest, the facts are those of all other labels together."""
    pairs = TeachingPage(IRIS.X, IRIS.y, **LEAST).payload()["datasets"][0]["pairs"]
    assert [(one["negative"], one["positive"]) for one in pairs] == list(builtin_dataset("iris").pairs)
    (one,) = TeachingPage(IRIS.X, IRIS.y, positive="setosa", **LEAST).payload()["datasets"][0]["pairs"]
    assert (one["negative"], one["positive"]) == ("rest", "setosa")
    assert one["facts"][0]["count"] == [100, 50]
    roc = rp.predict_roc(IRIS.X[:, 0], IRIS.y, positive="setosa", direction="lower")
    assert (one["facts"][0]["direction"], one["facts"][0]["auc"]) == ("lower", roc.auc())


def test_saved_pages_contain_the_fitted_families(fitted, monkeypatch):
    """Every family that fits, with the library's AUC; a served page has none of them, and built-in data neither."""
    rng = np.random.default_rng(2)
    x, y = np.r_[rng.lognormal(0, 1, 40), rng.lognormal(1.5, 1, 40)], np.repeat([0, 1], 40)
    page = TeachingPage({"marker": x, "flat": np.ones(80)}, y, **LEAST)
    fits = page.payload()["fits"]
    assert list(fits["views"]) == ["0,0"]
    families = fits["views"]["0,0"]["families"]
    assert list(families) == [name for name in PAGE_FAMILIES if name not in ("gaussian", "beta")]
    for family in ("lognormal", "kde", "auto"):
        expected = rp.predict_roc(x, y, family=family, direction=None if family == "auto" else "higher").auc()
        assert families[family]["auc"] == pytest.approx(expected, rel=1e-12)
    band = rp.empirical_roc(x, y, direction="higher").band(fpr=np.linspace(0, 1, 51))
    for name in ("low", "high"):
        assert fits["views"]["0,0"]["band"][name] == pytest.approx(getattr(band, name), abs=1e-6)
    assert "fits" not in page.payload(live=True)
    assert "fits" not in TeachingPage("iris", datasets=()).payload()
    monkeypatch.setattr("rocpredict.teaching.model._MAX_FITTED_VIEWS", 2)
    many = TeachingPage(rng.normal(size=(6, 4)), [0, 1] * 3, **LEAST).payload()["fits"]["views"]
    assert list(many) == ["0,0", "0,1"]


@pytest.mark.parametrize(
    "samples",
    [
        ([1, 2.5], [2, 3.5, 4]),
        ([5, 4], [3, 1]),
        ([1e-99, 2e-99], [3e-99, 4e-99]),
        ([1e99, 2e99], [3e99, 4e99]),
        ([0] * 9 + [1], range(10)),
    ],
)
def test_extreme_samples_have_finite_tables(fitted, samples):
    """Two values in a class, huge and tiny values, ties: whatever is fitted is valid JSON."""
    x, y = np.concatenate(samples), np.repeat([0, 1], [len(samples[0]), len(samples[1])])
    json.dumps(TeachingPage(x, y, **LEAST).payload()["fits"], allow_nan=False)


def test_features_that_cannot_be_shown_have_a_reason():
    """A constant one, an empty one: a sentence in place of numbers; the page begins with one that can be shown."""
    columns = {"flat": [1, 1, 1, 1], "empty": [np.nan] * 4, "huge": [1e200, 2e200, 3, 4], "good": [1, 2, 3, 4.5]}
    page = TeachingPage(columns, [0, 0, 1, 1], **LEAST)
    facts = page.payload()["datasets"][0]["pairs"][0]["facts"]
    assert [re.split(" of | has ", fact["error"])[0] for fact in facts[:3]] == ["All values", "empty", "huge"]
    assert page.start["feature"] == 3
    with pytest.raises(RocPredictError, match="x has no feature to show: All values of flat are equal in one of the"):
        TeachingPage({"flat": [1, 1, 1, 1]}, [0, 0, 1, 1], **LEAST)


FOUR = {"x": [1, 2, 3, 4], "y": [0, 1, 0, 1]}
WRONG_PAGES = [
    ("y is missing; pass one label", {"x": [1, 2, 3, 4]}),
    ("positive= is needed", FOUR | {"y": ["a", "b", "a", "b"]}),
    ("both must have the same length", FOUR | {"y": [0, 1, 0]}),
    ("positive=2 is not a label in y", FOUR | {"positive": 2}),
    ("is not a single name", FOUR | {"feature": ["a", "b"]}),
    ("names a column twice", {"x": {"a": [1, 2], "b": [1, 2]}, "y": [0, 1], "feature": ["a", "a"]}),
    ("unit=", FOUR | {"unit": ["a", "b"]}),
    ("pass either x, or both mean= and std=", FOUR | {"mean": (1, 2), "std": (1, 1)}),
    ("500,500 values, but a page can have at most 500,000", {"x": np.zeros((1001, 500)), "y": np.arange(1001) % 2}),
    ("y has 20 labels; pass the positive label", {"x": np.arange(40.0), "y": np.arange(40) // 2}),
    ("feature='petal' is not allowed", IRIS_COLUMNS | {"positive": "setosa", "feature": "petal"}),
    (
        "feature='a' is not numeric: it contains 'u'; select",
        {"x": {"a": ["u", "v"], "b": [1, 2]}, "y": [0, 1], "feature": "a"},
    ),
    ("x='irises' is not allowed; choose one of 'iris'", {"x": "irises"}),
    ("feature='petal' is not allowed", {"x": "iris", "feature": "petal"}),
    ("are not a class pair on this page", {"x": "iris", "positive": "setosa", "negative": "setosa"}),
    ("y=[0, 1] needs x", {"y": [0, 1]}),
    ("must be passed together", {"mean": (4, 8)}),
    ("positive='ill' needs x, or mean= and std=", {"positive": "ill"}),
    ("positive=1 is not text", {"mean": (4, 8), "std": (3, 2), "positive": 1}),
    ("feature=['a'] is not text", {"mean": (4, 8), "std": (3, 2), "feature": ["a"]}),
    ("std=-2 is not allowed", {"mean": (4, 8), "std": (3, -2)}),
    ("mean=nan", {"mean": (4, np.nan), "std": (3, 2)}),
    ("mean=None is not a number", {"mean": (None, 1), "std": (1, 1)}),
    ("mean=4 is not a pair", {"mean": 4, "std": (3, 2)}),
    ("prevalence=1.0 is outside the open interval (0, 1)", {"prevalence": 1}),
    ("cost_fp=0 is not allowed", {"cost_fp": 0}),
    ("threshold=array([1, 2]) has shape (2,); pass one number", {"threshold": np.array([1, 2])}),
    ("has shape (1,); pass one number", {"prevalence": np.array([0.1])}),
    ("cost_fp=[1, 2] is not a number", {"cost_fp": [1, 2]}),
    ("is not a list of names", {"datasets": np.array("iris")}),
    ("title={1: 2} is not text; pass a str or None", {"title": {1: 2}}),
    ("unit=b'x' is not text", FOUR | {"unit": b"x"}),
    ("401 features; a page can have at most 400; select columns with feature=", FOUR | {"x": np.zeros((4, 401))}),
    (
        "134 features and 3 pairs of labels, which give 402 combinations; a page can have at most 400; select columns",
        {"x": np.zeros((6, 134)), "y": [0, 1, 2] * 2},
    ),
    ("threshold=inf", {"threshold": np.inf}),
    ("datasets='iris' is not a list", {"datasets": "iris"}),
    ("datasets='titanic' is not allowed", {"datasets": ["titanic"]}),
    ("lang='xx' is not allowed", {"lang": "xx"}),
    ("lesson='no' is not allowed", {"lesson": "no"}),
    ("url='file:///a/b.html' is not an address such as", {"url": "file:///a/b.html"}),
    ("url='https://a.org/#b' is not an address", {"url": "https://a.org/#b"}),
    ("url='https://' is not an address", {"url": "https://"}),
    ("url='https://[a/' is not an address", {"url": "https://[a/"}),
]


@for_each(WRONG_PAGES)
def test_invalid_pages_are_refused(words, options):
    refuses(re.escape(words), TeachingPage, **LEAST | options)


@for_each(HOSTILE)
def test_hostile_names_are_text(name):
    """Feature, label, unit and title: the same elements as with plain names, and the name comes back from the JSON."""
    y = np.array([name, "plain"] * 4, dtype=object)

    def page(feature, label, title):
        labels, x = np.where(y == name, label, y), {feature: np.arange(8.0)}
        return TeachingPage(x, labels, positive=label, unit=feature, title=title, **LEAST).to_html()

    text = page(name, name, name)
    assert [tag for tag, _ in Elements(text).all] == [tag for tag, _ in Elements(page("a", "b", "c")).all]
    plain, document = name.encode("utf-8", "replace").decode(), embedded(text)
    assert document["title"] == document["datasets"][0]["features"][0]["name"] == plain
    assert document["datasets"][0]["pairs"][0]["positive"] == plain
    assert text.encode("utf-8")


# ---- an answer
def test_a_payload_equals_the_librarys_results():
    """Rates, areas, optima and crossings of the founding paper's example at 30% prevalence and a cost of 1/2."""
    answer = PageModel().evaluate({"threshold": "6", "prevalence": "0.3", "cost": 0.5})
    roc = rp.PredictedRoc(rp.Gaussian(4, 3), rp.Gaussian(8, 2))
    rates = roc.rates(6.0, prevalence=0.3)
    for name in ("tpr", "fpr", "tnr", "fnr", "ameans", "youden", "precision", "npv", "accuracy", "mcc"):
        assert answer["rates"][name] == getattr(rates, name)
    assert answer["rates"]["cost"] == pytest.approx(0.3 * rates.fnr + 0.7 * 0.5 * rates.fpr, rel=1e-15)
    cheap = roc.best_threshold("cost", prevalence=0.3, cost_fp=0.5)
    right = roc.best_threshold("accuracy", prevalence=0.3)
    assert answer["best"]["threshold"] == roc.best_threshold().threshold
    assert (answer["costbest"]["threshold"], answer["accuracybest"]["threshold"]) == (cheap.threshold, right.threshold)
    assert answer["costbest"]["cost"] == pytest.approx(cheap.criterion_value, rel=1e-14)
    assert answer["accuracybest"]["accuracy"] == pytest.approx(right.criterion_value, rel=1e-14)
    assert answer["costbest"]["slope"] == pytest.approx(7 / 6)
    assert answer["crossings"] == roc.crossings().tolist()
    assert answer["weightedcrossings"] == roc.crossings(prevalence=0.3).tolist()
    assert answer["auc"] == roc.auc()
    assert answer["dprime"] == pytest.approx(4 / np.sqrt(6.5))
    assert answer["dips"] == [roc.hook().fpr_high, roc.hook().fpr_high]
    t = np.array(answer["curve"]["threshold"])
    assert len(t) == 263
    assert (np.diff(t) >= 0).all()
    assert answer["curve"]["tpr"] == roc.tpr(t).tolist()
    assert answer["curve"]["negative"] == roc.negative.pdf(t).tolist()
    assert (answer["empirical"], answer["locked"]) == (None, None)


@pytest.mark.parametrize("family", [family for family in PAGE_FAMILIES if family != "beta"])
def test_the_payload_of_a_family_has_its_prediction_and_the_empirical_results(family):
    """Iris petal length by every family that is offered: the prediction's numbers, and those that are counted."""
    classes = {"positive": "virginica", "negative": "versicolor"}
    x, t = IRIS.column("petal_length"), 4.9
    empirical = rp.empirical_roc(x, IRIS.y, **classes)
    roc = rp.predict_roc(x, IRIS.y, family=family, **classes)
    state = {"data": "iris", "feature": 2, "pair": 2, "family": family, "threshold": t, "prevalence": 0.3}
    if family == "gaussian":
        pair = {"0": roc.negative, "1": roc.positive}
        state |= {f"{name}{k}": getattr(one, name) for k, one in pair.items() for name in ("mean", "std")}
    answer = PageModel([builtin_dataset("iris")]).evaluate(state)
    assert answer["auc"] == pytest.approx(roc.auc(), rel=1e-12)
    assert answer["rates"]["tpr"] == pytest.approx(roc.tpr(t), rel=1e-12)
    assert answer["best"]["threshold"] == pytest.approx(roc.best_threshold().threshold, rel=1e-9)
    assert (answer["locked"] is None) == (family == "gaussian")
    assert answer["empirical"]["tpr"] == empirical.tpr(t)
    assert answer["empirical"]["auc"] == empirical.auc()
    assert answer["empirical"]["points"]["fpr"] == empirical.curve().fpr.tolist()
    exact = 1e-4 if family in _TABULATED else 1e-12  # TPR values are interpolated in a table
    assert answer["empirical"]["gap"]["value"] == pytest.approx(max_tpr_gap(roc, empirical)[0], abs=exact)
    json.dumps(answer, allow_nan=False)


@pytest.mark.parametrize(("key", "feature", "turned"), [("iris", 1, False), ("iris", 2, True), ("pima", 1, False)])
def test_a_table_finds_what_a_search_finds(key, feature, turned):
    """Kernel densities: best thresholds and their rates to 1e-9, from even odds to rare and dear; the hook to 1e-4."""
    pair = builtin_dataset(key).samples(0, feature)
    direction = feature_rocs(*pair).predicted.direction
    if turned:
        direction = "lower" if direction == "higher" else "higher"
    roc = rp.PredictedRoc(*get_fitter("kde")(*pair), direction=direction)
    table = TabulatedRoc(roc.negative, roc.positive, direction=direction)
    ends = table.curve().thresholds[[1, -2]]
    for prevalence, cost in ((0.5, 1.0), (0.02, 0.5), (0.9, 3.0)):
        asked = {"prevalence": prevalence, "cost_fp": cost}
        found, searched = table.best_threshold("cost", **asked), roc.best_threshold("cost", **asked)
        assert found.threshold == pytest.approx(searched.threshold, rel=1e-9)
        assert (found.tpr, found.fpr) == pytest.approx((searched.tpr, searched.fpr), abs=1e-9)
        inside = [t for t in searched.crossings if ends.min() <= t <= ends.max()]
        assert found.crossings == pytest.approx(inside, rel=1e-9)
    assert tuple(table.hook()) == pytest.approx(tuple(roc.hook()), abs=1e-4)


def test_a_move_of_a_slow_family_reads_its_table(monkeypatch):
    """A kernel density of 569 rows: after the first answer, a move computes it at fewer than 100 points at a time."""
    sizes = []
    for name in ("tail", "logpdf"):
        original = getattr(NormalSum, name)

        def counting(self, x, original=original, **options):
            sizes.append(np.size(x))
            return original(self, x, **options)

        monkeypatch.setattr(NormalSum, name, counting)
    model, state = PageModel([builtin_dataset("breast_cancer")]), {"data": "breast_cancer", "feature": 3}
    model.evaluate(state | {"family": "kde"})
    assert max(sizes) > 1000
    sizes.clear()
    for k in range(5):
        model.evaluate(state | {"family": "kde", "prevalence": 0.1 + k / 10, "cost": 2 + k})
    assert 0 < max(sizes) < 100


def test_a_payload_for_many_requests_is_computed_once(monkeypatch):
    """Eight threads ask for one fit, which is made once; what raises is asked again; the oldest is forgotten."""
    made = []

    def get_fitter(family):
        def fit(negative, positive):
            made.append(family)
            if family == "histogram":
                raise RocPredictError("no")
            return rp.Gaussian.fit(negative), rp.Gaussian.fit(positive)

        return fit

    monkeypatch.setattr("rocpredict.teaching.model.get_fitter", get_fitter)
    monkeypatch.setattr("rocpredict.teaching.model._CACHE_SIZE", 2)
    answering, given = PageModel([builtin_dataset("iris")]), []

    def ask_for(family):
        given.append(answering.evaluate({"data": "iris", "family": family}))

    threads = [threading.Thread(target=ask_for, args=["logistic"]) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == ["logistic"]
    assert len(given) == 8
    assert all(one == given[0] for one in given)
    for _ in range(2):
        refuses("no", ask_for, "histogram")
    assert made.count("histogram") == 2
    for family in ("laplace", "auto", "logistic"):
        ask_for(family)
    assert made.count("logistic") == 2


def test_a_payload_of_changed_classes_has_no_gap():
    """The gap belongs to the fit: changed parameters or a changed direction have none; the empirical AUC turns."""
    answering = PageModel([builtin_dataset("iris")])
    fit = {"data": "iris", "feature": 2, "pair": 2}
    moved, turned = answering.evaluate(fit), answering.evaluate(fit | {"direction": "lower"})
    assert (moved["empirical"]["gap"], turned["empirical"]["gap"], turned["empirical"]["best"]) == (None, None, None)
    assert turned["empirical"]["auc"] == pytest.approx(1 - moved["empirical"]["auc"], abs=1e-15)


def test_degenerate_states_have_results():
    """Identical classes, thresholds at no one: NaN is null, an infinite optimum a word, and it is all JSON."""
    answer = PageModel().evaluate({"mean1": 4, "std1": 3, "threshold": 1e6})
    assert (answer["auc"], answer["best"]["threshold"], answer["crossings"], answer["dips"]) == (0.5, "inf", [], None)
    assert (answer["rates"]["precision"], answer["rates"]["mcc"]) == (None, None)
    json.dumps(answer, allow_nan=False)


WRONG_STATES = [
    ("mean0=nan contains NaN", {"mean0": "NaN"}),
    ("mean0=inf contains infinite", {"mean0": "inf"}),
    ("mean0='1e300' is too large", {"mean0": "1e300"}),
    ("std1='-2' is not allowed; pass a number from 1e-", {"std1": "-2"}),
    ("std0='0' is not allowed", {"std0": "0"}),
    ("cost='0' is not allowed", {"cost": "0"}),
    ("prevalence=1.0 is outside the open interval (0, 1)", {"prevalence": "1"}),
    ("threshold='' is not a number", {"threshold": ""}),
    ("threshold=None is not a number", {"threshold": None}),
    ("threshold=True is not a number", {"threshold": True}),
    ("threshold=", {"threshold": 10**400}),
    ("feature=9 is not on the page; pass an index from 0 to 3", {"data": "iris", "feature": "9"}),
    ("feature='1.5' is not a nonnegative integer", {"data": "iris", "feature": "1.5"}),
    ("feature='-1' is not a nonnegative integer", {"data": "iris", "feature": "-1"}),
    ("pair=3 is not on the page; pass an index from 0 to 2", {"data": "iris", "pair": "3"}),
    ("data='own' is not allowed; choose one of 'iris'", {"data": "own"}),
    ("data=5 is not text", {"data": 5}),
    ("family='empirical' is not allowed; choose one of 'gaussian'", {"family": "empirical"}),
    ("direction='auto' is not allowed", {"direction": "auto"}),
    ("state=None is not a mapping", None),
    ("is not a mapping", [("threshold", 1)]),
    ("is not a mapping", "threshold=1"),
]


def test_an_invalid_state_is_refused_by_name():
    model = PageModel([builtin_dataset("iris")])

    def check(case):
        refuses(re.escape(case[0]), model.evaluate, case[1])

    check_each({f"{place}: {case[0]}": case for place, case in enumerate(WRONG_STATES)}, check)


def test_a_feature_that_cannot_be_shown_is_refused():
    page = TeachingPage({"flat": [1, 1, 1, 1], "good": [1, 2, 3, 4.5]}, [0, 0, 1, 1], **LEAST)
    with pytest.raises(RocPredictError, match="All values of flat are equal in one of the classes"):
        page.model().evaluate({"data": "own", "feature": 0})


# ---- file, frame, notebook
def test_saved_files_and_places_that_cannot_be_written(tmp_path, page):
    path = page.save(tmp_path / "teach.html")
    assert path.read_text("utf-8") == page.to_html()
    refuses("cannot be written", page.save, tmp_path / "none" / "teach.html")
    refuses(r"teach.pdf: pass a name that ends in .html or .htm", page.save, tmp_path / "teach.pdf")
    (tmp_path / "file").touch()
    for place in (tmp_path, tmp_path / "file" / "teach.html", "", "/dev/full", "/proc/teach.html", "a\0b"):
        refuses("cannot be written", page.save, place)
    for place in (None, 5):
        refuses(f"path={place} is not a file name", page.save, place)


def test_a_frame_for_slides_and_notebooks(page):
    """One iframe that holds the whole page and may not reach out of it; in a notebook with a visible line."""
    ((tag, attrs),) = Elements(page.to_iframe(height=600)).all
    assert tag == "iframe"
    assert attrs["srcdoc"] == page.to_html()
    assert attrs["title"]
    assert attrs["sandbox"] == "allow-scripts allow-downloads allow-popups allow-modals"
    assert attrs["style"] == "width:100%;height:600px;border:0"
    shown = page._repr_html_()
    assert shown.startswith(page.to_iframe())
    assert [tag for tag, _ in Elements(page.to_iframe()).all] == ["iframe", "script"]
    line = html.unescape(re.search(r"</script>\n<p>(.*)</p>$", shown)[1])
    assert "trust this notebook" in line
    assert "save" in line
    assert 'style="width:20rem;height:50.5vh;' in page.to_iframe("20rem", "50.5vh")
    assert "height:1234567px;" in page.to_iframe(height=np.int64(1234567))
    for wrong in ("1px;color:red", "", True, -3, np.nan, np.inf, 10**400, "\u0663px", "3px\n", [1], b"9px"):
        refuses("is not a length", page.to_iframe, height=wrong)


def test_the_repr_lists_the_contents_of_the_page():
    assert repr(TeachingPage()) == "TeachingPage(two Gaussians, datasets=['iris', 'pima', 'breast_cancer'], lang='en')"
    own = TeachingPage(IRIS.X, IRIS.y, datasets=("iris",))
    assert repr(own) == "TeachingPage(4 features of 3 classes, datasets=['iris'], lang='en')"
    assert TeachingPage("pima").start == {"data": "pima", "pair": 0, "feature": 0}


# ---- a folder for the web
def test_a_site_has_its_page_its_picture_and_its_worksheet(tmp_path):
    """The tags of social cards with an address, none without; anchors of the lesson's steps; other files stay."""
    folder = tmp_path / "a" / "site"
    page = TeachingPage(url="https://example.org/roc", title='A "marker" & more', **LEAST)
    assert page.save_site(folder) == folder
    (folder / "notes.txt").write_text("mine")
    page.save_site(str(folder))
    assert sorted(path.name for path in folder.iterdir()) == [
        "index.html",
        "notes.txt",
        "preview.png",
        "worksheet.html",
    ]
    assert (folder / "preview.png").read_bytes().startswith(b"\x89PNG")
    text = (folder / "index.html").read_text("utf-8")
    elements = Elements(text).all
    tags = {attrs["property"]: attrs["content"] for tag, attrs in elements if "property" in attrs}
    assert tags["og:url"] == "https://example.org/roc/"
    assert tags["og:image"] == "https://example.org/roc/preview.png"
    assert tags["og:title"] == 'A "marker" & more'
    assert embedded(text)["url"] == "https://example.org/roc/"
    links = [attrs["href"] for tag, attrs in elements if tag == "a"]
    steps = len(bundle.load_translations("en")["lesson"]["steps"])
    assert links == [*(f"#step={k + 1}" for k in range(steps)), "worksheet.html"]
    assert f"<cite>rocpredict</cite> {rp.__version__}, https://example.org/roc/." in text
    TeachingPage(lang="de", lesson=False, **LEAST).save_site(folder)
    german = Elements((folder / "index.html").read_text("utf-8")).all
    assert not [attrs for _, attrs in german if "property" in attrs or attrs.get("rel") == "canonical"]
    assert [attrs["href"] for tag, attrs in german if tag == "a"] == ["worksheet.html"]


def test_a_site_is_written_completely_or_not_at_all(tmp_path, monkeypatch):
    """A file in the place of the folder, a folder in the place of a file, a full disk: nothing new is left."""
    page = TeachingPage(**LEAST)
    (tmp_path / "file").touch()
    refuses("cannot be written", page.save_site, tmp_path / "file")
    (tmp_path / "taken" / "index.html").mkdir(parents=True)
    refuses("cannot be written: Is a directory", page.save_site, tmp_path / "taken")
    with pytest.raises(RocPredictError, match="glossary='javascript:1' is neither an address nor a path"):
        page.save_site(tmp_path / "new", glossary="javascript:1")
    assert [path.name for path in (tmp_path / "taken").iterdir()] == ["index.html"]

    def full(path, mode):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.chmod", full)
    refuses("No space left", page.save_site, tmp_path / "new")
    assert not (tmp_path / "new").exists()


# ---- served
@pytest.fixture(scope="module")
def server(page):
    with page.serve() as running:
        yield running


def ask(server, path, *, method="GET", headers=None, body=None):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    connection.request(method, path, body=body, headers=headers or {})
    reply = connection.getresponse()
    content = reply.read().decode()
    connection.close()
    return reply, content


def test_the_server_returns_the_page_and_the_librarys_results(page, server):
    """The page is live; an answer over HTTP is the answer; neither is kept or guessed at by the browser."""
    reply, text = ask(server, "/")
    assert reply.status == 200
    assert embedded(text)["live"] is True
    assert "connect-src 'self'" in Elements(text).all[4][1]["content"]
    assert bundle.script() in text
    reply, content = ask(server, "/model?data=iris&feature=2&pair=2&threshold=4.9")
    expected = page.model().evaluate({"data": "iris", "feature": 2, "pair": 2, "threshold": 4.9})
    assert json.loads(content) == expected
    assert reply.headers["Content-Type"] == "application/json"
    assert (reply.headers["Cache-Control"], reply.headers["X-Content-Type-Options"]) == ("no-store", "nosniff")
    assert "Python" not in reply.headers["Server"]


def test_one_connection_serves_many_requests(server):
    """HTTP/1.1: the connection stays, also after a wrong state."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    statuses = []
    for path in ("/model?threshold=5", "/model?threshold=x", "/nothing", "/model?threshold=6"):
        connection.request("GET", path)
        reply = connection.getresponse()
        reply.read()
        statuses.append(reply.status)
    connection.close()
    assert statuses == [200, 400, 404, 200]


def test_a_wrong_state_is_400_and_one_sentence(server):
    queries = {
        "std0=-1": "std0='-1' is not allowed",
        "mean0=NaN": "mean0=nan contains NaN",
        "data=iris&feature=77": "feature=77 is not on the page",
        "data=%3Cscript%3E": "data='<script>' is not allowed",
        "&".join(f"a{k}=1" for k in range(50)): "Max number of fields exceeded",
    }

    def check(query):
        reply, content = ask(server, f"/model?{query}")
        assert (reply.status, reply.headers["Content-Type"]) == (400, "text/plain; charset=utf-8")
        assert content.startswith(queries[query])
        assert "\n" not in content

    check_each({query: query for query in queries}, check)


def test_other_hosts_and_methods_are_refused(server):
    """A name that leads here from a foreign page (DNS rebinding) gets nothing; localhost does."""
    own = f":{server.port}"
    for host in ("example.org", f"example.org{own}", "127.0.0.1", "127.0.0.1:1", "", f"127.0.0.1.nip.io{own}"):
        assert ask(server, "/", headers={"Host": host})[0].status == 403, host
    assert ask(server, "/model", headers={"Host": f"localhost{own}"})[0].status == 200
    for method in ("POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE"):
        reply, content = ask(server, "/model", method=method)
        assert (reply.status, reply.headers["Allow"], reply.headers["Connection"]) == (405, "GET", "close"), method
        assert content == ("" if method == "HEAD" else "Only GET requests are supported.")


LENGTH, HOST = "Content-Length: 10485760\r\n", "HTTP/1.1\r\nHost: {host}\r\n"
HEADS = [
    (405, f"POST /model {HOST}{LENGTH}\r\n"),
    (413, f"POST /model {HOST}{LENGTH}Expect: 100-continue\r\n\r\n"),
    (413, f"GET /model {HOST}{LENGTH}\r\n"),
    (413, f"GET /model {HOST}Transfer-Encoding: chunked\r\n\r\n"),
    (414, f"GET /model?a={{long}} {HOST}\r\n"),
    (403, "GET /model HTTP/1.1\r\n\r\n"),
    (501, f"BREW /pot {HOST}\r\n"),
    (403, f"GET /model {HOST}Host: {{host}}\r\n\r\n"),
    (413, f"GET /model {HOST}Content-Length: 0\r\nContent-Length: 0\r\n\r\n"),
    (400, f"GET http://[::1 {HOST}\r\n"),
    (400, f"GET http://{{host}}/ {HOST}\r\n"),
    (505, "GET / HTTP/9.9\r\nHost: {host}\r\n\r\n"),
    (431, "GET / HTTP/1.1\r\n" + "{long}" * 14),
    (400, "nonsense {long} of mine\r\n\r\n"),
    (400, "nonsense\r\n\r\n"),
]


def test_bodies_and_nonsense_are_refused_unread(server):
    """The answer comes before a byte of a body was sent, in plain text, and the connection is closed."""

    def check(case):
        status, head = case
        with socket.create_connection(("127.0.0.1", server.port), timeout=10) as line:
            line.sendall(head.format(host=f"127.0.0.1:{server.port}", long="x" * 5000).encode())
            received = b""
            while part := line.recv(65536):
                received += part
        lines = received.decode().split("\r\n")
        assert lines[0].startswith(f"HTTP/1.1 {status} ")
        assert "Content-Type: text/plain; charset=utf-8" in lines
        assert "<" not in received.decode()
        assert len(lines[-1]) < 80
        assert "xxx" not in received.decode()

    check_each({f"{place}: {head[:40]}": (status, head) for place, (status, head) in enumerate(HEADS)}, check)


def test_a_port_in_use_is_named(server, page):
    refuses(rf"port {server.port} is in use; pass another port, or port=0", page.serve, server.port)
    for wrong, words in (
        (70000, "port=70000 is not allowed"),
        (True, "port=True is not allowed"),
        ("x", "port='x' is not an integer"),
    ):
        refuses(words, page.serve, wrong)
    refuses("open_browser='yes' is not allowed", page.serve, open_browser="yes")


def test_an_error_in_python_is_500_and_one_line(capsys):
    """A sentence to the browser, one line to the terminal, no traceback; the next answer comes all the same."""

    def answer(state):
        if state:
            raise ZeroDivisionError("a\nb")
        return {}

    with TeachingServer("", answer) as server:
        reply, content = ask(server, "/model?a=1")
        assert (reply.status, content) == (500, "Internal error in Python; see the terminal of the server.")
        assert ask(server, "/model")[1] == "{}"
    assert capsys.readouterr().err == "rocpredict: ZeroDivisionError: a b\n"


def test_silent_connections_are_closed(monkeypatch):
    """A new connection may be silent for a while only; one that has asked for something may for longer."""
    monkeypatch.setattr("rocpredict.teaching.server._Handler.timeout", 0.2)
    with TeachingServer("", dict) as server:
        place = ("127.0.0.1", server.port)
        with socket.create_connection(place, timeout=10) as silent, socket.create_connection(place, timeout=10) as one:
            asked = f"GET /model HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode()
            one.sendall(asked)
            assert one.recv(65536).startswith(b"HTTP/1.1 200")
            assert silent.recv(1) == b""
            time.sleep(0.3)
            one.sendall(asked)
            assert one.recv(65536).startswith(b"HTTP/1.1 200")


def test_a_closed_server_refuses_connections(monkeypatch):
    """Closing twice is fine, nobody listens afterwards, and a connection that a browser kept is ended."""
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    server = TeachingPage(**LEAST).serve(open_browser=True)
    assert opened == [server.url]
    assert repr(server) == f"TeachingServer({server.url!r}, serving)"
    with urllib.request.urlopen(server.url) as reply:
        assert reply.status == 200
    kept = socket.create_connection(("127.0.0.1", server.port), timeout=10)
    kept.sendall(f"GET /model HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode())
    assert kept.recv(12) == b"HTTP/1.1 200"
    server.close()
    server.close()
    while kept.recv(65536):
        pass
    kept.close()
    assert repr(server).endswith("closed)")
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", server.port), timeout=10)


def test_ctrl_c_ends_waiting(monkeypatch):
    server = TeachingPage(**LEAST).serve()

    def interrupted(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(server._thread, "join", interrupted)
        patched.setattr(server, "close", lambda: None)
        server.wait()
    server.close()
    assert repr(server).endswith("closed)")


def test_many_requests_at_once(server):
    """Eight threads with states of their own each get their own answer."""
    answers = {}

    def worker(k):
        answers[k] = [json.loads(ask(server, f"/model?threshold={k + n / 10}")[1])["threshold"] for n in range(5)]

    threads = [threading.Thread(target=worker, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == {k: [k + n / 10 for n in range(5)] for k in range(8)}


# ---- widget
@pytest.mark.extra("anywidget")
def test_the_widget_answers_by_messages():
    """A state comes in with an id, the answer goes out with it, or a sentence; show() moves the page."""
    page = TeachingPage(threshold=5.0, **LEAST)
    widget = page.widget()
    sent = []
    widget.send = sent.append
    assert widget.state == {"threshold": 5.0}
    assert widget.payload["live"] is True
    for message in ({"id": "a-1", "state": {"threshold": 6}}, {"id": "a-2", "state": {"std0": -1}}, "nonsense"):
        widget._handle_custom_msg(message, [])
    assert sent[0] == {"id": "a-1", "answer": page.model().evaluate({"threshold": 6})}
    assert sent[1]["id"] == "a-2"
    assert sent[1]["error"].startswith("std0=-1 is not allowed")
    widget.show(threshold=7.0)
    assert sent[-1] == {"set": {"threshold": 7.0}}
    assert "export default" in widget._esm
    data, _ = widget._repr_mimebundle_()
    assert base64.b64decode(data["image/png"]).startswith(b"\x89PNG")
    assert "application/vnd.jupyter.widget-view+json" in data
    widget.close()


def test_pictures_of_the_initial_state():
    """Of two Gaussians with names, of built-in data and of one's own: PNG files of 1200 x 630 pixels."""
    names = {"positive": "ill", "negative": "healthy", "feature": "glucose", "unit": "mmol/L", "prevalence": 0.1}
    for page in (
        TeachingPage(**LEAST),
        TeachingPage(mean=(5, 6), std=(1, 2), threshold=5.5, lang="de", **names, **LEAST),
        TeachingPage("iris", feature="petal_width", **LEAST),
        TeachingPage([[1, 5], [2, 4], [3, 7], [5, 4]], [0, 1, 0, 1], **LEAST),
    ):
        picture = page._picture()
        assert (picture[:4], struct.unpack(">II", picture[16:24])) == (b"\x89PNG", (1200, 630))


def test_without_anywidget_the_message_names_the_remedy(monkeypatch):
    monkeypatch.delitem(sys.modules, "rocpredict.teaching.widget", raising=False)
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(
        RocPredictError, match=re.escape('a widget needs anywidget: run pip install "rocpredict[notebook]"')
    ):
        TeachingPage(**LEAST).widget()
