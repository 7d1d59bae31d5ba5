"""Feature selector and score function for scikit-learn."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from rocpredict.base.labels import check_index, find_missing, unique_labels
from rocpredict.base.labels import check_labels as check_label_values
from rocpredict.base.validation import (
    FloatArray,
    Label,
    Pairs,
    RocPredictError,
    check_int,
    check_option,
    check_probability,
)
from rocpredict.screening.kernels.base import Engine
from rocpredict.screening.result import ScreeningResult, adjust_p_values
from rocpredict.screening.screen import screen


def check_labels(y: Any) -> NDArray[Any]:
    """Return one label for each row, shape (n,), or refuse one class only, and labels that scikit-learn refuses."""
    with translated_errors():
        check_classification_targets(y)
        labels: NDArray[Any] = column_or_1d(y, warn=True)
    names = np.unique(labels)
    if len(names) < 2:
        raise RocPredictError(f"y has one class only, {names.tolist()}; two or more are needed")
    nul = next((name for name in names.tolist() if isinstance(name, str) and name.endswith("\0")), None)
    if nul is not None:
        raise RocPredictError(f"y holds {nul!r}, and scikit-learn ignores a NUL at the end of text; give other labels")
    return labels


class InputTypeError(RocPredictError, TypeError):
    """Input of a type that scikit-learn refuses with a TypeError."""


@contextmanager
def translated_errors() -> Iterator[None]:
    """Raise the refusals of scikit-learn's validation as ``RocPredictError``, in one line."""
    try:
        yield
    except RocPredictError:
        raise
    except (TypeError, ValueError) as error:
        kind = InputTypeError if isinstance(error, TypeError) else RocPredictError
        raise kind(" ".join(str(error).split())) from error


def check_fit_arguments(X: object, y: object, sample_weight: object = None) -> None:
    """Refuse masked values, which scikit-learn would read, missing labels, and indexes that do not match."""
    for name, values in (("X", X), ("y", y), ("sample_weight", sample_weight)):
        if np.ma.is_masked(values):
            raise RocPredictError(f"{name} has masked values, and scikit-learn ignores masks; leave these rows out")
    check_index({"X": X, "y": y, "sample_weight": sample_weight})
    with translated_errors():
        labels = np.asarray(y)
    if labels.ndim == 1 and find_missing(labels).any():
        raise RocPredictError("y has missing labels (NaN); leave these rows out")


_DIRECTIONS = {"auto": np.abs, "higher": np.positive, "lower": np.negative}


def score_features(
    X: object,
    y: ArrayLike,
    *,
    direction: str = "auto",
    empirical: bool = True,
    pairs: str = "rest",
    positive: Label = None,
    **options: Any,
) -> tuple[ScreeningResult, FloatArray, FloatArray, FloatArray]:
    """Screen features, and choose the class pair of each that has the smallest p-value.

    By AUC a rare class would be chosen, whose AUC is far off by chance. Equal p-values are ordered by the AUC.

    Returns
    -------
    screening : ScreeningResult
        The whole table, one row for each class pair and feature.
    auc, p_value, q_value : arrays of shape (features,)
        Of the best class pair: the AUC, signed; the p-value, two-sided, with a direction one-sided, times the number of
        class pairs, 1 at most; and that after Benjamini and Hochberg, over the features. NaN where nothing is known.
    """
    labels = check_labels(y)
    names = unique_labels(check_label_values(labels, labels))
    if positive is None and len(names) == 2:
        if direction != "auto" and {*names} not in ({0, 1}, {-1, 1}):
            raise RocPredictError(
                f"positive= is needed with direction={direction!r}: which of the labels {names} is the positive class?"
            )
        positive = names[1]
    table = screen(X, labels, empirical=empirical, positive=positive, pairs=cast(Any, pairs), **options)
    rows = table.in_input_order()
    names_of_columns = "empirical_auc" if empirical else "auc", "p_value"
    columns = (np.asarray(rows[column], dtype=np.float64) for column in names_of_columns)
    areas, p_values = (column.reshape((-1, np.shape(cast(Any, X))[1])) for column in columns)
    distance = _DIRECTIONS[direction](areas - 0.5)
    if direction != "auto":
        p_values = np.where(distance > 0, p_values / 2, 1 - p_values / 2)
    best = np.lexsort((-distance, p_values), axis=0)[0]  # NaN goes last
    features = np.arange(areas.shape[1])
    p_value = np.minimum(p_values[best, features] * len(p_values), 1.0)
    return table, areas[best, features], p_value, adjust_p_values(p_value)


def roc_score_func(X: object, y: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Score each feature by how far its empirical AUC lies from 1/2: for ``SelectKBest``, ``SelectFdr`` and their like.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, features)
    y : array of shape (n,)
        Labels of two or more kinds.

    Returns
    -------
    scores : array of shape (features,)
        abs(AUC - 1/2), from 0 to 1/2: features whose positives lie lower count as much as those whose positives lie
        higher. The AUC itself is 1/2 + score or 1/2 - score; ``rocpredict.screen`` gives it signed.
    p_values : array of shape (features,)
        Two-sided Mann-Whitney, tie-corrected, without continuity correction.

    Raises
    ------
    RocPredictError
        As ``rocpredict.screen``; one class only.

    Notes
    -----
    Of three classes and more each is set against the rest. The score is that of the best class pair; its p-value is
    its own times the number of class pairs (Bonferroni), at most 1. Both are NaN for a feature without values.

    Examples
    --------
    >>> from rocpredict.datasets import load_pima
    >>> from sklearn.feature_selection import SelectKBest
    >>> pima = load_pima()
    >>> best = SelectKBest(roc_score_func, k=2).fit(pima.X, pima.y)
    >>> [pima.feature_names[i] for i in best.get_support(indices=True)]
    ['glucose', 'mass']
    """
    _, auc, p_value, _ = score_features(X, y)
    return np.abs(auc - 0.5), p_value


_DEFAULT_K = 10  # as SelectKBest


class RocSelector(SelectorMixin, BaseEstimator):
    """Keep the features that tell the classes apart, each looked at by itself.

    A feature is kept when it meets all of ``k``, ``min_auc`` and ``max_q`` that are given. Where none is, the ten best
    are kept, as ``SelectKBest`` does.

    Parameters
    ----------
    k : int, optional
        Keep the k features with the smallest p-values of those that meet the other limits; of equal ones those with
        the AUC furthest from 1/2, then the first.
    min_auc : float, optional
        Keep features with an AUC of at least this, from 1/2 to 1. An AUC of 1 - min_auc or less is as good, since
        positives then lie lower.
    max_q : float, optional
        Keep features whose q-value is this or below: about this share of those kept tells nothing (Benjamini and
        Hochberg).
    direction : {"auto", "higher", "lower"}
        "higher" keeps only features whose positives lie higher (AUC above 1/2), "lower" those whose positives lie
        lower.
    empirical : bool
        True: the AUC that the data show, and the Mann-Whitney test. False: the AUC predicted from means and standard
        deviations, and its test; one pass over the data, and right as far as the classes are Gaussian.
    pairs : {"rest", "all"}
        Of three classes and more: each against the rest, or every pair. A feature is as good as its best class pair.
    positive : label, optional
        The positive class. Left out, of two classes the last one in their order (of "neg" and "pos": "pos"), which
        decides on which side of 1/2 an AUC lies and not which features are kept. So ``direction="higher"`` and
        "lower" need it, unless the labels are {0, 1}, {-1, 1} or booleans. Of three classes and more each is positive
        in turn.
    engine : {"auto", "numpy", "numba"}
    n_jobs : int
        Threads.

    Attributes
    ----------
    scores_ : array of shape (n_features_in_,)
        abs(AUC - 1/2), or with a direction how far the AUC lies on that side; NaN for a feature of which nothing is
        known, which is never kept.
    auc_ : array of shape (n_features_in_,)
        Of the best class pair, signed: below 1/2 where positives lie lower.
    pvalues_, qvalues_ : array of shape (n_features_in_,)
        Two-sided. With several class pairs the p-value of the best is multiplied by their number.
    screening_ : ScreeningResult
        The whole table: intervals, thresholds, flags; one row for each class pair and feature.
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features_in_,)
        Where X has names.

    Raises
    ------
    RocPredictError
        When fitted: limits out of range, one class only; and as ``rocpredict.screen``.

    Warns
    -----
    UserWarning
        No feature is kept; k is more than there are.

    Notes
    -----
    NaN is missing and left out, feature by feature; infinities have an order and are legal. Sparse matrices stay
    sparse. ``k``, ``min_auc`` and ``max_q`` may be changed by ``set_params`` after ``fit``: nothing is screened again.

    A choice of features learns from the labels: in a pipeline, each fold of a cross-validation makes its own. Features
    that only together tell the classes apart are not found.

    Examples
    --------
    >>> from rocpredict.datasets import load_pima
    >>> pima = load_pima()
    >>> selector = RocSelector(min_auc=0.65).set_output(transform="pandas").fit(pima.to_frame().iloc[:, :8], pima.y)
    >>> selector.get_feature_names_out().tolist()
    ['glucose', 'mass', 'age']
    >>> selector.auc_[selector.get_support()].round(3).tolist()
    [0.788, 0.688, 0.687]
    """

    def __init__(
        self,
        *,
        k: int | None = None,
        min_auc: float | None = None,
        max_q: float | None = None,
        direction: Literal["higher", "lower", "auto"] = "auto",
        empirical: bool = True,
        pairs: Pairs = "rest",
        positive: Label = None,
        engine: Engine = "auto",
        n_jobs: int = 1,
    ) -> None:
        self.k = k
        self.min_auc = min_auc
        self.max_q = max_q
        self.direction = direction
        self.empirical = empirical
        self.pairs = pairs
        self.positive = positive
        self.engine = engine
        self.n_jobs = n_jobs

    def fit(self, X: object, y: ArrayLike) -> Self:
        """Screen the features.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n, features)
        y : array of shape (n,)
            Labels of two or more kinds.
        """
        self._validate_params()
        check_fit_arguments(X, y)
        with translated_errors():
            X, y = validate_data(self, X, y, accept_sparse=("csr", "csc"), ensure_all_finite=False)
        names = "direction", "empirical", "pairs", "positive", "engine", "n_jobs"
        options: dict[str, Any] = {name: getattr(self, name) for name in names}
        scores = score_features(X, y, **options, feature_names=getattr(self, "feature_names_in_", None))
        self.screening_, self.auc_, self.pvalues_, self.qvalues_ = scores
        self.scores_ = _DIRECTIONS[self.direction](self.auc_ - 0.5)
        if self.k is not None and self.k > self.n_features_in_:
            many = f"k={self.k} is more than the {self.n_features_in_} features of X"
            warnings.warn(f"{many}; all may be kept", stacklevel=2)
        return self

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self, "scores_")
        selected: NDArray[np.bool_] = ~np.isnan(self.scores_)
        if self.direction != "auto":
            selected &= self.scores_ > 0
        if self.min_auc is not None:
            selected &= self.scores_ >= self.min_auc - 0.5
        if self.max_q is not None:
            selected &= self.qvalues_ <= self.max_q
        k = _DEFAULT_K if self.k is None and self.min_auc is None and self.max_q is None else self.k
        if k is not None:
            order = np.lexsort((-self.scores_, self.pvalues_, ~selected))
            selected[order[k:]] = False
        return selected

    def _validate_params(self) -> None:
        if self.k is not None and check_int("k", self.k) < 1:
            raise RocPredictError(f"k={self.k!r} is below 1; give how many features to keep")
        if self.min_auc is not None and check_probability("min_auc", self.min_auc) < 0.5:
            raise RocPredictError(f"min_auc={self.min_auc!r} is below 1/2; either side counts, so give 0.5 to 1")
        if self.max_q is not None:
            check_probability("max_q", self.max_q)
        check_option("direction", self.direction, ("auto", "higher", "lower"))
        check_option("empirical", self.empirical, (True, False))
        check_option("pairs", self.pairs, ("rest", "all"))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags
