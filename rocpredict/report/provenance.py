"""Where a report comes from: versions, day, seed and the hash of the data."""

from __future__ import annotations

import hashlib
import platform
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rocpredict.features import Features
from rocpredict.report.page import as_date
from rocpredict.tables import as_text

_AT_ONCE = 64  # features that are turned into columns together


class Footer(NamedTuple):
    """Hold what the foot of a report says."""

    date: str
    versions: tuple[tuple[str, str], ...]
    seed: str
    sha256: str | None


def footer(date: object, *, seed: str, sha256: str | None) -> Footer:
    """Give the foot of a report."""
    return Footer(as_date(date).isoformat(), versions(), seed, sha256)


def versions() -> tuple[tuple[str, str], ...]:
    """Name the software that computed, each with its version."""
    import scipy

    from rocpredict.version import __version__

    found = {"rocpredict": __version__, "numpy": np.__version__, "scipy": scipy.__version__}
    return (*found.items(), ("Python", platform.python_version()))


def data_hash(table: Features, labels: NDArray[Any]) -> str:
    """Give the SHA-256 of the columns that were read.

    Of each feature in its order: its name in UTF-8, a line feed, its values as little-endian float64, every missing
    one as the same NaN. Then each label in UTF-8 with a line feed.
    """
    digest = hashlib.sha256()
    for part, matrix in table.matrices():
        for start in range(part.start, part.stop, _AT_ONCE):
            stop = min(start + _AT_ONCE, part.stop)
            columns = as_columns(matrix[:, start - part.start : stop - part.start])
            for name, values in zip(table.names[start:stop].tolist(), columns, strict=True):
                digest.update(name.encode("utf-8", "surrogatepass") + b"\n")
                digest.update(np.where(np.isnan(values), np.nan, values).astype("<f8").tobytes())
    digest.update("".join(f"{as_text(label)}\n" for label in labels.tolist()).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def as_columns(matrix: Any) -> NDArray[np.float64]:
    """Give the features of an array or a sparse matrix as rows of float64."""
    dense = matrix.toarray() if hasattr(matrix, "toarray") else matrix
    return np.ascontiguousarray(np.asarray(dense, dtype=np.float64).T)
