"""Feature table that provides a single interface to arrays, data frames and files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rocpredict.base.formatting import format_list, pluralize
from rocpredict.base.labels import check_index, check_label_part, check_labels, check_not_lazy
from rocpredict.base.progress import report_progress
from rocpredict.base.results import Result
from rocpredict.base.tables import Table
from rocpredict.base.validation import (
    NanPolicy,
    RocPredictError,
    check_list,
    number_format_hint,
    short_repr,
    suggest,
)
from rocpredict.sources.blocks import (
    COLLECT_REMEDY,
    DEFAULT_BUDGET,
    INDEX_NAMES,
    BlockIterator,
    ColumnSource,
    ColumnwiseSource,
    DataFrameSource,
    DenseSource,
    MemoryBudget,
    Output,
    SlicedSource,
    SparseSource,
    TileIterator,
    as_frame,
    check_feature_names,
    check_unique_names,
    frame_to_source,
    read_ahead,
    run_query,
)
from rocpredict.sources.streams import ArrowDataset, SparseFile, SpooledBatches, join_batches


@dataclass(frozen=True, eq=False, repr=False)
class FeatureTable(Result):
    """Table of features, read in blocks of columns.

    Attributes
    ----------
    names : array of str of shape (features,)
        Names of the features; "x0", "x1", ... if the table has no names.
    n_rows : int
        Number of rows.
    source : ColumnSource
        Source of the values: an array, a matrix, a frame or files.
    not_numeric : array of bool of shape (features,)
        Mask of the columns that contain text, dates or other objects. These columns are read as NaN.
    annotations : dict of str to array of shape (features,)
        Annotations of the features, such as the columns of ``.var`` in AnnData.
    column_indices : array of int of shape (features,), or None
        Indices of the feature columns in the source; None if all columns of the source are features.
    budget : MemoryBudget
        Memory budget for blocks.

    Examples
    --------
    >>> from rocpredict.sources.table import as_feature_table
    >>> table = as_feature_table([[1, 2], [3, 4], [5, 6]], names=["a", "b"])
    >>> table
    FeatureTable(3 rows, 2 features: 'a', 'b')
    >>> [part.shape for _, part in table.iter_blocks()]
    [(3, 2)]
    """

    names: NDArray[np.str_]
    n_rows: int
    source: ColumnSource
    not_numeric: NDArray[np.bool_]
    annotations: dict[str, NDArray[Any]] = field(default_factory=dict)
    column_indices: NDArray[np.intp] | None = None
    budget: MemoryBudget = DEFAULT_BUDGET

    def iter_blocks(self, features: Any = None) -> BlockIterator:
        """Yield the table in blocks of columns.

        Parameters
        ----------
        features : array of int, mask or slice, optional
            Features to read, in the requested order. By default, all.

        Yields
        ------
        place : slice
            Position of the block among the requested features.
        block : array or sparse matrix of shape (n_rows, features of the block)
            Values. If all features of an array or of a sparse matrix are read, the only block is the array or matrix
            itself, which is neither copied nor converted. Other tables are read in Fortran-ordered blocks of about
            32 MB (Parquet and Feather files: 80 MB), as float64 (or as float32 if all columns have this type). A block
            may be read-only.
        """
        chosen = self.column_indices if features is None else self._source_columns[features]
        return self._read_ahead(self.source.iter_blocks(chosen, self.budget))

    def map_blocks(self, work: Callable[[Any], Output]) -> Iterator[tuple[slice, Output, Any]]:
        """Yield the place of each block, ``work(block)``, and the block.

        Blocks of files and queries are processed by ``work`` in the thread that reads them.
        """

        def parts() -> Iterator[tuple[slice, Output, Any]]:
            for place, block in self.source.iter_blocks(self.column_indices, self.budget):
                yield place, work(block), block
                del block  # its memory is needed for the next block

        return self._read_ahead(parts())

    def iter_tiles(self) -> TileIterator:
        """Yield rectangular tiles of the table, in the order that is fastest to read.

        Yields
        ------
        rows, columns : slice
            Rows and columns of the tile. Tiles with the same columns are yielded in row order.
        tile : array or sparse matrix
            Values.
        """
        return self._read_ahead(self.source.iter_tiles(self.column_indices, self.budget))

    def _read_ahead(self, parts: Iterator[Any]) -> Iterator[Any]:
        """Read blocks or tiles of files and queries in advance, as many as the budget allows."""
        if not self.source.is_streamed:
            return parts
        return read_ahead(parts, lambda part: self.source.n_ahead(part[-1], self.budget))

    def select(self, features: Any) -> FeatureTable:
        """Return the table of the selected features.

        Parameters
        ----------
        features : array of int, mask or slice
            Features to keep, in the requested order.
        """
        return replace(
            self,
            names=self.names[features],
            not_numeric=self.not_numeric[features],
            annotations={name: column[features] for name, column in self.annotations.items()},
            column_indices=self._source_columns[features],
        )

    def column(self, feature: int) -> NDArray[Any]:
        """Return one column unchanged, as an array of shape (n_rows,)."""
        return self.source.column(int(self._source_columns[feature]))

    def describe_text(self, feature: int) -> str:
        """Return the first text in a non-numeric column; add a number format hint if it begins with a number."""
        text = self.source.first_text(int(self._source_columns[feature]))
        return "text, dates or other objects" if text is None else f"{short_repr(text)}{number_format_hint(text)}"

    def describe_not_numeric(self) -> str:
        """Return a sentence that lists the non-numeric columns and states a text in the first one, or ""."""
        words = np.flatnonzero(self.not_numeric)
        if not len(words):
            return ""
        listed, first = format_list(self.names[words], 10), f"{self.names[words[0]]} contains"
        reason = "Columns that were not screened, because they are not numeric"
        return f"{reason}: {listed}; {first} {self.describe_text(words[0])}."

    @property
    def _source_columns(self) -> NDArray[np.intp]:
        return np.arange(self.source.shape[1]) if self.column_indices is None else self.column_indices

    def __len__(self) -> int:
        return len(self.names)

    def table(self) -> Table:
        """Return a table that shows the name of each feature, and whether the feature is numeric."""
        rows = [[str(name), not bad] for name, bad in zip(self.names, self.not_numeric.tolist(), strict=True)]
        return Table(f"Table of {self.n_rows} rows and {pluralize(len(self), 'feature')}", ["feature", "numeric"], rows)

    def __repr__(self) -> str:
        names_text = ", ".join(short_repr(name, 40) for name in self.names[:3].tolist()) + (
            ", ..." if len(self) > 3 else ""
        )
        n_text = int(self.not_numeric.sum())
        names_text += f"; {n_text} not numeric" if n_text else ""
        return f"FeatureTable({pluralize(self.n_rows, 'row')}, {pluralize(len(self), 'feature')}: {names_text})"


def check_has_numeric(table: FeatureTable) -> FeatureTable:
    """Return the table, or raise RocPredictError if no column is numeric."""
    if not len(table):
        raise RocPredictError("X has no column other than the labels; pass at least one feature")
    if table.not_numeric.all():
        columns = "its only column holds" if len(table) == 1 else f"all {len(table)} columns hold"
        raise RocPredictError(
            f"X has no numeric column; {columns} text, dates or other objects: {format_names(table.names)}; "
            f"{str(table.names[0])!r} contains {table.describe_text(0)}; pass a numeric column"
        )
    table.source.validate(table._source_columns.tolist())
    return table


def _without_index(table: FeatureTable, X: Any) -> FeatureTable:
    """Return the table without columns of row indices.

    If X is a mapping or a feature table, no column is removed, because the user chose the names.
    """
    features = np.flatnonzero(~np.isin(table.names, INDEX_NAMES))
    return table if isinstance(X, (FeatureTable, Mapping)) or len(features) == len(table) else table.select(features)


def check_row_order(table: FeatureTable, name: str) -> None:
    """Raise RocPredictError if the rows have no fixed order and therefore cannot be matched with separate arrays."""
    if isinstance(table.source, DataFrameSource) and not table.source.is_ordered:
        remedy = "pass y as the name of a column, or " if name == "y" else ""
        raise RocPredictError(
            f"X is a query without a fixed row order, such as a join or a group_by, and {name} is a separate array; "
            f"{remedy}{COLLECT_REMEDY}"
        )


def column_index(names: NDArray[np.str_], name: object, *, argument: str, source_name: str) -> int:
    """Return the index of a column, or raise RocPredictError if no column has this name."""
    places = np.flatnonzero(names == str(name)) if isinstance(name, str) else np.empty(0, dtype=np.intp)
    if not len(places):
        raise RocPredictError(
            f"{argument}={short_repr(name)} is not a column of {source_name}; columns are {format_names(names)}"
            f"{suggest(name, names)}"
        )
    return int(places[0])


def format_names(names: Sequence[str] | NDArray[np.str_]) -> str:
    """Format the first 10 names; if there are more than 10, add the total number of names."""
    text = ", ".join(repr(str(name)) for name in names[:10])
    return text if len(names) <= 10 else f"{text}, ... ({len(names)} in all)"


def as_feature_table(X: Any, *, names: Iterable[Any] | None = None) -> FeatureTable:
    """Convert arrays, sparse matrices and data frames to a table of features.

    Parameters
    ----------
    X : array-like of shape (n, features), or another table
        NumPy array, SciPy sparse matrix, data frame that narwhals supports (such as pandas, polars or pyarrow),
        AnnData, object with ``__array__``, list of rows, or mapping from names to columns. Memory maps and masked
        arrays are also accepted. For AnnData, the matrix ``.X`` is read. Lazy frames, DuckDB relations and Dask
        DataFrames are queried for one block of columns at a time. Such a table is collected once if its rows have no
        fixed order, for example after a join or a group-by.
    names : sequence of str, optional
        Name of each column. By default, the column names of the table.

    Returns
    -------
    FeatureTable

    Raises
    ------
    RocPredictError
        If ``X`` is not a table with rows and columns, rows differ in length, numbers are complex, names are not unique,
        the number of names is wrong, no column is numeric, or a column has both numbers and text.

    Examples
    --------
    >>> as_feature_table({"size": [1, 2, None], "color": ["red", "green", "red"]})
    FeatureTable(3 rows, 2 features: 'size', 'color'; 1 not numeric)
    """
    return check_has_numeric(read_table(X, names))


def split_table_and_labels(
    X: Any,
    y: Any,
    *,
    names: Iterable[Any] | None = None,
    layer: str | None = None,
    use_raw: bool = False,
    nan_policy: NanPolicy | None = None,
) -> tuple[FeatureTable, NDArray[Any]]:
    """Convert a table to features and one class label for each row.

    Parameters
    ----------
    X : array-like of shape (n, features), or another table
        Table, as in ``as_feature_table``. In a data frame, a column named "", "Unnamed: 0" or "__index_level_0__"
        contains the row index and is not used as a feature.
    y : array-like of shape (n,), or str
        Class labels, or the name of the column of X that contains them (for AnnData, a column of ``.obs``). This column
        is then not used as a feature. If X is a query without a fixed row order, the labels must be a column of X.
    names : sequence of str, optional
        Name of each feature. By default, the column names of the table.
    layer : str, optional
        Layer of an AnnData object. By default, the main matrix ``.X`` is read.
    use_raw : bool, default=False
        Whether to read the matrix ``.raw.X`` of an AnnData object.
    nan_policy : {"raise", "omit"}, optional
        How missing labels are handled; see ``check_labels``.

    Returns
    -------
    table : FeatureTable
        Features.
    labels : array of shape (n,)
        Class labels.

    Raises
    ------
    RocPredictError
        If ``as_feature_table`` raises an error, ``y`` names a column that does not exist, labels are missing, or the
        number of labels is wrong.

    Examples
    --------
    >>> table, labels = split_table_and_labels({"size": [1, 2, 3], "kind": ["a", "b", "a"]}, "kind")
    >>> table, labels.tolist()
    (FeatureTable(3 rows, 1 feature: 'size'), ['a', 'b', 'a'])
    """
    check_index({"X": X, "y": y})
    table, y = _split_table(X, y, names, layer=layer, use_raw=use_raw)
    labels = check_labels(y, np.empty((0, 0)), nan_policy=nan_policy)
    check_length(table.n_rows, labels)
    return check_has_numeric(table), labels


def check_length(n_rows: int, labels: NDArray[Any]) -> None:
    """Raise RocPredictError unless there is one label for each row of a table."""
    if len(labels) != n_rows:
        raise RocPredictError(
            f"X has {pluralize(n_rows, 'row')} and y has {len(labels)}; both must have the same length"
        )


def _split_table(X: Any, y: Any, names: Iterable[Any] | None, **source: Any) -> tuple[FeatureTable, Any]:
    """Return the features, and the unchanged labels."""
    if isinstance(y, str) and not _is_anndata(X):
        table = read_table(X, **source)
        place = column_index(table.names, y, argument="y", source_name="X")
        whole = table.source
        column = int(table._source_columns[place])
        labels = whole.check_order_by(column) if isinstance(whole, DataFrameSource) else whole.labels(column)
        table, y = _without_index(table.select(np.delete(np.arange(len(table)), place)), X), labels
        if names is not None:
            table = replace(table, names=check_feature_names(names, len(table), "X without its labels"))
    else:
        table = read_table(X, names, **source)
        table = _without_index(table, X) if names is None else table
        check_row_order(table, "y")
    if isinstance(y, str):
        columns = check_unique_names(list(X.obs.columns))
        y = X.obs.iloc[:, column_index(columns, y, argument="y", source_name="X.obs")]
    return table, y


def read_table(
    X: Any, names: Iterable[Any] | None = None, *, layer: str | None = None, use_raw: bool = False
) -> FeatureTable:
    """Convert a table like ``as_feature_table``, but do not check that at least one column is numeric."""
    if (layer is not None or use_raw) and not _is_anndata(X):
        option = "use_raw=True" if use_raw else f"layer={layer!r}"
        raise RocPredictError(
            f"{option} needs an AnnData object or an h5ad file; X has the type {short_repr(type(X).__name__)}"
        )
    if isinstance(X, FeatureTable):
        return X if names is None else replace(X, names=check_feature_names(names, len(X)))
    if _is_anndata(X):
        return _from_anndata(X, names, layer, use_raw=use_raw)
    if isinstance(X, Mapping) and not hasattr(X, "tocsc"):  # a sparse DOK array is a mapping too
        return _from_mapping(X, names)
    is_arrow, reader = type(X).__module__.startswith("pyarrow"), _arrow_reader(X)
    if reader is not None or (is_arrow and hasattr(X, "get_fragments")):
        check_unique_names(X.schema.names if reader is None else reader.schema.names)
        source = ArrowDataset(X) if reader is None else SpooledBatches(reader, reader.schema)
        return _from_source(source, source.names if names is None else names)
    if is_arrow and type(X).__name__ == "RecordBatch":
        (X,) = join_batches([X], DEFAULT_BUDGET)
    frame = as_frame(X)
    if frame is None:
        return _from_source(_array_source(X), names)
    columns = list(run_query(frame.collect_schema))
    if not columns:
        raise RocPredictError("X has no columns; pass at least one feature")
    return _from_source(frame_to_source(frame), columns if names is None else names)


def _from_source(source: ColumnSource, names: Iterable[Any] | None) -> FeatureTable:
    feature_names = check_feature_names(names, source.shape[1])
    _check_shape(source.shape)
    return FeatureTable(feature_names, source.shape[0], source, source.not_numeric)


def _is_anndata(X: Any) -> bool:
    """Return whether X is an AnnData object or has the same attributes."""
    return all(hasattr(X, name) for name in ("X", "var", "var_names", "obs"))


def _arrow_reader(X: Any) -> Any:
    """Return an Arrow reader, or the reader of an Arrow scanner; return None for other objects."""
    if not type(X).__module__.startswith("pyarrow") or hasattr(X, "columns") or hasattr(X, "get_fragments"):
        return None
    reader = X.to_reader() if hasattr(X, "to_reader") else X
    return reader if hasattr(reader, "read_next_batch") else None


def arrow_batches(
    X: Any,
    y: Any,
    *,
    names: Iterable[Any] | None = None,
    nan_policy: NanPolicy | None = None,
    budget: MemoryBudget = DEFAULT_BUDGET,
) -> Iterator[tuple[FeatureTable, NDArray[Any]]] | None:
    """Return an iterator over the row batches of an Arrow scanner or reader; return None for other tables.

    Each batch except the last one is at least as large as a block.

    Parameters
    ----------
    X : scanner, reader, or another table
        Table. A scanner or reader is read only once.
    y, names, nan_policy
        See ``split_table_and_labels``.
    budget : MemoryBudget, optional
        Memory budget for blocks.
    """
    reader = _arrow_reader(X)
    if reader is None:
        return None
    check_unique_names(reader.schema.names)
    kept = names if names is None else check_list("feature_names", names, "one name for each column of X")
    return report_rows(read_ahead(_split_batches(reader, y, kept, nan_policy, budget)))


def report_rows(
    batches: Iterable[tuple[FeatureTable, NDArray[Any]]],
) -> Iterator[tuple[FeatureTable, NDArray[Any]]]:
    """Yield each batch, then report how many rows have been processed."""
    n_rows = 0
    for table, labels in batches:
        n_rows += len(labels)
        yield table, labels
        del table  # its memory is needed for the next batch
        report_progress(n_rows, 0)


def _split_batches(
    reader: Any, y: Any, names: Any, nan_policy: NanPolicy | None, budget: MemoryBudget
) -> Iterator[tuple[FeatureTable, NDArray[Any]]]:
    labels = None if isinstance(y, str) else check_labels(y, np.empty((0, 0)), nan_policy=nan_policy)
    n_rows = 0
    for part in join_batches(reader, budget):
        start, n_rows = n_rows, n_rows + len(part)
        if labels is not None and len(labels) < n_rows:
            n_rows += sum(map(len, reader))
            break
        table, rows = _split_table(part, y if labels is None else labels[start:n_rows], names)
        if labels is None:
            rows = check_label_part(rows, nan_policy=nan_policy)
        yield replace(check_has_numeric(table), budget=budget), rows
    if labels is not None:
        check_length(n_rows, labels)


def _from_anndata(X: Any, names: Iterable[Any] | None, layer: str | None, *, use_raw: bool) -> FeatureTable:
    if use_raw and layer is not None:
        raise RocPredictError(f"use_raw=True and layer={layer!r} select different matrices; pass one of them")
    if use_raw and getattr(X, "raw", None) is None:
        raise RocPredictError("X.raw is None; omit use_raw=True")
    holder = X.raw if use_raw else X
    if layer is not None and layer not in X.layers:
        layers = ", ".join(map(repr, X.layers)) or "none"
        raise RocPredictError(f"layer={short_repr(layer)} is not a layer of X; layers are {layers}")
    matrix = holder.X if layer is None else X.layers[layer]
    if matrix is None:
        raise RocPredictError(
            "X.X is None, so this AnnData has no main matrix; pass the name of a layer, such as layer='counts'"
        )
    source: ColumnSource = SparseFile(matrix) if hasattr(matrix, "to_memory") else _array_source(matrix)
    table = _from_source(source, holder.var_names if names is None else names)
    return replace(table, annotations={str(name): holder.var[name].to_numpy() for name in holder.var.columns})


def _from_mapping(X: Mapping[Any, Any], names: Iterable[Any] | None) -> FeatureTable:
    columns = [_column(str(name), values) for name, values in X.items()]
    if not columns:
        raise RocPredictError("X has no columns; pass at least one feature")
    lengths = {name: len(column) for name, column in zip(X, columns, strict=True)}
    first, rows = next(iter(lengths.items()))
    for name, length in lengths.items():
        if length != rows:
            problem = f"X has columns of different lengths: {first!r} has {rows} rows, and {name!r} has {length}"
            raise RocPredictError(f"{problem}; pass columns of equal length")
    feature_names = check_feature_names(list(X) if names is None else names, len(columns))
    return _from_source(ColumnwiseSource(feature_names.tolist(), rows, columns), feature_names)


def _column(name: str, values: Any) -> NDArray[Any]:
    is_array = hasattr(values, "__array__")
    if isinstance(values, (str, bytes, Mapping, set)) or not (is_array or isinstance(values, Iterable)):
        raise RocPredictError(f"X[{name!r}]={short_repr(values)} is not a column; pass one value for each row")
    column = np.asanyarray(values) if is_array else _from_list(list(values), f"X[{name!r}]")
    if column.ndim != 1:
        raise RocPredictError(f"X[{name!r}] has shape {column.shape}; pass a one-dimensional column")
    return column


def check_not_dataset(X: object) -> None:
    """Raise RocPredictError if X has both features and labels, like the data sets of ``rocpredict.datasets``."""
    if hasattr(X, "X") and hasattr(X, "y"):
        kind = type(X).__name__
        raise RocPredictError(f"X is a {kind}, which contains features and labels; pass data.X and data.y")


def _array_source(X: Any) -> ColumnSource:
    check_not_dataset(X)
    check_not_lazy("X", X)
    if hasattr(X, "tocsc") and hasattr(X, "nnz"):
        _check_shape(X.shape)
        if X.dtype.kind not in "biuf":
            raise RocPredictError(f"X is a sparse matrix with dtype {X.dtype}; real numbers are needed")
        return SparseSource(X if X.format in ("csc", "csr") else X.tocsc())
    if isinstance(X, (str, bytes, set)) or not (hasattr(X, "__array__") or isinstance(X, Sequence)):
        raise RocPredictError(
            f"X={short_repr(X)} is not a table; pass an array of shape (n, features), a sparse matrix, a data frame or "
            "a mapping of names to columns"
        )
    if getattr(X, "ndim", 0) == 2 and not isinstance(X, np.ndarray):
        is_numeric = isinstance(getattr(X, "dtype", None), np.dtype) and X.dtype.kind in "biuf"
        # HDF5, zarr and Dask arrays are read in slices.
        if is_numeric and (hasattr(X, "read_direct") or getattr(X, "chunks", None) is not None):
            _check_shape(X.shape)
            return SlicedSource(X)
    is_retained = isinstance(X, (np.memmap, np.ma.MaskedArray))
    array = X if is_retained else np.asarray(X) if hasattr(X, "__array__") else _from_list(X, "X")
    if array.dtype.kind == "V":
        raise RocPredictError(
            f"X is an array of records ({short_repr(array.dtype)}); pass a mapping of names to columns"
        )
    _check_shape(array.shape)
    if array.dtype.kind in "biuf" and array.dtype.itemsize <= 8 and not np.ma.is_masked(array):
        return DenseSource(np.asarray(array) if isinstance(array, np.ma.MaskedArray) else array)
    if array.dtype.kind == "c":
        raise RocPredictError("X contains complex numbers; real numbers are needed")
    return ColumnwiseSource([f"x{place}" for place in range(array.shape[1])], array.shape[0], array.T)


def _from_list(rows: Sequence[Any], name: str) -> NDArray[Any]:
    try:
        array = np.asarray(rows)
        # NumPy converts numbers to text if another item is text, and integers to floats if another item is a float.
        return np.array(rows, dtype=object) if array.dtype.kind in "USf" and array.size else array
    except ValueError:
        lengths = [len(row) if hasattr(row, "__len__") and not isinstance(row, str) else 1 for row in rows]
        other = next((place for place, length in enumerate(lengths) if length != lengths[0]), None)
        if other is None:
            raise RocPredictError(f"{name}={short_repr(rows)} is not a table; pass rows of numbers") from None
        raise RocPredictError(
            f"{name} is ragged: row {other} has {pluralize(lengths[other], 'value')}, but row 0 has {lengths[0]}; "
            "pass rows of equal length"
        ) from None


def _check_shape(shape: ArrayLike) -> None:
    """Raise RocPredictError if a shape does not have two axes, or if one of them is empty."""
    sizes = tuple(np.atleast_1d(np.asarray(shape, dtype=np.intp)).tolist()) if np.size(shape) else ()
    if sizes == (0,):
        raise RocPredictError("X is empty; pass a table of shape (n, features)")
    if len(sizes) != 2:
        hint = "; X[:, None] makes a table of one feature" if len(sizes) == 1 else ""
        raise RocPredictError(f"X has shape {sizes}; pass a table of shape (n, features){hint}")
    if not min(sizes):
        raise RocPredictError(
            f"X has shape {sizes} and no {'columns' if sizes[0] else 'rows'}; pass at least one row and one column"
        )
