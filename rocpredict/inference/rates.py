"""Intervals of the rates that were counted at one threshold."""

from __future__ import annotations

import numpy as np

from rocpredict.arguments import one_of
from rocpredict.flags import Flags
from rocpredict.interval import PROPORTION_METHODS, Interval, proportion_interval, wilson
from rocpredict.measures import Cells

_SHARES = {
    "tpr": ("tp", "fn"),
    "fnr": ("fn", "tp"),
    "tnr": ("tn", "fp"),
    "fpr": ("fp", "tn"),
    "precision": ("tp", "fp"),
    "false_discovery_rate": ("fp", "tp"),
    "npv": ("tn", "fn"),
    "false_omission_rate": ("fn", "tn"),
}
"""Each measure that is a share: these cells, among these and those."""
COUNTED_MEASURES = (*_SHARES, "accuracy", "error_rate", "ameans", "youden")
"""Measures of which the four cells at a threshold give an interval."""


def rate_interval(cells: Cells, measure: str, level: float, method: str | None) -> Interval:
    """Give the interval of a measure from the four cells at a threshold that was fixed beforehand."""
    one_of("measure", measure, COUNTED_MEASURES)
    tp, fp, fn, tn = (np.asarray(cell) for cell in cells)
    if measure in {"ameans", "youden"}:
        one_of("method", method, (None, "newcombe-wilson"))
        return _of_ameans(measure, cells, level)
    one_of("method", method, (None, *PROPORTION_METHODS))
    method = method or PROPORTION_METHODS[0]
    if measure in {"accuracy", "error_rate"}:
        part, other = (tp + tn, fp + fn) if measure == "accuracy" else (fp + fn, tp + tn)
    else:
        part, other = (np.asarray(getattr(cells, name)) for name in _SHARES[measure])
    total = part + other
    known = proportion_interval(part, np.where(total > 0, total, 1), level=level, method=method)
    if (total > 0).all():
        return known
    low, high, estimate = (
        np.where(total > 0, end, nothing)
        for end, nothing in ((known.low, 0.0), (known.high, 1.0), (known.estimate, np.nan))
    )
    return Interval(low[()], high[()], level, method, estimate[()], Flags(undefined=total == 0))


def ameans_ends(tpr: float, tnr: float, count: tuple[float, float], level: float) -> tuple[float, float]:
    """Give the interval of (TPR + TNR)/2 at a fixed threshold, from Wilson's intervals of the two.

    The distances of a sum's ends are the roots of the summed squares of its parts' distances (Newcombe 1998).
    """
    rates = np.array([tnr, tpr])
    total = np.array(count, dtype=np.float64)
    low, high = wilson(rates * total, total, level)
    middle = rates.mean()
    return float(middle - np.hypot(*(rates - low)) / 2), float(middle + np.hypot(*(high - rates)) / 2)


def _of_ameans(measure: str, cells: Cells, level: float) -> Interval:
    positives, negatives = (np.asarray(part, dtype=np.float64) for part in (cells.tp + cells.fn, cells.fp + cells.tn))
    tpr, tnr = cells.tp / positives, cells.tn / negatives
    ends = np.vectorize(lambda t, n, n0, n1: ameans_ends(t, n, (n0, n1), level))(tpr, tnr, negatives, positives)
    low, high, middle = ends[0], ends[1], (tpr + tnr) / 2
    if measure == "youden":
        low, high, middle = 2 * low - 1, 2 * high - 1, 2 * middle - 1
    return Interval(low[()], high[()], level, "newcombe-wilson", middle[()])
