"""Screening with family="auto": the counted rows say what predict_roc(family="auto") says, and say that they do."""

import csv
import io
import json

import numpy as np
import polars as pl
import pytest
from scipy import sparse
from scipy.special import ndtr

import rocpredict as rp
from rocpredict.base.validation import RocPredictError
from rocpredict.cli import main
from rocpredict.solvers.shrinkage import evaluate_batch

pytestmark = pytest.mark.filterwarnings("ignore:the rows say the opposite")  # either direction is declared

CLASSES = {"positive": "sick", "negative": "well"}
PREDICTED = ("auc", "threshold", "ameans", "ameans_corrected", "tpr", "fpr", "misfit")


def _table(seed=0, rows=60):
    """Give features of all kinds: normal, skewed, tied, binary, shifted down, mostly 0, with NaN, far from 0, alike."""
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
            np.where(rng.random(rows) < 0.6, 0.0, rng.exponential(size=rows) * (1 + 2 * sick)),
            np.where(rng.random(rows) < 0.2, np.nan, rng.normal(size=rows) + 0.5 * sick),
            rng.normal(1e4, 1e-2, rows) + 2e-2 * sick,
            np.where(rng.random(rows) < 0.5, -3, 3) * ~sick + rng.normal(size=rows),
        ]
    )
    return X, y


def _screened(X, y, **options):
    return rp.screen(X, y, **{**CLASSES, **options}, family="auto").in_input_order()


def _asked(x, y, direction, **classes):
    """Ask about one feature by the function of one feature: its curve, and its trust."""
    return rp.predict_roc(x, y, **{**CLASSES, **classes}, family="auto", direction=direction, nan_policy="omit")


@pytest.mark.parametrize("direction", ["higher", "lower", None])
def test_each_row_is_what_predict_roc_says(direction):
    """AUC to 1e-5 (the quadrature of one feature is no better), the best Ameans to 1e-9, rates as the pair has them."""
    X, y = _table()
    table = _screened(X, y, direction=direction)
    for j, x in enumerate(X.T):
        roc = _asked(x, y, direction)
        assert table["auc"][j] == pytest.approx(1 - roc.auc() if direction == "lower" else roc.auc(), abs=1e-5), j
        assert table["ameans"][j] == pytest.approx(roc.best_threshold().ameans, abs=1e-9), j
        rates = roc.rates(table["threshold"][j])
        assert table["tpr"][j] == pytest.approx(rates.tpr, abs=1e-7), j
        assert table["fpr"][j] == pytest.approx(rates.fpr, abs=1e-7), j
        assert table["ameans"][j] == pytest.approx((table["tpr"][j] + 1 - table["fpr"][j]) / 2, abs=1e-15)
    assert (table["family"] == "auto").all()


def test_the_sample_that_chose_the_direction_declares_nothing():
    """With "auto" a row is that of the undeclared estimate, of the classes exchanged where positives lie lower."""
    X, y = _table(1)
    table = _screened(X, y)
    assert {"lower", "higher"} == set(table["direction"])
    for j, x in enumerate(X.T):
        turned = table["direction"][j] == "lower"
        classes = {"positive": "well", "negative": "sick"} if turned else {}
        roc = _asked(x, y, None, **classes)
        assert table["auc"][j] == pytest.approx(1 - roc.auc() if turned else roc.auc(), abs=1e-5)
        assert table["ameans"][j] == pytest.approx(roc.best_threshold().ameans, abs=1e-9)


def test_exchanged_labels_mirror_the_answers():
    """The AUC becomes 1 - AUC, rates become those of the other class, thresholds neighbours: to rounding."""
    X, y = _table(2)
    table, other = _screened(X, y), _screened(X, y, positive="well", negative="sick")
    np.testing.assert_allclose(other["auc"], 1 - table["auc"], rtol=1e-12)
    np.testing.assert_allclose(other["ameans"], table["ameans"], rtol=1e-12)
    np.testing.assert_allclose(other["threshold"], table["threshold"], rtol=1e-12)
    np.testing.assert_array_equal(other["model_weight"], table["model_weight"])


def test_trust_is_the_share_of_the_model_and_misfit_its_distance():
    """Against ``model_fit()`` of the estimate, where sample and model share it: to 1e-6."""
    X, y = _table(3)
    table = _screened(X, y, direction="higher")
    shared = np.flatnonzero((table["model_weight"] < 1) & (table["model_weight"] > 0))
    assert len(shared) >= 4
    for j in shared:
        told = _asked(X[:, j], y, "higher").model_fit()
        assert table["model_weight"][j] == pytest.approx(told.model_weight, abs=1e-6)
        assert table["misfit"][j] == pytest.approx(told.area_between, abs=1e-6)
    assert table["model_weight"][8] < 0.5 < table["model_weight"][0]  # two humps; normal
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
        alone = _screened(x[there, None], y[there])
        for name in (*PREDICTED, "model_weight"):
            np.testing.assert_allclose(table[name][j], alone[name][0], rtol=1e-10, atol=1e-12, err_msg=name)
    assert (table["n_missing"] == np.isnan(X).sum(axis=0)).all()


def test_neither_the_order_of_the_features_nor_threads_change_an_answer(monkeypatch):
    """Features in another order, blocks of another size: to 1e-10; three threads: bit by bit."""
    rng = np.random.default_rng(5)
    X, y = _table(5)
    table = _screened(X, y)
    monkeypatch.setattr("rocpredict.screening.columns._BLOCK_SIZE", 500)
    small, threads = _screened(X, y), _screened(X, y, n_jobs=3)
    order = rng.permutation(X.shape[1])
    turned = _screened(X[:, order], y)
    for name in (*PREDICTED, "model_weight", "family"):
        np.testing.assert_array_equal(threads[name], small[name], err_msg=name)
    for name in (*PREDICTED, "model_weight"):
        np.testing.assert_allclose(small[name], table[name], rtol=1e-10, atol=1e-12, err_msg=name)
        np.testing.assert_allclose(turned[name], table[name][order], rtol=1e-10, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("make", [sparse.csr_array, pl.DataFrame])
def test_every_form_of_a_table_gives_the_same(make):
    """A sparse table and a frame against the array, to 1e-12: the same values in the same rows."""
    X, y = _table(6)
    dense, other = _screened(X, y), _screened(make(X), y)
    for name in (*PREDICTED, "model_weight"):
        np.testing.assert_allclose(other[name], dense[name], rtol=1e-12, err_msg=name)


def test_only_the_rows_that_are_counted_are_estimated():
    """With "top" these have the columns of a full screening; the others the Gaussian ones, family and no trust."""
    X, y = _table(7)
    top, full = _screened(X, y, empirical="top", n_top=3), _screened(X, y)
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


def test_several_contrasts_are_those_of_two_classes_each():
    """Iris, each label against the rest, against screenings of two classes: to 1e-10."""
    iris = rp.datasets.load_iris()
    X = iris.X[:, :2]
    table = rp.screen(X, iris.y, family="auto").in_input_order()
    for k, (_, positive) in enumerate(table.class_pairs):
        single = rp.screen(X, iris.y, positive=positive, family="auto").in_input_order()
        for name in (*PREDICTED, "model_weight"):
            np.testing.assert_allclose(
                table[name][2 * k : 2 * k + 2], single[name], rtol=1e-10, atol=1e-12, err_msg=name
            )


def test_whole_weights_equal_repeated_rows():
    """All predicted columns to 1e-10; and weights that are parts of cases are refused."""
    X, y = _table(8, rows=60)
    weights = np.random.default_rng(8).integers(0, 4, 60)
    weighed = _screened(X, y, weights=weights)
    repeated = _screened(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    for name in (*PREDICTED, "model_weight"):
        np.testing.assert_allclose(weighed[name], repeated[name], rtol=1e-10, atol=1e-12, err_msg=name)
    with pytest.raises(RocPredictError, match="weights are not whole"):
        _screened(X, y, weights=weights / 2)


def test_what_cannot_be_predicted_is_flagged_as_it_is_for_gaussians():
    """Constant, empty, a lone value, infinite, too large, the label: flags as without "auto"; neighbours untouched."""
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
    for name in (*PREDICTED, "model_weight"):
        np.testing.assert_array_equal(np.isnan(table[name]), unknown, err_msg=name)
    assert (table["model_weight"][[1, 6, 7]] == 0).all()  # a class without spread has no model
    assert (table["auc"][1], table["auc"][6]) == (0.5, 1.0)
    alone = rp.screen(good[:, None], y, family="auto")
    assert table["auc"][0] == pytest.approx(alone["auc"][0], rel=1e-12)


@pytest.mark.parametrize(("rows", "shift"), [(40, 0.0), (40, 1.0)])
def test_honest_ameans_is_what_the_rule_is_worth(rows, shift):
    """The mean over 200 features against the true Ameans of their rules: within .02.

    Its standard error is below .007 (200 features, of .098 each) and its bias below .006: another seed would fail with
    a probability below .05. The predicted Ameans is too high by more where there is nothing.
    """
    rng = np.random.default_rng(10)
    y = np.arange(rows) % 2
    table = rp.screen(rng.normal(size=(rows, 200)) + shift * y[:, None], y, family="auto")
    side, t = np.where(table["direction"] == "lower", -1, 1), table["threshold"]
    true = (ndtr(side * t) + ndtr(side * (shift - t))) / 2
    assert abs(np.mean(table["ameans_corrected"] - true)) < 0.02
    if shift == 0:
        assert np.mean(table["ameans"] - true) > 0.04


def test_two_rows_of_a_class_can_spare_none():
    """With 2 positives nothing is held out: the honest Ameans is undefined, all else answered."""
    x = np.array([1.0, 2.5, 2.0, 4.0, 3.0, 6.0, 2.2])
    table = rp.screen(x[:, None], [0, 0, 0, 1, 0, 1, 0], family="auto")
    assert np.isnan(table["ameans_corrected"][0])
    assert table["family"][0] == "auto"
    assert np.isfinite([table[name][0] for name in ("auc", "threshold", "ameans", "model_weight")]).all()


def test_the_area_is_that_of_the_curve_followed_closely():
    """Against trapezoids between 100,000 thresholds, of skewed, tied and mostly zero features: to 1e-7."""
    X, y = _table(16)
    for x in X[:, [1, 3, 5]].T:
        roc = _asked(x, y, None)
        scale = roc.negative.model.transform if hasattr(roc.negative, "model") else roc.negative.transform
        at = scale.inverse_transform(np.linspace(-12, 12, 100_001))
        at = np.unique(np.concatenate([at[np.isfinite(at)], x]))
        fpr, tpr = (
            np.concatenate([[1], np.stack([d.sf_inclusive(at), d.sf(at)], axis=1).ravel(), [0]])
            for d in (roc.negative, roc.positive)
        )
        many = evaluate_batch(x[None, y == "well"], x[None, y == "sick"], lower=False, declared=False)
        assert many.auc[0] == pytest.approx(-np.sum(np.diff(fpr) * (tpr[1:] + tpr[:-1])) / 2, abs=1e-7)


@pytest.mark.parametrize("scale", [1e-140, 1e140])
def test_the_unit_of_a_feature_changes_nothing_but_the_threshold(scale):
    """At 1e-140 and 1e140: AUC, Ameans and trust to 1e-9, thresholds in proportion."""
    X, y = _table(11)
    base, scaled = _screened(X[:, :6], y), _screened(X[:, :6] * scale, y)
    for name in ("auc", "ameans", "model_weight"):
        np.testing.assert_allclose(scaled[name], base[name], rtol=1e-9, atol=1e-9, err_msg=name)
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
            ameans = (many.rule.tpr[j] + many.rule.tnr[j]) / 2
            assert ameans == pytest.approx(roc.best_threshold().ameans, abs=1e-9)


def test_family_and_trust_travel_wherever_a_table_does():
    """Column, dict, frames, CSV, HTML, sorting and slices; and they are no columns of a Gaussian screening."""
    X, y = _table(13)
    table = rp.screen(X, y, **CLASSES, family="auto", empirical="top", n_top=4)
    assert table.family == "auto"
    expected = table["family"].tolist()
    assert sorted(set(expected)) == ["auto", "gaussian"]
    assert table.to_dict()["family"] == expected
    assert table.to_pandas()["family"].tolist() == expected
    assert table.to_polars()["family"].to_list() == expected
    rows = list(csv.DictReader(io.StringIO(table.to_csv(), newline="")))
    assert [row["family"] for row in rows] == expected
    assert [row["model_weight"] == "" for row in rows] == [family == "gaussian" for family in expected]
    buffer = io.BytesIO()
    table.to_parquet(buffer)
    buffer.seek(0)
    assert pl.read_parquet(buffer)["family"].to_list() == expected
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


def test_progress_goes_on_while_features_are_estimated():
    """Ascending to the end, all features once, those that cannot be predicted too."""
    X, y = _table(14)
    X[0, 0] = np.inf
    for empirical, total in ((True, 9), ("top", 3)):
        told = []
        _screened(X, y, empirical=empirical, n_top=3, progress=lambda *done, told=told: told.append(done))
        assert told == sorted(told)
        assert told[-1] == (total, total)


def test_without_rows_there_is_nothing_to_estimate_from():
    """A summary, batches, and a table of which nothing is counted are refused in one line; so are other families."""
    X, y = _table(15)
    summary = rp.summarize(X, y, **CLASSES)
    for given in ((summary,), (iter([(X, y)]),), (X, y)):
        with pytest.raises(RocPredictError, match="family='auto' is estimated from rows, of features that are counted"):
            rp.screen(*given, **CLASSES, empirical=False, family="auto")
    with pytest.raises(RocPredictError, match="family='kde' is not available; a screening takes 'gaussian' or 'auto'"):
        rp.screen(X, y, **CLASSES, family="kde")


def test_the_command_line_screens_with_it(capsys, tmp_path):
    """Words beside the table, columns in JSON and CSV, and one line for what cannot be."""
    asked = ["screen", "iris", "--positive", "virginica", "--negative", "versicolor", "--family", "auto"]
    iris = rp.datasets.load_iris()
    table = rp.screen(iris.X, iris.y, positive="virginica", negative="versicolor", family="auto")
    assert main(asked) == 0
    out = capsys.readouterr().out
    assert "auc is predicted by two Gaussians where family says so, empirical_auc counted." in out
    assert "model_weight is that of the latter" in " ".join(out.split())
    assert main([*asked, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["family"] == "auto"
    assert [row["model_weight"] for row in told["features"]] == pytest.approx(table["model_weight"].tolist())
    assert [row["auc_low"] for row in told["features"]] == [None] * 4
    assert main([*asked, "--out", str(tmp_path / "ranking.csv")]) == 0
    capsys.readouterr()
    rows = list(csv.DictReader((tmp_path / "ranking.csv").read_text().splitlines()))
    assert [row["family"] for row in rows] == ["auto"] * 4
    assert main([*asked, "--empirical", "no"]) == 2
    assert "is estimated from rows, of features that are counted" in capsys.readouterr().err
