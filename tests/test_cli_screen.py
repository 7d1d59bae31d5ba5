"""``rocpredict screen``: what it prints and writes, and what it refuses in files."""

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
import pytest

import rocpredict as rp
from rocpredict.base.files import format_csv
from tests.cases import ENGINES, check_each, optional

ROWS = 40
Y = np.arange(ROWS) % 2
LABELS = np.where(Y, "sick", "well")
OUTCOME = "--label outcome --positive sick"
STUDY = f"screen study.csv {OUTCOME}"
RNG = np.random.default_rng(40)
COLUMNS = {
    "size": RNG.normal(size=ROWS) + 2 * Y,
    "weight": np.where(np.arange(ROWS) == 6, np.nan, RNG.normal(size=ROWS) - Y),
    "noise": RNG.normal(size=ROWS),
    "dose": RNG.integers(0, 4, ROWS) + Y,
    "name": [f"case {k}" for k in range(ROWS)],
    "outcome": LABELS,
}
pd, pl = optional("pandas"), optional("polars")
FRAME = pd.DataFrame(COLUMNS) if pd else None


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A small study as CSV and Parquet."""
    folder = tmp_path_factory.mktemp("study")
    text = format_csv([list(COLUMNS), *zip(*COLUMNS.values(), strict=True)]).replace("nan", "")
    (folder / "study.csv").write_text(text, encoding="utf-8")
    if pd:
        FRAME.to_parquet(folder / "study.parquet")
    return folder


@pytest.fixture(autouse=True)
def study(written, tmp_path, monkeypatch):
    """A copy of the study in the folder where the command runs."""
    monkeypatch.chdir(tmp_path)
    for path in written.iterdir():
        Path(path.name).write_bytes(path.read_bytes())


def files():
    return {path.name for path in Path().iterdir()}


def table(**options):
    return rp.screen(COLUMNS, "outcome", positive="sick", **options)


def as_rows(text):
    return list(csv.DictReader(io.StringIO(text, newline="")))


def first_auc(run, line):
    code, out, err = run(line, "--json")
    assert (code, err) == (0, "")
    return json.loads(out)["features"][0]["empirical_auc"]


# ---- formats
def test_a_table_on_the_screen(run):
    """Title, columns, a row for each feature in order, the flags, and what is to be known."""
    code, out, err = run(STUDY)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "5 features (4 numeric): sick (positive) against well"
    assert [line.split()[0] for line in lines[3:8]] == table()["feature"].tolist()
    assert "not_numeric" in lines[7]
    for words in (
        "Columns that were not screened, because they are not numeric: name; name contains 'case 0'.",
        "auc is predicted from two Gaussians; empirical_auc is computed from ranks.",
        "q_value is p_value adjusted for multiple testing of all numeric features (benjamini-hochberg).",
    ):
        assert words in out
    assert "nan" not in out.lower()


def test_the_formats_of_the_output(run):
    assert run(STUDY, "--json") == run(STUDY, "--format", "json") == (0, f"{table().to_json()}\n", "")
    assert run(STUDY, "--format", "csv") == (0, table().to_csv(), "")
    out = run(STUDY, "--format", "markdown")[1]
    rows = [line for line in out.splitlines() if line.startswith("|")]
    assert len(rows) == 2 + 5
    assert len({line.count("|") for line in rows}) == 1
    assert rows[2].startswith(f"| {table()['feature'][0]} |")


@pytest.mark.extra("polars")
def test_the_suffix_names_the_format(run):
    for name, kind in {"a.csv": "csv", "a.json": "json", "a.md": "markdown", "A.CSV": "csv"}.items():
        before = files()
        assert run(STUDY, "--out", name) == (0, f"{name}: 5 rows\n", "")
        assert Path(name).read_bytes().decode() == run(STUDY, "--format", kind)[1]
        assert files() == before | {name}
    run(STUDY, "--out", "a.txt")
    assert Path("a.txt").read_text(encoding="utf-8").startswith("5 features (4 numeric): sick")
    run(STUDY, "--out", "a.txt", "--format", "csv")
    assert Path("a.txt").read_text(encoding="utf-8") == table().to_csv()
    assert run(STUDY, "--out", "a.parquet") == (0, "a.parquet: 5 rows\n", "")
    frame = pl.read_parquet("a.parquet")
    assert frame["feature"].to_list() == table()["feature"].tolist()
    np.testing.assert_array_equal(frame["empirical_auc"].to_numpy(), table()["empirical_auc"])


def test_top_and_sort(run):
    """The first rows in this order, with q-values as among all rows. 20 rows are printed by default; files have all."""
    for words, expected in {
        "--top 2": table().top(2),
        "--sort feature": table().sort("feature"),
        "--sort p_value --top 3": table().sort("p_value").top(3),
        "--top 99": table(),
    }.items():
        assert run(f"{STUDY} {words} --format csv")[1] == expected.to_csv(), words
    values = np.random.default_rng(41).normal(size=(ROWS, 30)).tolist()
    rows = [
        [*(f"f{k}" for k in range(30)), "outcome"],
        *([*row, label] for row, label in zip(values, LABELS, strict=True)),
    ]
    Path("wide.csv").write_text(format_csv(rows), encoding="utf-8")
    line = f"screen wide.csv {OUTCOME}"
    assert len(re.findall(r"^ f\d+ ", run(line)[1], flags=re.MULTILINE)) == 20
    assert len(re.findall(r"^ f\d+ ", run(line, "--top", 25)[1], flags=re.MULTILINE)) == 25
    assert len(as_rows(run(line, "--format", "csv")[1])) == 30
    assert run(line, "--out", "all.md")[1] == "all.md: 30 rows\n"


def test_a_table_cut_short_counts_all(run):
    """2 rows of 5 features are not called "2 features"; a single feature is "1 feature"."""
    for line, title in {
        f"{STUDY} --top 2": "2 of 5 features (4 numeric): sick (positive) against well",
        f"{STUDY} --feature size": "1 feature: sick (positive) against well",
        "screen iris --top 2": "2 of 12 rows for 3 class pairs",
    }.items():
        assert run(line)[1].splitlines()[0] == title


# ---- data and options


def test_options_are_those_of_the_library(run):
    expected = {
        "--empirical no": {"empirical": False},
        "--empirical top --n-top 2": {"empirical": "top", "n_top": 2},
        "--direction lower": {"direction": "lower"},
        "--level 0.8": {"level": 0.8},
        "--adjust holm": {"adjust": "holm"},
        "--engine numpy": {"engine": "numpy"},
        f"--engine {ENGINES[-1]} --jobs 2": {"engine": ENGINES[-1], "n_jobs": 2},
        "--jobs -1": {"n_jobs": -1},
        "--negative well": {"negative": "well"},
    }
    for words, options in expected.items():
        assert run(f"{STUDY} {words} --format csv")[1] == table(**options).to_csv(), words


@pytest.mark.extra("pandas")
@pytest.mark.parametrize("data", ["study.csv", "study.parquet"])
def test_chosen_columns(run, data):
    """The named columns in this order, or all other columns; the values of unused columns do not matter."""
    if data == "study.csv":
        FRAME.assign(dose=["soon", *FRAME["dose"][1:]]).to_csv(data, index=False)
    line = f"screen {data} {OUTCOME} --format csv"
    expected = rp.screen(FRAME[["noise", "size"]], LABELS, positive="sick")
    assert run(f"{line} --feature noise --feature size")[1] == expected.to_csv()
    expected = rp.screen(FRAME.drop(columns=["dose", "name"]), "outcome", positive="sick")
    assert run(f"{line} --exclude dose --exclude name")[1] == expected.to_csv()
    rows = as_rows(run("screen pima --exclude glucose --exclude mass --format csv")[1])
    assert {row["feature"] for row in rows} == {"pregnant", "pressure", "triceps", "insulin", "pedigree", "age"}


def test_three_labels(run):
    """No --positive: each against the rest, or every pair; the class pairs stand in the table and in JSON."""
    rest = json.loads(run("screen iris --json")[1])
    assert [item["positive"] for item in rest["class_pairs"]] == ["setosa", "versicolor", "virginica"]
    assert {item["negative"] for item in rest["class_pairs"]} == {"rest"}
    assert len(rest["features"]) == 12
    pairs = run("screen iris --pairs all")[1]
    assert pairs.splitlines()[0] == "12 rows for 3 class pairs"
    assert "versicolor" in pairs
    note = "Rest: versicolor (50), virginica (50)."
    assert note in run("screen iris --positive setosa")[1]
    iris = rp.datasets.load_iris()
    one = rp.screen(iris.X, iris.y, positive="setosa")
    assert (one.rest_note, note in str(one.table())) == (note, True)
    many = np.repeat([f"label\n{k:02}" for k in range(12)], 2)
    shown = rp.screen(np.arange(24.0)[:, None], many, positive=many[0]).rest_note
    assert shown.startswith("Rest: label 01 (2), label 02 (2), ")
    assert shown.endswith("label 10 (2), ... (11 in all).")
    assert "Rest" not in str(rp.screen(iris.X, iris.y, positive="setosa", negative="virginica").table())


def test_built_in_data(run):
    """The labels of pima need no option; zeros that stand for missing values are missing, or kept with a note."""
    data = rp.datasets.load_pima(zeros_as_missing=True)
    expected = rp.screen({name: data.column(name) for name in data.feature_names}, data.y, positive="pos")
    assert run("screen pima --format csv")[1] == expected.to_csv()
    out = run("screen pima")[1]
    assert "zeros in glucose, pressure, triceps, insulin, mass stand for missing values" in out
    assert "These zeros are treated as missing. To keep them as values, use --nan raise (zeros are not NaN" in out
    assert "kept as values (use --nan omit to omit these observations)" in run("screen pima --nan raise")[1]


@pytest.mark.extra("pandas", "polars")
def test_a_label_is_called_by_what_it_looks_like(run):
    """As text it is the word, or it is the same number; neighbours beyond 2**53 remain different."""

    def check(case):
        values, word, positive = case
        labels = pl.Series([values[k % 2] for k in range(ROWS)])
        pl.from_pandas(FRAME[["size"]]).with_columns(outcome=labels).write_parquet("called.parquet")
        expected = rp.screen(FRAME[["size"]], np.arange(ROWS) % 2 == positive)["empirical_auc"][0]
        assert first_auc(run, f"screen called.parquet --label outcome --positive {word}") == expected

    days = [datetime.date(2020, 1, 1), datetime.date(2020, 1, 2)]
    cases = [
        ([True, False], "true", 0),
        ([True, False], "0", 1),
        ([1, 2], "1.0", 0),
        ([0.1, 0.25], "0.10", 0),
        ([2**53, 2**53 + 1], str(2**53 + 1), 1),
        (days, "2020-01-02", 1),
        ([datetime.datetime(2020, 1, 1, 6), datetime.datetime(2020, 1, 2)], "2020-01-01T06:00:00", 0),
        ([b"a", b"b"], "b", 1),
    ]
    check_each({f"{values} {word}": (values, word, positive) for values, word, positive in cases}, check)


@pytest.mark.extra("pandas", "polars")
def test_labels_of_other_types(run):
    """Labels that are True and False have no other word; dates of Parquet are written as dates, in every format."""
    FRAME.assign(outcome=Y == 1).to_parquet("truth.parquet")
    code, out, err = run(f"screen truth.parquet {OUTCOME}")
    assert (code, out) == (2, "")
    assert "--positive 'sick' is not a label" in err
    FRAME.assign(outcome=[datetime.date(2020, 1, 1 + k % 3) for k in range(ROWS)]).to_parquet("days.parquet")
    for form in ("csv", "table", "markdown", "json"):
        code, out, err = run(f"screen days.parquet --label outcome --format {form}")
        assert (code, err) == (0, ""), form
        assert "2020-01-02" in out, form


# ---- files are written whole or not at all
@pytest.mark.extra("polars")
@pytest.mark.parametrize("stage", ["write", "replace"])
def test_a_failing_write_leaves_the_old_file(run, monkeypatch, stage):
    """A full disk, or no permission to rename: one line, the old file is unchanged, and no other file remains."""

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    def check(name):
        Path(name).write_bytes(b"as it was")
        before = files()
        with monkeypatch.context() as patched:
            if stage == "replace":
                patched.setattr(Path, "replace", full)
            else:
                patched.setattr("rocpredict.base.files.os.chmod", full)
            error = f"rocpredict: {name} cannot be written: No space left on device\n"
            assert run(STUDY, "--out", name) == (1, "", error)
        assert Path(name).read_bytes() == b"as it was"
        assert files() == before

    check_each({name: name for name in ("a.csv", "a.json", "a.parquet", "a.md")}, check)


def test_wrong_input_leaves_the_old_file(run):
    Path("a.csv").write_bytes(b"as it was")
    for words in ("--sort p", "--top -1", "--level 2", "--feature height"):
        assert run(f"{STUDY} --out a.csv {words}")[0] == 2
        assert Path("a.csv").read_bytes() == b"as it was"


def test_an_old_file_is_replaced_and_keeps_its_permissions(run):
    Path("a.csv").write_text("x" * 100_000, encoding="utf-8")
    for mode in (0o644, 0o600):
        Path("a.csv").chmod(mode)
        assert run(STUDY, "--out", "a.csv")[0] == 0
        assert Path("a.csv").read_text(encoding="utf-8") == table().to_csv()
        assert stat.S_IMODE(Path("a.csv").stat().st_mode) == mode


def test_a_link_is_followed(run):
    Path("there").mkdir()
    Path("there/old.csv").write_text("x", encoding="utf-8")
    for name in ("old.csv", "new.csv"):
        Path(name).symlink_to(Path("there", name))
        assert run(STUDY, "--out", name)[0] == 0
        assert Path(name).is_symlink()
        assert Path("there", name).read_text(encoding="utf-8") == table().to_csv()
    Path("ring.csv").symlink_to("ring.csv")
    assert run(STUDY, "--out", "ring.csv")[0] == 2
    assert Path("ring.csv").is_symlink()


def test_a_special_file_is_not_replaced(run):
    """A named pipe is written to and stays what it is; nothing is printed of it."""
    os.mkfifo("pipe.csv")
    reader = os.open("pipe.csv", os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert run(STUDY, "--out", "pipe.csv") == (0, "", "")
        assert stat.S_ISFIFO(os.stat("pipe.csv").st_mode)
        assert os.read(reader, 65536).decode() == table().to_csv()
    finally:
        os.close(reader)
    assert run(STUDY, "--out", "/dev/null", "--format", "csv") == (0, "", "")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_stdout_by_its_name():
    """Output to /dev/stdout that is redirected to a file is appended there; the file is not truncated or replaced."""
    command = f"{sys.executable} -m rocpredict {STUDY} --out /dev/stdout --format csv"
    with open("all.txt", "w", encoding="utf-8") as file:
        file.write("before\n")
        file.flush()
        subprocess.run(command.split(), stdout=file, check=True)
        file.write("after\n")
    assert Path("all.txt").read_text(encoding="utf-8") == f"before\n{table().to_csv()}after\n"


# ---- the terminal
@pytest.fixture
def on_a_terminal(monkeypatch, run):
    """Run with a terminal as stderr: exit code, output, what the terminal got."""

    def call(line):
        ours, theirs = pty.openpty()
        monkeypatch.setenv("TERM", "xterm")
        with monkeypatch.context() as patched, os.fdopen(theirs, "w", encoding="utf-8") as terminal:
            patched.setattr(sys, "stderr", terminal)
            code, out, _ = run(line)
        drawn = b""
        with contextlib.suppress(OSError):  # the other end is closed
            while more := os.read(ours, 65536):
                drawn += more
        os.close(ours)
        return code, out, drawn.decode()

    return call


def test_a_quick_screening_draws_nothing_on_a_terminal(run, on_a_terminal):
    """The bar begins after two seconds; in a pipe there is none, and no escape code."""
    code, out, err = run(STUDY)
    assert (code, err) == (0, "")
    assert "\x1b" not in out
    assert on_a_terminal(STUDY) == (0, out, "")


def test_an_error_on_a_terminal_is_one_line_too(on_a_terminal):
    """The bar is removed, and the message remains."""
    code, out, drawn = on_a_terminal("screen study.csv --label outcome --positive ill")
    assert (code, out) == (2, "")
    assert "Traceback" not in drawn
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", drawn).replace("\r", "\n")
    assert [line for line in plain.splitlines() if line.strip() and "━" not in line] == [
        "rocpredict: --positive 'ill' is not a label in the data; labels are ['sick', 'well']"
    ]


@pytest.mark.extra("pandas")
def test_names_cannot_break_the_output(run):
    """Bars, line breaks, markup, quotes, escapes: CSV and JSON give names back; a row of a table is one line."""
    names = ["a|b", "new\nline", "[red]x[/red]", 'q"t', "<b>", "é 日本", "\x1b[31mred", "a\u2028b", "b\\"]
    frame = pd.DataFrame(FRAME[["size"] * len(names)].to_numpy(), columns=names).assign(outcome=LABELS)
    frame.to_csv("names.csv", index=False)
    line = f"screen names.csv {OUTCOME}"
    assert [row["feature"] for row in as_rows(run(line, "--format", "csv")[1])] == names
    assert [row["feature"] for row in json.loads(run(line, "--json")[1])["features"]] == names
    shown = run(line)[1]
    assert "[red]x[/red]" in shown
    assert "new\\nline" in shown
    assert "\x1b" not in shown
    rows = [row for row in run(line, "--format", "markdown")[1].splitlines() if row.startswith("|")]
    assert len(rows) == 2 + len(names)
    assert all(row.rstrip().endswith("|") for row in rows)


def test_histograms_on_the_command_line(run, tmp_path):
    """Of a table, and of a summary that has them; a summary without them, and three classes, are refused."""
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    columns = {"a": rng.normal(size=200) + y, "b": rng.normal(size=200)}
    rows = [["a", "b", "y"], *zip(*(values.tolist() for values in (*columns.values(), y)), strict=True)]
    (tmp_path / "t.csv").write_text(format_csv(rows), encoding="utf-8")
    summary = rp.summarize(columns, y, histogram_edges=64)
    (tmp_path / "with.json").write_text(summary.to_json(), encoding="utf-8")
    (tmp_path / "without.json").write_text(summary.suppress_small_counts(5).to_json(), encoding="utf-8")
    exact = rp.screen(columns, y)
    for words in ((tmp_path / "t.csv", "--label", "y", "--report", tmp_path / "r.html"), (tmp_path / "with.json",)):
        code, out, err = run("screen --empirical histogram --json", *words)
        assert (code, err) == (0, "")
        for row, auc in zip(json.loads(out)["features"], exact["empirical_auc"], strict=True):
            assert row["empirical_auc_min"] - 1e-15 <= auc <= row["empirical_auc_max"] + 1e-15
    code, _, err = run("screen --empirical histogram", tmp_path / "without.json")
    assert (code, err.count("\n")) == (2, 1)
    assert (
        "needs histograms, which this summary lacks; compute them with rocpredict summarize --edges edges.json or, "
        in err
    )
    code, _, err = run("screen iris --empirical histogram")
    assert code == 2
    assert "needs two classes, but y has 3 classes; select the positive label with --positive" in err, err
