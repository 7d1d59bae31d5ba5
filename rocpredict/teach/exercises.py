"""The numbers of the worksheet: each question of the lesson and each sum, answered by the library."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from scipy.special import ndtr

from rocpredict.arguments import FloatArray
from rocpredict.binormal import empirical_auc_variance
from rocpredict.datasets import Dataset, load_iris, load_pima
from rocpredict.distributions import Gaussian
from rocpredict.empirical import EmpiricalRoc
from rocpredict.predictor import PredictedRoc
from rocpredict.roc import Roc
from rocpredict.teach.facts import counted_facts, gap_of

Facts = dict[str, Any]
FOUNDING = PredictedRoc(Gaussian(4, 3), Gaussian(8, 2))
"""The founding paper's example."""
_NARROW, _WIDE = (PredictedRoc(Gaussian(5, 1), Gaussian(6, std)) for std in (1, 3))
_THRESHOLDS = (1.0, 4.0, 7.0, 10.0)  # whose z-scores are whole or halves
_RARE = 0.01
_CHEAP = 0.1  # cost of a false positive, a false negative being 1
_FEW, _MANY = 10, 200
_SCORES = 4


@cache
def solved() -> dict[str, Facts]:
    """Give the facts of each question of the lesson, and of the sums, by name."""
    return {
        "cross": facts_of(FOUNDING),
        "hook": facts_of(_WIDE) | _worst(_WIDE) | {"start": facts_of(_NARROW)},
        "prevalence": facts_of(FOUNDING) | {"rare": _rates(FOUNDING, FOUNDING.best_threshold().threshold, _RARE)},
        "cost": facts_of(FOUNDING) | _cheapest(),
        "iris": _petals(),
        "pima": _of_rows(load_pima(), "insulin", "neg", "pos") | _without_zeros(load_pima(), "insulin", "neg", "pos"),
        "pairs": facts_of(FOUNDING),
        "sample": facts_of(FOUNDING) | _scatter(),
        "sums": facts_of(FOUNDING) | _sums(),
    }


def facts_of(roc: PredictedRoc) -> Facts:
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
    return [(x, np.asarray(side.pdf(x))) for side in (FOUNDING.negative, FOUNDING.positive)]


def curve() -> tuple[FloatArray, FloatArray]:
    """Give FPR and TPR along the founding example's curve."""
    threshold = np.linspace(16, -8, 121)
    return np.asarray(FOUNDING.fpr(threshold)), np.asarray(FOUNDING.tpr(threshold))


def _rates(roc: Roc, threshold: float, prevalence: float = 0.5) -> Facts:
    found = roc.rates(threshold, prevalence=prevalence)
    of_1000 = {"positives": 1000 * prevalence, "negatives": 1000 * (1 - prevalence)}
    counts = {"tp": of_1000["positives"] * found.tpr, "fp": of_1000["negatives"] * found.fpr}
    return {name: getattr(found, name) for name in ("tpr", "fpr", "tnr", "ameans", "precision")} | of_1000 | counts


def _worst(roc: PredictedRoc) -> Facts:
    worst = min(roc.crossings(), key=lambda threshold: roc.rates(threshold).ameans)
    return {"worst": {"threshold": worst, "ameans": roc.rates(worst).ameans}, "hook": roc.hook().low}


def _cheapest() -> Facts:
    found = FOUNDING.best_threshold("cost", prevalence=0.5, cost_fp=_CHEAP)
    return {"costbest": {"threshold": found.threshold, "tpr": found.tpr, "fpr": found.fpr, "cost": found.value}}


def _scatter() -> Facts:
    few, many = (
        float(np.sqrt(empirical_auc_variance(FOUNDING.negative, FOUNDING.positive, (n, n)))) for n in (_FEW, _MANY)
    )
    return {"few": {"count": _FEW, "sd": few}, "many": {"count": _MANY, "sd": many}, "ratio": few / many}


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
    return facts_of(predicted) | {
        "empirical": counted_facts(empirical),
        "error": abs(predicted.auc() - empirical.auc()),
        "gap": gap_of(predicted, empirical),
        "count": [len(negative), len(positive)],
        "zeros": {"count": int(np.count_nonzero(rows == 0)), "of": len(rows)},
        "below": {"negative": predicted.negative.cdf(0.0), "positive": predicted.positive.cdf(0.0)},
        "ends": [rows.min(), rows.max()],
    }


def _sums() -> Facts:
    (m0, m1), (s0, s1) = facts_of(FOUNDING)["mean"], facts_of(FOUNDING)["std"]
    at = [{"threshold": t, "z": [(t - m0) / s0, (t - m1) / s1], **_rates(FOUNDING, t)} for t in _THRESHOLDS]
    squares = [s0**2, s1**2]
    return {
        "at": at,
        "squares": squares,
        "twice": [2 * square for square in squares],
        "shift": (m1 - m0) / float(np.sqrt(sum(squares))),
        "other": {"threshold": FOUNDING.crossings()[1], "ameans": FOUNDING.rates(FOUNDING.crossings()[1]).ameans},
        "even": _rates(FOUNDING, _THRESHOLDS[2]),
        "rare": _rates(FOUNDING, _THRESHOLDS[2], _RARE),
        "iris": _petals(),
    }


def _petals() -> Facts:
    found = _of_rows(load_iris(), "petal_length", "versicolor", "virginica")
    (m0, m1), (s0, s1) = found["mean"], found["std"]
    return found | {"shift": (m1 - m0) / float(np.hypot(s0, s1))}
