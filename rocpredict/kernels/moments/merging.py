"""Merge the moments of two sets of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocpredict.arguments import FloatArray
from rocpredict.kernels.moments.sums import Moments


def merge(a: Moments, b: Moments) -> Moments:
    """Merge the moments of two sets of rows by the pairwise update.

    Parameters
    ----------
    a, b : Moments
        Of the same shape; of different order they give order 2.

    Returns
    -------
    Moments
        Where one side has no values, exactly the other side's.

    Notes
    -----
    The means' difference carries their rounding: M2 is off by about 1e-16 times the means' size in standard deviations
    times their distance in standard deviations.

    References
    ----------
    Chan, Golub and LeVeque (1983), The American Statistician 37, 242; Pebay (2008), Sandia report SAND2008-6212.
    """
    if a.order != b.order:
        return merge(a.of_order_two(), b.of_order_two())
    with np.errstate(all="ignore"):
        return _kept(a, b, _merged(a, b))


def _merged(a: Moments, b: Moments) -> Moments:
    count = a.count + b.count
    some = np.where(count > 0, count, 1)
    p, q = a.count / some, b.count / some
    delta = b.mean - a.mean
    mean = np.where(np.isfinite(delta), a.mean + delta * q, p * a.mean + q * b.mean)
    between = delta * delta * p * b.count
    m2 = a.m2 + b.m2 + between
    result = Moments(count, a.missing + b.missing, mean, m2)
    if a.m3 is None or b.m3 is None:
        return result
    further = p * b.m2 - q * a.m2
    m3 = a.m3 + b.m3 + delta * (between * (p - q) + 3 * further)
    return result._replace(m3=m3, m4=_fourth(a, b, delta, between, p, q), **_extremes(a, b))


def _fourth(a: Moments, b: Moments, delta: FloatArray, between: FloatArray, p: Any, q: Any) -> FloatArray:
    assert a.m3 is not None
    assert b.m3 is not None
    assert a.m4 is not None
    assert b.m4 is not None
    squares = between * (p * p - p * q + q * q) + 6 * (p * p * b.m2 + q * q * a.m2)
    fourth: FloatArray = a.m4 + b.m4 + delta * (delta * squares + 4 * (p * b.m3 - q * a.m3))
    return fourth


def _extremes(a: Moments, b: Moments) -> dict[str, NDArray[Any]]:
    assert a.minimum is not None
    assert b.minimum is not None
    assert a.maximum is not None
    assert b.maximum is not None
    return {"minimum": np.fmin(a.minimum, b.minimum), "maximum": np.fmax(a.maximum, b.maximum)}


def _kept(a: Moments, b: Moments, merged: Moments) -> Moments:
    """Keep one side as it is where the other has no values."""
    sides = a.count == 0, b.count == 0
    if not (sides[0].any() or sides[1].any()):
        return merged
    triples: Any = zip(merged, a, b, strict=True)
    fields: list[Any] = [
        None if new is None else np.where(sides[0], theirs, np.where(sides[1], ours, new))
        for new, ours, theirs in triples
    ]
    return Moments(*fields)._replace(missing=merged.missing)
