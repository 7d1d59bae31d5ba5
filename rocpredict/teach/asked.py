"""The state that a page asks about, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from rocpredict.arguments import as_finite, as_fraction, one_of, shown
from rocpredict.errors import RocPredictError
from rocpredict.teach.facts import LARGEST


@dataclass(frozen=True)
class Asked:
    """Say what the page shows; left out, it is the founding paper's example.

    Attributes
    ----------
    data : str
        "" for two Gaussians typed in, else the key of data.
    feature, contrast : int
    family : str
    mean0, mean1, std0, std1 : float
    direction : {"higher", "lower"}
    threshold : float
    prevalence : float
        Inside (0, 1).
    cost : float
        Of a false positive, in that of a false negative; above 0.
    """

    data: str = ""
    feature: int = 0
    contrast: int = 0
    family: str = "gaussian"
    mean0: float = 4.0
    mean1: float = 8.0
    std0: float = 3.0
    std1: float = 2.0
    direction: str = "higher"
    threshold: float = 6.0
    prevalence: float = 0.5
    cost: float = 1.0


_KINDS = {item.name: type(item.default) for item in fields(Asked)}
_POSITIVE = ("std0", "std1", "cost")


def read_state(state: Mapping[str, Any]) -> Asked:
    """Check a state as a page sends it, in words or numbers; what else is in it is the page's own affair.

    Raises
    ------
    RocPredictError
        No mapping; a number that is none, is not finite or out of range: it is named.

    Examples
    --------
    >>> read_state({"mean0": "1.5", "prevalence": 0.1}).mean0
    1.5
    """
    if not isinstance(state, Mapping):
        raise RocPredictError(f"state={shown(state)} is not a mapping of names to numbers and words")
    found = Asked(**{name: _read(name, state[name]) for name in _KINDS if name in state})
    one_of("direction", found.direction, ("higher", "lower"))
    as_fraction("prevalence", found.prevalence, ends=False)
    return found


def _read(name: str, value: Any) -> Any:
    kind = _KINDS[name]
    if kind is str:
        if not isinstance(value, str):
            raise RocPredictError(f"{name}={shown(value)} is not a word")
        return value
    number = _number(name, value)
    if kind is int:
        if not number.is_integer() or not 0 <= number < LARGEST:
            raise RocPredictError(f"{name}={shown(value)} is not a whole number from 0")
        return int(number)
    if name in _POSITIVE and not 1 / LARGEST <= number <= LARGEST:
        raise RocPredictError(f"{name}={shown(value)} is not allowed; give a number above 0 (up to {LARGEST:g})")
    if abs(number) > LARGEST:
        raise RocPredictError(f"{name}={shown(value)} is too large; give a number between -{LARGEST:g} and {LARGEST:g}")
    return number


def _number(name: str, value: Any) -> float:
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise RocPredictError(f"{name}={shown(value)} is not a number")
    try:
        return float(as_finite(name, float(value)))
    except (ValueError, OverflowError) as error:
        if isinstance(error, RocPredictError):
            raise
        raise RocPredictError(f"{name}={shown(value)} is not a number") from None
