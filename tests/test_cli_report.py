"""``rocpredict report`` and ``rocpredict screen --report``: the library's pages, from files."""

import json
from functools import partial

import pytest

import rocpredict as rp
from rocpredict.reports.feature import feature_report
from rocpredict.reports.screening import screening_report
from tests.blank import leave_blank


@pytest.fixture
def run(run, monkeypatch, tmp_path):
    """Run the command line in a folder of its own, with white pictures."""
    monkeypatch.chdir(tmp_path)
    leave_blank(monkeypatch)
    return partial(run, "")


GLUCOSE = ("report", "pima", "--feature", "glucose", "--nan", "omit", "--resamples", 20, "--date", "2026-11-21")


def test_the_page_is_that_of_the_library(run, tmp_path):
    words = ("--prevalence", 0.1, "--level", 0.9, "--unit", "mg/dL", "--seed", 3, "--out", "a.html")
    note = "pima: zeros in glucose stand for missing values. These zeros are treated as missing"
    remedy = "To keep them as values, use --nan raise (zeros are not NaN, so no error is raised)."
    out = f"a.html: a report on glucose\n{note}. {remedy}\n"
    assert run(*GLUCOSE, *words) == (0, out, "")
    pima = rp.datasets.load_pima(zeros_as_missing=True)
    options = {"feature": "glucose", "unit": "mg/dL", "positive": "pos", "nan_policy": "omit", "level": 0.9}
    options |= {"prevalence": 0.1, "rng": 3, "n_resamples": 20, "date": "2026-11-21", "notes": [f"{note}."]}
    feature_report(pima.column("glucose"), pima.y, "b.html", **options)
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


def test_zeros_that_may_be_missing_values_are_mentioned(run, tmp_path):
    """On the page without an option, on the command line with it; not for a feature that has none."""
    words = ("--resamples", 20, "--out", "a.html")
    note = "pima: zeros in insulin stand for missing values. These zeros are kept as values"
    out = run("report", "pima", "--feature", "insulin", *words)[1]
    assert out == f"a.html: a report on insulin\n{note} (use --nan omit to omit these observations).\n"
    text = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert f"<dt>Note</dt><dd>{note}.</dd>" in text
    assert "--nan" not in text[text.index("</style>") :]
    assert run("report", "pima", "--feature", "age", *words)[1] == "a.html: a report on age\n"
    assert "<dt>Note</dt>" not in (tmp_path / "a.html").read_text(encoding="utf-8")


def test_a_csv_file(run, tmp_path):
    """A file with a hostile name in its header; JSON says where the page is."""
    rows = "\n".join(f"{k % 7 + 3 * (k % 2)},{k % 2}" for k in range(60))
    (tmp_path / "d.csv").write_text(f"<script>x</script>,sick\n{rows}\n", encoding="utf-8")
    words = ("--label", "sick", "--positive", "1", "--feature", "<script>x</script>", "--resamples", 20)
    result = json.loads(run("report", "d.csv", *words, "--out", "d.html", "--json")[1])
    assert result == {"feature": "<script>x</script>", "report": "d.html"}
    assert "<script>" not in (tmp_path / "d.html").read_text(encoding="utf-8")


def test_a_refusal_is_one_line(run, tmp_path):
    """Exit code 2, one line, no file; an unwritable page is refused before the data are read."""
    glucose = ("pima", "--feature", "glucose")
    for message, words in {
        "--out": ("report", *glucose),
        "report needs one feature, but 8 are selected": ("report", "pima", "--out", "a.html"),
        "none/a.html cannot be written": ("report", *glucose, "--out", "none/a.html"),
        "--prevalence": ("report", *glucose, "--out", "a.html", "--prevalence", "2"),
        "is not a date": ("report", *glucose, "--out", "a.html", "--date", "soon"),
        "a.html cannot be written": ("screen", "none.csv", "--label", "y", "--report", "none/a.html"),
    }.items():
        code, out, err = run(*words)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert message in err
    assert list(tmp_path.iterdir()) == []


def test_a_screening_as_a_page(run, tmp_path):
    """The library's page of the same rows, or features with one class pair; CSV on stdout stays CSV."""
    words = ("screen", "iris", "--positive", "virginica", "--negative", "versicolor", "--report", "a.html")
    width = ("--feature", "petal_width")
    code, out, _ = run(*words, *width, "--top", 1)
    assert code == 0
    assert out.endswith("a.html: a report on 1 feature\n")
    iris = rp.datasets.load_iris()
    data = {"petal_width": iris.column("petal_width")}
    table = rp.screen(data, iris.y, positive="virginica", negative="versicolor")
    screening_report(table, "b.html", data=(data, iris.y))
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()
    several = ("screen", "iris", *width, "--report", "a.html")
    assert run(*several)[1].endswith("a.html: a report on 3 rows\n")
    both = (*several, "--feature", "petal_length", "--positive", "setosa")
    assert run(*both)[1].endswith("a.html: a report on 2 features\n")
    assert run(*words, *width, "--sort", "q_value", "--format", "csv")[1] == table.sort("q_value").to_csv()
