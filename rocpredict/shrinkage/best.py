"""The threshold with the best Ameans of shrunk pairs, for many features at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from rocpredict.arguments import FloatArray
from rocpredict.numeric.search import bisect
from rocpredict.shrinkage.powers import Powers
from rocpredict.shrinkage.returning import features_of
from rocpredict.shrinkage.stretches import Stretches


class Rule(NamedTuple):
    """Hold thresholds and their rates: arrays of shape (F,).

    Attributes
    ----------
    threshold : array
        In the unit of the feature; infinite where no threshold is better than calling nobody positive.
    tpr, fpr, tnr, fnr : array
    """

    threshold: FloatArray
    tpr: FloatArray
    fpr: FloatArray
    tnr: FloatArray
    fnr: FloatArray


class _Found(NamedTuple):
    """Hold thresholds, and the normal scores of the parts of both classes at or above them."""

    threshold: FloatArray
    scores: tuple[FloatArray, FloatArray]

    def loss(self) -> FloatArray:
        """Give FNR + FPR of the rule "upper class when x >= threshold"."""
        return np.asarray(ndtr(-self.scores[1]) + ndtr(self.scores[0]))

    def or_better(self, other: _Found, at: NDArray[np.intp]) -> _Found:
        """Give for each feature what loses least, of this and of others that belong to the features ``at``."""
        least, loss = self.loss(), other.loss()
        np.minimum.at(least, at, loss)
        chosen = np.flatnonzero((loss == least[at]) & (loss < self.loss()[at]))

        def merged(mine: FloatArray, theirs: FloatArray) -> FloatArray:
            result = mine.copy()
            result[at[chosen]] = theirs[chosen]
            return result

        return _Found(
            merged(self.threshold, other.threshold),
            (merged(self.scores[0], other.scores[0]), merged(self.scores[1], other.scores[1])),
        )


def best_rules(along: Stretches, powers: Powers, *, lower: bool) -> Rule:
    """Give the best threshold of each feature: a row, just above one, a crossing of the densities or an end.

    ``lower``: the class that lies lower is the positive one, and the rule "positive when x <= threshold".
    """
    rows = _at_rows(along)
    found = rows.or_better(*_at_crossings(along, powers, rows.loss()))
    none = ~(found.loss() < 1)
    threshold = np.where(none, np.inf, found.threshold)
    above = [np.where(none, lower * 1.0, ndtr(score)) for score in found.scores]
    under = [np.where(none, 1.0 - lower, ndtr(-score)) for score in found.scores]
    if lower:
        turned = np.where(none, -np.inf, np.nextafter(threshold, -np.inf))
        return Rule(turned, under[0], under[1], above[1], above[0])
    return Rule(threshold, above[1], above[0], under[0], under[1])


def _at_rows(along: Stretches) -> _Found:
    """Give the best row of each feature, or the threshold just above it."""
    every, m = np.arange(len(along.z)), along.z.shape[1]
    losses = [ndtr(-scores[1]) + ndtr(scores[0]) for scores in (along.at, along.after)]
    best = np.argmin(np.where(np.tile(along.new, 2), np.concatenate(losses, axis=1), np.inf), axis=1)
    edge, beyond = best % m, best >= m
    row = along.x[every, along.passed[every, edge]]
    threshold = np.where(beyond, np.nextafter(row, np.inf), row)
    scores = [
        np.where(beyond, after[every, edge], at[every, edge]) for at, after in zip(along.at, along.after, strict=True)
    ]
    return _Found(threshold, (scores[0], scores[1]))


def _at_crossings(along: Stretches, powers: Powers, loss: FloatArray) -> tuple[_Found, NDArray[np.intp]]:
    """Give where the density of the upper class becomes the larger one between two edges, and of which features.

    Stretches in which no threshold can lose less than ``loss`` are left out.
    """
    with np.errstate(invalid="ignore"):
        left, right = (
            along.laws[1].log_density(along.z, scores[1]) - along.laws[0].log_density(along.z, scores[0])
            for scores in (along.after, along.at)
        )
    rising = (left[:, :-1] < 0) & (right[:, 1:] >= 0) & (along.z[:, :-1] < along.z[:, 1:])
    rising &= ndtr(-along.after[1][:, :-1]) + ndtr(along.at[0][:, 1:]) < loss[:, None]
    rising &= along.laws[0].weight < 1
    feature, edge = np.nonzero(rising)
    laws = [law.at((feature, 0)) for law in along.laws]
    below = along.to[0][feature, edge], along.to[1][feature, edge]

    def scores_at(z: FloatArray) -> tuple[FloatArray, FloatArray]:
        return laws[0].score(z, below[0]), laws[1].score(z, below[1])

    def risen(z: FloatArray) -> NDArray[np.bool_]:
        score0, score1 = scores_at(z)
        with np.errstate(invalid="ignore"):
            return np.asarray(laws[1].log_density(z, score1) > laws[0].log_density(z, score0))

    _, z = bisect(risen, along.z[feature, edge], along.z[feature, edge + 1])
    passed = along.passed[feature, edge]
    ends = np.nextafter(along.x[feature, passed], np.inf), along.x[feature, passed + 1]
    return _Found(np.clip(features_of(powers, feature, z), *ends), scores_at(z)), feature
