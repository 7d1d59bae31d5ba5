"""Measures of a rule against its threshold, with the best threshold for each that has one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from rocpredict.arguments import FloatArray, one_of, shown
from rocpredict.distributions import Ecdf
from rocpredict.errors import RocPredictError
from rocpredict.measures import ALIASES, MEASURES
from rocpredict.plots.placing import text_size
from rocpredict.plots.span import span_of
from rocpredict.plots.style import (
    BACKING,
    CURVES,
    INK,
    SMALL,
    WIDE,
    Entry,
    add_legend,
    as_share,
    as_switches,
    axes_or_new,
    in_order,
    name_x,
    one_feature,
    rule,
)
from rocpredict.roc import Roc

_UNBOUNDED = ("lr_positive", "lr_negative", "diagnostic_odds_ratio")
_DRAWN = tuple(name for name in MEASURES if name not in (*_UNBOUNDED, "prevalence"))
_WITHOUT, _WITH = ("ameans", "tpr", "tnr"), ("ameans", "tpr", "tnr", "precision", "accuracy")
"""What is drawn unasked, without a prevalence and with one."""
_CHOOSING = ("ameans", "youden", "accuracy", "f1")
"""Measures that are also criteria of a best threshold."""
_SIGNED = ("youden", "mcc")
_NAMES = {"tpr": "TPR", "fpr": "FPR", "tnr": "TNR", "fnr": "FNR", "ameans": "Ameans", "npv": "NPV", "f1": "F1"}
_NAMES |= {"youden": "Youden's J", "mcc": "MCC"}


def plot_measures(
    roc: Roc,
    *,
    measures: Sequence[str] | None = None,
    prevalence: float | None = None,
    ax: Axes | None = None,
    feature: str = "x",
    unit: str | None = None,
    best: bool = True,
    legend: bool = True,
) -> Axes:
    """Draw measures of the rule against its threshold.

    Parameters
    ----------
    roc : ROC
        Predicted or empirical, of one feature.
    measures : sequence of str, optional
        As attributes of ``Rates`` are called, or an alias such as "recall"; those between -1 and 1. Left out: "ameans",
        "tpr", "tnr", and with a known share of positives also "precision" and "accuracy".
    prevalence : float, optional
        Share of positives where the rule will be used. Left out: that of the class counts, if known.
    ax : matplotlib Axes, optional
        Where to draw; left out, a figure of its own.
    feature, unit : str, optional
        Name of the x axis, shown literally; a long one is cut.
    best : bool
        Circle the highest Ameans, Youden's J, accuracy and F1 as far as they are drawn, and mark the threshold with the
        highest Ameans.
    legend : bool
        Name the lines, above the axes: give a title a ``pad`` of 40.

    Returns
    -------
    Axes

    Raises
    ------
    RocPredictError
        What is not the ROC of one feature; no measure, one that is unknown, unbounded or needs a prevalence that
        nobody gave; a prevalence outside [0, 1].

    Notes
    -----
    Where nothing is called positive precision is 0/0, and its line ends. Measures of samples are steps; for the
    best of them see the caution at ``best_threshold``.

    Examples
    --------
    >>> from rocpredict import Gaussian, PredictedRoc
    >>> roc = PredictedRoc(negative=Gaussian(4, 3), positive=Gaussian(8, 2))
    >>> ax = plot_measures(roc, measures=["recall", "precision"], prevalence=0.2)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['recall', 'precision']
    """
    roc, prevalence = one_feature(roc), as_share(prevalence)
    as_switches(best=best, legend=legend)
    names = _checked(roc, measures, prevalence)
    at = float(roc.best_threshold().threshold)
    span = span_of(roc, at)
    x, steps = _thresholds(roc, at, span)
    rates = roc.rates(x, prevalence=prevalence)
    ax = axes_or_new(ax, WIDE)
    lines = [_draw(ax, index, name, (x, getattr(rates, name)), steps) for index, name in enumerate(names)]
    signed = any(_meaning(name) in _SIGNED for name in names)
    ax.set(xlim=span, ylim=(-1.04 if signed else -0.02, 1.04), ylabel="measure" if len(names) > 1 else _shown(names[0]))
    name_x(ax, feature, unit)
    ax.grid(visible=True, color="#E4E4E4", linewidth=0.6)
    ax.set_axisbelow(True)
    entries: list[Entry] = [(line, _shown(name)) for line, name in zip(lines, names, strict=True)]
    if best:
        entries += _mark_best(ax, roc, names, prevalence)
        _mark_threshold(ax, roc, at)
    if legend:
        above = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0.1, "columnspacing": 1.4}
        add_legend(ax, entries, ncols=min(4, len(entries)), frameon=False, **above)
    return ax


def _checked(roc: Roc, measures: Sequence[str] | None, prevalence: float | None) -> list[str]:
    """Give the measures that are asked for, or refuse what has no place in the picture."""
    known = prevalence is not None or roc.count is not None or roc.prevalence is not None
    if measures is None:
        return list(_WITH if known else _WITHOUT)
    names = in_order(measures)
    if not names:
        raise RocPredictError(f"measures={shown(measures)} is no list of measures; give such as ['ameans', 'tpr']")
    drawn = (*_DRAWN, *(alias for alias, name in ALIASES.items() if name in _DRAWN))
    for name in names:
        if isinstance(name, str) and _meaning(name) in _UNBOUNDED:
            raise RocPredictError(f"measures has {name!r}, which has no bound; it has no place beside rates")
    return [one_of("measures", name, drawn) for name in names]


def _meaning(name: str) -> str:
    return ALIASES.get(name, name)


def _shown(name: str) -> str:
    return _NAMES.get(name, name.replace("_", " "))


def _thresholds(roc: Roc, at: float, span: tuple[float, float]) -> tuple[FloatArray, str]:
    """Give thresholds within a span, and how lines run between them: each step is that of the value at its end."""
    samples = [d.points for d in (roc.negative, roc.positive) if isinstance(d, Ecdf)]
    inside = [] if not np.isfinite(at) else [at]
    if len(samples) == 2:
        x = np.unique(np.concatenate([*samples, span]))
        return x[(x >= span[0]) & (x <= span[1])], "steps-post" if roc.direction == "lower" else "steps-pre"
    shares = np.linspace(0.001, 0.999, 301)
    quantiles = [d.ppf(shares) for d in (roc.negative, roc.positive) if not isinstance(d, Ecdf)]
    atoms = np.concatenate([d.atoms().points for d in (roc.negative, roc.positive)])
    x = np.unique(np.concatenate([np.linspace(*span, 601), *quantiles, atoms, np.nextafter(atoms, np.inf), inside]))
    return x[(x >= span[0]) & (x <= span[1])], "default"


def _draw(ax: Axes, index: int, name: str, points: tuple[FloatArray, FloatArray], steps: str) -> Any:
    colour, dash = CURVES[index % len(CURVES)]
    style: dict[str, Any] = {"color": colour, "linestyle": dash, "linewidth": 2.0 if index == 0 else 1.5, "zorder": 3}
    return ax.plot(*points, drawstyle=steps, gid=f"measure-{name}", **style)[0]


def _mark_best(ax: Axes, roc: Roc, names: Sequence[str], prevalence: float | None) -> list[Entry]:
    """Circle the highest value of each measure that is also a criterion."""
    rings: list[Any] = []
    for index, name in enumerate(names):
        criterion = _meaning(name)
        if criterion not in _CHOOSING:
            continue
        share = None if criterion in {"ameans", "youden"} else prevalence
        found = roc.best_threshold(criterion, prevalence=share)
        spot = found.threshold, getattr(roc.rates(found.threshold, prevalence=prevalence), criterion)
        if np.isfinite(spot).all():
            look: dict[str, Any] = {
                "markerfacecolor": "white",
                "markeredgecolor": CURVES[index % len(CURVES)][0],
                "markersize": 8,
            }
            rings += ax.plot(*spot, "o", **look, markeredgewidth=1.8, zorder=5, gid=f"best-{name}")
    return [(rings[0], "its highest")] if rings else []


def _mark_threshold(ax: Axes, roc: Roc, at: float) -> None:
    """Draw the threshold with the highest Ameans, and its rule beside it at the foot."""
    low, high = ax.get_xlim()
    words, inside = f"best Ameans: {rule(at, roc.direction)}", low <= at <= high
    if inside:
        ax.axvline(at, color=INK, linewidth=1.2, zorder=2, gid="threshold")
    width = text_size(ax, words, SMALL)[0] * (high - low)
    left = inside and at + width > high
    spot = at if inside else (low + high) / 2
    look: dict[str, Any] = {"fontsize": SMALL, "color": INK, "bbox": BACKING, "zorder": 7, "va": "center"}
    where: dict[str, Any] = {"xytext": ((-6 if left else 6) if inside else 0, 12), "textcoords": "offset points"}
    side = "center" if not inside else "right" if left else "left"
    ax.annotate(words, (spot, ax.get_ylim()[0]), ha=side, **where, **look)
