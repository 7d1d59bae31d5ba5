"""Count exactly where the values of each class lie among another's, for every feature of a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from rocpredict.arguments import FloatArray, shown
from rocpredict.errors import RocPredictError
from rocpredict.kernels.counts_groups import Contrast, grouped
from rocpredict.kernels.counts_parts import Counts
from rocpredict.kernels.counts_reading import Reader, readers
from rocpredict.kernels.engines import chosen
from rocpredict.kernels.threads import in_order

__all__ = ["Contrast", "Counts", "count_blocks"]

Answer = TypeVar("Answer")


def count_blocks(
    X: Any,
    codes: NDArray[np.integer[Any]],
    classes: int,
    contrasts: Sequence[Contrast],
    *,
    thresholds: FloatArray | None = None,
    grid: int = 64,
    features: NDArray[np.integer[Any]] | None = None,
    engine: str = "auto",
    n_jobs: int = 1,
    finish: Callable[[slice, Counts], Answer],
) -> Iterator[Answer]:
    """Count block after block of the features of a table.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, p)
        Real numbers, dense in any order, or CSC or CSR. NaN is missing; infinities are ranked. Never written to,
        nor copied whole.
    codes : array of shape (n,)
        The class of each row, from 0 on; -1 for a row of no class.
    classes : int
        How many classes there are.
    contrasts : sequence of Contrast
        T of them.
    thresholds : array of shape (T, features), optional
        Compared as float64, whatever the dtype of X; NaN for none.
    grid : int
        At how many FPRs the height of the curve is told.
    features : array of int, optional
        Which columns, each once, in which order; all by default.
    engine : {"auto", "numpy", "numba"}
    n_jobs : int
        Threads. The answer does not depend on it.
    finish : callable
        Called with the place of a block among the features and its counts, in the thread that counted them.

    Yields
    ------
    Answer
        What ``finish`` gives, in the order of the features.

    Raises
    ------
    RocPredictError
        An unknown engine, thresholds of another shape, a feature named twice, integers that float64 cannot hold.

    Notes
    -----
    Each class is sorted by itself, and two sorted classes are counted in one pass. Sums are those of whole numbers
    and exact; variances are those of DeLong, DeLong and Clarke-Pearson (1988), from placement values as in Sun and
    Xu (2014). Of a sparse column only what is stored is sorted; its zeros are one block of ties.

    Examples
    --------
    >>> X, codes = np.array([[1.0], [2.0], [2.0], [3.0]]), np.array([0, 0, 1, 1])
    >>> blocks = count_blocks(X, codes, 2, [Contrast((0,), 1)], finish=lambda block, counts: counts.area)
    >>> next(blocks)
    array([[0.875]])
    """
    columns = np.arange(X.shape[1]) if features is None else np.asarray(features, dtype=np.intp)
    if len(np.unique(columns)) < len(columns):
        raise RocPredictError(f"features={shown(columns.tolist())} names a column twice; name each once")
    at = _thresholds(thresholds, (len(contrasts), len(columns)))
    groups = grouped(codes, classes, contrasts)
    name = chosen(engine)
    reading = import_module(f"rocpredict.kernels.counts_reading_{name}")
    tally = import_module(f"rocpredict.kernels.counts_{name}").tally

    def count(reader: Reader) -> Callable[[slice], Answer]:
        return lambda block: finish(block, tally(reader.read(block), groups.pairs, at[:, block], grid))

    for reader in readers(X, codes, groups, columns, reading):
        yield from in_order(count(reader), reader.blocks, n_jobs)


def _thresholds(thresholds: FloatArray | None, shape: tuple[int, int]) -> FloatArray:
    if thresholds is None:
        return np.full(shape, np.nan)
    if np.shape(thresholds) != shape:
        raise RocPredictError(
            f"thresholds has shape {np.shape(thresholds)}; give one for each contrast and feature: {shape}"
        )
    return np.asarray(thresholds, dtype=np.float64)
