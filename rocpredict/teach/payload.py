"""What Python writes into the page: words, rows, and the library's own numbers."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np

from rocpredict.datasets import BUILT_IN
from rocpredict.distributions import Gaussian
from rocpredict.teach.facts import facts_of
from rocpredict.teach.rows import Rows
from rocpredict.teach.wording import page_words, python_words
from rocpredict.version import __version__

_STEP, _REACH = 0.0625, 8.5
PRESETS: dict[str, dict[str, Any]] = {
    "paper": {"mean0": 4.0, "mean1": 8.0, "std0": 3.0, "std1": 2.0},
    "equal": {"mean0": 4.0, "mean1": 8.0, "std0": 2.5, "std1": 2.5},
    "unequal": {"mean0": 5.0, "mean1": 6.0, "std0": 1.0, "std1": 3.0},
    "same_mean": {"mean0": 6.0, "mean1": 6.0, "std0": 1.0, "std1": 3.0},
    "perfect": {"mean0": 2.0, "mean1": 12.0, "std0": 1.0, "std1": 1.0},
    "reversed": {"mean0": 8.0, "mean1": 4.0, "std0": 2.0, "std1": 3.0, "direction": "lower"},
    "rare": {"prevalence": 0.01, "weighted": True},
}
"""States to begin from, by the key of their words; what a state leaves out is the founding paper's example."""


def payload_of(
    data: Iterable[dict[str, Any]],
    *,
    lang: str,
    start: dict[str, Any],
    lesson: bool = True,
    title: str | None = None,
    families: Iterable[str] | None = None,
) -> dict[str, Any]:
    """Give everything that the page needs.

    Parameters
    ----------
    data : iterable of dict
        As ``dataset_of`` gives them.
    lang : str
    start : dict
        What differs from the page's first state.
    lesson : bool
        Whether the guided lesson is shown.
    title : str, optional
        A heading in place of the page's own.
    families : iterable of str, optional
        What Python can fit, for a page that asks it; None for one that is by itself.
    """
    return {
        "version": __version__,
        "lang": lang,
        "words": page_words(lang),
        "normal": normal_table(),
        "datasets": list(data),
        "start": start,
        "presets": [{"key": key, "state": state} for key, state in PRESETS.items()],
        "lesson": lesson,
        "live": families is not None,
        "families": list(families or ()),
    } | ({} if title is None else {"title": title})


def normal_table() -> dict[str, Any]:
    """Give the upper tail of the standard normal, exact at each step."""
    z = np.arange(0, _REACH + _STEP / 2, _STEP)
    return {"step": _STEP, "upper": np.asarray(Gaussian(0, 1).sf(z)).tolist()}


def dataset_of(rows: Rows, lang: str) -> dict[str, Any]:
    """Give rows as the page holds them, with the library's numbers for every feature and pair of classes."""
    if rows.key in BUILT_IN:
        return _built_in(rows, lang)
    return _written(rows, lang)


@cache
def _built_in(rows: Rows, lang: str) -> dict[str, Any]:
    return _written(rows, lang)


def _written(rows: Rows, lang: str) -> dict[str, Any]:
    words, features = python_words(lang), range(len(rows.features))
    return {
        "key": rows.key,
        "name": rows.name or words["own"],
        "source": rows.source,
        "labels": list(rows.labels),
        "features": [{"name": name, "unit": unit} for name, unit in zip(rows.features, rows.units, strict=True)],
        "columns": {label: [_short(rows.column(label, k)) for k in features] for label in rows.labels},
        "contrasts": [
            {"negative": low, "positive": high, "facts": [facts_of(rows, place, k, words) for k in features]}
            for place, (low, high) in enumerate(rows.contrasts)
        ],
    }


def _short(column: Any) -> list[Any]:
    """Give whole numbers without their ".0"."""
    return [int(value) if value.is_integer() else value for value in column.tolist()]
