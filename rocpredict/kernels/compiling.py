"""Compile a function with numba, and keep the code for the next process where there is a place for it.

numba looks at the file of a function, and not at those of the functions that it calls, to tell whether the code it
keeps is still right. ``make test`` throws it away where any kernel is newer.
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

Jitted = TypeVar("Jitted", bound=Callable[..., Any])


def compiled(*fastmath: str) -> Callable[[Jitted], Jitted]:
    """Compile without the interpreter's lock; ``fastmath`` names what the compiler may do to floating point."""
    options: dict[str, Any] = {"nogil": True, "fastmath": set(fastmath)}

    def compiling(function: Jitted) -> Jitted:
        try:
            return cast(Jitted, njit(cache=True, **options)(function))
        except RuntimeError:  # a file system where nothing can be kept
            return cast(Jitted, njit(**options)(function))

    return compiling
