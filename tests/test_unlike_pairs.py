"""Pairs of unlike kinds: bounded beside unbounded, single values beside densities, poles, tables, weights."""

import numpy as np
import pytest
from scipy import stats

import rocpredict as rp
from rocpredict.solvers.numerical import NumericalSolver

EVEN = stats.uniform(0, 2)


@pytest.mark.parametrize("direction", [None, "lower"])
@pytest.mark.parametrize(("means", "std"), [((0, 5), 1), ((0, 0.5), 3), ((2, 1), 0.5)])
def test_closest_to_the_corner_is_the_midpoint_for_equal_spreads(means, std, direction):
    """Equal standard deviations: by symmetry the ROC point closest to (0, 1) is at the midpoint of the means."""
    low, high = sorted(means, reverse=direction == "lower")
    roc = rp.PredictedRoc(rp.Gaussian(low, std), rp.Gaussian(high, std), direction=direction)
    assert roc.best_threshold("closest_topleft").threshold == pytest.approx(np.mean(means), abs=1e-7)


@pytest.mark.parametrize(
    ("negative", "positive", "exact"),
    [
        (EVEN, stats.uniform(0.5, 1), 0.75),
        (stats.uniform(0, 1), stats.uniform(0.5, 1), 0.875),
        (stats.uniform(0, 1), stats.uniform(2, 1), 1.0),
    ],
)
def test_likelihood_ratio_auc_of_bounded_classes(negative, positive, exact):
    """Uniform classes: 1 minus half the chance that both values fall where both classes live."""
    assert rp.PredictedRoc(negative, positive).proper().auc() == pytest.approx(exact, abs=1e-12)
    assert rp.PredictedRoc(positive, negative).proper().auc() == pytest.approx(exact, abs=1e-12)


@pytest.mark.parametrize(
    ("negative", "positive"),
    [
        (stats.expon(0, 1.5), stats.expon(0.3, 0.45)),
        (stats.uniform(0, 5), stats.norm(0, 1)),
        (stats.gamma(0.38), stats.norm(1, 0.5)),
        (stats.beta(2, 2), stats.uniform(0.2, 0.5)),
        (stats.beta(2, 3), stats.norm(0.5, 0.2)),
        (stats.laplace(0, 1), stats.laplace(1, 1)),
        (stats.cauchy(0, 1), stats.norm(1, 1)),
    ],
)
def test_likelihood_ratio_auc_by_ranking_fine_cells(negative, positive):
    """Against the classes cut into 200,000 cells and ranked by their ratio: the cells' own AUC, to 1e-4."""
    roc = rp.PredictedRoc(negative, positive)
    shares = np.linspace(0, 1, 100_001)
    cuts = np.unique(np.concatenate([negative.ppf(shares), positive.ppf(shares)]))
    n, p = np.diff(negative.cdf(cuts)), np.diff(positive.cdf(cuts))
    n, p = n[n + p > 0], p[n + p > 0]
    ranked = rp.EmpiricalRoc(negative=rp.Ecdf(p / (n + p), n), positive=rp.Ecdf(p / (n + p), p))
    assert roc.proper().auc() == pytest.approx(ranked.auc(), abs=1e-4)
    assert roc.proper().auc() >= max(roc.auc(), 1 - roc.auc()) - 1e-10


@pytest.mark.parametrize(
    ("negative", "positive"),
    [
        (EVEN, stats.beta(1, 0.1)),
        (EVEN, stats.beta(1, 0.05)),
        (stats.gamma(0.1, loc=1), stats.uniform(0, 4)),
        (stats.beta(0.58, 0.25), stats.gamma(1.66, scale=2.04)),
        (stats.beta(0.5, 0.5), stats.beta(2, 1)),
    ],
)
def test_a_pole_of_a_density_costs_no_digits(negative, positive):
    """Densities that are infinite at an end: the AUC and its complement sum to 1, and so do whole partial areas."""
    roc = rp.PredictedRoc(negative, positive)
    assert roc.auc() + roc.auc_complement() == pytest.approx(1, abs=1e-9)
    assert roc.partial_auc(fpr=(0, 1)) == pytest.approx(roc.auc(), abs=1e-9)
    assert roc.partial_auc(tpr=(0, 1)) == pytest.approx(roc.auc(), abs=1e-9)


def test_a_pole_away_from_zero_by_its_closed_form():
    """uniform(0, 2) against beta(1, b): AUC = E(x)/2 = 1/(2 + 2b)."""
    for b in (0.1, 0.05):
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


def test_the_ends_of_a_curve_beside_a_discrete_class():
    """A density beside whole numbers: the curve's ends and its corners, worked out by hand."""
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


def test_the_slope_on_an_atom_is_the_ratio_of_its_masses():
    """Two Poisson laws: the slope of the straight piece that an atom makes."""
    negative, positive = stats.poisson(2), stats.poisson(4)
    slope = rp.PredictedRoc(negative, positive).slope(0.3)
    assert slope == pytest.approx(positive.pmf(3) / negative.pmf(3))


def test_the_hook_on_an_atom():
    """All negatives at 0: the curve is level at P(X > 0) and meets the chance line there."""
    level = stats.norm.sf(0, -0.5)
    found = NumericalSolver(rp.Ecdf([0.0]), rp.Gaussian(-0.5, 1)).hook()
    assert (found.fpr_low, found.fpr_high) == (pytest.approx(level), 1)
    assert found.area == pytest.approx((1 - level) ** 2 / 2)
    exact = rp.PredictedRoc(rp.Gaussian(0, 0), rp.Gaussian(-0.5, 1)).hook()
    assert tuple(found) == pytest.approx(tuple(exact))


def test_a_table_of_values_and_probabilities():
    """scipy.stats.rv_discrete(values=...): values that are no whole numbers, shifted, keep their probabilities."""
    law = stats.rv_discrete(values=([1, 2, 3], [0.2, 0.5, 0.3]))
    roc = rp.PredictedRoc(law(), law(loc=1))
    wins = 0.2 * (0.2 / 2) * 0  # no positive lies at 1
    wins += 0.2 * (0.2 + 0.5 / 2) + 0.5 * (0.2 + 0.5 + 0.3 / 2) + 0.3
    assert roc.auc() == pytest.approx(wins, rel=1e-12)
    with pytest.raises(rp.RocPredictError, match="lies on no whole numbers; give it a whole loc"):
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


def test_a_huge_price_is_no_excuse_for_a_lost_positive():
    """A false positive 1e15 times dearer: of the thresholds without one, that with the most true positives."""
    best = rp.EmpiricalRoc([0, 1, 2, 3], [2, 3, 4, 5]).best_threshold("cost", cost_fp=1e15, prevalence=0.5)
    assert (best.threshold, best.tpr, best.fpr) == (3.5, 0.5, 0)


def test_the_same_sample_twice_has_no_gap():
    """The empirical family against the empirical curve of the same rows: every difference is 0."""
    x, y = [1, 2, 2, 3, 3, 4, 5, 6], [0, 0, 1, 0, 1, 0, 1, 1]
    found = rp.compare(rp.predict_roc(x, y, family="empirical"), rp.empirical_roc(x, y))
    assert (found.auc_error, found.max_tpr_gap, found.threshold_regret, found.ks) == (0, 0, 0, 0)
    assert found.area_between == pytest.approx(0, abs=1e-12)


def test_a_prevalence_for_each_feature_reaches_a_function_of_rates():
    """A batch, each feature with its own prevalence, and a criterion of one's own: as accuracy in closed form."""
    roc = rp.PredictedRoc(rp.Gaussian([0, 0, 0], 1), rp.Gaussian([1, 2, 3], 1))
    share = [0.3, 0.5, 0.6]
    searched = roc.best_threshold(lambda rates: rates.accuracy, prevalence=share)
    exact = roc.best_threshold("accuracy", prevalence=share)
    assert searched.criterion_value == pytest.approx(exact.criterion_value, abs=1e-12)
    assert searched.threshold == pytest.approx(exact.threshold, abs=1e-6)


def test_mcc_without_positives_is_undefined():
    """At a prevalence of 0 or 1 Matthews' correlation is 0/0: NaN, and named."""
    roc = rp.PredictedRoc(rp.Gaussian(0, 1), rp.Gaussian(1, 1))
    for share in (0, 1):
        rates = roc.rates(0.5, prevalence=share)
        assert np.isnan(rates.mcc)
        assert "mcc" in rates.undefined


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
    with pytest.raises(rp.RocPredictError, match="a likelihood ratio between a density and single values"):
        roc.proper().auc()
