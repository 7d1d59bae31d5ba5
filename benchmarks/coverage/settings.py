"""Settings of the simulation: a pairwise covering design, and the class distributions of each setting."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq, minimize_scalar
from scipy.special import expit, ndtr, ndtri

SIZES = (5, 10, 20, 100)
"""Observations of the smaller class."""
RATIOS = (1 / 50, 1 / 5, 1, 5, 50)
"""Negatives per positive."""
AUCS = (0.5, 0.8, 0.95, 0.99)
GAUSSIAN, HOOKED, CLUSTERED = "Gaussian", "hooked", "clustered"
KINDS = (GAUSSIAN, "skewed", "heavy-tailed", HOOKED, "ordinal", "binary", "zero-inflated", CLUSTERED)
FPR, TPR, FPR_RANGE = 0.1, 0.9, (0.0, 0.2)
_REPEATS = 2  # smallest number of settings in which each pair of levels occurs
_N_RESAMPLED, _MAX_RESAMPLED_SIZE = 20, 1200
_HALF_CORRELATION = np.sqrt(0.5)  # features, and observations of a cluster, have a correlation of 1/2


class Setting(NamedTuple):
    """One combination of levels."""

    kind: str
    auc: float
    size: int
    ratio: float

    @property
    def counts(self) -> tuple[int, int]:
        """Numbers of negatives and of positives, or of clusters if observations are clustered."""
        return round(self.size * max(self.ratio, 1)), round(self.size * max(1 / self.ratio, 1))


def pairs_of_levels(setting: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    """Return every pair of two factors and their levels in a setting."""
    return combinations(enumerate(setting), 2)


def covering_design(repeats: int = _REPEATS, seed: int = 1) -> list[Setting]:
    """Return settings in which every pair of levels of two factors occurs at least ``repeats`` times.

    Each step takes the combination with the largest number of missing pairs; ties are resolved at random.
    """
    candidates = [Setting(*levels) for levels in product(KINDS, AUCS, SIZES, RATIOS)]
    missing = dict.fromkeys((pair for one in candidates for pair in pairs_of_levels(one)), repeats)
    np.random.default_rng(seed).shuffle(candidates)
    chosen = []
    while any(missing.values()):
        best = max(candidates, key=lambda one: sum(missing[pair] for pair in pairs_of_levels(one)))
        candidates.remove(best)
        chosen.append(best)
        missing |= {pair: max(missing[pair] - 1, 0) for pair in pairs_of_levels(best)}
    return sorted(chosen, key=lambda one: (KINDS.index(one.kind), *one[1:]))


def resampling_design(settings: Sequence[Setting], n_settings: int = _N_RESAMPLED) -> list[Setting]:
    """Return the settings of methods that resample: small settings without clusters, with as many pairs as possible."""
    candidates = [one for one in settings if one.kind != CLUSTERED and sum(one.counts) <= _MAX_RESAMPLED_SIZE]
    chosen: list[Setting] = []
    while len(chosen) < n_settings:
        met = {pair for one in chosen for pair in pairs_of_levels(one)}
        chosen.append(max(candidates, key=lambda one: len(set(pairs_of_levels(one)) - met)))
        candidates.remove(chosen[-1])
    return [one for one in settings if one in chosen]


class Distribution(NamedTuple):
    """Distribution of a class."""

    quantile: Callable[[Any], Any]
    tail: Callable[[Any], Any]
    """Probability of a value at or above the argument."""


@dataclass(frozen=True)
class ClassPair:
    """Distributions of the negatives and the positives."""

    negative: Distribution
    positive: Distribution
    tied: bool = False

    def rates(self, threshold: Any) -> tuple[Any, Any]:
        """Return the FPR and the TPR of the rule x >= threshold."""
        return self.negative.tail(threshold), self.positive.tail(threshold)

    def tpr_at(self, fpr: Any) -> Any:
        """Return the TPR at an FPR, on a straight line where values are tied."""
        threshold = self.negative.quantile(1 - np.asarray(fpr, float))
        low_fpr, low_tpr = self.rates(np.nextafter(threshold, np.inf))
        high_fpr, high_tpr = self.rates(threshold)
        step = high_fpr - low_fpr
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(step > 1e-9, low_tpr + (high_tpr - low_tpr) * (fpr - low_fpr) / step, high_tpr)

    def fpr_at(self, tpr: float) -> float:
        """Return the FPR at a TPR."""
        return float(expit(brentq(lambda x: float(self.tpr_at(expit(x))) - tpr, -30, 30, xtol=1e-10)))

    def area(self, low: float, high: float) -> float:
        """Return the area under the curve between two FPRs by the midpoint rule."""
        points = low + (high - low) * (np.arange(100_000) + 0.5) / 100_000
        return float(np.mean(self.tpr_at(points))) * (high - low)

    @cached_property
    def best_thresholds(self) -> tuple[float, float] | None:
        """The lowest and the highest of the thresholds with the largest TPR - FPR; None if all are equally good."""

        def loss(threshold: Any) -> Any:
            fpr, tpr = self.rates(threshold)
            return fpr - tpr

        grid = np.unique(self.negative.quantile(expit(np.linspace(-20, 20, 20_001))))
        grid = np.append(grid, self.positive.quantile(np.linspace(0.01, 0.99, 99)).max()) if self.tied else grid
        at = int(np.argmin(loss(grid)))
        if loss(grid[at]) > -1e-9:
            return None
        step = self.rates(grid[at])[0] - self.rates(np.nextafter(grid[at], np.inf))[0]
        if step > 1e-9:
            best = np.flatnonzero(loss(grid) < loss(grid[at]) + 1e-9)
            return float(grid[max(best[0] - 1, 0)]) + 1e-6, float(grid[best[-1]]) - 1e-6  # between two values
        around = float(grid[max(at - 1, 0)]), float(grid[min(at + 1, len(grid) - 1)])
        best = float(minimize_scalar(loss, bounds=around, method="bounded", options={"xatol": 1e-9}).x)
        return best, best


def class_pair(kind: str, auc: float) -> ClassPair:
    """Return class distributions of a kind with an AUC, exact or to 1e-8."""
    if kind == "skewed":
        return ClassPair(_exponential(1.0), _exponential(auc / (1 - auc)))
    if kind == "heavy-tailed":
        middles = (np.arange(200_000) + 0.5) / 200_000
        values = _student(0.0).quantile(middles)
        shift = brentq(lambda s: 1 - _student(0.0).tail(values + s).mean() - auc, -50, 50, xtol=1e-10)
        return ClassPair(_student(0.0), _student(float(shift)))
    if kind == "ordinal":
        cuts = np.array([-1.2, -0.4, 0.4, 1.2])
        shift = brentq(lambda s: _graded_auc(*(ndtr(m - cuts) for m in (-s / 2, s / 2))) - auc, -20, 20, xtol=1e-12)
        return ClassPair(*(_graded(ndtr(mean - cuts)) for mean in (-shift / 2, shift / 2)), tied=True)
    if kind == "binary":
        difference = 2 * auc - 1
        rare = 0.1 * (1 - abs(difference))
        rates = rare + max(-difference, 0), rare + max(difference, 0)
        return ClassPair(*(_graded(np.array([rate])) for rate in rates), tied=True)
    if kind == "zero-inflated":
        zeros, mean = 0.9, 20.0
        won = (1 - zeros) * mean / (1 + mean)  # probability that a negative is above 0 and below a nonzero positive
        zeros_of_positives = (zeros + won - auc) / (zeros / 2 + won)
        return ClassPair(_exponential(1.0, zeros), _exponential(mean, zeros_of_positives), tied=True)
    ratio = 3.0 if kind == HOOKED else 1.0
    return ClassPair(_normal(0.0, 1.0), _normal(ndtri(auc) * np.hypot(1, ratio), ratio))


def _normal(mean: float, std: float) -> Distribution:
    return Distribution(lambda u: mean + std * ndtri(u), lambda x: ndtr((mean - x) / std))


def _exponential(mean: float, zeros: float = 0.0) -> Distribution:
    """Return an exponential distribution in which a proportion of the values is 0."""

    def quantile(u: Any) -> Any:
        return -mean * np.log1p(-np.maximum(u - zeros, 0) / (1 - zeros))

    return Distribution(quantile, lambda x: np.where(x <= 0, 1.0, (1 - zeros) * np.exp(-np.maximum(x, 0) / mean)))


def _student(shift: float) -> Distribution:
    """Return Student's t distribution with 2 degrees of freedom, shifted."""

    def tail(x: Any) -> Any:
        t = np.clip(x - shift, -1e9, 1e9)
        root = np.sqrt(2 + t * t)
        return np.where(t > 0, 1 / (root * (root + t)), 0.5 - t / (2 * root))

    return Distribution(lambda u: shift + (2 * u - 1) / np.sqrt(2 * u * (1 - u)), tail)


def _graded(tails: Any) -> Distribution:
    """Return a distribution on 0, 1, ..., from the probabilities of 1 or more, 2 or more and so on."""
    tails = np.asarray(tails)
    padded = np.concatenate([[1.0], tails, [0.0]])
    return Distribution(
        lambda u: np.searchsorted(1 - tails, u).astype(float),
        lambda x: padded[np.ceil(np.clip(x, 0, len(tails) + 1)).astype(int)],
    )


def _graded_auc(negative: Any, positive: Any) -> float:
    """Return the AUC by the trapezoidal rule."""
    fpr, tpr = (np.concatenate([[0.0], tails[::-1], [1.0]]) for tails in (negative, positive))
    return float(np.trapezoid(tpr, fpr))


def draw_features(
    rng: np.random.Generator, pairs: Sequence[ClassPair], counts: tuple[int, int], n_sets: int
) -> list[tuple[Any, Any]]:
    """Draw features of the same observations with a normal copula of correlation 1/2.

    Returns
    -------
    list of (negative, positive)
        Values of each feature, drawn from its class pair; shapes (n_sets, n0) and (n_sets, n1).
    """
    shared = [rng.standard_normal((n_sets, n)) for n in counts]
    return [
        tuple(
            part.quantile(ndtr((both + rng.standard_normal(both.shape)) * _HALF_CORRELATION))
            for part, both in zip((pair.negative, pair.positive), shared, strict=True)
        )
        for pair in pairs
    ]


def draw_clusters(
    rng: np.random.Generator, pairs: Sequence[ClassPair], counts: tuple[int, int]
) -> tuple[list[Any], Any, Any]:
    """Draw features of clustered observations of Gaussian classes, each cluster of one class.

    A cluster has 1 to 10 observations, 3 on average before 10 is the limit, with a correlation of 1/2.

    Returns
    -------
    features, labels, clusters
        The values of each feature, shape (n,); the labels and the clusters, shape (n,).
    """
    sizes = np.minimum(rng.geometric(1 / 3, sum(counts)), 10)
    clusters = np.repeat(np.arange(sum(counts)), sizes)
    labels = (clusters >= counts[0]).astype(int)
    shared = rng.standard_normal(sum(counts))[clusters] + rng.standard_normal(len(clusters))
    features = []
    for pair in pairs:
        own = rng.standard_normal(sum(counts))[clusters] + rng.standard_normal(len(clusters))
        uniform = ndtr((shared + own) / 2)
        features.append(np.where(labels == 1, pair.positive.quantile(uniform), pair.negative.quantile(uniform)))
    return features, labels, clusters
