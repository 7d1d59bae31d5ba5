"""A table as a page shows it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple


class Column(NamedTuple):
    """Name a column, and say whether its cells are set as numbers."""

    title: Any
    numeric: bool = True


class Cell(NamedTuple):
    """Hold what is shown, and by what it is sorted where that differs."""

    shown: Any
    value: str | None = None


class Grid(NamedTuple):
    """Hold a table; the cells of one column head their rows."""

    label: str
    caption: Any
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    head: int = 0
    sortable: bool = False


_WORDS = frozenset(("Method", "Flags", "Level", "What was seen", "Remedy"))
"""Titles of columns that hold words, beside the first."""


def plain_grid(label: str, caption: Any, titles: Sequence[str], rows: Sequence[Sequence[Any]]) -> Grid:
    """Give a small table whose first column heads the rows."""
    columns = [Column(title, numeric=place > 0 and title not in _WORDS) for place, title in enumerate(titles)]
    return Grid(label, caption, columns, [[Cell(cell) for cell in row] for row in rows])


def sort_key(value: float) -> str:
    """Give a number as a script sorts it; what is unknown goes last."""
    return "" if value != value else {"inf": "Infinity", "-inf": "-Infinity"}.get(str(value), f"{value:.9g}")  # noqa: PLR0124
