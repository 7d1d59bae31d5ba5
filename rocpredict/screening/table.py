"""What a screening found: a row for each feature."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocpredict import _show
from rocpredict.arguments import as_whole, is_missing, one_of, shown
from rocpredict.errors import RocPredictError
from rocpredict.flags import MEANINGS, Flags
from rocpredict.rich_results import MOST_ROWS, Rich, Shown
from rocpredict.screening import export

_SMALL_FIRST = ("p_value", "q_value", "misfit", "empirical_se", "n_missing", "fpr")
_SHOWN = ("feature", "negative", "positive", "auc", "empirical_auc", "empirical_low", "empirical_high", "q_value")
_SHOWN_LAST = ("direction", "family", "model_share", "threshold", "ameans_honest", "misfit", "flags")


@dataclass(frozen=True, eq=False, repr=False)
class Screening(Rich):
    """Hold a row of answers for each feature (and each contrast of classes), the most telling first.

    ``table["auc"]`` is a column; ``table[3]``, ``table[:10]`` and ``table[table["q_value"] < 0.05]`` are smaller
    tables.

    Attributes
    ----------
    columns : mapping of str to array of shape (rows,)
        In the order below, but for ``flags``.
    flags : Flags
        Stated outcomes that hold for some row, by name; see ``flagged``.
    contrasts : tuple of (negative, positive) labels
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
    n_rows : int
        Rows of the table that was read.
    n_screened, n_tested : int
        Rows of the first table, and how many of them have a p-value: what ``q_value`` was adjusted for. A part of a
        table, such as ``top(10)``, keeps both.

    Notes
    -----
    ========================= ======================================================================================
    feature                   its name
    (annotations)             what came along with the features, such as the columns of ``adata.var``
    negative, positive        the classes, with several contrasts
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
    ameans_honest             what the Ameans is worth beyond these rows (see ``screen``)
    misfit                    mean distance of the predicted and the empirical curve; where family is "auto" that of the
                              model, before the estimate was drawn to the sample
    family                    with family="auto": "auto", where the predicted columns are of the shrunk estimate, or
                              "gaussian"; "" where nothing was predicted
    model_share               with family="auto": the share of the model in the estimate, the rest being the sample's
    flags                     the names of the stated outcomes, in ``to_dict`` and what is written
    ========================= ======================================================================================
    """

    columns: Mapping[str, NDArray[Any]]
    flags: Flags
    contrasts: tuple[tuple[Any, Any], ...]
    level: float
    adjust: str
    direction: str | None
    empirical: bool | str
    family: str
    n_rows: int
    n_screened: int
    n_tested: int
    places: NDArray[np.intp]
    """Where each row stood: contrast by contrast, the features as they came."""

    def __post_init__(self) -> None:
        for values in (*self.columns.values(), self.places):
            values.flags.writeable = False

    def __len__(self) -> int:
        return len(self.places)

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __contains__(self, name: object) -> bool:
        return name == "flags" or name in self.columns

    def __getitem__(self, item: Any) -> Any:
        if isinstance(item, str):
            one_of("column", item, [*self.columns, "flags"])
            return self._flag_words() if item == "flags" else self.columns[item]
        return self._rows(np.atleast_1d(np.arange(len(self))[item]))

    def flagged(self, name: str) -> NDArray[np.bool_]:
        """Tell which rows have a flag: all False where none has it.

        Raises
        ------
        RocPredictError
            No flag of that name; docs/flags.md lists them.
        """
        one_of("flag", name, MEANINGS)
        return self.flags[name] if name in self.flags else np.zeros(len(self), dtype=bool)

    def feature(self, name: str) -> Screening:
        """Give the row of one feature, or its rows of several contrasts.

        Raises
        ------
        RocPredictError
            No such feature.
        """
        rows = np.flatnonzero([held == name for held in self.columns["feature"].tolist()])
        if not rows.size:
            raise RocPredictError(f"name={shown(name)} is no feature of this table")
        return self._rows(rows)

    def top(self, k: int = 10) -> Screening:
        """Give the first ``k`` rows, in the order that the table has."""
        if as_whole("k", k) < 0:
            raise RocPredictError(f"k={k} is negative; it must be 0 or more")
        return self._rows(np.arange(len(self))[:k])

    def sort(self, by: str, *, descending: bool | None = None) -> Screening:
        """Give the table in the order of a column; rows that tie stay in the order they have, undefined ones go last.

        Parameters
        ----------
        by : str
            A column; or "discrimination", the order that ``screen`` gives: by the distance of the AUC from 1/2, the
            empirical one where there is one, then by that of the predicted one.
        descending : bool, optional
            Left out: the most telling first, which is the smallest of p_value, q_value, misfit and the like, and the
            largest of all others; text and dates ascend.
        """
        one_of("by", by, ["discrimination", *self.columns])
        keys = discrimination(self.columns) if by == "discrimination" else (self.columns[by],)
        if descending is None:
            descending = by not in _SMALL_FIRST and keys[0].dtype.kind in "fiub"
        order = np.arange(len(self))
        for key in reversed(keys):
            order = order[_stable_order(key[order], descending)]
        return self._rows(order)

    def by_input(self) -> Screening:
        """Give the table contrast by contrast, with the features in the order they came in."""
        return self._rows(np.argsort(self.places, kind="stable"))

    def to_dict(self) -> dict[str, list[Any]]:
        """Give the columns as lists; NaN stays NaN."""
        return {name: values.tolist() for name, values in self._all_columns().items()}

    def to_pandas(self) -> Any:
        """Give a pandas data frame."""
        return export.to_frame(self._all_columns(), "pandas")

    def to_polars(self) -> Any:
        """Give a polars data frame."""
        return export.to_frame(self._all_columns(), "polars")

    def to_csv(self, path: Any = None) -> str | None:
        """Write the table as CSV with every digit, into a file or as text; what is undefined is empty.

        Parameters
        ----------
        path : path, or a file open for text, optional
            Written whole or not at all.

        Notes
        -----
        A name or an annotation that begins with =, +, -, @, a tab or a line break and is no number gets an apostrophe
        in front, as OWASP recommends: a spreadsheet would compute it. Numbers are never changed. Parquet, JSON and
        data frames hold all text as it is.
        """
        return export.to_csv(self._all_columns(), path)

    def to_parquet(self, path: Any) -> None:
        """Write the table as a Parquet file, whole or not at all, or into a file open for bytes."""
        export.to_parquet(self._all_columns(), path)

    def plot(self, kind: str = "ranking", **options: Any) -> Any:
        """Draw the table.

        Parameters
        ----------
        kind : {"ranking", "agreement", "volcano"}
            The first features with their intervals; predicted against empirical AUC; AUC against p-value.
        **options
            As ``rocpredict.plots.plot_screening``.

        Returns
        -------
        matplotlib.axes.Axes
        """
        return _show.plot_screening(self, kind=kind, **options)

    def report(self, path: Any, *, top: int = 10, title: str | None = None, data: Any = None, date: Any = None) -> Any:
        """Write the table as one HTML file that needs nothing else, with pictures and methods in words.

        Parameters
        ----------
        path : path
            In a folder that exists; written whole or not at all.
        top : int
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
            As ``rocpredict.report.screening_report``.
        """
        return _show.report_screening(self, path, top=top, title=title, data=data, date=date)

    def __repr__(self) -> str:
        (negative, positive), *others = self.contrasts
        classes = (
            f"{1 + len(others)} contrasts"
            if others
            else f"negative {shown(negative, 40)}, positive {shown(positive, 40)}"
        )
        return f"Screening({len(self)} rows, {classes}{self._best()})"

    def _shown(self) -> Shown:
        names, top = self.shown_columns(), self.top(MOST_ROWS)
        rows = [[_readable(cell) for cell in row] for row in zip(*(top[name] for name in names), strict=True)]
        cut = [f"The first {MOST_ROWS} of {len(self)} rows."] if len(self) > MOST_ROWS else []
        return Shown(repr(self), rows, names, notes=cut, flags=self.flags)

    def shown_columns(self) -> list[str]:
        """Name the columns that a narrow view shows."""
        wanted = [*_SHOWN, *_SHOWN_LAST]
        held = {**self.columns, "flags": None}
        blank = {name for name in ("empirical_auc", "empirical_low", "empirical_high", "misfit") if not self.empirical}
        return [name for name in wanted if name in held and name not in blank]

    def _best(self) -> str:
        if not len(self) or np.isnan(self.columns["auc"][0]):
            return ""
        name, auc = self.columns["feature"][0], self.columns["auc"][0]
        counted = self.columns["empirical_auc"][0]
        empirical = "" if np.isnan(counted) else f", empirical {counted:.4g}"
        return f", first {shown(str(name), 40)}: auc={auc:.4g}{empirical}, q={self.columns['q_value'][0]:.2g}"

    def _rows(self, rows: NDArray[np.intp]) -> Screening:
        columns = {name: values[rows] for name, values in self.columns.items()}
        flags = Flags(**{name: self.flags[name][rows] for name in self.flags})
        return replace(self, columns=columns, flags=flags, places=self.places[rows])

    def _all_columns(self) -> dict[str, NDArray[Any]]:
        return {**self.columns, "flags": self._flag_words()}

    def _flag_words(self) -> NDArray[Any]:
        words: list[list[str]] = [[] for _ in range(len(self))]
        for name in self.flags:
            for row in np.flatnonzero(self.flags[name]):
                words[row].append(name)
        return np.array([" ".join(names) for names in words], dtype=object)


def _readable(cell: Any) -> Any:
    """Give a cell of a narrow view: empty where nothing is known."""
    return None if is_missing(cell) else cell


def discrimination(columns: Mapping[str, NDArray[Any]]) -> tuple[NDArray[Any], ...]:
    """Give the keys of the default order: distance from 1/2 of the AUC that is known best, then of the predicted one.

    The last is by effect size, which goes on where the AUC is 1 to double precision.
    """
    predicted = np.abs(columns["auc"] - 0.5)
    counted = np.abs(columns["empirical_auc"] - 0.5)
    return np.where(np.isnan(counted), predicted, counted), predicted, np.abs(columns["effect_size"])


def _stable_order(key: NDArray[Any], descending: bool) -> NDArray[np.intp]:
    """Order by a key, up or down; what is undefined goes last, and equals stay as they stand."""
    undefined = np.array([is_missing(item) for item in key.tolist()]) if key.dtype.kind == "O" else key != key  # noqa: PLR0124
    values = np.zeros(len(key))
    _, values[~undefined] = np.unique(key[~undefined].astype(_sortable(key.dtype)), return_inverse=True)
    return np.lexsort((-values if descending else values, undefined))


def _sortable(dtype: np.dtype[Any]) -> Any:
    return dtype if dtype.kind in "fiubmM" else str
