"""Every family by name answers every question about a common sample, and refuses in words what it cannot take."""

import pickle

import numpy as np
import pytest
from scipy import stats

from rocpredict import RocPredictError, predict_roc
from rocpredict.base.validation import AssumptionWarning
from rocpredict.distributions.ecdf import Ecdf
from rocpredict.distributions.fitting import FAMILIES, get_fitter
from rocpredict.distributions.gaussian import Gaussian
from rocpredict.distributions.power import Transformed
from rocpredict.distributions.shrinkage import ShrinkageDistribution

pytestmark = pytest.mark.filterwarnings("ignore:the rows say the opposite")  # either direction is declared

RNG = np.random.default_rng(11)
NEGATIVE, POSITIVE = RNG.beta(2, 5, 24), RNG.beta(3, 4, 20)
X, Y = np.concatenate([NEGATIVE, POSITIVE]), np.repeat([0, 1], [24, 20])
ALL = [*FAMILIES, stats.gumbel_r]
NAMES = [family if isinstance(family, str) else family.name for family in ALL]
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
_FITTED = {}


def fitted(family, direction=None):
    """Fit each family to the common sample once."""
    key = getattr(family, "name", family), direction
    if key not in _FITTED:
        _FITTED[key] = predict_roc(X, Y, family=family, direction=direction)
    return _FITTED[key]


@pytest.fixture(params=ALL, ids=NAMES)
def family(request):
    return request.param


class TestEveryFamily:
    def test_area_is_that_under_the_curve(self, family):
        roc = fitted(family)
        curve = roc.curve(2001)
        area = np.sum(np.diff(curve.fpr) * (curve.tpr[1:] + curve.tpr[:-1]) / 2)
        assert roc.auc() == pytest.approx(area, abs=2e-4 if family == "auto" else 2e-5)  # their rows are steps
        assert roc.auc() + roc.auc_complement() == pytest.approx(1, abs=1e-10)
        assert roc.log_auc_complement() == pytest.approx(np.log(roc.auc_complement()))
        assert roc.partial_auc(fpr=(0, 1)) == pytest.approx(roc.auc(), abs=1e-9)
        assert roc.partial_auc(fpr=(0, 0.3)) + roc.partial_auc(fpr=(0.3, 1)) == pytest.approx(roc.auc(), abs=1e-9)
        assert roc.partial_auc(tpr=(0, 0.6)) + roc.partial_auc(tpr=(0.6, 1)) == pytest.approx(roc.auc(), abs=1e-9)

    def test_the_best_threshold_is_what_it_says_and_none_beats_it(self, family):
        roc = fitted(family)
        best, curve = roc.best_threshold(), roc.curve()
        assert (roc.tpr(best.threshold), roc.fpr(best.threshold)) == pytest.approx((best.tpr, best.fpr), abs=1e-12)
        t = np.linspace(-0.2, 1.2, 1401)
        assert best.ameans >= max((roc.tpr(t) + roc.tnr(t)).max(), (curve.tpr + 1 - curve.fpr).max()) / 2 - 1e-9
        rates = roc.rates(best.threshold)
        assert rates.ameans == pytest.approx(best.ameans, abs=1e-12)
        assert rates.tpr + rates.fnr == pytest.approx(1)

    @pytest.mark.parametrize("family", KINDS)
    @pytest.mark.parametrize("criterion", CRITERIA)
    def test_every_criterion_has_a_threshold(self, family, criterion):
        best = fitted(family).best_threshold(criterion, **CRITERIA[criterion])
        assert not np.isnan([best.threshold, best.tpr, best.fpr, best.criterion_value]).any()
        limits = {
            "min_tpr": best.tpr >= 0.8 - 1e-9,
            "min_tnr": best.fpr <= 0.3 + 1e-9,
            "max_fpr": best.fpr <= 0.1 + 1e-9,
        }
        assert limits.get(criterion, True)

    def test_rates_along_the_curve(self, family):
        roc = fitted(family)
        tpr, fpr, slope = roc.tpr_at_fpr(SMALL), roc.fpr_at_tpr(SMALL), roc.slope(SMALL)
        assert not np.isnan([tpr, fpr, slope, roc.threshold_at_fpr(SMALL), roc.threshold_at_tpr(SMALL)]).any()
        assert (np.diff(tpr) >= 0).all()
        assert (np.diff(fpr) >= 0).all()
        assert (slope >= 0).all()
        assert (roc.fpr(roc.threshold_at_fpr(SMALL)) <= np.array(SMALL) * (1 + 1e-9)).all()
        assert (roc.tpr(roc.threshold_at_tpr(SMALL)) >= np.array(SMALL) * (1 - 1e-9)).all()

    @pytest.mark.parametrize("family", KINDS)
    def test_hook_crossings_and_grey_zone(self, family):
        roc = fitted(family)
        hook, zone, crossings = roc.hook(), roc.grey_zone(), roc.crossings()
        assert not np.isnan([*hook, zone.low, zone.high, zone.fnr, zone.fpr, *crossings]).any()
        assert 0 <= hook.area < 0.01
        assert zone.fnr <= 0.05 + 1e-9
        assert zone.fpr <= 0.05 + 1e-9
        assert (np.diff(crossings) > 0).all()

    def test_the_area_lies_in_its_interval(self, family):
        roc = fitted(family)
        interval = roc.auc_interval()
        assert interval.low <= roc.auc() <= interval.high
        assert interval.estimate == pytest.approx(roc.auc(), abs=1e-12)
        assert 0.1 < interval.high - interval.low < 0.45

    @pytest.mark.parametrize("family", KINDS)
    def test_directions(self, family):
        """Left out, or resolved from the rows: the same curve; contrary to them its mirror image, or for the shrunk
        estimate, which believes what is declared, an AUC of 1/2 or more."""
        plain, lower, auto = (fitted(family, direction) for direction in (None, "lower", "auto"))
        assert (auto.direction, auto.auc()) == ("higher", plain.auc())
        if family == "auto":
            assert lower.auc() >= 0.5
            assert fitted(family, "higher").auc() >= 0.5
        else:
            assert lower.auc() == pytest.approx(1 - plain.auc(), abs=1e-9)
            assert fitted(family, "higher").auc() == plain.auc()
        best = lower.best_threshold()
        assert lower.tpr(best.threshold) == pytest.approx(best.tpr, abs=1e-12)

    def test_trust_and_words(self, family):
        roc = fitted(family)
        trust = roc.model_fit()
        assert not np.isnan([trust.area_between, trust.misfit_ratio, trust.model_weight]).any()
        assert trust.area_between < (0.25 if family == "exponential" else 0.1)
        assert repr(roc).startswith(("PredictedRoc(negative=", "PredictedRoc(shrunk to "))
        again = pickle.loads(pickle.dumps(roc.negative))
        assert np.array_equal(again.cdf(X), roc.negative.cdf(X))
        assert repr(again) == repr(roc.negative)

    def test_whole_weights_are_repeated_rows(self, family):
        times = np.resize([1, 2, 1, 3], len(X))
        weighed = predict_roc(X, Y, family=family, weights=times)
        repeated = predict_roc(np.repeat(X, times), np.repeat(Y, times), family=family)
        assert np.array_equal(weighed.negative.cdf(X), repeated.negative.cdf(X))
        assert np.array_equal(weighed.positive.cdf(X), repeated.positive.cdf(X))
        assert weighed.count == repeated.count

    def test_infinite_values_are_refused(self, family):
        x = np.append(X, np.inf)
        if family == "empirical":
            assert 0.5 < predict_roc(x, np.append(Y, 1), family=family).auc() < 1
            return
        with pytest.raises(RocPredictError, match="x has 1 infinite values in the positive class; a fit needs finite"):
            predict_roc(x, np.append(Y, 1), family=family)


def test_a_pair_of_distributions_is_what_the_table_says():
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


@pytest.mark.parametrize("wrong", ["normal", "Gaussian", "", None, 3, stats.norm(0, 1), stats.poisson, ["auto"]])
def test_other_families_are_refused_in_words(wrong):
    with pytest.raises(RocPredictError, match=r"family=.* is not available; choose one of 'gaussian', 'auto'"):
        get_fitter(wrong)


@pytest.mark.parametrize("family", [name for name in FAMILIES if name not in {"empirical", "histogram"}])
def test_a_class_of_one_row_is_refused(family):
    with pytest.raises(RocPredictError, match=r"positive"):
        predict_roc([0.1, 0.2, 0.4, 0.3], [0, 0, 0, 1], family=family)


@pytest.mark.parametrize("family", ["boxcox", "yeojohnson", "kde", "gamma", "mixture"])
def test_a_class_without_spread_is_refused(family):
    x, y = [0.2, 0.2, 0.2, 0.1, 0.5, 0.3], [0, 0, 0, 1, 1, 1]
    with pytest.raises(RocPredictError, match=r"negative class"):
        predict_roc(x, y, family=family)


def test_nan_follows_the_policy():
    x, y = np.append(X, np.nan), np.append(Y, 1)
    with pytest.raises(RocPredictError, match="NaN"):
        predict_roc(x, y, family="auto")
    kept = predict_roc(x, y, family="auto", nan_policy="omit")
    assert kept.auc() == fitted("auto").auc()
    assert kept.omitted == (0, 1)


def test_weights_that_are_no_counts_are_for_two_families_only():
    for family in ("auto", "boxcox", "gamma"):
        with pytest.raises(RocPredictError, match="weights of the negative class are not whole"):
            predict_roc(X, Y, family=family, weights=np.full(len(X), 0.5))


@pytest.mark.parametrize(
    ("family", "direction"), [("auto", None), ("auto", "lower"), ("boxcox", "lower"), ("gamma", None)]
)
def test_the_bootstrap_fits_anew(family, direction):
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


def test_a_gaussian_in_doubt_warns_and_the_shrunk_one_does_not():
    rng = np.random.default_rng(2)
    x, y = np.exp(2 * rng.normal(size=200)) * np.repeat([1, 2], 100), np.repeat([0, 1], 100)
    with pytest.warns(AssumptionWarning):
        predict_roc(x, y)
    predict_roc(x, y, family="auto")


@pytest.mark.parametrize("family", ["auto", "boxcox"])
def test_plots_draw_it(family):
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots()
    fitted(family).plot(ax=ax)
    assert ax.lines
    plt.close(figure)
