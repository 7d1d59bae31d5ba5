"""Empirical ROC curve of two samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from types import NoneType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from rocpredict.base.formatting import format_number
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

    Parameters
    ----------
    negative, positive : array-like of shape (n,) or Ecdf
        Feature values of each class. Infinite values are accepted; NaN is not.
    direction : {None, "higher", "lower", "auto"}, default=None
        Direction of the classification rule:

        * None or "higher": classify as positive when x >= threshold.
        * "lower": classify as positive when x <= threshold.
        * "auto": the direction with an AUC of at least 0.5.
    count : pair of float, optional
        Number of observations in each class, (negative, positive). By default, the sizes of the samples. If you
        pass numbers, they must equal these sizes.
    omitted : pair of int, default=(0, 0)
        Number of observations omitted from each class because of missing values, (negative, positive).
    n_unlabelled : int, default=0
        Number of rows that were omitted because they have no label.
    negative_labels : tuple, default=()
        Labels of the negative class, if it has more than one label. They are shown in the repr.
    source_rows : SourceRows, optional
        Row numbers of the observations in the original data. ``empirical_roc`` stores these numbers, so that
        ``auc_test`` can check that two curves are based on the same observations.

    Raises
    ------
    RocPredictError
        If ``negative`` or ``positive`` is not a sample, is empty or contains NaN, or if ``count`` differs from the
        sizes of the samples.

    Notes
    -----
    A tie between a positive and a negative counts one half in the AUC and appears as a diagonal segment of the curve.
    Thresholds are midpoints between neighboring distinct values, because all thresholds between two neighboring values
    have the same rates.

    Examples
    --------
    >>> roc = EmpiricalRoc(negative=[1, 2, 3], positive=[2, 3, 4, 5])
    >>> roc
    EmpiricalRoc(count=(3, 4), auc=0.833333)
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
            n_unlabelled: int = 0,
            negative_labels: tuple[Label, ...] = (),
            source_rows: SourceRows | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        for name in ("negative", "positive"):
            sample: Any = getattr(self, name)
            if not isinstance(sample, Ecdf) and (isinstance(sample, Distribution) or is_frozen_scipy(sample)):
                remedy = "pass an array of values, or use PredictedRoc for distributions"
                raise RocPredictError(f"{name}={short_repr(sample)} is not a sample; {remedy}")
            try:
                object.__setattr__(self, name, sample if isinstance(sample, Ecdf) else Ecdf(sample))
            except RocPredictError as error:
                raise RocPredictError(f"{name}: {error}") from None
        class_totals = (self.negative.total, self.positive.total)
        if self.count is not None and check_count(self.count, ()) != class_totals:
            problem = f"count={short_repr(self.count)} differs from the sizes of the samples, {class_totals}"
            raise RocPredictError(f"{problem}; omit count=")
        object.__setattr__(self, "count", class_totals)
        if not isinstance(self.source_rows, (SourceRows, NoneType)):
            raise RocPredictError(f"source_rows={short_repr(self.source_rows)} is not a SourceRows; omit source_rows=")
        super().__post_init__()

    @classmethod
    def from_predictions(
        cls,
        y: ArrayLike,
        scores: ArrayLike,
        *,
        positive: Label = None,
        negative: Label = None,
        nan_policy: NanPolicy = "raise",
        weights: ArrayLike | None = None,
    ) -> EmpiricalRoc:
        """Return the ROC curve of a classifier, computed from its scores.

        The labels are the first argument, as in the display classes of scikit-learn.

        Parameters
        ----------
        y : array-like of shape (n,)
            Class labels.
        scores : array-like of shape (n,)
            Predicted probabilities or decision values; larger values indicate the positive class.
        positive : label, optional
            Label of the positive class. May be omitted if the labels are {0, 1}, {-1, 1} or booleans.
        negative : label, optional
            Label of the negative class. By default, all other labels are negative.
        nan_policy : {"raise", "omit"}, default="raise"
            How to handle missing scores and missing labels; see ``empirical_roc``.
        weights : array-like of shape (n,), optional
            Nonnegative frequency weight of each observation.

        Returns
        -------
        EmpiricalRoc

        Raises
        ------
        RocPredictError
            If the data, labels or weights are invalid (see ``empirical_roc``).

        Examples
        --------
        >>> EmpiricalRoc.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]).auc()
        0.75
        """
        options: dict[str, Any] = {"positive": positive, "negative": negative, "nan_policy": nan_policy}
        return empirical_roc(scores, y, weights=weights, **options)

    @classmethod
    def from_estimator(
        cls,
        estimator: object,
        X: object,
        y: ArrayLike,
        *,
        positive: Label = None,
        response_method: Literal["auto", "predict_proba", "decision_function"] = "auto",
        nan_policy: NanPolicy = "raise",
        weights: ArrayLike | None = None,
    ) -> EmpiricalRoc:
        """Return the ROC curve of a fitted classifier, computed from its scores for the data ``X``.

        The data should be test data, which were not used to fit the classifier.

        Parameters
        ----------
        estimator : classifier
            Fitted classifier for two classes, with the attribute ``classes_`` as in scikit-learn.
        X : array-like of shape (n, features)
            Input of the classifier.
        y : array-like of shape (n,)
            Class labels.
        positive : label, optional
            Label of the positive class. By default, the last label in ``classes_``.
        response_method : {"auto", "predict_proba", "decision_function"}, default="auto"
            Classifier method that returns the scores:

            * "auto": ``predict_proba`` if available, otherwise ``decision_function``.
            * "predict_proba": predicted probabilities.
            * "decision_function": decision values.
        nan_policy : {"raise", "omit"}, default="raise"
            How to handle missing scores and missing labels; see ``empirical_roc``.
        weights : array-like of shape (n,), optional
            Nonnegative frequency weight of each observation.

        Returns
        -------
        EmpiricalRoc

        Raises
        ------
        RocPredictError
            If ``estimator`` is not a fitted classifier for two classes, if it does not have the method that
            ``response_method`` selects, or if the data are invalid (see ``empirical_roc``).
        """
        check_index({"X": X, "y": y, "weights": weights})
        check_option("response_method", response_method, ("auto", *_RESPONSE_METHODS))
        classes = list(getattr(estimator, "classes_", ()))
        if len(classes) != 2:
            problem = f"has the classes {classes}" if classes else "has no attribute classes_"
            remedy = "pass a fitted classifier of two classes"
            raise RocPredictError(f"estimator={short_repr(estimator)} {problem}; {remedy}")
        label = classes[1] if positive is None else positive
        if not is_label(label, classes):
            problem = f"positive={short_repr(label)} is not a class of the estimator"
            raise RocPredictError(f"{problem}; use one of {classes}")
        methods = _RESPONSE_METHODS if response_method == "auto" else (response_method,)
        available = [name for name in methods if hasattr(estimator, name)]
        if not available:
            problem = f"estimator={short_repr(estimator)} has no method {' or '.join(methods)}"
            raise RocPredictError(f"{problem}; pass a classifier with such a method")
        scores = np.asarray(getattr(estimator, available[0])(X))
        if scores.ndim == 2:
            scores = scores[:, classes.index(label)]
        elif label != classes[1]:
            scores = -scores
        return cls.from_predictions(y, scores, positive=label, nan_policy=nan_policy, weights=weights)

    @property
    def _title(self) -> str:
        return "Empirical ROC curve"

    def __repr__(self) -> str:
        return (
            f"EmpiricalRoc(count=({self.negative.total:g}, {self.positive.total:g}), auc={format_number(self.auc())}"
            f"{self._repr_suffix})"
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
    """Compute the empirical ROC curve of a feature or score.

    Parameters
    ----------
    x : array-like of shape (n,)
        Feature values.
    y : array-like of shape (n,)
        Class labels.
    positive : label, optional
        Label of the positive class. May be omitted if the labels are {0, 1}, {-1, 1} or booleans.
    negative : label, optional
        Label of the negative class. By default, all other labels are negative. If ``negative`` is passed, observations
        with any other label are ignored.
    direction : {None, "higher", "lower", "auto"}, default=None
        Direction of the classification rule:

        * None or "higher": classify as positive when x >= threshold.
        * "lower": classify as positive when x <= threshold.
        * "auto": the direction with an AUC of at least 0.5.
    nan_policy : {"raise", "omit"}, default="raise"
        How to handle observations with missing values: "raise" raises an error; "omit" omits these observations and
        stores their number.
    weights : array-like of shape (n,), optional
        Nonnegative frequency weight of each observation. An integer weight k is equivalent to k copies of the
        observation.

    Returns
    -------
    EmpiricalRoc

    Raises
    ------
    RocPredictError
        If ``x`` and ``y`` differ in length, if a class is empty, if a label is unknown, if a weight is negative, or if
        a value is missing and ``nan_policy`` is "raise".

    See Also
    --------
    predict_roc : ROC curve predicted from fitted class distributions.

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
        omitted=classes.rows.omitted,
        n_unlabelled=classes.rows.n_unlabelled,
        negative_labels=classes.rows.negative_labels,
        source_rows=SourceRows(classes.rows.negative, classes.rows.positive, y if hasattr(y, "__len__") else None),
    )
