"""Sentences of the reports, each as the options and the results require it, without the pictures."""

import html
import re
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from matplotlib.figure import Figure

import rocpredict as rp
from rocpredict.base.formatting import format_rate
from rocpredict.reports.feature import FeatureAnalysis, feature_report, mean_and_std, template_context
from rocpredict.reports.report import Image, format_numeral, message_to_prose, render
from rocpredict.reports.screening import screening_report
from tests.blank import leave_blank

Y = np.arange(80) % 2
_RNG = np.random.default_rng(11)
X = _RNG.normal(size=80) * np.where(Y, 1.6, 1.0) + Y
_THIRD = np.arange(80) // 2 % 3 == 0
ODD = np.where(Y, np.where(_THIRD, 0.0, 1.0), np.where(_THIRD, -0.5, 0.5))
ODD = ODD + np.random.default_rng(3).normal(size=80) / 20
VERSIONS = (("rocpredict", "0"), ("numpy", "0"))
DEFAULTS = {"feature": "width", "unit": None, "positive": 1, "negative": None, "family": "gaussian", "direction": None}
DEFAULTS |= {"nan_policy": "omit", "level": 0.95, "stated_prevalence": None, "n_resamples": 20, "rng": 0}


@pytest.fixture(scope="module", autouse=True)
def _white_pictures():
    with pytest.MonkeyPatch.context() as patch:
        leave_blank(patch)
        yield


@pytest.fixture(scope="module")
def analyze():
    """Return a function for the analysis of one feature, computed once for each set of options."""
    cache = {}

    def analysis(x=X, **options):
        key = (x.tobytes(), *options.items())
        if key not in cache:
            cache[key] = FeatureAnalysis(x, Y, **DEFAULTS | options)
        return cache[key]

    return analysis


def cells(analysis, name):
    """Return a table as texts: a list for each row."""
    grid = template_context(analysis)[name]
    return [list(grid.columns), *([str(cell) for cell in row] for row in grid.cells())]


def page_of(analysis):
    """Return the page of a feature without its pictures."""
    blank = Image("", 1, 1)
    context = template_context(analysis) | {"picture": blank, "diagnosis_picture": blank, "title": None, "notes": ()}
    return render("feature.html", **context, versions=VERSIONS, date="2026-11-21", seed="0", sha256="")


def between(page, start, end):
    """Return the plain text, on one line, from one piece of a page up to the next other one."""
    start = page.index(start)
    return " ".join(html.unescape(re.sub("<[^>]+>", "", page[start : page.index(end, start + 1)])).split())


def section(analysis, heading):
    """Return the sentences under a heading, without its tables."""
    page = re.sub(r'<div class="scroll".*?</div>', "", page_of(analysis), flags=re.DOTALL)
    return between(page, f"<h2>{heading}", "<h2>")


def paragraph(analysis):
    return between(page_of(analysis), "<blockquote>", "</blockquote>")


def references(analysis):
    """Return the references, one each."""
    page = page_of(analysis)
    return re.findall("<li>(.*)</li>", page[page.index('<ul class="references">') : page.index("<h2>Flags")])


def page(table, start="<h1>", end="<footer>"):
    """Return the page of a screening as plain text."""
    with TemporaryDirectory() as folder:
        text = screening_report(table, f"{folder}/page.html", n_top=0).read_text(encoding="utf-8")
    return between(text, start, end)


def findings(table):
    return page(table, '<ul class="findings">', "<h2>")


def test_only_two_gaussians_have_an_interval_of_the_predicted_auc(analyze):
    """For another family the interval of the empirical AUC is not repeated, and the paragraph says so."""
    for family in ("auto", "boxcox"):
        analysis = analyze(np.exp(X / 4), family=family)
        _, empirical, predicted, _ = cells(analysis, "areas")
        assert re.fullmatch(r"0\.\d+ to 0\.\d+", empirical[2])
        assert predicted[2:] == ["not computed", ""]
        assert "No confidence interval was computed for the AUC of this prediction." in paragraph(analysis)
    analysis = analyze()
    assert cells(analysis, "areas")[2][3] == "pivotal"
    assert "No interval" not in paragraph(analysis)
    assert "generalized pivots of the means and standard deviations" in paragraph(analysis)
    text = section(analysis, "Area under the curve")
    assert "A small p-value is evidence that the AUC is not 0.5; the confidence interval shows how far" in text
    assert "may still be informative if the standard deviations of the classes differ." in text


def test_a_part_of_a_table_states_the_size_of_the_whole():
    """Numbers of rows and of tests of the first table, in any order of cutting; a note only where q does not hold."""
    noise = np.random.default_rng(8).normal(size=(80, 40))
    features = noise + np.outer(Y, np.r_[np.full(5, 2.0), np.zeros(35)])
    features[:, 39] = 1.0
    features[:, 38] = np.nan
    table = rp.screen(features, Y)
    for part in (table.top(10), table.sort("feature").top(10), table[::-1][:10], table[table["q_value"] < 2][:10]):
        assert (part.n_screened, part.n_tested) == (40, 39)
        text = page(part)
        assert "40 features were examined and 39 tested; this report shows 10. " in text
        assert "this holds for the whole screening, not for the part that is shown" in text
        assert "Screening of 10 of 40 features" in text
        assert "We examined how well 40 features separate" in text
        assert "; AUCs with 95% CI" in text
        assert "over all 39 features that were tested" in text
    by_auc = "10 of 40 features, sorted by the distance of the empirical AUC from 1/2; AUCs with 95% CI"
    assert by_auc in page(table.top(10))
    other = "10 of 40 features, in the order of the table of results from which this report was made; AUCs with 95% CI"
    assert other in page(table.sort("feature").top(10))
    assert "whole screening" not in findings(table)
    assert "whole screening" not in findings(table.in_input_order())
    assert "Evaluate selected features on new data" in findings(table.top(1))
    holm = findings(rp.screen(noise, Y, adjust="holm").top(10))
    assert "whole screening" not in holm
    assert "40 features were examined and 40 tested" in holm
    unadjusted = findings(rp.screen(noise, Y, adjust="none").top(10))
    assert "If no feature were informative, 2 of all 40 tested features would be expected" in unadjusted
    assert "not for the part that is shown" in findings(rp.screen(noise, Y, adjust="benjamini-yekutieli").top(10))


def test_crossings_are_named_only_if_they_matter(analyze):
    """Among the data only; not if both AUCs print alike; never of a shrunk estimate, which has no densities."""
    wide = _RNG.normal(size=80) * np.where(Y, 4.0, 1.0) + 0.3 * Y
    analysis = analyze(wide)
    text = section(analysis, "Best threshold")
    assert len(analysis.best_predicted.crossings) == 2
    assert "The densities cross more than once (within the range of these data, at" in text
    assert text.count("instead of") == 1
    assert "cross" not in section(analyze(wide, family="auto"), "Best threshold")
    alike = analyze(np.random.default_rng(2).normal(size=80) * np.where(Y, 1.05, 1.0) + 2 * Y)
    assert len(alike.best_predicted.crossings) == 2
    assert format_rate(alike.predicted.auc()) == format_rate(alike.predicted.proper().auc())
    assert "cross" not in section(alike, "Best threshold")
    x = np.random.default_rng(3).normal(size=80) * np.where(Y, 1.4, 1.0) + 1.2 * Y
    analysis = analyze(x)
    inside = [place for place in analysis.best_predicted.crossings if x.min() <= place <= x.max()]
    text = section(analysis, "Best threshold")
    assert text.count("cross more") == 1
    assert len(inside) == 1
    assert f"(within the range of these data, at {inside[0]:.4g});" in text


def test_the_formula_is_that_of_the_printed_area(analyze):
    """With direction "lower" the means are exchanged; in a screening, whose AUC is signed, they are not."""
    for direction, difference in (("lower", "m₀ - m₁"), ("higher", "m₁ - m₀")):
        analysis = analyze(direction=direction)
        assert f"AUC = Φ(({difference})/√" in paragraph(analysis)
        d = analysis.empirical.negative.sorted_sample, analysis.empirical.positive.sorted_sample
        z = (d[1].mean() - d[0].mean()) * (1 if direction == "higher" else -1) / np.hypot(*(x.std(ddof=1) for x in d))
        assert (analysis.predicted.auc() > 0.5) == (z > 0)
        assert "AUC = Φ((m₁ - m₀)/√" in page(rp.screen(X[:, None], Y, direction=direction))


def test_family_auto_has_no_flag_misfit():
    """The findings state the model weight instead, and the page what the column misfit is."""
    skewed = np.exp(2 * np.column_stack([X, _RNG.normal(size=80)]))
    table = rp.screen(skewed, Y, family="auto")
    low, high = (format_rate(float(bound(table["model_weight"]))) for bound in (np.min, np.max))
    assert low != high
    text = page(table)
    words = (
        'With family "auto", the flag "misfit" is not used, since a poorly fitting model gets less weight. Model '
        "weight:"
    )
    assert f"{words} {low} to {high}." in text
    assert 'has the flag "misfit"' not in findings(table)
    misfit = "Misfit is the mean absolute difference in TPR between the curve of the model, before shrinkage, and the"
    assert f"{misfit} empirical curve." in text
    gaussian = findings(rp.screen(np.column_stack([X, X]), Y))
    assert 'None of the 2 features with empirical results has the flag "misfit".' in gaussian


def test_the_paragraph_names_the_intervals_that_are_printed(analyze):
    """Those of the table of rates, the threshold's and the corrected Ameans; each with its reference."""
    analysis = analyze()
    printed = {row[3] for row in cells(analysis, "rates")[1:]} | {cells(analysis, "thresholds")[2][3]}
    assert printed == {"clopper-pearson", "newcombe-clopper-pearson", "test-inversion"}
    text = paragraph(analysis)
    for name in (
        "TPR, TNR, precision (PPV), NPV and accuracy (at the prevalence of the sample), with Clopper-Pearson",
        "Newcombe",
    ):
        assert name in text
    for name in ("Efron and Tibshirani", "optimism-corrected", "Kim and Pollard", "assume a fixed threshold"):
        assert name in text
    for name in ("Newcombe (1998)", "Clopper", "Efron", "Mann"):
        assert any(name in reference for reference in references(analysis))
    assert not any("Box" in reference for reference in references(analysis))
    analysis = analyze(stated_prevalence=0.1)
    assert [row[2:4] for row in cells(analysis, "rates")[4:]] == [["", ""]] * 3
    text = paragraph(analysis)
    assert "computed from the rates for a prevalence of 0.100, without confidence intervals." in text
    assert "TPR and TNR, with Clopper-Pearson intervals" in text


def test_only_methods_that_were_used_are_cited(analyze):
    for family, expected in (
        ("auto", set()),
        ("boxcox", {"Yeo", "Box,"}),
        ("yeojohnson", {"Yeo"}),
        ("gaussian", {"Green"}),
        ("histogram", set()),
    ):
        analysis = analyze(np.exp(X / 4), family=family)
        cited = " ".join(references(analysis))
        assert {name for name in ("Yeo", "Box,", "Green") if name in cited} == expected, family
        assert family != "boxcox" or "Yeo-Johnson" in paragraph(analysis)


def test_several_class_pairs():
    """Rows, each with its class pair, are not called features; their dependence is mentioned."""
    iris = rp.datasets.load_iris()
    table = rp.screen(iris.X, iris.y, feature_names=iris.feature_names)
    text = page(table)
    assert "of 12 tested comparisons have q" in text
    assert "comparisons with empirical results" in text
    assert re.search(r"misfit\" \(petal_length \(\w+ against rest\)", text)
    assert "The tests of the class pairs of one feature share observations, so the positive dependence" in text
    named = "setosa, versicolor, virginica, each against the other classes"
    assert (
        "We examined how well the feature discriminates between the two classes in 12 "
        f"combinations of feature and class pair ({named})" in text
    )
    assert "All 12 comparisons" in text
    assert "positively" not in findings(rp.screen(iris.X, iris.y, adjust="benjamini-yekutieli"))
    assert "use the same observations" not in findings(rp.screen(iris.X, iris.y, positive="setosa"))
    text = page(rp.screen(iris.X, iris.y, pairs="all"))
    assert "(versicolor against setosa, virginica against setosa, virginica against versicolor)" in text


def test_the_agreement_of_a_shrunk_estimate_is_little_evidence(analyze):
    """It is shrunk towards its own rows; the misfit of the model alone is mentioned only if it is large."""
    analysis = analyze(family="auto")
    verdict = analysis.verdict
    assert verdict.startswith("The shrunk estimate agrees with the data; this is weak evidence, because the estimate ")
    assert "deviates" not in verdict
    assert verdict in section(analysis, "Results")
    assert "samples from the shrunk estimate (which depends on the sample)" in paragraph(analysis)
    assert "samples from" not in paragraph(analyze())
    analysis = analyze(ODD, family="auto")
    assert analysis.model_fit.misfit_ratio > 1
    assert "; the model alone deviates from the data by more than sampling variation explains" in analysis.verdict


def test_missing_values_and_weights(analyze):
    """The assumption behind leaving rows out, and behind weights, is stated only if there are any."""
    lacking = np.where(np.arange(80) < 9, np.nan, X)
    rests = "this is valid only if, within each class, the probability that a value is missing does not"
    analysis = analyze(lacking)
    assert rests in between(page_of(analysis), "<h3>Assumptions", "<h3>")
    prevalence = "<dt>Prevalence</dt><dd>{}</dd>"
    assert prevalence.format(f"{format_rate(36 / 71)} (among the observations with a value)") in page_of(analysis)
    assert prevalence.format("0.500 (in the sample)") in page_of(analyze())
    assert rests not in between(page_of(analyze()), "<h3>Assumptions", "<h3>")
    text = page(rp.screen(lacking[:, None], Y))
    assert f"{rests} depend on the value. Features are therefore compared on different observations." in text
    weighted = "with sampling or inverse-probability weights, neither the confidence intervals nor the p-values"
    assert weighted in page(rp.screen(X[:, None], Y, weights=np.full(80, 2.0)))
    text = page(rp.screen(X[:, None], Y))
    assert rests not in text
    assert weighted not in text
    assert "over the one feature that was tested" in text


def test_family_empirical_predicts_nothing(analyze, tmp_path):
    """No row, column or sentence of a prediction that would repeat the empirical curve; one picture, no diagnosis."""
    path = tmp_path / "page.html"
    analysis = analyze(family="empirical")
    everything = [*cells(analysis, "areas"), *cells(analysis, "thresholds"), *cells(analysis, "rates")]
    assert not any("redicted" in cell for row in everything for cell in row)
    assert cells(analysis, "thresholds")[1][3] == "test-inversion"
    headings = ("Results", "Data and options", "Area under the curve", "Best threshold", "Rates at the empirical")
    assert not [heading for heading in headings if "redict" in section(analysis, heading)]
    verdict = "The ROC curve is empirical; the threshold with the highest Ameans was chosen from the same data."
    assert analysis.verdict == verdict
    assert verdict in paragraph(analysis)
    assert "redict" not in re.sub("rocpredict", "", paragraph(analysis))
    text = feature_report(X, Y, path, family="empirical", n_resamples=20).read_text(encoding="utf-8")
    assert text.count("<img") == 1
    assert "Rates at the empirical threshold" in text
    assert "redict" not in re.sub("rocpredict", "", re.sub("<[^>]*>", "", text[text.index("<main") :]))
    assert "<dt>Note</dt>" not in text
    options = {"n_resamples": 20, "notes": ["zeros <stand> for missing"]}
    text = feature_report(X, Y, path, family="empirical", **options).read_text(encoding="utf-8")
    place = text.index("<dt>Note</dt><dd>zeros &lt;stand&gt; for missing</dd>")
    assert text.index("Data and options") < place < text.index("Area under the curve")


def test_the_tests_of_top_features_and_of_the_others_are_named():
    """The hypothesis of each p, and that the data chose the test; nothing of it if all features have both AUCs."""
    x = np.column_stack([X, _RNG.normal(size=(80, 3))])
    assert (
        "Their p-values are from the Mann-Whitney test of equal class distributions; the p-values of "
        "the other features are from Welch's t-test of equal class means."
        in findings(rp.screen(x, Y, empirical="top", n_top=1))
    )
    whole = rp.screen(x, Y, empirical="top", n_top=4)
    assert "best predicted AUC" not in findings(whole)
    assert "Welch" not in findings(whole)
    assert "Welch" not in page(whole)


def test_no_sentence_contradicts_the_verdict(analyze):
    """The distance of a model from its rows is in the diagnosis only; of a shrunk estimate its weight is stated."""
    believed, rest = "Fit of the prediction", "the data have the remaining weight."
    for family in ("gaussian", "boxcox"):
        assert "this estimate" not in section(analyze(family=family), believed)
    assert "this estimate" not in section(analyze(family="empirical"), "Basis of the curve")
    analysis = analyze(family="auto")
    caption = (
        " Middle: normal scores of the observations; if the distribution fits a class, the points are near the "
        "diagonal line. At each expected score, the shaded band contains the points of 95% of the samples simulated "
        "from the fitted distribution."
    )
    text = section(analysis, believed).removeprefix(f"{believed} {analysis.verdict} ")
    assert text.endswith(caption)
    text = text.removesuffix(caption)
    weight = analysis.model_fit.model_weight
    whole = "The model weight of this estimate is 1; the data have no weight."
    assert text == (whole if weight == 1 else f"The model weight of this estimate is {format_rate(weight)}; {rest}")
    assert "sampling variation" not in text
    analysis = analyze(ODD, family="auto")
    assert 0 < analysis.model_fit.model_weight < 1
    stated = f"is {format_rate(analysis.model_fit.model_weight)}; {rest}{caption}"
    assert section(analysis, believed).endswith(stated)


def test_the_results_of_a_misfit_begin_with_the_empirical_threshold(analyze):
    """The rule of a good fit is the predicted one."""
    fits, misfits = analyze(), analyze(np.exp(X))
    assert [analysis.is_misfit for analysis in (fits, misfits)] == [False, True]
    assert f"Rule at the best predicted threshold: {fits.rule}. In" in section(fits, "Results")
    text, best = section(misfits, "Results"), misfits.best_empirical
    assert best.threshold != pytest.approx(misfits.best_predicted.threshold, rel=0.1)
    rates = f"its TPR (sensitivity) is {format_rate(best.tpr)} and its TNR (specificity) is {format_rate(best.tnr)}"
    rule = f"positive if x ≥ {format_numeral(best.threshold)}"
    assert f"Rule at the best empirical threshold: {rule}. In these data, {rates}. The prediction does not fit" in text
    assert misfits.rule not in text
    assert not analyze(family="empirical").is_misfit


def test_code_is_printed_as_prose():
    auto = "a weighted mean of empirical and model distributions (auto)"
    for code, prose in {
        "Do not rely on the curve of family='gaussian' here:": "Do not rely on the curve of the Gaussian model here:",
        "use family='boxcox' or family='auto'.": f"use a Box-Cox model, or {auto}.",
        "use family='auto' or rp.empirical_roc": f"use {auto}, or the empirical curve",
        "use rp.empirical_roc": "use the empirical curve",
        "There is no evidence against family='gamma'.": "There is no evidence against the gamma model.",
        "see roc.proper() and its best_rule()": "consider a rule with two thresholds, based on the likelihood ratio",
        "two thresholds may do better than one: see roc.proper().": "two thresholds may do better than one.",
        "use family='auto', or": f"use {auto}, or",
    }.items():
        assert message_to_prose(code) == prose


@pytest.mark.parametrize("family", ["gaussian", "auto", "gamma"])
def test_no_code_on_the_page_of_a_feature(tmp_path, monkeypatch, family):
    """No argument or function, anywhere; the verdict is that of the diagnosis that is drawn."""
    drawn = []
    monkeypatch.setattr(
        "rocpredict.reports.feature.plot_diagnosis", lambda fit, **_: drawn.append(fit) or Figure(figsize=(6, 3))
    )
    x = np.exp(1.5 * X) if family == "gamma" else np.r_[np.zeros(20), np.exp(1.5 * X[20:])]
    text = feature_report(x, Y, tmp_path / "page.html", family=family, n_resamples=20).read_text(encoding="utf-8")
    text = html.unescape(re.sub("<[^>]*>", "", text[text.index("<main") : text.index("<footer")]))
    assert not re.search(r"\w=['\"\w]|\brp\.|\(\)|roc\.\w|_roc\b", text.replace("n = ", ""))
    assert drawn[0].verdict in text


def test_the_paragraph_of_a_screening_states_the_sample_sizes():
    x = np.column_stack([X, X, X])
    words = "We examined how well 3 features separate 1 (positive, n = {}) from 0 (negative, n = {})."
    text = page(rp.screen(x, Y))
    assert words.format(40, 40) in text
    assert "omitted separately for each feature" not in text
    x[:7, 1] = np.nan
    text = page(rp.screen(x, Y))
    assert words.format("37 to 40", "36 to 40") + " Missing values were omitted separately for each feature." in text
    part = page(rp.screen(x, Y).top(0))
    assert "1 (positive) from 0 (negative); this report shows 0." in part


def test_features_are_not_called_rows_with_one_class_pair(tmp_path):
    table = rp.screen(np.column_stack([X, _RNG.normal(size=(80, 2)), np.full(80, np.nan)]), Y)
    text = screening_report(table, tmp_path / "page.html", n_top=1).read_text(encoding="utf-8")
    for words in (
        "All 4 features",
        "CI of the first 4 features.",
        "of each feature; on the line",
        "of 3 features: the mean absolute difference",
    ):
        assert words in text
    for words in ("Ranking of the first 4 features", "No result for 1 feature (", "in 1 feature of the table"):
        assert words in text
    assert not re.search(r"\d rows(?! were read)|each row;|the row ", text[text.index("<h1>") :])


def test_the_mean_and_sd_of_huge_values():
    """Values of 1e300, whose squares overflow, have the SD of a Gaussian fit; an infinite or single one has none."""
    x = np.array([1.0, 2.0, 4.0]) * 1e300
    assert mean_and_std(x) == (rp.Gaussian.fit(x).mean, rp.Gaussian.fit(x).std)
    assert np.isnan([mean_and_std(np.array([1.0]))[1], mean_and_std(np.array([1.0, np.inf]))[1]]).all()
