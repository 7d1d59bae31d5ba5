"""The founding paper, table by table: our numbers against the printed ones and against 50-digit arithmetic."""

import json
from concurrent.futures import ThreadPoolExecutor
from decimal import ROUND_HALF_UP, Decimal

import mpmath as mp
import pytest

from rocpredict import AssumptionWarning, predict_roc
from rocpredict import paper as printed
from rocpredict.distributions.normality import misfit_warning, suppress_misfit_warning
from rocpredict.paper import TABLES, iris_features, iris_prediction, simulate_experiment, table_1, table_4
from tests.cases import for_each


def _column(table, name):
    return [row[table.columns.index(name)] for row in table.rows]


def _exact_prediction(feature):
    """Recompute AUC and maximum Ameans from the raw values with 50 digits, by the textbook formulas."""
    with mp.workdps(50):
        x, y, direction = iris_features()[feature]
        sign = -1 if direction == "lower" else 1
        moments = []
        for species in ("versicolor", "virginica"):
            values = [sign * mp.mpf(float(value)) for value in x[y == species]]
            mean = mp.fsum(values) / len(values)
            moments.append((mean, mp.sqrt(mp.fsum((v - mean) ** 2 for v in values) / (len(values) - 1))))
        (m0, s0), (m1, s1) = moments
        auc = mp.ncdf((m1 - m0) / mp.sqrt(s0**2 + s1**2))
        a = s1**2 - s0**2
        b = 2 * (m1 * s0**2 - m0 * s1**2)
        c = m0**2 * s1**2 - m1**2 * s0**2 + 2 * s0**2 * s1**2 * mp.log(s0 / s1)
        roots = [(-b + side * mp.sqrt(b**2 - 4 * a * c)) / (2 * a) for side in (1, -1)]
        ameans = max((mp.ncdf((t - m0) / s0) + mp.ncdf((m1 - t) / s1)) / 2 for t in roots)
        return float(auc), float(ameans)


def test_statistics_round_to_the_printed_digits():
    """Tables II and III: each of our values rounds, half up, to the two printed decimals."""
    for name, shown, ours in (
        ("table_2", "printed", "recomputed"),
        ("table_3", "mean printed", "mean recomputed"),
        ("table_3", "SD printed", "SD recomputed"),
    ):
        table = TABLES[name]()
        rounded = [
            Decimal(repr(round(value, 12))).quantize(Decimal("0.01"), ROUND_HALF_UP) for value in _column(table, ours)
        ]
        assert [float(value) for value in rounded] == _column(table, shown), name


@for_each(list(printed.TABLE_4))
def test_table_4_is_exact_and_lies_within_the_papers_rounding(feature):
    """Table IV: Ameans within 0.006 points of the printed value, AUC within 0.25 points and never below it.

    Ours equals a recomputation from the raw values with 50 digits, to 1e-12.
    """
    roc, (auc, ameans) = iris_prediction(feature), printed.TABLE_4[feature]
    assert roc.best_threshold().ameans == pytest.approx(ameans, abs=0.00006)
    assert 0 < roc.auc() - auc < 0.0025
    assert (roc.auc(), roc.best_threshold().ameans) == pytest.approx(_exact_prediction(feature), rel=0, abs=1e-12)


def test_the_grid_explains_every_printed_auc():
    """Table IV: a trapezoid area over a grid of the stated step rounds to the printed AUC, for all six features."""
    table = table_4()
    for on_grid, auc in zip(_column(table, "AUC on grid"), _column(table, "AUC printed"), strict=True):
        assert on_grid == pytest.approx(auc, abs=0.00005)


def test_the_trapezoid_bias_has_the_stated_size():
    """The grid's area falls short of the closed form by step^2 D phi(D)/(6 (s0^2 + s1^2)), to a twentieth of that."""
    table = table_4()
    columns = (_column(table, name) for name in ("feature", "step", "AUC recomputed", "AUC on grid"))
    for feature, step, exact, on_grid in zip(*columns, strict=True):
        roc = iris_prediction(feature)
        variance = roc.negative.std**2 + roc.positive.std**2
        d = abs(roc.positive.mean - roc.negative.mean) / variance**0.5
        bias = step**2 / 6 * d * float(mp.npdf(d)) / variance
        assert exact - on_grid == pytest.approx(bias, rel=0.05)


def test_table_1_predictions_are_the_papers_to_a_hundredth_of_a_point():
    """Table I: the printed predictions are cut off after two decimals, ours lies within 0.01 points above."""
    table = table_1()
    for of, ours, theirs in zip(*(_column(table, name) for name in ("source", "recomputed", "printed")), strict=True):
        if of == "prediction":
            assert 0 <= ours - theirs < 0.0001


def test_table_1_says_how_far_the_printed_experiments_lie():
    """Table I: the printed experiments lie within 1.5 standard errors of what the prediction leads one to expect."""
    away = [value for value in _column(table_1(), "z") if value is not None]
    assert len(away) == 4
    assert all(abs(value) < 1.5 for value in away)
    # 0.81 and 1.07 points: the standard errors of the empirical AUC at these sizes
    assert away[0] == pytest.approx((0.8735 - 0.866371) / 0.0081, abs=0.02)
    assert away[1] == pytest.approx((0.8712 - 0.866371) / 0.0107, abs=0.02)


def test_an_experiment_is_its_seed():
    assert simulate_experiment(printed.IMBALANCED, 3).auc() == simulate_experiment(printed.IMBALANCED, 3).auc()
    assert simulate_experiment(printed.IMBALANCED, 3).auc() != simulate_experiment(printed.IMBALANCED, 4).auc()
    assert simulate_experiment(printed.IMBALANCED, 3).count == (500, 1000)
    assert table_1(3).rows[1][3] == simulate_experiment(printed.BALANCED, 3).auc()


def test_tables_survive_csv_and_json():
    for make in TABLES.values():
        table = make()
        rows = json.loads(json.dumps(table.to_dict(), allow_nan=False))["rows"]
        assert [list(row.values()) for row in rows] == [list(row) for row in table.rows]
        lines = table.to_csv().splitlines()
        assert lines[0].split(",") == list(table.columns)
        assert len(lines) == len(table.rows) + 1
        assert all(repr(cell) in table.to_csv() for row in table.rows for cell in row if isinstance(cell, float))


def test_the_paper_says_nothing_of_distances_and_a_caller_is_still_told():
    """Table IV takes distances as Gaussian without a warning; predict_roc warns of the same rows, in any thread."""
    x, y, _ = iris_features()["distance to mean of class 2"]
    with pytest.warns(AssumptionWarning, match="the classes are not normal"):
        predict_roc(x, y, positive="virginica", negative="versicolor")
    classes = x[y == "versicolor"], x[y == "virginica"]
    with suppress_misfit_warning(), ThreadPoolExecutor(1) as pool:
        assert misfit_warning(*classes) is None
        assert pool.submit(misfit_warning, *classes).result().startswith("the classes are not normal")
    assert misfit_warning(*classes) is not None
    with pytest.raises(KeyError), suppress_misfit_warning():
        raise KeyError
    assert misfit_warning(*classes) is not None
