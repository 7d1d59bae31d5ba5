"""Every result has a repr of one line and an HTML view for notebooks."""

import contextlib
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
from rocpredict.distributions.families import ScipyDistribution, ScipyFamilyBatch
from rocpredict.distributions.normal_sum import NormalSumBatch, NormalSumDistribution
from rocpredict.roc.base import Roc
from rocpredict.sources.table import as_feature_table
from rocpredict.teaching.model import TabulatedRoc
from tests.cases import CORE, check_each, for_each, refuses

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
    results = {
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
        "PooledAuc": rp.pool([summary, rp.summarize(many[::-1] + 1, Y, moments=4)]),
        "FeatureHistograms": rp.summarize(many, Y, positive=1, negative=0, histogram_edges=5).histograms,
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
        "NormalSumBatch": NormalSumBatch.fit(many.T),
        "ScipyFamilyBatch": ScipyFamilyBatch("gamma", np.array([[2.0, 0.0, 1.5], [3.0, 0.0, 0.5]])),
        "GaussianMixture": rp.GaussianMixture([0.5, 0.5], [0, 1], [1, 2]),
        "Histogram": rp.Histogram.fit(Z),
        "Shrunk": AUTO.negative,
        "Transformed": rp.predict_roc(X, IRIS.y, **CLASSES, family="boxcox").negative,
        "FromScipy": GAUSS_SCIPY,
        "Reflected": GAUSS_SCIPY.reflect(),
        "Flags": rp.Flags(identical=[True, False], no_benefit=[False, False]),
        "Flags none": rp.Flags(),
        "Features": as_feature_table([[1, 2], [3, 4]], names=[EVIL, "b"]),
    }
    results["Alternative"] = results["SampleSize"].other_methods[0]
    return results


GAUSS_SCIPY = rp.PredictedRoc(stats.gamma(2), stats.gamma(3)).negative
RESULTS = _results()
OF_A_ROW = {"Comparison", "ScreeningResult", "ScreeningResult named"}
"""Their reprs also name columns of the first row, or a point of the curve."""
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


def test_a_repr_is_one_short_line():
    def check(result):
        text = repr(result)
        assert "\n" not in text
        assert len(text) < 300
        assert " object at 0x" not in text

    check_each(RESULTS, check)


TAGS = {"div", "table", "caption", "thead", "tbody", "tr", "th", "td", "bdi", "p", "svg", "rect", "polyline", "circle"}


def test_a_page_is_sound():
    """Balanced tags; a caption; headers with a scope; nothing that runs, loads, or has an id; no color of its own.

    Each name stands in an element of its own direction, and no tag of a name is one.
    """

    def check(result):
        html = result._repr_html_()
        page = Page(html)
        assert {*page.tags} <= TAGS
        assert page.tags.count("caption") == page.tags.count("table") == 1
        assert page.tags.count("th") == sum(key == "scope" for key, _ in page.attributes)
        keys = {key for key, _ in page.attributes}
        assert not {key for key in keys if key.startswith("on")} | keys & {"id", "class", "href", "src"}
        values = "".join(value for _, value in page.attributes if value)
        assert not re.search(r"#[0-9a-fA-F]{3,6}\b|white|black|rgb\(", values)
        assert len(html) < 40_000
        assert "\x00" not in html
        html.encode()
        if "svg" in page.tags:
            assert dict(page.attributes)["role"] == "img"
            assert dict(page.attributes)["aria-label"]
            assert "nan" not in re.search(r"<svg.*</svg>", html)[0].split('fill="none"')[1]
        assert not re.search(r"<(script|b)\b", html)
        bare = re.sub(r"<bdi>[^<]*</bdi>", "", re.sub(r"<td>[^<]*</td>", "", html))
        assert not re.sub(r"<[^>]*>", "", bare).strip()

    check_each(RESULTS, check)


NUMBERS = {
    "PredictedRoc": lambda roc: {"AUC": roc.auc(), "best threshold (Ameans)": roc.best_threshold().threshold},
    "PredictedRoc auto": lambda roc: {"AUC": roc.auc()},
    "EmpiricalRoc": lambda roc: {"AUC": roc.auc(), "Ameans at this threshold": roc.best_threshold().ameans},
    "EmpiricalRoc infinite": lambda roc: {"AUC": roc.auc()},
    "PredictedRoc batch": lambda roc: {"0": roc.auc()[0], "9": roc.auc()[9]},
    "BestThreshold": lambda best: {
        "threshold": best.threshold,
        "ameans, optimism-corrected": best.ameans_corrected,
        "fnr": best.fnr,
    },
    "BestThreshold batch": lambda best: {"3": best.threshold[3]},
    "Rates": lambda rates: rates.to_dict(),
    "Rates unweighted": lambda rates: rates.to_dict(),
    "Interval": lambda interval: {"low": interval.low, "high": interval.high, "estimate": interval.estimate},
    "Interval batch": lambda interval: {"2": interval.estimate[2]},
    "Comparison": lambda result: {"AUC": result.predicted_auc, "best threshold": result.predicted_threshold},
    "AucTest": lambda test: {"estimate 1": test.estimates[0], "difference": test.difference},
    "AucTestMany": lambda test: {test.contrasts[0].null: test.contrasts[0].difference},
    "SampleSize": lambda plan: {plan.method: plan.n_negative},
    "MeanRoc": lambda mean: {"mean": mean.auc, "fold 2": mean.aucs[1]},
    "GreyZone": lambda zone: {"low": zone.low, "undecided positive": zone.undecided_positive},
    "ModelFit": lambda fit: {"model weight": fit.model_weight, "mean TPR difference": fit.area_between},
    "Diagnosis": lambda result: {item._title: item.value for item in result.findings},
    "ClassDescription": lambda values: {"mean": values.mean, "mode count": values.mode_count},
    "ThresholdStability": lambda result: {"5% quantile of threshold": result.quantiles[0.05]},
    "LikelihoodRatioGain": lambda gain: {"auc gain": gain.auc_gain},
    "LikelihoodRatioRoc": lambda roc: {"AUC": roc.auc()},
    "TwoThresholdRule": lambda rule: {"low": rule.low, "ameans": rule.ameans},
    "ClassSummary": lambda summary: {"0": summary.count[0]},
    "Dataset": lambda _: {"cm": 150},
    "AucEstimate": lambda result: {"AUC": result.auc, "standard error": result.std_error},
    "AucByGroup": lambda result: {"within groups (stratified)": result.stratified.auc},
    "LinearCombination": lambda sum_: dict(zip(sum_.feature_names, sum_.coefficients, strict=True)),
    "McNemarTest": lambda test: {"error rate 1": test.error_rate1.estimate, "difference": test.difference},
    "MulticlassAuc": lambda result: {f"average ({result.average})": result.auc},
}
"""The numbers that the page of a result shall show, by the name of their row."""


@for_each(list(NUMBERS))
def test_numbers_are_those_of_the_result(name):
    page = Page(RESULTS[name]._repr_html_())
    for row, value in NUMBERS[name](RESULTS[name]).items():
        assert page.value(row) == (f"{value:.3g}" if name == "Diagnosis" else format_number(value)), row


def test_digits():
    values = (0.123456789, 12.0, np.int64(1234567), np.nan, -np.inf, True, 1e-300, 1e300)
    shown = ["0.123457", "12", "1234567", "undefined", "-inf", "yes", "1e-300", "1e+300"]
    assert [format_number(value) for value in values] == shown


def test_tests_name_their_hypothesis_and_method():
    for name in ("AucTest", "AucTestMany", "AucByGroup", "McNemarTest"):
        page = " ".join(Page(RESULTS[name]._repr_html_()).texts)
        assert RESULTS[name].null in page
        assert RESULTS[name].method in page


def test_flags_are_said_in_words():
    roc = RESULTS["PredictedRoc no spread"]
    page, flags = Page(roc._repr_html_()), roc.best_threshold().flags
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


def names_in_repr(result):
    """Return the names that are written as name= directly between the brackets of a repr."""
    text = re.sub(r"'[^']*'|\"[^\"]*\"", "''", repr(result)).partition("(")[2]
    while text != (text := re.sub(r"\([^()]*\)|\[[^][]*\]|\{[^{}]*\}", "", text)):
        pass
    return re.findall(r"(?:^|[, ])(\w+)=", text)


def test_a_repr_names_only_attributes_and_arguments():
    """A user who reads name= in a repr finds result.name, or passes name= to the class."""

    def check(result):
        known = {*inspect.signature(type(result)).parameters, *dir(result)}
        assert {*names_in_repr(result)} <= known

    check_each({name: result for name, result in RESULTS.items() if name not in OF_A_ROW}, check)
    assert names_in_repr(RESULTS["Ecdf"]) == ["total"]
    assert names_in_repr(EMPIRICAL) == ["count", "auc"]


def test_every_result_is_in_the_battery():
    """A class that is exported and no error is a result; and every result, public or not, is shown here."""
    public = {getattr(rp, name) for name in rp.__all__ if inspect.isclass(getattr(rp, name))}
    assert {kind for kind in public if kind.__name__ not in NO_RESULTS} <= KINDS
    assert {type(result) for result in RESULTS.values()} == KINDS - BASES
    for kind in KINDS - {Result}:
        assert not dataclasses.is_dataclass(kind) or not kind.__dataclass_params__.repr, kind
        assert kind.__hash__ is not None, kind


NO_COPIES = {"Features"}
"""It holds the data as they came in, which are equal to nothing else."""
COPIED = {name: result for name, result in RESULTS.items() if name not in NO_COPIES}


def use(result):
    """Read every attribute and call every method that needs no argument: what they keep is copied too."""
    for name in dir(result):
        if not name.startswith("_") and name not in {"plot", "save", "report"}:
            with contextlib.suppress(TypeError, rp.RocPredictError):  # an argument is needed
                value = getattr(result, name)
                if callable(value) and not isinstance(value, type):
                    value()


@pytest.mark.filterwarnings("ignore::rocpredict.AssumptionWarning")
def test_a_copy_is_equal():
    def check(result):
        use(result)
        page = result._repr_html_()
        doors = copy.copy, copy.deepcopy, *(lambda value, p=p: pickle.loads(pickle.dumps(value, p)) for p in (2, 5))
        for other in (door(result) for door in doors):
            assert other == result
            assert hash(other) == hash(result)
            assert (repr(other), other._repr_html_()) == (repr(result), page)
        assert result != object()
        state = result.__getstate__()
        assert not isinstance(state, dict) or {*state} <= {item.name for item in dataclasses.fields(result)}

    check_each(COPIED, check)


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


def test_every_form_of_a_result():
    """A dictionary is plain; text, Markdown and CSV have the rows of the table; both libraries the same frame."""

    def check(result):
        assert isinstance(result.to_dict(), dict)
        assert result.to_dict() or not result
        json.loads(to_json(result.to_dict()))
        table = result.table()
        assert isinstance(table, Table)
        count = len(table.rows)
        assert all(len(row) == len(table.columns) for row in table.rows)
        assert len({*table.columns}) == len(table.columns)
        assert len(table.to_dict()["rows"]) == count
        assert len(table.to_csv().splitlines()) == count + 1
        assert len(table.to_markdown().splitlines()) >= count + 4
        assert len(table.to_text().splitlines()) >= count + 3
        refuses("backend='dask'", result.to_frame, "dask")
        if not CORE:
            pandas, polars = result.to_pandas(), result.to_polars()
            assert list(pandas.columns) == polars.columns
            assert pandas.shape == polars.shape == result.to_frame().shape

    check_each(RESULTS, check)


def test_no_repr_of_many_rows_computes():
    """With 100,000 rows no repr asks for an area by quadrature or for resampling: what is left out is named."""
    rows = np.random.default_rng(0).normal(size=100_000)
    y = np.arange(100_000) % 2
    sample = rp.empirical_roc(rows + y, y)
    roc, best = rp.predict_roc(rows + y, y, family="auto"), sample.best_threshold()
    batch = rp.PredictedRoc(rp.Gaussian(rows, 1.0), rp.Gaussian(rows + 1, 1.0))
    kde = rp.PredictedRoc(rp.GaussianKde(rows), rp.GaussianKde(rows + 1))
    for result in (sample, roc, batch, kde, sample.proper(), roc.negative, batch.rates(0.0), batch.best_threshold()):
        assert repr(result)
        assert result._repr_html_()
    assert "auc=" in repr(kde)  # of a few hundred kernels that replace these
    assert "corrected" not in repr(best) + best._repr_html_()


def test_the_repr_of_a_shrunk_roc_hides_how_it_is_made():
    assert repr(AUTO).startswith("PredictedRoc(family 'auto', model weight 0.8797, count=(50, 50), ")


def test_only_roc_curves_have_a_diagonal():
    """In a decision curve or a precision-recall curve, the diagonal has no meaning."""
    for name in ("PredictedRoc", "EmpiricalRoc", "DecisionCurve", "PrecisionRecallCurve predicted"):
        page = RESULTS[name]._repr_html_()
        assert "<polyline" in page, name
        assert ('dasharray="2 4"' in page) == name.endswith("Roc"), name


def test_another_process_reads_a_pickle(tmp_path):
    path = tmp_path / "results"
    path.write_bytes(pickle.dumps([*COPIED.values()]))
    code = "import pickle, sys; print(*map(ascii, pickle.load(open(sys.argv[1], 'rb'))), sep='\\n')"
    process = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    assert process.stdout.splitlines() == [ascii(result) for result in COPIED.values()]
