"""A transformer that keeps the features that tell the classes apart."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from rocpredict.arguments import as_fraction, as_whole, one_of
from rocpredict.errors import RocPredictError
from rocpredict.sklearn.strengths import feature_strengths

_K = 10  # as SelectKBest


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
        Of three classes and more: each against the rest, or every pair. A feature is as good as its best contrast.
    engine : {"auto", "numpy", "numba"}
    n_jobs : int
        Threads.

    Attributes
    ----------
    scores_ : array of shape (n_features_in_,)
        abs(AUC - 1/2), or with a direction how far the AUC lies on that side; NaN for a feature of which nothing is
        known, which is never kept.
    auc_ : array of shape (n_features_in_,)
        Of the best contrast, signed: below 1/2 where positives lie lower.
    pvalues_, qvalues_ : array of shape (n_features_in_,)
        Two-sided. With several contrasts the p-value of the best is multiplied by their number.
    screening_ : Screening
        The whole table: intervals, thresholds, flags; one row for each contrast and feature.
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
    >>> selector = RocSelector(min_auc=0.65).set_output(transform="pandas").fit(pima.frame().iloc[:, :8], pima.y)
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
        direction: str = "auto",
        empirical: bool = True,
        pairs: str = "rest",
        engine: str = "auto",
        n_jobs: int = 1,
    ) -> None:
        self.k = k
        self.min_auc = min_auc
        self.max_q = max_q
        self.direction = direction
        self.empirical = empirical
        self.pairs = pairs
        self.engine = engine
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Screen the features.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n, features)
        y : array of shape (n,)
            Labels of two or more kinds.
        """
        self._refuse_options()
        X, y = validate_data(self, X, y, accept_sparse=("csr", "csc"), ensure_all_finite=False)
        found = feature_strengths(
            X,
            y,
            direction=self.direction,
            empirical=self.empirical,
            pairs=self.pairs,
            engine=self.engine,
            n_jobs=self.n_jobs,
            feature_names=getattr(self, "feature_names_in_", None),
        )
        self.screening_, self.auc_, self.pvalues_, self.qvalues_ = found
        above = self.auc_ - 0.5
        self.scores_ = {"auto": np.abs(above), "higher": above, "lower": -above}[self.direction]
        self._warn_of_k()
        return self

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self, "scores_")
        kept: NDArray[np.bool_] = ~np.isnan(self.scores_)
        if self.direction != "auto":
            kept &= self.scores_ > 0
        if self.min_auc is not None:
            kept &= self.scores_ >= self.min_auc - 0.5
        if self.max_q is not None:
            kept &= self.qvalues_ <= self.max_q
        k = self._most
        if k is None:
            return kept
        order = np.lexsort((-self.scores_, self.pvalues_, ~kept))
        first = np.zeros(len(kept), dtype=bool)
        first[order[:k]] = True
        return kept & first

    @property
    def _most(self) -> int | None:
        return _K if self.k is None and self.min_auc is None and self.max_q is None else self.k

    def _refuse_options(self) -> None:
        if self.k is not None and as_whole("k", self.k) < 1:
            raise RocPredictError(f"k={self.k!r} is below 1; give how many features to keep")
        if self.min_auc is not None and as_fraction("min_auc", self.min_auc) < 0.5:
            raise RocPredictError(f"min_auc={self.min_auc!r} is below 1/2; either side counts, so give 0.5 to 1")
        if self.max_q is not None:
            as_fraction("max_q", self.max_q)
        one_of("direction", self.direction, ("auto", "higher", "lower"))
        one_of("empirical", self.empirical, (True, False))
        one_of("pairs", self.pairs, ("rest", "all"))

    def _warn_of_k(self) -> None:
        if self.k is not None and self.k > self.n_features_in_:
            warnings.warn(
                f"k={self.k} is more than the {self.n_features_in_} features of X; all may be kept", stacklevel=3
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags
