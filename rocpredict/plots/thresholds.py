"""Plots of measures, costs and stability against the threshold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from rocpredict.base.rates import ALIASES, MEASURES
from rocpredict.base.results import format_rate
from rocpredict.base.validation import (
    FloatArray,
    RocPredictError,
    check_int,
    check_nonnegative,
    check_option,
    short_repr,
)
from rocpredict.distributions.ecdf import Ecdf
from rocpredict.inference.bootstrap import ThresholdStability
from rocpredict.plots.curves import curve_labels
from rocpredict.plots.labels import text_size
from rocpredict.plots.style import (
    CURVES,
    MUTED_COLOR,
    MUTED_LINE_STYLE,
    SMALL,
    TEXT_BACKGROUND,
    TEXT_COLOR,
    WIDE_FIGSIZE,
    LegendEntry,
    add_legend,
    as_sequence,
    check_booleans,
    check_prevalence,
    check_single_feature,
    feature_axis_limits,
    format_rule,
    get_or_create_axes,
    label_x_axis,
    line_style,
    pad_limits,
)
from rocpredict.roc.base import Roc
from rocpredict.solvers.thresholds import BestThreshold

_UNBOUNDED_MEASURES = ("positive_likelihood_ratio", "negative_likelihood_ratio", "diagnostic_odds_ratio")
_PLOTTABLE_MEASURES = tuple(name for name in MEASURES if name not in (*_UNBOUNDED_MEASURES, "prevalence"))
_DEFAULT_MEASURES, _DEFAULT_MEASURES_PREVALENCE = (
    ("ameans", "tpr", "tnr"),
    ("ameans", "tpr", "tnr", "precision", "accuracy"),
)
"""What is drawn unasked, without a prevalence and with one."""
_CRITERION_BY_MEASURE = ("ameans", "youden", "accuracy", "f1")
"""Measures that are also criteria of a best threshold."""
_SIGNED_MEASURES = ("youden", "mcc")
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
    roc, prevalence = check_single_feature(roc), check_prevalence(prevalence)
    check_booleans(best=best, legend=legend)
    names = _check_measures(roc, measures, prevalence)
    at = float(roc.best_threshold().threshold)
    span = feature_axis_limits(roc, at)
    x, steps = _thresholds(roc, at, span)
    rates = roc.rates(x, prevalence=prevalence)
    ax = get_or_create_axes(ax, WIDE_FIGSIZE)
    lines = [_draw(ax, index, name, (x, getattr(rates, name)), steps) for index, name in enumerate(names)]
    signed = any(_resolve_alias(name) in _SIGNED_MEASURES for name in names)
    ax.set(
        xlim=span,
        ylim=(-1.04 if signed else -0.02, 1.04),
        ylabel="measure" if len(names) > 1 else _measure_label(names[0]),
    )
    label_x_axis(ax, feature, unit)
    ax.grid(visible=True, color="#E4E4E4", linewidth=0.6)
    ax.set_axisbelow(True)
    entries: list[LegendEntry] = [(line, _measure_label(name)) for line, name in zip(lines, names, strict=True)]
    if best:
        entries += _mark_best(ax, roc, names, prevalence)
        _mark_threshold(ax, roc, at)
    if legend:
        above = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0.1, "columnspacing": 1.4}
        add_legend(ax, entries, ncols=min(4, len(entries)), frameon=False, **above)
    return ax


def _check_measures(roc: Roc, measures: Sequence[str] | None, prevalence: float | None) -> list[str]:
    """Give the measures that are asked for, or refuse what has no place in the picture."""
    known = prevalence is not None or roc.count is not None or roc.prevalence is not None
    if measures is None:
        return list(_DEFAULT_MEASURES_PREVALENCE if known else _DEFAULT_MEASURES)
    names = as_sequence(measures)
    if not names:
        raise RocPredictError(f"measures={short_repr(measures)} is no list of measures; give such as ['ameans', 'tpr']")
    drawn = (*_PLOTTABLE_MEASURES, *(alias for alias, name in ALIASES.items() if name in _PLOTTABLE_MEASURES))
    for name in names:
        if isinstance(name, str) and _resolve_alias(name) in _UNBOUNDED_MEASURES:
            raise RocPredictError(f"measures has {name!r}, which has no bound; it has no place beside rates")
    return [check_option("measures", name, drawn) for name in names]


def _resolve_alias(name: str) -> str:
    return ALIASES.get(name, name)


def _measure_label(name: str) -> str:
    return _NAMES.get(name, name.replace("_", " "))


def _thresholds(roc: Roc, at: float, span: tuple[float, float]) -> tuple[FloatArray, str]:
    """Give thresholds within a span, and how lines run between them: each step is that of the value at its end."""
    samples = [d.unique_values for d in (roc.negative, roc.positive) if isinstance(d, Ecdf)]
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


def _mark_best(ax: Axes, roc: Roc, names: Sequence[str], prevalence: float | None) -> list[LegendEntry]:
    """Circle the highest value of each measure that is also a criterion."""
    rings: list[Any] = []
    for index, name in enumerate(names):
        criterion = _resolve_alias(name)
        if criterion not in _CRITERION_BY_MEASURE:
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
    words, inside = f"best Ameans: {format_rule(at, roc.direction)}", low <= at <= high
    if inside:
        ax.axvline(at, color=TEXT_COLOR, linewidth=1.2, zorder=2, gid="threshold")
    width = text_size(ax, words, SMALL)[0] * (high - low)
    left = inside and at + width > high
    spot = at if inside else (low + high) / 2
    look: dict[str, Any] = {
        "fontsize": SMALL,
        "color": TEXT_COLOR,
        "bbox": TEXT_BACKGROUND,
        "zorder": 7,
        "va": "center",
    }
    where: dict[str, Any] = {"xytext": ((-6 if left else 6) if inside else 0, 12), "textcoords": "offset points"}
    side = "center" if not inside else "right" if left else "left"
    ax.annotate(words, (spot, ax.get_ylim()[0]), ha=side, **where, **look)


_COST_GRID = np.linspace(0, 1, 401)
_POINTS = 2049
"""Thresholds whose lowest cost is drawn; that of all thresholds is lower by less than 1e-5."""


def plot_cost(
    *rocs: Roc,
    prevalence: float | None = None,
    cost_fp: float = 1.0,
    cost_fn: float = 1.0,
    ax: Axes | None = None,
    labels: Sequence[str] | None = None,
    best: bool = True,
    legend: bool = True,
) -> Axes:
    """Draw cost curves (Drummond and Holte 2006): the expected cost of the best threshold at each price.

    Parameters
    ----------
    *rocs : ROC
        Predicted or empirical, one or several, each of one feature.
    prevalence, cost_fp, cost_fn : float, optional
        Where the rule will be used: marks the probability cost there. Nothing is marked without a prevalence.
    ax : matplotlib Axes, optional
        Where to draw; left out, a figure of its own.
    labels : sequence of str, optional
        A name for each curve, shown literally; long ones are cut.
    best : bool
        Draw the straight line of the one threshold with the highest Ameans, which touches the curve in the middle.
    legend : bool
        Name the curves, above the axes: give a title a ``pad`` of 40.

    Returns
    -------
    Axes

    Raises
    ------
    RocPredictError
        No ROC, what is not the ROC of one feature, as many labels as there are not curves; a prevalence outside [0, 1],
        costs that are negative or both 0, costs without a prevalence.

    Notes
    -----
    Of a prevalence BR and the costs of a false positive and of a false negative, C1 and C0, the probability cost is
    PC = BR C0/(BR C0 + (1 - BR) C1), and a threshold costs FNR PC + FPR (1 - PC), where 1 is the cost of being wrong
    with every case. Each threshold, a point of the ROC plot, is a straight line here. The curve is their lower
    envelope, and lies nowhere above the two lines of calling everyone positive, and nobody. At PC = 1/2 it is
    1 - Ameans. A curve of samples is that of thresholds chosen on these very rows, and therefore optimistic.

    References
    ----------
    C. Drummond and R. C. Holte. Cost curves: an improved method for visualizing classifier performance. Machine
    Learning 65 (2006), 95-130.

    Examples
    --------
    >>> from rocpredict import Gaussian, PredictedRoc
    >>> roc = PredictedRoc(negative=Gaussian(4, 3), positive=Gaussian(8, 2))
    >>> ax = plot_cost(roc, prevalence=0.1, cost_fn=5)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['predicted', 'its best Ameans threshold', 'always positive or negative', 'in use: probability cost 0.357']
    """
    rocs = tuple(check_single_feature(roc) for roc in rocs)
    check_booleans(best=best, legend=legend)
    names = curve_labels(rocs, labels)
    used = _probability_cost(prevalence, cost_fp, cost_fn)
    ax = get_or_create_axes(ax, WIDE_FIGSIZE)
    entries: list[LegendEntry] = []
    for index, (roc, name) in enumerate(zip(rocs, names, strict=True)):
        (line,) = ax.plot(_COST_GRID, _lower_envelope(roc), gid=f"cost-{index}", **line_style(index, roc))
        entries.append((line, name))
    if best:
        lines = [_draw_threshold(ax, index, roc) for index, roc in enumerate(rocs)]
        entries.append((lines[0], "its best Ameans threshold" if len(rocs) == 1 else "best Ameans thresholds"))
    (roof,) = ax.plot([0, 0.5, 1], [0, 0.5, 0], linestyle="-.", gid="always", **MUTED_LINE_STYLE)
    entries.append((roof, "always positive or negative"))
    if used is not None:
        line = ax.axvline(used, linestyle=":", linewidth=1.2, color=TEXT_COLOR, zorder=1, gid="used")
        entries.append((line, f"in use: probability cost {format_rate(used)}"))
    _set_up_axes(ax)
    if legend:
        above = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0.1, "columnspacing": 1.4}
        add_legend(ax, entries, ncols=2, frameon=False, **above)
    return ax


def _set_up_axes(ax: Axes) -> None:
    ax.set(xlim=(0, 1), ylim=(0, 0.56), xlabel="probability cost of a positive", ylabel="normalized expected cost")
    ax.grid(visible=True, color="#E4E4E4", linewidth=0.6)
    ax.set_axisbelow(True)


def _probability_cost(prevalence: ArrayLike | None, cost_fp: ArrayLike, cost_fn: ArrayLike) -> float | None:
    costs = np.array([check_nonnegative("cost_fp", cost_fp), check_nonnegative("cost_fn", cost_fn)], dtype=object)
    if any(np.ndim(cost) for cost in costs):
        raise RocPredictError("cost_fp and cost_fn are one number each")
    share = check_prevalence(prevalence)
    if share is None:
        if (costs != 1).any():
            raise RocPredictError("costs alone do not say where the rule is used; give prevalence= (0 to 1) too")
        return None
    falsely, missed = (1 - share) * costs[0], share * costs[1]
    if falsely + missed == 0:
        raise RocPredictError(
            f"prevalence={short_repr(prevalence)}, cost_fp={short_repr(cost_fp)} and "
            f"cost_fn={short_repr(cost_fn)} leave no error "
            "that costs anything"
        )
    return float(missed / (falsely + missed))


def _lower_envelope(roc: Roc) -> FloatArray:
    """Give the lowest cost of any threshold at each probability cost."""
    curve = roc.curve(_POINTS)
    fnr = 1 - curve.tpr
    return np.array([np.min(at * fnr + (1 - at) * curve.fpr) for at in _COST_GRID])


def _draw_threshold(ax: Axes, index: int, roc: Roc) -> Any:
    found = roc.best_threshold()
    style = line_style(index, roc) | {"linewidth": 0.8, "linestyle": "-", "alpha": 0.6, "zorder": 2}
    return ax.plot([0, 1], [found.fpr, found.fnr], gid=f"threshold-{index}", **style)[0]


_FEW = 40
"""Distinct thresholds up to which each has a stem of its own."""
_MOST_BINS = 60
_BAR = "#0072B2"
_MAX_DISTANCE = 1e300
"""From here on a threshold lies beyond all rows, or between them and infinite ones."""


def plot_stability(
    roc_or_threshold: Roc | BestThreshold,
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
    roc_or_threshold : EmpiricalRoc or BestThreshold
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
    check_booleans(legend=legend)
    chosen = _resolve_threshold(roc_or_threshold, criterion, prevalence)
    found = chosen.stability(n_resamples=check_int("n_resamples", n_resamples), rng=rng)
    if isinstance(roc_or_threshold, Roc):
        feature_axis_limits(roc_or_threshold, chosen.threshold)  # refuses values that no axis can hold
    finite = found.thresholds[np.abs(found.thresholds) < _MAX_DISTANCE]
    span = _span(finite, chosen)
    ax = get_or_create_axes(ax, WIDE_FIGSIZE)
    drawn, tallest = _draw_shares(ax, finite, len(found.thresholds))
    entries = [*drawn, *_draw_plateau(ax, chosen), *_draw_range(ax, found, 1.1 * tallest)]
    if abs(chosen.threshold) < _MAX_DISTANCE:
        line = ax.axvline(chosen.threshold, color=TEXT_COLOR, linewidth=1.5, zorder=5, gid="threshold")
        entries.append((line, f"on all rows {chosen.threshold:.4g}".replace("-", "−")))
    _frame(ax, span, tallest)
    label_x_axis(ax, feature, unit)
    _annotate_ameans(ax, found, len(finite))
    if legend and entries:
        above = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0.1, "columnspacing": 1.4}
        add_legend(ax, entries, ncols=2, frameon=False, **above)
    return ax


def _resolve_threshold(roc_or_threshold: object, criterion: Any, prevalence: float | None) -> BestThreshold:
    if isinstance(roc_or_threshold, Roc):
        if roc_or_threshold.shape:
            raise RocPredictError(
                f"roc_or_threshold is a batch of shape {roc_or_threshold.shape}; draw one feature at a time"
            )
        return roc_or_threshold.best_threshold(criterion, prevalence=prevalence)
    if not isinstance(roc_or_threshold, BestThreshold):
        raise RocPredictError(
            f"roc_or_threshold={short_repr(roc_or_threshold)} is neither a ROC nor a best threshold; give "
            "rp.empirical_roc(...) or what its best_threshold returns"
        )
    if criterion != "ameans" or prevalence is not None:
        raise RocPredictError("a best threshold has its criterion and prevalence; give these with a ROC")
    if roc_or_threshold._uncertainty is None or np.ndim(roc_or_threshold.threshold):
        raise RocPredictError(
            "roc_or_threshold is not the threshold of one feature; give what roc.best_threshold returns"
        )
    return roc_or_threshold


def _draw_shares(ax: Axes, thresholds: FloatArray, total: int) -> tuple[list[LegendEntry], float]:
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


def _draw_plateau(ax: Axes, chosen: BestThreshold) -> list[LegendEntry]:
    low, high = chosen.plateau
    if not (-_MAX_DISTANCE < low < high < _MAX_DISTANCE):
        return []
    look: dict[str, Any] = {"facecolor": "#E69F00", "alpha": 0.35, "zorder": 1, "gid": "plateau"}
    return [(ax.axvspan(low, high, linewidth=0, **look), "equally good on all rows")]


def _draw_range(ax: Axes, found: ThresholdStability, height: float) -> list[LegendEntry]:
    ends = [found.quantiles[0.05], found.quantiles[0.95]]
    if max(map(abs, ends)) >= _MAX_DISTANCE:
        return []
    look: dict[str, Any] = {"color": MUTED_COLOR, "linewidth": 2, "marker": "|", "markersize": 9, "zorder": 6}
    words = f"90 % of resamples: {ends[0]:.4g} to {ends[1]:.4g}".replace("-", "−")
    return [(ax.plot(ends, [height, height], gid="range", **look)[0], words)]


def _span(finite: FloatArray, chosen: BestThreshold) -> tuple[float, float]:
    seen = np.append(finite, chosen.threshold)
    seen = seen[np.abs(seen) < _MAX_DISTANCE]
    return pad_limits(seen.min(), seen.max(), 0.05) if len(seen) else (-0.05, 1.05)


def _frame(ax: Axes, span: tuple[float, float], tallest: float) -> None:
    ax.set(xlim=span, ylim=(0, 1.35 * tallest), ylabel="share of resamples")
    ax.grid(visible=True, axis="y", color="#E4E4E4", linewidth=0.6)
    ax.set_axisbelow(True)


def _annotate_ameans(ax: Axes, found: ThresholdStability, finite: int) -> None:
    """Write what the threshold is worth, on the rows that chose it and on others."""
    words = f"Ameans: {format_rate(found.ameans_in_sample)} on these rows, {format_rate(found.ameans_oob)} on others"
    lost = len(found.thresholds) - finite
    if lost:
        words += f"\n{100 * lost / len(found.thresholds):.3g} % beyond all finite values"
    look: dict[str, Any] = {
        "fontsize": SMALL,
        "color": TEXT_COLOR,
        "bbox": TEXT_BACKGROUND,
        "va": "top",
        "ha": "left",
        "zorder": 7,
    }
    ax.text(0.015, 0.98, words, transform=ax.transAxes, gid="told", **look)
