"""``rocpredict teach``: the teaching page, served or saved, and its worksheet."""

import argparse
from contextlib import suppress
from pathlib import Path
from typing import Any

from rocpredict.cli.data import as_label, check_twice
from rocpredict.cli.showing import add_pair
from rocpredict.datasets import BUILT_IN
from rocpredict.errors import RocPredictError
from rocpredict.files import write_whole
from rocpredict.sources import CsvTable, read_csv
from rocpredict.tables import to_json
from rocpredict.teach import TeachingPage
from rocpredict.teach.wording import languages

ABOUT = """\
Show two densities, a threshold and the ROC curve in the browser, moving in step, with a guided lesson.

  rocpredict teach
  rocpredict teach iris --positive virginica --negative versicolor --feature petal_length
  rocpredict teach data.csv --label outcome --positive sick
  rocpredict teach --mean 5.1 6.4 --std 0.9 1.2
  rocpredict teach --save teach.html
  rocpredict teach --worksheet worksheet.html

Without --save the page is served to this machine alone, and every number is computed as it is asked for. A saved page
needs nothing but a browser. DATA is a CSV file with a header line, or iris, pima or breast_cancer.
"""


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    command.add_argument("data", nargs="?", metavar="DATA", help=f"a CSV file, or one of {', '.join(BUILT_IN)}")
    command.add_argument("--label", metavar="COLUMN", help="the column with the classes (built-in data know theirs)")
    command.add_argument("--positive", metavar="LABEL", help="the positive class")
    command.add_argument("--negative", metavar="LABEL", help="the negative class (default: every other label)")
    command.add_argument(
        "--feature", action="append", metavar="COLUMN", help="may be repeated (default: every column of numbers)"
    )
    add_pair(command, "--mean", "means to begin with, such as from a published table; needs --std")
    add_pair(command, "--std", "standard deviations to begin with")
    command.add_argument("--save", type=Path, metavar="FILE", help="write the page into a file, and end")
    command.add_argument("--worksheet", type=Path, metavar="FILE", help="write a worksheet with answers, to be printed")
    command.add_argument("--port", type=int, default=0, metavar="N", help="where to serve (default: any free port)")
    command.add_argument("--no-browser", action="store_true", help="do not open the browser")
    command.add_argument("--lang", choices=languages(), default="en", help="language of the page (default: en)")
    command.add_argument("--no-lesson", action="store_true", help="leave the guided lesson out")
    command.add_argument("--lecture", action="store_true", help="begin in lecture mode: large, without sliders")


def run(options: argparse.Namespace) -> None:
    """Save the page or its worksheet, or serve the page until Ctrl-C."""
    if options.worksheet is not None and options.save is None:
        _say("worksheet", _worksheet(options), options)
        return
    page = _page(options)
    if options.worksheet is not None:
        _say("worksheet", _worksheet(options), options)
    if options.save is not None:
        _say("saved", str(page.save(options.save)), options)
        return
    with suppress(KeyboardInterrupt), page.serve(options.port) as server:
        _say("url", server.url if options.json else f"{server.url}  (Ctrl-C ends)", options)
        if not options.no_browser:
            server.open_browser()
        server.wait()


def _worksheet(options: argparse.Namespace) -> str:
    from rocpredict.teach.worksheet import worksheet_html

    return str(write_whole(options.worksheet, worksheet_html(options.lang)))


def _say(name: str, text: str, options: argparse.Namespace) -> None:
    print(to_json({name: text}) if options.json else text, flush=True)


def _page(options: argparse.Namespace) -> TeachingPage:
    check_twice("feature", options.feature)
    shared: dict[str, Any] = {"lang": options.lang, "lesson": not options.no_lesson, "lecture": options.lecture}
    if options.data is None:
        for name in ("label", "positive", "negative", "feature"):
            if getattr(options, name) is not None:
                raise RocPredictError(f"--{name} goes with DATA, which is not there")
        return TeachingPage(mean=options.mean, std=options.std, **shared)
    if options.mean is not None or options.std is not None:
        raise RocPredictError("--mean and --std begin with two Gaussians in place of DATA; give one or the other")
    if options.data in BUILT_IN:
        return _built_in(options, shared)
    return _from_file(options, shared)


def _built_in(options: argparse.Namespace, shared: dict[str, Any]) -> TeachingPage:
    if options.label is not None:
        raise RocPredictError(f"--label {options.label!r} is for files; {options.data} knows its labels")
    if options.feature is not None and len(options.feature) > 1:
        raise RocPredictError("--feature names the one to begin with of built-in data; all of them are on the page")
    feature = options.feature and options.feature[0]
    classes = {"positive": options.positive, "negative": options.negative}
    return TeachingPage(options.data, feature=feature, **classes, **shared)


def _from_file(options: argparse.Namespace, shared: dict[str, Any]) -> TeachingPage:
    if not Path(options.data).suffix and not Path(options.data).exists():
        raise RocPredictError(f"{options.data} is neither a file nor a built-in data set ({', '.join(BUILT_IN)})")
    table = read_csv(options.data)
    if options.label is None:
        raise RocPredictError(f"--label is needed; columns of {table.name} are {', '.join(table.header)}")
    labels = table.labels(options.label)
    classes = {name: as_label(getattr(options, name), labels) for name in ("positive", "negative")}
    return TeachingPage(_columns(table, options), labels, **classes, **shared)


def _columns(table: CsvTable, options: argparse.Namespace) -> dict[str, Any]:
    """Give the columns that are named, or all that hold numbers."""
    if options.feature:
        return {name: table.numbers(name) for name in options.feature}
    found: dict[str, Any] = {}
    trouble = RocPredictError(f"{table.name} has no column beside its labels")
    for name in table.header:
        try:
            found |= {} if name == options.label else {name: table.numbers(name)}
        except RocPredictError as error:  # a column of words is no feature
            trouble = error
    if not found:
        raise trouble
    return found
