"""The scikit-learn estimators: scikit-learn's own checks, thresholds and selections by another route, bad input."""

import pickle
import subprocess
import sys

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from scipy import sparse, stats
from scipy.special import gammaln
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectFdr, SelectKBest
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.linear_model import RidgeClassifier
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import check_estimator

import rocpredict as rp
from rocpredict import AssumptionWarning, RocPredictError
from rocpredict.screening.columns import one_sided_p_value
from rocpredict.sklearn import RocSelector, ThresholdedClassifier, roc_score_func
from tests.cases import check_each, refusal, refuses

pytestmark = pytest.mark.extra("sklearn")
PIMA = rp.datasets.load_pima()
IRIS = rp.datasets.load_iris()
# decisions at probability 1/2 or at decision 0: TunedThresholdClassifierCV of scikit-learn fails this check too
AT_ONE_HALF = {"check_classifiers_train"}
NEEDS_SETTING = {"check_array_api_input"}  # skipped unless an environment variable is set


def two_clouds(n=200, seed=0, share=0.3):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(int)
    return rng.normal(size=(n, 3)) + y[:, None] * [1.0, 0.5, 0.0], y


# ---- ThresholdedClassifier
@pytest.mark.filterwarnings("ignore")  # the checks fit to odd tables
@pytest.mark.parametrize(
    ("estimator", "failing"),
    [
        (ThresholdedClassifier(GaussianNB(), family="gaussian"), set()),
        (ThresholdedClassifier(GaussianNB()), AT_ONE_HALF),
        (ThresholdedClassifier(RidgeClassifier(), cv=3, criterion="cost", cost_fn=2), set()),
        (RocSelector(), set()),
        (RocSelector(max_q=0.5, empirical=False, engine="numpy"), set()),
    ],
)
def test_scikit_learns_checks(estimator, failing):
    """All checks of ``parametrize_with_checks`` pass, except for the check of decisions at 1/2."""
    checks = check_estimator(estimator, on_fail=None, on_skip=None)
    assert len(checks) > 40
    assert {c["check_name"] for c in checks if c["status"] == "failed"} == failing
    assert {c["check_name"] for c in checks if c["status"] == "skipped"} <= NEEDS_SETTING


CRITERIA = [
    {},
    {"criterion": "youden"},
    {"criterion": "cost", "cost_fp": 1, "cost_fn": 5},
    {"criterion": "cost", "prevalence": 0.02, "cost_fn": 10},
    {"criterion": "accuracy"},
    {"criterion": "f1", "prevalence": 0.1},
    {"criterion": "f_beta", "beta": 2},
    {"criterion": "closest_topleft"},
    {"criterion": "min_tpr", "value": 0.9},
    {"criterion": "max_fpr", "value": 0.1},
]


@pytest.mark.parametrize("family", ["empirical", "gaussian"])
def test_threshold_is_the_best_for_the_cross_validated_scores(family):
    """Against scikit-learn's own cross_val_predict and this library's best_threshold; predictions follow it."""
    method, column = ("predict_proba", (slice(None), 1)) if family == "empirical" else ("decision_function", ...)
    scores = cross_val_predict(LinearDiscriminantAnalysis(), PIMA.X, PIMA.y, cv=5, method=method)[column]
    roc = rp.predict_roc(scores, PIMA.y, positive="pos", family=family)
    inside = LinearDiscriminantAnalysis().fit(PIMA.X, PIMA.y)
    final = getattr(inside, method)(PIMA.X)

    def check(options):
        classifier = ThresholdedClassifier(LinearDiscriminantAnalysis(), family=family, **options).fit(PIMA.X, PIMA.y)
        expected = roc.best_threshold(**options)
        assert classifier.response_method_ == method
        assert classifier.threshold_ == expected.threshold
        assert classifier.best_threshold_.criterion_value == expected.criterion_value
        predictions = np.where(final[column] >= expected.threshold, "pos", "neg")
        assert (classifier.predict(PIMA.X) == predictions).all()
        assert (getattr(classifier, method)(PIMA.X) == final).all()
        classifier.threshold_ = final[column][0]  # a score equal to the threshold is called positive
        assert classifier.predict(PIMA.X[:1]).tolist() == ["pos"]

    check_each({str(options): options for options in CRITERIA}, check)


def test_scores_that_are_not_normal_give_one_warning():
    """For all folds together, at the caller of ``fit``; for no other family, and not for one odd fold."""
    X, y = two_clouds(400, seed=1)
    X = np.exp(1.5 * X)
    with pytest.warns(AssumptionWarning, match="^held-out scores: the .* class is skewed") as warned:
        fitted = ThresholdedClassifier(LinearDiscriminantAnalysis(), family="gaussian").fit(X, y)
    assert [(one.filename, one.category) for one in warned] == [(__file__, AssumptionWarning)]
    assert np.isfinite(fitted.fold_thresholds_).all()
    copy = pickle.loads(pickle.dumps(fitted))
    intervals = [tuple(one.roc_.auc_interval(method="bootstrap", n_resamples=20)) for one in (copy, fitted)]
    assert intervals[0] == intervals[1]
    ThresholdedClassifier(LinearDiscriminantAnalysis(), family="boxcox").fit(X, y)
    ThresholdedClassifier(LinearDiscriminantAnalysis(), family="gaussian").fit(PIMA.X, PIMA.y)
    weights = np.where(y == 1, 0.5, 1.5)  # no sample whose normality could be tested
    weighed = ThresholdedClassifier(GaussianNB(), family="gaussian").fit(X, y, sample_weight=weights)
    assert weighed.roc_.pair_fit is None


def test_the_threshold_is_optimal_and_has_an_interval():
    """No other score has a higher Ameans; the interval contains it, the corrected Ameans is lower, the folds differ."""
    X, y = two_clouds(seed=3)
    scores = cross_val_predict(GaussianNB(), X, y, cv=5, method="predict_proba")[:, 1]
    classifier = ThresholdedClassifier(GaussianNB()).fit(X, y)
    best = classifier.best_threshold_
    tried = [*np.unique(scores), *np.linspace(scores.min(), scores.max(), 100)]
    assert best.ameans == pytest.approx(max(balanced_accuracy_score(y, scores >= t) for t in tried), abs=1e-15)
    interval = best.threshold_interval(n_resamples=200)
    assert interval.low < classifier.threshold_ < interval.high
    assert 0.5 < best.ameans_corrected < best.ameans
    assert classifier.fold_thresholds_.shape == (5,)
    assert np.ptp(classifier.fold_thresholds_) > 0
    assert classifier.roc_.count == (np.sum(y == 0), np.sum(y == 1))
    function = ThresholdedClassifier(GaussianNB(), cv=4, criterion=lambda rates: rates.tpr - 2 * rates.fpr).fit(X, y)
    assert function.best_threshold_.fpr < best.fpr
    assert function.fold_thresholds_.shape == (4,)


def test_either_label_may_be_the_positive_one():
    """With exchanged labels scores, rates and the limit of the criterion are those of the other class."""
    X, y = two_clouds()
    words = np.array(["b", "a"])[y]  # the positives come first in the order of the labels
    for inside, method in ((GaussianNB(), "auto"), (GaussianNB(), "log_odds"), (RidgeClassifier(), "auto")):
        options = {"criterion": "min_tpr", "value": 0.95, "response_method": method}
        number = ThresholdedClassifier(inside, **options).fit(X, y)
        word = ThresholdedClassifier(inside, positive="a", **options).fit(X, words)
        assert word.positive_ == "a"
        assert word.threshold_ == pytest.approx(number.threshold_, abs=1e-12)
        assert ((word.predict(X) == "a") == (number.predict(X) == 1)).all()
        other = ThresholdedClassifier(inside, **options).fit(X, words)
        assert other.positive_ == "b"
        assert other.best_threshold_.tpr >= 0.95


def test_log_odds_keep_the_order_of_probabilities_that_round_to_one():
    """Two clouds 40 SDs apart: probabilities tie at 1, log odds do not; both separate."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 1)) + 40 * (np.arange(60) % 2)[:, None], np.arange(60) % 2
    plain, odds = (
        ThresholdedClassifier(GaussianNB(), response_method=m).fit(X, y) for m in ("predict_proba", "log_odds")
    )
    distinct = [len(c.roc_.curve().to_dict()["thresholds"]) - 1 for c in (plain, odds)]
    assert distinct[0] < 15
    assert distinct[1] == 60
    assert (plain.predict(X) == y).all()
    assert (odds.predict(X) == y).all()


def test_a_fitted_classifier():
    """cv="prefit" and FrozenEstimator: all rows choose the threshold, whole weights too; the model is not changed."""
    (X, y), (X_new, y_new) = two_clouds(seed=1), two_clouds(seed=2)
    inside = GaussianNB().fit(X, y)
    expected = rp.empirical_roc(inside.predict_proba(X_new)[:, 1], y_new).best_threshold().threshold
    prefit = ThresholdedClassifier(inside, cv="prefit").fit(X_new, y_new)
    assert prefit.estimator_ is inside
    assert prefit.threshold_ == expected
    assert ThresholdedClassifier(FrozenEstimator(inside)).fit(X_new, y_new).threshold_ == expected
    assert (inside.theta_ == GaussianNB().fit(X, y).theta_).all()
    times = np.random.default_rng(0).integers(0, 4, len(y))
    weighed, repeated = (ThresholdedClassifier(inside, cv="prefit", criterion="f1") for _ in range(2))
    weighed.fit(X, y, sample_weight=times)
    repeated.fit(X.repeat(times, 0), y.repeat(times))
    assert weighed.threshold_ == repeated.threshold_
    assert weighed.best_threshold_.criterion_value == pytest.approx(repeated.best_threshold_.criterion_value, abs=1e-15)


def test_splitters():
    """One test set, shuffled folds, groups as an iterable or a mask, kernel matrices: each as scikit-learn splits."""
    X, y = two_clouds()
    groups = np.arange(len(y)) % 7
    once = ThresholdedClassifier(GaussianNB(), cv=0.25, random_state=0).fit(X, y)
    assert sum(once.roc_.count) == len(y) / 4
    shuffled = StratifiedKFold(5, shuffle=True, random_state=1)
    grouped, masks = list(GroupKFold(3).split(X, y, groups)), [(groups < 4, groups >= 4), (groups >= 4, groups < 4)]
    ways = [
        (ThresholdedClassifier(GaussianNB(), random_state=1), shuffled.split(X, y)),
        (ThresholdedClassifier(GaussianNB(), cv=shuffled), shuffled.split(X, y)),
        (ThresholdedClassifier(GaussianNB(), cv=grouped), grouped),
        (ThresholdedClassifier(GaussianNB(), cv=masks), masks),
    ]
    for classifier, splits in ways:
        scores = np.empty(len(y))
        for train, test in splits:
            scores[test] = GaussianNB().fit(X[train], y[train]).predict_proba(X[test])[:, 1]
        assert classifier.fit(X, y).threshold_ == rp.empirical_roc(scores, y).best_threshold().threshold
    with joblib.parallel_config(backend="threading"):  # processes would take seconds to start
        one, two = (ThresholdedClassifier(GaussianNB(), n_jobs=n).fit(X, y) for n in (1, 2))
    assert one.threshold_ == two.threshold_
    X, y = two_clouds(80)
    table = ThresholdedClassifier(SVC(kernel="linear")).fit(X, y)
    kernel = ThresholdedClassifier(SVC(kernel="precomputed")).fit(X @ X.T, y)
    assert kernel.response_method_ == "decision_function"
    assert kernel.threshold_ == pytest.approx(table.threshold_, abs=1e-9)


def test_weights_reach_the_classifier():
    """By metadata routing, with groups for the splitter, or a pipeline; a warning if it accepts no weights."""
    X, y = two_clouds()
    weights, groups = np.random.default_rng(0).integers(1, 4, len(y)).astype(float), np.arange(len(y)) % 7
    with sklearn.config_context(enable_metadata_routing=True):
        inside = GaussianNB().set_fit_request(sample_weight=True)
        routed = ThresholdedClassifier(inside, cv=GroupKFold(3)).fit(X, y, sample_weight=weights, groups=groups)
    splits = list(GroupKFold(3).split(X, y, groups))
    plain = ThresholdedClassifier(GaussianNB(), cv=splits).fit(X, y, sample_weight=weights)
    assert routed.threshold_ == plain.threshold_
    assert (routed.estimator_.theta_ == GaussianNB().fit(X, y, weights).theta_).all()
    with pytest.warns(AssumptionWarning, match="KNeighborsClassifier does not accept sample_weight"):
        weighed = ThresholdedClassifier(KNeighborsClassifier()).fit(X, y, sample_weight=weights)
    assert weighed.roc_.count == pytest.approx((weights[y == 0].sum(), weights[y == 1].sum()))
    pipeline = make_pipeline(StandardScaler(), GaussianNB())
    passed = ThresholdedClassifier(pipeline).fit(X, y, sample_weight=weights, gaussiannb__sample_weight=weights)
    assert passed.estimator_[-1].class_prior_[1] == pytest.approx(weights[y == 1].sum() / weights.sum())


def test_uninformative_scores():
    """Constant scores: a flag, and one prediction for all rows; no error, no NaN."""
    X, y = two_clouds()
    classifier = ThresholdedClassifier(DummyClassifier(), criterion="accuracy").fit(X, y)
    assert "always_negative" in classifier.best_threshold_.flags
    assert classifier.threshold_ == np.inf
    assert (classifier.predict(X) == 0).all()
    tree = ThresholdedClassifier(DecisionTreeClassifier(random_state=0), response_method="log_odds").fit(X, y)
    tree.threshold_ = np.inf  # no row is positive, not even one with a score of +inf
    assert (tree.predict(X) == 0).all()
    assert "no_benefit" in ThresholdedClassifier(DummyClassifier()).fit(X, y).best_threshold_.flags


def test_scikit_learns_tools():
    X, y = two_clouds()
    grid = {"criterion": ["ameans", "f1"], "estimator__var_smoothing": [1e-9, 1e-2]}
    searched = GridSearchCV(ThresholdedClassifier(GaussianNB()), grid, scoring="balanced_accuracy", cv=3).fit(X, y)
    assert searched.best_score_ > 0.6
    fitted = ThresholdedClassifier(GaussianNB()).fit(PIMA.to_frame().iloc[:, :8], PIMA.y)
    assert fitted.feature_names_in_.tolist() == list(PIMA.feature_names)
    copy = pickle.loads(pickle.dumps(fitted))
    assert (copy.predict(PIMA.to_frame().iloc[:, :8]) == fitted.predict(PIMA.to_frame().iloc[:, :8])).all()
    intervals = [c.best_threshold_.threshold_interval(n_resamples=50).to_dict() for c in (copy, fitted)]
    assert intervals[0] == intervals[1]
    assert clone(fitted).get_params()["estimator__var_smoothing"] == 1e-9
    dense = ThresholdedClassifier(RidgeClassifier(solver="sparse_cg", tol=1e-10)).fit(X, y)
    thin = clone(dense).fit(sparse.csr_array(X), y)
    assert thin.threshold_ == pytest.approx(dense.threshold_, abs=1e-6)
    holes = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
    assert ThresholdedClassifier(make_pipeline(SimpleImputer(), GaussianNB())).fit(holes, y).score(holes, y) > 0.6
    assert not hasattr(dense, "predict_proba")
    assert not hasattr(ThresholdedClassifier(GaussianNB()), "decision_function")
    assert hasattr(ThresholdedClassifier(GaussianNB()), "predict_log_proba")


REFUSED = {
    "criterion='best' is not allowed": {"criterion": "best"},
    "needs value=": {"criterion": "min_tpr"},
    "value=90.*outside": {"criterion": "min_tpr", "value": 90},
    "does not accept prevalence=": {"prevalence": 0.1},
    "does not accept costs": {"cost_fp": 2},
    "family='normal' is not available": {"family": "normal"},
    "family='gamma' needs values above 0": {"family": "gamma"},
    r"positive='sick' is not a label in y; labels are \[0, 1\]": {"positive": "sick"},
    "response_method='predict' is not allowed": {"response_method": "predict"},
    "GaussianNB has no method decision_function": {"response_method": "decision_function"},
    "cv= holds out row 0 in 3 folds": {"cv": RepeatedStratifiedKFold(n_splits=2, n_repeats=3)},
}
REFUSED_LABELS = {
    "the training data of fold 0 contain only one class": ({"cv": KFold(2)}, [0] * 20 + [1] * 20),
    r"y has only one class, \[1\]": ({}, [1] * 40),
    "Only binary classification is supported. The type of the target is multiclass": ({}, [0, 1, 2, 3] * 10),
}


def test_arguments_that_the_classifier_refuses():
    X = np.random.default_rng(0).normal(size=(40, 2))
    cases = {words: (options, [0, 1] * 20) for words, options in REFUSED.items()} | REFUSED_LABELS
    for words, (options, y) in cases.items():
        refuses(words, ThresholdedClassifier(GaussianNB(), **options).fit, X, y)


def test_weights_scores_and_models_that_the_classifier_refuses():
    X, y = two_clouds(40)
    for weights, words in [(-np.ones(40), "is negative"), (np.ones(3), "shape"), (y, "zero .* negative class")]:
        refuses(f"sample_weight.*{words}", ThresholdedClassifier(GaussianNB()).fit, X, y, sample_weight=weights)
    inside = GaussianNB().fit(X, y)
    with pytest.raises(RocPredictError, match=r"estimator has the classes \[0, 1\].*including 'b'"):
        ThresholdedClassifier(inside, cv="prefit").fit(X, np.array(["a", "b"])[y])
    with pytest.raises(RocPredictError, match=r"labels \[1, 2\], but the fitted estimator has the classes \[0, 1\]"):
        ThresholdedClassifier(inside, cv="prefit", positive=1).fit(X, 2 - y)
    infinite = ThresholdedClassifier(DecisionTreeClassifier(random_state=0), family="gaussian")
    refuses(r"estimator returned infinite scores for 40 of 40 obs.*'predict_proba'", infinite.fit, X, y)
    with pytest.raises(NotFittedError, match="GaussianNB"):
        ThresholdedClassifier(GaussianNB(), cv="prefit").fit(X, y)

    class Broken(GaussianNB):
        def predict_proba(self, X):
            return np.full((len(X), 2), np.nan)

    refuses("estimator returned NaN from predict_proba for 8 of 8", lambda: ThresholdedClassifier(Broken()).fit(X, y))


# ---- scores
def best_of_class_pairs(X, y, *, pairs="rest"):
    """Signed AUC and Bonferroni's p of each feature's best class pair, by scipy, one by one."""
    labels = np.unique(y)
    class_pairs = [(y == k, y != k) for k in labels[-1:] if len(labels) == 2] or [
        *([(y == k, y != k) for k in labels] if pairs == "rest" else []),
        *([(y == b, y == a) for i, a in enumerate(labels) for b in labels[i + 1 :]] if pairs == "all" else []),
    ]
    auc, p = np.empty((2, len(class_pairs), X.shape[1]))
    for k, (positive, negative) in enumerate(class_pairs):
        tests = stats.mannwhitneyu(X[positive], X[negative], use_continuity=False, method="asymptotic")
        auc[k], p[k] = tests.statistic / positive.sum() / negative.sum(), tests.pvalue
    best = np.abs(auc - 0.5).argmax(axis=0), np.arange(X.shape[1])
    return auc[best], np.minimum(1, p[best] * len(class_pairs))


def test_score_function_is_mann_whitneys():
    """Two and three classes, ties throughout, against scipy; the best class pair's p is multiplied by their number."""
    for data in (PIMA, IRIS):
        auc, p = best_of_class_pairs(data.X, data.y)
        scores, p_values = roc_score_func(data.X, data.y)
        assert scores == pytest.approx(np.abs(auc - 0.5), abs=1e-12)
        assert p_values == pytest.approx(p, rel=1e-9)
        best = SelectKBest(roc_score_func, k=2).fit(data.X, data.y).get_support(indices=True)
        assert set(best) == set(np.argsort(np.abs(auc - 0.5))[-2:])
        chosen = SelectFdr(roc_score_func, alpha=0.01).fit(data.X, data.y).get_support()
        assert (chosen == (stats.false_discovery_control(p) <= 0.01)).all()
    # 2,000 uninformative features, three classes: p is 0.05 or less for 5% at most (false failure: 1e-5)
    _, p_values = roc_score_func(np.random.default_rng(0).normal(size=(60, 2000)), np.arange(60) % 3)
    assert 0 < np.sum(p_values <= 0.05) <= stats.binom(2000, 0.05).isf(1e-5)


# ---- RocSelector
def test_selection_by_rank_by_area_and_by_false_discovery_rate():
    """Each limit, and all together, against scipy's AUCs and p-values; limits may change without a new fit."""

    def check(case):
        data, pairs = case
        auc, p = best_of_class_pairs(data.X, data.y, pairs=pairs)
        strength, q = np.abs(auc - 0.5), stats.false_discovery_control(p)
        selector = RocSelector(k=2, pairs=pairs).fit(data.X, data.y)
        assert selector.auc_ == pytest.approx(auc, abs=1e-12)
        assert selector.scores_ == pytest.approx(strength, abs=1e-12)
        assert selector.pvalues_ == pytest.approx(p, rel=1e-9)
        assert selector.qvalues_ == pytest.approx(q, rel=1e-9)
        first_two = np.lexsort((-strength, p))[:2]
        assert set(selector.get_support(indices=True)) == set(first_two)
        limit = np.median(strength) + 0.5
        selector.set_params(k=None, min_auc=limit)
        assert (selector.get_support() == (strength + 0.5 >= limit)).all()
        assert (selector.set_params(min_auc=1.0).get_support() == (strength == 0.5)).all()
        selector.set_params(min_auc=None, max_q=1e-8)
        assert (selector.get_support() == (q <= 1e-8)).all()
        selector.set_params(k=1, min_auc=limit)
        assert set(selector.get_support(indices=True)) == set(first_two[:1])

    data = {"pima": PIMA, "iris": IRIS}
    check_each({f"{name} {pairs}": (data[name], pairs) for name in data for pairs in ("rest", "all")}, check)


def test_frames_are_transformed_to_frames():
    chosen = ["glucose", "mass", "age"]
    for backend in ("pandas", "polars"):
        frame = PIMA.to_frame(backend)[list(PIMA.feature_names)]
        selector = RocSelector(k=3).set_output(transform=backend)
        result = selector.fit_transform(frame, PIMA.y)
        assert type(result) is type(frame)
        assert list(result.columns) == chosen == selector.get_feature_names_out().tolist()
    table = selector.screening_.in_input_order()
    assert table["feature"].tolist() == list(PIMA.feature_names)
    assert selector.auc_ == pytest.approx(table["empirical_auc"], abs=0)
    assert selector.qvalues_ == pytest.approx(table["q_value"], rel=1e-12)
    inverse = RocSelector(k=3).fit(PIMA.X, PIMA.y).inverse_transform(PIMA.X[:2, [1, 5, 7]])
    assert (inverse[:, [0, 2, 3, 4, 6]] == 0).all()
    predicted = RocSelector(k=3, empirical=False).fit(PIMA.X, PIMA.y)
    assert predicted.auc_ == pytest.approx(predicted.screening_.in_input_order()["auc"], abs=0)


def test_the_form_of_the_table_changes_nothing():
    """Sparse, Fortran order, float32: the same scores; a sparse table is transformed to a sparse one."""
    rng = np.random.default_rng(0)
    X, y = rng.poisson(0.3, size=(80, 30)).astype(float), np.arange(80) % 3
    plain = RocSelector(k=4).fit(X, y)
    for form in (sparse.csr_array, sparse.csc_array, sparse.csr_matrix, np.asfortranarray, np.float32):
        selector = RocSelector(k=4).fit(form(X), y)
        assert selector.scores_ == pytest.approx(plain.scores_, abs=1e-12)
        result = selector.transform(form(X))
        assert result.shape == (80, 4)
        assert sparse.issparse(result) == sparse.issparse(form(X))


def test_missing_values_and_uninformative_features():
    """NaN is left out by feature; constant features have 1/2, empty ones are never kept; of equals the first."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    signal = rng.normal(size=60) + 2 * y
    holes = np.where(np.arange(60) < 10, np.nan, signal)
    X = np.column_stack([np.ones(60), np.full(60, np.nan), holes, signal, -signal])
    selector = RocSelector(k=4).fit(X, y)
    assert selector.auc_[0] == 0.5
    assert np.isnan(selector.scores_[1])
    assert selector.auc_[2] == pytest.approx(rp.empirical_roc(signal[10:], y[10:]).auc(), abs=1e-15)
    assert selector.get_support().tolist() == [True, False, True, True, True]
    assert selector.set_params(k=1).get_support(indices=True).tolist() in ([2], [3])
    equals = RocSelector(k=1).fit(X[:, [0, 3, 4]], y)
    assert equals.get_support(indices=True).tolist() == [1]
    assert RocSelector(k=1, direction="lower").fit(X[:, [0, 3, 4]], y).get_support(indices=True).tolist() == [2]
    few = np.where(np.arange(60) < 4, y, np.nan)  # perfect separation of 4 rows
    selector = RocSelector(k=1, max_q=0.01).fit(np.column_stack([few, signal]), y)
    assert selector.scores_[0] == 0.5
    assert selector.get_support().tolist() == [False, True]
    assert RocSelector(direction="higher").fit(X, y).get_support().tolist() == [False, False, True, True, False]
    X = rng.normal(size=(60, 12))
    with pytest.warns(UserWarning, match="No features were selected"):
        assert RocSelector(min_auc=0.99).fit_transform(X, y).shape == (60, 0)
    with pytest.warns(UserWarning, match="k=13 is larger than the number of features of X, 12"):
        assert RocSelector(k=13).fit(X, y).get_support().all()
    assert RocSelector().fit(X, y).get_support().sum() == 10
    X, rare = rng.normal(size=(203, 50)), np.repeat([0, 1, 2], [100, 100, 3])
    X[:100, :5] += 1  # these separate the two large classes, whatever the 3 rows are
    assert RocSelector(k=5).fit(X, rare).get_support()[:5].all()


def test_a_direction():
    """The class pair of each feature that is furthest in the direction, by empirical_roc; q is adjusted for one side.

    500 features far in the other direction and 5,000 null ones: hardly any of these is selected. Two-sided q over both
    directions selected about 8; Benjamini and Hochberg's select any of the null ones in 5 of 100 samples.
    """
    areas = [[rp.empirical_roc(x, IRIS.y, positive=name).auc() for name in np.unique(IRIS.y)] for x in IRIS.X.T]
    for direction, extreme in (("higher", np.max), ("lower", np.min)):
        selector = RocSelector(k=1, direction=direction).fit(IRIS.X, IRIS.y)
        assert selector.auc_ == pytest.approx(extreme(areas, axis=1), abs=1e-15)
    X = np.random.default_rng(3).normal(size=(60, 5500))
    X[30:, :500] -= 1.5
    selector = RocSelector(max_q=0.05, direction="higher").fit(X, np.repeat([0, 1], 30))
    assert selector.get_support().sum() <= 2


@pytest.mark.parametrize("sizes", [(30, 6), (6, 30), (9, 11), (3, 200)])
def test_one_sided_p_values_of_rare_binary_features_are_fishers(sizes):
    """All tables with two values: exact below an expected count of 5, half of the two-sided p-value otherwise."""
    counts = [(a, b) for a in range(sizes[0] + 1) for b in range(sizes[1] + 1) if 0 < a + b < sum(sizes)]
    X = np.array([np.repeat([1.0, 0, 1, 0], [a, sizes[0] - a, b, sizes[1] - b]) for a, b in counts]).T
    y, total = np.repeat([0, 1], sizes), sum(sizes)
    for matrix in (X, sparse.csr_matrix(X)):
        for direction, side in (("higher", "greater"), ("lower", "less")):
            p_values = RocSelector(direction=direction).fit(matrix, y).pvalues_
            for (a, b), p in zip(counts, p_values, strict=True):
                expected = min(a + b, total - a - b) * min(sizes) / total
                if expected < 5 - 1e-9:
                    table = [[b, sizes[1] - b], [a, sizes[0] - a]]
                    assert p == pytest.approx(stats.fisher_exact(table, side).pvalue, rel=1e-9), (a, b)


def test_one_sided_p_values_keep_their_digits_and_class_pairs():
    """The tail of 40 of 40 among 60,000 has the probability of one table; other labels and NaN do not count."""
    positive, negative = np.ones((40, 1)), np.zeros((60_000, 1))
    p = one_sided_p_value(negative, positive, 1)[0]
    assert p == pytest.approx(np.exp(-(gammaln(60_041) - gammaln(41) - gammaln(60_001))), rel=1e-9)
    assert p < 1e-140
    assert one_sided_p_value(negative, positive, -1)[0] == 1
    labels = np.repeat(["a", "b", "rest"], [40, 60, 50])
    x = np.zeros(150)
    x[[0, 1, 2, 45, 120]] = 1
    x[[10, 60]] = np.nan
    for pairs, tables in (
        ("rest", [[[3, 36], [2, 107]], [[1, 58], [4, 85]], [[1, 49], [4, 94]]]),
        ("all", [[[1, 58], [3, 36]], [[1, 49], [3, 36]], [[1, 49], [1, 58]]]),
    ):
        expected = 3 * min(stats.fisher_exact(table, "greater").pvalue for table in tables)
        selector = RocSelector(k=1, direction="higher", pairs=pairs).fit(x[:, None], labels)
        assert selector.pvalues_[0] == pytest.approx(min(expected, 1), rel=1e-9)


def test_features_are_selected_in_each_fold():
    """In a pipeline uninformative features have an Ameans of about 1/2 (false failure: below 1e-4)."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(100, 500)), np.arange(100) % 2
    inside = make_pipeline(RocSelector(k=10), ThresholdedClassifier(GaussianNB(), cv=3))
    ameans = cross_val_score(inside, X, y, scoring="balanced_accuracy", cv=4).mean()
    assert abs(ameans - 0.5) < 0.2  # 4 SDs of 100 coins
    chosen_before = RocSelector(k=10).fit_transform(X, y)
    assert cross_val_score(GaussianNB(), chosen_before, y, scoring="balanced_accuracy", cv=4).mean() > 0.7


def test_arguments_that_the_selector_refuses():
    for words, options in {
        "k=0 is below 1": {"k": 0},
        "k=2.5 is not an integer": {"k": 2.5},
        "min_auc=0.3 is below 1/2": {"min_auc": 0.3},
        "min_auc=80 is outside": {"min_auc": 80},
        "max_q=5 is outside": {"max_q": 5},
        "direction='up' is not allowed": {"direction": "up"},
        "pairs='each' is not allowed": {"pairs": "each"},
        "empirical='top' is not allowed": {"empirical": "top"},
        "engine='fortran' is not allowed": {"engine": "fortran"},
    }.items():
        refuses(words, RocSelector(**options).fit, PIMA.X, PIMA.y)


def test_text_is_named_with_its_column():
    """Frames, arrays and lists; text that is a number is accepted, as scikit-learn does."""
    y, numbers = [0, 0, 1, 1], [1.0, 2.0, 3.0, 5.0]
    for cell, words in {
        "1.100,5": "column 'b' of X contains '1.100,5', which is not a number (write a decimal point, no thousands "
        "separator and no unit); select the numeric columns, or encode this column as numbers",
        "7%": "column 'b' of X contains '7%', which is not a number (write",
        "site": "column 'b' of X contains 'site', which is not a number; select the numeric columns",
    }.items():
        columns = {"a": numbers, "b": [cell] * 4}
        for frame in (pd.DataFrame(columns), pl.DataFrame(columns)):
            assert words in refusal(RocSelector().fit, frame, y)
        rows = [list(row) for row in zip(*columns.values(), strict=True)]
        for table in (rows, np.array(rows), np.array(rows, dtype=object)):
            assert words.replace("'b'", "'x1'") in refusal(RocSelector().fit, table, y)
    dates = pd.DataFrame({"a": numbers, "day": pd.to_datetime(["2024-03-01"] * 4)})
    refuses("column 'day' of X contains .*, which is not a number; select", RocSelector().fit, dates, y)
    selector = RocSelector().fit(np.array([["1", "2.5"]] * 2 + [["3", "1e2"]] * 2, dtype=object), y)
    assert selector.auc_.tolist() == [1, 1]


# ---- the package
def test_without_scikit_learn_the_message_names_the_command():
    code = "import sys, rocpredict; assert 'sklearn' not in sys.modules; sys.modules['sklearn'] = None; "
    command = [sys.executable, "-c", code + "import rocpredict.sklearn"]
    run = subprocess.run(command, check=False, capture_output=True, text=True)
    message = "MissingExtraError: rocpredict.sklearn needs scikit-learn 1.7 or later: pip install 'rocpredict[sklearn]'"
    assert run.stderr.strip().endswith(message)
