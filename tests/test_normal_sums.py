"""Kernel densities and Gaussian mixtures, and the closed areas between them."""

import itertools
import tracemalloc
from functools import partial

import mpmath
import numpy as np
import pytest
from scipy import stats

import rocpredict as rp
from rocpredict import Gaussian, RocPredictError
from rocpredict.distributions.ecdf import Ecdf
from rocpredict.distributions.families import from_scipy
from rocpredict.distributions.fitting import get_fitter
from rocpredict.distributions.mixture import (
    GaussianMixture,
    _run_em,
    em_step,
    fit_resamples,
    initial_parameters,
    min_std,
)
from rocpredict.distributions.normal_sum import GaussianKde, NormalSum, NormalSumBatch
from rocpredict.solvers.families import (
    NormalSumSolver,
    _area,
    is_normal_sum,
    solver_for,
)
from rocpredict.solvers.numerical import NumericalSolver
from tests.cases import check_refusals, for_each
from tests.quantities import OF_A_BATCH

SAMPLE = np.array([3.1, 4.0, 4.2, 5.9, 7.3, 4.0])
SUMS = {
    "Gaussian": Gaussian(4, 3),
    "kde": GaussianKde(SAMPLE),
    "weighted kde": GaussianKde([1.0, 2.0, 5.0], bandwidth=0.7, weights=[0.5, 3, 2.25]),
    "variance-preserving kde": GaussianKde(SAMPLE + 1, bandwidth="scott", variance_preserving=True),
    "kde of 30": GaussianKde(np.random.default_rng(1).normal(3, 2, 30), bandwidth="cube-root"),
    "mixture": GaussianMixture([0.3, 0.7], [1, 5], [1, 0.5]),
    "narrow and wide": GaussianMixture([0.1, 0.2, 0.7], [-4, 9, 3], [0.01, 0.02, 2]),
}
PAIRS = list(itertools.combinations_with_replacement(SUMS, 2))


def components_of(d):
    return NormalSum(np.ones(1), np.array([d.mean]), np.array([d.std])) if isinstance(d, Gaussian) else d.components


def parts_of(normals):
    return normals.weights, normals.means, normals.stds


def exact_area(negative, positive, sign):
    """The sum over all pairs in 40 digits."""
    n, p = components_of(negative), components_of(positive)
    with mpmath.workdps(40):
        whole = mpmath.mpf(0)
        for v, b, t in zip(*(part.tolist() for part in parts_of(p)), strict=True):
            for w, a, s in zip(*(part.tolist() for part in parts_of(n)), strict=True):
                gap = mpmath.mpf(b) - mpmath.mpf(a)
                whole += mpmath.mpf(w) * v * mpmath.ncdf(sign * gap / mpmath.hypot(s, t))
        total = sum(map(mpmath.mpf, n.weights.tolist())) * sum(map(mpmath.mpf, p.weights.tolist()))
        return float(whole / total)


@for_each(PAIRS)
def test_areas_agree_with_quadrature_and_40_digits(*pair):
    """The integral of the one tail over the other density; reflected and exchanged classes have the other area."""
    negative, positive = (SUMS[name] for name in pair)
    solver, searched = NormalSumSolver(negative, positive), NumericalSolver(negative, positive)
    auc, complement = float(solver.auc()), float(solver.auc_complement())
    assert auc == pytest.approx(float(searched.auc()), abs=1e-10)
    assert complement == pytest.approx(float(searched.auc_complement()), abs=1e-10)
    assert auc + complement == pytest.approx(1, abs=1e-14)
    assert NormalSumSolver(positive, negative).auc() == pytest.approx(complement, rel=1e-13)
    assert NormalSumSolver(negative.reflect(), positive.reflect()).auc() == pytest.approx(complement, rel=1e-13)
    if "kde of 30" not in pair:
        assert auc == pytest.approx(exact_area(negative, positive, 1), rel=1e-14)
        assert complement == pytest.approx(exact_area(negative, positive, -1), rel=1e-14)


@for_each([9, 15, 26])
def test_areas_keep_their_digits_in_the_tail(shift):
    """1 - AUC down to 1e-200 against 40 digits; scipy's normal tail is good to 2e-13 out there."""
    negative = GaussianKde(SAMPLE, bandwidth=1)
    for positive in (GaussianKde(SAMPLE + 2 * shift, bandwidth=1), GaussianMixture([1, 3], [2 * shift] * 2, [1, 0.5])):
        wanted = exact_area(negative, positive, -1)
        assert 0 < wanted < 1e-4
        solver = NormalSumSolver(negative, positive)
        assert solver.auc_complement() == pytest.approx(wanted, rel=5e-13)
        assert NormalSumSolver(positive, negative).auc() == pytest.approx(wanted, rel=5e-13)


def test_areas_of_kernels_without_width_count_pairs_and_half_of_ties():
    """As the bandwidth goes to 0 the area becomes the empirical one: for few rows and for many."""
    rng = np.random.default_rng(4)
    for n in (9, 4000):
        x, y = rng.integers(0, 9, n).astype(float), rng.integers(2, 12, n).astype(float)
        wanted = float(NumericalSolver(Ecdf(x), Ecdf(y)).auc())
        assert NormalSumSolver(GaussianKde(x, bandwidth=1e-6), GaussianKde(y, bandwidth=1e-6)).auc() == pytest.approx(
            wanted, abs=1e-14
        )
    x = rng.normal(size=3000)
    shifted = GaussianKde(x + 0.5, bandwidth=1e-9)
    wanted = float(NumericalSolver(Ecdf(x), Ecdf(x + 0.5)).auc())
    assert NormalSumSolver(GaussianKde(x, bandwidth=1e-9), shifted).auc() == pytest.approx(wanted, abs=1e-6)


@for_each([0, 50], [-9, 0, 1.5, 9])
def test_areas_of_many_kernels_are_sums_over_pairs(outlier, shift):
    """Both tails of two sums with more kernels than a window has are sums over all pairs, to rounding."""
    rng = np.random.default_rng(5)
    x, y = rng.normal(size=700), rng.normal(shift, 1.5, 900)
    x[0] = outlier
    one = NormalSum(rng.uniform(0.1, 2, 700), x, np.full(700, 0.3))
    other = NormalSum(np.ones(900), y, np.full(900, 0.5))
    width = np.hypot(0.3, 0.5)
    z = (other.means[:, None] - one.means) / width
    for upper in (False, True):
        pairs = stats.norm.cdf(-z if upper else z) * one.weights * other.weights[:, None]
        wanted = pairs.sum() / one.total / other.total
        assert _area(one, other, upper=upper) == pytest.approx(wanted, rel=1e-13)


def test_areas_take_little_memory_for_many_rows():
    rng = np.random.default_rng(6)
    negative, positive = GaussianKde(rng.normal(size=20_000)), GaussianKde(rng.normal(1, 1.5, 20_000))
    heavy = GaussianKde(rng.standard_t(2, 20_000)), GaussianMixture([1, 1], [0, 3], [1, 0.5])
    tracemalloc.start()
    solver = NormalSumSolver(negative, positive)
    area = float(solver.auc()) + float(solver.auc_complement())
    mixed = float(NormalSumSolver(*heavy).auc()) + float(NormalSumSolver(*heavy).auc_complement())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert area == pytest.approx(1, abs=1e-13)
    assert mixed == pytest.approx(1, abs=1e-13)
    assert peak < 64e6


def test_areas_of_two_points_without_width():
    assert NormalSumSolver(Gaussian(1, 0), Gaussian(1, 0)).auc() == 0.5
    apart = NormalSumSolver(Gaussian(1, 0), Gaussian(2, 0))
    assert (apart.auc(), apart.auc_complement()) == (1, 0)
    kde = SUMS["kde"]
    assert NormalSumSolver(Gaussian(4, 0), kde).auc() == pytest.approx(kde.sf(4), rel=1e-14)


def test_areas_refuse_what_is_no_sum_of_normals():
    for stranger in (Ecdf(SAMPLE), from_scipy(stats.gamma(2)), Gaussian([0, 1], 1)):
        assert not is_normal_sum(stranger)
        with pytest.raises(RocPredictError, match="is not a univariate mixture of normal distributions"):
            NormalSumSolver(SUMS["kde"], stranger).auc()
    assert all(map(is_normal_sum, SUMS.values()))


def test_tails_the_logarithm_of_the_density_does_not_underflow():
    """A million bandwidths away the nearest kernel alone is left."""
    kde = GaussianKde([0.0, 1.0, 3.0], bandwidth=0.5)
    nearest = stats.norm.logpdf(1e6, 3, 0.5) - np.log(3)
    assert kde.logpdf(1e6) == pytest.approx(nearest, rel=1e-14)
    assert (kde.pdf(1e6), kde.logpdf(np.inf), kde.logpdf(-np.inf)) == (0, -np.inf, -np.inf)


@for_each([1e-4, 0.05, 2])
def test_tails_kernels_left_out_change_nothing(bandwidth):
    """Windows of kernels against all of them, near and far."""
    rng = np.random.default_rng(7)
    sample, weights = rng.standard_t(3, 3000), rng.uniform(0.01, 3, 3000)
    kde = GaussianKde(sample, bandwidth=bandwidth, weights=weights)
    x = np.concatenate([rng.choice(sample, 50), rng.uniform(-15, 15, 50), sample.min() - [1e-3, 1], [0, 80]])
    z = (x[:, None] - sample) / bandwidth
    share = weights / weights.sum()
    np.testing.assert_allclose(kde.cdf(x), stats.norm.cdf(z) @ share, rtol=1e-12, atol=1e-300)
    np.testing.assert_allclose(kde.sf(x), stats.norm.sf(z) @ share, rtol=1e-12, atol=1e-300)
    level = stats.norm.logpdf(z) + np.log(share)
    top = level.max(axis=1)
    wanted = np.log(np.exp(level - top[:, None]).sum(axis=1)) + top - np.log(bandwidth)
    np.testing.assert_allclose(kde.logpdf(x), wanted, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(kde.pdf(x), np.exp(wanted), rtol=1e-11)


LARGE_SAMPLES = {
    "Gaussian": lambda rng: rng.normal(size=3000),
    "heavy tails": lambda rng: rng.standard_t(1.5, 3000),
    "one side bounded": lambda rng: rng.gamma(0.7, size=3000),
    "two groups": lambda rng: np.concatenate([rng.uniform(0, 1, 900), rng.uniform(10, 11, 900)]),
    "nearly equal values": lambda rng: np.concatenate([1 + np.arange(40) * 2.0**-52, rng.normal(1, 2, 2000)]),
    "few distinct values": lambda rng: rng.binomial(40, 0.4, 3000).astype(float),
    "a wild value": lambda rng: np.append(rng.normal(size=2000), 1e9),
}


@for_each(list(LARGE_SAMPLES))
def test_few_kernels_of_a_large_sample_equal_the_sum_of_all(name):
    """Density and tails by the Gauss quadrature of cells, and by the direct sum over all kernels."""
    rng = np.random.default_rng(11)
    x = LARGE_SAMPLES[name](rng)
    for weights in (None, rng.integers(1, 5, len(x)).astype(float)):
        kde = GaussianKde(x, bandwidth_factor=2.0, weights=weights)
        few, direct = kde.components, NormalSum(kde._kernels[1], kde.means, np.full(len(kde.means), kde.std))
        if name != "few distinct values":
            assert len(few.means) < 0.4 * len(direct.means)
        assert few.total == pytest.approx(direct.total, rel=1e-13)
        points = np.concatenate(
            [rng.choice(x, 200), x.min() - kde.std * np.arange(35), x.max() + kde.std * np.arange(35)]
        )
        assert np.abs(few.pdf(points) - direct.pdf(points)).max() < 1e-13 * direct.pdf(points).max()
        for upper in (False, True):
            assert np.abs(few.tail(points, upper=upper) - direct.tail(points, upper=upper)).max() < 1e-13
        np.testing.assert_allclose(few.logpdf(points), direct.logpdf(points), rtol=1e-11, atol=1e-11)
        mirrored = kde.reflect()
        assert mirrored.cdf(-points).tolist() == kde.sf(points).tolist()


@for_each(["normal", "two groups far apart"])
def test_sums_at_many_values_equal_those_at_few(name):
    """By interpolation over cells, and directly: tails and density, also between groups and beyond the centres."""
    rng = np.random.default_rng(13)
    x = rng.normal(size=400) if name == "normal" else np.concatenate([rng.normal(size=200), rng.normal(40, 1, 200)])
    normals = GaussianKde(x, bandwidth=0.3).components
    points = rng.uniform(x.min() - 8, x.max() + 8, 40_000)
    few = np.array_split(points, 10)
    for function in (normals.pdf, partial(normals.tail, upper=True), partial(normals.tail, upper=False)):
        direct = np.concatenate([function(part) for part in few])
        np.testing.assert_allclose(function(points), direct, rtol=2e-12)


def test_one_wild_value_hardly_changes_a_kernel_density():
    """The bandwidth takes the smaller of SD and IQR/1.34: a value multiplied by 1,000 moves the cdf by 3/n at most.

    The curve of ``family="kde"`` moves by less than 0.1, since the power of its transform and the shrinkage of the
    kernel means that preserves the variance change as well.
    """
    rng = np.random.default_rng(12)
    n, grid = 200, np.linspace(0, 1, 101)
    negative, positive = rng.gamma(4, 1, n), rng.gamma(5, 1.3, n)
    wild = positive.copy()
    wild[np.argmax(wild)] *= 1000
    y = np.repeat([0, 1], n)
    curves = [
        rp.predict_roc(np.concatenate([negative, part]), y, family="kde").tpr_at_fpr(grid) for part in (positive, wild)
    ]
    assert np.abs(curves[0] - curves[1]).max() < 0.1
    densities = [GaussianKde(part) for part in (positive, wild)]
    x = np.linspace(0, 30, 301)
    assert densities[1].std == pytest.approx(densities[0].std, rel=1e-12)
    assert np.abs(densities[0].cdf(x) - densities[1].cdf(x)).max() < 3 / n


def test_tails_a_value_does_not_depend_on_its_neighbours():
    kde = GaussianKde(np.random.default_rng(8).normal(size=2000), bandwidth=0.01)
    x = np.linspace(-4, 4, 101)
    for method in (kde.cdf, kde.sf, kde.pdf, kde.logpdf):
        assert method(x).tolist() == [method(value) for value in x]


@for_each([name for name in SUMS if name != "Gaussian"])
def test_tails_quantiles_reach_their_probability(name):
    """To 1e-13 of q, or as near as neighbouring floats come, down to 1e-300."""
    d = SUMS[name]
    far, inner = 10.0 ** -np.arange(1, 301, 13), np.linspace(0.001, 0.5, 200)
    q = np.concatenate([far, inner])
    for quantile, tail, outward in ((d.ppf, d.cdf, -1), (d.isf, d.sf, 1)):
        x = quantile(q)
        near = np.abs(tail(x) - q) <= 1e-13 * q
        floats = (tail(np.nextafter(x, outward * np.inf)) <= q) & (tail(np.nextafter(x, -outward * np.inf)) >= q)
        assert (near | floats).all()
        assert (np.diff(x[: len(far)]) * outward > 0).all()
    assert d.ppf([0, 1]).tolist() == [-np.inf, np.inf]
    assert d.isf([0, 1]).tolist() == [np.inf, -np.inf]
    np.testing.assert_allclose(d.isf(1 - inner), d.ppf(inner), rtol=1e-9)


def test_tails_a_quantile_in_a_gap_is_its_left_end():
    """Half of the rows lie 1,000 bandwidths from the others: the smallest x of all that reach 1/2."""
    d = GaussianMixture([1, 1], [0, 1000], 1)
    x = d.ppf(0.5)
    assert 7 < x < 9
    assert d.cdf(x) >= 0.5 > d.cdf(x - 1)


@for_each([0, 1e6], [1e-300, 1e-200, 1.0, 1e150, 1e300])
def test_tails_are_the_same_in_every_unit(offset, scale):
    """x -> scale (x + offset) moves values and quantiles, and no probability."""
    q = np.array([1e-9, 0.03, 0.5, 0.8, 1 - 1e-9])
    rtol = 1e-7 if offset else 1e-11
    for preserving in (False, True):
        plain = GaussianKde(SAMPLE, bandwidth="silverman", variance_preserving=preserving)
        moved = GaussianKde((SAMPLE + offset) * scale, variance_preserving=preserving)
        assert moved.std / scale == pytest.approx(plain.std, rel=rtol)
        np.testing.assert_allclose(moved.ppf(q) / scale - offset, plain.ppf(q), rtol=rtol)
        np.testing.assert_allclose(moved.cdf((plain.ppf(q) + offset) * scale), q, rtol=1e-7)
        higher = GaussianKde((SAMPLE + 1 + offset) * scale, variance_preserving=preserving)
        wanted = NormalSumSolver(plain, GaussianKde(SAMPLE + 1, variance_preserving=preserving)).auc()
        assert NormalSumSolver(moved, higher).auc() == pytest.approx(float(wanted), rel=rtol)
    mixture = GaussianMixture([0.3, 0.7], (np.array([1, 5]) + offset) * scale, np.array([1, 0.5]) * scale)
    np.testing.assert_allclose(mixture.isf(q) / scale - offset, SUMS["mixture"].isf(q), rtol=rtol)


def test_kde_rules_of_bandwidth():
    x = np.random.default_rng(9).gamma(2, size=40)
    std, quarters = x.std(ddof=1), np.subtract(*np.quantile(x, [0.75, 0.25]))
    assert GaussianKde(x).std == pytest.approx(0.9 * min(std, quarters / 1.34) * 40**-0.2, rel=1e-14)
    assert GaussianKde(x, bandwidth="scott").std == pytest.approx(1.06 * std * 40**-0.2, rel=1e-14)
    assert GaussianKde(x, bandwidth="cube-root").std == pytest.approx(std * 40 ** (-1 / 3), rel=1e-14)
    assert GaussianKde(x, bandwidth_factor=2).std == pytest.approx(2 * GaussianKde(x).std, rel=1e-15)
    assert GaussianKde(x, bandwidth=0.25).std == 0.25
    ties = [0.0] * 8 + [1.0, 5.0]
    assert GaussianKde(ties).std == pytest.approx(0.9 * np.std(ties, ddof=1) * 10**-0.2, rel=1e-14)


@for_each([None, [1, 2, 0.5, 3, 1, 1]], [1e-3, 0.2, 0.9, "silverman", "scott", "cube-root"])
def test_kde_variance_preserving_keeps_mean_and_variance(weights, bandwidth):
    """The whole has the mean of the sample and its variance with ddof=1, whatever the bandwidth."""
    fitted = Gaussian.fit(SAMPLE, weights=weights)
    for preserving in (False, True):
        kde = GaussianKde(SAMPLE, bandwidth=bandwidth, variance_preserving=preserving, weights=weights)
        w, c, _ = parts_of(kde.components)
        mean = w @ c / w.sum()
        variance = w @ (c - mean) ** 2 / w.sum() + kde.std**2
        total = w.sum()
        kept = fitted.std**2 if preserving else fitted.std**2 * (total - 1) / total + kde.std**2
        assert mean == pytest.approx(fitted.mean, rel=1e-14)
        assert variance == pytest.approx(kept, rel=1e-13)


def test_kde_a_wide_variance_preserving_kde_is_the_gaussian():
    fitted = Gaussian.fit(SAMPLE)
    kde = GaussianKde(SAMPLE, bandwidth=99, variance_preserving=True)
    assert (kde.std, kde.means.tolist()) == (pytest.approx(fitted.std, rel=1e-15), [pytest.approx(fitted.mean)])
    at = np.linspace(-5, 15, 41)
    np.testing.assert_allclose(kde.sf(at), fitted.sf(at), rtol=1e-12)
    nearly = GaussianKde(SAMPLE, bandwidth=fitted.std * (1 - 1e-9), variance_preserving=True)
    np.testing.assert_allclose(nearly.sf(at), fitted.sf(at), rtol=1e-6)


def test_kde_rows_may_come_in_any_order_and_as_weights():
    values, weights = [3.0, 1.0, 2.0, 7.0], [2, 3, 1, 0]
    rows = np.repeat(values, weights)
    for options in ({}, {"bandwidth": "cube-root"}, {"variance_preserving": True}):
        kde = GaussianKde(rows, **options)
        assert kde == GaussianKde(values, weights=weights, **options) == GaussianKde(rows[::-1], **options)
        assert hash(kde) == hash(GaussianKde(values, weights=weights, **options))
        assert kde != GaussianKde(rows + 1, **options)
    assert kde.means.shape == (3,)
    assert (np.diff(kde.means) > 0).all()
    assert repr(kde) == f"GaussianKde(6 observations, std={kde.std:.6g}, variance_preserving=True)"


def test_what_is_no_kernel_density_or_mixture():
    kernels = [
        ([], {}, r"sample has shape \(0,\)"),
        ([[1.0, 2.0]], {}, r"sample has shape \(1, 2\)"),
        ([3.0], {}, "all values of sample are equal to 3; a kernel density needs at least two"),
        ([3.0, 3.0, 3.0], {"bandwidth": 0.1}, "all values of sample are equal to 3"),
        ([1.0, np.inf], {}, "sample=.* contains infinite values"),
        ([1.0, np.nan], {}, "sample=.* contains NaN"),
        (SAMPLE, {"bandwidth": 0}, "bandwidth=0 is not a finite number above 0 or a rule: silverman"),
        (SAMPLE, {"bandwidth": np.inf}, "bandwidth=inf is not a finite number above 0"),
        (SAMPLE, {"bandwidth": [1, 2]}, r"bandwidth=\[1, 2\] is not a finite number"),
        (SAMPLE, {"bandwidth": None}, "bandwidth=None is not a real number"),
        (SAMPLE, {"bandwidth": "wide"}, "bandwidth='wide' is not allowed; choose one of 'silverman'"),
        (SAMPLE, {"bandwidth_factor": -1}, "bandwidth_factor=-1 is not a finite number above 0"),
        (
            SAMPLE,
            {"bandwidth": 1, "bandwidth_factor": 2},
            "bandwidth_factor=2 requires a bandwidth rule .*, but bandwidth=1 is a number",
        ),
        (SAMPLE, {"variance_preserving": "yes"}, "variance_preserving='yes' is not allowed"),
        (SAMPLE, {"weights": [1, 2]}, r"weights has shape \(2,\) but sample has shape \(6,\)"),
        ([1.0, 2.0], {"weights": [1, 0]}, "all values of sample are equal to 1"),
        ([1.0, 2.0], {"weights": [0.3, 0.4]}, "the weights sum to 0.7; a standard deviation needs a sum above 1"),
    ]
    check_refusals([(partial(GaussianKde, **options), (sample,), words) for sample, options, words in kernels])
    mixtures = [
        ([1, 1], [0, 1], [1, 0], r"stds=\[1.0, 0.0\] contains 0; every component needs a value above 0"),
        ([1, 1], [0, 1], -1, "stds=-1 is negative"),
        ([1, 0], [0, 1], 1, r"weights=\[1.0, 0.0\] contains 0"),
        ([1, -1], [0, 1], 1, "weights=.* is negative"),
        ([1, 1], [0, np.inf], 1, "means=.* contains infinite values"),
        ([1, 1, 1], [0, 1], 1, r"weights has shape \(3,\) but means has shape \(2,\)"),
        ([1, 1], [0, 1], [1, 2, 3], "shapes cannot be broadcast"),
        ([], [], [], r"weights has shape \(0,\)"),
        (1, 2, 3, r"weights has shape \(\) but means has shape \(\)"),
        ([1], [2], [1, 2], r"stds has shape \(2,\); pass one number for each of the 1 components"),
    ]
    check_refusals([(GaussianMixture, arguments, words) for *arguments, words in mixtures])
    fits = [
        ([], None, "x has fewer than two distinct values; a mixture needs at least two"),
        ([2.0, 2.0], None, "x has fewer than two distinct values"),
        ([1.0, np.inf], None, "x=.* contains infinite values"),
        (np.ones((2, 2)), None, r"x has shape \(2, 2\); pass one feature"),
        ([1.0, 2.0], 3, "components=3 is not between 1 and 2, the number of distinct values in x"),
        ([1.0, 2.0], 0, "components=0 is not between 1 and 2"),
        ([1.0, 2.0], 1.5, "components=1.5 is not an integer"),
    ]
    check_refusals([(partial(GaussianMixture.fit, n_components=k), (x,), words) for x, k, words in fits])


def test_mixture_is_the_sum_of_its_parts():
    d = GaussianMixture([1, 3], [1, 5], [1, 0.5])
    x = np.linspace(-3, 9, 50)
    for method in ("pdf", "cdf", "sf"):
        parts = [getattr(Gaussian(m, s), method)(x) for m, s in ((1, 1), (5, 0.5))]
        np.testing.assert_allclose(getattr(d, method)(x), 0.25 * parts[0] + 0.75 * parts[1], rtol=1e-13)
    assert d.weights.tolist() == [0.25, 0.75]
    assert d == GaussianMixture([3, 1], [5, 1], [0.5, 1])
    assert d != GaussianMixture([1, 3], [1, 5], [1, 0.6])
    assert d != GaussianKde([1.0, 5.0])
    assert repr(GaussianMixture(np.ones(9), np.arange(9), 1)) == "GaussianMixture(9 components)"


def two_groups(rng, n):
    return np.where(rng.random(n) < 0.3, rng.normal(-1, 0.5, n), rng.normal(3, 1, n))


def test_a_mixture_is_continued_if_it_can_reach_the_likelihood_that_is_needed():
    """It gains more than 1/300 of what is missing in a step; a likelihood that no step approaches ends it at once."""
    rng = np.random.default_rng(11)
    points, counts = np.unique(two_groups(rng, 200), return_counts=True)
    counts, floor = counts.astype(float), min_std(200)
    start = initial_parameters(points, counts, 2, rng, floor)
    best = _run_em(points, counts, start, floor, 300).log_likelihood
    first = em_step(points, counts, em_step(points, counts, start, floor), floor).log_likelihood
    reached = _run_em(points, counts, start, floor, 300, needed=best - 0.01 * (best - first))
    np.testing.assert_array_equal(reached.log_likelihood, best)
    np.testing.assert_array_equal(_run_em(points, counts, start, floor, 300, needed=1e9).log_likelihood, first)


def test_fit_the_likelihood_never_falls():
    """From every start, also where ties draw a component down to the least width."""
    rng = np.random.default_rng(12)
    ties = np.concatenate([np.zeros(60), rng.gamma(2, size=90)])
    for x in (two_groups(rng, 200), ties):
        points, counts = np.unique((x - x.mean()) / x.std(), return_counts=True)
        floor = min_std(len(x))
        fits = initial_parameters(points, counts.astype(float), 3, rng, floor)
        trace = []
        for _ in range(60):
            fits = em_step(points, counts.astype(float), fits, floor)
            trace.append(fits.log_likelihood)
        assert (np.diff(trace, axis=0) >= -1e-9).all()
        assert np.ptp(trace) > 1
        assert (fits.stds >= floor).all()
    assert (fits.stds == floor).any()


@pytest.mark.extra("sklearn")
def test_fit_is_as_likely_as_a_peer_finds_it():
    """scikit-learn's EM comes no higher than 0.01 in the whole log-likelihood."""
    from sklearn.mixture import GaussianMixture as PeerMixture

    x = two_groups(np.random.default_rng(13), 300)
    peer = PeerMixture(2, tol=1e-7, max_iter=1000, n_init=2, random_state=0).fit(x[:, None])
    ours = GaussianMixture.fit(x, n_components=2)
    assert ours.logpdf(x).sum() >= peer.score(x[:, None]) * len(x) - 0.01


def test_fit_bic_tells_one_group_from_two():
    """60 rows: it errs in 3 samples of 100; of 12 samples more than 4 err in fewer than one run in 10,000."""
    rng = np.random.default_rng(14)
    ones = [len(GaussianMixture.fit(rng.normal(size=60)).weights) for _ in range(12)]
    twos = [len(GaussianMixture.fit(two_groups(rng, 60) * 7).weights) for _ in range(12)]
    assert ones.count(1) >= 8
    assert twos.count(2) >= 8


def test_fit_is_the_same_in_every_unit_and_for_a_seed():
    x = two_groups(np.random.default_rng(15), 150)
    fitted = GaussianMixture.fit(x)
    assert fitted == GaussianMixture.fit(x, rng=0) == GaussianMixture.fit(x[::-1])
    for scale, offset in ((1e-300, 0), (1e300, 0), (4.0, 1e5)):
        moved = GaussianMixture.fit(scale * x + offset)
        np.testing.assert_allclose(moved.weights, fitted.weights, rtol=1e-6)
        np.testing.assert_allclose((moved.means - offset) / scale, fitted.means, rtol=1e-6)
        np.testing.assert_allclose(moved.stds / scale, fitted.stds, rtol=1e-6)


def test_fit_one_component_is_the_gaussian():
    fitted = GaussianMixture.fit(SAMPLE, n_components=1)
    gaussian = Gaussian.fit(SAMPLE, ddof=0)
    assert fitted.means[0] == pytest.approx(gaussian.mean, rel=1e-14)
    assert fitted.stds[0] == pytest.approx(gaussian.std, rel=1e-13)


def test_fit_large_samples_and_large_ties_are_fitted_too():
    """A fit that begins on groups of rows ends on the rows; a tie of nearly all rows leaves few groups."""
    rng = np.random.default_rng(16)
    x = two_groups(rng, 5000)
    fitted = GaussianMixture.fit(x, n_components=2)
    share, mean, std = (np.asarray(part) for part in (fitted.weights, fitted.means, fitted.stds))
    duty = share * stats.norm.pdf(x[:, None], mean, std) / np.asarray(fitted.pdf(x))[:, None]
    np.testing.assert_allclose(duty.mean(axis=0), share, rtol=1e-3)  # where expectation and maximization rest
    np.testing.assert_allclose((duty * x[:, None]).sum(axis=0) / duty.sum(axis=0), mean, rtol=1e-3)
    zeros = GaussianMixture.fit(np.concatenate([np.zeros(400_000), np.arange(1, 1200)]), n_components=2)
    assert zeros.weights.max() > 0.99


def drawn_mixtures(n_resamples=8, scale=1.0):
    """Return resamples of two classes with two groups each, the samples, and the batches of their mixtures."""
    rng = np.random.default_rng(16)
    samples = [scale * two_groups(rng, 90), scale * (two_groups(rng, 80) + 1)]
    resamples = [part[rng.integers(0, len(part), (n_resamples, len(part)))] for part in samples]
    return resamples, samples, [fit_resamples(*parts) for parts in zip(resamples, samples, strict=True)]


def test_a_batch_of_mixtures_equals_single_fits():
    """Each resample by itself, in another unit, and by ``fit``, whose random starts find another optimum for a few."""
    resamples, samples, batches = drawn_mixtures()
    scaled, n_equal = drawn_mixtures(scale=7.0)[2], 0
    for values, sample, batch, other in zip(resamples, samples, batches, scaled, strict=True):
        np.testing.assert_allclose(other.means, 7 * batch.means, rtol=1e-8, atol=1e-8)
        for index, row in enumerate(values):
            alone = fit_resamples(row[None], sample)
            for name in ("weights", "means", "stds"):
                np.testing.assert_allclose(getattr(alone, name)[0], getattr(batch, name)[index], rtol=1e-8, atol=1e-8)
            fitted, peer = GaussianMixture(*batch.components(index)), GaussianMixture.fit(row)
            likelihoods = [d.logpdf(row).sum() for d in (fitted, peer)]
            n_equal += len(fitted.weights) == len(peer.weights) and likelihoods[0] == pytest.approx(
                likelihoods[1], rel=1e-8
            )
    assert n_equal >= 12  # of 16


QUANTITIES = OF_A_BATCH | {"1 - auc": lambda solver: solver.auc_complement()}


@for_each(list(QUANTITIES))
def test_a_batch_of_mixtures_has_the_curves_of_its_mixtures(name):
    batches = drawn_mixtures()[2]
    pairs = [[GaussianMixture(*batch.components(index)) for batch in batches] for index in range(8)]
    expected = [float(QUANTITIES[name](NormalSumSolver(*pair))) for pair in pairs]
    np.testing.assert_allclose(QUANTITIES[name](solver_for(*batches)), expected, rtol=1e-10, atol=1e-14)


def test_of_two_equally_good_thresholds_a_batch_takes_the_one_that_each_pair_takes():
    """Classes that mirror each other: rounding alone orders the two losses, differently in each of 100 places."""
    places = np.linspace(-3, 3, 100)[:, None]
    halves, ones = np.full((100, 2), 0.5), np.ones((100, 2))
    negative, positive = (NormalSumBatch(halves, places + means, ones) for means in ([0.0, 4.0], [2.0, 6.0]))
    first = [GaussianMixture(*d.components(0)) for d in (negative, positive)]
    expected = places[:, 0] - places[0] + NormalSumSolver(*first).optimal_ameans().threshold
    np.testing.assert_allclose(solver_for(negative, positive).optimal_ameans().threshold, expected, rtol=0, atol=1e-9)


def test_resamples_with_few_distinct_values_have_as_many_components_at_most():
    sample = np.array([1.0, 2, 2, 5, 9])
    values = np.array([[1.0, 1, 1, 1, 9], [2, 2, 2, 5, 9]])
    assert (np.count_nonzero(fit_resamples(values, sample).weights, axis=1) <= [2, 3]).all()
    pair = get_fitter("mixture")(np.vstack([values, np.full(5, 2.0)]), np.vstack([values, values[:1]]), sample, sample)
    assert [d.shape for d in pair] == [(2,), (2,)]


def test_many_components_of_different_widths_are_all_summed():
    """More components than a window of kernels of one width has."""
    rng = np.random.default_rng(0)
    weights, means, stds = rng.dirichlet(np.ones(600)), rng.normal(size=600), rng.uniform(0.1, 2, 600)
    x = np.linspace(-4, 4, 9)
    expected = weights @ stats.norm(means[:, None], stds[:, None]).cdf(x)
    np.testing.assert_allclose(GaussianMixture(weights, means, stds).cdf(x), expected, rtol=1e-12)
