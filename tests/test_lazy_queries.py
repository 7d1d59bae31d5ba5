"""Lazy queries: features and labels of one row stay together, or the query is refused with the remedy."""

import dask.array as da
import dask.dataframe as dd
import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest

import rocpredict as rp
from rocpredict.base.validation import RocPredictError
from rocpredict.sources.blocks import as_frame, has_row_order
from tests.cases import refuses

pytestmark = pytest.mark.extra("dask", "duckdb", "narwhals", "polars")
N_GROUPS = 1_000
RNG = np.random.default_rng(7)
ROWS = pl.DataFrame(
    {
        "g": np.repeat(np.arange(N_GROUPS), 3),
        "y": np.repeat(np.arange(N_GROUPS) % 2, 3),
        "a": RNG.normal(size=3 * N_GROUPS) + np.repeat(np.arange(N_GROUPS) % 2, 3),
        "b": RNG.normal(size=3 * N_GROUPS),
    }
)
OTHER = pl.DataFrame({"g": np.arange(N_GROUPS), "c": RNG.normal(size=N_GROUPS)})
MEANS = pl.col("y").first(), pl.col("a").mean(), pl.col("b").mean()
PANDAS_MEANS = {"y": "first", "a": "mean", "b": "mean"}
CONNECTION = duckdb.connect()
CONNECTION.register("rows_table", ROWS.to_arrow())
CONNECTION.register("other", OTHER.to_arrow())


def _sql(query):
    return CONNECTION.sql(query)


def _dask(rows=ROWS):
    return dd.from_pandas(rows.to_pandas(), npartitions=4)


UNORDERED = {
    "group_by": lambda: ROWS.lazy().group_by("g").agg(*MEANS),
    "join": lambda: ROWS.lazy().join(OTHER.lazy(), on="g"),
    "unique": lambda: ROWS.lazy().unique(),
    "sample": lambda: ROWS.lazy().map_batches(lambda frame: frame.sample(fraction=1.0, shuffle=True)),
    "random sample": lambda: ROWS.lazy().filter(pl.int_range(pl.len()).shuffle() < 2_000),
    "group_by below a select": lambda: ROWS.lazy().group_by("g").agg(*MEANS).select("y", pl.col("a") * 2, "b"),
    "DuckDB group by": lambda: _sql("select g, first(y) y, avg(a) a, avg(b) b from rows_table group by g"),
    "DuckDB join": lambda: _sql("select * from rows_table join other using (g)"),
    "DuckDB distinct": lambda: _sql("select distinct * from rows_table"),
    "DuckDB sample": lambda: _sql("select * from rows_table using sample 90 percent (bernoulli)"),
    "DuckDB order by random": lambda: _sql("select * from rows_table order by random()"),
    "Dask groupby": lambda: _dask().groupby("g").agg(PANDAS_MEANS).reset_index(),
    "Dask groupby of several parts": lambda: _dask().groupby("g").agg(PANDAS_MEANS, split_out=4).reset_index(),
    "Dask merge": lambda: _dask().merge(_dask(OTHER), on="g"),
    "Dask join": lambda: _dask().join(_dask(OTHER).set_index("g"), on="g"),
    "Dask unique": lambda: _dask().drop_duplicates(split_out=4),
    "Dask shuffle": lambda: _dask().shuffle("g"),
    "Dask sample": lambda: _dask().sample(frac=0.9),
    "Dask sample below a select": lambda: _dask().sample(frac=0.9)[["y", "a", "b"]],
    "Dask function of the user": lambda: _dask().map_partitions(lambda frame: frame.sample(frac=1.0)),
}
ORDERED = {
    "frame": ROWS.lazy,
    "select": lambda: ROWS.lazy().select("y", "a", "b"),
    "functions": lambda: (
        ROWS.lazy().with_columns(pl.col("a").cast(pl.Float32).alias("sample")).filter(pl.col("g") >= 0)
    ),
    "slice": lambda: ROWS.lazy().with_row_index().rename({"g": "shuffle(g)"}).slice(0, len(ROWS)),
    "concat": lambda: pl.concat([ROWS.lazy().head(1500), ROWS.lazy().slice(1500)]),
    "DuckDB scan": lambda: _sql("select * from rows_table"),
    "DuckDB projection": lambda: _sql("select y, a, b * 2 as b from rows_table where g >= 0"),
    "Dask frame": _dask,
    "Dask select": lambda: _dask()[["y", "a", "b"]],
    "Dask functions": lambda: _dask()[_dask()["g"] >= 0].assign(c=lambda frame: frame.a * 2),
    "Dask concat": lambda: dd.concat([_dask(ROWS.head(1500)), _dask(ROWS.slice(1500))]),
}


def _answer(table, **options):
    result = rp.screen(table, "y", feature_names=None, **options)
    return {name: result.feature(name)["empirical_auc"].item() for name in ("a", "b")}


def _eager(query):
    return nw.from_native(as_frame(query).collect()).to_polars()


def _features(query):
    return (
        query.select("a, b")
        if hasattr(query, "arrow")
        else query[["a", "b"]]
        if hasattr(query, "dask")
        else query.select("a", "b")
    )


@pytest.mark.parametrize("form", UNORDERED)
def test_queries_without_an_order(form, monkeypatch):
    """Collected once, so that labels and features are of the same rows; labels apart from the query are refused."""
    monkeypatch.setattr("rocpredict.sources.blocks.BLOCK_BYTES", 8 * len(ROWS))  # one column a block
    query = UNORDERED[form]()
    assert not has_row_order(as_frame(query))
    columns = _eager(query)
    for _ in range(3):
        result = _answer(UNORDERED[form]())
        if "sample" not in form:
            expected = {name: rp.empirical_roc(columns[name], columns["y"]).auc() for name in ("a", "b")}
            assert result == pytest.approx(expected, abs=1e-9)
        assert result["a"] > 0.7
        summary = rp.summarize(UNORDERED[form](), "y")
        place = summary.feature_names.index("a")
        # In random rows, the mean of this difference is 0.95 and its SD at most 0.026: false failures are below 1e-8.
        assert summary.positive.mean[place] - summary.negative.mean[place] > 0.8
    features = _features(query)
    labels = np.arange(columns.height) % 2
    calls = {
        "screen": lambda: rp.screen(features, labels),
        "summarize": lambda: rp.summarize(features, labels),
        "combination": lambda: rp.fit_linear_combination(features, labels, n_folds=None),
        "distance": lambda: rp.class_mean_distance(features, labels, class_label=0),
        "page": lambda: rp.TeachingPage(features, labels),
        "weights": lambda: rp.screen(query, "y", weights=np.ones(columns.height)),
    }
    for call in calls.values():
        refuses(r"without a fixed row order.+(y|weights) is a separate array; .*collect X", call)


@pytest.mark.parametrize("form", ORDERED)
def test_queries_with_an_order(form, monkeypatch):
    monkeypatch.setattr("rocpredict.sources.blocks.BLOCK_BYTES", 8 * len(ROWS))
    query = ORDERED[form]()
    assert has_row_order(as_frame(query))
    expected = {name: rp.empirical_roc(ROWS[name], ROWS["y"]).auc() for name in ("a", "b")}
    assert _answer(query) == pytest.approx(expected, abs=1e-9)
    features = _features(query)
    apart = rp.screen(features, ROWS["y"])
    assert apart.feature("a")["empirical_auc"].item() == pytest.approx(expected["a"], abs=1e-9)


def _screen_often(query):
    """Screen a query without a fixed order, which may happen to be the same each time."""
    for _ in range(20):
        rp.screen(query(), "y")


def test_a_query_that_only_seems_ordered(monkeypatch):
    """Labels come again with each block of columns: rows that moved in between are refused, not answered."""
    monkeypatch.setattr("rocpredict.sources.blocks.BLOCK_BYTES", 8 * len(ROWS))
    monkeypatch.setattr("rocpredict.sources.blocks.has_row_order", lambda frame: True)
    for name in (
        "group_by",
        "sample",
        "random sample",
        "DuckDB sample",
        "DuckDB order by random",
        "Dask function of the user",
    ):
        query = UNORDERED[name]
        refuses("returns its rows in a different order each time; collect X first", _screen_often, query)


def test_queries_that_fail():
    """An error of the library that runs the query is one sentence."""
    with pytest.raises(RocPredictError, match=r"^the query X fails: unable to find column \"nope\"; .*; correct"):
        rp.screen(ROWS.lazy().select("nope"), "y")
    with pytest.raises(
        RocPredictError, match=r"^the query X fails: No such file .*nix\.csv; correct the query or its data$"
    ):
        rp.screen(pl.scan_csv("nix.csv"), "y")
    with pytest.raises(RocPredictError, match=r"^the query X fails: .*; correct the query or its data$"):
        rp.screen(ROWS.lazy().with_columns(a=pl.lit("x").cast(pl.Int64)), "y")


def test_frames_are_not_queries():
    frame = ROWS.group_by("g").agg(*MEANS)
    labels = frame["y"].to_numpy()
    for table in (frame.drop("y", "g"), frame.drop("y", "g").to_pandas(), frame.drop("y", "g").to_arrow()):
        assert rp.screen(table, labels).feature("a")["empirical_auc"].item() > 0.7
    assert isinstance(frame.to_pandas(), pd.DataFrame)


def test_parts_of_a_dask_frame():
    """Columns are computed one by one, perhaps in different orders: they are refused where rows must correspond."""
    frame = UNORDERED["Dask function of the user"]()
    arrays = {name: frame[name].values if name == "b" else frame[name] for name in ("a", "b", "y")}
    assert not np.array_equal(frame["a"].compute().to_numpy(), frame.compute()["a"].to_numpy())  # what could go wrong
    a, b, y = arrays.values()
    calls = {
        "curve": lambda: rp.empirical_roc(a, y),
        "labels": lambda: rp.empirical_roc(ROWS["a"], y),
        "prediction": lambda: rp.predict_roc(b, ROWS["y"]),
        "test": lambda: rp.auc_test(a, b, y),
        "many": lambda: rp.auc_test_many([a, b], y),
        "groups": lambda: rp.auc_estimate(ROWS["a"], ROWS["y"], groups=a),
        "weights": lambda: rp.empirical_roc(ROWS["a"], ROWS["y"], weights=frame["g"]),
        "screen": lambda: rp.screen(_dask(), frame["y"]),
        "table": lambda: rp.screen(frame[["a", "b"]].to_dask_array(), ROWS["y"]),
        "table alone": lambda: rp.sources.table.as_feature_table(frame[["a", "b"]].values),
        "mapping": lambda: rp.screen({"a": a}, ROWS["y"]),
        "scores": lambda: rp.multiclass_auc(frame[["a", "b", "g"]].to_dask_array(), ROWS["y"]),
    }
    for call in calls.values():
        refuses(r"part of a Dask DataFrame, .*call frame.compute\(\) once", call)


def test_dask_arrays():
    """An array has a fixed order: read by slices of columns, or as a column."""
    values, labels = ROWS.select("a", "b").to_numpy(), ROWS["y"].to_numpy()
    array = da.from_array(values, chunks=(500, 1))
    expected = rp.empirical_roc(values[:, 0], labels).auc()
    assert rp.screen(array, labels).feature("x0")["empirical_auc"].item() == pytest.approx(expected, abs=1e-9)
    assert rp.empirical_roc(array[:, 0], da.from_array(labels, chunks=700)).auc() == expected


def test_the_index_of_a_dask_frame():
    labels = ROWS["y"].to_pandas()
    assert rp.screen(_dask()[["a", "b"]], labels).feature("a")["empirical_auc"].item() > 0.7
    refuses("the pandas indexes of X and y differ", lambda: rp.screen(_dask()[["a", "b"]], labels[::-1]))
