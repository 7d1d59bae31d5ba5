"""A screening as a frame or a file."""

from __future__ import annotations

import io
from collections.abc import Mapping
from datetime import date, time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocpredict.arguments import shown
from rocpredict.errors import RocPredictError
from rocpredict.files import as_csv, write_whole
from rocpredict.frames import or_none, to_frame

__all__ = ["to_csv", "to_frame", "to_parquet"]

Columns = Mapping[str, NDArray[Any]]


def to_csv(columns: Columns, path: Any = None) -> str | None:
    """Write columns as CSV with every digit; what is undefined is an empty cell, dates are ISO text.

    Names and annotations that a spreadsheet would take for a formula get an apostrophe in front; see ``as_csv``.
    """
    text = as_csv([columns, *zip(*(_cells(values) for values in columns.values()), strict=True)])
    if path is None:
        return text
    _write(path, text)
    return None


def to_parquet(columns: Columns, path: Any) -> None:
    """Write columns as a Parquet file."""
    try:
        frame = to_frame(columns, "polars")
    except RocPredictError:
        raise RocPredictError("Parquet needs polars: pip install 'rocpredict[frames]'") from None
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    _write(path, buffer.getvalue())


def _write(path: Any, content: str | bytes) -> None:
    """Write into a file of this name, or into one that is open."""
    if not hasattr(path, "write"):
        write_whole(path, content)
        return
    try:
        path.write(content)
    except TypeError:
        kind = "text" if isinstance(content, str) else "bytes"
        raise RocPredictError(f"path={shown(path)} does not take {kind}; give the name of a file") from None


def _cells(values: NDArray[Any]) -> list[Any]:
    if values.dtype.kind in "mM":
        return _times(values)
    if values.dtype.kind == "O":
        return [_cell(or_none(item)) for item in values.tolist()]
    if values.dtype.kind == "f":
        return ["" if value != value else value for value in values.tolist()]  # noqa: PLR0124
    return list(values.tolist())


def _times(values: NDArray[Any]) -> list[str]:
    """Give dates, or times where not all are at midnight, as text."""
    there = values[~np.isnat(values)]
    days = values.dtype.kind == "M" and bool((there == there.astype("M8[D]")).all())
    texts = (values.astype("M8[D]") if days else values).astype(str).tolist()
    return ["" if text == "NaT" else text for text in texts]


def _cell(item: Any) -> Any:
    return "" if item is None else item.isoformat() if isinstance(item, (date, time)) else item
