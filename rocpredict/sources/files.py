"""Feature tables in CSV and Parquet files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol

from numpy.typing import NDArray

from rocpredict.base.labels import check_labels
from rocpredict.base.validation import RocPredictError, short_repr
from rocpredict.sources.blocks import DataFrameSource, check_feature_names
from rocpredict.sources.csv_reader import CsvFiles, check_same_columns, select_columns
from rocpredict.sources.table import FeatureTable, check_has_numeric


class ParquetFiles:
    """Hold Parquet files with the same columns."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths = paths
        self._scans = [_scan(path) for path in paths]
        self._schemas = [_schema(*it) for it in zip(self._scans, paths, strict=True)]
        self.names = tuple(self._schemas[0])
        if not self.names:
            raise RocPredictError(f"{paths[0].name} has no columns")
        for path, schema in zip(paths[1:], self._schemas[1:], strict=True):
            self._compare(path, schema)

    def features(
        self, *, label: str | None = None, usecols: Sequence[str] | None = None
    ) -> tuple[FeatureTable, NDArray[Any] | None]:
        """Read the features and the labels, as ``TableReader`` says."""
        import narwhals
        import polars

        first = self._paths[0].name
        names, label = select_columns(self.names, first, label=label, usecols=usecols)
        wanted = [*names, *([label] if label else [])]
        whole = polars.concat([scan.select(wanted) for scan in self._scans], how="vertical_relaxed")
        source = _LazyFrameSource(narwhals.from_native(whole), ", ".join(path.name for path in self._paths[:3]))
        if not source.shape[0]:
            raise RocPredictError(f"{first} has columns and no rows")
        table = FeatureTable(check_feature_names(wanted, len(wanted)), source.shape[0], source, source.not_numeric)
        if label is None:
            return check_has_numeric(table), None
        labels = check_labels(table.column(len(names)), ((),))
        return check_has_numeric(table.select(slice(0, len(names)))), labels

    def __repr__(self) -> str:
        return f"ParquetFiles({[path.name for path in self._paths]}, {len(self.names)} columns)"

    def _compare(self, path: Path, schema: Any) -> None:
        first = self._paths[0].name
        check_same_columns(first, self.names, path.name, list(schema))
        for name, kind in self._schemas[0].items():
            if _type_family(kind) != _type_family(schema[name]):
                raise RocPredictError(
                    f"{path.name}: column {name!r} holds {schema[name]} where {first} has {kind}; "
                    "columns must be of one kind"
                )


class _LazyFrameSource(DataFrameSource):
    """Hold Parquet files as a lazy frame; a file that cannot be read further is said in our own words."""

    def __init__(self, frame: Any, name: str) -> None:
        self._name = name
        super().__init__(frame)

    def collect(self, query: Any) -> Any:
        return _translate_errors(query.collect, self._name)


def _scan(path: Path) -> Any:
    try:
        import narwhals  # noqa: F401
        import polars
    except ImportError:
        raise RocPredictError(f"{path.name} is Parquet, which needs polars: pip install 'rocpredict[frames]'") from None
    return polars.scan_parquet(path, glob=False)


def _schema(scan: Any, path: Path) -> Any:
    return _translate_errors(scan.collect_schema, path.name)


def _translate_errors(work: Any, name: str) -> Any:
    import narwhals
    import polars

    try:
        return work()
    except (
        polars.exceptions.PolarsError,
        polars.exceptions.PanicException,
        narwhals.exceptions.NarwhalsError,
        OSError,
    ) as error:
        reason = next(iter(str(error).splitlines()), "").strip()
        raise RocPredictError(f"{name} cannot be read as Parquet: {reason}") from None


def _type_family(kind: Any) -> str:
    """Give what kinds can stand in one column: all numbers and booleans, else each its own."""
    if kind.is_numeric() or str(kind) in ("Boolean", "Null"):
        return "number"
    return type(kind).__name__


_PARQUET = (".parquet", ".pq")
_MAGIC = b"PAR1"


class TableReader(Protocol):
    """Files with the same columns, whose rows follow one another."""

    names: tuple[str, ...]

    def features(
        self, *, label: str | None = None, usecols: Sequence[str] | None = None
    ) -> tuple[FeatureTable, NDArray[Any] | None]:
        """Read the features, and the labels where a column is named.

        Parameters
        ----------
        label : str, optional
            The column with the labels; it is no feature then.
        usecols : sequence of str, optional
            The columns to take as features, in that order; all others are left alone, whatever they hold.

        Raises
        ------
        RocPredictError
            A name that is no column or is given twice; a broken line, a cell that is not a number in a
            column of numbers, a row without a label: each with its line. No column of numbers.
        """


def open_tables(paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> TableReader:
    r"""Open CSV or Parquet files with the same columns; the rows are read when features are asked for.

    Parameters
    ----------
    paths : path, or paths
        Parquet where the name ends in .parquet or .pq, or the content says so; CSV (UTF-8, a header line,
        commas) otherwise. Columns may stand in another order in each file; the first one's counts.

    Returns
    -------
    files : TableReader
        ``.names``: the columns. ``.features(label=..., usecols=...)``: the table and its labels.

    Raises
    ------
    RocPredictError
        No file, a file that cannot be read, CSV and Parquet together, files with different columns, a
        header without names or with one twice, Parquet without polars, what is no Parquet.

    Notes
    -----
    A CSV file is read once, in pieces of some megabytes, and its numbers are kept in a temporary file beyond
    32 MB (8 bytes a cell, where ``tempfile`` puts it: the environment variable TMPDIR says where). Parquet is
    read by columns, as they are asked for. polars does the parsing where it is installed; without it CSV is
    read by Python's own reader, with the same result.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "two.csv")
    ...     _ = path.write_text("size,kind\n1.5,a\n2,b\n")
    ...     table, labels = open_tables(path).features(label="kind")
    >>> table, labels.tolist()
    (FeatureTable(2 rows, 1 features: 'size'), ['a', 'b'])
    """
    listed = list(paths) if isinstance(paths, Iterable) and not isinstance(paths, (str, os.PathLike)) else [paths]
    if not listed:
        raise RocPredictError("no files are given; give one path or more")
    held = [_as_path(path) for path in listed]
    kinds = [_is_parquet(path) for path in held]
    if len(set(kinds)) > 1:
        first, other = held[0].name, held[kinds.index(not kinds[0])].name
        raise RocPredictError(f"{first} and {other}: one is CSV and one is Parquet; give files of one kind")
    return ParquetFiles(held) if kinds[0] else CsvFiles(held)


def _as_path(path: Any) -> Path:
    try:
        return Path(path)
    except TypeError:
        raise RocPredictError(f"{short_repr(path)} is not a path; give the name of a file") from None


def _is_parquet(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return path.suffix.lower() in _PARQUET or file.read(len(_MAGIC)) == _MAGIC
    except OSError as error:
        raise RocPredictError(f"{path}: {error.strerror or error}") from None
