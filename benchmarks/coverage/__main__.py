"""Measure coverage and levels, and write the page: ``python -m benchmarks.coverage [--quick] [--out FILE]``."""

import argparse
import json
import os
import sys
import time
from collections.abc import Iterable
from multiprocessing import get_context
from pathlib import Path

from benchmarks.coverage.measures import Cell, Figures, Sizes, Task, measure_timed, tasks
from benchmarks.coverage.page import write_page
from benchmarks.coverage.settings import Setting

FULL = Sizes(std_error=0.004)
QUICK = Sizes(fast=60, slow=10, n_resamples=50)
QUICK_STEP = 9


def read_cells(lines: Iterable[str]) -> list[Cell]:
    """Return cells from lines of JSON."""
    cells = []
    for line in lines:
        quantity, setting, n_sets, *figures = json.loads(line)
        cells.append(Cell(quantity, Setting(*setting), n_sets, *(part and Figures(*part) for part in figures)))
    return cells


def run(plan: list[Task], processes: int, store: Path | None = None) -> list[Cell]:
    """Measure all tasks in processes with one thread each, and append the cells of each finished task to a file."""
    os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))
    start, cells, busy = time.perf_counter(), [], 0.0
    with get_context("spawn").Pool(processes) as pool:
        for done, (found, seconds) in enumerate(pool.imap_unordered(measure_timed, plan), 1):
            cells += found
            busy += seconds
            if store is not None:
                with store.open("a", encoding="utf-8") as file:
                    file.writelines(json.dumps(cell) + "\n" for cell in found)
            if done % 10 == 0 or done == len(plan):
                passed = time.perf_counter() - start
                print(f"{passed:6.0f} s, {busy:6.0f} s of processor time  {done} of {len(plan)} tasks", file=sys.stderr)
    return cells


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage", description=__doc__.partition(":")[0])
    parser.add_argument(
        "--quick", action="store_true", help="few data sets in every ninth setting; takes less than a minute"
    )
    parser.add_argument("--out", type=Path, help="file to write; by default, the page is printed")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--store", type=Path, help="append the figures to this file, as lines of JSON")
    parser.add_argument("--read", type=Path, help="write the page from such a file, without a simulation")
    options = parser.parse_args()
    if options.read is not None:
        cells = read_cells(options.read.read_text(encoding="utf-8").splitlines())
    else:
        plan = tasks(QUICK, QUICK_STEP) if options.quick else tasks(FULL)
        cells = run(plan, options.processes, options.store)
    page = write_page(cells)
    if options.out is None:
        print(page)
    else:
        options.out.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
