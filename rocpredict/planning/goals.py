"""What a study shall achieve, and the smallest numbers of cases that do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, sqrt
from typing import TypeAlias

from scipy.special import ndtr

from rocpredict.errors import RocPredictError
from rocpredict.planning.variances import Spread

Counts: TypeAlias = tuple[int, int]

_FEWEST = 2  # cases of a class, for a variance to be estimated
_MOST = 10**12


@dataclass(frozen=True)
class Width:
    """The full width of the interval estimate +- z SE shall be no more than ``target``."""

    target: float
    z: float
    name = "width"

    def achieved(self, spread: Spread, counts: Counts) -> float:
        """Give the width that is expected at these counts."""
        return 2 * self.z * sqrt(spread.estimate(*counts))

    def met(self, achieved: float) -> bool:
        """Tell whether this width will do."""
        return achieved <= self.target


@dataclass(frozen=True)
class Power:
    """The test shall reject, to the right side, with a probability of no less than ``target``."""

    target: float
    z: float
    gap: float
    name = "power"

    def achieved(self, spread: Spread, counts: Counts) -> float:
        """Give the power at these counts."""
        beyond = self.gap - self.z * sqrt(spread.null(*counts))
        return float(ndtr(beyond / sqrt(spread.estimate(*counts))))

    def met(self, achieved: float) -> bool:
        """Tell whether this power will do."""
        return achieved >= self.target


Goal: TypeAlias = Width | Power


def smallest_counts(goal: Goal, spread: Spread, ratio: float) -> Counts:
    """Give the smallest number of positives that meets the goal, with ``ratio`` negatives for each, rounded up.

    Raises
    ------
    RocPredictError
        An estimate that does not vary, or a goal beyond 10^12 cases.
    """
    fewest = _counts(_FEWEST, ratio)
    if not 0 < spread.estimate(*fewest) < float("inf"):
        raise RocPredictError(
            "this estimate has no variance to plan for: a class is without spread, or both curves are one"
        )
    return _counts(_first(lambda n: goal.met(goal.achieved(spread, _counts(n, ratio)))), ratio)


def _counts(n_positive: int, ratio: float) -> Counts:
    return max(_FEWEST, ceil(round(ratio * n_positive, 9))), n_positive


def _first(met: Callable[[int], bool]) -> int:
    """Give the first number from which on a statement holds, by halving."""
    low, high = _FEWEST - 1, _FEWEST
    while not met(high):
        low, high = high, 2 * high
        if high > _MOST:
            raise RocPredictError("this goal needs more than 10^12 cases; ask for less")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if met(middle) else (middle, high)
    while high > _FEWEST and met(high - 1):  # the variances fall with every case; this holds if one should not
        high -= 1
    return high
