"""ROC curves: one, several, or a predicted one over an empirical one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from rocpredict.arguments import FloatArray, shown
from rocpredict.auc_tests import AucTestMany
from rocpredict.comparison import gaps_between
from rocpredict.curve import RocCurve
from rocpredict.empirical import EmpiricalRoc
from rocpredict.errors import RocPredictError
from rocpredict.inference.results import AucTest
from rocpredict.interval import as_level
from rocpredict.plots.marks import gap_in_words, legend_in, mark_best, mark_gap
from rocpredict.plots.placing import Box
from rocpredict.plots.style import (
    CURVES,
    SQUARE,
    Entry,
    as_switches,
    axes_or_new,
    draw_chance,
    free_corner,
    line_style,
    literal,
    names_among,
    one_feature,
    rate,
)
from rocpredict.roc import Roc

if TYPE_CHECKING:
    from rocpredict.inference.bands import ConfidenceBand

_MARGIN = 0.02
_SAME = 1e-9
"""How far AUCs of the same rows differ by rounding."""
_HATCHES = ("", "///", "...", "\\\\\\", "ooo", "---")
_AREA = "Mann-Whitney"
_SHORT = 24
"""Most characters of what a test is called, and of its hypothesis."""
_VISIBLE = 0.01  # a shallower hook is hardly wider than the line that draws it


def plot_roc(
    *rocs: Roc,
    ax: Axes | None = None,
    labels: Sequence[str] | None = None,
    best: bool = True,
    chance: bool = True,
    legend: bool = True,
    band: bool = False,
    level: float = 0.95,
    test: AucTest | AucTestMany | None = None,
) -> Axes:
    """Draw ROC curves, with the best point of each and its AUC.

    Parameters
    ----------
    *rocs : ROC
        Predicted or empirical, one or several, each of one feature.
    ax : matplotlib Axes, optional
        Where to draw; left out, a figure of its own.
    labels : sequence of str, optional
        A name for each curve, shown literally; long ones are cut.
    best : bool
        Circle the point with the highest Ameans and write its threshold beside it.
    chance : bool
        Draw the line on which a guess lies.
    legend : bool
        Name the curves, each with its AUC.
    band : bool
        Shade the pointwise band of each curve, by ``roc.band``; see ``plot_band`` for the other kinds.
    level : float
        Of the bands.
    test : AucTest or AucTestMany, optional
        A test of these very curves in their order, as ``rocpredict.auc_test`` gives it: its p-value joins the legend.

    Returns
    -------
    Axes

    Raises
    ------
    RocPredictError
        No ROC, what is not the ROC of one feature, or as many labels as there are not curves; a band of a curve
        without counts; a level outside (0, 1); a switch that is not True or False; a test of other curves.

    Notes
    -----
    An empirical curve is drawn point to point: a step where values differ, a diagonal where classes tie.
    Where a curve lies below the chance line the area between them is hatched. Bands that overlap, or do not, are no
    test of two curves of the same cases: these go up and down together, as ``test`` knows and bands do not.

    Examples
    --------
    >>> from rocpredict import Gaussian, PredictedRoc
    >>> ax = plot_roc(PredictedRoc(negative=Gaussian(4, 3), positive=Gaussian(8, 2)))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['predicted, AUC 0.866', 'chance']
    """
    rocs, level = tuple(one_feature(roc) for roc in rocs), as_level(level)
    as_switches(best=best, chance=chance, legend=legend, band=band)
    names = names_of(rocs, labels)
    told = [] if test is None else [(Line2D([], [], linestyle="none"), p_value_of(test, rocs))]
    shades = [roc.band(level) for roc in rocs] if band else []
    ax = axes_or_new(ax, SQUARE)
    draw_curves(ax, rocs, names, shades, told, best=best, chance=chance, legend=legend)
    return ax


def plot_comparison(predicted: Roc, empirical: EmpiricalRoc, *, ax: Axes | None = None) -> Axes:
    """Draw a predicted ROC curve over an empirical one, and mark where their TPR differ most.

    Parameters
    ----------
    predicted : PredictedRoc
    empirical : EmpiricalRoc
        Of the same feature and direction.
    ax : matplotlib Axes, optional
        Where to draw; left out, a figure of its own.

    Returns
    -------
    Axes

    Raises
    ------
    RocPredictError
        As ``rocpredict.compare``.
    """
    gap, at, _ = gaps_between(predicted, empirical)
    ax = axes_or_new(ax, SQUARE)
    rocs = (predicted, empirical)
    paths, taken = draw_curves(ax, rocs, names_of(rocs, ["predicted", "empirical"]))
    top = float(predicted.tpr_at_fpr(at))
    mark_gap(ax, at, [top - gap, top], text=gap_in_words(gap, at), paths=paths, taken=taken)
    return ax


def draw_curves(
    ax: Axes,
    rocs: Sequence[Roc],
    names: Sequence[str],
    shades: Sequence[ConfidenceBand] = (),
    told: Sequence[Entry] = (),
    *,
    best: bool = True,
    chance: bool = True,
    legend: bool = True,
) -> tuple[list[FloatArray], list[Box]]:
    """Draw curves and all that belongs to them; give their points, and the boxes that words take."""
    frame(ax)
    curves = [roc.curve() for roc in rocs]
    entries: list[Entry] = []
    for index, (roc, curve, name) in enumerate(zip(rocs, curves, names, strict=True)):
        entries.append((draw_curve(ax, index, roc, curve), f"{name}, AUC {area_in_words(roc)}"))
    entries += [*told, *_draw_shades(ax, shades)]
    hooks = [hook for curve in curves for hook in _draw_hook(ax, curve)]
    entries += [(hooks[0], "below chance")] if hooks else []
    if chance:
        entries.append(draw_chance(ax))
    paths = [np.column_stack([curve.fpr, curve.tpr]) for curve in curves]
    taken = legend_in(ax, entries, free_corner([roc.auc() for roc in rocs])) if legend else []
    if best:
        taken = mark_best(ax, rocs, paths, taken)
    return paths, taken


def p_value_of(test: object, rocs: Sequence[Roc]) -> str:
    """Say what a test found about these curves; refuse a test of others."""
    if not isinstance(test, (AucTest, AucTestMany)):
        raise RocPredictError(f"test={shown(test)} is not a test of AUCs; give what rp.auc_test returns")
    drawn, tested = [float(roc.auc()) for roc in rocs], list(test.estimates)
    areas = test.estimator.startswith(_AREA)  # and no height or part of the area
    if len(drawn) != len(tested) or (areas and not np.allclose(drawn, tested, rtol=0, atol=_SAME)):
        raise RocPredictError(
            f"test is of other curves: its estimates are {_listed(tested)}, the AUCs drawn {_listed(drawn)}; "
            "give the empirical ROCs of the tested features, in their order"
        )
    return f"{_null(test)}: {p_in_words(test.p_value)} ({literal(test.method, _SHORT)})"


def _null(test: AucTest | AucTestMany) -> str:
    """Give the null hypothesis without the names of features, which the legend has."""
    if isinstance(test, AucTestMany):
        return literal(test.null, _SHORT)
    same = len(test.estimates) == 2 and test.null.startswith("AUC of") and " = " in test.null
    return "equal AUCs" if same else literal(test.null, _SHORT)


def p_in_words(p: float) -> str:
    """Show a p-value, the small ones by their bound."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def _listed(areas: Sequence[float]) -> str:
    return ", ".join(f"{area:.4f}" for area in areas)


def names_of(rocs: Sequence[Roc], labels: Sequence[str] | None) -> list[str]:
    """Give the name of each curve, numbered when there are several."""
    names = names_among(labels, ["empirical" if isinstance(roc, EmpiricalRoc) else "predicted" for roc in rocs])
    return names if len(names) == 1 else [f"{number}  {name}" for number, name in enumerate(names, 1)]


def frame(ax: Axes) -> None:
    """Give the axes the unit square of a ROC plot, its ticks, grid and names."""
    ax.set(xlim=(-_MARGIN, 1 + _MARGIN), ylim=(-_MARGIN, 1 + _MARGIN), aspect="equal")
    ax.set(xlabel="false positive rate (FPR)", ylabel="true positive rate (TPR)")
    ax.set_xticks(np.linspace(0, 1, 6))
    ax.set_yticks(np.linspace(0, 1, 6))
    ax.grid(visible=True, color="#E4E4E4", linewidth=0.6)
    ax.set_axisbelow(True)


def draw_curve(ax: Axes, index: int, roc: Roc, curve: RocCurve) -> Any:
    """Draw one curve in the colour of its place, and give its line."""
    return ax.plot(curve.fpr, curve.tpr, gid=f"roc-{index}", **line_style(index, roc))[0]


def _draw_shades(ax: Axes, shades: Sequence[ConfidenceBand]) -> list[Entry]:
    """Shade bands, each in the colour of its curve and with a hatch and edge of its own, and name the first."""
    areas = []
    for index, (shade, hatch) in enumerate(zip(shades, cycle(_HATCHES), strict=False)):
        colour, dash = CURVES[index % len(CURVES)]
        edge: dict[str, Any] = {"edgecolor": (colour, 0.45), "linestyle": dash, "linewidth": 0.7, "hatch": hatch}
        face = (colour, 0.14)
        areas.append(ax.fill_between(shade.fpr, shade.low, shade.high, facecolor=face, zorder=1.5, **edge))
        areas[-1].set_gid(f"band-{index}")
    return [(areas[0], f"{100 * shades[0].level:g} % band, {shades[0].kind}")] if areas else []


def _draw_hook(ax: Axes, curve: RocCurve) -> list[Any]:
    """Hatch what lies below the chance line, where there is enough of it to see."""
    if (curve.fpr - curve.tpr).max() < _VISIBLE:
        return []
    style: dict[str, Any] = {"facecolor": "none", "edgecolor": "#767676", "hatch": "xxx", "linewidth": 0.0, "zorder": 2}
    where = (curve.tpr < curve.fpr).tolist()
    return [ax.fill_between(curve.fpr, curve.tpr, curve.fpr, where=where, interpolate=True, gid="hook", **style)]


def area_in_words(roc: Roc) -> str:
    """Give the AUC as a legend shows it: 1 only where it is exactly that."""
    auc, complement = float(roc.auc()), float(roc.auc_complement())
    if complement == 0:
        return "1"
    return rate(auc) if auc < 1 else ">0.999"
