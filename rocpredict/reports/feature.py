"""Report of one feature."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rocpredict.base.files import check_writable
from rocpredict.base.formatting import format_interval, format_level, format_rate, label_to_text
from rocpredict.base.labels import as_rereadable, check_feature, check_labels, split_classes, unique_labels
from rocpredict.base.proportions import check_confidence_level
from rocpredict.base.results import FLAG_DESCRIPTIONS, Interval
from rocpredict.base.tables import Table
from rocpredict.base.validation import (
    Direction,
    FloatArray,
    Label,
    NanPolicy,
    RocPredictError,
    check_probability,
    short_repr,
)
from rocpredict.diagnostics.diagnose import Diagnosis, diagnose
from rocpredict.distributions.families import FamilyName, ScipyFamily
from rocpredict.distributions.fitting import FAMILIES
from rocpredict.distributions.gaussian import Gaussian
from rocpredict.distributions.normality import suppress_normality_warning
from rocpredict.plots.curves import plot_side_by_side
from rocpredict.plots.diagnosis import plot_diagnosis
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
from rocpredict.roc.empirical import EmpiricalRoc, empirical_roc
from rocpredict.roc.predicted import ModelFit, PredictedRoc, predict_roc
from rocpredict.solvers.thresholds import BestThreshold
from rocpredict.sources.table import as_feature_table


@dataclass(frozen=True, eq=False)
class FeatureAnalysis:
    """Results on one feature, each computed on first use; the fields are the checked options of ``feature_report``."""

    x: ArrayLike
    y: ArrayLike
    feature: str
    unit: str | None
    positive: Any
    negative: Any
    family: Any
    direction: Direction
    nan_policy: NanPolicy
    level: float
    stated_prevalence: float | None
    n_resamples: int
    seed: int

    @property
    def _classes(self) -> dict[str, Any]:
        return {"positive": self.positive, "negative": self.negative, "nan_policy": self.nan_policy}

    @cached_property
    def labels(self) -> tuple[Any, Any]:
        """Labels of the negative and the positive class; "rest" for several negative labels."""
        split = split_classes(self.x, self.y, **self._classes)
        names = unique_labels(check_labels(self.y, self.x, nan_policy=self.nan_policy))
        several = self.negative is None and len(names) > 2
        return "rest" if several else split.negative_label, split.positive_label

    @cached_property
    def predicted(self) -> PredictedRoc:
        """Predicted ROC curve."""
        with suppress_normality_warning():  # the diagnosis says it at length
            return predict_roc(self.x, self.y, family=self.family, direction=self.direction, **self._classes)

    @cached_property
    def empirical(self) -> EmpiricalRoc:
        """Empirical ROC curve."""
        return empirical_roc(self.x, self.y, direction=self.predicted.direction, **self._classes)

    @property
    def has_prediction(self) -> bool:
        """True if the family is another one than the data themselves."""
        return not (isinstance(self.family, str) and self.family == "empirical")

    @cached_property
    def diagnosis(self) -> Diagnosis | None:
        """Diagnosis of the prediction, if there is one."""
        if not self.has_prediction:
            return None
        options = {"family": self.family, "direction": self.direction, **self._classes}
        return diagnose(self.x, self.y, n_resamples=self.n_resamples, rng=self.seed, **options)

    @cached_property
    def model_fit(self) -> ModelFit | None:
        """Fit of the model, if there is a prediction."""
        return self.predicted.model_fit() if self.has_prediction else None

    @cached_property
    def best_empirical(self) -> BestThreshold:
        """Best threshold on the data."""
        return self.empirical.best_threshold()

    @cached_property
    def best_predicted(self) -> BestThreshold:
        """Best threshold of the prediction; without one, that on the data."""
        return self.predicted.best_threshold() if self.has_prediction else self.best_empirical

    @cached_property
    def auc_interval(self) -> Interval:
        """Interval of the empirical AUC."""
        return self.empirical.auc_interval(self.level)

    @cached_property
    def auc_test(self) -> Any:
        """Test of the empirical AUC against 0.5."""
        return self.empirical.auc_test(level=self.level)

    @property
    def prevalence_from_data(self) -> bool:
        """True if no prevalence was stated."""
        return self.stated_prevalence is None

    @property
    def prevalence(self) -> float:
        """Prevalence as stated, or that of the data."""
        return self.empirical.prevalence or 0.0 if self.stated_prevalence is None else self.stated_prevalence

    @property
    def family_name(self) -> str:
        """Name of the family."""
        return self.family if isinstance(self.family, str) else str(getattr(self.family, "name", self.family))

    @property
    def gaussian(self) -> bool:
        """True if the delta method gives the intervals of the prediction."""
        return self.family_name == "gaussian"

    @property
    def shrunk(self) -> bool:
        """True if the prediction is shrunk towards the data."""
        return self.family_name == "auto"

    @property
    def family_label(self) -> str:
        """Name of the prediction."""
        return "two Gaussians" if self.gaussian else f"family {self.family_name}"

    @property
    def n_missing(self) -> int:
        """Number of rows without a value."""
        return sum(self.empirical.omitted)

    @property
    def lower(self) -> bool:
        """True if the positive class has lower values."""
        return bool(self.predicted.direction == "lower")

    @property
    def rule(self) -> str:
        """Values that are called positive, such as "≥ 5.826"."""
        return format_rule(float(self.best_predicted.threshold), "lower" if self.lower else None)

    @property
    def verdict(self) -> str:
        """Sentence on whether to believe the prediction; that an estimate agrees with its own rows is no reason."""
        diagnosis, fit = self.diagnosis, self.model_fit
        if diagnosis is None or fit is None:
            return "The ROC curve is that of the rows; the threshold with the highest Ameans was chosen on them."
        if not self.shrunk or not diagnosis.verdict.startswith("Nothing speaks against"):
            return message_to_prose(diagnosis.verdict)
        alone_off = "; its model alone lies farther off than chance" if fit.misfit_ratio > 1 else ""
        caveat = diagnosis.verdict.partition(", but ")[2].partition(";")[0].rstrip(".")
        addition = f"; {caveat}" if caveat else ""
        agrees = "The shrunk estimate agrees with the rows it was drawn towards, which is little evidence"
        return f"{agrees}{alone_off}{addition}."

    @cached_property
    def proper_auc(self) -> float | None:
        """AUC of the rule by the ratio of the densities, if these cross more than once and it prints differently.

        A shrunk estimate has no densities to compare.
        """
        if self.shrunk or not self.has_prediction or len(self.best_predicted.crossings) < 2:
            return None
        proper = float(self.predicted.proper().auc())
        return None if format_rate(proper) == format_rate(self.predicted.auc()) else proper

    @property
    def crossings_inside(self) -> list[float]:
        """Crossings of the densities among the values."""
        samples = self.empirical.negative.sorted_sample, self.empirical.positive.sorted_sample
        low, high = min(x[0] for x in samples), max(x[-1] for x in samples)
        return [float(place) for place in self.best_predicted.crossings if low <= place <= high]

    @property
    def flags(self) -> list[str]:
        """Names of the flags of all results."""
        results = (self.best_predicted, self.best_empirical, self.auc_test, self.auc_interval)
        return list(dict.fromkeys(name for result in results for name in result.flags))


_CLASS_MEASURES = {
    "tpr": "TPR (sensitivity)",
    "tnr": "TNR (specificity)",
    "ameans": "Ameans (balanced accuracy)",
}
_PREVALENCE_MEASURES = {"precision": "Precision (PPV)", "npv": "NPV", "accuracy": "Accuracy"}


def class_table(analysis: FeatureAnalysis) -> Table:
    """Return number, mean, SD and range of the values of each class."""
    rows = []
    for distribution, label in zip(
        (analysis.empirical.negative, analysis.empirical.positive), analysis.labels, strict=True
    ):
        x = distribution.sorted_sample
        numbers = (*mean_and_std(x), x[0], float(np.median(x)), x[-1])
        rows.append([label, len(x), *map(float, numbers)])
    titles = ["Class", "Cases", "Mean", "SD (n − 1)", "Smallest", "Median", "Largest"]
    formats = {"Class": html_name, "Cases": ",", **dict.fromkeys(titles[2:], format_numeral)}
    return Table("The two classes: negative, then positive", titles, rows, formats)


def mean_and_std(x: FloatArray) -> tuple[float, float]:
    """Return mean and SD; the SD of one value or of infinite ones is NaN."""
    if len(x) < 2 or not np.isfinite(x).all():
        return float(np.mean(x)), np.nan
    fitted = Gaussian.fit(x)
    return float(fitted.mean), float(fitted.std)


def auc_table(analysis: FeatureAnalysis) -> Table:
    """Return both AUCs; an interval of the empirical AUC stands with it alone."""
    roc = analysis.empirical
    rows = [["Empirical", (roc.auc(), format_rate), *_interval_cells(analysis.auc_interval)]]
    if analysis.has_prediction:
        predicted_interval = (
            _interval_cells(analysis.predicted.auc_interval(analysis.level))
            if analysis.gaussian
            else ("none of its own", "")
        )
        rows.append(
            [f"Predicted, {analysis.family_label}", (analysis.predicted.auc(), format_rate), *predicted_interval]
        )
        error = float(analysis.predicted.auc() - roc.auc())
        rows.append(["Predicted − empirical", (error, _signed), "", ""])
    caption = f"AUC with its {format_level(analysis.level)} interval"
    formats = {"AUC": lambda cell: cell[1](cell[0])}
    return Table(caption, ["Curve", "AUC", "Interval", "Method"], rows, formats)


def _signed(value: float) -> str:
    return "0.000" if abs(value) < 0.0005 else f"{value:+.3f}".replace("-", "−")


def threshold_grid(analysis: FeatureAnalysis) -> Table:
    """Return the best thresholds."""
    rows = []
    if analysis.has_prediction:
        rows.append(_threshold_row(analysis, f"Predicted, {analysis.family_label}", analysis.best_predicted))
    rows.append(_threshold_row(analysis, "Empirical", analysis.best_empirical))
    titles = ["Chosen by", "Threshold", f"{format_level(analysis.level)} interval", "Method"]
    titles += ["TPR", "FPR", "Ameans", "Flags"]
    formats = {"Threshold": format_numeral, **dict.fromkeys(("TPR", "FPR", "Ameans"), format_rate)}
    return Table("Thresholds with the best Ameans, (TPR + TNR)/2", titles, rows, formats)


def _threshold_row(analysis: FeatureAnalysis, name: str, best: BestThreshold) -> list[Any]:
    interval_cells = ("not computed", "")  # the bootstrap of a family fitted by iterations would take minutes
    if best is analysis.best_empirical or analysis.gaussian:
        interval_cells = _interval_cells(best.threshold_interval(analysis.level), format_numeral)
    return [name, best.threshold, *interval_cells, best.tpr, best.fpr, best.ameans, ", ".join(best.flags) or "none"]


def rate_table(analysis: FeatureAnalysis) -> Table:
    """Return the rates at the threshold, counted and predicted."""
    titles = ["Rate", "Counted", f"{format_level(analysis.level)} interval", "Method"]
    if analysis.has_prediction:
        titles.append("Predicted")
    caption = f"Positive when {analysis.rule}, at a prevalence of {format_rate(analysis.prevalence)}"
    formats = {"Counted": format_rate, "Predicted": format_rate}
    return Table(caption, titles, list(_rate_rows(analysis)), formats)


def _rate_rows(analysis: FeatureAnalysis) -> Iterator[list[Any]]:
    threshold, roc = analysis.best_predicted.threshold, analysis.empirical
    empirical = roc.rates(threshold, prevalence=analysis.prevalence)
    model = analysis.predicted.rates(threshold, prevalence=analysis.prevalence) if analysis.has_prediction else None
    for name, title in (_CLASS_MEASURES | _PREVALENCE_MEASURES).items():
        has_interval = analysis.prevalence_from_data or name in _CLASS_MEASURES
        interval_cells = (
            _interval_cells(roc.rate_interval(name, threshold, analysis.level)) if has_interval else ("", "")
        )
        predicted = [] if model is None else [getattr(model, name)]
        yield [title, getattr(empirical, name), *interval_cells, *predicted]


def diagnosis_grid(diagnosis: Diagnosis) -> Table:
    """Return the findings of a diagnosis in prose."""
    marks = {"ok": "ok", "note": "note", "warn": "warning"}
    rows = [
        [item.name, marks[item.severity], *map(message_to_prose, (item.message, item.suggestion or ""))]
        for item in diagnosis.findings
    ]
    return Table("What was looked at", ["Finding", "Level", "What was seen", "Remedy"], rows)


def _interval_cells(interval: Interval, form: Any = format_rate) -> tuple[str, str]:
    """Return the cells of an interval and of its method."""
    return format_interval(interval.low, interval.high, form), interval.method


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
    seed: int = 0,
    notes: Sequence[str] = (),
) -> Path:
    """Write the report of one feature as one self-contained HTML file.

    Parameters
    ----------
    x : array of shape (n,)
        Values of the feature.
    y : array of shape (n,)
        Labels.
    path : path
        Where to write, in a folder that exists; written whole or not at all.
    feature, unit : str, optional
        Its name, and the unit of ``x``.
    positive, negative, family, direction, nan_policy
        As in ``predict_roc``.
    level : float
        Of the intervals.
    prevalence : float, optional
        Share of positives where the rule will be used, inside (0, 1): precision and its like go with it. Left out,
        that of the sample.
    title : str, optional
        The heading; left out, the name of the feature and the classes.
    date : datetime.date or str, optional
        The day that the report says it is of; left out, today.
    n_resamples : int
        Samples that the diagnosis draws, 20 or more.
    seed : int
        Of what is drawn at random: with it and a date the same data give the same bytes.

    notes : sequence of str
        Further sentences on what was asked.

    Returns
    -------
    Path

    Raises
    ------
    RocPredictError
        A place that cannot be written to, or an option out of range, before any work; as ``predict_roc``.

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
    check_writable(path)
    if unit is not None and not isinstance(unit, str):
        raise RocPredictError(f"unit={short_repr(unit)} is not text; give a str, or None")
    x, y = (list(values) if isinstance(values, Iterator) else values for values in (x, y))  # read several times
    day, level = check_date(date), check_confidence_level(level)
    stated = None if prevalence is None else check_probability("prevalence", prevalence, ends=False)
    x, y = as_rereadable(x), as_rereadable(y)
    analysis = FeatureAnalysis(
        x,
        y,
        feature=feature,
        unit=unit,
        positive=positive,
        negative=negative,
        family=family,
        direction=direction,
        nan_policy=nan_policy,
        level=level,
        stated_prevalence=stated,
        n_resamples=n_resamples,
        seed=seed,
    )
    context = template_context(analysis)
    values, labels = check_feature(x), check_labels(y, x, nan_policy=nan_policy)
    hashed = data_hash(as_feature_table(values[:, None], names=[feature]), labels)
    return write_report(
        path,
        "feature.html",
        title=title,
        notes=notes,
        date=day.isoformat(),
        seed=f"{seed}, of the samples that were drawn",
        sha256=hashed,
        **context,
        **_pictures(analysis),
    )


def template_context(analysis: FeatureAnalysis) -> dict[str, Any]:
    """Return what the template of one feature shows, but for the pictures."""
    return {
        "analysis": analysis,
        "labels": analysis.labels,
        "classes": class_table(analysis),
        "areas": auc_table(analysis),
        "thresholds": threshold_grid(analysis),
        "rates": rate_table(analysis),
        "diagnosis": None if analysis.diagnosis is None else diagnosis_grid(analysis.diagnosis),
        "which": "predicted" if analysis.has_prediction else "empirical",
        "families": FAMILIES,
        "flags": [(name, message_to_prose(FLAG_DESCRIPTIONS[name])) for name in analysis.flags],
    }


def _pictures(analysis: FeatureAnalysis) -> dict[str, Image | None]:
    rocs = (analysis.predicted, analysis.empirical) if analysis.has_prediction else (analysis.empirical,)
    names = [label_to_text(label) for label in analysis.labels]
    curves = plot_side_by_side(*rocs, feature=analysis.feature, unit=analysis.unit, classes=names)
    below = None
    if analysis.diagnosis is not None:
        diagnosis = replace(analysis.diagnosis, verdict=analysis.verdict)  # as it is said elsewhere on the page
        below = figure_to_image(plot_diagnosis(diagnosis, feature=analysis.feature, unit=analysis.unit))
    return {"picture": figure_to_image(curves), "diagnosis_picture": below}
