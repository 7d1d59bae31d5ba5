"""Empirical ROC curve of two samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from rocpredict.base.labels import SourceRows, check_index, is_label, split_classes
from rocpredict.base.validation import Direction, Label, NanPolicy, RocPredictError, check_option, short_repr
from rocpredict.distributions.base import Distribution
from rocpredict.distributions.ecdf import Ecdf
from rocpredict.distributions.families import is_frozen_scipy
from rocpredict.roc.base import Roc, check_count

_RESPONSE_METHODS = ("predict_proba", "decision_function")


@dataclass(frozen=True, eq=False, repr=False)
class EmpiricalRoc(Roc[float]):
    """Empirical ROC curve of two samples.

    Ties between the classes count half and make the curve run diagonally. Thresholds are midpoints of
    neighbouring distinct values: between the same two values every threshold does the same.

    Parameters
    ----------
    negative, positive : array of shape (n,) or Ecdf
        Values of each class; infinities are legal, NaN is not.
    direction : {None, "higher", "lower", "auto"}
        As in ``PredictedRoc``.
    source_rows : SourceRows, optional
        The rows of the cases in the labels that they came with; ``empirical_roc`` keeps them, so that ``auc_test`` of
        two curves knows whether these are of the same cases.

    Examples
    --------
    >>> roc = EmpiricalRoc(negative=[1, 2, 3], positive=[2, 3, 4, 5])
    >>> roc
    EmpiricalRoc(n_negative=3, n_positive=4, auc=0.833333)
    >>> roc.curve().to_dict()["thresholds"]
    [inf, 4.5, 3.5, 2.5, 1.5, -inf]
    """

    _: KW_ONLY
    source_rows: SourceRows | None = field(default=None, compare=False, metadata={"hidden": True})

    if TYPE_CHECKING:
        negative: Ecdf
        positive: Ecdf

        def __init__(
            self,
            negative: ArrayLike | Ecdf,
            positive: ArrayLike | Ecdf,
            *,
            direction: Direction = None,
            count: Sequence[float] | None = None,
            omitted: tuple[int, int] = (0, 0),
            source_rows: SourceRows | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        for name in ("negative", "positive"):
            sample: Any = getattr(self, name)
            if not isinstance(sample, Ecdf) and (isinstance(sample, Distribution) or is_frozen_scipy(sample)):
                remedy = "an empirical ROC needs values, a predicted one takes this"
                raise RocPredictError(f"{name}={short_repr(sample)} is no sample; {remedy}")
            try:
                object.__setattr__(self, name, sample if isinstance(sample, Ecdf) else Ecdf(sample))
            except RocPredictError as error:
                raise RocPredictError(f"{name}: {error}") from None
        class_totals = (self.negative.total, self.positive.total)
        if self.count is not None and check_count(self.count, ()) != class_totals:
            problem = f"count={short_repr(self.count)} is not that of the samples, {class_totals}"
            raise RocPredictError(f"{problem}; leave it out")
        object.__setattr__(self, "count", class_totals)
        super().__post_init__()

    @classmethod
    def from_predictions(
        cls,
        y: ArrayLike,
        scores: ArrayLike,
        *,
        positive: Label = None,
        negative: Label = None,
        weights: ArrayLike | None = None,
    ) -> EmpiricalRoc:
        """Return the curve of a classifier's scores; labels come first, as in scikit-learn's displays.

        Parameters
        ----------
        y : array of shape (n,)
            True labels.
        scores : array of shape (n,)
            Probabilities or decision values that rise with the positive class.
        positive, negative, weights
            As in ``empirical_roc``.

        Raises
        ------
        RocPredictError
            As ``empirical_roc``.

        Examples
        --------
        >>> EmpiricalRoc.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]).auc()
        0.75
        """
        return empirical_roc(scores, y, positive=positive, negative=negative, weights=weights)

    @classmethod
    def from_estimator(
        cls,
        estimator: object,
        X: object,
        y: ArrayLike,
        *,
        positive: Label = None,
        response_method: Literal["auto", "predict_proba", "decision_function"] = "auto",
        weights: ArrayLike | None = None,
    ) -> EmpiricalRoc:
        """Return the curve of a fitted classifier on rows, best on such as it was not fitted to.

        Parameters
        ----------
        estimator : classifier
            Fitted, with ``classes_`` as scikit-learn's have it, two of them.
        X : array of shape (n, features)
            What the classifier takes.
        y : array of shape (n,)
            True labels.
        positive : label, optional
            Left out: the last of ``classes_``.
        response_method : {"auto", "predict_proba", "decision_function"}
            What to ask it for; "auto": probabilities where it gives them.
        weights : array of shape (n,), optional

        Raises
        ------
        RocPredictError
            What is no fitted classifier of two classes, or has no such method; as ``empirical_roc``.
        """
        check_index({"X": X, "y": y, "weights": weights})
        check_option("response_method", response_method, ("auto", *_RESPONSE_METHODS))
        classes = list(getattr(estimator, "classes_", ()))
        if len(classes) != 2:
            problem = f"knows the labels {classes}" if classes else "has no classes_"
            remedy = "give a fitted classifier of two classes"
            raise RocPredictError(f"estimator={short_repr(estimator)} {problem}; {remedy}")
        label = classes[1] if positive is None else positive
        if not is_label(label, classes):
            problem = f"positive={short_repr(label)} is not a label of the estimator"
            raise RocPredictError(f"{problem}; labels are {classes}")
        methods = _RESPONSE_METHODS if response_method == "auto" else (response_method,)
        available = [name for name in methods if hasattr(estimator, name)]
        if not available:
            raise RocPredictError(f"estimator={short_repr(estimator)} has no {' nor '.join(methods)}")
        scores = np.asarray(getattr(estimator, available[0])(X))
        if scores.ndim == 2:
            scores = scores[:, classes.index(label)]
        elif label != classes[1]:
            scores = -scores
        return cls.from_predictions(y, scores, positive=label, weights=weights)

    @property
    def _title(self) -> str:
        return "Empirical ROC curve"

    def __repr__(self) -> str:
        return (
            f"EmpiricalRoc(n_negative={self.negative.total:g}, n_positive={self.positive.total:g}, "
            f"auc={self.auc():.6g}{self._repr_suffix})"
        )


def empirical_roc(
    x: ArrayLike,
    y: ArrayLike,
    *,
    positive: Label = None,
    negative: Label = None,
    direction: Direction = None,
    nan_policy: NanPolicy = "raise",
    weights: ArrayLike | None = None,
) -> EmpiricalRoc:
    """Return the ROC curve that a sample shows.

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
        As ``rocpredict.base.labels.split_classes``.

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
        source_rows=SourceRows(classes.rows.negative, classes.rows.positive, y if hasattr(y, "__len__") else None),
    )
