"""Conversion of numbers, lists and labels to text, and of results to JSON.

Sentences, legends and reports show rates and AUCs with three decimals: "0.788 (95% CI 0.752 to 0.819)". More decimals
are shown if they are needed to distinguish an estimate from 0, from 1 and from the bounds of its interval. P-values are
shown as "p = 0.012", and p-values below 0.001 as "p < 0.001". Tables and reprs show numbers with six significant digits
and p-values with two: "4.8e-05". A rate is shown as 0 or 1 only if it is exactly 0 or 1.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date, time
from html import escape
from typing import Any

import numpy as np

_MAX_CHARS = 500
_MAX_DECIMALS = 6
_ROUNDING_ERROR = 1e-14
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def format_number(value: Any, digits: int = 6) -> str:
    """Format a number as text; integers of up to 15 digits are not rounded, and NaN becomes "undefined"."""
    value = value.item() if isinstance(value, (np.generic, np.ndarray)) else value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return str(value) if abs(value) < 10**15 else f"{float(value):.{digits}g}"
    if np.isnan(value):
        return "undefined"
    if value == np.round(value) and abs(value) < 10**9:
        return f"{value:.0f}"
    text = f"{value:.{digits}g}"
    return f">0.{'9' * digits}" if text == "1" and 1 - value > _ROUNDING_ERROR else text


def format_rate(value: float, decimals: int = 3) -> str:
    """Format a rate as text; 0 or 1 is shown only if the rate is exactly 0 or 1."""
    if value != value:  # noqa: PLR0124
        return "–"
    if 0 < value < 0.5 * 10.0**-decimals:
        return f"<{10.0**-decimals:.{decimals}f}"
    if value < 1 and f"{value:.{decimals}f}" == f"{1:.{decimals}f}":
        return f">{1 - 10.0**-decimals:.{decimals}f}"
    return f"{value:.{decimals}f}"


def count_decimals(estimate: float, low: float, high: float) -> int:
    """Return the number of decimals needed to distinguish a rate from 0, from 1 and from the bounds of its interval."""
    for decimals in range(3, _MAX_DECIMALS):
        text = f"{estimate:.{decimals}f}"
        if all(value == estimate or f"{value:.{decimals}f}" != text for value in (0, 1, low, high)):
            return decimals
    return _MAX_DECIMALS


def format_estimate(estimate: float, limits: Iterable[Any], level: float | None = None) -> str:
    """Format a rate and its interval, for example "0.788 (95% CI 0.752 to 0.819)"; ``level=None`` omits the level."""
    low, high = limits
    if low != low or high != high:  # noqa: PLR0124
        return format_rate(estimate)
    decimals = count_decimals(estimate, low, high)
    texts = [format_rate(value, decimals) for value in (estimate, low, high)]
    name = "" if level is None else f"{format_level(level)} CI "
    return f"{texts[0]} ({name}{texts[1]} to {texts[2]})"


def format_interval(low: Any, high: Any, form: Callable[[Any], str] = format_number) -> str:
    """Format the bounds of an interval."""
    return "undefined" if low != low or high != high else f"{form(low)} to {form(high)}"  # noqa: PLR0124


def format_level(level: float) -> str:
    """Format a confidence level in percent."""
    return f"{100 * level:g}%"


def format_p_value(value: float) -> str:
    """Format a p-value with two significant digits, for tables."""
    return "<1e-300" if value < 1e-300 else format_number(value, 2)


def format_p_statement(value: float, name: str = "p") -> str:
    """Format a p-value for a sentence, such as "p = 0.012" or "p < 0.001"."""
    if value < 0.001:
        return f"{name} < 0.001"
    if 0.995 <= value < 1:
        return f"{name} > 0.99"
    return f"{name} = {value:.{3 if value < 0.1 else 2}f}" if value < 1 else f"{name} = 1"


def pluralize(count: float, noun: str) -> str:
    """Format a count with its noun, such as "2 rows"."""
    return f"{count:,.10g} {noun}" + ("" if count == 1 else "s")


def format_list(items: Iterable[Any], most: int = 6, width: int = 40) -> str:
    """Format the first items of a list, followed by the total number of items if some are omitted."""
    all_items = list(items)
    texts = [truncate(str(item), width) for item in all_items[:most]]
    return ", ".join(texts) + (f", ... ({len(all_items)} in all)" if len(all_items) > most else "")


def truncate(text: str, width: int = _MAX_CHARS) -> str:
    """Return text on one line, cut to ``width`` characters."""
    text = " ".join(text.split())
    return text if len(text) <= width else f"{text[: width - 3]}..."


def escape_html(value: object) -> str:
    """Escape text for HTML, make control characters visible, and isolate the writing direction of the text."""
    return f"<bdi>{escape(escape_control_characters(truncate(str(value))))}</bdi>"


def escape_control_characters(text: str) -> str:
    """Escape line breaks, terminal control characters and characters that cannot be encoded."""
    return _CONTROL.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def to_json(value: Any) -> str:
    """Convert a result to JSON, with NaN as null and infinities as the strings "inf" and "-inf"."""
    return json.dumps(to_json_value(value), indent=2, allow_nan=False, ensure_ascii=False)


def label_to_text(value: Any) -> str:
    """Convert a label or a cell to text, with dates and times in ISO 8601 format."""
    if isinstance(value, (date, time)):
        return value.isoformat()
    return value.decode(errors="backslashreplace") if isinstance(value, bytes) else str(value)


def to_json_value(value: Any) -> Any:
    """Convert a result to values that JSON supports; unsupported values, such as dates, become text."""
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
    """Return whether a cell is a number; booleans and durations do not count as numbers."""
    return isinstance(value, (int, float, np.number)) and not isinstance(value, (bool, np.timedelta64))
