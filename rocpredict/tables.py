"""Finished results as tables: for a terminal, as Markdown, CSV or JSON."""

import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time
from typing import Any

import numpy as np

from rocpredict.files import as_csv
from rocpredict.rich_results import visible

_MARKUP = re.compile(r"[\\|<]")


@dataclass(frozen=True)
class Table:
    """Hold a table whose cells keep their full precision until they are shown.

    Attributes
    ----------
    title : str
    columns : sequence of str
    rows : sequence of sequences
        Text, numbers, dates, or None for an empty cell.
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
            drawn.add_column(Text(visible(column)), justify="right" if self._is_numeric(index) else "left")
        for row in self._shown():
            drawn.add_row(*(Text(cell) for cell in row))
        console = Console(file=io.StringIO(), width=width, color_system=None, legacy_windows=False)
        console.print(Text(visible(self.title)))
        console.print(drawn)
        for note in self.notes:
            console.print(Text(visible(note)))
        text = console.file.getvalue()  # type: ignore[attr-defined]
        return "\n".join(line.rstrip() for line in text.splitlines())

    def to_markdown(self) -> str:
        """Write the table as Markdown."""
        lines = [f"**{_marked(self.title)}**", "", _pipes(self.columns), _pipes(["---"] * len(self.columns))]
        lines += [_pipes(row) for row in self._shown()]
        return "\n".join([*lines, *(f"\n{_marked(note)}" for note in self.notes)]) + "\n"

    def to_csv(self) -> str:
        """Write the table as CSV, with every digit."""
        rows = (["" if cell is None else cell for cell in jsonable(row)] for row in self.rows)
        return as_csv([self.columns, *rows])

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
        if not _is_number(value):
            return visible(as_text(value))
        return format(value, (self.formats or {}).get(column, ".6g"))

    def _is_numeric(self, index: int) -> bool:
        return all(row[index] is None or _is_number(row[index]) for row in self.rows)


def to_json(value: Any) -> str:
    """Write a result as JSON: NaN as null, infinities as the strings "inf" and "-inf"."""
    return json.dumps(jsonable(value), indent=2, allow_nan=False, ensure_ascii=False)


def as_text(value: Any) -> str:
    """Give a label or a cell as text: dates and times as ISO 8601."""
    if isinstance(value, (date, time)):
        return value.isoformat()
    return value.decode(errors="backslashreplace") if isinstance(value, bytes) else str(value)


def jsonable(value: Any) -> Any:
    """Give a result as what JSON can hold; what it cannot, such as dates, as text."""
    if isinstance(value, Mapping):
        return {str(key): jsonable(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return jsonable(value.tolist())
    if isinstance(value, (list, tuple)):
        return [jsonable(item) for item in value]
    if isinstance(value, np.generic) and value.dtype.kind not in "mM":
        return jsonable(value.item())
    if isinstance(value, float) and not np.isfinite(value):
        return None if np.isnan(value) else str(value)
    return value if value is None or isinstance(value, (str, int, float)) else as_text(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.number)) and not isinstance(value, (bool, np.timedelta64))


def _marked(text: str) -> str:
    """Give text that Markdown takes as it stands in one cell."""
    return _MARKUP.sub(r"\\\g<0>", visible(text))


def _pipes(cells: Sequence[str]) -> str:
    return "| " + " | ".join(map(_marked, cells)) + " |"
