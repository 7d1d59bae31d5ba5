"""Exact rank statistics of all class pairs and features of a table, computed from sorted values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from rocpredict.base.validation import FloatArray, RocPredictError, as_float_array
from rocpredict.distributions.ecdf import N_FPR
from rocpredict.screening.kernels.base import Sparse, ThreadBuffer, is_canonical, select_engine
from rocpredict.sources.blocks import block_slices, contiguous_runs, map_ordered, split_by_weight, split_evenly

IntArray = NDArray[np.int64]
Indexes = NDArray[np.intp]
_INTEGER_FIELDS = ("negatives", "positives", "negatives_below", "negatives_tied", "positives_below", "positives_tied")


class GroupedValues(NamedTuple):
    """Values of b features, divided into G groups of rows."""

    values: NDArray[Any]
    """One-dimensional array of float32 or float64; NaN marks a missing value."""
    first: NDArray[np.int64]
    """Index of the first value of each part (the values of one feature in one group), shape (b, G)."""
    last: NDArray[np.int64]
    """Index after the last value of each part, shape (b, G)."""
    zeros: NDArray[np.int64]
    """Number of zeros of each part that are not stored in ``values``, shape (b, G).

    If this number is above 0, no zero of the part is stored, and the element before the first value of the part is
    unused."""
    rows: NDArray[Any] | None = None
    """Row of each value, or None if the values are divided into parts.

    With rows, the values of a feature are not divided: ``first`` and ``last`` have shape (b, 1), values may be 0, and
    ``zeros`` contains the number of rows of each group."""
    labels: NDArray[np.int32] | None = None
    """Index of the group of each row; G for rows outside of all groups."""


class RankStatistics(NamedTuple):
    """Rank statistics for T class pairs and b features, as arrays of shape (T, b)."""

    negatives: IntArray
    """Number of negatives with a value other than NaN."""
    positives: IntArray
    """Number of positives with a value other than NaN."""
    area: FloatArray
    """Empirical AUC, P(positive > negative) + P(equal)/2.

    The AUC and the sums of squares are NaN if a class has no values."""
    negative_sum_squares: FloatArray
    """Sum of (v - area)^2 over the negatives; v is the proportion of positives above the negative (ties count 1/2)."""
    positive_sum_squares: FloatArray
    """Sum of (v - area)^2 over the positives; v is the proportion of negatives below the positive (ties count 1/2)."""
    ties: FloatArray
    """Sum of t^3 - t over groups of t tied values in both classes together."""
    negatives_below: IntArray
    """Number of negatives below the threshold; 0 without a threshold."""
    negatives_tied: IntArray
    """Number of negatives equal to the threshold; 0 without a threshold."""
    positives_below: IntArray
    positives_tied: IntArray
    tpr_grid: FloatArray
    """TPRs of the empirical curve at the FPRs ``COMPARISON_FPR``, shape (T, b, N_FPR); NaN if the AUC is NaN."""


def empty_counts(shape: tuple[int, ...]) -> RankStatistics:
    """Return the rank statistics of classes without values."""
    arrays: Any = (np.zeros(shape, np.int64 if name in _INTEGER_FIELDS else float) for name in RankStatistics._fields)
    counts = RankStatistics(*arrays)._replace(tpr_grid=np.full((*shape, N_FPR), np.nan))
    for undefined in (counts.area, counts.negative_sum_squares, counts.positive_sum_squares):
        undefined[:] = np.nan
    return counts


def to_sortable_float(values: NDArray[Any]) -> NDArray[Any]:
    """Convert values to float32 if the conversion is exact, and to float64 otherwise."""
    if values.dtype in {np.dtype(np.float32), np.dtype(np.float64)}:
        return values
    if values.dtype.itemsize <= 4:
        return values.astype(np.float32 if values.dtype.itemsize <= 2 else np.float64)
    return as_float_array("X", values)


class ClassPair(NamedTuple):
    """Codes of the negative classes and of the positive class."""

    negative: tuple[int, ...]
    """Class codes of the negatives."""
    positive: int
    """Class code of the positives."""

    @property
    def classes(self) -> tuple[int, ...]:
        """All class codes, in ascending order."""
        return tuple(sorted((*self.negative, self.positive)))


class SortGroups(NamedTuple):
    """Sets of classes whose rows are sorted together, and the pairs of sets that are compared."""

    members: tuple[tuple[int, ...], ...]
    """Class codes of each of the G groups; single classes are first."""
    pairs: Indexes
    """For each of T pairs, the index of the negative group, the index of the positive group, and 1 or 0.

    The last number is 1 if the negative group includes the positive class."""
    sizes: Indexes
    """Number of rows of each group."""
    unions: tuple[Indexes, ...] = ()
    """Sets of groups that the engine merges.

    If the negative group of a pair includes the positive class, the index of this group in ``pairs`` is the index of
    one of these sets."""

    @property
    def are_joined(self) -> bool:
        """True if the engine merges the groups of all pairs; the groups are then not sorted beforehand."""
        return bool(self.unions) and bool(self.pairs[:, 2].all())

    @property
    def bounds(self) -> Indexes:
        """Start of each group in the concatenation of all groups, and the end of the last group."""
        return np.concatenate([[0], np.cumsum(self.sizes)])


@dataclass
class SortPlan:
    """Groups to sort, their row indices, and the threads with their buffers. All blocks of a table share this plan."""

    groups: SortGroups | None = None
    rows: NDArray[np.int32] | None = None
    values: ThreadBuffer = field(default_factory=ThreadBuffer)
    keys: ThreadBuffer = field(default_factory=ThreadBuffer)
    labels: NDArray[np.uint8] | None = None
    """0 for the negatives and 1 for the positives, or None if the rows are not those of one class pair."""
    pool: ThreadPoolExecutor | None = None


def plan_groups(
    codes: NDArray[Any], classes: int, class_pairs: Sequence[ClassPair], *, joins: bool = False
) -> SortGroups:
    """Choose which classes are sorted together, so that as few sorts as possible are needed.

    The negative classes of a class pair form one group. If several class pairs consist of the same classes, as in
    comparisons of one class against the rest, all of these classes form one group. For each of these class pairs, the
    positives are then removed from the sorted values of the group. If ``joins`` is True, each of these groups is
    split into its classes, and the engine itself joins and sorts the values of these classes.
    """
    shared = Counter(class_pair.classes for class_pair in class_pairs if len(class_pair.negative) > 1)
    pair_groups = [
        class_pair.classes
        if shared[class_pair.classes] > 1 < len(class_pair.negative)
        else tuple(sorted(class_pair.negative))
        for class_pair in class_pairs
    ]
    positives = [(class_pair.positive,) for class_pair in class_pairs]
    joined = {g for g, positive in zip(pair_groups, positives, strict=True) if positive[0] in g} if joins else set()
    parts = {(code,) for group in joined for code in group}
    members = sorted({*pair_groups, *positives, *parts} - joined, key=lambda group: (len(group), group))
    place = {group: index for index, group in enumerate(members)}
    unions = tuple(np.array([place[code,] for code in group]) for group in sorted(joined))
    place |= {group: index for index, group in enumerate(sorted(joined))}
    pairs = [
        (place[groups_of_pair], place[positive], int(positive[0] in groups_of_pair))
        for groups_of_pair, positive in zip(pair_groups, positives, strict=True)
    ]
    rows = np.bincount(codes[codes >= 0], minlength=classes)
    sizes = np.array([rows[list(group)].sum() for group in members], dtype=np.intp)
    return SortGroups(tuple(members), np.array(pairs, dtype=np.intp).reshape(-1, 3), sizes, unions)


_ROWS_AT_A_TIME = 65_536


def group_rows(groups: SortGroups, codes: NDArray[Any]) -> NDArray[np.int32]:
    """Return the concatenated row indices of all groups, in ascending order within each group."""
    rows = np.empty(groups.sizes.sum(), dtype=np.int32)
    end = 0
    for group in groups.members:
        for part in block_slices(len(codes), _ROWS_AT_A_TIME):  # indices of all rows at once would take more memory
            own = np.flatnonzero(np.isin(codes[part], group) if len(group) > 1 else codes[part] == group[0])
            rows[end : end + len(own)] = own + part.start
            end += len(own)
    return rows


class GroupLayer(NamedTuple):
    """Disjoint groups of rows."""

    groups: tuple[int, ...]
    labels: NDArray[np.int32]
    """Position in ``groups`` of the group that contains each row, shape (n,); ``len(groups)`` for other rows."""


def layers(groups: SortGroups, codes: NDArray[Any]) -> list[GroupLayer]:
    """Divide the groups into layers of disjoint groups.

    The first layer contains all groups that consist of a single class. Each group of several classes forms a layer of
    its own.
    """
    single = tuple(index for index, group in enumerate(groups.members) if len(group) == 1)
    highest, result = max(int(codes.max(initial=0)), *map(max, groups.members)), []
    for layer in (single, *((index,) for index, group in enumerate(groups.members) if len(group) > 1)):
        labels = np.full(highest + 2, len(layer), dtype=np.int32)
        for place, index in enumerate(layer):
            labels[list(groups.members[index])] = place
        result.append(GroupLayer(layer, labels[codes]))  # code -1 selects the last element, "no class"
    return result


BLOCK_BYTES = 12_000_000
"""Size of a block of columns that one thread processes at a time."""
LINES_BYTES = 32_000_000
"""Size of such a block if both classes of a column are sorted together, without a copy of the block."""
PANEL_BYTES = 24_000_000, 160_000_000
"""Smallest and largest size of a panel of columns, which is converted to CSC format in one pass over all rows."""
MAX_BLOCK_COLUMNS = 512


class Reader(NamedTuple):
    """Reader that reads adjacent columns of a table in blocks."""

    start: int
    """Index of the first column."""
    column_bytes: NDArray[Any]
    """Number of bytes that the values of each column need."""
    read: Callable[[slice], GroupedValues]
    """Function that returns the values of each group in a block of these columns, sorted unless groups are joined."""


def make_readers(X: Any, codes: NDArray[Any], groups: SortGroups, plan: SortPlan, engine: Any) -> Iterator[Reader]:
    """Yield readers of all columns, one for each panel of adjacent columns."""
    if isinstance(X, np.ndarray):
        if plan.rows is None:
            plan.rows = group_rows(groups, codes)
            is_pair = len(groups.pairs) == 1 and not groups.pairs[0, 2] and len(plan.rows) == len(codes)
            if is_pair and hasattr(engine, "count_two_classes"):
                plan.labels = np.zeros(len(codes), dtype=np.uint8)
                plan.labels[plan.rows[slice(*groups.bounds[groups.pairs[0, 1] :][:2])]] = 1
        yield _dense_reader(np.asarray(X), plan, groups, engine)
        return
    layered = layers(groups, codes)
    if X.dtype.itemsize > 8 or not X.dtype.isnative:
        X = type(X)((as_float_array("X", X.data), X.indices, X.indptr), shape=X.shape)
    if X.format == "csc":
        yield _csc_reader(X, 0, layered, plan, engine)
    elif hasattr(engine, "partition_csr") and is_canonical(X):
        yield from _csr_readers(X, layered, plan, engine)
    else:
        width = max(1, int(PANEL_BYTES[0] / X.data.itemsize * X.shape[1] / max(1, X.nnz)))
        for start in range(0, X.shape[1], width):
            yield _csc_reader(X[:, start : start + width].tocsc(), start, layered, plan, engine)


def _dense_reader(X: NDArray[Any], plan: SortPlan, groups: SortGroups, engine: Any) -> Reader:
    rows: Any = plan.rows

    def read(block: slice) -> GroupedValues:
        shape = block.stop - block.start, len(rows)
        table = plan.values.allocate(shape[0] * shape[1], X.dtype).reshape(shape)
        engine.gather(X, rows, groups.bounds, block, table)
        first = np.arange(shape[0])[:, None] * shape[1] + groups.bounds[:-1]
        values = to_sortable_float(table).ravel()
        return _sort_parts(GroupedValues(values, first, first + groups.sizes, np.zeros_like(first)), plan, engine)

    return Reader(0, np.full(X.shape[1], max(1, len(rows)) * X.itemsize), read)


def _csc_reader(X: Any, start: int, layered: list[GroupLayer], plan: SortPlan, engine: Any) -> Reader:
    canonical, groups = is_canonical(X), cast(SortGroups, plan.groups)
    is_together = groups.are_joined and len(groups.unions) == 1

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
        if is_together:
            first, last = table.indptr[:-1, None].astype(np.int64), table.indptr[1:, None].astype(np.int64)
            sizes = np.broadcast_to(groups.sizes, (len(first), len(groups.sizes)))
            return GroupedValues(to_sortable_float(table.data), first, last, sizes, table.indices, layered[0].labels)
        lengths = capacities(np.diff(table.indptr))
        first = np.cumsum(lengths).reshape(lengths.shape) - lengths + 1
        values = plan.values.allocate(int(lengths.sum()) + 1, table.data.dtype)
        last = engine.partition_csc(table, layered, first, values)
        parts = GroupedValues(to_sortable_float(values), first, last, groups.sizes - (last - first))
        return _sort_parts(parts, plan, engine)

    stored = np.diff(X.indptr)
    return Reader(start, (stored + 1 if is_together else capacities(stored).sum(axis=1)) * X.data.itemsize, read)


def _csr_readers(X: Any, layered: list[GroupLayer], plan: SortPlan, engine: Any) -> Iterator[Reader]:
    """Yield readers of a CSR matrix; one panel of columns at a time is converted to CSC format."""
    groups = cast(SortGroups, plan.groups)
    table, shape = Sparse(X.data, X.indices, X.indptr), (X.shape[1], len(groups.sizes))
    capacities = engine.count(table, layered, shape) + 1
    scratch, cursors = ThreadBuffer(), X.indptr[:-1].astype(np.int64)
    most = np.clip(16 * X.shape[0], *PANEL_BYTES)
    for panel in split_by_weight(capacities.sum(axis=1) * X.data.itemsize, float(most)):
        bounds = np.cumsum(capacities[panel]).reshape(-1, shape[1])
        first = bounds - capacities[panel] + 1
        values = scratch.allocate(int(capacities[panel].sum()) + 1, X.data.dtype)
        last = engine.partition_csr(table, cursors, panel, layered, first, values)
        read = partial(_read_panel, values, first, last, plan, engine)
        yield Reader(panel.start, (last - first).sum(axis=1) * values.itemsize, read)


def _read_panel(
    values: NDArray[Any], first: NDArray[np.int64], last: NDArray[np.int64], plan: SortPlan, engine: Any, block: slice
) -> GroupedValues:
    sizes, first, last = cast(SortGroups, plan.groups).sizes, first[block], last[block]
    low, high = max(0, int(first.min()) - 1), int(last.max())
    part = to_sortable_float(values[low:high])
    return _sort_parts(GroupedValues(part, first - low, last - low, sizes - (last - first)), plan, engine)


def _sort_parts(parts: GroupedValues, plan: SortPlan, engine: Any) -> GroupedValues:
    """Sort each part in place, unless the engine sorts the values of several parts together."""
    if not cast(SortGroups, plan.groups).are_joined:
        engine.sort_parts(parts.values, parts.first.ravel(), parts.last.ravel(), plan.keys)
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
    plan: SortPlan | None = None,
) -> Iterator[Output]:
    """Compute the rank statistics of all features of a table, one block of features at a time.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, p)
        Real numbers, in a dense array with any memory order or in a sparse matrix in CSC or CSR format. NaN marks a
        missing value; infinities are ranked like other values. The table is not changed, and only parts of it are
        copied.
    codes : array of shape (n,)
        Class code of each row, 0 to ``classes`` - 1; -1 for a row without a class.
    classes : int
        Number of classes.
    class_pairs : sequence of ClassPair
        T class pairs.
    thresholds : array of shape (T, p), optional
        Threshold of each class pair and feature, or NaN if there is none. Values and thresholds are compared as
        float64. By default, there are no thresholds.
    engine : {"auto", "numpy", "numba"}, default="auto"
        Computing engine; see ``screen``.
    n_jobs : int, default=1
        Number of threads. The result does not depend on the number of threads.
    callback : callable
        Function that is called as ``callback(columns, counts)`` for each block, in the thread that processes the block.
    plan : SortPlan, optional
        Plan from a previous call with the same ``codes``, ``classes``, ``class_pairs`` and ``engine``, or an empty
        plan, which this call fills. By default, a new plan.

    Yields
    ------
    Output
        Result of ``callback`` for each block, in the order of the features.

    Raises
    ------
    RocPredictError
        If the engine is unknown, if integers cannot be represented exactly in float64, or if the shape of
        ``thresholds`` is wrong.

    Notes
    -----
    Each group of classes is sorted separately, and two sorted groups are compared in one pass. The rank sums are sums
    of integers and therefore exact. Variances follow from the placement values by the method of DeLong, DeLong and
    Clarke-Pearson (1988), as in Sun and Xu (2014). Only the stored values of a sparse column are sorted; its zeros form
    one group of ties.

    Examples
    --------
    >>> X, codes = np.array([[1.0], [2.0], [2.0], [3.0]]), np.array([0, 0, 1, 1])
    >>> blocks = count_blocks(X, codes, 2, [ClassPair((0,), 1)], callback=lambda columns, counts: counts.area)
    >>> next(blocks)
    array([[0.875]])
    """
    module = import_module(f"rocpredict.screening.kernels.{select_engine(engine)}_engine")
    plan = SortPlan() if plan is None else plan
    plan.pool = plan.pool or (ThreadPoolExecutor(n_jobs) if n_jobs > 1 else None)
    groups = plan.groups = plan.groups or plan_groups(codes, classes, class_pairs, joins=module.JOINS_CLASSES)
    shape = len(class_pairs), X.shape[1]
    at = np.full(shape, np.nan) if thresholds is None else np.asarray(thresholds, dtype=np.float64)
    if at.shape != shape:
        allowed = f"an array of shape {shape}, with one threshold for each class pair and feature"
        raise RocPredictError(f"thresholds has shape {at.shape}; pass {allowed}")

    is_plain = isinstance(X, np.ndarray) and X.dtype == np.dtype(np.float64) and X.flags.aligned
    has_lines = is_plain and X.T.flags.c_contiguous
    longest = min(MAX_BLOCK_COLUMNS, max(1, BLOCK_BYTES // (8 * N_FPR * len(class_pairs))))  # of the grids of TPRs
    for reader in make_readers(X, codes, groups, plan, module):

        def count(block: slice, reader: Reader = reader) -> Output:
            columns = slice(reader.start + block.start, reader.start + block.stop)
            counts = empty_counts((shape[0], columns.stop - columns.start))
            n_done = 0
            if has_lines and plan.labels is not None:
                is_done = module.count_two_classes(X.T[columns], plan.labels, at[0, columns], counts, plan.keys)
                n_done = int(is_done.sum())
            if not n_done:
                module.count_class_pairs(reader.read(block), groups, at[:, columns], counts, plan.keys)
            elif n_done < len(is_done):
                for _, run in contiguous_runs(np.flatnonzero(~is_done) + columns.start):
                    part = empty_counts((1, run.stop - run.start))
                    module.count_class_pairs(reader.read(run), groups, at[:, run], part, plan.keys)
                    for total, values in zip(counts, part, strict=True):
                        total[:, run.start - columns.start : run.stop - columns.start] = values
            return callback(columns, counts)

        most = LINES_BYTES if has_lines and plan.labels is not None else BLOCK_BYTES
        blocks = split_evenly(reader.column_bytes, most, longest, n_jobs)
        n_threads = min(n_jobs, max(1, len(blocks)))  # each thread keeps its memory
        yield from map_ordered(count, blocks, n_threads, plan.pool)
