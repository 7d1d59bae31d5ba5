"""Uncertainty of many empirical areas at once, from what a count over the features left of each."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rocpredict.arguments import FloatArray
from rocpredict.flags import Flags
from rocpredict.inference.areas import on_logit_scale
from rocpredict.inference.placements import NO_VARIANCE, PSEUDO, PSEUDO_SPREAD, ROUNDING
from rocpredict.interval import two_sided_z, unseen_ends

_LARGEST_VARIANCE = 0.25


class ManyAreas(NamedTuple):
    """The areas of many features, and how their placement values scatter; every array has shape F.

    The formulas are those of ``Placements``, without clusters.
    """

    area: FloatArray
    negatives: FloatArray
    """Cases of the negative class."""
    positives: FloatArray
    negative_scatter: FloatArray
    """Sum of squares of the placement values of the negatives about the area."""
    positive_scatter: FloatArray

    def std_error(self) -> tuple[FloatArray, NDArray[np.bool_]]:
        """Give DeLong's standard errors, and where they are 0 or unknown, so that the smoothed ones stand in."""
        variance = np.zeros(np.shape(self.area))
        for scatter, cases in self._sides:
            with np.errstate(divide="ignore", invalid="ignore"):
                variance += np.where(cases > 1, scatter / (cases * (cases - 1)), 0.0)
        blind = (variance <= NO_VARIANCE) | (np.minimum(self.negatives, self.positives) <= 1)
        return np.sqrt(np.where(blind, self.smoothed()[1], variance)), blind

    def smoothed(self) -> tuple[FloatArray, FloatArray]:
        """Give areas and variances with a little of a case more in each class: see ``Placements.smoothed``."""
        cases = 2 / (1 / self.negatives + 1 / self.positives)
        area = (self.area * cases + PSEUDO / 2) / (cases + PSEUDO)
        pull = PSEUDO_SPREAD * ((0.5 - area) ** 2 + _LARGEST_VARIANCE / 2)
        variance = np.zeros(np.shape(area))
        for scatter, count in self._sides:
            about = scatter + count * (self.area - area) ** 2
            units = count + PSEUDO_SPREAD
            spread = (about + pull) / units**2 * (units / (units - 1))
            variance += np.where(count <= 1, np.maximum(spread, area * (1 - area)), spread)
        return area, variance

    def interval(self, level: float) -> tuple[FloatArray, FloatArray]:
        """Give the ends of the smoothed logit interval of each area."""
        area, variance = self.smoothed()
        low, high = on_logit_scale(area, variance, two_sided_z(level))
        unseen = unseen_ends(self.area, (self.negatives, self.positives), level)
        extreme = (self.area == 0) | (self.area == 1)
        low = np.where(extreme, np.maximum(np.minimum(low, self.area), unseen[0]), np.minimum(low, self.area))
        high = np.where(extreme, np.minimum(np.maximum(high, self.area), unseen[1]), np.maximum(high, self.area))
        for scatter, count in self._sides:
            ends = unseen_ends(self.area, (count, count), level)
            alike = self._alike(scatter, count) & ~extreme
            low = np.where(alike, np.minimum(low, ends[0]), low)
            high = np.where(alike, np.maximum(high, ends[1]), high)
        blind = self.uninformative
        return np.where(blind, unseen[0], low), np.where(blind, unseen[1], high)

    @property
    def half_blind(self) -> NDArray[np.bool_]:
        """Where all cases of one class are placed alike, so that its spread was not seen."""
        return np.logical_or(*(self._alike(*side) for side in self._sides))

    @staticmethod
    def _alike(scatter: FloatArray, count: FloatArray) -> NDArray[np.bool_]:
        return np.asarray((scatter <= ROUNDING**2) & (count > 1))

    @property
    def uninformative(self) -> NDArray[np.bool_]:
        """Where every case is placed where chance is."""
        scatter = np.maximum(self.negative_scatter, self.positive_scatter)
        return np.asarray((np.abs(self.area - 0.5) <= ROUNDING) & (scatter <= ROUNDING**2))

    def flags(self) -> Flags:
        """Say what is degenerate."""
        return Flags(
            single_case=np.minimum(self.negatives, self.positives) <= 1,
            perfect_separation=self.area == 1,
            perfect_reversal=self.area == 0,
            point_mass=self.uninformative,
        )

    @property
    def _sides(self) -> tuple[tuple[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]:
        return (self.negative_scatter, self.negatives), (self.positive_scatter, self.positives)
