"""Read a table in blocks of columns, each cut into the parts of its groups and sorted."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from threading import local
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from rocpredict.arguments import to_floats
from rocpredict.kernels.counts.groups import Groups, Layer, layers, rows_in_order
from rocpredict.kernels.counts.parts import Parts, Sparse, sortable

BLOCK_BYTES = 12_000_000
"""Values of a block of columns, which a thread holds."""
PANEL_BYTES = 24_000_000, 160_000_000
"""Values that are turned from rows to columns at once: the more rows, the more, since each row is looked at anew."""
MOST_COLUMNS = 512


class Scratch(local):
    """Memory that a thread uses for one block after the other: fresh pages cost as much as sorting."""

    room: NDArray[np.uint8] = np.empty(0, dtype=np.uint8)

    def take(self, size: int, dtype: np.dtype[Any]) -> NDArray[Any]:
        """Give an array with anything in it (whole numbers: 0), which takes the place of the one before."""
        if len(self.room) < size * dtype.itemsize:
            self.room = np.empty(size * dtype.itemsize, dtype=np.uint8)
        taken = self.room[: size * dtype.itemsize].view(dtype)
        if dtype.kind in "iu":  # what is left over is checked for lost digits together with the values
            taken[:] = 0
        return taken


class Reader(Protocol):
    """A table, or a panel of its columns."""

    @property
    def blocks(self) -> list[slice]:
        """Give the blocks of columns, in order."""
        ...

    def read(self, block: slice) -> Parts:
        """Give the sorted parts of a block."""
        ...


def readers(X: Any, codes: NDArray[Any], groups: Groups, engine: Any) -> Iterator[Reader]:
    """Give what reads the columns, one panel after the other."""
    if isinstance(X, np.ndarray):
        yield _Dense(np.asarray(X), rows_in_order(groups, codes), groups, engine, Scratch())
        return
    layered = layers(groups, codes)
    if X.dtype.itemsize > 8 or not X.dtype.isnative:
        X = type(X)((to_floats("X", X.data), X.indices, X.indptr), shape=X.shape)
    if X.format == "csc":
        yield _ByColumn(X, _is_canonical(X), layered, groups, engine, Scratch())
        return
    yield from _panels(X, layered, groups, engine)


def cut(weights: NDArray[Any], most: float, longest: int | None = None) -> list[slice]:
    """Cut a row of weights into slices that weigh no more than ``most``, unless a single one does."""
    ends = np.concatenate([[0], np.cumsum(weights)])
    slices, start = [], 0
    while start < len(weights):
        stop = max(start + 1, int(np.searchsorted(ends, ends[start] + most, side="right")) - 1)
        stop = min(stop, start + longest) if longest else stop
        slices.append(slice(start, stop))
        start = stop
    return slices


class _Dense(NamedTuple):
    X: NDArray[Any]
    rows: NDArray[np.int32]
    groups: Groups
    engine: Any
    scratch: Scratch

    @property
    def blocks(self) -> list[slice]:
        weight = max(1, len(self.rows)) * self.X.itemsize
        return cut(np.full(self.X.shape[1], weight), BLOCK_BYTES, MOST_COLUMNS)

    def read(self, block: slice) -> Parts:
        features, bounds = block.stop - block.start, self.groups.bounds
        shape = features, len(self.rows)
        table = self.scratch.take(shape[0] * shape[1], self.X.dtype).reshape(shape)
        self.engine.gather(self.X, self.rows, block, table)
        table = sortable(table)
        for start, stop in pairwise(bounds):
            table[:, start:stop].sort(axis=1)
        first = np.arange(features)[:, None] * table.shape[1] + bounds[:-1]
        return Parts(table.ravel(), first, first + self.groups.sizes, np.zeros_like(first))


class _ByColumn(NamedTuple):
    X: Any
    canonical: bool
    layers: list[Layer]
    groups: Groups
    engine: Any
    scratch: Scratch

    @property
    def blocks(self) -> list[slice]:
        room = self._room(np.diff(self.X.indptr))
        return cut(room.sum(axis=1) * self.X.data.itemsize, BLOCK_BYTES, MOST_COLUMNS)

    def read(self, block: slice) -> Parts:
        table = self._columns(block)
        room = self._room(np.diff(table.indptr))
        ends = np.cumsum(room).reshape(room.shape)
        first = ends - room + 1
        values = self.scratch.take(int(room.sum()) + 1, table.data.dtype)
        last = self.engine.split(table, self.layers, first, values)
        return _sorted(Parts(sortable(values), first, last, self.groups.sizes - (last - first)))

    def _columns(self, columns: slice) -> Sparse:
        if self.canonical:
            bounds = self.X.indptr[columns.start : columns.stop + 1]
            inside = slice(bounds[0], bounds[-1])
            return Sparse(self.X.data[inside], self.X.indices[inside], bounds - bounds[0])
        table = self.X[:, columns]
        table.sum_duplicates()
        return Sparse(table.data, table.indices, table.indptr)

    def _room(self, stored: NDArray[Any]) -> NDArray[np.int64]:
        return np.asarray(np.minimum(stored[:, None], self.groups.sizes) + 1, dtype=np.int64)


class _Panel(NamedTuple):
    """Columns that were written out of rows: blocks are taken out of it."""

    values: NDArray[Any]
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    sizes: NDArray[np.intp]
    begin: int

    @property
    def blocks(self) -> list[slice]:
        weights = (self.last - self.first).sum(axis=1) * self.values.itemsize
        own = cut(weights, BLOCK_BYTES, MOST_COLUMNS)
        return [slice(self.begin + block.start, self.begin + block.stop) for block in own]

    def read(self, block: slice) -> Parts:
        own = slice(block.start - self.begin, block.stop - self.begin)
        first, last = self.first[own], self.last[own]
        low, high = max(0, int(first.min()) - 1), int(last.max())
        values = sortable(self.values[low:high])
        return _sorted(Parts(values, first - low, last - low, self.sizes - (last - first)))


def _panels(X: Any, layered: list[Layer], groups: Groups, engine: Any) -> Iterator[_Panel]:
    """Turn rows into columns, panel by panel, in one pass over the rows."""
    if not _is_canonical(X):
        yield from _copied_panels(X, layered, groups, engine)
        return
    table, shape = Sparse(X.data, X.indices, X.indptr), (X.shape[1], len(groups.sizes))
    room = engine.count(table, layered, shape) + 1
    scratch, cursors = Scratch(), X.indptr[:-1].astype(np.int64)
    most = np.clip(16 * X.shape[0], *PANEL_BYTES)
    for panel in cut(room.sum(axis=1) * X.data.itemsize, float(most)):
        ends = np.cumsum(room[panel]).reshape(-1, shape[1])
        first = ends - room[panel] + 1
        values = scratch.take(int(room[panel].sum()) + 1, X.data.dtype)
        last = engine.scatter(table, cursors, panel, layered, first, values)
        yield _Panel(values, first, last, groups.sizes, panel.start)


def _copied_panels(X: Any, layered: list[Layer], groups: Groups, engine: Any) -> Iterator[_Panel]:
    """Copy columns that hold duplicates before they are turned."""
    each = max(1, int(PANEL_BYTES[0] / X.data.itemsize * X.shape[1] / max(1, X.nnz)))
    for start in range(0, X.shape[1], each):
        part = X[:, start : start + each]
        part.sum_duplicates()
        for panel in _panels(part, layered, groups, engine):
            yield panel._replace(begin=panel.begin + start)


def _is_canonical(X: Any) -> bool:
    """Tell whether no place is stored twice; not asked of X itself, on which scipy would note the answer."""
    return bool(type(X)((X.data, X.indices, X.indptr), shape=X.shape, copy=False).has_canonical_format)


def _sorted(parts: Parts) -> Parts:
    for first, last in zip(parts.first.ravel().tolist(), parts.last.ravel().tolist(), strict=True):
        parts.values[first:last].sort()
    return parts
