"""Print the benchmark table."""

import os
import platform

import numpy
import scipy

from benchmarks import measure, memory, predict
from rocpredict.tables import Table

if __name__ == "__main__":
    rows = [ratio.row() for part in (predict, measure) for ratio in part.measure()]
    versions = f"Python {platform.python_version()}, numpy {numpy.__version__}, scipy {scipy.__version__}"
    print(
        Table(
            "Speed: time of the work over time of its reference, run in turn",
            ["work", "reference", "ratio", "range", "goal", "reference s"],
            rows,
            {"ratio": ".2f", "reference s": ".4f"},
            [f"{versions}; {platform.machine()}, {os.cpu_count()} processors. Medians of paired runs."],
        ).to_text()
    )
    print()
    print(Table("Memory at its peak", ["work", "GB", "goal"], [memory.measure()], {"GB": ".2f"}).to_text())
