"""Ratios of scores, with intervals that account for the similarity of the features of one data set."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.fidelity.cases import Case
from benchmarks.fidelity.goals import MISFIT
from benchmarks.fidelity.scoring import COUNTED, Misfit, Score
from benchmarks.fidelity.sources import Array
from rocpredict import EmpiricalRoc

BINS = (0.5, 0.55, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)
WORSE = 1.05
_RESAMPLES = 2_000
_SEED = 1


@dataclass(frozen=True)
class Compared:
    """One estimator compared with the empirical curve, over features."""

    features: int
    error: float
    ratio: float
    low: float
    high: float
    win: float
    worse: float
    regret: float | None
    bias: float | None
    bias_of_best: float


class Scores:
    """Scores by size, mode and estimator."""

    def __init__(self, scores: Iterable[Score]) -> None:
        self._held: dict[tuple[int, str, str], list[Score]] = {}
        for score in scores:
            self._held.setdefault((score.n, score.mode, score.estimator), []).append(score)

    def estimators(self, n: int, mode: str) -> list[str]:
        """Return the names of the estimators with scores at this size and in this mode."""
        return [name for size, how, name in self._held if (size, how) == (n, mode)]

    def pairs(
        self, n: int, mode: str, estimator: str, among: Callable[[Case], bool] | None = None
    ) -> list[tuple[Score, Score]]:
        """Return the scores of an estimator and of the empirical curve on the same features."""
        mine, counted = (self._held.get((n, mode, name), []) for name in (estimator, COUNTED))
        return [pair for pair in zip(mine, counted, strict=True) if among is None or among(pair[0].case)]

    def compared(
        self, n: int, mode: str, estimator: str, among: Callable[[Case], bool] | None = None
    ) -> Compared | None:
        """Compare an estimator with the empirical curve; None if there is no case."""
        pairs = self.pairs(n, mode, estimator, among)
        return compared(pairs) if pairs else None


def compared(pairs: Sequence[tuple[Score, Score]]) -> Compared:
    """Compare the scores of an estimator with those of the empirical curve."""
    error, counted = (np.array([pair[k].error for pair in pairs]) for k in (0, 1))
    lost, regrets = ([pair[k].regret for pair in pairs] for k in (0, 1))
    low, high = interval(error, counted, [mine.case.data for mine, _ in pairs])
    return Compared(
        len(pairs),
        float(error.mean()),
        float(error.sum() / counted.sum()),
        low,
        high,
        float(np.mean(error < counted)),
        float(np.mean(error > WORSE * counted)),
        None if None in lost else float(np.sum(lost) / np.sum(regrets)),
        None if None in lost else float(np.mean([mine.bias for mine, _ in pairs])),
        float(np.mean([mine.bias_of_best for mine, _ in pairs])),
    )


def interval(error: Array, counted: Array, clusters: Sequence[str]) -> tuple[float, float]:
    """Return the 95% percentile interval of a ratio of sums, by resampling whole data sets."""
    names, which = np.unique(clusters, return_inverse=True)
    sums = [np.bincount(which, weights=part) for part in (error, counted)]
    drawn = np.random.default_rng(_SEED).integers(len(names), size=(_RESAMPLES, len(names)))
    ratios = sums[0][drawn].sum(axis=1) / sums[1][drawn].sum(axis=1)
    low, high = np.quantile(ratios, [0.025, 0.975])
    return float(low), float(high)


def losses(what: str, pairs: Sequence[tuple[Score, Score]], floor: float) -> list[tuple[str, float]]:
    """Return the proportion of each data set in the total loss, the largest first; sets without loss are omitted."""
    lost: dict[str, float] = {}
    sign = np.sign(np.sum([mine.bias or 0.0 for mine, _ in pairs]))
    for mine, counted in pairs:
        each = {
            "win": float(mine.error >= counted.error),
            "worse": float(mine.error > WORSE * counted.error),
            "regret": (mine.regret or 0.0) - floor * (counted.regret or 0.0),
            "bias": float(sign * (mine.bias or 0.0)) - floor,
        }
        lost[mine.case.data] = lost.get(mine.case.data, 0.0) + each.get(what, mine.error - floor * counted.error)
    held = {data: loss for data, loss in lost.items() if loss > 0}
    total = sum(held.values())
    return [(data, loss / total) for data, loss in sorted(held.items(), key=lambda item: -item[1])]


def in_bin(k: int) -> Callable[[Case], bool]:
    """Return which features have an AUC in the k-th bin; the first and the last bin are closed."""
    low, high = BINS[k : k + 2]
    return lambda case: low <= case.auc < high or case.auc == high == BINS[-1]


def flag_auc(misfits: Iterable[Misfit]) -> tuple[float, float]:
    """Return the AUC of the sample distances for detecting features that do not fit, and their proportion."""
    found = list(misfits)
    distances = np.concatenate([one.of_draws for one in found])
    bad = np.repeat([one.of_all > MISFIT for one in found], [len(one.of_draws) for one in found])
    auc = EmpiricalRoc(negative=distances[~bad], positive=distances[bad]).auc()
    return float(auc), float(np.mean([one.of_all > MISFIT for one in found]))
