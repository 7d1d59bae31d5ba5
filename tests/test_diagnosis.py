"""Diagnosis: p-values that hold, findings that come when they should and only then, words, degenerate data.

Every random test is seeded; its chance to fail, had the seed been another one, is stated with it.
"""

import json

import numpy as np
import pytest
from scipy import stats

import rocpredict as rp
from rocpredict import RocPredictError
from rocpredict.base.formatting import to_json
from rocpredict.diagnostics.diagnose import diagnose
from rocpredict.diagnostics.fit import (
    GoodnessOfFit,
    SortedSamples,
    goodness_of_fit,
    goodness_of_fit_gaussian,
    normal_scores,
)
from rocpredict.inference import bootstrap

Q = (np.arange(100) + 0.5) / 100
NORMAL = stats.norm.ppf(Q)
"""As normal as 100 rows can be."""


def _rows(negative, positive):
    return np.concatenate([negative, positive]), np.repeat([0, 1], [len(negative), len(positive)])


def _of(negative, positive, **options):
    return diagnose(*_rows(negative, positive), **({"n_resamples": 100} | options))


def _levels(diagnosis):
    return {item.name: item.severity for item in diagnosis.findings if item.severity != "ok"}


# ---- p-values
def test_p_values_are_uniform_for_gaussians():
    """Kolmogorov-Smirnov p of 100 p-values, each made of 39 draws, is below 10^-4 in 1 of 3,300 runs of the three.

    That of the threshold is conservative, since few values of what is lost are possible: P(p <= .1) is at most .1, of
    100 more than 25 in less than 1 of 10^4.
    """
    rng = np.random.default_rng(1)
    p = []
    for seed in range(100):
        found = _of(rng.normal(0, 1, 40), rng.normal(1, 2, 30), n_resamples=39, rng=seed)
        p.append((found.negative.p_value, found.positive.p_value, found.area_between_p_value, found.threshold_p_value))
    p = np.array(p)
    spread = p - rng.random(p.shape) / 40  # from k/40 to the whole of the step before
    assert min(stats.kstest(column, "uniform").pvalue for column in spread[:, :3].T) > 1e-4
    assert np.count_nonzero(p[:, 3] <= 0.1) <= 25
    assert p.min() >= 1 / 40


def test_the_fit_of_a_class_is_judged_as_by_scipy():
    """Both p-values are made of 999 draws: they differ by more than 0.1 in fewer than 1 of 10^4 runs."""
    rng = np.random.default_rng(2)
    negative, positive = rng.normal(0, 1, 25), rng.gamma(4, 1, 25)
    found = _of(negative, positive, n_resamples=999)
    for shape, values in ((found.negative, negative), (found.positive, positive)):
        theirs = stats.goodness_of_fit(stats.norm, values, statistic="ad", n_mc_samples=999, rng=rng)
        assert shape.p_value == pytest.approx(theirs.pvalue, abs=0.1)
        fitted = stats.norm(values.mean(), values.std(ddof=1))
        assert shape.ks == pytest.approx(stats.kstest(values, fitted.cdf).statistic, rel=1e-12)


def test_anderson_and_darlings_statistic_is_its_formula():
    values = np.sort(np.random.default_rng(3).normal(5, 2, 31))
    found = _of(values, NORMAL + 6)
    z = (values - values.mean()) / values.std(ddof=1)
    i = np.arange(1, 32)
    expected = -31 - np.mean((2 * i - 1) * (stats.norm.logcdf(z) + stats.norm.logsf(z[::-1])))
    assert found.negative.anderson_darling == pytest.approx(expected, rel=1e-12)


def test_many_draws_at_a_time_are_measured_as_one():
    rng = np.random.default_rng(4)
    samples = SortedSamples(np.sort(rng.normal(0, 1, (5, 37))), np.sort(rng.normal(1, 2, (5, 53))))
    together, scores = goodness_of_fit_gaussian(samples)
    for k in range(5):
        pair = samples.negative[k], samples.positive[k]
        roc = rp.PredictedRoc(*map(rp.Gaussian.fit, pair))
        alone = goodness_of_fit(roc, SortedSamples(*pair))
        assert alone == pytest.approx([column[k] for column in together], rel=1e-9, abs=1e-12)
        assert scores[1][k] == pytest.approx(normal_scores(roc.positive, pair[1]), abs=1e-9)
    assert together._fields == GoodnessOfFit._fields


def test_chunks_of_draws_change_nothing(monkeypatch):
    x, y = _rows(NORMAL, NORMAL**3)
    whole = diagnose(x, y, n_resamples=50).to_dict()
    monkeypatch.setattr(bootstrap, "_MAX_CHUNK_SIZE", 30_000)
    assert diagnose(x, y, n_resamples=50).to_dict() == whole


def test_one_draw_at_a_time_agrees_with_many():
    """scipy's normal family differs by ddof alone; p-values of 100 draws each differ by 0.3 in 1 of 10^4 runs."""
    rng = np.random.default_rng(5)
    negative, positive = rng.gamma(9, 1, 40), rng.normal(12, 4, 50)
    many = _of(negative, positive)
    one = _of(negative, positive, family=stats.norm)
    assert one.area_between == pytest.approx(many.area_between, abs=0.005)
    for name in ("area_between_p_value", "auc_p_value", "threshold_p_value"):
        assert getattr(one, name) == pytest.approx(getattr(many, name), abs=0.3), name
    assert one.negative.p_value == pytest.approx(many.negative.p_value, abs=0.3)
    for theirs, ours in zip(one.plot_data.quantiles, many.plot_data.quantiles, strict=True):
        assert np.abs(theirs.low - ours.low).mean() < 0.2
        assert np.abs(theirs.fitted - ours.fitted).max() < 0.1


def test_the_same_seed_gives_the_same():
    x, y = _rows(NORMAL, NORMAL + 1)
    first = diagnose(x, y, rng=7, n_resamples=50)
    assert diagnose(x, y, rng=7, n_resamples=50).to_dict() == first.to_dict()
    assert (
        diagnose(x, y, rng=np.random.default_rng(7), n_resamples=50).area_between_expected
        == first.area_between_expected
    )
    assert diagnose(x, y, rng=8, n_resamples=50).area_between_expected != first.area_between_expected


# ---- power, and what is right
def test_exponential_classes_are_found_out():
    """Of 100 rows a class 98 of 100 draws were warned of, and all fits noted: below 7 of 10 in 1 of 10^4 runs."""
    rng = np.random.default_rng(6)
    found = [_of(rng.exponential(1, 100), rng.exponential(2.5, 100)) for _ in range(10)]
    assert sum(_levels(one).get("curve") == "warn" for one in found) >= 7
    assert sum({"negative fit", "positive fit"} <= set(_levels(one)) for one in found) >= 7


def test_the_right_family_has_nothing_against_it():
    """Exponential quantiles, as smooth as rows can be: no chance is in them but that of the draws."""
    q = (np.arange(40) + 0.5) / 40
    found = _of(stats.expon.ppf(q), 2.5 * stats.expon.ppf(q), family=stats.expon, n_resamples=40)
    assert found.family == "expon"
    assert not {"curve", "AUC", "threshold"} & set(_levels(found))
    assert "warn" not in {item.severity for item in found.findings}
    assert found.finding("positive fit").severity == "ok"


def test_perfectly_normal_rows_have_no_finding():
    found = _of(NORMAL, NORMAL + 1)
    assert _levels(found) == {}
    assert found.severity == "ok"
    assert all(item.suggestion == "" for item in found.findings)
    assert found.verdict == "Nothing speaks against family='gaussian' here."
    assert found.area_between < found.area_between_expected


# ---- each finding
def test_skewness_is_found_with_its_remedy():
    found = _of(NORMAL, stats.lognorm(0.8).ppf(Q))
    item = found.finding("positive skewness")
    assert (item.severity, item.value) == ("warn", pytest.approx(stats.skew(stats.lognorm(0.8).ppf(Q), bias=False)))
    assert item.message == f"positive class: skewness {item.value:.1f} (z {found.positive.skewness_z:.1f})"
    assert item.suggestion == "use family='boxcox' or family='auto'"
    assert found.finding("negative skewness").severity == "ok"


def test_heavy_tails_and_outliers_are_found():
    found = _of(stats.t(2).ppf(Q), NORMAL + 1)
    assert _levels(found)["negative kurtosis"] == "warn"
    assert found.finding("negative kurtosis").message.endswith(", heavy tails")
    far = np.concatenate([NORMAL, [15, 16, 17]])
    assert _levels(_of(far, NORMAL + 1))["negative outliers"] == "warn"
    assert _levels(_of(far[:-2], NORMAL + 1))["negative outliers"] == "note"


def test_ties_and_the_mass_at_an_end_are_found():
    found = _of(np.where(Q < 0.41, 0, stats.expon.ppf(Q)), 2 + NORMAL / 4)
    ties, end = found.finding("negative ties"), found.finding("negative boundary")
    assert (ties.value, ties.severity) == (pytest.approx(0.41), "warn")
    assert ties.message == "negative class: 41 % of its rows equal 0"
    assert (end.value, end.severity) == (pytest.approx(0.41), "warn")
    assert end.message == "negative class: 41 % of its rows lie at the minimum 0"
    assert "positive ties" not in _levels(found)
    middle = np.sort(np.concatenate([NORMAL[:80], np.full(20, 0.1)]))
    assert {"negative boundary"} & set(_levels(_of(middle, NORMAL + 1))) == set()
    assert _levels(_of(middle, NORMAL + 1))["negative ties"] == "warn"
    top = np.minimum(NORMAL, stats.norm.ppf(0.8))
    assert _of(top, NORMAL + 1).finding("negative boundary").message.split(" lie at the ")[1].startswith("maximum 0.8")


def test_few_different_values_are_noted():
    thrice = _of(np.tile(np.linspace(-2, 2, 14), 3), NORMAL).finding("negative ties")
    assert (thrice.severity, thrice.message) == ("note", "negative class: 7 % of its rows equal -2")
    twice = _of(np.tile(np.linspace(-2, 2, 14), 2), NORMAL).finding("negative ties")
    assert (twice.severity, twice.message) == ("ok", "negative class: 14 different values in 28 rows")


def test_unequal_spread_asks_for_two_thresholds_and_does_not_blame_the_family():
    found = _of(NORMAL, 1 + 3.2 * NORMAL)
    item = found.finding("SD ratio")
    assert item.severity == "warn"
    assert item.message.startswith("SD ratio (positive/negative) 3.20 (2.6")
    assert "two thresholds" in item.message
    assert item.suggestion == "see roc.proper() and its best_rule()"
    assert found.verdict == (
        "Nothing speaks against family='gaussian' here; two thresholds may do better than one: see roc.proper()."
    )


def test_the_interval_of_the_sd_ratio_is_fs_for_normal_classes():
    """Quantiles have less kurtosis than a normal class: degrees of freedom are not raised for it."""
    found = _of(NORMAL, 2 * NORMAL[::2]).std_ratio
    ratio = 2 * NORMAL[::2].std(ddof=1) / NORMAL.std(ddof=1)
    ends = ratio / np.sqrt(stats.f(49, 99).ppf([0.975, 0.025]))
    assert found.estimate == pytest.approx(ratio)
    assert tuple(found) == pytest.approx(ends)
    assert _of(NORMAL, stats.t(2).ppf(Q)).std_ratio.width > 2 * _of(NORMAL, 3 * NORMAL).std_ratio.width / 3


def test_where_the_curve_fails_is_told():
    negative, positive = stats.expon.ppf(Q), 2.5 * stats.expon.ppf(Q)
    found = _of(negative, positive)
    with pytest.warns(rp.AssumptionWarning, match="class is skewed"):
        predicted = rp.predict_roc(*_rows(negative, positive))
    empirical = rp.empirical_roc(*_rows(negative, positive))
    comparison = rp.compare(predicted, empirical)
    assert found.area_between == pytest.approx(comparison.area_between, rel=1e-12)
    assert found.auc_error == predicted.auc() - empirical.auc()
    at = found.max_tpr_gap_fpr
    assert 0.01 <= at <= 0.99
    assert (found.max_tpr_gap, at) == (comparison.max_tpr_gap, comparison.max_tpr_gap_fpr)
    assert found.max_tpr_gap_threshold == pytest.approx(predicted.threshold_at_fpr(at))
    assert found.gap_low_fpr > 0.05 > -0.05 > found.gap_high_fpr
    thirds = found.gap_low_fpr, found.gap_middle_fpr, found.gap_high_fpr
    assert np.mean(thirds) == pytest.approx(found.auc_error, abs=2e-3)
    lost = empirical.best_threshold().ameans - empirical.rates(predicted.best_threshold().threshold).ameans
    assert found.threshold_regret == pytest.approx(lost)
    sentence = found.finding("largest gap").message
    assert f"{found.max_tpr_gap:+.3f}".replace("-", "−") in sentence
    assert "at low" in sentence
    assert found.verdict.startswith("Do not rely on the curve")


def test_few_rows_are_said_to_tell_little():
    q = (np.arange(10) + 0.5) / 10
    found = _of(stats.norm.ppf(q), 1 + stats.norm.ppf(q))
    assert found.finding("cases").severity == "warn"
    assert "no check is decisive" in found.finding("cases").message
    assert found.verdict.endswith("could hardly tell: no check is decisive here.")
    assert _of(NORMAL[::4], NORMAL[::4]).finding("cases").severity == "note"
    assert found.severity == "ok"


def test_shape_is_no_more_than_a_note_of_another_family():
    negative, positive = stats.expon.ppf(Q[::2]), 9 * stats.expon.ppf(Q[::2]) ** 1.5
    assert "warn" in _levels(_of(negative, positive)).values()
    item = _of(negative, positive, family=stats.gamma, n_resamples=20).finding("positive skewness")
    assert (item.severity, item.suggestion) == ("note", "none where the curve holds")


# ---- the result
def test_moments_are_scipys():
    values = np.random.default_rng(8).gamma(3, 1, 30)
    shape = _of(values, NORMAL).negative
    assert shape.skewness == pytest.approx(stats.skew(values, bias=False))
    assert shape.kurtosis == pytest.approx(stats.kurtosis(values, bias=False))
    assert shape.skewness_z == pytest.approx(stats.skewtest(values).statistic)
    assert shape.kurtosis_z == pytest.approx(stats.kurtosistest(values).statistic)
    assert (shape.mean, shape.std) == pytest.approx((values.mean(), values.std(ddof=1)))
    assert shape.skewness_se == pytest.approx(np.sqrt(6 * 30 * 29 / (28 * 31 * 33)))


def test_direction_lower_is_the_mirror():
    negative, positive = stats.expon.ppf(Q), 2.5 * stats.expon.ppf(Q)
    higher, lower = _of(negative, positive), _of(-negative, -positive, direction="lower")
    same = (
        "area_between",
        "area_between_expected",
        "area_between_p_value",
        "auc_p_value",
        "auc_error",
        "gap_low_fpr",
        "threshold_regret",
    )
    for name in same:
        assert getattr(lower, name) == pytest.approx(getattr(higher, name), abs=1e-12), name
    assert lower.direction == "lower"
    assert lower.negative.skewness == pytest.approx(-higher.negative.skewness)
    assert lower.max_tpr_gap_threshold == pytest.approx(-higher.max_tpr_gap_threshold)
    assert lower.negative.anderson_darling == pytest.approx(higher.negative.anderson_darling)
    mirrored = lower.plot_data.quantiles[0]
    assert mirrored.fitted == pytest.approx(-higher.plot_data.quantiles[0].fitted[::-1])
    assert mirrored.low == pytest.approx(-higher.plot_data.quantiles[0].high[::-1])
    assert _of(-negative, -positive, direction="auto").direction == "lower"


def test_the_unit_changes_nothing():
    negative, positive = stats.expon.ppf(Q), 2.5 * stats.expon.ppf(Q)
    one = _of(negative, positive)
    for factor in (2.0**990, 2.0**-990):
        other = _of(factor * negative, factor * positive)
        assert other.area_between == pytest.approx(one.area_between, abs=1e-12)
        assert other.area_between_p_value == one.area_between_p_value
        assert other.negative.skewness == pytest.approx(one.negative.skewness)
        assert _levels(other) == _levels(one)


def test_it_can_be_written_and_shown():
    found = _of(NORMAL, stats.lognorm(0.8).ppf(Q))
    told = json.loads(to_json(found.to_dict()))
    assert told["area_between"] == found.area_between
    assert told["positive"]["skewness"] == found.positive.skewness
    assert told["std_ratio"]["low"] == found.std_ratio.low
    assert [item["name"] for item in told["findings"]] == [item.name for item in found.findings]
    assert "drawn" not in told
    assert "\n" not in repr(found)
    assert repr(found).startswith("Diagnosis(family='gaussian', n_negative=100, n_positive=100, area_between=")
    html = found._repr_html_()
    assert "<bdi>positive skewness</bdi></th>" in html
    assert "family=&#x27;auto&#x27;" in html
    frame = found.to_frame()
    assert list(frame["name"]) == [item.name for item in found.findings]
    assert list(frame.columns) == ["name", "severity", "value", "message", "suggestion"]


def test_the_table_shows_every_finding():
    found = _of(NORMAL, stats.lognorm(0.8).ppf(Q))
    lines = found.table().to_text(400).splitlines()
    for item in found.findings:
        (line,) = [line for line in lines if line.startswith(f" {item.name} ")]
        assert item.message in line
        assert item.suggestion in line
        assert ("WARN" in line) == (item.severity == "warn")
    assert lines[-1] == found.verdict
    assert str(found).startswith("Diagnosis of family='gaussian'")


# ---- degenerate rows
def test_a_class_without_spread_is_named_and_everything_else_is_still_told():
    for negative, positive, word in ((np.zeros(30), NORMAL, "negative"), (NORMAL, np.full(30, 0.5), "positive")):
        found = _of(negative, positive, n_resamples=20)
        item = found.finding(f"{word} spread")
        assert item.severity == "warn"
        assert "all 30 values equal" in item.message
        shape = getattr(found, word)
        assert (shape.p_value, shape.anderson_darling, shape.n_unique) == (1.0, 0.0, 1)
        assert np.isnan(shape.skewness)
        assert tuple(found.std_ratio) == (0.0, np.inf)
        assert np.isfinite([found.area_between, found.auc_error, found.threshold_regret]).all()


def test_all_rows_equal_and_two_points_are_fitted_by_what_they_are():
    for value in (1.0, 2.0):
        found = _of(np.ones(30), np.full(30, value), n_resamples=20)
        assert (found.area_between, found.area_between_p_value, found.auc_error) == (0.0, 1.0, 0.0)
        assert np.isnan(found.std_ratio.estimate)


def test_two_rows_a_class_are_enough_for_a_humble_answer():
    found = diagnose([1.0, 2, 3, 4], [0, 0, 1, 1], n_resamples=20)
    assert np.isnan([found.negative.skewness, found.negative.kurtosis, found.negative.skewness_z]).all()
    assert "too few rows for a z" in found.finding("negative skewness").message
    assert found.finding("negative skewness").severity == "ok"
    assert "no check is decisive" in found.verdict


def test_values_that_fill_the_range_of_floats_do_not_break_it():
    x = np.concatenate([[1e308, -1e308], NORMAL])
    assert diagnose(x, np.repeat([0, 1], 51), n_resamples=20).negative.outliers == pytest.approx(2 / 51)


def test_classes_far_apart_are_no_misfit():
    found = _of(NORMAL, NORMAL + 1000)
    assert (found.area_between, found.area_between_p_value) == (0.0, 1.0)
    assert _levels(found) == {}


class _Fussy:
    """Fit normal distributions, but not to every sample."""

    name = "fussy"
    a, b = -np.inf, np.inf

    def fit(self, sample):
        if sample.mean() > 0.15:
            raise ValueError("too high")
        return stats.norm.fit(sample)

    def __call__(self, *parameters):
        return stats.norm(*parameters)


def test_draws_without_a_fit_are_counted():
    found = _of(NORMAL, NORMAL - 5, family=_Fussy(), n_resamples=40, direction="lower")
    assert 0 < found.n_failed < 40
    assert found.n_resamples == 40
    assert found.family == "fussy"


@pytest.mark.parametrize(
    ("x", "options", "words"),
    [
        ([1, 2, 3, np.inf], {}, "infinite"),
        ([1, 2, 3, np.nan], {}, "missing"),
        ([1, 2, 3, 4], {"family": "empirical"}, "nothing to diagnose"),
        ([1, 2, 3, 4], {"family": "nonsense"}, "family='nonsense'"),
        ([1, 2, 3, 4], {"n_resamples": 3}, "n_resamples=3 is too few"),
        ([1, 2, 3, 4], {"direction": "up"}, "direction='up'"),
    ],
)
def test_what_cannot_be_diagnosed_is_refused_in_words(x, options, words):
    with pytest.raises(RocPredictError, match=words):
        diagnose(x, [0, 0, 1, 1], **options)


def test_a_class_of_one_row_is_refused_and_missing_rows_may_be_left_out():
    with pytest.raises(RocPredictError, match="1 row in the positive class"):
        diagnose([1.0, 2, 3], [0, 0, 1])
    found = diagnose([1.0, 2, 3, np.nan, 4, 5], [0, 0, 1, 1, 1, 0], nan_policy="omit", n_resamples=20)
    assert (found.negative.count, found.positive.count) == (3, 2)
