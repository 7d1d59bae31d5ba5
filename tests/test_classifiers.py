"""McNemar's test: p-values by SciPy and by hand, the interval from publications and by enumeration."""

import itertools
import json
import math
from functools import partial

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import minimize_scalar

from rocpredict.base.rates import proportion_interval
from rocpredict.inference.mcnemar import CorrectnessTable, mcnemar_test, paired_difference_interval
from tests.cases import check_refused, refuses

METHODS = ("exact", "mid-p", "asymptotic")
TABLES = [(10, 8, 2, 5), (0, 1, 7, 12), (30, 3, 3, 1), (1, 0, 6, 0), (0, 0, 5, 0), (50, 21, 9, 4), (2, 1, 0, 0)]


def calls(both_right, only_first, only_second, both_wrong):
    """Return the predictions of two classifiers and the labels that give this table."""
    sizes = (both_right, only_first, only_second, both_wrong)
    y = np.arange(sum(sizes)) % 2
    right1, right2 = np.repeat([True, True, False, False], sizes), np.repeat([True, False, True, False], sizes)
    return np.where(right1, y, 1 - y), np.where(right2, y, 1 - y), y


def test_every_number_by_another_route():
    """Counts, error rates, and the three p-values from scipy's binomial and chi-squared laws."""
    for table in TABLES:
        _, b, c, d = table
        results = {method: mcnemar_test(*calls(*table), method=method) for method in METHODS}
        exact, n = results["exact"], sum(table)
        assert exact.agreement == table
        assert exact.n == n
        assert exact.error_rate1.to_dict() == proportion_interval(c + d, n).to_dict()
        assert exact.error_rate2.to_dict() == proportion_interval(b + d, n).to_dict()
        assert exact.difference == pytest.approx((c - b) / n, abs=1e-15)
        assert exact.p_value == pytest.approx(stats.binomtest(b, b + c, 0.5).pvalue, rel=1e-12), table
        law = stats.binom(b + c, 0.5)
        mid = 2 * (law.cdf(min(b, c)) - law.pmf(min(b, c)) / 2)
        assert results["mid-p"].p_value == pytest.approx(mid, rel=1e-12), table
        chi_squared, asymptotic = (b - c) ** 2 / (b + c), results["asymptotic"]
        assert asymptotic.p_value == pytest.approx(stats.chi2.sf(chi_squared, 1), rel=1e-12), table
        assert asymptotic.statistic == pytest.approx(math.copysign(math.sqrt(chi_squared), c - b), rel=1e-13), table
        assert [test.method for test in results.values()] == list(METHODS)
        assert asymptotic.interval.to_dict() == exact.interval.to_dict()


def test_the_exact_test_never_rejects_a_true_null_too_often():
    """By enumeration over all discordant counts: P(p <= level) <= level for exact, 1.5 times it at most for mid-p."""
    for discordant in (5, 12, 40):
        chance = stats.binom(discordant, 0.5).pmf(np.arange(discordant + 1))
        for method, allowed in (("exact", 1.0), ("mid-p", 1.5)):
            p = np.array(
                [mcnemar_test(*calls(3, k, discordant - k, 2), method=method).p_value for k in range(discordant + 1)]
            )
            for level in (0.01, 0.05, 0.1):
                assert chance[p <= level].sum() <= allowed * level


def test_the_interval_is_the_published_one():
    """Bentur et al. 2009 as printed by Fagerland, Lydersen and Laake (2014): 1, 1, 7, 12 gives -0.517 to -0.026."""
    shown = paired_difference_interval(CorrectnessTable(12, 7, 1, 1))
    assert [round(end, 3) for end in shown] == [-0.517, -0.026]
    turned = paired_difference_interval(CorrectnessTable(12, 1, 7, 1))
    assert list(turned) == pytest.approx([-shown.high, -shown.low], abs=1e-12)
    # if the less likely cell has probability 0, the score equation is quadratic
    z2 = stats.norm.ppf(0.975) ** 2
    assert list(paired_difference_interval(CorrectnessTable(20, 0, 0, 30))) == pytest.approx(
        [-z2 / (50 + z2), z2 / (50 + z2)], abs=1e-12
    )


@pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
def test_the_limits_are_differences_that_the_score_test_begins_to_reject(level):
    """At each limit, the most likely table with this difference is found by a search; its score statistic is z."""
    z = stats.norm.ppf((1 + level) / 2)
    for table in [(5, 3, 1, 2), (40, 3, 9, 20), (2, 30, 25, 1), (300, 1, 0, 200), (0, 0, 4, 3), (8, 1, 1, 0)]:
        n, first, second = sum(table), table[1], table[2]
        interval = paired_difference_interval(CorrectnessTable(*table), level=level)
        assert interval.low < interval.estimate < interval.high
        for limit, sign in ((interval.low, 1), (interval.high, -1)):

            def loss(q, limit=limit, first=first, second=second, n=n):
                p = q + limit
                cells = ((second, p), (first, q), (n - first - second, 1 - p - q))
                return -sum(count * np.log(max(share, 1e-300)) for count, share in cells if count)

            bounds = max(0.0, -limit), (1 - limit) / 2
            q = minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": 1e-13}).x
            statistic = (second - first - n * limit) / np.sqrt(n * (2 * q + limit * (1 - limit)))
            assert statistic == pytest.approx(sign * z, rel=1e-5)


def test_the_interval_excludes_0_if_the_asymptotic_test_rejects():
    for first, second in itertools.product(range(12), repeat=2):
        if first + second:
            p_value = 2 * stats.norm.sf(abs(first - second) / np.sqrt(first + second))
            for level in (p_value * 0.999, p_value * 1.001):
                if level < 1:
                    interval = paired_difference_interval(CorrectnessTable(9, first, second, 4), level=1 - level)
                    assert (interval.low > 0 or interval.high < 0) == (level > p_value)


def test_the_interval_covers_the_difference_as_often_as_it_says():
    """Coverage of level 0.95: every table enumerated, for probabilities that only one classifier is right."""
    shares = (0.001, 0.01, 0.03, 0.05, 0.1, 0.2, 0.4)
    for n in (5, 10, 40):
        pairs = np.array([pair for pair in itertools.product(range(n + 1), repeat=2) if sum(pair) <= n])
        tables = [CorrectnessTable(n - sum(pair), *pair, 0) for pair in pairs.tolist()]
        low, high = np.array([list(paired_difference_interval(table)) for table in tables]).T
        assert (high - low).min() > 0.05
        assert low.min() >= -1
        assert high.max() <= 1
        covered = []
        for first, second in itertools.product(shares, repeat=2):
            cells = [first, second, 1 - first - second]
            weights = stats.multinomial(n, cells).pmf(np.column_stack([pairs, n - pairs.sum(axis=1)]))
            inside = (low <= second - first + 1e-12) & (second - first - 1e-12 <= high)
            covered.append(weights[inside].sum())
        assert min(covered) > 0.927, n
        assert np.mean(covered) > 0.95, n


def test_no_discordant_pairs_are_flagged_with_a_wide_interval():
    """A classifier against itself: p is 1 and flagged, and the interval of the difference has a width (T8)."""
    first, _, y = calls(20, 0, 0, 4)
    for method in METHODS:
        test = mcnemar_test(first, first, y, method=method)
        assert (test.p_value, test.difference, test.statistic) == (1.0, 0.0, 0.0)
        assert list(test.flags) == ["no_discordant_pairs"]
        assert test.interval.low < -0.05 < 0.05 < test.interval.high
    perfect = mcnemar_test(y, y, y)
    assert perfect.error_rate1.estimate == 0 < perfect.error_rate1.high
    assert perfect.interval.low < 0 < perfect.interval.high
    assert not mcnemar_test(*calls(5, 1, 1, 1)).flags
    smallest = mcnemar_test([1], [0], [1], labels=[0, 1])
    assert (smallest.n, smallest.difference, smallest.p_value) == (1, -1.0, 1.0)
    assert smallest.interval.low == -1
    assert smallest.interval.high > 0


@pytest.mark.extra("pandas", "polars")
def test_labels_of_any_kind_give_the_same():
    import pandas as pd
    import polars as pl

    first, second, y = calls(10, 8, 2, 5)
    expected = mcnemar_test(first, second, y).to_dict()
    words = np.array(["neg", "pos"])
    for code in (words.__getitem__, words.astype(object).__getitem__, np.ndarray.tolist, lambda v: v.astype(bool)):
        assert mcnemar_test(code(first), code(second), code(y)).to_dict() == expected
    assert mcnemar_test(first.astype(float), second.astype(bool), y).to_dict() == expected
    assert mcnemar_test(pd.Series(first), pl.Series(words[second] == "pos"), pd.Series(y)).to_dict() == expected
    three = ["a", "c", "b", "c", "b"], ["b", "b", "c", "c", "b"], ["a", "b", "c", "c", "b"]
    assert mcnemar_test(*three).agreement == (2, 1, 2, 0)
    assert mcnemar_test(*three, positive="a").agreement == (4, 1, 0, 0)
    assert mcnemar_test([1, 2], [1, 0], [1, 0], labels=[0, 1, 2]).agreement == (1, 0, 1, 0)


def test_swapped_classifiers_swap_the_result():
    first, second, y = calls(10, 8, 2, 5)
    test, other = mcnemar_test(first, second, y), mcnemar_test(second, first, y)
    assert test.p_value == other.p_value
    assert (test.difference, test.statistic) == (-other.difference, -other.statistic)
    assert list(test.interval) == pytest.approx([-other.interval.high, -other.interval.low], abs=1e-15)
    stored = json.loads(json.dumps(test.to_dict(), allow_nan=False))
    assert stored["agreement"] == {"both_right": 10, "only_first_right": 8, "only_second_right": 2, "both_wrong": 5}
    assert stored["interval"]["method"] == "tango"
    assert stored["null"] == "both classifiers have the same error rate"
    assert "\n" not in repr(test)


REFUSED = [
    (([1, 0], [1, 0], [1, 0, 1]), {}, "y_pred1 has 2 rows, but y has 3; pass one label for each row"),
    (([1, 0], [1], [1, 0]), {}, "y_pred2 has 1 row, but y has 2; pass one label for each row"),
    (([0.2, 0.9], [1, 0], [1, 0]), {}, r"y_pred1 contains 0.2, which is not among the labels \[0, 1\]"),
    (([1, 0], ["pos", "neg"], ["neg", "pos"]), {}, r"y_pred1 contains 1, which is not among the labels \['neg'"),
    (([1, 0], [1, np.nan], [1, 0]), {}, "y_pred2 contains nan, which is not among"),
    (([1, 0], np.ma.array([1, 0], mask=[0, 1]), [1, 0]), {}, "y_pred2 contains None, which is not among"),
    (([[1, 0]], [1, 0], [1, 0]), {}, "y_pred1=.* is not an array of labels"),
    ((1, [1, 0], [1, 0]), {}, "y_pred1=1 is not an array"),
    (([1, 0], [1, 0], [1, None]), {}, "y has missing values"),
    (([], [], []), {}, "y is empty"),
    (([1, 2], [1, 0], [1, 0]), {}, "y_pred1 contains 2"),
    (([1, 0], [1, 0], [1, 0]), {"positive": "pos"}, "positive contains 'pos', which is not among the labels"),
    (([1, 0], [1, 0], [1, 0]), {"method": "chi"}, "method='chi' is not allowed"),
    (([1, 0], [1, 0], [1, 0]), {"level": 95}, "level=95 is outside"),
]


def test_invalid_arguments_are_refused():
    check_refused([(partial(mcnemar_test, *rows, **options), words) for rows, options, words in REFUSED])


def test_impossible_counts_of_a_proportion_are_refused():
    for counts in ((3, 2), (0, 0), ([1, 3], [4, 2]), ([0, 1], [0, 2])):
        refuses("successes must not exceed n_trials, and n_trials must be above 0", proportion_interval, *counts)
