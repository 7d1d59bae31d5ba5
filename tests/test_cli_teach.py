"""`rocpredict teach`: what is saved, served and said, and one line for each wrong input."""

import json
import re
import signal
import socket
import subprocess
import sys
import threading
import urllib.request

import pytest

from rocpredict.cli import main
from rocpredict.cli.data import translate_to_options
from rocpredict.teaching.page import TeachingPage


@pytest.fixture
def run(capsys):
    """Run the command line in this process: exit code, output, errors."""

    def call(*words):
        code = main(["teach", *words])
        out, err = capsys.readouterr()
        return code, out, err

    return call


@pytest.fixture
def csv(tmp_path):
    """A small table on disk: two columns of numbers, one with a gap, and one of words."""
    path = tmp_path / "data.csv"
    rows = ["size,colour,weight,outcome", "1.0,red,5,well", "2.5,red,4,well", "2.0,blue,3,sick", "3.5,red,,sick"]
    path.write_text("\n".join([*rows, "4.0,blue,1,sick"]) + "\n", encoding="utf-8")
    return path


def held(path):
    """The payload of a saved page."""
    text = path.read_text("utf-8")
    return json.loads(re.search(r'class="rocpredict-data">(.*?)</script>', text, flags=re.DOTALL)[1])


def test_a_saved_page_is_the_librarys(run, tmp_path):
    """`--save` writes what TeachingPage writes, and says where."""
    path = tmp_path / "teach.html"
    assert run("--save", str(path)) == (0, f"{path}\n", "")
    assert path.read_text("utf-8") == TeachingPage().to_html()


def test_a_table_of_means_is_where_the_page_begins(run, tmp_path):
    path = tmp_path / "teach.html"
    words = ("--mean", "5.1", "6.4", "--std", "0.9", "1.2", "--no-lesson", "--lecture", "--save", str(path))
    code, out, _ = run(*words, "--json")
    assert (code, json.loads(out)) == (0, {"saved": str(path)})
    start = {"mean0": 5.1, "mean1": 6.4, "std0": 0.9, "std1": 1.2, "lecture": True}
    assert (held(path)["start"], held(path)["lesson"]) == (start, False)


def test_built_in_data_begin_where_they_are_told(run, tmp_path):
    path = tmp_path / "teach.html"
    words = ("iris", "--positive", "virginica", "--negative", "versicolor", "--feature", "petal_length")
    assert run(*words, "--save", str(path))[0] == 0
    assert held(path)["start"] == {"data": "iris", "pair": 2, "feature": 2}


def test_a_file_is_on_the_page(run, csv, tmp_path):
    """Every column of numbers, or those that are named in that order; words are left out, a gap is counted."""
    path = tmp_path / "teach.html"
    assert run(str(csv), "--label", "outcome", "--positive", "sick", "--save", str(path))[0] == 0
    own = held(path)["datasets"][0]
    assert [feature["name"] for feature in own["features"]] == ["size", "weight"]
    assert own["columns"] == {"sick": [[2, 3.5, 4], [1, 3]], "well": [[1, 2.5], [4, 5]]}
    assert own["pairs"][0]["facts"][1]["missing"] == 1
    words = ("--feature", "weight", "--feature", "size")
    assert run(str(csv), "--label", "outcome", "--positive", "sick", *words, "--save", str(path))[0] == 0
    assert [feature["name"] for feature in held(path)["datasets"][0]["features"]] == ["weight", "size"]


def test_the_worksheet_is_written(run, tmp_path):
    """Alone it ends there; beside --save both are written."""
    sheet, page = tmp_path / "sheet.html", tmp_path / "teach.html"
    assert run("--worksheet", str(sheet)) == (0, f"{sheet}\n", "")
    assert sheet.read_text("utf-8").startswith("<!DOCTYPE html>")
    assert run("--worksheet", str(sheet), "--save", str(page), "--lang", "de") == (0, f"{sheet}\n{page}\n", "")
    assert '<html lang="de">' in sheet.read_text("utf-8")
    assert '<html lang="de">' in page.read_text("utf-8")


@pytest.mark.parametrize(("words", "shown"), [((), 1), (("--no-browser",), 0)])
def test_it_serves_until_somebody_ends_it(run, monkeypatch, words, shown):
    """The address is printed and opened, unless --no-browser; the end is no error."""
    opened, asked = [], []

    def wait(server):
        with urllib.request.urlopen(f"{server.url}model?threshold=6") as reply:
            asked.append(json.load(reply)["auc"])

    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr("rocpredict.teaching.server.TeachingServer.wait", wait)
    code, out, err = run(*words)
    url = re.fullmatch(r"(http://127\.0\.0\.1:\d+/)  \(Ctrl-C ends\)\n", out)[1]
    assert (code, err, opened) == (0, "", [url] * shown)
    assert asked == [0.8663712534228061]
    code, out, _ = run("--json", *words)
    assert list(json.loads(out)) == ["url"]


def test_ctrl_c_ends_it_without_a_traceback():
    """A process of its own: SIGINT, exit code 0, nothing on stderr."""
    words = [sys.executable, "-m", "rocpredict", "teach", "--no-browser"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        guard = threading.Timer(60, process.kill)
        guard.start()
        line = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate()
        guard.cancel()
    assert "(Ctrl-C ends)" in line
    assert (process.returncode, err) == (0, "")


@pytest.mark.parametrize("name", ["std", "port", "date", "feature"])
def test_an_argument_is_named_as_it_was_written(name):
    assert (
        translate_to_options(f"{name}='x' is not allowed; see {name}=") == f"--{name} 'x' is not allowed; see --{name}"
    )


def test_a_port_in_use_is_one_line(run):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        code, out, err = run("--port", str(port))
    assert (code, out) == (2, "")
    assert err == f"rocpredict: port {port} is in use; give another, or --port 0 for any that is free\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("irises",), "irises is neither a file nor a built-in data set (iris, pima, breast_cancer)"),
        (("none.csv", "--label", "y"), "No such file"),
        (("{csv}",), "--label is needed; columns of data.csv are size, colour, weight, outcome"),
        (("{csv}", "--label", "kind"), "no column 'kind'"),
        (("{csv}", "--label", "outcome"), "--positive is needed"),
        (("{csv}", "--label", "outcome", "--positive", "ill"), "--positive 'ill' is not a label"),
        (("{csv}", "--label", "outcome", "--positive", "sick", "--feature", "colour"), "which is not a number"),
        (("{csv}", "--label", "outcome", "--positive", "sick", "--feature", "a", "--feature", "a"), "given twice"),
        (("iris", "--label", "y"), "--label 'y' is for files; iris knows its labels"),
        (("iris", "--feature", "petal"), "--feature 'petal' is not allowed"),
        (("iris", "--feature", "petal_width", "--feature", "petal_length"), "--feature names the one to begin with"),
        (("iris", "--mean", "4", "8", "--std", "3", "2"), "--mean and --std begin with two Gaussians in place of DATA"),
        (("--mean", "4", "8"), "go together"),
        (("--mean", "4", "8", "--std", "3", "-2"), "--std -2.0 is not allowed"),
        (("--mean", "4", "8", "--std", "0", "2"), "--std 0.0 is not allowed"),
        (("--positive", "sick"), "--positive goes with DATA, which is not there"),
        (("--lang", "xx"), "invalid choice: 'xx'"),
        (("--port", "70000"), "--port 70000 is not allowed; give 0 (any free one) to 65535"),
        (("--save", "{csv}/teach.html"), "cannot be written"),
        (("--worksheet", "{csv}/sheet.html"), "cannot be written"),
    ],
)
def test_wrong_input_is_one_line_and_code_2(run, csv, words, said):
    """Exit code 2, one line on stderr, nothing on stdout."""
    code, out, err = run(*(word.replace("{csv}", str(csv)) for word in words))
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1


def test_a_bad_cell_is_named_by_its_line(run, tmp_path):
    """Where it leaves no column of numbers: the cell is to blame, not the file."""
    (tmp_path / "bad.csv").write_text("a,y\n1,n\nabc,p\n")
    code, out, err = run(
        str(tmp_path / "bad.csv"), "--label", "y", "--positive", "p", "--save", str(tmp_path / "t.html")
    )
    assert (code, out) == (2, "")
    assert err == "rocpredict: bad.csv, line 3: column 'a' holds 'abc', which is not a number\n"
