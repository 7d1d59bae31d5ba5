"""Report of one feature."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup
from numpy.typing import ArrayLike

from rocpredict.base.files import check_writable
from rocpredict.base.labels import check_feature, check_labels
from rocpredict.base.results import (
    FLAG_DESCRIPTIONS,
    Interval,
    Table,
    check_confidence_level,
    format_interval,
    format_level,
    format_p_value,
    format_rate,
    label_to_text,
    pluralize,
)
from rocpredict.base.validation import FloatArray, check_probability
from rocpredict.diagnostics.diagnose import Diagnosis
from rocpredict.distributions.gaussian import Gaussian
from rocpredict.plots.curves import plot_side_by_side
from rocpredict.plots.diagnosis import plot_diagnosis
from rocpredict.reports.analysis import FEW_ROWS, FeatureAnalysis, analyze_feature
from rocpredict.reports.methods import feature_methods
from rocpredict.reports.report import (
    Image,
    check_date,
    data_hash,
    figure_to_data_uri,
    footer,
    format_numeral,
    html_name,
    message_to_prose,
    text_name,
    write_report,
)
from rocpredict.solvers.thresholds import BestThreshold
from rocpredict.sources.table import as_feature_table


def feature_findings(asked: FeatureAnalysis) -> Iterator[Any]:
    """Give the headlines."""
    interval = asked.empirical.auc_interval(asked.level)
    ends = format_interval(interval.low, interval.high, format_rate)
    said = Markup("<strong>Empirical AUC {}</strong> ({} interval {})").format(
        format_rate(asked.empirical.auc()), format_level(asked.level), ends
    )
    beside = f"; predicted by {asked.family_label} {format_rate(asked.predicted.auc())}" if asked.has_prediction else ""
    yield said + beside + "."
    p = asked.empirical.auc_test(level=asked.level).p_value
    yield f"Against the hypothesis that the AUC is 0.5: p = {format_p_value(p)}, two-sided."
    achieved = asked.empirical.rates(asked.best_predicted.threshold)
    yield (
        f"The {'predicted' if asked.has_prediction else 'empirical'} best threshold calls positive what is "
        f"{asked.rule}; of "
        f"these cases it finds {format_rate(achieved.tpr)} of the positives and "
        f"{format_rate(achieved.tnr)} of the negatives."
    )
    if asked.has_prediction:
        yield verdict(asked)


def verdict(asked: FeatureAnalysis) -> str:
    """Say whether to believe the prediction; that an estimate agrees with its own rows is no reason."""
    found, trust = asked.diagnosis, asked.trust
    if found is None or trust is None:
        return FEW_ROWS
    if not asked.shrunk or not found.verdict.startswith("Nothing speaks against"):
        return message_to_prose(found.verdict)
    alone_off = "; its model alone lies farther off than chance" if trust.misfit_ratio > 1 else ""
    few = found.verdict.partition(", but ")[2].partition(";")[0].rstrip(".")
    beside = f"; {few}" if few else ""
    return (
        f"The shrunk estimate agrees with the rows it was drawn towards, which is little evidence{alone_off}{beside}."
    )


def model_weight_sentence(asked: FeatureAnalysis) -> str:
    """Say how much of a shrunk estimate is its model; how far the model lies off is the diagnosis's to say."""
    if asked.trust is None or not asked.shrunk:
        return ""
    part = asked.trust.model_weight
    if part == 1:
        return "All of this estimate is the model's."
    return f"The share of the model in this estimate is {format_rate(part)}; the rest is the sample's own."


def options_table(asked: FeatureAnalysis) -> Iterator[tuple[str, Any]]:
    """Give what was asked, by name."""
    negative, positive = map(html_name, asked.labels)
    yield "Feature", html_name(asked.feature) + (Markup(" [{}]").format(html_name(asked.unit)) if asked.unit else "")
    yield "Classes", Markup("{} is positive, {} is negative").format(positive, negative)
    yield "Left out", f"{pluralize(asked.missing, 'row')} without a value"
    side = f"positive when x {'≤' if asked.lower else '≥'} threshold"
    yield "Direction", side + (", chosen by these data" if asked.predicted.auto_direction else "")
    yield (
        ("Predicted by", asked.family_label)
        if asked.has_prediction
        else ("Curve", "that of the rows (family empirical)")
    )
    yield "Intervals", format_level(asked.level)
    source = "that of the rows with a value" if asked.missing else "that of the sample"
    yield (
        "Prevalence",
        f"{format_rate(asked.prevalence)}, {source if asked.prevalence_from_data else 'as stated'}",
    )


def test_sentences(test: Any) -> Iterator[str]:
    """Say what was tested, and what a small p does not say."""
    yield f"Null hypothesis: {test.null}. Alternative: {test.alternative.replace('!=', '≠')}."
    yield (
        f"Test by the method {test.method}: z = {format_numeral(test.statistic)}, p = "
        f"{format_p_value(test.p_value)}. The estimate is the empirical AUC."
    )
    yield (
        "A small p says that the AUC is not 0.5, not how far it is from it: for that read the interval. A feature may "
        "tell something at an AUC of 0.5, where the spreads differ."
    )


def threshold_caveats(asked: FeatureAnalysis) -> Iterator[str]:
    """Say what the thresholds do not show."""
    honest = asked.best_empirical.ameans_corrected
    yield (
        "On the rows that chose it the empirical threshold has an Ameans of "
        f"{format_rate(float(asked.best_empirical.ameans))}, "
        "which is too good; thresholds chosen so have "
        f"{format_rate(float(honest or np.nan))} on rows that did not choose them (out of bag)."
    )
    yield from _crossings(asked)
    if asked.has_prediction and not asked.gaussian:
        yield ("Of the predicted threshold no interval is given: each resample would have to be fitted anew.")


def _crossings(asked: FeatureAnalysis) -> Iterator[str]:
    """Name the crossings among the data, where to use them would show; a shrunk pair has no density to compare."""
    if asked.shrunk or not asked.has_prediction or len(asked.best_predicted.crossings) < 2:
        return
    single, proper = (
        format_rate(asked.predicted.auc()),
        format_rate(float(asked.predicted.proper().auc())),
    )
    if single == proper:
        return
    sides = asked.empirical.negative.sorted_sample, asked.empirical.positive.sorted_sample
    low, high = min(x[0] for x in sides), max(x[-1] for x in sides)
    inside = [format_numeral(float(place)) for place in asked.best_predicted.crossings if low <= place <= high]
    places = f"among the values of these data at {', '.join(inside)}" if inside else "none of it among these values"
    yield (
        f"The densities cross more than once, {places}; the rule by their ratio, which uses all crossings, would have "
        f"the AUC {proper} instead of {single}."
    )


def caveats(asked: FeatureAnalysis) -> Iterator[str]:
    """Say what the rates do not show."""
    cells = asked.empirical.rates(asked.best_predicted.threshold).counts
    if cells is not None:
        tp, fp, fn, tn = (f"{cell:,.10g}" for cell in (cells.tp, cells.fp, cells.fn, cells.tn))
        yield f"In cases: {tp} true positives, {fn} false negatives, {tn} true negatives, {fp} false positives."
    yield (
        f"The intervals are those of a threshold fixed beforehand. This one was {_family_description(asked)} the "
        "same rows, so that the counted rates are a little too good."
    )
    if asked.prevalence_from_data:
        yield (
            "Precision, NPV and accuracy go with the shares of the classes in this sample; elsewhere state the "
            "prevalence."
        )
    else:
        yield (
            "Precision, NPV and accuracy are those that the rates give at the "
            "stated prevalence; no interval is given of them."
        )


def _family_description(asked: FeatureAnalysis) -> str:
    return "fitted to" if asked.has_prediction else "chosen on"


def picture_alt(asked: FeatureAnalysis) -> str:
    """Say what the picture of densities and curves shows."""
    if not asked.has_prediction:
        return (
            f"Values of {text_name(asked.feature)} in both classes with the best threshold "
            f"{format_numeral(float(asked.best_predicted.threshold))}, and beside them the empirical ROC curve, AUC "
            f"{format_rate(asked.empirical.auc())}."
        )
    return (
        f"Densities of {text_name(asked.feature)} in both classes with the predicted best threshold "
        f"{format_numeral(float(asked.best_predicted.threshold))}, and beside them the ROC curve predicted by "
        f"{asked.family_label}, AUC "
        f"{format_rate(asked.predicted.auc())}, over the empirical one, AUC "
        f"{format_rate(asked.empirical.auc())}."
    )


def diagnosis_alt(found: Any) -> str:
    """Say what the picture of a diagnosis shows."""
    return (
        f"Predicted and counted curve, normal scores of each class and densities over histograms. The curves lie "
        f"{format_rate(found.area_between)} of TPR apart on average (by chance "
        f"{format_rate(found.area_between_expected)}); the largest gap is "
        f"{found.max_tpr_gap:+.3f} at FPR {format_rate(found.max_tpr_gap_fpr)}."
    )


_CLASS_MEASURES = {
    "tpr": "TPR (sensitivity)",
    "tnr": "TNR (specificity)",
    "ameans": "Ameans (balanced accuracy)",
}
_PREVALENCE_MEASURES = {"precision": "Precision (PPV)", "npv": "NPV", "accuracy": "Accuracy"}


def class_table(asked: FeatureAnalysis) -> Table:
    """Show what each class is like."""
    rows = []
    for side, label in zip((asked.empirical.negative, asked.empirical.positive), asked.labels, strict=True):
        x = side.sorted_sample
        numbers = (*mean_and_std(x), x[0], float(np.median(x)), x[-1])
        rows.append([label, len(x), *map(float, numbers)])
    titles = ["Class", "Cases", "Mean", "SD (n − 1)", "Smallest", "Median", "Largest"]
    formats = {"Class": html_name, "Cases": ",", **dict.fromkeys(titles[2:], format_numeral)}
    return Table("The two classes: negative, then positive", titles, rows, formats)


def mean_and_std(x: FloatArray) -> tuple[float, float]:
    """Give mean and SD, as far as the values have them."""
    if len(x) < 2 or not np.isfinite(x).all():
        return float(np.mean(x)), np.nan
    fitted = Gaussian.fit(x)
    return float(fitted.mean), float(fitted.std)


def auc_table(asked: FeatureAnalysis) -> Table:
    """Show both AUCs; an interval that is that of the count stands beside the count only."""
    roc = asked.empirical
    rows = [["Empirical", (roc.auc(), format_rate), *_ends(roc.auc_interval(asked.level))]]
    if asked.has_prediction:
        own = _ends(asked.predicted.auc_interval(asked.level)) if asked.gaussian else ("none of its own", "")
        rows.append([f"Predicted, {asked.family_label}", (asked.predicted.auc(), format_rate), *own])
        error = float(asked.predicted.auc() - roc.auc())
        rows.append(["Predicted − empirical", (error, _signed), "", ""])
    caption = f"AUC with its {format_level(asked.level)} interval"
    formats = {"AUC": lambda cell: cell[1](cell[0])}
    return Table(caption, ["Curve", "AUC", "Interval", "Method"], rows, formats)


def _signed(value: float) -> str:
    return "0.000" if abs(value) < 0.0005 else f"{value:+.3f}".replace("-", "−")


def threshold_grid(asked: FeatureAnalysis) -> Table:
    """Show the best thresholds."""
    rows = []
    if asked.has_prediction:
        rows.append(_threshold_row(asked, f"Predicted, {asked.family_label}", asked.best_predicted))
    rows.append(_threshold_row(asked, "Empirical", asked.best_empirical))
    titles = [
        "Chosen by",
        "Threshold",
        f"{format_level(asked.level)} interval",
        "Method",
        "TPR",
        "FPR",
        "Ameans",
        "Flags",
    ]
    formats = {"Threshold": format_numeral, **dict.fromkeys(("TPR", "FPR", "Ameans"), format_rate)}
    return Table("Thresholds with the best Ameans, (TPR + TNR)/2", titles, rows, formats)


def _threshold_row(asked: FeatureAnalysis, name: str, best: BestThreshold) -> list[Any]:
    ends = ("not computed", "")
    if (
        best is asked.best_empirical or asked.gaussian
    ):  # the bootstrap of a family fitted by iterations would take minutes
        ends = _ends(best.threshold_interval(asked.level), format_numeral)
    return [name, best.threshold, *ends, best.tpr, best.fpr, best.ameans, ", ".join(best.flags) or "none"]


def rate_table(asked: FeatureAnalysis) -> Table:
    """Show the rates at the threshold, counted and predicted."""
    titles = ["Rate", "Counted", f"{format_level(asked.level)} interval", "Method"]
    if asked.has_prediction:
        titles.append("Predicted")
    caption = f"Positive when {asked.rule}, at a prevalence of {format_rate(asked.prevalence)}"
    formats = {"Counted": format_rate, "Predicted": format_rate}
    return Table(caption, titles, list(_rate_rows(asked)), formats)


def _rate_rows(asked: FeatureAnalysis) -> Iterator[list[Any]]:
    at, roc = asked.best_predicted.threshold, asked.empirical
    counted = roc.rates(at, prevalence=asked.prevalence)
    model = asked.predicted.rates(at, prevalence=asked.prevalence) if asked.has_prediction else None
    for name, title in (_CLASS_MEASURES | _PREVALENCE_MEASURES).items():
        known = asked.prevalence_from_data or name in _CLASS_MEASURES
        ends = _ends(roc.rate_interval(name, at, asked.level)) if known else ("", "")
        predicted = [] if model is None else [getattr(model, name)]
        yield [title, getattr(counted, name), *ends, *predicted]


def diagnosis_grid(found: Diagnosis) -> Table:
    """Show what a diagnosis looked at."""
    marks = {"ok": "ok", "note": "note", "warn": "warning"}
    rows = [
        [item.name, marks[item.severity], *map(message_to_prose, (item.message, item.suggestion or ""))]
        for item in found.findings
    ]
    return Table("What was looked at", ["Finding", "Level", "What was seen", "Remedy"], rows)


def _ends(interval: Interval, form: Any = format_rate) -> tuple[str, str]:
    """Give the cells of an interval and of its method."""
    return format_interval(interval.low, interval.high, form), interval.method


def feature_report(
    x: ArrayLike,
    y: ArrayLike,
    path: str | os.PathLike[str],
    *,
    feature: str = "x",
    unit: str | None = None,
    positive: Any = None,
    negative: Any = None,
    family: Any = "gaussian",
    direction: str | None = None,
    nan_policy: str = "raise",
    level: float = 0.95,
    prevalence: float | None = None,
    title: str | None = None,
    date: Any = None,
    n_resamples: int = 500,
    rng: int = 0,
    notes: Sequence[str] = (),
) -> Path:
    """Write all there is to say of one feature as one HTML file that needs nothing else.

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
    rng : int
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
    day, level = check_date(date), check_confidence_level(level)
    share_there = None if prevalence is None else check_probability("prevalence", prevalence, ends=False)
    asked = analyze_feature(
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
        prevalence=share_there,
        n_resamples=n_resamples,
        seed=rng,
    )
    values, labels = check_feature(x), check_labels(y, x)
    hashed = data_hash(as_feature_table(values[:, None], names=[feature]), labels)
    foot = footer(day, seed=f"{rng}, of the samples that were drawn", sha256=hashed)
    told = {
        "title": text_name(title or f"{feature}: a report by rocpredict"),
        "heading": html_name(title) if title is not None else _title(asked),
        "footer": foot,
        **template_context(asked, notes),
        **_pictures(asked),
        "methods": feature_methods(asked, foot.versions),
    }
    return write_report(path, "feature.html", **told)


def _title(asked: FeatureAnalysis) -> Markup:
    negative, positive = map(html_name, asked.labels)
    return Markup("{}: {} against {}").format(html_name(asked.feature), positive, negative)


def template_context(asked: FeatureAnalysis, notes: Sequence[str] = ()) -> dict[str, Any]:
    """Give what the template of one feature shows, but for the pictures."""
    found, area = asked.diagnosis, asked.empirical.auc_test(level=asked.level)
    return {
        "findings": list(feature_findings(asked)),
        "asked": [*options_table(asked), *(("Note", note) for note in notes)],
        "classes": class_table(asked),
        "areas": auc_table(asked),
        "test": list(test_sentences(area)),
        "thresholds": threshold_grid(asked),
        "choice": list(threshold_caveats(asked)),
        "which": "predicted" if asked.has_prediction else "empirical",
        "rates": rate_table(asked),
        "caveats": list(caveats(asked)),
        "rests_on": "Can the prediction be believed?" if asked.has_prediction else "What the curve rests on",
        "verdict": verdict(asked),
        "of_model": model_weight_sentence(asked),
        "diagnosis": None if found is None else diagnosis_grid(found),
        "flags": [(name, message_to_prose(FLAG_DESCRIPTIONS[name])) for name in _flags(asked, area)],
    }


def _pictures(asked: FeatureAnalysis) -> dict[str, Image | None]:
    rocs = (asked.predicted, asked.empirical) if asked.has_prediction else (asked.empirical,)
    names = [label_to_text(label) for label in asked.labels]
    both = plot_side_by_side(*rocs, feature=asked.feature, unit=asked.unit, classes=names)
    drawn = {"picture": figure_to_data_uri(both, picture_alt(asked))}
    found, below = asked.diagnosis, None
    if found is not None:
        said = replace(found, verdict=verdict(asked))  # as it is said elsewhere on the page
        below = figure_to_data_uri(plot_diagnosis(said, feature=asked.feature, unit=asked.unit), diagnosis_alt(found))
    return drawn | {"diagnosis_picture": below}


def _flags(asked: FeatureAnalysis, area: Any) -> list[str]:
    interval = asked.empirical.auc_interval(asked.level)
    return list(dict.fromkeys([*asked.best_predicted.flags, *asked.best_empirical.flags, *area.flags, *interval.flags]))
