"""How often the intervals of other answers hold their true value: thresholds, Ameans, partial areas, rates."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

import rocpredict as rp
from benchmarks.coverage.intervals import LEVEL, mc_error, summed_up
from benchmarks.coverage.settings import Pair, exponential, gaussian

BAND, FPR, THRESHOLD = (0, 0.2), 0.1, 1.0
COUNTS = (30, 100)
RESAMPLES = {"n_resamples": 500}
Ask = Callable[[Any], Any]
"""Asks a curve for an interval, or for the true value."""


@dataclass(frozen=True)
class Question:
    """An interval, by what method and of which kind of curve, and what it should hold."""

    answer: str
    method: str
    ask: Ask
    truth: Ask
    of_predicted: bool = False


@dataclass(frozen=True)
class OtherCovered:
    """What one method did for one question."""

    question: Question
    pair: Pair
    n: int
    draws: int
    above: float
    below: float
    width: float
    fallbacks: float

    @property
    def coverage(self) -> float:
        return 1 - self.above - self.below

    @property
    def error(self) -> float:
        return mc_error(self.draws, LEVEL)


def measure(draws: int, rng: np.random.Generator) -> Iterator[OtherCovered]:
    """Try every question on the same data sets."""
    for (pair, truth), n in ((case, n) for case in _cases() for n in COUNTS):
        y = np.repeat([0, 1], n)
        samples = [np.concatenate(classes) for classes in pair.draw(rng, draws, (n, n))]
        curves = [(rp.empirical_roc(x, y), rp.predict_roc(x, y)) for x in samples]
        for question in questions():
            if question.of_predicted and not pair.name.startswith("Gaussian"):
                continue
            found = [question.ask(both[question.of_predicted]) for both in curves]
            low, high = np.array([tuple(interval) for interval in found]).T
            yield OtherCovered(question, pair, n, **summed_up(question.truth(truth), low, high))


def questions() -> list[Question]:
    """Give every interval but those of the whole area."""
    return [*_of_the_best(), *_of_the_curve(), *_of_a_rate()]


def _cases() -> list[tuple[Pair, rp.PredictedRoc]]:
    """Give a Gaussian and a skewed pair, each with the curve that it truly has."""
    normal, skewed = gaussian(0.85, 2), exponential(0.85)
    shift = stats.norm.ppf(0.85) * np.sqrt(5)
    return [
        (normal, rp.PredictedRoc(negative=rp.Gaussian(0, 1), positive=rp.Gaussian(shift, 2))),
        (skewed, rp.PredictedRoc(negative=stats.expon(), positive=stats.expon(scale=0.85 / 0.15))),
    ]


def _of_the_best() -> Iterator[Question]:
    for of_predicted, method, options in ((False, "test-inversion", {}), (True, "delta", {})):
        yield Question(
            "best threshold",
            method,
            lambda roc, options=options: roc.best_threshold().threshold_interval(**options),
            lambda roc: roc.best_threshold().threshold,
            of_predicted,
        )
    for of_predicted, method, options in ((False, "optimism-corrected", RESAMPLES), (True, "delta", {})):
        yield Question(
            "Ameans of the best threshold",
            method,
            lambda roc, options=options: roc.best_threshold().ameans_interval(**options),
            lambda roc: roc.best_threshold().ameans,
            of_predicted,
        )


def _of_the_curve() -> Iterator[Question]:
    for method, of_predicted in (("smoothed-logit", False), ("delong", False), ("delta", True)):
        yield Question(
            f"partial AUC, FPR {BAND[0]:g} to {BAND[1]:g}",
            method,
            lambda roc, method=method: roc.partial_auc_interval(fpr=BAND, method=method),
            lambda roc: roc.partial_auc(fpr=BAND),
            of_predicted,
        )
    for method, of_predicted in (("bootstrap", False), ("hilgers", False), ("delta", True)):
        yield Question(
            f"TPR at FPR {FPR:g}",
            method,
            lambda roc, method=method: roc.tpr_at_fpr_interval(FPR, method=method, **RESAMPLES),
            lambda roc: roc.tpr_at_fpr(FPR),
            of_predicted,
        )


def _of_a_rate() -> Iterator[Question]:
    for method, of_predicted in (("clopper-pearson", False), ("wilson", False), ("delta", True)):
        yield Question(
            f"TPR at threshold {THRESHOLD:g}",
            method,
            lambda roc, method=method: roc.rate_interval("tpr", THRESHOLD, method=method),
            lambda roc: roc.tpr(THRESHOLD),
            of_predicted,
        )
