"""CSV files, read by the ``csv`` module."""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain, islice
from os import PathLike
from pathlib import Path
from typing import IO, Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from rocpredict.base.formatting import pluralize
from rocpredict.base.labels import Labels
from rocpredict.base.validation import (
    FloatArray,
    NanPolicy,
    RocPredictError,
    check_exact_integers,
    number_format_hint,
    short_repr,
    suggest,
)
from rocpredict.sources.blocks import INDEX_NAMES
from rocpredict.sources.streams import SpooledColumns
from rocpredict.sources.table import FeatureTable, check_has_numeric, format_names

MISSING_MARKERS = frozenset({"", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "?"})
"""A cell with one of these texts is a missing value."""
CHUNK_CELLS = 2_000
"""Number of cells that are converted to numbers at a time, so that they fit into the processor's cache."""

_ERROR_WORDS = {
    "unexpected end of data": "a quoted cell begins here and has no closing quote",
    "field larger than field limit (131072)": "a cell of more than 131072 characters (missing closing quote?)",
}
_SEPARATORS = ("\t", ";", ",")
"""Cell separators in order of preference; tabs and semicolons are rare in column names."""
_N_LINES_TO_DETECT = 10
MAX_LINE = 64 * 2**20
"""Maximum length of a line: in characters for the first lines of a file, in bytes for a stream."""
GZIP_MAGIC = b"\x1f\x8b"
_OTHER_COMPRESSIONS = (b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd")
"""First bytes of files that are compressed with bzip2, xz and Zstandard."""
_BYTE_ORDER_MARKS = {b"\xff\xfe\x00\x00": "utf-32", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
_DECIMAL_COMMA = re.compile(r"\s*[+-]?(\d*),(\d+)([eE][+-]?\d+)?\s*")
_DECIMAL_POINT = re.compile(r"\s*[+-]?(\d+\.\d*|\.\d+)([eE][+-]?\d+)?\s*")
_MONTH = re.compile(r"\s*(0[1-9]|1[0-2])\.(19|20)\d\d\s*")
Rows = Iterator[tuple[int, list[str]]]


COPY_PREFIX = "rocpredict-"
"""Beginning of the name of the temporary folder that holds copies of pipes."""


def file_name(path: Path) -> str:
    """Return a path as it was passed, or the file name if the path is the copy of a pipe."""
    return path.name if path.parent.parent.name.startswith(COPY_PREFIX) else str(path)


FileVersion: TypeAlias = tuple[int, int, int]
"""Inode, size and time of the last change of a file."""


def file_version(path: Path) -> FileVersion:
    """Return values that change if a file is replaced or written."""
    status = path.stat()
    return status.st_ino, status.st_size, status.st_mtime_ns


@contextmanager
def refuse_changes(versions: Mapping[Path, FileVersion]) -> Iterator[None]:
    """Raise RocPredictError if a file has changed since its version was read, or changes in the ``with`` block."""

    def check() -> None:
        for path, version in versions.items():
            if not path.exists() or file_version(path) != version:
                raise RocPredictError(f"{file_name(path)} changed while it was being read; read it again")

    check()
    try:
        yield
    except Exception:
        check()
        raise
    check()


@contextmanager
def open_csv(path: Path) -> Iterator[tuple[list[str], Rows, str]]:
    r"""Open a CSV file or pipe with a header line.

    The file is encoded in UTF-8 or UTF-16 and may be gzip-compressed.

    Yields
    ------
    header : list of str
        Column names.
    rows : iterator of (int, list of str)
        Rows after the header, each with the number of its last line in the file. Empty lines are omitted.
    separator : {",", ";", "\t"}
        Cell separator, detected from the first lines.

    Raises
    ------
    RocPredictError
        If the file cannot be read or is not text, if the header has no names or contains a name twice, or if a row is
        not valid. The message gives the line number.
    """
    try:
        with path.open("rb") as file, _as_text(file, file_name(path)) as text:
            first_lines = _read_first_lines(text, file_name(path))
            separator = _detect_separator(first_lines)
            reader = csv.reader(chain(first_lines, text), delimiter=separator, strict=True)
            header = _check_header(next(reader, []), file_name(path))
            yield header, iter_rows(reader, file_name(path), len(header), separator), separator
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise RocPredictError(
            f"{file_name(path)} is damaged or incomplete ({error}); download, copy or compress it again"
        ) from None
    except OSError as error:
        raise RocPredictError(f"{path}: {error.strerror or error}") from None
    except UnicodeError:
        raise RocPredictError(
            f"{file_name(path)} is not UTF-8 text; pass a CSV file (in Excel, save as CSV UTF-8 or Unicode text)"
        ) from None
    except csv.Error as error:
        raise RocPredictError(f"{file_name(path)}, line {reader.line_num}: {error}") from None


def _as_text(file: IO[bytes], name: str) -> IO[str]:
    """Open a binary file as text; its first bytes determine the encoding and the compression."""
    peekable = cast(io.BufferedReader, file)
    if peekable.peek(2).startswith(GZIP_MAGIC):
        peekable = cast(io.BufferedReader, gzip.GzipFile(fileobj=peekable))
    first_bytes = peekable.peek(4)
    check_first_bytes(first_bytes, name)
    return io.TextIOWrapper(peekable, _detect_encoding(first_bytes), newline="")


def _detect_encoding(first_bytes: bytes) -> str:
    return next((name for mark, name in _BYTE_ORDER_MARKS.items() if first_bytes.startswith(mark)), "utf-8-sig")


def check_first_bytes(first_bytes: bytes, name: str) -> None:
    """Raise RocPredictError if a file is a JSON file, or if its first line contains NUL bytes.

    NUL bytes are allowed if the file has a byte order mark.
    """
    if first_bytes.lstrip()[:1] == b"{" and name.lower().endswith(".json"):
        raise RocPredictError(
            f"{name} is a JSON file; pass a CSV, Parquet or Feather file (TwoClassSummary.from_json reads a summary)"
        )
    if first_bytes.startswith(_OTHER_COMPRESSIONS):
        raise RocPredictError(f"{name} is compressed, but not with gzip; decompress it, or compress it with gzip")
    first_line = first_bytes.partition(b"\n")[0].partition(b"\r")[0]
    if b"\0" in first_line and _detect_encoding(first_bytes) == "utf-8-sig":
        kind = (
            "is a spreadsheet or a ZIP archive; save it as"
            if first_bytes.startswith(b"PK")
            else "contains NUL bytes in its first line; pass"
        )
        raise RocPredictError(f"{name} {kind} a CSV file in UTF-8 or UTF-16")


def check_line_length(length: int, name: str) -> None:
    """Raise RocPredictError if a line is longer than ``MAX_LINE``."""
    if length > MAX_LINE:
        raise RocPredictError(f"{name} has a line of more than {MAX_LINE >> 20} MB; pass a CSV file with shorter lines")


def _read_first_lines(text: IO[str], name: str) -> list[str]:
    """Read the lines from which the separator is detected."""
    lines = []
    for line in islice(iter(lambda: text.readline(MAX_LINE + 1), ""), _N_LINES_TO_DETECT):
        check_line_length(len(line), name)
        lines.append(line)
    return lines


def _detect_separator(lines: Sequence[str]) -> str:
    """Return the separator that splits the header and the first row into the same number of cells, at least two.

    If there is no such separator, return the one that splits the header into the most cells.
    """
    n_cells: dict[str, list[int]] = {}
    for separator in _SEPARATORS:
        n_cells[separator] = []
        if any(separator in line for line in lines):
            with suppress(csv.Error):
                rows = csv.reader(lines, delimiter=separator)
                n_cells[separator] = list(islice((len(row) for row in rows if row), 2))
        if len(n_cells[separator]) > 1 and n_cells[separator][0] == n_cells[separator][1] > 1:
            return separator
    return max(_SEPARATORS[::-1], key=lambda separator: n_cells[separator][:1])


def _check_header(cells: list[str], name: str) -> list[str]:
    header = [cell.strip() for cell in cells]
    if not any(header):
        problem = "is empty" if len(header) < 2 else "begins with a line without column names"
        raise RocPredictError(f"{name} {problem}; a header line with column names is needed")
    twice = [column for column, count in Counter(header).items() if count > 1]
    if "" in twice:
        n_unnamed = header.count("")
        raise RocPredictError(f"{name} has {n_unnamed} columns without a name; name them, or delete them")
    if twice:
        raise RocPredictError(f"{name} has the column name {min(twice)!r} twice; column names must be unique")
    return header


def iter_rows(reader: Any, name: str, cells: int, separator: str, skipped: int = 0) -> Rows:
    """Yield each row with the number of its last line; refuse a row with another number of cells.

    ``skipped`` is the number of lines of the file that the ``csv`` reader has not read.
    """
    line = skipped + reader.line_num
    try:
        for row in reader:
            line = skipped + reader.line_num
            if len(row) == cells:
                yield line, row
            elif row:
                hint = " (commas separate cells here; write decimals with a point, or separate cells by semicolons)"
                if separator != "," or len(row) < cells:
                    hint = "; every row needs as many cells as the header"
                came = pluralize(len(row), "cell")
                raise RocPredictError(f"{name}, line {line}: {came}, but the header has {cells}{hint}")
    except csv.Error as error:
        raise RocPredictError(f"{name}, line {line + 1}: {_ERROR_WORDS.get(str(error), error)}") from None


def parse_numbers(cells: Sequence[str], separator: str = ",") -> tuple[FloatArray, list[int]]:
    """Convert cells to numbers; return these numbers and the positions of the text cells.

    Missing values and text become NaN. A comma is read as a decimal mark unless it is the separator.
    """
    try:
        return np.fromiter(map(float, cells), np.float64, len(cells)), []
    except ValueError:
        pass
    values, text = np.full(len(cells), np.nan), []
    for position, cell in enumerate(cells):
        try:
            values[position] = float(cell)
        except ValueError:
            if separator != "," and _DECIMAL_COMMA.fullmatch(cell):
                values[position] = float(cell.replace(",", "."))
            elif cell.strip() not in MISSING_MARKERS:
                text.append(position)
    return values, text


def _number_hint(cell: str, separator: str) -> str:
    """Return a hint with both interpretations of a number with a comma, or on how to write numbers."""
    if _DECIMAL_COMMA.fullmatch(cell) is None:
        return number_format_hint(cell, "point" if separator == "," else "point or comma")
    decimal, grouped = cell.strip().replace(",", "."), cell.strip().replace(",", "")
    return f" ({decimal} if the comma is decimal, {grouped} if it groups digits; write the intended one)"


class _DecimalMarks:
    """First number with a decimal comma and first number with a decimal point in a file."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._examples: dict[str, str] = {}

    def check(self, columns: Mapping[str, Sequence[str]], separator: str, read: Sequence[str] = ()) -> None:
        """Raise RocPredictError if numbers in the numeric columns of the file have different decimal marks.

        A column that contains months, such as 01.2024, is ignored unless ``read`` contains its name.
        """
        for column, cells in columns.items():
            is_month = column not in read and all(map(_MONTH.fullmatch, cells))
            if is_month or parse_numbers(cells, separator)[1]:
                continue
            for mark, pattern in ((",", _DECIMAL_COMMA), (".", _DECIMAL_POINT)):
                cell = None if mark in self._examples else next(filter(pattern.fullmatch, cells), None)
                if cell is not None:
                    self._examples[mark] = f"{cell.strip()} in column {column!r}"
            if len(self._examples) > 1:
                raise RocPredictError(
                    f"{self._name} contains {self._examples[',']} and {self._examples['.']}, which have different "
                    "decimal marks; write all numbers with the same decimal mark and without digit grouping"
                )


def infer_label_dtype(cells: NDArray[np.str_]) -> NDArray[Any]:
    """Convert labels to numbers if all of them are numeric; otherwise, return them as text.

    Whole numbers become integers. All labels remain text if two different labels represent the same number, such as 1
    and 01. All labels also remain text if a number is not finite or its absolute value exceeds 2**53. Beyond this
    limit, different integers may be equal as floats.
    """
    try:
        numbers = cells.astype(np.float64)
    except ValueError:
        return cells
    if not (np.abs(numbers) <= 2**53).all() or len(np.unique(numbers)) < len(np.unique(cells)):
        return cells
    return numbers.astype(np.int64) if (numbers == np.round(numbers)).all() else numbers


def _strip_labels(
    cells: Sequence[str], lines: Sequence[int], name: str, column: str, nan_policy: NanPolicy | None
) -> list[str | None]:
    """Return the labels without surrounding spaces, with None for a missing label if ``nan_policy`` is "omit"."""
    labels = [None if (text := cell.strip()) in MISSING_MARKERS else text for cell in cells]
    if nan_policy != "omit" and None in labels:
        remedy = "add it, delete the line, or pass nan_policy='omit'" if nan_policy else "add it or delete the line"
        raise RocPredictError(
            f"{name}, line {lines[labels.index(None)]}: the label in column {column!r} is missing; {remedy}"
        )
    return labels


def _as_labels(cells: Sequence[str | None]) -> NDArray[Any]:
    """Convert labels as ``infer_label_dtype`` does; None, which stands for a missing label, is kept."""
    labels = infer_label_dtype(np.array([cell for cell in cells if cell is not None], dtype=np.str_))
    if len(labels) == len(cells):
        return labels
    result = np.full(len(cells), None, dtype=object)
    result[[cell is not None for cell in cells]] = labels.tolist()
    return result


def _header_hint(header: Sequence[str]) -> str:
    if header[0].startswith("#"):
        return " (the first line begins with '#'; delete comments before the line with the column names)"
    separator = next((mark for mark in "|:" if len(header) == 1 and mark in header[0]), None)
    return f" (cells are separated by {separator!r} here; commas, semicolons or tabs are needed)" if separator else ""


@dataclass(frozen=True)
class CsvTable:
    """Columns of a CSV file as text, with the line number of each row.

    Examples
    --------
    >>> table = CsvTable("two.csv", ["size", "class"], [["1.5", "a"], ["2", "b"]], lines=[2, 3])
    >>> table.numbers("size")
    array([1.5, 2. ])
    """

    name: str
    header: list[str]
    rows: list[list[str]]
    lines: list[int]
    separator: str = ","

    def cells(self, column: str) -> list[str]:
        """Return the cells of a column, or raise RocPredictError if there is no column with this name."""
        if column not in self.header:
            columns = f"columns are {', '.join(self.header)}{_header_hint(self.header)}"
            raise RocPredictError(
                f"{self.name} has no column {short_repr(column)}; {columns}{suggest(column, self.header)}"
            )
        index = self.header.index(column)
        return [row[index] for row in self.rows]

    def text(self, column: str) -> NDArray[np.str_]:
        """Return a column as text, or raise RocPredictError if there is no column with this name."""
        return np.array(self.cells(column))

    def numbers(self, column: str) -> FloatArray:
        """Return a column as numbers; the texts in ``MISSING_MARKERS`` become NaN.

        Raises
        ------
        RocPredictError
            If a cell is not a number; the message gives the line number of the cell.
        """
        cells = self.cells(column)
        if self.separator != "," and all(map(_MONTH.fullmatch, cells)):
            problem = (
                f"{self.name}: column {column!r} contains months such as {cells[0].strip()}, which are not numbers"
            )
            raise RocPredictError(f"{problem}; leave the column out")
        values, text = parse_numbers(cells, self.separator)
        if text:
            line, cell = self.lines[text[0]], short_repr(cells[text[0]].strip())
            hint = _number_hint(cells[text[0]], self.separator)
            raise RocPredictError(
                f"{self.name}, line {line}: column {column!r} contains {cell}, which is not a number{hint}; "
                "correct it, or leave the column out"
            )
        return values

    def labels(self, column: str, *, nan_policy: NanPolicy | None = None) -> NDArray[Any]:
        """Return a column as labels, which are numbers if all cells are numeric, else text.

        Raises
        ------
        RocPredictError
            If a label is missing and ``nan_policy`` is not "omit"; the message gives the line number of the missing
            label.
        """
        return _as_labels(_strip_labels(self.cells(column), self.lines, self.name, column, nan_policy))


def read_csv(path: str | PathLike[str]) -> CsvTable:
    r"""Read a CSV file with a header line.

    The file is encoded in UTF-8 or UTF-16 and may be gzip-compressed. Cells are separated by commas, semicolons or
    tabs. If cells are separated by semicolons or tabs, a comma is read as a decimal mark.

    Raises
    ------
    RocPredictError
        If the file cannot be read, is not text or is empty, if the header contains a name twice, or if a row has more
        or fewer cells than the header. The message gives the line number.
    """
    path = Path(path)
    with open_csv(path) as (header, cells_by_line, separator):
        numbered = list(cells_by_line)
    if not numbered:
        raise RocPredictError(f"{file_name(path)} has a header but no rows; write one row per observation")
    rows = [row for _, row in numbered]
    if separator != ",":
        _DecimalMarks(file_name(path)).check(dict(zip(header, zip(*rows, strict=True), strict=True)), separator)
    return CsvTable(file_name(path), header, rows, [line for line, _ in numbered], separator)


FeaturesAndLabels: TypeAlias = tuple[FeatureTable, Labels | None]
"""Features and labels that are read from files; the labels are None if they are not read."""


class TableReader(ABC):
    """Files with the same columns, read as one table.

    Attributes
    ----------
    names : tuple of str
        Column names, in the order of the first file.
    """

    names: tuple[str, ...]

    def __init__(self, paths: Sequence[Path], names: Sequence[Sequence[str]]) -> None:
        self._paths = paths
        self.names = tuple(names[0])
        for path, other_names in zip(paths, names, strict=True):
            own_set, other_set = {*self.names}, {*other_names}
            missing = [name for name in self.names if name not in other_set]
            if missing:
                raise RocPredictError(
                    f"{file_name(path)} has no column {missing[0]!r}, which {file_name(paths[0])} has; all files "
                    f"need the same columns{_header_hint(other_names)}"
                )
            added = [name for name in other_names if name not in own_set]
            if added:
                raise RocPredictError(
                    f"{file_name(path)} has a column {added[0]!r}, which {file_name(paths[0])} lacks; all files "
                    "need the same columns"
                )

    @abstractmethod
    def features(
        self, *, label: str | None = None, usecols: Sequence[str] | None = None, nan_policy: NanPolicy | None = None
    ) -> FeaturesAndLabels:
        """Read the features and the labels.

        Parameters
        ----------
        label : str, optional
            Name of the label column, which is not used as a feature. By default, no labels are read.
        usecols : sequence of str, optional
            Columns to read as features, in the requested order. By default, all columns except the label column and a
            row index.
        nan_policy : {"raise", "omit"}, optional
            How missing labels are handled; see ``check_labels``.

        Returns
        -------
        table : FeatureTable
            Features.
        labels : array of shape (n,), or None
            Class labels.

        Raises
        ------
        RocPredictError
            If a column does not exist, a name occurs twice, a line is not valid, a numeric column contains text, a
            label is missing, or no column is numeric. If the problem is in one line, the message gives the line number.
        """

    def _select(self, label: str | None, usecols: Sequence[str] | None) -> list[str]:
        """Return the names of the features, or raise RocPredictError if a name is not a column."""
        if isinstance(usecols, str):
            raise RocPredictError(f"usecols={usecols!r} is not a list of columns; pass [{usecols!r}]")
        columns_of_file, first = {*self.names}, file_name(self._paths[0])
        requested: list[tuple[str, Any]] = [] if label is None else [("label", label)]
        for argument, column in (*requested, *(("usecols", name) for name in usecols or ())):
            if not isinstance(column, str) or column not in columns_of_file:
                columns = f"columns are {format_names(self.names)}{_header_hint(self.names)}"
                columns += suggest(column, self.names)
                raise RocPredictError(f"{argument}={short_repr(column)} is not a column of {first}; {columns}")
        if usecols is not None:
            twice = [name for name, count in Counter(usecols).items() if count > 1]
            if twice:
                raise RocPredictError(f"usecols= contains {twice[0]!r} twice; pass each column once")
            if label in usecols:
                raise RocPredictError(f"{label!r} is the label column and cannot also be a feature")
        named = [name for name in self.names if name not in INDEX_NAMES] if usecols is None else usecols
        features = [name for name in named if name != label]
        if not features:
            raise RocPredictError(f"{first} has no column other than the labels; at least one feature is needed")
        return features

    def __repr__(self) -> str:
        return f"{type(self).__name__}({[path.name for path in self._paths]}, {len(self.names)} columns)"


class CsvFiles(TableReader):
    """CSV files with the same columns."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._headers = []
        for path in paths:
            with open_csv(path) as (header, _, _):
                self._headers.append(header)
        super().__init__(paths, self._headers)

    def features(
        self, *, label: str | None = None, usecols: Sequence[str] | None = None, nan_policy: NanPolicy | None = None
    ) -> FeaturesAndLabels:
        """Read the features and the labels; see ``TableReader.features``."""
        names = self._select(label, usecols)
        source, kinds = SpooledColumns(len(names)), ColumnKinds(names)
        codes: defaultdict[str | None, int] = defaultdict(lambda: len(codes))
        coded = []
        for path, header in zip(self._paths, self._headers, strict=True):
            rows_before, positions = source.shape[0], {name: place for place, name in enumerate(header)}
            places, marks = [positions[name] for name in names], _DecimalMarks(file_name(path))
            for lines, columns, separator in iter_columns(path):
                if label is not None:
                    labels = _strip_labels(columns[positions[label]], lines, file_name(path), label, nan_policy)
                    coded.append(np.fromiter(map(codes.__getitem__, labels), np.int32, len(labels)))
                source.append(kinds.parse([columns[place] for place in places], lines, file_name(path), separator))
                if separator != ",":
                    marks.check(dict(zip(header, columns, strict=True)), separator, read=names)
            if source.shape[0] == rows_before:
                raise RocPredictError(f"{file_name(path)} has a header but no rows; write one row per observation")
        source.flush()
        source.texts = kinds.texts
        table = check_has_numeric(FeatureTable(np.array(names), source.shape[0], source, kinds.is_text))
        return table, None if label is None else _as_labels([*codes])[np.concatenate(coded)]


def iter_columns(path: Path) -> Iterator[tuple[tuple[int, ...], list[tuple[str, ...]], str]]:
    """Yield, for each chunk of rows, the line numbers of the rows, the cells of each column, and the separator."""
    with open_csv(path) as (header, rows, separator):
        while chunk := list(islice(rows, max(1, CHUNK_CELLS // len(header)))):
            lines, cells = zip(*chunk, strict=True)
            yield lines, list(zip(*cells, strict=True)), separator


class ColumnKinds:
    """Parser for columns that contain either numbers or text."""

    def __init__(self, names: Sequence[str], *, numeric: bool = False) -> None:
        self._names = names
        self._numeric = np.full(len(names), numeric)
        self._n_rows = 0
        self._first_text: dict[int, tuple[int, int, str]] = {}
        """For each column with text, the row and the column of the first text, and the error message for it."""
        self.texts: dict[int, str] = {}

    @property
    def is_text(self) -> NDArray[np.bool_]:
        """Mask of the text columns."""
        return np.isin(np.arange(len(self._names)), list(self._first_text))

    def parse(self, columns: Sequence[Sequence[str]], lines: Sequence[int], file: str, separator: str) -> FloatArray:
        """Return the numbers in the columns as an array of shape (columns, rows).

        Raise RocPredictError if a column contains both numbers and text.
        """
        values, text = parse_numbers(list(chain.from_iterable(columns)), separator)
        for position in text:
            column, row = divmod(position, len(lines))
            if column not in self._first_text:
                cell = columns[column][row].strip()
                message = (
                    f"{file}, line {lines[row]}: column {self._names[column]!r} contains {short_repr(cell)}, which is "
                    f"not a number{_number_hint(cell, separator)}; correct it, or pass a table without this column"
                )
                self._first_text[column] = self._n_rows + row, column, message
                self.texts[column] = cell
        values = values.reshape(len(columns), len(lines))
        for column, row in np.argwhere(np.abs(values) >= 2.0**53).tolist():
            cell = columns[column][row].strip()
            if cell.lstrip("+-").replace("_", "").isdecimal():
                place = f"{file}, line {lines[row]}: column {self._names[column]!r}"
                check_exact_integers(place, [int(Decimal(cell))])  # int(cell) refuses more than 4,300 digits
        self._numeric |= ~np.isnan(values).all(axis=1)
        self._n_rows += len(lines)
        mixed = [first for column, first in self._first_text.items() if self._numeric[column]]
        if mixed:
            raise RocPredictError(min(mixed)[-1])
        return values
