"""A table of features as named columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from rocpredict.arguments import shown
from rocpredict.errors import RocPredictError


def as_columns(X: Any, names: Iterable[str] | None = None) -> dict[str, Any]:
    """Return the columns of an array or frame by name: "x0", "x1", ... where they have none.

    Raises
    ------
    RocPredictError
        What is no table or ragged, has not two axes or no columns, another number of names than columns, a name twice.
    """
    own = getattr(X, "column_names", None)  # pyarrow's; its .columns are the values
    own = getattr(X, "columns", None) if own is None else own
    array = None if own is not None else _as_array(X)
    width = len(own) if array is None else array.shape[1]  # type: ignore[arg-type]
    own = as_names(None, width) if own is None else list(own)
    _refuse_twice([str(name) for name in own])
    called = as_names(names, width) if names is not None else [str(name) for name in own]
    return {name: X[own[k]] if array is None else array[:, k] for k, name in enumerate(called)}


def _as_array(X: Any) -> Any:
    try:
        array = X if isinstance(X, np.ndarray) else np.asarray(X)  # a masked array keeps its mask
    except ValueError:
        raise RocPredictError("X is ragged: its rows have different lengths") from None
    if array.ndim == 0:
        raise RocPredictError(f"X={shown(X)} is not a table; give a dense array or frame of shape (n, features)")
    if array.ndim != 2 or not array.size:
        raise RocPredictError(f"X has shape {array.shape}; give (n, features), with rows and columns")
    return array


def in_order(X: Any, names: Sequence[str]) -> list[Any]:
    """Return the columns that these names ask for: of a frame by name, of an array by place."""
    columns = as_columns(X)
    if hasattr(X, "columns"):
        missing = [name for name in names if name not in columns]
        if missing:
            raise RocPredictError(f"X has no column {shown(missing[0])}; the combination takes {shown(list(names))}")
        return [columns[name] for name in names]
    if len(columns) != len(names):
        raise RocPredictError(f"X has {len(columns)} columns; the combination takes {len(names)}: {shown(list(names))}")
    return list(columns.values())


def as_names(names: Iterable[str] | None, width: int) -> list[str]:
    """Return one name for each column, "x0", "x1", ... if none are given."""
    if names is None:
        return [f"x{k}" for k in range(width)]
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise RocPredictError(f"feature_names={shown(names)} is not a list of names; give one for each column")
    listed = [str(name) for name in names]
    if len(listed) != width:
        raise RocPredictError(f"feature_names has {len(listed)} names for {width} features; give one for each")
    _refuse_twice(listed)
    return listed


def _refuse_twice(names: list[str]) -> None:
    name, times = Counter(names).most_common(1)[0] if names else ("", 0)
    if times == 0:
        raise RocPredictError("X has no columns; give one or more features")
    if times > 1:
        raise RocPredictError(f"X has {times} columns called {name!r}; give each its own name")
