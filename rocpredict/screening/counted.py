"""What counting the pairs of cases shows, for a block of features."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import ndtr

from rocpredict.arguments import FloatArray
from rocpredict.flags import Flags
from rocpredict.inference.many import ManyAreas
from rocpredict.inference.permutation import variance_of_exchange
from rocpredict.kernels.counts import Counts
from rocpredict.screening.misfit import misfit
from rocpredict.screening.predicted import Pair

ACHIEVED = "achieved"
"""The Ameans that the rows have at the predicted threshold: what the honest value starts from."""


def counted_columns(counts: Counts, pair: Pair, level: float) -> tuple[dict[str, Any], Flags]:
    """Give the columns of one contrast that need counts, and what is degenerate.

    Parameters
    ----------
    counts : Counts
        Of one contrast; arrays of shape (features,).
    pair : Pair
        The Gaussians of the same features.
    level : float
    """
    there = (counts.negatives > 0) & (counts.positives > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        areas = _areas(counts)
        std_error, blind = areas.std_error()
        low, high = areas.interval(level)
        achieved = _achieved(counts, pair)
    fit = misfit(pair, counts.heights)
    columns = {
        "empirical_auc": areas.area,
        "empirical_se": std_error,
        "empirical_low": low,
        "empirical_high": high,
        "p_value": mann_whitney(counts),
        ACHIEVED: np.where(pair.known, achieved, np.nan),
        "misfit": fit.distance,
    }
    flags = areas.flags() | Flags(fallback=blind | areas.half_blind)
    held = Flags(**{name: flags[name] & there for name in flags}) | Flags(misfit=fit.beyond_chance & there)
    return {name: np.where(there, values, np.nan) for name, values in columns.items()}, held


def honest(achieved: FloatArray, excess: FloatArray, of_count: FloatArray) -> FloatArray:
    """Give the counted Ameans less its optimism: that of choosing, or that of counting where the choice was made."""
    return achieved - np.maximum(excess, np.minimum(of_count, np.abs(achieved - 0.5)))


def mann_whitney(counts: Counts) -> FloatArray:
    """Give the two-sided p of equal distributions: normal, corrected for ties, without continuity correction.

    1 where all values are tied. (Mann and Whitney 1947.)
    """
    variance = variance_of_exchange(counts.negatives, counts.positives, counts.ties)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = (counts.area - 0.5) / np.sqrt(variance)
    return np.where(variance > 0, 2 * ndtr(-np.abs(z)), 1.0)


def _areas(counts: Counts) -> ManyAreas:
    scatters = counts.negative_scatter, counts.positive_scatter
    return ManyAreas(counts.area, counts.negatives.astype(float), counts.positives.astype(float), *scatters)


def _achieved(counts: Counts, pair: Pair) -> FloatArray:
    """Give the Ameans that the rows have at the predicted threshold: (TPR + TNR)/2 by counting."""
    below = [counts.negatives_below / counts.negatives, counts.positives_below / counts.positives]
    to = [
        (counts.negatives_below + counts.negatives_at) / counts.negatives,
        (counts.positives_below + counts.positives_at) / counts.positives,
    ]
    higher = 0.5 + (below[0] - below[1]) / 2  # positive when x >= threshold
    lower = 0.5 + (to[1] - to[0]) / 2
    return np.where(pair.lower, lower, higher)
