"""Speed of intervals and tests: ratios to a reference, and the processor time of each default."""

import statistics
import time
from collections.abc import Callable, Iterator

import numpy as np
from sklearn.metrics import roc_auc_score

import rocpredict as rp
from benchmarks.ratio import Ratio, compare

_MILLION = 1_000_000
_RESAMPLES = 2_000
_SIZES = 100, 1_000, 100_000
_GOAL = 0.5  # seconds, for a default interval or test with the largest size
_N_RUNS = 3


def measure() -> Iterator[Ratio]:
    yield _a_million_rows()
    yield _a_bootstrap()
    yield _two_features()


def _rows(count: int, features: int = 1) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, count)
    return rng.normal(size=(features, count)) + y, y


def _a_million_rows() -> Ratio:
    (x,), y = _rows(_MILLION)
    return compare(
        "1,000,000 rows: AUC and its DeLong interval, from values and labels",
        lambda: rp.empirical_roc(x, y).auc_interval(method="delong"),
        "np.sort of the values",
        lambda: np.sort(x),
        goal="<= 5, aim 4",
    )


def _a_bootstrap() -> Ratio:
    (x,), y = _rows(1_000)
    roc = rp.empirical_roc(x, y)
    classes = [np.flatnonzero(y == label) for label in (0, 1)]
    rng = np.random.default_rng(1)

    def loop() -> None:
        for _ in range(_RESAMPLES):
            rows = np.concatenate([rng.choice(members, len(members)) for members in classes])
            roc_auc_score(y[rows], x[rows])

    return compare(
        "1,000 rows: 2,000 stratified resamples and their interval",
        lambda: roc.auc_interval(method="bootstrap", n_resamples=_RESAMPLES),
        "the same loop over scikit-learn's roc_auc_score",
        loop,
        goal="<= 0.1",
        runs=3,
    )


def _two_features() -> Ratio:
    (x1, x2), y = _rows(100_000, features=2)
    return compare(
        "100,000 rows: DeLong's test of two features on the same rows",
        lambda: rp.auc_test(x1, x2, y),
        "np.sort of both",
        lambda: (np.sort(x1), np.sort(x2)),
        goal="<= 15",
        runs=21,
    )


def measure_defaults() -> Iterator[list[object]]:
    """Return the name of each default interval and test, its seconds at each size, and whether they meet the goal."""
    calls = [_default_calls(size) for size in _SIZES]
    for name in calls[0]:
        seconds = [_processor_seconds(by_name[name]) for by_name in calls]
        yield [name, *seconds, "yes" if seconds[-1] <= _GOAL else "no"]


def _processor_seconds(call: Callable[[], object]) -> float:
    runs = []
    for _ in range(_N_RUNS):
        start = time.process_time()
        call()
        runs.append(time.process_time() - start)
    return statistics.median(runs)


def _default_calls(size: int) -> dict[str, Callable[[], object]]:
    """Return the calls for samples of ``size`` observations in each class."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], size)
    x1, x2, x3 = rng.normal(size=(3, 2 * size)) + rng.normal(size=2 * size) + 1.5 * y
    clusters, groups = np.arange(2 * size) // 5, rng.integers(0, 4, 2 * size)
    first, second = (x1[::2], y[::2]), (x2[1::2], y[1::2])
    scores = rng.normal(size=(3 * size, 3)) + np.repeat(np.eye(3), size, axis=0)
    published = rp.PredictedRoc.from_stats(mean=(4, 8), std=(3, 2), count=(size, size))

    def roc() -> rp.EmpiricalRoc:
        return rp.empirical_roc(x1, y)  # created in each call, because a curve caches its results

    return {
        "AUC: interval": lambda: roc().auc_interval(),
        "AUC: test against a value": lambda: rp.auc_test(x1, None, y, null=0.8),
        "AUC with clusters: interval": lambda: rp.auc_estimate(x1, y, clusters=clusters).interval,
        "AUCs of two features, same observations: test": lambda: rp.auc_test(x1, x2, y),
        "AUCs of two samples: test": lambda: rp.auc_test(first, second),
        "AUCs of three features: test and contrasts": lambda: rp.auc_test_many([x1, x2, x3], y),
        "AUCs of four groups: test": lambda: rp.auc_estimate(x1, y, groups=groups),
        "AUC of three classes: interval": lambda: rp.multiclass_auc(scores, np.repeat([0, 1, 2], size)),
        "TPR at FPR 0.1: interval": lambda: roc().tpr_at_fpr_interval(0.1),
        "FPR at TPR 0.9: interval": lambda: roc().fpr_at_tpr_interval(0.9),
        "TPRs at FPR 0.1, same observations: test": lambda: rp.auc_test(x1, x2, y, tpr_at_fpr=0.1),
        "partial AUC to FPR 0.1: interval": lambda: roc().partial_auc_interval(fpr=(0, 0.1)),
        "partial AUCs to FPR 0.1, same observations: test": lambda: rp.auc_test(x1, x2, y, fpr=(0, 0.1)),
        "partial AUCs to FPR 0.1, two samples: test": lambda: rp.auc_test(first, second, fpr=(0, 0.1)),
        "pointwise band": lambda: roc().band(),
        "simultaneous band": lambda: roc().band(kind="simultaneous"),
        "rate at a threshold: interval": lambda: roc().rate_interval("tpr", 1.0),
        "best threshold: interval": lambda: roc().best_threshold().threshold_interval(),
        "Ameans at the best threshold: interval": lambda: roc().best_threshold().ameans_interval(),
        "predicted AUC: interval": published.auc_interval,
        "predicted TPR at FPR 0.1: interval": lambda: published.tpr_at_fpr_interval(0.1),
        "predicted partial AUC to FPR 0.1: interval": lambda: published.partial_auc_interval(fpr=(0, 0.1)),
        "predicted best threshold: interval": lambda: published.best_threshold().threshold_interval(),
        "predicted Ameans: interval": lambda: published.best_threshold().ameans_interval(),
        "two classifiers: McNemar's test": lambda: rp.mcnemar_test(y, x1 > 1, x2 > 1),
    }
