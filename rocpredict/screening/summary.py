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
from rocpredict.sources.files import is_path, read_table_and_labels
from rocpredict.sources.table import FeatureTable, check_not_dataset, check_row_order

_COUNT_FIELDS = ("count", "n_missing")
_NONNEGATIVE_FIELDS = (*_COUNT_FIELDS, "m2", "m4")


@dataclass(frozen=True, eq=False, repr=False)
class ClassSummary(Result):
    """Counts and moments of the features in one class.

    Summaries of parts of a table can be added: ``first + second`` or ``sum(summaries)`` is the summary of the whole.

    Attributes
    ----------
    count : array of shape (features,)
        Number of values that are not missing, or the sum of their weights.
    n_missing : array of shape (features,)
        Number of missing values (NaN).
    mean : array of shape (features,)
        Mean, in the unit of the feature; NaN without values.
    m2 : array of shape (features,)
        Sum of squared deviations from the mean.
    m3, m4 : array of shape (features,), or None
        Sums of third and fourth powers of the deviations; None in a summary of two moments.
    minimum, maximum : array of shape (features,), or None
        Extremes; None in a summary of two moments.

    Examples
    --------
    >>> from rocpredict import summarize
    >>> summary = summarize([[1.0], [3.0], [4.0], [8.0]], [0, 0, 1, 1])
    >>> summary.positive
    ClassSummary(1 features, 2, order=2)
    >>> summary.positive.mean, summary.positive.m2
    (array([6.]), array([8.]))
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
        """Number of moments, 2 or 4."""
        return 2 if self.m3 is None else 4

    @property
    def is_valid(self) -> NDArray[np.bool_]:
        """Mask of the features with at least two values, and a mean and standard deviation within float64."""
        is_normal = (self.m2 == 0) | (self.m2 >= np.finfo(float).tiny)
        return np.asarray((self.count > 1) & np.isfinite(self.mean) & np.isfinite(self.m2) & is_normal)

    @property
    def std(self) -> FloatArray:
        """Standard deviation of each feature (ddof=1); NaN for fewer than two values."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(self.count > 1, np.sqrt(self.m2 / (self.count - 1)), np.nan)

    @property
    def skewness(self) -> FloatArray:
        """Skewness of each feature (ddof=0); NaN if the standard deviation is 0."""
        return self._standardised("m3", 3)

    @property
    def kurtosis(self) -> FloatArray:
        """Excess kurtosis of each feature (0 for a Gaussian); NaN if the standard deviation is 0."""
        return self._standardised("m4", 4) - 3

    def __len__(self) -> int:
        return len(self.mean)

    def __add__(self, other: object) -> ClassSummary:
        if not isinstance(other, ClassSummary):
            return NotImplemented
        if len(self) != len(other):
            raise RocPredictError(f"summaries of {len(self)} and {len(other)} features cannot be added")
        return ClassSummary(*(merge(self._moments(), other._moments())))

    def __radd__(self, other: object) -> ClassSummary:
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __repr__(self) -> str:
        return f"ClassSummary({len(self)} features, {_format_class_size(self.count)}, order={self.order})"

    def select(self, indices: slice | ArrayLike) -> ClassSummary:
        """Return the summary of some features.

        Parameters
        ----------
        indices : slice or array-like of int or bool
            Indices, slice or mask of the features.
        """
        selection = select_indices("indices", indices, len(self))
        return ClassSummary(*self._moments().map(lambda part: part[selection]))

    @classmethod
    def from_dict(cls, numbers: Mapping[str, Any]) -> Self:
        """Read a summary from a dictionary, as ``to_dict`` returns it.

        Parameters
        ----------
        numbers : mapping of str to list of float
            Values of the attributes; those that are None may be omitted.

        Raises
        ------
        RocPredictError
            If the names or values are not those of a summary, or the lists differ in length.
        """
        names = [item.name for item in fields(cls)]
        if not isinstance(numbers, dict) or not set(names[:4]) <= numbers.keys() <= set(names):
            raise RocPredictError(
                f"{short_repr(numbers)} is not a class summary; pass a dictionary of {', '.join(names)}"
            )
        arrays = {name: None if numbers.get(name) is None else _array(name, numbers[name]) for name in names}
        of_four = [arrays[name] is None for name in names[4:]]
        if any(arrays[name] is None for name in names[:4]) or any(of_four) != all(of_four):
            raise RocPredictError(
                "a class summary is incomplete; pass count, n_missing, mean and m2, and all or none of m3, m4, minimum "
                "and maximum"
            )
        if len({len(array) for array in arrays.values() if array is not None}) > 1:
            raise RocPredictError("arrays of a class summary differ in length; pass one number for each feature")
        return cls(**arrays)  # type: ignore[arg-type]

    def _moments(self) -> Moments:
        return Moments(*(getattr(self, name) for name in Moments._fields))

    def _standardised(self, name: str, power: int) -> FloatArray:
        moment: FloatArray | None = getattr(self, name)
        if moment is None:
            raise RocPredictError("this summary has two moments; compute it with moments=4")
        with np.errstate(invalid="ignore", divide="ignore", over="ignore", under="ignore"):
            std = np.sqrt(self.m2 / self.count)
            return np.where(std > 0, moment / self.count / std**power, np.nan)


@dataclass(frozen=True, eq=False, repr=False)
class TwoClassSummary(Result):
    """Counts and moments of the features in two classes.

    Summaries of parts of a table can be added: ``first + second`` or ``sum(summaries)`` is the summary of the whole.

    Attributes
    ----------
    negative, positive : ClassSummary
        Summary of each class.
    feature_names : tuple of str
        Names of the features.
    negative_label, positive_label : label
        Labels of the classes; "rest" stands for all other labels.

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
        """Number of moments, 2 or 4."""
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
                    f"summaries with {what} {short_repr(first)} and {short_repr(second)} cannot be added; they must be "
                    "equal"
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
        """Return the summary of some features.

        Parameters
        ----------
        indices : slice or array-like of int or bool
            Indices, slice or mask of the features.
        """
        names = tuple(self.feature_names[index] for index in select_indices("indices", indices, len(self)))
        return replace(
            self, negative=self.negative.select(indices), positive=self.positive.select(indices), feature_names=names
        )

    def to_json(self) -> str:
        """Return the summary as JSON, from which ``from_json`` restores it exactly.

        NaN is written as null, and infinities as the strings "inf" and "-inf".

        Raises
        ------
        RocPredictError
            If a label is neither text nor a number.
        """
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
        """Read a summary from JSON, as ``to_json`` returns it.

        Parameters
        ----------
        text : str
            JSON of a summary.

        Raises
        ------
        RocPredictError
            If the text is not the JSON of a summary.
        """
        try:
            fields_by_name = json.loads(text)
        except (TypeError, ValueError) as error:
            raise RocPredictError(f"text is not the JSON of a summary: {error}") from None
        names = [item.name for item in fields(cls)]
        if not isinstance(fields_by_name, dict) or sorted(fields_by_name) != sorted(names):
            raise RocPredictError(f"the JSON is not a summary; it needs {', '.join(names)}")
        classes = {name: ClassSummary.from_dict(fields_by_name[name]) for name in ("negative", "positive")}
        fields_by_name["feature_names"] = _names(fields_by_name["feature_names"])
        if {len(part) for part in classes.values()} != {len(fields_by_name["feature_names"])}:
            raise RocPredictError("the JSON is not a summary: its classes and feature_names differ in length")
        return cls(**fields_by_name | classes)


def _format_class_size(count: NDArray[Any]) -> str:
    """Format the counts of the features as one number, or as the smallest and largest ones."""
    if not len(count):
        return "0"
    low, high = count.min(), count.max()
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


def _names(names: Any) -> tuple[str, ...]:
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names) or len({*names}) < len(names):
        raise RocPredictError(
            f"the JSON is not a summary: feature_names={short_repr(names)} is not a list of unique names"
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
        limit = " of 0 or more" if name in _NONNEGATIVE_FIELDS else ""
        raise RocPredictError(f"{name}={short_repr(values)} is not a list with one number{limit} for each feature")
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
    """Compute counts and moments of the features of a table in two classes.

    Parameters
    ----------
    X : array-like of shape (n, features), sparse matrix, data frame, or batches
        Table or path as in ``screen``. Without ``y``: an iterable of (X, y) batches of one table, which need not fit
        into memory together.
    y : array-like of shape (n,), or str, optional
        Class labels, or the name of a column of a data frame, of a file or of ``obs``.
    positive : label, optional
        Label of the positive class. May be omitted for labels {0, 1}, {-1, 1} and booleans.
    negative : label, optional
        Label of the negative class. By default, all other labels. If it is named, observations with a third label are
        omitted. If both labels are named, a part of a table may lack one of the classes.
    moments : {2, 4}, default=2
        Number of moments.

        - 2: count, mean and sum of squares.
        - 4: also sums of third and fourth powers, minimum and maximum.
    weights : array-like of shape (n,), optional
        Frequency weights, 0 or more; not available for batches.
    engine : {"auto", "numpy", "numba"}, default="auto"
        Computing engine, as in ``screen``.
    n_jobs : int, default=1
        Number of threads; -1 for one on each processor. The result does not depend on it.

    Returns
    -------
    TwoClassSummary
        Summary, which ``screen`` and ``PredictedRoc.from_summary`` accept.

    Raises
    ------
    RocPredictError
        If ``X`` is not a table, ``y`` has another length or unknown labels, or an option is out of range.

    See Also
    --------
    screen : Rank the features of a table or summary.

    Notes
    -----
    Sums of powers are computed about a value of the data, so that an offset does not cost digits, and merged by the
    pairwise update [1]_ [2]_. Adding summaries rounds the mean. The relative error of the sum of squares is then about
    1e-16 times the square root of the count, times the offset in standard deviations.

    References
    ----------
    .. [1] Chan, Golub and LeVeque (1983), The American Statistician 37, 242.
    .. [2] Pebay (2008), Sandia report SAND2008-6212.

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
            raise RocPredictError("weights= is not available for batches; pass one table X with y")
        return _summarize_batches(X, positive, negative, options)
    check_index({"X" if isinstance(y, str) else "y": X if isinstance(y, str) else y, "weights": weights})
    table, labels = read_table_and_labels(X, y)
    if weights is not None:
        check_row_order(table, "weights")
    coded = _encode_batch_labels(labels, positive, negative)
    return summaries_by_class_pair(
        _read(table, coded, check_sample_weight(weights, table.n_rows), options), coded, table.names
    )[0]


def _encode_batch_labels(labels: NDArray[Any], positive: Any, negative: Any) -> EncodedLabels:
    """Encode the labels of a part of a table, which may lack one of two named classes."""
    names = unique_labels(labels)
    is_present = [is_label(label, names) for label in (positive, negative)]
    if positive is None or negative is None or all(is_present) or not (_is_one(positive) and _is_one(negative)):
        return encode_labels(labels, positive=positive, negative=negative, pairs=None)
    if not any(is_present):
        raise RocPredictError(
            f"y has neither positive={positive!r} nor negative={negative!r}; at least one of them is needed"
        )
    if positive == negative:
        raise RocPredictError(f"negative={negative!r} is also the positive label; pass two different labels")
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
    """Return the summary of each class pair from moments of shape (classes, features)."""
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
    check_not_dataset(batches)
    if is_path(batches):
        raise RocPredictError(f"y is missing with X={short_repr(batches)}; pass the name of the column of labels")
    if not isinstance(batches, Iterable) or hasattr(batches, "shape"):
        raise RocPredictError(
            f"y is missing with X={short_repr(batches)}; pass labels, or an iterable of (X, y) batches without y"
        )
    for name, label in (("positive", positive), ("negative", negative)):
        if label is not None and not _is_one(label):
            raise RocPredictError(f"{name}={short_repr(label)} is not a label")
    total, other_labels = None, set()
    for batch in batches:
        table, labels = read_table_and_labels(*check_pair("a batch", batch, "(X, y)"))
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
        raise RocPredictError("X has no batches; pass an iterable of (X, y)")
    for class_name in ("negative", "positive"):
        if not (getattr(total, class_name).count + getattr(total, class_name).n_missing).any():
            raise RocPredictError(
                f"no batch has an observation of the {class_name} class, {getattr(total, f'{class_name}_label')!r}"
            )
    return total if negative is not None or len(other_labels) > 1 else replace(total, negative_label=other_labels.pop())
