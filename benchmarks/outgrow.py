"""Tables larger than memory: a screening compared with basic operations of the engines that read the files.

``python -m benchmarks.outgrow --gigabytes 2`` takes about ten minutes, and 0.5 GB about five. The tables are written
to a temporary folder, which is removed.
"""

import argparse
import math
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import rocpredict as rp
from benchmarks.__main__ import _notes
from rocpredict.base.tables import Table

_REPEATS = 5
_N_FILES = 4
_ROW_GROUPS = 4
"""Number of row groups of each file."""
_N_CHUNKS = 16
_CHILD = """
import sys, threading, time
import numpy as np

def anonymous():
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("RssAnon")) / 1e3

work, *paths = sys.argv[1:]
if work == "duckdb":
    import duckdb
    *names, label = duckdb.read_parquet(paths).columns
    query = "select " + ", ".join(f"sum({name})" for name in names) + f" from read_parquet({paths})"
    duckdb.sql("set enable_progress_bar = false")
    run = lambda: duckdb.sql(query).fetchall()
elif work == "polars":
    import polars
    run = lambda: polars.read_csv(paths)
else:
    import narwhals, polars
    import rocpredict as rp
    kind, n_jobs = work.split()
    options = {"empirical": kind == "exact", "n_jobs": int(n_jobs)}
    for order in "CF":
        rp.screen(np.ones((2_000, 600), order=order), np.arange(2_000) % 2, **options)
    run = lambda: rp.screen(paths, "y", **options)
base, peak, done = anonymous(), [0], threading.Event()
def watch():
    while not done.wait(0.01):  # shorter intervals take processor time
        peak[0] = max(peak[0], anonymous())
watcher = threading.Thread(target=watch)
watcher.start()
start, cpu = time.perf_counter(), time.process_time()
run()
print(time.perf_counter() - start, time.process_time() - cpu, end=" ")
done.set()
watcher.join()
print(peak[0] - base)
"""


class Run(NamedTuple):
    """Cost of one run."""

    seconds: float
    cpu: float
    """Processor time of all threads in seconds."""
    megabytes: float = math.nan
    """Peak of the anonymous memory, without the memory of the imports."""


class Runs(list[Run]):
    """Runs of one computation, alternating with runs of its reference."""

    @property
    def processors(self) -> float:
        return statistics.median(run.cpu / run.seconds for run in self)


_MIN_PROCESSORS = 0.9
"""Processor time divided by wall time below which other processes have slowed down a run."""


def _row(
    work: str, mine: Runs, reference: str, theirs: Runs, goal: str = "-", *, what: str = "seconds"
) -> list[object]:
    """Return the ratios of the medians, of the minima and of processor times, and whether the goal is met.

    Wall times decide, or processor times if other processes have slowed down a run. A goal that needs two processors
    (>=) cannot be measured without them.
    """
    mines, others = ([getattr(run, what) for run in runs] for runs in (mine, theirs))
    ratios = [statistic(mines) / statistic(others) for statistic in (statistics.median, min)]
    if what != "seconds":
        met = _is_met(ratios[0], goal)
        return [work, reference, *ratios, "-", goal, met, statistics.median(others), "-"]
    cpu = statistics.median(run.cpu for run in mine) / statistics.median(run.cpu for run in theirs)
    is_busy = min(mine.processors, theirs.processors) < _MIN_PROCESSORS
    if goal.startswith(">="):
        has_two = theirs.processors > 1.5
        met = _is_met(ratios[0], goal) if has_two else f"not measurable with {theirs.processors:.1f} processors"
    else:
        met = _is_met(cpu if is_busy else ratios[0], goal) + (", processor time" if is_busy and goal != "-" else "")
    processors = f"{mine.processors:.1f}, {theirs.processors:.1f}"
    return [work, reference, *ratios, cpu, goal, met, statistics.median(others), processors]


def _is_met(value: float, goal: str) -> str:
    if goal == "-":
        return "-"
    sign, limit = goal.split()
    return "yes" if (value <= float(limit) if sign == "<=" else value >= float(limit)) else "no"


def _take_turns(works: dict[str, Callable[[], Run]], repeats: int = _REPEATS) -> dict[str, Runs]:
    runs = {name: Runs() for name in works}
    for _ in range(repeats):
        for name, work in works.items():
            runs[name].append(work())
    return runs


def _children(paths: list[Path], *works: str) -> dict[str, Runs]:
    """Run computations in turn, each in a new process."""

    def child(work: str) -> Run:
        words = [sys.executable, "-c", _CHILD, work, *map(str, paths)]
        return Run(*map(float, subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout.split()))

    return _take_turns({work: lambda work=work: child(work) for work in works})  # type: ignore[misc]


def _frame(n_rows: int, n_columns: int, seed: int = 0) -> Any:
    import polars as pl

    rng = np.random.default_rng(seed)
    columns = {f"f{place}": rng.normal(size=n_rows) for place in range(n_columns)}
    return pl.DataFrame(columns | {"y": rng.integers(0, 2, n_rows)})


def _parquet(folder: Path, gigabytes: float) -> Iterator[list[object]]:
    for n_columns in (100, 1_000):
        files, n_rows = [folder / f"{part}.parquet" for part in range(_N_FILES)], round(gigabytes / 8e-9 / n_columns)
        for part, file in enumerate(files):
            frame = _frame(n_rows // _N_FILES, n_columns, part)
            frame.write_parquet(file, compression="zstd", row_group_size=n_rows // _N_FILES // _ROW_GROUPS)
        del frame
        shape = f"Parquet {n_rows:,} x {n_columns:,},"
        runs = _children(files, "duckdb", "moments 1", "moments 2", "exact 1", "exact 2")
        bare, one, two, exact, exact_two = runs.values()
        yield _row(f"{shape} moments", one, "DuckDB's sum of the columns", bare, "<= 1.5")
        yield _row(f"{shape} moments, MB", one, "the same, MB", bare, "<= 0.5", what="megabytes")
        yield _row(f"{shape} moments, two threads", two, "moments", one, "<= 1")
        yield _row(f"{shape} exact", exact, "moments", one, "<= 1.8")
        yield _row(f"{shape} exact, two threads", exact_two, "exact", exact, "<= 1")
        yield _row(f"{shape} exact, two threads, MB", exact_two, "moments, MB", one, what="megabytes")
        half = _children(files[: _N_FILES // 2], "moments 1")["moments 1"]
        quarter = _children(files[: _N_FILES // 4], "moments 1")["moments 1"]
        yield _row(f"{shape} moments", one, "moments of half of the rows", half, "<= 2.2")
        yield _row(f"{shape} moments", one, "moments of a quarter of the rows", quarter, "<= 4.4")
        for file in files:
            file.unlink()


def _csv(folder: Path, gigabytes: float) -> Iterator[list[object]]:
    path = folder / "t.csv"
    _frame(round(gigabytes * 550_000), 50).write_csv(path, float_precision=6)  # about nine bytes per cell
    parse, moments, exact = _children([path], "polars", "moments 1", "exact 1").values()
    name, reference = f"CSV {path.stat().st_size / 1e6:.0f} MB,", "polars' parse"
    yield _row(f"{name} moments", moments, reference, parse, "<= 1.5")
    yield _row(f"{name} moments, MB", moments, "polars' frame, MB", parse, what="megabytes")
    yield _row(f"{name} exact", exact, reference, parse)
    path.unlink()


def _timed(work: Callable[[], object], cpu: Callable[[], float] = time.process_time) -> Run:
    start, before = time.perf_counter(), cpu()
    work()
    return Run(time.perf_counter() - start, cpu() - before)


def _merges(folder: Path, gigabytes: float) -> Iterator[list[object]]:
    rng, y = np.random.default_rng(0), np.arange(20) % 2
    tables = [rng.normal(size=(20, 100)) for _ in range(1_000)]
    parts = [rp.summarize(table, y) for table in tables]
    works = {"sum": lambda: sum(parts), "summaries": lambda: [rp.summarize(table, y) for table in tables]}
    runs = _take_turns({name: lambda work=work: _timed(work) for name, work in works.items()})  # type: ignore[misc]
    reference = "computation of these summaries from 20 rows each"
    yield _row("sum of 1,000 summaries of 100 features", runs["sum"], reference, runs["summaries"])


def _dask(folder: Path, gigabytes: float) -> Iterator[list[object]]:
    import dask
    import dask.array as da
    import distributed

    n_rows, chunks = round(gigabytes * 1_250_000), folder / "chunks"
    rows = n_rows // _N_CHUNKS
    y = np.arange(rows * _N_CHUNKS) % 2
    with dask.config.set(scheduler="synchronous"):
        da.to_npy_stack(chunks, da.random.default_rng(0).normal(size=(len(y), 100), chunks=(rows, 100)))
    table = da.from_npy_stack(chunks, mmap_mode="r")

    def local() -> object:
        parts = (np.load(chunks / f"{part}.npy", mmap_mode="r") for part in range(_N_CHUNKS))
        return sum(rp.summarize(part, y[:rows]) for part in parts)

    def on(n_workers: int) -> Iterator[Run]:
        """Yield runs on a new cluster, which is closed afterwards: idle workers would take processor time."""
        options = {"n_workers": n_workers, "threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": "ERROR"}
        with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:

            def cpu() -> float:
                # the client and the scheduler are in this process
                return time.process_time() + sum(client.run(time.process_time).values())

            rp.summarize(table, y)
            for _ in range(_REPEATS):
                yield _timed(lambda: rp.summarize(table, y), cpu)

    local()
    runs = {"local": Runs(), "one": Runs(), "two": Runs()}
    for _ in range(_REPEATS):
        runs["local"] += [_timed(local) for _ in range(_REPEATS)]
        runs["one"] += on(1)
        runs["two"] += on(2)
    one, two = runs["one"], runs["two"]
    name = f"Dask {len(y):,} x 100,"
    yield _row(f"{name} tree on one worker", one, "summaries of the chunks in one thread", runs["local"], "<= 1.3")
    yield _row(f"{name} one worker", one, "two workers", two, ">= 1.6")


PARTS = {"parquet": _parquet, "csv": _csv, "merge": _merges, "dask": _dask}


def measure(gigabytes: float = 2.0, parts: list[str] | None = None) -> Table:
    """Return the table of ratios."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name in parts or PARTS:
            for row in PARTS[name](Path(folder), gigabytes):
                print(*row, sep="; ", file=sys.stderr, flush=True)
                rows.append(row)
    ratios = ["ratio", "of minima", "of processor times"]
    columns = ["work", "reference", *ratios, "goal", "met", "reference, s or MB", "processors"]
    formats = dict.fromkeys([*ratios, "reference, s or MB"], ".3g")
    notes = _notes(f"Ratios of the medians and of the minima of {_REPEATS} runs in turn, Dask {_REPEATS**2}.")
    return Table("Tables larger than memory", columns, rows, formats, notes)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gigabytes", type=float, default=2.0, help="size of the Parquet tables (default: 2)")
    parser.add_argument("--only", nargs="+", choices=list(PARTS))
    options = parser.parse_args()
    start = time.perf_counter()
    print(measure(options.gigabytes, options.only).to_text())
    print(f"{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
