"""The command line: what it prints, its exit codes, and one line for each broken file."""

import json
import re
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import rocpredict as rp
from rocpredict.base.formatting import to_json
from rocpredict.cli import main
from tests.cases import check_each

PAPER = "predict --mean 4 8 --std 3 2"
AGE = "compare pima --feature age"
OUTCOME = "--label outcome --positive sick --feature"


def strict_json(out):
    """Parsed JSON without NaN and infinities."""
    return json.loads(out, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))


@pytest.fixture(autouse=True)
def csv(tmp_path, monkeypatch):
    """A folder with a small table, with one missing value."""
    monkeypatch.chdir(tmp_path)
    rows = ["size,weight,outcome", "1.0,5,well", "2.5,4,well", "2.0,3,sick", "3.5,,sick", "4.0,1,sick"]
    Path("data.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")


# ---- predict
def test_predict_prints_the_papers_example(run):
    """AUC, threshold, both crossings, the hook, every rate; intervals where there are counts."""
    code, out, err = run(PAPER)
    assert (code, err) == (0, "")
    for words in ("0.866371", "5.82611, 16.5739", "0.795054", "x >= threshold", "below the chance line", "0.861469"):
        assert words in out
    assert "Precision, accuracy and other measures that depend on prevalence need --prevalence or --count." in out
    assert "confidence intervals" not in out
    assert "confidence intervals" in run(PAPER, "--count", 60, 40)[1]


def test_predict_json_equals_the_library(run):
    code, out, _ = run(PAPER, "--count", 60, 40, "--level", 0.9, "--json")
    roc = rp.PredictedRoc.from_stats(mean=(4, 8), std=(3, 2), count=(60, 40))
    best, answer = roc.best_threshold(), strict_json(out)
    assert code == 0
    assert (answer["auc"], answer["proper_auc"]) == (roc.auc(), roc.proper().auc())
    assert answer["best_threshold"]["threshold"] == best.threshold
    assert answer["best_threshold"]["crossings"] == best.crossings.tolist()
    assert answer["at"]["rates"]["precision"] == roc.rates(best.threshold).precision
    limits = answer["intervals"]
    assert (limits["auc"]["low"], limits["auc"]["high"]) == tuple(roc.auc_interval(0.9))
    assert limits["threshold"]["low"] == best.threshold_interval(0.9).low
    assert limits["ameans"]["high"] == best.ameans_interval(0.9).high


def test_predict_json_has_no_infinity_or_nan(run):
    """A threshold at infinity is the string "inf", a rate that is 0/0 is null and named."""
    answer = strict_json(run(PAPER, "--criterion", "accuracy", "--prevalence", 0.1, "--json")[1])
    assert answer["best_threshold"]["threshold"] == "inf"
    assert answer["best_threshold"]["flags"] == ["always_negative"]
    assert answer["at"]["rates"]["precision"] is None
    assert "precision" in answer["at"]["undefined"]


@pytest.mark.parametrize("family", ["gamma", "lognormal", "weibull", "logistic"])
def test_predict_takes_a_family(run, family):
    line = f"predict --mean 4 8 --std 3 5 --family {family}"
    roc = rp.PredictedRoc.from_stats(mean=(4, 8), std=(3, 5), family=family)
    answer = strict_json(run(line, "--json")[1])
    assert (answer["auc"], answer["best_threshold"]["threshold"]) == (roc.auc(), roc.best_threshold().threshold)
    code, out, err = run(line, "--count", 50, 40)
    assert (code, err) == (0, "")
    for words in (repr(roc.negative), "Confidence intervals from means and SDs are available for", "precision"):
        assert words in out
    assert "confidence intervals" not in out
    assert "intervals" not in strict_json(run(line, "--count", 50, 40, "--json")[1])


# ---- compare
def test_compare_reads_a_csv(run):
    code, out, _ = run(f"compare data.csv {OUTCOME} size --json")
    x, y = [1.0, 2.5, 2.0, 3.5, 4.0], ["well", "well", "sick", "sick", "sick"]
    expected = rp.compare(rp.predict_roc(x, y, positive="sick"), rp.empirical_roc(x, y, positive="sick"))
    assert code == 0
    assert strict_json(out) == {"features": {"size": expected.to_dict()}}


def test_compare_shows_where_values_are_missing(run):
    """A missing value is refused with its place, and left out on request."""
    line = f"compare data.csv {OUTCOME} weight"
    assert run(line)[2] == (
        "rocpredict: data.csv: column 'weight' has missing values in 1 of 5 rows (line 5); use --nan omit to omit "
        "these observations\n"
    )
    code, out, _ = run(line, "--nan", "omit", "--direction", "auto")
    assert code == 0
    assert "weight: 1 observation omitted because of missing values." in out
    assert "empirical_auc" in out


def test_compare_takes_numbers_as_labels(run):
    """Labels 0 and 1 in a file are the numbers: positive needs no name, and may be named."""
    Path("numbers.csv").write_text("x,y\n1,0\n2,0\n3,1\n1.5,1\n", encoding="utf-8")
    line = "compare numbers.csv --label y --feature x --json"
    assert run(line) == run(line, "--positive", 1)
    assert strict_json(run(line)[1])["features"]["x"]["empirical_auc"] == 0.75


@pytest.mark.parametrize("family", ["auto", "boxcox", "histogram", "empirical"])
def test_compare_takes_a_family(run, family):
    """The library's comparison and trust, digit for digit; nothing is warned of; the sentence stands in the text."""
    code, out, err = run(AGE, "--family", family, "--json")
    x, y = rp.datasets.load_pima().column("age"), rp.datasets.load_pima().y
    roc = rp.predict_roc(x, y, positive="pos", family=family)
    expected = rp.compare(roc, rp.empirical_roc(x, y, positive="pos")).to_dict()
    assert (code, err) == (0, "")
    answer = strict_json(out)["features"]["age"]
    assert answer == json.loads(to_json(expected | {"model_fit": roc.model_fit().to_dict()}))
    if family == "auto":
        text = run(AGE, "--family", family)[1]
        assert f"age: {roc.model_fit().summary}" in text
        assert text.startswith("Predicted (auto) and empirical curve")


def test_an_automatic_direction_is_not_declared(run):
    """`--direction auto` with a family that uses a declared direction: as if none had been declared."""
    iris, classes = rp.datasets.load_iris(), {"positive": "versicolor", "negative": "setosa"}
    line = "compare iris --positive versicolor --negative setosa --family auto --direction auto --json --feature"
    for feature, direction in {"petal_width": "higher", "sepal_width": "lower"}.items():
        answer = strict_json(run(line, feature)[1])["features"][feature]
        roc = rp.predict_roc(iris.column(feature), iris.y, **classes, family="auto", direction="auto")
        assert answer["predicted_auc"] == roc.auc()
        assert answer["direction"] == roc.direction == direction


# ---- paper
def test_paper_writes_every_table_and_figure(run, monkeypatch):
    """`paper --out DIR`: four tables as CSV and JSON, five figures as PNG and SVG, nothing else.

    What the figures show is the matter of tests/test_plots.py.
    """
    monkeypatch.setattr("rocpredict.plots.style.figure_to_bytes", lambda *_, **__: b"a picture")
    code, out, err = run("paper --out tables")
    assert (code, err) == (0, "")
    expected = {f"table_{n}.{kind}" for n in range(1, 5) for kind in ("csv", "json")}
    expected |= {f"figure_{n}.{kind}" for n in range(1, 6) for kind in ("png", "svg")}
    assert {path.name for path in Path("tables").iterdir()} == expected
    for words in ("Table IV", "86.63%", "seed 0"):
        assert words in out


# ---- faults, help, warnings
def test_an_internal_error_is_code_1_with_its_traceback(run, monkeypatch):
    """An exception that is not about the input: exit code 1, and a sentence that says whose fault it is."""

    def broken(*_, **__):
        raise ZeroDivisionError("inside")

    monkeypatch.setattr("rocpredict.roc.predicted.PredictedRoc.from_stats", broken)
    code, _, err = run(PAPER)
    assert code == 1
    assert "ZeroDivisionError: inside" in err
    assert "internal error of rocpredict" in err


HELP = {
    "": ["predicted positive if its value is at or above the threshold"],
    "predict": ["rocpredict predict --mean 4 8 --std 3 2"],
    "compare": ["rocpredict compare iris --positive virginica"],
    "paper": ["rocpredict paper --out paper"],
    "diagnose": ["rocpredict diagnose pima --feature glucose"],
    "sample-size": ["--width 0.05", "--power 0.9 --against 0.5", "--against-mean 4 7", "--tpr-at-fpr 0.1"],
    "power": ["rocpredict power --mean 4 8 --std 3 2 --count 50 50 --against 0.8", "--correlation 0.5"],
    "screen": ["rocpredict screen iris --positive virginica", "--label COLUMN", "--top N", "--out FILE"],
}


def test_the_help_has_examples(capsys):
    """`--help` of every command: the rule, the order of the classes, examples that can be pasted."""

    def check(command):
        with pytest.raises(SystemExit) as end:
            main([*command.split(), "--help"])
        assert end.value.code == 0
        out = capsys.readouterr().out
        assert not [words for words in HELP[command] if words not in out]

    check_each({command: command for command in HELP}, check)


def test_a_warning_is_one_line_on_stderr(run):
    """With the feature's name and the words of options, and no place in a Python file; exit code 0 and every answer."""
    code, out, err = run(AGE)
    assert code == 0
    assert err == (
        "rocpredict compare: warning: age: 12% of the values of the negative class are equal to 22: the TPR predicted "
        "from two Gaussians differs from the empirical TPR by 0.06 on average, more than expected from sampling "
        "variation; use --family 'auto' or the empirical curve\n"
    )
    assert "predicted_auc" in out
    code, again, _ = run(AGE, "--json")
    assert (code, list(strict_json(again))) == (0, ["features"])


def test_a_warning_from_statistics_is_one_line_too():
    """In a process of its own, with Python's usual filters: a median far from the middle of its quartiles."""
    command = f"{sys.executable} -m rocpredict predict --median 4 8 --iqr 1 4.1 6 9 --json"
    process = subprocess.run(command.split(), capture_output=True, text=True, check=True, timeout=60)
    assert process.stderr.startswith("rocpredict predict: warning: --median 4.0 is far from the midpoint")
    assert process.stderr.count("\n") == 1
    assert strict_json(process.stdout)["direction"] == "higher"


def test_other_warnings_are_shown_as_ever(run, monkeypatch):
    def old(**_):
        warnings.warn("of old", DeprecationWarning, stacklevel=1)
        raise rp.RocPredictError("enough")

    monkeypatch.setattr("rocpredict.roc.predicted.PredictedRoc.from_stats", old)
    with pytest.warns(DeprecationWarning, match="of old"):
        assert run("predict --effect-size 1") == (2, "", "rocpredict: enough\n")


def test_the_documentation_shows_the_printed_output(run):
    """docs/command-line.md: every line shown below a command is one that it prints, in their order."""
    page = (Path(__file__).parents[1] / "docs/command-line.md").read_text(encoding="utf-8")
    shown = [block.splitlines() for block in re.findall(r"```console\n(.*?)```", page, re.DOTALL)]
    examples = [lines for lines in shown if not lines[1].startswith("$")]
    assert len(examples) == 4
    for command, *lines in examples:
        _, out, err = run(command.split(maxsplit=2)[2])
        kept = iter([line.rstrip() for line in [*err.splitlines(), *out.splitlines()]])
        assert all(line.rstrip() in kept for line in lines if line != "..."), command
