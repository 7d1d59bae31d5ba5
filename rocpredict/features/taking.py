"""Take what a user has as a table of features."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rocpredict.arguments import shown
from rocpredict.errors import RocPredictError
from rocpredict.features.columns import is_text
from rocpredict.features.frames import as_frame, as_source, is_made_by_a_frame_library
from rocpredict.features.naming import as_names, distinct
from rocpredict.features.parts import Columns, Dense, Sliced, Source, Sparse
from rocpredict.features.table import Features, column_of, some_number
from rocpredict.labels import as_labels


def as_features(X: Any, *, names: Iterable[Any] | None = None) -> Features:
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
    >>> as_features({"size": [1, 2, None], "colour": ["red", "green", "red"]})
    Features(3 rows, 2 features: 'size', 'colour'; 1 not numeric)
    """
    return some_number(_taken(X, names))


def table_and_labels(X: Any, y: Any, *, names: Iterable[Any] | None = None) -> tuple[Features, NDArray[Any]]:
    """Take a table of features and a label for each of its rows.

    Parameters
    ----------
    X
        As in ``as_features``.
    y : array of shape (n,), or str
        Labels, or the name of a column of X that holds them (of AnnData: of its ``.obs``); this column is no
        feature then.
    names : sequence of str, optional
        A name for each feature, in place of those of the table.

    Returns
    -------
    table : Features
    labels : array of shape (n,)

    Raises
    ------
    RocPredictError
        As ``as_features``; a name that is no column; labels that are missing, or not one for each row.

    Examples
    --------
    >>> table, labels = table_and_labels({"size": [1, 2, 3], "kind": ["a", "b", "a"]}, "kind")
    >>> table, labels.tolist()
    (Features(3 rows, 1 features: 'size'), ['a', 'b', 'a'])
    """
    if isinstance(y, str) and not _is_annotated(X):
        table, y = _parted(_taken(X, None), y)
        if names is not None:
            table = replace(table, names=as_names(names, len(table), "X beside its labels"))
    else:
        table = _taken(X, names)
    if isinstance(y, str):
        columns = distinct(list(X.obs.columns))
        y = X.obs.iloc[:, column_of(columns, y, what="y", holder="X.obs")]
    labels = as_labels(y, np.empty((0, 0)))
    if len(labels) != table.n_rows:
        raise RocPredictError(f"X has {table.n_rows} rows and y has {len(labels)}; they must have as many")
    return some_number(table), labels


def _parted(table: Features, name: str) -> tuple[Features, NDArray[Any]]:
    """Give the features beside a column, and that column."""
    place = column_of(table.names, name, what="y", holder="X")
    return table.select(np.delete(np.arange(len(table)), place)), table.labels(place)


def _taken(X: Any, names: Iterable[Any] | None) -> Features:
    """Take a table, be it all text."""
    if isinstance(X, Features):
        return X if names is None else replace(X, names=as_names(names, len(X)))
    if _is_annotated(X):
        return _from_annotated(X, names)
    if isinstance(X, Mapping) and not hasattr(X, "tocsc"):  # a sparse DOK array is a mapping too
        return _from_mapping(X, names)
    frame = as_frame(X) if is_made_by_a_frame_library(X) else None
    if frame is None:
        source, not_numeric = _from_array(X)
        return _named(source, as_names(names, source.shape[1]), not_numeric)
    columns = list(frame.collect_schema())
    if not columns:
        raise RocPredictError("X has no columns; give one feature or more")
    source, not_numeric = as_source(frame)
    return _named(source, as_names(columns if names is None else names, source.shape[1]), not_numeric)


def _named(source: Source, names: NDArray[np.str_], not_numeric: NDArray[np.bool_]) -> Features:
    _check_shape(source.shape)
    return Features(names, source.shape[0], source, not_numeric)


def _is_annotated(X: Any) -> bool:
    """Tell AnnData and its like."""
    return all(hasattr(X, name) for name in ("X", "var", "var_names", "obs"))


def _from_annotated(X: Any, names: Iterable[Any] | None) -> Features:
    if X.X is None:
        raise RocPredictError("X.X is None: this AnnData holds no table; give a layer, such as X.layers['counts']")
    inner = X.X.to_memory() if hasattr(X.X, "to_memory") else X.X
    source, not_numeric = _from_array(inner)
    named = as_names(X.var_names if names is None else names, source.shape[1])
    known = {str(name): X.var[name].to_numpy() for name in X.var.columns}
    return Features(named, source.shape[0], source, not_numeric, known)


def _from_mapping(X: Mapping[Any, Any], names: Iterable[Any] | None) -> Features:
    columns = [_column(str(name), values) for name, values in X.items()]
    if not columns:
        raise RocPredictError("X has no columns; give one feature or more")
    lengths = {name: len(column) for name, column in zip(X, columns, strict=True)}
    first, rows = next(iter(lengths.items()))
    for name, length in lengths.items():
        if length != rows:
            raise RocPredictError(f"X has columns of different lengths: {first!r} has {rows} rows, {name!r} {length}")
    named = as_names(list(X) if names is None else names, len(columns))
    source, not_numeric = _by_column(named, rows, columns)
    return _named(source, named, not_numeric)


def _column(name: str, values: Any) -> NDArray[Any]:
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
        raise RocPredictError(f"X[{name!r}]={shown(values)} is not a column; give one value for each row")
    is_array = hasattr(values, "__array__")
    column = np.asanyarray(values) if is_array else _from_list(list(values), f"X[{name!r}]")
    if column.ndim != 1:
        raise RocPredictError(f"X[{name!r}] has shape {column.shape}; a column has one axis")
    return column


def _from_array(X: Any) -> tuple[Source, NDArray[np.bool_]]:
    if hasattr(X, "tocsc") and hasattr(X, "nnz"):
        return _from_sparse(X)
    if isinstance(X, (str, bytes, set)) or not (hasattr(X, "__array__") or isinstance(X, Sequence)):
        raise RocPredictError(
            f"X={shown(X)} is not a table; give an array of shape (n, features), a sparse matrix, a data frame or "
            "a mapping of names to columns"
        )
    if getattr(X, "ndim", 0) == 2 and not isinstance(X, np.ndarray) and _lies_elsewhere(X):
        _check_shape(X.shape)
        return Sliced(X), np.zeros(X.shape[1], dtype=bool)
    kept = isinstance(X, (np.memmap, np.ma.MaskedArray))
    array = X if kept else np.asarray(X) if hasattr(X, "__array__") else _from_list(X, "X")
    if array.dtype.kind == "V":
        raise RocPredictError(f"X holds records ({shown(array.dtype)}); give a mapping of names to columns")
    _check_shape(array.shape)
    if array.dtype.kind in "biuf" and array.dtype.itemsize <= 8 and not np.ma.is_masked(array):
        held = np.asarray(array) if isinstance(array, np.ma.MaskedArray) else array
        return Dense(held), np.zeros(array.shape[1], dtype=bool)
    if array.dtype.kind == "c":
        raise RocPredictError("X holds complex numbers; real numbers are needed")
    return _by_column([f"x{place}" for place in range(array.shape[1])], array.shape[0], array.T)


def _from_sparse(X: Any) -> tuple[Source, NDArray[np.bool_]]:
    _check_shape(X.shape)
    if X.dtype.kind not in "biuf":
        raise RocPredictError(f"X is a sparse matrix of {X.dtype}; real numbers are needed")
    matrix = X if X.format in ("csc", "csr") else X.tocsc()
    return Sparse(matrix), np.zeros(X.shape[1], dtype=bool)


def _by_column(names: Any, rows: int, columns: Any) -> tuple[Source, NDArray[np.bool_]]:
    """Hold columns of any kind, and find out which are not numeric."""
    not_numeric = [is_text(column) for column in columns]
    return Columns(list(map(str, names)), rows, columns.__getitem__), np.array(not_numeric, dtype=bool)


def _lies_elsewhere(X: Any) -> bool:
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
