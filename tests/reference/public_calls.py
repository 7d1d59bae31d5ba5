"""Calls of the public interface whose results are stored, so that a later change of any figure is seen.

Each call has an id that stays, and gives figures only: no names of the library. When the library renames something,
the calls here follow, and neither the ids nor the stored values change.

    python -m tests.reference.public_calls --store                  add the results of new ids
    python -m tests.reference.public_calls --store --replace ID     store one result anew
    python -m tests.reference.public_calls --exact                  compare to the last bit
"""

import argparse
import html
import io
import json
import math
import re
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from fnmatch import fnmatchcase
from functools import cache, partial
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
def figures(value: Any) -> Any:
    """Turn a result into numbers, booleans, None and lists of them; a word is an error."""
    if value is None or isinstance(value, bool | np.bool_):
        return None if value is None else bool(value)
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        return number(float(value))
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "biuf":
            raise TypeError(f"an array of {value.dtype} holds no figures")
        return thinned(value.ravel()) if value.size > MANY else figures(value.tolist())
    if isinstance(value, list | tuple):
        return [figures(part) for part in value]
    if isinstance(value, str) and NUMERAL.fullmatch(value):
        return value
    raise TypeError(f"{value!r} is no figure")


def number(value: float) -> float | str:
    """Give a float as JSON can hold it."""
    return value if math.isfinite(value) else str(value)


def thinned(values: Any, many: int = MANY) -> list[Any]:
    """Give the size, how many are finite, their sum, and values spread over a long array."""
    values = np.asarray(values)
    finite = values[np.isfinite(values)]
    picked = values[np.linspace(0, values.size - 1, many).round().astype(int)]
    return [values.size, finite.size, math.fsum(finite.tolist()), *figures(picked.tolist())]


def flagged(flags: Any) -> int:
    """Count the flags that are set, over all features."""
    return sum(int(np.sum(mask)) for mask in flags.values())


def interval(found: Any) -> list[Any]:
    return [found.low, found.high, found.estimate, found.width, found.level, flagged(found.flags)]


def best(found: Any) -> list[Any]:
    rates = [found.threshold, found.tpr, found.fpr, found.tnr, found.fnr, found.criterion_value, found.ameans]
    return [*rates, found.crossings, found.crossing_count, *found.plateau, flagged(found.flags)]


def within_classes(rates: Any) -> list[Any]:
    """Give the measures that need no prevalence, their aliases too."""
    plain = [rates.tpr, rates.fpr, rates.tnr, rates.fnr, rates.ameans, rates.youden, rates.balanced_accuracy]
    alias = [rates.recall, rates.sensitivity, rates.hit_rate, rates.specificity, rates.selectivity, rates.fall_out]
    error = [rates.miss_rate, rates.false_alarm_rate, rates.type_1_error, rates.type_2_error, rates.informedness]
    ratio = [rates.positive_likelihood_ratio, rates.negative_likelihood_ratio, rates.diagnostic_odds_ratio]
    return [*plain, *alias, *error, *ratio, len(rates.undefined)]


def with_prevalence(rates: Any) -> list[Any]:
    """Give the measures that need a prevalence."""
    calls = [rates.precision, rates.ppv, rates.npv, rates.false_discovery_rate, rates.false_omission_rate]
    right = [rates.accuracy, rates.error_rate, rates.mcc, rates.f1, rates.f_beta(2), rates.predicted_positive_rate]
    return [*calls, *right, rates.base_rate, rates.confusion_joint, rates.confusion_conditional, len(rates.undefined)]


def two_sided(rule: Any) -> list[Any]:
    return [
        rule.low,
        rule.high,
        rule.positive_inside,
        rule.thresholds,
        rule.tpr,
        rule.fpr,
        rule.tnr,
        rule.fnr,
        rule.ameans,
    ]


def zone(found: Any) -> list[Any]:
    rates = [found.low, found.high, found.rule_out, found.rule_in, found.tpr, found.fpr, found.tnr, found.fnr]
    undecided = [found.undecided_negative, found.undecided_positive, found.single_threshold, *found.likelihood_ratios]
    return [*rates, *undecided, found.decided_rates.ameans]


def curve(found: Any) -> list[Any]:
    return [found.thresholds, found.fpr, found.tpr]


def band(found: Any) -> list[Any]:
    return [found.fpr, found.tpr, found.low, found.high, found.level, found.mean_width, flagged(found.flags)]


def tested(test: Any) -> list[Any]:
    head = [test.estimates, test.difference, interval(test.interval), test.statistic, test.p_value]
    return [*head, test.n, test.omitted, flagged(test.flags)]


def tested_many(test: Any) -> list[Any]:
    head = [test.estimates, test.covariance, test.statistic, test.df, test.p_value, test.adjusted_p_values]
    contrasts = [[part.difference, part.statistic, part.p_value, interval(part.interval)] for part in test.contrasts]
    return [*head, contrasts, test.n, test.omitted, flagged(test.flags)]


def estimated(found: Any) -> list[Any]:
    head = [found.auc, found.std_error, interval(found.interval), found.n, found.n_independent, found.n_strata]
    return [*head, found.omitted, found.n_uncompared, flagged(found.flags)]


def stability(found: Any) -> list[Any]:
    shares = [found.fraction_in_plateau, found.ameans_in_sample, found.ameans_oob]
    return [found.thresholds, list(found.quantiles.values()), *shares, found.n_resamples, found.n_failed]


def trusted(found: Any) -> list[Any]:
    share = [found.model_weight, found.is_shrinkage, found.area_between, found.misfit_ratio]
    return [*share, found.n_negative, found.n_positive]


def planned(found: Any) -> list[Any]:
    cases = [found.n_negative, found.n_positive, found.total, found.target, found.achieved, found.estimate]
    others = [[o.n_negative, o.n_positive, o.total, o.achieved_reference] for o in found.other_methods]
    return [*cases, found.achieved_reference, found.std_error, found.level, others, len(found.assumptions)]


def compared(found: Any) -> list[Any]:
    return [part for part in found.to_dict().values() if not isinstance(part, str)]


def shape(found: Any) -> list[Any]:
    moments = [found.count, found.mean, found.std, found.skewness, found.skewness_z, found.kurtosis, found.kurtosis_z]
    return [*moments, found.minimum, found.maximum, found.n_unique, found.mode, found.mode_fraction, found.constant]


def diagnosed(found: Any) -> list[Any]:
    areas = [found.predicted_auc, found.empirical_auc, found.auc_error, found.auc_p_value]
    gaps = [
        found.area_between,
        found.area_between_expected,
        found.area_between_p_value,
        found.max_tpr_gap,
        found.max_tpr_gap_fpr,
    ]
    levels = [sum(part.severity == level for part in found.findings) for level in ("ok", "note", "warn")]
    classes = [shape(found.negative), shape(found.positive), interval(found.std_ratio)]
    return [*areas, *gaps, *classes, [part.value for part in found.findings], levels]


def combined(found: Any) -> list[Any]:
    promised = [found.coefficients, found.mixing_weight, found.auc, found.ameans, found.threshold]
    return [*promised, found.auc_cv, found.ameans_cv, found.n_folds, found.roc.auc()]


def averaged(found: Any) -> list[Any]:
    curves = [found.fpr, found.tpr, found.low, found.high, found.std, found.aucs, found.fold_sizes]
    return [*curves, found.auc, interval(found.auc_interval), found.n_folds, flagged(found.flags)]


def multiclass(found: Any) -> list[Any]:
    parts = [[part.auc, interval(part.interval)] for part in found.binary_aucs]
    return [found.auc, interval(found.interval), parts, list(found.n_by_class.values()), flagged(found.flags)]


def mcnemar(found: Any) -> list[Any]:
    rates = [interval(found.error_rate1), interval(found.error_rate2), found.difference, interval(found.interval)]
    return [*rates, list(found.agreement), found.statistic, found.p_value, found.n, flagged(found.flags)]


COLUMNS = (
    *("n_negative", "n_positive", "n_missing", "negative_mean", "negative_std", "positive_mean", "positive_std"),
    *("effect_size", "auc", "auc_low", "auc_high", "empirical_auc", "empirical_se", "empirical_low", "empirical_high"),
    *("p_value", "q_value", "threshold", "ameans", "ameans_corrected", "tpr", "fpr", "misfit"),
)
SHAPES = (
    *("negative_skewness", "negative_kurtosis", "negative_minimum", "negative_maximum"),
    *("positive_skewness", "positive_kurtosis", "positive_minimum", "positive_maximum"),
)


def screened(table: Any, columns: tuple[str, ...] = COLUMNS) -> list[Any]:
    """Give the columns of numbers in their order here, for the features as the table orders them."""
    higher = [direction == "higher" for direction in table["direction"]]
    columns_there = [np.asarray(table[name]) for name in columns if name in table.columns]
    counts = [table.n_observations, table.n_screened, table.n_tested, flagged(table.flags)]
    return [*counts, table.row_index, higher, *columns_there]


def of_class(summary: Any) -> list[Any]:
    return [summary.count, summary.n_missing, summary.mean, summary.m2, summary.std]


def of_class_with_shape(summary: Any) -> list[Any]:
    moments = [summary.m3, summary.m4, summary.skewness, summary.kurtosis, summary.minimum, summary.maximum]
    return [*of_class(summary), *moments]


def summarised(summary: Any) -> list[Any]:
    of = of_class_with_shape if summary.order == 4 else of_class
    return [of(summary.negative), of(summary.positive)]


def density(distribution: Any, points: Any) -> list[Any]:
    """Give a distribution at points and at probabilities."""
    at = np.asarray(points, dtype=float)
    shares = np.array([0.01, 0.1, 0.5, 0.9, 0.99])
    tails = [distribution.cdf(at), distribution.sf(at), distribution.cdf_strict(at), distribution.sf_inclusive(at)]
    return [*tails, distribution.pdf(at), distribution.logpdf(at), distribution.ppf(shares), distribution.isf(shares)]


def shares(distribution: Any, points: Any) -> list[Any]:
    """Give a distribution without a density at points and at probabilities."""
    at, some = np.asarray(points, dtype=float), np.array([0.01, 0.1, 0.5, 0.9, 0.99])
    tails = [distribution.cdf(at), distribution.sf(at), distribution.cdf_strict(at), distribution.sf_inclusive(at)]
    return [*tails, distribution.ppf(some), distribution.isf(some), *distribution.atoms()]


def lines(axes: Any) -> list[Any]:
    """Give the data of all lines of a plot."""
    return [[np.asarray(line.get_xdata(), float), np.asarray(line.get_ydata(), float)] for line in axes.lines]


def warned(call: Call) -> list[Any]:
    """Give the number of warnings about assumptions, and the result."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", category=rp.AssumptionWarning)
        result = call()
    return [len(caught), result]


def refused(call: Call) -> bool:
    """Say whether the call is refused as the user's error."""
    try:
        call()
    except rp.RocPredictError:
        return True
    return False


def numbers(document: Any) -> Iterator[Any]:
    """Give the numbers of parsed JSON in the order of the document."""
    if isinstance(document, dict | list):
        for part in document.values() if isinstance(document, dict) else document:
            yield from numbers(part)
    elif isinstance(document, bool | int | float) or document in {"inf", "-inf"}:
        yield float(document) if isinstance(document, str) else document


def in_order(document: Any) -> list[Any]:
    """Give all numbers of a short document, and spread ones of a long one."""
    found = list(numbers(document))
    return found if len(found) <= 100 else thinned(np.array(found, dtype=float), 40)


def run(*words: str) -> tuple[int, str, str]:
    """Run the command line in this process: exit code, output, errors."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = command_line(list(words))
    return code, out.getvalue(), err.getvalue()


def command(*words: str) -> list[Any]:
    """Give the exit code, the numbers that a command prints as JSON, and how many lines it writes to stderr."""
    code, out, err = run(*words, "--json")
    return [code, in_order(json.loads(out)), len(err.splitlines())]


def printed(*words: str) -> list[Any]:
    """Give the exit code and the lines that a command writes to each stream."""
    code, out, err = run(*words)
    return [code, len(out.splitlines()), len(err.splitlines())]


def cells(page: str) -> list[str]:
    """Give the figures in the cells of tables of a page, as they are shown; cells with words are left out."""
    found: list[str] = []
    for cell in re.findall(r"<td[^>]*>(.*?)</td>", page, flags=re.DOTALL):
        text = html.unescape(re.sub(r"<[^>]*>", " ", cell)).strip()
        parts = [part for part in re.split(r"\s+|\bto\b|[(),;]", text) if part]
        if parts and all(NUMERAL.fullmatch(part) or part == "%" for part in parts):
            found += [part for part in parts if part != "%"]
    return found


def written(write: Callable[[Path], Any]) -> list[str]:
    """Give the figures in the tables of a page that is written to a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "page.html")
        write(path)
        return cells(path.read_text("utf-8"))


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


@cache
def iris() -> Any:
    return rp.datasets.load_iris()


@cache
def pima() -> Any:
    return rp.datasets.load_pima()


@cache
def pima_missing() -> Any:
    return rp.datasets.load_pima(zeros_as_missing=True)


@cache
def cancer() -> Any:
    return rp.datasets.load_breast_cancer()


def flower(name: str = "petal_width") -> tuple[Any, Any]:
    return iris().column(name), iris().y


def woman(name: str = "glucose") -> tuple[Any, Any]:
    return pima().column(name), pima().y


@cache
def skewed() -> tuple[Any, Any]:
    """Give gamma variates of 40 negatives and 35 positives."""
    rng = np.random.default_rng(20)
    return np.concatenate([rng.gamma(2, 1, 40), rng.gamma(3.5, 1.1, 35)]), np.repeat([0, 1], [40, 35])


@cache
def normal() -> tuple[Any, Any]:
    return rp.datasets.simulate_two_gaussians(count=(45, 30), seed=3)


@cache
def mixed() -> tuple[Any, Any]:
    """Give a table with normal, skewed, tied, reversed, incomplete and constant features."""
    rng = np.random.default_rng(4)
    y = np.arange(90) % 3 == 0
    gaps = np.where(rng.random(90) < 0.2, np.nan, rng.normal(size=90) + 0.5 * y)
    tied = rng.integers(0, 4, 90) + y
    features = [rng.normal(size=90) + y, rng.exponential(size=90) * (1 + y), tied, -rng.normal(size=90) - y, gaps]
    return np.column_stack([*features, np.full(90, 2.5)]), y.astype(int)


def paper(**options: Any) -> Any:
    return rp.PredictedRoc(negative=rp.Gaussian(4, 3), positive=rp.Gaussian(8, 2), **options)


def published(**options: Any) -> Any:
    return rp.PredictedRoc.from_stats(mean=(4, 8), std=(3, 2), count=(60, 40), **options)


def from_stats(*answers: str, **given: Any) -> list[Any]:
    roc = rp.PredictedRoc.from_stats(**given)
    return [roc.auc(), best(roc.best_threshold()), roc.tpr_at_fpr(0.1), *(getattr(roc, name)() for name in answers)]


def batch() -> Any:
    return rp.PredictedRoc(
        rp.Gaussian([0.0, 4.0, 1.0, 2.0], [1.0, 3.0, 1.0, 0.5]), rp.Gaussian([1, 8, 1, 1], [1, 2, 3, 0.5])
    )


def ties(**options: Any) -> Any:
    return rp.empirical_roc(*TIES, **options)


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


def kernels(**options: Any) -> Any:
    x, y = skewed()
    return rp.PredictedRoc(rp.GaussianKde(x[y == 0], **options), rp.GaussianKde(x[y == 1], **options))


def two_groups() -> Any:
    return rp.PredictedRoc(rp.Gaussian(2, 1), rp.GaussianMixture([0.3, 0.7], [0, 4], [1, 0.5]))


EACH: dict[str, Call] = {}


def register(**groups: dict[str, Call]) -> None:
    """Add calls, each under the name of its group and its own."""
    for group, calls in groups.items():
        for name, call in calls.items():
            whole = f"{group.replace('_', '-')}/{name}"
            if whole in EACH:
                raise ValueError(f"two calls have the id {whole}")
            EACH[whole] = call


def everything(make: Call) -> dict[str, Call]:
    """Give the questions that every ROC answers."""

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
        "best": lambda: [best(make().best_threshold()), curve(make().curve(65))],
    }


# Families ------------------------------------------------------------------------------------------------------------
FAMILIES = (
    *("gaussian", "auto", "boxcox", "yeojohnson", "kde", "empirical", "histogram", "mixture", "gamma", "lognormal"),
    *("logistic", "laplace", "exponential", "weibull", "beta", "student_t", "skew_normal"),
)


def family_fit(family: str) -> list[Any]:
    def answers() -> list[Any]:
        roc = fitted(family)
        at = [0.2, 0.4, 0.6] if family == "beta" else [0.5, 2.0, 4.0]
        points = [roc.tpr(at), roc.fpr(at), roc.tpr_at_fpr([0.1, 0.5]), roc.partial_auc(fpr=(0, 0.2))]
        return [roc.auc(), best(roc.best_threshold()), points, curve(roc.curve(33)), trusted(roc.model_fit())]

    return warned(answers)


def auto(direction: str) -> list[Any]:
    roc = fitted("auto", direction=direction)
    return [roc.auc(), best(roc.best_threshold()), trusted(roc.model_fit())]


def auto_ties() -> list[Any]:
    roc = rp.predict_roc(*TIES, family="auto", direction="higher")
    return [roc.auc(), best(roc.best_threshold()), roc.tpr_at_fpr(0.2), trusted(roc.model_fit())]


def missing_values() -> list[Any]:
    roc = rp.predict_roc(pima_missing().column("glucose"), pima().y, **PIMA, nan_policy="omit")
    return [roc.auc(), roc.prevalence, best(roc.best_threshold()), interval(roc.auc_interval())]


def bounds() -> list[Any]:
    from rocpredict.solvers.histogram import ameans_bounds, auc_bounds

    pair = (histograms().negative, histograms().positive)
    return [*auc_bounds(*pair), *ameans_bounds(*pair)]


# Predicted curves ----------------------------------------------------------------------------------------------------
register(
    predicted={
        **{f"paper/{name}": call for name, call in everything(paper).items()},
        **{f"gamma-pair/{name}": call for name, call in everything(gammas).items()},
        **{f"histograms/{name}": call for name, call in everything(histograms).items()},
        **{f"kernels/{name}": call for name, call in everything(kernels).items()},
        **{f"mixture/{name}": call for name, call in everything(two_groups).items()},
        "paper/slope": lambda: [paper().slope([0.01, 0.1, 0.5, 0.9]), paper().slope(0.2)],
        "paper/hook": lambda: [*paper().hook(), paper().hook().exists],
        "paper/log-auc-complement": lambda: paper().log_auc_complement(),
        "paper/crossings": lambda: [paper().crossings(), paper().crossings(prevalence=0.1, cost_fn=5)],
        "paper/measures": lambda: within_classes(paper().rates(6.0)),
        "paper/measures-prevalence": lambda: with_prevalence(paper().rates(6.0, prevalence=0.1)),
        "paper/measures-without-prevalence-refused": lambda: refused(lambda: paper().rates(6.0).precision),
        "paper/lower": lambda: [paper(direction="lower").auc(), best(paper(direction="lower").best_threshold())],
        "paper/higher": lambda: [paper(direction="higher").auc(), best(paper(direction="higher").best_threshold())],
        "paper/auto": lambda: best(
            rp.PredictedRoc(rp.Gaussian(8, 2), rp.Gaussian(4, 3), direction="auto").best_threshold()
        ),
        "unequal/hook": lambda: [*rp.PredictedRoc.from_stats(mean=(4.2, 4.4), std=(0.3, 0.8)).hook()],
        "stats/counts": lambda: from_stats(mean=(5.1, 6.4), std=(0.9, 1.2), count=(120, 80)),
        "stats/prevalence": lambda: (
            rp.PredictedRoc.from_stats(mean=(5.1, 6.4), std=(0.9, 1.2), count=(120, 80)).prevalence
        ),
        "stats/standard-error-of-mean": lambda: from_stats(mean=(5.1, 6.4), sem=(0.08, 0.13), count=(120, 80)),
        "stats/median-iqr-widths": lambda: from_stats(median=(5.0, 6.4), iqr=(1.2, 1.6)),
        "stats/median-iqr-quartiles": lambda: from_stats(median=(5.0, 6.4), iqr=((4.4, 5.6), (5.6, 7.2))),
        "stats/effect-size": lambda: from_stats(effect_size=0.8),
        "stats/lower": lambda: from_stats(mean=(8, 4), std=(2, 3), direction="lower"),
        "stats/batch": lambda: from_stats(mean=([4, 0], [8, 1]), std=([3, 1], [2, 2])),
        "stats/summary": lambda: rp.PredictedRoc.from_summary(rp.summarize(iris().X, iris().y, **IRIS)).auc(),
        "stats/summary-lower": lambda: rp.PredictedRoc.from_summary(
            rp.summarize(iris().X, iris().y, **IRIS), direction="lower"
        ).auc(),
        "batch/auc": lambda: [batch().auc(), batch().auc_complement(), list(batch().shape)],
        "batch/best": lambda: best(batch().best_threshold()),
        "batch/rates": lambda: [batch().tpr(1.5), batch().fpr([0.5, 6, 1, 2]), batch().tpr_grid([0.0, 1.0, 5.0])],
        "batch/fpr-grid": lambda: batch().fpr_grid([0.0, 1.0, 5.0]),
        "batch/operating-points": lambda: [batch().tpr_at_fpr(0.1), batch().threshold_at_tpr(0.9)],
        "batch/partial-auc": lambda: batch().partial_auc(fpr=(0, 0.2), correction="mcclish"),
        "batch/hook": lambda: [*batch().hook(), batch().hook().exists],
        "batch/proper": lambda: [batch().proper().auc(), two_sided(batch().proper().best_rule())],
        "batch/cost": lambda: best(batch().best_threshold("cost", prevalence=[0.1, 0.2, 0.3, 0.4], cost_fn=3)),
        "point-mass/one": lambda: [
            rp.PredictedRoc(rp.Gaussian(4, 0), rp.Gaussian(8, 2)).auc(),
            best(rp.PredictedRoc(rp.Gaussian(4, 0), rp.Gaussian(8, 2)).best_threshold()),
        ],
        "point-mass/both": lambda: best(rp.PredictedRoc(rp.Gaussian(4, 0), rp.Gaussian(8, 0)).best_threshold()),
        "point-mass/same": lambda: [
            rp.PredictedRoc(rp.Gaussian(4, 0), rp.Gaussian(4, 0)).auc(),
            best(rp.PredictedRoc(rp.Gaussian(4, 0), rp.Gaussian(4, 0)).best_threshold()),
        ],
        "identical/best": lambda: best(rp.PredictedRoc(rp.Gaussian(4, 2), rp.Gaussian(4, 2)).best_threshold()),
        "reversed/best": lambda: best(rp.PredictedRoc(rp.Gaussian(8, 2), rp.Gaussian(4, 2)).best_threshold()),
        "same-mean/best": lambda: best(rp.PredictedRoc(rp.Gaussian(4, 1), rp.Gaussian(4, 3)).best_threshold()),
        "negative-deviation-refused": lambda: refused(lambda: rp.Gaussian(4, -1)),
        "unlike-pair/gaussian-logistic": lambda: [
            rp.PredictedRoc(rp.Gaussian(4, 3), scipy.stats.logistic(8, 2)).auc(),
            best(rp.PredictedRoc(rp.Gaussian(4, 3), scipy.stats.logistic(8, 2)).best_threshold()),
        ],
        "unlike-pair/sample-gaussian": lambda: [
            rp.PredictedRoc(rp.Ecdf(np.array([1.0, 2.0, 2.0, 5.0])), rp.Gaussian(4, 1)).auc(),
            best(rp.PredictedRoc(rp.Ecdf(np.array([1.0, 2.0, 2.0, 5.0])), rp.Gaussian(4, 1)).best_threshold()),
        ],
        "discrete-pair/poisson": lambda: [
            rp.PredictedRoc(scipy.stats.poisson(3), scipy.stats.poisson(6)).auc(),
            best(rp.PredictedRoc(scipy.stats.poisson(3), scipy.stats.poisson(6)).best_threshold()),
        ],
    },
    tail={
        "auc-complement": lambda: rp.PredictedRoc(rp.Gaussian(0, 1), rp.Gaussian(30, 1)).auc_complement(),
        "log-auc-complement": lambda: rp.PredictedRoc(rp.Gaussian(0, 1), rp.Gaussian(90, 1)).log_auc_complement(),
        "rates": lambda: [paper().fpr([20.0, 40.0, 80.0]), paper().fnr([-20.0, -40.0])],
        "tpr-at-fpr": lambda: [paper().tpr_at_fpr([1e-12, 1e-50, 1e-200]), paper().fpr_at_tpr([1e-12, 1e-50])],
        "partial-auc": lambda: [paper().partial_auc(fpr=(0, 1e-6)), paper().partial_auc(fpr=(0, 1e-12))],
        "gaussian": lambda: [rp.Gaussian(0, 1).sf([10.0, 20.0, 35.0]), rp.Gaussian(0, 1).isf([1e-20, 1e-300])],
    },
    criterion={
        **{
            f"{pair}/{name}": partial(lambda make, given: best(make().best_threshold(**given)), make, given)
            for pair, make in {"paper": paper, "ties": ties, "gamma-pair": gammas}.items()
            for name, given in {
                "youden": {"criterion": "youden"},
                "cost": {"criterion": "cost", "prevalence": 0.1, "cost_fp": 1, "cost_fn": 20},
                "accuracy": {"criterion": "accuracy", "prevalence": 0.3},
                "f1": {"criterion": "f1", "prevalence": 0.3},
                "f-beta": {"criterion": "f_beta", "beta": 2.0, "prevalence": 0.3},
                "closest-to-top-left": {"criterion": "closest_topleft"},
                "lowest-tpr": {"criterion": "min_tpr", "value": 0.8},
                "lowest-tnr": {"criterion": "min_tnr", "value": 0.8},
                "highest-fpr": {"criterion": "max_fpr", "value": 0.25},
            }.items()
        },
        "paper/balanced-accuracy": lambda: best(paper().best_threshold("balanced_accuracy")),
        "paper/function": lambda: best(paper().best_threshold(lambda rates: rates.mcc, prevalence=0.1)),
        "ties/function": lambda: best(ties().best_threshold(lambda rates: rates.mcc)),
        "paper/always-negative": lambda: best(paper().best_threshold("accuracy", prevalence=1e-9)),
        "published/accuracy": lambda: best(published().best_threshold("accuracy")),
        "unknown-refused": lambda: refused(lambda: paper().best_threshold("nothing")),
    },
    distribution={
        "gaussian": lambda: density(rp.Gaussian(4, 3), AT),
        "gaussian-fit": lambda: [
            *(rp.Gaussian.fit([1.0, 2.0, 4.0, 8.0]).mean, rp.Gaussian.fit([1.0, 2.0, 4.0, 8.0]).std),
            *(rp.Gaussian.fit([1.0, 2.0, 4.0], ddof=0).std, rp.Gaussian.fit([1.0, 2.0, 4.0], weights=[1, 2, 3]).std),
        ],
        "gaussian-reflected": lambda: density(rp.Gaussian(4, 3).reflect(), AT),
        "sample": lambda: shares(rp.Ecdf(np.array([1.0, 2.0, 2.0, 3.5, 8.0])), AT),
        "sample-weighted": lambda: shares(rp.Ecdf(np.array([1.0, 2.0, 3.5]), np.array([1.0, 2.0, 5.0])), AT),
        "kernels": lambda: density(rp.GaussianKde(skewed()[0]), AT),
        "kernels-weighted": lambda: density(
            rp.GaussianKde(np.array([1.0, 2.0, 3.5]), weights=np.array([1.0, 2, 5])), AT
        ),
        "kernels-scott": lambda: density(rp.GaussianKde(skewed()[0], bandwidth="scott"), AT),
        "kernels-cube-root": lambda: density(rp.GaussianKde(skewed()[0], bandwidth="cube-root"), AT),
        "kernels-variance": lambda: density(rp.GaussianKde(skewed()[0], variance_preserving=True), AT),
        "mixture": lambda: density(rp.GaussianMixture([0.3, 0.7], [0, 4], [1, 0.5]), AT),
        "mixture-fit": lambda: density(rp.GaussianMixture.fit(flower("petal_length")[0]), AT),
        "mixture-fit-two": lambda: density(rp.GaussianMixture.fit(flower("petal_length")[0], n_components=2), AT),
        "histogram": lambda: density(rp.Histogram([0, 1, 3, 5, 10], [3, 4, 2, 1]), AT),
        "histogram-fit": lambda: density(rp.Histogram.fit(skewed()[0]), AT),
        "histogram-fit-bins": lambda: density(rp.Histogram.fit(skewed()[0], bins=7), AT),
        "bounds-of-histograms": bounds,
    },
    family={
        **{f"{family.replace('_', '-')}/fit": partial(family_fit, family) for family in FAMILIES},
        **{
            f"stats-{family}": partial(from_stats, mean=(0.4, 0.6), std=(0.15, 0.2), family=family)
            for family in ("gamma", "lognormal", "weibull", "logistic", "laplace", "beta")
        },
        "stats-exponential": lambda: from_stats(mean=(0.4, 0.6), std=(0.4, 0.6), family="exponential"),
        "scipy-lognormal": lambda: [
            fitted(scipy.stats.lognorm).auc(),
            best(fitted(scipy.stats.lognorm).best_threshold()),
        ],
        "auto/higher": lambda: auto("higher"),
        "auto/lower": lambda: warned(lambda: auto("lower")),
        "auto/ties": auto_ties,
        "auto/zone": lambda: zone(fitted("auto", direction="higher").grey_zone(max_fnr=0.1, max_fpr=0.1)),
        "boxcox/interval": lambda: interval(fitted("boxcox").auc_interval(method="bootstrap", n_resamples=50, rng=1)),
        "gaussian/warning": lambda: warned(lambda: rp.predict_roc(*woman("age"), **PIMA).auc()),
        "gaussian/missing": missing_values,
        "gaussian/missing-refused": lambda: refused(
            lambda: rp.predict_roc(pima_missing().column("glucose"), pima().y, **PIMA)
        ),
        "gaussian/weights": lambda: [rp.predict_roc(*TIES, weights=WEIGHTED[2]).auc()],
        "gaussian/lower": lambda: rp.predict_roc(*REVERSED, direction="lower").auc(),
        "gaussian/auto-direction": lambda: rp.predict_roc(*REVERSED, direction="auto").auc(),
    },
    empirical={
        **{f"ties/{name}": call for name, call in everything(ties).items()},
        **{f"petals/{name}": call for name, call in everything(petals).items()},
        "ties/slope": lambda: ties().slope([0.05, 0.3, 0.6]),
        "ties/hook": lambda: [*ties().hook(), ties().hook().exists],
        "ties/crossings": lambda: ties().crossings(),
        "ties/measures": lambda: within_classes(ties().rates(4.0)),
        "ties/measures-prevalence": lambda: [*with_prevalence(ties().rates(4.0)), ties().prevalence],
        "ties/corrected-best": lambda: ties().best_threshold().ameans_corrected,
        "petals/corrected-best": lambda: petals().best_threshold().ameans_corrected,
        "reversed/none": lambda: [
            rp.empirical_roc(*REVERSED).auc(),
            best(rp.empirical_roc(*REVERSED).best_threshold()),
        ],
        "reversed/lower": lambda: [
            rp.empirical_roc(*REVERSED, direction="lower").auc(),
            best(rp.empirical_roc(*REVERSED, direction="lower").best_threshold()),
        ],
        "reversed/auto": lambda: best(rp.empirical_roc(*REVERSED, direction="auto").best_threshold()),
        "reversed/hook": lambda: [*rp.empirical_roc(*REVERSED).hook()],
        "apart/best": lambda: [rp.empirical_roc(*APART).auc(), best(rp.empirical_roc(*APART).best_threshold())],
        "constant/best": lambda: best(rp.empirical_roc([1, 1, 1, 1], [0, 0, 1, 1]).best_threshold()),
        "weights/auc": lambda: [weighted().auc(), weighted().tpr(AT), weighted().fpr(AT)],
        "weights/best": lambda: best(weighted().best_threshold()),
        "weights/interval": lambda: [interval(weighted().auc_interval()), weighted().auc_std_error()],
        "rest/auc": lambda: rp.empirical_roc(*flower("sepal_width"), positive="setosa").auc(),
        "missing/auc": lambda: rp.empirical_roc(
            pima_missing().column("insulin"), pima().y, **PIMA, nan_policy="omit"
        ).auc(),
        "predictions": lambda: rp.EmpiricalRoc.from_predictions(TIES[1], TIES[0]).auc(),
        "samples": lambda: [
            rp.EmpiricalRoc(negative=[1, 2, 3], positive=[3, 4]).auc(),
            best(rp.EmpiricalRoc(negative=[1, 2, 3], positive=[3, 4]).best_threshold()),
        ],
        "empty-class-refused": lambda: refused(lambda: rp.empirical_roc([1, 2, 3], [1, 1, 1])),
    },
    rates={
        "counts": lambda: within_classes(rp.rates(tp=80, fp=10, fn=20, tn=90)),
        "counts-prevalence": lambda: with_prevalence(rp.rates(tp=80, fp=10, fn=20, tn=90)),
        "confusion": lambda: rp.rates(tp=80, fp=10, fn=20, tn=90).confusion,
        "undefined": lambda: [within_classes(rp.rates(0, 0, 5, 5)), with_prevalence(rp.rates(0, 0, 5, 5))],
        "arrays": lambda: with_prevalence(rp.rates([8, 5], [1, 0], [2, 5], [9, 0])),
        "negative-counts-refused": lambda: refused(lambda: rp.rates(-1, 0, 5, 5)),
    },
)


# More than one threshold, views --------------------------------------------------------------------------------------
def salt() -> Any:
    return rp.PredictedRoc.from_stats(mean=(4.2, 4.4), std=(0.3, 0.8))


def proper_questions(make: Call) -> dict[str, Call]:
    def gained() -> list[Any]:
        gain = make().proper().gain()
        return [
            gain.auc_single,
            gain.auc,
            gain.ameans_single,
            gain.ameans,
            gain.auc_gain,
            gain.ameans_gain,
            gain.youden_gain,
        ]

    return {
        "auc": lambda: [make().proper().auc(), make().proper().auc_complement(), gained()],
        "best-rule": lambda: two_sided(make().proper().best_rule()),
        "best-rule-costs": lambda: two_sided(make().proper().best_rule(prevalence=0.1, cost_fn=5)),
        "operating-points": lambda: [make().proper().tpr_at_fpr([0.05, 0.2]), make().proper().fpr_at_tpr([0.5, 0.9])],
        "rule-at-fpr": lambda: two_sided(make().proper().rule_at_fpr(0.05)),
        "partial-auc": lambda: make().proper().partial_auc(fpr=(0, 0.1)),
    }


def precision_recall(found: Any) -> list[Any]:
    return [found.thresholds, found.recall, found.precision, found.prevalence, found.average_precision()]


def decision(found: Any) -> list[Any]:
    return [found.probabilities, found.net_benefit, found.treat_all, found.treat_none, found.thresholds]


PROBABILITY = ([0.1, 0.2, 0.2, 0.6], [0.3, 0.7, 0.9])

register(
    proper={
        **{f"unequal/{name}": call for name, call in proper_questions(salt).items()},
        **{f"ties/{name}": call for name, call in proper_questions(ties).items()},
        "mixture/best-rule": lambda: two_sided(two_groups().proper().best_rule()),
        "kernels/best-rule": lambda: two_sided(kernels().proper().best_rule()),
        "histograms/best-rule": lambda: two_sided(histograms().proper().best_rule()),
        "gamma-pair/auc": lambda: gammas().proper().auc(),
        "unequal/curve": lambda: [salt().proper().curve().fpr, salt().proper().curve().tpr],
    },
    grey_zone={
        "paper/default": lambda: zone(paper().grey_zone()),
        "paper/limits": lambda: zone(paper().grey_zone(max_fnr=0.02, max_fpr=0.1)),
        "paper/predictive-values": lambda: zone(paper().grey_zone(min_npv=0.98, min_ppv=0.5, prevalence=0.1)),
        "ties/default": lambda: zone(ties().grey_zone(max_fnr=0.1, max_fpr=0.15)),
        "pima/predictive-values": lambda: zone(glucose().grey_zone(min_npv=0.9, min_ppv=0.7)),
        "pima/predictive-figures": lambda: [
            glucose().grey_zone().npv,
            glucose().grey_zone().ppv,
            glucose().grey_zone().undecided,
        ],
    },
    precision_recall={
        "paper": lambda: precision_recall(paper().precision_recall_curve(prevalence=0.05, n_points=65)),
        "ties": lambda: precision_recall(ties().precision_recall_curve()),
        "pima": lambda: precision_recall(glucose().precision_recall_curve(prevalence=0.1)),
        "gamma-pair": lambda: precision_recall(gammas().precision_recall_curve(prevalence=0.3, n_points=65)),
    },
    decision_curve={
        "paper": lambda: decision(paper().decision_curve(prevalence=0.2)),
        "ties": lambda: decision(ties().decision_curve()),
        "pima": lambda: decision(glucose().decision_curve(probabilities=[0.1, 0.25, 0.5])),
        "probability": lambda: decision(
            rp.EmpiricalRoc(*PROBABILITY).decision_curve(rule="probability", probabilities=[0.25, 0.5])
        ),
    },
)

# Intervals -----------------------------------------------------------------------------------------------------------
FEW = {"n_resamples": 100, "rng": 1}
AUC_METHODS = ("smoothed-logit", "newcombe", "delong", "logit", "hanley-mcneil", "bootstrap", "bca")
register(
    interval={
        **{
            f"{data}/{method}": partial(
                lambda make, method: interval(make().auc_interval(method=method, **FEW)), make, method
            )
            for data, make in {"ties": ties, "petals": petals}.items()
            for method in AUC_METHODS
        },
        "apart": lambda: [interval(rp.empirical_roc(*APART).auc_interval(method=m)) for m in AUC_METHODS[:5]],
        "level": lambda: interval(petals().auc_interval(0.8)),
        "published/delta": lambda: interval(published().auc_interval()),
        "published/reiser-guttman": lambda: interval(published().auc_interval(method="reiser-guttman")),
        "published/tpr-at-fpr": lambda: interval(published().tpr_at_fpr_interval(0.1)),
        "published/fpr-at-tpr": lambda: interval(published().fpr_at_tpr_interval(0.9)),
        "published/threshold": lambda: interval(published().best_threshold().threshold_interval()),
        "published/ameans": lambda: interval(published().best_threshold().ameans_interval()),
        "published/rate-delta": lambda: interval(published().rate_interval("tpr", 6)),
        "published/rate-noncentral-t": lambda: interval(published().rate_interval("tpr", 6, method="noncentral-t")),
        "published/partial-auc": lambda: interval(published().partial_auc_interval(fpr=(0, 0.2))),
        "published/without-counts-refused": lambda: refused(lambda: paper().auc_interval()),
        "fitted/delta": lambda: interval(predicted_petals().auc_interval()),
        "fitted/bootstrap": lambda: interval(predicted_petals().auc_interval(method="bootstrap", **FEW)),
        "fitted/tpr-at-fpr": lambda: interval(predicted_petals().tpr_at_fpr_interval(0.1, method="bootstrap", **FEW)),
        "fitted/partial-auc": lambda: interval(
            predicted_petals().partial_auc_interval(fpr=(0, 0.2), method="bootstrap", **FEW)
        ),
        "fitted/threshold": lambda: interval(predicted_petals().best_threshold().threshold_interval()),
        "fitted/threshold-bootstrap": lambda: interval(
            predicted_petals().best_threshold().threshold_interval(method="bootstrap", **FEW)
        ),
        "fitted/stability-refused": lambda: refused(lambda: predicted_petals().best_threshold().stability(**FEW)),
        "standard-error": lambda: [
            petals().auc_std_error(method=method, **FEW)
            for method in ("delong", "hanley-mcneil", "smoothed-logit", "bootstrap")
        ],
        "standard-error/published": lambda: published().auc_std_error(),
        "partial-auc/default": lambda: interval(glucose().partial_auc_interval(fpr=(0, 0.2))),
        "partial-auc/delong": lambda: interval(glucose().partial_auc_interval(tpr=(0.8, 1), method="delong")),
        "partial-auc/logit": lambda: interval(glucose().partial_auc_interval(fpr=(0, 0.2), method="logit")),
        "partial-auc/bootstrap": lambda: interval(ties().partial_auc_interval(fpr=(0, 0.5), method="bootstrap", **FEW)),
        "partial-auc/bca": lambda: interval(ties().partial_auc_interval(fpr=(0, 0.5), method="bca", **FEW)),
        "partial-auc/mcclish": lambda: interval(glucose().partial_auc_interval(fpr=(0, 0.2), correction="mcclish")),
        "partial-auc/standard-error": lambda: glucose().partial_auc_std_error(fpr=(0, 0.2)),
        "tpr-at-fpr/bootstrap": lambda: interval(petals().tpr_at_fpr_interval(0.1, **FEW)),
        "tpr-at-fpr/hilgers": lambda: interval(glucose().tpr_at_fpr_interval(0.1, method="hilgers")),
        "fpr-at-tpr/bootstrap": lambda: interval(petals().fpr_at_tpr_interval(0.9, **FEW)),
        "rate/clopper-pearson": lambda: [
            interval(glucose().rate_interval(name, 126)) for name in ("tpr", "fpr", "npv")
        ],
        "rate/wilson": lambda: interval(glucose().rate_interval("tpr", 126, method="wilson")),
        "threshold/bootstrap": lambda: interval(petals().best_threshold().threshold_interval(**FEW)),
        "threshold/ties": lambda: interval(ties().best_threshold().threshold_interval(**FEW)),
        "ameans/bootstrap": lambda: interval(petals().best_threshold().ameans_interval(**FEW)),
        "ameans/ties": lambda: interval(ties().best_threshold().ameans_interval(**FEW)),
        "stability": lambda: stability(petals().best_threshold().stability(**FEW)),
        "stability/cost": lambda: stability(
            ties().best_threshold("cost", prevalence=0.2, cost_fn=4).stability(n_resamples=50, rng=2)
        ),
        "proportion/clopper-pearson": lambda: interval(rp.proportion_interval([0, 9, 10], 10)),
        "proportion/wilson": lambda: interval(rp.proportion_interval([0, 9, 10], 10, method="wilson", level=0.9)),
    },
    band={
        "published/pointwise": lambda: band(published().band()),
        "published/simultaneous": lambda: band(published().band(kind="simultaneous")),
        "published/covers-chance": lambda: published().band(kind="simultaneous").contains(lambda fpr: fpr),
        "ties/pointwise": lambda: band(ties().band(fpr=[0.0, 0.1, 0.3, 0.7, 1.0], **FEW)),
        "petals/hilgers": lambda: band(petals().band(method="hilgers", fpr=[0.05, 0.1, 0.5])),
        "petals/simultaneous": lambda: band(petals().band(kind="simultaneous")),
        "petals/covers": lambda: petals().band(kind="simultaneous").contains(predicted_petals()),
        "fitted/pointwise": lambda: band(predicted_petals().band(method="bootstrap", fpr=[0.05, 0.1, 0.5], **FEW)),
        "fitted/simultaneous": lambda: band(predicted_petals().band(kind="simultaneous")),
    },
)


# Comparison, tests, groups -------------------------------------------------------------------------------------------
def paired(first: str = "glucose", second: str | None = "mass", **options: Any) -> list[Any]:
    other = None if second is None else woman(second)[0]
    return tested(rp.auc_test(woman(first)[0], other, pima().y, **PIMA, **options))


def small_pair(**options: Any) -> list[Any]:
    rows = slice(0, 90)
    first, second = woman("glucose")[0][rows], woman("age")[0][rows]
    return tested(rp.auc_test(first, second, pima().y[rows], **PIMA, **options))


def unpaired(**options: Any) -> list[Any]:
    x, y = woman()
    young = woman("age")[0] < 30
    return tested(rp.auc_test((x[young], y[young]), (x[~young], y[~young]), **PIMA, **options))


def three() -> list[Any]:
    return [woman(name)[0] for name in ("glucose", "mass", "age")]


def blocks(size: int = 4) -> Any:
    return np.arange(len(pima().y)) // size


def grouped(**options: Any) -> list[Any]:
    found = rp.auc_estimate(*woman(), groups=woman("age")[0] // 15, **PIMA, **options)
    parts = [estimated(part) for part in found.groups.values()]
    return [parts, len(found.skipped), found.statistic, found.df, found.p_value, found.n, estimated(found.stratified)]


def estimate(**options: Any) -> list[Any]:
    return estimated(rp.auc_estimate(*woman(), **PIMA, **options))


def decade() -> Any:
    return woman("age")[0] // 10


def dfs(x: Any, y: Any, **options: Any) -> list[Any]:
    return diagnosed(rp.diagnose(x, y, n_resamples=60, rng=1, **options))


register(
    compare={
        "petals": lambda: compared(rp.compare(predicted_petals(), petals())),
        "ties": lambda: compared(rp.compare(rp.predict_roc(*TIES), ties(), level=0.9)),
        "kernels": lambda: compared(rp.compare(fitted("kde"), rp.empirical_roc(*skewed()))),
        "lower": lambda: compared(
            rp.compare(rp.predict_roc(*REVERSED, direction="lower"), rp.empirical_roc(*REVERSED, direction="lower"))
        ),
    },
    diagnose={
        "petals": lambda: dfs(*flower(), **IRIS),
        "age": lambda: dfs(*woman("age"), **PIMA),
        "skewed-boxcox": lambda: dfs(*skewed(), family="boxcox"),
        "skewed-auto": lambda: dfs(*skewed(), family="auto"),
        "ties": lambda: dfs(*TIES),
        "one-finding": lambda: rp.diagnose(*skewed(), n_resamples=60).finding("negative skewness").value,
    },
    test={
        "paired/delong": paired,
        "paired/partial": lambda: paired(fpr=(0, 0.2)),
        "paired/partial-tpr": lambda: paired(tpr=(0.8, 1)),
        "paired/greater": lambda: paired(alternative="greater"),
        "paired/less-level": lambda: paired(alternative="less", level=0.9),
        "paired/noninferior": lambda: paired("mass", "age", alternative="noninferior", margin=0.05),
        "paired/equivalent": lambda: paired("mass", "age", alternative="equivalent", margin=0.1),
        "paired/directions": lambda: tested(
            rp.auc_test(-woman()[0], woman("mass")[0], pima().y, **PIMA, direction=("lower", "higher"))
        ),
        "paired/same": lambda: paired("glucose", "glucose"),
        "paired/bootstrap": lambda: small_pair(method="bootstrap", **FEW),
        "paired/permutation": lambda: small_pair(method="permutation", **FEW),
        "paired/venkatraman": lambda: small_pair(method="venkatraman", **FEW),
        "paired/tpr-at-fpr": lambda: small_pair(method="bootstrap", tpr_at_fpr=0.2, **FEW),
        "paired/partial-bootstrap": lambda: small_pair(method="bootstrap", fpr=(0, 0.3), **FEW),
        "paired/clusters": lambda: paired(clusters=blocks()),
        "paired/strata": lambda: paired(strata=blocks(200)),
        "paired/weights": lambda: paired(weights=np.arange(768) % 3 + 1),
        "paired/missing": lambda: tested(
            rp.auc_test(
                pima_missing().column("glucose"), pima_missing().column("mass"), pima().y, **PIMA, nan_policy="omit"
            )
        ),
        "one/default": lambda: paired(second=None, null=0.75),
        "one/delong": lambda: paired(second=None, null=0.75, method="delong"),
        "one/mann-whitney": lambda: paired(second=None, null=0.5, method="mann-whitney"),
        "one/exact": lambda: tested(rp.auc_test(APART[0], None, APART[1], null=0.5, method="exact")),
        "one/noninferior": lambda: paired(second=None, null=0.8, alternative="noninferior", margin=0.05),
        "one/of-curve": lambda: [tested(petals().auc_test(0.9)), tested(published().auc_test(0.75))],
        "unpaired/delong": unpaired,
        "unpaired/partial": lambda: unpaired(fpr=(0, 0.2)),
        "unpaired/bootstrap": lambda: unpaired(method="bootstrap", **FEW),
        "unpaired/venkatraman": lambda: unpaired(method="venkatraman", n_resamples=50, rng=1),
        "unpaired/greater": lambda: unpaired(alternative="greater"),
        "many/default": lambda: tested_many(rp.auc_test_many(three(), pima().y, **PIMA)),
        "many/contrasts": lambda: tested_many(
            rp.auc_test_many(three(), pima().y, **PIMA, contrasts=[[1, -1, 0], [0.5, 0.5, -1]])
        ),
        "many/clusters": lambda: tested_many(rp.auc_test_many(three(), pima().y, **PIMA, clusters=blocks())),
        "many/covariance": lambda: rp.auc_test_many(three(), pima().y, **PIMA).covariance,
        "many/covariance-clusters": lambda: rp.auc_test_many(three(), pima().y, **PIMA, clusters=blocks()).covariance,
    },
    estimate={
        "plain": estimate,
        "delong": lambda: estimate(method="delong"),
        "logit": lambda: estimate(method="logit", level=0.9),
        "clusters": lambda: estimate(clusters=blocks()),
        "strata": lambda: estimate(strata=decade()),
        "weights": lambda: estimate(weights=np.arange(768) % 4 + 1),
        "lower": lambda: estimate(direction="lower"),
        "groups": grouped,
        "groups-delong": lambda: grouped(method="delong"),
        "clusters-small": lambda: estimated(rp.auc_estimate(*TIES, clusters=[*range(6), 1, 2, *range(6), 0, 1, 2])),
    },
)

# Classifiers, several classes, several features, planning ------------------------------------------------------------
CALLS_OF_TWO = ([0, 1, 1, 0, 1, 1, 0, 0, 1, 1], [1, 1, 0, 0, 1, 0, 0, 1, 1, 0], [0, 1, 1, 1, 1, 1, 0, 0, 1, 1])


def folds() -> list[Any]:
    x, y = woman()
    return [(x[np.arange(768) % 4 == fold], y[np.arange(768) % 4 == fold]) for fold in range(4)]


@cache
def class_scores() -> Any:
    means = [iris().X[iris().y == name].mean(axis=0) for name in ORDER]
    return -np.column_stack([((iris().X - mean) ** 2).sum(axis=1) for mean in means])


def many_classes(**options: Any) -> list[Any]:
    return multiclass(rp.multiclass_auc(class_scores(), iris().y, labels=ORDER, **options))


def combination(**options: Any) -> list[Any]:
    return combined(rp.fit_linear_combination(iris().X, iris().y, **IRIS, **options))


MOMENTS = {"mean": ([0, 0], [1, 1]), "covariance": ([[1, 0], [0, 1]], [[4, 0], [0, 1]])}


def distance(**options: Any) -> Any:
    return rp.class_mean_distance(iris().X, iris().y, **options)


def expected(positive_mean: float) -> Any:
    return rp.PredictedRoc.from_stats(mean=(4, positive_mean), std=(3, 2))


PAPER = {"mean": (4, 8), "std": (3, 2)}
register(
    classifiers={
        "mcnemar/exact": lambda: mcnemar(rp.mcnemar_test(*CALLS_OF_TWO)),
        "mcnemar/mid-p": lambda: mcnemar(rp.mcnemar_test(*CALLS_OF_TWO, method="mid-p")),
        "mcnemar/asymptotic": lambda: mcnemar(rp.mcnemar_test(*CALLS_OF_TWO, method="asymptotic", level=0.9)),
        "mcnemar/agree": lambda: mcnemar(rp.mcnemar_test([0, 1, 1], [0, 1, 1], [0, 1, 0])),
        "folds/default": lambda: averaged(rp.mean_roc(folds(), **PIMA)),
        "folds/points": lambda: averaged(rp.mean_roc(folds(), **PIMA, n_points=21, level=0.9)),
        "folds/tpr-at-fpr": lambda: rp.mean_roc(folds(), **PIMA).tpr_at_fpr([0.1, 0.5]),
    },
    multiclass={
        "hand-till": many_classes,
        "one-against-rest": lambda: many_classes(method="one-vs-rest"),
        "one-against-rest-weighted": lambda: many_classes(method="one-vs-rest", average="weighted"),
        "one-against-one": lambda: many_classes(method="one-vs-one"),
        "bootstrap": lambda: many_classes(interval_method="bootstrap", **FEW),
        "one-feature": lambda: multiclass(rp.multiclass_auc(*flower("sepal_length"), labels=ORDER)),
    },
    combination={
        "auc": combination,
        "ameans": lambda: combination(criterion="ameans"),
        "ridge": lambda: combination(ridge=0.1, n_folds=5),
        "no-folds": lambda: combination(n_folds=None),
        "score": lambda: rp.fit_linear_combination(iris().X, iris().y, **IRIS, n_folds=None).score(iris().X),
        "moments-auc": lambda: combined(rp.LinearCombination.from_stats(**MOMENTS)),
        "moments-ameans": lambda: combined(rp.LinearCombination.from_stats(**MOMENTS, criterion="ameans")),
        "distance/euclidean": lambda: distance(class_label="versicolor"),
        "distance/left-out": lambda: distance(class_label="versicolor", leave_one_out=True),
        "distance/mahalanobis": lambda: distance(class_label="virginica", metric="mahalanobis", leave_one_out=True),
    },
    plan={
        "width": lambda: planned(rp.sample_size(**PAPER, width=0.05)),
        "width-auc": lambda: planned(rp.sample_size(auc=0.8, width=0.1)),
        "width-ratio": lambda: planned(rp.sample_size(**PAPER, width=0.08, ratio=2, level=0.9)),
        **{
            f"width-{method}": partial(
                lambda method: planned(rp.sample_size(**PAPER, width=0.05, method=method)), method
            )
            for method in ("delta", "hanley-mcneil", "obuchowski")
        },
        "power-value": lambda: planned(rp.sample_size(auc=0.7, power=0.9, against=0.5)),
        "power-greater": lambda: planned(
            rp.sample_size(**PAPER, power=0.9, against=0.8, alternative="greater", ratio=2)
        ),
        "power-two-curves-same-cases": lambda: planned(
            rp.sample_size(expected(8), against=expected(7), power=0.8, correlation=0.5)
        ),
        "power-two-curves-other-cases": lambda: planned(rp.sample_size(expected(8), against=expected(7), power=0.8)),
        "tpr-at-fpr": lambda: planned(rp.sample_size(expected(8), width=0.1, tpr_at_fpr=0.1)),
        "gamma-pair": lambda: planned(rp.sample_size(gammas(), width=0.08)),
        "pilot-sample": lambda: planned(rp.sample_size(petals(), width=0.08)),
    },
)


# Summaries, screening, reports ---------------------------------------------------------------------------------------
def summary(rows: Any = slice(None), **options: Any) -> Any:
    return rp.summarize(iris().X[rows], iris().y[rows], **IRIS, **options)


def merged(moments: int) -> Any:
    return summary(slice(0, 80), moments=moments) + summary(slice(80, 150), moments=moments)


def screen_iris(**options: Any) -> Any:
    return rp.screen(iris().X, iris().y, feature_names=iris().feature_names, **(IRIS | options))


def screen_mixed(**options: Any) -> Any:
    return rp.screen(*mixed(), **options)


def sparse() -> Any:
    X, y = mixed()
    return scipy.sparse.csr_matrix(np.maximum(np.nan_to_num(X[:, :5]) - 0.5, 0)), y


def batches() -> Iterator[Any]:
    for start in (0, 50, 100):
        yield iris().X[start : start + 50], iris().y[start : start + 50]


def frames(backend: str) -> Any:
    if backend == "polars":
        import polars

        frame = polars.from_pandas(iris().to_frame())
    else:
        frame = iris().to_frame()
    return rp.screen(frame, "label", **IRIS)


def exported(table: Any, how: str) -> list[Any]:
    frame = table.to_pandas() if how == "pandas" else table.to_polars()
    return [frame[name].to_numpy() for name in ("auc", "empirical_auc", "p_value", "q_value", "threshold")]


def as_csv(table: Any) -> list[Any]:
    rows = [line.split(",") for line in table.to_csv().splitlines()]
    values = [[float(cell) for cell in row if re.fullmatch(r"-?\d[\d.e+-]*", cell)] for row in rows]
    return [len(rows), *values]


def as_parquet(table: Any) -> list[Any]:
    import polars

    with tempfile.TemporaryDirectory() as folder:
        table.to_parquet(Path(folder, "table.parquet"))
        frame = polars.read_parquet(Path(folder, "table.parquet"))
    return [list(frame.shape), frame["auc"].to_numpy(), frame["q_value"].to_numpy()]


def report_of_screening(**options: Any) -> list[str]:
    table = screen_iris()
    return written(lambda path: table.report(path, n_top=2, date="2026-01-01", **options))


def report_of_feature(x: Any, y: Any, **options: Any) -> list[str]:
    return written(lambda path: rp.feature_report(x, y, path, date="2026-01-01", n_resamples=60, **options))


AUTO_COLUMNS = (
    "auc",
    "empirical_auc",
    "threshold",
    "ameans",
    "ameans_corrected",
    "tpr",
    "fpr",
    "misfit",
    "model_weight",
)
register(
    summary={
        "iris/moments2": lambda: summarised(summary()),
        "iris/moments4": lambda: summarised(summary(moments=4)),
        "iris/weights": lambda: summarised(summary(weights=np.arange(150) % 3 + 1)),
        "iris/merged2": lambda: summarised(merged(2)),
        "iris/merged4": lambda: summarised(merged(4)),
        "iris/merged-unlike": lambda: (summary(moments=4) + summary()).order,
        "iris/selected": lambda: summarised(summary().select([2, 0])),
        "iris/json": lambda: [
            rp.TwoClassSummary.from_json(merged(4).to_json()) == merged(4),
            summarised(rp.TwoClassSummary.from_json(merged(4).to_json())),
        ],
        "mixed/moments4": lambda: summarised(rp.summarize(*mixed(), moments=4)),
        "mixed/compiled": lambda: summarised(rp.summarize(*mixed(), engine="numba")),
        "sparse/moments2": lambda: summarised(rp.summarize(*sparse())),
    },
    screen={
        "iris/moments2": lambda: screened(screen_iris()),
        "iris/moments4": lambda: screened(screen_iris(moments=4), (*COLUMNS, *SHAPES)),
        "iris/no-counting": lambda: screened(screen_iris(empirical=False)),
        "iris/counting-top": lambda: screened(screen_iris(empirical="top", n_top=2)),
        "iris/rest": lambda: screened(rp.screen(iris().X, iris().y)),
        "iris/pairs": lambda: screened(rp.screen(iris().X, iris().y, pairs="all")),
        "iris/one-against-rest": lambda: screened(rp.screen(iris().X, iris().y, positive="setosa")),
        "iris/lower": lambda: screened(screen_iris(direction="lower")),
        "iris/higher-level": lambda: screened(screen_iris(direction="higher", level=0.9)),
        "iris/auto": lambda: screened(screen_iris(family="auto"), AUTO_COLUMNS),
        "iris/summary": lambda: screened(rp.screen(merged(2), empirical=False)),
        "iris/batches": lambda: screened(rp.screen(batches(), empirical=False, **IRIS)),
        "iris/pandas": lambda: screened(frames("pandas")),
        "iris/polars": lambda: screened(frames("polars")),
        "iris/float32": lambda: screened(rp.screen(iris().X.astype(np.float32), iris().y, **IRIS)),
        "iris/to-pandas": lambda: exported(screen_iris(), "pandas"),
        "iris/to-polars": lambda: exported(screen_iris(), "polars"),
        "iris/to-csv": lambda: as_csv(screen_iris()),
        "iris/to-parquet": lambda: as_parquet(screen_iris()),
        "iris/to-dict": lambda: in_order(screen_iris().to_dict()),
        "iris/top": lambda: screened(screen_iris().top(2)),
        "iris/sorted": lambda: screen_iris().sort("threshold").row_index,
        "iris/input-order": lambda: screen_iris().in_input_order().row_index,
        "mixed/default": lambda: screened(screen_mixed()),
        "mixed/moments4": lambda: screened(screen_mixed(moments=4), SHAPES),
        "mixed/weights": lambda: screened(screen_mixed(weights=np.arange(90) % 3 + 1)),
        "mixed/compiled": lambda: screened(screen_mixed(engine="numba")),
        "mixed/two-threads": lambda: screened(screen_mixed(engine="numpy", n_jobs=2)),
        "mixed/auto": lambda: screened(screen_mixed(family="auto", empirical="top", n_top=3), AUTO_COLUMNS),
        "mixed/missing-refused": lambda: refused(lambda: screen_mixed(nan_policy="raise")),
        **{
            f"mixed/adjust-{name}": partial(lambda name: screen_mixed(adjust=name)["q_value"], name)
            for name in ("benjamini-hochberg", "benjamini-yekutieli", "holm", "bonferroni", "none")
        },
        "sparse/default": lambda: screened(rp.screen(*sparse())),
        "cancer/default": lambda: screened(rp.screen(cancer().X, cancer().y, positive="malignant")),
        "pima/missing": lambda: screened(rp.screen(pima_missing().X, pima_missing().y, **PIMA)),
    },
    report={
        "screening": report_of_screening,
        "screening-data": lambda: report_of_screening(data=(iris().X, iris().y)),
        "feature": lambda: report_of_feature(*flower(), **IRIS, feature="width", unit="cm"),
        "feature-boxcox": lambda: report_of_feature(*skewed(), family="boxcox", prevalence=0.1),
        "feature-auto": lambda: report_of_feature(*skewed(), family="auto", direction="higher"),
        "feature-empirical": lambda: report_of_feature(*TIES, family="empirical"),
    },
)


# scikit-learn, data, teaching, command line, figures -----------------------------------------------------------------
def thresholded(**options: Any) -> list[Any]:
    from sklearn.naive_bayes import GaussianNB

    from rocpredict.sklearn import ThresholdedClassifier

    found = ThresholdedClassifier(GaussianNB(), positive="pos", **options).fit(pima().X, pima().y)
    called = found.predict(pima().X) == "pos"
    return [found.threshold_, best(found.best_threshold_), found.fold_thresholds_, int(called.sum())]


def selected(**options: Any) -> list[Any]:
    from rocpredict.sklearn import RocSelector

    found = RocSelector(**options).fit(pima().X, pima().y == "pos")
    return [found.get_support(), found.auc_, screened(found.screening_)]


def scores_of_features() -> list[Any]:
    from rocpredict.sklearn import roc_score_func

    return list(roc_score_func(pima().X, pima().y == "pos"))


def of_estimator() -> list[Any]:
    from sklearn.naive_bayes import GaussianNB

    model = GaussianNB().fit(pima().X[::2], pima().y[::2])
    roc = rp.EmpiricalRoc.from_estimator(model, pima().X[1::2], pima().y[1::2], **PIMA)
    return [roc.auc(), interval(roc.auc_interval())]


def dataset(data: Any) -> list[Any]:
    labels = [int(np.sum(data.y == label)) for label in np.unique(data.y)]
    return [list(data.X.shape), data.X, labels, len(data.feature_names), list(data.to_frame().shape)]


def page(*parts: str, **options: Any) -> list[Any]:
    payload = rp.TeachingPage(**options).payload()
    return [in_order(payload[part]) for part in parts]


def saved_page(*words: str) -> list[Any]:
    """Give the exit code, and the numbers of the data in a page that the command line saves."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "page.html")
        code = run("teach", *words, "--save", str(path), "--json")[0]
        held = re.search(r'class="rocpredict-data">(.*?)</script>', path.read_text("utf-8"), flags=re.DOTALL)
    document = json.loads(held[1]) if held else {}
    return [code, in_order(document["start"]), in_order(document["presets"]), in_order(document["datasets"])]


def reported(*words: str) -> list[Any]:
    """Give the exit code, and the figures of a page that the command line writes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "page.html")
        code = run("report", *words, "--out", str(path), "--date", "2026-01-01", "--json")[0]
        return [code, cells(path.read_text("utf-8"))]


def drawn(name: str, *things: Any, **options: Any) -> list[Any]:
    from rocpredict import plots

    return lines(getattr(plots, name)(*things, **options))


def of_flowers(*words: str) -> tuple[str, ...]:
    return (*words, "--positive", "virginica", "--negative", "versicolor")


register(
    sklearn={
        "thresholded/default": thresholded,
        "thresholded/cost": lambda: thresholded(criterion="cost", cost_fn=5),
        "thresholded/lowest-tpr": lambda: thresholded(criterion="min_tpr", value=0.9, cv=3),
        "thresholded/gaussian": lambda: warned(lambda: thresholded(family="gaussian")),
        "selector/number": lambda: selected(k=3),
        "selector/auc": lambda: selected(min_auc=0.6),
        "selector/q-value": lambda: selected(max_q=0.01),
        "selector/no-counting": lambda: selected(k=3, empirical=False),
        "scores": scores_of_features,
        "estimator": of_estimator,
    },
    data={
        "iris": lambda: dataset(iris()),
        "pima": lambda: dataset(pima()),
        "pima-missing": lambda: dataset(pima_missing()),
        "cancer": lambda: dataset(cancer()),
        "simulated": lambda: list(rp.datasets.simulate_two_gaussians(count=(20, 30), seed=5)),
    },
    teaching={
        "default": lambda: page("normal", "start", "presets", datasets=()),
        "published": lambda: page("start", mean=(5.1, 6.4), std=(0.9, 1.2), prevalence=0.1, datasets=()),
        "iris": lambda: page("start", "datasets", x="iris", **IRIS, feature="petal_length", datasets=("iris",)),
        "own-data": lambda: page("datasets", x=skewed()[0], y=skewed()[1], datasets=()),
        "pima": lambda: page("datasets", datasets=("pima",)),
    },
    command={
        "paper": lambda: command("paper"),
        "predict/paper": lambda: command("predict", "--mean", "4", "8", "--std", "3", "2"),
        "predict/counts": lambda: command(
            *("predict", "--mean", "5.1", "6.4", "--sem", "0.08", "0.13", "--count", "120", "80")
        ),
        "predict/gamma": lambda: command("predict", "--mean", "4", "8", "--std", "3", "5", "--family", "gamma"),
        "predict/threshold": lambda: command(
            *("predict", "--effect-size", "0.8", "--threshold", "0.5", "--prevalence", "0.1")
        ),
        "predict/cost": lambda: command(
            *("predict", "--mean", "4", "8", "--std", "3", "2", "--prevalence", "0.1"),
            *("--criterion", "cost", "--cost-fn", "5"),
        ),
        "predict/printed": lambda: printed("predict", "--mean", "4", "8", "--std", "3", "2"),
        "predict/wrong": lambda: printed("predict", "--mean", "4", "8", "--std", "-3", "2"),
        "compare/iris": lambda: command(*of_flowers("compare", "iris")),
        "compare/two-features": lambda: command("compare", "pima", "--feature", "glucose", "--feature", "mass"),
        "compare/three-features": lambda: command(
            *("compare", "pima", "--feature", "glucose", "--feature", "mass", "--feature", "age", "--nan", "omit")
        ),
        "compare/auto": lambda: command(*of_flowers("compare", "iris"), "--family", "auto", "--feature", "petal_width"),
        "diagnose/iris": lambda: command(
            *of_flowers("diagnose", "iris"), "--feature", "petal_width", "--resamples", "60"
        ),
        "diagnose/pima": lambda: command("diagnose", "pima", "--feature", "age", "--resamples", "60"),
        "screen/iris": lambda: command(*of_flowers("screen", "iris")),
        "screen/pima": lambda: command("screen", "pima", "--empirical", "top", "--n-top", "3"),
        "screen/rest": lambda: command("screen", "iris", "--adjust", "holm"),
        "plan/width": lambda: command("sample-size", "--mean", "4", "8", "--std", "3", "2", "--width", "0.05"),
        "plan/power": lambda: command("sample-size", "--auc", "0.7", "--power", "0.9", "--against", "0.5"),
        "plan/tpr": lambda: command(
            *("sample-size", "--mean", "4", "8", "--std", "3", "2", "--width", "0.1", "--tpr-at-fpr", "0.1")
        ),
        "report/iris": lambda: reported(*of_flowers("iris"), "--feature", "petal_width", "--resamples", "60"),
        "teach/published": lambda: saved_page("--mean", "5.1", "6.4", "--std", "0.9", "1.2"),
    },
    figure={
        "roc": lambda: drawn("plot_roc", paper(), published()),
        "roc-empirical": lambda: drawn("plot_roc", ties()),
        "comparison": lambda: drawn("plot_comparison", predicted_petals(), petals()),
        "densities": lambda: drawn("plot_densities", paper()),
        "probit": lambda: drawn("plot_probit", paper()),
        "band": lambda: drawn("plot_band", published()),
        "precision-recall": lambda: drawn("plot_precision_recall", published()),
        "decision": lambda: drawn("plot_decision", published()),
        "cost": lambda: drawn("plot_cost", published(), cost_fn=3, prevalence=0.2),
        "measures": lambda: drawn("plot_measures", published()),
        "mean-roc": lambda: drawn("plot_mean_roc", rp.mean_roc(folds(), **PIMA)),
    },
)


CRITERIA = (
    "youden",
    "cost",
    "accuracy",
    "f1",
    "f-beta",
    "closest-to-top-left",
    "lowest-tpr",
    "lowest-tnr",
    "highest-fpr",
)
QUESTIONS = ("auc", "best-rule", "best-rule-costs", "operating-points", "rule-at-fpr", "partial-auc")
TOGETHER: dict[str, tuple[str, ...]] = {
    "refused": ("*-refused",),
    "tail/areas": ("tail/*auc*",),
    "tail/points": ("tail/rates", "tail/tpr-at-fpr", "tail/gaussian"),
    "rates/counts": ("rates/counts*", "rates/confusion"),
    "rates/undefined": ("rates/undefined", "rates/arrays"),
    "predicted/paper/measures": ("predicted/paper/measures*",),
    "predicted/paper/direction": ("predicted/paper/lower", "predicted/paper/higher", "predicted/paper/auto"),
    "predicted/paper/shape": ("predicted/paper/slope", "predicted/paper/hook", "predicted/paper/*crossings"),
    "predicted/degenerate": ("predicted/point-mass/*", "predicted/identical/*", "predicted/reversed/*", "*same-mean*"),
    "predicted/stats/spreads": ("predicted/stats/standard-*", "predicted/stats/median*", "predicted/stats/effect*"),
    "predicted/stats/summary": ("predicted/stats/summary*",),
    "predicted/stats/counts": ("predicted/stats/counts", "predicted/stats/prevalence"),
    "predicted/batch/points": ("predicted/batch/[rfo]*",),
    "predicted/batch/areas": ("predicted/batch/auc", "predicted/batch/partial-auc", "predicted/batch/hook"),
    "predicted/batch/best": ("predicted/batch/best", "predicted/batch/cost"),
    "predicted/unlike-pairs": ("predicted/unlike-pair/*", "predicted/discrete-pair/*"),
    **{f"criterion/{name}": (f"criterion/*/{name}",) for name in (*CRITERIA, "function")},
    **{f"distribution/{name}": (f"distribution/{name}*",) for name in ("gaussian", "sample", "kernels", "mixture")},
    "distribution/histogram": ("distribution/histogram*",),
    "family/auto/directions": ("family/auto/higher", "family/auto/lower"),
    "family/gaussian/directions": ("family/gaussian/lower", "family/gaussian/auto-direction"),
    "empirical/ties/shape": ("empirical/ties/slope", "empirical/ties/hook", "empirical/ties/crossings"),
    "empirical/ties/measures": ("empirical/ties/measures*",),
    "empirical/corrected-best": ("empirical/*/corrected-best",),
    "empirical/reversed": ("empirical/reversed/*",),
    "empirical/weights": ("empirical/weights/*",),
    "empirical/degenerate": ("empirical/apart/*", "empirical/constant/*"),
    "empirical/from": ("empirical/predictions", "empirical/samples", "empirical/rest/*"),
    **{f"proper/{name}": (f"proper/unequal/{name}", f"proper/ties/{name}") for name in QUESTIONS},
    "proper/several-thresholds": ("proper/mixture/*", "proper/kernels/*", "proper/histograms/*"),
    "grey-zone/gaussian": ("grey-zone/paper/*",),
    "grey-zone/sample": ("grey-zone/ties/*", "grey-zone/pima/*"),
    **{f"interval/{method}": (f"interval/ties/{method}", f"interval/petals/{method}") for method in AUC_METHODS},
    "interval/published/rate": ("interval/published/rate-*",),
    "interval/partial-auc/asymptotic": ("interval/partial-auc/[dlm]*",),
    "interval/partial-auc/resampled": ("interval/partial-auc/b*",),
    **{f"interval/{name}": (f"interval/{name}*",) for name in ("rate", "standard-error", "threshold", "ameans")},
    "interval/stability": ("interval/stability*",),
    "interval/proportion": ("interval/proportion/*",),
    "band/covers": ("band/*/covers*",),
    "test/paired/one-sided": ("test/paired/greater", "test/paired/less*"),
    "test/paired/margin": ("test/paired/noninferior", "test/paired/equivalent"),
    "test/paired/partial-auc": ("test/paired/partial", "test/paired/partial-tpr"),
    "test/one/half": ("test/one/mann-whitney", "test/one/exact"),
    "test/one/value": ("test/one/default", "test/one/delong"),
    "test/many/covariances": ("test/many/covariance*",),
    "estimate/methods": ("estimate/plain", "estimate/delong", "estimate/logit"),
    "estimate/by-group": ("estimate/groups*",),
    "estimate/clusters": ("estimate/clusters*",),
    "classifiers/mcnemar": ("classifiers/mcnemar/*",),
    "classifiers/folds": ("classifiers/folds/*",),
    "combination/moments": ("combination/moments*",),
    "combination/distance": ("combination/distance/*",),
    "plan/width-methods": ("plan/width-delta", "plan/width-hanley-mcneil", "plan/width-obuchowski"),
    "plan/power-two-curves": ("plan/power-two-curves*",),
    "screen/mixed/adjusted": ("screen/mixed/adjust-*",),
    "screen/iris/exported": ("screen/iris/to-*",),
    "screen/iris/ordered": ("screen/iris/top", "screen/iris/sorted", "screen/iris/input-order"),
    "sklearn/selector": ("sklearn/selector/*",),
    "data/pima": ("data/pima*",),
    "command/predict/streams": ("command/predict/printed", "command/predict/wrong"),
}
"""Short calls that share an id: the id, and patterns of their names. Results stand in the order of the calls above."""


def together(calls: list[Call]) -> Call:
    return lambda: [call() for call in calls]


def joined(apart: dict[str, Call]) -> dict[str, Call]:
    """Give the calls with those of one id together."""
    left, shared = dict(apart), {}
    for name, patterns in TOGETHER.items():
        names = [each for each in apart if any(fnmatchcase(each, pattern) for pattern in patterns) and each in left]
        if len(names) < 2:
            raise ValueError(f"{name} joins {names}")
        shared[name] = together([left.pop(each) for each in names])
    if left.keys() & shared.keys():
        raise ValueError(f"two calls have one id: {sorted(left.keys() & shared.keys())}")
    return left | shared


CALLS = joined(EACH)
"""Every call by its id."""


# Tolerances ----------------------------------------------------------------------------------------------------------
ROOT = "a threshold, a rate or a limit is found by a search that stops near a root or an optimum"
QUADRATURE = "an area or a mean is found by adaptive quadrature"
FIT = "parameters are fitted by a search for the highest likelihood, and thresholds by a root search"
SEARCHED_FAMILIES = ("kde", "mixture", "gamma", "lognormal", "logistic", "laplace", "weibull", "beta", "exponential")
TRANSFORMED = ("auto", "boxcox", "yeojohnson", "student-t", "skew-normal")
LESS_CERTAIN: dict[str, tuple[str, ...]] = {
    ROOT: (
        *(f"predicted/{pair}/{name}" for pair in ("gamma-pair", "kernels", "mixture") for name in ("points", "best")),
        *(f"criterion/{name}" for name in (*CRITERIA, "function")),
        "predicted/unlike-pairs",
        "distribution/kernels",
        "distribution/mixture",
        "empirical/degenerate",
        *(f"proper/{name}" for name in QUESTIONS if name not in {"auc", "partial-auc"}),
        "proper/several-thresholds",
        "proper/unequal/curve",
        "grey-zone/gaussian",
        "interval/newcombe",
        "interval/apart",
        "interval/published/reiser-guttman",
        "interval/published/rate",
        "interval/rate",
        "interval/tpr-at-fpr/hilgers",
        "interval/proportion",
        "band/petals/hilgers",
        "band/petals/simultaneous",
        "classifiers/mcnemar",
        "combination/ameans",
        "combination/moments",
        *(f"family/stats-{name}" for name in ("gamma", "lognormal", "weibull", "logistic", "laplace", "beta")),
        "family/stats-exponential",
        "command/predict/gamma",
        "command/predict/cost",
    ),
    QUADRATURE: (
        *(f"predicted/{pair}/partial-auc" for pair in ("paper", "gamma-pair", "histograms", "kernels", "mixture")),
        *(f"predicted/{pair}/auc" for pair in ("gamma-pair", "kernels", "mixture")),
        "predicted/batch/areas",
        "tail/areas",
        "proper/auc",
        "proper/partial-auc",
        "proper/gamma-pair/auc",
        "interval/published/partial-auc",
        "interval/fitted/partial-auc",
        "precision-recall/paper",
        "precision-recall/gamma-pair",
        *(f"compare/{name}" for name in ("petals", "ties", "kernels", "lower")),
        *(f"diagnose/{name}" for name in ("petals", "age", "ties")),
        *(f"command/compare/{name}" for name in ("iris", "two-features", "three-features", "auto")),
        *(f"command/diagnose/{name}" for name in ("iris", "pima")),
        *(f"plan/{name}" for name in ("gamma-pair", "power-two-curves")),
    ),
    FIT: (
        *(f"family/{name}/fit" for name in (*SEARCHED_FAMILIES, *TRANSFORMED)),
        *("family/scipy-lognormal", "family/auto/directions", "family/auto/ties", "family/auto/zone"),
        *("family/boxcox/interval", "diagnose/skewed-boxcox", "diagnose/skewed-auto"),
        *("screen/iris/auto", "screen/mixed/auto"),
    ),
}
TOLERANCE: dict[str, tuple[float, str]] = {
    name: (1e-10, reason) for reason, names in LESS_CERTAIN.items() for name in names
}
"""Relative tolerance, and its reason, of each id whose results are less certain than by rounding alone."""

_EXACT_SHIFT = (
    "the shift of family='auto' is a root found to the float, and one feature has the quadrature and the roots of a "
    "batch; before, its AUC was within 2e-12, the difference of two AUCs within 1e-10"
)
EXCEPTIONS: dict[str, str] = (
    dict.fromkeys(
        (
            "command/compare/auto",
            "diagnose/skewed-auto",
            "family/auto/directions",
            "family/auto/fit",
            "family/auto/ties",
            "family/auto/zone",
            "screen/iris/auto",
            "screen/mixed/auto",
        ),
        _EXACT_SHIFT,
    )
    | {
        "family/skew-normal/fit": "these quantiles are the smallest float that reaches the probability; before, they "
        "were within 2e-14 of it"
    }
    | dict.fromkeys(
        (
            "family/kde/fit",
            "family/logistic/fit",
            "family/stats-beta",
            "family/student-t/fit",
            "family/stats-logistic",
            "family/stats-weibull",
            "family/weibull/fit",
            "predicted/kernels/best",
            "predicted/mixture/best",
            "predicted/unlike-pairs",
            "proper/several-thresholds",
        ),
        "crossings are found by scipy.optimize.elementwise.find_root: other rounding where f1 - kappa f0 is near 0",
    )
    | {
        "proper/partial-auc": "partial areas of the likelihood ratio of two Gaussians are integrated over panels of "
        "z-scores; before, they were sums of four areas in closed form"
    }
    | {"combination/distance": "Mahalanobis distances are scipy.spatial.distance.cdist's: other rounding"}
    | dict.fromkeys(
        (
            "command/screen/iris",
            "command/screen/pima",
            "command/screen/rest",
            "screen/cancer/default",
            "screen/iris/counting-top",
            "screen/iris/exported",
            "screen/iris/float32",
            "screen/iris/higher-level",
            "screen/iris/lower",
            "screen/iris/moments2",
            "screen/iris/moments4",
            "screen/iris/one-against-rest",
            "screen/iris/ordered",
            "screen/iris/pairs",
            "screen/iris/pandas",
            "screen/iris/polars",
            "screen/iris/rest",
            "screen/mixed/compiled",
            "screen/mixed/default",
            "screen/mixed/moments4",
            "screen/mixed/two-threads",
            "screen/mixed/weights",
            "screen/pima/missing",
            "screen/sparse/default",
            "sklearn/selector",
            "summary/sparse/moments2",
        ),
        "a screening takes its moments from the table as it lies, and no longer from sorted values: other rounding",
    )
)
"""Ids that may differ in the last bits after a change, each with the reason; only ``--exact`` asks."""


# Storing and comparing -----------------------------------------------------------------------------------------------
def result(name: str) -> Any:
    """Give the figures of one call, as they are after a way through JSON."""
    return json.loads(json.dumps(figures(CALLS[name]()), allow_nan=False))


def stored() -> dict[str, Any]:
    return json.loads(STORED.read_text("utf-8")) if STORED.exists() else {}


def write(values: dict[str, Any]) -> None:
    rows = [f"{json.dumps(name)}: {json.dumps(values[name], allow_nan=False)}" for name in sorted(values)]
    STORED.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")


def leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, list):
        for part in value:
            yield from leaves(part)
    else:
        yield value


def nesting(value: Any) -> Any:
    """Give the nesting of lists, without the figures."""
    return [nesting(part) for part in value] if isinstance(value, list) else None


def largest_difference(found: Any, known: Any) -> float:
    """Give the largest relative difference of the figures; infinite where anything else differs."""
    if nesting(found) != nesting(known):
        return math.inf
    largest = 0.0
    for new, old in zip(leaves(found), leaves(known), strict=True):
        if new == old and isinstance(new, bool) == isinstance(old, bool):
            continue
        both = isinstance(new, int | float) and isinstance(old, float) and not isinstance(new, bool)
        largest = max(largest, abs(new - old) / abs(old) if both and old != 0 else math.inf)
    return largest


def store(replace: list[str]) -> int:
    values = stored()
    unknown = [name for name in replace if name not in CALLS]
    if unknown:
        print(f"no such id: {', '.join(unknown)}", file=sys.stderr)  # noqa: T201
        return 2
    new = [name for name in CALLS if name not in values or name in replace]
    values |= {name: result(name) for name in new}
    write(values)
    print(f"{len(new)} stored, {len(values)} in all")  # noqa: T201
    return 0


def exact() -> int:
    values, wrong = stored(), 0
    for name in sorted(CALLS.keys() | values.keys()):
        if name not in CALLS or name not in values:
            print(f"{name}: {'no call' if name in values else 'not stored'}")  # noqa: T201
            wrong += 1
            continue
        found = result(name)
        if json.dumps(found) != json.dumps(values[name]):
            allowed = EXCEPTIONS.get(name)
            wrong += allowed is None
            print(f"{name}: largest relative difference {largest_difference(found, values[name]):.3g}")  # noqa: T201
            print(f"  stored {json.dumps(values[name])}\n  now    {json.dumps(found)}")  # noqa: T201
            print(f"  allowed: {allowed}" if allowed else "  not allowed")  # noqa: T201
    print(f"{len(values)} compared, {wrong} differ without a listed reason")  # noqa: T201
    return int(wrong > 0)


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Store the results of public calls, or compare with them.")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--store", action="store_true", help="add the results of ids that are not stored yet")
    what.add_argument("--exact", action="store_true", help="compare to the last bit")
    parser.add_argument("--replace", action="append", default=[], metavar="ID", help="store this id anew")
    options = parser.parse_args(words)
    if options.replace and not options.store:
        parser.error("--replace goes with --store")
    return store(options.replace) if options.store else exact()


if __name__ == "__main__":
    sys.exit(main())
