"""Which rows are sorted together, so that contrasts share what they can."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Indexes = NDArray[np.intp]


class Contrast(NamedTuple):
    """Which classes are set against each other."""

    negative: tuple[int, ...]
    """Class codes that together are the negatives."""
    positive: int
    """One class code."""


class Groups(NamedTuple):
    """Sets of classes whose rows are sorted together, and the pairs of them that are compared."""

    members: tuple[tuple[int, ...], ...]
    """The class codes of each of the G groups; single classes come first."""
    pairs: Indexes
    """Shape (T, 3): group of the negatives, group of the positives, and 1 where the first includes the second."""
    sizes: Indexes
    """Rows of each group."""

    @property
    def bounds(self) -> Indexes:
        """Give where each group begins when all lie one after the other; the last is where they end."""
        return np.concatenate([[0], np.cumsum(self.sizes)])


def grouped(codes: NDArray[Any], classes: int, contrasts: Sequence[Contrast]) -> Groups:
    """Plan which groups to sort: each as few times as the contrasts allow.

    Several classes against a further one are sorted as one group. Where several contrasts divide the same classes
    (one against the rest), all of these classes are one group, from which each contrast takes its positives out.
    """
    sides = [_negatives(contrast, _shared(contrasts)) for contrast in contrasts]
    positives = [(contrast.positive,) for contrast in contrasts]
    members = sorted({*sides, *positives}, key=lambda group: (len(group), group))
    place = {group: index for index, group in enumerate(members)}
    pairs = [
        (place[side], place[positive], int(positive[0] in side))
        for side, positive in zip(sides, positives, strict=True)
    ]
    rows = np.bincount(codes[codes >= 0], minlength=classes)
    sizes = np.array([rows[list(group)].sum() for group in members], dtype=np.intp)
    return Groups(tuple(members), np.array(pairs, dtype=np.intp).reshape(-1, 3), sizes)


def rows_in_order(groups: Groups, codes: NDArray[Any]) -> NDArray[np.int32]:
    """Give the rows of one group after the other, ascending within each."""
    rows = np.empty(groups.sizes.sum(), dtype=np.int32)
    for group, start, stop in zip(groups.members, groups.bounds, groups.bounds[1:], strict=False):
        rows[start:stop] = np.flatnonzero(np.isin(codes, group) if len(group) > 1 else codes == group[0])
    return rows


class Layer(NamedTuple):
    """Groups without a row in common."""

    groups: tuple[int, ...]
    labels: NDArray[np.int32]
    """Which of these groups each row belongs to, shape (n,), by its place among them; their number for none."""


def layers(groups: Groups, codes: NDArray[Any]) -> list[Layer]:
    """Part the groups into layers: the single classes, and each further group by itself."""
    single = [index for index, group in enumerate(groups.members) if len(group) == 1]
    several = [[index] for index, group in enumerate(groups.members) if len(group) > 1]
    return [_layer(groups, codes, layer) for layer in (single, *several)]


def _layer(groups: Groups, codes: NDArray[Any], layer: list[int]) -> Layer:
    highest = max(int(codes.max(initial=0)), *map(max, groups.members))
    table = np.full(highest + 2, len(layer), dtype=np.int32)
    for place, index in enumerate(layer):
        table[list(groups.members[index])] = place
    return Layer(tuple(layer), table[codes])  # the code -1 takes the last place, which no class has


def _shared(contrasts: Sequence[Contrast]) -> Counter[tuple[int, ...]]:
    """Count how many contrasts with several negative classes divide the same classes."""
    return Counter(_all_of(contrast) for contrast in contrasts if len(contrast.negative) > 1)


def _negatives(contrast: Contrast, shared: Counter[tuple[int, ...]]) -> tuple[int, ...]:
    together = _all_of(contrast)
    return together if shared[together] > 1 and len(contrast.negative) > 1 else tuple(sorted(contrast.negative))


def _all_of(contrast: Contrast) -> tuple[int, ...]:
    return tuple(sorted((*contrast.negative, contrast.positive)))
