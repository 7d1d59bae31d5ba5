"""The questions of a ROC curve for pairs of one family whose area is closed; what is not, the numeric search answers.

The rule is "positive when x >= threshold". Known pairs: exponentials; Weibulls of one shape; gammas of any
shapes; betas (a, 1) and (1, b); logistics and Gumbels of one scale; Laplaces and Cauchys of any; normals, their
sums, and lognormals; histograms on any edges; and the mirror images of all these. Families that start
somewhere have to start at one place (exponentials need not). The formulas are docs/formulas.md's.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rocpredict import numeric
from rocpredict.answers import Optimum
from rocpredict.arguments import FloatArray
from rocpredict.closed import crossing, histograms, normal_sums
from rocpredict.closed.areas import EXCEEDS, Parts
from rocpredict.closed.reading import Pair, as_gaussian, read_pair
from rocpredict.distributions import Distribution
from rocpredict.distributions.histogram import Histogram

_BY_THRESHOLD = ("threshold_at_fpr", "threshold_at_tpr")


def __getattr__(question: str) -> Any:
    """Give whoever answers what has no closed form: the numeric search, or for histograms the count of their cells."""
    search = getattr(numeric, question)
    if question in _BY_THRESHOLD or not callable(search):
        return search

    def answer(negative: Distribution, positive: Distribution, *args: Any) -> Any:
        if _are_histograms(negative, positive):
            return histograms.answer(question, negative, positive, *args)  # type: ignore[arg-type]
        return search(negative, positive, *args)

    return answer


def knows(negative: Distribution, positive: Distribution) -> bool:
    """Tell whether the area of this pair is closed."""
    return (
        read_pair(negative, positive) is not None
        or _are_histograms(negative, positive)
        or _are_normal_sums(negative, positive)
    )


def auc(negative: Distribution, positive: Distribution) -> FloatArray:
    """Give P(positive > negative) + P(tie)/2."""
    return _area("auc", negative, positive)


def auc_complement(negative: Distribution, positive: Distribution) -> FloatArray:
    """Give P(positive < negative) + P(tie)/2, by itself: it keeps its digits when the AUC is all but 1."""
    return _area("auc_complement", negative, positive)


def log_auc_complement(negative: Distribution, positive: Distribution) -> FloatArray:
    """Give the logarithm of ``auc_complement``; of two members of a family it does not underflow."""
    with np.errstate(divide="ignore"):
        if pair := read_pair(negative, positive):
            factor, exponent = _exceeds(pair, swapped=True)
            return np.asarray(np.log(factor) + exponent)
        return np.asarray(np.log(auc_complement(negative, positive)))


def crossings(negative: Distribution, positive: Distribution, log_kappa: FloatArray) -> FloatArray:
    """Give all thresholds where f1 - kappa f0 changes its sign, ascending."""
    if _are_histograms(negative, positive):
        return histograms.crossings(negative, positive, log_kappa)  # type: ignore[arg-type]
    pair = read_pair(negative, positive)
    found = None if pair is None else crossing.crossings(pair, float(log_kappa))
    return numeric.crossings(negative, positive, log_kappa) if found is None else found


def best(negative: Distribution, positive: Distribution, log_kappa: FloatArray) -> Optimum:
    """Give the threshold that maximises TPR - kappa FPR: a crossing, or an end when none beats it."""
    return numeric.best(negative, positive, log_kappa, crossings(negative, positive, log_kappa))


def _area(question: str, negative: Distribution, positive: Distribution) -> FloatArray:
    if pair := read_pair(negative, positive):
        factor, exponent = _exceeds(pair, swapped=question == "auc_complement")
        return np.asarray(factor * np.exp(exponent))
    if _are_histograms(negative, positive):
        return np.asarray(histograms.answer(question, negative, positive))  # type: ignore[arg-type]
    if _are_normal_sums(negative, positive):
        return np.asarray(getattr(normal_sums, question)(as_gaussian(negative), as_gaussian(positive)))
    return np.asarray(getattr(numeric, question)(negative, positive))


def _exceeds(pair: Pair, *, swapped: bool) -> Parts:
    low, high = pair.low_high[::-1] if swapped else pair.low_high
    return EXCEEDS[pair.kind](low, high)


def _are_histograms(negative: Distribution, positive: Distribution) -> bool:
    return isinstance(negative, Histogram) and isinstance(positive, Histogram)


def _are_normal_sums(negative: Distribution, positive: Distribution) -> bool:
    return all(normal_sums.is_normal_sum(as_gaussian(d)) for d in (negative, positive))
