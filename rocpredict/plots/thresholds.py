"""Plots of measures, costs, net benefit and stability against the threshold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from rocpredict.base.formatting import format_rate
from rocpredict.base.rates import ALIASES, MEASURES, RateFunction
from rocpredict.base.validation import (
    FloatArray,
    RocPredictError,
    Seed,
    check_int,
    check_nonnegative,
    check_option,
    check_single,
    short_repr,
)
from rocpredict.distributions.ecdf import Ecdf
from rocpredict.plots import style
from rocpredict.plots.curves import select_by_prevalence
from rocpredict.plots.style import Canvas
from rocpredict.roc.base import Roc
from rocpredict.roc.curves import DecisionRule
from rocpredict.solvers.thresholds import BestThreshold, CriterionName

_UNBOUNDED_MEASURES = ("positive_likelihood_ratio", "negative_likelihood_ratio", "diagnostic_odds_ratio")
_PLOTTABLE_MEASURES = tuple(name for name in MEASURES if name not in (*_UNBOUNDED_MEASURES, "prevalence"))
_DEFAULT_MEASURES = ["ameans", "tpr", "tnr"]
_CRITERION_BY_MEASURE = ("ameans", "youden", "accuracy", "f1")  # measures that are also threshold criteria
_SIGNED_MEASURES = ("youden", "mcc")
_NAMES = {"tpr": "TPR", "fpr": "FPR", "tnr": "TNR", "fnr": "FNR", "ameans": "Ameans", "npv": "NPV", "f1": "F1"}
_NAMES |= {"youden": "Youden's J", "mcc": "MCC"}


def plot_measures(
    roc: Roc[float],
    *,
    measures: Sequence[str] | None = None,
    prevalence: float | None = None,
    ax: Axes | None = None,
    feature: str = "x",
    unit: str | None = None,
    best: bool = True,
    legend: bool = True,
) -> Axes:
    """Plot performance measures against the threshold.

    Parameters
    ----------
    roc : Roc
        Predicted or empirical ROC curve of one feature.
    measures : sequence of str, optional
        Names of measures: attributes of ``Rates`` with values in [-1, 1], or aliases such as "recall". By default,
        "ameans", "tpr" and "tnr" and, if the prevalence is known, "precision" and "accuracy".
    prevalence : float, optional
        Proportion of positives in the population where the rule is used, in [0, 1]. By default, it is computed from the
        class counts if they are known.
    ax : matplotlib Axes, optional
        Axes to draw on. By default, the axes of a new figure.
    feature : str, default="x"
        Name of the feature.
    unit : str, optional
        Unit of the feature.
    best : bool, default=True
        Mark the threshold with the highest Ameans. If Ameans, Youden's J, accuracy or F1 is plotted, also mark the
        maximum of this measure.
    legend : bool, default=True
        Draw a legend above the axes.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    RocPredictError
        If ``roc`` is not the ROC curve of one feature, if a measure is unknown or unbounded, if a measure needs a
        prevalence and none is known, or if ``prevalence`` is out of range.

    Notes
    -----
    The precision is not drawn at thresholds for which no observation is predicted positive. The measures of an
    empirical curve are step functions of the threshold. Their maxima are optimistic; see ``best_threshold``.

    Examples
    --------
    >>> from rocpredict import Gaussian, PredictedRoc
    >>> roc = PredictedRoc(negative=Gaussian(4, 3), positive=Gaussian(8, 2))
    >>> ax = plot_measures(roc, measures=["recall", "precision"], prevalence=0.2)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['recall', 'precision']
    """
    roc, prevalence = style.check_single_feature(roc), style.check_prevalence(prevalence)
    style.check_booleans(best=best, legend=legend)
    names = _check_measures(roc, measures, prevalence)
    threshold = float(roc.best_threshold().threshold)
    span = style.feature_axis_limits(roc, threshold)
    x, steps = _thresholds(roc, threshold, span)
    rates = roc.rates(x, prevalence=prevalence)
    canvas = Canvas(ax, style.WIDE_FIGSIZE, legend=legend)
    for index, name in enumerate(names):
        line = style.line_style(index, 2.0 if index == 0 else 1.5) | {"drawstyle": steps, "gid": f"measure-{name}"}
        canvas.add(canvas.ax.plot(x, getattr(rates, name), **line), _measure_label(name))
    lowest = -1.04 if any(ALIASES.get(name, name) in _SIGNED_MEASURES for name in names) else -0.02
    canvas.frame(xlim=span, ylim=(lowest, 1.04), ylabel="measure" if len(names) > 1 else _measure_label(names[0]))
    canvas.name_feature(feature, unit)
    if best:
        canvas.add(_mark_best(canvas, roc, names, prevalence), "maximum")
        words = f"best Ameans: {style.format_rule(threshold, roc.direction)}"
        left = threshold + canvas.text_size(words)[0] * (span[1] - span[0]) > span[1]
        canvas.mark_threshold(words, threshold, lowest, left=left, lift=12, linewidth=1.2, zorder=2)
    canvas.legend_above(min(4, len(canvas.entries)))
    return canvas.ax


def _check_measures(roc: Roc, measures: Sequence[str] | None, prevalence: float | None) -> list[str]:
    """Return the names of the measures to plot; raise RocPredictError if a measure cannot be plotted."""
    has_prevalence = prevalence is not None or roc.count is not None or roc.prevalence is not None
    if measures is None:
        return _DEFAULT_MEASURES + (["precision", "accuracy"] if has_prevalence else [])
    names = style.as_sequence(measures)
    if not names:
        raise RocPredictError(
            f"measures={short_repr(measures)} is not a list of names; pass a list such as ['ameans', 'tpr']"
        )
    choices = (*_PLOTTABLE_MEASURES, *(alias for alias, name in ALIASES.items() if name in _PLOTTABLE_MEASURES))
    for name in names:
        if isinstance(name, str) and ALIASES.get(name, name) in _UNBOUNDED_MEASURES:
            raise RocPredictError(f"measures contains {name!r}, which is unbounded; pass a bounded measure")
    return [check_option("measures", name, choices) for name in names]


def _measure_label(name: str) -> str:
    return _NAMES.get(name, name.replace("_", " "))


def _thresholds(roc: Roc, threshold: float, span: tuple[float, float]) -> tuple[FloatArray, str]:
    """Return the thresholds at which measures are plotted, and the matplotlib drawstyle of the lines between them."""
    samples = [d.unique_values for d in (roc.negative, roc.positive) if isinstance(d, Ecdf)]
    if len(samples) == 2:
        steps = "steps-post" if roc.direction == "lower" else "steps-pre"
        return style.within(np.unique(np.concatenate([*samples, span])), span), steps
    atoms = np.concatenate([d.atoms().points for d in (roc.negative, roc.positive)])
    return style.feature_axis_points(roc, span, [atoms, np.nextafter(atoms, np.inf), [threshold]]), "default"


def _mark_best(canvas: Canvas, roc: Roc, names: Sequence[str], prevalence: float | None) -> list[Any]:
    """Mark the maximum of each measure that is also a threshold criterion."""
    rings: list[Any] = []
    for index, name in enumerate(names):
        criterion: Any = ALIASES.get(name, name)
        if criterion in _CRITERION_BY_MEASURE:
            base_rate = None if criterion in {"ameans", "youden"} else prevalence
            best = roc.best_threshold(criterion, prevalence=base_rate)
            point = best.threshold, getattr(roc.rates(best.threshold, prevalence=prevalence), criterion)
            if np.isfinite(point).all():
                rings += canvas.ring(index, point, f"best-{name}")
    return rings


_COST_GRID = np.linspace(0, 1, 401)
#: Number of thresholds per curve; with all thresholds, the minimum cost would be lower by less than 1e-5.
_POINTS = 2049


def plot_cost(
    *rocs: Roc[float],
    prevalence: float | None = None,
    cost_fp: float = 1.0,
    cost_fn: float = 1.0,
    ax: Axes | None = None,
    labels: Sequence[str] | None = None,
    best: bool = True,
    legend: bool = True,
) -> Axes:
    """Plot cost curves (the normalized expected cost of the best threshold against the probability cost).

    Parameters
    ----------
    *rocs : Roc
        One or more predicted or empirical ROC curves, each of one feature.
    prevalence : float, optional
        Proportion of positives in the population where the rule is used, in [0, 1]. If a prevalence is passed, the
        probability cost of this population is marked.
    cost_fp, cost_fn : float, default=1.0
        Cost of a false positive and of a false negative. Values other than 1 need a prevalence.
    ax : matplotlib Axes, optional
        Axes to draw on. By default, the axes of a new figure.
    labels : sequence of str, optional
        Name of each curve in the legend. By default, "predicted" or "empirical", depending on the curve.
    best : bool, default=True
        Draw the cost line of the threshold with the highest Ameans. This line touches the cost curve at probability
        cost 1/2.
    legend : bool, default=True
        Draw a legend above the axes. The legend usually has two or more lines.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    RocPredictError
        If there is no curve, if an argument is not the ROC curve of one feature, if the number of labels is wrong, if
        ``prevalence`` is out of range, if a cost is negative, if both costs are 0, or if costs are passed without a
        prevalence.

    Notes
    -----
    Cost curves were introduced in [1]_. With the prevalence BR and the costs C1 of a false positive and C0 of a false
    negative, the probability cost is PC = BR * C0/(BR * C0 + (1 - BR) * C1). The normalized expected cost of a
    threshold is FNR * PC + FPR * (1 - PC), in units of the cost of misclassifying all observations. Each threshold
    corresponds to a point in the ROC plot and to a straight line in the cost plot. The cost curve is the lower envelope
    of these lines, so it is never above the lines of the rules "always positive" and "always negative". At PC = 1/2,
    the height of the cost curve is 1 minus the highest Ameans. The thresholds of an empirical curve are chosen and
    evaluated on the same data, so its cost curve is optimistic.

    References
    ----------
    .. [1] C. Drummond, R. C. Holte (2006), Cost curves: an improved method for visualizing classifier performance,
       Machine Learning 65, 95-130.

    Examples
    --------
    >>> from rocpredict import Gaussian, PredictedRoc
    >>> roc = PredictedRoc(negative=Gaussian(4, 3), positive=Gaussian(8, 2))
    >>> ax = plot_cost(roc, prevalence=0.1, cost_fn=5)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['predicted', 'best Ameans threshold', 'always positive or negative', 'in use: probability cost 0.357']
    """
    names = style.check_curves(rocs, labels, function="plot_cost", best=best, legend=legend)
    probability_cost = _probability_cost(prevalence, cost_fp, cost_fn)
    canvas = Canvas(ax, style.WIDE_FIGSIZE, legend=legend)
    paths = []
    for curve in (roc.curve(_POINTS) for roc in rocs):
        lowest = [np.min(cost * (1 - curve.tpr) + (1 - cost) * curve.fpr) for cost in _COST_GRID]
        paths.append(np.column_stack([_COST_GRID, lowest]))
    canvas.curves("cost", rocs, paths, names)
    if best:
        lines: list[Any] = []
        for index, threshold in enumerate(roc.best_threshold() for roc in rocs):
            thin: style.Look = {"linestyle": "-", "alpha": 0.6, "zorder": 2, "gid": f"threshold-{index}"}
            lines += canvas.ax.plot([0, 1], [threshold.fpr, threshold.fnr], **style.line_style(index, 0.8) | thin)
        canvas.add(lines, "best Ameans threshold" + "s" * (len(rocs) > 1))
    roof = canvas.ax.plot([0, 0.5, 1], [0, 0.5, 0], linestyle="-.", gid="always", **style.MUTED_LINE_STYLE)
    canvas.add(roof, "always positive or negative")
    if probability_cost is not None:
        words = f"in use: probability cost {format_rate(probability_cost)}"
        canvas.guide(words, x=probability_cost, color=style.TEXT_COLOR, linewidth=1.2, gid="used")
    canvas.frame(xlim=(0, 1), ylim=(0, 0.56))
    canvas.ax.set(xlabel="probability cost of a positive", ylabel="normalized expected cost")
    canvas.legend_above(2)
    return canvas.ax


def _probability_cost(prevalence: ArrayLike | None, cost_fp: ArrayLike, cost_fn: ArrayLike) -> float | None:
    prices = {"cost_fp": cost_fp, "cost_fn": cost_fn}
    price_fp, price_fn = (check_single(name, check_nonnegative(name, price)) for name, price in prices.items())
    rate = style.check_prevalence(prevalence)
    if rate is None and (price_fp != 1 or price_fn != 1):
        raise RocPredictError("cost_fp= and cost_fn= need the prevalence; pass prevalence=0.1, for example")
    if rate is None:
        return None
    false_positive_cost, false_negative_cost = (1 - rate) * price_fp, rate * price_fn
    if false_positive_cost + false_negative_cost == 0:
        costs = f"cost_fp={short_repr(cost_fp)}, cost_fn={short_repr(cost_fn)}"
        problem = f"prevalence={short_repr(prevalence)}, {costs} make the cost of all errors 0"
        remedy = (
            f"{'cost_fp' if rate == 0 else 'cost_fn'}= above 0" if rate in {0, 1} else "cost_fp= or cost_fn= above 0"
        )
        raise RocPredictError(f"{problem}; pass {remedy}")
    return false_negative_cost / (false_positive_cost + false_negative_cost)


def plot_decision(
    *rocs: Roc[float],
    prevalence: float | None = None,
    rule: DecisionRule = "best",
    ax: Axes | None = None,
    labels: Sequence[str] | None = None,
    legend: bool = True,
) -> Axes:
    """Plot decision curves and, for comparison, the net benefit of treating all and of treating none.

    Parameters
    ----------
    *rocs : Roc
        One or more predicted or empirical ROC curves, each of one feature.
    prevalence : float, optional
        Proportion of positives in the population where the rule is used, in (0, 1). All curves use this value. By
        default, the proportion is computed from the class counts of each curve.
    rule : {"best", "probability"}, default="best"
        Decision rule:

        * "best": at each threshold probability, use the feature threshold that maximizes the net benefit.
        * "probability": predict positive if x is at least the threshold probability. This rule requires a feature
          that is a predicted probability.
    ax : matplotlib Axes, optional
        Axes to draw on. By default, the axes of a new figure.
    labels : sequence of str, optional
        Name of each curve in the legend. By default, "predicted" or "empirical", depending on the curve.
    legend : bool, default=True
        Draw a legend.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    RocPredictError
        If there is no curve, if an argument is not the ROC curve of one feature, if the number of labels is wrong, or
        if the decision curve cannot be computed; see ``roc.decision_curve``.

    Examples
    --------
    >>> from rocpredict import PredictedRoc
    >>> roc = PredictedRoc.from_stats(mean=(4, 8), std=(3, 2), count=(60, 40))
    >>> ax = plot_decision(roc)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['predicted', 'treat all: prevalence 0.400', 'treat none']
    """
    names = style.check_curves(rocs, labels, function="plot_decision", legend=legend)
    curves = [roc.decision_curve(prevalence=prevalence, rule=rule) for roc in rocs]
    canvas = Canvas(ax, style.WIDE_FIGSIZE, legend=legend)
    paths = [np.column_stack([curve.probabilities, curve.net_benefit]) for curve in curves]
    canvas.curves("decision", rocs, paths, names)
    guide = style.MUTED_LINE_STYLE | {"linestyle": "-.", "gid": "treat-all"}
    for curve in select_by_prevalence(curves):
        lines = canvas.ax.plot(curve.probabilities, curve.treat_all, **guide)
        canvas.add(lines, f"treat all: prevalence {format_rate(curve.prevalence)}")
    canvas.guide("treat none", y=0, gid="treat-none")
    top = max(curve.prevalence for curve in curves)
    canvas.frame(xlim=(0, 1), ylim=(-0.16 * top, 1.06 * top), xlabel="threshold probability", ylabel="net benefit")
    canvas.legend_in("upper right")
    return canvas.ax


#: Maximum number of distinct thresholds that are drawn as separate stems.
_MAX_STEMS = 40
_MAX_BINS = 60
_BAR = "#0072B2"
#: Absolute value at or above which a threshold counts as beyond all finite values.
_MAX_DISTANCE = 1e300


def plot_stability(
    roc_or_threshold: Roc[float] | BestThreshold[float],
    *,
    criterion: CriterionName | RateFunction = "ameans",
    prevalence: float | None = None,
    n_resamples: int = 2000,
    rng: Seed = 0,
    ax: Axes | None = None,
    feature: str = "x",
    unit: str | None = None,
    legend: bool = True,
) -> Axes:
    """Plot the bootstrap distribution of the best threshold.

    Parameters
    ----------
    roc_or_threshold : EmpiricalRoc or BestThreshold
        Empirical ROC curve, or the best threshold of such a curve.
    criterion : str or function, default="ameans"
        Criterion of the best threshold, as in ``roc.best_threshold``. This option is allowed only if a ROC curve is
        passed.
    prevalence : float, optional
        Proportion of positives in the population where the rule is used, as in ``roc.best_threshold``. This option is
        allowed only if a ROC curve is passed.
    n_resamples : int, default=2000
        Number of bootstrap resamples.
    rng : None, int or numpy.random.Generator, default=0
        Seed or generator for resampling.
    ax : matplotlib Axes, optional
        Axes to draw on. By default, the axes of a new figure.
    feature : str, default="x"
        Name of the feature.
    unit : str, optional
        Unit of the feature.
    legend : bool, default=True
        Draw a legend above the axes. The legend usually has two or more lines.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    RocPredictError
        If the argument is neither an empirical ROC curve of one feature nor the best threshold of such a curve, if an
        option is invalid, or if the range of the values is too small or too large for an axis.

    Notes
    -----
    The height of a bar is the proportion of resamples whose best threshold is at the position of the bar. The
    horizontal line above the bars extends from the 5% to the 95% quantile of the thresholds. In the shaded interval,
    all thresholds are equally good on the original data. The rules "always positive" and "always negative" have
    infinite thresholds, which cannot be drawn. If such thresholds occur, the text in the plot states their proportion.

    Examples
    --------
    >>> from rocpredict import datasets, empirical_roc
    >>> iris = datasets.load_iris()
    >>> roc = empirical_roc(iris.column("sepal_length"), iris.y, positive="virginica", negative="versicolor")
    >>> ax = plot_stability(roc, n_resamples=200, feature="sepal length", unit="cm")
    >>> ax.get_ylabel()
    'proportion of resamples'
    """
    style.check_booleans(legend=legend)
    threshold = _resolve_threshold(roc_or_threshold, criterion, prevalence)
    stability = threshold.stability(n_resamples=check_int("n_resamples", n_resamples), rng=rng)
    if isinstance(roc_or_threshold, Roc):
        style.feature_axis_limits(roc_or_threshold, threshold.threshold)  # raises if no axis can hold the values
    finite = stability.thresholds[np.abs(stability.thresholds) < _MAX_DISTANCE]
    visible = finite if abs(threshold.threshold) >= _MAX_DISTANCE else np.append(finite, threshold.threshold)
    span = style.pad_limits(visible.min(), visible.max(), 0.05) if len(visible) else (-0.05, 1.05)
    canvas = Canvas(ax, style.WIDE_FIGSIZE, legend=legend)
    tallest = _draw_proportions(canvas, finite, len(stability.thresholds))
    low, high = threshold.plateau
    if -_MAX_DISTANCE < low < high < _MAX_DISTANCE:
        look: style.Look = {"facecolor": "#E69F00", "alpha": 0.35, "linewidth": 0, "zorder": 1, "gid": "plateau"}
        canvas.add([canvas.ax.axvspan(low, high, **look)], "equally good in the whole sample")
    low, high = stability.quantiles[0.05], stability.quantiles[0.95]
    if max(abs(low), abs(high)) < _MAX_DISTANCE:
        look = {"color": style.MUTED_COLOR, "linewidth": 2, "marker": "|", "markersize": 9, "zorder": 6, "gid": "range"}
        words = f"90% of resamples: {low:.4g} to {high:.4g}".replace("-", "−")
        canvas.add(canvas.ax.plot([low, high], [1.1 * tallest] * 2, **look), words)
    if abs(threshold.threshold) < _MAX_DISTANCE:
        words = f"all data: {threshold.threshold:.4g}".replace("-", "−")
        canvas.guide(words, x=threshold.threshold, gid="threshold", **style.THRESHOLD_LINE_STYLE)
    canvas.frame("y", xlim=span, ylim=(0, 1.35 * tallest), ylabel="proportion of resamples")
    canvas.name_feature(feature, unit)
    in_sample, oob = format_rate(stability.ameans_in_sample), format_rate(stability.ameans_oob)
    words = f"Ameans: {in_sample} in sample, {oob} out of bag"
    if lost := len(stability.thresholds) - len(finite):
        words += f"\n{100 * lost / len(stability.thresholds):.3g}% beyond all finite values"
    look = style.TEXT_STYLE | {"va": "top", "ha": "left", "zorder": 7, "transform": canvas.ax.transAxes}
    canvas.ax.text(0.015, 0.98, words, gid="ameans", **look)
    canvas.legend_above(2)
    return canvas.ax


def _resolve_threshold(roc_or_threshold: object, criterion: Any, prevalence: float | None) -> BestThreshold:
    if isinstance(roc_or_threshold, Roc):
        roc = style.check_single_feature(roc_or_threshold, "roc_or_threshold")
        return roc.best_threshold(criterion, prevalence=prevalence)
    if not isinstance(roc_or_threshold, BestThreshold):
        allowed = "pass rp.empirical_roc(...) or the result of its best_threshold()"
        raise RocPredictError(
            f"roc_or_threshold={short_repr(roc_or_threshold)} is neither a ROC curve nor a best threshold; {allowed}"
        )
    if criterion != "ameans" or prevalence is not None:
        raise RocPredictError(
            "a BestThreshold already has its criterion and prevalence; pass criterion= and prevalence= only with a "
            "ROC curve"
        )
    if roc_or_threshold._uncertainty is None or np.ndim(roc_or_threshold.threshold):
        raise RocPredictError(
            "roc_or_threshold is not the best threshold of one feature; pass the result of roc.best_threshold()"
        )
    return roc_or_threshold


def _draw_proportions(canvas: Canvas, thresholds: FloatArray, total: int) -> float:
    """Draw the proportion of the resamples at each threshold or in each bin, and return the largest proportion."""
    if not len(thresholds):
        return 1.0
    values, counts = np.unique(thresholds, return_counts=True)
    artist: Any
    if len(values) <= _MAX_STEMS:
        artist = canvas.ax.vlines(values, 0, counts / total, color=_BAR, linewidth=4, zorder=3, gid="shares")
    else:
        low, high = np.quantile(thresholds, (0.25, 0.75))
        width = 2 * (high - low) / np.cbrt(len(thresholds)) or np.inf
        bins = int(np.clip(np.ceil(np.ptp(thresholds) / width), 10, _MAX_BINS))
        counts, edges = np.histogram(thresholds, bins)
        look: style.Look = {"facecolor": (_BAR, 0.25), "edgecolor": _BAR, "hatch": "//", "fill": True, "zorder": 3}
        artist = canvas.ax.stairs(counts / total, edges, gid="shares", **look)
    canvas.add([artist], "resamples")
    return float(counts.max() / total)
