"""One table in every form gives the same screening, and a screening comes back from every form it is written in."""

import csv
import datetime
import io
import json
import re
import warnings

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from polars.testing import assert_frame_equal
from scipy import sparse

import rocpredict as rp
from rocpredict.base.validation import RocPredictError
from rocpredict.cli import main

ROWS, NAMES = 90, ["x0", "x1", "x2", "x3", "x4", "x5"]
engines = pytest.mark.parametrize("engine", ["numpy", "numba"])


def _table():
    """Whole numbers: spread, tied, mostly 0, negative zeros, constant, small and positive (fit for every dtype)."""
    rng = np.random.default_rng(20)
    y = np.arange(ROWS) % 2
    X = np.column_stack(
        [
            np.round(rng.normal(size=ROWS) * 8 + 4 * y),
            rng.integers(-2, 3, ROWS) - y,
            np.where(rng.random(ROWS) < 0.7, 0, rng.integers(-4, 9, ROWS) + 2 * y),
            np.where(rng.random(ROWS) < 0.5, -0.0, 0.0) + (rng.random(ROWS) < 0.2),
            np.full(ROWS, 3.0),
            rng.integers(0, 3, ROWS) * y,
        ]
    )
    return X.astype(float), y


X, Y = _table()
WITH_HOLES = np.where(np.random.default_rng(21).random(X.shape) < 0.15, np.nan, X + 0.25)


def assert_same(found, expected, rel=0.0):
    """Compare all columns, flags, class pairs and places, floats to ``rel`` (exactly by default)."""
    assert list(found) == list(expected)
    assert (found.class_pairs, found.n_observations) == (expected.class_pairs, expected.n_observations)
    np.testing.assert_array_equal(found.row_index, expected.row_index)
    for name in [*expected, "flags"]:
        if expected[name].dtype.kind == "f" and rel:
            np.testing.assert_allclose(found[name], expected[name], rtol=rel, atol=rel, err_msg=name)
        else:
            np.testing.assert_array_equal(found[name], expected[name], err_msg=name)


def screened(table, y=Y, **options):
    return rp.screen(table, y, moments=4, **options).in_input_order()


def _unaligned(table):
    held = np.ndarray(table.shape, "f8", buffer=np.zeros(table.nbytes + 1, "u1").data, offset=1)
    held[:] = table
    return held


def _read_only(table):
    held = table.copy()
    held.flags.writeable = False
    return held


def _view_of_records(table):
    return np.concatenate([table, table], axis=1)[:, : table.shape[1]]


LAYOUTS = {
    "Fortran": np.asfortranarray,
    "backwards": lambda table: table[::-1, ::-1].copy()[::-1, ::-1],
    "rows backwards": lambda table: table[::-1].copy()[::-1],
    "every third column": lambda table: np.repeat(np.repeat(table, 3, axis=1), 2, axis=0)[::2, ::3],
    "part of wider rows": _view_of_records,
    "unaligned": _unaligned,
    "read only": _read_only,
    "big-endian": lambda table: table.astype(">f8"),
    "long double": lambda table: table.astype(np.longdouble),
    "objects": lambda table: table.astype(object),
    "masked, no mask": np.ma.array,
    "list of lists": lambda table: table.tolist(),
    "tuple of tuples": lambda table: tuple(map(tuple, table.tolist())),
    "list of arrays": list,
    "an __array__": lambda table: type("Holder", (), {"__array__": lambda *_, **__: table})(),
}


@engines
@pytest.mark.parametrize("layout", LAYOUTS)
def test_arrays_in_every_layout(engine, layout):
    """The same numbers, however they lie in memory: every column to the last bit, missing values too."""
    for table in (X, WITH_HOLES):
        assert_same(screened(LAYOUTS[layout](table), engine=engine), screened(table, engine=engine))


@engines
@pytest.mark.parametrize("layout", LAYOUTS)
def test_arrays_of_unround_numbers_in_every_layout(engine, layout):
    """Numbers whose sums depend on the order, of several scales and offsets: all columns to 1e-12, ranks exactly."""
    rng = np.random.default_rng(25)
    table = rng.normal(size=(500, 5)) * [1, 1e3, 1e-3, 1, 1] + [0, 0, 0, 1e4, 0] + np.arange(500)[:, None] % 2
    table[rng.random(500) < 0.1, 4] = np.nan
    labels = np.arange(500) % 2
    found, expected = (screened(held, labels, engine=engine) for held in (LAYOUTS[layout](table), table))
    assert_same(found, expected, rel=1e-12)
    for name in ("empirical_auc", "p_value", "q_value"):
        np.testing.assert_array_equal(found[name], expected[name])


def test_both_engines_say_the_same():
    """Dense and sparse, with missing values, all columns to 1e-12; ranks exactly."""
    for held in (X, WITH_HOLES, np.asfortranarray(WITH_HOLES), sparse.csc_array(X), sparse.csr_array(X)):
        one, other = (screened(held, engine=engine) for engine in ("numpy", "numba"))
        assert_same(one, other, rel=1e-12)
        np.testing.assert_array_equal(one["empirical_auc"], other["empirical_auc"])


@engines
@pytest.mark.parametrize("dtype", ["f4", "f2", ">f4", "i1", "i4", "i8", ">i4", "u1", "u8", "?"])
def test_arrays_of_every_dtype(engine, dtype):
    """Small floats, integers and booleans, against their own upcast: floats to 1e-12."""
    table = (np.abs(X) if dtype[0] in "u?" else X).astype(dtype)
    expected = screened(table.astype(float), engine=engine)
    for order in ("C", "F"):
        assert_same(screened(np.array(table, order=order), engine=engine), expected, rel=1e-12)


@engines
def test_float32_is_taken_as_it_is(engine):
    """Fractions that float32 rounds: the float32 table is its own upcast, not the table that was rounded."""
    table = (np.random.default_rng(22).normal(size=(ROWS, 6)) + 0.5 * Y[:, None]).astype("f4")
    assert_same(screened(table, engine=engine), screened(table.astype(float), engine=engine), rel=1e-12)


@engines
def test_a_masked_array_has_missing_values(engine):
    """What is masked is missing, whatever lies under the mask."""
    mask, expected = np.isnan(WITH_HOLES), screened(WITH_HOLES, engine=engine)
    for under in (np.inf, 7.0):
        table = np.ma.array(np.where(mask, under, WITH_HOLES), mask=mask)
        assert_same(screened(table, engine=engine), expected)


@engines
@pytest.mark.parametrize("dtype", ["f8", "f4", ">f8"])
def test_a_memory_map(engine, dtype, tmp_path):
    """A file that is only read, and stays as it was."""
    path = tmp_path / "table.bin"
    WITH_HOLES.astype(dtype).tofile(path)
    before = path.read_bytes()
    table = np.memmap(path, dtype=dtype, mode="r", shape=X.shape)
    assert_same(
        screened(table, engine=engine), screened(WITH_HOLES.astype(dtype).astype(float), engine=engine), rel=1e-12
    )
    assert path.read_bytes() == before


def _explicit(make, table):
    """Store each cell, zeros too."""
    rows, columns = np.indices(table.shape).reshape(2, -1)
    held = make(sparse.coo_array((table.ravel() + 1, (rows, columns)), shape=table.shape))
    held.data -= 1
    return held


def _unsorted(make, table):
    held = make(table)
    for start, stop in zip(held.indptr[:-1], held.indptr[1:], strict=True):
        for array in (held.indices, held.data):
            array[start:stop] = array[start:stop][::-1].copy()
    return make((held.data, held.indices, held.indptr), shape=held.shape)


def _duplicated(make, table):
    """Store each number in two halves."""
    held = make(table)
    return make((np.repeat(held.data / 2, 2), np.repeat(held.indices, 2), 2 * held.indptr), shape=held.shape)


def _wide(make, table):
    held = make(table)
    held.indices, held.indptr = held.indices.astype("i8"), held.indptr.astype("i8")
    return held


def _locked(make, table):
    held = make(table)
    for array in (held.data, held.indices, held.indptr):
        array.flags.writeable = False
    return held


SPARSE = {
    "plain": lambda make, table: make(table),
    "explicit zeros": _explicit,
    "unsorted": _unsorted,
    "duplicates": _duplicated,
    "64-bit indices": _wide,
    "read only": _locked,
}


@engines
@pytest.mark.parametrize(
    ("make", "form"),
    [
        (sparse.csc_matrix, "plain"),
        (sparse.csr_matrix, "plain"),
        *((make, form) for make in (sparse.csc_array, sparse.csr_array) for form in SPARSE),
    ],
)
def test_sparse_tables(engine, make, form):
    """However stored, the table that ``toarray`` gives, to 1e-12; stored NaN is missing; nothing is tidied up in it."""
    for table in (X, np.where(np.random.default_rng(23).random(X.shape) < 0.1, np.nan, X)):
        held = SPARSE[form](make, table)
        before = [array.copy() for array in (held.data, held.indices, held.indptr)]
        np.testing.assert_array_equal(held.toarray(), table)
        assert_same(screened(held, engine=engine), screened(table, engine=engine), rel=1e-12)
        for array, copy in zip((held.data, held.indices, held.indptr), before, strict=True):
            np.testing.assert_array_equal(array, copy)


@engines
@pytest.mark.parametrize("make", [sparse.csc_array, sparse.csr_array])
@pytest.mark.parametrize("dtype", ["f4", "i4", "i8", "u1", "?"])
def test_sparse_tables_of_every_dtype(engine, make, dtype):
    table = np.abs(X).astype(dtype)
    assert_same(screened(make(table), engine=engine), screened(table.astype(float), engine=engine), rel=1e-12)


@engines
@pytest.mark.parametrize("kind", ["coo", "lil", "dok", "bsr", "dia"])
def test_other_sparse_forms(engine, kind):
    assert_same(screened(getattr(sparse, f"{kind}_array")(X), engine=engine), screened(X, engine=engine), rel=1e-12)


@engines
def test_a_sparse_table_without_anything(engine):
    """Nothing stored at all: each feature is constant, and flagged so."""
    for make in (sparse.csc_array, sparse.csr_array):
        table = screened(make((ROWS, 3)), engine=engine)
        assert table.flags["constant"].all()
        assert_same(table, screened(np.zeros((ROWS, 3)), engine=engine))


def _frame(table=None, kind=float):
    return pd.DataFrame(X if table is None else table, columns=NAMES).astype(kind)


FRAMES = {
    "pandas": lambda: _frame(WITH_HOLES),
    "pandas, a column at a time": lambda: pd.DataFrame({name: WITH_HOLES[:, j] for j, name in enumerate(NAMES)}),
    "pandas nullable": lambda: _frame(WITH_HOLES).convert_dtypes(),
    "pandas Arrow": lambda: _frame(WITH_HOLES).convert_dtypes(dtype_backend="pyarrow"),
    "pandas, odd index": lambda: _frame(WITH_HOLES).set_index(np.arange(ROWS)[::-1] // 3),
    "polars": lambda: pl.DataFrame(WITH_HOLES, schema=NAMES),
    "polars nulls": lambda: pl.DataFrame(WITH_HOLES, schema=NAMES).fill_nan(None),
    "polars lazy": lambda: pl.LazyFrame(WITH_HOLES, schema=NAMES),
    "pyarrow": lambda: pa.Table.from_pandas(_frame(WITH_HOLES), preserve_index=False),
    "dict": lambda: {name: WITH_HOLES[:, j] for j, name in enumerate(NAMES)},
    "dict of lists": lambda: {name: [None if v != v else v for v in WITH_HOLES[:, j]] for j, name in enumerate(NAMES)},  # noqa: PLR0124
}


@engines
@pytest.mark.parametrize("form", FRAMES)
def test_frames(engine, form):
    """Missing values as NaN, None, null or NA: the array that the frame was made of, to the last bit."""
    assert_same(screened(FRAMES[form](), engine=engine), screened(WITH_HOLES, engine=engine))


@engines
@pytest.mark.parametrize("kind", ["Int64", "int32", "Float32", "float32", "int64[pyarrow]"])
def test_frames_of_other_dtypes(engine, kind):
    assert_same(screened(_frame(kind=kind), engine=engine), screened(X, engine=engine), rel=1e-12)


@engines
def test_a_sparse_frame_and_a_relation(engine):
    """pandas' sparse columns, and a DuckDB relation with its rows in order."""
    held = pd.DataFrame.sparse.from_spmatrix(sparse.csc_matrix(X), columns=NAMES)
    assert_same(screened(held, engine=engine), screened(X, engine=engine), rel=1e-12)
    frame = _frame().assign(label=Y)
    relation = duckdb.sql("select * from frame")
    assert_same(screened(relation, "label", engine=engine), screened(frame, "label", engine=engine), rel=1e-12)


@engines
@pytest.mark.parametrize("form", ["pandas", "polars", "lazy", "pyarrow", "dict", "duckdb"])
def test_the_labels_may_be_a_column(engine, form):
    """Labels by the name of a column, which is no feature then, wherever it stands."""
    columns = {"x0": X[:, 0], "label": np.where(Y, "sick", "well"), **{n: X[:, j] for j, n in enumerate(NAMES) if j}}
    frame = pd.DataFrame(columns)
    made = {
        "pandas": frame,
        "polars": pl.DataFrame(columns),
        "lazy": pl.LazyFrame(columns),
        "pyarrow": pa.table(columns),
        "dict": columns,
        "duckdb": duckdb.sql("select * from frame"),
    }
    expected = screened(X, columns["label"], positive="sick", engine=engine)
    assert_same(screened(made[form], "label", positive="sick", engine=engine), expected, rel=1e-12)


LABELS = {
    "list": Y.tolist(),
    "booleans": Y == 1,
    "floats": Y * 1.0,
    "small integers": Y.astype("i1"),
    "signs": 2 * Y - 1,
    "pandas with another index": pd.Series(Y, index=range(500, 500 + ROWS)),
    "nullable integers": pd.Series(Y).astype("Int64"),
    "nullable booleans": pd.Series(Y == 1).astype("boolean"),
    "categories": pd.Series(pd.Categorical(Y)),
    "polars": pl.Series(Y),
    "pyarrow": pa.array(Y),
    "pyarrow in chunks": pa.chunked_array([Y[:40], Y[40:]]),
    "objects": Y.astype(object),
    "masked, no mask": np.ma.array(Y),
}


@pytest.mark.parametrize("kind", LABELS)
def test_labels_of_every_kind(kind):
    """The label of each row by its place, whatever holds it; all numbers as before."""
    found = screened(X, LABELS[kind])
    expected = screened(X)
    for name in expected:
        np.testing.assert_array_equal(found[name], expected[name])


MIXED = {
    "size": X[:, 0],
    "word": np.array(["a", "b", "c"])[np.arange(ROWS) % 3],
    "kind": pd.Categorical(np.array(["p", "q"])[Y]),
    "day": pd.date_range("2020-01-01", periods=ROWS),
    "truth": X[:, 3] > 0,
}


@pytest.mark.parametrize("form", ["pandas", "polars", "pyarrow"])
def test_columns_that_are_no_numbers_are_flagged_and_the_others_answered(form):
    """Text, categories and dates: a row with the flag not_numeric and nothing else; numbers and booleans as alone."""
    frame = pd.DataFrame(MIXED)
    made = {"pandas": frame, "polars": pl.from_pandas(frame), "pyarrow": pa.Table.from_pandas(frame)}[form]
    table = rp.screen(made, Y).in_input_order()
    assert table["feature"].tolist() == list(MIXED)
    assert table.flags["not_numeric"].tolist() == [False, True, True, True, False]
    for name in ("auc", "empirical_auc", "p_value", "q_value", "threshold", "ameans", "ameans_corrected", "misfit"):
        assert np.isnan(table[name][1:4]).all(), name
    alone = rp.screen(np.column_stack([MIXED["size"], MIXED["truth"]]), Y).in_input_order()
    np.testing.assert_array_equal(table["empirical_auc"][[0, 4]], alone["empirical_auc"])
    np.testing.assert_array_equal(table["q_value"][[0, 4]], alone["q_value"])
    assert set(rp.screen(made, Y)["feature"][-3:]) == {"word", "kind", "day"}


# AnnData


def annotated(**var):
    import anndata

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cells = pd.DataFrame({"label": np.where(Y, "sick", "well")}, index=[f"cell{i}" for i in range(ROWS)])
        genes = pd.DataFrame(var, index=[f"gene{i}" for i in range(6)])
        return anndata.AnnData(sparse.csr_matrix(X), obs=cells, var=genes)


@engines
def test_annotated_data_bring_their_annotations(engine):
    """X of AnnData with labels from .obs: numbers as of the array, names and annotations row by row, also sorted."""
    var = {"symbol": list("fedcba"), "length": [10, 2, 30, 4, 50, 6]}
    table = screened(annotated(**var), "label", positive="sick", engine=engine)
    plain = screened(X, engine=engine)
    assert table["feature"].tolist() == [f"gene{i}" for i in range(6)]
    assert list(table)[:3] == ["feature", "symbol", "length"]
    assert table["symbol"].tolist() == var["symbol"]
    for name in set(plain) - {"feature", "direction"}:
        np.testing.assert_allclose(table[name], plain[name], rtol=1e-12, atol=1e-12, err_msg=name)
    by_length = table.sort("length")
    assert by_length["length"].tolist() == sorted(var["length"], reverse=True)
    assert by_length["symbol"].tolist() == ["b", "d", "f", "a", "c", "e"]


@pytest.mark.parametrize("name", ["feature", "auc", "n_missing", "direction", "p_value", "flags"])
def test_an_annotation_named_as_a_column_takes_nothing_away(name):
    """It is refused in words that name it, or both columns are there: never is the one written over the other."""
    values = list("fedcba")
    plain = screened(annotated(), "label", positive="sick")
    try:
        table = screened(annotated(**{name: values}), "label", positive="sick")
    except RocPredictError as error:
        assert name in str(error)  # noqa: PT017
        return
    np.testing.assert_array_equal(table[name], plain[name])
    assert any(table[column].tolist() == values for column in table)


def test_missing_annotations_go_last_and_stay_missing(tmp_path):
    """None and NaN in text: last in either order; empty in CSV; null in polars and Parquet."""
    table = screened(annotated(symbol=["b", None, "a", np.nan, "d", "c"]), "label", positive="sick")
    for descending in (False, True):
        order = table.sort("symbol", descending=descending)["symbol"].tolist()
        assert order[:4] == sorted("abcd", reverse=descending)
    assert [row["symbol"] for row in csv.DictReader(io.StringIO(table.to_csv()))] == ["b", "", "a", "", "d", "c"]
    assert table.to_polars()["symbol"].to_list() == ["b", None, "a", None, "d", "c"]
    table.to_parquet(tmp_path / "table.parquet")
    assert pl.read_parquet(tmp_path / "table.parquet")["symbol"].to_list() == ["b", None, "a", None, "d", "c"]


def test_dates_as_annotations():
    """What is undefined goes last, and CSV holds dates, not nanoseconds."""
    days = pd.to_datetime(["2020-01-03", None, "2020-01-01", "2020-01-02", "2020-01-05", "2020-01-04"])
    table = screened(annotated(day=days), "label", positive="sick")
    assert np.isnat(table.sort("day")["day"][-1])
    assert np.isnat(table.sort("day", descending=False)["day"][-1])
    cells = [row["day"] for row in csv.DictReader(io.StringIO(table.to_csv()))]
    assert cells[0].startswith("2020-01-03")
    assert not cells[1]


@pytest.mark.parametrize(
    ("values", "kind", "cells"),
    [
        ([1, None, 3, 4, 5, 6], pl.Int64, ["1", "", "3", "4", "5", "6"]),
        ([1, 2.5, None, 4, 5, 6], pl.Float64, ["1", "2.5", "", "4", "5", "6"]),
        ([True, None, False, True, True, True], pl.Boolean, ["True", "", "False", "True", "True", "True"]),
        (["a", 1, pd.NA, np.nan, 2.5, None], pl.String, ["a", "1", "", "", "2.5", ""]),
        ([None] * 6, pl.Null, [""] * 6),
        ([datetime.date(2020, 1, k + 1) for k in range(6)], pl.Date, [f"2020-01-0{k + 1}" for k in range(6)]),
        (
            pd.to_datetime([f"2020-01-0{k + 1}T06:00" for k in range(6)], utc=True).astype(object),
            pl.Datetime("us", "UTC"),
            [f"2020-01-0{k + 1}T06:00:00+00:00" for k in range(6)],
        ),
        (
            np.array([f"2020-01-0{k + 1}" for k in range(6)], "M8[s]"),
            pl.Datetime,
            [f"2020-01-0{k + 1}" for k in range(6)],
        ),
    ],
)
def test_annotations_of_any_kind(tmp_path, values, kind, cells):
    """Objects that are all of one kind are of that kind in polars and Parquet, text where not; nulls stay null."""
    held = np.empty(6, dtype=object)
    held[:] = list(values)
    table = screened(annotated(note=values if isinstance(values, np.ndarray) else held), "label", positive="sick")
    frame = table.to_polars()
    assert frame["note"].dtype == kind
    assert [row["note"] for row in csv.DictReader(io.StringIO(table.to_csv()))] == cells
    assert frame["note"].is_null().to_list() == [not cell for cell in cells]
    assert table.to_pandas()["note"].isna().tolist() == [not cell for cell in cells]
    table.to_parquet(tmp_path / "table.parquet")
    assert_frame_equal(pl.read_parquet(tmp_path / "table.parquet"), frame)


# Files, through the command line


@pytest.fixture
def told(capsys):
    """Run ``rocpredict screen ... --json``: its features as columns."""

    def call(*words):
        assert main(["screen", *map(str, words), "--json"]) == 0
        rows = json.loads(capsys.readouterr().out)["features"]
        return {name: [row[name] for row in rows] for name in rows[0]}

    return call


def _as_json(table):
    plain = json.loads(json.dumps(table.to_dict() | {"flags": [words.split() for words in table["flags"]]}))
    return {
        name: [None if cell != cell else str(cell) if cell in {np.inf, -np.inf} else cell for cell in cells]  # noqa: PLR0124
        if name != "flags"
        else cells
        for name, cells in plain.items()
    }


@engines
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_file_is_the_table_that_it_holds(engine, suffix, tmp_path, told):
    """CSV and Parquet, whole and in three parts: the library's screening of the frame, every digit."""
    frame = _frame(WITH_HOLES).assign(word=MIXED["word"], label=np.where(Y, "sick", "well"))
    expected = _as_json(rp.screen(frame, "label", positive="sick", engine=engine))
    paths = [tmp_path / f"{name}.{suffix}" for name in ("whole", "a", "b", "c")]
    for path, part in zip(paths, (frame, frame[:7], frame[7:60], frame[60:]), strict=True):
        part.to_csv(path, index=False) if suffix == "csv" else part.to_parquet(path)
    options = ("--label", "label", "--positive", "sick", "--engine", engine)
    assert told(paths[0], *options) == expected
    assert told(*paths[1:], *options) == expected


# Out again


@pytest.fixture(scope="module")
def table():
    """Three class pairs, numeric labels, annotations none, NaN and infinities in some cells, names that need quotes."""
    held = np.column_stack([WITH_HOLES, np.full(ROWS, np.nan)])
    names = [*NAMES[:4], 'a "b", c', "new\nline", "é 日本"]
    return rp.screen(held, np.arange(ROWS) % 3, feature_names=names, moments=4)


def _equal(found, table):
    assert list(found) == [*table, "flags"]
    for name in found:
        values = table[name]
        if values.dtype.kind == "f":
            np.testing.assert_array_equal(np.array(found[name], dtype=float), values, err_msg=name)
        else:
            assert list(found[name]) == values.tolist(), name


def test_to_dict_pandas_and_polars(table):
    """Every column, in order, to the last digit; of plain types that other libraries can work with."""
    _equal(table.to_dict(), table)
    _equal(table.to_pandas(), table)
    frame = table.to_polars()
    _equal({name: frame[name].to_list() for name in frame.columns}, table)
    json.dumps(table.to_dict())


def test_no_column_of_polars_is_opaque(table):
    """Labels that are numbers are numbers in polars too, so that rows can be chosen by them."""
    frame = table.to_polars()
    assert pl.Object not in frame.dtypes
    assert len(frame.filter(pl.col("positive") == 1)) == 7


def test_csv_comes_back(table, tmp_path):
    """As text and as a file, read by the csv module, pandas and polars: names, digits, infinities; NaN is empty."""
    text = table.to_csv()
    table.to_csv(tmp_path / "table.csv")
    assert (tmp_path / "table.csv").read_bytes().decode() == text
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert rows[0] == [*table, "flags"]
    found = dict(zip(rows[0], zip(*rows[1:], strict=True), strict=True))
    for name in table:
        if table[name].dtype.kind == "f":
            cells = [float(cell or "nan") for cell in found[name]]
            np.testing.assert_array_equal(cells, table[name])
        else:
            assert list(found[name]) == [str(value) for value in table[name]]
    for back in (pd.read_csv(tmp_path / "table.csv"), pl.read_csv(tmp_path / "table.csv")):
        assert list(back["feature"]) == table["feature"].tolist()
        np.testing.assert_allclose(np.array(back["auc"], dtype=float), table["auc"], rtol=1e-14)


def test_files_that_are_open(table):
    """Text goes into a text file and bytes into a binary one; the other way round, and what is no file, is refused."""
    text, held = io.StringIO(), io.BytesIO()
    assert table.to_csv(text) is None
    assert text.getvalue() == table.to_csv()
    table.to_parquet(held)
    held.seek(0)
    assert_frame_equal(pl.read_parquet(held), table.to_polars())
    for write, wrong, words in (
        (table.to_csv, io.BytesIO(), "does not take text; give the name of a file"),
        (table.to_parquet, io.StringIO(), "does not take bytes; give the name of a file"),
        (table.to_csv, 5, "path=5 is not the name of a file"),
    ):
        with pytest.raises(RocPredictError, match=words):
            write(wrong)


def test_a_carriage_return_in_a_name_comes_back_from_csv():
    text = rp.screen(X[:, :2], Y, feature_names=["a\rb", "c"]).in_input_order().to_csv()
    assert [row["feature"] for row in csv.DictReader(io.StringIO(text, newline=""))] == ["a\rb", "c"]


def test_parquet_comes_back(table, tmp_path):
    """Read by polars and pandas: text as text, numbers to the last digit."""
    table.to_parquet(tmp_path / "table.parquet")
    for frame in (pl.read_parquet(tmp_path / "table.parquet"), pd.read_parquet(tmp_path / "table.parquet")):
        found = {name: list(frame[name]) for name in frame.columns}
        assert [str(label) for label in found.pop("positive")] == [str(label) for label in table["positive"]]
        expected = {name: table[name] for name in [*table, "flags"] if name != "positive"}
        for name, values in expected.items():
            if values.dtype.kind == "f":
                np.testing.assert_array_equal(np.array(found[name], dtype=float), values)
            else:
                assert found[name] == values.tolist()


def test_an_empty_table_is_written_as_one(table, tmp_path):
    """No rows: all columns, in every form; the page and the repr say so."""
    empty = table.top(0)
    assert len(empty) == 0
    assert empty.to_csv().count("\n") == 1
    assert empty.to_pandas().shape == empty.to_polars().shape == (0, len(list(table)) + 1)
    empty.to_parquet(tmp_path / "table.parquet")
    assert pl.read_parquet(tmp_path / "table.parquet").shape == (0, len(list(table)) + 1)
    assert "0 rows" in empty._repr_html_()
    assert repr(empty) == "ScreeningResult(0 rows, 3 class pairs)"


def test_nothing_in_a_notebook_is_markup():
    """Names and labels with tags come out as text; ten rows at most are drawn."""
    evil = "<script>alert('x')</script>"
    labels = np.where(Y, evil, "<b>")
    for page in (
        rp.screen(X, labels, positive=evil, feature_names=[f"{evil}{j}" for j in range(6)])._repr_html_(),
        rp.screen(X, np.where(np.arange(ROWS) % 3 == 2, "&amp;", labels))._repr_html_(),
        screened(annotated(symbol=[evil] * 6), "label", positive="sick")._repr_html_(),
    ):
        tags = set(re.findall(r"</?\w+", page))
        assert tags <= {
            f"{slash}{name}"
            for slash in ("<", "</")
            for name in ("div", "table", "caption", "thead", "tbody", "tr", "th", "td", "bdi", "p")
        }
    many = rp.screen(np.tile(X, 3), Y)._repr_html_()
    assert many.count("<tr>") == 11


# Rows


def test_rows_are_chosen_as_in_an_array(table):
    """By index, from the end, slice, list, mask, mask of another library; flags and places go along."""
    first = table[0]
    assert len(first) == 1
    assert first["feature"][0] == table["feature"][0]
    for chosen in (
        slice(2, 9, 3),
        [2, 5, 8],
        np.array([2, 5, 8]),
        np.isin(np.arange(21), [2, 5, 8]),
        pd.Series(np.isin(np.arange(21), [2, 5, 8])),
        pl.Series(np.isin(np.arange(21), [2, 5, 8])),
    ):
        part = table[chosen]
        np.testing.assert_array_equal(part["auc"], table["auc"][[2, 5, 8]])
        np.testing.assert_array_equal(part["flags"], table["flags"][[2, 5, 8]])
        np.testing.assert_array_equal(part.row_index, table.row_index[[2, 5, 8]])
    assert table[-1]["feature"][0] == table["feature"][-1]
    assert len(table[table["q_value"] < -1]) == 0
    with pytest.raises(IndexError):
        table[21]


def test_the_table_is_not_changed_by_what_is_made_of_it(table):
    before = {name: table[name].copy() for name in table}
    table.sort("auc")
    table.in_input_order()
    table.to_dict()["auc"][0] = 9.0
    assert table[:3].top(2).sort("feature") is not table
    for name, values in before.items():
        np.testing.assert_array_equal(table[name], values)


def test_top_feature_and_by_input(table):
    """The first rows; a feature's row of each class pair; class pair by class pair, in the order of the input."""
    assert table.top(5)["feature"].tolist() == table["feature"][:5].tolist()
    assert len(table.top()) == 10
    assert len(table.top(10**9)) == len(table) == 21
    rows = table.feature("new\nline")
    assert sorted(rows["positive"].tolist()) == [0, 1, 2]
    plain = table.in_input_order()
    assert plain["feature"].tolist() == 3 * plain["feature"][:7].tolist()
    assert plain["positive"].tolist() == [0] * 7 + [1] * 7 + [2] * 7
    assert plain["feature"][:4].tolist() == NAMES[:4]
    assert_same(plain.sort("discrimination"), table)
    shuffled = table[np.random.default_rng(24).permutation(21)]
    assert_same(shuffled.in_input_order(), plain)


def test_every_sort_is_stable_and_puts_the_undefined_last(table):
    """By each column, up and down: in order, ties as they stood, NaN at the end."""
    plain = table.in_input_order()
    for name in plain:
        for descending in (False, True):
            found = plain.sort(name, descending=descending)
            values = found[name]
            if values.dtype.kind == "f":
                defined = ~np.isnan(values)
                assert (np.diff(defined.astype(int)) <= 0).all(), name
                values, places = values[defined], found.row_index[defined]
            else:
                places = found.row_index
            for one, other, here, there in zip(values[:-1], values[1:], places[:-1], places[1:], strict=True):
                one, other = (str(item) if values.dtype.kind == "O" else item for item in (one, other))  # noqa: PLW2901
                assert (one > other if descending else one < other) or (one == other and here < there), name


@pytest.mark.parametrize("descending", [False, True])
def test_infinities_come_before_what_is_undefined(descending):
    """Means of -inf, a number, NaN and inf, in any order before: the NaN is last."""
    held = np.column_stack([WITH_HOLES[:, 0]] * 4)
    held[0, 1], held[0, 2], held[:, 3] = np.inf, -np.inf, np.nan
    table = screened(held)
    for first in range(4):
        turned = table[np.roll(np.arange(4), first)].sort("negative_mean", descending=descending)
        assert np.isnan(turned["negative_mean"][-1])


def test_the_order_of_the_columns_in_the_table_is_the_documented_one():
    """The feature, classes and counts first; every column is in the docstring."""
    names = list(rp.screen(X, Y, moments=4))
    assert names[:4] == ["feature", "n_negative", "n_positive", "n_missing"]
    for name in names:
        stem = name.replace("negative_", "").replace("positive_", "").replace("empirical_", "")
        assert name in rp.ScreeningResult.__doc__ or stem in {
            "mean",
            "std",
            "se",
            "low",
            "high",
            "skewness",
            "kurtosis",
            "minimum",
            "maximum",
        }
    assert list(rp.screen(X, np.arange(ROWS) % 3))[:3] == ["feature", "negative", "positive"]


@engines
def test_what_is_asked_for_does_not_change_the_rest(engine):
    """With and without counting, two moments or four: shared columns to 1e-12; one feature alone, to the last bit."""
    full = screened(WITH_HOLES, engine=engine)
    without = screened(WITH_HOLES, engine=engine, empirical=False)
    two = rp.screen(WITH_HOLES, Y, engine=engine).in_input_order()
    counted = {
        "p_value",
        "q_value",
        "ameans_corrected",
        "misfit",
        *(name for name in two if name.startswith("empirical")),
    }
    for name in set(two) - {"feature", "direction"}:
        np.testing.assert_allclose(full[name], two[name], rtol=1e-12, err_msg=name)
        if name not in counted:
            np.testing.assert_allclose(full[name], without[name], rtol=1e-12, err_msg=name)
    np.testing.assert_array_equal(full["direction"], without["direction"])
    for j in (1, 4):
        alone = screened(WITH_HOLES[:, [j]], engine=engine)
        for name in set(alone) - {"feature", "q_value"}:
            np.testing.assert_array_equal(alone[name][0], full[name][j], err_msg=name)


# What must not matter


def _normals(features=11):
    rng = np.random.default_rng(26)
    held = rng.normal(size=(ROWS, features)) + np.linspace(0, 1, features) * (np.arange(ROWS) % 3 == 1)[:, None]
    held[rng.random(held.shape) < 0.05] = np.nan
    return held, np.arange(ROWS) % 3


@pytest.mark.parametrize("empirical", [True, False, "top"])
@pytest.mark.parametrize("width", [1, 4])
def test_frames_read_in_blocks_of_columns(monkeypatch, empirical, width):
    """One or four columns at a time, one thread or three, three class pairs: as the array."""
    held, labels = _normals()
    options = {"empirical": empirical, "n_top": 3}
    expected = rp.screen(held, labels, **options)
    monkeypatch.setattr("rocpredict.sources.blocks.BLOCK_BYTES", width * ROWS * 8)
    frame = pl.DataFrame(held, schema=[f"x{j}" for j in range(11)])
    for n_jobs in (1, 3):
        assert_same(rp.screen(frame, labels, n_jobs=n_jobs, **options), expected, rel=1e-12)
    told = []
    rp.screen(frame, labels, progress=lambda done, total: told.append((done, total)))
    assert told == sorted(told)
    assert told[-1] == (11, 11)


@engines
def test_the_order_of_rows_and_columns_does_not_matter(engine):
    """Rows shuffled with their labels, columns shuffled: the same numbers of each feature, to 1e-12; ranks exactly."""
    held, labels = _normals()
    expected = screened(held, labels, engine=engine)
    rows, columns = np.random.default_rng(27).permutation(ROWS), np.random.default_rng(28).permutation(11)
    turned = screened(held[rows], labels[rows], engine=engine)
    assert_same(turned, expected, rel=1e-12)
    np.testing.assert_array_equal(turned["empirical_auc"], expected["empirical_auc"])
    moved = screened(held[:, columns], labels, engine=engine)
    for name in set(expected) - {"feature", "direction"}:
        back = np.empty_like(moved[name].reshape(3, 11))
        back[:, columns] = moved[name].reshape(3, 11)
        if name in {"negative", "positive"}:
            np.testing.assert_array_equal(back.ravel(), expected[name])
        else:
            np.testing.assert_allclose(back.ravel(), expected[name], rtol=1e-12, err_msg=name)


@engines
def test_turning_and_scaling_the_axis_and_exchanging_the_classes(engine):
    """-x and exchanged classes turn both AUCs and intervals; x in another unit changes nothing but means and SDs."""
    held, labels = _normals()
    y = labels == 1
    table = rp.screen(held, y, engine=engine).in_input_order()
    turned = rp.screen(-held, y, engine=engine).in_input_order()
    exchanged = rp.screen(held, ~y, engine=engine).in_input_order()
    scaled = rp.screen(held * 2.0**40, y, engine=engine).in_input_order()
    for other in (turned, exchanged):
        for name, theirs in (("auc", "auc"), ("low", "high"), ("high", "low")):
            for kind, stem in (("auc", "auc_"), ("empirical_auc", "empirical_")):
                mine, its = (kind if end == "auc" else stem + end for end in (name, theirs))
                np.testing.assert_allclose(other[its], 1 - table[mine], rtol=1e-11, err_msg=mine)
        for name in ("empirical_se", "p_value", "q_value", "ameans"):
            np.testing.assert_allclose(other[name], table[name], rtol=1e-10, err_msg=name)
    for name in ("tpr", "fpr", "ameans_corrected"):
        np.testing.assert_allclose(turned[name], table[name], rtol=1e-10, err_msg=name)
    np.testing.assert_allclose(turned["threshold"], -table["threshold"], rtol=1e-11)
    assert (turned["direction"] != table["direction"]).all()
    for name in set(table) - {"feature", "direction"}:
        unit = 2.0**40 if name.endswith(("threshold", "_mean", "_std")) else 1.0
        np.testing.assert_allclose(scaled[name], table[name] * unit, rtol=1e-12, err_msg=name)
