"""The distance of each row to the mean of a class, as a feature."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from rocpredict.arguments import FloatArray, one_of, shown
from rocpredict.errors import RocPredictError
from rocpredict.labels import as_labels, as_values, label_names
from rocpredict.multivariate.columns import as_columns
from rocpredict.multivariate.moments import class_covariance

_ALONE = 1e-9


def distance_to_mean(
    X: Any,
    y: Any,
    *,
    of: Any,
    metric: str = "euclidean",
    leave_one_out: bool = False,
    nan_policy: str = "raise",
) -> FloatArray:
    """Give the distance of each row to the mean of a class.

    Rows of that class lie near its mean, others farther away. So the feature is higher for positives when ``of`` is
    the negative label, and **lower** for positives when ``of`` is the positive one: pass ``direction="lower"`` on to
    ``predict_roc`` or ``empirical_roc`` then.

    Parameters
    ----------
    X : array or frame of shape (n, p)
    y : array of shape (n,)
        Labels, of one kind or more.
    of : label
        Whose mean.
    metric : {"euclidean", "mahalanobis"}
        Euclidean: in the unit of the features, which should have one unit; the founding paper's. Mahalanobis: in
        standard deviations of that class, whatever the units.
    leave_one_out : bool
        Measure the rows of that class from the mean (and covariance) of its other rows. Left out, each row draws
        the mean towards itself, and the rows of this class look nearer than new ones would be.
    nan_policy : {"raise", "omit"}
        "omit": rows with a missing value have no part in the mean, and their distance is NaN.

    Returns
    -------
    array of shape (n,)

    Raises
    ------
    RocPredictError
        A label that y does not have, an unknown metric, missing values under "raise", infinite values, too few rows
        of the class; for "mahalanobis" features that are constant in that class or determine each other.

    Notes
    -----
    Without one's own share the Euclidean distance is n/(n - 1) times as long, n the rows of the class. The square of
    Mahalanobis's, d² with it, becomes (n/(n - 1))² (n - 2)/(n - 1) d²/(1 - n d²/(n - 1)²) by the formula of Sherman
    and Morrison. Distances are not Gaussian, they are never below 0: compare the prediction with the counted curve.

    Examples
    --------
    The founding paper's Table III has 0.71 and 1.74:

    >>> from rocpredict.datasets import load_iris
    >>> iris = load_iris()
    >>> distance = distance_to_mean(iris.X, iris.y, of="versicolor")
    >>> [round(float(distance[iris.y == name].mean()), 2) for name in ("versicolor", "virginica")]
    [0.71, 1.74]
    """
    one_of("metric", metric, ("euclidean", "mahalanobis"))
    one_of("leave_one_out", leave_one_out, (True, False))
    one_of("nan_policy", nan_policy, ("raise", "omit"))
    columns = as_columns(X)
    names = tuple(columns)
    values = np.column_stack([_finite(name, column) for name, column in columns.items()])
    own = _rows_of(of, y, values)
    there = ~np.isnan(values).any(axis=1)
    if nan_policy == "raise" and not there.all():
        raise RocPredictError(
            f"X has missing values (NaN) in {(~there).sum()} rows; nan_policy='omit' passes them over"
        )
    members = own & there
    _refuse_few(of, int(members.sum()), leave_one_out=leave_one_out)
    measured = _euclidean if metric == "euclidean" else _mahalanobis
    return measured(values, members, names, leave_one_out)


def _finite(name: str, column: Any) -> FloatArray:
    values = as_values(column, name)
    if np.isinf(values).any():
        raise RocPredictError(f"{name} has {np.isinf(values).sum()} infinite values; a mean needs finite ones")
    return values


def _rows_of(of: Any, y: Any, values: FloatArray) -> NDArray[np.bool_]:
    labels = as_labels(y, values)
    if len(labels) != len(values):
        raise RocPredictError(f"X has {len(values)} rows and y has {len(labels)}; they must have as many")
    names = label_names(labels)
    if np.ndim(of) or not any(of == name for name in names):
        raise RocPredictError(f"of={shown(of)} is not a label in y; labels are {shown(names)}")
    return np.asarray(labels == of)


def _refuse_few(of: Any, rows: int, *, leave_one_out: bool) -> None:
    needed = 2 if leave_one_out else 1
    if rows < needed:
        raise RocPredictError(f"of={shown(of)} has {rows} rows with values; {needed} or more are needed")


def _euclidean(values: FloatArray, members: NDArray[np.bool_], _: Any, leave_one_out: bool) -> FloatArray:
    n = int(members.sum())
    distance = np.asarray(np.hypot.reduce(values - values[members].mean(axis=0), axis=1), dtype=np.float64)
    return np.where(members, distance * (n / (n - 1)), distance) if leave_one_out else distance


def _mahalanobis(
    values: FloatArray, members: NDArray[np.bool_], names: tuple[str, ...], leave_one_out: bool
) -> FloatArray:
    mean, scale, covariance = class_covariance(values[members], names)
    deviation = (values - mean) / scale
    there = ~np.isnan(deviation).any(axis=1)
    squared = np.full(len(values), np.nan)
    solved = cho_solve(cho_factor(covariance), deviation[there].T)
    squared[there] = np.einsum("ij,ji->i", deviation[there], solved)
    if leave_one_out:
        squared[members] = _without_own_share(squared[members], np.flatnonzero(members))
    return np.asarray(np.sqrt(squared))


def _without_own_share(squared: FloatArray, rows: NDArray[np.intp]) -> FloatArray:
    n = len(squared)
    rest = 1 - n * squared / (n - 1) ** 2
    if (rest < _ALONE).any():
        row = rows[np.argmin(rest)]
        raise RocPredictError(
            f"without row {row} its class has no spread in some direction, and nothing to measure it by; "
            "use leave_one_out=False, metric='euclidean' or fewer features"
        )
    return np.asarray((n / (n - 1)) ** 2 * ((n - 2) / (n - 1)) * squared / rest)
