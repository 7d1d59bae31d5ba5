"""Names of features."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sized
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocpredict.arguments import shown
from rocpredict.errors import RocPredictError


def as_names(names: Iterable[Any] | None, columns: int, holder: str = "X") -> NDArray[np.str_]:
    """Give one name for each column, or refuse names that are too many, too few or not different.

    They are what users give as ``feature_names=``.
    """
    if names is None:
        return np.array([f"x{place}" for place in range(columns)])
    if isinstance(names, (str, bytes)) or not isinstance(names, Iterable):
        raise RocPredictError(
            f"feature_names={shown(names)} is not a list of names; give one for each column of {holder}"
        )
    listed = names.tolist() if isinstance(names, np.ndarray) else list(names)
    if len(listed) != columns:
        counts = f"feature_names has {len(listed)} names and {holder} has {columns} columns"
        raise RocPredictError(f"{counts}; give one for each")
    return distinct(listed)


def distinct(names: Sized) -> NDArray[np.str_]:
    """Give names of any kind as text, or refuse those that are not different."""
    held: defaultdict[str, list[Any]] = defaultdict(list)
    for name in names:  # type: ignore[attr-defined]
        held[str(name)].append(name)
    if len(held) < len(names):
        alike = [group for group in held.values() if len(group) > 1]
        more = f" (and {len(alike) - 5} more)" if len(alike) > 5 else ""
        raise RocPredictError(f"X has {', '.join(map(_described, alike[:5]))}{more}; features need different names")
    return np.array(list(held), dtype=np.str_)


def _described(group: list[Any]) -> str:
    kinds = sorted({repr(name) for name in group})
    if len(kinds) == 1:
        return f"the column name {kinds[0]} {'twice' if len(group) == 2 else f'{len(group)} times'}"
    return f"the column names {' and '.join(kinds)}, which are the same as text"
