"""Scores of rows by models that did not see them."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.metaestimators import _safe_split  # no public function cuts kernel matrices
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _check_method_params, _num_samples

from rocpredict.arguments import FloatArray, one_of
from rocpredict.assumptions import doubt_of_gaussian
from rocpredict.errors import AssumptionWarning, RocPredictError
from rocpredict.roc import Roc

RESPONSE_METHODS = ("auto", "predict_proba", "decision_function", "log_odds")
"""How a classifier may be asked for scores."""

_NEEDS = {"predict_proba": "predict_proba", "decision_function": "decision_function", "log_odds": "predict_log_proba"}


class HeldOut(NamedTuple):
    """Hold the scores that one model gives to rows it did not see.

    Attributes
    ----------
    rows : array of shape (n,)
        Their places in the data.
    scores : array of shape (n,)
    """

    rows: NDArray[np.intp]
    scores: FloatArray


class Asker(NamedTuple):
    """Ask classifiers for scores that rise with the positive class.

    Attributes
    ----------
    method : str
        "predict_proba", "decision_function" or "log_odds".
    positive : label
    """

    method: str
    positive: Any

    def scores(self, estimator: Any, X: Any) -> FloatArray:
        """Give one score for each row, shape (n,), or refuse NaN."""
        with np.errstate(divide="ignore"):  # the logarithm of a probability of 0
            values = np.asarray(getattr(estimator, _NEEDS[self.method])(X), dtype=np.float64)
        place = self._place(estimator)
        scores = self._towards(values, place)
        missing = int(np.isnan(scores).sum())
        if missing:
            raise RocPredictError(f"estimator gives NaN as {self.method} of {missing} of {len(scores)} rows")
        return scores

    def _place(self, estimator: Any) -> int:
        names = list(estimator.classes_)
        if len(names) != 2 or self.positive not in names:
            raise RocPredictError(
                f"estimator knows the labels {np.asarray(names).tolist()}; two are needed, {self.positive!r} among them"
            )
        return names.index(self.positive)

    def _towards(self, values: FloatArray, place: int) -> FloatArray:
        """Give the scores of the class at a place."""
        if self.method == "log_odds":
            return np.asarray(values[:, place] - values[:, 1 - place])
        if values.ndim == 2 and values.shape[1] == 2:
            return values[:, place]
        return values.ravel() if place else -values.ravel()


def chosen_method(estimator: Any, method: str, *, fitted_family: bool) -> str:
    """Choose how a classifier is asked.

    Parameters
    ----------
    method : str
        One of ``RESPONSE_METHODS``. "auto": the probability where there is one, as scikit-learn does; where a family is
        to be fitted to the scores, the decision function or the log odds, since probabilities are not Gaussian.

    Raises
    ------
    RocPredictError
        An unknown method, or an estimator that has none of those allowed.
    """
    one_of("response_method", method, RESPONSE_METHODS)
    automatic = ("decision_function", "log_odds", "predict_proba") if fitted_family else RESPONSE_METHODS[1:3]
    allowed = automatic if method == "auto" else (method,)
    for name in allowed:
        if hasattr(estimator, _NEEDS[name]):
            return name
    needed = " or ".join(_NEEDS[name] for name in allowed)
    raise RocPredictError(f"estimator={type(estimator).__name__} has no {needed}; response_method={method!r} needs it")


def cross_fitted(
    estimator: Any,
    X: Any,
    y: NDArray[Any],
    splits: Iterable[tuple[Any, Any]],
    asker: Asker,
    *,
    params: Mapping[str, Any],
    n_jobs: int | None,
) -> list[HeldOut]:
    """Fit a clone to the training rows of each fold, and score the rows held out.

    Raises
    ------
    RocPredictError
        A fold that trains on one class; a row that is held out twice.
    """
    folds = [(_as_places(train, len(y)), _as_places(test, len(y))) for train, test in splits]
    _refuse_repeats([test for _, test in folds], len(y))
    for number, (train, _) in enumerate(folds):
        if len(np.unique(y[train])) < 2:
            raise RocPredictError(f"cv trains fold {number} on rows of one class; each fold needs rows of both")
    scored = Parallel(n_jobs=n_jobs)(
        delayed(_fold_scores)(clone(estimator), X, y, fold, asker=asker, params=params) for fold in folds
    )
    return [HeldOut(test, scores) for (_, test), scores in zip(folds, scored, strict=True)]


def scored_as_fitted(estimator: Any, X: Any, asker: Asker) -> list[HeldOut]:
    """Score all rows by a model that is there already."""
    return [HeldOut(np.arange(_num_samples(X)), asker.scores(estimator, X))]


def warn_of_scores(roc: Roc) -> None:
    """Say to whoever called ``fit`` that the scores speak against the Gaussians that were fitted to them."""
    refit = getattr(roc, "fitted_by", None)  # None where weights are not whole: these scores were no sample of cases
    doubt = None if refit is None else doubt_of_gaussian(refit.negative, refit.positive)
    if doubt:
        warnings.warn(f"of the scores held out, {doubt}", AssumptionWarning, stacklevel=4)


def _fold_scores(
    estimator: Any,
    X: Any,
    y: NDArray[Any],
    fold: tuple[NDArray[np.intp], NDArray[np.intp]],
    *,
    asker: Asker,
    params: Mapping[str, Any],
) -> FloatArray:
    train, test = fold
    X_train, y_train = _safe_split(estimator, X, y, train)
    X_test, _ = _safe_split(estimator, X, y, test, train)
    estimator.fit(X_train, y_train, **_check_method_params(X, params, indices=train))
    return asker.scores(estimator, X_test)


def _as_places(rows: Any, length: int) -> NDArray[np.intp]:
    """Give places of rows, where a fold may also come as a mask."""
    rows = np.asarray(rows)
    return np.flatnonzero(rows) if rows.dtype.kind == "b" and len(rows) == length else rows.astype(np.intp)


def _refuse_repeats(tests: list[NDArray[np.intp]], length: int) -> None:
    """Refuse rows that several folds hold out: each would count as several cases."""
    times = np.bincount(np.concatenate(tests), minlength=length)
    if times.max() > 1:
        raise RocPredictError(
            f"cv holds row {times.argmax()} out {times.max()} times; give folds that hold each row out once at most"
        )
