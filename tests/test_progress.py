"""Progress of long calculations: what is reported, and what a terminal shows."""

import io

import numpy as np
import pytest

import rocpredict as rp
from rocpredict.base.progress import report_progress, track, use_progress
from rocpredict.cli import common, main
from tests.cases import for_each

RNG = np.random.default_rng(0)
X, Y = np.concatenate([RNG.gamma(4, 1, 30), RNG.gamma(5, 1.3, 30)]), np.repeat([0, 1], 30)
OPTIONS = {"n_resamples": 40, "rng": 3}
CALLS = {
    "bootstrap of samples": lambda: rp.empirical_roc(X, Y).auc_interval(method="bootstrap", **OPTIONS),
    "draws of a curve": lambda: rp.empirical_roc(X, Y).tpr_at_fpr_interval(0.2, **OPTIONS),
    "refits one by one": lambda: rp.predict_roc(X, Y, family="auto").auc_interval(method="bootstrap", **OPTIONS),
    "refits as a batch": lambda: rp.predict_roc(X, Y, family="boxcox").auc_interval(method="bootstrap", **OPTIONS),
    "diagnosis of Gaussians": lambda: rp.diagnose(X, Y, **OPTIONS),
    "diagnosis of another family": lambda: rp.diagnose(X, Y, family="boxcox", **OPTIONS),
}


@for_each(list(CALLS))
def test_resampling_reports_its_progress(name):
    reports = []
    with use_progress(lambda n_done, total: reports.append((n_done, total))):
        result = CALLS[name]()
    assert reports[-1] == (40, 40)
    assert reports == sorted(reports)
    assert {total for _, total in reports} == {40}
    assert repr(result) == repr(CALLS[name]())


def test_a_simulated_sample_size_reports_each_simulation():
    reports = []
    with use_progress(lambda n_done, total: reports.append((n_done, total))):
        rp.sample_size(auc=0.95, against=0.5, power=0.9)
    assert reports == [(index, 0) for index in range(len(reports))]
    assert reports


def test_progress_is_reported_inside_the_block_alone():
    reports = []
    with use_progress(lambda *report: reports.append(report)):
        assert list(track("ab", 5, 2)) == ["a", "b"]
    report_progress(1, 2)
    assert reports == [(3, 5), (4, 5)]


class Terminal(io.StringIO):
    def isatty(self):
        return True


def shown(monkeypatch, capsys, *, is_terminal, delay=0.0):
    """Return what a command with resamples writes on stdout and on stderr."""
    stream = Terminal() if is_terminal else io.StringIO()
    for name in ("_PROGRESS_DELAY", "_LOOP_DELAY"):
        monkeypatch.setattr(common, name, delay)
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    words = "diagnose iris --positive virginica --negative versicolor --feature petal_width --resamples 60"
    assert main([*words.split(), "--family", "auto"]) == 0
    return capsys.readouterr().out, stream.getvalue()


def test_a_terminal_shows_the_progress_and_the_time_left(monkeypatch, capsys):
    out, shown_text = shown(monkeypatch, capsys, is_terminal=True)
    assert "working" in shown_text
    assert "%" in shown_text
    assert "0:00:0" in shown_text  # the time left
    assert "working" not in out
    assert "Diagnosis of petal_width" in out


@pytest.mark.parametrize(("is_terminal", "delay"), [(False, 0.0), (True, 60.0)])
def test_a_pipe_and_a_short_command_show_none(monkeypatch, capsys, is_terminal, delay):
    assert "working" not in shown(monkeypatch, capsys, is_terminal=is_terminal, delay=delay)[1]
