"""What two moments of each class predict, for many features."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln, stdtr

from rocpredict import binormal
from rocpredict.arguments import FloatArray
from rocpredict.distributions import Gaussian
from rocpredict.flags import Flags
from rocpredict.interval import Interval, unseen_ends
from rocpredict.predictor import PredictedRoc
from rocpredict.screening import optimism
from rocpredict.summary import TwoClassSummary


@dataclass(frozen=True, eq=False)
class Pair:
    """Two Gaussians for each feature; where moments cannot be had, any two, and ``known`` is False.

    Attributes
    ----------
    known : array of bool of shape (features,)
    m0, s0, m1, s1, n0, n1 : array of shape (features,)
        Means, standard deviations and counts.
    lower : array of bool of shape (features,)
        Where the rule is "positive when x <= threshold".
    """

    known: NDArray[np.bool_]
    m0: FloatArray
    s0: FloatArray
    m1: FloatArray
    s1: FloatArray
    n0: FloatArray
    n1: FloatArray
    lower: NDArray[np.bool_]

    @property
    def count(self) -> tuple[FloatArray, FloatArray]:
        """Cases of the (negative, positive) class."""
        return self.n0, self.n1

    def oriented(self) -> tuple[Gaussian, Gaussian]:
        """Give both classes of the rule "positive when x >= threshold"."""
        return Gaussian(self._side * self.m0, self.s0), Gaussian(self._side * self.m1, self.s1)

    def turned(self, threshold: FloatArray) -> FloatArray:
        """Give thresholds of that rule as those of the feature, or back."""
        return self._side * threshold

    def part(self, features: Any) -> Pair:
        """Give the pair of some features."""
        return Pair(*(getattr(self, item.name)[features] for item in fields(self)))

    @property
    def _side(self) -> FloatArray:
        return np.where(self.lower, -1.0, 1.0)


class Prediction(NamedTuple):
    """What moments alone say of some features, and what the counting will ask for."""

    pair: Pair
    columns: dict[str, Any]
    flags: Flags
    excess: FloatArray
    """How much better than it is a threshold looks on the average."""
    excess_of_count: FloatArray
    """The same of an Ameans counted at the threshold, for classes well apart."""


def pair_of(summary: TwoClassSummary, direction: str | None) -> Pair:
    """Give the Gaussians of a summary, and the direction of each rule: as declared, or by the means."""
    sides = summary.negative, summary.positive
    moments = [np.asarray(part) for side in sides for part in (side.mean, side.std)]
    known = summary.negative.known & summary.positive.known
    m0, s0, m1, s1 = (np.where(known, part, blank) for part, blank in zip(moments, (0, 1, 0, 1), strict=True))
    n0, n1 = (np.where(known, side.count, 2.0) for side in sides)
    lower = m1 < m0 if direction == "auto" else np.full(len(m0), direction == "lower")
    return Pair(known, m0, s0, m1, s1, n0, n1, lower)


def thresholds(pair: Pair) -> FloatArray:
    """Give the thresholds with the best Ameans, NaN where nothing is known."""
    best = binormal.best(*pair.oriented(), np.zeros(()))
    return np.where(pair.known, pair.turned(best.threshold), np.nan)


def predict(pair: Pair, *, level: float, free: bool) -> Prediction:
    """Give the columns that need moments only; ``free``: the sample chose the direction."""
    signed = PredictedRoc(Gaussian(pair.m0, pair.s0), Gaussian(pair.m1, pair.s1), count=pair.count)
    interval = signed.auc_interval(level)
    classes = pair.oriented()
    best = binormal.best(*classes, np.zeros(()))
    z0, z1, _, _ = binormal.crossing_z(*classes, np.zeros(()))
    with np.errstate(over="ignore"):
        distance = np.subtract(classes[1].mean, classes[0].mean)
    excess = optimism.of_prediction(pair.count, distance, pair.s0, pair.s1, free)
    with np.errstate(divide="ignore", invalid="ignore"):
        own = optimism.of_count(pair.count, z0, z1, pair.s0 / pair.s1)
    ameans = best.tpr / 2 + best.tnr / 2
    low, high, blind = _widened(pair, interval, level)
    columns = {
        "effect_size": effect_size(pair),
        "auc": signed.auc(),
        "auc_low": low,
        "auc_high": high,
        "p_value": welch(pair),
        "threshold": pair.turned(best.threshold),
        "ameans": ameans,
        "ameans_honest": np.where(blind, np.nan, np.where(np.isinf(best.threshold), 0.5, ameans - excess)),
        "tpr": best.tpr,
        "fpr": best.fpr,
    }
    known = {name: np.where(pair.known, values, np.nan) for name, values in columns.items()}
    flags = best.flags | interval.flags | Flags(fallback=blind)
    return Prediction(pair, known, Flags(**{name: flags[name] & pair.known for name in flags}), excess, own)


def _widened(pair: Pair, interval: Interval, level: float) -> tuple[FloatArray, FloatArray, NDArray[np.bool_]]:
    """Widen intervals where one class shows no spread, by how many of its cases may be unlike those seen."""
    low, high = np.asarray(interval.low), np.asarray(interval.high)
    for spread, count in ((pair.s0, pair.n0), (pair.s1, pair.n1)):
        ends = unseen_ends(np.asarray(interval.estimate), (count, count), level)
        low = np.where(spread == 0, np.minimum(low, ends[0]), low)
        high = np.where(spread == 0, np.maximum(high, ends[1]), high)
    return low, high, (pair.s0 == 0) | (pair.s1 == 0)


def effect_size(pair: Pair) -> FloatArray:
    """Give Cohen's d: the difference of means over the pooled standard deviation; 0 for classes alike."""
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = pair.n0 + pair.n1 - 2
        pooled = np.hypot(pair.s0 * np.sqrt((pair.n0 - 1) / freedom), pair.s1 * np.sqrt((pair.n1 - 1) / freedom))
        return np.where(pair.m1 == pair.m0, 0.0, (pair.m1 - pair.m0) / pooled)


def welch(pair: Pair) -> FloatArray:
    """Give the two-sided p of equal means, which for Gaussians is a predicted AUC of 1/2 (Welch 1947).

    Where one class shows no spread its own says nothing of how much it has: p is then no smaller than Student's, of one
    spread for both. Without any spread there is no t: p is that of the least likely order of the cases, all of one
    class first.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
        unit = np.maximum(pair.s0, pair.s1)
        parts = [(s / unit) ** 2 / n for s, n in ((pair.s0, pair.n0), (pair.s1, pair.n1))]
        error = parts[0] + parts[1]
        t = (pair.m1 - pair.m0) / unit / np.sqrt(error)
        freedom = error**2 / (parts[0] ** 2 / (pair.n0 - 1) + parts[1] ** 2 / (pair.n1 - 1))
        p_value = 2 * stdtr(freedom, -np.abs(t))
        both = pair.n0 + pair.n1 - 2
        pooled = effect_size(pair) / np.sqrt(1 / pair.n0 + 1 / pair.n1)
        blind = (pair.s0 == 0) | (pair.s1 == 0)
        p_value = np.where(blind, np.maximum(p_value, 2 * stdtr(both, -np.abs(pooled))), p_value)
    ways = np.log1p(pair.n0 + pair.n1) + betaln(pair.n0 + 1, pair.n1 + 1)  # one over the number of orders
    p_value = np.where(unit == 0, np.minimum(2 * np.exp(ways), 1), p_value)
    return np.where(pair.m1 == pair.m0, 1.0, p_value)
