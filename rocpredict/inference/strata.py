"""Areas within strata, combined: only cases of one stratum are compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from rocpredict.arguments import FloatArray
from rocpredict.inference.placements import PSEUDO, PSEUDO_SPREAD, Placements

STRATUM_WEIGHTS = ("pairs", "positives", "equal")
"""How strata are weighed; the first is the default."""


@dataclass(frozen=True)
class Stratified:
    """Hold the placements of each stratum, and how much each counts.

    Attributes
    ----------
    parts : tuple of Placements
    shares : array of shape (strata,)
        They sum to 1.
    """

    parts: tuple[Placements, ...]
    shares: FloatArray

    @classmethod
    def of(cls, parts: tuple[Placements, ...], weighting: str) -> Stratified:
        """Weigh the strata: by pairs of a negative and a positive, by positives, or all alike."""
        sizes = np.array([[part.negative.total, part.positive.total] for part in parts])
        weights = {"pairs": sizes.prod(axis=1), "positives": sizes[:, 1], "equal": np.ones(len(parts))}[weighting]
        return cls(parts, weights / weights.sum())

    @property
    def estimate(self) -> FloatArray:
        """The weighted mean of the areas of the strata."""
        return np.asarray(self.shares @ self._estimates)

    @property
    def units(self) -> tuple[float, float]:
        """How many independent units each class has, in all."""
        return sum(part.units[0] for part in self.parts), sum(part.units[1] for part in self.parts)

    @property
    def chance(self) -> float:
        """What the area is for a feature that tells nothing."""
        return self.parts[0].chance

    @property
    def units_placed_alike(self) -> list[float]:
        """None: strata are judged together."""
        return []

    @property
    def half_blind(self) -> bool:
        """Whether a part of it shows no spread: a single set of placements has no parts."""
        return False

    @property
    def uninformative(self) -> bool:
        """Whether every case is placed where chance is."""
        return all(part.uninformative for part in self.parts)

    @property
    def of_band(self) -> bool:
        """Whether it is a part of the area only."""
        return self.parts[0].of_band

    @property
    def freedom(self) -> float:
        """How many degrees of freedom the variance has: infinitely many, unless most of it is that between strata."""
        blind = sum(self.blind)
        if blind <= 1:
            return np.inf
        between, whole = (float(np.trace(np.atleast_2d(v))) for v in (self._between_blind(), self.variance()))
        return (blind - 1) * (whole / between) ** 2 if between > 0 else np.inf

    @property
    def bounds(self) -> tuple[float, float]:
        """Between which every area lies."""
        return self.parts[0].bounds

    @property
    def blind(self) -> list[bool]:
        """Which strata have a class of one case, of which nobody sees how it varies."""
        return [min(part.units) <= 1 for part in self.parts]

    def variance(self) -> FloatArray:
        """Give the sum of the variances within strata; those of blind strata are seen in what sets these apart."""
        variance = np.zeros(self.estimate.shape * 2)
        for share, part, blind in zip(self.shares, self.parts, self.blind, strict=True):
            if not blind:
                variance += share**2 * part.variance()
        return variance + self._between_blind()

    def _between_blind(self) -> FloatArray:
        held = [(share, part) for share, part, blind in zip(self.shares, self.parts, self.blind, strict=True) if blind]
        if len(held) <= 1:
            return np.asarray(sum((share**2 * part.largest_variance() for share, part in held), np.zeros(())))
        shares, estimates = np.array([share for share, _ in held]), np.array([part.estimate for _, part in held])
        deviation = ((estimates - shares @ estimates / shares.sum()).T * shares).T
        return np.asarray(deviation.T @ deviation * (len(held) / (len(held) - 1)))

    def smoothed(self) -> tuple[Any, FloatArray]:
        """Give area and variance with a little of a case more in each class; see ``Placements.smoothed``."""
        if len(self.parts) == 1:
            return self.parts[0].smoothed()
        cases = 2 / sum(1 / units for units in self.units)
        area = (self.estimate * cases + PSEUDO * self.chance) / (cases + PSEUDO)
        pull = self.parts[0].pull(area)
        return area, self.variance() + sum(pull / (units + PSEUDO_SPREAD) ** 2 for units in self.units)

    def select(self, contrast: FloatArray) -> Stratified:
        """Give the same of a weighted sum of the K curves."""
        return Stratified(tuple(part.select(contrast) for part in self.parts), self.shares)

    @property
    def _estimates(self) -> FloatArray:
        return np.array([part.estimate for part in self.parts])


Areas: TypeAlias = Placements | Stratified
"""One curve or K, all rows together or stratum by stratum."""
