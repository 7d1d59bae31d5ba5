"""One convention for numbers: in reprs, the command line, reports and legends (``rocpredict.base.formatting``)."""

import html
import re

import numpy as np
import pytest

import rocpredict as rp
from rocpredict.base.formatting import (
    count_decimals,
    format_estimate,
    format_number,
    format_p_statement,
    format_p_value,
    format_rate,
)
from rocpredict.base.results import Interval
from rocpredict.plots import plot_diagnosis, plot_mean_roc, plot_roc
from tests.blank import leave_blank

_RNG = np.random.default_rng(4)
Y = np.repeat([0, 1], 40)
CLOSE = _RNG.normal(size=80) + Y
FAR = _RNG.normal(size=80) + 3.1 * Y
ESTIMATE = re.compile(r"\d\.\d{3,} \(9[05]% CI [<>]?\d\.\d{3,} to [<>]?\d\.\d{3,}\)")
DEVIATIONS = {
    "a space before the percent sign": r"\d % (CI|interval|confidence)",
    "an interval that is not called CI": r"\d% (interval|bounds)",
    "brackets or dashes about an interval": r"[\[(]\d\.\d+[,;–-] ?\d\.\d+[\])]",
    "a p-value of 0": r"\bp(-value)? ?=? ?0(\.0*)?(?![.\de])",
    "a p-value without spaces": r"\bp[=<]\d",
    "a p-value with more than three decimals in a sentence": r"\b[pq] = \d\.\d{4,}",
    "a p-value in scientific notation in a sentence": r"\b[pq] = \d\.?\d*e-",
}


def check(text):
    """Raise an AssertionError that names each deviation from the convention, with its text."""
    problems = [f"{name}: {match[0]!r}" for name, form in DEVIATIONS.items() for match in re.finditer(form, text)]
    assert not problems, problems


@pytest.mark.parametrize(
    "text",
    [
        "AUC 0.79 (95 % interval 0.75 to 0.82)",
        "AUC 0.79, 95% interval",
        "AUC 0.79 (0.75, 0.82)",
        "AUC 0.79 [0.75-0.82]",
        "p = 0.000",
        "p=0.01",
        "p = 0.01234",
        "p = 1.2e-09",
    ],
)
def test_each_deviation_is_found(text):
    with pytest.raises(AssertionError, match="'"):
        check(text)


def test_accepted_forms():
    check("AUC 0.788 (95% CI 0.752 to 0.819), p = 0.012, p < 0.001, q < 0.001, p = 1, 8 % of women, z = 1.2345")


def test_rates_are_0_or_1_only_if_they_are():
    assert [format_rate(x) for x in (0, 1e-9, 0.0004, 0.5, 0.9996, 1 - 1e-9, 1)] == [
        *("0.000", "<0.001", "<0.001", "0.500"),
        *(">0.999", ">0.999", "1.000"),
    ]
    assert [format_number(x) for x in (1, 1 - 1e-9, 1 - 1e-15, 0.99999, 1 + 1e-9)] == [
        "1",
        ">0.999999",
        "1",
        "0.99999",
        "1",
    ]
    assert format_number(0.99999, 4) == ">0.9999"


def test_an_estimate_has_as_many_decimals_as_keep_it_apart():
    for estimate, low, high, text in (
        (0.788, 0.752, 0.819, "0.788 (95% CI 0.752 to 0.819)"),
        (0.7884, 0.7881, 0.7886, "0.7884 (95% CI 0.7881 to 0.7886)"),
        (0.9996, 0.99, 0.99999, "0.9996 (95% CI 0.9900 to >0.9999)"),
        (1.0, 0.912, 1.0, "1.000 (95% CI 0.912 to 1.000)"),
        (0.0, 0.0, 0.3, "0.000 (95% CI 0.000 to 0.300)"),
        (1 - 1e-12, 1 - 1e-10, 1.0, ">0.999999 (95% CI >0.999999 to 1.000000)"),
    ):
        assert format_estimate(estimate, (low, high), 0.95) == text
    assert count_decimals(0.5, 0.4999, 0.6) == 4
    assert format_estimate(0.788, (0.752, 0.819)) == "0.788 (0.752 to 0.819)"
    assert format_estimate(0.788, (np.nan, 1.0), 0.95) == "0.788"


def test_p_values_in_sentences_and_tables():
    values = (0, 1e-9, 0.001, 0.0123, 0.05, 0.0499, 0.25, 0.999, 1)
    assert [format_p_statement(p) for p in values] == [
        *("p < 0.001", "p < 0.001", "p = 0.001", "p = 0.012", "p = 0.050", "p = 0.050", "p = 0.25", "p > 0.99", "p = 1")
    ]
    assert format_p_statement(1e-5, "q") == "q < 0.001"
    assert [format_p_value(p) for p in (0, 4.8123e-5, 0.0123)] == ["<1e-300", "4.8e-05", "0.012"]


def test_reprs_show_1_only_if_it_is():
    """An AUC of 1 - 3e-10 in curves, results and intervals."""
    roc = rp.PredictedRoc.from_stats(mean=(0, 8.8), std=(1, 1))
    assert 0 < roc.auc_complement() < 1e-9
    for item in (roc, roc.proper(), roc.proper().gain(), Interval(0.5, roc.auc(), 0.95, "delta", 0.9)):
        assert re.search(r">0\.999999", repr(item)), item
        assert not re.search(r"auc=1\b|to 1\b", repr(item)), item
    best = roc.best_threshold()
    assert ("ameans=1," in repr(best)) == (best.ameans == 1)


def test_reprs_and_tables_follow_the_convention():
    empirical, predicted = rp.empirical_roc(CLOSE, Y), rp.predict_roc(CLOSE, Y)
    comparison = rp.compare(predicted, empirical)
    mean = rp.mean_roc([(CLOSE, Y), (FAR, Y)])
    diagnosis = rp.diagnose(CLOSE, Y, n_resamples=20, rng=0)
    screening = rp.screen(np.column_stack([CLOSE, FAR]), Y)
    for result in (empirical.auc_interval(), comparison, mean, diagnosis, screening, empirical.best_threshold()):
        for text in (repr(result), result.table().to_text(), html.unescape(result._repr_html_())):
            check(text)
    assert ESTIMATE.search(comparison.table().to_text())
    assert ESTIMATE.search(mean.table().to_text())


def test_the_command_line_follows_the_convention(run):
    for command in (
        "predict --mean 4 8 --std 3 2 --count 60 40",
        "compare iris --positive virginica --negative versicolor --feature petal_length",
        "compare pima --feature glucose --feature mass",
        "screen pima",
        "diagnose pima --feature age --resamples 20",
    ):
        code, out, err = run(command)
        assert code == 0, err
        check(f"{out}\n{err}")


def test_legends_follow_the_convention():
    rocs = [rp.empirical_roc(x, Y) for x in (CLOSE, FAR)]
    mean = rp.mean_roc([(CLOSE, Y), (FAR, Y)])
    axes = [plot_roc(*rocs, test=rp.auc_test(*rocs)), plot_mean_roc(mean), rp.screen(np.c_[CLOSE, FAR], Y).plot()]
    axes += plot_diagnosis(rp.diagnose(CLOSE, Y, n_resamples=20, rng=0)).axes
    legends = [ax.get_legend() for ax in axes if ax.get_legend()]
    texts = [text.get_text() for legend in legends for text in legend.get_texts()]
    check("\n".join(texts))
    assert any(ESTIMATE.search(text) for text in texts)
    assert any(re.search(r"p (=|<) \d", text) for text in texts)


def test_reports_follow_the_convention(tmp_path, monkeypatch):
    leave_blank(monkeypatch)
    feature = rp.reports.feature_report(CLOSE, Y, tmp_path / "feature.html", feature="x", n_resamples=20)
    screening = rp.reports.screening_report(rp.screen(np.c_[CLOSE, FAR], Y), tmp_path / "screening.html", n_top=0)
    for path in (feature, screening):
        page = re.sub(r"<(style|script).*?</\1>", "", path.read_text("utf-8"), flags=re.DOTALL)
        text = html.unescape(re.sub(r"<[^>]+>", " ", page))
        check(text)
        assert ESTIMATE.search(text)
