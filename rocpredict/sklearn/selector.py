"""Feature selector and score function for scikit-learn."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
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
    is_number_text,
    number_format_hint,
    short_repr,
)
from rocpredict.inference.hypotheses import adjust_p_values
from rocpredict.screening.columns import one_sided_p_value
from rocpredict.screening.histograms import to_dense
from rocpredict.screening.kernels.base import Engine
from rocpredict.screening.result import ScreeningResult
from rocpredict.screening.screen import screen
from rocpredict.sources.blocks import iter_text
from rocpredict.sources.table import read_table


def check_labels(y: Any) -> NDArray[Any]:
    """Check that there are at least two classes, and return the labels as an array of shape (n,)."""
    with translated_errors():
        check_classification_targets(y)
        labels: NDArray[Any] = column_or_1d(y, warn=True)
    names = np.unique(labels)
    if len(names) < 2:
        raise RocPredictError(f"y has only one class, {names.tolist()}; pass labels of at least two classes")
    nul = next((name for name in names.tolist() if isinstance(name, str) and name.endswith("\0")), None)
    if nul is not None:
        problem = f"y contains {nul!r}, but scikit-learn ignores a NUL at the end of text"
        raise RocPredictError(f"{problem}; use other labels")
    return labels


class InputTypeError(RocPredictError, TypeError):
    """RocPredictError that is also a TypeError, for input that scikit-learn rejects with a TypeError."""


@contextmanager
def translated_errors() -> Iterator[None]:
    """Convert scikit-learn validation errors to ``RocPredictError`` with a single-line message."""
    try:
        yield
    except RocPredictError:
        raise
    except (TypeError, ValueError) as error:
        kind = InputTypeError if isinstance(error, TypeError) else RocPredictError
        raise kind(" ".join(str(error).split())) from error


def check_fit_arguments(X: object, y: object, sample_weight: object = None) -> None:
    """Raise RocPredictError for masked values, missing labels, or pandas indexes that do not match.

    Without this check, scikit-learn would ignore masks and use the masked values.
    """
    for name, values in (("X", X), ("y", y), ("sample_weight", sample_weight)):
        if np.ma.is_masked(values):
            raise RocPredictError(
                f"{name} has masked values, but scikit-learn ignores masks; remove rows with masked values"
            )
    check_index({"X": X, "y": y, "sample_weight": sample_weight})
    with translated_errors():
        labels = np.asarray(y)
    if labels.ndim == 1 and find_missing(labels).any():
        raise RocPredictError("y has missing labels (NaN); remove rows without a label")


def check_no_text(X: Any) -> None:
    """Raise RocPredictError if a column of X contains dates or nonnumeric text."""
    if getattr(getattr(X, "dtype", None), "kind", "O") in "biufc":
        return
    try:
        table = read_table(X)
    except RocPredictError:  # X is not a table; the message of scikit-learn describes the problem
        return
    for feature, name in enumerate(table.names.tolist()):
        text = next((item for item in iter_text(table.column(feature)) if not is_number_text(item)), None)
        if text is not None:
            raise RocPredictError(
                f"column {name!r} of X contains {short_repr(text)}, which is not a number{number_format_hint(text)}; "
                "select the numeric columns, or encode this column as numbers"
            )


_BLOCK_SIZE = 4_000_000  # number of values that are converted to a dense array at a time
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
    """Screen features and, for each feature, select the class pair with the smallest p-value.

    Selecting the class pair whose AUC is farthest from 1/2 would favor rare classes, because their AUCs vary strongly
    between samples. If p-values are tied, the class pair whose AUC is farther from 1/2 is selected.

    Returns
    -------
    screening : ScreeningResult
        Complete table, with one row for each class pair and feature.
    auc, p_value, q_value : array of shape (features,)
        Results for the selected class pair; NaN if undefined. The p-value is one-sided if ``direction`` is "higher" or
        "lower", and otherwise two-sided. This p-value is multiplied by the number of class pairs and capped at 1. The
        q-value is this p-value, adjusted for the number of features by the Benjamini-Hochberg method.
    """
    labels = check_labels(y)
    names = unique_labels(check_label_values(labels, labels))
    if positive is None and len(names) == 2:
        if direction != "auto" and {*names} not in ({0, 1}, {-1, 1}):
            raise RocPredictError(
                f"direction={direction!r} needs a positive class; pass one of the labels {names} as positive="
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
        if empirical:
            exact = _exact_p_values(X, labels, pairs, table.class_pairs, 1 if direction == "higher" else -1)
            p_values = np.where(np.isnan(exact), p_values, exact)
    best = np.lexsort((-distance, p_values), axis=0)[0]  # NaN is sorted last
    features = np.arange(areas.shape[1])
    p_value = np.minimum(p_values[best, features] * len(p_values), 1.0)
    return table, areas[best, features], p_value, adjust_p_values(p_value)


def _exact_p_values(X: Any, labels: NDArray[Any], pairs: str, class_pairs: Sequence[Any], sign: int) -> FloatArray:
    """Return the exact one-sided p-values of binary features with small expected counts; NaN for other features."""
    p_values = np.full((len(class_pairs), X.shape[1]), np.nan)
    step = max(1, _BLOCK_SIZE // max(X.shape[0], 1))
    for start in range(0, X.shape[1], step):
        x = to_dense(X[:, start : start + step])
        for row, (negative, positive) in enumerate(class_pairs):
            is_positive = labels == positive
            is_negative = ~is_positive if pairs == "rest" else labels == negative
            p_values[row, start : start + step] = one_sided_p_value(x[is_negative], x[is_positive], sign)
    return p_values


def roc_score_func(X: object, y: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Score features by the distance of their empirical AUC from 1/2.

    The function can be passed as ``score_func`` to ``SelectKBest``, ``SelectFdr`` and similar selectors of
    scikit-learn.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, features)
        Feature values.
    y : array-like of shape (n,)
        Class label of each observation; there must be at least two classes.

    Returns
    -------
    scores : array of shape (features,)
        abs(AUC - 1/2), in [0, 1/2]. The score does not depend on the direction; ``rocpredict.screen`` returns the AUC
        itself.
    p_values : array of shape (features,)
        Two-sided p-values of the Mann-Whitney test with tie correction and without continuity correction. The p-value
        of a feature with two distinct values is exact if an expected count of its 2 x 2 table is below 5.

    Raises
    ------
    RocPredictError
        If ``y`` has only one class, or if the data are invalid (see ``rocpredict.screen``).

    Notes
    -----
    With three or more classes, each class is compared with the rest. The score is computed from the class pair with the
    smallest p-value. This p-value is multiplied by the number of class pairs (Bonferroni) and capped at 1. If all
    values of a feature are missing, its score and p-value are NaN.

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


_DEFAULT_K = 10  # the default of SelectKBest


class RocSelector(SelectorMixin, BaseEstimator):
    """Univariate feature selector based on the AUC.

    A feature is selected if it satisfies every limit that is passed: ``k``, ``min_auc`` and ``max_q``. If no limit is
    passed, the ten features with the smallest p-values are selected.

    Parameters
    ----------
    k : int, optional
        Number of features to select. Among the features that satisfy the other limits, those with the smallest p-values
        are selected. Features with equal p-values are ranked by the distance of their AUC from 1/2 (largest first),
        then by column index.
    min_auc : float, optional
        Minimum AUC of selected features, in [1/2, 1]. With ``direction="auto"``, an AUC of at most 1 - ``min_auc`` also
        satisfies this limit.
    max_q : float, optional
        Maximum q-value of selected features. This limit controls the false discovery rate (Benjamini-Hochberg), which
        is the expected proportion of uninformative features among the selected features.
    direction : {"auto", "higher", "lower"}, default="auto"
        Direction of the selected features:

        * "auto": either direction.
        * "higher": only features with larger values in the positive class (AUC above 1/2).
        * "lower": only features with smaller values in the positive class.
    empirical : bool, default=True
        If True, use the empirical AUC and the Mann-Whitney test. If False, use the AUC predicted from means and
        standard deviations, and Welch's t-test. The prediction needs only one pass over the data, but assumes that both
        classes are Gaussian.
    pairs : {"rest", "all"}, default="rest"
        How three or more classes are compared; a feature is scored by its class pair with the smallest p-value:

        * "rest": each class against the rest.
        * "all": all pairs of classes.
    positive : label, optional
        Label of the positive class. For two labels, the default is the last one in sorted order, for example "pos" for
        the labels "neg" and "pos". With ``direction="auto"``, the choice does not affect which features are selected.
        For two classes and the direction "higher" or "lower", the positive label is required unless the labels are
        {0, 1}, {-1, 1} or booleans. For three or more classes, ``positive`` is optional; if it is passed, only the
        class pairs with this positive class are compared.
    engine : {"auto", "numpy", "numba"}, default="auto"
        Computing engine; see ``rocpredict.screen``.
    n_jobs : int, default=1
        Number of threads.

    Attributes
    ----------
    scores_ : array of shape (n_features_in_,)
        abs(AUC - 1/2) if ``direction`` is "auto", AUC - 1/2 if it is "higher", and 1/2 - AUC if it is "lower". NaN for
        features that cannot be scored; such features are never selected.
    auc_ : array of shape (n_features_in_,)
        AUC of the class pair with the smallest p-value; below 1/2 if positives have smaller values.
    pvalues_, qvalues_ : array of shape (n_features_in_,)
        P-values, and the corresponding Benjamini-Hochberg q-values. The p-values are two-sided if ``direction`` is
        "auto", and otherwise one-sided. With several class pairs, the smallest p-value of a feature is multiplied by
        the number of pairs.
    screening_ : ScreeningResult
        Complete table with confidence intervals, thresholds and flags. The table has one row for each class pair and
        feature.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : array of shape (n_features_in_,)
        Names of the features, if the columns of X have names.

    Raises
    ------
    RocPredictError
        Raised by ``fit`` if a limit is out of range, if ``y`` has only one class, if a column of ``X`` contains
        text or dates, or if the data are invalid (see ``rocpredict.screen``).

    Warns
    -----
    UserWarning
        If no feature is selected, or ``k`` is larger than the number of features.

    Notes
    -----
    Missing values (NaN) are omitted for each feature separately; infinite values are accepted. A sparse matrix is never
    converted to a single dense array. ``k``, ``min_auc`` and ``max_q`` can be changed with ``set_params`` after
    ``fit``, without fitting again.

    Feature selection uses the labels. In cross-validation, place the selector inside the pipeline, so that it is fitted
    in each fold. Features that discriminate only in combination are not found.

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
        X : array-like, sparse matrix or data frame of shape (n, features)
            Feature values.
        y : array-like of shape (n,)
            Class label of each observation; there must be at least two classes.

        Returns
        -------
        RocSelector
            The fitted selector itself.
        """
        self._validate_params()
        check_fit_arguments(X, y)
        table = X
        try:
            with translated_errors():
                X, y = validate_data(self, X, y, accept_sparse=("csr", "csc"), ensure_all_finite=False)
        except RocPredictError:
            check_no_text(table)
            raise
        if cast(Any, X).dtype.kind == "O":  # scikit-learn does not convert polars frames with text
            check_no_text(table)
        names = "direction", "empirical", "pairs", "positive", "engine", "n_jobs"
        options: dict[str, Any] = {name: getattr(self, name) for name in names}
        scores = score_features(X, y, **options, feature_names=getattr(self, "feature_names_in_", None))
        self.screening_, self.auc_, self.pvalues_, self.qvalues_ = scores
        self.scores_ = _DIRECTIONS[self.direction](self.auc_ - 0.5)
        if self.k is not None and self.k > self.n_features_in_:
            problem = f"k={self.k} is larger than the number of features of X, {self.n_features_in_}"
            warnings.warn(f"{problem}; all features are selected", stacklevel=2)
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
        if self.k is not None:
            check_int("k", self.k, least=1)
        if self.min_auc is not None and check_probability("min_auc", self.min_auc) < 0.5:
            raise RocPredictError(f"min_auc={self.min_auc!r} is below 1/2; use a value in [0.5, 1]")
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
