"""Print the benchmark tables: ``python -m benchmarks [--only PART ...] [--out FILE]``."""

import argparse
import os
import platform
from collections.abc import Iterable
from pathlib import Path

import numpy
import scipy

from benchmarks import latency, measure, memory, predict, screen, screen_memory
from rocpredict.base.files import write_atomic
from rocpredict.base.tables import Table

PARTS = {"predict": predict, "measure": measure, "screen": screen}
_TITLES = {"predict": "predicted curves", "measure": "empirical results", "screen": "screening"}
ALL_PARTS = [*PARTS, "memory", "intervals", "latency"]

_INTRODUCTION = """\
# Speed

This page lists measured run times and memory, each compared with a familiar reference, such as a sort of the same
values.

A ratio is the run time of a computation divided by the run time of its reference. Both run alternately in one process,
so that other load on the machine slows down both. The tables give the median ratio of the pairs and its range. Below 1,
the computation is faster than its reference. Each ratio has a goal that must not be exceeded, and some have a lower
value to aim for.

Timings use one thread unless stated otherwise. A timing with two threads is meaningful only if both processors were
free, that is, if process time divided by wall time is well above 1.5.

`python -m benchmarks --out docs/speed.md` writes this page; `make bench` prints the tables.

"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", choices=ALL_PARTS, default=ALL_PARTS[:-1])
    parser.add_argument("--out", type=Path, help="Markdown file to write, in addition to the printed tables")
    options = parser.parse_args()
    tables = list(_tables(options.only))
    if options.out is not None:
        write_atomic(options.out, _INTRODUCTION + "\n".join(table.to_markdown() for table in tables))


def _tables(parts: list[str]) -> Iterable[Table]:
    for name, part in PARTS.items():
        if name in parts:
            yield _shown(
                Table(
                    f"Run time relative to a reference computation: {_TITLES[name]}",
                    ["computation", "reference", "ratio", "range", "goal", "reference s"],
                    [ratio.row() for ratio in part.measure()],
                    {"ratio": ".3g", "reference s": ".4f"},
                    _notes(),
                )
            )
    if "memory" in parts:
        yield _shown(
            Table(
                "Peak memory, including the data",
                ["computation", "GB", "goal"],
                [memory.measure()],
                {"GB": ".2f"},
            )
        )
        rows = list(screen_memory.measure())
        yield _shown(
            Table("Anonymous memory in addition to the input", ["computation", "MB", "goal"], rows, {"MB": ".0f"})
        )
    if "intervals" in parts:
        sizes, rows = ["n = 100", "n = 1,000", "n = 100,000"], list(measure.measure_defaults())
        above = [str(row[0]) for row in rows if row[-1] == "no"]
        yield _shown(
            Table(
                "Intervals and tests: processor seconds of each default, with n observations in each class",
                ["default", *sizes, "at most 0.5 s with n = 100,000"],
                rows,
                dict.fromkeys(sizes, ".3g"),
                [
                    *_notes("Medians of three runs of one thread, with the default numbers of resamples and draws."),
                    f"Above the goal: {'; '.join(above) or 'none'}.",
                ],
            )
        )
    if "latency" in parts:
        yield from map(_shown, latency.measure())


def _shown(table: Table) -> Table:
    print(table.to_text(), end="\n\n", flush=True)
    return table


def _notes(runs: str = "Medians of paired runs.") -> list[str]:
    versions = f"Python {platform.python_version()}, numpy {numpy.__version__}, scipy {scipy.__version__}"
    notes = [f"{versions}; {platform.machine()}, {_processor()}, {os.cpu_count()} processors. {runs}"]
    missing = screen.missing_peers()
    return notes + ([f"Not installed, and so not compared: {', '.join(missing)}."] if missing else [])


def _processor() -> str:
    """Return the name of the processor, or "unknown processor"."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor() or "unknown processor")


if __name__ == "__main__":
    main()
