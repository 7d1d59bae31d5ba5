"""The ROC curve that data show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from rocpredict.arguments import shown
from rocpredict.distributions import Ecdf
from rocpredict.errors import RocPredictError
from rocpredict.labels import split_classes
from rocpredict.roc import Roc, as_sample


@dataclass(frozen=True, eq=False, repr=False)
class EmpiricalRoc(Roc):
    """Answer every question about the ROC curve of two samples, by counting.

    Ties between the classes count half and make the curve run diagonally. Thresholds are midpoints of
    neighbouring distinct values: between the same two values every threshold does the same.

    Parameters
    ----------
    negative, positive : array of shape (n,) or Ecdf
        Values of each class; infinities are legal, NaN is not.
    direction : {None, "higher", "lower", "auto"}
        As in ``PredictedRoc``.

    Examples
    --------
    >>> roc = EmpiricalRoc(negative=[1, 2, 3], positive=[2, 3, 4, 5])
    >>> roc
    EmpiricalRoc(n_negative=3, n_positive=4, auc=0.833333)
    >>> roc.curve().to_dict()["thresholds"]
    [inf, 4.5, 3.5, 2.5, 1.5, -inf]
    """

    def __post_init__(self) -> None:
        for name in ("negative", "positive"):
            object.__setattr__(self, name, as_sample(name, getattr(self, name)))
        counted = (self.negative.total, self.positive.total)
        if self.count is not None and tuple(self.count) != counted:
            raise RocPredictError(f"count={shown(self.count)} is not that of the samples, {counted}; leave it out")
        object.__setattr__(self, "count", counted)
        super().__post_init__()

    def __repr__(self) -> str:
        return (
            f"EmpiricalRoc(n_negative={self.negative.total:g}, n_positive={self.positive.total:g}, "
            f"auc={self.auc():.6g}{self._remarks})"
        )


def empirical_roc(
    x: ArrayLike,
    y: ArrayLike,
    *,
    positive: Any = None,
    negative: Any = None,
    direction: str | None = None,
    nan_policy: str = "raise",
    weights: ArrayLike | None = None,
) -> EmpiricalRoc:
    """Give the ROC curve that a sample shows.

    Parameters
    ----------
    x : array of shape (n,)
        Values of one feature, or scores.
    y : array of shape (n,)
        Labels.
    positive, negative : label, optional
        ``positive`` may be left out for labels {0, 1}, {-1, 1} or booleans. ``negative=None`` means every
        other label; a named one drops the rows of a third.
    direction : {None, "higher", "lower", "auto"}
        As in ``PredictedRoc``.
    nan_policy : {"raise", "omit"}
    weights : array of shape (n,), optional
        How many cases each row stands for: 0 or more. Whole weights equal repeated rows, exactly.

    Raises
    ------
    RocPredictError
        As ``rocpredict.labels.split_classes``.

    Examples
    --------
    >>> empirical_roc([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1]).auc()
    0.75
    """
    classes = split_classes(x, y, positive=positive, negative=negative, nan_policy=nan_policy, weights=weights)
    return EmpiricalRoc(
        negative=Ecdf(classes.negative, classes.negative_weights),
        positive=Ecdf(classes.positive, classes.positive_weights),
        direction=direction,
        omitted=(classes.omitted_negative, classes.omitted_positive),
    )
