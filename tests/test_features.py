"""The validator of tables: what it understands, what it leaves untouched, what it refuses, and in which words."""

import datetime
import re
import sys
from decimal import Decimal
from fractions import Fraction

import anndata
import duckdb
import narwhals
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

from rocpredict import RocPredictError
from rocpredict.sources import blocks as parts
from rocpredict.sources.table import as_feature_table, split_table_and_labels

NAN = np.nan
X = np.random.default_rng(1).normal(size=(7, 5))


def whole(table, features=None):
    """Give all parts side by side, and check that each says where it belongs."""
    held, place = [], 0
    for where, part in table.iter_blocks(features):
        dense = part.toarray() if scipy.sparse.issparse(part) else part
        assert (where.start, where.stop) == (place, place + dense.shape[1])
        held.append(np.asarray(dense))
        place = where.stop
    return np.concatenate(held, axis=1)


def message_of(*args, take=as_feature_table, **kwargs):
    with pytest.raises(RocPredictError) as caught:
        take(*args, **kwargs)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, np.int8, np.uint64, bool])
@pytest.mark.parametrize("order", ["C", "F"])
def test_an_array_of_numbers_comes_as_it_is(dtype, order):
    """Proves that arrays are one part that shares its memory, with its dtype, and are named x0, x1, ..."""
    array = np.asarray(np.abs(X) * 9, dtype=dtype, order=order)
    table = as_feature_table(array)
    ((where, part),) = table.iter_blocks()
    assert where == slice(0, 5)
    assert part is array
    assert table.names.tolist() == ["x0", "x1", "x2", "x3", "x4"]
    assert (table.n_rows, len(table), table.annotations) == (7, 5, {})
    assert not table.not_numeric.any()


def test_a_memory_map_stays_one(tmp_path):
    np.save(tmp_path / "x.npy", X)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    ((_, part),) = as_feature_table(mapped).iter_blocks()
    assert isinstance(part, np.memmap)
    assert np.shares_memory(part, mapped)


@pytest.mark.parametrize("make", ["csc_array", "csr_array", "csc_matrix", "csr_matrix"])
def test_sparse_stays_sparse_and_itself(make):
    matrix = getattr(scipy.sparse, make)(np.where(X > 0, X, 0))
    table = as_feature_table(matrix, names=list("abcde"))
    ((_, part),) = table.iter_blocks()
    assert part is matrix
    assert (whole(table, [3, 0]) == matrix.toarray()[:, [3, 0]]).all()
    assert all(scipy.sparse.issparse(some) for _, some in table.iter_blocks([3, 0]))


@pytest.mark.parametrize("make", ["coo_array", "lil_matrix", "dok_array"])
def test_other_sparse_forms_become_csc(make):
    matrix = getattr(scipy.sparse, make)(np.where(X > 0, X, 0))
    ((_, part),) = as_feature_table(matrix).iter_blocks()
    assert part.format == "csc"
    assert (part.toarray() == matrix.toarray()).all()


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([[1, 2], [3, 4]], [[1, 2], [3, 4]]),
        ([[1, None], [Decimal("0.5"), True]], [[1, NAN], [0.5, 1]]),
        (np.array([[Fraction(1, 2), None], [2, NAN]], dtype=object), [[0.5, NAN], [2, NAN]]),
        (np.ma.array([[1, 2**60 + 1], [3, 4]], mask=[[0, 1], [0, 0]]), [[1, NAN], [3, 4]]),
        (np.ma.array([[1.0, 2.0]]), [[1, 2]]),
        ({"a": [1, None], "b": np.ma.array([1.5, 2.0], mask=[True, False])}, [[1, NAN], [NAN, 2]]),
        (np.array([[1, 2]], dtype=np.longdouble), [[1, 2]]),
        ([(1, 2), np.array([3, 4])], [[1, 2], [3, 4]]),
    ],
)
def test_what_holds_numbers_becomes_numbers(given, expected):
    np.testing.assert_array_equal(whole(as_feature_table(given)), np.array(expected, dtype=float))


class Labelled:
    """Stand for xarray and the like: it knows how to become an array."""

    def __array__(self, dtype=None, copy=None):
        return X if dtype is None else X.astype(dtype)


def test_what_can_become_an_array():
    assert (whole(as_feature_table(Labelled())) == X).all()


class Elsewhere:
    """Stand for HDF5, zarr and Dask: a part is fetched by slicing, and nobody may ask for all of it."""

    def __init__(self, dtype):
        self.shape, self.ndim, self.dtype, self.chunks = X.shape, 2, np.dtype(dtype), (7, 1)

    def __getitem__(self, key):
        return X[key].astype(self.dtype)

    def __array__(self, dtype=None, copy=None):
        raise AssertionError("all of it was asked for")


def test_integers_that_lie_elsewhere_keep_their_digits():
    class Counts(Elsewhere):
        def __getitem__(self, key):
            return np.full((7, 5), 2**53 + 1)[key]

    with pytest.raises(RocPredictError, match="X holds integers beyond"):
        whole(as_feature_table(Counts(np.int64)))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_what_lies_elsewhere_is_fetched_in_blocks(monkeypatch, dtype):
    monkeypatch.setattr(parts, "BLOCK_BYTES", 2 * 7 * 8)
    table = as_feature_table(Elsewhere(dtype))
    for features in (slice(None), [4, 0], [1, 2], [3]):
        assert (whole(table, features) == X[:, features].astype(dtype)).all()
    assert next(table.iter_blocks())[1].dtype == dtype


DAY = datetime.date(2020, 1, 2)
COLUMNS = {
    "float": [1.5, 2.5],
    "hole": [1.5, None],
    "whole": [1, 2],
    "count": [7, None],
    "truth": [True, None],
    "yes": [True, False],
    "money": [Decimal("1.25"), None],
    "none": [None, None],
    "word": ["a", None],
    "day": [DAY, None],
}
NUMBERS = [[1.5, 1.5, 1, 7, 1, 1, 1.25, NAN, NAN, NAN], [2.5, NAN, 2, NAN, NAN, 0, NAN, NAN, NAN, NAN]]
FRAMES = {
    "pandas": lambda: pd.DataFrame(COLUMNS),
    "pandas nullable": lambda: pd.DataFrame(COLUMNS).convert_dtypes(),
    "pandas Arrow": lambda: pa.table(COLUMNS).to_pandas(types_mapper=pd.ArrowDtype),
    "polars": lambda: pl.DataFrame(COLUMNS),
    "polars lazy": lambda: pl.LazyFrame(COLUMNS),
    "pyarrow": lambda: pa.table(COLUMNS),
    "narwhals": lambda: narwhals.from_native(pl.DataFrame(COLUMNS)),
    "mapping": lambda: COLUMNS,
}


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize("width", [1, 3, 100])
def test_frames_of_every_kind_say_the_same(monkeypatch, kind, width):
    """Proves that nulls are NaN, and booleans and decimals numbers, in blocks of any width; text and dates are told."""
    monkeypatch.setattr(parts, "BLOCK_BYTES", width * 2 * 8)
    table = as_feature_table(FRAMES[kind]())
    assert table.names.tolist() == list(COLUMNS)
    assert table.n_rows == 2
    assert table.not_numeric.tolist() == [False] * 8 + [True, True]
    np.testing.assert_array_equal(whole(table), NUMBERS)
    np.testing.assert_array_equal(whole(table, [8, 3, 0]), np.array(NUMBERS)[:, [8, 3, 0]])
    for _, part in table.iter_blocks():
        assert part.flags.f_contiguous
        assert part.dtype == np.float64
        assert part.shape[1] <= width


def test_a_duckdb_relation():
    """Proves that a relation is asked by blocks, and that its label column goes with its rows."""
    relation = duckdb.sql("select i::double as a, (i * 2)::decimal(9, 2) as b, 'c' || (i % 2) as c from range(5) t(i)")
    table, labels = split_table_and_labels(relation, "c")
    np.testing.assert_array_equal(whole(table), [[i, 2 * i] for i in range(5)])
    assert labels.tolist() == ["c0", "c1", "c0", "c1", "c0"]


@pytest.mark.parametrize("kind", [pl.DataFrame, pl.LazyFrame, pa.table, pd.DataFrame])
def test_float32_stays_float32_beside_text(kind):
    columns = {"a": np.float32([1, 2]), "b": np.float32([3, 4]), "c": ["x", "y"]}
    table = as_feature_table(kind(columns))
    assert {part.dtype.name for _, part in table.iter_blocks()} == {"float32"}
    mixed = as_feature_table(kind(columns | {"d": [1.0, 2.0]}))
    assert {part.dtype.name for _, part in mixed.iter_blocks()} == {"float64"}


def test_categories_durations_and_periods_are_not_numeric():
    frame = pd.DataFrame(
        {
            "x": [1, 2],
            "category": pd.Categorical([1, 2]),
            "duration": pd.to_timedelta([1, 2]),
            "period": pd.period_range("2020", periods=2, freq="D"),
            "moment": pd.to_datetime(["2020-01-01", None]),
        }
    )
    assert as_feature_table(frame).not_numeric.tolist() == [False, True, True, True, True]
    lists = pl.DataFrame({"x": [1, 2], "list": [[1], [2]], "enum": pl.Series(["a", "b"], dtype=pl.Enum(["a", "b"]))})
    assert as_feature_table(lists).not_numeric.tolist() == [False, True, True]


def test_a_frame_that_is_one_array_is_not_copied():
    """Proves that pandas frames of one block come as a view, and others by columns with the same numbers."""
    frame = pd.DataFrame(X, columns=list("abcde"))
    ((_, part),) = as_feature_table(frame).iter_blocks()
    assert np.shares_memory(part, X)
    split = pd.DataFrame({name: X[:, place].copy() for place, name in enumerate("abcde")})
    split["f"] = np.arange(7.0)
    assert (whole(as_feature_table(split)) == np.column_stack([X, np.arange(7)])).all()


def test_a_sparse_pandas_column():
    assert whole(as_feature_table(pd.DataFrame({"a": pd.arrays.SparseArray([0.0, 1.5])}))).tolist() == [[0], [1.5]]


def test_integers_of_128_bits():
    frame = pl.DataFrame({"a": pl.Series([1, 2**100, None], dtype=pl.Int128)})
    np.testing.assert_array_equal(whole(as_feature_table(frame)), [[1], [2.0**100], [NAN]])


@pytest.mark.parametrize("form", [pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.table])
def test_integers_that_would_become_equal_are_refused_when_they_are_read(form):
    table = as_feature_table(
        form(
            {"a": [2**53 + 1, None, 1], "b": [1.0, 2.0, 3.0]}
            if form != pd.DataFrame
            else {"a": pd.array([2**53 + 1, None, 1], dtype="Int64"), "b": [1.0, 2.0, 3.0]}
        )
    )
    with pytest.raises(RocPredictError, match=r"column 'a' holds integers beyond 2\*\*53"):
        whole(table)


def annotated(matrix):
    return anndata.AnnData(
        matrix,
        obs=pd.DataFrame({"kind": list("abababa")}, index=[f"c{i}" for i in range(7)]),
        var=pd.DataFrame({"chromosome": [1, 2, 3, 4, 5]}, index=[f"g{i}" for i in range(5)]),
    )


@pytest.mark.parametrize("make", [np.asarray, scipy.sparse.csr_matrix, scipy.sparse.csc_array])
def test_annotated_data(make):
    table, labels = split_table_and_labels(annotated(make(X)), "kind")
    assert table.names.tolist() == ["g0", "g1", "g2", "g3", "g4"]
    assert table.annotations["chromosome"].tolist() == [1, 2, 3, 4, 5]
    assert labels.tolist() == list("abababa")
    assert (whole(table) == X).all()
    assert table.select([2, 0]).annotations["chromosome"].tolist() == [3, 1]


def test_annotated_data_in_a_file(tmp_path):
    for matrix in (X, scipy.sparse.csr_matrix(X)):
        annotated(matrix).write_h5ad(tmp_path / "x.h5ad")
        backed = anndata.read_h5ad(tmp_path / "x.h5ad", backed="r")
        assert (whole(as_feature_table(backed)) == X).all()
        backed.file.close()


@pytest.mark.parametrize("features", [[0], [4, 1], slice(1, 4), np.array([True, False, True, False, True]), []])
@pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csc_array, pd.DataFrame, lambda x: dict(enumerate(x.T))])
def test_some_of_the_features(features, form):
    """Proves that chosen features come in their order, from tables that were cut down before too."""
    table = as_feature_table(form(X))
    if len(X[0, features]):
        assert (whole(table, features) == X[:, features]).all()
        assert (whole(table.select(features)) == X[:, features]).all()
        assert (whole(table.select([4, 3, 2, 1, 0]), features) == X[:, ::-1][:, features]).all()
    else:
        assert sum(part.shape[1] for _, part in table.iter_blocks(features)) == 0


def test_neighbouring_columns_of_an_array_are_views():
    table, labels = split_table_and_labels(np.column_stack([np.arange(7) % 2, X]), "x0")
    ((_, part),) = table.iter_blocks()
    assert part.base is not None
    assert (part == X).all()
    assert labels.tolist() == [0, 1, 0, 1, 0, 1, 0]


@pytest.mark.parametrize("kind", FRAMES)
def test_a_column_of_labels_is_no_feature(kind):
    table, labels = split_table_and_labels(FRAMES[kind](), "yes")
    assert labels.tolist() == [True, False]
    assert table.names.tolist() == [name for name in COLUMNS if name != "yes"]
    np.testing.assert_array_equal(whole(table), np.delete(NUMBERS, 5, axis=1))


@pytest.mark.parametrize("form", [pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.table])
def test_labels_keep_their_kind(form):
    columns = {"x": [1.0, 2.0], "whole": [3, 4], "word": ["p", "q"], "truth": [True, False], "real": [0.5, 1.0]}
    for name, kind in (("whole", "i"), ("word", "UO"), ("truth", "b"), ("real", "f")):
        _, labels = split_table_and_labels(form(columns), name)
        assert labels.tolist() == columns[name]
        assert labels.dtype.kind in kind


@pytest.mark.parametrize("form", [pd.DataFrame, pl.LazyFrame, dict])
def test_names_are_those_of_the_features_beside_the_labels(form):
    """Proves that the column of labels needs no name: it is found by its own, and the rest are called anew in order."""
    columns = {"a": [1.0, 2.0], "y": ["p", "q"], "b": [3.0, 4.0]}
    table, labels = split_table_and_labels(form(columns), "y", names=["first", "second"])
    assert (table.names.tolist(), labels.tolist()) == (["first", "second"], ["p", "q"])
    assert whole(table).tolist() == [[1, 3], [2, 4]]
    with pytest.raises(RocPredictError, match="feature_names has 3 names and X beside its labels has 2 columns"):
        split_table_and_labels(form(columns), "y", names=["first", "second", "third"])


def test_labels_of_two_kinds_are_no_broken_feature():
    frame = pd.DataFrame({"x": [1, 2], "kind": [1, "unknown"]})
    table, labels = split_table_and_labels(frame, "kind")
    assert (table.names.tolist(), labels.tolist()) == (["x"], [1, "unknown"])
    assert "column 'kind' holds 'unknown' at row 1, which is not a number" in message_of(frame)


def test_names_of_any_kind():
    assert as_feature_table(pd.DataFrame(X)).names.tolist() == ["0", "1", "2", "3", "4"]
    assert as_feature_table(pd.DataFrame({("a", "b"): [1], ("a", "c"): [2]})).names.tolist() == [
        "('a', 'b')",
        "('a', 'c')",
    ]
    assert as_feature_table(X, names=np.arange(5)).names.tolist() == ["0", "1", "2", "3", "4"]
    assert as_feature_table(pd.DataFrame(X), names=list("abcde")).names.tolist() == list("abcde")
    table = as_feature_table(X, names=list("abcde"))
    assert as_feature_table(table) is table
    assert as_feature_table(table.select([1, 2]), names=["p", "q"]).names.tolist() == ["p", "q"]
    assert (whole(as_feature_table(table.select([1, 2]), names=["p", "q"])) == X[:, 1:3]).all()


REFUSED = {
    "one axis": (X[:, 0], "X has shape (7,); give a table of shape (n, features); X[:, None] makes a table of one"),
    "a series": (pd.Series([1, 2]), "X[:, None] makes a table of one feature"),
    "three axes": (np.ones((2, 2, 2)), "X has shape (2, 2, 2); give a table of shape (n, features)"),
    "no axes": (np.array(3), "X has shape (); give a table"),
    "no rows": (np.ones((0, 2)), "X has shape (0, 2): no rows"),
    "no columns": (np.ones((2, 0)), "X has shape (2, 0): no columns"),
    "a frame without rows": (pl.DataFrame({"a": []}), "X has shape (0, 1): no rows"),
    "a frame without columns": (pd.DataFrame(), "X has no columns"),
    "an empty mapping": ({}, "X has no columns"),
    "an empty list": ([], "X is empty"),
    "ragged": ([[1, 2], [3, 4], [5]], "X is ragged: row 2 has 1 values where row 0 has 2"),
    "columns of different lengths": ({"a": [1], "b": [1, 2]}, "'a' has 1 rows, 'b' 2"),
    "complex": (X * 1j, "X holds complex numbers; real numbers are needed"),
    "a complex column": (pd.DataFrame({"a": [1], "b": [1j]}), "column 'b' holds complex numbers"),
    "sparse complex": (scipy.sparse.csc_array(X * 1j), "X is a sparse matrix of complex128; real numbers are needed"),
    "sparse, no rows": (scipy.sparse.csc_array((0, 3)), "X has shape (0, 3): no rows"),
    "text": (np.array([["1", "a"]]), "X has no column of numbers; all 2 hold text, dates or other things: 'x0', 'x1'"),
    "one text": (pl.DataFrame({"a": ["x"]}), "X has no column of numbers; its one column holds text"),
    "text among numbers": ([[1, 2], ["x", 3]], "column 'x0' holds 'x' at row 1, which is not a number, among numbers"),
    "lost digits": ([[2**53 + 1, None]], "column 'x0' holds integers beyond 2**53"),
    "records": (np.zeros(2, dtype=[("a", float)]), "X holds records"),
    "two names": (pd.DataFrame([[1, 2, 3]], columns=["a", "a", "b"]), "X has the column name 'a' twice"),
    "three names": (pa.table([[1], [2], [3]], names=["a", "a", "a"]), "X has the column name 'a' 3 times"),
    "1 and '1'": (pd.DataFrame([[1, 2]], columns=[1, "1"]), "X has the column names '1' and 1, which are the same as"),
    "a path": ("table.csv", "X='table.csv' is not a table"),
    "nothing": (None, "X=None is not a table"),
    "a number": (3, "X=3 is not a table"),
    "an iterator": (iter([1]), "is not a table"),
    "a number for a column": ({"a": 3}, "X['a']=3 is not a column"),
    "a table for a column": ({"a": X}, "X['a'] has shape (7, 5)"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_table(case):
    given, words = REFUSED[case]
    assert words in message_of(given)


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["a"], "feature_names has 1 names and X has 5 columns; give one for each"),
        ("abcde", "feature_names='abcde' is not a list of names"),
        (3, "feature_names=3 is not a list of names"),
        (list("aabbc"), "X has the column name 'a' twice, the column name 'b' twice; features need different names"),
    ],
)
def test_names_that_do_not_fit(names, words):
    assert words in message_of(X, names=names)


@pytest.mark.parametrize(
    ("given", "y", "words"),
    [
        (X, np.zeros(6), "X has 7 rows and y has 6; they must have as many"),
        (X, "label", "y='label' is not a column of X; columns are 'x0', 'x1', 'x2', 'x3', 'x4'"),
        (pl.DataFrame({f"c{i}": [1] for i in range(12)}), "q", "'c9', ... (12 in all)"),
        (annotated(X), "batch", "y='batch' is not a column of X.obs; columns are 'kind'"),
        (X, None, "y=None is not an array"),
        (X, X, "y has shape (7, 5); give one label for each row"),
        (pl.DataFrame({"a": [1, 2], "y": ["p", None]}), "y", "y has 1 missing (NaN) of 2, at rows 1"),
        (pl.DataFrame({"y": ["p", "q"]}), "y", "X has no column beside the labels"),
        (
            pl.DataFrame({"a": ["x", "y"], "y": ["p", "q"]}),
            "y",
            "X has no column of numbers; its one column holds text",
        ),
    ],
)
def test_labels_that_do_not_fit(given, y, words):
    assert words in message_of(given, y, take=split_table_and_labels)


def test_frames_without_narwhals(monkeypatch):
    monkeypatch.setitem(sys.modules, "narwhals", None)
    assert message_of(pd.DataFrame(X)) == "a pandas DataFrame needs narwhals: pip install 'rocpredict[frames]'"
    assert whole(as_feature_table({"a": [1, 2]})).tolist() == [[1], [2]]


def test_a_table_says_what_it_is():
    assert repr(as_feature_table(X)) == "FeatureTable(7 rows, 5 features: 'x0', 'x1', 'x2', ...)"
    assert re.search(r"2 not numeric\)$", repr(as_feature_table(COLUMNS)))
