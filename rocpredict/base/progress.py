"""Functions that report the progress of long calculations to a callback function."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

ProgressCallback = Callable[[int, int], None]
"""Function that receives the number of finished steps and the total number (0 if unknown); steps are equally long."""
Item = TypeVar("Item")

_callback: ContextVar[ProgressCallback | None] = ContextVar("progress callback", default=None)


@contextmanager
def use_progress(callback: ProgressCallback) -> Iterator[None]:
    """Report progress to a callback function during a ``with`` block; other threads are unaffected."""
    token = _callback.set(callback)
    try:
        yield
    finally:
        _callback.reset(token)


def report_progress(n_done: int, total: int) -> None:
    """Report the number of finished steps and the total number of steps."""
    callback = _callback.get()
    if callback is not None:
        callback(n_done, total)


def track(items: Iterable[Item], total: int, n_before: int = 0) -> Iterator[Item]:
    """Yield each item, then report one more step as finished."""
    for n_done, item in enumerate(items, n_before + 1):
        yield item
        report_progress(n_done, total)
