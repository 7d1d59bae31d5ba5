"""Each quantity by two routes: closed forms, quadrature with search, counting, brute force, textbook formulas."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

import rocpredict as rp
from rocpredict.distributions.families import ScipyDistribution
from rocpredict.solvers.binormal import BinormalSolver
from rocpredict.solvers.numerical import NumericalSolver
from tests.cases import for_each, refuses
from tests.quantities import compute

#: Ratios of the standard deviations and distances of the means.
MOMENTS = [(1e-3, 3), (1e-3, -0.5), (0.3, 0.5), (1, 0.5), (1, 3), (1, -1), (1.001, 0), (2, 20), (1e3, 0.4)]


def gaussians(ratio, distance):
    return rp.Gaussian(1, 1), rp.Gaussian(1 + distance * max(1, ratio), ratio)


def as_scipy(pair):
    return tuple(ScipyDistribution(stats.norm(d.mean, d.std)) for d in pair)


def assert_close(result, wanted, rel=1e-10, abs_=1e-250):
    assert np.asarray(result, dtype=float) == pytest.approx(np.asarray(wanted, dtype=float), rel=rel, abs=abs_)


@for_each(product(MOMENTS, (tuple, as_scipy)))
def test_curve_areas_and_thresholds_of_two_gaussians(moments, route):
    pair = gaussians(*moments)
    exact, searched = BinormalSolver(*pair), NumericalSolver(*route(pair))
    for name in ("auc", "auc_complement"):
        assert_close(compute(searched, name), compute(exact, name))
    rates = [0.0, 1e-12, 0.05, 0.5, 0.99, 1.0]
    for name in ("tpr_at_fpr", "fpr_at_tpr", "threshold_at_fpr", "threshold_at_tpr", "slope"):
        for rate in map(np.asarray, rates[1:-1] if name == "slope" else rates):
            assert_close(compute(searched, name, rate), compute(exact, name, rate))
    for band in ((0.0, 1.0), (0.0, 0.1), (0.3, 0.7), (0.0, 1e-6), (0.9, 1.0)):
        for name in ("partial_auc_fpr", "partial_auc_tpr"):
            ends = [np.asarray(end) for end in band]
            assert_close(compute(searched, name, *ends), compute(exact, name, *ends))
    hook = exact.hook()
    assert_close(searched.hook().area, hook.area)
    if hook.area > 1e-250:
        assert_close(searched.hook()[:], hook[:])
    size = max(1, moments[0])
    for log_price in map(np.asarray, (0.0, 1.0, -1.0, 4.0)):
        best, wanted = searched.optimal(log_price), exact.optimal(log_price)
        assert_close(best.crossings, wanted.crossings[~np.isnan(wanted.crossings)], abs_=1e-10 * size)
        assert_close(best.threshold, wanted.threshold, abs_=1e-10 * size)
        for name in ("tpr", "fpr", "tnr", "fnr"):
            assert_close(getattr(best, name), getattr(wanted, name), 1e-8, 1e-10)
        assert {*best.flags} == {*wanted.flags}


def test_level_densities_give_a_plateau():
    """Two uniforms: all of their overlap, or all of the gap between them, is one optimum."""
    overlapping = rp.PredictedRoc(stats.uniform(0, 2), stats.uniform(1, 2))
    assert overlapping.auc() == pytest.approx(7 / 8, rel=1e-11)
    overlap = overlapping.best_threshold()
    assert overlap.plateau == pytest.approx((1, 2), abs=1e-12)
    assert overlap.ameans == pytest.approx(0.75, abs=1e-15)
    gap = rp.PredictedRoc(stats.uniform(0, 1), stats.uniform(3, 1)).best_threshold()
    assert gap.plateau == pytest.approx((1, 3), abs=1e-12)
    assert 1 <= gap.threshold <= 3
    assert gap.ameans == 1
    assert "perfect_separation" in gap.flags


def test_a_sample_against_a_density():
    """Atoms on one side only: the mean of the other's tail over the sample."""
    sample, law = np.array([-1.0, 0.2, 0.2, 1.7]), rp.Gaussian(1, 2)
    assert rp.PredictedRoc(rp.Ecdf(sample), law).auc() == pytest.approx(np.mean(law.sf(sample)), rel=1e-14)
    assert rp.PredictedRoc(law, rp.Ecdf(sample)).auc() == pytest.approx(np.mean(law.cdf(sample)), rel=1e-14)
    best = rp.PredictedRoc(rp.Ecdf(sample), law).best_threshold()
    scan = np.concatenate([sample, np.nextafter(sample, np.inf), np.linspace(-9, 9, 50_001)])
    youden = np.array(law.sf(scan)) - rp.Ecdf(sample).sf_inclusive(scan)
    assert best.tpr - best.fpr == pytest.approx(youden.max(), abs=1e-9)


DISCRETE = [
    (stats.poisson(2), stats.poisson(4)),
    (stats.binom(9, 0.3), stats.binom(9, 0.6)),
    (stats.geom(0.5), stats.poisson(3)),
    (stats.binom(9, 0.3), stats.geom(0.2)),
    (stats.poisson(3), stats.poisson(3)),
]


@for_each(product(DISCRETE, (None, "lower")))
def test_discrete_families_by_enumeration(pair, direction):
    values = np.arange(0.0, 200.0)
    n, p = (d.pmf(values) for d in pair)
    sign = -1 if direction == "lower" else 1
    wins = np.sum(p[:, None] * n * (np.sign(sign * (values[:, None] - values)) + 1) / 2)
    roc = rp.PredictedRoc(*pair, direction=direction)
    assert roc.auc() == pytest.approx(wins, rel=1e-12)
    assert roc.partial_auc(fpr=(0, 1)) == pytest.approx(wins, rel=1e-12)
    called = sign * (values - np.arange(-0.5, 200)[:, None]) >= 0
    ameans, best = (called @ p + 1 - called @ n) / 2, roc.best_threshold()
    assert best.ameans == pytest.approx(ameans.max(), abs=1e-12)
    if direction is None and pair in DISCRETE[:3]:  # one best rule, between two whole numbers
        low, high = best.plateau
        assert np.argmax(ameans) == pytest.approx(high, abs=1e-9)
        assert high - low == pytest.approx(1, abs=1e-9)
    curve = roc.curve()
    assert (curve.fpr[0], curve.tpr[0]) == (0, 0)
    assert (curve.fpr[-1], curve.tpr[-1]) == pytest.approx((1, 1))
    assert np.trapezoid(curve.tpr, curve.fpr) == pytest.approx(wins, rel=1e-12)
    outranks = (p[:, None] * n > p * n[:, None]) + 0.5 * (p[:, None] * n == p * n[:, None])
    assert roc.proper().auc() == pytest.approx(np.sum(outranks * p[:, None] * n), abs=1e-9)


@for_each([1.0, -1.0], [1.0, 0.5, 2.0])
def test_ends_and_rules_of_two_gaussians_by_either_route(mean, std):
    """The limit of the slope where the threshold is infinite, and the encoding of a rule of one or two thresholds."""
    routes = [rp.PredictedRoc(route(0, 1), route(mean, std)) for route in (rp.Gaussian, stats.norm)]
    slopes = [roc.slope([0, 1]).tolist() for roc in routes]
    assert slopes[0] == slopes[1]
    rules = [roc.proper().best_rule() for roc in routes]
    exact, searched = ((rule.low, rule.high, rule.positive_inside) for rule in rules)
    assert exact == pytest.approx(searched)


def test_a_search_finds_the_limit_of_a_constraint():
    """A function of rates that is undefined below a TPR of 0.9: the best of the rest lies at that edge."""
    roc = rp.PredictedRoc(rp.Gaussian([5.1, 0.0], [0.9, 1.0]), rp.Gaussian([6.4, 2.0], [1.2, 1.0]))
    best = roc.best_threshold(lambda rates: np.where(rates.tpr < 0.9, np.nan, rates.ameans))
    limit = roc.best_threshold("min_tpr", value=0.9)
    assert best.tpr == pytest.approx(0.9, abs=1e-12)
    assert best.threshold == pytest.approx(limit.threshold, abs=1e-12)
    assert best.criterion_value == pytest.approx(limit.ameans, abs=1e-12)


# ---- pairs of unlike kinds

EVEN = stats.uniform(0, 2)


@for_each(
    [
        (stats.expon(0, 1.5), stats.expon(0.3, 0.45)),
        (stats.uniform(0, 5), stats.norm(0, 1)),
        (stats.gamma(0.38), stats.norm(1, 0.5)),
        (stats.beta(2, 2), stats.uniform(0.2, 0.5)),
        (stats.beta(2, 3), stats.norm(0.5, 0.2)),
        (stats.laplace(0, 1), stats.laplace(1, 1)),
        (stats.cauchy(0, 1), stats.norm(1, 1)),
    ]
)
def test_likelihood_ratio_auc_by_ranking_fine_cells(negative, positive):
    """Against the classes cut into 200,000 cells and ranked by their ratio: the cells' own AUC, to 1e-4."""
    roc = rp.PredictedRoc(negative, positive)
    shares = np.linspace(0, 1, 100_001)
    cuts = np.unique(np.concatenate([negative.ppf(shares), positive.ppf(shares)]))
    n, p = np.diff(negative.cdf(cuts)), np.diff(positive.cdf(cuts))
    n, p = n[n + p > 0], p[n + p > 0]
    ranked = rp.EmpiricalRoc(negative=rp.Ecdf(p / (n + p), n), positive=rp.Ecdf(p / (n + p), p))
    auc = roc.proper().auc()
    assert auc == pytest.approx(ranked.auc(), abs=1e-4)
    assert auc >= max(roc.auc(), 1 - roc.auc()) - 1e-10


@for_each(
    [
        (EVEN, stats.beta(1, 0.1)),
        (EVEN, stats.beta(1, 0.05)),
        (stats.gamma(0.1, loc=1), stats.uniform(0, 4)),
        (stats.beta(0.58, 0.25), stats.gamma(1.66, scale=2.04)),
        (stats.beta(0.5, 0.5), stats.beta(2, 1)),
    ]
)
def test_a_pole_of_a_density_costs_no_digits(negative, positive):
    """Densities that are infinite at an end: the AUC and its complement sum to 1, and so do whole partial areas."""
    roc = rp.PredictedRoc(negative, positive)
    assert roc.auc() + roc.auc_complement() == pytest.approx(1, abs=1e-9)
    assert roc.partial_auc(fpr=(0, 1)) == pytest.approx(roc.auc(), abs=1e-9)
    assert roc.partial_auc(tpr=(0, 1)) == pytest.approx(roc.auc(), abs=1e-9)
    for b in (0.1, 0.05):  # uniform(0, 2) against beta(1, b): AUC = E(x)/2
        assert rp.PredictedRoc(EVEN, stats.beta(1, b)).auc() == pytest.approx(1 / (2 + 2 * b), abs=1e-12)


def test_limits_hold_at_single_values():
    """min_tnr and max_fpr keep their limit where the negatives are single values, in both directions."""
    point = rp.PredictedRoc(rp.Gaussian(0, 0), rp.Gaussian(1, 1))
    for criterion, value in (("min_tnr", 0.9), ("max_fpr", 0.1)):
        best = point.best_threshold(criterion, value=value)
        assert (best.fpr, best.tpr) == (0, pytest.approx(stats.norm.sf(-1), rel=1e-12))
    pairs = [
        (stats.poisson(2), stats.poisson(4)),
        (stats.binom(9, 0.4), stats.norm(5, 1)),
        (stats.norm(5, 1), stats.geom(0.3)),
    ]
    for negative, positive in pairs:
        for direction in (None, "lower"):
            roc = rp.PredictedRoc(negative, positive, direction=direction)
            for value in (0.05, 0.5, 0.9, 1.0):
                assert roc.best_threshold("min_tnr", value=value).tnr >= value - 1e-15
                assert roc.best_threshold("min_tpr", value=value).tpr >= value - 1e-15
                assert roc.best_threshold("max_fpr", value=value).fpr <= value + 1e-15


def test_slopes_and_hooks_on_atoms():
    """The slope of the straight piece that an atom makes; all negatives at 0 make the curve level from P(X > 0)."""
    negative, positive = stats.poisson(2), stats.poisson(4)
    slope = rp.PredictedRoc(negative, positive).slope(0.3)
    assert slope == pytest.approx(positive.pmf(3) / negative.pmf(3))
    level = stats.norm.sf(0, -0.5)
    exact = rp.PredictedRoc(rp.Gaussian(0, 0), rp.Gaussian(-0.5, 1)).hook()
    for hook in (NumericalSolver(rp.Ecdf([0.0]), rp.Gaussian(-0.5, 1)).hook(), exact):
        assert (hook.fpr_low, hook.fpr_high) == (pytest.approx(level), 1)
        assert hook.area == pytest.approx((1 - level) ** 2 / 2)


def test_the_ends_of_a_curve_with_a_discrete_class():
    roc = rp.PredictedRoc(stats.norm(0, 1), stats.binom(5, 0.5))
    assert roc.fpr_at_tpr(1) == pytest.approx(0.5)  # all positives are at 0 or above
    assert roc.threshold_at_tpr(1) == 0
    assert roc.threshold_at_tpr(0) == np.inf
    assert roc.threshold_at_fpr(1) == -np.inf
    stepped = rp.PredictedRoc(rp.Gaussian(0, 1), rp.Ecdf([0, 0, 1]))
    assert stepped.tpr_at_fpr(0.5) == 1  # the top of the vertical piece at threshold 0
    assert stepped.tpr(stepped.threshold_at_fpr(0.5)) == 1
    assert rp.PredictedRoc(rp.Ecdf([0, 1]), rp.Gaussian(0, 1)).slope(0.3) == 0
    bounded = rp.PredictedRoc(stats.uniform(0, 1), stats.uniform(-1, 2))
    assert bounded.best_threshold("max_fpr", value=1).tpr == bounded.tpr_at_fpr(1) == 1


def test_a_table_of_values_and_probabilities():
    law = stats.rv_discrete(values=([1, 2, 3], [0.2, 0.5, 0.3]))
    roc = rp.PredictedRoc(law(), law(loc=1))
    wins = 0.2 * (0.2 / 2) * 0  # no positive lies at 1
    wins += 0.2 * (0.2 + 0.5 / 2) + 0.5 * (0.2 + 0.5 + 0.3 / 2) + 0.3
    assert roc.auc() == pytest.approx(wins, rel=1e-12)
    with pytest.raises(rp.RocPredictError, match="does not take integer values; use an integer loc"):
        rp.PredictedRoc(stats.poisson(20, loc=0.3), stats.poisson(24, loc=0.3))


def test_weights_whose_sums_differ_in_the_last_digit():
    """200 random weightings, seed 1: the curve ends at (1, 1) exactly, and nothing falls off its ends."""
    rng = np.random.default_rng(1)
    for _ in range(200):
        sample, weights = rng.integers(0, 9, (2, 12)), rng.random((2, 12))
        pair = [rp.Ecdf(values, w) for values, w in zip(sample, weights, strict=True)]
        for direction in (None, "lower"):
            roc = rp.EmpiricalRoc(*pair, direction=direction)
            curve = roc.curve()
            assert (curve.fpr[-1], curve.tpr[-1]) == (1, 1)
            assert np.isfinite(roc.threshold_at_tpr(1.0)) or roc.tpr(roc.threshold_at_tpr(1.0)) == 1
            assert 0 <= roc.fpr_at_tpr(1.0) <= 1


def test_a_huge_price_loses_no_positive():
    """A false positive 1e15 times dearer: of the thresholds without one, that with the most true positives."""
    best = rp.EmpiricalRoc([0, 1, 2, 3], [2, 3, 4, 5]).best_threshold("cost", cost_fp=1e15, prevalence=0.5)
    assert (best.threshold, best.tpr, best.fpr) == (3.5, 0.5, 0)


def test_a_function_of_rates_receives_the_prevalence_of_each_feature():
    """A batch, each feature with its own prevalence, and a criterion of one's own: as accuracy in closed form."""
    roc = rp.PredictedRoc(rp.Gaussian([0, 0, 0], 1), rp.Gaussian([1, 2, 3], 1))
    share = [0.3, 0.5, 0.6]
    searched = roc.best_threshold(lambda rates: rates.accuracy, prevalence=share)
    exact = roc.best_threshold("accuracy", prevalence=share)
    assert searched.criterion == "<lambda>"
    assert searched.criterion_value == pytest.approx(exact.criterion_value, abs=1e-12)
    assert searched.threshold == pytest.approx(exact.threshold, abs=1e-6)


class Mixed(rp.Distribution):
    """A normal density with a share of all values at 0, which no built-in distribution has."""

    def __init__(self, share, normal):
        self.share, self.normal = share, normal

    def _logpdf(self, x):
        return np.log1p(-self.share) + self.normal.logpdf(x)

    def _cdf(self, x):
        return (1 - self.share) * self.normal.cdf(x) + self.share * (x >= 0)

    def _sf(self, x):
        return (1 - self.share) * self.normal.sf(x) + self.share * (x < 0)

    def _cdf_strict(self, x):
        return (1 - self.share) * self.normal.cdf(x) + self.share * (x > 0)

    def _sf_inclusive(self, x):
        return (1 - self.share) * self.normal.sf(x) + self.share * (x <= 0)

    def _ppf(self, q):
        low, high = self.cdf_strict(0), self.cdf(0)
        with np.errstate(all="ignore"):
            elsewhere = self.normal.ppf(np.where(q < low, q, q - self.share) / (1 - self.share))
        return np.where((q >= low) & (q <= high), 0.0, elsewhere)

    def _isf(self, q):
        high, low = self.sf_inclusive(0), self.sf(0)
        with np.errstate(all="ignore"):
            elsewhere = self.normal.isf(np.where(q < low, q, q - self.share) / (1 - self.share))
        return np.where((q >= low) & (q <= high), 0.0, elsewhere)

    def atoms(self):
        return rp.distributions.Atoms(np.array([0.0]), np.array([self.share]))


def test_a_density_with_an_atom():
    """Zero-inflated normals: AUC from its four parts in closed form, both tails, and the partial areas."""
    shares, normals = (0.7, 0.65), (stats.norm(0.5, 1), stats.norm(1, 1.5))
    roc = rp.PredictedRoc(*(Mixed(share, normal) for share, normal in zip(shares, normals, strict=True)))
    a, b = shares
    densities = rp.PredictedRoc(rp.Gaussian(0.5, 1), rp.Gaussian(1, 1.5)).auc()
    wins = a * b / 2 + a * (1 - b) * normals[1].sf(0) + (1 - a) * b * normals[0].cdf(0) + (1 - a) * (1 - b) * densities
    assert roc.auc() == pytest.approx(wins, abs=1e-12)
    assert roc.auc_complement() == pytest.approx(1 - wins, abs=1e-12)
    assert roc.partial_auc(fpr=(0, 1)) == pytest.approx(wins, abs=1e-12)
    assert roc.partial_auc(tpr=(0, 1)) == pytest.approx(wins, abs=1e-12)
    refuses("the likelihood ratio of a continuous and a discrete distribution", lambda: roc.proper().auc())


def test_a_curve_has_the_threshold_just_above_an_atom_of_the_upper_tail():
    """The curve jumps at the atom 2 of the negatives: both ends of the jump are vertices."""
    thresholds = rp.PredictedRoc(rp.Ecdf([1, 1, 1, 2]), rp.Gaussian(2, 1)).curve(9).thresholds
    assert {1.0, 2.0, np.nextafter(2, 3)} <= {*thresholds.tolist()}
