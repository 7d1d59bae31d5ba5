"""Integrals of smooth functions between given edges, many points at a time."""

from collections.abc import Callable

import numpy as np

from rocpredict.arguments import FloatArray
from rocpredict.errors import RocPredictError

NODES, WEIGHTS = np.polynomial.legendre.leggauss(24)
"""Gauss-Legendre nodes and weights on [-1, 1]."""

_MOST_ROUNDS = 200
_MOST_PANELS = 20_000


def panels(f: Callable[[FloatArray], FloatArray], left: FloatArray, right: FloatArray) -> FloatArray:
    """Integrate ``f`` over each panel from ``left`` to ``right`` with one Gauss-Legendre rule.

    Parameters
    ----------
    f : function of an array
        Evaluated at once on an array with one axis more than ``left``.
    left, right : arrays of one shape
        Finite ends; a panel of no width gives 0.
    """
    half = (right - left) / 2
    x = (left / 2 + right / 2)[..., None] + half[..., None] * NODES
    return half * (f(x) @ WEIGHTS)


def integrate(
    panel: Callable[[FloatArray, FloatArray], FloatArray], edges: FloatArray, *, rtol: float = 1e-13
) -> float:
    """Sum an integral over panels, halving each until it has settled.

    Parameters
    ----------
    panel : function of two arrays
        Estimates the integral over each panel from its left and right end.
    edges : array of shape (k,)
        Finite, ascending; with fewer than two the integral is 0.
    rtol : float
        Of the whole integral of the absolute value.

    Raises
    ------
    RocPredictError
        When the integral does not settle.
    """
    left, right = edges[:-1], edges[1:]
    coarse = panel(left, right)
    total = size = 0.0
    for _ in range(_MOST_ROUNDS):
        middle = left / 2 + right / 2
        lower, upper = panel(left, middle), panel(middle, right)
        fine = lower + upper
        scale = size + np.abs(fine).sum()
        settled = (np.abs(fine - coarse) <= rtol * scale / 16) | (middle <= left) | (middle >= right)
        if len(left) > _MOST_PANELS:
            settled[:] = True  # what is left is rounding: halving a smooth panel settles it long before
        total, size = total + fine[settled].sum(), size + np.abs(fine[settled]).sum()
        if settled.all():
            return float(total)
        left, right = (
            np.concatenate([left[~settled], middle[~settled]]),
            np.concatenate([middle[~settled], right[~settled]]),
        )
        coarse = np.concatenate([lower[~settled], upper[~settled]])
    raise RocPredictError("an integral over these distributions does not settle; their densities are too rough")
