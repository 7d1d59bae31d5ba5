"""Feature table with one interface to arrays, data frames and files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rocpredict.base.labels import check_labels
from rocpredict.base.results import Result, Table
from rocpredict.base.validation import RocPredictError, short_repr
from rocpredict.sources.blocks import (
    BlockIterator,
    ColumnSource,
    ColumnwiseSource,
    DenseSource,
    SlicedSource,
    SparseSource,
    as_frame,
    check_feature_names,
    check_unique_names,
    frame_to_source,
    is_dataframe_like,
    is_text_column,
)


@dataclass(frozen=True, eq=False, repr=False)
class FeatureTable(Result):
    """Hold a table of features that was checked, and give its numbers in parts.

    Attributes
    ----------
    names : array of str, shape (features,)
        "x0", "x1", ... where the table has none.
    n_rows : int
    source : object
        What the numbers come from.
    not_numeric : array of bool, shape (features,)
        Columns that hold text, dates or the like: as numbers they are NaN throughout.
    annotations : dict of str to array of shape (features,)
        What is known of each feature, such as the ``.var`` of AnnData.
    kept : array of int, shape (features,), optional
        Which columns of the source these are; None: all, in their order.

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

    def iter_blocks(self, features: Any = None) -> BlockIterator:
        """Give the table in parts of columns.

        Parameters
        ----------
        features : array of int, mask or slice, optional
            Some of the features, in that order.

        Yields
        ------
        place : slice
            Which of the features (of those chosen) the part holds.
        part : array or sparse matrix of shape (n_rows, features of the part)
            An array or a sparse matrix comes whole, neither copied nor converted. What has to be fetched
            comes in Fortran-ordered float64 (float32 where all columns are) of about 32 MB. It may be
            read only.
        """
        if features is None:
            return self.source.iter_blocks(self.column_indices)
        columns = np.arange(self.source.shape[1]) if self.column_indices is None else self.column_indices
        return self.source.iter_blocks(columns[features])

    def select(self, features: Any) -> FeatureTable:
        """Give the table of some features, by index, mask or slice."""
        columns = np.arange(self.source.shape[1]) if self.column_indices is None else self.column_indices
        return replace(
            self,
            names=self.names[features],
            not_numeric=self.not_numeric[features],
            annotations={name: column[features] for name, column in self.annotations.items()},
            column_indices=columns[features],
        )

    def column(self, feature: int) -> NDArray[Any]:
        """Give one column as it stands, shape (n_rows,)."""
        return self.source.column(feature if self.column_indices is None else int(self.column_indices[feature]))

    def __len__(self) -> int:
        return len(self.names)

    def table(self) -> Table:
        """Return the names, and which columns hold numbers."""
        rows = [[str(name), not bad] for name, bad in zip(self.names, self.not_numeric.tolist(), strict=True)]
        return Table(f"Table of {self.n_rows} rows and {len(self)} features", ["feature", "numeric"], rows)

    def __repr__(self) -> str:
        named = ", ".join(short_repr(name, 40) for name in self.names[:3].tolist()) + (", ..." if len(self) > 3 else "")
        words = int(self.not_numeric.sum())
        named += f"; {words} not numeric" if words else ""
        return f"FeatureTable({self.n_rows} rows, {len(self)} features: {named})"


def check_has_numeric(table: FeatureTable) -> FeatureTable:
    """Return the table, or refuse one without a column of numbers."""
    if not len(table):
        raise RocPredictError("X has no column beside the labels; give one feature or more")
    if table.not_numeric.all():
        raise RocPredictError(
            f"X has no column of numbers; {_format_count(len(table))} text, dates or other things: "
            f"{_format_names(table.names)}"
        )
    table.source.validate(table.column_indices)
    return table


def column_index(names: NDArray[np.str_], name: object, *, argument: str, source_name: str) -> int:
    """Give the place of a column, or refuse a name that is none."""
    places = np.flatnonzero(names == str(name)) if isinstance(name, str) else np.empty(0, dtype=np.intp)
    if not len(places):
        raise RocPredictError(
            f"{argument}={short_repr(name)} is not a column of {source_name}; columns are {_format_names(names)}"
        )
    return int(places[0])


def _format_count(count: int) -> str:
    return "its one column holds" if count == 1 else f"all {count} hold"


def _format_names(names: NDArray[np.str_]) -> str:
    listed = ", ".join(map(repr, names[:10].tolist()))
    return listed if len(names) <= 10 else f"{listed}, ... ({len(names)} in all)"


def as_feature_table(X: Any, *, names: Iterable[Any] | None = None) -> FeatureTable:
    """Take a table of features.

    Parameters
    ----------
    X : array of shape (n, features), or what holds one
        A NumPy array (a memory map and a masked one too), a SciPy sparse matrix, a pandas, polars or pyarrow
        table or anything else that narwhals knows (lazy frames and DuckDB relations are asked for a block
        of columns at a time), an AnnData (its ``.X``), an object with ``__array__``, a list of rows, or a
        mapping of names to columns.
    names : sequence of str, optional
        A name for each column, in place of those of the table.

    Raises
    ------
    RocPredictError
        What is not a table with rows and columns; ragged rows; complex numbers; names that are not
        different, or not one for each column; no column of numbers; a column of objects that are partly
        numbers.

    Examples
    --------
    >>> as_feature_table({"size": [1, 2, None], "colour": ["red", "green", "red"]})
    FeatureTable(3 rows, 2 features: 'size', 'colour'; 1 not numeric)
    """
    return check_has_numeric(_to_feature_table(X, names))


def split_table_and_labels(X: Any, y: Any, *, names: Iterable[Any] | None = None) -> tuple[FeatureTable, NDArray[Any]]:
    """Take a table of features and a label for each of its rows.

    Parameters
    ----------
    X
        As in ``as_feature_table``.
    y : array of shape (n,), or str
        Labels, or the name of a column of X that holds them (of AnnData: of its ``.obs``); this column is no
        feature then.
    names : sequence of str, optional
        A name for each feature, in place of those of the table.

    Returns
    -------
    table : FeatureTable
    labels : array of shape (n,)

    Raises
    ------
    RocPredictError
        As ``as_feature_table``; a name that is no column; labels that are missing, or not one for each row.

    Examples
    --------
    >>> table, labels = split_table_and_labels({"size": [1, 2, 3], "kind": ["a", "b", "a"]}, "kind")
    >>> table, labels.tolist()
    (FeatureTable(3 rows, 1 features: 'size'), ['a', 'b', 'a'])
    """
    if isinstance(y, str) and not _is_anndata(X):
        table, y = _pop_label_column(_to_feature_table(X, None), y)
        if names is not None:
            table = replace(table, names=check_feature_names(names, len(table), "X beside its labels"))
    else:
        table = _to_feature_table(X, names)
    if isinstance(y, str):
        columns = check_unique_names(list(X.obs.columns))
        y = X.obs.iloc[:, column_index(columns, y, argument="y", source_name="X.obs")]
    labels = check_labels(y, np.empty((0, 0)))
    if len(labels) != table.n_rows:
        raise RocPredictError(f"X has {table.n_rows} rows and y has {len(labels)}; they must have as many")
    return check_has_numeric(table), labels


def _pop_label_column(table: FeatureTable, name: str) -> tuple[FeatureTable, NDArray[Any]]:
    """Give the features beside a column, and that column."""
    place = column_index(table.names, name, argument="y", source_name="X")
    return table.select(np.delete(np.arange(len(table)), place)), table.column(place)


def _to_feature_table(X: Any, names: Iterable[Any] | None) -> FeatureTable:
    """Take a table, be it all text."""
    if isinstance(X, FeatureTable):
        return X if names is None else replace(X, names=check_feature_names(names, len(X)))
    if _is_anndata(X):
        return _from_anndata(X, names)
    if isinstance(X, Mapping) and not hasattr(X, "tocsc"):  # a sparse DOK array is a mapping too
        return _from_mapping(X, names)
    frame = as_frame(X) if is_dataframe_like(X) else None
    if frame is None:
        source, not_numeric = _from_array(X)
        return _with_names(source, check_feature_names(names, source.shape[1]), not_numeric)
    columns = list(frame.collect_schema())
    if not columns:
        raise RocPredictError("X has no columns; give one feature or more")
    source, not_numeric = frame_to_source(frame)
    return _with_names(source, check_feature_names(columns if names is None else names, source.shape[1]), not_numeric)


def _with_names(source: ColumnSource, names: NDArray[np.str_], not_numeric: NDArray[np.bool_]) -> FeatureTable:
    _check_shape(source.shape)
    return FeatureTable(names, source.shape[0], source, not_numeric)


def _is_anndata(X: Any) -> bool:
    """Tell AnnData and its like."""
    return all(hasattr(X, name) for name in ("X", "var", "var_names", "obs"))


def _from_anndata(X: Any, names: Iterable[Any] | None) -> FeatureTable:
    if X.X is None:
        raise RocPredictError("X.X is None: this AnnData holds no table; give a layer, such as X.layers['counts']")
    inner = X.X.to_memory() if hasattr(X.X, "to_memory") else X.X
    source, not_numeric = _from_array(inner)
    named = check_feature_names(X.var_names if names is None else names, source.shape[1])
    known = {str(name): X.var[name].to_numpy() for name in X.var.columns}
    return FeatureTable(named, source.shape[0], source, not_numeric, known)


def _from_mapping(X: Mapping[Any, Any], names: Iterable[Any] | None) -> FeatureTable:
    columns = [_column(str(name), values) for name, values in X.items()]
    if not columns:
        raise RocPredictError("X has no columns; give one feature or more")
    lengths = {name: len(column) for name, column in zip(X, columns, strict=True)}
    first, rows = next(iter(lengths.items()))
    for name, length in lengths.items():
        if length != rows:
            raise RocPredictError(f"X has columns of different lengths: {first!r} has {rows} rows, {name!r} {length}")
    named = check_feature_names(list(X) if names is None else names, len(columns))
    source, not_numeric = _columnwise_source(named, rows, columns)
    return _with_names(source, named, not_numeric)


def _column(name: str, values: Any) -> NDArray[Any]:
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
        raise RocPredictError(f"X[{name!r}]={short_repr(values)} is not a column; give one value for each row")
    is_array = hasattr(values, "__array__")
    column = np.asanyarray(values) if is_array else _from_list(list(values), f"X[{name!r}]")
    if column.ndim != 1:
        raise RocPredictError(f"X[{name!r}] has shape {column.shape}; a column has one axis")
    return column


def _from_array(X: Any) -> tuple[ColumnSource, NDArray[np.bool_]]:
    if hasattr(X, "tocsc") and hasattr(X, "nnz"):
        return _from_sparse(X)
    if isinstance(X, (str, bytes, set)) or not (hasattr(X, "__array__") or isinstance(X, Sequence)):
        raise RocPredictError(
            f"X={short_repr(X)} is not a table; give an array of shape (n, features), a sparse matrix, a data frame or "
            "a mapping of names to columns"
        )
    if getattr(X, "ndim", 0) == 2 and not isinstance(X, np.ndarray) and _is_lazy_array(X):
        _check_shape(X.shape)
        return SlicedSource(X), np.zeros(X.shape[1], dtype=bool)
    kept = isinstance(X, (np.memmap, np.ma.MaskedArray))
    array = X if kept else np.asarray(X) if hasattr(X, "__array__") else _from_list(X, "X")
    if array.dtype.kind == "V":
        raise RocPredictError(f"X holds records ({short_repr(array.dtype)}); give a mapping of names to columns")
    _check_shape(array.shape)
    if array.dtype.kind in "biuf" and array.dtype.itemsize <= 8 and not np.ma.is_masked(array):
        held = np.asarray(array) if isinstance(array, np.ma.MaskedArray) else array
        return DenseSource(held), np.zeros(array.shape[1], dtype=bool)
    if array.dtype.kind == "c":
        raise RocPredictError("X holds complex numbers; real numbers are needed")
    return _columnwise_source([f"x{place}" for place in range(array.shape[1])], array.shape[0], array.T)


def _from_sparse(X: Any) -> tuple[ColumnSource, NDArray[np.bool_]]:
    _check_shape(X.shape)
    if X.dtype.kind not in "biuf":
        raise RocPredictError(f"X is a sparse matrix of {X.dtype}; real numbers are needed")
    matrix = X if X.format in ("csc", "csr") else X.tocsc()
    return SparseSource(matrix), np.zeros(X.shape[1], dtype=bool)


def _columnwise_source(names: Any, rows: int, columns: Any) -> tuple[ColumnSource, NDArray[np.bool_]]:
    """Hold columns of any kind, and find out which are not numeric."""
    not_numeric = [is_text_column(column) for column in columns]
    return ColumnwiseSource(list(map(str, names)), rows, columns.__getitem__), np.array(not_numeric, dtype=bool)


def _is_lazy_array(X: Any) -> bool:
    """Tell an HDF5, zarr or Dask array, of which only what is asked for is fetched."""
    held = isinstance(getattr(X, "dtype", None), np.dtype) and X.dtype.kind in "biuf"
    return held and (hasattr(X, "read_direct") or getattr(X, "chunks", None) is not None)


def _from_list(rows: Sequence[Any], name: str) -> NDArray[Any]:
    try:
        array = np.asarray(rows)
        # Beside text numpy makes text of numbers, and beside floats a float of any integer.
        return np.array(rows, dtype=object) if array.dtype.kind in "USf" and array.size else array
    except ValueError:
        lengths = [np.size(row) for row in rows]
        other = next((place for place, length in enumerate(lengths) if length != lengths[0]), 0)
        raise RocPredictError(
            f"{name} is ragged: row {other} has {lengths[other]} values where row 0 has {lengths[0]}"
        ) from None


def _check_shape(shape: ArrayLike) -> None:
    """Refuse what has not two axes, or nothing along one of them."""
    sizes = tuple(np.atleast_1d(np.asarray(shape, dtype=np.intp)).tolist()) if np.size(shape) else ()
    if sizes == (0,):
        raise RocPredictError("X is empty; give a table of shape (n, features)")
    if len(sizes) != 2:
        hint = "; X[:, None] makes a table of one feature" if len(sizes) == 1 else ""
        raise RocPredictError(f"X has shape {sizes}; give a table of shape (n, features){hint}")
    if not min(sizes):
        raise RocPredictError(f"X has shape {sizes}: no {'columns' if sizes[0] else 'rows'}; give one or more of both")


def to_named_columns(X: Any, names: Iterable[str] | None = None) -> dict[str, Any]:
    """Return the columns of an array or frame by name: "x0", "x1", ... where they have none.

    Raises
    ------
    RocPredictError
        What is no table or ragged, has not two axes or no columns, another number of names than columns, a name twice.
    """
    own = getattr(X, "column_names", None)  # pyarrow's; its .columns are the values
    own = getattr(X, "columns", None) if own is None else own
    array = None if own is not None else _as_array(X)
    width = len(own) if array is None else array.shape[1]  # type: ignore[arg-type]
    own = check_names_of_width(None, width) if own is None else list(own)
    _check_unique([str(name) for name in own])
    called = check_names_of_width(names, width) if names is not None else [str(name) for name in own]
    return {name: X[own[k]] if array is None else array[:, k] for k, name in enumerate(called)}


def _as_array(X: Any) -> Any:
    try:
        array = X if isinstance(X, np.ndarray) else np.asarray(X)  # a masked array keeps its mask
    except ValueError:
        raise RocPredictError("X is ragged: its rows have different lengths") from None
    if array.ndim == 0:
        raise RocPredictError(f"X={short_repr(X)} is not a table; give a dense array or frame of shape (n, features)")
    if array.ndim != 2 or not array.size:
        raise RocPredictError(f"X has shape {array.shape}; give (n, features), with rows and columns")
    return array


def select_columns(X: Any, names: Sequence[str]) -> list[Any]:
    """Return the columns that these names ask for: of a frame by name, of an array by place."""
    columns = to_named_columns(X)
    if hasattr(X, "columns"):
        missing = [name for name in names if name not in columns]
        if missing:
            raise RocPredictError(
                f"X has no column {short_repr(missing[0])}; the combination takes {short_repr(list(names))}"
            )
        return [columns[name] for name in names]
    if len(columns) != len(names):
        raise RocPredictError(
            f"X has {len(columns)} columns; the combination takes {len(names)}: {short_repr(list(names))}"
        )
    return list(columns.values())


def check_names_of_width(names: Iterable[str] | None, width: int) -> list[str]:
    """Return one name for each column, "x0", "x1", ... if none are given."""
    if names is None:
        return [f"x{k}" for k in range(width)]
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise RocPredictError(f"feature_names={short_repr(names)} is not a list of names; give one for each column")
    listed = [str(name) for name in names]
    if len(listed) != width:
        raise RocPredictError(f"feature_names has {len(listed)} names for {width} features; give one for each")
    _check_unique(listed)
    return listed


def _check_unique(names: list[str]) -> None:
    name, times = Counter(names).most_common(1)[0] if names else ("", 0)
    if times == 0:
        raise RocPredictError("X has no columns; give one or more features")
    if times > 1:
        raise RocPredictError(f"X has {times} columns called {name!r}; give each its own name")
