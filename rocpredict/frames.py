"""Data frames made of columns."""

from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from rocpredict.arguments import is_missing, one_of
from rocpredict.errors import RocPredictError

BACKENDS = ("pandas", "polars", "pyarrow")


def to_frame(columns: Mapping[str, Any], backend: str) -> Any:
    """Give a data frame of columns of equal length.

    Parameters
    ----------
    columns : mapping of str to array
        Objects become text, numbers or dates where they all are, and text where they are not; None, NaN and NA
        among them become null.
    backend : {"pandas", "polars", "pyarrow"}

    Raises
    ------
    RocPredictError
        A backend that is not installed, or unknown.
    """
    one_of("backend", backend, BACKENDS)
    try:
        import narwhals

        held = {name: _typed(np.asarray(values)) for name, values in columns.items()}
        return narwhals.from_dict(held, backend=cast(Any, backend)).to_native()
    except ImportError:
        raise RocPredictError(
            f"a {backend} frame needs narwhals and {backend}: pip install 'rocpredict[frames]' {backend}"
        ) from None


def or_none(item: Any) -> Any:
    """Give a cell as Python has it, None for what is missing."""
    plain = item.item() if isinstance(item, np.generic) and item.dtype.kind not in "mM" else item
    return None if not isinstance(plain, Iterable) and is_missing(plain) else plain


def _typed(values: NDArray[Any]) -> Any:
    """Give a column as what every library takes for a column of one kind."""
    if values.dtype.kind in "mM":
        return _of_known_unit(values)
    if values.dtype.kind == "f" and values.dtype.itemsize > 8:
        return values.astype(np.float64)
    return _one_kind([or_none(item) for item in values.tolist()]) if values.dtype.kind == "O" else values


def _of_known_unit(times: NDArray[Any]) -> NDArray[Any]:
    """Give dates as days, and times in a unit that polars knows."""
    unit = np.datetime_data(times.dtype)[0]
    if unit in ("ms", "us", "ns"):
        return times
    letter = times.dtype.kind
    return times.astype(f"{letter}8[{'D' if letter == 'M' and unit in ('Y', 'M', 'W', 'D') else 'ms'}]")


def _one_kind(items: list[Any]) -> Any:
    kinds = {(type(item), str(getattr(item, "tzinfo", None))) for item in items if item is not None}
    if not kinds:
        return items or np.array([], dtype=np.str_)
    if len(kinds) == 1:
        return items
    are_numbers = all(issubclass(kind, Real) and not issubclass(kind, bool) for kind, _ in kinds)
    common = float if are_numbers else str
    return [None if item is None else common(item) for item in items]
