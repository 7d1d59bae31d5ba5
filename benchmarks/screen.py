"""Speed of screening a table, relative to reading or sorting the table, and to other libraries.

With one thread, the processor time is measured, which other processes affect less; with two threads, the wall time.
"""

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

import rocpredict as rp
from benchmarks.ratio import Ratio
from benchmarks.ratio import compare as compare_by_clock

Array = np.ndarray[Any, Any]
compare = partial(compare_by_clock, clock=time.process_time)
_PEERS = ("illico", "scanpy", "pystatsbio")


def missing_peers() -> list[str]:
    """Return the names of the compared libraries that are not installed; the table omits their rows and states this."""
    return [name for name in _PEERS if find_spec(name) is None]


def measure() -> Iterator[Ratio]:
    yield from _moments()
    yield from _exact()
    yield from _sparse()
    yield from _many_classes()
    yield from _many_small()
    yield from _shrunk_estimates()


def _shrunk_estimates() -> Iterator[Ratio]:
    X, y = _table(400, 20_000)
    for engine, goal in (("numba", "<= 6"), ("numpy", "<= 6")):
        yield compare(
            f"400 x 20,000, family='auto', {engine}",
            _screen(X, y, family="auto", engine=engine),
            "the same with exact AUC and DeLong only",
            _screen(X, y, engine=engine),
            goal=goal,
            runs=5,
        )


def _table(rows: int, features: int) -> tuple[Array, Array]:
    """Return normal values with slightly larger positives, and the labels of the rows in random order."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, rows)
    X = rng.normal(size=(rows, features))
    X += y[:, None] * rng.uniform(-0.5, 0.5, features)
    return X, y


def _screen(X: Any, y: Array, **options: Any) -> Callable[[], object]:
    return lambda: rp.screen(X, y, **options)


def _moments() -> Iterator[Ratio]:
    from sklearn.feature_selection import f_classif

    X, y = _table(200_000, 500)
    ours = {"empirical": False}
    shape = "200,000 x 500"

    def against_sum(what: str, table: Array, goal: str, **options: Any) -> Ratio:
        timed = compare if options.get("n_jobs", 1) == 1 else compare_by_clock
        return timed(
            f"{shape}, moments and all predicted columns, {what}",
            _screen(table, y, **ours, **options),
            "X.sum(axis=0) in float64",
            lambda: table.sum(axis=0, dtype=np.float64),
            goal=goal,
        )

    floors = {"numba": ("<= 2.2, aim 1.7", "<= 3.5, aim 2.7"), "numpy": ("<= 5, aim 4", "<= 11, aim 8")}
    in_columns = np.asfortranarray(X)
    for engine, (two, four) in floors.items():
        yield against_sum(engine, X, two, engine=engine)
        threads = "aim 1.0" if engine == "numba" else "aim 2.5"
        yield _threaded(against_sum(f"{engine}, two threads", X, threads, engine=engine, n_jobs=2), engine, X, y)
        yield against_sum(f"{engine}, float32", X.astype(np.float32), two, engine=engine)
        yield against_sum(f"{engine}, Fortran order", in_columns, two, engine=engine)
        yield against_sum(f"{engine}, four moments", X, four, engine=engine, moments=4)
    for engine, goal in (("numba", "<= 0.025 (40 x faster)"), ("numpy", "<= 0.05 (20 x faster)")):
        yield compare(
            f"{shape}, moments and all predicted columns, {engine}",
            _screen(X, y, **ours, engine=engine),
            "scikit-learn's f_classif",
            lambda: f_classif(X, y),
            goal=goal,
            runs=3,
        )


def _threaded(ratio: Ratio, engine: str, X: Array, y: Array) -> Ratio:
    """Add process time divided by wall time to the label; the ratio is valid only if the threads had two processors."""
    share = _processors(_screen(X, y, empirical=False, engine=engine, n_jobs=2))
    return replace(ratio, work=f"{ratio.work} (process time/wall {share:.2f})")


def _processors(run: Callable[[], object]) -> float:
    wall, process = time.perf_counter(), time.process_time()
    run()
    return (time.process_time() - process) / (time.perf_counter() - wall)


def _exact() -> Iterator[Ratio]:
    from sklearn.metrics import roc_auc_score

    X, y = _table(100_000, 200)
    shape = "100,000 x 200, exact AUC, DeLong, p and all columns"
    transposed = np.ascontiguousarray(X.T)
    for engine, goal in (("numba", "<= 2.5, aim 1.5"), ("numpy", "<= 4.5, aim 3")):
        yield compare(
            f"{shape}, {engine}",
            _screen(X, y, engine=engine),
            "np.sort of the transposed table",
            lambda: np.sort(transposed, axis=1),
            goal=goal,
        )
    few = X[:, :10]
    loop = compare(
        f"{shape}, numba",
        _screen(X, y, engine="numba"),
        "a roc_auc_score loop",
        lambda: [roc_auc_score(y, x) for x in few.T],
        goal="<= 0.083 (12 x faster)",
        runs=5,
    )
    yield _scaled(loop, X.shape[1] / few.shape[1])
    one, two = (_screen(X, y, engine="numba", n_jobs=jobs) for jobs in (1, 2))
    share = _processors(two)
    yield compare_by_clock(
        f"{shape}, numba, two threads (process time/wall {share:.2f})",
        two,
        "the same, one thread",
        one,
        goal="<= 0.62 (1.6 x faster), aim 0.53",
    )
    if "illico" not in missing_peers():
        yield _against_illico(shape, X, y, "<= 0.4 (2.5 x faster)")
    if "pystatsbio" not in missing_peers():
        from pystatsbio.diagnostic import batch_auc

        yield compare(
            f"{shape}, numba",
            _screen(X, y, engine="numba"),
            "pystatsbio's batch_auc",
            lambda: batch_auc(y, X),
            goal="-",
            runs=3,
        )


def _scaled(ratio: Ratio, times: float) -> Ratio:
    """Return the ratio to a reference that was run on only a part of the columns."""
    return replace(
        ratio, ratios=tuple(r / times for r in ratio.ratios), reference_seconds=ratio.reference_seconds * times
    )


def _sparse() -> Iterator[Ratio]:
    import scipy.sparse as sp

    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 100_000)
    X = sp.random(100_000, 2_000, density=0.1, format="csc", random_state=rng, data_rvs=rng.standard_normal)
    counts = X.copy()
    counts.data = rng.poisson(2.0, len(X.data)) + 1.0
    shape = "sparse 100,000 x 2,000, 10% non-zero, exact"
    if "illico" in missing_peers():
        return
    yield _against_illico(f"{shape}, CSC", X, y, "<= 0.5 (2 x faster), aim 0.29", runs=3)
    yield _against_illico(f"{shape}, CSC, counts", counts, y, "aim 0.17 (6 x faster)", runs=3)
    yield _against_illico(f"{shape}, CSR", X.tocsr(), y, "<= 0.56 (1.8 x faster), aim 0.33", runs=3)


def _many_classes() -> Iterator[Ratio]:
    """Compare one-against-the-rest screenings of 8 and 40 classes, with one and with two threads."""
    import scipy.sparse as sp

    if "illico" in missing_peers():
        return
    rng = np.random.default_rng(0)
    dense = rng.normal(size=(50_000, 500)).astype(np.float32)
    sparse = sp.random(100_000, 2_000, density=0.1, format="csc", random_state=rng, data_rvs=rng.standard_normal)
    for classes in (8, 40):
        for name, X in (("50,000 x 500, float32", dense), ("sparse 100,000 x 2,000, 10% non-zero, CSC", sparse)):
            y = rng.integers(0, classes, X.shape[0])
            for n_jobs in (1, 2):
                options = {"runs": 3, "reference": None, "n_jobs": n_jobs}
                yield _against_illico(f"{name}, {classes} classes, exact", X, y, "<= 0.8", **options)


def _many_small() -> Iterator[Ratio]:
    from sklearn.metrics import roc_auc_score

    X, y = _table(1_000, 1_000)
    for engine, goal in (("numba", "<= 0.04 (25 x faster), aim 0.02"), ("numpy", "-")):
        yield compare(
            f"1,000 x 1,000, exact, {engine}",
            _screen(X, y, engine=engine),
            "a roc_auc_score loop",
            lambda: [roc_auc_score(y, x) for x in X.T],
            goal=goal,
            runs=5,
        )


def _against_illico(
    work: str, X: Any, y: Array, goal: str, *, runs: int = 5, reference: str | None = "group 0", n_jobs: int = 1
) -> Ratio:
    """Compare tests of classes against a reference or the rest with illico, after compiling the kernels."""
    os.environ["TQDM_DISABLE"] = "1"
    from illico import asymptotic_wilcoxon
    from loguru import logger

    logger.disable("illico")
    adata = _annotated(X, y)
    options = {"is_log1p": False, "group_keys": "group", "reference": reference, "use_continuity": False}

    def test() -> object:
        return asymptotic_wilcoxon(adata, **options, tie_correct=True, n_threads=n_jobs)

    ours = _screen(X, y, engine="numba", n_jobs=n_jobs)
    timed, threads = (compare, "one thread") if n_jobs == 1 else (compare_by_clock, "two threads")
    return timed(f"{work}, numba", ours, f"illico, {threads} (p and fold change)", test, goal=goal, runs=runs)


def _annotated(X: Any, y: Array) -> Any:
    import anndata
    import pandas as pd

    return anndata.AnnData(
        X, obs=pd.DataFrame({"group": np.char.add("group ", y.astype(str))}, index=np.arange(len(y)).astype(str))
    )
