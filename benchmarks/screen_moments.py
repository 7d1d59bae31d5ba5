"""How fast the moments of a table are, against reading it once: ``python -m benchmarks.screen_moments [WORD ...]``."""

import os
import statistics
import sys
import time
from collections.abc import Iterator
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from rocpredict.kernels.moments import moments

_RUNS = 7


def _tables() -> Iterator[tuple[str, np.ndarray]]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200_000, 500))
    yield "200,000 x 500 float64 C", X
    X = np.asfortranarray(X)
    yield "200,000 x 500 float64 Fortran", X
    X = X.astype(np.float32)
    yield "200,000 x 500 float32 Fortran", X
    yield "200,000 x 500 float32 C", np.ascontiguousarray(X)
    X = rng.standard_normal((200_000, 500))
    X[rng.integers(0, len(X), 500), np.arange(500)] = np.nan
    yield "200,000 x 500 float64 C, a NaN in each", X
    X = (rng.standard_normal((200_000, 500)) * 100).astype(np.int32)
    yield "200,000 x 500 int32 C", X
    X = rng.standard_normal((1_000, 20_000))
    yield "1,000 x 20,000 float64 C", X
    yield "1,000 x 20,000 float64 Fortran", np.asfortranarray(X)
    X = rng.standard_normal((100, 1_000_000))
    yield "100 x 1,000,000 float64 C", X
    yield "10,000,000 x 1 float64", rng.standard_normal((10_000_000, 1))


def _timed(run: Any) -> tuple[float, float]:
    start, used = time.perf_counter(), time.process_time()
    run()
    return time.perf_counter() - start, time.process_time() - used


def _show(name: str, X: np.ndarray) -> None:
    codes = np.random.default_rng(1).integers(0, 2, len(X))
    cases: list[tuple[str, Any]] = [("X.sum(axis=0)", lambda: X.sum(axis=0, dtype=np.float64))]
    for engine in ("numba", "numpy"):
        for order in (2, 4):
            for jobs in (1, 2):

                def run(engine: str = engine, order: Any = order, jobs: int = jobs) -> object:
                    return moments(X, codes, 2, order=order, engine=engine, n_jobs=jobs)

                cases.append((f"{engine} order {order} threads {jobs}", run))
    for _, run in cases:
        run()
    times: list[list[tuple[float, float]]] = [[] for _ in cases]
    for _ in range(_RUNS):
        for kept, (_, run) in zip(times, cases, strict=True):
            kept.append(_timed(run))
    print(
        f"{name}: sum {statistics.median(wall for wall, _ in times[0]) * 1e3:.1f} ms; by the clock, by processor time"
    )
    for (label, _), kept in list(zip(cases, times, strict=True))[1:]:
        clock = statistics.median(wall / whole for (wall, _), (whole, _) in zip(kept, times[0], strict=True))
        used = statistics.median(used / whole for (_, used), (_, whole) in zip(kept, times[0], strict=True))
        busy = statistics.median(used / wall for wall, used in kept)
        print(f"  {label:28s} {clock:6.2f} {used:6.2f}   busy {busy:.2f}")


if __name__ == "__main__":
    for name, X in _tables():
        if all(word in name for word in sys.argv[1:]):
            _show(name, X)
