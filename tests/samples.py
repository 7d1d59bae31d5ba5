"""Samples that several tests draw, their conversion to a feature with labels, and comparison of all pairs of values."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def labelled(negative: ArrayLike, positive: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the values of both samples in one array, and their labels 0 and 1."""
    return np.concatenate([negative, positive]), np.repeat([0, 1], [np.size(negative), np.size(positive)])


def two_normals(
    sizes: tuple[int, int], seed: int = 0, *, shift: float = 1.0, std: float = 1.3, decimals: int | None = None
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return a sample of N(0, 1) and one of N(shift, std)."""
    rng = np.random.default_rng(seed)
    samples = rng.normal(size=sizes[0]), rng.normal(shift, std, size=sizes[1])
    return samples if decimals is None else (samples[0].round(decimals), samples[1].round(decimals))


def correlated(
    sizes: tuple[int, int], seed: int = 0, shifts: tuple[float, ...] = (1.4, 1.0)
) -> tuple[list[NDArray[Any]], NDArray[Any]]:
    """Return correlated features of the same rows, and the labels 0 and 1 of the rows."""
    rng, y = np.random.default_rng(seed), np.repeat([0, 1], sizes)
    shared = rng.normal(size=len(y))
    return [y * shift + shared + rng.normal(size=len(y)) for shift in shifts], y


def usual_features(seed: int, rows: int) -> tuple[np.random.Generator, NDArray[Any], list[NDArray[Any]]]:
    """Return a generator, labels "well" and "sick", and features: normal, skewed, tied, binary, lower in positives."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(rows) < 0.4, "sick", "well")
    sick = y == "sick"
    columns = [
        rng.normal(size=rows) + sick,
        rng.exponential(size=rows) * np.where(sick, 2, 1),
        rng.integers(0, 5, rows) + sick,
        (rng.random(rows) < np.where(sick, 0.6, 0.2)).astype(float),
        rng.normal(size=rows) - 2 * sick,
    ]
    return rng, y, columns


def clusters_of_two(y: NDArray[Any]) -> NDArray[Any]:
    """Return a cluster for each row: two rows of a class are one cluster."""
    clusters = np.empty(len(y), dtype=int)
    for label in (0, 1):
        clusters[y == label] = np.arange(np.sum(y == label)) // 2
    return clusters


def pair_wins(negative: ArrayLike, positive: ArrayLike) -> NDArray[Any]:
    """Return for each positive (row) and negative (column) 1 if the positive is larger, 1/2 for a tie, otherwise 0."""
    column = np.asarray(positive)[:, None]
    return np.asarray((column > negative) + (column == negative) / 2)
