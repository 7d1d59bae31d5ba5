"""Data sets for the teaching page."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache
from itertools import combinations, islice
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rocpredict.base.formatting import to_json_value
from rocpredict.base.labels import REST_LABEL, as_rereadable, equal_labels, is_label, split_classes, unique_labels
from rocpredict.base.validation import FloatArray, RocPredictError, check_option, is_scalar, short_repr, to_scalar
from rocpredict.datasets import load_dataset
from rocpredict.diagnostics.comparison import max_tpr_gap
from rocpredict.distributions.gaussian import Gaussian
from rocpredict.distributions.normality import misfit_warning
from rocpredict.roc.base import Roc
from rocpredict.roc.empirical import EmpiricalRoc
from rocpredict.roc.predicted import PredictedRoc
from rocpredict.sources.blocks import check_unique_names
from rocpredict.sources.files import check_batches, read_table_and_labels
from rocpredict.sources.table import FeatureTable, split_table_and_labels
from rocpredict.teaching.assets import python_strings, text_or_none, to_encodable_text


def to_feature_table(x: Any, y: Any, feature: Any) -> tuple[FeatureTable, NDArray[Any]]:
    """Select features from any supported form of data; return these features, and a label for each row."""
    if isinstance(x, (str, PathLike)):
        x, y = read_table_and_labels(x, y)
    x, y = _pop_label_column(as_rereadable(x), as_rereadable(y))
    feature = to_scalar(feature) if isinstance(feature, np.ndarray) else feature
    if _is_column(x):
        return split_table_and_labels({_column_name(x, feature): x}, y)
    names = [feature] if isinstance(feature, str) else feature
    attributes = ("columns", "column_names", "var_names")  # looked up on the class: on a lazy frame, they run a query
    has_names = isinstance(x, (Mapping, FeatureTable)) or any(hasattr(type(x), name) for name in attributes)
    if names is None or not has_names:
        table, labels = split_table_and_labels(x, y, names=names)
        return table.select(~table.not_numeric), labels
    table, labels = split_table_and_labels(x, y)
    return table.select(_column_indices(table, names)), labels


def _pop_label_column(x: Any, y: Any) -> tuple[Any, Any]:
    """Return features and labels; ``y`` may also be a number or tuple that names a column of ``x``."""
    is_name = isinstance(y, (int, float, tuple, np.generic)) and not isinstance(y, (bool, str))
    if not is_name or list(x if isinstance(x, Mapping) else getattr(x, "columns", ())).count(y) != 1:
        return x, y
    if isinstance(x, Mapping):
        return {name: column for name, column in x.items() if name != y}, x[y]
    return x.drop(columns=[y]), x[y]


def _is_column(x: Any) -> bool:
    shape = getattr(x, "shape", None)
    if shape is None and isinstance(x, Collection) and not isinstance(x, (str, bytes, Mapping, Set)):
        shape = (1,) if all(map(is_scalar, islice(x, 1))) else None
    elif shape is None and hasattr(x, "__array__"):
        shape = np.asarray(x).shape
    return isinstance(shape, tuple) and len(shape) == 1


def _column_name(x: Any, feature: Any) -> str:
    """Return ``feature`` or, if it is None, the name of the Series ``x``; the name of any other ``x`` is "x"."""
    if feature is None:
        attribute = getattr(x, "name", None)
        return to_encodable_text(attribute) if isinstance(attribute, (str, int, float, tuple, np.generic)) else "x"
    name = feature[0] if isinstance(feature, (list, tuple)) and len(feature) == 1 else feature
    if name is not None and not isinstance(name, str):
        raise RocPredictError(
            f"feature={short_repr(feature)} is not a single name, but x has only one feature; pass a str"
        )
    return "x" if name is None else name


def _column_indices(table: FeatureTable, requested: Any) -> NDArray[np.intp]:
    if not isinstance(requested, Iterable):
        raise RocPredictError(
            f"feature={short_repr(requested)} is not a name or a list of names; pass a str or a list of str"
        )
    names = table.names.tolist()
    indices = [names.index(check_option("feature", name, names)) for name in requested]
    for index in indices:
        if table.not_numeric[index]:
            raise RocPredictError(
                f"feature={names[index]!r} is not numeric: it contains {table.describe_text(index)}; select numeric "
                "columns"
            )
    if not indices or len(set(indices)) < len(indices):
        raise RocPredictError(
            f"feature={short_repr(requested)} names {'a column twice' if indices else 'no column'}; pass at least one "
            "column, and no column twice"
        )
    return np.array(indices, dtype=np.intp)


def _check_units(unit: Any, names: Sequence[str]) -> tuple[str, ...]:
    """Return the unit of each feature; an unknown unit is ""."""
    if isinstance(unit, Mapping):
        for name in unit:
            check_option("unit", name, names)
        units = [unit.get(name) for name in names]
    elif not isinstance(unit, str | bytes) and (
        isinstance(unit, Sequence) or (isinstance(unit, np.ndarray) and unit.ndim)
    ):
        units = list(unit)
    else:
        units = [unit] * len(names)
    if len(units) != len(names):
        raise RocPredictError(
            f"unit={short_repr(unit)} does not match the number of features, {len(names)}; pass one unit for all "
            "features, or one for each feature"
        )
    return tuple(text_or_none("unit", one) or "" for one in units)


USER_KEY = "own"
"""Key of the user's own data set."""
MAX_VALUES = 500_000
"""Largest number of values on a page; a browser draws all of them."""
MAX_VIEWS = 400
"""Largest number of combinations of a feature and a pair of classes; the page contains results for each of them."""
_MAX_LABELS = 12
_NAMES = {"iris": "Iris", "pima": "Pima", "breast_cancer": "Breast cancer"}


@dataclass(frozen=True, eq=False)
class PageDataset:
    """Data set of the page: features, the class of each row, and the pairs of classes that are compared.

    Attributes
    ----------
    key, name, source : str
    labels, features, units : tuple of str
    values : tuple of arrays of shape (n,)
        Values of each feature.
    classes : array of int, shape (n,)
        Index of the label of each row.
    pairs : tuple of pairs of str
        (negative, positive) labels; the negative label may stand for all other labels.
    """

    key: str
    name: str
    source: str
    labels: tuple[str, ...]
    features: tuple[str, ...]
    units: tuple[str, ...]
    values: tuple[FloatArray, ...]
    classes: NDArray[np.intp]
    pairs: tuple[tuple[str, str], ...]

    @classmethod
    def from_columns(
        cls, key: str, columns: Mapping[str, FloatArray], y: NDArray[Any], pairs: Any, **described: Any
    ) -> PageDataset:
        """Return a data set with labels as text; a negative label of None stands for all other labels."""
        labels = unique_labels(y)
        texts = [to_encodable_text(label) for label in labels]
        if len(set(texts)) < len(texts):
            raise RocPredictError(
                f"y has different labels that are identical after conversion to text: {short_repr(labels)}; rename them"
            )
        rest_label = REST_LABEL if REST_LABEL not in texts else f"others of {len(texts)}"
        text_of = dict(zip(labels, texts, strict=True)) | {None: rest_label}
        classes = np.zeros(len(y), dtype=np.intp)
        for index, label in enumerate(labels):
            classes[equal_labels(y, label)] = index
        described |= {"pairs": tuple((text_of[low], text_of[high]) for low, high in pairs), "labels": tuple(texts)}
        return cls(key=key, features=tuple(columns), values=tuple(columns.values()), classes=classes, **described)

    def column(self, label: str, feature: int) -> FloatArray:
        """Return the finite values of one class, sorted."""
        values = self.values[feature][self.classes == self.labels.index(label)]
        return np.sort(values[np.isfinite(values)])

    def samples(self, pair: int, feature: int) -> tuple[FloatArray, FloatArray]:
        """Return the finite values of the negative and the positive class, in the order of the rows."""
        values = self.values[feature]
        negative, positive = self._class_masks(pair)
        return values[negative & np.isfinite(values)], values[positive & np.isfinite(values)]

    def n_missing(self, pair: int, feature: int) -> int:
        """Return the total number of observations without a finite value in the two classes."""
        return int(np.sum(np.any(self._class_masks(pair), axis=0) & ~np.isfinite(self.values[feature])))

    def _class_masks(self, pair: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        negative, positive = self.pairs[pair]
        is_positive = self.classes == self.labels.index(positive)
        return (self.classes == self.labels.index(negative) if negative in self.labels else ~is_positive), is_positive


@cache
def builtin_dataset(key: str) -> PageDataset:
    """Return a built-in data set and all pairs of its labels; zeros in pima are not treated as missing values."""
    data = load_dataset(key)
    columns = dict(zip(data.feature_names, data.X.T, strict=True))
    pairs = combinations(unique_labels(data.y), 2)
    return PageDataset.from_columns(key, columns, data.y, pairs, name=_NAMES[key], source=data.source, units=data.units)


def user_dataset(x: Any, y: Any, *, positive: Any, negative: Any, feature: Any, unit: Any) -> PageDataset:
    """Return a data set made from the arrays that the user passed.

    Raises
    ------
    RocPredictError
        If ``x`` is neither a feature nor a table of features, if labels are invalid for ``split_classes``, or if there
        are too many values for a page.
    """
    if y is None:
        if isinstance(x, (str, PathLike)):
            check_batches(x)
        raise RocPredictError("y is missing; pass one label for each row, or the name of the label column")
    table, labels = to_feature_table(x, y, feature)
    if table.n_rows * len(table) > MAX_VALUES:
        raise RocPredictError(
            f"x has {table.n_rows * len(table):,} values, but a page can have at most {MAX_VALUES:,}; select columns "
            "with feature=, or pass fewer rows"
        )
    names = check_unique_names([to_encodable_text(name) for name in table.names]).tolist()
    blocks = (block.toarray() if hasattr(block, "toarray") else block for _, block in table.iter_blocks())
    columns = [np.ma.filled(column.astype(np.float64), np.nan) for block in blocks for column in block.T]
    pairs, pair_labels = _choose_pairs(labels, positive, negative)
    if len(names) * len(pairs) > MAX_VIEWS:
        n_views = len(names) * len(pairs)
        per_pair = "" if len(pairs) == 1 else f" and {len(pairs)} pairs of labels, which give {n_views:,} combinations"
        remedy = "select columns with feature=" + (", or one pair with positive= and negative=" if per_pair else "")
        raise RocPredictError(f"x has {len(names):,} features{per_pair}; a page can have at most {MAX_VIEWS}; {remedy}")
    are_objects = labels.dtype.kind == "O"
    rows = np.array([label in pair_labels for label in labels]) if are_objects else np.isin(labels, pair_labels)
    features = {name: column[rows] for name, column in zip(names, columns, strict=True)}
    units = _check_units(unit, names)
    return PageDataset.from_columns(USER_KEY, features, labels[rows], pairs, name="", source="", units=units)


def _choose_pairs(labels: NDArray[Any], positive: Any, negative: Any) -> tuple[list[tuple[Any, Any]], list[Any]]:
    """Return the class pairs (negative, positive) and the labels in use; None stands for all other labels."""
    names = unique_labels(labels)
    if positive is None and negative is None and len(names) > 2:
        if len(names) > _MAX_LABELS:
            raise RocPredictError(f"y has {len(names)} labels; pass the positive label, such as positive={names[-1]!r}")
        return list(combinations(names, 2)), names
    rows = split_classes(np.arange(len(labels)), labels, positive=positive, negative=negative).rows
    high = next(name for name in names if name == rows.positive_label)
    others = [name for name in names if name != high]
    if is_label(negative, names):
        others = [name for name in names if name == negative]
    return [(others[0] if len(others) == 1 else None, high)], [*others, high]


def pair_index(rows: PageDataset, positive: Any, negative: Any) -> int:
    """Return the index of the first pair with these labels; a label of None matches any label."""
    for name, label in (("positive", positive), ("negative", negative)):
        if label is not None:
            check_option(name, label, rows.labels)
    for index, (low, high) in enumerate(rows.pairs):
        if positive in (None, high) and negative in (None, low):
            return index
    choices = ", ".join(f"{high!r} against {low!r}" for low, high in rows.pairs)
    raise RocPredictError(
        f"positive={positive!r} and negative={negative!r} are not a class pair on this page; choose from {choices}"
    )


MAX_MAGNITUDE = 1e100
"""Largest accepted absolute value, mean and SD; the smallest accepted SD is the reciprocal of this number."""


class FeatureRocs(NamedTuple):
    """Gaussian prediction and empirical curve of a feature, in the same direction."""

    predicted: PredictedRoc
    empirical: EmpiricalRoc


def unusable_message(rows: PageDataset, pair: int, feature: int, words: dict[str, str]) -> str | None:
    """Return a sentence that explains why a feature cannot be shown, or None if it can be shown."""
    samples = rows.samples(pair, feature)
    if min(map(len, samples)) < 2:
        reason = "few"
    elif any((sample == sample[0]).all() for sample in samples):
        reason = "constant"
    elif any(
        np.abs(sample).max() > MAX_MAGNITUDE or Gaussian.fit(sample).std < 1 / MAX_MAGNITUDE for sample in samples
    ):
        reason = "beyond"
    else:
        return None
    return words[reason].replace("{feature}", rows.features[feature])


def feature_rocs(negative: FloatArray, positive: FloatArray) -> FeatureRocs:
    """Return the predicted and the empirical curve, both in the direction of the prediction."""
    predicted = PredictedRoc(Gaussian.fit(negative), Gaussian.fit(positive), direction="auto")
    return FeatureRocs(predicted, EmpiricalRoc(negative, positive, direction=predicted.direction))


def feature_statistics(rows: PageDataset, pair: int, feature: int, words: dict[str, str]) -> dict[str, Any]:
    """Return the results for one feature, or the reason why the feature cannot be shown."""
    samples = rows.samples(pair, feature)
    counts: dict[str, Any] = {"count": [len(sample) for sample in samples], "missing": rows.n_missing(pair, feature)}
    reason = unusable_message(rows, pair, feature, words)
    if reason is not None:
        return counts | {"error": reason}
    predicted, empirical = feature_rocs(*samples)
    classes: list[Any] = [predicted.negative, predicted.positive]
    return counts | {
        "mean": [d.mean for d in classes],
        "std": [d.std for d in classes],
        "direction": predicted.direction,
        "doubt": misfit_warning(*samples) is not None,
        "auc": predicted.auc(),
        "empirical": empirical_statistics(empirical) | {"gap": largest_tpr_gap(predicted, empirical)},
    }


def empirical_statistics(empirical: EmpiricalRoc) -> dict[str, Any]:
    """Return the empirical AUC with its interval, and the best threshold."""
    interval, best = empirical.auc_interval(), empirical.best_threshold()
    point = {name: getattr(best, name) for name in ("threshold", "tpr", "fpr", "ameans")}
    return {"auc": empirical.auc(), "low": interval.low, "high": interval.high, "best": to_json_value(point)}


def largest_tpr_gap(predicted: Roc, empirical: EmpiricalRoc) -> dict[str, float]:
    """Return the largest difference in TPR (predicted - empirical), and the FPR at which it occurs."""
    value, fpr = max_tpr_gap(predicted, empirical)
    return {"fpr": fpr, "value": value}


def dataset_payload(rows: PageDataset, lang: str) -> dict[str, Any]:
    """Return the data of the page, and the results for every combination of a feature and a class pair."""
    words, features = python_strings(lang), range(len(rows.features))

    def compact(column: FloatArray) -> list[float]:
        return [int(value) if value.is_integer() else value for value in column.tolist()]

    return {
        "key": rows.key,
        "name": rows.name or words["own"],
        "source": rows.source,
        "labels": list(rows.labels),
        "features": [{"name": name, "unit": unit} for name, unit in zip(rows.features, rows.units, strict=True)],
        "columns": {label: [compact(rows.column(label, k)) for k in features] for label in rows.labels},
        "pairs": [
            {"negative": low, "positive": high, "facts": [feature_statistics(rows, place, k, words) for k in features]}
            for place, (low, high) in enumerate(rows.pairs)
        ],
    }


@cache
def builtin_payload(key: str, lang: str) -> dict[str, Any]:
    """Return the cached payload of built-in data."""
    return dataset_payload(builtin_dataset(key), lang)
