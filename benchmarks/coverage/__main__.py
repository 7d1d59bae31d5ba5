"""Measure coverage and levels, and write the page: ``python -m benchmarks.coverage [--quick] [--out FILE]``."""

import argparse
import sys
import time
from itertools import product
from pathlib import Path

import numpy as np

from benchmarks.coverage import levels, others
from benchmarks.coverage.intervals import Draws, cover, cover_again
from benchmarks.coverage.page import Measured, is_outside, written
from benchmarks.coverage.settings import EQUAL, FEW, UNEQUAL, pairs

_SEED = 1


def measure(*, quick: bool) -> Measured:
    """Measure everything; quick: a few data sets in a few settings."""
    draws = Draws(300, 100, 20, 200, again=300) if quick else Draws()
    runs = levels.Runs(300, 50, 10, 50) if quick else levels.Runs()
    found = Measured(_SEED, draws, runs, other_draws=20 if quick else 300)
    counts = (*EQUAL, *UNEQUAL, *FEW)
    for index, (pair, count) in enumerate(product(pairs()[:: 5 if quick else 1], counts)):
        covered = list(cover(pair, count, draws, np.random.default_rng([_SEED, index])))
        if is_outside(covered[0]):
            covered[0] = cover_again(covered[0], draws, np.random.default_rng([_SEED, index, 3]))
        found.areas.extend(covered)
        _say(f"{pair.name}, AUC {pair.auc:g}, {count}")
    found.others.extend(others.measure(found.other_draws, np.random.default_rng([_SEED, 0, 1])))
    _say("other intervals")
    for level in levels.measure(runs, np.random.default_rng([_SEED, 0, 2])):
        found.levels.append(level)
        _say(f"{level.test}, {level.setting}, n = {level.n}")
    return found


def _say(what: str) -> None:
    print(f"{time.process_time():6.0f} s  {what}", file=sys.stderr)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage", description=__doc__.partition(":")[0])
    parser.add_argument("--quick", action="store_true", help="fewer data sets and settings, under a minute")
    parser.add_argument("--out", type=Path, help="write the page there; left out, print it")
    asked = parser.parse_args()
    page = written(measure(quick=asked.quick))
    if asked.out is None:
        print(page)
    else:
        asked.out.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
