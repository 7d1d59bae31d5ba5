"""The confidence set of an empirical best threshold: by a slow loop, its properties and its coverage."""

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

import rocpredict as rp
from rocpredict.inference.empirical import local_critical_value
from tests.cases import check_each, for_each

CRITERIA = {
    "ameans": ({}, (1.0, 1.0)),
    "cost": ({"prevalence": 0.3, "cost_fn": 4.0}, (0.7, 1.2)),
    "accuracy": ({"prevalence": 0.4}, (0.6, 0.4)),
}
"""Options of each criterion, and its weights of the negatives and of the positives."""
ERRORS = 5  # Monte Carlo standard errors: a true share lies further off with probability 6e-7


def best_of(negative, positive, criterion="ameans", direction="higher"):
    roc = rp.EmpiricalRoc(negative=negative, positive=positive, direction=direction)
    return roc.best_threshold(criterion, **CRITERIA[criterion][0])


def wilson(count, n, z):
    """Return Wilson's limits of a count out of n."""
    share, square = count / n, z * z / n
    half = z * np.sqrt(share * (1 - share) / n + square / (4 * n))
    return (share + square / 2 - half) / (1 + square), (share + square / 2 + half) / (1 + square)


def set_by_loop(negative, positive, weights, level):
    """Test each cut between values against the best cuts, by the numbers of observations between them."""
    values = np.unique([*negative, *positive])
    lows, highs = [-np.inf, *values], [*values, np.inf]  # all thresholds in (low, high] have the same rates
    utilities = [weights[1] * np.mean(positive >= t) - weights[0] * np.mean(negative >= t) for t in highs]
    utilities[-1] = 0.0
    best = np.flatnonzero(np.array(utilities) >= max(utilities) - 1e-12)

    def is_worse(cut, z):
        above = cut > best[0]
        first, last = sorted((cut, best[0] if above else best[-1]))
        low, high = lows[first], lows[last]  # the observations between the two cuts lie in (low, high]
        between = [np.sum((sample > low) & (sample <= high)) for sample in (negative, positive)]
        losing, gaining = (1, 0) if above else (0, 1)
        sizes = len(negative), len(positive)
        lost, gained = between[losing] / sizes[losing], between[gaining] / sizes[gaining]
        lower = max(wilson(max(between[losing] - 0.4, 0), sizes[losing], z)[0], 0)
        upper = min(wilson(between[gaining], sizes[gaining], z)[1], 1)
        margin = np.hypot(weights[losing] * (lost - lower), weights[gaining] * (upper - gained))
        return weights[losing] * lost - weights[gaining] * gained > margin + 1e-12

    normal = -ndtri((1 - level) / 2)
    local, distant, dip = (
        [is_worse(cut, z) for cut in range(len(highs))] for z in (local_critical_value(level), normal, 1.5 * normal)
    )
    kept = []
    for cut in range(len(highs)):
        between = dip[cut : best[0]] if cut < best[0] else dip[best[-1] : cut]
        if not local[cut] or (any(between) and not distant[cut]):
            kept.append(cut)
    return lows[min(kept)], highs[max(kept)]


@for_each(range(40))
def test_set_by_a_slow_loop(seed):
    """Samples of 1 to 40, continuous and rounded, every fourth with two modes; weighted criteria; three levels."""
    rng = np.random.default_rng(seed)
    sizes, digits = rng.integers(1, 41, 2), rng.integers(0, 4)
    negative = np.round(rng.normal(size=sizes[0]), digits)
    positive = np.round(rng.normal(1, 2, sizes[1]), digits)
    if seed % 4 == 0:
        negative, positive = (10 * rng.integers(2, size=len(part)) + part for part in (negative, positive))
    for name, (_, weights) in CRITERIA.items():
        for level in (0.5, 0.95, 0.999):
            interval = best_of(negative, positive, name).threshold_interval(level)
            assert interval.method == "test-inversion"
            assert tuple(interval) == set_by_loop(negative, positive, weights, level), (name, level)


def test_critical_values_between_the_tabulated_levels():
    """About .79 of the normal quantile, rising with the level, without a jump."""
    levels = 1 - np.logspace(-12, -0.01, 400)
    critical = np.array([local_critical_value(level) for level in levels])
    normal = -ndtri((1 - levels) / 2)
    assert (np.diff(critical) < 0).all()
    usual = levels < 0.9999
    assert (critical / normal)[usual] == pytest.approx(0.795, abs=0.02)
    assert (critical / normal)[levels > 0.9999] == pytest.approx(0.83, abs=0.03)
    assert np.abs(np.diff(critical)).max() < 0.08


def limit_statistics(rng, n_paths):
    """Draw the least studentized loss of any point at or beyond 0, seen from the maximum of W(t) - t^2."""
    times = np.concatenate([[0.0], 1e-5 * 1.01 ** np.arange(1300)])
    times = times[times < 4]
    steps = np.diff(times)
    paths = rng.standard_normal((2, n_paths, len(steps))) * np.sqrt(steps)
    paths = np.concatenate([np.zeros((2, n_paths, 1)), paths.cumsum(axis=2)], axis=2) - times**2
    start, end = paths[..., :-1], paths[..., 1:]
    uniform = rng.random(start.shape)
    highest = (start + end + np.sqrt((end - start) ** 2 - 2 * steps * np.log(uniform))) / 2  # within a step
    step = highest.argmax(axis=2)
    maximum = np.take_along_axis(highest, step[..., None], axis=2)[..., 0]
    rise, fall = (maximum - np.take_along_axis(part, step[..., None], axis=2)[..., 0] for part in (start, end))
    location = times[step] + steps[step] * rise / (rise + fall)
    side, rows = maximum.argmax(axis=0), np.arange(n_paths)
    loss = maximum[side, rows][:, None] - highest[1 - side, rows]
    return (loss / np.sqrt(location[side, rows][:, None] + times[:-1] + steps / 2)).min(axis=1)


def check_critical_values(n_paths, levels):
    """Compare the proportion of simulated statistics below each critical value with its level."""
    rng = np.random.default_rng(11)
    drawn = np.concatenate([limit_statistics(rng, 1000) for _ in range(n_paths // 1000)])
    for level in levels:
        error = np.sqrt(level * (1 - level) / n_paths)
        assert np.mean(drawn <= local_critical_value(level)) == pytest.approx(level, abs=ERRORS * error + 0.001)


def test_critical_values_by_a_few_paths():
    """2,000 paths of the limit; 5 Monte Carlo standard errors and .001 for the steps: falsely off once in 1e6."""
    check_critical_values(2_000, (0.5, 0.8, 0.95))


@pytest.mark.slow
def test_critical_values_by_many_paths():
    """40,000 paths of the limit; 5 Monte Carlo standard errors and .001 for the steps: falsely off once in 1e6."""
    check_critical_values(40_000, (0.5, 0.68, 0.8, 0.9, 0.95, 0.99))


@pytest.mark.slow
def test_set_holds_the_best_of_three_modes():
    """60 + 60, 2,000 samples; below .93 - 5 errors once in 1e6; with the local test alone, the coverage is .91."""
    rng, n_covered = np.random.default_rng(16), 0
    for _ in range(2000):
        negative, positive = (
            rng.choice(places, 60, p=(0.34, 0.33, 0.33)) + rng.normal(0, 0.6, 60) for places in ((0, 4, 8), (2, 6, 10))
        )
        n_covered += 1.0 in best_of(negative, positive).threshold_interval()
    assert n_covered / 2000 > 0.93 - ERRORS * np.sqrt(0.05 * 0.95 / 2000)


def gaussian_truth(shift, ratio, weights=(1.0, 1.0)):
    """Return the best threshold of N(0, 1) and N(shift, ratio^2) by a fine grid."""
    grid = np.linspace(-4, shift + 4 * ratio, 200_001)
    return grid[np.argmax(weights[1] * ndtr((shift - grid) / ratio) - weights[0] * ndtr(-grid))]


def share_covered(rng, n_sets, sizes, shift, ratio, *, criterion="ameans"):
    """Count how often the interval holds the best threshold of two Gaussians."""
    truth = gaussian_truth(shift, ratio, CRITERIA[criterion][1])
    n_covered = 0
    for _ in range(n_sets):
        negative, positive = rng.normal(size=sizes[0]), rng.normal(shift, ratio, sizes[1])
        n_covered += truth in best_of(negative, positive, criterion).threshold_interval()
    return n_covered / n_sets


def test_set_holds_the_best_threshold():
    """400 samples in two settings where the bootstrap covers 54 and 65%; below .93 - 5 errors once in 3e6."""
    rng = np.random.default_rng(12)
    for sizes, auc, ratio in (((10, 100), 0.95, 2.0), ((20, 200), 0.99, 1.0)):
        share = share_covered(rng, 400, sizes, ndtri(auc) * np.hypot(1, ratio), ratio)
        assert share > 0.93 - ERRORS * np.sqrt(0.05 * 0.95 / 400)


@pytest.mark.slow
def test_set_holds_the_best_threshold_in_many_settings():
    """2,000 samples of each; below .93 or above .995 (small samples) by 5 errors: once in 1e6."""
    settings = {
        "100+10, SD ratio 2": ((100, 10), ndtri(0.95) * np.hypot(1, 2), 2.0, "ameans"),
        "5+250": ((5, 250), 1.2, 1.0, "ameans"),
        "20+20": ((20, 20), 1.2, 1.0, "ameans"),
        "300+300": ((300, 300), 1.2, 1.0, "ameans"),
        "10+500, SD ratio 3": ((10, 500), 0.0, 3.0, "ameans"),
        "50+50, cost": ((50, 50), 1.5, 1.0, "cost"),
        "15+100, accuracy": ((15, 100), 1.5, 1.0, "accuracy"),
    }
    rng = np.random.default_rng(13)
    error = np.sqrt(0.05 * 0.95 / 2000)

    def check(setting):
        sizes, shift, ratio, criterion = setting
        share = share_covered(rng, 2000, sizes, shift, ratio, criterion=criterion)
        assert 0.93 - ERRORS * error < share < 0.99 + ERRORS * np.sqrt(0.01 * 0.99 / 2000)

    check_each(settings, check)


@pytest.mark.slow
def test_set_holds_the_best_threshold_between_levels():
    """Five ratings, 20 + 60, 2,000 samples: thresholds between the same ratings are one; at least .93 - 5 errors."""
    rng = np.random.default_rng(14)
    shares = np.array([0.5, 0.2, 0.15, 0.1, 0.05])
    n_covered = 0
    for _ in range(2000):
        negative, positive = rng.choice(5, 20, p=shares), rng.choice(5, 60, p=shares[::-1])
        n_covered += 1.5 in best_of(negative, positive).threshold_interval()
    assert n_covered / 2000 > 0.93 - ERRORS * np.sqrt(0.05 * 0.95 / 2000)
