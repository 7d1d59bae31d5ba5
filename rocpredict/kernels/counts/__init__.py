"""Count exactly where the values of each class lie among another's, for every feature of a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from rocpredict.arguments import FloatArray
from rocpredict.errors import RocPredictError
from rocpredict.kernels.counts.groups import Contrast, Groups, grouped
from rocpredict.kernels.counts.parts import Counts, Parts, PowerSums
from rocpredict.kernels.counts.reading import Reader, readers
from rocpredict.kernels.engines import chosen
from rocpredict.kernels.moments import Moments, moments
from rocpredict.kernels.threads import in_order

__all__ = ["Block", "Contrast", "Counts", "count_blocks"]

Answer = TypeVar("Answer")


class Block:
    """A block of features, each class of them sorted.

    Attributes
    ----------
    place : slice
        Where it lies among the features.
    """

    def __init__(self, place: slice, parts: Parts, groups: Groups, classes: int, engine: _Engine) -> None:
        self.place = place
        self._parts = parts
        self._groups = groups
        self._classes = classes
        self._engine = engine

    def moments(self, order: int = 2) -> Moments:
        """Give the moments of each class, as ``rocpredict.kernels.moments`` does; to be asked before ``counts``.

        Classes that stand by themselves in no contrast have none.
        """
        members = self._groups.members
        single = np.array([index for index, group in enumerate(members) if len(group) == 1], dtype=np.intp)
        codes = [members[index][0] for index in single]
        sums = self._engine.power_sums(self._parts, single, order)
        found = sums.moments()
        self._look_again(found, single, sums.doubtful())
        result = Moments.blank(self._classes, len(self._parts.first), order)
        parts: list[tuple[Any, Any]] = list(zip(result, found, strict=True))
        for held, field in parts:
            if held is not None:
                held[codes] = field
        return result

    def counts(self, thresholds: FloatArray | None = None, *, grid: int = 64) -> Counts:
        """Count every contrast, once: it uses up what was sorted.

        Parameters
        ----------
        thresholds : array of shape (T, features of the block), optional
            Compared as float64, whatever the dtype of X; NaN for none.
        grid : int
            At how many FPRs the height of the curve is told.
        """
        pairs = self._groups.pairs
        at = _thresholds(thresholds, (len(pairs), len(self._parts.first)))
        return self._engine.tally(self._parts, pairs, at, grid)

    def _look_again(self, found: Moments, groups: NDArray[np.intp], features: NDArray[np.intp]) -> None:
        """Read some features once more, with care for the ends of float64."""
        for feature in features.tolist():
            columns = [self._parts.column(feature, group) for group in groups.tolist()]
            codes = np.repeat(np.arange(len(groups)), [len(column) for column in columns])
            again = moments(np.concatenate(columns)[:, None], codes, len(groups), order=4 if found.order == 4 else 2)
            found.put([feature], again)


def count_blocks(
    X: Any,
    codes: NDArray[np.integer[Any]],
    classes: int,
    contrasts: Sequence[Contrast],
    *,
    engine: str = "auto",
    n_jobs: int = 1,
    finish: Callable[[Block], Answer],
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
    engine : {"auto", "numpy", "numba"}
    n_jobs : int
        Threads. The answer does not depend on it.
    finish : callable
        Called with each block, which it asks for moments and counts, in the thread that sorted it.

    Yields
    ------
    Answer
        What ``finish`` gives, in the order of the features.

    Raises
    ------
    RocPredictError
        An unknown engine, integers that float64 cannot hold.

    Notes
    -----
    Each class is sorted by itself, and two sorted classes are counted in one pass. Sums are those of whole numbers
    and exact; variances are those of DeLong, DeLong and Clarke-Pearson (1988), from placement values as in Sun and
    Xu (2014). Of a sparse column only what is stored is sorted; its zeros are one block of ties.

    Examples
    --------
    >>> X, codes = np.array([[1.0], [2.0], [2.0], [3.0]]), np.array([0, 0, 1, 1])
    >>> blocks = count_blocks(X, codes, 2, [Contrast((0,), 1)], finish=lambda block: block.counts().area)
    >>> next(blocks)
    array([[0.875]])
    """
    groups, counting = grouped(codes, classes, contrasts), _engine(engine)

    def count(reader: Reader) -> Callable[[slice], Answer]:
        return lambda place: finish(Block(place, reader.read(place), groups, classes, counting))

    for reader in readers(X, codes, groups, counting.reading):
        yield from in_order(count(reader), reader.blocks, n_jobs)


class _Engine(NamedTuple):
    """What one of the engines does."""

    reading: ModuleType
    power_sums: Callable[[Parts, NDArray[np.intp], int], PowerSums]
    tally: Callable[[Parts, NDArray[np.intp], FloatArray, int], Counts]


def _engine(name: str) -> _Engine:
    reading, summing, counting = (
        import_module(f"{__name__}.{chosen(name)}_{what}") for what in ("reading", "moments", "tally")
    )
    return _Engine(reading, summing.power_sums, counting.tally)


def _thresholds(thresholds: FloatArray | None, shape: tuple[int, int]) -> FloatArray:
    if thresholds is None:
        return np.full(shape, np.nan)
    if np.shape(thresholds) != shape:
        raise RocPredictError(
            f"thresholds has shape {np.shape(thresholds)}; give one for each contrast and feature: {shape}"
        )
    return np.asarray(thresholds, dtype=np.float64)
