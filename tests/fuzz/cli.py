"""Type hostile command lines: ``python -m tests.fuzz.cli --count 10000 --seed 0``."""

import contextlib
import io
import json
import os
import re
import sys
import time
import traceback
from pathlib import Path
from unittest import mock

import numpy as np

from rocpredict import cli
from rocpredict.cli.parser import make_parser
from tests.fuzz.outcomes import Outcome, empty_folder, main, time_limit

COMMANDS: dict[str, tuple[tuple[str, ...], ...]] = {
    "predict": (("--mean", "4", "8", "--std", "3", "2"), ("--mean", "4", "8", "--sem", "1", "1", "--count", "9", "9")),
    "compare": (
        ("iris", "--positive", "virginica", "--negative", "versicolor", "--feature", "petal_width"),
        ("t.csv",),
    ),
    "diagnose": (("t.csv", "--label", "y", "--feature", "a", "--positive", "1", "--resamples", "20"),),
    "screen": (("t.csv", "--label", "y", "--positive", "1"), ("iris",), ("pima", "--top", "3")),
    "sample-size": (("--auc", "0.8", "--width", "0.1"), ("--auc", ".8", "--power", ".9", "--against", ".6")),
    "report": (("t.csv", "--label", "y", "--feature", "a", "--positive", "1", "--out", "r.html", "--resamples", "20"),),
    "teach": (("iris", "--save", "p.html"), ("--save", "p.html")),
}
TEXTS = """
    0 1 -1 0.5 -1e3 1e308 5e-324 nan inf -inf 1e400 1,5 0x10 \uff11 -- - a y b text glucose petal_width iris pima
    t.csv semi.csv bad.csv none.csv . / /dev/null /dev/full /nowhere/x.csv o.csv o.json o.svg o.html o.parquet o.xyz
    virginica versicolor setosa gaussian auto kde gamma higher lower omit raise delong bootstrap all rest top
    table json csv markdown numpy numba 2026-01-01 2026-13-01 de en min_tpr f1 é <b> =1+1 ../x
"""
WORDS = (*TEXTS.split(), "", " ", "x" * 300, "\x1b[31mred", "a\nb", "a\0b", "\ud800")
FILES = {
    "t.csv": "a,b,text,y\n" + "".join(f"{i % 7},{-i * 0.5},w{i},{i % 2}\n" for i in range(40)),
    "semi.csv": "a;y\n" + "".join(f"{i},5;{i % 2}\n" for i in range(12)),
    "bad.csv": 'a,y\n1,0\n2,1\n"3,0\n',
}
OPTIONS = {
    name: sorted({flag for action in parser._actions for flag in action.option_strings if flag.startswith("--")})
    for name, parser in make_parser()._subparsers._group_actions[0].choices.items()
    if name in COMMANDS
}


def _words(rng: np.random.Generator) -> list[str]:
    """Return a command line that works, one to three words or options of it replaced, dropped or added."""
    command = str(rng.choice(list(COMMANDS)))
    forms = COMMANDS[command]
    words = [command, *forms[rng.integers(len(forms))]]
    for _ in range(1 + int(rng.integers(3))):
        place = int(rng.integers(1, len(words) + 1))
        word = str(rng.choice(OPTIONS[command])) if rng.random() < 0.5 else WORDS[rng.integers(len(WORDS))]
        kind = rng.random()
        if kind < 0.6:
            words[place:place] = [word, WORDS[rng.integers(len(WORDS))]] if word.startswith("--") else [word]
        elif kind < 0.85 and place < len(words):
            words[place] = word
        elif place < len(words):
            del words[place]
    return words


def run_one(seed: int, number: int) -> Outcome:
    """Type command line ``number`` of a seed in a folder of its own."""
    words = _words(np.random.default_rng([seed, number]))
    out, error = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
    start, kind, detail = time.perf_counter(), "", ""
    with empty_folder():
        for name, text in FILES.items():
            Path(name).write_text(text, "utf-8")
        streams = mock.patch.object(sys, "stdout", out), mock.patch.object(sys, "stderr", error)
        served = mock.patch("rocpredict.teaching.server.TeachingServer.wait", lambda self: self.close())
        browsers = mock.patch.dict(os.environ, {"BROWSER": "true"})
        try:
            with time_limit(), streams[0], streams[1], served, browsers:
                try:
                    code: object = cli.main(words)
                except SystemExit as stop:
                    code = stop.code
        except BaseException as raised:
            kind, code, detail = "foreign", None, "".join(traceback.format_exception(raised)[-2:]).strip()
        texts = []
        for stream in (out, error):
            with contextlib.suppress(ValueError):
                stream.flush()
            texts.append("" if stream.closed else stream.buffer.getvalue().decode("utf-8", "replace"))
    problem = (kind and detail) or _problem(words, code, *texts)
    return Outcome(kind or ("wrong" if problem else f"code {code}"), repr(words), time.perf_counter() - start, problem)


def _problem(words: list[str], code: object, out: str, error: str) -> str:
    """Return what is wrong with the output of a command, or nothing."""
    is_full = code == 1 and error.count("\n") == 1 and "No space left on device" in error
    if code not in {0, 2, None} and not is_full:
        return f"exit code {code}: {error[-600:]}"
    if "Traceback" in error or "Warning:" in error:
        return error[-600:]
    if code == 2 and (out or error.count("\n") != 1):
        return f"not one line: {out[:100]!r} {error[:300]!r}"
    if re.search("[\x00-\x08\x0b-\x1f\x7f]", out + error):
        return f"control characters: {(out + error)[:300]!r}"
    if "--json" in words and code == 0 and out and "--help" not in words:
        try:
            json.loads(out)
        except ValueError:
            return f"stdout is no JSON: {out[:200]!r}"
    return ""


def run(count: int, seed: int) -> list[Outcome]:
    """Type many command lines."""
    return [run_one(seed, number) for number in range(count)]


if __name__ == "__main__":
    main(run)
