"""A screening agrees with the functions of one feature, with SciPy and with simulations."""

from itertools import product

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad

import rocpredict as rp
from rocpredict.distributions.normality import suppress_misfit_warning
from rocpredict.inference.hypotheses import adjust_p_values
from rocpredict.screening.columns import GaussianPairs, _expected_square
from rocpredict.screening.kernels.base import effective_n_jobs
from tests.cases import ENGINES, check_each
from tests.samples import usual_features

CLASSES = {"positive": "sick", "negative": "well"}
SETTINGS = [(20, 0.0), (60, 0.0), (60, 1.0), (60, 2.5), (400, 0.3)]


def _table(seed=0, rows=120):
    """Return features of all kinds: normal, skewed, tied, binary, lower in positives, with NaN, with an offset."""
    rng, y, usual = usual_features(seed, rows)
    sick = y == "sick"
    X = np.column_stack(
        [
            *usual,
            np.where(rng.random(rows) < 0.2, np.nan, rng.normal(size=rows) + 0.5 * sick),
            rng.normal(1e6, 1e-3, rows) + 2e-3 * sick,
            rng.normal(size=rows) * np.where(sick, 3, 1),
        ]
    )
    return X, y


def test_each_row_agrees_with_the_functions_of_one_feature():
    """Two independent routes: a screening, and predict_roc and empirical_roc feature by feature; to 1e-9."""
    X, y = _table()
    tables = [rp.screen(X, y, **CLASSES, engine=engine).in_input_order() for engine in ENGINES]
    for j, x in enumerate(X.T):
        lower = tables[0]["direction"][j] == "lower"
        options = {**CLASSES, "nan_policy": "omit"}
        with suppress_misfit_warning():  # the exponential feature is skewed
            predicted = rp.predict_roc(x, y, **options)
            best = rp.predict_roc(x, y, **options, direction="lower" if lower else None).best_threshold()
        empirical = rp.empirical_roc(x, y, **options)
        expected = {
            "auc": predicted.auc(),
            "auc_low": predicted.auc_interval(method="delta").low,
            "auc_high": predicted.auc_interval(method="delta").high,
            "empirical_auc": empirical.auc(),
            "empirical_se": empirical.auc_std_error(),
            "empirical_low": empirical.auc_interval().low,
            "empirical_high": empirical.auc_interval().high,
            "threshold": best.threshold,
            "ameans": best.ameans,
            "tpr": best.tpr,
            "fpr": best.fpr,
            "negative_mean": predicted.negative.mean,
            "positive_std": predicted.positive.std,
        }
        assert lower == (predicted.auc() < 0.5)
        for table in tables:
            assert (table["direction"][j] == "lower") == lower
            for name, value in expected.items():
                assert table[name][j] == pytest.approx(value, rel=1e-9, abs=1e-12), (name, j)


def test_p_and_q_values_and_effect_sizes():
    X, y = _table(1)
    classes = [(x[(y == "sick") & ~np.isnan(x)], x[(y == "well") & ~np.isnan(x)]) for x in X.T]
    tests = [stats.mannwhitneyu(*pair, use_continuity=False, method="asymptotic") for pair in classes]
    expected = [test.pvalue for test in tests]
    for engine in ENGINES:
        table = rp.screen(X, y, **CLASSES, engine=engine).in_input_order()
        np.testing.assert_allclose(table["p_value"], expected, rtol=1e-10)
        np.testing.assert_allclose(table["q_value"], stats.false_discovery_control(expected), rtol=1e-10)
    X, y = _table(2)
    table = rp.screen(X, y, **CLASSES, empirical=False).in_input_order()
    expected = [stats.ttest_ind(x[y == "sick"], x[y == "well"], equal_var=False, nan_policy="omit").pvalue for x in X.T]
    np.testing.assert_allclose(table["p_value"], expected, rtol=1e-7)
    assert np.isnan(table["empirical_auc"]).all()
    one, other = X[y == "sick", 0], X[y == "well", 0]
    squares = one.var(ddof=1) * (len(one) - 1) + other.var(ddof=1) * (len(other) - 1)
    d = (one.mean() - other.mean()) / np.sqrt(squares / (len(X) - 2))
    assert table["effect_size"][0] == pytest.approx(d, rel=1e-12)


def test_p_values_of_rare_binary_features_are_exact():
    """With an expected count below 5, as by permutation of all labels; from 5 on, the normal approximation.

    The level of the test at 5%, summed over all tables, is at most 0.0525; without exact p-values it is up to 0.072.
    """
    for sizes in ((30, 6), (6, 30), (9, 11)):
        y = np.repeat([0, 1], sizes)
        tables = [(a, b) for a in range(sizes[0] + 1) for b in range(sizes[1] + 1)]
        X = np.array([np.repeat([0, 1, 0, 1], [sizes[0] - a, a, sizes[1] - b, b]) for a, b in tables], float).T
        p_values, *others = (rp.screen(X, y, positive=1, engine=one).in_input_order()["p_value"] for one in ENGINES)
        for other in others:
            np.testing.assert_allclose(other, p_values, rtol=1e-12)
        for (a, b), x, p_value in [*zip(tables, X.T, p_values, strict=True)][::11]:
            rare = min(a + b, sum(sizes) - a - b)
            is_exact = 0 < rare * min(sizes) < 5 * sum(sizes)
            expected = rp.auc_test(x, None, y, method="exact" if is_exact else "mann-whitney").p_value
            assert p_value == pytest.approx(expected, rel=1e-12), (sizes, a, b)
        rejects = p_values <= 0.05
        for rate in (0.01, 0.03, 0.1, 0.2, 0.5):
            chance = [stats.binom(sizes[0], rate).pmf(a) * stats.binom(sizes[1], rate).pmf(b) for a, b in tables]
            assert np.sum(np.array(chance)[rejects]) <= 0.0525
    three = np.array([[0.0, 0, 0, 1, 0, 0, 0, 2, 0, 0]]).T  # rare, but not binary
    y = np.array([0, 0, 0, 0, 1, 1, 0, 1, 0, 0])
    p_value = rp.screen(three, y, positive=1)["p_value"][0]
    assert p_value == pytest.approx(rp.auc_test(three[:, 0], None, y, method="mann-whitney").p_value, rel=1e-12)


def test_misfit_equals_the_area_between_the_curves():
    """The misfit is the ``area_between`` of ``compare``; the flag is raised for the exponential feature only."""
    X, y = _table(4, rows=2000)
    table = rp.screen(X, y, **CLASSES).in_input_order()
    for j in (0, 1, 4, 6, 7):
        with suppress_misfit_warning():
            predicted = rp.predict_roc(X[:, j], y, **CLASSES)
        between = rp.compare(predicted, rp.empirical_roc(X[:, j], y, **CLASSES)).area_between
        assert table["misfit"][j] == pytest.approx(between, rel=1e-9)
    assert table.flags["misfit"][1]  # exponential
    assert not table.flags["misfit"][[0, 4, 6, 7]].any()


def test_expected_misfit_is_the_integral_of_the_variance_of_an_empirical_curve():
    """The mean at 64 FPRs is within 0.8% of SciPy's adaptive integral; with 65 FPRs it would be 1.5% off."""
    shift, ratio, n0, n1 = np.array([[0.0, 0.5, 1.5, 1.0], [1.0, 1.0, 0.8, 1.3], [20, 5, 60, 200], [30, 40, 9, 200]])
    pairs = GaussianPairs(np.ones(4, bool), 0 * shift, ratio, shift, 1 + 0 * shift, n0, n1, np.zeros(4, bool))

    def variance(fpr, shift, ratio, n0, n1):
        probit = shift + ratio * stats.norm.ppf(fpr)
        slope = ratio * stats.norm.pdf(probit) / stats.norm.pdf(stats.norm.ppf(fpr))
        return stats.norm.cdf(probit) * stats.norm.sf(probit) / n1 + slope**2 * fpr * (1 - fpr) / n0

    expected = [quad(variance, 0, 1, args=each, limit=200)[0] for each in zip(shift, ratio, n0, n1, strict=True)]
    np.testing.assert_allclose(_expected_square(pairs), expected, rtol=0.008)


def test_two_gaussians_get_the_misfit_flag_in_1_percent():
    """4,000 features of two Gaussians; a share of 1% gives more than 71 (1.8%) with probability below 1e-5."""
    rng = np.random.default_rng(5)
    y = np.arange(80) % 2
    table = rp.screen(rng.normal(size=(80, 4000)) + 0.8 * y[:, None], y)
    assert 8 < table.flags["misfit"].sum() < 72


def test_equal_features_keep_their_order():
    X, y = _table(8)
    table = rp.screen(np.column_stack([X[:, 0], X[:, 4], X[:, 0], -X[:, 0]]), y, **CLASSES)
    assert table["feature"].tolist() == ["x1", "x0", "x2", "x3"]
    assert table["empirical_auc"][3] == pytest.approx(1 - table["empirical_auc"][1], abs=1e-15)


def _corrected_ameans_bias(rows, shift, kind):
    """Return the mean of the corrected Ameans less the true one over features, and that of the plain Ameans."""
    auto = kind == "auto"
    rng, y = np.random.default_rng(10 if auto else 6), np.arange(rows) % 2
    X = rng.normal(size=(rows, 200 if auto else 2000)) + shift * y[:, None]
    table = rp.screen(X, y, family="auto") if auto else rp.screen(X, y, empirical=kind)
    sign, t = np.where(table["direction"] == "lower", -1, 1), table["threshold"]
    true = (stats.norm.cdf(sign * t) + stats.norm.sf(sign * (t - shift))) / 2
    return np.mean(table["ameans_corrected"] - true), np.mean(table["ameans"] - true)


def test_the_corrected_ameans_is_unbiased():
    """The mean over 2,000 features against the true Ameans of their rules: within .02 (.0225 at 10 per class).

    The standard error of the mean is below .0025, so a bias inside .012 fails with probability below 1e-3; the naive
    Ameans fails by far in the first two settings. With family "auto" there are 200 features, the standard error is
    below .007 and the bias below .006: another seed would fail with a probability below .05.
    """

    def check(case):
        rows, shift, _ = case
        corrected, plain = _corrected_ameans_bias(*case)
        tolerance = 0.0225 if rows == 20 else 0.02
        assert abs(corrected) < tolerance
        if shift == 0:
            assert plain > 2 * tolerance

    settings = [(rows, shift, kind) for rows, shift in SETTINGS for kind in (True, False)]
    check_each({str(case): case for case in (*settings, (40, 1.0, "auto"))}, check)


def test_the_corrected_ameans_of_identical_classes_is_too_high_by_the_stated_bias():
    """The page "How auto works" states .04 for a direction chosen at 20 per class; SE .003 with 1,000 features."""
    y = np.arange(40) % 2
    table = rp.screen(np.random.default_rng(20).normal(size=(40, 1000)), y, family="auto")
    assert 0.03 < np.mean(table["ameans_corrected"]) - 0.5 < 0.05


def test_the_corrected_ameans_is_unbiased_where_the_gaussians_do_not_fit():
    """Exponential classes of means 1 and 4: the predicted Ameans is .07 too high, the corrected one less than .02."""
    rng = np.random.default_rng(7)
    y = np.arange(200) % 2
    X = rng.exponential(size=(200, 1000)) * np.where(y == 1, 4, 1)[:, None]
    table = rp.screen(X, y)
    t = np.maximum(table["threshold"], 0)
    true = (1 - np.exp(-t) + np.exp(-t / 4)) / 2
    assert np.mean(table["ameans"] - true) > 0.06
    assert abs(np.mean(table["ameans_corrected"] - true)) < 0.02


def test_all_processors_are_used_on_request(monkeypatch):
    for count, n_threads in ((7, 7), (None, 1)):
        monkeypatch.setattr("rocpredict.screening.kernels.base.cpu_count", lambda count=count: count)
        assert effective_n_jobs(-1) == n_threads


def test_adjusted_p_values_are_those_of_scipy_and_statsmodels_formulas():
    p = np.random.default_rng(10).random(50) ** 3
    np.testing.assert_allclose(adjust_p_values(p), stats.false_discovery_control(p), rtol=1e-14)
    np.testing.assert_allclose(
        adjust_p_values(p, "benjamini-yekutieli"), stats.false_discovery_control(p, method="by"), rtol=1e-14
    )
    np.testing.assert_allclose(adjust_p_values(p, "bonferroni"), np.minimum(p * 50, 1))
    order = np.argsort(p)
    holm = np.empty(50)
    holm[order] = np.minimum(np.maximum.accumulate(np.sort(p) * np.arange(50, 0, -1)), 1)
    np.testing.assert_allclose(adjust_p_values(p, "holm"), holm)


def test_the_rows_of_class_pairs_are_those_of_two_classes():
    """Three labels: each against the rest, and every pair; twelve labels, whose rest is merged from both ends."""
    iris = rp.datasets.load_iris()
    rest = rp.screen(iris.X, iris.y)
    assert len(rest) == 12
    assert rest.class_pairs == (("rest", "setosa"), ("rest", "versicolor"), ("rest", "virginica"))
    rng = np.random.default_rng(18)
    many = rng.integers(0, 12, 600)
    shifted = rng.normal(size=(600, 4)) + 0.1 * many[:, None] * [1, 0, -1, 2]
    for X, y, options in ((iris.X, iris.y, {}), (iris.X, iris.y, {"pairs": "all"}), (shifted, many, {"moments": 4})):
        result = rp.screen(X, y, **options)
        table = result.in_input_order()
        for k, (negative, positive) in enumerate(result.class_pairs):
            named = None if negative == "rest" else negative
            single = rp.screen(X, y, positive=positive, negative=named, **options).in_input_order()
            for name in set(single) - {"q_value", "feature", "direction"}:
                np.testing.assert_allclose(table[name][4 * k : 4 * k + 4], single[name], rtol=1e-12, atol=1e-15)
    one = rp.screen(iris.X, iris.y, positive="virginica", pairs="all")
    assert one.class_pairs == (("setosa", "virginica"), ("versicolor", "virginica"))


def test_top_gives_empirical_results_for_the_best_predicted_features():
    """With "top" these rows are those of a full screening, and the others have Welch's p."""
    rng = np.random.default_rng(11)
    y = np.arange(100) % 2
    X = rng.normal(size=(100, 30)) + np.linspace(0, 1, 30) * y[:, None]
    full, none = (rp.screen(X, y, empirical=empirical).in_input_order() for empirical in (True, False))
    top = rp.screen(X, y, empirical="top", n_top=7).in_input_order()
    counted = ~np.isnan(top["empirical_auc"])
    assert counted.sum() == 7
    np.testing.assert_array_equal(top["p_value"], np.where(counted, full["p_value"], none["p_value"]))
    np.testing.assert_array_equal(
        top["ameans_corrected"], np.where(counted, full["ameans_corrected"], none["ameans_corrected"])
    )


def test_whole_weights_equal_repeated_rows():
    X, y = _table(12, rows=60)
    weights = np.random.default_rng(12).integers(0, 4, 60)
    weighed = rp.screen(X, y, **CLASSES, weights=weights).in_input_order()
    repeated = rp.screen(np.repeat(X, weights, axis=0), np.repeat(y, weights), **CLASSES).in_input_order()
    for name in repeated:
        if name in {"feature", "direction"}:
            np.testing.assert_array_equal(weighed[name], repeated[name])
        elif name != "n_missing":
            np.testing.assert_allclose(weighed[name], repeated[name], rtol=1e-9, atol=1e-12, err_msg=name)


def test_p_values_of_constant_features_and_of_the_label():
    """The label: one of all orders of the labels, in two directions. Features without values are last."""
    y = np.arange(40) % 2
    X = np.column_stack([np.random.default_rng(13).normal(size=40) + y, np.full(40, 7.0), np.full(40, np.nan), y])
    table = rp.screen(X, y)
    assert table.feature("x1")["p_value"][0] == 1
    assert table["feature"][-1] == "x2"
    few = rp.screen(X, y, empirical=False).feature("x3")
    assert few["p_value"][0] == pytest.approx(2 * stats.hypergeom.pmf(0, 40, 20, 20), rel=1e-9)


def test_intervals_of_rare_features_cover():
    """Ones in 2% of 50 negatives and 10% of 10 positives: 2,000 features, true AUC .54, covered by 94% or more.

    The coverage is above .99, so that fewer have a probability below 1e-12; by row as by feature.
    """
    rng = np.random.default_rng(15)
    y = np.repeat([0, 1], [50, 10])
    X = (rng.random((60, 2000)) < np.where(y == 1, 0.1, 0.02)[:, None]).astype(float)
    table = rp.screen(X, y)
    assert np.mean((table["empirical_low"] <= 0.54) & (table["empirical_high"] >= 0.54)) >= 0.94
    for row in range(0, 2000, 250):
        interval = rp.empirical_roc(X[:, table.row_index[row]], y).auc_interval()
        assert table["empirical_low"][row] == pytest.approx(interval.low, rel=1e-12)
        assert table["empirical_high"][row] == pytest.approx(interval.high, rel=1e-12)
        assert ("fallback" in interval.flags) == table.flag_mask("fallback")[row]


def test_a_class_without_spread_gives_no_small_p():
    """Null features that are 1 in 1% of the rows, 10 of a class: Welch's p alone is below 1e-3 for many of them.

    Here no more than 1 in 1,000 of 4,000: expected are none, so that 5 have a probability below 1e-3.
    """
    rng = np.random.default_rng(16)
    y = np.repeat([0, 1], [1000, 10])
    X = (rng.random((1010, 4000)) < 0.01).astype(float)
    table = rp.screen(X, y, empirical=False).in_input_order()
    assert (table["p_value"] < 1e-3).sum() <= 4
    blind = table.flag_mask("point_mass") & ~table.flag_mask("constant")
    assert blind.sum() > 2000
    pooled, welch = (stats.ttest_ind(X[:1000], X[1000:], equal_var=equal).pvalue for equal in (True, False))
    np.testing.assert_allclose(table["p_value"][blind], np.maximum(pooled, welch)[blind], rtol=1e-9)
    assert ((table["auc_low"] <= 0.5) & (table["auc_high"] >= 0.5))[blind].mean() > 0.99
    assert np.isnan(table["ameans_corrected"][blind]).all()
    equal = rp.screen(np.tile(np.arange(10.0), 2)[:, None], np.repeat([0, 1], 10))
    assert np.isinf(equal["threshold"][0])
    assert equal["ameans_corrected"][0] == 0.5


def test_p_values_of_rare_values_do_not_depend_on_other_columns():
    """The exact test of two values sums probabilities; equal columns, alone and together, have the same sum."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        x, y = rng.random(3_000) < 0.01, rng.random(3_000) < 0.1
        one, two = (rp.screen(np.column_stack([x] * n).astype(float), y)["p_value"] for n in (1, 2))
        assert one[0] == two[0] == two[1]


def test_any_number_of_threads_gives_the_same_bits(monkeypatch):
    monkeypatch.setattr("rocpredict.screening.kernels.counts.BLOCK_BYTES", 160_000)
    rng = np.random.default_rng(9)
    y = rng.integers(0, 2, 5000)
    X = rng.normal(size=(5000, 40)) + 0.1 * y[:, None]
    for engine, moments in product(ENGINES, (2, 4)):
        one, three = (rp.screen(X, y, engine=engine, n_jobs=jobs, moments=moments) for jobs in (1, 3))
        for name in one:
            np.testing.assert_array_equal(one[name], three[name])
