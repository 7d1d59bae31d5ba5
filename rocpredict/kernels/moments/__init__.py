"""Moments of every class and feature of a table, read once."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rocpredict.arguments import one_of
from rocpredict.errors import RocPredictError
from rocpredict.kernels.engines import chosen
from rocpredict.kernels.moments import numpy_engine
from rocpredict.kernels.moments.careful import careful_moments
from rocpredict.kernels.moments.classes import Classes, class_rows
from rocpredict.kernels.moments.dense import dense_moments
from rocpredict.kernels.moments.merging import merge
from rocpredict.kernels.moments.sums import Moments
from rocpredict.labels import as_weights

__all__ = ["Moments", "class_rows", "merge", "moments"]


def moments(
    X: Any,
    codes: NDArray[Any],
    classes: int,
    *,
    order: Literal[2, 4] = 2,
    weights: ArrayLike | None = None,
    engine: str = "numpy",
    n_jobs: int = 1,
) -> Moments:
    """Find the moments of each class and feature.

    Parameters
    ----------
    X : array or scipy sparse table (CSC, CSR) of shape (n, p)
        Real numbers of any type; NaN is missing. It is neither changed nor copied whole.
    codes : integer array of shape (n,)
        The class of each row, 0 to K - 1; -1 for rows that are left out.
    classes : int
        K.
    order : {2, 4}
        Two moments, or four with the extremes.
    weights : array of shape (n,), optional
        How many cases each row stands for, 0 or more; a row of weight 0 is left out. Both engines weigh by numpy.
    engine : {"numpy", "numba", "auto"}
    n_jobs : int
        Threads; the answer is the same for any number.

    Returns
    -------
    Moments of shape (K, p)

    Raises
    ------
    RocPredictError
        An unknown engine or order; weights that are negative, not finite or of another length; integers beyond 2**53
        that float64 cannot tell apart; a sparse format other than CSC and CSR.

    Notes
    -----
    Sums of powers about a value of the class, which is the middle one of three, so that nothing is lost to an offset,
    and equal values have no spread at all. Features whose sums are not finite (NaN, infinities), or whose value turned
    out to lie far from the mean, are read once more. Mean and M2 are right to 1e-12 of their scale; m2 overflows
    for standard deviations beyond 1e154 and underflows below 1e-162, for want of a float64 to hold it.

    Examples
    --------
    >>> import numpy as np
    >>> found = moments(np.array([[1.0], [3.0], [5.0], [np.nan]]), np.array([0, 0, 1, 1]), 2)
    >>> found
    Moments(classes=2, features=1, order=2)
    >>> found.mean[:, 0].tolist(), found.m2[:, 0].tolist(), found.missing[:, 0].tolist()
    ([2.0, 5.0], [2.0, 0.0], [0, 1])
    """
    one_of("order", order, (2, 4))
    module, held, codes = _engine(engine), as_weights(weights, X.shape[0]), np.asarray(codes)
    if held is not None:
        module, codes = numpy_engine, np.where(held > 0, codes, -1)
    members = Classes.of(codes, classes)
    if hasattr(X, "tocsc"):
        return _sparse(X, members, order, module, n_jobs, held)
    X = np.asarray(X)
    if held is not None:
        return careful_moments(X, np.arange(X.shape[1]), members, order, module, n_jobs, held)
    return dense_moments(X, members, order, module, n_jobs)


def _engine(name: str) -> ModuleType:
    return numpy_engine if chosen(name) == "numpy" else import_module("rocpredict.kernels.moments.numba_engine")


def _sparse(
    X: Any, members: Classes, order: int, module: ModuleType, n_jobs: int, weights: NDArray[np.float64] | None
) -> Moments:
    from rocpredict.kernels.moments.sparse import sparse_moments

    if X.format not in ("csc", "csr"):
        raise RocPredictError(f"X is sparse in {X.format!r} form; the forms read are 'csc' and 'csr'")
    return sparse_moments(X, members, order, module, n_jobs, weights)
