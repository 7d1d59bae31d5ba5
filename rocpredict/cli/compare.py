"""Command compare."""

import argparse
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rocpredict.base.formatting import format_level
from rocpredict.base.results import FLAG_DESCRIPTIONS, Flags
from rocpredict.base.tables import Table
from rocpredict.base.validation import RocPredictError
from rocpredict.cli.data import (
    Command,
    Data,
    add_data,
    check_plot,
    load,
    pick,
    print_result,
    reword,
    save_plot,
    with_feature_name,
)
from rocpredict.diagnostics.comparison import Comparison, compare
from rocpredict.inference.auc_tests import TWO_SAMPLE_METHODS, auc_test
from rocpredict.inference.hypotheses import ALTERNATIVES, AucTest
from rocpredict.inference.multiple_tests import AucTestMany, auc_test_many
from rocpredict.roc.empirical import EmpiricalRoc, empirical_roc
from rocpredict.roc.predicted import PredictedRoc, predict_roc

AucTestResult = AucTest | AucTestMany
_TWO_SAMPLE_OPTIONS = ("method", "alternative", "margin", "seed", "resamples")


def _check_tests(options: argparse.Namespace) -> None:
    """Refuse options of a test that does not take place, or that the test does not take."""
    n_features = len(options.feature or ())
    test_options = [name for name, value in pick(options, *_TWO_SAMPLE_OPTIONS).items() if value is not None]
    if test_options and n_features != 2:
        remedy = "; three or more are tested by DeLong's method" if n_features > 2 else "; name them with --feature"
        raise RocPredictError(
            f"--{test_options[0]} is for a test of two features, here are {n_features or 'none'} named{remedy}"
        )
    random_options = [name for name in test_options if name in {"seed", "resamples"}]
    if random_options and options.method in {None, "delong"}:
        others = ", ".join(TWO_SAMPLE_METHODS[1:])
        raise RocPredictError(f"--{random_options[0]} is for a --method that draws at random: {others}")


def _run_tests(data: Data, options: argparse.Namespace, directions: Sequence[str]) -> AucTestResult | None:
    """Test the named features against each other, if there are two or more; directions are resolved already."""
    names = options.feature or []
    if len(names) < 2:
        return None
    columns = list(data.features.values())
    if options.direction == ["auto"] and len(set(directions)) > 1:
        resolved = ", ".join(f"{name} {direction}" for name, direction in zip(names, directions, strict=True))
        arguments = " ".join(f"--direction {direction}" for direction in directions)
        raise RocPredictError(
            f"--direction auto finds opposite directions ({resolved}); if that is meant, say {arguments}"
        )
    common = data.classes | {"direction": tuple(directions), "nan_policy": options.nan, "level": options.level}
    auto = Flags(auto_direction=options.direction == ["auto"])
    if len(names) > 2:
        multiple = auc_test_many(columns, data.labels, **common)
        return replace(multiple, flags=multiple.flags | auto)
    optional = {"n_resamples": options.resamples, "rng": options.seed, "alternative": options.alternative}
    settings = {name: value for name, value in optional.items() if value is not None}
    first, second = columns
    paired = auc_test(first, second, data.labels, method=options.method, margin=options.margin, **settings, **common)
    return replace(paired, flags=paired.flags | auto)


def _test_dict(test: AucTestResult, names: Sequence[str]) -> dict[str, Any]:
    """Return the numbers of a test, its features called as in the data."""
    values = {"features": list(names)} | _rename_features(test.to_dict(), names)
    if isinstance(test, AucTestMany):
        contrasts = zip(values["contrasts"], test.adjusted_p_values, strict=True)
        values["contrasts"] = [_rename_features(contrast, names) | {"adjusted_p_value": p} for contrast, p in contrasts]
    return values


def _test_table(test: AucTestResult, names: Sequence[str]) -> Table:
    """Return the table of a test, its features called as in the data."""
    omitted = sum(test.omitted)
    notes = [f"Rows without a value of any of them, left out for all: {omitted}."] if omitted else []
    title = f"{', '.join(names)} on the same cases"
    return reword(test.table(), title, lambda words: _substitute_names(words, names), notes)


def _rename_features(values: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return values | {key: _substitute_names(values[key], names) for key in ("null", "alternative") if key in values}


def _substitute_names(words: str, names: Sequence[str]) -> str:
    """Replace x1, x2, ..., and estimate 1, estimate 2, by the features' names."""
    words = re.sub(r"\bestimate (\d+)\b", r"AUC of x\1", words)
    return re.sub(r"\bx(\d+)\b", lambda match: names[int(match[1]) - 1], words)


_DESCRIPTION = """\
Lay the prediction beside the curve that the data show, feature by feature; and test the features
that --feature names, two or more, against each other on the same cases.

  rocpredict compare iris --positive virginica --negative versicolor
  rocpredict compare data.csv --label outcome --positive sick --feature glucose --plot roc.svg
  rocpredict compare pima --feature age --family auto
  rocpredict compare pima --feature glucose --feature mass
  rocpredict compare pima --feature mass --feature age --alternative noninferior --margin 0.05

DATA is a CSV file with a header line, or the name of a built-in data set (iris, pima, breast_cancer).
"""
_OOB_NOTE = (
    "empirical_ameans is what the best threshold gives on the rows that chose it, and optimistic; "
    "empirical_ameans_corrected is what such thresholds give on rows that did not choose them."
)


def _add_options(command: argparse.ArgumentParser) -> None:
    add_data(command)
    command.add_argument(
        "--direction",
        choices=["higher", "lower", "auto"],
        action="append",
        help="where the positives lie (default: higher); given once, or once for each --feature",
    )
    command.add_argument(
        "--method",
        choices=TWO_SAMPLE_METHODS,
        help="two features: the test (default: delong; venkatraman: whole curves)",
    )
    command.add_argument(
        "--alternative", choices=ALTERNATIVES, help="two features: what is claimed of the first (default: two-sided)"
    )
    command.add_argument("--margin", type=float, metavar="D", help="the AUC difference that still counts as as good")
    command.add_argument("--level", type=float, default=0.95, metavar="L", help="of all intervals (default 0.95)")
    command.add_argument("--seed", type=int, metavar="N", help="of a test that draws at random (default 0)")
    command.add_argument("--resamples", type=int, metavar="N", help="how often it draws (default 2000)")
    command.add_argument(
        "--plot", type=Path, metavar="FILE", help="draw the curves of each feature (.svg, .png or .pdf)"
    )


def _run(options: argparse.Namespace) -> None:
    """Compare feature by feature, test features against each other, and print."""
    _check_tests(options)
    data = load(options)
    check_plot(options.plot, len(data.features))
    empirical = _empirical(data, options)
    names = list(empirical)
    test = _run_tests(data, options, [roc.direction or "higher" for roc in empirical.values()])
    predicted = {name: _predicted(name, data, roc, options) for name, roc in empirical.items()}
    compared = {name: compare(predicted[name], roc, level=options.level) for name, roc in empirical.items()}
    if options.plot is not None:
        save_plot(options.plot, predicted, empirical)
    fits = {} if options.family == "gaussian" else {name: roc.model_fit() for name, roc in predicted.items()}
    features = {
        name: comparison.to_dict() | ({"model_fit": fits[name].to_dict()} if fits else {})
        for name, comparison in compared.items()
    }
    tests = {} if test is None else {"auc_test": _test_dict(test, names)}
    notes = _notes(data, empirical) + [f"{name}: {fit.summary}" for name, fit in fits.items()]
    tables = [_table(compared, data, options, notes), *([] if test is None else [_test_table(test, names)])]
    print_result(options, {"features": features} | tests, *tables)


def _empirical(data: Data, options: argparse.Namespace) -> dict[str, EmpiricalRoc]:
    """Return the empirical curve of each feature; "auto" is resolved here and nowhere else."""
    directions = _directions(options.direction or [None], len(data.features))
    return {
        name: with_feature_name(
            name, empirical_roc, values, data.labels, direction=direction, nan_policy=options.nan, **data.classes
        )
        for (name, values), direction in zip(data.features.items(), directions, strict=True)
    }


def _directions(directions: list[str | None], count: int) -> list[str | None]:
    if len(directions) == 1:
        return directions * count
    if len(directions) != count:
        raise RocPredictError(
            f"--direction is given {len(directions)} times for {count} features; give it once, or once for each"
        )
    if "auto" in directions:
        raise RocPredictError("--direction auto decides for all features; give it once")
    return directions


def _predicted(name: str, data: Data, empirical: EmpiricalRoc, options: argparse.Namespace) -> PredictedRoc:
    """Predict the curve of a feature; what "auto" found in these rows was not declared, and no family may use it."""
    direction = "auto" if options.direction == ["auto"] else empirical.direction
    arguments = data.classes | {"direction": direction, "nan_policy": options.nan, "family": options.family}
    result: PredictedRoc = with_feature_name(name, predict_roc, data.features[name], data.labels, **arguments)
    return result if result.direction == empirical.direction else replace(result, direction=empirical.direction)


def _table(compared: dict[str, Comparison], data: Data, options: argparse.Namespace, notes: list[str]) -> Table:
    """Return the comparisons side by side, one column a feature."""
    quantities = [name for name in next(iter(compared.values())).to_dict() if name != "level"]
    rows = [[quantity, *(getattr(comparison, quantity) for comparison in compared.values())] for quantity in quantities]
    negative = "every other label" if options.negative is None else options.negative
    positive = "the larger label" if data.classes["positive"] is None else data.classes["positive"]
    family = "Gaussian" if options.family == "gaussian" else options.family
    title = f"Predicted ({family}) against empirical; positive: {positive}, negative: {negative}"
    interval_note = (
        f"empirical_auc_low and empirical_auc_high are the ends of its {format_level(options.level)} interval."
    )
    return Table(title, ["quantity", *compared], rows, notes=[interval_note, _OOB_NOTE, *notes])


def _notes(data: Data, empirical: dict[str, EmpiricalRoc]) -> list[str]:
    notes = list(data.notes)
    for name, roc in empirical.items():
        lost = sum(roc.omitted)
        notes += [f"{name}: rows without a value, left out: {lost}."] if lost else []
        notes += [f"{name}: {FLAG_DESCRIPTIONS[flag]}." for flag in roc.best_threshold().flags]
    return notes


COMPARE = Command(
    "compare",
    "predicted against empirical, and features against each other, from data",
    _DESCRIPTION,
    _add_options,
    _run,
)
