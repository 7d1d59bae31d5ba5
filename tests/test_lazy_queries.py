"""Lazy queries: features and labels of one row stay together, or the query is refused with the remedy."""

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest

import rocpredict as rp
from rocpredict.base.validation import RocPredictError
from rocpredict.sources.blocks import has_row_order

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
CONNECTION = duckdb.connect()
CONNECTION.register("rows_table", ROWS.to_arrow())
CONNECTION.register("other", OTHER.to_arrow())


def _sql(query):
    return CONNECTION.sql(query)


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
    "DuckDB sample": lambda: _sql("select * from rows_table using sample 50 percent (bernoulli)"),
    "DuckDB order by random": lambda: _sql("select * from rows_table order by random()"),
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
}


def _answer(table, **options):
    result = rp.screen(table, "y", feature_names=None, **options)
    return {name: result.feature(name)["empirical_auc"].item() for name in ("a", "b")}


def _eager(query):
    return nw.from_native(query).collect().to_native()


@pytest.mark.parametrize("form", UNORDERED)
def test_queries_without_an_order(form, monkeypatch):
    """Collected once, so that labels and features are of the same rows; labels apart from the query are refused."""
    monkeypatch.setattr("rocpredict.sources.blocks.BLOCK_BYTES", 8 * len(ROWS))  # one column a block
    query = UNORDERED[form]()
    assert not has_row_order(nw.from_native(query))
    columns = pl.DataFrame(_eager(query).to_pydict() if hasattr(query, "arrow") else query.collect())
    for _ in range(3):
        result = _answer(UNORDERED[form]())
        if "sample" not in form:
            expected = {name: rp.empirical_roc(columns[name], columns["y"]).auc() for name in ("a", "b")}
            assert result == pytest.approx(expected, abs=1e-9)
        assert result["a"] > 0.7
        summary = rp.summarize(UNORDERED[form](), "y")
        place = summary.feature_names.index("a")
        assert summary.positive.mean[place] - summary.negative.mean[place] > 0.8
    features = query.select("a, b") if hasattr(query, "arrow") else query.select("a", "b")
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
        with pytest.raises(
            RocPredictError, match=r"without a fixed row order.+(y|weights) is a separate array; .*collect X"
        ):
            call()


@pytest.mark.parametrize("form", ORDERED)
def test_queries_with_an_order(form, monkeypatch):
    """Queried block by block, with labels of the query or apart from it: the same answers as of the frame."""
    monkeypatch.setattr("rocpredict.sources.blocks.BLOCK_BYTES", 8 * len(ROWS))
    query = ORDERED[form]()
    assert has_row_order(nw.from_native(query))
    expected = {name: rp.empirical_roc(ROWS[name], ROWS["y"]).auc() for name in ("a", "b")}
    assert _answer(query) == pytest.approx(expected, abs=1e-9)
    features = query.select("a, b") if hasattr(query, "arrow") else query.select("a", "b")
    apart = rp.screen(features, ROWS["y"])
    assert apart.feature("a")["empirical_auc"].item() == pytest.approx(expected["a"], abs=1e-9)


def _screen_often(query):
    """Screen a query whose order is free, and may happen to be the same."""
    for _ in range(20):
        rp.screen(query(), "y")


def test_a_query_that_only_seems_ordered(monkeypatch):
    """Labels come again with each block of columns: rows that moved in between are refused, not answered."""
    monkeypatch.setattr("rocpredict.sources.blocks.BLOCK_BYTES", 8 * len(ROWS))
    monkeypatch.setattr("rocpredict.sources.blocks.has_row_order", lambda frame: True)
    for name in ("group_by", "sample", "random sample", "DuckDB sample", "DuckDB order by random"):
        query = UNORDERED[name]
        with pytest.raises(RocPredictError, match="returns its rows in a different order each time; collect it first"):
            _screen_often(query)


def test_frames_are_not_queries():
    """Eager frames correspond to arrays by position, whatever made them."""
    frame = ROWS.group_by("g").agg(*MEANS)
    labels = frame["y"].to_numpy()
    for table in (frame.drop("y", "g"), frame.drop("y", "g").to_pandas(), frame.drop("y", "g").to_arrow()):
        assert rp.screen(table, labels).feature("a")["empirical_auc"].item() > 0.7
    assert isinstance(frame.to_pandas(), pd.DataFrame)
