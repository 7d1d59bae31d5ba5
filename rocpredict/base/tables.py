"""Tables as text, HTML, Markdown and CSV, with an optional small plot of curves."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from rocpredict.base.files import format_csv
from rocpredict.base.formatting import (
    escape_control_characters,
    escape_html,
    format_number,
    is_number,
    label_to_text,
    to_json_value,
    truncate,
)

_MAX_HTML_ROWS = 30
"""Largest number of rows that a notebook shows."""

_MIN_LONG_TEXT = 30
_PLOT_SIZE = 220

_MARGIN = 10
_FLEX = "display:flex;flex-wrap:wrap;gap:1em;align-items:flex-start"

_TEXT = "text-align:left;overflow-wrap:break-word;min-width:7em;max-width:40em"
_CAPTION = "caption-side:top;text-align:left;font-weight:bold;overflow-wrap:break-word;min-width:22em"


@dataclass(frozen=True)
class CurvePlot:
    """Small picture of curves in the unit square.

    Attributes
    ----------
    label : str
        Alternative text for screen readers.
    curves : sequence of pairs of arrays
        Coordinates (x, y) of each curve. The first curve is drawn as a solid line, the others as dashed lines.
    point : pair of float, optional
        Point to mark with a ring.
    show_diagonal : bool, default=True
        Whether to draw the diagonal.
    """

    label: str
    curves: Sequence[tuple[ArrayLike, ArrayLike]]
    point: tuple[float, float] | None = None
    show_diagonal: bool = True


def _cell_style(text: object) -> str:
    """Return the CSS style of a cell, with a minimum width that keeps columns of long text from being too narrow."""
    return _TEXT + (";min-width:14em" if len(str(text)) > _MIN_LONG_TEXT else "")


def _svg(picture: CurvePlot) -> str:
    side = _PLOT_SIZE - 2 * _MARGIN
    parts = [f'<rect x="{_MARGIN}" y="{_MARGIN}" width="{side}" height="{side}" stroke-opacity="0.5"/>']
    if picture.show_diagonal:
        parts.append(_svg_polyline([0, 1], [0, 1], 'stroke-opacity="0.4" stroke-dasharray="2 4"'))
    for index, (x, y) in enumerate(picture.curves):
        parts.append(_svg_polyline(x, y, 'stroke-width="2"' + (' stroke-dasharray="6 4"' if index else "")))
    if picture.point is not None and np.isfinite(picture.point).all():
        x, y = _to_pixels(*picture.point)
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" stroke-width="2"/>')
    view = f'width="{_PLOT_SIZE}" height="{_PLOT_SIZE}" viewBox="0 0 {_PLOT_SIZE} {_PLOT_SIZE}"'
    label = escape(truncate(picture.label))
    return f'<svg role="img" aria-label="{label}" {view} fill="none" stroke="currentColor">{"".join(parts)}</svg>'


def _svg_polyline(x: ArrayLike, y: ArrayLike, how: str) -> str:
    columns = _to_pixels(np.asarray(x, dtype=float), np.asarray(y, dtype=float))
    points = [f"{left:.1f},{top:.1f}" for left, top in zip(*columns, strict=True)]
    return f'<polyline points="{" ".join(dict.fromkeys(points))}" {how}/>'


def _to_pixels(x: Any, y: Any) -> tuple[Any, Any]:
    """Convert coordinates in [0, 1] to pixels with a y axis that points down; NaN becomes 0."""
    side = _PLOT_SIZE - 2 * _MARGIN
    x, y = (np.clip(np.nan_to_num(part), 0, 1) for part in (x, y))
    return _MARGIN + side * x, _PLOT_SIZE - _MARGIN - side * y


def thin_curve(x: ArrayLike, y: ArrayLike, most: int = 241) -> tuple[Any, Any]:
    """Reduce a monotone curve to about ``most`` evenly spaced points, including the first and the last point."""
    x, y = np.asarray(x), np.asarray(y)
    if len(x) <= most:
        return x, y
    along = np.abs(np.diff(x)) + np.abs(np.diff(y))
    steps = np.append(0.0, np.cumsum(along))
    selected = np.unique(np.searchsorted(steps, np.linspace(0, steps[-1], most)))
    selected = np.unique(np.append(selected, (0, len(x) - 1)))
    return x[selected], y[selected]


_MARKUP = re.compile(r"[\\|<]")


class HasMessages(Protocol):
    """Object, such as ``Flags``, whose messages a table shows below its notes."""

    def messages(self) -> list[str]:
        """Return one sentence for each flag."""


@dataclass(frozen=True)
class Table:
    """A table whose cells keep their full precision until they are shown.

    Attributes
    ----------
    title : str
    columns : sequence of str
    rows : sequence of sequences
        Cells of each row: text, numbers, dates, or None for an empty cell. The first cell is the name of the row.
    formats : mapping of str to str or callable
        Format specifications or formatting functions of the columns, keyed by column name. By default, numbers are
        shown with six significant digits.
    notes : sequence of str
        Sentences below the table.
    flags : Flags, optional
        Flags whose messages are shown below the notes.
    plot : CurvePlot, optional
        Small picture that is shown next to the table in HTML.

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
    formats: Mapping[str, Any] | None = None
    notes: Sequence[str] = ()
    flags: HasMessages | None = None
    plot: CurvePlot | None = None

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self, width: int = 160) -> str:
        """Return the table as text for a terminal with ``width`` columns."""
        from rich import box
        from rich.console import Console
        from rich.table import Table as RichTable
        from rich.text import Text

        def literal(text: str) -> Text:
            return Text(escape_control_characters(text))

        rich_table = RichTable(box=box.SQUARE, show_edge=False, pad_edge=True)
        for column, is_numeric in zip(self.columns, self.numeric_columns(), strict=True):
            rich_table.add_column(literal(column), justify="right" if is_numeric else "left")
        for row in self.cells():
            rich_table.add_row(*map(literal, row))
        file = io.StringIO()
        console = Console(file=file, width=width, color_system=None, legacy_windows=False)
        for part in (literal(self.title), rich_table, *map(literal, self._all_notes())):
            console.print(part)
        return "\n".join(line.rstrip() for line in file.getvalue().splitlines())

    def to_html(self, most: int | None = None) -> str:
        """Return the table, or its first ``most`` rows, as HTML for a notebook."""
        row_cells = list(zip(self.rows, self.cells(most), strict=False))
        head = "".join(f'<th scope="col">{escape_html(name)}</th>' for name in self.columns)
        rows = "".join(f"<tr>{''.join(map(_html_cell, range(len(row)), row, cells))}</tr>" for row, cells in row_cells)
        caption = f'<caption style="{_CAPTION}">{escape_html(self.title)}</caption>'
        table = f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
        body = table if self.plot is None else f'<div style="{_FLEX}">{_svg(self.plot)}{table}</div>'
        cut = [f"The first {len(row_cells)} of {len(self.rows)} rows."] if len(row_cells) < len(self.rows) else []
        return f"<div>{body}{''.join(f'<p>{escape_html(note)}</p>' for note in [*cut, *self._all_notes()])}</div>"

    def _repr_html_(self) -> str:
        return self.to_html(_MAX_HTML_ROWS)

    def to_markdown(self) -> str:
        """Return the table as Markdown."""
        rows = [self.columns, ["---"] * len(self.columns), *self.cells()]
        lines = [f"**{_escape_markdown(self.title)}**", ""]
        lines += [f"| {' | '.join(map(_escape_markdown, row))} |" for row in rows]
        return "\n".join([*lines, *(f"\n{_escape_markdown(note)}" for note in self._all_notes())]) + "\n"

    def to_csv(self) -> str:
        """Return the table as CSV, with full precision."""
        rows = (["" if cell is None else cell for cell in to_json_value(row)] for row in self.rows)
        return format_csv([self.columns, *rows])

    def to_dict(self) -> dict[str, Any]:
        """Return the table as plain lists and dicts, ready for JSON."""
        rows = [dict(zip(self.columns, row, strict=True)) for row in self.rows]
        return {"title": self.title, "rows": to_json_value(rows), "notes": self._all_notes()}

    def to_columns(self) -> dict[str, list[Any]]:
        """Return a dictionary of the columns, keyed by name."""
        return {name: [row[place] for row in self.rows] for place, name in enumerate(self.columns)}

    def cells(self, most: int | None = None) -> list[list[Any]]:
        """Return the formatted cells of all rows or of the first ``most`` rows."""
        forms = [(self.formats or {}).get(column, format_number) for column in self.columns]
        return [[_format_cell(value, form) for value, form in zip(row, forms, strict=True)] for row in self.rows[:most]]

    def numeric_columns(self) -> list[bool]:
        """Return, for each column, whether all of its nonempty cells are numbers."""
        return [
            all(row[index] is None or is_number(_first(row[index])) for row in self.rows)
            for index in range(len(self.columns))
        ]

    def sort_key(self, row: int, index: int) -> str:
        """Return the key that a script in the HTML page uses to sort a cell; undefined values are sorted last."""
        value = _first(self.rows[row][index])
        return "" if value != value else {"inf": "Infinity", "-inf": "-Infinity"}.get(str(value), f"{value:.9g}")  # noqa: PLR0124

    def _all_notes(self) -> list[str]:
        return [*self.notes, *(self.flags.messages() if self.flags else ())]


def _first(value: Any) -> Any:
    """Return the value by which a cell is sorted; for a tuple, its first item."""
    return value[0] if isinstance(value, tuple) and value else value


def _format_cell(value: Any, form: Any) -> Any:
    if value is None:
        return ""
    if callable(form) and form is not format_number:
        return form(value)
    if not isinstance(value, (bool, np.bool_)) and not is_number(value):
        return label_to_text(value)
    return format_number(value) if callable(form) or np.isnan(value) else format(value, form)


def _html_cell(place: int, value: Any, text: str) -> str:
    """Return a cell as HTML; the first cell of a row is its header."""
    if place == 0:
        return f'<th scope="row" style="{_cell_style(value)}">{escape_html(text)}</th>'
    plain = value is None or isinstance(value, (bool, int, float, np.number, np.bool_))
    return f"<td>{escape(text)}</td>" if plain else f'<td style="{_cell_style(text)}">{escape_html(text)}</td>'


def _escape_markdown(text: str) -> str:
    """Escape text for a cell of a Markdown table."""
    return _MARKUP.sub(r"\\\g<0>", escape_control_characters(text))
