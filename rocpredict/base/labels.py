"""Class labels, sample weights and the samples of two classes.

Rows correspond by their position. A pandas index is compared, and never used to reorder rows:

- Equal indexes, or an index on one side only: the rows correspond by position.
- The default index 0, 1, 2, ... beside another one carries no names: the rows correspond by position. An index that is
  a permutation of it is refused, since alignment and position would give different answers.
- Any other two indexes that differ are refused; the message names both remedies.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rocpredict.base.validation import (
    FloatArray,
    Label,
    NanPolicy,
    RocPredictError,
    as_float_array,
    check_nonnegative,
    check_option,
    is_missing,
    is_scalar,
    short_repr,
    suggest,
)

_DEFAULT_POSITIVE_LABELS = ({0, 1}, {-1, 1})
_MAX_VALUES_AS_LABELS = 20
_MAX_LABELS = 1_000
_OMIT_REMEDY = "nan_policy='omit' leaves them out"
REST_LABEL = "rest"
"""What several negative labels are called together."""
MAX_EXPANDED_ROWS = 10_000_000
"""Up to which whole weights are written out as rows."""


class ClassRows(NamedTuple):
    """Rows of both classes, their labels and the numbers of rows omitted for missing values."""

    negative: NDArray[np.intp]
    positive: NDArray[np.intp]
    negative_label: Any
    positive_label: Any
    omitted: tuple[int, int]


class ClassSamples(NamedTuple):
    """Values of both classes, their labels, the numbers of omitted rows, and the weights and rows of the values."""

    negative: FloatArray
    positive: FloatArray
    negative_label: Any
    positive_label: Any
    omitted_negative: int
    omitted_positive: int
    negative_weights: Any
    positive_weights: Any
    rows: ClassRows


class SourceRows(NamedTuple):
    """Rows of the cases of both classes, and the labels of all rows as they were given; None for an iterator."""

    negative: NDArray[np.intp]
    positive: NDArray[np.intp]
    y: Any

    def shares_labels(self, other: SourceRows) -> bool:
        """Return whether the labels are the same object or memory; equal labels may be those of other observations."""
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
    x : array of shape (n,)
        Numbers.
    y : array of shape (n,)
        Labels of two or more kinds.
    positive : label, optional
        May be left out for labels {0, 1}, {-1, 1} or booleans: the larger one.
    negative : label, optional
        None: every other label. Named: rows with a third label are dropped.
    nan_policy : {"raise", "omit"}, default="raise"
        What to do with rows whose value or label is missing. A row without a label belongs to no class, and is not
        counted among the omitted ones of either.
    weights : array of shape (n,), optional
        How many cases each row stands for: 0 or more.

    Raises
    ------
    RocPredictError
        Lengths that differ, values that are not numbers, labels that are unknown or ambiguous, a class
        without rows, NaN under "raise", the signs of x and y in each other's place; weights of another length
        or none above 0 in a class; pandas indexes that do not match.
    """
    check_index({"y": y, "weights": weights})
    columns, rows = split_rows({"x": x}, y, positive=positive, negative=negative, nan_policy=nan_policy)
    values, row_weights = columns["x"], check_sample_weight(weights, len(columns["x"]))
    class_weights = (None, None) if row_weights is None else (row_weights[rows.negative], row_weights[rows.positive])
    for name, weights_of_class in zip(("negative", "positive"), class_weights, strict=True):
        if weights_of_class is not None and not weights_of_class.any():
            raise RocPredictError(f"weights of the {name} class are all 0; a class needs one above 0")
    samples = values[rows.negative], values[rows.positive]
    labels_and_omitted = rows.negative_label, rows.positive_label, *rows.omitted
    return ClassSamples(*samples, *labels_and_omitted, class_weights[0], class_weights[1], rows)


def split_rows(
    columns: Mapping[str, ArrayLike],
    y: ArrayLike,
    *,
    positive: Label = None,
    negative: Label = None,
    nan_policy: NanPolicy = "raise",
) -> tuple[dict[str, FloatArray], ClassRows]:
    """Return the rows of each class that have a value in every column: pairs stay pairs.

    Parameters
    ----------
    columns : mapping of name to array of shape (n,)
    y, positive, negative, nan_policy
        As in ``split_classes``.

    Returns
    -------
    columns : dict of name to float array of shape (n,)
        All rows, as float64.
    rows : ClassRows
    """
    check_option("nan_policy", nan_policy, ("raise", "omit"))
    check_index({**columns, "y": y})
    labels = check_labels(y, next(iter(columns.values())), nan_policy=nan_policy)
    values = {name: check_feature(column, name) for name, column in columns.items()}
    for name, column in values.items():
        if len(column) != len(labels):
            raise RocPredictError(f"{name} has {len(column)} rows and y has {len(labels)}; they must have as many")
    names, positive, negative = unique_labels(labels), _to_python(positive), _to_python(negative)
    first, column = next(iter(values.items()))
    if len(names) > _MAX_VALUES_AS_LABELS and labels.dtype.kind in "iu" and len(np.unique(column)) <= 2:
        raise RocPredictError(
            f"y has {len(names)} different values and {first} no more than 2; were {first} and y exchanged?"
        )
    positive = _resolve_positive(names, positive, negative)
    is_positive = equal_labels(labels, positive)
    is_negative = ~(is_positive | is_unlabelled(labels)) if negative is None else equal_labels(labels, negative)
    omitted = np.zeros(len(labels), dtype=bool)
    for name, column in values.items():
        missing = np.isnan(column)
        if nan_policy == "raise":
            _refuse_nan(name, missing & (is_positive | is_negative), _OMIT_REMEDY)
        omitted |= missing
    groups = {"positive": is_positive & ~omitted, "negative": is_negative & ~omitted}
    for name, members in groups.items():
        if not members.any():
            raise RocPredictError(f"the {name} class has no rows with a value; labels are {_format_labels(names)}")
    n_omitted = int((is_negative & omitted).sum()), int((is_positive & omitted).sum())
    class_labels = _negative_name(names, positive, negative), positive
    both = np.flatnonzero(groups["negative"]), np.flatnonzero(groups["positive"])
    return values, ClassRows(*both, *class_labels, n_omitted)


class EncodedLabels(NamedTuple):
    """Class of each row as a number, and the classes that are compared with each other."""

    codes: NDArray[np.int16]
    """From 0 on; -1 for a row of no class."""
    classes: int
    class_pairs: tuple[tuple[tuple[int, ...], int], ...]
    """The codes that together are the negatives, and that of the positives."""
    names: tuple[tuple[Any, Any], ...]
    """The (negative, positive) label of each class pair; "rest" for several."""


def encode_labels(
    labels: NDArray[Any], *, positive: Label = None, negative: Label = None, pairs: str | None = "rest"
) -> EncodedLabels:
    """Convert labels to class numbers.

    Parameters
    ----------
    labels : array of shape (n,)
        As ``check_labels`` gives them.
    positive, negative : label, optional
        As in ``split_classes``. With neither of them and three or more labels each is a class of its own.
    pairs : {"rest", "all"} or None
        Each class against the rest, or every two classes against each other; with ``positive`` that one only.
        None: two classes only.
    """
    if pairs is not None:
        check_option("pairs", pairs, ("rest", "all"))
    names, positive, negative = unique_labels(labels), _to_python(positive), _to_python(negative)
    most_stand_once = len(labels) < 2 * len(names) or len(names) > _MAX_LABELS  # identities of the rows, or values
    if positive is None and negative is None and len(names) > _MAX_VALUES_AS_LABELS and most_stand_once:
        raise RocPredictError(
            f"y has {len(names)} different values, more than labels would have; name positive=, or give labels"
        )
    if pairs and positive is None and negative is None and len(names) > 2:
        return _assign_codes(labels, names, range(len(names)), pairs)
    positive = _resolve_positive(names, positive, negative)
    if pairs == "all" and negative is None and len(names) > 2:
        return _assign_codes(labels, names, [names.index(positive)], pairs)
    coded = encode_binary_labels(labels, positive=positive, negative=negative)
    return coded._replace(names=((_negative_name(names, positive, negative), positive),))


def encode_binary_labels(labels: NDArray[Any], *, positive: Any, negative: Label = None) -> EncodedLabels:
    """Convert labels of two classes to numbers; either class may be absent."""
    is_positive = equal_labels(labels, positive)
    codes = is_positive.astype(np.int16)
    if negative is not None:
        codes[~(is_positive | equal_labels(labels, negative))] = -1
    return EncodedLabels(codes, 2, (((0,), 1),), ((REST_LABEL if negative is None else negative, positive),))


def _assign_codes(labels: NDArray[Any], names: list[Any], positives: Sequence[int], pairs: str | None) -> EncodedLabels:
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
    """Return one weight for each row, 0 or more, or None when there are none."""
    if weights is None:
        return None
    checked = check_nonnegative(name, weights)
    if checked.shape != (length,):
        raise RocPredictError(f"{name} has shape {checked.shape}; give one for each of the {length} rows")
    return checked


def repeat_rows(weights: ArrayLike | None, *columns: ArrayLike) -> tuple[Any, ...]:
    """Return the columns with each row as often as its weight says; weights must be whole.

    Raises
    ------
    RocPredictError
        Weights that are negative, not whole, all 0, or not one for each row.
    """
    if weights is None:
        return columns
    arrays = [np.asarray(column) for column in columns]
    if len({array.shape[:1] for array in arrays}) > 1 or not arrays[0].ndim:
        shapes = ", ".join(str(array.shape) for array in arrays)
        raise RocPredictError(f"columns have the shapes {shapes}; each has one row for each weight")
    times = check_sample_weight(weights, len(arrays[0]))
    assert times is not None
    if (times != np.round(times)).any() or not times.any():
        raise RocPredictError(f"weights={short_repr(times.tolist())} are not whole numbers of cases, some above 0")
    return tuple(np.repeat(array, times.astype(np.intp), axis=0) for array in arrays)


_DTYPE_NAMES = {"U": "text", "S": "bytes", "c": "complex numbers", "M": "dates", "m": "durations"}


def check_feature(x: ArrayLike, name: str = "x") -> FloatArray:
    """Return the values of one feature as float64 of shape (n,), NaN for what is missing.

    Raises
    ------
    RocPredictError
        What is not one column of real numbers, and integers that float64 would make equal.
    """
    array = _fill_masked(name, x)
    if array.ndim != 1:
        raise RocPredictError(f"{name} has shape {array.shape}; give one feature of shape (n,), such as {name}[:, 0]")
    if not array.size:
        raise RocPredictError(f"{name} is empty; give one value for each row")
    if array.dtype.kind not in "biufO":
        what, first = _DTYPE_NAMES.get(array.dtype.kind, str(array.dtype)), array[0].item()
        raise RocPredictError(f"{name} holds {what} such as {first!r}; numbers are needed (were x and y exchanged?)")
    texts = [item for item in array if isinstance(item, (str, bytes))] if array.dtype.kind == "O" else []
    if texts:
        raise RocPredictError(f"{name} holds text such as {texts[0]!r}; numbers are needed (were x and y exchanged?)")
    return as_float_array(name, array)


def check_labels(y: ArrayLike, x: ArrayLike, *, nan_policy: NanPolicy | None = None) -> NDArray[Any]:
    """Return one label for each row, shape (n,), or refuse missing or compound labels, and values in their place.

    Parameters
    ----------
    y : array of shape (n,)
        Dates and times become objects of ``datetime``.
    x : array
        The values beside the labels, for the message.
    nan_policy : {"raise", "omit"}, optional
        "omit": missing labels are None. Left out: they are refused, and the message names no option.
    """
    labels = _fill_masked("y", y)
    if labels.ndim != 1:
        raise RocPredictError(f"y has shape {labels.shape}; give one label for each row, shape (n,)")
    if not labels.size:
        raise RocPredictError("y is empty; give one label for each row")
    objects = labels.dtype.kind in "OV"
    iterable = [label for label in labels if isinstance(label, Iterable)] if objects else []
    compound = [label for label in iterable if not isinstance(label, (str, bytes))]
    if compound:
        raise RocPredictError(f"y holds {short_repr(compound[0])}; a label is one number, text or other single thing")
    missing = find_missing(labels)
    if nan_policy != "omit" and missing.any():
        _refuse_nan("y", missing, _OMIT_REMEDY if nan_policy == "raise" else "leave these rows out")
    if missing.all():
        raise RocPredictError("y holds missing labels only; two classes are needed")
    n_values = len(np.unique(labels[~missing])) if labels.dtype.kind == "f" else 0
    if n_values > _MAX_VALUES_AS_LABELS:
        hint = " (were x and y exchanged?)" if np.ndim(x) == 1 else ""
        raise RocPredictError(f"y has {n_values} different values, more than labels would have{hint}")
    labels = _times_to_objects(labels)
    if missing.any():
        labels = labels.astype(object)
        labels[missing] = None
    return labels


def equal_labels(labels: NDArray[Any], label: Any) -> NDArray[np.bool_]:
    """Return which labels are equal to one of them, as Python compares: NumPy ignores a NUL at the end of text."""
    if labels.dtype.kind == "O":
        wrapped = np.empty((), dtype=object)
        wrapped[()] = _to_python(label)
        return np.asarray(labels == wrapped, dtype=np.bool_)
    if isinstance(label, (str, bytes)) and label[-1:] in ("\0", b"\0"):
        return np.zeros(len(labels), dtype=bool)
    return np.asarray(labels == label)


def is_unlabelled(labels: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which rows have no label, of labels as ``check_labels`` returns them."""
    return equal_labels(labels, None) if labels.dtype.kind == "O" else np.zeros(len(labels), bool)


def encode_groups(name: str, groups: ArrayLike, length: int) -> tuple[NDArray[np.intp], list[Any]]:
    """Return the number of the group of each row, -1 where it is missing, and the names of the groups in their order.

    Raises
    ------
    RocPredictError
        Groups that are not one for each row, or have no order.
    """
    column = _fill_masked(name, groups)
    if column.shape != (length,):
        raise RocPredictError(f"{name} has shape {column.shape}; give one for each of the {length} rows")
    missing = find_missing(column)
    column = _times_to_objects(column)
    codes = np.full(length, -1, dtype=np.intp)
    try:
        names, codes[~missing] = np.unique(column[~missing], return_inverse=True)
    except (TypeError, ValueError):
        raise RocPredictError(
            f"{name} holds values of different kinds that have no order; give numbers or text"
        ) from None
    return codes, names.tolist()


def omit_rows(rows: ClassRows, missing: NDArray[np.bool_], name: str, nan_policy: NanPolicy) -> ClassRows:
    """Return the rows of both classes for which something is there, or refuse that it is missing."""
    parts = rows.negative, rows.positive
    in_class = np.zeros(len(missing), dtype=bool)
    in_class[np.concatenate(parts)] = True
    if nan_policy == "raise":
        _refuse_nan(name, missing & in_class, _OMIT_REMEDY)
    kept = [part[~missing[part]] for part in parts]
    for class_name, part in zip(("negative", "positive"), kept, strict=True):
        if not part.size:
            raise RocPredictError(f"the {class_name} class has no rows with a value of {name}")
    n_lost = [len(part) - len(rest) for part, rest in zip(parts, kept, strict=True)]
    omitted = rows.omitted[0] + n_lost[0], rows.omitted[1] + n_lost[1]
    return rows._replace(negative=kept[0], positive=kept[1], omitted=omitted)


def check_index(columns: Mapping[str, Any]) -> None:
    """Refuse pandas columns whose indexes do not match; see the module's docstring.

    Parameters
    ----------
    columns : mapping of the name of an argument to what was received
        Anything; the columns of a mapping count one by one, and what has no index of rows is passed over.
    """
    indexes = [(name, index) for name, column in _flatten(columns) if (index := _row_index(column)) is not None]
    for (first, index), (second, other) in pairwise(indexes):
        if index is other or len(index) != len(other) or index.equals(other):  # lengths have a message of their own
            continue
        if any(_is_default(a) and not _is_permutation(b) for a, b in ((index, other), (other, index))):
            continue
        raise RocPredictError(
            f"the pandas indexes of {first} and {second} differ; align the rows, as by {second}.loc[{first}.index], or "
            f"give {second}.to_numpy() if they correspond by position"
        )


def _flatten(columns: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, column in columns.items():
        if isinstance(column, Mapping) and not hasattr(column, "tocsc"):  # a sparse DOK array is a mapping too
            yield from ((f"{name}[{key!r}]", item) for key, item in column.items())
        else:
            yield name, column


def _row_index(column: Any) -> Any:
    """Return the index of rows of a pandas object or of AnnData, or None."""
    index = getattr(column, "obs_names", None) if hasattr(column, "var_names") else getattr(column, "index", None)
    return index if hasattr(index, "equals") and hasattr(index, "nlevels") else None


def _is_default(index: Any) -> bool:
    return bool(type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1)


def _is_permutation(index: Any) -> bool:
    """Return whether an index is 0, 1, 2, ... in another order."""
    labels = np.asarray(index)
    return labels.dtype.kind in "iu" and np.array_equal(np.sort(labels), np.arange(len(labels)))


def as_rereadable(values: Any) -> Any:
    """Return what can be read more than once: the list of an iterator, and anything else unchanged."""
    return list(values) if isinstance(values, Iterator) else values


def as_label_column(name: str, values: Any) -> NDArray[Any]:
    """Return values as an array with every item as ``check_labels`` has it, of any shape."""
    return _times_to_objects(_fill_masked(name, values))


def find_missing(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Return the mask of None, NaN, NaT and NA."""
    if values.dtype.kind in "OV":
        if {*map(type, values.flat)} <= {str, bytes, int, bool}:
            return np.zeros(len(values), dtype=bool)
        return np.array([is_missing(value) or not _is_equal(value, value) for value in values], dtype=bool)
    return np.asarray(values != values) if values.dtype.kind in "fcmM" else np.zeros(len(values), dtype=bool)  # noqa: PLR0124


def _times_to_objects(values: NDArray[Any]) -> NDArray[Any]:
    """Return dates and times as Python's; those finer than microseconds as NumPy's."""
    if values.dtype.kind not in "mM":
        return values
    coarse = values.astype(f"{values.dtype.kind}8[us]") if np.datetime_data(values.dtype)[0] == "ns" else values
    objects = np.empty(len(values), dtype=object)
    is_finer = (coarse != values) & (values == values)  # noqa: PLR0124
    objects[:] = list(values) if is_finer.any() else coarse.tolist()
    return objects


def _to_python(label: Any) -> Any:
    """Return a date or time of NumPy as ``check_labels`` returns labels."""
    return _times_to_objects(np.array([label]))[0] if isinstance(label, (np.datetime64, np.timedelta64)) else label


def _is_equal(item: Any, label: Any) -> bool:
    try:
        return bool(item == _to_python(label))
    except (TypeError, ValueError, ArithmeticError):  # what has no equality, such as a signaling NaN
        return False


def unique_labels(labels: NDArray[Any]) -> list[Any]:
    """Return the different labels in their order."""
    if labels.dtype.kind in "biu":
        extremes = [labels.min(), labels.max()]
        if np.count_nonzero(labels == extremes[0]) + np.count_nonzero(labels == extremes[1]) == len(labels):
            return [label.item() for label in extremes]  # two of them: nothing to sort
    if labels.dtype.kind == "O":
        labels = labels[~is_unlabelled(labels)]
    try:
        return list(np.unique(labels).tolist())
    except TypeError:  # labels of different kinds have no order
        return sorted(set(labels.tolist()), key=repr)


def _resolve_positive(names: list[Any], positive: Any, negative: Any) -> Any:
    """Return the positive label, or refuse names that are not two different labels."""
    if len(names) == 1:
        raise RocPredictError(f"y has the one label {names[0]!r}; two classes are needed")
    for which, label in (("negative", negative), ("positive", positive)):
        if label is not None and not is_label(label, names):
            raise RocPredictError(
                f"{which}={short_repr(label)} is not a label in y; labels are {_format_labels(names)}"
                f"{suggest(label, names)}"
            )
    positive = _default_positive(names, negative) if positive is None else positive
    if negative is not None and negative == positive:
        raise RocPredictError(f"negative={negative!r} is also the positive label; name two different ones")
    return positive


def _negative_name(names: list[Any], positive: Any, negative: Any) -> Any:
    rest = [name for name in names if name != positive]
    return negative if negative is not None else rest[0] if len(rest) == 1 else _rest_name(names)


def _rest_name(names: list[Any]) -> str:
    """Return a name for several labels together that is not one of them."""
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
        "and only {0, 1}, {-1, 1} and booleans speak for themselves"
    )


def is_label(label: Any, names: list[Any]) -> bool:
    """Return whether a value is one of the labels."""
    return is_scalar(label) and not is_missing(label) and any(_is_equal(name, label) for name in names)


def _refuse_nan(name: str, missing: NDArray[np.bool_], remedy: str) -> None:
    rows = np.flatnonzero(missing)
    if rows.size:
        row_text = ", ".join(map(str, rows[:5])) + (", ..." if rows.size > 5 else "")
        raise RocPredictError(f"{name} has {rows.size} missing (NaN) of {missing.size}, at rows {row_text}; {remedy}")


def _fill_masked(name: str, values: Any) -> NDArray[Any]:
    """Return an array with None for what is masked, and every item as it was."""
    if isinstance(values, np.ma.MaskedArray):
        if not np.ma.is_masked(values):
            return np.asarray(values.data)
        objects = np.asarray(values.data).astype(object)
        objects[np.ma.getmaskarray(values)] = None
        return objects
    if isinstance(values, (str, bytes, dict, set)) or not (
        hasattr(values, "__array__") or isinstance(values, Iterable)
    ):
        raise RocPredictError(f"{name}={short_repr(values)} is not an array; give one value for each row")
    if hasattr(values, "__array__"):
        return np.asarray(values)
    items = list(values)
    try:
        array = np.asarray(items)
    except ValueError:
        raise RocPredictError(f"{name}={short_repr(items)} is ragged: its rows have different lengths") from None
    if array.ndim == 1 and array.dtype.kind in "USf" and array.tolist() != items:
        array = np.array(items, dtype=object)  # beside text numpy makes text of NaN, beside 0.5 a float of 2**53 + 1
    return array


def _format_labels(names: list[Any]) -> str:
    return repr(names) if len(names) <= 10 else f"[{', '.join(map(repr, names[:10]))}, ...] ({len(names)} in all)"
