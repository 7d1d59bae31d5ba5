"""Compare family="auto" with the empirical curve on 21 simulated pairs: ``python -m benchmarks.robust [--quick]``."""

import argparse
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import NamedTuple
from zlib import crc32

import numpy as np
from scipy import stats

import rocpredict as rp
from benchmarks.fidelity.counted import Answer, counted, empirical_heights
from benchmarks.fidelity.drawing import auc
from benchmarks.fidelity.predicted import gaussian, kde
from benchmarks.fidelity.shrunk import auto
from benchmarks.fidelity.sources import Array
from rocpredict.base.tables import Table

Class = list[tuple[float, Callable[[Array], Array]]]
"""Weights and quantile functions of the components of a class."""

DRAWS = {(10, 10): 400, (20, 20): 300, (50, 50): 200, (200, 200): 100, (1000, 1000): 30, (10, 100): 200, (100, 10): 200}
_POPULATION = 20_000
_MAX_KDE_DRAWS = 20
_TOLERANCE, _MIN_REGRET = 1.05, 0.002
_DECLARED, _FIXED, _CHOSEN = "auto, direction declared", "auto, direction=None", "auto, direction chosen"
_DIRECTIONS = {_DECLARED: "higher", _FIXED: None, _CHOSEN: "auto"}


def _normal(mean: float = 0.0, std: float = 1.0, weight: float = 1.0) -> tuple[float, Callable[[Array], Array]]:
    return weight, stats.norm(mean, std).ppf


def _single(distribution: object, shift: float = 0.0) -> Class:
    return [(1.0, lambda u: np.asarray(distribution.ppf(u)) + shift)]  # type: ignore[attr-defined]


def _steps(*shares: float) -> Class:
    return [(1.0, lambda u: np.searchsorted(np.cumsum(shares)[:-1], u, side="right").astype(float))]


def _zeros(share: float) -> Class:
    return [(share, np.zeros_like), (1 - share, stats.lognorm(1).ppf)]


def _wild(mean: float) -> Class:
    return [_normal(mean, 1, 0.98), (0.02, lambda u: 1000 * stats.norm(mean).ppf(u))]


_STANDARD = [_normal()]
PAIRS: dict[str, tuple[Class, Class]] = {
    "N(0,1) / N(0,1)": (_STANDARD, _STANDARD),
    "N(0,1) / N(.5,1)": (_STANDARD, [_normal(0.5)]),
    "N(0,1) / N(1.5,1)": (_STANDARD, [_normal(1.5)]),
    "N(0,1) / N(3,1)": (_STANDARD, [_normal(3)]),
    "N(0,1) / N(0,3)": (_STANDARD, [_normal(0, 3)]),
    "N(0,1) / N(1,2)": (_STANDARD, [_normal(1, 2)]),
    "lognormal 0 / 1": (_single(stats.lognorm(1)), _single(stats.lognorm(1, scale=np.e))),
    "exponential 1 / 3": (_single(stats.expon), _single(stats.expon(scale=3))),
    "uniform / uniform + .3": (_single(stats.uniform), _single(stats.uniform, 0.3)),
    "uniform / beta(1, .2)": (_single(stats.uniform), _single(stats.beta(1, 0.2))),
    "t2, shift 1": (_single(stats.t(2)), _single(stats.t(2), 1.0)),
    "Cauchy, shift 2": (_single(stats.cauchy), _single(stats.cauchy, 2.0)),
    "Laplace, shift 1": (_single(stats.laplace), _single(stats.laplace, 1.0)),
    "N(0,1) / bimodal": (_STANDARD, [_normal(-3, 0.5, 0.5), _normal(3, 0.5, 0.5)]),
    "N(0,1) / 30% responders": (_STANDARD, [_normal(0, 1, 0.7), _normal(4, 1, 0.3)]),
    "binary .2 / .5": (_steps(0.8, 0.2), _steps(0.5, 0.5)),
    "Poisson .2 / .5": (_single(stats.poisson(0.2)), _single(stats.poisson(0.5))),
    "Poisson 3 / 5": (_single(stats.poisson(3)), _single(stats.poisson(5))),
    "90% / 60% zeros": (_zeros(0.9), _zeros(0.6)),
    "five ratings": (_steps(0.5, 0.2, 0.15, 0.1, 0.05), _steps(0.05, 0.1, 0.15, 0.2, 0.5)),
    "2% times 1,000": (_wild(0), _wild(1)),
}
_TIED = ("binary .2 / .5", "Poisson .2 / .5", "Poisson 3 / 5", "five ratings")


class Cell(NamedTuple):
    """Figures of one estimator on one pair at one size, means over the draws."""

    pair: str
    sizes: tuple[int, int]
    estimator: str
    ratio: float
    ratio_error: float
    regret: float
    empirical_regret: float
    regret_error: float
    bias: float
    tie_shift: float
    ameans_coverage: float
    auc_coverage: float

    @property
    def is_met(self) -> bool:
        """Return whether error and regret are within their bounds."""
        allowed = self.empirical_regret + max(0.05 * self.empirical_regret, _MIN_REGRET) + 2 * self.regret_error
        return self.ratio <= _TOLERANCE + 2 * self.ratio_error and self.regret <= allowed


class Population:
    """Evenly spaced quantiles of both classes, with the true curve, area and best Ameans."""

    def __init__(self, negative: Array, positive: Array) -> None:
        self.classes = negative, positive = np.sort(negative), np.sort(positive)
        values = np.unique(self.classes)
        gain = np.searchsorted(negative, values, "left") - np.searchsorted(positive, values, "left")
        self.heights = empirical_heights(negative[None, :], positive[None, :])[0]
        self.best = (1 + max(gain.max(), 0) / _POPULATION) / 2
        self.area = rp.EmpiricalRoc(negative=negative, positive=positive).auc()

    def achieved(self, threshold: Array) -> Array:
        """Return the Ameans of thresholds."""
        below = [np.searchsorted(part, threshold, "left") / _POPULATION for part in self.classes]
        return (1 + below[0] - below[1]) / 2


class Draws(NamedTuple):
    """R samples of two classes, arrays of shape (R, n); the signs of some may be reversed, with their population."""

    negative: Array
    positive: Array
    populations: tuple[Population, Population]
    is_reversed: Array

    def first(self, count: int) -> "Draws":
        """Return the first draws."""
        return Draws(self.negative[:count], self.positive[:count], self.populations, self.is_reversed[:count])

    def with_chosen_direction(self) -> "Draws":
        """Return the draws with reversed signs in each sample with an AUC below 1/2, as ``direction="auto"`` does."""
        lower = auc(self.negative, self.positive) < 0.5
        sign = np.where(lower, -1, 1)[:, None]
        return Draws(sign * self.negative, sign * self.positive, self.populations, lower)

    def truth(self, name: str) -> Array:
        """Return an attribute of the population of each draw."""
        return np.array([getattr(self.populations[int(lower)], name) for lower in self.is_reversed])

    def achieved(self, threshold: Array) -> Array:
        """Return the Ameans of one threshold per draw in its population."""
        return np.where(self.is_reversed, *(whole.achieved(threshold) for whole in reversed(self.populations)))


def quantiles(components: Class) -> Array:
    """Return evenly spaced quantiles of a class."""
    parts = []
    for weight, quantile in components:
        size = round(weight * _POPULATION)
        parts.append(quantile((np.arange(size) + 0.5) / size))
    return np.concatenate(parts)


def sample(components: Class, rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    """Return independent values of a class."""
    u, which = rng.random(shape), rng.choice(len(components), shape, p=[weight for weight, _ in components])
    return np.choose(which, [quantile(u) for _, quantile in components])


def measure(name: str, sizes: tuple[int, int], n_draws: int) -> list[Cell]:
    """Return the cells of all estimators on one pair."""
    pair = PAIRS[name]
    rng = np.random.default_rng([crc32(name.encode()), *sizes])
    samples = [sample(part, rng, (n_draws, n)) for part, n in zip(pair, sizes, strict=True)]
    whole = [quantiles(part) for part in pair]
    populations = Population(*whole), Population(*(-part for part in whole))
    draws = Draws(*samples, populations, np.zeros(n_draws, bool))

    def cell(label: str, estimator: Callable[[Array, Array], Answer], draws: Draws) -> Cell:
        answer, base_answer = estimator(*draws[:2]), counted(*draws[:2])
        heights, best = draws.truth("heights"), draws.truth("best")
        error, base = (np.abs(one.heights - heights).mean(axis=1) for one in (answer, base_answer))
        achieved, base_achieved = draws.achieved(answer.threshold), draws.achieved(base_answer.threshold)
        ratio = error.mean() / base.mean()
        ratio_error = np.std(error - ratio * base) / base.mean() / np.sqrt(len(error))
        shift, coverage = np.nan, (np.nan, np.nan)
        if label in _DIRECTIONS:
            shift = _tie_shift(draws[:2], estimator, rng) if name in _TIED else 0.0
            coverage = _coverage(draws, _DIRECTIONS[label])
        return Cell(
            name, sizes, label, ratio, ratio_error, np.mean(best - achieved), np.mean(best - base_achieved),
            np.std(achieved - base_achieved) / np.sqrt(len(error)), np.mean(answer.ameans - achieved), shift, *coverage,
        )  # fmt: skip

    return [
        cell(_DECLARED, auto, draws),
        cell(_FIXED, partial(auto, declared=False), draws),
        cell(_CHOSEN, partial(auto, declared=False, is_chosen=True), draws.with_chosen_direction()),
        cell("gaussian", gaussian, draws),
        *([cell("kde", kde, draws.first(_MAX_KDE_DRAWS))] if max(sizes) <= 200 else []),
    ]


def _tie_shift(part: Sequence[Array], estimator: Callable[[Array, Array], Answer], rng: np.random.Generator) -> float:
    """Return the mean change of the area when ties are broken at random."""
    broken = estimator(*(values + rng.random(values.shape) / 2 for values in part))
    return float(np.mean(estimator(*part).heights - broken.heights))


def _coverage(draws: Draws, direction: str | None) -> tuple[float, float]:
    """Return the coverages of the intervals of the Ameans and of the AUC."""
    labels, intervals = np.repeat([0, 1], [part.shape[1] for part in draws[:2]]), []
    for values in np.concatenate(draws[:2], axis=1):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", rp.AssumptionWarning)
            roc = rp.predict_roc(values, labels, family="auto", direction=direction)
        best = roc.best_threshold()
        intervals.append((best.threshold, best.ameans_interval(), roc.auc_interval()))
    thresholds, of_ameans, of_auc = zip(*intervals, strict=True)
    truths = draws.achieved(np.array(thresholds)), draws.truth("area")
    return tuple(  # type: ignore[return-value]
        np.mean([truth in interval for truth, interval in zip(*both, strict=True)])
        for both in zip(truths, (of_ameans, of_auc), strict=True)
    )


def tables(cells: Sequence[Cell]) -> list[Table]:
    """Return tables of the mean for each size, the ratio for each pair, and the cells that miss a bound."""
    sizes, labels = list(dict.fromkeys(c.sizes for c in cells)), list(dict.fromkeys(c.estimator for c in cells))
    means = []
    for size in sizes:
        for label in labels:
            some = [c for c in cells if c.sizes == size and c.estimator == label]
            if some:
                mean = {field: np.mean([getattr(c, field) for c in some]) for field in Cell._fields[3:]}
                worst = [max(c.ratio for c in some), max(abs(c.tie_shift) for c in some)]
                lowest = [min(c.ameans_coverage for c in some), min(c.auc_coverage for c in some)]
                regret = mean["regret"] / mean["empirical_regret"]
                row = [mean["ratio"], worst[0], regret, mean["bias"], worst[1]]
                intervals = [mean["ameans_coverage"], lowest[0], mean["auc_coverage"], lowest[1]]
                means.append([_named(size), label, *row, *intervals])
    columns = ["n", "estimator", "ratio", "worst", "regret", "bias", "tie shift", "Ameans interval", "lowest",
               "AUC interval", "lowest "]  # fmt: skip
    formats = dict.fromkeys(columns[2:5] + columns[7:], ".3f") | {"bias": "+.4f", "tie shift": ".4f"}
    result = [Table("Mean over the 21 pairs", columns, means, formats)]
    for label in labels:
        rows = []
        for name in PAIRS:
            found = {c.sizes: c for c in cells if c.pair == name and c.estimator == label}
            rows.append([name, *(found[size].ratio if size in found else None for size in sizes)])
        heads = ["pair", *map(_named, sizes)]
        result.append(Table(f"L1 error / empirical: {label}", heads, rows, dict.fromkeys(heads[1:], ".3f")))
    missed = [
        [c.pair, _named(c.sizes), c.estimator, c.ratio, c.ratio_error, c.regret, c.empirical_regret, c.regret_error]
        for c in cells
        if c.estimator in _DIRECTIONS and not c.is_met
    ]
    heads = ["pair", "n", "estimator", "ratio", "SE", "regret", "empirical", "SE of the difference"]
    result.append(Table("Cells that miss a bound", heads, missed, dict.fromkeys(heads[3:], ".3f")))
    biased = [
        [c.pair, _named(c.sizes), c.estimator, c.bias]
        for c in cells
        if c.estimator in _DIRECTIONS and abs(c.bias) > (0.012 if min(c.sizes) == 10 else 0.005)
    ]
    result.append(Table("Cells with a biased Ameans", ["pair", "n", "estimator", "bias"], biased, {"bias": "+.4f"}))
    return result


def _named(sizes: tuple[int, int]) -> str:
    return f"{sizes[0]:,}" if sizes[0] == sizes[1] else f"{sizes[0]} + {sizes[1]}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.robust", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the draws, and at most 200 per class")
    quick = parser.parse_args().quick
    sizes = {size: max(20, count // 10) if quick else count for size, count in DRAWS.items()}
    work = [(name, size, count) for size, count in sizes.items() if not (quick and max(size) > 200) for name in PAIRS]
    with ProcessPoolExecutor(2) as pool:
        cells = [cell for found in pool.map(measure, *zip(*work, strict=True)) for cell in found]
    for table in tables(cells):
        print(table.to_markdown(), end="\n\n")


if __name__ == "__main__":
    main()
