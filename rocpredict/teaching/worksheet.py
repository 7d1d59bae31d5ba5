"""Worksheet with computed solutions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from scipy.special import ndtr

from rocpredict.base.validation import FloatArray
from rocpredict.datasets import Dataset, load_iris, load_pima
from rocpredict.distributions.gaussian import Gaussian
from rocpredict.roc.base import Roc
from rocpredict.roc.empirical import EmpiricalRoc
from rocpredict.roc.predicted import PredictedRoc
from rocpredict.solvers.binormal import BinormalSolver
from rocpredict.teaching.assets import Words, load_translations
from rocpredict.teaching.data import empirical_statistics, largest_tpr_gap

Facts = dict[str, Any]
PAPER_EXAMPLE = PredictedRoc(Gaussian(4, 3), Gaussian(8, 2))
"""The founding paper's example."""
_NARROW, _WIDE = (PredictedRoc(Gaussian(5, 1), Gaussian(6, std)) for std in (1, 3))
_THRESHOLDS = (1.0, 4.0, 7.0, 10.0)  # whose z-scores are whole or halves
_LOW_PREVALENCE = 0.01
_LOW_COST = 0.1  # cost of a false positive, a false negative being 1
_SMALL_N, _LARGE_N = 10, 200
_SCORES = 4


@cache
def solutions() -> dict[str, Facts]:
    """Give the facts of each question of the lesson, and of the sums, by name."""
    return {
        "cross": roc_statistics(PAPER_EXAMPLE),
        "hook": roc_statistics(_WIDE) | _worst_threshold(_WIDE) | {"start": roc_statistics(_NARROW)},
        "prevalence": roc_statistics(PAPER_EXAMPLE)
        | {"rare": _rates(PAPER_EXAMPLE, PAPER_EXAMPLE.best_threshold().threshold, _LOW_PREVALENCE)},
        "cost": roc_statistics(PAPER_EXAMPLE) | _cheapest(),
        "iris": _iris_petal_example(),
        "pima": _of_rows(load_pima(), "insulin", "neg", "pos") | _without_zeros(load_pima(), "insulin", "neg", "pos"),
        "pairs": roc_statistics(PAPER_EXAMPLE),
        "sample": roc_statistics(PAPER_EXAMPLE) | _scatter(),
        "sums": roc_statistics(PAPER_EXAMPLE) | _sums(),
    }


def roc_statistics(roc: PredictedRoc) -> Facts:
    """Give what most questions speak of: the classes, the area, the best threshold and the crossings."""
    best, auc = roc.best_threshold(), roc.auc()
    return {
        "mean": [roc.negative.mean, roc.positive.mean],
        "std": [roc.negative.std, roc.positive.std],
        "auc": auc,
        "best": {name: getattr(best, name) for name in ("threshold", "tpr", "fpr", "ameans")},
        "crossings": roc.crossings().tolist(),
        "rates": _rates(roc, best.threshold),
        "hundred": {"auc": 100 * auc, "ameans": 100 * best.ameans},
    }


def normal_table() -> list[list[float]]:
    """Give the upper tail of the standard normal: a row for each whole z, a column for each tenth."""
    return [[float(ndtr(-(whole + tenth / 10))) for tenth in range(10)] for whole in range(_SCORES)]


def densities() -> list[tuple[FloatArray, FloatArray]]:
    """Give values and densities of the founding example's two classes."""
    x = np.linspace(-6, 16, 133)
    return [(x, np.asarray(side.pdf(x))) for side in (PAPER_EXAMPLE.negative, PAPER_EXAMPLE.positive)]


def curve() -> tuple[FloatArray, FloatArray]:
    """Give FPR and TPR along the founding example's curve."""
    threshold = np.linspace(16, -8, 121)
    return np.asarray(PAPER_EXAMPLE.fpr(threshold)), np.asarray(PAPER_EXAMPLE.tpr(threshold))


def _rates(roc: Roc, threshold: float, prevalence: float = 0.5) -> Facts:
    found = roc.rates(threshold, prevalence=prevalence)
    of_1000 = {"positives": 1000 * prevalence, "negatives": 1000 * (1 - prevalence)}
    counts = {"tp": of_1000["positives"] * found.tpr, "fp": of_1000["negatives"] * found.fpr}
    return {name: getattr(found, name) for name in ("tpr", "fpr", "tnr", "ameans", "precision")} | of_1000 | counts


def _worst_threshold(roc: PredictedRoc) -> Facts:
    worst = min(roc.crossings(), key=lambda threshold: roc.rates(threshold).ameans)
    return {"worst": {"threshold": worst, "ameans": roc.rates(worst).ameans}, "hook": roc.hook().fpr_low}


def _cheapest() -> Facts:
    found = PAPER_EXAMPLE.best_threshold("cost", prevalence=0.5, cost_fp=_LOW_COST)
    return {
        "costbest": {"threshold": found.threshold, "tpr": found.tpr, "fpr": found.fpr, "cost": found.criterion_value}
    }


def _scatter() -> Facts:
    solver = BinormalSolver(PAPER_EXAMPLE.negative, PAPER_EXAMPLE.positive)
    few, many = (float(np.sqrt(solver.empirical_auc_variance((n, n)))) for n in (_SMALL_N, _LARGE_N))
    return {"few": {"count": _SMALL_N, "sd": few}, "many": {"count": _LARGE_N, "sd": many}, "ratio": few / many}


def _pair_of(data: Dataset, feature: str, *labels: str) -> list[FloatArray]:
    return [data.column(feature)[data.y == label] for label in labels]


def _without_zeros(data: Dataset, feature: str, *labels: str) -> Facts:
    """Give what is counted and predicted where a zero stands for a value that was not measured."""
    negative, positive = (side[side != 0] for side in _pair_of(data, feature, *labels))
    predicted = PredictedRoc(Gaussian.fit(negative), Gaussian.fit(positive))
    return {"clean": {"counted": EmpiricalRoc(negative, positive).auc(), "predicted": predicted.auc()}}


def _of_rows(data: Dataset, feature: str, *labels: str) -> Facts:
    negative, positive = _pair_of(data, feature, *labels)
    predicted = PredictedRoc(Gaussian.fit(negative), Gaussian.fit(positive))
    empirical = EmpiricalRoc(negative, positive)
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


def _sums() -> Facts:
    (m0, m1), (s0, s1) = roc_statistics(PAPER_EXAMPLE)["mean"], roc_statistics(PAPER_EXAMPLE)["std"]
    at = [{"threshold": t, "z": [(t - m0) / s0, (t - m1) / s1], **_rates(PAPER_EXAMPLE, t)} for t in _THRESHOLDS]
    squares = [s0**2, s1**2]
    return {
        "at": at,
        "squares": squares,
        "twice": [2 * square for square in squares],
        "shift": (m1 - m0) / float(np.sqrt(sum(squares))),
        "other": {
            "threshold": PAPER_EXAMPLE.crossings()[1],
            "ameans": PAPER_EXAMPLE.rates(PAPER_EXAMPLE.crossings()[1]).ameans,
        },
        "even": _rates(PAPER_EXAMPLE, _THRESHOLDS[2]),
        "rare": _rates(PAPER_EXAMPLE, _THRESHOLDS[2], _LOW_PREVALENCE),
        "iris": _iris_petal_example(),
    }


def _iris_petal_example() -> Facts:
    found = _of_rows(load_iris(), "petal_length", "versicolor", "virginica")
    (m0, m1), (s0, s1) = found["mean"], found["std"]
    return found | {"shift": (m1 - m0) / float(np.hypot(s0, s1))}


Box = tuple[tuple[float, float], tuple[float, float], float, float]
_DENSITIES: Box = ((-6, 16), (0, 0.21), 440, 150)  # ends of x and of y, width, height
_SQUARE: Box = ((0, 1), (0, 1), 200, 200)
_POINT = re.compile(r"(?<= \d)\.(?=\d)")
_PLACE = re.compile(r"\{([\w.]+)(?::(\d))?\}")


@dataclass(frozen=True)
class FormattedNumber:
    """Hold a number as a sentence shows it, and the number itself."""

    text: str
    value: float


def worksheet_html(lang: str = "en", *, answers: bool = True) -> str:
    """Write the worksheet as one HTML file for A4 or Letter paper.

    Every number in it is calculated when it is written.

    Parameters
    ----------
    lang : str
        A language of the teaching page.
    answers : bool
        Whether the answers follow, from a new page on.

    Returns
    -------
    str
        A whole file: it fetches nothing and runs no script.

    Raises
    ------
    RocPredictError
        A language without words.

    Examples
    --------
    >>> page = worksheet_html(answers=False)
    >>> page.startswith("<!DOCTYPE html>"), "<script" in page
    (True, False)
    """
    words = load_translations(lang)
    decimal = words["page"]["decimal"]
    page = _template().render(
        lang=lang,
        words=words["worksheet"],
        questions=_questions(words),
        sums=solutions()["sums"],
        table=normal_table(),
        answers=answers,
        say=lambda sentence, about: interpolate(sentence, solutions()[about], decimal),
        show=lambda value, digits: [shown(value, digits, decimal)],
        densities=[_path(*side, box=_DENSITIES) for side in densities()],
        curve=_path(*curve(), box=_SQUARE),
        place=lambda x, y: _to_box(x, y, _SQUARE),
    )
    return str(page)


def shown(value: float, digits: int, decimal: str) -> FormattedNumber:
    """Write a number with so many decimals, as a language does."""
    return FormattedNumber(f"{value:.{digits}f}".replace("-", "−").replace(".", decimal), float(value))


def interpolate(sentence: str, facts: dict[str, Any], decimal: str) -> list[str | FormattedNumber]:
    """Give a sentence in parts: words, and the numbers that stand for places such as ``{best.ameans:3}``.

    Examples
    --------
    >>> interpolate("At {best.threshold:1}.", {"best": {"threshold": 5.826}}, ",")
    ['At ', FormattedNumber(text='5,8', value=5.826), '.']
    """
    parts: list[str | FormattedNumber] = []
    end = 0
    sentence = _POINT.sub(decimal, sentence)
    for place in _PLACE.finditer(sentence):
        parts += [sentence[end : place.start()], shown(_lookup(facts, place[1]), int(place[2] or 0), decimal)]
        end = place.end()
    return [*parts, sentence[end:]]


def _lookup(facts: Any, path: str) -> float:
    for name in path.split("."):
        facts = facts[int(name)] if isinstance(facts, (list, tuple)) else facts[name]
    return float(facts)


def _questions(words: Words) -> list[dict[str, Any]]:
    """Give the lesson's questions; what only a screen can show is told in other words."""
    sheet = words["worksheet"]
    return [
        {"key": key, "options": [], **step, **sheet["instead"].get(key, {}), "why": sheet["why"][key]}
        for key, step in words["lesson"]["steps"].items()
    ]


def _path(xs: FloatArray, ys: FloatArray, box: Box) -> str:
    return " ".join(",".join(_to_box(x, y, box)) for x, y in zip(xs, ys, strict=True))


def _to_box(x: float, y: float, box: Box) -> tuple[str, str]:
    (left, right), (low, high), width, height = box
    return f"{width * (x - left) / (right - left):.2f}", f"{height * (high - y) / (high - low):.2f}"


@cache
def _template() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("rocpredict.teaching", "templates")
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined).get_template("worksheet.html")
