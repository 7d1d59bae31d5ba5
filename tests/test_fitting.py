"""Every named family computes all quantities of an ordinary sample, and refuses other data with a message."""

import pickle
from functools import cache

import numpy as np
import pytest
from scipy import stats

from rocpredict import RocPredictError, predict_roc
from rocpredict.distributions.ecdf import Ecdf
from rocpredict.distributions.fitting import FAMILIES, get_fitter
from rocpredict.distributions.gaussian import Gaussian
from rocpredict.distributions.power_transform import Transformed
from rocpredict.distributions.shrinkage import ShrinkageDistribution
from tests.cases import check_refusals, for_each, refusal

pytestmark = pytest.mark.filterwarnings("ignore:the data contradict")  # either direction is declared
RNG = np.random.default_rng(11)
NEGATIVE, POSITIVE = RNG.beta(2, 5, 24), RNG.beta(3, 4, 20)
X, Y = np.concatenate([NEGATIVE, POSITIVE]), np.repeat([0, 1], [24, 20])
ALL = [*FAMILIES, stats.gumbel_r]
CRITERIA = {
    "accuracy": {},
    "cost": {"cost_fp": 2},
    "f1": {},
    "f_beta": {"beta": 2},
    "closest_topleft": {},
    "min_tpr": {"value": 0.8},
    "min_tnr": {"value": 0.7},
    "max_fpr": {"value": 0.1},
}
SMALL = [0.02, 0.3, 0.9]
KINDS = ["gaussian", "auto", "boxcox", "kde", "mixture", "histogram", "empirical", "gamma"]
"""One family of each kind, for questions that take their time."""


@cache
def fitted(family, direction=None):
    """Fit each family to the common sample once."""
    return predict_roc(X, Y, family=family, direction=direction)


@for_each(ALL)
def test_every_family_has_one_curve(family):
    roc = fitted(family)
    auc, curve, best = roc.auc(), roc.curve(2001), roc.best_threshold()
    area = np.trapezoid(curve.tpr, curve.fpr)
    assert auc == pytest.approx(area, abs=2e-5)
    assert auc + roc.auc_complement() == pytest.approx(1, abs=1e-10)
    assert roc.log_auc_complement() == pytest.approx(np.log(roc.auc_complement()))
    assert roc.partial_auc(fpr=(0, 0.3)) + roc.partial_auc(fpr=(0.3, 1)) == pytest.approx(auc, abs=1e-9)
    assert roc.partial_auc(tpr=(0, 0.6)) + roc.partial_auc(tpr=(0.6, 1)) == pytest.approx(auc, abs=1e-9)
    rates, t = roc.rates(best.threshold), np.linspace(-0.2, 1.2, 1401)
    assert (rates.tpr, rates.fpr) == pytest.approx((best.tpr, best.fpr), abs=1e-12)
    assert best.ameans == pytest.approx(rates.ameans, abs=1e-12) or (family == "auto" and best.ameans < rates.ameans)
    assert rates.tpr + rates.fnr == pytest.approx(1)
    plateau = 0.01 if family == "auto" else 1e-9  # a tenth of a standard error
    assert rates.ameans >= max((roc.tpr(t) + roc.tnr(t)).max(), (curve.tpr + 1 - curve.fpr).max()) / 2 - plateau
    tpr, fpr, slope = roc.tpr_at_fpr(SMALL), roc.fpr_at_tpr(SMALL), roc.slope(SMALL)
    at_fpr, at_tpr = roc.threshold_at_fpr(SMALL), roc.threshold_at_tpr(SMALL)
    assert not np.isnan([tpr, fpr, slope, at_fpr, at_tpr]).any()
    assert min(*np.diff(tpr), *np.diff(fpr), *slope) >= 0
    assert (roc.fpr(at_fpr) <= np.array(SMALL) * (1 + 1e-9)).all()
    assert (roc.tpr(at_tpr) >= np.array(SMALL) * (1 - 1e-9)).all()


@for_each(ALL)
def test_every_family_has_an_interval_a_misfit_and_words(family):
    roc = fitted(family)
    interval, fit = roc.auc_interval(), roc.model_fit()
    assert interval.low <= roc.auc() <= interval.high
    assert interval.estimate == pytest.approx(roc.auc(), abs=1e-12)
    assert 0.1 < interval.high - interval.low < 0.45
    assert not np.isnan([fit.area_between, fit.misfit_ratio, fit.model_weight]).any()
    assert fit.area_between < (0.25 if family == "exponential" else 0.1)
    assert repr(roc).startswith(("PredictedRoc(negative=", "PredictedRoc(family 'auto', "))
    again = pickle.loads(pickle.dumps(roc.negative))
    assert np.array_equal(again.cdf(X), roc.negative.cdf(X))
    assert repr(again) == repr(roc.negative)
    times = np.resize([1, 2, 1, 3], len(X))  # whole weights are repeated rows
    weighed = predict_roc(X, Y, family=family, weights=times)
    repeated = predict_roc(np.repeat(X, times), np.repeat(Y, times), family=family)
    assert np.array_equal(weighed.negative.cdf(X), repeated.negative.cdf(X))
    assert np.array_equal(weighed.positive.cdf(X), repeated.positive.cdf(X))
    assert weighed.count == repeated.count


@for_each(KINDS)
def test_every_kind_of_family_has_criteria_hooks_and_directions(family):
    """Without a direction, or with that of the rows: one curve; contrary to them its mirror image, or for the shrunk
    estimate, which takes a declared direction as known, an AUC of 1/2 or more."""
    plain, lower, auto, higher = (fitted(family, direction) for direction in (None, "lower", "auto", "higher"))
    for criterion, options in CRITERIA.items():
        best = plain.best_threshold(criterion, **options)
        assert not np.isnan([best.threshold, best.tpr, best.fpr, best.criterion_value]).any()
        assert best.tpr >= (0.8 - 1e-9 if criterion == "min_tpr" else 0)
        assert best.fpr <= {"min_tnr": 0.3 + 1e-9, "max_fpr": 0.1 + 1e-9}.get(criterion, 1)
    hook, zone, crossings = plain.hook(), plain.grey_zone(), plain.crossings()
    assert not np.isnan([*hook, zone.low, zone.high, *crossings]).any()
    assert 0 <= hook.area < 0.01
    assert max(zone.fnr, zone.fpr) <= 0.05 + 1e-9
    assert (np.diff(crossings) > 0).all()
    assert (auto.direction, auto.auc()) == ("higher", plain.auc())
    if family == "auto":
        assert min(lower.auc(), higher.auc()) >= 0.5
    else:
        assert lower.auc() == pytest.approx(1 - plain.auc(), abs=1e-9)
        assert higher.auc() == plain.auc()
    best = lower.best_threshold()
    assert lower.tpr(best.threshold) == pytest.approx(best.tpr, abs=1e-12)


def test_each_pair_of_distributions_has_the_class_in_the_table():
    kinds = {"gaussian": Gaussian, "auto": ShrinkageDistribution, "empirical": Ecdf}
    kinds |= dict.fromkeys(("boxcox", "yeojohnson", "kde"), Transformed)
    for name, kind in kinds.items():
        assert isinstance(fitted(name).negative, kind)
        assert isinstance(fitted(name).positive, kind)
    for name in ("boxcox", "yeojohnson", "kde"):
        assert fitted(name).negative.transform == fitted(name).positive.transform
    assert fitted("yeojohnson").negative.transform.kind == "yeo-johnson"


def test_a_gaussian_on_another_axis_has_the_moments_of_its_rows():
    roc = fitted("boxcox")
    z = roc.negative.transform.transform(NEGATIVE)
    assert roc.negative.base.mean == pytest.approx(z.mean())
    assert roc.negative.base.std == pytest.approx(z.std(ddof=1))


def test_families_and_samples_that_cannot_be_fitted():
    wrong = ["normal", "Gaussian", "", None, 3, stats.norm(0, 1), stats.poisson, ["auto"]]
    assert refusal(predict_roc, [1, 2, 3, 4], [0, 0, 1, 1], family="gama").endswith("did you mean 'gamma'?")
    words = r"family=.* is not available; choose one of 'gaussian', 'auto'"
    refusals = [(get_fitter, (family,), words) for family in wrong]

    def fit(x, y, family):
        predict_roc(x, y, family=family)

    one_row = [0.1, 0.2, 0.4, 0.3], [0, 0, 0, 1]
    refusals += [(fit, (*one_row, name), "positive") for name in FAMILIES if name not in {"empirical", "histogram"}]
    constant = [0.2, 0.2, 0.2, 0.1, 0.5, 0.3], [0, 0, 0, 1, 1, 1]
    refusals += [
        (fit, (*constant, name), "negative class") for name in ("boxcox", "yeojohnson", "kde", "gamma", "mixture")
    ]
    with_infinity = np.append(X, np.inf), np.append(Y, 1)
    words = "x has infinite values in the positive class .1 of"
    refusals += [(fit, (*with_infinity, name), words) for name in ALL if name != "empirical"]
    check_refusals(refusals)
    assert 0.5 < predict_roc(*with_infinity, family="empirical").auc() < 1


def test_weights_that_are_no_counts_are_for_two_families_only():
    for family in ("auto", "boxcox", "gamma"):
        with pytest.raises(RocPredictError, match="weights of the negative class are not integers"):
            predict_roc(X, Y, family=family, weights=np.full(len(X), 0.5))


@for_each([("auto", None), ("auto", "lower"), ("boxcox", "lower"), ("gamma", None), ("mixture", "lower")])
def test_the_bootstrap_refits_each_resample(family, direction):
    """20 resamples: the interval holds the estimate, is that of the same seed, and knows the rule in use."""
    x = X if direction is None else 1 - X
    roc = predict_roc(x, Y, family=family, direction=direction)
    interval = roc.auc_interval(method="bootstrap", n_resamples=20)
    assert interval.low < roc.auc() < interval.high
    again = roc.auc_interval(method="bootstrap", n_resamples=20)
    assert (again.low, again.high) == (interval.low, interval.high)
    assert interval.method == "bootstrap"
    threshold = roc.best_threshold().threshold_interval(n_resamples=20)
    assert threshold.low <= roc.best_threshold().threshold <= threshold.high


def test_a_scipy_family_of_proportions_keeps_its_support():
    """SciPy would fit the location and the scale as well; proportions lie in (0, 1)."""
    values = stats.beta(2, 5).ppf((np.arange(60) + 0.5) / 60), stats.beta(4, 3).ppf((np.arange(50) + 0.5) / 50)
    roc = predict_roc(np.concatenate(values), np.repeat([0, 1], [60, 50]), family=stats.beta)
    for fitted, sample in zip((roc.negative, roc.positive), values, strict=True):
        assert (float(fitted.ppf(0)), float(fitted.ppf(1))) == (0, 1)
        shapes = stats.beta.fit(sample, floc=0, fscale=1)[:2]
        assert float(fitted.cdf(0.4)) == pytest.approx(stats.beta(*shapes).cdf(0.4), rel=1e-9, abs=0)
