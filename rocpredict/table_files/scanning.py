"""Open files as one table."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol

from numpy.typing import NDArray

from rocpredict.arguments import shown
from rocpredict.errors import RocPredictError
from rocpredict.features.table import Features
from rocpredict.table_files.csv_files import CsvFiles
from rocpredict.table_files.parquet import ParquetFiles

_PARQUET = (".parquet", ".pq")
_MAGIC = b"PAR1"


class TableFiles(Protocol):
    """Files with the same columns, whose rows follow one another."""

    names: tuple[str, ...]

    def features(
        self, *, label: str | None = None, only: Sequence[str] | None = None
    ) -> tuple[Features, NDArray[Any] | None]:
        """Read the features, and the labels where a column is named.

        Parameters
        ----------
        label : str, optional
            The column with the labels; it is no feature then.
        only : sequence of str, optional
            The columns to take as features, in that order; all others are left alone, whatever they hold.

        Raises
        ------
        RocPredictError
            A name that is no column or is given twice; a broken line, a cell that is not a number in a
            column of numbers, a row without a label: each with its line. No column of numbers.
        """


def scan_files(paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> TableFiles:
    r"""Open CSV or Parquet files with the same columns; the rows are read when features are asked for.

    Parameters
    ----------
    paths : path, or paths
        Parquet where the name ends in .parquet or .pq, or the content says so; CSV (UTF-8, a header line,
        commas) otherwise. Columns may stand in another order in each file; the first one's counts.

    Returns
    -------
    files : TableFiles
        ``.names``: the columns. ``.features(label=..., only=...)``: the table and its labels.

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
    ...     table, labels = scan_files(path).features(label="kind")
    >>> table, labels.tolist()
    (Features(2 rows, 1 features: 'size'), ['a', 'b'])
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
        raise RocPredictError(f"{shown(path)} is not a path; give the name of a file") from None


def _is_parquet(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return path.suffix.lower() in _PARQUET or file.read(len(_MAGIC)) == _MAGIC
    except OSError as error:
        raise RocPredictError(f"{path}: {error.strerror or error}") from None
