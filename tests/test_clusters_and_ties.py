"""Few clusters, clusters that cancel, and Venkatraman's test of tied values."""

import numpy as np
import pytest

import rocpredict as rp


def test_one_cluster_is_refused():
    x, other, y = [1.0, 2.0, 3.0, 4.0], [2.0, 1.0, 4.0, 3.0], [0, 0, 1, 1]
    calls = {
        "estimate": lambda: rp.auc_estimate(x, y, clusters=[1, 1, 1, 1]),
        "one curve": lambda: rp.auc_test(x, None, y, clusters=[1, 1, 1, 1]),
        "two curves": lambda: rp.auc_test(x, other, y, clusters=[1, 1, 1, 1]),
        "many curves": lambda: rp.auc_test_many([x, other], y, clusters=[1, 1, 1, 1]),
    }
    for call in calls.values():
        with pytest.raises(rp.RocPredictError, match="clusters= has one cluster only; two or more are needed"):
            call()


def test_few_clusters_have_wide_finite_intervals_and_a_flag():
    rng = np.random.default_rng(3)
    faults, n_few = [], 0
    for trial in range(300):
        n = rng.integers(4, 12)
        x, y, clusters = rng.integers(0, 6, n), rng.integers(0, 2, n), rng.integers(0, 2 + trial % 2, n)
        if y.min() == y.max() or len(np.unique(clusters)) < 2:
            continue
        few = len(np.unique(clusters)) == 2
        n_few += few
        for method in (None, "delong", "logit"):
            estimate = rp.auc_estimate(x, y, clusters=clusters, method=method)
            low, high = estimate.interval.low, estimate.interval.high
            finite = np.isfinite([low, high, estimate.std_error]).all() and low <= estimate.auc <= high
            wide = high - low > (0.5 if few else 0.05) and estimate.std_error > (0.02 if few else 0.001)
            if not (finite and wide and ("few_clusters" in estimate.flags) == few):
                faults.append(f"{trial}, {method}, {x}, {y}, {clusters}: {estimate}")
    assert not faults, "\n".join(faults[:5])
    assert n_few > 100


def test_clusters_that_cancel_do_not_pass_for_certainty():
    for method in (None, "delong", "logit"):
        estimate = rp.auc_estimate([1, 2, 3, 4, 5, 6], [0, 1, 0, 1, 0, 1], clusters=[1, 1, 2, 2, 3, 3], method=method)
        assert estimate.std_error > 0.2
        assert estimate.interval.high - estimate.interval.low > 0.9


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


def test_venkatraman_of_ties_has_its_level():
    rng, rejected = np.random.default_rng(8), 0
    y = np.repeat([0, 1], 30)
    for seed in range(150):
        base = rng.normal(size=60) + y
        pair = [np.clip(np.round(base + rng.normal(size=60) * 0.7), -1, 3) for _ in range(2)]
        rejected += rp.auc_test(*pair, y, method="venkatraman", n_resamples=100, rng=seed).p_value <= 0.05
    assert 1 <= rejected <= 15  # 7.5 are expected
