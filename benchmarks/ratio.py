"""Paired timings of a computation and its reference, so that changes in the speed of the machine cancel out."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Ratio:
    """One row of the benchmark table: the computation, its reference, and the ratios of the paired runs."""

    work: str
    reference: str
    goal: str
    ratios: tuple[float, ...]
    reference_seconds: float

    @property
    def median(self) -> float:
        return statistics.median(self.ratios)

    def row(self) -> list[object]:
        low, high = min(self.ratios), max(self.ratios)
        return [self.work, self.reference, self.median, f"{low:.2f} to {high:.2f}", self.goal, self.reference_seconds]


def compare(
    work: str,
    run: Callable[[], object],
    reference: str,
    other: Callable[[], object],
    *,
    goal: str,
    runs: int = 9,
    clock: Callable[[], float] = time.perf_counter,
) -> Ratio:
    """Run the computation and its reference once to warm up, then alternately; return the ratio of each pair."""
    run(), other()
    pairs = [(_seconds(run, clock), _seconds(other, clock)) for _ in range(runs)]
    ratios = tuple(mine / theirs for mine, theirs in pairs)
    return Ratio(work, reference, goal, ratios, statistics.median(theirs for _, theirs in pairs))


def _seconds(run: Callable[[], object], clock: Callable[[], float]) -> float:
    start = clock()
    run()
    return clock() - start
