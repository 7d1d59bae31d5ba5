"""What the picture of a diagnosis shows, computed once."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from rocpredict.arguments import FloatArray
from rocpredict.diagnosis.measured import GRID, Sorted, gaps, normal_scores, pair_of, places
from rocpredict.diagnosis.results import Densities, Drawn, Quantiles
from rocpredict.distributions import Distribution
from rocpredict.empirical import EmpiricalRoc
from rocpredict.predictor import PredictedRoc

_POINTS = 301
_BINS = (5, 40)
_FAR = 5
"""How many interquartile ranges beyond its quartiles a class is drawn at most."""
_MARGIN = 0.04


def drawn(roc: PredictedRoc, empirical: EmpiricalRoc, samples: Sorted, bands: tuple[FloatArray, FloatArray]) -> Drawn:
    """Gather the curves, the quantiles and the densities."""
    mirrored = roc.direction == "lower"
    pair = zip(pair_of(roc), samples, bands, strict=True)
    quantiles = [_quantiles(d, values, band, mirrored=mirrored) for d, values, band in pair]
    edges, x = _span((empirical.negative.ordered, empirical.positive.ordered))
    sides = (roc.negative, empirical.negative.ordered), (roc.positive, empirical.positive.ordered)
    densities = [_densities(d, values, edges, x) for d, values in sides]
    predicted = np.asarray(roc.tpr_at_fpr(GRID))
    heights = GRID, predicted, predicted - gaps(roc, samples)
    return Drawn(roc.curve(), empirical.curve(), heights, (quantiles[0], quantiles[1]), (densities[0], densities[1]))


def _quantiles(distribution: Distribution, values: FloatArray, band: FloatArray, *, mirrored: bool) -> Quantiles:
    """Give normal scores in the order of the feature: of a mirrored rule they were in the other."""
    ranks = places(len(values))
    expected = ndtri((ranks + 0.5) / len(values))
    fitted = normal_scores(distribution, values[ranks])
    if mirrored:
        return Quantiles(-expected[::-1], -fitted[::-1], -band[1][::-1], -band[0][::-1])
    return Quantiles(expected, fitted, band[0], band[1])


def _span(samples: tuple[FloatArray, FloatArray]) -> tuple[FloatArray, FloatArray]:
    """Give the edges of bins, and the values at which densities are drawn.

    Bins are as narrow as the narrower class needs. Rows far beyond the quartiles of both classes are in one wide bin on
    either side, most of it outside the picture: else a few of them would leave all others no room.
    """
    first, last = min(x[0] for x in samples), max(x[-1] for x in samples)
    exponent = int(np.frexp(max(abs(first), abs(last)))[1])
    edges, x = _span_of_scaled(tuple(np.ldexp(x, -exponent) for x in samples))
    with np.errstate(over="ignore"):
        edges, x = np.nan_to_num(np.ldexp(edges, exponent)), np.nan_to_num(np.ldexp(x, exponent))
    edges = np.clip(edges, first, last) if first < last else edges
    return np.unique(np.concatenate([[first], edges, [last]])), x


def _span_of_scaled(samples: tuple[FloatArray, ...]) -> tuple[FloatArray, FloatArray]:
    """Give the same of values within [-1, 1], where no difference overflows."""
    first, last = min(x[0] for x in samples), max(x[-1] for x in samples)
    quartiles = np.array([np.quantile(x, (0.25, 0.75)) for x in samples])
    spreads = quartiles[:, 1] - quartiles[:, 0]
    far = _FAR * spreads[:, None] * [-1, 1]
    low, high = np.clip([(quartiles + far)[:, 0].min(), (quartiles + far)[:, 1].max()], first, last)
    if not (spreads > 0).all():
        low, high = first, last
    pad = float(_MARGIN * (high - low)) or 0.1 * abs(low) or 1.0
    high = high if high > low else low + pad
    return np.linspace(low, high, _bins(samples, spreads, high - low) + 1), np.linspace(low - pad, high + pad, _POINTS)


def _bins(samples: tuple[FloatArray, ...], spreads: FloatArray, span: float) -> int:
    """Give how many bins a span needs for the narrower class: by Freedman and Diaconis (1981), within bounds."""
    counts = np.array([len(x) for x in samples])
    with np.errstate(divide="ignore", over="ignore"):
        needed = span * np.cbrt(counts) / (2 * spreads)
    by_count = 2 * counts.max() ** (1 / 3)
    return int(np.clip(np.ceil(max(by_count, needed.max(where=spreads > 0, initial=0))), *_BINS))


def _densities(distribution: Distribution, values: FloatArray, edges: FloatArray, x: FloatArray) -> Densities:
    with np.errstate(over="ignore"):
        density = np.asarray(distribution.pdf(x))
        counted = np.histogram(values, edges)[0] / len(values) / np.diff(edges)
    return Densities(x, np.where(np.isfinite(density), density, 0.0), edges, counted)
