"""How fast exact counts are, by themselves: ``python -m benchmarks.screen_counts [word in the name of the work ...]``.

Times are of the process, so that a busy machine disturbs less; two threads are told by the clock, with the share of
two processors that they got.
"""

import statistics
import sys
import time
from collections.abc import Callable, Iterator

import numpy as np
import scipy.sparse as sp

from rocpredict.kernels.counts import Contrast, count_blocks

_RUNS = 7
_TWO = (Contrast((0,), 1),)
Work = Callable[[], object]


def works(rng: np.random.Generator) -> Iterator[tuple[str, Callable[[], tuple[Work, Work]]]]:
    """Name each work, and what gives it and its reference."""
    for engine in ("numba", "numpy"):
        for order in "CF":
            yield f"dense {order} {engine} / sort", lambda engine=engine, order=order: _dense(rng, engine, order)
        yield f"dense loop: roc_auc_score / {engine}", lambda engine=engine: _loop(rng, 100_000, 10, engine)
        yield f"small loop: roc_auc_score / {engine}", lambda engine=engine: _loop(rng, 1_000, 1_000, engine)
        yield f"wide 60 x 20,000 {engine} / sort", lambda engine=engine: _dense(rng, engine, "C", (60, 20_000))
        yield f"one of 10,000,000 {engine} / sort", lambda engine=engine: _dense(rng, engine, "C", (10_000_000, 1))
        yield f"ten classes {engine} / sort", lambda engine=engine: _ten(rng, engine)
    for form in ("csc", "csr", "dense"):
        for values in ("continuous", "counts"):
            yield f"illico {form} {values} / numba", lambda form=form, values=values: _illico(rng, form, values)


def _count(X: object, codes: np.ndarray, contrasts: tuple[Contrast, ...] = _TWO, **options: object) -> Work:
    classes = int(codes.max()) + 1

    def run() -> None:
        for _ in count_blocks(X, codes, classes, contrasts, finish=lambda _, counts: counts, **options):
            pass

    return run


def _dense(rng: np.random.Generator, engine: str, order: str, shape: tuple[int, int] = (100_000, 200)):
    X = np.asarray(rng.normal(size=shape), order=order)
    turned = np.ascontiguousarray(X.T)
    return _count(X, rng.integers(0, 2, shape[0]), engine=engine), lambda: np.sort(turned, axis=1)


def _loop(rng: np.random.Generator, rows: int, columns: int, engine: str):
    from sklearn.metrics import roc_auc_score

    X, codes = rng.normal(size=(rows, columns)), rng.integers(0, 2, rows)
    return lambda: [roc_auc_score(codes, column) for column in X.T], _count(X, codes, engine=engine)


def _ten(rng: np.random.Generator, engine: str):
    X, codes = rng.normal(size=(100_000, 20)), rng.integers(0, 10, 100_000)
    contrasts = tuple(Contrast(tuple({*range(10)} - {k}), k) for k in range(10))
    turned = np.ascontiguousarray(X.T)
    return _count(X, codes, contrasts, engine=engine), lambda: np.sort(turned, axis=1)


def _illico(rng: np.random.Generator, form: str, values: str):
    import anndata
    import illico
    import pandas as pd

    rows, columns = (100_000, 50) if form == "dense" else (100_000, 2_000)
    X = _sparse(rng, rows, columns, values)
    X = X.toarray() if form == "dense" else X.asformat(form)
    codes = rng.integers(0, 2, rows)
    data = anndata.AnnData(X, obs=pd.DataFrame({"class": codes.astype(str)}, index=np.arange(rows).astype(str)))
    options = {"is_log1p": False, "group_keys": "class", "reference": "0", "n_threads": 1, "use_continuity": False}
    return lambda: illico.asymptotic_wilcoxon(data, **options), _count(X, codes, engine="numba")


def _sparse(rng: np.random.Generator, rows: int, columns: int, values: str) -> sp.csc_matrix:
    indices = [np.flatnonzero(rng.random(rows) < 0.1).astype(np.int32) for _ in range(columns)]
    indptr = np.cumsum([0, *map(len, indices)]).astype(np.int32)
    data = rng.normal(size=indptr[-1]) if values == "continuous" else rng.poisson(1.5, indptr[-1]) + 1.0
    return sp.csc_matrix((data, np.concatenate(indices), indptr), shape=(rows, columns))


def _ratio(run: Work, other: Work, clock: Callable[[], float]) -> tuple[float, float, float]:
    run(), other()
    pairs = [(_seconds(run, clock), _seconds(other, clock)) for _ in range(_RUNS)]
    mine, theirs = zip(*pairs, strict=True)
    return statistics.median(a / b for a, b in pairs), min(mine), min(theirs)


def _seconds(run: Work, clock: Callable[[], float]) -> float:
    start = clock()
    run()
    return clock() - start


def _threads(rng: np.random.Generator) -> None:
    X, codes = rng.normal(size=(100_000, 200)), rng.integers(0, 2, 100_000)
    one, two = (_count(X, codes, engine="numba", n_jobs=jobs) for jobs in (1, 2))
    one(), two()
    for _ in range(_RUNS):
        alone, start = _seconds(one, time.perf_counter), time.process_time()
        both = _seconds(two, time.perf_counter)
        share = (time.process_time() - start) / both
        print(f"{'one thread / two':36} {alone / both:6.2f}   process time / wall {share:.2f}")


def main() -> None:
    rng, words = np.random.default_rng(0), sys.argv[1:]
    for name, made in works(rng):
        if not words or any(word in name for word in words):
            ratio, mine, theirs = _ratio(*made(), time.process_time)
            print(f"{name:36} {ratio:6.2f}   {mine * 1e3:8.1f} ms / {theirs * 1e3:8.1f} ms", flush=True)
    if not words or "threads" in words:
        _threads(rng)


if __name__ == "__main__":
    main()
