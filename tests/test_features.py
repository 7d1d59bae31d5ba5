"""Validation of tables: accepted tables, which remain unchanged, and the messages for others."""

import datetime
import sys
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse

from rocpredict import RocPredictError
from rocpredict.sources import blocks as parts
from rocpredict.sources.table import as_feature_table, split_table_and_labels
from tests.cases import optional, refusal, refuses

anndata, duckdb, narwhals, pd, pl, pa = map(optional, ("anndata", "duckdb", "narwhals", "pandas", "polars", "pyarrow"))
NAN = np.nan
X = np.random.default_rng(1).normal(size=(7, 5))


def whole(table, features=None):
    """Return all blocks as one array, and check the columns that each states."""
    arrays, start = [], 0
    for columns, part in table.iter_blocks(features):
        dense = part.toarray() if scipy.sparse.issparse(part) else part
        assert (columns.start, columns.stop) == (start, start + dense.shape[1])
        arrays.append(np.asarray(dense))
        start = columns.stop
    return np.concatenate(arrays, axis=1)


def message_of(*args, take=as_feature_table, **kwargs):
    return refusal(take, *args, **kwargs)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, np.int8, np.uint64, bool])
def test_an_array_of_numbers_is_not_copied(dtype):
    for order in ("C", "F"):
        array = np.asarray(np.abs(X) * 9, dtype=dtype, order=order)
        table = as_feature_table(array)
        ((columns, part),) = table.iter_blocks()
        assert columns == slice(0, 5)
        assert part is array
        assert table.names.tolist() == ["x0", "x1", "x2", "x3", "x4"]
        assert (table.n_rows, len(table), table.annotations) == (7, 5, {})
        assert not table.not_numeric.any()


@pytest.mark.extra("pandas")
def test_a_memory_map_and_a_frame_of_one_block_are_not_copied(tmp_path):
    np.save(tmp_path / "x.npy", X)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    ((_, part),) = as_feature_table(mapped).iter_blocks()
    assert isinstance(part, np.memmap)
    assert np.shares_memory(part, mapped)
    ((_, part),) = as_feature_table(pd.DataFrame(X, columns=list("abcde"))).iter_blocks()
    assert np.shares_memory(part, X)
    split = pd.DataFrame({name: X[:, place].copy() for place, name in enumerate("abcde")})
    split["f"] = np.arange(7.0)
    assert (whole(as_feature_table(split)) == np.column_stack([X, np.arange(7)])).all()


def test_sparse_matrices_stay_sparse_and_other_forms_become_csc():
    dense = np.where(X > 0, X, 0)
    for make in ("csc_array", "csr_array", "csc_matrix", "csr_matrix"):
        matrix = getattr(scipy.sparse, make)(dense)
        table = as_feature_table(matrix, names=list("abcde"))
        ((_, part),) = table.iter_blocks()
        assert part is matrix
        assert (whole(table, [3, 0]) == dense[:, [3, 0]]).all()
        assert all(scipy.sparse.issparse(block) for _, block in table.iter_blocks([3, 0]))
    for make in ("coo_array", "lil_matrix", "dok_array"):
        ((_, part),) = as_feature_table(getattr(scipy.sparse, make)(dense)).iter_blocks()
        assert part.format == "csc"
        assert (part.toarray() == dense).all()


class Labelled:
    """Object that converts to an array, like those of xarray."""

    def __array__(self, dtype=None, copy=None):
        return X if dtype is None else X.astype(dtype)


@pytest.mark.extra("pandas", "polars")
def test_tables_of_numbers_become_floats():
    sparse_column = pd.DataFrame({"a": pd.arrays.SparseArray([0.0, 1.5])})
    long_integers = pl.DataFrame({"a": pl.Series([1, 2**100, None], dtype=pl.Int128)})
    for table, expected in (
        ([[1, 2], [3, 4]], [[1, 2], [3, 4]]),
        ([[1, None], [Decimal("0.5"), True]], [[1, NAN], [0.5, 1]]),
        (np.array([[Fraction(1, 2), None], [2, NAN]], dtype=object), [[0.5, NAN], [2, NAN]]),
        (np.ma.array([[1, 2**60 + 1], [3, 4]], mask=[[0, 1], [0, 0]]), [[1, NAN], [3, 4]]),
        (np.ma.array([[1.0, 2.0]]), [[1, 2]]),
        ({"a": [1, None], "b": np.ma.array([1.5, 2.0], mask=[True, False])}, [[1, NAN], [NAN, 2]]),
        (np.array([[1, 2]], dtype=np.longdouble), [[1, 2]]),
        ([(1, 2), np.array([3, 4])], [[1, 2], [3, 4]]),
        (sparse_column, [[0], [1.5]]),
        (long_integers, [[1], [2.0**100], [NAN]]),
        (Labelled(), X),
    ):
        np.testing.assert_array_equal(whole(as_feature_table(table)), np.array(expected, dtype=float))


class Elsewhere:
    """Array that is read by slices only, like those of HDF5, zarr and Dask."""

    def __init__(self, dtype):
        self.shape, self.ndim, self.dtype, self.chunks = X.shape, 2, np.dtype(dtype), (7, 1)

    def __getitem__(self, key):
        return X[key].astype(self.dtype)

    def __array__(self, dtype=None, copy=None):
        raise AssertionError("the whole array was read")


def test_an_array_that_lies_elsewhere_is_read_in_blocks(monkeypatch):
    monkeypatch.setattr(parts, "BLOCK_BYTES", 2 * 7 * 8)
    for dtype in (np.float64, np.float32):
        table = as_feature_table(Elsewhere(dtype))
        for features in (slice(None), [4, 0], [1, 2], [3]):
            assert (whole(table, features) == X[:, features].astype(dtype)).all()
        assert next(table.iter_blocks())[1].dtype == dtype
    monkeypatch.setattr(Elsewhere, "__getitem__", lambda _, key: np.full((7, 5), 2**53 + 1)[key])
    refuses("X contains integers beyond", lambda: whole(as_feature_table(Elsewhere(np.int64))))


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
FORMS = (pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.table) if pd else ()
NUMBERS = [[1.5, 1.5, 1, 7, 1, 1, 1.25, NAN, NAN, NAN], [2.5, NAN, 2, NAN, NAN, 0, NAN, NAN, NAN, NAN]]
FRAMES = {"mapping": lambda: COLUMNS}
if pd:
    FRAMES |= {
        "pandas": lambda: pd.DataFrame(COLUMNS),
        "pandas nullable": lambda: pd.DataFrame(COLUMNS).convert_dtypes(),
        "pandas Arrow": lambda: pa.table(COLUMNS).to_pandas(types_mapper=pd.ArrowDtype),
        "polars": lambda: pl.DataFrame(COLUMNS),
        "polars lazy": lambda: pl.LazyFrame(COLUMNS),
        "pyarrow": lambda: pa.table(COLUMNS),
        "narwhals": lambda: narwhals.from_native(pl.DataFrame(COLUMNS)),
    }


@pytest.mark.parametrize("kind", FRAMES)
def test_frames_of_every_kind_are_equal(monkeypatch, kind):
    """Nulls are NaN, booleans and decimals are numbers, in blocks of any width; text and dates are marked."""
    for width in (1, 3, 100):
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
    table, labels = split_table_and_labels(FRAMES[kind](), "yes")
    assert labels.tolist() == [True, False]
    assert table.names.tolist() == [name for name in COLUMNS if name != "yes"]
    np.testing.assert_array_equal(whole(table), np.delete(NUMBERS, 5, axis=1))


@pytest.mark.extra("duckdb")
def test_relations_and_float32():
    """A relation is read by blocks, with its labels in the order of its rows; float32 is kept next to text."""
    relation = duckdb.sql("select i::double as a, (i * 2)::decimal(9, 2) as b, 'c' || (i % 2) as c from range(5) t(i)")
    table, labels = split_table_and_labels(relation, "c")
    np.testing.assert_array_equal(whole(table), [[i, 2 * i] for i in range(5)])
    assert labels.tolist() == ["c0", "c1", "c0", "c1", "c0"]
    columns = {"a": np.float32([1, 2]), "b": np.float32([3, 4]), "c": ["x", "y"]}
    for form in FORMS:
        for frame, dtype in ((form(columns), "float32"), (form(columns | {"d": [1.0, 2.0]}), "float64")):
            assert {part.dtype.name for _, part in as_feature_table(frame).iter_blocks()} == {dtype}, form


@pytest.mark.extra("pandas", "polars")
def test_categories_durations_and_periods_are_not_numeric():
    columns = {"x": [1, 2], "category": pd.Categorical([1, 2]), "duration": pd.to_timedelta([1, 2])}
    columns |= {"period": pd.period_range("2020", periods=2), "moment": pd.to_datetime(["2020-01-01", None])}
    assert as_feature_table(pd.DataFrame(columns)).not_numeric.tolist() == [False, True, True, True, True]
    lists = pl.DataFrame({"x": [1, 2], "list": [[1], [2]], "enum": pl.Series(["a", "b"], dtype=pl.Enum(["a", "b"]))})
    assert as_feature_table(lists).not_numeric.tolist() == [False, True, True]


@pytest.mark.extra("pandas")
def test_integers_that_would_become_equal_are_refused_when_they_are_read():
    integers = [2**53 + 1, None, 1]
    for form in FORMS:
        cells = pd.array(integers, dtype="Int64") if form is pd.DataFrame else integers
        table = as_feature_table(form({"a": cells, "b": [1.0, 2.0, 3.0]}))
        refuses(r"column 'a' contains integers beyond 2\*\*53", whole, table)


def annotated(matrix):
    return anndata.AnnData(
        matrix,
        obs=pd.DataFrame({"kind": list("abababa")}, index=[f"c{i}" for i in range(7)]),
        var=pd.DataFrame({"chromosome": [1, 2, 3, 4, 5]}, index=[f"g{i}" for i in range(5)]),
    )


@pytest.mark.extra("anndata", "pandas")
def test_annotated_data(tmp_path):
    for make in (np.asarray, scipy.sparse.csr_matrix, scipy.sparse.csc_array):
        table, labels = split_table_and_labels(annotated(make(X)), "kind")
        assert table.names.tolist() == ["g0", "g1", "g2", "g3", "g4"]
        assert table.annotations["chromosome"].tolist() == [1, 2, 3, 4, 5]
        assert labels.tolist() == list("abababa")
        assert (whole(table) == X).all()
        assert table.select([2, 0]).annotations["chromosome"].tolist() == [3, 1]
        if make is not scipy.sparse.csc_array:
            annotated(make(X)).write_h5ad(tmp_path / "x.h5ad")
            backed = anndata.read_h5ad(tmp_path / "x.h5ad", backed="r")
            assert (whole(as_feature_table(backed)) == X).all()
            backed.file.close()


@pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csc_array, lambda x: dict(enumerate(x.T)), *FORMS[:1]])
def test_chosen_features_are_in_their_order(form):
    """Also of a table whose features were chosen before; no feature at all gives no column."""
    table = as_feature_table(form(X))
    for features in ([0], [4, 1], slice(1, 4), np.array([True, False, True, False, True])):
        assert (whole(table, features) == X[:, features]).all()
        assert (whole(table.select(features)) == X[:, features]).all()
        assert (whole(table.select([4, 3, 2, 1, 0]), features) == X[:, ::-1][:, features]).all()
    assert sum(part.shape[1] for _, part in table.iter_blocks([])) == 0


def test_labels_of_an_array_are_no_feature():
    table, labels = split_table_and_labels(np.column_stack([np.arange(7) % 2, X]), "x0")
    ((_, part),) = table.iter_blocks()
    assert part.base is not None
    assert (part == X).all()
    assert labels.tolist() == [0, 1, 0, 1, 0, 1, 0]


@pytest.mark.extra("pandas", "polars")
def test_labels_in_frames():
    """They keep their kind, and need no name among given names of features."""
    frame = pd.DataFrame({"x": [1, 2], "kind": [1, "unknown"]})
    table, labels = split_table_and_labels(frame, "kind")
    assert (table.names.tolist(), labels.tolist()) == (["x"], [1, "unknown"])
    assert "column 'kind' contains 'unknown' at row 1, which is not a number" in message_of(frame)
    columns = {"x": [1.0, 2.0], "whole": [3, 4], "word": ["p", "q"], "truth": [True, False], "real": [0.5, 1.0]}
    for form in FORMS:
        for name, kind in (("whole", "i"), ("word", "UO"), ("truth", "b"), ("real", "f")):
            _, labels = split_table_and_labels(form(columns), name)
            assert labels.tolist() == columns[name], form
            assert labels.dtype.kind in kind, form
    columns = {"a": [1.0, 2.0], "y": ["p", "q"], "b": [3.0, 4.0]}
    for form in (pd.DataFrame, pl.LazyFrame, dict):
        table, labels = split_table_and_labels(form(columns), "y", names=["first", "second"])
        assert (table.names.tolist(), labels.tolist()) == (["first", "second"], ["p", "q"])
        assert whole(table).tolist() == [[1, 3], [2, 4]]
        with pytest.raises(RocPredictError, match="feature_names has 3 names and X without its labels has 2 columns"):
            split_table_and_labels(form(columns), "y", names=["first", "second", "third"])


@pytest.mark.extra("pandas")
def test_names_repr_and_a_missing_narwhals(monkeypatch):
    assert as_feature_table(pd.DataFrame(X)).names.tolist() == ["0", "1", "2", "3", "4"]
    pairs = as_feature_table(pd.DataFrame({("a", "b"): [1], ("a", "c"): [2]}))
    assert pairs.names.tolist() == ["('a', 'b')", "('a', 'c')"]
    assert as_feature_table(X, names=np.arange(5)).names.tolist() == ["0", "1", "2", "3", "4"]
    assert as_feature_table(pd.DataFrame(X), names=list("abcde")).names.tolist() == list("abcde")
    table = as_feature_table(X, names=list("abcde"))
    assert as_feature_table(table) is table
    assert as_feature_table(table.select([1, 2]), names=["p", "q"]).names.tolist() == ["p", "q"]
    assert (whole(as_feature_table(table.select([1, 2]), names=["p", "q"])) == X[:, 1:3]).all()
    assert repr(as_feature_table(X)) == "FeatureTable(7 rows, 5 features: 'x0', 'x1', 'x2', ...)"
    assert repr(as_feature_table(COLUMNS)).endswith("2 not numeric)")
    monkeypatch.setitem(sys.modules, "narwhals", None)
    assert message_of(pd.DataFrame(X)) == "a pandas DataFrame needs narwhals: pip install 'rocpredict[frames]'"
    assert whole(as_feature_table({"a": [1, 2]})).tolist() == [[1], [2]]


REFUSED = {
    "X has shape (7,); pass a table of shape (n, features); X[:, None] makes a table of one": X[:, 0],
    "X has shape (2, 2, 2); pass a table of shape (n, features)": np.ones((2, 2, 2)),
    "X has shape (); pass a table": np.array(3),
    "X has shape (0, 2) and no rows": np.ones((0, 2)),
    "X has shape (2, 0) and no columns": np.ones((2, 0)),
    "X has no columns": {},
    "X is empty": [],
    "X is ragged: row 2 has 1 value, but row 0 has 2": [[1, 2], [3, 4], [5]],
    "'a' has 1 rows, and 'b' has 2": {"a": [1], "b": [1, 2]},
    "X contains complex numbers; real numbers are needed": X * 1j,
    "X is a sparse matrix with dtype complex128; real numbers are needed": scipy.sparse.csc_array(X * 1j),
    "X has shape (0, 3) and no rows": scipy.sparse.csc_array((0, 3)),
    "X has no numeric column; all 2 columns hold text, dates or other objects: 'x0', 'x1'; 'x0' contains '1'; pass": (
        np.array([["1", "a"]])
    ),
    "column 'x0' contains '7%' at row 1, which is not a number (write a decimal point, no thousands separator and no "
    "unit); correct it": [[1, 2], ["7%", 3]],
    "column 'x0' contains 'x' at row 1, which is not a number": [[1, 2], ["x", 3]],
    "column 'x0' contains integers beyond 2**53": [[2**53 + 1, None]],
    "X is an array of records": np.zeros(2, dtype=[("a", float)]),
    "X='table.csv' is not a table": "table.csv",
    "X=None is not a table": None,
    "X=3 is not a table": 3,
    "is not a table": iter([1]),
    "X['a']=3 is not a column": {"a": 3},
    "X['a'] has shape (7, 5)": {"a": X},
}
if pd:
    REFUSED |= {
        "X[:, None] makes a table of one feature": pd.Series([1, 2]),
        "X has shape (0, 1) and no rows": pl.DataFrame({"a": []}),
        "X has no columns; pass at least one feature": pd.DataFrame(),
        "column 'b' contains complex numbers": pd.DataFrame({"a": [1], "b": [1j]}),
        "X has no numeric column; its only column holds text, dates or other objects: 'a'; 'a' contains '1.100,5' "
        "(write a decimal point, no thousands separator and no unit); pass a numeric column": pl.DataFrame(
            {"a": ["1.100,5"]}
        ),
        "X has the column name 'a' twice": pd.DataFrame([[1, 2, 3]], columns=["a", "a", "b"]),
        "X has the column name 'a' 3 times": pa.table([[1], [2], [3]], names=["a", "a", "a"]),
        "X has the column names '1' and 1, which are identical": pd.DataFrame([[1, 2]], columns=[1, "1"]),
    }
REFUSED_NAMES = {
    "feature_names has 1 name and X has 5 columns; pass one name for each column": ["a"],
    "feature_names='abcde' is not a list of names": "abcde",
    "feature_names=3 is not a list of names": 3,
    "X has the column name 'a' twice, the column name 'b' twice; column names must be unique": list("aabbc"),
}
REFUSED_LABELS = {
    "X has 7 rows and y has 6; both must have the same length": (X, np.zeros(6)),
    "y='label' is not a column of X; columns are 'x0', 'x1', 'x2', 'x3', 'x4'": (X, "label"),
    "y=None is not an array": (X, None),
    "y has shape (7, 5); pass an array of shape (n,) with one label for each row": (X, X),
}
if pd:
    REFUSED_LABELS |= {
        "'c9', ... (12 in all)": (pl.DataFrame({f"c{i}": [1] for i in range(12)}), "q"),
        "y='batch' is not a column of X.obs; columns are 'kind'": (annotated(X), "batch"),
        "y has missing values (NaN) in 1 of 2 rows: 1": (pl.DataFrame({"a": [1, 2], "y": ["p", None]}), "y"),
        "X has no column other than the labels": (pl.DataFrame({"y": ["p", "q"]}), "y"),
        "its only column holds text": (pl.DataFrame({"a": ["x", "y"], "y": ["p", "q"]}), "y"),
    }


def test_refused_tables_names_and_labels():
    messages = {words: message_of(table) for words, table in REFUSED.items()}
    messages |= {words: message_of(X, names=names) for words, names in REFUSED_NAMES.items()}
    messages |= {words: message_of(*args, take=split_table_and_labels) for words, args in REFUSED_LABELS.items()}
    assert len(messages) == len(REFUSED) + len(REFUSED_NAMES) + len(REFUSED_LABELS)
    assert {words: message for words, message in messages.items() if words not in message} == {}
