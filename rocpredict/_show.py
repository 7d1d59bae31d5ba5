"""The one lazy door upstairs: results reach the rooms that draw them, only when asked to."""

from typing import Any


def plot_roc(roc: Any, **options: Any) -> Any:
    """Draw one ROC curve."""
    from rocpredict.plots import plot_roc as draw

    return draw(roc, **options)


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


def table(title: Any, columns: Any, rows: Any, **options: Any) -> Any:
    """Make a table."""
    from rocpredict.tables import Table

    return Table(title, columns, rows, **options)
