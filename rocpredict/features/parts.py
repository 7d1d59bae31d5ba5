"""Where the numbers of a table come from, and how it is given in parts of columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rocpredict.arguments import to_floats
from rocpredict.features.columns import as_numbers

BLOCK_BYTES = 32 * 2**20
"""How much memory one part of a table may take that is made for the purpose; the next is made beside it."""

Parts: TypeAlias = Iterator[tuple[slice, Any]]
Chosen: TypeAlias = NDArray[np.intp]


class Source(Protocol):
    """What holds a table: it gives its columns in parts, and one column as labels."""

    shape: tuple[int, int]

    def parts(self, chosen: Chosen | None) -> Parts:
        """Give the chosen columns (None: all), each part with its place among them."""

    def labels(self, column: int) -> NDArray[Any]:
        """Give one column as it stands."""

    def check(self, chosen: Chosen | None) -> None:
        """Refuse chosen columns that cannot be read as numbers."""


class Dense:
    """Hold an array of numbers: all of it is one part, and so are neighbouring columns."""

    def __init__(self, array: NDArray[Any]) -> None:
        self.array = array
        self.shape: tuple[int, int] = array.shape

    def parts(self, chosen: Chosen | None) -> Parts:
        """Give views where the columns are neighbours, else copies in blocks."""
        span = None if chosen is None else neighbours(chosen)
        if chosen is None:
            yield slice(0, self.shape[1]), self.array
            return
        if span is not None:
            yield slice(0, len(chosen)), self.array[:, span]
            return
        for place in slices(len(chosen), self.shape[0] * self.array.itemsize):
            yield place, np.asfortranarray(self.array[:, chosen[place]])

    def labels(self, column: int) -> NDArray[Any]:
        """Give one column."""
        return np.asarray(self.array[:, column])

    def check(self, chosen: Chosen | None) -> None:
        """Find nothing to refuse."""


class Sparse:
    """Hold a CSC or CSR matrix; parts are sparse too."""

    def __init__(self, matrix: Any) -> None:
        self.matrix = matrix
        self.shape: tuple[int, int] = matrix.shape

    def parts(self, chosen: Chosen | None) -> Parts:
        """Give the matrix itself, or chosen columns in blocks."""
        if chosen is None:
            yield slice(0, self.shape[1]), self.matrix
            return
        entry = self.matrix.data.itemsize + self.matrix.indices.itemsize
        for place in slices(len(chosen), entry * self.matrix.nnz // self.shape[1]):
            yield place, self.matrix[:, chosen[place]]

    def labels(self, column: int) -> NDArray[Any]:
        """Give one column, zeros and all."""
        return np.asarray(self.matrix[:, [column]].toarray()[:, 0])

    def check(self, chosen: Chosen | None) -> None:
        """Find nothing to refuse."""


class Blocks:
    """Hold a table whose columns are fetched, in blocks under a budget of memory."""

    shape: tuple[int, int]

    def parts(self, chosen: Chosen | None) -> Parts:
        """Give Fortran-ordered blocks."""
        wanted = np.arange(self.shape[1]) if chosen is None else chosen
        dtype = np.dtype(self.dtype(wanted))
        for place in slices(len(wanted), self.shape[0] * dtype.itemsize):
            made = np.empty((self.shape[0], len(wanted[place])), dtype=dtype, order="F")
            self.fill(made, wanted[place])
            yield place, made

    def dtype(self, chosen: Chosen) -> Any:
        """Give what the chosen columns are read as."""
        return np.float64

    def fill(self, made: NDArray[Any], chosen: Chosen) -> None:
        """Write the chosen columns into an array."""
        raise NotImplementedError

    def check(self, chosen: Chosen | None) -> None:
        """Find nothing to refuse."""


class Columns(Blocks):
    """Hold columns that become numbers one by one; those that hold none are NaN."""

    def __init__(self, names: Sequence[str], rows: int, column: Callable[[int], NDArray[Any]]) -> None:
        self.shape = rows, len(names)
        self.labels = column
        self._names = names

    def check(self, chosen: Chosen | None) -> None:
        """Refuse columns of objects that are partly numbers."""
        for index in range(self.shape[1]) if chosen is None else chosen.tolist():
            column = self.labels(index)
            if column.dtype.kind not in "biuf":
                as_numbers(self._names[index], column)

    def fill(self, made: NDArray[Any], chosen: Chosen) -> None:
        """Write the chosen columns as float64."""
        for place, index in enumerate(chosen.tolist()):
            numbers = as_numbers(self._names[index], self.labels(index))
            made[:, place] = np.nan if numbers is None else numbers


class Sliced(Blocks):
    """Hold an array that lies elsewhere (HDF5, zarr, Dask) and is fetched by slices of columns."""

    def __init__(self, array: Any) -> None:
        self.array = array
        self.shape = array.shape

    def dtype(self, chosen: Chosen) -> Any:
        """Give float32 where that is what the array holds."""
        return np.float32 if self.array.dtype == np.float32 else np.float64

    def fill(self, made: NDArray[Any], chosen: Chosen) -> None:
        """Fetch neighbouring columns in one go."""
        for first, run in runs(chosen):
            fetched = np.asarray(self.array[:, run])
            floats = to_floats("X", fetched) if fetched.dtype.kind in "iu" else fetched
            made[:, first : first + floats.shape[1]] = floats

    def labels(self, column: int) -> NDArray[Any]:
        """Give one column."""
        return np.asarray(self.array[:, column])


def neighbours(chosen: Chosen) -> slice | None:
    """Give the slice that the columns are, if they are neighbours in their order."""
    if not len(chosen) or (np.diff(chosen) != 1).any():
        return None
    return slice(int(chosen[0]), int(chosen[-1]) + 1)


def runs(chosen: Chosen) -> Iterator[tuple[int, slice]]:
    """Give the slices of neighbours that columns fall into, and where each of them begins."""
    if len(chosen):
        for run in np.split(np.arange(len(chosen)), np.flatnonzero(np.diff(chosen) != 1) + 1):
            yield int(run[0]), slice(int(chosen[run[0]]), int(chosen[run[-1]]) + 1)


def slices(count: int, column_bytes: int) -> Iterator[slice]:
    """Cut ``count`` columns into blocks under the budget, one column at least in each."""
    width = max(1, BLOCK_BYTES // max(1, column_bytes))
    for start in range(0, count, width):
        yield slice(start, min(start + width, count))
