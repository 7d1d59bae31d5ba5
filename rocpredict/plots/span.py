"""Which part of the axis of a feature a picture shows, and its bins."""

import numpy as np

from rocpredict.arguments import FloatArray
from rocpredict.distributions import Distribution, Ecdf
from rocpredict.roc import Roc

TAIL = 0.001
_FAR = 8
"""How many interquartile ranges beyond its quartiles a class is drawn at most: heavy tails have no end."""
_MOST_BINS = 60


def span_of(roc: Roc, at: float) -> tuple[float, float]:
    """Give the ends of the x axis: both classes up to their tails, and the threshold unless it is far away."""
    ends = np.array([end for d in (roc.negative, roc.positive) for end in ends_of(d)])
    ends = ends[np.isfinite(ends)] if np.isfinite(ends).any() else np.zeros(1)  # all rows infinite
    low, high = float(ends.min()), float(ends.max())
    pad = (high - low) * 0.04 or 0.1 * abs(low) or 1.0
    if low - (high - low) < at < high + (high - low):
        low, high = min(low, at), max(high, at)
    return low - pad, high + pad


def ends_of(distribution: Distribution) -> list[float]:
    """Give the ends of one class as it is drawn; none where all of its rows are infinite."""
    if isinstance(distribution, Ecdf):
        finite = distribution.points[np.isfinite(distribution.points)]
        return [finite[0], finite[-1]] if len(finite) else []
    quartiles = np.array([distribution.ppf(0.25), distribution.isf(0.25)])
    far = _FAR * (quartiles[1] - quartiles[0])
    return [max(distribution.ppf(TAIL), quartiles[0] - far), min(distribution.isf(TAIL), quartiles[1] + far)]


def edges_of(roc: Roc, at: float) -> FloatArray:
    """Give bins for the samples of both classes, one edge at the threshold."""
    samples = [d for d in (roc.negative, roc.positive) if isinstance(d, Ecdf)]
    ends = np.array([end for d in samples for end in ends_of(d)])
    if not len(ends):
        return np.array([0.0, 1.0])
    low, high = ends.min(), ends.max()
    bins = np.clip(np.ceil(2 * max(len(d.points) for d in samples) ** (1 / 3)), 5, _MOST_BINS)
    width = (high - low) / bins or 1.0
    start = at if low <= at <= high else low
    return start + width * np.arange(np.floor((low - start) / width), np.floor((high - start) / width) + 2)
