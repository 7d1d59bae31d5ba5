"""Intervals, flags, tables and the display of results."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import date, time
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeAlias, get_args, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv, ndtri

from rocpredict.base.files import Backend, data_frame, format_csv
from rocpredict.base.validation import (
    ArrayOrFloat,
    FloatArray,
    RocPredictError,
    Value,
    broadcast_arrays,
    check_nonnegative,
    check_option,
    check_probability,
    short_repr,
    to_scalar,
)

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

MAX_ROWS = 10
"""Of a batch or a curve, in a table."""
_MAX_HTML_ROWS = 30
"""Of any table, in a notebook."""
_MOST_LETTERS = 500
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_LONG = 30
_PLOT_SIZE = 220
_MARGIN = 10
_FLEX = "display:flex;flex-wrap:wrap;gap:1em;align-items:flex-start"
_TEXT = "text-align:left;overflow-wrap:break-word;min-width:7em;max-width:40em"
_CAPTION = "caption-side:top;text-align:left;font-weight:bold;overflow-wrap:break-word;min-width:22em"


@dataclass(frozen=True)
class CurvePlot:
    """Draw curves in the unit square.

    Attributes
    ----------
    label : str
        What is to be seen, for those who do not see it.
    curves : sequence of pairs of arrays
        (x, y) of each curve; the first is drawn whole, others dashed.
    point : pair of float, optional
        Marked by a ring.
    show_diagonal : bool
        Whether the diagonal is drawn.
    """

    label: str
    curves: Sequence[tuple[ArrayLike, ArrayLike]]
    point: tuple[float, float] | None = None
    show_diagonal: bool = True


# ---- words and numbers
def format_number(value: Any, digits: int = 6) -> str:
    """Return a number for reading: whole ones in full, NaN as undefined."""
    value = value.item() if isinstance(value, (np.generic, np.ndarray)) else value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return str(value) if abs(value) < 10**15 else f"{float(value):.{digits}g}"
    if np.isnan(value):
        return "undefined"
    return f"{value:.0f}" if value == np.round(value) and abs(value) < 10**9 else f"{value:.{digits}g}"


def format_rate(value: float) -> str:
    """Return a rate with three decimals, never rounded to a false 0 or 1."""
    if value != value:  # noqa: PLR0124
        return "–"
    if 0 < value < 0.0005:
        return "<0.001"
    return ">0.999" if 0.9995 <= value < 1 else f"{value:.3f}"


def format_interval(low: Any, high: Any, form: Callable[[Any], str] = format_number) -> str:
    """Return both ends of an interval."""
    return "undefined" if low != low or high != high else f"{form(low)} to {form(high)}"  # noqa: PLR0124


def format_level(level: float) -> str:
    """Return a confidence level in percent."""
    return f"{100 * level:g} %"


def format_p_value(value: float) -> str:
    """Return a p-value with two digits."""
    return "<1e-300" if value < 1e-300 else format_number(value, 2)


def pluralize(count: float, what: str) -> str:
    """Return how many there are of something."""
    return f"{count:,.10g} {what}" + ("" if count == 1 else "s")


def format_list(items: Iterable[Any], most: int = 6, width: int = 40) -> str:
    """Return the first items of a list, short, and how many there are."""
    held = list(items)
    words = [truncate(str(item), width) for item in held[:most]]
    return ", ".join(words) + (f", ... ({len(held)} in all)" if len(held) > most else "")


def truncate(text: str, width: int = _MOST_LETTERS) -> str:
    """Return text on one line, with an end where it has too many letters."""
    text = " ".join(text.split())
    return text if len(text) <= width else f"{text[: width - 3]}..."


# ---- the page
def escape_html(words: object) -> str:
    """Escape text, show what cannot be seen, and isolate its direction."""
    return f"<bdi>{escape(escape_control_characters(truncate(str(words))))}</bdi>"


def escape_control_characters(words: str) -> str:
    """Escape what would break a line, speak to a terminal or fit no file."""
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), words)


def _cell_style(words: object) -> str:
    """Keep long text from being squeezed into a column of single letters."""
    return _TEXT + (";min-width:14em" if len(str(words)) > _LONG else "")


# ---- the picture
def _svg(picture: CurvePlot) -> str:
    parts = [_svg_frame()]
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


def _svg_frame() -> str:
    side = _PLOT_SIZE - 2 * _MARGIN
    return f'<rect x="{_MARGIN}" y="{_MARGIN}" width="{side}" height="{side}" stroke-opacity="0.5"/>'


def _svg_polyline(x: ArrayLike, y: ArrayLike, how: str) -> str:
    columns = _to_pixels(np.asarray(x, dtype=float), np.asarray(y, dtype=float))
    points = [f"{left:.1f},{top:.1f}" for left, top in zip(*columns, strict=True)]
    return f'<polyline points="{" ".join(dict.fromkeys(points))}" {how}/>'


def _to_pixels(x: Any, y: Any) -> tuple[Any, Any]:
    """Return places on the screen, whose y goes downward; what is undefined lies at an end."""
    side = _PLOT_SIZE - 2 * _MARGIN
    x, y = (np.clip(np.nan_to_num(part), 0, 1) for part in (x, y))
    return _MARGIN + side * x, _PLOT_SIZE - _MARGIN - side * y


def thin_curve(x: ArrayLike, y: ArrayLike, most: int = 241) -> tuple[Any, Any]:
    """Return a monotone curve with few enough points to draw, its ends and its corners among them."""
    x, y = np.asarray(x), np.asarray(y)
    if len(x) <= most:
        return x, y
    along = np.abs(np.diff(x)) + np.abs(np.diff(y))
    steps = np.append(0.0, np.cumsum(along))
    selected = np.unique(np.searchsorted(steps, np.linspace(0, steps[-1], most)))
    selected = np.unique(np.append(selected, (0, len(x) - 1)))
    return x[selected], y[selected]


_MARKUP = re.compile(r"[\\|<]")


@dataclass(frozen=True)
class Table:
    """A table whose cells keep their full precision until they are shown.

    Attributes
    ----------
    title : str
    columns : sequence of str
    rows : sequence of sequences
        The first cell names the row. Text, numbers, dates, or None for an empty cell.
    formats : mapping of str to str or callable
        How a column is shown: as ``format`` takes it, or a function; six digits where nothing is said.
    notes : sequence of str
        Sentences below the table.
    flags : Flags, optional
        Put into words below the notes.
    plot : CurvePlot, optional
        A small picture beside the table, in HTML.

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
    flags: Flags | None = None
    plot: CurvePlot | None = None

    def to_text(self, width: int = 160) -> str:
        """Return the table for a terminal of this width."""
        from rich import box
        from rich.console import Console
        from rich.table import Table as RichTable
        from rich.text import Text

        drawn = RichTable(box=box.SQUARE, show_edge=False, pad_edge=True)
        for index, column in enumerate(self.columns):
            drawn.add_column(
                Text(escape_control_characters(column)), justify="right" if self.is_numeric(index) else "left"
            )
        for row in self.cells():
            drawn.add_row(*(Text(escape_control_characters(cell)) for cell in row))
        console = Console(file=io.StringIO(), width=width, color_system=None, legacy_windows=False)
        console.print(Text(escape_control_characters(self.title)))
        console.print(drawn)
        for note in self._all_notes():
            console.print(Text(escape_control_characters(note)))
        text = console.file.getvalue()  # type: ignore[attr-defined]
        return "\n".join(line.rstrip() for line in text.splitlines())

    def to_html(self, most: int | None = None) -> str:
        """Return the table as HTML for a notebook, or its first rows."""
        shown = list(zip(self.rows, self.cells(most), strict=False))
        head = "".join(f'<th scope="col">{escape_html(name)}</th>' for name in self.columns)
        rows = "".join(_html_row(*row) for row in shown)
        caption = f'<caption style="{_CAPTION}">{escape_html(self.title)}</caption>'
        table = f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
        body = table if self.plot is None else f'<div style="{_FLEX}">{_svg(self.plot)}{table}</div>'
        cut = [f"The first {len(shown)} of {len(self.rows)} rows."] if len(shown) < len(self.rows) else []
        return f"<div>{body}{''.join(f'<p>{escape_html(note)}</p>' for note in [*cut, *self._all_notes()])}</div>"

    def _repr_html_(self) -> str:
        return self.to_html(_MAX_HTML_ROWS)

    def to_markdown(self) -> str:
        """Return the table as Markdown."""
        rows = [self.columns, ["---"] * len(self.columns), *self.cells()]
        lines = [f"**{_escape_markdown(self.title)}**", "", *map(_markdown_row, rows)]
        return "\n".join([*lines, *(f"\n{_escape_markdown(note)}" for note in self._all_notes())]) + "\n"

    def to_csv(self) -> str:
        """Return the table as CSV, with every digit."""
        rows = (["" if cell is None else cell for cell in to_json_value(row)] for row in self.rows)
        return format_csv([self.columns, *rows])

    def to_dict(self) -> dict[str, Any]:
        """Return the table as plain lists and dicts, ready for JSON."""
        rows = [dict(zip(self.columns, row, strict=True)) for row in self.rows]
        return {"title": self.title, "rows": to_json_value(rows), "notes": self._all_notes()}

    def to_columns(self) -> dict[str, list[Any]]:
        """Return the columns by name."""
        return {name: [row[place] for row in self.rows] for place, name in enumerate(self.columns)}

    def cells(self, most: int | None = None) -> list[list[Any]]:
        """Return the cells as they are shown, of the first rows or of all."""
        forms = [(self.formats or {}).get(column, format_number) for column in self.columns]
        return [[_format_cell(value, form) for value, form in zip(row, forms, strict=True)] for row in self.rows[:most]]

    def is_numeric(self, index: int) -> bool:
        """Return whether a column holds numbers only."""
        return all(row[index] is None or _is_number(_first(row[index])) for row in self.rows)

    def sort_key(self, row: int, index: int) -> str:
        """Return a number as a script sorts it; what is undefined goes last."""
        value = _first(self.rows[row][index])
        return "" if value != value else {"inf": "Infinity", "-inf": "-Infinity"}.get(str(value), f"{value:.9g}")  # noqa: PLR0124

    def _all_notes(self) -> list[str]:
        return [*self.notes, *(self.flags.messages() if self.flags else ())]


def _first(value: Any) -> Any:
    """Return what a cell is sorted by: the first of the values that it shows together."""
    return value[0] if isinstance(value, tuple) and value else value


def _format_cell(value: Any, form: Any) -> Any:
    if value is None:
        return ""
    if callable(form) and form is not format_number:
        return form(value)
    if not isinstance(value, (bool, np.bool_)) and not _is_number(value):
        return label_to_text(value)
    return format_number(value) if callable(form) else format(value, form)


def _html_row(row: Sequence[Any], cells: Sequence[str]) -> str:
    head = f'<th scope="row" style="{_cell_style(row[0])}">{escape_html(cells[0])}</th>'
    return f"<tr>{head}{''.join(map(_html_cell, row[1:], cells[1:]))}</tr>"


def _html_cell(value: Any, text: str) -> str:
    plain = value is None or isinstance(value, (bool, int, float, np.number, np.bool_))
    return f"<td>{escape(text)}</td>" if plain else f'<td style="{_cell_style(text)}">{escape_html(text)}</td>'


class Result:
    """A result: what it shows, its dictionary, its data frame and its equality follow from its fields.

    A subclass is a frozen dataclass or a named tuple. ``field(metadata=...)`` may name a ``label`` and a ``format`` for
    the table (as in ``Table.formats``), or hold ``hidden``, which keeps a field out of dictionary, table and frame.
    Fields that begin with an underscore are hidden, too.

    Attributes
    ----------
    derived : tuple of str
        Properties that stand after the fields.
    _listed, _tabled : tuple of str
        The names of dictionary and table where these are not the fields and ``derived``, in their order. The first of
        the table has the shape of the result: () of one feature, F of a batch.
    _text, _text_batch : str
        What a repr shows between its brackets, in the words of ``str.format``; "{flag_text}" are the flags,
        "{length}" is ``len``, "{batch_shape}" the shape F of a batch.
    _heading : str
        The title of the table, likewise.
    _long : bool
        Whether the fields are columns of points, and not of features; the table then shows some of them.
    _frame_of_table : bool
        Whether the data frame has the rows of the table.
    """

    __slots__ = ()
    derived: ClassVar[tuple[str, ...]] = ()
    _listed: ClassVar[tuple[str, ...]] = ()
    _tabled: ClassVar[tuple[str, ...]] = ()
    _text: ClassVar[str] = ""
    _text_batch: ClassVar[str] = "shape={batch_shape}"
    _heading: ClassVar[str] = ""
    _long: ClassVar[bool] = False
    _frame_of_table: ClassVar[bool] = False

    # ---- display
    def __repr__(self) -> str:
        values = _Values(self)
        text = self._text_batch if values["batch_shape"] else self._text
        if text:
            return f"{type(self).__name__}({text.format_map(values)})"
        shown = (f"{name}={short_repr(getattr(self, name), 40)}" for name in self._names()[:6])
        return truncate(f"{type(self).__name__}({', '.join(shown)})", 280)

    def table(self) -> Table:
        """Return the numbers as a table, of a batch the first: text, HTML, Markdown, CSV."""
        values, names = _Values(self), self._tabled or self._names()
        shape, heading = values["batch_shape"], self._heading.format_map(values) or type(self).__name__
        notes, flags = self._notes(), getattr(self, "flags", None)
        if self._long:
            return curve_table(heading, self._columns(), notes=notes, flags=flags, plot=self._plot())
        if shape:
            columns = {self._label(name): getattr(self, name) for name in names}
            columns = {name: value for name, value in columns.items() if np.shape(value) == shape}
            return batch_table(heading, shape, columns, notes=notes, flags=flags)
        rows = [[self._label(name), self._cell(name)] for name in names]
        return Table(heading, ("quantity", "value"), [row for row in rows if row[1] is not None], None, notes, flags)

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()

    def _notes(self) -> Sequence[str]:
        return ()

    def _plot(self) -> CurvePlot | None:
        return None

    def _label(self, name: str) -> str:
        return str(_metadata(self, name).get("label", name.replace("_", " ")))

    def _cell(self, name: str) -> Any:
        """Return what a table shows of a field; None where it is no single value."""
        value, form = getattr(self, name), _metadata(self, name).get("format")
        if form is not None and value is not None:
            return form(value) if callable(form) else format(value, form)
        if isinstance(value, Interval):
            return format_interval(*value)
        if isinstance(value, Result):
            return None if isinstance(value, Flags) else repr(value)
        if isinstance(value, (tuple, list)) and not any(isinstance(item, Result) for item in value):
            return format_list(value)
        single = isinstance(value, (str, bool, int, float, np.generic)) or (np.ndim(value) == 0 and _is_array(value))
        return value if single else None

    # ---- data
    def to_dict(self) -> dict[str, Any]:
        """Return the numbers by name."""
        return {name: to_plain(getattr(self, name)) for name in self._listed or self._names()}

    @overload
    def to_frame(self, backend: Literal["pandas"] = "pandas") -> pd.DataFrame: ...
    @overload
    def to_frame(self, backend: Literal["polars"]) -> pl.DataFrame: ...
    @overload
    def to_frame(self, backend: Literal["pyarrow"]) -> pa.Table: ...
    def to_frame(self, backend: Backend = "pandas") -> pd.DataFrame | pl.DataFrame | pa.Table:
        """Return a data frame: a row for each feature or point, or one row.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}

        Raises
        ------
        RocPredictError
            A backend that is not installed, or unknown.
        """
        return data_frame(self._columns(), backend)

    def to_pandas(self) -> pd.DataFrame:
        """Return a pandas data frame; see ``to_frame``."""
        return self.to_frame("pandas")

    def to_polars(self) -> pl.DataFrame:
        """Return a polars data frame; see ``to_frame``."""
        return self.to_frame("polars")

    def _columns(self) -> Mapping[str, Any]:
        """Return the columns of the data frame."""
        if self._frame_of_table:
            return self.table().to_columns()
        shape = self._result_shape()
        held = {name: getattr(self, name) for name in dict.fromkeys((*self._tabled, *self._names()))}
        held = {name: value for name, value in held.items() if _is_column(value, shape)}
        return {name: np.broadcast_to(value, shape or (1,)).ravel() for name, value in held.items()}

    def _names(self) -> tuple[str, ...]:
        """Return the names of the fields that are shown, and the derived ones."""
        held = [name for name in _field_names(self) if name[0] != "_" and not _metadata(self, name).get("hidden")]
        return (*held, *self.derived)

    def _result_shape(self) -> tuple[int, ...]:
        """Return the shape of the first field that is shown: () of one number."""
        names = self._tabled or self._names()
        value: Any = getattr(self, names[0]) if names else None
        return np.shape(value) if _is_array(value) else ()

    # ---- comparison
    def _compared(self) -> Mapping[str, Any]:
        """Return what makes two results of one class equal: every field, or the object itself if it has none."""
        names = _field_names(self, compared=True)
        return {name: getattr(self, name) for name in names} if names else {"object": id(self)}

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self is other or _equal(dict(self._compared()), dict(other._compared()))

    def __hash__(self) -> int:
        return hash((type(self).__name__, _hashable(dict(self._compared()))))

    def __getstate__(self) -> Any:
        """Return the fields alone: what was computed from them is computed anew after unpickling."""
        if not hasattr(self, "__dict__"):
            return super().__getstate__()
        return {name: self.__dict__[name] for name in _field_names(self) if name in self.__dict__}


class _Values(dict[str, Any]):
    """The attributes of a result by name, for ``str.format_map``."""

    def __init__(self, result: Result) -> None:
        self.result = result

    def __missing__(self, name: str) -> Any:
        if name == "batch_shape":
            return () if self.result._long else self.result._result_shape()
        if name == "length":
            return len(self.result)  # type: ignore[arg-type]
        if name == "flag_text":
            flags = self.result.flags  # type: ignore[attr-defined]
            shape = self["batch_shape"]
            return "" if not flags else f", {flags}" if shape else f", flags={list(flags)}"
        return getattr(self.result, name)


def _field_names(result: Any, *, compared: bool = False) -> tuple[str, ...]:
    if not is_dataclass(result):
        return getattr(result, "_fields", ())
    return tuple(item.name for item in fields(result) if item.compare or not compared)


def _metadata(result: Any, name: str) -> Mapping[str, Any]:
    held = getattr(result, "__dataclass_fields__", {}).get(name)
    return {} if held is None else held.metadata


def _is_array(value: Any) -> bool:
    return isinstance(value, (np.ndarray, np.generic))


def _open(value: Any) -> Any:
    """Return what is inside a dataclass or a partial function that is no result; anything else as it is."""
    if isinstance(value, partial):
        return value.func, value.args, value.keywords
    if is_dataclass(value) and not isinstance(value, (Result, type)):
        return {name: getattr(value, name) for name in _field_names(value)}
    return value


def _is_column(value: Any, shape: tuple[int, ...]) -> bool:
    return isinstance(value, (str, bool, int, float)) or (_is_array(value) and np.shape(value) in {(), shape})


def to_plain(value: Any) -> Any:
    """Return a value of a result as Python's lists, dictionaries and numbers."""
    if isinstance(value, Flags):
        return list(value)
    if isinstance(value, Result):
        return value.to_dict()
    value = value._asdict() if hasattr(value, "_asdict") else _open(value)
    if isinstance(value, Mapping):
        return {key: to_plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(map(to_plain, value))
    return value.tolist() if _is_array(value) and value.dtype.kind not in "mM" else value


def _equal(a: Any, b: Any) -> bool:
    """Return whether two values are equal, arrays by their items, NaN to NaN."""
    a, b = _open(a), _open(b)
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        a, b = np.asarray(a), np.asarray(b)
        return bool(np.array_equal(a, b, equal_nan=a.dtype.kind in "fc" and b.dtype.kind in "fc"))
    if isinstance(a, Mapping) and isinstance(b, Mapping) and not isinstance(a, Result):
        return a.keys() == b.keys() and all(_equal(a[key], b[key]) for key in a)
    if isinstance(a, (tuple, list)) and isinstance(b, (tuple, list)) and not isinstance(a, Result):
        return len(a) == len(b) and all(map(_equal, a, b))
    return bool(a == b or (isinstance(a, float) and isinstance(b, float) and np.isnan(a) and np.isnan(b)))


def _hashable(value: Any) -> Any:
    """Return something to hash that is equal where ``_equal`` holds."""
    if isinstance(value, np.ndarray) and value.ndim:
        if value.dtype.kind not in "biuf":
            return _hashable(value.tolist())
        numbers = value.astype(np.float64) + 0.0
        return value.shape, np.where(np.isnan(numbers), np.nan, numbers).tobytes()
    if isinstance(value, np.ndarray):
        return _hashable(value.item())
    value = _open(value)
    if isinstance(value, Mapping) and not isinstance(value, Result):
        return frozenset((key, _hashable(item)) for key, item in value.items())
    if isinstance(value, (tuple, list)) and not isinstance(value, Result):
        return tuple(map(_hashable, value))
    return "nan" if isinstance(value, float) and np.isnan(value) else value


# ---- batches and curves
def batch_table(title: str, shape: tuple[int, ...], columns: Mapping[str, Any], **rest: Any) -> Table:
    """Return the first of a batch of features, a row each, under the shape of the batch."""
    size = int(np.prod(shape))
    many = min(size, MAX_ROWS)
    parts = [_first_values(values, shape, many) for values in columns.values()]
    places = [", ".join(map(str, map(int, np.unravel_index(place, shape)))) for place in range(many)]
    rows = [[place, *cells] for place, cells in zip(places, zip(*parts, strict=True), strict=True)]
    cut = [f"The first {many} of {size} features."] if many < size else []
    rest["notes"] = [*cut, *rest.get("notes", ())]
    return Table(f"{title}, batch of shape {shape}", ["feature", *columns], rows, **rest)


def _first_values(values: ArrayLike, shape: tuple[int, ...], many: int) -> list[Any]:
    """Return the first values of a batch, or those that are already but the first."""
    array = np.asarray(values)
    wide = array if array.shape in {shape, (many,)} else np.broadcast_to(array, shape)
    return wide.flat[:many].tolist()


def curve_table(title: str, columns: Mapping[str, ArrayLike], **rest: Any) -> Table:
    """Return rows of a long table, spread from its first to its last."""
    arrays = [np.asarray(values) for values in columns.values()]
    last = len(arrays[0]) - 1
    places = sorted({round(last * part / (MAX_ROWS - 1)) for part in range(MAX_ROWS)}) if last >= 0 else []
    return Table(title, list(columns), [[array[place].item() for array in arrays] for place in places], **rest)


FLAG_DESCRIPTIONS = {
    "always_negative": "no threshold does better than never predicting positive; the threshold is +inf "
    "(-inf when positives lie lower)",
    "always_positive": "no threshold does better than always predicting positive; the threshold is -inf "
    "(+inf when positives lie lower)",
    "auto_direction": "direction='auto' was resolved here; resolved by a sample, it makes the AUC optimistic",
    "constant": "all values are equal: the feature tells nothing",
    "dropped_resamples": "the family could not be fitted to some resamples, and these were left out",
    "fallback": "the method asked for sees no spread here, which is not to be taken for none: another stands in",
    "identical": "both classes have the same distribution: every threshold is as good as chance",
    "infinite": "infinite values, or a spread beyond the range of float64: there are no moments to predict from",
    "label_leakage": "each class has one value, and these differ: the feature may be the label itself",
    "misfit": "the empirical curve lies further from the predicted one than chance allows: trust what was counted",
    "no_benefit": "no threshold has an Ameans above 1/2",
    "no_discordant_pairs": "both predictions are right or wrong on the same rows: nothing to test, p is 1",
    "no_values": "a class has no value of this feature: nothing is known of it",
    "not_numeric": "the column holds no numbers (text, dates): it was not screened",
    "opposite_sides": "one AUC lies above 1/2 and the other below: two features may point opposite ways; of one "
    "feature the means, and with them the direction, contradict the ranks",
    "pairing_unknown": "whether the curves are of the same cases is not known; they were tested as of different ones",
    "perfect_reversal": "every positive lies on the negative side of every negative: the AUC is 0",
    "perfect_separation": "a threshold exists with TPR = 1 and FPR = 0, to double precision",
    "point_mass": "a class has a standard deviation of 0: all its values are equal",
    "same_curve": "the curves place every case alike: there is no difference to test, and p is 1",
    "single_case": "a class has one case only: how that class varies cannot be seen",
    "interval_extended": "the interval of the rows does not hold the estimate; it was widened up to it",
    "too_few": "a class has a single value of this feature: its spread cannot be seen, and nothing is predicted",
    "undefined": "the measure is 0/0 here: nothing is known of it, and its interval is all of [0, 1]",
}
"""Every flag that a result can carry, and what it says; docs/flags.md says when."""


class Flags(Result, Mapping[str, NDArray[np.bool_]]):
    """Name the stated outcomes that hold; ``flags[name]`` tells for which features.

    Iterating gives the names that hold for at least one feature, so that for a single feature
    ``"always_positive" in flags``, ``list(flags)`` and ``if flags`` read as with a plain set of names.

    Examples
    --------
    >>> flags = Flags(identical=[True, False], no_benefit=[False, False])
    >>> flags
    Flags(identical: 1 of 2)
    >>> flags["identical"]
    array([ True, False])
    >>> "no_benefit" in flags
    False
    """

    __slots__ = ("_masks",)

    def __init__(self, **flags: ArrayLike) -> None:
        held = {name: np.asarray(mask, dtype=bool) for name, mask in flags.items()}
        unknown = held.keys() - FLAG_DESCRIPTIONS.keys()
        if unknown:
            raise KeyError(f"flags without a stated meaning: {sorted(unknown)}")
        self._masks = {name: held[name] for name in sorted(held) if held[name].any()}

    def reshape(self, shape: tuple[int, ...]) -> Flags:
        """Return the same flags for features in another shape."""
        return Flags(
            **{name: np.broadcast_to(mask, np.size(mask)).reshape(shape) for name, mask in self._masks.items()}
        )

    def __getitem__(self, name: str) -> NDArray[np.bool_]:
        return self._masks[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._masks)

    def __len__(self) -> int:
        return len(self._masks)

    def __or__(self, other: Flags) -> Flags:
        names = self.keys() | other.keys()
        return Flags(**{name: self._masks.get(name, False) | other._masks.get(name, False) for name in names})

    def messages(self) -> list[str]:
        """Return what each flag says, with the number of features where there are several."""
        return [f"{name}{_format_count(mask)}: {FLAG_DESCRIPTIONS[name]}" for name, mask in self.items()]

    def table(self) -> Table:
        """Return the meaning of each flag."""
        rows = [[f"{name}{_format_count(mask)}", FLAG_DESCRIPTIONS[name]] for name, mask in self.items()]
        return Table("Flags", ("flag", "meaning"), rows, notes=[] if rows else ["Nothing to state."])

    def to_dict(self) -> dict[str, Any]:
        """Return for each flag the features that have it."""
        return {name: mask.tolist() for name, mask in self.items()}

    def _columns(self) -> Mapping[str, Any]:
        return {"flag": list(self), "features": [int(mask.sum()) for mask in self._masks.values()]}

    def _compared(self) -> Mapping[str, Any]:
        return self._masks

    def __getstate__(self) -> Any:
        return None, {"_masks": self._masks}

    __eq__, __hash__ = Result.__eq__, Result.__hash__  # not those of Mapping

    def __repr__(self) -> str:
        shown = [name if mask.ndim == 0 else f"{name}: {mask.sum()} of {mask.size}" for name, mask in self.items()]
        return f"Flags({', '.join(shown)})"


def _format_count(mask: NDArray[np.bool_]) -> str:
    return f" ({mask.sum()} of {mask.size} features)" if mask.ndim else ""


ProportionMethod: TypeAlias = Literal["clopper-pearson", "wilson"]
PROPORTION_METHODS: tuple[ProportionMethod, ...] = get_args(ProportionMethod)


@dataclass(frozen=True, eq=False, repr=False)
class Interval(Result, Generic[Value]):
    """Confidence interval with its estimate.

    It unpacks into its ends: ``low, high = interval``; ``value in interval`` tells whether a value lies inside.

    Attributes
    ----------
    low, high : float or array of shape F
    level : float
        The confidence level, such as 0.95.
    method : str
        What made the interval.
    estimate : float or array of shape F
        What the interval is about.
    flags : Flags
        Stated outcomes of degenerate inputs.
    """

    low: Value
    high: Value
    level: float
    method: str
    estimate: Value
    flags: Flags = field(default_factory=Flags)
    _listed = ("estimate", "low", "high", "level", "method", "flags")
    _tabled = ("estimate", "low", "high")
    _text = "{low:.6g} to {high:.6g}, level={level:g}, method={method!r}{flag_text}"
    _text_batch = "shape={batch_shape}, level={level:g}, method={method!r}{flag_text}"
    _heading = "Interval of level {level:g} by {method}"

    @property
    def width(self) -> Value:
        """Difference high - low."""
        return to_scalar(np.subtract(self.high, self.low))

    def __iter__(self) -> Iterator[Value]:
        return iter((self.low, self.high))

    def __contains__(self, value: ArrayLike) -> bool:
        return bool(np.all((self.low <= np.asarray(value)) & (np.asarray(value) <= self.high)))


def check_confidence_level(level: ArrayLike) -> float:
    """Return a confidence level as a float, or refuse what is not inside (0, 1)."""
    return check_probability("level", level, ends=False)


def normal_critical_value(level: float) -> float:
    """Return the normal quantile that leaves half of 1 - level above it."""
    return float(-ndtri((1 - level) / 2))


def zero_variance_interval(
    estimate: FloatArray, class_sizes: tuple[ArrayOrFloat, ArrayOrFloat], level: float
) -> tuple[FloatArray, FloatArray]:
    """Return the ends of an area where no spread was seen, by how many unlike cases there can be all the same.

    The smaller class has n cases, so there are n pairs of a negative and a positive that share no case. All were
    alike: others can be at most a share of 1 - ((1 - level)/2)^(1/n) (Clopper and Pearson 1934), all on one side at
    the worst.
    """
    seen = ((1 - level) / 2) ** (1 / np.minimum(*class_sizes))
    return np.asarray(estimate * seen), np.asarray(1 - (1 - estimate) * seen)


@overload
def proportion_interval(
    successes: float, n_trials: float, *, level: float = 0.95, method: ProportionMethod = "clopper-pearson"
) -> Interval[float]: ...
@overload
def proportion_interval(
    successes: ArrayLike, n_trials: ArrayLike, *, level: float = 0.95, method: ProportionMethod = "clopper-pearson"
) -> Interval[FloatArray]: ...
def proportion_interval(
    successes: ArrayLike, n_trials: ArrayLike, *, level: float = 0.95, method: ProportionMethod = "clopper-pearson"
) -> Interval[Any]:
    """Return the interval of a proportion.

    Parameters
    ----------
    successes, n_trials : float or array
        Cases with the property, and all cases: 0 <= successes <= n_trials, n_trials above 0. Weights may make them
        fractions.
    level : float
    method : {"clopper-pearson", "wilson"}
        Exact (Clopper and Pearson 1934): covers at least ``level``, whatever the proportion. Wilson's score
        interval (1927): covers ``level`` on the average over proportions, and is narrower.

    Returns
    -------
    Interval
        Of the shape of the counts.

    Raises
    ------
    RocPredictError
        Counts below 0 or above their total, a total of 0, a level outside (0, 1), an unknown method.

    Examples
    --------
    >>> proportion_interval(9, 10)
    Interval(0.554984 to 0.997471, level=0.95, method='clopper-pearson')
    >>> proportion_interval(9, 10, method="wilson")
    Interval(0.59585 to 0.982124, level=0.95, method='wilson')
    """
    level = check_confidence_level(level)
    check_option("method", method, PROPORTION_METHODS)
    successes, n_trials = broadcast_arrays(
        successes=check_nonnegative("successes", successes), n_trials=check_nonnegative("n_trials", n_trials)
    )
    if (successes > n_trials).any() or (n_trials == 0).any():
        raise RocPredictError(
            f"successes={short_repr(successes.tolist())} and n_trials={short_repr(n_trials.tolist())}: successes must "
            "be no more than n_trials, and n_trials above 0"
        )
    ends = (
        clopper_pearson(successes, n_trials, level)
        if method == "clopper-pearson"
        else wilson(successes, n_trials, level)
    )
    low, high = (to_scalar(end) for end in ends)
    return Interval(low, high, level, method, to_scalar(successes / n_trials))


def clopper_pearson(successes: FloatArray, n_trials: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Return the ends of the exact interval of count/total."""
    tail = (1 - level) / 2
    none, all_of_them = successes == 0, successes == n_trials
    low = np.where(none, 0.0, betaincinv(np.where(none, 1.0, successes), n_trials - successes + 1, tail))
    rest = np.where(all_of_them, 1.0, n_trials - successes)
    return low, np.where(all_of_them, 1.0, betaincinv(successes + 1, rest, 1 - tail))


def wilson(successes: FloatArray, n_trials: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Return the ends of the score interval of count/total."""
    z = normal_critical_value(level)
    share, square = successes / n_trials, z * z / n_trials
    middle = (share + square / 2) / (1 + square)
    half = z * np.sqrt(share * (1 - share) / n_trials + square / (4 * n_trials)) / (1 + square)
    low, high = np.maximum(middle - half, 0), np.minimum(middle + half, 1)
    return np.where(successes == 0, 0.0, low), np.where(successes == n_trials, 1.0, high)


def to_json(value: Any) -> str:
    """Write a result as JSON: NaN as null, infinities as the strings "inf" and "-inf"."""
    return json.dumps(to_json_value(value), indent=2, allow_nan=False, ensure_ascii=False)


def label_to_text(value: Any) -> str:
    """Return a label or a cell as text: dates and times as ISO 8601."""
    if isinstance(value, (date, time)):
        return value.isoformat()
    return value.decode(errors="backslashreplace") if isinstance(value, bytes) else str(value)


def to_json_value(value: Any) -> Any:
    """Return a result as what JSON can hold; what it cannot, such as dates, as text."""
    if isinstance(value, Mapping):
        return {str(key): to_json_value(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return to_json_value(value.tolist())
    if isinstance(value, (list, tuple)):
        return [to_json_value(item) for item in value]
    if isinstance(value, np.generic) and value.dtype.kind not in "mM":
        return to_json_value(value.item())
    if isinstance(value, float) and not np.isfinite(value):
        return None if np.isnan(value) else str(value)
    return value if value is None or isinstance(value, (str, int, float)) else label_to_text(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.number)) and not isinstance(value, (bool, np.timedelta64))


def _escape_markdown(text: str) -> str:
    """Return text that Markdown takes as it stands in one cell."""
    return _MARKUP.sub(r"\\\g<0>", escape_control_characters(text))


def _markdown_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(map(_escape_markdown, cells)) + " |"
