"""Tables larger than memory: ratios of a screening to the bare work of the engines, in one run.

``python -m benchmarks.outgrow [MEGABYTES]`` writes tables of this size (default: 300) to a temporary folder.
"""

import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

import numpy as np

_REPEATS = 3
_CHILD = """
import sys, threading, time
import numpy as np, polars as pl, duckdb, narwhals
import rocpredict as rp

def anonymous():
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("RssAnon")) / 1e3

for empirical in (True, False):
    for order in "CF":
        rp.screen(np.ones((2_000, 600), order=order), np.arange(2_000) % 2, empirical=empirical)
path = sys.argv[1]
scan = pl.scan_csv(path) if path.endswith("csv") else pl.scan_parquet(path)
names = scan.collect_schema().names()
query = "select " + ", ".join(f"sum({name})" for name in names[:-1]) + f" from '{path}'"
WORK = {
    "duckdb": lambda: duckdb.sql(query).fetchall(),
    "polars": lambda: pl.read_csv(path),
    "moments": lambda: rp.screen(path, "y", empirical=False),
    "moments, two threads": lambda: rp.screen(path, "y", empirical=False, n_jobs=2),
    "exact": lambda: rp.screen(path, "y"),
    "exact, two threads": lambda: rp.screen(path, "y", n_jobs=2),
}
base, peak, done = anonymous(), [0], threading.Event()
def watch():
    while not done.wait(0.002):
        peak[0] = max(peak[0], anonymous())
watcher = threading.Thread(target=watch)
watcher.start()
start, cpu = time.perf_counter(), time.process_time()
WORK[sys.argv[2]]()
print(time.perf_counter() - start, time.process_time() - cpu, end=" ")
done.set()
watcher.join()
print(peak[0] - base)
"""


def measure(megabytes: int = 300) -> list[list[object]]:
    """Return rows of a table: the ratio, its value, the goal."""
    with tempfile.TemporaryDirectory() as folder:
        rows = [row for n_columns in (100, 1_000) for row in _parquet(Path(folder), megabytes, n_columns)]
        return [*rows, *_csv(Path(folder), megabytes), _merges(), *_dask(megabytes)]


def _child(path: Path, *works: str) -> dict[str, tuple[float, float, float]]:
    """Return the median seconds, their processor seconds and the megabytes of some works, which take turns."""
    runs: dict[str, list[tuple[float, float, float]]] = {work: [] for work in works}
    for _ in range(_REPEATS):
        for work in works:
            words = [sys.executable, "-c", _CHILD, str(path), work]
            output = subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()
            runs[work].append((float(output[0]), float(output[1]), float(output[2])))
    return {work: sorted(values)[len(values) // 2] for work, values in runs.items()}


def _frame(n_rows: int, n_columns: int) -> object:
    import polars as pl

    rng = np.random.default_rng(0)
    columns = {f"f{place}": rng.normal(size=n_rows) for place in range(n_columns)}
    return pl.DataFrame(columns | {"y": rng.integers(0, 2, n_rows)})


def _parquet(folder: Path, megabytes: int, n_columns: int) -> list[list[object]]:
    path, n_rows = folder / f"{n_columns}.parquet", megabytes * 125_000 // n_columns
    seconds = []
    for part in (4, 2, 1):
        _frame(n_rows // part, n_columns).write_parquet(path, compression="zstd", row_group_size=n_rows // 16)
        if part > 1:
            seconds.append(_child(path, "moments")["moments"][0])
    works = _child(path, "duckdb", "moments", "moments, two threads", "exact", "exact, two threads")
    (bare, _, bare_memory), (one, _, memory), (two, cpu, _), (exact, _, _), (exact_two, _, exact_memory) = (
        works.values()
    )
    name = f"Parquet {megabytes} MB, {n_columns:,} columns:"
    return [
        [f"{name} moments over DuckDB's sum, seconds", one / bare, "<= 1.5"],
        [f"{name} moments over DuckDB's sum, memory", memory / bare_memory, "<= 0.5"],
        [f"{name} exact over moments", exact / one, "<= 1.8"],
        [f"{name} moments, two threads over one ({cpu / two:.1f} processors)", two / one, "<= 1"],
        [f"{name} exact, two threads over one", exact_two / exact, "<= 1"],
        [f"{name} exact, two threads, MB", exact_memory, ""],
        [f"{name} moments, seconds of 1/4, 1/2 and 1 of the rows", [*seconds, one], "slope 1"],
    ]


def _csv(folder: Path, megabytes: int) -> list[list[object]]:
    path = folder / "t.csv"
    _frame(megabytes * 1_000, 50).write_csv(path, float_precision=6)  # about nine bytes a cell
    (parse, _, _), (moments, _, memory), (exact, _, _) = _child(path, "polars", "moments", "exact").values()
    name = f"CSV {path.stat().st_size >> 20} MB:"
    return [
        [f"{name} moments over polars' parse", moments / parse, "<= 1.5"],
        [f"{name} exact over polars' parse", exact / parse, ""],
        [f"{name} moments, MB", memory, ""],
    ]


def _merges() -> list[object]:
    import rocpredict as rp

    rng, y = np.random.default_rng(0), np.arange(20) % 2
    parts = [rp.summarize(rng.normal(size=(20, 100)), y) for _ in range(1_000)]
    start = time.perf_counter()
    sum(parts)
    return ["merge of 1,000 summaries of 100 features, seconds", time.perf_counter() - start, ""]


def _dask(megabytes: int) -> list[list[object]]:
    import dask
    import dask.array as da
    import distributed

    import rocpredict as rp

    n_rows = megabytes * 1_250
    y = np.arange(n_rows) % 2
    table = da.random.default_rng(0).normal(size=(n_rows, 100), chunks=(n_rows // 16, 100))

    def seconds(work: object) -> tuple[float, float]:
        runs = []
        for _ in range(_REPEATS + 1):
            start, cpu = time.perf_counter(), time.process_time()
            work()
            runs.append((time.perf_counter() - start, time.process_time() - cpu))
        return sorted(runs[1:])[_REPEATS // 2]

    with dask.config.set(scheduler="synchronous"):
        local = seconds(lambda: sum(rp.summarize(part.compute(), rows) for part, rows in _parts(table, y)))[0]
    elapsed = {}
    for n_workers in (1, 2):
        options = {"n_workers": n_workers, "threads_per_worker": 1, "dashboard_address": ":0"}
        with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster):
            elapsed[n_workers] = seconds(lambda: rp.summarize(table, y))[0]
    return [
        [f"Dask {megabytes} MB: tree on one worker over one local thread", elapsed[1] / local, "<= 1.3"],
        ["Dask: one worker over two", elapsed[1] / elapsed[2], ">= 1.6 if two processors are free"],
    ]


def _parts(table: object, y: object) -> object:
    bounds = np.cumsum([0, *table.chunks[0]])
    for start, stop in pairwise(bounds):
        yield table[start:stop], y[start:stop]


if __name__ == "__main__":
    for name, value, goal in measure(*map(int, sys.argv[1:2])):
        values = value if isinstance(value, list) else [value]
        print(f"{name}: {', '.join(f'{number:.3g}' for number in values)}  {goal}", flush=True)
