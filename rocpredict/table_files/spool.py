"""Numbers read once and kept for as long as they are needed, in memory or in a temporary file."""

from __future__ import annotations

import tempfile
from typing import Any
from weakref import finalize

import numpy as np
from numpy.typing import NDArray

from rocpredict.arguments import FloatArray
from rocpredict.errors import RocPredictError
from rocpredict.features.parts import Blocks, Chosen, runs

MEMORY_BYTES = 32 * 2**20
"""Up to which a table stays in memory."""


class Spool(Blocks):
    """Hold float64 columns, written in pieces of rows and read in blocks of columns."""

    def __init__(self, columns: int) -> None:
        self.shape = 0, columns
        self._file = tempfile.SpooledTemporaryFile(max_size=MEMORY_BYTES)  # noqa: SIM115
        self._pieces: list[tuple[int, int]] = []
        finalize(self, self._file.close)

    def append(self, piece: FloatArray) -> None:
        """Add rows: Fortran-ordered, shape (rows, columns).

        Raises
        ------
        RocPredictError
            No room for the temporary file.
        """
        try:
            self._pieces.append((self._file.tell(), len(piece)))
            self._file.write(piece.T.tobytes())
        except OSError as error:
            raise RocPredictError(
                f"numbers cannot be kept in {tempfile.gettempdir()}: {error.strerror or error}; "
                "the environment variable TMPDIR names another folder"
            ) from None
        self.shape = self.shape[0] + len(piece), self.shape[1]

    def fill(self, made: NDArray[Any], chosen: Chosen) -> None:
        """Read the chosen columns back."""
        row = 0
        for offset, rows in self._pieces:
            for first, run in runs(chosen):
                width = run.stop - run.start
                self._file.seek(offset + 8 * rows * run.start)
                floats = np.frombuffer(self._file.read(8 * rows * width))
                made[row : row + rows, first : first + width] = floats.reshape((rows, width), order="F")
            row += rows

    def labels(self, column: int) -> NDArray[Any]:
        """Give one column."""
        made = np.empty((self.shape[0], 1))
        self.fill(made, np.array([column]))
        return made[:, 0]
