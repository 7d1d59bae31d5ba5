"""Several features at once: the best combination against every other direction, and distances against loops."""

import json
from functools import partial
from itertools import product

import numpy as np
import pytest
from scipy import sparse, stats
from scipy.special import ndtr

from rocpredict import Gaussian, PredictedRoc, datasets, predict_roc
from rocpredict.base.validation import RocPredictError
from rocpredict.combination import LinearCombination, class_mean_distance, fit_linear_combination
from tests.cases import check_refused, optional

pd = optional("pandas")
CLASSES = {"positive": "virginica", "negative": "versicolor"}
CRITERIA = ("auc", "ameans")
IRIS = datasets.load_iris()
NAMES = {"feature_names": IRIS.feature_names}


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
    """All directions, closely enough: a fine circle, or a spiral of 100,000 points on the sphere."""
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


def test_no_direction_does_better():
    """Twelve random pairs of classes: no direction has a higher AUC, or Ameans, and the best of them hardly a lower."""
    for p in (2, 3):
        rng = np.random.default_rng(p)
        outside = 0
        for unlike, shift in [(0.5, 1.0), (1.0, 2.0), (2.0, 0.5), (2.0, 0.05)] * 3:
            first, delta = rng.normal(size=p), rng.normal(size=p)
            mean, covariance = (first, first + shift * delta), (spread(rng, p, unlike), spread(rng, p, unlike))
            others = everywhere(p, mean, covariance)
            best = LinearCombination.from_stats(mean=mean, covariance=covariance)
            assert others.auc().max() - 1e-12 <= best.auc <= others.auc().max() + 1e-3
            best = LinearCombination.from_stats(mean=mean, covariance=covariance, criterion="ameans")
            highest = others.best_threshold().ameans.max()
            assert highest - 1e-12 <= best.ameans <= highest + 1e-3
            outside += not 0 <= best.mixing_weight <= 1
        assert outside >= 2


def test_the_gradient_of_the_highest_ameans_is_zero():
    """The terms of the gradient of FPR + FNR cancel to rounding; a search by values alone leaves about 1e-8."""
    rng = np.random.default_rng(11)
    for p in (2, 3, 5) * 4:
        delta, covariance = rng.normal(size=p), [spread(rng, p), spread(rng, p)]
        fit = LinearCombination.from_stats(mean=(np.zeros(p), delta), covariance=covariance, criterion="ameans")
        w = fit.coefficients
        (negative, positive), mean = (np.sqrt(w @ S @ w) for S in covariance), w @ delta
        t = PredictedRoc(Gaussian(0, negative), Gaussian(mean, positive)).best_threshold().threshold
        terms = [
            stats.norm.pdf(t / negative) * t / negative**3 * (covariance[0] @ w),
            stats.norm.pdf((t - mean) / positive) * (mean - t) / positive**3 * (covariance[1] @ w),
            -stats.norm.pdf((t - mean) / positive) / positive * delta,
        ]
        scale = max(np.abs(term).max() for term in terms)
        np.testing.assert_allclose(sum(terms) / scale, 0, atol=1e-12, err_msg=f"{p} features")


def test_a_feature_that_differs_in_spread_alone_is_used_where_it_helps():
    """Means agree in the second feature, up to nothing or next to it: the search still finds the best Ameans.

    Uninformative features, with equal means and SDs, have weight 0: the start of the search leaves no trace.
    """
    for shift, ratio in product((0.0, 1e-12, 0.3, 1.0), (0.04, 25.0)):
        mean, covariance = ([0, 0], [shift, 0]), (np.eye(2), np.diag([1, ratio]))
        best = LinearCombination.from_stats(mean=mean, covariance=covariance, criterion="ameans")
        highest = everywhere(2, mean, covariance).best_threshold().ameans.max()
        assert best.ameans == pytest.approx(highest, abs=1e-6), (shift, ratio)
        assert best.ameans > 0.65
    mean, covariance = ([0, 0, 0], [2, 0, 0]), (np.eye(3), np.diag([1.5, 1.1, 0.9]))
    best = LinearCombination.from_stats(mean=mean, covariance=covariance, criterion="ameans")
    assert abs(best.coefficients[0]) > 0.5
    assert list(best.coefficients[1:]) == [0, 0]


@pytest.mark.extra("sklearn")
def test_equal_covariances_give_fishers_discriminant():
    """The direction of scikit-learn's LDA, AUC = Phi(Delta/sqrt 2), Ameans = Phi(Delta/2)."""
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    rng = np.random.default_rng(1)
    shape = rng.normal(size=(40, 3)) @ spread(rng, 3)
    X = np.concatenate([shape, shape + rng.normal(size=3)])  # one covariance, exactly
    y = np.repeat([0, 1], 40)
    theirs = LinearDiscriminantAnalysis(solver="lsqr").fit(X, y).coef_[0]
    S, delta = np.cov(shape.T), X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)
    distance = np.sqrt(delta @ np.linalg.solve(S, delta))
    for criterion in CRITERIA:
        result = fit_linear_combination(X, y, criterion=criterion, n_folds=None)
        ours = result.coefficients / np.linalg.norm(result.coefficients)
        assert ours == pytest.approx(theirs / np.linalg.norm(theirs), abs=1e-6), criterion
        assert result.auc == pytest.approx(ndtr(distance / np.sqrt(2)), rel=1e-12)
        assert result.ameans == pytest.approx(ndtr(distance / 2), rel=1e-12)
        assert result.negative.std == pytest.approx(1, rel=1e-12)


def test_the_formula_of_su_and_liu():
    """Weights along (S0 + S1)^-1 delta, AUC = Phi(sqrt(delta' (S0 + S1)^-1 delta)), score variance 1 on average."""
    X, y = drawn(np.random.default_rng(2), p=5)
    result = fit_linear_combination(X, y)
    mean = [X[y == label].mean(axis=0) for label in (0, 1)]
    covariance = [np.cov(X[y == label].T) for label in (0, 1)]
    w = np.linalg.solve(sum(covariance), mean[1] - mean[0])
    assert result.auc == pytest.approx(ndtr(np.sqrt((mean[1] - mean[0]) @ w)), rel=1e-12)
    assert result.coefficients / result.coefficients[0] == pytest.approx(w / w[0], rel=1e-9)
    assert (result.negative.std**2 + result.positive.std**2) / 2 == pytest.approx(1, rel=1e-12)
    again = predict_roc(result.score(X), y)
    assert (again.auc(), again.best_threshold().threshold) == pytest.approx((result.auc, result.threshold), rel=1e-10)
    with pytest.raises(RocPredictError, match=r"count=12\.5 is not a whole number"):
        LinearCombination.from_stats(mean=mean, covariance=covariance, count=(12.5, 20))
    stated = LinearCombination.from_stats(mean=mean, covariance=covariance)
    assert stated.coefficients == pytest.approx(result.coefficients, rel=1e-9)
    assert stated.auc_cv is None


def test_affine_maps_change_nothing():
    """Mixed, scaled (1e-150 to 1e150) and moved features: the same AUC, Ameans, folds' answers and scores."""
    for criterion in CRITERIA:
        rng = np.random.default_rng(3)
        X, y = drawn(rng)
        result = fit_linear_combination(X, y, criterion=criterion)
        mixed = rng.normal(size=(3, 3)), rng.normal(size=3)
        for A, move in (mixed, (np.diag([1e150, -1e-150, 3]), 0), (np.eye(3), [1e5, -9, 0])):
            mapped = X @ A + move
            other = fit_linear_combination(mapped, y, criterion=criterion)
            for name in ("auc", "ameans", "auc_cv", "ameans_cv", "mixing_weight"):
                assert getattr(other, name) == pytest.approx(getattr(result, name), abs=1e-7), name
            gaps = other.score(mapped) - result.score(X)
            assert np.ptp(gaps) < 1e-6
            assert other.threshold - result.threshold == pytest.approx(gaps[0], abs=1e-6)


def test_what_is_predicted_comes_true():
    """200,000 draws a class from the moments, within 5 standard errors: fails in fewer than 1.2e-6 of seeds."""
    size = 200_000
    for criterion in CRITERIA:
        rng = np.random.default_rng(4)
        mean, covariance = (np.zeros(3), rng.normal(size=3)), (spread(rng, 3), spread(rng, 3))
        result = LinearCombination.from_stats(mean=mean, covariance=covariance, criterion=criterion)
        classes = zip(mean, covariance, strict=True)
        negative, positive = (result.score(rng.multivariate_normal(m, S, size)) for m, S in classes)
        u = stats.mannwhitneyu(positive, negative).statistic / size**2
        assert abs(u - result.auc) < 5 * np.sqrt(result.auc * (1 - result.auc) / size)  # the largest SE there is
        ameans = ((positive >= result.threshold).mean() + (negative < result.threshold).mean()) / 2
        assert abs(ameans - result.ameans) < 5 * np.sqrt(0.125 / size)


def test_cross_validated_values_of_uninformative_features_are_unbiased():
    """15 useless features, 60 rows: AUC_cv is 1/2 within 5 standard errors (1e-5 of seeds fail), AUC above 0.7."""
    rng = np.random.default_rng(5)
    result = [fit_linear_combination(rng.normal(size=(60, 15)), np.arange(60) % 2) for _ in range(60)]
    for name, least in (("auc", 0.7), ("ameans", 0.65)):
        validated = np.array([getattr(each, f"{name}_cv") for each in result])
        assert np.mean([getattr(each, name) for each in result]) > least
        assert abs(validated.mean() - 0.5) < 5 * validated.std(ddof=1) / np.sqrt(60)


def test_cross_validated_values_by_hand():
    """Leave-one-pair-out on six rows, and the same dealing for the same seed."""
    x = np.array([[0.0], [1.0], [4.0], [3.0], [5.0], [7.0]])
    y = np.array([0, 0, 0, 1, 1, 1])
    result = fit_linear_combination(x, y, n_folds=10)
    assert result.n_folds == 3
    assert result.auc_cv == fit_linear_combination(x, y, n_folds=3).auc_cv
    dealt = {fit_linear_combination(x, y, rng=seed).auc_cv for seed in range(12)}
    assert dealt == {2 / 3, 1.0}  # 4 > 3 is wrong where both are held out together
    assert fit_linear_combination(x, y, rng=np.random.default_rng(0)).auc_cv == result.auc_cv
    left_out = fit_linear_combination(x, y, n_folds=None)
    assert (left_out.auc_cv, left_out.n_folds) == (None, None)
    X, y = drawn(np.random.default_rng(6), n=40)
    marked = np.column_stack([X, np.arange(40) == 7])  # one row alone: its fold leaves the feature out
    assert 0.5 < fit_linear_combination(marked, y, criterion="ameans").auc_cv <= 1
    X[y == 1] += 3
    assert 0.8 < fit_linear_combination(X, y, criterion="ameans").ameans_cv <= 1


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


def test_tables_names_and_missing_values():
    """Every table that a screening takes; score() takes columns by name; "omit" leaves rows out and counts them."""
    array = fit_linear_combination(IRIS.X, IRIS.y, **CLASSES, **NAMES)
    scores = pytest.approx(array.score(IRIS.X), abs=0)
    for backend in ("pandas", "polars", "pyarrow") if pd else ():
        frame = IRIS.to_frame(backend)
        features = frame.drop(columns="label") if backend == "pandas" else frame.select(list(IRIS.feature_names))
        assert fit_linear_combination(features, frame["label"], **CLASSES).to_dict() == array.to_dict(), backend
        turned = features[list(reversed(IRIS.feature_names))] if backend == "pandas" else features
        assert array.score(turned) == scores, backend
    columns = dict(zip(IRIS.feature_names, IRIS.X.T, strict=True))
    for table, options in ((sparse.csr_array(IRIS.X), NAMES), (columns, {})):
        assert fit_linear_combination(table, IRIS.y, **CLASSES, **options).to_dict() == array.to_dict()
        assert array.score(table) == scores
    assert array.score(dict(reversed(columns.items()))) == scores
    gap = IRIS.X.copy()
    gap[60, 1] = np.nan
    omitted = fit_linear_combination(gap, IRIS.y, **CLASSES, nan_policy="omit")
    assert (omitted.roc.count, omitted.roc.omitted) == ((49, 50), (1, 0))
    without = fit_linear_combination(np.delete(IRIS.X, 60, 0), np.delete(IRIS.y, 60), **CLASSES)
    assert omitted.coefficients == pytest.approx(without.coefficients, abs=0)
    assert omitted.feature_names == ("x0", "x1", "x2", "x3")


def test_a_result_is_ready_for_json_and_says_what_it_is():
    """to_dict holds plain numbers; the repr is one line and says what is optimistic."""
    result = fit_linear_combination(IRIS.X, IRIS.y, **CLASSES, criterion="ameans", **NAMES)
    stored = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert list(stored["coefficients"]) == list(IRIS.feature_names)
    assert stored["auc"] == result.auc == result.roc.auc()
    assert "\n" not in repr(result)
    assert "cross-validated" in repr(result)
    stated = LinearCombination.from_stats(mean=([0], [1]), covariance=([[1]], [[1]]), feature_names=["width"])
    assert "not cross-validated" in repr(stated)
    assert stated.to_dict()["coefficients"] == {"width": pytest.approx(1)}
    with pytest.raises(ValueError, match="read-only"):
        result.coefficients[0] = 1


X6 = np.random.default_rng(8).normal(size=(12, 2))
Y6 = np.arange(12) % 2
MAHALANOBIS = {"class_label": 0, "metric": "mahalanobis"}
LEAVE_ONE_OUT = {"class_label": True, "leave_one_out": True}


def test_distances_row_by_row():
    """Every distance by its definition: mean and covariance of the class, without the row where that is asked for.

    Rows with gaps are passed over: no part in the mean, and a distance that is NaN.
    """
    X, y = drawn(np.random.default_rng(9), n=30)
    gap = X.copy()
    gap[3, 1] = np.nan
    for metric, leave_one_out in product(("euclidean", "mahalanobis"), (False, True)):
        options = {"class_label": 1, "metric": metric, "leave_one_out": leave_one_out}
        result = class_mean_distance(X, y, **options)
        for row, x in enumerate(X):
            kept = (y == 1) & ~((np.arange(30) == row) & leave_one_out)
            S = np.cov(X[kept].T) if metric == "mahalanobis" else np.eye(3)
            difference = x - X[kept].mean(axis=0)
            assert result[row] == pytest.approx(np.sqrt(difference @ np.linalg.solve(S, difference)), rel=1e-10)
        omitted = class_mean_distance(gap, y, nan_policy="omit", **options)
        assert list(np.flatnonzero(np.isnan(omitted))) == [3]
        expected = class_mean_distance(np.delete(X, 3, 0), np.delete(y, 3), **options)
        assert np.delete(omitted, 3) == pytest.approx(expected, rel=1e-12)


FITS = [
    (5, Y6, {}, "X=5 is not a table; pass an array of shape"),
    (np.ma.masked_greater(X6, 1), Y6, {}, "missing values .NaN. in .* of 12"),
    (X6, Y6[:-1], {}, "x0 has 12 values and y has 11"),
    (X6, Y6, {"criterion": "f1"}, "criterion='f1' is not allowed; choose one of 'auc', 'ameans'"),
    (X6, Y6, {"ridge": -1}, "ridge=-1 is negative"),
    (X6, Y6, {"ridge": [1, 2]}, r"ridge=\[1.0, 2.0\] has shape \(2,\); pass one number"),
    (X6, Y6, {"n_folds": 1}, "n_folds=1 is too small; use 2 or more, or None"),
    (X6, Y6, {"rng": -1}, "rng=-1 is not a valid seed"),
    (
        X6,
        np.arange(12) < 10,
        {"positive": True},
        "the negative class has 2 observations, and n_folds=10 leaves 1",
    ),
    (X6, np.arange(12) < 11, {"positive": True}, "the negative class has 1 observation; pass at least 2"),
    (np.ones((12, 11)), Y6, {}, "X has 11 features and 12 observations, but without ridge= at most 10 features"),
    (np.where(X6 > 1, np.nan, X6), Y6, {}, "missing values .NaN. in .* of 12.*pass nan_policy='omit' to omit them"),
    (np.where(X6 > 1, np.inf, X6), Y6, {}, "infinite values in the .* class; pass finite values"),
    (np.column_stack([X6, Y6]), Y6, {}, "constant within each class: 'x2'; remove"),
    (np.column_stack([X6, Y6]), Y6, {"ridge": 1}, "constant within each class: 'x2'; remove"),
    (
        np.column_stack([X6, X6[:, 0] ** 2, X6 @ [2, -1]]),
        Y6,
        {},
        "singular: 1 of the features 'x0', 'x1', 'x3' can be .* remove 1 of them, or pass ridge=",
    ),
    (np.repeat(X6, 2, axis=0), Y6.repeat(2)[:, None], {}, "y has shape"),
    (np.repeat(X6, 2, axis=0), np.tile([0, 1], 12), {}, "both classes have the same mean in every feature"),
]
MOMENTS = [
    (5, (1, 1), "mean=5 is not a pair"),
    (([0, 0], [1]), (np.eye(2), np.eye(2)), "mean has 2 features in the negative and 1 in the positive class"),
    (([[0]], [[1]]), (np.eye(1), np.eye(1)), r"mean has an entry of shape \(1, 1\)"),
    (([0, 0], [1, 1]), ([1, 1], [1, 1]), r"covariance has an entry of shape \(2,\); pass an array of shape \(2, 2\)"),
    (([0, 0], [1, 1]), (np.eye(2), [[1, 0.5], [0, 1]]), "is not symmetric"),
    (([0, 0], [1, 1]), (np.eye(2), [[1, 2], [2, 1]]), "matrix of the positive class has a negative eigenvalue"),
    (([0, 0], [1, 1]), (np.eye(2), -np.eye(2)), "has a negative diagonal"),
    (([0, np.nan], [1, 1]), (np.eye(2), np.eye(2)), "mean=.* contains NaN"),
    (([0, 0], [1, 1]), (np.ones((2, 2)), np.ones((2, 2))), "singular: 1 of the features 'x0', 'x1' can be"),
    (([1, 1], [1, 1]), (np.eye(2), np.eye(2)), "both classes have the same mean in every feature"),
]
SCORED = [
    (IRIS.X[:, :3], "X has 3 columns; pass 4"),
    (IRIS.X[0], r"X has shape \(4,\)"),
    (IRIS.X * np.nan, r"X has missing values \(NaN\) in 150 rows"),
    (dict(zip(IRIS.feature_names[:3], IRIS.X.T, strict=False)), "X has no column 'petal_width'; pass the columns"),
]
DISTANCES = [
    (X6, Y6, {"class_label": 2}, r"class_label=2 is not a label in y; labels are \[0, 1\]"),
    (X6, Y6[:3], {"class_label": 0}, "X has 12 rows, but y has 3"),
    (X6, Y6, {"class_label": 0, "metric": "manhattan"}, "metric='manhattan' is not allowed"),
    (X6, Y6, {"class_label": 0, "leave_one_out": "yes"}, "leave_one_out='yes' is not allowed"),
    (X6 * np.nan, Y6, {"class_label": 0}, "missing values .NaN. in 12 rows; pass nan_policy='omit'"),
    (X6 * np.nan, Y6, {"class_label": 0, "nan_policy": "omit"}, "class_label=0 has 0 observations"),
    (np.where(X6 > 0, np.inf, X6), Y6, {"class_label": 0}, "x0 has [0-9]+ infinite values?; pass"),
    (X6, np.arange(12) == 0, LEAVE_ONE_OUT, "class_label=True has 1 observation without missing values; at least 2"),
    (X6[:4], Y6[:4], MAHALANOBIS, "the class has 2 observations .* X has 2 features; at least 3"),
    (np.column_stack([X6, Y6]), Y6, MAHALANOBIS, "constant in the class: 'x2'"),
    (
        np.column_stack([X6, 2 * X6[:, 0]]),
        Y6,
        MAHALANOBIS,
        "singular: 1 of the features 'x0', 'x2' can be .* metric='euclidean'",
    ),
    (
        np.column_stack([X6, np.arange(12) == 4]),
        Y6,
        MAHALANOBIS | {"leave_one_out": True},
        "the covariance matrix of the class becomes singular if row 4 is left out",
    ),
]


def test_invalid_arguments_are_refused():
    from_stats = partial(LinearCombination.from_stats, criterion="ameans")
    iris = fit_linear_combination(IRIS.X, IRIS.y, **CLASSES, **NAMES, n_folds=None)
    check_refused((partial(fit_linear_combination, X, y, **options), words) for X, y, options, words in FITS)
    check_refused((partial(from_stats, mean=mean, covariance=S), words) for mean, S, words in MOMENTS)
    check_refused((partial(iris.score, X), words) for X, words in SCORED)
    check_refused((partial(class_mean_distance, X, y, **options), words) for X, y, options, words in DISTANCES)
