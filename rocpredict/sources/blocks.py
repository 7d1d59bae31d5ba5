"""Arrays, sparse matrices and data frames as sources that are read in blocks of columns."""

from __future__ import annotations

import mmap
import re
from abc import ABC, abstractmethod
from collections import defaultdict, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence, Sized
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, nullcontext
from datetime import date
from functools import cached_property, partial
from itertools import pairwise
from math import ceil
from numbers import Complex, Number, Real
from typing import Any, NamedTuple, TypeAlias, TypeVar
from weakref import finalize

import numpy as np
from numpy.typing import NDArray

from rocpredict.base.formatting import format_list, pluralize
from rocpredict.base.labels import CodedLabels, Labels
from rocpredict.base.validation import (
    RocPredictError,
    as_float_array,
    check_exact_integers,
    check_list,
    first_line,
    is_missing,
    number_format_hint,
    short_repr,
)

BLOCK_BYTES = 32 * 2**20
"""Largest size of a block of several columns, if no other size is chosen."""
BlockIterator: TypeAlias = Iterator[tuple[slice, Any]]
TileIterator: TypeAlias = Iterator[tuple[slice, slice, Any]]
ColumnIndices: TypeAlias = NDArray[np.intp]
Item = TypeVar("Item")
Output = TypeVar("Output")
Filler: TypeAlias = Callable[[NDArray[Any]], None]
"""Function that writes the values of a block."""
_END: Any = object()
_CHUNK_ROWS = 65_536
"""The chunks of a polars column are copied one by one if they have this number of rows or more on average.

The rows of a DuckDB query are read in parts of this size."""
_LABEL_ROWS = 131_072
"""Number of rows of a file whose labels are read at a time."""
_UNITS = {"": 1} | {
    f"{unit}{suffix}": base**power
    for power, unit in enumerate("kMGT", 1)
    for base, suffix in ((1000, "B"), (1024, "iB"))
}
_TILES_IN_MEMORY = 12
"""Ratio of the memory budget to the size of a block.

The budget also covers the blocks that are being read, and sorted copies of blocks."""
_COPIES = 4
"""Memory that is needed to screen a column, in addition to the memory for reading it, divided by its size."""
_QUERY_COPIES = 6
"""Memory that a query of all rows needs, including the block, divided by the size of the block."""
_SCAN_BLOCK = 2.5
"""Largest size of a block of files that polars reads, divided by 32 MB."""
_FIXED_BYTES = 9_000_000
"""Memory that is needed for a table of any size."""
_PRIVATE = {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if hasattr(mmap, "MAP_PRIVATE") else {}
"""Flags of memory that only this process uses; Windows has no such flags."""


class MemoryBudget(NamedTuple):
    """Memory budget for the blocks of a table that is read from files or queries.

    Attributes
    ----------
    total : int, optional
        Budget in bytes. By default, there is no limit. A block then contains as many columns as fit into its largest
        size, but at least one column for each thread.
    n_jobs : int, default=1
        Number of threads. A block has at least one column for each thread, or fewer if the budget is too small.
    copies : float, default=4
        Memory that is needed to process a column, in addition to the memory for reading it, divided by its size.
    largest_block : float, default=1
        Largest size of a block, divided by 32 MB.
    """

    total: int | None = None
    n_jobs: int = 1
    copies: float = _COPIES
    largest_block: float = 1

    @property
    def block_bytes(self) -> int:
        """Largest size of a block in bytes; only a block with one column for each thread may be larger."""
        largest = int(self.largest_block * BLOCK_BYTES)
        return largest if self.total is None else min(largest, self.total // _TILES_IN_MEMORY)

    def block_width(self, column_bytes: int, reading: float = 2) -> int:
        """Return the number of columns of a block, or raise RocPredictError if a single column exceeds the budget.

        ``reading`` is the memory for reading a column, including the block, divided by the size of the column. If
        there are several columns for each thread, all threads receive the same number.
        """
        needed = ceil((reading + self.copies) * column_bytes)
        most = self.n_jobs if self.total is None else (self.total - _FIXED_BYTES) // max(1, needed)
        if not most:
            raise RocPredictError(
                f"memory={format_bytes(self.total or 0)!r} is too small for a column of {format_bytes(column_bytes)}; "
                f"pass memory={format_bytes(needed + _FIXED_BYTES)!r} or more"
            )
        width = max(self.block_bytes // max(1, column_bytes), min(self.n_jobs, most))
        return width - width % self.n_jobs if width > self.n_jobs else width

    def n_ahead(self, n_bytes: int, width: int, reading: float = 2) -> int:
        """Return how many blocks may be read while one is processed; without a budget, one for each thread.

        Each block has ``width`` columns and the size ``n_bytes``. With a budget, at most one block more than threads
        is read in advance, since the time to read a block varies.
        """
        if self.total is None:
            return self.n_jobs
        processed = self.copies * min(self.n_jobs, width) / width
        free = self.total - (1 + self.n_jobs) * _FIXED_BYTES  # each thread keeps some memory
        return max(0, min(self.n_jobs + 1, int(free / max(1, n_bytes) - reading - processed)))


DEFAULT_BUDGET = MemoryBudget()


def parse_memory(memory: object) -> int:
    """Return a memory budget in bytes.

    Parameters
    ----------
    memory : float or str
        Whole number of bytes, or a number with a unit, such as "500MB" or "1.5 GiB".

    Raises
    ------
    RocPredictError
        If ``memory`` is not a valid size, or is less than 16 MB.
    """
    match = (
        re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*([a-z]*)\s*", memory, re.IGNORECASE) if isinstance(memory, str) else None
    )
    factors = {unit.lower(): factor for unit, factor in _UNITS.items()}
    if match and match[2].lower() in factors:
        n_bytes = round(float(match[1]) * factors[match[2].lower()])
    elif isinstance(memory, (int, float, np.integer)) and not isinstance(memory, bool) and memory == memory // 1:
        n_bytes = int(memory)
    else:
        raise RocPredictError(
            f"memory={short_repr(memory)} is not a valid size; pass a number of bytes, or text such as '500MB' or '2GB'"
        )
    if n_bytes < 16_000_000:
        raise RocPredictError(f"memory={short_repr(memory)} is too small; pass '16MB' or more")
    return n_bytes


def format_bytes(n_bytes: int) -> str:
    """Format a number of bytes, rounded up, as text such as "1.3GB"."""
    power = min(len(str(max(n_bytes, 1))) - 1, 14) // 3
    tenths = -(-n_bytes * 10 // 1000**power)
    number = f"{tenths / 10:.1f}" if 0 < tenths < 100 and tenths % 10 else str(-(-tenths // 10))
    return f"{number}{['B', 'kB', 'MB', 'GB', 'TB'][power]}"


def read_ahead(items: Iterator[Item], n_ahead: Callable[[Item], int] = lambda item: 1) -> Iterator[Item]:
    """Yield each item while a thread reads the next ``n_ahead(item)`` items.

    The caller should delete each item before it asks for the next one.
    """
    with ThreadPoolExecutor(1) as pool:
        waiting = deque([pool.submit(next, items, _END)])
        try:
            while (item := waiting.popleft().result()) is not _END:
                while len(waiting) < n_ahead(item):
                    waiting.append(pool.submit(next, items, _END))
                yield item
                del item
                if not waiting:
                    waiting.append(pool.submit(next, items, _END))
        finally:
            pool.shutdown(cancel_futures=True)


def _map_memory(n_bytes: int) -> memoryview:
    try:
        return memoryview(mmap.mmap(-1, max(1, n_bytes), **_PRIVATE))
    except OSError as error:
        raise MemoryError(f"a block of {format_bytes(n_bytes)} cannot be allocated") from error


class BlockMemory:
    """Block memory that is reused after a block and all its views are deleted; allocating new memory would be slow.

    When this object and its blocks are deleted, all memory is returned to the operating system; malloc would keep some
    of it for each thread.
    """

    def __init__(self) -> None:
        self._free: list[memoryview] = []

    def allocate(self, shape: tuple[int, int], dtype: np.dtype[Any]) -> NDArray[Any]:
        """Return a Fortran-ordered array; its elements are not initialized."""
        n_bytes = shape[0] * shape[1] * dtype.itemsize
        is_reused = bool(self._free) and len(self._free[-1]) >= n_bytes
        memory = self._free.pop() if is_reused else _map_memory(n_bytes)
        values = np.frombuffer(memory, dtype=dtype, count=shape[0] * shape[1])  # every view of the block refers to it
        finalize(values, self._free.append, memory)
        return values.reshape(shape, order="F")


def map_ordered(
    work: Callable[[Item], Output], items: Iterable[Item], n_jobs: int, pool: ThreadPoolExecutor | None = None
) -> Iterator[Output]:
    """Yield ``work(item)`` for each item, in the order of the items.

    At most ``n_jobs`` results are being computed or waiting to be yielded. With ``n_jobs=1``, the work is done in the
    calling thread. Otherwise, it is done in the threads of ``pool`` or, by default, in new threads.
    """
    if n_jobs == 1:
        yield from map(work, items)
        return
    waiting: deque[Future[Output]] = deque()
    with nullcontext(pool) if pool else ThreadPoolExecutor(n_jobs) as threads:
        for item in items:
            if len(waiting) == n_jobs:
                yield waiting.popleft().result()
            waiting.append(threads.submit(work, item))
        while waiting:
            yield waiting.popleft().result()


class ColumnSource(ABC):
    """Table that is read in blocks of columns.

    Attributes
    ----------
    shape : (int, int)
        Numbers of rows and columns.
    is_streamed : bool
        Whether blocks are read from files or queries; if so, the next block is read in advance.
    """

    shape: tuple[int, int]
    is_streamed = False
    _is_text: Any = None  # mask of the columns with text, or None if no column can contain text
    texts: Mapping[int, str] = {}
    """First text of columns whose text is not stored."""
    reading_copies: float = 2
    """Memory that is needed to read a column, including the block, divided by the size of the column as float64."""

    @abstractmethod
    def iter_blocks(self, columns: ColumnIndices | None, budget: MemoryBudget = DEFAULT_BUDGET) -> BlockIterator:
        """Yield each block of the selected columns, with its slice of ``columns``; None selects all columns."""

    def n_ahead(self, block: Any, budget: MemoryBudget) -> int:
        """Return how many blocks or tiles may be read while this one is processed."""
        n_bytes = getattr(block, "nbytes", 1)  # a sparse block is as small as the budget requires
        return budget.n_ahead(n_bytes, block.shape[1], self.reading_copies * 8 / block.dtype.itemsize)

    def iter_tiles(self, columns: ColumnIndices | None, budget: MemoryBudget = DEFAULT_BUDGET) -> TileIterator:
        """Yield tiles of the selected columns in the order that is fastest to read.

        Each tile is yielded with its slice of the rows and its slice of the selected columns. Tiles with the same
        columns are yielded in row order.
        """
        for place, block in self.iter_blocks(columns, budget):
            yield slice(0, self.shape[0]), place, block

    @abstractmethod
    def column(self, column: int) -> NDArray[Any]:
        """Return one column unchanged."""

    def labels(self, column: int) -> Labels:
        """Return one column as labels, coded if this saves memory."""
        return self.column(column)

    def first_text(self, column: int) -> Any:
        """Return the first text or date of a column, or None."""
        return self.texts.get(column) or next(iter_text(self.column(column)), None)

    def validate(self, columns: Iterable[int]) -> None:  # noqa: B027
        """Raise RocPredictError if one of the columns has both numbers and text."""

    @property
    def not_numeric(self) -> NDArray[np.bool_]:
        """Mask of the non-numeric columns."""
        return np.zeros(self.shape[1], dtype=bool) if self._is_text is None else np.asarray(self._is_text)


class SparseSource(ColumnSource):
    """Sparse matrix in CSC or CSR format, read in sparse blocks."""

    def __init__(self, matrix: Any) -> None:
        self.matrix = matrix
        self.shape = matrix.shape

    def iter_blocks(self, columns: ColumnIndices | None, budget: MemoryBudget = DEFAULT_BUDGET) -> BlockIterator:
        """Yield the whole matrix at once or, if columns are selected, yield these columns in blocks."""
        if columns is None:
            yield slice(0, self.shape[1]), self.matrix
            return
        entry = self.matrix.data.itemsize + self.matrix.indices.itemsize
        for place in block_slices(len(columns), budget.block_width(entry * self.matrix.nnz // self.shape[1])):
            yield place, self.matrix[:, columns[place]]

    def column(self, column: int) -> NDArray[Any]:
        """Return one column as a dense array."""
        return np.asarray(self.matrix[:, [column]].toarray()[:, 0])


class BlockSource(ColumnSource):
    """Table whose columns are copied to blocks of limited size."""

    def iter_blocks(self, columns: ColumnIndices | None, budget: MemoryBudget = DEFAULT_BUDGET) -> BlockIterator:
        """Yield Fortran-ordered blocks."""
        selection = np.arange(self.shape[1]) if columns is None else columns
        dtype = np.dtype(self.dtype(selection))
        memory = BlockMemory()
        reading = self.reading_copies * 8 / dtype.itemsize  # the memory for reading float32 columns is the same
        width = budget.block_width(self.shape[0] * dtype.itemsize, reading)
        for place, fill in self.iter_fillers(selection, width, budget):
            block = memory.allocate((self.shape[0], len(selection[place])), dtype)
            fill(block)
            yield place, block
            del block

    def iter_fillers(self, columns: ColumnIndices, width: int, budget: MemoryBudget) -> Iterator[tuple[slice, Filler]]:
        """Yield the slice of ``columns`` of each block, and a function that writes the block within a memory budget."""
        for place in block_slices(len(columns), width):
            yield place, partial(self.fill, columns=columns[place], budget=budget)

    def fill(self, block: NDArray[Any], columns: ColumnIndices, budget: MemoryBudget) -> None:
        """Write the selected columns into a block within a memory budget."""
        self.read_into(block, columns)

    def dtype(self, columns: ColumnIndices) -> Any:
        """Return the dtype of blocks of the selected columns."""
        return np.float64

    @abstractmethod
    def read_into(self, out: NDArray[Any], columns: ColumnIndices) -> None:
        """Write the selected columns into an array."""


class DenseSource(BlockSource):
    """Array of numbers in memory; adjacent columns are read as a view."""

    def __init__(self, array: NDArray[Any]) -> None:
        self.array = array
        self.shape = array.shape

    def iter_blocks(self, columns: ColumnIndices | None, budget: MemoryBudget = DEFAULT_BUDGET) -> BlockIterator:
        """Yield a single view if the columns are adjacent; otherwise, yield blocks that contain copies."""
        if columns is None:
            return iter([(slice(0, self.shape[1]), self.array)])
        runs = [run for _, run in contiguous_runs(columns)]
        if len(runs) == 1:
            return iter([(slice(0, len(columns)), self.array[:, runs[0]])])
        return super().iter_blocks(columns, budget)

    def dtype(self, columns: ColumnIndices) -> Any:
        """Return the dtype of the array."""
        return self.array.dtype

    def read_into(self, out: NDArray[Any], columns: ColumnIndices) -> None:
        """Copy the selected columns."""
        out[:] = self.array[:, columns]

    def column(self, column: int) -> NDArray[Any]:
        """Return one column."""
        return np.asarray(self.array[:, column])


class SlicedSource(DenseSource):
    """Array that is not in memory (HDF5, zarr, Dask) and is read in slices."""

    is_streamed = True

    def iter_blocks(self, columns: ColumnIndices | None, budget: MemoryBudget = DEFAULT_BUDGET) -> BlockIterator:
        """Yield Fortran-ordered blocks."""
        return BlockSource.iter_blocks(self, columns, budget)

    def iter_tiles(self, columns: ColumnIndices | None, budget: MemoryBudget = DEFAULT_BUDGET) -> TileIterator:
        """Yield blocks of columns if ``columns`` is passed; otherwise, yield blocks of rows.

        Blocks of rows are faster to read from a file.
        """
        if columns is not None:
            yield from super().iter_tiles(columns, budget)
            return
        for rows in block_slices(
            self.shape[0], max(1, budget.block_bytes // (self.shape[1] * self.array.dtype.itemsize))
        ):
            yield rows, slice(0, self.shape[1]), np.asarray(self.array[rows])

    def dtype(self, columns: ColumnIndices) -> Any:
        """Return float32 if the array has this dtype, otherwise float64."""
        return np.float32 if self.array.dtype == np.float32 else np.float64

    def read_into(self, out: NDArray[Any], columns: ColumnIndices) -> None:
        """Write the selected columns into an array; adjacent columns are read together."""
        self._read_parts(out, columns, len(out))

    def fill(self, block: NDArray[Any], columns: ColumnIndices, budget: MemoryBudget) -> None:
        """Write the selected columns into a block; whole chunks of rows are read, as many as fit into a block."""
        chunk = getattr(self.array, "chunks", None)
        if not chunk or not isinstance(chunk[0], int):
            self.read_into(block, columns)
            return
        chunk_bytes = chunk[0] * max(chunk[1], len(columns)) * self.array.dtype.itemsize
        self._read_parts(block, columns, chunk[0] * max(1, budget.block_bytes // chunk_bytes))

    def _read_parts(self, out: NDArray[Any], columns: ColumnIndices, n_rows: int) -> None:
        for rows in block_slices(len(out), n_rows):
            for first, run in contiguous_runs(columns):
                values = np.asarray(self.array[rows, run])
                floats = as_float_array("X", values) if values.dtype.kind in "iu" else values
                out[rows, first : first + floats.shape[1]] = floats


class ColumnwiseSource(BlockSource):
    """Columns that are converted to floats one at a time; a column that is not numeric becomes NaN."""

    def __init__(self, names: Sequence[str], rows: int, columns: Any) -> None:
        self.shape = rows, len(names)
        self._names = names
        self._columns = columns

    @cached_property
    def not_numeric(self) -> NDArray[np.bool_]:
        """Mask of the non-numeric columns."""
        return np.array([is_text_column(column) for column in self._columns], dtype=bool)

    def validate(self, columns: Iterable[int]) -> None:
        """Raise RocPredictError if a column of objects has both numbers and text."""
        for index in columns:
            column = self.column(index)
            if column.dtype.kind not in "biuf":
                to_numeric(self._names[index], column)

    def read_into(self, out: NDArray[Any], columns: ColumnIndices) -> None:
        """Write the selected columns into an array as float64."""
        for place, index in enumerate(columns.tolist()):
            numbers = to_numeric(self._names[index], self.column(index))
            out[:, place] = np.nan if numbers is None else numbers

    def column(self, column: int) -> NDArray[Any]:
        """Return one column unchanged."""
        return self._columns[column]


def contiguous_runs(columns: ColumnIndices) -> Iterator[tuple[int, slice]]:
    """For each run of adjacent columns, yield its position in ``columns`` and its slice of the table."""
    if len(columns):
        for run in np.split(np.arange(len(columns)), np.flatnonzero(np.diff(columns) != 1) + 1):
            yield int(run[0]), slice(int(columns[run[0]]), int(columns[run[-1]]) + 1)


def block_slices(count: int, width: int) -> Iterator[slice]:
    """Yield the slices that divide ``count`` columns or rows into blocks of ``width``."""
    for start in range(0, count, width):
        yield slice(start, min(start + width, count))


def split_by_weight(weights: NDArray[Any], most: float, longest: int | None = None) -> list[slice]:
    """Divide an array of weights into slices, each with a sum of at most ``most``.

    A single weight above ``most`` forms a slice of its own. A slice contains at most ``longest`` weights.
    """
    bounds = np.concatenate([[0], np.cumsum(weights)])
    slices, start = [], 0
    while start < len(weights):
        stop = max(start + 1, int(np.searchsorted(bounds, bounds[start] + most, side="right")) - 1)
        stop = min(stop, start + longest) if longest else stop
        slices.append(slice(start, stop))
        start = stop
    return slices


def split_evenly(weights: NDArray[Any], most: float, longest: int, n_jobs: int) -> list[slice]:
    """Divide an array of weights as ``split_by_weight`` does, into slices that keep all threads busy."""
    total = float(weights.sum())
    n_slices = n_jobs * max(1, ceil(total / most / n_jobs))
    return split_by_weight(weights, total / n_slices + (1 - 1 / n_slices) * float(weights.max(initial=0)), longest)


_FRAME_MODULES = frozenset(
    ["pandas", "polars", "pyarrow", "duckdb", "narwhals", "modin", "cudf", "dask", "ibis", "pyspark", "sqlframe"]
)
_TIME_TYPES = ("Date", "Datetime", "Duration", "Time")
_TEXT_TYPES = ("String", "Categorical", "Enum", "Binary", "List", "Array", "Struct", *_TIME_TYPES)
CODED_TYPES = ("String", "Categorical", "Enum")
"""Types of columns that are read as coded labels."""
_OBJECT_TYPES = ("Object", "Unknown")
_FLOAT32_TYPES = ("Float16", "Float32")


def as_frame(X: Any) -> Any:
    """Convert a data frame to a narwhals frame or a Dask query; return None if X is not a data frame.

    Raises
    ------
    RocPredictError
        If narwhals is not installed, or if column names are not unique.
    """
    module = type(X).__module__.partition(".")[0]
    if module not in _FRAME_MODULES:
        return None
    try:
        import narwhals as nw
    except ImportError:
        raise RocPredictError(
            f"a {module} {type(X).__name__} needs narwhals: pip install 'rocpredict[frames]'"
        ) from None
    native = nw.to_native(X, pass_through=True)
    if type(native).__module__.startswith("dask.dataframe") and getattr(native, "ndim", 0) == 2:
        check_unique_names(list(native.columns))
        return DaskQuery(native)
    if nw.dependencies.is_pandas_dataframe(native):
        check_unique_names(list(native.columns))  # before narwhals raises its own error for duplicate names
    elif nw.dependencies.is_pyarrow_table(native):
        check_unique_names(native.column_names)
    frame = nw.from_native(X, pass_through=True)
    return frame if isinstance(frame, (nw.DataFrame, nw.LazyFrame)) else None


_POLARS_NODES = re.compile(
    r"(DF \[|\w+ SCAN \[|PROJECT |SELECTION|ESTIMATED ROWS|SELECT \[|WITH_COLUMNS:|FILTER |FROM$|SLICE\[|ROW INDEX "
    r"|CACHE\[|UNION\[maintain_order: true\]|PLAN \d|END UNION|HCONCAT|END HCONCAT|\[)"
)
"""Pattern that matches a line of a polars query plan if the step on this line preserves the order of the rows."""
_POLARS_UNORDERED = re.compile(
    r"\.(shuffle|sample|\w*unique\w*|mode|value_counts|\w*top_k\w*|map\w*|\w*python\w*|\w*opaque)"
)
_DUCKDB_UNORDERED = re.compile(
    "join|group|aggreg|sampl|window|order|top.n|union|distinct|unnest|product|cte|intersect|except|limit|pivot",
    re.IGNORECASE,
)
_DUCKDB_RANDOM = re.compile(r"(random|uuid|nextval|shuffle)\w*\(", re.IGNORECASE)
_DASK_NODES = {
    *("FromPandas", "FromArray", "ReadParquet"),
    *("Elemwise", "Filter", "DropnaFrame", "Head", "Tail", "Concat", "Repartition"),
}
"""Names of the node classes of Dask expressions that preserve the order of the rows."""
_DASK_FUNCTIONS = frozenset(["Map", "Apply"])
"""Names of the classes of elementwise nodes that call a function of the user."""

_POLARS_SCAN = re.compile(
    r"((Parquet|Ipc|IPC) SCAN \[|PROJECT |ESTIMATED ROWS|UNION\[maintain_order: true\]|PLAN \d|END UNION"
    r'|SELECT \[(col\(""\)(\.alias\(""\)|\.(strict_)?cast\([^)]*\))*(, )?)*\]$)'
)
"""Pattern that matches each line of the plan of a polars query that only selects columns of Parquet or Arrow files."""
COLLECT_REMEDY = "collect X first, with X.collect() in polars, X.arrow() in DuckDB or X.compute() in Dask"
_NO_ORDER = f"X is a query that returns its rows in a different order each time; {COLLECT_REMEDY}"


def align_partition(part: Any, names: list[Any]) -> Any:
    """Return a partition with its columns in the order of the table, or raise RocPredictError if they differ."""
    own = list(part.columns)
    if own == names:
        return part
    if sorted(map(str, own)) != sorted(map(str, names)):
        listed = [format_list((repr(str(name)) for name in part), 10) for part in (own, names)]
        raise RocPredictError(
            f"a partition has the columns {listed[0]}, but the Dask DataFrame has {listed[1]}; all partitions need the "
            "same columns"
        )
    return part[names]


class DaskQuery:
    """Wrapper that gives a Dask DataFrame the narwhals methods that ``DataFrameSource`` calls."""

    def __init__(self, native: Any) -> None:
        self._native = native

    def to_native(self) -> Any:
        """Return the Dask DataFrame."""
        return self._native

    def collect_schema(self) -> Any:
        """Return the types of the columns."""
        import narwhals as nw

        return nw.from_native(self._native._meta).schema

    def select(self, names: list[str]) -> DaskQuery:
        """Return a query that reads only the selected columns."""
        return DaskQuery(self._aligned()[names])

    def collect(self) -> Any:
        """Run the query."""
        import narwhals as nw

        try:
            return nw.from_native(self._aligned().compute())
        except RocPredictError:
            raise
        except (ValueError, TypeError, KeyError) as error:
            reason = f"{type(error).__name__}: {first_line(error)}"
            raise RocPredictError(f"the query X fails: {reason}; correct the query or its data") from error

    def _aligned(self) -> Any:
        """Return the DataFrame; if it is read from CSV files, check that each file has the same columns.

        Dask would fill a column that is absent from a file with missing values.
        """
        kinds = {type(node).__name__ for node in self._native.expr.walk()}
        if "FromMapProjectable" not in kinds or "MapPartitions" in kinds:
            return self._native
        return self._native.map_partitions(align_partition, list(self._native.columns), meta=self._native._meta)


_QUERY_LIBRARIES = frozenset(("polars", "narwhals", "duckdb", "_duckdb", "pyarrow"))
"""Libraries whose exceptions are reported as errors of a query."""


def run_query(work: Callable[[], Any]) -> Any:
    """Run one step of a lazy query and return its result; raise RocPredictError if the query library fails."""
    try:
        return work()
    except Exception as error:
        if not isinstance(error, OSError) and type(error).__module__.partition(".")[0] not in _QUERY_LIBRARIES:
            raise
        raise RocPredictError(f"the query X fails: {first_line(error)}; correct the query or its data") from None


def has_row_order(frame: Any) -> bool:
    """Return whether a lazy frame has the same row order each time it is collected.

    Scans, selections and functions of single columns preserve the order. Joins, group-bys, samples and unknown
    operations are assumed to change the order, although some of them preserve it.
    """
    native = frame.to_native()
    if isinstance(frame, DaskQuery):
        nodes = [{kind.__name__ for kind in type(node).__mro__} for node in native.expr.walk()]
        return all(names & _DASK_NODES and not names & _DASK_FUNCTIONS for names in nodes)
    library = frame.implementation.name.lower()
    if library == "polars":
        lines = _polars_plan(native)
        return all(_POLARS_NODES.match(line) and not _POLARS_UNORDERED.search(line) for line in lines)
    if library == "duckdb":
        plan = run_query(native.explain)
        lines = plan.splitlines()
        titles = [line for line in lines if "\u256d" in line]
        titles += [below for line, below in pairwise(lines) if "\u250c" in line]
        return bool(titles) and not any(map(_DUCKDB_UNORDERED.search, titles)) and not _DUCKDB_RANDOM.search(plan)
    return False


def _polars_plan(frame: Any) -> list[str]:
    """Return the lines of the plan of a polars query, without the names in them."""
    plan = re.sub(r'"[^"]*"', '""', frame.explain(optimized=False))
    return [line.strip() for line in plan.splitlines() if line.strip()]


class DataFrameSource(BlockSource):
    """Data frame, eager or lazy.

    A lazy frame with a fixed row order is queried for each block of columns; other lazy frames are collected once.

    Attributes
    ----------
    is_ordered : bool
        Whether the row order is fixed, so that the rows can be matched with separate arrays.
    """

    def __init__(self, frame: Any) -> None:
        import narwhals as nw

        self.is_ordered = isinstance(frame, nw.DataFrame) or has_row_order(frame)
        frame = frame if self.is_ordered else self.collect(frame)
        schema = run_query(frame.collect_schema)
        self.frame, self.columns, self._lazy = frame, list(schema), not isinstance(frame, nw.DataFrame)
        self.is_streamed = self._lazy
        library = getattr(frame, "implementation", None)  # a Dask query has none
        self._library = library.name.lower() if library is not None and self._lazy else ""
        self._is_scan = self._library == "polars" and all(map(_POLARS_SCAN.match, _polars_plan(frame.to_native())))
        if self._lazy and not self._is_scan:  # each query also returns the labels; only DuckDB returns rows in parts
            self.reading_copies = 3 if self._library == "duckdb" else _QUERY_COPIES
        self._labels: tuple[str, Labels] | None = None
        if isinstance(frame, nw.LazyFrame):
            rows = self.collect(frame.select(nw.len())).item()
        else:
            rows = len(frame.to_native())
        self.shape = int(rows), len(self.columns)
        self._kinds = kinds = [type(kind).__name__ for kind in schema.values()]
        self._is_text = np.array([self._holds_text(*item) for item in enumerate(kinds)], dtype=bool)

    def dtype(self, columns: ColumnIndices) -> Any:
        """Return float32 if all numeric columns are of float16 or float32, otherwise float64."""
        numeric = {self._kinds[index] for index in columns.tolist() if not self._is_text[index]}
        return np.float32 if numeric and numeric <= {*_FLOAT32_TYPES} else np.float64

    def iter_blocks(self, columns: ColumnIndices | None, budget: MemoryBudget = DEFAULT_BUDGET) -> BlockIterator:
        """Yield Fortran-ordered blocks; blocks of files are larger, since each query opens all files."""
        return super().iter_blocks(columns, self._own(budget))

    def iter_fillers(self, columns: ColumnIndices, width: int, budget: MemoryBudget) -> Iterator[tuple[slice, Filler]]:
        """Yield the slice of each block, and a function that writes the block.

        With several threads, a block of files is queried while the previous one is written.
        """
        if not self._queries_ahead((self.shape[0], width), np.dtype(self.dtype(columns)), budget):
            return super().iter_fillers(columns, width, budget)

        def query(place: slice) -> tuple[slice, Filler]:
            parts = [*self._query_parts(columns[place], self.shape[0])]
            # an exhausted iterator does not keep the list
            return place, partial(self._write_parts, columns=columns[place], parts=iter(parts))

        return read_ahead(map(query, block_slices(len(columns), width)))

    def n_ahead(self, block: Any, budget: MemoryBudget) -> int:
        """Return how many blocks may be read while this one is processed, without the block that is queried."""
        return super().n_ahead(block, budget) - self._queries_ahead(block.shape, block.dtype, budget)

    def _own(self, budget: MemoryBudget) -> MemoryBudget:
        return budget._replace(largest_block=_SCAN_BLOCK) if self._is_scan else budget

    def _queries_ahead(self, shape: tuple[int, int], dtype: np.dtype[Any], budget: MemoryBudget) -> bool:
        """Return whether the budget allows that a block is queried while the previous one is written."""
        n_bytes = shape[0] * shape[1] * dtype.itemsize
        if not self._is_scan or budget.n_jobs == 1 or self._n_parts(n_bytes, self._own(budget)) > 1:
            return False
        return budget.n_ahead(n_bytes, shape[1], self.reading_copies * 8 / dtype.itemsize) > 1

    def read_into(self, out: NDArray[Any], columns: ColumnIndices) -> None:
        """Write the selected columns into an array, with NaN for nulls and for columns that are not numeric."""
        with closing(self._query_parts(columns, self.shape[0])) as parts:
            self._write_parts(out, columns, parts)

    def fill(self, block: NDArray[Any], columns: ColumnIndices, budget: MemoryBudget) -> None:
        """Write the selected columns into a block; files are read in parts if the budget is small."""
        n_rows = ceil(len(block) / self._n_parts(block.nbytes, budget))
        with closing(self._query_parts(columns, n_rows)) as parts:
            self._write_parts(block, columns, parts)

    def _n_parts(self, n_bytes: int, budget: MemoryBudget) -> int:
        """Return the number of parts in which a block is read from files."""
        needed = (_QUERY_COPIES + budget.copies) * n_bytes + _FIXED_BYTES
        is_small = n_bytes <= budget.block_bytes or budget.total is None or needed <= budget.total
        return 1 if is_small else ceil(2 * n_bytes / budget.block_bytes)

    def _query_parts(self, columns: ColumnIndices, n_rows: int) -> Generator[Any, None, None]:
        """Yield the selected columns that are numeric, as many rows at a time as ``_query`` yields.

        The generator must be closed before the next query, since a DuckDB connection runs one query at a time.
        """
        names = [self.columns[column] for column in columns[~self._is_text[columns]]]
        if not self._lazy:
            yield self.frame
        elif names:
            yield from self._query_in_order(names, n_rows)

    def _write_parts(self, out: NDArray[Any], columns: ColumnIndices, parts: Iterable[Any]) -> None:
        """Write the selected columns into an array from parts with some of the rows."""
        is_text, start = self._is_text[columns], 0
        out[:, is_text] = np.nan
        for part in parts:
            for place in np.flatnonzero(~is_text).tolist():
                row, name = start, self.columns[columns[place]]
                for chunk in _float_chunks(part.get_column(name)):
                    out[row : row + len(chunk), place] = frame_column_to_floats(str(name), chunk)
                    row += len(chunk)
            start += len(part)
            del part  # its memory is needed for the next part

    def column(self, column: int) -> NDArray[Any]:
        """Return one column unchanged, with None for nulls."""
        name = self.columns[column]
        part = self.collect(self.frame.select([name])) if self._lazy else self.frame
        return column_to_labels(part.get_column(name))

    def labels(self, column: int) -> Labels:
        """Return one column as labels; the text of a query is coded."""
        if not self._lazy or self._kinds[column] not in CODED_TYPES:
            return self.column(column)
        name = self.columns[column]
        query: Any = self._query([name], _LABEL_ROWS)
        with closing(query) as parts:
            return code_labels(part.get_column(name) for part in parts)

    def first_text(self, column: int) -> Any:
        """Return the first text or date of a column, or None."""
        query = self.frame.select([self.columns[column]])
        if isinstance(query, DaskQuery):
            return super().first_text(column)
        first = query.drop_nulls().head(1)
        part = self.collect(first) if self._lazy else first
        return next(iter_text(column_to_labels(part.get_column(self.columns[column]))), None)

    def check_order_by(self, column: int) -> Labels:
        """Return the label column; for a query, store the labels so that later queries can check the row order."""
        labels = self.labels(column)
        if len(labels) != self.shape[0]:
            raise RocPredictError(_NO_ORDER)
        self._labels = (self.columns[column], labels) if self._lazy and not self._is_scan else None
        return labels

    def _query(self, names: list[str], n_rows: int) -> Iterator[Any]:
        """Yield the rows of a query in parts: ``n_rows`` rows of files, some rows of DuckDB, or all rows."""
        import narwhals as nw

        query = self.frame.select(names)
        if self._is_scan and n_rows < self.shape[0]:
            for start in range(0, self.shape[0], n_rows):
                length = n_rows if start + n_rows < self.shape[0] else None
                yield self.collect(nw.from_native(query.to_native().slice(start, length)))
        elif self._library == "duckdb":
            import pyarrow as pa

            relation = query.to_native()
            open_reader = getattr(relation, "to_arrow_reader", relation.fetch_record_batch)
            with closing(run_query(lambda: open_reader(_CHUNK_ROWS))) as reader:
                while (batch := run_query(lambda: next(reader, None))) is not None:
                    yield nw.from_native(pa.Table.from_batches([batch]), eager_only=True)
        else:
            yield self.collect(query)

    def _query_in_order(self, names: list[str], n_rows: int) -> Iterator[Any]:
        """Query columns together with the labels, or raise RocPredictError if the row order has changed."""
        start, (name, labels) = 0, self._labels or (None, None)
        checked = names if name is None else list(dict.fromkeys([*names, name]))
        for part in self._query(checked, n_rows):
            stop = start + len(part)
            if stop > self.shape[0] or (labels is not None and not _are_equal(part.get_column(name), labels, start)):
                raise RocPredictError(_NO_ORDER)
            yield part
            del part
            start = stop
        if start < self.shape[0]:
            raise RocPredictError(_NO_ORDER)

    def validate(self, columns: Iterable[int]) -> None:
        """Raise RocPredictError if a column of objects has both numbers and text."""
        for index in columns:
            if self._kinds[index] in _OBJECT_TYPES and not self._lazy:
                to_numeric(str(self.columns[index]), np.asarray(self.frame.get_column(self.columns[index]).to_numpy()))

    def collect(self, query: Any) -> Any:
        """Run a query on a lazy frame."""
        return run_query(query.collect)

    def _holds_text(self, index: int, kind: str) -> bool:
        if kind not in _TEXT_TYPES and kind not in _OBJECT_TYPES:
            return False
        if self._lazy:
            return kind != "Unknown"
        series = self.frame.get_column(self.columns[index])
        if kind in _OBJECT_TYPES:
            return is_text_column(np.asarray(series.to_numpy()))
        return kind in _TIME_TYPES or bool(series.null_count() < len(series))


def code_labels(columns: Iterable[Any]) -> CodedLabels:
    """Return adjacent parts of a column of text as coded labels."""
    codes: dict[Any, int] = {}
    parts = [_code_part(column, codes) for column in columns]
    return CodedLabels.of(np.array([*codes]), parts)


def _code_part(series: Any, codes: dict[Any, int]) -> NDArray[np.int32]:
    """Return the code of each value of a column; a new value is added to ``codes``, and the code of a null is -1."""
    import narwhals as nw

    result, is_category = np.empty(len(series), dtype=np.int32), isinstance(series.dtype, (nw.Categorical, nw.Enum))
    for rows in block_slices(len(series), _CHUNK_ROWS):
        part = series[rows].cast(nw.String) if is_category else series[rows]
        names = part.drop_nulls().unique().to_list()
        if names:
            places = [codes.setdefault(name, len(codes)) for name in names]
            filled = part.fill_null(names[0])
            result[rows] = filled.replace_strict(names, places, return_dtype=nw.Int32).to_numpy()
        result[rows][np.asarray(part.is_null().to_numpy(), dtype=bool)] = -1
    return result


def _are_equal(series: Any, labels: Labels, start: int) -> bool:
    """Return whether a column contains the same labels as the rows from ``start``."""
    if isinstance(labels, CodedLabels):
        codes = {text: code for code, text in enumerate(labels.values.tolist())}
        return np.array_equal(_code_part(series, codes), labels.codes[start : start + len(series)])
    return all(
        _agree(column_to_labels(series[rows]), labels[start + rows.start : start + rows.stop])
        for rows in block_slices(len(series), _CHUNK_ROWS)
    )


def frame_to_source(frame: Any) -> ColumnSource:
    """Return a source for a frame; a pandas frame that consists of a single array is read as this array."""
    import narwhals as nw

    native = frame.to_native()
    if nw.dependencies.is_pandas_dataframe(native) and native.shape[1]:
        kinds = set(native.dtypes)
        if len(kinds) == 1 and all(isinstance(kind, np.dtype) and kind.kind in "biuf" for kind in kinds):
            # to_numpy copies a frame of several arrays; the first row of a single array is a view.
            first, column = native.iloc[:1].to_numpy(), native.iloc[:, 0].to_numpy()
            if np.may_share_memory(first, column[:1]):
                return DenseSource(native.to_numpy())
    return DataFrameSource(frame)


def _agree(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """Return whether two arrays of labels are equal; NaN, a missing label, equals NaN."""
    is_nan = (one != one) & (other != other) if len(one) == len(other) else False  # noqa: PLR0124
    return len(one) == len(other) and bool(np.all((one == other) | is_nan))


def column_to_labels(series: Any) -> NDArray[Any]:
    """Return the values of a column as an array, with None for nulls."""
    import narwhals as nw

    if not series.null_count() and (series.dtype.is_integer() or series.dtype.is_float()):
        return np.asarray(series.to_numpy())
    if series.dtype == nw.String and not series.null_count():
        names = series.unique().to_list()
        if len(names) < len(series) // 2:  # an object for each row would take more memory than the column
            texts, codes = np.array(names), list(range(len(names)))
            labels = np.empty(len(series), dtype=texts.dtype)
            for rows in block_slices(len(series), _CHUNK_ROWS):
                labels[rows] = texts[series[rows].replace_strict(names, codes, return_dtype=nw.Int32).to_numpy()]
            return labels
    items = series.to_list()
    return np.array(items) if {*map(type, items)} in ({bool}, {str}) else _objects(items)


def _float_chunks(series: Any) -> list[Any]:
    """Return the chunks of a polars column of floats if these chunks are long; otherwise, return the whole column.

    Chunks can be read without a copy.
    """
    import narwhals as nw

    native = series.to_native()
    if not series.dtype.is_float() or not hasattr(native, "n_chunks") or len(native) < _CHUNK_ROWS * native.n_chunks():
        return [series]
    return [nw.from_native(chunk, series_only=True) for chunk in native.get_chunks()]


def is_text_type(kind: Any) -> bool:
    """Return whether columns of a data type contain text, dates or other objects."""
    return type(kind).__name__ in (*_TEXT_TYPES, "Object")


def frame_column_to_floats(name: str, series: Any) -> NDArray[Any]:
    """Return a column as floats, with NaN for nulls."""
    import narwhals as nw

    kind = series.dtype
    if kind.is_float():
        return np.asarray(series.to_numpy())
    if isinstance(kind, (nw.Boolean, nw.Decimal)):
        floats = np.asarray(series.cast(nw.Float64).to_numpy())
        large = np.abs(floats) >= 2.0**53
        if large.any():
            numbers = series.filter(large.tolist()).to_list()
            check_exact_integers(f"column {name!r}", [int(number) for number in numbers if number == int(number)])
        return floats
    if kind.is_integer() and not isinstance(kind, (nw.Int128, nw.UInt128)):
        floats = as_float_array(f"column {name!r}", np.asarray(series.fill_null(0).to_numpy()))
        return np.where(np.asarray(series.is_null().to_numpy(), dtype=bool), np.nan, floats)
    values = _objects(series.to_list()) if kind.is_integer() else np.asarray(series.to_numpy())
    numbers = to_numeric(name, values)
    return np.full(len(values), np.nan) if numbers is None else numbers


def _objects(items: list[Any]) -> NDArray[Any]:
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array


INDEX_NAMES = "", "Unnamed: 0", "__index_level_0__"
"""Names of a column with row indices.

The name is "" in CSV files that pandas or R wrote, "Unnamed: 0" if pandas reads such a file, and "__index_level_0__" in
Parquet files that pandas wrote."""


def check_feature_names(names: Any, columns: int, holder: str = "X") -> NDArray[np.str_]:
    """Return one name for each column; raise RocPredictError if names are not unique or their number is wrong."""
    if names is None:
        return np.array([f"x{place}" for place in range(columns)])
    items = check_list("feature_names", names, f"one name for each column of {holder}")
    if len(items) != columns:
        counts = f"feature_names has {pluralize(len(items), 'name')} and {holder} has {pluralize(columns, 'column')}"
        raise RocPredictError(f"{counts}; pass one name for each column")
    return check_unique_names(items)


def check_unique_names(names: Sized) -> NDArray[np.str_]:
    """Return names as text, or raise RocPredictError if they are not unique."""
    groups: defaultdict[str, list[Any]] = defaultdict(list)
    for name in names:  # type: ignore[attr-defined]
        groups[str(name)].append(name)
    if len(groups) < len(names):
        duplicates = [group for group in groups.values() if len(group) > 1]
        more = f" (and {len(duplicates) - 5} more)" if len(duplicates) > 5 else ""
        raise RocPredictError(
            f"X has {', '.join(map(_describe_duplicates, duplicates[:5]))}{more}; column names must be unique"
        )
    return np.array(list(groups), dtype=np.str_)


def _describe_duplicates(group: list[Any]) -> str:
    kinds = sorted({repr(name) for name in group})
    if len(kinds) == 1:
        return f"the column name {kinds[0]} {'twice' if len(group) == 2 else f'{len(group)} times'}"
    return f"the column names {' and '.join(kinds)}, which are identical when converted to text"


def to_numeric(name: str, values: NDArray[Any]) -> NDArray[Any] | None:
    """Return a column as floats with NaN for missing values, or None for text, dates and other objects.

    Raises
    ------
    RocPredictError
        If the column contains complex numbers, integers that float64 cannot represent exactly, or both numbers and
        text.
    """
    if is_text_column(values):
        return None
    if values.dtype.kind == "c":
        raise RocPredictError(f"column {name!r} contains complex numbers; real numbers are needed")
    plain, mask = np.asarray(values), np.ma.getmaskarray(values)
    if mask.any():
        fill: Any = None if plain.dtype.kind == "O" else 0
        plain = np.where(mask, fill, plain)  # a masked value need not be a number
    if plain.dtype.kind == "O":
        plain = _clear_missing(name, plain)
    floats = as_float_array(f"column {name!r}", plain)
    return np.where(mask, np.nan, floats) if mask.any() else floats


def iter_text(values: NDArray[Any]) -> Iterator[str | bytes | date]:
    """Yield the texts and dates in a column."""
    return (item for item in values.tolist() if isinstance(item, str | bytes | date))


def is_text_column(values: NDArray[Any]) -> bool:
    """Return whether a column has values, but no numbers."""
    if values.dtype.kind != "O":
        return values.dtype.kind not in "biufc"
    items = values[~np.ma.getmaskarray(values)]
    return any(map(_is_text_item, items)) and not any(_is_number(item) and not is_missing(item) for item in items)


def _clear_missing(name: str, values: NDArray[Any]) -> NDArray[Any]:
    """Return a column of objects with None for missing values; raise RocPredictError if there is text among numbers."""
    other_rows = [row for row, item in enumerate(values) if not _is_number(item)]
    text_rows = [row for row in other_rows if _is_text_item(values[row])]
    if any(isinstance(values[row], Complex) for row in text_rows):
        raise RocPredictError(f"column {name!r} contains complex numbers; real numbers are needed")
    if text_rows:
        raise RocPredictError(
            f"column {name!r} contains {short_repr(values[text_rows[0]])} at row {text_rows[0]}, which is not a number"
            f"{number_format_hint(values[text_rows[0]])}; correct it, or leave the column out"
        )
    cleared = values.copy()
    cleared[other_rows] = None
    return cleared


def _is_number(item: Any) -> bool:
    return isinstance(item, (float, int, Real, np.bool_)) or (
        isinstance(item, Number) and not isinstance(item, Complex)
    )


def _is_text_item(item: Any) -> bool:
    """Return whether an item is neither a number nor missing."""
    return not _is_number(item) and (isinstance(item, Iterable) or not is_missing(item))
