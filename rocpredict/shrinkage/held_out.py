"""What the threshold of a shrunk estimate is worth on rows that had no say in it, for many features at once."""

from __future__ import annotations

import numpy as np

from rocpredict.arguments import FloatArray
from rocpredict.shrinkage.many import rule_of_many

FOLDS = 5


def held_out_ameans(negative: FloatArray, positive: FloatArray, *, lower: bool | None, declared: bool) -> FloatArray:
    """Give the Ameans counted on rows that were held out, a fifth of each class in turn: shape (F,).

    Parameters
    ----------
    negative, positive : arrays of shape (F, n0) and (F, n1)
        Finite values in any order but an order by size: each fifth row is held out together.
    lower : bool or None
        The direction; None: that of the means of the rows that are left in.
    declared : bool
        Whether it was known before these rows.

    Returns
    -------
    array of shape (F,)
        NaN where a class has no more than 2 rows: none can be spared.
    """
    sides = negative, positive
    folds = min(FOLDS, negative.shape[1], positive.shape[1])
    if folds < 3:
        return np.full(len(negative), np.nan)
    right = np.zeros((2, len(negative)))
    for fold in range(folds):
        held = [np.arange(side.shape[1]) % folds == fold for side in sides]
        left_in = [side[:, ~out] for side, out in zip(sides, held, strict=True)]
        right += _right(left_in, [side[:, out] for side, out in zip(sides, held, strict=True)], lower, declared)
    return np.asarray(right[0] / negative.shape[1] + right[1] / positive.shape[1]) / 2


def _right(left_in: list[FloatArray], held: list[FloatArray], lower: bool | None, declared: bool) -> FloatArray:
    """Give how many of the rows held out of both classes the rule of the others calls right: shape (2, F)."""
    means = [side.mean(axis=1) for side in left_in]
    below = means[1] < means[0] if lower is None else np.full(len(means[0]), lower)
    right = np.zeros((2, len(below)))
    for side in (False, True):
        if (some := np.flatnonzero(below == side)).size:
            rule = rule_of_many(*(part[some] for part in left_in), lower=side, declared=declared)
            at = rule.threshold[:, None]
            called = [part[some] <= at if side else part[some] >= at for part in held]
            right[:, some] = np.sum(~called[0], axis=1), np.sum(called[1], axis=1)
    return right
