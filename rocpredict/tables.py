"""Finished results as tables: for a terminal, as Markdown, CSV or JSON."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Table:
    """Hold a table whose cells keep their full precision until they are shown.

    Attributes
    ----------
    title : str
    columns : sequence of str
    rows : sequence of sequences
        Text, numbers, or None for an empty cell.
    formats : mapping of str to str
        How a column's numbers are shown, as ``format`` takes it; ".6g" where nothing is said.
    notes : sequence of str
        Sentences below the table.

    Examples
    --------
    >>> print(Table("Areas", ["feature", "AUC"], [["width", 0.98069]], {"AUC": ".2%"}).to_text())
    Areas
     feature │    AUC
    ─────────┼────────
     width   │ 98.07%
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    formats: Mapping[str, str] | None = None
    notes: Sequence[str] = ()

    def to_text(self, width: int = 160) -> str:
        """Draw the table for a terminal of this width."""
        from rich import box
        from rich.console import Console
        from rich.table import Table as RichTable
        from rich.text import Text

        drawn = RichTable(box=box.SQUARE, show_edge=False, pad_edge=True)
        for index, column in enumerate(self.columns):
            drawn.add_column(Text(column), justify="right" if self._is_numeric(index) else "left")
        for row in self._shown():
            drawn.add_row(*(Text(cell) for cell in row))
        console = Console(file=io.StringIO(), width=width, color_system=None, legacy_windows=False)
        console.print(Text(self.title))
        console.print(drawn)
        for note in self.notes:
            console.print(Text(note))
        text = console.file.getvalue()  # type: ignore[attr-defined]
        return "\n".join(line.rstrip() for line in text.splitlines())

    def to_markdown(self) -> str:
        """Write the table as Markdown."""
        lines = [f"**{self.title}**", "", _pipes(self.columns), _pipes(["---"] * len(self.columns))]
        lines += [_pipes(row) for row in self._shown()]
        return "\n".join([*lines, *(f"\n{note}" for note in self.notes)]) + "\n"

    def to_csv(self) -> str:
        """Write the table as CSV, with every digit."""
        file = io.StringIO()
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows([["" if cell is None else cell for cell in jsonable(row)] for row in self.rows])
        return file.getvalue()

    def to_dict(self) -> dict[str, Any]:
        """Give the table as plain lists and dicts, ready for JSON."""
        rows = [dict(zip(self.columns, row, strict=True)) for row in self.rows]
        return {"title": self.title, "rows": jsonable(rows), "notes": list(self.notes)}

    def _shown(self) -> list[list[str]]:
        return [
            [self._cell(column, value) for column, value in zip(self.columns, row, strict=True)] for row in self.rows
        ]

    def _cell(self, column: str, value: Any) -> str:
        if value is None:
            return ""
        if isinstance(value, (str, bool, np.bool_)):
            return str(value)
        return format(value, (self.formats or {}).get(column, ".6g"))

    def _is_numeric(self, index: int) -> bool:
        return all(not isinstance(row[index], str) for row in self.rows)


def to_json(value: Any) -> str:
    """Write a result as JSON: NaN as null, infinities as the strings "inf" and "-inf"."""
    return json.dumps(jsonable(value), indent=2, allow_nan=False, ensure_ascii=False)


def jsonable(value: Any) -> Any:
    """Give a result as what JSON can hold."""
    if isinstance(value, Mapping):
        return {str(key): jsonable(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return jsonable(value.tolist())
    if isinstance(value, (list, tuple)):
        return [jsonable(item) for item in value]
    if isinstance(value, np.generic):
        return jsonable(value.item())
    if isinstance(value, float) and not np.isfinite(value):
        return None if np.isnan(value) else str(value)
    return value


def _pipes(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
