"""What a bootstrap of a whole curve gives: the operating points of every resample, many at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from rocpredict import steps
from rocpredict.arguments import FloatArray
from rocpredict.curve import area_under, heights_at
from rocpredict.distributions import Ecdf
from rocpredict.inference.bootstrap import Resampling, cumulated
from rocpredict.inference.placements import Band
from rocpredict.labels import MOST_CASES
from rocpredict.measures import Rates
from rocpredict.thresholds import Target, counted_utility

_ROUNDING = 1e-14


class Points(NamedTuple):
    """The operating points of a chunk of resamples at the vertices of the sample, shapes (B, vertices)."""

    tpr: FloatArray
    fpr: FloatArray
    out_of_bag_tpr: Callable[[FloatArray], FloatArray]
    out_of_bag_fpr: Callable[[FloatArray], FloatArray]
    """What a vertex, one for each resample, gives on the rows that were not drawn; NaN where all were."""

    def area(self, band: Band) -> FloatArray:
        """Give the area in a band, shape (B,)."""
        if band.axis == "fpr":
            return np.asarray(area_under(self.fpr, self.tpr, band.low, band.high))
        return np.asarray(area_under(self.tpr, 1 - self.fpr, band.low, band.high))


class Choices(NamedTuple):
    """The threshold that each resample chooses, and what it does there; shapes (n_resamples,)."""

    thresholds: FloatArray
    tpr: FloatArray
    fpr: FloatArray
    out_of_bag_ameans: FloatArray
    """On the rows that were not drawn; NaN where a class has none."""


def as_cases(sample: Ecdf) -> Ecdf:
    """Give a sample with whole weights as the repeated rows that it stands for."""
    weights = sample.ordered_weights
    if weights is None or sample.total > MOST_CASES or (weights != np.round(weights)).any():
        return sample
    return Ecdf(np.repeat(sample.ordered, weights.astype(np.intp)))


def resampled_points(negative: Ecdf, positive: Ecdf, resampling: Resampling) -> Iterator[Points]:
    """Give the operating points of every resample, a chunk at a time."""
    weights = negative.ordered_weights, positive.ordered_weights
    rows = len(negative.ordered), len(positive.ordered)
    points = points_maker(negative, positive)
    for counts in resampling.counts(weights, rows, held=10 * sum(rows)):
        yield points(*counts)


def points_maker(negative: Ecdf, positive: Ecdf) -> Callable[[FloatArray, FloatArray], Points]:
    """Give the function that takes how often each value of ``ordered`` is drawn to the operating points."""
    pair = negative, positive
    upper = steps.vertices(negative, positive).high
    places = [np.searchsorted(d.ordered, upper, side="left") for d in pair]
    for place, d in zip(places, pair, strict=True):
        place[0] = len(d.ordered)  # the first vertex calls nothing positive, not even an infinite value

    def points(*counts: FloatArray) -> Points:
        shares = [_share_from(drawn, place) for drawn, place in zip(counts, places, strict=True)]
        left_out = [
            _left_out(drawn, d.ordered_weights, place) for drawn, d, place in zip(counts, pair, places, strict=True)
        ]
        return Points(shares[1], shares[0], left_out[1], left_out[0])

    return points


def resampled_partial_areas(negative: Ecdf, positive: Ecdf, band: Band, resampling: Resampling) -> FloatArray:
    """Give the area in a band, as a share of its width, in each resample."""
    areas = [points.area(band) for points in resampled_points(negative, positive, resampling)]
    return np.asarray(np.concatenate(areas) / band.width)


def resampled_heights(negative: Ecdf, positive: Ecdf, fpr: FloatArray, resampling: Resampling) -> FloatArray:
    """Give the TPR at some FPRs in each resample: shape (n_resamples, FPRs)."""
    chunks = resampled_points(negative, positive, resampling)
    return np.concatenate(
        [np.column_stack([heights_at(points.fpr, points.tpr, at) for at in fpr]) for points in chunks]
    )


def resampled_choices(negative: Ecdf, positive: Ecdf, target: Target, resampling: Resampling) -> Choices:
    """Choose the best threshold anew in each resample."""
    v = steps.vertices(negative, positive)
    chunks = [_choices(points, v, target) for points in resampled_points(negative, positive, resampling)]
    return Choices(*(np.concatenate(parts) for parts in zip(*chunks, strict=True)))


def _choices(points: Points, v: steps.Vertices, target: Target) -> Choices:
    tpr, fpr = points.tpr, points.fpr
    utility = _utility(target, tpr, fpr)
    chosen = _middle(utility >= utility.max(axis=1, keepdims=True) - _ROUNDING)
    at = np.arange(len(chosen)), chosen
    out_of_bag = (1 + points.out_of_bag_tpr(chosen) - points.out_of_bag_fpr(chosen)) / 2
    return Choices(v.thresholds[chosen], tpr[at], fpr[at], out_of_bag)


def _utility(target: Target, tpr: FloatArray, fpr: FloatArray) -> FloatArray:
    """Give what a criterion maximises; a function is asked row by row, as it is elsewhere."""
    if not callable(target.criterion):
        return counted_utility(target, Rates(tpr, fpr, 1 - fpr, 1 - tpr, target.prevalence))
    rows = zip(tpr, fpr, strict=True)
    return np.array([counted_utility(target, Rates(t, f, 1 - f, 1 - t, target.prevalence)) for t, f in rows])


def _middle(good: Any) -> Any:
    """Give the index of the middle one of the True in each row."""
    rank = np.cumsum(good, axis=1)
    return np.argmax(good & (rank == (rank[:, -1:] + 1) // 2), axis=1)


def _share_from(drawn: FloatArray, place: Any) -> FloatArray:
    """Give the share of a resampled class from some places of its order on."""
    below = cumulated(drawn)
    total = below[:, -1:]
    return np.asarray((total - below.take(place, axis=1)) / total)


def _left_out(drawn: FloatArray, weights: Any, place: Any) -> Callable[[FloatArray], FloatArray]:
    """Give the function that tells the share of the cases not drawn from a vertex on.

    Of a value that stands for w cases and is drawn k times, w (1 - 1/w)^k are left out on the average.
    """

    def share(chosen: Any) -> FloatArray:
        if weights is None:
            below = cumulated((drawn == 0).astype(np.float64))
        else:
            below = cumulated(weights * (1 - 1 / np.maximum(weights, 1)) ** drawn)
        total = below[:, -1]
        with np.errstate(invalid="ignore"):
            return np.asarray((total - below[np.arange(len(chosen)), place[chosen]]) / total)

    return share
