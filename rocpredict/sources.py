"""Tables from files."""

import csv
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rocpredict.arguments import FloatArray, shown
from rocpredict.errors import RocPredictError

MISSING = frozenset({"", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "?"})
"""What a cell without a value may say."""


class CsvTable:
    """Hold the columns of a CSV file as text, with the line each row came from.

    Examples
    --------
    >>> table = CsvTable("two.csv", ["size", "class"], [["1.5", "a"], ["2", "b"]], lines=[2, 3])
    >>> table.numbers("size")
    array([1.5, 2. ])
    """

    def __init__(self, name: str, header: list[str], rows: list[list[str]], lines: list[int]) -> None:
        self.name = name
        self.header = header
        self._rows = rows
        self._lines = lines

    def line(self, row: int) -> int:
        """Give the line of the file that a row came from."""
        return self._lines[row]

    def text(self, column: str) -> NDArray[np.str_]:
        """Give a column as it stands in the file.

        Raises
        ------
        RocPredictError
            No such column.
        """
        return np.array([row[self._index(column)] for row in self._rows])

    def numbers(self, column: str) -> FloatArray:
        """Give a column as numbers, NaN where it is empty or says so (NA, NaN, null, ?).

        Raises
        ------
        RocPredictError
            No such column, or a value that is not a number: its line is named.
        """
        index = self._index(column)
        values = np.empty(len(self._rows))
        for place, (row, line) in enumerate(zip(self._rows, self._lines, strict=True)):
            cell = row[index].strip()
            try:
                values[place] = np.nan if cell in MISSING else float(cell)
            except ValueError:
                raise RocPredictError(
                    f"{self.name}, line {line}: column {column!r} holds {shown(cell)}, which is not a number"
                ) from None
        return values

    def labels(self, column: str) -> NDArray[Any]:
        """Give a column as labels: numbers where all of them are (0 and 1, not "0" and "1"), else text.

        Raises
        ------
        RocPredictError
            No such column, or a cell without a label: its line is named.
        """
        cells = np.char.strip(self.text(column))
        for cell, line in zip(cells, self._lines, strict=True):
            if cell in MISSING:
                raise RocPredictError(f"{self.name}, line {line}: column {column!r} has no label")
        return numbers_or_text(cells)

    def _index(self, column: str) -> int:
        if column not in self.header:
            separator = next((mark for mark in ";\t|" if len(self.header) == 1 and mark in self.header[0]), None)
            hint = f" (cells are separated by {separator!r} here; commas are needed)" if separator else ""
            raise RocPredictError(f"{self.name} has no column {column!r}; columns are {', '.join(self.header)}{hint}")
        return self.header.index(column)


def read_csv(path: str | os.PathLike[str]) -> CsvTable:
    """Read a CSV file with a header line, in UTF-8.

    Raises
    ------
    RocPredictError
        A file that cannot be read or is no text, an empty one, a header with a name twice, or a row with
        more or fewer cells than the header: its line is named.
    """
    name = Path(path).name
    try:
        with Path(path).open(newline="", encoding="utf-8-sig") as file:
            reader = csv.reader(file, strict=True)
            header = as_header(next(reader, []), name)
            rows, lines = [], []
            for line, row in numbered_rows(reader, name, len(header)):
                rows.append(row)
                lines.append(line)
    except OSError as error:
        raise RocPredictError(f"{path}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise not_text(name) from None
    except csv.Error as error:
        raise RocPredictError(f"{name}, line {reader.line_num}: {error}") from None
    if not rows:
        raise without_rows(name)
    return CsvTable(name, header, rows, lines)


class Reader(Protocol):
    """What ``csv.reader`` gives."""

    line_num: int

    def __iter__(self) -> Iterator[list[str]]: ...
    def __next__(self) -> list[str]: ...


def as_header(cells: list[str], name: str) -> list[str]:
    """Give the column names of a CSV file, or refuse a line that has none, or one of them twice."""
    header = [cell.strip() for cell in cells]
    if not any(header):
        raise RocPredictError(f"{name} is empty; a header line with column names is needed")
    twice = [column for column, count in Counter(header).items() if count > 1]
    if twice:
        raise RocPredictError(f"{name} has the column name {min(twice)!r} twice")
    return header


def numbered_rows(reader: Reader, name: str, cells: int, *, before: int = 0) -> Iterator[tuple[int, list[str]]]:
    """Give each row of a CSV file and the line it ends in, or refuse the first row that is broken.

    Parameters
    ----------
    reader : csv.reader
        With ``strict=True``, past the header.
    name : str
        Of the file.
    cells : int
        How many the header has.
    before : int
        Lines of the file that the reader has not seen.
    """
    end = reader.line_num
    try:
        for row in reader:
            end = reader.line_num
            if row and len(row) != cells:
                raise wrong_count(name, before + end, len(row), cells)
            if row:
                yield before + end, row
    except csv.Error as error:
        words = {
            "unexpected end of data": "a quoted cell that begins here is never closed",
            "field larger than field limit (131072)": "a cell of more than 131072 characters (a quote never closed?)",
        }
        raise RocPredictError(f"{name}, line {before + end + 1}: {words.get(str(error), error)}") from None


def wrong_count(name: str, line: int, found: int, cells: int) -> RocPredictError:
    """Make the error of a row that has not as many cells as the header."""
    hint = " (commas separate cells; does this file use something else?)" if cells == 1 else ""
    return RocPredictError(f"{name}, line {line}: {found} cells where the header has {cells}{hint}")


def not_text(name: str) -> RocPredictError:
    """Make the error of a file that is no text."""
    return RocPredictError(f"{name} is not UTF-8 text; a CSV file is needed")


def without_rows(name: str) -> RocPredictError:
    """Make the error of a file that ends after its header."""
    return RocPredictError(f"{name} has a header and no rows")


def numbers_or_text(cells: NDArray[np.str_]) -> NDArray[Any]:
    """Give cells as whole numbers where all of them are, else as numbers where all are, else as they stand."""
    try:
        numbers = cells.astype(np.float64)
    except ValueError:
        return cells
    whole = np.isfinite(numbers).all() and (numbers == np.round(numbers)).all()
    return numbers.astype(np.int64) if whole else numbers
