"""Outcomes of a call, its time limit, and the report of a run, for both fuzzers."""

import argparse
import contextlib
import signal
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

SLOW_SECONDS = 5
LIMIT_SECONDS = 60


@dataclass
class Outcome:
    """Outcome of one call."""

    kind: str
    call: str
    seconds: float
    detail: str = ""

    @property
    def is_failure(self) -> bool:
        """Return whether the call returned no result and raised no clear error."""
        return self.kind in {"foreign", "bad message", "too long", "wrong"}


class TooLongError(BaseException):
    """A call that took longer than the limit."""


@contextlib.contextmanager
def time_limit() -> Iterator[None]:
    """End a call that takes too long."""

    def stop(*_: object) -> None:
        raise TooLongError

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(LIMIT_SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)


@contextlib.contextmanager
def empty_folder() -> Iterator[Path]:
    """Work in a new folder whose parent is new as well, so that ``../x`` stays inside."""
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent, "here")
        folder.mkdir()
        with contextlib.chdir(folder):
            yield folder


def failures(outcomes: list[Outcome]) -> list[str]:
    """Return two lines for each outcome that is a failure."""
    return [f"{n}: {one.kind}: {one.call}\n    {one.detail}" for n, one in enumerate(outcomes) if one.is_failure]


def main(run: Callable[[int, int], list[Outcome]]) -> None:
    """Run a fuzzer from the command line and print the failures, the counts by kind and the slow calls."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    outcomes = run(options.count, options.seed)
    slow = [f"{one.seconds:.1f} s: {one.call}" for one in outcomes if one.seconds > SLOW_SECONDS]
    print(*failures(outcomes), dict(Counter(one.kind for one in outcomes)), *slow, sep="\n")
