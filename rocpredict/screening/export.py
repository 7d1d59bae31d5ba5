"""A screening as a frame, a file or a notebook's table."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocpredict.errors import RocPredictError
from rocpredict.files import write_whole
from rocpredict.frames import to_frame

__all__ = ["to_csv", "to_frame", "to_html", "to_parquet"]

Columns = Mapping[str, NDArray[Any]]


def to_csv(columns: Columns, path: Any = None) -> str | None:
    """Write columns as CSV with every digit; what is undefined is an empty cell."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*(_cells(values) for values in columns.values()), strict=True))
    if path is None:
        return file.getvalue()
    write_whole(path, file.getvalue())
    return None


def to_parquet(columns: Columns, path: Any) -> None:
    """Write columns as a Parquet file."""
    try:
        frame = to_frame({name: _typed(values) for name, values in columns.items()}, "polars")
    except RocPredictError:
        raise RocPredictError("Parquet needs polars: pip install 'rocpredict[frames]'") from None
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    write_whole(path, buffer.getvalue())


def to_html(table: Any, caption: str) -> str:
    """Draw some rows for a notebook."""
    names = table.shown_columns()
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    rows = zip(*(table[name] for name in names), strict=True)
    body = "".join(f"<tr>{''.join(f'<td>{escape(_shown(cell))}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><caption>{caption}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cells(values: NDArray[Any]) -> list[Any]:
    if values.dtype.kind != "f":
        return list(values.tolist())
    return ["" if np.isnan(value) else repr(value) for value in values.tolist()]


def _typed(values: NDArray[Any]) -> NDArray[Any]:
    return values.astype(str) if values.dtype.kind == "O" else values


def _shown(cell: Any) -> str:
    if isinstance(cell, (float, np.floating)):
        return "" if np.isnan(cell) else f"{cell:.4g}"
    return str(cell)
