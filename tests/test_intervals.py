"""Intervals and standard errors by a second route: brute force over all pairs, textbook formulas, mpmath.

Degenerate data: no NaN, no width of 0, a correct flag.
"""

import itertools
import re
from itertools import product

import mpmath as mp
import numpy as np
import pytest
from scipy import integrate, stats
from scipy.special import expit, gammaln, logit, ndtr, ndtri

import rocpredict as rp
from rocpredict.base.progress import use_progress
from rocpredict.inference.bootstrap import BootstrapOptions
from rocpredict.inference.parametric import PairFit, ParametricUncertainty, pivotal_draws, pivotal_tpr
from tests.cases import check_each, check_refused, refuses
from tests.samples import labelled, pair_wins, two_normals

AUC_METHODS = ("smoothed-logit", "newcombe", "delong", "logit", "hanley-mcneil", "bootstrap", "bca")
PARTIAL_AUC_METHODS = ("smoothed-logit", "delong", "logit", "bootstrap", "bca")
COUNTED_METHODS = ("smoothed-logit", "delong", "logit", "hanley-mcneil", "newcombe")  # that draw nothing
Z = ndtri(0.975)
SIDES = np.array([-1, 1])
empirical = rp.EmpiricalRoc


def predicted(m0, s0, m1, s1, count=None):
    return rp.PredictedRoc(negative=rp.Gaussian(m0, s0), positive=rp.Gaussian(m1, s1), count=count)


def samples(seed=5, sizes=(9, 12), levels=6):
    """Return two small samples with ties within and between the classes."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, levels, sizes[0]).astype(float), rng.integers(1, levels + 1, sizes[1]).astype(float)


def brute_placements(negative, positive, w0=None, w1=None):
    w0 = np.ones(len(negative)) if w0 is None else np.asarray(w0, dtype=float)
    w1 = np.ones(len(positive)) if w1 is None else np.asarray(w1, dtype=float)
    wins = pair_wins(negative, positive)
    area = w1 @ wins @ w0 / (w0.sum() * w1.sum())
    return area, (w1 @ wins / w1.sum(), w0), (wins @ w0 / w0.sum(), w1)


def brute_delong(negative, positive, w0=None, w1=None):
    """Sum the squared deviations of the placements over cases, ddof=1, class by class (DeLong et al. 1988)."""
    area, *sides = brute_placements(negative, positive, w0, w1)
    return area, sum(w @ (v - area) ** 2 / (w.sum() * (w.sum() - 1)) for v, w in sides)


def test_delong_and_logit_by_all_pairs():
    """With ties, without, and with weights that stand for cases."""
    for seed, levels in product(range(4), (3, 6, 10_000)):
        negative, positive = samples(seed, levels=levels)
        rng = np.random.default_rng(seed)
        w0, w1 = rng.uniform(0.2, 3, len(negative)), rng.uniform(0.2, 3, len(positive))
        for weights in ((None, None), (w0, w1)):
            area, variance = brute_delong(negative, positive, *weights)
            roc = empirical(rp.Ecdf(negative, weights[0]), rp.Ecdf(positive, weights[1]))
            assert (roc.auc(), roc.auc_std_error()) == pytest.approx((area, np.sqrt(variance)), rel=1e-12)
            limits = np.clip(area + Z * np.sqrt(variance) * SIDES, 0, 1)
            assert tuple(roc.auc_interval(method="delong")) == pytest.approx(limits, rel=1e-12)
            half = Z * np.sqrt(variance) / (area * (1 - area))
            limits = 1 / (1 + (1 - area) / area * np.exp([half, -half]))
            assert tuple(roc.auc_interval(method="logit")) == pytest.approx(limits, rel=1e-12)


def test_classes_with_weights_between_1_and_2():
    """A weight of 1.5 in all is more than one observation: it has a variance, divided by 1.5 and 0.5."""
    negative, positive = np.array([1.0, 3]), np.array([0.0, 2, 2, 4, 5])
    w0, w1 = np.array([0.6, 0.9]), np.array([1, 0.5, 1.5, 1, 1])
    for swap in (False, True):
        area, variance = brute_delong(negative, positive, w0, w1)
        pair = rp.Ecdf(negative, w0), rp.Ecdf(positive, w1)
        roc = empirical(rp.Ecdf(-positive, w1), rp.Ecdf(-negative, w0)) if swap else empirical(*pair)
        assert roc.auc_std_error() == pytest.approx(np.sqrt(variance), rel=1e-12)
        _, *classes = brute_placements(negative, positive, w0, w1)
        n = 2 / (1 / 1.5 + 1 / 5)
        centre, mean = (area * n + 0.125) / (n + 0.25), (area * n + 0.25) / (n + 0.5)
        added = 0.5 * (0.9 * mean * (1 - mean) + 0.1 * ((0.5 - centre) ** 2 + 1 / 8))
        smooth = sum((w @ (v - area) ** 2 + added) / ((w.sum() - 0.5) * (w.sum() + 0.5)) for v, w in classes)
        assert roc.auc_std_error(method="smoothed-logit") == pytest.approx(np.sqrt(smooth), rel=1e-12)
        assert "single_observation" not in roc.auc_interval().flags


def test_smoothed_logit_by_its_definition():
    """A quarter of an observation at 1/2 in the area, half of one in each variance; Satterthwaite's t; on the logit.

    The bound nearer to 1/2 has at least a share of the variance of exponential classes, the smaller class being the one
    with the larger part. No bound excludes what a sample with perfect separation does not exclude. A class of one
    observation adds at least A(1 - A) to the variance.
    """
    sizes_and_more = [
        *product(range(3), ((4, 3), (9, 12), (3, 30), (2000, 40)), (0.5, 0.95, 0.999), (False, True)),
        *product((0, 1, 3), ((1, 9), (12, 1)), (0.5, 0.95), (False,)),
    ]
    widened, capped = [], []
    for seed, sizes, level, weighted in sizes_and_more:
        negative, positive = samples(seed, sizes)
        if sizes == (2000, 40):
            positive = 4 + positive / 6  # nearly equal, so the observed variance is small
        rng = np.random.default_rng(seed)
        w0, w1 = (rng.uniform(0.6, 3, n) if weighted else np.ones(n) for n in sizes)
        area, *classes = brute_placements(negative, positive, w0, w1)
        n, smallest = 2 / (1 / w0.sum() + 1 / w1.sum()), min(w0.sum(), w1.sum())
        centre, mean = (area * n + 0.125) / (n + 0.25), (area * n + 0.25) / (n + 0.5)
        added = 0.5 * (0.9 * mean * (1 - mean) + 0.1 * ((0.5 - centre) ** 2 + 1 / 8))
        parts = [(w @ (v - area) ** 2 + added) / ((w.sum() - 0.5) * (w.sum() + 0.5)) for v, w in classes]
        if min(sizes) == 1:
            parts[np.argmin(sizes)] = max(parts[np.argmin(sizes)], centre * (1 - centre))
        spent = [part**2 / (w.sum() - 1) for part, (_, w) in zip(parts, classes, strict=True) if w.sum() > 1]
        df = sum(parts) ** 2 / sum(spent)
        high_share, low_share = sorted((2 * centre**2 / (1 + centre), centre / (2 - centre)), reverse=True)
        few, many = sorted((w0.sum(), w1.sum()))
        exponential = centre * (1 - centre) + (many - 1) * (high_share - centre**2)
        exponential = (exponential + (few - 1) * (low_share - centre**2)) / (few * many)
        smallest_variance = abs(centre - 0.5) * min(1, 100 / few) * exponential
        variances = [sum(parts), np.clip(smallest_variance, sum(parts), 3 * sum(parts))][:: 1 if area < 0.5 else -1]
        widened.append(variances[0] != variances[1])
        half = stats.t(df).ppf((1 + level) / 2) * np.sqrt(variances) / (centre * (1 - centre))
        low, high = expit(logit(centre) + half * SIDES)
        for n, most, more in (
            (smallest, 1, 0),
            (centre * (1 - centre) / sum(parts), 4, 0.25),
        ):  # pairs without a shared row
            if n * (1 - area) < most:
                high = max(high, 1 - stats.beta(n * (1 - area) + more, n * area + 1 - more).ppf((1 - level) / 2))
            if n * area < most:
                low = min(low, stats.beta(n * area + more, n * (1 - area) + 1 - more).ppf((1 - level) / 2))
        perfect = ((1 - level) / 2) ** (1 / smallest)  # lower bound at an AUC of 1
        capped.append(low > perfect or high < 1 - perfect)
        low, high = min(low, perfect), max(high, 1 - perfect)
        assert 0 < area < 1
        assert not any(np.ptp(v) == 0 and len(v) > 1 for v, _ in classes)
        roc = empirical(rp.Ecdf(negative, w0), rp.Ecdf(positive, w1))
        assert tuple(roc.auc_interval(level)) == pytest.approx((min(low, area), max(high, area)), rel=1e-12)
        assert roc.auc_std_error(method="smoothed-logit") == pytest.approx(np.sqrt(sum(parts)), rel=1e-12)
    assert 0 < sum(widened) < len(widened)
    assert 0 < sum(capped) < len(capped)


def test_area_interval_covers_where_rare_positives_contribute_most_of_the_loss():
    """1.5% of 70 positives are below all 700 negatives, AUC 0.96: covers 0.944 of 3,000 data sets, before 0.863.

    The reflected classes have the reflected interval, and p is 1 - the level at which it excludes the value. With a
    coverage of 0.944, fewer than 540 of 600 data sets are covered with probability 1e-5.
    """
    rng, covered, shift = np.random.default_rng(12), 0, ndtri(0.96 / 0.985) * np.sqrt(2)
    for index in range(600):
        negative = rng.standard_normal(700)
        positive = np.where(rng.random(70) < 0.015, -50, shift + rng.standard_normal(70))
        roc = empirical(negative, positive)
        low, high = roc.auc_interval()
        covered += low <= 0.96 <= high
        if index < 5:
            assert tuple(empirical(-positive, -negative).auc_interval()) == pytest.approx((low, high), rel=1e-12)
            assert tuple(empirical(positive, negative).auc_interval()) == pytest.approx((1 - high, 1 - low), rel=1e-9)
            for bound in (low, high):
                x, y = np.concatenate([negative, positive]), np.repeat([0, 1], [700, 70])
                assert rp.auc_test(x, None, y, null=bound).p_value == pytest.approx(0.05, rel=1e-9)
    assert covered >= 540


def newcombe_by_roots(area, n0, n1, z=Z):
    """Clear the denominators of method 5 and take the roots of the quartic that bracket the area."""
    t = np.polynomial.Polynomial([0, 1])
    n = (n0 + n1) / 2 - 1
    common = (2 - t) * (1 + t)
    quartic = (area - t) ** 2 * common * (n0 * n1) - z**2 * t * (1 - t) * (
        common + n * ((1 - t) * (1 + t) + t * (2 - t))
    )
    roots = quartic.roots()
    real = np.sort(roots[np.abs(roots.imag) < 1e-7].real)
    inside = real[(real > -1e-9) & (real < 1 + 1e-9)]
    return inside[inside < area].max(), inside[inside > area].min()


def with_area(k, n0, n1):
    """Return two samples in which k of the n0 n1 pairs are won."""
    won, rest = divmod(k, n0)
    return np.arange(n0) * 2.0, np.concatenate(
        [[2.0 * n0] * won, [2 * rest - 1.0] * (won < n1), [-1.0] * (n1 - won - 1)]
    )


def test_newcombe_by_the_roots_of_a_quartic():
    """And the published example of method 5, [.59732, .98600], which is 38 1/2 of 42 pairs."""
    for n0, n1 in ((6, 7), (2, 2), (3, 20), (40, 5)):
        for k in {1, n0 * n1 // 2, n0 * n1 - 1}:
            roc = empirical(*with_area(k, n0, n1))
            assert roc.auc() == pytest.approx(k / (n0 * n1), rel=1e-14)
            expected = newcombe_by_roots(k / (n0 * n1), n0, n1)
            assert tuple(roc.auc_interval(method="newcombe")) == pytest.approx(expected, rel=1e-8)
    negative, positive = with_area(38, 6, 7)
    positive[6] = 4  # the third negative: won against two, tied with one
    roc = empirical(negative, positive)
    assert roc.auc() == pytest.approx(38.5 / 42, rel=1e-14)
    assert tuple(roc.auc_interval(method="newcombe")) == pytest.approx((0.59732, 0.98600), abs=5e-6)


def test_bca_counts_equal_areas_as_ties():
    """The bias is that of the share of resamples below the estimate, those equal to it half, whatever they round to."""
    for seed in range(60):
        negative, positive = samples(seed, (9, 11), 10_000)
        parts = BootstrapOptions(200, 0).resample_counts((None, None), (9, 11))
        counts = [np.concatenate(part) for part in zip(*parts, strict=True)]
        wins = pair_wins(np.sort(negative), np.sort(positive))
        areas = np.round(np.einsum("bp,pn,bn->b", counts[1], wins, counts[0]) * 2) / 2  # exact, in pairs
        area, *classes = brute_placements(negative, positive)
        won = round(area * 99 * 2) / 2
        cubes = sum(np.sum((v - area) ** 3) / len(v) ** 3 for v, _ in classes)
        squares = sum(np.sum((v - area) ** 2) / len(v) ** 2 for v, _ in classes)
        bias, acceleration = ndtri(np.mean(areas < won) + np.mean(areas == won) / 2), cubes / (6 * squares**1.5)
        z = bias + Z * SIDES
        expected = np.quantile(areas / 99, ndtr(bias + z / (1 - acceleration * z)))
        result = empirical(negative, positive).auc_interval(method="bca", n_resamples=200)
        assert tuple(result) == pytest.approx(expected, abs=1e-9), seed


def test_hanley_mcneil_by_the_law_that_it_assumes():
    """Its variance is the exact one of two exponential classes, here from the three probabilities by quadrature."""
    negative, positive = samples()
    roc = empirical(negative, positive)
    n0, n1, area = len(negative), len(positive), roc.auc()
    rate = (1 - area) / area  # of Y, with X of rate 1: P(Y > X) = 1/(1 + rate)
    two_positives = float(mp.quad(lambda x: mp.exp(-x) * mp.exp(-2 * rate * x), [0, mp.inf]))
    two_negatives = float(mp.quad(lambda y: rate * mp.exp(-rate * y) * (1 - mp.exp(-y)) ** 2, [0, mp.inf]))
    more = (n1 - 1) * (two_positives - area**2) + (n0 - 1) * (two_negatives - area**2)
    error = np.sqrt((area * (1 - area) + more) / (n0 * n1))
    assert roc.auc_std_error(method="hanley-mcneil") == pytest.approx(error, rel=1e-9)
    limits = area - Z * error, min(1, area + Z * error)
    assert tuple(roc.auc_interval(method="hanley-mcneil")) == pytest.approx(limits, rel=1e-9)


def test_bootstrap_of_two_and_two_by_all_its_resamples():
    """16 resamples are equally likely: the percentile interval is between quantiles of theirs, all that there are.

    P(area = 0) = P(area = 1) = 1/16 here: with 2,000 resamples each tail of 2.5 % is reached (fails 1 in 1e13).
    """
    roc = empirical([1.0, 3.0], [2.0, 4.0])
    every = [pair_wins(n, p).mean() for n in product([1.0, 3.0], repeat=2) for p in product([2.0, 4.0], repeat=2)]
    assert tuple(roc.auc_interval(method="bootstrap")) == (min(every), max(every)) == (0, 1)
    drawn = roc.auc_std_error(method="bootstrap", n_resamples=20_000)
    assert drawn == pytest.approx(np.std(every), rel=0.03)  # 5 standard errors of a standard deviation: 1 in 1e6


def influences(negative, positive, band, step=1e-6):
    """Return the infinitesimal jackknife of the area in a band: its derivative by the weight of each row."""

    def area(label, i, change):
        weights = [np.ones(len(negative)), np.ones(len(positive))]
        weights[label][i] += change
        return empirical(rp.Ecdf(negative, weights[0]), rp.Ecdf(positive, weights[1])).partial_auc(**band)

    return [
        np.array([(area(label, i, step) - area(label, i, -step)) / (2 * step) * n for i in range(n)])
        for label, n in enumerate((len(negative), len(positive)))
    ]


def test_partial_area_variance_by_infinitesimal_jackknife():
    """The ends of the band lie within steps, so that the area is smooth in the weights; ties and none."""
    bands = ({"fpr": (0.07, 0.39)}, {"fpr": (0, 0.21)}, {"tpr": (0.63, 1)}, {"tpr": (0.21, 0.83)})
    for band, levels in product(bands, (4, 10_000)):
        negative, positive = samples(3, (11, 13), levels)
        parts = influences(negative, positive, band)
        error = np.sqrt(sum(np.sum(part**2) / (len(part) * (len(part) - 1)) for part in parts))
        assert max(abs(part.sum()) for part in parts) < 1e-6
        roc = empirical(negative, positive)
        assert roc.partial_auc_std_error(**band) == pytest.approx(error, rel=1e-6), (band, levels)
        corrected = roc.partial_auc_std_error(**band, correction="mcclish")
        low, high = next(iter(band.values()))
        chance = (low + high) / 2 if "fpr" in band else 1 - (low + high) / 2
        assert corrected == pytest.approx(error / (2 * (high - low) * (1 - chance)), rel=1e-6), (band, levels)


def test_partial_area_of_the_whole_band_is_the_area():
    negative, positive = samples(8)
    roc = empirical(negative, positive)
    for band in ({"fpr": (0, 1)}, {"tpr": (0, 1)}):
        assert roc.partial_auc_std_error(**band) == pytest.approx(roc.auc_std_error(), rel=1e-12)
        for method in PARTIAL_AUC_METHODS:
            ours = roc.partial_auc_interval(**band, method=method)
            assert tuple(ours) == pytest.approx(tuple(roc.auc_interval(method=method)), abs=1e-12)


PAIRS = [(4.0, 3.0, 8.0, 2.0), (0.0, 1.0, 1.0, 1.0), (0.0, 1.0, 0.3, 4.0), (1.0, 2.0, -1.0, 0.7)]
COUNT = (31, 17)


def delta_variances(function, pair, count=COUNT, digits=30):
    """Return the part of each class in the delta-method variance of a function of two means and two SDs, by mpmath."""
    m0, s0, m1, s1 = map(mp.mpf, pair)
    spread = (s0**2 / count[0], s0**2 / (2 * (count[0] - 1)), s1**2 / count[1], s1**2 / (2 * (count[1] - 1)))
    with mp.workdps(digits):
        slopes = []
        for i in range(4):
            order = tuple(int(i == k) for k in range(4))
            slopes.append(mp.diff(function, (m0, s0, m1, s1), order))
        parts = [slope**2 * v for slope, v in zip(slopes, spread, strict=True)]
        return float(parts[0] + parts[1]), float(parts[2] + parts[3])


def by_delta(function, pair):
    return np.sqrt(sum(delta_variances(function, pair)))


def half_width(function, pair):
    """Return the standard error times the quantile of Student's t with Satterthwaite's degrees of freedom."""
    variances = np.array(delta_variances(function, pair))
    df = variances.sum() ** 2 / np.sum(variances**2 / (np.array(COUNT) - 1))
    return stats.t.ppf(0.975, df) * np.sqrt(variances.sum())


def separation(m0, s0, m1, s1):
    return (m1 - m0) / mp.sqrt(s0**2 + s1**2)


def crossing(m0, s0, m1, s1, log_kappa=0):
    """Return the root where the likelihood ratio rises through kappa, by the plain quadratic."""
    a = (1 / s0**2 - 1 / s1**2) / 2
    b = m1 / s1**2 - m0 / s0**2
    c = m0**2 / (2 * s0**2) - m1**2 / (2 * s1**2) + mp.log(s0 / s1) - log_kappa
    if abs(a) < mp.mpf(10) ** -25:  # near equal SDs the quadratic cancels; the other form of the root does not
        return -2 * c / (b + mp.sqrt(b * b - 4 * a * c))
    return (-b + mp.sqrt(b * b - 4 * a * c)) / (2 * a)


def ameans(m0, s0, m1, s1):
    t = crossing(m0, s0, m1, s1)
    return (mp.ncdf((t - m0) / s0) + mp.ncdf((m1 - t) / s1)) / 2


def test_areas_and_rates_by_the_delta_method_of_mpmath():
    for pair in PAIRS:
        roc, mirrored = predicted(*pair, COUNT), predicted(-pair[2], pair[3], -pair[0], pair[1], COUNT[::-1])
        d, half = float(separation(*map(mp.mpf, pair))), half_width(separation, pair)
        assert tuple(roc.auc_interval(method="delta")) == pytest.approx(ndtr(d + half * SIDES), rel=1e-12)
        assert roc.auc_std_error() == pytest.approx(by_delta(lambda *p: mp.ncdf(separation(*p)), pair), rel=1e-12)
        for fpr in (0.01, 0.3, 0.9):
            x = mp.mpf(float(ndtri(fpr)))

            def probit_tpr(m0, s0, m1, s1, x=x):
                return (m1 - m0 + s0 * x) / s1

            z, half = float(probit_tpr(*map(mp.mpf, pair))), half_width(probit_tpr, pair)
            result = roc.tpr_at_fpr_interval(fpr, method="delta")
            turned = mirrored.fpr_at_tpr_interval(1 - fpr, method="delta")
            assert tuple(result) == pytest.approx(ndtr(z + half * SIDES), rel=1e-11)
            assert (1 - turned.high, 1 - turned.low) == pytest.approx(tuple(result), rel=1e-9, abs=1e-12)


def test_best_threshold_delta_by_mpmath():
    """Both standard errors: of the threshold, and of the Ameans, in which the threshold's own error cancels."""
    for pair in (PAIRS[0], PAIRS[2]):
        best = predicted(*pair, COUNT).best_threshold()
        result = best.threshold_interval(method="delta")
        assert best.threshold == pytest.approx(float(crossing(*map(mp.mpf, pair))), rel=1e-12)
        assert result.width / 2 == pytest.approx(half_width(crossing, pair), rel=1e-8)
        assert (result.low + result.high) / 2 == pytest.approx(best.threshold, rel=1e-12)
        z, half = float(ndtri(best.ameans)), half_width(ameans, pair)
        expected = ndtr(z + half / stats.norm.pdf(z) * SIDES)
        assert tuple(best.ameans_interval(method="delta")) == pytest.approx(expected, rel=1e-6)
    # equal SDs: the sheet's formula, H = Q/(sN sP) = d/s^2, z = +-d/2s, here with d = s = 1
    shifts = np.array([1 / 4 / n + 9 / 16 / (2 * (n - 1)) for n in COUNT])
    df = shifts.sum() ** 2 / np.sum(shifts**2 / (np.array(COUNT) - 1))
    result = predicted(*PAIRS[1], COUNT).best_threshold().threshold_interval(method="delta")
    assert result.width / 2 == pytest.approx(stats.t.ppf(0.975, df) * np.sqrt(shifts.sum()), rel=1e-12)
    kappa = 0.9 * 2 / (0.1 * 15)
    best = predicted(*PAIRS[0], COUNT).best_threshold("cost", prevalence=0.1, cost_fp=2, cost_fn=15)
    half = half_width(lambda *p: crossing(*p, mp.log(mp.mpf(kappa))), PAIRS[0])
    assert best.threshold_interval(method="delta").width / 2 == pytest.approx(half, rel=1e-8)


def band_area(axis, low, high):
    """Return the area in a band as a function of the moments, by quadrature."""
    limits = ndtri([max(low, 1e-18), high]) if high < 1 else (ndtri(low), 9)

    def area(m0, s0, m1, s1):
        def rate(z):
            x = (m1 - m0 + s0 * z) / s1 if axis == "fpr" else (m1 - m0 - s1 * z) / s0
            return ndtr(x) * np.exp(-z * z / 2) / np.sqrt(2 * np.pi)

        return integrate.quad(rate, *limits, epsabs=1e-14, epsrel=1e-13)[0]

    return area


def test_partial_area_delta_by_quadrature():
    """The slopes of the area from five points each."""
    pair, step = np.array(PAIRS[0]), 0.01
    spread = [9 / 31, 9 / 60, 4 / 17, 4 / 32]  # variances of m0, s0, m1, s1 at 31 and 17 cases
    for axis, low, high in (("fpr", 0, 0.2), ("fpr", 0.1, 0.6), ("tpr", 0.7, 1)):
        area, roc, band = band_area(axis, low, high), predicted(*pair, COUNT), {axis: (low, high)}
        assert roc.partial_auc(**band) == pytest.approx(area(*pair), rel=1e-9)
        points = [[area(*(pair + k * step * unit)) for k in (-2, -1, 1, 2)] for unit in np.eye(4)]
        slopes = np.array(points) @ [1, -8, 8, -1] / (12 * step)
        assert roc.partial_auc_std_error(**band) == pytest.approx(np.sqrt(slopes**2 @ spread), rel=1e-6), band


def test_rate_of_a_gaussian_class_exactly():
    """P(X >= t) from the noncentral t of sqrt(n)(mean - t)/std; tnr and fnr are complements, not other intervals."""
    roc = predicted(4, 3, 8, 2, COUNT)
    cases = ((4, 3, 31, "fpr", "tnr"), (8, 2, 17, "tpr", "fnr"))
    for threshold, (mean, std, n, name, complement) in product((2.0, 6.0, 9.5), cases):
        z = (mean - threshold) / std
        half = stats.t.ppf(0.975, n - 1) * np.sqrt(1 / n + z * z / 2 / (n - 1))
        result = roc.rate_interval(name, threshold, method="delta")
        assert tuple(result) == pytest.approx(ndtr(z + half * SIDES), rel=1e-12)
        result, other = (roc.rate_interval(of, threshold, method="noncentral-t") for of in (name, complement))
        for end, tail in zip(result, (0.975, 0.025), strict=True):
            t = np.sqrt(n) * (mean - threshold) / std
            assert stats.nct.cdf(t, n - 1, np.sqrt(n) * ndtri(end)) == pytest.approx(tail, abs=1e-8)
        assert (1 - other.high, 1 - other.low) == pytest.approx(tuple(result), rel=1e-12)
        assert result.estimate == pytest.approx(1 - stats.norm.cdf(threshold, mean, std), rel=1e-12)


def test_degrees_of_freedom_of_the_smallest_classes():
    """Two observations of a class have one degree of freedom; of both classes, by Satterthwaite's formula."""
    for count in ((2, 2), (2, 40), (3, 2)):
        roc = predicted(4, 3, 8, 2, count)
        for name, mean, std, n in (("fpr", 4, 3, count[0]), ("tpr", 8, 2, count[1])):
            z = (mean - 5.5) / std
            half = stats.t.ppf(0.6, n - 1) * np.sqrt(1 / n + z * z / 2 / (n - 1))
            result = roc.rate_interval(name, 5.5, 0.2, method="delta")
            assert tuple(result) == pytest.approx(ndtr(z + half * SIDES), rel=1e-12)
        variances = np.array(delta_variances(separation, PAIRS[0], count))
        df = variances.sum() ** 2 / np.sum(variances**2 / (np.array(count) - 1))
        half = stats.t.ppf(0.6, df) * np.sqrt(variances.sum())
        expected = ndtr(float(separation(*map(mp.mpf, PAIRS[0]))) + half * SIDES)
        assert tuple(roc.auc_interval(0.2, method="delta")) == pytest.approx(expected, rel=1e-12)


def test_intervals_of_empirical_rates_equal_beta_quantiles():
    roc = empirical(*samples(2, (20, 15)))
    cells = roc.rates(3.0).counts
    for name, k, n in (("tpr", cells.tp, 15), ("fpr", cells.fp, 20), ("precision", cells.tp, cells.tp + cells.fp)):
        limits = stats.beta.ppf(0.025, k, n - k + 1), stats.beta.ppf(0.975, k + 1, n - k)
        assert tuple(roc.rate_interval(name, 3.0)) == pytest.approx(limits)
        wilson = stats.binomtest(int(k), int(n)).proportion_ci(method="wilson")
        assert tuple(roc.rate_interval(name, 3.0, method="wilson")) == pytest.approx(tuple(wilson), rel=1e-10)
    ameans = (cells.tp / 15 + cells.tn / 20) / 2
    estimates = [roc.rate_interval(name, 3.0).estimate for name in ("ameans", "youden")]
    assert estimates == pytest.approx([ameans, 2 * ameans - 1], rel=1e-12)


# ---- refits to resamples, and pivots
def resampled_rows(first, second, n_resamples, seed):
    """Yield the rows of both classes in each resample; the first class has the first stream of random numbers."""
    for counts in BootstrapOptions(n_resamples, seed).resample_counts((None, None), (len(first), len(second))):
        for draws in zip(*counts, strict=True):
            yield [np.repeat(x, n.astype(int)) for x, n in zip((first, second), draws, strict=True)]


def refitted(negative, positive):
    pair = (rp.Gaussian(x.mean(), x.std(ddof=1)) for x in (negative, positive))
    return rp.PredictedRoc(*pair)


def test_bootstrap_of_two_gaussians_by_refits():
    """Quantiles of the refits, one by one, for every quantity; both directions, and classes exchanged."""
    negative, positive = two_normals((9, 13), 3)
    options, n = {"method": "bootstrap", "n_resamples": 30, "rng": 4}, 30
    for sign, direction in ((1, None), (-1, "lower")):
        roc = rp.predict_roc(*labelled(sign * negative, sign * positive), direction=direction)
        refits = [refitted(*rows) for rows in resampled_rows(negative, positive, n, 4)]

        def check(interval, function, refits=refits):
            expected = np.quantile([function(refit) for refit in refits], [0.1, 0.9], axis=0)
            assert np.transpose(expected) == pytest.approx(np.transpose([interval.low, interval.high]), abs=1e-9)
            assert interval.method == "bootstrap"
            assert set(interval.flags) == {"undercoverage"}  # fewer than 50 observations in a class

        check(roc.auc_interval(0.8, **options), lambda refit: refit.auc())
        check(roc.tpr_at_fpr_interval(0.2, 0.8, **options), lambda refit: refit.tpr_at_fpr(0.2))
        check(roc.tpr_at_fpr_interval([0.05, 0.5], 0.8, **options), lambda refit: refit.tpr_at_fpr([0.05, 0.5]))
        check(roc.partial_auc_interval(0.8, fpr=(0.1, 0.3), **options), lambda refit: refit.partial_auc(fpr=(0.1, 0.3)))
        check(roc.partial_auc_interval(0.8, tpr=(0.6, 1), **options), lambda refit: refit.partial_auc(tpr=(0.6, 1)))
        best = roc.best_threshold()
        check(best.ameans_interval(0.8, **options), lambda refit: refit.best_threshold().ameans)
        interval = best.threshold_interval(0.8, **options)
        check(interval, lambda refit, sign=sign: sign * refit.best_threshold().threshold)
        assert roc.auc_std_error(**options) == pytest.approx(np.std([refit.auc() for refit in refits], ddof=1))
        area = [refit.partial_auc(fpr=(0, 0.2)) for refit in refits]
        assert roc.partial_auc_std_error(fpr=(0, 0.2), **options) == pytest.approx(np.std(area, ddof=1), rel=1e-9)
        exchanged = [refitted(*rows[::-1]) for rows in resampled_rows(positive, negative, n, 4)]
        check(roc.fpr_at_tpr_interval(0.7, 0.8, **options), lambda refit: refit.fpr_at_tpr(0.7), exchanged)


def test_bootstrap_of_fits_that_fail(monkeypatch):
    """Half of the fits suffice; a batch of resamples is fitted at once, with the samples as further arguments."""
    negative, positive = np.array([1.0, 2, 4, 7, 8]), np.array([3.0, 5, 6, 9, 9, 10])
    calls, reports = [], []

    def fit(n_failed):
        def fit_pair(*parts):
            calls.append(parts)
            if len(calls) % 2 and len(calls) <= 2 * n_failed + 1 and len(calls) > 1:
                raise rp.RocPredictError("no fit")
            return rp.Ecdf(parts[0]), rp.Ecdf(parts[1])

        return fit_pair

    def uncertainty(fit_pair, **options):
        refit = PairFit(negative, positive, fit_pair, **options)
        pair = rp.Ecdf(negative), rp.Ecdf(positive)
        return ParametricUncertainty(*pair, (5, 6), BootstrapOptions(40, 2), refit)

    areas = [pair_wins(*rows).mean() for rows in resampled_rows(negative, positive, 40, 2)]
    for n_failed in (0, 1, 20):
        calls.clear()
        replicates, flags = uncertainty(fit(n_failed)).bootstrap(lambda solver: solver.auc())
        kept = [area for index, area in enumerate(areas) if not (index % 2 and index < 2 * n_failed)]
        assert len(kept) == 40 - n_failed
        assert replicates[:, 0] == pytest.approx(kept, abs=1e-12)
        assert ("dropped_resamples" in flags) == (n_failed > 0)
        assert [part.tolist() for part in calls[0]] == [negative.tolist(), positive.tolist()]
    calls.clear()

    def fail_often(*parts):
        calls.append(parts)
        if len(calls) > 20:
            raise rp.RocPredictError("no fit")
        return rp.Ecdf(parts[0]), rp.Ecdf(parts[1])

    refuses("could be fitted to only 19 of 40 resamples", uncertainty(fail_often).bootstrap, lambda s: s.auc())

    def fit_batch(*parts):
        if len(parts) == 2:
            return rp.Ecdf(parts[0]), rp.Ecdf(parts[1])
        assert [part.tolist() for part in parts[2:]] == [negative.tolist(), positive.tolist()]
        means = [part.mean(axis=1) for part in parts[:2]]
        return rp.Gaussian(means[0], np.ones(40)), rp.Gaussian(means[1], np.ones(40))

    replicates, flags = uncertainty(fit_batch, takes_batches=True).bootstrap(lambda solver: solver.auc())
    gaps = [rows[1].mean() - rows[0].mean() for rows in resampled_rows(negative, positive, 40, 2)]
    assert replicates[:, 0] == pytest.approx(ndtr(np.array(gaps) / np.sqrt(2)), rel=1e-12)
    assert set(flags) == {"undercoverage"}
    # in chunks of four resamples, the progress of each fit is reported
    monkeypatch.setattr("rocpredict.inference.bootstrap._MAX_CHUNK_SIZE", 100)
    calls.clear()
    with use_progress(lambda *report: reports.append(report)):
        replicates, _ = uncertainty(fit(0)).bootstrap(lambda solver: solver.auc())
    assert replicates[:, 0] == pytest.approx(areas, abs=1e-12)
    assert reports == sorted(reports)
    assert {*reports} == {(k, 40) for k in range(1, 41)}


def test_fits_of_reflected_and_exchanged_samples():
    negative, positive = np.array([1.0, 2, 4]), np.array([3.0, 5, 6, 9])
    calls = []

    def fit(*parts):
        calls.append([part.tolist() for part in parts])
        return rp.Gaussian(1, 2), rp.Gaussian(5, 3)

    refit = PairFit(negative, positive, fit, takes_batches=True)
    reflected, exchanged = refit.reflected(), refit.swap_classes()
    assert (reflected.negative.tolist(), reflected.positive.tolist()) == ([-1, -2, -4], [-3, -5, -6, -9])
    assert (exchanged.negative.tolist(), exchanged.positive.tolist()) == (positive.tolist(), negative.tolist())
    assert reflected.takes_batches
    assert exchanged.takes_batches
    pair = reflected.fit(np.array([-7.0]), np.array([-8.0]), *(-part for part in (negative, positive)))
    assert [(float(d.mean), float(d.std)) for d in pair] == [(-1, 2), (-5, 3)]
    pair = exchanged.fit(np.array([8.0]), np.array([7.0]), positive, negative)
    assert [(float(d.mean), float(d.std)) for d in pair] == [(5, 3), (1, 2)]
    assert calls[0] == calls[1] == [[7], [8], negative.tolist(), positive.tolist()]


def test_intervals_of_a_fitted_family_are_those_of_its_sample():
    """For a family other than the Gaussian: the interval of the empirical AUC, extended to the predicted AUC."""
    extended = set()
    cases = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        negative, positive = rng.gamma(4, 1, 12), rng.gamma(5, 1.3, 6)
        fitted = rp.predict_roc(*labelled(negative, positive), family="logistic")
        cases += [(fitted, empirical(negative, positive), method) for method in (None, "delong", "newcombe")]
    for fitted, sample, method in cases:
        result, expected = (roc.auc_interval(0.05, method=method) for roc in (fitted, sample))
        assert result.estimate == fitted.auc() != expected.estimate
        assert result.low == min(expected.low, fitted.auc())
        assert result.high == max(expected.high, fitted.auc())
        assert result.method == expected.method
        assert ("interval_extended" in result.flags) == (not expected.low <= fitted.auc() <= expected.high)
        extended.add("interval_extended" in result.flags)
        assert fitted.auc_std_error() == sample.auc_std_error()
    assert extended == {False, True}
    areas = [
        rp.predict_roc(*labelled(*rows), family="logistic").auc() for rows in resampled_rows(negative, positive, 20, 3)
    ]
    drawn = fitted.auc_std_error(method="bootstrap", n_resamples=20, rng=3)
    assert drawn == pytest.approx(np.std(areas, ddof=1), rel=1e-6)


def test_pivots_of_moments_are_independent_and_have_known_laws():
    """(n - 1) s^2/S^2 is a chi-squared variate with n - 1 degrees of freedom, and sqrt(n) (M - m)/S a normal one.

    As the draws are quasi-random, each of the four has quantiles at equal steps, and all correlations are near 0.
    """
    pair, drawn = (rp.Gaussian(4, 3), rp.Gaussian(8, 2)), []

    def keep(solver):
        drawn.append([np.ravel(part) for d in (solver.negative, solver.positive) for part in (d.mean, d.std)])
        return solver.auc()

    areas = pivotal_draws(*pair, COUNT, keep)
    (m0, s0, m1, s1), size = drawn[0], len(areas)
    uniform = []
    for mean, std, d, n in ((m0, s0, pair[0], 31), (m1, s1, pair[1], 17)):
        uniform += [stats.chi2(n - 1).cdf((n - 1) * (d.std / std) ** 2), ndtr((mean - d.mean) / std * np.sqrt(n))]
    steps = (np.arange(size) + 0.5) / size
    for part in uniform:
        assert np.sort(part) == pytest.approx(steps, abs=1e-9)
    assert np.abs(np.corrcoef(uniform) - np.eye(4)).max() < 5e-3
    assert areas == pytest.approx(ndtr((m1 - m0) / np.hypot(s0, s1)), rel=1e-12)
    # the pivot of the TPR has the moments of its definition: ratios of chi-squared variates, and a normal one
    f0, f1 = np.array(COUNT) - 1
    low, high = ndtri(pivotal_tpr(*pair, COUNT, ndtr([-1.0, 1.0]))).T
    slope, height = (high - low) / 2, (high + low) / 2
    assert np.mean(slope**2) == pytest.approx(2.25 * f0 / (f0 - 2), rel=2e-3)
    assert np.mean(slope**-2) == pytest.approx(f1 / (f1 - 2) / 2.25, rel=2e-3)
    square = 4 + 2.25 * f0 / (f0 - 2) / 31 + 1 / 17
    assert np.mean(height**2) == pytest.approx(square, rel=2e-3)
    mean = 2 * np.sqrt(2 / f1) * np.exp(np.diff(gammaln([f1 / 2, (f1 + 1) / 2]))[0])
    assert np.mean(height) == pytest.approx(mean, rel=1e-3)


def test_a_test_of_a_predicted_auc_is_reported_in_full():
    """p, the statistic as a normal quantile or Student's t, the covariance and the interval; above and below 1/2."""
    for means, null in (((4, 8), 0.7), ((4, 8), 0.95), ((8, 4), 0.3)):
        roc = rp.PredictedRoc.from_stats(mean=means, std=(3, 2), count=COUNT)
        d, sign = float(ndtri(roc.auc())), 1 if roc.auc() > null else -1
        for method in ("pivotal", "delta"):
            test = roc.auc_test(null, method=method, level=0.9)
            assert test.estimates == (roc.auc(),)
            assert ("pivot" in test.method, "delta" in test.method) == (method == "pivotal", method == "delta")
            assert test.difference == pytest.approx(roc.auc() - null, rel=1e-12)
            assert np.ravel(test.covariance) == pytest.approx([roc.auc_std_error(method="delta") ** 2], rel=1e-12)
            assert test.n == COUNT
            assert tuple(test.interval) == tuple(roc.auc_interval(0.9, method=method))
            assert np.sign(test.statistic) == sign
            sides = [roc.auc_test(null, method=method, alternative=name).p_value for name in ("greater", "less")]
            assert test.p_value == pytest.approx(2 * min(sides), rel=1e-9)
            assert sides[0 if sign > 0 else 1] < 0.5
            if method == "pivotal":
                assert abs(test.statistic) == pytest.approx(-ndtri(test.p_value / 2), rel=1e-9)
        parts = np.array([9 / 13 / 31 + d**2 / 2 * (9 / 13) ** 2 / 30, 4 / 13 / 17 + d**2 / 2 * (4 / 13) ** 2 / 16])
        t, df = (d - ndtri(null)) / np.sqrt(parts.sum()), parts.sum() ** 2 / np.sum(parts**2 / [30, 16])
        assert test.statistic == pytest.approx(t, rel=1e-9)
        assert sides == pytest.approx([stats.t.sf(t, df), stats.t.cdf(t, df)], rel=1e-9)
    fitted = rp.predict_roc(*labelled(*samples()))
    refuses("method='bootstrap' is not allowed", fitted.auc_test, method="bootstrap")


def test_a_batch_with_a_feature_without_variance():
    """Only this feature gets the interval for a variance of 0: no pair of min(n0, n1) had another outcome."""
    roc = rp.PredictedRoc.from_stats(mean=([0, 0], [1, 1]), std=([1, 0], [1, 0]), count=COUNT)
    result, share = roc.auc_interval(), 0.025 ** (1 / 17)
    assert (result.method, result.flags["fallback"].tolist()) == ("delta", [False, True])
    assert (result.low[1], result.high[1]) == pytest.approx((share, 1), rel=1e-12)
    assert result.low[0] == predicted(0, 1, 1, 1, COUNT).auc_interval(method="delta").low
    alone = predicted(0, 0, 1, 0, COUNT).auc_interval()
    assert (alone.method, alone.low, alone.high) == ("unseen", pytest.approx(share, rel=1e-12), 1)
    sizes = rp.PredictedRoc.from_stats(mean=([0, 0, 0], [1, 1, 1]), std=(1, 1), count=([9, 1, 9], [9, 9, 2]))
    assert sizes.auc_interval().flags["single_observation"].tolist() == [False, True, False]


def test_limits_of_ameans_and_youden_are_the_root_of_the_sum_of_squares():
    """Of the distances of TPR and TNR from the limits of their intervals (Newcombe 1998); one threshold or several."""
    roc = empirical(*samples(2, (20, 15)))
    for level, (method, kind) in itertools.product((0.8, 0.95), ((None, "exact"), ("newcombe-wilson", "wilson"))):
        limits = []
        for threshold in (1.0, 3.0, 6.5):
            cells = roc.rates(threshold).counts
            parts = [(cells.tp, 15), (cells.tn, 20)]
            wilson = [stats.binomtest(int(k), n).proportion_ci(level, method=kind) for k, n in parts]
            down, up = (
                np.sqrt(sum((bounds[side] - k / n) ** 2 for bounds, (k, n) in zip(wilson, parts, strict=True)))
                for side in (0, 1)
            )
            middle = cells.tp / 15 + cells.tn / 20
            limits.append(((middle - down) / 2, (middle + up) / 2))
            for measure, scale, shift in (("ameans", 1, 0), ("youden", 2, -1)):
                interval = roc.rate_interval(measure, threshold, level, method=method)
                assert tuple(interval) == pytest.approx(np.multiply(limits[-1], scale) + shift, abs=1e-9)
                assert interval.method == (method or "newcombe-clopper-pearson")
        several = roc.rate_interval("ameans", np.array([1.0, 3.0, 6.5]), level, method=method)
        assert np.transpose([several.low, several.high]) == pytest.approx(np.array(limits), abs=1e-9)


def test_rates_without_any_observation_are_undefined():
    """Above all values nothing is predicted positive: the precision lies between 0 and 1, with a flag."""
    roc = empirical([1.0, 2, 3], [2.0, 3, 4])
    for measure, threshold in (("precision", 9.0), ("false_discovery_rate", 9.0), ("npv", 0.0)):
        interval = roc.rate_interval(measure, threshold)
        assert (interval.low, interval.high, list(interval.flags)) == (0, 1, ["undefined"])
        assert np.isnan(interval.estimate)
    mixed, defined = roc.rate_interval("precision", [2.5, 9.0]), roc.rate_interval("precision", 2.5)
    assert (mixed.low[0], mixed.high[0], mixed.estimate[0]) == (*defined, defined.estimate)
    assert (mixed.low[1], mixed.high[1], mixed.flags["undefined"].tolist()) == (0, 1, [False, True])
    assert not defined.flags
    assert not roc.rate_interval("tpr", 9.0).flags


def test_other_methods_stand_in_for_those_without_a_standard_error():
    """One observation of a class, or a standard error of 0: the default interval, and the smoothed standard error."""
    for negative, positive in (([2.5], [1.0, 2, 3, 4]), ([1.0, 2, 3, 4], [2.5]), ([1.0, 2], [3.0, 4])):
        roc = empirical(negative, positive)
        default = roc.auc_interval()
        assert roc.auc_std_error() == roc.auc_std_error(method="smoothed-logit")
        for method in ("delong", "logit"):
            interval = roc.auc_interval(method=method)
            assert (*interval, interval.method) == (*default, "smoothed-logit")
            assert "fallback" in interval.flags
        wald, test = (roc.auc_test(0.7, method=method) for method in ("delong", None))
        assert (wald.p_value, wald.statistic) == (test.p_value, test.statistic)
    ordinary = empirical([1.0, 3], [2.0, 4])
    assert ordinary.auc_std_error() == ordinary.auc_std_error(method="delong")
    assert list(ordinary.auc_interval(method="delong").flags) == []
    assert ordinary.auc_test(0.75).statistic == 0


def test_flags_of_the_areas_of_degenerate_samples():
    """The whole area of one class without variability has a flag, but not its partial area."""
    separated, reverse = empirical([1.0, 2], [3.0, 4]), empirical([3.0, 4], [1.0, 2])
    assert list(separated.auc_interval().flags) == ["perfect_separation"]
    assert "perfect_separation" not in reverse.auc_interval().flags
    assert list(reverse.auc_interval().flags) == ["perfect_reversal"]
    assert list(empirical([2.5], [1.0, 2, 3, 4]).auc_interval().flags) == ["single_observation"]
    assert list(empirical([1.0, 2, 3], [2.0, 3, 4]).auc_interval().flags) == []
    for method in ("smoothed-logit", "dirichlet"):
        for roc in (separated, reverse, empirical([1.0] * 12, np.arange(14.0) % 3)):
            flags = roc.partial_auc_interval(fpr=(0.1, 1.0), method=method, n_resamples=20).flags
            assert "fallback" not in flags
            assert "perfect_separation" not in flags
            assert "perfect_reversal" not in flags


def test_hilgers_by_order_statistics():
    """A threshold that is too strict and one that is too lax, each with a tail of (1 - level)/4, by a second program.

    Three values with a weight of 10.5 are hardly more informative than with 10: no bound may jump to the estimate.
    """
    rng = np.random.default_rng(6)
    negative, positive = rng.normal(size=25), rng.normal(1, 1, 18)
    tail, n0, n1 = 0.0125, 25, 18
    fprs = (0.0, *np.arange(0.03, 1, 0.1), 0.87, 1.0)
    for digits, fpr in product((16, 0), fprs):
        samples = negative.round(digits), positive.round(digits)
        low, high = 0.0, 1.0
        for k, value in enumerate(np.sort(samples[0])[::-1], 1):
            # above the k-th largest negative lies an FPR of Beta(k, n0 + 1 - k)
            above, from_there = np.sum(samples[1] > value), np.sum(samples[1] >= value)
            if stats.beta.ppf(1 - tail, k, n0 + 1 - k) <= fpr:
                low = max(low, stats.beta.ppf(tail, above, n1 - above + 1) if above else 0.0)
            if stats.beta.ppf(tail, k, n0 + 1 - k) >= fpr:
                bound = stats.beta.ppf(1 - tail, from_there + 1, n1 - from_there) if from_there < n1 else 1.0
                high = min(high, bound)
        result = empirical(*samples).tpr_at_fpr_interval(fpr, method="hilgers")
        assert (result.low, result.high) == pytest.approx((low, high), abs=1e-12), fpr
    rocs = [empirical(rp.Ecdf([1.0, 2, 3], [w] * 3), rp.Ecdf([2.0, 3, 4], [w] * 3)) for w in (10.0, 10.5)]
    fewer, more = (roc.tpr_at_fpr_interval(np.array([0.1, 0.3, 0.5]), method="hilgers") for roc in rocs)
    assert np.asarray(more.low) == pytest.approx(np.asarray(fewer.low), abs=0.05)
    assert np.asarray(more.high) == pytest.approx(np.asarray(fewer.high), abs=0.05)


def test_bootstrap_of_a_tpr_without_variation_is_replaced():
    """Only where all resamples have the same TPR, and never at an FPR of 1; "hilgers" is named if no limit is drawn."""
    roc = empirical([1.0, 2, 3, 4.5], [4.0, 5, 6])
    options = {"method": "bootstrap", "n_resamples": 60}
    result = roc.tpr_at_fpr_interval([0.0, 0.9, 1.0], **options)
    hilgers = roc.tpr_at_fpr_interval([0.0, 0.9, 1.0], method="hilgers")
    assert (result.method, result.flags["fallback"].tolist()) == ("bootstrap", [False, True, False])
    assert (result.low[1], result.high[1]) == (hilgers.low[1], hilgers.high[1])
    assert result.low[0] < result.high[0]
    assert (result.low[2], result.high[2]) == (1, 1)
    alone = roc.tpr_at_fpr_interval([0.9, 0.95], **options)
    assert (alone.method, alone.flags["fallback"].tolist()) == ("hilgers", [True, True])


BANDS = (("fpr", 0, 0.1), ("fpr", 0.1, 0.3), ("fpr", 1 / 3, 2 / 3), ("tpr", 0.9, 1))
DEGENERATE = {
    "perfect separation": ([1.0, 2, 3], [4.0, 5, 6, 7], {"perfect_separation"}),
    "perfect reversal": ([4.0, 5, 6, 7], [1.0, 2, 3], {"perfect_reversal"}),
    "one of each": ([1.0], [2.0], {"single_observation", "perfect_separation"}),
    "one of each, reversed": ([2.0], [1.0], {"single_observation", "perfect_reversal"}),
    "one of each, tied": ([1.0], [1.0], {"single_observation"}),
    "one negative": ([2.5], [1.0, 2, 3, 4], {"single_observation"}),
    "one positive": ([1.0, 2, 3, 4], [2.5], {"single_observation"}),
    "two of each": ([1.0, 3.0], [2.0, 4.0], set()),
    "two of each, separated": ([1.0, 2.0], [3.0, 4.0], {"perfect_separation"}),
    "all tied": ([7.0] * 5, [7.0] * 9, {"point_mass"}),
    "two, all tied": ([7.0] * 2, [7.0] * 2, {"point_mass"}),
    "infinite scores": ([-np.inf, 0.0, np.inf], [-np.inf, 1.0, np.inf, np.inf], set()),
    "infinite separation": ([-np.inf] * 3, [np.inf] * 3, {"perfect_separation"}),
    "weights that are not whole": (
        rp.Ecdf([1.0, 2, 3], [0.7, 1.1, 2.3]),
        rp.Ecdf([4.0, 5, 6], [0.1, 0.7, 1.3]),
        {"perfect_separation"},
    ),
}


def check_limits(result, width=1):
    """Fail for NaN, bounds outside [0, 1], and intervals of almost no width."""
    limits = np.array([result.low, result.high, result.estimate]) / width
    assert np.isfinite(limits).all(), result
    assert ((limits >= 0) & (limits <= 1)).all(), result
    assert limits[1] - limits[0] > 1e-3, result


def test_area_interval_of_degenerate_data():
    """Every method returns an interval with a flag for its limitation; the interval at 0.999 contains that at 0.95."""

    def check(case):
        negative, positive, flags = case
        roc = empirical(negative, positive)
        for method in AUC_METHODS:
            result = roc.auc_interval(method=method, n_resamples=200)
            check_limits(result)
            assert flags <= {*result.flags}, method
            if result.estimate not in {0, 1} or result.method != "smoothed-logit":  # whose centre lies further in
                assert result.estimate in result, method
            assert result.method == method or "fallback" in result.flags
            wide = roc.auc_interval(0.999, method=method, n_resamples=200)
            assert wide.low <= result.low, method
            assert wide.high >= result.high, method

    check_each(DEGENERATE, check)
    tied = empirical([1.0, 1.0], [0.0, 1.0, 1.0, 2.0]).auc_interval()  # one class without spread
    assert (tied.method, [*tied.flags]) == ("smoothed-logit", ["fallback"])


def test_band_interval_of_degenerate_data():
    """As a share of its width; a band of tied values sees no spread, and rounding must not pass for one.

    A partial area can be as large, or as small, as there is without any threshold that separates the classes.
    """

    def check(case):
        for (side, low, high), method in product(BANDS, PARTIAL_AUC_METHODS):
            roc = empirical(*case[:2])
            result = roc.partial_auc_interval(**{side: (low, high)}, method=method, n_resamples=100)
            check_limits(result, high - low)

    check_each(DEGENERATE, check)
    full, none = (empirical(negative, [1.5, 2.5, 4, 5]) for negative in ([0.0, 1, 2, 3], [0.0, 1, 9, 10]))
    assert (full.auc() < 1, none.auc()) == (True, 0.5)
    assert "perfect_separation" not in full.partial_auc_interval(fpr=(0.5, 1)).flags
    assert "perfect_reversal" not in none.partial_auc_interval(fpr=(0, 0.4)).flags


def test_area_interval_of_very_many_cases():
    """Weights of 1e10: no overflow, no solver that loses its bracket; overlapping and separated."""
    for method, positive in product(COUNTED_METHODS, ([0.0, 1.0], [3.0, 4.0])):
        roc = empirical(rp.Ecdf([0.0, 1.0], [1e10, 1e10]), rp.Ecdf(positive, [1e10, 3e10]))
        result = roc.auc_interval(method=method)
        assert 0 <= result.low < result.high <= 1, method
        assert result.width < 1e-4, method
        assert result.estimate == pytest.approx(roc.auc(), rel=1e-12), method


def test_what_counts_cases_one_by_one_answers_or_refuses():
    """Weights of 1e15 cannot be written out as rows: an answer, or an error that says so, but no MemoryError."""
    calls = {
        "bootstrap": lambda roc: roc.auc_interval(method="bootstrap"),
        "hilgers": lambda roc: roc.tpr_at_fpr_interval(0.1, method="hilgers"),
        "TPR": lambda roc: roc.tpr_at_fpr_interval(0.1),
        "repr of the best threshold": lambda roc: repr(roc.best_threshold()),
    }

    def check(call):
        refusal = ""
        try:
            call(empirical(rp.Ecdf([0.0, 1.0], [1e15, 1e15]), rp.Ecdf([0.0, 1.0], [1e15, 3e15])))
        except rp.RocPredictError as error:
            refusal = str(error)
        assert not refusal or re.search(r"weights|cases|rows", refusal)

    check_each(calls, check)


def test_refits_of_few_rows_survive_resamples_of_equal_values():
    """With 4 rows one resample in 64 holds one value only: it is flagged or dropped, and never breaks the rest."""
    x = np.array([0.7, 1.1, 2.0, 3.1, 2.1, 2.9, 4.0, 6.5])
    for family, n_resamples in (("gaussian", 500), (stats.gamma, 60)):
        roc = rp.predict_roc(x, [0, 0, 0, 0, 1, 1, 1, 1], family=family)
        result = roc.auc_interval(method="bootstrap", n_resamples=n_resamples)
        assert 0 <= result.low < result.high <= 1, family


def test_predicted_interval_of_degenerate_moments():
    """One observation, constant classes, no overlap: an interval above width 0, with the estimate, in [0, 1]."""
    cases = [
        ((0, 1, 0, 1), (1, 1)),
        ((0, 1, 2, 1), (1, 30)),
        ((0, 0, 1, 0), (5, 9)),
        ((1, 0, 1, 0), (5, 9)),
        ((0, 0, 1, 1), (5, 9)),
        ((0, 1, 50, 1), (5, 9)),
        ((50, 1, 0, 1), (5, 9)),
        ((0, 1, 1e-300, 1), (2, 2)),
    ]
    for (pair, count), method in product(cases, ("delta", "reiser-guttman")):
        result = predicted(*pair, count=count).auc_interval(method=method)
        assert 0 <= result.low < result.high <= 1, (pair, method)
        assert result.estimate in result, (pair, method)
        assert min(count) > 1 or "single_observation" in result.flags, (pair, method)
    test = predicted(1, 0, 1, 0, count=(5, 9)).auc_test()
    assert (test.statistic, test.p_value) == (0, 1)
    for pair, fpr in (((0, 0, 1, 1), 0.0), ((0, 1, 1, 0), 0.5)):  # only the TPR at an FPR of 1 is certain
        interval = predicted(*pair, count=(5, 9)).tpr_at_fpr_interval([fpr, 1.0])
        assert (interval.low.tolist(), interval.high.tolist()) == ([0, 1], [1, 1])


def test_predicted_uncertainty_knows_no_unit():
    """Moments of any size: squares and fourth powers of a standard deviation neither vanish nor overflow."""
    roc = predicted(4, 3, 8, 2, COUNT)
    for scale in (1e-200, 1e-100, 1e100, 1e200):
        scaled = predicted(4 * scale, 3 * scale, 8 * scale, 2 * scale, COUNT)
        for call, unit in (
            (lambda roc: roc.auc_interval(), 1),
            (lambda roc: roc.auc_interval(method="reiser-guttman"), 1),
            (lambda roc: roc.partial_auc_interval(fpr=(0, 0.2)), 1),
            (lambda roc: roc.tpr_at_fpr_interval(0.2), 1),
            (lambda roc: roc.best_threshold().ameans_interval(), 1),
            (lambda roc: roc.best_threshold().threshold_interval(), scale),
            (lambda roc: roc.best_threshold("f1", prevalence=0.3).threshold_interval(), scale),
        ):
            assert tuple(call(scaled)) == pytest.approx(tuple(unit * end for end in call(roc)), rel=1e-6), scale
            assert unit != 1 or "fallback" not in call(scaled).flags, scale


def test_predicted_intervals_of_any_level():
    """However narrow: the noncentral t is solved from both sides, though its median is not its noncentrality.

    With 50 and 50 cases it gives the founding paper's example.
    """
    result = predicted(4, 3, 8, 2, (50, 50)).auc_interval(method="reiser-guttman")
    assert (round(result.low, 5), round(result.high, 5)) == (0.78342, 0.92366)
    for level, count in product((1e-6, 0.01, 0.1, 0.5, 0.95, 0.999999), ((2, 2), (31, 17), (50, 50), (2, 400))):
        roc = predicted(4, 3, 8, 2, count)
        result = roc.auc_interval(level, method="reiser-guttman")
        rate = roc.rate_interval("tpr", 6, level, method="noncentral-t")
        for interval in (result, rate, roc.auc_interval(level)):
            assert 0 <= interval.low < interval.high <= 1, (level, count)
        v = 9 / count[0] + 4 / count[1]
        m, f = 13 / v, 13**2 / (81 / (count[0] - 1) + 16 / (count[1] - 1))
        for end, tail in ((result.low, (1 + level) / 2), (result.high, (1 - level) / 2)):
            if 1e-12 < end < 1 - 1e-6:
                share = stats.nct.cdf(4 / np.sqrt(v), f, np.sqrt(m) * ndtri(end))
                assert share == pytest.approx(tail, abs=1e-9 if level == 0.95 else 1e-7), (level, count)


def test_rate_at_a_threshold_far_out():
    roc, thresholds = predicted(4, 3, 8, 2, COUNT), (1e3, -1e3, 1e6, -1e6, np.inf, -np.inf)
    for threshold, method, name in product(thresholds, ("delta", "noncentral-t"), ("tpr", "fpr", "tnr", "fnr")):
        if method == "noncentral-t" and abs(threshold) == 1e6 and name != "tpr":
            continue  # the same solver, at length
        result = roc.rate_interval(name, threshold, method=method)
        assert 0 <= result.low < result.high <= 1, (threshold, method, name)
        assert result.estimate in result, (threshold, method, name)


def test_batches_answer_as_single_features_do():
    """The same ends of the delta method, to the last bit of a formula that is the same."""
    means, stds = np.array([[0.0, 1.0, 3.0], [2.0, 2.0, 9.0]]), np.array([[1.0, 2.0, 0.5], [1.0, 0.5, 3.0]])
    batch = rp.PredictedRoc.from_stats(mean=tuple(means), std=tuple(stds), count=COUNT)
    for call, rel in (
        (lambda roc: roc.auc_interval(method="delta"), 1e-13),
        (lambda roc: roc.auc_interval(method="reiser-guttman"), 1e-13),
        (lambda roc: roc.tpr_at_fpr_interval(0.2, method="delta"), 1e-10),
        (lambda roc: roc.rate_interval("fnr", 1.5, method="delta"), 1e-10),
        (lambda roc: roc.partial_auc_interval(fpr=(0, 0.3), method="delta"), 1e-10),
        (lambda roc: roc.best_threshold().threshold_interval(method="delta"), 1e-10),
        (lambda roc: roc.best_threshold().ameans_interval(method="delta"), 1e-10),
    ):
        result = call(batch)
        for k in range(3):
            single = call(predicted(means[0, k], stds[0, k], means[1, k], stds[1, k], COUNT))
            assert (result.low[k], result.high[k]) == pytest.approx(tuple(single), rel=rel)


COUNTED = empirical([1.0, 2, 3], [2.0, 3, 4])
UNCOUNTED = predicted(0, 1, 1, 1)
NOT_GAUSSIAN = rp.PredictedRoc(negative=stats.gamma(2), positive=stats.gamma(4), count=(30, 30))
REFUSED = [
    (lambda: COUNTED.auc_interval(method="wald"), "method='wald'.*smoothed-logit.*newcombe.*bca"),
    (lambda: COUNTED.auc_interval(method="delta"), "method='delta'"),
    (lambda: COUNTED.auc_std_error(method="newcombe"), "method='newcombe'.*delong"),
    (lambda: COUNTED.partial_auc_interval(fpr=(0, 0.5), method="newcombe"), "method='newcombe'"),
    (lambda: COUNTED.tpr_at_fpr_interval(0.1, method="delong"), "method='delong'.*hilgers"),
    (lambda: COUNTED.rate_interval("tpr", 2, method="wald"), "method='wald'.*clopper-pearson"),
    (lambda: COUNTED.rate_interval("auc", 2), "measure='auc'"),
    (lambda: predicted(0, 1, 1, 1, (9, 9)).rate_interval("precision", 2), "measure='precision'"),
    (lambda: predicted(0, 1, 1, 1, (9, 9)).auc_interval(method="delong"), "method='delong'.*reiser-guttman"),
    (lambda: COUNTED.auc_interval(0), r"level=0.*\(0, 1\)"),
    (lambda: COUNTED.auc_interval(1.0), r"level=1.0.*\(0, 1\)"),
    (lambda: COUNTED.auc_interval(95), r"level=95.*\(0, 1\)"),
    (lambda: COUNTED.auc_interval(np.nan), "level=nan"),
    (lambda: COUNTED.auc_interval([0.9, 0.95]), r"level=\[0.9, 0.95\] has shape"),
    (lambda: COUNTED.tpr_at_fpr_interval(0.1, 2), "level=2"),
    (lambda: COUNTED.tpr_at_fpr_interval(10), "fpr=10.*percent"),
    (lambda: COUNTED.partial_auc_interval(fpr=(0.5, 0.2)), "empty range"),
    (COUNTED.partial_auc_interval, "needs one range of rates"),
    (lambda: COUNTED.partial_auc_interval(fpr=(0, 1), correction="standard"), "correction='standard'"),
    (lambda: COUNTED.auc_interval(method="bootstrap", n_resamples=19), "n_resamples=19 is too few.*20"),
    (lambda: COUNTED.auc_interval(method="bootstrap", n_resamples=99.5), "n_resamples=99.5 is not an integer"),
    (lambda: COUNTED.auc_interval(method="bootstrap", rng=-1), "rng=-1 is not a valid seed"),
    (lambda: COUNTED.auc_interval(method="bootstrap", rng="seed"), "rng='seed'"),
    (UNCOUNTED.auc_interval, r"count=\(negative, positive\)"),
    (UNCOUNTED.auc_std_error, r"count=\(negative, positive\)"),
    (lambda: UNCOUNTED.tpr_at_fpr_interval(0.1), r"count=\(negative, positive\)"),
    (lambda: UNCOUNTED.best_threshold().ameans_interval(), r"count=\(negative, positive\)"),
    (lambda: UNCOUNTED.auc_interval(method="bootstrap"), "needs the sample"),
    (NOT_GAUSSIAN.auc_interval, "two Gaussians.*bootstrap"),
    (lambda: NOT_GAUSSIAN.partial_auc_interval(fpr=(0, 0.1)), "two Gaussians"),
    (lambda: NOT_GAUSSIAN.rate_interval("tpr", 2), r"rate_interval\(\).*two Gaussians.*empirical_roc"),
    (NOT_GAUSSIAN.auc_test, r"auc_test\(\).*two Gaussians.*empirical_roc"),
    (lambda: NOT_GAUSSIAN.best_threshold().threshold_interval(), "two Gaussians"),
]


def test_error_words():
    light = empirical(rp.Ecdf([1.0, 2.0], [0.2, 0.3]), [2.0, 3.0])
    calls = (light.auc_interval, light.auc_std_error, lambda: light.partial_auc_interval(fpr=(0, 0.5)))
    check_refused(REFUSED + [(call, "weights of the negative class sum to 0.5") for call in calls])
