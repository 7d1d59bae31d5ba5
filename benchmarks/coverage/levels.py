"""How often tests reject a true hypothesis at 5 %."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from scipy.special import ndtri

import rocpredict as rp
from benchmarks.coverage.intervals import mc_error

ALPHA = 0.05
AUCS = (0.5, 0.7, 0.85)
SMALL, LARGE, EXACT = (10, 20, 50), 200, (8, 15)
Run = Callable[[np.random.Generator, int], float]
"""Draws data on which the hypothesis is true, n cases a class, and gives p."""


@dataclass(frozen=True)
class Runs:
    """How many data sets are drawn: of many cases and for the exact test, of few cases, and for tests that resample."""

    large: int = 10_000
    small: int = 800
    resampled: int = 200
    resamples: int = 200


@dataclass(frozen=True)
class Level:
    """How often one test rejected."""

    test: str
    setting: str
    n: int
    runs: int
    rejected: float

    @property
    def error(self) -> float:
        """Give the Monte-Carlo standard error at a rate of 5 %."""
        return mc_error(self.runs, ALPHA)


@dataclass(frozen=True)
class Trial:
    """A test with a true hypothesis."""

    test: str
    setting: str
    run: Run

    def level(self, rng: np.random.Generator, n: int, runs: int) -> Level:
        """Give how often p is 5 % or less."""
        p = np.array([self.run(rng, n) for _ in range(runs)])
        return Level(self.test, self.setting, n, runs, float(np.mean(p <= ALPHA + 1e-12)))


def features(rng: np.random.Generator, n: int, auc: float, correlation: float, count: int) -> Any:
    """Draw Gaussian features of one AUC on the same cases, equally correlated: shape (count, 2 n), and labels."""
    shared, own = rng.normal(size=2 * n), rng.normal(size=(count, 2 * n))
    x = np.sqrt(correlation) * shared + np.sqrt(1 - correlation) * own
    x[:, n:] += np.sqrt(2) * ndtri(auc)
    return x, np.repeat([0, 1], n)


def asymptotic() -> list[Trial]:
    """Give the tests that rest on the normal law."""
    found = [paired("delong", auc, correlation) for auc, correlation in product(AUCS, (0, 0.5))]
    found += [_unpaired("delong", auc) for auc in AUCS]
    found += [one(method, auc) for method, auc in product(("smoothed-logit", "delong"), AUCS)]
    return [*found, one("mann-whitney", 0.5), *(_omnibus(auc) for auc in AUCS)]


def measure(runs: Runs, rng: np.random.Generator) -> Iterator[Level]:
    """Try every test."""
    for trial in asymptotic():
        for n in SMALL:
            yield trial.level(rng, n, runs.small)
        yield trial.level(rng, LARGE, runs.large)
    for n in EXACT:
        yield one("exact", 0.5).level(rng, n, runs.large)
    for method in ("bootstrap", "venkatraman"):
        for make, n in product((paired, _unpaired), (20, 50)):
            trial = make(method, 0.7, resamples=runs.resamples)
            yield trial.level(rng, n, runs.resampled)


def paired(method: str, auc: float, correlation: float = 0.5, resamples: int = 20) -> Trial:
    """Give two features of the same cases."""

    def run(rng: np.random.Generator, n: int) -> float:
        (first, second), y = features(rng, n, auc, correlation, 2)
        return rp.auc_test(first, second, y, method=method, n_resamples=resamples, rng=rng).p_value

    return Trial(f"paired, {method}", f"AUC {auc:g}, correlation {correlation:g}", run)


def _unpaired(method: str, auc: float, resamples: int = 20) -> Trial:
    def run(rng: np.random.Generator, n: int) -> float:
        (first, second), y = features(rng, n, auc, 0, 2)
        return rp.auc_test((first, y), (second, y), method=method, n_resamples=resamples, rng=rng).p_value

    return Trial(f"unpaired, {method}", f"AUC {auc:g}", run)


def one(method: str, auc: float) -> Trial:
    """Give one feature against its true AUC."""

    def run(rng: np.random.Generator, n: int) -> float:
        (x,), y = features(rng, n, auc, 0, 1)
        return rp.auc_test(x, None, y, null=auc, method=method).p_value

    return Trial(f"one curve, {method}", f"AUC {auc:g}", run)


def _omnibus(auc: float) -> Trial:
    def run(rng: np.random.Generator, n: int) -> float:
        x, y = features(rng, n, auc, 0.5, 3)
        return rp.auc_test_many(list(x), y).p_value

    return Trial("three curves, omnibus", f"AUC {auc:g}, correlation 0.5", run)
