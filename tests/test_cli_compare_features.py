"""`rocpredict compare` with several features: the library's tests, in the words of the command line."""

import json
from pathlib import Path

import numpy as np
import pytest

import rocpredict as rp
from rocpredict.base.formatting import format_p_value
from tests.cases import check_each

PIMA = rp.datasets.load_pima()
TWO = "compare pima --feature glucose --feature mass"
THREE = f"{TWO} --feature age"
IRIS = "compare iris --positive versicolor --negative setosa"


def auc_test(run, line):
    """The test that `--json` gives."""
    code, out, _ = run(line, "--json")
    assert code == 0
    return json.loads(out, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))["auc_test"]


def warned_features(err):
    """The features that are warned of, one line each, and nothing else."""
    return [line.removeprefix("rocpredict compare: warning: ").split(":")[0] for line in err.splitlines()]


def cells(out, title):
    """The table under a title: its rows, split into cells."""
    lines = out[out.index(title) :].split("\n\n")[0].splitlines()
    return [[cell.strip() for cell in line.split("│")] for line in lines if "│" in line]


def by_library(*names, **options):
    columns = [PIMA.column(name) for name in names]
    if len(names) == 2:
        return rp.auc_test(*columns, PIMA.y, positive="pos", **options)
    return rp.auc_test_many(columns, PIMA.y, positive="pos", **options)


@pytest.fixture
def table(tmp_path, monkeypatch):
    """Write a table, and give the line that compares two of its features."""
    monkeypatch.chdir(tmp_path)

    def write(text, first="a", second="b"):
        Path("table.csv").write_text(text, encoding="utf-8")
        return f"compare table.csv --label y --feature {first} --feature {second}"

    return write


def test_two_features_are_tested_against_each_other(run):
    """A table with both AUCs, the difference, its interval, the statistic, p, hypotheses, method and cases.

    What stands on stderr is of the predictions: the zeros of "mass" are outliers.
    """
    code, out, err = run(TWO)
    expected = by_library("glucose", "mass")
    low, high = expected.interval
    assert (code, warned_features(err)) == (0, ["mass"])
    assert cells(out, "glucose, mass on the same observations")[1:] == [
        ["AUC of glucose", f"{expected.estimates[0]:.6g}"],
        ["AUC of mass", f"{expected.estimates[1]:.6g}"],
        ["difference", f"{expected.difference:.6g}"],
        ["interval of the difference, level 0.95", f"{low:.6g} to {high:.6g}"],
        ["statistic", f"{expected.statistic:.6g}"],
        ["p", format_p_value(expected.p_value)],
        ["observations (negative, positive)", "(500, 268)"],
        ["direction", "higher, higher"],
    ]
    assert "Null hypothesis: AUC of glucose = AUC of mass. Alternative: AUC of glucose != AUC of mass." in out
    assert "Method: MOVER of smoothed-logit intervals, paired." in out


OPTIONS = {
    "": {},
    "--level 0.9": {"level": 0.9},
    "--alternative greater": {"alternative": "greater"},
    "--alternative noninferior --margin 0.05": {"alternative": "noninferior", "margin": 0.05},
    "--direction lower": {"direction": "lower"},
    "--direction higher --direction lower": {"direction": ("higher", "lower")},
    "--method bootstrap --resamples 200 --seed 3": {"method": "bootstrap", "n_resamples": 200, "rng": 3},
    "--method venkatraman --resamples 50": {"method": "venkatraman", "n_resamples": 50},
}


def test_json_of_two_is_the_librarys_test(run):
    """Every option of a test of two: the library's numbers, digit for digit, with the features' names for x1 and x2."""

    def check(words):
        expected, answer = by_library("glucose", "mass", **OPTIONS[words]), auc_test(run, f"{TWO} {words}")
        assert answer["features"] == ["glucose", "mass"]
        for name in ("difference", "statistic", "p_value", "method"):
            assert answer[name] == getattr(expected, name)
        assert answer["interval"] == expected.interval.to_dict()
        assert answer["estimates"] == list(expected.estimates)
        assert answer["null"] == expected.null.replace("x1", "glucose").replace("x2", "mass")
        assert answer["flags"] == list(expected.flags)

    check_each({words: words for words in OPTIONS}, check)


def test_three_features_have_an_omnibus_test_and_pairs(run):
    """Chi-squared with its degrees of freedom, and each pair with Holm's p."""
    code, out, err = run(THREE)
    expected = by_library("glucose", "mass", "age")
    assert (code, warned_features(err)) == (0, ["mass", "age"])
    assert "Null hypothesis: all AUCs are equal." in out
    assert f"Statistic {expected.statistic:.6g}, df 2, p {format_p_value(expected.p_value)}." in out
    pairs = cells(out, "glucose, mass, age on the same observations")[1:]
    equal = ["AUC of glucose = AUC of mass", "AUC of glucose = AUC of age", "AUC of mass = AUC of age"]
    assert [row[0] for row in pairs] == equal
    assert [row[-1] for row in pairs] == [format_p_value(p) for p in expected.adjusted_p_values]
    answer = auc_test(run, THREE)
    assert answer["p_value"] == expected.p_value
    assert [contrast["adjusted_p_value"] for contrast in answer["contrasts"]] == list(expected.adjusted_p_values)
    assert [contrast["null"] for contrast in answer["contrasts"]] == equal


def test_pairs_stay_pairs_when_values_are_missing(run, table):
    """`--nan omit` drops a row from the test that lacks either value, and says how many (T13)."""
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], 30)
    a, b = rng.normal(size=60) + y, rng.normal(size=60) + y
    rows = [f"{'' if k % 10 == 0 else a[k]},{'' if k % 15 == 1 else b[k]},{y[k]}" for k in range(60)]
    line = table("\n".join(["a,b,y", *rows]) + "\n") + " --nan omit"
    whole = [k for k in range(60) if k % 10 and k % 15 != 1]
    expected, answer = rp.auc_test(a[whole], b[whole], y[whole]), auc_test(run, line)
    assert (answer["p_value"], answer["n"]) == (expected.p_value, list(expected.n))
    out = run(line)[1]
    assert "10 observations omitted because of missing values." in out
    assert "a: 6 observations omitted because of missing values." in out


def test_zeros_of_pima_are_missing_values(run):
    note = "pima: zeros in glucose, mass stand for missing values. These zeros are kept as values (use --nan omit"
    assert note in run(TWO)[1]
    data = rp.datasets.load_pima(zeros_as_missing=True)
    expected = rp.auc_test(data.column("glucose"), data.column("mass"), data.y, positive="pos", nan_policy="omit")
    assert auc_test(run, f"{TWO} --nan omit")["p_value"] == expected.p_value


def test_a_table_of_one_feature_shows_its_uncertainty(run):
    """The table shows the interval of the empirical AUC, and the Ameans in the sample with its corrected value (T6)."""
    code, out, _ = run(f"{IRIS} --feature sepal_width --direction lower")
    shown = dict(cells(out, "Predicted (Gaussian) and empirical curve"))
    iris = rp.datasets.load_iris()
    classes = {"positive": "versicolor", "negative": "setosa", "direction": "lower"}
    roc = rp.empirical_roc(iris.column("sepal_width"), iris.y, **classes)
    assert code == 0
    assert shown["empirical_auc_low"] == f"{roc.auc_interval().low:.6g}"
    assert shown["empirical_ameans_corrected"] == f"{roc.best_threshold().ameans_corrected:.6g}"
    assert "empirical_ameans, the Ameans (balanced accuracy) on the data from which the threshold was chosen" in out
    assert "95% confidence interval" in out
    assert "on the same observations" not in out


def test_a_feature_may_be_called_auc_test(run, table):
    """Features and the test do not share names in the JSON: neither hides the other."""
    line = table("auc_test,features,y\n1,3,0\n2,1,0\n3,2,1\n1.5,4,1\n", "auc_test", "features")
    answer = json.loads(run(line, "--json")[1])
    assert list(answer) == ["features", "auc_test"]
    assert [one["empirical_auc"] for one in answer["features"].values()] == [0.75, 0.75]
    assert list(answer["features"]) == answer["auc_test"]["features"] == ["auc_test", "features"]


def test_degenerate_tests_are_described_in_words(run, table):
    """A feature against an increasing function of itself: p is 1, and why (T8); a resolved direction is named (T1)."""
    line = table("a,b,y\n1,1,0\n2,4,0\n3,9,1\n1.5,2.25,1\n") + " --direction auto"
    code, out, _ = run(line)
    assert code == 0
    assert ["p", "1"] in cells(out, "a, b on the same observations")
    assert "the curves rank all observations in the same order" in out
    assert "the direction was chosen from the sample (direction='auto')" in out
    assert auc_test(run, line)["flags"] == ["auto_direction", "same_curve"]


def test_an_error_names_the_feature(run, table):
    """Messages about x name the feature instead, also messages that begin with the class."""
    line = table("a,b,y\n1,2,0\n2,,0\n3,4,1\n4,1,1\n")
    error = "rocpredict: 'b' has 1 observation in the negative class; a standard deviation needs at least 2\n"
    assert run(line, "--nan", "omit") == (2, "", error)
    line = table("a,b,y\n1,2,0\n2,2,0\n3,4,1\n4,1,1\n")
    for family, words in {"gamma": "needs at least two", "boxcox": "cannot be fitted"}.items():
        code, out, err = run(line, "--family", family)
        assert (code, out) == (2, "")
        assert err.startswith(f"rocpredict: b: all values of the negative class are equal; --family '{family}' {words}")
