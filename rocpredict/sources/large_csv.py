"""Large CSV files, read by polars."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import groupby, islice
from pathlib import Path
from typing import IO, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from rocpredict.base.labels import CodedLabels
from rocpredict.base.progress import report_progress
from rocpredict.base.validation import FloatArray, NanPolicy
from rocpredict.sources.blocks import (
    DEFAULT_BUDGET,
    BlockIterator,
    BlockSource,
    ColumnIndices,
    DenseSource,
    MemoryBudget,
    TileIterator,
    map_ordered,
    read_ahead,
)
from rocpredict.sources.csv_reader import (
    GZIP_MAGIC,
    MISSING_MARKERS,
    ColumnKinds,
    CsvFiles,
    FeaturesAndLabels,
    FileVersion,
    file_name,
    file_version,
    infer_label_dtype,
    iter_rows,
    open_csv,
    parse_numbers,
    refuse_changes,
)
from rocpredict.sources.streams import SpooledColumns
from rocpredict.sources.table import FeatureTable, check_has_numeric

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
        header, separator = self._formats[chunk.path]
        reader = csv.reader(io.TextIOWrapper(io.BytesIO(content), "utf-8", newline=""), delimiter=separator)
        name = file_name(chunk.path)
        lines, rows = zip(*iter_rows(reader, name, len(header), separator, chunk.line - 1), strict=True)
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
