"""One feature as a report: both curves, intervals, threshold, rates and trust."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup
from numpy.typing import ArrayLike

from rocpredict.arguments import as_fraction
from rocpredict.assumptions import without_doubt
from rocpredict.diagnosis import Diagnosis, diagnose
from rocpredict.empirical import EmpiricalRoc, empirical_roc
from rocpredict.features import as_features
from rocpredict.files import check_place
from rocpredict.flags import MEANINGS
from rocpredict.interval import Interval, as_level
from rocpredict.labels import as_labels, as_values, split_classes
from rocpredict.plots import plot_diagnosis, side_by_side
from rocpredict.predictor import PredictedRoc, predict_roc
from rocpredict.report.feature_methods import feature_methods
from rocpredict.report.grid import Grid, plain_grid
from rocpredict.report.page import as_date, write_page
from rocpredict.report.pictures import as_image
from rocpredict.report.provenance import data_hash, footer
from rocpredict.report.wording import alone, between, many, named, number, p_value, percent, rule, share
from rocpredict.thresholds import BestThreshold


class _Asked(NamedTuple):
    """Hold the finished answers about one feature, and what was asked."""

    feature: str
    labels: tuple[Any, Any]
    family: str
    level: float
    prevalence: float
    natural: bool
    predicted: PredictedRoc
    empirical: EmpiricalRoc
    best: BestThreshold
    counted: BestThreshold
    diagnosis: Diagnosis | None
    seed: int

    @property
    def gaussian(self) -> bool:
        """Whether the delta method gives the intervals of the prediction."""
        return self.family == "gaussian"


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
    seed: int = 0,
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
    seed : int
        Of what is drawn at random: with it and a date the same data give the same bytes.

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
    check_place(path)
    day, level = as_date(date), as_level(level)
    share_there = None if prevalence is None else as_fraction("prevalence", prevalence, ends=False)
    classes = {"positive": positive, "negative": negative, "nan_policy": nan_policy}
    split = split_classes(x, y, **classes)
    with without_doubt():  # the diagnosis says it at length
        predicted = predict_roc(x, y, family=family, direction=direction, **classes)
    empirical = empirical_roc(x, y, direction=predicted.direction, **classes)
    diagnosis = None
    if not (isinstance(family, str) and family == "empirical"):
        diagnosis = diagnose(x, y, family=family, direction=direction, n_resamples=n_resamples, rng=seed, **classes)
    asked = _Asked(
        feature=feature,
        labels=("rest" if negative is None and _several(y, x) else split.negative_label, split.positive_label),
        family=family if isinstance(family, str) else str(getattr(family, "name", family)),
        level=level,
        prevalence=float(empirical.prevalence) if share_there is None else share_there,
        natural=share_there is None,
        predicted=predicted,
        empirical=empirical,
        best=predicted.best_threshold(),
        counted=empirical.best_threshold(),
        diagnosis=diagnosis,
        seed=seed,
    )
    values, labels = as_values(x), as_labels(y, x)
    hashed = data_hash(as_features(values[:, None], names=[feature]), labels)
    foot = footer(day, seed=f"{seed}, of the samples that were drawn", sha256=hashed)
    told = {
        "title": alone(title or f"{feature}: a report by rocpredict"),
        "heading": named(title) if title is not None else _heading(asked),
        "footer": foot,
        **_told(asked, unit),
        "methods": feature_methods(asked, foot.versions),
    }
    return write_page(path, "feature.html", **told)


def _several(y: Any, x: Any) -> bool:
    return len(set(as_labels(y, x).tolist())) > 2


def _heading(asked: _Asked) -> Markup:
    negative, positive = map(named, asked.labels)
    return Markup("{}: {} against {}").format(named(asked.feature), positive, negative)


def _told(asked: _Asked, unit: str | None) -> dict[str, Any]:
    """Give what the template of one feature shows."""
    picture = side_by_side(asked.predicted, asked.empirical, feature=asked.feature, unit=unit)
    found = asked.diagnosis
    area = asked.empirical.auc_test(level=asked.level)
    flags = dict.fromkeys(
        [*asked.best.flags, *asked.counted.flags, *area.flags, *asked.empirical.auc_interval(asked.level).flags]
    )
    return {
        "findings": list(_findings(asked)),
        "asked": list(_what(asked, unit)),
        "classes": _classes(asked),
        "picture": as_image(picture, _alt(asked)),
        "areas": _areas(asked),
        "test": list(_test(area)),
        "thresholds": _thresholds(asked),
        "choice": list(_choice(asked)),
        "rates": _rates(asked),
        "caveats": list(_caveats(asked)),
        "verdict": found.verdict
        if found is not None
        else "The curve is that of the rows themselves: nothing was assumed.",
        "trust": asked.predicted.trust().meaning if found is not None else "",
        "diagnosis": _diagnosis(found) if found is not None else None,
        "diagnosis_picture": as_image(plot_diagnosis(found, feature=asked.feature, unit=unit), _diagnosis_alt(asked))
        if found is not None
        else None,
        "flags": [(name, MEANINGS[name]) for name in flags],
    }


def _findings(asked: _Asked) -> Iterator[Any]:
    interval = asked.empirical.auc_interval(asked.level)
    yield Markup("<strong>Empirical AUC {}</strong> ({} interval {}); predicted by {} {}.").format(
        share(asked.empirical.auc()),
        percent(asked.level),
        between(interval.low, interval.high),
        _family(asked),
        share(asked.predicted.auc()),
    )
    p = asked.empirical.auc_test(level=asked.level).p_value
    yield f"Against the hypothesis that the AUC is 0.5: p = {p_value(p)}, two-sided."
    achieved = asked.empirical.rates(asked.best.threshold)
    yield (
        f"The predicted best threshold calls positive what is {_rule(asked)}; of "
        f"these cases it finds {share(achieved.tpr)} of the "
        f"positives and {share(achieved.tnr)} of the negatives."
    )
    if asked.diagnosis is not None:
        yield asked.diagnosis.verdict


def _family(asked: _Asked) -> str:
    return "two Gaussians" if asked.gaussian else f"family {asked.family}"


def _rule(asked: _Asked) -> str:
    return rule(asked.best.threshold, asked.predicted.direction)


def _what(asked: _Asked, unit: str | None) -> Iterator[tuple[str, Any]]:
    negative, positive = map(named, asked.labels)
    yield "Feature", named(asked.feature) + (Markup(" [{}]").format(named(unit)) if unit else "")
    yield "Classes", Markup("{} is positive, {} is negative").format(positive, negative)
    yield "Left out", f"{many(sum(asked.empirical.omitted), 'row')} without a value"
    yield (
        "Direction",
        f"positive when x {'≤' if asked.predicted.direction == 'lower' else '≥'} threshold"
        + (", chosen by these data" if asked.predicted.auto_direction else ""),
    )
    yield "Predicted by", _family(asked)
    yield "Intervals", percent(asked.level)
    yield "Prevalence", f"{share(asked.prevalence)}, " + ("that of the sample" if asked.natural else "as stated")


def _classes(asked: _Asked) -> Grid:
    rows = []
    for side, label in zip((asked.empirical.negative, asked.empirical.positive), asked.labels, strict=True):
        x = side.ordered
        spread = x.std(ddof=1) if len(x) > 1 else np.nan
        numbers = (x.mean(), spread, x[0], float(np.median(x)), x[-1])
        rows.append([named(label), f"{len(x):,}", *(number(float(value)) for value in numbers)])
    titles = ["Class", "Cases", "Mean", "SD (n − 1)", "Smallest", "Median", "Largest"]
    return plain_grid("The classes", "The two classes: negative, then positive", titles, rows)


def _areas(asked: _Asked) -> Grid:
    rows = []
    for name, roc in (("Empirical", asked.empirical), (f"Predicted, {_family(asked)}", asked.predicted)):
        interval = roc.auc_interval(asked.level)
        rows.append([name, share(roc.auc()), between(interval.low, interval.high), interval.method])
    error = asked.predicted.auc() - asked.empirical.auc()
    rows.append(["Predicted − empirical", f"{error:+.3f}".replace("-", "−"), "", ""])
    return plain_grid(
        "AUC", f"AUC with its {percent(asked.level)} interval", ["Curve", "AUC", "Interval", "Method"], rows
    )


def _test(test: Any) -> Iterator[str]:
    yield f"Null hypothesis: {test.null}. Alternative: {test.alternative.replace('!=', '≠')}."
    yield (
        f"Test by the method {test.method}: z = {number(test.statistic)}, p = "
        f"{p_value(test.p_value)}. The estimate is the empirical AUC."
    )
    yield "A small p says that the feature tells something, not how much: for that read the interval."


def _thresholds(asked: _Asked) -> Grid:
    rows = []
    for name, best in ((f"Predicted, {_family(asked)}", asked.best), ("Empirical", asked.counted)):
        interval = _threshold_interval(asked, best)
        shown = "not computed" if interval is None else between(interval.low, interval.high, number)
        method = "" if interval is None else interval.method
        rows.append(
            [
                name,
                number(best.threshold),
                shown,
                method,
                share(best.tpr),
                share(best.fpr),
                share(best.ameans),
                ", ".join(best.flags) or "none",
            ]
        )
    titles = ["Chosen by", "Threshold", f"{percent(asked.level)} interval", "Method", "TPR", "FPR", "Ameans", "Flags"]
    return plain_grid("Best thresholds", "Thresholds with the best Ameans, (TPR + TNR)/2", titles, rows)


def _threshold_interval(asked: _Asked, best: BestThreshold) -> Interval | None:
    """Give the interval of a threshold; of a family that is fitted by iterations a bootstrap would take minutes."""
    if best is asked.best and not asked.gaussian:
        return None
    return best.threshold_interval(asked.level)


def _choice(asked: _Asked) -> Iterator[str]:
    honest = asked.counted.ameans_honest
    yield (
        f"On the rows that chose it the empirical threshold has an Ameans of "
        f"{share(asked.counted.ameans)}, which is too good; "
        f"thresholds chosen so have {share(float(honest or np.nan))} on rows that did not choose them (out of bag)."
    )
    if len(asked.best.crossings) > 1:
        places = ", ".join(number(float(place)) for place in asked.best.crossings)
        proper = share(asked.predicted.proper().auc())
        yield (
            f"The densities cross more than once, at {places}; the rule by "
            f"their ratio, which uses all crossings, would have "
            f"the AUC {proper} instead of {share(asked.predicted.auc())}."
        )
    if not asked.gaussian:
        yield (
            "Of the predicted threshold no interval is given: each resample would have to "
            "be fitted anew (best_threshold().threshold_interval())."
        )


def _rates(asked: _Asked) -> Grid:
    at, roc = asked.best.threshold, asked.empirical
    model, counted = asked.predicted.rates(at, prevalence=asked.prevalence), roc.rates(at, prevalence=asked.prevalence)
    rows = []
    for name, title in (
        ("tpr", "TPR (sensitivity)"),
        ("tnr", "TNR (specificity)"),
        ("ameans", "Ameans (balanced accuracy)"),
    ):
        interval = roc.rate_interval(name, at, asked.level)
        rows.append(
            [
                title,
                share(getattr(counted, name)),
                between(interval.low, interval.high),
                interval.method,
                share(getattr(model, name)),
            ]
        )
    for name, title in (("precision", "Precision (PPV)"), ("npv", "NPV"), ("accuracy", "Accuracy")):
        ends, method = "", ""
        if asked.natural:
            interval = roc.rate_interval(name, at, asked.level)
            ends, method = between(interval.low, interval.high), interval.method
        rows.append([title, share(getattr(counted, name)), ends, method, share(getattr(model, name))])
    caption = f"Positive when {_rule(asked)}, at a prevalence of {share(asked.prevalence)}"
    return plain_grid(
        "Rates", caption, ["Rate", "Counted", f"{percent(asked.level)} interval", "Method", "Predicted"], rows
    )


def _caveats(asked: _Asked) -> Iterator[str]:
    cells = asked.empirical.rates(asked.best.threshold).counts
    if cells is not None:
        tp, fp, fn, tn = (f"{cell:,.10g}" for cell in (cells.tp, cells.fp, cells.fn, cells.tn))
        yield f"In cases: {tp} true positives, {fn} false negatives, {tn} true negatives, {fp} false positives."
    yield (
        "The intervals are those of a threshold fixed beforehand. This one was fitted to the "
        "same rows, so that the counted rates are a little too good."
    )
    if asked.natural:
        yield (
            "Precision, NPV and accuracy go with the shares of the classes in "
            "this sample; elsewhere state the prevalence."
        )
    else:
        yield (
            "Precision, NPV and accuracy are those that the rates give at the "
            "stated prevalence; no interval is given of them."
        )


def _diagnosis(found: Diagnosis) -> Grid:
    marks = {"ok": "ok", "note": "note", "warn": "warning"}
    rows = [[item.name, marks[item.level], item.sentence, item.remedy or ""] for item in found.findings]
    return plain_grid("Diagnosis", "What was looked at", ["Finding", "Level", "What was seen", "Remedy"], rows)


def _alt(asked: _Asked) -> str:
    return (
        f"Densities of {alone(asked.feature)} in both classes with the predicted best "
        f"threshold {number(asked.best.threshold)}, and beside them "
        f"the ROC curve predicted by {_family(asked)}, AUC {share(asked.predicted.auc())}, "
        f"over the empirical one, AUC {share(asked.empirical.auc())}."
    )


def _diagnosis_alt(asked: _Asked) -> str:
    found = asked.diagnosis
    if found is None:
        return ""
    return (
        f"Predicted and counted curve, normal scores of each class and densities over "
        f"histograms. The curves lie {share(found.l1)} of TPR apart "
        f"on average (by chance {share(found.l1_by_chance)}); the largest gap is "
        f"{found.max_tpr_gap:+.3f} at FPR {share(found.max_tpr_gap_fpr)}."
    )
