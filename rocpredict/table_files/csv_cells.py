"""The cells of a piece of a CSV file as numbers: by polars where it is installed, else by Python itself."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rocpredict.arguments import FloatArray
from rocpredict.errors import RocPredictError
from rocpredict.sources import MISSING
from rocpredict.table_files.csv_lines import Piece

Cells: TypeAlias = Any
"""One column of a piece: a list of str, or a polars series of them."""

FEW_ROWS = 256
"""Below it a column of a piece is too short to be worth a call: rows are long, and cells become numbers all at once."""

ReadCells: TypeAlias = Callable[[Piece, Sequence[int]], list[Cells]]


def reader() -> ReadCells:
    """Give what reads the cells of some columns."""
    try:
        import polars  # noqa: F401
    except ImportError:
        return by_python
    return by_polars


def by_python(piece: Piece, columns: Sequence[int]) -> list[Cells]:
    """Read cells with the csv module."""
    if piece.cells is None and b'"' not in piece.text:
        flat = piece.text.decode().replace("\r\n", "\n").replace("\n", ",").split(",")
        return [flat[column : -1 : len(flat) // len(piece.lines)] for column in columns]
    rows = _unquoted(piece) if piece.cells is None else piece.cells
    return [[row[column] for row in rows] for column in columns]


def _unquoted(piece: Piece) -> list[list[str]]:
    try:
        return list(csv.reader(io.StringIO(piece.text.decode(), newline=""), strict=True))
    except csv.Error as error:
        raise RocPredictError(f"lines {piece.lines[0]} to {piece.lines[-1]} of the file: {error}") from None


def by_polars(piece: Piece, columns: Sequence[int]) -> list[Cells]:
    """Read cells with polars, as text."""
    import polars

    if piece.cells is not None or len(piece.lines) < FEW_ROWS:
        return by_python(piece, columns)
    frame = polars.read_csv(piece.text, has_header=False, infer_schema=False, columns=sorted(columns))
    places = {column: place for place, column in enumerate(sorted(columns))}
    return [frame.to_series(places[column]) for column in columns]


def block(columns: Sequence[Cells], rows: int) -> tuple[FloatArray, dict[int, int]]:
    """Give columns as numbers, NaN for what is missing, and the row of the first word of each column that has one."""
    if rows < FEW_ROWS and all(isinstance(cells, list) for cells in columns):
        return _all_at_once(columns, rows)
    made, words = np.empty((rows, len(columns)), order="F"), {}
    for place, cells in enumerate(columns):
        made[:, place], found = numbers(cells)
        if found.size:
            words[place] = int(found[0])
    return made, words


def _all_at_once(columns: Sequence[Cells], rows: int) -> tuple[FloatArray, dict[int, int]]:
    values, found = numbers(_series(list(chain.from_iterable(columns))))
    places, first = np.unique(found // rows, return_index=True)
    words = dict(zip(places.tolist(), (found[first] % rows).tolist(), strict=True))
    return values.reshape((rows, len(columns)), order="F"), words


def _series(cells: list[str]) -> Cells:
    try:
        import polars
    except ImportError:
        return cells
    return polars.Series(cells)


def numbers(cells: Cells) -> tuple[FloatArray, NDArray[np.intp]]:
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


def words(cells: Cells) -> list[str]:
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
            if cell.strip() not in MISSING:
                found.append(place)
    return values, np.array(found, dtype=np.intp)


def _by_polars(cells: Any) -> tuple[FloatArray, NDArray[np.intp]]:
    """Give what polars takes for numbers, and the places where it finds neither number nor mark of a missing one."""
    import polars

    values = cells.cast(polars.Float64, strict=False)
    floats = np.array(values.to_numpy())
    if values.null_count() == cells.null_count():
        return floats, np.empty(0, dtype=np.intp)
    left = values.is_null() & cells.is_not_null() & ~cells.is_in(list(MISSING))
    return floats, left.arg_true().to_numpy().astype(np.intp)
