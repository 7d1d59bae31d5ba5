"""Numbers, lists and labels as text, and results as JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date, time
from html import escape
from typing import Any

import numpy as np

_MAX_CHARS = 500
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


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
    all_items = list(items)
    texts = [truncate(str(item), width) for item in all_items[:most]]
    return ", ".join(texts) + (f", ... ({len(all_items)} in all)" if len(all_items) > most else "")


def truncate(text: str, width: int = _MAX_CHARS) -> str:
    """Return text on one line, with an end where it has too many letters."""
    text = " ".join(text.split())
    return text if len(text) <= width else f"{text[: width - 3]}..."


def escape_html(value: object) -> str:
    """Escape text, show what cannot be seen, and isolate its direction."""
    return f"<bdi>{escape(escape_control_characters(truncate(str(value))))}</bdi>"


def escape_control_characters(text: str) -> str:
    """Escape what would break a line, speak to a terminal or fit no file."""
    return _CONTROL.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


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


def is_number(value: Any) -> bool:
    """Return whether a cell is a number, and neither a boolean nor a duration."""
    return isinstance(value, (int, float, np.number)) and not isinstance(value, (bool, np.timedelta64))
