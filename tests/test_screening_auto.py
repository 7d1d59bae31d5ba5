"""Screening with family="auto": rows with an empirical AUC agree with predict_roc(family="auto")."""

import csv
import io
import json

import numpy as np
import pytest
from scipy import sparse

import rocpredict as rp
from rocpredict.base.validation import RocPredictError
from rocpredict.cli import main
from rocpredict.screening import screen as screen_module
from rocpredict.solvers.shrinkage import evaluate_batch
from tests.cases import refuses
from tests.samples import usual_features

pytestmark = pytest.mark.filterwarnings("ignore:the data contradict")  # either direction is declared
CLASSES = {"positive": "sick", "negative": "well"}
PREDICTED = ("auc", "threshold", "ameans", "ameans_corrected", "tpr", "fpr", "misfit")
WEIGHTED = (*PREDICTED, "model_weight")


def _table(seed=0, rows=60):
    """Return features of all kinds: normal, skewed, tied, binary, lower, mostly 0, with NaN, offset, with two modes."""
    rng, y, usual = usual_features(seed, rows)
    sick = y == "sick"
    X = np.column_stack(
        [
            *usual,
            np.where(rng.random(rows) < 0.6, 0.0, rng.exponential(size=rows) * (1 + 2 * sick)),
            np.where(rng.random(rows) < 0.2, np.nan, rng.normal(size=rows) + 0.5 * sick),
            rng.normal(1e4, 1e-2, rows) + 2e-2 * sick,
            np.where(rng.random(rows) < 0.5, -3, 3) * ~sick + rng.normal(size=rows),
        ]
    )
    return X, y


def _screened(X, y, **options):
    return rp.screen(X, y, **{**CLASSES, **options}, family="auto").in_input_order()


def _predicted(x, y, direction, **classes):
    return rp.predict_roc(x, y, **{**CLASSES, **classes}, family="auto", direction=direction, nan_policy="omit")


def assert_equal_columns(result, expected, columns=WEIGHTED, rtol=1e-10, atol=1e-12):
    for name in columns:
        np.testing.assert_allclose(result[name], expected[name], rtol=rtol, atol=atol, err_msg=name)


@pytest.mark.parametrize("direction", ["higher", "lower", None, "auto"])
def test_each_row_agrees_with_predict_roc(direction):
    """AUC, best Ameans and rates to 1e-7.

    With "auto" a row is the estimate of exchanged classes where positives have lower values.
    """
    X, y = _table()
    table = _screened(X, y, direction=direction)
    assert (set(table["direction"]) == {"lower", "higher"}) == (direction == "auto")
    for j, x in enumerate(X.T):
        exchanged = direction == "auto" and table["direction"][j] == "lower"
        classes = {"positive": "well", "negative": "sick"} if exchanged else {}
        roc = _predicted(x, y, direction, **classes)
        auc = 1 - roc.auc() if exchanged or direction == "lower" else roc.auc()
        assert table["auc"][j] == pytest.approx(auc, abs=1e-7), j
        assert table["ameans"][j] == pytest.approx(roc.best_threshold().ameans, abs=1e-7), j
        assert table["ameans_corrected"][j] == table["ameans"][j]
        if direction != "auto":
            rates = roc.rates(table["threshold"][j])
            assert table["tpr"][j] == pytest.approx(rates.tpr, abs=1e-7), j
            assert table["fpr"][j] == pytest.approx(rates.fpr, abs=1e-7), j
    assert (table["family"] == "auto").all()


def test_model_weight_and_misfit_are_those_of_model_fit():
    """Features with a model weight between 0 and 1, to 1e-6."""
    X, y = _table(3)
    table = _screened(X, y, direction="higher")
    shared = np.flatnonzero((table["model_weight"] < 1) & (table["model_weight"] > 0))
    assert len(shared) >= 4
    for j in shared:
        fit = _predicted(X[:, j], y, "higher").model_fit()
        assert table["model_weight"][j] == pytest.approx(fit.model_weight, abs=1e-6)
        assert table["misfit"][j] == pytest.approx(fit.area_between, abs=1e-6)
    assert table["model_weight"][8] < 0.5 < table["model_weight"][0]  # two modes; normal
    assert not table.flag_mask("misfit").any()
    assert rp.screen(X, y, **CLASSES).flag_mask("misfit").any()


def test_missing_values_are_those_of_a_table_without_these_rows():
    """Features with 0, 1 and many missing values, in one table and alone with the rows that are there: to 1e-10."""
    rng = np.random.default_rng(4)
    X, y = _table(4)
    X[:, :3][rng.random((len(y), 3)) < 0.15] = np.nan
    X[7, 4] = np.nan
    table = _screened(X, y)
    for j, x in enumerate(X.T):
        there = ~np.isnan(x)
        assert_equal_columns(table[[j]], _screened(x[there, None], y[there]))
    assert (table["n_missing"] == np.isnan(X).sum(axis=0)).all()


@pytest.mark.extra("polars")
def test_one_table_in_other_orders_forms_blocks_and_threads(monkeypatch):
    """Features in another order, blocks of another size: to 1e-10; sparse or a frame: to 1e-12; three threads: equal.

    Exchanged labels mirror the AUC and keep the model weight, and the Ameans up to the plateau of good thresholds.
    """
    import polars as pl

    rng = np.random.default_rng(5)
    X, y = _table(5)
    table = _screened(X, y)
    for make in (sparse.csr_array, pl.DataFrame):
        assert_equal_columns(_screened(make(X), y), table, rtol=1e-12, atol=0)
    other = _screened(X, y, positive="well", negative="sick")
    np.testing.assert_allclose(other["auc"], 1 - table["auc"], rtol=1e-7)
    assert_equal_columns(other, table, ("model_weight",), rtol=1e-6, atol=0)
    assert_equal_columns(other, table, ("ameans",), rtol=0, atol=0.01)  # of two middle cuts the other one
    order = rng.permutation(X.shape[1])
    assert_equal_columns(_screened(X[:, order], y), table[order])
    monkeypatch.setattr("rocpredict.screening.columns._MAX_BLOCK_FEATURES", 2)
    small, threads = _screened(X, y), _screened(X, y, n_jobs=3)
    assert_equal_columns(small, table)
    for name in (*WEIGHTED, "family"):
        np.testing.assert_array_equal(threads[name], small[name], err_msg=name)


def test_only_rows_with_an_empirical_auc_are_estimated():
    """With "top" these have the columns of a full screening; the others those of two Gaussians; progress ascends."""
    X, y = _table(7)
    calls = [], []
    top = _screened(X, y, empirical="top", n_top=3, progress=lambda *done: calls[0].append(done))
    full = _screened(X, y, progress=lambda *done: calls[1].append(done))
    assert calls == (sorted(calls[0]), sorted(calls[1]))
    assert (calls[0][-1], calls[1][-1]) == ((3, 3), (9, 9))
    blocks = []
    rp.screen(np.tile(X, 50), y, **CLASSES, family="auto", progress=lambda *done: blocks.append(done))
    assert blocks == sorted(blocks)
    assert blocks[-1] == (450, 450)
    assert 1 < len(blocks) < 450, "each block is reported"
    plain = rp.screen(X, y, **CLASSES, empirical="top", n_top=3).in_input_order()
    counted = ~np.isnan(top["empirical_auc"])
    assert counted.sum() == 3
    np.testing.assert_array_equal(top["family"], np.where(counted, "auto", "gaussian"))
    np.testing.assert_array_equal(np.isnan(top["model_weight"]), ~counted)
    for name in PREDICTED:
        np.testing.assert_allclose(top[name], np.where(counted, full[name], plain[name]), rtol=1e-10, err_msg=name)
    for name in ("empirical_auc", "p_value", "effect_size", "direction", "negative_mean"):
        np.testing.assert_array_equal(top[name], plain[name])
    assert np.isnan(top["auc_low"][counted]).all()
    np.testing.assert_array_equal(top["auc_low"][~counted], plain["auc_low"][~counted])


def test_class_pairs_and_weights():
    """Each label against the rest is a screening of two classes; whole weights are repeated rows: to 1e-10."""
    iris = rp.datasets.load_iris()
    table = rp.screen(iris.X[:, :2], iris.y, family="auto").in_input_order()
    for k, (_, positive) in enumerate(table.class_pairs):
        single = rp.screen(iris.X[:, :2], iris.y, positive=positive, family="auto").in_input_order()
        assert_equal_columns(table[2 * k : 2 * k + 2], single)
    X, y = _table(8, rows=60)
    weights = np.random.default_rng(8).integers(0, 4, 60)
    repeated = _screened(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert_equal_columns(_screened(X, y, weights=weights), repeated)
    refuses("weights are not whole", _screened, X, y, weights=weights / 2)


def test_features_without_a_prediction_have_the_flags_of_two_gaussians():
    """Constant, empty, a single value, infinite, too large, the label; the neighbours are not changed."""
    rng = np.random.default_rng(9)
    y = np.arange(40) % 2
    good = rng.normal(size=40) + y
    single = np.where((y == 0) | (np.arange(40) == 1), good, np.nan)
    infinite = np.where(np.arange(40) == 3, np.inf, good)
    half = np.where(y == 1, 3.0, good)
    X = np.column_stack([good, np.full(40, 7.1), np.full(40, np.nan), single, infinite, good * 1e200, y, half])
    plain = rp.screen(X, y).in_input_order()
    table = rp.screen(X, y, family="auto").in_input_order()
    rule = {"always_negative", "always_positive", "no_benefit", "misfit"}
    for ours, theirs in zip(table["flags"], plain["flags"], strict=True):
        assert set(ours.split()) - rule == set(theirs.split()) - rule
    assert table["family"].tolist() == ["auto", "auto", "", "", "", "", "auto", "auto"]
    unknown = np.isin(np.arange(8), [2, 3, 4, 5])
    for name in WEIGHTED:
        np.testing.assert_array_equal(np.isnan(table[name]), unknown, err_msg=name)
    assert (table["auc"][1], table["model_weight"][1]) == (0.5, 1.0)
    assert 0.97 < table["auc"][6] < 1
    alone = rp.screen(good[:, None], y, family="auto")
    assert table["auc"][0] == pytest.approx(alone["auc"][0], rel=1e-12)
    x = np.array([1.0, 2.5, 2.0, 4.0, 3.0, 6.0, 2.2])
    few = rp.screen(x[:, None], [0, 0, 0, 1, 0, 1, 0], family="auto")
    assert few["family"][0] == "auto"
    assert np.isfinite([few[name][0] for name in ("auc", "threshold", "ameans", "model_weight")]).all()


def test_infinite_thresholds_name_the_class_that_is_predicted():
    """A constant feature, and one that is reversed to the declared direction: the rule always predicts one class."""
    y = np.arange(40) % 2
    table = rp.screen(np.column_stack([np.full(40, 3), 1 - y]), y, family="auto", direction="higher").in_input_order()
    assert table["threshold"].tolist() == [np.inf, -np.inf]
    flags = [set(words.split()) & {"always_positive", "always_negative"} for words in table["flags"]]
    assert flags == [{"always_negative"}, {"always_positive"}]


def test_the_unit_of_a_feature_changes_nothing_but_the_threshold():
    """At 1e-140 and 1e140: AUC, Ameans and model weight to 1e-9, thresholds in proportion."""
    X, y = _table(11)
    base = _screened(X[:, :6], y)
    for scale in (1e-140, 1e140):
        scaled = _screened(X[:, :6] * scale, y)
        assert_equal_columns(scaled, base, ("auc", "ameans", "model_weight"), rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(scaled["threshold"] / scale, base["threshold"], rtol=1e-6, atol=1e-9)


def test_small_samples_agree_with_the_engine_of_one_feature():
    """From 2 values a class on, ties or none: AUC to 1e-5, the Ameans to 1e-9, of 32 random features."""
    rng = np.random.default_rng(12)
    for n0, n1 in [(2, 2), (2, 5), (4, 3), (9, 12)]:
        a, b = rng.normal(size=(8, n0)), rng.normal(size=(8, n1)) + rng.uniform(-1, 3, 8)[:, None]
        a[::2], b[::2] = np.round(a[::2]), np.round(b[::2])
        many = evaluate_batch(a, b, lower=False, declared=True)
        for j in range(8):
            roc = rp.predict_roc(
                np.concatenate([a[j], b[j]]), np.repeat([0, 1], [n0, n1]), family="auto", direction="higher"
            )
            assert many.auc[j] == pytest.approx(roc.auc(), abs=1e-5)
            assert many.rule.ameans[j] == pytest.approx(roc.best_threshold().ameans, abs=1e-9)


def test_family_and_model_weight_are_columns_of_the_result():
    X, y = _table(13)
    table = rp.screen(X, y, **CLASSES, family="auto", empirical="top", n_top=4)
    assert table.family == "auto"
    expected = table["family"].tolist()
    assert sorted(set(expected)) == ["auto", "gaussian"]
    rows = list(csv.DictReader(io.StringIO(table.to_csv(), newline="")))
    assert [row["family"] for row in rows] == expected
    assert [row["model_weight"] == "" for row in rows] == [family == "gaussian" for family in expected]
    assert {"family", "model_weight"} <= set(table.display_columns())
    columns = [f'<th scope="col"><bdi>{name}</bdi></th>' for name in ("family", "model_weight")]
    assert "".join(columns) in table._repr_html_()
    assert table[table["family"] == "auto"].sort("model_weight")["family"].tolist() == ["auto"] * 4
    for kind in ("ranking", "agreement", "volcano"):
        assert table.plot(kind=kind).figure is not None
    plain = rp.screen(X, y, **CLASSES)
    assert plain.family == "gaussian"
    assert "family" not in plain
    assert "model_weight" not in plain


def test_a_gaussian_column_without_a_shrunk_estimate_is_nan(monkeypatch):
    """Rows with family "auto" never show a number of the Gaussian model under the name of a new column."""
    gaussian_prediction = screen_module.predict

    def predict_more(*arguments):
        prediction = gaussian_prediction(*arguments)
        prediction.model_columns["new"] = prediction.model_columns["auc"]
        return prediction

    monkeypatch.setattr(screen_module, "predict", predict_more)
    monkeypatch.setattr(screen_module, "_COLUMNS", (*screen_module._COLUMNS, "new"))
    table = rp.screen(*_table(14), **CLASSES, family="auto", empirical="top", n_top=4)
    assert np.array_equal(np.isnan(table["new"]), table["family"] == "auto")
    assert not np.isnan(table["auc"]).any()


def test_screenings_without_rows_are_refused():
    X, y = _table(15)
    for data in ((rp.summarize(X, y, **CLASSES),), (iter([(X, y)]),), (X, y)):
        with pytest.raises(RocPredictError, match="family='auto' is not available with empirical=False"):
            rp.screen(*data, **CLASSES, empirical=False, family="auto")
    with pytest.raises(RocPredictError, match="family='kde' is not available for screening; use 'gaussian' or 'auto'"):
        rp.screen(X, y, **CLASSES, family="kde")


def test_the_command_line(capsys, tmp_path):
    words = ["screen", "iris", "--positive", "virginica", "--negative", "versicolor", "--family", "auto"]
    iris = rp.datasets.load_iris()
    table = rp.screen(iris.X, iris.y, positive="virginica", negative="versicolor", family="auto")
    assert main(words) == 0
    out = capsys.readouterr().out
    assert (
        "auc is predicted from two Gaussians for features with family 'gaussian'; empirical_auc is computed from ranks."
        in out
    )
    assert "model_weight is the weight of this model" in " ".join(out.split())
    assert main([*words, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["family"] == "auto"
    assert [row["model_weight"] for row in result["features"]] == pytest.approx(table["model_weight"].tolist())
    assert [row["auc_low"] for row in result["features"]] == [None] * 4
    assert main([*words, "--out", str(tmp_path / "ranking.csv")]) == 0
    capsys.readouterr()
    rows = list(csv.DictReader((tmp_path / "ranking.csv").read_text().splitlines()))
    assert [row["family"] for row in rows] == ["auto"] * 4
    assert main([*words, "--empirical", "no"]) == 2
    assert "is not available with --empirical no" in capsys.readouterr().err
