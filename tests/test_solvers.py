"""Every solver by one battery: pairs of every kind times the properties that any ROC curve has."""

import numpy as np
import pytest
from scipy import stats

from rocpredict import Ecdf, Gaussian, PredictedRoc
from rocpredict.distributions.families import from_scipy
from rocpredict.distributions.fitting import get_fitter
from rocpredict.distributions.histogram import Histogram
from rocpredict.distributions.kde import GaussianKde
from rocpredict.distributions.mixture import GaussianMixture
from rocpredict.distributions.power import PowerTransform, Transformed
from rocpredict.solvers.binormal import BinormalSolver
from rocpredict.solvers.empirical import EmpiricalSolver
from rocpredict.solvers.numerical import NumericalSolver
from rocpredict.solvers.select import solver_for
from rocpredict.solvers.shrinkage import ShrinkageSolver
from tests.quantities import compute

RNG = np.random.default_rng(7)
LOW, HIGH = RNG.gamma(4, 1, 30), RNG.gamma(6, 1, 25)
SHRUNK = get_fitter("auto", None)(LOW, HIGH)
ROOT = PowerTransform("box-cox", 0.5, 0.0, 2.0, -1.0, 1.5)
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
    "generalised logistic": (stats.genlogistic(1.3), stats.genlogistic(1.3, 0.7)),
    "hyperbolic secant": (stats.hypsecant(), stats.hypsecant(0.5)),
    "kernel density": (GaussianKde(LOW), GaussianKde(HIGH)),
    "mixture": (GaussianMixture([0.3, 0.7], [-1, 2], [1, 0.5]), GaussianMixture([0.6, 0.4], [1, 4], [1, 2])),
    "histogram": (Histogram([0, 1, 2, 4], [3, 4, 1]), Histogram([0, 1, 3, 5], [1, 3, 5])),
    "transformed": (Transformed(Gaussian(1, 0.3), ROOT), Transformed(Gaussian(1.6, 0.4), ROOT)),
    "shrinkage": SHRUNK,
    "density and values": (stats.norm(0, 1), Ecdf([0.5, 1.5, 1.5])),
}
PAIRS = {name: tuple(from_scipy(d) if hasattr(d, "dist") else d for d in pair) for name, pair in PAIRS.items()}
SOLVERS = {name: solver_for(*pair) for name, pair in PAIRS.items()}
SMOOTH = {name for name, pair in PAIRS.items() if not any(d.atoms().points.size for d in pair)}
WITH_RATIO = sorted(SOLVERS.keys() - {"shrinkage"})  # it mixes single values and a density
RATES = np.array([0.0, 1e-6, 0.02, 0.3, 0.5, 0.77, 0.99, 1.0])
PRICES = (-1.5, 0.0, 0.8)
NODES, WEIGHTS = np.polynomial.legendre.leggauss(400)


@pytest.fixture(params=SOLVERS)
def name(request):
    return request.param


@pytest.fixture
def solver(name):
    return SOLVERS[name]


def scalar(value):
    return float(np.asarray(value))


def rates_of(rule):
    return [scalar(rate) for rate in (rule.tpr, rule.fpr, rule.tnr, rule.fnr)]


def operating_points(solver, thresholds):
    return [np.asarray(d.sf_inclusive(thresholds)) for d in (solver.negative, solver.positive)]


def utility(solver, threshold, log_price):
    fpr, tpr = operating_points(solver, threshold)
    return tpr - np.exp(log_price) * fpr


def grid_of(solver):
    quantiles = [np.asarray(d.ppf(np.linspace(1e-6, 1 - 1e-6, 801))) for d in (solver.negative, solver.positive)]
    return np.unique(np.concatenate(quantiles))


def test_auc_and_its_complement_add_up_to_1(solver):
    assert scalar(solver.auc()) + scalar(solver.auc_complement()) == pytest.approx(1, abs=1e-11)
    assert scalar(solver.log_auc_complement()) == pytest.approx(np.log(scalar(solver.auc_complement())), rel=1e-9)


def test_exchanged_classes_exchange_the_areas(solver):
    exchanged = solver_for(solver.positive, solver.negative)
    assert scalar(exchanged.auc()) == pytest.approx(scalar(solver.auc_complement()), rel=1e-9)


def test_areas_of_neighbouring_bands_add_up_to_the_auc(solver):
    for axis in ("fpr", "tpr"):
        parts = [scalar(solver.area(axis, np.asarray(a), np.asarray(b))) for a, b in ((0, 0.1), (0.1, 0.6), (0.6, 1))]
        assert sum(parts) == pytest.approx(scalar(solver.auc()), abs=1e-9), axis


def test_an_area_is_the_quadrature_of_the_curve(name, solver):
    """400 nodes from FPR (or TPR) 0.2 to 0.7: 2e-3 for curves with steps, 1e-4 for others."""
    x = 0.45 + 0.25 * NODES
    for axis in ("fpr", "tpr"):
        heights = np.asarray(solver.along(axis, x))
        wanted = 0.25 * WEIGHTS @ (heights if axis == "fpr" else 1 - heights)
        found = scalar(solver.area(axis, np.asarray(0.2), np.asarray(0.7)))
        assert found == pytest.approx(wanted, abs=1e-4 if name in SMOOTH and "ratio" not in name else 2e-3)


def test_the_curve_rises_between_its_corners(solver):
    for axis in ("fpr", "tpr"):
        rates = np.asarray(solver.along(axis, np.linspace(0, 1, 301)))
        assert ((rates >= 0) & (rates <= 1)).all()
        assert (np.diff(rates) >= -1e-12).all()
    assert scalar(solver.along("fpr", np.asarray(1.0))) == 1
    assert scalar(solver.along("tpr", np.asarray(0.0))) == 0


def test_thresholds_meet_their_limits_and_the_curve(name, solver):
    for rate in RATES:
        at_fpr, at_tpr = (np.asarray(solver.threshold_at(axis, np.asarray(rate))) for axis in ("fpr", "tpr"))
        fpr, tpr = operating_points(solver, at_fpr)
        assert fpr <= rate * (1 + 1e-9) + 1e-15
        assert tpr <= scalar(solver.along("fpr", np.asarray(rate))) + 1e-9
        assert operating_points(solver, at_tpr)[1] >= rate * (1 - 1e-9) - 1e-15
        if name in SMOOTH:
            assert tpr == pytest.approx(scalar(solver.along("fpr", np.asarray(rate))), abs=1e-9)


@pytest.mark.parametrize("log_price", PRICES)
def test_the_optimum_beats_a_grid(solver, log_price):
    best = solver.optimal(np.asarray(log_price))
    found = scalar(best.tpr) - np.exp(log_price) * scalar(best.fpr)
    assert found >= max(utility(solver, grid_of(solver), log_price).max(), 0, 1 - np.exp(log_price)) - 1e-12
    assert scalar(best.tpr) + scalar(best.fnr) == pytest.approx(1, abs=1e-12)
    assert scalar(best.fpr) + scalar(best.tnr) == pytest.approx(1, abs=1e-12)
    assert scalar(best.plateau_low) <= scalar(best.threshold) <= scalar(best.plateau_high)


def test_the_optimum_of_many_prices_is_that_of_each(solver):
    many = solver.optimal(np.array(PRICES))
    assert np.shape(many.threshold) == np.shape(many.tpr) == (3,)
    assert many.crossings.shape[:-1] == (3,)
    for index, log_price in enumerate(PRICES):
        one = solver.optimal(np.asarray(log_price))
        for field in ("threshold", "tpr", "fpr", "tnr", "fnr", "plateau_low", "plateau_high"):
            assert getattr(many, field)[index] == getattr(one, field), field
        crossings = many.crossings[index]
        assert np.array_equal(crossings[~np.isnan(crossings)], one.crossings[~np.isnan(one.crossings)])
        assert {flag for flag in many.flags if np.broadcast_to(many.flags[flag], 3)[index]} == set(one.flags)


@pytest.mark.parametrize("log_price", PRICES)
def test_crossings_are_sign_changes_and_all_of_them(solver, log_price):
    """The sign of f1 - price f0 on 100,000 points changes as often as there are crossings, and just there."""
    crossings = np.asarray(solver.crossings(np.asarray(log_price)))
    crossings = crossings[~np.isnan(crossings)]
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
    if isinstance(solver, ShrinkageSolver):  # whose densities jump at the rows
        assert len(changes) >= len(crossings[(crossings > x[0]) & (crossings < x[-1])]) - 2
        return
    within = crossings[(crossings > x[0]) & (crossings < x[-1])]
    assert len(within) == len(changes)
    assert ((within >= x[changes]) & (within <= x[changes + 1])).all()


@pytest.mark.parametrize(
    ("pair", "prevalence", "n_crossings"),
    [
        ((stats.gumbel_l(), stats.gumbel_l(loc=0.5)), 0.7, 0),
        ((stats.genlogistic(1.3), stats.genlogistic(1.3, loc=0.7)), 0.3, 0),
        ((stats.genlogistic(1.3), stats.genlogistic(1.3, loc=0.7)), 0.7, 1),
        ((stats.hypsecant(), stats.hypsecant(loc=0.5)), 0.2, 0),
        ((stats.hypsecant(), stats.hypsecant(loc=0.5)), 0.8, 0),
        ((stats.hypsecant(), stats.hypsecant(loc=0.7)), 0.3, 0),
        ((stats.hypsecant(loc=0.7), stats.hypsecant()), 0.5, 1),
    ],
)
def test_no_crossing_where_the_log_ratio_moves_by_rounding_only(pair, prevalence, n_crossings):
    """Where the log ratio is flat far out, or a density has underflowed to 0, nothing crosses."""
    crossings = PredictedRoc(*pair).crossings(prevalence=prevalence)
    assert len(crossings) == n_crossings
    assert (np.abs(crossings) < 20).all()


def test_two_crossings_between_two_points_of_the_search_grid_are_found():
    """Mixtures of 12 narrow components: as many crossings as a scan of 400,001 points finds."""
    rng = np.random.default_rng(1)
    for _ in range(12):
        pair = [
            GaussianMixture(rng.dirichlet(np.ones(12)), rng.uniform(0, 30, 12), rng.uniform(0.2, 1.5, 12))
            for _ in range(2)
        ]
        solver = solver_for(*pair)
        crossings = solver.crossings(np.zeros(()))
        x = np.linspace(solver.panel_edges[0], solver.panel_edges[-1], 400_001)
        excess = np.asarray(pair[1].logpdf(x)) - pair[0].logpdf(x)
        inside = crossings[(crossings > x[0]) & (crossings < x[-1])]
        assert len(inside) == np.count_nonzero((excess[:-1] > 0) != (excess[1:] > 0))


def test_reflected_classes_in_each_others_place_have_the_mirrored_curve(name, solver):
    mirrored = solver_for(solver.positive.reflect(), solver.negative.reflect())
    assert scalar(mirrored.auc()) == pytest.approx(scalar(solver.auc()), rel=1e-10)
    for low, high in ((0.0, 0.3), (0.2, 0.9)):
        wanted = scalar(solver.area("tpr", np.asarray(low), np.asarray(high)))
        assert scalar(mirrored.area("fpr", np.asarray(1 - high), np.asarray(1 - low))) == pytest.approx(
            wanted, abs=1e-9
        )
    if name in SMOOTH:
        inner = RATES[1:-1]
        assert np.asarray(mirrored.along("fpr", 1 - inner)) == pytest.approx(
            1 - np.asarray(solver.along("tpr", inner)), abs=1e-8
        )


@pytest.mark.parametrize("name", sorted(SMOOTH - {"histogram", "laplace"}))
def test_the_slope_is_the_derivative(name, solver):
    """On curves without corners."""
    fpr, step = np.array([0.1, 0.45, 0.8]), 1e-6
    ends = [np.asarray(solver.along("fpr", fpr + sign * step)) for sign in (1, -1)]
    assert np.asarray(solver.slope(fpr)) == pytest.approx((ends[0] - ends[1]) / (2 * step), rel=1e-4, abs=1e-8)


def test_the_hook_is_the_area_below_the_chance_line(solver):
    fpr = np.linspace(0, 1, 20_001)
    below = np.maximum(0, fpr - np.asarray(solver.along("fpr", fpr)))
    hook = solver.hook()
    assert scalar(hook.area) == pytest.approx(np.trapezoid(below, fpr), abs=2e-4)
    if scalar(hook.area) > 1e-6:
        assert 0 <= scalar(hook.fpr_low) < scalar(hook.fpr_high) <= 1


@pytest.mark.parametrize("name", WITH_RATIO)
def test_the_likelihood_ratio_dominates(name, solver):
    """Its curve is nowhere below the other one or its mirror image, its rule as good as the optimum, its area whole."""
    ratio = solver.likelihood_ratio()
    fpr = np.array([0.02, 0.2, 0.5, 0.9])
    height = np.asarray(ratio.along("fpr", fpr))
    assert (height >= np.asarray(solver.along("fpr", fpr)) - 1e-9).all()
    assert scalar(ratio.auc()) >= max(scalar(solver.auc()), scalar(solver.auc_complement())) - 1e-9
    assert scalar(ratio.auc()) + scalar(ratio.auc_complement()) == pytest.approx(1, abs=1e-12)
    for axis in ("fpr", "tpr"):
        assert scalar(ratio.area(axis, np.zeros(()), np.ones(()))) == pytest.approx(scalar(ratio.auc()), abs=1e-8)
    if name == "density and values":
        return
    for log_price in PRICES:
        rule, best = ratio.rule(np.asarray(log_price)), solver.optimal(np.asarray(log_price))
        gain = rule.tpr - np.exp(log_price) * rule.fpr
        assert gain >= best.tpr - np.exp(log_price) * best.fpr - 1e-10
    rule = ratio.rule_at_fpr(np.asarray(0.3))
    assert rule.fpr <= 0.3 + 1e-9
    assert scalar(rule.tpr) + scalar(rule.fnr) == pytest.approx(1, abs=1e-10)


@pytest.mark.parametrize("name", WITH_RATIO)
def test_the_curve_of_the_likelihood_ratio_is_concave(name, solver):
    level, fpr, tpr = solver.likelihood_ratio().curve(101)
    assert (fpr[0], fpr[-1], tpr[-1]) == (0, 1, 1)
    assert (level[1:] <= level[:-1]).all()
    run, rise = np.diff(fpr), np.diff(tpr)
    assert (run >= -1e-12).all()
    assert (rise >= -1e-12).all()
    assert (rise[1:] * run[:-1] - rise[:-1] * run[1:] <= 1e-9).all()


@pytest.mark.parametrize(
    "name",
    [
        *(name for name in PAIRS if name.startswith("gaussian")),
        "normal",
        "samples",
        "samples tied",
        "gamma",
        "laplace",
        "beta",
        "mixture",
        "transformed",
    ],
)
def test_the_exact_solver_agrees_with_the_numerical_one(name):
    """Every quantity in closed form, or by counting, as by quadrature and search: to 1e-9."""
    solver, searched = SOLVERS[name], NumericalSolver(*PAIRS[name])
    for quantity in ("auc", "auc_complement"):
        assert compute(solver, quantity) == pytest.approx(compute(searched, quantity), rel=1e-9), quantity
    for quantity in ("tpr_at_fpr", "fpr_at_tpr"):
        assert compute(solver, quantity, RATES) == pytest.approx(compute(searched, quantity, RATES), abs=1e-9), quantity
    for quantity in ("partial_auc_fpr", "partial_auc_tpr"):
        band = np.asarray(0.1), np.asarray(0.6)
        assert compute(solver, quantity, *band) == pytest.approx(compute(searched, quantity, *band), abs=1e-9), quantity
    assert scalar(solver.hook().area) == pytest.approx(scalar(searched.hook().area), abs=1e-10)
    for log_price in map(np.asarray, PRICES):
        best, other = solver.optimal(log_price), searched.optimal(log_price)
        assert best.tpr - np.exp(log_price) * best.fpr == pytest.approx(
            other.tpr - np.exp(log_price) * other.fpr, abs=1e-10
        )
    if name.startswith("samples"):
        return
    exact, ranked = solver.likelihood_ratio(), searched.likelihood_ratio()
    for axis in ("fpr", "tpr"):
        assert exact.along(axis, RATES) == pytest.approx(ranked.along(axis, RATES), rel=1e-10, abs=1e-10), axis
        for band in ((0.0, 0.1), (0.3, 0.7)):
            ends = [np.asarray(end) for end in band]
            assert scalar(exact.area(axis, *ends)) == pytest.approx(scalar(ranked.area(axis, *ends)), rel=1e-10)
    assert scalar(exact.auc_complement()) == pytest.approx(scalar(ranked.auc_complement()), rel=1e-9, abs=1e-12)
    rules = [[ratio.rule(np.asarray(price)) for price in PRICES] for ratio in (exact, ranked)]
    for rule, other in zip(*rules, strict=True):
        assert rates_of(rule) == pytest.approx(rates_of(other), abs=1e-12)
    rule, other = (ratio.rule_at_fpr(np.asarray(0.3)) for ratio in (exact, ranked))
    assert rates_of(rule) == pytest.approx(rates_of(other), abs=1e-9)


def test_a_batch_is_a_loop():
    """The only solver of batches gives to each feature what it gives to that feature alone."""
    negative, positive = Gaussian([4, 0, 1, 0], [3, 1, 1, 0]), Gaussian([8, 1, 0, 2], [2, 1, 2, 1])
    batch, rate, price = BinormalSolver(negative, positive), np.asarray(0.3), np.asarray(0.4)
    assert batch.shape == (4,)
    quantities = {
        **dict.fromkeys(("auc", "auc_complement", "log_auc_complement", "proper_auc_complement"), ()),
        **dict.fromkeys(("tpr_at_fpr", "fpr_at_tpr", "threshold_at_fpr", "threshold_at_tpr", "slope"), (rate,)),
        **dict.fromkeys(("proper_tpr_at_fpr", "proper_fpr_at_tpr"), (rate,)),
        **dict.fromkeys(("partial_auc_fpr", "partial_auc_tpr", "proper_partial_auc_fpr"), (np.asarray(0.1), rate)),
        "crossings": (price,),
    }
    for index in range(4):
        pair = (Gaussian(d.mean[index], d.std[index]) for d in (negative, positive))
        alone = BinormalSolver(*pair)
        for quantity, args in quantities.items():
            many = compute(batch, quantity, *args)
            assert np.array_equal(many[index], compute(alone, quantity, *args), equal_nan=True), quantity
        for field in ("threshold", "tpr", "fpr", "plateau_low", "plateau_high"):
            assert getattr(batch.optimal(price), field)[index] == getattr(alone.optimal(price), field), field


def test_operating_points_are_computed_once():
    solver = EmpiricalSolver(Ecdf(LOW), Ecdf(HIGH))
    assert solver.points is solver.points
    assert solver.thresholds is solver.points.thresholds
    assert [SOLVERS[name].thresholds is None for name in ("samples", "gaussian", "histogram")] == [False, True, True]
