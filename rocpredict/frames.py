"""Data frames made of columns."""

from collections.abc import Mapping
from typing import Any, cast

from rocpredict.arguments import one_of
from rocpredict.errors import RocPredictError

BACKENDS = ("pandas", "polars", "pyarrow")


def to_frame(columns: Mapping[str, Any], backend: str) -> Any:
    """Give a data frame of columns of equal length.

    Parameters
    ----------
    columns : mapping of str to array
    backend : {"pandas", "polars", "pyarrow"}

    Raises
    ------
    RocPredictError
        A backend that is not installed, or unknown.
    """
    one_of("backend", backend, BACKENDS)
    try:
        import narwhals

        return narwhals.from_dict(dict(columns), backend=cast(Any, backend)).to_native()
    except ImportError:
        raise RocPredictError(
            f"a {backend} frame needs narwhals and {backend}: pip install 'rocpredict[frames]' {backend}"
        ) from None
