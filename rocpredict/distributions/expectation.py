"""Expectation and maximisation for mixtures of Gaussians in one dimension, many starts at a time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rocpredict.arguments import FloatArray

_LOG_SQRT_2PI = 0.9189385332046727418
_DRAWN_STARTS = 4
_EARLY_STEPS = 20  # after which the most likely start alone goes on
_MOST_STEPS = 1000  # on a sample of up to as many values as there are groups
_LAST_STEPS = 100  # on a larger one, after those on its groups
_GROUPS = 1024  # of neighbouring values, on which a large sample's fit begins
_SETTLED = 1e-7  # of log-likelihood per row and step
_LEAST_STD = 0.01  # of the sample's
_FEW = 1e-200  # rows


class Fit(NamedTuple):
    """Hold mixtures, one for each start (shape (starts, k)) or one (shape (k,)), with their log-likelihoods."""

    weights: FloatArray
    means: FloatArray
    stds: FloatArray
    log_likelihood: FloatArray


def most_likely(x: FloatArray, counts: FloatArray, k: int, rng: np.random.Generator) -> Fit:
    """Give the most likely mixture that was found.

    Parameters
    ----------
    x : array of shape (n,)
        Ascending distinct values of mean 0 and standard deviation 1.
    counts : array of shape (n,)
        How many rows each stands for.
    k : int
    rng : numpy.random.Generator
    """
    floor = least_std(float(counts.sum()))
    few, few_counts = _grouped(x, counts)
    fits = starts(few, few_counts, k, rng, floor)
    for _ in range(_EARLY_STEPS if k > 1 else 1):
        fits = step(few, few_counts, fits, floor)
    best = int(np.argmax(fits.log_likelihood))
    fit = _settle(few, few_counts, Fit(*(part[best : best + 1] for part in fits)), floor, _MOST_STEPS)
    fit = _settle(x, counts, fit, floor, _LAST_STEPS)
    return Fit(*(part[0] for part in fit))


def _grouped(x: FloatArray, counts: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Give neighbouring values of a large sample as one, their mean: near enough to bring the fit close."""
    group = np.floor(np.cumsum(counts) * (_GROUPS / counts.sum()))
    first = np.flatnonzero(np.diff(group, prepend=-1.0))
    if len(x) <= _GROUPS or len(first) <= _GROUPS // 4:  # ties so large that few groups are left
        return x, counts
    rows = np.add.reduceat(counts, first)
    return np.add.reduceat(counts * x, first) / rows, rows


def _settle(x: FloatArray, counts: FloatArray, fit: Fit, floor: float, most: int) -> Fit:
    """Go on until a step adds next to nothing to the likelihood."""
    fit = fit._replace(log_likelihood=np.full(1, -np.inf))
    for _ in range(most):
        before, fit = fit, step(x, counts, fit, floor)
        if (fit.log_likelihood - before.log_likelihood <= _SETTLED * counts.sum()).all():
            break
    return fit


def by_bic(x: FloatArray, counts: FloatArray, rng: np.random.Generator, most: int) -> Fit:
    """Give the mixture with the smallest BIC, adding components until two more in a row have not lowered it."""
    fits: list[Fit] = []
    for k in range(1, most + 1):
        fits.append(most_likely(x, counts, k, rng))
        bic = [penalty(fit, counts.sum()) for fit in fits]
        if k - 1 - int(np.argmin(bic)) == 2:
            break
    return fits[int(np.argmin(bic))]


def penalty(fit: Fit, n: float) -> float:
    """Give the BIC: (3k - 1) log n - 2 log L."""
    return float((3 * len(fit.weights) - 1) * np.log(n) - 2 * fit.log_likelihood)


def least_std(n: float) -> float:
    """Give the smallest standard deviation of a component, in that of the sample."""
    return float(max(_LEAST_STD, n**-0.5))


def starts(x: FloatArray, counts: FloatArray, k: int, rng: np.random.Generator, floor: float) -> Fit:
    """Give where to start: at quantiles of the sample, and at rows drawn far apart (Arthur and Vassilvitskii 2007)."""
    ends = np.cumsum(counts)
    even = x[np.searchsorted(ends, (np.arange(k) + 0.5) / k * ends[-1])]
    drawn = [_far_apart(x, counts, k, rng) for _ in range(_DRAWN_STARTS if k > 1 else 0)]
    means = np.sort(np.array([even, *drawn]), axis=1)
    widths = np.array([max(1 / k, floor)]) if k > 1 else np.ones(1)
    shape = means.shape
    return Fit(np.full(shape, 1 / k), means, np.broadcast_to(widths, shape), np.full(len(means), -np.inf))


def _far_apart(x: FloatArray, counts: FloatArray, k: int, rng: np.random.Generator) -> FloatArray:
    chosen = [rng.choice(x, p=counts / counts.sum())]
    for _ in range(k - 1):
        chance = counts * np.min((x - np.array(chosen)[:, None]) ** 2, axis=0)
        chance = chance if chance.any() else counts  # values that are one as scores
        chosen.append(rng.choice(x, p=chance / chance.sum()))
    return np.array(chosen)


def step(x: FloatArray, counts: FloatArray, fit: Fit, floor: float) -> Fit:
    """Give the mixtures after one expectation and one maximisation, with the log-likelihoods before them."""
    z = (x - fit.means[..., None]) / fit.stds[..., None]
    level = (np.log(fit.weights) - np.log(fit.stds) - _LOG_SQRT_2PI)[..., None] - 0.5 * z * z
    top = level.max(axis=1, keepdims=True)
    np.exp(level - top, out=level)
    density = level.sum(axis=1, keepdims=True)
    log_likelihood = ((np.log(density) + top) @ counts)[:, 0]
    level *= counts / density
    rows = np.maximum(level.sum(axis=-1), np.finfo(float).tiny)  # a component without rows stays where it is
    means = np.where(rows > _FEW, (level @ x) / rows, fit.means)
    spread = np.einsum("skn,skn->sk", level, (x - means[..., None]) ** 2) / rows
    return Fit(rows / rows.sum(axis=1, keepdims=True), means, np.sqrt(np.maximum(spread, floor**2)), log_likelihood)
