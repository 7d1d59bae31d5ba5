"""The one lazy door upstairs: results reach the rooms that draw them, only when asked to."""

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


def plot(roc: Any, kind: str, **options: Any) -> Any:
    """Draw one ROC in one of the ways there are."""
    from rocpredict.arguments import one_of

    name, told = _KINDS[one_of("kind", kind, _KINDS)]
    from rocpredict import plots

    return getattr(plots, name)(roc, **told, **options)


def plot_comparison(predicted: Any, empirical: Any, **options: Any) -> Any:
    """Draw a predicted ROC curve over an empirical one."""
    from rocpredict.plots import plot_comparison as draw

    return draw(predicted, empirical, **options)


def plot_mean_roc(mean: Any, **options: Any) -> Any:
    """Draw one mean ROC curve."""
    from rocpredict.plots import plot_mean_roc as draw

    return draw(mean, **options)


def plot_screening(table: Any, **options: Any) -> Any:
    """Draw what a screening found."""
    from rocpredict.plots import plot_screening as draw

    return draw(table, **options)


def plot_diagnosis(diagnosis: Any, **options: Any) -> Any:
    """Draw a diagnosis."""
    from rocpredict.plots import plot_diagnosis as draw

    return draw(diagnosis, **options)


def report_screening(table: Any, path: Any, **options: Any) -> Any:
    """Write a screening as a report."""
    from rocpredict.report.screening import screening_report as write

    return write(table, path, **options)


def table(title: Any, columns: Any, rows: Any, **options: Any) -> Any:
    """Make a table."""
    from rocpredict.tables import Table

    return Table(title, columns, rows, **options)
