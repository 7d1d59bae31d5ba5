"""Agreement of the vectorized estimators with the library's results for one sample at a time."""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

import rocpredict as rp
from benchmarks.fidelity.counted import GRID, Answer
from benchmarks.fidelity.drawing import Draws
from benchmarks.fidelity.sources import Array

EXACT = ("empirical", "auto", "gaussian", "boxcox")
"""Estimators that use the thresholds of the library; the thresholds of the others are searched on a grid."""


@dataclass(frozen=True)
class Agreement:
    """Largest differences of the curve and of the Ameans, and largest relative difference of the threshold.

    The difference of the threshold is divided by the range of the sample or, if larger, by the absolute threshold.
    """

    estimator: str
    height: float
    ameans: float
    threshold: float


def agreements(draws: Draws, estimators: Mapping[str, Callable[[Array, Array], Answer]]) -> list[Agreement]:
    """Call ``predict_roc`` for every draw, except for constant classes, which some families refuse."""
    return [
        _compared(name, rows, _row(answer, i))
        for name, answer in ((name, ask(draws.negative, draws.positive)) for name, ask in estimators.items())
        for i, rows in enumerate(zip(draws.negative, draws.positive, strict=True))
        if min(np.ptp(part) for part in rows) > 0
    ]


def _row(answer: Answer, i: int) -> Answer:
    return Answer(*(part[i] for part in answer))


def _compared(name: str, rows: tuple[Array, Array], answer: Answer) -> Agreement:
    x, y = np.concatenate(rows), np.repeat([0, 1], [len(part) for part in rows])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rp.AssumptionWarning)
        roc = rp.predict_roc(x, y, family=name, direction="higher")
        best = roc.best_threshold()
    unit = max(float(np.ptp(x)), abs(float(best.threshold)))
    gap = 0.0 if best.threshold == answer.threshold else abs(best.threshold - answer.threshold) / unit
    height = np.abs(roc.tpr_at_fpr(GRID) - answer.heights).max()
    return Agreement(name, float(height), abs(float(best.ameans - answer.ameans)), float(gap))
