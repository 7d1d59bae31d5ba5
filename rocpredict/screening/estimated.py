"""What the shrunk estimate says of features: the predicted columns, from rows in place of moments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rocpredict.arguments import FloatArray, to_floats
from rocpredict.errors import RocPredictError
from rocpredict.flags import Flags
from rocpredict.kernels.counts import Contrast
from rocpredict.kernels.threads import in_order
from rocpredict.labels import MOST_CASES
from rocpredict.shrinkage.held_out import held_out_ameans
from rocpredict.shrinkage.many import Many, answer_many

REPLACED = ("always_negative", "always_positive", "no_benefit", "misfit")
"""Flags of the Gaussian rule that say nothing of the estimate."""
_PLACES = 128
_AT_ONCE = 2**16  # values, and places between them, of one block


class Known(NamedTuple):
    """Say of each feature of one contrast what the moments told: arrays of shape (features,)."""

    n0: NDArray[Any]
    n1: NDArray[Any]
    lower: NDArray[np.bool_]
    predicted: NDArray[np.bool_]


class Estimated(NamedTuple):
    """Hold the columns of some features, by their places."""

    places: NDArray[np.intp]
    columns: dict[str, FloatArray]
    flags: Flags


class Sought(NamedTuple):
    """Say for what direction a rule is sought."""

    free: bool
    """Whether the sample chose the direction of each feature."""
    declared: bool
    """Whether it was known before."""


def estimates(
    matrix: Any, known: Known, rows: tuple[NDArray[np.intp], NDArray[np.intp]], direction: str | None, n_jobs: int
) -> Iterator[Estimated]:
    """Give the columns of the features that have a prediction, block by block.

    Parameters
    ----------
    matrix : array or sparse matrix of shape (n, features)
    known : Known
    rows : pair of arrays of int
        The rows of the negatives and those of the positives, each as often as it counts.
    direction : {"auto", None, "higher", "lower"}
    n_jobs : int
    """
    sought = Sought(direction == "auto", direction in {"higher", "lower"})

    def work(places: NDArray[np.intp]) -> Estimated:
        return _estimated(_values(matrix, places, known, rows), places, bool(known.lower[places[0]]), sought)

    return in_order(work, _blocks(known), n_jobs)


def rows_of(codes: NDArray[Any], contrast: Contrast, weights: FloatArray | None) -> Any:
    """Give the rows of the negatives and of the positives, each as often as its weight says."""
    sides = np.flatnonzero(np.isin(codes, contrast.negative)), np.flatnonzero(codes == contrast.positive)
    return sides if weights is None else tuple(np.repeat(side, weights[side].astype(np.intp)) for side in sides)


def refuse_parts_of_cases(weights: FloatArray | None) -> None:
    """Refuse weights that cannot be written out as rows."""
    if weights is not None and ((weights != np.round(weights)).any() or weights.sum() > MOST_CASES):
        raise RocPredictError(
            f"weights are not whole, or sum to more than {MOST_CASES:,}; family='auto' needs numbers of cases"
        )


def _blocks(known: Known) -> Iterator[NDArray[np.intp]]:
    """Give features with as many values in each class and the same direction, as many as are worked on together."""
    kinds = np.stack([known.n0, known.n1, known.lower], axis=1).astype(np.int64)
    chosen = np.flatnonzero(known.predicted)
    for kind in np.unique(kinds[chosen], axis=0):
        alike = chosen[(kinds[chosen] == kind).all(axis=1)]
        step = max(1, _AT_ONCE // int(kind[0] + kind[1] + _PLACES))
        yield from (alike[start : start + step] for start in range(0, len(alike), step))


def _values(
    matrix: Any, places: NDArray[np.intp], known: Known, rows: tuple[NDArray[np.intp], NDArray[np.intp]]
) -> tuple[FloatArray, FloatArray]:
    """Give the values of both classes that are there: shape (features, values)."""
    chosen = matrix[:, places]
    columns = to_floats("X", np.asarray(chosen.toarray() if hasattr(chosen, "toarray") else chosen)).T
    counts = known.n0[places[0]], known.n1[places[0]]
    negative, positive = (_there(columns[:, side], int(n)) for side, n in zip(rows, counts, strict=True))
    return negative, positive


def _there(values: FloatArray, count: int) -> FloatArray:
    """Leave out the missing values, as many of each feature, and keep the order of the others."""
    if count == values.shape[1]:
        return np.ascontiguousarray(values)
    order = np.argsort(np.isnan(values), axis=1, kind="stable")[:, :count]
    return np.take_along_axis(values, order, axis=1)


def _estimated(
    values: tuple[FloatArray, FloatArray], places: NDArray[np.intp], lower: bool, sought: Sought
) -> Estimated:
    many = answer_many(*values, lower=lower, declared=sought.declared)
    worth = held_out_ameans(*values, lower=None if sought.free else lower, declared=sought.declared)
    return Estimated(places, _columns(many, worth), _flags(many))


def _columns(many: Many, worth: FloatArray) -> dict[str, FloatArray]:
    rule = many.rule
    return {
        "auc": many.auc,
        "auc_low": np.full(len(worth), np.nan),  # DeLong's interval is that of the same rows
        "auc_high": np.full(len(worth), np.nan),
        "threshold": rule.threshold,
        "ameans": rule.tpr / 2 + rule.tnr / 2,
        "ameans_honest": np.where(np.isinf(rule.threshold), 0.5, worth),
        "tpr": rule.tpr,
        "fpr": rule.fpr,
        "misfit": many.distance,
        "model_share": 1 - many.weight,
    }


def _flags(many: Many) -> Flags:
    tpr, fpr, nowhere = many.rule.tpr, many.rule.fpr, np.isinf(many.rule.threshold)
    return Flags(
        always_negative=nowhere,
        no_benefit=tpr <= fpr,
        perfect_separation=(many.rule.fnr == 0) & (fpr == 0),
    )
