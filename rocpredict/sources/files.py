"""Feature tables in CSV, Parquet, Feather and h5ad files.

The files are passed as paths, folders or file name patterns.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from glob import glob, has_magic
from os import PathLike
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rocpredict.base.labels import Labels, check_labels
from rocpredict.base.validation import NanPolicy, RocPredictError, check_option, check_pair, first_line, short_repr
from rocpredict.sources import csv_reader, large_csv
from rocpredict.sources.blocks import DEFAULT_BUDGET, DataFrameSource, MemoryBudget, check_feature_names
from rocpredict.sources.csv_reader import (
    COPY_PREFIX,
    GZIP_MAGIC,
    CsvFiles,
    FeaturesAndLabels,
    FileVersion,
    TableReader,
    check_first_bytes,
    file_name,
    file_version,
    refuse_changes,
)
from rocpredict.sources.table import (
    FeatureTable,
    check_has_numeric,
    check_not_dataset,
    column_index,
    format_names,
    report_rows,
    split_table_and_labels,
)

PathArgument: TypeAlias = str | PathLike[str] | Iterable[str | PathLike[str]]
FileFormat: TypeAlias = Literal["CSV", "Parquet", "Feather"]
_FORMAT_BY_SUFFIX: dict[str, FileFormat] = {
    **dict.fromkeys((".csv", ".tsv"), "CSV"),
    **dict.fromkeys((".parquet", ".pq"), "Parquet"),
    **dict.fromkeys((".feather", ".arrow", ".ipc"), "Feather"),
}
_FORMAT_BY_MAGIC: dict[bytes, FileFormat] = {b"PAR1": "Parquet", b"ARROW1": "Feather"}


def _format_by_name(path: Path) -> FileFormat | None:
    """Return the format that the suffix of a file name indicates; a final .gz is ignored."""
    name = path.name.lower().removesuffix(".gz")
    return _FORMAT_BY_SUFFIX.get(Path(name).suffix)


class ColumnarFiles(TableReader):
    """Parquet or Feather files with the same columns."""

    def __init__(self, paths: Sequence[Path], file_format: FileFormat) -> None:
        try:
            import narwhals  # noqa: F401
            import polars
        except ImportError:
            raise RocPredictError(
                f"{file_name(paths[0])} is a {file_format} file, which needs polars: pip install 'rocpredict[frames]'"
            ) from None
        self._format = file_format
        self._versions = {path: file_version(path) for path in paths}
        if file_format == "Parquet":
            self._scans = [polars.scan_parquet(path, glob=False) for path in paths]
        else:
            self._scans = [polars.scan_ipc(path) for path in paths]
        schemas = [
            _translate_errors(scan.collect_schema, file_name(path), file_format)
            for scan, path in zip(self._scans, paths, strict=True)
        ]
        if not schemas[0]:
            raise RocPredictError(f"{file_name(paths[0])} has no columns; pass a file with at least one feature")
        super().__init__(paths, [list(schema) for schema in schemas])
        for path, schema in zip(paths, schemas, strict=True):
            for name, kind in schemas[0].items():
                if _type_family(kind) != _type_family(schema[name]):
                    raise RocPredictError(
                        f"{file_name(path)}: column {name!r} has the type {schema[name]}, but {kind} in "
                        f"{file_name(paths[0])}; a column must have the same type in all files"
                    )

    def features(
        self, *, label: str | None = None, usecols: Sequence[str] | None = None, nan_policy: NanPolicy | None = None
    ) -> FeaturesAndLabels:
        """Read the features and the labels; see ``TableReader.features``."""
        import narwhals
        import polars

        first = file_name(self._paths[0])
        names = self._select(label, usecols)
        selection = names if label is None else [*names, label]
        scan_of_all = polars.concat([scan.select(selection) for scan in self._scans], how="vertical_relaxed")
        names_of_files = ", ".join(map(file_name, self._paths[:3]))
        source = _LazyFrameSource(narwhals.from_native(scan_of_all), names_of_files, self._format, self._versions)
        if not source.shape[0]:
            raise RocPredictError(f"{first} has columns but no rows; pass files with at least one row")
        table = FeatureTable(
            check_feature_names(selection, len(selection)), source.shape[0], source, source.not_numeric
        )
        if label is None:
            return check_has_numeric(table), None
        labels = check_labels(source.labels(len(names)), ((),), nan_policy=nan_policy)
        return check_has_numeric(table.select(slice(0, len(names)))), labels


class _LazyFrameSource(DataFrameSource):
    """Parquet or Feather files that are read as one lazy frame."""

    def __init__(self, frame: Any, name: str, file_format: FileFormat, versions: Mapping[Path, FileVersion]) -> None:
        self._name, self._format, self._versions = name, file_format, versions
        super().__init__(frame)

    def collect(self, query: Any) -> Any:
        with refuse_changes(self._versions):
            return _translate_errors(query.collect, self._name, self._format)


def _translate_errors(work: Any, name: str, file_format: FileFormat) -> Any:
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
        raise RocPredictError(f"{name} cannot be read as {file_format}: {first_line(error)}") from None


def _type_family(kind: Any) -> str:
    """Return "number" for numeric and Boolean types, and the name of any other type.

    A column may have different types in different files if this function returns the same name for them.
    """
    if kind.is_numeric() or str(kind) in ("Boolean", "Null"):
        return "number"
    return type(kind).__name__


_COPY_BYTES = 2**20
"""Number of bytes of a pipe or device that are read at a time."""


def is_path(X: Any) -> bool:
    """Return whether X is a path, or a list or tuple of paths."""
    parts = X if isinstance(X, (list, tuple)) else [X]
    return bool(parts) and all(isinstance(part, (str, os.PathLike)) for part in parts)


def read_table_and_labels(
    X: Any,
    y: Any,
    *,
    names: Iterable[Any] | None = None,
    layer: str | None = None,
    use_raw: bool = False,
    nan_policy: NanPolicy | None = None,
    budget: MemoryBudget = DEFAULT_BUDGET,
) -> tuple[FeatureTable, NDArray[Any]]:
    """Read features and labels from files or from any table.

    Parameters
    ----------
    X : path, list of paths, or table
        Table that ``split_table_and_labels`` accepts, path of an h5ad file, or CSV, Parquet or Feather files. These
        files are passed as paths, as a folder or as a file name pattern (see ``open_tables``).
    y : str or array-like of shape (n,)
        Name of the column with the labels (for an h5ad file, a column of ``obs``), or one label for each row.
    names : sequence of str, optional
        Names of the features.
    layer : str, optional
        Layer of an AnnData object or h5ad file. By default, the main matrix ``X`` is read.
    use_raw : bool, default=False
        Whether to read the matrix ``raw.X`` of an AnnData object or h5ad file.
    nan_policy : {"raise", "omit"}, optional
        How missing labels are handled; see ``check_labels``.
    budget : MemoryBudget, optional
        Memory budget for the blocks of a table that is read from files or queries.

    Returns
    -------
    table : FeatureTable
    labels : array of shape (n,)

    Raises
    ------
    RocPredictError
        If a file cannot be read, if ``y`` names a column that does not exist, or if the lengths of ``X`` and ``y``
        differ.
    """
    if layer is not None and not isinstance(layer, str):
        raise RocPredictError(f"layer={short_repr(layer)} is not the name of a layer; pass a str")
    use_raw = check_option("use_raw", use_raw, (True, False))
    options: dict[str, Any] = {"names": names, "layer": layer, "use_raw": use_raw, "nan_policy": nan_policy}
    paths = find_files(X) if is_path(X) else []
    if any(map(is_h5ad, paths)):
        table, labels = split_table_and_labels(_open_h5ad(paths), y, **options)
    elif not paths or layer is not None or use_raw:
        table, labels = split_table_and_labels(X, y, **options)
    elif isinstance(y, str):
        table, labels = _read_files(paths, y, names, nan_policy)
    else:
        table, labels = split_table_and_labels(open_tables(paths).features()[0], y, names=names, nan_policy=nan_policy)
    return replace(table, budget=budget), labels


def csv_batches(
    X: Any, y: Any, *, names: Iterable[Any] | None, budget: MemoryBudget
) -> Iterator[tuple[FeatureTable, Labels]] | None:
    """Return an iterator over adjacent rows of large CSV files, which are read once; return None for other tables.

    The labels are text. The iterator raises UnusualCsvError if only ``read_table_and_labels`` can read the files.
    """
    is_named = is_path(X) and isinstance(y, str) and not isinstance(names, Iterator)
    paths = find_files(X) if is_named else []
    if not paths or any(map(is_h5ad, paths)) or not all(map(os.path.isfile, paths)):  # a pipe can be opened only once
        return None
    reader = _open_files(paths, y)
    if not isinstance(reader, large_csv.LargeCsvFiles):
        return None
    batches: Iterator[tuple[FeatureTable, Labels]] = reader.batches(y, budget)
    return batches if names is None else ((_rename(table, names), labels) for table, labels in batches)


def check_batches(batches: Any) -> Any:
    """Return the batches, or raise RocPredictError if the argument is a table, is a path or is not iterable."""
    check_not_dataset(batches)
    if is_path(batches):
        paths = find_files(batches)
        names = _open_h5ad(paths).obs.columns if any(map(is_h5ad, paths)) else open_tables(paths).names
        columns = f"columns of {file_name(Path(paths[0]))} are {format_names(names)}"
        raise RocPredictError(f"y is missing; pass the name of the label column; {columns}")
    if not isinstance(batches, Iterable) or hasattr(batches, "shape"):
        problem = f"y is missing, and X={short_repr(batches)} is not an iterable of (X, y) batches"
        raise RocPredictError(f"{problem}; pass y, or pass batches as X")
    return batches


def read_batches(batches: Any) -> Iterator[tuple[FeatureTable, NDArray[Any]]]:
    """Yield the features and labels of each batch that has rows, or raise RocPredictError if there is none."""
    return report_rows(_read_each(batches))


def _read_each(batches: Any) -> Iterator[tuple[FeatureTable, NDArray[Any]]]:
    number = n_rows = 0
    for number, batch in enumerate(check_batches(batches), 1):
        X, y = check_pair(f"batch {number}", batch, "(X, y)")
        if getattr(X, "shape", (1,))[:1] == (0,) and (isinstance(y, str) or np.size(y) == 0):
            continue
        try:
            table, labels = read_table_and_labels(X, y)
        except RocPredictError as error:
            raise RocPredictError(f"batch {number}: {error}") from None
        n_rows += len(labels)
        yield table, labels
    if number and not n_rows:
        raise RocPredictError("the batches in X have no rows; pass at least one batch with rows")
    if not number:
        raise RocPredictError(
            "X has no batches; pass an iterable of (X, y) batches (an iterator can be read only once)"
        )


def _read_files(
    paths: Sequence[str | PathLike[str]], label: str, names: Iterable[Any] | None, nan_policy: NanPolicy | None
) -> tuple[FeatureTable, Any]:
    table, labels = _open_files(paths, label).features(label=label, nan_policy=nan_policy)
    assert labels is not None
    return table if names is None else _rename(table, names), labels


def _open_files(paths: Sequence[str | PathLike[str]], label: str) -> TableReader:
    """Open files, and check that they have the label column."""
    reader = open_tables(paths)
    column_index(np.array(reader.names), label, argument="y", source_name=file_name(Path(paths[0])))
    return reader


def _rename(table: FeatureTable, names: Iterable[Any]) -> FeatureTable:
    return replace(table, names=check_feature_names(names, len(table), "each file without its labels"))


def is_h5ad(path: str | PathLike[str]) -> bool:
    """Return whether a path has the suffix of an AnnData file."""
    return Path(path).suffix.lower() == ".h5ad"


def _open_h5ad(paths: Sequence[str | PathLike[str]]) -> Any:
    """Return an object with the attributes of AnnData; its matrices are read from the file when they are needed."""
    if len(paths) > 1:
        raise RocPredictError(
            "h5ad files cannot be combined with other files; pass one h5ad file, or (AnnData, y) batches"
        )
    path, _ = _open_path(paths[0])
    try:
        import h5py
        from anndata.io import read_elem, sparse_dataset
    except ImportError:
        raise RocPredictError(f"{paths[0]} is an h5ad file, which needs anndata: pip install anndata") from None

    def matrix(element: Any) -> Any:
        return sparse_dataset(element) if hasattr(element, "keys") else element

    def holder(group: Any, **others: Any) -> SimpleNamespace:
        var = read_elem(group["var"])
        return SimpleNamespace(X=matrix(group.get("X")), var=var, var_names=var.index, **others)

    try:
        file = h5py.File(path, "r")
        layers = {name: matrix(element) for name, element in file.get("layers", {}).items()}
        raw = holder(file["raw"]) if "raw" in file else None
        return holder(file, obs=read_elem(file["obs"]), layers=layers, raw=raw)
    except (OSError, KeyError) as error:
        raise RocPredictError(f"{paths[0]} cannot be read as h5ad: {first_line(error)}") from None


def find_files(paths: PathArgument) -> list[str | PathLike[str]]:
    """Return the files that are named by paths, contained in folders or matched by patterns.

    Parameters
    ----------
    paths : path, or sequence of paths
        Paths of files or folders, or file name patterns. For a folder, its CSV, Parquet or Feather files are returned,
        which must have the same format; files whose names begin with a dot or an underscore are not included. h5ad
        files must be named one by one. For a pattern such as ``"2024-*.parquet"``, the matching files are returned. The
        files in a folder, and the files that match a pattern, are sorted by name.

    Returns
    -------
    list of paths

    Raises
    ------
    RocPredictError
        If a folder contains no CSV, Parquet or Feather file, if a folder contains files of several formats or files in
        subfolders, if a pattern matches no file, or if a file is named twice.
    """
    every = list(paths) if isinstance(paths, Iterable) and not isinstance(paths, (str, os.PathLike)) else [paths]
    if not every:
        raise RocPredictError("paths is empty; pass at least one path")
    files = [file for path in every for file in _expand(path)]
    try:
        names = [os.path.realpath(file) for file in files]
    except (ValueError, OSError):
        raise RocPredictError(f"paths={short_repr(paths)} contains an invalid file name") from None
    twice = [file for place, file in enumerate(files) if names[place] in names[:place]]
    if twice:
        raise RocPredictError(f"{twice[0]} is named twice, so its rows would be counted twice; name each file once")
    return files


def _expand(path: Any) -> Sequence[str | PathLike[str]]:
    """Return the files of one path, folder or pattern."""
    name = os.fspath(path) if isinstance(path, (str, os.PathLike)) else None
    if not isinstance(name, str) or "\0" in name or not name:
        raise RocPredictError(f"{short_repr(path)} is not a path; pass a file name")
    if "://" in name:
        raise RocPredictError(f"{name} is a remote path; pass a lazy frame, such as polars.scan_parquet({name!r})")
    if os.path.isdir(name):
        visible = [file for file in sorted(Path(name).iterdir()) if not file.name.startswith((".", "_"))]
        nested = next((file for folder in visible if folder.is_dir() for file in _tables_below(folder)), None)
        if nested is not None:
            suffix = nested.suffix
            raise RocPredictError(
                f"{name} is a folder with files in subfolders, such as {nested}; pass the pattern "
                f"'{Path(name) / '**' / '*'}{suffix}' for all files, or '{Path(name) / '*'}{suffix}' without subfolders"
            )
        formats_of = {file: _format_by_name(file) for file in visible}
        files = [file for file, kind in formats_of.items() if kind]
        formats = sorted({kind for kind in formats_of.values() if kind})
        if not files:
            suffixes = ", ".join(_FORMAT_BY_SUFFIX)
            raise RocPredictError(
                f"{name} is a folder that contains no file with one of the suffixes {suffixes}; pass files by name"
            )
        if len(formats) > 1:
            raise RocPredictError(
                f"{name} is a folder that contains {' and '.join(formats)} files; pass a pattern such as *.csv"
            )
        return files
    if has_magic(name) and not os.path.exists(name):
        matches = sorted(glob(name, recursive=True))
        if not matches:
            raise RocPredictError(f"{name} matches no file; pass an existing file, folder or pattern")
        return matches
    return [path]


def _tables_below(folder: Path) -> Iterator[Path]:
    """Yield the visible tables in a folder and in its subfolders."""
    for file in sorted(folder.iterdir()):
        if not file.name.startswith((".", "_")):
            yield from _tables_below(file) if file.is_dir() else [file] if _format_by_name(file) else ()


def open_tables(paths: PathArgument) -> TableReader:
    r"""Open CSV, Parquet or Feather files with the same columns.

    Only the column names are read; ``features`` returns the data.

    Parameters
    ----------
    paths : path, or sequence of paths
        Paths of the files, which must all have the same format. The order of the columns may differ between files; the
        order in the first file is used. A pipe is first copied to a temporary file.

        - Parquet: files that have the suffix .parquet or .pq, or that begin with the signature of the format.
        - Feather (Arrow IPC): files that have the suffix .feather, .arrow or .ipc, or that begin with the signature of
          the format.
        - CSV: all other files. They have a header line, and their cells are separated by commas, semicolons or tabs.
          They are encoded in UTF-8 or UTF-16 and may be gzip-compressed.

    Returns
    -------
    TableReader
        Reader of the files. The attribute ``names`` of the reader contains the column names, and the method
        ``features(label=..., usecols=...)`` returns the features and the labels.

    Raises
    ------
    RocPredictError
        If there is no file, if a file cannot be read, if the files differ in their formats or columns, or if a header
        has no names or contains a name twice. If a Parquet or Feather file is passed and polars is not installed.

    Notes
    -----
    If polars is installed (extra ``frames``), CSV files of 8 MB or more are read with polars, which is several times as
    fast as the ``csv`` module. With polars, the labels and the features are read in separate passes; ``screen`` and
    ``summarize`` compute moments in a single pass over most files. Without polars, or if whole columns are needed (as
    for empirical AUCs), the numbers that are read from CSV files are stored. Tables of up to 1 MB (8 bytes per cell)
    are stored in memory, and larger tables are stored in a temporary file. The environment variable TMPDIR sets the
    folder of this file. A missing value is an empty cell, or NA, N/A, NaN, nan, null, NULL, None or ?. A cell may have
    at most 131,072 characters, and the first line may be at most 64 MB long. Columns of Parquet and Feather files are
    read when they are needed.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "two.csv")
    ...     _ = path.write_text("size,kind\n1.5,a\n2,b\n")
    ...     table, labels = open_tables(path).features(label="kind")
    >>> table, labels.tolist()
    (FeatureTable(2 rows, 1 feature: 'size'), ['a', 'b'])
    """
    files, formats = zip(*map(_open_path, find_files(paths)), strict=True)
    for file, other in zip(files, formats, strict=True):
        if other != formats[0]:
            raise RocPredictError(
                f"{file_name(files[0])} is a {formats[0]} file, but {file_name(file)} is a {other} file; pass files "
                "of one format"
            )
    if formats[0] != "CSV":
        return ColumnarFiles(files, formats[0])
    is_large = sum(file.stat().st_size for file in files) >= large_csv.MIN_BYTES
    return large_csv.LargeCsvFiles(files) if is_large else CsvFiles(files)


@cache
def _temporary_folder() -> tempfile.TemporaryDirectory[str]:
    """Return a temporary folder. It is removed only at exit, because results may read from it until then."""
    return tempfile.TemporaryDirectory(prefix=COPY_PREFIX)


def _copy_stream(source: IO[bytes], target: IO[bytes], name: str) -> None:
    """Copy a pipe or device, or raise RocPredictError if it is text with a line longer than ``MAX_LINE``."""
    block = source.read(_COPY_BYTES)
    is_text = not block.startswith((*_FORMAT_BY_MAGIC, GZIP_MAGIC))
    if is_text:
        check_first_bytes(block, name)
    length = 0  # number of bytes since the last end of a line
    while block:
        target.write(block)
        last_line_end = max(block.rfind(b"\n"), block.rfind(b"\r"))
        length = len(block) - 1 - last_line_end + (length if last_line_end < 0 else 0)
        if is_text:
            csv_reader.check_line_length(length, name)
        block = source.read(_COPY_BYTES)


def _open_path(name: str | PathLike[str]) -> tuple[Path, FileFormat]:
    """Return a file that can be read repeatedly (for a pipe or device, a copy), and the format of this file."""
    path = Path(name)
    try:
        mode, readable = path.stat().st_mode, path
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            readable = Path(tempfile.mkdtemp(dir=_temporary_folder().name), path.name)
            with path.open("rb") as source, readable.open("wb") as target:
                _copy_stream(source, target, str(path))
        with readable.open("rb") as file:
            first_bytes = file.read(max(map(len, _FORMAT_BY_MAGIC)))
        by_suffix = _format_by_name(path) or "CSV"
        return readable, next(
            (kind for magic, kind in _FORMAT_BY_MAGIC.items() if first_bytes.startswith(magic)), by_suffix
        )
    except OSError as error:
        raise RocPredictError(f"{path}: {error.strerror or error}") from None
