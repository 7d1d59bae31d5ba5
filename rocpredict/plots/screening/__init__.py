"""What a screening found: a ranking with intervals, predicted against empirical AUC, AUC against p-value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.axes import Axes

from rocpredict.arguments import as_fraction, as_whole, one_of, shown
from rocpredict.errors import RocPredictError
from rocpredict.plots.screening.clouds import draw_agreement, draw_volcano
from rocpredict.plots.screening.ranking import draw_ranking
from rocpredict.plots.style import as_switches

if TYPE_CHECKING:
    from rocpredict.screening.table import Screening

__all__ = ["plot_screening"]


def plot_screening(
    table: Screening,
    *,
    kind: str = "ranking",
    top: int = 20,
    label: int = 5,
    q: float = 0.05,
    ax: Axes | None = None,
    legend: bool = True,
) -> Axes:
    """Draw what a screening found.

    Parameters
    ----------
    table : Screening
        As ``rocpredict.screen`` gives it, or a part of it.
    kind : {"ranking", "agreement", "volcano"}
        "ranking": the first rows in the order of the table, with the empirical and the predicted AUC and the interval
        of each. "agreement": the empirical AUC of each row over its predicted one. "volcano": the p-value of each row
        over its AUC, which is the empirical one where there is one. Rows that lack what is drawn are left out of the
        last two, and counted below the axis.
    top : int
        How many rows a ranking has.
    label : int
        How many points carry their name: in "agreement" those whose two AUCs lie furthest apart, in "volcano" the
        first of the table; but for names that find no room.
    q : float
        In "volcano": the level at which ``q_value`` is marked.
    ax : matplotlib Axes, optional
        Where to draw; left out, a figure of its own.
    legend : bool
        Say what is what, and which classes are compared; above the axes where it would hide points inside.

    Returns
    -------
    Axes

    Raises
    ------
    RocPredictError
        No Screening, one without rows, or one that lacks what the picture shows; an unknown kind; ``top`` below 1,
        ``label`` below 0, ``q`` outside (0, 1).

    Notes
    -----
    Names are shown literally; a long one is cut in the middle. Rows flagged ``misfit`` have a cross for the predicted
    AUC. A p-value of 0 is one too small for a float: it is drawn at the smallest there is, as a triangle.

    Examples
    --------
    >>> from rocpredict.datasets import load_iris
    >>> from rocpredict.screening import screen
    >>> iris = load_iris()
    >>> table = screen(iris.X, iris.y, positive="virginica", negative="versicolor", feature_names=iris.feature_names)
    >>> ax = plot_screening(table, top=2)
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['petal_length', 'petal_width']
    """
    _check(table)
    one_of("kind", kind, ("ranking", "agreement", "volcano"))
    if as_whole("top", top) < 1:
        raise RocPredictError(f"top={top} is below 1; give the number of rows to draw")
    if as_whole("label", label) < 0:
        raise RocPredictError(f"label={label} is below 0; give the number of points to name, or 0")
    as_switches(legend=legend)
    level = as_fraction("q", q, ends=False)
    if kind == "ranking":
        return draw_ranking(table.top(top), ax, legend=legend)
    if kind == "agreement":
        return draw_agreement(table, ax, label, legend=legend)
    return draw_volcano(table, ax, label, level, legend=legend)


def _check(table: object) -> None:
    """Refuse what is no screening, or one without rows."""
    from rocpredict.screening.table import Screening  # who draws a ROC needs none of this

    if not isinstance(table, Screening):
        raise RocPredictError(f"table={shown(table)} is not a Screening; give what rp.screen returns")
    if not len(table):
        raise RocPredictError("table has no rows: there is nothing to draw")
