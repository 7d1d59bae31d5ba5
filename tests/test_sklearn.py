"""The scikit-learn side: scikit-learn's own checks, every threshold and selection by another route, bad input."""

import pickle
import subprocess
import sys

import joblib
import numpy as np
import pytest
import sklearn
from scipy import sparse, stats
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
    TunedThresholdClassifierCV,
    cross_val_predict,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import check_classifiers_train, check_estimator

import rocpredict as rp
from rocpredict import AssumptionWarning, RocPredictError
from rocpredict.sklearn import RocSelector, ThresholdedClassifier, roc_score_func

PIMA = rp.datasets.load_pima()
IRIS = rp.datasets.load_iris()
AT_ONE_HALF = {"check_classifiers_train"}
"""The check that every classifier decides at probability 1/2 or decision 0: what choosing a threshold changes."""
NEEDS_SETTING = {"check_array_api_input"}
"""A check that scikit-learn skips unless an environment variable is set."""


def two_clouds(n=200, seed=0, share=0.3):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(int)
    return rng.normal(size=(n, 3)) + y[:, None] * [1.0, 0.5, 0.0], y


# ---- ThresholdedClassifier
@pytest.mark.filterwarnings("ignore")  # of the checks themselves, which fit to odd tables on purpose
@pytest.mark.parametrize(
    ("classifier", "failing"),
    [
        (ThresholdedClassifier(GaussianNB(), family="gaussian"), set()),
        (ThresholdedClassifier(GaussianNB()), AT_ONE_HALF),
        (ThresholdedClassifier(RidgeClassifier(), cv=3, criterion="cost", cost_fn=2), set()),
    ],
)
def test_scikit_learns_checks_of_the_classifier(classifier, failing):
    """All that ``parametrize_with_checks`` would run passes, but for the check of decisions at 1/2."""
    found = check_estimator(classifier, on_fail=None, on_skip=None)
    assert len(found) > 40
    assert {c["check_name"] for c in found if c["status"] == "failed"} == failing
    assert {c["check_name"] for c in found if c["status"] == "skipped"} <= NEEDS_SETTING


def test_what_fails_fails_for_scikit_learns_own_too():
    """Its TunedThresholdClassifierCV does not pass that check either: no peculiarity of ours."""
    with pytest.raises(AssertionError, match="Mismatched elements"):
        check_classifiers_train("tuned", TunedThresholdClassifierCV(RidgeClassifier(), cv=3))


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


@pytest.mark.parametrize("options", CRITERIA)
@pytest.mark.parametrize("family", ["empirical", "gaussian"])
def test_threshold_is_the_best_of_the_scores_held_out(options, family):
    """By scikit-learn's own cross_val_predict and this library's best_threshold; predictions follow it."""
    classifier = ThresholdedClassifier(LinearDiscriminantAnalysis(), family=family, **options).fit(PIMA.X, PIMA.y)
    method = "predict_proba" if family == "empirical" else "decision_function"
    scores = cross_val_predict(LinearDiscriminantAnalysis(), PIMA.X, PIMA.y, cv=5, method=method)
    scores = scores[:, 1] if family == "empirical" else scores
    expected = rp.predict_roc(scores, PIMA.y, positive="pos", family=family).best_threshold(**options)
    assert classifier.response_method_ == method
    assert classifier.threshold_ == expected.threshold
    assert classifier.best_threshold_.criterion_value == expected.criterion_value
    inside = LinearDiscriminantAnalysis().fit(PIMA.X, PIMA.y)
    final = getattr(inside, method)(PIMA.X)
    final = final[:, 1] if family == "empirical" else final
    assert (classifier.predict(PIMA.X) == np.where(final >= expected.threshold, "pos", "neg")).all()
    assert (getattr(classifier, method)(PIMA.X) == getattr(inside, method)(PIMA.X)).all()
    classifier.threshold_ = final[0]  # a score that is the threshold is called positive
    assert classifier.predict(PIMA.X[:1]).tolist() == ["pos"]


def test_scores_that_are_not_normal_are_told_once():
    """Of all folds together, to the caller of ``fit``; of no other family, and not where only one fold is odd."""
    X, y = two_clouds(400, seed=1)
    X = np.exp(1.5 * X)
    with pytest.warns(AssumptionWarning, match="^of the scores held out, the .* class is skewed") as told:
        fitted = ThresholdedClassifier(LinearDiscriminantAnalysis(), family="gaussian").fit(X, y)
    assert [(one.filename, one.category) for one in told] == [(__file__, AssumptionWarning)]
    assert np.isfinite(fitted.fold_thresholds_).all()
    again = pickle.loads(pickle.dumps(fitted))
    ends = [tuple(one.roc_.auc_interval(method="bootstrap", n_resamples=20)) for one in (again, fitted)]
    assert ends[0] == ends[1]
    ThresholdedClassifier(LinearDiscriminantAnalysis(), family="boxcox").fit(X, y)
    ThresholdedClassifier(LinearDiscriminantAnalysis(), family="gaussian").fit(PIMA.X, PIMA.y)


def test_weights_that_are_not_whole_are_no_sample_to_doubt():
    X, y = two_clouds(400, seed=1)
    weights = np.where(y == 1, 0.5, 1.5)
    fitted = ThresholdedClassifier(GaussianNB(), family="gaussian").fit(np.exp(2 * X), y, sample_weight=weights)
    assert fitted.roc_.pair_fit is None


def test_no_threshold_does_better_on_the_scores_held_out():
    """Every distinct score tried as a threshold: none has a higher Ameans; a grid of 100 is no better either."""
    X, y = two_clouds(seed=3)
    scores = cross_val_predict(GaussianNB(), X, y, cv=5, method="predict_proba")[:, 1]
    best = ThresholdedClassifier(GaussianNB()).fit(X, y).best_threshold_.ameans
    tried = [*np.unique(scores), *np.linspace(scores.min(), scores.max(), 100)]
    assert best == pytest.approx(max(balanced_accuracy_score(y, scores >= t) for t in tried), abs=1e-15)


def test_a_criterion_may_be_a_function():
    """A function of rates is taken as best_threshold takes it."""
    classifier = ThresholdedClassifier(GaussianNB(), criterion=lambda rates: rates.tpr - 2 * rates.fpr)
    X, y = two_clouds()
    assert classifier.fit(X, y).best_threshold_.fpr < ThresholdedClassifier(GaussianNB()).fit(X, y).best_threshold_.fpr


def test_the_threshold_says_how_sure_it_is():
    """Its interval holds it, and its Ameans beyond these rows is below that on them; folds show their spread."""
    X, y = two_clouds()
    classifier = ThresholdedClassifier(GaussianNB(), cv=4).fit(X, y)
    best = classifier.best_threshold_
    interval = best.threshold_interval(n_resamples=200)
    assert interval.low < classifier.threshold_ < interval.high
    assert 0.5 < best.ameans_corrected < best.ameans
    assert classifier.fold_thresholds_.shape == (4,)
    assert np.ptp(classifier.fold_thresholds_) > 0
    assert classifier.roc_.count == (np.sum(y == 0), np.sum(y == 1))


@pytest.mark.parametrize(
    ("inside", "method"), [(GaussianNB(), "auto"), (GaussianNB(), "log_odds"), (RidgeClassifier(), "auto")]
)
def test_either_label_may_be_the_positive_one(inside, method):
    """Turned round, scores, rates and the limit of the criterion are those of the other class."""
    X, y = two_clouds()
    words = np.array(["b", "a"])[y]  # the positives come first in the order of the labels
    options = {"criterion": "min_tpr", "value": 0.95, "response_method": method}
    number, word = (
        ThresholdedClassifier(inside, **options).fit(X, y),
        ThresholdedClassifier(inside, positive="a", **options).fit(X, words),
    )
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


def test_fitted_already():
    """cv="prefit" and FrozenEstimator: all rows choose the threshold for the model as it is, which stays as it is."""
    (X, y), (X_new, y_new) = two_clouds(seed=1), two_clouds(seed=2)
    inside = GaussianNB().fit(X, y)
    expected = rp.empirical_roc(inside.predict_proba(X_new)[:, 1], y_new).best_threshold().threshold
    prefit = ThresholdedClassifier(inside, cv="prefit").fit(X_new, y_new)
    assert prefit.estimator_ is inside
    assert prefit.threshold_ == expected
    assert ThresholdedClassifier(FrozenEstimator(inside)).fit(X_new, y_new).threshold_ == expected
    assert (inside.theta_ == GaussianNB().fit(X, y).theta_).all()


def test_weights_of_rows_that_choose_equal_repeated_rows():
    """Whole weights, zero among them, for a model that is fitted already: the same threshold and curve."""
    X, y = two_clouds(seed=1)
    times = np.random.default_rng(0).integers(0, 4, len(y))
    inside = GaussianNB().fit(X, y)
    weighed = ThresholdedClassifier(inside, cv="prefit", criterion="f1").fit(X, y, sample_weight=times)
    repeated = ThresholdedClassifier(inside, cv="prefit", criterion="f1").fit(X.repeat(times, 0), y.repeat(times))
    assert weighed.threshold_ == repeated.threshold_
    assert weighed.best_threshold_.criterion_value == pytest.approx(repeated.best_threshold_.criterion_value, abs=1e-15)


def test_ways_to_cut_the_rows():
    """A share held out once, shuffled folds, groups as an iterable or a mask: each as scikit-learn cuts."""
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


def test_kernel_matrices_are_cut_on_both_sides():
    """A precomputed kernel: the same threshold as from the table itself."""
    X, y = two_clouds(80)
    table = ThresholdedClassifier(SVC(kernel="linear")).fit(X, y)
    kernel = ThresholdedClassifier(SVC(kernel="precomputed")).fit(X @ X.T, y)
    assert kernel.response_method_ == "decision_function"
    assert kernel.threshold_ == pytest.approx(table.threshold_, abs=1e-9)


def test_metadata_routing():
    """Switched on, weights reach the classifier and groups the splitter, as scikit-learn routes them."""
    X, y = two_clouds()
    weights, groups = np.random.default_rng(0).integers(1, 4, len(y)).astype(float), np.arange(len(y)) % 7
    with sklearn.config_context(enable_metadata_routing=True):
        inside = GaussianNB().set_fit_request(sample_weight=True)
        routed = ThresholdedClassifier(inside, cv=GroupKFold(3)).fit(X, y, sample_weight=weights, groups=groups)
    splits = list(GroupKFold(3).split(X, y, groups))
    plain = ThresholdedClassifier(GaussianNB(), cv=splits).fit(X, y, sample_weight=weights)
    assert routed.threshold_ == plain.threshold_
    assert (routed.estimator_.theta_ == GaussianNB().fit(X, y, weights).theta_).all()


def test_weights_that_a_classifier_cannot_take():
    """It is said that they only place the threshold; a pipeline's own way to pass them on is silent."""
    X, y = two_clouds()
    weights = np.linspace(0.5, 1.5, len(y))
    with pytest.warns(AssumptionWarning, match="KNeighborsClassifier takes no sample_weight"):
        weighed = ThresholdedClassifier(KNeighborsClassifier()).fit(X, y, sample_weight=weights)
    assert weighed.roc_.count == pytest.approx((weights[y == 0].sum(), weights[y == 1].sum()))
    pipeline = make_pipeline(StandardScaler(), GaussianNB())
    passed = ThresholdedClassifier(pipeline).fit(X, y, sample_weight=weights, gaussiannb__sample_weight=weights)
    assert passed.estimator_[-1].class_prior_[1] == pytest.approx(weights[y == 1].sum() / weights.sum())


def test_scores_that_tell_nothing():
    """Constant scores: a flagged answer, and all rows called alike; no error, no NaN."""
    X, y = two_clouds()
    classifier = ThresholdedClassifier(DummyClassifier(), criterion="accuracy").fit(X, y)
    assert "always_negative" in classifier.best_threshold_.flags
    assert classifier.threshold_ == np.inf
    assert (classifier.predict(X) == 0).all()
    tree = ThresholdedClassifier(DecisionTreeClassifier(random_state=0), response_method="log_odds").fit(X, y)
    tree.threshold_ = np.inf  # which calls no row positive, not even one with a score of +inf
    assert (tree.predict(X) == 0).all()
    assert "no_benefit" in ThresholdedClassifier(DummyClassifier()).fit(X, y).best_threshold_.flags


def test_it_lives_among_scikit_learns_tools():
    """Pipelines, grid searches over criteria, clone and pickle, frames with names, sparse tables, NaN."""
    X, y = two_clouds()
    grid = {"criterion": ["ameans", "f1"], "estimator__var_smoothing": [1e-9, 1e-2]}
    searched = GridSearchCV(ThresholdedClassifier(GaussianNB()), grid, scoring="balanced_accuracy", cv=3).fit(X, y)
    assert searched.best_score_ > 0.6
    fitted = ThresholdedClassifier(GaussianNB()).fit(PIMA.to_frame().iloc[:, :8], PIMA.y)
    assert fitted.feature_names_in_.tolist() == list(PIMA.feature_names)
    again = pickle.loads(pickle.dumps(fitted))
    assert (again.predict(PIMA.to_frame().iloc[:, :8]) == fitted.predict(PIMA.to_frame().iloc[:, :8])).all()
    intervals = [c.best_threshold_.threshold_interval(n_resamples=50).to_dict() for c in (again, fitted)]
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


@pytest.mark.parametrize(
    ("options", "y", "words"),
    [
        ({"criterion": "best"}, None, "criterion='best' is not allowed"),
        ({"criterion": "min_tpr"}, None, "needs value="),
        ({"criterion": "min_tpr", "value": 90}, None, "value=90.*outside"),
        ({"prevalence": 0.1}, None, "takes no prevalence"),
        ({"cost_fp": 2}, None, "takes no costs"),
        ({"family": "normal"}, None, "family='normal' is not available"),
        ({"family": "gamma"}, None, "family='gamma' needs values above 0"),
        ({"positive": "sick"}, None, r"positive='sick' is not a label in y; labels are \[0, 1\]"),
        ({"response_method": "predict"}, None, "response_method='predict' is not allowed"),
        ({"response_method": "decision_function"}, None, "GaussianNB has no decision_function"),
        ({"cv": RepeatedStratifiedKFold(n_splits=2, n_repeats=3)}, None, "cv holds row 0 out 3 times"),
        ({"cv": KFold(2)}, [0] * 20 + [1] * 20, "cv trains fold 0 on rows of one class"),
        ({}, [1] * 40, r"y has one class only, \[1\]"),
        ({}, [0, 1, 2, 3] * 10, "Only binary classification is supported. The type of the target is multiclass"),
    ],
)
def test_what_the_classifier_refuses(options, y, words):
    """Each message names the argument, what came, and what is allowed."""
    X = np.random.default_rng(0).normal(size=(40, 2))
    with pytest.raises(RocPredictError, match=words):
        ThresholdedClassifier(GaussianNB(), **options).fit(X, [0, 1] * 20 if y is None else y)


def test_what_else_the_classifier_refuses():
    """Weights that cannot be, scores that are NaN, labels that a model fitted already does not know."""
    X, y = two_clouds(40)
    for weights, words in [(-np.ones(40), "is negative"), (np.ones(3), "shape"), (y, "zero .* negative class")]:
        with pytest.raises(RocPredictError, match=f"sample_weight.*{words}"):
            ThresholdedClassifier(GaussianNB()).fit(X, y, sample_weight=weights)
    inside = GaussianNB().fit(X, y)
    with pytest.raises(RocPredictError, match=r"estimator knows the labels \[0, 1\].*'b' among them"):
        ThresholdedClassifier(inside, cv="prefit").fit(X, np.array(["a", "b"])[y])
    with pytest.raises(RocPredictError, match=r"y has the labels \[1, 2\], the fitted estimator \[0, 1\]"):
        ThresholdedClassifier(inside, cv="prefit", positive=1).fit(X, 2 - y)

    sure = ThresholdedClassifier(DecisionTreeClassifier(random_state=0), family="gaussian")
    with pytest.raises(RocPredictError, match=r"estimator gives infinite scores to 40 of 40 rows.*'predict_proba'"):
        sure.fit(X, y)
    with pytest.raises(NotFittedError, match="GaussianNB"):
        ThresholdedClassifier(GaussianNB(), cv="prefit").fit(X, y)

    class Broken(GaussianNB):
        def predict_proba(self, X):
            return np.full((len(X), 2), np.nan)

    with pytest.raises(RocPredictError, match="estimator gives NaN as predict_proba of 8 of 8 rows"):
        ThresholdedClassifier(Broken()).fit(X, y)


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


@pytest.mark.parametrize("data", [PIMA, IRIS])
def test_score_function_is_mann_whitneys(data):
    """Two and three classes, ties throughout, against scipy; the best class pair's p is multiplied by their number."""
    auc, p = best_of_class_pairs(data.X, data.y)
    scores, p_values = roc_score_func(data.X, data.y)
    assert scores == pytest.approx(np.abs(auc - 0.5), abs=1e-12)
    assert p_values == pytest.approx(p, rel=1e-9)
    best = SelectKBest(roc_score_func, k=2).fit(data.X, data.y).get_support(indices=True)
    assert set(best) == set(np.argsort(np.abs(auc - 0.5))[-2:])
    assert (SelectFdr(roc_score_func, alpha=0.01).fit(data.X, data.y).get_support() == (adjusted(p) <= 0.01)).all()


def adjusted(p):
    return stats.false_discovery_control(p)


def test_the_best_of_three_contrasts_claims_no_more_than_it_may():
    """2,000 features that tell nothing, three classes: p is 0.05 or less for 5 % at most (false failure: 1e-5)."""
    rng = np.random.default_rng(0)
    _, p_values = roc_score_func(rng.normal(size=(60, 2000)), np.arange(60) % 3)
    allowed = stats.binom(2000, 0.05).isf(1e-5)
    assert 0 < np.sum(p_values <= 0.05) <= allowed


# ---- RocSelector
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "selector",
    [
        RocSelector(),
        RocSelector(max_q=0.5, empirical=False, engine="numpy"),
        SelectKBest(roc_score_func, k=1),
    ],
)
def test_scikit_learns_checks_of_the_selector(selector):
    """All that ``parametrize_with_checks`` would run passes."""
    found = check_estimator(selector, on_fail=None, on_skip=None)
    assert len(found) > 40
    assert [c for c in found if c["status"] == "failed"] == []
    assert {c["check_name"] for c in found if c["status"] == "skipped"} <= NEEDS_SETTING


@pytest.mark.parametrize("data", [PIMA, IRIS])
@pytest.mark.parametrize("pairs", ["rest", "all"])
def test_selection_by_rank_by_area_and_by_false_discovery_rate(data, pairs):
    """Each limit, and all together, against scipy's AUCs and p-values; limits may change without fitting anew."""
    auc, p = best_of_class_pairs(data.X, data.y, pairs=pairs)
    strength, q = np.abs(auc - 0.5), adjusted(p)
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
    selector.set_params(min_auc=None, max_q=1e-8)
    assert (selector.get_support() == (q <= 1e-8)).all()
    selector.set_params(k=1, min_auc=limit)
    assert set(selector.get_support(indices=True)) == set(first_two[:1])


def test_the_table_behind_the_selection():
    """screening_ is the whole table with the features' names; its q-values are those of two classes."""
    selector = RocSelector(k=3).fit(PIMA.to_frame().iloc[:, :8], PIMA.y)
    table = selector.screening_.in_input_order()
    assert table["feature"].tolist() == list(PIMA.feature_names)
    assert selector.auc_ == pytest.approx(table["empirical_auc"], abs=0)
    assert selector.qvalues_ == pytest.approx(table["q_value"], rel=1e-12)
    predicted = RocSelector(k=3, empirical=False).fit(PIMA.X, PIMA.y)
    assert predicted.auc_ == pytest.approx(predicted.screening_.in_input_order()["auc"], abs=0)


def test_frames_go_in_and_come_out():
    """pandas and polars by set_output, with names; inverse_transform puts zeros where features were."""
    chosen = ["glucose", "mass", "age"]
    for backend in ("pandas", "polars"):
        frame = PIMA.to_frame(backend)[list(PIMA.feature_names)]
        selector = RocSelector(k=3).set_output(transform=backend)
        out = selector.fit_transform(frame, PIMA.y)
        assert type(out) is type(frame)
        assert list(out.columns) == chosen == selector.get_feature_names_out().tolist()
    back = RocSelector(k=3).fit(PIMA.X, PIMA.y).inverse_transform(PIMA.X[:2, [1, 5, 7]])
    assert (back[:, [0, 2, 3, 4, 6]] == 0).all()


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_array, sparse.csr_matrix, np.asfortranarray, np.float32])
def test_the_form_of_the_table_changes_nothing(form):
    """Sparse, Fortran order, float32: the same scores; sparse comes out sparse."""
    rng = np.random.default_rng(0)
    X, y = rng.poisson(0.3, size=(80, 30)), np.arange(80) % 3
    plain, formed = RocSelector(k=4).fit(X.astype(float), y), RocSelector(k=4).fit(form(X.astype(float)), y)
    assert formed.scores_ == pytest.approx(plain.scores_, abs=1e-12)
    out = formed.transform(form(X.astype(float)))
    assert out.shape == (80, 4)
    assert sparse.issparse(out) == sparse.issparse(form(X))


def test_missing_values_and_features_that_say_nothing():
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
    few = np.where(np.arange(60) < 4, y, np.nan)  # separates the classes perfectly, but nobody can be sure of it
    sure = RocSelector(k=1, max_q=0.01).fit(np.column_stack([few, signal]), y)
    assert sure.scores_[0] == 0.5
    assert sure.get_support().tolist() == [False, True]
    assert RocSelector(direction="higher").fit(X, y).get_support().tolist() == [False, False, True, True, False]


@pytest.mark.parametrize(("direction", "extreme"), [("higher", np.max), ("lower", np.min)])
def test_a_direction_holds_for_the_best_contrast_too(direction, extreme):
    """Three classes: of each feature's class pairs the one furthest to the side asked for, by empirical_roc."""
    selector = RocSelector(k=1, direction=direction).fit(IRIS.X, IRIS.y)
    areas = [[rp.empirical_roc(x, IRIS.y, positive=name).auc() for name in np.unique(IRIS.y)] for x in IRIS.X.T]
    assert selector.auc_ == pytest.approx(extreme(areas, axis=1), abs=1e-15)


def test_nothing_kept_and_too_many_asked_for():
    """Both are warned of, as scikit-learn's own selectors do; without limits the ten best are kept."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 12)), np.arange(40) % 2
    with pytest.warns(UserWarning, match="No features were selected"):
        assert RocSelector(min_auc=0.99).fit_transform(X, y).shape == (40, 0)
    with pytest.warns(UserWarning, match="k=13 is more than the 12 features"):
        assert RocSelector(k=13).fit(X, y).get_support().all()
    assert RocSelector().fit(X, y).get_support().sum() == 10


def test_features_are_chosen_anew_in_each_fold():
    """In a pipeline features that tell nothing predict nothing: Ameans about 1/2 (false failure: below 1e-4)."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(100, 500)), np.arange(100) % 2
    inside = make_pipeline(RocSelector(k=10), ThresholdedClassifier(GaussianNB(), cv=3))
    assert (
        abs(cross_val_score(inside, X, y, scoring="balanced_accuracy", cv=4).mean() - 0.5) < 0.2
    )  # 4 SDs of 100 coins
    chosen_before = RocSelector(k=10).fit_transform(X, y)
    assert cross_val_score(GaussianNB(), chosen_before, y, scoring="balanced_accuracy", cv=4).mean() > 0.7


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"k": 0}, "k=0 is below 1"),
        ({"k": 2.5}, "k=2.5 is not a whole number"),
        ({"min_auc": 0.3}, "min_auc=0.3 is below 1/2"),
        ({"min_auc": 80}, "min_auc=80 is outside"),
        ({"max_q": 5}, "max_q=5 is outside"),
        ({"direction": "up"}, "direction='up' is not allowed"),
        ({"pairs": "each"}, "pairs='each' is not allowed"),
        ({"empirical": "top"}, "empirical='top' is not allowed"),
        ({"engine": "fortran"}, "engine='fortran' is not allowed"),
    ],
)
def test_what_the_selector_refuses(options, words):
    """Each message names the argument, what came, and what is allowed."""
    with pytest.raises(RocPredictError, match=words):
        RocSelector(**options).fit(PIMA.X, PIMA.y)


# ---- the package
def test_without_scikit_learn_it_says_what_to_install():
    """One sentence with the command, when it is missing; the library itself does without, and loads none of it."""
    code = """if True:
        import sys
        import rocpredict
        assert "sklearn" not in sys.modules
        sys.modules["sklearn"] = None
        try:
            import rocpredict.sklearn
        except rocpredict.RocPredictError as error:
            print(error)
        """
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    said = "rocpredict.sklearn needs scikit-learn 1.7 or later: pip install 'rocpredict[sklearn]'"
    assert run.stdout.strip() == said


def test_a_direction_keeps_its_false_discovery_rate():
    """500 features far to the wrong side and 5,000 null ones: with a direction hardly any of these is kept.

    Two-sided q over both sides kept about 8. Benjamini and Hochberg's keep any of the null ones in 5 of 100 draws.
    """
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 5500))
    X[30:, :500] -= 1.5
    kept = RocSelector(max_q=0.05, direction="higher").fit(X, np.repeat([0, 1], 30))
    assert kept.get_support().sum() <= 2


def test_a_rare_class_does_not_decide():
    """Classes of 100, 100 and 3 rows: the five features that tell the two apart are kept, whatever the three show."""
    rng = np.random.default_rng(4)
    y = np.repeat([0, 1, 2], [100, 100, 3])
    X = rng.normal(size=(203, 50))
    X[:100, :5] += 1
    assert RocSelector(k=5).fit(X, y).get_support()[:5].all()
