"""Tests that every class distribution has to pass, and tests of single distributions."""

import itertools
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import mpmath
import numpy as np
import pytest
from scipy import integrate, stats

from rocpredict import Ecdf, Gaussian, PredictedRoc
from rocpredict.distributions.base import Distribution
from rocpredict.distributions.families import ScipyDistribution, check_distribution, fit_family, from_moments
from rocpredict.distributions.histogram import Histogram
from rocpredict.distributions.mixture import GaussianMixture
from rocpredict.distributions.normal_sum import GaussianKde
from rocpredict.distributions.power_transform import PowerTransform, Transformed
from rocpredict.distributions.shrinkage import fit_shrinkage
from tests.cases import for_each, refuses

EPS, LARGEST = np.finfo(float).eps, np.finfo(float).max
FOLDED = PowerTransform("yeo-johnson", 1.7, 0.5, 2.0, -2.0, 1.5)
PLAIN = {
    "Gaussian": Gaussian(4, 3),
    "point mass": Gaussian(4, 0),
    "Ecdf": Ecdf([3, -1, 2, 2, 7.5, 2]),
    "Ecdf of one value": Ecdf([2.0]),
    "weighted Ecdf": Ecdf([3, -1, 2, 2, 9], weights=[0.5, 2, 1.25, 3, 0]),
    "Ecdf with infinities": Ecdf([-np.inf, 0, 1, np.inf]),
    "norm": ScipyDistribution(stats.norm(1, 2)),
    "gamma": ScipyDistribution(stats.gamma(2.5, scale=2)),
    "beta": ScipyDistribution(stats.beta(2, 3)),
    "expon": ScipyDistribution(stats.expon(loc=-1)),
    "t": ScipyDistribution(stats.t(3)),
    "uniform": ScipyDistribution(stats.uniform(-1, 3)),
    "poisson": ScipyDistribution(stats.poisson(3.5)),
    "binom": ScipyDistribution(stats.binom(10, 0.3)),
    "kde": GaussianKde([3.1, 4.0, 4.2, 5.9, 7.3, 4.0]),
    "narrow kde": GaussianKde([-1, 0.2, 0.5, 3], bandwidth="cube-root", bandwidth_factor=0.5, weights=[1, 0.5, 3, 2]),
    "variance-preserving kde": GaussianKde([3.1, 4.0, 4.2, 5.9, 7.3], bandwidth="scott", variance_preserving=True),
    "kde in windows": GaussianKde(stats.norm.ppf((np.arange(600) + 0.5) / 600), bandwidth=0.02),
    "kde of 1e-200": GaussianKde([3.1e-200, 4.0e-200, 4.2e-200, 5.9e-200]),
    "mixture": GaussianMixture([0.3, 0.7], [-1, 2], [1, 0.5]),
    "mixture of narrow and wide": GaussianMixture([0.1, 0.2, 0.7], [-4, 9, 3], [0.01, 0.02, 2]),
    "gamma family": from_moments("gamma", 4, 3),
    "lognormal family": from_moments("lognormal", 4, 3),
    "weibull family": from_moments("weibull", 4, 3),
    "exponential family": from_moments("exponential", 2.5),
    "logistic family": from_moments("logistic", 1, 2),
    "laplace family": from_moments("laplace", -1, 2),
    "beta family": from_moments("beta", 0.3, 0.2),
    "student_t family": fit_family("student_t", stats.t.ppf((np.arange(80) + 0.5) / 80, 3, 1, 2), "positive"),
    "skew_normal family": fit_family("skew_normal", stats.skewnorm.ppf((np.arange(80) + 0.5) / 80, 2), "positive"),
    "histogram": Histogram([-2, -1, 0, 1.5, 4], [1, 30, 68, 1]),
    "histogram of one bin": Histogram([1, 4], [2.5]),
    "histogram with empty ends": Histogram([-3, 0, 2.5, 7], [0, 0.3, 0]),
    "box-cox -3": Transformed(Gaussian(-0.1, 0.25), PowerTransform("box-cox", -3.0, 0.0, 2.0, -0.5, 0.6)),
    "box-cox 0": Transformed(Gaussian(0.3, 0.5), PowerTransform("box-cox", 0.0, 0.0, 2.0, -1.0, 1.5)),
    "box-cox 0.5": Transformed(Gaussian(0.2, 0.7), PowerTransform("box-cox", 0.5, 0.0, 2.0, -1.0, 1.5)),
    "box-cox 1": Transformed(Gaussian(0.2, 0.7), PowerTransform("box-cox", 1.0, 0.0, 2.0, -1.0, 1.5)),
    "box-cox 4": Transformed(Gaussian(0.2, 0.6), PowerTransform("box-cox", 4.0, 0.0, 2.0, -0.5, 0.6)),
    "yeo-johnson 1.7": Transformed(Gaussian(-0.3, 1.1), FOLDED),
    "yeo-johnson -3": Transformed(Gaussian(-0.1, 0.07), PowerTransform("yeo-johnson", -3.0, 0.0, 3.0, -0.4, 0.6)),
    "yeo-johnson 0": Transformed(Gaussian(-0.4, 0.9), PowerTransform("yeo-johnson", 0.0, -1.0, 1.0, -1.0, 2.0)),
    "transformed kde": Transformed(GaussianKde([-0.3, 0.2, 0.4, 1.3]), FOLDED),
    "shrunk": fit_shrinkage(np.array([3, -1, 2, 2, 7.5, 2]), np.array([4.0, 3, 8, 2]), None)[0],
    "shrunk, declared lower": fit_shrinkage(np.array([3, -1, 2, 2, 7.5, 2]), np.array([-4.0, 3, 1]), "lower")[1],
}
REGISTRY = PLAIN | {f"reflected {name}": d.reflect() for name, d in PLAIN.items()}
METHODS = ("pdf", "logpdf", "cdf", "sf", "cdf_strict", "sf_inclusive", "ppf", "isf")
Q = np.concatenate([[1e-12, 1e-6], np.linspace(0.001, 0.999, 333), [1 - 1e-6]])


@cache
def points_of(name):
    """Return quantiles, atoms, their neighbouring floats, and the ends of the axis, ascending."""
    d = REGISTRY[name]
    inner = np.concatenate([d.ppf(Q), d.isf(Q), d.atoms().points])
    around = [np.nextafter(inner, -np.inf), inner, np.nextafter(inner, np.inf)]
    return np.unique(np.concatenate([*around, [-np.inf, -LARGEST, -1e300, 0.0, 1e300, LARGEST, np.inf]]))


@for_each(REGISTRY)
def test_shapes_and_the_protocol(d):
    assert isinstance(d, Distribution)
    assert check_distribution("negative", d) is d
    assert d.shape == ()
    assert repr(d)
    for method in (getattr(d, name) for name in METHODS):
        assert isinstance(method(0.5), float)
        for shape in [(0,), (1,), (3,), (2, 3)]:
            assert np.shape(method(np.full(shape, 0.5))) == shape
        values = np.array([0.5, 1.0, 0.1])
        assert method(values)[0] == method(0.5)
        assert values.tolist() == [0.5, 1, 0.1]


@for_each(REGISTRY.items())
def test_tails_are_monotone_and_sum_to_1(name, d):
    x, slack = points_of(name), 64 * EPS  # scipy's special functions are monotone up to their rounding only
    for rising, falling in ((d.cdf(x), d.sf(x)), (d.cdf_strict(x), d.sf_inclusive(x))):
        assert (np.diff(rising) >= -slack * rising[1:]).all()
        assert (np.diff(falling) <= slack * falling[:-1]).all()
        assert ((rising >= 0) & (rising <= 1) & (falling >= 0) & (falling <= 1)).all()
        np.testing.assert_allclose(rising + falling, 1, rtol=8 * EPS)
    assert d.cdf(np.inf) == d.sf_inclusive(-np.inf) == 1
    assert d.cdf_strict(-np.inf) == d.sf(np.inf) == 0


@for_each(REGISTRY.items())
def test_strict_and_weak_tails_differ_by_the_atom(name, d):
    atoms, masses = d.atoms()
    assert (np.diff(atoms) > 0).all()
    assert (masses > 0).all()
    np.testing.assert_allclose(d.cdf(atoms) - d.cdf_strict(atoms), masses, rtol=0, atol=16 * EPS)
    np.testing.assert_allclose(d.sf_inclusive(atoms) - d.sf(atoms), masses, rtol=0, atol=16 * EPS)
    elsewhere = np.setdiff1d(points_of(name), atoms)
    assert np.array_equal(d.cdf(elsewhere), d.cdf_strict(elsewhere))
    assert np.array_equal(d.sf(elsewhere), d.sf_inclusive(elsewhere))


@for_each(REGISTRY)
def test_quantiles_are_the_smallest_values_that_reach_their_tail(d):
    """scipy inverts some families to about 1e-11."""
    for x, tail, reaches in ((d.ppf(Q), d.cdf, np.greater_equal), (d.isf(Q), d.sf, np.less_equal)):
        sign = 1 if reaches is np.greater_equal else -1
        assert reaches(tail(x), Q * (1 - sign * 1e-10) - sign * 4 * EPS).all()
        finite, q = x[np.isfinite(x)], Q[np.isfinite(x)]
        below = tail(finite - 1e-9 * np.maximum(np.abs(finite), 1))
        assert reaches(q * (1 + sign * 1e-10), below).all()
    x = np.asarray(d.ppf(Q[2:-1]))
    there_and_back = np.asarray(d.ppf(np.minimum(d.cdf(x) * (1 - 1e-13), 1)))
    finite = np.isfinite(x)
    np.testing.assert_allclose(there_and_back[finite], x[finite], rtol=1e-9, atol=1e-9)


@for_each(REGISTRY.items())
def test_the_density_is_the_slope_of_the_cdf_and_holds_all_probability(name, d):
    density, level = d.pdf(points_of(name)), d.logpdf(points_of(name))
    inner = density > 1e-300
    np.testing.assert_allclose(level[inner], np.log(density[inner]), rtol=1e-13, atol=1e-13)
    assert (level[density == 0] < -700).all()
    whole = d.atoms().masses.sum()
    if whole < 1 - 1e-9:
        tails = np.array([0, 1e-14, 1e-10, 1e-6, 1e-4, 0.01, 0.5])
        edges = np.unique(np.concatenate([d.ppf(tails), d.isf(tails), d.atoms().points]))
        whole += sum(integrate.quad(d.pdf, *ends, epsabs=1e-12)[0] for ends in itertools.pairwise(edges))
    assert whole == pytest.approx(1, abs=1e-9)
    x = np.asarray(d.ppf(np.linspace(0.05, 0.95, 19)))
    x = np.setdiff1d(x[np.isfinite(x)], d.atoms().points)
    h = 1e-5 * min(1.0, d.ppf(0.75) - d.ppf(0.25) or 1.0)
    np.testing.assert_allclose((d.cdf(x + h) - d.cdf(x - h)) / (2 * h), d.pdf(x), rtol=1e-4, atol=1e-7)


@for_each(REGISTRY.items())
def test_reflecting_exchanges_the_tails_and_twice_changes_nothing(name, d):
    x, mirror, twice = points_of(name), d.reflect(), d.reflect().reflect()
    assert np.array_equal(mirror.sf(-x), d.cdf_strict(x))
    assert np.array_equal(mirror.cdf(-x), d.sf_inclusive(x))
    assert np.array_equal(mirror.sf_inclusive(-x), d.cdf(x))
    assert np.array_equal(mirror.cdf_strict(-x), d.sf(x))
    assert np.array_equal(mirror.pdf(-x), d.pdf(x))
    assert np.array_equal(mirror.atoms().points, -d.atoms().points[::-1])
    assert np.array_equal(mirror.atoms().masses, d.atoms().masses[::-1])
    assert twice == d != "a distribution"
    assert hash(twice) == hash(d)
    assert np.array_equal(twice.cdf(x), d.cdf(x))


def test_only_the_point_mass_of_one_value_equals_another():
    equal = {frozenset(pair) for pair in itertools.combinations(REGISTRY, 2) if REGISTRY[pair[0]] == REGISTRY[pair[1]]}
    assert equal <= {frozenset({"Ecdf of one value", name}) for name in REGISTRY}


EACH_CLASS = {type(d).__name__: d for d in REGISTRY.values()}


@for_each(EACH_CLASS)
def test_nan_text_and_quantiles_outside_0_to_1_are_refused(d):
    for name in METHODS:
        assert getattr(type(d), name) is getattr(Distribution, name)  # no class repeats the public methods
        method, argument = getattr(d, name), "q" if name in {"ppf", "isf"} else "x"
        for bad in (np.nan, [0.5, np.nan], "a", None, 1j):
            refuses(rf"{argument}=.*(NaN|real number)", method, bad)
        for bad in (-1e-9, 1 + 1e-9, 50) if argument == "q" else ():
            refuses(r"q=.* is outside \[0, 1\]", method, bad)


@dataclass(frozen=True)
class Rayleigh(Distribution):
    """A distribution with the five methods that it must have."""

    scale: float

    def _cdf(self, x):
        return -np.expm1(-((np.maximum(x, 0) / self.scale) ** 2) / 2)

    def _sf(self, x):
        return np.exp(-((np.maximum(x, 0) / self.scale) ** 2) / 2)

    def _logpdf(self, x):
        with np.errstate(divide="ignore", invalid="ignore"):
            level = np.log(np.maximum(x, 0)) - 2 * np.log(self.scale) - (x / self.scale) ** 2 / 2
        return np.where(np.isinf(x), -np.inf, level)

    def _ppf(self, q):
        with np.errstate(divide="ignore"):
            return self.scale * np.sqrt(-2 * np.log1p(-q))

    def _isf(self, q):
        with np.errstate(divide="ignore"):
            return self.scale * np.sqrt(-2 * np.log(q))


@for_each([None, "higher", "lower"])
def test_five_methods_make_a_class_distribution(direction):
    ours = PredictedRoc(Rayleigh(1.0), Rayleigh(2.0), direction=direction)
    scipys = PredictedRoc(stats.rayleigh(scale=1), stats.rayleigh(scale=2), direction=direction)
    assert ours.auc() == pytest.approx(0.2 if direction == "lower" else 0.8, rel=1e-12)
    rates = np.array([1e-9, 0.01, 0.3, 0.9])
    np.testing.assert_allclose(ours.tpr_at_fpr(rates), scipys.tpr_at_fpr(rates), rtol=1e-12)
    assert ours.partial_auc(fpr=(0.0, 0.2)) == pytest.approx(scipys.partial_auc(fpr=(0.0, 0.2)), rel=1e-11)
    best, wanted = ours.best_threshold(), scipys.best_threshold()
    assert (best.tpr, best.fpr) == pytest.approx((wanted.tpr, wanted.fpr), rel=1e-12)
    assert ours.proper().auc() == pytest.approx(scipys.proper().auc(), rel=1e-9)


def test_defaults_of_the_base_class():
    d, x = Rayleigh(2.0), np.array([0.5, 1.0, 3.0])
    assert np.array_equal(d.pdf(x), np.exp(d.logpdf(x)))
    assert np.array_equal(d.cdf_strict(x), d.cdf(x))
    assert np.array_equal(d.sf_inclusive(x), d.sf(x))
    assert d.shape == ()
    assert not d.atoms().points.size
    assert np.array_equal(d.reflect().cdf(-x), d.sf(x))
    assert d.reflect().reflect() is d
    assert d.reflect() == Rayleigh(2.0).reflect() != Rayleigh(1.0).reflect()
    with pytest.raises(TypeError, match="abstract"):
        Distribution()


def test_far_tails_keep_their_digits():
    with mpmath.workdps(40):
        wanted = float(mpmath.ncdf(-37))
    d = Gaussian(10, 2)
    assert d.sf(10 + 2 * 37) == d.sf_inclusive(84) == d.cdf(10 - 2 * 37) == pytest.approx(wanted, rel=1e-13)
    assert ScipyDistribution(stats.norm(10, 2)).reflect().cdf(-84) == pytest.approx(wanted, rel=1e-13)
    assert d.logpdf(10 + 2 * 1e10) == pytest.approx(-0.5e20, rel=1e-12)
    assert d.isf(1e-300) == pytest.approx(10 + 2 * 37.0471, rel=1e-5)


def test_a_batch_of_gaussians_equals_each_alone():
    mean, std = np.array([[0.0], [1e12]]), np.array([1.0, 0.0, 1e-3])
    batch = Gaussian(mean, std)
    assert batch.shape == (2, 3)
    x = mean + 0.5
    for name in METHODS:
        argument = 0.3 if name in {"ppf", "isf"} else x
        results = getattr(batch, name)(argument)
        for i, j in np.ndindex(2, 3):
            alone = getattr(Gaussian(mean[i, 0], std[j]), name)(0.3 if name in {"ppf", "isf"} else x[i, 0])
            assert results[i, j] == alone
    assert batch == Gaussian(np.broadcast_to(mean, (2, 3)), std)
    assert hash(batch) == hash(Gaussian(np.broadcast_to(mean, (2, 3)), std))
    assert batch != Gaussian(0, 1)
    for name in METHODS:
        refuses("shapes cannot be broadcast", getattr(batch, name), np.full(4, 0.5))
    refuses(r"a batch of Gaussians of shape \(2, 3\)", batch.atoms)


def exact_moments(sample, ddof):
    """Mean and standard deviation by exact fractions, rounded once at the end."""
    values = [Fraction(float(value)) for value in sample]
    mean = sum(values) / len(values)
    variance = sum((value - mean) ** 2 for value in values) / (len(values) - ddof)
    with mpmath.workdps(50):
        return float(mean), float(mpmath.sqrt(mpmath.mpf(variance.numerator) / mpmath.mpf(variance.denominator)))


@for_each(itertools.product([1e-300, 1e-8, 1.0, 1e8, 1e290], [0.0, 1e6, 1e12], [0, 1]))
def test_fit_gives_the_moments_to_rounding(scale, offset, ddof):
    sample = (np.random.default_rng(1).normal(size=51) + offset) * scale
    fitted = Gaussian.fit(sample, ddof=ddof)
    mean, std = exact_moments(sample, ddof)
    assert fitted.mean == pytest.approx(mean, rel=0, abs=2 * EPS * np.abs(sample).max())
    assert fitted.std == pytest.approx(std, rel=1e-14)


def test_fit_of_columns_of_float32_and_of_constants():
    sample = np.random.default_rng(2).normal(size=(40, 3)).astype(np.float32)
    sample[:, 1] = 0.1
    fitted = Gaussian.fit(sample)
    assert fitted.shape == (3,)
    for column in (0, 2):
        mean, std = exact_moments(sample[:, column], 1)
        assert fitted.mean[column] == pytest.approx(mean, rel=1e-14)
        assert fitted.std[column] == pytest.approx(std, rel=1e-14)
    assert (fitted.mean[1], fitted.std[1]) == (float(np.float32(0.1)), 0)
    assert Gaussian.fit([0.1] * 7) == Gaussian(0.1, 0)
    assert Gaussian.fit([3.0], ddof=0) == Gaussian(3, 0)


@for_each(
    [
        ([], 1, "x has a sample size of 0, but a standard deviation with ddof=1 needs a sample size above 1"),
        ([1.0], 1, "x has a sample size of 1"),
        ([1.0, np.nan], 1, "x=.* contains NaN"),
        ([1.0, np.inf], 1, "x=.* contains infinite values"),
        (3.0, 1, r"x has shape \(\)"),
        (np.ones((2, 2, 2)), 1, r"x has shape \(2, 2, 2\)"),
        ([1.0, 2.0, 3.0], 2, "ddof=2 is not allowed; choose one of 0, 1"),
        ([1.0, 2.0], "a", "ddof='a' is not an integer"),
    ]
)
def test_fit_refuses_samples_without_moments(sample, ddof, words):
    refuses(words, Gaussian.fit, sample, ddof=ddof)


def test_samples_with_weights_steps_and_signed_zeros():
    """Whole weights are repeated rows, zeros of both signs one value, and a step that is reached has its own value."""
    values, weights = [3, 1, 2, 1], [2, 3, 1, 0]
    assert Ecdf(values, weights=weights) == Ecdf(np.repeat(values, weights)) != Ecdf(values)
    assert hash(Ecdf(values, weights=weights)) == hash(Ecdf(np.repeat(values, weights)))
    d = Ecdf([1, 2, 3, 4])
    assert d.ppf([0, 0.25, 0.5, 0.51, 1]).tolist() == [1, 1, 2, 3, 4]
    assert d.isf([0, 0.25, 0.5, 0.51, 1]).tolist() == [4, 3, 2, 2, 1]
    d = Ecdf([-0.0, 0.0, 1.0])
    assert d.unique_values.tolist() == [0, 1]
    assert not np.signbit(d.unique_values).any()
    assert d == Ecdf([0.0, 0.0, 1.0])


@for_each(
    [
        (
            stats.norm([0, 1], 1),
            r"norm\(\[0, 1\], 1\) has parameters of shape \(2,\); pass one distribution per feature",
        ),
        (stats.norm(0, -1), r"norm\(0, -1\) has parameters outside its domain"),
        (stats.gamma(-2), r"gamma\(-2\) has parameters outside its domain"),
        (stats.poisson(-1), r"poisson\(-1\) has parameters outside its domain"),
    ]
)
def test_scipy_distributions_that_are_refused(frozen, words):
    refuses(words, lambda: PredictedRoc(negative=frozen, positive=Gaussian(0, 1)))
