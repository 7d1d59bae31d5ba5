"""How firmly the data choose a threshold, and what it is worth on data that did not choose it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rocpredict.arguments import FloatArray, frozen
from rocpredict.inference.replicates import Choices
from rocpredict.rich_results import Rich, Shown

_GUESS = 0.5  # the Ameans of a rule that knows nothing
_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True, eq=False, repr=False)
class Stability(Rich):
    """Say what happens to the best threshold when it is chosen anew on resampled data.

    Attributes
    ----------
    thresholds : array of shape (n_resamples,)
        The threshold that each resample chooses, ascending.
    quantiles : dict
        Quantiles of these: 0.05, 0.25, 0.5, 0.75, 0.95.
    share_in_plateau : float
        How many of these lie where the whole sample's best thresholds lie.
    ameans_in_sample : float
        The Ameans on the rows that chose the threshold: optimistic.
    ameans_out_of_bag : float
        The mean Ameans, over resamples, on the rows that did not choose it: hardly biased, if anything a little
        pessimistic, since fewer rows choose. 1/2 where a class has too few rows to leave any out.
    n_resamples, n_dropped : int
        Resamples, and those that left no row of a class out.
    """

    thresholds: FloatArray
    quantiles: dict[float, float]
    share_in_plateau: float
    ameans_in_sample: float
    ameans_out_of_bag: float
    n_resamples: int
    n_dropped: int

    @classmethod
    def of(cls, choices: Choices, ameans: float, plateau: tuple[float, float]) -> Stability:
        """Sum up what the resamples chose."""
        chosen = np.sort(choices.thresholds)
        told = choices.out_of_bag_ameans[~np.isnan(choices.out_of_bag_ameans)]
        out_of_bag = float(told.mean()) if told.size else _GUESS
        quantiles = np.quantile(chosen, _QUANTILES, method="inverted_cdf").tolist()
        return cls(
            thresholds=frozen(chosen),
            quantiles=dict(zip(_QUANTILES, quantiles, strict=True)),
            share_in_plateau=float(np.mean((chosen >= plateau[0]) & (chosen <= plateau[1]))),
            ameans_in_sample=ameans,
            ameans_out_of_bag=out_of_bag,
            n_resamples=len(chosen),
            n_dropped=len(chosen) - told.size,
        )

    def to_dict(self) -> dict[str, Any]:
        """Give the numbers by name, without the single thresholds."""
        names = ("quantiles", "share_in_plateau", "ameans_in_sample", "ameans_out_of_bag")
        return {name: getattr(self, name) for name in (*names, "n_resamples", "n_dropped")}

    def _shown(self) -> Shown:
        rows: list[list[Any]] = [[f"threshold, {share:.0%} below", value] for share, value in self.quantiles.items()]
        names = ("share_in_plateau", "ameans_in_sample", "ameans_out_of_bag", "n_resamples", "n_dropped")
        rows += [[name.replace("_", " "), getattr(self, name)] for name in names]
        return Shown("Stability of a best threshold", rows)

    def __repr__(self) -> str:
        return (
            f"Stability(threshold 5 % to 95 %: {self.quantiles[0.05]:.6g} to {self.quantiles[0.95]:.6g}, "
            f"ameans_in_sample={self.ameans_in_sample:.4g}, ameans_out_of_bag={self.ameans_out_of_bag:.4g}, "
            f"n_resamples={self.n_resamples})"
        )
