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
    """Give the edges of bins, and the values at which densities are drawn."""
    low, high = min(x[0] for x in samples), max(x[-1] for x in samples)
    pad = float(_MARGIN * high - _MARGIN * low) or 0.1 * abs(low) or 1.0
    bins = int(np.clip(np.ceil(2 * max(map(len, samples)) ** (1 / 3)), *_BINS))
    return _evenly(low, high if high > low else low + pad, bins + 1), _evenly(low - pad, high + pad, _POINTS)


def _evenly(low: float, high: float, points: int) -> FloatArray:
    """Give evenly spaced values, also where their span overflows."""
    share = np.linspace(0, 1, points)
    return low * (1 - share) + high * share


def _densities(distribution: Distribution, values: FloatArray, edges: FloatArray, x: FloatArray) -> Densities:
    density = np.asarray(distribution.pdf(x))
    counted = np.histogram(values, edges)[0] / len(values) / np.diff(edges)
    return Densities(x, np.where(np.isfinite(density), density, 0.0), edges, counted)
