"""Report on one feature."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rocpredict.base.files import HTML_SUFFIXES, check_suffix, check_writable
from rocpredict.base.formatting import (
    count_decimals,
    format_interval,
    format_level,
    format_list,
    format_rate,
    label_to_text,
)
from rocpredict.base.labels import as_rereadable, check_feature, check_labels, split_classes
from rocpredict.base.rates import check_confidence_level
from rocpredict.base.results import FLAG_DESCRIPTIONS, Interval
from rocpredict.base.tables import Table
from rocpredict.base.validation import (
    Direction,
    FloatArray,
    Label,
    NanPolicy,
    RocPredictError,
    Seed,
    check_list,
    check_probability,
    short_repr,
)
from rocpredict.diagnostics.diagnose import CURVE_FINDINGS, NO_EVIDENCE, Diagnosis, diagnose
from rocpredict.distributions.families import FamilyName, ScipyFamily
from rocpredict.distributions.gaussian import Gaussian
from rocpredict.distributions.normality import suppress_misfit_warning
from rocpredict.plots.curves import plot_diagnosis, plot_side_by_side
from rocpredict.plots.style import format_rule
from rocpredict.reports.report import (
    Image,
    check_date,
    data_hash,
    figure_to_image,
    format_numeral,
    html_name,
    message_to_prose,
    write_report,
)
from rocpredict.roc.empirical import empirical_roc
from rocpredict.roc.predicted import ModelFit, fit_warning, predict_roc
from rocpredict.solvers.thresholds import BestThreshold
from rocpredict.sources.table import as_feature_table


class FeatureAnalysis:
    """Results for one feature, prepared for its report.

    The parameters are the options of ``feature_report``, already checked. Options shown in the report are also
    attributes.

    Attributes
    ----------
    labels : (negative, positive)
        Class labels; "rest" stands for several negative labels.
    negative_labels : str
        List of the negative labels if there are several; otherwise "".
    predicted, empirical : PredictedRoc, EmpiricalRoc
    samples : pair of arrays
        Values of the negative class and of the positive class, each in ascending order.
    has_prediction : bool
        Whether there is a predicted curve; False only for the family "empirical".
    family_name, family_label : str
        Name of the family, and the name used for the prediction in the report.
    gaussian, shrunk : bool
        ``gaussian``: whether the prediction is based on two Gaussians; only such predictions have confidence intervals.
        ``shrunk``: whether the prediction is a shrunk estimate (family "auto").
    diagnosis, model_fit : Diagnosis, ModelFit or None
        Diagnosis and fit of the prediction; None if there is no prediction.
    best_empirical, best_predicted : BestThreshold
        Best empirical threshold and best predicted threshold; if there is no prediction, both are the empirical
        threshold.
    auc_interval, auc_test : Interval, AucTest
        Confidence interval of the empirical AUC, and the test of this AUC against 0.5.
    prevalence : float
        Stated prevalence; by default, the prevalence in the data.
    n_missing : int
        Number of observations whose value is missing.
    n_unlabelled : int
        Number of rows without a label.
    lower : bool
        Whether lower values indicate the positive class.
    rule : str
        Classification rule, such as "positive if x ≥ 5.826".
    verdict : str
        Conclusion about the fit of the prediction.
    is_misfit : bool
        Whether the diagnosis or the misfit warning of ``predict_roc`` advises against using the prediction.
    headline_threshold, headline_rule : BestThreshold, str
        Threshold and classification rule stated in the summary of the report. The threshold is the best empirical
        threshold if ``is_misfit`` is True, otherwise the best predicted threshold.
    proper_auc : float or None
        AUC of the likelihood-ratio rule. None if the densities cross at most once, if this AUC and the predicted AUC
        are equal when rounded for printing, or if the prediction is a shrunk estimate (which has no densities).
    crossings_inside : list of float
        Points at which the densities cross; points outside the range of the values are omitted.
    flags : list of str
        Names of all flags raised by the results, without duplicates.
    """

    def __init__(
        self,
        x: ArrayLike,
        y: ArrayLike,
        *,
        feature: str,
        unit: str | None,
        family: Any,
        direction: Direction,
        level: float,
        stated_prevalence: float | None,
        n_resamples: int,
        rng: Seed,
        **classes: Any,
    ) -> None:
        self.feature, self.unit, self.level, self.seed = feature, unit, level, str(rng)
        rows = split_classes(x, y, **classes).rows
        self.negative_labels = format_list(map(label_to_text, rows.negative_labels), 10)
        self.labels = "rest" if self.negative_labels else rows.negative_label, rows.positive_label
        with suppress_misfit_warning():  # the diagnosis reports deviations in detail
            self.predicted = predict_roc(x, y, family=family, direction=direction, **classes)
        self.empirical = empirical_roc(x, y, direction=self.predicted.direction, **classes)
        self.samples = self.empirical.negative.sorted_sample, self.empirical.positive.sorted_sample
        self.n_missing, self.n_unlabelled = sum(self.empirical.omitted), self.empirical.n_unlabelled
        self.lower = self.predicted.direction == "lower"
        self.stated_prevalence = stated_prevalence
        self.prevalence = self.empirical.prevalence or 0.0 if stated_prevalence is None else stated_prevalence

        self.family_name = family if isinstance(family, str) else str(getattr(family, "name", family))
        self.has_prediction = not (isinstance(family, str) and family == "empirical")
        self.gaussian, self.shrunk = self.family_name == "gaussian", self.family_name == "auto"
        self.family_label = "two Gaussians" if self.gaussian else f"family {self.family_name}"

        self.auc_interval = self.empirical.auc_interval(level)
        self.auc_test = self.empirical.auc_test(level=level)
        self.best_empirical = self.best_predicted = self.empirical.best_threshold()
        self.diagnosis: Diagnosis | None = None
        self.model_fit: ModelFit | None = None
        if self.has_prediction:
            self.best_predicted = self.predicted.best_threshold()
            self.model_fit = self.predicted.model_fit()
            options = {"family": family, "direction": direction, "n_resamples": n_resamples, "rng": rng}
            self.diagnosis = diagnose(x, y, **options, **classes)
        self.verdict = _verdict(self.diagnosis, self.model_fit, shrunk=self.shrunk)
        pair = self.predicted.negative, self.predicted.positive
        self.is_misfit = self.diagnosis is not None and (
            any(self.diagnosis.finding(name).severity == "warn" for name in CURVE_FINDINGS)  # type: ignore[union-attr]
            or fit_warning(family, pair, self.samples) is not None
        )
        self.headline_threshold = self.best_empirical if self.is_misfit else self.best_predicted
        self.rule, self.headline_rule = self._rule(self.best_predicted), self._rule(self.headline_threshold)
        low, high = min(x[0] for x in self.samples), max(x[-1] for x in self.samples)
        self.crossings_inside = [float(place) for place in self.best_predicted.crossings if low <= place <= high]
        self.proper_auc: float | None = None
        if self.has_prediction and not self.shrunk and len(self.best_predicted.crossings) >= 2:
            proper = float(self.predicted.proper().auc())
            self.proper_auc = None if format_rate(proper) == format_rate(self.predicted.auc()) else proper
        results = (self.best_predicted, self.best_empirical, self.auc_test, self.auc_interval)
        self.flags = list(dict.fromkeys(name for result in results for name in result.flags))

    def _rule(self, best: BestThreshold) -> str:
        rule = format_rule(float(best.threshold), "lower" if self.lower else None)
        return rule if rule.startswith("always") else f"positive if x {rule}"


def _verdict(diagnosis: Diagnosis | None, fit: ModelFit | None, *, shrunk: bool) -> str:
    """Return the verdict on the prediction; the agreement of a shrunk estimate with its data is weak evidence."""
    if diagnosis is None or fit is None:
        return "The ROC curve is empirical; the threshold with the highest Ameans was chosen from the same data."
    if not shrunk or not diagnosis.verdict.startswith(NO_EVIDENCE):
        return message_to_prose(diagnosis.verdict)
    deviates = "; the model alone deviates from the data by more than sampling variation explains"
    caveat = diagnosis.verdict.partition(", but ")[2].partition(";")[0].rstrip(".")
    addition = f"; {caveat}" if caveat else ""
    agrees = (
        "The shrunk estimate agrees with the data; this is weak evidence, because the estimate was shrunk towards them"
    )
    return f"{agrees}{deviates if fit.misfit_ratio > 1 else ''}{addition}."


_CLASS_MEASURES = {"tpr": "TPR (sensitivity)", "tnr": "TNR (specificity)", "ameans": "Ameans (balanced accuracy)"}
_PREVALENCE_MEASURES = {"precision": "Precision (PPV)", "npv": "NPV", "accuracy": "Accuracy"}


def class_table(analysis: FeatureAnalysis) -> Table:
    """Return a table of the number, mean, SD, median and range of the values in each class."""
    rows = []
    for x, label in zip(analysis.samples, analysis.labels, strict=True):
        numbers = (*mean_and_std(x), x[0], np.median(x), x[-1])
        rows.append([label, len(x), *map(float, numbers)])
    titles = ["Class", "Observations", "Mean", "SD (n − 1)", "Smallest", "Median", "Largest"]
    formats = {"Class": html_name, "Observations": ",", **dict.fromkeys(titles[2:], format_numeral)}
    return Table("Negative and positive class", titles, rows, formats)


def mean_and_std(x: FloatArray) -> tuple[float, float]:
    """Return the mean and the SD; the SD is NaN for a single value or if a value is infinite."""
    if len(x) < 2 or not np.isfinite(x).all():
        return float(np.mean(x)), np.nan
    fitted = Gaussian.fit(x)
    return float(fitted.mean), float(fitted.std)


def auc_table(analysis: FeatureAnalysis) -> Table:
    """Return a table of the empirical and the predicted AUC with their confidence intervals."""
    roc = analysis.empirical
    rows = [["Empirical", *_estimate_cells(roc.auc(), analysis.auc_interval)]]
    if analysis.has_prediction:
        auc, name = analysis.predicted.auc(), f"Predicted, {analysis.family_label}"
        if analysis.gaussian:
            rows.append([name, *_estimate_cells(auc, analysis.predicted.auc_interval(analysis.level))])
        else:
            rows.append([name, (auc, format_rate), "not computed", ""])
        rows.append(["Predicted − empirical", (float(auc - roc.auc()), _signed), "", ""])
    caption = f"AUC with {format_level(analysis.level)} confidence interval"
    return Table(caption, ["Curve", "AUC", "Confidence interval", "Method"], rows, {"AUC": _apply_format})


def _apply_format(cell: tuple[float, Callable[[float], str]]) -> str:
    value, form = cell
    return form(value)


def _signed(value: float) -> str:
    return "0.000" if abs(value) < 0.0005 else f"{value:+.3f}".replace("-", "−")


def threshold_grid(analysis: FeatureAnalysis) -> Table:
    """Return a table of the best thresholds."""
    predicted = {f"Predicted, {analysis.family_label}": analysis.best_predicted} if analysis.has_prediction else {}
    rows = []
    for name, best in {**predicted, "Empirical": analysis.best_empirical}.items():
        interval = ("not computed", "")  # the bootstrap of an iteratively fitted family would take minutes
        if best is analysis.best_empirical or analysis.gaussian:
            limits = best.threshold_interval(analysis.level)
            interval = (format_interval(limits.low, limits.high, format_numeral), limits.method)
        rates = best.tpr, best.fpr, best.ameans
        rows.append([name, best.threshold, *interval, *rates, ", ".join(best.flags) or "none"])
    titles = ["Distribution", "Threshold", f"{format_level(analysis.level)} CI", "Method"]
    titles += ["TPR", "FPR", "Ameans", "Flags"]
    formats = {"Threshold": format_numeral, **dict.fromkeys(titles[4:7], format_rate)}
    return Table("Thresholds with the highest Ameans (balanced accuracy, (TPR + TNR)/2)", titles, rows, formats)


def rate_table(analysis: FeatureAnalysis) -> Table:
    """Return a table of the empirical and predicted rates at the best predicted threshold."""
    threshold, roc, prevalence = analysis.best_predicted.threshold, analysis.empirical, analysis.prevalence
    empirical = roc.rates(threshold, prevalence=prevalence)
    model = analysis.predicted.rates(threshold, prevalence=prevalence) if analysis.has_prediction else None
    rows = []
    for name, title in (_CLASS_MEASURES | _PREVALENCE_MEASURES).items():
        has_interval = analysis.stated_prevalence is None or name in _CLASS_MEASURES
        cells: tuple[Any, ...] = ((getattr(empirical, name), format_rate), "", "")
        if has_interval:
            cells = _estimate_cells(getattr(empirical, name), roc.rate_interval(name, threshold, analysis.level))
        rows.append([title, *cells, *([] if model is None else [getattr(model, name)])])
    titles = ["Rate", "Empirical", f"{format_level(analysis.level)} CI", "Method"]
    titles += [] if model is None else ["Predicted"]
    caption = f"Rule: {analysis.rule}; prevalence {format_rate(prevalence)}"
    return Table(caption, titles, rows, {"Empirical": _apply_format, "Predicted": format_rate})


def diagnosis_grid(diagnosis: Diagnosis) -> Table:
    """Return a table of diagnosis findings; code in their messages is rewritten as prose."""
    marks = {"ok": "ok", "note": "note", "warn": "warning"}
    rows = [
        [item._title, marks[item.severity], message_to_prose(item.message), message_to_prose(item.suggestion)]
        for item in diagnosis.findings
    ]
    return Table("Findings of the diagnosis", ["Finding", "Severity", "Description", "Suggestion"], rows)


def _estimate_cells(estimate: float, interval: Interval) -> tuple[tuple[float, Callable[[float], str]], str, str]:
    """Return the cells for a rate with its format, its interval and the method of the interval."""
    form = partial(format_rate, decimals=count_decimals(estimate, interval.low, interval.high))
    return (estimate, form), format_interval(interval.low, interval.high, form), interval.method


def feature_report(
    x: ArrayLike,
    y: ArrayLike,
    path: str | PathLike[str],
    *,
    feature: str = "x",
    unit: str | None = None,
    positive: Label = None,
    negative: Label = None,
    family: FamilyName | ScipyFamily = "gaussian",
    direction: Direction = None,
    nan_policy: NanPolicy = "raise",
    level: float = 0.95,
    prevalence: float | None = None,
    title: str | None = None,
    date: str | datetime.date | None = None,
    n_resamples: int = 500,
    rng: Seed = 0,
    notes: Sequence[str] = (),
) -> Path:
    """Write a report on one feature as a single self-contained HTML file.

    Parameters
    ----------
    x : array-like of shape (n,)
        Feature values.
    y : array-like of shape (n,)
        Class labels.
    path : path
        File to write, in an existing folder. It is written atomically.
    feature : str, default="x"
        Name of the feature.
    unit : str, optional
        Unit of ``x``.
    positive : label, optional
        Label of the positive class. May be omitted if the labels are {0, 1}, {-1, 1} or booleans.
    negative : label, optional
        Label of the negative class. By default, all other labels are negative.
    family : str or ScipyFamily, default="gaussian"
        Family of the class distributions; see ``predict_roc``.
    direction : {"higher", "lower", "auto"}, optional
        Whether higher or lower values indicate the positive class; see ``predict_roc``. By default, "higher".
    nan_policy : {"raise", "omit"}, default="raise"
        How to handle observations with missing values: raise an error, or omit them and state their number in the
        report.
    level : float, default=0.95
        Confidence level, in (0, 1).
    prevalence : float, optional
        Prevalence in the population in which the rule will be used, in (0, 1). Precision, NPV and accuracy depend on
        the prevalence. By default, the fraction of positives in the sample.
    title : str, optional
        Heading of the page. By default, the names of the feature and of the classes.
    date : datetime.date or str, optional
        Date of the report. By default, today.
    n_resamples : int, default=500
        Number of samples that the diagnosis simulates, at least 20.
    rng : int or numpy.random.Generator, default=0
        Seed or generator for resampling. Repeating a call with the same seed, date and data writes an identical file.
    notes : sequence of str, default=()
        Additional sentences about the data and the options.

    Returns
    -------
    Path
        Path of the file.

    Raises
    ------
    RocPredictError
        If ``path`` cannot be written or does not end in .html or .htm, if an option is invalid, or if ``predict_roc``
        raises an error. The path and the options of the report are checked before any computation.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from rocpredict.datasets import load_iris
    >>> iris = load_iris()
    >>> classes = {"positive": "virginica", "negative": "versicolor"}
    >>> with TemporaryDirectory() as folder:
    ...     feature_report(iris.column("petal_width"), iris.y, f"{folder}/width.html", n_resamples=20, **classes).name
    'width.html'
    """
    check_suffix("path=", check_writable(path), *HTML_SUFFIXES)
    notes = check_list("notes", notes, "one text for each", "sentences")
    if unit is not None and not isinstance(unit, str):
        raise RocPredictError(f"unit={short_repr(unit)} is not text; pass a str or None")
    day, level = check_date(date), check_confidence_level(level)
    stated = None if prevalence is None else check_probability("prevalence", prevalence, ends=False)
    x, y = as_rereadable(x), as_rereadable(y)
    options: dict[str, Any] = {"positive": positive, "negative": negative, "direction": direction, "family": family}
    options |= {"nan_policy": nan_policy, "level": level, "n_resamples": n_resamples, "rng": rng}
    analysis = FeatureAnalysis(x, y, feature=feature, unit=unit, stated_prevalence=stated, **options)
    context = template_context(analysis)
    values, labels = check_feature(x), check_labels(y, x, nan_policy=nan_policy)
    context["sha256"] = data_hash(as_feature_table(values[:, None], names=[feature]), labels)
    context |= {"date": day.isoformat(), "seed": f"{rng}, for resampling"}
    return write_report(path, "feature.html", title=title, notes=notes, **context, **_pictures(analysis))


def template_context(analysis: FeatureAnalysis) -> dict[str, Any]:
    """Return the context for the template of a feature report, without the images."""
    return {
        "analysis": analysis,
        "labels": analysis.labels,
        "classes": class_table(analysis),
        "areas": auc_table(analysis),
        "thresholds": threshold_grid(analysis),
        "rates": rate_table(analysis),
        "diagnosis": None if analysis.diagnosis is None else diagnosis_grid(analysis.diagnosis),
        "diagnosis_notes": [] if analysis.diagnosis is None else analysis.diagnosis._smallest_p_notes,
        "which": "predicted" if analysis.has_prediction else "empirical",
        "flags": [(name, message_to_prose(FLAG_DESCRIPTIONS[name])) for name in analysis.flags],
    }


def _pictures(analysis: FeatureAnalysis) -> dict[str, Image | None]:
    rocs = (analysis.predicted, analysis.empirical) if analysis.has_prediction else (analysis.empirical,)
    names = [label_to_text(label) for label in analysis.labels]
    curves = plot_side_by_side(*rocs, feature=analysis.feature, unit=analysis.unit, classes=names)
    below = None
    if analysis.diagnosis is not None:
        diagnosis = replace(analysis.diagnosis, verdict=analysis.verdict)  # with the verdict of the page
        below = figure_to_image(plot_diagnosis(diagnosis, feature=analysis.feature, unit=analysis.unit))
    return {"picture": figure_to_image(curves), "diagnosis_picture": below}
