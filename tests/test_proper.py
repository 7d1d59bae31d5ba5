"""The likelihood-ratio curve: concave, never below a single threshold; by closed forms, by search and by counting."""

import itertools
from functools import partial

import numpy as np
import pytest
from scipy import stats

import rocpredict as rp
from tests.cases import check_refusals, for_each

PAIRS = {
    "paper": (4, 3, 8, 2),
    "swapped": (8, 2, 4, 3),
    "one centre": (0, 1, 0, 2),
    "narrow positive": (0, 1, -3, 0.4),
    "equal spreads": (0, 1, 1, 1),
    "reversed": (0, 1, -1, 1),
    "nearly equal": (0, 1, 3, 1 + 1e-9),
    "ratio 1000": (0, 1, 0.5, 1e3),
    "ratio 1/1000": (0, 1e3, 0.5, 1),
}
RATES = np.array([0.0, 1e-9, 1e-3, 0.05, 0.3, 0.5, 0.9, 0.999, 1.0])


def pair_of(moments):
    m0, s0, m1, s1 = moments
    return rp.Gaussian(m0, s0), rp.Gaussian(m1, s1)


def roc_of(moments, **options):
    return rp.PredictedRoc(*pair_of(moments), **options)


def rates_of(rule):
    return [float(rate) for rate in (rule.tpr, rule.fpr, rule.tnr, rule.fnr)]


@for_each(PAIRS)
def test_the_slope_is_the_level_and_the_densities_have_it_at_every_edge(*moments):
    """A chord lies between the slopes at its ends; at the edges of a rule f1/f0 is one number, the slope there."""
    proper = roc_of(moments).proper()
    curve = proper.curve(801)
    assert len(curve) == 801
    run, rise = np.diff(curve.fpr), np.diff(curve.tpr)
    wide = (run > 1e-9) & (rise > 1e-9)  # narrower ones are lost in the rounding of their ends
    slope = rise[wide] / run[wide]
    assert wide.sum() > 3
    assert (slope <= curve.thresholds[:-1][wide] * (1 + 1e-6)).all()
    assert (slope >= curve.thresholds[1:][wide] * (1 - 1e-6)).all()
    negative, positive = pair_of(moments)
    for fpr in (0.1, 0.4, 0.8):
        rule = proper.rule_at_fpr(fpr)
        assert (rule.tpr + rule.fnr, rule.fpr + rule.tnr) == (pytest.approx(1), pytest.approx(1))
        edges = rule.thresholds
        inner = edges[np.isfinite(edges)]
        levels = np.exp(positive.logpdf(inner) - np.asarray(negative.logpdf(inner)))
        step = 1e-6
        slope = (proper.tpr_at_fpr(fpr + step) - proper.tpr_at_fpr(fpr - step)) / (2 * step)
        if np.abs(inner).max() < 1e4:  # the far edge of nearly equal spreads is known to fewer digits than that
            assert levels == pytest.approx(np.full(len(inner), slope), rel=1e-4, abs=1e-9)


@for_each(PAIRS)
def test_youden_of_the_rule_is_the_total_variation(*moments):
    """J of the best rule is half the integral of |f1 - f0|, and J of both directions together."""
    rule = roc_of(moments).proper().best_rule()
    negative, positive = (stats.norm(d.mean, d.std) for d in pair_of(moments))
    edges = np.sort(np.concatenate([(d.mean() + d.std() * np.linspace(-38, 38, 77)) for d in (negative, positive)]))
    nodes, weights = np.polynomial.legendre.leggauss(20)
    edges = np.unique(np.concatenate([edges, rule.thresholds[np.isfinite(rule.thresholds)].clip(edges[0], edges[-1])]))
    half = np.diff(edges) / 2
    x = edges[:-1, None] + half[:, None] * (1 + nodes)
    distance = half @ (np.abs(positive.pdf(x) - negative.pdf(x)) @ weights) / 2
    assert rule.tpr - rule.fpr == pytest.approx(distance, abs=1e-12)
    sides = [roc_of(moments, direction=side).best_threshold() for side in ("higher", "lower")]
    assert rule.tpr - rule.fpr == pytest.approx(sum(side.tpr - side.fpr for side in sides), abs=1e-13)


@pytest.mark.parametrize(
    ("negative", "positive", "low", "high"), [(4, 8, -np.inf, 6), (8, 4, 6, np.inf), (1, 100, -np.inf, 50.5)]
)
def test_two_point_masses_are_separated_in_their_middle(negative, positive, low, high):
    """Everything outside [low, high] is predicted positive."""
    rule = rp.PredictedRoc(rp.Gaussian(negative, 0), rp.Gaussian(positive, 0)).proper().best_rule()
    assert (rule.low, rule.high, rule.positive_inside, rule.ameans) == (low, high, False, 1)


def test_the_resulting_example():
    """Gaussian(4, 3) against Gaussian(8, 2): the crossings, and the AUC .8665590 against .8663713."""
    proper = roc_of(PAIRS["paper"]).proper()
    assert proper.auc() == pytest.approx(0.8665590, abs=5e-8)
    assert proper.best_rule().thresholds == pytest.approx(roc_of(PAIRS["paper"]).crossings(), rel=1e-14)
    never = proper.best_rule(prevalence=0.1)
    assert (never.low, never.high, never.positive_inside, never.tpr, never.fpr) == (-np.inf, np.inf, False, 0, 0)
    always = roc_of(PAIRS["swapped"]).proper().best_rule(prevalence=0.9)
    assert (always.low, always.high, always.positive_inside, always.tpr, always.fpr) == (-np.inf, np.inf, True, 1, 1)


def test_equal_spreads_give_the_usual_curve():
    """With equal SDs one threshold is the likelihood-ratio rule, on the side where positives lie."""
    for moments, side in ((PAIRS["equal spreads"], "higher"), (PAIRS["reversed"], "lower")):
        usual = roc_of(moments, direction=side)
        proper = roc_of(moments).proper()
        assert proper.tpr_at_fpr(RATES) == pytest.approx(usual.tpr_at_fpr(RATES), abs=1e-15)
        assert proper.fpr_at_tpr(RATES) == pytest.approx(usual.fpr_at_tpr(RATES), abs=1e-15)
        assert proper.partial_auc(fpr=(0, 0.2)) == pytest.approx(usual.partial_auc(fpr=(0, 0.2)), rel=1e-13)
        finite = proper.rule_at_fpr(0.1).thresholds
        assert finite[np.isfinite(finite)] == pytest.approx([usual.threshold_at_fpr(0.1)], rel=1e-12)
        assert roc_of(moments, direction=side).proper().gain().youden_gain == pytest.approx(0, abs=1e-15)


def test_direction_turns_the_thresholds_and_nothing_else():
    """A declared direction changes no rate of the likelihood-ratio rule, and mirrored features mirror its edges."""
    for moments in PAIRS.values():
        m0, s0, m1, s1 = moments
        plain, lower = roc_of(moments).proper(), roc_of(moments, direction="lower").proper()
        mirrored = roc_of((-m0, s0, -m1, s1)).proper()
        assert lower.tpr_at_fpr(RATES) == pytest.approx(plain.tpr_at_fpr(RATES), abs=1e-15)
        for fpr in (0.05, 0.6):
            assert rates_of(lower.rule_at_fpr(fpr)) == pytest.approx(rates_of(plain.rule_at_fpr(fpr)), abs=1e-15)
            assert lower.rule_at_fpr(fpr).thresholds == pytest.approx(plain.rule_at_fpr(fpr).thresholds, rel=1e-15)
            assert np.array_equal(mirrored.rule_at_fpr(fpr).thresholds, np.sort(-plain.rule_at_fpr(fpr).thresholds))


@for_each([(1, 0, 1, 2), (1, 2, 1, 0), (1, 0, 2, 0), (2, 0, 1, 0)])
def test_a_constant_class_is_separated(*moments):
    """A point mass and a density are separated perfectly, since the density gives a single value the probability 0."""
    proper = roc_of(moments).proper()
    assert (proper.tpr_at_fpr(RATES) == 1).all()
    assert (proper.fpr_at_tpr(RATES) == 0).all()
    assert proper.auc() == proper.partial_auc(fpr=(0, 1)) == proper.partial_auc(tpr=(0, 1)) == 1
    assert rates_of(proper.rule_at_fpr(0.2)) == [1, 0, 1, 0]
    assert np.trapezoid(proper.curve(11).tpr, proper.curve(11).fpr) == 1


def test_identical_classes_lie_on_the_chance_line():
    for moments in ((2, 3, 2, 3), (1, 0, 1, 0)):
        proper = roc_of(moments).proper()
        assert np.array_equal(proper.tpr_at_fpr(RATES), RATES)
        assert proper.partial_auc(fpr=(0, 1)) == 0.5
    assert (proper.rule_at_fpr(0.5).tpr, proper.rule_at_fpr(1).tpr) == (0, 1)
    proper = roc_of((2, 3, 2, 3)).proper()
    assert np.array_equal(proper.fpr_at_tpr(RATES), RATES)
    assert proper.partial_auc(fpr=(0.2, 0.6)) == pytest.approx(0.16, rel=1e-14)
    assert proper.partial_auc(tpr=(0.2, 0.6)) == pytest.approx(0.24, rel=1e-14)
    assert (proper.curve(21).thresholds[1:-1] == 1).all()
    assert proper.gain().youden_gain == 0
    assert proper.best_rule(prevalence=0.6).tpr == 1
    assert proper.best_rule(prevalence=0.4).fpr == 0


@for_each([2.0**-990, 2.0**990])
def test_units_do_not_matter(scale):
    m0, s0, m1, s1 = PAIRS["paper"]
    small, usual = (roc_of((m0 * c, s0 * c, m1 * c, s1 * c)).proper() for c in (scale, 1.0))
    assert small.tpr_at_fpr(RATES) == pytest.approx(usual.tpr_at_fpr(RATES), rel=1e-14)
    assert small.partial_auc(tpr=(0.8, 1)) == pytest.approx(usual.partial_auc(tpr=(0.8, 1)), rel=1e-13)
    assert small.rule_at_fpr(0.2).thresholds / scale == pytest.approx(usual.rule_at_fpr(0.2).thresholds, rel=1e-13)


def test_more_than_two_edges():
    """Student's t against a normal of the same centre: four edges, and rates that a count of draws bears out.

    False alarm of the count: each of 4 shares off by more than 5 standard errors, below 4e-6 in all.
    """
    negative, positive = stats.norm(0, 1.2), stats.t(3)
    proper = rp.PredictedRoc(negative, positive).proper()
    best, rule = proper.best_rule(), proper.rule_at_fpr(0.2)
    assert len(best.thresholds) == 4
    # 50 widths out the normal has nothing: of the rest t alone has half a tail on each side
    parts = np.concatenate([[-60.0], best.thresholds, [60.0]])
    distance = sum(
        abs(float(np.diff(positive.cdf(ends))[0] - np.diff(negative.cdf(ends))[0])) / 2
        for ends in itertools.pairwise(parts)
    )
    assert best.tpr - best.fpr == pytest.approx(distance + positive.sf(60), abs=1e-12)
    rng = np.random.default_rng(20)
    draws = [d.rvs(40_000, random_state=rng) for d in (negative, positive)]
    for result in (best, rule):
        calls = [np.searchsorted(result.thresholds, x) % 2 == 0 for x in draws]  # far out the heavier tail is positive
        for rate, call in zip((result.fpr, result.tpr), calls, strict=True):
            assert abs(call.mean() - rate) < 5 * np.sqrt(rate * (1 - rate) / len(call))
    assert rule.fpr == pytest.approx(0.2, abs=1e-11)
    assert rule.tpr == pytest.approx(proper.tpr_at_fpr(0.2), abs=1e-11)


def test_supports_that_overlap_in_part():
    """Uniform on (0, 1) against (0.5, 1.5): straight up to one half, then at 45 degrees, then level; known exactly."""
    proper = rp.PredictedRoc(stats.uniform(0, 1), stats.uniform(0.5, 1)).proper()
    fpr = np.array([0, 0.1, 0.25, 0.5, 0.7, 1])
    assert proper.tpr_at_fpr(fpr) == pytest.approx(np.minimum(1, 0.5 + fpr), abs=1e-14)
    assert proper.fpr_at_tpr([0, 0.3, 0.5, 0.75, 1]) == pytest.approx([0, 0, 0, 0.25, 0.5], abs=1e-14)
    assert proper.auc() == pytest.approx(0.875, abs=1e-12)
    assert proper.partial_auc(fpr=(0.25, 1)) == pytest.approx(0.875 - 0.15625, abs=1e-12)
    assert proper.partial_auc(tpr=(0.5, 0.75)) == pytest.approx(0.25 - 0.03125, abs=1e-12)
    curve = proper.curve()
    assert np.trapezoid(curve.tpr, curve.fpr) == pytest.approx(0.875, abs=1e-12)
    assert proper.rule_at_fpr(0.3).tpr == pytest.approx(0.5, abs=1e-12)  # a part of a tie is not to be had


def test_level_ratios_run_straight():
    """Two Laplace densities: beyond their centres the ratio is level, and the curve straight with that slope."""
    proper = rp.PredictedRoc(stats.laplace(0, 1), stats.laplace(1, 1)).proper()
    fpr = np.linspace(0.01, stats.laplace(0, 1).sf(1) - 0.01, 7)
    assert proper.tpr_at_fpr(fpr) == pytest.approx(np.e * fpr, rel=1e-12)
    assert proper.auc() == pytest.approx(1 - 3 * np.exp(-1) / 4, abs=1e-12)
    assert proper.partial_auc(fpr=(0, 0.1)) == pytest.approx(np.e * 0.005, rel=1e-11)


def test_a_monotone_ratio_needs_one_threshold():
    """Exponentials of different means: the proper curve is the power curve TPR = FPR^r."""
    proper = rp.PredictedRoc(stats.expon(scale=1), stats.expon(scale=3)).proper()
    fpr = np.array([1e-6, 0.01, 0.4, 0.99])
    assert proper.tpr_at_fpr(fpr) == pytest.approx(fpr ** (1 / 3), rel=1e-11)
    assert proper.partial_auc(fpr=(0.1, 0.6)) == pytest.approx(0.75 * (0.6 ** (4 / 3) - 0.1 ** (4 / 3)), rel=1e-11)
    assert proper.gain().youden_gain == pytest.approx(0, abs=1e-12)


def test_samples_are_ranked_by_their_own_ratio():
    """Against all rules that call a set of distinct values positive: the curve is their upper hull, on 4 values."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        negative, positive = (rng.integers(0, 5, size) for size in (9, 12))
        proper = rp.EmpiricalRoc(negative=negative, positive=positive).proper()
        values = np.union1d(negative, positive)
        sets = [values[[(k >> i) & 1 == 1 for i in range(len(values))]] for k in range(2 ** len(values))]
        points = np.array([(np.isin(negative, s).mean(), np.isin(positive, s).mean()) for s in sets])
        tpr = proper.tpr_at_fpr(points[:, 0])
        assert (points[:, 1] <= tpr + 1e-12).all()
        curve = proper.curve()
        assert all(np.isclose(points, v, atol=1e-12).all(axis=1).any() for v in zip(curve.fpr, curve.tpr, strict=True))
        assert np.trapezoid(curve.tpr, curve.fpr) == pytest.approx(proper.auc(), abs=1e-14)
        assert proper.partial_auc(fpr=(0, 0.4)) + proper.partial_auc(fpr=(0.4, 1)) == pytest.approx(proper.auc())
        for prevalence in (0.2, 0.5, 0.8):
            rule = proper.best_rule(prevalence=prevalence)
            gain = prevalence * points[:, 1] - (1 - prevalence) * points[:, 0]
            assert prevalence * rule.tpr - (1 - prevalence) * rule.fpr == pytest.approx(gain.max(), abs=1e-14)
        for fpr in (0, 0.3, 0.6, 1):
            rule = proper.rule_at_fpr(fpr)
            assert rule.fpr <= fpr
            odd = np.searchsorted(rule.thresholds, values, side="right") % 2 == 1
            starts = rule.tpr == 1 if not len(rule.thresholds) else not rule.positive_inside and rule.low > -np.inf
            called = values[odd != starts]
            assert np.isin(positive, called).mean() == pytest.approx(rule.tpr)
            assert np.isin(negative, called).mean() == pytest.approx(rule.fpr)


def test_gain_says_what_a_second_threshold_is_worth():
    """Positives around the negatives' centre: nothing by one threshold, much by two; and the other way round."""
    gain = roc_of((0, 1, 0, 4)).proper().gain()
    assert gain.youden_gain == pytest.approx(roc_of((0, 1, 0, 4), direction="lower").best_threshold().ameans * 2 - 1)
    assert gain.auc_single == pytest.approx(0.5, abs=1e-15)
    assert gain.auc_gain == gain.auc - gain.auc_single
    assert gain.hook.exists
    assert gain.summary.endswith("see best_rule().")
    assert repr(gain).startswith("LikelihoodRatioGain(ameans=")
    assert gain.to_dict()["youden_gain"] == gain.youden_gain
    assert "features" in rp.PredictedRoc(rp.Gaussian([0, 1], 1), rp.Gaussian(1, 2)).proper().gain().summary
    assert "one threshold is enough" in roc_of(PAIRS["paper"]).proper().gain().summary


def test_wrong_arguments_are_refused():
    proper = roc_of(PAIRS["paper"]).proper()
    batch = rp.PredictedRoc(rp.Gaussian([0, 1, 2], 1), rp.Gaussian(1, 2)).proper()
    mixed = rp.PredictedRoc(rp.Ecdf([1.0, 2.0]), stats.norm(0, 1)).proper()
    refusals = [
        (proper.tpr_at_fpr, (1.5,), "fpr=1.5 is outside"),
        (proper.partial_auc, (), "needs one range of rates"),
        (partial(proper.partial_auc, fpr=(0.5, 0.1)), (), "empty range"),
        (partial(proper.partial_auc, fpr=(0, 0.1), correction="x"), (), "correction='x'"),
        (proper.curve, (1,), "points=1 is not between 2 and"),
        (partial(proper.best_rule, prevalence=2), (), "prevalence=2 is outside"),
        (partial(proper.best_rule, cost_fp=-1), (), "cost_fp=-1 is negative"),
        (proper.rule_at_fpr, ([0.1, 0.2],), "pass one number"),
        (batch.tpr_at_fpr, ([0.1, 0.2],), r"or an array of shape \(3,\)"),
        (partial(batch.best_rule, prevalence=[0.1, 0.2]), (), r"or an array of shape \(3,\)"),
        (mixed.best_rule, (), "a continuous and a discrete distribution"),
    ]
    check_refusals(refusals)
    assert mixed.tpr_at_fpr(0.1) == mixed.partial_auc(fpr=(0, 1)) == 1
