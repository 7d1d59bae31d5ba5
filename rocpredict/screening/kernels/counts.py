"""Exact comparison of sorted classes, for each feature of a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from rocpredict.base.validation import FloatArray, RocPredictError, as_float_array
from rocpredict.distributions.misfit import N_FPR
from rocpredict.screening.kernels.base import (
    Sparse,
    ThreadBuffer,
    is_canonical,
    map_ordered,
    select_engine,
    split_by_weight,
)

IntArray = NDArray[np.int64]
Indexes = NDArray[np.intp]
_INTEGER_FIELDS = ("negatives", "positives", "negatives_below", "negatives_tied", "positives_below", "positives_tied")


class GroupedValues(NamedTuple):
    """The values of b features, those of each of G groups of rows apart."""

    values: NDArray[Any]
    """Flat, float32 or float64; NaN is missing."""
    first: NDArray[np.int64]
    """Shape (b, G): where each part begins."""
    last: NDArray[np.int64]
    """Shape (b, G): where it ends."""
    zeros: NDArray[np.int64]
    """Shape (b, G): how many zeros it has besides. Where any, none is among the values, and the place before the
    first value is free."""


class RankStatistics(NamedTuple):
    """Exact counts of T class pairs and b features; arrays of shape (T, b)."""

    negatives: IntArray
    """Values that are there."""
    positives: IntArray
    area: FloatArray
    """P(positive > negative) + P(=)/2; NaN where a class is empty."""
    negative_sum_squares: FloatArray
    """Sum over the negatives of (v - area)^2, v the share of positives above, ties half; NaN as the area."""
    positive_sum_squares: FloatArray
    """The same over the positives, v the share of negatives below."""
    ties: FloatArray
    """Sum of t^3 - t over groups of t tied values of both classes together."""
    negatives_below: IntArray
    """Values below the threshold given; 0 without one."""
    negatives_tied: IntArray
    """Values equal to it."""
    positives_below: IntArray
    positives_tied: IntArray
    tpr_grid: FloatArray
    """Shape (T, b, N_FPR): TPR at the FPRs of ``distributions.misfit``; NaN as the area."""


def empty_counts(shape: tuple[int, ...]) -> RankStatistics:
    """Return counts of no values."""
    arrays: Any = (np.zeros(shape, np.int64 if name in _INTEGER_FIELDS else float) for name in RankStatistics._fields)
    counts = RankStatistics(*arrays)._replace(tpr_grid=np.full((*shape, N_FPR), np.nan))
    for undefined in (counts.area, counts.negative_sum_squares, counts.positive_sum_squares):
        undefined[:] = np.nan
    return counts


def to_sortable_float(values: NDArray[Any]) -> NDArray[Any]:
    """Convert values to float32 where that holds them exactly, else as float64."""
    if values.dtype in {np.dtype(np.float32), np.dtype(np.float64)}:
        return values
    if values.dtype.itemsize <= 4:
        return values.astype(np.float32 if values.dtype.itemsize <= 2 else np.float64)
    return as_float_array("X", values)


class ClassPair(NamedTuple):
    """Classes that are compared with each other."""

    negative: tuple[int, ...]
    """Class codes that together are the negatives."""
    positive: int
    """One class code."""

    @property
    def classes(self) -> tuple[int, ...]:
        """Return all class codes, ascending."""
        return tuple(sorted((*self.negative, self.positive)))


class SortGroups(NamedTuple):
    """Sets of classes whose rows are sorted together, and the pairs of them that are compared."""

    members: tuple[tuple[int, ...], ...]
    """The class codes of each of the G groups; single classes come first."""
    pairs: Indexes
    """Shape (T, 3): group of the negatives, group of the positives, and 1 where the first includes the second."""
    sizes: Indexes
    """Rows of each group."""

    @property
    def bounds(self) -> Indexes:
        """Return the start of each group when all lie one after the other, and the end of the last."""
        return np.concatenate([[0], np.cumsum(self.sizes)])


def plan_groups(codes: NDArray[Any], classes: int, class_pairs: Sequence[ClassPair]) -> SortGroups:
    """Plan which groups to sort, each as few times as the class pairs allow.

    Several classes against a further one are sorted as one group. Where several class pairs divide the same classes
    (one against the rest), all of these classes are one group, from which each class pair takes its positives out.
    """
    shared = Counter(class_pair.classes for class_pair in class_pairs if len(class_pair.negative) > 1)
    pair_groups = [
        class_pair.classes
        if shared[class_pair.classes] > 1 < len(class_pair.negative)
        else tuple(sorted(class_pair.negative))
        for class_pair in class_pairs
    ]
    positives = [(class_pair.positive,) for class_pair in class_pairs]
    members = sorted({*pair_groups, *positives}, key=lambda group: (len(group), group))
    place = {group: index for index, group in enumerate(members)}
    pairs = [
        (place[groups_of_pair], place[positive], int(positive[0] in groups_of_pair))
        for groups_of_pair, positive in zip(pair_groups, positives, strict=True)
    ]
    rows = np.bincount(codes[codes >= 0], minlength=classes)
    sizes = np.array([rows[list(group)].sum() for group in members], dtype=np.intp)
    return SortGroups(tuple(members), np.array(pairs, dtype=np.intp).reshape(-1, 3), sizes)


def group_rows(groups: SortGroups, codes: NDArray[Any]) -> NDArray[np.int32]:
    """Return the rows of one group after the other, ascending within each."""
    rows = np.empty(groups.sizes.sum(), dtype=np.int32)
    for group, start, stop in zip(groups.members, groups.bounds, groups.bounds[1:], strict=False):
        rows[start:stop] = np.flatnonzero(np.isin(codes, group) if len(group) > 1 else codes == group[0])
    return rows


class GroupLayer(NamedTuple):
    """Groups without a row in common."""

    groups: tuple[int, ...]
    labels: NDArray[np.int32]
    """Group of each row, shape (n,), by its place among these groups; their number for none."""


def layers(groups: SortGroups, codes: NDArray[Any]) -> list[GroupLayer]:
    """Divide the groups into layers: the single classes, and each further group by itself."""
    single = tuple(index for index, group in enumerate(groups.members) if len(group) == 1)
    highest, result = max(int(codes.max(initial=0)), *map(max, groups.members)), []
    for layer in (single, *((index,) for index, group in enumerate(groups.members) if len(group) > 1)):
        labels = np.full(highest + 2, len(layer), dtype=np.int32)
        for place, index in enumerate(layer):
            labels[list(groups.members[index])] = place
        result.append(GroupLayer(layer, labels[codes]))  # the code -1 takes the last place, which no class has
    return result


BLOCK_BYTES = 12_000_000
"""Values of a block of columns, which a thread holds."""
PANEL_BYTES = 24_000_000, 160_000_000
"""Values that are turned from rows to columns at once: the more rows, the more, since each row is looked at anew."""
MAX_BLOCK_COLUMNS = 512


class Reader(NamedTuple):
    """Columns of a table that are read in blocks."""

    start: int
    """The first column."""
    column_bytes: NDArray[Any]
    """Memory that the values of each column take."""
    read: Callable[[slice], GroupedValues]
    """Return the sorted values of each group in a block of these columns."""


def make_readers(X: Any, codes: NDArray[Any], groups: SortGroups, engine: Any) -> Iterator[Reader]:
    """Yield readers of the columns, one panel after the other."""
    if isinstance(X, np.ndarray):
        yield _dense_reader(np.asarray(X), group_rows(groups, codes), groups, engine)
        return
    layered = layers(groups, codes)
    if X.dtype.itemsize > 8 or not X.dtype.isnative:
        X = type(X)((as_float_array("X", X.data), X.indices, X.indptr), shape=X.shape)
    if X.format == "csc":
        yield _csc_reader(X, 0, layered, groups, engine)
    elif hasattr(engine, "partition_csr") and is_canonical(X):
        yield from _csr_readers(X, layered, groups, engine)
    else:
        width = max(1, int(PANEL_BYTES[0] / X.data.itemsize * X.shape[1] / max(1, X.nnz)))
        for start in range(0, X.shape[1], width):
            yield _csc_reader(X[:, start : start + width].tocsc(), start, layered, groups, engine)


def _dense_reader(X: NDArray[Any], rows: NDArray[np.int32], groups: SortGroups, engine: Any) -> Reader:
    scratch = ThreadBuffer()

    def read(block: slice) -> GroupedValues:
        shape = block.stop - block.start, len(rows)
        table = scratch.allocate(shape[0] * shape[1], X.dtype).reshape(shape)
        engine.gather(X, rows, block, table)
        table = to_sortable_float(table)
        for start, stop in pairwise(groups.bounds):
            table[:, start:stop].sort(axis=1)
        first = np.arange(shape[0])[:, None] * shape[1] + groups.bounds[:-1]
        return GroupedValues(table.ravel(), first, first + groups.sizes, np.zeros_like(first))

    return Reader(0, np.full(X.shape[1], max(1, len(rows)) * X.itemsize), read)


def _csc_reader(X: Any, start: int, layered: list[GroupLayer], groups: SortGroups, engine: Any) -> Reader:
    scratch, canonical = ThreadBuffer(), is_canonical(X)

    def capacities(stored: NDArray[Any]) -> NDArray[np.int64]:
        return np.asarray(np.minimum(stored[:, None], groups.sizes) + 1, dtype=np.int64)

    def read(block: slice) -> GroupedValues:
        if canonical:
            bounds = X.indptr[block.start : block.stop + 1]
            inside = slice(bounds[0], bounds[-1])
            table = Sparse(X.data[inside], X.indices[inside], bounds - bounds[0])
        else:
            copy = X[:, block]
            copy.sum_duplicates()
            table = Sparse(copy.data, copy.indices, copy.indptr)
        lengths = capacities(np.diff(table.indptr))
        first = np.cumsum(lengths).reshape(lengths.shape) - lengths + 1
        values = scratch.allocate(int(lengths.sum()) + 1, table.data.dtype)
        last = engine.partition_csc(table, layered, first, values)
        return _sort_groups(GroupedValues(to_sortable_float(values), first, last, groups.sizes - (last - first)))

    return Reader(start, capacities(np.diff(X.indptr)).sum(axis=1) * X.data.itemsize, read)


def _csr_readers(X: Any, layered: list[GroupLayer], groups: SortGroups, engine: Any) -> Iterator[Reader]:
    """Turn rows into columns, panel by panel, in one pass over the rows."""
    table, shape = Sparse(X.data, X.indices, X.indptr), (X.shape[1], len(groups.sizes))
    capacities = engine.count(table, layered, shape) + 1
    scratch, cursors = ThreadBuffer(), X.indptr[:-1].astype(np.int64)
    most = np.clip(16 * X.shape[0], *PANEL_BYTES)
    for panel in split_by_weight(capacities.sum(axis=1) * X.data.itemsize, float(most)):
        bounds = np.cumsum(capacities[panel]).reshape(-1, shape[1])
        first = bounds - capacities[panel] + 1
        values = scratch.allocate(int(capacities[panel].sum()) + 1, X.data.dtype)
        last = engine.partition_csr(table, cursors, panel, layered, first, values)
        read = partial(_read_panel, values, first, last, groups.sizes)
        yield Reader(panel.start, (last - first).sum(axis=1) * values.itemsize, read)


def _read_panel(
    values: NDArray[Any],
    first: NDArray[np.int64],
    last: NDArray[np.int64],
    sizes: NDArray[np.intp],
    block: slice,
) -> GroupedValues:
    first, last = first[block], last[block]
    low, high = max(0, int(first.min()) - 1), int(last.max())
    part = to_sortable_float(values[low:high])
    return _sort_groups(GroupedValues(part, first - low, last - low, sizes - (last - first)))


def _sort_groups(parts: GroupedValues) -> GroupedValues:
    for first, last in zip(parts.first.ravel().tolist(), parts.last.ravel().tolist(), strict=True):
        parts.values[first:last].sort()
    return parts


Output = TypeVar("Output")


def count_blocks(
    X: Any,
    codes: NDArray[np.integer[Any]],
    classes: int,
    class_pairs: Sequence[ClassPair],
    thresholds: FloatArray | None = None,
    *,
    engine: str = "auto",
    n_jobs: int = 1,
    callback: Callable[[slice, RankStatistics], Output],
) -> Iterator[Output]:
    """Count block after block of the features of a table.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, p)
        Real numbers, dense in any order, or CSC or CSR. NaN is missing; infinities are ranked. Never written to,
        nor copied whole.
    codes : array of shape (n,)
        The class of each row, from 0 on; -1 for a row of no class.
    classes : int
        How many classes there are.
    class pairs : sequence of ClassPair
        T of them.
    thresholds : array of shape (T, p), optional
        Compared as float64, whatever the dtype of X; NaN for none.
    engine : {"auto", "numpy", "numba"}
    n_jobs : int
        Threads. The answer does not depend on it.
    callback : callable
        Called with the columns of each block and its counts, in the thread that counted it.

    Yields
    ------
    Output
        What ``callback`` returns, in the order of the features.

    Raises
    ------
    RocPredictError
        An unknown engine, integers that float64 cannot hold, thresholds of another shape.

    Notes
    -----
    Each class is sorted by itself, and two sorted classes are counted in one pass. Sums are those of whole numbers
    and exact; variances are those of DeLong, DeLong and Clarke-Pearson (1988), from placement values as in Sun and
    Xu (2014). Of a sparse column only what is stored is sorted; its zeros are one block of ties.

    Examples
    --------
    >>> X, codes = np.array([[1.0], [2.0], [2.0], [3.0]]), np.array([0, 0, 1, 1])
    >>> blocks = count_blocks(X, codes, 2, [ClassPair((0,), 1)], callback=lambda columns, counts: counts.area)
    >>> next(blocks)
    array([[0.875]])
    """
    module = import_module(f"rocpredict.screening.kernels.{select_engine(engine)}_engine")
    groups, shape = plan_groups(codes, classes, class_pairs), (len(class_pairs), X.shape[1])
    at = np.full(shape, np.nan) if thresholds is None else np.asarray(thresholds, dtype=np.float64)
    if at.shape != shape:
        raise RocPredictError(f"thresholds has shape {at.shape}; give one for each class pair and feature: {shape}")

    for reader in make_readers(X, codes, groups, module):

        def count(block: slice, reader: Reader = reader) -> Output:
            columns = slice(reader.start + block.start, reader.start + block.stop)
            counts = empty_counts((shape[0], columns.stop - columns.start))
            module.count_class_pairs(reader.read(block), groups.pairs, at[:, columns], counts)
            return callback(columns, counts)

        yield from map_ordered(count, split_by_weight(reader.column_bytes, BLOCK_BYTES, MAX_BLOCK_COLUMNS), n_jobs)
