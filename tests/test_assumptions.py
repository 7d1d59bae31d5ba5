"""Warnings about the assumptions of families: rarely false, frequent for wrong curves, and with a remedy.

Every random test is seeded; its probability to fail with another seed is stated.
"""

import numpy as np
import pytest
from scipy import stats

from rocpredict import AssumptionWarning, predict_roc
from rocpredict.distributions import normality as assumptions
from rocpredict.distributions.ecdf import MAX_HARMLESS_AREA, empirical_tpr
from rocpredict.distributions.fitting import get_fitter
from rocpredict.distributions.normality import (
    binormal_misfit,
    misfit_warning,
    sample_moments,
    skewness_z,
    sort_and_scale,
    suppress_misfit_warning,
)
from rocpredict.roc.predicted import fit_warning
from tests.cases import for_each
from tests.samples import labelled


def count_warnings(draws):
    return sum(misfit_warning(*pair) is not None for pair in draws)


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
    "many zeros": lambda rng, n: (
        np.where(rng.random(n) < 0.6, 0, rng.exponential(1, n)),
        np.where(rng.random(n) < 0.25, 0, rng.exponential(2, n)),
    ),
}


@for_each(FAR_FROM_NORMAL)
def test_a_wrong_curve_warns(draw):
    """At least 0.96 of 1000 draws warned; fewer than 40 of 50 have a probability below 1 in 10^4."""
    rng = np.random.default_rng(1)
    assert count_warnings(draw(rng, 50) for _ in range(50)) >= 40


def steps(rng, n, shares):
    return rng.choice(len(shares), n, p=shares) + rng.random(n)


def count_fit_warnings(family, draw, n, runs):
    rng, fit = np.random.default_rng(n), get_fitter(family)
    pairs = (draw(rng, n) for _ in range(runs))
    return [doubt for pair in pairs if (doubt := fit_warning(family, fit(*pair), pair))]


@for_each(
    [
        ("kde", lambda rng, n: (rng.normal(0, 1, n), rng.normal(1, 1 / 3, n))),
        ("kde", lambda rng, n: (rng.lognormal(0, 1, n), rng.lognormal(1, 1, n))),
        ("histogram", lambda rng, n: (steps(rng, n, [0.4, 0.3, 0.2, 0.1]), steps(rng, n, [0.1, 0.2, 0.3, 0.4]))),
        ("mixture", lambda rng, n: (rng.normal(0, 1, n), rng.normal(1.5, 1, n))),
    ],
    [10, 50],
)
def test_families_that_are_right_do_not_warn(family, draw, n):
    """Fewer than 1 of 250 draws warn: at most 3 of 50 here, which has a probability of failure of 1 in 10^4."""
    assert len(count_fit_warnings(family, draw, n, 50)) <= 3


ZEROS = (lambda rng, n: tuple(np.where(rng.random(n) < share, 0, rng.lognormal(0, 1, n)) for share in (0.9, 0.6)),)
WILD = (lambda rng, n: tuple(mean + rng.normal(0, 1, n) * rng.choice([1, 1000], n, p=[0.98, 0.02]) for mean in (0, 1)),)
PEAKS = (lambda rng, n: (rng.normal(0, 1, n), rng.normal(rng.choice([-3, 3], n), 0.5)),)
EDGE = (lambda rng, n: (rng.random(n), rng.beta(1, 0.2, n)),)


@for_each(
    [
        (
            "kde",
            *ZEROS,
            "% of the values of the negative class are equal to 0: the TPR predicted from kernel",
        ),
        ("kde", *PEAKS, "the bandwidth is wider than a peak or an edge of a density"),
        ("histogram", *EDGE, "the bins are too wide: the TPR predicted from histograms differs"),
        ("histogram", *WILD, "class has heavy tails (excess kurtosis "),
        ("mixture", *ZEROS, "% of the values of the negative class are equal to 0"),
        ("mixture", *WILD, "the TPR predicted from Gaussian mixtures differs"),
    ]
)
def test_families_that_distort_the_curve_warn(family, draw, words):
    """At least 0.86 of the draws warn: fewer than 6 of 10 have a probability below 0.01, and the seed is fixed."""
    doubts = count_fit_warnings(family, draw, 200, 10)
    assert len(doubts) >= 6
    assert any(words in doubt for doubt in doubts)
    assert all(
        doubt.endswith("more than expected from sampling variation; use family='auto' or rp.empirical_roc")
        for doubt in doubts
    )


@for_each([None, "lower"])
def test_a_fit_warns_once_in_every_direction(direction):
    rng = np.random.default_rng(0)
    with pytest.warns(AssumptionWarning, match="^the bandwidth is wider than a peak") as warned:
        predict_roc(*labelled(*PEAKS[0](rng, 200)), family="kde", direction=direction)
    assert [(one.filename, one.category) for one in warned] == [(__file__, AssumptionWarning)]
    with suppress_misfit_warning():
        predict_roc(*labelled(*PEAKS[0](rng, 200)), family="kde", direction=direction)


def test_harmless_ties_do_not_warn():
    """Five levels are far from normal, yet the curve of 1000 observations per class is within the tolerance."""
    levels = np.arange(5.0)
    shares = np.array([[450, 250, 150, 100, 50], [100, 150, 200, 250, 300]])
    negative, positive = (np.repeat(levels, share) for share in shares)
    misfit = misfit_of(negative, positive)
    assert 0 < misfit.area_between < MAX_HARMLESS_AREA
    assert misfit_warning(negative, positive) is None


def test_the_warning_names_class_measure_and_remedy():
    quantiles = stats.lognorm(1).ppf((np.arange(100) + 0.5) / 100)
    warning = misfit_warning(quantiles, 3 * quantiles**1.2)
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
    assert misfit_warning(zeros, 2 * stats.expon.ppf(q)).startswith("70% of the values of the negative")
    heavy = stats.t(1.5).ppf((np.arange(400) + 0.5) / 400)
    assert misfit_warning(heavy, heavy + 2).startswith("the negative class has heavy tails (excess kurtosis ")
    two_peaks = np.concatenate([stats.norm.ppf(q) - 2.5, stats.norm.ppf(q) + 2.5])
    warning = misfit_warning(np.repeat(stats.norm.ppf(q), 2) + np.tile([-1e-9, 1e-9], 100), two_peaks)
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
    expected = assumptions._expected_square_distance(lambda fpr: stats.norm.sf(stats.norm.isf(fpr), mean, std), counts)
    assert expected == pytest.approx(average, rel=0.08)


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
    assert misfit.ratio_to_expected > assumptions.CONTRADICTED_LIMIT
    for factor in (2.0**990, 2.0**-990):
        assert misfit_of(factor * negative, factor * positive) == misfit
    for pair in ((-negative, -positive), (positive, negative), (negative + 1000, positive + 1000)):
        assert misfit_of(*pair).area_between == pytest.approx(misfit.area_between, rel=0.02)


def test_degenerate_samples_do_not_warn():
    some, rng = np.arange(4.0), np.random.default_rng(6)
    zeros, ones, one, two, far = np.zeros(30), np.ones(30), *(rng.normal(mean, 1, 30) for mean in (1, 1, 100))
    few = some, some**5  # fewer than 5 rows
    for pair in (few, (ones, ones), (zeros, ones), (zeros, one), (two, zeros), (one - 1, far)):
        assert misfit_warning(*pair) is None


def test_boxcox_is_recommended_only_if_it_fits():
    """Lognormal classes become normal; two modes and a far outlying group do not."""
    rng = np.random.default_rng(2)
    lognormal = rng.lognormal(0, 1, 300), rng.lognormal(1, 1, 300)
    modes = rng.normal(0, 1, 300), np.where(rng.random(300) < 0.8, rng.normal(-2, 0.3, 300), rng.normal(9, 1, 300))
    doubts = [fit_warning("gaussian", get_fitter("gaussian")(*pair), pair) for pair in (lognormal, modes)]
    assert ["is skewed" in doubt for doubt in doubts] == [True, True]
    assert [doubt.partition("; use ")[2] for doubt in doubts] == [
        "family='boxcox' or family='auto'",
        "family='auto' or rp.empirical_roc",
    ]
