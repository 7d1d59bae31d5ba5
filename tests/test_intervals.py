"""Intervals and standard errors by two roads: brute force over all pairs, textbook formulas written anew, mpmath.

Then what must hold where data are degenerate: no NaN, no width of 0, a flag that is true. The one random test says
how often a right answer would fail it.
"""

from __future__ import annotations

import re
from itertools import product

import mpmath as mp
import numpy as np
import pytest
from scipy import stats
from scipy.special import expit, logit, ndtr, ndtri

import rocpredict as rp
from rocpredict.inference.bootstrap import BootstrapOptions
from rocpredict.inference.placements import check_rate_range, compute_placements, partial_placements

AUC_METHODS = ("smoothed-logit", "newcombe", "delong", "logit", "hanley-mcneil", "bootstrap", "bca")
PARTIAL_AUC_METHODS = ("smoothed-logit", "delong", "logit", "bootstrap", "bca")
COUNTED_METHODS = ("smoothed-logit", "delong", "logit", "hanley-mcneil", "newcombe")  # that draw nothing
Z = ndtri(0.975)
SIDES = np.array([-1, 1])


def empirical(negative, positive, **options):
    return rp.EmpiricalRoc(negative=negative, positive=positive, **options)


def predicted(m0, s0, m1, s1, count=None):
    return rp.PredictedRoc(negative=rp.Gaussian(m0, s0), positive=rp.Gaussian(m1, s1), count=count)


def samples(seed=5, sizes=(9, 12), levels=6):
    """Give two small samples with ties within and between the classes."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, levels, sizes[0]).astype(float), rng.integers(1, levels + 1, sizes[1]).astype(float)


def kernel(negative, positive):
    """Give who wins each of the n0 n1 pairs: 1, 0, or 1/2 for a tie."""
    gap = np.subtract.outer(np.asarray(positive), np.asarray(negative))
    return (gap > 0) + (gap == 0) / 2


def brute_placements(negative, positive, w0=None, w1=None):
    w0 = np.ones(len(negative)) if w0 is None else np.asarray(w0, dtype=float)
    w1 = np.ones(len(positive)) if w1 is None else np.asarray(w1, dtype=float)
    wins = kernel(negative, positive)
    area = w1 @ wins @ w0 / (w0.sum() * w1.sum())
    return area, (w1 @ wins / w1.sum(), w0), (wins @ w0 / w0.sum(), w1)


def brute_delong(negative, positive, w0=None, w1=None):
    """Sum the squared deviations of the placements over cases, ddof=1, class by class (DeLong et al. 1988)."""
    area, *sides = brute_placements(negative, positive, w0, w1)
    return area, sum(w @ (v - area) ** 2 / (w.sum() * (w.sum() - 1)) for v, w in sides)


# ---- two roads: areas


@pytest.mark.parametrize("seed", range(4))
def test_delong_variance_by_all_pairs(seed):
    """With ties, without, and with weights that stand for cases."""
    for levels in (3, 6, 10_000):
        negative, positive = samples(seed, levels=levels)
        _, variance = brute_delong(negative, positive)
        assert empirical(negative, positive).auc_std_error() == pytest.approx(np.sqrt(variance), rel=1e-13)
        rng = np.random.default_rng(seed)
        w0, w1 = rng.uniform(0.2, 3, len(negative)), rng.uniform(0.2, 3, len(positive))
        area, variance = brute_delong(negative, positive, w0, w1)
        roc = empirical(rp.Ecdf(negative, w0), rp.Ecdf(positive, w1))
        assert (roc.auc(), roc.auc_std_error()) == pytest.approx((area, np.sqrt(variance)), rel=1e-12)
        low, high = roc.auc_interval(method="delong")
        half = Z * np.sqrt(variance)
        assert (low, high) == pytest.approx((max(0, area - half), min(1, area + half)), rel=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_smoothed_logit_by_its_definition(level, weighted):
    """Half a case at 1/2 in the area; a quarter of one, of mean 1/2 and variance 1/8, in each spread; on the logit."""
    c, q = 0.5, 0.25
    for seed, sizes in product(range(3), ((4, 3), (9, 12), (2, 30))):
        negative, positive = samples(seed, sizes)
        rng = np.random.default_rng(seed)
        w0, w1 = (rng.uniform(0.6, 3, n) if weighted else np.ones(n) for n in sizes)
        area, *sides = brute_placements(negative, positive, w0, w1)
        n0, n1 = w0.sum(), w1.sum()
        n = 2 / (1 / n0 + 1 / n1)
        shrunk = (area * n + 0.5 * c) / (n + c)
        variance = sum(
            (w @ (v - shrunk) ** 2 + q * ((0.5 - shrunk) ** 2 + 1 / 8)) / ((w.sum() + q - 1) * (w.sum() + q))
            for v, w in sides
        )
        half = ndtri((1 + level) / 2) * np.sqrt(variance) / (shrunk * (1 - shrunk))
        roc = empirical(rp.Ecdf(negative, w0), rp.Ecdf(positive, w1))
        assert tuple(roc.auc_interval(level)) == pytest.approx(expit(logit(shrunk) + half * SIDES), rel=1e-12)
        assert roc.auc_std_error(method="smoothed-logit") == pytest.approx(np.sqrt(variance), rel=1e-12)


def test_plain_logit_by_its_definition():
    negative, positive = samples()
    area, variance = brute_delong(negative, positive)
    half = Z * np.sqrt(variance) / (area * (1 - area))
    expected = 1 / (1 + (1 - area) / area * np.exp([half, -half]))
    assert tuple(empirical(negative, positive).auc_interval(method="logit")) == pytest.approx(expected, rel=1e-13)


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
    """Give two samples in which k of the n0 n1 pairs are won."""
    won, rest = divmod(k, n0)
    return np.arange(n0) * 2.0, np.concatenate(
        [[2.0 * n0] * won, [2 * rest - 1.0] * (won < n1), [-1.0] * (n1 - won - 1)]
    )


@pytest.mark.parametrize(("n0", "n1"), [(6, 7), (2, 2), (3, 20), (40, 5)])
def test_newcombe_by_the_roots_of_a_quartic(n0, n1):
    for k in {1, n0 * n1 // 2, n0 * n1 - 1}:
        roc = empirical(*with_area(k, n0, n1))
        assert roc.auc() == pytest.approx(k / (n0 * n1), rel=1e-14)
        expected = newcombe_by_roots(k / (n0 * n1), n0, n1)
        assert tuple(roc.auc_interval(method="newcombe")) == pytest.approx(expected, rel=1e-8)


def test_newcombe_of_six_and_seven_observations():
    """The published example of method 5, [.59732, .98600]: of all areas of 6 v 7 only 38 1/2 of 42 pairs gives it."""
    found = {}
    for twice in range(1, 84):
        negative, positive = with_area(twice // 2, 6, 7)
        if twice % 2:  # the next pair to be won is tied
            positive = positive.copy()
            positive[(twice // 2) // 6] = 2 * (twice // 2 % 6)
        roc = empirical(negative, positive)
        assert roc.auc() == pytest.approx(twice / 84, rel=1e-14)
        found[twice] = tuple(round(end, 5) for end in roc.auc_interval(method="newcombe"))
    assert [twice for twice, ends in found.items() if ends == (0.59732, 0.98600)] == [77]


def test_bca_counts_equal_areas_as_ties():
    """The bias is that of the share of resamples below the estimate, those equal to it half, whatever they round to."""
    off = 0
    for seed in range(60):
        negative, positive = samples(seed, (9, 11), 10_000)
        roc, size = empirical(negative, positive), (9, 11)
        pairs = 9 * 11
        counts = [
            np.concatenate(part)
            for part in zip(*BootstrapOptions(200, 0).resample_counts((None, None), size), strict=True)
        ]
        wins = kernel(np.sort(negative), np.sort(positive))
        areas = np.round(np.einsum("bp,pn,bn->b", counts[1], wins, counts[0]) * 2) / 2  # exact
        area, *sides = brute_placements(negative, positive)
        below = np.mean(areas < round(area * pairs * 2) / 2) + np.mean(areas == round(area * pairs * 2) / 2) / 2
        cubes = sum(np.sum((v - area) ** 3) / len(v) ** 3 for v, _ in sides)
        squares = sum(np.sum((v - area) ** 2) / len(v) ** 2 for v, _ in sides)
        bias, acceleration = ndtri(below), cubes / (6 * squares**1.5)
        z = bias + np.array([-Z, Z])
        expected = np.quantile(areas / pairs, ndtr(bias + z / (1 - acceleration * z)))
        found = roc.auc_interval(method="bca", n_resamples=200)
        off += tuple(found) != pytest.approx(expected, abs=1e-9)
    assert off == 0


def test_hanley_mcneil_by_the_law_that_it_assumes():
    """Its variance is the exact one of two exponential classes, here from the three probabilities by quadrature."""
    negative, positive = samples()
    roc = empirical(negative, positive)
    n0, n1, area = len(negative), len(positive), roc.auc()
    rate = (1 - area) / area  # of Y, with X of rate 1: P(Y > X) = 1/(1 + rate)
    two_positives = float(mp.quad(lambda x: mp.exp(-x) * mp.exp(-2 * rate * x), [0, mp.inf]))
    two_negatives = float(mp.quad(lambda y: rate * mp.exp(-rate * y) * (1 - mp.exp(-y)) ** 2, [0, mp.inf]))
    variance = (area * (1 - area) + (n1 - 1) * (two_positives - area**2) + (n0 - 1) * (two_negatives - area**2)) / (
        n0 * n1
    )
    assert roc.auc_std_error(method="hanley-mcneil") == pytest.approx(np.sqrt(variance), rel=1e-9)
    low, high = roc.auc_interval(method="hanley-mcneil")
    assert (low, high) == pytest.approx((area - Z * np.sqrt(variance), min(1, area + Z * np.sqrt(variance))), rel=1e-9)


def test_bootstrap_of_two_and_two_by_all_its_resamples():
    """16 resamples are equally likely: the percentile interval is between quantiles of theirs, all that there are.

    P(area = 0) = P(area = 1) = 1/16 here: with 2,000 resamples each tail of 2.5 % is reached (fails 1 in 1e13).
    """
    roc = empirical([1.0, 3.0], [2.0, 4.0])
    every = [kernel(n, p).mean() for n in product([1.0, 3.0], repeat=2) for p in product([2.0, 4.0], repeat=2)]
    assert tuple(roc.auc_interval(method="bootstrap")) == (min(every), max(every)) == (0, 1)
    drawn = roc.auc_std_error(method="bootstrap", n_resamples=20_000)
    assert drawn == pytest.approx(np.std(every), rel=0.03)  # 5 standard errors of a standard deviation: 1 in 1e6


# ---- two roads: areas in a band


def influences(negative, positive, band, step=1e-6):
    """Give what a little more of each row does to the area in a band: its infinitesimal jackknife."""
    found = []
    for side in (0, 1):
        rows = (negative, positive)[side]
        changes = []
        for i in range(len(rows)):
            areas = []
            for sign in (1, -1):
                weights = [np.ones(len(negative)), np.ones(len(positive))]
                weights[side][i] += sign * step
                roc = empirical(rp.Ecdf(negative, weights[0]), rp.Ecdf(positive, weights[1]))
                areas.append(roc.partial_auc(**band))
            changes.append((areas[0] - areas[1]) / (2 * step) * len(rows))
        found.append(np.array(changes))
    return found


@pytest.mark.parametrize("band", [{"fpr": (0.07, 0.39)}, {"fpr": (0, 0.21)}, {"tpr": (0.63, 1)}, {"tpr": (0.21, 0.83)}])
@pytest.mark.parametrize("levels", [4, 10_000])
def test_partial_area_variance_by_infinitesimal_jackknife(band, levels):
    """The ends of the band lie within steps, so that the area is smooth in the weights; ties and none."""
    negative, positive = samples(3, (11, 13), levels)
    parts = influences(negative, positive, band)
    variance = sum(np.sum(part**2) / (len(part) * (len(part) - 1)) for part in parts)
    assert max(abs(part.sum()) for part in parts) < 1e-6
    roc = empirical(negative, positive)
    assert roc.partial_auc_std_error(**band) == pytest.approx(np.sqrt(variance), rel=1e-6)
    corrected = roc.partial_auc_std_error(**band, correction="mcclish")
    low, high = next(iter(band.values()))
    chance = (low + high) / 2 if "fpr" in band else 1 - (low + high) / 2
    assert corrected == pytest.approx(np.sqrt(variance) / (2 * (high - low) * (1 - chance)), rel=1e-6)


def test_partial_area_of_the_whole_band_is_the_area():
    negative, positive = samples(8)
    roc = empirical(negative, positive)
    for band in ({"fpr": (0, 1)}, {"tpr": (0, 1)}):
        assert roc.partial_auc_std_error(**band) == pytest.approx(roc.auc_std_error(), rel=1e-12)
        for method in PARTIAL_AUC_METHODS:
            ours = roc.partial_auc_interval(**band, method=method)
            assert tuple(ours) == pytest.approx(tuple(roc.auc_interval(method=method)), abs=1e-12)


def test_partial_area_variance_by_monte_carlo():
    """400 samples of 100 and 100: the mean variance against the variance of the estimates.

    The latter has a standard error of sqrt(2/400) = 7 %; 4.5 of them, and 3 % for what is left at this size of a
    variance that is right in the limit: a right formula fails 1 in 100,000, and the seed is fixed.
    """
    rng = np.random.default_rng(12)
    band = check_rate_range((0, 0.2), None)
    placed = [
        partial_placements(rp.Ecdf(rng.normal(size=100)), rp.Ecdf(rng.normal(1, 1.3, 100)), band) for _ in range(400)
    ]
    ratio = np.mean([float(p.variance()) for p in placed]) / np.var([float(p.estimate) for p in placed], ddof=1)
    assert ratio == pytest.approx(1, abs=0.35)


# ---- two roads: from moments

PAIRS = [(4.0, 3.0, 8.0, 2.0), (0.0, 1.0, 1.0, 1.0), (0.0, 1.0, 0.3, 4.0), (1.0, 2.0, -1.0, 0.7)]
COUNT = (31, 17)


def by_delta(function, pair, count=COUNT, digits=30):
    """Give the delta-method standard error of a function of two means and two SDs, its slopes by mpmath."""
    m0, s0, m1, s1 = map(mp.mpf, pair)
    spread = (s0**2 / count[0], s0**2 / (2 * (count[0] - 1)), s1**2 / count[1], s1**2 / (2 * (count[1] - 1)))
    with mp.workdps(digits):
        slopes = []
        for i in range(4):
            order = tuple(int(i == k) for k in range(4))
            slopes.append(mp.diff(function, (m0, s0, m1, s1), order))
        return float(mp.sqrt(sum(slope**2 * v for slope, v in zip(slopes, spread, strict=True))))


def separation(m0, s0, m1, s1):
    return (m1 - m0) / mp.sqrt(s0**2 + s1**2)


def crossing(m0, s0, m1, s1, log_kappa=0):
    """Give the root where the likelihood ratio rises through kappa, by the plain quadratic."""
    a = (1 / s0**2 - 1 / s1**2) / 2
    b = m1 / s1**2 - m0 / s0**2
    c = m0**2 / (2 * s0**2) - m1**2 / (2 * s1**2) + mp.log(s0 / s1) - log_kappa
    if abs(a) < mp.mpf(10) ** -25:  # near equal SDs the quadratic cancels; the other form of the root does not
        return -2 * c / (b + mp.sqrt(b * b - 4 * a * c))
    return (-b + mp.sqrt(b * b - 4 * a * c)) / (2 * a)


def ameans(m0, s0, m1, s1):
    t = crossing(m0, s0, m1, s1)
    return (mp.ncdf((t - m0) / s0) + mp.ncdf((m1 - t) / s1)) / 2


@pytest.mark.parametrize("pair", PAIRS)
def test_auc_delta_by_mpmath(pair):
    roc = predicted(*pair, count=COUNT)
    d, error = float(separation(*map(mp.mpf, pair))), by_delta(separation, pair)
    assert tuple(roc.auc_interval()) == pytest.approx(ndtr(d + Z * error * SIDES), rel=1e-12)
    assert roc.auc_std_error() == pytest.approx(by_delta(lambda *p: mp.ncdf(separation(*p)), pair), rel=1e-12)


@pytest.mark.parametrize("fpr", [0.01, 0.3, 0.9])
@pytest.mark.parametrize("pair", PAIRS)
def test_height_delta_by_mpmath(pair, fpr):
    x = mp.mpf(float(ndtri(fpr)))

    def height(m0, s0, m1, s1):
        return (m1 - m0 + s0 * x) / s1

    z, error = float(height(*map(mp.mpf, pair))), by_delta(height, pair)
    found = predicted(*pair, count=COUNT).tpr_at_fpr_interval(fpr)
    assert tuple(found) == pytest.approx(ndtr(z + Z * error * SIDES), rel=1e-11)
    mirrored = predicted(-pair[2], pair[3], -pair[0], pair[1], count=COUNT[::-1]).fpr_at_tpr_interval(1 - fpr)
    assert (1 - mirrored.high, 1 - mirrored.low) == pytest.approx(tuple(found), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("pair", PAIRS[:3])
def test_best_threshold_delta_by_mpmath(pair):
    """Both standard errors: of the threshold, and of the Ameans, in which the threshold's own error cancels."""
    best = predicted(*pair, count=COUNT).best_threshold()
    found = best.threshold_interval()
    if pair[1] != pair[3]:
        assert best.threshold == pytest.approx(float(crossing(*map(mp.mpf, pair))), rel=1e-12)
        assert found.width / (2 * Z) == pytest.approx(by_delta(crossing, pair), rel=1e-8)
        assert (found.low + found.high) / 2 == pytest.approx(best.threshold, rel=1e-12)
        z, error = float(ndtri(best.ameans)), by_delta(ameans, pair)
        expected = ndtr(z + Z * error / stats.norm.pdf(z) * SIDES)
        assert tuple(best.ameans_interval()) == pytest.approx(expected, rel=1e-6)
    else:  # equal SDs: the sheet's formula, H = Q/(sN sP) = d/s^2, z = +-d/2s
        d, s = pair[2] - pair[0], pair[1]
        z = d / (2 * s)
        shifts = [z * z / n + (z * z - 1) ** 2 / (2 * (n - 1)) for n in COUNT]
        assert found.width / (2 * Z) == pytest.approx(np.sqrt(sum(shifts)) * s * s / d, rel=1e-12)


def test_threshold_delta_for_costs_by_mpmath():
    pair, kappa = PAIRS[0], 0.9 * 2 / (0.1 * 15)
    best = predicted(*pair, count=COUNT).best_threshold("cost", prevalence=0.1, cost_fp=2, cost_fn=15)
    error = by_delta(lambda *p: crossing(*p, mp.log(mp.mpf(kappa))), pair)
    assert best.threshold_interval().width / (2 * Z) == pytest.approx(error, rel=1e-8)


@pytest.mark.parametrize("band", [{"fpr": (0, 0.2)}, {"fpr": (0.1, 0.6)}, {"tpr": (0.7, 1)}])
def test_partial_area_delta_by_mpmath(band):
    """The area by quadrature, its slopes by mpmath."""
    pair = PAIRS[0]
    (low, high), axis = next(iter(band.values())), next(iter(band))
    ends = [mp.mpf(float(ndtri(end))) if 0 < end < 1 else mp.mpf(18 * (end - 0.5)) for end in (low, high)]

    def area(m0, s0, m1, s1):
        d = m1 - m0
        if axis == "fpr":
            return mp.quad(lambda x: mp.ncdf((d + s0 * x) / s1) * mp.npdf(x), [ends[0], -1, ends[1]])
        return mp.quad(lambda y: (1 - mp.ncdf((s1 * y - d) / s0)) * mp.npdf(y), [ends[0], 2, ends[1]])

    roc = predicted(*pair, count=COUNT)
    assert roc.partial_auc(**band) == pytest.approx(float(area(*map(mp.mpf, pair))), rel=1e-9)
    expected = by_delta(area, pair, digits=15)
    assert roc.partial_auc_std_error(**band) == pytest.approx(expected, rel=1e-6)


def test_reiser_guttman_example():
    """The founding paper's example with 50 and 50 cases, and the equation that the ends solve."""
    roc = predicted(4, 3, 8, 2, count=(50, 50))
    found = roc.auc_interval(method="reiser-guttman")
    assert (round(found.low, 5), round(found.high, 5)) == (0.78342, 0.92366)
    v = 9 / 50 + 4 / 50
    m, f = 13 / v, 13**2 / (81 / 49 + 16 / 49)
    for end, tail in ((found.low, 0.975), (found.high, 0.025)):
        assert stats.nct.cdf(4 / np.sqrt(v), f, np.sqrt(m) * ndtri(end)) == pytest.approx(tail, abs=1e-9)


@pytest.mark.parametrize("threshold", [2.0, 6.0, 9.5])
def test_rate_of_a_gaussian_class_exactly(threshold):
    """P(X >= t) from the noncentral t of sqrt(n)(mean - t)/std; tnr and fnr are complements, not other intervals."""
    roc = predicted(4, 3, 8, 2, count=COUNT)
    for (mean, std), n, names in (((4, 3), 31, ("fpr", "tnr")), ((8, 2), 17, ("tpr", "fnr"))):
        found, other = (roc.rate_interval(name, threshold, method="noncentral-t") for name in names)
        for end, tail in zip(found, (0.975, 0.025), strict=True):
            assert stats.nct.cdf(
                np.sqrt(n) * (mean - threshold) / std, n - 1, np.sqrt(n) * ndtri(end)
            ) == pytest.approx(tail, abs=1e-8)
        assert (1 - other.high, 1 - other.low) == pytest.approx(tuple(found), rel=1e-12)
        assert found.estimate == pytest.approx(1 - stats.norm.cdf(threshold, mean, std), rel=1e-12)


def test_counted_rates_by_the_beta_quantiles():
    negative, positive = samples(2, (20, 15))
    roc = empirical(negative, positive)
    cells = roc.rates(3.0).counts
    shares = {"tpr": (cells.tp, 15), "fpr": (cells.fp, 20), "precision": (cells.tp, cells.tp + cells.fp)}
    for name, (k, n) in shares.items():
        found = roc.rate_interval(name, 3.0)
        assert tuple(found) == pytest.approx((stats.beta.ppf(0.025, k, n - k + 1), stats.beta.ppf(0.975, k + 1, n - k)))
        test = stats.binomtest(int(k), int(n)).proportion_ci(method="wilson")
        assert tuple(roc.rate_interval(name, 3.0, method="wilson")) == pytest.approx((test.low, test.high), rel=1e-10)


@pytest.mark.parametrize("fpr", [0.0, 0.13, 0.5, 0.87, 1.0])
def test_hilgers_by_order_statistics(fpr):
    """A threshold surely too strict and one surely too lax, each at a tail of (1 - level)/4, written anew."""
    rng = np.random.default_rng(6)
    negative, positive = rng.normal(size=25), rng.normal(1, 1, 18)
    tail, n0, n1 = 0.0125, 25, 18
    descending = np.sort(negative)[::-1]
    low, high = 0.0, 1.0
    for k in range(1, n0 + 1):  # above the k-th largest negative lies an FPR of Beta(k, n0 + 1 - k)
        beta = stats.beta(k, n0 + 1 - k)
        caught = np.sum(positive > descending[k - 1])
        if beta.ppf(1 - tail) <= fpr:
            low = max(low, stats.beta.ppf(tail, caught, n1 - caught + 1) if caught else 0.0)
        from_there = np.sum(positive >= descending[k - 1])
        if beta.ppf(tail) >= fpr:
            high = min(high, stats.beta.ppf(1 - tail, from_there + 1, n1 - from_there) if from_there < n1 else 1.0)
    found = empirical(negative, positive).tpr_at_fpr_interval(fpr, method="hilgers")
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-12)


def test_hilgers_with_weights_that_are_not_whole():
    """Three values of 10.5 cases each tell hardly more than three of 10: the ends may not leap to the estimate."""
    whole, split = (empirical(rp.Ecdf([1.0, 2, 3], [w] * 3), rp.Ecdf([2.0, 3, 4], [w] * 3)) for w in (10.0, 10.5))
    at = np.array([0.1, 0.3, 0.5])
    fewer, more = (roc.tpr_at_fpr_interval(at, method="hilgers") for roc in (whole, split))
    assert np.asarray(more.low) == pytest.approx(np.asarray(fewer.low), abs=0.05)
    assert np.asarray(more.high) == pytest.approx(np.asarray(fewer.high), abs=0.05)


# ---- degenerate data

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


def check(found, name):
    """Refuse NaN, what leaves [0, 1], and what is as good as of no width."""
    for end in (found.low, found.high, found.estimate):
        assert np.isfinite(end), name
        assert 0 <= end <= 1, name
    assert found.high - found.low > 1e-3, name


@pytest.mark.parametrize("method", AUC_METHODS)
@pytest.mark.parametrize("name", DEGENERATE)
def test_area_interval_of_degenerate_data(name, method):
    """Every method answers all of them, with a flag that tells why not to lean on the answer."""
    negative, positive, flags = DEGENERATE[name]
    roc = empirical(negative, positive)
    found = roc.auc_interval(method=method, n_resamples=200)
    check(found, (name, method, found))
    assert flags <= {*found.flags}, (name, method)
    if found.estimate not in {0, 1} or found.method != "smoothed-logit":  # whose centre lies further in, and its ends
        assert found.estimate in found, (name, method)
    assert found.method == method or "fallback" in found.flags
    wide = roc.auc_interval(0.999, method=method, n_resamples=200)
    assert wide.low <= found.low, (name, method)
    assert wide.high >= found.high, (name, method)


@pytest.mark.parametrize("band", [{"fpr": (0, 0.1)}, {"fpr": (0.1, 0.3)}, {"fpr": (1 / 3, 2 / 3)}, {"tpr": (0.9, 1)}])
@pytest.mark.parametrize("name", DEGENERATE)
def test_band_interval_of_degenerate_data(name, band):
    """As a share of its width; a band of tied values sees no spread, and rounding must not pass for one."""
    negative, positive, _ = DEGENERATE[name]
    (low, high) = next(iter(band.values()))
    for method in PARTIAL_AUC_METHODS:
        found = empirical(negative, positive).partial_auc_interval(**band, method=method, n_resamples=100)
        width = high - low
        share = rp.Interval(
            found.low / width, found.high / width, found.level, found.method, found.estimate / width, found.flags
        )
        check(share, (name, band, method, found))


def test_flags_of_a_band_are_true_of_the_curve():
    """A partial area can be as large, or as small, as there is without any threshold that separates the classes."""
    full = empirical([0.0, 1, 2, 3], [1.5, 2.5, 4, 5])
    assert full.auc() < 1
    assert "perfect_separation" not in full.partial_auc_interval(fpr=(0.5, 1)).flags
    none = empirical([0.0, 1, 9, 10], [1.5, 2.5, 4, 5])
    assert none.auc() == 0.5
    assert "perfect_reversal" not in none.partial_auc_interval(fpr=(0, 0.4)).flags


@pytest.mark.parametrize("method", COUNTED_METHODS)
@pytest.mark.parametrize("positive", [[0.0, 1.0], [3.0, 4.0]], ids=["overlap", "separated"])
def test_area_interval_of_very_many_cases(method, positive):
    """Weights of 1e10: no overflow, no solver that loses its bracket."""
    roc = empirical(rp.Ecdf([0.0, 1.0], [1e10, 1e10]), rp.Ecdf(positive, [1e10, 3e10]))
    found = roc.auc_interval(method=method)
    assert 0 <= found.low < found.high <= 1
    assert found.width < 1e-4
    assert found.estimate == pytest.approx(roc.auc(), rel=1e-12)


@pytest.mark.parametrize(
    "ask",
    [
        lambda roc: roc.auc_interval(method="bootstrap"),
        lambda roc: roc.tpr_at_fpr_interval(0.1, method="hilgers"),
        lambda roc: roc.tpr_at_fpr_interval(0.1),
        lambda roc: repr(roc.best_threshold()),
    ],
    ids=["bootstrap", "hilgers", "height", "repr of the best threshold"],
)
def test_what_counts_cases_one_by_one_answers_or_refuses(ask):
    """Weights of 1e15 cannot be written out as rows: an answer, or an error that says so, but no MemoryError."""
    roc = empirical(rp.Ecdf([0.0, 1.0], [1e15, 1e15]), rp.Ecdf([0.0, 1.0], [1e15, 3e15]))
    refusal = ""
    try:
        ask(roc)
    except rp.RocPredictError as error:
        refusal = str(error)
    assert not refusal or re.search(r"weights|cases|rows", refusal)


@pytest.mark.parametrize("family", ["gaussian", stats.gamma])
def test_refits_of_few_rows_survive_resamples_of_equal_values(family):
    """With 4 rows one resample in 64 holds one value only: it is flagged or dropped, and never breaks the rest."""
    x = np.array([0.7, 1.1, 2.0, 3.1, 2.1, 2.9, 4.0, 6.5])
    roc = rp.predict_roc(x, [0, 0, 0, 0, 1, 1, 1, 1], family=family)
    found = roc.auc_interval(method="bootstrap", n_resamples=60 if family is stats.gamma else 500)
    assert 0 <= found.low < found.high <= 1


@pytest.mark.parametrize("method", ["delta", "reiser-guttman"])
@pytest.mark.parametrize(
    ("pair", "count"),
    [
        ((0, 1, 0, 1), (1, 1)),
        ((0, 1, 2, 1), (1, 30)),
        ((0, 0, 1, 0), (5, 9)),
        ((1, 0, 1, 0), (5, 9)),
        ((0, 0, 1, 1), (5, 9)),
        ((0, 1, 50, 1), (5, 9)),
        ((50, 1, 0, 1), (5, 9)),
        ((0, 1, 1e-300, 1), (2, 2)),
    ],
)
def test_predicted_interval_of_degenerate_moments(pair, count, method):
    """One case, no spread, no overlap: the interval is of some width, holds the estimate, and lies in [0, 1]."""
    found = predicted(*pair, count=count).auc_interval(method=method)
    assert 0 <= found.low < found.high <= 1
    assert found.estimate in found
    if min(count) == 1:
        assert "single_observation" in found.flags


@pytest.mark.parametrize("scale", [1e-200, 1e-100, 1e100, 1e200])
def test_predicted_uncertainty_knows_no_unit(scale):
    """Moments of any size: squares and fourth powers of a standard deviation neither vanish nor overflow."""
    asked = [
        lambda roc: roc.auc_interval(),
        lambda roc: roc.auc_interval(method="reiser-guttman"),
        lambda roc: roc.partial_auc_interval(fpr=(0, 0.2)),
        lambda roc: roc.tpr_at_fpr_interval(0.2),
        lambda roc: roc.best_threshold().ameans_interval(),
    ]
    thresholds = [
        lambda roc: roc.best_threshold().threshold_interval(),
        lambda roc: roc.best_threshold("f1", prevalence=0.3).threshold_interval(),
    ]
    roc, scaled = predicted(4, 3, 8, 2, COUNT), predicted(4 * scale, 3 * scale, 8 * scale, 2 * scale, COUNT)
    for ask in asked:
        assert tuple(ask(scaled)) == pytest.approx(tuple(ask(roc)), rel=1e-6)
        assert "fallback" not in ask(scaled).flags
    for ask in thresholds:
        assert tuple(ask(scaled)) == pytest.approx(tuple(scale * end for end in ask(roc)), rel=1e-6)


@pytest.mark.parametrize("level", [1e-6, 0.01, 0.1, 0.5, 0.999999])
@pytest.mark.parametrize("count", [(2, 2), (31, 17), (2, 400)])
def test_predicted_intervals_of_any_level(level, count):
    """However narrow: the noncentral t is solved from both sides, though its median is not its noncentrality."""
    roc = predicted(4, 3, 8, 2, count)
    for found in (
        roc.auc_interval(level),
        roc.auc_interval(level, method="reiser-guttman"),
        roc.rate_interval("tpr", 6, level, method="noncentral-t"),
    ):
        assert 0 <= found.low < found.high <= 1
    v = 9 / count[0] + 4 / count[1]
    m, f = 13 / v, 13**2 / (81 / (count[0] - 1) + 16 / (count[1] - 1))
    found = roc.auc_interval(level, method="reiser-guttman")
    for end, tail in ((found.low, (1 + level) / 2), (found.high, (1 - level) / 2)):
        if 1e-12 < end < 1 - 1e-6:
            assert stats.nct.cdf(4 / np.sqrt(v), f, np.sqrt(m) * ndtri(end)) == pytest.approx(tail, abs=1e-7)


@pytest.mark.parametrize("threshold", [1e3, -1e3, 1e6, -1e6, np.inf, -np.inf])
@pytest.mark.parametrize("method", ["delta", "noncentral-t"])
def test_rate_at_a_threshold_far_out(threshold, method):
    """Where no case will ever lie: an interval that holds the estimate, and no error of a solver."""
    for name in ("tpr", "fpr", "tnr", "fnr"):
        found = predicted(4, 3, 8, 2, COUNT).rate_interval(name, threshold, method=method)
        assert 0 <= found.low < found.high <= 1
        assert found.estimate in found


def test_batches_answer_as_single_features_do():
    """The same ends, to the last bit of a formula that is the same."""
    means, stds = np.array([[0.0, 1.0, 3.0], [2.0, 2.0, 9.0]]), np.array([[1.0, 2.0, 0.5], [1.0, 0.5, 3.0]])
    batch = rp.PredictedRoc.from_stats(mean=tuple(means), std=tuple(stds), count=COUNT)
    for method in ("delta", "reiser-guttman"):
        found = batch.auc_interval(method=method)
        for k in range(3):
            single = predicted(means[0, k], stds[0, k], means[1, k], stds[1, k], COUNT).auc_interval(method=method)
            assert (found.low[k], found.high[k]) == pytest.approx(tuple(single), rel=1e-13)
    for ask in (
        lambda roc: roc.tpr_at_fpr_interval(0.2),
        lambda roc: roc.rate_interval("fnr", 1.5),
        lambda roc: roc.partial_auc_interval(fpr=(0, 0.3)),
        lambda roc: roc.best_threshold().threshold_interval(),
        lambda roc: roc.best_threshold().ameans_interval(),
    ):
        found = ask(batch)
        for k in range(3):
            single = ask(predicted(means[0, k], stds[0, k], means[1, k], stds[1, k], COUNT))
            assert (found.low[k], found.high[k]) == pytest.approx(tuple(single), rel=1e-10)


# ---- error words

COUNTED = empirical([1.0, 2, 3], [2.0, 3, 4])
UNCOUNTED = predicted(0, 1, 1, 1)
NOT_GAUSSIAN = rp.PredictedRoc(negative=stats.gamma(2), positive=stats.gamma(4), count=(30, 30))


@pytest.mark.parametrize(
    ("ask", "words"),
    [
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
        (lambda: COUNTED.auc_interval([0.9, 0.95]), "level has shape"),
        (lambda: COUNTED.tpr_at_fpr_interval(0.1, 2), "level=2"),
        (lambda: COUNTED.tpr_at_fpr_interval(10), "fpr=10.*percent"),
        (lambda: COUNTED.partial_auc_interval(fpr=(0.5, 0.2)), "empty range"),
        (COUNTED.partial_auc_interval, "needs one of"),
        (lambda: COUNTED.partial_auc_interval(fpr=(0, 1), correction="standard"), "correction='standard'"),
        (lambda: COUNTED.auc_interval(method="bootstrap", n_resamples=19), "n_resamples=19 is too few.*20"),
        (lambda: COUNTED.auc_interval(method="bootstrap", n_resamples=99.5), "n_resamples=99.5.*whole"),
        (lambda: COUNTED.auc_interval(method="bootstrap", rng=-1), "rng=-1 is negative"),
        (lambda: COUNTED.auc_interval(method="bootstrap", rng="seed"), "rng='seed'"),
        (UNCOUNTED.auc_interval, r"count=\(negative, positive\)"),
        (UNCOUNTED.auc_std_error, r"count=\(negative, positive\)"),
        (lambda: UNCOUNTED.tpr_at_fpr_interval(0.1), r"count=\(negative, positive\)"),
        (lambda: UNCOUNTED.best_threshold().ameans_interval(), r"count=\(negative, positive\)"),
        (lambda: UNCOUNTED.auc_interval(method="bootstrap"), "needs the sample"),
        (NOT_GAUSSIAN.auc_interval, "two Gaussians.*bootstrap"),
        (lambda: NOT_GAUSSIAN.partial_auc_interval(fpr=(0, 0.1)), "two Gaussians"),
        (lambda: NOT_GAUSSIAN.rate_interval("tpr", 2), "two Gaussians"),
        (lambda: NOT_GAUSSIAN.best_threshold().threshold_interval(), "two Gaussians"),
    ],
)
def test_error_words(ask, words):
    """Each names the argument, what came, and what is allowed."""
    with pytest.raises(rp.RocPredictError, match=words):
        ask()


def test_weights_below_one_case_are_refused():
    """Weights that sum to less than one case have no variance by cases."""
    roc = empirical(rp.Ecdf([1.0, 2.0], [0.2, 0.3]), [2.0, 3.0])
    for ask in (roc.auc_interval, roc.auc_std_error, lambda: roc.partial_auc_interval(fpr=(0, 0.5))):
        with pytest.raises(rp.RocPredictError, match=r"weights of the negative class sum to 0.5"):
            ask()


def test_placements_average_to_the_area():
    """What every variance is built on: both classes' placements have the area as their mean."""
    negative, positive = samples(1)
    found = compute_placements(rp.Ecdf(negative), rp.Ecdf(positive))
    for side in (found.negative, found.positive):
        assert side.values.mean() == pytest.approx(float(found.estimate), rel=1e-14)
