"""``rocpredict compare``: predicted against empirical, and features against each other, from data."""

import argparse
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rocpredict.cli.against import add_tests, as_json, as_tables, check_tests, tested
from rocpredict.cli.data import Data, add_data, load
from rocpredict.cli.showing import save_plot, show
from rocpredict.comparison import Comparison, compare
from rocpredict.empirical import EmpiricalRoc, empirical_roc
from rocpredict.errors import RocPredictError
from rocpredict.flags import MEANINGS
from rocpredict.predictor import predict_roc
from rocpredict.tables import Table, to_json

ABOUT = """\
Lay the prediction beside the curve that the data show, feature by feature; and test the features
that --feature names, two or more, against each other on the same cases.

  rocpredict compare iris --positive virginica --negative versicolor
  rocpredict compare data.csv --label outcome --positive sick --feature glucose --plot roc.svg
  rocpredict compare pima --feature glucose --feature mass
  rocpredict compare pima --feature mass --feature age --alternative noninferior --margin 0.05

DATA is a CSV file with a header line, or the name of a built-in data set (iris, pima).
"""

_HONEST = (
    "ameans_empirical is what the best threshold gives on the rows that chose it, and optimistic; "
    "ameans_empirical_honest is what such thresholds give on rows that did not choose them."
)


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    add_data(command)
    command.add_argument(
        "--direction",
        choices=["higher", "lower", "auto"],
        action="append",
        help="where the positives lie (default: higher); given once, or once for each --feature",
    )
    add_tests(command)
    command.add_argument("--plot", type=Path, metavar="FILE", help="draw both curves (.svg, .png or .pdf); one feature")


def run(options: argparse.Namespace) -> None:
    """Compare feature by feature, test features against each other, and print."""
    check_tests(options)
    data = load(options)
    if options.plot is not None and len(data.features) != 1:
        raise RocPredictError(f"--plot draws one feature, here are {len(data.features)}; choose it with --feature")
    empirical = _empirical(data, options)
    names = list(empirical)
    test = tested(data, options, [roc.direction or "higher" for roc in empirical.values()])
    compared = {name: _compared(name, data, roc, options) for name, roc in empirical.items()}
    if options.json:
        held: dict[str, Any] = {"features": {name: comparison.to_dict() for name, comparison in compared.items()}}
        print(to_json(held if test is None else held | {"auc_test": as_json(test, names)}))
        return
    tables = [] if test is None else as_tables(test, names, options.level)
    show(_table(compared, data, options, _notes(data, empirical)), *tables)


def _empirical(data: Data, options: argparse.Namespace) -> dict[str, EmpiricalRoc]:
    """Count the curve of each feature; "auto" is resolved here and nowhere else."""
    sides = _sides(options.direction or [None], len(data.features))
    return {
        name: _named(name, empirical_roc, values, data.labels, direction=side, nan_policy=options.nan, **data.classes)
        for (name, values), side in zip(data.features.items(), sides, strict=True)
    }


def _named(name: str, make: Callable[..., Any], *values: Any, **arguments: Any) -> Any:
    """Make a ROC; an error about x is about the feature of this name."""
    try:
        return make(*values, **arguments)
    except RocPredictError as error:
        raise RocPredictError(re.sub(r"^x\b", lambda _: repr(name), str(error))) from None


def _sides(given: list[str | None], count: int) -> list[str | None]:
    if len(given) == 1:
        return given * count
    if len(given) != count:
        raise RocPredictError(
            f"--direction is given {len(given)} times for {count} features; give it once, or once for each"
        )
    if "auto" in given:
        raise RocPredictError("--direction auto decides for all features; give it once")
    return given


def _compared(name: str, data: Data, empirical: EmpiricalRoc, options: argparse.Namespace) -> Comparison:
    arguments = data.classes | {"direction": empirical.direction, "nan_policy": options.nan}
    predicted = _named(name, predict_roc, data.features[name], data.labels, **arguments)
    if options.plot is not None:
        save_plot(options.plot, predicted, empirical, name)
    return compare(predicted, empirical, level=options.level)


def _table(compared: dict[str, Comparison], data: Data, options: argparse.Namespace, notes: list[str]) -> Table:
    """Lay the comparisons side by side, one column a feature."""
    quantities = [name for name in next(iter(compared.values())).to_dict() if name != "level"]
    rows = [[quantity, *(getattr(one, quantity) for one in compared.values())] for quantity in quantities]
    negative = "every other label" if options.negative is None else options.negative
    positive = "the larger label" if data.positive is None else data.positive
    title = f"Predicted (Gaussian) against empirical; positive: {positive}, negative: {negative}"
    ends = f"auc_empirical_low and auc_empirical_high are the ends of its {100 * options.level:g} % interval."
    return Table(title, ["quantity", *compared], rows, notes=[ends, _HONEST, *notes])


def _notes(data: Data, empirical: dict[str, EmpiricalRoc]) -> list[str]:
    notes = list(data.notes)
    for name, roc in empirical.items():
        lost = sum(roc.omitted)
        notes += [f"{name}: rows without a value, left out: {lost}."] if lost else []
        notes += [f"{name}: {MEANINGS[flag]}." for flag in roc.best_threshold().flags]
    return notes
