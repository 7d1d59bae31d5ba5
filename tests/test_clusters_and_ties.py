"""Few clusters, clusters that cancel, and Venkatraman's test of tied values."""

import numpy as np
import pytest

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
