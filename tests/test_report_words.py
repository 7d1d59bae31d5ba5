"""Reports say no more than was done: each sentence that a reader could take wrongly, without the pictures."""

import html
import re
from tempfile import TemporaryDirectory

import numpy as np
import pytest

import rocpredict as rp
from rocpredict.base.formatting import format_rate
from rocpredict.reports.feature import FeatureAnalysis, feature_report, mean_and_std, template_context
from rocpredict.reports.report import Image, message_to_prose, render
from rocpredict.reports.screening import screening_report
from tests.blank import leave_blank

Y = np.arange(80) % 2
_RNG = np.random.default_rng(11)
X = _RNG.normal(size=80) * np.where(Y, 1.6, 1.0) + Y
VERSIONS = (("rocpredict", "0"), ("numpy", "0"))
DEFAULTS = {"feature": "width", "unit": None, "positive": 1, "negative": None, "family": "gaussian", "direction": None}
DEFAULTS |= {"nan_policy": "omit", "level": 0.95, "stated_prevalence": None, "n_resamples": 20, "seed": 0}


@pytest.fixture(scope="module")
def of_feature():
    """Give a function for all that is said of one feature; each question is asked once."""
    known = {}

    def said(x=X, **options):
        key = (x.tobytes(), *options.items())
        if key not in known:
            known[key] = FeatureAnalysis(x, Y, **DEFAULTS | options)
        return known[key]

    return said


def cells(asked, name):
    """Give a table as texts: a list for each row."""
    grid = template_context(asked)[name]
    return [list(grid.columns), *([str(cell) for cell in row] for row in grid.cells())]


def page_of(asked):
    """Return the page of a feature without its pictures."""
    blank = Image("", 1, 1)
    context = template_context(asked) | {"picture": blank, "diagnosis_picture": blank, "title": None, "notes": ()}
    return render("feature.html", **context, versions=VERSIONS, date="2026-11-21", seed="0", sha256="")


def plain(page):
    """Return HTML as plain text on one line."""
    return " ".join(html.unescape(re.sub("<[^>]+>", "", page)).split())


def between(page, start, end):
    """Return the plain text from one piece of a page up to the next other one."""
    start = page.index(start)
    return plain(page[start : page.index(end, start + 1)])


def section(asked, heading):
    """Return the sentences under a heading, without its tables."""
    page = re.sub(r'<div class="scroll".*?</div>', "", page_of(asked), flags=re.DOTALL)
    return between(page, f"<h2>{heading}", "<h2>")


def assumptions(asked):
    return between(page_of(asked), "<h3>What the answers rest on", "<h3>")


def paragraph(asked):
    return between(page_of(asked), "<blockquote>", "</blockquote>")


def references(asked):
    """Return the references, one each."""
    page = page_of(asked)
    return re.findall("<li>(.*)</li>", page[page.index('<ul class="references">') : page.index("<h2>Flags")])


def screened(x, y=Y, **options):
    return rp.screen(x, y, **options)


def found(table):
    """Return the headlines as plain text."""
    with TemporaryDirectory() as folder:
        text = screening_report(table, f"{folder}/page.html", n_top=0).read_text(encoding="utf-8")
    return between(text, '<ul class="findings">', "<h2>")


def page(table, folder):
    """Give the page of a screening, without pictures, as plain text."""
    text = screening_report(table, folder / "page.html", n_top=0).read_text(encoding="utf-8")
    return between(text, "<h1>", "<footer>")


@pytest.mark.parametrize("family", ["auto", "boxcox"])
def test_the_interval_of_the_count_is_not_printed_as_that_of_a_prediction(of_feature, family):
    """Of a family other than Gaussians there is none, and the paragraph says so."""
    asked = of_feature(np.exp(X / 4), family=family)
    _, empirical, predicted, _ = cells(asked, "areas")
    assert re.fullmatch(r"0\.\d+ to 0\.\d+", empirical[2])
    assert predicted[2:] == ["none of its own", ""]
    assert "No interval is given for the AUC of this prediction." in paragraph(asked)


def test_two_gaussians_have_an_interval_of_their_own(of_feature):
    asked = of_feature()
    assert cells(asked, "areas")[2][3] == "delta"
    assert "No interval" not in paragraph(asked)
    assert "delta method on the threshold's own scale" in paragraph(asked)


def test_a_part_of_a_table_says_of_how_many(tmp_path):
    """The first table's numbers of rows and of tests are kept by each part, in whatever order it was cut."""
    noise = np.random.default_rng(8).normal(size=(80, 40)) + np.outer(Y, np.r_[np.full(5, 2.0), np.zeros(35)])
    noise[:, 39] = 1.0
    noise[:, 38] = np.nan
    table = screened(noise)
    for part in (table.top(10), table.sort("feature").top(10), table[::-1][:10], table[table["q_value"] < 2][:10]):
        assert (part.n_screened, part.n_tested) == (40, 39)
        assert "40 features were examined and 39 tested; this report shows 10. " in found(part)
        assert "the promise holds for all features called so in the whole screening, not for this part" in found(part)
    assert "whole screening" not in found(table)
    assert "whole screening" not in found(table.in_input_order())
    text = page(table.top(10), tmp_path)
    assert "Screening of 10 of 40 features" in text
    assert "40 features were examined for how well they separate" in text
    assert "this report shows 10" in text
    assert "10 of 40 features, in the order of the table; AUCs with their 95 % intervals" in text
    assert "over all 39 features that were tested" in text
    assert "Judge chosen features on new cases" in found(table.top(1))


def test_a_part_and_the_other_adjustments():
    """The chance of any false call holds for a part too; what is not adjusted is of all tests."""
    noise = np.random.default_rng(8).normal(size=(80, 40))
    holm = found(screened(noise, adjust="holm").top(10))
    assert "whole screening" not in holm
    assert "40 features were examined and 40 tested" in holm
    assert "of all 40 that were tested so many as 2 would be" in found(screened(noise, adjust="none").top(10))
    assert "not for this part" in found(screened(noise, adjust="benjamini-yekutieli").top(10))


def test_crossings_are_named_where_they_are_and_matter(of_feature):
    """Among the data only; not where both AUCs print alike; never of a shrunk estimate, which has no densities."""
    wide = _RNG.normal(size=80) * np.where(Y, 4.0, 1.0) + 0.3 * Y
    asked = of_feature(wide)
    said = section(asked, "Best threshold")
    assert len(asked.best_predicted.crossings) == 2
    assert "The densities cross more than once, among the values of these data at" in said
    assert said.count("instead of") == 1
    assert "cross" not in section(of_feature(wide, family="auto"), "Best threshold")
    alike = of_feature(np.random.default_rng(2).normal(size=80) * np.where(Y, 1.05, 1.0) + 2 * Y)
    assert len(alike.best_predicted.crossings) == 2
    assert format_rate(alike.predicted.auc()) == format_rate(alike.predicted.proper().auc())
    assert "cross" not in section(alike, "Best threshold")


def test_a_crossing_beyond_the_data_is_not_named(of_feature):
    x = np.random.default_rng(3).normal(size=80) * np.where(Y, 1.4, 1.0) + 1.2 * Y
    asked = of_feature(x)
    inside = [place for place in asked.best_predicted.crossings if x.min() <= place <= x.max()]
    said = section(asked, "Best threshold")
    assert said.count("cross more") == 1
    assert len(inside) == 1
    assert f"among the values of these data at {inside[0]:.4g};" in said


@pytest.mark.parametrize(("direction", "difference"), [("lower", "m₀ - m₁"), ("higher", "m₁ - m₀")])
def test_the_formula_is_that_of_the_printed_area(of_feature, tmp_path, direction, difference):
    """With positives that lie lower the means change places; in a screening, whose AUC is signed, they do not."""
    asked = of_feature(direction=direction)
    assert f"AUC = Φ(({difference})/√" in paragraph(asked)
    d = asked.empirical.negative.sorted_sample, asked.empirical.positive.sorted_sample
    z = (d[1].mean() - d[0].mean()) * (1 if direction == "higher" else -1) / np.hypot(*(x.std(ddof=1) for x in d))
    assert (asked.predicted.auc() > 0.5) == (z > 0)
    assert "AUC = Φ((m₁ - m₀)/√" in page(screened(X[:, None], direction=direction), tmp_path)


def test_family_auto_has_no_misfit_to_raise(tmp_path):
    """It says how far the estimate moved instead, and what the column misfit then is."""
    skewed = np.exp(2 * np.column_stack([X, _RNG.normal(size=80)]))
    table = screened(skewed, family="auto")
    low, high = (format_rate(float(end(table["model_weight"]))) for end in (np.min, np.max))
    assert low != high
    assert (
        "Under family auto no flag misfit is raised: the estimate moves to the cases instead; the share of the model "
        f"is {low} to {high}." in found(table)
    )
    assert "has the flag misfit" not in found(table)
    assert "Misfit is the mean distance of the model's curve, before shrinking, from the empirical one." in page(
        table, tmp_path
    )
    assert "None of 2 counted features has the flag misfit." in found(screened(np.column_stack([X, X])))


def test_the_paragraph_names_the_intervals_that_are_printed(of_feature):
    """Those of the table of rates, the threshold's and the out-of-bag mean; each with its reference."""
    asked = of_feature()
    printed = {row[3] for row in cells(asked, "rates")[1:]} | {cells(asked, "thresholds")[2][3]}
    assert printed == {"clopper-pearson", "newcombe-wilson", "bootstrap"}
    told = paragraph(asked)
    for name in ("TPR, TNR, PPV, NPV and accuracy (at the prevalence of the sample) with Clopper-Pearson", "Newcombe"):
        assert name in told
    for name in ("Wilson", "Efron and Tibshirani", "out of bag", "take the threshold as fixed"):
        assert name in told
    for name in ("Newcombe (1998)", "Wilson (1927)", "Clopper", "Efron", "Mann"):
        assert any(name in reference for reference in references(asked))
    assert not any("Box" in reference for reference in references(asked))


def test_with_a_prevalence_there_is_no_interval_of_what_goes_with_it(of_feature):
    asked = of_feature(stated_prevalence=0.1)
    assert [row[2:4] for row in cells(asked, "rates")[4:]] == [["", ""]] * 3
    told = paragraph(asked)
    assert "computed from the rates for a prevalence of 0.100, without intervals." in told
    assert "TPR, TNR with Clopper-Pearson intervals" in told


@pytest.mark.parametrize(
    ("family", "cited"),
    [
        ("auto", {"Yeo", "Box"}),
        ("boxcox", {"Yeo", "Box"}),
        ("yeojohnson", {"Yeo"}),
        ("gaussian", {"Green"}),
        ("histogram", set()),
    ],
)
def test_only_what_a_sentence_uses_is_cited(of_feature, family, cited):
    asked = of_feature(np.exp(X / 4), family=family)
    cited_there = " ".join(references(asked))
    assert {name for name in ("Yeo", "Box,", "Green") if name in cited_there} == {
        {"Box": "Box,"}.get(name, name) for name in cited
    }
    assert not family.startswith(("auto", "boxcox")) or "Yeo-Johnson" in paragraph(asked)


def test_several_class_pairs():
    """Rows and not features, each with its class pair; what Benjamini and Hochberg ask of dependence is not known."""
    iris = rp.datasets.load_iris()
    table = screened(iris.X, iris.y, feature_names=iris.feature_names)
    said = found(table)
    assert "of 12 tested rows have q" in said
    assert "counted rows" in said
    assert re.search(r"misfit \(petal_length \(\w+ against rest\)", said)
    assert "class pairs of one feature share cases and are not known to be positively dependent: benjamini-yek" in said
    assert "positively" not in found(screened(iris.X, iris.y, adjust="benjamini-yekutieli"))
    assert "share cases" not in found(screened(iris.X, iris.y, positive="setosa"))


def test_several_class_pairs_in_the_paragraph(tmp_path):
    iris = rp.datasets.load_iris()
    text = page(screened(iris.X, iris.y), tmp_path)
    named = "setosa, versicolor, virginica, each against the other classes"
    assert f"In 12 pairs of feature and class pair ({named}) it was examined how well the feature separates" in text
    text = page(screened(iris.X, iris.y, pairs="all"), tmp_path)
    assert "(versicolor against setosa, virginica against setosa, virginica against versicolor)" in text


def test_that_a_shrunk_estimate_agrees_is_little_evidence(of_feature):
    """It is drawn to its own rows; where its model lies far off, that is said beside it."""
    asked = of_feature(family="auto")
    verdict = asked.verdict
    assert verdict.startswith("The shrunk estimate agrees with the rows it was drawn towards, which is little evidence")
    assert "farther" not in verdict
    assert verdict in section(asked, "What was found")
    assert "samples drawn from the shrunk estimate (in part the sample itself)" in paragraph(asked)
    assert "drawn from" not in paragraph(of_feature())
    third = np.arange(80) // 2 % 3 == 0
    odd = np.where(Y, np.where(third, 0.0, 1.0), np.where(third, -0.5, 0.5)) + _RNG.normal(size=80) / 20
    asked = of_feature(odd, family="auto")
    assert asked.model_fit.misfit_ratio > 1
    assert "; its model alone lies farther off than chance" in asked.verdict


def test_missing_values(of_feature, tmp_path):
    """What leaving rows out rests on is said where some were left out, and nowhere else."""
    lacking = np.where(np.arange(80) < 9, np.nan, X)
    rests = "Rows without a value were left out; this is right only if, within each class, whether a value is missing"
    asked = of_feature(lacking)
    assert rests in assumptions(asked)
    prevalence = "<dt>Prevalence</dt><dd>{}</dd>"
    assert prevalence.format(f"{format_rate(36 / 71)}, that of the rows with a value") in page_of(asked)
    assert prevalence.format("0.500, that of the sample") in page_of(of_feature())
    assert rests not in assumptions(of_feature())
    text = page(screened(lacking[:, None]), tmp_path)
    assert f"{rests} has nothing to do with the value, so features are compared on different cases." in text
    assert rests not in page(screened(X[:, None]), tmp_path)


def test_family_empirical_predicts_nothing(of_feature):
    """No row, column or sentence of a prediction that would repeat the count."""
    asked = of_feature(family="empirical")
    everything = [*cells(asked, "areas"), *cells(asked, "thresholds"), *cells(asked, "rates")]
    assert not any("redicted" in cell for row in everything for cell in row)
    assert cells(asked, "thresholds")[1][3] == "bootstrap"
    headings = ("What was found", "What was asked", "Area under the curve", "Best threshold", "Rates at the empirical")
    assert not [heading for heading in headings if "redict" in section(asked, heading)]
    said = "The ROC curve is that of the rows; the threshold with the highest Ameans was chosen on them."
    assert asked.verdict == said
    assert said in paragraph(asked)
    assert "redict" not in re.sub("rocpredict", "", paragraph(asked))


def test_the_page_of_family_empirical(tmp_path, monkeypatch):
    """It is written, with one picture and no diagnosis."""
    leave_blank(monkeypatch)
    path = feature_report(X, Y, tmp_path / "page.html", family="empirical")
    text = path.read_text(encoding="utf-8")
    assert text.count("<img") == 1
    assert "Rates at the empirical threshold" in text
    assert "redict" not in re.sub("rocpredict", "", re.sub("<[^>]*>", "", text[text.index("<main") :]))


def test_weights_are_numbers_of_cases(tmp_path):
    """Said where rows had weights, and nowhere else."""
    rests = "with sampling or inverse-probability weights neither the intervals nor the p-values hold."
    assert rests in page(screened(X[:, None], weights=np.full(80, 2.0)), tmp_path)
    assert rests not in page(screened(X[:, None]), tmp_path)


def test_features_that_were_counted_because_they_came_first(tmp_path):
    """Which hypothesis a p is of, and that the data chose; nothing of it where all were counted."""
    x = np.column_stack([X, _RNG.normal(size=(80, 3))])
    said = found(screened(x, empirical="top", n_top=1))
    assert (
        "1 of 4, those with the best predicted AUC, were counted. For these p is of the hypothesis that both classes "
        "have the same distribution (Mann-Whitney), for the others that the class means are equal (Welch); which test "
        "a feature got depended on these data." in said
    )
    whole = screened(x, empirical="top", n_top=4)
    assert "best predicted AUC" not in found(whole)
    assert "beside" not in found(whole)
    assert "Welch" not in page(whole, tmp_path)


def test_what_a_small_p_says(of_feature):
    said = section(of_feature(), "Area under the curve")
    assert "A small p says that the AUC is not 0.5, not how far it is from it: for that read the interval." in said
    assert "A feature may tell something at an AUC of 0.5, where the spreads differ." in said


_BELIEVED = "Can the prediction be believed?"
_REST = "the rest is the sample's own."


def test_nothing_contradicts_the_verdict(of_feature):
    """How far a model lies from its rows is the diagnosis's to say; of a shrunk estimate its share is told beside."""
    for family in ("gaussian", "boxcox"):
        assert "this estimate" not in section(of_feature(family=family), _BELIEVED)
    assert "this estimate" not in section(of_feature(family="empirical"), "What the curve rests on")
    asked = of_feature(family="auto")
    said = section(asked, _BELIEVED).removeprefix(f"{_BELIEVED} {asked.verdict} ")
    part = asked.model_fit.model_weight
    whole = "All of this estimate is the model's."
    assert said == (whole if part == 1 else f"The share of the model in this estimate is {format_rate(part)}; {_REST}")
    assert "chance" not in said


def test_the_share_of_a_model_that_is_not_all(of_feature):
    third = np.arange(80) // 2 % 3 == 0
    odd = (
        np.where(Y, np.where(third, 0.0, 1.0), np.where(third, -0.5, 0.5))
        + np.random.default_rng(3).normal(size=80) / 20
    )
    asked = of_feature(odd, family="auto")
    assert 0 < asked.model_fit.model_weight < 1
    assert section(asked, _BELIEVED).endswith(f"is {format_rate(asked.model_fit.model_weight)}; {_REST}")


@pytest.mark.parametrize(
    ("code", "prose"),
    [
        ("Do not rely on the curve of family='gaussian' here:", "Do not rely on the curve of the Gaussian model here:"),
        ("use family='boxcox' or family='auto'.", "use a Box-Cox model or a model shrunk to the rows (auto)."),
        ("use family='auto' or rp.empirical_roc", "use a model shrunk to the rows (auto) or the empirical curve"),
        ("use rp.empirical_roc", "use the empirical curve"),
        ("Nothing speaks against family='gamma' here.", "Nothing speaks against the gamma model here."),
        ("see roc.proper() and its best_rule()", "consider two thresholds, by the ratio of the densities"),
        (
            "here; two thresholds may do better than one: see roc.proper().",
            "here; two thresholds may do better than one.",
        ),
        ("lean on the rows by family='auto', or", "lean on the rows by a model shrunk to the rows (auto), or"),
    ],
)
def test_code_in_prose(code, prose):
    assert message_to_prose(code) == prose


@pytest.mark.parametrize("family", ["gaussian", "auto", "gamma"])
def test_no_code_on_the_page_of_a_feature(tmp_path, monkeypatch, family):
    """Neither an argument nor a function, wherever; nor in the heading of the picture of the diagnosis."""
    leave_blank(monkeypatch)
    drawn = []
    monkeypatch.setattr("rocpredict.reports.feature.plot_diagnosis", lambda found, **_: drawn.append(found) or _blank())
    x = np.exp(1.5 * X) if family == "gamma" else np.r_[np.zeros(20), np.exp(1.5 * X[20:])]
    text = feature_report(x, Y, tmp_path / "page.html", family=family, n_resamples=20).read_text(encoding="utf-8")
    text = html.unescape(re.sub("<[^>]*>", "", text[text.index("<main") : text.index("<footer")]))
    assert not re.search(r"\w=['\"\w]|\brp\.|\(\)|roc\.\w|_roc\b", text.replace("n = ", ""))
    assert drawn[0].verdict in text


def _blank():
    from matplotlib.figure import Figure

    return Figure(figsize=(6, 3))


def test_notes_stand_under_what_was_asked(tmp_path, monkeypatch):
    """As text, whatever they hold; none where none was given."""
    leave_blank(monkeypatch)
    path = tmp_path / "page.html"
    text = feature_report(X, Y, path, n_resamples=20, notes=["zeros <stand> for missing"]).read_text(encoding="utf-8")
    place = text.index("<dt>Note</dt><dd>zeros &lt;stand&gt; for missing</dd>")
    assert text.index("What was asked") < place < text.index("Densities and curves")
    assert "<dt>Note</dt>" not in feature_report(X, Y, path, n_resamples=20).read_text(encoding="utf-8")


def test_the_paragraph_of_a_screening_has_the_numbers_of_cases(tmp_path):
    """A range where they differ by feature, and then why they do."""
    x = np.column_stack([X, X, X])
    said = "3 features were examined for how well they separate 1 (positive, n = {}) from 0 (negative, n = {})."
    text = page(screened(x), tmp_path)
    assert said.format(40, 40) in text
    assert "left out feature by feature" not in text
    x[:7, 1] = np.nan
    text = page(screened(x), tmp_path)
    assert said.format("37 to 40", "36 to 40") + " Missing values were left out feature by feature." in text
    part = page(screened(x).top(0), tmp_path)
    assert "1 (positive) from 0 (negative); this report shows 0." in part


def test_rows_are_cases_where_there_is_one_class_pair(tmp_path, monkeypatch):
    """Features are called features, in captions, alt texts and sentences; with several class pairs a row is a pair."""
    leave_blank(monkeypatch)
    x = np.column_stack([X, _RNG.normal(size=(80, 2)), np.full(80, np.nan)])
    table = screened(x)
    text = screening_report(table, tmp_path / "page.html", n_top=1).read_text(encoding="utf-8")
    for said in ("All 4 features", "The first 4 features with", "of each feature; on", "of 3 features: they differ"):
        assert said in text
    for said in ("Ranking of the first 4 features", "No answer for 1 feature (", "in 1 feature of the table"):
        assert said in text
    assert not re.search(r"\d rows(?! were read)|each row;|the row ", text[text.index("<h1>") :])
    assert "over the one feature that was tested" in page(screened(X[:, None]), tmp_path)
    iris = rp.datasets.load_iris()
    assert "All 12 rows" in page(screened(iris.X, iris.y), tmp_path)


def test_the_spread_of_huge_values_is_the_library_s():
    """Values of 1e300, whose squares overflow, have the SD of a Gaussian fit; an infinite or single one has none."""
    x = np.array([1.0, 2.0, 4.0]) * 1e300
    assert mean_and_std(x) == (rp.Gaussian.fit(x).mean, rp.Gaussian.fit(x).std)
    assert np.isnan([mean_and_std(np.array([1.0]))[1], mean_and_std(np.array([1.0, np.inf]))[1]]).all()
