"""How far off a best threshold may be, and what it is worth on rows that did not choose it.

Every criterion, both ways to answer, both directions; brute force over resamples; simulations that say how often a
right answer would fail them.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtr, ndtri

import rocpredict as rp
from rocpredict.inference.bootstrap import BootstrapOptions


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
    "function": {},
}


def criterion_of(name):
    return informedness_squared if name == "function" else name


def two_classes(sizes=(30, 24), shift=1.2, seed=4):
    rng = np.random.default_rng(seed)
    return rng.normal(size=sizes[0]), rng.normal(shift, 1.4, sizes[1])


def empirical(negative, positive, **options):
    return rp.EmpiricalRoc(negative=negative, positive=positive, **options)


def labelled(negative, positive):
    return np.concatenate([negative, positive]), np.repeat([0, 1], [len(negative), len(positive)])


# ---- every criterion


@pytest.mark.parametrize("direction", ["higher", "lower"])
@pytest.mark.parametrize("name", CRITERIA)
def test_counted_threshold_of_every_criterion(name, direction):
    """No NaN, ends in order about the estimate, an out-of-bag value that is a rate; both directions."""
    negative, positive = two_classes()
    sign = 1 if direction == "higher" else -1
    roc = empirical(sign * negative, sign * positive, direction=direction)
    best = roc.best_threshold(criterion_of(name), **CRITERIA[name])
    found = best.threshold_interval(n_resamples=60)
    assert found.low <= best.plateau[0] <= best.threshold <= best.plateau[1] <= found.high
    assert found.estimate == best.threshold
    worth = best.ameans_interval(n_resamples=60)
    assert 0 <= worth.low < worth.estimate < worth.high <= 1
    stability = best.stability(n_resamples=60)
    assert worth.estimate == stability.ameans_oob
    assert stability.ameans_in_sample == pytest.approx(best.ameans, rel=1e-12)
    assert stability.n_resamples == len(stability.thresholds) == 60
    assert (np.diff(stability.thresholds) >= 0).all()
    assert [*stability.quantiles] == [0.05, 0.25, 0.5, 0.75, 0.95]
    assert 0 <= stability.fraction_in_plateau <= 1
    assert 0 <= best.ameans_corrected <= 1


@pytest.mark.parametrize("name", CRITERIA)
def test_turning_the_feature_turns_the_thresholds(name):
    """-x with direction "lower" chooses -t: the ends, the resampled thresholds and their worth.

    The resamples are those of the turned rows, drawn in the same order: so all of it is equal, but for the middle of
    an even number of equally good thresholds.
    """
    negative, positive = two_classes()
    up = empirical(negative, positive).best_threshold(criterion_of(name), **CRITERIA[name])
    down = empirical(-negative, -positive, direction="lower").best_threshold(criterion_of(name), **CRITERIA[name])
    assert down.threshold == pytest.approx(-up.threshold, rel=1e-12)
    low, high = up.threshold_interval(n_resamples=50)
    assert tuple(down.threshold_interval(n_resamples=50)) == pytest.approx((-high, -low), rel=1e-12)
    one, other = (best.stability(n_resamples=50) for best in (up, down))
    assert other.thresholds == pytest.approx(-one.thresholds[::-1], rel=1e-12)
    assert other.ameans_oob == pytest.approx(one.ameans_oob, rel=1e-12)
    assert other.fraction_in_plateau == one.fraction_in_plateau
    assert down.ameans_corrected == pytest.approx(up.ameans_corrected, rel=1e-12)


@pytest.mark.parametrize("direction", ["higher", "lower"])
@pytest.mark.parametrize("name", CRITERIA)
def test_predicted_threshold_of_every_criterion(name, direction):
    """From moments alone and by fitting anew, which agree within 40 % of their width at 120 and 100 rows."""
    negative, positive = two_classes((120, 100))
    sign = 1 if direction == "higher" else -1
    x, y = labelled(sign * negative, sign * positive)
    best = rp.predict_roc(x, y, direction=direction).best_threshold(criterion_of(name), **CRITERIA[name])
    n_resamples = 200 if name not in {"function", "closest_topleft"} else 40
    for ask, scale in ((best.threshold_interval, 1), (best.ameans_interval, 1)):
        delta = ask()
        refit = ask(method="bootstrap", n_resamples=n_resamples)
        for found in (delta, refit):
            assert np.isfinite([found.low, found.high]).all()
            assert found.low < found.estimate < found.high
        assert delta.method == "delta"
        assert refit.method == "bootstrap"
        assert delta.low == pytest.approx(refit.low, abs=0.4 * scale * refit.width)
        assert delta.high == pytest.approx(refit.high, abs=0.4 * scale * refit.width)
    assert best.ameans_corrected is None


def test_threshold_at_a_limit_by_its_own_formula():
    """The threshold for an FPR of at most f is m0 - z(f) s0: its variance is s0^2 (1/n + z^2/(2(n - 1)))."""
    roc = rp.PredictedRoc.from_stats(mean=(4, 8), std=(3, 2), count=(31, 17))
    for criterion, value, mean, std, n, z in (
        ("max_fpr", 0.1, 4, 3, 31, ndtri(0.9)),
        ("min_tnr", 0.85, 4, 3, 31, ndtri(0.85)),
        ("min_tpr", 0.8, 8, 2, 17, ndtri(0.2)),
    ):
        best = roc.best_threshold(criterion, value=value)
        assert best.threshold == pytest.approx(mean + z * std, rel=1e-12)
        error = std * np.sqrt(1 / n + z * z / (2 * (n - 1)))
        assert best.threshold_interval().width == pytest.approx(2 * ndtri(0.975) * error, rel=1e-6)


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


# ---- brute force


def best_by_brute_force(negative, positive, thresholds):
    """Give the middle one of the thresholds with the most Ameans."""
    ameans = np.array([np.mean(positive >= t) + np.mean(negative < t) for t in thresholds]) / 2
    good = np.flatnonzero(ameans >= ameans.max() - 1e-12)
    return thresholds[good[(len(good) - 1) // 2]]


def test_resampled_choices_by_brute_force():
    """Each resample written out as rows: its best threshold, and the Ameans there on the rows that it left out."""
    negative, positive = np.sort(np.round(two_classes((11, 9))[0], 1)), np.sort(np.round(two_classes((11, 9))[1], 1))
    best = empirical(negative, positive).best_threshold()
    candidates = empirical(negative, positive).curve().thresholds
    chosen, worth = [], []
    for counts in BootstrapOptions(80, 7).resample_counts((None, None), (11, 9), row_size=200):
        for n, p in zip(*counts, strict=True):
            rows = np.repeat(negative, n.astype(int)), np.repeat(positive, p.astype(int))
            t = best_by_brute_force(*rows, candidates)
            chosen.append(t)
            worth.append((np.mean(positive[p == 0] >= t) + np.mean(negative[n == 0] < t)) / 2)
    stability = best.stability(n_resamples=80, rng=7)
    assert stability.thresholds == pytest.approx(np.sort(chosen), rel=1e-12)
    assert stability.ameans_oob == pytest.approx(np.mean(worth), rel=1e-12)
    inside = (np.array(chosen) >= best.plateau[0]) & (np.array(chosen) <= best.plateau[1])
    assert stability.fraction_in_plateau == pytest.approx(inside.mean(), rel=1e-12)


def test_ameans_interval_by_wilson():
    """Both rates less the optimism of the choice, Wilson's intervals of them, and Newcombe's sum of squares."""
    negative, positive = two_classes((40, 25))
    best = empirical(negative, positive).best_threshold()
    found, honest = best.ameans_interval(), best.stability().ameans_oob
    distance = {-1: 0.0, 1: 0.0}
    for rate, n in ((best.tpr, 25), (best.tnr, 40)):
        share, z = rate - (best.ameans - honest), ndtri(0.975)
        root = z * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
        for sign in distance:
            distance[sign] += ((share + z * z / (2 * n) + sign * root) / (1 + z * z / n) - share) ** 2
    expected = honest - np.sqrt(distance[-1]) / 2, honest + np.sqrt(distance[1]) / 2
    assert tuple(found) == pytest.approx(expected, rel=1e-10)


# ---- null data, and what is honest


@pytest.fixture(scope="module")
def null_data():
    """Give in-sample and out-of-bag Ameans of 400 samples of 30 and 30 alike, 25 resamples each."""
    rng = np.random.default_rng(17)
    found = []
    for _ in range(400):
        best = empirical(rng.normal(size=30), rng.normal(size=30)).best_threshold()
        found.append((best.ameans, best.stability(n_resamples=25).ameans_oob))
    return np.array(found).T


def test_out_of_bag_ameans_of_null_data_is_a_half(null_data):
    """One sample's value has an sd of about .055, the mean of 400 .0028: .0125 off is 4.5 of them (1 in 150,000)."""
    out_of_bag = null_data[1]
    assert out_of_bag.std() < 0.08
    assert out_of_bag.mean() == pytest.approx(0.5, abs=0.0125)


def test_in_sample_ameans_of_null_data_is_optimistic(null_data):
    """What the resamples correct: the mean is .60 here with 60 candidates for a threshold; its error is .002."""
    assert null_data[0].mean() > 0.57
    assert (null_data[0] > null_data[1]).mean() > 0.95


def test_ameans_interval_of_null_data_holds_a_half():
    """200 samples of 30 and 30: nominal .95; fewer than 170 hold 1/2 once in 1e8 if 190 should.

    Also of true classes: where the threshold's worth is known, by the true rates at the chosen threshold.
    """
    rng = np.random.default_rng(5)
    for shift in (0.0, 1.5):
        held = 0
        for _ in range(200):
            best = empirical(rng.normal(size=30), rng.normal(shift, 1, 30)).best_threshold()
            truth = (ndtr(best.threshold) + ndtr(shift - best.threshold)) / 2
            held += truth in best.ameans_interval(n_resamples=25)
        assert held >= 170


def test_repr_shows_the_honest_value_beside_the_other():
    """And to_dict, in that order; a predicted threshold has none."""
    best = empirical(*two_classes()).best_threshold()
    text = repr(best)
    assert f"ameans={best.ameans:.6g} ({best.ameans_corrected:.4g} out of bag)" in text
    assert best.ameans_corrected < best.ameans
    keys = list(best.to_dict())
    assert keys.index("ameans_corrected") == keys.index("ameans") + 1
    assert f"ameans_oob={best.stability().ameans_oob:.4g}" in repr(best.stability())
    predicted = rp.predict_roc(*labelled(*two_classes())).best_threshold()
    assert "out of bag" not in repr(predicted)
    assert "ameans_corrected" not in predicted.to_dict()


def test_honest_value_is_close_to_that_of_many_resamples():
    """1000 seeded resamples stand for 4,000: the difference has an sd of about .09/sqrt(1000) = .003; 5 of them."""
    best = empirical(*two_classes()).best_threshold()
    assert best.ameans_corrected == best.stability(n_resamples=1000, rng=0).ameans_oob
    assert best.ameans_corrected == pytest.approx(best.stability(n_resamples=4000, rng=1).ameans_oob, abs=0.016)


# ---- infinite and degenerate thresholds


@pytest.mark.parametrize("direction", ["higher", "lower"])
def test_infinite_counted_threshold_is_flagged(direction):
    """Accuracy with a prevalence of 1 in 10,000: never positive is best, in the sample and in nearly every resample."""
    sign = 1 if direction == "higher" else -1
    negative, positive = np.array([1.0, 2, 3, 9]), np.array([2.5, 3.5, 4, 5])
    roc = empirical(sign * negative, sign * positive, direction=direction)
    best = roc.best_threshold("accuracy", prevalence=1e-4)
    found = best.threshold_interval(n_resamples=100)
    assert best.threshold == sign * np.inf
    assert "always_negative" in best.flags
    assert "always_negative" in found.flags
    assert not np.isnan([found.low, found.high]).any()
    assert (found.high if sign > 0 else found.low) == sign * np.inf
    assert found.estimate == sign * np.inf
    turned = empirical(sign * positive, sign * negative, direction=direction)
    other = turned.best_threshold("accuracy", prevalence=1 - 1e-4)
    assert other.threshold == -sign * np.inf
    assert "always_positive" in other.threshold_interval(n_resamples=100).flags


@pytest.mark.parametrize("direction", ["higher", "lower"])
def test_infinite_predicted_threshold_is_flagged(direction):
    """No crossing at this prevalence: the estimate is infinite, and so is what it may be."""
    mean = (4, 8) if direction == "higher" else (-4, -8)
    roc = rp.PredictedRoc.from_stats(mean=mean, std=(3, 2), count=(40, 40), direction=direction)
    best = roc.best_threshold("accuracy", prevalence=0.1)
    found = best.threshold_interval()
    assert "always_negative" in found.flags
    assert (found.low, found.high) == (-np.inf, np.inf)
    assert found.estimate == best.threshold == (np.inf if direction == "higher" else -np.inf)
    worth = best.ameans_interval()
    assert not np.isnan([worth.low, worth.high]).any()
    assert 0 <= worth.low < worth.high <= 1


@pytest.mark.parametrize(
    ("mean", "std"), [((0, 0), (1, 1)), ((1, 0), (1, 1)), ((0, 1), (0, 0)), ((0, 1), (0, 1)), ((0, 1), (1, 0))]
)
@pytest.mark.parametrize("count", [(1, 1), (2, 2), (9, 1)])
def test_predicted_uncertainty_of_degenerate_moments(mean, std, count):
    """Alike, the wrong way round, without spread, of one case: ends in order, no NaN, the estimate inside."""
    best = rp.PredictedRoc.from_stats(mean=mean, std=std, count=count).best_threshold()
    for found in (best.threshold_interval(), best.ameans_interval()):
        assert not np.isnan([found.low, found.high, found.estimate]).any()
        assert found.low <= found.estimate <= found.high
    assert best.ameans_interval().width > 1e-6


def test_classes_nearly_alike_leave_the_threshold_open():
    """The standard error grows without bound as the classes become alike."""
    widths = [
        rp.PredictedRoc.from_stats(mean=(0, d), std=(1, 1), count=(50, 50)).best_threshold().threshold_interval().width
        for d in (1, 0.1, 0.01, 1e-6)
    ]
    assert (np.diff(widths) > 0).all()
    assert widths[-1] > 1e5


@pytest.mark.parametrize(
    ("negative", "positive"),
    [
        ([1.0], [2.0]),
        ([2.0], [1.0]),
        ([1.0], [1.0]),
        ([1.0], [0.0, 2.0]),
        ([0.0] * 5, [0.0] * 5),
        ([1.0, 2], [3.0, 4]),
        ([-np.inf, 0.0, np.inf], [np.inf, np.inf, 1.0]),
    ],
)
@pytest.mark.parametrize("name", ["ameans", "closest_topleft", "min_tpr", "function"])
def test_counted_uncertainty_of_degenerate_data(negative, positive, name):
    """No NaN and no crash; where a class has one row nothing is left out of bag, and the honest value is a guess."""
    best = empirical(negative, positive).best_threshold(criterion_of(name), **CRITERIA[name])
    found, worth = best.threshold_interval(n_resamples=40), best.ameans_interval(n_resamples=40)
    for interval in (found, worth):
        assert not np.isnan([interval.low, interval.high, interval.estimate]).any()
        assert interval.low <= interval.estimate <= interval.high
    assert 0 <= worth.low < worth.high <= 1
    stability = best.stability(n_resamples=40)
    assert 0 <= stability.ameans_oob <= 1
    if min(len(negative), len(positive)) == 1:
        assert (stability.ameans_oob, stability.n_failed) == (0.5, 40)
    assert repr(best)


def test_weights_that_are_not_whole():
    """Resampled as units of the size of one case: the out-of-bag value lies between chance and the in-sample one."""
    negative, positive = two_classes()
    rng = np.random.default_rng(1)
    roc = empirical(rp.Ecdf(negative, rng.uniform(0.5, 2, 30)), rp.Ecdf(positive, rng.uniform(0.5, 2, 24)))
    best = roc.best_threshold()
    assert 0.5 < best.ameans_corrected < best.ameans
    found = best.threshold_interval(n_resamples=50)
    assert found.low < best.threshold < found.high


# ---- error words


def a_batch():
    return rp.PredictedRoc.from_stats(mean=([0, 0], [1, 2]), std=(1, 1), count=(9, 9)).best_threshold()


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda b: b.threshold_interval(method="delta"), "method='delta'.*bootstrap"),
        (lambda b: b.ameans_interval(method="wilson"), "method='wilson'.*out-of-bag"),
        (lambda b: b.threshold_interval(1.5), "level=1.5"),
        (lambda b: b.ameans_interval(0), "level=0"),
        (lambda b: b.threshold_interval(n_resamples=2), "n_resamples=2 is too few"),
        (lambda b: b.stability(n_resamples=0), "n_resamples=0 is too few"),
        (lambda b: b.stability(rng=-3), "rng=-3 is negative"),
        (lambda b: b.stability(rng="x"), "rng='x'"),
    ],
)
def test_error_words_of_a_counted_threshold(ask, words):
    with pytest.raises(rp.RocPredictError, match=words):
        ask(empirical(*two_classes()).best_threshold())


def test_error_words_of_a_predicted_threshold():
    """No counts, no sample, no Gaussians: each says which."""
    uncounted = rp.PredictedRoc.from_stats(mean=(0, 1), std=(1, 1)).best_threshold()
    counted = rp.PredictedRoc.from_stats(mean=(0, 1), std=(1, 1), count=(9, 9)).best_threshold()
    gamma = rp.PredictedRoc(negative=stats.gamma(2), positive=stats.gamma(4), count=(9, 9)).best_threshold()
    for ask, words in (
        (uncounted.threshold_interval, "count="),
        (uncounted.ameans_interval, "count="),
        (lambda: counted.threshold_interval(method="bootstrap"), "needs the sample"),
        (lambda: counted.ameans_interval(method="out-of-bag"), "method='out-of-bag'"),
        (counted.stability, "counting rows"),
        (gamma.threshold_interval, "two Gaussians"),
        (gamma.ameans_interval, "two Gaussians"),
    ):
        with pytest.raises(rp.RocPredictError, match=words):
            ask()


def test_batches_of_thresholds():
    """One interval for each feature; what only samples have is refused in words."""
    best = a_batch()
    assert np.shape(best.threshold_interval().low) == np.shape(best.ameans_interval().high) == (2,)
    assert repr(best)
    with pytest.raises(rp.RocPredictError):
        best.stability()


def test_every_criterion_is_here():
    """A criterion that is added to the library must be added here."""
    from rocpredict.solvers.thresholds import CRITERIA as NAMED

    assert {*NAMED} == {*CRITERIA} - {"function"}
