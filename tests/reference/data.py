"""Functions that read the reference data sets and the tables of reference results."""

import csv
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

HERE = Path(__file__).parent
IRIS = ("sepal_length", "sepal_width", "petal_length", "petal_width")
PIMA = ("glucose", "mass", "age", "pedigree", "insulin", "pressure")
SHIPPED = {"iris": ("species", ("versicolor", "virginica"), IRIS), "pima": ("diabetes", ("neg", "pos"), PIMA)}
SMALL = ("three_level", "five_level", "six_seven", "unequal", "separated", "reversed", "correlated", "skewed")
BINARY = ("iris", "pima", *SMALL, "weighted")


class Key(NamedTuple):
    """Key of a number in a table."""

    data: str
    x1: str
    x2: str
    quantity: str
    setting: str


class Reference(NamedTuple):
    """A number of a table; ``mc_error`` is NaN if no random numbers were used."""

    value: float
    mc_error: float


def columns(path: Path) -> dict[str, list[str]]:
    with path.open(newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    return {name: [row[name] for row in rows] for name in rows[0]}


@cache
def load(name: str) -> dict[str, np.ndarray]:
    """Return a data set: ``y`` (0 or 1), and its features by name."""
    if name not in SHIPPED:
        path = HERE / "data" / f"{name}.csv"
        return {column: np.array(values, dtype=float) for column, values in columns(path).items()}
    label, classes, names = SHIPPED[name]
    raw = columns(HERE.parents[1] / "data" / f"{name}.csv")
    rows = [i for i, value in enumerate(raw[label]) if value in classes]
    y = np.array([classes.index(raw[label][i]) for i in rows])
    return {"y": y} | {name: np.array([float(raw[name][i]) for i in rows]) for name in names}


def xy(name: str, feature: str) -> tuple[np.ndarray, np.ndarray]:
    """Return a feature and the labels."""
    return load(name)[feature], load(name)["y"]


def features(name: str) -> tuple[str, ...]:
    """Return the names of the features of a data set: no labels, no weights."""
    return tuple(column for column in load(name) if column not in {"y", "w"})


def table(name: str) -> dict[Key, Reference]:
    """Read a table of reference numbers."""
    with (HERE / f"{name}.csv").open(newline="", encoding="utf-8") as lines:
        rows = [(Key(*about), value, mc_error) for *about, value, mc_error in list(csv.reader(lines))[1:]]
    result = {key: Reference(float(value), float(mc_error or "nan")) for key, value, mc_error in rows}
    assert len(result) == len(rows), name
    return result


def about(rows: dict[Key, Reference], quantity: str) -> list[tuple[Key, dict[str, float], float]]:
    """Return the rows of a quantity as (key, its settings, value); an absent quantity is a failure."""
    result = [(key, settings(key.setting), row.value) for key, row in rows.items() if key.quantity == quantity]
    assert result, quantity
    return result


def grouped(rows: dict[Key, Reference], quantity: str) -> dict[tuple, list[float]]:
    """Return {(data, feature, settings but the row): values in the order of their rows}."""
    groups: dict[tuple, list[float]] = {}
    for key, setting, value in about(rows, quantity):
        setting.pop("row", None)
        groups.setdefault((key.data, key.x1, tuple(setting.items())), []).append(value)
    return groups


def settings(text: str) -> dict[str, float]:
    """Read ``"low=0.1;high=0.4"``."""
    return {name: float(value) for name, value in (item.split("=") for item in text.split(";") if item)}


def near(value: Any, rel: float = 1e-12) -> Any:
    """Expect a deterministic number, to a relative difference of 1e-12."""
    return pytest.approx(value, rel=rel, abs=1e-15)
