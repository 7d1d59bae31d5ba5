"""What a combination is worth on rows that did not choose its weights: cross-fitting."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rocpredict.arguments import FloatArray, as_whole
from rocpredict.empirical import EmpiricalRoc
from rocpredict.errors import RocPredictError
from rocpredict.inference.bootstrap import Resampling
from rocpredict.multivariate.directions import best_weights
from rocpredict.multivariate.moments import Moments
from rocpredict.predictor import PredictedRoc

Samples = tuple[FloatArray, FloatArray]
_FEWEST = 2


class HeldOut(NamedTuple):
    """Hold what the rows of all folds say.

    Attributes
    ----------
    auc : float
        Counted within each fold, averaged.
    ameans : float
        Of the calls of all rows, each by the weights and the threshold of the other folds.
    folds : int
    """

    auc: float
    ameans: float
    folds: int


def held_out(
    samples: Samples, names: tuple[str, ...], *, criterion: str, ridge: float, folds: Any, rng: Any
) -> HeldOut:
    """Fit on all folds but one and score that one, in turn."""
    count = _number_of_folds(folds, samples)
    aucs, calls = [], []
    for train, test in _splits(samples, count, Resampling(rng=rng).generator()):
        weights, threshold = _fitted(train, names, criterion, ridge)
        negative, positive = (part @ weights for part in test)
        aucs.append(EmpiricalRoc(negative, positive).auc())
        calls.append((np.sum(negative < threshold), np.sum(positive >= threshold)))
    right = np.sum(calls, axis=0) / [len(sample) for sample in samples]
    return HeldOut(float(np.mean(aucs)), float(right.mean()), count)


def _number_of_folds(folds: Any, samples: Samples) -> int:
    asked = as_whole("folds", folds)
    if asked < 2:
        raise RocPredictError(f"folds={asked} is too few; give 2 or more, or None to leave cross-fitting out")
    count = min(asked, *(len(sample) for sample in samples))
    named = zip(("negative", "positive"), samples, strict=True)
    for name, sample in sorted(named, key=lambda pair: len(pair[1])):
        left = len(sample) - -(-len(sample) // count)
        if left < _FEWEST:
            raise RocPredictError(
                f"the {name} class has {len(sample)} rows, and folds={asked} leave {left} of them to fit to; "
                "cross-fitting needs 3 rows of each class (folds=None leaves it out)"
            )
    return count


def _splits(samples: Samples, count: int, rng: np.random.Generator) -> Iterator[tuple[Samples, Samples]]:
    """Give the rows to fit to and the rows to score, fold by fold; each class is dealt out evenly."""
    dealt = [_dealt(len(sample), count, rng) for sample in samples]
    for k in range(count):
        negative, positive = (fold == k for fold in dealt)
        yield (samples[0][~negative], samples[1][~positive]), (samples[0][negative], samples[1][positive])


def _dealt(rows: int, count: int, rng: np.random.Generator) -> NDArray[np.intp]:
    return rng.permutation(rows) % count


def _fitted(train: Samples, names: tuple[str, ...], criterion: str, ridge: float) -> tuple[FloatArray, float]:
    """Give weights and threshold; a feature that is constant on these rows, or adds nothing, has weight 0."""
    moments = Moments.of_samples(train, names)
    try:
        weights, _ = best_weights(moments, criterion, ridge)
    except RocPredictError:  # these rows tell nothing: neither do their scores
        weights = np.zeros(len(names))
    return weights, PredictedRoc(*moments.of_score(weights)).best_threshold().threshold
