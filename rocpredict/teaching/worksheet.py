"""Worksheet with computed solutions."""

from __future__ import annotations

import re
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr

from rocpredict.base.validation import FloatArray
from rocpredict.datasets import Dataset, load_iris, load_pima
from rocpredict.distributions.gaussian import Gaussian
from rocpredict.roc.base import Roc
from rocpredict.roc.empirical import EmpiricalRoc
from rocpredict.roc.predicted import PredictedRoc
from rocpredict.solvers.binormal import BinormalSolver
from rocpredict.teaching.assets import load_template, load_translations
from rocpredict.teaching.data import empirical_statistics, largest_tpr_gap

Facts = dict[str, Any]
PAPER_EXAMPLE = PredictedRoc(Gaussian(4, 3), Gaussian(8, 2))
"""Example of the founding paper."""
_NARROW, _WIDE = (PredictedRoc(Gaussian(5, 1), Gaussian(6, std)) for std in (1, 3))
_THRESHOLDS = (1.0, 4.0, 7.0, 10.0)  # thresholds with simple z-scores
_LOW_PREVALENCE = 0.01
_LOW_COST = 0.1  # cost of a false positive relative to the cost of a false negative
_SMALL_N, _LARGE_N = 10, 200


@cache
def solutions() -> dict[str, Facts]:
    """Return the numbers needed for the lesson's questions and the worksheet's calculations, keyed by name."""
    paper, best = roc_statistics(PAPER_EXAMPLE), PAPER_EXAMPLE.best_threshold()
    iris, pima = _two_classes(load_iris(), "petal_length", "versicolor", "virginica"), load_pima()
    insulin = _two_classes(pima, "insulin", "neg", "pos")
    measured = [values[values != 0] for values in insulin]
    cheapest = PAPER_EXAMPLE.best_threshold("cost", prevalence=0.5, cost_fp=_LOW_COST)
    point = {"threshold": cheapest.threshold, "tpr": cheapest.tpr, "fpr": cheapest.fpr}
    worst_threshold = min(_WIDE.crossings(), key=lambda threshold: _WIDE.rates(threshold).ameans)
    worst = {"threshold": worst_threshold, "ameans": _WIDE.rates(worst_threshold).ameans}
    return {
        "cross": paper,
        "hook": roc_statistics(_WIDE)
        | {"worst": worst, "hook": _WIDE.hook().fpr_low, "start": roc_statistics(_NARROW)},
        "prevalence": paper | {"rare": _rates(PAPER_EXAMPLE, best.threshold, _LOW_PREVALENCE)},
        "cost": paper | {"costbest": point | {"cost": cheapest.criterion_value}},
        "iris": _of_rows(*iris),
        "pima": _of_rows(*insulin)
        | {"clean": {"counted": EmpiricalRoc(*measured).auc(), "predicted": _fit(*measured).auc()}},
        "pairs": paper,
        "sample": paper | _scatter(),
        "sums": paper | _sums(paper, _of_rows(*iris)),
    }


def roc_statistics(roc: PredictedRoc) -> Facts:
    """Return the numbers that most questions need, such as the AUC, the best threshold and the density crossings."""
    best, auc = roc.best_threshold(), roc.auc()
    classes: list[Any] = [roc.negative, roc.positive]
    return {
        "mean": [d.mean for d in classes],
        "std": [d.std for d in classes],
        "shift": (classes[1].mean - classes[0].mean) / float(np.hypot(classes[0].std, classes[1].std)),
        "auc": auc,
        "best": {name: getattr(best, name) for name in ("threshold", "tpr", "fpr", "ameans")},
        "crossings": roc.crossings().tolist(),
        "rates": _rates(roc, best.threshold),
        "hundred": {"auc": 100 * auc, "ameans": 100 * best.ameans},
    }


def _rates(roc: Roc, threshold: float, prevalence: float = 0.5) -> Facts:
    rates = roc.rates(threshold, prevalence=prevalence)
    of_1000 = {"positives": 1000 * prevalence, "negatives": 1000 * (1 - prevalence)}
    counts = {"tp": of_1000["positives"] * rates.tpr, "fp": of_1000["negatives"] * rates.fpr}
    return {name: getattr(rates, name) for name in ("tpr", "fpr", "tnr", "ameans", "precision")} | of_1000 | counts


def _scatter() -> Facts:
    solver = BinormalSolver(PAPER_EXAMPLE.negative, PAPER_EXAMPLE.positive)
    few, many = (
        {"count": n, "sd": float(np.sqrt(solver.empirical_auc_variance((n, n))))} for n in (_SMALL_N, _LARGE_N)
    )
    return {"few": few, "many": many, "ratio": few["sd"] / many["sd"]}


def _two_classes(data: Dataset, feature: str, *labels: str) -> list[FloatArray]:
    return [data.column(feature)[data.y == label] for label in labels]


def _fit(negative: FloatArray, positive: FloatArray) -> PredictedRoc:
    return PredictedRoc(Gaussian.fit(negative), Gaussian.fit(positive))


def _of_rows(negative: FloatArray, positive: FloatArray) -> Facts:
    predicted, empirical = _fit(negative, positive), EmpiricalRoc(negative, positive)
    rows = np.concatenate([negative, positive])
    return roc_statistics(predicted) | {
        "empirical": empirical_statistics(empirical),
        "error": abs(predicted.auc() - empirical.auc()),
        "gap": largest_tpr_gap(predicted, empirical),
        "count": [len(negative), len(positive)],
        "zeros": {"count": int(np.count_nonzero(rows == 0)), "of": len(rows)},
        "below": {"negative": predicted.negative.cdf(0.0), "positive": predicted.positive.cdf(0.0)},
        "ends": [rows.min(), rows.max()],
    }


def _sums(paper: Facts, iris: Facts) -> Facts:
    (m0, m1), (s0, s1) = paper["mean"], paper["std"]
    squares, other = [s0**2, s1**2], PAPER_EXAMPLE.crossings()[1]
    return {
        "at": [{"threshold": t, "z": [(t - m0) / s0, (t - m1) / s1], **_rates(PAPER_EXAMPLE, t)} for t in _THRESHOLDS],
        "squares": squares,
        "twice": [2 * square for square in squares],
        "shift": (m1 - m0) / float(np.sqrt(sum(squares))),
        "other": {"threshold": other, "ameans": PAPER_EXAMPLE.rates(other).ameans},
        "even": _rates(PAPER_EXAMPLE, _THRESHOLDS[2]),
        "rare": _rates(PAPER_EXAMPLE, _THRESHOLDS[2], _LOW_PREVALENCE),
        "iris": iris,
    }


PlotFrame = tuple[tuple[float, float], tuple[float, float], float, float]
_DENSITIES: PlotFrame = ((-6, 16), (0, 0.21), 440, 150)  # limits of x and y, width, height
_SQUARE: PlotFrame = ((0, 1), (0, 1), 200, 200)
_POINT = re.compile(r"(?<= \d)\.(?=\d)")
_PLACE = re.compile(r"\{([\w.]+)(?::(\d))?\}")


class FormattedNumber(NamedTuple):
    """Text of a formatted number, and its numerical value."""

    text: str
    value: float


def worksheet_html(lang: str = "en", *, answers: bool = True) -> str:
    """Return the worksheet as one HTML file for A4 or Letter paper, with computed numbers.

    Parameters
    ----------
    lang : str, default="en"
        Language of the worksheet.
    answers : bool, default=True
        Whether to add the answers on a new page.

    Returns
    -------
    str
        HTML file without external resources or scripts.

    Raises
    ------
    RocPredictError
        If ``lang`` is not an available language.

    Examples
    --------
    >>> page = worksheet_html(answers=False)
    >>> page.startswith("<!DOCTYPE html>"), "<script" in page
    (True, False)
    """
    words = load_translations(lang)
    decimal, sheet = words["page"]["decimal"], words["worksheet"]
    questions = [  # questions that need a screen have other texts on paper
        {"key": key, "options": [], **step, **sheet["instead"].get(key, {}), "why": sheet["why"][key]}
        for key, step in sheet["questions"].items()
    ]
    x, threshold = np.linspace(-6, 16, 133), np.linspace(16, -8, 121)
    page = load_template("worksheet.html").render(
        lang=lang,
        words=sheet,
        questions=questions,
        sums=solutions()["sums"],
        table=[[float(ndtr(-(integer + tenth / 10))) for tenth in range(10)] for integer in range(4)],
        answers=answers,
        say=lambda sentence, about: interpolate(sentence, solutions()[about], decimal),
        show=lambda value, digits: [shown(value, digits, decimal)],
        densities=[_path(x, d.pdf(x), _DENSITIES) for d in (PAPER_EXAMPLE.negative, PAPER_EXAMPLE.positive)],
        curve=_path(PAPER_EXAMPLE.fpr(threshold), PAPER_EXAMPLE.tpr(threshold), _SQUARE),
        place=lambda x, y: _to_box(x, y, _SQUARE),
    )
    return str(page)


def shown(value: float, digits: int, decimal: str) -> FormattedNumber:
    """Format a number with ``digits`` decimals and the decimal mark of a language."""
    return FormattedNumber(f"{value:.{digits}f}".replace("-", "−").replace(".", decimal), float(value))


def interpolate(sentence: str, facts: dict[str, Any], decimal: str) -> list[str | FormattedNumber]:
    """Split a sentence into text and the formatted numbers that replace placeholders such as ``{best.ameans:3}``.

    Examples
    --------
    >>> interpolate("At {best.threshold:1}.", {"best": {"threshold": 5.826}}, ",")
    ['At ', FormattedNumber(text='5,8', value=5.826), '.']
    """
    parts: list[str | FormattedNumber] = []
    end = 0
    sentence = _POINT.sub(decimal, sentence)
    for place in _PLACE.finditer(sentence):
        value: Any = facts
        for name in place[1].split("."):
            value = value[int(name)] if isinstance(value, list) else value[name]
        parts += [sentence[end : place.start()], shown(value, int(place[2] or 0), decimal)]
        end = place.end()
    return [*parts, sentence[end:]]


def _path(xs: FloatArray, ys: FloatArray, box: PlotFrame) -> str:
    return " ".join(",".join(_to_box(x, y, box)) for x, y in zip(xs, ys, strict=True))


def _to_box(x: float, y: float, box: PlotFrame) -> tuple[str, str]:
    (left, right), (low, high), width, height = box
    return f"{width * (x - left) / (right - left):.2f}", f"{height * (high - y) / (high - low):.2f}"
