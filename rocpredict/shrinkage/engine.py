"""The questions of a ROC curve for two shrunk classes: an atom at every row, smooth between them.

The rule is "positive when x >= threshold". Between two neighbouring rows and normal scores of the models everything is
smooth, so one short rule of quadrature serves each piece, and crossings of the densities are looked for there.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.special import ndtr

from rocpredict import numeric
from rocpredict.answers import Optimum
from rocpredict.arguments import FloatArray
from rocpredict.distributions import Shrunk, Transformed
from rocpredict.flags import Flags
from rocpredict.numeric.search import false_position, log_ratio

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(8)
_LEVEL = 1e-12
_LARGEST = np.finfo(float).max
_LOWER = ndtr(-np.concatenate([np.arange(0, 6, 0.5), np.arange(6, 37.5, 1.0)]))
"""Tails of the models between whose quantiles a piece lies."""


def __getattr__(question: str) -> Any:
    """Ask the numeric search whatever is not answered here."""
    return getattr(numeric, question)


def auc(negative: Shrunk, positive: Shrunk) -> FloatArray:
    """Give P(positive > negative) + P(tie)/2."""
    return _mean(positive, negative, lambda x: (np.asarray(negative.below(x)) + negative.cdf(x)) / 2)


def auc_complement(negative: Shrunk, positive: Shrunk) -> FloatArray:
    """Give P(positive < negative) + P(tie)/2."""
    return _mean(positive, negative, lambda x: (np.asarray(negative.sf(x)) + negative.at_or_above(x)) / 2)


def log_auc_complement(negative: Shrunk, positive: Shrunk) -> FloatArray:
    """Give the logarithm of ``auc_complement``."""
    with np.errstate(divide="ignore"):
        return np.log(auc_complement(negative, positive))


def crossings(negative: Shrunk, positive: Shrunk, log_kappa: FloatArray) -> FloatArray:
    """Give all thresholds where f1 - kappa f0 changes its sign between the rows, or at one, ascending."""
    ratio = log_ratio(negative, positive)

    def level(x: FloatArray) -> FloatArray:
        with np.errstate(invalid="ignore"):
            return ratio(x) - log_kappa

    at = _edges_and_sides(negative, positive)
    values = level(at)
    signed = np.isfinite(values) & (values != 0)
    at, values = at[signed], values[signed]
    turns = np.flatnonzero((values[:-1] > 0) != (values[1:] > 0))
    low, high = at[turns], at[turns + 1]
    smooth = np.nextafter(low, np.inf) < high  # else it jumps, at a row
    left, right = low[smooth], high[smooth]
    ends = values[turns][smooth], values[turns + 1][smooth]
    share = false_position(
        lambda share: level(left * (1 - share) + right * share),
        np.zeros(len(left)),
        np.ones(len(left)),
        *ends,
        tolerance=_LEVEL,
    )
    high[smooth] = left * (1 - share) + right * share
    return np.asarray(high)


def best(negative: Shrunk, positive: Shrunk, log_kappa: FloatArray) -> Optimum:
    """Give the threshold that maximises TPR - kappa FPR: a row, just above one, a crossing or an end."""
    with np.errstate(over="ignore"):
        kappa = np.exp(log_kappa)
    found = crossings(negative, positive, log_kappa)
    edges = _edges(negative, positive)  # with the rows; quantiles serve where a model is all but an atom
    candidates = np.concatenate([[np.inf, -np.inf], found, edges, _beside(edges, np.inf)])
    fnr, fpr = np.asarray(positive.below(candidates)), np.asarray(negative.at_or_above(candidates))
    with np.errstate(invalid="ignore", over="ignore"):
        loss = np.where(np.isfinite(kappa), fnr + kappa * fpr, np.where(fpr > 0, np.inf, fnr))
    threshold = candidates[np.argmin(loss)]
    tpr, fnr = np.asarray(positive.at_or_above(threshold)), np.asarray(positive.below(threshold))
    fpr, tnr = np.asarray(negative.at_or_above(threshold)), np.asarray(negative.below(threshold))
    flags = Flags(
        always_negative=threshold == np.inf,
        always_positive=threshold == -np.inf,
        no_benefit=float(log_kappa) == 0 and tpr <= fpr,
        perfect_separation=fpr == 0 and fnr == 0,
    )
    return Optimum(
        np.asarray(threshold), tpr, fpr, tnr, fnr, np.asarray(threshold), np.asarray(threshold), found, flags
    )


@lru_cache(maxsize=32)
def _edges(negative: Shrunk, positive: Shrunk) -> FloatArray:
    models = [d.model for d in (negative, positive)]
    quantiles = [np.asarray(tail(_LOWER)) for model in models for tail in (model.ppf, model.isf)]
    points = np.concatenate([negative.sample.points, positive.sample.points, *quantiles])
    return np.unique(np.clip(points, -_LARGEST, _LARGEST))


def _edges_and_sides(negative: Shrunk, positive: Shrunk) -> FloatArray:
    """Give the edges, and the floats beside the rows: a pulled density jumps there."""
    rows = _rows(negative, positive)
    sides = [_beside(rows, end) for end in (-np.inf, np.inf)]
    points = np.unique(np.concatenate([_edges(negative, positive), *sides]))
    return np.asarray(points[np.isfinite(points)])


def _beside(rows: FloatArray, end: float) -> FloatArray:
    with np.errstate(over="ignore"):
        return np.nextafter(rows, end)


def _rows(negative: Shrunk, positive: Shrunk) -> FloatArray:
    return np.union1d(negative.sample.points, positive.sample.points)


def _mean(over: Shrunk, other: Shrunk, height: Callable[[FloatArray], FloatArray]) -> FloatArray:
    """Give the mean of a height over a class: at its rows, and piece by piece between the edges."""
    points, masses = over.atoms()
    edges = _edges(over, other)
    left, right = edges[:-1], edges[1:]
    upper, lower = np.asarray(over.sf(left)) - over.at_or_above(right), np.asarray(over.below(right)) - over.cdf(left)
    mass = np.maximum(0.0, np.where(np.asarray(over.cdf(left)) > 0.5, upper, lower))
    x, level = _between(over, left, right)
    highest = level.max(axis=-1, keepdims=True)
    density = np.exp(level - np.where(np.isfinite(highest), highest, 0.0)) * _WEIGHTS  # narrow pieces overflow else
    total = density.sum(axis=-1)
    heights = height(x)
    with np.errstate(divide="ignore", invalid="ignore"):
        between = np.where(total > 0, np.sum(density * heights, axis=-1) / total, heights @ _WEIGHTS / 2)
    beyond = np.array([over.below(edges[0]), over.sf(edges[-1])])  # none, but where a quantile overflows
    outside = (height(edges[[0, -1]]) + height(np.array([-np.inf, np.inf]))) / 2
    return np.asarray(masses @ np.asarray(height(points)) + mass @ between + beyond @ outside)


def _between(d: Shrunk, left: FloatArray, right: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Give places in each piece, and the logarithm of the density there: on the axis where the model is Gaussian."""
    if isinstance(d.model, Transformed):
        transform = d.model.transform
        start, end = transform.forward(left), transform.forward(right)
        if np.isfinite(start).all() and np.isfinite(end).all():
            x = transform.inverse((start / 2 + end / 2)[:, None] + (end / 2 - start / 2)[:, None] * _NODES)
            x = np.clip(x, left[:, None], right[:, None])
            return x, np.asarray(d.logpdf(x)) - transform.log_slope(x)
    x = (left / 2 + right / 2)[:, None] + (right / 2 - left / 2)[:, None] * _NODES
    return x, np.asarray(d.logpdf(x))
