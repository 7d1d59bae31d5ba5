"""Atomic writing of files and CSV formatting."""

import os
import re
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import lru_cache
from numbers import Real
from os import PathLike
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast, get_args

import numpy as np
from numpy.typing import NDArray

from rocpredict.base.validation import RocPredictError, check_option, is_missing, short_repr

_DESCRIPTOR = re.compile(r"/dev/(stdout|stderr|fd/(\d+))|/proc/self/fd/(\d+)")
_INVISIBLE = (
    "\\s\"'\\x00-\\x20\\x7f-\\xa0\\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb"
)
"""Quotes and characters without a picture, for a class of a regular expression."""
_FORMULA = re.compile(f"[{_INVISIBLE}]*[=+@\uff1d\uff0b\uff0d\uff20-]")
"""How text begins that a spreadsheet computes; in some languages the wide forms of the signs do the same."""
_SEPARATORS = re.compile("([;|\t\r\n])")
"""What separates cells or rows for a reader that takes no commas, whether it is quoted or not."""
_QUOTED = re.compile('[,";|\t\r\n]')
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(inf|nan)", re.ASCII)
_MAX_PREFIX_LENGTH = 64  # characters of a name that its temporary name keeps: names have an end


def write_atomic(path: str | PathLike[str], content: str | bytes) -> Path:
    """Write a file, so that a reader finds the old one or the new one and never a part.

    Parameters
    ----------
    path : path
        In a folder that exists. A link stays one: the file that it leads to is written. What is no file, such as a
        pipe, a device or /dev/stdout, is written into and not replaced.
    content : str or bytes
        Text is written as UTF-8.

    Raises
    ------
    RocPredictError
        A place that cannot be written to.
    """
    with _refuse_unwritable(path) as checked:
        data = content.encode() if isinstance(content, str) else content
        if is_stream(checked):
            _write_stream(checked, data)
        else:
            _replace(Path(os.path.realpath(checked)), data)
    return checked


def check_writable(path: str | PathLike[str]) -> Path:
    """Refuse a place that ``write_atomic`` could not write to; nothing is written.

    Raises
    ------
    RocPredictError
        No such folder, or one without leave to write.
    """
    with _refuse_unwritable(path) as checked:
        if checked.is_dir():
            raise IsADirectoryError(None, "Is a directory")
        if not is_stream(checked):
            tempfile.TemporaryFile(dir=Path(os.path.realpath(checked)).parent).close()
    return checked


def is_stream(path: str | PathLike[str]) -> bool:
    """Return whether a path is written into and not replaced: a pipe, a device, an open file of this process."""
    if _DESCRIPTOR.fullmatch(os.fspath(path)):
        return True
    try:
        return not stat.S_ISREG(os.stat(path).st_mode)
    except FileNotFoundError:
        return False


def format_csv(rows: Iterable[Iterable[Any]]) -> str:
    r"""Return rows as CSV, each ended by a line feed; a cell with a line break, a semicolon or a tab is quoted.

    Notes
    -----
    Text that a spreadsheet would take for a formula gets an apostrophe in front, as OWASP ("CSV Injection") recommends:
    text that begins with =, +, - or @, also behind quotes, spaces and invisible characters, or with a tab or a line
    break, and is no number. The same holds behind a semicolon, a bar, a tab or a line break inside a cell, where a
    spreadsheet with another separator begins a new cell. Numbers are written with every digit and never changed.

    Examples
    --------
    >>> format_csv([["name", "size"], ["a\rb", 1.5]])
    'name,size\n"a\rb",1.5\n'
    >>> print(format_csv([["=1+2", -1.5, "-1.5", "-x", "x;=1"]]))
    '=1+2,-1.5,-1.5,'-x,"x;'=1"
    <BLANKLINE>
    """
    lines = [",".join(map(_format_cell, row)) for row in rows]
    return "".join(f"{line}\n" if line else '""\n' for line in lines)


def _format_cell(cell: Any) -> str:
    if isinstance(cell, float):
        return float.__repr__(cell)
    return _format_text(cell) if isinstance(cell, str) else "" if cell is None else str(cell)


@lru_cache(maxsize=1_000)
def _format_text(cell: str) -> str:
    parts = _SEPARATORS.split(cell)
    text = "".join(f"'{part}" if _FORMULA.match(part) and not _NUMBER.fullmatch(part) else part for part in parts)
    text = f"'{text}" if cell[:1] in ("\t", "\r", "\n") else text
    return '"{}"'.format(text.replace('"', '""')) if _QUOTED.search(text) else text


Backend: TypeAlias = Literal["pandas", "polars", "pyarrow"]
BACKENDS: tuple[Backend, ...] = get_args(Backend)


def data_frame(columns: Mapping[str, Any], backend: str) -> Any:
    """Return a data frame of columns of equal length.

    Parameters
    ----------
    columns : mapping of str to array
        Objects become text, numbers or dates where they all are, and text where they are not; None, NaN and NA
        among them become null.
    backend : {"pandas", "polars", "pyarrow"}

    Raises
    ------
    RocPredictError
        A backend that is not installed, or unknown.
    """
    check_option("backend", backend, BACKENDS)
    try:
        import narwhals

        typed_columns = {name: _to_typed_column(np.asarray(values)) for name, values in columns.items()}
        return narwhals.from_dict(typed_columns, backend=cast(Any, backend)).to_native()
    except ImportError:
        raise RocPredictError(
            f"a {backend} frame needs narwhals and {backend}: pip install 'rocpredict[frames]' {backend}"
        ) from None


def none_if_missing(item: Any) -> Any:
    """Return a cell as Python has it, None for what is missing."""
    plain = item.item() if isinstance(item, np.generic) and item.dtype.kind not in "mM" else item
    return None if not isinstance(plain, Iterable) and is_missing(plain) else plain


def _to_typed_column(values: NDArray[Any]) -> Any:
    """Return a column as what every library takes for a column of one kind."""
    kind = values.dtype.kind
    if kind in "mM":
        unit = np.datetime_data(values.dtype)[0]
        polars_unit = "D" if kind == "M" and unit in ("Y", "M", "W", "D") else "ms"
        return values if unit in ("ms", "us", "ns") else values.astype(f"{kind}8[{polars_unit}]")
    if kind == "f" and values.dtype.itemsize > 8:
        return values.astype(np.float64)
    if kind != "O":
        return values
    items = [none_if_missing(item) for item in values.tolist()]
    kinds = {(type(item), str(getattr(item, "tzinfo", None))) for item in items if item is not None}
    if not kinds:
        return items or np.array([], dtype=np.str_)
    if len(kinds) == 1:
        return items
    are_numbers = all(issubclass(kind, Real) and not issubclass(kind, bool) for kind, _ in kinds)
    common = float if are_numbers else str
    return [None if item is None else common(item) for item in items]


def make_directory(path: str | PathLike[str]) -> Path:
    """Make a folder where there is none.

    Raises
    ------
    RocPredictError
        A place where none can be made.
    """
    with _refuse_unwritable(path) as checked:
        checked.mkdir(parents=True, exist_ok=True)
    return checked


@contextmanager
def _refuse_unwritable(path: str | PathLike[str]) -> Iterator[Path]:
    """Refuse what is no path, or a place where the work inside fails."""
    try:
        checked = Path(path)
    except TypeError:
        raise RocPredictError(f"path={short_repr(path)} is not the name of a file") from None
    try:
        yield checked
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise RocPredictError(f"{checked} cannot be written: {reason}") from None


def _replace(path: Path, data: bytes) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:_MAX_PREFIX_LENGTH]}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(name, _file_mode(path))
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _file_mode(path: Path) -> int:
    """Return the permissions of the file, or of a new one."""
    with suppress(FileNotFoundError):
        return stat.S_IMODE(path.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _write_stream(path: Path, data: bytes) -> None:
    match = _DESCRIPTOR.fullmatch(os.fspath(path))
    if match is None:
        path.write_bytes(data)
        return
    # Opened by name, what stdout is redirected to would be written from its beginning.
    sys.stdout.flush()
    number = int(match[2] or match[3] or ("stdout", "stderr").index(match[1]) + 1)
    with os.fdopen(os.dup(number), "wb") as file:
        file.write(data)
