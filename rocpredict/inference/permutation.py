"""Permutation tests."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rocpredict.base.validation import ArrayOrFloat, FloatArray, RocPredictError
from rocpredict.distributions.ecdf import Ecdf
from rocpredict.inference.bootstrap import BootstrapOptions

_MAX_EXACT_SIZE = 200  # of an exact test: beyond, its normal approximation is as good


def exact_auc_p_values(negative: FloatArray, positive: FloatArray) -> tuple[float, float, float]:
    """Return P(area <= seen), P(area >= seen) and P(as far from 1/2 as seen) if labels are exchanged at random.

    The distribution of the positives' rank sum is counted over all ways to choose as many cases, midranks for
    ties: exact for ties too (Streitberg and Roehmel 1986 call it the shift algorithm).
    """
    cases, size = len(negative) + len(positive), min(len(negative), len(positive))
    if cases > _MAX_EXACT_SIZE:
        raise RocPredictError(
            f"method='exact' counts all ways to label {cases} cases; from {_MAX_EXACT_SIZE + 1} on give 'mann-whitney'"
        )
    _, index, repeats = np.unique(np.concatenate([negative, positive]), return_inverse=True, return_counts=True)
    twice = (2 * np.cumsum(repeats) - repeats + 1)[index]  # two times the midrank: whole
    largest = int(np.sort(twice)[-size:].sum())
    chances = np.zeros((size + 1, largest + 1))
    chances[0, 0] = 1.0
    for n_before, rank in enumerate(twice.tolist()):
        top = min(n_before + 1, size)
        share = np.arange(top, 0, -1)[:, None] / (n_before + 1)  # keeps counts of ways as probabilities
        omitted_share = chances[: top + 1] * ((n_before + 1 - np.arange(top + 1)) / (n_before + 1))[:, None]
        omitted_share[1:, rank:] += chances[:top, : largest + 1 - rank] * share[::-1]
        chances[: top + 1] = omitted_share
    sums = chances[size]
    smaller = negative if len(negative) == size else positive
    observed = int(twice[: len(negative)].sum() if smaller is negative else twice[len(negative) :].sum())
    middle = size * (cases + 1)
    at = np.arange(largest + 1)
    low, high = float(sums[: observed + 1].sum()), float(sums[observed:].sum())
    two_sided = float(sums[np.abs(at - middle) >= abs(observed - middle)].sum())
    return (high, low, two_sided) if smaller is negative else (low, high, two_sided)


def tie_correction(negative: Ecdf, positive: Ecdf) -> float:
    """Return the sum of t^3 - t over the values, t cases of either class having the same one."""
    values = np.concatenate([negative.unique_values, positive.unique_values])
    counts = Ecdf(values, np.concatenate([negative.unique_weights, positive.unique_weights])).unique_weights
    return float(np.sum(counts**3 - counts))


def null_auc_variance(negatives: ArrayOrFloat, positives: ArrayOrFloat, ties: ArrayOrFloat) -> FloatArray:
    """Return the variance of areas if labels are exchanged at random, 0 where all values are tied.

    Of cases of each class, and of ties as ``tie_correction`` counts them: floats, or arrays of shape F.
    """
    cases = np.add(negatives, positives, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = cases + 1 - ties / (cases * (cases - 1))
        variance = spread / (12 * np.multiply(negatives, positives, dtype=np.float64))
    return np.where((cases > 1) & (spread > 1e-9 * cases), variance, 0.0)


def permute_paired_ranks(
    positive: FloatArray, ranks: FloatArray, statistic: str, resampling: BootstrapOptions
) -> tuple[float, FloatArray]:
    """Exchange the ranks that each case has on two curves, at random; return the statistic, and its replicates.

    ``positive`` and ``ranks``, shapes (n,) and (n, 2), tell the class of each case and its rank among all on each
    curve. The statistic is the difference of the "area"s, or the sum over all ranks of the difference of the numbers of
    "errors" that the two curves make when cut there (Venkatraman and Begg 1996). Where the sample has ties, those
    numbers are means over all orders of tied cases, so that the statistic of the sample does not depend on the seed;
    ranks of a sample without ties that coincide after an exchange are put in a random order.
    """
    rng = resampling.generator()
    sign = np.where(positive, 1.0, -1.0)
    has_ties = any(len(np.unique(column)) < len(column) for column in ranks.T)
    if statistic == "errors" and has_ties:
        statistic = "mean errors"
    if statistic == "errors":
        rng.random((len(ranks), 1))  # keeps the exchanges of earlier versions
    observed = _statistic(sign, ranks[None], statistic)[0]
    replicates = []
    for size in resampling.chunk_sizes(12 * len(ranks)):
        swapped = rng.random((size, len(ranks))) < 0.5
        exchanged = np.where(swapped[..., None], ranks[:, ::-1], ranks)
        if statistic == "errors":  # ranks that now coincide are put in a random order
            exchanged = exchanged + rng.random((size, len(ranks), 1)) / 2
        replicates.append(_statistic(sign, exchanged, statistic))
    return float(observed), np.concatenate(replicates)


def _statistic(sign: FloatArray, ranks: FloatArray, statistic: str) -> FloatArray:
    """Return the statistic of B pairs of rankings, shape (B, n, 2)."""
    if statistic == "area":
        areas = [_areas(sign > 0, ranks[..., curve]) for curve in (0, 1)]
        return areas[0] - areas[1]
    steps = [_mean_signs if statistic == "mean errors" else _signs] * 2
    errors = [np.cumsum(step(sign, ranks[..., curve]), axis=1) for curve, step in enumerate(steps)]
    return np.asarray(np.abs(errors[0] - errors[1]).sum(axis=1))


def _signs(sign: FloatArray, ranks: FloatArray) -> FloatArray:
    """Return the signs in the order of B rankings, shape (B, n)."""
    return np.asarray(sign[np.argsort(ranks, axis=1)])


def _mean_signs(sign: FloatArray, ranks: FloatArray) -> FloatArray:
    """Return the signs in the order of B rankings, of tied cases their mean."""
    order = np.argsort(ranks, axis=1)
    ordered, signs = np.take_along_axis(ranks, order, axis=1), sign[order]
    starts = np.concatenate([np.ones((len(ranks), 1), dtype=bool), np.diff(ordered, axis=1) > 0], axis=1)
    group = np.cumsum(starts.ravel()) - 1
    means = np.bincount(group, signs.ravel()) / np.bincount(group)
    return np.asarray(means[group].reshape(signs.shape))


def _areas(positive: NDArray[np.bool_], ranks: FloatArray) -> FloatArray:
    """Return the area of each of B rankings, shape (B, n), ties half."""
    from scipy.stats import rankdata

    midranks = rankdata(ranks, axis=1)
    positives = np.count_nonzero(positive)
    negatives = len(positive) - positives
    won = midranks[:, positive].sum(axis=1) - positives * (positives + 1) / 2
    return np.asarray(won / (positives * negatives))


def permute_samples(
    first: tuple[FloatArray, FloatArray],
    second: tuple[FloatArray, FloatArray],
    statistic: str,
    resampling: BootstrapOptions,
) -> tuple[float, FloatArray]:
    """Exchange cases of one class between two samples, at random (after Venkatraman 2000).

    Each value is first replaced by its place among the values of its own sample, both classes weighing the same:
    with equal curves these places are distributed alike in both samples, class by class, whatever the units.

    ``first`` and ``second`` have the values of the (negative, positive) class; the statistic is that of
    ``permute_paired_ranks``, the difference of the errors integrated over places.
    """
    rng = resampling.generator()
    places = [_pooled_midranks(*sample) for sample in (first, second)]
    pooled = [np.concatenate([places[0][k], places[1][k]]) for k in (0, 1)]
    sizes = len(first[0]), len(first[1])

    def distance(values: list[FloatArray]) -> float:
        parted = [np.split(values[k], [sizes[k]]) for k in (0, 1)]
        samples = [(parted[0][g], parted[1][g]) for g in (0, 1)]
        if statistic == "area":
            return _area(*samples[0]) - _area(*samples[1])
        grids = [_error_curve(*sample) for sample in samples]
        return float(np.abs(grids[0] - grids[1]).mean())

    replicates = [distance([rng.permutation(part) for part in pooled]) for _ in range(resampling.n_resamples)]
    return distance(pooled), np.array(replicates)


_N_GRID = (np.arange(400) + 0.5) / 400


def _pooled_midranks(negative: FloatArray, positive: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the share of both classes, each weighing one half, that lies below each value, ties half."""
    ordered = np.sort(negative), np.sort(positive)

    def place(x: FloatArray) -> FloatArray:
        counts = [np.searchsorted(part, x, "left") + np.searchsorted(part, x, "right") for part in ordered]
        return np.asarray(sum(count / (4 * len(part)) for count, part in zip(counts, ordered, strict=True)))

    return place(negative), place(positive)


def _error_curve(negative: FloatArray, positive: FloatArray) -> FloatArray:
    """Return (FNR + FPR)/2 where a share of both classes lies below the threshold, at a grid of such shares."""
    values = np.concatenate([negative, positive])
    order = np.argsort(values, kind="stable")
    step = np.repeat([1 / len(negative), 1 / len(positive)], [len(negative), len(positive)])[order] / 2
    sign = np.repeat([-1.0, 1.0], [len(negative), len(positive)])[order]
    last = np.flatnonzero(np.append(np.diff(values[order]) > 0, True))
    share = np.concatenate([[0.0], np.cumsum(step)[last]])
    errors = np.concatenate([[0.5], 0.5 + np.cumsum(step * sign)[last]])
    return np.asarray(np.interp(_N_GRID, share, errors))


def _area(negative: FloatArray, positive: FloatArray) -> float:
    ordered = np.sort(negative)
    below = np.searchsorted(ordered, positive, "left") + np.searchsorted(ordered, positive, "right")
    return float(below.mean() / (2 * len(negative)))
