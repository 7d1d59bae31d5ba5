"""Counts and moments of the features in each class."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rocpredict.base.formatting import format_list, pluralize
from rocpredict.base.labels import (
    EncodedLabels,
    Labels,
    check_label_types,
    check_labels,
    equal_labels,
    is_unlabelled,
    unique_labels,
)
from rocpredict.base.progress import report_progress
from rocpredict.base.results import Result
from rocpredict.base.validation import FloatArray, NanPolicy, RocPredictError, select_indices, short_repr, to_numbers
from rocpredict.screening.kernels.base import Classes, Engine, Moments, merge, select_engine
from rocpredict.screening.kernels.moments import moments as moments_of_classes
from rocpredict.sources.blocks import MemoryBudget
from rocpredict.sources.csv_reader import infer_label_dtype
from rocpredict.sources.files import csv_batches
from rocpredict.sources.large_csv import UnusualCsvError
from rocpredict.sources.table import FeatureTable, arrow_batches

_COUNT_FIELDS = ("count", "n_missing")
_NONNEGATIVE_FIELDS = (*_COUNT_FIELDS, "m2", "m4")
_FINGERPRINT_BITS = 20
"""Number of bits that ``ClassSummary.rounded`` keeps in sums of squares, and in means divided by the SD."""


@dataclass(frozen=True, eq=False, repr=False)
class ClassSummary(Result):
    """Counts and moments of the features in one class.

    Summaries of parts of a table can be added. The sum, ``first + second`` or ``sum(summaries)``, is the summary of the
    whole table.

    Attributes
    ----------
    count : array of shape (features,)
        Number of values that are not missing; with weights, the sum of their weights.
    n_missing : array of shape (features,)
        Number of missing values (NaN).
    mean : array of shape (features,)
        Mean, in the unit of the feature; NaN if there are no values.
    m2 : array of shape (features,)
        Sum of squared deviations from the mean.
    m3, m4 : array of shape (features,), or None
        Sums of third and fourth powers of the deviations; None if ``order`` is 2.
    minimum, maximum : array of shape (features,), or None
        Smallest and largest value; None if ``order`` is 2.

    Examples
    --------
    >>> from rocpredict import summarize
    >>> summary = summarize([[1.0], [3.0], [4.0], [8.0]], [0, 0, 1, 1])
    >>> summary.positive
    ClassSummary(1 feature, 2, order=2)
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
        """Mask of the features that have two or more values and whose mean and variance are in the float64 range."""
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
        return self._standardized("m3", 3)

    @property
    def kurtosis(self) -> FloatArray:
        """Excess kurtosis of each feature (0 for a Gaussian); NaN if the standard deviation is 0."""
        return self._standardized("m4", 4) - 3

    def __len__(self) -> int:
        return len(self.mean)

    def __add__(self, other: object) -> ClassSummary:
        if not isinstance(other, ClassSummary):
            return NotImplemented
        if len(self) != len(other):
            sizes = f"{len(self)} and {len(other)} features"
            raise RocPredictError(f"summaries of {sizes} cannot be added; pass summaries of the same features")
        return ClassSummary(*(merge(self._moments(), other._moments())))

    def __radd__(self, other: object) -> ClassSummary:
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __repr__(self) -> str:
        return f"ClassSummary({pluralize(len(self), 'feature')}, {format_class_size(self.count)}, order={self.order})"

    def select(self, indices: slice | ArrayLike) -> ClassSummary:
        """Return the summary of the selected features.

        Parameters
        ----------
        indices : slice or array-like of int or bool
            Indices, slice or mask of the features.
        """
        selection = select_indices("indices", indices, len(self))
        return ClassSummary(*self._moments().map(lambda part: part[selection]))

    @classmethod
    def from_dict(cls, numbers: Mapping[str, Any]) -> Self:
        """Read a summary from the dictionary that ``to_dict`` returns.

        Parameters
        ----------
        numbers : mapping of str to list of float
            Mapping from attribute names to values; attributes that are None may be omitted.

        Raises
        ------
        RocPredictError
            If a name or value is invalid, or if the lists have different lengths.
        """
        names = [item.name for item in fields(cls)]
        if not isinstance(numbers, dict) or not set(names[:4]) <= numbers.keys() <= set(names):
            raise RocPredictError(
                f"{short_repr(numbers)} is not a class summary; pass a dictionary with the keys {', '.join(names[:4])} "
                f"and, for four moments, {', '.join(names[4:])}"
            )
        arrays = {name: None if numbers.get(name) is None else _array(name, numbers[name]) for name in names}
        of_four = [arrays[name] is None for name in names[4:]]
        if any(arrays[name] is None for name in names[:4]) or any(of_four) != all(of_four):
            raise RocPredictError(
                "a class summary is incomplete; pass count, n_missing, mean and m2, and all or none of m3, m4, minimum "
                "and maximum"
            )
        if len({len(array) for array in arrays.values() if array is not None}) > 1:
            raise RocPredictError("the arrays of a class summary differ in length; pass one number for each feature")
        return cls(**arrays)  # type: ignore[arg-type]

    def rounded(self) -> tuple[NDArray[Any], ...]:
        """Return the counts, means and sums of squares, rounded so that they do not depend on the row order."""
        with np.errstate(all="ignore"):
            _, exponent = np.frexp(np.sqrt(self.m2 / self.count))
            mean = np.where(self.m2 > 0, np.rint(np.ldexp(self.mean, _FINGERPRINT_BITS - exponent)), self.mean)
            mantissa, power = np.frexp(self.m2)
            m2 = np.rint(np.ldexp(mantissa, _FINGERPRINT_BITS))
        return self.count, self.n_missing, mean + 0.0, m2, power

    def _moments(self) -> Moments:
        return Moments(*(getattr(self, name) for name in Moments._fields))

    def _standardized(self, name: str, power: int) -> FloatArray:
        moment: FloatArray | None = getattr(self, name)
        if moment is None:
            raise RocPredictError("this summary contains only the first two moments; compute it with moments=4")
        with np.errstate(invalid="ignore", divide="ignore", over="ignore", under="ignore"):
            std = np.sqrt(self.m2 / self.count)
            return np.where(std > 0, moment / self.count / std**power, np.nan)


def format_class_size(count: NDArray[Any]) -> str:
    """Format the numbers of values per feature as one number or as a range."""
    if not len(count):
        return "0"
    low, high = count.min(), count.max()
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


def _array(name: str, values: Any) -> NDArray[Any]:
    """Convert a list to an array, or raise RocPredictError; the message contains the first invalid item."""
    limit = "nonnegative " if name in _NONNEGATIVE_FIELDS else ""
    most = " below 2^53" if name in _COUNT_FIELDS else ""
    if not isinstance(values, (list, tuple, np.ndarray)):
        raise RocPredictError(f"{name} is {short_repr(values)}, not a list of numbers")

    def read(items: Any) -> FloatArray | None:
        try:
            numbers = to_numbers(items)
        except (TypeError, ValueError, OverflowError):
            return None
        is_wrong = (limit and (numbers < 0).any()) or (most and not (numbers < 2**53).all())
        return None if is_wrong else numbers

    array = read(values)
    if array is None:
        place = next(place for place, item in enumerate(values) if read([item]) is None)
        raise RocPredictError(f"item {place + 1} of {name} is {short_repr(values[place])}, not a {limit}number{most}")
    is_integer = (
        name in _COUNT_FIELDS and (array == np.round(array)).all() and all(isinstance(item, int) for item in values)
    )
    return array.astype(np.int64) if is_integer else array


def read_moments(
    table: FeatureTable,
    encoded_labels: EncodedLabels,
    weights: FloatArray | None,
    *,
    order: int,
    engine: Engine,
    n_jobs: int,
    visit: Callable[[slice, slice, Any], None] | None = None,
) -> Moments:
    """Compute the moments of each class in one pass over a table.

    The arrays of the result have shape (classes, features). The table is read in tiles, which are blocks of rows and
    columns. If ``visit`` is passed, it is called as ``visit(rows, columns, tile)`` for each tile.
    """
    codes, classes = encoded_labels.codes, encoded_labels.classes
    # Reading is slower than summing and has its own thread, so more threads would save no time.
    options: dict[str, Any] = {"order": order, "n_jobs": 1 if table.source.is_streamed else n_jobs}
    options["engine"] = select_engine(engine, table.n_rows * len(table))
    number = np.int64 if weights is None else np.float64
    result, n_cells, shared = Moments.empty(classes, len(table), order, number), 0, None
    for rows, columns, tile in table.iter_tiles():
        is_whole = rows.stop - rows.start == table.n_rows
        shared = shared or Classes.of(codes, classes) if is_whole else None
        tile_weights = None if weights is None else weights[rows]
        part = moments_of_classes(tile, codes[rows], classes, weights=tile_weights, shared=shared, **options)
        result.assign(columns, merge(result.map(lambda array: array[:, columns]), part) if rows.start else part)  # noqa: B023
        if visit is not None:
            visit(rows, columns, tile)
        del tile  # its memory is needed for the next tile
        n_cells += (rows.stop - rows.start) * (columns.stop - columns.start)
        if table.source.is_streamed:
            report_progress(n_cells // table.n_rows, len(table))
    result.n_missing[:, table.not_numeric] = 0  # their text was read as NaN
    return result


class BatchKinds:
    """Types of the features (numbers or text) in the batches of a table; they must not differ between batches.

    Attributes
    ----------
    has_text : array of bool, shape (features,)
        Mask of the features that contain text in at least one batch.
    """

    def __init__(self) -> None:
        self.has_text: Any = False
        self._has_numbers: Any = False

    def add(self, table: FeatureTable, has_numbers: NDArray[np.bool_]) -> None:
        """Add a batch; ``has_numbers`` marks the features with values in this batch."""
        self.has_text, self._has_numbers = self.has_text | table.not_numeric, self._has_numbers | has_numbers
        mixed = np.flatnonzero(self.has_text & self._has_numbers)
        if mixed.size:
            text = f": {table.describe_text(mixed[0])}" if table.not_numeric[mixed[0]] else ""
            raise RocPredictError(
                f"feature {str(table.names[mixed[0]])!r} has numbers in one batch, but text in another batch{text}; "
                "convert the feature to numbers, or leave it out"
            )


class MomentsByLabel(NamedTuple):
    """Moments for each label, computed in one pass over the batches of a table."""

    names: NDArray[np.str_]
    """Names of the features."""
    not_numeric: NDArray[np.bool_]
    """Mask of the features that are not numeric."""
    moments: dict[Any, Moments]
    """Moments for each label, in arrays of shape (1, features)."""
    n_rows: int
    """Number of rows."""
    n_unlabelled: int
    """Number of rows without a label."""
    not_numeric_note: str
    """Sentence that lists the features that are not numeric, or ""."""

    @classmethod
    def of(cls, batches: Iterable[tuple[FeatureTable, Labels]], **options: Any) -> Self:
        """Compute the moments from all batches; a batch need not contain all labels.

        The keyword arguments ``options`` are passed to ``read_moments``.
        """
        names: Any = None
        totals: dict[Any, Moments] = {}
        kinds, n_rows, n_unlabelled, note = BatchKinds(), 0, 0, ""
        for table, labels in batches:
            if names is not None and names.tolist() != table.names.tolist():
                raise RocPredictError(
                    f"a batch has the features {format_list(table.names, 10)}, "
                    f"but the first batch has {format_list(names, 10)}; pass the same features in each batch"
                )
            names, present = table.names, unique_labels(labels)
            codes = np.full(len(labels), -1, dtype=np.int16)
            for code, label in enumerate(present):
                codes[equal_labels(labels, label)] = code
            part = read_moments(table, EncodedLabels(codes, len(present), (), ()), None, **options)
            kinds.add(table, part.count.sum(axis=0) > 0)
            for code, label in enumerate(present):
                own = part.map(lambda array, code=code: array[[code]])
                totals[label] = merge(totals[label], own) if label in totals else own
            note = note or table.describe_not_numeric()
            n_rows, n_unlabelled = n_rows + len(labels), n_unlabelled + int(is_unlabelled(labels).sum())
        if not totals:
            raise RocPredictError("all labels in y are missing; two classes are needed")
        return cls(names, kinds.has_text, totals, n_rows, n_unlabelled, note)

    @classmethod
    def read(
        cls, X: Any, y: Any, *, names: Any, nan_policy: NanPolicy, budget: MemoryBudget, **options: Any
    ) -> Self | None:
        """Compute the moments in one pass over an Arrow scanner or reader, or over large CSV files.

        Return None for tables that are read in another way. The keyword arguments ``options`` are passed to
        ``read_moments``.
        """
        batches = arrow_batches(X, y, names=names, nan_policy=nan_policy, budget=budget)
        if batches is not None:
            return cls.of(batches, **options)
        files = csv_batches(X, y, names=names, budget=budget)
        if files is None:
            return None
        options |= {"engine": select_engine(options["engine"]), "n_jobs": 1}  # other threads parse the files
        try:
            parts = cls.of(files, **options)
        except UnusualCsvError:
            return None
        labels = infer_label_dtype(np.array([*parts.moments])).tolist()
        return parts._replace(moments=dict(zip(labels, parts.moments.values(), strict=True)))

    @property
    def sizes(self) -> dict[Any, int]:
        """Number of rows with each label."""
        parts = ((label, self.moments[label]) for label in unique_labels(self.labels))
        return {label: int((part.count + part.n_missing).max(initial=0)) for label, part in parts}

    @property
    def labels(self) -> NDArray[Any]:
        """Array containing each label twice, so that ``encode_labels`` does not mistake the labels for identifiers."""
        return check_labels(check_label_types([*self.moments]) * 2, np.empty((0, 0)))

    def by_class(self, coded: EncodedLabels) -> Moments:
        """Return the moments of each class, in arrays of shape (classes, features).

        ``coded`` maps each label to a class.
        """
        parts = [*self.moments.values()]
        no_rows = np.empty((0, len(self.names)))
        order: Any = parts[0].order
        result = moments_of_classes(no_rows, coded.codes[:0], coded.classes, order=order)
        for total, code in zip(parts, coded.codes.tolist(), strict=False):
            if code >= 0:
                own = merge(result.map(lambda array, code=code: array[[code]]), total)
                result.map(lambda array, part, code=code: array.__setitem__(code, part[0]), own)
        return result
