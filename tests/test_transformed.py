"""Power transforms, classes on a transformed axis, classes between a sample and a model, and who answers for them."""

import pickle

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtr, ndtri

from rocpredict import Ecdf, Gaussian, PredictedRoc, RocPredictError
from rocpredict.distributions.power import PowerTransform, Transformed
from rocpredict.distributions.shrinkage import ShrinkageDistribution
from rocpredict.solvers.base import MappedSolver
from rocpredict.solvers.numerical import NumericalSolver
from rocpredict.solvers.select import solver_for
from rocpredict.solvers.shrinkage import ShrinkageSolver
from tests.quantities import compute

EPS = np.finfo(float).eps
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
PRICES = [np.log(kappa) for kappa in (0.3, 1.0, 2.5)]


@pytest.fixture(params=TRANSFORMS.values(), ids=TRANSFORMS)
def transform(request):
    return request.param


def spread_of(t, reach=4.0):
    """Values from far below to far above those that a transform was fitted to, ascending; none at its centre."""
    logs = np.linspace(t.low - reach, t.high + reach, 400)
    u = np.exp(logs) if t.kind == "box-cox" else np.copysign(np.expm1(np.abs(logs)), logs)
    x = t.centre + t.scale * u
    return np.sort(-x if t.reflected else x)


class TestPowerTransform:
    def test_there_and_back_is_the_same(self, transform):
        x = spread_of(transform)
        assert transform.inverse_transform(transform.transform(x)) == pytest.approx(
            x, rel=1e-12, abs=1e-12 * transform.scale
        )

    def test_back_and_there_is_the_same_beyond_the_ends_too(self, transform):
        z = np.linspace(*transform.transform(spread_of(transform, 2.0))[[0, -1]], 301)
        assert transform.transform(transform.inverse_transform(z)) == pytest.approx(z, rel=1e-12, abs=1e-12)

    def test_rises_everywhere_and_reaches_every_value(self, transform):
        """Beyond the ends as well, where a bare power stops: every normal score has its x, in the right order."""
        assert (np.diff(transform.transform(spread_of(transform))) > 0).all()
        x = transform.inverse_transform(np.array([-np.inf, -40.0, -3.0, 0.0, 3.0, 40.0, np.inf]))
        assert not np.isnan(x).any()
        assert (np.diff(x[np.isfinite(x)]) >= 0).all()

    def test_log_slope_is_that_of_a_difference_quotient(self, transform):
        x = spread_of(transform)
        x = x[(np.arange(len(x)) % 7) == 3]
        near = np.abs(x - np.where(transform.reflected, -1, 1) * transform.centre)
        h = 1e-5 * (near + transform.scale if transform.kind == "yeo-johnson" else np.abs(x))
        slope = (transform.transform(x + h) - transform.transform(x - h)) / (2 * h)
        ends = transform.inverse_transform(transform.transform(spread_of(transform, 0.0))[[0, -1]])
        smooth = (np.abs(x[:, None] - ends) > 2 * h[:, None]).all(axis=1)  # the slope bends there
        assert smooth.sum() > 40
        assert np.exp(transform.log_derivative(x[smooth])) == pytest.approx(slope[smooth], rel=1e-5)

    def test_is_continuous_with_its_slope_in_the_logarithm_at_the_ends(self, transform):
        at = transform.inverse_transform(transform.transform(spread_of(transform, 0.0))[[0, -1]])
        step = 1e-9 * np.maximum(np.abs(at), transform.scale)
        assert transform.log_derivative(at - step) == pytest.approx(transform.log_derivative(at + step), abs=1e-7)

    @pytest.mark.parametrize("power", [-3.0, -0.4, 0.0, 0.5, 1.0, 2.0, 4.0])
    def test_between_the_ends_it_is_scipys(self, power):
        x = np.linspace(0.4, 5, 50)
        boxcox = PowerTransform("box-cox", power, 0.0, 1.0, -5.0, 5.0)
        assert boxcox.transform(x) == pytest.approx(stats.boxcox(x, power), rel=1e-12, abs=1e-14)
        x = np.linspace(-4, 4, 81)
        folded = PowerTransform("yeo-johnson", power, 0.0, 1.0, -5.0, 5.0)
        assert folded.transform(x) == pytest.approx(stats.yeojohnson(x, power), rel=1e-12, abs=1e-14)

    def test_tells_neighbours_apart_on_a_large_offset(self):
        """log(x/scale), not log x - log scale: at 1e9 the latter has a grain of 3e-15, x itself one of 1e-16."""
        t = PowerTransform("box-cox", 1.0, 0.0, 1e9, -1e-14, 1e-14)
        x = 1e9 + np.spacing(1e9) * np.arange(-30, 31)
        assert t.transform(x) == pytest.approx((x - 1e9) / 1e9, rel=0, abs=2e-16)
        assert np.abs(t.inverse_transform(t.transform(x)) - x).max() <= np.spacing(1e9)

    def test_keeps_the_whole_range_of_floats(self):
        t = PowerTransform("box-cox", 0.0, 0.0, 1e-100, -500.0, 900.0)
        x = np.array([5e-324, 1e-300, 1.0, 1e300])
        assert t.transform(x) == pytest.approx(np.log(x) + 100 * np.log(10), rel=1e-13)
        assert t.inverse_transform(t.transform(x)) == pytest.approx(x, rel=1e-12)
        assert t.transform(np.array([0.0, -1.0, -np.inf])).tolist() == [-np.inf] * 3
        assert t.transform(np.array([np.inf])).tolist() == [np.inf]

    @pytest.mark.parametrize(
        "changed",
        [
            {"kind": "log"},
            {"scale": 0.0},
            {"scale": -1.0},
            {"centre": 0.1},
            {"power": np.nan},
            {"power": np.inf},
            {"low": 2.0},
            {"high": np.inf},
        ],
    )
    def test_refuses_what_is_no_transform(self, changed):
        fields = {"kind": "box-cox", "power": 0.5, "centre": 0.0, "scale": 1.0, "low": -1.0, "high": 1.0}
        with pytest.raises(
            RocPredictError, match=r"is not a power transform; choose a kind of \('box-cox', 'yeo-johnson'\)"
        ):
            PowerTransform(**fields | changed)


BASES = Gaussian(-0.2, 0.5), Gaussian(0.4, 0.8)


class TestTransformed:
    def test_the_curve_is_that_of_the_bases(self, transform):
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

    @pytest.mark.parametrize("name", ["box-cox -3", "reflected yeo-johnson 2"])
    def test_two_routes_agree(self, name):
        """The engine on the other axis, and the numeric search that knows nothing of it: every question, to 1e-9."""
        pair = [Transformed(base, TRANSFORMS[name]) for base in BASES]
        solver, searched, rates = solver_for(*pair), NumericalSolver(*pair), np.array([0.03, 0.4, 0.8])
        assert isinstance(solver, MappedSolver)
        for question in ("auc", "auc_complement", "log_auc_complement", "proper_auc_complement"):
            assert compute(solver, question) == pytest.approx(compute(searched, question), abs=1e-9)
        for question in ("tpr_at_fpr", "fpr_at_tpr", "slope", "threshold_at_fpr", "threshold_at_tpr"):
            wanted = compute(searched, question, rates)
            assert compute(solver, question, rates) == pytest.approx(wanted, rel=1e-9, abs=1e-9), question
        band = np.asarray(0.2), np.asarray(0.7)
        for question in ("partial_auc_fpr", "partial_auc_tpr"):
            assert compute(solver, question, *band) == pytest.approx(compute(searched, question, *band))
        assert np.asarray(solver.hook()) == pytest.approx(np.asarray(searched.hook()), abs=1e-9)
        for price in PRICES:
            fast, slow = solver.optimal(price), searched.optimal(price)
            for answer in ("threshold", "tpr", "fpr", "tnr", "fnr"):
                assert getattr(fast, answer) == pytest.approx(getattr(slow, answer), abs=1e-9, rel=1e-7), answer
            crossings = np.sort(solver.crossings(price))  # NaN where there are fewer than two
            assert crossings[~np.isnan(crossings)] == pytest.approx(searched.crossings(price), rel=1e-7)
            rules = solver.likelihood_ratio().rule(price), searched.likelihood_ratio().rule(price)
            assert rules[0].ameans == pytest.approx(rules[1].ameans, abs=1e-9)
            assert np.sort(rules[0].thresholds[np.isfinite(rules[0].thresholds)]) == pytest.approx(
                rules[1].thresholds, rel=1e-7
            )

    def test_everybody_and_nobody_stay_at_the_ends_of_the_axis(self, transform):
        """A Box-Cox axis ends at 0; the threshold that calls everybody positive is -inf there too."""
        roc = PredictedRoc(*(Transformed(base, transform) for base in BASES))
        assert roc.threshold_at_fpr(1.0) == roc.threshold_at_tpr(1.0) == -np.inf
        assert roc.threshold_at_fpr(0.0) == roc.threshold_at_tpr(0.0) == np.inf
        everybody = roc.best_threshold("cost", prevalence=1 - 1e-9, cost_fp=1e-9)
        assert (everybody.threshold, everybody.tpr, everybody.fpr) == (-np.inf, 1, 1)

    def test_different_transforms_go_the_numeric_way(self):
        pair = Transformed(BASES[0], TRANSFORMS["box-cox 0"]), Transformed(BASES[1], TRANSFORMS["box-cox 4"])
        assert type(solver_for(*pair)) is NumericalSolver

    def test_means_what_scipys_lognormal_means(self):
        logarithm = Transformed(Gaussian(0.3, 0.5), TRANSFORMS["box-cox 0"])
        x, wanted = np.geomspace(0.01, 100, 50), stats.lognorm(0.5, scale=2 * np.exp(0.3))
        assert logarithm.cdf(x) == pytest.approx(wanted.cdf(x), rel=1e-12)
        assert logarithm.sf(x) == pytest.approx(wanted.sf(x), rel=1e-12)
        assert logarithm.pdf(x) == pytest.approx(wanted.pdf(x), rel=1e-12)

    @pytest.mark.parametrize("base", [Gaussian([0, 1], 1), Gaussian(0, 0), Ecdf([1, 2]), 3.0, None])
    def test_refuses_a_base_with_atoms_or_of_many_features(self, base):
        with pytest.raises(RocPredictError, match=r"base=.* is not a continuous distribution of one feature"):
            Transformed(base, TRANSFORMS["box-cox 0"])
        with pytest.raises(RocPredictError, match=r"model=.* is not a continuous distribution of one feature"):
            ShrinkageDistribution(base, Ecdf([1, 2]), 0.5)

    def test_refuses_what_is_no_transform(self):
        with pytest.raises(RocPredictError, match="transform=None is not a PowerTransform"):
            Transformed(BASES[0], None)

    def test_survives_pickling_and_says_what_it_is(self, transform):
        d = Transformed(BASES[0], transform)
        again = pickle.loads(pickle.dumps(d))
        assert again == d
        assert again.cdf(1.3) == d.cdf(1.3)
        sign = "-" if transform.reflected else ""
        assert repr(d) == f"Transformed({BASES[0]!r}, {sign}{transform.kind}, power={transform.power:.6g})"


LOG = TRANSFORMS["box-cox 0"]
ROWS = np.array([0.4, 0.9, 0.9, 1.6, 2.0, 3.1]), np.array([0.9, 2.0, 2.6, 3.5, 3.5, 4.4, 9.0])
MODELS = Transformed(Gaussian(-0.5, 0.6), LOG), Transformed(Gaussian(0.3, 0.7), LOG)
PULLED = [(0.15, 0.2), (0.6, -0.5), (0.6, 0.0), (0.95, 0.2)]


def shrunk_pair(weight, pull, models=MODELS, rows=ROWS):
    return [
        ShrinkageDistribution(m, Ecdf(x), weight, sign * pull) for m, x, sign in zip(models, rows, (-1, 1), strict=True)
    ]


class TestShrunk:
    def test_weight_0_is_the_model_and_weight_1_the_sample(self):
        x, q = np.concatenate([ROWS[0], np.linspace(0.1, 5, 40)]), np.linspace(0.01, 0.99, 60)
        model, sample = (
            ShrinkageDistribution(MODELS[0], Ecdf(ROWS[0]), 0.0),
            ShrinkageDistribution(MODELS[0], Ecdf(ROWS[0]), 1.0),
        )
        for question in ("cdf", "sf", "cdf_strict", "sf_inclusive"):
            assert np.array_equal(getattr(model, question)(x), getattr(MODELS[0], question)(x))
            assert np.array_equal(getattr(sample, question)(x), getattr(Ecdf(ROWS[0]), question)(x))
        for question in ("ppf", "isf"):
            assert np.array_equal(getattr(model, question)(q), getattr(MODELS[0], question)(q))
            assert np.array_equal(getattr(sample, question)(q), getattr(Ecdf(ROWS[0]), question)(q))
        assert model.atoms().points.size == 0
        assert sample.atoms().masses == pytest.approx(Ecdf(ROWS[0]).atoms().masses, abs=4 * EPS)

    @pytest.mark.parametrize(("weight", "pull"), PULLED)
    def test_is_the_mixture_moved_on_the_probit_scale(self, weight, pull):
        """By its definition, written out: Phi(pull + Phi^-1(w S + (1 - w) M))."""
        d, x = ShrinkageDistribution(MODELS[0], Ecdf(ROWS[0]), weight, pull), np.linspace(0.05, 6, 80)
        mixed = weight * np.mean(ROWS[0] > x[:, None], axis=1) + (1 - weight) * MODELS[0].sf(x)
        assert d.sf(x) == pytest.approx(ndtr(pull + ndtri(mixed)), rel=1e-11)

    def test_a_pull_upwards_makes_values_higher(self):
        x = np.linspace(0.1, 6, 50)
        tails = [ShrinkageDistribution(MODELS[0], Ecdf(ROWS[0]), 0.4, pull).sf(x) for pull in (-0.3, 0.0, 0.3)]
        assert (np.diff(tails, axis=0) > 0).all()

    def test_a_pulled_model_without_a_sample_is_a_moved_gaussian(self):
        d = ShrinkageDistribution(Gaussian(2, 3), Ecdf([1.0]), 0.0, 0.4)
        x, moved = np.linspace(-60, 60, 241), Gaussian(2 + 0.4 * 3, 3)
        assert d.sf(x) == pytest.approx(moved.sf(x), rel=1e-10)
        assert d.cdf(x) == pytest.approx(moved.cdf(x), rel=1e-10)
        assert d.pdf(x) == pytest.approx(moved.pdf(x), rel=1e-10)

    @pytest.mark.parametrize(
        ("weight", "pull", "sample", "words"),
        [
            (1.1, 0.0, Ecdf([1]), r"data_weight=1.1 is outside \[0, 1\]"),
            (np.nan, 0.0, Ecdf([1]), "data_weight=nan is NaN"),
            (0.5, np.inf, Ecdf([1]), "shift=inf is not finite"),
            (0.5, np.nan, Ecdf([1]), "shift=nan is not finite"),
            (0.5, 0.0, Ecdf([1, np.inf]), "is not an Ecdf of finite values"),
            (0.5, 0.0, [1, 2], "is not an Ecdf of finite values"),
        ],
    )
    def test_refuses(self, weight, pull, sample, words):
        with pytest.raises(RocPredictError, match=words):
            ShrinkageDistribution(Gaussian(0, 1), sample, weight, pull)

    def test_survives_pickling_and_says_what_it_is(self):
        d = shrunk_pair(0.4, 0.2)[0]
        d.atoms()
        assert pickle.loads(pickle.dumps(d)) == d
        assert (
            repr(d) == f"ShrinkageDistribution({MODELS[0]!r}, Ecdf(total=6, n_unique=5), data_weight=0.4, shift=-0.2)"
        )
        assert repr(ShrinkageDistribution(Gaussian(0, 1), Ecdf([1]), 0.4)).endswith("data_weight=0.4)")


class TestShrunkEngine:
    @pytest.mark.parametrize(("weight", "pull"), PULLED)
    def test_two_routes_agree(self, weight, pull):
        """Pieces with a short rule, and the numeric search: areas to 1e-9, the best loss no worse."""
        pair = shrunk_pair(weight, pull)
        assert isinstance(solver_for(*pair), ShrinkageSolver)
        assert ShrinkageSolver(*pair).auc() == pytest.approx(NumericalSolver(*pair).auc(), abs=1e-9)
        assert ShrinkageSolver(*pair).auc_complement() == pytest.approx(
            NumericalSolver(*pair).auc_complement(), abs=1e-9
        )
        assert ShrinkageSolver(*pair).auc() + ShrinkageSolver(*pair).auc_complement() == pytest.approx(1, abs=1e-12)
        for price in PRICES:
            fast, slow = (solver(*pair).optimal(price) for solver in (ShrinkageSolver, NumericalSolver))
            gains = [found.tpr - np.exp(price) * found.fpr for found in (fast, slow)]
            assert gains[0] == pytest.approx(gains[1], abs=1e-12)
            assert fast.tpr == pair[1].sf_inclusive(fast.threshold)
            assert fast.fpr == pair[0].sf_inclusive(fast.threshold)

    @pytest.mark.parametrize(("weight", "pull"), PULLED)
    def test_crossings_are_all_changes_of_sign(self, weight, pull):
        """Against the signs on 40,000 thresholds: between two crossings f1 - kappa f0 keeps its sign."""
        pair = shrunk_pair(weight, pull)
        x = np.setdiff1d(np.linspace(0.02, 15, 40_000), np.concatenate(ROWS))
        for price in PRICES:
            found = ShrinkageSolver(*pair).crossings(price)
            above = pair[1].logpdf(x) - pair[0].logpdf(x) > price
            turns = np.flatnonzero(above[1:] != above[:-1])
            assert len(found[(found > x[0]) & (found < x[-1])]) == len(turns)
            assert all(((found >= x[i]) & (found <= x[i + 1])).any() for i in turns)

    @pytest.mark.parametrize(("weight", "pull"), PULLED)
    def test_auc_by_brute_force(self, weight, pull):
        """The mean of the middle of both tails over 200,000 quantiles of the positives; steps cost up to 2e-5."""
        negative, positive = shrunk_pair(weight, pull)
        x = positive.ppf((np.arange(200_000) + 0.5) / 200_000)
        wanted = np.mean((negative.cdf_strict(x) + negative.cdf(x)) / 2)
        assert ShrinkageSolver(negative, positive).auc() == pytest.approx(wanted, abs=2e-5)

    @pytest.mark.parametrize("seed", range(6))
    def test_no_threshold_is_better_than_the_best(self, seed):
        """Against 8,000 thresholds, rows, and the floats beside them, for random samples, models, weights and pulls."""
        rng = np.random.default_rng(seed)
        rows = np.round(rng.normal(size=12), 1), np.round(rng.normal(0.7, 1.4, size=9), 1)
        bases = Gaussian(rng.normal(), 0.5 + rng.random()), Gaussian(rng.normal(), 0.5 + rng.random())
        models = [Transformed(base, PowerTransform("yeo-johnson", 1.0, 0.0, 1.0, -9.0, 9.0)) for base in bases]
        pair = shrunk_pair(rng.random(), rng.normal(0, 0.3), models, rows)
        ends = np.concatenate(rows)
        t = np.concatenate([np.linspace(-6, 6, 8000), ends, np.nextafter(ends, np.inf), [-np.inf, np.inf]])
        for price in PRICES:
            found = ShrinkageSolver(*pair).optimal(price)
            gains = pair[1].sf_inclusive(t) - np.exp(price) * pair[0].sf_inclusive(t)
            assert found.tpr - np.exp(price) * found.fpr >= gains.max() - 1e-12

    def test_a_model_that_overflows_keeps_its_probability(self):
        """Values near the largest float: quantiles of the model overflow, what lies out there is a tie."""
        t = PowerTransform("box-cox", 1.0, 0.0, 1.2e308, -0.2, 0.4)
        models = Transformed(Gaussian(0.0, 0.4), t), Transformed(Gaussian(0.2, 0.5), t)
        pair = shrunk_pair(0.3, 0.1, models, ([1e308, 1.2e308], [1.1e308, 1.6e308]))
        assert ShrinkageSolver(*pair).auc() + ShrinkageSolver(*pair).auc_complement() == pytest.approx(1, abs=1e-12)
        assert 0.5 < ShrinkageSolver(*pair).auc() < 0.8
