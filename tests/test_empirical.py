"""The empirical curve against scikit-learn, SciPy and brute force."""

import math
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import rocpredict as rp
from rocpredict import Ecdf, EmpiricalRoc, RocPredictError
from tests.cases import check_refusals
from tests.samples import labelled

EPS = np.finfo(float).eps
derandomised = settings(derandomize=True, deadline=None, max_examples=60)
values = st.one_of(
    st.integers(-4, 4).map(float),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([0.0, -0.0, 5e-324, 1e-310, 1.0, 1.0 + EPS, 1.7e308, 1.79e308, -1.7e308, 0.3, 0.1 + 0.2]),
)
samples = st.lists(values, min_size=1, max_size=12)


def exact_auc(negative, positive):
    """P(positive > negative) + P(tie)/2, by looking at every pair."""
    wins = sum(Fraction(int(p > n)) + Fraction(int(p == n), 2) for p in positive for n in negative)
    return wins / (len(negative) * len(positive))


def all_rules(negative, positive):
    """Every operating point by brute force: (threshold, TPR, FPR) at each distinct value and at +inf."""
    cuts = [np.inf, *sorted({float(v) for v in [*negative, *positive]}, reverse=True)]
    n, p = np.asarray(negative, dtype=float), np.asarray(positive, dtype=float)
    return [(t, float((p >= t).mean()), float((n >= t).mean())) for t in cuts]


@pytest.mark.extra("sklearn")
@derandomised
@given(samples, samples)
def test_curve_and_auc_equal_scikit_learn(negative, positive):
    from sklearn.metrics import roc_auc_score, roc_curve

    x, y = labelled(negative, positive)
    x = np.ldexp(x, -20)  # scikit-learn sums the scores, which must not overflow
    negative, positive = x[y == 0], x[y == 1]
    roc = EmpiricalRoc(negative=negative, positive=positive)
    fpr, tpr, _ = roc_curve(y, x, drop_intermediate=False)
    curve = roc.curve()
    assert np.array_equal(curve.fpr, fpr)
    assert np.array_equal(curve.tpr, tpr)
    assert roc.auc() == pytest.approx(roc_auc_score(y, x), abs=4 * EPS)
    assert roc.auc() == pytest.approx(float(exact_auc(negative, positive)), abs=EPS)
    assert roc.auc_complement() == pytest.approx(float(exact_auc(positive, negative)), abs=EPS)
    u = stats.mannwhitneyu(positive, negative, method="asymptotic", use_continuity=False).statistic
    assert roc.auc() * len(negative) * len(positive) == pytest.approx(u, rel=4 * EPS, abs=0)


@derandomised
@given(samples, samples)
def test_thresholds_separate_neighbours_and_give_the_rates_of_their_rule(negative, positive):
    curve = EmpiricalRoc(negative=negative, positive=positive).curve()
    assert curve.thresholds[0] == np.inf
    assert curve.thresholds[-1] == -np.inf
    assert (np.diff(curve.thresholds) < 0).all()
    distinct = sorted({float(v) for v in [*negative, *positive]}, reverse=True)
    for threshold, upper, lower in zip(curve.thresholds[1:-1], distinct, distinct[1:], strict=False):
        assert lower < threshold <= upper
        middle = Fraction(lower) / 2 + Fraction(upper) / 2
        assert abs(Fraction(float(threshold)) - middle) <= Fraction(math.ulp(max(abs(lower), abs(upper))))
    for threshold, fpr, tpr in zip(curve.thresholds[1:], curve.fpr[1:], curve.tpr[1:], strict=True):
        assert (np.asarray(negative) >= threshold).mean() == fpr
        assert (np.asarray(positive) >= threshold).mean() == tpr


@pytest.mark.extra("sklearn")
@derandomised
@given(samples, samples, st.floats(0.01, 1))
def test_partial_auc_equals_scikit_learn(negative, positive, max_fpr):
    from sklearn.metrics import roc_auc_score

    x, y = labelled(negative, positive)
    roc = EmpiricalRoc(negative=negative, positive=positive)
    wanted = roc_auc_score(y, x, max_fpr=max_fpr)
    if max_fpr < 1:
        corrected = roc.partial_auc(fpr=(0, max_fpr), correction="mcclish")
        assert corrected == pytest.approx(wanted, abs=1e-13)  # a band of 0.01 magnifies rounding 200 times
        for axis in ("fpr", "tpr"):
            parts = roc.partial_auc(**{axis: (0, max_fpr)}) + roc.partial_auc(**{axis: (max_fpr, 1)})
            assert parts == pytest.approx(roc.auc(), abs=8 * EPS)
    assert roc.partial_auc(fpr=(0, 1)) == pytest.approx(roc.auc(), abs=8 * EPS)
    assert roc.partial_auc(tpr=(0, 1)) == pytest.approx(roc.auc(), abs=8 * EPS)


@derandomised
@given(samples, samples)
def test_best_threshold_is_the_best_of_all_and_its_plateau_is_all_of_it(negative, positive):
    roc = EmpiricalRoc(negative=negative, positive=positive)
    best = roc.best_threshold()
    rules = all_rules(negative, positive)
    highest = max((1 + tpr - fpr) / 2 for _, tpr, fpr in rules)
    assert best.ameans == pytest.approx(highest, abs=4 * EPS)
    assert roc.rates(best.threshold).ameans == best.ameans
    low, high = best.plateau
    assert low <= best.threshold <= high
    inside = [
        t for t in {float(v) for v in [*negative, *positive]} | {high, math.nextafter(low, math.inf)} if low < t <= high
    ]
    assert inside
    for t in inside:
        assert roc.rates(t).ameans == pytest.approx(highest, abs=4 * EPS)
    for t in (low, math.nextafter(high, math.inf)):
        if np.isfinite(t):
            assert roc.rates(t).ameans < highest - 4 * EPS


@derandomised
@given(samples, samples)
def test_direction_lower_is_the_mirror_image(negative, positive):
    roc = EmpiricalRoc(negative=negative, positive=positive, direction="lower")
    mirror = EmpiricalRoc(negative=-np.array(negative), positive=-np.array(positive))
    assert roc.auc() == mirror.auc()
    assert np.array_equal(roc.curve().thresholds, -mirror.curve().thresholds)
    assert np.array_equal(roc.curve().tpr, mirror.curve().tpr)
    auto = EmpiricalRoc(negative=negative, positive=positive, direction="auto")
    assert auto.auc() >= 0.5
    assert auto.auto_direction
    assert auto.direction == ("lower" if exact_auc(negative, positive) < Fraction(1, 2) else "higher")
    assert "auto_direction" in auto.best_threshold().flags


def test_conventions_along_the_curve():
    # two steps up and two along, in turn
    roc = EmpiricalRoc(negative=[1, 3], positive=[2, 4])
    assert roc.tpr_at_fpr([0, 0.25, 0.5, 0.75, 1]).tolist() == [0.5, 0.5, 1, 1, 1]  # the top of a vertical piece
    assert roc.fpr_at_tpr([0, 0.25, 0.5, 0.75, 1]).tolist() == [0, 0, 0, 0.5, 0.5]  # the first FPR that reaches it
    assert roc.threshold_at_fpr([0, 0.49, 0.5, 1]).tolist() == [3.5, 3.5, 1.5, -np.inf]
    assert roc.threshold_at_tpr([0, 0.5, 0.51, 1]).tolist() == [np.inf, 3.5, 1.5, 1.5]
    tied = EmpiricalRoc(negative=[1, 2], positive=[2, 3])  # (0, 0), (0, 1/2), (1/2, 1), (1, 1)
    assert tied.tpr_at_fpr([0.25, 0.5]).tolist() == [0.75, 1]  # along the diagonal piece of a tie
    assert tied.fpr_at_tpr([0.5, 0.75]).tolist() == [0, 0.25]
    assert tied.slope([0.0, 0.25, 0.5, 0.75]).tolist() == [1, 1, 0, 0]


@derandomised
@given(samples, samples)
def test_hook_is_the_area_between_curve_and_chance_line_below_it(negative, positive):
    roc = EmpiricalRoc(negative=negative, positive=positive)
    hook = roc.hook()
    fpr = np.unique(np.concatenate([np.linspace(0, 1, 2001), roc.curve().fpr]))
    middle = (fpr[:-1] + fpr[1:]) / 2
    below = np.maximum(0, middle - roc.tpr_at_fpr(middle)) * np.diff(fpr)
    assert hook.area == pytest.approx(below.sum(), abs=2e-6)  # a kink within a cell of 1/2000: 12 cells at most
    assert hook.exists == (hook.area > 0)


def test_a_count_that_contradicts_the_samples_is_refused():
    with pytest.raises(RocPredictError, match=r"count=\(5, 5\) differs from the sizes of the samples, \(1.0, 2.0\)"):
        EmpiricalRoc(negative=[1], positive=[1, 2], count=(5, 5))


def test_omitted_rows_are_counted_and_shown():
    x, y = [1, math.nan, 2, 3, math.nan, math.nan, 5], [0, 0, 0, 1, 1, 1, 1]
    for make in (rp.empirical_roc, rp.predict_roc):
        roc = make(x, y, nan_policy="omit")
        assert roc.omitted == (1, 2)
        assert "omitted=(1, 2)" in repr(roc)
        assert "omitted" not in repr(make([1, 2, 3, 5], [0, 0, 1, 1]))


@pytest.mark.extra("sklearn")
def test_a_classifiers_curve_is_that_of_its_scores():
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import LinearSVC

    iris = rp.datasets.load_iris()
    X, y = iris.X[50:, :2], iris.y[50:]
    model, machine = LogisticRegression().fit(X, y), LinearSVC().fit(X, y)
    curve = rp.EmpiricalRoc.from_estimator(model, X, y)
    assert curve.auc() == rp.empirical_roc(model.predict_proba(X)[:, 1], y, positive="virginica").auc()
    other = rp.EmpiricalRoc.from_estimator(model, X, y, positive="versicolor")
    assert other.auc() == pytest.approx(curve.auc(), abs=1e-15)
    margins = machine.decision_function(X)
    for positive, scores in (("virginica", margins), ("versicolor", -margins)):
        roc = rp.EmpiricalRoc.from_estimator(machine, X, y, positive=positive)
        assert roc.auc() == rp.EmpiricalRoc.from_predictions(y, scores, positive=positive).auc()
    fit = rp.EmpiricalRoc.from_estimator
    refusals = [
        (partial(fit, machine, X, y, positive="rose"), "positive='rose' is not a class of the estimator; use one of"),
        (
            partial(fit, machine, X, y, response_method="predict"),
            "response_method='predict' is not allowed; choose one",
        ),
        (partial(fit, machine, X, y, response_method="predict_proba"), "has no method predict_proba"),
        (partial(fit, object(), X, y), "has no attribute classes_; pass a fitted classifier of two classes"),
    ]
    check_refusals([(call, (), words) for call, words in refusals])


@derandomised
@given(st.lists(st.tuples(values, st.integers(0, 4)), min_size=1, max_size=9), samples)
def test_integer_weights_equal_repeated_rows_exactly(weighted, positive):
    numbers, weights = (np.array(column) for column in zip(*weighted, strict=True))
    if not weights.any():
        weights[0] = 1
    by_weight = EmpiricalRoc(negative=Ecdf(numbers, weights=weights), positive=positive)
    by_row = EmpiricalRoc(negative=np.repeat(numbers, weights), positive=positive)
    assert by_weight.auc() == by_row.auc()
    assert by_weight.count == by_row.count
    assert by_weight.curve().to_dict() == by_row.curve().to_dict()
    assert by_weight.best_threshold().to_dict().keys() == by_row.best_threshold().to_dict().keys()
    assert by_weight.best_threshold().threshold == by_row.best_threshold().threshold
