"""Calls of the public interface whose results are stored, so that a later change of any figure is noticed.

Each call has an id that stays, and gives figures only: no names of the library. When the library renames something,
the calls here follow, and neither the ids nor the stored values change.

    python -m tests.reference.public_calls --store                  add the results of new ids
    python -m tests.reference.public_calls --store --replace ID     store one result again
    python -m tests.reference.public_calls --check                  compare within the tolerance of each id
"""

import argparse
import base64
import html
import io
import json
import math
import re
import sys
import tempfile
import warnings
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from fnmatch import fnmatchcase
from functools import cache, partial
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse
import scipy.stats

import rocpredict as rp
from rocpredict.cli import main as command_line

STORED = Path(__file__).with_name("public_calls.json")
NUMERAL = re.compile(r"[<>≈]?[-−+]?\d[\d.,]*(e[-−+]?\d+)?%?")
MANY = 12
Call = Callable[[], Any]
# Figures -------------------------------------------------------------------------------------------------------------
FIELDS = {
    "Interval": "low high estimate width level flags",
    "BestThreshold": "threshold tpr fpr tnr fnr criterion_value ameans crossings crossing_count *plateau flags",
    "TwoThresholdRule": "low high positive_inside thresholds tpr fpr tnr fnr ameans",
    "GreyZone": "low high rule_out rule_in tpr fpr tnr fnr undecided_negative undecided_positive single_threshold "
    "*likelihood_ratios decided_rates.ameans",
    "RocCurve": "thresholds fpr tpr",
    "ConfidenceBand": "fpr tpr low high level mean_width flags",
    "AucTest": "estimates difference interval statistic p_value n omitted flags",
    "AucEstimate": "auc std_error interval n n_independent n_strata omitted n_uncompared flags",
    "ThresholdStability": "thresholds quantiles fraction_in_plateau ameans_in_sample ameans_oob n_resamples n_failed",
    "ModelFit": "model_weight is_shrinkage area_between misfit_ratio n_negative n_positive",
    "ClassDescription": "count mean std skewness skewness_z kurtosis kurtosis_z minimum maximum n_unique mode "
    "mode_fraction constant",
    "LinearCombination": "coefficients mixing_weight auc ameans threshold auc_cv ameans_cv n_folds roc.auc",
    "MeanRoc": "fpr tpr low high std aucs fold_sizes auc auc_interval n_folds flags",
    "McNemarTest": "error_rate1 error_rate2 difference interval agreement statistic p_value n flags",
    "LikelihoodRatioGain": "auc_single auc ameans_single ameans auc_gain ameans_gain youden_gain",
    "PrecisionRecallCurve": "thresholds recall precision prevalence average_precision",
    "DecisionCurve": "probabilities net_benefit treat_all treat_none thresholds",
}
"""Compared attributes of each class of results; of those with "*", only values at even steps."""
WITHIN_CLASSES = (
    "tpr fpr tnr fnr ameans youden balanced_accuracy recall sensitivity hit_rate specificity selectivity fall_out "
    "miss_rate false_alarm_rate type_1_error type_2_error informedness positive_likelihood_ratio "
    "negative_likelihood_ratio diagnostic_odds_ratio"
)
WITH_PREVALENCE = (
    "precision ppv npv false_discovery_rate false_omission_rate accuracy error_rate mcc f1 f_beta "
    "predicted_positive_rate base_rate confusion_joint confusion_conditional"
)


def parts(thing: Any, names: str) -> list[Any]:
    """Return attributes of a result; methods are called."""
    values: list[Any] = []
    for name in names.split():
        value = attrgetter(name.removeprefix("*"))(thing)
        value = (value(2) if name == "f_beta" else value()) if callable(value) else value
        values += value if name[0] == "*" else [value]
    return values


def figures(value: Any) -> Any:  # noqa: PLR0911
    """Turn a result into numbers, booleans, None and lists of them; a word is an error."""
    kind = type(value).__name__
    if kind in FIELDS:
        return figures(parts(value, FIELDS[kind]))
    if kind in COMPOSED:
        return figures(COMPOSED[kind](value))
    if isinstance(value, rp.Flags):
        return sum(int(np.sum(mask)) for mask in value.values())
    if value is None or isinstance(value, bool | np.bool_):
        return None if value is None else bool(value)
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        return float(value) if math.isfinite(value) else str(float(value))
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "biuf":
            raise TypeError(f"an array of {value.dtype} holds no figures")
        return thinned(value.ravel()) if value.size > MANY else figures(value.tolist())
    if isinstance(value, list | tuple):
        return [figures(part) for part in value]
    if isinstance(value, dict):
        return figures(list(value.values()))
    if isinstance(value, str) and NUMERAL.fullmatch(value):
        return value
    raise TypeError(f"{value!r} is no figure")


def thinned(values: Any, many: int = MANY) -> list[Any]:
    """Return the size, the number of finite values, their sum, and values at even steps of a long array."""
    values = np.asarray(values)
    finite = values[np.isfinite(values)]
    picked = values[np.linspace(0, values.size - 1, many).round().astype(int)]
    return [values.size, finite.size, math.fsum(finite.tolist()), *figures(picked.tolist())]


def tested_many(test: Any) -> list[Any]:
    contrasts = [parts(part, "difference statistic p_value interval") for part in test.contrasts]
    head = parts(test, "estimates covariance statistic df p_value adjusted_p_values")
    return [*head, contrasts, test.n, test.omitted, test.flags]


def grouped(result: Any) -> list[Any]:
    return [result.groups, len(result.skipped), *parts(result, "statistic df p_value n stratified")]


def planned(plan: Any) -> list[Any]:
    others = [parts(other, "n_negative n_positive total achieved_reference") for other in plan.other_methods]
    head = parts(plan, "n_negative n_positive total target achieved estimate achieved_reference std_error level")
    return [*head, others, len(plan.assumptions)]


def diagnosed(result: Any) -> list[Any]:
    areas = "predicted_auc empirical_auc auc_error auc_p_value area_between area_between_expected area_between_p_value"
    levels = [sum(part.severity == level for part in result.findings) for level in ("ok", "note", "warn")]
    values = [part.value for part in result.findings]
    return [*parts(result, f"{areas} max_tpr_gap max_tpr_gap_fpr negative positive std_ratio"), values, levels]


def multiclass(result: Any) -> list[Any]:
    pairs = [[part.auc, part.interval] for part in result.binary_aucs]
    return [result.auc, result.interval, pairs, result.n_by_class, result.flags]


def summarized(summary: Any) -> list[Any]:
    names = "count n_missing mean m2 std"
    names += " m3 m4 skewness kurtosis minimum maximum" if summary.order == 4 else ""
    return [parts(summary.negative, names), parts(summary.positive, names)]


COLUMNS = (
    "n_negative n_positive n_missing negative_mean negative_std positive_mean positive_std effect_size auc auc_low "
    "auc_high empirical_auc empirical_se empirical_low empirical_high p_value q_value threshold ameans "
    "ameans_corrected tpr fpr misfit"
)
SHAPES = (
    "negative_skewness negative_kurtosis negative_minimum negative_maximum positive_skewness positive_kurtosis "
    "positive_minimum positive_maximum"
)


def screened(table: Any, columns: str = COLUMNS) -> list[Any]:
    """Return the numeric columns in the order of this list, with the features in the order of the table."""
    higher = [direction == "higher" for direction in table["direction"]]
    shown = [np.asarray(table[name]) for name in columns.split() if name in table.columns]
    return [*parts(table, "n_observations n_screened n_tested flags row_index"), higher, *shown]


COMPOSED: dict[str, Callable[[Any], Any]] = {
    "AucTestMany": tested_many,
    "AucByGroup": grouped,
    "SampleSize": planned,
    "Diagnosis": diagnosed,
    "MulticlassAuc": multiclass,
    "TwoClassSummary": summarized,
    "ScreeningResult": screened,
    "Comparison": lambda result: [part for part in result.to_dict().values() if not isinstance(part, str)],
}


def within_classes(rates: Any) -> list[Any]:
    """Return the measures that need no prevalence, with their aliases."""
    return [*parts(rates, WITHIN_CLASSES), len(rates.undefined)]


def with_prevalence(rates: Any) -> list[Any]:
    """Return the measures that need a prevalence."""
    return [*parts(rates, WITH_PREVALENCE), len(rates.undefined)]


def shares(distribution: Any, points: Any) -> list[Any]:
    """Return a distribution without a density at points and at probabilities."""
    at, some = np.asarray(points, dtype=float), np.array([0.01, 0.1, 0.5, 0.9, 0.99])
    tails = [distribution.cdf(at), distribution.sf(at), distribution.cdf_strict(at), distribution.sf_inclusive(at)]
    return [*tails, distribution.ppf(some), distribution.isf(some), *distribution.atoms()]


def density(distribution: Any, points: Any = None) -> list[Any]:
    """Return a distribution at points and at probabilities."""
    at, some = np.asarray(AT if points is None else points, dtype=float), np.array([0.01, 0.1, 0.5, 0.9, 0.99])
    tails = [distribution.cdf(at), distribution.sf(at), distribution.cdf_strict(at), distribution.sf_inclusive(at)]
    return [*tails, distribution.pdf(at), distribution.logpdf(at), distribution.ppf(some), distribution.isf(some)]


def warned(call: Call) -> list[Any]:
    """Return the number of warnings about assumptions, and the result."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", category=rp.AssumptionWarning)
        value = call()
    return [len(caught), value]


def refused(call: Call) -> bool:
    """Return whether the call raises `RocPredictError`."""
    try:
        call()
    except rp.RocPredictError:
        return True
    return False


def numbers(document: Any) -> Iterator[Any]:
    """Return the numbers of parsed JSON in the order of the document."""
    if isinstance(document, dict | list):
        for part in document.values() if isinstance(document, dict) else document:
            yield from numbers(part)
    elif isinstance(document, bool | int | float) or document in {"inf", "-inf"}:
        yield float(document) if isinstance(document, str) else document


def in_order(document: Any) -> list[Any]:
    """Return all numbers of a short document, and numbers at even steps of a long one."""
    values = list(numbers(document))
    return values if len(values) <= 100 else thinned(np.array(values, dtype=float), 40)


def run(*words: str) -> tuple[int, str, str]:
    """Run the command line in this process: exit code, output, errors."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = command_line(list(words))
    return code, out.getvalue(), err.getvalue()


def command(words: str) -> list[Any]:
    """Return the exit code, the numbers that a command prints as JSON, and how many lines it writes to stderr."""
    code, out, err = run(*words.split(), "--json")
    return [code, in_order(json.loads(out)), len(err.splitlines())]


def printed(words: str) -> list[Any]:
    """Return the exit code and the lines that a command writes to each stream."""
    code, out, err = run(*words.split())
    return [code, len(out.splitlines()), len(err.splitlines())]


def cells(page: str) -> list[str]:
    """Return the numbers in the tables of a page as they are printed, without cells with words."""
    values: list[str] = []
    for cell in re.findall(r"<td[^>]*>(.*?)</td>", page, flags=re.DOTALL):
        text = html.unescape(re.sub(r"<[^>]*>", " ", cell)).strip()
        words = [part for part in re.split(r"\s+|\bto\b|[(),;]", text) if part]
        if words and all(NUMERAL.fullmatch(part) or part == "%" for part in words):
            values += [part for part in words if part != "%"]
    return values


def written(write: Callable[[Path], Any]) -> tuple[Any, str]:
    """Return the result of a call that writes a page to a file, and the page."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "page.html")
        return write(path), path.read_text("utf-8")


# Data ----------------------------------------------------------------------------------------------------------------
IRIS = {"positive": "virginica", "negative": "versicolor"}
PIMA = {"positive": "pos"}
ORDER = ["setosa", "versicolor", "virginica"]
TIES = ([1, 2, 2, 3, 3, 3, 4, 5, 2, 3, 4, 4, 5, 5, 6, 6, 7], [0] * 8 + [1] * 9)
REVERSED = ([5.1, 6.2, 7.7, 8.4, 9.0, 6.6, 1.2, 2.5, 3.1, 4.4, 5.9, 6.3, 7.0], [0] * 6 + [1] * 7)
APART = ([1.0, 2.0, 3.0, 4.5, 5.0, 6.0, 7.5], [0, 0, 0, 1, 1, 1, 1])
WEIGHTED = (*TIES, [1, 2, 1, 3, 1, 1, 2, 1, 1, 1, 2, 4, 1, 2, 1, 1, 3])
AT = [-1.0, 0.0, 2.0, 3.5, 4.0, 5.826, 8.0, 12.0]
FPRS = [0.0, 1e-6, 0.01, 0.1, 0.25, 0.5, 0.9, 1.0]
iris = cache(rp.datasets.load_iris)
pima = cache(rp.datasets.load_pima)
cancer = cache(rp.datasets.load_breast_cancer)
pima_missing = cache(partial(rp.datasets.load_pima, zeros_as_missing=True))


def flower(name: str = "petal_width") -> tuple[Any, Any]:
    return iris().column(name), iris().y


def woman(name: str = "glucose") -> tuple[Any, Any]:
    return pima().column(name), pima().y


@cache
def skewed() -> tuple[Any, Any]:
    """Return gamma variates of 40 negatives and 35 positives."""
    rng = np.random.default_rng(20)
    return np.concatenate([rng.gamma(2, 1, 40), rng.gamma(3.5, 1.1, 35)]), np.repeat([0, 1], [40, 35])


@cache
def mixed() -> tuple[Any, Any]:
    """Return a table with normal, skewed, tied, reversed, incomplete and constant features."""
    rng = np.random.default_rng(4)
    y = np.arange(90) % 3 == 0
    gaps = np.where(rng.random(90) < 0.2, np.nan, rng.normal(size=90) + 0.5 * y)
    tied = rng.integers(0, 4, 90) + y
    features = [rng.normal(size=90) + y, rng.exponential(size=90) * (1 + y), tied, -rng.normal(size=90) - y, gaps]
    return np.column_stack([*features, np.full(90, 2.5)]), y.astype(int)


def pair(negative: tuple[Any, Any] = (4, 3), positive: tuple[Any, Any] = (8, 2), **options: Any) -> Any:
    """Predict the ROC of two Gaussians; those of the paper by default."""
    return rp.PredictedRoc(rp.Gaussian(*negative), rp.Gaussian(*positive), **options)


def published(**options: Any) -> Any:
    return rp.PredictedRoc.from_stats(mean=(4, 8), std=(3, 2), count=(60, 40), **options)


def from_stats(**options: Any) -> list[Any]:
    roc = rp.PredictedRoc.from_stats(**options)
    return [roc.auc(), roc.best_threshold(), roc.tpr_at_fpr(0.1)]


def batch() -> Any:
    return pair(([0.0, 4.0, 1.0, 2.0], [1.0, 3.0, 1.0, 0.5]), ([1, 8, 1, 1], [1, 2, 3, 0.5]))


def ties() -> Any:
    return rp.empirical_roc(*TIES)


def petals() -> Any:
    return rp.empirical_roc(*flower(), **IRIS)


def predicted_petals() -> Any:
    return rp.predict_roc(*flower(), **IRIS)


def glucose() -> Any:
    return rp.empirical_roc(*woman(), **PIMA)


def weighted() -> Any:
    x, y, weights = WEIGHTED
    return rp.empirical_roc(x, y, weights=weights)


def gammas() -> Any:
    return rp.PredictedRoc(negative=scipy.stats.gamma(2), positive=scipy.stats.gamma(5))


def fitted(family: Any, **options: Any) -> Any:
    x, y = skewed()
    return rp.predict_roc(x / (1 + x) if family == "beta" else x, y, family=family, **options)


def histograms() -> Any:
    edges = [0, 10, 20, 40, 80]
    return rp.PredictedRoc(rp.Histogram(edges, [30, 40, 25, 5]), rp.Histogram(edges, [5, 20, 45, 30]))


def kernels() -> Any:
    x, y = skewed()
    return rp.PredictedRoc(rp.GaussianKde(x[y == 0]), rp.GaussianKde(x[y == 1]))


def two_groups() -> Any:
    return rp.PredictedRoc(rp.Gaussian(2, 1), rp.GaussianMixture([0.3, 0.7], [0, 4], [1, 0.5]))


GROUPS: defaultdict[str, dict[str, Call]] = defaultdict(dict)
"""Calls by their names in a group."""


def each(call: Callable[[Any], Any], cases: Iterable[Any]) -> list[Any]:
    return [call(case) for case in cases]


def everything(make: Call) -> dict[str, Call]:
    """Return the queries that every ROC curve supports."""

    def areas() -> list[Any]:
        roc = make()
        bands = [roc.partial_auc(fpr=(0, 0.1)), roc.partial_auc(fpr=(0.2, 0.5)), roc.partial_auc(tpr=(0.9, 1))]
        return [*bands, roc.partial_auc(fpr=(0, 0.2), correction="mcclish")]

    def points() -> list[Any]:
        roc = make()
        limits = [roc.threshold_at_fpr([0.05, 0.1, 0.5]), roc.threshold_at_tpr([0.5, 0.9, 0.95])]
        return [roc.tpr(AT), roc.fpr(AT), roc.tnr(AT), roc.fnr(AT), roc.tpr_at_fpr(FPRS), roc.fpr_at_tpr(FPRS), *limits]

    return {
        "auc": lambda: [make().auc(), make().auc_complement()],
        "partial-auc": areas,
        "points": points,
        "best": lambda: [make().best_threshold(), make().curve(65)],
    }


# Predicted and empirical curves --------------------------------------------------------------------------------------
def best(*things: Any) -> list[Any]:
    """Return AUC and best threshold."""
    return [value for roc in things for value in (roc.auc(), roc.best_threshold())]


def batch_rates() -> list[Any]:
    return [batch().tpr(1.5), batch().fpr([0.5, 6, 1, 2]), batch().tpr_grid([0.0, 1.0, 5.0])]


def of_summary(**options: Any) -> Any:
    return rp.PredictedRoc.from_summary(rp.summarize(iris().X, iris().y, **IRIS), **options).auc()


COUNTED = {"mean": (5.1, 6.4), "std": (0.9, 1.2), "count": (120, 80)}
SHAPED = {"paper": pair, "gamma-pair": gammas, "histograms": histograms, "kernels": kernels, "mixture": two_groups}
for name, make in SHAPED.items():
    GROUPS[f"predicted/{name}"] |= everything(make)
GROUPS["predicted"] |= {
    "paper/measures": lambda: [within_classes(pair().rates(6.0)), with_prevalence(pair().rates(6.0, prevalence=0.1))],
    "paper/log-auc-complement": lambda: pair().log_auc_complement(),
    "paper/direction": lambda: [
        best(pair(direction="lower")),
        best(pair(direction="higher")),
        pair((8, 2), (4, 3), direction="auto").best_threshold(),
    ],
    "paper/shape": lambda: [
        [pair().slope([0.01, 0.1, 0.5, 0.9]), pair().slope(0.2)],
        [*pair().hook(), pair().hook().exists],
        [pair().crossings(), pair().crossings(prevalence=0.1, cost_fn=5)],
    ],
    "unequal/hook": lambda: [*salt().hook()],
    "degenerate": lambda: [
        best(pair((4, 0))),
        pair((4, 0), (8, 0)).best_threshold(),
        best(pair((4, 0), (4, 0))),
        pair((4, 2), (4, 2)).best_threshold(),
        pair((8, 2), (4, 2)).best_threshold(),
        pair((4, 1), (4, 3)).best_threshold(),
    ],
    "stats/counts": lambda: [from_stats(**COUNTED), rp.PredictedRoc.from_stats(**COUNTED).prevalence],
    "stats/spreads": lambda: [
        from_stats(mean=(5.1, 6.4), sem=(0.08, 0.13), count=(120, 80)),
        from_stats(median=(5.0, 6.4), iqr=(1.2, 1.6)),
        from_stats(median=(5.0, 6.4), iqr=((4.4, 5.6), (5.6, 7.2))),
        from_stats(effect_size=0.8),
    ],
    "stats/lower": lambda: from_stats(mean=(8, 4), std=(2, 3), direction="lower"),
    "stats/batch": lambda: from_stats(mean=([4, 0], [8, 1]), std=([3, 1], [2, 2])),
    "stats/summary": lambda: [of_summary(), of_summary(direction="lower")],
    "batch/points": lambda: [
        batch_rates(),
        batch().fpr_grid([0.0, 1.0, 5.0]),
        [batch().tpr_at_fpr(0.1), batch().threshold_at_tpr(0.9)],
    ],
    "batch/areas": lambda: [
        [batch().auc(), batch().auc_complement(), list(batch().shape)],
        batch().partial_auc(fpr=(0, 0.2), correction="mcclish"),
        [*batch().hook(), batch().hook().exists],
    ],
    "batch/best": lambda: [
        batch().best_threshold(),
        batch().best_threshold("cost", prevalence=[0.1, 0.2, 0.3, 0.4], cost_fn=3),
    ],
    "batch/proper": lambda: [batch().proper().auc(), batch().proper().best_rule()],
    "unlike-pairs": lambda: [
        best(rp.PredictedRoc(rp.Gaussian(4, 3), scipy.stats.logistic(8, 2))),
        best(rp.PredictedRoc(rp.Ecdf(np.array([1.0, 2.0, 2.0, 5.0])), rp.Gaussian(4, 1))),
        best(rp.PredictedRoc(scipy.stats.poisson(3), scipy.stats.poisson(6))),
    ],
}
GROUPS["tail"] |= {
    "areas": lambda: [
        pair((0, 1), (30, 1)).auc_complement(),
        pair((0, 1), (90, 1)).log_auc_complement(),
        [pair().partial_auc(fpr=(0, 1e-6)), pair().partial_auc(fpr=(0, 1e-12))],
    ],
    "points": lambda: [
        [pair().fpr([20.0, 40.0, 80.0]), pair().fnr([-20.0, -40.0])],
        [pair().tpr_at_fpr([1e-12, 1e-50, 1e-200]), pair().fpr_at_tpr([1e-12, 1e-50])],
        [rp.Gaussian(0, 1).sf([10.0, 20.0, 35.0]), rp.Gaussian(0, 1).isf([1e-20, 1e-300])],
    ],
}
CRITERIA: dict[str, dict[str, Any]] = {
    "youden": {"criterion": "youden"},
    "cost": {"criterion": "cost", "prevalence": 0.1, "cost_fp": 1, "cost_fn": 20},
    "accuracy": {"criterion": "accuracy", "prevalence": 0.3},
    "f1": {"criterion": "f1", "prevalence": 0.3},
    "f-beta": {"criterion": "f_beta", "beta": 2.0, "prevalence": 0.3},
    "closest-to-top-left": {"criterion": "closest_topleft"},
    "lowest-tpr": {"criterion": "min_tpr", "value": 0.8},
    "lowest-tnr": {"criterion": "min_tnr", "value": 0.8},
    "highest-fpr": {"criterion": "max_fpr", "value": 0.25},
}


def chosen(name: str) -> list[Any]:
    thresholds = [make().best_threshold(**CRITERIA[name]) for make in (pair, ties, gammas)]
    return [*thresholds, *([published().best_threshold("accuracy")] if name == "accuracy" else [])]


GROUPS["criterion"] |= {name: partial(chosen, name) for name in CRITERIA}
GROUPS["criterion"] |= {
    "paper/balanced-accuracy": lambda: pair().best_threshold("balanced_accuracy"),
    "paper/always-negative": lambda: pair().best_threshold("accuracy", prevalence=1e-9),
    "function": lambda: [
        pair().best_threshold(lambda rates: rates.mcc, prevalence=0.1),
        ties().best_threshold(lambda rates: rates.mcc),
    ],
}
# Distributions and families ------------------------------------------------------------------------------------------
FAMILIES = (
    *("gaussian", "auto", "boxcox", "yeojohnson", "kde", "empirical", "histogram", "mixture", "gamma", "lognormal"),
    *("logistic", "laplace", "exponential", "weibull", "beta", "student_t", "skew_normal"),
)


def family_fit(family: str) -> list[Any]:
    def answers() -> list[Any]:
        roc = fitted(family)
        at = [0.2, 0.4, 0.6] if family == "beta" else [0.5, 2.0, 4.0]
        points = [roc.tpr(at), roc.fpr(at), roc.tpr_at_fpr([0.1, 0.5]), roc.partial_auc(fpr=(0, 0.2))]
        return [roc.auc(), roc.best_threshold(), points, roc.curve(33), roc.model_fit()]

    return warned(answers)


def auto(direction: str) -> list[Any]:
    roc = fitted("auto", direction=direction)
    return [roc.auc(), roc.best_threshold(), roc.model_fit()]


def auto_ties() -> list[Any]:
    roc = rp.predict_roc(*TIES, family="auto", direction="higher")
    return [roc.auc(), roc.best_threshold(), roc.tpr_at_fpr(0.2), roc.model_fit()]


def missing_values() -> list[Any]:
    roc = rp.predict_roc(pima_missing().column("glucose"), pima().y, **PIMA, nan_policy="omit")
    return [roc.auc(), roc.prevalence, roc.best_threshold(), roc.auc_interval()]


def gaussian_fits() -> list[Any]:
    three, four = [1.0, 2.0, 4.0], rp.Gaussian.fit([1.0, 2.0, 4.0, 8.0])
    return [four.mean, four.std, rp.Gaussian.fit(three, ddof=0).std, rp.Gaussian.fit(three, weights=[1, 2, 3]).std]


def bounds() -> list[Any]:
    from rocpredict.solvers.histogram import ameans_bounds, auc_bounds

    classes = (histograms().negative, histograms().positive)
    return [*auc_bounds(*classes), *ameans_bounds(*classes)]


def kernel_densities() -> list[Any]:
    options: tuple[dict[str, Any], ...] = ({"bandwidth": "scott"}, {"bandwidth": "cube-root"})
    heavy = rp.GaussianKde(np.array([1.0, 2.0, 3.5]), weights=np.array([1.0, 2, 5]))
    x = skewed()[0]
    others = [rp.GaussianKde(x, **given) for given in (*options, {"variance_preserving": True})]
    return each(density, [rp.GaussianKde(x), heavy, *others])


def mixtures() -> list[Any]:
    lengths = flower("petal_length")[0]
    two = rp.GaussianMixture.fit(lengths, n_components=2)
    return each(density, [rp.GaussianMixture([0.3, 0.7], [0, 4], [1, 0.5]), rp.GaussianMixture.fit(lengths), two])


def histogram_densities() -> list[Any]:
    x = skewed()[0]
    of_counts = rp.Histogram([0, 1, 3, 5, 10], [3, 4, 2, 1])
    return each(density, [of_counts, rp.Histogram.fit(x), rp.Histogram.fit(x, bins=7)])


GROUPS["distribution"] |= {
    "gaussian": lambda: [density(rp.Gaussian(4, 3)), gaussian_fits(), density(rp.Gaussian(4, 3).reflect())],
    "sample": lambda: [
        shares(rp.Ecdf(np.array([1.0, 2.0, 2.0, 3.5, 8.0])), AT),
        shares(rp.Ecdf(np.array([1.0, 2.0, 3.5]), np.array([1.0, 2.0, 5.0])), AT),
    ],
    "kernels": kernel_densities,
    "mixture": mixtures,
    "histogram": histogram_densities,
    "bounds-of-histograms": bounds,
}
GROUPS["family"] |= {f"{family.replace('_', '-')}/fit": partial(family_fit, family) for family in FAMILIES}
MOMENTS_OF_TWO = {"mean": (0.4, 0.6), "std": (0.15, 0.2)}
GROUPS["family"] |= {
    **{
        f"stats-{family}": partial(from_stats, **MOMENTS_OF_TWO, family=family)
        for family in ("gamma", "lognormal", "weibull", "logistic", "laplace", "beta")
    },
    "stats-exponential": lambda: from_stats(mean=(0.4, 0.6), std=(0.4, 0.6), family="exponential"),
    "scipy-lognormal": lambda: best(fitted(scipy.stats.lognorm)),
    "auto/directions": lambda: [auto("higher"), warned(lambda: auto("lower"))],
    "auto/ties": auto_ties,
    "auto/zone": lambda: fitted("auto", direction="higher").grey_zone(max_fnr=0.1, max_fpr=0.1),
    "boxcox/interval": lambda: fitted("boxcox").auc_interval(method="bootstrap", n_resamples=50, rng=1),
    "gaussian/warning": lambda: warned(lambda: rp.predict_roc(*woman("age"), **PIMA).auc()),
    "gaussian/missing": missing_values,
    "gaussian/weights": lambda: [rp.predict_roc(*TIES, weights=WEIGHTED[2]).auc()],
    "gaussian/directions": lambda: each(
        lambda direction: rp.predict_roc(*REVERSED, direction=direction).auc(), ("lower", "auto")
    ),
}


# Empirical curves, rates ---------------------------------------------------------------------------------------------
def reversed_classes() -> list[Any]:
    plain, lower = rp.empirical_roc(*REVERSED), rp.empirical_roc(*REVERSED, direction="lower")
    auto = rp.empirical_roc(*REVERSED, direction="auto")
    return [best(plain), best(lower), auto.best_threshold(), [*plain.hook()]]


def of_everything() -> list[Any]:
    samples = rp.EmpiricalRoc(negative=[1, 2, 3], positive=[3, 4])
    rest = rp.empirical_roc(*flower("sepal_width"), positive="setosa")
    return [rest.auc(), rp.EmpiricalRoc.from_predictions(TIES[1], TIES[0]).auc(), best(samples)]


GROUPS["empirical/ties"] |= everything(ties)
GROUPS["empirical/petals"] |= everything(petals)
GROUPS["empirical"] |= {
    "ties/shape": lambda: [ties().slope([0.05, 0.3, 0.6]), [*ties().hook(), ties().hook().exists], ties().crossings()],
    "ties/measures": lambda: [
        within_classes(ties().rates(4.0)),
        [*with_prevalence(ties().rates(4.0)), ties().prevalence],
    ],
    "corrected-best": lambda: [make().best_threshold().ameans_corrected for make in (ties, petals)],
    "reversed": reversed_classes,
    "degenerate": lambda: [
        best(rp.empirical_roc(*APART)),
        rp.empirical_roc([1, 1, 1, 1], [0, 0, 1, 1]).best_threshold(),
    ],
    "weights": lambda: [
        [weighted().auc(), weighted().tpr(AT), weighted().fpr(AT)],
        weighted().best_threshold(),
        [weighted().auc_interval(), weighted().auc_std_error()],
    ],
    "from": of_everything,
    "missing/auc": lambda: rp.empirical_roc(
        pima_missing().column("insulin"), pima().y, **PIMA, nan_policy="omit"
    ).auc(),
}
COUNTS = rp.rates(tp=80, fp=10, fn=20, tn=90)
UNDEFINED = rp.rates(tp=0, fp=0, fn=5, tn=5)
GROUPS["rates"] |= {
    "counts": lambda: [within_classes(COUNTS), with_prevalence(COUNTS), COUNTS.confusion],
    "undefined": lambda: [
        [within_classes(UNDEFINED), with_prevalence(UNDEFINED)],
        with_prevalence(rp.rates(tp=[8, 5], fp=[1, 0], fn=[2, 5], tn=[9, 0])),
    ],
}


# More than one threshold, views --------------------------------------------------------------------------------------
def salt() -> Any:
    return rp.PredictedRoc.from_stats(mean=(4.2, 4.4), std=(0.3, 0.8))


QUESTIONS: dict[str, Callable[[Any], Any]] = {
    "auc": lambda roc: [roc.auc(), roc.auc_complement(), roc.gain()],
    "best-rule": lambda roc: roc.best_rule(),
    "best-rule-costs": lambda roc: roc.best_rule(prevalence=0.1, cost_fn=5),
    "operating-points": lambda roc: [roc.tpr_at_fpr([0.05, 0.2]), roc.fpr_at_tpr([0.5, 0.9])],
    "rule-at-fpr": lambda roc: roc.rule_at_fpr(0.05),
    "partial-auc": lambda roc: roc.partial_auc(fpr=(0, 0.1)),
}


def predictive_figures() -> list[Any]:
    zone = glucose().grey_zone()
    return [zone.npv, zone.ppv, zone.undecided]


PROBABILITY = rp.EmpiricalRoc([0.1, 0.2, 0.2, 0.6], [0.3, 0.7, 0.9])
GROUPS["proper"] |= {
    name: partial(lambda call: [call(salt().proper()), call(ties().proper())], call) for name, call in QUESTIONS.items()
}
GROUPS["proper"] |= {
    "several-thresholds": lambda: [make().proper().best_rule() for make in (two_groups, kernels, histograms)],
    "gamma-pair/auc": lambda: gammas().proper().auc(),
    "unequal/curve": lambda: [salt().proper().curve().fpr, salt().proper().curve().tpr],
}
GROUPS["grey-zone"] |= {
    "gaussian": lambda: [
        pair().grey_zone(),
        pair().grey_zone(max_fnr=0.02, max_fpr=0.1),
        pair().grey_zone(min_npv=0.98, min_ppv=0.5, prevalence=0.1),
    ],
    "sample": lambda: [
        ties().grey_zone(max_fnr=0.1, max_fpr=0.15),
        glucose().grey_zone(min_npv=0.9, min_ppv=0.7),
        predictive_figures(),
    ],
}
GROUPS["precision-recall"] |= {
    "paper": lambda: pair().precision_recall_curve(prevalence=0.05, n_points=65),
    "ties": lambda: ties().precision_recall_curve(),
    "pima": lambda: glucose().precision_recall_curve(prevalence=0.1),
    "gamma-pair": lambda: gammas().precision_recall_curve(prevalence=0.3, n_points=65),
}
GROUPS["decision-curve"] |= {
    "paper": lambda: pair().decision_curve(prevalence=0.2),
    "ties": lambda: ties().decision_curve(),
    "pima": lambda: glucose().decision_curve(probabilities=[0.1, 0.25, 0.5]),
    "probability": lambda: PROBABILITY.decision_curve(rule="probability", probabilities=[0.25, 0.5]),
}
# Intervals -----------------------------------------------------------------------------------------------------------
FEW: dict[str, Any] = {"n_resamples": 100, "rng": 1}
DRAWN: dict[str, Any] = {"method": "bootstrap", **FEW}
AUC_METHODS = ("smoothed-logit", "newcombe", "delong", "logit", "hanley-mcneil", "bootstrap", "bca")


def by_method(method: str) -> list[Any]:
    return [make().auc_interval(method=method, **FEW) for make in (ties, petals)]


def std_errors() -> list[Any]:
    methods = ("delong", "hanley-mcneil", "smoothed-logit", "bootstrap")
    return [petals().auc_std_error(method=method, **FEW) for method in methods]


GROUPS["interval"] |= {method: partial(by_method, method) for method in AUC_METHODS}
GROUPS["interval"] |= {
    "apart": lambda: [rp.empirical_roc(*APART).auc_interval(method=method) for method in AUC_METHODS[:5]],
    "level": lambda: petals().auc_interval(0.8),
    "published/delta": lambda: published().auc_interval(),
    "published/reiser-guttman": lambda: published().auc_interval(method="reiser-guttman"),
    "published/tpr-at-fpr": lambda: published().tpr_at_fpr_interval(0.1),
    "published/fpr-at-tpr": lambda: published().fpr_at_tpr_interval(0.9),
    "published/threshold": lambda: published().best_threshold().threshold_interval(),
    "published/ameans": lambda: published().best_threshold().ameans_interval(),
    "published/rate": lambda: each(
        lambda method: published().rate_interval("tpr", 6, method=method), ("delta", "noncentral-t")
    ),
    "published/partial-auc": lambda: published().partial_auc_interval(fpr=(0, 0.2)),
    "fitted/delta": lambda: predicted_petals().auc_interval(),
    "fitted/bootstrap": lambda: predicted_petals().auc_interval(**DRAWN),
    "fitted/tpr-at-fpr": lambda: predicted_petals().tpr_at_fpr_interval(0.1, **DRAWN),
    "fitted/partial-auc": lambda: predicted_petals().partial_auc_interval(fpr=(0, 0.2), **DRAWN),
    "fitted/threshold": lambda: predicted_petals().best_threshold().threshold_interval(),
    "fitted/threshold-bootstrap": lambda: predicted_petals().best_threshold().threshold_interval(**DRAWN),
    "standard-error": lambda: [std_errors(), published().auc_std_error()],
    "partial-auc/asymptotic": lambda: [
        glucose().partial_auc_interval(fpr=(0, 0.2)),
        glucose().partial_auc_interval(tpr=(0.8, 1), method="delong"),
        glucose().partial_auc_interval(fpr=(0, 0.2), method="logit"),
        glucose().partial_auc_interval(fpr=(0, 0.2), correction="mcclish"),
    ],
    "partial-auc/resampled": lambda: each(
        lambda method: ties().partial_auc_interval(fpr=(0, 0.5), method=method, **FEW), ("bootstrap", "bca")
    ),
    "partial-auc/standard-error": lambda: glucose().partial_auc_std_error(fpr=(0, 0.2)),
    "tpr-at-fpr/bootstrap": lambda: petals().tpr_at_fpr_interval(0.1, **FEW),
    "tpr-at-fpr/hilgers": lambda: glucose().tpr_at_fpr_interval(0.1, method="hilgers"),
    "fpr-at-tpr/bootstrap": lambda: petals().fpr_at_tpr_interval(0.9, **FEW),
    "rate": lambda: [
        [glucose().rate_interval(name, 126) for name in ("tpr", "fpr", "npv")],
        glucose().rate_interval("tpr", 126, method="wilson"),
    ],
    "threshold": lambda: [make().best_threshold().threshold_interval(**FEW) for make in (petals, ties)],
    "ameans": lambda: [make().best_threshold().ameans_interval(**FEW) for make in (petals, ties)],
    "stability": lambda: [
        petals().best_threshold().stability(**FEW),
        ties().best_threshold("cost", prevalence=0.2, cost_fn=4).stability(n_resamples=50, rng=2),
    ],
    "proportion": lambda: [
        rp.proportion_interval([0, 9, 10], 10),
        rp.proportion_interval([0, 9, 10], 10, method="wilson", level=0.9),
    ],
}
GROUPS["band"] |= {
    "published/pointwise": lambda: published().band(),
    "published/simultaneous": lambda: published().band(kind="simultaneous"),
    "ties/pointwise": lambda: ties().band(fpr=[0.0, 0.1, 0.3, 0.7, 1.0], **FEW),
    "petals/hilgers": lambda: petals().band(method="hilgers", fpr=[0.05, 0.1, 0.5]),
    "petals/simultaneous": lambda: petals().band(kind="simultaneous"),
    "covers": lambda: [
        published().band(kind="simultaneous").contains(lambda fpr: fpr),
        petals().band(kind="simultaneous").contains(predicted_petals()),
    ],
    "fitted/pointwise": lambda: predicted_petals().band(fpr=[0.05, 0.1, 0.5], **DRAWN),
    "fitted/simultaneous": lambda: predicted_petals().band(kind="simultaneous"),
}


# Comparison, tests, groups -------------------------------------------------------------------------------------------
def paired(first: str = "glucose", second: str | None = "mass", **options: Any) -> Any:
    other = None if second is None else woman(second)[0]
    return rp.auc_test(woman(first)[0], other, pima().y, **PIMA, **options)


def one(**options: Any) -> Any:
    return paired(second=None, **options)


def small_pair(**options: Any) -> Any:
    rows = slice(0, 90)
    return rp.auc_test(woman("glucose")[0][rows], woman("age")[0][rows], pima().y[rows], **PIMA, **options)


def unpaired(**options: Any) -> Any:
    x, y = woman()
    young = woman("age")[0] < 30
    return rp.auc_test((x[young], y[young]), (x[~young], y[~young]), **PIMA, **options)


def missing_pair() -> Any:
    data = pima_missing()
    return rp.auc_test(data.column("glucose"), data.column("mass"), pima().y, **PIMA, nan_policy="omit")


def many(**options: Any) -> Any:
    return rp.auc_test_many([woman(name)[0] for name in ("glucose", "mass", "age")], pima().y, **PIMA, **options)


def blocks(size: int = 4) -> Any:
    return np.arange(len(pima().y)) // size


def estimate(**options: Any) -> Any:
    return rp.auc_estimate(*woman(), **PIMA, **options)


def lower_curves() -> list[Any]:
    return [make(*REVERSED, direction="lower") for make in (rp.predict_roc, rp.empirical_roc)]


def diagnosis(x: Any, y: Any, **options: Any) -> Any:
    return rp.diagnose(x, y, n_resamples=60, rng=1, **options)


GROUPS["compare"] |= {
    "petals": lambda: rp.compare(predicted_petals(), petals()),
    "ties": lambda: rp.compare(rp.predict_roc(*TIES), ties(), level=0.9),
    "kernels": lambda: rp.compare(fitted("kde"), rp.empirical_roc(*skewed())),
    "lower": lambda: rp.compare(*lower_curves()),
}
GROUPS["diagnose"] |= {
    "petals": lambda: diagnosis(*flower(), **IRIS),
    "age": lambda: diagnosis(*woman("age"), **PIMA),
    "skewed-boxcox": lambda: diagnosis(*skewed(), family="boxcox"),
    "skewed-auto": lambda: diagnosis(*skewed(), family="auto"),
    "ties": lambda: diagnosis(*TIES),
    "one-finding": lambda: rp.diagnose(*skewed(), n_resamples=60).finding("negative skewness").value,
}
GROUPS["test"] |= {
    "paired/default": paired,
    "paired/delong": lambda: paired(method="delong"),
    "paired/partial-auc": lambda: [paired(fpr=(0, 0.2)), paired(tpr=(0.8, 1))],
    "paired/one-sided": lambda: [paired(alternative="greater"), paired(alternative="less", level=0.9)],
    "paired/margin": lambda: [
        paired("mass", "age", alternative="noninferior", margin=0.05),
        paired("mass", "age", alternative="equivalent", margin=0.1),
    ],
    "paired/directions": lambda: rp.auc_test(
        -woman()[0], woman("mass")[0], pima().y, **PIMA, direction=("lower", "higher")
    ),
    "paired/same": lambda: paired("glucose", "glucose"),
    "paired/bootstrap": lambda: small_pair(**DRAWN),
    "paired/venkatraman": lambda: small_pair(method="venkatraman", **FEW),
    "paired/tpr-at-fpr": lambda: small_pair(tpr_at_fpr=0.2, **DRAWN),
    "paired/partial-bootstrap": lambda: small_pair(fpr=(0, 0.3), **DRAWN),
    "paired/clusters": lambda: paired(clusters=blocks()),
    "paired/strata": lambda: paired(strata=blocks(200)),
    "paired/weights": lambda: paired(weights=np.arange(768) % 3 + 1),
    "paired/missing": missing_pair,
    "one/value": lambda: [one(null=0.75), one(null=0.75, method="delong")],
    "one/half": lambda: [
        one(null=0.5, method="mann-whitney"),
        rp.auc_test(APART[0], None, APART[1], null=0.5, method="exact"),
    ],
    "one/noninferior": lambda: one(null=0.8, alternative="noninferior", margin=0.05),
    "one/of-curve": lambda: [petals().auc_test(0.9), published().auc_test(0.75)],
    "unpaired/default": unpaired,
    "unpaired/delong": lambda: unpaired(method="delong"),
    "unpaired/partial": lambda: unpaired(fpr=(0, 0.2)),
    "unpaired/bootstrap": lambda: unpaired(**DRAWN),
    "unpaired/venkatraman": lambda: unpaired(method="venkatraman", n_resamples=50, rng=1),
    "unpaired/greater": lambda: unpaired(alternative="greater"),
    "many/default": many,
    "many/contrasts": lambda: many(contrasts=[[1, -1, 0], [0.5, 0.5, -1]]),
    "many/clusters": lambda: many(clusters=blocks()),
    "many/covariances": lambda: [many().covariance, many(clusters=blocks()).covariance],
}
GROUPS["estimate"] |= {
    "methods": lambda: [estimate(), estimate(method="delong"), estimate(method="logit", level=0.9)],
    "clusters": lambda: [
        estimate(clusters=blocks()),
        rp.auc_estimate(*TIES, clusters=[*range(6), 1, 2, *range(6), 0, 1, 2]),
    ],
    "strata": lambda: estimate(strata=woman("age")[0] // 10),
    "weights": lambda: estimate(weights=np.arange(768) % 4 + 1),
    "lower": lambda: estimate(direction="lower"),
    "by-group": lambda: [
        estimate(groups=woman("age")[0] // 15),
        estimate(groups=woman("age")[0] // 15, method="delong"),
    ],
}
# Classifiers, several classes, several features, planning ------------------------------------------------------------
CALLS_OF_TWO = ([0, 1, 1, 0, 1, 1, 0, 0, 1, 1], [1, 1, 0, 0, 1, 0, 0, 1, 1, 0], [0, 1, 1, 1, 1, 1, 0, 0, 1, 1])


def mean_roc(**options: Any) -> Any:
    x, y = woman()
    folds = [(x[np.arange(768) % 4 == fold], y[np.arange(768) % 4 == fold]) for fold in range(4)]
    return rp.mean_roc(folds, **PIMA, **options)


@cache
def class_scores() -> Any:
    means = [iris().X[iris().y == name].mean(axis=0) for name in ORDER]
    return -np.column_stack([((iris().X - mean) ** 2).sum(axis=1) for mean in means])


def many_classes(**options: Any) -> Any:
    return rp.multiclass_auc(class_scores(), iris().y, labels=ORDER, **options)


def combination(**options: Any) -> Any:
    return rp.fit_linear_combination(iris().X, iris().y, **IRIS, **options)


def distance(label: str, **options: Any) -> Any:
    return rp.class_mean_distance(iris().X, iris().y, class_label=label, **options)


def expected(positive_mean: float) -> Any:
    return rp.PredictedRoc.from_stats(mean=(4, positive_mean), std=(3, 2))


MOMENTS: dict[str, Any] = {"mean": ([0, 0], [1, 1]), "covariance": ([[1, 0], [0, 1]], [[4, 0], [0, 1]])}
PAPER: dict[str, Any] = {"mean": (4, 8), "std": (3, 2)}
GROUPS["classifiers"] |= {
    "mcnemar": lambda: [
        rp.mcnemar_test(*CALLS_OF_TWO),
        rp.mcnemar_test(*CALLS_OF_TWO, method="mid-p"),
        rp.mcnemar_test(*CALLS_OF_TWO, method="asymptotic", level=0.9),
        rp.mcnemar_test([0, 1, 1], [0, 1, 1], [0, 1, 0]),
    ],
    "folds": lambda: [mean_roc(), mean_roc(n_points=21, level=0.9), mean_roc().tpr_at_fpr([0.1, 0.5])],
}
GROUPS["multiclass"] |= {
    "hand-till": many_classes,
    "one-against-rest": lambda: many_classes(method="one-vs-rest"),
    "one-against-rest-weighted": lambda: many_classes(method="one-vs-rest", average="weighted"),
    "one-against-one": lambda: many_classes(method="one-vs-one"),
    "bootstrap": lambda: many_classes(interval_method="bootstrap", **FEW),
    "one-feature": lambda: rp.multiclass_auc(*flower("sepal_length"), labels=ORDER),
}
GROUPS["combination"] |= {
    "auc": combination,
    "ameans": lambda: combination(criterion="ameans"),
    "ridge": lambda: combination(ridge=0.1, n_folds=5),
    "no-folds": lambda: combination(n_folds=None),
    "score": lambda: combination(n_folds=None).score(iris().X),
    "moments": lambda: [
        rp.LinearCombination.from_stats(**MOMENTS),
        rp.LinearCombination.from_stats(**MOMENTS, criterion="ameans"),
    ],
    "distance": lambda: [
        distance("versicolor"),
        distance("versicolor", leave_one_out=True),
        distance("virginica", metric="mahalanobis", leave_one_out=True),
    ],
}
GROUPS["plan"] |= {
    "width": lambda: rp.sample_size(**PAPER, width=0.05),
    "width-auc": lambda: rp.sample_size(auc=0.8, width=0.1),
    "width-ratio": lambda: rp.sample_size(**PAPER, width=0.08, ratio=2, level=0.9),
    "width-methods": lambda: each(
        lambda method: rp.sample_size(**PAPER, width=0.05, method=method), ("delta", "hanley-mcneil", "obuchowski")
    ),
    "power-value": lambda: rp.sample_size(auc=0.7, power=0.9, against=0.5),
    "power-greater": lambda: rp.sample_size(**PAPER, power=0.9, against=0.8, alternative="greater", ratio=2),
    "power-two-curves": lambda: [
        rp.sample_size(expected(8), against=expected(7), power=0.8, correlation=0.5),
        rp.sample_size(expected(8), against=expected(7), power=0.8),
    ],
    "tpr-at-fpr": lambda: rp.sample_size(expected(8), width=0.1, tpr_at_fpr=0.1),
    "gamma-pair": lambda: rp.sample_size(gammas(), width=0.08),
    "pilot-sample": lambda: rp.sample_size(petals(), width=0.08),
}


# Summaries, screening, reports ---------------------------------------------------------------------------------------
def summary(rows: Any = slice(None), **options: Any) -> Any:
    return rp.summarize(iris().X[rows], iris().y[rows], **IRIS, **options)


def merged(moments: int) -> Any:
    return summary(slice(0, 80), moments=moments) + summary(slice(80, 150), moments=moments)


def through_json() -> list[Any]:
    other = rp.TwoClassSummary.from_json(merged(4).to_json())
    return [other == merged(4), other]


def screen_iris(**options: Any) -> Any:
    return rp.screen(iris().X, iris().y, feature_names=iris().feature_names, **(IRIS | options))


def screen_mixed(**options: Any) -> Any:
    return rp.screen(*mixed(), **options)


def sparse() -> Any:
    X, y = mixed()
    return scipy.sparse.csr_matrix(np.maximum(np.nan_to_num(X[:, :5]) - 0.5, 0)), y


def frames(backend: str) -> Any:
    if backend == "polars":
        import polars

        return rp.screen(polars.from_pandas(iris().to_frame()), "label", **IRIS)
    return rp.screen(iris().to_frame(), "label", **IRIS)


def exported() -> list[Any]:
    import polars

    table = screen_iris()
    names = ("auc", "empirical_auc", "p_value", "q_value", "threshold")
    columns = [[frame[name].to_numpy() for name in names] for frame in (table.to_pandas(), table.to_polars())]
    rows = [line.split(",") for line in table.to_csv().splitlines()]
    values = [[float(cell) for cell in row if re.fullmatch(r"-?\d[\d.e+-]*", cell)] for row in rows]
    with tempfile.TemporaryDirectory() as folder:
        table.to_parquet(Path(folder, "table.parquet"))
        frame = polars.read_parquet(Path(folder, "table.parquet"))
    parquet = [list(frame.shape), frame["auc"].to_numpy(), frame["q_value"].to_numpy()]
    return [*columns, [len(rows), *values], parquet, in_order(table.to_dict())]


def report_of_screening(**options: Any) -> list[str]:
    return cells(written(lambda path: screen_iris().report(path, n_top=2, date="2026-01-01", **options))[1])


def report_of_feature(x: Any, y: Any, **options: Any) -> list[str]:
    return cells(written(lambda path: rp.feature_report(x, y, path, date="2026-01-01", n_resamples=60, **options))[1])


ADJUSTMENTS = ("benjamini-hochberg", "benjamini-yekutieli", "holm", "bonferroni", "none")
AUTO_COLUMNS = "auc empirical_auc threshold ameans ameans_corrected tpr fpr misfit model_weight"
GROUPS["summary"] |= {
    "iris/moments2": summary,
    "iris/moments4": lambda: summary(moments=4),
    "iris/weights": lambda: summary(weights=np.arange(150) % 3 + 1),
    "iris/merged2": lambda: merged(2),
    "iris/merged4": lambda: merged(4),
    "iris/merged-unlike": lambda: (summary(moments=4) + summary()).order,
    "iris/selected": lambda: summary().select([2, 0]),
    "iris/json": through_json,
    "mixed/moments4": lambda: rp.summarize(*mixed(), moments=4),
    "mixed/compiled": lambda: rp.summarize(*mixed(), engine="numba"),
    "sparse/moments2": lambda: rp.summarize(*sparse()),
}
GROUPS["screen"] |= {
    "iris/moments2": screen_iris,
    "iris/moments4": lambda: screened(screen_iris(moments=4), f"{COLUMNS} {SHAPES}"),
    "iris/no-counting": lambda: screen_iris(empirical=False),
    "iris/counting-top": lambda: screen_iris(empirical="top", n_top=2),
    "iris/rest": lambda: rp.screen(iris().X, iris().y),
    "iris/pairs": lambda: rp.screen(iris().X, iris().y, pairs="all"),
    "iris/one-against-rest": lambda: rp.screen(iris().X, iris().y, positive="setosa"),
    "iris/lower": lambda: screen_iris(direction="lower"),
    "iris/higher-level": lambda: screen_iris(direction="higher", level=0.9),
    "iris/auto": lambda: screened(screen_iris(family="auto"), AUTO_COLUMNS),
    "iris/summary": lambda: rp.screen(merged(2), empirical=False),
    "iris/batches": lambda: rp.screen(
        ((iris().X[rows], iris().y[rows]) for rows in np.arange(150).reshape(3, 50)), empirical=False, **IRIS
    ),
    "iris/pandas": lambda: frames("pandas"),
    "iris/polars": lambda: frames("polars"),
    "iris/float32": lambda: rp.screen(iris().X.astype(np.float32), iris().y, **IRIS),
    "iris/exported": exported,
    "iris/ordered": lambda: [
        screen_iris().top(2),
        screen_iris().sort("threshold").row_index,
        screen_iris().in_input_order().row_index,
    ],
    "mixed/default": screen_mixed,
    "mixed/moments4": lambda: screened(screen_mixed(moments=4), SHAPES),
    "mixed/weights": lambda: screen_mixed(weights=np.arange(90) % 3 + 1),
    "mixed/compiled": lambda: screen_mixed(engine="numba"),
    "mixed/two-threads": lambda: screen_mixed(engine="numpy", n_jobs=2),
    "mixed/auto": lambda: screened(screen_mixed(family="auto", empirical="top", n_top=3), AUTO_COLUMNS),
    "mixed/adjusted": lambda: [screen_mixed(adjust=name)["q_value"] for name in ADJUSTMENTS],
    "sparse/default": lambda: rp.screen(*sparse()),
    "cancer/default": lambda: rp.screen(cancer().X, cancer().y, positive="malignant"),
    "pima/missing": lambda: rp.screen(pima_missing().X, pima_missing().y, **PIMA),
}
GROUPS["report"] |= {
    "screening": report_of_screening,
    "screening-data": lambda: report_of_screening(data=(iris().X, iris().y)),
    "feature": lambda: report_of_feature(*flower(), **IRIS, feature="width", unit="cm"),
    "feature-boxcox": lambda: report_of_feature(*skewed(), family="boxcox", prevalence=0.1),
    "feature-auto": lambda: report_of_feature(*skewed(), family="auto", direction="higher"),
    "feature-empirical": lambda: report_of_feature(*TIES, family="empirical"),
}


# scikit-learn, data, teaching, command line, figures -----------------------------------------------------------------
def thresholded(**options: Any) -> list[Any]:
    from sklearn.naive_bayes import GaussianNB

    from rocpredict.sklearn import ThresholdedClassifier

    model = ThresholdedClassifier(GaussianNB(), positive="pos", **options).fit(pima().X, pima().y)
    called = model.predict(pima().X) == "pos"
    return [model.threshold_, model.best_threshold_, model.fold_thresholds_, int(called.sum())]


def selected(**options: Any) -> list[Any]:
    from rocpredict.sklearn import RocSelector

    selector = RocSelector(**options).fit(pima().X, pima().y == "pos")
    return [selector.get_support(), selector.auc_, selector.screening_]


def scores_of_features() -> list[Any]:
    from rocpredict.sklearn import roc_score_func

    return list(roc_score_func(pima().X, pima().y == "pos"))


def of_estimator() -> list[Any]:
    from sklearn.naive_bayes import GaussianNB

    model = GaussianNB().fit(pima().X[::2], pima().y[::2])
    roc = rp.EmpiricalRoc.from_estimator(model, pima().X[1::2], pima().y[1::2], **PIMA)
    return [roc.auc(), roc.auc_interval()]


def dataset(data: Any) -> list[Any]:
    labels = [int(np.sum(data.y == label)) for label in np.unique(data.y)]
    return [list(data.X.shape), data.X, labels, len(data.feature_names), list(data.to_frame().shape)]


def page(names: str, **options: Any) -> list[Any]:
    payload = rp.TeachingPage(**options).payload()
    return [in_order(payload[name]) for name in names.split()]


def saved_page(words: str) -> list[Any]:
    """Return the exit code, and the numbers of the data in a page that the command line saves."""
    code, text = written(lambda path: run("teach", *words.split(), "--save", str(path), "--json")[0])
    data = re.search(r'class="rocpredict-data">(.*?)</script>', text, flags=re.DOTALL)
    document = json.loads(data[1]) if data else {}
    packed = re.search(r'class="rocpredict-code">(.*?)</script>', text)[1].translate(str.maketrans(",./", "&<>"))
    constants = zlib.decompress(base64.b85decode(packed)).decode().rpartition("const CONSTANTS = ")[2]
    presets = json.loads(constants.removesuffix(";"))["presets"]
    return [code, in_order(document["start"]), in_order(presets), in_order(document["datasets"])]


def reported(words: str) -> list[Any]:
    """Return the exit code, and the figures of a page that the command line writes."""
    options = ("--date", "2026-01-01", "--json")
    code, text = written(lambda path: run("report", *words.split(), "--out", str(path), *options)[0])
    return [code, cells(text)]


def drawn(name: str, *things: Any, **options: Any) -> list[Any]:
    """Return the data of all lines of a plot."""
    from rocpredict import plots

    axes = getattr(plots, name)(*things, **options)
    return [[np.asarray(line.get_xdata(), float), np.asarray(line.get_ydata(), float)] for line in axes.lines]


GROUPS["sklearn"] |= {
    "thresholded/default": thresholded,
    "thresholded/cost": lambda: thresholded(criterion="cost", cost_fn=5),
    "thresholded/lowest-tpr": lambda: thresholded(criterion="min_tpr", value=0.9, cv=3),
    "thresholded/gaussian": lambda: warned(lambda: thresholded(family="gaussian")),
    "selector": lambda: [selected(k=3), selected(min_auc=0.6), selected(max_q=0.01), selected(k=3, empirical=False)],
    "scores": scores_of_features,
    "estimator": of_estimator,
}
GROUPS["data"] |= {
    "iris": lambda: dataset(iris()),
    "pima": lambda: [dataset(pima()), dataset(pima_missing())],
    "cancer": lambda: dataset(cancer()),
    "simulated": lambda: list(rp.datasets.simulate_two_gaussians(count=(20, 30), rng=5)),
}
GROUPS["teaching"] |= {
    "default": lambda: page("normal start presets", datasets=()),
    "published": lambda: page("start", mean=(5.1, 6.4), std=(0.9, 1.2), prevalence=0.1, datasets=()),
    "iris": lambda: page("start datasets", x="iris", **IRIS, feature="petal_length", datasets=("iris",)),
    "own-data": lambda: page("datasets", x=skewed()[0], y=skewed()[1], datasets=()),
    "pima": lambda: page("datasets", datasets=("pima",)),
}
FLOWERS = "iris --positive virginica --negative versicolor"
COMMANDS = {
    "paper": "paper",
    "predict/paper": "predict --mean 4 8 --std 3 2",
    "predict/counts": "predict --mean 5.1 6.4 --sem 0.08 0.13 --count 120 80",
    "predict/gamma": "predict --mean 4 8 --std 3 5 --family gamma",
    "predict/threshold": "predict --effect-size 0.8 --threshold 0.5 --prevalence 0.1",
    "predict/cost": "predict --mean 4 8 --std 3 2 --prevalence 0.1 --criterion cost --cost-fn 5",
    "compare/iris": f"compare {FLOWERS}",
    "compare/two-features": "compare pima --feature glucose --feature mass",
    "compare/three-features": "compare pima --feature glucose --feature mass --feature age --nan omit",
    "compare/auto": f"compare {FLOWERS} --family auto --feature petal_width",
    "diagnose/iris": f"diagnose {FLOWERS} --feature petal_width --resamples 60",
    "diagnose/pima": "diagnose pima --feature age --resamples 60",
    "screen/iris": f"screen {FLOWERS}",
    "screen/pima": "screen pima --empirical top --n-top 3",
    "screen/rest": "screen iris --adjust holm",
    "plan/width": "sample-size --mean 4 8 --std 3 2 --width 0.05",
    "plan/power": "sample-size --auc 0.7 --power 0.9 --against 0.5",
    "plan/tpr": "sample-size --mean 4 8 --std 3 2 --width 0.1 --tpr-at-fpr 0.1",
}
GROUPS["command"] |= {name: partial(command, words) for name, words in COMMANDS.items()}
GROUPS["command"] |= {
    "predict/streams": lambda: each(printed, [f"predict --mean 4 8 --std {std} 2" for std in (3, -3)]),
    "report/iris": lambda: reported(f"{FLOWERS} --feature petal_width --resamples 60"),
    "teach/published": lambda: saved_page("--mean 5.1 6.4 --std 0.9 1.2"),
}
GROUPS["figure"] |= {
    "roc": lambda: drawn("plot_roc", pair(), published()),
    "roc-empirical": lambda: drawn("plot_roc", ties()),
    "comparison": lambda: drawn("plot_comparison", predicted_petals(), petals()),
    "densities": lambda: drawn("plot_densities", pair()),
    "probit": lambda: drawn("plot_probit", pair()),
    "band": lambda: drawn("plot_band", published()),
    "precision-recall": lambda: drawn("plot_precision_recall", published()),
    "decision": lambda: drawn("plot_decision", published()),
    "cost": lambda: drawn("plot_cost", published(), cost_fn=3, prevalence=0.2),
    "measures": lambda: drawn("plot_measures", published()),
    "mean-roc": lambda: drawn("plot_mean_roc", mean_roc()),
}
REFUSED: list[Call] = [
    lambda: pair().rates(6.0).precision,
    lambda: rp.Gaussian(4, -1),
    lambda: pair().best_threshold("nothing"),
    lambda: rp.predict_roc(pima_missing().column("glucose"), pima().y, **PIMA),
    lambda: rp.empirical_roc([1, 2, 3], [1, 1, 1]),
    lambda: rp.rates(tp=-1, fp=0, fn=5, tn=5),
    lambda: pair().auc_interval(),
    lambda: predicted_petals().best_threshold().stability(**FEW),
    lambda: screen_mixed(nan_policy="raise"),
]
CALLS = {f"{group}/{name}": call for group, calls in GROUPS.items() for name, call in calls.items()}
CALLS["refused"] = lambda: each(refused, REFUSED)
"""Every call by its id."""


# Tolerances ----------------------------------------------------------------------------------------------------------
def by_id(reasons: dict[str, str]) -> dict[str, str]:
    """Return the reason for each id that a pattern matches."""
    ids = {}
    for reason, patterns in reasons.items():
        for pattern in patterns.split():
            names = [name for name in CALLS if fnmatchcase(name, pattern)]
            if not names:
                raise ValueError(f"no call has the id {pattern}")
            ids |= dict.fromkeys(names, reason)
    return ids


LESS_CERTAIN = by_id(
    {
        "a threshold, a rate or a limit is found by a search that stops near a root or an optimum": """
        predicted/gamma-pair/points predicted/gamma-pair/best predicted/kernels/points predicted/kernels/best
        predicted/mixture/points predicted/mixture/best predicted/unlike-pairs criterion/[ycaf]* criterion/lowest-*
        criterion/highest-fpr distribution/kernels distribution/mixture empirical/degenerate proper/best-rule*
        proper/operating-points proper/rule-at-fpr proper/several-thresholds proper/unequal/curve grey-zone/gaussian
        interval/newcombe interval/apart interval/published/reiser-guttman interval/published/rate interval/rate
        interval/tpr-at-fpr/hilgers interval/proportion band/petals/hilgers band/petals/simultaneous
        classifiers/mcnemar combination/ameans combination/moments family/stats-* command/predict/gamma
        command/predict/cost""",
        "an area or a mean is found by adaptive quadrature": """
        predicted/*/partial-auc predicted/gamma-pair/auc predicted/kernels/auc predicted/mixture/auc
        predicted/batch/areas tail/areas proper/auc proper/partial-auc proper/gamma-pair/auc
        interval/published/partial-auc interval/fitted/partial-auc precision-recall/paper precision-recall/gamma-pair
        compare/* diagnose/petals diagnose/age diagnose/ties command/compare/* command/diagnose/*
        plan/gamma-pair plan/power-two-curves""",
        "parameters are fitted by a search for the highest likelihood, and thresholds by a root search": """
        family/kde/fit family/mixture/fit family/gamma/fit family/lo*/fit family/laplace/fit family/weibull/fit
        family/beta/fit family/exponential/fit family/auto/* family/boxcox/* family/yeojohnson/fit
        family/student-t/fit family/skew-normal/fit family/scipy-lognormal diagnose/skewed-boxcox diagnose/skewed-auto
        screen/*/auto""",
    }
)
ROUNDING = 1e-12
NEAR_ZERO = 1e-14
TOLERANCE = {name: (1e-10, reason) for name, reason in LESS_CERTAIN.items()}
"""Relative tolerance, and its reason, of each id whose results are less certain than by rounding alone."""


# Storing and comparing -----------------------------------------------------------------------------------------------
def result(name: str) -> Any:
    """Return the numbers of one call after conversion to JSON and back."""
    return json.loads(json.dumps(figures(CALLS[name]()), allow_nan=False))


def stored() -> dict[str, Any]:
    return json.loads(STORED.read_text("utf-8")) if STORED.exists() else {}


def leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, list):
        for part in value:
            yield from leaves(part)
    else:
        yield value


def nesting(value: Any) -> Any:
    """Return the nesting of lists, without the figures."""
    return [nesting(part) for part in value] if isinstance(value, list) else None


def store(replace: list[str]) -> int:
    values = stored()
    if unknown := [name for name in replace if name not in CALLS]:
        print(f"no such id: {', '.join(unknown)}", file=sys.stderr)  # noqa: T201
        return 2
    new = [name for name in CALLS if name not in values or name in replace]
    values |= {name: result(name) for name in new}
    rows = [f"{json.dumps(name)}: {json.dumps(values[name], allow_nan=False)}" for name in sorted(values)]
    STORED.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")
    print(f"{len(new)} stored, {len(values)} in all")  # noqa: T201
    return 0


def agree(now: object, before: object, tolerance: float, floor: float) -> bool:
    """Whole numbers, booleans, None and what is no finite number agree exactly, other numbers nearly."""
    if isinstance(now, bool) or isinstance(before, bool) or not isinstance(before, float):
        return type(now) is type(before) and now == before
    return isinstance(now, int | float) and abs(now - before) <= max(tolerance * abs(before), floor)


def mismatches(name: str) -> list[tuple[object, object]]:
    """Return the figures of an id that are beyond its tolerance, each with the stored one."""
    now, before = result(name), stored()[name]
    if nesting(now) != nesting(before):
        return [(now, before)]
    tolerance = TOLERANCE.get(name, (ROUNDING, ""))[0]
    # A number near 1 is rounded by 1e-16, and a difference of a few hundred operations by less than 1e-14: that much
    # any figure may be off near zero. Tails are exact on their own scale, however small: for them there is no floor.
    floor = 0.0 if name.startswith("tail/") else NEAR_ZERO
    pairs = zip(leaves(now), leaves(before), strict=True)
    return [(new, old) for new, old in pairs if not agree(new, old, tolerance, floor)]


def check() -> int:
    wrong = {name: found for name in sorted(CALLS) if (found := mismatches(name))}
    for name, found in wrong.items():
        print(f"{name}: (now, stored) {found[:5]}")  # noqa: T201
    print(f"{len(CALLS)} compared, {len(wrong)} differ by more than their tolerance")  # noqa: T201
    return int(bool(wrong))


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Store the results of public calls, or compare with them.")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--store", action="store_true", help="add the results of ids that are not stored yet")
    what.add_argument("--check", action="store_true", help="compare within the tolerance of each id")
    parser.add_argument("--replace", action="append", default=[], metavar="ID", help="store this id again")
    options = parser.parse_args(words)
    if options.replace and not options.store:
        parser.error("--replace goes with --store")
    return store(options.replace) if options.store else check()


if __name__ == "__main__":
    sys.exit(main())
