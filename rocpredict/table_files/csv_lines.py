"""A CSV file cut into pieces of whole rows, each row with as many cells as the header and with its line.

The rows are found in the bytes, so that broken lines are found by the same code whoever parses the cells. Where
quotes or line ends stand in unusual places the csv module takes over, to the end of the file.
"""

from __future__ import annotations

import csv
import io
from codecs import BOM_UTF8
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import BinaryIO, NamedTuple, TextIO

import numpy as np
from numpy.typing import NDArray

from rocpredict.errors import RocPredictError
from rocpredict.sources import as_header, not_text, numbered_rows, wrong_count

PIECE_BYTES = 8 * 2**20
"""How much of a file is looked at in one go."""
_PIECE_CELLS = 250_000
_COMMA, _QUOTE, _LINE_FEED, _RETURN = b',"\n\r'
_BEFORE_A_QUOTE = (_COMMA, _LINE_FEED, _QUOTE)
_AFTER_A_QUOTE = (_COMMA, _LINE_FEED, _RETURN, _QUOTE)


class Head(NamedTuple):
    """The header of a file and where it ends."""

    path: Path
    names: list[str]
    bytes: int
    lines: int


class Piece(NamedTuple):
    """Some rows, as bytes or as cells, and the line each of them ends in."""

    text: bytes
    cells: list[list[str]] | None
    lines: NDArray[np.intp]


class _UnusualError(Exception):
    """Quotes or line ends stand where only the csv module can tell what they mean."""


def read_head(path: Path) -> Head:
    """Read the header of a CSV file."""
    name = path.name
    try:
        with path.open("rb") as file:
            mark = len(BOM_UTF8) if file.read(len(BOM_UTF8)) == BOM_UTF8 else 0
            file.seek(mark)
            seen: list[str] = []
            with _text(file) as lines:
                reader = csv.reader(_noted(lines, seen), strict=True)
                header = as_header(next(reader, []), name)
            return Head(path, header, mark + sum(len(line.encode()) for line in seen), len(seen))
    except OSError as error:
        raise RocPredictError(f"{path}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise not_text(name) from None
    except csv.Error as error:
        raise RocPredictError(f"{name}, line {reader.line_num}: {error}") from None


def _text(file: BinaryIO) -> TextIO:
    return io.TextIOWrapper(file, encoding="utf-8", newline="")


def _noted(lines: Iterator[str], seen: list[str]) -> Iterator[str]:
    """Give lines one by one, and note which were asked for."""
    for line in lines:
        seen.append(line)
        yield line


def pieces(head: Head) -> Iterator[Piece]:
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
        raise not_text(head.path.name) from None


def _pieces(file: BinaryIO, head: Head) -> Iterator[Piece]:
    start, line, text = head.bytes, head.lines, b""
    file.seek(start)
    while True:
        block = file.read(max(PIECE_BYTES, len(text)))
        text += block
        if not text:
            return
        try:
            end = _end_of_rows(text, last=not block)
            piece, lines = _cut(text[:end], head, line)
        except _UnusualError:
            yield from _by_csv(file, start, line, head)
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
            raise _UnusualError
        return end
    marks = np.frombuffer(text, np.uint8)
    ends = np.flatnonzero((marks == _LINE_FEED) & ~_inside(marks))
    if not len(ends) and len(text) > 4 * PIECE_BYTES:
        raise _UnusualError
    return int(ends[-1]) + 1 if len(ends) else 0


def _cut(text: bytes, head: Head, before: int) -> tuple[Piece, int]:
    """Check whole rows, and count the lines they take."""
    if text and not text.endswith(b"\n"):
        text += b"\n"
    if b"\r" in text and text.count(b"\r") != text.count(b"\r\n"):
        raise _UnusualError
    marks = np.frombuffer(text, np.uint8)
    feeds, commas = marks == _LINE_FEED, marks == _COMMA
    lines = np.flatnonzero(feeds)
    ends = lines
    if b'"' in text:
        outside = ~_inside(marks)
        _check_quotes(marks, outside)
        ends, commas = np.flatnonzero(feeds & outside), commas & outside
    numbers = before + 1 + (np.searchsorted(lines, ends) if len(ends) < len(lines) else np.arange(len(ends)))
    cells = np.diff(np.searchsorted(np.flatnonzero(commas), ends), prepend=0) + 1
    starts = np.concatenate([[0], ends[:-1] + 1]) if len(ends) else ends
    blank = _blank(marks, starts, ends)
    wrong = np.flatnonzero((cells != len(head.names)) & ~blank)
    if not text.isascii():
        text.decode()
    if len(wrong):
        raise wrong_count(head.path.name, int(numbers[wrong[0]]), int(cells[wrong[0]]), len(head.names))
    if blank.any():
        text = b"".join(text[a : b + 1] for a, b in zip(starts[~blank].tolist(), ends[~blank].tolist(), strict=True))
    return Piece(text, None, numbers[~blank]), len(lines)


def _inside(marks: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Tell which bytes follow an odd number of quotes."""
    return np.asarray(np.cumsum(marks == _QUOTE, dtype=np.uint8) % 2 == 1)


def _check_quotes(marks: NDArray[np.uint8], outside: NDArray[np.bool_]) -> None:
    """Refuse quotes that neither open nor close a cell nor stand for a quote inside one."""
    quotes = np.flatnonzero(marks == _QUOTE)
    closing = outside[quotes]
    before = marks[quotes[~closing] - 1]  # before the first byte is the last, a line feed
    after = marks[quotes[closing] + 1]
    if not (outside[-1] and np.isin(before, _BEFORE_A_QUOTE).all() and np.isin(after, _AFTER_A_QUOTE).all()):
        raise _UnusualError


def _blank(marks: NDArray[np.uint8], starts: NDArray[np.intp], ends: NDArray[np.intp]) -> NDArray[np.bool_]:
    lengths = ends - starts
    return np.asarray((lengths == 0) | ((lengths == 1) & (marks[starts] == _RETURN)))


def _by_csv(file: BinaryIO, start: int, line: int, head: Head) -> Iterator[Piece]:
    """Give the rest of a file as the csv module reads it."""
    file.seek(start)
    with _text(file) as lines:
        rows = numbered_rows(csv.reader(lines, strict=True), head.path.name, len(head.names), before=line)
        while some := list(islice(rows, max(1, _PIECE_CELLS // len(head.names)))):
            yield Piece(b"", [row for _, row in some], np.array([number for number, _ in some]))
