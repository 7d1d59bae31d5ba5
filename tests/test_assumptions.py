"""Warnings about the assumption of two Gaussians: rarely false, frequent for wrong curves, and with a remedy.

Every random test is seeded; its probability to fail with another seed is stated.
"""

import numpy as np
import pytest
from scipy import stats

from rocpredict.distributions import normality as assumptions
from rocpredict.distributions.ecdf import MAX_HARMLESS_AREA, empirical_tpr
from rocpredict.distributions.normality import (
    binormal_misfit,
    normality_warning,
    sample_moments,
    skewness_z,
    sort_and_scale,
)
from tests.cases import for_each


def count_warnings(draws):
    return sum(normality_warning(*pair) is not None for pair in draws)


def misfit_of(negative, positive):
    samples = sort_and_scale(negative, positive)
    return binormal_misfit(samples, (sample_moments(samples[0]), sample_moments(samples[1])))


@for_each([1 / 3, 1, 3], [(5, 5), (10, 10), (20, 60), (50, 50), (200, 200)])
def test_normal_samples_do_not_warn(std, *counts):
    """Fewer than 1 of 100 draws warn: at most 9 of 200 here, which a proportion of 0.005 exceeds in 1 of 10^7 runs."""
    rng = np.random.default_rng(len(str(std)) + sum(counts))
    draws = ((rng.normal(0, 1, counts[0]), rng.normal(1, std, counts[1])) for _ in range(200))
    assert count_warnings(draws) <= 9


@for_each([0, 3, 6])
def test_separated_normal_classes_do_not_warn(apart):
    """With almost no expected difference, one observation is not significant: at most 9 of 200, as above."""
    rng = np.random.default_rng(apart)
    assert count_warnings((rng.normal(0, 3, 50), rng.normal(apart, 1, 50)) for _ in range(200)) <= 9


FAR_FROM_NORMAL = {
    "exponential": lambda rng, n: (rng.exponential(1, n), rng.exponential(2.5, n)),
    "lognormal": lambda rng, n: (rng.lognormal(0, 1, n), rng.lognormal(1.2, 1, n)),
    "many zeros": lambda rng, n: (np.where(rng.random(n) < 0.6, 0, rng.exponential(1, n)),
        np.where(rng.random(n) < 0.25, 0, rng.exponential(2, n))),
}  # fmt: skip


@for_each(FAR_FROM_NORMAL)
def test_a_wrong_curve_warns(draw):
    """At least 0.96 of 1000 draws warned; fewer than 40 of 50 have a probability below 1 in 10^4."""
    rng = np.random.default_rng(1)
    assert count_warnings(draw(rng, 50) for _ in range(50)) >= 40


def test_harmless_ties_do_not_warn():
    """Five levels are far from normal, yet the curve of 1000 observations per class is within the tolerance."""
    levels = np.arange(5.0)
    shares = np.array([[450, 250, 150, 100, 50], [100, 150, 200, 250, 300]])
    negative, positive = (np.repeat(levels, share) for share in shares)
    misfit = misfit_of(negative, positive)
    assert 0 < misfit.area_between < MAX_HARMLESS_AREA
    assert normality_warning(negative, positive) is None


def test_the_warning_names_class_measure_and_remedy():
    quantiles = stats.lognorm(1).ppf((np.arange(100) + 0.5) / 100)
    warning = normality_warning(quantiles, 3 * quantiles**1.2)
    assert warning is not None
    assert warning.startswith("the positive class is skewed (skewness ")
    assert "differs from the empirical TPR by" in warning
    assert "on average, more than expected from sampling variation" in warning
    assert warning.endswith("use family='boxcox' or family='auto'")
    distance = misfit_of(quantiles, 3 * quantiles**1.2).area_between
    assert f"empirical TPR by {distance:.2f} on average" in warning


def test_ties_heavy_tails_and_other_shapes_have_their_own_messages():
    q = (np.arange(100) + 0.5) / 100
    zeros = np.where(q < 0.7, 0, stats.expon.ppf(q))
    assert normality_warning(zeros, 2 * stats.expon.ppf(q)).startswith("70% of the values of the negative")
    heavy = stats.t(1.5).ppf((np.arange(400) + 0.5) / 400)
    assert normality_warning(heavy, heavy + 2).startswith("the negative class has heavy tails (excess kurtosis ")
    two_peaks = np.concatenate([stats.norm.ppf(q) - 2.5, stats.norm.ppf(q) + 2.5])
    warning = normality_warning(np.repeat(stats.norm.ppf(q), 2) + np.tile([-1e-9, 1e-9], 100), two_peaks)
    assert warning.startswith("the classes are not normal: ")
    assert warning.endswith("use family='auto' or rp.empirical_roc")


def test_expected_difference_equals_the_mean_of_simulated_empirical_curves():
    """The mean square distance of 2000 empirical curves from the true one has a relative SE of 2%; 8% are 4 SE."""
    rng = np.random.default_rng(5)
    (mean, std), counts = (1.2, 1.6), (30, 40)
    fpr = (np.arange(64) + 0.5) / 64
    truth = stats.norm.sf(stats.norm.isf(fpr), mean, std)
    samples = ((np.sort(rng.normal(0, 1, 30)), np.sort(rng.normal(mean, std, 40))) for _ in range(2000))
    average = np.mean([(empirical_tpr(*pair, fpr) - truth) ** 2 for pair in samples])
    assert assumptions._expected_square_distance(mean / std, 1 / std, counts) == pytest.approx(average, rel=0.08)


def test_moments_and_scores_are_scipys():
    sample = np.sort(np.random.default_rng(3).gamma(2, 1, 40))
    misfit = sample_moments(sample)
    assert misfit == pytest.approx(
        (sample.mean(), sample.std(ddof=1), stats.skew(sample), stats.kurtosis(sample)), rel=1e-12
    )
    for count in (8, 40, 5000):
        part = np.sort(np.random.default_rng(count).gamma(2, 1, count))
        expected = stats.skewtest(part).statistic
        assert skewness_z(stats.skew(part), count) == pytest.approx(expected, rel=1e-12)


def test_unit_mirror_and_exchange_change_nothing():
    """Scales by powers of 2 are exact; of -x, and of exchanged classes, both areas are the same up to rounding."""
    rng = np.random.default_rng(4)
    negative, positive = rng.exponential(1, 60), rng.exponential(3, 45)
    misfit = misfit_of(negative, positive)
    assert misfit.ratio_to_expected > assumptions.WARNING_MISFIT_RATIO_SKEWED
    for factor in (2.0**990, 2.0**-990):
        assert misfit_of(factor * negative, factor * positive) == misfit
    for pair in ((-negative, -positive), (positive, negative), (negative + 1000, positive + 1000)):
        assert misfit_of(*pair).area_between == pytest.approx(misfit.area_between, rel=0.02)


def test_degenerate_samples_do_not_warn():
    some, rng = np.arange(4.0), np.random.default_rng(6)
    zeros, ones, one, two, far = np.zeros(30), np.ones(30), *(rng.normal(mean, 1, 30) for mean in (1, 1, 100))
    few = some, some**5  # fewer than 5 rows
    for pair in (few, (ones, ones), (zeros, ones), (zeros, one), (two, zeros), (one - 1, far)):
        assert normality_warning(*pair) is None
