"""Figures that ``auto`` is required to reach."""

from typing import NamedTuple

AT = (10, 20, 50, 100)


class Goal(NamedTuple):
    """Bounds at n = 10, 20, 50 and 100 observations per class."""

    name: str
    mode: str
    floor: tuple[float, ...]
    at_least: bool = False

    def met(self, measured: float, n: int) -> bool:
        """Return whether the goal is reached."""
        bound = self.floor[AT.index(n)]
        return measured >= bound if self.at_least else measured <= bound


GOALS = {
    "ratio": Goal("L1 error / empirical", "declared", (0.725, 0.785, 0.87, 0.92)),
    "open": Goal("L1 error / empirical, direction chosen from the sample", "chosen", (0.845, 0.878, 0.922, 0.95)),
    "win": Goal("features with a smaller error", "declared", (0.97, 0.92, 0.86, 0.80), at_least=True),
    "worse": Goal("features with an error more than 5% larger", "declared", (0.025, 0.025, 0.04, 0.05)),
    "regret": Goal("regret / empirical", "declared", (0.96, 0.95, 0.96, 0.94)),
    "bias": Goal("bias of the predicted Ameans, absolute", "declared", (0.012, 0.005, 0.005, 0.005)),
    "open_bias": Goal(
        "bias of the predicted Ameans, direction chosen from the sample", "chosen", (0.012, 0.005, 0.005, 0.005)
    ),
}
TRUST = {20: 0.77, 50: 0.87}
"""AUC with which the distance of a sample detects the features that two Gaussians do not describe."""
MISFIT = 0.03
"""Distance above which they do not describe a feature."""
