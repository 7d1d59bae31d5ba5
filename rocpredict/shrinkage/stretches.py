"""Where the rates of shrunk pairs jump and where they run smoothly, for many features at once."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from rocpredict.arguments import FloatArray
from rocpredict.shrinkage.estimating import Estimate

_SIDE = np.concatenate([np.arange(0.5, 9.5, 0.5), [10.0, 11.0, 12.0, 14.0, 16.0, 19.0, 23.0, 29.0, 37.0]])
_PLACES = np.concatenate([-_SIDE[::-1], [0.0], _SIDE])
"""Normal scores of each model that part the axis further than the rows do."""


class Law(NamedTuple):
    """Hold one class of each feature on the transformed axis: arrays that broadcast with the thresholds asked about.

    Everything is asked at a threshold and with how many of the sample lie below it: as ``Shrunk`` answers.
    """

    cases: FloatArray
    mean: FloatArray
    std: FloatArray
    weight: FloatArray
    pull: FloatArray

    def at(self, index: Any) -> Law:
        """Give the classes of some features, or of all with another shape."""
        return Law(*(part[index] for part in self))

    def score(self, z: FloatArray, below: FloatArray) -> FloatArray:
        """Give the normal score of the part above."""
        u = (z - self.mean) / self.std
        upper = self.weight * ((self.cases - below) / self.cases) + (1 - self.weight) * ndtr(-u)
        lower = self.weight * (below / self.cases) + (1 - self.weight) * ndtr(u)
        nearer = ndtri(np.minimum(upper, lower))
        return np.asarray(np.where(upper < lower, nearer, -nearer) + self.pull)

    def log_density(self, z: FloatArray, score: FloatArray) -> FloatArray:
        """Give the logarithm of the density between the rows, but for what both classes have in common."""
        level = -(((z - self.mean) / self.std) ** 2) / 2 - np.log(self.std)
        turned = np.where(self.pull == 0, 0.0, self.pull * (np.where(np.isinf(score), 0.0, score) - self.pull / 2))
        return np.where(np.isinf(score) & (self.pull != 0), -np.inf, level - turned)


class Stretches(NamedTuple):
    """Part the axis of each feature at its rows and at places of the models: m edges, ascending.

    Attributes
    ----------
    laws : pair of Law of shape (F, 1)
        The class that lies lower, and the one that lies higher.
    z : array of shape (F, m)
        The edges, transformed.
    x : array of shape (F, n + 2)
        The rows of both classes, ascending, between -inf and inf.
    passed : array of int of shape (F, m)
        How many rows lie at or below an edge, in that order; of rows that are equal as many as came so far.
    new : array of bool of shape (F, m)
        Which edges are the first row with a value.
    below, to : pairs of arrays of shape (F, m)
        Rows of each class below an edge, and at or below it.
    at, after : pairs of arrays of shape (F, m)
        Normal scores of the part of each class at or above an edge, and above it.
    """

    laws: tuple[Law, Law]
    z: FloatArray
    x: FloatArray
    passed: NDArray[np.intp]
    new: NDArray[np.bool_]
    below: tuple[FloatArray, FloatArray]
    to: tuple[FloatArray, FloatArray]
    at: tuple[FloatArray, FloatArray]
    after: tuple[FloatArray, FloatArray]


class _Rows(NamedTuple):
    """Hold the rows of both classes in order: arrays of shape (F, n)."""

    x: FloatArray
    z: FloatArray
    new: NDArray[np.bool_]
    first: NDArray[np.intp]
    """Where the rows of this value begin, and end."""
    end: NDArray[np.intp]
    counts: tuple[FloatArray, FloatArray]
    """How many of each class are among the first 0, 1, ... n rows."""


def stretches_of(lower: FloatArray, upper: FloatArray, found: Estimate) -> Stretches:
    """Part the axes of features that were estimated from samples of shape (F, n0) and (F, n1)."""
    laws = _laws(found, lower.shape[1], upper.shape[1])
    rows = _in_order(np.concatenate([lower, upper], axis=1), found.powers.z, lower.shape[1])
    n = rows.x.shape[1]
    edges = np.concatenate([rows.z, *(law.mean + law.std * _PLACES for law in laws)], axis=1)
    order = np.argsort(edges, axis=1, kind="stable")  # of equal ones rows come first
    z, is_row = np.take_along_axis(edges, order, axis=1), order < n
    passed = np.cumsum(is_row, axis=1)
    row = np.where(is_row, passed - 1, 0)
    before, behind = (
        np.where(is_row, np.take_along_axis(ends, row, axis=1), passed) for ends in (rows.first, rows.end)
    )
    below, to = (
        (np.take_along_axis(rows.counts[0], at, axis=1), np.take_along_axis(rows.counts[1], at, axis=1))
        for at in (before, behind)
    )
    infinite = np.full((len(z), 1), np.inf)
    return Stretches(
        laws,
        z,
        np.concatenate([-infinite, rows.x, infinite], axis=1),
        passed,
        is_row & np.take_along_axis(rows.new, row, axis=1),
        below,
        to,
        (laws[0].score(z, below[0]), laws[1].score(z, below[1])),
        (laws[0].score(z, to[0]), laws[1].score(z, to[1])),
    )


def _laws(found: Estimate, n0: int, n1: int) -> tuple[Law, Law]:
    m0, s0, m1, s1 = (part[:, None] for part in found.classes)
    weight, pull = found.weighing.weight[:, None], found.pull[:, None]
    spreads = [np.where(s > 0, s, 1.0) for s in (s0, s1)]
    counts = [np.full(m0.shape, float(n)) for n in (n0, n1)]
    return Law(counts[0], m0, spreads[0], weight, -pull), Law(counts[1], m1, spreads[1], weight, pull)


def _in_order(x: FloatArray, z: FloatArray, n0: int) -> _Rows:
    """Sort the rows by the feature itself: rounding may have exchanged or parted neighbours on the transformed axis."""
    order, places = np.argsort(x, axis=1, kind="stable"), np.arange(x.shape[1])
    x, is_upper = np.take_along_axis(x, order, axis=1), order >= n0
    new, last = np.ones(x.shape, dtype=bool), np.ones(x.shape, dtype=bool)
    new[:, 1:] = last[:, :-1] = x[:, 1:] != x[:, :-1]
    first = np.maximum.accumulate(np.where(new, places, 0), axis=1)
    end = np.minimum.accumulate(np.where(last, places + 1, x.shape[1])[:, ::-1], axis=1)[:, ::-1]
    z = np.maximum.accumulate(np.take_along_axis(z, order, axis=1), axis=1)
    return _Rows(x, np.take_along_axis(z, first, axis=1), new, first, end, (_counted(~is_upper), _counted(is_upper)))


def _counted(held: NDArray[np.bool_]) -> FloatArray:
    counts = np.zeros((len(held), held.shape[1] + 1))
    np.cumsum(held, axis=1, out=counts[:, 1:])
    return counts
