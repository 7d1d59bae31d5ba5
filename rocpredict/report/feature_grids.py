"""The tables in a report of one feature."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from rocpredict.arguments import FloatArray
from rocpredict.diagnosis import Diagnosis
from rocpredict.distributions import Gaussian
from rocpredict.interval import Interval
from rocpredict.report.asked import Asked
from rocpredict.report.grid import Grid, plain_grid
from rocpredict.report.wording import between, in_prose, named, number, percent, share
from rocpredict.thresholds import BestThreshold

_OF_CLASSES = {
    "tpr": "TPR (sensitivity)",
    "tnr": "TNR (specificity)",
    "ameans": "Ameans (balanced accuracy)",
}
_OF_PREVALENCE = {"precision": "Precision (PPV)", "npv": "NPV", "accuracy": "Accuracy"}


def class_grid(asked: Asked) -> Grid:
    """Show what each class is like."""
    rows = []
    for side, label in zip((asked.empirical.negative, asked.empirical.positive), asked.labels, strict=True):
        x = side.ordered
        numbers = (*moments_of(x), x[0], float(np.median(x)), x[-1])
        rows.append([named(label), f"{len(x):,}", *(number(float(value)) for value in numbers)])
    titles = ["Class", "Cases", "Mean", "SD (n − 1)", "Smallest", "Median", "Largest"]
    return plain_grid("The classes", "The two classes: negative, then positive", titles, rows)


def moments_of(x: FloatArray) -> tuple[float, float]:
    """Give mean and SD, as far as the values have them."""
    if len(x) < 2 or not np.isfinite(x).all():
        return float(np.mean(x)), np.nan
    fitted = Gaussian.fit(x)
    return float(fitted.mean), float(fitted.std)


def area_grid(asked: Asked) -> Grid:
    """Show both AUCs; an interval that is that of the count stands beside the count only."""
    roc = asked.empirical
    rows = [["Empirical", share(roc.auc()), *_ends(roc.auc_interval(asked.level))]]
    if asked.modelled:
        own = _ends(asked.predicted.auc_interval(asked.level)) if asked.gaussian else ("none of its own", "")
        rows.append([f"Predicted, {asked.by_what}", share(asked.predicted.auc()), *own])
        error = float(asked.predicted.auc() - roc.auc())
        rows.append(["Predicted − empirical", _signed(error), "", ""])
    caption = f"AUC with its {percent(asked.level)} interval"
    return plain_grid("AUC", caption, ["Curve", "AUC", "Interval", "Method"], rows)


def _signed(value: float) -> str:
    return "0.000" if abs(value) < 0.0005 else f"{value:+.3f}".replace("-", "−")


def threshold_grid(asked: Asked) -> Grid:
    """Show the best thresholds."""
    rows = []
    if asked.modelled:
        rows.append(_threshold_row(asked, f"Predicted, {asked.by_what}", asked.best))
    rows.append(_threshold_row(asked, "Empirical", asked.counted))
    titles = ["Chosen by", "Threshold", f"{percent(asked.level)} interval", "Method", "TPR", "FPR", "Ameans", "Flags"]
    return plain_grid("Best thresholds", "Thresholds with the best Ameans, (TPR + TNR)/2", titles, rows)


def _threshold_row(asked: Asked, name: str, best: BestThreshold) -> list[Any]:
    ends = ("not computed", "")
    if best is asked.counted or asked.gaussian:  # the bootstrap of a family fitted by iterations would take minutes
        ends = _ends(best.threshold_interval(asked.level), number)
    shares = [share(rate) for rate in (best.tpr, best.fpr, best.ameans)]
    return [name, number(float(best.threshold)), *ends, *shares, ", ".join(best.flags) or "none"]


def rate_grid(asked: Asked) -> Grid:
    """Show the rates at the threshold, counted and predicted."""
    titles = ["Rate", "Counted", f"{percent(asked.level)} interval", "Method"]
    if asked.modelled:
        titles.append("Predicted")
    caption = f"Positive when {asked.rule}, at a prevalence of {share(asked.prevalence)}"
    return plain_grid("Rates", caption, titles, list(_rate_rows(asked)))


def _rate_rows(asked: Asked) -> Iterator[list[str]]:
    at, roc = asked.best.threshold, asked.empirical
    counted = roc.rates(at, prevalence=asked.prevalence)
    model = asked.predicted.rates(at, prevalence=asked.prevalence) if asked.modelled else None
    for name, title in (_OF_CLASSES | _OF_PREVALENCE).items():
        known = asked.natural or name in _OF_CLASSES
        ends = _ends(roc.rate_interval(name, at, asked.level)) if known else ("", "")
        predicted = [] if model is None else [share(getattr(model, name))]
        yield [title, share(getattr(counted, name)), *ends, *predicted]


def diagnosis_grid(found: Diagnosis) -> Grid:
    """Show what a diagnosis looked at."""
    marks = {"ok": "ok", "note": "note", "warn": "warning"}
    rows = [
        [item.name, marks[item.level], *map(in_prose, (item.sentence, item.remedy or ""))] for item in found.findings
    ]
    return plain_grid("Diagnosis", "What was looked at", ["Finding", "Level", "What was seen", "Remedy"], rows)


def _ends(interval: Interval, form: Any = share) -> tuple[str, str]:
    """Give the cells of an interval and of its method."""
    return between(interval.low, interval.high, form), interval.method
