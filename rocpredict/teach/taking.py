"""A user's table: which columns are features, which holds the labels, and in which units they are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocpredict.arguments import FloatArray, one_of, plain, shown
from rocpredict.errors import RocPredictError
from rocpredict.features import Features, table_and_labels
from rocpredict.teach.wording import as_text, text_or_none


def as_table(x: Any, y: Any, feature: Any) -> tuple[Features, NDArray[Any]]:
    """Take features of any form, those that are wanted, and a label for each row."""
    x, y = _without_labels(x, y)
    feature = plain(feature) if isinstance(feature, np.ndarray) else feature
    if _is_column(x):
        name = _own_name(x) if feature is None else feature
        if isinstance(name, (list, tuple)) and len(name) == 1:
            name = name[0]
        if name is not None and not isinstance(name, str):
            raise RocPredictError(f"feature={shown(feature)} is not one name; x holds one feature")
        return table_and_labels({"x" if name is None else name: x}, y)
    wanted = [feature] if isinstance(feature, str) else feature
    if wanted is None or not _has_names(x):
        table, labels = table_and_labels(x, y, names=wanted)
        return table.select(~table.not_numeric), labels
    table, labels = table_and_labels(x, y)
    return table.select(_places(table, wanted)), labels


def _own_name(x: Any) -> str | None:
    """Give the name that a Series brings along, as text."""
    name = getattr(x, "name", None)
    return as_text(name) if isinstance(name, (str, int, float, tuple, np.generic)) else None


def _without_labels(x: Any, y: Any) -> tuple[Any, Any]:
    """Part the column that y names, where the name is no text: of a frame of pandas, or of a mapping."""
    named = isinstance(y, (int, float, tuple, np.generic)) and not isinstance(y, (bool, str))
    if not named or list(x if isinstance(x, Mapping) else getattr(x, "columns", ())).count(y) != 1:
        return x, y
    if isinstance(x, Mapping):
        return {name: column for name, column in x.items() if name != y}, x[y]
    return x.drop(columns=[y]), x[y]


def _places(table: Features, wanted: Any) -> NDArray[np.intp]:
    if not isinstance(wanted, Iterable):
        raise RocPredictError(f"feature={shown(wanted)} is not a name or a list of names")
    names = table.names.tolist()
    chosen = [one_of("feature", name, names) for name in wanted]
    for name in chosen:
        if table.not_numeric[names.index(name)]:
            raise RocPredictError(f"feature={name!r} holds no numbers; choose columns of numbers")
    if not chosen or len(set(chosen)) < len(chosen):
        raise RocPredictError(
            f"feature={shown(wanted)} names {'a column twice' if chosen else 'none'}; name different ones"
        )
    return np.array([names.index(name) for name in chosen], dtype=np.intp)


def _has_names(x: Any) -> bool:
    return isinstance(x, Mapping) or any(hasattr(x, name) for name in ("columns", "column_names", "var_names", "names"))


def _is_column(x: Any) -> bool:
    shape = getattr(x, "shape", None)
    if shape is None and isinstance(x, (list, tuple)):
        shape = np.shape(x[:1])
    elif shape is None and hasattr(x, "__array__"):
        shape = np.asarray(x).shape
    return isinstance(shape, tuple) and len(shape) == 1


def columns_of(table: Features) -> list[FloatArray]:
    """Give every feature as float64."""
    parts = (part.toarray() if hasattr(part, "toarray") else part for _, part in table.matrices())
    return [np.ma.filled(column.astype(np.float64), np.nan) for part in parts for column in part.T]


def units_of(unit: Any, names: Sequence[str]) -> tuple[str, ...]:
    """Give a unit for each feature; "" where none is known."""
    if isinstance(unit, Mapping):
        for name in unit:
            one_of("unit", name, names)
        return tuple(text_or_none("unit", unit.get(name)) or "" for name in names)
    if not _is_list(unit):
        return (text_or_none("unit", unit) or "",) * len(names)
    if len(unit) != len(names):
        raise RocPredictError(
            f"unit={shown(unit)} is not a unit for each of {len(names)} features; give one or as many"
        )
    return tuple(text_or_none("unit", one) or "" for one in unit)


def _is_list(unit: Any) -> bool:
    return isinstance(unit, (Sequence, np.ndarray)) and not isinstance(unit, (str, bytes)) and np.ndim(unit) > 0
