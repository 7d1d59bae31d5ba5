"""McNemar's test: p-values by SciPy and by hand, the interval from publications and by enumeration."""

import itertools
import json
import math
from functools import partial

import numpy as np
import pytest
from scipy import stats

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
    """Bentur et al. 2009 as printed by Fagerland, Lydersen and Laake (2014): 1, 1, 7, 12 gives -0.507 to -0.026."""
    shown = paired_difference_interval(CorrectnessTable(12, 7, 1, 1))
    assert [round(end, 3) for end in shown] == [-0.507, -0.026]
    turned = paired_difference_interval(CorrectnessTable(12, 1, 7, 1))
    assert list(turned) == pytest.approx([-shown.high, -shown.low], abs=1e-15)
    # two error rates of 57/104: Wilson's limits, and a phi coefficient less the continuity correction of n/2
    below, above = abs(np.array(stats.binomtest(57, 104).proportion_ci(method="wilson")) - 57 / 104)
    phi = (40 * 50 - 7 * 7 - 104 / 2) / (47 * 57)
    half = np.sqrt(below**2 - 2 * phi * below * above + above**2)
    assert list(paired_difference_interval(CorrectnessTable(40, 7, 7, 50))) == pytest.approx([-half, half], abs=1e-15)


def test_the_interval_by_newcombes_method_10():
    """Of all tables with 5 observations and some larger ones: limits at most -1 and 1, and no correlation if undefined.

    The phi coefficient is the correlation of the two 0/1 variables "correct"; if it is positive, n/2 is subtracted from
    the difference of products in its numerator, but not beyond 0.
    """
    small = [t for t in itertools.product(range(6), repeat=4) if sum(t) == 5]
    for table in [*small, (40, 3, 9, 20), (2, 30, 25, 1), (300, 1, 0, 200), (0, 40, 0, 0)]:
        rights = [np.repeat(values, table) for values in ([1, 1, 0, 0], [1, 0, 1, 0])]
        n, errors = sum(table), [1 - part.mean() for part in rights]
        phi = np.corrcoef(*rights)[0, 1] if all(part.std() > 0 for part in rights) else 0.0
        if phi > 0:
            phi = max(0, phi - n / 2 / (n**2 * rights[0].std() * rights[1].std()))
        for level in (0.8, 0.95):
            (l1, u1), (l2, u2) = (
                stats.binomtest(int(n - part.sum()), n).proportion_ci(level, method="wilson") for part in rights
            )
            (a, b), (c, d) = (errors[0] - l1, u1 - errors[0]), (errors[1] - l2, u2 - errors[1])
            low = errors[0] - errors[1] - np.sqrt(a**2 - 2 * phi * a * d + d**2)
            high = errors[0] - errors[1] + np.sqrt(b**2 - 2 * phi * b * c + c**2)
            interval = paired_difference_interval(CorrectnessTable(*table), level=level)
            assert list(interval) == pytest.approx([max(low, -1), min(high, 1)], abs=1e-9), (table, level)
            assert interval.estimate == pytest.approx(errors[0] - errors[1], abs=1e-12)


def test_the_interval_covers_the_difference_as_often_as_it_says():
    """Coverage of level 0.95, every table of n rows enumerated: 0.93 or more everywhere, 0.95 or more on average."""
    for n in (10, 25):
        tables = np.array([t for t in itertools.product(range(n + 1), repeat=3) if sum(t) <= n])
        tables = np.column_stack([tables, n - tables.sum(axis=1)])
        intervals = np.array([list(paired_difference_interval(CorrectnessTable(*map(int, t)))) for t in tables])
        assert (intervals[:, 1] - intervals[:, 0]).min() > 0.1
        assert intervals.min() >= -1
        assert intervals.max() <= 1
        covered = []
        for error1, error2, share in itertools.product((0.05, 0.2, 0.4), (0.05, 0.3, 0.5), (0.0, 0.4, 0.9)):
            both = error1 * error2 + share * (min(error1, error2) - error1 * error2)
            cells = [1 - error1 - error2 + both, error2 - both, error1 - both, both]
            weights = stats.multinomial(n, cells).pmf(tables)
            inside = (intervals[:, 0] <= error1 - error2) & (error1 - error2 <= intervals[:, 1])
            covered.append(weights[inside].sum() / weights.sum())
        assert min(covered) > 0.93, n
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
    assert stored["interval"]["method"] == "newcombe"
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
