"""One column of a table as numbers."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Complex, Number, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocpredict.arguments import is_missing, shown, to_floats
from rocpredict.errors import RocPredictError


def as_numbers(name: str, values: NDArray[Any]) -> NDArray[Any] | None:
    """Give a column as floats, NaN for what is missing, or None where it holds text, dates or the like.

    Raises
    ------
    RocPredictError
        Complex numbers, integers that float64 cannot tell apart, numbers and other things in one column.
    """
    if isinstance(values, np.ma.MaskedArray):
        return _unmasked(name, values)
    if values.dtype.kind == "O":
        return _from_objects(name, values)
    if values.dtype.kind == "c":
        raise RocPredictError(f"column {name!r} holds complex numbers; real numbers are needed")
    if values.dtype.kind not in "biuf":
        return None
    if values.dtype.kind == "f" and values.dtype.itemsize <= 8:
        return values
    return to_floats(f"column {name!r}", values)


def is_text(values: NDArray[Any]) -> bool:
    """Tell a column that holds something, and no number."""
    if values.dtype.kind != "O":
        return values.dtype.kind not in "biufc"
    items = values[~np.ma.getmaskarray(values)]
    return any(map(_is_word, items)) and not any(_is_number(item) and not is_missing(item) for item in items)


def _unmasked(name: str, values: np.ma.MaskedArray[Any, Any]) -> NDArray[Any] | None:
    mask = np.ma.getmaskarray(values)
    plain = np.asarray(values.filled(0) if values.dtype.kind in "iuO" else values.data)  # under a mask lies no number
    held = as_numbers(name, plain)
    if held is None:
        return None
    floats = held.astype(np.float64)
    floats[mask] = np.nan
    return floats


def _from_objects(name: str, values: NDArray[Any]) -> NDArray[Any] | None:
    """Give a column of objects as numbers: Decimals, Fractions, None ..."""
    if is_text(values):
        return None
    are_numbers = np.fromiter(map(_is_number, values), dtype=bool, count=len(values))
    others = np.flatnonzero(~are_numbers)
    words = [row for row in others.tolist() if _is_word(values[row])]
    if not words:
        plain = values.copy()
        plain[others] = None
        return to_floats(f"column {name!r}", plain)
    if any(isinstance(values[row], Complex) for row in words):
        raise RocPredictError(f"column {name!r} holds complex numbers; real numbers are needed")
    raise RocPredictError(
        f"column {name!r} holds {shown(values[words[0]])} at row {words[0]}, which is not a number, among numbers; "
        "correct it, or leave the column out"
    )


def _is_number(item: Any) -> bool:
    return isinstance(item, (float, int, Real, np.bool_)) or (
        isinstance(item, Number) and not isinstance(item, Complex)
    )


def _is_word(item: Any) -> bool:
    """Tell what is neither number nor missing."""
    return not _is_number(item) and (isinstance(item, Iterable) or not is_missing(item))
