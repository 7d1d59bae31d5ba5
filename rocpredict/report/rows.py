"""The table of all features in a report of a screening."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup

from rocpredict.report.findings import is_whole
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
    caption = f"All {len(held):,} rows" if whole else f"{len(held):,} of {table.n_screened:,} rows"
    return Grid(
        label="All features" if is_whole(table) else "Features shown",
        caption=f"{caption}, in the order of the table",
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
    interval = f"{percent(table.level)} interval"
    shown = [
        _Shown("#", lambda row: Cell(str(row["rank"]))),
        _Shown("Feature", lambda row: Cell(row_name(row)), numeric=False),
    ]
    if "positive" in table.columns:
        shown += [_label("Negative", "negative"), _label("Positive", "positive")]
    shown += [_count("Negatives", "n_negative"), _count("Positives", "n_positive")]
    if np.any(table["n_missing"]):
        shown.append(_count("Missing", "n_missing"))
    shown += [
        _spread("Negative mean (SD)", "negative"),
        _spread("Positive mean (SD)", "positive"),
        _number("AUC predicted", "auc", share),
        _interval(interval, "auc_low", "auc_high"),
    ]
    if table.empirical:
        shown += [
            _number("AUC empirical", "empirical_auc", share),
            _interval(interval, "empirical_low", "empirical_high"),
        ]
    shown += [
        _number("p", "p_value", p_value),
        _number("q", "q_value", p_value),
        _Shown("Positive when", lambda row: _cell(rule_of(row["threshold"], row["direction"]), row["threshold"])),
        _number("TPR", "tpr", share),
        _number("FPR", "fpr", share),
        _number("Ameans, honest", "ameans_honest", share),
    ]
    if table.empirical:
        shown.append(_number("Misfit", "misfit", share))
    if table.family == "auto":
        shown += [_label("Family", "family"), _number("Share of the model", "model_share", share)]
    shown.append(_Shown("Flags", lambda row: Cell(row["flags"].replace(" ", ", ")), numeric=False))
    return shown


def _cell(shown: Any, value: float) -> Cell:
    return Cell(shown, sort_key(value))


def _label(title: str, name: str) -> _Shown:
    return _Shown(title, lambda row: Cell(named(row[name])), numeric=False)


def _count(title: str, name: str) -> _Shown:
    return _Shown(title, lambda row: _cell(f"{row[name]:,.10g}", row[name]))


def _number(title: str, name: str, form: Callable[[float], str]) -> _Shown:
    return _Shown(title, lambda row: _cell(form(row[name]), row[name]))


def _interval(title: str, low: str, high: str) -> _Shown:
    return _Shown(title, lambda row: _cell(between(row[low], row[high]), row[low]))


def _spread(title: str, side: str) -> _Shown:
    mean, std = f"{side}_mean", f"{side}_std"
    return _Shown(title, lambda row: _cell(f"{number(row[mean])} ({number(row[std], 3)})", row[mean]))
