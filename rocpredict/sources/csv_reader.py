"""Reader of CSV files."""

from __future__ import annotations

import csv
import io
import os
import tempfile
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, Protocol, TextIO, TypeAlias
from weakref import finalize

import numpy as np
from numpy.typing import NDArray

from rocpredict.base.validation import FloatArray, RocPredictError, short_repr
from rocpredict.sources.blocks import BlockSource, ColumnIndices, contiguous_runs
from rocpredict.sources.table import FeatureTable, check_has_numeric, column_index

MISSING_MARKERS = frozenset({"", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "?"})
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
                values[place] = np.nan if cell in MISSING_MARKERS else float(cell)
            except ValueError:
                raise RocPredictError(
                    f"{self.name}, line {line}: column {column!r} holds {short_repr(cell)}, which is not a number"
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
            if cell in MISSING_MARKERS:
                raise RocPredictError(f"{self.name}, line {line}: column {column!r} has no label")
        return infer_label_dtype(cells)

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
            header = check_header(next(reader, []), name)
            rows, lines = [], []
            for line, row in iter_rows(reader, name, len(header)):
                rows.append(row)
                lines.append(line)
    except OSError as error:
        raise RocPredictError(f"{path}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise encoding_error(name) from None
    except csv.Error as error:
        raise RocPredictError(f"{name}, line {reader.line_num}: {error}") from None
    if not rows:
        raise empty_file_error(name)
    return CsvTable(name, header, rows, lines)


class Reader(Protocol):
    """What ``csv.reader`` gives."""

    line_num: int

    def __iter__(self) -> Iterator[list[str]]: ...
    def __next__(self) -> list[str]: ...


def check_header(cells: list[str], name: str) -> list[str]:
    """Give the column names of a CSV file, or refuse a line that has none, or one of them twice."""
    header = [cell.strip() for cell in cells]
    if not any(header):
        raise RocPredictError(f"{name} is empty; a header line with column names is needed")
    twice = [column for column, count in Counter(header).items() if count > 1]
    if twice:
        raise RocPredictError(f"{name} has the column name {min(twice)!r} twice")
    return header


def iter_rows(reader: Reader, name: str, cells: int, *, before: int = 0) -> Iterator[tuple[int, list[str]]]:
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
                raise row_length_error(name, before + end, len(row), cells)
            if row:
                yield before + end, row
    except csv.Error as error:
        words = {
            "unexpected end of data": "a quoted cell that begins here is never closed",
            "field larger than field limit (131072)": "a cell of more than 131072 characters (a quote never closed?)",
        }
        raise RocPredictError(f"{name}, line {before + end + 1}: {words.get(str(error), error)}") from None


def row_length_error(name: str, line: int, found: int, cells: int) -> RocPredictError:
    """Make the error of a row that has not as many cells as the header."""
    hint = " (commas separate cells; does this file use something else?)" if cells == 1 else ""
    return RocPredictError(f"{name}, line {line}: {found} cells where the header has {cells}{hint}")


def encoding_error(name: str) -> RocPredictError:
    """Make the error of a file that is no text."""
    return RocPredictError(f"{name} is not UTF-8 text; a CSV file is needed")


def empty_file_error(name: str) -> RocPredictError:
    """Make the error of a file that ends after its header."""
    return RocPredictError(f"{name} has a header and no rows")


def infer_label_dtype(cells: NDArray[np.str_]) -> NDArray[Any]:
    """Give cells as whole numbers where all of them are, else as numbers where all are, else as they stand."""
    try:
        numbers = cells.astype(np.float64)
    except ValueError:
        return cells
    whole = np.isfinite(numbers).all() and (numbers == np.round(numbers)).all()
    return numbers.astype(np.int64) if whole else numbers


CHUNK_BYTES = 8 * 2**20
"""How much of a file is looked at in one go."""
_PIECE_CELLS = 250_000
_COMMA, _QUOTE, _LINE_FEED, _RETURN = b',"\n\r'
_BEFORE_A_QUOTE = (_COMMA, _LINE_FEED, _QUOTE)
_AFTER_A_QUOTE = (_COMMA, _LINE_FEED, _RETURN, _QUOTE)


class CsvHeader(NamedTuple):
    """The header of a file and where it ends."""

    path: Path
    names: list[str]
    bytes: int
    lines: int


class CsvChunk(NamedTuple):
    """Some rows, as bytes or as cells, and the line each of them ends in."""

    text: bytes
    cells: list[list[str]] | None
    lines: NDArray[np.intp]


class _NonStandardCsvError(Exception):
    """Quotes or line ends stand where only the csv module can tell what they mean."""


def read_head(path: Path) -> CsvHeader:
    """Read the header of a CSV file."""
    name = path.name
    try:
        with path.open("rb") as file:
            bom_size = len(BOM_UTF8) if file.read(len(BOM_UTF8)) == BOM_UTF8 else 0
            file.seek(bom_size)
            seen: list[str] = []
            with _text(file) as lines:
                reader = csv.reader(_record_lines(lines, seen), strict=True)
                header = check_header(next(reader, []), name)
            return CsvHeader(path, header, bom_size + sum(len(line.encode()) for line in seen), len(seen))
    except OSError as error:
        raise RocPredictError(f"{path}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise encoding_error(name) from None
    except csv.Error as error:
        raise RocPredictError(f"{name}, line {reader.line_num}: {error}") from None


def _text(file: BinaryIO) -> TextIO:
    return io.TextIOWrapper(file, encoding="utf-8", newline="")


def _record_lines(lines: Iterator[str], seen: list[str]) -> Iterator[str]:
    """Give lines one by one, and note which were asked for."""
    for line in lines:
        seen.append(line)
        yield line


def iter_chunks(head: CsvHeader) -> Iterator[CsvChunk]:
    """Give the rows of a file after its header.

    Raises
    ------
    RocPredictError
        A row that is broken, or bytes that are no text.
    """
    try:
        with head.path.open("rb") as file:
            yield from _pieces(file, head)
    except OSError as error:
        raise RocPredictError(f"{head.path}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise encoding_error(head.path.name) from None


def _pieces(file: BinaryIO, head: CsvHeader) -> Iterator[CsvChunk]:
    start, line, text = head.bytes, head.lines, b""
    file.seek(start)
    while True:
        block = file.read(max(CHUNK_BYTES, len(text)))
        text += block
        if not text:
            return
        try:
            end = _end_of_rows(text, last=not block)
            piece, lines = _split_rows(text[:end], head, line)
        except _NonStandardCsvError:
            yield from _read_with_csv_module(file, start, line, head)
            return
        if len(piece.lines):
            yield piece
        start, line, text = start + end, line + lines, text[end:]


def _end_of_rows(text: bytes, *, last: bool) -> int:
    """Give where the last whole row ends; 0 where none does."""
    if last:
        return len(text)
    if b'"' not in text:
        end = text.rfind(b"\n") + 1
        if not end and b"\r" in text[:-1]:
            raise _NonStandardCsvError
        return end
    marks = np.frombuffer(text, np.uint8)
    ends = np.flatnonzero((marks == _LINE_FEED) & ~_in_quotes(marks))
    if not len(ends) and len(text) > 4 * CHUNK_BYTES:
        raise _NonStandardCsvError
    return int(ends[-1]) + 1 if len(ends) else 0


def _split_rows(text: bytes, head: CsvHeader, before: int) -> tuple[CsvChunk, int]:
    """Check whole rows, and count the lines they take."""
    if text and not text.endswith(b"\n"):
        text += b"\n"
    if b"\r" in text and text.count(b"\r") != text.count(b"\r\n"):
        raise _NonStandardCsvError
    marks = np.frombuffer(text, np.uint8)
    feeds, commas = marks == _LINE_FEED, marks == _COMMA
    lines = np.flatnonzero(feeds)
    ends = lines
    if b'"' in text:
        outside = ~_in_quotes(marks)
        _check_quotes(marks, outside)
        ends, commas = np.flatnonzero(feeds & outside), commas & outside
    numbers = before + 1 + (np.searchsorted(lines, ends) if len(ends) < len(lines) else np.arange(len(ends)))
    cells = np.diff(np.searchsorted(np.flatnonzero(commas), ends), prepend=0) + 1
    starts = np.concatenate([[0], ends[:-1] + 1]) if len(ends) else ends
    blank = _is_blank_line(marks, starts, ends)
    wrong = np.flatnonzero((cells != len(head.names)) & ~blank)
    if not text.isascii():
        text.decode()
    if len(wrong):
        raise row_length_error(head.path.name, int(numbers[wrong[0]]), int(cells[wrong[0]]), len(head.names))
    if blank.any():
        text = b"".join(text[a : b + 1] for a, b in zip(starts[~blank].tolist(), ends[~blank].tolist(), strict=True))
    return CsvChunk(text, None, numbers[~blank]), len(lines)


def _in_quotes(bytes_array: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Tell which bytes follow an odd number of quotes."""
    return np.asarray(np.cumsum(bytes_array == _QUOTE, dtype=np.uint8) % 2 == 1)


def _check_quotes(bytes_array: NDArray[np.uint8], outside: NDArray[np.bool_]) -> None:
    """Refuse quotes that neither open nor close a cell nor stand for a quote inside one."""
    quotes = np.flatnonzero(bytes_array == _QUOTE)
    closing = outside[quotes]
    before = bytes_array[quotes[~closing] - 1]  # before the first byte is the last, a line feed
    after = bytes_array[quotes[closing] + 1]
    if not (outside[-1] and np.isin(before, _BEFORE_A_QUOTE).all() and np.isin(after, _AFTER_A_QUOTE).all()):
        raise _NonStandardCsvError


def _is_blank_line(
    bytes_array: NDArray[np.uint8], starts: NDArray[np.intp], ends: NDArray[np.intp]
) -> NDArray[np.bool_]:
    lengths = ends - starts
    return np.asarray((lengths == 0) | ((lengths == 1) & (bytes_array[starts] == _RETURN)))


def _read_with_csv_module(file: BinaryIO, start: int, line: int, head: CsvHeader) -> Iterator[CsvChunk]:
    """Give the rest of a file as the csv module reads it."""
    file.seek(start)
    with _text(file) as lines:
        rows = iter_rows(csv.reader(lines, strict=True), head.path.name, len(head.names), before=line)
        while some := list(islice(rows, max(1, _PIECE_CELLS // len(head.names)))):
            yield CsvChunk(b"", [row for _, row in some], np.array([number for number, _ in some]))


Cells: TypeAlias = Any
"""One column of a piece: a list of str, or a polars series of them."""
FEW_ROWS = 256
"""Below it a column of a piece is too short to be worth a call: rows are long, and cells become numbers all at once."""
ReadCells: TypeAlias = Callable[[CsvChunk, Sequence[int]], list[Cells]]


def select_cell_reader() -> ReadCells:
    """Give what reads the cells of some columns."""
    try:
        import polars  # noqa: F401
    except ImportError:
        return read_cells_python
    return read_cells_polars


def read_cells_python(piece: CsvChunk, columns: Sequence[int]) -> list[Cells]:
    """Read cells with the csv module."""
    if piece.cells is None and b'"' not in piece.text:
        flat = piece.text.decode().replace("\r\n", "\n").replace("\n", ",").split(",")
        return [flat[column : -1 : len(flat) // len(piece.lines)] for column in columns]
    rows = _unquoted(piece) if piece.cells is None else piece.cells
    return [[row[column] for row in rows] for column in columns]


def _unquoted(piece: CsvChunk) -> list[list[str]]:
    try:
        return list(csv.reader(io.StringIO(piece.text.decode(), newline=""), strict=True))
    except csv.Error as error:
        raise RocPredictError(f"lines {piece.lines[0]} to {piece.lines[-1]} of the file: {error}") from None


def read_cells_polars(piece: CsvChunk, columns: Sequence[int]) -> list[Cells]:
    """Read cells with polars, as text."""
    import polars

    if piece.cells is not None or len(piece.lines) < FEW_ROWS:
        return read_cells_python(piece, columns)
    frame = polars.read_csv(piece.text, has_header=False, infer_schema=False, columns=sorted(columns))
    places = {column: place for place, column in enumerate(sorted(columns))}
    return [frame.to_series(places[column]) for column in columns]


def parse_columns(columns: Sequence[Cells], rows: int) -> tuple[FloatArray, dict[int, int]]:
    """Give columns as numbers, NaN for what is missing, and the row of the first word of each column that has one."""
    if rows < FEW_ROWS and all(isinstance(cells, list) for cells in columns):
        return _all_at_once(columns, rows)
    made, words = np.empty((rows, len(columns)), order="F"), {}
    for place, cells in enumerate(columns):
        made[:, place], found = to_float(cells)
        if found.size:
            words[place] = int(found[0])
    return made, words


def _all_at_once(columns: Sequence[Cells], rows: int) -> tuple[FloatArray, dict[int, int]]:
    values, found = to_float(_series(list(chain.from_iterable(columns))))
    places, first = np.unique(found // rows, return_index=True)
    words = dict(zip(places.tolist(), (found[first] % rows).tolist(), strict=True))
    return values.reshape((rows, len(columns)), order="F"), words


def _series(cells: list[str]) -> Cells:
    try:
        import polars
    except ImportError:
        return cells
    return polars.Series(cells)


def to_float(cells: Cells) -> tuple[FloatArray, NDArray[np.intp]]:
    """Give cells as numbers, NaN for what is missing, and the places of those that are words."""
    if isinstance(cells, list):
        return _by_python(cells)
    values, left = _by_polars(cells)
    if not left.size:
        return values, left
    spaced, still = _by_polars(cells.gather(left).str.strip_chars())
    values[left], left = spaced, left[still]
    rest, words = _by_python(cells.gather(left).to_list())  # Python reads a few numbers more: 1_000, other digits
    values[left] = rest
    return values, left[words]


def to_text(cells: Cells) -> list[str]:
    """Give cells as text."""
    return [cell.strip() if cell else "" for cell in cells]


def _by_python(cells: list[str]) -> tuple[FloatArray, NDArray[np.intp]]:
    try:
        return np.fromiter(map(float, cells), np.float64, len(cells)), np.empty(0, dtype=np.intp)
    except ValueError:
        return _one_by_one(cells)


def _one_by_one(cells: list[str]) -> tuple[FloatArray, NDArray[np.intp]]:
    values, found = np.full(len(cells), np.nan), []
    for place, cell in enumerate(cells):
        try:
            values[place] = float(cell)
        except ValueError:
            if cell.strip() not in MISSING_MARKERS:
                found.append(place)
    return values, np.array(found, dtype=np.intp)


def _by_polars(cells: Any) -> tuple[FloatArray, NDArray[np.intp]]:
    """Give what polars takes for numbers, and the places where it finds neither number nor mark of a missing one."""
    import polars

    values = cells.cast(polars.Float64, strict=False)
    floats = np.array(values.to_numpy())
    if values.null_count() == cells.null_count():
        return floats, np.empty(0, dtype=np.intp)
    left = values.is_null() & cells.is_not_null() & ~cells.is_in(list(MISSING_MARKERS))
    return floats, left.arg_true().to_numpy().astype(np.intp)


MEMORY_BYTES = 32 * 2**20
"""Up to which a table stays in memory."""


class SpooledColumns(BlockSource):
    """Hold float64 columns, written in pieces of rows and read in blocks of columns."""

    def __init__(self, columns: int) -> None:
        self.shape = 0, columns
        self._file = tempfile.SpooledTemporaryFile(max_size=MEMORY_BYTES)  # noqa: SIM115
        self._pieces: list[tuple[int, int]] = []
        finalize(self, self._file.close)

    def append(self, piece: FloatArray) -> None:
        """Add rows: Fortran-ordered, shape (rows, columns).

        Raises
        ------
        RocPredictError
            No room for the temporary file.
        """
        try:
            self._pieces.append((self._file.tell(), len(piece)))
            self._file.write(piece.T.tobytes())
        except OSError as error:
            raise RocPredictError(
                f"numbers cannot be kept in {tempfile.gettempdir()}: {error.strerror or error}; "
                "the environment variable TMPDIR names another folder"
            ) from None
        self.shape = self.shape[0] + len(piece), self.shape[1]

    def read_into(self, out: NDArray[Any], columns: ColumnIndices) -> None:
        """Read the chosen columns back."""
        row = 0
        for offset, rows in self._pieces:
            for first, run in contiguous_runs(columns):
                width = run.stop - run.start
                self._file.seek(offset + 8 * rows * run.start)
                floats = np.frombuffer(self._file.read(8 * rows * width))
                out[row : row + rows, first : first + width] = floats.reshape((rows, width), order="F")
            row += rows

    def column(self, column: int) -> NDArray[Any]:
        """Give one column."""
        made = np.empty((self.shape[0], 1))
        self.read_into(made, np.array([column]))
        return made[:, 0]


class CsvFiles:
    """Hold CSV files with the same columns."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._heads = [read_head(path) for path in paths]
        self.names = tuple(self._heads[0].names)
        for head in self._heads[1:]:
            check_same_columns(paths[0].name, self.names, head.path.name, head.names)

    def features(
        self, *, label: str | None = None, usecols: Sequence[str] | None = None
    ) -> tuple[FeatureTable, NDArray[Any] | None]:
        """Read the features and the labels, as ``TableReader`` says."""
        names, label = select_columns(self.names, self._heads[0].path.name, label=label, usecols=usecols)
        kept, kinds, labels, read = (
            SpooledColumns(len(names)),
            _ColumnTypeChecker(names),
            _LabelEncoder(),
            select_cell_reader(),
        )
        for head in self._heads:
            places = [head.names.index(name) for name in (*names, *([label] if label else []))]
            before = kept.shape[0]
            for piece in iter_chunks(head):
                columns = read(piece, places)
                where = _RowLocations(head.path.name, piece.lines)
                if label:
                    labels.append(columns.pop(), label, where)
                kept.append(kinds.numbers(columns, where))
            if kept.shape[0] == before:
                raise empty_file_error(head.path.name)
        table = FeatureTable(np.array(names), kept.shape[0], kept, kinds.is_text)
        return check_has_numeric(table), labels.values() if label else None

    def __repr__(self) -> str:
        return f"CsvFiles({[head.path.name for head in self._heads]}, {len(self.names)} columns)"


class _RowLocations(NamedTuple):
    """The file and the lines that rows came from."""

    name: str
    lines: NDArray[np.intp]

    def line(self, row: int) -> str:
        return f"{self.name}, line {self.lines[row]}"


class _ColumnTypeChecker:
    """Find out which columns hold numbers, which hold words, and refuse those that hold both."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._numeric = np.zeros(len(names), dtype=bool)
        self.is_text = np.zeros(len(names), dtype=bool)
        self._first: dict[int, str] = {}

    def numbers(self, columns: Sequence[Cells], where: _RowLocations) -> FloatArray:
        """Give the columns of a piece as numbers."""
        made, broken = parse_columns(columns, len(where.lines))
        for place, row in broken.items():
            self._first.setdefault(place, self._words(place, columns[place][row], where.line(row)))
        self.is_text[[*broken]] = True
        self._numeric |= ~np.isnan(made).all(axis=0)
        both = np.flatnonzero(self.is_text & self._numeric).tolist()
        if both:
            raise RocPredictError(self._first[min(both, key=lambda place: broken.get(place, -1))])
        return made

    def _words(self, place: int, cell: str, line: str) -> str:
        return (
            f"{line}: column {self._names[place]!r} holds {short_repr(cell.strip())}, which is not a number, "
            "among numbers; "
            "correct it, or leave the column out"
        )


class _LabelEncoder:
    """Gather the labels: each word once, and which of them stands in each row."""

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}
        self._rows: list[NDArray[np.int32]] = []

    def append(self, cells: Cells, column: str, where: _RowLocations) -> None:
        """Add the labels of a piece, or refuse a cell without one."""
        held, codes = to_text(cells), self._codes
        for missing in MISSING_MARKERS.intersection(held):
            raise RocPredictError(f"{where.line(held.index(missing))}: column {column!r} has no label")
        self._rows.append(np.fromiter((codes.setdefault(cell, len(codes)) for cell in held), np.int32, len(held)))

    def values(self) -> NDArray[Any]:
        """Give a label for each row: numbers where all are."""
        return infer_label_dtype(np.array([*self._codes]))[np.concatenate(self._rows)]


def select_columns(
    names: tuple[str, ...], holder: str, *, label: str | None, usecols: Sequence[str] | None
) -> tuple[list[str], str | None]:
    """Give the names of the features and that of the labels, or refuse names that are no columns."""
    if isinstance(usecols, str):
        raise RocPredictError(f"usecols={usecols!r} is not a list of columns; give [{usecols!r}]")
    known = np.array(names)
    for what, wanted in (("label", label), *(("usecols", name) for name in usecols or ())):
        if wanted is not None:
            _find(known, wanted, what=what, holder=holder)
    features = list(names if usecols is None else usecols)
    twice = [name for name, count in Counter(features).items() if usecols is not None and count > 1]
    if twice:
        raise RocPredictError(f"usecols= names {twice[0]!r} twice; name different columns")
    if usecols is not None and label in features:
        raise RocPredictError(f"{label!r} holds the labels and cannot be a feature too")
    features = [name for name in features if name != label]
    if not features:
        raise RocPredictError(f"{holder} has no column beside the labels; one feature or more is needed")
    return features, label


def check_same_columns(first: str, names: Sequence[str], other: str, others: Sequence[str]) -> None:
    """Refuse a file whose columns are not those of the first one."""
    here, there = {*names}, {*others}
    missing, added = [name for name in names if name not in there], [name for name in others if name not in here]
    if missing:
        raise RocPredictError(f"{other} has no column {missing[0]!r}, which {first} has; columns must be the same")
    if added:
        raise RocPredictError(f"{other} has a column {added[0]!r}, which {first} has not; columns must be the same")


def _find(known: np.ndarray[tuple[int], np.dtype[np.str_]], wanted: str, *, what: str, holder: str) -> None:
    try:
        column_index(known, wanted, argument=what, source_name=holder)
    except RocPredictError as error:
        separator = next((mark for mark in ";\t|" if len(known) == 1 and mark in str(known[0])), None)
        hint = f" (cells are separated by {separator!r} here; commas are needed)" if separator else ""
        raise RocPredictError(f"{error}{hint}") from None
