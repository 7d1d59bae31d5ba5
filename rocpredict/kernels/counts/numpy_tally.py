"""The engine that is always there: NumPy's searches over sorted runs, one feature and contrast at a time."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rocpredict.arguments import FloatArray
from rocpredict.counting import inverse_ranks, ranks
from rocpredict.kernels.counts.parts import Counts, Parts, empty_counts

Indexes = NDArray[np.intp]


class Runs(NamedTuple):
    """Distinct values, and how many lie below each."""

    values: NDArray[Any]
    """Shape (m,), ascending."""
    starts: Indexes | None
    """Shape (m + 1,), the last is how many there are in all; None where no value is tied."""
    total: int

    def below(self, place: Any) -> Any:
        """Give how many values lie below the run at a place."""
        return place if self.starts is None else self.starts[place]

    @property
    def counts(self) -> Indexes | None:
        """Give how many values each run has; None where all have one."""
        return None if self.starts is None else np.diff(self.starts)


def tally(parts: Parts, pairs: NDArray[np.intp], thresholds: FloatArray, grid: int) -> Counts:
    """Count every feature of a block in every contrast, from sorted parts."""
    counts = empty_counts(thresholds.shape, grid)
    steps = 2 * np.arange(grid) + 1
    for f, (first, last, zeros) in enumerate(zip(*(table.tolist() for table in parts[1:]), strict=True)):
        runs = [_runs(parts.values[a:b], z) for a, b, z in zip(first, last, zeros, strict=True)]
        for t, (n, p, nested) in enumerate(pairs.tolist()):
            negative = _without(runs[n], runs[p]) if nested else runs[n]
            _contrast(negative, runs[p], counts, (t, f), steps)
            if not np.isnan(thresholds[t, f]):
                counts.negatives_below[t, f], counts.negatives_at[t, f] = _rank(negative, thresholds[t, f])
                counts.positives_below[t, f], counts.positives_at[t, f] = _rank(runs[p], thresholds[t, f])
    return counts


def _runs(values: NDArray[Any], zeros: int) -> Runs:
    if len(values) and np.isnan(values[-1]):
        values = values[: np.searchsorted(values, values.dtype.type(np.nan))]
    total = len(values) + zeros
    new = values[1:] != values[:-1]
    if not zeros and new.all():
        return Runs(values, None, total)
    places = np.flatnonzero(np.concatenate([np.ones(min(1, len(values)), dtype=bool), new]))
    distinct, starts = values[places], np.append(places, len(values))
    if zeros:
        at = int(np.searchsorted(distinct, 0))
        distinct = np.insert(distinct, at, 0)
        starts = np.concatenate([starts[: at + 1], starts[at:] + zeros])
    return Runs(distinct, starts, total)


def _without(whole: Runs, part: Runs) -> Runs:
    """Take out values that are all among those of the whole."""
    counts = np.ones(len(whole.values), dtype=np.intp) if whole.counts is None else whole.counts.copy()
    counts[np.searchsorted(whole.values, part.values)] -= 1 if part.counts is None else part.counts
    left = counts > 0
    return Runs(whole.values[left], np.concatenate([[0], np.cumsum(counts[left])]), whole.total - part.total)


def _contrast(negative: Runs, positive: Runs, counts: Counts, at: tuple[int, int], steps: Indexes) -> None:
    counts.negatives[at], counts.positives[at] = negative.total, positive.total
    if not (negative.total and positive.total):
        counts.ties[at] = _cubes(negative.counts) + _cubes(positive.counts)
        return
    below, to = ranks(negative.values, positive.values)
    passed, reached = inverse_ranks(below, to, len(negative.values))
    counts.ties[at] = _ties(negative, positive, below, to)
    twice = _twice(negative, below, to), _twice(positive, passed, reached)
    total, counts.positive_scatter[at] = _scatter(twice[0], positive, negative.total)
    counts.negative_scatter[at] = _scatter(twice[1], negative, positive.total)[1]
    counts.area[at] = total / (2 * negative.total * positive.total)
    counts.heights[at] = _heights(negative, positive, passed, reached, steps)


def _twice(runs: Runs, below: Indexes, to: Indexes) -> Indexes:
    """Give twice the placement counts: values below, and values at or below."""
    return np.asarray(runs.below(below) + runs.below(to) if to is not below else 2 * runs.below(below))


def _cubes(counts: Indexes | None) -> float:
    """Sum t^3 - t."""
    if counts is None:
        return 0.0
    t = counts.astype(np.float64)
    return float((t * (t * t - 1)).sum())


def _ties(negative: Runs, positive: Runs, below: Indexes, to: Indexes) -> float:
    ties = _cubes(negative.counts) + _cubes(positive.counts)
    if to is below:
        return ties
    tied = to > below
    a = 1.0 if negative.counts is None else negative.counts[below[tied]].astype(np.float64)
    b = 1.0 if positive.counts is None else positive.counts[tied].astype(np.float64)
    return ties + float((3 * a * b * (a + b) + np.zeros(int(tied.sum()))).sum())  # (a + b)^3 - a^3 - b^3


def _scatter(twice: Indexes, runs: Runs, others: int) -> tuple[int, float]:
    """Give the sum of twice the placement counts, and the sum of squares of the placements about their mean.

    Deviations are taken from the whole number next to the mean: they are exact, and little cancels.
    """
    counts = runs.counts
    total = int(twice.sum() if counts is None else (twice * counts).sum())
    centre = (2 * total + runs.total) // (2 * runs.total)
    deviations = (twice - centre).astype(np.float64)
    deviations *= deviations
    squares = float(deviations.sum() if counts is None else (deviations * counts).sum())
    return total, (squares - (total - runs.total * centre) ** 2 / runs.total) / (2 * others) ** 2


def _heights(negative: Runs, positive: Runs, passed: Indexes, reached: Indexes, steps: Indexes) -> FloatArray:
    """Give the TPR half-way through each step of the grid, by the negative that lies there."""
    grid = 2 * len(steps)
    ranks_there = negative.total - 1 - steps * negative.total // grid
    run = ranks_there
    if negative.starts is not None:
        run = np.searchsorted(negative.starts, ranks_there, side="right") - 1
    low, high = positive.below(passed[run]), positive.below(reached[run])
    start, stop = negative.below(run), negative.below(run + 1)
    share = (steps * negative.total - (negative.total - stop) * grid) / (grid * (stop - start))
    return np.asarray((positive.total - high + share * (high - low)) / positive.total)


def _rank(runs: Runs, threshold: float) -> tuple[int, int]:
    """Count the values below a threshold, and those at it, without a copy of them as float64."""
    with np.errstate(over="ignore"):
        near = runs.values.dtype.type(threshold)
    place = int(np.searchsorted(runs.values, near, side="right" if near < threshold else "left"))
    here = place < len(runs.values) and bool(runs.values[place].astype(np.float64) == threshold)
    return runs.below(place), runs.below(place + 1) - runs.below(place) if here else 0
