"""A screening says of each feature what the one-feature functions say, and says so for every kind of table."""

import numpy as np
import pytest
from scipy import stats

import rocpredict as rp
from rocpredict.distributions.normality import suppress_normality_warning
from rocpredict.screening.result import adjust_p_values

ENGINES = ("numpy", "numba")
CLASSES = {"positive": "sick", "negative": "well"}


def _table(seed: int = 0, rows: int = 120) -> tuple[np.ndarray, np.ndarray]:
    """Give features of all kinds: normal, skewed, tied, binary, shifted down, with NaN, infinite, constant."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(rows) < 0.4, "sick", "well")
    sick = y == "sick"
    X = np.column_stack(
        [
            rng.normal(size=rows) + sick,
            rng.exponential(size=rows) * np.where(sick, 2, 1),
            rng.integers(0, 5, rows) + sick,
            (rng.random(rows) < np.where(sick, 0.6, 0.2)).astype(float),
            rng.normal(size=rows) - 2 * sick,
            np.where(rng.random(rows) < 0.2, np.nan, rng.normal(size=rows) + 0.5 * sick),
            rng.normal(1e6, 1e-3, rows) + 2e-3 * sick,
            rng.normal(size=rows) * np.where(sick, 3, 1),
        ]
    )
    return X, y


@pytest.mark.parametrize("engine", ENGINES)
def test_each_row_is_what_the_functions_of_one_feature_say(engine: str) -> None:
    """Two independent routes: a screening, and predict_roc and empirical_roc feature by feature; to 1e-9."""
    X, y = _table()
    table = rp.screen(X, y, **CLASSES, engine=engine).in_input_order()
    for j, x in enumerate(X.T):
        lower = table["direction"][j] == "lower"
        options = {**CLASSES, "nan_policy": "omit"}
        with suppress_normality_warning():  # the exponential feature is there on purpose
            predicted = rp.predict_roc(x, y, **options)
            ruled = rp.predict_roc(x, y, **options, direction="lower" if lower else None)
        counted = rp.empirical_roc(x, y, **options)
        best = ruled.best_threshold()
        expected = {
            "auc": predicted.auc(),
            "auc_low": predicted.auc_interval().low,
            "auc_high": predicted.auc_interval().high,
            "empirical_auc": counted.auc(),
            "empirical_se": counted.auc_std_error(),
            "empirical_low": counted.auc_interval().low,
            "empirical_high": counted.auc_interval().high,
            "threshold": best.threshold,
            "ameans": best.ameans,
            "tpr": best.tpr,
            "fpr": best.fpr,
            "negative_mean": predicted.negative.mean,
            "positive_std": predicted.positive.std,
        }
        assert (table["direction"][j] == "lower") == (predicted.auc() < 0.5)
        for name, value in expected.items():
            assert table[name][j] == pytest.approx(value, rel=1e-9, abs=1e-12), (name, j)


@pytest.mark.parametrize("engine", ENGINES)
def test_p_values_are_those_of_scipy_and_q_values_its_false_discovery_control(engine: str) -> None:
    """Against scipy's asymptotic Mann-Whitney, ties corrected, and its Benjamini-Hochberg."""
    X, y = _table(1)
    table = rp.screen(X, y, **CLASSES, engine=engine).in_input_order()
    expected = [
        stats.mannwhitneyu(
            x[(y == "sick") & ~np.isnan(x)],
            x[(y == "well") & ~np.isnan(x)],
            use_continuity=False,
            method="asymptotic",
        ).pvalue
        for x in X.T
    ]
    np.testing.assert_allclose(table["p_value"], expected, rtol=1e-10)
    np.testing.assert_allclose(table["q_value"], stats.false_discovery_control(expected), rtol=1e-10)


def test_without_counting_p_is_that_of_welchs_t_test() -> None:
    """Against scipy's t-test of unequal variances, which for two Gaussians tests an AUC of 1/2."""
    X, y = _table(2)
    table = rp.screen(X, y, **CLASSES, empirical=False).in_input_order()
    expected = [stats.ttest_ind(x[y == "sick"], x[y == "well"], equal_var=False, nan_policy="omit").pvalue for x in X.T]
    np.testing.assert_allclose(table["p_value"], expected, rtol=1e-7)
    assert np.isnan(table["empirical_auc"]).all()


def test_effect_size_is_cohens_d() -> None:
    """The difference of means over the pooled standard deviation, by its definition."""
    X, y = _table(3)
    x = X[:, 0]
    one, other = x[y == "sick"], x[y == "well"]
    squares = one.var(ddof=1) * (len(one) - 1) + other.var(ddof=1) * (len(other) - 1)
    d = (one.mean() - other.mean()) / np.sqrt(squares / (len(x) - 2))
    assert rp.screen(x[:, None], y, **CLASSES)["effect_size"][0] == pytest.approx(d, rel=1e-12)


def test_misfit_is_the_area_between_the_curves() -> None:
    """The misfit is the ``area_between`` of ``compare``; large where it should be."""
    X, y = _table(4, rows=2000)
    table = rp.screen(X, y, **CLASSES).in_input_order()
    for j in (0, 1, 4, 6, 7):
        with suppress_normality_warning():  # the exponential feature is there on purpose
            predicted = rp.predict_roc(X[:, j], y, **CLASSES)
        between = rp.compare(predicted, rp.empirical_roc(X[:, j], y, **CLASSES)).area_between
        assert table["misfit"][j] == pytest.approx(between, rel=1e-9)
    assert table.flags["misfit"][1]  # exponential
    assert not table.flags["misfit"][[0, 4, 6, 7]].any()


def test_two_gaussians_are_called_a_misfit_one_time_in_a_hundred() -> None:
    """4,000 features of two Gaussians; a share of 1 % gives more than 71 (1.8 %) with probability below 1e-5."""
    rng = np.random.default_rng(5)
    y = np.arange(80) % 2
    table = rp.screen(rng.normal(size=(80, 4000)) + 0.8 * y[:, None], y)
    assert 8 < table.flags["misfit"].sum() < 72


@pytest.mark.parametrize(("rows", "shift"), [(20, 0.0), (60, 0.0), (60, 1.0), (60, 2.5), (400, 0.3)])
@pytest.mark.parametrize("empirical", [True, False])
def test_honest_ameans_is_what_the_rule_is_worth(rows: int, shift: float, empirical: bool) -> None:
    """The mean over 2,000 features against the true Ameans of their rules: within .02 (.0225 at 10 cases a class).

    The standard error of the mean is below .0025, so a bias inside .012 fails with probability below 1e-3; the naive
    Ameans fails by far in the first two settings.
    """
    rng = np.random.default_rng(6)
    y = np.arange(rows) % 2
    table = rp.screen(rng.normal(size=(rows, 2000)) + shift * y[:, None], y, empirical=empirical)
    side = np.where(table["direction"] == "lower", -1, 1)
    t = table["threshold"]
    true = (stats.norm.cdf(side * t) + stats.norm.sf(side * (t - shift))) / 2
    tolerance = 0.0225 if rows == 20 else 0.02
    assert abs(np.mean(table["ameans_corrected"] - true)) < tolerance
    if shift == 0:
        assert np.mean(table["ameans"] - true) > 2 * tolerance


def test_honest_ameans_is_counted_where_the_gaussians_mislead() -> None:
    """Exponential classes of means 1 and 4: the prediction promises .07 too much, the honest value less than .02."""
    rng = np.random.default_rng(7)
    y = np.arange(200) % 2
    X = rng.exponential(size=(200, 1000)) * np.where(y == 1, 4, 1)[:, None]
    table = rp.screen(X, y)
    t = np.maximum(table["threshold"], 0)
    true = (1 - np.exp(-t) + np.exp(-t / 4)) / 2
    assert np.mean(table["ameans"] - true) > 0.06
    assert abs(np.mean(table["ameans_corrected"] - true)) < 0.02


def test_the_order_is_by_distance_from_one_half_and_stable() -> None:
    """Twin features keep the order they came in; signed AUCs are ranked by their distance from 1/2."""
    X, y = _table(8)
    twins = np.column_stack([X[:, 0], X[:, 4], X[:, 0], -X[:, 0]])
    table = rp.screen(twins, y, **CLASSES)
    assert table["feature"].tolist() == ["x1", "x0", "x2", "x3"]
    assert table["empirical_auc"][3] == pytest.approx(1 - table["empirical_auc"][1], abs=1e-15)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("moments", [2, 4])
def test_any_number_of_threads_gives_the_same_bits(engine: str, moments: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """One and three threads over ten blocks of columns, every column bit by bit."""
    monkeypatch.setattr("rocpredict.screening.kernels.counts.BLOCK_BYTES", 160_000)
    rng = np.random.default_rng(9)
    y = rng.integers(0, 2, 5000)
    X = rng.normal(size=(5000, 40)) + 0.1 * y[:, None]
    one, three = (rp.screen(X, y, engine=engine, n_jobs=jobs, moments=moments) for jobs in (1, 3))
    for name in one:
        np.testing.assert_array_equal(one[name], three[name])


def test_adjusted_p_values_are_those_of_scipy_and_statsmodels_formulas() -> None:
    """Benjamini-Hochberg and -Yekutieli against scipy; Holm and Bonferroni by their definitions."""
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


def test_three_labels_give_each_against_the_rest_and_every_pair() -> None:
    """Rows of three class pairs against three screenings of two classes each."""
    iris = rp.datasets.load_iris()
    rest = rp.screen(iris.X, iris.y)
    assert len(rest) == 12
    assert rest.class_pairs == (("rest", "setosa"), ("rest", "versicolor"), ("rest", "virginica"))
    pairs = rp.screen(iris.X, iris.y, pairs="all")
    for table in (rest, pairs):
        several = table.in_input_order()
        for k, (negative, positive) in enumerate(table.class_pairs):
            named = None if negative == "rest" else negative
            single = rp.screen(iris.X, iris.y, positive=positive, negative=named).in_input_order()
            for name in single:
                if name not in {"q_value", "feature", "direction"}:
                    np.testing.assert_allclose(several[name][4 * k : 4 * k + 4], single[name], rtol=1e-12, atol=1e-15)
    one = rp.screen(iris.X, iris.y, positive="virginica", pairs="all")
    assert one.class_pairs == (("setosa", "virginica"), ("versicolor", "virginica"))


def test_top_counts_the_best_predicted_and_tests_the_others_by_their_means() -> None:
    """With "top" the counted rows are those of a full screening, and the rest have Welch's p."""
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


def test_whole_weights_equal_repeated_rows() -> None:
    """All columns, against the table with its rows repeated; rows of weight 0 do not count."""
    X, y = _table(12, rows=60)
    weights = np.random.default_rng(12).integers(0, 4, 60)
    weighed = rp.screen(X, y, **CLASSES, weights=weights).in_input_order()
    repeated = rp.screen(np.repeat(X, weights, axis=0), np.repeat(y, weights), **CLASSES).in_input_order()
    for name in repeated:
        if name in {"feature", "direction"}:
            np.testing.assert_array_equal(weighed[name], repeated[name])
        elif name != "n_missing":
            np.testing.assert_allclose(weighed[name], repeated[name], rtol=1e-9, atol=1e-12, err_msg=name)


def test_features_that_cannot_be_answered_are_flagged_and_the_others_answered() -> None:
    """Constant, all NaN, missing in one class, a single value in a class, infinite, the label itself."""
    rng = np.random.default_rng(13)
    y = np.arange(40) % 2
    good = rng.normal(size=40) + y
    lonely = np.where(y == 1, np.nan, good)
    single = lonely.copy()
    single[1] = 0.3
    infinite = good.copy()
    infinite[3] = np.inf
    X = np.column_stack([good, np.full(40, 7.0), np.full(40, np.nan), lonely, single, infinite, y])
    table = rp.screen(X, y).in_input_order()
    expected = ["", "constant", "no_values", "no_values", "single_observation", "infinite", "label_leakage"]
    for words, wanted in zip(table["flags"], expected, strict=True):
        assert set(wanted.split()) <= set(words.split()), words
    alone = rp.screen(good[:, None], y)
    assert table["empirical_auc"][0] == alone["empirical_auc"][0]
    assert table["p_value"][1] == 1
    assert np.isnan(table["p_value"][2])
    assert np.isnan(table["auc"][[2, 3, 4, 5]]).all()
    assert table["empirical_auc"][5] == rp.empirical_roc(infinite, y).auc()
    assert not np.isnan(table["empirical_auc"][4])
    assert rp.screen(X, y)["feature"][-1] in {"x2", "x3"}


def test_input_is_not_changed() -> None:
    """Rows, sparse data and labels after a screening, bit by bit (immunogenomics/presto#7 ranked in place)."""
    X, y = _table(14)
    copies = X.copy(), y.copy()
    rp.screen(X, y, **CLASSES)
    np.testing.assert_array_equal(X, copies[0])
    np.testing.assert_array_equal(y, copies[1])


def test_intervals_of_rare_features_cover() -> None:
    """Ones in 2 % of 50 negatives and 10 % of 10 positives: 2,000 features, true AUC .54, covered by 94 % or more.

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


def test_a_class_without_spread_is_no_proof() -> None:
    """Null features that are 1 in 1 % of the rows, 10 of a class: Welch's p alone is below 1e-3 for many of them.

    Here no more than 1 in 1,000 of 4,000: expected are none, so that 5 have a probability below 1e-3.
    """
    rng = np.random.default_rng(16)
    y = np.repeat([0, 1], [1000, 10])
    X = (rng.random((1010, 4000)) < 0.01).astype(float)
    table = rp.screen(X, y, empirical=False)
    assert (table["p_value"] < 1e-3).sum() <= 4
    blind = table.flag_mask("point_mass") & ~table.flag_mask("constant")
    assert blind.sum() > 2000
    assert ((table["auc_low"] <= 0.5) & (table["auc_high"] >= 0.5))[blind].mean() > 0.99
    assert np.isnan(table["ameans_corrected"][blind]).all()


def test_a_rule_that_calls_everybody_alike_is_worth_one_half() -> None:
    """Equal classes: the threshold is infinite, and what such a rule is worth is known."""
    table = rp.screen(np.tile(np.arange(10.0), 2)[:, None], np.repeat([0, 1], 10))
    assert np.isinf(table["threshold"][0])
    assert table["ameans_corrected"][0] == 0.5


def test_progress_tells_how_many_of_how_many() -> None:
    """Ascending to the end, which is all features, or with "top" those that are counted."""
    X, y = _table(17)
    for empirical, total in ((True, 8), ("top", 3)):
        told: list[tuple[int, int]] = []
        rp.screen(X, y, **CLASSES, empirical=empirical, n_top=3, progress=lambda *done, told=told: told.append(done))
        assert told == sorted(told)
        assert told[-1] == (total, total)


def test_many_classes_against_the_rest_are_what_each_says_by_itself() -> None:
    """Twelve classes: the rest is put together from both ends, and equals that of a screening of one class."""
    rng = np.random.default_rng(18)
    y = rng.integers(0, 12, 600)
    X = rng.normal(size=(600, 3)) + 0.1 * y[:, None] * [1, 0, -1]
    table = rp.screen(X, y, moments=4).in_input_order()
    for label in (0, 5, 11):
        single = rp.screen(X, y, positive=label, moments=4).in_input_order()
        rows = slice(3 * label, 3 * label + 3)
        for name in ("negative_mean", "negative_std", "negative_kurtosis", "negative_minimum", "auc", "empirical_auc"):
            np.testing.assert_allclose(table[name][rows], single[name], rtol=1e-11)
