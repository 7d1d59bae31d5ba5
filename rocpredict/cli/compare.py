"""Command compare."""

import argparse
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from rocpredict.base.formatting import format_level
from rocpredict.base.results import FLAG_DESCRIPTIONS, Flags
from rocpredict.base.tables import Table
from rocpredict.base.validation import RocPredictError
from rocpredict.cli import common
from rocpredict.cli.common import Data
from rocpredict.diagnostics.comparison import Comparison, compare
from rocpredict.inference.auc_tests import TWO_SAMPLE_METHODS, auc_test
from rocpredict.inference.hypotheses import ALTERNATIVES, AucTest
from rocpredict.inference.many_curves import AucTestMany, auc_test_many
from rocpredict.roc.empirical import EmpiricalRoc, empirical_roc
from rocpredict.roc.predicted import PredictedRoc, predict_roc

_TWO_SAMPLE_OPTIONS = ("method", "alternative", "margin", "seed", "resamples")


def _check_tests(options: argparse.Namespace) -> None:
    """Check that options of a test belong to the test of the selected features."""
    n_features = len(options.feature or ())
    test_options = [name for name, value in common.pick(options, *_TWO_SAMPLE_OPTIONS).items() if value is not None]
    if test_options and n_features != 2:
        remedy = (
            "; three or more are tested by the method of Krishnamoorthy and Yu"
            if n_features > 2
            else "; select them with --feature"
        )
        raise RocPredictError(
            f"--{test_options[0]} is for a test of two features, but {n_features or 'none'} are selected{remedy}"
        )
    random_options = [name for name in test_options if name in {"seed", "resamples"}]
    if random_options and options.method in {None, "smoothed-logit", "delong"}:
        others = ", ".join(TWO_SAMPLE_METHODS[2:])
        raise RocPredictError(f"--{random_options[0]} is for a --method that uses random numbers: {others}")


def _run_tests(
    data: Data, options: argparse.Namespace, directions: Sequence[str]
) -> tuple[dict[str, Any], list[Table]]:
    """Test two or more selected features against each other, in directions that are already resolved.

    Returns the numbers and the table of the test, with the names of the features.
    """
    names = options.feature or []
    if len(names) < 2:
        return {}, []
    columns = list(data.features.values())
    if options.direction == ["auto"] and len(set(directions)) > 1:
        resolved = ", ".join(f"{name} {direction}" for name, direction in zip(names, directions, strict=True))
        words = " ".join(f"--direction {direction}" for direction in directions)
        raise RocPredictError(f"--direction auto finds opposite directions ({resolved}); to test them, pass {words}")
    arguments = data.classes | {"direction": tuple(directions), "nan_policy": options.nan, "level": options.level}
    test: AucTest | AucTestMany
    if len(names) > 2:
        test = auc_test_many(columns, data.labels, **arguments)
    else:
        optional = common.pick(options, "method", "margin", "alternative")
        optional |= {"n_resamples": options.resamples, "rng": options.seed}
        arguments |= {name: value for name, value in optional.items() if value is not None}
        test = auc_test(columns[0], columns[1], data.labels, **arguments)
    test = replace(test, flags=test.flags | Flags(auto_direction=options.direction == ["auto"]))
    values = {"features": list(names)} | _rename_features(test.to_dict(), names)
    if isinstance(test, AucTestMany):
        contrasts = zip(values["contrasts"], test.adjusted_p_values, strict=True)
        values["contrasts"] = [_rename_features(contrast, names) | {"adjusted_p_value": p} for contrast, p in contrasts]
    omitted = sum(test.omitted)
    notes = [f"Observations omitted because a feature is missing: {omitted}."] if omitted else []
    if "opposite_directions" in test.flags:
        notes.append(f"If the features have opposite directions, {_direction_remedy(test.estimates, directions)}.")
    title = f"{', '.join(names)} on the same observations"
    table = common.reword(test.table(), title, lambda words: _substitute_names(words, names), notes)
    return {"auc_test": values}, [table]


def _direction_remedy(estimates: Iterable[float], directions: Iterable[str]) -> str:
    """Return the advice to pass a direction for each feature, by its AUC in the present direction."""
    opposite = {"higher": "lower", "lower": "higher"}
    best = (now if auc >= 0.5 else opposite[now] for auc, now in zip(estimates, directions, strict=True))
    return f"pass the direction of each, such as {' '.join(f'--direction {direction}' for direction in best)}"


def _rename_features(values: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return values | {key: _substitute_names(values[key], names) for key in ("null", "alternative") if key in values}


def _substitute_names(words: str, names: Sequence[str]) -> str:
    """Replace x1, x2, ..., and estimate 1, estimate 2, by the features' names."""
    words = re.sub(r"\bestimate (\d+)\b", r"AUC of x\1", words)
    return re.sub(r"\bx(\d+)\b", lambda match: names[int(match[1]) - 1], words)


_OOB_NOTE = (
    "empirical_ameans is the Ameans (balanced accuracy) on the data that the threshold was chosen on, and optimistic; "
    "empirical_ameans_corrected is corrected for that optimism."
)


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of ``compare``."""
    common.add_data(command)
    common.add_direction(command, "append", " (default: higher); once, or once for each --feature")
    methods = "test of two features (default: smoothed-logit; venkatraman tests whole curves)"
    command.add_argument("--method", choices=TWO_SAMPLE_METHODS, help=methods)
    alternatives = "alternative hypothesis about the first of two features (default: two-sided)"
    command.add_argument("--alternative", choices=ALTERNATIVES, help=alternatives)
    command.add_argument(
        "--margin", type=float, metavar="D", help="largest AUC difference that counts as equivalent or noninferior"
    )
    common.add_level(command, "confidence level of all intervals")
    command.add_argument("--seed", type=int, metavar="N", help="seed of a test that uses random numbers (default: 0)")
    command.add_argument(
        "--resamples", type=int, metavar="N", help="number of resamples or permutations of this test (default: 2000)"
    )
    common.add_plot(command, "the curves of each feature (.svg, .png or .pdf)")


def run(options: argparse.Namespace) -> None:
    """Compare the predicted with the empirical curve of each feature, and test features against each other.

    If --feature selects two or more features, they are also tested against each other on the same observations.

      rocpredict compare iris --positive virginica --negative versicolor
      rocpredict compare data.csv --label outcome --positive sick --feature glucose --plot roc.svg
      rocpredict compare pima --feature age --family auto
      rocpredict compare pima --feature glucose --feature mass
      rocpredict compare pima --feature mass --feature age --alternative noninferior --margin 0.05

    DATA is a CSV file with a header line, or the name of a built-in data set (iris, pima, breast_cancer).
    """
    _check_tests(options)
    data = common.load(options)
    common.check_plot(options.plot, len(data.features))
    empirical = _empirical(data, options)
    tests, test_tables = _run_tests(data, options, [roc.direction or "higher" for roc in empirical.values()])
    predicted = {name: _predicted(name, data, roc, options) for name, roc in empirical.items()}
    compared = {name: compare(predicted[name], roc, level=options.level) for name, roc in empirical.items()}
    if options.plot is not None:
        common.save_plot(options.plot, predicted, empirical)
    fits = {} if options.family == "gaussian" else {name: roc.model_fit() for name, roc in predicted.items()}
    features = {
        name: comparison.to_dict() | ({"model_fit": fits[name].to_dict()} if fits else {})
        for name, comparison in compared.items()
    }
    notes = _notes(data, empirical) + [f"{name}: {fit.summary}" for name, fit in fits.items()]
    table = _table(compared, data, options, notes)
    common.print_result(options, {"features": features} | tests, table, *test_tables)


def _empirical(data: Data, options: argparse.Namespace) -> dict[str, EmpiricalRoc]:
    """Return the empirical curve of each feature, with direction "auto" resolved."""
    directions = _directions(options.direction or [None], len(data.features))
    return {
        name: common.with_feature_name(
            name, empirical_roc, values, data.labels, direction=direction, nan_policy=options.nan, **data.classes
        )
        for (name, values), direction in zip(data.features.items(), directions, strict=True)
    }


def _directions(directions: list[str | None], count: int) -> list[str | None]:
    if len(directions) == 1:
        return directions * count
    if len(directions) != count:
        raise RocPredictError(
            f"--direction is passed {len(directions)} times for {count} features; pass it once, or once for each"
        )
    if "auto" in directions:
        raise RocPredictError("--direction auto applies to all features; pass it once")
    return directions


def _predicted(name: str, data: Data, empirical: EmpiricalRoc, options: argparse.Namespace) -> PredictedRoc:
    """Predict the curve of a feature; a direction from "auto" is not declared, so that no family uses it."""
    direction = "auto" if options.direction == ["auto"] else empirical.direction
    arguments = data.classes | {"direction": direction, "nan_policy": options.nan, "family": options.family}
    result: PredictedRoc = common.with_feature_name(name, predict_roc, data.features[name], data.labels, **arguments)
    return result if result.direction == empirical.direction else replace(result, direction=empirical.direction)


def _table(compared: dict[str, Comparison], data: Data, options: argparse.Namespace, notes: list[str]) -> Table:
    """Return a table of the comparisons, with one column for each feature."""
    quantities = [name for name in next(iter(compared.values())).to_dict() if name != "level"]
    rows = [[quantity, *(getattr(comparison, quantity) for comparison in compared.values())] for quantity in quantities]
    negative = "all other labels" if options.negative is None else options.negative
    positive = "the larger label" if data.classes["positive"] is None else data.classes["positive"]
    family = "Gaussian" if options.family == "gaussian" else options.family
    title = f"Predicted ({family}) and empirical curve; positive: {positive}, negative: {negative}"
    interval_note = (
        f"empirical_auc_low and empirical_auc_high are the bounds of the {format_level(options.level)} confidence "
        "interval of empirical_auc."
    )
    return Table(title, ["quantity", *compared], rows, notes=[interval_note, _OOB_NOTE, *notes])


def _notes(data: Data, empirical: dict[str, EmpiricalRoc]) -> list[str]:
    notes = list(data.notes)
    for name, roc in empirical.items():
        lost = sum(roc.omitted)
        notes += [f"{name}: observations omitted because the value is missing: {lost}."] if lost else []
        notes += [f"{name}: {FLAG_DESCRIPTIONS[flag]}." for flag in roc.best_threshold().flags]
    return notes
