"""Which part of the axis of a feature a picture shows, its bins, and what no axis can hold."""

import numpy as np

from rocpredict.arguments import FloatArray
from rocpredict.distributions import Distribution, Ecdf
from rocpredict.errors import RocPredictError
from rocpredict.roc import Roc

TAIL = 0.001
_FAR = 8
"""How many interquartile ranges beyond its quartiles a class is drawn at most: heavy tails have no end."""
_MOST_BINS, _MOST_FINE = 60, 200
_NARROWEST, _WIDEST = 1e-286, 1e306
"""Lengths of an axis: of a shorter one matplotlib draws another, a longer one overflows."""
_STEPS = 16
"""The least room beside all values, in steps of a float there: a narrower axis matplotlib would widen by far more."""


def span_of(roc: Roc, at: float) -> tuple[float, float]:
    """Give the ends of the x axis: both classes up to their tails, and the threshold unless it is far away."""
    ends = np.array([end for d in (roc.negative, roc.positive) for end in ends_of(d)] or [0.0])  # all rows infinite
    low, high = float(ends.min()), float(ends.max())
    if low - (high - low) < at < high + (high - low):
        low, high = min(low, at), max(high, at)
    return padded(low, high, 0.04)


def padded(low: float, high: float, share: float) -> tuple[float, float]:
    """Give the ends of an axis with room beside all values, or refuse values that no axis can hold."""
    low, high = float(low), float(high)  # those of NumPy warn where these overflow
    pad = share * (high - low) or 0.1 * abs(low) or 1.0
    if pad < np.inf:
        pad = max(pad, _STEPS * float(np.spacing(max(abs(low), abs(high)))))
    if not _NARROWEST < high - low + 2 * pad < _WIDEST:
        raise cannot_be_drawn(low, high, "far apart" if high - low > 1 else "close to each other")
    return low - pad, high + pad


def cannot_be_drawn(low: float, high: float, how: str) -> RocPredictError:
    """Say of values that no axis can hold them."""
    return RocPredictError(
        f"values too {how} to be drawn, from {low:.4g} to {high:.4g}; change their unit: multiply them by a constant"
    )


def ends_of(distribution: Distribution) -> list[float]:
    """Give the ends of one class as it is drawn; none where all of its rows are infinite."""
    if isinstance(distribution, Ecdf):
        finite = distribution.points[np.isfinite(distribution.points)]
        return [float(finite[0]), float(finite[-1])] if len(finite) else []
    low, high = float(distribution.ppf(0.25)), float(distribution.isf(0.25))
    far = _FAR * (high - low)
    low, high = max(float(distribution.ppf(TAIL)), low - far), min(float(distribution.isf(TAIL)), high + far)
    if not np.isfinite([low, high]).all():
        raise cannot_be_drawn(low, high, "far apart")
    return [low, high]


def edges_of(roc: Roc, at: float) -> FloatArray:
    """Give bins for the samples of both classes, one edge at the threshold."""
    samples = [d for d in (roc.negative, roc.positive) if isinstance(d, Ecdf)]
    ends = np.array([end for d in samples for end in ends_of(d)])
    if not len(ends):
        return np.array([0.0, 1.0])
    low, high = float(ends.min()), float(ends.max())
    step = float(np.spacing(max(abs(low), abs(high))))
    width = max(_width(samples, high - low) or 1.0, 4 * step)  # each edge is a number of its own
    start = at if low <= at <= high else low
    edges = start + width * np.arange(np.floor((low - start) / width), np.floor((high - start) / width) + 2)
    edges[0] = min(low, edges[1])  # no bar reaches below the lowest value
    return np.unique(edges)


def _width(samples: list[Ecdf], reach: float) -> float:
    """Give the width of the bins: by the number of rows, or by the bulk of the narrower class where that is less."""
    even = reach / np.clip(np.ceil(2 * max(len(d.points) for d in samples) ** (1 / 3)), 5, _MOST_BINS)
    bulk = [2 * float(d.isf(0.25) - d.ppf(0.25)) / np.cbrt(d.total) for d in samples]
    fine = [width for width in bulk if np.isfinite(width) and width > 0]
    return float(np.clip(min(fine, default=even), reach / _MOST_FINE, even))
