"""Data that a command names: a built-in set, or a CSV file."""

import argparse
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rocpredict import datasets
from rocpredict.arguments import FloatArray
from rocpredict.errors import RocPredictError
from rocpredict.sources import CsvTable, read_csv

BUILT_IN = ("iris", "pima")
"""The names of the data sets that need no file."""


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
    command.add_argument("--positive", metavar="LABEL", help="the positive class (pima: pos)")
    command.add_argument("--negative", metavar="LABEL", help="the negative class (default: every other label)")
    command.add_argument(
        "--feature", action="append", metavar="COLUMN", help="may be repeated (default: all of built-in data)"
    )
    command.add_argument(
        "--nan", choices=["raise", "omit"], default="raise", help="refuse rows without a value, or leave them out"
    )


def load(options: argparse.Namespace) -> Data:
    """Read the chosen features and the labels."""
    _check_twice(options.feature or [])
    if options.data in BUILT_IN:
        data = built_in(options.data, options.feature, omit=options.nan == "omit")
        return data._replace(positive=options.positive or data.positive, negative=options.negative)
    if not Path(options.data).suffix and not Path(options.data).exists():
        raise RocPredictError(f"{options.data} is neither a file nor a built-in data set ({', '.join(BUILT_IN)})")
    table = read_csv(options.data)
    for name, column in (("--label", options.label), ("--feature", options.feature)):
        if not column:
            raise RocPredictError(f"{name} is needed; columns of {table.name} are {', '.join(table.header)}")
    features = {name: _numbers(table, name, options.nan) for name in options.feature}
    labels = table.labels(options.label)
    return Data(features, labels, as_label(options.positive, labels), as_label(options.negative, labels))


def built_in(name: str, features: list[str] | None, *, omit: bool) -> Data:
    """Give built-in data, or some of its features; ``omit``: with what stands for missing values as missing."""
    data = datasets.load_iris() if name == "iris" else datasets.load_pima(zeros_as_missing=omit)
    names = features or data.feature_names
    unknown = [feature for feature in names if feature not in data.feature_names]
    if unknown:
        raise RocPredictError(f"{name} has no feature {unknown[0]!r}; features are {', '.join(data.feature_names)}")
    notes = [] if omit or name == "iris" else _zeros(names)
    positive = "pos" if name == "pima" else None
    return Data({feature: data.column(feature) for feature in names}, data.y, positive, None, tuple(notes))


def _zeros(names: Any) -> list[str]:
    """Say in which features of pima zeros stand for missing values."""
    marked = datasets.load_pima(zeros_as_missing=True)
    held = [name for name in names if np.isnan(marked.column(name)).any()]
    words = f"pima: zeros in {', '.join(held)} stand for missing values; --nan omit leaves these rows out."
    return [words] if held else []


def _check_twice(names: list[str]) -> None:
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise RocPredictError(f"--feature {twice[0]} is given twice; name different ones")


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
    """Give a label as the data have it: the number 1 for the word "1" where labels are numbers."""
    if word is None or labels.dtype.kind == "U":
        return word
    try:
        return labels.dtype.type(word)
    except ValueError:
        return word
