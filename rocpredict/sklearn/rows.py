"""Labels and weights as scikit-learn hands them over, checked in its words where its own checks look for them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from rocpredict.arguments import FloatArray, as_not_negative, shown
from rocpredict.errors import RocPredictError


def some_labels(y: Any) -> NDArray[Any]:
    """Return one label for each row, shape (n,), or refuse what is no label, or the same for all rows.

    Raises
    ------
    ValueError
        scikit-learn's own: labels that are missing, numbers of a scale.
    RocPredictError
        One class only.
    """
    check_classification_targets(y)
    labels: NDArray[Any] = column_or_1d(y, warn=True)
    names = np.unique(labels)
    if len(names) < 2:
        raise RocPredictError(f"y has one class only, {names.tolist()}; two or more are needed")
    return labels


def two_labels(y: Any) -> NDArray[Any]:
    """Return one label of two for each row, or refuse as ``some_labels``, and three or more."""
    kind = type_of_target(y, input_name="y")
    if kind.startswith("multi"):
        raise RocPredictError(f"Only binary classification is supported. The type of the target is {kind}.")
    return some_labels(y)


def positive_of(labels: NDArray[Any], positive: Any) -> Any:
    """Give the positive label: the one that is named, else the last, as in scikit-learn."""
    names = np.unique(labels).tolist()
    if positive is None:
        return names[-1]
    if positive not in names:
        raise RocPredictError(f"positive={shown(positive)} is not a label in y; labels are {names}")
    return names[names.index(positive)]


def as_sample_weight(sample_weight: ArrayLike | None, is_positive: NDArray[np.bool_]) -> FloatArray | None:
    """Return one weight for each row, 0 or more and some above 0 in both classes, or None where there are none."""
    if sample_weight is None:
        return None
    weights = as_not_negative("sample_weight", np.asarray(sample_weight))
    if weights.shape != is_positive.shape:
        raise RocPredictError(
            f"sample_weight has shape {weights.shape}; give one for each of the {len(is_positive)} rows"
        )
    for name, members in (("negative", ~is_positive), ("positive", is_positive)):
        if not weights[members].any():
            raise RocPredictError(
                f"sample_weight is zero for all rows of the {name} class; each class needs one above 0"
            )
    return weights
