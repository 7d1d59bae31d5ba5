"""Large CSV files, read in chunks by polars."""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rocpredict.base.validation import RocPredictError
from rocpredict.sources.blocks import (
    DEFAULT_BUDGET,
    BlockIterator,
    BlockSource,
    ColumnIndices,
    MemoryBudget,
    TileIterator,
)
from rocpredict.sources.csv_reader import (
    GZIP_MAGIC,
    MISSING_MARKERS,
    ColumnKinds,
    CsvFiles,
    infer_label_dtype,
    open_csv,
    parse_numbers,
)
from rocpredict.sources.streams import SpooledColumns
from rocpredict.sources.table import FeatureTable, check_has_numeric

CHUNK_BYTES = 2 * 2**20
"""Size of a chunk of lines, in bytes."""
MIN_BYTES = 8 * 2**20
"""Smallest total size of files that polars reads, in bytes."""
_N_CELLS_TO_CLASSIFY = 50_000
_MARKERS = sorted(MISSING_MARKERS - {""})
_MARKER_LETTERS = b"?Nn"
"""Every marker of a missing value contains one of these bytes; a parse without markers is faster."""


class _UnusualError(Exception):
    """Error for lines that only the reader based on the ``csv`` module can read."""


class _Chunk(NamedTuple):
    """Whole lines of a file."""

    path: Path
    offset: int
    size: int
    rows: int
    line: int
    """Number of the first line."""


class LargeCsvFiles(CsvFiles):
    """CSV files with the same columns, read by polars if it is installed.

    If polars cannot read a line, the encoding or the labels, or a column has both numbers and text, the reader based on
    the ``csv`` module reads the files or raises the error.
    """

    def features(
        self, *, label: str | None = None, usecols: Sequence[str] | None = None
    ) -> tuple[FeatureTable, NDArray[Any] | None]:
        """Read the kinds of the columns and the labels; see ``TableReader.features``."""
        names = self._select(label, usecols)
        source = ChunkedCsv(names)
        try:
            import polars  # noqa: F401

            parts = [source.scan(path, label) for path in self._paths]
        except (ImportError, OSError, EOFError, _UnusualError):
            return super().features(label=label, usecols=usecols)
        source.finish()
        table = check_has_numeric(FeatureTable(np.array(names), source.shape[0], source, source.not_numeric))
        return table, None if label is None else infer_label_dtype(np.array([*source.codes]))[np.concatenate(parts)]


class ChunkedCsv(BlockSource):
    """Numeric columns of CSV files, read in tiles of rows; blocks of columns are read from a temporary file."""

    is_streamed = True

    def __init__(self, names: Sequence[str]) -> None:
        self._names = list(names)
        self.shape = 0, len(names)
        self._is_number, self._is_text = np.zeros((2, len(names)), dtype=bool)
        self._chunks: list[_Chunk] = []
        self._formats: dict[Path, tuple[list[str], str]] = {}
        self.codes: dict[str, int] = {}

    def scan(self, path: Path, label: str | None) -> NDArray[np.int32]:
        """Check the lines of a file, and return the codes of its labels."""
        with open_csv(path) as (header, rows, separator):
            first = [row for _, row in islice(rows, 1 + _N_CELLS_TO_CLASSIFY // len(header))]
        self._formats[path] = header, separator
        for place, name in enumerate(self._names):
            self._classify(place, [row[header.index(name)] for row in first])
        with _open_bytes(path) as file:
            start = file.readline()
            if start[:2] in (b"\xff\xfe", b"\xfe\xff") or start.count(b'"') % 2 or not first:
                raise _UnusualError
            parts = [self._scan_chunk(*part, label) for part in self._split(path, file, len(start))]
        return np.concatenate(parts)

    def _classify(self, place: int, cells: list[str]) -> None:
        values, text = parse_numbers(cells)
        if any("," in cell for cell in cells):
            raise _UnusualError
        self._is_number[place] |= not np.isnan(values).all()
        self._is_text[place] |= bool(text)

    def _split(self, path: Path, file: IO[bytes], offset: int) -> Iterator[tuple[_Chunk, bytes, NDArray[np.intp]]]:
        """Yield chunks of whole lines with the end positions of their cells; all lines have equally many cells."""
        header, separator = self._formats[path]
        rest, line, is_last = b"", 2, False
        while not is_last:
            content = file.read(CHUNK_BYTES)
            is_last = len(content) < CHUNK_BYTES
            content = rest + content
            end = len(content) if is_last else content.rfind(b"\n") + 1
            content, rest = content[:end], content[end:]
            if not content:
                if rest and len(rest) > 16 * CHUNK_BYTES:
                    raise _UnusualError
                continue
            ends = _cell_ends(content, separator.encode(), len(header))
            chunk = _Chunk(path, offset, len(content), len(ends), line)
            self._chunks.append(chunk)
            self.shape = self.shape[0] + len(ends), self.shape[1]
            offset, line = offset + len(content), line + (content.count(b"\n") if b'"' in content else len(ends))
            yield chunk, content, ends

    def _scan_chunk(
        self, chunk: _Chunk, content: bytes, ends: NDArray[np.intp], label: str | None
    ) -> NDArray[np.int32]:
        """Return the codes of the labels of a chunk, and check columns that so far have text or only missing values."""
        import polars as pl

        doubtful = [place for place in range(self.shape[1]) if self._is_text[place] or not self._is_number[place]]
        quoted = [] if label is None or b'"' not in content else [label]
        frame = self._parse(chunk, content, [*quoted, *(self._names[k] for k in doubtful)], pl.String)
        for place in doubtful:
            cells = frame[self._names[place]].str.strip_chars()
            cells = cells.filter(~cells.is_in([*MISSING_MARKERS]))
            n_numbers = int(cells.cast(pl.Float64, strict=False).is_not_null().sum())
            self._is_number[place] |= n_numbers > 0
            self._is_text[place] |= n_numbers < len(cells)
        if (self._is_number & self._is_text).any():
            raise _UnusualError
        if label is None:
            return np.empty(0, np.int32)
        cells = frame[label] if quoted else self._column_of_text(chunk, content, ends, label)
        cells = cells.str.strip_chars()
        names = cells.unique().sort().to_list()
        if cells.null_count() or not MISSING_MARKERS.isdisjoint(names):
            raise _UnusualError
        codes = [self.codes.setdefault(name, len(self.codes)) for name in names]
        return cells.replace_strict(names, codes, return_dtype=pl.Int32).to_numpy()

    def _column_of_text(self, chunk: _Chunk, content: bytes, ends: NDArray[np.intp], name: str) -> Any:
        """Return a column of a chunk without quotes, which takes a fifth of the time of a parse."""
        import polars as pl

        last = ends.ravel()
        place = self._formats[chunk.path][0].index(name) + ends.shape[1] * np.arange(len(ends))
        first = np.where(place, last[place - 1] + 1, 0)
        cells = [content[start:stop] for start, stop in zip(first.tolist(), last[place].tolist(), strict=True)]
        try:
            return pl.Series(cells, dtype=pl.Binary).cast(pl.String)
        except pl.exceptions.PolarsError:
            raise _UnusualError from None

    def _parse(self, chunk: _Chunk, content: bytes, names: list[str], kind: Any) -> Any:
        """Parse some columns of a chunk, or raise if polars cannot parse them."""
        import polars as pl

        header, separator = self._formats[chunk.path]
        if not names:
            return pl.DataFrame()
        has_markers = kind != pl.String and any(letter in content for letter in _MARKER_LETTERS)
        try:
            frame = pl.read_csv(
                content,
                has_header=False,
                separator=separator,
                schema={name: kind if name in set(names) else pl.String for name in header},
                columns=sorted(map(header.index, names)),
                null_values=_MARKERS if has_markers else None,
                encoding="utf8",
            )
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
            raise _UnusualError from None
        if len(frame) != chunk.rows:
            raise _UnusualError
        return frame

    def finish(self) -> None:
        """Treat columns without any value as numeric."""
        self._is_number = ~self._is_text

    @property
    def not_numeric(self) -> NDArray[np.bool_]:
        """Mask of the columns with text."""
        return self._is_text

    def iter_tiles(self, columns: ColumnIndices | None, budget: MemoryBudget = DEFAULT_BUDGET) -> TileIterator:
        """Yield the chosen columns, one chunk of lines after the other."""
        start, selection = 0, np.arange(self.shape[1]) if columns is None else columns
        for chunk in self._chunks:
            yield slice(start, start + chunk.rows), slice(0, len(selection)), self._read_chunk(chunk, selection)
            start += chunk.rows

    def _read_chunk(self, chunk: _Chunk, columns: ColumnIndices) -> NDArray[np.float64]:
        import polars as pl

        with _open_bytes(chunk.path) as file:
            file.seek(chunk.offset)
            content = file.read(chunk.size)
        names = [self._names[place] for place in columns.tolist() if not self._is_text[place]]
        if len(content) != chunk.size:
            raise RocPredictError(f"{chunk.path.name} changed while it was being read; read it again")
        try:
            values = self._parse(chunk, content, names, pl.Float64).select(names).to_numpy(order="fortran")
        except _UnusualError:
            values = self._read_lines(chunk, content, names)
        if len(names) == len(columns):
            return np.asarray(values)
        result = np.full((chunk.rows, len(columns)), np.nan, order="F")
        result[:, ~self._is_text[columns]] = values
        return result

    def _read_lines(self, chunk: _Chunk, content: bytes, names: list[str]) -> NDArray[np.float64]:
        """Read a chunk with the ``csv`` module, which raises an error with the line of a cell that is not a number."""
        import csv
        import io

        header, separator = self._formats[chunk.path]
        reader = csv.reader(io.TextIOWrapper(io.BytesIO(content), "utf-8", newline=""), delimiter=separator)
        numbered = [(chunk.line + reader.line_num - 1, row) for row in reader]
        columns = [[row[header.index(name)] for _, row in numbered] for name in names]
        kinds = ColumnKinds(names, numeric=True)
        return kinds.parse(columns, [line for line, _ in numbered], chunk.path.name, ",").T

    def iter_blocks(self, columns: ColumnIndices | None, budget: MemoryBudget = DEFAULT_BUDGET) -> BlockIterator:
        """Yield blocks of columns from the temporary file."""
        return self._columns.iter_blocks(columns, budget)

    def read_into(self, out: NDArray[Any], columns: ColumnIndices) -> None:
        """Read the chosen columns from the temporary file."""
        self._columns.read_into(out, columns)

    def column(self, column: int) -> NDArray[Any]:
        """Return one column."""
        return self._columns.column(column)

    @cached_property
    def _columns(self) -> SpooledColumns:
        """Numbers of all columns in a temporary file."""
        spool = SpooledColumns(self.shape[1])
        for _, _, tile in self.iter_tiles(None):
            spool.append(np.ascontiguousarray(tile.T))
        spool.flush()
        return spool


def _open_bytes(path: Path) -> IO[bytes]:
    with path.open("rb") as file:
        is_compressed = file.read(2) == GZIP_MAGIC
    return gzip.open(path, "rb") if is_compressed else path.open("rb")  # type: ignore[return-value]


def _cell_ends(content: bytes, separator: bytes, n_cells: int) -> NDArray[np.intp]:
    """Return the end of each cell, shape (lines, ``n_cells``).

    Raises if a line has another number of cells, or quotes are inside a cell.
    """
    array = np.frombuffer(content, np.uint8)
    is_line_end = array == ord("\n")
    places, n_lines = np.flatnonzero((array == separator[0]) | is_line_end), np.count_nonzero(is_line_end)
    if b'"' in content:
        quotes = np.flatnonzero(array == ord('"'))
        opening, closing = quotes[::2], quotes[1::2]
        border = np.zeros(len(array) + 2, dtype=bool)
        border[[0, -1]] = True
        border[1:-1] = np.isin(array, [separator[0], *b"\r\n"])
        if len(quotes) % 2 or not (border[opening].all() and border[closing + 2].all()):
            raise _UnusualError
        places = places[np.searchsorted(quotes, places) % 2 == 0]
        n_lines = np.count_nonzero(is_line_end[places])
    if not content.endswith(b"\n"):
        places, n_lines = np.append(places, len(content)), n_lines + 1
    if len(places) != n_lines * n_cells or (b"\r" in content and content.count(b"\r") != content.count(b"\r\n")):
        raise _UnusualError
    ends = places.reshape(-1, n_cells)
    if not is_line_end.take(ends[:, -1], mode="clip")[: None if content.endswith(b"\n") else -1].all():
        raise _UnusualError
    return ends
