"""Choice of numpy or numba, compilation and threads."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from importlib import import_module
from os import cpu_count
from typing import Any, TypeVar, cast

from numba import njit

from rocpredict.base.validation import RocPredictError, check_int, check_option

ENGINES = ("auto", "numpy", "numba")
"""What ``engine=`` may be; "auto" is numba where it is installed and the table is worth it."""
MIN_CELLS_NUMBA = 1_000_000
"""Cells from which on "auto" takes numba: below, numpy is done before compiled code is loaded."""


def select_backend(engine: str, cells: int = MIN_CELLS_NUMBA) -> str:
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
    check_option("engine", engine, ENGINES)
    if engine == "numba" and not _numba_works():
        raise RocPredictError("engine='numba' needs numba: pip install 'rocpredict[fast]'")
    if engine == "auto":
        return "numba" if cells >= MIN_CELLS_NUMBA and _numba_works() else "numpy"
    return engine


@cache
def _numba_works() -> bool:
    """Tell whether numba can be imported: it may be missing, or too old for this NumPy."""
    try:
        import_module("numba")
    except (ImportError, SystemError):
        return False
    return True


Item = TypeVar("Item")
Answer = TypeVar("Answer")


def map_ordered(work: Callable[[Item], Answer], items: Iterable[Item], n_jobs: int) -> Iterator[Answer]:
    """Give ``work(item)`` for each item in order, with no more than ``n_jobs`` in hand or waiting to be taken.

    One job runs in the caller's own thread.
    """
    if n_jobs == 1:
        yield from map(work, items)
        return
    waiting: deque[Future[Answer]] = deque()
    with ThreadPoolExecutor(n_jobs) as pool:
        for item in items:
            if len(waiting) == n_jobs:
                yield waiting.popleft().result()
            waiting.append(pool.submit(work, item))
        while waiting:
            yield waiting.popleft().result()


def effective_n_jobs(n_jobs: int) -> int:
    """Return how many threads are asked for: 1 or more, or -1 for one on each processor."""
    jobs = check_int("n_jobs", n_jobs)
    if jobs == -1:
        return cpu_count() or 1
    if jobs < 1:
        raise RocPredictError(f"n_jobs={jobs} is not 1 or more, nor -1 for one on each processor")
    return jobs


Jitted = TypeVar("Jitted", bound=Callable[..., Any])


def numba_jit(*fastmath: str) -> Callable[[Jitted], Jitted]:
    """Compile without the interpreter's lock; ``fastmath`` names what the compiler may do to floating point."""
    options: dict[str, Any] = {"nogil": True, "fastmath": set(fastmath)}

    def compiling(function: Jitted) -> Jitted:
        try:
            return cast(Jitted, njit(cache=True, **options)(function))
        except RuntimeError:  # a file system where nothing can be kept
            return cast(Jitted, njit(**options)(function))

    return compiling
