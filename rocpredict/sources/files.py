"""Feature tables in CSV and Parquet files."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterable, Sequence
from functools import cache
from os import PathLike
from pathlib import Path
from typing import IO, Any

from numpy.typing import NDArray

from rocpredict.base.labels import check_labels
from rocpredict.base.validation import RocPredictError, short_repr
from rocpredict.sources.blocks import DataFrameSource, check_feature_names
from rocpredict.sources.csv_reader import GZIP_MAGIC, CsvFiles, TableReader, check_first_bytes, check_line_length
from rocpredict.sources.table import FeatureTable, check_has_numeric


class ParquetFiles(TableReader):
    """Parquet files with the same columns."""

    def __init__(self, paths: Sequence[Path]) -> None:
        try:
            import narwhals  # noqa: F401
            import polars
        except ImportError:
            raise RocPredictError(
                f"{paths[0].name} is Parquet, which needs polars: pip install 'rocpredict[frames]'"
            ) from None
        self._scans = [polars.scan_parquet(path, glob=False) for path in paths]
        schemas = [
            _translate_errors(scan.collect_schema, path.name) for scan, path in zip(self._scans, paths, strict=True)
        ]
        if not schemas[0]:
            raise RocPredictError(f"{paths[0].name} has no columns")
        super().__init__(paths, [list(schema) for schema in schemas])
        for path, schema in zip(paths, schemas, strict=True):
            for name, kind in schemas[0].items():
                if _type_family(kind) != _type_family(schema[name]):
                    raise RocPredictError(
                        f"{path.name}: column {name!r} holds {schema[name]} where {paths[0].name} has {kind}; "
                        "columns must have the same type"
                    )

    def features(
        self, *, label: str | None = None, usecols: Sequence[str] | None = None
    ) -> tuple[FeatureTable, NDArray[Any] | None]:
        """Read the features and the labels; see ``TableReader.features``."""
        import narwhals
        import polars

        first = self._paths[0].name
        names = self._select(label, usecols)
        selection = names if label is None else [*names, label]
        scan_of_all = polars.concat([scan.select(selection) for scan in self._scans], how="vertical_relaxed")
        source = _LazyFrameSource(narwhals.from_native(scan_of_all), ", ".join(path.name for path in self._paths[:3]))
        if not source.shape[0]:
            raise RocPredictError(f"{first} has columns and no rows")
        table = FeatureTable(
            check_feature_names(selection, len(selection)), source.shape[0], source, source.not_numeric
        )
        if label is None:
            return check_has_numeric(table), None
        labels = check_labels(table.column(len(names)), ((),))
        return check_has_numeric(table.select(slice(0, len(names)))), labels


class _LazyFrameSource(DataFrameSource):
    """Parquet files as a lazy frame."""

    def __init__(self, frame: Any, name: str) -> None:
        self._name = name
        super().__init__(frame)

    def collect(self, query: Any) -> Any:
        return _translate_errors(query.collect, self._name)


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
    """Return "number" for numbers and booleans, which can be combined, else the name of the type."""
    if kind.is_numeric() or str(kind) in ("Boolean", "Null"):
        return "number"
    return type(kind).__name__


_PARQUET_SUFFIXES, _PARQUET_MAGIC = (".parquet", ".pq"), b"PAR1"
_COPY_BYTES = 2**20
"""Bytes of a pipe or device that are read together."""


def open_tables(paths: str | PathLike[str] | Iterable[str | PathLike[str]]) -> TableReader:
    r"""Open CSV or Parquet files with the same columns.

    Rows are read when ``features`` is called.

    Parameters
    ----------
    paths : path, or sequence of paths
        Files, all of one format. The order of the columns may differ between files; that of the first file is used. A
        pipe is first copied to a temporary file.

        - Parquet: files with the suffix .parquet or .pq, or with the first bytes of a Parquet file.
        - CSV: all other files, with a header line, in UTF-8 or UTF-16, plain or compressed by gzip, with commas,
          semicolons or tabs between cells.

    Returns
    -------
    TableReader
        ``names`` has the column names, ``features(label=..., usecols=...)`` returns the table and its labels.

    Raises
    ------
    RocPredictError
        If there is no file, a file cannot be read, formats or columns differ, a header has no names or a name twice, or
        a Parquet file is read without polars.

    Notes
    -----
    A CSV file is read once, some rows at a time. Beyond 32 MB its numbers are stored in a temporary file (8 bytes per
    cell), in the folder of ``tempfile``; the environment variable TMPDIR changes it. A cell has at most 131,072
    characters, and the first line at most 64 MB. Parquet files are read by columns when these are needed.

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
    path_list = list(paths) if isinstance(paths, Iterable) and not isinstance(paths, (str, os.PathLike)) else [paths]
    if not path_list:
        raise RocPredictError("paths is empty; pass one path or more")
    files, kinds = zip(*map(_open_path, path_list), strict=True)
    if len(set(kinds)) > 1:
        first, other = files[0].name, files[kinds.index(not kinds[0])].name
        raise RocPredictError(f"{first} and {other}: one is CSV and one is Parquet; pass files of one format")
    return ParquetFiles(files) if kinds[0] else CsvFiles(files)


@cache
def _temporary_folder() -> tempfile.TemporaryDirectory[str]:
    """Return a folder that is removed at exit, since results may read from it until then."""
    return tempfile.TemporaryDirectory(prefix="rocpredict-")


def _copy_stream(source: IO[bytes], target: IO[bytes], name: str) -> None:
    """Copy a pipe or device, or raise if it is text with a line that does not end."""
    block = source.read(_COPY_BYTES)
    is_text = not block.startswith((_PARQUET_MAGIC, GZIP_MAGIC))
    if is_text:
        check_first_bytes(block, name)
    length = 0  # bytes since the last line end
    while block:
        target.write(block)
        last_line_end = max(block.rfind(b"\n"), block.rfind(b"\r"))
        length = len(block) - 1 - last_line_end + (length if last_line_end < 0 else 0)
        if is_text:
            check_line_length(length, name)
        block = source.read(_COPY_BYTES)


def _open_path(name: str | PathLike[str]) -> tuple[Path, bool]:
    """Return a file that can be read repeatedly (a copy of a pipe or device), and whether it is Parquet."""
    try:
        path = Path(name)
    except TypeError:
        raise RocPredictError(f"{short_repr(name)} is not a path; pass a file name") from None
    try:
        mode, readable = path.stat().st_mode, path
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            readable = Path(tempfile.mkdtemp(dir=_temporary_folder().name), path.name)
            with path.open("rb") as source, readable.open("wb") as target:
                _copy_stream(source, target, path.name)
        with readable.open("rb") as file:
            return readable, path.suffix.lower() in _PARQUET_SUFFIXES or file.read(
                len(_PARQUET_MAGIC)
            ) == _PARQUET_MAGIC
    except OSError as error:
        raise RocPredictError(f"{path}: {error.strerror or error}") from None
