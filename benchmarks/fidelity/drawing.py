"""Small samples of a feature, and their test data."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from benchmarks.fidelity.cases import Case
from benchmarks.fidelity.counted import empirical_heights
from benchmarks.fidelity.sources import Array


class Draws(NamedTuple):
    """R samples of two classes, arrays of shape (R, n), and their test data, of shape (R, rest)."""

    negative: Array
    positive: Array
    rest_negative: Array
    rest_positive: Array

    def some(self, which: Array) -> "Draws":
        """Return a subset of the draws."""
        return Draws(*(rows[which] for rows in self))

    def exchanged(self) -> "Draws":
        """Return the draws with exchanged classes."""
        return Draws(self.positive, self.negative, self.rest_positive, self.rest_negative)

    def as_they_lie(self) -> Iterator["Draws"]:
        """Return the draws in two parts, by the class with larger values in the sample; this class becomes positive."""
        lower = auc(self.negative, self.positive) < 0.5
        if not lower.all():
            yield self.some(~lower)
        if lower.any():
            yield self.some(lower).exchanged()

    def truth(self) -> Array:
        """Return the empirical TPR of the test data, on the grid of FPRs."""
        return empirical_heights(self.rest_negative, self.rest_positive)

    def achieved(self, threshold: Array) -> Array:
        """Return the Ameans of one threshold per draw on the test data."""
        t = threshold[:, None]
        return ((self.rest_negative < t).mean(axis=1) + (self.rest_positive >= t).mean(axis=1)) / 2


def draw(case: Case, n: int, repeats: int) -> Draws:
    """Draw without replacement; the draws depend only on the case and n, and more repeats add draws."""
    rng = np.random.default_rng([n, case.seed])
    orders = [[rng.permutation(len(part)) for part in (case.negative, case.positive)] for _ in range(repeats)]
    rows = [np.array([part[order[k]] for order in orders]) for k, part in enumerate((case.negative, case.positive))]
    return Draws(rows[0][:, :n], rows[1][:, :n], rows[0][:, n:], rows[1][:, n:])


def auc(negative: Array, positive: Array) -> Array:
    """Return the empirical AUC of samples of shape (R, n0) and (R, n1)."""
    above, below = (positive[:, None, :] > negative[:, :, None]), (positive[:, None, :] < negative[:, :, None])
    return 0.5 + (above.mean(axis=(1, 2)) - below.mean(axis=(1, 2))) / 2
