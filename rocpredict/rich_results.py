"""What a result says of itself in a notebook: one small table and at most one picture, made in one place for all.

A result says by ``_shown`` what is to be seen; the page is made here. Colours are those of the notebook, nothing has an
id, nothing runs, and every text is escaped and isolated, so that no name can turn what stands around it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

MOST_ROWS = 10
"""Of a long table, in a notebook."""

_MOST_LETTERS = 500
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_LONG = 30
_SIDE = 220
_MARGIN = 10
_FLEX = "display:flex;flex-wrap:wrap;gap:1em;align-items:flex-start"
_TEXT = "text-align:left;overflow-wrap:break-word;min-width:7em;max-width:40em"
_CAPTION = "caption-side:top;text-align:left;font-weight:bold;overflow-wrap:break-word;min-width:22em"


@dataclass(frozen=True)
class Picture:
    """Draw curves in the unit square.

    Attributes
    ----------
    label : str
        What is to be seen, for those who do not see it.
    curves : sequence of pairs of arrays
        (x, y) of each curve; the first is drawn whole, others dashed.
    point : pair of float, optional
        Marked by a ring.
    chance : bool
        Whether the diagonal is drawn.
    """

    label: str
    curves: Sequence[tuple[ArrayLike, ArrayLike]]
    point: tuple[float, float] | None = None
    chance: bool = True


@dataclass(frozen=True)
class Shown:
    """Say what is to be seen of a result.

    Attributes
    ----------
    title : str
    rows : sequence of sequences
        The first cell names the row. Text, numbers, bools, or None for an empty cell.
    columns : sequence of str
        Above the rows; none where each row is a name and a value.
    notes : sequence of str
        Sentences below.
    flags : Flags, optional
        Put into words below.
    picture : Picture, optional
    """

    title: str
    rows: Sequence[Sequence[Any]]
    columns: Sequence[str] = ()
    notes: Sequence[str] = ()
    flags: Any = None
    picture: Picture | None = None


class Rich:
    """Show a result in a notebook, by what ``_shown`` says of it."""

    __slots__ = ()

    def _shown(self) -> Shown:
        raise NotImplementedError

    def _repr_html_(self) -> str:
        return to_html(self._shown())


# ---- words and numbers
def number(value: Any, digits: int = 5) -> str:
    """Write a number for reading: whole ones in full, NaN as undefined."""
    value = value.item() if isinstance(value, (np.generic, np.ndarray)) else value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return str(value) if abs(value) < 10**15 else f"{float(value):.{digits}g}"
    if np.isnan(value):
        return "undefined"
    return f"{value:.0f}" if value == np.round(value) and abs(value) < 10**9 else f"{value:.{digits}g}"


def between(low: Any, high: Any) -> str:
    """Write an interval."""
    return f"{number(low)} to {number(high)}"


def p_value(value: float) -> str:
    """Write a p-value."""
    return number(value, 3)


def listed(items: Iterable[Any], most: int = 6, width: int = 40) -> str:
    """Write the first items of a list, short, and how many there are."""
    held = list(items)
    words = [clipped(str(item), width) for item in held[:most]]
    return ", ".join(words) + (f", ... ({len(held)} in all)" if len(held) > most else "")


def clipped(text: str, width: int = _MOST_LETTERS) -> str:
    """Write text on one line, with an end where it has too many letters."""
    text = " ".join(text.split())
    return text if len(text) <= width else f"{text[: width - 3]}..."


# ---- batches
def of_batch(title: str, shape: tuple[int, ...], columns: Mapping[str, Any], **rest: Any) -> Shown:
    """Show the first of a batch of features, a row each, and the shape of the batch."""
    size = int(np.prod(shape))
    kept = min(size, MOST_ROWS)
    parts = [first_of(values, shape, kept) for values in columns.values()]
    rows = [[place, *cells] for place, cells in zip(_places(shape, kept), zip(*parts, strict=True), strict=True)]
    cut = [f"The first {kept} of {size} features."] if kept < size else []
    rest["notes"] = [*cut, *rest.get("notes", ())]
    return Shown(f"{title}, batch of shape {shape}", rows, ["feature", *columns], **rest)


def first_of(values: ArrayLike, shape: tuple[int, ...], kept: int) -> list[Any]:
    """Give the first values of a batch, or those that are already but the first."""
    array = np.asarray(values)
    wide = array if array.shape in {shape, (kept,)} else np.broadcast_to(array, shape)
    return wide.flat[:kept].tolist()


def _places(shape: tuple[int, ...], kept: int) -> list[str]:
    return [", ".join(map(str, map(int, np.unravel_index(place, shape)))) for place in range(kept)]


# ---- the page
def to_html(shown: Shown) -> str:
    """Make the page of what is to be seen."""
    body = _table(shown) if shown.picture is None else _beside(_svg(shown.picture), _table(shown))
    said = [*shown.notes, *(shown.flags.sentences() if shown.flags else ())]
    return f"<div>{body}{''.join(f'<p>{text(note)}</p>' for note in said)}</div>"


def text(words: object) -> str:
    """Escape text, show what cannot be seen, and isolate its direction."""
    return f"<bdi>{escape(visible(clipped(str(words))))}</bdi>"


def visible(words: str) -> str:
    """Give text on one line: what would break it, speak to a terminal or fit no file as its escape."""
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), words)


def _beside(picture: str, table: str) -> str:
    return f'<div style="{_FLEX}">{picture}{table}</div>'


def _table(shown: Shown) -> str:
    head = "".join(f'<th scope="col">{text(name)}</th>' for name in shown.columns)
    thead = f"<thead><tr>{head}</tr></thead>" if head else ""
    rows = "".join(map(_row, shown.rows))
    caption = f'<caption style="{_CAPTION}">{text(shown.title)}</caption>'
    return f"<table>{caption}{thead}<tbody>{rows}</tbody></table>"


def _row(cells: Sequence[Any]) -> str:
    name, *values = cells
    return f'<tr><th scope="row" style="{_wide(name)}">{text(name)}</th>{"".join(map(_cell, values))}</tr>'


def _cell(value: Any) -> str:
    if value is None:
        return "<td></td>"
    numeric = isinstance(value, (bool, int, float, np.number, np.bool_))
    return f"<td>{number(value)}</td>" if numeric else f'<td style="{_wide(value)}">{text(value)}</td>'


def _wide(words: object) -> str:
    """Keep long text from being squeezed into a column of single letters."""
    return _TEXT + (";min-width:14em" if len(str(words)) > _LONG else "")


# ---- the picture
def _svg(picture: Picture) -> str:
    parts = [_square()]
    if picture.chance:
        parts.append(_line([0, 1], [0, 1], 'stroke-opacity="0.4" stroke-dasharray="2 4"'))
    for index, (x, y) in enumerate(picture.curves):
        parts.append(_line(x, y, 'stroke-width="2"' + (' stroke-dasharray="6 4"' if index else "")))
    if picture.point is not None and np.isfinite(picture.point).all():
        x, y = _pixels(*picture.point)
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" stroke-width="2"/>')
    view = f'width="{_SIDE}" height="{_SIDE}" viewBox="0 0 {_SIDE} {_SIDE}"'
    label = escape(clipped(picture.label))
    return f'<svg role="img" aria-label="{label}" {view} fill="none" stroke="currentColor">{"".join(parts)}</svg>'


def _square() -> str:
    side = _SIDE - 2 * _MARGIN
    return f'<rect x="{_MARGIN}" y="{_MARGIN}" width="{side}" height="{side}" stroke-opacity="0.5"/>'


def _line(x: ArrayLike, y: ArrayLike, how: str) -> str:
    columns = _pixels(np.asarray(x, dtype=float), np.asarray(y, dtype=float))
    points = [f"{left:.1f},{top:.1f}" for left, top in zip(*columns, strict=True)]
    return f'<polyline points="{" ".join(dict.fromkeys(points))}" {how}/>'


def _pixels(x: Any, y: Any) -> tuple[Any, Any]:
    """Give places on the screen, whose y goes downward; what is undefined lies at an end."""
    side = _SIDE - 2 * _MARGIN
    x, y = (np.clip(np.nan_to_num(part), 0, 1) for part in (x, y))
    return _MARGIN + side * x, _SIDE - _MARGIN - side * y


def thinned(x: ArrayLike, y: ArrayLike, most: int = 241) -> tuple[Any, Any]:
    """Give a monotone curve with few enough points to draw, its ends and its corners among them."""
    x, y = np.asarray(x), np.asarray(y)
    if len(x) <= most:
        return x, y
    along = np.abs(np.diff(x)) + np.abs(np.diff(y))
    steps = np.append(0.0, np.cumsum(along))
    kept = np.unique(np.searchsorted(steps, np.linspace(0, steps[-1], most)))
    kept = np.unique(np.append(kept, (0, len(x) - 1)))
    return x[kept], y[kept]


def spread_rows(columns: Mapping[str, ArrayLike]) -> tuple[list[str], list[list[Any]]]:
    """Give rows of a long table, spread from its first to its last, under their names."""
    arrays = [np.asarray(values) for values in columns.values()]
    last = len(arrays[0]) - 1
    kept = sorted({round(last * part / (MOST_ROWS - 1)) for part in range(MOST_ROWS)}) if last >= 0 else []
    return list(columns), [[array[place].item() for array in arrays] for place in kept]
