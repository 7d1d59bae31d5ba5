"""The rows that the page shows: built-in data, or a user's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocpredict import datasets
from rocpredict.arguments import FloatArray, one_of, shown
from rocpredict.errors import RocPredictError
from rocpredict.features.naming import distinct
from rocpredict.labels import REST, is_label, label_names, split_classes
from rocpredict.teach.taking import as_table, columns_of, units_of
from rocpredict.teach.wording import as_text

OWN = "own"
"""The key of what a user brings along."""
MOST_VALUES = 500_000
"""How many values a page may hold: a browser draws them all."""
MOST_VIEWS = 400
"""How many features a page may hold, times the pairs of classes: the library's answer for each is written into it."""
_MOST_LABELS = 12
_NAMES = {"iris": "Iris", "pima": "Pima", "breast_cancer": "Breast cancer"}


@dataclass(frozen=True, eq=False)
class Rows:
    """Hold features, the class of each row, and which classes are laid against each other.

    Attributes
    ----------
    key, name, source : str
    labels, features, units : tuple of str
    values : tuple of arrays of shape (n,)
        Of each feature.
    classes : array of int, shape (n,)
        Of each row, the place of its label.
    contrasts : tuple of pairs of str
        (negative, positive); the negative may be all other labels together.
    """

    key: str
    name: str
    source: str
    labels: tuple[str, ...]
    features: tuple[str, ...]
    units: tuple[str, ...]
    values: tuple[FloatArray, ...]
    classes: NDArray[np.intp]
    contrasts: tuple[tuple[str, str], ...]

    def column(self, label: str, feature: int) -> FloatArray:
        """Give the finite values of one class, sorted."""
        values = self.values[feature][self.classes == self.labels.index(label)]
        return np.sort(values[np.isfinite(values)])

    def pair(self, contrast: int, feature: int) -> tuple[FloatArray, FloatArray]:
        """Give the finite values of the negative and of the positive class, in the order of the rows."""
        values = self.values[feature]
        negative, positive = (values[side & np.isfinite(values)] for side in self._sides(contrast))
        return negative, positive

    def left_out(self, contrast: int, feature: int) -> int:
        """Give how many rows of both classes have no value."""
        return int(sum((side & ~np.isfinite(self.values[feature])).sum() for side in self._sides(contrast)))

    def _sides(self, contrast: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        negative, positive = self.contrasts[contrast]
        is_positive = self.classes == self.labels.index(positive)
        return (self.classes == self.labels.index(negative) if negative in self.labels else ~is_positive), is_positive


@cache
def built_in(key: str) -> Rows:
    """Give built-in data with every pair of its labels; zeros of Pima are left as they are."""
    data = datasets.load_built_in(key)
    labels = label_names(data.y)
    columns = dict(zip(data.feature_names, data.X.T, strict=True))
    pairs = list(combinations(labels, 2))
    return _rows(key, name=_NAMES[key], source=data.source, columns=columns, units=data.units, y=data.y, pairs=pairs)


def own_rows(x: Any, y: Any, *, positive: Any, negative: Any, feature: Any, unit: Any) -> Rows:
    """Take the rows of a user.

    Raises
    ------
    RocPredictError
        What is no feature or table of them; labels as ``split_classes`` refuses them; too many values for a page.
    """
    if y is None:
        raise RocPredictError("y is needed beside x: one label for each row, or the name of the column that holds them")
    table, labels = as_table(x, y, feature)
    if table.n_rows * len(table) > MOST_VALUES:
        raise RocPredictError(
            f"x holds {table.n_rows * len(table):,} values, and a page at most {MOST_VALUES:,}; choose columns by "
            "feature=, or draw some of the rows"
        )
    names = tuple(as_text(name) for name in table.names)
    distinct(names)
    columns = dict(zip(names, columns_of(table), strict=True))
    contrasts, kept = _contrasts(labels, positive, negative)
    _refuse_many(len(names), len(contrasts))
    rows = np.isin(labels, kept) if labels.dtype.kind != "O" else np.array([label in kept for label in labels])
    held = {name: column[rows] for name, column in columns.items()}
    return _rows(OWN, name="", source="", columns=held, units=units_of(unit, names), y=labels[rows], pairs=contrasts)


def _refuse_many(features: int, contrasts: int) -> None:
    if features * contrasts > MOST_VIEWS:
        pairs = "" if contrasts == 1 else f" times {contrasts} pairs of labels"
        remedy = "choose columns by feature=" + (", or name one pair by positive= and negative=" if pairs else "")
        raise RocPredictError(f"x has {features:,} features{pairs}, and a page at most {MOST_VIEWS}; {remedy}")


def contrast_of(rows: Rows, positive: Any, negative: Any) -> int:
    """Give the place of the contrast that two labels name; either may be left out."""
    for name, label in (("positive", positive), ("negative", negative)):
        if label is not None:
            one_of(name, label, rows.labels)
    wanted = [
        place
        for place, (low, high) in enumerate(rows.contrasts)
        if positive in (None, high) and negative in (None, low)
    ]
    if not wanted:
        listed = ", ".join(f"{high!r} against {low!r}" for low, high in rows.contrasts)
        raise RocPredictError(
            f"positive={positive!r} against negative={negative!r} is not on the page; it has {listed}"
        )
    return wanted[0]


def _rows(
    key: str,
    *,
    name: str,
    source: str,
    columns: dict[str, FloatArray],
    units: tuple[str, ...],
    y: NDArray[Any],
    pairs: Any,
) -> Rows:
    labels = label_names(y)
    texts = _texts(labels)
    classes = np.zeros(len(y), dtype=np.intp)
    for place, label in enumerate(labels):
        classes[y == label] = place
    called = dict(zip(labels, texts, strict=True)) | {None: _rest(texts)}
    return Rows(
        key=key,
        name=name,
        source=source,
        labels=tuple(texts),
        features=tuple(columns),
        units=units,
        values=tuple(columns.values()),
        classes=classes,
        contrasts=tuple((called[low], called[high]) for low, high in pairs),
    )


def _texts(labels: list[Any]) -> list[str]:
    texts = [as_text(label) for label in labels]
    if len(set(texts)) < len(texts):
        raise RocPredictError(f"y has labels that are the same as text: {shown(labels)}; give them different names")
    return texts


def _rest(texts: Sequence[str]) -> str:
    """Give a name for all other labels that is none of them."""
    return REST if REST not in texts else f"all but one of {len(texts)}"


def _contrasts(labels: NDArray[Any], positive: Any, negative: Any) -> tuple[list[tuple[Any, Any]], list[Any]]:
    """Give the pairs (negative, positive), None for all other labels, and the labels that they need."""
    names = label_names(labels)
    if positive is None and negative is None and len(names) > 2:
        if len(names) > _MOST_LABELS:
            raise RocPredictError(f"y has {len(names)} labels; name the positive one by positive=")
        return list(combinations(names, 2)), names
    counted = split_classes(np.arange(len(labels)), labels, positive=positive, negative=negative)
    high = next(name for name in names if name == counted.positive_label)
    others = [name for name in names if name != high]
    if is_label(negative, names):
        others = [name for name in names if name == negative]
    return [(others[0] if len(others) == 1 else None, high)], [*others, high]
