"""Every result has a repr of one line and a page for a notebook, made in one place."""

import copy
import dataclasses
import inspect
import json
import pickle
import re
import subprocess
import sys
from html.parser import HTMLParser

import numpy as np
import pytest
from scipy import stats

import rocpredict as rp
from rocpredict.base import formatting
from rocpredict.base.formatting import format_number, to_json
from rocpredict.base.results import Result, batch_table
from rocpredict.base.tables import CurvePlot, Table
from rocpredict.distributions.families import ScipyDistribution
from rocpredict.distributions.normal_sum import NormalSumDistribution
from rocpredict.distributions.shrinkage import ShrinkageDistribution
from rocpredict.roc.base import Roc
from rocpredict.sources.table import as_feature_table
from rocpredict.teaching.model import TabulatedRoc

IRIS = rp.datasets.load_iris()
X = IRIS.column("petal_width")
CLASSES = {"positive": "virginica", "negative": "versicolor"}
EVIL = "<script>alert('x')</script>\"&\x00\u202e" + "\u05d0\U0001f600" + "long " * 60
Y = np.repeat([0, 1], 20)
RNG = np.random.default_rng(1)
Z = RNG.normal(size=40) + Y
EMPIRICAL = rp.EmpiricalRoc(Z[:20], Z[20:])
GAUSS = rp.PredictedRoc(rp.Gaussian(4, 3), rp.Gaussian(8, 2), count=(50, 40))
BATCH = rp.PredictedRoc(
    rp.Gaussian(np.zeros(12), 1.0), rp.Gaussian(np.linspace(-1, 3, 12), 2.0), direction="auto", count=(9, 9)
)
AUTO = rp.predict_roc(X, IRIS.y, family="auto", **CLASSES)


def _results():
    """Results of every kind, those of batches and of degenerate rows among them, by name."""
    diagnosis = rp.diagnose(X, IRIS.y, n_resamples=99, **CLASSES)
    many = np.column_stack([Z + RNG.normal(size=40) for _ in range(15)])
    multi = RNG.dirichlet(np.ones(3), size=30)
    table = rp.screen(IRIS.X, IRIS.y, **CLASSES)
    summary = rp.summarize(many, Y, moments=4)
    best = EMPIRICAL.best_threshold()
    predicted = rp.predict_roc(X, IRIS.y, **CLASSES)
    evil = np.where(Y, EVIL, "<b>")
    held = {
        "PredictedRoc": GAUSS,
        "PredictedRoc batch": BATCH,
        "PredictedRoc empty batch": rp.PredictedRoc(rp.Gaussian(np.zeros(0), 1.0), rp.Gaussian(np.zeros(0), 1.0)),
        "PredictedRoc auto": AUTO,
        "PredictedRoc lower": rp.PredictedRoc(rp.Gaussian(4, 3), rp.Gaussian(2, 2), direction="auto"),
        "PredictedRoc kde": rp.predict_roc(X, IRIS.y, family="kde", **CLASSES),
        "PredictedRoc scipy": rp.PredictedRoc(stats.gamma(2), stats.gamma(3)),
        "PredictedRoc no spread": rp.PredictedRoc(rp.Gaussian(1, 0), rp.Gaussian(1, 0)),
        "PredictedRoc far": rp.PredictedRoc(rp.Gaussian(0, 1e-300), rp.Gaussian(1e300, 1e300)),
        "EmpiricalRoc": EMPIRICAL,
        "EmpiricalRoc tied": rp.EmpiricalRoc([1, 1, 1], [1]),
        "EmpiricalRoc infinite": rp.EmpiricalRoc([-np.inf, 1, 2], [2, np.inf]),
        "BestThreshold": best,
        "BestThreshold cost": GAUSS.best_threshold("cost", cost_fp=3),
        "BestThreshold batch": BATCH.best_threshold(),
        "BestThreshold degenerate": rp.EmpiricalRoc([1, 1], [1]).best_threshold(),
        "Rates": GAUSS.rates(5.0),
        "Rates unweighted": rp.PredictedRoc(rp.Gaussian(4, 3), rp.Gaussian(8, 2)).rates(np.inf),
        "Rates batch": BATCH.rates(0.5),
        "Interval": GAUSS.auc_interval(),
        "Interval batch": BATCH.auc_interval(),
        "Comparison": rp.compare(predicted, rp.empirical_roc(X, IRIS.y, **CLASSES)),
        "AucTest": rp.auc_test(Z, RNG.normal(size=40), Y),
        "AucTest named": rp.auc_test_many({EVIL: Z, "b" * 200: -Z}, Y).contrasts[0],
        "AucTestMany": rp.auc_test_many(list(many.T[:7]), Y),
        "SampleSize": rp.sample_size(GAUSS, width=0.1),
        "MeanRoc": rp.mean_roc([(Z, Y), (many[:, 0], Y), (many[:, 1], Y)]),
        "GreyZone": GAUSS.grey_zone(),
        "GreyZone batch": BATCH.grey_zone(),
        "ModelFit": AUTO.model_fit(),
        "Diagnosis": diagnosis,
        "DiagnosticFinding": diagnosis.findings[0],
        "ClassDescription": diagnosis.negative,
        "ThresholdStability": best.stability(n_resamples=50),
        "ConfidenceBand": GAUSS.band(),
        "PrecisionRecallCurve": EMPIRICAL.precision_recall_curve(),
        "PrecisionRecallCurve predicted": GAUSS.precision_recall_curve(),
        "DecisionCurve": GAUSS.decision_curve(prevalence=0.2),
        "RocCurve": GAUSS.curve(),
        "RocCurve batch": BATCH.curve(9),
        "LikelihoodRatioGain": GAUSS.proper().gain(),
        "LikelihoodRatioGain batch": BATCH.proper().gain(),
        "LikelihoodRatioRoc": GAUSS.proper(),
        "LikelihoodRatioRoc batch": BATCH.proper(),
        "LikelihoodRatioRoc numeric": rp.PredictedRoc(stats.gamma(2), stats.gamma(3)).proper(),
        "TwoThresholdRule": GAUSS.proper().best_rule(),
        "TwoThresholdRule batch": BATCH.proper().best_rule(),
        "Hook": GAUSS.hook(),
        "Hook batch": BATCH.hook(),
        "ClassSummary": summary.negative,
        "TwoClassSummary": summary,
        "TwoClassSummary named": dataclasses.replace(
            summary, feature_names=tuple(f"{EVIL}{j}" for j in range(15)), positive_label=EVIL
        ),
        "Dataset": IRIS,
        "Dataset named": rp.datasets.Dataset(
            many, evil, tuple(EVIL + str(j) for j in range(15)), ("1",) * 15, EVIL, "", ""
        ),
        "AucByGroup": rp.auc_estimate(Z, Y, groups=np.tile(["a", EVIL], 20)),
        "AucEstimate": rp.auc_estimate(Z, Y),
        "MulticlassAuc": rp.multiclass_auc(multi, np.arange(30) % 3),
        "LinearCombination": rp.fit_linear_combination(IRIS.X, IRIS.y, **CLASSES),
        "McNemarTest": rp.mcnemar_test(Z > 0, Z > 1, Y),
        "ScreeningResult": table,
        "ScreeningResult named": rp.screen(many, evil, positive=EVIL, feature_names=[f"{EVIL}{j}" for j in range(15)]),
        "ScreeningResult empty": table.top(0),
        "Gaussian": rp.Gaussian(0, 1e-300),
        "Gaussian batch": rp.Gaussian(np.zeros((2, 3)), 1.0),
        "Ecdf": rp.Ecdf([1.0, np.inf]),
        "GaussianKde": rp.GaussianKde([1.0, 2.0, 4.0]),
        "GaussianMixture": rp.GaussianMixture([0.5, 0.5], [0, 1], [1, 2]),
        "Histogram": rp.Histogram.fit(Z),
        "Shrunk": AUTO.negative,
        "Transformed": AUTO.negative.model,
        "FromScipy": GAUSS_SCIPY,
        "Reflected": GAUSS_SCIPY.reflect(),
        "Flags": rp.Flags(identical=[True, False], no_benefit=[False, False]),
        "Flags none": rp.Flags(),
        "Features": as_feature_table([[1, 2], [3, 4]], names=[EVIL, "b"]),
    }
    held["Alternative"] = held["SampleSize"].other_methods[0]
    return held


GAUSS_SCIPY = rp.PredictedRoc(stats.gamma(2), stats.gamma(3)).negative
RESULTS = _results()
WORDS = {"ProperGain"}
NO_RESULTS = {"AssumptionWarning", "RocPredictError", "Distribution", "TeachingPage", "TeachingServer"}


class Page(HTMLParser):
    """Check that tags are balanced, and gather what is in them."""

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.attributes, self.cells, self.texts = [], [], [], [], []
        self.feed(page)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        self.open.append(tag)
        if tag in {"td", "th"}:
            self.cells.append("")

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)
        if {"td", "th"} & {*self.open}:
            self.cells[-1] += data

    def value(self, name):
        """The cell after the one with this name."""
        return self.cells[self.cells.index(name) + 1]


@pytest.mark.parametrize("name", RESULTS)
def test_a_repr_is_one_short_line(name):
    text = repr(RESULTS[name])
    assert "\n" not in text
    assert len(text) < 300
    assert " object at 0x" not in text


@pytest.mark.parametrize("name", RESULTS)
def test_a_page_is_sound(name):
    """Balanced tags; a caption; headers with a scope; nothing that runs, loads, or has an id; no colour of its own."""
    html = RESULTS[name]._repr_html_()
    page = Page(html)
    assert {*page.tags} <= {
        *("div", "table", "caption", "thead", "tbody", "tr", "th", "td", "bdi", "p"),
        *("svg", "rect", "polyline", "circle"),
    }
    assert page.tags.count("caption") == page.tags.count("table") == 1
    assert page.tags.count("th") == sum(key == "scope" for key, _ in page.attributes)
    keys = {key for key, _ in page.attributes}
    assert not {key for key in keys if key.startswith("on")} | keys & {"id", "class", "href", "src"}
    assert not re.search(
        r"#[0-9a-fA-F]{3,6}\b|white|black|rgb\(", "".join(value for _, value in page.attributes if value)
    )
    assert len(html) < 40_000
    assert "\x00" not in html
    html.encode()
    if "svg" in page.tags:
        assert dict(page.attributes)["role"] == "img"
        assert dict(page.attributes)["aria-label"]
        assert "nan" not in re.search(r"<svg.*</svg>", html)[0].split('fill="none"')[1]


@pytest.mark.parametrize("name", RESULTS)
def test_every_text_is_isolated(name):
    """Each name stands in an element of its own direction, and no tag of a name is one."""
    html = RESULTS[name]._repr_html_()
    assert not re.search(r"<(script|b)\b", html)
    bare = re.sub(r"<bdi>[^<]*</bdi>", "", re.sub(r"<td>[^<]*</td>", "", html))
    assert not re.sub(r"<[^>]*>", "", bare).strip()


def _numbers(name):
    """The numbers that the page of a result shall show, by the name of their row."""
    held = RESULTS[name]
    return {
        "PredictedRoc": lambda: {"AUC": held.auc(), "best threshold (Ameans)": held.best_threshold().threshold},
        "PredictedRoc auto": lambda: {"AUC": held.auc()},
        "EmpiricalRoc": lambda: {"AUC": held.auc(), "Ameans there": held.best_threshold().ameans},
        "EmpiricalRoc infinite": lambda: {"AUC": held.auc()},
        "PredictedRoc batch": lambda: {"0": held.auc()[0], "9": held.auc()[9]},
        "BestThreshold": lambda: {
            "threshold": held.threshold,
            "ameans on other rows (out of bag)": held.ameans_corrected,
            "fnr": held.fnr,
        },
        "BestThreshold batch": lambda: {"3": held.threshold[3]},
        "Rates": held.to_dict,
        "Rates unweighted": held.to_dict,
        "Interval": lambda: {"low": held.low, "high": held.high, "estimate": held.estimate},
        "Interval batch": lambda: {"2": held.estimate[2]},
        "Comparison": lambda: {"AUC": held.predicted_auc, "best threshold": held.predicted_threshold},
        "AucTest": lambda: {"estimate 1": held.estimates[0], "difference": held.difference},
        "AucTestMany": lambda: {held.contrasts[0].null: held.contrasts[0].difference},
        "SampleSize": lambda: {held.method: held.n_negative},
        "MeanRoc": lambda: {"mean": held.auc, "fold 2": held.aucs[1]},
        "GreyZone": lambda: {"low": held.low, "undecided positive": held.undecided_positive},
        "ModelFit": lambda: {"share of the model": held.model_weight, "distance of the curves": held.area_between},
        "Diagnosis": lambda: {item.name: item.value for item in held.findings},
        "ClassDescription": lambda: {"mean": held.mean, "mode count": held.mode_count},
        "ThresholdStability": lambda: {"threshold, 5% below": held.quantiles[0.05]},
        "LikelihoodRatioGain": lambda: {"auc gain": held.auc_gain},
        "LikelihoodRatioRoc": lambda: {"AUC": held.auc()},
        "TwoThresholdRule": lambda: {"low": held.low, "ameans": held.ameans},
        "ClassSummary": lambda: {"0": held.count[0]},
        "Dataset": lambda: {"cm": 150},
        "AucEstimate": lambda: {"AUC": held.auc, "standard error": held.std_error},
        "AucByGroup": lambda: {"within groups (stratified)": held.stratified.auc},
        "LinearCombination": lambda: dict(zip(held.feature_names, held.coefficients, strict=True)),
        "McNemarTest": lambda: {"error rate 1": held.error_rate1.estimate, "difference": held.difference},
        "MulticlassAuc": lambda: {f"average ({held.average})": held.auc},
    }[name]()


@pytest.mark.parametrize(
    "name", re.findall(r'^ {8}"([^"]+)": (?:lambda|held\.to_dict)', inspect.getsource(_numbers), re.MULTILINE)
)
def test_numbers_are_those_of_the_result(name):
    page = Page(RESULTS[name]._repr_html_())
    for row, value in _numbers(name).items():
        shown = f"{value:.3g}" if name == "Diagnosis" else format_number(value)
        assert page.value(row.replace("_", " ") if name in WORDS else row) == shown, row


def test_digits():
    """Six significant digits, whole numbers in full, what is undefined by name."""
    shown = [
        format_number(value) for value in (0.123456789, 12.0, np.int64(1234567), np.nan, -np.inf, True, 1e-300, 1e300)
    ]
    assert shown == ["0.123457", "12", "1234567", "undefined", "-inf", "yes", "1e-300", "1e+300"]


def test_tests_name_their_hypothesis_and_method():
    for name in ("AucTest", "AucTestMany", "AucByGroup", "McNemarTest"):
        held = RESULTS[name]
        page = " ".join(Page(held._repr_html_()).texts)
        assert held.null in page
        assert held.method in page


def test_flags_are_said_in_words():
    """The meaning of each flag stands below, with the number of features of a batch."""
    page = Page(RESULTS["PredictedRoc no spread"]._repr_html_())
    flags = RESULTS["PredictedRoc no spread"].best_threshold().flags
    assert {*flags} >= {"identical"}
    for sentence in flags.messages():
        assert sentence in page.texts
    assert rp.Flags(identical=[True, False]).messages()[0].startswith("identical (1 of 2 features): both classes")


def test_a_batch_says_its_shape_and_shows_the_first():
    page = Page(BATCH._repr_html_())
    assert page.tags.count("tr") == 11
    assert "The first 10 of 12 features." in page.texts
    assert any("(12,)" in text for text in page.texts)
    places = [row[0] for row in batch_table("", (2, 2), {"a": np.arange(4.0).reshape(2, 2)}).rows]
    assert places == ["0, 0", "0, 1", "1, 0", "1, 1"]


def test_the_curve_of_a_picture_is_the_curve_of_the_result():
    """Each point of the small picture lies on the ROC curve, to half a pixel; it goes from corner to corner."""
    for name in ("PredictedRoc", "EmpiricalRoc", "PredictedRoc auto", "PredictedRoc lower"):
        roc = RESULTS[name]
        lines = re.findall(r'<polyline points="([^"]+)" stroke-width', roc._repr_html_())
        (points,) = [np.array([[float(v) for v in p.split(",")] for p in line.split()]) for line in lines]
        fpr, tpr = (points[:, 0] - 10) / 200, (210 - points[:, 1]) / 200
        assert (fpr[0], tpr[0], fpr[-1], tpr[-1]) == (0, 0, 1, 1)
        curve = roc.curve(4001)
        apart = np.hypot(fpr[:, None] - curve.fpr, tpr[:, None] - curve.tpr).min(axis=1)
        assert apart.max() < 0.01
        assert len(points) > 5


def test_hostile_texts():
    """Escaped, on one line, cut where too long, isolated; what cannot be seen is shown."""
    html = formatting.escape_html("<i>\u05d0\x07\ud800\n" + "x" * 1000)
    assert html.startswith("<bdi>&lt;i&gt;\u05d0\\x07\\ud800 xxx")
    assert html.endswith("...</bdi>")
    assert len(html) < 600
    html.encode()
    plot = CurvePlot('">\x00<script>', [([0, 1], [0, np.nan])], (np.nan, 0))
    label = Table("t", ["a"], [], plot=plot).to_html()
    assert Page(label).tags.count("circle") == 0
    assert "<script" not in label


def _subclasses(kind):
    return {kind}.union(*map(_subclasses, kind.__subclasses__()))


KINDS = {kind for kind in _subclasses(Result) if kind.__module__.startswith("rocpredict.")}


BASES = {Result, Roc, rp.Distribution, NormalSumDistribution, TabulatedRoc}
"""Base classes, and a predicted curve that only the teaching page has."""


def test_every_result_is_in_the_battery():
    """A class that is exported and no error is a result; and every result, public or not, is shown here."""
    public = {getattr(rp, name) for name in rp.__all__ if inspect.isclass(getattr(rp, name))}
    assert {kind for kind in public if kind.__name__ not in NO_RESULTS} <= KINDS
    assert {type(held) for held in RESULTS.values()} == KINDS - BASES
    for kind in KINDS - {Result}:
        assert not dataclasses.is_dataclass(kind) or not kind.__dataclass_params__.repr, kind
        assert kind.__hash__ is not None, kind


NO_COPIES = {"Features"}
"""It holds the data as they came in, which are equal to nothing else."""


@pytest.mark.parametrize("name", sorted(RESULTS.keys() - NO_COPIES))
def test_a_copy_is_equal(name):
    """Also after use: what was computed is not copied, and an equal result has the same hash, repr and page."""
    held = RESULTS[name]
    page = held._repr_html_()
    for other in (copy.copy(held), copy.deepcopy(held), pickle.loads(pickle.dumps(held))):
        assert other == held
        assert hash(other) == hash(held)
        assert (repr(other), other._repr_html_()) == (repr(held), page)
    assert held != object()
    state = held.__getstate__()
    assert not isinstance(state, dict) or {*state} <= {item.name for item in dataclasses.fields(held)}


def test_unequal_results():
    """Each pair differs in one value; NaN equals NaN, and arrays are compared by value."""
    assert rp.Gaussian(0, 1) == rp.Gaussian(-0.0, 1.0)
    assert hash(rp.Gaussian(0, 1)) == hash(rp.Gaussian(-0.0, 1.0))
    assert rp.Gaussian([0, 1], 1) == rp.Gaussian([-0.0, 1], 1)
    assert hash(rp.Gaussian([0, 1], 1)) == hash(rp.Gaussian([-0.0, 1], 1))
    assert rp.Gaussian(0, 1) != rp.Gaussian(0, 2)
    assert rp.Gaussian(0, 1) != rp.Gaussian([0.0], 1)
    assert GAUSS.auc_interval() != GAUSS.auc_interval(0.9)
    assert rp.Ecdf([1, 2, 2]) == rp.Ecdf([1, 2], weights=[1, 2])
    assert rp.Flags(identical=[True, False]) != rp.Flags(identical=[False, True])
    assert len({*RESULTS.values()}) == len(RESULTS)
    tables = (stats.rv_histogram(([1, n], [0, 1, 2]))() for n in (1, 2))
    assert len({ScipyDistribution(table) for table in tables}) == 2
    assert ScipyDistribution(stats.gamma(2)) == ScipyDistribution(stats.gamma(2)) != ScipyDistribution(stats.gamma(3))


@pytest.mark.parametrize("name", RESULTS)
def test_a_dictionary_is_plain(name):
    """Names and what JSON can hold, once NaN and infinities are written as the project does."""
    held = RESULTS[name].to_dict()
    assert isinstance(held, dict)
    assert held or not RESULTS[name]
    json.loads(to_json(held))


@pytest.mark.parametrize("name", RESULTS)
def test_a_table_in_every_form(name):
    """Text, Markdown, CSV and a dictionary have the rows of the page, or more."""
    table = RESULTS[name].table()
    assert isinstance(table, Table)
    assert all(len(row) == len(table.columns) for row in table.rows)
    assert len({*table.columns}) == len(table.columns)
    assert len(table.to_dict()["rows"]) == len(table.rows)
    assert len(table.to_csv().splitlines()) == len(table.rows) + 1
    assert len(table.to_markdown().splitlines()) >= len(table.rows) + 4
    assert len(table.to_text().splitlines()) >= len(table.rows) + 3


@pytest.mark.parametrize("name", RESULTS)
def test_a_frame_of_every_result(name):
    """The same columns and rows by either library."""
    held = RESULTS[name]
    pandas, polars = held.to_pandas(), held.to_polars()
    assert list(pandas.columns) == polars.columns
    assert pandas.shape == polars.shape == held.to_frame().shape
    with pytest.raises(rp.RocPredictError, match="backend='dask'"):
        held.to_frame("dask")


def test_another_process_reads_a_pickle(tmp_path):
    """A fresh interpreter, as joblib and spawn start them, shows what this one does."""
    path = tmp_path / "held"
    held = [result for name, result in RESULTS.items() if name not in NO_COPIES]
    path.write_bytes(pickle.dumps(held))
    code = "import pickle, sys; print(*map(ascii, pickle.load(open(sys.argv[1], 'rb'))), sep='\\n')"
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [ascii(result) for result in held]


def test_many_rows_are_not_waited_for():
    """With 100,000 rows no repr does what takes a while: it asks for no area by quadrature and for no resampling.

    What is left out is named; nothing is timed.
    """
    rows = np.random.default_rng(0).normal(size=100_000)
    y = np.arange(100_000) % 2
    sample = rp.empirical_roc(rows + y, y)
    shrunk = ShrinkageDistribution(rp.Gaussian(0, 1), rp.Ecdf(rows), 0.5)
    roc = rp.PredictedRoc(shrunk, shrunk)
    best = sample.best_threshold()
    batch = rp.PredictedRoc(rp.Gaussian(rows, 1.0), rp.Gaussian(rows + 1, 1.0))
    kde = rp.PredictedRoc(rp.GaussianKde(rows), rp.GaussianKde(rows + 1))
    for held in (
        sample,
        roc,
        best,
        batch,
        kde,
        sample.proper(),
        roc.negative,
        batch.rates(0.0),
        batch.best_threshold(),
    ):
        repr(held)
        held._repr_html_()
    assert "auc=" not in repr(roc) + repr(kde)
    assert "ask auc()" in roc._repr_html_()
    assert "out of bag" not in repr(best) + best._repr_html_()


def test_the_repr_of_a_shrunk_roc_hides_how_it_is_made():
    assert repr(AUTO).startswith("PredictedRoc(shrunk to Gaussian after box-cox, model_weight=0.8356, n_negative=50, ")


def test_pages_load_nothing():
    """``import rocpredict`` and a page of a result load no matplotlib, pandas or Jinja2."""
    code = (
        "import sys, rocpredict as rp; rp.PredictedRoc(rp.Gaussian(0, 1), rp.Gaussian(1, 1))._repr_html_(); "
        "print([n for n in ('matplotlib', 'pandas', 'jinja2', 'scipy.stats') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
