"""Which columns of a file are features, and which one holds the labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from rocpredict.errors import RocPredictError
from rocpredict.features.table import column_of


def chosen_columns(
    names: tuple[str, ...], holder: str, *, label: str | None, only: Sequence[str] | None
) -> tuple[list[str], str | None]:
    """Give the names of the features and that of the labels, or refuse names that are no columns."""
    if isinstance(only, str):
        raise RocPredictError(f"only={only!r} is not a list of columns; give [{only!r}]")
    known = np.array(names)
    for what, wanted in (("label", label), *(("only", name) for name in only or ())):
        if wanted is not None:
            _find(known, wanted, what=what, holder=holder)
    features = list(names if only is None else only)
    twice = [name for name, count in Counter(features).items() if only is not None and count > 1]
    if twice:
        raise RocPredictError(f"only= names {twice[0]!r} twice; name different columns")
    if only is not None and label in features:
        raise RocPredictError(f"{label!r} holds the labels and cannot be a feature too")
    features = [name for name in features if name != label]
    if not features:
        raise RocPredictError(f"{holder} has no column beside the labels; one feature or more is needed")
    return features, label


def same_columns(first: str, names: Sequence[str], other: str, others: Sequence[str]) -> None:
    """Refuse a file whose columns are not those of the first one."""
    here, there = {*names}, {*others}
    missing, added = [name for name in names if name not in there], [name for name in others if name not in here]
    if missing:
        raise RocPredictError(f"{other} has no column {missing[0]!r}, which {first} has; columns must be the same")
    if added:
        raise RocPredictError(f"{other} has a column {added[0]!r}, which {first} has not; columns must be the same")


def _find(known: np.ndarray[tuple[int], np.dtype[np.str_]], wanted: str, *, what: str, holder: str) -> None:
    try:
        column_of(known, wanted, what=what, holder=holder)
    except RocPredictError as error:
        separator = next((mark for mark in ";\t|" if len(known) == 1 and mark in str(known[0])), None)
        hint = f" (cells are separated by {separator!r} here; commas are needed)" if separator else ""
        raise RocPredictError(f"{error}{hint}") from None
