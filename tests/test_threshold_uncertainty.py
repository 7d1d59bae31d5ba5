"""Uncertainty of a best threshold, and its performance on new data, for every criterion."""

from itertools import product

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtr, ndtri

import rocpredict as rp
from rocpredict.inference import bootstrap
from rocpredict.inference.bootstrap import BootstrapOptions, bootstrap_thresholds, draw_counts, merge_far_values
from rocpredict.inference.placements import RateRange
from rocpredict.solvers import thresholds
from rocpredict.solvers.empirical import EmpiricalSolver
from rocpredict.solvers.thresholds import ThresholdCriterion
from tests.cases import check_each, check_refused, refuses
from tests.samples import labelled


def informedness_squared(rates):
    """Weigh a row by hand: a criterion of one's own, of rates of many thresholds."""
    return rates.tpr**2 * rates.tnr


CRITERIA = {
    "ameans": {},
    "youden": {},
    "balanced_accuracy": {},
    "cost": {"prevalence": 0.3, "cost_fn": 4.0},
    "accuracy": {"prevalence": 0.4},
    "f1": {"prevalence": 0.3},
    "f_beta": {"prevalence": 0.3, "beta": 0.5},
    "closest_topleft": {},
    "min_tpr": {"value": 0.8},
    "min_tnr": {"value": 0.8},
    "max_fpr": {"value": 0.2},
    informedness_squared: {},
}
WEIGHTED = ("ameans", "youden", "balanced_accuracy", "cost", "accuracy")
CASES = {f"{name}, {direction}": (name, direction) for name in CRITERIA for direction in ("higher", "lower")}


def two_classes(sizes=(30, 24), shift=1.2, seed=4):
    rng = np.random.default_rng(seed)
    return rng.normal(size=sizes[0]), rng.normal(shift, 1.4, sizes[1])


empirical = rp.EmpiricalRoc


def counted_best(name, direction="higher"):
    sign = 1 if direction == "higher" else -1
    negative, positive = two_classes()
    return empirical(sign * negative, sign * positive, direction=direction).best_threshold(name, **CRITERIA[name])


def test_counted_threshold_of_every_criterion():
    """No NaN, ends in order about the estimate, an out-of-bag value that is a rate; both directions."""

    def check(case):
        best = counted_best(*case)
        result = best.threshold_interval(n_resamples=60)
        assert result.low <= best.plateau[0] <= best.threshold <= best.plateau[1] <= result.high
        assert result.estimate == best.threshold
        worth = best.ameans_interval(n_resamples=60)
        assert worth.method == "optimism-corrected"
        assert 0 <= worth.low < worth.estimate < worth.high <= 1
        stability = best.stability(n_resamples=60)
        assert worth.estimate == stability.ameans_corrected
        assert stability.ameans_corrected == pytest.approx(0.9 * stability.ameans_oob + 0.1 * best.ameans, rel=1e-12)
        weighted = case[0] in WEIGHTED
        assert result.method == ("test-inversion" if weighted else "bootstrap")
        resampled = best.threshold_interval(method="bootstrap", n_resamples=60)
        assert "undercoverage" in resampled.flags
        assert ("undercoverage" in result.flags) == (not weighted)
        assert resampled.low <= best.plateau[0] <= best.plateau[1] <= resampled.high
        assert stability.ameans_in_sample == pytest.approx(best.ameans, rel=1e-12)
        assert stability.n_resamples == len(stability.thresholds) == 60
        assert (np.diff(stability.thresholds) >= 0).all()
        assert [*stability.quantiles] == [0.05, 0.25, 0.5, 0.75, 0.95]
        assert 0 <= stability.fraction_in_plateau <= 1
        assert 0 <= best.ameans_corrected <= 1

    check_each(CASES, check)


def test_turning_the_feature_turns_the_thresholds():
    """-x with direction "lower" chooses -t: the ends, the resampled thresholds and their worth.

    The resamples are those of the reversed rows, drawn in the same order: all is equal, except for the middle of
    an even number of equally good thresholds.
    """

    def check(name):
        up, down = counted_best(name), counted_best(name, "lower")
        assert down.threshold == pytest.approx(-up.threshold, rel=1e-12)
        low, high = up.threshold_interval(n_resamples=50)
        assert tuple(down.threshold_interval(n_resamples=50)) == pytest.approx((-high, -low), rel=1e-12)
        one, other = (best.stability(n_resamples=50) for best in (up, down))
        assert other.thresholds == pytest.approx(-one.thresholds[::-1], rel=1e-12)
        assert other.ameans_oob == pytest.approx(one.ameans_oob, rel=1e-12)
        assert other.fraction_in_plateau == one.fraction_in_plateau
        assert down.ameans_corrected == pytest.approx(up.ameans_corrected, rel=1e-12)

    check_each({str(name): name for name in CRITERIA}, check)
    x, y = np.arange(12.0), np.repeat([0, 1], 6)  # without the declared direction: the best threshold is infinite
    reversed_curves = rp.empirical_roc(x, y, direction="lower"), rp.empirical_roc(-x, y, direction="higher")
    fractions = [roc.best_threshold().stability(n_resamples=50).fraction_in_plateau for roc in reversed_curves]
    assert fractions[0] == fractions[1] > 0.2


def test_predicted_threshold_of_every_criterion():
    """From moments alone and by refitting, which agree within 40% of their width at 120 and 100 rows."""
    negative, positive = two_classes((120, 100))

    def check(case):
        name, direction = case
        sign = 1 if direction == "higher" else -1
        roc = rp.predict_roc(*labelled(sign * negative, sign * positive), direction=direction)
        best = roc.best_threshold(name, **CRITERIA[name])
        n_resamples = 40 if name in {informedness_squared, "closest_topleft"} else 200
        for interval in (best.threshold_interval, best.ameans_interval):
            default, refit = interval(), interval(method="bootstrap", n_resamples=n_resamples)
            for result, method in ((default, "pivotal" if name in WEIGHTED else "delta"), (refit, "bootstrap")):
                assert np.isfinite([result.low, result.high]).all()
                assert result.low < result.estimate < result.high
                assert result.method == method
            assert tuple(default) == pytest.approx(tuple(refit), abs=0.4 * refit.width)
        assert best.ameans_corrected is None

    check_each(CASES, check)


def test_threshold_at_a_limit_by_its_own_formula():
    """The threshold for an FPR of at most f is m0 - z(f) s0: its variance is s0^2 (1/n + z^2/(2(n - 1)))."""
    roc = rp.PredictedRoc.from_stats(mean=(4, 8), std=(3, 2), count=(31, 17))
    cases = [("max_fpr", 0.1, 4, 3, 31, 0.9), ("min_tnr", 0.85, 4, 3, 31, 0.85), ("min_tpr", 0.8, 8, 2, 17, 0.2)]
    for criterion, value, mean, std, n, share in cases:
        best, z = roc.best_threshold(criterion, value=value), ndtri(share)
        assert best.threshold == pytest.approx(mean + z * std, rel=1e-12)
        error = std * np.sqrt(1 / n + z * z / (2 * (n - 1)))
        assert best.threshold_interval().width == pytest.approx(2 * stats.t.ppf(0.975, n - 1) * error, rel=1e-6)


def test_delta_of_the_threshold_by_monte_carlo():
    """4,000 pairs of drawn moments at n = 200: their best thresholds and Ameans spread as the delta method says.

    A standard deviation of 4,000 has an error of 1.1 %: 5 of them and 4 % for the curvature fail 1 in 1,000,000.
    """
    rng = np.random.default_rng(2)
    mean = [rng.normal(m, s / np.sqrt(200), 4000) for m, s in ((4, 3), (8, 2))]
    std = [s * np.sqrt(rng.chisquare(199, 4000) / 199) for s in (3, 2)]
    drawn = rp.PredictedRoc.from_stats(mean=tuple(mean), std=tuple(std)).best_threshold()
    best = rp.PredictedRoc.from_stats(mean=(4, 8), std=(3, 2), count=(200, 200)).best_threshold()
    z = 2 * ndtri(0.975)
    assert np.std(drawn.threshold) == pytest.approx(best.threshold_interval().width / z, rel=0.1)
    assert np.std(ndtri(drawn.ameans)) == pytest.approx(np.ptp(ndtri([*best.ameans_interval()])) / z, rel=0.1)


def best_by_brute_force(negative, positive, thresholds):
    """Return the middle one of the thresholds with the highest Ameans."""
    ameans = np.array([np.mean(positive >= t) + np.mean(negative < t) for t in thresholds]) / 2
    good = np.flatnonzero(ameans >= ameans.max() - 1e-12)
    return thresholds[good[(len(good) - 1) // 2]]


def test_resampled_choices_by_brute_force():
    """Each resample written out as rows: its best threshold, and the Ameans there on the rows that it left out."""
    negative, positive = np.sort(np.round(two_classes((11, 9))[0], 1)), np.sort(np.round(two_classes((11, 9))[1], 1))
    best = empirical(negative, positive).best_threshold()
    candidates = empirical(negative, positive).curve().thresholds
    chosen, worth, optimism = [], [], []
    for counts in BootstrapOptions(80, 7).resample_counts((None, None), (11, 9), row_size=200):
        for n, p in zip(*counts, strict=True):
            rows = np.repeat(negative, n.astype(int)), np.repeat(positive, p.astype(int))
            t = best_by_brute_force(*rows, candidates)
            chosen.append(t)
            tpr, tnr = np.mean(rows[1] >= t) - np.mean(positive >= t), np.mean(rows[0] < t) - np.mean(negative < t)
            optimism.append((tpr, tnr))
            worth.append((np.mean(positive[p == 0] >= t) + np.mean(negative[n == 0] < t)) / 2)
    stability = best.stability(n_resamples=80, rng=7)
    solver = EmpiricalSolver(rp.Ecdf(negative), rp.Ecdf(positive))
    resampled = bootstrap_thresholds(solver, ThresholdCriterion(), BootstrapOptions(80, 7))
    assert resampled.optimism == pytest.approx(np.mean(optimism, axis=0), rel=1e-9)
    assert stability.thresholds == pytest.approx(np.sort(chosen), rel=1e-12)
    assert stability.ameans_oob == pytest.approx(np.mean(worth), rel=1e-12)
    inside = (np.array(chosen) >= best.plateau[0]) & (np.array(chosen) <= best.plateau[1])
    assert stability.fraction_in_plateau == pytest.approx(inside.mean(), rel=1e-12)


def test_thresholds_that_cannot_be_best_are_omitted_without_effect(monkeypatch):
    """The search in bounded blocks of thresholds equals the full search, in 200 samples; AUC from 0.5."""
    criteria = {
        "ameans": {},
        "cost": {"prevalence": 0.2, "cost_fn": 3.0},
        "closest_topleft": {},
        "min_tpr": {"value": 0.9},
    }
    rng, sizes, n_omitted = np.random.default_rng(5), [], 0
    monkeypatch.setattr(bootstrap, "_N_BLOCKS", 20)
    middle = bootstrap.middle_of_best
    monkeypatch.setattr(bootstrap, "middle_of_best", lambda u, tol: sizes.append(u.shape[1]) or middle(u, tol))
    for index, (name, shift, digits) in enumerate(product(criteria, (0, 0.5, 1, 3, -1), (1, 16) * 5)):
        counts = rng.integers(30, 150, 2)
        pair = [rp.Ecdf(np.round(rng.normal(d, 1 + d % 2, n), digits)) for d, n in zip((0, shift), counts, strict=True)]
        results = []
        for smallest in (1, np.inf):
            monkeypatch.setattr(bootstrap, "_MIN_BLOCK_SIZE", smallest)
            criterion = ThresholdCriterion(criterion=name, **criteria[name])
            results.append(bootstrap_thresholds(EmpiricalSolver(*pair), criterion, BootstrapOptions(20, index)))
        for inner, full in zip(*results, strict=True):
            np.testing.assert_array_equal(inner, full)
        n_omitted += sizes[-2] < sizes[-1]
    assert n_omitted > 50


@pytest.mark.parametrize("n", [2000, 20_000])
@pytest.mark.parametrize("options", [{}, {"criterion": "cost", "prevalence": 0.3, "cost_fn": 4.0}])
def test_merging_values_far_from_the_best_threshold_does_not_change_the_bootstrap(monkeypatch, n, options):
    """Two routes with separate resamples: means and spreads within 5.5 standard errors (falsely outside: 1e-6)."""
    rng, criterion = np.random.default_rng(n), ThresholdCriterion(**options)
    pair = rp.Ecdf(rng.standard_normal(n)), rp.Ecdf(np.round(rng.standard_normal(n) + 1.2, 3))
    solver = EmpiricalSolver(*pair)
    merged = merge_far_values(solver, criterion, 0)
    assert merged.negative.total == merged.positive.total == n
    assert merged.negative.sorted_sample.size + merged.positive.sorted_sample.size < n
    routes = []
    for many, seed in ((0, 1), (10**9, 2)):
        with monkeypatch.context() as patch:
            patch.setattr(merge_far_values, "__defaults__", (many,))
            found = bootstrap_thresholds(solver, criterion, BootstrapOptions(400, seed))
        routes.append([found.thresholds, found.ameans_oob, (found.thresholds - found.thresholds.mean()) ** 2])
        routes[-1].append(found.optimism)
    for one, other in zip(routes[0][:3], routes[1][:3], strict=True):
        assert abs(one.mean() - other.mean()) < 5.5 * np.sqrt((one.var() + other.var()) / 400)
    spread = np.sqrt(pair[0].sf(0.6) * pair[0].cdf(0.6) / n)  # of a rate in a resample
    np.testing.assert_allclose(routes[0][3], routes[1][3], atol=5.5 * spread * np.sqrt(2 / 400))


@pytest.mark.parametrize(("options", "share"), [({}, 0.5), ({"criterion": "cost", "prevalence": 0.3}, 0.7)])
def test_values_are_merged_by_the_bound_of_bernstein(options, share):
    """For the loss of each threshold, written out as a sum over observations; ``share`` is the weight of the FPR.

    Beyond the outermost threshold that may be best, one more threshold stays; the values beyond it are merged.
    """
    rng = np.random.default_rng(8)
    sizes, weights = (1500, 500), (share, share - 1)
    classes = [rng.normal(shift, 1, n).round(3) for shift, n in zip((0, 1.2), sizes, strict=True)]
    thresholds = np.unique(np.concatenate([*classes, [np.inf]]))
    losses = [w * (x >= thresholds[:, None]) for x, w in zip(classes, weights, strict=True)]
    mean = sum(part.mean(axis=1) for part in losses)
    best = mean.argmin()
    excess = [part - part[best] for part in losses]
    variance = sum(part.var(axis=1) / n for part, n in zip(excess, sizes, strict=True))
    largest = max(abs(w) / n for w, n in zip(weights, sizes, strict=True))
    distance = mean - mean[best]
    kept = np.flatnonzero(distance**2 / 2 <= 16 * (variance + largest * distance / 3))
    low, high = thresholds[[kept[0] - 1, kept[-1] + 1]]
    merged = merge_far_values(EmpiricalSolver(*map(rp.Ecdf, classes)), ThresholdCriterion(**options), 0)
    for part, x in zip((merged.negative, merged.positive), classes, strict=True):
        inner, counts = np.unique(x[(x >= low) & (x < high)], return_counts=True)
        assert part.sorted_sample[1:-1].tolist() == inner.tolist()
        assert part.sorted_weights.tolist() == [np.sum(x < low), *counts, np.sum(x >= high)]


def test_few_or_weighted_observations_are_not_merged():
    """Values are merged from 20,000 observations on, if each class has 20 or more, without weights, for a price."""
    rng = np.random.default_rng(2)

    def is_merged(n0, n1, weights=(None, None), **options):
        pair = [
            rp.Ecdf(rng.normal(shift, 1, n), None if w is None else np.full(n, w))
            for n, shift, w in zip((n0, n1), (0, 1.5), weights, strict=True)
        ]
        solver = EmpiricalSolver(*pair)
        merged = merge_far_values(solver, ThresholdCriterion(**options))
        assert (merged.negative.total, merged.positive.total) == (solver.negative.total, solver.positive.total)
        return merged is not solver

    assert is_merged(10_000, 10_000)
    assert not is_merged(9_999, 10_000)
    assert is_merged(20, 30_000)
    assert is_merged(30_000, 20)
    assert not is_merged(19, 30_000)
    assert not is_merged(30_000, 19)
    assert not is_merged(10_000, 10_000, (1.0, None))
    assert not is_merged(10_000, 10_000, (None, 1.0))
    assert not is_merged(10_000, 10_000, criterion="closest_topleft")
    assert is_merged(10_000, 10_000, criterion="cost", prevalence=0.3)


def test_out_of_bag_share_of_weighted_values_by_all_draws():
    """A value with weight w is w equal observations, each drawn alike: expected numbers that are left out.

    A weight below 1 is left out as a whole, or not at all.
    """
    draws = np.array([[0, 1, 2, 0, 3], [2, 0, 0, 1, 1], [1, 1, 1, 1, 1], [0, 3, 0, 0, 2]], dtype=float)
    weights = np.array([1.0, 3.0, 2.0, 1.0, 4.0])
    place = np.array([0, 2, 3, 5])

    def left_out(w, k):
        return np.mean([w - len(set(drawn)) for drawn in product(range(int(w)), repeat=int(k))])

    expected = np.array([[left_out(w, k) for w, k in zip(weights, row, strict=True)] for row in draws])
    above = [row[start:].sum() for row, start in zip(expected, place, strict=True)]
    result = bootstrap._oob_share(draws, weights, place)
    assert result == pytest.approx(above / expected.sum(axis=1), rel=1e-12)
    plain = bootstrap._oob_share(draws, None, place)
    assert plain[[0, 1, 3]].tolist() == [1, 0.5, 0]
    assert np.isnan(plain[2])
    parts = bootstrap._oob_share(draws[:2], np.full(5, 0.5), place[:2])
    assert parts.tolist() == plain[:2].tolist()


def test_mean_out_of_bag_ameans():
    """Resamples without out-of-bag observations are left out; without any others, the mean is that of chance."""
    for values, mean in (([0.6, np.nan, 0.9], 0.75), ([np.nan, np.nan], 0.5), ([0.25], 0.25)):
        assert bootstrap.ResampledThresholds(np.zeros(3), np.array(values), np.zeros(2)).mean_oob == mean


def test_resamples_do_not_depend_on_the_size_of_chunks(monkeypatch):
    """A chunk holds as many values as are allowed, but at least one resample; each class has its own stream."""
    weights = (None, np.array([1.0, 2, 3, 1]))
    whole = [
        np.concatenate(part) for part in zip(*BootstrapOptions(50, 3).resample_counts(weights, (6, 4)), strict=True)
    ]
    assert [part.shape for part in whole] == [(50, 6), (50, 4)]
    assert [np.unique(part.sum(axis=1)).tolist() for part in whole] == [[6], [7]]
    (alone,) = BootstrapOptions(50, 3).resample_counts((None, None), (6, 9))
    assert alone[0].tolist() == whole[0].tolist()
    for limit, row_size, most in ((100, 0, 5), (100, 5, 4), (119, 0, 5), (3, 0, 1)):
        monkeypatch.setattr(bootstrap, "_MAX_CHUNK_SIZE", limit)
        chunks = list(BootstrapOptions(50, 3).resample_counts(weights, (6, 4), row_size))
        sizes = [len(part) for part, _ in chunks]
        assert sum(sizes) == 50
        assert set(sizes[:-1]) == {most}
        for part, every in zip(zip(*chunks, strict=True), whole, strict=True):
            assert np.concatenate(part).tolist() == every.tolist()
    monkeypatch.setattr(bootstrap, "_MAX_CHUNK_SIZE", 120)
    assert [len(part) for part, _ in BootstrapOptions(50, 3).resample_counts(weights, (6, 4))] == [6] * 8 + [2]
    monkeypatch.setattr(bootstrap, "_MAX_CHUNK_SIZE", 3)
    sizes = list(BootstrapOptions(50, 3).chunk_sizes(0.5))  # values of a resample: at least 1
    assert sizes == [3] * 16 + [2]


def test_numbers_of_resamples_that_are_accepted():
    for number in (20, 10_000_000):
        assert BootstrapOptions(number).n_resamples == number
    assert BootstrapOptions() == BootstrapOptions(2000, 0)
    refuses("n_resamples=19 is too few; pass 20 or more", BootstrapOptions, 19)
    refuses("n_resamples=10000001 is too many; pass 10,000,000 or fewer", BootstrapOptions, 10_000_001)


def test_draws_of_weights_that_are_not_whole():
    """As many draws as the total weight, rounded; each draw has an equal share of the total weight."""
    weights = np.array([0.5, 1.2, 3.0, 0.9])  # in all 5.6, so that 6 are drawn
    draws = draw_counts(np.random.default_rng(1), 4000, weights, 4)
    assert draws.sum(axis=1) == pytest.approx(np.full(4000, 5.6), rel=1e-12)
    multiples = draws * 6 / 5.6
    assert multiples == pytest.approx(np.round(multiples), abs=1e-9)
    assert (np.abs(draws.mean(axis=0) - weights) < 6 * draws.std(axis=0) / np.sqrt(4000)).all()
    expected = 6 * (weights / 5.6) * (1 - weights / 5.6) * (5.6 / 6) ** 2
    np.testing.assert_allclose(draws.var(axis=0), expected, rtol=6 * np.sqrt(3 / 4000))
    plain = draw_counts(np.random.default_rng(1), 4000, None, 3)
    assert (plain.sum(axis=1) == 3).all()
    np.testing.assert_allclose(plain.var(axis=0), 2 / 3, rtol=6 * np.sqrt(3 / 4000))


def test_weights_that_can_be_written_out():
    expanded = bootstrap.expand_weights(rp.Ecdf([3.0, 1.0, 2.0], [2, 1, 3]))
    assert expanded.sorted_sample.tolist() == [1, 2, 2, 2, 3, 3]
    assert expanded.sorted_weights is None
    for sample in (rp.Ecdf([1.0, 2.0]), rp.Ecdf([1.0, 2.0], [1.5, 2.5]), rp.Ecdf([1.0, 2.0], [1.5, 2.0])):
        assert bootstrap.expand_weights(sample) is sample
    limit = bootstrap.MAX_EXPANDED_ROWS
    large = rp.Ecdf([1.0, 2.0], [limit, 1.0])
    assert bootstrap.expand_weights(large) is large


def test_areas_and_rates_of_resamples_by_their_rows():
    """With ties and infinities: AUC, both partial areas and TPRs of each resample are those of its rows."""
    samples = np.array([-np.inf, 1, 1, 3, 4, 6, 7]), np.array([1.0, 2, 4, 4, 5, np.inf])
    for negative, positive in (samples, [part[1:-1] for part in samples], [np.arange(5.0), np.arange(4) + 0.5]):
        pair, options = (rp.Ecdf(negative), rp.Ecdf(positive)), BootstrapOptions(25, 6)
        rocs = [
            empirical(*(np.repeat(x, n.astype(int)) for x, n in zip((negative, positive), draws, strict=True)))
            for counts in options.resample_counts((None, None), (len(negative), len(positive)))
            for draws in zip(*counts, strict=True)
        ]
        assert bootstrap.bootstrap_areas(*pair, None, options) == pytest.approx([roc.auc() for roc in rocs], abs=1e-12)
        for axis, low, high in (("fpr", 0, 0.3), ("fpr", 0.15, 1), ("tpr", 0.6, 1), ("tpr", 0, 0.55)):
            areas = bootstrap.bootstrap_areas(*pair, RateRange(axis, low, high), options)
            expected = [roc.partial_auc(**{axis: (low, high)}) / (high - low) for roc in rocs]
            assert areas == pytest.approx(expected, abs=1e-12)
        fprs = np.array([0.0, 0.1, 0.25, 0.4, 0.77, 1.0])
        tpr = bootstrap.bootstrap_tpr(*pair, fprs, options)
        assert tpr == pytest.approx(np.array([roc.tpr_at_fpr(fprs) for roc in rocs]), abs=1e-12)


def test_percentiles_of_infinite_replicates():
    """Without infinities, quantiles are interpolated; with one, they are order statistics."""
    finite = np.arange(1.0, 42)
    assert bootstrap.percentile_interval(finite, 0.9) == pytest.approx((3, 39), rel=1e-12)
    assert bootstrap.percentile_interval(finite, 0.87) == pytest.approx((3.6, 38.4), rel=1e-12)
    ends = np.concatenate([[-np.inf], finite[1:-1], [np.inf]])
    assert bootstrap.percentile_interval(ends, 0.87) == (3, 39)  # the first with 6.5% and with 93.5% at or below it
    low, high = bootstrap.percentile_interval(np.column_stack([finite, -finite]), 0.9)
    assert (low.tolist(), high.tolist()) == (pytest.approx([3, -39]), pytest.approx([39, -3]))


def test_bca_interval_of_replicates_on_one_side_of_the_estimate():
    """A proportion of 0 or 1 below the estimate is taken as half a resample, so that the bias is finite."""
    replicates, tails = np.arange(1.0, 41), np.array([0.25, 0.75])
    shares = ndtr(2 * ndtri(0.5 / 40) + ndtri(tails))
    low, high = bootstrap.bca_interval(replicates, 0.0, 0.0, 0.5)
    assert (low, high) == pytest.approx(np.quantile(replicates, shares), rel=1e-12)
    assert bootstrap.bca_interval(-replicates, 0.0, 0.0, 0.5) == pytest.approx((-high, -low), rel=1e-9)
    assert bootstrap.bca_interval(replicates - 20.5, 0.0, 0.0, 0.5) == pytest.approx((-9.75, 9.75), rel=1e-9)
    tied = np.repeat([-1.0, 1e-14, 1.0, 2.0], [8, 8, 16, 8])  # 8 below and 8 ties are 12 of 40
    shares = ndtr(2 * ndtri(12 / 40) + ndtri(tails))
    assert bootstrap.bca_interval(tied, 0.0, 0.0, 0.5) == pytest.approx(np.quantile(tied, shares), abs=1e-12)


def test_bootstrap_threshold_interval_by_order_statistics():
    """The outer order statistics at each quantile, extended to the plateau; quantiles and shares of the stability."""
    for seed, direction in ((4, None), (5, "lower"), (6, None)):
        sign, (negative, positive) = (-1 if direction else 1), two_classes((12, 10), seed=seed)
        best = empirical(sign * negative, sign * positive, direction=direction).best_threshold()
        stability = best.stability(n_resamples=41, rng=7)
        drawn = np.array(stability.thresholds)
        for level, cut in ((0.75, 5), (0.5, 10), (0.87, 2.6), (0.02, 19.6)):
            result = best.threshold_interval(level, method="bootstrap", n_resamples=41, rng=7)
            low, high = drawn[int(np.floor(cut))], drawn[40 - int(np.floor(cut))]
            assert (result.low, result.high) == (min(low, best.plateau[0]), max(high, best.plateau[1])), level
        assert (best.threshold_interval().method, result.method) == ("test-inversion", "bootstrap")
        ranks = {q: drawn[int(np.ceil(41 * q)) - 1] for q in (0.05, 0.25, 0.5, 0.75, 0.95)}
        assert stability.quantiles == ranks
        inside = [best.plateau[0] <= t <= best.plateau[1] for t in drawn]
        assert stability.fraction_in_plateau == np.mean(inside)
        assert stability.n_failed == 0


@pytest.mark.parametrize(
    ("inner", "size"),
    [
        (np.tile([1.0, 2.0, 5.0], 200), 4000),
        (np.ones(600), 4000),
        (np.repeat([1.0, 150.0, 1.0], [300, 2, 300]), 4000),
        (np.ones(40_000), 400),
        (np.ones(70_000), 200),
    ],
)
def test_draws_of_whole_weights_have_the_moments_of_a_multinomial(inner, size):
    """Mean and variance of each value, and chi-squared over all values, within 6 standard errors (outside: 1e-6)."""
    weights = np.concatenate([[500.0], inner, [300.0]])
    draws = draw_counts(np.random.default_rng(3), size, weights, len(weights))
    assert (draws.sum(axis=1) == weights.sum()).all()
    share = weights / weights.sum()
    variance = weights * (1 - share)
    if size == 4000:
        assert (np.abs(draws.mean(axis=0) - weights) < 6 * np.sqrt(variance / size)).all()
        np.testing.assert_allclose(draws.var(axis=0) / variance, 1, atol=6 * np.sqrt(3 / size))
    pooled = ((draws.sum(axis=0) - size * weights) ** 2 / (size * weights)).sum()
    single = ((draws - weights) ** 2 / weights).sum(axis=1).mean()
    for chi2, sd in ((pooled, np.sqrt(2 * len(inner))), (single, np.sqrt(2 * len(inner) / size))):
        assert abs(chi2 - len(inner) - 1) < 6 * sd


def test_weights_with_a_sum_of_1_are_drawn_as_one_observation():
    draws = draw_counts(np.random.default_rng(1), 30, np.array([0.3, 0.7]), 2)
    assert np.unique(draws, axis=0).tolist() == [[0, 1], [1, 0]]
    halves = draw_counts(np.random.default_rng(1), 200, np.full(600, 0.5), 600)
    assert (halves.sum(axis=1) == 300).all()
    assert np.abs(halves.mean(axis=0) - 0.5).max() < 6 * np.sqrt(0.5 / 200)  # by chance once in a million


def wilson_by_hand(share, n, z):
    """Return Wilson's limits of a proportion of n."""
    root = z * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return [(share + z * z / (2 * n) + sign * root) / (1 + z * z / n) for sign in (-1, 1)]


def test_ameans_interval_by_hand():
    """Each rate less its own optimism, half of it for the upper limit; Wilson's limits, and Newcombe's squares."""
    negative, positive = two_classes((40, 25))
    best = empirical(negative, positive).best_threshold()
    options = BootstrapOptions(2000, 0)
    solver = EmpiricalSolver(rp.Ecdf(negative), rp.Ecdf(positive))
    resampled = bootstrap_thresholds(solver, ThresholdCriterion(), options)
    limits = []
    for end, part in ((0, 1.0), (1, 0.5)):
        shares = np.array([best.tpr, best.tnr]) - part * resampled.optimism
        ends = [wilson_by_hand(share, n, ndtri(0.975))[end] for share, n in zip(shares, (25, 40), strict=True)]
        limits.append(np.mean(shares) + (2 * end - 1) * np.hypot(*np.subtract(ends, shares)) / 2)
    assert (resampled.optimism > 0).all()
    assert tuple(best.ameans_interval()) == pytest.approx(limits, rel=1e-10)


def test_ameans_of_null_data():
    """400 samples of 30 and 30 alike. Out of bag 1/2: one value has an sd of about .055, .0125 off is 4.5 errors.

    In the sample it is optimistic: the mean is .60 here with 60 candidates for a threshold; its error is .002.
    """
    rng = np.random.default_rng(17)
    best = [empirical(rng.normal(size=30), rng.normal(size=30)).best_threshold() for _ in range(400)]
    in_sample, out_of_bag = np.array([(each.ameans, each.stability(n_resamples=25).ameans_oob) for each in best]).T
    assert out_of_bag.std() < 0.08
    assert out_of_bag.mean() == pytest.approx(0.5, abs=0.0125)
    assert in_sample.mean() > 0.57
    assert (in_sample > out_of_bag).mean() > 0.95


def test_ameans_interval_of_null_data_includes_one_half():
    """200 samples of 30 and 30: nominal .95; fewer than 170 hold 1/2 once in 1e8 if 190 should.

    Also of true classes: where the threshold's worth is known, by the true rates at the chosen threshold.
    """
    rng = np.random.default_rng(5)
    for shift in (0.0, 1.5):
        n_inside = 0
        for _ in range(200):
            best = empirical(rng.normal(size=30), rng.normal(shift, 1, 30)).best_threshold()
            truth = (ndtr(best.threshold) + ndtr(shift - best.threshold)) / 2
            n_inside += truth in best.ameans_interval(n_resamples=25)
        assert n_inside >= 170


def test_repr_shows_the_corrected_value_after_the_apparent_one():
    """And to_dict, in that order; a predicted threshold has none.

    1000 seeded resamples stand for 4,000: the difference has an sd of about .09/sqrt(1000) = .003; 5 of them.
    """
    best = empirical(*two_classes()).best_threshold()
    text = repr(best)
    assert f"ameans={best.ameans:.6g} ({best.ameans_corrected:.4g} corrected)" in text
    assert best.ameans_corrected < best.ameans
    keys = list(best.to_dict())
    assert keys.index("ameans_corrected") == keys.index("ameans") + 1
    assert best.to_dict()["ameans_corrected"] == best.ameans_corrected
    assert f"ameans_oob={best.stability().ameans_oob:.4g}" in repr(best.stability())
    assert best.ameans_corrected == best.stability(n_resamples=1000, rng=0).ameans_corrected
    assert best.ameans_corrected == pytest.approx(best.stability(n_resamples=4000, rng=1).ameans_corrected, abs=0.016)
    predicted = rp.predict_roc(*labelled(*two_classes())).best_threshold()
    assert "corrected" not in repr(predicted)
    assert "ameans_corrected" not in predicted.to_dict()
    for criterion, is_shown in (("youden", True), ("cost", False), ("accuracy", False)):
        other = empirical(*two_classes()).best_threshold(criterion)
        assert ("corrected" in repr(other), "corrected" in other.table().to_text()) == (is_shown, is_shown)
        assert other.ameans_corrected is not None


def test_large_samples_have_fewer_resamples_and_no_corrected_value_in_the_repr():
    """The number is 2,000,000 divided by the class sizes, from 20 to 1,000; a repr is quick up to 10,000 rows."""
    x, y = np.tile([0.0, 1, 2, 3], 2), np.repeat([0, 1], 4)
    shape = np.array([4.0, 3, 2, 1, 1, 2, 3, 4]) / 20
    for total, n_resamples, is_shown in (
        (200, 1000, True),
        (10_000, 200, True),
        (10_020, 199, False),
        (200_000, 20, False),
    ):
        best = rp.empirical_roc(x, y, weights=np.round(shape * total)).best_threshold()
        assert best.ameans_corrected == best.stability(n_resamples=n_resamples, rng=0).ameans_corrected
        assert ("corrected" in repr(best)) == is_shown, total


def test_infinite_thresholds_are_flagged():
    """Accuracy with a prevalence of 1 in 10,000: never positive is best, in the sample and in nearly every resample.

    Predicted: no crossing at a prevalence of 1 in 10; the estimate is infinite, and the interval is unbounded.
    """
    negative, positive = np.array([1.0, 2, 3, 9]), np.array([2.5, 3.5, 4, 5])
    for direction, sign in (("higher", 1), ("lower", -1)):
        roc = empirical(sign * negative, sign * positive, direction=direction)
        best = roc.best_threshold("accuracy", prevalence=1e-4)
        result = best.threshold_interval(n_resamples=100)
        assert "always_negative" in best.flags
        assert "always_negative" in result.flags
        assert not np.isnan([result.low, result.high]).any()
        assert (result.high if sign > 0 else result.low) == result.estimate == best.threshold == sign * np.inf
        turned = empirical(sign * positive, sign * negative, direction=direction)
        other = turned.best_threshold("accuracy", prevalence=1 - 1e-4)
        assert other.threshold == -sign * np.inf
        assert "always_positive" in other.threshold_interval(n_resamples=100).flags
        mean = (4 * sign, 8 * sign)
        roc = rp.PredictedRoc.from_stats(mean=mean, std=(3, 2), count=(40, 40), direction=direction)
        best = roc.best_threshold("accuracy", prevalence=0.1)
        result, worth = best.threshold_interval(), best.ameans_interval()
        assert {"always_negative", "unbounded"} <= {*result.flags}
        assert (result.low, result.high) == (-np.inf, np.inf)
        refuses(
            "needs a finite best threshold, but the best threshold is inf", best.threshold_interval, method="pivotal"
        )
        assert best.ameans_interval(method="pivotal") == worth
        assert result.estimate == best.threshold == sign * np.inf
        assert 0 <= worth.low < worth.high <= 1


def test_the_threshold_next_to_a_point_mass_has_no_finite_interval():
    """The spread of 20 equal values is unknown; a width of 0 would be false certainty."""
    roc = rp.PredictedRoc(rp.Gaussian(0, 1), rp.Gaussian(1, 0), count=(20, 20))
    for criterion, options in {"ameans": {}, "f1": {"prevalence": 0.5}, "min_tpr": {"value": 0.8}}.items():
        interval = roc.best_threshold(criterion, **options).threshold_interval()
        assert (interval.low, interval.estimate, interval.high) == (-np.inf, 1, np.inf)
        assert "unbounded" in interval.flags
    assert "unbounded" not in rp.PredictedRoc.from_stats(mean=(4, 8), std=(3, 2), count=(9, 9)).auc_interval().flags
    with pytest.raises(rp.RocPredictError, match="method='pivotal' needs more than one observation and a finite"):
        roc.best_threshold().threshold_interval(method="pivotal")


def test_predicted_uncertainty_of_degenerate_moments():
    """Alike, the wrong way round, without spread, of one case: ends in order, no NaN, the estimate inside.

    The standard error of the delta method grows without bound as the classes become alike.
    """
    pairs = [((0, 0), (1, 1)), ((1, 0), (1, 1)), ((0, 1), (0, 0)), ((0, 1), (0, 1)), ((0, 1), (1, 0))]
    for (mean, std), count in product(pairs, [(1, 1), (2, 2), (9, 1)]):
        best = rp.PredictedRoc.from_stats(mean=mean, std=std, count=count).best_threshold()
        for result in (best.threshold_interval(), best.ameans_interval()):
            assert result.low <= result.estimate <= result.high, (mean, std, count)
        assert best.ameans_interval().width > 1e-6, (mean, std, count)
    rocs = [rp.PredictedRoc.from_stats(mean=(0, d), std=(1, 1), count=(50, 50)) for d in (1, 0.1, 0.01, 1e-6)]
    widths = [roc.best_threshold().threshold_interval(method="delta").width for roc in rocs]
    assert (np.diff(widths) > 0).all()
    assert widths[-1] > 1e5


def test_counted_uncertainty_of_degenerate_data():
    """No NaN and no crash; with one row in a class nothing is out of bag, and the corrected value is approximate."""
    data = [
        ([1.0], [2.0]),
        ([2.0], [1.0]),
        ([1.0], [1.0]),
        ([1.0], [0.0, 2.0]),
        ([0.0] * 5, [0.0] * 5),
        ([1.0, 2], [3.0, 4]),
        ([-np.inf, 0.0, np.inf], [np.inf, np.inf, 1.0]),
    ]

    def check(case):
        (negative, positive), name = case
        best = empirical(negative, positive).best_threshold(name, **CRITERIA[name])
        worth = best.ameans_interval(n_resamples=40)
        for interval in (best.threshold_interval(n_resamples=40), worth):
            assert interval.low <= interval.estimate <= interval.high
        assert 0 <= worth.low < worth.high <= 1
        stability = best.stability(n_resamples=40)
        assert 0 <= stability.ameans_oob <= 1
        if min(len(negative), len(positive)) == 1:
            assert (stability.ameans_oob, stability.n_failed) == (0.5, 40)
        assert repr(best)

    names = ("ameans", "closest_topleft", "min_tpr", informedness_squared)
    check_each({str(case): case for case in product(data, names)}, check)


def test_weights_that_are_not_whole():
    """Resampled as units of the size of one case: the out-of-bag value lies between chance and the in-sample one."""
    negative, positive = two_classes()
    rng = np.random.default_rng(1)
    roc = empirical(rp.Ecdf(negative, rng.uniform(0.5, 2, 30)), rp.Ecdf(positive, rng.uniform(0.5, 2, 24)))
    best = roc.best_threshold()
    assert 0.5 < best.ameans_corrected < best.ameans
    result = best.threshold_interval(n_resamples=50)
    assert result.low < best.threshold < result.high


def test_error_words():
    best = empirical(*two_classes()).best_threshold()
    uncounted = rp.PredictedRoc.from_stats(mean=(0, 1), std=(1, 1)).best_threshold()
    counted = rp.PredictedRoc.from_stats(mean=(0, 1), std=(1, 1), count=(9, 9)).best_threshold()
    gamma = rp.PredictedRoc(negative=stats.gamma(2), positive=stats.gamma(4), count=(9, 9)).best_threshold()
    batch = rp.PredictedRoc.from_stats(mean=([0, 0], [1, 2]), std=(1, 1), count=(9, 9)).best_threshold()
    table = [
        (lambda: best.threshold_interval(method="delta"), "method='delta'.*bootstrap"),
        (lambda: best.ameans_interval(method="wilson"), "method='wilson'.*optimism-corrected"),
        (lambda: best.threshold_interval(1.5), "level=1.5"),
        (lambda: best.ameans_interval(0), "level=0"),
        (lambda: best.threshold_interval(n_resamples=2), "n_resamples=2 is too few"),
        (lambda: best.stability(n_resamples=0), "n_resamples=0 is too few"),
        (lambda: best.stability(rng=-3), "rng=-3 is not a valid seed"),
        (lambda: best.stability(rng="x"), "rng='x'"),
        (uncounted.threshold_interval, "count="),
        (uncounted.ameans_interval, "count="),
        (lambda: counted.threshold_interval(method="bootstrap"), "needs the sample"),
        (lambda: counted.ameans_interval(method="out-of-bag"), "method='out-of-bag'"),
        (counted.stability, "needs a threshold of an empirical curve"),
        (gamma.threshold_interval, "two Gaussians"),
        (gamma.ameans_interval, "two Gaussians"),
        (batch.stability, "needs a threshold of an empirical curve"),
    ]
    check_refused(table)
    assert np.shape(batch.threshold_interval().low) == np.shape(batch.ameans_interval().high) == (2,)
    assert repr(batch)
    assert {*thresholds.CRITERIA} == {*CRITERIA} - {informedness_squared}  # what is added there must be added here


def test_a_class_of_few_observations_is_not_merged():
    """All 2 positives are drawn in half of the resamples, which then have no out-of-bag Ameans."""
    rng = np.random.default_rng(3)
    roc = empirical(rng.normal(0, 1, 20_000), rng.normal(2, 1, 2))
    solver = EmpiricalSolver(roc.negative, roc.positive)
    assert merge_far_values(solver, ThresholdCriterion()) is solver


def test_intervals_that_may_cover_too_rarely_are_flagged():
    """Delta thresholds with unequal prevalences and fewer than 200 in a class; bootstrap with fewer than 50."""
    sizes = ([199, 200, 500], [500, 200, 199])
    batch = rp.PredictedRoc.from_stats(mean=([0, 0, 0], [1.5] * 3), std=(1, 1), count=sizes)
    flags = batch.best_threshold("accuracy", prevalence=0.3).threshold_interval().flags
    assert flags["undercoverage"].tolist() == [True, False, True]
    assert "undercoverage" not in batch.best_threshold().threshold_interval().flags
    rng = np.random.default_rng(2)
    for sizes, expected in (((49, 60), True), ((60, 49), True), ((50, 50), False)):
        x, y = np.exp(rng.normal(size=sum(sizes))), np.repeat([0, 1], sizes)
        roc = rp.predict_roc(x + y, y, family="lognormal")
        for interval in (
            roc.tpr_at_fpr_interval(0.2, n_resamples=20),
            roc.partial_auc_interval(fpr=(0, 0.2), n_resamples=20),
        ):
            assert ("undercoverage" in interval.flags) == expected
