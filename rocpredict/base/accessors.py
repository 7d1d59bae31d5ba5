"""Access from results to the functions that plot and report them, imported when called."""

from importlib import import_module
from inspect import signature
from os import PathLike
from typing import Any, Literal, TypeAlias, get_args

from rocpredict.base.validation import RocPredictError, check_option

PictureKind: TypeAlias = Literal[
    "roc",
    "densities",
    "probit",
    "measures",
    "cost",
    "band",
    "simultaneous_band",
    "precision_recall",
    "decision",
    "stability",
]
PLOT_KINDS: dict[PictureKind, tuple[str, dict[str, Any]]] = {
    **{kind: (f"plot_{kind}", {}) for kind in get_args(PictureKind)},
    "simultaneous_band": ("plot_band", {"kind": "simultaneous"}),
}
"""Kinds of plots of one ROC curve: the function of ``rocpredict.plots`` and its fixed options."""


def plot_roc_kind(roc: Any, kind: str, /, **options: Any) -> Any:
    """Plot one ROC curve as a kind of ``PLOT_KINDS``."""
    name, fixed = PLOT_KINDS[check_option("kind", kind, PLOT_KINDS)]
    return plot_result(name, (roc,), options, **fixed)


def plot_result(function: str, results: tuple[Any, ...], options: dict[str, Any], **fixed: Any) -> Any:
    """Call a function of ``rocpredict.plots`` by its name.

    Raises
    ------
    RocPredictError
        If the function does not have one of the options.
    """
    plot = getattr(import_module("rocpredict.plots"), function)
    parameters = signature(plot).parameters.values()
    allowed = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY and p.name not in fixed]
    unknown = next((name for name in options if name not in allowed), None)
    if unknown is not None:
        raise RocPredictError(f"{unknown}= is not an option of {function}; its options are {', '.join(allowed)}")
    return plot(*results, **fixed, **options)


def report_screening(table: Any, path: str | PathLike[str], **options: Any) -> Any:
    """Write the report of a screening."""
    return import_module("rocpredict.reports.screening").screening_report(table, path, **options)
