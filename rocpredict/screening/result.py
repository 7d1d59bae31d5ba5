"""Result of a screening: ranking, export and adjusted p-values."""

from __future__ import annotations

import datetime
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TextIO, TypeAlias, get_args, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rocpredict.base.accessors import plot_result, report_screening
from rocpredict.base.files import data_frame, format_csv, none_if_missing, write_atomic
from rocpredict.base.formatting import format_p_value, to_json
from rocpredict.base.results import FLAG_DESCRIPTIONS, MAX_ROWS, Flags, Result
from rocpredict.base.tables import Table
from rocpredict.base.validation import (
    Direction,
    FloatArray,
    RocPredictError,
    check_int,
    check_option,
    is_missing,
    select_indices,
    short_repr,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Adjustment: TypeAlias = Literal["benjamini-hochberg", "benjamini-yekutieli", "holm", "bonferroni", "none"]
ADJUSTMENTS: tuple[Adjustment, ...] = get_args(Adjustment)
"""Values of ``adjust=``; the first is the default."""
_FALSE_DISCOVERY = {"benjamini-hochberg": "bh", "benjamini-yekutieli": "by"}


def adjust_p_values(p_values: FloatArray, method: str = "benjamini-hochberg") -> FloatArray:
    """Adjust p-values for how many there are.

    Parameters
    ----------
    p_values : array of shape (m,)
        NaN where nothing was tested: these do not count.
    method : {"benjamini-hochberg", "benjamini-yekutieli", "holm", "bonferroni", "none"}
        The first two bound the false discovery rate, Benjamini and Yekutieli (2001) whatever the dependence of
        the tests, Benjamini and Hochberg (1995) if they are independent or positively dependent. The next two bound
        the chance of any false claim.

    Returns
    -------
    array of shape (m,)
        To be compared with the rate that is allowed; never smaller than the p-value, and no more than 1.

    Examples
    --------
    >>> adjust_p_values(np.array([0.01, 0.02, np.nan, 0.9]))
    array([0.03, 0.03,  nan, 0.9 ])
    """
    check_option("adjust", method, ADJUSTMENTS)
    result = np.array(p_values, dtype=np.float64)
    tested = ~np.isnan(result)
    p, count = result[tested], int(tested.sum())
    if method in _FALSE_DISCOVERY:
        from scipy.stats import false_discovery_control  # here, since it takes half a second to import

        p = false_discovery_control(p, method=_FALSE_DISCOVERY[method]) if count else p
    elif method == "holm":
        order = np.argsort(p, kind="stable")
        p[order] = np.maximum.accumulate(p[order] * np.arange(count, 0, -1))
    elif method == "bonferroni":
        p = p * count
    result[tested] = np.minimum(p, 1)
    return result


def _write(path: Any, content: str | bytes) -> None:
    """Write into a file of this name, or into one that is open."""
    if not hasattr(path, "write"):
        write_atomic(path, content)
        return
    try:
        path.write(content)
    except TypeError:
        kind = "text" if isinstance(content, str) else "bytes"
        raise RocPredictError(f"path={short_repr(path)} does not take {kind}; give the name of a file") from None


def _to_csv_column(values: NDArray[Any]) -> list[Any]:
    """Return a column as cells; dates, or times where not all are at midnight, as text."""
    if values.dtype.kind in "mM":
        valid = values[~np.isnat(values)]
        is_days = values.dtype.kind == "M" and bool((valid == valid.astype("M8[D]")).all())
        texts = (values.astype("M8[D]") if is_days else values).astype(str).tolist()
        return ["" if text == "NaT" else text for text in texts]
    cells = values.tolist()
    if values.dtype.kind == "f":
        return ["" if cell != cell else cell for cell in cells]  # noqa: PLR0124
    if values.dtype.kind != "O":
        return list(cells)
    plain, times = map(none_if_missing, cells), (datetime.date, datetime.time)
    return ["" if cell is None else cell.isoformat() if isinstance(cell, times) else cell for cell in plain]


_ASCENDING_COLUMNS = ("p_value", "q_value", "misfit", "empirical_se", "n_missing", "fpr")
_DISPLAY_COLUMNS = (
    *("feature", "negative", "positive", "auc", "empirical_auc", "empirical_low", "empirical_high", "q_value"),
    *("direction", "family", "model_weight", "threshold", "ameans_corrected", "misfit", "flags"),
)
_FORMATS = {"q_value": format_p_value, "misfit": ".3f", "model_weight": ".2f"}


@dataclass(frozen=True, eq=False, repr=False)
class ScreeningResult(Result):
    """Result of a screening: a row for each feature (and each pair of classes), the most discriminating first.

    ``table["auc"]`` is a column; ``table[3]``, ``table[:10]`` and ``table[table["q_value"] < 0.05]`` are smaller
    tables.

    Attributes
    ----------
    columns : mapping of str to array of shape (rows,)
        In the order below, but for ``flags``.
    flags : Flags
        Stated outcomes that hold for some row, by name; see ``flag_mask``.
    class pairs : tuple of (negative, positive) labels
        "rest" stands for every other label.
    level : float
        Of the intervals.
    adjust : str
        How ``q_value`` was made from ``p_value``, over all rows of the first table.
    direction : {"auto", "higher", "lower"} or None
        What was asked for; each row has its own.
    empirical : {True, False, "top"}
        Which rows were counted; of the others the p-value is that of the predicted AUC.
    family : {"gaussian", "auto"}
        What was asked for; with "auto" each row has its own.
    n_observations : int
        Rows of the table that was read.
    n_screened, n_tested : int
        Rows of the first table, and how many of them have a p-value: what ``q_value`` was adjusted for. A part of a
        table, such as ``top(10)``, keeps both.

    Notes
    -----
    ========================= ======================================================================================
    feature                   its name
    (annotations)             what came along with the features, such as the columns of ``adata.var``
    negative, positive        the classes, with several class pairs
    n_negative, n_positive    values that are there (with weights their sums)
    n_missing                 values that are not, in both classes
    negative_mean, ...        mean and standard deviation (ddof=1) of each class
    effect_size               Cohen's d
    direction                 "higher": positive when x >= threshold; "lower": when x <= threshold
    auc, auc_low, auc_high    predicted by two Gaussians, with its interval (delta method on the probit scale)
    empirical_auc, ...        counted (Mann-Whitney, ties half); DeLong's standard error; smoothed logit interval
    p_value                   two-sided: of equal distributions, by ranks, where counted; else of equal means (Welch)
    q_value                   adjusted for the number of rows
    threshold                 where the Gaussians' Ameans is best, in the direction of the row
    ameans, tpr, fpr          predicted there
    ameans_corrected             what the Ameans is worth beyond these rows (see ``screen``)
    misfit                    mean distance of the predicted and the empirical curve; where family is "auto" that of the
                              model alone
    family                    with family="auto": "auto", where the predicted columns are of the shrunk estimate, or
                              "gaussian"; "" where nothing was predicted
    model_weight               with family="auto": the share of the model in the estimate, the rest being the sample's
    flags                     the names of the stated outcomes, in ``to_dict`` and what is written
    ========================= ======================================================================================
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
    """Place of each row in the order of input: class pair by class pair, the features as they came."""

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
                f"item={short_repr(names)} names several columns; give one name, or take them from a data frame: "
                f"table.to_pandas()[[...]]"
            )
        return self._rows(select_indices("item", item, len(self)))

    def flag_mask(self, name: str) -> NDArray[np.bool_]:
        """Return the mask of the rows that have a flag, all False where none has it.

        Raises
        ------
        RocPredictError
            No flag of that name; docs/flags.md lists them.
        """
        check_option("flag", name, FLAG_DESCRIPTIONS)
        return self.flags[name] if name in self.flags else np.zeros(len(self), dtype=bool)

    def feature(self, name: str) -> ScreeningResult:
        """Return the row of one feature, or its rows of several class pairs.

        Raises
        ------
        RocPredictError
            No such feature.
        """
        rows = np.flatnonzero([feature == name for feature in self.columns["feature"].tolist()])
        if not rows.size:
            raise RocPredictError(f"name={short_repr(name)} is no feature of this table")
        return self._rows(rows)

    def top(self, k: int = 10) -> ScreeningResult:
        """Return the first ``k`` rows, in the order that the table has."""
        if check_int("k", k) < 0:
            raise RocPredictError(f"k={k} is negative; it must be 0 or more")
        return self._rows(np.arange(len(self))[:k])

    def sort(self, by: str, *, descending: bool | None = None) -> ScreeningResult:
        """Sort the table by a column. Ties keep their order, undefined values come last.

        Parameters
        ----------
        by : str
            A column; or "discrimination", the order that ``screen`` gives: by the distance of the AUC from 1/2, the
            empirical one where there is one, then by that of the predicted one.
        descending : bool, optional
            Left out: the most telling first, which is the smallest of p_value, q_value, misfit and the like, and the
            largest of all others; text and dates ascend.
        """
        check_option("by", by, ["discrimination", *self.columns])
        keys = discrimination_sort_keys(self.columns) if by == "discrimination" else (self.columns[by],)
        if descending is None:
            descending = by not in _ASCENDING_COLUMNS and keys[0].dtype.kind in "fiub"
        order = np.arange(len(self))
        for key in reversed(keys):
            order = order[_stable_argsort(key[order], descending)]
        return self._rows(order)

    def in_input_order(self) -> ScreeningResult:
        """Return the table class pair by class pair, with the features in the order of the input."""
        return self._rows(np.argsort(self.row_index, kind="stable"))

    def to_csv(self, path: str | PathLike[str] | TextIO | None = None) -> str | None:
        """Write the table as CSV with every digit, into a file or as text; what is undefined is empty.

        Parameters
        ----------
        path : path, or a file open for text, optional
            Written whole or not at all.

        Notes
        -----
        A name or an annotation that begins with =, +, -, @, a tab or a line break and is no number gets an apostrophe
        in front, as OWASP recommends: a spreadsheet would compute it. The same holds behind invisible characters, and
        behind a semicolon, a bar or a tab inside the name. Numbers are never changed. Parquet, JSON and
        data frames hold all text as it is.
        """
        columns = self._columns()
        text = format_csv([columns, *zip(*(_to_csv_column(values) for values in columns.values()), strict=True)])
        if path is None:
            return text
        _write(path, text)
        return None

    def to_json(self, path: str | PathLike[str] | TextIO | None = None) -> str | None:
        """Write the table as JSON, into a file or as text: NaN as null, infinities as the strings "inf" and "-inf".

        Parameters
        ----------
        path : path, or a file open for text, optional
            Written whole or not at all.

        Returns
        -------
        str or None
            An object with "class_pairs", "level", "adjust", "family", "n_observations", and "features": an object for
            each row, its flags as a list.
        """
        columns = self.to_dict()
        rows = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
        text = to_json(
            {
                "class_pairs": [
                    {"negative": negative, "positive": positive} for negative, positive in self.class_pairs
                ],
                **{name: getattr(self, name) for name in ("level", "adjust", "family", "n_observations")},
                "features": [row | {"flags": row["flags"].split()} for row in rows],
            }
        )
        if path is None:
            return text
        _write(path, text + "\n")
        return None

    def to_parquet(self, path: str | PathLike[str]) -> None:
        """Write the table as a Parquet file, whole or not at all, or into a file open for bytes."""
        try:
            frame = data_frame(self._columns(), "polars")
        except RocPredictError:
            raise RocPredictError("Parquet needs polars: pip install 'rocpredict[frames]'") from None
        buffer = io.BytesIO()
        frame.write_parquet(buffer)
        _write(path, buffer.getvalue())

    def plot(self, kind: Literal["ranking", "agreement", "volcano"] = "ranking", **options: object) -> Axes:
        """Draw the table.

        Parameters
        ----------
        kind : {"ranking", "agreement", "volcano"}
            The first features with their intervals; predicted against empirical AUC; AUC against p-value.
        **options
            As ``rocpredict.plots.screening.plot_screening``.

        Returns
        -------
        matplotlib.axes.Axes
        """
        axes: Axes = plot_result("plot_screening", (self,), {"kind": kind} | options)
        return axes

    def report(
        self,
        path: str | PathLike[str],
        *,
        n_top: int = 10,
        title: str | None = None,
        data: Sequence[object] | None = None,
        date: str | datetime.date | None = None,
    ) -> Path:
        """Write the table as one HTML file that needs nothing else, with pictures and methods in words.

        Parameters
        ----------
        path : path
            In a folder that exists; written whole or not at all.
        n_top : int
            Of how many features, the first of the table, there are pictures.
        title : str, optional
            The heading.
        data : (X, y) or (X, y, weights), optional
            What was screened: for the empirical curves, which a table does not hold, and a hash.
        date : datetime.date or str, optional
            The day that the report says it is of; left out, today.

        Returns
        -------
        pathlib.Path

        Raises
        ------
        RocPredictError
            As ``rocpredict.reports.screening.screening_report``.
        """
        return report_screening(self, path, n_top=n_top, title=title, data=data, date=date)

    def __repr__(self) -> str:
        (negative, positive), *others = self.class_pairs
        classes = f"negative {short_repr(negative, 40)}, positive {short_repr(positive, 40)}"
        parts = [f"{len(self)} rows", f"{1 + len(others)} class pairs" if others else classes]
        columns = self.columns
        if len(self) and not np.isnan(columns["auc"][0]):
            name, empirical_auc = str(columns["feature"][0]), columns["empirical_auc"][0]
            parts.append(f"first {short_repr(name, 40)}: auc={columns['auc'][0]:.4g}")
            parts += [] if np.isnan(empirical_auc) else [f"empirical {empirical_auc:.4g}"]
            parts.append(f"q={columns['q_value'][0]:.2g}")
        return f"ScreeningResult({', '.join(parts)})"

    def table(self, rows: int | None = MAX_ROWS) -> Table:
        """Return the first rows, or all (None), in the columns of a narrow view."""
        names, top = self.display_columns(), self if rows is None else self.top(rows)
        cells = [list(map(none_if_missing, row)) for row in zip(*(top[name] for name in names), strict=True)]
        cut = [f"The first {len(top)} of {len(self)} rows."] if len(top) < len(self) else []
        return Table(repr(self), names, cells, _FORMATS, cut, self.flags)

    def display_columns(self) -> list[str]:
        """Name the columns that a narrow view shows."""
        blank = {name for name in ("empirical_auc", "empirical_low", "empirical_high", "misfit") if not self.empirical}
        return [name for name in _DISPLAY_COLUMNS if name in self and name not in blank]

    def _rows(self, rows: NDArray[np.intp]) -> ScreeningResult:
        columns = {name: values[rows] for name, values in self.columns.items()}
        flags = Flags(**{name: self.flags[name][rows] for name in self.flags})
        return replace(self, columns=columns, flags=flags, row_index=self.row_index[rows])

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the columns as lists; NaN stays NaN."""
        return {name: values.tolist() for name, values in self._columns().items()}

    def _columns(self) -> dict[str, NDArray[Any]]:
        return {**self.columns, "flags": self._flag_words()}

    def _flag_words(self) -> NDArray[Any]:
        flag_names: list[list[str]] = [[] for _ in range(len(self))]
        for name in self.flags:
            for row in np.flatnonzero(self.flags[name]):
                flag_names[row].append(name)
        return np.array([" ".join(names) for names in flag_names], dtype=object)


def discrimination_sort_keys(columns: Mapping[str, NDArray[Any]]) -> tuple[NDArray[Any], ...]:
    """Return the keys of the default order: distance from 1/2 of the AUC that is known best, then of the predicted one.

    The last is by effect size, which goes on where the AUC is 1 to double precision.
    """
    predicted = np.abs(columns["auc"] - 0.5)
    empirical = np.abs(columns["empirical_auc"] - 0.5)
    return np.where(np.isnan(empirical), predicted, empirical), predicted, np.abs(columns["effect_size"])


def _stable_argsort(key: NDArray[Any], descending: bool) -> NDArray[np.intp]:
    """Order by a key, up or down; what is undefined goes last, and equals stay as they stand."""
    undefined = np.array([is_missing(item) for item in key.tolist()]) if key.dtype.kind == "O" else key != key  # noqa: PLR0124
    values, defined = np.zeros(len(key)), key[~undefined]
    sortable = defined if key.dtype.kind in "fiubmM" else defined.astype(str)
    _, values[~undefined] = np.unique(sortable, return_inverse=True)
    return np.lexsort((-values if descending else values, undefined))
