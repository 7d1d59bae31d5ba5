"""Work on several blocks at once; the answers come in the order of the blocks, whoever is done first."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from os import cpu_count
from typing import TypeVar

from rocpredict.arguments import as_whole
from rocpredict.errors import RocPredictError

Item = TypeVar("Item")
Answer = TypeVar("Answer")


def in_order(work: Callable[[Item], Answer], items: Iterable[Item], n_jobs: int) -> Iterator[Answer]:
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


def as_jobs(n_jobs: int) -> int:
    """Return how many threads are asked for: 1 or more, or -1 for one on each processor."""
    jobs = as_whole("n_jobs", n_jobs)
    if jobs == -1:
        return cpu_count() or 1
    if jobs < 1:
        raise RocPredictError(f"n_jobs={jobs} is not 1 or more, nor -1 for one on each processor")
    return jobs
