"""Data frames of any kind, through narwhals: pandas, polars, pyarrow, and lazy ones such as DuckDB's."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocpredict.errors import RocPredictError
from rocpredict.features.columns import as_numbers, is_text
from rocpredict.features.naming import distinct
from rocpredict.features.parts import Blocks, Chosen, Dense, Source

_MAKERS = ("pandas", "polars", "pyarrow", "duckdb", "narwhals", "modin", "cudf", "dask", "ibis", "pyspark", "sqlframe")
_TIMES = ("Date", "Datetime", "Duration", "Time")
_WORDS = ("String", "Categorical", "Enum", "Binary", "List", "Array", "Struct", *_TIMES)
_MIXED = ("Object", "Unknown")
_HALF = ("Float16", "Float32")


def is_made_by_a_frame_library(X: Any) -> bool:
    """Tell what narwhals has to be asked about."""
    return type(X).__module__.partition(".")[0] in _MAKERS


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
        distinct(list(native.columns))  # narwhals has words of its own for names that occur twice
    elif nw.dependencies.is_pyarrow_table(native):
        distinct(native.column_names)
    frame = nw.from_native(X, pass_through=True)
    return frame if isinstance(frame, (nw.DataFrame, nw.LazyFrame)) else None


class Frame(Blocks):
    """Hold a frame; a lazy one is asked for each block of columns, in the order of its rows."""

    def __init__(self, frame: Any) -> None:
        import narwhals as nw

        schema = frame.collect_schema()
        self.frame, self.columns, self._lazy = frame, list(schema), isinstance(frame, nw.LazyFrame)
        rows = self.collected(frame.select(nw.len())).item() if self._lazy else len(frame)
        self.shape = int(rows), len(self.columns)
        self._kinds = kinds = [type(kind).__name__ for kind in schema.values()]
        self.not_numeric = np.array([self._is_text(*it) for it in enumerate(kinds)], dtype=bool)

    def dtype(self, chosen: Chosen) -> Any:
        """Give float32 where no column needs more."""
        numeric = {self._kinds[index] for index in chosen.tolist() if not self.not_numeric[index]}
        return np.float32 if numeric and numeric <= {*_HALF} else np.float64

    def fill(self, made: NDArray[Any], chosen: Chosen) -> None:
        """Write the chosen columns, NaN for nulls and for what is not numeric."""
        wanted = [self.columns[index] for index in chosen.tolist() if not self.not_numeric[index]]
        part = self.collected(self.frame.select(wanted)) if self._lazy and wanted else self.frame
        for place, index in enumerate(chosen.tolist()):
            if self.not_numeric[index]:
                made[:, place] = np.nan
            else:
                name = self.columns[index]
                made[:, place] = _floats(str(name), part.get_column(name))

    def labels(self, column: int) -> NDArray[Any]:
        """Give one column as it stands, None for nulls."""
        name = self.columns[column]
        part = self.collected(self.frame.select(name)) if self._lazy else self.frame
        series = part.get_column(name)
        if not series.null_count() and (series.dtype.is_integer() or series.dtype.is_float()):
            return np.asarray(series.to_numpy())
        items = series.to_list()
        return np.array(items) if {*map(type, items)} in ({bool}, {str}) else _objects(items)

    def check(self, chosen: Chosen | None) -> None:
        """Refuse columns of objects that are partly numbers."""
        for index in range(self.shape[1]) if chosen is None else chosen.tolist():
            if self._kinds[index] in _MIXED and not self._lazy:
                as_numbers(str(self.columns[index]), np.asarray(self.frame.get_column(self.columns[index]).to_numpy()))

    def collected(self, query: Any) -> Any:
        """Run a query on a lazy frame."""
        return query.collect()

    def _is_text(self, index: int, kind: str) -> bool:
        if kind not in _WORDS and kind not in _MIXED:
            return False
        if self._lazy:
            return kind != "Unknown"
        series = self.frame.get_column(self.columns[index])
        if kind in _MIXED:
            return is_text(np.asarray(series.to_numpy()))
        return kind in _TIMES or bool(series.null_count() < len(series))


def as_source(frame: Any) -> tuple[Source, NDArray[np.bool_]]:
    """Give the source of a frame, and which of its columns are not numeric.

    A pandas frame that is one array inside is taken as that array.
    """
    array = _one_array(frame)
    if array is not None:
        return Dense(array), np.zeros(array.shape[1], dtype=bool)
    held = Frame(frame)
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
    floats = as_numbers(name, values)
    return np.full(len(values), np.nan) if floats is None else floats


def _integers(name: str, series: Any) -> NDArray[Any]:
    if not series.null_count():
        floats = as_numbers(name, np.asarray(series.to_numpy()))
        assert floats is not None
        return floats
    held = as_numbers(name, np.asarray(series.fill_null(0).to_numpy()))
    assert held is not None
    missing = np.asarray(series.is_null().to_numpy(), dtype=bool)
    return np.where(missing, np.nan, held)


def _objects(items: list[Any]) -> NDArray[Any]:
    held = np.empty(len(items), dtype=object)
    held[:] = items
    return held
