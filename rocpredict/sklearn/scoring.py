"""Functions and scorers in the form in which scikit-learn takes them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import make_scorer

from rocpredict.arguments import FloatArray
from rocpredict.errors import RocPredictError
from rocpredict.sklearn.rows import as_sample_weight, two_labels
from rocpredict.sklearn.strengths import feature_strengths


def ameans_score(y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Give the Ameans (TPR + TNR)/2 of predicted labels, also called balanced accuracy.

    Which of the two labels is the positive one makes no difference.

    Parameters
    ----------
    y_true, y_pred : array of shape (n,)
        True and predicted labels.
    sample_weight : array of shape (n,), optional
        How many cases each row stands for: 0 or more.

    Raises
    ------
    RocPredictError
        True labels of one class only, or of three or more; predicted labels that are not among the true ones; lengths
        that differ; weights that are negative, or zero all over a class.

    Notes
    -----
    Each rate is that of its own class, so that the shares of the classes do not matter, and a classifier that calls all
    rows alike has 1/2. ``ameans_scorer`` is the same for ``cross_val_score``, ``GridSearchCV`` and their like.

    Examples
    --------
    >>> ameans_score([0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 0])
    0.625
    """
    truth = two_labels(y_true)
    called = np.asarray(y_pred)
    if called.shape != truth.shape:
        raise RocPredictError(f"y_pred has shape {called.shape} and y_true {truth.shape}; give one label for each row")
    names = np.unique(truth)
    _refuse_others(called, names)
    is_positive = truth == names[1]
    weights = as_sample_weight(sample_weight, is_positive)
    right = np.asarray(called == truth, dtype=np.float64)
    tpr, tnr = (
        np.average(right[members], weights=None if weights is None else weights[members])
        for members in (is_positive, ~is_positive)
    )
    return float(tpr / 2 + tnr / 2)


ameans_scorer = make_scorer(ameans_score)
"""Scorer of the Ameans of a classifier's own calls, for ``scoring=``."""


def roc_score_func(X: Any, y: ArrayLike) -> tuple[FloatArray, FloatArray]:
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
    Of three classes and more each is set against the rest. The score is that of the best contrast, and the p-value its
    own times the number of contrasts (Bonferroni), 1 at most. Both are NaN for a feature of which nothing is known.

    Examples
    --------
    >>> from rocpredict.datasets import load_pima
    >>> from sklearn.feature_selection import SelectKBest
    >>> pima = load_pima()
    >>> best = SelectKBest(roc_score_func, k=2).fit(pima.X, pima.y)
    >>> [pima.feature_names[i] for i in best.get_support(indices=True)]
    ['glucose', 'mass']
    """
    found = feature_strengths(X, y)
    return np.abs(found.auc - 0.5), found.p_value


def _refuse_others(called: Any, names: Any) -> None:
    """Refuse calls that are no true label: rather a coding of their own (1 for "pos") than an error."""
    unknown = set(called.tolist()) - set(names.tolist())
    if unknown:
        raise RocPredictError(
            f"y_pred holds {min(unknown, key=repr)!r}, which is not among the labels {names.tolist()} of y_true"
        )
