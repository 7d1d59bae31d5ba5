"""Which engine counts."""

from importlib.util import find_spec

from rocpredict.arguments import one_of
from rocpredict.errors import RocPredictError

ENGINES = ("auto", "numpy", "numba")
"""What ``engine=`` may be; "auto" is numba where it is installed."""


def chosen(engine: str) -> str:
    """Give "numpy" or "numba".

    Raises
    ------
    RocPredictError
        An unknown engine, or numba where it is not installed.
    """
    one_of("engine", engine, ENGINES)
    installed = find_spec("numba") is not None
    if engine == "numba" and not installed:
        raise RocPredictError("engine='numba' needs numba: pip install 'rocpredict[fast]'")
    if engine == "auto":
        return "numba" if installed else "numpy"
    return engine
