"""Result of a screening: a table that can be sorted, filtered, plotted and written to files."""

from __future__ import annotations

import datetime
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any, Literal, TextIO, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rocpredict.base import files
from rocpredict.base.formatting import format_number, format_p_value, pluralize, to_json, to_json_value
from rocpredict.base.results import FLAG_DESCRIPTIONS, MAX_ROWS, Flags, Result, plot_result, report_screening
from rocpredict.base.tables import Table
from rocpredict.base.validation import (
    Direction,
    RocPredictError,
    check_int,
    check_option,
    is_missing,
    select_indices,
    short_repr,
    suggest,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def _write(path: Any, content: str | bytes, *suffixes: str) -> None:
    """Write text or bytes to an open file or a path; the suffix of the path must be one of ``suffixes`` or empty."""
    if not hasattr(path, "write"):
        files.check_suffix("path=", files.check_writable(path), *suffixes, "")
        files.write_atomic(path, content)
        return
    try:
        path.write(content)
    except TypeError:
        kind = "text" if isinstance(content, str) else "bytes"
        raise RocPredictError(
            f"path={short_repr(path)} is a file object that does not accept {kind}; pass a file name"
        ) from None


def _to_json_column(values: NDArray[Any]) -> list[Any]:
    """Return the cells of a column as values that JSON supports."""
    cells = values.tolist()
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        for row in np.flatnonzero(~np.isfinite(values)).tolist():
            cells[row] = to_json_value(cells[row])
    return cells if values.dtype.kind in "biufU" else list(map(to_json_value, cells))


_ASCENDING_COLUMNS = ("p_value", "q_value", "misfit", "empirical_se", "n_missing", "fpr")
_DISPLAY_COLUMNS = (
    *("feature", "negative", "positive", "auc", "empirical_auc", "empirical_low", "empirical_high", "q_value"),
    *("direction", "family", "model_weight", "threshold", "ameans_corrected", "misfit", "flags"),
)
_FORMATS = {"q_value": format_p_value, "misfit": ".3f", "model_weight": ".2f"}


@dataclass(frozen=True, eq=False, repr=False)
class ScreeningResult(Result):
    """Result of a screening, with one row for each feature and class pair, sorted by discrimination.

    For a result named ``table``, ``table["auc"]`` is a column, and ``table[3]``, ``table[:10]`` and
    ``table[table["q_value"] < 0.05]`` are results with fewer rows.

    Attributes
    ----------
    columns : mapping of str to array of shape (rows,)
        Columns of the table by name, in the order listed in the Notes. ``flags`` is not included.
    flags : Flags
        Mapping from the name of each flag to the mask of the rows that have this flag. Flags that are not set in any
        row are not included, but ``flag_mask`` accepts their names as well.
    class_pairs : tuple of (negative, positive) labels
        Class labels; "rest" stands for all other labels.
    level : float
        Confidence level of the intervals.
    adjust : str
        Method used to compute ``q_value`` from the p-values of all rows of the screening.
    direction : {"auto", "higher", "lower"} or None
        Requested direction; the column ``direction`` contains the direction of each row.
    empirical : {True, False, "top", "histogram"}
        Option for the empirical AUCs; ``screen`` describes its four values. In rows without an empirical AUC,
        ``p_value`` is from Welch's t-test.
    family : {"gaussian", "auto"}
        Requested family; with "auto", the column ``family`` contains the family of each row.
    n_observations : int
        Number of rows in the screened table.
    n_unlabelled : int
        Number of rows in the screened table that were omitted because they have no label.
    rest_note : str
        Sentence that counts the labels of the class "rest", or "".
    not_numeric_note : str
        Sentence that lists the columns that are not numeric, with the first text of the first of them, or "".
    n_screened, n_tested : int
        ``n_screened`` is the number of rows of the complete result, and ``n_tested`` is the number of these rows with a
        p-value. ``q_value`` is adjusted for ``n_tested`` tests. Selecting rows, as with ``top(10)``, does not change
        ``n_screened`` or ``n_tested``.

    Notes
    -----
    The table has the following columns.

    ========================= ==========================================================================================
    feature                   Name of the feature.
    (annotations)             Annotations of the features, such as the columns of ``adata.var``.
    negative, positive        Labels of the classes, if there are several class pairs.
    n_negative, n_positive    Number of values that are not missing; with weights, the sum of their weights.
    n_missing                 Number of missing values in both classes.
    negative_mean, ...        Mean and standard deviation (ddof=1) of each class.
    effect_size               Cohen's d.
    direction                 "higher": positive when x >= threshold; "lower": positive when x <= threshold.
    auc, auc_low, auc_high    AUC predicted from two Gaussians, with a confidence interval (delta method on the probit
                              scale).
    empirical_auc, ...        Empirical AUC (Mann-Whitney, ties count 1/2), DeLong's standard error, and a
                              smoothed-logit confidence interval.
    empirical_auc_min, ...    With ``empirical="histogram"``: smallest and largest possible AUC of data with the same
                              histograms.
    p_value                   Two-sided p-value: Mann-Whitney test if there is an empirical AUC, else Welch's t-test.
    q_value                   p-value adjusted for ``n_tested`` tests.
    threshold                 Threshold with the best predicted Ameans (balanced accuracy).
    ameans, tpr, fpr          Predicted Ameans, TPR and FPR at this threshold.
    ameans_corrected          Optimism-corrected Ameans (see ``screen``).
    misfit                    Mean absolute difference in TPR between the predicted and the empirical curve. In rows
                              with family "auto", the difference between the fitted model and the empirical curve.
    family                    With ``family="auto"``: "auto" for rows with the shrunk estimate, "gaussian" for rows
                              with another prediction, "" for rows without a prediction.
    model_weight              With ``family="auto"``: weight w of the model in the estimate; the data have weight 1 - w.
    flags                     Names of the flags of the row; in ``to_dict`` and written files, but not in ``columns``.
    ========================= ==========================================================================================

    Examples
    --------
    >>> from rocpredict import screen
    >>> from rocpredict.datasets import load_iris
    >>> iris = load_iris()
    >>> table = screen(iris.X, iris.y, positive="virginica", negative="versicolor", feature_names=iris.feature_names)
    >>> table.top(2)["feature"].tolist()
    ['petal_length', 'petal_width']
    >>> table[table["empirical_low"] > 0.75].sort("threshold", descending=False)["feature"].tolist()
    ['petal_width', 'petal_length']
    """

    columns: Mapping[str, NDArray[Any]]
    flags: Flags
    class_pairs: tuple[tuple[Any, Any], ...]
    level: float
    adjust: str
    direction: Direction
    empirical: bool | str
    family: str
    n_observations: int
    n_screened: int
    n_tested: int
    row_index: NDArray[np.intp]
    """Position of each row in the order of the input: by class pair, then by feature."""
    n_unlabelled: int = 0
    rest_note: str = ""
    not_numeric_note: str = ""

    def __post_init__(self) -> None:
        for values in (*self.columns.values(), self.row_index):
            values.flags.writeable = False

    def __len__(self) -> int:
        return len(self.row_index)

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __contains__(self, name: object) -> bool:
        return name == "flags" or name in self.columns

    @overload
    def __getitem__(self, item: str) -> NDArray[Any]: ...
    @overload
    def __getitem__(self, item: slice | int | ArrayLike) -> ScreeningResult: ...
    def __getitem__(self, item: Any) -> Any:
        if isinstance(item, str):
            check_option("column", item, [*self.columns, "flags"])
            return self._flag_words() if item == "flags" else self.columns[item]
        names = item.tolist() if hasattr(item, "tolist") else item
        if isinstance(names, (list, tuple)) and names and all(isinstance(name, str) for name in names):
            raise RocPredictError(
                f"item={short_repr(names)} names several columns; pass one name, or select columns of a data frame: "
                f"table.to_pandas()[[...]]"
            )
        return self._rows(select_indices("item", item, len(self)))

    def flag_mask(self, name: str) -> NDArray[np.bool_]:
        """Return the mask of the rows that have a flag.

        Parameters
        ----------
        name : str
            Name of the flag. All flags are listed in docs/flags.md.

        Returns
        -------
        array of bool of shape (rows,)

        Raises
        ------
        RocPredictError
            If no flag has this name.
        """
        check_option("flag", name, FLAG_DESCRIPTIONS)
        return self.flags[name] if name in self.flags else np.zeros(len(self), dtype=bool)

    def feature(self, name: str) -> ScreeningResult:
        """Return the rows of one feature, one for each class pair.

        Parameters
        ----------
        name : str
            Name of the feature.

        Raises
        ------
        RocPredictError
            If no feature has this name.
        """
        rows = np.flatnonzero([feature == str(name) for feature in self.columns["feature"].tolist()])
        if not rows.size:
            hint = suggest(name, self["feature"])
            raise RocPredictError(f"name={short_repr(name)} is not a feature of this table; see table['feature']{hint}")
        return self._rows(rows)

    def top(self, k: int = 10) -> ScreeningResult:
        """Return the first rows of the table.

        Parameters
        ----------
        k : int, default=10
            Number of rows. If the table has fewer rows, all rows are returned.
        """
        return self._rows(np.arange(len(self))[: check_int("k", k, least=0)])

    def sort(self, by: str, *, descending: bool | None = None) -> ScreeningResult:
        """Return the table sorted by a column; ties keep their order, and undefined values are last.

        Parameters
        ----------
        by : str
            Name of a column, or "discrimination" for the order in which ``screen`` returns the rows. In this order,
            rows are sorted by the distance of the empirical AUC from 1/2; if a row has no empirical AUC, its predicted
            AUC is used. Ties are resolved by the distance of the predicted AUC from 1/2, then by the absolute effect
            size.
        descending : bool, optional
            Whether large values come first. By default, False for text, dates, p_value, q_value, misfit, empirical_se,
            n_missing and fpr, and True for other columns.
        """
        check_option("by", by, ["discrimination", *self.columns])
        keys = discrimination_sort_keys(self.columns) if by == "discrimination" else (self.columns[by],)
        if not isinstance(descending, (bool, np.bool_, NoneType)):
            raise RocPredictError(f"descending={short_repr(descending)} is not allowed; pass True, False or None")
        if descending is None:
            descending = by not in _ASCENDING_COLUMNS and keys[0].dtype.kind in "fiub"
        order = np.arange(len(self))
        for key in reversed(keys):
            order = order[_stable_argsort(key[order], descending)]
        return self._rows(order)

    def in_input_order(self) -> ScreeningResult:
        """Return the table sorted by class pair, with the features in the order of the input."""
        return self._rows(np.argsort(self.row_index, kind="stable"))

    def to_csv(self, path: str | PathLike[str] | TextIO | None = None) -> str | None:
        """Write the table as CSV in full precision; undefined values are empty cells.

        Parameters
        ----------
        path : path or text file, optional
            File to write. An existing file is replaced only after the whole table has been written. By default, the
            text is returned.

        Returns
        -------
        str or None
            Text of the table if ``path`` is omitted.

        Raises
        ------
        RocPredictError
            If the file cannot be written, or if its name has a suffix other than .csv or .txt.

        Notes
        -----
        A spreadsheet would evaluate a name or an annotation as a formula if it begins with =, +, -, @, a tab or a line
        break (OWASP, "CSV Injection"). An apostrophe is therefore inserted before such text, unless the text is a
        number. Quotes, spaces and invisible characters at the beginning of the text are ignored in this check. An
        apostrophe is also inserted before a formula that follows a semicolon, a vertical bar, a tab or a line break. A
        spreadsheet that uses one of these characters as its separator would begin a new cell there. Numbers are never
        changed. Parquet, JSON and data frames contain all text unchanged.
        """
        text = files.format_csv_columns(self._columns())
        if path is None:
            return text
        _write(path, text, ".csv", ".txt")
        return None

    def to_json(self, path: str | PathLike[str] | TextIO | None = None) -> str | None:
        """Write the table as JSON, with NaN as null and infinities as the strings "inf" and "-inf".

        Parameters
        ----------
        path : path or text file, optional
            File to write. An existing file is replaced only after the whole table has been written. By default, the
            text is returned.

        Returns
        -------
        str or None
            Text of the table if ``path`` is omitted. The text is a JSON object with the keys "class_pairs", "level",
            "adjust", "family", "n_observations", "n_unlabelled" and "features". The value of "features" is a list with
            one object for each row; in each of these objects, the value of "flags" is a list of names.

        Raises
        ------
        RocPredictError
            If the file cannot be written, or if its name has a suffix other than .json or .txt.
        """
        head = {
            "class_pairs": [{"negative": negative, "positive": positive} for negative, positive in self.class_pairs],
            **{name: getattr(self, name) for name in ("level", "adjust", "family", "n_observations", "n_unlabelled")},
            "features": [],
        }
        columns = {name: _to_json_column(values) for name, values in self._columns().items()}
        columns["flags"] = [words.split() for words in columns["flags"]]
        encode = json.JSONEncoder(allow_nan=False, ensure_ascii=False).encode
        rows = (encode(dict(zip(columns, cells, strict=True))) for cells in zip(*columns.values(), strict=True))
        text = to_json(head).removesuffix("[]\n}") + "[\n    " + ",\n    ".join(rows) + "\n  ]\n}"
        if path is None:
            return text
        _write(path, text + "\n", ".json", ".txt")
        return None

    def to_parquet(self, path: str | PathLike[str]) -> None:
        """Write the table as a Parquet file.

        Parameters
        ----------
        path : path or binary file
            File to write. An existing file is replaced only after the whole table has been written.

        Raises
        ------
        RocPredictError
            If polars is not installed, if the file cannot be written, or if its name has a suffix other than .parquet.
        """
        try:
            frame = files.data_frame(self._columns(), "polars")
        except RocPredictError:
            raise RocPredictError("Parquet needs polars: pip install 'rocpredict[frames]'") from None
        buffer = io.BytesIO()
        frame.write_parquet(buffer)
        _write(path, buffer.getvalue(), ".parquet")

    def plot(self, kind: Literal["ranking", "agreement", "volcano"] = "ranking", **options: object) -> Axes:
        """Plot the table.

        Parameters
        ----------
        kind : {"ranking", "agreement", "volcano"}, default="ranking"
            Kind of plot.

            - "ranking": AUCs of the first rows, with confidence intervals.
            - "agreement": predicted AUC against empirical AUC.
            - "volcano": p-value against AUC.
        **options
            Further options of ``rocpredict.plots.screening.plot_screening``.

        Returns
        -------
        matplotlib.axes.Axes
        """
        return plot_result("plot_screening", (self,), {"kind": kind} | options)

    def report(
        self,
        path: str | PathLike[str],
        *,
        n_top: int = 10,
        title: str | None = None,
        data: Sequence[object] | None = None,
        date: str | datetime.date | None = None,
    ) -> Path:
        """Write a report on the table as a single HTML file, with figures and a description of the methods.

        Parameters
        ----------
        path : path
            File to write, in an existing folder. An existing file is replaced only after the whole report has been
            written.
        n_top : int, default=10
            Number of top-ranked features that are plotted.
        title : str, optional
            Heading of the report.
        data : (X, y) or (X, y, weights), optional
            Data that were screened. If ``data`` is passed, the report contains the empirical curves and a hash of the
            data.
        date : datetime.date or str, optional
            Date of the report. By default, today.

        Returns
        -------
        pathlib.Path
            Path of the report.

        Raises
        ------
        RocPredictError
            If the report cannot be written, if an option is invalid, or if ``data`` does not match the screened data.
        """
        return report_screening(self, path, n_top=n_top, title=title, data=data, date=date)

    def __repr__(self) -> str:
        (negative, positive), *others = self.class_pairs
        classes = f"negative {short_repr(negative, 40)}, positive {short_repr(positive, 40)}"
        n_numeric = len(self) - int(self.flag_mask("not_numeric").sum())
        rows_text = pluralize(len(self), "row") + (f" ({n_numeric} numeric)" if n_numeric < len(self) else "")
        parts = [rows_text, f"{1 + len(others)} class pairs" if others else classes]
        parts += [f"{pluralize(self.n_unlabelled, 'observation')} without a label omitted"] if self.n_unlabelled else []
        columns = self.columns
        if len(self) and not np.isnan(columns["auc"][0]):
            name, empirical_auc = str(columns["feature"][0]), columns["empirical_auc"][0]
            parts.append(f"first {short_repr(name, 40)}: auc={format_number(columns['auc'][0], 4)}")
            parts += [] if np.isnan(empirical_auc) else [f"empirical {format_number(empirical_auc, 4)}"]
            parts.append(f"q_value={format_p_value(columns['q_value'][0])}")
        return f"ScreeningResult({', '.join(parts)})"

    def table(self, rows: int | None = MAX_ROWS) -> Table:
        """Return a table of the main columns.

        Parameters
        ----------
        rows : int or None, default=10
            Number of rows; None for all.
        """
        names, top = self.display_columns(), self if rows is None else self.top(rows)
        cells = [list(map(files.none_if_missing, row)) for row in zip(*(top[name] for name in names), strict=True)]
        cut = [f"The first {len(top)} of {len(self)} rows."] if len(top) < len(self) else []
        notes = filter(None, [*cut, self.rest_note, self.not_numeric_note])
        return Table(repr(self), names, cells, _FORMATS, [*notes], self.flags)

    def display_columns(self) -> list[str]:
        """Return the names of the main columns."""
        blank = {name for name in ("empirical_auc", "empirical_low", "empirical_high", "misfit") if not self.empirical}
        return [name for name in _DISPLAY_COLUMNS if name in self and name not in blank]

    def _rows(self, rows: NDArray[np.intp]) -> ScreeningResult:
        columns = {name: values[rows] for name, values in self.columns.items()}
        flags = Flags(**{name: self.flags[name][rows] for name in self.flags})
        return replace(self, columns=columns, flags=flags, row_index=self.row_index[rows])

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the columns as lists, with NaN for undefined values."""
        return {name: values.tolist() for name, values in self._columns().items()}

    def _columns(self) -> dict[str, NDArray[Any]]:
        return {**self.columns, "flags": self._flag_words()}

    def _flag_words(self) -> NDArray[Any]:
        names, codes = list(self.flags), np.zeros(len(self), dtype=np.int64)
        for bit, name in enumerate(names):
            codes |= self.flags[name].astype(np.int64) << bit
        sets, inverse = np.unique(codes, return_inverse=True)
        words = [" ".join(name for bit, name in enumerate(names) if code >> bit & 1) for code in sets.tolist()]
        return np.array(words, dtype=object)[inverse]


def discrimination_sort_keys(columns: Mapping[str, NDArray[Any]]) -> tuple[NDArray[Any], ...]:
    """Return the keys by which rows are sorted in the default order.

    The first key is the distance of the empirical AUC from 1/2. In rows without an empirical AUC, the predicted AUC is
    used instead. The second key is the distance of the predicted AUC from 1/2. The third key, the absolute effect size,
    determines the order of features whose predicted AUC rounds to 1.
    """
    predicted = np.abs(columns["auc"] - 0.5)
    empirical = np.abs(columns["empirical_auc"] - 0.5)
    return np.where(np.isnan(empirical), predicted, empirical), predicted, np.abs(columns["effect_size"])


def _stable_argsort(key: NDArray[Any], descending: bool) -> NDArray[np.intp]:
    """Return the indices that sort a key, with ties in their present order and undefined values last."""
    undefined = np.array([is_missing(item) for item in key.tolist()]) if key.dtype.kind == "O" else key != key  # noqa: PLR0124
    values, defined = np.zeros(len(key)), key[~undefined]
    sortable = defined if key.dtype.kind in "fiubmM" else defined.astype(str)
    _, values[~undefined] = np.unique(sortable, return_inverse=True)
    return np.lexsort((-values if descending else values, undefined))
