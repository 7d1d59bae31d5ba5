"""Class moments and column blocks of Dask arrays and DataFrames; the user's scheduler computes them.

Each task can be repeated, because it reads its rows from the source of the table. If a worker is lost, the computation
takes longer, but the result is the same. Only the labels, the moments and the results of each block are sent to the
client.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from operator import add
from typing import Any, NamedTuple, TypeAlias

import dask
import dask.array as da
import numpy as np
from dask.delayed import Delayed
from dask.highlevelgraph import HighLevelGraph
from numpy.typing import NDArray

from rocpredict.base.labels import (
    EncodedLabels,
    check_index,
    check_label_part,
    check_label_types,
    check_labels,
    equal_labels,
    is_unlabelled,
    label_remedy,
    unique_labels,
)
from rocpredict.base.validation import FloatArray, NanPolicy, RocPredictError, as_float_array, short_repr
from rocpredict.screening.histograms import (
    FeatureHistograms,
    RowSample,
    choose_edges,
    count_cells,
    pair_sides,
    to_dense,
)
from rocpredict.screening.kernels.base import Moments, merge
from rocpredict.screening.kernels.moments import moments
from rocpredict.sources.blocks import (
    INDEX_NAMES,
    DaskQuery,
    MemoryBudget,
    align_partition,
    block_slices,
    check_feature_names,
    has_row_order,
    is_text_type,
)
from rocpredict.sources.table import check_has_numeric, check_length, column_index, read_table

_N_MERGED, _N_MERGED_HISTOGRAMS = 16, 8
"""Number of sets of moments, or of histograms or samples of rows, that one task merges."""
_ROOM_FACTOR = 8
"""Ratio of the free memory of all workers to the size of the columns that are collected at a time.

A worker needs about four times the memory of its share of these columns, for parts, pieces and blocks."""
_IMPORTS_BYTES = 400_000_000
"""Memory of a worker after its imports, with a reserve."""
_CHANGED = "each computation returns different rows of X or y; compute X and y first, or sort them by a key"


ReadColumns: TypeAlias = Callable[[NDArray[np.intp]], tuple[list[Any], NDArray[np.intp]]]


class DaskTable(NamedTuple):
    """Features and labels of a Dask array or DataFrame."""

    names: NDArray[np.str_]
    """Names of the features."""
    not_numeric: NDArray[np.bool_]
    """Mask of the features that are not numeric."""
    parts: list[Any]
    """Delayed parts of the table, each with some of the rows: arrays, sparse matrices or data frames."""
    columns: NDArray[np.intp]
    """Indices of the columns of each part that are features."""
    read: ReadColumns
    """Function that returns delayed parts with some of the columns, and the positions of these columns in each part.

    If the source can read single columns, the parts contain only these. Otherwise, they contain other columns, too."""
    label_column: int | None
    """Index of the column of each part that contains the labels, or None if the labels are not a column."""
    label_parts: list[Any]
    """Labels of the rows of each part, delayed or in memory."""
    sizes: NDArray[np.intp]
    """Number of rows of each part."""
    labels: NDArray[Any]
    """Labels of all rows; if the labels are lazy, an array that contains each distinct label twice."""
    n_unlabelled: int
    """Number of rows without a label."""

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.sizes.sum())

    def moments(
        self,
        coded: EncodedLabels,
        weights: FloatArray | None,
        order: int,
        engine: str,
        histogram_edges: Any = None,
    ) -> tuple[Moments, FeatureHistograms | None]:
        """Compute the moments of each class and, if edges are passed, the histograms of the first class pair.

        The parts are merged by a tree of tasks. If a number of edges is passed, another tree of tasks first draws
        random rows from all parts.
        """
        options: dict[str, Any] = {"order": order, "engine": engine, "classes": coded.classes}
        options["label_column"] = self.label_column
        codes_by_label, label_parts = self._codes(coded)
        if self.label_column is not None:
            label_parts = [None] * len(self.parts)
        parts = [None] * len(self.parts) if weights is None else np.split(weights, np.cumsum(self.sizes)[:-1])
        if histogram_edges is not None:
            options["pair"] = coded.class_pairs[0]
            options["edges"] = dask.delayed(choose_edges(histogram_edges, self.names, self._draw_edges))
        tasks = [
            dask.delayed(_part_moments)(
                part, labels, codes_by_label, self.columns, self.not_numeric, weights=part_weights, **options
            )
            for part, labels, part_weights in zip(self.parts, label_parts, parts, strict=True)
        ]
        n_merged = _N_MERGED if histogram_edges is None else _N_MERGED_HISTOGRAMS
        return compute([_reduce(tasks, _merge, n_merged)])[0]

    def _draw_edges(self, n_edges: int) -> FloatArray:
        """Return edges computed from sampled rows of all parts; the rows stay on the workers."""
        tasks = [
            dask.delayed(_part_sample)(part, self.columns, self.not_numeric, seed, self.n_rows)
            for seed, part in enumerate(self.parts)
        ]
        return compute([dask.delayed(RowSample.edges)(_reduce(tasks, RowSample.merge_all), n_edges)])[0]

    def map_blocks(
        self,
        work: Callable[..., Any],
        coded: EncodedLabels,
        weights: FloatArray | None,
        features: NDArray[np.intp],
        budget: MemoryBudget,
    ) -> Iterator[tuple[NDArray[np.intp], Any]]:
        """Call ``work(block, features, codes, weights)`` on the workers for each block of complete columns.

        If the columns take more than an eighth of the free memory of the workers, they are computed in groups. For each
        group, the workers read only its columns if the source can read selected columns, and the whole table otherwise.
        """
        codes_by_label, label_parts = self._codes(coded)
        codes = dask.delayed(_encode_all)(label_parts, codes_by_label)
        shared = None if weights is None else dask.delayed(weights)
        width = budget.block_width(8 * self.n_rows)
        at_once = max(1, _memory_of_workers() // (_ROOM_FACTOR * 8 * self.n_rows * width)) * width
        for run in block_slices(len(features), at_once):
            chosen = features[run]
            (parts, columns), is_text = self.read(self.columns[chosen]), self.not_numeric[chosen]
            arrays = [
                da.from_delayed(dask.delayed(_to_dense)(part, columns, is_text), (int(size), len(chosen)), np.float64)
                for part, size in zip(parts, self.sizes, strict=True)
            ]
            places = [chosen[columns] for columns in block_slices(len(chosen), width)]
            blocks = da.concatenate(arrays).rechunk((-1, width), method="tasks").to_delayed().ravel()
            tasks = [
                dask.delayed(work)(block, place, codes, shared) for block, place in zip(blocks, places, strict=True)
            ]
            yield from zip(places, compute(tasks), strict=True)

    def _codes(self, coded: EncodedLabels) -> tuple[dict[Any, int] | None, list[Any]]:
        """Return a mapping from labels to class codes, and the labels of each part.

        If the labels are in memory, the first result is None, and the second result contains class codes instead of
        labels.
        """
        if all(isinstance(part, np.ndarray) for part in self.label_parts):
            small = coded.codes.astype(np.int8 if coded.classes < 128 else np.int16)  # part of the graph
            return None, np.split(small, np.cumsum(self.sizes)[:-1])
        names = unique_labels(self.labels)
        codes = [int(coded.codes[np.argmax(equal_labels(self.labels, name))]) for name in names]
        return dict(zip(names, codes, strict=True)), self.label_parts


def _memory_of_workers() -> int:
    """Return the free memory of all workers, or a very large number if there is no cluster or no memory limit."""
    if "distributed" in sys.modules:
        from distributed import default_client

        try:
            client = default_client()
        except ValueError:
            return sys.maxsize
        limits = client.run_on_scheduler(
            lambda dask_scheduler: [worker.memory_limit for worker in dask_scheduler.workers.values()]
        )
        return sum(max(0, limit - _IMPORTS_BYTES) for limit in limits) if all(limits) else sys.maxsize
    return sys.maxsize


def _reduce(tasks: list[Any], merge_parts: Callable[..., Any], n_merged: int = _N_MERGED_HISTOGRAMS) -> Any:
    """Return one task that merges the results of all tasks in a tree, ``n_merged`` at a time.

    Each task reads and reduces one part, so that a worker can load one part while it computes another. The graph is
    built without ``dask.delayed``, which would analyze all tasks again for each merge.
    """
    keys = [task.key for task in tasks]
    merged = HighLevelGraph.merge(*(task.__dask_graph__() for task in tasks))
    graph = dict(da.optimize(merged, keys))
    if any(not getattr(node, "dependencies", set()) <= graph.keys() for node in graph.values()):
        graph = dict(merged)  # Dask loses tasks when it fuses those of ``dask.dataframe.from_delayed``
    tree, name, n_merges = [getattr(graph[key], "target", key) for key in keys], f"merged-{keys[0]}", 0
    while len(tree) > 1:
        parents = []
        for start in range(0, len(tree), n_merged):
            parents.append(f"{name}-{n_merges}")
            graph[parents[-1]] = (merge_parts, tree[start : start + n_merged])
            n_merges += 1
        tree = parents
    return Delayed(tree[0], HighLevelGraph.from_collections(name, graph, dependencies=()), layer=name)


def compute(tasks: Iterable[Any]) -> Any:
    """Compute tasks on the user's scheduler, or raise RocPredictError if the scheduler or a task fails."""
    try:
        return dask.compute(*tasks)
    except RocPredictError:
        raise
    except Exception as error:
        reason = next(iter(str(error).splitlines()), "") or type(error).__name__
        if type(error).__module__.startswith(("distributed", "asyncio", "concurrent")):
            raise RocPredictError(f"the Dask cluster failed: {reason}; restart it, or use smaller chunks") from None
        reason = f"{type(error).__name__}: {reason}"
        remedy = "correct its data or the code that creates the table"
        raise RocPredictError(f"a partition of the Dask table cannot be computed: {reason}; {remedy}") from error


def open_table(
    X: Any, y: Any, names: Any = None, *, needs_order: bool = True, nan_policy: NanPolicy | None = None
) -> DaskTable | None:
    """Return the features and labels of a Dask array or DataFrame.

    For a DataFrame without a fixed row order, return None if ``needs_order`` is True or ``y`` is not the name of a
    column.
    """
    check_index({"X": X, "y": None if isinstance(y, str) else y})
    if isinstance(X, da.Array):
        table: DaskTable | None = _from_array(X, y, names, nan_policy)
    else:
        table = _from_frame(X, y, names, needs_order, nan_policy)
    if table is not None and not table.n_rows:
        raise RocPredictError("X has no rows; pass at least one row")
    if table is not None and table.not_numeric.all():
        check_has_numeric(read_table({name: ["text"] for name in table.names.tolist()}))
    return table


def _from_frame(X: Any, y: Any, names: Any, needs_order: bool, nan_policy: NanPolicy | None) -> DaskTable | None:
    if not has_row_order(DaskQuery(X)) and (needs_order or not isinstance(y, str)):
        return None
    columns = np.arange(X.shape[1])
    frame_names = check_feature_names([str(name) for name in X.columns], len(columns))
    parts = [dask.delayed(align_partition)(part, list(X.columns)) for part in X.to_delayed()]
    is_text = np.array([is_text_type(kind) for kind in DaskQuery(X).collect_schema().values()])

    def read(columns: NDArray[np.intp]) -> tuple[list[Any], NDArray[np.intp]]:
        if not _has_fixed_partitions(X) or len(parts) != X.npartitions:
            return parts, columns
        # the optimizer of Dask would merge small partitions
        return X.iloc[:, columns].simplify().to_delayed(optimize_graph=False), np.arange(len(columns))

    label_column = column_index(frame_names, y, argument="y", source_name="X") if isinstance(y, str) else None
    scanned, places = read(columns[:1] if label_column is None else np.array([label_column]))
    if label_column is not None:
        columns = np.delete(columns, label_column)
        label_parts = [dask.delayed(_label_column)(part, places[0]) for part in scanned]
        sizes, labels, n_unlabelled = _scan_labels(label_parts, nan_policy)
    else:
        sizes = np.array(compute([dask.delayed(len)(part) for part in scanned]))
        labels, label_parts, n_unlabelled = _split(y, sizes, nan_policy)
    if names is None or isinstance(y, str):
        columns = columns[~np.isin(frame_names[columns], INDEX_NAMES)]
    kept = frame_names[columns] if names is None else check_feature_names(names, len(columns))
    text = is_text[columns]
    return DaskTable(kept, text, parts, columns, read, label_column, label_parts, sizes, labels, n_unlabelled)


def _has_fixed_partitions(X: Any) -> bool:
    """Return whether the partitions of some columns have the same rows as those of all columns."""
    return not any("partition_size" in node._parameters and node.operand("partition_size") for node in X.expr.walk())


def _from_array(X: Any, y: Any, names: Any, nan_policy: NanPolicy | None) -> DaskTable:
    if X.ndim != 2 or X.dtype.kind not in "biuf":
        raise RocPredictError(
            f"X is a {X.ndim}-dimensional Dask array of {X.dtype}; pass a numeric array of shape (n, features)"
        )
    if isinstance(y, str):
        raise RocPredictError(
            f"y={y!r} is the name of a column, but X is a Dask array without column names; pass one label for each row"
        )
    kept, sizes = check_feature_names(names, X.shape[1]), np.array(X.chunks[0])
    io_deps = getattr(X.dask.layers.get(X.name), "io_deps", {})
    is_stored = any(type(dependency).__name__ == "ArraySliceDep" for dependency in io_deps.values())  # of da.from_array
    stops = np.cumsum(X.chunks[1])

    def read(columns: NDArray[np.intp]) -> tuple[list[Any], NDArray[np.intp]]:
        start, last = int(columns.min()), int(columns.max())
        if is_stored:
            part = X[:, start : last + 1]
        else:
            # chunks are not sliced, because not every sparse matrix can be sliced
            first, end = np.searchsorted(stops, [start, last], side="right")
            start, part = int(stops[first] - X.chunks[1][first]), X.blocks[:, first : end + 1]
        return part.rechunk({1: -1}).to_delayed().ravel().tolist(), columns - start

    if isinstance(y, da.Array):
        if y.shape != X.shape[:1]:
            raise RocPredictError(f"X has shape {X.shape} and y has shape {y.shape}; both must have the same length")
        label_parts = y.rechunk((X.chunks[0],)).to_delayed().tolist()
        _, labels, n_unlabelled = _scan_labels(label_parts, nan_policy)
    else:
        labels, label_parts, n_unlabelled = _split(y, sizes, nan_policy)
    is_text = np.zeros(len(kept), dtype=bool)
    parts = X.rechunk({1: -1}).to_delayed().ravel().tolist()
    columns = np.arange(len(kept))
    return DaskTable(kept, is_text, parts, columns, read, None, label_parts, sizes, labels, n_unlabelled)


def _split(
    y: Any, sizes: NDArray[np.intp], nan_policy: NanPolicy | None
) -> tuple[NDArray[Any], list[NDArray[Any]], int]:
    """Return the labels of all rows, the labels of each part, and the number of rows without a label."""
    labels = check_labels(y, np.empty((0, 0)), nan_policy=nan_policy)
    check_length(int(sizes.sum()), labels)
    return labels, np.split(labels, np.cumsum(sizes)[:-1]), int(is_unlabelled(labels).sum())


def _scan_labels(parts: list[Any], nan_policy: NanPolicy | None) -> tuple[NDArray[np.intp], NDArray[Any], int]:
    """Read lazy labels.

    Return the number of rows of each part, an array that contains each distinct label twice, and the number of rows
    without a label.
    """
    scans = compute([dask.delayed(_scan_part)(part) for part in parts])
    sizes, missing = np.array([(scan[0], scan[2]) for scan in scans]).T
    n_unlabelled, n_rows = int(missing.sum()), int(sizes.sum())
    if n_unlabelled and nan_policy != "omit":
        remedy = label_remedy(nan_policy)
        raise RocPredictError(f"y has missing values (NaN) in {n_unlabelled} of {n_rows} rows; {remedy}")
    different = list(dict.fromkeys(label for _, labels, _ in scans for label in labels))
    if not different and n_rows:
        raise RocPredictError("all labels in y are missing; two classes are needed")
    return sizes, check_label_part(check_label_types(different) * 2), n_unlabelled


def _scan_part(part: Any) -> tuple[int, list[Any], int]:
    """Return the number of rows, the different labels and the number of missing labels of one part."""
    labels = check_label_part(part, nan_policy="omit")
    is_missing = is_unlabelled(labels)
    return len(labels), unique_labels(labels) if not is_missing.all() else [], int(is_missing.sum())


def _encode_all(parts: list[Any], codes_by_label: dict[Any, int] | None) -> NDArray[np.int16]:
    return np.concatenate([_encode(part, codes_by_label) for part in parts])


def _label_column(part: Any, place: int) -> Any:
    return part.iloc[:, place].to_numpy()


def _encode(part: Any, codes_by_label: dict[Any, int] | None) -> NDArray[np.int16]:
    """Return the class codes of the labels of a part; without ``codes_by_label``, the labels are already codes."""
    if codes_by_label is None:
        return np.asarray(part, dtype=np.int16)
    codes, labels = np.full(len(part), -2, dtype=np.int16), check_label_part(part, nan_policy="omit")
    codes[is_unlabelled(labels)] = -1
    for name, code in codes_by_label.items():
        codes[equal_labels(labels, name)] = code
    if (codes == -2).any():
        raise RocPredictError(
            f"y contains the label {short_repr(labels[codes == -2][0])}, which was absent in an earlier computation: "
            f"{_CHANGED}"
        )
    return codes


def _to_dense(part: Any, columns: NDArray[np.intp], is_text: NDArray[np.bool_]) -> FloatArray:
    """Return the selected columns of a part as a dense array; ``is_text`` marks columns of text, which become NaN."""
    if hasattr(part, "tocsc"):
        return as_float_array("X", part.tocsc()[:, columns].toarray())
    dense = np.empty((len(part), len(columns)))
    if len(part):
        table = read_table(part)
        for column in columns[table.not_numeric[columns] & ~is_text]:
            raise RocPredictError(
                f"column {str(table.names[column])!r} has numbers in some partitions, but one partition contains "
                f"{table.describe_text(column)}; convert the column to numbers, or leave it out"
            )
        for place, block in table.iter_blocks(columns):
            dense[:, place] = as_float_array("X", np.asarray(block))
    return dense


def _part_moments(
    part: Any,
    labels: Any,
    codes_by_label: dict[Any, int] | None,
    columns: NDArray[np.intp],
    is_text: NDArray[np.bool_],
    *,
    label_column: int | None,
    pair: Any = None,
    edges: FloatArray | None = None,
    **options: Any,
) -> tuple[Moments, FeatureHistograms | None]:
    """Return the moments of one part and, if edges are passed, the histograms of a class pair."""
    codes = _encode(labels if label_column is None else _label_column(part, label_column), codes_by_label)
    if part.shape[0] != len(codes):
        raise RocPredictError(_CHANGED)
    matrix = _to_matrix(part, columns, is_text)
    histograms = None if edges is None else count_cells(matrix, pair_sides(codes, pair), edges)
    return moments(matrix, codes, **options), histograms


def _part_sample(part: Any, columns: NDArray[np.intp], is_text: NDArray[np.bool_], seed: int, n_rows: int) -> RowSample:
    """Draw random rows of one part of a table with ``n_rows`` rows.

    In total, the parts yield about twice as many rows as the sample of the table has.
    """
    matrix, limit = _to_matrix(part, columns, is_text), RowSample.limit(len(columns))
    keys = np.random.default_rng([0, seed]).random(matrix.shape[0])
    rows = np.sort(np.argsort(keys)[:limit])
    rows = rows[keys[rows] < 2 * limit / n_rows]
    return RowSample(keys[rows], to_dense(matrix[rows]))


def _to_matrix(part: Any, columns: NDArray[np.intp], is_text: NDArray[np.bool_]) -> Any:
    """Return the features of a part as an array, or as a matrix in CSC or CSR format."""
    if hasattr(part, "tocsc"):
        return part if part.format in ("csc", "csr") else part.tocsr()
    return part if isinstance(part, np.ndarray) and len(part) else _to_dense(part, columns, is_text)


def _merge(parts: list[tuple[Moments, FeatureHistograms | None]]) -> tuple[Moments, FeatureHistograms | None]:
    class_moments, histograms = zip(*parts, strict=True)
    return reduce(merge, class_moments), None if histograms[0] is None else reduce(add, histograms)
