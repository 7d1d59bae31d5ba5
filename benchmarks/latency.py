"""Time that each public call for one feature takes: ``make latency``.

Each call starts from a fresh curve, so that no cached result of an earlier call shortens it. A call that takes longer
than the limit is stopped.
"""

import argparse
import gc
import pickle
import signal
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import scipy.stats

import rocpredict as rp
from rocpredict.base.tables import Table

SIZES = (200, 1_000, 100_000)
FAMILIES = ("empirical", "gaussian", "auto", "boxcox", "kde", "mixture", "gumbel_r")
RESAMPLED = " [resampled]"
"""Mark of calls that resample, simulate or cross-validate; the goal of 1 s applies to all other calls."""
LIMIT = 3
_SHORT, _SHORT_RUNS = 0.1, 3  # longest time of a short call in seconds, and how often a short call is timed

Make = Callable[[], Any]


def _best(roc: Any) -> Any:
    return roc.best_threshold()


@cache
def _rows(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return positive, right-skewed values of two classes that overlap."""
    rng = np.random.default_rng(0)
    return np.concatenate([rng.gamma(4, 1, count), rng.gamma(5, 1.3, count)]), np.repeat([0, 1], count)


def _counted(roc: Any) -> Any:
    return rp.empirical_roc(*_rows(int(roc.count[0])))


def _report(roc: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        rp.feature_report(*_rows(int(roc.count[0])), Path(folder) / "report.html", family=_family(roc))


def _family(roc: Any) -> Any:
    return roc.latency_family


def _curve(count: int, family: str) -> Any:
    chosen = _scipy_family(family)
    roc = rp.empirical_roc(*_rows(count)) if family == "empirical" else rp.predict_roc(*_rows(count), family=chosen)
    object.__setattr__(roc, "latency_family", chosen)
    return roc


def _scipy_family(family: str) -> Any:
    return scipy.stats.gumbel_r if family == "gumbel_r" else family


@cache
def _fitted(count: int, family: str) -> bytes:
    """Return a fitted curve without any cached result."""
    return pickle.dumps(_curve(count, family))


def _fresh_curve(count: int, family: str) -> Any:
    roc = pickle.loads(_fitted(count, family))
    object.__setattr__(roc, "latency_family", _scipy_family(family))
    return roc


CALLS: dict[str, Callable[[Any], Any]] = {
    "auc": lambda roc: roc.auc(),
    "auc_interval": lambda roc: roc.auc_interval(),
    "auc_interval bootstrap" + RESAMPLED: lambda roc: roc.auc_interval(method="bootstrap"),
    "auc_test": lambda roc: roc.auc_test(),
    "tpr_at_fpr": lambda roc: roc.tpr_at_fpr(0.1),
    "tpr_at_fpr_interval" + RESAMPLED: lambda roc: roc.tpr_at_fpr_interval(0.1),
    "partial_auc": lambda roc: roc.partial_auc(fpr=(0, 0.1)),
    "partial_auc_interval" + RESAMPLED: lambda roc: roc.partial_auc_interval(fpr=(0, 0.1)),
    "best_threshold": _best,
    "threshold_interval" + RESAMPLED: lambda roc: _best(roc).threshold_interval(),
    "ameans_interval" + RESAMPLED: lambda roc: _best(roc).ameans_interval(),
    "crossings": lambda roc: roc.crossings(),
    "hook": lambda roc: roc.hook(),
    "proper auc": lambda roc: roc.proper().auc(),
    "proper best_rule": lambda roc: roc.proper().best_rule(),
    "curve": lambda roc: roc.curve(),
    "precision_recall_curve": lambda roc: roc.precision_recall_curve().average_precision,
    "decision_curve": lambda roc: roc.decision_curve(),
    "band" + RESAMPLED: lambda roc: roc.band(),
    "compare": lambda roc: rp.compare(roc, _counted(roc)),
    "plot": lambda roc: roc.plot(),
    "plot densities": lambda roc: roc.plot("densities"),
    "repr": repr,
    "repr of best_threshold" + RESAMPLED: lambda roc: repr(_best(roc)),
    "diagnose" + RESAMPLED: lambda roc: rp.diagnose(*_rows(int(roc.count[0])), family=_family(roc)),
    "feature_report" + RESAMPLED: _report,
}


class _TooLongError(Exception):
    """A call has taken longer than the limit."""


def _stop(*_: Any) -> None:
    raise _TooLongError


def seconds(call: Callable[[Any], Any], make: Make, limit: float) -> float | str:
    """Return the time of a call on a new curve, or the reason why the time was not measured.

    The time is the shortest wall time of a short call, or the processor time of a long call. Other processes hardly
    affect either.
    """
    shortest = float("inf")
    for _ in range(_SHORT_RUNS):
        curve = make()
        gc.collect()
        signal.setitimer(signal.ITIMER_PROF, limit)
        start, cpu_start = time.perf_counter(), time.process_time()
        try:
            call(curve)
        except _TooLongError:
            return f"> {limit:g}"
        except rp.RocPredictError:
            return "-"
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        shortest = min(shortest, time.perf_counter() - start)
        if shortest > _SHORT:
            return min(shortest, time.process_time() - cpu_start)
    return shortest


def measure(
    sizes: tuple[int, ...] = SIZES, families: tuple[str, ...] = FAMILIES, only: str = "", limit: float = LIMIT
) -> Iterator[Table]:
    """Yield one table for each number of observations per class."""
    import matplotlib as mpl

    mpl.use("Agg")
    signal.signal(signal.SIGPROF, _stop)
    calls = {name: call for name, call in CALLS.items() if only in name}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, call in CALLS.items():  # warm-up: imports and just-in-time compilation
            if name in calls:
                seconds(call, lambda: _curve(50, "gaussian"), limit)
        for size in sizes:
            rows: list[list[object]] = []
            if only in "fit":
                fits = [seconds(lambda f: _curve(size, f), lambda f=family: f, limit) for family in families]  # noqa: B023
                rows.append(["fit", *map(_text, fits)])
            for name, call in calls.items():
                times = [seconds(call, lambda f=family: _fresh_curve(size, f), limit) for family in families]  # noqa: B023
                rows.append([name, *map(_text, times)])
            values = np.random.default_rng(0).normal(size=1_000_000)
            reference = seconds(lambda _: np.sort(values), lambda: None, limit)  # noqa: B023
            yield Table(
                f"Seconds of one call, {size:,} observations per class",
                ["call", *families],
                rows,
                {},
                [f"np.sort of 1,000,000 doubles in the same run: {_text(reference)} s."],
            )


def _text(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.2g}" if value < 10 else f"{value:.0f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--families", nargs="+", default=FAMILIES)
    parser.add_argument("--only", default="", help="time only calls whose name contains this text")
    parser.add_argument("--limit", type=float, default=LIMIT)
    options = parser.parse_args()
    for table in measure(tuple(options.sizes), tuple(options.families), options.only, options.limit):
        print(table.to_text(), end="\n\n", flush=True)


if __name__ == "__main__":
    main()
