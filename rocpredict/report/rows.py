"""The table of all features in a report of a screening."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup

from rocpredict.report.findings import is_whole, rows_word
from rocpredict.report.grid import Cell, Column, Grid, sort_key
from rocpredict.report.wording import between, named, number, p_value, percent, rule, share
from rocpredict.screening import Screening

MOST_ROWS = 1000
"""So many rows a report shows; a browser sorts them in a moment."""

Row = dict[str, Any]


class _Shown(NamedTuple):
    """Say how one column is made from a row."""

    title: Any
    cell: Callable[[Row], Cell]
    numeric: bool = True


def feature_grid(table: Screening) -> Grid:
    """Give the first rows of a screening as a table that can be sorted."""
    held = table.top(MOST_ROWS)
    shown = _columns(held)
    columns = held.to_dict()
    rows = [
        {"rank": rank, **dict(zip(columns, cells, strict=True))}
        for rank, cells in enumerate(zip(*columns.values(), strict=True), 1)
    ]
    whole = len(held) == table.n_screened
    word = rows_word(table, table.n_screened)
    caption = f"All {len(held):,} {word}" if whole else f"{len(held):,} of {table.n_screened:,} {word}"
    return Grid(
        label="All features" if is_whole(table) else "Features shown",
        caption=f"{caption}, in the order of the table; AUCs with their {percent(table.level)} intervals",
        columns=[Column(one.title, numeric=one.numeric) for one in shown],
        rows=[[one.cell(row) for one in shown] for row in rows],
        head=1,
        sortable=True,
    )


def row_name(row: Row) -> Markup:
    """Name a row by its feature."""
    return named(row["feature"])


def rule_of(threshold: float, direction: str) -> str:
    """Show which values are called positive."""
    return "–" if not direction or np.isnan(threshold) else rule(threshold, direction)


def _columns(table: Screening) -> list[_Shown]:
    """Give the columns, first those by which features are chosen: a narrow window shows no more."""
    return [*_answers(table), *_details(table), *_counts(table)]


def _answers(table: Screening) -> Iterator[_Shown]:
    yield _Shown("#", lambda row: Cell(str(row["rank"])))
    yield _Shown("Feature", lambda row: Cell(row_name(row)), numeric=False)
    if "positive" in table.columns:
        yield from (_label("Negative", "negative"), _label("Positive", "positive"))
    if table.empirical:
        yield _area("AUC empirical", "empirical_auc", "empirical")
    yield _area("AUC predicted", "auc", "auc")
    yield _number("q", "q_value", p_value)
    yield _Shown("Positive when", lambda row: _cell(rule_of(row["threshold"], row["direction"]), row["threshold"]))
    yield _number("Ameans, honest", "ameans_honest", share)
    yield _Shown("Flags", lambda row: Cell(row["flags"].replace(" ", ", ")), numeric=False)


def _details(table: Screening) -> Iterator[_Shown]:
    if table.family == "auto":
        yield from (_label("Family", "family"), _number("Share of the model", "model_share", share))
    yield _number("p", "p_value", p_value)
    yield from (_spread("Negative mean (SD)", "negative"), _spread("Positive mean (SD)", "positive"))
    yield from (_number("TPR", "tpr", share), _number("FPR", "fpr", share))
    if table.empirical:
        yield _number("Misfit", "misfit", share)


def _counts(table: Screening) -> Iterator[_Shown]:
    """Give the numbers of cases that differ; what is the same everywhere stands above the table."""
    for title, name in (("Negatives", "n_negative"), ("Positives", "n_positive")):
        if len(np.unique(table[name])) > 1:
            yield _count(title, name)
    if np.any(table["n_missing"]):
        yield _count("Missing", "n_missing")


def _cell(shown: Any, value: float) -> Cell:
    return Cell(shown, sort_key(value))


def _label(title: str, name: str) -> _Shown:
    return _Shown(title, lambda row: Cell(named(row[name])), numeric=False)


def _count(title: str, name: str) -> _Shown:
    return _Shown(title, lambda row: _cell(f"{row[name]:,.10g}", row[name]))


def _number(title: str, name: str, form: Callable[[float], str]) -> _Shown:
    return _Shown(title, lambda row: _cell(form(row[name]), row[name]))


def _area(title: str, name: str, ends: str) -> _Shown:
    return _Shown(title, lambda row: _cell(_with_ends(row[name], row[f"{ends}_low"], row[f"{ends}_high"]), row[name]))


def _with_ends(value: float, low: float, high: float) -> str:
    return share(value) if np.isnan(low) or np.isnan(high) else f"{share(value)} ({between(low, high)})"


def _spread(title: str, side: str) -> _Shown:
    mean, std = f"{side}_mean", f"{side}_std"
    return _Shown(title, lambda row: _cell(f"{number(row[mean])} ({number(row[std], 3)})", row[mean]))
