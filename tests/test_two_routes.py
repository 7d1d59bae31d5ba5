"""Every answer by two roads: closed forms, quadrature with search, counting, brute force, textbook formulas."""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtr

import rocpredict as rp
from rocpredict.distributions.families import ScipyDistribution
from rocpredict.solvers.binormal import BinormalSolver
from rocpredict.solvers.empirical import EmpiricalSolver
from rocpredict.solvers.numerical import NumericalSolver
from tests.quantities import compute

PAIRS = [
    (1e-3, 3.0),
    (1e-3, -0.5),
    (0.3, 0.5),
    (1.0, 0.5),
    (1.0, 3.0),
    (1.0, -1.0),
    (1.001, 0.0),
    (2.0, 20.0),
    (1e3, 0.4),
]
BANDS = ((0.0, 1.0), (0.0, 0.1), (0.3, 0.7), (0.0, 1e-6), (0.9, 1.0))


def gaussians(ratio, distance):
    return rp.Gaussian(1, 1), rp.Gaussian(1 + distance * max(1, ratio), ratio)


def as_scipy(pair):
    return tuple(ScipyDistribution(stats.norm(d.mean, d.std)) for d in pair)


def close(tolerance=1e-10):
    return {"rel": tolerance, "abs": 1e-250}


@pytest.mark.parametrize("route", [tuple, as_scipy], ids=["gaussian", "scipy"])
@pytest.mark.parametrize(("ratio", "distance"), PAIRS)
def test_curve_and_areas(ratio, distance, route):
    pair = gaussians(ratio, distance)
    other = route(pair)
    for name in ("auc", "auc_complement"):
        assert float(compute(NumericalSolver(*other), name)) == pytest.approx(
            float(compute(BinormalSolver(*pair), name)), **close()
        )
    for rate in (0.0, 1e-12, 0.05, 0.5, 0.99, 1.0):
        for name in ("tpr_at_fpr", "fpr_at_tpr", "threshold_at_fpr", "threshold_at_tpr", "slope"):
            if name == "slope" and rate in {0.0, 1.0}:
                continue  # at infinity a density alone has no ratio
            want = float(compute(BinormalSolver(*pair), name, np.asarray(rate)))
            assert float(compute(NumericalSolver(*other), name, np.asarray(rate))) == pytest.approx(want, **close()), (
                name,
                rate,
            )
    for band in BANDS:
        for name in ("partial_auc_fpr", "partial_auc_tpr"):
            ends = [np.asarray(end) for end in band]
            want = float(compute(BinormalSolver(*pair), name, *ends))
            assert float(compute(NumericalSolver(*other), name, *ends)) == pytest.approx(want, **close()), (name, band)
    below, want = NumericalSolver(*other).hook(), BinormalSolver(*pair).hook()
    assert float(below.area) == pytest.approx(float(want.area), **close())
    if want.area > 1e-250:
        assert [float(below.fpr_low), float(below.fpr_high)] == pytest.approx(
            [float(want.fpr_low), float(want.fpr_high)], **close()
        )


@pytest.mark.parametrize("route", [tuple, as_scipy], ids=["gaussian", "scipy"])
@pytest.mark.parametrize("log_kappa", [0.0, 1.0, -1.0, 4.0])
@pytest.mark.parametrize(("ratio", "distance"), PAIRS)
def test_thresholds(ratio, distance, log_kappa, route):
    pair, level = gaussians(ratio, distance), np.asarray(log_kappa)
    got, want = NumericalSolver(*route(pair)).optimal(level), BinormalSolver(*pair).optimal(level)
    size = max(1, ratio)
    found = want.crossings[~np.isnan(want.crossings)]
    assert got.crossings == pytest.approx(found, rel=1e-10, abs=1e-10 * size)
    assert got.threshold == pytest.approx(want.threshold, rel=1e-10, abs=1e-10 * size)
    for name in ("tpr", "fpr", "tnr", "fnr"):
        assert float(getattr(got, name)) == pytest.approx(float(getattr(want, name)), rel=1e-8, abs=1e-10), name
    assert {*got.flags} == {*want.flags}


@pytest.mark.parametrize(("ratio", "distance"), [(0.3, 0.5), (1.0, 3.0), (2.0, 0.0), (30.0, 0.4)])
def test_likelihood_ratio_rule(ratio, distance):
    pair = gaussians(ratio, distance)
    assert float(NumericalSolver(*pair).likelihood_ratio().auc_complement()) == pytest.approx(
        float(BinormalSolver(*pair).likelihood_ratio().auc_complement()), **close()
    )
    got, want = (
        NumericalSolver(*pair).likelihood_ratio().rule(np.zeros(())),
        BinormalSolver(*pair).likelihood_ratio().rule(np.zeros(())),
    )
    for name in ("tpr", "fpr", "tnr", "fnr"):
        assert float(getattr(got, name)) == pytest.approx(float(getattr(want, name)), **close())


# ---- closed forms of other families


def roc_of(negative, positive):
    return rp.PredictedRoc(negative=negative, positive=positive)


def shifted(family, d):
    return family(0, 1), family(d, 1)


AREAS = {
    "exponential": (stats.expon(scale=1), stats.expon(scale=3), 3 / 4),
    "weibull": (stats.weibull_min(2, scale=1), stats.weibull_min(2, scale=1.5), 1.5**2 / (1 + 1.5**2)),
    "gamma": (stats.gamma(2, scale=1), stats.gamma(3, scale=2), stats.beta.cdf(2 / 3, 2, 3)),
    "beta(a, 1)": (stats.beta(2, 1), stats.beta(5, 1), 5 / 7),
    "logistic": (*shifted(stats.logistic, 2.0), 1 - np.exp(-2) * (2 - 1 + np.exp(-2)) / (1 - np.exp(-2)) ** 2),
    "laplace": (*shifted(stats.laplace, 1.5), 1 - np.exp(-1.5) * (2 + 1.5) / 4),
    "cauchy": (stats.cauchy(0, 1), stats.cauchy(2, 3), 0.5 + np.arctan(2 / 4) / np.pi),
    "gumbel": (*shifted(stats.gumbel_r, 1.2), 1 / (1 + np.exp(-1.2))),
    "lognormal": (stats.lognorm(0.5), stats.lognorm(1.0, scale=np.e), ndtr(1 / np.sqrt(0.25 + 1))),
    "uniform, overlapping": (stats.uniform(0, 2), stats.uniform(1, 2), 1 - 1 / 8),
    "uniform, apart": (stats.uniform(0, 1), stats.uniform(3, 1), 1.0),
}


@pytest.mark.parametrize("family", AREAS)
def test_area_of_a_family(family):
    negative, positive, area = AREAS[family]
    roc = roc_of(negative, positive)
    assert roc.auc() == pytest.approx(area, rel=1e-11)
    assert roc.auc_complement() == pytest.approx(1 - area, rel=1e-10, abs=1e-15)
    for axis in ("fpr", "tpr"):
        assert roc.partial_auc(**{axis: (0, 1)}) == pytest.approx(area, rel=1e-10)


THRESHOLDS = {
    "exponential": (*AREAS["exponential"][:2], np.log(3) / (1 - 1 / 3), 3**-0.5 - 3**-1.5),
    "logistic": (*AREAS["logistic"][:2], 1.0, np.tanh(2 / 4)),
    "gamma": (stats.gamma(2, scale=1), stats.gamma(2, scale=2), 2 * 2 * np.log(2), None),
    "lognormal": (stats.lognorm(1), stats.lognorm(1, scale=np.exp(2)), np.e, 2 * ndtr(1) - 1),
}


@pytest.mark.parametrize("family", THRESHOLDS)
def test_threshold_of_a_family(family):
    negative, positive, threshold, youden = THRESHOLDS[family]
    best = roc_of(negative, positive).best_threshold()
    assert best.threshold == pytest.approx(threshold, rel=1e-11)
    assert best.tpr - best.fpr == pytest.approx(
        positive.sf(threshold) - negative.sf(threshold) if youden is None else youden, rel=1e-11
    )


def test_laplace_and_a_level_ratio():
    """Between the two peaks of a Laplace pair the ratio runs straight; J there is 1 - exp(-D/2)."""
    best = roc_of(*shifted(stats.laplace, 1.5)).best_threshold()
    assert best.threshold == pytest.approx(0.75, abs=1e-11)
    assert best.tpr - best.fpr == pytest.approx(1 - np.exp(-0.75), rel=1e-11)


def test_level_densities_give_a_plateau():
    """Two uniforms: all of their overlap, or all of the gap between them, is one optimum."""
    overlap = roc_of(stats.uniform(0, 2), stats.uniform(1, 2)).best_threshold()
    assert overlap.plateau == pytest.approx((1, 2), abs=1e-12)
    assert overlap.ameans == pytest.approx(0.75, abs=1e-15)
    gap = roc_of(stats.uniform(0, 1), stats.uniform(3, 1)).best_threshold()
    assert gap.plateau == pytest.approx((1, 3), abs=1e-12)
    assert 1 <= gap.threshold <= 3
    assert gap.ameans == 1
    assert "perfect_separation" in gap.flags


@pytest.mark.parametrize("family", ["exponential", "gamma", "cauchy"])
def test_families_by_simulation(family):
    """A draw of 2 x 200,000 pairs, within 5 standard errors: each fails falsely once in 1.7 million."""
    negative, positive, area = AREAS[family]
    rng = np.random.default_rng(5)
    wins = negative.rvs(200_000, random_state=rng) < positive.rvs(200_000, random_state=rng)
    assert abs(wins.mean() - roc_of(negative, positive).auc()) < 5 * np.sqrt(area * (1 - area) / wins.size)


# ---- several peaks


@dataclass(frozen=True)
class Mixture(rp.Distribution):
    """A mixture of Gaussians, written with the five methods that a distribution must have."""

    weights: tuple[float, ...]
    means: tuple[float, ...]
    stds: tuple[float, ...]

    def _z(self, x):
        return (x[..., None] - np.array(self.means)) / np.array(self.stds)

    def _logpdf(self, x):
        z = self._z(x)
        logs = np.log(self.weights) - z * z / 2 - np.log(2 * np.pi) / 2 - np.log(self.stds)
        return np.logaddexp.reduce(logs, axis=-1)

    def _cdf(self, x):
        return ndtr(self._z(x)) @ np.array(self.weights)

    def _sf(self, x):
        return ndtr(-self._z(x)) @ np.array(self.weights)

    def _invert(self, is_below, ends):
        low, high = np.full(np.shape(ends), -100.0), np.full(np.shape(ends), 100.0)
        for _ in range(70):
            middle = (low + high) / 2
            right = is_below(middle)
            low, high = np.where(right, middle, low), np.where(right, high, middle)
        return np.where(np.isinf(ends), ends, (low + high) / 2)

    def _ppf(self, q):
        return self._invert(lambda x: self._cdf(x) < q, np.where(q == 0, -np.inf, np.where(q == 1, np.inf, 0)))

    def _isf(self, q):
        return self._invert(lambda x: self._sf(x) > q, np.where(q == 1, -np.inf, np.where(q == 0, np.inf, 0)))


@pytest.mark.parametrize(
    ("negative", "positive", "count"),
    [
        (Mixture((0.5, 0.5), (-2.0, 2.0), (0.5, 0.5)), Mixture((1.0,), (0.0,), (1.0,)), 4),
        (Mixture((0.5, 0.5), (-2.0, 2.0), (0.7, 0.7)), Mixture((0.5, 0.5), (0.0, 4.0), (0.7, 0.7)), 3),
        (Mixture((0.7, 0.3), (0.0, 6.0), (1.0, 0.3)), Mixture((0.6, 0.4), (3.0, 9.0), (1.0, 1.0)), 3),
    ],
)
def test_several_peaks(negative, positive, count):
    """All crossings are found, and the best threshold is that of a scan of 200,000."""
    roc = roc_of(negative, positive)
    best = roc.best_threshold()
    scan = np.linspace(-12, 15, 200_001)
    signs = np.sign(positive.logpdf(scan) - negative.logpdf(scan))
    changes = scan[:-1][signs[:-1] != signs[1:]]
    assert best.crossing_count >= count
    assert all(np.min(np.abs(best.crossings - x)) < 2e-4 for x in changes)
    assert positive.logpdf(best.crossings) == pytest.approx(negative.logpdf(best.crossings), abs=1e-9)
    youden = positive.sf(scan) - negative.sf(scan)
    assert best.tpr - best.fpr >= youden.max() - 1e-15
    assert best.threshold == pytest.approx(scan[np.argmax(youden)], abs=2e-4)
    area = sum(
        v * w * ndtr((m1 - m0) / np.hypot(s0, s1))
        for v, m0, s0 in zip(negative.weights, negative.means, negative.stds, strict=True)
        for w, m1, s1 in zip(positive.weights, positive.means, positive.stds, strict=True)
    )
    assert roc.auc() == pytest.approx(area, rel=1e-11)


# ---- atoms


@pytest.mark.parametrize(
    ("negative", "positive"),
    [
        (stats.poisson(2), stats.poisson(4)),
        (stats.binom(9, 0.3), stats.binom(9, 0.6)),
        (stats.geom(0.5), stats.poisson(3)),
    ],
)
def test_discrete_families_by_enumeration(negative, positive):
    roc = roc_of(negative, positive)
    k = np.arange(80)
    p0, p1 = negative.pmf(k), positive.pmf(k)
    wins = np.tril(np.ones((80, 80)), -1) + np.eye(80) / 2
    assert roc.auc() == pytest.approx(p1 @ wins @ p0, rel=1e-12)
    tails = np.cumsum(p1[::-1])[::-1] - np.cumsum(p0[::-1])[::-1]
    best = roc.best_threshold()
    assert best.tpr - best.fpr == pytest.approx(tails.max(), rel=1e-12)
    low, high = best.plateau
    assert np.argmax(tails) == pytest.approx(high, abs=1e-9)
    assert high - low == pytest.approx(1, abs=1e-9)
    assert roc.partial_auc(fpr=(0, 1)) == pytest.approx(roc.auc(), rel=1e-12)


def test_steps_and_search_agree_on_samples():
    """The same samples, counted and searched: 3-level ties, and values of their own."""
    rng = np.random.default_rng(3)
    for levels in (3, 1000):
        pair = [rp.Ecdf(rng.integers(0, levels, n) + shift) for n, shift in ((30, 0), (20, levels // 3))]
        level = np.asarray(0.0)
        for name in ("auc", "auc_complement"):
            assert float(compute(NumericalSolver(*pair), name)) == pytest.approx(
                float(compute(EmpiricalSolver(*pair), name)), rel=1e-14
            )
        for rate in (0.0, 0.07, 0.5, 1.0):
            for name in ("tpr_at_fpr", "fpr_at_tpr"):
                want = float(compute(EmpiricalSolver(*pair), name, np.asarray(rate)))
                assert float(compute(NumericalSolver(*pair), name, np.asarray(rate))) == pytest.approx(
                    want, abs=1e-14
                ), (
                    name,
                    rate,
                )
        for band in ((0.0, 1.0), (0.1, 0.33)):
            for name in ("partial_auc_fpr", "partial_auc_tpr"):
                want = float(compute(EmpiricalSolver(*pair), name, *map(np.asarray, band)))
                assert float(compute(NumericalSolver(*pair), name, *map(np.asarray, band))) == pytest.approx(
                    want, abs=1e-13
                )
        got, want = NumericalSolver(*pair).optimal(level), EmpiricalSolver(*pair).optimal(level)
        assert got.tpr - got.fpr == pytest.approx(want.tpr - want.fpr, abs=1e-15)


def test_a_sample_against_a_density():
    """Atoms on one side only: the mean of the other's tail over the sample."""
    sample, law = np.array([-1.0, 0.2, 0.2, 1.7]), rp.Gaussian(1, 2)
    assert roc_of(rp.Ecdf(sample), law).auc() == pytest.approx(np.mean(law.sf(sample)), rel=1e-14)
    assert roc_of(law, rp.Ecdf(sample)).auc() == pytest.approx(np.mean(law.cdf(sample)), rel=1e-14)
    best = roc_of(rp.Ecdf(sample), law).best_threshold()
    scan = np.concatenate([sample, np.nextafter(sample, np.inf), np.linspace(-9, 9, 50_001)])
    youden = np.array(law.sf(scan)) - rp.Ecdf(sample).sf_inclusive(scan)
    assert best.tpr - best.fpr == pytest.approx(youden.max(), abs=1e-9)


@pytest.mark.parametrize(
    ("negative", "positive"),
    [
        (stats.poisson(2), stats.poisson(5)),
        (stats.binom(9, 0.3), stats.geom(0.2)),
        (stats.poisson(3), stats.poisson(3)),
    ],
)
@pytest.mark.parametrize("direction", [None, "lower"])
def test_discrete_families_are_counted(negative, positive, direction):
    """Two scipy families on whole numbers: AUC, best threshold, curve and the likelihood-ratio AUC by enumeration."""
    values = np.arange(0.0, 200.0)
    n, p = negative.pmf(values), positive.pmf(values)
    sign = -1 if direction == "lower" else 1
    wins = np.sum(p[:, None] * n * (np.sign(sign * (values[:, None] - values)) + 1) / 2)
    roc = rp.PredictedRoc(negative, positive, direction=direction)
    assert roc.auc() == pytest.approx(wins, rel=1e-12)
    cuts = np.arange(-0.5, 200)
    called = sign * (values - cuts[:, None]) >= 0
    assert roc.best_threshold().ameans == pytest.approx((called @ p + 1 - called @ n).max() / 2, abs=1e-12)
    curve = roc.curve()
    assert (curve.fpr[0], curve.tpr[0]) == (0, 0)
    assert (curve.fpr[-1], curve.tpr[-1]) == pytest.approx((1, 1))
    assert np.trapezoid(curve.tpr, curve.fpr) == pytest.approx(wins, rel=1e-12)
    likelier = (p[:, None] * n > p * n[:, None]) + 0.5 * (p[:, None] * n == p * n[:, None])
    assert roc.proper().auc() == pytest.approx(np.sum(likelier * p[:, None] * n), abs=1e-9)


def test_one_threshold_is_one_rule():
    """A likelihood-ratio rule of one threshold has the same encoding in closed form and by search."""
    for mean in (1.0, -1.0):
        exact = rp.PredictedRoc(rp.Gaussian(0, 1), rp.Gaussian(mean, 1)).proper().best_rule()
        searched = rp.PredictedRoc(stats.norm(0, 1), stats.norm(mean, 1)).proper().best_rule()
        assert (exact.low, exact.high, exact.positive_inside) == pytest.approx(
            (searched.low, searched.high, searched.positive_inside)
        )


def test_slope_at_the_ends_is_the_limit():
    """Where the threshold is infinite the slope is the limit of the likelihood ratio, by either route."""
    for std in (0.5, 2.0):
        exact = rp.PredictedRoc(rp.Gaussian(0, 1), rp.Gaussian(1, std)).slope([0, 1])
        searched = rp.PredictedRoc(stats.norm(0, 1), stats.norm(1, std)).slope([0, 1])
        assert exact.tolist() == searched.tolist()


def test_a_search_finds_the_edge_of_what_is_allowed():
    """A function of rates that is undefined below a TPR of 0.9: the best of the rest lies at that edge."""
    roc = rp.PredictedRoc(rp.Gaussian([5.1, 0.0], [0.9, 1.0]), rp.Gaussian([6.4, 2.0], [1.2, 1.0]))
    best = roc.best_threshold(lambda rates: np.where(rates.tpr < 0.9, np.nan, rates.ameans))
    limit = roc.best_threshold("min_tpr", value=0.9)
    assert best.tpr == pytest.approx(0.9, abs=1e-12)
    assert best.threshold == pytest.approx(limit.threshold, abs=1e-12)
    assert best.criterion_value == pytest.approx(limit.ameans, abs=1e-12)


@pytest.mark.parametrize("route", [rp.Gaussian, stats.norm])
def test_the_value_is_what_the_criterion_is_there(route):
    """The value at the best threshold: each criterion worked out from the rates by hand."""
    roc = rp.PredictedRoc(route(0, 1), route(1.5, 1.2))
    share, fp, fn = 0.3, 2.0, 5.0
    hand = {
        "ameans": lambda b: (b.tpr + b.tnr) / 2,
        "youden": lambda b: b.tpr + b.tnr - 1,
        "cost": lambda b: share * fn * b.fnr + (1 - share) * fp * b.fpr,
        "accuracy": lambda b: share * b.tpr + (1 - share) * b.tnr,
        "f1": lambda b: 2 * share * b.tpr / (share + share * b.tpr + (1 - share) * b.fpr),
        "f_beta": lambda b: 5 * share * b.tpr / (4 * share + share * b.tpr + (1 - share) * b.fpr),
        "closest_topleft": lambda b: (b.fpr**2 + b.fnr**2) ** 0.5,
        "min_tpr": lambda b: b.tnr,
        "min_tnr": lambda b: b.tpr,
        "max_fpr": lambda b: b.tpr,
    }
    options = {
        "cost": {"prevalence": share, "cost_fp": fp, "cost_fn": fn},
        "accuracy": {"prevalence": share},
        "f1": {"prevalence": share},
        "f_beta": {"prevalence": share, "beta": 2.0},
        "min_tpr": {"value": 0.9},
        "min_tnr": {"value": 0.9},
        "max_fpr": {"value": 0.1},
    }
    for criterion, by_hand in hand.items():
        best = roc.best_threshold(criterion, **options.get(criterion, {}))
        assert best.criterion_value == pytest.approx(by_hand(best), rel=1e-12), criterion
    with pytest.raises(rp.RocPredictError, match="criterion='ameans' takes no prevalence"):
        roc.best_threshold(prevalence=0.1)
