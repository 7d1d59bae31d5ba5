"""Few clusters, clusters that cancel, and Venkatraman's test of tied values."""

from itertools import permutations, product

import numpy as np
import pytest
from scipy import stats

import rocpredict as rp
from tests.cases import refuses

TEST_METHODS = {None: None, "delong": "delong", "logit": "smoothed-logit"}


def test_fewer_than_four_clusters_of_a_class_are_refused():
    x, other, y = [1.0, 2.0, 3.0, 4.0, 5.0], [2.0, 1.0, 4.0, 3.0, 5.0], [0, 0, 1, 1, 1]
    clusters = [1, 2, 1, 3, 4]
    calls = {
        "estimate": lambda: rp.auc_estimate(x, y, clusters=clusters),
        "one curve": lambda: rp.auc_test(x, None, y, clusters=clusters),
        "two curves": lambda: rp.auc_test(x, other, y, clusters=clusters),
        "many curves": lambda: rp.auc_test_many([x, other], y, clusters=clusters),
    }
    for call in calls.values():
        refuses("clusters= has 2 clusters with negatives and 3 with positives; 4", call)


def test_few_clusters_have_wide_finite_intervals():
    """Four to seven clusters; a flag if one has more than half of the rows of a class."""
    rng, faults, n_dominant = np.random.default_rng(3), [], 0
    for trial in range(150):
        n = rng.integers(2, 12)
        y = np.concatenate([np.tile([0, 1], 4), rng.integers(0, 2, n)])
        clusters = np.concatenate([np.repeat(np.arange(4), 2), rng.integers(0, 7 if trial % 2 else 1, n)])
        x = rng.integers(0, 6, n + 8)
        counts = [np.bincount(clusters[y == label]) for label in (0, 1)]
        dominant = any(count.max() > count.sum() / 2 for count in counts)
        n_dominant += dominant
        for method in (None, "delong", "logit"):
            estimate = rp.auc_estimate(x, y, clusters=clusters, method=method)
            low, high = estimate.interval.low, estimate.interval.high
            finite = np.isfinite([low, high, estimate.std_error]).all() and low <= estimate.auc <= high
            wide = high - low > 0.02 and estimate.std_error > 0.001
            flagged = [estimate.flags, rp.auc_test(x, -x % 4, y, clusters=clusters, method=TEST_METHODS[method]).flags]
            if not (finite and wide and all(("dominant_cluster" in flags) == dominant for flags in flagged)):
                faults.append(f"{trial}, {method}, {x}, {y}, {clusters}: {estimate}")
    assert not faults, "\n".join(faults[:5])
    assert 30 < n_dominant < 120


def test_venkatraman_of_ties_depends_on_the_seed_by_simulation_error_only():
    rng = np.random.default_rng(5)
    y = np.repeat([0, 1], [60, 40])
    base = rng.normal(size=100) + y
    first = np.round(rng.normal(size=100) * 0.8 + base, 1)
    second = np.clip(np.round(base + rng.normal(size=100)), -2, 3)
    tests = [rp.auc_test(first, second, y, method="venkatraman", n_resamples=1000, rng=seed) for seed in range(6)]
    assert len({test.statistic for test in tests}) == 1
    p = np.array([test.p_value for test in tests])
    assert np.ptp(p) < 6 * np.sqrt(p.mean() * (1 - p.mean()) / 1000)


def test_venkatraman_of_one_pair_that_the_features_order_differently():
    """Exchanging the ranks of one of the two rows makes the curves equal: p is 1/2.

    The p-value of 2,000 exchanges is within 5 standard errors of .0112 (falsely outside: 6e-7).
    """
    test = rp.auc_test([0, 1], [1, 0], [0, 1], method="venkatraman")
    assert (test.statistic, test.p_value) == (2, pytest.approx(0.5, abs=5 * 0.0112))


def test_venkatraman_of_ties_has_its_level():
    rng, rejected = np.random.default_rng(8), 0
    y = np.repeat([0, 1], 30)
    for seed in range(150):
        base = rng.normal(size=60) + y
        pair = [np.clip(np.round(base + rng.normal(size=60) * 0.7), -1, 3) for _ in range(2)]
        rejected += rp.auc_test(*pair, y, method="venkatraman", n_resamples=100, rng=seed).p_value <= 0.05
    assert 1 <= rejected <= 15  # 7.5 are expected


def test_venkatraman_of_reversed_ranks():
    """Only the exchange of all 6 rows, or of none, gives a difference as large: p is 2/64.

    The p-value of 4,000 exchanges is within 5 standard errors of .00275 (falsely outside: 6e-7).
    """
    x, y = np.arange(6.0), np.repeat([0, 1], 3)
    test = rp.auc_test(x, -x, y, method="venkatraman", n_resamples=4000)
    assert test.p_value == pytest.approx(2 / 64, abs=5 * 0.00275)
    assert test.statistic == sum(2 * min(k, 6 - k) for k in range(6))


def error_curve(x, y, grid):
    """Return (FNR + FPR)/2 as a function of (FNR + TNR)/2, linear between the thresholds at the values."""
    points = [(0.0, 0.5)]
    for value in np.unique(x):
        below = [np.mean(x[y == label] <= value) for label in (0, 1)]
        points.append(((below[1] + below[0]) / 2, (below[1] + 1 - below[0]) / 2))
    return np.interp(grid, *np.transpose(points))


def test_venkatraman_of_two_samples_by_slow_loops():
    """The statistic by the error rates at each value; exchanges of the fractions of smaller values, class by class."""
    rng = np.random.default_rng(4)
    samples = []
    for sizes, shift in (((9, 14), 1.5), ((21, 6), 0.2)):
        y = np.repeat([0, 1], sizes)
        samples.append((np.round(3 * (rng.normal(size=len(y)) + shift * y)), y))
    grid = (np.arange(400) + 0.5) / 400
    test = rp.auc_test(*samples, method="venkatraman", n_resamples=80, rng=5)
    first, second = (error_curve(*sample, grid) for sample in samples)
    assert test.statistic == pytest.approx(np.mean(np.abs(first - second)), rel=1e-9)
    pooled = [[], []]
    for x, y in samples:
        classes = [x[y == label] for label in (0, 1)]
        for label in (0, 1):
            pooled[label] += [
                np.mean([np.mean(part < value) / 2 + np.mean(part <= value) / 2 for part in classes])
                for value in classes[label]
            ]
    generator, n_extreme = np.random.default_rng(5), 0
    for _ in range(80):
        drawn = [generator.permutation(part) for part in pooled]
        halves = [[part[:n], part[n:]] for part, n in zip(drawn, (9, 14), strict=True)]
        curves = [
            error_curve(np.concatenate(pair), np.repeat([0, 1], list(map(len, pair))), grid)
            for pair in zip(*halves, strict=True)
        ]
        n_extreme += np.mean(np.abs(curves[0] - curves[1])) >= test.statistic - 1e-12
    assert test.p_value == (1 + n_extreme) / 81


def mean_errors(ranks, sign):
    """Return the cumulative sums of the signs in the order of the ranks, averaged over all orders of tied rows."""
    groups = [np.flatnonzero(ranks == rank) for rank in np.unique(ranks)]
    orders = [np.concatenate(parts) for parts in product(*(list(permutations(group)) for group in groups))]
    return np.mean([np.cumsum(sign[order.astype(int)]) for order in orders], axis=0)


def test_venkatraman_of_one_sample_by_slow_loops():
    """The sum over all ranks of the difference between the errors; all 64 exchanges of the ranks of tied features.

    The p-value of 4,000 exchanges is within 5 standard errors of the share of exchanges (falsely outside: 6e-7).
    """
    y = np.array([0, 0, 0, 1, 1, 1])
    first, second = np.array([1.0, 1, 3, 2, 3, 4]), np.array([3.0, 2, 2, 1, 2, 4])
    ranks, sign = [stats.rankdata(x) for x in (first, second)], 2.0 * y - 1

    def statistic(one, other):
        return np.sum(np.abs(mean_errors(one, sign) - mean_errors(other, sign)))

    test = rp.auc_test(first, second, y, method="venkatraman", n_resamples=4000)
    assert test.statistic == pytest.approx(statistic(*ranks), rel=1e-12)
    exchanges = [np.array(bits) for bits in product([False, True], repeat=6)]
    values = np.array([statistic(np.where(bits, *ranks), np.where(bits, *ranks[::-1])) for bits in exchanges])
    share = np.mean(values >= test.statistic - 1e-9)
    assert 0.02 < share < 0.5
    assert test.p_value == pytest.approx(share, abs=5 * np.sqrt(share * (1 - share) / 4000) + 1 / 4000)
    x1, x2 = np.array([1.0, 5, 2, 4, 6, 3]), np.array([2.0, 1, 3, 4, 5, 6])
    expected = sum(abs(np.sum(sign[x1 <= k]) - np.sum(sign[x2 <= k])) for k in range(1, 7))
    assert rp.auc_test(x1, x2, y, method="venkatraman", n_resamples=20).statistic == expected
