"""The one lazy door upstairs: results reach the rooms that draw them, only when asked to."""

from collections.abc import Iterable
from typing import Any

_KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "roc": ("plot_roc", {}),
    "densities": ("plot_densities", {}),
    "probit": ("plot_probit", {}),
    "measures": ("plot_measures", {}),
    "cost": ("plot_cost", {}),
    "band": ("plot_band", {}),
    "simultaneous_band": ("plot_band", {"kind": "simultaneous"}),
    "precision_recall": ("plot_precision_recall", {}),
    "decision": ("plot_decision", {}),
    "stability": ("plot_stability", {}),
}
"""Pictures of one ROC, the function that draws each, and what it is told."""


def plot(roc: Any, kind: str, /, **options: Any) -> Any:
    """Draw one ROC in one of the ways there are."""
    from rocpredict.arguments import one_of

    name, told = _KINDS[one_of("kind", kind, _KINDS)]
    from rocpredict import plots

    draw = getattr(plots, name)
    return draw(roc, **told, **_known(draw, options, told))


def _known(draw: Any, options: dict[str, Any], told: Iterable[str] = ()) -> dict[str, Any]:
    """Return the options of a picture, or refuse what is none."""
    from inspect import signature

    from rocpredict.errors import RocPredictError

    named = signature(draw).parameters.values()
    allowed = [one.name for one in named if one.kind is one.KEYWORD_ONLY and one.name not in told]
    for name in options:
        if name not in allowed:
            listed = ", ".join(allowed)
            raise RocPredictError(f"{name}= is no option of this picture; those of {draw.__name__} are {listed}")
    return options


def plot_comparison(predicted: Any, empirical: Any, /, **options: Any) -> Any:
    """Draw a predicted ROC curve over an empirical one."""
    from rocpredict.plots import plot_comparison as draw

    return draw(predicted, empirical, **_known(draw, options))


def plot_mean_roc(mean: Any, /, **options: Any) -> Any:
    """Draw one mean ROC curve."""
    from rocpredict.plots import plot_mean_roc as draw

    return draw(mean, **_known(draw, options))


def plot_screening(table: Any, /, **options: Any) -> Any:
    """Draw what a screening found."""
    from rocpredict.plots import plot_screening as draw

    return draw(table, **_known(draw, options))


def plot_diagnosis(diagnosis: Any, /, **options: Any) -> Any:
    """Draw a diagnosis."""
    from rocpredict.plots import plot_diagnosis as draw

    return draw(diagnosis, **_known(draw, options))


def report_screening(table: Any, path: Any, **options: Any) -> Any:
    """Write a screening as a report."""
    from rocpredict.report.screening import screening_report as write

    return write(table, path, **options)


def table(title: Any, columns: Any, rows: Any, **options: Any) -> Any:
    """Make a table."""
    from rocpredict.tables import Table

    return Table(title, columns, rows, **options)
