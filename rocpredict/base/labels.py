"""Class labels, sample weights and the samples of two classes.

Values and labels are matched by position. A pandas index is checked, but never used to reorder observations:

- If two arguments have equal indexes, or if only one of them has an index, they are matched by position.
- If one index is the default index 0, 1, 2, ... and the other is not, the arguments are also matched by position. There
  is one exception: if the other index is a permutation of the default index, an error is raised, since matching by
  index and matching by position would give different results.
- Any other difference between two indexes causes an error; the message suggests two remedies.

A column of a Dask DataFrame causes an error, since each computation may return the rows in a different order.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rocpredict.base.validation import (
    AssumptionWarning,
    FloatArray,
    Label,
    NanPolicy,
    RocPredictError,
    as_float_array,
    check_nonnegative,
    check_option,
    is_missing,
    is_number_text,
    is_scalar,
    number_format_hint,
    short_repr,
    suggest,
)

_DEFAULT_POSITIVE_LABELS = ({0, 1}, {-1, 1})
_MAX_VALUES_AS_LABELS = 20
_MAX_LABELS = 1_000
_N_LABELS_TO_SORT = 65_536
"""Number of labels that are sorted at a time, because sorting all of them takes more memory."""
_OMIT_REMEDY = "pass nan_policy='omit' to omit them"
REST_LABEL = "rest"
"""Label of the negative class if it consists of several labels."""
MAX_EXPANDED_ROWS = 10_000_000
"""Largest sum of integer weights for which each row is replaced by as many copies as its weight."""


class ClassRows(NamedTuple):
    """Row indices and labels of both classes, and the numbers of omitted rows and of rows without a label.

    If the negative class has several labels, ``negative_labels`` contains these labels; otherwise, it is empty.
    """

    negative: NDArray[np.intp]
    positive: NDArray[np.intp]
    negative_label: Any
    positive_label: Any
    omitted: tuple[int, int]
    n_unlabelled: int
    negative_labels: tuple[Any, ...]


class ClassSamples(NamedTuple):
    """Values of both classes, with weights, labels and row indices."""

    negative: FloatArray
    positive: FloatArray
    negative_weights: Any
    positive_weights: Any
    rows: ClassRows


class SourceRows(NamedTuple):
    """Row indices of both classes, and the labels of all rows as they were passed.

    The labels are None if they were not passed, or if they were passed as an iterator.
    """

    negative: NDArray[np.intp]
    positive: NDArray[np.intp]
    y: Any

    def shares_labels(self, other: SourceRows) -> bool:
        """Return whether both objects refer to the same label array in memory.

        Two equal arrays do not count as the same array, because they may contain the labels of different rows.
        """
        if self.y is None or self.y is other.y:
            return self.y is not None
        first, second = np.asarray(self.y), np.asarray(other.y)
        return bool(first.__array_interface__ == second.__array_interface__)


def split_classes(
    x: ArrayLike,
    y: ArrayLike,
    *,
    positive: Label = None,
    negative: Label = None,
    nan_policy: NanPolicy = "raise",
    weights: ArrayLike | None = None,
) -> ClassSamples:
    """Split the values of one feature by class.

    Parameters
    ----------
    x : array-like of shape (n,)
        Feature values.
    y : array-like of shape (n,)
        Class labels.
    positive : label, optional
        Label of the positive class. May be omitted if the labels are {0, 1}, {-1, 1} or booleans.
    negative : label, optional
        Label of the negative class. By default, all other labels are negative. If ``negative`` is passed, observations
        with neither of the two labels are omitted.
    nan_policy : {"raise", "omit"}, default="raise"
        How to handle observations with missing values or labels: raise an error, or omit them and report their number.
        A row without a label belongs to no class and is counted in ``rows.n_unlabelled``.
    weights : array-like of shape (n,), optional
        Nonnegative frequency weights.

    Returns
    -------
    ClassSamples

    Raises
    ------
    RocPredictError
        If ``x``, ``y`` and ``weights`` differ in length, values are not numbers, labels are unknown or ambiguous, a
        class has no observations or no weight above 0, pandas indexes do not match, or x and y seem to be exchanged.
        If ``nan_policy`` is "raise", missing values and missing labels also cause an error.
    """
    check_index({"y": y, "weights": weights})
    columns, rows = split_rows({"x": x}, y, positive=positive, negative=negative, nan_policy=nan_policy)
    values, row_weights = columns["x"], check_sample_weight(weights, len(columns["x"]))
    class_weights = (None, None) if row_weights is None else (row_weights[rows.negative], row_weights[rows.positive])
    for name, weights_of_class in zip(("negative", "positive"), class_weights, strict=True):
        if weights_of_class is not None and not weights_of_class.any():
            raise RocPredictError(
                f"weights of the {name} class are all 0; each class needs at least one weight above 0"
            )
    return ClassSamples(values[rows.negative], values[rows.positive], class_weights[0], class_weights[1], rows)


def split_rows(
    columns: Mapping[str, ArrayLike],
    y: ArrayLike,
    *,
    positive: Label = None,
    negative: Label = None,
    nan_policy: NanPolicy = "raise",
) -> tuple[dict[str, FloatArray], ClassRows]:
    """Return the rows of each class that have a value in every column.

    Parameters
    ----------
    columns : mapping of name to array of shape (n,)
    y, positive, negative, nan_policy
        As in ``split_classes``.

    Returns
    -------
    columns : dict of name to float array of shape (n,)
        Values of all rows.
    rows : ClassRows
        Row indices of both classes.
    """
    check_option("nan_policy", nan_policy, ("raise", "omit"))
    check_index({**columns, "y": y})
    labels = check_labels(y, next(iter(columns.values())), nan_policy=nan_policy)
    values = {name: check_feature(column, name) for name, column in columns.items()}
    for name, column in values.items():
        if len(column) != len(labels):
            raise RocPredictError(
                f"{name} has {len(column)} values and y has {len(labels)}; both must have the same length"
            )
    names, positive, negative = unique_labels(labels), _to_python(positive), _to_python(negative)
    first, column = next(iter(values.items()))
    if len(names) > _MAX_VALUES_AS_LABELS and labels.dtype.kind in "iu" and len(np.unique(column)) <= 2:
        raise RocPredictError(
            f"y has {len(names)} different values and {first} has at most 2; were {first} and y exchanged?"
        )
    positive = _resolve_positive(names, positive, negative)
    is_positive = equal_labels(labels, positive)
    unlabelled = is_unlabelled(labels)
    is_negative = ~(is_positive | unlabelled) if negative is None else equal_labels(labels, negative)
    omitted = np.zeros(len(labels), dtype=bool)
    for name, column in values.items():
        missing = np.isnan(column)
        if nan_policy == "raise":
            _refuse_nan(name, missing & (is_positive | is_negative), _OMIT_REMEDY)
        omitted |= missing
    groups = {"positive": is_positive & ~omitted, "negative": is_negative & ~omitted}
    for name, members in groups.items():
        if not members.any():
            raise RocPredictError(
                f"all observations of the {name} class have missing values; labels are {_format_labels(names)}"
            )
    n_omitted = int((is_negative & omitted).sum()), int((is_positive & omitted).sum())
    class_labels = _negative_name(names, positive, negative), positive
    both = np.flatnonzero(groups["negative"]), np.flatnonzero(groups["positive"])
    rest = tuple(name for name in names if name != positive) if negative is None and len(names) > 2 else ()
    return values, ClassRows(*both, *class_labels, n_omitted, int(unlabelled.sum()), rest)


@dataclass(frozen=True, eq=False)
class CodedLabels:
    """Labels of all rows, stored as one integer for each row; an array of text would take more memory."""

    values: NDArray[Any]
    """Distinct labels."""
    codes: NDArray[np.signedinteger[Any]]
    """Index of the label of each row; -1 for a missing label."""

    @classmethod
    def of(cls, values: NDArray[Any], parts: Iterable[NDArray[Any]]) -> CodedLabels:
        """Join the codes of adjacent parts of the rows."""
        return cls(values, np.concatenate([*parts], dtype=np.min_scalar_type(-len(values) - 1), casting="unsafe"))

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the labels."""
        return self.values.dtype

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        has_missing = bool((self.codes < 0).any())
        values = np.array([*self.values.tolist(), None], dtype=object) if has_missing else self.values
        return values[self.codes].astype(dtype or values.dtype, copy=False)

    def tolist(self) -> list[Any]:
        """Return the labels of all rows as a list."""
        return np.asarray(self).tolist()


Labels: TypeAlias = NDArray[Any] | CodedLabels


class EncodedLabels(NamedTuple):
    """Integer class code of each row, and the class pairs to compare."""

    codes: NDArray[np.int16]
    """Codes 0, 1, 2, ..., and -1 for a row without a class."""
    classes: int
    class_pairs: tuple[tuple[tuple[int, ...], int], ...]
    """For each pair, the codes of the negative classes and the code of the positive class."""
    names: tuple[tuple[Any, Any], ...]
    """(negative, positive) labels of each class pair; "rest" replaces several negative labels."""


def encode_labels(
    labels: Labels, *, positive: Label = None, negative: Label = None, pairs: str | None = "rest"
) -> EncodedLabels:
    """Convert labels to integer codes.

    Parameters
    ----------
    labels : array of shape (n,)
        Labels, as returned by ``check_labels``.
    positive, negative : label, optional
        As in ``split_classes``. If neither ``positive`` nor ``negative`` is passed and there are three or more labels,
        each label is a separate class.
    pairs : {"rest", "all"} or None, default="rest"
        - "rest": each class against all others.
        - "all": every pair of classes; if ``positive`` is passed, only the pairs that contain this class.
        - None: one pair, the positive class against ``negative`` or, by default, against all other labels.
    """
    if pairs is not None:
        check_option("pairs", pairs, ("rest", "all"))
    names, positive, negative = unique_labels(labels), _to_python(positive), _to_python(negative)
    most_stand_once = len(labels) < 2 * len(names) or len(names) > _MAX_LABELS  # typical of identifiers
    are_many = positive is None and negative is None and len(names) > _MAX_VALUES_AS_LABELS
    is_measured = are_many and labels.dtype.kind == "f" and any(name % 1 for name in names)
    if are_many and (most_stand_once or is_measured):
        raise RocPredictError(
            f"y has {len(names)} different values, too many for class labels; pass class labels, or name the positive "
            f"label, for example positive={names[-1]!r}"
        )
    if are_many and labels.dtype.kind in "iuf":
        warnings.warn(
            f"y has {len(names)} different numbers, and each would be a separate class; if they are measurements, such "
            "as ages, pass class labels instead, or name the positive label with positive=",
            AssumptionWarning,
            stacklevel=3,
        )
    if pairs and positive is None and negative is None and len(names) > 2:
        return _assign_codes(labels, names, range(len(names)), pairs)
    positive = _resolve_positive(names, positive, negative)
    if pairs == "all" and negative is None and len(names) > 2:
        return _assign_codes(labels, names, [names.index(positive)], pairs)
    coded = encode_binary_labels(labels, positive=positive, negative=negative)
    return coded._replace(names=((_negative_name(names, positive, negative), positive),))


def encode_binary_labels(labels: Labels, *, positive: Any, negative: Label = None) -> EncodedLabels:
    """Convert the labels of two classes to integer codes; either class may be absent."""
    is_positive = equal_labels(labels, positive)
    codes = is_positive.astype(np.int16)
    codes[is_unlabelled(labels) if negative is None else ~(is_positive | equal_labels(labels, negative))] = -1
    return EncodedLabels(codes, 2, (((0,), 1),), ((REST_LABEL if negative is None else negative, positive),))


def _assign_codes(labels: Labels, names: list[Any], positives: Sequence[int], pairs: str | None) -> EncodedLabels:
    codes = np.full(len(labels), -1, dtype=np.int16)
    for code, name in enumerate(names):
        codes[equal_labels(labels, name)] = code
    all_codes = range(len(names))
    if pairs == "rest":
        class_pairs = [(tuple(code for code in all_codes if code != k), k) for k in positives]
        pair_names = [(_rest_name(names), names[k]) for k in positives]
    else:
        single = len(positives) == 1
        class_pairs = [((i,), k) for k in positives for i in all_codes if (i != k if single else i < k)]
        pair_names = [(names[low[0]], names[k]) for low, k in class_pairs]
    return EncodedLabels(codes, len(names), tuple(class_pairs), tuple(pair_names))


def check_sample_weight(weights: ArrayLike | None, length: int, name: str = "weights") -> FloatArray | None:
    """Check that each row has one weight and that no weight is negative; return the weights, which may be None."""
    if weights is None:
        return None
    checked = check_nonnegative(name, weights)
    if checked.shape != (length,):
        raise RocPredictError(f"{name} has shape {checked.shape}; pass one weight for each of the {length} rows")
    return checked


def repeat_rows(weights: ArrayLike | None, *columns: ArrayLike) -> tuple[Any, ...]:
    """Repeat each row of the columns as often as its integer weight.

    Raises
    ------
    RocPredictError
        If a weight is negative or not an integer, if all weights are 0, or if the number of weights differs from the
        number of rows.
    """
    if weights is None:
        return columns
    try:
        arrays = [np.asarray(column) for column in columns]
    except ValueError:
        raise RocPredictError(
            "a column is ragged: its rows have different lengths; pass rows of equal length"
        ) from None
    if len({array.shape[:1] for array in arrays}) > 1 or not arrays[0].ndim:
        shapes = ", ".join(str(array.shape) for array in arrays)
        raise RocPredictError(f"columns have the shapes {shapes}; pass columns with one row for each weight")
    times = check_sample_weight(weights, len(arrays[0]))
    assert times is not None
    if (times != np.round(times)).any() or not times.any():
        raise RocPredictError(
            f"weights={short_repr(times.tolist())} are not frequency weights; pass nonnegative integers, at least one "
            "of them positive"
        )
    return tuple(np.repeat(array, times.astype(np.intp), axis=0) for array in arrays)


_EXCHANGED = " (were x and y exchanged?)"
_DTYPE_NAMES = {"U": "text", "S": "bytes", "c": "complex numbers", "M": "dates", "m": "durations"}


def check_feature(x: ArrayLike, name: str = "x") -> FloatArray:
    """Return the values of one feature as a float64 array of shape (n,), with NaN for missing values.

    Raises
    ------
    RocPredictError
        If ``x`` is not one column of real numbers, or contains integers that float64 cannot distinguish.
    """
    array = _fill_masked(name, x)
    if array.ndim != 1:
        raise RocPredictError(f"{name} has shape {array.shape}; pass one feature of shape (n,), such as {name}[:, 0]")
    if not array.size:
        raise RocPredictError(f"{name} is empty; pass one value for each row")
    if array.dtype.kind not in "biufO":
        what = _DTYPE_NAMES.get(array.dtype.kind, str(array.dtype))
        is_time = array.dtype.kind in "mM"
        first = str(_times_to_objects(array)[np.argmin(np.isnat(array))]) if is_time else array[0].item()
        hint = _EXCHANGED if is_time else _text_hint(first)
        raise RocPredictError(f"{name} contains {what} such as {first!r}; numbers are needed{hint}")
    texts = [item for item in array if isinstance(item, (str, bytes))] if array.dtype.kind == "O" else []
    if texts:
        raise RocPredictError(f"{name} contains text such as {texts[0]!r}; numbers are needed{_text_hint(texts[0])}")
    return as_float_array(name, array)


def _text_hint(text: Any) -> str:
    if is_number_text(text):
        return "; convert the text to numbers, for example with astype(float)"
    return number_format_hint(text) or _EXCHANGED


def check_labels(y: ArrayLike | CodedLabels, x: ArrayLike, *, nan_policy: NanPolicy | None = None) -> NDArray[Any]:
    """Check the labels, and return them as an array of shape (n,).

    Parameters
    ----------
    y : array of shape (n,), or CodedLabels
        Labels. Dates and times are converted to objects of the module ``datetime``; coded labels remain coded.
    x : array
        Feature values. If ``x`` is one column and there are too many different labels, the error message asks "(were x
        and y exchanged?)".
    nan_policy : {"raise", "omit"}, optional
        With "omit", missing labels become None. Otherwise, missing labels cause an error. The message suggests "omit"
        only if "raise" was passed.
    """
    if isinstance(y, CodedLabels):
        _check_missing_labels(is_unlabelled(y), nan_policy)
        check_labels(y.values, x)
        return y  # type: ignore[return-value]
    labels = _fill_masked("y", y)
    if labels.ndim != 1:
        raise RocPredictError(f"y has shape {labels.shape}; pass an array of shape (n,) with one label for each row")
    if not labels.size:
        raise RocPredictError("y is empty; pass one label for each row")
    objects = labels.dtype.kind in "OV"
    iterable = [label for label in labels if isinstance(label, Iterable)] if objects else []
    compound = [label for label in iterable if not isinstance(label, (str, bytes))]
    if compound:
        raise RocPredictError(
            f"y contains {short_repr(compound[0])}; each label must be a single value such as a number or text"
        )
    missing = find_missing(labels)
    _check_missing_labels(missing, nan_policy)
    n_values = len(np.unique(labels[~missing])) if labels.dtype.kind == "f" else 0
    if n_values > _MAX_VALUES_AS_LABELS:
        hint = " (were x and y exchanged?)" if np.ndim(x) == 1 else ""
        raise RocPredictError(f"y has {n_values} different values, too many for class labels{hint}")
    labels = _times_to_objects(labels)
    if missing.any():
        labels = labels.astype(object)
        labels[missing] = None
    return labels


def check_label_part(y: ArrayLike, *, nan_policy: NanPolicy | None = None) -> NDArray[Any]:
    """Check the labels of some rows as ``check_labels`` does; there may be no rows or, with "omit", no labels."""
    labels = _fill_masked("y", y)
    if not len(labels) or (nan_policy == "omit" and find_missing(labels).all()):
        return np.full(len(labels), None)
    return check_labels(labels, np.empty((0, 0)), nan_policy=nan_policy)


def _check_missing_labels(missing: NDArray[np.bool_], nan_policy: NanPolicy | None) -> None:
    if nan_policy != "omit" and missing.any():
        _refuse_nan("y", missing, label_remedy(nan_policy))
    if missing.all():
        raise RocPredictError("all labels in y are missing; two classes are needed")


def label_remedy(nan_policy: NanPolicy | None) -> str:
    """Return what the user can do about missing labels."""
    return _OMIT_REMEDY if nan_policy == "raise" else "remove these rows"


def equal_labels(labels: Labels, label: Any) -> NDArray[np.bool_]:
    """Return a mask of the labels that equal ``label``; unlike in NumPy, trailing NUL characters are significant."""
    if isinstance(labels, CodedLabels):
        is_equal = np.zeros(len(labels), dtype=bool)
        for code in np.flatnonzero(equal_labels(labels.values, label)):
            is_equal |= labels.codes == code
        return is_equal
    if labels.dtype.kind == "O":
        wrapped = np.empty((), dtype=object)
        wrapped[()] = _to_python(label)
        return np.asarray(labels == wrapped, dtype=np.bool_)
    if isinstance(label, (str, bytes)) and label[-1:] in ("\0", b"\0"):
        return np.zeros(len(labels), dtype=bool)
    return np.asarray(labels == label)


def is_unlabelled(labels: Labels) -> NDArray[np.bool_]:
    """Return a mask of the rows without a label; ``check_labels`` returned the labels."""
    if isinstance(labels, CodedLabels):
        return labels.codes < 0
    return equal_labels(labels, None) if labels.dtype.kind == "O" else np.zeros(len(labels), bool)


def encode_groups(name: str, groups: ArrayLike, length: int) -> tuple[NDArray[np.intp], list[Any]]:
    """Return the group code of each row (-1 if its group is missing) and the sorted names of the groups.

    Raises
    ------
    RocPredictError
        If ``groups`` does not have one value for each row, or if its values cannot be sorted.
    """
    column = _fill_masked(name, groups)
    if column.shape != (length,):
        raise RocPredictError(f"{name} has shape {column.shape}; pass one value for each of the {length} rows")
    missing = find_missing(column)
    column = _times_to_objects(column)
    codes = np.full(length, -1, dtype=np.intp)
    try:
        names, codes[~missing] = np.unique(column[~missing], return_inverse=True)
    except (TypeError, ValueError):
        raise RocPredictError(
            f"{name} contains values of different types that cannot be sorted; pass numbers or text"
        ) from None
    return codes, names.tolist()


def omit_rows(rows: ClassRows, missing: NDArray[np.bool_], name: str, nan_policy: NanPolicy) -> ClassRows:
    """Omit rows with missing values from both classes, or raise an error if ``nan_policy`` is "raise"."""
    parts = rows.negative, rows.positive
    in_class = np.zeros(len(missing), dtype=bool)
    in_class[np.concatenate(parts)] = True
    if nan_policy == "raise":
        _refuse_nan(name, missing & in_class, _OMIT_REMEDY)
    kept = [part[~missing[part]] for part in parts]
    for class_name, part in zip(("negative", "positive"), kept, strict=True):
        if not part.size:
            raise RocPredictError(f"{name} has missing values for all remaining observations of the {class_name} class")
    n_lost = [len(part) - len(rest) for part, rest in zip(parts, kept, strict=True)]
    omitted = rows.omitted[0] + n_lost[0], rows.omitted[1] + n_lost[1]
    return rows._replace(negative=kept[0], positive=kept[1], omitted=omitted)


def check_index(columns: Mapping[str, Any]) -> None:
    """Check that the indexes of pandas columns match, and that no column is part of a Dask DataFrame.

    The module docstring explains the rules.

    Parameters
    ----------
    columns : mapping of argument name to argument
        Arguments of any type; the columns of a mapping are checked one by one, and objects without an index are
        ignored.
    """
    flat = [*_flatten(columns)]
    for name, column in flat:
        check_not_lazy(name, column)
    indexes = [(name, index) for name, column in flat if (index := _row_index(column)) is not None]
    if len(indexes) > 1:
        indexes = [(name, index.compute() if hasattr(index, "compute") else index) for name, index in indexes]
    for (first, index), (second, other) in pairwise(indexes):
        if index is other or len(index) != len(other) or index.equals(other):  # unequal lengths raise an error later
            continue
        if any(_is_default(a) and not _is_permutation(b) for a, b in ((index, other), (other, index))):
            continue
        raise RocPredictError(
            f"the pandas indexes of {first} and {second} differ; align them, for example with "
            f"{second}.loc[{first}.index], or pass {second}.to_numpy() to match by position"
        )


def check_not_lazy(name: str, values: Any) -> None:
    """Raise RocPredictError for columns of a Dask DataFrame and for Dask arrays of unknown size.

    The rows of such data may be in a different order in each computation.
    """
    is_part = type(values).__module__.startswith("dask.") and type(values).__name__ != "DataFrame"
    sizes = (getattr(values, "shape", None) or ()) if is_part else ()
    if any(not isinstance(size, int) for size in sizes):  # the length of such a column is not known in advance
        if type(values).__name__ == "Array":
            raise RocPredictError(
                f"{name} is a Dask array with chunks of unknown sizes; pass {name}.compute_chunk_sizes(), or, if it is "
                "part of a Dask DataFrame, call frame.compute() once and pass columns of the result"
            )
        raise RocPredictError(
            f"{name} is part of a Dask DataFrame, which may return its rows in a different order each time; call "
            "frame.compute() once and pass columns of the result"
        )


def _flatten(columns: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, column in columns.items():
        if isinstance(column, Mapping) and not hasattr(column, "tocsc"):  # a sparse DOK array is a mapping too
            yield from ((f"{name}[{key!r}]", item) for key, item in column.items())
        else:
            yield name, column


def _row_index(column: Any) -> Any:
    """Return the row index of a pandas object, a Dask DataFrame or AnnData, or None for other objects."""
    index = getattr(column, "obs_names", None) if hasattr(column, "var_names") else getattr(column, "index", None)
    is_pandas = hasattr(index, "equals") and hasattr(index, "nlevels")
    return index if is_pandas or hasattr(index, "divisions") else None


def _is_default(index: Any) -> bool:
    return bool(type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1)


def _is_permutation(index: Any) -> bool:
    """Return whether an index is a permutation of 0, 1, 2, ..."""
    labels = np.asarray(index)
    return labels.dtype.kind in "iu" and np.array_equal(np.sort(labels), np.arange(len(labels)))


def as_rereadable(values: Any) -> Any:
    """Convert an iterator to a list, and return other values unchanged."""
    return list(values) if isinstance(values, Iterator) else values


def as_label_column(name: str, values: Any) -> NDArray[Any]:
    """Convert values of any shape to an array whose items have the types that ``check_labels`` returns."""
    return _times_to_objects(_fill_masked(name, values))


def find_missing(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Return a mask of the items that are None, NaN, NaT or NA."""
    if values.dtype.kind in "OV":
        if {*map(type, values.flat)} <= {str, bytes, int, bool}:
            return np.zeros(len(values), dtype=bool)
        return np.array([is_missing(value) or not _is_equal(value, value) for value in values], dtype=bool)
    return np.asarray(values != values) if values.dtype.kind in "fcmM" else np.zeros(len(values), dtype=bool)  # noqa: PLR0124


def _times_to_objects(values: NDArray[Any]) -> NDArray[Any]:
    """Convert NumPy dates and times to Python objects; if any is finer than a microsecond, all remain NumPy objects."""
    if values.dtype.kind not in "mM":
        return values
    coarse = values.astype(f"{values.dtype.kind}8[us]") if np.datetime_data(values.dtype)[0] == "ns" else values
    objects = np.empty(values.size, dtype=object)
    is_finer = (coarse != values) & (values == values)  # noqa: PLR0124
    objects[:] = list(values.ravel()) if is_finer.any() else coarse.ravel().tolist()
    return objects.reshape(values.shape)


def _to_python(label: Any) -> Any:
    """Convert a NumPy date or time to the type that ``check_labels`` returns, and return other labels unchanged."""
    return _times_to_objects(np.array([label]))[0] if isinstance(label, (np.datetime64, np.timedelta64)) else label


def _is_equal(item: Any, label: Any) -> bool:
    try:
        return bool(item == _to_python(label))
    except (TypeError, ValueError, ArithmeticError):  # comparison fails, for example with a signaling NaN
        return False


def unique_labels(labels: Labels) -> list[Any]:
    """Return the distinct labels in sorted order."""
    if isinstance(labels, CodedLabels):
        is_present = np.zeros(len(labels.values) + 1, dtype=bool)
        for start in range(0, len(labels), _N_LABELS_TO_SORT):  # NumPy converts indices to 64 bits
            is_present[labels.codes[start : start + _N_LABELS_TO_SORT]] = True
        return unique_labels(labels.values[is_present[:-1]])
    if labels.dtype.kind in "biu":
        extremes = [labels.min(), labels.max()]
        if np.count_nonzero(labels == extremes[0]) + np.count_nonzero(labels == extremes[1]) == len(labels):
            return [label.item() for label in extremes]  # only two labels: no sort is needed
    if labels.dtype.kind == "O":
        labels = labels[~is_unlabelled(labels)]
    if labels.dtype.kind == "U":
        starts = range(0, len(labels), _N_LABELS_TO_SORT)
        labels = np.concatenate([labels[:0], *(np.unique(labels[i : i + _N_LABELS_TO_SORT]) for i in starts)])
    try:
        return list(np.unique(labels).tolist())
    except TypeError:  # labels of different types may have no order
        return check_label_types(sorted(set(labels.tolist()), key=repr))


def count_labels(labels: Labels) -> dict[Any, int]:
    """Return the number of rows with each label, in the order of the labels."""
    return {name: int(np.count_nonzero(equal_labels(labels, name))) for name in unique_labels(labels)}


def check_label_types(names: list[Any]) -> list[Any]:
    """Return the distinct labels, or raise RocPredictError if two of them differ only in their type."""
    label_of_text: dict[str, Any] = {}
    for name in names:
        other = label_of_text.setdefault(str(name), name)
        if other != name:
            raise RocPredictError(
                f"y contains the labels {other!r} and {name!r}, which differ only in their type; convert all labels to "
                "the same type"
            )
    return names


def _resolve_positive(names: list[Any], positive: Any, negative: Any) -> Any:
    """Return the positive label, or raise an error if there are not two different labels."""
    if len(names) == 1:
        raise RocPredictError(f"y has only the label {names[0]!r}; two classes are needed")
    for which, label in (("negative", negative), ("positive", positive)):
        if label is not None:
            check_label(which, label, names)
    positive = _default_positive(names, negative) if positive is None else positive
    if negative is not None and negative == positive:
        raise RocPredictError(f"negative={negative!r} is also the positive label; pass two different labels")
    return positive


def _negative_name(names: list[Any], positive: Any, negative: Any) -> Any:
    rest = [name for name in names if name != positive]
    return negative if negative is not None else rest[0] if len(rest) == 1 else _rest_name(names)


def _rest_name(names: list[Any]) -> str:
    """Return a name for a class that consists of several labels; no label equals this name."""
    return next(word for word in (REST_LABEL, "the rest", "all the rest", "every other") if word not in names)


def _default_positive(names: list[Any], negative: Any) -> Any:
    if negative is not None and len(names) == 2:
        return next(name for name in names if name != negative)
    if not all(isinstance(name, (bool, int, float)) for name in names):
        raise RocPredictError(
            f"positive= is needed: which of the labels {_format_labels(names)} is the positive class?"
        )
    if any(set(names) == pair for pair in _DEFAULT_POSITIVE_LABELS):
        return max(names)
    raise RocPredictError(
        f"positive= is needed: labels are {_format_labels(names)}, "
        "and only {0, 1}, {-1, 1} and booleans have a default positive label"
    )


def is_label(label: Any, names: list[Any]) -> bool:
    """Return whether a value is one of the labels."""
    return is_scalar(label) and not is_missing(label) and any(_is_equal(name, label) for name in names)


def check_label(name: str, label: Any, labels: list[Any]) -> None:
    """Raise RocPredictError if a value is not one of the labels."""
    if not is_label(label, labels):
        raise RocPredictError(
            f"{name}={short_repr(label)} is not a label in y; labels are {_format_labels(labels)}"
            f"{suggest(label, labels)}"
        )


def _refuse_nan(name: str, missing: NDArray[np.bool_], remedy: str) -> None:
    rows = np.flatnonzero(missing)
    if rows.size:
        row_text = ", ".join(map(str, rows[:5])) + (", ..." if rows.size > 5 else "")
        raise RocPredictError(
            f"{name} has missing values (NaN) in {rows.size} of {missing.size} rows: {row_text}; {remedy}"
        )


def _fill_masked(name: str, values: Any) -> NDArray[Any]:
    """Convert values to an array in which masked items are None and other items are unchanged."""
    if isinstance(values, np.ma.MaskedArray):
        if not np.ma.is_masked(values):
            return np.asarray(values.data)
        objects = np.asarray(values.data).astype(object)
        objects[np.ma.getmaskarray(values)] = None
        return objects
    if hasattr(values, "tocsc"):
        shape = values.shape
        raise RocPredictError(f"{name} is a sparse matrix of shape {shape}; convert it to a dense array with toarray()")
    if isinstance(values, (str, bytes, dict, set)) or not (
        hasattr(values, "__array__") or isinstance(values, Iterable)
    ):
        raise RocPredictError(f"{name}={short_repr(values)} is not an array; pass one value for each row")
    if hasattr(values, "__array__"):
        return np.asarray(values)
    items = list(values)
    try:
        array = np.asarray(items)
    except ValueError:
        raise RocPredictError(f"{name}={short_repr(items)} is ragged; pass rows of equal length") from None
    if array.ndim == 1 and array.dtype.kind in "USf" and array.tolist() != items:
        # NumPy converts NaN to text if another item is text, and 2**53 + 1 to float if another item is a float
        return np.array(items, dtype=object)
    return array


def _format_labels(names: list[Any]) -> str:
    return repr(names) if len(names) <= 10 else f"[{', '.join(map(repr, names[:10]))}, ...] ({len(names)} in all)"
