"""Pairs of one family: closed areas and crossings against quadrature, search, draws and 40-digit arithmetic."""

import itertools

import mpmath
import numpy as np
import pytest
from scipy import stats

from rocpredict import Ecdf, Gaussian, PredictedRoc
from rocpredict.distributions.families import ScipyDistribution
from rocpredict.distributions.mixture import GaussianMixture
from rocpredict.distributions.normal_sum import GaussianKde
from rocpredict.solvers.families import FamilySolver, NormalSumSolver, _log_gamma_ratio, _solve_log_linear, solver_for
from rocpredict.solvers.numerical import NumericalSolver
from tests.cases import check_each, for_each
from tests.quantities import compute

FROZEN = {
    "exponential": (stats.expon(scale=1), stats.expon(scale=3)),
    "exponential that starts later": (stats.expon(scale=1), stats.expon(loc=2, scale=0.5)),
    "exponential that starts earlier": (stats.expon(loc=1, scale=1), stats.expon(loc=0, scale=3)),
    "weibull": (stats.weibull_min(1.7, scale=2), stats.weibull_min(1.7, scale=3)),
    "weibull at 2": (stats.weibull_min(0.6, loc=2, scale=3), stats.weibull_min(0.6, loc=2, scale=1)),
    "gamma of one shape": (stats.gamma(2, scale=1), stats.gamma(2, scale=3)),
    "gamma of one scale": (stats.gamma(0.5), stats.gamma(2.5)),
    "gamma, W of a positive": (stats.gamma(2, scale=1), stats.gamma(5, scale=0.7)),
    "gamma, both branches": (stats.gamma(5, scale=1), stats.gamma(2, scale=4)),
    "gamma, twice": (stats.gamma(2, scale=1), stats.gamma(2.5, scale=0.6)),
    "gamma by its other names": (stats.chi2(3), stats.expon(scale=5)),
    "rising power": (stats.beta(2, 1), stats.beta(5, 1)),
    "falling power": (stats.beta(1, 4, loc=3, scale=2), stats.beta(1, 2, loc=3, scale=2)),
    "uniform": (stats.uniform(), stats.beta(3, 1)),
    "logistic": (stats.logistic(0, 2), stats.logistic(1, 2)),
    "logistic reversed": (stats.logistic(1, 2), stats.logistic(-9, 2)),
    "laplace": (stats.laplace(0, 1), stats.laplace(1, 1)),
    "laplace, wider": (stats.laplace(0, 1), stats.laplace(1, 3)),
    "laplace, narrower": (stats.laplace(3, 2), stats.laplace(1, 0.5)),
    "cauchy": (stats.cauchy(0, 1), stats.cauchy(2, 1)),
    "cauchy as t": (stats.cauchy(0, 1), stats.t(1, 2, 3)),
    "gumbel": (stats.gumbel_r(0, 2), stats.gumbel_r(3, 2)),
    "normal": (stats.norm(0, 1), stats.norm(1, 2)),
    "lognormal": (stats.lognorm(0.5, scale=1), stats.lognorm(0.8, scale=2)),
}
PLAIN = {name: tuple(ScipyDistribution(frozen) for frozen in pair) for name, pair in FROZEN.items()}
PAIRS = PLAIN | {f"reflected {name}": tuple(d.reflect() for d in pair) for name, pair in PLAIN.items()}


def of(family, *parameters):
    return ScipyDistribution(family(*parameters))


@for_each(PAIRS)
def test_areas_agree_with_quadrature(*pair):
    closed, searched = solver_for(*pair), NumericalSolver(*pair)
    assert isinstance(closed, FamilySolver)
    auc, complement = float(closed.auc()), float(closed.auc_complement())
    assert auc == pytest.approx(float(searched.auc()), rel=1e-12, abs=0)
    assert complement == pytest.approx(float(searched.auc_complement()), rel=1e-12, abs=0)
    assert auc + complement == pytest.approx(1, abs=1e-15)
    assert closed.log_auc_complement() == pytest.approx(np.log(complement), rel=1e-13)
    assert solver_for(*pair[::-1]).auc() == pytest.approx(complement, rel=1e-14)


def test_equal_densities_at_the_end_of_both_supports_are_no_crossing():
    """The likelihood ratio of beta(1, 4) to beta(1, 2) is 2 (1 - x)^2: it begins at 2 and falls."""
    for sign in (1, -1):
        pair = [stats.beta(1, b) if sign > 0 else stats.beta(b, 1) for b in (2, 4)]
        roc = PredictedRoc(*pair)
        assert roc.crossings(cost_fp=2).tolist() == []
        assert roc.crossings(cost_fp=1.5) == pytest.approx([0.5 - sign * (np.sqrt(0.75) - 0.5)], abs=1e-15)


@for_each([*itertools.product(PLAIN, [0.0, -0.7, 1.5]), *itertools.product(sorted(PAIRS.keys() - PLAIN.keys()), [0.3])])
def test_densities_are_equal_at_the_crossings_and_nowhere_else(name, log_price):
    """log f1 - log f0 = log price to 1e-12 of their size, and no sign changes elsewhere along 4000 quantiles.

    No threshold is better than the best, in TPR - price FPR, among 500 quantiles of each class and both ends.
    """
    negative, positive = PAIRS[name]
    solver = solver_for(negative, positive)
    crossings = solver.crossings(np.asarray(log_price))
    assert (np.diff(crossings) > 0).all()
    if "starts" not in name:  # where the density of one class alone begins, the sign changes in a jump
        first, second = np.asarray(positive.logpdf(crossings)), np.asarray(negative.logpdf(crossings))
        np.testing.assert_allclose(first - second, log_price, atol=1e-12 * (1 + np.abs(first).max(initial=0)))
    q = np.linspace(0.0005, 0.9995, 2001)
    grid = np.unique(np.concatenate([negative.ppf(q), positive.ppf(q)]))
    with np.errstate(invalid="ignore"):
        signs = np.sign(np.asarray(positive.logpdf(grid)) - negative.logpdf(grid) - log_price)
    signed = np.abs(signs) == 1
    left, right = grid[signed][:-1], grid[signed][1:]
    turns = np.flatnonzero(signs[signed][:-1] != signs[signed][1:])
    inner = crossings[(crossings > grid[0]) & (crossings < grid[-1])]
    assert len(inner) == len(turns)
    slack = 1e-9 * np.abs(inner)
    assert ((inner >= left[turns] - slack) & (inner <= right[turns] + slack)).all()
    best, price, q = solver.optimal(np.asarray(log_price)), np.exp(log_price), np.linspace(0, 1, 501)
    thresholds = np.concatenate([negative.ppf(q), positive.ppf(q), [-np.inf, np.inf]])
    losses = np.asarray(positive.cdf_strict(thresholds)) + price * negative.sf_inclusive(thresholds)
    assert best.fnr + price * best.fpr <= losses.min() * (1 + 1e-14)


def logistic_complement(d):
    d = mpmath.mpf(d)
    q = mpmath.exp(-d)
    return q * (d - 1 + q) / (1 - q) ** 2


def laplace_complement(d, wide):
    d, wide = mpmath.mpf(d), mpmath.mpf(wide)
    if wide == 1:
        return mpmath.exp(-d) * (2 + d) / 4
    return (wide**2 * mpmath.exp(-d / wide) - mpmath.exp(-d)) / (2 * (wide**2 - 1))


def pair_of(family, first, second):
    return of(family, *first), of(family, *second)


def cases_with_small_complements():
    """Yield a name, two classes and 1 - AUC in 60 digits."""
    mpf = mpmath.mpf
    for d in (1e-9, 1e-3, 0.5, 0.999, 1.001, 7, 60, 650):
        yield f"logistic {d}", *pair_of(stats.logistic, (0, 1), (d, 1)), logistic_complement(d)
    for d, wide in itertools.product((1e-9, 0.3, 40, 600), (1, 1 + 1e-12, 1 + 1e-5, 1.5, 1e6)):
        yield f"laplace {d} {wide}", *pair_of(stats.laplace, (0, 1), (d, wide)), laplace_complement(d, wide)
    for k0, k1, scale in [(2, 3, 1e6), (0.5, 4, 1e9), (30, 35, 3), (200, 400, 4), (1.5, 0.2, 50), (3, 80, 1e3)]:
        tail = mpmath.betainc(k1, k0, 0, 1 / (1 + mpf(scale)), regularized=True)
        yield f"gamma {k0} {k1} {scale}", *pair_of(stats.gamma, (k0,), (k1, 0, scale)), tail
    yield "cauchy", *pair_of(stats.cauchy, (0, 1), (1e12, 2)), mpmath.atan(3 / mpf(1e12)) / mpmath.pi
    yield "gumbel", *pair_of(stats.gumbel_r, (0, 1), (90, 1)), 1 / (1 + mpmath.exp(90))
    yield "weibull", *pair_of(stats.weibull_min, (3, 0, 1), (3, 0, 1e9)), 1 / (1 + mpf(1e9) ** 3)
    yield "exponential", *pair_of(stats.expon, (0, 1), (50, 2)), mpmath.exp(-50) / 3
    z = mpmath.log(mpf(1e4)) / mpmath.sqrt(mpf(0.3) ** 2 + mpf(0.4) ** 2)
    yield "lognormal", *pair_of(stats.lognorm, (0.3, 0, 1), (0.4, 0, 1e4)), mpmath.ncdf(-z)


def test_small_complements_keep_their_digits():
    """Against the same formula in 60 digits: 1 - AUC to 1e-12 relative, its logarithm to 1e-14 of itself."""

    def check(negative, positive, exact):
        solver, wanted = solver_for(negative, positive), float(exact)
        assert float(solver.auc_complement()) == pytest.approx(wanted, rel=1e-12, abs=0)
        assert float(solver_for(positive, negative).auc()) == pytest.approx(wanted, rel=1e-12, abs=0)
        log_wanted = float(mpmath.log(exact))
        assert float(solver.log_auc_complement()) == pytest.approx(log_wanted, rel=1e-13, abs=1e-15)

    with mpmath.workdps(60):
        check_each({name: case for name, *case in cases_with_small_complements()}, lambda case: check(*case))


def test_the_logarithm_of_two_normals_does_not_underflow():
    """A complement near exp(-2500) against 60 digits; of other families it is 0, and its logarithm -inf."""
    pair = of(stats.norm, 0, 1), of(stats.norm, 100, 1)
    with mpmath.workdps(60):
        wanted = float(mpmath.log(mpmath.ncdf(-100 / mpmath.sqrt(2))))
    assert solver_for(*pair).auc_complement() < 1e-300
    assert float(solver_for(*pair).log_auc_complement()) == pytest.approx(wanted, rel=1e-13)
    for family, parameters in ((stats.logistic, (5000, 1)), (stats.laplace, (5000, 1)), (stats.gumbel_r, (5000, 1))):
        far = solver_for(of(family, 0, 1), of(family, *parameters))
        assert far.auc() == 1
        assert far.auc_complement() == 0
        assert far.log_auc_complement() == -np.inf


@for_each([1e-15, 1e-9, 1e-4])
def test_classes_that_become_equal(gap):
    """As the difference goes to 0, AUC goes to 1/2 with the slope of its formula, and thresholds to their limit."""
    pairs = {
        "exponential": (of(stats.expon, 0, 1), of(stats.expon, 0, 1 + gap), 1 / 4, 1.0),
        "gamma": (of(stats.gamma, 3), of(stats.gamma, 3, 0, 1 + gap), 15 / 16 / 2, 3.0),
        "weibull": (of(stats.weibull_min, 2, 0, 1), of(stats.weibull_min, 2, 0, 1 + gap), 1 / 2, 1.0),
        "rising power": (of(stats.beta, 1, 1), of(stats.beta, 1 + gap, 1), 1 / 4, np.exp(-1)),
        "logistic": (of(stats.logistic, 0, 1), of(stats.logistic, gap, 1), 1 / 6, 0.0),
        "laplace": (of(stats.laplace, 0, 1), of(stats.laplace, gap, 1), 1 / 4, 0.0),
        "cauchy": (of(stats.cauchy, 0, 1), of(stats.cauchy, gap, 1), 1 / (2 * np.pi), 0.0),
        "gumbel": (of(stats.gumbel_r, 0, 1), of(stats.gumbel_r, gap, 1), 1 / 4, 0.0),
        "lognormal": (*pair_of(stats.lognorm, (1, 0, 1), (1, 0, 1 + gap)), 1 / (2 * np.sqrt(np.pi)), 1.0),
    }
    for negative, positive, slope, limit in pairs.values():
        assert solver_for(negative, positive).auc() - 0.5 == pytest.approx(slope * gap, rel=2 * gap, abs=3e-16)
        (threshold,) = solver_for(negative, positive).crossings(np.zeros(()))
        assert threshold == pytest.approx(limit, abs=3 * gap + 1e-14)


@for_each(PLAIN)
def test_identical_classes_are_chance(*pair):
    d = pair[1]
    solver = solver_for(d, d)
    assert solver.auc() == pytest.approx(0.5, abs=1e-15)
    assert solver.crossings(np.zeros(())).size == solver.crossings(np.asarray(0.5)).size == 0
    for best in (solver.optimal(np.zeros(())), NumericalSolver(d, d).optimal(np.zeros(()))):
        assert {"identical", "no_benefit"} <= set(best.flags)
        assert (best.plateau_low, best.plateau_high) == (-np.inf, np.inf)


@for_each(
    [
        (3.0, -0.5, 1.0, 1),
        (3.0, 0.5, 1.0, 2),
        (-3.0, -0.5, -1.0, 2),
        (3.0, 0.5, 3.0, 0),
        (3.0, 0.5, 3 * np.log(6) - 3 - 1e-9, 2),
        (1e-9, 2.0, -1.0, 1),  # the other lies at exp(-1e9)
        (5.0, 1e-9, -3.0, 2),
        (2.0, 1e3, -1e3, 2),
        (1.0, 0.0, 2.0, 1),
        (0.0, 2.0, -3.0, 1),
    ]
)
def test_both_branches_of_the_lambert_function(a, b, e, count):
    """a log u - b u = e has its one or two roots to 1e-13 of its terms, near the double root and far from it."""
    roots = [u for u in _solve_log_linear(a, b, e) if u > 0]
    assert len(roots) == count
    for u in roots:
        terms = abs(a * np.log(u)) + abs(b * u) + abs(e)
        assert abs(a * np.log(u) - b * u - e) <= 1e-13 * terms
    if count == 2:
        low, high = sorted(roots)
        assert low < a / b < high


@for_each([(2.0, 1e-3), (2.0, 3e-3), (0.1, 5e-5), (1e6, 10.0), (1e6, 2e3), (3.0, -1.5)])
def test_ratios_of_gamma_functions_keep_their_digits(k, more):
    with mpmath.workdps(40):
        wanted = float(mpmath.loggamma(mpmath.mpf(k) + mpmath.mpf(more)) - mpmath.loggamma(k))
    assert _log_gamma_ratio(k, more) == pytest.approx(wanted, rel=1e-11)


@for_each(itertools.product([name for name in FROZEN if "names" not in name], [2.0**-990, 2.0**980]))
def test_units_change_nothing(name, unit):
    """Near 1e-298 and 1e295: the same areas, and the crossings in the other unit."""
    scaled = []
    for frozen in FROZEN[name]:
        shapes, loc, scale = frozen.dist._parse_args(*frozen.args, **frozen.kwds)
        scaled.append(of(frozen.dist, *shapes, loc * unit, scale * unit))
    for quantity in ("auc", "auc_complement", "log_auc_complement"):
        wanted = float(compute(solver_for(*PLAIN[name]), quantity))
        assert float(compute(solver_for(*scaled), quantity)) == pytest.approx(wanted, rel=1e-12)
    if "starts" not in name:
        here, there = (solver_for(*pair).crossings(np.asarray(0.1)) for pair in (PLAIN[name], scaled))
        np.testing.assert_allclose(there / unit, here, rtol=1e-12)


def test_all_kinds_of_normals_agree():
    """Scipy's normals, Gaussians, kernel densities and mixtures: one sum, and two Gaussians by the binormal form."""
    kde, mixture = GaussianKde([1.0, 2.0, 4.0]), GaussianMixture([0.3, 0.7], [-1, 2], [1, 0.5])
    kinds = [of(stats.norm, 1, 2), Gaussian(0.5, 1.5), kde, mixture]
    for pair in itertools.permutations(kinds, 2):
        assert isinstance(solver_for(*pair), (FamilySolver, NormalSumSolver))
        assert float(solver_for(*pair).auc()) == pytest.approx(float(NumericalSolver(*pair).auc()), rel=1e-11)
        assert float(solver_for(*pair).log_auc_complement()) == pytest.approx(
            float(NumericalSolver(*pair).log_auc_complement())
        )
    assert solver_for(of(stats.norm, 1, 2), Gaussian(3, 1)).auc() == solver_for(Gaussian(1, 2), Gaussian(3, 1)).auc()
    assert float(solver_for(of(stats.norm, 1, 2).reflect(), mixture).auc()) == pytest.approx(
        float(NumericalSolver(of(stats.norm, -1, 2), mixture).auc()), rel=1e-11
    )


@for_each(
    [
        (of(stats.weibull_min, 1, 0, 2), of(stats.weibull_min, 2, 0, 2)),
        (of(stats.gamma, 2), of(stats.gamma, 2, 1)),
        (of(stats.logistic, 0, 1), of(stats.logistic, 1, 2)),
        (of(stats.gumbel_r, 0, 1), of(stats.gumbel_r, 1, 2)),
        (of(stats.beta, 2, 3), of(stats.beta, 3, 2)),
        (of(stats.t, 3), of(stats.t, 3, 1)),
        (of(stats.lognorm, 1, 0), of(stats.lognorm, 1, 1)),
        (of(stats.expon), of(stats.laplace)),
        (of(stats.expon), of(stats.expon).reflect()),
        (of(stats.norm), of(stats.logistic)),
        (of(stats.norm), Ecdf([1.0, 2.0])),
        (of(stats.poisson, 2), of(stats.poisson, 3)),
        (Gaussian([0, 1], 1), Gaussian(0, 1)),
    ]
)
def test_no_closed_form_is_claimed_without_one(negative, positive):
    assert not isinstance(solver_for(negative, positive), (FamilySolver, NormalSumSolver))
    if not negative.shape:
        assert solver_for(negative, positive).auc() == NumericalSolver(negative, positive).auc()
        wanted = NumericalSolver(negative, positive).crossings(np.zeros(()))
        assert np.array_equal(solver_for(negative, positive).crossings(np.zeros(())), wanted)


@for_each([-np.inf, np.inf])
def test_infinite_prices_are_solved_by_the_search(log_price):
    best = solver_for(*PLAIN["logistic"]).optimal(np.asarray(log_price))
    assert best.fpr == (0 if log_price > 0 else 1)
