"""Two thresholds and the grey zone between them: closed forms, brute force and limiting cases."""

import dataclasses
from functools import partial

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtri

import rocpredict as rp
from tests.cases import check_refusals, for_each

PAPER = rp.PredictedRoc(rp.Gaussian(4, 3), rp.Gaussian(8, 2))
NAMES = ("low", "high", "tpr", "fpr", "tnr", "fnr", "undecided_negative", "undecided_positive")


def numbers(zone):
    return [float(getattr(zone, name)) for name in NAMES]


def sums_to_one(zone):
    return zone.tpr + zone.fnr + zone.undecided_positive, zone.tnr + zone.fpr + zone.undecided_negative


def test_error_rates_are_quantiles():
    """Gaussian(4, 3), Gaussian(8, 2) at 5%: low is the 5% quantile of positives, high the 95% one of negatives."""
    zone = PAPER.grey_zone()
    z = -ndtri(0.05)
    assert (zone.low, zone.high) == (pytest.approx(8 - 2 * z, rel=1e-15), pytest.approx(4 + 3 * z, rel=1e-15))
    assert (zone.fnr, zone.fpr) == (pytest.approx(0.05, rel=1e-13), pytest.approx(0.05, rel=1e-13))
    assert zone.tpr == pytest.approx(stats.norm(8, 2).sf(4 + 3 * z), rel=1e-13)
    assert zone.tnr == pytest.approx(stats.norm(4, 3).cdf(8 - 2 * z), rel=1e-13)
    assert sums_to_one(zone) == pytest.approx((1, 1), abs=1e-15)
    assert not zone.single_threshold
    assert (zone.rule_out, zone.rule_in) == (zone.low, zone.high)
    strict = PAPER.grey_zone(max_fnr=1e-12, max_fpr=1e-9)
    assert (strict.fnr, strict.fpr) == (pytest.approx(1e-12, rel=1e-12), pytest.approx(1e-9, rel=1e-12))


def test_what_the_zone_tells_with_a_prevalence():
    zone = PAPER.grey_zone(max_fnr=0.1, max_fpr=0.02, prevalence=0.3)
    assert zone.ppv == pytest.approx(0.3 * zone.tpr / (0.3 * zone.tpr + 0.7 * zone.fpr), rel=1e-15)
    assert zone.npv == pytest.approx(0.7 * zone.tnr / (0.7 * zone.tnr + 0.3 * zone.fnr), rel=1e-15)
    assert zone.undecided == pytest.approx(0.3 * zone.undecided_positive + 0.7 * zone.undecided_negative, rel=1e-15)
    out, grey, in_ = zone.likelihood_ratios
    assert (out, in_) == (zone.fnr / zone.tnr, zone.tpr / zone.fpr)
    assert out < grey < in_
    decided = zone.decided_rates
    assert decided.tpr == pytest.approx(zone.tpr / (zone.tpr + zone.fnr), rel=1e-15)
    assert decided.precision == pytest.approx(zone.ppv, rel=1e-14)
    assert decided.tpr + decided.fnr == pytest.approx(1, abs=1e-15)
    assert zone.undefined == ()
    assert zone.to_dict()["npv"] == zone.npv
    assert "npv" not in PAPER.grey_zone().to_dict()


@for_each([0.2, 0.5], [{"min_npv": 0.8, "min_ppv": 0.8}, {"min_npv": 0.9}, {"min_ppv": 0.85}])
def test_predictive_values_are_met_exactly_and_no_wider(prevalence, demand):
    """The end has the value that is asked for, and a step beyond it falls short, in closed form and by search."""
    for negative, positive in ((rp.Gaussian(4, 3), rp.Gaussian(8, 2)), (stats.norm(4, 3), stats.norm(8, 2))):
        roc = rp.PredictedRoc(negative, positive)
        zone = roc.grey_zone(**demand, prevalence=prevalence)
        for name, value in demand.items():
            end = zone.high if name == "min_ppv" else zone.low
            if np.isfinite(end) and getattr(zone, name[4:]) == pytest.approx(value, rel=1e-11):
                inward = name == "min_ppv"
                beyond = roc.rates((zone.high - 1e-6) if inward else (zone.low + 1e-6), prevalence=prevalence)
                assert (beyond.precision if inward else beyond.npv) < value
            else:  # one threshold for both, better than demanded, or nothing that meets it
                nobody = zone.high == np.inf if name == "min_ppv" else zone.low == -np.inf
                assert nobody or (zone.single_threshold and getattr(zone, name[4:]) >= value)


# ---- closed form, search, counting
DEMANDS = [
    {},
    {"max_fnr": 0.3, "max_fpr": 0.3},
    {"max_fnr": 0, "max_fpr": 0},
    {"min_npv": 0.99, "min_ppv": 0.9, "prevalence": 0.3},
    {"min_npv": 0.6, "min_ppv": 0.6, "prevalence": 0.5},
    {"min_ppv": 0.3, "prevalence": 0.4},
]


@for_each([(4, 3, 8, 2), (0, 1, 1, 3), (1, 1, 0, 1.5)], DEMANDS)
def test_closed_form_and_search_agree(m0, s0, m1, s1, demand):
    closed = rp.PredictedRoc(rp.Gaussian(m0, s0), rp.Gaussian(m1, s1)).grey_zone(**demand)
    searched = rp.PredictedRoc(stats.norm(m0, s0), stats.norm(m1, s1)).grey_zone(**demand)
    assert searched.single_threshold == closed.single_threshold
    if closed.single_threshold and np.isinf(closed.low):  # all calls alike: a grid does not show where the axis ends
        return
    ends = np.isfinite([closed.low, closed.high])
    wanted, result = numbers(closed), numbers(searched)
    assert result[2:] == pytest.approx(wanted[2:], abs=1e-11)
    assert np.array(result[:2])[ends] == pytest.approx(np.array(wanted[:2])[ends], rel=1e-9)


def brute(negative, positive, out_ok, in_ok):
    """Every pair of thresholds on samples: the widest regions that meet their demands."""
    cuts = np.concatenate([[-np.inf], np.union1d(negative, positive) - 0.5, [np.inf]])
    outs = [t for t in cuts if out_ok((negative < t).mean(), (positive < t).mean())]
    ins = [t for t in cuts if in_ok((positive >= t).mean(), (negative >= t).mean())]
    return max(outs), min(ins), sorted(set(outs) & set(ins))


def test_samples_against_brute_force():
    """Whole-number samples with ties, error rates and predictive values: widest regions, or one threshold for both."""
    rng = np.random.default_rng(8)
    singles = 0
    for k in range(60):
        negative, positive = rng.integers(0, 12, 23), rng.integers(3 + k % 5, 18, 17)
        roc = rp.EmpiricalRoc(negative=negative, positive=positive)
        if k % 2:
            zone = roc.grey_zone(max_fnr=0.12, max_fpr=0.2)
            out, in_, both = brute(negative, positive, lambda r, w: w <= 0.12, lambda r, w: w <= 0.2)
        else:
            zone = roc.grey_zone(min_npv=0.8, min_ppv=0.9)
            out, in_, both = brute(
                negative,
                positive,
                lambda r, w: 23 * r >= 0.8 * (23 * r + 17 * w) - 1e-9,
                lambda r, w: 17 * r >= 0.9 * (17 * r + 23 * w) - 1e-9,
            )
        assert zone.single_threshold == (len([t for t in both if t >= in_]) > 0)
        singles += bool(zone.single_threshold)
        if zone.single_threshold:
            ameans = [(positive >= t).mean() + (negative < t).mean() for t in both if t >= in_]
            assert zone.tpr + zone.tnr == pytest.approx(max(ameans), abs=1e-12)
        else:
            assert (zone.tnr, zone.fnr) == ((negative < out).mean(), (positive < out).mean())
            assert (zone.tpr, zone.fpr) == ((positive >= in_).mean(), (negative >= in_).mean())
        assert sums_to_one(zone) == pytest.approx((1, 1), abs=1e-12)
    assert 5 < singles < 55


def test_one_threshold_is_enough_when_it_meets_both():
    """If the regions overlap, the single threshold is the best one, moved into the overlap if it is outside."""
    easy = PAPER.grey_zone(max_fnr=0.3, max_fpr=0.3)
    assert easy.single_threshold
    assert easy.low == easy.high == PAPER.best_threshold().threshold
    assert easy.undecided_negative == easy.undecided_positive == 0
    moved = PAPER.grey_zone(max_fnr=0.9, max_fpr=0.05)
    assert moved.single_threshold
    assert moved.high == pytest.approx(PAPER.threshold_at_fpr(0.05), rel=1e-14)
    assert "threshold=5.82611" in repr(easy)
    assert easy.undefined == ("likelihood_ratios",)


def test_an_unattainable_requirement_leaves_all_undecided():
    """Negatives are the wider class: from some value on there are too few positives for any high demand."""
    zone = PAPER.grey_zone(min_ppv=0.999, prevalence=0.01)
    assert zone.high == np.inf
    assert (zone.tpr, zone.fpr) == (0, 0)
    assert np.isnan(zone.ppv)
    assert "ppv" in zone.undefined
    never = PAPER.grey_zone(max_fnr=0, max_fpr=0)
    assert (never.low, never.high, never.undecided_negative, never.undecided_positive) == (-np.inf, np.inf, 1, 1)


def test_predictive_values_that_fall_again():
    """Positives in a narrow hill on wide negatives: the PPV falls beyond the hill; the widest region is taken."""
    roc = rp.PredictedRoc(rp.Gaussian(0, 5), rp.Gaussian(4, 1))
    zone = roc.grey_zone(min_ppv=0.55, max_fnr=1e-6, prevalence=0.4)
    t = np.linspace(-20, 20, 40_001)
    rates = roc.rates(t, prevalence=0.4)
    meets = t[rates.precision >= 0.55]
    assert zone.rule_in == pytest.approx(meets.min(), abs=1e-3)
    assert meets.max() < 20
    both = roc.grey_zone(min_ppv=0.5, min_npv=0.7, prevalence=0.5)
    assert both.single_threshold
    at = roc.rates(both.low, prevalence=0.5)
    assert at.precision >= 0.5
    assert at.npv >= 0.7


def test_bounds_beyond_one_class_are_finite():
    """Uniform classes that overlap in [0.5, 1]: these are the bounds of a zone outside of which nobody is wrong."""
    zone = rp.PredictedRoc(stats.uniform(0, 1), stats.uniform(0.5, 2)).grey_zone(min_ppv=1, min_npv=1, prevalence=0.5)
    assert (zone.low, zone.high) == (0.5, 1)
    assert (zone.undecided_negative, zone.undecided_positive) == pytest.approx((0.5, 0.25), abs=1e-15)


def test_point_masses():
    apart = rp.PredictedRoc(rp.Gaussian(1, 0), rp.Gaussian(2, 0)).grey_zone()
    assert apart.single_threshold
    assert (apart.tpr, apart.fpr, apart.tnr, apart.fnr) == (1, 0, 1, 0)
    reversed_ = rp.PredictedRoc(rp.Gaussian(2, 0), rp.Gaussian(1, 0)).grey_zone(prevalence=0.5)
    assert reversed_.undecided == 1
    mixed = rp.PredictedRoc(rp.Gaussian(1, 0), rp.Gaussian(2, 1)).grey_zone(min_ppv=0.99, prevalence=0.5)
    assert (mixed.fpr, mixed.ppv) == (0, 1)
    narrow = rp.PredictedRoc(rp.Gaussian(0, 1), rp.Gaussian(1, 0)).grey_zone(min_ppv=0.8, max_fnr=0, prevalence=0.5)
    assert narrow.tpr == 1
    assert narrow.ppv >= 0.8


@for_each(["gaussian", "scipy", "sample"], [{}, {"min_npv": 0.9, "min_ppv": 0.7, "prevalence": 0.4}])
def test_lower_is_the_mirrored_feature(kind, demand):
    """With positives lying lower, low values rule in: the zone of -x with its ends exchanged, rates to the bit."""
    rng = np.random.default_rng(2)
    samples = rng.normal(4, 3, 50), rng.normal(8, 2, 60)
    higher, lower = (
        {
            "gaussian": rp.PredictedRoc(rp.Gaussian(sign * 4, 3), rp.Gaussian(sign * 8, 2), direction=direction),
            "scipy": rp.PredictedRoc(stats.norm(sign * 4, 3), stats.norm(sign * 8, 2), direction=direction),
            "sample": rp.EmpiricalRoc(sign * samples[0], sign * samples[1], direction=direction),
        }[kind]
        for sign, direction in ((1, "higher"), (-1, "lower"))
    )
    mirrored, higher, lower = lower, higher.grey_zone(**demand), lower.grey_zone(**demand)
    assert (lower.low, lower.high) == (pytest.approx(-higher.high), pytest.approx(-higher.low))
    assert (lower.rule_in, lower.rule_out) == (lower.low, lower.high)
    assert numbers(lower)[2:] == pytest.approx(numbers(higher)[2:], abs=1e-12)
    assert lower.tpr == pytest.approx(mirrored.tpr(lower.rule_in))


def test_a_batch_is_its_features_one_by_one():
    """Ordinary, equal, identical, reversed and spreadless features at once, each with its own demand."""
    columns = np.array(
        [[4, 3, 8, 2], [0, 1, 1, 3], [0, 1, 0, 1], [1, 1, 0, 1.5], [1, 0, 2, 0], [1, 0, 2, 1], [0, 1, 4, 1]]
    )
    whole = columns.astype(float).T
    for columns in (
        whole[:, whole[3] > 0],
        whole[:, whole[1] > 0],
        whole,
    ):  # point masses in one class only, or in both
        roc = rp.PredictedRoc(rp.Gaussian(*columns[:2]), rp.Gaussian(*columns[2:]))
        limits = np.linspace(0.02, 0.3, columns.shape[1])
        demands = {"min_npv": 1 - limits, "max_fpr": 0.1}, {"min_ppv": 1 - limits, "max_fnr": 0.1}
        for demand in ({"max_fnr": limits}, *(one | {"prevalence": 0.4} for one in demands)):
            batch = roc.grey_zone(**demand)
            for i in range(columns.shape[1]):
                one = rp.PredictedRoc(rp.Gaussian(*columns[:2, i]), rp.Gaussian(*columns[2:, i]))
                own = {name: value[i] if np.ndim(value) else value for name, value in demand.items()}
                assert [getattr(batch, name)[i] for name in NAMES] == numbers(one.grey_zone(**own))
    assert repr(batch).startswith("GreyZone(batch of shape (7,), ")
    mixed = rp.PredictedRoc(rp.Gaussian([4, -4], 3), rp.Gaussian([8, -8], 2), direction="auto").grey_zone()
    assert (mixed.rule_in == [mixed.high[0], mixed.low[1]]).all()
    assert mixed.low[1] == -mixed.high[0]


def test_what_is_no_demand_is_refused():
    batch = rp.PredictedRoc(rp.Gaussian([0, 1, 2], 1), rp.Gaussian(1, 2))
    refusals = [
        (PAPER, {"max_fnr": 1.5}, "max_fnr=1.5 is outside"),
        (PAPER, {"max_fpr": "x"}, "max_fpr='x' is not a real number"),
        (PAPER, {"max_fnr": 0.1, "min_npv": 0.9, "prevalence": 0.5}, "are requirements on the same threshold"),
        (PAPER, {"min_ppv": 0.9}, "min_ppv= needs a prevalence"),
        (PAPER, {"min_ppv": 0.9, "prevalence": 0}, r"prevalence=0 is outside the open interval"),
        (PAPER, {"prevalence": 2}, "prevalence=2 is outside"),
        (PAPER, {"max_fnr": [0.1, 0.2]}, "pass one number"),
        (batch, {"max_fnr": [0.1, 0.2]}, r"or an array of shape \(3,\)"),
    ]
    check_refusals([(partial(roc.grey_zone, **demand), (), words) for roc, demand, words in refusals])
    with pytest.raises(rp.RocPredictError, match="undecided needs a prevalence"):
        PAPER.grey_zone().undecided  # noqa: B018


def test_a_zone_of_negatives_alone_has_a_predictive_value():
    """All positive calls are wrong: the value is 0, and not 0/0."""
    zone = PAPER.grey_zone(max_fnr=0.05, max_fpr=0.05)
    for rates, undefined in (({"tpr": 0.0}, False), ({"tpr": 0.0, "fpr": 0.0}, True), ({"fpr": 0.0}, False)):
        assert ("ppv" in dataclasses.replace(zone, **rates).undefined) == undefined
