"""Draws from the fitted pair, fitted anew: what chance alone does to each measure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from rocpredict.arguments import FloatArray
from rocpredict.diagnosis.measured import (
    Misfit,
    Sorted,
    misfit,
    misfit_of_gaussians,
    normal_scores,
    oriented,
    pair_of,
    places,
)
from rocpredict.distributions import Distribution, Gaussian
from rocpredict.errors import RocPredictError
from rocpredict.inference.bootstrap import Resampling
from rocpredict.predictor import PredictedRoc

_BAND = (0.025, 0.975)
_ROUNDING = 1e-9
_FAR = 1e3  # standard deviations: classes further apart do not meet either
_NARROW = 1e-6  # of the larger standard deviation: what is narrower is a point beside it
_HELD_EACH = 12  # numbers for each row of a draw


class Simulated(NamedTuple):
    """What draws from the fitted pair give."""

    misfit: Misfit
    """One number a draw."""
    bands: tuple[FloatArray, FloatArray]
    """Where 95 of 100 draws have the normal score of a rank: the lower and the upper end for each class."""
    n_failed: int
    """Draws to which the family could not be fitted."""


class _Part(NamedTuple):
    misfit: Misfit
    scores: tuple[FloatArray, FloatArray]


def simulate(roc: PredictedRoc, counts: tuple[int, int], resampling: Resampling) -> Simulated:
    """Draw samples of these sizes from a fitted pair, fit the family anew, and measure.

    Raises
    ------
    RocPredictError
        A family that could be fitted to none of them.
    """
    gaussian = all(isinstance(d, Gaussian) and d.std > 0 for d in _both(roc))  # a point mass draws ties
    parts = list(_of_gaussians(roc, counts, resampling) if gaussian else _of_any(roc, counts, resampling))
    if not parts:
        raise RocPredictError("family could be fitted to no draw from what was fitted to these rows; give another one")
    joined = Misfit(*(np.concatenate(column) for column in zip(*(part.misfit for part in parts), strict=True)))
    scores = [np.concatenate(column) for column in zip(*(part.scores for part in parts), strict=True)]
    bands = np.quantile(scores[0], _BAND, axis=0), np.quantile(scores[1], _BAND, axis=0)
    return Simulated(joined, bands, resampling.n_resamples - len(joined.distance))


def p_values(observed: Misfit, simulated: Misfit) -> dict[str, float]:
    """Give for each measure the share (b + 1)/(n + 1) of draws that are as far off."""
    return {
        name: float((np.count_nonzero(_reaches(draws, seen)) + 1) / (len(draws) + 1))
        for name, seen, draws in zip(Misfit._fields, observed, simulated, strict=True)
    }


def _reaches(draws: FloatArray, seen: FloatArray) -> NDArray[np.bool_]:
    return np.asarray(draws >= (seen if np.isinf(seen) else seen - _ROUNDING * (1 + abs(seen))))


def _streams(resampling: Resampling) -> list[np.random.Generator]:
    return [np.random.default_rng(seed) for seed in resampling.generator().integers(0, 2**63, 2)]


def _of_gaussians(roc: PredictedRoc, counts: tuple[int, int], resampling: Resampling) -> Iterator[_Part]:
    """Draw many samples at a time; in units of the larger standard deviation, in which nothing overflows."""
    low, high = cast(tuple[Gaussian, Gaussian], pair_of(roc))
    unit = max(low.std, high.std)
    apart = float(np.clip(high.mean / unit - low.mean / unit, -_FAR, _FAR))
    means, stds = (0.0, apart), (max(low.std / unit, _NARROW), max(high.std / unit, _NARROW))
    streams = _streams(resampling)
    ranks = [places(n) for n in counts]
    for size in resampling.chunks(_HELD_EACH * sum(counts)):
        drawn = [
            np.sort(mean + std * stream.standard_normal((size, n)), axis=1)
            for mean, std, stream, n in zip(means, stds, streams, counts, strict=True)
        ]
        found, scores = misfit_of_gaussians(Sorted(*drawn))
        yield _Part(found, (scores[0][:, ranks[0]], scores[1][:, ranks[1]]))


def _of_any(roc: PredictedRoc, counts: tuple[int, int], resampling: Resampling) -> Iterator[_Part]:
    """Draw one sample at a time; those that the family cannot be fitted to are left out."""
    streams = _streams(resampling)
    ranks = [places(n) for n in counts]
    for _ in range(resampling.n_resamples):
        drawn = [np.asarray(d.ppf(s.random(n))) for d, s, n in zip(_both(roc), streams, counts, strict=True)]
        try:
            again = _refitted(roc, *drawn)
        except RocPredictError:
            continue
        samples = oriented(roc, *drawn)
        scores = [normal_scores(d, x[rank])[None] for d, x, rank in zip(pair_of(again), samples, ranks, strict=True)]
        yield _Part(Misfit(*(np.atleast_1d(value) for value in misfit(again, samples))), (scores[0], scores[1]))


def _both(roc: PredictedRoc) -> tuple[Distribution, Distribution]:
    return roc.negative, roc.positive


def _refitted(roc: PredictedRoc, negative: FloatArray, positive: FloatArray) -> PredictedRoc:
    """Fit the family of a ROC to other samples."""
    fit = roc.fitted_by.fit  # type: ignore[union-attr]
    return PredictedRoc(*fit(negative, positive), direction=roc.direction)
