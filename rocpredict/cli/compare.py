"""``rocpredict compare``: predicted against empirical, and features against each other, from data."""

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

from rocpredict.cli.against import add_tests, as_json, as_tables, check_tests, tested
from rocpredict.cli.data import Data, add_data, add_family, load, named
from rocpredict.cli.showing import save_plot, show
from rocpredict.comparison import Comparison, compare
from rocpredict.empirical import EmpiricalRoc, empirical_roc
from rocpredict.errors import RocPredictError
from rocpredict.flags import MEANINGS
from rocpredict.predictor import PredictedRoc, predict_roc
from rocpredict.tables import Table, to_json

ABOUT = """\
Lay the prediction beside the curve that the data show, feature by feature; and test the features
that --feature names, two or more, against each other on the same cases.

  rocpredict compare iris --positive virginica --negative versicolor
  rocpredict compare data.csv --label outcome --positive sick --feature glucose --plot roc.svg
  rocpredict compare pima --feature age --family auto
  rocpredict compare pima --feature glucose --feature mass
  rocpredict compare pima --feature mass --feature age --alternative noninferior --margin 0.05

DATA is a CSV file with a header line, or the name of a built-in data set (iris, pima, breast_cancer).
"""

_HONEST = (
    "ameans_empirical is what the best threshold gives on the rows that chose it, and optimistic; "
    "ameans_empirical_honest is what such thresholds give on rows that did not choose them."
)


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    add_data(command)
    add_family(command)
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
    predicted = {name: _predicted(name, data, roc, options) for name, roc in empirical.items()}
    compared = {name: compare(predicted[name], roc, level=options.level) for name, roc in empirical.items()}
    if options.plot is not None:
        save_plot(options.plot, predicted[names[0]], empirical[names[0]], names[0])
    trusted = {} if options.family == "gaussian" else {name: roc.trust() for name, roc in predicted.items()}
    if options.json:
        told = {name: {"trust": trust.to_dict()} for name, trust in trusted.items()}
        held: dict[str, Any] = {
            "features": {name: one.to_dict() | told.get(name, {}) for name, one in compared.items()}
        }
        print(to_json(held if test is None else held | {"auc_test": as_json(test, names)}))
        return
    notes = _notes(data, empirical) + [f"{name}: {trust.meaning}" for name, trust in trusted.items()]
    tables = [] if test is None else as_tables(test, names, options.level)
    show(_table(compared, data, options, notes), *tables)


def _empirical(data: Data, options: argparse.Namespace) -> dict[str, EmpiricalRoc]:
    """Count the curve of each feature; "auto" is resolved here and nowhere else."""
    sides = _sides(options.direction or [None], len(data.features))
    return {
        name: named(name, empirical_roc, values, data.labels, direction=side, nan_policy=options.nan, **data.classes)
        for (name, values), side in zip(data.features.items(), sides, strict=True)
    }


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


def _predicted(name: str, data: Data, empirical: EmpiricalRoc, options: argparse.Namespace) -> PredictedRoc:
    """Predict the curve of a feature; what "auto" found in these rows was not declared, and no family may use it."""
    side = "auto" if options.direction == ["auto"] else empirical.direction
    arguments = data.classes | {"direction": side, "nan_policy": options.nan, "family": options.family}
    found: PredictedRoc = named(name, predict_roc, data.features[name], data.labels, **arguments)
    return found if found.direction == empirical.direction else replace(found, direction=empirical.direction)


def _table(compared: dict[str, Comparison], data: Data, options: argparse.Namespace, notes: list[str]) -> Table:
    """Lay the comparisons side by side, one column a feature."""
    quantities = [name for name in next(iter(compared.values())).to_dict() if name != "level"]
    rows = [[quantity, *(getattr(one, quantity) for one in compared.values())] for quantity in quantities]
    negative = "every other label" if options.negative is None else options.negative
    positive = "the larger label" if data.positive is None else data.positive
    family = "Gaussian" if options.family == "gaussian" else options.family
    title = f"Predicted ({family}) against empirical; positive: {positive}, negative: {negative}"
    ends = f"auc_empirical_low and auc_empirical_high are the ends of its {100 * options.level:g} % interval."
    return Table(title, ["quantity", *compared], rows, notes=[ends, _HONEST, *notes])


def _notes(data: Data, empirical: dict[str, EmpiricalRoc]) -> list[str]:
    notes = list(data.notes)
    for name, roc in empirical.items():
        lost = sum(roc.omitted)
        notes += [f"{name}: rows without a value, left out: {lost}."] if lost else []
        notes += [f"{name}: {MEANINGS[flag]}." for flag in roc.best_threshold().flags]
    return notes
