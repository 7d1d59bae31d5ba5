"""The same tests for every solver: pairs of every kind, and the properties of all ROC curves."""

from functools import cache
from itertools import product

import numpy as np
import pytest
from scipy import stats

from rocpredict import Ecdf, Gaussian, PredictedRoc
from rocpredict.distributions.families import from_scipy
from rocpredict.distributions.fitting import get_fitter
from rocpredict.distributions.histogram import Histogram
from rocpredict.distributions.mixture import GaussianMixture
from rocpredict.distributions.normal_sum import GaussianKde
from rocpredict.distributions.power_transform import PowerTransform, Transformed
from rocpredict.solvers.empirical import EmpiricalSolver
from rocpredict.solvers.families import solver_for
from rocpredict.solvers.numerical import NumericalSolver
from tests.cases import for_each
from tests.quantities import compute

RNG = np.random.default_rng(7)
LOW, HIGH = RNG.gamma(4, 1, 30), RNG.gamma(6, 1, 25)
SHRUNK = get_fitter("auto", None)(LOW, HIGH)
ROOT = PowerTransform("box-cox", 0.5, 0.0, 2.0, -1.0, 1.5)
YEO = PowerTransform("yeo-johnson", 2.0, 0.5, 0.1, -1.0, 1.5)
PAIRS = {
    "gaussian": (Gaussian(4, 3), Gaussian(8, 2)),
    "gaussian equal": (Gaussian(0, 1), Gaussian(1, 1)),
    "gaussian reversed": (Gaussian(1, 1), Gaussian(0, 2)),
    "gaussian apart": (Gaussian(0, 1), Gaussian(9, 1.5)),
    "gaussian nested": (Gaussian(0, 3), Gaussian(0.2, 0.5)),
    "gaussian nearly equal": (Gaussian(0, 1), Gaussian(3, 1 + 1e-9)),
    "gaussian ratio 1000": (Gaussian(0, 1), Gaussian(0.5, 1e3)),
    "samples": (Ecdf(LOW), Ecdf(HIGH)),
    "samples tied": (Ecdf([1, 2, 2, 3]), Ecdf([2, 3, 3, 4, 5])),
    "samples weighted": (Ecdf([1, 2, 3], [0.5, 2, 1]), Ecdf([2, 4], [3, 1.5])),
    "normal": (stats.norm(0, 1), stats.norm(1, 2)),
    "gamma": (stats.gamma(2), stats.gamma(5, scale=0.7)),
    "exponential": (stats.expon(), stats.expon(scale=3)),
    "weibull": (stats.weibull_min(1.7, scale=2), stats.weibull_min(1.7, scale=3)),
    "logistic": (stats.logistic(0, 2), stats.logistic(1, 2)),
    "laplace": (stats.laplace(0, 1), stats.laplace(1, 3)),
    "lognormal": (stats.lognorm(0.5), stats.lognorm(0.8, scale=2)),
    "beta": (stats.beta(2, 1), stats.beta(5, 1)),
    "student": (stats.t(3), stats.t(4, 1)),
    "unlike": (stats.gamma(3), stats.norm(4, 1.5)),
    "gumbel left": (stats.gumbel_l(), stats.gumbel_l(0.5)),
    "generalized logistic": (stats.genlogistic(1.3), stats.genlogistic(1.3, 0.7)),
    "hyperbolic secant": (stats.hypsecant(), stats.hypsecant(0.5)),
    "kernel density": (GaussianKde(LOW[:12]), GaussianKde(HIGH[:9])),
    "mixture": (GaussianMixture([0.3, 0.7], [-1, 2], [1, 0.5]), GaussianMixture([0.6, 0.4], [1, 4], [1, 2])),
    "histogram": (Histogram([0, 1, 2, 4], [3, 4, 1]), Histogram([0, 1, 3, 5], [1, 3, 5])),
    "transformed": (Transformed(Gaussian(1, 0.3), ROOT), Transformed(Gaussian(1.6, 0.4), ROOT)),
    "transformed, reflected": (
        Transformed(Gaussian(0.4, 0.8), YEO.reflect()),
        Transformed(Gaussian(-0.2, 0.5), YEO.reflect()),
    ),
    "shrinkage": SHRUNK,
    "density and values": (stats.norm(0, 1), Ecdf([0.5, 1.5, 1.5])),
}
PAIRS = {name: tuple(from_scipy(d) if hasattr(d, "dist") else d for d in pair) for name, pair in PAIRS.items()}
SOLVERS = {name: solver_for(*pair) for name, pair in PAIRS.items()}
SMOOTH = {name for name, pair in PAIRS.items() if not any(d.atoms().points.size for d in pair)}
WITH_RATIO = sorted(SOLVERS.keys() - {"shrinkage"})  # its ratio is that of the model alone
RATES = np.array([0.0, 1e-6, 0.02, 0.3, 0.5, 0.77, 0.99, 1.0])
PRICES = (-1.5, 0.0, 0.8)
NODES, WEIGHTS = np.polynomial.legendre.leggauss(400)


@cache
def ratio_of(name):
    return SOLVERS[name].likelihood_ratio()


def areas(solver, axis, *bands):
    return [float(solver.area(axis, np.asarray(low), np.asarray(high))) for low, high in bands]


def along(solver, axis, rate):
    return np.asarray(solver.along(axis, np.asarray(rate)))


def rates_of(rule):
    return [float(rate) for rate in (rule.tpr, rule.fpr, rule.tnr, rule.fnr)]


def operating_points(solver, thresholds):
    return [np.asarray(d.sf_inclusive(thresholds)) for d in (solver.negative, solver.positive)]


def utility(rule, log_price):
    return float(rule.tpr - np.exp(log_price) * rule.fpr)


def finite(crossings):
    return crossings[~np.isnan(crossings)]


@for_each(SOLVERS)
def test_areas_add_up(solver):
    auc, complement = float(solver.auc()), float(solver.auc_complement())
    assert auc + complement == pytest.approx(1, abs=1e-11)
    assert solver.log_auc_complement() == pytest.approx(np.log(complement), rel=1e-9)
    assert solver_for(solver.positive, solver.negative).auc() == pytest.approx(complement, rel=1e-9)
    for axis in ("fpr", "tpr"):
        assert sum(areas(solver, axis, (0, 0.1), (0.1, 0.6), (0.6, 1))) == pytest.approx(auc, abs=1e-9), axis


@for_each(SOLVERS.items())
def test_an_area_is_the_quadrature_of_the_curve(name, solver):
    """400 nodes from FPR (or TPR) 0.2 to 0.7: 2e-3 for curves with steps, 1e-4 for others."""
    for axis in ("fpr", "tpr"):
        rates = along(solver, axis, 0.45 + 0.25 * NODES)
        wanted = 0.25 * WEIGHTS @ (rates if axis == "fpr" else 1 - rates)
        tolerance = 1e-4 if name in SMOOTH and "ratio" not in name else 2e-3
        assert areas(solver, axis, (0.2, 0.7)) == pytest.approx([wanted], abs=tolerance)


@for_each(SOLVERS)
def test_the_curve_rises_between_its_corners(solver):
    for axis in ("fpr", "tpr"):
        rates = along(solver, axis, np.linspace(0, 1, 301))
        assert ((rates >= 0) & (rates <= 1)).all()
        assert (np.diff(rates) >= -1e-12).all()
    assert along(solver, "fpr", 1.0) == 1
    assert along(solver, "tpr", 0.0) == 0


@for_each(SOLVERS.items())
def test_thresholds_meet_their_limits_and_the_curve(name, solver):
    for rate in RATES:
        at_fpr, at_tpr = (np.asarray(solver.threshold_at(axis, np.asarray(rate))) for axis in ("fpr", "tpr"))
        fpr, tpr = operating_points(solver, at_fpr)
        assert fpr <= rate * (1 + 1e-9) + 1e-15
        assert tpr <= along(solver, "fpr", rate) + 1e-9
        assert operating_points(solver, at_tpr)[1] >= rate * (1 - 1e-9) - 1e-15
        if name in SMOOTH:
            assert tpr == pytest.approx(along(solver, "fpr", rate), abs=1e-9)


@for_each(SOLVERS)
def test_the_optimum_beats_a_grid_and_many_prices_are_answered_one_by_one(solver):
    quantiles = [np.asarray(d.ppf(np.linspace(1e-6, 1 - 1e-6, 801))) for d in (solver.negative, solver.positive)]
    fpr, tpr = operating_points(solver, np.unique(np.concatenate(quantiles)))
    many = solver.optimal(np.array(PRICES))
    assert np.shape(many.threshold) == np.shape(many.tpr) == many.crossings.shape[:-1] == (3,)
    for index, log_price in enumerate(PRICES):
        best, price = solver.optimal(np.asarray(log_price)), np.exp(log_price)
        assert utility(best, log_price) >= max((tpr - price * fpr).max(), 0, 1 - price) - 1e-12
        assert best.tpr + best.fnr == pytest.approx(1, abs=1e-12)
        assert best.fpr + best.tnr == pytest.approx(1, abs=1e-12)
        assert best.plateau_low <= best.threshold <= best.plateau_high
        for field in ("threshold", "tpr", "fpr", "tnr", "fnr", "plateau_low", "plateau_high"):
            assert getattr(many, field)[index] == getattr(best, field), field
        assert np.array_equal(finite(many.crossings[index]), finite(best.crossings))
        assert {flag for flag in many.flags if np.broadcast_to(many.flags[flag], 3)[index]} == set(best.flags)


@for_each(product(SOLVERS, PRICES))
def test_crossings_are_sign_changes_and_all_of_them(name, log_price):
    """The sign of f1 - price f0 on 100,000 points changes as often as there are crossings, and just there."""
    solver = SOLVERS[name]
    crossings = finite(np.asarray(solver.crossings(np.asarray(log_price))))
    assert (np.diff(crossings) > 0).all()
    if solver.thresholds is not None:
        assert not crossings.size
        return
    edges = solver.panel_edges
    inner = edges[(edges > np.asarray(solver.negative.ppf(1e-14))) & (edges < np.asarray(solver.negative.isf(1e-14)))]
    x = np.linspace(inner[0], inner[-1], 100_001)
    x = x[~np.isin(x, np.concatenate([crossings, *(d.atoms().points for d in (solver.negative, solver.positive))]))]
    with np.errstate(invalid="ignore"):
        excess = np.asarray(solver.positive.logpdf(x)) - solver.negative.logpdf(x) - log_price
    x, excess = x[np.abs(excess) > 1e-9], excess[np.abs(excess) > 1e-9]
    changes = np.flatnonzero((excess[:-1] > 0) != (excess[1:] > 0))
    within = crossings[(crossings > x[0]) & (crossings < x[-1])]
    assert len(within) == len(changes)
    assert ((within >= x[changes]) & (within <= x[changes + 1])).all()


@for_each(
    [
        (stats.gumbel_l(), stats.gumbel_l(loc=0.5), 0.7, 0),
        (stats.genlogistic(1.3), stats.genlogistic(1.3, loc=0.7), 0.3, 0),
        (stats.genlogistic(1.3), stats.genlogistic(1.3, loc=0.7), 0.7, 1),
        (stats.hypsecant(), stats.hypsecant(loc=0.5), 0.2, 0),
        (stats.hypsecant(), stats.hypsecant(loc=0.5), 0.8, 0),
        (stats.hypsecant(), stats.hypsecant(loc=0.7), 0.3, 0),
        (stats.hypsecant(loc=0.7), stats.hypsecant(), 0.5, 1),
        (stats.norm(), stats.norm(), 0.5, 0),
    ]
)
def test_no_crossing_where_the_log_ratio_moves_by_rounding_only(negative, positive, prevalence, n_crossings):
    """A log ratio that is flat in the tails, or a density that has underflowed to 0, has no crossing there."""
    crossings = PredictedRoc(negative, positive).crossings(prevalence=prevalence)
    assert len(crossings) == n_crossings
    assert (np.abs(crossings) < 20).all()


@for_each(SOLVERS.items())
def test_reflected_classes_in_each_others_place_have_the_mirrored_curve(name, solver):
    mirrored = solver_for(solver.positive.reflect(), solver.negative.reflect())
    assert mirrored.auc() == pytest.approx(float(solver.auc()), rel=1e-10)
    wanted = areas(solver, "tpr", (0, 0.3), (0.2, 0.9))
    assert areas(mirrored, "fpr", (0.7, 1), (1 - 0.9, 0.8)) == pytest.approx(wanted, abs=1e-9)
    if name in SMOOTH:
        inner = RATES[1:-1]
        assert along(mirrored, "fpr", 1 - inner) == pytest.approx(1 - along(solver, "tpr", inner), abs=1e-8)


@for_each(sorted(SMOOTH - {"histogram", "laplace"}))
def test_the_slope_is_the_derivative(name):
    fpr, step = np.array([0.1, 0.45, 0.8]), 1e-6
    rise = along(SOLVERS[name], "fpr", fpr + step) - along(SOLVERS[name], "fpr", fpr - step)
    assert np.asarray(SOLVERS[name].slope(fpr)) == pytest.approx(rise / (2 * step), rel=1e-4, abs=1e-8)


@for_each(SOLVERS)
def test_the_hook_is_the_area_below_the_chance_line(solver):
    fpr = np.linspace(0, 1, 20_001)
    hook = solver.hook()
    below = np.trapezoid(np.maximum(0, fpr - along(solver, "fpr", fpr)), fpr)
    assert hook.area == pytest.approx(below, abs=2e-4)
    if hook.area > 1e-6:
        assert 0 <= hook.fpr_low < hook.fpr_high <= 1


@for_each(WITH_RATIO)
def test_the_likelihood_ratio_dominates_and_is_concave(name):
    """Its curve is nowhere below the other one or its mirror image, its rule as good as the optimum, its area whole."""
    solver, ratio = SOLVERS[name], ratio_of(name)
    auc, fpr = float(ratio.auc()), np.array([0.02, 0.2, 0.5, 0.9])
    assert (along(ratio, "fpr", fpr) >= along(solver, "fpr", fpr) - 1e-9).all()
    assert auc >= max(solver.auc(), solver.auc_complement()) - 1e-9
    assert auc + ratio.auc_complement() == pytest.approx(1, abs=1e-12)
    for axis in ("fpr", "tpr"):
        assert areas(ratio, axis, (0, 1)) == pytest.approx([auc], abs=1e-8)
    level, fpr, tpr = ratio.curve(101)
    assert (fpr[0], fpr[-1], tpr[-1]) == (0, 1, 1)
    assert (level[1:] <= level[:-1]).all()
    run, rise = np.diff(fpr), np.diff(tpr)
    assert (run >= -1e-12).all()
    assert (rise >= -1e-12).all()
    assert (rise[1:] * run[:-1] - rise[:-1] * run[1:] <= 1e-9).all()
    if name == "density and values":
        return
    for log_price in map(np.asarray, PRICES):
        assert utility(ratio.rule(log_price), log_price) >= utility(solver.optimal(log_price), log_price) - 1e-10
    rule = ratio.rule_at_fpr(np.asarray(0.3))
    assert rule.fpr <= 0.3 + 1e-9
    assert rule.tpr + rule.fnr == pytest.approx(1, abs=1e-10)


EXACT = "normal", "samples", "samples tied", "gamma", "laplace", "beta", "mixture"


@for_each([*(name for name in PAIRS if name.startswith(("gaussian", "transformed"))), *EXACT])
def test_the_exact_solver_agrees_with_the_numerical_one(name):
    """Every quantity in closed form, or by counting, as by quadrature and search: to 1e-9."""
    solver, searched = SOLVERS[name], NumericalSolver(*PAIRS[name])
    for quantity in ("auc", "auc_complement"):
        assert compute(solver, quantity) == pytest.approx(compute(searched, quantity), rel=1e-9), quantity
    for axis in ("fpr", "tpr"):
        assert along(solver, axis, RATES) == pytest.approx(along(searched, axis, RATES), abs=1e-9), axis
        assert areas(solver, axis, (0.1, 0.6)) == pytest.approx(areas(searched, axis, (0.1, 0.6)), abs=1e-9), axis
    assert solver.hook().area == pytest.approx(float(searched.hook().area), abs=1e-10)
    for price in map(np.asarray, PRICES):
        best, wanted = solver.optimal(price), searched.optimal(price)
        assert utility(best, price) == pytest.approx(utility(wanted, price), abs=1e-10)
        if name.startswith("transformed"):
            assert best.threshold == pytest.approx(float(wanted.threshold), abs=1e-9, rel=1e-7)
            assert np.sort(finite(best.crossings)) == pytest.approx(finite(wanted.crossings), rel=1e-7)
    if name.startswith("samples"):
        return
    exact, ranked = ratio_of(name), searched.likelihood_ratio()
    bands = ((0, 0.1), (0.3, 0.7)) if name.startswith("gaussian") else ((0.05, 0.4),)
    for axis in ("fpr", "tpr"):
        assert along(exact, axis, RATES) == pytest.approx(along(ranked, axis, RATES), rel=1e-10, abs=1e-10), axis
        assert areas(exact, axis, *bands) == pytest.approx(areas(ranked, axis, *bands), rel=1e-10), axis
    assert exact.auc_complement() == pytest.approx(float(ranked.auc_complement()), rel=1e-9, abs=1e-12)
    for price in map(np.asarray, PRICES):
        assert rates_of(exact.rule(price)) == pytest.approx(rates_of(ranked.rule(price)), abs=1e-12)
    rule, other = (ratio.rule_at_fpr(np.asarray(0.3)) for ratio in (exact, ranked))
    assert rates_of(rule) == pytest.approx(rates_of(other), abs=1e-9)


def test_operating_points_are_computed_once():
    solver = EmpiricalSolver(Ecdf(LOW), Ecdf(HIGH))
    assert solver.points is solver.points
    assert solver.thresholds is solver.points.thresholds
    assert [SOLVERS[name].thresholds is None for name in ("samples", "gaussian", "histogram")] == [False, True, True]
