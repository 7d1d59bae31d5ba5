"""Check what came in: every message names the argument, what came and what is allowed."""

from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rocpredict.errors import RocPredictError

FloatArray: TypeAlias = NDArray[np.float64]
Values: TypeAlias = Any
"""A float for one feature, a float64 array of shape F for a batch of features."""


def plain(values: ArrayLike) -> Values:
    """Return a Python scalar for a 0-d array, and any other array as it is."""
    array = np.asarray(values)
    return array.item() if array.ndim == 0 else array


def frozen(values: ArrayLike) -> FloatArray:
    """Return a float64 copy that cannot be written to."""
    array = np.array(values, dtype=np.float64)
    array.flags.writeable = False
    return array


def as_reals(name: str, value: ArrayLike) -> FloatArray:
    """Return ``value`` as float64, or refuse what is not real numbers (NaN included)."""
    try:
        array = np.asarray(value)
        if array.dtype.kind not in "biuf":
            raise TypeError
        array = array.astype(np.float64, copy=False)
    except (TypeError, ValueError):
        raise RocPredictError(f"{name}={shown(value)} is not a real number or an array of real numbers") from None
    if np.isnan(array).any():
        raise RocPredictError(f"{name}={shown(value)} is NaN somewhere; real numbers are needed")
    return array


def as_finite(name: str, value: ArrayLike) -> FloatArray:
    """Return ``value`` as float64, or refuse what is not finite."""
    array = as_reals(name, value)
    if np.isinf(array).any():
        raise RocPredictError(f"{name}={shown(value)} is infinite somewhere; finite numbers are needed")
    return array


def as_fractions(name: str, value: ArrayLike, *, ends: bool = True) -> FloatArray:
    """Return ``value`` as float64, or refuse what lies outside [0, 1] (outside (0, 1) without ``ends``)."""
    array = as_reals(name, value)
    inside = (array >= 0) & (array <= 1) if ends else (array > 0) & (array < 1)
    if not inside.all():
        allowed = "[0, 1]" if ends else "the open interval (0, 1)"
        raise RocPredictError(f"{name}={shown(value)} is outside {allowed}; rates are fractions, not percent")
    return array


def as_not_negative(name: str, value: ArrayLike) -> FloatArray:
    """Return ``value`` as float64, or refuse what is negative or not finite."""
    array = as_finite(name, value)
    if (array < 0).any():
        raise RocPredictError(f"{name}={shown(value)} is negative; it must be 0 or more")
    return array


def as_pair(name: str, value: object) -> tuple[Any, Any]:
    """Return ``value`` as (negative, positive), or refuse what is not two things."""
    items = tuple(value) if isinstance(value, Iterable) and not isinstance(value, (str, bytes)) else ()
    if len(items) != 2:
        raise RocPredictError(f"{name}={shown(value)} is not a pair; give (negative, positive)")
    return items


def one_of(name: str, value: object, allowed: Iterable[object]) -> None:
    """Refuse a ``value`` that is not among those ``allowed``."""
    options = list(allowed)
    if not any(value is option or value == option for option in options if isinstance(value, type(option))):
        raise RocPredictError(f"{name}={shown(value)} is not allowed; choose one of {', '.join(map(repr, options))}")


def broadcast(**named: FloatArray) -> tuple[FloatArray, ...]:
    """Return the arrays at their common shape, or refuse shapes that do not fit."""
    try:
        return np.broadcast_arrays(*named.values())
    except ValueError:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in named.items())
        raise RocPredictError(f"shapes do not fit together: {shapes}") from None


def shown(value: object, width: int = 60) -> str:
    """Return a short repr for a message."""
    text = repr(value.item() if isinstance(value, np.generic) else value)
    text = " ".join(text.split())
    return text if len(text) <= width else f"{text[: width - 3]}..."
