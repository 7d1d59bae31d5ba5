"""Scores of every estimator on the draws of one feature: errors of the curve, regret and bias of the threshold."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from benchmarks.fidelity.agreeing import Agreement, agreements
from benchmarks.fidelity.cases import Case
from benchmarks.fidelity.counted import Answer, best_counted, counted, empirical_heights
from benchmarks.fidelity.drawing import Draws, draw
from benchmarks.fidelity.others import chosen_by_aic, probit_line
from benchmarks.fidelity.predicted import boxcox, gaussian, gaussian_heights, kde
from benchmarks.fidelity.shrunk import auto
from benchmarks.fidelity.sources import Array
from rocpredict.distributions.ecdf import COMPARISON_FPR, area_between

Estimator = Callable[[Array, Array], Answer]

COUNTED = "empirical"
DECLARED, CHOSEN, SAMPLED = "declared", "chosen", "one in twenty"
SIZES = (10, 20, 30, 50, 100)
BETWEEN = 30
"""Additional size, at which only three estimators are scored."""
ONE_IN = 20
EVERY: dict[str, Estimator] = {
    COUNTED: counted,
    "auto": auto,
    "boxcox": boxcox,
    "kde": kde,
    "gaussian": gaussian,
}
_FEW = (COUNTED, "auto", "gaussian")
ALSO: dict[str, Estimator] = {"best family by AICc": chosen_by_aic, "line on probit axes": probit_line}
_OPEN: dict[str, Estimator] = {
    COUNTED: counted,
    "auto": partial(auto, declared=False, is_chosen=True),
    "gaussian": gaussian,
}


@dataclass(frozen=True)
class Plan:
    """Numbers of draws: of every feature, of one feature in twenty, and of the draws compared with the library."""

    repeats: int = 40
    sampled: int = 10
    asked: int = 2
    every: int = 1
    """1: every case is tried, 2: every second case, ..."""


@dataclass(frozen=True)
class Score:
    """Means of the scores of one estimator on one feature over its draws.

    ``error`` is the mean absolute difference of TPR from the curve of the test data, ``regret`` the best Ameans on the
    test data minus the achieved Ameans, ``bias`` the predicted minus the achieved Ameans, and ``bias_of_best`` the
    predicted minus the best Ameans.
    """

    case: Case
    n: int
    mode: str
    estimator: str
    error: float
    regret: float | None
    bias: float | None
    bias_of_best: float


@dataclass(frozen=True)
class Misfit:
    """Distance of the Gaussian curve from the empirical curve: for all rows of a feature, and for each draw."""

    case: Case
    n: int
    of_all: float
    of_draws: Array


@dataclass(frozen=True)
class Tried:
    """All results of one case."""

    scores: list[Score]
    misfits: list[Misfit]
    agreements: list[Agreement]


def try_case(case: Case, index: int, plan: Plan) -> Tried:
    """Try a case at every size for which it has enough rows."""
    found = Tried([], [], [])
    for n in SIZES:
        if min(len(case.negative), len(case.positive)) >= 2 * n:
            _try_size(case, index, n, plan, found)
    return found


def _try_size(case: Case, index: int, n: int, plan: Plan, found: Tried) -> None:
    draws = draw(case, n, plan.repeats)
    if n == BETWEEN:
        few = {name: EVERY[name] for name in _FEW}
        found.scores.extend(_scores(case, n, DECLARED, few, [draws]))
        return
    found.scores.extend(_scores(case, n, DECLARED, EVERY, [draws]))
    found.scores.extend(_scores(case, n, CHOSEN, _OPEN, draws.as_they_lie()))
    found.misfits.append(misfit(case, n, draws))
    if index % ONE_IN == 0:
        part = draws.some(np.arange(min(plan.sampled, plan.repeats)))
        found.scores.extend(_scores(case, n, SAMPLED, EVERY | ALSO, [part]))
        found.agreements.extend(agreements(draws.some(np.arange(plan.asked)), EVERY))


def misfit(case: Case, n: int, draws: Draws) -> Misfit:
    """Compare the Gaussian curve with the empirical curve."""
    of_all = _distance(case.negative[None, :], case.positive[None, :])
    return Misfit(case, n, float(of_all[0]), _distance(draws.negative, draws.positive))


def _distance(negative: Array, positive: Array) -> Array:
    moments = [
        part.mean(axis=1) if k == 0 else part.std(axis=1, ddof=1) for part in (negative, positive) for k in (0, 1)
    ]
    empirical = empirical_heights(negative, positive, COMPARISON_FPR)
    return area_between(gaussian_heights(*moments, fpr=COMPARISON_FPR), empirical)


def _scores(case: Case, n: int, mode: str, estimators: Mapping[str, Estimator], parts: Iterable[Draws]) -> list[Score]:
    """Score the estimators on draws that come in parts."""
    tried = [judged(part, estimators) for part in parts]
    joined = {
        name: [np.concatenate(column) for column in zip(*(part[name] for part in tried), strict=True)]
        for name in estimators
    }
    return [Score(case, n, mode, name, *map(_mean, columns)) for name, columns in joined.items()]


def judged(draws: Draws, estimators: Mapping[str, Estimator]) -> dict[str, tuple[Array, ...]]:
    """Return error, regret, bias and bias against the best threshold of each draw: arrays of shape (R,).

    Regret and bias are NaN for an estimator without a threshold.
    """
    truth = draws.truth()
    _, best = best_counted(draws.rest_negative, draws.rest_positive)
    found = {}
    for name, estimator in estimators.items():
        answer = estimator(draws.negative, draws.positive)
        achieved = np.full_like(best, np.nan) if answer.threshold is None else draws.achieved(answer.threshold)
        error = np.abs(answer.heights - truth).mean(axis=1)
        found[name] = (error, best - achieved, answer.ameans - achieved, answer.ameans - best)
    return found


def _mean(values: Array) -> float | None:
    mean = float(values.mean())
    return None if np.isnan(mean) else mean
