"""Where the page begins: what a user says of it, checked."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from rocpredict.arguments import as_pair, one_of, plain, shown
from rocpredict.datasets import BUILT_IN
from rocpredict.errors import RocPredictError
from rocpredict.teach.asked import read_state
from rocpredict.teach.rows import built_in, contrast_of


def keys(datasets: Any) -> list[str]:
    """Give the built-in data that are wanted, each once."""
    listed = isinstance(datasets, Iterable) and not isinstance(datasets, (str, bytes))
    if not listed or (isinstance(datasets, np.ndarray) and datasets.ndim == 0):
        raise RocPredictError(f"datasets={shown(datasets)} is not a list of names; give some of {list(BUILT_IN)}")
    return list(dict.fromkeys(one_of("datasets", key, BUILT_IN) for key in datasets))


def begun(name: str, y: Any, named: dict[str, Any], others: list[str]) -> tuple[list[str], dict[str, Any]]:
    """Begin with built-in data: the keys with this one first, and the start."""
    rows = built_in(one_of("x", name, BUILT_IN))
    refuse("data of your own", {"y": y, "unit": named["unit"]})
    wanted = plain(named["feature"]) if isinstance(named["feature"], np.ndarray) else named["feature"]
    feature = 0 if wanted is None else rows.features.index(one_of("feature", wanted, rows.features))
    contrast = contrast_of(rows, named["positive"], named["negative"])
    return list(dict.fromkeys([name, *others])), {"data": name, "contrast": contrast, "feature": feature}


def refuse(needs: str, given: dict[str, Any]) -> None:
    """Refuse what says something about data that are not there."""
    for name, value in given.items():
        if value is not None:
            raise RocPredictError(f"{name}={shown(value)} goes with {needs}, which is not there")


def refuse_pair(mean: Any, std: Any) -> None:
    """Refuse a table's statistics beside data."""
    if mean is not None or std is not None:
        raise RocPredictError("mean= and std= begin with two Gaussians in place of x; give one or the other")


def gaussians(mean: Any, std: Any) -> dict[str, Any]:
    """Give two Gaussians as the page's state, nothing for none."""
    if (mean is None) != (std is None):
        raise RocPredictError("mean= and std= go together: a pair (negative, positive) of each")
    if mean is None:
        return {}
    return _pair("mean", mean) | _pair("std", std)


def _pair(name: str, value: Any) -> dict[str, float]:
    """Give a pair as the page's state; what is wrong is told by the name of the pair."""
    items = as_pair(name, value)
    try:
        return checked({f"{name}{place}": item for place, item in enumerate(items)})
    except RocPredictError as error:
        raise RocPredictError(re.sub(rf"^{name}[01]", name, str(error))) from None


def checked(moved: dict[str, Any]) -> dict[str, float]:
    """Refuse numbers that the page could not begin with."""
    single = {name: _single(name, value) for name, value in moved.items()}
    asked = read_state(single)
    return {name: getattr(asked, name) for name in single}


def _single(name: str, value: Any) -> Any:
    if isinstance(value, np.ndarray) and value.ndim:
        raise RocPredictError(f"{name}={shown(value)} has shape {value.shape}; give one number")
    return value.item() if isinstance(value, np.ndarray) else value
