"""What a notebook shows of a ROC: its answers in a table, and a small curve; never what takes long."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import ndtr

from rocpredict import binormal, steps
from rocpredict.arguments import FloatArray
from rocpredict.distributions import Gaussian, Shrunk
from rocpredict.rich_results import MOST_ROWS, Picture, Shown, of_batch

_DRAWN = 61  # thresholds from each class, in a small picture
_SEARCHED = 13  # of these, where a quantile takes a search
_LOOKED_AT = 1_000  # values, at most, whose area a repr waits for


def page_of(roc: Any) -> Shown:
    """Give what is shown of a ROC, of one feature or of a batch."""
    if roc.shape:
        return _batch(roc)
    rows: list[list[Any]] = [["negative", _in_words(roc.negative)], ["positive", _in_words(roc.positive)]]
    auc = roc.auc() if is_soon(roc) else None
    rows += [] if auc is None else [["AUC", auc]]
    best = roc.best_threshold() if is_closed(roc) else None
    if best is not None:
        rows += [["best threshold (Ameans)", best.threshold], ["Ameans there", best.ameans]]
    rows += [["direction", f"{roc.direction}{' (auto)' * roc.auto_direction}"]] if roc.direction else []
    rows += [["rows left out (negative, positive)", str(roc.omitted)]] if any(roc.omitted) else []
    if auc is None:
        note = ["So many rows take a while: ask auc() for the area, plot() for the curve."]
        return Shown(roc._title, rows, notes=note, flags=roc._own_flags)
    point = None if best is None else (best.fpr, best.tpr)
    label = f"{roc._title}, TPR against FPR, AUC {auc:.5g}"
    picture = Picture(label, [_outline(roc)], point)
    return Shown(roc._title, rows, flags=roc._own_flags if best is None else best.flags, picture=picture)


def _batch(roc: Any) -> Shown:
    """Show the first features, without what all of them would take."""
    kept = slice(min(int(np.prod(roc.shape)), MOST_ROWS))
    pair: tuple[Any, ...] = roc._pair
    first = [Gaussian(*(np.broadcast_to(part, roc.shape).flat[kept] for part in (d.mean, d.std))) for d in pair]
    lower = np.broadcast_to(roc._lower, roc.shape).flat[kept]
    best = roc._engine.best(*first, np.zeros(()))
    columns = {
        "AUC": roc._engine.auc(*first),
        "best threshold (Ameans)": np.where(lower, np.negative(best.threshold), best.threshold) + 0.0,
        "Ameans there": np.asarray(best.tpr) / 2 + np.asarray(best.tnr) / 2,
        "direction": np.where(lower, "lower", "higher"),
    }
    return of_batch(roc._title, roc.shape, columns, flags=roc._own_flags)


def is_closed(roc: Any) -> bool:
    """Whether there is a closed form, or counting, for every answer."""
    return not isinstance(roc.negative, Shrunk) and roc._engine in {binormal, steps}


def is_soon(roc: Any) -> bool:
    """Whether the area takes no longer than a look."""
    return is_closed(roc) or sum(held(d) for d in (roc.negative, roc.positive)) <= _LOOKED_AT


def _outline(roc: Any) -> tuple[FloatArray, FloatArray]:
    """Give FPR and TPR at few thresholds, spread over both classes."""
    pair: tuple[Any, ...] = roc._pair
    every = roc._engine is steps and sum(len(d.points) for d in pair) <= 2 * _DRAWN
    inner = np.concatenate([d.points if every else _spread_over(d, quick=is_closed(roc)) for d in pair])
    thresholds = np.concatenate([[np.inf], np.sort(inner)[::-1], [-np.inf]])
    fpr, tpr = (np.asarray(d.at_or_above(thresholds)) for d in pair)
    fpr[0] = tpr[0] = 0.0  # at infinity: also when a value is infinite
    return fpr, tpr


def _spread_over(distribution: Any, *, quick: bool) -> FloatArray:
    """Give quantiles; where each takes a search, only some, and between them values at even steps."""
    shares = ndtr(np.linspace(-4, 4, _DRAWN if quick else _SEARCHED))
    found = np.asarray(distribution.isf(shares))
    return found if quick else np.interp(np.linspace(0, _SEARCHED - 1, _DRAWN), np.arange(_SEARCHED), found)


def _in_words(distribution: Any) -> str:
    """Say what a class is taken for."""
    if not isinstance(distribution, Shrunk):
        return repr(distribution)
    share = f"{1 - distribution.weight:.4g} of it the model's"
    return f"{distribution.sample.total:g} cases shrunk to {distribution.model!r}, {share}"


def held(distribution: Any) -> int:
    """Give how many values a distribution sums over for one answer, as far as they make it slow."""
    if isinstance(distribution, Shrunk):
        return 20 * held(distribution.model) + int(distribution.sample.total)
    if hasattr(distribution, "base"):
        return held(distribution.base)
    return len(distribution.components.weights) if hasattr(distribution, "components") else 0
