"""Where the best threshold falls when it is chosen anew on resampled rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from rocpredict.arguments import FloatArray, as_whole, shown
from rocpredict.errors import RocPredictError
from rocpredict.inference.stability import Stability
from rocpredict.plots.span import padded, span_of
from rocpredict.plots.style import (
    BACKING,
    INK,
    QUIET,
    SMALL,
    WIDE,
    Entry,
    add_legend,
    as_switches,
    axes_or_new,
    name_x,
    rate,
)
from rocpredict.roc import Roc
from rocpredict.thresholds import BestThreshold

_FEW = 40
"""Distinct thresholds up to which each has a stem of its own."""
_MOST_BINS = 60
_BAR = "#0072B2"
_FAR = 1e300
"""From here on a threshold lies beyond all rows, or between them and infinite ones."""


def plot_stability(
    best: Roc | BestThreshold,
    *,
    criterion: Any = "ameans",
    prevalence: float | None = None,
    n_resamples: int = 2000,
    rng: Any = 0,
    ax: Axes | None = None,
    feature: str = "x",
    unit: str | None = None,
    legend: bool = True,
) -> Axes:
    """Draw where the best threshold falls when rows are resampled and it is chosen anew.

    Parameters
    ----------
    best : EmpiricalRoc or BestThreshold
        One that was chosen by counting rows.
    criterion, prevalence
        Of a ROC: as in ``roc.best_threshold``.
    n_resamples, rng
        As in ``BestThreshold.stability``.
    ax : matplotlib Axes, optional
        Where to draw; left out, a figure of its own.
    feature, unit : str, optional
        Name of the x axis, shown literally; a long one is cut.
    legend : bool
        Name what is drawn, above the axes: give a title a ``pad`` of 40.

    Returns
    -------
    Axes

    Raises
    ------
    RocPredictError
        What is neither a ROC nor a best threshold, a predicted one, a batch; as ``roc.best_threshold``; values so
        close to each other, or so far apart, that no axis can hold them.

    Notes
    -----
    Bars are shares of the resamples. The bar above them reaches from the 5 % to the 95 % quantile; the shaded
    plateau is where all thresholds do equally well on the rows themselves. Thresholds beyond all finite
    values, such as those of the rules "always positive" and "always negative", are counted above.

    Examples
    --------
    >>> from rocpredict import datasets, empirical_roc
    >>> iris = datasets.load_iris()
    >>> roc = empirical_roc(iris.column("sepal_length"), iris.y, positive="virginica", negative="versicolor")
    >>> ax = plot_stability(roc, n_resamples=200, feature="sepal length", unit="cm")
    >>> ax.get_ylabel()
    'share of resamples'
    """
    as_switches(legend=legend)
    chosen = _chosen(best, criterion, prevalence)
    found = chosen.stability(n_resamples=as_whole("n_resamples", n_resamples), rng=rng)
    if isinstance(best, Roc):
        span_of(best, chosen.threshold)  # refuses values that no axis can hold
    finite = found.thresholds[np.abs(found.thresholds) < _FAR]
    span = _span(finite, chosen)
    ax = axes_or_new(ax, WIDE)
    drawn, tallest = _draw_shares(ax, finite, len(found.thresholds))
    entries = [*drawn, *_draw_plateau(ax, chosen), *_draw_range(ax, found, 1.1 * tallest)]
    if abs(chosen.threshold) < _FAR:
        line = ax.axvline(chosen.threshold, color=INK, linewidth=1.5, zorder=5, gid="threshold")
        entries.append((line, f"on all rows {chosen.threshold:.4g}".replace("-", "−")))
    _frame(ax, span, tallest)
    name_x(ax, feature, unit)
    _tell(ax, found, len(finite))
    if legend and entries:
        above = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0.1, "columnspacing": 1.4}
        add_legend(ax, entries, ncols=2, frameon=False, **above)
    return ax


def _chosen(best: object, criterion: Any, prevalence: float | None) -> BestThreshold:
    if isinstance(best, Roc):
        if best.shape:
            raise RocPredictError(f"roc is a batch of shape {best.shape}; draw one feature at a time")
        return best.best_threshold(criterion, prevalence=prevalence)
    if not isinstance(best, BestThreshold):
        raise RocPredictError(
            f"best={shown(best)} is neither a ROC nor a best threshold; give rp.empirical_roc(...) or what its "
            "best_threshold returns"
        )
    if criterion != "ameans" or prevalence is not None:
        raise RocPredictError("a best threshold has its criterion and prevalence; give these with a ROC")
    if best.uncertainty is None or np.ndim(best.threshold):
        raise RocPredictError("best is not the threshold of one feature; give what roc.best_threshold returns")
    return best


def _draw_shares(ax: Axes, thresholds: FloatArray, total: int) -> tuple[list[Entry], float]:
    """Draw the share of the resamples at each threshold, or in bins of them, and give the highest share."""
    if not len(thresholds):
        return [], 1.0
    values, counts = np.unique(thresholds, return_counts=True)
    if len(values) <= _FEW:
        look: dict[str, Any] = {"color": _BAR, "linewidth": 4, "zorder": 3, "gid": "shares"}
        return [(ax.vlines(values, 0, counts / total, **look), "resamples")], float(counts.max() / total)
    low, high = np.quantile(thresholds, (0.25, 0.75))
    width = 2 * (high - low) / np.cbrt(len(thresholds)) or np.inf
    bins = int(np.clip(np.ceil(np.ptp(thresholds) / width), 10, _MOST_BINS))
    counts, edges = np.histogram(thresholds, bins)
    style: dict[str, Any] = {"facecolor": (_BAR, 0.25), "edgecolor": _BAR, "hatch": "//", "fill": True, "zorder": 3}
    return [(ax.stairs(counts / total, edges, gid="shares", **style), "resamples")], float(counts.max() / total)


def _draw_plateau(ax: Axes, chosen: BestThreshold) -> list[Entry]:
    low, high = chosen.plateau
    if not (-_FAR < low < high < _FAR):
        return []
    look: dict[str, Any] = {"facecolor": "#E69F00", "alpha": 0.35, "zorder": 1, "gid": "plateau"}
    return [(ax.axvspan(low, high, linewidth=0, **look), "equally good on all rows")]


def _draw_range(ax: Axes, found: Stability, height: float) -> list[Entry]:
    ends = [found.quantiles[0.05], found.quantiles[0.95]]
    if max(map(abs, ends)) >= _FAR:
        return []
    look: dict[str, Any] = {"color": QUIET, "linewidth": 2, "marker": "|", "markersize": 9, "zorder": 6}
    words = f"90 % of resamples: {ends[0]:.4g} to {ends[1]:.4g}".replace("-", "−")
    return [(ax.plot(ends, [height, height], gid="range", **look)[0], words)]


def _span(finite: FloatArray, chosen: BestThreshold) -> tuple[float, float]:
    seen = np.append(finite, chosen.threshold)
    seen = seen[np.abs(seen) < _FAR]
    return padded(seen.min(), seen.max(), 0.05) if len(seen) else (-0.05, 1.05)


def _frame(ax: Axes, span: tuple[float, float], tallest: float) -> None:
    ax.set(xlim=span, ylim=(0, 1.35 * tallest), ylabel="share of resamples")
    ax.grid(visible=True, axis="y", color="#E4E4E4", linewidth=0.6)
    ax.set_axisbelow(True)


def _tell(ax: Axes, found: Stability, finite: int) -> None:
    """Write what the threshold is worth, on the rows that chose it and on others."""
    words = f"Ameans: {rate(found.ameans_in_sample)} on these rows, {rate(found.ameans_out_of_bag)} on others"
    lost = len(found.thresholds) - finite
    if lost:
        words += f"\n{100 * lost / len(found.thresholds):.3g} % beyond all finite values"
    look: dict[str, Any] = {"fontsize": SMALL, "color": INK, "bbox": BACKING, "va": "top", "ha": "left", "zorder": 7}
    ax.text(0.015, 0.98, words, transform=ax.transAxes, gid="told", **look)
