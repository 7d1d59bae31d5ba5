"""Classifier with a tuned threshold for scikit-learn."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit, check_cv
from sklearn.utils import Bunch, get_tags, indexable
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.metaestimators import _safe_split, available_if
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _check_method_params, _num_samples, check_is_fitted, has_fit_parameter

from rocpredict.base.labels import check_sample_weight, equal_labels, is_label
from rocpredict.base.rates import RateFunction
from rocpredict.base.validation import (
    AssumptionWarning,
    FloatArray,
    Label,
    RocPredictError,
    check_option,
    short_repr,
)
from rocpredict.distributions.families import FamilyName, ScipyFamily
from rocpredict.distributions.normality import normality_warning, suppress_normality_warning
from rocpredict.roc.base import Roc
from rocpredict.roc.empirical import EmpiricalRoc, empirical_roc
from rocpredict.roc.predicted import predict_roc
from rocpredict.sklearn.selector import check_fit_arguments, check_labels, translated_errors
from rocpredict.solvers.thresholds import BestThreshold, CriterionName

RESPONSE_METHODS = ("auto", "predict_proba", "decision_function", "log_odds")
_METHODS = {"predict_proba": "predict_proba", "decision_function": "decision_function", "log_odds": "predict_log_proba"}


class OutOfFoldScores(NamedTuple):
    """Positions of rows in the data, and their scores by a model that was not fitted to them."""

    rows: NDArray[np.intp]
    scores: FloatArray


class ResponseMethod(NamedTuple):
    """One of ``RESPONSE_METHODS`` but "auto", for scores that rise with the positive label."""

    method: str
    positive: Any

    def scores(self, estimator: Any, X: object) -> FloatArray:
        """Return one score for each row, shape (n,), or refuse NaN."""
        with np.errstate(divide="ignore"):  # the logarithm of a probability of 0
            values = np.asarray(getattr(estimator, _METHODS[self.method])(X), dtype=np.float64)
        names = np.asarray(estimator.classes_).tolist()
        if len(names) != 2 or self.positive not in names:
            raise RocPredictError(f"estimator knows the labels {names}; two are needed, {self.positive!r} among them")
        column = names.index(self.positive)
        if self.method == "log_odds":
            scores = np.asarray(values[:, column] - values[:, 1 - column])
        elif values.ndim == 2 and values.shape[1] == 2:
            scores = values[:, column]
        else:
            scores = values.ravel() if column else -values.ravel()
        if missing := int(np.isnan(scores).sum()):
            raise RocPredictError(f"estimator gives NaN as {self.method} of {missing} of {len(scores)} rows")
        return scores

    def fit_and_score(
        self, estimator: Any, X: object, y: NDArray[Any], fold: tuple[Any, Any], params: dict[str, Any]
    ) -> FloatArray:
        """Fit a classifier to the training rows of a fold, and score the rows held out."""
        train, test = fold
        X_train, y_train = _safe_split(estimator, X, y, train)
        X_test, _ = _safe_split(estimator, X, y, test, train)
        estimator.fit(X_train, y_train, **_check_method_params(X, params, indices=train))
        return self.scores(estimator, X_test)


def select_response_method(estimator: Any, method: str, *, fitted_family: bool) -> str:
    """Return the method of a classifier that gives its scores, or refuse a classifier without an allowed one.

    "auto" is the probability where there is one, as in scikit-learn. Where a family is to be fitted to the scores it is
    the decision function or the log odds, since probabilities are not Gaussian.
    """
    check_option("response_method", method, RESPONSE_METHODS)
    automatic = ("decision_function", "log_odds", "predict_proba") if fitted_family else RESPONSE_METHODS[1:3]
    allowed = automatic if method == "auto" else (method,)
    for name in allowed:
        if hasattr(estimator, _METHODS[name]):
            return name
    needed = " or ".join(_METHODS[name] for name in allowed)
    raise RocPredictError(f"estimator={type(estimator).__name__} has no {needed}; response_method={method!r} needs it")


def _as_indices(rows: Any, length: int) -> NDArray[np.intp]:
    """Return positions of rows, where a fold may also be a mask."""
    rows = np.asarray(rows)
    return np.flatnonzero(rows) if rows.dtype.kind == "b" and len(rows) == length else rows.astype(np.intp)


def _resolve_positive(labels: NDArray[Any], positive: Any) -> Any:
    """Return the positive label: the one that is named, else the last, as in scikit-learn."""
    names = np.unique(labels).tolist()
    if positive is None:
        return names[-1]
    if not is_label(positive, names):
        raise RocPredictError(f"positive={short_repr(positive)} is not a label in y; labels are {names}")
    return names[names.index(positive)]


def _check_sample_weight(sample_weight: ArrayLike | None, is_positive: NDArray[np.bool_]) -> FloatArray | None:
    """Return one weight for each row, 0 or more and some above 0 in both classes, or None where there are none."""
    array = None if sample_weight is None else np.asarray(sample_weight)
    weights = check_sample_weight(array, len(is_positive), "sample_weight")
    for name, members in (("negative", ~is_positive), ("positive", is_positive)):
        if weights is not None and not weights[members].any():
            problem = f"sample_weight is zero for all rows of the {name} class"
            raise RocPredictError(f"{problem}; each class needs one above 0")
    return weights


_CRITERION = ("criterion", "prevalence", "cost_fp", "cost_fn", "beta", "value")


def _available_if_delegate_has(method: str) -> Callable[[Any], Any]:
    """Make a method available if the classifier inside has it."""

    def is_there(self: Any) -> bool:
        getattr(getattr(self, "estimator_", self.estimator), method)  # whose AttributeError names the classifier
        return True

    return available_if(is_there)


class ThresholdedClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """Classifier that calls a row positive when its score reaches the best threshold for a criterion.

    The threshold is chosen on scores of rows that the scoring model did not see: each fold's model scores the rows it
    was not fitted to, and the best threshold of all these scores together is taken. The classifier is then fitted to
    all rows.

    Parameters
    ----------
    estimator : classifier
        For two classes, with ``predict_proba`` or ``decision_function``.
    criterion : str or function
        What the threshold is best for, as in ``EmpiricalRoc.best_threshold``: "ameans" (also "youden",
        "balanced_accuracy"), "cost", "accuracy", "f1", "f_beta", "closest_topleft", "min_tpr", "min_tnr", "max_fpr", or
        a function that takes ``Rates`` of many thresholds and gives what to maximise.
    prevalence : float, optional
        Share of positives where the classifier will be used, for the criteria that depend on it. Left out: the share
        among the rows of ``fit``.
    cost_fp, cost_fn : float
        Cost of a false positive and of a false negative, for "cost".
    beta : float, optional
        For "f_beta".
    value : float, optional
        The limit of "min_tpr", "min_tnr" and "max_fpr".
    positive : label, optional
        Left out: the last of ``classes_``, as in scikit-learn. Labels are sorted: of "neg" and "pos" it is "pos", of
        "sick" and "well" it is "well". Name it wherever labels are not {0, 1}, {-1, 1} or booleans.
    cv : int, float, splitter, iterable of splits, or "prefit"
        A number of stratified folds; a share of rows, which are held out once; anything else that scikit-learn takes
        and that holds no row out twice. "prefit": the estimator is fitted already and stays as it is, and all rows of
        ``fit`` choose the threshold: they should be rows it was not fitted to.
    response_method : {"auto", "predict_proba", "decision_function", "log_odds"}
        What the score is. "auto": the probability of the positive class, else the decision function; with a family that
        is fitted to the scores the decision function, else the log odds, else the probability.
    family : str or a scipy.stats distribution
        "empirical" counts rows. Any other that ``predict_roc`` takes is fitted to the scores of each class, and the
        threshold is that of the predicted curve: steadier where it fits, biased where it does not. "auto" lies between
        the two, near the rows where they speak against the model.
    n_jobs : int, optional
        Folds that are fitted at once.
    random_state : int, RandomState or None
        Shuffles the rows before they are cut into ``cv`` folds, or draws the share held out. None with a number of
        folds: no shuffling.

    Attributes
    ----------
    classes_ : array of shape (2,)
    positive_ : label
    estimator_ : classifier
        Fitted to all rows.
    threshold_ : float
        In the unit of the score. A row is called positive when its score is not below it.
    best_threshold_ : BestThreshold
        What the threshold achieves on rows held out, with its uncertainty: ``ameans_corrected`` (None with
        family="gaussian", whose Ameans is predicted and a little optimistic), ``threshold_interval()``,
        ``ameans_interval()``, ``stability()``.
    roc_ : EmpiricalRoc or PredictedRoc
        The curve of all scores of rows held out.
    fold_thresholds_ : array of shape (folds,)
        The best threshold of each fold's rows alone; NaN where they have none, as when a class is missing.
    response_method_ : str
        What the score is.
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features_in_,)
        Where the classifier inside has them.

    Raises
    ------
    RocPredictError
        When fitted: options of the criterion that do not fit together, labels that are not two, a fold that trains on
        one class, a row that is held out twice, negative weights; and as ``empirical_roc`` or ``predict_roc``.

    Warns
    -----
    AssumptionWarning
        ``sample_weight`` for a classifier that takes none: it then only places the threshold. Scores that speak against
        the two Gaussians of ``family="gaussian"``: said once, of the scores of all folds together.

    Notes
    -----
    Every threshold that makes a difference is tried: midpoints of neighbouring distinct scores, no grid.

    The threshold is one number on the scale of the scores, so the folds' scores are pooled. The AUC of ``roc_`` is that
    of the pool: it compares scores of different models, and may lie above or below that of each fold
    (``rocpredict.mean_roc`` compares only what one model scored). The intervals of ``best_threshold_`` describe the
    draw of the rows, given the models; the spread of ``fold_thresholds_`` shows what other models and fewer rows add.

    With metadata routing enabled, ``fit`` hands metadata to the classifier and to the splitter (such as ``groups``);
    without it all further arguments of ``fit`` go to the classifier.

    Examples
    --------
    >>> from rocpredict.datasets import load_pima
    >>> from sklearn.naive_bayes import GaussianNB
    >>> pima = load_pima()
    >>> classifier = ThresholdedClassifier(GaussianNB(), criterion="min_tpr", value=0.9).fit(pima.X, pima.y)
    >>> classifier.best_threshold_
    BestThreshold(threshold=0.100954, ameans=0.711493 (0.7146 corrected), tpr=0.902985, fpr=0.48, criterion='min_tpr')
    >>> classifier.predict(pima.X[:3])
    array(['pos', 'neg', 'pos'], dtype='<U3')
    """

    def __init__(
        self,
        estimator: object,
        *,
        criterion: CriterionName | RateFunction = "ameans",
        prevalence: float | None = None,
        cost_fp: float = 1.0,
        cost_fn: float = 1.0,
        beta: float | None = None,
        value: float | None = None,
        positive: Label = None,
        cv: object = 5,
        response_method: Literal["auto", "predict_proba", "decision_function", "log_odds"] = "auto",
        family: FamilyName | ScipyFamily = "empirical",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.estimator = estimator
        self.criterion = criterion
        self.prevalence = prevalence
        self.cost_fp = cost_fp
        self.cost_fn = cost_fn
        self.beta = beta
        self.value = value
        self.positive = positive
        self.cv = cv
        self.response_method = response_method
        self.family = family
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: object, y: ArrayLike, sample_weight: ArrayLike | None = None, **fit_params: object) -> Self:
        """Choose the threshold, and fit the classifier.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n, features)
        y : array of shape (n,)
            Labels of two kinds.
        sample_weight : array of shape (n,), optional
            How many cases each row stands for: 0 or more. It weighs the rows that choose the threshold, and goes to the
            classifier if that takes it.
        **fit_params
            For the ``fit`` of the classifier.
        """
        if not callable(self.criterion):
            self._best(EmpiricalRoc([0.0], [1.0]))  # refuses wrong options before models are fitted
        check_fit_arguments(X, y, sample_weight)
        with translated_errors():
            X, y = indexable(X, y)
            if (kind := type_of_target(y, input_name="y")).startswith("multi"):
                raise RocPredictError(f"Only binary classification is supported. The type of the target is {kind}.")
            labels = check_labels(y)
        self.positive_ = _resolve_positive(labels, self.positive)
        codes = equal_labels(labels, self.positive_).astype(np.intp)
        weights = _check_sample_weight(sample_weight, codes == 1)
        method = select_response_method(self.estimator, self.response_method, fitted_family=self._is_fitted_family)
        response = ResponseMethod(method, self.positive_)
        routed = self._route(weights, fit_params)
        if isinstance(self.cv, str) and self.cv == "prefit":
            check_is_fitted(self.estimator)
            self.estimator_: Any = self.estimator
            fold_scores = [OutOfFoldScores(np.arange(_num_samples(X)), response.scores(self.estimator_, X))]
        else:
            folds = self._split(X, labels, routed.splitter.split)
            params = routed.estimator.fit
            scored = Parallel(n_jobs=self.n_jobs)(
                delayed(response.fit_and_score)(clone(self.estimator), X, labels, fold, params) for fold in folds
            )
            fold_scores = [OutOfFoldScores(test, scores) for (_, test), scores in zip(folds, scored, strict=True)]
            self.estimator_ = clone(self.estimator).fit(X, labels, **params)
        self._choose_threshold(fold_scores, codes, weights)
        self.response_method_, self.classes_ = method, self.estimator_.classes_
        names, known_names = np.unique(labels).tolist(), self.classes_.tolist()
        if {*names} != {*known_names}:
            raise RocPredictError(f"y has the labels {names}, the fitted estimator {known_names}")
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        return self

    def predict(self, X: object) -> NDArray[Any]:
        """Return the label of each row: positive when its score is not below ``threshold_``."""
        check_is_fitted(self, "threshold_")
        scores = ResponseMethod(self.response_method_, self.positive_).scores(self.estimator_, X)
        is_positive = (scores >= self.threshold_) & (self.threshold_ < np.inf)  # +inf: no row, whatever its score
        place = int(np.flatnonzero(equal_labels(self.classes_, self.positive_))[0])
        return np.asarray(self.classes_[np.where(is_positive, place, 1 - place)])

    @_available_if_delegate_has("predict_proba")
    def predict_proba(self, X: object) -> FloatArray:
        """Return the probabilities of the classifier inside, shape (n, 2)."""
        check_is_fitted(self, "threshold_")
        return self.estimator_.predict_proba(X)

    @_available_if_delegate_has("predict_log_proba")
    def predict_log_proba(self, X: object) -> FloatArray:
        """Return the logarithms of the probabilities of the classifier inside, shape (n, 2)."""
        check_is_fitted(self, "threshold_")
        return self.estimator_.predict_log_proba(X)

    @_available_if_delegate_has("decision_function")
    def decision_function(self, X: object) -> FloatArray:
        """Return the decision function of the classifier inside, shape (n,): ``threshold_`` does not move it."""
        check_is_fitted(self, "threshold_")
        return self.estimator_.decision_function(X)

    def get_metadata_routing(self) -> object:
        """Return where scikit-learn's metadata go: to the classifier's ``fit`` and the splitter's ``split``."""
        router = MetadataRouter(owner=self).add_self_request(self)
        router.add(estimator=self.estimator, method_mapping=MethodMapping().add(caller="fit", callee="fit"))
        return router.add(splitter=self.cv, method_mapping=MethodMapping().add(caller="fit", callee="split"))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags = get_tags(self.estimator).input_tags
        return tags

    @property
    def _is_fitted_family(self) -> bool:
        return not (isinstance(self.family, str) and self.family == "empirical")

    def _best(self, roc: Roc) -> BestThreshold:
        return roc.best_threshold(**{name: getattr(self, name) for name in _CRITERION})

    def _route(self, weights: FloatArray | None, fit_params: dict[str, Any]) -> Any:
        """Return ``.estimator.fit`` and ``.splitter.split``, as scikit-learn routes them where routing is enabled.

        Without routing all of them go to the classifier, with the weights if it takes any.
        """
        if get_config()["enable_metadata_routing"]:
            return process_routing(self, "fit", sample_weight=weights, **fit_params)
        if weights is not None and has_fit_parameter(self.estimator, "sample_weight"):
            fit_params = fit_params | {"sample_weight": weights}
        elif weights is not None and not any(name.endswith("sample_weight") for name in fit_params):
            # A pipeline may be given step__sample_weight.
            warnings.warn(
                f"estimator={type(self.estimator).__name__} takes no sample_weight: it is fitted without, and the "
                "weights only place the threshold",
                AssumptionWarning,
                stacklevel=3,
            )
        return Bunch(splitter=Bunch(split={}), estimator=Bunch(fit=fit_params))

    def _split(self, X: object, labels: NDArray[Any], params: dict[str, Any]) -> list[tuple[Any, Any]]:
        """Return the rows of each fold, or refuse one that trains on one class, and a row that is held out twice."""
        if isinstance(self.cv, Integral) and self.random_state is not None:
            splitter: Any = StratifiedKFold(self.cv, shuffle=True, random_state=self.random_state)
        elif isinstance(self.cv, Real) and not isinstance(self.cv, Integral):
            splitter = StratifiedShuffleSplit(1, test_size=self.cv, random_state=self.random_state)
        else:
            splitter = check_cv(self.cv, labels, classifier=True)
        splits = splitter.split(X, labels, **params)
        folds = [(_as_indices(train, len(labels)), _as_indices(test, len(labels))) for train, test in splits]
        times = np.bincount(np.concatenate([test for _, test in folds]), minlength=len(labels))
        if times.max() > 1:  # the row would count as several cases
            problem = f"cv holds row {times.argmax()} out {times.max()} times"
            raise RocPredictError(f"{problem}; give folds that hold each row out once at most")
        for number, (train, _) in enumerate(folds):
            if len(np.unique(labels[train])) < 2:
                raise RocPredictError(f"cv trains fold {number} on rows of one class; each fold needs rows of both")
        return folds

    def _choose_threshold(
        self, fold_scores: list[OutOfFoldScores], codes: NDArray[np.intp], weights: FloatArray | None
    ) -> None:
        """Set the attributes that come from the held-out scores."""
        pooled = OutOfFoldScores(*(np.concatenate(part) for part in zip(*fold_scores, strict=True)))
        with suppress_normality_warning():  # given once, below, and not for each fold
            self.roc_ = self._roc(pooled, codes, weights)
            self.fold_thresholds_ = np.array([self._fold_threshold(fold, codes, weights) for fold in fold_scores])
        self.best_threshold_ = self._best(self.roc_)
        self.threshold_ = float(self.best_threshold_.threshold)
        refit: Any = getattr(self.roc_, "pair_fit", None)  # None for weights that are not whole: no sample of cases
        is_gaussian = isinstance(self.family, str) and self.family == "gaussian" and refit is not None
        if is_gaussian and (message := normality_warning(refit.negative, refit.positive)):
            warnings.warn(f"of the scores held out, {message}", AssumptionWarning, stacklevel=3)

    def _roc(self, scores: OutOfFoldScores, codes: NDArray[np.intp], weights: FloatArray | None) -> Roc:
        options: dict[str, Any] = {"positive": 1, "weights": None if weights is None else weights[scores.rows]}
        if not self._is_fitted_family:
            return empirical_roc(scores.scores, codes[scores.rows], **options)
        if infinite := int(np.isinf(scores.scores).sum()):
            raise RocPredictError(
                f"estimator gives infinite scores to {infinite} of {len(scores.scores)} rows, and no family can be "
                "fitted to these; choose response_method='predict_proba' or family='empirical'"
            )
        return predict_roc(scores.scores, codes[scores.rows], family=self.family, **options)

    def _fold_threshold(self, scores: OutOfFoldScores, codes: NDArray[np.intp], weights: FloatArray | None) -> float:
        try:
            return float(self._best(self._roc(scores, codes, weights)).threshold)
        except RocPredictError:  # a fold may lack what all folds together have, such as a class
            return np.nan
