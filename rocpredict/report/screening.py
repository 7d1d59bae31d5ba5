"""A screening as a report: all features in a table, the first ones in pictures."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup

from rocpredict.arguments import as_whole, shown
from rocpredict.errors import RocPredictError
from rocpredict.files import check_place
from rocpredict.flags import MEANINGS
from rocpredict.plots import plot_screening
from rocpredict.report.findings import cases, findings, is_whole, rows_word
from rocpredict.report.page import as_date, write_page
from rocpredict.report.pictures import Image, as_image
from rocpredict.report.provenance import data_hash, footer
from rocpredict.report.rows import MOST_ROWS, feature_grid
from rocpredict.report.screening_methods import screening_methods
from rocpredict.report.thumbnails import Drawn, draw_features, same_data
from rocpredict.report.wording import alone, between, many, named, percent, share
from rocpredict.screening import Screening

_RANKED = 20


def screening_report(
    table: Screening,
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
    table : Screening
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
        What is no Screening, a place that cannot be written to, ``top`` below 0, a date that is none, data that are not
        those of the table. All but the last before any work.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from rocpredict.datasets import load_iris
    >>> from rocpredict.screening import screen
    >>> iris = load_iris()
    >>> table = screen(iris.X, iris.y, positive="virginica", negative="versicolor", feature_names=iris.feature_names)
    >>> with TemporaryDirectory() as folder:
    ...     screening_report(table, f"{folder}/iris.html", top=1, data=(iris.X, iris.y)).name
    'iris.html'
    """
    _check(table, path, top)
    day = as_date(date)
    given = None if data is None else same_data(table, data)
    foot = footer(
        day,
        seed="None: nothing in a screening is drawn at random.",
        sha256=None if given is None else data_hash(given.table, given.labels),
    )
    heading = _heading(table) if title is None else named(title)
    drawn = draw_features(table.top(top), given)
    told: dict[str, Any] = {
        "title": alone(title) if title is not None else f"{_how_many(table)}: a screening by rocpredict",
        "heading": heading,
        "footer": foot,
        "findings": findings(table),
        "asked": [*_asked(table), *(("Note", note) for note in notes)],
        "table": feature_grid(table),
        "left_out": _left_out(table),
        "below": _below(table),
        "overview": list(_overview(table)) if top else [],
        "drawn": _of_what(drawn, from_data=given is not None),
        "features": drawn,
        "methods": screening_methods(table, foot.versions),
        "flags": [(name, MEANINGS[name]) for name in table.flags],
    }
    return write_page(path, "screening.html", **told)


def _check(table: object, path: Any, top: Any) -> None:
    if not isinstance(table, Screening):
        raise RocPredictError(f"table={shown(table)} is not a Screening; give what rp.screen returns")
    if as_whole("top", top) < 0:
        raise RocPredictError(f"top={top} is negative; give the number of features to draw, or 0")
    check_place(path)


def _how_many(table: Screening) -> str:
    if is_whole(table):
        return f"{len(table):,} {rows_word(table, len(table))}"
    return f"{len(table):,} of {table.n_screened:,} {rows_word(table)}"


def _heading(table: Screening) -> Markup:
    rows = _how_many(table)
    if len(table.contrasts) > 1:
        return Markup("Screening: {} of {} contrasts").format(rows, len(table.contrasts))
    negative, positive = table.contrasts[0]
    return Markup("Screening of {}: {} against {}").format(rows, named(positive), named(negative))


def _asked(table: Screening) -> Iterator[tuple[str, Any]]:
    for negative, positive in table.contrasts:
        yield "Classes", Markup("{} is positive, {} is negative").format(named(positive), named(negative))
    values = f"{cases(table, 'n_positive')} positive and {cases(table, 'n_negative')} negative values a feature"
    yield "Cases", f"{table.n_rows:,} rows were read; {values}"
    missing = table["n_missing"]
    yield (
        "Missing",
        f"{missing.sum():,} values, in {many(int((missing > 0).sum()), rows_word(table, 1))} of the table"
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
    yield "Intervals", percent(table.level)
    one = f"the one {rows_word(table, 1)} that was tested"
    over = f"all {table.n_tested:,} {rows_word(table)} that were tested"
    yield "q-values", f"{table.adjust}, over {over if table.n_tested != 1 else one}"


def _left_out(table: Screening) -> str:
    if len(table) <= MOST_ROWS:
        return ""
    many_more = f"{len(table):,} {rows_word(table)}"
    return f"The first {MOST_ROWS:,} of {many_more} are shown; all of them are in the table of the screening itself."


def _below(table: Screening) -> str:
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


def _overview(table: Screening) -> Iterator[tuple[Image, str]]:
    """Draw the ranking, and the agreement of prediction and count."""
    first = table.top(_RANKED)
    if not (~np.isnan(first["auc"]) | ~np.isnan(first["empirical_auc"])).any():
        return
    yield (
        as_image(plot_screening(first, top=_RANKED), _ranking_alt(first)),
        f"The first {many(len(first), rows_word(table, 1))} with the {percent(table.level)} intervals of their AUCs.",
    )
    both = ~np.isnan(table["auc"]) & ~np.isnan(table["empirical_auc"])
    if both.sum() > 1:
        yield (
            as_image(plot_screening(table, kind="agreement"), _agreement_alt(table, both)),
            f"Prediction and count of each {rows_word(table, 1)}; on the line they agree.",
        )


def _ranking_alt(table: Screening) -> str:
    counted = ~np.isnan(table["empirical_auc"])
    areas = np.where(counted, table["empirical_auc"], table["auc"])
    low, high = (np.where(counted, table[f"empirical_{end}"], table[f"auc_{end}"]) for end in ("low", "high"))
    rows = [
        f"{alone(name)} {share(area)}" + (f" ({between(*ends)})" if not np.isnan(ends[0]) else "")
        for name, area, *ends in zip(table["feature"].tolist(), areas, low, high, strict=True)
        if not np.isnan(area)
    ]
    ranked = many(len(table), rows_word(table, 1))
    return f"Ranking of the first {ranked} by AUC, with its {percent(table.level)} interval: {'; '.join(rows)}."


def _agreement_alt(table: Screening, both: Any) -> str:
    apart = np.where(both, np.abs(table["auc"] - table["empirical_auc"]), 0)
    worst = int(np.argmax(apart))
    return (
        f"Empirical over predicted AUC of {int(both.sum()):,} {rows_word(table)}: they differ by "
        f"{share(float(apart[both].mean()))} on average, and most, by {share(float(apart[worst]))}, for "
        f"{alone(table['feature'][worst])} (predicted {share(table['auc'][worst])}, empirical "
        f"{share(table['empirical_auc'][worst])})."
    )


def _of_what(drawn: list[Drawn], *, from_data: bool) -> str:
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
