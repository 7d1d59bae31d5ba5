"""CSV files: a reader based on the ``csv`` module, and one based on polars for large files."""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property, partial
from itertools import chain, groupby, islice
from os import PathLike
from pathlib import Path
from typing import IO, Any, NamedTuple, Self, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from rocpredict.base.formatting import pluralize
from rocpredict.base.labels import CodedLabels, Labels
from rocpredict.base.progress import report_progress
from rocpredict.base.validation import (
    FloatArray,
    NanPolicy,
    RocPredictError,
    check_exact_integers,
    number_format_hint,
    short_repr,
    suggest,
)
from rocpredict.sources.blocks import (
    DEFAULT_BUDGET,
    INDEX_NAMES,
    BlockIterator,
    BlockSource,
    ColumnIndices,
    DenseSource,
    MemoryBudget,
    TileIterator,
    map_ordered,
    read_ahead,
)
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
            yield header, _iter_rows(reader, file_name(path), len(header), separator), separator
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


def _iter_rows(reader: Any, name: str, cells: int, separator: str, skipped: int = 0) -> Rows:
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


CHUNK_BYTES = 3 * 2**19
"""Size of a chunk of lines, in bytes."""
MIN_BYTES = 8 * 2**20
"""Smallest total size, in bytes, of CSV files that are read by polars."""
_N_CELLS_TO_CLASSIFY = 50_000
_BATCH_CELLS = 2**19
"""Number of cells in a batch of lines."""
_STREAM_BYTES, _STREAM_BYTES_PER_THREAD = 200_000_000, 100_000_000
"""Memory that polars needs to read a file in batches of lines, and additional memory for each of its threads."""
_MAX_COLUMNS, _MAX_STREAMED_COLUMNS = 5_000, 2_000
"""Largest numbers of columns that polars reads in chunks and in batches; it reads wider tables more slowly."""
_MAX_LABELS_IN_BATCHES = 20
"""Largest number of labels in files that are read once; the moments of each label are stored until the end."""
_MARKERS = sorted(MISSING_MARKERS - {""})


_INTEGER = r"^\s*[+-]?[0-9_]+\s*$"


class UnusualCsvError(Exception):
    """Error that is raised if another reader must read the files."""


class _Chunk(NamedTuple):
    """Section of a file that consists of whole lines."""

    path: Path
    offset: int
    size: int
    rows: int
    line: int
    """Number of the first line."""


class LargeCsvFiles(CsvFiles):
    """CSV files with the same columns, read by polars if it is installed.

    Polars may fail because of an unusual line, encoding or label, or because a column contains both numbers and text.
    In these cases, the reader based on the ``csv`` module reads the files, or raises an error that describes the
    problem.
    """

    def features(
        self, *, label: str | None = None, usecols: Sequence[str] | None = None, nan_policy: NanPolicy | None = None
    ) -> FeaturesAndLabels:
        """Read the labels, and determine which columns are numeric; see ``TableReader.features``."""
        names = self._select(label, usecols)
        source = ChunkedCsv(names)
        try:
            import polars  # noqa: F401

            parts = [source.scan(path, label) for path in self._paths]
        except (ImportError, OSError, EOFError, zlib.error, UnusualCsvError):
            return super().features(label=label, usecols=usecols, nan_policy=nan_policy)
        source.finish()
        table = check_has_numeric(FeatureTable(np.array(names), source.shape[0], source, source.not_numeric))
        return table, None if label is None else CodedLabels.of(infer_label_dtype(np.array([*source.codes])), parts)

    def batches(self, label: str, budget: MemoryBudget) -> Iterator[tuple[FeatureTable, CodedLabels]]:
        """Read the files once, and yield the features and the labels of adjacent lines; all labels are text.

        Raises
        ------
        UnusualCsvError
            If only ``features`` can read the files, or if the memory budget is too small.
        RocPredictError
            As in ``features``.
        """
        names = self._select(label, None)
        source = ChunkedCsv(names)
        try:
            import polars as pl
        except ImportError:
            raise UnusualCsvError from None
        needed = _STREAM_BYTES + _STREAM_BYTES_PER_THREAD * pl.thread_pool_size()
        is_small = (budget.total or needed) < needed
        if is_small or len(self.names) > _MAX_STREAMED_COLUMNS or not hasattr(pl.LazyFrame, "collect_batches"):
            raise UnusualCsvError
        for path in self._paths:
            source.open(path)
        not_numeric, total = source.find_text(), sum(path.stat().st_size for path in self._paths)
        for values, labels, n_bytes in source.iter_batches(label):
            part = DenseSource(values)
            part.texts = source.texts
            yield check_has_numeric(FeatureTable(np.array(names), len(values), part, not_numeric)), labels
            report_progress(len(names) * n_bytes // total, len(names))
        report_progress(len(names), len(names))


class ChunkedCsv(BlockSource):
    """Numeric columns of CSV files.

    Tiles of rows are read from the CSV files; blocks of columns are read from a temporary file.
    """

    is_streamed = True

    def __init__(self, names: Sequence[str]) -> None:
        self._names = list(names)
        self.shape = 0, len(names)
        self._is_number, self._is_text = np.zeros((2, len(names)), dtype=bool)
        self.texts: dict[int, str] = {}
        self._chunks: list[_Chunk] = []
        self._formats: dict[Path, tuple[list[str], str]] = {}
        self._versions: dict[Path, FileVersion] = {}
        self._line_bytes: dict[Path, float] = {}
        self._has_markers = False
        self.codes: dict[str, int] = {}

    def open(self, path: Path) -> None:
        """Read the first lines of a file, and determine which columns of these lines are numeric."""
        self._versions[path] = file_version(path)
        with open_csv(path) as (header, rows, separator):
            first = [row for _, row in islice(rows, 1 + _N_CELLS_TO_CLASSIFY // len(header))]
        if not first or len(header) > _MAX_COLUMNS:
            raise UnusualCsvError
        self._formats[path] = header, separator
        self._line_bytes[path] = sum(1 + len(cell) for row in first for cell in row) / len(first)
        columns = dict(zip(header, zip(*first, strict=True), strict=True))
        for place, name in enumerate(self._names):
            self._classify(place, columns.get(name, ()))

    def find_text(self) -> NDArray[np.bool_]:
        """Return the mask of the text columns, or raise UnusualCsvError if the first lines lack values of a column."""
        if (self._is_number == self._is_text).any():
            raise UnusualCsvError
        return self._is_text

    def iter_batches(self, label: str) -> Iterator[tuple[FloatArray, CodedLabels, int]]:
        """Yield the values and the labels of adjacent lines, and the approximate number of bytes read."""
        import polars as pl

        n_before, present = 0, set()
        numeric = [name for name, is_text in zip(self._names, self._is_text, strict=True) if not is_text]
        for path, (header, separator) in self._formats.items():
            with path.open("rb") as file:
                start, n_bytes, n_rows, has_nulls = _skip_header(file), path.stat().st_size, 0, False
            scan = pl.scan_csv(
                path,
                has_header=False,
                skip_lines=1,
                separator=separator,
                quote_char=None,
                schema=dict.fromkeys(header, pl.String) | dict.fromkeys(numeric, pl.Float64),
                null_values=_MARKERS if self._has_markers else None,
                glob=False,
            )
            with refuse_changes({path: self._versions[path]}):
                for frame in _collect_batches(scan, max(1, _BATCH_CELLS // len(header))):
                    values, labels = self._read_batch(frame, numeric, label)
                    present |= {*labels.values.tolist()}
                    if len(present) > _MAX_LABELS_IN_BATCHES:
                        raise UnusualCsvError
                    n_rows, has_nulls = n_rows + len(frame), has_nulls or frame[header[-1]].has_nulls()
                    yield values, labels, n_before + min(n_bytes, round(n_rows * self._line_bytes[path]))
                if not n_rows:
                    raise UnusualCsvError
                if has_nulls:  # polars fills short lines with missing values
                    _check_separators(path, start, separator, n_rows * (len(header) - 1))
            n_before += n_bytes

    def _read_batch(self, frame: Any, numeric: list[str], label: str) -> tuple[FloatArray, CodedLabels]:
        """Return the values and the labels, or raise UnusualCsvError if only the other readers can read the cells."""
        import polars as pl

        values: FloatArray = frame.select(numeric).to_numpy(order="fortran")
        if _has_large(values).any():
            raise UnusualCsvError
        texts = {*self._names} - {*numeric}
        if any(_count_numbers_and_texts(frame[name])[0] for name in texts):
            raise UnusualCsvError
        cells = frame[label].unique()
        strings = [cells, *(frame[name] for name in frame.columns if name not in {label, *numeric})]
        if any(column.str.contains('["\r]').any() for column in strings):
            raise UnusualCsvError
        names = cells.str.strip_chars()
        if cells.null_count() or len(cells) > _MAX_LABELS_IN_BATCHES or not MISSING_MARKERS.isdisjoint(names):
            raise UnusualCsvError
        labels, codes_of = np.unique(names.to_list(), return_inverse=True)
        codes = codes_of[frame[label].cast(pl.Enum(cells)).to_physical().to_numpy()]
        return self._add_text_columns(values, np.arange(len(self._names))), CodedLabels(labels, codes)

    def scan(self, path: Path, label: str | None) -> NDArray[np.int32]:
        """Check that polars can read the lines of a file, and return the label code of each line."""
        self.open(path)
        header, separator = self._formats[path]
        with _open_bytes(path) as file:
            offset, line, parts = _skip_header(file), 2, []
            for content in read_ahead(_split(file)):
                lines = _Lines.of(content, separator.encode(), len(header))
                if len(header) == 1:
                    lines.ends()  # an empty line is not a row
                chunk = _Chunk(path, offset, len(content), len(lines.start), line)
                parts.append(self._scan_chunk(chunk, content, lines, label))
                self._chunks.append(chunk)
                self.shape = self.shape[0] + chunk.rows, self.shape[1]
                offset, line = offset + len(content), line + (content.count(b"\n") if b'"' in content else chunk.rows)
        return np.concatenate(parts)

    def _classify(self, place: int, cells: Sequence[str]) -> None:
        values, text = parse_numbers(cells)
        if any("," in cell for cell in cells):
            raise UnusualCsvError
        self._is_number[place] |= not np.isnan(values).all()
        self._is_text[place] |= bool(text)
        self._has_markers |= not text and not {*_MARKERS}.isdisjoint(map(str.strip, cells))
        if text:
            self.texts.setdefault(place, cells[text[0]].strip())

    def _scan_chunk(self, chunk: _Chunk, content: bytes, lines: _Lines, label: str | None) -> NDArray[np.int32]:
        """Return the codes of the labels of a chunk, and check the columns that may not be numeric.

        A column is checked if it has text, or only missing values, in the chunks that have been read.
        """
        import polars as pl

        doubtful = [place for place in range(self.shape[1]) if self._is_text[place] or not self._is_number[place]]
        quoted = [] if label is None or b'"' not in content else [label]
        names = [*quoted, *(self._names[k] for k in doubtful)]
        frame = self._parse(chunk, content, dict.fromkeys(names, pl.String))
        for place in doubtful:
            n_numbers, n_texts = _count_numbers_and_texts(frame[self._names[place]])
            self._is_number[place] |= n_numbers > 0
            self._is_text[place] |= n_texts > 0
        if (self._is_number & self._is_text).any():
            raise UnusualCsvError
        if label is None:
            return np.empty(0, np.int32)
        if not quoted:  # this takes a fifth of the time of a parse by polars
            first, last = lines.cell(self._formats[chunk.path][0].index(label))
            characters = lines.content[first] if (last == first + 1).all() else np.array([128])
            if (characters < 128).all():
                present = np.flatnonzero(np.bincount(characters, minlength=256))
                codes_of = np.empty(256, np.int32)
                codes_of[present] = self._label_codes([chr(code).strip() for code in present], lines)
                return codes_of[characters]
            cells = [content[start:stop] for start, stop in zip(first.tolist(), last.tolist(), strict=True)]
            try:
                frame = {label: pl.Series(cells, dtype=pl.Binary).cast(pl.String)}
            except pl.exceptions.PolarsError:
                raise UnusualCsvError from None
        labels = frame[label].str.strip_chars()
        names = labels.unique().sort().to_list()
        if labels.null_count():
            raise UnusualCsvError
        return labels.replace_strict(names, self._label_codes(names, lines), return_dtype=pl.Int32).to_numpy()

    def _label_codes(self, names: list[str], lines: _Lines) -> list[int]:
        """Return the code of each label; a label that has not occurred before gets a new code."""
        if not MISSING_MARKERS.isdisjoint(names):
            raise UnusualCsvError
        if not self.codes.keys() >= set(names):
            lines.ends()  # a cell of an incomplete line is not a new label
        return [self.codes.setdefault(name, len(self.codes)) for name in names]

    def _parse(self, chunk: _Chunk, content: bytes, kinds: Mapping[str, Any]) -> Any:
        """Parse some columns and the last column of a chunk, or raise UnusualCsvError.

        The error is raised if polars cannot parse the chunk, or if a line has too few or too many cells. ``kinds`` maps
        names of columns to types of polars.
        """
        import polars as pl

        header, separator = self._formats[chunk.path]
        if not kinds:
            return pl.DataFrame()
        selected = {*kinds, header[-1]}
        attempts = [_MARKERS] if self._has_markers else [None, _MARKERS]
        for null_values in attempts if pl.Float64 in kinds.values() else [None]:
            with suppress(pl.exceptions.PolarsError, pl.exceptions.PanicException):
                frame = pl.read_csv(
                    content,
                    has_header=False,
                    separator=separator,
                    schema=dict.fromkeys(header, pl.String) | dict(kinds),
                    columns=[place for place, name in enumerate(header) if name in selected],
                    null_values=null_values,
                    encoding="utf8",
                )
                self._has_markers |= null_values is not None  # parsing is slower with markers of missing values
                break
        else:
            raise UnusualCsvError
        if len(frame) != chunk.rows:
            raise UnusualCsvError
        is_complete = len(selected) == len(header)  # polars refuses long lines if it parses all columns
        if not is_complete:
            n_separators = np.count_nonzero(np.frombuffer(content, np.uint8) == ord(separator))
            is_complete = n_separators == chunk.rows * (len(header) - 1)
        if not is_complete or frame[header[-1]].null_count():  # polars fills short lines with missing values
            _Lines.of(content, separator.encode(), len(header)).ends()
        return frame

    def finish(self) -> None:
        """Treat columns without any values as numeric."""
        self._is_number = ~self._is_text

    def iter_tiles(self, columns: ColumnIndices | None, budget: MemoryBudget = DEFAULT_BUDGET) -> TileIterator:
        """Yield the values of the selected columns, one chunk of lines at a time."""
        start, selection = 0, np.arange(self.shape[1]) if columns is None else columns
        n_threads = _n_threads(budget)
        for path, own in groupby(self._chunks, lambda chunk: chunk.path):
            chunks = _join_chunks(own) if n_threads > 1 else own  # noqa: B031
            with refuse_changes({path: self._versions[path]}), _open_bytes(path) as file:
                work = partial(self._read_chunk, columns=selection)
                for tile in map_ordered(work, _read_chunks(file, chunks), n_threads):
                    yield slice(start, start + len(tile)), slice(0, len(selection)), tile
                    start += len(tile)

    def _read_chunk(self, part: tuple[_Chunk, bytes], columns: ColumnIndices) -> NDArray[np.float64]:
        import polars as pl

        chunk, content = part
        names = [self._names[place] for place in columns.tolist() if not self._is_text[place]]
        try:
            frame = self._parse(chunk, content, dict.fromkeys(names, pl.Float64))
            values = frame.select(names).to_numpy(order="fortran")
            is_large = _has_large(values)
            texts = self._parse(chunk, content, {names[place]: pl.String for place in np.flatnonzero(is_large)})
            for place in np.flatnonzero(is_large):
                cells = texts[names[place]].filter(pl.Series(np.abs(values[:, place]) >= 2.0**53))
                if cells.str.contains(_INTEGER).any():  # the other reader compares large integers with their text
                    raise UnusualCsvError
        except UnusualCsvError:
            values = self._read_lines(chunk, content, names)
        return self._add_text_columns(np.asarray(values), columns)

    def _add_text_columns(self, values: FloatArray, columns: ColumnIndices) -> FloatArray:
        """Add a column of NaN for each text column among the selected columns."""
        if values.shape[1] == len(columns):
            return values
        result = np.full((len(values), len(columns)), np.nan, order="F")
        result[:, ~self._is_text[columns]] = values
        return result

    def _read_lines(self, chunk: _Chunk, content: bytes, names: list[str]) -> NDArray[np.float64]:
        """Read a chunk with the ``csv`` module; the error message for an invalid cell states the line of the cell."""
        import csv
        import io

        header, separator = self._formats[chunk.path]
        reader = csv.reader(io.TextIOWrapper(io.BytesIO(content), "utf-8", newline=""), delimiter=separator)
        name = file_name(chunk.path)
        lines, rows = zip(*_iter_rows(reader, name, len(header), separator, chunk.line - 1), strict=True)
        columns = [[row[header.index(name)] for row in rows] for name in names]
        return ColumnKinds(names, numeric=True).parse(columns, lines, name, ",").T

    def iter_blocks(self, columns: ColumnIndices | None, budget: MemoryBudget = DEFAULT_BUDGET) -> BlockIterator:
        """Yield blocks of columns from the temporary file."""
        return self._columns.iter_blocks(columns, budget)

    def read_into(self, out: NDArray[Any], columns: ColumnIndices) -> None:
        """Read the selected columns from the temporary file."""
        self._columns.read_into(out, columns)

    def column(self, column: int) -> NDArray[Any]:
        """Return one column."""
        return self._columns.column(column)

    @cached_property
    def _columns(self) -> SpooledColumns:
        """Temporary file with the numbers of all columns."""
        spool = SpooledColumns(self.shape[1])
        for _, _, tile in self.iter_tiles(None, MemoryBudget(CHUNK_BYTES)):  # with this budget, chunks are not joined
            spool.append(np.ascontiguousarray(tile.T))
        spool.flush()
        return spool


def _join_chunks(chunks: Iterable[_Chunk]) -> Iterator[_Chunk]:
    """Yield adjacent chunks joined in pairs, because polars parses longer texts faster."""
    for chunk in chunks:
        other = next(iter(chunks), None)
        yield chunk if other is None else chunk._replace(size=chunk.size + other.size, rows=chunk.rows + other.rows)


def _n_threads(budget: MemoryBudget) -> int:
    """Return the number of threads that parse chunks, since polars uses one processor in some steps of its parser."""
    return 4 if budget.block_bytes > 10 * CHUNK_BYTES else 1


def _has_large(values: FloatArray) -> NDArray[np.bool_]:
    """Return a mask of the columns with numbers whose absolute value is 2**53 or more."""
    is_large = np.fmax.reduce(values, initial=0) >= 2.0**53
    return np.asarray(is_large | (np.fmin.reduce(values, initial=0) <= -(2.0**53)))


def _collect_batches(scan: Any, size: int) -> Iterator[Any]:
    """Yield the frames of a query, or raise UnusualCsvError if polars cannot read the file."""
    import polars as pl

    try:
        yield from scan.collect_batches(chunk_size=size, maintain_order=True, engine="streaming")
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        raise UnusualCsvError from None


def _check_separators(path: Path, start: int, separator: str, count: int) -> None:
    """Raise UnusualCsvError if the number of separators after ``start`` is not ``count``."""
    with path.open("rb") as file:
        file.seek(start)
        blocks = iter(partial(file.read, CHUNK_BYTES), b"")
        if count != sum(np.count_nonzero(np.frombuffer(block, np.uint8) == ord(separator)) for block in blocks):
            raise UnusualCsvError


def _count_numbers_and_texts(cells: Any) -> tuple[int, int]:
    """Return the number of cells of a text column that are numbers, and the number of other texts."""
    import polars as pl

    cells = cells.str.strip_chars()
    cells = cells.filter(~cells.is_in([*MISSING_MARKERS]))
    n_numbers = int(cells.cast(pl.Float64, strict=False).is_not_null().sum())
    return n_numbers, len(cells) - n_numbers


def _skip_header(file: IO[bytes]) -> int:
    """Read the header line, and return its length; raise UnusualCsvError if polars cannot read the file."""
    line = file.readline()
    if (
        b"\r" in line.removesuffix(b"\r\n")
        or line[:2] in (b"\xff\xfe", b"\xfe\xff", GZIP_MAGIC)
        or line.count(b'"') % 2
    ):
        raise UnusualCsvError
    return len(line)


def _split(file: IO[bytes]) -> Iterator[bytes]:
    """Yield the rest of a file in chunks of whole lines."""
    rest, content = b"", file.read(CHUNK_BYTES)
    while len(content) == CHUNK_BYTES:
        end = content.rfind(b"\n") + 1
        if end:
            yield b"".join([rest, memoryview(content)[:end]])
            rest = b""
        elif len(rest) > 20 * CHUNK_BYTES:
            raise UnusualCsvError
        rest += content[end:]
        content = file.read(CHUNK_BYTES)
    if rest or content:
        yield rest + content


def _read_chunks(file: IO[bytes], chunks: Iterable[_Chunk]) -> Iterator[tuple[_Chunk, bytes]]:
    """Yield each chunk with its bytes."""
    for chunk in chunks:
        file.seek(chunk.offset)
        yield chunk, file.read(chunk.size)


def _open_bytes(path: Path) -> IO[bytes]:
    with path.open("rb") as file:
        is_compressed = file.read(2) == GZIP_MAGIC
    return gzip.open(path, "rb") if is_compressed else path.open("rb")  # type: ignore[return-value]


@dataclass(frozen=True)
class _Lines:
    """Position of each line in a chunk of a CSV file, and the number of cells that each line should have."""

    content: NDArray[np.uint8]
    start: NDArray[np.intp]
    stop: NDArray[np.intp]
    separator: int
    n_cells: int
    quotes: NDArray[np.intp] | None
    """Positions of the quotation marks; None if there are none."""

    @classmethod
    def of(cls, text: bytes, separator: bytes, n_cells: int) -> Self:
        """Locate the lines, or raise UnusualCsvError.

        The error is raised if a quotation mark is inside a cell, or if lines end in different ways.
        """
        content, quotes = np.frombuffer(text, np.uint8), None
        stop = np.flatnonzero(content == ord("\n"))
        if b'"' in text:
            quotes = np.flatnonzero(content == ord('"'))
            opening, closing = quotes[::2], quotes[1::2]
            border = np.zeros(len(content) + 2, dtype=bool)
            border[[0, -1]] = True
            border[1:-1] = np.isin(content, [separator[0], *b"\r\n"])
            if len(quotes) % 2 or not (border[opening].all() and border[closing + 2].all()):
                raise UnusualCsvError
            stop = stop[np.searchsorted(quotes, stop) % 2 == 0]
        if not text.endswith(b"\n"):
            stop = np.append(stop, len(content))
        if b"\r" in text and text.count(b"\r") != text.count(b"\r\n"):
            raise UnusualCsvError
        return cls(content, np.concatenate([[0], stop[:-1] + 1]), stop, separator[0], n_cells, quotes)

    def ends(self) -> NDArray[np.intp]:
        """Return the positions of the separators of each line, or raise UnusualCsvError if a number is wrong."""
        places = np.flatnonzero(self.content == self.separator)
        if self.quotes is not None:
            places = places[np.searchsorted(self.quotes, places) % 2 == 0]
        if len(places) != len(self.start) * (self.n_cells - 1):
            raise UnusualCsvError
        ends = places.reshape(len(self.start), self.n_cells - 1)
        if self.n_cells == 1:
            is_wrong = np.isin(self.content[np.minimum(self.start, len(self.content) - 1)], [*b"\r\n"])  # an empty line
        else:
            is_wrong = (ends[:, 0] < self.start) | (ends[:, -1] > self.stop)
        if is_wrong.any():
            raise UnusualCsvError
        return ends

    def cell(self, place: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return the first position of the cell at ``place`` in each line, and the position after the cell."""
        if place == self.n_cells - 1 > 0:  # a single character, as in most files
            last = self.stop - 1
            if (self.content[last - 1] == self.separator).all() and (self.content[last] != self.separator).all():
                return last, self.stop
        ends = self.ends()
        return (
            ends[:, place - 1] + 1 if place else self.start,
            ends[:, place] if place < self.n_cells - 1 else self.stop,
        )
