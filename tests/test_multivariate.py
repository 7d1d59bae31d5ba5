"""Several features at once: the best combination against every other direction, and distances against loops."""

import json

import numpy as np
import pytest
from scipy import sparse, stats
from scipy.special import ndtr
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from rocpredict import Gaussian, PredictedRoc, RocPredictError, datasets, empirical_roc, predict_roc
from rocpredict import paper as printed
from rocpredict.combination import LinearCombination, class_mean_distance, fit_linear_combination
from rocpredict.distributions.normality import suppress_normality_warning

CLASSES = {"positive": "virginica", "negative": "versicolor"}
IRIS = datasets.load_iris()


def spread(rng, p, unlike=1.0):
    """A covariance with eigenvalues a factor exp(2 unlike) or so apart."""
    turn = np.linalg.qr(rng.normal(size=(p, p)))[0]
    return turn @ np.diag(np.exp(unlike * rng.normal(size=p))) @ turn.T


def drawn(rng, n=120, p=3, shift=1.0):
    """Two classes with unlike covariances; labels 0 and 1."""
    y = np.arange(n) % 2
    X = np.where(y[:, None] == 1, rng.normal(size=(n, p)) @ spread(rng, p), rng.normal(size=(n, p)))
    X[y == 1] += shift * rng.normal(size=p)
    return X, y


def directions(p):
    """All directions, closely enough: a fine circle, or a spiral of 200,000 points on the sphere."""
    if p == 2:
        angle = np.linspace(0, 2 * np.pi, 20_001)
        return np.column_stack([np.cos(angle), np.sin(angle)])
    k = np.arange(100_000) + 0.5
    height, angle = 1 - 2 * k / len(k), np.pi * (1 + np.sqrt(5)) * k
    ring = np.sqrt(1 - height**2)
    return np.column_stack([ring * np.cos(angle), ring * np.sin(angle), height])


def everywhere(p, mean, covariance):
    """The predicted ROC of every direction, as a batch."""
    W = directions(p)
    pair = [Gaussian(W @ m, np.sqrt(np.einsum("ij,jk,ik->i", W, S, W))) for m, S in zip(mean, covariance, strict=True)]
    return PredictedRoc(*pair)


@pytest.mark.parametrize("p", [2, 3])
def test_no_direction_does_better(p):
    """Twelve random pairs of classes: no direction has a higher AUC, or Ameans, and the best of them hardly a lower."""
    rng = np.random.default_rng(p)
    outside = 0
    for unlike, shift in [(0.5, 1.0), (1.0, 2.0), (2.0, 0.5), (2.0, 0.05)] * 3:
        mean = (rng.normal(size=p), rng.normal(size=p))
        mean = (mean[0], mean[0] + shift * mean[1])
        covariance = (spread(rng, p, unlike), spread(rng, p, unlike))
        others = everywhere(p, mean, covariance)
        best = LinearCombination.from_stats(mean=mean, covariance=covariance)
        assert others.auc().max() - 1e-12 <= best.auc <= others.auc().max() + 1e-3
        best = LinearCombination.from_stats(mean=mean, covariance=covariance, criterion="ameans")
        counted = others.best_threshold().ameans.max()
        assert counted - 1e-12 <= best.ameans <= counted + 1e-3
        outside += not 0 <= best.mixing_weight <= 1
    assert outside >= 2


@pytest.mark.parametrize("shift", [0.0, 1e-12, 0.3, 1.0])
@pytest.mark.parametrize("ratio", [0.04, 25.0])
def test_a_feature_that_differs_in_spread_alone_is_used_where_it_helps(shift, ratio):
    """Means agree in the second feature, up to nothing or next to it: the search still finds the best Ameans."""
    classes = ([0, 0], [shift, 0]), (np.eye(2), np.diag([1, ratio]))
    best = LinearCombination.from_stats(mean=classes[0], covariance=classes[1], criterion="ameans")
    assert best.ameans == pytest.approx(everywhere(2, *classes).best_threshold().ameans.max(), abs=1e-6)
    assert best.ameans > 0.65


def test_a_feature_that_tells_nothing_has_weight_0():
    """Equal spread, equal means in the second feature: the nudge of the search leaves no trace."""
    best = LinearCombination.from_stats(
        mean=([0, 0, 0], [2, 0, 0]), covariance=(np.eye(3), np.diag([1.5, 1.1, 0.9])), criterion="ameans"
    )
    assert abs(best.coefficients[0]) > 0.5
    assert list(best.coefficients[1:]) == [0, 0]


@pytest.mark.parametrize("criterion", ["auc", "ameans"])
def test_equal_covariances_give_fishers_discriminant(criterion):
    """The direction of scikit-learn's LDA, AUC = Phi(Delta/sqrt 2), Ameans = Phi(Delta/2)."""
    rng = np.random.default_rng(1)
    shape = rng.normal(size=(40, 3)) @ spread(rng, 3)
    X = np.concatenate([shape, shape + rng.normal(size=3)])  # one covariance, exactly
    y = np.repeat([0, 1], 40)
    found = fit_linear_combination(X, y, criterion=criterion, n_folds=None)
    theirs = LinearDiscriminantAnalysis(solver="lsqr").fit(X, y).coef_[0]
    assert found.coefficients / np.linalg.norm(found.coefficients) == pytest.approx(
        theirs / np.linalg.norm(theirs), abs=1e-6
    )
    S, delta = np.cov(shape.T), X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)
    distance = np.sqrt(delta @ np.linalg.solve(S, delta))
    assert found.auc == pytest.approx(ndtr(distance / np.sqrt(2)), rel=1e-12)
    assert found.ameans == pytest.approx(ndtr(distance / 2), rel=1e-12)
    assert found.negative.std == pytest.approx(1, rel=1e-12)


def test_the_formula_of_su_and_liu():
    """Weights along (S0 + S1)^-1 delta, AUC = Phi(sqrt(delta' (S0 + S1)^-1 delta)), score variance 1 on average."""
    X, y = drawn(np.random.default_rng(2), p=5)
    found = fit_linear_combination(X, y)
    negative, positive = X[y == 0], X[y == 1]
    delta = positive.mean(axis=0) - negative.mean(axis=0)
    w = np.linalg.solve(np.cov(negative.T) + np.cov(positive.T), delta)
    assert found.auc == pytest.approx(ndtr(np.sqrt(delta @ w)), rel=1e-12)
    assert found.coefficients / found.coefficients[0] == pytest.approx(w / w[0], rel=1e-9)
    assert (found.negative.std**2 + found.positive.std**2) / 2 == pytest.approx(1, rel=1e-12)
    again = predict_roc(found.score(X), y)
    assert (again.auc(), again.best_threshold().threshold) == pytest.approx((found.auc, found.threshold), rel=1e-10)
    stated = LinearCombination.from_stats(
        mean=(negative.mean(axis=0), positive.mean(axis=0)), covariance=(np.cov(negative.T), np.cov(positive.T))
    )
    assert stated.coefficients == pytest.approx(found.coefficients, rel=1e-9)
    assert stated.auc_cv is None


@pytest.mark.parametrize("criterion", ["auc", "ameans"])
def test_affine_maps_change_nothing(criterion):
    """Mixed, scaled (1e-150 to 1e150) and moved features: the same AUC, Ameans, folds' answers and scores."""
    rng = np.random.default_rng(3)
    X, y = drawn(rng)
    found = fit_linear_combination(X, y, criterion=criterion)
    maps = [(rng.normal(size=(3, 3)), rng.normal(size=3)), (np.diag([1e150, -1e-150, 3]), 0), (np.eye(3), [1e5, -9, 0])]
    for A, move in maps:
        mapped = X @ A + move
        other = fit_linear_combination(mapped, y, criterion=criterion)
        for name in ("auc", "ameans", "auc_cv", "ameans_cv", "mixing_weight"):
            assert getattr(other, name) == pytest.approx(getattr(found, name), abs=1e-7), name
        gaps = other.score(mapped) - found.score(X)
        assert np.ptp(gaps) < 1e-6
        assert other.threshold - found.threshold == pytest.approx(gaps[0], abs=1e-6)


@pytest.mark.parametrize("criterion", ["auc", "ameans"])
def test_what_is_predicted_comes_true(criterion):
    """200,000 draws a class from the moments, within 5 standard errors: fails in fewer than 1.2e-6 of seeds."""
    rng = np.random.default_rng(4)
    mean, covariance = (np.zeros(3), rng.normal(size=3)), (spread(rng, 3), spread(rng, 3))
    found = LinearCombination.from_stats(mean=mean, covariance=covariance, criterion=criterion)
    size = 200_000
    negative, positive = (
        found.score(rng.multivariate_normal(m, S, size)) for m, S in zip(mean, covariance, strict=True)
    )
    u = stats.mannwhitneyu(positive, negative).statistic / size**2
    assert abs(u - found.auc) < 5 * np.sqrt(found.auc * (1 - found.auc) / size)  # the largest SE there is
    ameans = ((positive >= found.threshold).mean() + (negative < found.threshold).mean()) / 2
    assert abs(ameans - found.ameans) < 5 * np.sqrt(0.125 / size)


def test_honest_values_see_through_features_that_tell_nothing():
    """15 useless features, 60 rows: promised 0.7, cross-fitted 1/2 within 5 standard errors (1e-5 of seeds fail)."""
    rng = np.random.default_rng(5)
    found = [fit_linear_combination(rng.normal(size=(60, 15)), np.arange(60) % 2) for _ in range(60)]
    for name, promised in (("auc", 0.7), ("ameans", 0.65)):
        honest = np.array([getattr(each, f"{name}_cv") for each in found])
        assert np.mean([getattr(each, name) for each in found]) > promised
        assert abs(honest.mean() - 0.5) < 5 * honest.std(ddof=1) / np.sqrt(60)


def test_honest_values_by_hand():
    """Leave-one-pair-out on six rows, and the same dealing for the same seed."""
    x = np.array([[0.0], [1.0], [4.0], [3.0], [5.0], [7.0]])
    y = np.array([0, 0, 0, 1, 1, 1])
    found = fit_linear_combination(x, y, n_folds=10)
    assert found.n_folds == 3
    assert found.auc_cv == fit_linear_combination(x, y, n_folds=3).auc_cv
    dealt = {fit_linear_combination(x, y, rng=seed).auc_cv for seed in range(12)}
    assert dealt == {2 / 3, 1.0}  # 4 > 3 is wrong where both are held out together
    assert fit_linear_combination(x, y, rng=np.random.default_rng(0)).auc_cv == found.auc_cv
    left_out = fit_linear_combination(x, y, n_folds=None)
    assert (left_out.auc_cv, left_out.n_folds) == (None, None)


def test_a_feature_may_be_constant_without_a_fold():
    """A mark that one row alone has: that row's fold leaves it out, and the answer comes."""
    X, y = drawn(np.random.default_rng(6), n=40)
    X = np.column_stack([X, np.arange(40) == 7])
    assert 0.5 < fit_linear_combination(X, y, criterion="ameans").auc_cv <= 1


def test_ridge_is_the_remedy_it_is_said_to_be():
    """More features than rows, and a feature twice: finite weights; twins share theirs; little ridge, little change."""
    rng = np.random.default_rng(7)
    wide = fit_linear_combination(rng.normal(size=(30, 50)), np.arange(30) % 2, ridge=0.5)
    assert np.isfinite(wide.coefficients).all()
    assert wide.auc > 0.9 > wide.auc_cv
    X, y = drawn(rng)
    twins = fit_linear_combination(np.column_stack([X, X[:, 0]]), y, ridge=1e-6)
    assert twins.coefficients[0] == pytest.approx(twins.coefficients[3], rel=1e-6)
    plain = fit_linear_combination(X, y)
    assert twins.auc == pytest.approx(plain.auc, abs=1e-6)
    assert fit_linear_combination(X, y, ridge=0).coefficients == pytest.approx(plain.coefficients, abs=0)


def test_frames_names_and_missing_values():
    """pandas, polars and pyarrow alike; score() takes their columns by name; "omit" leaves rows out and counts them."""
    array = fit_linear_combination(IRIS.X, IRIS.y, **CLASSES, feature_names=IRIS.feature_names)
    for backend in ("pandas", "polars", "pyarrow"):
        frame = IRIS.to_frame(backend)
        features = frame.drop(columns="label") if backend == "pandas" else frame.select(list(IRIS.feature_names))
        found = fit_linear_combination(features, frame["label"], **CLASSES)
        assert found.to_dict() == array.to_dict()
        turned = features[list(reversed(IRIS.feature_names))] if backend == "pandas" else features
        assert found.score(turned) == pytest.approx(array.score(IRIS.X), abs=0)
    gap = IRIS.X.copy()
    gap[60, 1] = np.nan
    omitted = fit_linear_combination(gap, IRIS.y, **CLASSES, nan_policy="omit", feature_names=IRIS.feature_names)
    assert omitted.roc.count == (49, 50)
    assert omitted.roc.omitted == (1, 0)
    without = fit_linear_combination(
        np.delete(IRIS.X, 60, 0), np.delete(IRIS.y, 60), **CLASSES, feature_names=IRIS.feature_names
    )
    assert omitted.coefficients == pytest.approx(without.coefficients, abs=0)
    assert fit_linear_combination(IRIS.X, IRIS.y, **CLASSES).feature_names == ("x0", "x1", "x2", "x3")


def test_every_table_that_a_screening_takes():
    """Sparse matrices and mappings of names to columns: the same weights as of the array."""
    array = fit_linear_combination(IRIS.X, IRIS.y, **CLASSES, feature_names=IRIS.feature_names)
    columns = dict(zip(IRIS.feature_names, IRIS.X.T, strict=True))
    for table in (sparse.csr_array(IRIS.X), columns):
        options = {} if table is columns else {"feature_names": IRIS.feature_names}
        assert fit_linear_combination(table, IRIS.y, **CLASSES, **options).to_dict() == array.to_dict()
        assert array.score(table) == pytest.approx(array.score(IRIS.X), abs=0)
    assert array.score(dict(reversed(columns.items()))) == pytest.approx(array.score(IRIS.X), abs=0)


def test_a_result_is_ready_for_json_and_says_what_it_is():
    """to_dict holds plain numbers; the repr is one line and says what is optimistic."""
    found = fit_linear_combination(IRIS.X, IRIS.y, **CLASSES, criterion="ameans", feature_names=IRIS.feature_names)
    held = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert list(held["coefficients"]) == list(IRIS.feature_names)
    assert held["auc"] == found.auc == found.roc.auc()
    assert "\n" not in repr(found)
    assert "cross-fitted" in repr(found)
    stated = LinearCombination.from_stats(mean=([0], [1]), covariance=([[1]], [[1]]), feature_names=["width"])
    assert "of the moments that chose it" in repr(stated)
    assert stated.to_dict()["coefficients"] == {"width": pytest.approx(1)}
    with pytest.raises(ValueError, match="read-only"):
        found.coefficients[0] = 1


def _twice_named():
    import pandas as pd

    return pd.DataFrame(np.ones((4, 2)), columns=["a", "a"])


X6 = np.random.default_rng(8).normal(size=(12, 2))
Y6 = np.arange(12) % 2


@pytest.mark.parametrize(
    ("X", "y", "options", "words"),
    [
        (X6[:, 0], Y6, {}, r"X has shape \(12,\); give a table of shape \(n, features\)"),
        ([[1, 2], [3]], [0, 1], {}, "X is ragged"),
        (5, Y6, {}, "X=5 is not a table; give an array of shape"),
        (np.ma.masked_greater(X6, 1), Y6, {}, "missing .NaN. of 12"),
        (np.ones((0, 2)), [], {}, r"X has shape \(0, 2\)"),
        (_twice_named(), Y6[:4], {}, "X has the column name 'a' twice; features need different names"),
        (X6, Y6, {"feature_names": ["a"]}, "feature_names has 1 names and X has 2 columns; give one for each"),
        (X6, Y6, {"feature_names": "ab"}, "feature_names='ab' is not a list of names"),
        (X6, Y6[:-1], {}, "x0 has 12 rows and y has 11"),
        (X6, Y6, {"criterion": "f1"}, "criterion='f1' is not allowed; choose one of 'auc', 'ameans'"),
        (X6, Y6, {"ridge": -1}, "ridge=-1 is negative"),
        (X6, Y6, {"ridge": [1, 2]}, r"ridge has shape \(2,\); give one number"),
        (X6, Y6, {"n_folds": 1}, "n_folds=1 is too few; give 2 or more, or None"),
        (X6, Y6, {"rng": -1}, "rng=-1 is negative"),
        (X6, np.arange(12) < 10, {"positive": True}, "the negative class has 2 rows, and n_folds=10 leave 1 of them"),
        (X6, np.arange(12) < 11, {"positive": True}, "the negative class has 1 row; a covariance needs 2 or more"),
        (np.ones((12, 11)), Y6, {}, "X has 11 features and 12 rows: the covariances need p <= n - 2"),
        (np.where(X6 > 1, np.nan, X6), Y6, {}, "missing .NaN. of 12.*nan_policy='omit' leaves them out"),
        (np.where(X6 > 1, np.inf, X6), Y6, {}, "infinite values in the .* class; a fit needs finite ones"),
        (np.column_stack([X6, Y6]), Y6, {}, "constant within each class: 'x2'; leave out"),
        (np.column_stack([X6, Y6]), Y6, {"ridge": 1}, "constant within each class: 'x2'; leave out"),
        (
            np.column_stack([X6, X6[:, 0] ** 2, X6 @ [2, -1]]),
            Y6,
            {},
            "the covariances are singular: of 'x0', 'x1', 'x3', 1 can be .* leave 1 of them out, or give ridge=",
        ),
        (np.repeat(X6, 2, axis=0), Y6.repeat(2)[:, None], {}, "y has shape"),
        (np.repeat(X6, 2, axis=0), np.tile([0, 1], 12), {}, "both classes have the same mean in every feature"),
        (X6.astype(str), Y6, {}, "x0 holds text"),
    ],
)
def test_what_is_refused(X, y, options, words):
    """Each message names the argument, what came, and what is allowed."""
    with pytest.raises(RocPredictError, match=words):
        fit_linear_combination(X, y, **options)


@pytest.mark.parametrize(
    ("mean", "covariance", "words"),
    [
        (5, (1, 1), "mean=5 is not a pair"),
        (([0, 0], [1]), (np.eye(2), np.eye(2)), "mean has 2 features in the negative and 1 in the positive class"),
        (([[0]], [[1]]), (np.eye(1), np.eye(1)), r"mean has shape \(1, 1\) in a class"),
        (([0, 0], [1, 1]), ([1, 1], [1, 1]), r"covariance has shape \(2,\) in a class; 2 means need \(2, 2\)"),
        (([0, 0], [1, 1]), (np.eye(2), [[1, 0.5], [0, 1]]), "is not symmetric"),
        (([0, 0], [1, 1]), (np.eye(2), [[1, 2], [2, 1]]), "covariance of the positive class gives some combination"),
        (([0, 0], [1, 1]), (np.eye(2), -np.eye(2)), "negative variance on its diagonal"),
        (([0, np.nan], [1, 1]), (np.eye(2), np.eye(2)), "mean=.* is NaN somewhere"),
        (([0, 0], [1, 1]), (np.ones((2, 2)), np.ones((2, 2))), "the covariances are singular: of 'x0', 'x1', 1 can be"),
        (([1, 1], [1, 1]), (np.eye(2), np.eye(2)), "both classes have the same mean in every feature"),
    ],
)
def test_moments_that_are_refused(mean, covariance, words):
    """Published moments of which something is wrong."""
    with pytest.raises(RocPredictError, match=words):
        LinearCombination.from_stats(mean=mean, covariance=covariance, criterion="ameans")


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (IRIS.X[:, :3], "X has 3 columns; the combination takes 4"),
        (IRIS.X[0], r"X has shape \(4,\)"),
        (IRIS.X * np.nan, r"X has missing values \(NaN\) in 150 rows"),
        (IRIS.to_frame().drop(columns="petal_width"), "X has no column 'petal_width'; the combination takes"),
    ],
)
def test_tables_that_cannot_be_scored(X, words):
    """New rows need the features that the weights belong to."""
    found = fit_linear_combination(IRIS.X, IRIS.y, **CLASSES, feature_names=IRIS.feature_names, n_folds=None)
    with pytest.raises(RocPredictError, match=words):
        found.score(X)


def test_distances_are_the_papers():
    """Table III: mean and SD of each distance, to the two printed digits; Table IV: their predicted Ameans."""
    for number, of, direction in ((2, "versicolor", "higher"), (3, "virginica", "lower")):
        distance = class_mean_distance(IRIS.X, IRIS.y, class_label=of)
        for other, name in ((2, "versicolor"), (3, "virginica")):
            values = distance[IRIS.y == name]
            found = round(values.mean(), 2), round(values.std(ddof=1), 2)
            assert found == printed.TABLE_3[f"class {other} to the mean of class {number}"]
        with suppress_normality_warning():  # the paper takes distances as Gaussian
            roc = predict_roc(distance, IRIS.y, **CLASSES, direction=direction)
        auc, ameans = printed.TABLE_4[f"distance to mean of class {number}"]
        assert roc.best_threshold().ameans == pytest.approx(ameans, abs=6e-5)
        assert roc.auc() == pytest.approx(auc, abs=25e-4)
        assert empirical_roc(distance, IRIS.y, **CLASSES).auc() > 0.8 or direction == "lower"


@pytest.mark.parametrize("metric", ["euclidean", "mahalanobis"])
@pytest.mark.parametrize("leave_one_out", [False, True])
def test_distances_row_by_row(metric, leave_one_out):
    """Every distance by its definition: mean and covariance of the class, without the row where that is asked for."""
    X, y = drawn(np.random.default_rng(9), n=30)
    found = class_mean_distance(X, y, class_label=1, metric=metric, leave_one_out=leave_one_out)
    for row, (x, label) in enumerate(zip(X, y, strict=True)):
        kept = (y == 1) & ~((np.arange(30) == row) & leave_one_out)
        S = np.cov(X[kept].T) if metric == "mahalanobis" else np.eye(3)
        gap = x - X[kept].mean(axis=0)
        assert found[row] == pytest.approx(np.sqrt(gap @ np.linalg.solve(S, gap)), rel=1e-10), label


def test_mahalanobis_distances_know_no_unit():
    """Mixed and moved features: the same distances; the Euclidean ones differ."""
    rng = np.random.default_rng(10)
    X, y = drawn(rng)
    mapped = X @ rng.normal(size=(3, 3)) + 5
    for metric, same in (("mahalanobis", True), ("euclidean", False)):
        pair = [class_mean_distance(table, y, class_label=0, metric=metric) for table in (X, mapped)]
        assert np.allclose(*pair, rtol=1e-9) is same


def test_distances_of_rows_with_gaps():
    """Passed over: no part in the mean, and a distance that is NaN; the others are as if the row were not there."""
    X, y = drawn(np.random.default_rng(11), n=20)
    gap = X.copy()
    gap[3, 1] = np.nan
    for metric in ("euclidean", "mahalanobis"):
        for leave_one_out in (False, True):
            options = {"class_label": 1, "metric": metric, "leave_one_out": leave_one_out}
            found = class_mean_distance(gap, y, nan_policy="omit", **options)
            assert list(np.flatnonzero(np.isnan(found))) == [3]
            expected = class_mean_distance(np.delete(X, 3, 0), np.delete(y, 3), **options)
            assert np.delete(found, 3) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("X", "y", "options", "words"),
    [
        (X6, Y6, {"class_label": 2}, r"class_label=2 is not a label in y; labels are \[0, 1\]"),
        (X6, Y6, {"class_label": [0]}, r"class_label=\[0\] is not a label in y"),
        (X6, Y6[:3], {"class_label": 0}, "X has 12 rows and y has 3"),
        (X6, Y6, {"class_label": 0, "metric": "manhattan"}, "metric='manhattan' is not allowed"),
        (X6, Y6, {"class_label": 0, "leave_one_out": "yes"}, "leave_one_out='yes' is not allowed"),
        (
            X6 * np.nan,
            Y6,
            {"class_label": 0},
            r"X has missing values \(NaN\) in 12 rows; nan_policy='omit' passes them over",
        ),
        (
            X6 * np.nan,
            Y6,
            {"class_label": 0, "nan_policy": "omit"},
            "class_label=0 has 0 rows with values; 1 or more are needed",
        ),
        (np.where(X6 > 0, np.inf, X6), Y6, {"class_label": 0}, "x0 has .* infinite values"),
        (
            X6,
            np.arange(12) == 0,
            {"class_label": True, "leave_one_out": True},
            "class_label=True has 1 rows with values; 2 or more",
        ),
        (
            X6[:4],
            Y6[:4],
            {"class_label": 0, "metric": "mahalanobis"},
            "the class has 2 rows with values and X 2 features; 3 rows",
        ),
        (np.column_stack([X6, Y6]), Y6, {"class_label": 0, "metric": "mahalanobis"}, "constant in the class: 'x2'"),
        (
            np.column_stack([X6, 2 * X6[:, 0]]),
            Y6,
            {"class_label": 0, "metric": "mahalanobis"},
            "the covariance of the class is singular: of 'x0', 'x2', 1 can be .* or use metric='euclidean'",
        ),
        (
            np.column_stack([X6, np.arange(12) == 4]),
            Y6,
            {"class_label": 0, "metric": "mahalanobis", "leave_one_out": True},
            "without row 4 its class has no spread in some direction",
        ),
    ],
)
def test_distances_that_are_refused(X, y, options, words):
    """Each message names the argument, what came, and what is allowed."""
    with pytest.raises(RocPredictError, match=words):
        class_mean_distance(X, y, **options)
