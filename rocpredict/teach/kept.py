"""What takes a while is done once, also when several ask for it at once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Kept(Generic[T]):
    """Keep what a function gives; who asks for what is being made waits for it, and nobody else waits.

    Parameters
    ----------
    make : function
        Of things that can be a key. What it raises is not kept.
    most : int
        How many are kept: those that were asked for last.

    Examples
    --------
    >>> square = Kept(lambda number: number**2)
    >>> square(3), square(3)
    (9, 9)
    """

    def __init__(self, make: Callable[..., T], most: int = 64) -> None:
        self._make, self._most = make, most
        self._lock = Lock()
        self._held: OrderedDict[tuple[Any, ...], _Place[T]] = OrderedDict()

    def __call__(self, *key: Any) -> T:
        """Give what the function gives for a key."""
        place = self._place(key)
        with place.lock:
            if not place.made:
                place.made = [self._make(*key)]
            return place.made[0]

    def _place(self, key: tuple[Any, ...]) -> _Place[T]:
        with self._lock:
            place = self._held.setdefault(key, _Place())
            self._held.move_to_end(key)
            while len(self._held) > self._most:
                self._held.popitem(last=False)
            return place


class _Place(Generic[T]):
    """Hold what was made, once it is, under a lock of its own."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.made: list[T] = []
