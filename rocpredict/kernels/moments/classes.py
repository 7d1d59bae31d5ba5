"""Which rows belong to which class."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_FEW = 8
"""Up to how many classes a look at all codes for each class is cheaper than to sort them."""
_SAMPLE = 25
"""Rows of a class that may be asked for a value."""


def class_rows(codes: NDArray[Any], classes: int) -> Iterator[NDArray[np.intp]]:
    """List the rows of each class in turn, ascending; rows of no class have code -1."""
    if classes <= _FEW:
        yield from (np.flatnonzero(codes == k) for k in range(classes))
        return
    order = np.argsort(codes, kind="stable")
    ends = np.searchsorted(codes[order], np.arange(classes + 1))
    yield from (order[start:stop] for start, stop in pairwise(ends))


class Classes(NamedTuple):
    """The class of each row; how many rows each class has, and some of them from the first to the last.

    Rows are listed piece by piece only: the codes of a long table are small, its lists of rows are not.
    """

    codes: NDArray[Any]
    counts: NDArray[np.intp]
    samples: list[NDArray[np.intp]]

    @classmethod
    def of(cls, codes: NDArray[Any], classes: int) -> Classes:
        """Look through the codes, 0 to ``classes`` - 1, or -1 for rows of no class."""
        codes = codes.astype(np.int8 if classes <= np.iinfo(np.int8).max else np.intp, copy=False)
        counts, samples = np.zeros(classes, np.intp), []
        for k, rows in enumerate(class_rows(codes, classes)):
            counts[k] = len(rows)
            samples.append(rows[np.unique(np.linspace(0, max(len(rows) - 1, 0), min(_SAMPLE, len(rows))).astype(int))])
        return cls(codes, counts, samples)
