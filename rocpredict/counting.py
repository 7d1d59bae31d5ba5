"""Where sorted values lie among other sorted values: the one count behind every empirical answer."""

import numpy as np
from numpy.typing import NDArray

from rocpredict.arguments import FloatArray

Counts = NDArray[np.intp]


def ranks(values: FloatArray, queries: FloatArray) -> tuple[Counts, Counts]:
    """Tell for each query how many of the values lie below it, and how many at or below.

    Parameters
    ----------
    values : array of shape (n,)
        Ascending.
    queries : array of shape (m,)
        Ascending.

    Returns
    -------
    below, to : arrays of shape (m,)
        Where no value is tied with a query they are one and the same array.
    """
    below = np.searchsorted(values, queries, side="left")
    at = values[np.minimum(below, len(values) - 1)]
    if not (at == queries).any():
        return below, below
    return below, np.searchsorted(values, queries, side="right")


def inverse_ranks(below: Counts, to: Counts, size: int) -> tuple[Counts, Counts]:
    """Tell for each value how many queries lie below it, and how many at or below, from what ``ranks`` gave.

    Parameters
    ----------
    below, to : arrays of shape (m,)
        Of the queries among the values.
    size : int
        How many values there are.
    """
    queries_below = np.cumsum(np.bincount(to, minlength=size + 1)[:size])
    if to is below:
        return queries_below, queries_below
    return queries_below, np.cumsum(np.bincount(below, minlength=size + 1)[:size])
