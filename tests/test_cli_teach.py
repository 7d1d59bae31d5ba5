"""`rocpredict teach`: what is saved and served."""

import json
import re
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path

import pytest

from rocpredict.cli.common import translate_to_options
from rocpredict.teaching.assets import load_translations
from rocpredict.teaching.page import TeachingPage


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def payload(path):
    """The payload of a saved page."""
    text = Path(path).read_text("utf-8")
    return json.loads(re.search(r'class="rocpredict-data">(.*?)</script>', text, flags=re.DOTALL)[1])


def test_a_saved_page_is_the_librarys(run):
    assert run("teach --save t.html") == (0, "t.html\n", "")
    assert Path("t.html").read_text("utf-8") == TeachingPage().to_html()


def test_where_the_page_begins(run):
    """With a table of means, or with built-in data and one of its features."""
    code, out, _ = run("teach --mean 5.1 6.4 --std 0.9 1.2 --no-lesson --lecture --save t.html --json")
    assert (code, json.loads(out)) == (0, {"saved": "t.html"})
    start = {"mean0": 5.1, "mean1": 6.4, "std0": 0.9, "std1": 1.2, "lecture": True}
    assert (payload("t.html")["start"], payload("t.html")["lesson"]) == (start, False)
    classes = "--positive virginica --negative versicolor"
    assert run(f"teach iris {classes} --feature petal_length --save i.html")[0] == 0
    assert payload("i.html")["start"] == {"data": "iris", "pair": 2, "feature": 2}


def test_two_gaussians_have_names(run):
    """A published table with the names of its classes, feature and unit, a prevalence and a heading."""
    names = ["--negative", "healthy", "--positive", "ill", "--feature", "glucose", "--unit", "mmol/L"]
    line = "teach --mean 5.1 6.4 --std 0.9 1.2 --prevalence 0.1 --save t.html"
    assert run(line, *names, "--title", "A marker")[0] == 0
    document = payload("t.html")
    assert document["names"] == {
        "pair": {"negative": "healthy", "positive": "ill"},
        "feature": {"name": "glucose", "unit": "mmol/L"},
    }
    assert (document["title"], document["start"]["prevalence"]) == ("A marker", 0.1)
    assert run(line, "--lang", "de", "--unit", "mmol/L")[0] == 0
    words = load_translations("de")["page"]
    assert payload("t.html")["names"]["pair"] == {name: words[name] for name in ("negative", "positive")}
    assert run(line)[0] == 0
    assert "names" not in payload("t.html")


def test_a_file_is_on_the_page(run):
    """Every column of numbers, or those that are named in that order; words are left out, a gap is counted."""
    rows = ["size,colour,weight,outcome", "1.0,red,5,well", "2.5,red,4,well", "2.0,blue,3,sick", "3.5,red,,sick"]
    Path("data.csv").write_text("\n".join([*rows, "4.0,blue,1,sick"]) + "\n", encoding="utf-8")
    line = "teach data.csv --label outcome --positive sick --save t.html"
    assert run(line)[0] == 0
    own = payload("t.html")["datasets"][0]
    assert [feature["name"] for feature in own["features"]] == ["size", "weight"]
    assert own["columns"] == {"sick": [[2, 3.5, 4], [1, 3]], "well": [[1, 2.5], [4, 5]]}
    assert own["pairs"][0]["facts"][1]["missing"] == 1
    assert run(f"{line} --feature weight --feature size")[0] == 0
    assert [feature["name"] for feature in payload("t.html")["datasets"][0]["features"]] == ["weight", "size"]


def test_the_worksheet_is_written(run):
    assert run("teach --worksheet sheet.html") == (0, "sheet.html\n", "")
    assert Path("sheet.html").read_text("utf-8").startswith("<!DOCTYPE html>")
    assert run("teach --worksheet sheet.html --save t.html --lang de") == (0, "sheet.html\nt.html\n", "")
    for name in ("sheet.html", "t.html"):
        assert '<html lang="de">' in Path(name).read_text("utf-8")


def test_a_folder_for_the_web_is_written(run):
    line = "teach --site site --url https://example.org/roc.html --prevalence 0.1"
    assert run(line, "--save", "t.html") == (0, "t.html\nsite\n", "")
    assert payload("site/index.html") == payload("t.html")
    assert payload("t.html")["url"] == "https://example.org/roc.html"
    assert json.loads(run(line, "--json")[1]) == {"site": "site"}
    assert run("teach --url example.org") == (
        2,
        "",
        "rocpredict: --url 'example.org' is not an address such as 'https://example.org/roc/'\n",
    )


@pytest.mark.parametrize(("line", "shown"), [("teach", 1), ("teach --no-browser", 0)])
def test_it_serves_until_it_is_interrupted(run, monkeypatch, line, shown):
    opened, answers = [], []

    def wait(server):
        with urllib.request.urlopen(f"{server.url}model?threshold=6") as reply:
            answers.append(json.load(reply)["auc"])

    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr("rocpredict.teaching.server.TeachingServer.wait", wait)
    code, out, err = run(line)
    url = re.fullmatch(r"(http://127\.0\.0\.1:\d+/)  \(press Ctrl-C to stop\)\n", out)[1]
    assert (code, err, opened) == (0, "", [url] * shown)
    assert answers == [0.8663712534228061]
    assert list(json.loads(run(line, "--json")[1])) == ["url"]


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
    assert "(press Ctrl-C to stop)" in line
    assert (process.returncode, err) == (0, "")


def test_a_message_names_the_option_as_it_was_written():
    for name in ("std", "port", "date", "feature"):
        message = translate_to_options(f"{name}='x' is not allowed; see {name}=")
        assert message == f"--{name} 'x' is not allowed; see --{name}"


def test_a_port_in_use_is_one_line(run):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        error = f"rocpredict: port {port} is in use; pass another port, or --port 0 for any free port\n"
        assert run(f"teach --port {port}") == (2, "", error)


def test_messages_about_arguments_of_data_are_in_words_of_the_commands():
    for message, words in {
        "y has 30 different values (were x and y exchanged?)": "the label column has 30 different values (were "
        "--feature and --label exchanged?)",
        "X has no numeric column": "the table has no numeric column",
        "all labels in y are missing": "all labels in the data are missing",
        "positive='a' is not a label in y": "--positive 'a' is not a label in the data",
        "'y' has numbers": "'y' has numbers",
    }.items():
        assert translate_to_options(message) == words
