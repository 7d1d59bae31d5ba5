"""A small version of the simulation of the coverage page: its design, distributions, counts and page."""

import json
from itertools import combinations, product

import numpy as np
import pytest

import rocpredict as rp
from benchmarks.coverage import words
from benchmarks.coverage.__main__ import QUICK, QUICK_STEP, read_cells, run
from benchmarks.coverage.measures import (
    CONVENTIONAL,
    SECOND,
    Cell,
    Figures,
    Scenario,
    Sizes,
    interval_figures,
    measure_areas,
    measure_clusters,
    measure_planned_power,
    measure_resampled,
    measure_several,
    tasks,
)
from benchmarks.coverage.page import write_page
from benchmarks.coverage.settings import (
    AUCS,
    CLUSTERED,
    KINDS,
    RATIOS,
    SIZES,
    Setting,
    class_pair,
    covering_design,
    draw_clusters,
    draw_features,
    resampling_design,
)

ERRORS = 5  # Monte Carlo standard errors: a true share lies further off with probability 6e-7


def test_design_contains_every_pair_of_levels_twice():
    settings = covering_design()
    assert len(settings) == len(set(settings)) == 80  # 8 kinds x 5 ratios x 2 is the fewest
    for (i, one), (j, other) in combinations(enumerate((KINDS, AUCS, SIZES, RATIOS)), 2):
        for pair in product(one, other):
            assert sum((setting[i], setting[j]) == pair for setting in settings) >= 2, pair


def test_settings_that_resample_are_small_and_contain_every_level():
    settings = covering_design()
    chosen = resampling_design(settings)
    assert len(chosen) == 20
    assert set(chosen) <= set(settings)
    for place, levels in enumerate((set(KINDS) - {CLUSTERED}, AUCS, SIZES, RATIOS)):
        assert {setting[place] for setting in chosen} == set(levels)
    assert max(sum(setting.counts) for setting in chosen) <= 1200


@pytest.mark.parametrize(("kind", "auc"), [*product(KINDS, AUCS)])
def test_distributions_have_the_stated_auc(kind, auc):
    """By quadrature of the curve, and of 40,000 drawn observations by DeLong (falsely outside: 2e-5 over all)."""
    pair = class_pair(kind, auc)
    assert pair.area(0, 1) == pytest.approx(auc, abs=1e-6)
    ((negative, positive),) = draw_features(np.random.default_rng([7, KINDS.index(kind)]), [pair], (20_000, 20_000), 1)
    roc = rp.empirical_roc(np.concatenate([negative[0], positive[0]]), np.repeat([0, 1], 20_000))
    assert abs(roc.auc() - auc) < ERRORS * roc.auc_std_error(method="delong")


@pytest.mark.parametrize(("kind", "ratio"), [("Gaussian", 1), ("hooked", 3)])
def test_true_values_are_those_of_the_library(kind, ratio):
    pair = class_pair(kind, 0.8)
    mean = float(pair.positive.quantile(0.5))
    roc = rp.PredictedRoc(negative=rp.Gaussian(0, 1), positive=rp.Gaussian(mean, ratio))
    assert float(pair.tpr_at(0.1)) == pytest.approx(roc.tpr_at_fpr(0.1), abs=1e-12)
    assert pair.fpr_at(0.9) == pytest.approx(roc.fpr_at_tpr(0.9), abs=1e-9)
    assert pair.area(0, 0.2) == pytest.approx(roc.partial_auc(fpr=(0, 0.2)), abs=1e-7)
    assert pair.best_thresholds[0] == pytest.approx(roc.best_threshold().threshold, abs=1e-4)


@pytest.mark.parametrize("kind", ["ordinal", "binary", "zero-inflated"])
def test_true_values_of_tied_classes_are_those_of_a_population(kind):
    """Two routes: the tail probabilities, and the empirical curve of 200,000 evenly spaced quantiles per class."""
    pair = class_pair(kind, 0.8)
    middles = (np.arange(200_000) + 0.5) / 200_000
    values = np.concatenate([pair.negative.quantile(middles), pair.positive.quantile(middles)])
    roc = rp.empirical_roc(values, np.repeat([0, 1], 200_000))
    assert float(pair.tpr_at(0.1)) == pytest.approx(roc.tpr_at_fpr(0.1), abs=1e-4)
    assert pair.fpr_at(0.9) == pytest.approx(roc.fpr_at_tpr(0.9), abs=1e-4)
    low, high = pair.best_thresholds
    best = roc.best_threshold().threshold
    assert low - 0.01 < best < high + 0.01


def test_features_of_the_same_observations_are_correlated():
    """Correlation 1/2 in each class, within 5 standard errors of 0.0053 (falsely outside: 1e-6)."""
    pair = class_pair("Gaussian", 0.8)
    first, second = draw_features(np.random.default_rng(1), [pair, pair], (20_000, 20_000), 1)
    for one, other in zip(first, second, strict=True):
        assert abs(np.corrcoef(one[0], other[0])[0, 1] - 0.5) < ERRORS * 0.0053


def test_clusters_have_one_class_and_a_correlation():
    """Observations of a cluster correlate by 1/2: their variance within it is 1/2, standard error below 0.006."""
    (x,), y, clusters = draw_clusters(np.random.default_rng(2), [class_pair(CLUSTERED, 0.5)], (5000, 5000))
    sizes = np.bincount(clusters)
    assert set(sizes) == set(range(1, 11))
    assert all(np.ptp(labels) == 0 for labels in np.split(y, np.cumsum(sizes)[:-1]))
    squares = (x - (np.bincount(clusters, x) / sizes)[clusters]) ** 2
    assert abs(squares.sum() / (sizes - 1).sum() - 0.5) < ERRORS * 0.006


def test_counts_are_those_of_the_calls_that_users_make():
    for setting in (Setting("Gaussian", 0.95, 10, 5), Setting("zero-inflated", 0.5, 5, 5)):
        scenario = Scenario(setting, Sizes(fast=40))
        cells = {cell.quantity: cell for cell in measure_areas(scenario)}
        pair, changed, rng = scenario.pair, scenario.changed, scenario.rng("areas")
        features = draw_features(rng, (pair, pair, changed), setting.counts, 40)
        features += draw_features(rng, (pair,), SECOND, 40) + draw_features(rng, (changed,), SECOND, 40)
        y, labels = np.repeat([0, 1], setting.counts), np.repeat([0, 1], SECOND)
        claim = {"alternative": "noninferior", "margin": abs(setting.auc - scenario.alternative)}
        rows = []
        for index in range(40):
            a, b, c, d, e = (np.concatenate([part[index] for part in classes]) for classes in features)
            auc = [rp.empirical_roc(a, y).auc_interval(), rp.empirical_roc(a, y).auc_interval(method="delong")]
            paired, unpaired = rp.auc_test(a, b, y), rp.auc_test((a, y), (d, labels))
            rows.append(
                [
                    not auc[0].low <= setting.auc <= auc[0].high,
                    rp.auc_test(a, None, y, null=scenario.alternative).p_value <= 0.05,
                    paired.p_value <= 0.05,
                    rp.auc_test(a, c, y).p_value <= 0.05,
                    unpaired.p_value <= 0.05,
                    rp.auc_test((a, y), (e, labels)).p_value <= 0.05,
                    rp.auc_test(*((c, a) if setting.auc > 0.5 else (a, c)), y, **claim).p_value <= 0.05,
                    rp.auc_test(a, b, y, **claim).p_value <= 0.05,
                    auc[0].width,
                    paired.interval.width,
                    unpaired.interval.width,
                ]
            )
        figures = [cells[name].default for name in ("auc", "paired", "unpaired", "noninferiority")]
        shares, errors, powers = np.mean(rows, axis=0), [0, 2, 4, 6], [1, 3, 5, 7]
        assert shares[errors] == pytest.approx([one.error for one in figures])
        assert shares[1] == pytest.approx(figures[0].power)
        n_power = scenario.sizes.power(40)
        assert np.mean(rows[:n_power], axis=0)[powers[1:]] == pytest.approx([one.power for one in figures[1:]])
        assert np.median(rows, axis=0)[8:] == pytest.approx([one.width for one in figures[:3]])


def test_data_sets_are_added_until_the_standard_error_is_small():
    """The number comes from the estimate: shares of .05 and .5 need 76 and 400 data sets for .025, by p(1 - p)/n."""
    sizes = Sizes(std_error=0.025)
    for share, expected in ((0.05, 76), (0.5, 400)):
        stream = np.random.default_rng(4).random(2000) < share
        rows = sizes.collect(stream.tolist(), 50, lambda rows: [sum(rows)])
        assert rows == stream[: len(rows)].tolist()
        assert len(rows) == pytest.approx(expected, rel=0.25)
        cell = Cell("auc", Setting("Gaussian", 0.8, 20, 1), len(rows), Figures(float(np.mean(rows))))
        assert cell.std_error <= 0.025
    assert len(Sizes().collect(iter(range(100)), 30, lambda rows: [len(rows) / 2])) == 30


def test_every_cell_has_the_standard_error_of_the_run():
    sizes = Sizes(fast=20, slow=6, n_resamples=30, conventional=4, std_error=0.06)
    for measure, setting in (
        (measure_areas, Setting("skewed", 0.8, 10, 1)),
        (measure_several, Setting("skewed", 0.8, 10, 1)),
        (measure_clusters, Setting(CLUSTERED, 0.8, 10, 1)),
        (measure_resampled, Setting("skewed", 0.8, 10, 1)),
        (measure_planned_power, Setting("Gaussian", 0.8, 10, 1)),
    ):
        cells = measure(Scenario(setting, sizes))
        assert cells == measure(Scenario(setting, sizes))
        for cell in cells:
            if cell.quantity == "planned power":
                assert np.sqrt(cell.conventional.power * (1 - cell.conventional.power) / cell.n_sets) <= 0.06
            elif cell.quantity != CONVENTIONAL:
                assert cell.std_error <= 0.06


def test_groups_are_tested_as_by_the_call_that_users_make():
    setting = Setting("ordinal", 0.8, 10, 5)
    scenario = Scenario(setting, Sizes(fast=25))
    (cell,) = [one for one in measure_several(scenario) if one.quantity == "groups"]
    streams = [scenario.samples(f"groups {k}", 1) for k in (0, 1)]
    p_values = []
    for _, *parts in zip(range(25), *streams, scenario.samples("groups", 1, False, SECOND), strict=False):
        x, y = (np.concatenate(columns) for columns in zip(*((x[0], y) for x, y in parts), strict=True))
        groups = np.repeat([0, 1, 2], [len(labels) for _, labels in parts])
        p_values.append(rp.auc_estimate(x, y, groups=groups).p_value)
    assert cell.default.error == np.mean(np.array(p_values) <= 0.05)


def test_conventional_intervals_are_delongs():
    setting = Setting("heavy-tailed", 0.8, 20, 1)
    scenario = Scenario(setting, Sizes(fast=30))
    cells = {cell.quantity: cell for cell in measure_areas(scenario)}
    pair = scenario.pair
    first, second, _ = draw_features(scenario.rng("areas"), (pair, pair, scenario.changed), setting.counts, 30)
    y = np.repeat([0, 1], setting.counts)
    samples = [
        [np.concatenate([part[index] for part in classes]) for classes in (first, second)] for index in range(30)
    ]
    intervals = [rp.empirical_roc(a, y).auc_interval(method="delong") for a, _ in samples]
    tests = [rp.auc_test(a, b, y, method="delong") for a, b in samples]
    assert cells["auc"].conventional.width == pytest.approx(np.median([one.width for one in intervals]))
    assert cells["paired"].conventional.width == pytest.approx(np.median([one.interval.width for one in tests]))
    assert cells["paired"].conventional.error == np.mean([one.p_value <= 0.05 for one in tests])


def test_interval_figures_count_misses_on_both_sides():
    limits = np.array([0.1, 0.6, 0.2, -np.inf]), np.array([0.4, 0.9, 0.5, np.inf])
    figures = interval_figures(limits, 0.5)
    assert figures.error == 0.5  # the first lies below, the second above; the third ends there
    assert figures.width == pytest.approx(0.3)
    assert interval_figures(limits, (0.55, 0.7)).error == 0.5  # of a plateau one threshold is enough


def _cell(quantity, error, n_sets=3000, other=None, **setting):
    return Cell(quantity, Setting("skewed", 0.8, 20, 5)._replace(**setting), n_sets, Figures(error, 0.2, 0.5), other)


def test_page_prints_cells_outside_of_the_limits_in_bold_with_advice():
    page = write_page([_cell("auc", 0.01, other=Figures(0.2, 0.1, 0.6)), _cell("auc", 0.05, auc=0.5)])
    assert "| skewed | 0.8 | 100 + 20 | **0.990** | 0.200 | 0.500 | 0.800 | 0.100 | 0.600 | 0.0019 | 3,000 |" in page
    assert "| skewed | 0.5 | 100 + 20 | 0.950 | 0.200 | 0.500 |" in page
    assert "- Coverage above 0.985 (1 of 2): with few exceptions the smaller class" in page
    assert "| AUC | 2 | 0.950 | 0.990 | 0 | 1 | 0.800 | 0.800 | 2.00 |" in page


def test_every_side_of_the_limits_has_advice():
    outside = [_cell(name, error) for name in words.QUANTITIES for error in (0.001, 0.2)]
    page = write_page(outside)
    assert "- Coverage below 0.93 (1 of 2): report the interval as approximate" in page
    assert "- Level above 0.065 (1 of 2): report the p-value as approximate" in page
    assert "- Level below 0.015 (1 of 2): with few exceptions the smaller class" in page
    assert "- Powers that differ (1 of 2)" in page


def test_figures_survive_storage():
    cells = [_cell("auc", 0.05), _cell("paired", 0.04, other=Figures(0.1, float("inf")))]
    assert read_cells(json.dumps(cell) for cell in cells) == cells


@pytest.mark.slow
def test_quick_run_writes_every_table(tmp_path):
    store = tmp_path / "cells"
    page = write_page(run(tasks(QUICK, QUICK_STEP), 1, store))
    assert page == write_page(read_cells(store.read_text().splitlines()))
    for quantity in words.QUANTITIES.values():
        assert f"### {quantity.title}\n" in page


@pytest.mark.slow
def test_defaults_keep_their_promise():
    """Within the limits, 5 Monte Carlo standard errors aside, in three settings (falsely outside: below 1e-5)."""
    sizes = Sizes(fast=1000, slow=200)
    for measure, setting in (
        (measure_areas, Setting("hooked", 0.8, 20, 1)),
        (measure_clusters, Setting(CLUSTERED, 0.8, 10, 1)),
        (measure_resampled, Setting("skewed", 0.8, 20, 1)),
    ):
        for cell in measure(Scenario(setting, sizes)):
            quantity, slack = words.QUANTITIES.get(cell.quantity), ERRORS * np.sqrt(0.05 * 0.95 / cell.n_sets)
            if quantity and quantity.kind != "plan":
                assert cell.default.error < 0.07 + slack, cell
