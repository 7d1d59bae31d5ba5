"""Report of a screening."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from rocpredict.base.files import check_writable
from rocpredict.base.labels import check_sample_weight, unique_labels
from rocpredict.base.results import (
    FLAG_DESCRIPTIONS,
    Table,
    format_interval,
    format_level,
    format_number,
    format_p_value,
    format_rate,
    label_to_text,
    pluralize,
)
from rocpredict.base.validation import FloatArray, RocPredictError, check_int, short_repr
from rocpredict.distributions.gaussian import Gaussian
from rocpredict.distributions.normality import suppress_normality_warning
from rocpredict.plots.curves import plot_side_by_side
from rocpredict.plots.screening import plot_screening
from rocpredict.plots.style import format_rule
from rocpredict.reports.methods import cases, findings, is_complete, row_noun, screening_methods
from rocpredict.reports.report import (
    Image,
    check_date,
    data_hash,
    figure_to_data_uri,
    footer,
    format_numeral,
    html_name,
    text_name,
    to_feature_rows,
    write_report,
)
from rocpredict.roc.empirical import EmpiricalRoc, empirical_roc
from rocpredict.roc.predicted import PredictedRoc, predict_roc
from rocpredict.screening.result import ScreeningResult
from rocpredict.sources.table import FeatureTable, split_table_and_labels

"""What bounds a rate among all that are called, and not the chance of any false call."""


MOST_ROWS = 1000
"""So many rows a report shows; a browser sorts them in a moment."""


def feature_grid(table: ScreeningResult) -> Table:
    """Return the first rows of a screening as a table that can be sorted."""
    first = table.top(MOST_ROWS)
    titles, values, formats = zip(*_columns(first), strict=True)
    word = row_noun(table, table.n_screened)
    whole = len(first) == table.n_screened
    shown = f"All {len(first):,} {word}" if whole else f"{len(first):,} of {table.n_screened:,} {word}"
    title = f"{shown}, in the order of the table; AUCs with their {format_level(table.level)} intervals"
    return Table(title, titles, list(zip(*values, strict=True)), dict(zip(titles, formats, strict=True)))


def rule_of(threshold: float, direction: str) -> str:
    """Show which values are called positive."""
    return "–" if not direction or np.isnan(threshold) else format_rule(threshold, direction)


_Column = tuple[str, Sequence[Any], Callable[[Any], Any]]


def _columns(table: ScreeningResult) -> Iterator[_Column]:
    """Yield title, values and format of each column, first of those by which features are chosen."""
    held = table.to_dict()
    yield "#", range(1, len(table) + 1), str
    yield "Feature", held["feature"], html_name
    if "positive" in held:
        yield "Negative", held["negative"], html_name
        yield "Positive", held["positive"], html_name
    if table.empirical:
        yield _area("AUC empirical", held, "empirical_auc", "empirical")
    yield _area("AUC predicted", held, "auc", "auc")
    yield "q", held["q_value"], format_p_value
    yield "Positive when", list(zip(held["threshold"], held["direction"], strict=True)), lambda cell: rule_of(*cell)
    yield "Ameans, honest", held["ameans_corrected"], format_rate
    yield "Flags", held["flags"], lambda flags: flags.replace(" ", ", ")
    if table.family == "auto":
        yield "Family", held["family"], html_name
        yield "Share of the model", held["model_weight"], format_rate
    yield "p", held["p_value"], format_p_value
    for side in ("negative", "positive"):
        moments = list(zip(held[f"{side}_mean"], held[f"{side}_std"], strict=True))
        yield f"{side.capitalize()} mean (SD)", moments, _mean_and_std
    yield from (("TPR", held["tpr"], format_rate), ("FPR", held["fpr"], format_rate))
    if table.empirical:
        yield "Misfit", held["misfit"], format_rate
    for title, name in (("Negatives", "n_negative"), ("Positives", "n_positive")):
        if len(np.unique(table[name])) > 1:  # what is the same everywhere stands above the table
            yield title, held[name], _format_count
    if np.any(table["n_missing"]):
        yield "Missing", held["n_missing"], _format_count


def _area(title: str, held: dict[str, list[Any]], name: str, ends: str) -> _Column:
    return title, list(zip(held[name], held[f"{ends}_low"], held[f"{ends}_high"], strict=True)), _with_ends


def _with_ends(cell: tuple[float, float, float]) -> str:
    value, low, high = cell
    interval = "" if np.isnan(low) or np.isnan(high) else f" ({format_interval(low, high, format_rate)})"
    return f"{format_rate(value)}{interval}"


def _mean_and_std(cell: tuple[float, float]) -> str:
    return f"{format_numeral(cell[0])} ({format_number(cell[1], 3)})"


def _format_count(value: float) -> str:
    return f"{value:,.10g}"


class SourceData(NamedTuple):
    """Hold the data of a table, checked."""

    table: FeatureTable
    labels: NDArray[Any]
    weights: FloatArray | None


class FeaturePlot(NamedTuple):
    """Hold what a report says of one feature."""

    heading: Markup
    sentence: Markup
    image: Image | None


def check_same_data(table: ScreeningResult, data: Any) -> SourceData:
    """Take the data that a table is said to come from."""
    if not isinstance(data, (tuple, list)) or len(data) not in {2, 3}:
        raise RocPredictError(f"data={short_repr(data)} is not (X, y) or (X, y, weights); give what was screened")
    features, labels = split_table_and_labels(data[0], data[1])
    if features.n_rows != table.n_rows:
        raise RocPredictError(
            f"data= has {features.n_rows} rows and the table was made of {table.n_rows}; give what was screened"
        )
    weights = check_sample_weight(data[2], features.n_rows) if len(data) == 3 else None
    return SourceData(features, labels, weights)


def draw_features(table: ScreeningResult, given: SourceData | None) -> list[FeaturePlot]:
    """Draw each row of a table."""
    columns = [None] * len(table) if given is None else _plot_columns(table, given)
    held = table.to_dict()
    rows = [dict(zip(held, cells, strict=True)) for cells in zip(*held.values(), strict=True)]
    contrasts = _contrasts(table)
    return [
        _drawn(table, row, contrast, column, given)
        for row, contrast, column in zip(rows, contrasts, columns, strict=True)
    ]


def _contrasts(table: ScreeningResult) -> list[tuple[Any, Any]]:
    if len(table.contrasts) == 1:
        return [table.contrasts[0]] * len(table)
    return list(zip(table["negative"].tolist(), table["positive"].tolist(), strict=True))


def _plot_columns(table: ScreeningResult, given: SourceData) -> list[FloatArray]:
    """Fetch the column of each row: by its name, or by its place where the data have other names."""
    names = {name: place for place, name in enumerate(given.table.names.tolist())}
    wanted = [
        names.get(str(name), int(place % len(names)))
        for name, place in zip(table["feature"], table.row_index, strict=True)
    ]
    places = np.unique(np.array(wanted, dtype=np.intp))
    fetched: dict[int, FloatArray] = {}
    for part, matrix in given.table.iter_blocks(places):
        fetched |= dict(zip(places[part].tolist(), to_feature_rows(matrix), strict=True))
    return [fetched[place] for place in wanted]


def _drawn(
    table: ScreeningResult, row: dict[str, Any], contrast: Any, column: FloatArray | None, given: SourceData | None
) -> FeaturePlot:
    heading = html_name(row["feature"])
    if len(table.contrasts) > 1:
        heading += Markup(": {} against {}").format(html_name(contrast[1]), html_name(contrast[0]))
    predicted, empirical = _rocs(table, row, contrast, column, given)
    image = None
    if predicted is not None:
        names = [label_to_text(label) for label in contrast]
        picture = plot_side_by_side(predicted, empirical, feature=str(row["feature"]), classes=names)
        image = figure_to_data_uri(picture, _alt(row, predicted, empirical))
    return FeaturePlot(heading, _sentence(row, drawn=image is not None), image)


def _rocs(
    table: ScreeningResult, row: dict[str, Any], contrast: Any, column: FloatArray | None, given: SourceData | None
) -> tuple[PredictedRoc | None, EmpiricalRoc | None]:
    if not row["direction"] or np.isnan(row["auc"]):
        return None, None
    pair = (Gaussian(row[f"{side}_mean"], row[f"{side}_std"]) for side in ("negative", "positive"))
    count = row["n_negative"], row["n_positive"]
    predicted = PredictedRoc(*pair, count=count, direction=row["direction"])
    if column is None or given is None:
        return predicted, None
    rest = isinstance(contrast[0], str) and contrast[0] == "rest" and "rest" not in unique_labels(given.labels)
    asked = {"positive": contrast[1], "negative": None if rest else contrast[0], "nan_policy": "omit"}
    empirical = empirical_roc(column, given.labels, direction=row["direction"], weights=given.weights, **asked)
    _check_same(row, empirical)
    if row.get("family") == "auto":
        side = "auto" if table.direction == "auto" else row["direction"]
        with suppress_normality_warning():
            predicted = predict_roc(column, given.labels, family="auto", direction=side, weights=given.weights, **asked)
    return predicted, empirical


def _check_same(row: dict[str, Any], empirical: EmpiricalRoc) -> None:
    for side in ("negative", "positive"):
        sample, mean, std = getattr(empirical, side), row[f"{side}_mean"], row[f"{side}_std"]
        there = float(np.average(sample.sample, weights=sample.weights))
        same = np.isclose(there, mean, rtol=1e-6, atol=1e-6 * std + 1e-300)
        if not same or not np.isclose(sample.total, row[f"n_{side}"]):
            raise RocPredictError(
                f"data= is not what the table was made of: {short_repr(row['feature'])} has the {side} mean "
                f"{there:.6g} "
                f"there and {mean:.6g} in the table"
            )


def _sentence(row: dict[str, Any], *, drawn: bool) -> Markup:
    if not drawn:
        return Markup("No picture: {}.").format(row["flags"].replace(" ", ", ") or "nothing was predicted")
    counted = row["empirical_auc"]
    said = f"AUC {format_rate(row['auc'])} predicted" + (
        f", {format_rate(counted)} counted" if not np.isnan(counted) else ""
    )
    said += f"; q = {format_p_value(row['q_value'])}. Positive when x {rule_of(row['threshold'], row['direction'])}"
    said = said.replace("x always", "always")
    said += f": TPR {format_rate(row['tpr'])}, FPR {format_rate(row['fpr'])} (predicted)"
    said += f", honest Ameans {format_rate(row['ameans_corrected'])}."
    flags = Markup(" <strong>Flags: {}.</strong>").format(row["flags"].replace(" ", ", ")) if row["flags"] else ""
    return Markup("{}").format(said) + flags


def _alt(row: dict[str, Any], predicted: PredictedRoc, empirical: EmpiricalRoc | None) -> str:
    said = (
        f"Densities of {text_name(row['feature'])}: negative class with mean {format_numeral(row['negative_mean'])} "
        f"and standard deviation {format_numeral(row['negative_std'])}, "
        f"positive class with {format_numeral(row['positive_mean'])} and "
        f"{format_numeral(row['positive_std'])}; the best threshold is "
        f"{format_numeral(predicted.best_threshold().threshold)}. Beside them the "
        f"ROC curve of the rule that {row['direction']} values are "
        f"positive, predicted with AUC {format_rate(predicted.auc())}"
    )
    return said + (
        f", over the empirical one with AUC {format_rate(empirical.auc())}." if empirical is not None else "."
    )


_RANKED = 20


def screening_report(
    table: ScreeningResult,
    path: str | os.PathLike[str],
    *,
    top: int = 10,
    title: str | None = None,
    data: Any = None,
    date: Any = None,
    notes: Sequence[str] = (),
) -> Path:
    """Write what a screening found as one HTML file that needs nothing else.

    Parameters
    ----------
    table : ScreeningResult
        As ``rocpredict.screen`` gives it, in the order that the report is to have.
    path : path
        Where to write, in a folder that exists; written whole or not at all.
    top : int
        Of how many features, the first of the table, there are pictures; with 0 there is none at all.
    title : str, optional
        The heading. Left out: how many features, and which classes.
    data : (X, y), (X, y, weights), optional
        What was screened. With it the report draws the empirical curve over the predicted one and holds a hash of the
        data; without it the pictures are drawn from means and standard deviations.
    date : datetime.date or str, optional
        The day that the report says it is of; left out, today. With a date the same table gives the same bytes.
    notes : sequence of str
        Further sentences on what was asked.

    Returns
    -------
    Path

    Raises
    ------
    RocPredictError
        What is no ScreeningResult, a place that cannot be written to, ``top`` below 0, a date that is none, data that
        are not those of the table. All but the last before any work.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from rocpredict.datasets import load_iris
    >>> from rocpredict.screening.screen import screen
    >>> iris = load_iris()
    >>> table = screen(iris.X, iris.y, positive="virginica", negative="versicolor", feature_names=iris.feature_names)
    >>> with TemporaryDirectory() as folder:
    ...     screening_report(table, f"{folder}/iris.html", top=1, data=(iris.X, iris.y)).name
    'iris.html'
    """
    _check(table, path, top)
    day = check_date(date)
    given = None if data is None else check_same_data(table, data)
    foot = footer(
        day,
        seed="None: nothing in a screening is drawn at random.",
        sha256=None if given is None else data_hash(given.table, given.labels),
    )
    heading = _heading(table) if title is None else html_name(title)
    drawn = draw_features(table.top(top), given)
    told: dict[str, Any] = {
        "title": text_name(title) if title is not None else f"{_size_sentence(table)}: a screening by rocpredict",
        "heading": heading,
        "footer": foot,
        "findings": findings(table),
        "asked": [*_asked(table), *(("Note", note) for note in notes)],
        "table": feature_grid(table),
        "table_heading": "All features" if is_complete(table) else "Features shown",
        "left_out": _left_out(table),
        "below": _table_footnote(table),
        "overview": list(_overview(table)) if top else [],
        "drawn": _plot_source_text(drawn, from_data=given is not None),
        "features": drawn,
        "methods": screening_methods(table, foot.versions),
        "flags": [(name, FLAG_DESCRIPTIONS[name]) for name in table.flags],
    }
    return write_report(path, "screening.html", **told)


def _check(table: object, path: Any, top: Any) -> None:
    if not isinstance(table, ScreeningResult):
        raise RocPredictError(f"table={short_repr(table)} is not a ScreeningResult; give what rp.screen returns")
    if check_int("top", top) < 0:
        raise RocPredictError(f"top={top} is negative; give the number of features to draw, or 0")
    check_writable(path)


def _size_sentence(table: ScreeningResult) -> str:
    if is_complete(table):
        return f"{len(table):,} {row_noun(table, len(table))}"
    return f"{len(table):,} of {table.n_screened:,} {row_noun(table)}"


def _heading(table: ScreeningResult) -> Markup:
    rows = _size_sentence(table)
    if len(table.contrasts) > 1:
        return Markup("Screening: {} of {} contrasts").format(rows, len(table.contrasts))
    negative, positive = table.contrasts[0]
    return Markup("Screening of {}: {} against {}").format(rows, html_name(positive), html_name(negative))


def _asked(table: ScreeningResult) -> Iterator[tuple[str, Any]]:
    for negative, positive in table.contrasts:
        yield "Classes", Markup("{} is positive, {} is negative").format(html_name(positive), html_name(negative))
    values = f"{cases(table, 'n_positive')} positive and {cases(table, 'n_negative')} negative values a feature"
    yield "Cases", f"{table.n_rows:,} rows were read; {values}"
    missing = table["n_missing"]
    yield (
        "Missing",
        f"{missing.sum():,} values, in {pluralize(int((missing > 0).sum()), row_noun(table, 1))} of the table"
        if missing.any()
        else "no value",
    )
    yield (
        "Predicted by",
        "two Gaussians"
        if table.family == "gaussian"
        else "the shrunk estimate (family auto) where counted, else two Gaussians",
    )
    counted = "all features" if table.empirical is True else "nothing"
    yield "Counted", "the features with the best predictions" if table.empirical == "top" else counted
    yield (
        "Direction",
        {"auto": "of each feature its own, by the class means", "lower": "positive when x ≤ threshold"}.get(
            str(table.direction), "positive when x ≥ threshold"
        ),
    )
    yield "Intervals", format_level(table.level)
    one = f"the one {row_noun(table, 1)} that was tested"
    over = f"all {table.n_tested:,} {row_noun(table)} that were tested"
    yield "q-values", f"{table.adjust}, over {over if table.n_tested != 1 else one}"


def _left_out(table: ScreeningResult) -> str:
    if len(table) <= MOST_ROWS:
        return ""
    many_more = f"{len(table):,} {row_noun(table)}"
    return f"The first {MOST_ROWS:,} of {many_more} are shown; all of them are in the table of the screening itself."


def _table_footnote(table: ScreeningResult) -> str:
    said = (
        "Both AUCs are those of the rule that higher values are positive: "
        "below 1/2 positives lie lower. TPR and FPR are "
        "predicted for the rule under “Positive when”; the honest Ameans "
        "is what it is worth on other cases, on average "
        "over all features."
    )
    if table.family == "auto":
        return f"{said} Misfit is the mean distance of the model's curve, before shrinking, from the empirical one."
    return said + (" Misfit is the mean distance of the predicted and the empirical curve." if table.empirical else "")


def _overview(table: ScreeningResult) -> Iterator[tuple[Image, str]]:
    """Draw the ranking, and the agreement of prediction and count."""
    first = table.top(_RANKED)
    if not (~np.isnan(first["auc"]) | ~np.isnan(first["empirical_auc"])).any():
        return
    yield (
        figure_to_data_uri(plot_screening(first, top=_RANKED), _ranking_alt(first)),
        (
            f"The first {pluralize(len(first), row_noun(table, 1))} with the {format_level(table.level)} intervals of "
            "their AUCs."
        ),
    )
    both = ~np.isnan(table["auc"]) & ~np.isnan(table["empirical_auc"])
    if both.sum() > 1:
        yield (
            figure_to_data_uri(plot_screening(table, kind="agreement"), _agreement_alt(table, both)),
            f"Prediction and count of each {row_noun(table, 1)}; on the line they agree.",
        )


def _ranking_alt(table: ScreeningResult) -> str:
    counted = ~np.isnan(table["empirical_auc"])
    areas = np.where(counted, table["empirical_auc"], table["auc"])
    ends = (np.where(counted, table[f"empirical_{end}"], table[f"auc_{end}"]) for end in ("low", "high"))
    rows = [
        f"{text_name(name)} {_with_ends((area, low, high))}"
        for name, area, low, high in zip(table["feature"].tolist(), areas, *ends, strict=True)
        if not np.isnan(area)
    ]
    ranked = pluralize(len(table), row_noun(table, 1))
    return f"Ranking of the first {ranked} by AUC, with its {format_level(table.level)} interval: {'; '.join(rows)}."


def _agreement_alt(table: ScreeningResult, both: Any) -> str:
    apart = np.where(both, np.abs(table["auc"] - table["empirical_auc"]), 0)
    worst = int(np.argmax(apart))
    return (
        f"Empirical over predicted AUC of {int(both.sum()):,} {row_noun(table)}: they differ by "
        f"{format_rate(float(apart[both].mean()))} on average, and most, by "
        f"{format_rate(float(apart[worst]))}, for "
        f"{text_name(table['feature'][worst])} (predicted {format_rate(table['auc'][worst])}, empirical "
        f"{format_rate(table['empirical_auc'][worst])})."
    )


def _plot_source_text(drawn: list[FeaturePlot], *, from_data: bool) -> str:
    if not drawn:
        return ""
    if from_data:
        return (
            "Of each feature: the class densities with the predicted best threshold, "
            "and the predicted ROC curve over the empirical one."
        )
    return (
        "The data were not given to this report: densities and curves are "
        "drawn from the means and standard deviations of "
        "the table, as two Gaussians; no empirical curve can be drawn."
    )
