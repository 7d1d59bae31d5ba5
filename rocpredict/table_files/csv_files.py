"""CSV files as one table: read once, checked cell by cell."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rocpredict.arguments import FloatArray, shown
from rocpredict.errors import RocPredictError
from rocpredict.features.table import Features, some_number
from rocpredict.sources import MISSING, numbers_or_text, without_rows
from rocpredict.table_files.choosing import chosen_columns, same_columns
from rocpredict.table_files.csv_cells import Cells, block, reader, words
from rocpredict.table_files.csv_lines import pieces, read_head
from rocpredict.table_files.spool import Spool


class CsvFiles:
    """Hold CSV files with the same columns."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._heads = [read_head(path) for path in paths]
        self.names = tuple(self._heads[0].names)
        for head in self._heads[1:]:
            same_columns(paths[0].name, self.names, head.path.name, head.names)

    def features(
        self, *, label: str | None = None, only: Sequence[str] | None = None
    ) -> tuple[Features, NDArray[Any] | None]:
        """Read the features and the labels, as ``TableFiles`` says."""
        names, label = chosen_columns(self.names, self._heads[0].path.name, label=label, only=only)
        kept, kinds, labels, read = Spool(len(names)), _Kinds(names), _Labels(), reader()
        for head in self._heads:
            places = [head.names.index(name) for name in (*names, *([label] if label else []))]
            before = kept.shape[0]
            for piece in pieces(head):
                columns = read(piece, places)
                where = _Where(head.path.name, piece.lines)
                if label:
                    labels.append(columns.pop(), label, where)
                kept.append(kinds.numbers(columns, where))
            if kept.shape[0] == before:
                raise without_rows(head.path.name)
        table = Features(np.array(names), kept.shape[0], kept, kinds.text)
        return some_number(table), labels.values() if label else None

    def __repr__(self) -> str:
        return f"CsvFiles({[head.path.name for head in self._heads]}, {len(self.names)} columns)"


class _Where(NamedTuple):
    """The file and the lines that rows came from."""

    name: str
    lines: NDArray[np.intp]

    def line(self, row: int) -> str:
        return f"{self.name}, line {self.lines[row]}"


class _Kinds:
    """Find out which columns hold numbers, which hold words, and refuse those that hold both."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._numeric = np.zeros(len(names), dtype=bool)
        self.text = np.zeros(len(names), dtype=bool)
        self._first: dict[int, str] = {}

    def numbers(self, columns: Sequence[Cells], where: _Where) -> FloatArray:
        """Give the columns of a piece as numbers."""
        made, broken = block(columns, len(where.lines))
        for place, row in broken.items():
            self._first.setdefault(place, self._words(place, columns[place][row], where.line(row)))
        self.text[[*broken]] = True
        self._numeric |= ~np.isnan(made).all(axis=0)
        both = np.flatnonzero(self.text & self._numeric).tolist()
        if both:
            raise RocPredictError(self._first[min(both, key=lambda place: broken.get(place, -1))])
        return made

    def _words(self, place: int, cell: str, line: str) -> str:
        return (
            f"{line}: column {self._names[place]!r} holds {shown(cell.strip())}, which is not a number, among numbers; "
            "correct it, or leave the column out"
        )


class _Labels:
    """Gather the labels: each word once, and which of them stands in each row."""

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}
        self._rows: list[NDArray[np.int32]] = []

    def append(self, cells: Cells, column: str, where: _Where) -> None:
        """Add the labels of a piece, or refuse a cell without one."""
        held, codes = words(cells), self._codes
        for missing in MISSING.intersection(held):
            raise RocPredictError(f"{where.line(held.index(missing))}: column {column!r} has no label")
        self._rows.append(np.fromiter((codes.setdefault(cell, len(codes)) for cell in held), np.int32, len(held)))

    def values(self) -> NDArray[Any]:
        """Give a label for each row: numbers where all are."""
        return numbers_or_text(np.array([*self._codes]))[np.concatenate(self._rows)]
