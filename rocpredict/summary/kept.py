"""What is kept of each class and feature: values that add up, and go through JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rocpredict.arguments import FloatArray, shown
from rocpredict.errors import RocPredictError
from rocpredict.kernels.moments import Moments, merge
from rocpredict.rich_results import MOST_ROWS, Rich, Shown, clipped, of_batch

_WHOLE = ("count", "missing")
_NOT_NEGATIVE = (*_WHOLE, "m2", "m4")


@dataclass(frozen=True, eq=False, repr=False)
class ClassSummary(Rich):
    """Hold what is kept of one class: for each feature its count and the moments of its values.

    Summaries of parts of a table add up to that of the whole: ``first + second``, ``sum(summaries)``.

    Attributes
    ----------
    count : array of shape (features,)
        Values that are there; with weights their sum.
    missing : array of shape (features,)
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
    missing: NDArray[Any]
    mean: FloatArray
    m2: FloatArray
    m3: FloatArray | None = None
    m4: FloatArray | None = None
    minimum: FloatArray | None = None
    maximum: FloatArray | None = None

    def __post_init__(self) -> None:
        for item in fields(self):
            part = getattr(self, item.name)
            if part is not None:
                part.flags.writeable = False

    @property
    def order(self) -> int:
        """2 or 4: how many moments there are."""
        return 2 if self.m3 is None else 4

    @property
    def known(self) -> NDArray[np.bool_]:
        """Whether mean and standard deviation are: of two cases or more, and within the range of float64."""
        spread = (self.m2 == 0) | (self.m2 >= np.finfo(float).tiny)
        return np.asarray((self.count > 1) & np.isfinite(self.mean) & np.isfinite(self.m2) & spread)

    @property
    def std(self) -> FloatArray:
        """The standard deviations (ddof=1), NaN where fewer than two cases are counted."""
        return self._spread(1)

    @property
    def skewness(self) -> FloatArray:
        """The third central moment over that of the standard deviation (ddof=0), NaN without spread."""
        return self._standardised(self._of_four("m3"), 3)

    @property
    def kurtosis(self) -> FloatArray:
        """The excess kurtosis (0 for a Gaussian), NaN without spread."""
        return self._standardised(self._of_four("m4"), 4) - 3

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

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ClassSummary) and all(
            _alike(getattr(self, item.name), getattr(other, item.name)) for item in fields(self)
        )

    __hash__ = None  # type: ignore[assignment]

    def _shown(self) -> Shown:
        columns = {"count": self.count, "missing": self.missing, "mean": self.mean, "std": self.std}
        if self.minimum is not None and self.maximum is not None:
            columns |= {"minimum": self.minimum, "maximum": self.maximum}
        return of_batch("Summary of one class", (len(self),), columns)

    def __repr__(self) -> str:
        return f"ClassSummary({len(self)} features, {_cases(self.count)}, order={self.order})"

    def select(self, features: Any) -> ClassSummary:
        """Give the summary of some features, by index, slice or mask."""
        chosen = np.atleast_1d(np.arange(len(self))[features])
        parts: dict[str, Any] = {name: None if part is None else part[chosen] for name, part in self.to_dict().items()}
        return ClassSummary(**parts)

    def to_dict(self) -> dict[str, Any]:
        """Give the numbers by name."""
        return {item.name: getattr(self, item.name) for item in fields(self)}

    @classmethod
    def from_dict(cls, numbers: Any) -> Self:
        """Take the numbers from what ``to_dict``, or JSON, gave.

        Raises
        ------
        RocPredictError
            What is no such dictionary: other names, numbers that cannot be, lengths that differ.
        """
        names = [item.name for item in fields(cls)]
        if not isinstance(numbers, dict) or not set(names[:4]) <= numbers.keys() <= set(names):
            raise RocPredictError(f"a class summary has {', '.join(names)}; got {shown(numbers)}")
        arrays = {name: None if numbers.get(name) is None else _array(name, numbers[name]) for name in names}
        of_four = [arrays[name] is None for name in names[4:]]
        if any(arrays[name] is None for name in names[:4]) or any(of_four) != all(of_four):
            raise RocPredictError("a class summary has count, missing, mean and m2, and of the others all or none")
        if len({len(array) for array in arrays.values() if array is not None}) > 1:
            raise RocPredictError("a class summary has one number of each kind for each feature; lengths differ")
        return cls(**arrays)  # type: ignore[arg-type]

    def _moments(self) -> Moments:
        return Moments(*(getattr(self, name) for name in Moments._fields))

    def _spread(self, ddof: int) -> FloatArray:
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(self.count > ddof, np.sqrt(self.m2 / (self.count - ddof)), np.nan)

    def _standardised(self, moment: FloatArray, power: int) -> FloatArray:
        std = self._spread(0)
        with np.errstate(invalid="ignore", divide="ignore", over="ignore", under="ignore"):
            return np.where(std > 0, moment / self.count / std**power, np.nan)

    def _of_four(self, name: str) -> FloatArray:
        moment: FloatArray | None = getattr(self, name)
        if moment is None:
            raise RocPredictError("this summary has two moments; ask for moments=4")
        return moment


@dataclass(frozen=True, eq=False, repr=False)
class TwoClassSummary(Rich):
    """Hold what is kept of a table with two classes; summaries of its parts add up.

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
    negative_label: Any = "negative"
    positive_label: Any = "positive"

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
            mine, theirs = getattr(self, what), getattr(other, what)
            if mine != theirs:
                raise RocPredictError(f"summaries with {what} {shown(mine)} and {shown(theirs)} do not add up")
        return replace(self, negative=self.negative + other.negative, positive=self.positive + other.positive)

    def __radd__(self, other: object) -> TwoClassSummary:
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TwoClassSummary) and all(
            getattr(self, item.name) == getattr(other, item.name) for item in fields(self)
        )

    __hash__ = None  # type: ignore[assignment]

    def _shown(self) -> Shown:
        kept, sides = slice(MOST_ROWS), (self.negative, self.positive)
        parts = [part for side in sides for part in (side.count[kept], side.mean[kept], _std_of(side, kept))]
        rows = [list(cells) for cells in zip(self.feature_names[kept], *(part.tolist() for part in parts), strict=True)]
        columns = ["feature", *(f"{side} {name}" for side in ("negative", "positive") for name in ("n", "mean", "std"))]
        cut = [f"The first {MOST_ROWS} of {len(self)} features."] if len(self) > MOST_ROWS else []
        negative, positive = (clipped(str(label), 60) for label in (self.negative_label, self.positive_label))
        return Shown(
            f"Summary of {len(self)} features of two classes",
            rows,
            columns,
            notes=[*cut, f"Negative: {negative}; positive: {positive}."],
        )

    def __repr__(self) -> str:
        sides = (
            f"{name} {shown(getattr(self, f'{name}_label'), 40)} {_cases(getattr(self, name).count)}"
            for name in ("negative", "positive")
        )
        return f"TwoClassSummary({len(self)} features, {', '.join(sides)}, order={self.order})"

    def select(self, features: Any) -> TwoClassSummary:
        """Give the summary of some features, by index, slice or mask."""
        names = tuple(self.feature_names[place] for place in np.atleast_1d(np.arange(len(self))[features]))
        return replace(
            self, negative=self.negative.select(features), positive=self.positive.select(features), feature_names=names
        )

    def to_json(self) -> str:
        """Write it as JSON that ``from_json`` reads back without a loss; NaN as null, infinities as "inf", "-inf"."""
        held = {item.name: getattr(self, item.name) for item in fields(self)}
        for name in ("negative", "positive"):
            held[name] = {key: _plain(part) for key, part in held[name].to_dict().items()}
            label = held[f"{name}_label"]
            held[f"{name}_label"] = label.item() if isinstance(label, np.generic) else label
        try:
            return json.dumps(held, allow_nan=False, ensure_ascii=False)
        except (TypeError, ValueError):
            labels = self.negative_label, self.positive_label
            raise RocPredictError(f"labels {shown(labels)} cannot be written as JSON; use text or numbers") from None

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what ``to_json`` wrote.

        Raises
        ------
        RocPredictError
            Text that is no such JSON.
        """
        try:
            held = json.loads(text)
        except (TypeError, ValueError) as error:
            raise RocPredictError(f"the text is no JSON of a summary: {error}") from None
        names = [item.name for item in fields(cls)]
        if not isinstance(held, dict) or sorted(held) != sorted(names):
            raise RocPredictError(f"the JSON is no summary; it needs {', '.join(names)}")
        classes = {name: ClassSummary.from_dict(held[name]) for name in ("negative", "positive")}
        held["feature_names"] = _names(held["feature_names"])
        if {len(part) for part in classes.values()} != {len(held["feature_names"])}:
            raise RocPredictError("the JSON is no summary: its classes and feature_names differ in length")
        return cls(**held | classes)


def _std_of(side: ClassSummary, kept: slice) -> FloatArray:
    """Give the standard deviations of some features, without those of all."""
    return side.select(kept).std


def _cases(count: NDArray[Any]) -> str:
    """Say how many cases there are: one number where all features have as many."""
    if not len(count):
        return "0"
    low, high = count.min(), count.max()
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


def _alike(mine: Any, theirs: Any) -> bool:
    if mine is None or theirs is None:
        return mine is theirs
    return np.array_equal(mine, theirs, equal_nan=True)


def _plain(part: Any) -> Any:
    """Give what JSON can hold: null for NaN, and infinities as text."""
    if part is None:
        return None
    return [None if item != item else str(item) if abs(item) == np.inf else item for item in part.tolist()]  # noqa: PLR0124


def _names(given: Any) -> tuple[str, ...]:
    if not isinstance(given, list) or not all(isinstance(name, str) for name in given) or len({*given}) < len(given):
        raise RocPredictError(f"the JSON is no summary: feature_names={shown(given)} is no list of different names")
    return tuple(given)


def _array(name: str, part: Any) -> NDArray[Any]:
    try:
        held = np.array([np.nan if item is None else item for item in part], dtype=np.float64)
    except (TypeError, ValueError):
        raise RocPredictError(f"{name}={shown(part)} is not a list of numbers") from None
    if held.ndim != 1 or (name in _NOT_NEGATIVE and (held < 0).any()) or (name in _WHOLE and np.isnan(held).any()):
        raise RocPredictError(f"{name}={shown(part)} is not one number for each feature, 0 or more")
    whole = name in _WHOLE and (held == np.round(held)).all() and all(isinstance(item, int) for item in part)
    return held.astype(np.int64) if whole else held
