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
    def uninformative(self) -> bool:
        """Whether every case is placed where chance is."""
        return all(part.uninformative for part in self.parts)

    @property
    def of_band(self) -> bool:
        """Whether it is a part of the area only."""
        return self.parts[0].of_band

    @property
    def bounds(self) -> tuple[float, float]:
        """Between which every area lies."""
        return self.parts[0].bounds

    @property
    def within(self) -> bool:
        """Whether every stratum shows how each of its classes varies."""
        return min(min(part.units) for part in self.parts) > 1

    def variance(self) -> FloatArray:
        """Give the variance: from within the strata, or from between them where some have a class of one case."""
        if self.within:
            return np.asarray(sum(w * w * part.variance() for w, part in zip(self.shares, self.parts, strict=True)))
        deviation = (self._estimates - self.estimate).T * self.shares
        count = len(self.parts)
        return np.asarray(deviation @ deviation.T * (count / (count - 1)) if count > 1 else self.parts[0].variance())

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
