"""Where the bins of a histogram end."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rocpredict.arguments import FloatArray, as_finite, as_whole, one_of, shown
from rocpredict.errors import RocPredictError

_MOST_BINS = 100_000


def span(edges: FloatArray) -> str:
    """Say from where to where edges reach."""
    return f"from {edges[0]:g} to {edges[-1]:g}"


def refuse_unlike(edges: FloatArray, counts: FloatArray) -> None:
    """Refuse edges and counts whose numbers do not fit."""
    if edges.ndim != 1 or counts.ndim != 1 or len(edges) != len(counts) + 1 or not len(counts):
        raise RocPredictError(
            f"edges has shape {edges.shape} and counts {counts.shape}; k bins have k + 1 edges, with k of 1 or more"
        )


def refuse_unordered(edges: FloatArray) -> None:
    """Refuse edges that do not rise, or between which float64 knows no width."""
    with np.errstate(over="ignore"):
        widths, span = np.diff(edges), edges[-1] - edges[0]
    if not (widths > 0).all():
        raise RocPredictError(f"edges={shown(edges)} do not rise from each to the next")
    if np.isinf(span) or (widths < np.finfo(float).tiny).any():
        raise RocPredictError(f"edges={shown(edges)} lie further apart or closer together than float64 can tell")


def edges_for(values: FloatArray, bins: str | int | ArrayLike) -> FloatArray:
    """Give the edges that were asked for, or equal bins from the smallest value to the largest."""
    if not isinstance(bins, str) and np.ndim(bins):
        edges = as_finite("bins", bins)
        if edges.ndim != 1 or len(edges) < 2:
            raise RocPredictError(f"bins has shape {edges.shape}; give two edges or more, a number, or 'fd'")
        return edges
    low, high = values.min(), values.max()
    if low == high:
        raise RocPredictError(f"all {values.size} values are {low:g}; a class without spread needs its edges given")
    return np.linspace(low, high, _number_of_bins(values, bins) + 1)


def _number_of_bins(values: FloatArray, bins: object) -> int:
    if isinstance(bins, str):
        one_of("bins", bins, ["fd"])
        return _freedman_diaconis(values)
    number = as_whole("bins", bins)
    if not 1 <= number <= _MOST_BINS:
        raise RocPredictError(f"bins={number} is not between 1 and {_MOST_BINS}")
    return number


def _freedman_diaconis(values: FloatArray) -> int:
    low, high = np.quantile(values / 2, [0.25, 0.75])
    width = 2 * (high - low) / np.cbrt(values.size)  # halves, as are the values: their range may be beyond float64
    if width == 0:
        return int(np.ceil(np.log2(values.size))) + 1
    needed = (values.max() / 2 - values.min() / 2) / width
    return int(max(1, np.ceil(min(needed, values.size, _MOST_BINS))))
