"""Closed forms for two Gaussians against arithmetic of 100 digits, and the textbook formula, which must fail.

Accuracy asked of doubles: areas and rates 1e-15 (1 + z^2) relative (a probability in the tail is that sensitive
to its own z), z 1e-13 max(1, |z|), thresholds 4 ulps of the largest number at hand.
"""

import json
from itertools import product
from typing import NamedTuple

import mpmath as mp
import numpy as np
import pytest
from scipy.special import ndtr

import rocpredict as rp
from rocpredict.solvers.binormal import BinormalSolver, _cdf_difference
from tests.cases import check_each, for_each
from tests.oracle import CURVES, DIGITS, UNIT, Truth, pair_of, probit
from tests.quantities import compute
from tests.reference.data import HERE

TINY = 1e-300  # below, doubles lose digits by themselves
TIE = 1e-14  # of a utility


class Numbers(NamedTuple):
    """Numbers of one pair of classes by one formula: doubles."""

    auc: float
    auc_complement: float
    log_auc_complement: float
    threshold: float
    z0: float
    z1: float
    tpr: float
    fpr: float
    tnr: float
    fnr: float
    crossings: tuple[float, ...]


def library(m0, s0, m1, s1, log_price=0.0):
    solver = BinormalSolver(rp.Gaussian(m0, s0), rp.Gaussian(m1, s1))
    level = np.asarray(log_price)
    best = solver.optimal(level)
    z0, z1, _, _ = solver.crossing_z_scores(level)
    result = solver.crossings(level)
    areas = solver.auc(), solver.auc_complement(), solver.log_auc_complement()
    rates = best.threshold, z0, z1, best.tpr, best.fpr, best.tnr, best.fnr
    assert np.array_equal(result, best.crossings, equal_nan=True)
    return Numbers(*(float(value) for value in (*areas, *rates)), tuple(result[~np.isnan(result)].tolist()))


def textbook(m0, s0, m1, s1, log_price=0.0):
    """Solve a t^2 + b t + c = 0 by the textbook formula, and return the root with the higher Ameans."""
    m0, s0, m1, s1 = (np.float64(value) for value in (m0, s0, m1, s1))
    with np.errstate(all="ignore"):
        a = s1**2 - s0**2
        b = 2 * (m1 * s0**2 - m0 * s1**2)
        c = m0**2 * s1**2 - m1**2 * s0**2 + 2 * s0**2 * s1**2 * (np.log(s0 / s1) - log_price)
        root = np.sqrt(b**2 - 4 * a * c)
        result = sorted([(-b - root) / (2 * a), (-b + root) / (2 * a)])
        t = max(result, key=lambda x: ndtr(-(x - m1) / s1) + ndtr((x - m0) / s0))
        z0, z1 = (t - m0) / s0, (t - m1) / s1
        auc = ndtr((m1 - m0) / np.sqrt(s0**2 + s1**2))
        rates = ndtr(-z1), 1 - ndtr(z0), ndtr(z0), 1 - ndtr(-z1)
        areas = auc, 1 - auc, np.log(1 - auc)
    finite = tuple(float(x) for x in result if np.isfinite(x))
    return Numbers(*(float(value) for value in (*areas, t, z0, z1, *rates)), finite)


def error(got, exact):
    """Return the distance of a double from the exact number; NaN and infinities are infinitely far."""
    return float(abs(mp.mpf(got) - exact)) if np.isfinite(got) else np.inf


def relative_error(got, exact):
    return error(got, exact) / abs(exact) if exact else error(got, exact)


def tail_tolerance(z):
    """Return the relative error allowed to Phi(z)."""
    return 1e-15 * (1 + min(0.0, float(z)) ** 2)


def faults(numbers, truth, log_price=0.0, best=None):
    """Return each number that is less exact than doubles can be, with its error divided by the allowed error."""
    with mp.workdps(DIGITS):
        point, margin = best or truth.best(log_price)
        result = [*_area_faults(numbers, truth)]
        if margin <= TIE:  # what is best is then a matter of the last digit; it must be as good
            result += _regret_faults(numbers, truth, log_price)
        elif mp.isinf(point.threshold):
            result += [("threshold", numbers.threshold)] * (numbers.threshold != float(point.threshold))
            result += [("tpr", numbers.tpr)] * (numbers.tpr != float(point.tpr))
            result += [("fpr", numbers.fpr)] * (numbers.fpr != float(point.fpr))
        else:
            result += _point_faults(numbers, truth, point, log_price)
        return dict([*result, *_crossing_faults(numbers, truth, log_price)])


def _area_faults(numbers, truth):
    d = truth.separation()
    log_tolerance = 2e-15 if d > 0 else tail_tolerance(d)
    for name, tolerance in (
        ("auc", tail_tolerance(d)),
        ("auc_complement", tail_tolerance(-d)),
        ("log_auc_complement", log_tolerance),
    ):
        exact = getattr(truth, name)()
        off = relative_error(getattr(numbers, name), exact) / tolerance
        if off > 1 and abs(exact) > TINY:
            yield name, off


def _regret_faults(numbers, truth, log_price):
    utility = mp.mpf(numbers.tpr) - mp.exp(mp.mpf(log_price)) * mp.mpf(numbers.fpr)
    regret = truth.candidates(log_price)[0][0] - utility
    return [("regret", float(regret))] * (not regret <= 2 * TIE)


def _point_faults(numbers, truth, point, log_price):
    # the equation itself has a condition: near a double root of the weighted densities z moves by more
    # than its last digits when any one term is rounded. For equal weights that never matters.
    conditions = truth.z_tolerance(point, log_price) if log_price else (0, 0)
    widening = 1.0
    for name, condition in zip(("z0", "z1"), conditions, strict=True):
        exact = getattr(point, name)
        tolerance = max(1e-13 * max(1.0, abs(float(exact))), 8 * float(condition))
        widening = max(widening, tolerance / (1e-13 * max(1.0, abs(float(exact)))))
        if error(getattr(numbers, name), exact) > tolerance:
            yield name, error(getattr(numbers, name), exact) / tolerance
    scale = _scale(truth, point.threshold)
    if error(numbers.threshold, point.threshold) > 4 * np.spacing(scale) * widening:
        yield "threshold", error(numbers.threshold, point.threshold) / np.spacing(scale)
    for name, z in (("tpr", -point.z1), ("fpr", -point.z0), ("tnr", point.z0), ("fnr", point.z1)):
        exact = getattr(point, name)
        off = relative_error(getattr(numbers, name), exact) / (tail_tolerance(z) * widening)
        if off > 1 and exact > TINY:
            yield name, off


def _crossing_faults(numbers, truth, log_price):
    exact = [root for root in truth.crossings(log_price) if abs(root) < np.finfo(float).max]
    if len(exact) != len(numbers.crossings):
        yield "crossing_count", len(numbers.crossings)
        return
    for index, (result, root) in enumerate(zip(numbers.crossings, exact, strict=True)):
        allowed = 4 * np.spacing(_scale(truth, root))
        if log_price:
            by_z = zip((truth.s0, truth.s1), truth.z_tolerance(truth.at(root), log_price), strict=True)
            allowed += 8 * max(s * float(tolerance) for s, tolerance in by_z)
        if error(result, root) > allowed:
            yield f"crossing_{index}", error(result, root) / allowed


def _scale(truth, threshold):
    return max(abs(truth.m0), abs(truth.m1), truth.s0, truth.s1, abs(float(threshold)))


RATIOS = (1, 1 + 1e-15, 1 + 1e-12, 1 - 1e-12, 1 + 1e-8, 1 - 1e-8, 0.999, 1.5, 0.1, 30, 1e3, 1e-3, 1e6, 1e-6)
DISTANCES = (0, 1e-9, 0.3, -0.3, 1, -1, 3, -8, 20, 36)  # in units of the wider class
OFFSETS = (0.0, 1e3, -1e8, 1e12)
EQUAL_WEIGHTS = [pair_of(*c) for c in product(RATIOS, DISTANCES, OFFSETS) if c[0] != 1 or c[1]]
LEVELS = (0.4, -0.4, 2.5, -6.0, 30.0, 1e-12)
WEIGHTED = [pair_of(*c) for c in product(RATIOS[::2], DISTANCES, (0.0, 1e8)) if c[0] != 1 or c[1]]


@for_each([(0.0, 400, EQUAL_WEIGHTS), *((level, 40, WEIGHTED) for level in LEVELS)])
def test_each_number_is_as_exact_as_doubles_can_be(level, least, cases):
    """With equal weights, and at six prices; enough cases have one best threshold."""
    clear = []

    def check(case):
        truth = Truth(*case)
        best = truth.best(level)
        clear.append(best[1] > TIE)
        assert faults(library(*case, level), truth, level, best) == {}

    check_each({str(case): case for case in cases}, check)
    assert sum(clear) >= least


@for_each([1, 1 + 1e-12, 0.5, 1e3], [-990, -500, -140, -1, 1, 140, 500, 990])
def test_any_unit(ratio, exponent):
    """In units of 1e-298 to 1e298, the digits do not change, because scales are powers of two here."""
    case = pair_of(ratio, 1.7)
    scaled = tuple(float(np.ldexp(part, exponent)) for part in case)
    assert faults(library(*scaled), Truth(*scaled)) == {}
    assert library(*scaled)[:3] == library(*case)[:3]
    assert library(*scaled)[3:10] == (float(np.ldexp(library(*case).threshold, exponent)), *library(*case)[4:10])


@for_each([10, 20, 30, 37, -10, -37])
def test_tails_keep_their_digits(distance):
    """Complements down to 1e-300 have all their digits, and logarithms go on where numbers end."""
    case = (0.0, 1.0, distance * np.sqrt(2), 1.0)
    truth = Truth(*case)
    assert min(truth.auc(), truth.auc_complement()) < 1e-22
    assert faults(library(*case), truth) == {}
    far = (0.0, 1.0, distance * 1e3, 1.0)
    got = float(BinormalSolver(*(rp.Gaussian(*part) for part in (far[:2], far[2:]))).log_auc_complement())
    exact = Truth(*far).log_auc_complement()
    assert abs(exact) < TINY or relative_error(got, exact) < 2e-15


@for_each(
    [0.0, 1e-15, -1e-15, 1e-9, -1e-9, 1e-4, -1e-4], [(0.0, 1.0, 1.0, 0.5), (4.0, 3.0, 8.0, 2.0), (0.0, 1.0, 1.0, 3.0)]
)
def test_near_a_double_root_nothing_is_lost(step, *case):
    """There crossings come and go with the last bit, but the rule that is chosen stays the best one."""
    m0, s0, m1, s1 = case
    level = -((m1 - m0) ** 2) / (2 * (s1**2 - s0**2)) - np.log(s1 / s0) + step
    numbers = library(*case, level)
    assert all(np.isfinite(numbers.crossings))
    with mp.workdps(DIGITS):
        utilities = Truth(*case).candidates(level)
        assert utilities[0][0] - (mp.mpf(numbers.tpr) - mp.exp(level) * mp.mpf(numbers.fpr)) < 1e-15


@for_each(
    [(0.5, 3.0, 1.0), (0.1, 1.0, 1.0), (0.01, 1.0, 70.0)],
    [(0.0, 1.0, 1.0, 1.0), (4.0, 3.0, 8.0, 2.0), (0.0, 1.0, -1.0, 2.0), (0.0, 1.0, 0.5, 4.0)],
)
def test_costs_reach_the_crossing(prevalence, cost_fp, cost_fn, *case):
    roc = rp.PredictedRoc(rp.Gaussian(*case[:2]), rp.Gaussian(*case[2:]))
    weights = {"prevalence": prevalence, "cost_fp": cost_fp, "cost_fn": cost_fn}
    best = roc.best_threshold("cost", **weights)
    with mp.workdps(DIGITS):
        share = mp.mpf(prevalence)
        level = mp.log((1 - share) * cost_fp / (share * cost_fn))
        point = Truth(*case).best(float(level))[0]
    assert best.threshold == pytest.approx(float(point.threshold), rel=1e-13)
    assert (best.tpr, best.fpr) == pytest.approx((float(point.tpr), float(point.fpr)), rel=1e-12)
    assert roc.crossings(**weights) == pytest.approx(
        [float(t) for t in Truth(*case).crossings(float(level))], rel=1e-12
    )


# ---- along the curve

RATES = (1e-300, 1e-200, 1e-20, 1e-6, 0.1, 0.5, 0.9, 1 - 1e-9)


@for_each(CURVES)
def test_along_the_curve(*case):
    """A z-score that is a difference is allowed the rounding of its terms, and the rate what that does to it."""
    pair, truth = (rp.Gaussian(*case[:2]), rp.Gaussian(*case[2:])), Truth(*case)
    m0, s0, m1, s1 = case
    for rate in RATES:
        probit_of_rate = probit(rate)
        x = abs(float(probit_of_rate))
        for name, inner, outer in (("tpr_at_fpr", s0, s1), ("fpr_at_tpr", s1, s0), ("slope", s0, s1)):
            exact = getattr(truth, name)(rate)
            if not TINY < exact < 1 / TINY:
                continue
            terms = (abs(m1 - m0) + inner * x) / outer
            sign = -1 if name == "fpr_at_tpr" else 1
            z = abs(float(mp.mpf(m1) - mp.mpf(m0) + sign * inner * probit_of_rate))
            allowed = 1e-15 * (1 + x * x * (name == "slope")) + 8 * UNIT * (1 + z / outer) * (1 + terms)
            result = float(compute(BinormalSolver(*pair), name, np.asarray(rate)))
            assert relative_error(result, exact) <= allowed, (name, rate)
    roc = rp.PredictedRoc(*pair)
    assert [roc.tpr_at_fpr(0), roc.tpr_at_fpr(1), roc.fpr_at_tpr(0), roc.fpr_at_tpr(1)] == [0, 1, 0, 1]


@for_each([tuple(row) for row in json.loads((HERE / "binormal.json").read_text())])
def test_searches_and_integrals_in_high_precision(quantity, case, options, values):
    """Against binormal.json: areas to 1e-12 relative; the optimum of F is flat: 1e-7 in the threshold is 1e-14 in F."""
    pair, exact = (rp.Gaussian(*case[:2]), rp.Gaussian(*case[2:])), mp.mpf(values[0])
    if quantity == "best_f_beta":
        prevalence, beta = options
        best = rp.PredictedRoc(*pair).best_threshold("f_beta", prevalence=prevalence, beta=beta)
        score = rp.PredictedRoc(*pair).rates(best.threshold, prevalence=prevalence).f_beta(beta)
        assert score == pytest.approx(float(values[1]), rel=1e-14)
        assert best.threshold == pytest.approx(float(exact), abs=1e-7)
    elif quantity == "area_below_chance":
        area = float(BinormalSolver(*pair).hook().area)
        assert exact < TINY or relative_error(area, exact) < 1e-12
        assert exact > TINY or area < TINY
    else:
        area = float(compute(BinormalSolver(*pair), quantity, *(np.asarray(float(end)) for end in options)))
        assert exact < TINY or relative_error(area, exact) < 1e-12


@for_each([*CURVES[::3], pair_of(1 + 1e-12, 12), pair_of(3, 30), pair_of(1, 30)])
def test_likelihood_ratio_rule(*case):
    roc, truth = rp.PredictedRoc(rp.Gaussian(*case[:2]), rp.Gaussian(*case[2:])), Truth(*case)
    if len(truth.crossings()) == 2:
        rule = roc.proper().best_rule()
        # a narrow interval is a difference of its ends, which are rounded
        low, high = (truth.at(t) for t in truth.crossings())
        narrow = max(max(abs(z), abs(w)) / (w - z) for z, w in ((low.z0, high.z0), (low.z1, high.z1)))
        for name, exact in zip(("tpr", "fpr", "tnr", "fnr"), truth.two_sided(), strict=True):
            allowed = max(1e-12, 4 * UNIT * float(narrow))
            assert exact < TINY or relative_error(getattr(rule, name), exact) < allowed, name


@for_each(
    {
        "equal SD": pair_of(1, 1.7),
        "ratio 1 + 1e-12": pair_of(1 + 1e-12, 1.7),
        "offset 1e8": pair_of(1.5, 1.7, 1e8),
        "offset 1e10": pair_of(1.5, 1.7, 1e10),
        "offset 1e12": pair_of(1.5, 1.7, 1e12),
        "scale 1e-300": pair_of(1.5, 1.7, scale=1e-300),
        "scale 1e300": pair_of(1.5, 1.7, scale=1e300),
    }
)
def test_the_textbook_quadratic_fails(*case):
    """The check can fail: in the same cases, the threshold of the textbook formula is wrong."""
    assert faults(library(*case), Truth(*case)) == {}
    assert {"threshold", "z0", "z1"} <= faults(textbook(*case), Truth(*case)).keys()
    # where it is easy, the textbook formula is right
    assert not {"threshold", "z0", "z1", "auc", "tpr"} & faults(textbook(4, 3, 8, 2), Truth(4, 3, 8, 2)).keys()


def test_the_oracle_agrees_with_its_own_equations():
    """A crossing is where the densities meet, the best point beats its neighbourhood, a whole area is the AUC."""
    truth = Truth(4.0, 3.0, 8.0, 2.0)
    with mp.workdps(DIGITS):
        for t in truth.crossings(0.7):
            log_ratio = mp.log(mp.npdf(t, 8, 2)) - mp.log(mp.npdf(t, 4, 3))
            assert abs(log_ratio - mp.mpf(0.7)) < mp.mpf(10) ** -90
        best = truth.best()[0]
        for step in (-1e-6, 1e-6):
            near = truth.at(best.threshold + step)
            assert near.tpr - near.fpr < best.tpr - best.fpr
    assert abs(truth.partial_auc_fpr(0, 1) - truth.auc()) < 1e-20
    assert abs(truth.partial_auc_tpr(0, 1) - truth.auc()) < 1e-20


def test_short_differences_of_the_normal_distribution_function():
    """The series for short steps, and the difference for long ones, to 5e-15 of 50 digits."""
    for middle, step in product((-3.0, -0.5, 0.0, 1.0, 2.5), (1e-9, 1e-3, 4e-3, 0.0099, 0.0199, 0.03)):
        low, high = middle - step / 2, middle + step / 2
        with mp.workdps(50):
            exact = float(mp.ncdf(mp.mpf(middle) + mp.mpf(step) / 2) - mp.ncdf(mp.mpf(middle) - mp.mpf(step) / 2))
        found = _cdf_difference(*map(np.asarray, (low, high, step)))
        assert float(found) == pytest.approx(exact, rel=5e-15 if step * (1 + abs(middle)) < 0.02 else 1e-12, abs=0)
