"""Report on a screening."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from rocpredict.base.files import HTML_SUFFIXES, check_suffix, check_writable
from rocpredict.base.formatting import (
    format_estimate,
    format_level,
    format_number,
    format_p_value,
    format_rate,
    label_to_text,
    pluralize,
)
from rocpredict.base.labels import check_sample_weight, unique_labels
from rocpredict.base.results import FLAG_DESCRIPTIONS
from rocpredict.base.tables import Table
from rocpredict.base.validation import Direction, FloatArray, RocPredictError, check_int, check_result, short_repr
from rocpredict.distributions.gaussian import Gaussian
from rocpredict.distributions.normality import suppress_misfit_warning
from rocpredict.plots.curves import plot_side_by_side
from rocpredict.plots.screening import plot_screening
from rocpredict.plots.style import format_rule
from rocpredict.reports.report import (
    check_date,
    data_hash,
    figure_to_image,
    format_count,
    format_numeral,
    html_name,
    to_feature_rows,
    write_report,
)
from rocpredict.roc.empirical import EmpiricalRoc, empirical_roc
from rocpredict.roc.predicted import PredictedRoc, predict_roc
from rocpredict.screening.result import ScreeningResult
from rocpredict.sources.files import read_table_and_labels
from rocpredict.sources.table import FeatureTable

MOST_ROWS = 1000
"""Largest number of rows in a report; a browser sorts this number of rows quickly."""


def feature_grid(table: ScreeningResult, noun: str) -> Table:
    """Return the first rows of a screening as a sortable table."""
    first = table.top(MOST_ROWS)
    titles, values, formats = zip(*_columns(first), strict=True)
    part = f"{len(first):,} of " if len(first) < table.n_screened else "All " if table.n_screened > 1 else ""
    contents = part + pluralize(table.n_screened, noun)
    title = f"{contents}{_order(table)}; AUCs with {format_level(table.level)} CI"
    return Table(title, titles, list(zip(*values, strict=True)), dict(zip(titles, formats, strict=True)))


def _order(table: ScreeningResult) -> str:
    """Return a description of the order of the rows, after a comma; "" for a single row."""
    if len(table) < 2:
        return ""
    if not np.array_equal(table.sort("discrimination").row_index, table.row_index):
        return ", in the order of the table of results from which this report was made"
    both = " (or of the predicted AUC, if there is no empirical AUC)" if np.isnan(table["empirical_auc"]).any() else ""
    return f", sorted by the distance of the {f'empirical AUC{both}' if table.empirical else 'predicted AUC'} from 1/2"


def rule_of(threshold: float, direction: Direction) -> str:
    """Return the condition for a positive prediction, such as "≥ 5.826", "always" or "never"."""
    rule = "–" if not direction or np.isnan(threshold) else format_rule(threshold, direction)
    return {"always positive": "always", "always negative": "never"}.get(rule, rule)


_AREA_COLUMNS = {
    "auc": ("auc", "auc_low", "auc_high"),
    "empirical_auc": ("empirical_auc", "empirical_low", "empirical_high"),
}


def _columns(table: ScreeningResult) -> Iterator[tuple[str, Sequence[Any], Callable[[Any], Any]]]:
    """Yield the title, values and format of each column; the columns used to choose features come first."""
    columns = table.to_dict()
    yield "#", range(1, len(table) + 1), str
    yield "Feature", columns["feature"], html_name
    if "positive" in columns:
        yield "Negative", columns["negative"], html_name
        yield "Positive", columns["positive"], html_name
    for title, names in (("AUC empirical", _AREA_COLUMNS["empirical_auc"]), ("AUC predicted", _AREA_COLUMNS["auc"])):
        if title == "AUC predicted" or table.empirical:
            yield title, list(zip(*(columns[name] for name in names), strict=True)), _format_with_interval
    yield "q", columns["q_value"], format_p_value
    rules = list(zip(columns["threshold"], columns["direction"], strict=True))
    yield "Positive if", rules, lambda cell: rule_of(*cell)
    yield "Ameans, corrected", columns["ameans_corrected"], format_rate
    yield "Flags", columns["flags"], lambda flags: flags.replace(" ", ", ")
    if table.family == "auto":
        yield "Family", columns["family"], html_name
        yield "Model weight", columns["model_weight"], format_rate
    yield "p", columns["p_value"], format_p_value
    for class_name in ("negative", "positive"):
        moments = list(zip(columns[f"{class_name}_mean"], columns[f"{class_name}_std"], strict=True))
        yield f"{class_name.capitalize()} mean (SD)", moments, _mean_and_std
    yield "TPR", columns["tpr"], format_rate
    yield "FPR", columns["fpr"], format_rate
    if table.empirical:
        yield "Misfit", columns["misfit"], format_rate
    for title, name in (("Negatives", "n_negative"), ("Positives", "n_positive")):
        if len(np.unique(table[name])) > 1:  # a constant number is stated above the table
            yield title, columns[name], format_count
    if np.any(table["n_missing"]):
        yield "Missing", columns["n_missing"], format_count


def _format_with_interval(cell: tuple[float, ...]) -> str:
    return format_estimate(cell[0], cell[1:])


def _mean_and_std(cell: tuple[float, float]) -> str:
    return f"{format_numeral(cell[0])} ({format_number(cell[1], 3)})"


class SourceData(NamedTuple):
    """Checked features, labels and weights of a screening."""

    table: FeatureTable
    labels: NDArray[Any]
    weights: FloatArray | None


def check_same_data(table: ScreeningResult, data: Any) -> SourceData:
    """Return the screened data; raise RocPredictError if the number of rows does not match the screening."""
    if not isinstance(data, (tuple, list)) or len(data) not in {2, 3}:
        raise RocPredictError(
            f"data={short_repr(data)} is neither (X, y) nor (X, y, weights); pass the data that were screened"
        )
    features, labels = read_table_and_labels(data[0], data[1], nan_policy="omit" if table.n_unlabelled else None)
    if features.n_rows != table.n_observations:
        raise RocPredictError(
            f"data= has {pluralize(features.n_rows, 'row')}, but the table was computed from "
            f"{pluralize(table.n_observations, 'row')}; pass the data that were screened"
        )
    weights = check_sample_weight(data[2], features.n_rows) if len(data) == 3 else None
    return SourceData(features, labels, weights)


def draw_features(table: ScreeningResult, source: SourceData | None) -> Iterator[tuple[Any, ...]]:
    """Yield each row with its class pair, curves and image.

    If a row has no prediction, its curves and image are None.
    """
    columns = [None] * len(table) if source is None else _plot_columns(table, source)
    for row, column in zip(_rows(table), columns, strict=True):
        several = len(table.class_pairs) > 1
        class_pair = (row["negative"], row["positive"]) if several else table.class_pairs[0]
        predicted, empirical = _rocs(table, row, class_pair, column, source)
        image = None
        if predicted is not None:
            names = [label_to_text(label) for label in class_pair]
            image = figure_to_image(plot_side_by_side(predicted, empirical, feature=str(row["feature"]), classes=names))
        yield row, class_pair, predicted, empirical, image


def _rows(table: ScreeningResult) -> list[dict[str, Any]]:
    columns = table.to_dict()
    return [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]


def _plot_columns(table: ScreeningResult, source: SourceData) -> list[FloatArray]:
    """Return the data column of each row of the table, by feature name or, if the data have other names, by index."""
    places = {name: index for index, name in enumerate(source.table.names.tolist())}
    names = [str(name) for name in table["feature"]]
    others = [name for name in names if name not in places]
    if others and (len(others) < len(names) or len(places) * len(table.class_pairs) != table.n_screened):
        raise RocPredictError(
            f"data= has {pluralize(len(places), 'column')}, but no column named {others[0]!r}; pass the data that were "
            "screened"
        )
    indices = table.row_index % len(places) if others else np.array([places[name] for name in names], dtype=np.intp)
    unique_indices, inverse = np.unique(indices, return_inverse=True)
    fetched = [row for _, matrix in source.table.iter_blocks(unique_indices) for row in to_feature_rows(matrix)]
    return [fetched[place] for place in inverse]


def _rocs(
    table: ScreeningResult, row: dict[str, Any], class_pair: Any, column: FloatArray | None, source: SourceData | None
) -> tuple[PredictedRoc | None, EmpiricalRoc | None]:
    if not row["direction"] or np.isnan(row["auc"]):
        return None, None
    pair = (Gaussian(row[f"{direction}_mean"], row[f"{direction}_std"]) for direction in ("negative", "positive"))
    count = row["n_negative"], row["n_positive"]
    predicted = PredictedRoc(*pair, count=count, direction=row["direction"])
    if column is None or source is None:
        return predicted, None
    rest = isinstance(class_pair[0], str) and class_pair[0] == "rest" and "rest" not in unique_labels(source.labels)
    options: dict[str, Any] = {"positive": class_pair[1], "negative": None if rest else class_pair[0]}
    options |= {"nan_policy": "omit", "weights": source.weights}
    empirical = empirical_roc(column, source.labels, direction=row["direction"], **options)
    _check_same(row, empirical)
    if row.get("family") == "auto":
        direction: Direction = "auto" if table.direction == "auto" else row["direction"]
        with suppress_misfit_warning():
            predicted = predict_roc(column, source.labels, family="auto", direction=direction, **options)
    return predicted, empirical


def _check_same(row: dict[str, Any], empirical: EmpiricalRoc) -> None:
    for class_name in ("negative", "positive"):
        sample, mean, std = getattr(empirical, class_name), row[f"{class_name}_mean"], row[f"{class_name}_std"]
        sample_mean = float(np.average(sample.sample, weights=sample.weights))
        same = np.isclose(sample_mean, mean, rtol=1e-6, atol=1e-6 * std + 1e-300)
        if not same or not np.isclose(sample.total, row[f"n_{class_name}"]):
            raise RocPredictError(
                f"data= does not match the data from which the table was computed: the {class_name} mean of "
                f"{short_repr(row['feature'])} is {sample_mean:.6g} in data= and {mean:.6g} in the table; pass the "
                "data that were screened"
            )


_N_RANKED = 20


def screening_report(
    table: ScreeningResult,
    path: str | PathLike[str],
    *,
    n_top: int = 10,
    title: str | None = None,
    data: Sequence[object] | None = None,
    date: str | datetime.date | None = None,
    notes: Sequence[str] = (),
) -> Path:
    """Write a report on a screening as a single self-contained HTML file.

    Parameters
    ----------
    table : ScreeningResult
        Result of ``rocpredict.screen``; the report lists its rows in the same order.
    path : path
        File to write, in an existing folder. It is written atomically.
    n_top : int, default=10
        Number of features for which figures are drawn, beginning with the first feature of the table. If 0, the report
        contains no figures.
    title : str, optional
        Heading of the page. The default heading contains the number of features and the names of the two classes. If
        there are several class pairs, the default heading contains the number of pairs instead of the names.
    data : (X, y) or (X, y, weights), optional
        Data that were screened. With data, the figures show the empirical and the predicted curve, and the report
        contains a hash of the data. Without data, the figures are drawn from means and standard deviations.
    date : datetime.date or str, optional
        Date of the report. By default, today. Repeating a call with the same date and table writes an identical file.
    notes : sequence of str, default=()
        Additional sentences about data and options.

    Returns
    -------
    Path
        Path of the file.

    Raises
    ------
    RocPredictError
        If ``table`` is not a ScreeningResult, if ``path`` cannot be written or does not end in .html or .htm, if
        ``n_top`` is negative, if ``date`` is not a valid date, or if ``data`` does not match the data from which the
        table was computed. All conditions except the last are checked before any computation.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from rocpredict.datasets import load_iris
    >>> from rocpredict.screening.screen import screen
    >>> iris = load_iris()
    >>> table = screen(iris.X, iris.y, positive="virginica", negative="versicolor", feature_names=iris.feature_names)
    >>> with TemporaryDirectory() as folder:
    ...     screening_report(table, f"{folder}/iris.html", n_top=1, data=(iris.X, iris.y)).name
    'iris.html'
    """
    check_result("table", table, ScreeningResult, "rp.screen")
    check_int("n_top", n_top, least=0)
    check_suffix("path=", check_writable(path), *HTML_SUFFIXES)
    day = check_date(date)
    source = None if data is None else check_same_data(table, data)
    is_text = table.flag_mask("not_numeric")
    if is_text.any():  # text columns are not features
        table = replace(table._rows(np.flatnonzero(~is_text)), n_screened=table.n_screened - int(is_text.sum()))
    summary = ScreeningReportText(table)
    return write_report(
        path,
        "screening.html",
        table=table,
        summary=summary,
        title=title,
        date=day.isoformat(),
        seed="None: screening uses no random numbers.",
        sha256=None if source is None else data_hash(source.table, source.labels),
        notes=notes,
        grid=feature_grid(table, summary.noun),
        most_rows=MOST_ROWS,
        ranking=_draw_ranking(table) if n_top else None,
        agreement=_draw_agreement(table) if n_top else None,
        features=list(draw_features(table.top(n_top), source)),
        rule_of=rule_of,
        flags=[(name, FLAG_DESCRIPTIONS[name]) for name in table.flags],
    )


def _draw_ranking(table: ScreeningResult) -> dict[str, Any] | None:
    """Plot the AUCs of the top rows; return the image, and each AUC (empirical if available) with its interval."""
    first = table.top(_N_RANKED)
    kinds = ["auc" if np.isnan(row["empirical_auc"]) else "empirical_auc" for row in _rows(first)]
    areas = [
        (row["feature"], _format_with_interval(tuple(row[name] for name in _AREA_COLUMNS[kind])))
        for row, kind in zip(_rows(first), kinds, strict=True)
        if not np.isnan(row[kind])
    ]
    if not areas:
        return None
    return {"image": figure_to_image(plot_screening(first, n_top=_N_RANKED)), "areas": areas, "n_rows": len(first)}


def _draw_agreement(table: ScreeningResult) -> dict[str, Any] | None:
    """Plot the empirical against the predicted AUCs; return the image with a summary of their differences."""
    distance = np.abs(table["auc"] - table["empirical_auc"])
    has_both = ~np.isnan(distance)
    if has_both.sum() < 2:
        return None
    worst = int(np.nanargmax(distance))
    return {
        "image": figure_to_image(plot_screening(table, kind="agreement")),
        "n_rows": int(has_both.sum()),
        "mean": float(distance[has_both].mean()),
        "most": float(distance[worst]),
        "worst": _rows(table[[worst]])[0],
    }


class ScreeningReportText:
    """Numbers and phrases that a screening report uses to describe the rows of its table.

    Attributes
    ----------
    several : bool
        Whether the table has several class pairs. Each row then belongs to one feature and one class pair.
    against_rest : bool
        Whether each class pair compares one class with all others combined.
    noun : str
        Noun for a row: "feature" if each feature has one row, else "comparison".
    complete : bool
        Whether the table has all rows of the screening, in any order.
    shown, size : str
        ``shown`` is a string that states the number of rows in the table and, if rows of the screening are missing, the
        total number of rows. ``size`` is a string that states the number of rows of the whole screening.
    first : dict
        First row of the table, empty for an empty table.
    weighted : bool
        Whether observations had weights.
    has_missing_empirical : bool
        Whether a row of the screening may have no empirical AUC.
    unknown : array of int
        Indices of the rows without any AUC.
    model_weights : str
        Range of the model weights; "" if no row has a model weight.
    """

    def __init__(self, table: ScreeningResult) -> None:
        self.table = table
        self.several = len(table.class_pairs) > 1
        self.against_rest = all(isinstance(low, str) and low == "rest" for low, _ in table.class_pairs)
        self.noun = "comparison" if self.several else "feature"
        self.complete = len(np.unique(table.row_index)) == table.n_screened
        part = f"{len(table):,} of {table.n_screened:,} {self.noun}s"
        self.shown = pluralize(len(table), self.noun) if self.complete else part
        pairs = f"{pluralize(table.n_screened, 'combination')} of feature and class pair"
        self.size = pairs if self.several else pluralize(table.n_screened, "feature")
        self.first = next(iter(_rows(table.top(1))), {})
        self.weighted = table["n_negative"].dtype.kind == "f"
        is_missing = np.isnan(table["empirical_auc"])
        self.has_missing_empirical = bool(is_missing.any() or not self.complete)
        self.unknown = np.flatnonzero(np.isnan(table["auc"]) & is_missing)
        weights = table["model_weight"] if table.family == "auto" else np.empty(0)
        self.model_weights = _format_range(weights[~np.isnan(weights)], format_rate)

    def flagged(self, *flags: str) -> NDArray[np.intp]:
        """Return the indices of the rows with at least one of the flags."""
        return np.flatnonzero(np.any([self.table.flag_mask(flag) for flag in flags], axis=0))

    def n_known(self, column: str) -> int:
        """Return the number of rows with a value in a column."""
        return int(np.sum(~np.isnan(self.table[column])))

    def class_size(self, column: str) -> str:
        """Return the number of observations of a class, or their range if they differ between features."""
        return _format_range(self.table[column], format_count) or "no"

    def names(self, rows: NDArray[np.intp], most: int) -> Markup:
        """Return the names of the first ``most`` rows.

        If there are several class pairs, each name includes the class pair.
        """
        *others, last = map(self._name, _rows(self.table[rows[:most]]))
        return Markup(" and ").join([Markup(", ").join(others), last] if others else [last])

    def _name(self, row: dict[str, Any]) -> Markup:
        name = html_name(row["feature"])
        if not self.several:
            return name
        return Markup("{} ({} against {})").format(name, html_name(row["positive"]), html_name(row["negative"]))


def _format_range(values: FloatArray, form: Callable[[float], str]) -> str:
    """Format the range of values, or the value if all are equal; return "" if there are no values."""
    limits = [form(float(limit)) for limit in (values.min(), values.max())] if len(values) else []
    return " to ".join(dict.fromkeys(limits))
