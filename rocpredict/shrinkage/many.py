"""The answers of shrunk pairs for many features at once: the area, and the threshold with the best Ameans.

All is asked on the transformed axis, where the models are Gaussians; the order of the rows is that of the feature.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from rocpredict.arguments import FloatArray
from rocpredict.shrinkage.best import Rule, best_rules
from rocpredict.shrinkage.estimating import Estimate, estimate
from rocpredict.shrinkage.stretches import Stretches, stretches_of

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(4)


class Many(NamedTuple):
    """Hold the answers of F features: arrays of shape (F,).

    Attributes
    ----------
    auc : array
        P(positive > negative) + P(tie)/2, whatever the direction.
    rule : Rule
        The threshold with the best Ameans in the direction asked for, and its rates.
    weight : array
        Of the sample; the rest is the model's.
    pull : array
        By how many normal scores the classes were moved apart.
    distance : array
        The mean absolute difference of the model's curve and the empirical one.
    """

    auc: FloatArray
    rule: Rule
    weight: FloatArray
    pull: FloatArray
    distance: FloatArray


def answer_many(negative: FloatArray, positive: FloatArray, *, lower: bool, declared: bool) -> Many:
    """Estimate both classes of each feature, and give the area and the best threshold.

    Parameters
    ----------
    negative, positive : arrays of shape (F, n0) and (F, n1)
        Finite values, 2 or more a class.
    lower : bool
        Whether the rule is "positive when x <= threshold": positives are looked for among the low values.
    declared : bool
        Whether they are known to lie on their side.

    Notes
    -----
    As ``shrunk_pair`` and the engine say of one feature. With ``lower`` the classes change their places, and the rule
    is the one that calls positive what the other calls negative.
    """
    found, along = _estimated(negative, positive, lower=lower, declared=declared)
    area, rest = areas(along)
    rule = best_rules(along, found.powers, lower=lower)
    return Many(rest if lower else area, rule, found.weighing.weight, found.pull, found.weighing.distance)


def rule_of_many(negative: FloatArray, positive: FloatArray, *, lower: bool, declared: bool) -> Rule:
    """Give the best thresholds alone, as ``answer_many`` does."""
    found, along = _estimated(negative, positive, lower=lower, declared=declared)
    return best_rules(along, found.powers, lower=lower)


def _estimated(
    negative: FloatArray, positive: FloatArray, *, lower: bool, declared: bool
) -> tuple[Estimate, Stretches]:
    below, above = (positive, negative) if lower else (negative, positive)
    found = estimate(below, above, declared=declared)
    return found, stretches_of(below, above, found)


def areas(along: Stretches) -> tuple[FloatArray, FloatArray]:
    """Give P(upper class > lower class) + P(tie)/2, and 1 less it: shape (F,)."""
    jump = np.where(along.new, _between(along.at[0], along.after[0]), 0.0)
    mass = _between(along.after[0][:, :-1], along.at[0][:, 1:])
    shares, heights = _inside(along)
    sums = []
    for height, side in zip(heights, (1, -1), strict=True):
        steps = (ndtr(side * along.at[1]) + ndtr(side * along.after[1])) / 2
        sums.append(np.sum(jump * steps, axis=1) + np.sum(mass * np.sum(shares * height, axis=-1), axis=1))
    return sums[0], sums[1]


def _inside(along: Stretches) -> tuple[FloatArray, tuple[FloatArray, FloatArray]]:
    """Give what share of a stretch each of its nodes stands for, and the upper class's parts above and below it."""
    left, right = along.z[:, :-1, None], along.z[:, 1:, None]
    z = (left + right) / 2 + (right - left) / 2 * _NODES
    laws = [law.at((..., None)) for law in along.laws]
    score0, score1 = (law.score(z, to[:, :-1, None]) for law, to in zip(laws, along.to, strict=True))
    level = laws[0].log_density(z, score0)
    highest = level.max(axis=-1, keepdims=True)
    density = np.exp(level - np.where(np.isfinite(highest), highest, 0.0)) * _WEIGHTS
    total = density.sum(axis=-1, keepdims=True)
    return density / np.where(total > 0, total, 1.0), (ndtr(score1), ndtr(-score1))


def _between(left: FloatArray, right: FloatArray) -> FloatArray:
    """Give the probability between two normal scores of upper parts, from the nearer tail."""
    upper, lower = ndtr(left) - ndtr(right), ndtr(-right) - ndtr(-left)
    return np.asarray(np.maximum(np.where(left > 0, lower, upper), 0.0))
