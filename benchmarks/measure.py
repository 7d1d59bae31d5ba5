"""Speed of intervals and tests: ratios to a reference, and the processor time of each default."""

from collections.abc import Iterator

import numpy as np
from sklearn.metrics import roc_auc_score

import rocpredict as rp
from benchmarks.ratio import Ratio, compare

_MILLION = 1_000_000
_RESAMPLES = 2_000


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
