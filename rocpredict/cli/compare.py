"""``rocpredict compare``: predicted against empirical, from data."""

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from rocpredict import datasets
from rocpredict.arguments import FloatArray
from rocpredict.cli.showing import save_plot, show
from rocpredict.comparison import Comparison, compare
from rocpredict.empirical import empirical_roc
from rocpredict.errors import RocPredictError
from rocpredict.flags import MEANINGS
from rocpredict.predictor import predict_roc
from rocpredict.sources import CsvTable, read_csv
from rocpredict.tables import Table, to_json

ABOUT = """\
Lay the prediction beside the curve that the data show, feature by feature.

  rocpredict compare iris --positive virginica --negative versicolor
  rocpredict compare data.csv --label outcome --positive sick --feature glucose --plot roc.svg

DATA is a CSV file with a header line, or the name of a built-in data set (iris).
"""


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    command.add_argument("data", metavar="DATA", help="a CSV file, or the name of a built-in data set")
    command.add_argument("--label", metavar="COLUMN", help="the column with the classes (built-in data know theirs)")
    command.add_argument("--positive", metavar="LABEL", help="the positive class")
    command.add_argument("--negative", metavar="LABEL", help="the negative class (default: every other label)")
    command.add_argument(
        "--feature", action="append", metavar="COLUMN", help="may be repeated (default: all of a built-in data set)"
    )
    command.add_argument("--direction", choices=["higher", "lower", "auto"], help="where the positives lie")
    command.add_argument(
        "--nan", choices=["raise", "omit"], default="raise", help="refuse rows without a value, or leave them out"
    )
    command.add_argument("--plot", type=Path, metavar="FILE", help="draw both curves (.svg, .png or .pdf); one feature")


def run(options: argparse.Namespace) -> None:
    """Compare feature by feature and print."""
    features, labels = _load(options)
    if options.plot is not None and len(features) != 1:
        raise RocPredictError(f"--plot draws one feature, here are {len(features)}; choose it with --feature")
    classes = {"positive": _label(options.positive, labels), "negative": _label(options.negative, labels)}
    compared: dict[str, Comparison] = {}
    notes = []
    for name, values in features.items():
        arguments = classes | {"nan_policy": options.nan}
        empirical = empirical_roc(values, labels, direction=options.direction, **arguments)
        predicted = predict_roc(values, labels, direction=empirical.direction, **arguments)
        compared[name] = compare(predicted, empirical)
        if any(empirical.omitted):
            notes.append(f"{name}: rows without a value, left out: {sum(empirical.omitted)}.")
        notes += [f"{name}: {MEANINGS[flag]}." for flag in empirical.best_threshold().flags]
        if options.plot is not None:
            save_plot(options.plot, predicted, empirical, name)
    if options.json:
        print(to_json({name: comparison.to_dict() for name, comparison in compared.items()}))
        return
    names = list(next(iter(compared.values())).to_dict())
    rows = [[quantity, *(getattr(comparison, quantity) for comparison in compared.values())] for quantity in names]
    negative = "every other label" if options.negative is None else options.negative
    positive = options.positive if options.positive is not None else "the larger label"
    title = f"Predicted (Gaussian) against empirical; positive: {positive}, negative: {negative}"
    show(Table(title, ["quantity", *compared], rows, notes=notes))


def _load(options: argparse.Namespace) -> tuple[dict[str, FloatArray], Any]:
    """Give the chosen features by name, and the labels."""
    if options.data == "iris":
        iris = datasets.load_iris()
        unknown = [name for name in options.feature or () if name not in iris.feature_names]
        if unknown:
            raise RocPredictError(f"iris has no feature {unknown[0]!r}; features are {', '.join(iris.feature_names)}")
        return {name: iris.column(name) for name in options.feature or iris.feature_names}, iris.y
    if not Path(options.data).suffix and not Path(options.data).exists():
        raise RocPredictError(f"{options.data} is neither a file nor a built-in data set (iris)")
    table = read_csv(options.data)
    for name, column in (("--label", options.label), ("--feature", options.feature)):
        if not column:
            raise RocPredictError(f"{name} is needed; columns of {table.name} are {', '.join(table.header)}")
    return {name: _numbers(table, name, options.nan) for name in options.feature}, table.labels(options.label)


def _numbers(table: CsvTable, name: str, policy: str) -> FloatArray:
    values = table.numbers(name)
    missing = np.flatnonzero(np.isnan(values))
    if policy == "raise" and missing.size:
        listed = ", ".join(str(table.line(row)) for row in missing[:5]) + (", ..." if missing.size > 5 else "")
        raise RocPredictError(
            f"{table.name}: column {name!r} has {missing.size} missing of {len(values)}, at lines {listed}; "
            "--nan omit leaves these rows out"
        )
    return values


def _label(word: str | None, labels: Any) -> Any:
    """Give a label as the data have it: the number 1 for the word "1" where labels are numbers."""
    if word is None or labels.dtype.kind == "U":
        return word
    try:
        return labels.dtype.type(word)
    except ValueError:
        return word
