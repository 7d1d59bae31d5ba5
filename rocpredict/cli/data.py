"""Data that a command names: a built-in set, or a CSV file."""

import argparse
import re
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rocpredict import datasets
from rocpredict.arguments import FloatArray
from rocpredict.cli.warned import about
from rocpredict.datasets import BUILT_IN
from rocpredict.errors import RocPredictError
from rocpredict.fitting import FAMILIES
from rocpredict.labels import label_names
from rocpredict.sources import CsvTable, read_csv
from rocpredict.tables import as_text

_POSITIVE = {"pima": "pos", "breast_cancer": "malignant"}


class Data(NamedTuple):
    """The chosen features by name, the labels, and which of them are the classes."""

    features: dict[str, FloatArray]
    labels: Any
    positive: Any
    negative: Any
    notes: tuple[str, ...] = ()

    @property
    def classes(self) -> dict[str, Any]:
        """Give the classes as the library's functions take them."""
        return {"positive": self.positive, "negative": self.negative}


def add_data(command: argparse.ArgumentParser) -> None:
    """Add the options that name data."""
    command.add_argument("data", metavar="DATA", help=f"a CSV file, or built-in data: {', '.join(BUILT_IN)}")
    command.add_argument("--label", metavar="COLUMN", help="the column with the classes (built-in data know theirs)")
    command.add_argument("--positive", metavar="LABEL", help="the positive class (pima: pos, breast_cancer: malignant)")
    command.add_argument("--negative", metavar="LABEL", help="the negative class (default: every other label)")
    command.add_argument(
        "--feature", action="append", metavar="COLUMN", help="may be repeated (default: all of built-in data)"
    )
    command.add_argument(
        "--nan", choices=["raise", "omit"], default="raise", help="refuse rows without a value, or leave them out"
    )


def add_family(command: argparse.ArgumentParser) -> None:
    """Add the option that names what is fitted to each class."""
    names = ", ".join(name for name in FAMILIES if name != "gaussian")
    command.add_argument(
        "--family", choices=list(FAMILIES), default="gaussian", metavar="NAME", help=f"gaussian (default), {names}"
    )


def named(name: str, make: Callable[..., Any], *values: Any, **arguments: Any) -> Any:
    """Make something of a feature; an error or a warning about x is about the feature of this name."""
    try:
        with about(name):
            return make(*values, **arguments)
    except RocPredictError as error:
        message = re.sub(r"^x\b", lambda _: repr(name), str(error))
        raise RocPredictError(f"{name}: {message}" if message.startswith(("family=", "the ")) else message) from None


def load(options: argparse.Namespace) -> Data:
    """Read the chosen features and the labels."""
    check_twice("feature", options.feature)
    if options.data in BUILT_IN:
        return built_in(options.data, options)
    if not Path(options.data).suffix and not Path(options.data).exists():
        raise RocPredictError(f"{options.data} is neither a file nor a built-in data set ({', '.join(BUILT_IN)})")
    table = read_csv(options.data)
    for name, column in (("--label", options.label), ("--feature", options.feature)):
        if not column:
            raise RocPredictError(f"{name} is needed; columns of {table.name} are {', '.join(table.header)}")
    features = {name: _numbers(table, name, options.nan) for name in options.feature}
    labels = table.labels(options.label)
    return Data(features, labels, as_label(options.positive, labels), as_label(options.negative, labels))


def built_in(name: str, options: argparse.Namespace, exclude: Sequence[str] = ()) -> Data:
    """Give built-in data, or some of its features; with ``--nan omit`` what stands for missing values is missing."""
    if options.label is not None:
        raise RocPredictError(f"--label {options.label!r} is for files; {name} knows its labels")
    if name == "pima":
        data = datasets.load_pima(zeros_as_missing=options.nan == "omit")
    else:
        data = datasets.load_built_in(name)
    unknown = [feature for feature in (*(options.feature or ()), *exclude) if feature not in data.feature_names]
    if unknown:
        raise RocPredictError(f"{name} has no feature {unknown[0]!r}; features are {', '.join(data.feature_names)}")
    chosen = options.feature or [feature for feature in data.feature_names if feature not in exclude]
    positive = options.positive or _POSITIVE.get(name)
    notes = _zeros(chosen, options.nan) if name == "pima" else ()
    return Data({feature: data.column(feature) for feature in chosen}, data.y, positive, options.negative, notes)


def _zeros(features: Iterable[str], policy: str) -> tuple[str, ...]:
    """Say in which features of pima zeros stand for missing values, and what becomes of them."""
    marked = datasets.load_pima(zeros_as_missing=True)
    held = [feature for feature in features if np.isnan(marked.column(feature)).any()]
    then = {
        "raise": "--nan omit leaves these rows out",
        "omit": "they are left out (--nan raise takes them as they are)",
    }
    return (f"pima: zeros in {', '.join(held)} stand for missing values; {then[policy]}.",) if held else ()


def check_twice(option: str, names: Sequence[str] | None) -> None:
    """Refuse an option that names a column twice."""
    twice = [name for name in names or () if names and names.count(name) > 1]
    if twice:
        raise RocPredictError(f"--{option} {twice[0]} is given twice; name different ones")


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


def as_label(word: str | None, labels: Any) -> Any:
    """Give the label that a word calls: the number 1 by "1", False by "False", a date by "2020-01-31"."""
    if word is None or labels.dtype.kind == "U":
        return word
    return next((label for label in label_names(labels) if _is_called(label, word)), word)


def _is_called(label: Any, word: str) -> bool:
    if as_text(label) == word:
        return True
    if isinstance(label, bool):
        return word.lower() in (str(label).lower(), str(int(label)))
    try:
        return isinstance(label, (int, float)) and label == (float if isinstance(label, float) else Decimal)(word)
    except (ValueError, ArithmeticError):
        return False
