"""A table gives the same screening in every form, and a screening can be read back from every form."""

import csv
import datetime
import io
import json
import re
import warnings

import numpy as np
import pytest
from scipy import sparse

import rocpredict as rp
from rocpredict.base.validation import RocPredictError
from rocpredict.cli import main
from rocpredict.sources import large_csv
from rocpredict.sources.blocks import MemoryBudget
from rocpredict.sources.streams import SpooledColumns
from tests.cases import ENGINES, check_each, optional, refuses

duckdb, pd, pl, polars_testing, pa = map(optional, ("duckdb", "pandas", "polars", "polars.testing", "pyarrow"))
ROWS, NAMES = 90, ["x0", "x1", "x2", "x3", "x4", "x5"]
engines = pytest.mark.parametrize("engine", ENGINES)


def _table():
    """Return whole numbers: spread, tied, mostly 0, negative zeros, constant, small and positive; labels 0 and 1."""
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


def assert_same(result, expected, rel=0.0):
    """Compare all columns, flags, class pairs and row indices, floats to ``rel`` (exactly by default)."""
    assert list(result) == list(expected)
    assert (result.class_pairs, result.n_observations) == (expected.class_pairs, expected.n_observations)
    np.testing.assert_array_equal(result.row_index, expected.row_index)
    for name in [*expected, "flags"]:
        if expected[name].dtype.kind == "f" and rel:
            np.testing.assert_allclose(result[name], expected[name], rtol=rel, atol=rel, err_msg=name)
        else:
            np.testing.assert_array_equal(result[name], expected[name], err_msg=name)


def screened(table, y=Y, **options):
    return rp.screen(table, y, moments=4, **options).in_input_order()


LAYOUTS = {
    "Fortran": np.asfortranarray,
    "rows backwards": lambda table: table[::-1].copy()[::-1],
    "every third column": lambda table: np.repeat(np.repeat(table, 3, axis=1), 2, axis=0)[::2, ::3],
    "part of wider rows": lambda table: np.concatenate([table, table], axis=1)[:, : table.shape[1]],
    "unaligned": lambda table: np.frombuffer(b"0" + table.tobytes(), "u1")[1:].view("f8").reshape(table.shape),
    "read only": lambda table: np.broadcast_to(table, table.shape),
    "long double": lambda table: table.astype(np.longdouble),
    "objects": lambda table: table.astype(object),
    "masked, no mask": np.ma.array,
    "list of lists": lambda table: table.tolist(),
    "tuple of tuples": lambda table: tuple(map(tuple, table.tolist())),
    "list of arrays": list,
    "an __array__": lambda table: type("Holder", (), {"__array__": lambda *_, **__: table})(),
}


@engines
def test_arrays_in_every_layout(engine):
    """Whole numbers, missing ones too: every column to the last bit. Sums that round: to 1e-12, ranks exactly."""
    rng = np.random.default_rng(25)
    rounding = rng.normal(size=(500, 5)) * [1, 1e3, 1e-3, 1, 1] + [0, 0, 0, 1e4, 0] + np.arange(500)[:, None] % 2
    rounding[rng.random(500) < 0.1, 4] = np.nan
    tables = (X, Y, 0.0), (WITH_HOLES, Y, 0.0), (rounding, np.arange(500) % 2, 1e-12)
    expected = [screened(table, y, engine=engine) for table, y, _ in tables]

    def check(layout):
        for (table, y, rel), truth in zip(tables, expected, strict=True):
            result = screened(layout(table), y, engine=engine)
            assert_same(result, truth, rel=rel)
            for name in ("empirical_auc", "p_value", "q_value"):
                np.testing.assert_array_equal(result[name], truth[name])

    check_each(LAYOUTS, check)


@engines
def test_masked_arrays_and_memory_maps(engine, tmp_path):
    """A masked value is missing, whatever lies under the mask; a mapped file is read and not changed."""
    mask, expected = np.isnan(WITH_HOLES), screened(WITH_HOLES, engine=engine)
    for under in (np.inf, 7.0):
        table = np.ma.array(np.where(mask, under, WITH_HOLES), mask=mask)
        assert_same(screened(table, engine=engine), expected)
    path = tmp_path / "table.bin"
    for dtype in ("f8", "f4", ">f8"):
        values = WITH_HOLES.astype(dtype)
        values.tofile(path)
        table = np.memmap(path, dtype=dtype, mode="r", shape=X.shape)
        assert_same(screened(table, engine=engine), screened(values.astype(float), engine=engine), rel=1e-12)
        assert path.read_bytes() == values.tobytes()


@engines
def test_sparse_tables(engine):
    """Each form is the table of ``toarray``, to 1e-12; a stored NaN is missing; a table of zeros is constant."""
    expected = screened(X, engine=engine)
    for kind in ("csc_array", "csr_array", "csc_matrix", "csr_matrix", "coo_array", "lil_array", "dok_array"):
        assert_same(screened(getattr(sparse, kind)(X), engine=engine), expected, rel=1e-12)
    for make in (sparse.csc_array, sparse.csr_array, sparse.bsr_array, sparse.dia_array):
        holes = np.where(np.random.default_rng(23).random(X.shape) < 0.1, np.nan, X)
        for table in (holes, np.abs(X).astype("u1"), np.zeros((ROWS, 3))):
            result = screened(make(table), engine=engine)
            assert_same(result, screened(table.astype(float), engine=engine), rel=1e-12)
        assert result.flags["constant"].all()


def _frame(table=None, kind=float):
    return pd.DataFrame(X if table is None else table, columns=NAMES).astype(kind)


FRAMES = {
    "dict": lambda: {name: WITH_HOLES[:, j] for j, name in enumerate(NAMES)},
    "dict of lists": lambda: {name: [None if v != v else v for v in WITH_HOLES[:, j]] for j, name in enumerate(NAMES)},  # noqa: PLR0124
}
if pd:
    FRAMES |= {
        "pandas": lambda: _frame(WITH_HOLES),
        "pandas, a column at a time": lambda: pd.DataFrame({name: WITH_HOLES[:, j] for j, name in enumerate(NAMES)}),
        "pandas nullable": lambda: _frame(WITH_HOLES).convert_dtypes(),
        "pandas Arrow": lambda: _frame(WITH_HOLES).convert_dtypes(dtype_backend="pyarrow"),
        "pandas, odd index": lambda: _frame(WITH_HOLES).set_index(np.arange(ROWS)[::-1] // 3),
        "polars": lambda: pl.DataFrame(WITH_HOLES, schema=NAMES),
        "polars nulls": lambda: pl.DataFrame(WITH_HOLES, schema=NAMES).fill_nan(None),
        "polars lazy": lambda: pl.LazyFrame(WITH_HOLES, schema=NAMES),
        "pyarrow": lambda: pa.Table.from_pandas(_frame(WITH_HOLES), preserve_index=False),
    }


@pytest.mark.extra("duckdb", "pandas", "polars")
@engines
def test_frames(engine):
    """Missing values as NaN, None, null or NA, to the last bit; other dtypes, sparse columns; a column of labels."""
    expected = screened(WITH_HOLES, engine=engine)
    check_each(FRAMES, lambda frame: assert_same(screened(frame(), engine=engine), expected))
    expected = screened(X, engine=engine)
    for kind in ("Int64", "int32", "Float32", "float32", "int64[pyarrow]"):
        assert_same(screened(_frame(kind=kind), engine=engine), expected, rel=1e-12)
    frame = pd.DataFrame.sparse.from_spmatrix(sparse.csc_matrix(X), columns=NAMES)
    assert_same(screened(frame, engine=engine), expected, rel=1e-12)
    frame = _frame().assign(y=np.where(Y, "sick", "well"))[["x0", "y", *NAMES[1:]]]
    for table in (frame, pl.LazyFrame(frame), duckdb.sql("select * from frame")):
        assert_same(
            screened(table, "y", positive="sick", engine=engine), screened(X, frame["y"], positive="sick"), 1e-12
        )


MIXED = {"size": X[:, 0], "word": np.array(["a", "b", "c"])[np.arange(ROWS) % 3], "truth": X[:, 3] > 0}
if pd:
    MIXED |= {"kind": pd.Categorical(np.array(["p", "q"])[Y]), "day": pd.date_range("2020-01-01", periods=ROWS)}


@pytest.mark.extra("pandas", "polars", "pyarrow")
def test_columns_that_are_no_numbers_are_flagged():
    """Text, categories and dates have the flag not_numeric and no number; numbers and booleans are as alone."""
    alone = rp.screen(np.column_stack([MIXED["size"], MIXED["truth"]]), Y).in_input_order()
    frame = pd.DataFrame(MIXED)
    for mixed in (frame, pl.from_pandas(frame), pa.Table.from_pandas(frame)):
        ranked = rp.screen(mixed, Y)
        table = ranked.in_input_order()
        assert table["feature"].tolist() == list(MIXED)
        assert table.flags["not_numeric"].tolist() == [False, True, False, True, True]
        for name in ("auc", "empirical_auc", "p_value", "q_value", "threshold", "ameans", "ameans_corrected", "misfit"):
            assert np.isnan(table[name][[1, 3, 4]]).all(), name
        np.testing.assert_array_equal(table["empirical_auc"][[0, 2]], alone["empirical_auc"])
        np.testing.assert_array_equal(table["q_value"][[0, 2]], alone["q_value"])
        assert set(ranked["feature"][-3:]) == {"word", "kind", "day"}
        assert repr(ranked).startswith("ScreeningResult(5 rows (2 numeric), negative 0, positive 1, first ")
        assert "because they are not numeric: word, kind, day; word contains 'a'." in ranked.table().to_text(width=500)
        assert not rp.screen(mixed, Y, empirical=False)["n_missing"].any()
        # of a column of text, no value counts as missing
        assert rp.screen(rp.summarize(mixed, Y), empirical=False)["n_missing"].tolist() == [0] * 5


def annotated(**var):
    import anndata

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cells = pd.DataFrame({"label": np.where(Y, "sick", "well")}, index=[f"cell{i}" for i in range(ROWS)])
        genes = pd.DataFrame(var, index=[f"gene{i}" for i in range(6)])
        return anndata.AnnData(sparse.csr_matrix(X), obs=cells, var=genes)


@pytest.mark.extra("pandas")
@engines
def test_annotated_data_have_their_annotations(engine):
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


@pytest.mark.extra("pandas")
def test_an_annotation_named_as_a_column_replaces_nothing():
    values, plain = list("fedcba"), screened(annotated(), "label", positive="sick")
    for name in ("feature", "auc", "n_missing", "direction", "p_value", "flags"):
        try:
            table = screened(annotated(**{name: values}), "label", positive="sick")
        except RocPredictError as error:
            assert name in str(error)  # noqa: PT017
            continue
        np.testing.assert_array_equal(table[name], plain[name])
        assert any(table[column].tolist() == values for column in table)


@pytest.mark.extra("pandas", "polars")
def test_missing_annotations_are_last_and_stay_missing():
    """None, NaN and NaT: last in either order; empty in CSV. CSV has dates as text."""
    days = pd.to_datetime(["2020-01-03", None, "2020-01-01", "2020-01-02", "2020-01-05", "2020-01-04"])
    table = screened(annotated(symbol=["b", None, "a", np.nan, "d", "c"], day=days), "label", positive="sick")
    for descending in (False, True):
        order = table.sort("symbol", descending=descending)["symbol"].tolist()
        assert order[:4] == sorted("abcd", reverse=descending)
        assert np.isnat(table.sort("day", descending=descending)["day"][-1])
    rows = list(csv.DictReader(io.StringIO(table.to_csv())))
    assert [row["symbol"] for row in rows] == ["b", "", "a", "", "d", "c"]
    assert rows[0]["day"].startswith("2020-01-03")
    assert not rows[1]["day"]


DAYS = [f"2020-01-0{k + 1}" for k in range(6)]
ANNOTATIONS = {}
if pd:
    ANNOTATIONS |= {
        "integers": ([1, None, 3, 4, 5, 6], pl.Int64, ["1", "", "3", "4", "5", "6"]),
        "floats": ([1, 2.5, None, 4, 5, 6], pl.Float64, ["1", "2.5", "", "4", "5", "6"]),
        "booleans": ([True, None, False, True, True, True], pl.Boolean, ["True", "", "False", "True", "True", "True"]),
        "mixed": (["a", 1, pd.NA, np.nan, 2.5, None], pl.String, ["a", "1", "", "", "2.5", ""]),
        "nothing": ([None] * 6, pl.Null, [""] * 6),
        "dates": ([datetime.date.fromisoformat(day) for day in DAYS], pl.Date, DAYS),
        "times": (
            pd.to_datetime([f"{day}T06:00" for day in DAYS], utc=True).astype(object),
            pl.Datetime("us", "UTC"),
            [f"{day}T06:00:00+00:00" for day in DAYS],
        ),
        "numpy": (np.arange("2020-01-01", "2020-01-07", dtype="M8[D]").astype("M8[s]"), pl.Datetime, DAYS),
    }


@pytest.mark.extra("pandas", "polars")
def test_annotations_of_any_kind(tmp_path):
    def check(case):
        values, kind, cells = case
        objects = np.empty(6, dtype=object)
        objects[:] = list(values)
        table = screened(
            annotated(note=values if isinstance(values, np.ndarray) else objects), "label", positive="sick"
        )
        frame = table.to_polars()
        assert frame["note"].dtype == kind
        assert [row["note"] for row in csv.DictReader(io.StringIO(table.to_csv()))] == cells
        assert frame["note"].is_null().to_list() == [not cell for cell in cells]
        assert table.to_pandas()["note"].isna().tolist() == [not cell for cell in cells]
        table.to_parquet(tmp_path / "table.parquet")
        polars_testing.assert_frame_equal(pl.read_parquet(tmp_path / "table.parquet"), frame)

    check_each(ANNOTATIONS, check)


def _as_json(table):
    cells = {name: [_cell(value) for value in values] for name, values in table.to_dict().items()}
    return cells | {"flags": [words.split() for words in table["flags"]]}


def _cell(value):
    return None if value != value else str(value) if value in {np.inf, -np.inf} else value  # noqa: PLR0124


@pytest.mark.extra("pandas")
@engines
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_file_is_the_table_that_it_holds(engine, suffix, tmp_path, capsys):
    frame = _frame(WITH_HOLES).assign(word=MIXED["word"], label=np.where(Y, "sick", "well"))
    expected = _as_json(rp.screen(frame, "label", positive="sick", engine=engine))
    paths = [str(tmp_path / f"{name}.{suffix}") for name in ("whole", "a", "b", "c")]
    for path, part in zip(paths, (frame, frame[:7], frame[7:60], frame[60:]), strict=True):
        part.to_csv(path, index=False) if suffix == "csv" else part.to_parquet(path)
    for files in (paths[:1], paths[1:]):
        assert main(["screen", *files, "--label", "label", "--positive", "sick", "--engine", engine, "--json"]) == 0
        rows = json.loads(capsys.readouterr().out)["features"]
        assert {name: [row[name] for row in rows] for name in rows[0]} == expected


@pytest.fixture(scope="module")
def table():
    """Return a screening of three class pairs: numeric labels, NaN and infinities, names that need quotes, families."""
    names = [*NAMES[:4], 'a "b", c', "new\nline", "é 日本"]
    features = np.column_stack([WITH_HOLES, np.full(ROWS, np.nan)])
    return rp.screen(features, np.arange(ROWS) % 3, feature_names=names, moments=4, family="auto")


def _equal(columns, table):
    assert list(columns) == [*table, "flags"]
    for name in columns:
        values = table[name]
        if values.dtype.kind == "f":
            np.testing.assert_array_equal(np.array(columns[name], dtype=float), values, err_msg=name)
        else:
            assert list(columns[name]) == values.tolist(), name


@pytest.mark.extra("pandas", "polars", "pyarrow", "dask")
def test_a_row_index_is_not_a_feature(tmp_path, monkeypatch, capsys):
    """pandas and R write a row index without a name; a data frame has it outside its columns, in every form."""
    from dask import dataframe
    from pyarrow import dataset

    frame = pd.DataFrame(WITH_HOLES, columns=NAMES, index=np.arange(ROWS)[::-1]).assign(y=Y)
    expected = rp.screen(frame, "y", empirical=False)
    assert sorted(expected["feature"]) == NAMES
    name, columnar = str(tmp_path / "t.csv"), str(tmp_path / "t.parquet")
    frame.to_csv(name)
    frame.to_parquet(columnar)
    forms = [name, columnar, pd.read_csv(name), pl.read_csv(name), pl.scan_csv(name), pl.read_parquet(columnar)]
    for form in (*forms, dataset.dataset(columnar), dataframe.read_csv(name)):
        result = rp.screen(form, "y", empirical=False)
        assert result["feature"].tolist() == expected["feature"].tolist(), type(form)
        np.testing.assert_allclose(result["auc"], expected["auc"], rtol=1e-9)
        assert rp.summarize(form, "y").feature_names == tuple(NAMES)
    assert (
        len(rp.screen(pd.read_csv(name).drop(columns="y"), Y)) == len(rp.screen(pd.read_csv(name), "y")) == len(NAMES)
    )
    main(["screen", name, "--label", "y"])
    assert "The column without a name was not screened, because it is a row index.\n" in capsys.readouterr().out
    main(["screen", name, "--label", "y", "--exclude", "x0"])
    assert "row index" in capsys.readouterr().out
    main(["screen", name, "--label", "y", "--feature", "x0"])
    assert "row index" not in capsys.readouterr().out
    assert rp.TeachingPage(name, "y").data[0].features == tuple(NAMES)
    main(["teach", name, "--label", "y", "--save", str(tmp_path / "t.html")])
    assert '"name":""' not in (tmp_path / "t.html").read_text("utf-8")
    for command in ("screen", "teach"):
        assert main([command, name]) == 2
        assert re.search(r"pass (a column of \S*t.csv|one of these columns): x0, x1, ", capsys.readouterr().err)
    monkeypatch.setattr(large_csv, "MIN_BYTES", 0)
    assert_same(rp.screen(name, "y", empirical=False), rp.screen(columnar, "y", empirical=False), rel=1e-9)
    (tmp_path / "two.csv").write_text(",a,,y\n0,1,,0\n1,2,,1\n")
    refuses(r"two\.csv has 2 columns without a name; name them, or delete them$", rp.screen, tmp_path / "two.csv", "y")


@pytest.mark.extra("polars")
def test_to_dict_pandas_and_polars(table):
    _equal(table.to_dict(), table)
    _equal(table.to_pandas(), table)
    frame = table.to_polars()
    _equal({name: frame[name].to_list() for name in frame.columns}, table)
    json.dumps(table.to_dict())
    assert pl.Object not in frame.dtypes
    assert len(frame.filter(pl.col("positive") == 1)) == 7


@pytest.mark.extra("pandas", "polars")
def test_csv_and_parquet_can_be_read_back(table, tmp_path):
    text = table.to_csv()
    table.to_csv(tmp_path / "table.csv")
    assert (tmp_path / "table.csv").read_bytes().decode() == text
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert rows[0] == [*table, "flags"]
    columns = dict(zip(rows[0], zip(*rows[1:], strict=True), strict=True))
    for name in table:
        if table[name].dtype.kind == "f":
            cells = [float(cell or "nan") for cell in columns[name]]
            np.testing.assert_array_equal(cells, table[name])
        else:
            assert list(columns[name]) == [str(value) for value in table[name]]
    for frame in (pd.read_csv(tmp_path / "table.csv"), pl.read_csv(tmp_path / "table.csv")):
        assert list(frame["feature"]) == table["feature"].tolist()
        np.testing.assert_allclose(np.array(frame["auc"], dtype=float), table["auc"], rtol=1e-14)
    table.to_parquet(tmp_path / "table.parquet")
    for frame in (pl.read_parquet(tmp_path / "table.parquet"), pd.read_parquet(tmp_path / "table.parquet")):
        _equal({name: list(frame[name]) for name in frame.columns}, table)
    returns = rp.screen(X[:, :2], Y, feature_names=["a\rb", "c"]).in_input_order().to_csv()
    assert [row["feature"] for row in csv.DictReader(io.StringIO(returns, newline=""))] == ["a\rb", "c"]


@pytest.mark.extra("polars")
def test_open_files_and_empty_tables(table, tmp_path):
    """Text goes into a text file and bytes into a binary one, others are refused; no rows are written as such."""
    text, binary = io.StringIO(), io.BytesIO()
    assert table.to_csv(text) is None
    assert text.getvalue() == table.to_csv()
    table.to_parquet(binary)
    binary.seek(0)
    polars_testing.assert_frame_equal(pl.read_parquet(binary), table.to_polars())
    for write, wrong, words in (
        (table.to_csv, io.BytesIO(), "does not accept text; pass a file name"),
        (table.to_parquet, io.StringIO(), "does not accept bytes; pass a file name"),
        (table.to_csv, 5, "path=5 is not a file name"),
    ):
        refuses(words, write, wrong)
    empty, width = table.top(0), len(list(table)) + 1
    assert len(empty) == 0
    assert empty.to_csv().count("\n") == 1
    assert empty.to_pandas().shape == empty.to_polars().shape == (0, width)
    empty.to_parquet(tmp_path / "table.parquet")
    assert pl.read_parquet(tmp_path / "table.parquet").shape == (0, width)
    assert "0 rows" in empty._repr_html_()
    assert repr(empty) == "ScreeningResult(0 rows, 3 class pairs)"


@pytest.mark.extra("pandas")
def test_nothing_in_a_notebook_is_markup():
    """Names and labels with tags are text; a table shows ten rows at most."""
    evil = "<script>alert('x')</script>"
    labels = np.where(Y, evil, "<b>")
    for page in (
        rp.screen(X, labels, positive=evil, feature_names=[f"{evil}{j}" for j in range(6)])._repr_html_(),
        rp.screen(X, np.where(np.arange(ROWS) % 3 == 2, "&amp;", labels))._repr_html_(),
        screened(annotated(symbol=[evil] * 6), "label", positive="sick")._repr_html_(),
    ):
        tags = set(re.findall(r"</?(\w+)", page))
        assert tags <= {"div", "table", "caption", "thead", "tbody", "tr", "th", "td", "bdi", "p"}
    many = rp.screen(np.tile(X, 3), Y)._repr_html_()
    assert many.count("<tr>") == 11


def test_top_feature_and_by_input(table):
    before = {name: table[name].copy() for name in table}
    table.sort("auc")
    table.to_dict()["auc"][0] = 9.0
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
    for name, values in before.items():
        np.testing.assert_array_equal(table[name], values)


def test_every_sort_is_stable_and_puts_the_undefined_last(table):
    plain = table.in_input_order()
    features = np.column_stack([WITH_HOLES[:, 0]] * 4)
    features[0, 1], features[0, 2], features[:, 3] = np.inf, -np.inf, np.nan
    infinite = screened(features)
    for descending in (False, True):
        for name in plain:
            result = plain.sort(name, descending=descending)
            values, index = result[name], result.row_index
            if values.dtype.kind == "f":
                defined = ~np.isnan(values)
                assert (np.diff(defined.astype(int)) <= 0).all(), name
                values, index = values[defined], index[defined]
            elif values.dtype.kind == "O":
                values = values.astype(str)
            first, second = (values[1:], values[:-1]) if descending else (values[:-1], values[1:])
            assert ((first < second) | ((first == second) & (np.diff(index) > 0))).all(), name
        for shift in range(4):
            result = infinite[np.roll(np.arange(4), shift)].sort("negative_mean", descending=descending)
            assert np.isnan(result["negative_mean"][-1])


def test_the_order_of_the_columns_in_the_table_is_the_documented_one():
    """The feature, classes and counts first; every column is in the docstring."""
    names = list(rp.screen(X, Y, moments=4))
    assert names[:4] == ["feature", "n_negative", "n_positive", "n_missing"]
    stems = {"mean", "std", "se", "low", "high", "skewness", "kurtosis", "minimum", "maximum"}
    for name in names:
        stem = name.replace("negative_", "").replace("positive_", "").replace("empirical_", "")
        assert name in rp.ScreeningResult.__doc__ or stem in stems, name
    assert list(rp.screen(X, np.arange(ROWS) % 3))[:3] == ["feature", "negative", "positive"]


@engines
def test_options_do_not_change_the_other_columns(engine):
    """With and without empirical AUCs, two moments or four: to 1e-12; one feature alone: to the last bit."""
    full = screened(WITH_HOLES, engine=engine)
    without = screened(WITH_HOLES, engine=engine, empirical=False)
    two = rp.screen(WITH_HOLES, Y, engine=engine).in_input_order()
    empirical = {"p_value", "q_value", "ameans_corrected", "misfit", *(n for n in two if n.startswith("empirical"))}
    for name in set(two) - {"feature", "direction"}:
        np.testing.assert_allclose(full[name], two[name], rtol=1e-12, err_msg=name)
        if name not in empirical:
            np.testing.assert_allclose(full[name], without[name], rtol=1e-12, err_msg=name)
    np.testing.assert_array_equal(full["direction"], without["direction"])
    for j in (1, 4):
        alone = screened(WITH_HOLES[:, [j]], engine=engine)
        for name in set(alone) - {"feature", "q_value"}:
            np.testing.assert_array_equal(alone[name][0], full[name][j], err_msg=name)


def _normals(features=11):
    rng = np.random.default_rng(26)
    table = rng.normal(size=(ROWS, features)) + np.linspace(0, 1, features) * (np.arange(ROWS) % 3 == 1)[:, None]
    table[rng.random(table.shape) < 0.05] = np.nan
    return table, np.arange(ROWS) % 3


@pytest.mark.extra("polars")
def test_frames_read_in_blocks_of_columns(monkeypatch):
    """One or four columns at a time, one thread or three, three class pairs: as the array; progress ascends."""
    table, labels = _normals()
    frame = pl.DataFrame(table, schema=[f"x{j}" for j in range(11)])
    for empirical in (True, False, "top"):
        options = {"empirical": empirical, "n_top": 3}
        expected = rp.screen(table, labels, **options)
        for width, n_jobs in ((1, 1), (1, 3), (4, 1), (4, 3)):
            with monkeypatch.context() as patch:
                patch.setattr("rocpredict.sources.blocks.BLOCK_BYTES", width * ROWS * 8)
                assert_same(rp.screen(frame, labels, n_jobs=n_jobs, **options), expected, rel=1e-12)
    monkeypatch.setattr("rocpredict.sources.blocks.BLOCK_BYTES", 4 * ROWS * 8)
    calls = []
    rp.screen(frame, labels, progress=lambda done, total: calls.append((done, total)))
    assert calls == sorted(calls)
    assert calls[-1] == (11, 11)


def test_a_block_is_not_overwritten_while_a_view_of_it_exists():
    X = np.arange(600_000.0).reshape(-1, 6)
    source = SpooledColumns(6)
    source.append(X.T)
    source.flush()
    views = [block[5:9] for _, block in source.iter_blocks(None, MemoryBudget(16_000_000))]
    assert len(views) == 6
    np.testing.assert_array_equal(np.hstack(views), X[5:9])
