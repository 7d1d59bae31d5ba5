"""Measure the accuracy of predictions, and write the page: ``python -m benchmarks.fidelity [--quick] [--out FILE]``."""

import argparse
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

from benchmarks.fidelity.cases import cases
from benchmarks.fidelity.page import Measured, written
from benchmarks.fidelity.scoring import Plan, try_case

_PROCESSES = 2
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def measure(plan: Plan) -> Measured:
    """Measure all cases, in two processes."""
    start, found = time.perf_counter(), Measured(plan, processes=_PROCESSES)
    tried = [(case, index) for index, case in enumerate(cases()) if index % plan.every == 0]
    os.environ.update(dict.fromkeys(_THREADS, "1"))  # two processes share two cores: each takes one
    with ProcessPoolExecutor(_PROCESSES, mp_context=get_context("spawn")) as pool:
        running = [pool.submit(try_case, *one, plan) for one in tried]
        for done, _ in enumerate(as_completed(running), 1):
            if done % 20 == 0:
                print(f"{time.perf_counter() - start:6.0f} s  {done} of {len(tried)} cases", file=sys.stderr)
        for one in running:
            found.add(one.result())
    found.seconds = time.perf_counter() - start
    found.worked = os.times().children_user + os.times().children_system
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fidelity", description=__doc__.partition(":")[0])
    parser.add_argument(
        "--quick", action="store_true", help="one case in ten, with few draws; takes less than a minute"
    )
    parser.add_argument("--out", type=Path, help="file to write; by default, the page is printed")
    asked = parser.parse_args()
    page = written(measure(Plan(repeats=10, sampled=3, asked=1, every=10) if asked.quick else Plan()))
    if asked.out is None:
        print(page)
    else:
        asked.out.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
