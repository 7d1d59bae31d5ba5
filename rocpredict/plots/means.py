"""The mean ROC curve of several folds, with its band."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes

from rocpredict.arguments import shown
from rocpredict.errors import RocPredictError
from rocpredict.mean_curve import MeanRoc
from rocpredict.plots.curves import frame
from rocpredict.plots.style import (
    CURVES,
    SQUARE,
    Entry,
    add_legend,
    as_switches,
    axes_or_new,
    draw_chance,
    free_corner,
    names_among,
    rate,
)

_NAME = 20
"""Most characters of a name, which stands beside an AUC and its interval."""


def plot_mean_roc(
    *means: MeanRoc,
    ax: Axes | None = None,
    labels: Any = None,
    folds: bool | None = None,
    band: bool = True,
    chance: bool = True,
    legend: bool = True,
) -> Axes:
    """Draw mean ROC curves, each with its band and its mean AUC.

    Parameters
    ----------
    *means : MeanRoc
        One or several.
    ax : matplotlib Axes, optional
        Where to draw; left out, a figure of its own.
    labels : sequence of str, optional
        A name for each mean, shown literally; long ones are cut.
    folds : bool, optional
        Draw the curve of each fold, thin. Left out: where there is one mean.
    band : bool
        Shade the pointwise band of the mean.
    chance : bool
        Draw the line on which a guess lies.
    legend : bool
        Name the curves, each with its mean AUC and the interval of that.

    Returns
    -------
    Axes

    Raises
    ------
    RocPredictError
        No mean, what is not one, or as many labels as there are not means.

    Notes
    -----
    The band is pointwise and describes the folds, which share training rows: that two bands do not overlap, or do,
    is no test of two models.

    Examples
    --------
    >>> from rocpredict.mean_curve import mean_roc
    >>> ax = plot_mean_roc(mean_roc([([1, 2, 3, 4], [0, 0, 1, 1]), ([1, 3, 2, 4], [0, 0, 1, 1])]))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['mean of 2, AUC 0.875 (0.032 to 0.999)', '95 % band, pointwise', 'one fold', 'chance']
    """
    for mean in means:
        if not isinstance(mean, MeanRoc):
            raise RocPredictError(f"mean={shown(mean)} is not a mean ROC; give rp.mean_roc(...)")
    folds = len(means) == 1 if folds is None else folds
    as_switches(folds=folds, band=band, chance=chance, legend=legend)
    names = names_among(labels, [f"mean of {mean.n_folds}" for mean in means], "mean ROC", _NAME)
    ax = axes_or_new(ax, SQUARE)
    frame(ax)
    entries: list[Entry] = []
    for index, (mean, name) in enumerate(zip(means, names, strict=True)):
        entries += _draw(ax, index, mean, name, folds=folds, band=band)
    if chance:
        entries.append(draw_chance(ax))
    if legend:
        add_legend(ax, entries, loc=free_corner([mean.auc for mean in means]))
    return ax


def _draw(ax: Axes, index: int, mean: MeanRoc, name: str, *, folds: bool, band: bool) -> list[Entry]:
    """Draw one mean with what belongs to it, and give its entries of the legend."""
    colour, dash = CURVES[index % len(CURVES)]
    style: dict[str, Any] = {"color": colour, "linestyle": dash, "linewidth": 2.0, "zorder": 4, "gid": f"mean-{index}"}
    (line,) = ax.plot(mean.fpr, mean.tpr, **style)
    low, high = mean.auc_interval
    entries: list[Entry] = [(line, f"{name}, AUC {rate(mean.auc)} ({rate(low)} to {rate(high)})")]
    if band:
        shade: dict[str, Any] = {"color": colour, "alpha": 0.16, "linewidth": 0.0, "zorder": 2}
        area = ax.fill_between(mean.fpr, mean.low, mean.high, gid=f"band-{index}", **shade)
        entries += [(area, f"{100 * mean.level:g} % band, pointwise")] if index == 0 else []
    if folds:
        entries += [(_draw_folds(ax, mean, colour), "one fold")] if index == 0 else []
    return entries


def _draw_folds(ax: Axes, mean: MeanRoc, colour: str) -> Any:
    thin: dict[str, Any] = {"color": colour, "linewidth": 0.6, "alpha": 0.45, "zorder": 3}
    curves = [roc.curve() for roc in mean.rocs]
    lines = [ax.plot(curve.fpr, curve.tpr, gid=f"fold-{k}", **thin)[0] for k, curve in enumerate(curves)]
    return lines[0]
