"""Tables that are not in memory: temporary files, Arrow data sets and readers, and sparse matrices in h5ad files."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import IO, Any
from weakref import finalize

import numpy as np
from numpy.typing import NDArray

from rocpredict.base.labels import CodedLabels, Labels
from rocpredict.base.validation import FloatArray, RocPredictError, first_line
from rocpredict.sources.blocks import (
    CODED_TYPES,
    DEFAULT_BUDGET,
    BlockIterator,
    BlockMemory,
    BlockSource,
    ColumnIndices,
    ColumnSource,
    MemoryBudget,
    TileIterator,
    block_slices,
    code_labels,
    column_to_labels,
    contiguous_runs,
    frame_column_to_floats,
    is_text_type,
    iter_text,
    split_by_weight,
)

SPOOL_CELLS = 2**18
"""Number of cells that are written to the temporary file at a time."""
MEMORY_BYTES = 2**20
"""Largest size of a table, in bytes, that is kept in memory instead of a temporary file."""


def _write(file: IO[bytes], values: NDArray[Any]) -> None:
    """Write an array to a temporary file, or raise RocPredictError if the folder is full."""
    try:
        file.write(np.ascontiguousarray(values).data)
    except OSError as error:
        raise RocPredictError(
            f"cannot write temporary data to {tempfile.gettempdir()}: {error.strerror or error}; "
            "set the environment variable TMPDIR to another folder"
        ) from None


class SpooledColumns(BlockSource):
    """Columns of float64 in a temporary file; rows can be added, and blocks of columns can be read."""

    is_streamed = True

    def __init__(self, columns: int) -> None:
        self.shape = 0, columns
        self._file = tempfile.SpooledTemporaryFile(max_size=MEMORY_BYTES)  # noqa: SIM115
        self._pending: list[FloatArray] = []
        self._pending_rows = 0
        self._pieces: list[tuple[int, int]] = []
        finalize(self, self._file.close)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for pickling, with the stored numbers instead of the open file."""
        self.flush()
        self._file.seek(0)
        return {"shape": self.shape, "pieces": self._pieces, "content": self._file.read()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["shape"][1])  # type: ignore[misc]
        self.shape, self._pieces = state["shape"], state["pieces"]
        self._file.write(state["content"])

    def append(self, values: FloatArray) -> None:
        """Add the rows of an array of shape (columns, rows); raise RocPredictError if the temporary folder is full."""
        columns, rows = values.shape
        self.shape = self.shape[0] + rows, columns
        self._pending.append(values)
        self._pending_rows += rows
        if self._pending_rows * columns >= SPOOL_CELLS:
            self.flush()

    def flush(self) -> None:
        """Write the added rows to the temporary file."""
        if not self._pending:
            return
        self._pieces.append((self._file.tell(), self._pending_rows))
        _write(self._file, self._pending[0] if len(self._pending) == 1 else np.concatenate(self._pending, axis=1))
        self._pending, self._pending_rows = [], 0

    def read_into(self, out: NDArray[Any], columns: ColumnIndices) -> None:
        """Read the selected columns from the temporary file."""
        row = 0
        for offset, rows in self._pieces:
            for first, run in contiguous_runs(columns):
                width = run.stop - run.start
                self._file.seek(offset + 8 * rows * run.start)
                floats = np.frombuffer(self._file.read(8 * rows * width))
                out[row : row + rows, first : first + width] = floats.reshape((rows, width), order="F")
            row += rows

    def column(self, column: int) -> NDArray[Any]:
        """Return one column."""
        values = np.empty((self.shape[0], 1))
        self.read_into(values, np.array([column]))
        return values[:, 0]


class ArrowDataset(BlockSource):
    """pyarrow data set, read in tiles that each cover one row group and as many columns as fit into a block."""

    is_streamed = True

    def __init__(self, dataset: Any) -> None:
        import narwhals as nw

        self._schema = dataset.schema
        self._pieces = [piece for fragment in dataset.get_fragments() for piece in self._split(fragment)]
        self.names = list(self._schema.names)
        self.shape = sum(rows for _, rows in self._pieces), len(self.names)
        kinds = nw.from_native(self._schema.empty_table(), eager_only=True).schema.values()
        self._is_text = np.array([is_text_type(kind) for kind in kinds], dtype=bool)
        self._kinds = [type(kind).__name__ for kind in kinds]
        self._is_float32 = [str(kind) == "float" for kind in self._schema.types]

    def _split(self, fragment: Any) -> Iterator[tuple[Any, int]]:
        """Check the columns of a file, and yield each row group of the file with its number of rows."""
        with _refuse_unreadable(fragment):
            _check_arrow_types(fragment, self._schema)
            is_split = hasattr(fragment, "split_by_row_group")
            pieces = [*fragment.split_by_row_group()] if is_split else [fragment]
            sizes = [sum(group.num_rows for group in p.row_groups) if is_split else p.count_rows() for p in pieces]
        yield from zip(pieces, sizes, strict=True)

    def dtype(self, columns: ColumnIndices) -> Any:
        """Return float32 if no column needs more precision, otherwise float64."""
        is_float32 = [self._is_float32[index] for index in columns.tolist() if not self._is_text[index]]
        return np.float32 if is_float32 and all(is_float32) else np.float64

    def _read(self, piece: Any, names: list[str]) -> Any:
        import narwhals as nw
        import pyarrow as pa

        with _refuse_unreadable(piece):  # the other pools of pyarrow keep memory that is no longer used
            part = piece.to_table(schema=self._schema, columns=names, memory_pool=pa.system_memory_pool())
            return nw.from_native(part, eager_only=True)

    def _read_piece(self, out: NDArray[Any], piece: Any, columns: ColumnIndices) -> None:
        """Write the selected columns of a row group into an array."""
        indices = columns.tolist()
        part = self._read(piece, [self.names[index] for index in indices if not self._is_text[index]])
        for place, index in enumerate(indices):
            name = self.names[index]
            out[:, place] = np.nan if self._is_text[index] else frame_column_to_floats(name, part.get_column(name))

    def read_into(self, out: NDArray[Any], columns: ColumnIndices) -> None:
        """Write the selected columns into an array, one row group at a time."""
        start = 0
        for piece, rows in self._pieces:
            self._read_piece(out[start : start + rows], piece, columns)
            start += rows

    def iter_tiles(self, columns: ColumnIndices | None, budget: MemoryBudget = DEFAULT_BUDGET) -> TileIterator:
        """Yield tiles, each with the rows of a single row group."""
        selection = np.arange(self.shape[1]) if columns is None else columns
        dtype, start, memory = np.dtype(self.dtype(selection)), 0, BlockMemory()
        for piece, rows in self._pieces:
            for place in block_slices(len(selection), budget.block_width(rows * dtype.itemsize)):
                tile = memory.allocate((rows, place.stop - place.start), dtype)
                self._read_piece(tile, piece, selection[place])
                yield slice(start, start + rows), place, tile
                del tile
            start += rows

    def column(self, column: int) -> NDArray[Any]:
        """Return one column unchanged, with None for nulls."""
        name = self.names[column]
        parts = [column_to_labels(self._read(piece, [name]).get_column(name)) for piece, _ in self._pieces]
        return np.concatenate(parts)

    def first_text(self, column: int) -> Any:
        """Return the first text or date of a column, or None."""
        name = self.names[column]
        parts = (column_to_labels(self._read(piece, [name]).get_column(name)) for piece, _ in self._pieces)
        return next((text for part in parts for text in iter_text(part)), None)

    def labels(self, column: int) -> Labels:
        """Return one column as labels; text is coded."""
        name = self.names[column]
        if self._kinds[column] not in CODED_TYPES:
            return self.column(column)
        return code_labels(self._read(piece, [name]).get_column(name) for piece, _ in self._pieces)


@contextmanager
def _refuse_unreadable(piece: Any) -> Iterator[None]:
    """Convert errors of pyarrow while it reads a part of a data set to RocPredictError."""
    try:
        yield
    except RocPredictError:
        raise
    except (OSError, ValueError, NotImplementedError) as error:  # base classes of the errors of pyarrow
        raise RocPredictError(f"{_piece_name(piece)} cannot be read: {first_line(error)}") from None


def _piece_name(piece: Any) -> str:
    return str(getattr(piece, "path", "")) or "a part of X"


def _check_arrow_types(fragment: Any, schema: Any) -> None:
    """Raise RocPredictError if the columns of a file do not match the columns of the data set.

    Each column of the data set must exist in the file, and must be numeric either in both or in neither.
    """
    import pyarrow as pa

    own = fragment.physical_schema
    partition = str(getattr(fragment, "partition_expression", ""))
    for field in schema:
        if field.name not in own.names:
            if field.name not in partition:
                raise RocPredictError(
                    f"{_piece_name(fragment)} has no column {field.name!r}; all files need the same columns"
                )
            continue
        kind = own.field(field.name).type
        kinds = [pa.types.is_primitive(one) and not pa.types.is_temporal(one) for one in (kind, field.type)]
        if kinds[0] != kinds[1] and not pa.types.is_null(kind):
            raise RocPredictError(
                f"{_piece_name(fragment)}: column {field.name!r} has the type {kind}, but {field.type} in "
                "the schema of the data set; a column must have the same type in all files"
            )


class SpooledBatches(SpooledColumns):
    """Batches of rows that can be read only once; a temporary file stores them, with text encoded as integers."""

    def __init__(self, batches: Iterable[Any], schema: Any) -> None:
        import narwhals as nw
        import pyarrow as pa

        super().__init__(len(schema.names))
        self.names = list(schema.names)
        kinds = list(nw.from_native(schema.empty_table(), eager_only=True).schema.values())
        self._is_text = np.array([is_text_type(kind) for kind in kinds], dtype=bool)
        self._casts = [bool if str(kind) == "Boolean" else np.int64 if kind.is_integer() else None for kind in kinds]
        self._codes: list[dict[Any, int]] = [defaultdict(lambda: 0) for _ in kinds]
        for codes in self._codes:
            codes.default_factory = codes.__len__  # type: ignore[attr-defined]
        for batch in _read_once(batches):
            frame = nw.from_native(pa.Table.from_batches([batch]), eager_only=True)
            if len(frame):
                self.append(
                    np.stack([self._encode(place, frame.get_column(name)) for place, name in enumerate(self.names)])
                )
        self.flush()

    def _encode(self, place: int, series: Any) -> FloatArray:
        if not self._is_text[place]:
            return np.asarray(frame_column_to_floats(self.names[place], series), dtype=np.float64)
        codes = self._codes[place]
        items = (
            str(item) if isinstance(item, (list, dict)) else item for item in series.to_list()
        )  # of nested columns
        return np.fromiter((codes[item] for item in items), np.float64, len(series))

    def read_into(self, out: NDArray[Any], columns: ColumnIndices) -> None:
        """Read the selected columns; the values of non-numeric columns are replaced by NaN."""
        super().read_into(out, columns)
        out[:, self._is_text[columns]] = np.nan

    def column(self, column: int) -> NDArray[Any]:
        """Return one column unchanged, with None for nulls."""
        stored = np.empty((self.shape[0], 1))
        super().read_into(stored, np.array([column]))
        values, cast = stored[:, 0], self._casts[column]
        if self._is_text[column]:
            names = list(self._codes[column])
            categories = np.array(names, dtype=object if None in names else None)
            return categories[values.astype(np.intp)]
        return values if cast is None or np.isnan(values).any() else values.astype(cast)

    def first_text(self, column: int) -> Any:
        """Return the first text or date of a column, or None."""
        return next(iter_text(np.array([*self._codes[column]], dtype=object)), None)

    def labels(self, column: int) -> Labels:
        """Return one column as labels; text is coded."""
        names = [*self._codes[column]]
        if not names or {*map(type, names)} - {str, type(None)}:
            return self.column(column)
        is_text = np.array([name is not None for name in names])
        texts, codes = [name for name in names if name is not None], np.where(is_text, np.cumsum(is_text) - 1, -1)
        stored = np.empty((self.shape[0], 1))
        super().read_into(stored, np.array([column]))
        return CodedLabels.of(np.array(texts, dtype=np.str_), [codes[stored[:, 0].astype(np.intp)]])


def _read_once(batches: Iterable[Any]) -> Iterator[Any]:
    """Yield the batches, or raise RocPredictError if none is left because they have already been read."""
    is_empty = True
    try:
        for batch in batches:
            is_empty = False
            yield batch
    except (OSError, ValueError, NotImplementedError) as error:  # base classes of the errors of pyarrow
        raise RocPredictError(
            f"X cannot be read: {first_line(error)}; a reader can be read only once, so open it again"
        ) from None
    if is_empty:
        raise RocPredictError("X has no batches left; a reader can be read only once, so open it again")


def join_batches(batches: Iterable[Any], budget: MemoryBudget) -> Iterator[Any]:
    """Join batches into larger Arrow tables; the batches are read only once.

    Each table except the last one is at least as large as a block.
    """
    import pyarrow as pa

    waiting: list[Any] = []
    size, is_first = 0, True
    for batch in _read_once(batches):
        waiting.append(batch)
        if (size := size + batch.nbytes) >= budget.block_bytes:
            yield pa.Table.from_batches(waiting)
            waiting, size, is_first = [], 0, False
    if is_first or any(map(len, waiting)):
        yield pa.Table.from_batches(waiting)


class SparseFile(ColumnSource):
    """Sparse matrix of an h5ad file, read in blocks of columns (CSC) or of rows (CSR).

    Blocks of columns of a CSR matrix are read from a temporary file, which is written when it is first needed.
    """

    is_streamed = True

    def __init__(self, matrix: Any) -> None:
        self._matrix, self.shape = matrix, matrix.shape
        self._pieces: list[tuple[int, int, int, Any]] = []
        group = matrix.group
        self._bounds = np.asarray(group["indptr"][:], dtype=np.int64)
        self._entry_bytes = group["data"].dtype.itemsize + group["indices"].dtype.itemsize
        if group["data"].dtype.kind not in "biuf":
            raise RocPredictError(f"X is a sparse matrix with dtype {group['data'].dtype}; real numbers are needed")

    def _spans(self, stored: NDArray[Any], budget: MemoryBudget) -> list[slice]:
        """Divide rows or columns into spans whose stored values fit into a block."""
        # SciPy copies blocks when it joins them
        return split_by_weight(stored, max(1, budget.block_bytes // (2 * self._entry_bytes)))

    def iter_tiles(self, columns: ColumnIndices | None, budget: MemoryBudget = DEFAULT_BUDGET) -> TileIterator:
        """Yield blocks of rows if the matrix is CSR, and blocks of columns if it is CSC."""
        if self._matrix.format == "csc":
            yield from super().iter_tiles(columns, budget)
            return
        places = slice(0, self.shape[1] if columns is None else len(columns))
        for rows in self._spans(np.diff(self._bounds), budget):
            block = self._matrix[rows]
            yield rows, places, block if columns is None else block[:, columns]

    def iter_blocks(self, columns: ColumnIndices | None, budget: MemoryBudget = DEFAULT_BUDGET) -> BlockIterator:
        """Yield sparse blocks of columns."""
        selection = np.arange(self.shape[1]) if columns is None else columns
        if self._matrix.format == "csr" and not self._pieces:
            self._spool(budget)
        stored = np.diff(self._bounds) if self._matrix.format == "csc" else self._stored
        for place in self._spans(stored[selection], budget):
            yield place, self._read_columns(selection[place])

    def _read_columns(self, columns: ColumnIndices) -> Any:
        import scipy.sparse as sp

        blocks = []
        for _, run in contiguous_runs(columns):
            if self._matrix.format == "csc":
                blocks.append(self._matrix[:, run])
                continue
            parts = [self._read_piece(run, *piece) for piece in self._pieces]
            blocks.append(sp.vstack(parts, format="csc"))
        return blocks[0] if len(blocks) == 1 else sp.hstack(blocks, format="csc")

    def _spool(self, budget: MemoryBudget) -> None:
        """Write the matrix to a temporary file, as blocks of rows in CSC format."""
        self._file = tempfile.TemporaryFile()  # noqa: SIM115
        finalize(self, self._file.close)
        self._stored = np.zeros(self.shape[1], dtype=np.int64)
        for rows in self._spans(np.diff(self._bounds), budget):
            block = self._matrix[rows].tocsc()
            self._stored += np.diff(block.indptr)
            offset = self._file.tell()
            for array in (block.indptr.astype(np.int64), block.data, block.indices.astype(np.int32)):
                _write(self._file, array)
            self._pieces.append((offset, rows.stop - rows.start, block.nnz, block.data.dtype))
        self._file.flush()

    def _read_piece(self, run: slice, offset: int, rows: int, stored: int, dtype: Any) -> Any:
        """Read adjacent columns of one block of rows from the temporary file."""
        import scipy.sparse as sp

        def read(start: int, count: int, kind: Any) -> NDArray[Any]:
            self._file.seek(start)
            return np.frombuffer(self._file.read(count * np.dtype(kind).itemsize), kind)

        indptr = read(offset + 8 * run.start, run.stop - run.start + 1, np.int64)
        first, count = int(indptr[0]), int(indptr[-1] - indptr[0])
        data_start = offset + 8 * (self.shape[1] + 1)
        data = read(data_start + dtype.itemsize * first, count, dtype)
        indices = read(data_start + dtype.itemsize * stored + 4 * first, count, np.int32)
        return sp.csc_matrix((data, indices, indptr - first), shape=(rows, run.stop - run.start))

    def column(self, column: int) -> NDArray[Any]:
        """Return one column as a dense array."""
        (_, block), *_ = self.iter_blocks(np.array([column]))
        return np.asarray(block.toarray()[:, 0])

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for pickling, without the temporary file."""
        return {name: value for name, value in self.__dict__.items() if name not in ("_file", "_stored")} | {
            "_pieces": []
        }
