"""Features against each other on the same cases, as options, tables and JSON."""

import argparse
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rocpredict.auc_tests import AucTestMany, auc_test, auc_test_many
from rocpredict.auc_tests.paired import PAIRED_METHODS
from rocpredict.cli.data import Data
from rocpredict.errors import RocPredictError
from rocpredict.flags import MEANINGS, Flags
from rocpredict.inference.results import ALTERNATIVES, AucTest
from rocpredict.tables import Table

AnyTest = AucTest | AucTestMany

_OF_TWO = ("method", "alternative", "margin", "seed", "resamples")
_OF_RESAMPLES = ("seed", "resamples")


def add_tests(command: argparse.ArgumentParser) -> None:
    """Add the options of a test of two features."""
    command.add_argument(
        "--method", choices=PAIRED_METHODS, help="two features: the test (default: delong; venkatraman: whole curves)"
    )
    command.add_argument(
        "--alternative", choices=ALTERNATIVES, help="two features: what is claimed of the first (default: two-sided)"
    )
    command.add_argument("--margin", type=float, metavar="D", help="the AUC difference that still counts as as good")
    command.add_argument("--level", type=float, default=0.95, metavar="L", help="of all intervals (default 0.95)")
    command.add_argument("--seed", type=int, metavar="N", help="of a test that draws at random (default 0)")
    command.add_argument("--resamples", type=int, metavar="N", help="how often it draws (default 2000)")


def check_tests(options: argparse.Namespace) -> None:
    """Refuse options of a test that does not take place, or that the test does not take."""
    named = len(options.feature or ())
    given = [name for name in _OF_TWO if getattr(options, name) is not None]
    if given and named != 2:
        rest = "; three or more are tested by DeLong's method" if named > 2 else "; name them with --feature"
        raise RocPredictError(f"--{given[0]} is for a test of two features, here are {named or 'none'} named{rest}")
    drawing = [name for name in given if name in _OF_RESAMPLES]
    if drawing and options.method in {None, "delong"}:
        others = ", ".join(PAIRED_METHODS[1:])
        raise RocPredictError(f"--{drawing[0]} is for a --method that draws at random: {others}")


def tested(data: Data, options: argparse.Namespace, directions: Sequence[str]) -> AnyTest | None:
    """Test the named features against each other, if there are two or more; directions are resolved already."""
    names = options.feature or []
    if len(names) < 2:
        return None
    columns = list(data.features.values())
    if options.direction == ["auto"] and len(set(directions)) > 1:
        found = ", ".join(f"{name} {side}" for name, side in zip(names, directions, strict=True))
        wanted = " ".join(f"--direction {side}" for side in directions)
        raise RocPredictError(f"--direction auto finds opposite directions ({found}); if that is meant, say {wanted}")
    common = data.classes | {"direction": tuple(directions), "nan_policy": options.nan, "level": options.level}
    auto = Flags(auto_direction=options.direction == ["auto"])
    if len(names) > 2:
        many = auc_test_many(columns, data.labels, **common)
        return replace(many, flags=many.flags | auto)
    given = {"n_resamples": options.resamples, "rng": options.seed, "alternative": options.alternative}
    chosen = {name: value for name, value in given.items() if value is not None}
    first, second = columns
    two = auc_test(first, second, data.labels, method=options.method, margin=options.margin, **chosen, **common)
    return replace(two, flags=two.flags | auto)


def as_json(test: AnyTest, names: Sequence[str]) -> dict[str, Any]:
    """Give a test by name, its features called as the data call them."""
    held = {"features": list(names)} | _renamed(test.to_dict(), names)
    if isinstance(test, AucTestMany):
        contrasts = zip(held["contrasts"], test.adjusted_p, strict=True)
        held["contrasts"] = [_renamed(one, names) | {"adjusted_p": p} for one, p in contrasts]
    return held


def as_tables(test: AnyTest, names: Sequence[str], level: float) -> list[Table]:
    """Lay a test out."""
    if isinstance(test, AucTestMany):
        return _many(test, names, level)
    rows: list[list[Any]] = [[f"AUC of {name}", area] for name, area in zip(names, test.estimates, strict=True)]
    interval = test.interval
    rows += [
        ["difference", test.difference],
        [f"{100 * level:g} % interval", f"{interval.low:.6g} to {interval.high:.6g}"],
        ["null hypothesis", _with_names(test.null, names)],
        ["alternative", _with_names(test.alternative, names)],
        ["method", test.method],
        ["statistic", test.statistic],
        ["p", f"{test.p_value:.4g}"],
        ["cases", _cases(test)],
    ]
    return [Table(f"{names[0]} against {names[1]} on the same cases", ["quantity", "value"], rows, notes=_notes(test))]


def _many(test: AucTestMany, names: Sequence[str], level: float) -> list[Table]:
    rows: list[list[Any]] = [[f"AUC of {name}", area] for name, area in zip(names, test.estimates, strict=True)]
    rows += [
        ["null hypothesis", test.null],
        ["method", test.method],
        ["chi-squared", test.statistic],
        ["degrees of freedom", test.df],
        ["p", f"{test.p_value:.4g}"],
        ["cases", _cases(test)],
    ]
    columns = ["null hypothesis", "difference", "low", "high", "z", "p", "p (Holm)"]
    pairs = [
        [_with_names(one.null, names), one.difference, *one.interval, one.statistic, one.p_value, adjusted]
        for one, adjusted in zip(test.contrasts, test.adjusted_p, strict=True)
    ]
    digits = {"p": ".4g", "p (Holm)": ".4g", "z": ".4g"}
    title = f"{', '.join(names)} on the same cases"
    each = f"Each interval has {100 * level:g} % by itself; Holm's p hold for all pairs together."
    return [
        Table(title, ["quantity", "value"], rows, notes=_notes(test)),
        Table("Pair by pair", columns, pairs, digits, notes=[each]),
    ]


def _cases(test: AnyTest) -> str:
    return f"{test.n[0]} negative, {test.n[1]} positive"


def _notes(test: AnyTest) -> list[str]:
    lost = sum(test.omitted)
    left_out = [f"Rows without a value of any of them, left out for all: {lost}."] if lost else []
    return left_out + [f"{MEANINGS[flag]}." for flag in test.flags]


def _renamed(held: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    words = {key: _with_names(held[key], names) for key in ("null", "alternative") if key in held}
    return held | words


def _with_names(words: str, names: Sequence[str]) -> str:
    """Say the features' names where the library says x1, x2, ..."""
    return re.sub(r"\bx(\d+)\b", lambda found: names[int(found[1]) - 1], words)
