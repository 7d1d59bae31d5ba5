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

from rocpredict.base.labels import check_label, check_sample_weight, equal_labels
from rocpredict.base.rates import RateFunction
from rocpredict.base.validation import AssumptionWarning, FloatArray, Label, RocPredictError, check_option, short_repr
from rocpredict.distributions.families import FamilyName, ScipyFamily
from rocpredict.distributions.normality import suppress_misfit_warning
from rocpredict.roc.base import Roc
from rocpredict.roc.empirical import EmpiricalRoc, empirical_roc
from rocpredict.roc.predicted import fit_warning, predict_roc
from rocpredict.sklearn.selector import check_fit_arguments, check_labels, translated_errors
from rocpredict.solvers.thresholds import BestThreshold, CriterionName

RESPONSE_METHODS = ("auto", "predict_proba", "decision_function", "log_odds")
_METHODS = {"predict_proba": "predict_proba", "decision_function": "decision_function", "log_odds": "predict_log_proba"}


class OutOfFoldScores(NamedTuple):
    """Row indices and scores of held-out observations."""

    rows: NDArray[np.intp]
    scores: FloatArray


class ResponseMethod(NamedTuple):
    """Response method of a classifier; larger scores indicate the positive label."""

    method: str
    positive: Any

    def scores(self, estimator: Any, X: object) -> FloatArray:
        """Return the scores of the observations as an array of shape (n,); raise RocPredictError if a score is NaN."""
        with np.errstate(divide="ignore"):  # the logarithm of a probability of 0
            values = np.asarray(getattr(estimator, _METHODS[self.method])(X), dtype=np.float64)
        names = np.asarray(estimator.classes_).tolist()
        if len(names) != 2 or self.positive not in names:
            raise RocPredictError(
                f"estimator has the classes {names}; pass a classifier with two classes, including {self.positive!r}"
            )
        column = names.index(self.positive)
        if self.method == "log_odds":
            scores = np.asarray(values[:, column] - values[:, 1 - column])
        elif values.ndim == 2 and values.shape[1] == 2:
            scores = values[:, column]
        else:
            scores = values.ravel() if column else -values.ravel()
        if missing := int(np.isnan(scores).sum()):
            problem = f"estimator returned NaN from {self.method} for {missing} of {len(scores)} observations"
            raise RocPredictError(f"{problem}; pass an estimator that returns finite scores")
        return scores

    def fit_and_score(
        self, estimator: Any, X: object, y: NDArray[Any], fold: tuple[Any, Any], params: dict[str, Any]
    ) -> FloatArray:
        """Fit a classifier to the training data of a fold and return the scores of the held-out data."""
        train, test = fold
        X_train, y_train = _safe_split(estimator, X, y, train)
        X_test, _ = _safe_split(estimator, X, y, test, train)
        estimator.fit(X_train, y_train, **_check_method_params(X, params, indices=train))
        return self.scores(estimator, X_test)


def select_response_method(estimator: Any, method: str, *, fitted_family: bool) -> str:
    """Return the response method to use for a classifier; raise RocPredictError if the classifier lacks it.

    With "auto", probabilities are preferred, as in scikit-learn. If a family is fitted to the scores, the decision
    function or the log odds are preferred instead, because probabilities are not Gaussian.
    """
    check_option("response_method", method, RESPONSE_METHODS)
    automatic = ("decision_function", "log_odds", "predict_proba") if fitted_family else RESPONSE_METHODS[1:3]
    allowed = automatic if method == "auto" else (method,)
    for name in allowed:
        if hasattr(estimator, _METHODS[name]):
            return name
    needed = " or ".join(_METHODS[name] for name in allowed)
    problem = f"estimator={type(estimator).__name__} has no method {needed}"
    raise RocPredictError(f"{problem}, which response_method={method!r} needs; use another response_method")


def _as_indices(rows: Any, length: int) -> NDArray[np.intp]:
    """Return the row indices of a fold, which may be a list of indices or a mask."""
    rows = np.asarray(rows)
    return np.flatnonzero(rows) if rows.dtype.kind == "b" and len(rows) == length else rows.astype(np.intp)


def _resolve_positive(labels: NDArray[Any], positive: Any) -> Any:
    """Return the positive label, by default the last in sorted order, as in scikit-learn."""
    names = np.unique(labels).tolist()
    if positive is None:
        return names[-1]
    check_label("positive", positive, names)
    return names[names.index(positive)]


def _check_sample_weight(sample_weight: ArrayLike | None, is_positive: NDArray[np.bool_]) -> FloatArray | None:
    """Return the sample weights after checking that each class has a weight above 0."""
    array = None if sample_weight is None else np.asarray(sample_weight)
    weights = check_sample_weight(array, len(is_positive), "sample_weight")
    for name, members in (("negative", ~is_positive), ("positive", is_positive)):
        if weights is not None and not weights[members].any():
            problem = f"sample_weight is zero for all observations of the {name} class"
            raise RocPredictError(f"{problem}; pass at least one weight above 0 for each class")
    return weights


_CRITERION = ("criterion", "prevalence", "cost_fp", "cost_fn", "beta", "value")


def _available_if_delegate_has(method: str) -> Callable[[Any], Any]:
    """Make a method available only if the wrapped classifier has it."""

    def is_there(self: Any) -> bool:
        getattr(getattr(self, "estimator_", self.estimator), method)  # the AttributeError names the classifier
        return True

    return available_if(is_there)


class ThresholdedClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """Binary classifier with a tuned decision threshold.

    The threshold is chosen from out-of-fold scores. In each fold, a classifier is fitted to the training data and
    computes the scores of the held-out data. The scores of all folds are pooled, and the best threshold for the pooled
    scores is used. The classifier is then fitted to all observations. An observation is predicted positive if its score
    is at or above the threshold.

    Parameters
    ----------
    estimator : classifier
        Binary classifier with ``predict_proba`` or ``decision_function``.
    criterion : str or function, default="ameans"
        Criterion that the threshold optimizes, as in ``EmpiricalRoc.best_threshold``: "ameans" (also "youden",
        "balanced_accuracy"), "cost", "accuracy", "f1", "f_beta", "closest_topleft", "min_tpr", "min_tnr", "max_fpr", or
        a function that accepts the ``Rates`` of many thresholds and returns the values to maximize.
    prevalence : float, optional
        Proportion of positives in the population to which the classifier will be applied. It is accepted only for the
        criteria "accuracy", "cost", "f1" and "f_beta", which depend on the prevalence. By default, the proportion of
        positives in the data that are passed to ``fit``.
    cost_fp, cost_fn : float, default=1.0
        Cost of a false positive and cost of a false negative, for the criterion "cost".
    beta : float, optional
        Parameter of the criterion "f_beta", which gives recall ``beta**2`` times the weight of precision.
    value : float, optional
        Limit for three of the criteria: the lowest allowed TPR for "min_tpr", the lowest allowed TNR for "min_tnr", and
        the highest allowed FPR for "max_fpr".
    positive : label, optional
        Label of the positive class. By default, the last label in sorted order, as in scikit-learn. For the labels
        "neg" and "pos", the default is "pos"; for the labels "sick" and "well", it is "well". Pass the positive label
        unless the labels are {0, 1}, {-1, 1} or booleans.
    cv : int, float, splitter, iterable of splits or "prefit", default=5
        Cross-validation:

        * int: number of stratified folds.
        * float: proportion of the observations in a single held-out set.
        * splitter or iterable: splits as in scikit-learn; each observation may be held out at most once.
        * "prefit": ``estimator`` is already fitted and remains unchanged. The threshold is chosen on all data that are
          passed to ``fit``; these data should differ from the training data of the estimator.
    response_method : {"auto", "predict_proba", "decision_function", "log_odds"}, default="auto"
        Score of the classifier:

        * "auto": ``predict_proba`` if available, else ``decision_function``. If ``family`` is not "empirical",
          ``decision_function`` is preferred, then the log odds, then ``predict_proba``.
        * "predict_proba": probability of the positive class.
        * "decision_function": decision value.
        * "log_odds": log probability of the positive class minus log probability of the negative class.
    family : str or scipy.stats distribution, default="empirical"
        Distribution of the scores:

        * "empirical": the threshold is chosen on the empirical ROC curve.
        * "auto": shrunk estimate, a compromise between a model and the empirical distribution.
        * any other family of ``predict_roc``: the family is fitted to the scores of each class, and the threshold is
          chosen on the predicted curve. The threshold then varies less from sample to sample, but it is biased if the
          family does not fit the scores.
    n_jobs : int, optional
        Number of folds that are fitted in parallel.
    random_state : int, RandomState or None, default=None
        Seed for shuffling the observations before they are split into ``cv`` folds, or for drawing the held-out set. If
        None, the observations are not shuffled before they are split into folds.

    Attributes
    ----------
    classes_ : array of shape (2,)
        Class labels.
    positive_ : label
        Label of the positive class.
    estimator_ : classifier
        Classifier fitted to all observations.
    threshold_ : float
        Threshold of the score. An observation is predicted positive if its score is at or above the threshold.
    best_threshold_ : BestThreshold
        Best threshold and its performance on held-out data. ``ameans_corrected`` is the optimism-corrected Ameans
        (balanced accuracy) of this threshold. With any ``family`` other than "empirical", ``ameans_corrected`` is None.
        With ``family="gaussian"``, the predicted Ameans is slightly optimistic. The methods ``threshold_interval()``,
        ``ameans_interval()`` and ``stability()`` describe the uncertainty of the best threshold and of its Ameans.
    roc_ : EmpiricalRoc or PredictedRoc
        ROC curve of the pooled out-of-fold scores.
    fold_thresholds_ : array of shape (folds,)
        Best threshold of each fold, computed from the scores of this fold only. NaN if a fold has no best threshold,
        for example because a class is missing.
    response_method_ : str
        Response method that was selected.
    n_features_in_ : int
        Number of features, if the wrapped classifier has this attribute.
    feature_names_in_ : array of shape (n_features_in_,)
        Names of the features, if the wrapped classifier has this attribute.

    Raises
    ------
    RocPredictError
        Raised by ``fit`` if the options of the criterion are incompatible, if ``y`` does not have two labels, if the
        training data of a fold contain only one class, if an observation is held out twice, or if the data or weights
        are invalid.

    Warns
    -----
    AssumptionWarning
        If ``sample_weight`` is passed to a classifier that does not accept it; the weights are then used only for the
        threshold. The warning is also issued if the pooled scores are not consistent with ``family``. ``predict_roc``
        performs the same check.

    See Also
    --------
    rocpredict.mean_roc : mean ROC curve of folds that are not pooled.

    Notes
    -----
    With ``family="empirical"``, every midpoint between neighboring distinct scores is a candidate for the threshold.
    The candidates are not limited to a grid.

    Because a single threshold is needed, the scores of all folds are pooled. These scores are from different models, so
    the AUC of ``roc_`` may be above or below the AUC of every fold. The confidence intervals of ``best_threshold_``
    describe the sampling variation for fixed models. The variability of ``fold_thresholds_`` has two additional causes:
    the models of the folds differ, and each fold is a smaller sample.

    If metadata routing is enabled, ``fit`` passes metadata such as ``groups`` to the classifier and to the splitter. If
    metadata routing is disabled, ``fit`` passes all of ``**fit_params`` to the classifier.

    Examples
    --------
    >>> from rocpredict.datasets import load_pima
    >>> from sklearn.naive_bayes import GaussianNB
    >>> pima = load_pima()
    >>> classifier = ThresholdedClassifier(GaussianNB(), criterion="min_tpr", value=0.9).fit(pima.X, pima.y)
    >>> classifier.best_threshold_
    BestThreshold(threshold=0.100954, ameans=0.711493, tpr=0.902985, fpr=0.48, criterion='min_tpr')
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
        """Choose the threshold and fit the classifier.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, features)
            Input of the classifier.
        y : array-like of shape (n,)
            Class label of each observation; there must be exactly two classes.
        sample_weight : array-like of shape (n,), optional
            Nonnegative frequency weights of the observations. The weights are used to choose the threshold; they are
            also passed to the classifier if it accepts weights.
        **fit_params
            Parameters of the ``fit`` method of the classifier.

        Returns
        -------
        ThresholdedClassifier
            The fitted classifier itself.
        """
        if not callable(self.criterion):
            self._best(EmpiricalRoc([0.0], [1.0]))  # raises for invalid options before models are fitted
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
            problem = f"y has the labels {names}, but the fitted estimator has the classes {known_names}"
            raise RocPredictError(f"{problem}; pass the same labels")
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        return self

    def predict(self, X: object) -> NDArray[Any]:
        """Predict the class labels.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, features)
            Input of the classifier.

        Returns
        -------
        array of shape (n,)
            Predicted labels. The positive label is predicted if the score is at or above ``threshold_``.
        """
        check_is_fitted(self, "threshold_")
        scores = ResponseMethod(self.response_method_, self.positive_).scores(self.estimator_, X)
        is_positive = (scores >= self.threshold_) & (self.threshold_ < np.inf)  # at inf, no observation is positive
        place = int(np.flatnonzero(equal_labels(self.classes_, self.positive_))[0])
        return np.asarray(self.classes_[np.where(is_positive, place, 1 - place)])

    @_available_if_delegate_has("predict_proba")
    def predict_proba(self, X: object) -> FloatArray:
        """Return the class probabilities of the wrapped classifier.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, features)
            Input of the classifier.

        Returns
        -------
        array of shape (n, 2)
            Probabilities, in the order of ``classes_``. The probabilities do not depend on ``threshold_``.
        """
        check_is_fitted(self, "threshold_")
        return self.estimator_.predict_proba(X)

    @_available_if_delegate_has("predict_log_proba")
    def predict_log_proba(self, X: object) -> FloatArray:
        """Return the log probabilities of the wrapped classifier.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, features)
            Input of the classifier.

        Returns
        -------
        array of shape (n, 2)
            Log probabilities, in the order of ``classes_``.
        """
        check_is_fitted(self, "threshold_")
        return self.estimator_.predict_log_proba(X)

    @_available_if_delegate_has("decision_function")
    def decision_function(self, X: object) -> FloatArray:
        """Return the decision values of the wrapped classifier.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, features)
            Input of the classifier.

        Returns
        -------
        array of shape (n,)
            Decision values, which do not depend on ``threshold_``.
        """
        check_is_fitted(self, "threshold_")
        return self.estimator_.decision_function(X)

    def get_metadata_routing(self) -> object:
        """Return the metadata router for scikit-learn.

        Returns
        -------
        MetadataRouter
            Router that passes metadata to the ``fit`` method of the classifier and to the ``split`` method of the
            splitter.
        """
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
        """Return the parameters for ``estimator.fit`` and ``splitter.split``.

        Without metadata routing, all parameters are passed to the classifier, including the weights if it accepts them.
        """
        if get_config()["enable_metadata_routing"]:
            return process_routing(self, "fit", sample_weight=weights, **fit_params)
        if weights is not None and has_fit_parameter(self.estimator, "sample_weight"):
            fit_params = fit_params | {"sample_weight": weights}
        elif weights is not None and not any(name.endswith("sample_weight") for name in fit_params):
            # A pipeline may receive weights as step__sample_weight.
            warnings.warn(
                f"estimator={type(self.estimator).__name__} does not accept sample_weight, so it is fitted "
                "without weights; the weights are used only to choose the threshold",
                AssumptionWarning,
                stacklevel=3,
            )
        return Bunch(splitter=Bunch(split={}), estimator=Bunch(fit=fit_params))

    def _split(self, X: object, labels: NDArray[Any], params: dict[str, Any]) -> list[tuple[Any, Any]]:
        """Return the row indices (train, test) of each fold after checking them."""
        if isinstance(self.cv, Integral) and self.random_state is not None:
            splitter: Any = StratifiedKFold(self.cv, shuffle=True, random_state=self.random_state)
        elif isinstance(self.cv, Real) and not isinstance(self.cv, Integral):
            splitter = StratifiedShuffleSplit(1, test_size=self.cv, random_state=self.random_state)
        else:
            splitter = check_cv(self.cv, labels, classifier=True)
        splits = splitter.split(X, labels, **params)
        folds = [(_as_indices(train, len(labels)), _as_indices(test, len(labels))) for train, test in splits]
        times = np.bincount(np.concatenate([test for _, test in folds]), minlength=len(labels))
        if times.max() > 1:  # the observation would be counted several times
            problem = f"cv= holds out row {times.argmax()} in {times.max()} folds"
            raise RocPredictError(f"{problem}; pass folds in which each row is held out at most once")
        for number, (train, _) in enumerate(folds):
            if len(np.unique(labels[train])) < 2:
                problem = f"the training data of fold {number} contain only one class"
                raise RocPredictError(f"{problem}; pass cv= with both classes in the training data of each fold")
        return folds

    def _choose_threshold(
        self, fold_scores: list[OutOfFoldScores], codes: NDArray[np.intp], weights: FloatArray | None
    ) -> None:
        """Set the attributes that are based on the held-out scores."""
        pooled = OutOfFoldScores(*(np.concatenate(part) for part in zip(*fold_scores, strict=True)))
        with suppress_misfit_warning():  # the warning is issued once below, not for each fold
            self.roc_ = self._roc(pooled, codes, weights)
            self.fold_thresholds_ = np.array([self._fold_threshold(fold, codes, weights) for fold in fold_scores])
        self.best_threshold_ = self._best(self.roc_)
        self.threshold_ = float(self.best_threshold_.threshold)
        refit: Any = getattr(self.roc_, "pair_fit", None)  # None for weights that are not integers
        fitted: Any = (self.roc_.negative, self.roc_.positive)
        if refit is not None and (message := fit_warning(self.family, fitted, (refit.negative, refit.positive))):
            warnings.warn(f"held-out scores: {message}", AssumptionWarning, stacklevel=3)

    def _roc(self, scores: OutOfFoldScores, codes: NDArray[np.intp], weights: FloatArray | None) -> Roc:
        options: dict[str, Any] = {"positive": 1, "weights": None if weights is None else weights[scores.rows]}
        if not self._is_fitted_family:
            return empirical_roc(scores.scores, codes[scores.rows], **options)
        if infinite := int(np.isinf(scores.scores).sum()):
            raise RocPredictError(
                f"estimator returned infinite scores for {infinite} of {len(scores.scores)} observations, but "
                f"family={short_repr(self.family)} needs finite scores; use response_method='predict_proba' or "
                "family='empirical'"
            )
        return predict_roc(scores.scores, codes[scores.rows], family=self.family, **options)

    def _fold_threshold(self, scores: OutOfFoldScores, codes: NDArray[np.intp], weights: FloatArray | None) -> float:
        try:
            return float(self._best(self._roc(scores, codes, weights)).threshold)
        except RocPredictError:  # for example, a single fold may lack a class
            return np.nan
