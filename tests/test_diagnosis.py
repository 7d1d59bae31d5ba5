"""Diagnosis: valid p-values, findings exactly when they apply, their words, and degenerate data."""

import json
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy import stats

import rocpredict as rp
from rocpredict.base.formatting import to_json
from rocpredict.diagnostics import goodness_of_fit as fit_module
from rocpredict.diagnostics.diagnose import DiagnosticFinding, _summarize, diagnose
from rocpredict.diagnostics.goodness_of_fit import (
    GoodnessOfFit,
    SortedSamples,
    _bootstrap_batch,
    _bootstrap_generic,
    goodness_of_fit,
    normal_scores,
)
from rocpredict.diagnostics.goodness_of_fit import goodness_of_fit_batch as fit_many
from rocpredict.inference import bootstrap
from rocpredict.inference.bootstrap import BootstrapOptions
from tests.cases import CORE, check_refused, for_each
from tests.samples import labelled

Q = (np.arange(100) + 0.5) / 100
NORMAL = stats.norm.ppf(Q)  # as normal as 100 rows can be
LOGNORMAL = stats.lognorm(0.8).ppf(Q)
EXPONENTIAL = stats.expon.ppf(Q), 2.5 * stats.expon.ppf(Q)


def diagnosis_of(negative, positive, **options):
    return diagnose(*labelled(negative, positive), **({"n_resamples": 100} | options))


def severities(diagnosis):
    return {item.name: item.severity for item in diagnosis.findings if item.severity != "ok"}


def test_p_values_are_uniform_for_gaussians():
    """Kolmogorov-Smirnov p of 100 p-values, each made of 39 draws, is below 10^-4 in 1 of 3,300 runs of the three.

    That of the threshold is conservative, since few values of what is lost are possible: P(p <= .1) is at most .1, of
    100 more than 25 in less than 1 of 10^4.
    """
    rng = np.random.default_rng(1)
    options = {"n_resamples": 39}
    results = [diagnosis_of(rng.normal(0, 1, 40), rng.normal(1, 2, 30), rng=seed, **options) for seed in range(100)]
    of_classes = np.array([(result.negative.p_value, result.positive.p_value) for result in results])
    of_curves = np.array([(result.area_between_p_value, result.threshold_p_value) for result in results])
    p = np.column_stack([of_classes, of_curves])
    spread = p - rng.random(p.shape) / 40  # from k/40 to the whole of the step before
    assert min(stats.kstest(column, "uniform").pvalue for column in spread[:, :3].T) > 1e-4
    assert np.count_nonzero(p[:, 3] <= 0.1) <= 25
    assert p.min() >= 1 / 40


def test_goodness_of_fit_equals_scipys():
    """Both p-values are made of 999 draws: they differ by more than 0.1 in fewer than 1 of 10^4 runs.

    Moments are scipy's, and Anderson and Darling's statistic its formula.
    """
    rng = np.random.default_rng(2)
    negative, positive = rng.normal(0, 1, 25), rng.gamma(4, 1, 25)
    result = diagnosis_of(negative, positive, n_resamples=999)
    i = np.arange(1, 26)
    for shape, values in ((result.negative, negative), (result.positive, positive)):
        theirs = stats.goodness_of_fit(stats.norm, values, statistic="ad", n_mc_samples=999, rng=rng)
        assert shape.p_value == pytest.approx(theirs.pvalue, abs=0.1)
        fitted = stats.norm(values.mean(), values.std(ddof=1))
        assert shape.ks == pytest.approx(stats.kstest(values, fitted.cdf).statistic, rel=1e-12)
        z = np.sort(values - values.mean()) / values.std(ddof=1)
        expected = -25 - np.mean((2 * i - 1) * (stats.norm.logcdf(z) + stats.norm.logsf(z[::-1])))
        assert shape.anderson_darling == pytest.approx(expected, rel=1e-12)
        assert shape.skewness == pytest.approx(stats.skew(values, bias=False))
        assert shape.kurtosis == pytest.approx(stats.kurtosis(values, bias=False))
        assert shape.skewness_z == pytest.approx(stats.skewtest(values).statistic)
        assert shape.kurtosis_z == pytest.approx(stats.kurtosistest(values).statistic)
        assert (shape.mean, shape.std) == pytest.approx((values.mean(), values.std(ddof=1)))
        assert shape.skewness_se == pytest.approx(np.sqrt(6 * 25 * 24 / (23 * 26 * 28)))


def test_batches_of_draws_equal_single_draws():
    rng = np.random.default_rng(4)
    samples = SortedSamples(np.sort(rng.normal(0, 1, (5, 37))), np.sort(rng.normal(1, 2, (5, 53))))
    fits = [rp.Gaussian(x.mean(axis=1), x.std(axis=1, ddof=1)) for x in samples]
    together, scores = fit_many(fits, samples)
    for k in range(5):
        pair = samples.negative[k], samples.positive[k]
        roc = rp.PredictedRoc(*map(rp.Gaussian.fit, pair))
        alone = goodness_of_fit(roc, SortedSamples(*pair))
        assert alone == pytest.approx([column[k] for column in together], rel=1e-9, abs=1e-12)
        assert scores[1][k] == pytest.approx(normal_scores(roc.positive, pair[1]), abs=1e-9)
    assert together._fields == GoodnessOfFit._fields


def test_normal_scores_of_draws_are_computed_for_the_plotted_ranks_alone(monkeypatch):
    sizes = []
    monkeypatch.setattr(fit_module, "ndtri", lambda tail: sizes.append(tail.shape[-1]) or np.zeros(tail.shape))
    diagnosis_of(np.arange(1000.0), np.arange(1000.0) ** 1.1, n_resamples=20)
    assert len(sizes) > 2
    assert set(sizes) == {400}


def test_seeds_and_chunks_of_draws(monkeypatch):
    x, y = labelled(NORMAL, NORMAL**3)
    whole, other = (diagnose(x, y, n_resamples=50, rng=seed) for seed in (7, 8))
    assert other.area_between_expected != whole.area_between_expected
    assert diagnose(x, y, rng=7, n_resamples=50).to_dict() == whole.to_dict()
    generator = np.random.default_rng(7)
    assert diagnose(x, y, rng=generator, n_resamples=50).area_between_expected == whole.area_between_expected
    monkeypatch.setattr(bootstrap, "_MAX_CHUNK_SIZE", 30_000)
    assert diagnose(x, y, rng=7, n_resamples=50).to_dict() == whole.to_dict()


def test_one_draw_at_a_time_agrees_with_many():
    """scipy's normal family differs by ddof alone; p-values of 100 draws each differ by 0.3 in 1 of 10^4 runs."""
    rng = np.random.default_rng(5)
    negative, positive = rng.gamma(9, 1, 40), rng.normal(12, 4, 50)
    many = diagnosis_of(negative, positive)
    one = diagnosis_of(negative, positive, family=stats.norm)
    assert one.area_between == pytest.approx(many.area_between, abs=0.005)
    for name in ("area_between_p_value", "auc_p_value", "threshold_p_value"):
        assert getattr(one, name) == pytest.approx(getattr(many, name), abs=0.3), name
    assert one.negative.p_value == pytest.approx(many.negative.p_value, abs=0.3)
    for theirs, ours in zip(one.plot_data.quantiles, many.plot_data.quantiles, strict=True):
        assert np.abs(theirs.low - ours.low).mean() < 0.2
        assert np.abs(theirs.fitted - ours.fitted).max() < 0.1


def test_exponential_classes_are_detected():
    """Of 100 samples with 100 rows per class 98 warned, and all fits have a note: below 7 of 10 in 1 of 10^4 runs."""
    rng = np.random.default_rng(6)
    result = [diagnosis_of(rng.exponential(1, 100), rng.exponential(2.5, 100)) for _ in range(10)]
    assert sum(severities(one).get("curve") == "warn" for one in result) >= 7
    assert sum({"negative fit", "positive fit"} <= set(severities(one)) for one in result) >= 7


def test_the_right_family_has_no_warning():
    """Quantiles of two families instead of samples: only the draws are random."""
    q = (np.arange(40) + 0.5) / 40
    result = diagnosis_of(stats.expon.ppf(q), 2.5 * stats.expon.ppf(q), family=stats.expon, n_resamples=40)
    assert result.family == "expon"
    assert not {"curve", "AUC", "threshold"} & set(severities(result))
    assert "warn" not in {item.severity for item in result.findings}
    assert result.finding("positive fit").severity == "ok"
    result = diagnosis_of(NORMAL, NORMAL + 1)
    assert severities(result) == {}
    assert result.severity == "ok"
    assert all(item.suggestion == "" for item in result.findings)
    assert result.verdict == "There is no evidence against family='gaussian'."
    assert result.area_between < result.area_between_expected


def test_skewness_and_heavy_tails_are_found_with_their_remedy():
    """Of another family skewness is no more than a note."""
    result = diagnosis_of(NORMAL, LOGNORMAL)
    item = result.finding("positive skewness")
    assert result.finding("skewness of positives") is item
    assert (item.severity, item.value) == ("warn", pytest.approx(stats.skew(LOGNORMAL, bias=False)))
    assert item.message == f"positive class: skewness {item.value:.1f} (z = {result.positive.skewness_z:.1f})"
    assert item.suggestion == "use family='boxcox' or family='auto'"
    assert result.finding("negative skewness").severity == "ok"
    result = diagnosis_of(stats.t(2).ppf(Q), NORMAL + 1)
    assert severities(result)["negative kurtosis"] == "warn"
    assert result.finding("negative kurtosis").message.endswith(", heavy tails")
    far = np.concatenate([NORMAL, [15, 16, 17]])
    assert severities(diagnosis_of(far, NORMAL + 1))["negative outliers"] == "warn"
    assert severities(diagnosis_of(far[:-2], NORMAL + 1))["negative outliers"] == "note"
    negative, positive = stats.expon.ppf(Q[::2]), 9 * stats.expon.ppf(Q[::2]) ** 1.5
    assert "warn" in severities(diagnosis_of(negative, positive)).values()
    item = diagnosis_of(negative, positive, family=stats.gamma, n_resamples=20).finding("positive skewness")
    assert (item.severity, item.suggestion) == ("note", "no action is needed if the curve fits")


def test_ties_and_point_masses_at_a_limit_are_detected():
    result = diagnosis_of(np.where(Q < 0.41, 0, stats.expon.ppf(Q)), 2 + NORMAL / 4)
    ties, end = result.finding("negative ties"), result.finding("negative boundary")
    assert (ties.value, ties.severity) == (pytest.approx(0.41), "warn")
    assert ties.message == "negative class: 41% of the values equal 0"
    assert (end.value, end.severity) == (pytest.approx(0.41), "warn")
    assert end.message == "negative class: 41% of the values equal the minimum (0)"
    assert "positive ties" not in severities(result)
    middle = severities(diagnosis_of(np.sort(np.concatenate([NORMAL[:80], np.full(20, 0.1)])), NORMAL + 1))
    assert "negative boundary" not in middle
    assert middle["negative ties"] == "warn"
    top = diagnosis_of(np.minimum(NORMAL, stats.norm.ppf(0.8)), NORMAL + 1).finding("negative boundary")
    assert top.message.split(" equal the ")[1].startswith("maximum (0.8")
    thrice, twice = (np.tile(np.linspace(-2, 2, 14), times) for times in (3, 2))
    few = diagnosis_of(thrice, NORMAL).finding("negative ties")
    assert (few.severity, few.message) == ("note", "negative class: 7% of the values equal -2")
    few = diagnosis_of(twice, NORMAL).finding("negative ties")
    assert (few.severity, few.message) == ("ok", "negative class: 14 distinct values in 28 observations")


def test_unequal_sds_suggest_two_thresholds_and_not_another_family():
    """The interval is F's for normal classes. Quantiles have less kurtosis: its df are not raised for it."""
    result = diagnosis_of(NORMAL, 1 + 3.2 * NORMAL)
    item = result.finding("SD ratio")
    assert item.severity == "warn"
    assert item.message.startswith("SD ratio (positive/negative) 3.20 (95% CI 2.6")
    assert "two thresholds" in item.message
    assert item.suggestion == "see roc.proper() and its best_rule()"
    advice = "two thresholds may do better than one: see roc.proper()."
    assert result.verdict == f"There is no evidence against family='gaussian'; {advice}"
    interval = diagnosis_of(NORMAL, 2 * NORMAL[::2]).std_ratio
    ratio = 2 * NORMAL[::2].std(ddof=1) / NORMAL.std(ddof=1)
    assert interval.estimate == pytest.approx(ratio)
    assert tuple(interval) == pytest.approx(ratio / np.sqrt(stats.f(49, 99).ppf([0.975, 0.025])))
    wide, usual = (diagnosis_of(NORMAL, x).std_ratio.width for x in (stats.t(2).ppf(Q), 3 * NORMAL))
    assert wide > 2 * usual / 3


def test_the_location_of_the_misfit_is_reported():
    negative, positive = EXPONENTIAL
    result = diagnosis_of(negative, positive)
    with pytest.warns(rp.AssumptionWarning, match="class is skewed"):
        predicted = rp.predict_roc(*labelled(negative, positive))
    empirical = rp.empirical_roc(*labelled(negative, positive))
    comparison = rp.compare(predicted, empirical)
    assert result.area_between == pytest.approx(comparison.area_between, rel=1e-12)
    assert result.auc_error == predicted.auc() - empirical.auc()
    at = result.max_tpr_gap_fpr
    assert 0.01 <= at <= 0.99
    assert (result.max_tpr_gap, at) == (comparison.max_tpr_gap, comparison.max_tpr_gap_fpr)
    assert result.max_tpr_gap_threshold == pytest.approx(predicted.threshold_at_fpr(at))
    assert result.gap_low_fpr > 0.05 > -0.05 > result.gap_high_fpr
    thirds = result.gap_low_fpr, result.gap_middle_fpr, result.gap_high_fpr
    assert np.mean(thirds) == pytest.approx(result.auc_error, abs=2e-3)
    lost = empirical.best_threshold().ameans - empirical.rates(predicted.best_threshold().threshold).ameans
    assert result.threshold_regret == pytest.approx(lost)
    sentence = result.finding("largest gap").message
    assert f"{result.max_tpr_gap:+.3f}".replace("-", "−") in sentence
    assert "at FPRs from 0 to 1/3" in sentence
    assert result.verdict.startswith("Do not rely on the curve")


def test_no_smooth_family_is_recommended_for_many_equal_values():
    """With 48% zeros in either class, neither a finding nor the verdict recommends Box-Cox."""
    zeros = np.where(np.arange(len(LOGNORMAL)) < 0.48 * len(LOGNORMAL), 0, LOGNORMAL)
    for pair in ((zeros, LOGNORMAL + 1), (LOGNORMAL, zeros)):
        result = diagnosis_of(*pair)
        assert "warn" in {item.severity for item in result.findings if item.name.endswith(("ties", "boundary"))}
        assert result.verdict.endswith("here: use family='auto' or rp.empirical_roc.")
        assert not any("boxcox" in item.suggestion for item in result.findings)


def test_the_verdict_on_notes_states_the_deviations():
    """Small deviations are slight; larger ones, which sampling variation could explain, are probable."""
    d, names = diagnosis_of(*EXPONENTIAL), {"curve", "AUC", "threshold"}
    shapes = [replace(item, severity="ok") for item in d.findings if item.name not in names]

    def verdict(**sizes):
        notes = [DiagnosticFinding(name, value, "note", "", "") for name, value in sizes.items()]
        rest = [DiagnosticFinding(name, 0.0, "ok", "", "") for name in names - sizes.keys()]
        return _summarize(replace(d, findings=(*shapes, *notes, *rest)))

    reason, remedy = "by more than sampling variation explains", "use family='boxcox' or family='auto'."
    assert verdict(curve=0.015, AUC=-0.0124) == (
        f"The curve and AUC of family='gaussian' deviate slightly from the data, but {reason} (on average "
        f"the predicted TPR differs from the empirical TPR by 0.015; the predicted AUC differs from the empirical AUC "
        f"by 0.012): {remedy}"
    )
    assert verdict(curve=0.06, threshold=0.025) == (
        f"The curve and threshold of family='gaussian' probably deviate from the data {reason} (on average "
        f"the predicted TPR differs from the empirical TPR by 0.060; the Ameans at the predicted threshold is 0.025 "
        f"below the best Ameans): {remedy}"
    )
    assert verdict(AUC=0.011) == (
        f"The AUC of family='gaussian' deviates slightly from the data, but {reason} (the predicted "
        f"AUC differs from the empirical AUC by 0.011): {remedy}"
    )


def test_small_samples_get_a_note():
    q = (np.arange(10) + 0.5) / 10
    result = diagnosis_of(stats.norm.ppf(q), 1 + stats.norm.ppf(q))
    assert result.finding("sample size").severity == "warn"
    assert "too few for a decisive check" in result.finding("sample size").message
    assert result.verdict.endswith("are too few for a decisive check.")
    assert diagnosis_of(NORMAL[::4], NORMAL[::4]).finding("sample size").severity == "note"
    assert result.severity == "ok"
    result = diagnose([1.0, 2, 3, 4], [0, 0, 1, 1], n_resamples=20)
    assert np.isnan([result.negative.skewness, result.negative.kurtosis, result.negative.skewness_z]).all()
    assert "too few observations for a z-score" in result.finding("negative skewness").message
    assert "kurtosis undefined (too few observations for a z-score)" in result.finding("negative kurtosis").message
    assert result.finding("negative skewness").severity == "ok"
    assert "too few for a decisive check" in result.verdict


def test_direction_and_unit_change_nothing():
    negative, positive = EXPONENTIAL
    result, lower = diagnosis_of(negative, positive), diagnosis_of(-negative, -positive, direction="lower")
    numbers = ("area_between", "area_between_expected", "area_between_p_value", "auc_p_value", "auc_error")
    for name in (*numbers, "gap_low_fpr", "threshold_regret"):
        assert getattr(lower, name) == pytest.approx(getattr(result, name), abs=1e-12), name
    assert lower.direction == diagnosis_of(-negative, -positive, direction="auto").direction == "lower"
    assert lower.negative.skewness == pytest.approx(-result.negative.skewness)
    assert lower.max_tpr_gap_threshold == pytest.approx(-result.max_tpr_gap_threshold)
    assert lower.negative.anderson_darling == pytest.approx(result.negative.anderson_darling)
    quantiles, mirrored = result.plot_data.quantiles[0], lower.plot_data.quantiles[0]
    assert mirrored.fitted == pytest.approx(-quantiles.fitted[::-1])
    assert mirrored.low == pytest.approx(-quantiles.high[::-1])
    for factor in (2.0**990, 2.0**-990):
        other = diagnosis_of(factor * negative, factor * positive)
        assert other.area_between == pytest.approx(result.area_between, abs=1e-12)
        assert other.area_between_p_value == result.area_between_p_value
        assert other.negative.skewness == pytest.approx(result.negative.skewness)
        assert severities(other) == severities(result)
    extreme = np.concatenate([[1e308, -1e308], NORMAL])
    shape = diagnose(extreme, np.repeat([0, 1], 51), n_resamples=20).negative
    assert shape.outliers == pytest.approx(2 / 51)


def test_it_can_be_written_and_shown():
    result = diagnosis_of(NORMAL, LOGNORMAL)
    stored = json.loads(to_json(result.to_dict()))
    assert [item["name"] for item in stored["findings"]] == [item.name for item in result.findings]
    assert repr(result).startswith("Diagnosis(family='gaussian', 100 negatives, 100 positives, area_between=")
    html = result._repr_html_()
    assert "<bdi>skewness of positives</bdi></th>" in html
    assert "family=&#x27;auto&#x27;" in html
    if not CORE:
        frame = result.to_frame()
        assert list(frame["name"]) == [item.name for item in result.findings]
        assert list(frame.columns) == ["name", "severity", "value", "message", "suggestion"]
    lines = result.table().to_text(400).splitlines()
    for item in result.findings:
        (line,) = [line for line in lines if line.startswith(f" {item._title} ")]
        assert item.message in line
        assert item.suggestion in line
        assert ("WARN" in line) == (item.severity == "warn")
    smallest = "With 100 simulated samples, the smallest possible p-value is 0.0099."
    assert lines[-2:] == [result.verdict, smallest]
    assert str(result).startswith("Diagnosis of family='gaussian'")


def test_constant_classes_are_named_and_other_findings_remain():
    """Constant classes and classes of two values have no misfit, and neither have classes that are far apart."""
    for negative, positive, word in ((np.zeros(30), NORMAL, "negative"), (NORMAL, np.full(30, 0.5), "positive")):
        result = diagnosis_of(negative, positive, n_resamples=20)
        item, shape = result.finding(f"{word} variability"), getattr(result, word)
        assert item.severity == "warn"
        assert "all 30 values equal" in item.message
        assert (shape.p_value, shape.anderson_darling, shape.n_unique) == (1.0, 0.0, 1)
        assert np.isnan(shape.skewness)
        assert tuple(result.std_ratio) == (0.0, np.inf)
        assert np.isfinite([result.area_between, result.auc_error, result.threshold_regret]).all()
    for value in (1.0, 2.0):
        result = diagnosis_of(np.ones(30), np.full(30, value), n_resamples=20)
        assert (result.area_between, result.area_between_p_value, result.auc_error) == (0.0, 1.0, 0.0)
        assert np.isnan(result.std_ratio.estimate)
    result = diagnosis_of(NORMAL, NORMAL + 1000)
    assert (result.area_between, result.area_between_p_value) == (0.0, 1.0)
    assert severities(result) == {}


class Fussy:
    """Fit normal distributions, but not to every sample."""

    name, a, b = "fussy", -np.inf, np.inf

    def fit(self, sample):
        if sample.mean() > 0.15:
            raise ValueError("too high")
        return stats.norm.fit(sample)

    def __call__(self, *parameters):
        return stats.norm(*parameters)


def test_draws_without_a_fit_are_counted():
    result = diagnosis_of(NORMAL, NORMAL - 5, family=Fussy(), n_resamples=40, direction="lower")
    assert 0 < result.n_failed < 40
    assert (result.n_resamples, result.family) == (40, "fussy")


def test_invalid_diagnoses_are_refused():
    table = [
        ([1, 2, 3, np.inf], {}, "infinite"),
        ([1, 2, 3, np.nan], {}, "missing"),
        ([1, 2, 3, 4], {"family": "empirical"}, "fits no model, so there is nothing to diagnose"),
        ([1, 2, 3, 4], {"family": "nonsense"}, "family='nonsense'"),
        ([1, 2, 3, 4], {"n_resamples": 3}, "n_resamples=3 is too few"),
        ([1, 2, 3, 4], {"direction": "up"}, "direction='up'"),
        ([1.0, 2, 3], {}, "1 observation in the positive class"),
    ]
    check_refused([(partial(diagnose, x, [0, 0, 1, 1][: len(x)], **options), words) for x, options, words in table])
    result = diagnose([1.0, 2, 3, np.nan, 4, 5], [0, 0, 1, 1, 1, 0], nan_policy="omit", n_resamples=20)
    assert (result.negative.count, result.positive.count) == (3, 2)


@for_each([("boxcox", None), ("yeojohnson", "lower"), ("kde", "lower")])
def test_simulated_samples_fitted_as_a_batch_equal_single_fits(family, direction):
    """The measures of misfit and the normal scores of 20 simulated samples, by both ways of fitting."""
    rng = np.random.default_rng(12)
    x, y = np.concatenate([rng.gamma(4, 1, 25), rng.gamma(5, 1.3, 30)]), np.repeat([0, 1], [25, 30])
    roc = rp.predict_roc(1 / x if direction else x, y, family=family, direction=direction)
    batch, single = (
        list(simulate(roc, (25, 30), BootstrapOptions(20, 4))) for simulate in (_bootstrap_batch, _bootstrap_generic)
    )
    assert (len(batch), len(single)) == (1, 20)
    for part, name in enumerate(("misfits", "scores")):
        expected = [np.concatenate(values) for values in zip(*(chunk[part] for chunk in single), strict=True)]
        for values, wanted in zip(batch[0][part], expected, strict=True):
            np.testing.assert_allclose(values, wanted, rtol=1e-9, atol=1e-12, err_msg=name)
