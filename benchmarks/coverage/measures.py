"""Coverage of the default intervals and level of the default tests in one setting, and of conventional methods."""

import time
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import count, islice
from math import ceil, inf
from typing import Any, NamedTuple

import numpy as np
from scipy.special import chdtrc, ndtr, ndtri

import rocpredict as rp
from benchmarks.coverage.settings import (
    CLUSTERED,
    FPR,
    FPR_RANGE,
    GAUSSIAN,
    HOOKED,
    TPR,
    ClassPair,
    Setting,
    class_pair,
    covering_design,
    draw_clusters,
    draw_features,
    resampling_design,
)
from rocpredict.inference.expected import (
    Dependence,
    default_limits,
    draw_placements,
    smooth_areas,
)
from rocpredict.inference.multiple_aucs import welch_test

SEED, LEVEL = 1, 0.95
SECOND = (100, 100)
"""Observations of the second sample of unpaired tests, and of the third group."""
_MAX_VALUES = 1_000_000  # largest number of values of one feature that are drawn at a time
_BLOCK = 500  # largest number of data sets that a stream draws at a time
CONVENTIONAL = "threshold, resampled"
"""Cells of which the page shows the conventional method only, next to other data sets of the default."""
_N_WIDTHS = 100  # number of intervals of a difference whose widths are measured
_SLACK = 1e-9  # an interval whose limit equals the true value contains it
_QUANTILE = float(ndtri((1 + LEVEL) / 2))
_ONE_SIDED = float(ndtri(LEVEL))


@dataclass(frozen=True)
class Sizes:
    """Numbers of data sets of each setting, and of resamples of each data set.

    ``fast`` and ``slow`` are the numbers of data sets to begin with. Data sets are added until the Monte Carlo standard
    error of each default in the task is at most ``std_error``. Conventional methods that take as long as the default
    are measured in the first ``conventional`` of them.
    """

    fast: int = 1000
    slow: int = 1000
    n_resamples: int = 250
    conventional: int = 500
    std_error: float = inf

    def power(self, n_sets: int) -> int:
        """Return the number of data sets for a power that needs separate data sets."""
        return min(max(n_sets // 2, 1), 500)

    def missing(self, n_errors: Iterable[float], n_sets: int) -> int:
        """Return the number of data sets to add, from the numbers of errors in the data sets so far."""
        return max(0, *(ceil(_guarded_variance(n, n_sets) / self.std_error**2) - n_sets for n in n_errors))

    def collect(self, stream: Iterable[Any], n_sets: int, errors: Callable[[list[Any]], Iterable[float]]) -> list[Any]:
        """Return items of a stream, one per data set, until none are missing; ``errors`` counts their errors."""
        stream, rows = iter(stream), []
        missing = n_sets
        while missing:
            rows.extend(islice(stream, missing))
            missing = self.missing(errors(rows), len(rows))
        return rows


def _guarded_variance(n_errors: float, n_sets: int) -> float:
    """Return the variance of an error, with two errors and two successes added."""
    share = (n_errors + 2) / (n_sets + 4)
    return share * (1 - share)


class Figures(NamedTuple):
    """Figures of one interval or test in one setting.

    ``error`` is the proportion of intervals without the true value, or of rejections of a true hypothesis. ``width`` is
    the median width, and ``power`` the proportion of rejections of a false hypothesis. None: not measured.
    """

    error: float
    width: float | None = None
    power: float | None = None


class Cell(NamedTuple):
    """Figures of a default and of the conventional method in one setting."""

    quantity: str
    setting: Setting
    n_sets: int
    default: Figures
    conventional: Figures | None = None

    @property
    def std_error(self) -> float:
        """Monte Carlo standard error of the default's error, with two misses and two hits added."""
        return float(np.sqrt(_guarded_variance(self.default.error * self.n_sets, self.n_sets) / self.n_sets))


Limits = tuple[Any, Any]


def interval_figures(limits: Limits, truth: Any, power: float | None = None) -> Figures:
    """Return the figures of intervals, for one true value, or one for each limit (the bounds of a plateau)."""
    low, high = (np.asarray(limit, float) for limit in limits)
    lowest, highest = truth if isinstance(truth, tuple) else (truth, truth)
    misses = (low > highest + _SLACK) | (high < lowest - _SLACK)
    width = np.subtract(high, low, where=high > low, out=np.zeros(low.shape))
    return Figures(float(np.mean(misses)), float(np.median(width)), power)


def excludes(limits: Limits, value: float) -> Any:
    """Return the mask of the intervals that exclude a value."""
    return (limits[0] > value + _SLACK) | (limits[1] < value - _SLACK)


def select_sample(features: Sequence[tuple[Any, Any]], index: int) -> list[Any]:
    """Return the values of each feature in one of many data sets, negatives first."""
    return [np.concatenate([part[index] for part in classes]) for classes in features]


@dataclass(frozen=True)
class Scenario:
    """One setting with its class distributions, an alternative, and its own random numbers."""

    setting: Setting
    sizes: Sizes

    @cached_property
    def pair(self) -> ClassPair:
        """Class distributions of the features."""
        return class_pair(self.setting.kind, self.setting.auc)

    @property
    def alternative(self) -> float:
        """AUC that differs from the AUC of the setting by two standard errors (Hanley and McNeil 1982).

        It is smaller than the AUC of the setting, or larger if this AUC is 1/2.
        """
        auc, (n0, n1) = self.setting.auc, self.setting.counts
        one, two = auc / (2 - auc), 2 * auc * auc / (1 + auc)
        variance = (auc * (1 - auc) + (n1 - 1) * (one - auc**2) + (n0 - 1) * (two - auc**2)) / (n0 * n1)
        return float(auc + (2 if auc == 0.5 else -2) * np.sqrt(variance))

    @cached_property
    def changed(self) -> ClassPair:
        """Class distributions of the same kind with the alternative AUC."""
        return class_pair(self.setting.kind, self.alternative)

    def rng(self, task: str) -> np.random.Generator:
        """Return the random numbers of a task."""
        return np.random.default_rng([SEED, zlib.crc32(f"{task} {self.setting}".encode())])

    @property
    def max_block(self) -> int:
        """Largest number of data sets to draw at a time."""
        return max(1, _MAX_VALUES // sum(self.setting.counts))

    def blocks(self, task: str, n_features: int, changed: bool = False, counts: Any = None) -> Iterator[list[Any]]:
        """Return blocks of data sets without end: the values of each feature by class."""
        rng, pairs, size = self.rng(task), self.pairs(n_features, changed), min(_BLOCK, self.max_block)
        while True:
            yield draw_features(rng, pairs, counts or self.setting.counts, size)

    def pairs(self, n_features: int, changed: bool) -> list[ClassPair]:
        """Return the class distributions of some features; the last feature may have the alternative AUC."""
        return [self.pair] * (n_features - 1) + [self.changed if changed else self.pair]

    def samples(
        self, task: str, n_features: int, changed: bool = False, counts: tuple[int, int] | None = None
    ) -> Iterator[tuple[list[Any], Any]]:
        """Return data sets one by one without end: values of each feature, and labels."""
        labels = np.repeat([0, 1], counts or self.setting.counts)
        for features in self.blocks(task, n_features, changed, counts):
            for index in range(len(features[0][0])):
                yield select_sample(features, index), labels

    def cell(self, quantity: str, n_sets: int, default: Figures, conventional: Figures | None = None) -> Cell:
        """Return a cell of the page."""
        return Cell(quantity, self.setting, n_sets, default, conventional)


# ---- many data sets at once: areas
class _Areas(NamedTuple):
    """Empirical areas of many data sets, smoothed, with the placements' sums of squares and DeLong's variance."""

    smoothed: Any
    squares: Any
    deviations: tuple[Any, Any]
    variance: Any

    @classmethod
    def from_values(cls, classes: tuple[Any, Any], tied: bool) -> "_Areas":
        placements = draw_placements(*classes, tied=tied)
        estimate, counts = placements[1].mean(axis=1), tuple(part.shape[1] for part in classes)
        squares = [((part - estimate[:, None]) ** 2).sum(axis=1) for part in placements]
        deviations = tuple(part - part.mean(axis=1, keepdims=True) for part in placements)
        variance = _covariance(deviations, deviations)
        return cls(smooth_areas(estimate, squares, counts), np.array(squares), deviations, variance)


def _covariance(one: tuple[Any, Any], other: tuple[Any, Any]) -> Any:
    """Return DeLong's covariance of two areas of the same observations."""
    return sum((a * b).sum(axis=1) / (a.shape[1] * (a.shape[1] - 1)) for a, b in zip(one, other, strict=True))


def _paired_limits(one: _Areas, other: _Areas, level: float) -> Limits:
    """Return the default intervals of differences on the same observations."""
    pair, classes = [one.smoothed, other.smoothed], list(zip(one.deviations, other.deviations, strict=True))
    squares = [[(part**2).sum(axis=1) for part in area.deviations] for area in (one, other)]
    counts = tuple(first.shape[1] for first, _ in classes)
    products = [(first * second).sum(axis=1) for first, second in classes]
    cubes = [((first - second) ** 3).sum(axis=1) for first, second in classes]
    dependence = Dependence.paired(pair, squares, products, counts, cubes=cubes)
    return default_limits(pair, dependence, level)


def _unpaired_limits(one: _Areas, other: _Areas, level: float) -> Limits:
    """Return the default intervals of differences of two samples."""
    pair = [one.smoothed, other.smoothed]
    return default_limits(pair, Dependence.unpaired(pair), level)


def _wald(estimate: Any, variance: Any, quantile: float = _QUANTILE) -> Limits:
    half = quantile * np.sqrt(np.maximum(variance, 0))
    return estimate - half, estimate + half


def _difference(one: _Areas, other: _Areas, *, paired: bool) -> tuple[Any, Any]:
    """Return differences with DeLong's variance."""
    shared = _covariance(one.deviations, other.deviations) if paired else 0.0
    return one.smoothed.estimate - other.smoothed.estimate, one.variance + other.variance - 2 * shared


def measure_areas(scenario: Scenario) -> list[Cell]:
    """Measure one AUC, differences of two AUCs (same or other observations), and noninferiority.

    The engine for many data sets omits a rule that widens the interval of a difference in rare cases. Each rejection is
    therefore repeated with ``auc_test``, and the width is computed by ``auc_test`` from the first data sets.
    """
    rng, pair, changed, counts = scenario.rng("areas"), scenario.pair, scenario.changed, scenario.setting.counts
    truth, null, sizes = scenario.setting.auc, scenario.alternative, scenario.sizes
    n_power, labels = sizes.power(sizes.fast), [np.repeat([0, 1], counts)] * 3 + [np.repeat([0, 1], SECOND)] * 2
    claim = {"alternative": "noninferior", "margin": abs(null - truth)}
    worse, better = (2, 0) if null < truth else (0, 2)
    comparisons: tuple[tuple[str, int, int, dict[str, Any], float], ...] = (
        ("paired", 0, 1, {}, inf),
        ("paired, changed", 0, 2, {}, n_power),
        ("unpaired", 0, 3, {}, inf),
        ("unpaired, changed", 0, 4, {}, n_power),
        ("noninferiority", worse, better, claim, inf),
        ("noninferiority, changed", 0, 1, claim, n_power),
    )
    limits: dict[str, list[Limits]] = {}
    rejections: dict[str, list[Any]] = {}
    widths: dict[str, list[float]] = {}
    start, missing = 0, sizes.fast
    while missing:
        size = min(missing, scenario.max_block)
        features = draw_features(rng, (pair, pair, changed), counts, size)
        features += draw_features(rng, (pair,), SECOND, size) + draw_features(rng, (changed,), SECOND, size)
        areas = [_Areas.from_values(classes, pair.tied) for classes in features]

        def test(one: int, other: int, options: dict[str, Any], index: int, features: Any = features) -> Any:
            values = select_sample([features[one], features[other]], index)
            if other < 3:
                return rp.auc_test(*values, labels[0], **options)
            return rp.auc_test((values[0], labels[one]), (values[1], labels[other]))

        first = areas[0].smoothed
        limits.setdefault("default", []).append(default_limits([first], None, LEVEL))
        limits.setdefault("delong", []).append(_wald(first.estimate, areas[0].variance))
        for name, one, other, options, most in comparisons:
            pair_limits = (_paired_limits if other < 3 else _unpaired_limits)(
                areas[one], areas[other], 2 * LEVEL - 1 if options else LEVEL
            )
            difference = _difference(areas[one], areas[other], paired=other < 3)
            wald = _wald(*difference, _ONE_SIDED if options else _QUANTILE)
            some = range(int(min(max(most - start, 0), size)))
            rejected = [
                (ends[0] > -options["margin"] + _SLACK if options else excludes(ends, 0.0))[: len(some)]
                for ends in (pair_limits, wald)
            ]
            for index in np.flatnonzero(rejected[0]):
                rejected[0][index] = test(one, other, options, index).p_value <= 1 - LEVEL
            rejections.setdefault(name, []).append(rejected)
            if most == inf:
                limits.setdefault(name, []).append(wald)
                some = range(min(max(_N_WIDTHS - start, 0), size))
                widths.setdefault(name, []).extend(test(one, other, options, k).interval.width for k in some)
        start, missing = start + size, missing - size
        if not missing:
            errors = [sum(part[0].sum() for part in rejections[name]) for name, *_, most in comparisons if most == inf]
            errors.append(sum(excludes(one, truth).sum() for one in limits["default"]))
            missing = sizes.missing(errors, start)
    ends = {name: tuple(np.concatenate(part) for part in zip(*parts, strict=True)) for name, parts in limits.items()}
    shares = {name: np.concatenate(parts, axis=1).mean(axis=1) for name, parts in rejections.items()}

    def one_auc(method: str) -> Figures:
        power = float(np.mean(excludes(ends[method], null)))
        return interval_figures((np.maximum(ends[method][0], 0), np.minimum(ends[method][1], 1)), truth, power)

    cells = [scenario.cell("auc", start, one_auc("default"), one_auc("delong"))]
    for name in ("paired", "unpaired", "noninferiority"):
        width = float(np.median(widths[name])), float(np.median(ends[name][1] - ends[name][0]))
        parts = zip(shares[name].tolist(), width, shares[f"{name}, changed"].tolist(), strict=True)
        cells.append(scenario.cell(name, start, *(Figures(*part) for part in parts)))
    return cells


def measure_planned_power(scenario: Scenario) -> list[Cell]:
    """Measure the power of the test of one AUC, and the error of the power that planning computes."""

    def rejections() -> Iterator[bool]:
        for (classes,) in scenario.blocks("planned power", 1):
            limits = default_limits([_Areas.from_values(classes, scenario.pair.tied).smoothed], None, LEVEL)
            yield from excludes(limits, scenario.alternative)

    rejected = scenario.sizes.collect(rejections(), scenario.sizes.fast, lambda rows: [sum(rows)])
    observed = float(np.mean(rejected))
    ratio = float(scenario.pair.positive.quantile(ndtr(1)) - scenario.pair.positive.quantile(0.5))
    mean = float(scenario.pair.positive.quantile(0.5))
    plan = rp.power(mean=(0, mean), std=(1, ratio), count=scenario.setting.counts, against=scenario.alternative)
    error, planned = float(abs(plan.achieved - observed)), float(plan.achieved)
    figures = Figures(error, None, planned), Figures(error, None, observed)
    return [scenario.cell("planned power", len(rejected), *figures)]


# ---- tests by their p-values
PValues = Iterable[tuple[float, float]]


def _test_cell(scenario: Scenario, name: str, run: Callable[[str, bool], PValues], n_sets: int) -> Cell:
    """Return the cell of a test: p-values of the default and the conventional test, without and with a difference."""

    def rejects(rows: list[tuple[float, float]]) -> Any:
        p_values = np.array(rows, float)
        return np.where(np.isnan(p_values), np.nan, p_values <= 1 - LEVEL + 1e-12)

    rows = scenario.sizes.collect(run(name, False), n_sets, lambda rows: [rejects(rows)[:, 0].sum()])
    changed = list(islice(run(f"{name}, changed", True), scenario.sizes.power(n_sets)))
    shares = [np.nanmean(rejects(part), axis=0).tolist() for part in (rows, changed)]
    default, conventional = (Figures(error, None, power) for error, power in zip(*shares, strict=True))
    return scenario.cell(name, len(rows), default, conventional)


def measure_screening(scenario: Scenario) -> list[Cell]:
    """Measure the test of a screening, with every data set as one feature, and DeLong's test of an AUC of 1/2."""

    def run(task: str, changed: bool) -> PValues:
        y = np.repeat([0, 1], scenario.setting.counts)
        for (classes,) in scenario.blocks(task, 1, changed):
            areas, table = _Areas.from_values(classes, scenario.pair.tied), rp.screen(np.hstack(classes).T, y)
            limits = _wald(areas.smoothed.estimate, areas.variance)
            yield from zip(table["p_value"].tolist(), np.where(excludes(limits, 0.5), 0.0, 1.0), strict=True)

    return [_test_cell(scenario, "screening", run, scenario.sizes.fast)]


def measure_several(scenario: Scenario) -> list[Cell]:
    """Measure the tests of equal AUCs of three curves, and of three groups."""

    def curves(task: str, changed: bool) -> PValues:
        """Return p-values; the default test never has the smaller p, and is computed if chi-squared p <= 0.05."""
        y = np.repeat([0, 1], scenario.setting.counts)
        for features in scenario.blocks(task, 3, changed):
            p_values = _chi_squared_equality([_Areas.from_values(one, scenario.pair.tied) for one in features])
            for index, conventional in enumerate(p_values):
                default = 1.0
                if conventional <= 1 - LEVEL:
                    default = rp.auc_test_many(select_sample(features, index), y, contrasts=(1, -1, 0)).p_value
                yield default, conventional

    def groups(task: str, changed: bool) -> PValues:
        streams = [scenario.blocks(f"{task} {k}", 1) for k in (0, 1)]
        counts = [*scenario.setting.counts] * 2 + [*SECOND]
        y, names = np.repeat([0, 1] * 3, counts), np.repeat([0, 0, 1, 1, 2, 2], counts)
        for parts in zip(*streams, scenario.blocks(task, 1, changed, SECOND), strict=True):
            size = min(len(part[0][0]) for (part,) in parts)
            classes = [[part[:size] for part in one] for (one,) in parts]
            areas = [_Areas.from_values(one, scenario.pair.tied) for one in classes]
            smoothed = [one.smoothed for one in areas]
            p_values = welch_test(smoothed, [one.squares for one in areas])[1]
            plain = np.array([(one.estimate, one.std_error) for one in smoothed])
            wald = map(_wald_equality, np.moveaxis(plain, 2, 0))
            for index, (p_value, conventional) in enumerate(zip(p_values.tolist(), wald, strict=True)):
                default = p_value
                if p_value <= 1 - LEVEL:
                    values = np.concatenate([part[index] for one in classes for part in one])
                    default = rp.auc_estimate(values, y, groups=names).p_value
                yield default, conventional

    sizes = scenario.sizes
    return [_test_cell(scenario, name, run, sizes.fast) for name, run in (("curves", curves), ("groups", groups))]


def _chi_squared_equality(areas: Sequence[_Areas]) -> Any:
    """Return the p-value of the conventional test that areas of the same observations are equal."""
    steps = np.diff(np.eye(len(areas)), axis=0)
    covariance = np.array([[_covariance(one.deviations, other.deviations) for other in areas] for one in areas])
    covariance = np.einsum("ai,ijr,bj->rab", steps, covariance, steps)
    differences = np.array([area.smoothed.estimate for area in areas]).T @ steps.T
    solution = np.einsum("rab,rb->ra", np.linalg.pinv(covariance, rcond=1e-9, hermitian=True), differences)
    unseen = np.abs(np.einsum("rab,rb->ra", covariance, solution) - differences).max(axis=1) > _SLACK
    df = np.maximum(np.linalg.matrix_rank(covariance, rtol=1e-9, hermitian=True), 1)
    return np.where(unseen, 0.0, chdtrc(df, (differences * solution).sum(axis=1)))


def _wald_equality(areas: Any) -> float:
    """Return the p-value of the conventional test that independent areas, with their standard errors, are equal."""
    estimates, std_errors = areas.T
    if not std_errors.all():
        return float(np.ptp(estimates) == 0)
    weights = 1 / std_errors**2
    return float(chdtrc(len(areas) - 1, weights @ (estimates - weights @ estimates / weights.sum()) ** 2))


# ---- intervals, one data set at a time
Answers = Iterable[dict[str, tuple[Any, Any, Any]]]


def _interval_cells(scenario: Scenario, n_sets: int, answers: Answers, null: float | None = None) -> list[Cell]:
    """Return cells from the true value, the default and the conventional limits of each quantity in each data set."""

    def cells(rows: list[dict[str, tuple[Any, Any, Any]]]) -> list[Cell]:
        return [_interval_cell(scenario, name, [one[name] for one in rows], null) for name in rows[0]]

    def errors(rows: list[dict[str, tuple[Any, Any, Any]]]) -> Iterator[float]:
        return (cell.default.error * len(rows) for cell in cells(rows) if cell.quantity != CONVENTIONAL)

    return cells(scenario.sizes.collect(answers, n_sets, errors))


def _interval_cell(scenario: Scenario, name: str, rows: list[tuple[Any, Any, Any]], null: float | None) -> Cell:
    figures: list[Any] = []
    for place in (1, 2):
        measured = [one for one in rows if one[place] is not None]
        if not measured:
            figures.append(None)
            continue
        truth = np.array([one[0] for one in measured]).T
        limits: Any = tuple(np.array([tuple(one[place]) for one in measured]).T)
        power = None if null is None else float(np.mean(excludes(limits, null)))
        figures.append(interval_figures(limits, tuple(truth) if truth.ndim > 1 else truth, power))
    return scenario.cell(name, len(rows), *figures)


def _ask_both(
    default: dict[str, Any], other: dict[str, Any] | None, ask: Callable[..., Any], *arguments: Any, **quantity: Any
) -> tuple[Any, Any]:
    """Return the default and the conventional interval; None if the latter is not measured."""
    conventional = None if other is None else ask(*arguments, **quantity, **other)
    return ask(*arguments, **quantity, **default), conventional


def measure_clusters(scenario: Scenario) -> list[Cell]:
    """Measure one AUC and a paired difference with clusters; the conventional method ignores the clusters."""

    def samples(task: str, n_features: int, changed: bool = False) -> Iterator[tuple[list[Any], Any, Any]]:
        rng, pairs = scenario.rng(task), scenario.pairs(n_features, changed)
        return (draw_clusters(rng, pairs, scenario.setting.counts) for _ in count())

    def paired(task: str, changed: bool) -> PValues:
        for features, y, clusters in samples(task, 2, changed):
            tests = rp.auc_test(*features, y, clusters=clusters), rp.auc_test(*features, y, method="delong")
            yield tests[0].p_value, tests[1].p_value

    def answers() -> Answers:
        for (x,), y, clusters in samples("one AUC, clusters", 1):
            default = tuple(rp.auc_estimate(x, y, clusters=clusters).interval)
            yield {"auc": (scenario.setting.auc, default, tuple(rp.empirical_roc(x, y).auc_interval(method="delong")))}

    cells = _interval_cells(scenario, scenario.sizes.fast, answers(), scenario.alternative)
    return [*cells, _test_cell(scenario, "paired", paired, scenario.sizes.fast)]


def fixed_threshold(pair: ClassPair) -> float:
    """Return a best threshold or, if none exists, the threshold with FPR 0.05 (ordinal: the next value above)."""
    return pair.best_thresholds[1] if pair.best_thresholds else float(pair.negative.quantile(0.95))


def measure_thresholds(scenario: Scenario) -> list[Cell]:
    """Measure the best threshold, and the TPR at a threshold that is fixed beforehand."""
    pair, n_sets, n1 = scenario.pair, scenario.sizes.fast, scenario.setting.counts[1]
    tpr, truth = float(pair.positive.tail(fixed_threshold(pair))), pair.best_thresholds
    rng = scenario.rng("rate")

    def exact(hits: Any) -> Figures:
        limits = rp.proportion_interval(hits, n1)
        return interval_figures((limits.low, limits.high), tpr)

    drawn = (rng.binomial(n1, tpr) for _ in count())
    hits = np.array(scenario.sizes.collect(drawn, n_sets, lambda rows: [exact(np.array(rows)).error * len(rows)]))
    wald = interval_figures(_wald(hits / n1, hits / n1 * (1 - hits / n1) / n1), tpr)
    cells = [scenario.cell("rate", len(hits), exact(hits), wald)]
    if truth is None:
        return cells
    answers = (
        {"threshold": (truth, tuple(rp.empirical_roc(x, y).best_threshold().threshold_interval()), None)}
        for (x,), y in scenario.samples("thresholds", 1)
    )
    return cells + _interval_cells(scenario, n_sets, answers)


def measure_resampled(scenario: Scenario) -> list[Cell]:
    """Measure the quantities that the library estimates from draws or resamples, and the percentile bootstrap."""
    pair, n_sets = scenario.pair, scenario.sizes.slow
    tpr, fpr, area = float(pair.tpr_at(FPR)), pair.fpr_at(TPR), pair.area(*FPR_RANGE)

    def options(seed: int) -> tuple[dict[str, Any], dict[str, Any]]:
        draws = {"n_resamples": scenario.sizes.n_resamples, "rng": seed}
        return draws, {**draws, "method": "bootstrap"}

    def answers() -> Answers:
        for seed, ((x,), y) in enumerate(scenario.samples("resampled", 1)):
            roc, (draws, bootstrap) = rp.empirical_roc(x, y), options(seed)
            best, is_compared = roc.best_threshold(), seed < scenario.sizes.conventional
            both = partial(_ask_both, draws, bootstrap if is_compared else None)
            fpr_there, tpr_there = pair.rates(best.threshold)
            fixed = roc.rate_interval("ameans", best.threshold, method="newcombe-wilson")
            ameans = float(1 + tpr_there - fpr_there) / 2
            found = {
                "tpr": (tpr, *both(roc.tpr_at_fpr_interval, FPR)),
                "fpr": (fpr, *both(roc.fpr_at_tpr_interval, TPR)),
                "partial": (area, *both(roc.partial_auc_interval, fpr=FPR_RANGE)),
                "ameans": (ameans, best.ameans_interval(**draws), fixed),
            }
            if pair.best_thresholds:
                limits = best.threshold_interval(**bootstrap) if is_compared else None
                found[CONVENTIONAL] = (pair.best_thresholds, best.threshold_interval(), limits)
            yield found

    def tests(quantity: dict[str, Any]) -> Callable[[str, bool], PValues]:
        def run(task: str, changed: bool) -> PValues:
            for seed, (features, y) in enumerate(scenario.samples(task, 2, changed)):
                default, bootstrap = options(seed)
                test = partial(rp.auc_test, *features, y, **quantity)
                is_compared = seed < scenario.sizes.conventional
                yield test(**default).p_value, test(**bootstrap).p_value if is_compared else np.nan

        return run

    cells = _interval_cells(scenario, n_sets, answers())
    compared: dict[str, dict[str, Any]] = {"tpr": {"tpr_at_fpr": FPR}, "partial": {"fpr": FPR_RANGE}}
    return cells + [_test_cell(scenario, f"{name} difference", tests(how), n_sets) for name, how in compared.items()]


def measure_predicted(scenario: Scenario) -> list[Cell]:
    """Measure intervals of curves that are predicted from two Gaussians, and the delta method."""
    pair, n_sets, best = scenario.pair, scenario.sizes.slow, scenario.pair.best_thresholds
    tpr, area, threshold = float(pair.tpr_at(FPR)), pair.area(*FPR_RANGE), fixed_threshold(pair)
    rate = float(pair.positive.tail(threshold))
    ameans = float(1 + rate - pair.negative.tail(threshold)) / 2

    def answers() -> Answers:
        for index, ((x,), y) in enumerate(scenario.samples("predicted", 1)):
            roc, is_compared = rp.predict_roc(x, y), index < scenario.sizes.conventional
            both = partial(_ask_both, {}, {"method": "delta"} if is_compared else None)
            found = {
                "predicted auc": (scenario.setting.auc, *both(roc.auc_interval)),
                "predicted tpr": (tpr, *both(roc.tpr_at_fpr_interval, FPR)),
                "predicted partial": (area, *both(roc.partial_auc_interval, fpr=FPR_RANGE)),
                "predicted rate": (rate, *both(roc.rate_interval, "tpr", threshold)),
            }
            if best:
                chosen = roc.best_threshold()
                found["predicted ameans"] = (ameans, *both(chosen.ameans_interval))
                found["predicted threshold"] = (threshold, *both(chosen.threshold_interval))
            yield found

    def difference(task: str, changed: bool) -> PValues:
        other = scenario.samples(f"{task}, second", 1, changed, SECOND)
        for samples in zip(scenario.samples(task, 1), other, strict=True):
            rocs = [rp.predict_roc(x[0], y) for x, y in samples]
            z = (rocs[0].auc() - rocs[1].auc()) / np.hypot(*(roc.auc_std_error() for roc in rocs))
            yield rp.auc_test(*rocs).p_value, float(2 * ndtr(-abs(z)))

    cells = _interval_cells(scenario, n_sets, answers())
    return [*cells, _test_cell(scenario, "predicted difference", difference, n_sets)]


Task = tuple[Callable[[Scenario], list[Cell]], Scenario]


def measure_task(task: Task) -> list[Cell]:
    """Measure the cells of one task; warnings about contradicted assumptions are ignored."""
    function, scenario = task
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rp.AssumptionWarning)
        return function(scenario)


def measure_timed(task: Task) -> tuple[list[Cell], float]:
    """Return the cells of a task, and its processor time."""
    start = time.process_time()
    return measure_task(task), time.process_time() - start


def tasks(sizes: Sizes, step: int = 1) -> list[Task]:
    """Return the tasks of every ``step``-th setting of the design, the most important tasks first."""
    settings = covering_design()
    resampled = resampling_design(settings)
    plain = [one for one in settings if one.kind != CLUSTERED]
    gaussian = [one for one in plain if one.kind in (GAUSSIAN, HOOKED)]
    clustered = [one for one in settings if one.kind == CLUSTERED]
    plan: list[tuple[Callable[[Scenario], list[Cell]], list[Setting]]] = [
        (measure_areas, plain),
        (measure_thresholds, plain),
        (measure_screening, [one for one in plain if one.auc == 0.5]),
        (measure_planned_power, gaussian),
        (measure_several, plain),
        (measure_clusters, clustered),
        (measure_resampled, resampled),
        (measure_predicted, gaussian),
    ]
    return [(measure, Scenario(one, sizes)) for measure, some in plan for one in some[::step]]
