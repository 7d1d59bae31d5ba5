"""Our variances, intervals and tests of the AUC against pROC's, which are stored in tests/reference.

What is counted agrees to 1e-12. What is drawn lies within 5 Monte Carlo standard errors, those of pROC's
10,000 resamples and of ours together: a right answer falls outside with probability 2e-5 a comparison (the errors
are estimated on 39 degrees of freedom), and both seeds are fixed.
"""

import numpy as np
import pytest
from scipy.special import ndtr

import rocpredict as rp
from tests.reference.data import Key, about, features, load, near, table, xy

PROC = table("proc")
LIMIT = 5  # Monte Carlo standard errors
RESAMPLES = 2000
OF_PROC = 10_000
Z = 1e-10  # of statistics and their p: a difference of areas over a difference of variances loses two digits


def roc(data: str, feature: str) -> rp.EmpiricalRoc:
    return rp.empirical_roc(*xy(data, feature))


def pair(key: Key):
    return load(key.data)[key.x1], load(key.data)[key.x2], load(key.data)["y"]


def two_samples(key: Key):
    return xy(key.data, key.x1), xy(*key.x2.split("."))


def within(ours: float, key: Key, *, slack: float = 0.0, own_error: float | None = None) -> bool:
    """Return whether a resampled number agrees; its error is that of pROC, scaled to the number of resamples."""
    value, error = PROC[key]
    own = error * np.sqrt(OF_PROC / RESAMPLES) if own_error is None else own_error
    return abs(ours - value) <= LIMIT * np.hypot(error, own) + slack


def test_delong_interval_equals_proc():
    """The Wald interval, cut off at 0 and 1; at a variance of 0 pROC says [1, 1], we fall back, with a flag."""
    fell_back = 0
    for key, at, low in about(PROC, "ci_low"):
        high = PROC[key._replace(quantity="ci_high")].value
        ours = roc(key.data, key.x1).auc_interval(at["level"], method="delong")
        if low == high:
            fell_back += 1
            assert ours.low < 1 == ours.high or ours.low < ours.high < 1, key
            assert ours.flags, key
        else:
            assert (ours.low, ours.high) == (near(low), near(high)), key
    assert fell_back == 2


def test_delong_variances_equal_proc():
    """28 curves, ties and a variance of 0 among them; every pair of columns of a data set in one (K, K) matrix."""
    for key, _, value in about(PROC, "var_delong"):
        assert roc(key.data, key.x1).auc_std_error(method="delong") ** 2 == near(value), key
    for data in {key.data for key, _, _ in about(PROC, "cov_delong")}:
        names = features(data)
        ours = np.asarray(rp.auc_test_many([load(data)[name] for name in names], load(data)["y"]).covariance)
        for i, first in enumerate(names):
            assert ours[i, i] == near(PROC[Key(data, first, "", "var_delong", "")].value), (data, first)
            for j, second in enumerate(names[i + 1 :], i + 1):
                expected = PROC[Key(data, first, second, "cov_delong", "")].value
                scale = np.sqrt(ours[i, i] * ours[j, j])
                assert ours[i, j] == ours[j, i] == pytest.approx(expected, rel=1e-12, abs=1e-12 * scale), (data, second)


def test_paired_delong_test_equals_proc():
    for key, _, statistic in about(PROC, "paired_z"):
        limits = [PROC[key._replace(quantity=f"paired_{end}", setting="level=0.95")].value for end in ("low", "high")]
        first, second = (PROC[Key(key.data, x, "", "auc", "")].value for x in (key.x1, key.x2))
        ours = rp.auc_test(*pair(key), method="delong")
        assert ours.statistic == near(statistic, Z), key
        assert ours.p_value == near(PROC[key._replace(quantity="paired_p")].value, Z), key
        assert tuple(ours.estimates) == (near(first), near(second)), key
        assert ours.difference == pytest.approx(first - second, rel=1e-12, abs=1e-14), key
        assert tuple(ours.interval) == pytest.approx(limits, rel=1e-12, abs=1e-13), key
    for alternative in ("greater", "less"):  # "greater": the first area is the larger one
        for key, _, value in about(PROC, f"paired_p_{alternative}"):
            assert rp.auc_test(*pair(key), method="delong", alternative=alternative).p_value == near(value, Z), key


def test_unpaired_delong_test_has_the_statistic_of_proc():
    """The same statistic; we refer it to the normal law, pROC to Student's t with Satterthwaite's df.

    One-sided p are on the same side of 1/2 as pROC's, and the normal tail of the same statistic.
    """
    for key, _, statistic in about(PROC, "unpaired_statistic"):
        ours = rp.auc_test(*two_samples(key), method="delong")
        assert ours.statistic == near(statistic, Z), key
        assert ours.p_value == near(2 * ndtr(-abs(statistic)), 1e-8), key
        assert ours.p_value <= PROC[key._replace(quantity="unpaired_p_t")].value, key
        for alternative, sign in (("greater", -1), ("less", 1)):
            by_t = PROC[key._replace(quantity=f"unpaired_p_t_{alternative}")].value
            ours = rp.auc_test(*two_samples(key), method="delong", alternative=alternative)
            assert ours.p_value == near(ndtr(sign * statistic), 1e-8), key
            assert (ours.p_value < 0.5) == (by_t < 0.5), key


def test_bootstrap_agrees_with_proc():
    """Standard errors; of tests the difference to 1e-12, its standard error, difference / statistic, and p."""
    for key, _, _ in about(PROC, "boot_sd_auc"):
        error = roc(key.data, key.x1).auc_std_error(method="bootstrap", n_resamples=RESAMPLES, rng=1)
        assert within(error, key), key
    tests = {"boot_test": {}, "boot_test_partial": {"fpr": (0, 0.2)}, "boot_test_tpr": {"tpr_at_fpr": 0.1}}
    for quantity, options in tests.items():
        for key, _, difference in about(PROC, f"{quantity}_difference"):
            ours = rp.auc_test(*pair(key), method="bootstrap", n_resamples=RESAMPLES, rng=2, **options)
            assert ours.difference == pytest.approx(difference, rel=1e-12, abs=1e-14), key
            assert within(ours.difference / ours.statistic, key._replace(quantity=f"{quantity}_sd")), key
            assert within(ours.p_value, key._replace(quantity=f"{quantity}_p")), key


def test_paired_venkatraman_test_agrees_with_proc():
    """The statistic, exactly: the numbers of errors of both rules at each rank, their differences added up.

    And p, by permutation; with 1/RESAMPLES of slack for counting the sample itself among its permutations or not.
    """
    for key, _, p in about(PROC, "venkatraman_paired_p"):
        ours = rp.auc_test(*pair(key), method="venkatraman", n_resamples=RESAMPLES, rng=3)
        assert ours.statistic == near(PROC[key._replace(quantity="venkatraman_paired_statistic")].value), key
        own = np.sqrt(p * (1 - p) / RESAMPLES)
        assert within(ours.p_value, key, own_error=own, slack=1 / RESAMPLES), key
