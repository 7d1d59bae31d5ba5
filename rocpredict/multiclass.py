"""One area for more than two classes: the mean of areas of one class against another, or against the rest.

Do not use it to choose thresholds: a mean of areas belongs to no single rule. Look at its parts.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rocpredict.arguments import FloatArray, Values, one_of, plain, shown
from rocpredict.empirical import EmpiricalRoc
from rocpredict.errors import RocPredictError
from rocpredict.flags import Flags
from rocpredict.inference.bootstrap import Resampling, drawn
from rocpredict.interval import Interval, as_level
from rocpredict.labels import _as_labels, _names, as_values

MULTICLASS_METHODS = ("hand-till", "one-vs-rest", "one-vs-one")
REST = "rest"

_ROUNDING = 1e-12


class PartAuc(NamedTuple):
    """Hold one of the areas that a multiclass AUC is the mean of.

    Attributes
    ----------
    positive, negative : label
        ``negative`` is "rest" when it is every other class.
    auc : float
        The probability that the score of the positive class is higher for a positive, ties half.
    interval : Interval
    """

    positive: Any
    negative: Any
    auc: float
    interval: Interval


@dataclass(frozen=True, eq=False, repr=False)
class MulticlassAuc:
    """Hold the AUC of more than two classes.

    Attributes
    ----------
    auc : float, or array of shape (classes,) or (pairs,) without an average
        1/2 by chance, 1 when every part separates perfectly.
    interval : Interval
        Of the same shape.
    parts : tuple of PartAuc
        Each area with its own interval, at the same level.
    method : str
    average : str or None
    labels : tuple
        In the order of the columns of scores.
    n_by_class : dict of label to int
    n_resamples : int
    flags : Flags
        ``single_case``: a class has one row, which resampling cannot vary. ``fallback``: for this, or because all
        resamples have the same area, the interval is the conservative one of the Notes.
    """

    auc: Values
    interval: Interval
    parts: tuple[PartAuc, ...]
    method: str
    average: str | None
    labels: tuple[Any, ...]
    n_by_class: dict[Any, int]
    n_resamples: int
    flags: Flags = field(default_factory=Flags)

    def to_dict(self) -> dict[str, Any]:
        """Give the numbers by name."""
        held = {item.name: getattr(self, item.name) for item in fields(self)}
        parts = [part._asdict() | {"interval": part.interval.to_dict()} for part in self.parts]
        return held | {"interval": self.interval.to_dict(), "parts": parts, "flags": list(self.flags)}

    def __repr__(self) -> str:
        flags = f", flags={list(self.flags)}" if self.flags else ""
        how = f"classes={len(self.labels)}, n={sum(self.n_by_class.values())}, method={self.method!r}{flags})"
        if np.ndim(self.auc):
            return f"MulticlassAuc(shape={np.shape(self.auc)}, {how}"
        ends = f"{self.interval.low:.6g} to {self.interval.high:.6g}"
        return f"MulticlassAuc(auc={self.auc:.6g} ({ends}), average={self.average!r}, {how}"


class _Part(NamedTuple):
    """Which column ranks which classes against which, by their places among the labels."""

    column: int
    positive: tuple[int, ...]
    negative: tuple[int, ...]


def multiclass_auc(
    scores: ArrayLike,
    y: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    method: str = "hand-till",
    average: str | None = "macro",
    level: float = 0.95,
    n_resamples: int = 2000,
    rng: Any = 0,
) -> MulticlassAuc:
    """Give the AUC of more than two classes, with its interval.

    Parameters
    ----------
    scores : array of shape (n, K), or of shape (n,)
        One column a class: the higher, the more this class. Any real numbers; rows need not sum to 1.
        Or one feature, which is to rise along the order of the labels.
    y : array of shape (n,)
        Labels.
    labels : K labels, optional
        The class of each column; for one feature, the classes from low to high. Left out, they are the sorted
        labels of ``y``; for one feature only if these are numbers, as text has no order of its own.
    method : {"hand-till", "one-vs-one", "one-vs-rest"}
        Hand-Till and one-vs-one: each pair of classes by itself, by the mean of two areas, one by the column of
        either class (for one feature there is one area a pair). One-vs-rest: each class, by its own column,
        against all other rows; it depends on how frequent the classes are.
    average : {"macro", "weighted", None}
        Equal weights; weights by the rows of the class, or of the pair (not for Hand-Till); or no average but
        one area a class, or a pair in the order (1, 2), (1, 3), ..., (2, 3), ...
    level : float
    n_resamples : int
        Of the bootstrap.
    rng : int or numpy Generator
        The same seed gives the same interval.

    Returns
    -------
    MulticlassAuc

    Raises
    ------
    RocPredictError
        Lengths or columns that do not fit, NaN among scores or labels, fewer than two classes, a class without
        rows, labels that are not listed, an order that is not known, an unknown method or average.

    Notes
    -----
    The interval is the percentile bootstrap's, the rows of each class resampled among themselves and all
    parts counted on the same resample. With few rows a class it is too narrow, the more so near 1: of level 0.95 it
    covered, for three Gaussian classes of 10, 20 and 50 rows, 0.93, 0.95 and 0.94 at AUC 0.82, and for 10 and 20
    rows 0.89 and 0.92 at AUC 0.98 (800 draws each).

    Where every resample has the same area, or a class has a single row, the bootstrap knows nothing about the
    uncertainty, and the interval is a conservative one. The ends are the weighted means of the ends of the parts'
    intervals, each at level 1 - (1 - level)/parts (Bonferroni). Where in each part all pairs of rows are alike,
    all right, wrong or tied, they are A q and 1 - (1 - A) q with A the area, q = ((1 - level)/2)**(1/m) and m the
    rows of the smallest class: the m one-to-one pairs of a part are independent, and were pairs like those seen
    rarer than q in some part, all would hardly be alike.

    The AUC of one feature is what ordering the classes by it achieves. No direction is chosen, so none is
    chosen by the data; a feature that falls along the labels has an AUC below 1/2.

    References
    ----------
    D. J. Hand, R. J. Till (2001), A simple generalisation of the area under the ROC curve for multiple class
    classification problems, Machine Learning 45, 171-186.

    Examples
    --------
    >>> from rocpredict.datasets import load_iris
    >>> iris = load_iris()
    >>> found = multiclass_auc(iris.column("sepal_length"), iris.y, labels=["setosa", "versicolor", "virginica"])
    >>> found
    MulticlassAuc(auc=0.902267 (0.868333 to 0.935133), average='macro', classes=3, n=150, method='hand-till')
    >>> [(part.negative, part.positive, round(part.auc, 4)) for part in found.parts]
    [('setosa', 'versicolor', 0.9326), ('setosa', 'virginica', 0.9846), ('versicolor', 'virginica', 0.7896)]
    """
    one_of("method", method, MULTICLASS_METHODS)
    _check_average(average, method)
    level = as_level(level)
    columns = _as_columns(scores)
    truth = _as_labels(y, np.asarray(scores))
    names = _class_names(truth, labels, columns, method)
    groups = _groups(truth, names, len(columns))
    sizes = [len(rows) for rows in groups]
    layout, mixing = _layout(method, average, sizes, columns.shape[1])
    rocs = [_roc(part, columns, groups) for part in layout]
    replicates = _mixed(mixing, _resampled(layout, columns, groups, Resampling(n_resamples, rng)))
    interval = _interval(mixing, rocs, replicates, level, single_case=min(sizes) == 1)
    return MulticlassAuc(
        auc=interval.estimate,
        interval=interval,
        parts=tuple(
            PartAuc(names[part.positive[0]], _negative_name(part, names), roc.auc(), roc.auc_interval(level=level))
            for part, roc in zip(layout, rocs, strict=True)
        ),
        method=method,
        average=average,
        labels=tuple(names),
        n_by_class=dict(zip(names, sizes, strict=True)),
        n_resamples=n_resamples,
        flags=interval.flags,
    )


def _check_average(average: str | None, method: str) -> None:
    one_of("average", average, ("macro", "weighted", None))
    if average == "weighted" and method == "hand-till":
        raise RocPredictError("average='weighted' is not Hand and Till's, who weigh pairs equally; use 'one-vs-one'")


def _as_columns(scores: ArrayLike) -> FloatArray:
    """Return the scores as float64 of shape (n, columns)."""
    if np.ndim(scores) == 1:
        columns = as_values(scores, "scores")[:, None]
    elif np.ndim(scores) == 2 and np.shape(scores)[1]:
        rows = np.asarray(scores)
        columns = np.column_stack([as_values(rows[:, k], f"scores[:, {k}]") for k in range(rows.shape[1])])
    else:
        raise RocPredictError(f"scores has shape {np.shape(scores)}; give (n, classes), or (n,) for one feature")
    missing = np.flatnonzero(np.isnan(columns).any(axis=1))
    if missing.size:
        raise RocPredictError(f"scores has missing values (NaN) in {missing.size} rows; leave these rows out")
    return columns


def _class_names(truth: NDArray[Any], labels: ArrayLike | None, columns: FloatArray, method: str) -> list[Any]:
    """Give the labels in the order of the columns, or from low to high."""
    found = _names(truth)
    one_feature = columns.shape[1] == 1
    if one_feature and method == "one-vs-rest":
        raise RocPredictError("method='one-vs-rest' needs one column of scores a class; scores is one feature")
    if labels is None and one_feature and not all(isinstance(name, (bool, int, float)) for name in found):
        raise RocPredictError(f"labels= is needed: which of {found} goes with low values, which with high ones?")
    names = found if labels is None else list(_as_labels(labels, labels).tolist())
    if len(set(names)) != len(names):
        raise RocPredictError(f"labels={shown(names)} has a label twice")
    unlisted, absent = [name for name in found if name not in names], [name for name in names if name not in found]
    if unlisted or absent:
        raise RocPredictError(f"labels={shown(names)} does not name the classes of y, which are {found}")
    if len(names) < 2:
        raise RocPredictError(f"y has the one label {names[0]!r}; two classes are needed")
    if not one_feature and columns.shape[1] != len(names):
        raise RocPredictError(f"scores has {columns.shape[1]} columns and y {len(names)} classes {names}")
    return names


def _groups(truth: NDArray[Any], names: list[Any], n: int) -> list[NDArray[np.intp]]:
    if len(truth) != n:
        raise RocPredictError(f"scores has {n} rows and y has {len(truth)}; they must have as many")
    return [np.flatnonzero(truth == name) for name in names]


def _layout(method: str, average: str | None, sizes: list[int], width: int) -> tuple[list[_Part], FloatArray]:
    """Give the parts, and the matrix that makes answers of their areas."""
    classes = range(len(sizes))
    if method == "one-vs-rest":
        layout = [_Part(k, (k,), tuple(other for other in classes if other != k)) for k in classes]
        single, share = np.eye(len(layout)), np.array(sizes, dtype=float)
    else:
        pairs = list(combinations(classes, 2))
        layout = [part for pair in pairs for part in _pair(*pair, one_feature=width == 1)]
        each = len(layout) // len(pairs)
        single = np.repeat(np.eye(len(pairs)), each, axis=1) / each
        share = np.array([sizes[i] + sizes[j] for i, j in pairs], dtype=float)
    if average is None:
        return layout, single
    share = share if average == "weighted" else np.ones(len(share))
    return layout, (share @ single)[None, :]


def _pair(low: int, high: int, *, one_feature: bool) -> list[_Part]:
    if one_feature:
        return [_Part(0, (high,), (low,))]
    return [_Part(low, (low,), (high,)), _Part(high, (high,), (low,))]


def _roc(part: _Part, columns: FloatArray, groups: list[NDArray[np.intp]]) -> EmpiricalRoc:
    negative, positive = (
        columns[np.concatenate([groups[k] for k in side]), part.column] for side in (part.negative, part.positive)
    )
    return EmpiricalRoc(negative=negative, positive=positive)


def _negative_name(part: _Part, names: list[Any]) -> Any:
    return names[part.negative[0]] if len(part.negative) == 1 else REST


def _interval(
    mixing: FloatArray, rocs: list[EmpiricalRoc], replicates: FloatArray, level: float, *, single_case: bool
) -> Interval:
    """Give the bootstrap's interval, or the parts' own where resampling says nothing."""
    estimate = _mixed(mixing, np.array([roc.auc() for roc in rocs]))
    low, high = np.quantile(replicates, [(1 - level) / 2, (1 + level) / 2], axis=0)
    replaced = (high - low <= _ROUNDING) | single_case
    for k in np.flatnonzero(replaced):
        low[k], high[k] = _bounds(mixing[k], rocs, level)
    low, high = np.minimum(low, estimate), np.maximum(high, estimate)
    answers = (low, high, estimate, replaced, np.full(len(mixing), single_case))
    low, high, estimate, fallback, single = (plain(item[0] if len(mixing) == 1 else item) for item in answers)
    method = "conservative" if replaced.all() else "bootstrap"
    return Interval(low, high, level, method, estimate, Flags(fallback=fallback, single_case=single))


def _mixed(mixing: FloatArray, areas: FloatArray) -> FloatArray:
    """Give the weighted means of areas, shape (..., parts), one a row of ``mixing``."""
    return np.asarray(areas @ mixing.T / mixing.sum(axis=1))  # divided last: the mean of ones is 1


def _bounds(weights: FloatArray, rocs: list[EmpiricalRoc], level: float) -> tuple[float, float]:
    """Give conservative ends for a weighted mean of areas."""
    used = [roc for roc, weight in zip(rocs, weights, strict=True) if weight]
    shares = weights[weights > 0]
    if all(_pairs_are_alike(roc) for roc in used):
        pairs = min(d.total for roc in used for d in (roc.negative, roc.positive))
        alike = ((1 - level) / 2) ** (1 / pairs)
        area = float(np.average([roc.auc() for roc in used], weights=shares))
        return area * alike, 1 - (1 - area) * alike
    stricter = 1 - (1 - level) / len(used)
    ends = np.array([list(roc.auc_interval(level=stricter)) for roc in used])
    low, high = np.average(ends, axis=0, weights=shares)
    return float(low), float(high)


def _pairs_are_alike(roc: EmpiricalRoc) -> bool:
    """Tell whether all pairs of a positive and a negative are right, or all wrong, or all tied."""
    values = np.union1d(roc.negative.points, roc.positive.points)
    return len(values) == 1 or roc.auc() in (0.0, 1.0)


def _resampled(
    layout: list[_Part], columns: FloatArray, groups: list[NDArray[np.intp]], resampling: Resampling
) -> FloatArray:
    """Give the resampled areas, shape (resamples, parts): all parts of a row on the same resample."""
    generator = resampling.generator()
    plans = [_plan(part, columns, groups) for part in layout]
    chunks = []
    for size in resampling.chunks(6 * len(columns)):
        times = np.empty((size, len(columns)))
        for rows in groups:
            times[:, rows] = drawn(generator, size, None, len(rows))
        chunks.append(np.column_stack([plan.areas(times) for plan in plans]))
    return np.concatenate(chunks)


class _Plan(NamedTuple):
    """Where the rows of a part lie when sorted by score, found once for all resamples."""

    negative: NDArray[np.intp]
    positive: NDArray[np.intp]
    below: NDArray[np.intp]
    """For each positive, how many negatives lie lower, and how many no higher."""
    to: NDArray[np.intp]

    def areas(self, times: FloatArray) -> FloatArray:
        """Give the area for each resample, of which ``times`` (resamples, n) says how often it has each row."""
        passed = np.zeros((len(times), len(self.negative) + 1))
        np.cumsum(times[:, self.negative], axis=1, out=passed[:, 1:])
        twice = passed[:, self.below]
        twice += passed[:, self.to]
        wins = np.einsum("bi,bi->b", times[:, self.positive], twice)
        return np.asarray(wins / (2 * len(self.positive) * len(self.negative)))


def _plan(part: _Part, columns: FloatArray, groups: list[NDArray[np.intp]]) -> _Plan:
    values = columns[:, part.column]
    negative, positive = (np.concatenate([groups[k] for k in side]) for side in (part.negative, part.positive))
    negative = negative[np.argsort(values[negative])]
    below, to = (np.searchsorted(values[negative], values[positive], side=side) for side in ("left", "right"))
    return _Plan(negative, positive, below, to)
