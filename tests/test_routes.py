"""One data set through every source of a screening: the same table, within a memory budget, from real engines."""

import errno
import gzip
import itertools
import json
import mmap
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
from unittest.mock import Mock

import anndata
import dask
import dask.array as da
import dask.dataframe as dd
import distributed
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pytest
import scipy.sparse as sp
from pyarrow import parquet

import rocpredict as rp
from rocpredict import RocPredictError
from rocpredict.cli import main
from rocpredict.screening import dask_tables
from rocpredict.sources import blocks, large_csv, streams
from rocpredict.sources.files import open_tables
from tests.cases import check_each, refuses

pytestmark = pytest.mark.extra("anndata", "dask", "distributed", "duckdb", "polars", "pyarrow")
N_ROWS, N_FEATURES = 3_000, 9
NAMES = [f"f{place}" for place in range(N_FEATURES)]
CLASSES = {"positive": "sick", "negative": "well"}
RNG = np.random.default_rng(20)
Y = RNG.choice(["sick", "well", "other"], N_ROWS, p=[0.3, 0.6, 0.1])
X = RNG.normal(size=(N_ROWS, N_FEATURES)) + 0.3 * (Y == "sick")[:, None]
X[:, 1], X[:, 2], X[:, 3] = np.exp(X[:, 1]), np.round(X[:, 2]), X[:, 3] + 1e6
X[:, 4] = np.where(X[:, 4] > 1, X[:, 4], 0.0)
X[RNG.random(N_ROWS) < 0.03, 5] = np.nan
FRAME = pl.DataFrame(
    {name: X[:, place] for place, name in enumerate(NAMES)} | {"word": ["w"] * N_ROWS, "y": Y.tolist()}
)
EXACT = ("empirical_auc", "empirical_se", "empirical_low", "empirical_high", "p_value", "n_negative", "n_missing")
MOMENTS = ("negative_mean", "negative_std", "positive_mean", "positive_std", "auc", "auc_low", "auc_high", "threshold")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Write the data set in every format; Parquet, CSV and Feather in parts, too."""
    place = tmp_path_factory.mktemp("routes")
    for start in range(0, N_ROWS, 1_000):
        part = FRAME.slice(start, 1_000)
        for kind in ("parquet", "csv", "feather"):
            (place / kind).mkdir(exist_ok=True)
        part.write_parquet(place / "parquet" / f"{start}.parquet", row_group_size=300)
        part.fill_nan(None).write_csv(place / "csv" / f"{start}.csv")
        part.write_ipc(place / "feather" / f"{start}.feather", compat_level=pl.CompatLevel.oldest())
    cells = pd.DataFrame({"y": Y}, index=[str(row) for row in range(N_ROWS)])
    genes = pd.DataFrame(index=NAMES)
    filled = np.nan_to_num(X)
    for kind, matrix in (("dense", X), ("csr", sp.csr_matrix(X)), ("csc", sp.csc_matrix(X))):
        data = anndata.AnnData(matrix, obs=cells, var=genes, layers={"zeros": np.zeros_like(X), "same": matrix})
        data.raw = anndata.AnnData(sp.csr_matrix(filled), obs=cells, var=genes)
        data.write_h5ad(place / f"{kind}.h5ad")
    return place


def batches(order=None):
    parts = [(X[start : start + 300], Y[start : start + 300]) for start in range(0, N_ROWS, 300)]
    return iter(parts if order is None else [parts[place] for place in order])


def reader(folder):
    dataset = ds.dataset(folder / "parquet")
    return pa.RecordBatchReader.from_batches(dataset.schema, dataset.to_batches())


ROUTES = {
    "Parquet folder": lambda folder: folder / "parquet",
    "Parquet list": lambda folder: sorted((folder / "parquet").iterdir(), key=lambda path: int(path.stem)),
    "Parquet pattern": lambda folder: str(folder / "parquet" / "*.parquet"),
    "CSV": lambda folder: folder / "csv",
    "Feather": lambda folder: folder / "feather",
    "LazyFrame": lambda folder: pl.scan_parquet(folder / "parquet"),
    "DuckDB": lambda folder: duckdb.sql(f"select * from '{folder}/parquet/*.parquet'"),
    "Arrow data set": lambda folder: ds.dataset(folder / "parquet"),
    "Arrow data set of Feather files": lambda folder: ds.dataset(folder / "feather", format="feather"),
    "Arrow reader": reader,
    "Arrow scanner": lambda folder: ds.dataset(folder / "parquet").scanner(batch_size=100),
    "Arrow batch": lambda _: FRAME.to_arrow().combine_chunks().to_batches()[0],
    "Dask DataFrame": lambda folder: dd.read_parquet(folder / "parquet"),
    **{
        f"backed {kind}": lambda folder, kind=kind: anndata.read_h5ad(folder / f"{kind}.h5ad", backed="r")
        for kind in ("dense", "csr", "csc")
    },
    **{f"h5ad {kind}": lambda folder, kind=kind: folder / f"{kind}.h5ad" for kind in ("dense", "csr", "csc")},
}


def assert_same(table, expected, exact=EXACT):
    """Exact columns are equal; moments agree to 1e-12 of the largest mean or standard deviation of the column."""
    rows = [int(np.flatnonzero(table["feature"] == name)[0]) for name in NAMES]
    expected_rows = [int(np.flatnonzero(expected["feature"] == name)[0]) for name in NAMES]
    for column in exact:
        np.testing.assert_array_equal(table[column][rows], expected[column][expected_rows], err_msg=column)
    scale = np.maximum(np.abs(expected["positive_mean"]), expected["positive_std"])[expected_rows]
    for column in MOMENTS:
        error = np.abs(table[column][rows] - expected[column][expected_rows])
        assert (error <= 1e-12 * np.maximum(scale, 1)).all(), (column, error)


@pytest.fixture
def _small_blocks(monkeypatch):
    """Divide every table into many blocks, tiles and chunks."""
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 2 * 8 * N_ROWS)
    monkeypatch.setattr(large_csv, "MIN_BYTES", 0)
    monkeypatch.setattr(large_csv, "CHUNK_BYTES", 20_000)


@pytest.mark.usefixtures("_small_blocks")
@pytest.mark.parametrize("empirical", [True, False, "top"])
def test_every_route_gives_the_table_of_the_array(folder, empirical):
    options = CLASSES | {"empirical": empirical, "n_top": 4}
    expected = rp.screen(X, Y, feature_names=NAMES, **options)
    # Files of a folder are sorted by name: 0, 1000, 2000.
    exact = EXACT if empirical is True else ("n_negative", "n_missing")

    def check(open_source):
        assert_same(rp.screen(open_source(folder), "y", **options), expected, exact)

    check_each(ROUTES, check)


@pytest.mark.usefixtures("_small_blocks")
def test_every_route_gives_the_summary_of_the_array(folder):
    expected = rp.summarize(X, Y, **CLASSES)

    def check(open_source):
        summary = rp.summarize(open_source(folder), "y", **CLASSES)
        places = [summary.feature_names.index(name) for name in NAMES]
        for side in ("negative", "positive"):
            one, other = getattr(summary, side), getattr(expected, side)
            scale = np.maximum(np.abs(other.mean), other.std)
            np.testing.assert_array_equal(one.count[places], other.count)
            assert (np.abs(one.mean[places] - other.mean) <= 1e-12 * scale).all()
            assert (np.abs(one.std[places] - other.std) <= 1e-12 * scale).all()

    check_each(ROUTES, check)


@pytest.mark.usefixtures("_small_blocks")
@pytest.mark.parametrize("name", ["Arrow reader", "Arrow scanner"])
def test_moments_of_readers_need_no_temporary_file(folder, name, monkeypatch):
    """Labels may be a column or an array; rows without a label are omitted, even if a block has no other rows."""

    def refuse(*_):
        pytest.fail("a temporary file is written")

    monkeypatch.setattr(streams.SpooledColumns, "__init__", refuse)
    missing = np.where(np.arange(N_ROWS) < 700, None, Y)
    for labels, further in ((Y, CLASSES), (missing, CLASSES), (Y, {}), (Y, {"moments": 4})):
        options = {"empirical": False, "positive": "sick", **further}
        expected = rp.screen(X, labels, feature_names=NAMES, **options)
        for y in ("y", labels.tolist())[labels is missing :]:
            table = rp.screen(ROUTES[name](folder), y, **options)
            assert_same(table, expected, ("n_negative", "n_missing"))
            assert table.class_pairs == expected.class_pairs
            assert table.flags["not_numeric"].sum() == (1 if isinstance(y, str) else 2)
            assert (table.n_unlabelled, table.n_observations) == (expected.n_unlabelled, N_ROWS)
    unlabelled = pl.scan_parquet(folder / "parquet").with_columns(y=pl.when(pl.arange(0, N_ROWS) > 699).then("y"))
    table = rp.screen(unlabelled.collect().to_arrow().to_reader(), "y", empirical=False, **CLASSES)
    assert_same(table, rp.screen(X, missing, empirical=False, feature_names=NAMES, **CLASSES), ("n_negative",))
    assert table.n_unlabelled == 700
    for rows in (N_ROWS - 1, N_ROWS + 1):
        with pytest.raises(RocPredictError, match=f"X has 3,000 rows and y has {rows}; both must have the same length"):
            rp.summarize(ROUTES[name](folder), np.resize(Y, rows), **CLASSES)
    with pytest.raises(RocPredictError, match="y has missing values"):
        rp.screen(ROUTES[name](folder), missing, empirical=False, nan_policy="raise", **CLASSES)


@pytest.mark.parametrize("order", [None, [*range(9, -1, -1)], [3, 8, 1, 9, 0, 2, 7, 4, 6, 5]])
def test_batches_in_any_order_give_the_table_of_the_array(order):
    expected = rp.screen(X, Y, empirical=False, feature_names=NAMES, **CLASSES)
    table = rp.screen(((pd.DataFrame(x, columns=NAMES), y) for x, y in batches(order)), empirical=False, **CLASSES)
    assert_same(table, expected, ("n_negative", "n_missing"))


def test_two_sites_merged_from_json_give_the_table_of_the_array(tmp_path, run):
    """Each site writes its summary by the command line, and one adds them; the exact columns need the rows."""
    half = np.arange(N_ROWS) < 1_100
    for name, rows in (("a", half), ("b", ~half)):
        FRAME.drop("word").filter(rows).fill_nan(None).write_csv(tmp_path / f"{name}.csv")
        paths = tmp_path / f"{name}.csv", "--out", tmp_path / f"{name}.json"
        assert run("summarize --label y --positive sick --negative well", *paths)[0] == 0
    assert run("merge", tmp_path / "b.json", tmp_path / "a.json", "--out", tmp_path / "all.json")[0] == 0
    total = rp.TwoClassSummary.from_json((tmp_path / "all.json").read_text("utf-8"))
    expected = rp.screen(X, Y, empirical=False, feature_names=NAMES, **CLASSES)
    assert_same(rp.screen(total, empirical=False), expected, ("n_negative", "n_positive"))


@pytest.mark.parametrize("pairs", ["rest", "all"])
def test_several_classes_in_batches_and_files(folder, pairs):
    """Each label in turn, or all pairs; a batch may lack a class or bring a new one."""
    expected = rp.screen(X, Y, empirical=False, feature_names=NAMES, pairs=pairs)
    other = np.flatnonzero(Y == "other")
    parts = [np.setdiff1d(np.arange(N_ROWS), other)[:1_500], other, np.setdiff1d(np.arange(N_ROWS), other)[1_500:]]
    routes = {
        "batches": lambda: rp.screen(
            ((pd.DataFrame(X[rows], columns=NAMES), Y[rows]) for rows in parts), empirical=False, pairs=pairs
        ),
        **{
            name: lambda name=name: rp.screen(ROUTES[name](folder), "y", empirical=False, pairs=pairs)
            for name in ("Parquet folder", "LazyFrame", "CSV", "Arrow reader", "Dask DataFrame")
        },
    }
    check_each(routes, lambda work: _assert_same_pairs(work(), expected))
    one = rp.screen(batches(), empirical=False, positive="sick", pairs="all")
    assert one.class_pairs == (("other", "sick"), ("well", "sick"))


def _assert_same_pairs(table, expected):
    assert table.class_pairs == expected.class_pairs
    for pair in expected.class_pairs:
        one, other = (part[(part["negative"] == pair[0]) & (part["positive"] == pair[1])] for part in (table, expected))
        assert_same(one, other, ("n_negative", "n_positive", "n_missing"))


@pytest.mark.usefixtures("_small_blocks")
@pytest.mark.parametrize("kind", ["dense", "csr", "csc"])
def test_layers_and_raw_of_anndata(folder, kind):
    expected = rp.screen(X, Y, feature_names=NAMES, **CLASSES)
    raw = rp.screen(np.nan_to_num(X), Y, feature_names=NAMES, **CLASSES)
    for source in (
        folder / f"{kind}.h5ad",
        anndata.read_h5ad(folder / f"{kind}.h5ad", backed="r"),
        anndata.read_h5ad(folder / f"{kind}.h5ad"),
    ):
        assert_same(rp.screen(source, "y", layer="same", **CLASSES), expected)
        assert_same(rp.screen(source, "y", use_raw=True, **CLASSES), raw)
        assert set(rp.screen(source, "y", layer="zeros", **CLASSES)["empirical_auc"]) == {0.5}
        refused = {
            "use_raw=True and layer='same' select different matrices": {"layer": "same", "use_raw": True},
            "layer='none' is not a layer of X; layers are 'same', 'zeros'": {"layer": "none"},
        }
        for words, options in refused.items():
            refuses(words, rp.screen, source, "y", **CLASSES | options)
    refuses("layer='same' needs an AnnData object or an h5ad file", rp.screen, X, Y, layer="same", **CLASSES)


@pytest.fixture(scope="module")
def client():
    """Start two worker processes."""
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, memory_limit="1GB", dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def dask_table():
    return da.from_array(X, chunks=(500, 4)), da.from_array(Y, chunks=700)


@pytest.fixture
def received(monkeypatch):
    """Return a list that grows by the size of each message with results of tasks that the client receives."""
    sizes, gather = [], distributed.Client._gather

    async def counted(self, *arguments, **options):
        result = await gather(self, *arguments, **options)
        sizes.append(len(distributed.protocol.pickle.dumps(result)))
        return result

    monkeypatch.setattr(distributed.Client, "_gather", counted)
    return sizes


@pytest.mark.parametrize("empirical", [True, False, "top"])
def test_dask_computes_on_the_workers(client, empirical, folder, received):
    """The client receives labels, moments and results, and none of the cells of the table."""
    options = CLASSES | {"empirical": empirical, "n_top": 4}
    expected = rp.screen(X, Y, feature_names=NAMES, **options)
    exact = EXACT if empirical is True else ("n_negative", "n_missing")
    array, labels = dask_table()
    for y in (Y, labels):
        assert_same(rp.screen(array, y, feature_names=NAMES, **options), expected, exact)
    assert_same(rp.screen(dd.read_parquet(folder / "parquet"), "y", **options), expected, exact)
    assert received
    assert max(received) < 15_000 < X.nbytes / 10


def test_histograms_of_dask_tables_are_counted_on_the_workers(client, folder):
    """Edges are values of rows of all parts, so that the bounds are narrow; edges that are passed give equal counts."""
    exact = rp.screen(X, Y, feature_names=NAMES, **CLASSES)
    array, labels = dask_table()
    sparse = da.from_array(np.nan_to_num(X), chunks=(500, -1)).map_blocks(sp.csr_matrix, dtype=float)
    edges = rp.summarize(X, Y, histogram_edges=32, **CLASSES).histograms.edges
    expected = rp.summarize(X, Y, histogram_edges=edges, **CLASSES).histograms
    frame = dd.read_parquet(folder / "parquet")
    for source, y, names in ((array, labels, NAMES), (array, Y, NAMES), (frame, "y", None)):
        table = rp.screen(source, y, empirical="histogram", feature_names=names, **CLASSES)
        rows = [int(np.flatnonzero(table["feature"] == name)[0]) for name in NAMES]
        truth = exact.in_input_order()["empirical_auc"]
        low, high = table["empirical_auc_min"][rows], table["empirical_auc_max"][rows]
        assert ((low <= truth + 1e-15) & (truth - 1e-15 <= high)).all()
        assert (high - low < 0.01).all()
    assert rp.summarize(array, labels, histogram_edges=edges, **CLASSES).histograms == expected
    counted = rp.summarize(sparse, Y, histogram_edges=edges, **CLASSES).histograms
    assert counted == rp.summarize(np.nan_to_num(X), Y, histogram_edges=edges, **CLASSES).histograms
    with pytest.raises(RocPredictError, match="but y has 3 classes; select the positive label with positive="):
        rp.screen(array, labels, empirical="histogram")


@pytest.mark.parametrize("form", [sp.csr_matrix, sp.csc_array, sp.coo_matrix])
@pytest.mark.parametrize("empirical", [True, False])
def test_sparse_chunks_of_a_dask_array(form, empirical):
    options = CLASSES | {"empirical": empirical, "feature_names": NAMES}
    table = da.from_array(X, chunks=(500, -1)).map_blocks(form, dtype=float, meta=form((0, 0)))
    with dask.config.set(scheduler="synchronous"):
        result = rp.screen(table, Y, **options)
    assert_same(result, rp.screen(X, Y, **options), EXACT if empirical else ("n_negative", "n_missing"))


def dask_frame(folder):
    return dd.read_parquet(folder / "parquet", columns=[*NAMES, "y"])


def _filtered(folder):
    return dask_frame(folder)[dask_frame(folder)["f0"] > -1e9]


BEYOND = {
    "array": lambda folder: (dask_table()[0], Y),
    "columns of chunks": lambda folder: (dask_table()[0] + 0, Y),
    "coordinates": lambda folder: (da.from_array(X, chunks=(500, 4)).map_blocks(sp.coo_matrix, dtype=float), Y),
    "Parquet": lambda folder: (dask_frame(folder), "y"),
    "Parquet and labels": lambda folder: (dask_frame(folder)[NAMES], Y),
    "filter": lambda folder: (_filtered(folder), "y"),
    "partition size": lambda folder: (dask_frame(folder).repartition(partition_size="30kB"), "y"),
}


@pytest.mark.parametrize("source", BEYOND.values(), ids=BEYOND)
def test_dask_tables_beyond_the_memory_of_the_workers_are_read_in_parts(source, folder, monkeypatch):
    """Each computation collects a fraction of the memory of the workers, here one column."""
    numbers, compute = [], dask_tables.compute

    def counted(tasks):
        numbers.append(len(tasks))
        return compute(tasks)

    monkeypatch.setattr(dask_tables, "compute", counted)
    monkeypatch.setattr(dask_tables, "_memory_of_workers", lambda: 0)
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 8 * N_ROWS)
    lazy, y = source(folder)
    names = {"feature_names": NAMES} if isinstance(lazy, da.Array) else {}
    with dask.config.set(scheduler="synchronous"):
        table = rp.screen(lazy, y, **names, **CLASSES)
    if names:
        assert numbers == [1] * N_FEATURES
    else:  # the first computation counts the rows
        assert numbers == [lazy.npartitions] + [1] * N_FEATURES
    assert_same(table, rp.screen(X, Y, feature_names=NAMES, **CLASSES))


def test_a_column_of_a_dask_frame_may_be_named_like_a_method():
    frame = pd.DataFrame({"walk": np.arange(40.0) % 7, "y": np.arange(40) % 2})
    for empirical in (True, False):
        lazy = rp.screen(dd.from_pandas(frame, npartitions=2), "y", empirical=empirical)
        whole = rp.screen(frame, "y", empirical=empirical)
        for name in ("feature", "n_negative", "n_positive", "empirical_auc"):
            np.testing.assert_array_equal(lazy[name], whole[name])
        np.testing.assert_allclose(lazy["auc"], whole["auc"], rtol=1e-12)


def test_each_cell_of_a_stored_array_is_read_once(monkeypatch):
    """A computation reads only its columns from the source of ``da.from_array``."""
    n_read = np.zeros(X.shape, dtype=int)

    class Stored:
        shape, dtype, ndim = X.shape, X.dtype, 2

        def __getitem__(self, key):
            n_read[key] += 1
            return X[key]

    monkeypatch.setattr(dask_tables, "_memory_of_workers", lambda: 0)
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 8 * 2 * N_ROWS)
    with dask.config.set(scheduler="synchronous"):
        for chunks in ((500, 9), (700, 4)):
            n_read[:] = 0
            table = rp.screen(da.from_array(Stored(), chunks=chunks), Y, feature_names=NAMES, **CLASSES)
            assert (n_read == 1).all()
            assert_same(table, rp.screen(X, Y, feature_names=NAMES, **CLASSES))


@pytest.mark.parametrize("make", [dask_frame, _filtered])
def test_columns_of_a_parquet_folder_are_read_alone(make, folder, monkeypatch):
    read, to_dense = [], dask_tables._to_dense

    def recorded(part, columns, is_text):
        read.append([*part.columns])
        return to_dense(part, columns, is_text)

    monkeypatch.setattr(dask_tables, "_to_dense", recorded)
    monkeypatch.setattr(dask_tables, "_memory_of_workers", lambda: 0)
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 8 * N_ROWS)
    frame = make(folder)
    with dask.config.set(scheduler="synchronous"):
        rp.screen(frame, "y", **CLASSES)
    assert read == [[name] for name in NAMES for _ in range(frame.npartitions)]


def _slow(block, block_info=None):
    time.sleep(0.2)
    return block


def test_a_killed_worker_changes_no_result():
    """A worker process is killed in the middle of a screening: the chunks are computed again."""
    rows = np.random.default_rng(3).normal(size=(1_600, 6))
    y = np.arange(1_600) % 2
    short = dask.config.set({"distributed.comm.timeouts.connect": "2s"})  # of connections to the killed worker
    cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0")
    with short, cluster, distributed.Client(cluster) as own:
        table = da.from_array(rows, chunks=(200, 6)).map_blocks(_slow, dtype=float)
        expected = rp.screen(table, y)
        pids = own.run(os.getpid)
        killer = threading.Timer(0.4, os.kill, (next(iter(pids.values())), signal.SIGKILL))
        killer.start()
        result = rp.screen(table, y)
        killer.join()
        left = own.run(os.getpid)
    assert set(left.values()) != set(pids.values())
    assert result == expected
    np.testing.assert_array_equal(result["empirical_auc"], rp.screen(rows, y)["empirical_auc"])


SCHEDULER = """
import asyncio, distributed
async def main():
    async with distributed.Scheduler(port=0, dashboard_address=":0", host="127.0.0.1") as scheduler:
        print(scheduler.address, flush=True)
        async with distributed.Worker(scheduler.address, nthreads=1):
            await scheduler.finished()
asyncio.run(main())
"""


def test_a_scheduler_that_is_gone_is_one_message():
    """The process of the scheduler is killed: no result is half computed, and the message says what to do."""
    words = [sys.executable, "-c", SCHEDULER]
    short = dask.config.set({"distributed.comm.timeouts.connect": "2s"})
    with short, subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        with distributed.Client(process.stdout.readline().strip(), timeout=5):
            table, expected = dask_table()[0], rp.screen(X, Y, feature_names=NAMES, empirical=False, **CLASSES)
            assert_same(rp.screen(table, Y, feature_names=NAMES, empirical=False, **CLASSES), expected, ("n_missing",))
            process.kill()
            process.wait()
            with pytest.raises(RocPredictError, match=r"the Dask cluster failed: .*; restart it") as caught:
                rp.screen(table, Y, empirical=False, **CLASSES)
        assert "\n" not in str(caught.value)


def test_statistics_of_parquet_files_do_not_matter(tmp_path):
    """A row group of NaN has no minimum and maximum, and one with a single NaN has those of the other values."""
    values = X.copy()
    values[:300, 0], values[400, 1] = np.nan, np.nan
    table = pa.table({name: values[:, place] for place, name in enumerate(NAMES)} | {"y": Y})
    parquet.write_table(table, tmp_path / "t.parquet", row_group_size=300)
    expected = rp.screen(values, Y, feature_names=NAMES, **CLASSES)
    for source in (tmp_path / "t.parquet", ds.dataset(tmp_path / "t.parquet")):
        assert_same(rp.screen(source, "y", **CLASSES), expected)


BUDGETS = {
    "parquet": 32_000_000,
    "feather": 32_000_000,
    "dense.h5ad": 32_000_000,
    "csv": 64_000_000,
    "csr.h5ad": 64_000_000,
    "csc.h5ad": 64_000_000,
}
WIDTH = 400
SCRIPT = """
import json, sys, threading, time
import numpy as np
import scipy.sparse as sp
import narwhals, polars, pyarrow.dataset
import rocpredict as rp

def anonymous():
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("RssAnon")) * 1024

def file(path):
    return path

def lazy(path):
    import polars
    return polars.scan_parquet(path)

def dataset(path):
    import pyarrow.dataset
    return pyarrow.dataset.dataset(path)

def reader(path):
    import pyarrow as pa
    file = pa.ipc.open_file(pa.memory_map(path))
    batches = map(file.get_batch, range(file.num_record_batches))
    return pa.RecordBatchReader.from_batches(file.schema, batches)

def relation(path):
    import duckdb
    duckdb.execute("set memory_limit='32MB'; set threads=1")
    return duckdb.sql(f"select * from '{path}'")

def backed(path):
    import anndata
    return anndata.read_h5ad(path, backed="r")

routes, small, path, calls = sys.argv[1].split(","), sys.argv[2], sys.argv[3], json.loads(sys.argv[4])
table, labels = np.zeros((2_000, 600)), np.arange(2_000) % 2
for X in (table, np.asfortranarray(table), sp.csr_matrix(table), sp.csc_matrix(table)):
    for empirical in (True, False):
        rp.screen(X, labels, empirical=empirical, engine="numba")
long = np.random.default_rng(0).normal(size=(2, 70_000)).T  # other kernels, also for a single column
for X in (long, long[:, :1].copy()):
    for n_classes in (2, 3):
        rp.screen(X, np.arange(70_000) % n_classes, engine="numba")
del long, X
for route in routes:
    for options in calls:
        rp.screen(locals()[route](small), "y", engine="numba", **options)
base, peak, done = anonymous(), [0], threading.Event()

def watch():
    while not done.wait(0.001):
        peak[0] = max(peak[0], anonymous())

watcher = threading.Thread(target=watch, daemon=True)
watcher.start()
for route in routes:
    for options in calls:
        peak[0] = 0
        rp.screen(locals()[route](path), "y", engine="numba", **options)
        print(peak[0] - base)
done.set()
watcher.join()
"""
LARGE_ROUTES = [
    ("file", "parquet"),
    ("lazy", "parquet"),
    ("dataset", "parquet"),
    ("relation", "parquet"),
    ("file", "feather"),
    ("reader", "feather"),
    ("file", "csv"),
    ("backed", "dense.h5ad"),
    ("file", "csr.h5ad"),
    ("file", "csc.h5ad"),
]


def write_table(path, kind, n_rows):
    """Write a table of 400 columns in a format; a sparse one has four times the columns and a quarter of the cells."""
    rng = np.random.default_rng(1)
    labels = np.where(np.arange(n_rows) % 3, "well", "sick")
    values = rng.integers(-999, 1_000, (n_rows, WIDTH)) / 100
    if kind.endswith("h5ad"):
        obs = pd.DataFrame({"y": labels}, index=[str(row) for row in range(n_rows)])
        if kind != "dense.h5ad":
            indices = np.tile(np.arange(WIDTH, dtype=np.int32), n_rows) * 4
            indices += np.repeat(np.arange(n_rows, dtype=np.int32) % 4, WIDTH)
            values = sp.csr_matrix((values.ravel(), indices, np.arange(n_rows + 1) * WIDTH), shape=(n_rows, 4 * WIDTH))
        anndata.AnnData(values.tocsc() if kind == "csc.h5ad" else values, obs=obs).write_h5ad(path)
        return
    frame = pl.DataFrame(values, schema=[f"f{place}" for place in range(WIDTH)], orient="row")
    frame = frame.with_columns(pl.Series("y", labels))
    if kind == "parquet":
        frame.write_parquet(path, row_group_size=5_000, compression="lz4")
    elif kind == "feather":
        frame.write_ipc(path, compat_level=pl.CompatLevel.oldest(), record_batch_size=2_000)
    else:
        frame.write_csv(path)


@pytest.mark.parametrize(("kind", "budget"), BUDGETS.items(), ids=BUDGETS)
def test_tables_of_five_times_the_memory_budget(tmp_path, kind, budget):
    """The peak of anonymous memory above that of the imports and compiled code is below the budget.

    With two threads, Parquet files are read further ahead. Repeated screenings do not need more memory.
    """
    paths = tmp_path / f"small.{kind}", tmp_path / f"large.{kind}"
    for path, n_rows in zip(paths, (1_000, 5 * budget // (8 * WIDTH)), strict=True):
        write_table(path, kind, n_rows)
    calls = [{"positive": "sick", "empirical": empirical, "memory": budget} for empirical in (False, True)]
    if kind == "parquet":
        calls = 3 * calls + [options | {"n_jobs": 2} for options in calls]
    for route in (name for name, written in LARGE_ROUTES if written == kind):
        assert max(peaks_of(route, paths, calls)) < budget, (kind, route)


def peaks_of(routes, paths, calls, **environment):
    """Return the peak of anonymous memory of each screening in a new process, above that of its imports."""
    words = [sys.executable, "-c", SCRIPT, routes, *map(str, paths), json.dumps(calls)]
    variables = os.environ | environment
    run = subprocess.run(words, check=True, capture_output=True, text=True, env=variables)
    return [int(line) for line in run.stdout.split()]


def test_one_pass_over_a_csv_file_of_five_times_the_memory_budget(tmp_path):
    """The same lines are written many times. With a smaller budget, the file would be read in chunks."""
    budget, paths, n_copies = 300_000_000, [tmp_path / "small.csv", tmp_path / "large.csv"], 250
    for path, n_rows in zip(paths, (1_000, 5 * budget // (8 * WIDTH) // n_copies), strict=True):
        write_table(path, "csv", n_rows)
    content = paths[1].read_bytes()
    with paths[1].open("ab") as file:
        for _ in range(n_copies - 1):
            file.write(content[content.index(b"\n") + 1 :])
    calls = [{"positive": "sick", "empirical": False, "memory": budget}]
    (peak,) = peaks_of("file", paths, calls, POLARS_MAX_THREADS="1")
    assert peak < budget


def test_no_memory_for_a_block_is_a_memory_error(monkeypatch, tmp_path, capsys):
    """It is an OSError of mmap, which must not be mistaken for an error of a file."""
    pl.DataFrame({"a": [1.0, 2.0], "y": [0, 1]}).write_parquet(tmp_path / "t.parquet")
    monkeypatch.setattr(mmap, "mmap", Mock(side_effect=OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))))
    with pytest.raises(MemoryError, match="a block of 16B cannot be allocated"):
        rp.screen(tmp_path / "t.parquet", "y")
    assert main(["screen", str(tmp_path / "t.parquet"), "--label", "y"]) == 1
    assert "not enough memory for these data" in capsys.readouterr().err


def test_long_columns_with_text_as_labels_need_the_stated_memory(tmp_path):
    """A table of 400,000 rows and five times the budget; three classes against the rest need more memory.

    DuckDB adds its buffers, usually less than 12 MB, but up to its own limit of 32 MB.
    """
    budget, needed, n_columns = 32_000_000, 45_000_000, 50
    paths = [tmp_path / "small.parquet", tmp_path / "long.parquet"]
    rng, labels = np.random.default_rng(2), pl.Series(["well", "suspected case", "sick"])
    for path, n_rows in zip(paths, (1_000, 5 * budget // (8 * n_columns)), strict=True):
        columns = {f"f{place}": rng.normal(size=n_rows) for place in range(n_columns)}
        pl.DataFrame(columns).with_columns(y=labels.gather(np.arange(n_rows) % 3)).write_parquet(path)
    for route, most in {"file": budget, "lazy": budget, "relation": budget + 32_000_000}.items():
        assert max(peaks_of(route, paths, [{"positive": "sick", "memory": budget}])) < most, route
    assert max(peaks_of("file", paths, [{"memory": needed}])) < needed
    for route, stated in (("Parquet", "45MB"), ("DuckDB", "48MB")):
        X = paths[1] if route == "Parquet" else duckdb.sql(f"select * from '{paths[1]}'")
        words = f"memory='32MB' is too small for a column of 3.2MB; pass memory={stated!r} or more"
        refuses(words, rp.screen, X, "y", memory=budget, engine="numba")


WORKER_LIMIT = 600_000_000
"""Memory limit of a Dask worker.

After its imports and with compiled code, a worker has 270 MB (150 MB of them anonymous), and while it merges histograms
up to 410 MB. Dask pauses a worker at 80% of its limit, that is 480 MB.
"""
N_ROWS_LARGE, WIDTH_LARGE, PERIOD = 1_501_500, 500, 19_500


@pytest.mark.parametrize(
    ("empirical", "n_chunks", "largest"),
    [
        (False, 385, 200_000),
        pytest.param("histogram", 385, 10_000_000, marks=pytest.mark.slow),
        pytest.param(True, 15, 200_000, marks=pytest.mark.slow),
    ],
)
def test_dask_tables_of_five_times_the_memory_of_the_workers(received, empirical, n_chunks, largest):
    """The rows of the table repeat, so its means and AUCs are those of one period in memory.

    The peak of the anonymous memory of each worker is below its limit, no worker is restarted, and the client receives
    nothing larger than one summary. The workers cannot write chunks to their disks. For exact results, a chunk has
    400 MB, so that a worker cannot read a whole chunk.
    """
    shape = n_rows, width = N_ROWS_LARGE, WIDTH_LARGE
    assert n_rows * width * 8 >= 5 * 2 * WORKER_LIMIT
    period, base = PERIOD, np.random.default_rng(0).random(PERIOD + 97 * WIDTH_LARGE)

    class Stored:  # the workers receive this class, and do not import this file
        def __init__(self):
            self.shape, self.dtype, self.ndim = shape, np.dtype(float), 2

        def __getitem__(self, key):
            rows, columns = (np.arange(length)[part] for length, part in zip(shape, key, strict=True))
            values = np.lib.stride_tricks.as_strided(base, (period, width), (8, 97 * 8))
            block = values[:, key[1]][rows % period]
            block[-key[0].start % 3 :: 3] += columns / width / 2
            return block

    y = np.arange(n_rows) % 3 == 0
    first = Stored()[slice(0, period), :]
    expected = rp.screen(first, y[:period], engine="numba").in_input_order()  # compiles the kernels for the workers
    longer = np.asfortranarray(np.resize(first[:, :2], (100_000, 2)))  # long columns have other kernels
    rp.screen(longer, np.arange(len(longer)) % 3 == 0, engine="numba")
    table = da.from_array(Stored(), chunks=(n_rows // n_chunks, width))
    no_disk = dict.fromkeys([f"distributed.worker.memory.{limit}" for limit in ("target", "spill", "pause")], False)
    done = threading.Event()
    with (
        dask.config.set(no_disk),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, memory_limit=WORKER_LIMIT, dashboard_address=":0", silence_logs="ERROR"
        ) as cluster,
        distributed.Client(cluster) as own,
    ):
        pids = own.run(os.getpid)
        peaks = dict.fromkeys(pids.values(), 0)

        def watch():
            while not done.wait(0.005):
                for pid in peaks:
                    status = pathlib.Path(f"/proc/{pid}/status").read_text()
                    peaks[pid] = max(peaks[pid], int(status.split("RssAnon:")[1].split()[0]) * 1024)

        watcher = threading.Thread(target=watch, daemon=True)
        watcher.start()
        try:
            result = rp.screen(table, y, empirical=empirical, memory="100MB", engine="numba").in_input_order()
        finally:
            done.set()
            watcher.join()
        assert own.run(os.getpid) == pids
    assert all(100_000_000 < peak < WORKER_LIMIT for peak in peaks.values()), peaks
    assert max(received) < largest
    np.testing.assert_array_equal(result["n_positive"], n_rows // 3)
    for column in ("negative_mean", "negative_std", "positive_mean", "positive_std"):
        np.testing.assert_allclose(result[column], expected[column], rtol=1e-4 if "std" in column else 1e-12)
    if empirical is True:
        np.testing.assert_array_equal(result["empirical_auc"], expected["empirical_auc"])
    if empirical == "histogram":
        assert (result["empirical_auc_min"] <= expected["empirical_auc"] + 1e-14).all()
        assert (expected["empirical_auc"] - 1e-14 <= result["empirical_auc_max"]).all()
        assert (result["empirical_auc_max"] - result["empirical_auc_min"] < 0.02).all()


def _reports(source, y="y", **options):
    reports = []
    rp.screen(source, y, **options, progress=lambda *report: reports.append(report))
    return reports


def test_progress_is_reported_for_each_source(folder, monkeypatch):
    """Features of each pass over a file, features of a Dask table, and rows of batches and readers."""
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 8 * N_ROWS)
    monkeypatch.setattr(blocks, "_SCAN_BLOCK", 1)
    one_pass = [(done, 10) for done in range(1, 11)]
    assert _reports(folder / "parquet", **CLASSES, empirical=False) == one_pass
    assert _reports(folder / "parquet", **CLASSES, empirical="histogram") == 2 * one_pass
    assert _reports(da.from_array(X, chunks=(1_000, 9)), Y, **CLASSES)[-1] == (9, 9)
    rows = [(done, 0) for done in range(300, N_ROWS + 1, 300)]
    for options in ({}, {"positive": "sick"}, {"positive": "sick", "negative": "well"}):
        assert _reports(batches(), None, **options, empirical=False) == rows
    assert _reports(list(batches()), None, positive="sick", empirical="histogram") == 2 * rows
    assert _reports(ROUTES["Arrow scanner"](folder), **CLASSES, empirical=False)[-1] == (N_ROWS, 0)


@pytest.mark.usefixtures("_small_blocks")
@pytest.mark.parametrize("empirical", [True, False])
def test_two_threads_query_a_block_while_another_one_is_written(folder, monkeypatch, empirical):
    """The results are those of one thread. With a small budget, no block is queried so early."""
    queried, read_ahead = [], blocks.read_ahead
    monkeypatch.setattr(blocks, "read_ahead", lambda items: queried.append(items) or read_ahead(items))
    options = CLASSES | {"empirical": empirical}
    one = rp.screen(folder / "parquet", "y", **options)
    assert not queried
    assert_same(rp.screen(folder / "parquet", "y", n_jobs=2, **options), one)
    assert len(queried) == 1
    monkeypatch.setattr(blocks, "_FIXED_BYTES", 5_320_000)  # three times this size leave 40 kB, less than a block
    assert_same(rp.screen(folder / "parquet", "y", n_jobs=2, memory="16MB", **options), one)
    assert len(queried) == 1


def test_a_failing_query_of_two_threads_is_reported(folder, monkeypatch):
    """The third block cannot be read; no new thread remains."""
    collect, names, before = blocks.DataFrameSource.collect, [], {*threading.enumerate()}

    def failing(self, query):
        names.append(query.collect_schema().names())
        if NAMES[4] in names[-1]:
            raise RocPredictError("the disk was removed")
        return collect(self, query)

    monkeypatch.setattr(blocks, "BLOCK_BYTES", 8 * N_ROWS)
    monkeypatch.setattr(blocks, "_SCAN_BLOCK", 1)
    monkeypatch.setattr(blocks.DataFrameSource, "collect", failing)
    lazy = pl.scan_parquet(folder / "parquet")
    refuses("the disk was removed", rp.screen, lazy, "y", n_jobs=2, empirical=False, **CLASSES)
    assert NAMES[:2] in names
    assert {*threading.enumerate()} <= before  # threads of earlier tests may end meanwhile


def test_all_threads_receive_the_same_number_of_columns(monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 5 * 80)
    widths = [blocks.MemoryBudget(n_jobs=n_jobs).block_width(80) for n_jobs in (1, 2, 3, 5, 8)]
    assert widths == [5, 4, 3, 5, 8]


def _truncated(folder, path):
    path.write_bytes((folder / "parquet" / "0.parquet").read_bytes()[:-100])
    return path


def _parts(*frames):
    def write(_, path):
        path.mkdir()
        for place, frame in enumerate(frames):
            frame.write_parquet(path / f"{place}.parquet")
        return path

    return write


def _exhausted(folder, _):
    used = reader(folder)
    rp.screen(used, "y", **CLASSES)
    return used


def _delayed(*frames):
    parts = [frame.to_pandas() for frame in frames]
    return dd.from_delayed([dask.delayed(part) for part in parts], meta=parts[0], verify_meta=False)


GOOD = pl.DataFrame({"f": [1.0, 2.0, 3.0, 4.0], "y": ["sick", "well"] * 2})
REFUSED = {
    r"1\.parquet has no column 'f', which .*0\.parquet has": _parts(GOOD, GOOD.rename({"f": "g"})),
    r"1\.parquet has no column 'y', which .*0\.parquet has": _parts(GOOD, GOOD.drop("y")),
    r"1\.parquet: column 'f' has the type String, but Float64 in .*0\.parquet": _parts(
        GOOD, GOOD.with_columns(f=pl.lit("text"))
    ),
    r"y has missing values \(NaN\) in 2 of 8 rows": _parts(
        GOOD, GOOD.with_columns(y=pl.when(pl.col("f") > 2).then("y"))
    ),
    "cannot be read as Parquet": _truncated,
    r"\.parquet cannot be read: .*Parquet": lambda folder, path: ds.dataset(
        _truncated(folder, _parts(GOOD)(folder, path) / "1.parquet").parent
    ),
    r"a partition of the Dask table cannot be computed: KeyError: .*'f'.*; correct its data": lambda folder, path: (
        dd.read_parquet(_parts(GOOD, GOOD.rename({"f": "g"}))(folder, path))
    ),
    r"column 'f' has numbers in some partitions, but one partition contains '0\.5'; convert": lambda *_: _delayed(
        GOOD, GOOD.with_columns(f=pl.lit("0.5"))
    ),
    r"column 'f' contains integers beyond 2\*\*53": _parts(GOOD.with_columns(f=pl.Series([2**53 + 1] * 4))),
    r"1\.parquet has no column 'f'; all files need the same columns": lambda folder, path: ds.dataset(
        _parts(GOOD, GOOD.rename({"f": "g"}))(folder, path)
    ),
    r"1\.parquet: column 'f' has the type .*string, but double in the schema of": lambda folder, path: ds.dataset(
        _parts(GOOD, GOOD.with_columns(f=pl.lit("text")))(folder, path)
    ),
    "y has missing values": lambda *_: dd.from_pandas(
        pd.DataFrame({"f": [1.0, 2, 3], "y": ["sick", None, "well"]}), npartitions=2
    ),
    "X has no batches left; a reader can be read only once, so open it again": _exhausted,
    r"X is a Dask array with chunks of unknown sizes; pass X\.compute_chunk_sizes\(\), or": lambda *_: da.from_array(
        X, chunks=(500, 9)
    )[da.from_array(X[:, 0] > 0, chunks=500)],
    "X is a 2-dimensional Dask array of <U1": lambda *_: da.from_array(np.array([["a"], ["b"]])),
    "X has no numeric column": lambda *_: dd.from_pandas(
        pd.DataFrame({"f": ["a", "b"], "y": ["sick", "well"]}), npartitions=1
    ),
}


@pytest.mark.parametrize("positive", [1, "1"])
def test_labels_that_differ_only_in_their_type_are_refused(positive):
    """The label 1 in one part and "1" in the next: neither is a class of its own, whatever the source."""
    x, labels = np.arange(8.0)[:, None], [np.array([0, 1] * 4), np.array(["0", "1"] * 4)]
    mixed = np.concatenate([part.astype(object) for part in labels])
    calls = {
        "rows": lambda: rp.screen(np.tile(x, (2, 1)), mixed, positive=positive),
        "batches": lambda: rp.screen(((x, part) for part in labels), positive=positive, empirical=False),
        "summary of batches": lambda: rp.summarize([(x, part) for part in labels], positive=positive),
    }
    words = r"y contains the labels '?(0|1)'? and '?(0|1)'?, which differ only in their type; convert all labels"

    def check(call):
        with pytest.raises(RocPredictError, match=words):
            call()

    check_each(calls, check)


def test_partitions_with_columns_in_another_order():
    """Each partition is read by the names of its columns, also for moments; other columns are refused."""
    frame = pd.DataFrame({"a": [0.0, 1, 2, 3] * 50, "b": [9.0, 9, 9, 8] * 50, "y": [0, 0, 1, 1] * 50})

    def table(second):
        parts = [dask.delayed(frame), dask.delayed(second)]
        return dd.from_delayed(parts, meta=frame, verify_meta=False)

    expected = rp.screen(pd.concat([frame, frame]), "y").in_input_order()
    for options in ({}, {"empirical": False}, {"empirical": "histogram"}):
        result = rp.screen(table(frame[["b", "y", "a"]]), "y", **options).in_input_order()
        np.testing.assert_allclose(result["auc"], expected["auc"], rtol=1e-12)
    assert rp.summarize(table(frame[["b", "a", "y"]]), "y").positive.mean.tolist() == [2.5, 8.5]
    for other in (frame.rename(columns={"a": "c"}), frame.assign(c=1.0)):
        with pytest.raises(RocPredictError, match=r"a partition has the columns .*'c'.*all partitions need the same"):
            rp.summarize(table(other), "y")


def test_tables_that_are_refused(folder, tmp_path):
    def check(item):
        words, make = item
        source = make(folder, tmp_path / str(hash(words)))
        with pytest.raises(RocPredictError, match=words) as caught:
            rp.screen(source, "y", positive="sick", nan_policy="raise", empirical="partition" not in words)
        assert "\n" not in str(caught.value)

    check_each({words: (words, make) for words, make in REFUSED.items()}, check)


LARGE = pl.DataFrame({"f": 2**60 + np.arange(8) ** 5, "g": np.arange(8.0), "y": ["sick", "well"] * 4})


def _written(folder):
    LARGE.write_csv(folder / "large.csv")
    return folder / "large.csv"


LARGE_INTEGERS = {
    "lines of a CSV file": _written,
    "chunks of a CSV file": _written,
    "bigint": lambda _: duckdb.sql("select * from LARGE"),
    "hugeint": lambda _: duckdb.sql("select * replace (f::hugeint as f) from LARGE"),
    "decimal": lambda _: LARGE.with_columns(pl.col("f").cast(pl.Decimal(38, 0))),
    "frame": lambda _: dd.from_pandas(LARGE.to_pandas(), npartitions=2),
    "array": lambda _: da.from_array(LARGE[["f"]].to_numpy(), chunks=(4, 1)),
}


@pytest.mark.parametrize("source", LARGE_INTEGERS)
def test_integers_that_float64_cannot_represent_are_refused(tmp_path, monkeypatch, source):
    """A refused query leaves its connection usable; large floats are accepted."""
    monkeypatch.setattr(large_csv, "MIN_BYTES", 0 if "chunks" in source else 10**9)
    for empirical in (True, False, "histogram"):
        y = LARGE["y"].to_numpy() if source == "array" else "y"
        with pytest.raises(RocPredictError, match=r"beyond 2\*\*53 that float64 cannot .*; subtract an offset first$"):
            rp.screen(LARGE_INTEGERS[source](tmp_path), y, positive="sick", empirical=empirical)
    assert duckdb.sql("select 1").fetchall() == [(1,)]
    for number in ("1_152_921_504_606_846_977", "-1" + "0" * 5_000):
        (tmp_path / "text.csv").write_text(f"f,y\n{number},sick\n1,well\n2,sick\n3,well\n")
        with pytest.raises(RocPredictError, match=r"text\.csv, line 2: column 'f' contains integers beyond 2\*\*53"):
            rp.screen(tmp_path / "text.csv", "y", positive="sick")
    floats = LARGE.with_columns(f=pl.col("f") * 1e30)
    floats.write_csv(tmp_path / "floats.csv")
    monkeypatch.delattr(large_csv.ChunkedCsv, "_read_lines")  # large floats do not need the slower reader
    results = [rp.screen(table, "y", positive="sick")["empirical_auc"] for table in (tmp_path / "floats.csv", floats)]
    np.testing.assert_array_equal(*results)


def test_memory_is_a_size():
    refused = {
        "memory='much' is not a valid size; pass a number of bytes, or text such as '500MB' or '2GB'": "much",
        "memory='5 XB' is not a valid size": "5 XB",
        "memory=True is not a valid size": True,
        "memory='1MB' is too small; pass '16MB' or more": "1MB",
        "memory=-5 is too small": -5,
        "memory=10000000.0 is too small": 1e7,
        "memory=1.5 is not a valid size": 1.5,
        "memory=nan is not a valid size": float("nan"),
    }
    for words, memory in refused.items():
        for call in (rp.screen, rp.summarize):
            refuses(words, call, X, Y, memory=memory, **CLASSES)
    sizes = {"1GB": 10**9, " 1.5 gib": 3 * 2**29, "16000kB": 16 * 10**6, 2**30: 2**30, 1e9: 10**9}
    assert [blocks.parse_memory(size) for size in sizes] == [*sizes.values()]


def test_a_column_beyond_the_budget_is_refused_with_its_size(tmp_path):
    n_rows = 1_000_000
    frame = pl.DataFrame({"f": np.arange(n_rows) % 7.0, "y": np.arange(n_rows) % 2})
    frame.write_parquet(tmp_path / "long.parquet")
    words = "memory='16MB' is too small for a column of 8MB; pass memory='57MB' or more"
    refuses(words, rp.screen, tmp_path / "long.parquet", "y", memory="16MB", engine="numba")
    words, calls = words.replace("57MB", "65MB"), Mock()  # histograms need more
    options = {"memory": "16MB", "engine": "numba", "empirical": "histogram", "progress": calls}
    refuses(words, rp.screen, tmp_path / "long.parquet", "y", **options)
    calls.assert_not_called()
    result = rp.screen(tmp_path / "long.parquet", "y", memory="57MB", engine="numba")
    assert result["n_positive"].tolist() == [n_rows // 2]


def test_a_partition_with_a_new_label_is_refused():
    """The labels of a Dask table are read twice; a label that the first reading did not have is named."""
    codes = {"well": 0, "sick": 1, "other": -1}
    assert dask_tables._encode(np.array(["sick", "other", "well"]), codes).tolist() == [1, -1, 0]
    words = "y contains the label 'ill', which was absent in an earlier computation: each"
    refuses(words, dask_tables._encode, np.array(["sick", "ill"]), codes)


@pytest.mark.parametrize("empirical", [True, False])
def test_nested_columns_of_readers_are_not_numeric(empirical):
    lists, structs = [[row, 2] for row in range(8)], [{"k": row} for row in range(8)]
    table = pa.table({"v": np.arange(8.0), "lists": lists, "structs": structs, "y": np.arange(8) % 2})
    result = rp.screen(table.to_reader(), "y", empirical=empirical)
    assert result["feature"][~result.flags["not_numeric"]].tolist() == ["v"]


@pytest.mark.parametrize("empirical", [True, False, "histogram"])
def test_csv_files_that_dask_reads_have_the_same_columns(tmp_path, empirical):
    """Dask fills a column that is absent from a file with missing values, and refuses text with its own error."""
    frame = pd.DataFrame({"a": np.arange(40.0) % 7, "b": np.arange(40.0) % 9, "y": np.arange(40) % 2})
    frame.to_csv(tmp_path / "1.csv", index=False)
    others = {
        "a partition has the columns 'a', 'y', but the Dask DataFrame has 'a', 'b', 'y'": frame.drop(columns="b"),
        "a partition has the columns 'a', 'b', 'y', 'c', but": frame.assign(c=1.0),
        "fails: ValueError: Mismatched dtypes|cannot be computed: ValueError: Mismatched dtypes": frame.assign(
            b="text"
        ),
        "a partition has the columns 'a', 'b', but the Dask|cannot be computed: KeyError": frame.drop(columns="y"),
    }
    paths = [str(tmp_path / "1.csv"), str(tmp_path / "2.csv")]
    for words, other in others.items():
        other.to_csv(paths[1], index=False)
        refuses(words, rp.screen, dd.read_csv(paths), "y", positive=1, empirical=empirical)
    frame[["y", "b", "a"]].to_csv(paths[1], index=False)
    result = rp.screen(dd.read_csv(paths), "y", positive=1, empirical=empirical)
    expected = rp.screen(pd.concat([frame, frame]), "y", positive=1, empirical=empirical)
    np.testing.assert_allclose(np.sort(result["positive_mean"]), np.sort(expected["positive_mean"]), rtol=1e-14)


@pytest.mark.parametrize("empirical", [True, False])
def test_missing_labels_of_queries_are_omitted(empirical):
    """Labels are NaN or null; the rows of a query are checked against the labels, so NaN must equal NaN."""
    frame = pl.DataFrame({"v": np.arange(8.0), "y": [0.0, 1.0, 0.0, 1.0, np.nan, None, 1.0, 0.0]})
    for table in (frame.lazy(), frame.lazy().with_columns(v=pl.col("v") * 2), duckdb.sql("select * from frame"), frame):
        result = rp.screen(table, "y", empirical=empirical)
        assert (result.n_unlabelled, result["n_negative"].tolist(), result["n_positive"].tolist()) == (2, [3], [3])


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("empirical", [False, "histogram"])
def test_a_feature_with_text_in_one_batch_and_numbers_in_another_is_refused(reverse, empirical):
    y = np.arange(12) % 2
    numbers = pd.DataFrame({"a": np.arange(12.0), "v": np.arange(12.0) % 5, "empty": np.full(12, np.nan)})
    text = numbers.assign(v="about 3", empty="none")
    for both, options in (
        ([numbers, text], {"positive": 1}),
        ([numbers, text], {}),
        ([text, numbers], {"positive": 1}),
    ):
        batches = [(batch, y) for batch in both][:: -1 if reverse else 1]
        words = "feature 'v' has numbers in one batch, but text in another batch"
        refuses(words, rp.screen, batches, empirical=empirical, **options)
        refuses(words, rp.summarize, batches, **options)
    batches = [
        (numbers[["a", "empty"]], y),
        (text[["a", "empty"]], y),
    ]  # a feature without values may contain text later
    assert rp.screen(batches, empirical=empirical)["n_positive"].tolist() == [12, 0]


@pytest.mark.parametrize("empirical", [True, False, "top", "histogram"])
def test_rows_without_a_label_in_dask_tables_are_omitted(empirical):
    """One partition has no labels at all; the labels are a column, a Dask array or an array in memory."""
    missing = np.where(np.arange(N_ROWS) < 700, None, Y)
    options = CLASSES | {"empirical": empirical}
    expected = rp.screen(X, missing, feature_names=NAMES, **options)
    expected_counts = [int((~np.isnan(x[missing == "well"])).sum()) for x in X.T]
    array = da.from_array(X, chunks=(600, -1))
    frame = dd.from_pandas(pd.DataFrame(X, columns=NAMES).assign(y=missing), npartitions=5)
    tables = {
        "column": (frame, "y"),
        "Dask array": (array, da.from_array(missing, chunks=600)),
        "array": (array, missing),
        "array of a frame": (frame[NAMES], missing),
    }
    for table, labels in tables.values():
        names = None if isinstance(labels, str) else NAMES
        result = rp.screen(table, labels, feature_names=names, **options)
        assert sorted(result["n_negative"].tolist()) == sorted(expected_counts)
        if empirical != "histogram":  # the edges are sampled rows, which differ
            assert_same(result, expected, ("n_missing", *(EXACT if empirical is True else ())))
        assert result.n_unlabelled == 700
        words = r"y has missing values \(NaN\) in 700 of 3000 rows"
        refuses(words, rp.screen, table, labels, feature_names=names, nan_policy="raise", **options)
        refuses(words, rp.summarize, table, labels, feature_names=names, **CLASSES)
        summary = rp.summarize(table, labels, feature_names=names, nan_policy="omit", **CLASSES)
        assert summary.negative.count.tolist() == expected_counts
    words = "all labels in y are missing; two classes are needed"
    refuses(words, rp.screen, array, da.full(N_ROWS, np.nan, chunks=600), **options)


def test_partitions_that_are_empty_or_of_one_class():
    parts = [X[:100], X[:0], X[100:400], X[400:401]]
    arrays = da.concatenate([da.from_array(part, chunks=(max(1, len(part)), -1)) for part in parts if len(part)])
    frame = pd.DataFrame(X[:401], columns=NAMES).assign(y=np.sort(Y[:401]))
    empty = dd.concat(
        [
            dd.from_pandas(frame[:50], npartitions=1),
            dd.from_pandas(frame[:0], npartitions=1),
            dd.from_pandas(frame[50:], npartitions=2),
        ]
    )
    for empirical in (True, False):
        options = CLASSES | {"empirical": empirical}
        exact = EXACT if empirical else ("n_missing",)
        assert_same(
            rp.screen(arrays, Y[:401], feature_names=NAMES, **options),
            rp.screen(X[:401], Y[:401], feature_names=NAMES, **options),
            exact,
        )
        assert_same(rp.screen(empty, "y", **options), rp.screen(frame, "y", **options), exact)


def test_numbers_of_csv_chunks_are_those_of_the_csv_module(tmp_path, monkeypatch):
    """Quotes, markers of missing values, line ends and unusual numbers: polars reads them equally, or leaves them."""
    cells = ["1", "-1.5e3", "+.5", " 1", "1_000", "inf", "-Infinity", "1e999", "", "NA", "nan", "?", "0.1", "5e-324"]
    digits = [repr(value) for value in (RNG.normal(size=40) * 10.0 ** RNG.integers(-300, 300, 40)).tolist()]
    for quote, end in (("", "\n"), ('"', "\r\n"), ('"', "\n")):
        lines = [
            f"{cell},{quote}a, b{quote or 'x'},{quote}s{place % 2}{quote}" if quote else f"{cell},ab,s{place % 2}"
            for place, cell in enumerate([*cells, *digits] * 3)
        ]
        (tmp_path / "t.csv").write_text(end.join(["x,word,y", *lines]) + end, newline="")
        expected = rp.screen(tmp_path / "t.csv", "y", positive="s1", nan_policy="omit")
        with monkeypatch.context() as patch:
            patch.setattr(large_csv, "MIN_BYTES", 0)
            patch.setattr(large_csv, "CHUNK_BYTES", 256)
            for empirical in (True, False):
                result = rp.screen(tmp_path / "t.csv", "y", positive="s1", empirical=empirical)
                for column in ("n_negative", "n_missing", *(EXACT if empirical else ())):
                    np.testing.assert_array_equal(result[column], expected[column])


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("label", ["B", "\u00e9", "\u00e9\u00e9", " ", "?"])
def test_labels_of_one_character_in_csv_chunks(tmp_path, monkeypatch, place, label):
    """The labels are in any column of a compressed file; an empty label is refused as the csv module refuses it."""
    monkeypatch.setattr(large_csv, "CHUNK_BYTES", 256)
    rows = [[str(row % 7), str(row % 9)] for row in range(400)]
    for row, cells in enumerate(rows):
        cells.insert(place, label if row > 200 and row % 3 else "A")
    names = ["a", "b"]
    names.insert(place, "y")
    text = "\n".join(",".join(cells) for cells in [names, *rows])
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(text.encode()))
    results = []
    for least in (0, 10**9):
        monkeypatch.setattr(large_csv, "MIN_BYTES", least)
        try:
            result = rp.screen(tmp_path / "t.csv.gz", "y", positive="A", nan_policy="raise")
            results.append([result[name].tolist() for name in ("n_positive", *EXACT)])
        except RocPredictError as error:
            results.append(str(error))
    assert results[0] == results[1]
    assert ("line 204: the label in column 'y' is missing" in results[0]) == (label in " ?")


def test_csv_lines_that_polars_would_accept_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(large_csv, "MIN_BYTES", 0)
    monkeypatch.setattr(large_csv, "CHUNK_BYTES", 64)
    good = "".join(f"{row},{row},s{row % 2}\n" for row in range(2_000))
    late = {
        "t.csv, line 2002: 2 cells, but the header has 3": "1,2\n",
        "t.csv, line 2002: 4 cells, but the header has 3": "1,2,3,s1\n1,2\n",
        "t.csv, line 2002: column 'b' contains 'text', which is not a number": "1,text,s1\n",
        "t.csv, line 2002: the label in column 'y' is missing": "1,2,\n",
    }
    for words, line in late.items():
        (tmp_path / "t.csv").write_text("a,b,y\n" + good + line + good)
        for empirical in (True, False):
            refuses(words, rp.screen, tmp_path / "t.csv", "y", positive="s1", empirical=empirical, nan_policy="raise")


_LINES = [f"{row}.25,{row % 7},w{row % 5},s{row % 2}" for row in range(3_000)]
_HEADER = "a,b,word,y"


def _csv(*late, header=_HEADER, lines=_LINES, end="\n", change=str):
    """Return a file whose lines are changed, and in which other lines follow after 2,500 lines."""
    return end.join([header, *map(change, lines[:2_500]), *late, *map(change, lines[2_500:]), ""]).encode()


READ_ONCE = {
    "plain": _csv(),
    "without a last line end": _csv()[:-1],
    "CRLF": _csv(end="\r\n"),
    "tabs": _csv(header="a\tb\tword\ty", change=lambda line: line.replace(",", "\t")),
    "byte order mark": b"\xef\xbb\xbf" + _csv(),
    "index": _csv(header="," + _HEADER, change=lambda line: "i," + line),
    "spaces around labels": _csv("1,2,w, s1 "),
    "labels with accents": _csv(change=lambda line: line.replace("s1", "\u00e9t\u00e9")),
    "three labels": _csv("1,2,w,s7", "3,4,w,s7"),
    "numbers as labels": _csv(change=lambda line: line.replace("s", "0")),
    "labels first": _csv(header="y,b,word,a", change=lambda line: ",".join(line.split(",")[::-1])[:-1] + ","),
    "markers": _csv(
        "1,NA,w,s1", "nan,?,NA,s0", change=lambda line: "NA" + line[line.index(",") :] if "7.25" in line else line
    ),
    "empty cells": _csv("1,,w,s1", ",2,,s0"),
}
READ_TWICE = {
    "quotes around labels": _csv(change=lambda line: line.replace("s1", '"s1"')),
    "quotes around words": _csv('1,2,"w,w",s1'),
    "a late marker": _csv("1,NA,w,s1"),
    "a late word": _csv("1,oops,w,s1"),
    "a late number among words": _csv("1,2,3,s1"),
    "a late number with an underscore": _csv("1,1_000,w,s1"),
    "no number in the first lines": _csv("5" + _LINES[0][4:], change=lambda line: line[line.index(",") :]),
    "a short line": _csv("1,2,w"),
    "a short line with the number last": _csv(
        "s1,2,w", header="y,b,word,a", lines=[f"s{r % 2},{r},w,2" for r in range(3_000)]
    ),
    "a long line": _csv("1,2,w,s1,5"),
    "an empty line": _csv(""),
    "a lone carriage return": _csv("1,2,w\rw,s1"),
    "no label": _csv("1,2,w,"),
    "a marker as the label": _csv("1,2,w,NA"),
    "many labels": _csv(*(f"{row},2,w,s{row}" for row in range(25))),
    "many labels one by one": _csv(change=lambda line: line.replace("s1", "s" + line.split(".")[0][:-2])),
    "a large integer": _csv(f"{2**60},2,w,s1"),
    "a large number": _csv("1e17,2,w,s1"),
    "not UTF-8": _csv("1,2,w!,s1").replace(b"!", b"\xff"),
    "gzip": gzip.compress(_csv()),
    "carriage returns as line ends": _csv(end="\r"),
    "carriage returns after line feeds": _csv(*["1,2,w,s1\r3,4,w,s0"] * 3),
}


@pytest.mark.parametrize("case", [*READ_ONCE, *READ_TWICE])
def test_large_csv_files_are_read_once_for_moments(tmp_path, monkeypatch, case):
    """The result or the message is that of the csv module, which reads the file if polars cannot read it as a whole."""
    path = tmp_path / "t.csv"
    path.write_bytes((READ_ONCE | READ_TWICE)[case])
    scan, scans = large_csv.ChunkedCsv.scan, []
    monkeypatch.setattr(large_csv.ChunkedCsv, "scan", lambda *args: scans.append(args) or scan(*args))
    monkeypatch.setattr(large_csv, "_BATCH_CELLS", 400)
    monkeypatch.setattr(large_csv, "_N_CELLS_TO_CLASSIFY", 400)
    results = []
    for least in (0, 10**9):
        monkeypatch.setattr(large_csv, "MIN_BYTES", least)
        for nan_policy in ("omit", "raise"):
            positive = "s1" if b"s1" in path.read_bytes() or case == "gzip" else None
            options = {"positive": positive, "moments": 4, "nan_policy": nan_policy}
            try:
                screening = rp.screen(path, "y", empirical=False, **options)
                summary = rp.summarize(path, "y", **options)
            except RocPredictError as error:
                results.append(str(error))
                continue
            notes = screening.rest_note, screening.not_numeric_note, screening.n_unlabelled, screening.n_observations
            labels = screening.class_pairs, summary.positive_label, summary.negative_label
            moments = [side.m4 for side in (summary.negative, summary.positive)]
            columns = [screening[name] for name in (*MOMENTS, "positive_kurtosis", "n_negative", "n_missing")]
            results.append((notes, labels, screening["feature"].tolist(), [*moments, *columns]))
    assert bool(scans) == (case in READ_TWICE)
    for own, expected in zip(results[:2], results[2:], strict=True):
        assert own[:-1] == expected[:-1] if isinstance(own, tuple) else own == expected
        if isinstance(own, tuple):
            for values, others in zip(own[-1], expected[-1], strict=True):
                np.testing.assert_allclose(values, others, rtol=1e-10)


def test_large_csv_files_are_read_in_chunks_if_memory_is_small(folder, monkeypatch):
    """Several files, columns in another order, names of the features, and the progress of one pass."""
    monkeypatch.setattr(large_csv, "MIN_BYTES", 0)
    monkeypatch.setattr(large_csv, "_BATCH_CELLS", 1_000)
    scan, scans = large_csv.ChunkedCsv.scan, []
    monkeypatch.setattr(large_csv.ChunkedCsv, "scan", lambda *args: scans.append(args) or scan(*args))
    expected = rp.screen(X, Y, feature_names=NAMES, empirical=False, **CLASSES)
    for memory, is_small in (("1TB", False), ("50MB", True)):
        scans.clear()
        result = rp.screen(folder / "csv", "y", empirical=False, memory=memory, **CLASSES)
        assert_same(result, expected, ("n_negative", "n_missing"))
        assert bool(scans) == is_small
    names = [f"n{place}" for place in range(10)]
    renamed = [rp.screen(folder / "csv", "y", empirical=False, feature_names=f(names), **CLASSES) for f in (list, iter)]
    assert all(set(result["feature"]) == set(names) for result in renamed)
    reports = _reports(folder / "csv", **CLASSES, empirical=False)
    assert len(reports) > 10
    assert reports == sorted(reports)
    assert reports[0] < (10, 10) == reports[-1]


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("quote", ["", '"'])
def test_lines_with_too_few_or_too_many_cells_are_refused_as_the_csv_module_refuses_them(
    tmp_path, monkeypatch, place, quote
):
    """A long line may follow a short one, so that the chunk has as many cells as it should; labels may be wrong."""
    monkeypatch.setattr(large_csv, "CHUNK_BYTES", 4_096)

    def line(row, n_cells=3):
        cells = [f"{row}.5"] * (n_cells - 1)
        cells.insert(place, f"{quote}s{row % 2}{quote}")
        return ",".join(cells)

    def screen(columns):
        table, labels = open_tables([tmp_path / "t.csv"]).features(label="y", usecols=columns)
        return rp.screen(table, labels, positive="s1", empirical=False)

    names = ["a", "b"]
    names.insert(place, "y")
    lines = [line(row) for row in range(2_000)]
    wrong = [
        [line(1, 2), line(1, 4)],
        [line(1, 4), line(1, 2)],
        ["", line(1, 5)],
        [line(1, 5), "7"],
        ["2,s0", "1,2,3,4"],
    ]
    wrong += [[part] for pair in wrong for part in pair if part]
    for position, parts in itertools.product((0, 900, 2_000), wrong):
        (tmp_path / "t.csv").write_text("\n".join([",".join(names), *lines[:position], *parts, *lines[position:]]))
        for columns in (["a"], ["a", "b"]):
            messages = []
            for least in (0, 10**9):
                monkeypatch.setattr(large_csv, "MIN_BYTES", least)
                with pytest.raises(RocPredictError) as caught:
                    screen(columns)
                messages.append(str(caught.value))
            assert messages[0] == messages[1]
            assert "but the header has 3" in messages[0]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_empty_lines_of_a_csv_file_with_one_column_are_no_rows(tmp_path, monkeypatch, end):
    cells = [str(row % 7) for row in range(3_000)]
    (tmp_path / "t.csv").write_text(end.join(["x", *cells[:1_000], "", *cells[1_000:], ""]), newline="")
    results = []
    for least in (0, 10**9):
        monkeypatch.setattr(large_csv, "MIN_BYTES", least)
        monkeypatch.setattr(large_csv, "CHUNK_BYTES", 512)
        results.append(rp.screen(tmp_path / "t.csv", np.arange(3_000) % 2, empirical=False)["positive_mean"])
    np.testing.assert_allclose(results[0], results[1], rtol=1e-14)


@pytest.mark.parametrize("least", [0, 10**9])
def test_damaged_gzip_files_are_refused(tmp_path, monkeypatch, least):
    """Bytes are changed or cut off; the message states the damage unless a line is read that cannot be valid."""
    monkeypatch.setattr(large_csv, "MIN_BYTES", least)
    text = "x,y\n" + "".join(f"{row * 0.37 % 1:.5f},{row % 2}\n" for row in range(20_000))
    content = gzip.compress(text.encode(), 1)
    rng, messages = np.random.default_rng(3), []
    for case in range(24):
        damaged, place = bytearray(content), int(rng.integers(100, len(content)))
        if case % 3:
            damaged[place : place + 40] = rng.bytes(len(damaged[place : place + 40]))
        else:
            del damaged[place:]
        (tmp_path / "t.csv.gz").write_bytes(damaged)
        with pytest.raises(RocPredictError, match=r"t\.csv\.gz") as caught:
            rp.screen(tmp_path / "t.csv.gz", "y", empirical=False)
        messages.append(str(caught.value))
    damages = [message for message in messages if "t.csv.gz is damaged or incomplete (" in message]
    assert len(damages) >= 8
    assert any("Error -3 while decompressing" in message for message in damages)


def test_an_interrupted_screening_leaves_no_file(folder, tmp_path):
    """Ctrl-C in the middle: the output is not there, and neither is a temporary file."""
    frame = pl.concat([FRAME.drop("word")] * 100)
    frame.write_parquet(tmp_path / "t.parquet")
    out, temporary = tmp_path / "out.csv", tmp_path / "tmp"
    temporary.mkdir()
    words = [
        sys.executable,
        "-m",
        "rocpredict",
        "screen",
        str(tmp_path / "t.parquet"),
        "--label",
        "y",
        "--positive",
        "sick",
        "--out",
        str(out),
    ]
    code = (
        "import sys, os, signal, threading, rocpredict.screening.screen as s\n"
        "old = s.count_blocks\n"
        "def interrupt(*a, **k):\n    os.kill(os.getpid(), signal.SIGINT)\n    return old(*a, **k)\n"
        "s.count_blocks = interrupt\n"
        "from rocpredict.cli import main\nsys.exit(main(sys.argv[1:]))"
    )
    child = subprocess.run(
        [sys.executable, "-c", code, *words[3:]],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"TMPDIR": str(temporary)},
    )
    assert child.returncode not in (0, 1, 2)
    assert "Traceback" not in child.stderr
    assert not out.exists()
    assert not list(temporary.iterdir())
