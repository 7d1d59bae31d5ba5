"""`rocpredict compare` with several features: the library's tests, in the words of the command line."""

import json

import numpy as np
import pytest

import rocpredict as rp
from rocpredict.base.formatting import format_p_value
from rocpredict.cli import main

PIMA = rp.datasets.load_pima()
TWO = ("compare", "pima", "--feature", "glucose", "--feature", "mass")
THREE = (*TWO, "--feature", "age")
IRIS = ("compare", "iris", "--positive", "versicolor", "--negative", "setosa")
WIDTH_AND_LENGTH = (*IRIS, "--feature", "sepal_length", "--feature", "sepal_width")


@pytest.fixture
def run(capsys):
    """Run the command line in this process: exit code, output, errors."""

    def call(*words):
        code = main(list(words))
        out, err = capsys.readouterr()
        return code, out, err

    return call


def told(run, *words):
    """The test that `--json` gives."""
    code, out, _ = run(*words, "--json")
    assert code == 0
    return json.loads(out, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))["auc_test"]


def doubted(err):
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


def test_two_features_are_tested_against_each_other(run):
    """A table with both AUCs, the difference, its interval, the statistic, p, hypotheses, method and cases.

    What stands on stderr is of the predictions: the zeros of "mass" are outliers.
    """
    code, out, err = run(*TWO)
    expected = by_library("glucose", "mass")
    low, high = expected.interval
    assert (code, doubted(err)) == (0, ["mass"])
    assert cells(out, "glucose, mass on the same cases")[1:] == [
        ["AUC of glucose", f"{expected.estimates[0]:.6g}"],
        ["AUC of mass", f"{expected.estimates[1]:.6g}"],
        ["difference", f"{expected.difference:.6g}"],
        ["interval of the difference, level 0.95", f"{low:.6g} to {high:.6g}"],
        ["statistic", f"{expected.statistic:.6g}"],
        ["p", format_p_value(expected.p_value)],
        ["cases (negative, positive)", "(500, 268)"],
        ["direction", "higher, higher"],
    ]
    assert "Null hypothesis: AUC of glucose = AUC of mass. Alternative: AUC of glucose != AUC of mass." in out
    assert "Method: DeLong, paired." in out


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ((), {}),
        (("--level", "0.9"), {"level": 0.9}),
        (("--alternative", "greater"), {"alternative": "greater"}),
        (
            ("--alternative", "noninferior", "--margin", "0.05"),
            {"alternative": "noninferior", "margin": 0.05},
        ),
        (("--direction", "lower"), {"direction": "lower"}),
        (("--direction", "higher", "--direction", "lower"), {"direction": ("higher", "lower")}),
        (
            ("--method", "bootstrap", "--resamples", "200", "--seed", "3"),
            {"method": "bootstrap", "n_resamples": 200, "rng": 3},
        ),
        (("--method", "permutation", "--resamples", "100"), {"method": "permutation", "n_resamples": 100}),
        (("--method", "venkatraman", "--resamples", "50"), {"method": "venkatraman", "n_resamples": 50}),
    ],
)
def test_json_of_two_is_the_librarys_test(run, words, options):
    """Every option of a test of two: the library's numbers, digit for digit, with the features' names for x1 and x2."""
    expected = by_library("glucose", "mass", **options)
    found = told(run, *TWO, *words)
    assert found["features"] == ["glucose", "mass"]
    for name in ("difference", "statistic", "p_value", "method"):
        assert found[name] == getattr(expected, name)
    assert found["interval"] == expected.interval.to_dict()
    assert found["estimates"] == list(expected.estimates)
    assert found["null"] == expected.null.replace("x1", "glucose").replace("x2", "mass")
    assert found["flags"] == list(expected.flags)


def test_three_features_have_an_omnibus_test_and_pairs(run):
    """Chi-squared with its degrees of freedom, and each pair with Holm's p."""
    code, out, err = run(*THREE)
    expected = by_library("glucose", "mass", "age")
    assert (code, doubted(err)) == (0, ["mass", "age"])
    assert "Null hypothesis: all AUCs are equal." in out
    assert f"Statistic {expected.statistic:.6g}, df 2, p {format_p_value(expected.p_value)}." in out
    pairs = cells(out, "glucose, mass, age on the same cases")
    assert [row[0] for row in pairs[1:]] == [
        "AUC of glucose = AUC of mass",
        "AUC of glucose = AUC of age",
        "AUC of mass = AUC of age",
    ]
    assert [row[-1] for row in pairs[1:]] == [format_p_value(p) for p in expected.adjusted_p_values]
    found = told(run, *THREE)
    assert found["p_value"] == expected.p_value
    assert [contrast["adjusted_p_value"] for contrast in found["contrasts"]] == list(expected.adjusted_p_values)
    assert found["contrasts"][2]["null"] == "AUC of mass = AUC of age"


def test_pairs_stay_pairs_when_values_are_missing(run, tmp_path):
    """`--nan omit` drops a row from the test that lacks either value, and says how many (T13)."""
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], 30)
    a, b = rng.normal(size=60) + y, rng.normal(size=60) + y
    rows = [f"{'' if k % 10 == 0 else a[k]},{'' if k % 15 == 1 else b[k]},{y[k]}" for k in range(60)]
    path = tmp_path / "gaps.csv"
    path.write_text("\n".join(["a,b,y", *rows]) + "\n", encoding="utf-8")
    words = ("compare", str(path), "--label", "y", "--feature", "a", "--feature", "b", "--nan", "omit")
    whole = [k for k in range(60) if k % 10 and k % 15 != 1]
    expected = rp.auc_test(a[whole], b[whole], y[whole])
    found = told(run, *words)
    assert (found["p_value"], found["n"]) == (expected.p_value, list(expected.n))
    assert "Rows without a value of any of them, left out for all: 10." in run(*words)[1]
    assert "a: rows without a value, left out: 6." in run(*words)[1]


def test_zeros_of_pima_are_missing_values(run):
    """As in the file unless asked, with a note; `--nan omit` leaves the zeros that stand for missing values out."""
    assert "pima: zeros in glucose, mass stand for missing values; --nan omit" in run(*TWO)[1]
    held = rp.datasets.load_pima(zeros_as_missing=True)
    expected = rp.auc_test(held.column("glucose"), held.column("mass"), held.y, positive="pos", nan_policy="omit")
    assert told(run, *TWO, "--nan", "omit")["p_value"] == expected.p_value


def test_a_table_of_one_feature_shows_its_uncertainty(run):
    """The empirical AUC has its interval, and the in-sample Ameans stands beside its out-of-bag value (T6)."""
    words = (*IRIS, "--feature", "sepal_width", "--direction", "lower")
    code, out, _ = run(*words)
    shown = dict(cells(out, "Predicted (Gaussian) against empirical"))
    iris = rp.datasets.load_iris()
    classes = {"positive": "versicolor", "negative": "setosa", "direction": "lower"}
    roc = rp.empirical_roc(iris.column("sepal_width"), iris.y, **classes)
    assert code == 0
    assert shown["empirical_auc_low"] == f"{roc.auc_interval().low:.6g}"
    assert shown["empirical_ameans_corrected"] == f"{roc.best_threshold().ameans_corrected:.6g}"
    assert "empirical_ameans is what the best threshold gives on the rows that chose it, and optimistic" in out
    assert "95 % interval" in out
    assert "on the same cases" not in out


def test_features_that_are_not_named_are_not_tested(run):
    """All features of built-in data are compared with their predictions only."""
    code, out, _ = run(*IRIS)
    assert code == 0
    assert "on the same cases" not in out
    held = json.loads(run(*IRIS, "--json")[1])
    assert list(held) == ["features"]
    assert list(held["features"]) == list(rp.datasets.load_iris().feature_names)


def test_a_feature_may_be_called_auc_test(run, tmp_path):
    """Features and the test do not share names in the JSON: neither hides the other."""
    path = tmp_path / "named.csv"
    path.write_text("auc_test,features,y\n1,3,0\n2,1,0\n3,2,1\n1.5,4,1\n", encoding="utf-8")
    words = ("compare", str(path), "--label", "y", "--feature", "auc_test", "--feature", "features", "--json")
    held = json.loads(run(*words)[1])
    assert list(held) == ["features", "auc_test"]
    assert [one["empirical_auc"] for one in held["features"].values()] == [0.75, 0.75]
    assert list(held["features"]) == held["auc_test"]["features"] == ["auc_test", "features"]


def test_degenerate_tests_are_said_in_words(run, tmp_path):
    """A feature against an increasing function of itself: p is 1, and why (T8); a resolved direction is named (T1)."""
    path = tmp_path / "twins.csv"
    path.write_text("a,b,y\n1,1,0\n2,4,0\n3,9,1\n1.5,2.25,1\n", encoding="utf-8")
    words = ("compare", str(path), "--label", "y", "--feature", "a", "--feature", "b", "--direction", "auto")
    code, out, _ = run(*words)
    assert code == 0
    assert ["p", "1"] in cells(out, "a, b on the same cases")
    assert "the curves place every case alike" in out
    assert out.count("direction='auto' was resolved here") >= 1
    assert told(run, *words)["flags"] == ["auto_direction", "same_curve"]


def test_an_error_names_the_feature(run, tmp_path):
    """What the library says of x is said of the feature that it is about."""
    path = tmp_path / "few.csv"
    path.write_text("a,b,y\n1,2,0\n2,,0\n3,4,1\n4,1,1\n", encoding="utf-8")
    words = ("compare", str(path), "--label", "y", "--feature", "a", "--feature", "b", "--nan", "omit")
    assert run(*words) == (
        2,
        "",
        "rocpredict: 'b' has 1 row in the negative class; a standard deviation needs 2 or more\n",
    )


def test_an_error_of_a_family_names_the_feature(run, tmp_path):
    """Also where the library's message begins with the class."""
    path = tmp_path / "flat.csv"
    path.write_text("a,b,y\n1,2,0\n2,2,0\n3,4,1\n4,1,1\n", encoding="utf-8")
    words = ("compare", str(path), "--label", "y", "--feature", "a", "--feature", "b")
    for family, said in (("gamma", "the negative class has no"), ("boxcox", "--family 'boxcox' cannot be fitted")):
        code, out, err = run(*words, "--family", family)
        assert (code, out) == (2, "")
        assert err.startswith(f"rocpredict: b: {said}")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            (*WIDTH_AND_LENGTH, "--direction", "auto"),
            "directions (sepal_length higher, sepal_width lower); if that is meant, say --direction higher --direction",
        ),
        ((*IRIS, "--method", "delong"), "--method is for a test of two features, here are none named"),
        ((*THREE, "--margin", "0.1"), "--margin is for a test of two features, here are 3 named; three or more"),
        ((*TWO, "--margin", "0.1"), "--alternative 'two-sided' takes no --margin"),
        ((*TWO, "--alternative", "equivalent"), "--alternative 'equivalent' needs --margin"),
        ((*TWO, "--alternative", "noninferior", "--margin", "2"), "--margin 2.0 is outside the open interval (0, 1)"),
        ((*TWO, "--seed", "1"), "--seed is for a --method that draws at random: bootstrap, permutation, venkatraman"),
        ((*TWO, "--method", "delong", "--resamples", "99"), "--resamples is for a --method that draws at random"),
        ((*TWO, "--method", "bootstrap", "--resamples", "1"), "--resamples 1 is too few"),
        ((*TWO, "--method", "bootstrap", "--seed", "-1"), "--seed -1 is negative"),
        (
            (*TWO, "--method", "venkatraman", "--alternative", "greater"),
            "--method 'venkatraman' has alternative 'two-sided', not 'greater'",
        ),
        ((*TWO, "--level", "95"), "--level 95.0 is outside the open interval (0, 1)"),
        ((*TWO, "--feature", "mass"), "--feature mass is given twice"),
        ((*THREE, "--direction", "higher", "--direction", "lower"), "--direction is given 2 times for 3 features"),
        ((*TWO, "--direction", "auto", "--direction", "lower"), "--direction auto decides for all features"),
        (("compare", "pima", "--feature", "petal"), "pima has no feature 'petal'; features are pregnant"),
        ((*TWO, "--method", "guess"), "invalid choice: 'guess'"),
    ],
)
def test_wrong_options_are_one_line_and_code_2(run, words, said):
    """Every wrong combination: exit code 2, one line on stderr in the words of options, nothing on stdout."""
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1
