"""Which engine counts."""

from functools import cache
from importlib import import_module

from rocpredict.arguments import one_of
from rocpredict.errors import RocPredictError

ENGINES = ("auto", "numpy", "numba")
"""What ``engine=`` may be; "auto" is numba where it is installed and the table is worth it."""
WORTH_COMPILING = 1_000_000
"""Cells from which on "auto" takes numba: below, numpy is done before compiled code is loaded."""


def chosen(engine: str, cells: int = WORTH_COMPILING) -> str:
    """Give "numpy" or "numba".

    Parameters
    ----------
    engine : {"auto", "numpy", "numba"}
    cells : int
        Of the table.

    Raises
    ------
    RocPredictError
        An unknown engine, or numba where it is not installed or cannot be imported.
    """
    one_of("engine", engine, ENGINES)
    if engine == "numba" and not _numba_works():
        raise RocPredictError("engine='numba' needs numba: pip install 'rocpredict[fast]'")
    if engine == "auto":
        return "numba" if cells >= WORTH_COMPILING and _numba_works() else "numpy"
    return engine


@cache
def _numba_works() -> bool:
    """Tell whether numba can be imported: it may be missing, or too old for this NumPy."""
    try:
        import_module("numba")
    except (ImportError, SystemError):
        return False
    return True
