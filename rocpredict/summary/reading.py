"""Tables, and batches of them, read into what is kept."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import reduce
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rocpredict.arguments import FloatArray, as_pair, is_missing, one_of, shown
from rocpredict.errors import RocPredictError
from rocpredict.features import Features, table_and_labels
from rocpredict.kernels.engines import chosen
from rocpredict.kernels.moments import Moments, merge
from rocpredict.kernels.moments import moments as read
from rocpredict.kernels.threads import as_jobs
from rocpredict.labels import Coded, as_codes, as_two_codes, as_weights, is_label, label_names
from rocpredict.summary.kept import ClassSummary, TwoClassSummary


def summarize(
    X: Any,
    y: Any = None,
    *,
    positive: Any = None,
    negative: Any = None,
    moments: int = 2,
    weights: ArrayLike | None = None,
    engine: str = "auto",
    n_jobs: int = 1,
) -> TwoClassSummary:
    """Read a table once and keep counts and moments of both classes, for every feature.

    Parameters
    ----------
    X : array of shape (n, features), sparse matrix, data frame, or batches
        As in ``screen``. Or an iterable of (X, y) batches of one table, which need not fit into memory
        together; then without ``y``.
    y : array of shape (n,), or the name of a column
        Labels.
    positive, negative : label, optional
        ``positive`` may be left out for labels {0, 1}, {-1, 1} or booleans. ``negative=None`` means every
        other label; a named one drops the rows of a third. With both named, a part of a table may lack one of
        the classes.
    moments : {2, 4}
        2: count, mean and sum of squares. 4: sums of third and fourth powers and the extremes as well.
    weights : array of shape (n,), optional
        How many cases each row stands for: 0 or more.
    engine : {"auto", "numpy", "numba"}
    n_jobs : int
        Threads. The result is the same for any number of them.

    Raises
    ------
    RocPredictError
        As ``screen``.

    Notes
    -----
    Sums of powers are taken about a value of the data, so that no digits are lost to an offset, and brought together by
    the pairwise update of Chan, Golub and LeVeque (1983) and Pebay (2008). Adding summaries rounds the mean: the sum of
    squares is then right to about 1e-16 times the square root of its count, times the offset in standard deviations.

    Examples
    --------
    >>> from rocpredict.datasets import load_iris
    >>> iris = load_iris()
    >>> summary = summarize(iris.X, iris.y, positive="virginica", negative="versicolor")
    >>> summary.positive.mean
    array([6.588, 2.974, 5.552, 2.026])
    """
    one_of("moments", moments, (2, 4))
    chosen(engine)
    asked = {"order": moments, "engine": engine, "n_jobs": as_jobs(n_jobs)}
    if y is None:
        if weights is not None:
            raise RocPredictError("weights= go with one table; batches take none")
        return _of_batches(X, positive, negative, asked)
    table, labels = table_and_labels(X, y)
    coded = _coded_part(labels, positive, negative)
    return contrasted(_read(table, coded, as_weights(weights, table.n_rows), asked), coded, table.names)[0]


def _coded_part(labels: NDArray[Any], positive: Any, negative: Any) -> Coded:
    """Give the codes of what may be a part of the rows: with both classes named, one may be absent."""
    names = label_names(labels)
    held = [is_label(label, names) for label in (positive, negative)]
    if positive is None or negative is None or all(held) or not (_is_one(positive) and _is_one(negative)):
        return as_codes(labels, positive=positive, negative=negative, pairs=None)
    if not any(held):
        raise RocPredictError(f"y has no row of positive={positive!r} or negative={negative!r}; one of them is needed")
    if positive == negative:
        raise RocPredictError(f"negative={negative!r} is also the positive label; name two different ones")
    return as_two_codes(labels, positive=positive, negative=negative)


def _is_one(label: Any) -> bool:
    return np.ndim(label) == 0 and not isinstance(label, (set, dict)) and not is_missing(label)


def read_moments(matrix: Any, coded: Coded, weights: FloatArray | None, asked: dict[str, Any]) -> Moments:
    """Give the moments of each class, shape (classes, features), of an array or sparse matrix."""
    return read(matrix, coded.codes, coded.classes, weights=weights, **asked)


def _read(table: Features, coded: Coded, weights: FloatArray | None, asked: dict[str, Any]) -> Moments:
    asked = asked | {"engine": chosen(asked["engine"], table.n_rows * len(table))}
    parts = [read_moments(matrix, coded, weights, asked) for _, matrix in table.matrices()]
    return parts[0] if len(parts) == 1 else Moments.beside(parts)


def contrasted(held: Moments, coded: Coded, names: Iterable[str]) -> list[TwoClassSummary]:
    """Give the summary of each contrast, of moments of shape (classes, features)."""
    classes = [_of_class(held, code) for code in range(coded.classes)]
    before = list(accumulate(classes, merge))
    after = list(accumulate(reversed(classes), merge))[::-1]
    listed = tuple(map(str, names))

    def negatives(codes: tuple[int, ...], positive: int) -> Moments:
        if len(codes) == 1 or len(codes) < len(classes) - 1:
            return reduce(merge, (classes[code] for code in codes))
        ends = before[positive - 1 : positive] if positive else [], after[positive + 1 : positive + 2]
        return reduce(merge, (part for end in ends for part in end))

    return [
        TwoClassSummary(ClassSummary(*negatives(*contrast)), ClassSummary(*classes[contrast[1]]), listed, *labels)
        for contrast, labels in zip(coded.contrasts, coded.names, strict=True)
    ]


def _of_batches(batches: Any, positive: Any, negative: Any, asked: dict[str, Any]) -> TwoClassSummary:
    """Add up the summaries of batches (X, y)."""
    if not isinstance(batches, Iterable) or hasattr(batches, "shape"):
        raise RocPredictError(f"y is needed with X={shown(batches)}; without it X is an iterable of (X, y) batches")
    for name, label in (("positive", positive), ("negative", negative)):
        if label is not None and not _is_one(label):
            raise RocPredictError(f"{name}={shown(label)} is not a label")
    total, others = None, set()
    for batch in batches:
        table, labels = table_and_labels(*as_pair("a batch", batch, "(X, y)"))
        positive = _obvious_positive(labels) if positive is None else positive
        coded = as_two_codes(labels, positive=positive, negative=negative)
        others |= {name for name in label_names(labels) if name != positive}
        part = contrasted(_read(table, coded, None, asked), coded, table.names)[0]
        total = part if total is None else total + part
    if total is None:
        raise RocPredictError("X has no batches; give an iterable of (X, y)")
    for side in ("negative", "positive"):
        if not (getattr(total, side).count + getattr(total, side).missing).any():
            raise RocPredictError(f"no batch has a row of the {side} class, {getattr(total, f'{side}_label')!r}")
    return total if negative is not None or len(others) > 1 else replace(total, negative_label=others.pop())


def _obvious_positive(labels: NDArray[Any]) -> Any:
    speaking = labels.dtype.kind in "biuf" and any(np.isin(labels, pair).all() for pair in ((0, 1), (-1, 1)))
    if not speaking:
        raise RocPredictError("positive= is needed with batches, unless labels are {0, 1}, {-1, 1} or booleans")
    return 1


def _of_class(held: Moments, code: int) -> Moments:
    parts: list[Any] = [None if part is None else part[code] for part in held]
    return Moments(*parts)
