"""Wrong input at the command line: exit code 2, one line in the words of its options, and no file."""

import re
from pathlib import Path

import numpy as np
import pytest

from rocpredict.base.files import format_csv
from tests.cases import check_each, optional

pd = optional("pandas")
TWO_CLASSES = "--mean 4 8 --std 3 2"
PAIR = "compare pima --feature glucose --feature mass"
TRIO = f"{PAIR} --feature age"
IRIS = "compare iris --positive versicolor --negative setosa"
AGE = "diagnose pima --feature age --resamples 60"
PLAN = f"sample-size {TWO_CLASSES}"
SECOND = "--against-mean 4 7 --against-std 3 2"
STUDY = "screen study.csv --label outcome --positive sick"
TEACH = "teach study.csv --label outcome"
NO_FILE = "screen nowhere.csv --label x"
PREDICT = {
    "predict --mean 4 8 --std -3 2": "--std -3.0 is negative; it must be 0 or more",
    "predict --mean 4 nan --std 3 2": "--mean nan contains NaN",
    "predict --mean 4 8": "pass one of --std, --sem, --iqr (with --median) or --effect-size",
    "predict --mean 4 --std 3 2": "argument --mean: expected 2 arguments",
    "predict --mean 4 x --std 3 2": "invalid float value: 'x'",
    "predict --mean 4,2 8 --std 3 2": "invalid float value: '4,2'; pass 4.2 for one number, or 4 2 for two",
    f"predict {TWO_CLASSES} --level 0.9": "--level needs --count, because confidence intervals depend",
    f"predict {TWO_CLASSES} --count 9 9 --level 95": "--level 95.0 is outside",
    f"predict {TWO_CLASSES} --count 9 9 --family gamma --level 95": "--level 95.0 is outside",
    f"predict {TWO_CLASSES} --plot missing/roc.png": "missing/roc.png cannot be written: No such file or directory",
    f"predict {TWO_CLASSES} --criterion best": "--criterion 'best' is not allowed",
    f"predict {TWO_CLASSES} --count 12.5 20": "--count 12.5 is not a whole number; pass a whole number",
    f"predict {TWO_CLASSES} --criterion f1": "such as --prevalence 0.1, or class counts",
    f"predict {TWO_CLASSES} --prevalence 10": "fractions, not percent",
    f"predict {TWO_CLASSES} --family normal": "invalid choice: 'normal'",
    f"predict {TWO_CLASSES} --plot roc.doc": "pass a name that ends in .svg or .png or .pdf",
    f"predict {TWO_CLASSES} --family exponential": "--std 3.0 differs from --mean 4",
    "predict --mean -4 8 --std 3 2 --family gamma": "--mean -4 is outside the support of --family 'gamma'",
    "predict --effect-size 1 --family gamma": "--family 'gamma' does not accept --effect-size; pass --mean with",
    "predict --median 4 8 --iqr 3 5 6": "--iqr [3.0, 5.0, 6.0] is not a pair",
    "paper --seed -1": "--seed -1 is negative",
    "paper --out study.csv/below": "cannot be written",
    "screeen": "invalid choice: 'screeen'",
}
COMPARE = {
    "compare nowhere.csv --label y --feature x": "nowhere.csv: No such file",
    "compare iris": "--positive is needed",
    "compare iris --positive rose": "--positive 'rose' is not a label in the data",
    "compare iris --positive setosa --feature stem": "iris has no feature 'stem'; its features are sepal_length",
    "compare breast_cancer --plot x.svg": "--plot supports at most 20 features, but 30 are selected; select fewer",
    "compare irs --positive setosa": "irs is not a file, a folder or a built-in data set (iris, pima, ",
    "compare pima --feature petal": "pima has no feature 'petal'; its features are pregnant",
    "compare pima --feature insulin --family gamma": "insulin: --family 'gamma' needs values above 0",
    f"{IRIS} --feature sepal_length --feature sepal_width --direction auto": (
        "directions for the features (sepal_length higher, sepal_width lower); to test the features in these "
        "directions, pass --direction higher --direction"
    ),
    f"{IRIS} --method delong": "--method applies to a test of two features, but none are selected",
    "compare pima --feature age --method delong": "applies to a test of two features, but 1 is selected; select two",
    f"{TRIO} --margin 0.1": "--margin applies to a test of two features, but 3 are selected; omit it (three or more",
    f"{PAIR} --margin 0.1": "--alternative 'two-sided' takes no margin; omit --margin",
    f"{PAIR} --alternative equivalent": "--alternative 'equivalent' needs --margin; pass a number in (0, 1)",
    f"{PAIR} --alternative noninferior --margin 2": "--margin 2.0 is outside the open interval (0, 1)",
    f"{PAIR} --seed 1": "--seed needs a --method that uses random numbers; pass one of bootstrap, venkatraman",
    f"{PAIR} --method dirichlet": "invalid choice: 'dirichlet'",
    f"{PAIR} --method bootstrap --resamples 1": "--resamples 1 is too few",
    f"{PAIR} --method bootstrap --seed -1": "--seed -1 is not a valid seed",
    f"{PAIR} --method venkatraman --alternative greater": (
        "--method 'venkatraman' requires --alternative 'two-sided', not 'greater'"
    ),
    f"{PAIR} --feature mass": "--feature mass is passed twice",
    f"{TRIO} --direction higher --direction lower": "--direction is passed 2 times for 3 features",
    f"{PAIR} --direction auto --direction lower": "--direction auto applies to all features",
    f"{PAIR} --method guess": "invalid choice: 'guess'",
}
DIAGNOSE = {
    "diagnose pima": "diagnose needs one feature, but 8 are selected; select one with --feature",
    f"{AGE} --feature mass": "diagnose needs one feature, but 2 are selected",
    "diagnose iris --feature petal_width": "--positive is needed",
    f"{AGE} --family empirical": "age: --family 'empirical' fits no model, so there is nothing to diagnose",
    f"{AGE} --resamples 3": "--resamples 3 is too few; pass 20 or more",
}
SAMPLE_SIZE = {
    PLAN: "neither --width nor --power was passed; pass --width, or --power with --against",
    f"{PLAN} --width 0.1 --power 0.9 --against 0.5": "both --width and --power were passed; pass --width, or",
    "sample-size --width 0.1": "neither --mean nor --auc is passed; pass --mean with --std, or --auc",
    f"{PLAN} --auc 0.7 --width 0.1": "both --mean and --auc are passed; pass --mean with --std, or --auc",
    "sample-size --mean 4 8 --width 0.1": "--mean is passed without --std; pass both",
    f"{PLAN} --width 1.5": "--width 1.5 is outside the open interval (0, 1)",
    f"{PLAN} --power 0.9": "--power needs --against; pass the AUC under the null hypothesis or a second curve",
    f"{PLAN} --power 0.01 --against 0.5": "--power 0.01 is not above the significance level 1 - level = 0.05",
    f"{PLAN} --width 0.1 --against 0.5": "--width cannot be combined with --against 0.5, because a confidence interval",
    f"{PLAN} --width 0.1 --correlation 0.5": (
        "--correlation needs a second feature; pass --against-mean and --against-std"
    ),
    f"{PLAN} --width 0.1 --against-mean 4 7 --against-std 3 -2": "--against-std -2.0 is negative",
    f"{PLAN} --width 0.1 --against-mean 4 7": "--against-std is missing; pass --against-mean and --against-std",
    f"{PLAN} --width 0.1 --against 0.5 --against-mean 4 7": (
        "--against is a value, but --against-mean and --against-std describe a second curve; pass either the value"
    ),
    f"{PLAN} --width 0.1 {SECOND} --correlation 2": "--correlation 2.0 is outside [-1, 1]",
    f"{PLAN} --width 0.1 {SECOND} --correlation 0 0 0": "--correlation [0.0, 0.0, 0.0] is not a pair",
    f"{PLAN} --power 0.8 --against 0.5 --tpr-at-fpr 0.1": "with --tpr-at-fpr, a study can be planned only",
    f"{PLAN} --width 0.1 --level 95": "--level 95.0 is outside",
    f"{PLAN} --width 0.1 --ratio -1": "--ratio -1.0 is not a number in (0, 1e+06]",
    f"{PLAN} --width 0.1 --method empirical": "--method 'empirical' is not available for this design; choose one of",
    f"{PLAN} --width 0.1 --alternative greater": "--alternative 'greater' applies only to a test; omit it when passing "
    "--width",
    "sample-size --mean 0 100 --std 1 1 --width 0.1": "the AUC of roc, 1, has no sampling variation; pass overlapping",
}
SCREEN = {
    "screen study.csv": "--label is needed; pass one of these columns: size, weight, noise, name, outcome",
    "screen study.csv --label outcome": ("--positive is needed: which of the labels ['sick', 'well'] is the positive"),
    "screen study.csv --label disease": (
        "--label 'disease' is not a column of study.csv; columns are 'size', 'weight'"
    ),
    "screen study.csv --label size --positive 1": "different values, too many for class labels",
    "screen study.csv --label outcome --positive ill": (
        "--positive 'ill' is not a label in the data; labels are ['sick', 'well']"
    ),
    f"{STUDY} --negative fine": "--negative 'fine' is not a label in the data; labels are ['sick', 'well']",
    f"{STUDY} --negative sick": "--negative 'sick' is also the positive label",
    f"{STUDY} --feature height": "--feature 'height' is not a column of study.csv; columns are 'size'",
    f"{STUDY} --feature size --feature size": "--feature size is passed twice; pass each column once",
    f"{STUDY} --feature outcome": "'outcome' is the label column and cannot also be a feature",
    f"{STUDY} --feature name": "no numeric column; its only column holds text, dates or other objects: 'name'",
    f"{STUDY} --nan raise --feature weight": "in 1 feature: weight; pass --nan omit to omit them",
    f"{STUDY} --top 0": "--top 0 is below 1; pass 1 or more",
    f"{STUDY} --family auto --empirical histogram": "--family 'auto' is not available with --empirical histogram; use "
    "--empirical yes or --empirical top, or --family 'gaussian'",
    f"{STUDY} --sort p": "--sort 'p' is not allowed; choose one of 'discrimination', 'feature'",
    f"{STUDY} --level 95": "--level 95.0 is outside the open interval (0, 1); pass fractions, not percentages",
    f"{STUDY} --jobs 0": "--jobs 0 is not valid; pass a positive integer, or -1 for one thread per processor",
    f"{STUDY} --n-top 0": "--n-top 0 is below 1",
    f"{STUDY} --adjust bh": "argument --adjust: invalid choice: 'bh'",
    f"{STUDY} --out a.doc": "--out a.doc: the suffix does not name a format; pass --format with one of table, csv",
    f"{STUDY} --out nowhere/a.csv": "nowhere/a.csv cannot be written: No such file or directory",
    f"{STUDY} --out . --format csv": "cannot be written",
    NO_FILE: "nowhere.csv: No such file or directory",
    "screen bad.csv --label y --positive p": "not a number; correct it, or leave the column out with --exclude",
    "screen . --label x": ". is a folder that contains CSV and Parquet files; pass a pattern such as *.csv",
    "screen iris pima": "the built-in data set iris cannot be combined with other data",
    "screen iris --positive rose": "--positive 'rose' is not a label in the data; labels are ['setosa', 'versicolor'",
    "screen iris --feature stem": "iris has no feature 'stem'; its features are sepal_length",
    "screen iris --label color": "--label 'color' applies to files only; omit it when using built-in data (iris)",
    f"{STUDY} --exclude height": "--exclude 'height' is not a column of study.csv; columns are 'size'",
    f"{STUDY} --exclude size --feature noise": "argument --feature: not allowed with argument --exclude",
    f"{STUDY} --exclude size --exclude weight --exclude noise --exclude name --exclude outcome": (
        "study.csv has no column other than the labels"
    ),
    f"{STUDY} --json --format csv": "--json cannot be combined with --format csv; pass one of them",
    # Options are judged before a file is opened.
    f"{NO_FILE} --sort p": "--sort 'p' is not allowed",
    f"{NO_FILE} --top -1": "--top -1 is below 1",
    f"{NO_FILE} --level 2": "--level 2.0 is outside the open interval (0, 1)",
    f"{NO_FILE} --out nowhere/a.csv": "nowhere/a.csv cannot be written: No such file",
    "screen study.csv study.parquet --label outcome": "study.csv is a CSV file, but study.parquet is a Parquet file",
    "screen": "the following arguments are required: FILE",
}
TEACHING = {
    "teach irises": "irises is not a file, a folder or a built-in data set (iris, pima, breast_cancer)",
    "teach study.csv": "--label is needed; pass a column of study.csv: size, weight, noise, name, outcome",
    "teach study.csv --label kind": "no column 'kind'",
    TEACH: "--positive is needed",
    f"{TEACH} --positive sick --feature name": "which is not a number",
    f"{TEACH} --positive sick --feature a --feature a": "passed twice",
    "teach iris --feature petal": "--feature 'petal' is not allowed",
    "teach iris --feature petal_width --feature petal_length": (
        "--feature is passed 2 times; pass it once (to use several features, pass a CSV file)"
    ),
    f"teach iris {TWO_CLASSES}": "--mean and --std describe two Gaussians and cannot be combined with DATA",
    "teach --mean 4 8": "must be passed together",
    "teach --mean 4 8 --std 3 -2": "--std -2.0 is not allowed",
    "teach --mean 4 8 --std 0 2": "--std 0.0 is not allowed",
    "teach --positive sick": "--positive needs data; pass DATA, or --mean and --std",
    f"teach --label y {TWO_CLASSES}": "--label needs data; pass DATA",
    f"teach {TWO_CLASSES} --negative a --positive a": "--positive 'a' is also the negative class",
    "teach --prevalence 1": "--prevalence 1.0 is outside the open interval (0, 1)",
    "teach iris --unit cm": "--unit 'cm' needs your own data in x",
    "teach --port 70000": "--port 70000 is not allowed; pass an integer from 0 to 65535 (0 selects any free port)",
    "teach --save study.csv/teach.html": "cannot be written",
    "teach bad.csv --label y --positive p --save t.html": (
        "rocpredict: bad.csv, line 3: column 'a' contains 'abc', which is not a number; "
        "correct it, or leave the column out\n"
    ),
}


@pytest.fixture
def study(tmp_path, monkeypatch):
    """A folder with a small table as CSV and Parquet, and one whose only column of numbers is broken."""
    monkeypatch.chdir(tmp_path)
    rng, positive = np.random.default_rng(40), np.arange(40) % 2
    weight = np.where(np.arange(40) == 6, np.nan, rng.normal(size=40) - positive)
    columns = {"size": rng.normal(size=40) + 2 * positive, "weight": weight, "noise": rng.normal(size=40)}
    names = {"name": [f"case {k}" for k in range(40)], "outcome": np.where(positive, "sick", "well")}
    rows = [list(columns | names), *zip(*columns.values(), *names.values(), strict=True)]
    Path("study.csv").write_text(format_csv(rows).replace("nan", ""), encoding="utf-8")
    Path("study.parquet").write_bytes(b"PAR1")
    if pd:
        pd.DataFrame(columns | names).to_parquet("study.parquet")
    Path("bad.csv").write_text("a,y\n1,n\nabc,p\n", encoding="utf-8")


@pytest.mark.parametrize(
    "errors",
    [PREDICT, COMPARE, DIAGNOSE, SAMPLE_SIZE, SCREEN, TEACHING],
    ids=["predict", "compare", "diagnose", "sample-size", "screen", "teach"],
)
def test_wrong_input_is_one_line_and_code_2(run, study, errors):
    """Nothing on stdout, one line on stderr without the name of an argument, and no file."""

    def check(words):
        code, out, err = run(words)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert errors[words] in err
        assert err.startswith("rocpredict: ")
        assert not re.search(r"\b\w+=", err)
        assert {path.name for path in Path().iterdir()} == {"study.csv", "study.parquet", "bad.csv"}

    check_each({words: words for words in errors}, check)
