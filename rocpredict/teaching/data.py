"""Data sets of the teaching page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocpredict.base.labels import REST_LABEL, is_label, split_classes, unique_labels
from rocpredict.base.validation import FloatArray, RocPredictError, check_option, short_repr, to_scalar
from rocpredict.datasets import load_dataset
from rocpredict.diagnostics.comparison import max_tpr_gap
from rocpredict.distributions.gaussian import Gaussian
from rocpredict.distributions.normality import normality_warning
from rocpredict.roc.base import Roc
from rocpredict.roc.empirical import EmpiricalRoc
from rocpredict.roc.predicted import PredictedRoc
from rocpredict.sources.blocks import check_unique_names
from rocpredict.sources.table import FeatureTable, split_table_and_labels
from rocpredict.teaching.assets import text_or_none, to_encodable_text


def to_feature_table(x: Any, y: Any, feature: Any) -> tuple[FeatureTable, NDArray[Any]]:
    """Take features of any form, those that are wanted, and a label for each row."""
    x, y = _pop_label_column(x, y)
    feature = to_scalar(feature) if isinstance(feature, np.ndarray) else feature
    if _is_column(x):
        name = _series_name(x) if feature is None else feature
        if isinstance(name, (list, tuple)) and len(name) == 1:
            name = name[0]
        if name is not None and not isinstance(name, str):
            raise RocPredictError(f"feature={short_repr(feature)} is not one name; x holds one feature")
        return split_table_and_labels({"x" if name is None else name: x}, y)
    wanted = [feature] if isinstance(feature, str) else feature
    if wanted is None or not _has_names(x):
        table, labels = split_table_and_labels(x, y, names=wanted)
        return table.select(~table.not_numeric), labels
    table, labels = split_table_and_labels(x, y)
    return table.select(_column_indices(table, wanted)), labels


def _series_name(x: Any) -> str | None:
    """Give the name that a Series brings along, as text."""
    name = getattr(x, "name", None)
    return to_encodable_text(name) if isinstance(name, (str, int, float, tuple, np.generic)) else None


def _pop_label_column(x: Any, y: Any) -> tuple[Any, Any]:
    """Part the column that y names, where the name is no text: of a frame of pandas, or of a mapping."""
    named = isinstance(y, (int, float, tuple, np.generic)) and not isinstance(y, (bool, str))
    if not named or list(x if isinstance(x, Mapping) else getattr(x, "columns", ())).count(y) != 1:
        return x, y
    if isinstance(x, Mapping):
        return {name: column for name, column in x.items() if name != y}, x[y]
    return x.drop(columns=[y]), x[y]


def _column_indices(table: FeatureTable, requested: Any) -> NDArray[np.intp]:
    if not isinstance(requested, Iterable):
        raise RocPredictError(f"feature={short_repr(requested)} is not a name or a list of names")
    names = table.names.tolist()
    chosen = [check_option("feature", name, names) for name in requested]
    for name in chosen:
        if table.not_numeric[names.index(name)]:
            raise RocPredictError(f"feature={name!r} holds no numbers; choose columns of numbers")
    if not chosen or len(set(chosen)) < len(chosen):
        raise RocPredictError(
            f"feature={short_repr(requested)} names {'a column twice' if chosen else 'none'}; name different ones"
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


def columns_of(table: FeatureTable) -> list[FloatArray]:
    """Give every feature as float64."""
    parts = (part.toarray() if hasattr(part, "toarray") else part for _, part in table.iter_blocks())
    return [np.ma.filled(column.astype(np.float64), np.nan) for part in parts for column in part.T]


def units_of(unit: Any, names: Sequence[str]) -> tuple[str, ...]:
    """Give a unit for each feature; "" where none is known."""
    if isinstance(unit, Mapping):
        for name in unit:
            check_option("unit", name, names)
        return tuple(text_or_none("unit", unit.get(name)) or "" for name in names)
    if not _is_list(unit):
        return (text_or_none("unit", unit) or "",) * len(names)
    if len(unit) != len(names):
        raise RocPredictError(
            f"unit={short_repr(unit)} is not a unit for each of {len(names)} features; give one or as many"
        )
    return tuple(text_or_none("unit", one) or "" for one in unit)


def _is_list(unit: Any) -> bool:
    return isinstance(unit, (Sequence, np.ndarray)) and not isinstance(unit, (str, bytes)) and np.ndim(unit) > 0


USER_KEY = "own"
"""The key of what a user brings along."""
MOST_VALUES = 500_000
"""How many values a page may hold: a browser draws them all."""
MAX_VIEWS = 400
"""How many features a page may hold, times the pairs of classes: the library's answer for each is written into it."""
_MOST_LABELS = 12
_NAMES = {"iris": "Iris", "pima": "Pima", "breast_cancer": "Breast cancer"}


@dataclass(frozen=True, eq=False)
class PageDataset:
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

    def n_missing(self, contrast: int, feature: int) -> int:
        """Give how many rows of both classes have no value."""
        return int(sum((side & ~np.isfinite(self.values[feature])).sum() for side in self._sides(contrast)))

    def _sides(self, contrast: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        negative, positive = self.contrasts[contrast]
        is_positive = self.classes == self.labels.index(positive)
        return (self.classes == self.labels.index(negative) if negative in self.labels else ~is_positive), is_positive


@cache
def builtin_dataset(key: str) -> PageDataset:
    """Give built-in data with every pair of its labels; zeros of Pima are left as they are."""
    data = load_dataset(key)
    labels = unique_labels(data.y)
    columns = dict(zip(data.feature_names, data.X.T, strict=True))
    pairs = list(combinations(labels, 2))
    return _rows(key, name=_NAMES[key], source=data.source, columns=columns, units=data.units, y=data.y, pairs=pairs)


def user_dataset(x: Any, y: Any, *, positive: Any, negative: Any, feature: Any, unit: Any) -> PageDataset:
    """Take the rows of a user.

    Raises
    ------
    RocPredictError
        What is no feature or table of them; labels as ``split_classes`` refuses them; too many values for a page.
    """
    if y is None:
        raise RocPredictError("y is needed beside x: one label for each row, or the name of the column that holds them")
    table, labels = to_feature_table(x, y, feature)
    if table.n_rows * len(table) > MOST_VALUES:
        raise RocPredictError(
            f"x holds {table.n_rows * len(table):,} values, and a page at most {MOST_VALUES:,}; choose columns by "
            "feature=, or draw some of the rows"
        )
    names = tuple(to_encodable_text(name) for name in table.names)
    check_unique_names(names)
    columns = dict(zip(names, columns_of(table), strict=True))
    contrasts, kept = _contrasts(labels, positive, negative)
    _check_size(len(names), len(contrasts))
    rows = np.isin(labels, kept) if labels.dtype.kind != "O" else np.array([label in kept for label in labels])
    held = {name: column[rows] for name, column in columns.items()}
    return _rows(
        USER_KEY, name="", source="", columns=held, units=units_of(unit, names), y=labels[rows], pairs=contrasts
    )


def _check_size(features: int, contrasts: int) -> None:
    if features * contrasts > MAX_VIEWS:
        pairs = "" if contrasts == 1 else f" times {contrasts} pairs of labels"
        remedy = "choose columns by feature=" + (", or name one pair by positive= and negative=" if pairs else "")
        raise RocPredictError(f"x has {features:,} features{pairs}, and a page at most {MAX_VIEWS}; {remedy}")


def contrast_index(rows: PageDataset, positive: Any, negative: Any) -> int:
    """Give the place of the contrast that two labels name; either may be left out."""
    for name, label in (("positive", positive), ("negative", negative)):
        if label is not None:
            check_option(name, label, rows.labels)
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
) -> PageDataset:
    labels = unique_labels(y)
    texts = _texts(labels)
    classes = np.zeros(len(y), dtype=np.intp)
    for place, label in enumerate(labels):
        classes[y == label] = place
    called = dict(zip(labels, texts, strict=True)) | {None: _rest(texts)}
    return PageDataset(
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
    texts = [to_encodable_text(label) for label in labels]
    if len(set(texts)) < len(texts):
        raise RocPredictError(
            f"y has labels that are the same as text: {short_repr(labels)}; give them different names"
        )
    return texts


def _rest(texts: Sequence[str]) -> str:
    """Give a name for all other labels that is none of them."""
    return REST_LABEL if REST_LABEL not in texts else f"all but one of {len(texts)}"


def _contrasts(labels: NDArray[Any], positive: Any, negative: Any) -> tuple[list[tuple[Any, Any]], list[Any]]:
    """Give the pairs (negative, positive), None for all other labels, and the labels that they need."""
    names = unique_labels(labels)
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


MAX_MAGNITUDE = 1e100
"""Values, means and standard deviations beyond are refused, and standard deviations below its inverse."""


@dataclass(frozen=True, eq=False)
class FeatureRocs:
    """Hold the Gaussian prediction of a feature beside what is counted, both of one direction."""

    predicted: PredictedRoc
    empirical: EmpiricalRoc


def unusable_reason(negative: FloatArray, positive: FloatArray) -> str | None:
    """Give the word for why a feature cannot be shown, or None."""
    sides = (negative, positive)
    if min(map(len, sides)) < 2:
        return "few"
    if any((side == side[0]).all() for side in sides):
        return "constant"
    if any(np.abs(side).max() > MAX_MAGNITUDE or Gaussian.fit(side).std < 1 / MAX_MAGNITUDE for side in sides):
        return "beyond"
    return None


def unusable_message(rows: PageDataset, contrast: int, feature: int, words: dict[str, str]) -> str | None:
    """Give the sentence for why a feature cannot be shown, or None."""
    trouble = unusable_reason(*rows.pair(contrast, feature))
    return None if trouble is None else words[trouble].replace("{feature}", rows.features[feature])


def feature_rocs(negative: FloatArray, positive: FloatArray) -> FeatureRocs:
    """Predict and count; the direction is that of the prediction."""
    predicted = PredictedRoc(Gaussian.fit(negative), Gaussian.fit(positive), direction="auto")
    empirical = EmpiricalRoc(negative, positive, direction=predicted.direction)
    return FeatureRocs(predicted, empirical)


def feature_statistics(rows: PageDataset, contrast: int, feature: int, words: dict[str, str]) -> dict[str, Any]:
    """Give the library's numbers of one feature, or why there are none."""
    pair = rows.pair(contrast, feature)
    found: dict[str, Any] = {"count": [len(side) for side in pair], "missing": rows.n_missing(contrast, feature)}
    reason = unusable_message(rows, contrast, feature, words)
    if reason is not None:
        return found | {"error": reason}
    counted = feature_rocs(*pair)
    predicted, empirical = counted.predicted, counted.empirical
    return found | {
        "mean": [predicted.negative.mean, predicted.positive.mean],
        "std": [predicted.negative.std, predicted.positive.std],
        "direction": predicted.direction,
        "doubt": normality_warning(*pair) is not None,
        "auc": predicted.auc(),
        "empirical": empirical_statistics(empirical) | {"gap": largest_tpr_gap(predicted, empirical)},
    }


def empirical_statistics(empirical: EmpiricalRoc) -> dict[str, Any]:
    """Give the area with its interval, and the best threshold, of the rows."""
    interval, best = empirical.auc_interval(), empirical.best_threshold()
    point = {name: getattr(best, name) for name in ("threshold", "tpr", "fpr", "ameans")}
    return {"auc": empirical.auc(), "low": interval.low, "high": interval.high, "best": to_json_values(point)}


def largest_tpr_gap(predicted: Roc, empirical: EmpiricalRoc) -> dict[str, float]:
    """Give the largest difference of TPR at one FPR, predicted less counted, and where it is."""
    value, fpr = max_tpr_gap(predicted, empirical)
    return {"fpr": fpr, "value": value}


def to_json_values(numbers: dict[str, Any]) -> dict[str, Any]:
    """Give floats as JSON can hold them: NaN as None, infinities as "inf" and "-inf"."""
    return {name: _as_json(float(number)) for name, number in numbers.items()}


def _as_json(number: float) -> Any:
    return number if np.isfinite(number) else None if np.isnan(number) else str(number)
