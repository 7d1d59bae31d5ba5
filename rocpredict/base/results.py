"""Flags, confidence intervals, the base class of all results, and functions that plot or report a result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from functools import partial
from importlib import import_module
from inspect import signature
from os import PathLike
from string import Formatter
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeAlias, get_args, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rocpredict.base.files import Backend, data_frame
from rocpredict.base.formatting import format_interval, format_list, format_number, pluralize, truncate
from rocpredict.base.labels import is_label
from rocpredict.base.tables import CurvePlot, Table
from rocpredict.base.validation import RocPredictError, Value, check_option, short_repr, suggest, to_scalar

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa


PictureKind: TypeAlias = (
    Literal["roc", "densities", "probit", "measures", "cost", "band", "simultaneous_band"]
    | Literal["precision_recall", "decision", "stability"]
)
PLOT_KINDS: dict[PictureKind, tuple[str, dict[str, Any]]] = {
    **{kind: (f"plot_{kind}", {}) for part in get_args(PictureKind) for kind in get_args(part)},
    "simultaneous_band": ("plot_band", {"kind": "simultaneous"}),
}
"""For each kind of plot of a ROC curve, the name of a function in ``rocpredict.plots`` and its fixed options."""


def plot_roc_kind(roc: Any, kind: str, /, **options: Any) -> Any:
    """Make a plot of one ROC curve; ``kind`` is a key of ``PLOT_KINDS``."""
    name, fixed = PLOT_KINDS[check_option("kind", kind, PLOT_KINDS)]
    return plot_result(name, (roc,), options, **fixed)


def plot_result(function: str, results: tuple[Any, ...], options: dict[str, Any], **fixed: Any) -> Any:
    """Call a function of ``rocpredict.plots`` by its name.

    Raises
    ------
    RocPredictError
        If the function does not accept one of the options.
    """
    plot = getattr(import_module("rocpredict.plots"), function)
    parameters = signature(plot).parameters.values()
    allowed = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY and p.name not in fixed]
    unknown = next((name for name in options if name not in allowed), None)
    if unknown is not None:
        options_text = f"{', '.join(allowed)}{suggest(unknown, allowed)}"
        raise RocPredictError(f"{unknown}= is not an option of {function}; its options are {options_text}")
    return plot(*results, **fixed, **options)


def report_screening(table: Any, path: str | PathLike[str], **options: Any) -> Any:
    """Write a screening report to a file."""
    return import_module("rocpredict.reports.screening").screening_report(table, path, **options)


def omitted_text(result: Any) -> str:
    """Return the numbers of omitted observations as text for a repr, or an empty string if there are none."""
    numbers = {name: getattr(result, name) for name in ("omitted", "n_unlabelled")}
    return "".join(f", {name}={number}" for name, number in numbers.items() if np.any(number))


def omitted_notes(result: Any) -> list[str]:
    """Return sentences that state how many observations were omitted because of missing values or labels."""
    omitted, unlabelled = sum(getattr(result, "omitted", ())), result.n_unlabelled
    notes = [f"{pluralize(omitted, 'observation')} omitted because of missing values."] if omitted else []
    return notes + ([f"{pluralize(unlabelled, 'observation')} without a label omitted."] if unlabelled else [])


def describe_rest(sizes: Mapping[Any, int], pair: tuple[Any, Any]) -> str:
    """Return a sentence that counts the negative labels of a class pair if several labels are negative, or "".

    ``sizes`` maps each label to the number of its rows.
    """
    rest = [name for name in sizes if not is_label(name, [pair[1]])]
    if len(rest) < 2 or is_label(pair[0], [*sizes]):
        return ""
    texts = [repr(name) if str(name) != str(name).strip() else str(name) for name in rest]
    counts = (f"{truncate(text, 40)} ({sizes[name]:,})" for text, name in zip(texts, rest, strict=True))
    return f"Rest: {format_list(counts, 10, 80)}."


MAX_ROWS = 10
"""Largest number of rows in the table of a batch or a curve."""


class Result:
    """Base class of results; its methods derive the repr, table, dictionary, data frame and equality from the fields.

    A subclass is a frozen dataclass or a named tuple. ``field(metadata=...)`` accepts three keys. ``label``
    and ``format`` (see ``Table.formats``) apply to the table; ``hidden`` excludes a field from the dictionary, the
    table and the data frame. Fields whose names begin with an underscore are hidden, too.

    Attributes
    ----------
    derived : tuple of str
        Names of the properties that are listed after the fields.
    _listed, _tabled : tuple of str
        Names of the values in the dictionary (``_listed``) and in the table (``_tabled``), in their order of
        appearance. By default, both the dictionary and the table contain the fields and ``derived``. The shape of a
        result is the shape of the first value in the table: () for one feature, and the batch shape F for several
        features.
    _text, _text_batch : str
        Templates (see ``str.format``) for the text between the parentheses of the repr. ``_text`` is used for one
        feature, ``_text_batch`` for a batch. In a template, the text "name=" must be followed by the value of the
        attribute ``name``. "{auc:.6r}" formats a rate by ``format_number``, which shows 1 only if the rate is exactly
        1. "{flag_text}" stands for the flags, "{omitted_text}" for the omitted observations, "{length}" for the number
        of items, and "{batch_shape}" for the shape F of a batch.
    _heading : str
        Template for the title of the table.
    _long : bool
        If True, each item of a field belongs to a point of one curve, not to a feature. The table shows at most
        ``MAX_ROWS`` of these points.
    _frame_of_table : bool
        Whether the data frame has the same rows as the table.
    """

    __slots__ = ()
    derived: ClassVar[tuple[str, ...]] = ()
    _listed: ClassVar[tuple[str, ...]] = ()
    _tabled: ClassVar[tuple[str, ...]] = ()
    _text: ClassVar[str] = ""
    _text_batch: ClassVar[str] = "batch of shape {batch_shape}"
    _heading: ClassVar[str] = ""
    _long: ClassVar[bool] = False
    _frame_of_table: ClassVar[bool] = False

    # ---- display
    def __repr__(self) -> str:
        values = _Values(self)
        text = self._text_batch if values["batch_shape"] else self._text
        if text:
            return f"{type(self).__name__}({_TEMPLATES.vformat(text, (), values)})"
        texts = (f"{name}={short_repr(getattr(self, name), 40)}" for name in self._names()[:6])
        return truncate(f"{type(self).__name__}({', '.join(texts)})", 280)

    def table(self) -> Table:
        """Return the result as a table, which can be converted to text, HTML, Markdown and CSV.

        The table of a batch shows only the first ten features.
        """
        values, names = _Values(self), self._tabled or self._names()
        shape, heading = values["batch_shape"], self._heading.format_map(values) or type(self).__name__
        notes, flags = self._notes(), getattr(self, "flags", None)
        if self._long:
            return curve_table(heading, self._columns(), notes=notes, flags=flags, plot=self._plot())
        if shape:
            columns = {self._label(name): getattr(self, name) for name in names}
            columns = {name: value for name, value in columns.items() if np.shape(value) == shape}
            return batch_table(heading, shape, columns, notes=notes, flags=flags)
        rows = [[self._label(name), self._cell(name)] for name in names]
        return Table(heading, ("quantity", "value"), [row for row in rows if row[1] is not None], None, notes, flags)

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()

    def _notes(self) -> Sequence[str]:
        return ()

    def _plot(self) -> CurvePlot | None:
        return None

    def _label(self, name: str) -> str:
        return str(_metadata(self, name).get("label", name.replace("_", " ")))

    def _cell(self, name: str) -> Any:
        """Return the cell of a field, or None if the field is not a single value."""
        value, form = getattr(self, name), _metadata(self, name).get("format")
        if form is not None and value is not None:
            return form(value) if callable(form) else format(value, form)
        if isinstance(value, Interval):
            return format_interval(*value)
        if isinstance(value, Result):
            return None if isinstance(value, Flags) else repr(value)
        if isinstance(value, (tuple, list)) and not any(isinstance(item, Result) for item in value):
            return format_list(value)
        single = isinstance(value, (str, bool, int, float, np.generic)) or (np.ndim(value) == 0 and _is_array(value))
        return value if single else None

    # ---- data
    def to_dict(self) -> dict[str, Any]:
        """Return a dictionary of the fields, with plain Python values."""
        return {name: to_plain(getattr(self, name)) for name in self._listed or self._names()}

    @overload
    def to_frame(self, backend: Literal["pandas"] = "pandas") -> pd.DataFrame: ...
    @overload
    def to_frame(self, backend: Literal["polars"]) -> pl.DataFrame: ...
    @overload
    def to_frame(self, backend: Literal["pyarrow"]) -> pa.Table: ...
    def to_frame(self, backend: Backend = "pandas") -> pd.DataFrame | pl.DataFrame | pa.Table:
        """Return a data frame with one row for each feature of a batch or for each point of a curve.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, default="pandas"
            Library that provides the data frame.

        Returns
        -------
        pandas.DataFrame, polars.DataFrame or pyarrow.Table

        Raises
        ------
        RocPredictError
            If ``backend`` is unknown or not installed.
        """
        return data_frame(self._columns(), backend)

    def to_pandas(self) -> pd.DataFrame:
        """Return a pandas data frame; see ``to_frame``."""
        return self.to_frame("pandas")

    def to_polars(self) -> pl.DataFrame:
        """Return a polars data frame; see ``to_frame``."""
        return self.to_frame("polars")

    def _columns(self) -> Mapping[str, Any]:
        """Return the columns of the data frame."""
        if self._frame_of_table:
            return self.table().to_columns()
        shape = self._result_shape()
        values = {name: getattr(self, name) for name in dict.fromkeys((*self._tabled, *self._names()))}
        values = {name: value for name, value in values.items() if _is_column(value, shape)}
        return {name: np.broadcast_to(value, shape or (1,)).ravel() for name, value in values.items()}

    def _names(self) -> tuple[str, ...]:
        """Return the names of the fields that are shown, followed by the names of the derived properties."""
        names = [name for name in _field_names(self) if name[0] != "_" and not _metadata(self, name).get("hidden")]
        return (*names, *self.derived)

    def _result_shape(self) -> tuple[int, ...]:
        """Return the shape of the first field that is shown, () for one number."""
        names = self._tabled or self._names()
        value: Any = getattr(self, names[0]) if names else None
        return np.shape(value) if _is_array(value) else ()

    # ---- comparison
    def _compared(self) -> Mapping[str, Any]:
        """Return the values that are compared for equality: all fields, or the identity of an object without fields."""
        names = _field_names(self, compared=True)
        return {name: getattr(self, name) for name in names} if names else {"object": id(self)}

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self is other or _equal(dict(self._compared()), dict(other._compared()))

    def __ne__(self, other: object) -> bool:  # the method of a named tuple would compare arrays
        return not self == other

    def __hash__(self) -> int:
        return hash((type(self).__name__, _hashable(dict(self._compared()))))

    def __getstate__(self) -> Any:
        """Return the fields without cached values, which are recomputed after unpickling."""
        if not hasattr(self, "__dict__"):
            return super().__getstate__()
        return {name: self.__dict__[name] for name in _field_names(self) if name in self.__dict__}


class _Values(dict[str, Any]):
    """Mapping of names to attributes of a result, for ``str.format_map``."""

    def __init__(self, result: Result) -> None:
        self.result = result

    def __missing__(self, name: str) -> Any:
        if name == "batch_shape":
            return () if self.result._long else self.result._result_shape()
        if name == "length":
            return len(self.result)  # type: ignore[arg-type]
        if name == "omitted_text":
            return omitted_text(self.result)
        if name == "flag_text":
            flags = self.result.flags  # type: ignore[attr-defined]
            shape = self["batch_shape"]
            return "" if not flags else f", {flags}" if shape else f", flags={list(flags)}"
        return getattr(self.result, name)


class _TemplateFormatter(Formatter):
    """Formatter for the templates of reprs."""

    def format_field(self, value: Any, format_spec: str) -> str:
        if format_spec.endswith("r"):
            return format_number(value, int(format_spec[1:-1]))
        return str(super().format_field(value, format_spec))


_TEMPLATES = _TemplateFormatter()


def _field_names(result: Any, *, compared: bool = False) -> tuple[str, ...]:
    if not is_dataclass(result):
        return getattr(result, "_fields", ())
    return tuple(item.name for item in fields(result) if item.compare or not compared)


def _metadata(result: Any, name: str) -> Mapping[str, Any]:
    item = getattr(result, "__dataclass_fields__", {}).get(name)
    return {} if item is None else item.metadata


def _is_array(value: Any) -> bool:
    return isinstance(value, (np.ndarray, np.generic))


def _open(value: Any) -> Any:
    """Convert a dataclass to a dict and a partial function to a tuple; return results and other values unchanged."""
    if isinstance(value, partial):
        return value.func, value.args, value.keywords
    if is_dataclass(value) and not isinstance(value, (Result, type)):
        return {name: getattr(value, name) for name in _field_names(value)}
    return value


def _is_column(value: Any, shape: tuple[int, ...]) -> bool:
    return isinstance(value, (str, bool, int, float)) or (_is_array(value) and np.shape(value) in {(), shape})


def to_plain(value: Any) -> Any:
    """Convert a value of a result to Python lists, dictionaries and numbers."""
    if isinstance(value, Flags):
        return list(value)
    if isinstance(value, Result):
        return value.to_dict()
    value = value._asdict() if hasattr(value, "_asdict") else _open(value)
    if isinstance(value, Mapping):
        return {key: to_plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(map(to_plain, value))
    return value.tolist() if _is_array(value) and value.dtype.kind not in "mM" else value


def _equal(a: Any, b: Any) -> bool:
    """Return whether two values are equal; arrays are compared item by item, and NaN equals NaN."""
    a, b = _open(a), _open(b)
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        a, b = np.asarray(a), np.asarray(b)
        return bool(np.array_equal(a, b, equal_nan=a.dtype.kind in "fc" and b.dtype.kind in "fc"))
    if isinstance(a, Mapping) and isinstance(b, Mapping) and not isinstance(a, Result):
        return a.keys() == b.keys() and all(_equal(a[key], b[key]) for key in a)
    if isinstance(a, (tuple, list)) and isinstance(b, (tuple, list)) and not isinstance(a, Result):
        return len(a) == len(b) and all(map(_equal, a, b))
    return bool(a == b or (isinstance(a, float) and isinstance(b, float) and np.isnan(a) and np.isnan(b)))


def _hashable(value: Any) -> Any:
    """Convert a value to a hashable object; values that are equal by ``_equal`` give equal objects."""
    if isinstance(value, np.ndarray) and value.ndim:
        if value.dtype.kind not in "biuf":
            return _hashable(value.tolist())
        numbers = value.astype(np.float64) + 0.0
        return value.shape, np.where(np.isnan(numbers), np.nan, numbers).tobytes()
    if isinstance(value, np.ndarray):
        return _hashable(value.item())
    value = _open(value)
    if isinstance(value, Mapping) and not isinstance(value, Result):
        return frozenset((key, _hashable(item)) for key, item in value.items())
    if isinstance(value, (tuple, list)) and not isinstance(value, Result):
        return tuple(map(_hashable, value))
    return "nan" if isinstance(value, float) and np.isnan(value) else value


def batch_table(title: str, shape: tuple[int, ...], columns: Mapping[str, Any], **rest: Any) -> Table:
    """Return a table of the first features of a batch; the title states the shape of the batch."""
    size = int(np.prod(shape))
    many = min(size, MAX_ROWS)
    arrays = [np.asarray(values) for values in columns.values()]  # for all or only the first features
    wide = [array if array.shape in {shape, (many,)} else np.broadcast_to(array, shape) for array in arrays]
    places = [", ".join(map(str, map(int, np.unravel_index(place, shape)))) for place in range(many)]
    rows = [list(cells) for cells in zip(places, *(array.flat[:many].tolist() for array in wide), strict=True)]
    cut = [f"The first {many} of {size} features."] if many < size else []
    rest["notes"] = [*cut, *rest.get("notes", ())]
    return Table(f"{title}, batch of shape {shape}", ["feature", *columns], rows, **rest)


def curve_table(title: str, columns: Mapping[str, ArrayLike], **rest: Any) -> Table:
    """Return a table with at most ``MAX_ROWS`` evenly spaced rows of ``columns``, including the first and last rows."""
    arrays = [np.asarray(values) for values in columns.values()]
    last = len(arrays[0]) - 1
    places = sorted({round(last * part / (MAX_ROWS - 1)) for part in range(MAX_ROWS)}) if last >= 0 else []
    return Table(title, list(columns), [[array[place].item() for array in arrays] for place in places], **rest)


FLAG_DESCRIPTIONS = {
    "always_negative": "no threshold is better than classifying all values as negative; the threshold is +inf "
    "(-inf if smaller values indicate the positive class)",
    "always_positive": "no threshold is better than classifying all values as positive; the threshold is -inf "
    "(+inf if smaller values indicate the positive class)",
    "auto_direction": "the direction was chosen from the sample (direction='auto'), which makes the AUC optimistic",
    "close_studies": "the AUCs of the studies vary less than in 97.5% of homogeneous sets of studies; the "
    "random-effects interval is computed from the 2.5% quantile of the variation in homogeneous sets, not from the "
    "observed variation",
    "constant": "all values are equal; the feature is uninformative",
    "crossings_uncertain": "the likelihood ratio equals the cost ratio, up to rounding, over a whole interval; "
    "points in this interval at which the two ratios cross may be missing or misplaced",
    "dominant_cluster": "one cluster has more than half of the observations of a class; the standard error depends "
    "mainly on that cluster",
    "dropped_resamples": "the family could not be fitted to some resamples; these resamples were omitted",
    "equal_thresholds": "some thresholds outside the plateau (the interval around the best threshold) are "
    "equally good; see `best_threshold().equal_thresholds` in Python",
    "extrapolated": "fewer than one negative is expected in the requested range of FPR, or fewer than one positive in "
    "the requested range of TPR; the interval depends on an assumed shape of the curve in this range",
    "fallback": "the requested method gives zero variance; another method was used",
    "identical": "both classes have the same distribution; no threshold is better than chance",
    "infinite": "a class has infinite values, or its variance is beyond the range of float64; no curve is predicted",
    "interval_extended": "the computed interval excluded the estimate and was widened to include it",
    "label_leakage": "each class has a single value, and the two values differ; the feature may be a copy of the label",
    "misfit": "the predicted curve deviates from the empirical curve by more than sampling variation explains; use the "
    "empirical values",
    "no_benefit": "no threshold has an Ameans above 1/2",
    "no_discordant_pairs": "the two predictions are correct for the same observations; p is 1",
    "no_values": "a class has no values of this feature; no result can be computed",
    "not_numeric": "the column is not numeric (it contains text or dates); it was not screened; numbers need a decimal "
    "point, no thousands separator and no unit",
    "opposite_directions": "one AUC is above 1/2 and the other is below 1/2; the features may have opposite "
    "directions (pass the direction of each), or the class means of a feature contradict its ranks",
    "pairing_unknown": "it is unknown whether the curves come from the same observations; they were tested as "
    "independent samples",
    "perfect_reversal": "every positive ranks below every negative in the chosen direction; the AUC is 0",
    "perfect_separation": "a threshold has TPR = 1 and FPR = 0, to double precision",
    "point_mass": "a class has a standard deviation of 0; all its values are equal",
    "same_curve": "the curves rank all observations in the same order; p is 1, unless a margin is tested",
    "separated_study": "the classes of a study are separated almost perfectly; in the pooled estimate, an upper limit "
    "replaces the extrapolated AUC of this study",
    "single_observation": "a class has a single observation; its variability cannot be estimated",
    "single_study": "only one study has finite values of this feature; a random-effects AUC needs two or more studies",
    "small_difference": "p is at most 0.05, but the difference between the paired AUCs is below about 3/n "
    "(n: size of the smaller class); a few outliers that the sample lacks could outweigh it",
    "undercoverage": "the interval may contain the true value less often than its confidence level states, because of "
    "its method and the class sizes",
    "unbounded": "the data do not determine the threshold: it is infinite, or its standard error is unknown",
    "undefined": "the measure is 0/0; its interval is all of [0, 1]",
    "wide_bounds": "the bounds of the AUC, computed from the histogram, are more than 0.02 apart, or the estimated "
    "bias of the AUC exceeds a fifth of its standard error; many values lie in one cell, because there are few edges, "
    "or because values read later lie outside the range of the edges; use more edges or split the cells",
}
"""Description of every flag that a result can have; docs/flags.md states when each flag is set."""


class Flags(Result, Mapping[str, NDArray[np.bool_]]):
    """Mapping from the name of each flag to the mask of the features that have this flag.

    Only flags that apply to at least one feature are included. For a single feature, ``"always_positive" in flags``,
    ``list(flags)`` and ``if flags`` therefore work as with a plain set of names.

    Examples
    --------
    >>> flags = Flags(identical=[True, False], no_benefit=[False, False])
    >>> flags
    Flags(identical: 1 of 2)
    >>> flags["identical"]
    array([ True, False])
    >>> "no_benefit" in flags
    False
    """

    __slots__ = ("_masks",)

    def __init__(self, **flags: ArrayLike) -> None:
        masks = {name: np.asarray(mask, dtype=bool) for name, mask in flags.items()}
        unknown = masks.keys() - FLAG_DESCRIPTIONS.keys()
        if unknown:
            names = ", ".join(sorted(unknown))
            raise RocPredictError(f"{names}: unknown flag; flags are {', '.join(FLAG_DESCRIPTIONS)}")
        self._masks = {name: masks[name] for name in sorted(masks) if masks[name].any()}

    def reshape(self, shape: tuple[int, ...]) -> Flags:
        """Return the same flags with reshaped masks."""
        return Flags(**{name: np.reshape(mask, shape) for name, mask in self._masks.items()})

    def __getitem__(self, name: str) -> NDArray[np.bool_]:
        return self._masks[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._masks)

    def __len__(self) -> int:
        return len(self._masks)

    def __or__(self, other: Flags) -> Flags:
        names = self.keys() | other.keys()
        return Flags(**{name: self._masks.get(name, False) | other._masks.get(name, False) for name in names})

    def messages(self) -> list[str]:
        """Return the description of each flag; for a batch, add the number of features that have the flag."""
        return [f"{name}{_format_count(mask)}: {FLAG_DESCRIPTIONS[name]}" for name, mask in self.items()]

    def table(self) -> Table:
        """Return a table of the flags and their descriptions."""
        rows = [[f"{name}{_format_count(mask)}", FLAG_DESCRIPTIONS[name]] for name, mask in self.items()]
        return Table("Flags", ("flag", "meaning"), rows, notes=[] if rows else ["No flags."])

    def to_dict(self) -> dict[str, Any]:
        """Return the mask of each flag as a list."""
        return {name: mask.tolist() for name, mask in self.items()}

    def _columns(self) -> Mapping[str, Any]:
        return {"flag": list(self), "features": [int(mask.sum()) for mask in self._masks.values()]}

    def _compared(self) -> Mapping[str, Any]:
        return self._masks

    def __getstate__(self) -> Any:
        return None, {"_masks": self._masks}

    __eq__, __hash__ = Result.__eq__, Result.__hash__  # instead of the methods of Mapping

    def __repr__(self) -> str:
        texts = [name if mask.ndim == 0 else f"{name}: {mask.sum()} of {mask.size}" for name, mask in self.items()]
        return f"Flags({', '.join(texts)})"


def _format_count(mask: NDArray[np.bool_]) -> str:
    return f" ({mask.sum()} of {mask.size} features)" if mask.ndim else ""


@dataclass(frozen=True, eq=False, repr=False)
class Interval(Result, Generic[Value]):
    """Confidence interval with its point estimate.

    ``low, high = interval`` unpacks the bounds. ``value in interval`` tests whether the interval contains a value.

    Attributes
    ----------
    low, high : float or array of shape F
        Bounds of the interval.
    level : float
        Confidence level, such as 0.95.
    method : str
        Name of the method that computed the interval.
    estimate : float or array of shape F
        Point estimate.
    flags : Flags
        Flags that indicate degenerate inputs.
    """

    low: Value
    high: Value
    level: float
    method: str
    estimate: Value
    flags: Flags = field(default_factory=Flags)
    _listed = ("estimate", "low", "high", "level", "method", "flags")
    _tabled = ("estimate", "low", "high")
    _text = "{low:.6r} to {high:.6r}, level={level:g}, method={method!r}{flag_text}"
    _text_batch = "batch of shape {batch_shape}, level={level:g}, method={method!r}{flag_text}"
    _heading = "Confidence interval, level {level:g}, method {method}"

    @property
    def width(self) -> Value:
        """Difference between the bounds, ``high - low``."""
        return to_scalar(np.subtract(self.high, self.low))

    def __iter__(self) -> Iterator[Value]:
        return iter((self.low, self.high))

    def __contains__(self, value: ArrayLike) -> bool:
        return bool(np.all((self.low <= np.asarray(value)) & (np.asarray(value) <= self.high)))
