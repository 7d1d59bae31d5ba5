"""Properties of every pair of classes: identities, bounds, symmetries; random examples (derandomised)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rocpredict as rp
from tests.cases import for_each

drawn = settings(derandomize=True, deadline=None, max_examples=60)
means = st.floats(-1e3, 1e3).filter(lambda m: m == 0 or abs(m) > 1e-100)
stds = st.floats(1e-3, 1e3)
pairs = st.builds(lambda m0, s0, m1, s1: (rp.Gaussian(m0, s0), rp.Gaussian(m1, s1)), means, stds, means, stds)
scores = st.lists(st.integers(-6, 6).map(float), min_size=1, max_size=12)


def predicted(pair, **options):
    return rp.PredictedRoc(negative=pair[0], positive=pair[1], **options)


empirical = rp.EmpiricalRoc


@drawn
@given(st.integers(0, 50), st.integers(0, 50), st.integers(0, 50), st.integers(0, 50))
def test_auc_of_a_binary_score_is_balanced_accuracy(tn, fp, fn, tp):
    """The theorem this project began with."""
    tn, tp = tn + 1, tp + 1
    roc = empirical([0.0] * tn + [1.0] * fp, [0.0] * fn + [1.0] * tp)
    assert roc.auc() == pytest.approx((tp / (tp + fn) + tn / (tn + fp)) / 2, rel=1e-15)
    assert roc.rates(1.0).balanced_accuracy == pytest.approx(roc.auc(), rel=1e-15)


@drawn
@given(pairs)
def test_turning_the_axis_exchanges_auc_and_complement(pair):
    roc = predicted(pair)
    turned = predicted([rp.Gaussian(-d.mean, d.std) for d in pair])
    exchanged = predicted(pair[::-1])
    for other in (turned, exchanged):
        assert (other.auc(), other.auc_complement()) == (roc.auc_complement(), roc.auc())
    assert roc.auc() + roc.auc_complement() == pytest.approx(1, abs=3e-16)


@drawn
@given(pairs, st.integers(-300, 300))
def test_powers_of_two_change_nothing_but_the_unit(pair, exponent):
    scaled = [rp.Gaussian(np.ldexp(d.mean, exponent), np.ldexp(d.std, exponent)) for d in pair]
    roc, other = predicted(pair), predicted(scaled)
    best, there = roc.best_threshold(), other.best_threshold()
    assert there.threshold == np.ldexp(best.threshold, exponent)
    assert (there.tpr, there.fpr, there.tnr, there.fnr) == (best.tpr, best.fpr, best.tnr, best.fnr)
    assert other.auc() == roc.auc()
    assert other.partial_auc(fpr=(0.1, 0.3)) == roc.partial_auc(fpr=(0.1, 0.3))
    assert other.tpr_at_fpr(0.2) == roc.tpr_at_fpr(0.2)


@drawn
@given(scores, scores)
def test_rising_maps_leave_the_empirical_curve(negative, positive):
    curve = empirical(negative, positive).curve()
    mapped = empirical(np.exp(negative) - 7, np.exp(positive) - 7).curve()
    assert np.array_equal(curve.fpr, mapped.fpr)
    assert np.array_equal(curve.tpr, mapped.tpr)


@drawn
@given(pairs)
def test_bounds(pair):
    roc = predicted(pair)
    best = roc.best_threshold()
    j = best.tpr - best.fpr
    assert j - 1e-15 <= roc.auc() <= 1 - (1 - j) ** 2 / 2 + 1e-15
    proper = roc.proper().auc()
    assert proper >= max(roc.auc(), roc.auc_complement()) - 1e-14
    assert roc.proper().best_rule().ameans <= proper + 1e-14
    bhattacharyya = np.sqrt(2 * pair[0].std * pair[1].std / (pair[0].std ** 2 + pair[1].std ** 2)) * np.exp(
        -((pair[0].mean - pair[1].mean) ** 2) / (4 * (pair[0].std ** 2 + pair[1].std ** 2))
    )
    total_variation = 2 * roc.proper().best_rule().ameans - 1
    assert total_variation <= np.sqrt(max(0.0, 1 - bhattacharyya**2)) + 1e-7  # a root of a rounding is 1e-8


@for_each([(0, 0.1), (0.2, 0.7), (0.5, 1)])
def test_mcclish_scale(*band):
    """Chance is 1/2 and a perfect curve 1 in every band, on both axes."""
    chance = predicted((rp.Gaussian(0, 1), rp.Gaussian(0, 1)))
    perfect = predicted((rp.Gaussian(0, 1), rp.Gaussian(100, 1)))
    for axis in ("fpr", "tpr"):
        assert chance.partial_auc(**{axis: band}, correction="mcclish") == pytest.approx(0.5, abs=1e-14)
        assert perfect.partial_auc(**{axis: band}, correction="mcclish") == pytest.approx(1, abs=1e-14)


@drawn
@given(pairs, means)
def test_lower_is_the_negated_data(pair, threshold):
    roc = predicted(pair, direction="lower")
    negated = predicted([rp.Gaussian(-d.mean, d.std) for d in pair])
    assert roc.auc() == negated.auc()
    assert (roc.tpr(threshold), roc.fpr(threshold)) == (negated.tpr(-threshold), negated.fpr(-threshold))
    best, mirrored = roc.best_threshold(), negated.best_threshold()
    assert best.threshold == -mirrored.threshold
    assert (best.tpr, best.fpr, best.ameans) == (mirrored.tpr, mirrored.fpr, mirrored.ameans)
    assert roc.partial_auc(fpr=(0, 0.2)) == negated.partial_auc(fpr=(0, 0.2))
    assert np.array_equal(roc.crossings(), np.sort(-negated.crossings()))


@drawn
@given(pairs)
def test_auto_is_resolved_once_by_the_auc(pair):
    roc = predicted(pair, direction="auto")
    assert roc.direction == ("lower" if predicted(pair).auc() < 0.5 else "higher")
    assert roc.auc() >= 0.5
    assert "auto_direction" in roc.best_threshold().flags


RATES = ("tpr", "fpr", "tnr", "fnr")


def _parts(result, *names):
    return np.stack([getattr(result, name) for name in names], axis=-1)


def _best(**options):
    def compute(roc):
        best = roc.best_threshold(**options)
        return np.stack([best.threshold, *(getattr(best, rate) for rate in RATES), *best.plateau], axis=-1)

    return compute


QUANTITIES = {
    "auc": lambda roc: roc.auc(),
    "auc_complement": lambda roc: roc.auc_complement(),
    "log_auc_complement": lambda roc: roc.log_auc_complement(),
    "rates": lambda roc: np.stack([getattr(roc, rate)(0.3) for rate in RATES], axis=-1),
    "tpr_at_fpr": lambda roc: np.stack([roc.tpr_at_fpr(f) for f in (0, 0.1, 0.5, 1)], axis=-1),
    "fpr_at_tpr": lambda roc: np.stack([roc.fpr_at_tpr(f) for f in (0, 0.1, 0.5, 1)], axis=-1),
    "threshold_at_tpr": lambda roc: roc.threshold_at_tpr(0.8),
    "slope": lambda roc: np.stack([roc.slope(f) for f in (0, 0.1, 0.5, 1)], axis=-1),
    "partial_auc_fpr": lambda roc: roc.partial_auc(fpr=(0, 0.1)),
    "partial_auc_tpr": lambda roc: roc.partial_auc(tpr=(0.9, 1), correction="mcclish"),
    "hook": lambda roc: _parts(roc.hook(), "fpr_low", "fpr_high", "area"),
    "crossings": lambda roc: np.nan_to_num(_two(roc.crossings(prevalence=0.3)), nan=np.inf),
    "proper_auc": lambda roc: roc.proper().auc_complement(),
    "proper_curve": lambda roc: _parts(roc.proper().curve(31), "fpr", "tpr"),
    "proper_gain": lambda roc: roc.proper().gain().ameans_gain,
    "proper_points": lambda roc: np.stack([roc.proper().tpr_at_fpr(0.3), roc.proper().fpr_at_tpr(0.4)], axis=-1),
    "proper_area": lambda roc: roc.proper().partial_auc(fpr=(0.1, 0.4)),
    "proper_rule_at": lambda roc: _parts(roc.proper().rule_at_fpr(0.2), "low", "high", *RATES),
    "proper_rule": lambda roc: _parts(roc.proper().best_rule(), "low", "high", "positive_inside", *RATES),
    "tpr_grid": lambda roc: roc.tpr_grid([-np.inf, -1.0, 0.0, 0.5, np.inf]),
    "curve": lambda roc: _parts(roc.curve(31), "thresholds", "fpr", "tpr"),
    "best": _best(),
    "best_accuracy": _best(criterion="accuracy", prevalence=0.1),
    "best_cost": _best(criterion="cost", prevalence=0.3, cost_fp=0.2, cost_fn=3.0),
    "best_f1": _best(criterion="f1", prevalence=0.2),
    "best_topleft": _best(criterion="closest_topleft"),
    "best_min_tpr": _best(criterion="min_tpr", value=0.9),
    "best_max_fpr": _best(criterion="max_fpr", value=0.1),
}


def _two(crossings):
    return crossings if np.ndim(crossings) > 1 else np.pad(crossings, (0, 2 - len(crossings)), constant_values=np.nan)


def _mixed_features():
    """Ordinary features with every degenerate and extreme kind: results do not depend on the other features."""
    rng = np.random.default_rng(0)
    special_mean, special_std = (
        [0, 0, 1, -1, 1e12, 1e300, -1e300, 1e-300],
        [0, 1, 1, 1 + 1e-12, 3, 1e-300, 1e300, 1e-160],
    )
    columns = [rng.normal(size=40), rng.uniform(0.2, 3, 40), rng.normal(1, 1, 40), rng.uniform(0.2, 3, 40)]
    special = [rng.choice(values, 110) for values in (special_mean, special_std, special_mean, special_std)]
    return [np.concatenate(pair) for pair in zip(columns, special, strict=True)]


@for_each(list(QUANTITIES), [None, "lower", "auto"])
def test_a_batch_is_a_loop(name, direction):
    """Bitwise, without a warning, and with no NaN anywhere; every third feature where a direction is declared."""
    m0, s0, m1, s1 = (column[:: 3 if direction else 1] for column in _mixed_features())
    compute = QUANTITIES[name]
    together = compute(predicted((rp.Gaussian(m0, s0), rp.Gaussian(m1, s1)), direction=direction))
    alone = [
        compute(predicted((rp.Gaussian(a, b), rp.Gaussian(c, d)), direction=direction))
        for a, b, c, d in zip(m0, s0, m1, s1, strict=True)
    ]
    assert not np.isnan(together).any()
    assert np.array_equal(together, np.stack(alone))


@for_each(["auc", "best", "hook", "partial_auc_fpr", "tpr_grid", "crossings"])
def test_a_batch_of_any_shape(name):
    mean, std = np.arange(6.0).reshape(2, 3), np.linspace(0.5, 2, 6).reshape(2, 3)
    grid = QUANTITIES[name](predicted((rp.Gaussian(0.5, 1), rp.Gaussian(mean, std))))
    flat = QUANTITIES[name](predicted((rp.Gaussian(np.full(6, 0.5), 1), rp.Gaussian(mean.ravel(), std.ravel()))))
    assert grid.shape == (2, 3, *flat.shape[1:])
    assert np.array_equal(grid.reshape(flat.shape), flat)


def test_blocks_do_not_show():
    rng = np.random.default_rng(1)
    mean, std = rng.normal(size=20_000), rng.uniform(0.5, 2, 20_000)
    whole = predicted((rp.Gaussian(0, 1), rp.Gaussian(mean, std))).best_threshold()
    for part in (slice(0, 100), slice(8_100, 8_300), slice(-50, None)):
        there = predicted((rp.Gaussian(0, 1), rp.Gaussian(mean[part], std[part]))).best_threshold()
        assert np.array_equal(whole.threshold[part], there.threshold)
        assert np.array_equal(whole.crossings[part], there.crossings)
