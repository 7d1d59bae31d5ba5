"""Power transforms, classes on a transformed axis, classes between a sample and a model, and their solvers."""

import pickle
from functools import partial
from itertools import product

import numpy as np
import pytest
from scipy import stats

import rocpredict as rp
from rocpredict import Ecdf, Gaussian, PredictedRoc
from rocpredict.distributions.families import PARAMETRIC_FAMILIES, fit_family
from rocpredict.distributions.fitting import get_fitter
from rocpredict.distributions.power_transform import PowerTransform, Transformed
from rocpredict.inference.bootstrap import BootstrapOptions
from rocpredict.solvers.families import solver_for
from rocpredict.solvers.numerical import NumericalSolver
from rocpredict.solvers.thresholds import ThresholdCriterion, find_best_threshold
from tests.cases import check_refusals, for_each
from tests.quantities import OF_A_BATCH

TRANSFORMS = {
    "box-cox -3": PowerTransform("box-cox", -3.0, 0.0, 2.0, -0.5, 0.6),
    "box-cox 0": PowerTransform("box-cox", 0.0, 0.0, 2.0, -1.0, 1.5),
    "box-cox 0.5": PowerTransform("box-cox", 0.5, 0.0, 1e-200, -1.0, 1.5),
    "box-cox 1": PowerTransform("box-cox", 1.0, 0.0, 1e200, -0.3, 1.5),
    "box-cox 4": PowerTransform("box-cox", 4.0, 0.0, 2.0, -0.5, 0.6),
    "yeo-johnson -3": PowerTransform("yeo-johnson", -3.0, 0.5, 2.0, -0.5, 0.6),
    "yeo-johnson 0": PowerTransform("yeo-johnson", 0.0, 0.5, 2.0, -1.0, 1.5),
    "yeo-johnson 1": PowerTransform("yeo-johnson", 1.0, -7.0, 2.0, -1.0, 1.5),
    "yeo-johnson 2": PowerTransform("yeo-johnson", 2.0, 0.5, 0.1, -1.0, 1.5),
    "yeo-johnson 4": PowerTransform("yeo-johnson", 4.0, 0.5, 2.0, 0.2, 0.6),
}
TRANSFORMS |= {f"reflected {name}": t.reflect() for name, t in TRANSFORMS.items()}


def spread_of(t, reach=4.0):
    """Values from far below to far above those that a transform was fitted to, ascending; none at its centre."""
    logs = np.linspace(t.low - reach, t.high + reach, 400)
    u = np.exp(logs) if t.kind == "box-cox" else np.copysign(np.expm1(np.abs(logs)), logs)
    x = t.centre + t.scale * u
    return np.sort(-x if t.reflected else x)


@for_each(TRANSFORMS)
def test_power_transform_increases_and_can_be_inverted(transform):
    x = spread_of(transform)
    assert transform.inverse_transform(transform.transform(x)) == pytest.approx(
        x, rel=1e-12, abs=1e-12 * transform.scale
    )
    assert (np.diff(transform.transform(x)) > 0).all()
    z = np.linspace(*transform.transform(spread_of(transform, 2.0))[[0, -1]], 301)
    assert transform.transform(transform.inverse_transform(z)) == pytest.approx(z, rel=1e-12, abs=1e-12)
    x = transform.inverse_transform(np.array([-np.inf, -40.0, -3.0, 0.0, 3.0, 40.0, np.inf]))
    assert not np.isnan(x).any()
    assert (np.diff(x[np.isfinite(x)]) >= 0).all()


@for_each(TRANSFORMS)
def test_power_transform_log_slope_is_that_of_a_difference_quotient(transform):
    """It is continuous at the ends, where the slope bends in the logarithm."""
    x = spread_of(transform)
    x = x[(np.arange(len(x)) % 7) == 3]
    near = np.abs(x - np.where(transform.reflected, -1, 1) * transform.centre)
    h = 1e-5 * (near + transform.scale if transform.kind == "yeo-johnson" else np.abs(x))
    slope = (transform.transform(x + h) - transform.transform(x - h)) / (2 * h)
    ends = transform.inverse_transform(transform.transform(spread_of(transform, 0.0))[[0, -1]])
    smooth = (np.abs(x[:, None] - ends) > 2 * h[:, None]).all(axis=1)
    assert smooth.sum() > 40
    assert np.exp(transform.log_derivative(x[smooth])) == pytest.approx(slope[smooth], rel=1e-5)
    step = 1e-9 * np.maximum(np.abs(ends), transform.scale)
    assert transform.log_derivative(ends - step) == pytest.approx(transform.log_derivative(ends + step), abs=1e-7)


@for_each([-3.0, -0.4, 0.0, 0.5, 1.0, 2.0, 4.0])
def test_power_transform_equals_scipys(power):
    x = np.linspace(0.4, 5, 50)
    boxcox = PowerTransform("box-cox", power, 0.0, 1.0, -5.0, 5.0)
    assert boxcox.transform(x) == pytest.approx(stats.boxcox(x, power), rel=1e-12, abs=1e-14)
    x = np.linspace(-4, 4, 81)
    folded = PowerTransform("yeo-johnson", power, 0.0, 1.0, -5.0, 5.0)
    assert folded.transform(x) == pytest.approx(stats.yeojohnson(x, power), rel=1e-12, abs=1e-14)


def test_power_transform_separates_neighbours_on_a_large_offset():
    """log(x/scale), not log x - log scale: at 1e9 the latter has a grain of 3e-15, x itself one of 1e-16."""
    t = PowerTransform("box-cox", 1.0, 0.0, 1e9, -1e-14, 1e-14)
    x = 1e9 + np.spacing(1e9) * np.arange(-30, 31)
    assert t.transform(x) == pytest.approx((x - 1e9) / 1e9, rel=0, abs=2e-16)
    assert np.abs(t.inverse_transform(t.transform(x)) - x).max() <= np.spacing(1e9)


def test_power_transform_keeps_the_whole_range_of_floats():
    t = PowerTransform("box-cox", 0.0, 0.0, 1e-100, -500.0, 900.0)
    x = np.array([5e-324, 1e-300, 1.0, 1e300])
    assert t.transform(x) == pytest.approx(np.log(x) + 100 * np.log(10), rel=1e-13)
    assert t.inverse_transform(t.transform(x)) == pytest.approx(x, rel=1e-12)
    assert t.transform(np.array([0.0, -1.0, -np.inf])).tolist() == [-np.inf] * 3
    assert t.transform(np.array([np.inf])).tolist() == [np.inf]


def test_power_transform_refuses_invalid_arguments():
    fields = {"kind": "box-cox", "power": 0.5, "centre": 0.0, "scale": 1.0, "low": -1.0, "high": 1.0}
    wrong = [("kind", "log"), ("scale", 0.0), ("scale", -1.0), ("centre", 0.1), ("low", 2.0), ("high", np.inf)]
    wrong += [("power", np.nan), ("power", np.inf)]
    words = r"is not a valid power transform; expected a kind in \('box-cox', 'yeo-johnson'\)"
    check_refusals([(partial(PowerTransform, **fields | {name: value}), (), words) for name, value in wrong])


BASES = Gaussian(-0.2, 0.5), Gaussian(0.4, 0.8)


@for_each(TRANSFORMS)
def test_transformed_the_curve_is_that_of_the_bases(transform):
    """Areas and rates bit for bit those of two Gaussians; thresholds turned back give the rates they stand for."""
    pair = [Transformed(base, transform) for base in BASES]
    roc, binormal = PredictedRoc(*pair), PredictedRoc(*BASES)
    assert roc.auc() == binormal.auc()
    assert roc.auc_complement() == binormal.auc_complement()
    assert roc.log_auc_complement() == binormal.log_auc_complement()
    assert roc.partial_auc(fpr=(0.1, 0.4)) == binormal.partial_auc(fpr=(0.1, 0.4))
    rates = np.array([0.02, 0.3, 0.9])
    assert np.array_equal(roc.tpr_at_fpr(rates), binormal.tpr_at_fpr(rates))
    assert roc.fpr(roc.threshold_at_fpr(rates)) == pytest.approx(rates, rel=1e-9)
    assert roc.tpr(roc.threshold_at_tpr(rates)) == pytest.approx(rates, rel=1e-9)
    best, wanted = roc.best_threshold(), binormal.best_threshold()
    assert best.ameans == wanted.ameans
    assert roc.tpr(best.threshold) == pytest.approx(wanted.tpr, rel=1e-9)
    assert transform.transform(np.asarray(best.crossings)) == pytest.approx(wanted.crossings, rel=1e-9)
    # a Box-Cox axis ends at 0; the threshold that calls everybody positive is -inf there too
    assert roc.threshold_at_fpr(1.0) == roc.threshold_at_tpr(1.0) == -np.inf
    assert roc.threshold_at_fpr(0.0) == roc.threshold_at_tpr(0.0) == np.inf
    everybody = roc.best_threshold("cost", prevalence=1 - 1e-9, cost_fp=1e-9)
    assert (everybody.threshold, everybody.tpr, everybody.fpr) == (-np.inf, 1, 1)
    d = pickle.loads(pickle.dumps(pair[0]))
    assert d == pair[0]
    assert d.cdf(1.3) == pair[0].cdf(1.3)
    sign = "-" if transform.reflected else ""
    assert repr(d) == f"Transformed({BASES[0]!r}, {sign}{transform.kind}, power {transform.power:.6g})"


def test_transformed_pairs_with_different_transforms_are_numerical():
    pair = Transformed(BASES[0], TRANSFORMS["box-cox 0"]), Transformed(BASES[1], TRANSFORMS["box-cox 4"])
    assert type(solver_for(*pair)) is NumericalSolver


def test_invalid_transforms_are_refused():
    refusals = [(Transformed, (BASES[0], None), "transform=None is not a PowerTransform")]
    for base in (Gaussian([0, 1], 1), Gaussian(0, 0), Ecdf([1, 2]), 3.0, None):
        words = "is not a continuous distribution of one feature"
        refusals += [(Transformed, (base, TRANSFORMS["box-cox 0"]), f"base=.* {words}")]
    check_refusals(refusals)


@for_each(
    [
        *product(["boxcox", "yeojohnson"], [None, "lower"]),
        ("kde", "lower"),
        ("kde of ties", None),
        ("kde of equal classes", None),
        *product(PARAMETRIC_FAMILIES, [None]),
        ("weibull", "lower"),
        ("student_t of ties", "lower"),
        ("logistic of equal classes", None),
    ]
)
def test_resamples_fitted_as_a_batch_equal_single_fits(family, direction):
    rng = np.random.default_rng(31)
    x, y = np.concatenate([rng.gamma(4, 1, 25), rng.gamma(5, 1.3, 30)]), np.repeat([0, 1], [25, 30])
    if " of " in family:
        x = np.round(x) if "ties" in family else rng.permutation(x)
    family, x = family.split()[0], 1 / (1 + x) if direction or "beta" in family else x
    direction = "lower" if "beta" in family else direction
    resampling = BootstrapOptions(20, 5)
    refit = rp.predict_roc(x, y, family=family, direction=direction)._uncertainty(20, 5).refit
    (pair,) = refit.bootstrap_fits(resampling)
    batch = solver_for(*pair)
    assert batch.shape == (20,)
    samples, single = (refit.negative, refit.positive), []
    for counts in resampling.resample_counts((None, None), (25, 30)):
        for draws in zip(*counts, strict=True):
            rows = [np.repeat(part, n.astype(int)) for part, n in zip(samples, draws, strict=True)]
            single.append(solver_for(*refit.fit(*rows)))
    quantities = OF_A_BATCH | {
        "TPR of 0.9": lambda solver: (
            find_best_threshold(solver, ThresholdCriterion(criterion="min_tpr", value=0.9)).threshold
        ),
        "closest": lambda solver: find_best_threshold(solver, ThresholdCriterion(criterion="closest_topleft")).tpr,
    }
    if family == "kde":
        del quantities["closest"]  # slow, and the same search
    if family in PARAMETRIC_FAMILIES:
        batch, single = solver_for(*(d[:3] for d in pair)), single[:3]
        del quantities["closest"]
    least, atol = (1e-9, 1e-12) if family in PARAMETRIC_FAMILIES else (1e-12, 1e-14)
    for name, quantity in quantities.items():
        expected = [float(quantity(solver)) for solver in single]
        tolerance = 1e-6 if name == "closest" else least  # a search stops near the optimum
        np.testing.assert_allclose(quantity(batch), expected, rtol=tolerance, atol=atol, err_msg=name)


@for_each(list(PARAMETRIC_FAMILIES))
def test_a_batch_of_a_named_family_omits_what_cannot_be_fitted(name):
    rows = np.array([[0.2, 0.3, 0.5, 0.9], [0.4, 0.4, 0.4, 0.4], [0.1, 0.2, 0.6, 0.7], [0.2, 0.2, 0.2, 0.8]])
    pair = get_fitter(name)(rows, rows[::-1])
    assert [d.shape for d in pair] == [(2,), (2,)]
    single = fit_family(name, rows[0], "negative")
    np.testing.assert_allclose(pair[0].ppf(0.3)[0], single.ppf(0.3), rtol=1e-12)
    np.testing.assert_allclose(pair[0].isf(0.3)[0], single.isf(0.3), rtol=1e-12)


def test_a_resample_with_a_constant_class_is_omitted_from_a_batch():
    negative, positive = np.array([[1.0, 2, 3], [2, 2, 2]]), np.array([[2.0, 3, 5], [1, 3, 4]])
    pair = get_fitter("boxcox")(negative, positive)
    assert pair[0].shape == (1,)
    single = get_fitter("boxcox")(negative[0], positive[0])
    assert solver_for(*pair).auc()[0] == pytest.approx(float(solver_for(*single).auc()), rel=1e-14)
