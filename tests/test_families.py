"""Named families: the meaning of their parameters, maximum-likelihood fits, and fits of given moments."""

import itertools
import pickle

import mpmath
import numpy as np
import pytest
from scipy import integrate, special, stats

from rocpredict import Gaussian
from rocpredict.distributions.families import PARAMETRIC_FAMILIES, fit_family, freeze_family, from_moments
from rocpredict.distributions.skew_normal import QUICK_FAMILIES, SKEW_NORMAL
from tests.cases import check_refusals, for_each

TRUTH = {
    "gamma": (2.5, 0.0, 3.0),
    "lognormal": (0.6, 0.0, 4.0),
    "logistic": (3.0, 2.0),
    "laplace": (-1.0, 2.0),
    "exponential": (0.0, 5.0),
    "weibull": (1.6, 0.0, 2.0),
    "beta": (2.0, 5.0, 0.0, 1.0),
    "student_t": (4.0, 1.0, 2.0),
    "skew_normal": (3.0, 1.0, 2.0),
}
POSITIVE = ("gamma", "lognormal", "weibull")
DELTA = 3 / np.sqrt(10)
MEANINGS = {
    "gamma": (2.5 * 3, np.sqrt(2.5) * 3),
    "lognormal": (4 * np.exp(0.18), 4 * np.exp(0.18) * np.sqrt(np.expm1(0.36))),
    "logistic": (3, 2 * np.pi / np.sqrt(3)),
    "laplace": (-1, 2 * np.sqrt(2)),
    "exponential": (5, 5),
    "weibull": (
        2 * special.gamma(1 + 1 / 1.6),
        2 * np.sqrt(special.gamma(1 + 2 / 1.6) - special.gamma(1 + 1 / 1.6) ** 2),
    ),
    "beta": (2 / 7, np.sqrt(2 / 7 * 5 / 7 / 8)),
    "student_t": (1, 2 * np.sqrt(2)),
    "skew_normal": (1 + 2 * DELTA * np.sqrt(2 / np.pi), 2 * np.sqrt(1 - 2 * DELTA**2 / np.pi)),
}
SCIPY_FITS = {
    "gamma": (stats.gamma, {"floc": 0}),
    "lognormal": (stats.lognorm, {"floc": 0}),
    "logistic": (stats.logistic, {}),
    "laplace": (stats.laplace, {}),
    "exponential": (stats.expon, {"floc": 0}),
    "weibull": (stats.weibull_min, {"floc": 0}),
    "beta": (stats.beta, {"floc": 0, "fscale": 1}),
    "student_t": (stats.t, {}),
    "skew_normal": (stats.skewnorm, {}),
}


def even_sample(name, n=800):
    """Return the quantiles of a family at the middles of n equal intervals: a sample without randomness."""
    return np.asarray(freeze_family(name, *TRUTH[name]).ppf((np.arange(n) + 0.5) / n))


def parameters_of(fitted):
    shapes, loc, scale = fitted.frozen.dist._parse_args(*fitted.frozen.args, **fitted.frozen.kwds)
    return np.array([*shapes, loc, scale], dtype=float)


def moment(d, power, about=0.0):
    tails = 10.0 ** -np.arange(1, 17, 4)
    edges = np.unique(np.concatenate([d.ppf(np.array([0.0, 0.5, 1.0])), d.ppf(tails), d.isf(tails)]))
    pieces = itertools.pairwise(edges)
    return sum(integrate.quad(lambda x: (x - about) ** power * d.pdf(x), *ends, epsabs=1e-9)[0] for ends in pieces)


def log_likelihood(fitted, sample):
    return float(np.sum(fitted.logpdf(sample)))


def test_every_family_is_described_and_tested():
    assert list(PARAMETRIC_FAMILIES) == list(TRUTH) == list(MEANINGS)
    assert all("scale" in line or name == "beta" for name, line in PARAMETRIC_FAMILIES.items())


@for_each(list(PARAMETRIC_FAMILIES))
def test_parameters_give_the_mean_and_sd_in_the_table(name):
    """By quadrature of the density, against the formulas of the table, to 1e-6."""
    d = freeze_family(name, *TRUTH[name])
    mean, std = MEANINGS[name]
    assert moment(d, 0) == pytest.approx(1, abs=1e-9)
    assert moment(d, 1) == pytest.approx(mean, rel=1e-6)
    assert np.sqrt(moment(d, 2, mean)) == pytest.approx(std, rel=1e-6)


def test_parameters_give_the_other_properties_in_the_table():
    """Medians, shares below the scale, where each family begins and ends, and a skew to the right."""
    assert freeze_family("lognormal", *TRUTH["lognormal"]).cdf(4) == pytest.approx(0.5)
    assert freeze_family("weibull", *TRUTH["weibull"]).cdf(2) == pytest.approx(1 - np.exp(-1))
    for name in ("logistic", "laplace", "student_t"):
        assert freeze_family(name, *TRUTH[name]).cdf(TRUTH[name][-2]) == pytest.approx(0.5)
    d = freeze_family("laplace", *TRUTH["laplace"])
    away, _ = integrate.quad(lambda x: (x + 1) * d.pdf(x), -1, 100)
    assert 2 * away == pytest.approx(2)
    for name in (*POSITIVE, "exponential", "beta"):
        d = freeze_family(name, *TRUTH[name])
        assert d.cdf(0) == 0 < d.cdf(1e-3)
    assert freeze_family("beta", *TRUTH["beta"]).sf(1) == 0
    d = freeze_family("skew_normal", *TRUTH["skew_normal"])
    assert moment(d, 3, MEANINGS["skew_normal"][0]) > 0
    logs = np.log(freeze_family("lognormal", *TRUTH["lognormal"]).ppf([0.1, 0.9]))
    np.testing.assert_allclose(logs, Gaussian(np.log(4), 0.6).ppf([0.1, 0.9]))


@for_each(list(PARAMETRIC_FAMILIES), [12, 150])
def test_no_fit_of_scipy_is_more_likely(name, n):
    """To 1e-6 of the log-likelihood, on seeded samples; the skew normal where scipy's shape stays below 100."""
    family, fixed = SCIPY_FITS[name]
    sample = freeze_family(name, *TRUTH[name]).ppf(np.random.default_rng(n).uniform(size=n))
    fitted = fit_family(name, sample, "positive")
    with np.errstate(all="ignore"):
        theirs = family(*family.fit(sample, **fixed))
    ours = log_likelihood(fitted, sample)
    if name == "skew_normal" and abs(theirs.args[0]) > 100:
        assert parameters_of(fitted)[0] == 100
        assert ours >= theirs.logpdf(sample).sum() - 0.5
    else:
        assert ours >= theirs.logpdf(sample).sum() - 1e-6 * abs(ours)


@for_each(list(PARAMETRIC_FAMILIES))
def test_every_step_away_from_a_fit_is_less_likely(name):
    """Each free parameter moved by 1e-4 of a scale, either way, on a seeded sample of 60."""
    sample = freeze_family(name, *TRUTH[name]).ppf(np.random.default_rng(7).uniform(size=60))
    fitted = fit_family(name, sample, "positive")
    parameters, highest = parameters_of(fitted), log_likelihood(fitted, sample)
    fixed = {"gamma": [1], "lognormal": [1], "weibull": [1], "exponential": [0], "beta": [2, 3]}.get(name, [])
    for index in np.setdiff1d(np.arange(len(parameters)), fixed):
        for step in (-1e-4, 1e-4):
            moved = parameters.copy()
            moved[index] += step * max(abs(moved[index]), moved[-1])
            assert log_likelihood(freeze_family(name, *moved), sample) <= highest + 1e-9 * abs(highest)


@for_each([name for name in PARAMETRIC_FAMILIES if name != "beta"], [2.0**-990, 2.0**990])
def test_a_fit_follows_the_unit(name, unit):
    """Powers of 2 near 1e-298 and 1e298: shapes stay, location and scale follow."""
    sample = even_sample(name, 25)
    here, there = (parameters_of(fit_family(name, x, "negative")) for x in (sample, sample * unit))
    there[-2:] /= unit
    np.testing.assert_allclose(there, here, rtol=1e-7, atol=1e-7)


@for_each(["logistic", "laplace", "student_t", "skew_normal"])
def test_a_fit_follows_an_offset_of_a_million_sds(name):
    sample = np.round(even_sample(name, 25), 3)
    here, there = (parameters_of(fit_family(name, x, "negative")) for x in (sample, sample + 2.0**20))
    there[-2] -= 2.0**20
    np.testing.assert_allclose(there, here, rtol=1e-5, atol=1e-5)


@for_each(POSITIVE)
def test_nearly_equal_values_keep_their_sd(name):
    """At 1e6 +- 1, gamma, lognormal and Weibull have the standard deviation of the sample, to a share of 0.4."""
    sample = 1e6 + stats.norm.ppf((np.arange(500) + 0.5) / 500)
    fitted = fit_family(name, sample, "negative")
    middle = fitted.ppf(0.841344746) - fitted.ppf(0.158655254)
    assert middle == pytest.approx(2, rel=0.4 if name == "weibull" else 0.01)
    assert fitted.ppf(0.5) == pytest.approx(1e6, abs=0.4)


@for_each([1e-3, 0.5, 14.9, 15.1, 1e3, 1e8])
def test_the_shape_of_a_gamma_solves_its_equation(k):
    """log k - psi(k) = log(mean) - mean(log) to 1e-12 relative, by mpmath, for two values that ask for such a k."""
    from rocpredict.distributions.estimators import log_less_digamma

    with mpmath.workdps(40):
        wanted = mpmath.log(k) - mpmath.digamma(k)
        slope = 1 / mpmath.mpf(k) - mpmath.polygamma(1, k)
    assert log_less_digamma(k) == pytest.approx(float(wanted), rel=2e-13)
    assert log_less_digamma(k, slope=True) == pytest.approx(float(slope), rel=1e-11)


def test_a_student_t_without_tails_or_with_half_its_rows_tied_is_a_gaussian():
    """Thin tails: 1e6 degrees of freedom. Half of the rows tied: no top to climb, and the Gaussian stands in."""
    thin = np.linspace(-1, 1, 40)
    tied = [2.0] * 5 + [1.0, 3.0, 4.5, 0.0, 9.0]
    for sample in (thin, tied, [1.0, 2.0]):
        df, loc, scale = parameters_of(fit_family("student_t", sample, "negative"))
        by_moments = Gaussian.fit(sample, ddof=0)
        assert df == pytest.approx(1e6)
        assert (loc, scale) == pytest.approx((by_moments.mean, by_moments.std), abs=1e-5)
    assert parameters_of(fit_family("student_t", np.tan(np.linspace(-1.56, 1.56, 99)), "negative"))[0] >= 1
    assert parameters_of(fit_family("student_t", [*tied[1:], 7.0], "negative"))[0] < 1e6


def test_invalid_samples_and_moments_are_refused():
    below = r"'gamma' needs values above 0, but the positive class has 2 values \(of 4\) outside this range, such as 0"
    fits = [
        ("gama", [1, 2], "family='gama' is not allowed; choose one of 'gamma'"),
        ("gamma", [1, 0, -2, 3], below),
        (
            "weibull",
            [-1.0, 2],
            r"'weibull' needs values above 0, .* has 1 value \(of 2\) outside this range, .* a family on the real line",
        ),
        ("exponential", [-1.0, 2], r"'exponential' needs values of 0 or more, .* 1 value \(of 2\) outside this range"),
        (
            "beta",
            [0.5, 1, 1.5],
            r"values strictly between 0 and 1, .* 2 values \(of 3\) outside this .* map both classes into \(0, 1\)",
        ),
        ("logistic", [1.0], "the positive class has fewer than two values; family='logistic' needs at least two dis"),
        ("laplace", [], "the positive class has fewer than two values"),
        ("student_t", [3.0, 3.0], "all values of the positive class are equal; family='student_t'"),
        ("gamma", [1.0, np.nan], "the positive class=.* contains NaN"),
        ("gamma", [1.0, np.inf], "the positive class=.* contains infinite values"),
        ("gamma", [[1.0, 2.0]], r"the positive class has shape \(1, 2\)"),
    ]
    check_refusals([(fit_family, (name, sample, "positive"), pattern) for name, sample, pattern in fits])
    moments = [
        ("student_t", 1, 2, "'student_t' has three parameters, which mean and std alone do not determine; .* 'gamma'"),
        ("skew_normal", 1, 2, "three parameters"),
        ("normal", 1, 2, "family='normal' is not allowed"),
        ("gamma", -1, 2, "mean=-1 is outside the support of family='gamma', which contains only values above 0"),
        ("exponential", 0, None, "point mass"),
        ("exponential", 3, 2, "std=2 differs from mean=3, .* omit std, or use family='gamma'"),
        ("weibull", 3, None, "'weibull' needs both mean= and std="),
        ("laplace", 3, 0, "std=0 is not above 0"),
        ("lognormal", 3, [1, 2], r"std=\[1.0, 2.0\] has shape \(2,\); pass one number"),
        ("beta", 0.3, 0.5, "std=0.5 is too large for family='beta' with mean=0.3; it must be below 0.458258"),
        (
            *("beta", 1.3, 0.5),
            "mean=1.3 is outside the support of family='beta', which contains only values strictly between 0 and 1",
        ),
        ("gamma", np.nan, 1, "mean=nan contains NaN"),
    ]
    check_refusals([(from_moments, arguments, pattern) for *arguments, pattern in moments])


@for_each(
    ["gamma", "lognormal", "weibull", "logistic", "laplace"],
    [(4, 3), (1, 1e-3), (2, 50), (3e-200, 1e-200), (5e150, 7e150)],
)
def test_distributions_have_the_stated_moments(name, mean, std):
    parameters = [mpmath.mpf(float(p)) for p in parameters_of(from_moments(name, mean, std))]
    with mpmath.workdps(40):
        *shape, _, scale = parameters
        k = shape[0] if shape else None
        if name == "gamma":
            moments = k * scale, mpmath.sqrt(k) * scale
        elif name == "lognormal":
            moments = scale * mpmath.exp(k**2 / 2), scale * mpmath.exp(k**2 / 2) * mpmath.sqrt(mpmath.expm1(k**2))
        elif name == "weibull":
            first, second = mpmath.gamma(1 + 1 / k), mpmath.gamma(1 + 2 / k)
            moments = scale * first, scale * mpmath.sqrt(second - first**2)
        else:
            moments = parameters[0], scale * (mpmath.pi / mpmath.sqrt(3) if name == "logistic" else mpmath.sqrt(2))
    assert (float(moments[0]), float(moments[1])) == pytest.approx((mean, std), rel=1e-9, abs=0)


@for_each([(0.3, 0.1), (0.5, 0.499), (0.01, 1e-5)])
def test_a_beta_has_the_stated_moments(mean, std):
    a, b, *_ = parameters_of(from_moments("beta", mean, std))
    assert (a / (a + b), np.sqrt(a * b / (a + b + 1)) / (a + b)) == pytest.approx((mean, std), rel=1e-9)


def test_an_exponential_needs_its_mean_only():
    assert repr(from_moments("exponential", 3)) == repr(from_moments("exponential", 3, 3.000001)) == "expon(scale=3)"


def thin_tail(h, a):
    """P(X <= -h) of the skew normal with shape a > 0, by mpmath: an integral of positive terms."""
    h, a = mpmath.mpf(h), mpmath.mpf(a)
    if not h:
        return mpmath.atan(1 / a) / mpmath.pi
    scales = [s * mpmath.mpf(2) ** k for s in (h * a, h * mpmath.sqrt(1 + a * a)) for k in range(-3, 4)]
    points = sorted({mpmath.mpf(n) for n in (0, 1, 4, 12, 20)} | {s for s in scales if s < 20})

    def term(w):
        return mpmath.exp(-w * w / 2) * w / (mpmath.sqrt(h * h * a * a + w * w) * (h * h * (1 + a * a) + w * w))

    return mpmath.quad(term, points) * h / mpmath.pi * mpmath.exp(-h * h * (1 + a * a) / 2)


@for_each([0, 0.02, 0.7, 3, 12], [0.5, 3, 40])
def test_both_tails_of_a_skew_normal_keep_their_digits(h, a):
    """Against mpmath, to 1e-13 relative; the thin tail goes down to 1e-280."""
    with mpmath.workdps(20):
        thin = thin_tail(h, a)
        thick = 2 * mpmath.ncdf(-h) - thin
    d = freeze_family("skew_normal", a, 0, 1)
    if thin > 1e-280:
        assert d.cdf(-h) == pytest.approx(float(thin), rel=1e-13, abs=0)
        assert d.reflect().sf(h) == d.cdf(-h)
        assert SKEW_NORMAL(-a).sf(h) == pytest.approx(float(thin), rel=1e-13, abs=0)
    assert d.sf(h) == pytest.approx(float(thick), rel=1e-13)
    assert d.cdf(h) == pytest.approx(float(1 - thick), rel=1e-13)


@for_each([-20, -1, 0, 4])
def test_quantiles_of_a_skew_normal_return(a):
    d = freeze_family("skew_normal", a, 5, 2)
    q = np.concatenate([10.0 ** -np.arange(1, 290, 24), np.linspace(0.05, 0.95, 19)])
    np.testing.assert_allclose(SKEW_NORMAL.cdf(SKEW_NORMAL.ppf(q, a), a), q, rtol=2e-12)
    np.testing.assert_allclose(SKEW_NORMAL.sf(SKEW_NORMAL.isf(q, a), a), q, rtol=2e-12)
    assert d.ppf([0, 1]).tolist() == [-np.inf, np.inf]


def test_quick_families_of_batches_agree_with_the_accurate_ones():
    """Both tails to 1e-8, and quantiles to 1e-12."""
    rng = np.random.default_rng(0)
    beta, skew = (rng.uniform(0, 1, 5000), *rng.uniform(0.5, 30, (2, 5000))), rng.uniform(-8, 8, (2, 5000))
    p = rng.uniform(0.001, 0.999, 5000)
    for family, accurate, (x, *shapes) in (("beta", stats.beta, beta), ("skew_normal", SKEW_NORMAL, skew)):
        for tail in ("cdf", "sf"):
            quick, exact = (getattr(one, tail)(x, *shapes) for one in (QUICK_FAMILIES[family], accurate))
            np.testing.assert_allclose(quick, exact, rtol=1e-8, atol=1e-250)
        quick, exact = (one.ppf(p, *shapes) for one in (QUICK_FAMILIES[family], accurate))
        np.testing.assert_allclose(quick, exact, rtol=1e-12, atol=1e-12)


@for_each(list(PARAMETRIC_FAMILIES))
def test_fits_find_the_parameters_again(name):
    """From 800 even quantiles, which stand for the distribution to about 2% of each parameter; two values do."""
    parameters = parameters_of(fit_family(name, even_sample(name), "negative"))
    np.testing.assert_allclose(parameters, TRUTH[name], rtol=0.025, atol=0.02)
    d = fit_family(name, [0.25, 0.75], "negative")
    assert 0 < d.cdf(0.5) < 1
    assert pickle.loads(pickle.dumps(d)).cdf(0.5) == d.cdf(0.5)
