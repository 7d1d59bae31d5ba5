"""Tables that the command line reads, files that it writes, and its exit codes in a process of its own."""

import errno
import gzip
import json
import os
import signal
import subprocess
import sys
import threading
from functools import partial
from importlib import import_module
from pathlib import Path
from unicodedata import category

import pytest
import shtab

import rocpredict as rp

ROWS = [("size", "weight", "outcome"), ("1.5", "20", "well"), ("2.25", "3", "well"), ("2.0", "40.5", "sick")]
ROWS += [("3.5", "7", "sick"), ("-1e-3", "8", "well"), ("", "9.5", "sick")]
CLASSES = ("--label", "outcome", "--positive", "sick")
READERS = {
    "compare": ("--feature", "size", "--nan", "omit"),
    "diagnose": ("--feature", "size", "--nan", "omit", "--resamples", "20"),
    "screen": ("--feature", "size", "--engine", "numpy"),
    "report": ("--feature", "size", "--nan", "omit", "--out", "page.html", "--resamples", "20", "--date", "2026-01-31"),
    "teach": ("--feature", "size", "--save", "page.html"),
}
FAST_READERS = ("compare", "screen", "teach")


@pytest.fixture
def run(run, monkeypatch, tmp_path):
    """Run the command line in an empty folder: exit code, output, errors."""
    monkeypatch.chdir(tmp_path)
    return partial(run, "")


def table(separator=",", *, decimal=".", encoding="utf-8", end="\n", quote=""):
    lines = (separator.join(f"{quote}{cell}{quote}" for cell in row) for row in ROWS)
    text = "".join(line + end for line in lines)
    return (text.replace(".", decimal) if decimal != "." else text).encode(encoding)


def read_by(run, command, path):
    """Return what a command prints, and the page that it writes, without the name of the data."""
    code, out, err = run(command, path, *CLASSES, *READERS[command], "--json")
    page = Path("page.html")
    content = page.read_text("utf-8") if page.exists() else ""
    page.unlink(missing_ok=True)
    return code, out, err.replace(Path(path).name, ""), content.replace(Path(path).name, "")


@pytest.mark.parametrize("command", READERS)
def test_every_form_of_a_table_gives_the_same_numbers(run, command):
    """Separators, decimal commas, encodings, compression and pipes change nothing that any command prints."""
    Path("plain.csv").write_bytes(table())
    expected = read_by(run, command, "plain.csv")
    assert expected[0] == 0, expected
    forms = {
        "semicolons.csv": table(";"),
        "semicolons and decimal commas.csv": table(";", decimal=","),
        "tabs.tsv": table("\t"),
        "tabs and decimal commas.txt": table("\t", decimal=","),
        "quotes.csv": table(";", decimal=",", quote='"', end="\r\n"),
        "utf16.csv": table("\t", encoding="utf-16"),
        "big-endian.csv": b"\xfe\xff" + table(";", encoding="utf-16-be"),
        "mark.csv": table(encoding="utf-8-sig"),
        "packed.csv.gz": gzip.compress(table(";", decimal=",", encoding="utf-16")),
    }
    forms = forms if command in FAST_READERS else dict(list(forms.items())[1::3])
    differing = []
    for name, content in forms.items():
        Path(name).write_bytes(content)
        if read_by(run, command, name) != expected:
            differing.append(name)
    os.mkfifo("a named pipe")
    writer = threading.Thread(target=Path("a named pipe").write_bytes, args=(table(";", decimal=","),))
    writer.start()
    if read_by(run, command, "a named pipe") != expected:
        differing.append("a named pipe")
    writer.join(10)
    assert differing == []


@pytest.mark.extra("pandas", "polars")
def test_a_pipe_can_hold_parquet(run):
    import pandas

    pandas.DataFrame({"size": [1.0, 2, 3, 4], "y": ["a", "b", "a", "b"]}).to_parquet("t.parquet")
    expected = run("screen", "t.parquet", "--label", "y", "--positive", "b", "--json")
    os.mkfifo("pipe")
    writer = threading.Thread(target=Path("pipe").write_bytes, args=(Path("t.parquet").read_bytes(),))
    writer.start()
    assert run("screen", "pipe", "--label", "y", "--positive", "b", "--json") == expected
    writer.join(10)
    assert expected[0] == 0


UNREADABLE = {
    "a decimal comma among commas": (
        b'size,outcome\n"1,5",sick\n2,well\n3,sick\n1,well\n',
        "(1.5 if the comma is decimal, 15 if it groups digits; write the intended one)",
    ),
    "a cell too many": (
        b"size,outcome\n1,5,sick\n2,0,well\n",
        "write decimals with a point, or separate cells by semi",
    ),
    "point groups": (b"size;mass;outcome\n1.500;2,5;sick\n2.250;3;well\n", "which have different decimal marks"),
    "groups with decimals": (b"size;outcome\n1.500,25;sick\n2;well\n", "'1.500,25'"),
    "half a gzip": (gzip.compress(table())[:-9], "end-of-stream"),
    "no gzip": (b"\x1f\x8b nothing", "t.csv"),
    "latin-1": ("gr\xf6\xdfe,outcome\n1,sick\n".encode("latin-1"), "t.csv is not UTF-8 text; pass a CSV file"),
}


def test_a_column_of_months_is_no_decimal_point(run):
    """The months are left out, so that the commas of the other column remain decimal marks."""
    Path("t.csv").write_text(
        "size;month;outcome\n1,5;01.2024;sick\n2,5;12.2024;well\n1,2;03.2024;sick\n3,1;04.2024;well\n"
    )
    for command, options in {"screen": ("--exclude", "month"), "compare": ("--feature", "size")}.items():
        code, out, err = run(command, "t.csv", *CLASSES, *options, "--json")
        assert (code, err) == (0, ""), err
        assert "month" not in out
    code, _, err = run("screen", "t.csv", *CLASSES)
    assert code == 2
    assert "1,5 in column 'size' and 01.2024 in column 'month'" in err
    code, _, err = run("compare", "t.csv", *CLASSES, "--feature", "month")
    assert (code, "column 'month' contains months such as 01.2024" in err) == (2, True)


@pytest.mark.parametrize("case", UNREADABLE)
def test_ambiguous_numbers_are_refused(run, case):
    content, words = UNREADABLE[case]
    Path("t.csv").write_bytes(content)
    for command in FAST_READERS:
        code, out, err = run(command, "t.csv", *CLASSES, *READERS[command], "--json")
        assert (code, out, err.count("\n")) == (2, "", 1), (command, err)
        assert words in err, command


WORDS = {
    "option": (["predict", "--mean", "4", "8", "--sdt", "3", "2"], "unrecognized option: --sdt; did you mean '--std'?"),
    "option with =": (["compare", "pima", "--featuer=age"], "--featuer; did you mean '--feature'?"),
    "required": (["report", "pima", "--feature", "age", "--ot", "a"], "--ot; did you mean '--out'?"),
    "no similar option": (["compare", "pima", "--prevalence=1"], "unrecognized option: --prevalence (see rocpredict"),
    "two values": (["compare", "pima", "--feature", "age", "mass"], "mass; repeat an option to pass several values,"),
    "memory": (["screen", "t.csv", *CLASSES, "--memory", "5"], "rocpredict: --memory '5' is too small; pass '16MB' or"),
    "seed": (["diagnose", "pima", "--feature", "age", "--seed", "-1"], "a valid seed; pass a nonnegative integer\n"),
    "command": (["screeen", "iris"], "did you mean 'screen'?"),
    "choice": (["predict", "--mean", "4", "8", "--std", "3", "2", "--family", "Gama"], "did you mean 'gamma'?"),
    "criterion": (["predict", "--mean", "4", "8", "--std", "3", "2", "--criterion", "acuracy"], "mean 'accuracy'?"),
    "data": (["compare", "pma"], "did you mean 'pima'?"),
    "feature": (["compare", "pima", "--feature", "Glucse"], "did you mean 'glucose'?"),
    "column": (["compare", "t.csv", *CLASSES, "--feature", "sise"], "did you mean 'size'?"),
    "screened column": (["screen", "t.csv", *CLASSES, "--feature", "sise"], "did you mean 'size'?"),
    "class": (["compare", "iris", "--positive", "virginca"], "did you mean 'virginica'?"),
    "class of a file": (["screen", "t.csv", "--label", "outcome", "--positive", "sic"], "did you mean 'sick'?"),
    "long name": (["compare", "x" * 300], "File name too long"),
    "long name of a table": (["screen", "x" * 300 + ".csv"], "File name too long"),
    "overflow": (
        ["predict", "--mean", "4", "8", "--sem", "1e308", "1e6", "--count", "9", "9"],
        "--sem [1e+308, 1000000.0] is too large",
    ),
    "json into csv": (["screen", "iris", "--positive", "setosa", "--json", "--out", "a.csv"], "ends in .json or .txt"),
    "csv into json": (["screen", "iris", "--positive", "setosa", "--format", "csv", "--out", "a.json"], "ends in .csv"),
    "report": (
        ["screen", "iris", "--positive", "setosa", "--report", "a.pdf"],
        "--report a.pdf: pass a name that ends in",
    ),
    "page": (["report", "pima", "--feature", "age", "--out", "a.svg"], "--out a.svg: pass a name that ends in .html"),
    "picture": (["compare", "pima", "--feature", "age", "--plot", "a.html"], "--plot a.html: pass a name that ends in"),
}


def test_wrong_words_are_one_line_with_a_remedy(run):
    Path("t.csv").write_bytes(table())
    wrong = {}
    for case, (words, part) in WORDS.items():
        code, out, err = run(*words)
        if (code, out, err.count("\n")) != (2, "", 1) or part not in err:
            wrong[case] = code, out, err
    assert wrong == {}
    assert sorted(path.name for path in Path().iterdir()) == ["t.csv"]


def test_messages_contain_no_control_characters(run):
    name = "si\x1b[31mze\u202e"
    Path("t.csv").write_text(f"{name},outcome\n1,sick\n2,we\x07ll\nx,sick\n", encoding="utf-8")
    for words in (["compare", "t.csv", *CLASSES, "--feature", name], ["compare", f"{name}.csv"], ["compare", name]):
        code, _, err = run(*words)
        assert code == 2
        assert "\\x1b[31m" in err
        assert all(character.isprintable() for character in err.removesuffix("\n"))
    Path("t.csv").write_text(f"{name},outcome\n1,sick\n2,well\n3,sick\n1,well\n", encoding="utf-8")
    for command in ("compare", "diagnose"):
        for line in "".join(run(command, "t.csv", *CLASSES, *READERS[command][2:], "--feature", name)[1:]).splitlines():
            assert not any(category(character) == "Cc" for character in line), (command, line)


def test_negative_numbers_of_every_form_are_numbers(run):
    for number in ("-1e3", "-1E+03", "-1000.", "-.1e4", "-1_000"):
        code, out, err = run("predict", "--mean", number, "4", "--std", "3", "2", "--json")
        assert (code, err) == (0, ""), number
        assert json.loads(out)["auc"] == rp.PredictedRoc.from_stats(mean=(-1000, 4), std=(3, 2)).auc()


@pytest.mark.parametrize(("criterion", "rate"), [("min_tpr", "tnr"), ("min_tnr", "tpr"), ("max_fpr", "tpr")])
def test_a_constraint_names_the_rate_that_it_maximizes(run, criterion, rate):
    words = ("predict", "--mean", "4", "8", "--std", "3", "2", "--criterion", criterion, "--value", "0.8")
    best = rp.PredictedRoc.from_stats(mean=(4, 8), std=(3, 2)).best_threshold(criterion, value=0.8)
    (line,) = [line for line in run(*words)[1].splitlines() if f"{rate.upper()} at this threshold" in line]
    assert f"{getattr(best, rate):.6g}" in line


def test_a_significance_level_is_not_called_a_level_of_confidence(run):
    words = "sample-size --mean 4 8 --std 3 2 --power 0.9 --against 0.7 --level 0.95"
    assert "with a two-sided test at the 5% significance level" in run(*words.split())[1]


def test_json_is_all_of_stdout(run):
    words = ("screen", "iris", "--positive", "setosa", "--engine", "numpy")
    printed = run(*words, "--json")[1]
    assert run(*words, "--json", "--out", "a.json", "--report", "a.html") == (0, "", "")
    assert Path("a.json").read_text("utf-8") == printed
    for more in (["--save", "b.html"], ["--worksheet", "c.html"]):
        assert json.loads(run("teach", "--json", *more)[1])


def test_a_picture_holds_every_named_feature(run):
    words = ("compare", "pima", "--feature", "glucose", "--feature", "age", "--plot", "a.svg")
    assert run(*words)[0] == 0
    picture = Path("a.svg").read_text("utf-8")
    assert ">glucose<" in picture
    assert ">age<" in picture


def test_a_device_gets_the_bytes_of_a_picture_and_nothing_is_said_before_a_refusal(run):
    """A standard deviation of 1e308 overflows no ratio; a site that cannot be written is refused before other files."""
    assert run("predict", "--mean", "4", "8", "--std", "3", "2", "--plot", "/dev/null")[0] == 0
    assert run("predict", "--mean", "4", "8", "--std", "3", "1e308")[0] == 0
    Path("taken").touch()
    code, out, err = run("teach", "--site", "taken", "iris", "--save", "p.html")
    assert (code, out, err.count("\n"), Path("p.html").exists()) == (2, "", 1, False)


# ---- a process of its own
def process(*words, **settings):
    command = [sys.executable, "-m", "rocpredict", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, **settings)


PREDICT = "predict --mean 4 8 --std 3 2"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs the device /dev/full")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (f"{PREDICT} > /dev/full", "the output cannot be written: No space left on device"),
        (f"{PREDICT} --json > /dev/full", "the output cannot be written: No space left on device"),
        ("--help > /dev/full", "the output cannot be written: No space left on device"),
        (f"{PREDICT} --json >&-", "the output cannot be written: stdout is closed"),
        ("screen iris --positive setosa --engine numpy --format csv --out /dev/full", "/dev/full cannot be written"),
        ("report pima --feature age --resamples 20 --out /dev/full", "/dev/full cannot be written"),
    ],
)
def test_a_full_disk_is_one_line_and_code_1(words, message):
    done = subprocess.run(
        f"{sys.executable} -m rocpredict {words}", shell=True, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr
    assert message in done.stderr


def test_a_closed_stderr_does_not_change_the_output():
    for words, code in ((PREDICT, 0), ("compare nowhere.csv", 2)):
        command = f"{sys.executable} -m rocpredict {words} 2>&-"
        done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == code
        assert "nowhere" not in done.stdout


def test_a_closed_pipe_is_code_0():
    for command in ("paper", "screen iris --positive setosa --engine numpy --out /dev/stdout --format csv"):
        words = f"{sys.executable} -m rocpredict {command} | true; echo ${{PIPESTATUS[0]}}"
        done = subprocess.run(["bash", "-c", words], capture_output=True, text=True, timeout=60, check=True)
        assert (done.stdout, done.stderr) == ("0\n", "")


def test_the_shell_completes_commands_and_options(tmp_path):
    command = next(line for line in Path("docs/command-line.md").read_text().splitlines() if line.startswith("$ shtab"))
    module, name = command.split(" > ")[0].split()[-1].rsplit(".", 1)
    script = tmp_path / "rocpredict"
    script.write_text(shtab.complete(getattr(import_module(module), name)(), "bash"))
    for words, completed in (("scr", "screen"), ("screen --lab", "--label"), ("predict --fam", "--family")):
        typed = f"COMP_WORDS=(rocpredict {words}); COMP_CWORD={len(words.split())}"
        shown = f'source {script}; {typed}; _shtab_rocpredict; echo "${{COMPREPLY[@]}}"'
        done = subprocess.run(["bash", "-c", shown], capture_output=True, text=True, check=True)
        assert completed in done.stdout.split(), (words, done)


def test_the_bare_command_prints_its_help():
    done = process()
    assert (done.returncode, done.stdout) == (2, "")
    assert "sample-size" in done.stderr
    assert done.stderr.endswith("rocpredict: no command was passed; pass one of the commands above\n")


INTERRUPT = """
import os, signal, sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Finder())
from rocpredict.cli import main
sys.exit(main({words!r}))
"""


@pytest.mark.parametrize("module", ["numpy", "scipy.special", "rocpredict.cli.parser", "rocpredict.roc.base"])
def test_ctrl_c_during_imports_is_code_130(module):
    code = INTERRUPT.format(module=module, words=["screen", "iris", "--positive", "setosa"])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_ctrl_c_leaves_no_partial_file(tmp_path):
    code = (
        "import signal, os, sys, rocpredict.base.files as files\n"
        "files.os.chmod = lambda *_: os.kill(os.getpid(), signal.SIGINT)\n"
        "from rocpredict.cli import main\n"
        "sys.exit(main(['screen', 'iris', '--positive', 'setosa', '--engine', 'numpy', '--out', 'a.csv']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False, cwd=tmp_path
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_differs_from_missing_permission(run, monkeypatch):
    """A file that may not be written is the user's input; a full disk is not."""
    handler = signal.getsignal(signal.SIGINT)
    for number, code in ((errno.ENOSPC, 1), (errno.EDQUOT, 1), (errno.EACCES, 2), (errno.EROFS, 2)):

        def refuse(*_, number=number, **__):
            raise OSError(number, os.strerror(number))

        monkeypatch.setattr("rocpredict.base.files.tempfile.mkstemp", refuse)
        words = ("screen", "iris", "--positive", "setosa", "--engine", "numpy", "--out", "a.csv")
        assert run(*words)[0] == code
    assert signal.getsignal(signal.SIGINT) is handler
