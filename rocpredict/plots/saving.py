"""Pictures as files: the same picture, the same bytes."""

import io
import os
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from rocpredict.errors import RocPredictError
from rocpredict.files import write_whole

_DOTS_PER_INCH = 160
_UNSAID: dict[str, dict[str, Any]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
"""By kind of file: what matplotlib would write into it that differs by the day or by its version."""


def save_figure(figure: Figure, path: str | os.PathLike[str]) -> Path:
    """Write a figure into a file, the same bytes each time.

    Parameters
    ----------
    figure : matplotlib Figure
    path : path
        The kind of file is that of its name: .png, .svg or .pdf.

    Returns
    -------
    Path

    Raises
    ------
    RocPredictError
        Another kind, or a place that cannot be written to.
    """
    return write_whole(path, as_bytes(figure, Path(path).suffix.removeprefix(".").lower()))


def as_bytes(figure: Figure, kind: str, *, dots_per_inch: float = _DOTS_PER_INCH) -> bytes:
    """Give a figure as the bytes of a "png", "svg" or "pdf" file."""
    if kind not in _UNSAID:
        raise RocPredictError(f"a picture cannot be written as {kind!r}; name the file .png, .svg or .pdf")
    file = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": "rocpredict", "svg.fonttype": "none"}):
        figure.savefig(file, format=kind, dpi=dots_per_inch, metadata=_UNSAID[kind])
    return file.getvalue()
