"""Column sources: arrays, sparse matrices and data frames, in blocks of columns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from numbers import Complex, Number, Real
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rocpredict.base.validation import RocPredictError, as_float_array, is_missing, short_repr

BLOCK_BYTES = 32 * 2**20
"""How much memory one part of a table may take that is made for the purpose; the next is made beside it."""
BlockIterator: TypeAlias = Iterator[tuple[slice, Any]]
ColumnIndices: TypeAlias = NDArray[np.intp]


class ColumnSource(Protocol):
    """What holds a table: it gives its columns in parts, and one column as labels."""

    shape: tuple[int, int]

    def iter_blocks(self, columns: ColumnIndices | None) -> BlockIterator:
        """Give the chosen columns (None: all), each part with its place among them."""

    def column(self, column: int) -> NDArray[Any]:
        """Give one column as it stands."""

    def validate(self, columns: ColumnIndices | None) -> None:
        """Refuse chosen columns that cannot be read as numbers."""


class DenseSource:
    """Hold an array of numbers: all of it is one part, and so are neighbouring columns."""

    def __init__(self, array: NDArray[Any]) -> None:
        self.array = array
        self.shape: tuple[int, int] = array.shape

    def iter_blocks(self, columns: ColumnIndices | None) -> BlockIterator:
        """Give views where the columns are neighbours, else copies in blocks."""
        span = None if columns is None else as_contiguous_slice(columns)
        if columns is None:
            yield slice(0, self.shape[1]), self.array
            return
        if span is not None:
            yield slice(0, len(columns)), self.array[:, span]
            return
        for place in block_slices(len(columns), self.shape[0] * self.array.itemsize):
            yield place, np.asfortranarray(self.array[:, columns[place]])

    def column(self, column: int) -> NDArray[Any]:
        """Give one column."""
        return np.asarray(self.array[:, column])

    def validate(self, columns: ColumnIndices | None) -> None:
        """Find nothing to refuse."""


class SparseSource:
    """Hold a CSC or CSR matrix; parts are sparse too."""

    def __init__(self, matrix: Any) -> None:
        self.matrix = matrix
        self.shape: tuple[int, int] = matrix.shape

    def iter_blocks(self, columns: ColumnIndices | None) -> BlockIterator:
        """Give the matrix itself, or chosen columns in blocks."""
        if columns is None:
            yield slice(0, self.shape[1]), self.matrix
            return
        entry = self.matrix.data.itemsize + self.matrix.indices.itemsize
        for place in block_slices(len(columns), entry * self.matrix.nnz // self.shape[1]):
            yield place, self.matrix[:, columns[place]]

    def column(self, column: int) -> NDArray[Any]:
        """Give one column, zeros and all."""
        return np.asarray(self.matrix[:, [column]].toarray()[:, 0])

    def validate(self, columns: ColumnIndices | None) -> None:
        """Find nothing to refuse."""


class BlockSource:
    """Hold a table whose columns are fetched, in blocks under a budget of memory."""

    shape: tuple[int, int]

    def iter_blocks(self, columns: ColumnIndices | None) -> BlockIterator:
        """Give Fortran-ordered blocks."""
        wanted = np.arange(self.shape[1]) if columns is None else columns
        dtype = np.dtype(self.dtype(wanted))
        for place in block_slices(len(wanted), self.shape[0] * dtype.itemsize):
            made = np.empty((self.shape[0], len(wanted[place])), dtype=dtype, order="F")
            self.read_into(made, wanted[place])
            yield place, made

    def dtype(self, columns: ColumnIndices) -> Any:
        """Give what the chosen columns are read as."""
        return np.float64

    def read_into(self, out: NDArray[Any], columns: ColumnIndices) -> None:
        """Write the chosen columns into an array."""
        raise NotImplementedError

    def validate(self, columns: ColumnIndices | None) -> None:
        """Find nothing to refuse."""


class ColumnwiseSource(BlockSource):
    """Hold columns that become numbers one by one; those that hold none are NaN."""

    def __init__(self, names: Sequence[str], rows: int, column: Callable[[int], NDArray[Any]]) -> None:
        self.shape = rows, len(names)
        self.column = column
        self._names = names

    def validate(self, columns: ColumnIndices | None) -> None:
        """Refuse columns of objects that are partly numbers."""
        for index in range(self.shape[1]) if columns is None else columns.tolist():
            column = self.column(index)
            if column.dtype.kind not in "biuf":
                to_numeric(self._names[index], column)

    def read_into(self, out: NDArray[Any], columns: ColumnIndices) -> None:
        """Write the chosen columns as float64."""
        for place, index in enumerate(columns.tolist()):
            numbers = to_numeric(self._names[index], self.column(index))
            out[:, place] = np.nan if numbers is None else numbers


class SlicedSource(BlockSource):
    """Hold an array that lies elsewhere (HDF5, zarr, Dask) and is fetched by slices of columns."""

    def __init__(self, array: Any) -> None:
        self.array = array
        self.shape = array.shape

    def dtype(self, columns: ColumnIndices) -> Any:
        """Give float32 where that is what the array holds."""
        return np.float32 if self.array.dtype == np.float32 else np.float64

    def read_into(self, out: NDArray[Any], columns: ColumnIndices) -> None:
        """Fetch neighbouring columns in one go."""
        for first, run in contiguous_runs(columns):
            fetched = np.asarray(self.array[:, run])
            floats = as_float_array("X", fetched) if fetched.dtype.kind in "iu" else fetched
            out[:, first : first + floats.shape[1]] = floats

    def column(self, column: int) -> NDArray[Any]:
        """Give one column."""
        return np.asarray(self.array[:, column])


def as_contiguous_slice(columns: ColumnIndices) -> slice | None:
    """Give the slice that the columns are, if they are neighbours in their order."""
    if not len(columns) or (np.diff(columns) != 1).any():
        return None
    return slice(int(columns[0]), int(columns[-1]) + 1)


def contiguous_runs(columns: ColumnIndices) -> Iterator[tuple[int, slice]]:
    """Give the slices of neighbours that columns fall into, and where each of them begins."""
    if len(columns):
        for run in np.split(np.arange(len(columns)), np.flatnonzero(np.diff(columns) != 1) + 1):
            yield int(run[0]), slice(int(columns[run[0]]), int(columns[run[-1]]) + 1)


def block_slices(count: int, column_bytes: int) -> Iterator[slice]:
    """Cut ``count`` columns into blocks under the budget, one column at least in each."""
    width = max(1, BLOCK_BYTES // max(1, column_bytes))
    for start in range(0, count, width):
        yield slice(start, min(start + width, count))


_FRAME_MODULES = (
    "pandas",
    "polars",
    "pyarrow",
    "duckdb",
    "narwhals",
    "modin",
    "cudf",
    "dask",
    "ibis",
    "pyspark",
    "sqlframe",
)
_TIMES = ("Date", "Datetime", "Duration", "Time")
_WORDS = ("String", "Categorical", "Enum", "Binary", "List", "Array", "Struct", *_TIMES)
_MIXED = ("Object", "Unknown")
_FLOAT32_TYPES = ("Float16", "Float32")


def is_dataframe_like(X: Any) -> bool:
    """Tell what narwhals has to be asked about."""
    return type(X).__module__.partition(".")[0] in _FRAME_MODULES


def as_frame(X: Any) -> Any:
    """Give the narwhals frame of X, or None for what is no frame (a series).

    Raises
    ------
    RocPredictError
        Narwhals is not installed; column names that are not different.
    """
    try:
        import narwhals as nw
    except ImportError:
        kind = f"{type(X).__module__.partition('.')[0]} {type(X).__name__}"
        raise RocPredictError(f"a {kind} needs narwhals: pip install 'rocpredict[frames]'") from None
    native = nw.to_native(X, pass_through=True)
    if nw.dependencies.is_pandas_dataframe(native):
        check_unique_names(list(native.columns))  # narwhals has words of its own for names that occur twice
    elif nw.dependencies.is_pyarrow_table(native):
        check_unique_names(native.column_names)
    frame = nw.from_native(X, pass_through=True)
    return frame if isinstance(frame, (nw.DataFrame, nw.LazyFrame)) else None


class DataFrameSource(BlockSource):
    """Hold a frame; a lazy one is asked for each block of columns, in the order of its rows."""

    def __init__(self, frame: Any) -> None:
        import narwhals as nw

        schema = frame.collect_schema()
        self.frame, self.columns, self._lazy = frame, list(schema), isinstance(frame, nw.LazyFrame)
        rows = self.collect(frame.select(nw.len())).item() if self._lazy else len(frame)
        self.shape = int(rows), len(self.columns)
        self._kinds = kinds = [type(kind).__name__ for kind in schema.values()]
        self.not_numeric = np.array([self._is_text(*it) for it in enumerate(kinds)], dtype=bool)

    def dtype(self, columns: ColumnIndices) -> Any:
        """Give float32 where no column needs more."""
        numeric = {self._kinds[index] for index in columns.tolist() if not self.not_numeric[index]}
        return np.float32 if numeric and numeric <= {*_FLOAT32_TYPES} else np.float64

    def read_into(self, out: NDArray[Any], columns: ColumnIndices) -> None:
        """Write the chosen columns, NaN for nulls and for what is not numeric."""
        wanted = [self.columns[index] for index in columns.tolist() if not self.not_numeric[index]]
        part = self.collect(self.frame.select(wanted)) if self._lazy and wanted else self.frame
        for place, index in enumerate(columns.tolist()):
            if self.not_numeric[index]:
                out[:, place] = np.nan
            else:
                name = self.columns[index]
                out[:, place] = _floats(str(name), part.get_column(name))

    def column(self, column: int) -> NDArray[Any]:
        """Give one column as it stands, None for nulls."""
        name = self.columns[column]
        part = self.collect(self.frame.select(name)) if self._lazy else self.frame
        series = part.get_column(name)
        if not series.null_count() and (series.dtype.is_integer() or series.dtype.is_float()):
            return np.asarray(series.to_numpy())
        items = series.to_list()
        return np.array(items) if {*map(type, items)} in ({bool}, {str}) else _objects(items)

    def validate(self, columns: ColumnIndices | None) -> None:
        """Refuse columns of objects that are partly numbers."""
        for index in range(self.shape[1]) if columns is None else columns.tolist():
            if self._kinds[index] in _MIXED and not self._lazy:
                to_numeric(str(self.columns[index]), np.asarray(self.frame.get_column(self.columns[index]).to_numpy()))

    def collect(self, query: Any) -> Any:
        """Run a query on a lazy frame."""
        return query.collect()

    def _is_text(self, index: int, kind: str) -> bool:
        if kind not in _WORDS and kind not in _MIXED:
            return False
        if self._lazy:
            return kind != "Unknown"
        series = self.frame.get_column(self.columns[index])
        if kind in _MIXED:
            return is_text_column(np.asarray(series.to_numpy()))
        return kind in _TIMES or bool(series.null_count() < len(series))


def frame_to_source(frame: Any) -> tuple[ColumnSource, NDArray[np.bool_]]:
    """Give the source of a frame, and which of its columns are not numeric.

    A pandas frame that is one array inside is taken as that array.
    """
    array = _one_array(frame)
    if array is not None:
        return DenseSource(array), np.zeros(array.shape[1], dtype=bool)
    held = DataFrameSource(frame)
    return held, held.not_numeric


def _one_array(frame: Any) -> NDArray[Any] | None:
    import narwhals as nw

    native = frame.to_native()
    if not nw.dependencies.is_pandas_dataframe(native) or not native.shape[1]:
        return None
    kinds = set(native.dtypes)
    if len(kinds) > 1 or not all(isinstance(kind, np.dtype) and kind.kind in "biuf" for kind in kinds):
        return None
    # Several arrays inside would be copied into one: the first row tells, as it is a view of a single one.
    first, column = native.iloc[:1].to_numpy(), native.iloc[:, 0].to_numpy()
    return native.to_numpy() if np.may_share_memory(first, column[:1]) else None


def _floats(name: str, series: Any) -> NDArray[Any]:
    """Give a column as floats, NaN for nulls."""
    import narwhals as nw

    kind = series.dtype
    if kind.is_float():
        return np.asarray(series.to_numpy())
    if isinstance(kind, (nw.Boolean, nw.Decimal)):
        return np.asarray(series.cast(nw.Float64).to_numpy())
    if kind.is_integer() and not isinstance(kind, (nw.Int128, nw.UInt128)):
        return _integers(name, series)
    wide = kind.is_integer()
    values = _objects(series.to_list()) if wide else np.asarray(series.to_numpy())
    floats = to_numeric(name, values)
    return np.full(len(values), np.nan) if floats is None else floats


def _integers(name: str, series: Any) -> NDArray[Any]:
    if not series.null_count():
        floats = to_numeric(name, np.asarray(series.to_numpy()))
        assert floats is not None
        return floats
    held = to_numeric(name, np.asarray(series.fill_null(0).to_numpy()))
    assert held is not None
    missing = np.asarray(series.is_null().to_numpy(), dtype=bool)
    return np.where(missing, np.nan, held)


def _objects(items: list[Any]) -> NDArray[Any]:
    held = np.empty(len(items), dtype=object)
    held[:] = items
    return held


def check_feature_names(names: Iterable[Any] | None, columns: int, holder: str = "X") -> NDArray[np.str_]:
    """Give one name for each column, or refuse names that are too many, too few or not different.

    They are what users give as ``feature_names=``.
    """
    if names is None:
        return np.array([f"x{place}" for place in range(columns)])
    if isinstance(names, (str, bytes)) or not isinstance(names, Iterable):
        raise RocPredictError(
            f"feature_names={short_repr(names)} is not a list of names; give one for each column of {holder}"
        )
    listed = names.tolist() if isinstance(names, np.ndarray) else list(names)
    if len(listed) != columns:
        counts = f"feature_names has {len(listed)} names and {holder} has {columns} columns"
        raise RocPredictError(f"{counts}; give one for each")
    return check_unique_names(listed)


def check_unique_names(names: Sized) -> NDArray[np.str_]:
    """Give names of any kind as text, or refuse those that are not different."""
    held: defaultdict[str, list[Any]] = defaultdict(list)
    for name in names:  # type: ignore[attr-defined]
        held[str(name)].append(name)
    if len(held) < len(names):
        alike = [group for group in held.values() if len(group) > 1]
        more = f" (and {len(alike) - 5} more)" if len(alike) > 5 else ""
        raise RocPredictError(
            f"X has {', '.join(map(_describe_duplicates, alike[:5]))}{more}; features need different names"
        )
    return np.array(list(held), dtype=np.str_)


def _describe_duplicates(group: list[Any]) -> str:
    kinds = sorted({repr(name) for name in group})
    if len(kinds) == 1:
        return f"the column name {kinds[0]} {'twice' if len(group) == 2 else f'{len(group)} times'}"
    return f"the column names {' and '.join(kinds)}, which are the same as text"


def to_numeric(name: str, values: NDArray[Any]) -> NDArray[Any] | None:
    """Give a column as floats, NaN for what is missing, or None where it holds text, dates or the like.

    Raises
    ------
    RocPredictError
        Complex numbers, integers that float64 cannot tell apart, numbers and other things in one column.
    """
    if isinstance(values, np.ma.MaskedArray):
        return _unmasked(name, values)
    if values.dtype.kind == "O":
        return _from_objects(name, values)
    if values.dtype.kind == "c":
        raise RocPredictError(f"column {name!r} holds complex numbers; real numbers are needed")
    if values.dtype.kind not in "biuf":
        return None
    if values.dtype.kind == "f" and values.dtype.itemsize <= 8:
        return values
    return as_float_array(f"column {name!r}", values)


def is_text_column(values: NDArray[Any]) -> bool:
    """Tell a column that holds something, and no number."""
    if values.dtype.kind != "O":
        return values.dtype.kind not in "biufc"
    items = values[~np.ma.getmaskarray(values)]
    return any(map(_is_text_item, items)) and not any(_is_number(item) and not is_missing(item) for item in items)


def _unmasked(name: str, values: np.ma.MaskedArray[Any, Any]) -> NDArray[Any] | None:
    mask = np.ma.getmaskarray(values)
    plain = np.asarray(values.filled(0) if values.dtype.kind in "iuO" else values.data)  # under a mask lies no number
    held = to_numeric(name, plain)
    if held is None:
        return None
    floats = held.astype(np.float64)
    floats[mask] = np.nan
    return floats


def _from_objects(name: str, values: NDArray[Any]) -> NDArray[Any] | None:
    """Give a column of objects as numbers: Decimals, Fractions, None ..."""
    if is_text_column(values):
        return None
    are_numbers = np.fromiter(map(_is_number, values), dtype=bool, count=len(values))
    others = np.flatnonzero(~are_numbers)
    words = [row for row in others.tolist() if _is_text_item(values[row])]
    if not words:
        plain = values.copy()
        plain[others] = None
        return as_float_array(f"column {name!r}", plain)
    if any(isinstance(values[row], Complex) for row in words):
        raise RocPredictError(f"column {name!r} holds complex numbers; real numbers are needed")
    raise RocPredictError(
        f"column {name!r} holds {short_repr(values[words[0]])} at row {words[0]}, which is not a number, among "
        "numbers; "
        "correct it, or leave the column out"
    )


def _is_number(item: Any) -> bool:
    return isinstance(item, (float, int, Real, np.bool_)) or (
        isinstance(item, Number) and not isinstance(item, Complex)
    )


def _is_text_item(item: Any) -> bool:
    """Tell what is neither number nor missing."""
    return not _is_number(item) and (isinstance(item, Iterable) or not is_missing(item))
