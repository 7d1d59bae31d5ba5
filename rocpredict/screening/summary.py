"""Summaries of features in two classes: counts and moments that can be added, written to JSON and screened."""

from __future__ import annotations

import hashlib
import json
import secrets
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import accumulate
from os import PathLike
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rocpredict.base.formatting import format_list, pluralize, to_json_value, truncate
from rocpredict.base.labels import (
    EncodedLabels,
    check_index,
    check_label_types,
    check_sample_weight,
    encode_binary_labels,
    encode_labels,
    is_label,
    unique_labels,
)
from rocpredict.base.results import Result, to_plain
from rocpredict.base.tables import Table
from rocpredict.base.validation import (
    AssumptionWarning,
    FloatArray,
    Label,
    NanPolicy,
    RocPredictError,
    check_finite,
    check_int,
    check_list,
    check_nonnegative,
    check_option,
    check_pair,
    check_whole_counts,
    select_indices,
    short_repr,
    suggest,
)
from rocpredict.screening.class_summary import BatchKinds, ClassSummary, MomentsByLabel, format_class_size, read_moments
from rocpredict.screening.histograms import (
    FeatureHistograms,
    RowSample,
    choose_edges,
    count_cells,
    pair_sides,
    reserve_histograms,
)
from rocpredict.screening.kernels.base import Engine, Moments, effective_n_jobs, merge, select_engine
from rocpredict.sources.blocks import MemoryBudget, parse_memory
from rocpredict.sources.files import check_batches, read_batches, read_table_and_labels
from rocpredict.sources.table import FeatureTable, check_row_order

_FORMAT, _VERSION = "rocpredict summary", 1
"""Name and version of the JSON format of summaries; summary.schema.json describes the format."""
_RESERVED = ("cluster", "stratum")
"""Keys that are null in the JSON of this version; a later version may use them."""
POOLED_NOTE = (
    "This is one pooled sample: if means or proportions of positives differ between the files, the AUC of the pooled "
    "sample can differ from the AUC within each file. rocpredict.pool combines the AUCs of the files instead."
)


@dataclass(frozen=True, eq=False, repr=False)
class TwoClassSummary(Result):
    """Counts and moments of the features in two classes.

    Summaries of parts of a table can be added. The sum, ``first + second`` or ``sum(summaries)``, is the summary of the
    whole table.

    Attributes
    ----------
    negative, positive : ClassSummary
        Summary of each class.
    feature_names : tuple of str
        Names of the features.
    negative_label, positive_label : label
        Labels of the classes; "rest" stands for all other labels.
    units : tuple of str
        Unit of each feature, or "" if it is unknown. Summaries can be added only if each feature has the same unit in
        all summaries.
    min_count : int
        Value of ``min_count`` that was passed to ``suppress_small_counts``, or 0 for a summary without suppression. A
        sum has the smallest ``min_count`` of the added summaries.
    histograms : FeatureHistograms, optional
        Histograms of the features, from which ``screen(..., empirical="histogram")`` computes empirical AUCs.
    file_checksums : tuple of str
        Checksums of the files from which this summary or, for a sum, its parts were read; () if no file was read. The
        same file, or the same summary in memory, cannot be added twice.

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
    units: tuple[str, ...] = ()
    histograms: FeatureHistograms | None = field(default=None, metadata={"hidden": True})
    min_count: int = field(default=0, compare=False, metadata={"hidden": True})
    file_checksums: tuple[str, ...] = field(default=(), compare=False, metadata={"hidden": True})
    _origins: frozenset[str] = field(default_factory=lambda: frozenset([secrets.token_hex(8)]), compare=False)
    # one random identifier for each summary that was added

    def __post_init__(self) -> None:
        object.__setattr__(self, "units", self.units or ("",) * len(self.feature_names))

    @classmethod
    def from_stats(
        cls,
        *,
        mean: Sequence[ArrayLike],
        std: Sequence[ArrayLike],
        count: Sequence[ArrayLike],
        feature_names: Iterable[str] | None = None,
        positive: Label = "positive",
        negative: Label = "negative",
        units: Mapping[str, str] | None = None,
    ) -> Self:
        """Convert a published table of means, standard deviations and numbers of observations to a summary.

        Parameters
        ----------
        mean : pair of float or of arrays of shape (features,)
            Means of the negative and the positive class, in this order.
        std : pair of float or of arrays of shape (features,)
            Standard deviation of each class (ddof=1).
        count : pair of int or of arrays of shape (features,)
            Number of observations in each class (whole numbers, at least 2).
        feature_names : iterable of str, optional
            Names of the features. By default, "x0", "x1", ...
        positive : label, default="positive"
            Label of the positive class.
        negative : label, default="negative"
            Label of the negative class.
        units : mapping of str to str, optional
            Units of features by name.

        Returns
        -------
        TwoClassSummary

        Raises
        ------
        RocPredictError
            If a value is out of range, if shapes do not match, if the two labels are equal, if names are not unique, or
            if the number of names is wrong.

        Examples
        --------
        >>> TwoClassSummary.from_stats(mean=(5.1, 6.4), std=(0.9, 1.2), count=(120, 80), feature_names=["glucose"])
        TwoClassSummary(1 feature, negative 'negative' 120, positive 'positive' 80, order=2)
        """
        for name, label in {"negative": negative, "positive": positive}.items():
            if not _is_one(label):
                raise RocPredictError(f"{name}={short_repr(label)} is not a label; pass a number or text")
        if negative == positive:
            raise RocPredictError(f"negative={negative!r} is also the positive label; pass two different labels")
        means, stds, counts = (
            [np.atleast_1d(check(name, part)) for part in check_pair(name, pair)]
            for name, pair, check in (
                ("mean", mean, check_finite),
                ("std", std, check_nonnegative),
                ("count", count, check_finite),
            )
        )
        shapes = {part.shape: None for pair in (means, stds, counts) for part in pair}
        shape = max(shapes, key=lambda shape: (len(shape), shape))
        if len(shape) != 1 or len(shapes.keys() - {(1,), shape}):
            raise RocPredictError(
                f"mean, std and count have shapes {format_list(map(str, shapes))}; pass numbers, or arrays of the same "
                "shape (features,)"
            )
        listed = [f"x{j}" for j in range(*shape)] if feature_names is None else feature_names
        names = tuple(map(str, check_list("feature_names", listed, "one name for each feature")))
        if (len(names), len({*names})) != (*shape, *shape):
            problem = f"feature_names={short_repr(names)} must contain {pluralize(shape[0], 'unique name')}"
            raise RocPredictError(f"{problem}, one for each feature")
        classes = []
        for parts in zip(means, stds, counts, strict=True):
            center, scale, numbers = (np.broadcast_to(part, shape) for part in parts)
            if (numbers < 2).any():
                raise RocPredictError(f"count={short_repr(numbers.min())} is below 2; each class needs 2 or more")
            check_whole_counts(numbers)
            if (numbers >= 2**53).any():
                raise RocPredictError(f"count={short_repr(numbers.max())} is 2^53 or more; pass smaller counts")
            numbers = numbers.astype(np.int64)
            with np.errstate(over="ignore", under="ignore"):
                m2 = scale**2 * (numbers - 1)
            lost = (scale > 0) & ~((m2 >= np.finfo(float).tiny) & (m2 < np.inf))
            if lost.any():
                raise RocPredictError(
                    f"the square of std={short_repr(scale[lost][0])} is outside the range of float64; use another unit"
                )
            classes.append(ClassSummary(numbers, np.zeros(shape, np.int64), center, m2))
        return cls(classes[0], classes[1], names, negative, positive, as_units(units, names))

    @property
    def order(self) -> int:
        """Number of moments, 2 or 4."""
        return min(self.negative.order, self.positive.order)

    def __len__(self) -> int:
        return len(self.feature_names)

    def __add__(self, other: object) -> TwoClassSummary:
        if not isinstance(other, TwoClassSummary):
            return NotImplemented
        total = self._plus(other)
        checksums: tuple[str, ...] = ()
        if self.file_checksums or other.file_checksums:
            checksums = (*self.checksums(), *other.checksums())
            twice = [checksum for checksum in self.checksums() if checksum in other.checksums()]
            if twice:
                raise RocPredictError(
                    f"summaries cannot be added: both contain the same file (checksum {twice[0]}); add each file once"
                )
        if self._origins & other._origins:
            raise RocPredictError(
                "summaries cannot be added: some observations are in both of them; add each summary once"
            )
        return replace(total, file_checksums=checksums, _origins=self._origins | other._origins)

    def _plus(self, other: TwoClassSummary) -> TwoClassSummary:
        """Return the sum of two summaries, without checking whether they contain the same observations."""
        problem = describe_difference(self, other)
        if problem:
            raise RocPredictError(f"summaries cannot be added: {problem}")
        histograms = None
        if self.histograms is not None and other.histograms is not None:
            histograms = self.histograms + other.histograms
        return replace(
            self,
            negative=self.negative + other.negative,
            positive=self.positive + other.positive,
            histograms=histograms,
            min_count=min(self.min_count, other.min_count),
        )

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
        notes += [POOLED_NOTE] if len(self.file_checksums) > 1 else []
        return Table(f"Summary of {pluralize(len(self), 'feature')} in two classes", columns, rows, notes=notes)

    def __repr__(self) -> str:
        class_texts = (
            f"{name} {short_repr(getattr(self, f'{name}_label'), 40)} {format_class_size(getattr(self, name).count)}"
            for name in ("negative", "positive")
        )
        return f"TwoClassSummary({pluralize(len(self), 'feature')}, {', '.join(class_texts)}, order={self.order})"

    def select(self, indices: slice | ArrayLike) -> TwoClassSummary:
        """Return the summary of the selected features.

        Parameters
        ----------
        indices : slice or array-like of int or bool
            Indices, slice or mask of the features.
        """
        selection = select_indices("indices", indices, len(self))
        return replace(
            self,
            negative=self.negative.select(selection),
            positive=self.positive.select(selection),
            feature_names=tuple(self.feature_names[index] for index in selection),
            units=tuple(self.units[index] for index in selection),
            histograms=None if self.histograms is None else self.histograms.select(selection),
        )

    def suppress_small_counts(self, min_count: int = 5, *, histograms: bool = False) -> TwoClassSummary:
        """Return a summary without extremes, and without the statistics of features with few observations.

        Parameters
        ----------
        min_count : int, default=5
            Minimum number of values that a feature must have in each class. A feature with fewer than ``min_count``
            values in a class is blanked.
        histograms : bool, default=False
            Whether to keep the histograms. If True, cells of the histograms are merged until each cell has at least
            ``min_count`` values of each class, or no values, and the extremes of the cells are omitted. The remaining
            edges are not changed. Therefore, do not use observed values as edges. Agree on edges with the other sites
            in advance, and pass them as ``summarize(..., histogram_edges=...)``.

        Returns
        -------
        TwoClassSummary
            Summary with two moments. For blanked features, the counts and the numbers of missing values are 0.

        Raises
        ------
        RocPredictError
            If ``min_count`` is below 1, if every feature has fewer than ``min_count`` values in at least one class, or
            if ``histograms=True`` and the summary has no histograms.

        Warns
        -----
        AssumptionWarning
            If merging the cells removes all edges of a feature.

        Notes
        -----
        The result still has the exact mean and standard deviation of each class, and the number of missing values. For
        a feature with two or three possible values, they determine how many observations have each value. They also
        determine the only value other than 0 in a class. In a small class, they can determine all values if the values
        are whole numbers. A standard deviation of 0 implies that all values equal the mean.
        """
        check_int("min_count", min_count, least=1)
        classes = self.negative, self.positive
        is_small = np.minimum(*(part.count for part in classes)) < min_count
        if is_small.all():
            sizes = " and ".join(f"{format_class_size(part.count)} {name}" for name, part in self._named_classes())
            raise RocPredictError(
                f"every feature has fewer than min_count={min_count} values in at least one class: {sizes}; "
                "pass a smaller min_count="
            )
        zero = np.zeros(len(self), dtype=np.int64)
        negative, positive = (
            ClassSummary(
                np.where(is_small, zero, part.count),
                np.where(is_small, zero, part.n_missing),
                np.where(is_small, np.nan, part.mean),
                np.where(is_small, 0.0, part.m2),
            )
            for part in classes
        )
        kept = self.histograms if check_option("histograms", histograms, (True, False)) else None
        if histograms and kept is None:
            raise RocPredictError(
                "histograms=True needs histograms, which this summary lacks; pass histogram_edges= when you call "
                "summarize"
            )
        if kept is not None:
            before, kept = kept, kept.merge_small_cells(min_count)
            had, has = (~np.isnan(part.edges).all(axis=1) for part in (before, kept))
            if lost := np.array(self.feature_names)[had & ~has & ~is_small].tolist():
                warnings.warn(
                    f"none of the histogram edges of {format_list(lost, 10)} can be kept: for each edge, at least one "
                    f"class has fewer than min_count={min_count} values on one side. The bounds of the empirical AUC "
                    "are 0 and 1. Agree on edges nearer to the middle of the values, or pass a smaller min_count=",
                    AssumptionWarning,
                    stacklevel=2,
                )
        # The checksum of a file without suppression would allow guessing the suppressed counts.
        checksums = self.file_checksums if self.min_count else ()
        return replace(
            self,
            negative=negative,
            positive=positive,
            histograms=kept,
            min_count=min_count,
            file_checksums=checksums,
        )

    def to_json(self) -> str:
        """Return the summary as JSON; ``from_json`` restores the summary exactly.

        NaN is written as null, and infinities as the strings "inf" and "-inf". The text includes a description of the
        values that it contains. ``rocpredict/screening/summary.schema.json`` is the JSON Schema of this text.

        Raises
        ------
        RocPredictError
            If a label is neither text nor a number.
        """
        classes = {name: to_json_value(part.to_dict()) for name, part in self._named_classes()}
        content = {
            "format": _FORMAT,
            "version": _VERSION,
            "contents": self._describe_contents(),
            "min_count": self.min_count,
            "file_checksums": list(self.checksums()),
            **dict.fromkeys(_RESERVED),
            "feature_checksum": _checksum(self.feature_names),
            "feature_names": self.feature_names,
            "units": self.units,
            "negative_label": to_plain(self.negative_label),
            "positive_label": to_plain(self.positive_label),
            **classes,
            "histograms": None if self.histograms is None else to_json_value(self.histograms.to_dict()),
        }
        try:
            content["content_checksum"] = _content_checksum(content)
            return json.dumps(content, allow_nan=False, ensure_ascii=False)
        except (TypeError, ValueError):
            labels = self.negative_label, self.positive_label
            raise RocPredictError(
                f"labels {short_repr(labels)} cannot be written as JSON; use text or numbers"
            ) from None

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read a summary from JSON written by ``to_json``.

        Parameters
        ----------
        text : str
            JSON of a summary.

        Raises
        ------
        RocPredictError
            If the text is not a summary in JSON format, if it was altered, or if it is a summary of another version.
        """
        try:
            content = json.loads(text, parse_constant=_refuse_constant)
        except (TypeError, ValueError) as error:
            raise RocPredictError(
                f"text={short_repr(text)} is not a summary in JSON format: {error}; pass the contents of a file, "
                "not its name"
            ) from None
        if not isinstance(content, dict) or content.get("format") != _FORMAT:
            raise RocPredictError(f"the JSON is not a summary: it lacks format={_FORMAT!r}")
        if content.get("version") != _VERSION or any(content.get(name) is not None for name in _RESERVED):
            reserved = "".join(f", {name}={short_repr(content[name])}" for name in _RESERVED if content.get(name))
            version = content.get("version")
            is_later = bool(reserved) or (type(version) is int and version > _VERSION)
            remedy = "install a later release" if is_later else "write the summary again with this release"
            raise RocPredictError(
                f"the JSON is a summary of version {short_repr(version)}{reserved}; this release of "
                f"rocpredict reads only summaries of version {_VERSION} in which "
                f"{' and '.join(_RESERVED)} are null; {remedy}"
            )
        needed = ("feature_names", "feature_checksum", "negative_label", "positive_label", "negative", "positive")
        missing = [name for name in needed if name not in content]
        if missing:
            raise RocPredictError(f"the JSON is not a summary: it lacks {', '.join(missing)}")
        names = _names(content["feature_names"])
        if content["feature_checksum"] != _checksum(names):
            raise RocPredictError(
                "the JSON is not a valid summary: feature_checksum does not match feature_names; the names may have "
                "been changed"
            )
        classes = [_read_class(name, content[name]) for name in ("negative", "positive")]
        if {len(part) for part in classes} != {len(names)}:
            raise RocPredictError(
                "the JSON is not a summary: its classes and feature_names contain different numbers of features"
            )
        units, checksums = content.get("units", []), content.get("file_checksums", [])
        for name, words, lengths in (("units", units, {0, len(names)}), ("file_checksums", checksums, None)):
            if not _are_words(words) or (lengths is not None and len(words) not in lengths):
                expected = "strings" if lengths is None else pluralize(len(names), "string")
                raise RocPredictError(
                    f"the JSON is not a summary: {name} {short_repr(words)} is not a list of {expected}"
                )
        histograms = content.get("histograms")
        if histograms is not None:
            histograms = FeatureHistograms.from_dict(histograms)
            sizes = [part.count for part in classes]
            if len(histograms) != len(names) or not np.array_equal(histograms.n_values, sizes):
                raise RocPredictError(
                    "the JSON is not a summary: the numbers of values in its histograms differ from its counts"
                )
        min_count, labels = content.get("min_count", 0), (content["negative_label"], content["positive_label"])
        if type(min_count) is not int or min_count < 0:
            raise RocPredictError(
                f"the JSON is not a summary: min_count {short_repr(min_count)} is not a nonnegative whole number"
            )
        if content.get("content_checksum", checksum := _content_checksum(content)) != checksum:
            raise RocPredictError(
                "the JSON was changed after it was written: content_checksum does not match its values; write the "
                "summary again"
            )
        return cls(
            classes[0], classes[1], names, *labels, tuple(units), histograms, min_count, tuple(map(str, checksums))
        )

    def _named_classes(self) -> tuple[tuple[str, ClassSummary], ...]:
        return ("negative", self.negative), ("positive", self.positive)

    def checksums(self) -> tuple[str, ...]:
        """Return the checksums of the files that were read, or the checksum of this summary if no file was read."""
        if self.file_checksums:
            return self.file_checksums
        values = [part for _, side in self._named_classes() for part in side.rounded()]
        labels = [str(label) for label in (self.negative_label, self.positive_label)]
        return (_checksum([*self.feature_names, *self.units, *labels], *values),)

    def _describe_contents(self) -> str:
        """Describe the values in the JSON, and the information about single observations that they contain."""
        sentences = [
            "For each feature and class: the number of values, the number of missing values, the mean, and the sum of "
            "squared deviations from the mean" + (", and of third and fourth powers." if self.order == 4 else "."),
            "No observation is listed."
            if self.order == 2
            else "The minimum and the maximum are listed; each is the value of a single observation.",
        ]
        if self.histograms is not None and np.isnan(self.histograms.edges).all():
            sentences.append("Histograms have no edges: each has one cell, which contains all values.")
        elif self.histograms is not None:
            sentences.append(
                "Histograms list edges, which must not be values of observations, and counts of cells. A cell has "
                f"{self.min_count} values or more of each class, or no value."
                if self.min_count
                else "Histograms list edges and the extremes of cells, which are values of single observations, and "
                "counts of small cells."
            )
        if self.min_count:
            sentences.append(
                f"Features with fewer than {self.min_count} values in a class are blanked: their counts are 0."
            )
        sentences.append(
            "Means and sums of squared deviations determine how many observations have each value if a feature has two "
            "or three possible values, the only value other than 0 in a class, and that all values equal the mean if "
            "the sum is 0. They can determine all values of whole numbers in a small class."
        )
        if len(self.file_checksums) > 1:
            sentences.append(f"Sum of {len(self.file_checksums)} files. {POOLED_NOTE}")
        return " ".join(sentences)


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")


def as_units(units: Mapping[str, str] | None, names: Sequence[str]) -> tuple[str, ...]:
    """Return the unit of each feature, or "" if it is unknown."""
    if units is None:
        return ("",) * len(names)
    words: object = units
    if not isinstance(words, Mapping) or not all(isinstance(unit, str) for unit in words.values()):
        raise RocPredictError(f"units={short_repr(words)} is not a mapping of feature names to text such as 'mg/dL'")
    unknown = [name for name in units if name not in names]
    if unknown:
        raise RocPredictError(
            f"units= contains {short_repr(unknown[0])}, which is not a feature; features are "
            f"{format_list(map(repr, names))}{suggest(unknown[0], names)}"
        )
    return tuple(units.get(name, "") for name in names)


def describe_difference(first: TwoClassSummary, second: TwoClassSummary) -> str:
    """Describe the first difference that prevents adding two summaries, or return "" if there is none.

    Features, units and class labels are compared.
    """
    names = first.feature_names, second.feature_names
    if names[0] != names[1]:
        others = map(set, names[::-1])
        alone = [[name for name in here if name not in there] for here, there in zip(names, others, strict=True)]
        parts = [
            f"only the {which} has {format_list(map(repr, missing))}"
            for which, missing in zip(("first", "second"), alone, strict=True)
            if missing
        ]
        if not parts:
            index, pair = next((index, pair) for index, pair in enumerate(zip(*names, strict=True)) if len({*pair}) > 1)
            parts = [f"their features are in different orders: {pair[0]!r} and {pair[1]!r} at position {index}"]
        return "; ".join(parts)
    for name, *units in zip(names[0], first.units, second.units, strict=True):
        if units[0] != units[1]:
            words = [repr(unit) if unit else "not stated" for unit in units]
            return f"the unit of {name!r} is {words[0]} in the first and {words[1]} in the second"
    return describe_label_difference(first, second, ("the first", "the second"))


def describe_label_difference(first: TwoClassSummary, second: TwoClassSummary, names: tuple[str, str]) -> str:
    """Describe the first difference between the class labels of two summaries, or return "" if there is none."""
    for what in ("negative", "positive"):
        one, other = getattr(first, f"{what}_label"), getattr(second, f"{what}_label")
        if one != other or isinstance(one, str) != isinstance(other, str):
            return f"the {what} label is {short_repr(one)} in {names[0]} and {short_repr(other)} in {names[1]}"
    return ""


def _checksum(words: Sequence[str], *arrays: NDArray[Any]) -> str:
    """Return the SHA-256 hash of words, encoded as compact JSON in ASCII, and of the arrays of numbers after them."""
    digest = hashlib.sha256(json.dumps(list(words), separators=(",", ":")).encode())
    for array in arrays:
        digest.update(array.astype("<f8").tobytes())
    return digest.hexdigest()


def _content_checksum(content: Mapping[str, Any]) -> str:
    """Return the SHA-256 hash of the content without "content_checksum", as compact JSON in ASCII with sorted keys."""
    others = {name: value for name, value in content.items() if name != "content_checksum"}
    return hashlib.sha256(json.dumps(others, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _read_class(name: str, content: Any) -> ClassSummary:
    try:
        return ClassSummary.from_dict(content)
    except RocPredictError as error:
        raise RocPredictError(f"the JSON is not a summary: in {name!r}, {error}") from None


def open_summary(item: Any) -> Any:
    """Return the summary in a JSON file if ``item`` is its path, and other objects unchanged."""
    is_path = isinstance(item, (str, PathLike)) and Path(item).suffix.lower() == ".json"
    return read_summary(item) if is_path else item


def read_summary(path: str | PathLike[str]) -> TwoClassSummary:
    """Read a summary from a JSON file."""
    try:
        return TwoClassSummary.from_json(Path(path).read_text("utf-8-sig"))
    except OSError as error:
        raise RocPredictError(f"{path}: {error.strerror}") from None
    except ValueError as error:
        if isinstance(error, UnicodeDecodeError) or isinstance(error.__context__, json.JSONDecodeError):
            remedy = "create one with rocpredict summarize"
            raise RocPredictError(f"{path} is not a complete summary in JSON format; {remedy}") from None
        raise RocPredictError(f"{path}: {error}") from None


def _are_words(words: Any) -> bool:
    return isinstance(words, list) and all(isinstance(word, str) for word in words)


def _names(names: Any) -> tuple[str, ...]:
    if not _are_words(names) or len({*names}) < len(names):
        raise RocPredictError(
            f"the JSON is not a summary: feature_names={short_repr(names)} is not a list of unique names"
        )
    return tuple(names)


def summarize(
    X: object,
    y: ArrayLike | None = None,
    *,
    positive: Label = None,
    negative: Label = None,
    moments: int = 2,
    weights: ArrayLike | None = None,
    feature_names: Iterable[str] | None = None,
    units: Mapping[str, str] | None = None,
    histogram_edges: int | ArrayLike | Mapping[str, ArrayLike] | None = None,
    engine: Engine = "auto",
    n_jobs: int = 1,
    nan_policy: NanPolicy = "raise",
    layer: str | None = None,
    use_raw: bool = False,
    memory: float | str = "1GB",
) -> TwoClassSummary:
    """Compute the counts and moments of each feature in the two classes of a table.

    Parameters
    ----------
    X : array-like of shape (n, features), sparse matrix, data frame, or batches
        Table or path as in ``screen``. If ``y`` is omitted, ``X`` is an iterable of (X, y) batches of one table. The
        batches need not all fit into memory at once.
    y : array-like of shape (n,), or str, optional
        Class labels, or the name of the column that contains them. For AnnData, this is a column of ``obs``.
    positive : label, optional
        Label of the positive class. May be omitted for labels {0, 1}, {-1, 1} and booleans.
    negative : label, optional
        Label of the negative class. By default, all labels other than the positive one are negative. If ``negative`` is
        passed, observations with labels other than ``positive`` and ``negative`` are omitted. If ``positive`` and
        ``negative`` are both passed, one of the two classes may be absent from the table.
    moments : {2, 4}, default=2
        Number of moments.

        - 2: count, mean and sum of squared deviations from the mean.
        - 4: in addition, the sums of the third and fourth powers of the deviations, the minimum and the maximum.
    weights : array-like of shape (n,), optional
        Nonnegative frequency weights; not available for batches.
    feature_names : iterable of str, optional
        Names of the features, as in ``screen``; not available for batches.
    units : mapping of str to str, optional
        Units of features by name, such as ``{"glucose": "mg/dL"}``. Summaries can be added only if each feature has the
        same unit in all summaries.
    histogram_edges : int, array-like of shape (features, edges), or mapping of str to array-like, optional
        Number of histogram edges, or the ascending edges of each feature. Edges are passed as an array padded with NaN,
        or as a mapping from feature names to edges. If a number is passed, the edges are values of the feature in
        randomly selected rows. If ``X`` is an iterable of batches that can be read twice, such as a list, the rows are
        selected from all batches. If it can be read only once, such as a generator, they are selected from the first
        batch. By default, no histograms are computed.
    engine : {"auto", "numpy", "numba"}, default="auto"
        Computing engine; see ``screen``.
    n_jobs : int, default=1
        Number of threads; -1 for one thread per processor. The result does not depend on this number.
    nan_policy : {"raise", "omit"}, default="raise"
        Whether rows without a label raise an error or are omitted; in batches, they raise an error. Missing values of
        features are always omitted, and counted.
    layer : str, optional
        Layer of an AnnData object or h5ad file, as in ``screen``.
    use_raw : bool, default=False
        Whether to read the matrix ``raw.X`` of an AnnData object or h5ad file.
    memory : float or str, default="1GB"
        Memory budget for tables that are read from files or queries, as in ``screen``.

    Returns
    -------
    TwoClassSummary
        Summary that can be passed to ``screen`` or ``PredictedRoc.from_summary``.

    Raises
    ------
    RocPredictError
        If ``X`` is not a table, if ``y`` has the wrong length or unknown labels, or if an option is out of range.

    See Also
    --------
    screen : Rank the features of a table or summary.

    Notes
    -----
    For each feature and class, one of the values is subtracted from all values before powers are summed, so that no
    digits are lost if the mean is large. The pairwise update formula [1]_ [2]_ merges the moments of parts of a table.
    When summaries are added, the means are rounded. If the means of the parts differ by a few standard deviations, the
    relative error of the sum of squared deviations is about 1e-15 times the ratio of the mean to the standard
    deviation.

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
    check_option("nan_policy", nan_policy, ("raise", "omit"))
    select_engine(engine)
    options: dict[str, Any] = {"order": moments, "engine": engine, "n_jobs": effective_n_jobs(n_jobs)}
    budget = MemoryBudget(parse_memory(memory), effective_n_jobs(n_jobs))
    if histogram_edges is not None and weights is not None:
        raise RocPredictError("histogram_edges= is not available with weights=; omit one of them")
    if y is None:
        for name, value in (("weights", weights), ("feature_names", feature_names)):
            if value is not None:
                raise RocPredictError(f"{name}= is not available for batches; pass one table X with y")
        total = _summarize_batches(X, positive, negative, options, histogram_edges)
        return replace(total, units=as_units(units, total.feature_names))
    lazy = open_dask(X, y, feature_names, needs_order=weights is not None, nan_policy=nan_policy)
    if lazy is not None:
        coded = _encode_batch_labels(lazy.labels, positive, negative)
        row_weights = check_sample_weight(weights, lazy.n_rows)
        total, histograms = lazy.moments(coded, row_weights, moments, engine, histogram_edges)
        summary = summaries_by_class_pair(total, coded, lazy.names)[0]
        return replace(summary, units=as_units(units, summary.feature_names), histograms=histograms)
    check_index({"X" if isinstance(y, str) else "y": X if isinstance(y, str) else y, "weights": weights})
    reading: dict[str, Any] = {"nan_policy": nan_policy, "budget": budget}
    if weights is None and histogram_edges is None and layer is None and use_raw is False:
        parts = MomentsByLabel.read(X, y, names=feature_names, **reading, **options)
        if parts is not None:
            coded = _encode_batch_labels(parts.labels, positive, negative)
            summary = summaries_by_class_pair(parts.by_class(coded), coded, parts.names)[0]
            return replace(summary, units=as_units(units, summary.feature_names))
    table, labels = read_table_and_labels(X, y, names=feature_names, layer=layer, use_raw=use_raw, **reading)
    if weights is not None:
        check_row_order(table, "weights")
    coded = _encode_batch_labels(labels, positive, negative)
    names = tuple(map(str, table.names))
    unit_of_each = as_units(units, names)
    edges = (
        None
        if histogram_edges is None
        else choose_edges(histogram_edges, table.names, lambda n: RowSample.of(table).edges(n))
    )
    summary = summarize_table(table, coded, check_sample_weight(weights, table.n_rows), options, edges)
    return replace(summary, units=unit_of_each)


def open_dask(X: Any, y: Any, names: Any = None, **options: Any) -> Any:
    """Return the features and labels of a Dask array or DataFrame, or None for other tables."""
    if not type(X).__module__.startswith("dask") or getattr(X, "ndim", 0) != 2:
        return None
    from rocpredict.screening import dask_tables

    return dask_tables.open_table(X, y, names, **options)


def _encode_batch_labels(labels: NDArray[Any], positive: Any, negative: Any) -> EncodedLabels:
    """Encode labels; if ``positive`` and ``negative`` are both passed, one of the classes may be absent."""
    are_passed = all(label is not None and _is_one(label) for label in (positive, negative))
    names = unique_labels(labels) if are_passed else []
    is_present = [is_label(label, names) for label in (positive, negative)]
    if not are_passed or all(is_present):
        return encode_labels(labels, positive=positive, negative=negative, pairs=None)
    if not any(is_present):
        raise RocPredictError(
            f"y contains neither positive={positive!r} nor negative={negative!r}, but must contain at least one of "
            f"them; labels are {format_list(map(repr, names))}{suggest(positive, names)}"
        )
    if positive == negative:
        raise RocPredictError(f"negative={negative!r} is also the positive label; pass two different labels")
    return encode_binary_labels(labels, positive=positive, negative=negative)


def _is_one(label: Any) -> bool:
    return not isinstance(label, (set, dict)) and is_label(label, [label])


def summarize_table(
    table: FeatureTable,
    encoded_labels: EncodedLabels,
    weights: FloatArray | None,
    options: dict[str, Any],
    edges: FloatArray | None = None,
) -> TwoClassSummary:
    """Compute the moments of the first class pair and, if edges are passed, the histograms of this pair."""
    if edges is None:
        moments = read_moments(table, encoded_labels, weights, **options)
        return summaries_by_class_pair(moments, encoded_labels, table.names)[0]
    table = reserve_histograms(table)
    sides = pair_sides(encoded_labels.codes, encoded_labels.class_pairs[0])
    empty = count_cells(np.empty((0, len(edges))), sides[:0], edges)
    counts, minimum, maximum = empty.counts.copy(), empty.minimum.copy(), empty.maximum.copy()

    def count(rows: slice, columns: slice, tile: Any) -> None:
        part = count_cells(tile, sides[rows], edges[columns], options["n_jobs"])
        counts[:, columns] += part.counts
        np.minimum(minimum[:, columns], part.minimum, out=minimum[:, columns])
        np.maximum(maximum[:, columns], part.maximum, out=maximum[:, columns])

    moments = read_moments(table, encoded_labels, weights, **options, visit=count)
    summary = summaries_by_class_pair(moments, encoded_labels, table.names)[0]
    return replace(summary, histograms=FeatureHistograms(edges, counts, minimum, maximum))


def summaries_by_class_pair(
    moments: Moments, encoded_labels: EncodedLabels, names: Iterable[str]
) -> list[TwoClassSummary]:
    """Return the summary of each class pair, computed from moments of shape (classes, features)."""
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


def _summarize_batches(
    batches: Any, positive: Any, negative: Any, options: dict[str, Any], histogram_edges: Any = None
) -> TwoClassSummary:
    """Return the sum of the summaries of (X, y) batches."""
    for name, label in (("positive", positive), ("negative", negative)):
        if label is not None and not _is_one(label):
            raise RocPredictError(f"{name}={short_repr(label)} is not a label; pass a single label of y")
    edges = sample = None
    if histogram_edges is not None and not isinstance(check_batches(batches), Iterator):
        sample = RowSample.of_batches(batches)
    total: Any = None
    other_labels, is_default, kinds = set(), positive is None, BatchKinds()
    for table, labels in read_batches(batches):
        positive = _default_positive(labels) if positive is None else positive
        coded = encode_binary_labels(labels, positive=positive, negative=negative)
        other_labels |= {name for name in unique_labels(labels) if name != positive}
        check_label_types([positive, *other_labels])
        if is_default and negative is None:
            _default_positive(np.array([positive, *other_labels]))  # raises an error if there are other labels
        if histogram_edges is not None and edges is None:
            drawn = RowSample.of(table) if sample is None else sample
            edges = choose_edges(histogram_edges, table.names, drawn.edges)
        if edges is not None and len(edges) != len(table):
            raise RocPredictError(
                f"a batch has {pluralize(len(table), 'feature')}, but the first batch has {len(edges)}; pass the same "
                "features in each batch"
            )
        summary = summarize_table(table, coded, None, options, edges)
        kinds.add(table, summary.negative.count + summary.positive.count > 0)
        total = summary if total is None else total._plus(summary)
    for class_name in ("negative", "positive"):
        if not (getattr(total, class_name).count + getattr(total, class_name).n_missing).any():
            label = getattr(total, f"{class_name}_label")
            present = sorted(other_labels | ({positive} if class_name == "negative" else set()), key=repr)
            hint = f"labels are {format_list(map(repr, present))}{suggest(label, present)}"
            raise RocPredictError(f"no batch has an observation of the {class_name} class, {label!r}; {hint}")
    return total if negative is not None or len(other_labels) > 1 else replace(total, negative_label=other_labels.pop())


def _default_positive(labels: NDArray[Any]) -> int:
    """Return 1, the positive label of {0, 1}, {-1, 1} and booleans; other labels raise an error."""
    if labels.dtype.kind not in "biuf" or not any(np.isin(labels, pair).all() for pair in ((0, 1), (-1, 1))):
        raise RocPredictError("positive= is needed with batches, unless the labels are {0, 1}, {-1, 1} or booleans")
    return 1
