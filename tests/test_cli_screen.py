"""``rocpredict screen``: what it prints and writes, its exit codes, and one line for each wrong input."""

import contextlib
import csv
import datetime
import errno
import io
import json
import os
import pty
import re
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import rocpredict as rp
from rocpredict.cli import main

ROWS = 40
Y = np.arange(ROWS) % 2
LABELS = np.where(Y, "sick", "well")


def _frame():
    rng = np.random.default_rng(40)
    return pd.DataFrame(
        {
            "size": rng.normal(size=ROWS) + 2 * Y,
            "weight": np.where(np.arange(ROWS) == 6, np.nan, rng.normal(size=ROWS) - Y),
            "noise": rng.normal(size=ROWS),
            "dose": rng.integers(0, 4, ROWS) + Y,
            "name": [f"case {k}" for k in range(ROWS)],
            "outcome": LABELS,
        }
    )


FRAME = _frame()
ASKED = ("study.csv", "--label", "outcome", "--positive", "sick")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A small study as CSV and Parquet."""
    folder = tmp_path_factory.mktemp("study")
    FRAME.to_csv(folder / "study.csv", index=False)
    FRAME.to_parquet(folder / "study.parquet")
    return folder


@pytest.fixture(autouse=True)
def study(made, tmp_path, monkeypatch):
    """A copy of it in the folder where the command runs."""
    monkeypatch.chdir(tmp_path)
    for path in made.iterdir():
        Path(path.name).write_bytes(path.read_bytes())


@pytest.fixture
def run(capsys):
    """Run the command line in this process: exit code, output, errors."""

    def call(*words):
        code = main(["screen", *map(str, words)])
        out, err = capsys.readouterr()
        return code, out, err

    return call


def table(**options):
    return rp.screen(FRAME, "outcome", positive="sick", **options)


def as_rows(text):
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_a_table_on_the_screen(run):
    """Title, columns, a row for each feature in order, the flags, and what is to be known."""
    code, out, err = run(*ASKED)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "5 features: sick (positive) against well"
    assert [line.split()[0] for line in lines[3:8]] == table()["feature"].tolist()
    assert "not_numeric" in lines[7]
    for words in (
        "Not numeric, and not screened: name.",
        "auc is predicted by two Gaussians, empirical_auc counted.",
        "q_value: benjamini-hochberg over all features.",
    ):
        assert words in out
    assert "nan" not in out.lower()


@pytest.mark.parametrize("data", ["study.csv", "study.parquet"])
def test_json_is_the_librarys_table(run, data):
    """Every digit; NaN as null, flags as a list; strictly JSON."""
    code, out, _ = run(data, *ASKED[1:], "--format", "json")
    assert code == 0
    assert run(data, *ASKED[1:], "--json")[1] == out
    told = json.loads(out, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    assert told["class_pairs"] == [{"negative": "well", "positive": "sick"}]
    assert (told["level"], told["adjust"], told["n_observations"]) == (0.95, "benjamini-hochberg", ROWS)
    expected = table().to_dict()
    for k, row in enumerate(told["features"]):
        assert row["flags"] == expected["flags"][k].split()
        for name in set(row) - {"flags"}:
            value = expected[name][k]
            assert row[name] == (None if value != value else value)  # noqa: PLR0124
    assert len(told["features"]) == 5


def test_csv_and_markdown(run):
    """CSV on the screen is all of the library's CSV; Markdown a table of as many columns in each line."""
    code, out, err = run(*ASKED, "--format", "csv")
    assert (code, out, err) == (0, table().to_csv(), "")
    out = run(*ASKED, "--format", "markdown")[1]
    rows = [line for line in out.splitlines() if line.startswith("|")]
    assert len(rows) == 2 + 5
    assert len({line.count("|") for line in rows}) == 1
    assert rows[2].startswith(f"| {table()['feature'][0]} |")


@pytest.mark.parametrize(
    ("name", "kind"), [("a.csv", "csv"), ("a.json", "json"), ("a.md", "markdown"), ("A.CSV", "csv")]
)
def test_the_suffix_tells_the_format(run, name, kind):
    """A file holds what the screen would show in that format, and one line says what was written; UTF-8."""
    code, out, err = run(*ASKED, "--out", name)
    assert (code, out, err) == (0, f"{name}: 5 rows\n", "")
    assert Path(name).read_bytes().decode() == run(*ASKED, "--format", kind)[1]
    assert {path.name for path in Path().iterdir()} == {name, "study.csv", "study.parquet"}


def test_text_and_parquet_files(run):
    run(*ASKED, "--out", "a.txt")
    assert Path("a.txt").read_text(encoding="utf-8").startswith("5 features: sick")
    code, out, _ = run(*ASKED, "--out", "a.parquet")
    assert (code, out) == (0, "a.parquet: 5 rows\n")
    found = pl.read_parquet("a.parquet")
    assert found["feature"].to_list() == table()["feature"].tolist()
    np.testing.assert_array_equal(found["empirical_auc"].to_numpy(), table()["empirical_auc"])


def test_a_format_goes_before_the_suffix(run):
    run(*ASKED, "--out", "a.txt", "--format", "csv")
    assert Path("a.txt").read_text(encoding="utf-8") == table().to_csv()


def test_top_and_sort(run):
    """So many rows of that order; q-values as among all; on the screen 20 rows unless said otherwise, in files all."""
    for words, expected in (
        (["--top", "2"], table().top(2)),
        (["--sort", "feature"], table().sort("feature")),
        (["--sort", "p_value", "--top", "3"], table().sort("p_value").top(3)),
        (["--top", "0"], table().top(0)),
        (["--top", "99"], table()),
    ):
        assert run(*ASKED, *words, "--format", "csv")[1] == expected.to_csv(), words
    wide = pd.DataFrame(np.random.default_rng(41).normal(size=(ROWS, 30)), columns=[f"f{k}" for k in range(30)])
    wide.assign(outcome=LABELS).to_csv("wide.csv", index=False)
    wide_asked = ("wide.csv", *ASKED[1:])
    assert len(re.findall(r"^ f\d+ ", run(*wide_asked)[1], flags=re.MULTILINE)) == 20
    assert len(re.findall(r"^ f\d+ ", run(*wide_asked, "--top", "25")[1], flags=re.MULTILINE)) == 25
    assert len(as_rows(run(*wide_asked, "--format", "csv")[1])) == 30
    assert run(*wide_asked, "--out", "all.md")[1] == "all.md: 30 rows\n"


def test_a_table_cut_short_says_of_how_many(run):
    """2 rows of 5 features are not "2 features"; one is one."""
    for words, title in (
        ([*ASKED, "--top", "2"], "2 of 5 features: sick (positive) against well"),
        ([*ASKED, "--feature", "size"], "1 feature: sick (positive) against well"),
        (["iris", "--top", "2"], "2 of 12 rows of 3 class pairs"),
    ):
        assert run(*words)[1].splitlines()[0] == title


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_several_files_are_one_table(run, suffix):
    """Rows after each other, columns in any order, as if they stood in one file."""
    parts = FRAME[:11], FRAME[11:30][FRAME.columns[::-1]], FRAME[30:]
    for k, part in enumerate(parts):
        part.to_csv(f"part{k}.csv", index=False) if suffix == "csv" else part.to_parquet(f"part{k}.parquet")
    several = run(*(f"part{k}.{suffix}" for k in range(3)), *ASKED[1:], "--json")
    assert several == run(f"study.{suffix}", *ASKED[1:], "--json")


@pytest.mark.parametrize(
    ("words", "options"),
    [
        (["--empirical", "no"], {"empirical": False}),
        (["--empirical", "top", "--n-top", "2"], {"empirical": "top", "n_top": 2}),
        (["--direction", "lower"], {"direction": "lower"}),
        (["--level", "0.8"], {"level": 0.8}),
        (["--adjust", "holm"], {"adjust": "holm"}),
        (["--engine", "numpy"], {"engine": "numpy"}),
        (["--engine", "numba", "--jobs", "2"], {"engine": "numba", "n_jobs": 2}),
        (["--jobs", "-1"], {"n_jobs": -1}),
        (["--negative", "well"], {"negative": "well"}),
    ],
)
def test_options_are_those_of_the_library(run, words, options):
    assert run(*ASKED, *words, "--format", "csv")[1] == table(**options).to_csv()


def test_chosen_features(run):
    """Those named, in that order; what the others hold does not matter."""
    out = run(*ASKED, "--feature", "noise", "--feature", "size", "--format", "csv")[1]
    expected = rp.screen(FRAME[["noise", "size"]], LABELS, positive="sick")
    assert out == expected.to_csv()


@pytest.mark.parametrize("data", ["study.csv", "study.parquet"])
def test_columns_left_out(run, data):
    """All but those named, whatever they hold; the rest as without them."""
    if data == "study.csv":
        FRAME.assign(noise=["soon", *FRAME["noise"][1:]]).to_csv(data, index=False)
    out = run(data, *ASKED[1:], "--exclude", "noise", "--exclude", "name", "--format", "csv")[1]
    assert out == rp.screen(FRAME.drop(columns=["noise", "name"]), "outcome", positive="sick").to_csv()


def test_features_of_built_in_data_left_out(run):
    names = as_rows(run("pima", "--exclude", "glucose", "--exclude", "mass", "--format", "csv")[1])
    assert {row["feature"] for row in names} == {"pregnant", "pressure", "triceps", "insulin", "pedigree", "age"}


def test_three_labels(run):
    """No --positive: each against the rest, or every pair; the class pairs stand in the table and in JSON."""
    rest = json.loads(run("iris", "--json")[1])
    assert [item["positive"] for item in rest["class_pairs"]] == ["setosa", "versicolor", "virginica"]
    assert {item["negative"] for item in rest["class_pairs"]} == {"rest"}
    assert len(rest["features"]) == 12
    pairs = run("iris", "--pairs", "all")[1]
    assert pairs.splitlines()[0] == "12 rows of 3 class pairs"
    assert "versicolor" in pairs


def test_built_in_data(run):
    """pima knows its labels; zeros that stand for missing values are missing, or taken as zeros, and that is said."""
    data = rp.datasets.load_pima(zeros_as_missing=True)
    expected = rp.screen({name: data.column(name) for name in data.feature_names}, data.y, positive="pos")
    assert run("pima", "--format", "csv")[1] == expected.to_csv()
    assert "zeros in glucose, pressure, triceps, insulin, mass stand for missing values" in run("pima")[1]
    assert "they are left out (--nan raise takes them as they are)" in run("pima")[1]
    assert "--nan omit leaves these rows out" in run("pima", "--nan", "raise")[1]


@pytest.mark.parametrize(("positive", "negative"), [("1", "0"), ("0", "1")])
@pytest.mark.parametrize("kind", ["int", "float", "bool", "text"])
def test_labels_that_are_numbers_or_booleans_may_be_named(run, kind, positive, negative):
    """The class that is named is the positive one, whatever the column's type; CSV and Parquet."""
    held = {"int": Y, "float": Y * 1.0, "bool": Y == 1, "text": Y.astype(str)}[kind]
    names = {"bool": {"1": "True", "0": "False"}}.get(kind, {"1": "1", "0": "0"})
    FRAME.assign(outcome=held).to_csv("kinds.csv", index=False)
    FRAME.assign(outcome=held).to_parquet("kinds.parquet")
    expected = rp.screen(FRAME[["size"]], Y, positive=int(positive))["empirical_auc"][0]
    for path in ("kinds.csv", "kinds.parquet"):
        words = (path, "--label", "outcome", "--positive", names[positive], "--negative", names[negative])
        code, out, err = run(*words, "--feature", "size", "--json")
        assert (code, err) == (0, "")
        assert json.loads(out)["features"][0]["empirical_auc"] == expected


@pytest.mark.parametrize(
    ("held", "word", "label"),
    [
        ([True, False], "true", True),
        ([True, False], "0", False),
        ([1, 2], "1.0", 1),
        ([0.1, 0.25], "0.10", 0.1),
        ([2**53, 2**53 + 1], str(2**53 + 1), 2**53 + 1),
        ([datetime.date(2020, 1, 1), datetime.date(2020, 1, 2)], "2020-01-02", datetime.date(2020, 1, 2)),
        ([datetime.datetime(2020, 1, 1, 6), datetime.datetime(2020, 1, 2)], "2020-01-01T06:00:00", None),
        ([b"a", b"b"], "b", b"b"),
    ],
)
def test_a_label_is_called_by_what_it_looks_like(run, held, word, label):
    """As text it is the word, or it is the same number; neighbours beyond 2**53 are told apart."""
    labels = pl.Series([held[k % 2] for k in range(ROWS)])
    pl.from_pandas(FRAME[["size"]]).with_columns(outcome=labels).write_parquet("called.parquet")
    positive = held.index(label) if label is not None else 0
    expected = rp.screen(FRAME[["size"]], np.arange(ROWS) % 2 == positive)["empirical_auc"][0]
    code, out, err = run("called.parquet", "--label", "outcome", "--positive", word, "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["features"][0]["empirical_auc"] == expected


def test_a_word_is_no_boolean(run):
    """Labels are True and False: any other word is refused, and not taken for True."""
    FRAME.assign(outcome=Y == 1).to_parquet("truth.parquet")
    code, out, err = run("truth.parquet", "--label", "outcome", "--positive", "sick")
    assert (code, out) == (2, "")
    assert "--positive 'sick' is not a label" in err


def test_labels_that_are_dates(run):
    """Parquet keeps dates: as labels they are written as dates, in every format."""
    days = [datetime.date(2020, 1, 1 + k % 3) for k in range(ROWS)]
    FRAME.assign(outcome=days).to_parquet("days.parquet")
    for form in ("csv", "table", "markdown", "json"):
        code, out, err = run("days.parquet", "--label", "outcome", "--format", form)
        assert (code, err) == (0, ""), form
        assert "2020-01-02" in out, form


# Wrong input

WRONG = [
    (["study.csv"], "--label is needed; columns are size, weight, noise, dose, name, outcome"),
    (["study.csv", "--label", "outcome"], "--positive is needed: which of the labels ['sick', 'well'] is the positive"),
    (
        ["study.csv", "--label", "disease"],
        "--label 'disease' is not a column of study.csv; columns are 'size', 'weight'",
    ),
    (["study.parquet", "--label", "disease"], "--label 'disease' is not a column of study.parquet"),
    (["study.csv", "--label", "size", "--positive", "1"], "different values, more than labels would have"),
    (["study.csv", "--label", "name"], "different values, more than labels would have"),
    ([*ASKED[:4], "ill"], "--positive 'ill' is not a label in y; labels are ['sick', 'well']"),
    ([*ASKED, "--negative", "fine"], "--negative 'fine' is not a label in y; labels are ['sick', 'well']"),
    ([*ASKED, "--negative", "sick"], "--negative 'sick' is also the positive label"),
    ([*ASKED, "--feature", "height"], "--feature 'height' is not a column of study.csv; columns are 'size'"),
    ([*ASKED, "--feature", "size", "--feature", "size"], "--feature size is given twice; name different ones"),
    ([*ASKED, "--feature", "outcome"], "'outcome' holds the labels and cannot be a feature too"),
    ([*ASKED, "--feature", "name"], "no column of numbers; its one column holds text, dates or other things: 'name'"),
    (
        [*ASKED, "--nan", "raise", "--feature", "weight"],
        "1 missing values (NaN) in 1 features: weight; --nan omit leaves",
    ),
    ([*ASKED, "--top", "-1"], "--top -1 is negative; it must be 0 or more"),
    ([*ASKED, "--top", "ten"], "argument --top: invalid int value: 'ten'"),
    ([*ASKED, "--sort", "p"], "--sort 'p' is not allowed; choose one of 'discrimination', 'feature'"),
    ([*ASKED, "--level", "95"], "--level 95.0 is outside the open interval (0, 1); rates are fractions, not percent"),
    ([*ASKED, "--jobs", "0"], "--jobs 0 is not 1 or more, nor -1 for one on each processor"),
    ([*ASKED, "--n-top", "0"], "--n-top 0 is below 1"),
    ([*ASKED, "--adjust", "bh"], "argument --adjust: invalid choice: 'bh'"),
    ([*ASKED, "--engine", "cuda"], "argument --engine: invalid choice: 'cuda'"),
    ([*ASKED, "--format", "xml"], "argument --format: invalid choice: 'xml'"),
    ([*ASKED, "--out", "a.doc"], "--out a.doc: its suffix tells no format; add --format table, csv, json, markdown"),
    ([*ASKED, "--out", "nowhere/a.csv"], "nowhere/a.csv cannot be written: No such file or directory"),
    ([*ASKED, "--out", "nowhere/a.parquet"], "nowhere/a.parquet cannot be written: No such file or directory"),
    ([*ASKED, "--out", ".", "--format", "csv"], "cannot be written"),
    (["nowhere.csv", "--label", "x"], "nowhere.csv: No such file or directory"),
    ([".", "--label", "x"], "Is a directory"),
    (["irs"], "irs is neither a file nor a built-in data set (iris, pima, breast_cancer)"),
    (["iris", "pima"], "iris is built-in data; screen it by itself"),
    (["iris", "--positive", "rose"], "--positive 'rose' is not a label in y; labels are ['setosa', 'versicolor'"),
    (["iris", "--feature", "stem"], "iris has no feature 'stem'; features are sepal_length"),
    (["pima", "--feature", "age", "--feature", "age"], "--feature age is given twice; name different ones"),
    (["iris", "--label", "color"], "--label 'color' is for files; iris knows its labels"),
    ([*ASKED, "--exclude", "height"], "--exclude 'height' is not a column of study.csv; columns are 'size'"),
    ([*ASKED, "--exclude", "size", "--exclude", "size"], "--exclude size is given twice; name different ones"),
    ([*ASKED, "--exclude", "size", "--feature", "noise"], "argument --feature: not allowed with argument --exclude"),
    ([*ASKED, *(word for name in FRAME for word in ("--exclude", name))], "study.csv has no column beside the labels"),
    (["iris", "--exclude", "stem"], "iris has no feature 'stem'; features are sepal_length"),
    ([*ASKED, "--json", "--format", "csv"], "--json and --format csv are two formats; choose one"),
    # Options are judged before a file is opened.
    (["nowhere.csv", "--label", "x", "--sort", "p"], "--sort 'p' is not allowed"),
    (["nowhere.csv", "--label", "x", "--top", "-1"], "--top -1 is negative"),
    (["nowhere.csv", "--label", "x", "--level", "2"], "--level 2.0 is outside the open interval (0, 1)"),
    (["nowhere.csv", "--label", "x", "--out", "nowhere/a.csv"], "nowhere/a.csv cannot be written: No such file"),
    (
        ["study.csv", "study.parquet", "--label", "outcome"],
        "study.csv and study.parquet: one is CSV and one is Parquet",
    ),
    ([], "the following arguments are required: FILE"),
]


@pytest.mark.parametrize(("words", "said"), WRONG)
def test_wrong_input_is_one_line_and_code_2(run, words, said):
    """Exit code 2, nothing on stdout, one line on stderr in the words of the command line, and no file."""
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert err.startswith("rocpredict: ")
    assert err.count("\n") == 1
    assert said in err
    assert not re.search(r"\b(label|only|y|positive|feature_names|n_jobs|nan_policy|by|k)=", err)
    assert {path.name for path in Path().iterdir()} == {"study.csv", "study.parquet"}


def _with(line, text):
    lines = FRAME.to_csv(index=False).splitlines()
    lines[line - 1] = text
    Path("broken.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.mark.parametrize("reader", ["polars", "python"])
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1,2,3", "broken.csv, line 7: 3 cells where the header has 6"),
        ("1,2,3,4,a,b,c", "broken.csv, line 7: 7 cells where the header has 6"),
        ('1,2,3,4,"a,well', "broken.csv, line"),
        ("1,2,3,4,a,", "broken.csv, line 7: column 'outcome' has no label"),
        ("1,2,3,4,a,NA", "broken.csv, line 7: column 'outcome' has no label"),
        ("1,2,soon,4,a,well", "broken.csv, line 7: column 'noise' holds 'soon', which is not a number, among numbers"),
        ('1,2,"1,5",4,a,well', "broken.csv, line 7: column 'noise' holds '1,5', which is not a number, among numbers"),
        ("1,2,3,1.2.3,a,well", "broken.csv, line 7: column 'dose' holds '1.2.3', which is not a number, among numbers"),
        ("1,2,3,4 mg,a,well", "broken.csv, line 7: column 'dose' holds '4 mg', which is not a number, among numbers"),
    ],
)
def test_a_broken_line_is_named(run, monkeypatch, reader, text, said):
    """Its number, column and cell, whichever reader; a column is never turned into text by one broken value."""
    if reader == "python":
        monkeypatch.setitem(sys.modules, "polars", None)
    _with(7, text)
    code, out, err = run("broken.csv", *ASKED[1:])
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert said in err


def test_a_broken_line_of_the_second_file_is_named(run):
    """The line within its own file; also where all of the column in the first file is text."""
    FRAME[:20].to_csv("first.csv", index=False)
    _with(7, "1,2,soon,4,a,well")
    assert "broken.csv, line 7: column 'noise' holds 'soon'" in run("first.csv", "broken.csv", *ASKED[1:])[2]
    FRAME[:20].assign(noise="x").to_csv("first.csv", index=False)
    words = run("first.csv", "study.csv", *ASKED[1:])[2]
    assert "first.csv, line 2: column 'noise' holds 'x', which is not a number, among numbers" in words


def test_files_that_do_not_go_together(run):
    FRAME.drop(columns="dose").to_csv("less.csv", index=False)
    assert "less.csv has no column 'dose', which study.csv has" in run("study.csv", "less.csv", *ASKED[1:])[2]
    FRAME.assign(dose="much").to_parquet("words.parquet")
    words = run("study.parquet", "words.parquet", *ASKED[1:])
    assert words[0] == 2
    assert "words.parquet: column 'dose' holds" in words[2]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"", "broken.csv is empty"),
        (b"a,outcome\n", "broken.csv has a header and no rows"),
        (b"a,a,outcome\n1,2,x\n", "has the column name 'a' twice"),
        (b"a,outcome\n\xff\xfe,x\n", "UTF-8"),
        (b"a|outcome\n1|x\n", "cells are separated by '|' here; commas, semicolons or tabs are needed"),
        (b"PAR1 and nothing else", "cannot be read as Parquet"),
    ],
)
def test_files_of_another_kind(run, text, said):
    Path("broken.csv").write_bytes(text)
    code, out, err = run("broken.csv", *ASKED[1:])
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert said in err


# Files are written whole or not at all


@pytest.mark.parametrize("name", ["a.csv", "a.json", "a.parquet", "a.md"])
@pytest.mark.parametrize("stage", ["write", "replace"])
def test_a_failing_write_leaves_the_old_file(run, monkeypatch, name, stage):
    """No room on the disk, or no leave to rename: one line, the old file as it was, and no other file left behind."""
    Path(name).write_bytes(b"as it was")
    files = {path.name for path in Path().iterdir()}

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    if stage == "replace":
        monkeypatch.setattr(Path, "replace", full)
    else:
        monkeypatch.setattr("rocpredict.base.files.os.chmod", full)
    code, out, err = run(*ASKED, "--out", name)
    assert (code, out, err) == (1, "", f"rocpredict: {name} cannot be written: No space left on device\n")
    assert Path(name).read_bytes() == b"as it was"
    assert {path.name for path in Path().iterdir()} == files


def test_wrong_input_leaves_the_old_file(run):
    Path("a.csv").write_bytes(b"as it was")
    for words in (["--sort", "p"], ["--top", "-1"], ["--level", "2"], ["--feature", "height"]):
        assert run(*ASKED, "--out", "a.csv", *words)[0] == 2
        assert Path("a.csv").read_bytes() == b"as it was"


def test_an_old_file_is_replaced_whole(run):
    Path("a.csv").write_text("x" * 100_000, encoding="utf-8")
    assert run(*ASKED, "--out", "a.csv")[0] == 0
    assert Path("a.csv").read_text(encoding="utf-8") == table().to_csv()
    assert stat.S_IMODE(Path("a.csv").stat().st_mode) & 0o600 == 0o600


def test_rights_stay_as_they_are(run):
    """A file that only its owner may read is not opened to others by being written anew."""
    Path("a.csv").write_text("x", encoding="utf-8")
    Path("a.csv").chmod(0o600)
    run(*ASKED, "--out", "a.csv")
    assert stat.S_IMODE(Path("a.csv").stat().st_mode) == 0o600


def test_a_link_is_followed(run):
    """The file that it leads to is written, made where there is none, and the link stays."""
    Path("there").mkdir()
    Path("there/old.csv").write_text("x", encoding="utf-8")
    for name in ("old.csv", "new.csv"):
        Path(name).symlink_to(Path("there", name))
        assert run(*ASKED, "--out", name)[0] == 0
        assert Path(name).is_symlink()
        assert Path("there", name).read_text(encoding="utf-8") == table().to_csv()
    Path("ring.csv").symlink_to("ring.csv")
    assert run(*ASKED, "--out", "ring.csv")[0] == 2
    assert Path("ring.csv").is_symlink()


def test_what_is_no_file_is_not_replaced_by_one(run):
    """A named pipe is written to and stays what it is; only what is no file's name is said of it: nothing."""
    os.mkfifo("pipe.csv")
    reader = os.open("pipe.csv", os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert run(*ASKED, "--out", "pipe.csv") == (0, "", "")
        assert stat.S_ISFIFO(os.stat("pipe.csv").st_mode)
        assert os.read(reader, 65536).decode() == table().to_csv()
    finally:
        os.close(reader)
    assert run(*ASKED, "--out", "/dev/null", "--format", "csv") == (0, "", "")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_stdout_by_its_name(run):
    """Redirected to a file /dev/stdout is what follows in it, and the file is neither begun anew nor replaced."""
    words = [sys.executable, "-m", "rocpredict", "screen", *ASKED, "--out", "/dev/stdout", "--format", "csv"]
    with open("all.txt", "w", encoding="utf-8") as file:
        file.write("before\n")
        file.flush()
        subprocess.run(words, stdout=file, check=True)
        file.write("after\n")
    assert Path("all.txt").read_text(encoding="utf-8") == f"before\n{table().to_csv()}after\n"


# The terminal


@pytest.fixture
def on_a_terminal(monkeypatch, capsys):
    """Run with a terminal as stderr: exit code, output, what the terminal got."""

    def call(*words):
        ours, theirs = pty.openpty()
        monkeypatch.setenv("TERM", "xterm")
        with monkeypatch.context() as patched, os.fdopen(theirs, "w", encoding="utf-8") as terminal:
            patched.setattr(sys, "stderr", terminal)
            code = main(["screen", *words])
        drawn = b""
        with contextlib.suppress(OSError):  # the other end is closed
            while more := os.read(ours, 65536):
                drawn += more
        os.close(ours)
        return code, capsys.readouterr().out, drawn.decode()

    return call


def test_a_bar_on_a_terminal_and_nowhere_else(run, on_a_terminal):
    """Piped: nothing on stderr, no escape codes anywhere. On a terminal: a bar, the same output, nothing left of it."""
    code, out, err = run(*ASKED)
    assert (code, err) == (0, "")
    assert "\x1b" not in out
    code, there, drawn = on_a_terminal(*ASKED)
    assert (code, there) == (0, out)
    assert "features" in drawn
    assert drawn.endswith("\x1b[2K")  # the line is erased


def test_an_error_on_a_terminal_is_one_line_too(on_a_terminal):
    """The bar is gone, the message stands."""
    code, out, drawn = on_a_terminal(*ASKED[:4], "ill")
    assert (code, out) == (2, "")
    assert "Traceback" not in drawn
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", drawn).replace("\r", "\n")
    assert [line for line in plain.splitlines() if line.strip() and "━" not in line] == [
        "rocpredict: --positive 'ill' is not a label in y; labels are ['sick', 'well']"
    ]


def test_names_cannot_break_the_output(run):
    """Bars, line breaks, markup, quotes, escapes: CSV and JSON give names back; a row of a table is one line."""
    names = ["a|b", "new\nline", "[red]x[/red]", 'q"t', "<b>", "é 日本", "\x1b[31mred", "a\u2028b", "b\\"]
    held = pd.DataFrame(FRAME[["size"] * len(names)].to_numpy(), columns=names).assign(outcome=LABELS)
    held.to_csv("names.csv", index=False)
    words = ("names.csv", *ASKED[1:])
    assert [row["feature"] for row in as_rows(run(*words, "--format", "csv")[1])] == names
    assert [row["feature"] for row in json.loads(run(*words, "--json")[1])["features"]] == names
    shown = run(*words)[1]
    assert "[red]x[/red]" in shown
    assert "new\\nline" in shown
    assert "\x1b" not in shown
    rows = [line for line in run(*words, "--format", "markdown")[1].splitlines() if line.startswith("|")]
    assert len(rows) == 2 + len(names)
    assert all(line.rstrip().endswith("|") for line in rows)


def test_help_teaches(run, capsys):
    """The help has examples that can be pasted, and says what each option is by default."""
    with pytest.raises(SystemExit):
        main(["screen", "--help"])
    said = capsys.readouterr().out
    for words in ("rocpredict screen iris --positive virginica", "--label COLUMN", "--top N", "--out FILE"):
        assert words in said
    code, out, _ = run("iris", "--positive", "virginica", "--negative", "versicolor")
    assert code == 0
    assert "petal_width" in out
