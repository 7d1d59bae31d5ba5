"""Mergeable summaries of two classes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from functools import reduce
from itertools import accumulate
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rocpredict.base.formatting import to_json_value, truncate
from rocpredict.base.labels import (
    EncodedLabels,
    check_index,
    check_sample_weight,
    encode_binary_labels,
    encode_labels,
    is_label,
    unique_labels,
)
from rocpredict.base.results import Result
from rocpredict.base.tables import Table
from rocpredict.base.validation import (
    FloatArray,
    Label,
    RocPredictError,
    check_option,
    check_pair,
    is_missing,
    is_scalar,
    select_indices,
    short_repr,
)
from rocpredict.screening.kernels.base import Engine, Moments, effective_n_jobs, merge, select_engine
from rocpredict.screening.kernels.moments import moments as moments_of_classes
from rocpredict.sources.table import FeatureTable, check_row_order, split_table_and_labels

_COUNT_FIELDS = ("count", "n_missing")
_NONNEGATIVE_FIELDS = (*_COUNT_FIELDS, "m2", "m4")


@dataclass(frozen=True, eq=False, repr=False)
class ClassSummary(Result):
    """Summary of one class: for each feature the count and the moments of its values.

    Summaries of parts of a table add up to that of the whole: ``first + second``, ``sum(summaries)``.

    Attributes
    ----------
    count : array of shape (features,)
        Values that are there; with weights their sum.
    n_missing : array of shape (features,)
        Values that are not (NaN).
    mean : array of shape (features,)
        In the unit of the feature; NaN where there is no value.
    m2 : array of shape (features,)
        Sum of squared deviations from the mean.
    m3, m4 : array of shape (features,), or None
        Sums of third and fourth powers of the deviations; None where two moments were asked for.
    minimum, maximum : array of shape (features,), or None
        None where two moments were asked for.
    """

    count: NDArray[Any]
    n_missing: NDArray[Any]
    mean: FloatArray
    m2: FloatArray
    m3: FloatArray | None = None
    m4: FloatArray | None = None
    minimum: FloatArray | None = None
    maximum: FloatArray | None = None
    _tabled = ("count", "n_missing", "mean", "std", "minimum", "maximum")
    _heading = "Summary of one class"

    def __post_init__(self) -> None:
        for item in fields(self):
            values = getattr(self, item.name)
            if values is not None:
                values.flags.writeable = False

    @property
    def order(self) -> int:
        """2 or 4: how many moments there are."""
        return 2 if self.m3 is None else 4

    @property
    def is_valid(self) -> NDArray[np.bool_]:
        """Mask of the features with two values or more and a mean and standard deviation within float64."""
        spread = (self.m2 == 0) | (self.m2 >= np.finfo(float).tiny)
        return np.asarray((self.count > 1) & np.isfinite(self.mean) & np.isfinite(self.m2) & spread)

    @property
    def std(self) -> FloatArray:
        """The standard deviations (ddof=1), NaN where fewer than two cases are counted."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(self.count > 1, np.sqrt(self.m2 / (self.count - 1)), np.nan)

    @property
    def skewness(self) -> FloatArray:
        """The third central moment over that of the standard deviation (ddof=0), NaN without spread."""
        return self._standardised("m3", 3)

    @property
    def kurtosis(self) -> FloatArray:
        """The excess kurtosis (0 for a Gaussian), NaN without spread."""
        return self._standardised("m4", 4) - 3

    def __len__(self) -> int:
        return len(self.mean)

    def __add__(self, other: object) -> ClassSummary:
        if not isinstance(other, ClassSummary):
            return NotImplemented
        if len(self) != len(other):
            raise RocPredictError(f"summaries of {len(self)} and of {len(other)} features do not add up")
        return ClassSummary(*(merge(self._moments(), other._moments())))

    def __radd__(self, other: object) -> ClassSummary:
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __repr__(self) -> str:
        return f"ClassSummary({len(self)} features, {_format_class_size(self.count)}, order={self.order})"

    def select(self, indices: slice | ArrayLike) -> ClassSummary:
        """Return the summary of some features, by index, slice or mask."""
        selection = select_indices("indices", indices, len(self))
        return ClassSummary(*self._moments().map(lambda part: part[selection]))

    @classmethod
    def from_dict(cls, numbers: Mapping[str, Any]) -> Self:
        """Read the summary from a dictionary that ``to_dict``, or JSON, returned.

        Raises
        ------
        RocPredictError
            What is no such dictionary: other names, numbers that cannot be, lengths that differ.
        """
        names = [item.name for item in fields(cls)]
        if not isinstance(numbers, dict) or not set(names[:4]) <= numbers.keys() <= set(names):
            raise RocPredictError(f"a class summary has {', '.join(names)}; got {short_repr(numbers)}")
        arrays = {name: None if numbers.get(name) is None else _array(name, numbers[name]) for name in names}
        of_four = [arrays[name] is None for name in names[4:]]
        if any(arrays[name] is None for name in names[:4]) or any(of_four) != all(of_four):
            raise RocPredictError("a class summary has count, missing, mean and m2, and of the others all or none")
        if len({len(array) for array in arrays.values() if array is not None}) > 1:
            raise RocPredictError("a class summary has one number of each kind for each feature; lengths differ")
        return cls(**arrays)  # type: ignore[arg-type]

    def _moments(self) -> Moments:
        return Moments(*(getattr(self, name) for name in Moments._fields))

    def _standardised(self, name: str, power: int) -> FloatArray:
        moment: FloatArray | None = getattr(self, name)
        if moment is None:
            raise RocPredictError("this summary has two moments; ask for moments=4")
        with np.errstate(invalid="ignore", divide="ignore", over="ignore", under="ignore"):
            std = np.sqrt(self.m2 / self.count)
            return np.where(std > 0, moment / self.count / std**power, np.nan)


@dataclass(frozen=True, eq=False, repr=False)
class TwoClassSummary(Result):
    """Summary of a table with two classes; summaries of its parts add up.

    Attributes
    ----------
    negative, positive : ClassSummary
    feature_names : tuple of str
    negative_label, positive_label : label
        "rest" for every other label.

    Examples
    --------
    >>> from rocpredict import summarize
    >>> from rocpredict.datasets import load_iris
    >>> iris = load_iris()
    >>> classes = {"positive": "virginica", "negative": "versicolor"}
    >>> parts = [summarize(iris.X[rows], iris.y[rows], **classes) for rows in (slice(0, 90), slice(90, 150))]
    >>> sum(parts)
    TwoClassSummary(4 features, negative 'versicolor' 50, positive 'virginica' 50, order=2)
    """

    negative: ClassSummary
    positive: ClassSummary
    feature_names: tuple[str, ...]
    negative_label: Label = "negative"
    positive_label: Label = "positive"

    @property
    def order(self) -> int:
        """2 or 4: how many moments there are."""
        return min(self.negative.order, self.positive.order)

    def __len__(self) -> int:
        return len(self.feature_names)

    def __add__(self, other: object) -> TwoClassSummary:
        if not isinstance(other, TwoClassSummary):
            return NotImplemented
        for what in ("feature_names", "negative_label", "positive_label"):
            first, second = getattr(self, what), getattr(other, what)
            if first != second:
                raise RocPredictError(
                    f"summaries with {what} {short_repr(first)} and {short_repr(second)} do not add up"
                )
        return replace(self, negative=self.negative + other.negative, positive=self.positive + other.positive)

    def __radd__(self, other: object) -> TwoClassSummary:
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def table(self) -> Table:
        """Return the counts, means and standard deviations of both classes."""
        classes = self.negative, self.positive
        parts = [part.tolist() for side in classes for part in (side.count, side.mean, side.std)]
        rows = [list(cells) for cells in zip(self.feature_names, *parts, strict=True)]
        columns = ["feature", *(f"{side} {name}" for side in ("negative", "positive") for name in ("n", "mean", "std"))]
        negative, positive = (truncate(str(label), 60) for label in (self.negative_label, self.positive_label))
        notes = [f"Negative: {negative}; positive: {positive}."]
        return Table(f"Summary of {len(self)} features of two classes", columns, rows, notes=notes)

    def __repr__(self) -> str:
        class_texts = (
            f"{name} {short_repr(getattr(self, f'{name}_label'), 40)} {_format_class_size(getattr(self, name).count)}"
            for name in ("negative", "positive")
        )
        return f"TwoClassSummary({len(self)} features, {', '.join(class_texts)}, order={self.order})"

    def select(self, indices: slice | ArrayLike) -> TwoClassSummary:
        """Return the summary of some features, by index, slice or mask."""
        names = tuple(self.feature_names[index] for index in select_indices("indices", indices, len(self)))
        return replace(
            self, negative=self.negative.select(indices), positive=self.positive.select(indices), feature_names=names
        )

    def to_json(self) -> str:
        """Write it as JSON that ``from_json`` reads back without a loss; NaN as null, infinities as "inf", "-inf"."""
        fields_by_name = self.to_dict()
        class_fields = {name: to_json_value(fields_by_name[name]) for name in ("negative", "positive")}
        try:
            return json.dumps(fields_by_name | class_fields, allow_nan=False, ensure_ascii=False)
        except (TypeError, ValueError):
            labels = self.negative_label, self.positive_label
            raise RocPredictError(
                f"labels {short_repr(labels)} cannot be written as JSON; use text or numbers"
            ) from None

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what ``to_json`` wrote.

        Raises
        ------
        RocPredictError
            Text that is no such JSON.
        """
        try:
            fields_by_name = json.loads(text)
        except (TypeError, ValueError) as error:
            raise RocPredictError(f"the text is no JSON of a summary: {error}") from None
        names = [item.name for item in fields(cls)]
        if not isinstance(fields_by_name, dict) or sorted(fields_by_name) != sorted(names):
            raise RocPredictError(f"the JSON is no summary; it needs {', '.join(names)}")
        classes = {name: ClassSummary.from_dict(fields_by_name[name]) for name in ("negative", "positive")}
        fields_by_name["feature_names"] = _names(fields_by_name["feature_names"])
        if {len(part) for part in classes.values()} != {len(fields_by_name["feature_names"])}:
            raise RocPredictError("the JSON is no summary: its classes and feature_names differ in length")
        return cls(**fields_by_name | classes)


def _format_class_size(count: NDArray[Any]) -> str:
    """Format the number of cases: one number where all features have as many."""
    if not len(count):
        return "0"
    low, high = count.min(), count.max()
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


def _names(names: Any) -> tuple[str, ...]:
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names) or len({*names}) < len(names):
        raise RocPredictError(
            f"the JSON is no summary: feature_names={short_repr(names)} is no list of different names"
        )
    return tuple(names)


def _array(name: str, values: Any) -> NDArray[Any]:
    try:
        array = np.array([np.nan if item is None else item for item in values], dtype=np.float64)
    except (TypeError, ValueError):
        raise RocPredictError(f"{name}={short_repr(values)} is not a list of numbers") from None
    if (
        array.ndim != 1
        or (name in _NONNEGATIVE_FIELDS and (array < 0).any())
        or (name in _COUNT_FIELDS and np.isnan(array).any())
    ):
        raise RocPredictError(f"{name}={short_repr(values)} is not one number for each feature, 0 or more")
    is_integer = (
        name in _COUNT_FIELDS and (array == np.round(array)).all() and all(isinstance(item, int) for item in values)
    )
    return array.astype(np.int64) if is_integer else array


def summarize(
    X: object,
    y: ArrayLike | None = None,
    *,
    positive: Label = None,
    negative: Label = None,
    moments: int = 2,
    weights: ArrayLike | None = None,
    engine: Engine = "auto",
    n_jobs: int = 1,
) -> TwoClassSummary:
    """Read a table once and keep counts and moments of both classes, for every feature.

    Parameters
    ----------
    X : array of shape (n, features), sparse matrix, data frame, or batches
        As in ``screen``. Or an iterable of (X, y) batches of one table, which need not fit into memory
        together; then without ``y``.
    y : array of shape (n,), or the name of a column
        Labels.
    positive, negative : label, optional
        ``positive`` may be left out for labels {0, 1}, {-1, 1} or booleans. ``negative=None`` means every
        other label; a named one drops the rows of a third. With both named, a part of a table may lack one of
        the classes.
    moments : {2, 4}
        2: count, mean and sum of squares. 4: sums of third and fourth powers and the extremes as well.
    weights : array of shape (n,), optional
        How many cases each row stands for: 0 or more.
    engine : {"auto", "numpy", "numba"}
    n_jobs : int
        Threads. The result is the same for any number of them.

    Raises
    ------
    RocPredictError
        As ``screen``.

    Notes
    -----
    Sums of powers are taken about a value of the data, so that no digits are lost to an offset, and brought together by
    the pairwise update of Chan, Golub and LeVeque (1983) and Pebay (2008). Adding summaries rounds the mean: the sum of
    squares is then right to about 1e-16 times the square root of its count, times the offset in standard deviations.

    Examples
    --------
    >>> from rocpredict.datasets import load_iris
    >>> iris = load_iris()
    >>> summary = summarize(iris.X, iris.y, positive="virginica", negative="versicolor")
    >>> summary.positive.mean
    array([6.588, 2.974, 5.552, 2.026])
    """
    check_option("moments", moments, (2, 4))
    select_engine(engine)
    options = {"order": moments, "engine": engine, "n_jobs": effective_n_jobs(n_jobs)}
    if y is None:
        if weights is not None:
            raise RocPredictError("weights= go with one table; batches take none")
        return _summarize_batches(X, positive, negative, options)
    check_index({"X" if isinstance(y, str) else "y": X if isinstance(y, str) else y, "weights": weights})
    table, labels = split_table_and_labels(X, y)
    if weights is not None:
        check_row_order(table, "weights")
    coded = _encode_batch_labels(labels, positive, negative)
    return summaries_by_class_pair(
        _read(table, coded, check_sample_weight(weights, table.n_rows), options), coded, table.names
    )[0]


def _encode_batch_labels(labels: NDArray[Any], positive: Any, negative: Any) -> EncodedLabels:
    """Encode the labels of a part of the rows: with both classes named, one may be absent."""
    names = unique_labels(labels)
    is_present = [is_label(label, names) for label in (positive, negative)]
    if positive is None or negative is None or all(is_present) or not (_is_one(positive) and _is_one(negative)):
        return encode_labels(labels, positive=positive, negative=negative, pairs=None)
    if not any(is_present):
        raise RocPredictError(f"y has no row of positive={positive!r} or negative={negative!r}; one of them is needed")
    if positive == negative:
        raise RocPredictError(f"negative={negative!r} is also the positive label; name two different ones")
    return encode_binary_labels(labels, positive=positive, negative=negative)


def _is_one(label: Any) -> bool:
    return is_scalar(label) and not isinstance(label, (set, dict)) and not is_missing(label)


def _read(
    table: FeatureTable, encoded_labels: EncodedLabels, weights: FloatArray | None, options: dict[str, Any]
) -> Moments:
    """Compute the moments of each class, shape (classes, features)."""
    options = options | {"engine": select_engine(options["engine"], table.n_rows * len(table)), "weights": weights}
    codes, classes = encoded_labels.codes, encoded_labels.classes
    first, *others = (moments_of_classes(part, codes, classes, **options) for _, part in table.iter_blocks())
    return first.map(lambda *parts: np.concatenate(parts, axis=1), *others)


def summaries_by_class_pair(
    moments: Moments, encoded_labels: EncodedLabels, names: Iterable[str]
) -> list[TwoClassSummary]:
    """Return the summary of each class pair, of moments of shape (classes, features)."""
    classes = [moments.map(lambda part, code=code: part[code]) for code in range(encoded_labels.classes)]
    before = list(accumulate(classes, merge))
    after = list(accumulate(reversed(classes), merge))[::-1]
    feature_names = tuple(map(str, names))

    def negatives(codes: tuple[int, ...], positive: int) -> Moments:
        if len(codes) == 1 or len(codes) < len(classes) - 1:
            return reduce(merge, (classes[code] for code in codes))
        runs = before[positive - 1 : positive] if positive else [], after[positive + 1 : positive + 2]
        return reduce(merge, (part for run in runs for part in run))

    return [
        TwoClassSummary(
            ClassSummary(*negatives(*class_pair)), ClassSummary(*classes[class_pair[1]]), feature_names, *labels
        )
        for class_pair, labels in zip(encoded_labels.class_pairs, encoded_labels.names, strict=True)
    ]


def _summarize_batches(batches: Any, positive: Any, negative: Any, options: dict[str, Any]) -> TwoClassSummary:
    """Add up the summaries of batches (X, y)."""
    if not isinstance(batches, Iterable) or hasattr(batches, "shape"):
        raise RocPredictError(
            f"y is needed with X={short_repr(batches)}; without it X is an iterable of (X, y) batches"
        )
    for name, label in (("positive", positive), ("negative", negative)):
        if label is not None and not _is_one(label):
            raise RocPredictError(f"{name}={short_repr(label)} is not a label")
    total, other_labels = None, set()
    for batch in batches:
        table, labels = split_table_and_labels(*check_pair("a batch", batch, "(X, y)"))
        if positive is None:
            pairs = (0, 1), (-1, 1)
            if labels.dtype.kind not in "biuf" or not any(np.isin(labels, pair).all() for pair in pairs):
                raise RocPredictError("positive= is needed with batches, unless labels are {0, 1}, {-1, 1} or booleans")
            positive = 1
        coded = encode_binary_labels(labels, positive=positive, negative=negative)
        other_labels |= {name for name in unique_labels(labels) if name != positive}
        summary = summaries_by_class_pair(_read(table, coded, None, options), coded, table.names)[0]
        total = summary if total is None else total + summary
    if total is None:
        raise RocPredictError("X has no batches; give an iterable of (X, y)")
    for class_name in ("negative", "positive"):
        if not (getattr(total, class_name).count + getattr(total, class_name).n_missing).any():
            raise RocPredictError(
                f"no batch has a row of the {class_name} class, {getattr(total, f'{class_name}_label')!r}"
            )
    return total if negative is not None or len(other_labels) > 1 else replace(total, negative_label=other_labels.pop())
