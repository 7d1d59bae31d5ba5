"""Anonymous memory of a screening in addition to its input, in a separate process."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

_PREAMBLE = """
import sys, threading, time
import numpy as np
import scipy.sparse as sp
import rocpredict as rp

def anonymous():
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("RssAnon"))

def watched(run):
    run_once = rp.screen(np.random.default_rng(0).normal(size=(200, 4)), np.arange(200) % 2)
    start, peak, done = anonymous(), [0], threading.Event()
    def watch():
        while not done.is_set():
            peak[0] = max(peak[0], anonymous())
            time.sleep(0.002)
    watcher = threading.Thread(target=watch)
    watcher.start()
    run()
    done.set()
    watcher.join()
    print((peak[0] - start) / 1e3)

rng = np.random.default_rng(0)
"""
_DENSE = """
X, y = rng.normal(size=(100_000, 500)), rng.integers(0, 2, 100_000)
watched(lambda: rp.screen(X, y, n_jobs=2))
"""
_CSR = """
X = sp.random(100_000, 2_000, density=0.1, format="csr", random_state=rng, data_rvs=rng.standard_normal)
y = rng.integers(0, 2, 100_000)
watched(lambda: rp.screen(X, y, n_jobs=2))
"""
_MAP = """
X = np.memmap(sys.argv[1], dtype=np.float64, mode="r", shape=(1_000_000, 500))
y = rng.integers(0, 2, len(X))
watched(lambda: rp.screen(X, y, n_jobs=2, empirical={empirical}))
"""


def measure() -> Iterator[list[object]]:
    """Return rows of a table: the call, the megabytes in addition to the input, and the goal."""
    yield ["dense 100,000 x 500, exact, two threads", _run(_DENSE), "< 200"]
    yield ["sparse CSR 100,000 x 2,000, 10% non-zero, exact, two threads", _run(_CSR), "< 400"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "four_gigabytes.bin"
        _fill(path)
        for empirical, words in ((False, "predicted"), (True, "exact")):
            script = _MAP.format(empirical=empirical)
            yield [f"memory map of 4 GB, 1,000,000 x 500, {words}, two threads", _run(script, str(path)), "< 400"]


def _run(script: str, *arguments: str) -> float:
    run = subprocess.run([sys.executable, "-c", _PREAMBLE + script, *arguments], check=True, capture_output=True)
    return float(run.stdout)


def _fill(path: Path) -> None:
    import numpy as np

    rng = np.random.default_rng(0)
    with path.open("wb") as file:
        for _ in range(500):
            file.write(rng.normal(size=(2_000, 500)).tobytes())
