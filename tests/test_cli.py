"""The command line: what it prints, its exit codes, and one line for each wrong input."""

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


@pytest.fixture
def run(capsys):
    """Run the command line in this process: exit code, output, errors."""

    def call(*words):
        code = main(list(words))
        out, err = capsys.readouterr()
        return code, out, err

    return call


@pytest.fixture
def csv(tmp_path):
    """A small table on disk, with one missing value."""
    path = tmp_path / "data.csv"
    rows = ["size,weight,outcome", "1.0,5,well", "2.5,4,well", "2.0,3,sick", "3.5,,sick", "4.0,1,sick"]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_predict_prints_the_papers_example(run):
    """`predict --mean 4 8 --std 3 2`: AUC, threshold, both crossings, the hook, every rate."""
    code, out, err = run("predict", "--mean", "4", "8", "--std", "3", "2")
    assert (code, err) == (0, "")
    for words in ("0.866371", "5.82611, 16.5739", "0.795054", "x >= threshold", "below the chance line", "0.861469"):
        assert words in out
    assert "precision, accuracy and their like need --prevalence or --count." in out


def test_predict_json_equals_the_library(run):
    """`predict --json` holds the library's numbers, digit for digit."""
    code, out, _ = run("predict", "--mean", "4", "8", "--std", "3", "2", "--count", "1000", "500", "--json")
    roc = rp.PredictedRoc.from_stats(mean=(4, 8), std=(3, 2), count=(1000, 500))
    told = json.loads(out)
    assert code == 0
    assert told["auc"] == roc.auc()
    assert told["proper_auc"] == roc.proper().auc()
    assert told["best_threshold"]["threshold"] == roc.best_threshold().threshold
    assert told["best_threshold"]["crossings"] == roc.best_threshold().crossings.tolist()
    assert told["at"]["rates"]["precision"] == roc.rates(roc.best_threshold().threshold).precision


def test_predict_json_has_no_infinity_or_nan(run):
    """A threshold at infinity is the string "inf", a rate that is 0/0 is null and named."""
    words = ("--mean", "4", "8", "--std", "3", "2", "--criterion", "accuracy", "--prevalence", "0.1", "--json")
    code, out, _ = run("predict", *words)
    told = json.loads(out, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    assert code == 0
    assert told["best_threshold"]["threshold"] == "inf"
    assert told["best_threshold"]["flags"] == ["always_negative"]
    assert told["at"]["rates"]["precision"] is None
    assert "precision" in told["at"]["undefined"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["predict", "--mean", "4", "8", "--std", "-3", "2"], "--std -3.0 is negative; it must be 0 or more"),
        (["predict", "--mean", "4", "nan", "--std", "3", "2"], "--mean nan is NaN"),
        (["predict", "--mean", "4", "8"], "give one of --std, --sem, --iqr (with --median) and --effect-size"),
        (["predict", "--mean", "4", "--std", "3", "2"], "argument --mean: expected 2 arguments"),
        (["predict", "--mean", "4", "x", "--std", "3", "2"], "invalid float value: 'x'"),
        (
            ["predict", "--mean", "4", "8", "--std", "3", "2", "--criterion", "best"],
            "--criterion 'best' is not allowed",
        ),
        (
            ["predict", "--mean", "4", "8", "--std", "3", "2", "--criterion", "f1"],
            "give --prevalence (0 to 1) or class counts",
        ),
        (["predict", "--mean", "4", "8", "--std", "3", "2", "--prevalence", "10"], "fractions, not percent"),
        (["compare", "nowhere.csv", "--label", "y", "--feature", "x"], "nowhere.csv: No such file"),
        (["compare", "iris"], "--positive is needed"),
        (["compare", "iris", "--positive", "rose"], "--positive 'rose' is not a label in y"),
        (
            ["compare", "iris", "--positive", "setosa", "--feature", "stem"],
            "iris has no feature 'stem'; features are sepal_length",
        ),
        (["compare", "breast_cancer", "--plot", "x.svg"], "--plot draws 20 features at most, here are 30; choose some"),
        (["compare", "irs", "--positive", "setosa"], "irs is neither a file nor a built-in data set (iris, pima, "),
        (["compare", "data.csv.d/x.csv"], "No such file"),
        (["predict", "--mean", "4", "8", "--std", "3", "2", "--family", "normal"], "invalid choice: 'normal'"),
        (
            ["predict", "--mean", "-4", "8", "--std", "3", "2", "--family", "gamma"],
            "--family 'gamma' lives on values above 0",
        ),
        (
            ["predict", "--mean", "4", "8", "--std", "3", "2", "--family", "exponential"],
            "--std 3.0 differs from --mean 4",
        ),
        (["predict", "--effect-size", "1", "--family", "gamma"], "--family 'gamma' needs --mean with --std or --sem"),
        (["compare", "pima", "--feature", "age", "--family", "normal"], "argument --family: invalid choice: 'normal'"),
        (
            ["compare", "pima", "--feature", "insulin", "--family", "gamma"],
            "insulin: --family 'gamma' needs values above 0",
        ),
        (["predict", "--median", "4", "8", "--iqr", "3", "5", "6"], "--iqr [3.0, 5.0, 6.0] is not a pair"),
        (["paper", "--seed", "-1"], "--seed -1 is negative"),
        (["screeen"], "invalid choice: 'screeen'"),
    ],
)
def test_wrong_input_is_one_line_and_code_2(run, words, said):
    """Every wrong input: exit code 2, one line on stderr that says what is wrong, nothing on stdout."""
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert said in err
    assert err.startswith("rocpredict: ")
    assert err.count("\n") == 1


def test_compare_reads_a_csv(run, csv):
    """`compare FILE`: the library's comparison of the named column and labels."""
    code, out, _ = run("compare", str(csv), "--label", "outcome", "--positive", "sick", "--feature", "size", "--json")
    x, y = [1.0, 2.5, 2.0, 3.5, 4.0], ["well", "well", "sick", "sick", "sick"]
    expected = rp.compare(rp.predict_roc(x, y, positive="sick"), rp.empirical_roc(x, y, positive="sick"))
    assert code == 0
    assert json.loads(out) == {"features": {"size": expected.to_dict()}}


def test_compare_says_where_values_are_missing(run, csv):
    """A missing value is refused with its place, and left out on request."""
    words = ("compare", str(csv), "--label", "outcome", "--positive", "sick", "--feature", "weight")
    assert run(*words)[2] == (
        "rocpredict: data.csv: column 'weight' has 1 missing of 5, at lines 5; --nan omit leaves these rows out\n"
    )
    code, out, _ = run(*words, "--nan", "omit", "--direction", "auto")
    assert code == 0
    assert "weight: rows without a value, left out: 1." in out
    assert "empirical_auc" in out


def test_compare_takes_numbers_as_labels(run, tmp_path):
    """Labels 0 and 1 in a file are the numbers: positive needs no name, and may be named."""
    path = tmp_path / "numbers.csv"
    path.write_text("x,y\n1,0\n2,0\n3,1\n1.5,1\n", encoding="utf-8")
    unnamed = run("compare", str(path), "--label", "y", "--feature", "x", "--json")
    named = run("compare", str(path), "--label", "y", "--feature", "x", "--positive", "1", "--json")
    assert unnamed == named
    assert json.loads(unnamed[1])["features"]["x"]["empirical_auc"] == 0.75


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x,y\n1,a\n2\n", "broken.csv, line 3: 1 cells where the header has 2"),
        ("x,y\n1,a\nsoon,b\n", "broken.csv, line 3: column 'x' holds 'soon', which is not a number"),
        ("x,y\n1,a\n2,\n", "broken.csv, line 3: column 'y' has no label"),
        ("x,x\n1,a\n", "has the column name 'x' twice"),
        ("", "broken.csv is empty"),
        ("x,y\n", "broken.csv has a header and no rows"),
        ('x,y\n1,"a\n', "broken.csv, line"),
    ],
)
def test_a_broken_file_is_named_by_its_line(run, tmp_path, text, said):
    """A broken CSV file: one line with the file's name and the number of the broken line."""
    path = tmp_path / "broken.csv"
    path.write_text(text, encoding="utf-8")
    code, out, err = run("compare", str(path), "--label", "y", "--feature", "x", "--positive", "b")
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1


def test_paper_writes_every_table_and_figure(run, tmp_path):
    """`paper --out DIR`: four tables as CSV and JSON, five figures as PNG and SVG, nothing else."""
    code, out, err = run("paper", "--out", str(tmp_path / "made"))
    assert (code, err) == (0, "")
    expected = {f"table_{n}.{kind}" for n in range(1, 5) for kind in ("csv", "json")}
    expected |= {f"figure_{n}.{kind}" for n in range(1, 6) for kind in ("png", "svg")}
    assert {path.name for path in (tmp_path / "made").iterdir()} == expected
    assert "Table IV" in out
    assert "86.63%" in out
    assert "seed 0" in out


def test_paper_tells_what_cannot_be_written(run, tmp_path):
    """A folder that cannot be made is wrong input, not our fault."""
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    code, _, err = run("paper", "--out", str(tmp_path / "file" / "below"))
    assert code == 2
    assert "cannot be written" in err


@pytest.mark.parametrize("kind", ["svg", "png", "pdf"])
def test_plots_are_written(run, tmp_path, kind):
    """`--plot FILE`: the picture is there, in the format that its name asks for."""
    path = tmp_path / f"roc.{kind}"
    words = ("compare", "iris", "--positive", "virginica", "--negative", "versicolor", "--feature", "petal_width")
    assert run(*words, "--plot", str(path))[0] == 0
    start = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}[kind]
    assert path.read_bytes().startswith(start)


def test_a_plot_of_an_unknown_kind_is_refused(run, tmp_path):
    """`--plot roc.doc`: one line that names the kinds, and no file."""
    code, _, err = run("predict", "--mean", "4", "8", "--std", "3", "2", "--plot", str(tmp_path / "roc.doc"))
    assert code == 2
    assert ".png" in err
    assert not list(tmp_path.iterdir())


def test_our_own_fault_is_code_1_with_its_traceback(run, monkeypatch):
    """An exception that is not about the input: exit code 1, and a sentence that says whose fault it is."""

    def broken(*_, **__):
        raise ZeroDivisionError("inside")

    monkeypatch.setattr("rocpredict.roc.predicted.PredictedRoc.from_stats", broken)
    code, _, err = run("predict", "--mean", "4", "8", "--std", "3", "2")
    assert code == 1
    assert "ZeroDivisionError: inside" in err
    assert "a fault of rocpredict" in err


def test_help_teaches(run):
    """`--help` of every command: the rule, the order of the classes, an example that can be pasted."""
    for words, said in (
        (["--help"], "positive when x >= threshold"),
        (["predict", "--help"], "rocpredict predict --mean 4 8 --std 3 2"),
        (["compare", "--help"], "rocpredict compare iris --positive virginica"),
        (["paper", "--help"], "rocpredict paper --out paper"),
    ):
        process = subprocess.run(
            [sys.executable, "-m", "rocpredict", *words], capture_output=True, text=True, check=True, timeout=60
        )
        assert said in process.stdout


def test_a_reader_that_stops_is_no_fault():
    """`rocpredict paper | head -1`: no traceback when the reader has had enough."""
    command = f"{sys.executable} -m rocpredict paper | head -n 1"
    process = subprocess.run(command, shell=True, capture_output=True, text=True, check=True, timeout=60)
    assert process.stdout.startswith("Table I.")
    assert process.stderr == ""


def test_predict_with_counts_gives_intervals(run):
    """Of AUC, threshold and Ameans, those of the library; without counts there are none."""
    words = ("predict", "--mean", "4", "8", "--std", "3", "2", "--count", "60", "40")
    code, out, _ = run(*words, "--level", "0.9", "--json")
    given = json.loads(out)["intervals"]
    roc = rp.PredictedRoc.from_stats(mean=(4, 8), std=(3, 2), count=(60, 40))
    assert code == 0
    assert (given["auc"]["low"], given["auc"]["high"]) == tuple(roc.auc_interval(0.9))
    assert given["threshold"]["low"] == roc.best_threshold().threshold_interval(0.9).low
    assert given["ameans"]["high"] == roc.best_threshold().ameans_interval(0.9).high
    assert "confidence intervals" in run(*words)[1]
    assert "confidence intervals" not in run(*words[:-3])[1]


# ---- warnings
AGE = ("compare", "pima", "--feature", "age")


def test_a_doubt_is_one_line_on_stderr(run):
    """With the feature's name and the words of options, and no place in a Python file; exit code 0 and every answer."""
    code, out, err = run(*AGE)
    assert code == 0
    assert err == (
        "rocpredict compare: warning: age: 12 % of the negative class are equal (22): the curve of two Gaussians lies "
        "0.06 of TPR off the counted one on the average, more than chance explains; use --family 'auto' or the "
        "empirical curve\n"
    )
    assert "predicted_auc" in out
    code, again, _ = run(*AGE, "--json")
    assert (code, list(json.loads(again))) == (0, ["features"])


def test_a_doubt_from_statistics_is_one_line_too():
    """In a process of its own, with Python's usual filters: a median far from the middle of its quartiles."""
    words = ("predict", "--median", "4", "8", "--iqr", "1", "4.1", "6", "9", "--json")
    command = [sys.executable, "-m", "rocpredict", *words]
    process = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert process.stderr.startswith("rocpredict predict: warning: the median 4.0 lies far from the middle")
    assert process.stderr.count("\n") == 1
    assert json.loads(process.stdout)["direction"] == "higher"


def test_other_warnings_are_shown_as_ever(run, monkeypatch):
    """What is no AssumptionWarning goes where it would have gone."""

    def old(**_):
        warnings.warn("of old", DeprecationWarning, stacklevel=1)
        raise rp.RocPredictError("enough")

    monkeypatch.setattr("rocpredict.roc.predicted.PredictedRoc.from_stats", old)
    with pytest.warns(DeprecationWarning, match="of old"):
        assert run("predict", "--effect-size", "1") == (2, "", "rocpredict: enough\n")


# ---- families
@pytest.mark.parametrize("family", ["auto", "boxcox", "histogram", "empirical"])
def test_compare_takes_a_family(run, family):
    """The library's comparison and trust, digit for digit; nothing is warned of; the sentence stands in the text."""
    code, out, err = run(*AGE, "--family", family, "--json")
    x, y = rp.datasets.load_pima().column("age"), rp.datasets.load_pima().y
    roc = rp.predict_roc(x, y, positive="pos", family=family)
    expected = rp.compare(roc, rp.empirical_roc(x, y, positive="pos"))
    assert (code, err) == (0, "")
    assert json.loads(out)["features"]["age"] == json.loads(
        to_json(expected.to_dict() | {"model_fit": roc.model_fit().to_dict()})
    )
    if family == "auto":
        told = run(*AGE, "--family", family)[1]
        assert f"age: {roc.model_fit().summary}" in told
        assert told.startswith("Predicted (auto) against empirical")


@pytest.mark.parametrize("feature", ["petal_width", "sepal_width"])
def test_a_direction_that_was_found_is_not_declared(run, feature):
    """`--direction auto` with a family that uses a declared direction: as if none had been declared."""
    iris = rp.datasets.load_iris()
    classes = {"positive": "versicolor", "negative": "setosa"}
    words = ("compare", "iris", "--positive", "versicolor", "--negative", "setosa", "--feature", feature)
    found = json.loads(run(*words, "--family", "auto", "--direction", "auto", "--json")[1])["features"][feature]
    roc = rp.predict_roc(iris.column(feature), iris.y, **classes, family="auto", direction="auto")
    assert found["predicted_auc"] == roc.auc()
    assert found["direction"] == roc.direction == {"petal_width": "higher", "sepal_width": "lower"}[feature]


@pytest.mark.parametrize("family", ["gamma", "lognormal", "weibull", "logistic"])
def test_predict_takes_a_family(run, family):
    """The library's numbers, digit for digit; intervals are for two Gaussians, which is said where there are counts."""
    words = ("predict", "--mean", "4", "8", "--std", "3", "5", "--family", family)
    roc = rp.PredictedRoc.from_stats(mean=(4, 8), std=(3, 5), family=family)
    told = json.loads(run(*words, "--json")[1])
    assert (told["auc"], told["best_threshold"]["threshold"]) == (roc.auc(), roc.best_threshold().threshold)
    code, out, err = run(*words, "--count", "50", "40")
    assert (code, err) == (0, "")
    assert repr(roc.negative) in out
    assert "Intervals from means and SDs alone are for two Gaussians." in out
    assert "confidence intervals" not in out
    assert "precision" in out
    assert "intervals" not in json.loads(run(*words, "--count", "50", "40", "--json")[1])


def test_predict_takes_an_exponential(run):
    """Whose standard deviation is its mean."""
    code, out, _ = run("predict", "--mean", "1", "3", "--std", "1", "3", "--family", "exponential", "--json")
    assert code == 0
    assert json.loads(out)["auc"] == pytest.approx(0.75, rel=1e-14)


def test_the_page_shows_what_is_printed(run):
    """docs/command-line.md: every line shown below a command is one that it prints, in their order."""
    page = (Path(__file__).parents[1] / "docs/command-line.md").read_text(encoding="utf-8")
    shown = [block.splitlines() for block in re.findall(r"```console\n(.*?)```", page, re.DOTALL)]
    examples = [lines for lines in shown if not lines[1].startswith("$")]
    assert len(examples) == 4
    for command, *lines in examples:
        _, out, err = run(*command.split()[2:])
        printed = [*err.splitlines(), *out.splitlines()]
        kept = iter(line.rstrip() for line in printed)
        assert all(line.rstrip() in kept for line in lines if line != "..."), command
