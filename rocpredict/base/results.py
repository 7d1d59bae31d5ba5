"""Intervals, flags, tables and the display of results."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, time
from html import escape
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv, ndtri

from rocpredict.base.files import format_csv
from rocpredict.base.validation import (
    ArrayOrFloat,
    FloatArray,
    RocPredictError,
    broadcast_arrays,
    check_nonnegative,
    check_option,
    check_probability,
    short_repr,
    to_scalar,
)

MAX_ROWS = 10
"""Of a long table, in a notebook."""
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


@dataclass(frozen=True)
class ResultSummary:
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
    picture: CurvePlot | None = None


class Result:
    """Show a result in a notebook, by what ``_summary`` says of it."""

    __slots__ = ()

    def _summary(self) -> ResultSummary:
        raise NotImplementedError

    def _repr_html_(self) -> str:
        return to_html(self._summary())


# ---- words and numbers
def format_number(value: Any, digits: int = 5) -> str:
    """Write a number for reading: whole ones in full, NaN as undefined."""
    value = value.item() if isinstance(value, (np.generic, np.ndarray)) else value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return str(value) if abs(value) < 10**15 else f"{float(value):.{digits}g}"
    if np.isnan(value):
        return "undefined"
    return f"{value:.0f}" if value == np.round(value) and abs(value) < 10**9 else f"{value:.{digits}g}"


def format_interval(low: Any, high: Any) -> str:
    """Write an interval."""
    return f"{format_number(low)} to {format_number(high)}"


def format_p_value(value: float) -> str:
    """Write a p-value."""
    return format_number(value, 3)


def format_list(items: Iterable[Any], most: int = 6, width: int = 40) -> str:
    """Write the first items of a list, short, and how many there are."""
    held = list(items)
    words = [truncate(str(item), width) for item in held[:most]]
    return ", ".join(words) + (f", ... ({len(held)} in all)" if len(held) > most else "")


def truncate(text: str, width: int = _MOST_LETTERS) -> str:
    """Write text on one line, with an end where it has too many letters."""
    text = " ".join(text.split())
    return text if len(text) <= width else f"{text[: width - 3]}..."


# ---- batches
def batch_summary(title: str, shape: tuple[int, ...], columns: Mapping[str, Any], **rest: Any) -> ResultSummary:
    """Show the first of a batch of features, a row each, and the shape of the batch."""
    size = int(np.prod(shape))
    kept = min(size, MAX_ROWS)
    parts = [first_values(values, shape, kept) for values in columns.values()]
    rows = [[place, *cells] for place, cells in zip(_index_labels(shape, kept), zip(*parts, strict=True), strict=True)]
    cut = [f"The first {kept} of {size} features."] if kept < size else []
    rest["notes"] = [*cut, *rest.get("notes", ())]
    return ResultSummary(f"{title}, batch of shape {shape}", rows, ["feature", *columns], **rest)


def first_values(values: ArrayLike, shape: tuple[int, ...], kept: int) -> list[Any]:
    """Give the first values of a batch, or those that are already but the first."""
    array = np.asarray(values)
    wide = array if array.shape in {shape, (kept,)} else np.broadcast_to(array, shape)
    return wide.flat[:kept].tolist()


def _index_labels(shape: tuple[int, ...], kept: int) -> list[str]:
    return [", ".join(map(str, map(int, np.unravel_index(place, shape)))) for place in range(kept)]


# ---- the page
def to_html(shown: ResultSummary) -> str:
    """Make the page of what is to be seen."""
    body = _table(shown) if shown.picture is None else _side_by_side(_svg(shown.picture), _table(shown))
    said = [*shown.notes, *(shown.flags.messages() if shown.flags else ())]
    return f"<div>{body}{''.join(f'<p>{escape_html(note)}</p>' for note in said)}</div>"


def escape_html(words: object) -> str:
    """Escape text, show what cannot be seen, and isolate its direction."""
    return f"<bdi>{escape(escape_control_characters(truncate(str(words))))}</bdi>"


def escape_control_characters(words: str) -> str:
    """Give text on one line: what would break it, speak to a terminal or fit no file as its escape."""
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), words)


def _side_by_side(picture: str, table: str) -> str:
    return f'<div style="{_FLEX}">{picture}{table}</div>'


def _table(shown: ResultSummary) -> str:
    head = "".join(f'<th scope="col">{escape_html(name)}</th>' for name in shown.columns)
    thead = f"<thead><tr>{head}</tr></thead>" if head else ""
    rows = "".join(map(_row, shown.rows))
    caption = f'<caption style="{_CAPTION}">{escape_html(shown.title)}</caption>'
    return f"<table>{caption}{thead}<tbody>{rows}</tbody></table>"


def _row(cells: Sequence[Any]) -> str:
    name, *values = cells
    return f'<tr><th scope="row" style="{_cell_style(name)}">{escape_html(name)}</th>{"".join(map(_cell, values))}</tr>'


def _cell(value: Any) -> str:
    if value is None:
        return "<td></td>"
    numeric = isinstance(value, (bool, int, float, np.number, np.bool_))
    return (
        f"<td>{format_number(value)}</td>" if numeric else f'<td style="{_cell_style(value)}">{escape_html(value)}</td>'
    )


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
    """Give places on the screen, whose y goes downward; what is undefined lies at an end."""
    side = _PLOT_SIZE - 2 * _MARGIN
    x, y = (np.clip(np.nan_to_num(part), 0, 1) for part in (x, y))
    return _MARGIN + side * x, _PLOT_SIZE - _MARGIN - side * y


def thin_curve(x: ArrayLike, y: ArrayLike, most: int = 241) -> tuple[Any, Any]:
    """Give a monotone curve with few enough points to draw, its ends and its corners among them."""
    x, y = np.asarray(x), np.asarray(y)
    if len(x) <= most:
        return x, y
    along = np.abs(np.diff(x)) + np.abs(np.diff(y))
    steps = np.append(0.0, np.cumsum(along))
    kept = np.unique(np.searchsorted(steps, np.linspace(0, steps[-1], most)))
    kept = np.unique(np.append(kept, (0, len(x) - 1)))
    return x[kept], y[kept]


def sample_rows(columns: Mapping[str, ArrayLike]) -> tuple[list[str], list[list[Any]]]:
    """Give rows of a long table, spread from its first to its last, under their names."""
    arrays = [np.asarray(values) for values in columns.values()]
    last = len(arrays[0]) - 1
    kept = sorted({round(last * part / (MAX_ROWS - 1)) for part in range(MAX_ROWS)}) if last >= 0 else []
    return list(columns), [[array[place].item() for array in arrays] for place in kept]


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
        """Give the same flags for features in another shape."""
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
        """Give what each flag says, with the number of features where there are several."""
        return [f"{name}{_format_count(mask)}: {FLAG_DESCRIPTIONS[name]}" for name, mask in self.items()]

    def _summary(self) -> ResultSummary:
        rows = [[f"{name}{_format_count(mask)}", FLAG_DESCRIPTIONS[name]] for name, mask in self.items()]
        return ResultSummary("Flags", rows, notes=[] if rows else ["Nothing to state."])

    def __repr__(self) -> str:
        shown = [name if mask.ndim == 0 else f"{name}: {mask.sum()} of {mask.size}" for name, mask in self.items()]
        return f"Flags({', '.join(shown)})"


def _format_count(mask: NDArray[np.bool_]) -> str:
    return f" ({mask.sum()} of {mask.size} features)" if mask.ndim else ""


PROPORTION_METHODS = ("clopper-pearson", "wilson")


@dataclass(frozen=True, eq=False, repr=False)
class Interval(Result):
    """Hold an estimate and the interval about it.

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

    low: ArrayOrFloat
    high: ArrayOrFloat
    level: float
    method: str
    estimate: ArrayOrFloat
    flags: Flags = field(default_factory=Flags)

    @property
    def width(self) -> ArrayOrFloat:
        """Give high - low."""
        return to_scalar(np.subtract(self.high, self.low))

    def to_dict(self) -> dict[str, Any]:
        """Give the numbers by name."""
        numbers = {name: np.asarray(getattr(self, name)).tolist() for name in ("estimate", "low", "high")}
        return numbers | {"level": self.level, "method": self.method, "flags": list(self.flags)}

    def __iter__(self) -> Iterator[ArrayOrFloat]:
        return iter((self.low, self.high))

    def __contains__(self, value: ArrayLike) -> bool:
        return bool(np.all((self.low <= np.asarray(value)) & (np.asarray(value) <= self.high)))

    def _summary(self) -> ResultSummary:
        title = f"Interval of level {self.level:g} by {self.method}"
        if np.ndim(self.low):
            columns = {"estimate": self.estimate, "low": self.low, "high": self.high}
            return batch_summary(title, np.shape(self.low), columns, flags=self.flags)
        rows = [["estimate", self.estimate], ["low", self.low], ["high", self.high]]
        return ResultSummary(title, rows, flags=self.flags)

    def __repr__(self) -> str:
        if np.ndim(self.low):
            flags = f", {self.flags}" if self.flags else ""
            return f"Interval(shape={np.shape(self.low)}, level={self.level:g}, method={self.method!r}{flags})"
        flags = f", flags={list(self.flags)}" if self.flags else ""
        return f"Interval({self.low:.6g} to {self.high:.6g}, level={self.level:g}, method={self.method!r}{flags})"


def check_confidence_level(level: ArrayLike) -> float:
    """Return a confidence level as a float, or refuse what is not inside (0, 1)."""
    return check_probability("level", level, ends=False)


def normal_critical_value(level: float) -> float:
    """Give the normal quantile that leaves half of 1 - level above it."""
    return float(-ndtri((1 - level) / 2))


def zero_variance_interval(
    estimate: FloatArray, successes: tuple[ArrayOrFloat, ArrayOrFloat], level: float
) -> tuple[FloatArray, FloatArray]:
    """Give the ends of an area where no spread was seen, by how many unlike cases there can be all the same.

    The smaller class has n cases, so there are n pairs of a negative and a positive that share no case. All were
    alike: others can be at most a share of 1 - ((1 - level)/2)^(1/n) (Clopper and Pearson 1934), all on one side at
    the worst.
    """
    seen = ((1 - level) / 2) ** (1 / np.minimum(*successes))
    return np.asarray(estimate * seen), np.asarray(1 - (1 - estimate) * seen)


def proportion_interval(
    successes: ArrayLike, n_trials: ArrayLike, *, level: float = 0.95, method: str = "clopper-pearson"
) -> Interval:
    """Give the interval of a proportion.

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
    """Give the ends of the exact interval of count/total."""
    tail = (1 - level) / 2
    none, all_of_them = successes == 0, successes == n_trials
    low = np.where(none, 0.0, betaincinv(np.where(none, 1.0, successes), n_trials - successes + 1, tail))
    rest = np.where(all_of_them, 1.0, n_trials - successes)
    return low, np.where(all_of_them, 1.0, betaincinv(successes + 1, rest, 1 - tail))


def wilson(successes: FloatArray, n_trials: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Give the ends of the score interval of count/total."""
    z = normal_critical_value(level)
    share, square = successes / n_trials, z * z / n_trials
    middle = (share + square / 2) / (1 + square)
    half = z * np.sqrt(share * (1 - share) / n_trials + square / (4 * n_trials)) / (1 + square)
    low, high = np.maximum(middle - half, 0), np.minimum(middle + half, 1)
    return np.where(successes == 0, 0.0, low), np.where(successes == n_trials, 1.0, high)


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
            drawn.add_column(
                Text(escape_control_characters(column)), justify="right" if self._is_numeric(index) else "left"
            )
        for row in self._formatted_rows():
            drawn.add_row(*(Text(cell) for cell in row))
        console = Console(file=io.StringIO(), width=width, color_system=None, legacy_windows=False)
        console.print(Text(escape_control_characters(self.title)))
        console.print(drawn)
        for note in self.notes:
            console.print(Text(escape_control_characters(note)))
        text = console.file.getvalue()  # type: ignore[attr-defined]
        return "\n".join(line.rstrip() for line in text.splitlines())

    def to_markdown(self) -> str:
        """Write the table as Markdown."""
        lines = [
            f"**{_escape_markdown(self.title)}**",
            "",
            _markdown_row(self.columns),
            _markdown_row(["---"] * len(self.columns)),
        ]
        lines += [_markdown_row(row) for row in self._formatted_rows()]
        return "\n".join([*lines, *(f"\n{_escape_markdown(note)}" for note in self.notes)]) + "\n"

    def to_csv(self) -> str:
        """Write the table as CSV, with every digit."""
        rows = (["" if cell is None else cell for cell in to_json_value(row)] for row in self.rows)
        return format_csv([self.columns, *rows])

    def to_dict(self) -> dict[str, Any]:
        """Give the table as plain lists and dicts, ready for JSON."""
        rows = [dict(zip(self.columns, row, strict=True)) for row in self.rows]
        return {"title": self.title, "rows": to_json_value(rows), "notes": list(self.notes)}

    def _formatted_rows(self) -> list[list[str]]:
        return [
            [self._cell(column, value) for column, value in zip(self.columns, row, strict=True)] for row in self.rows
        ]

    def _cell(self, column: str, value: Any) -> str:
        if value is None:
            return ""
        if not _is_number(value):
            return escape_control_characters(label_to_text(value))
        return format(value, (self.formats or {}).get(column, ".6g"))

    def _is_numeric(self, index: int) -> bool:
        return all(row[index] is None or _is_number(row[index]) for row in self.rows)


def to_json(value: Any) -> str:
    """Write a result as JSON: NaN as null, infinities as the strings "inf" and "-inf"."""
    return json.dumps(to_json_value(value), indent=2, allow_nan=False, ensure_ascii=False)


def label_to_text(value: Any) -> str:
    """Give a label or a cell as text: dates and times as ISO 8601."""
    if isinstance(value, (date, time)):
        return value.isoformat()
    return value.decode(errors="backslashreplace") if isinstance(value, bytes) else str(value)


def to_json_value(value: Any) -> Any:
    """Give a result as what JSON can hold; what it cannot, such as dates, as text."""
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
    """Give text that Markdown takes as it stands in one cell."""
    return _MARKUP.sub(r"\\\g<0>", escape_control_characters(text))


def _markdown_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(map(_escape_markdown, cells)) + " |"
