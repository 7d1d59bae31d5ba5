"""Every form of x and y in every public function of (x, y): the same result, or one clear message."""

import array
import collections
import datetime
import decimal
import enum
import fractions
import itertools
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import rocpredict as rp
from rocpredict.base.validation import RocPredictError
from rocpredict.cli import main
from tests.cases import optional, refuses

anndata, duckdb, nw, pd, pl, pa = map(optional, ("anndata", "duckdb", "narwhals", "pandas", "polars", "pyarrow"))
N = 24
VALUES = (np.random.default_rng(16).permutation(N) // 2 + 6 * (np.arange(N) % 3 == 0)).tolist()
LABELS = (np.arange(N) % 3 == 0).astype(int).tolist()
NAMES = ["sick" if label else "well" for label in LABELS]
DAYS = [datetime.date(2024, 1, 1 + label) for label in LABELS]
SECOND = np.random.default_rng(17).normal(size=N)


class Color(enum.Enum):
    """Labels that are neither text nor numbers."""

    RED = 0
    BLUE = 1


class Level(enum.IntEnum):
    """Labels that are numbers."""

    LOW = 0
    HIGH = 1


class Wrapper:
    """Object that NumPy reads by ``__array__``."""

    def __init__(self, values: Any) -> None:
        self.values = values

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.array(self.values, dtype=dtype)


class Items:
    """Sequence by ``__len__`` and ``__getitem__`` alone."""

    def __init__(self, values: Any) -> None:
        self.values = values

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, index: int) -> Any:
        return self.values[index]


def _objects(values: list[Any]) -> np.ndarray:
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column


def _frozen(values: list[Any]) -> np.ndarray:
    column = np.array(values)
    column.flags.writeable = False
    return column


def _with(values: list[Any], item: Any) -> list[Any]:
    return [item, *values[1:]]


FLOATS = [float(value) for value in VALUES]
X_SAME = {
    "list": lambda: VALUES,
    "list of floats": lambda: FLOATS,
    "tuple": lambda: tuple(VALUES),
    "deque": lambda: collections.deque(VALUES),
    "array.array": lambda: array.array("d", FLOATS),
    "memoryview": lambda: memoryview(array.array("d", FLOATS)),
    "dict values": lambda: dict(enumerate(VALUES)).values(),
    "int8": lambda: np.array(VALUES, np.int8),
    "uint64": lambda: np.array(VALUES, np.uint64),
    "int64": lambda: np.array(VALUES),
    "float16": lambda: np.array(VALUES, np.float16),
    "float32": lambda: np.array(VALUES, np.float32),
    "float64": lambda: np.array(VALUES, np.float64),
    "longdouble": lambda: np.array(VALUES, np.longdouble),
    "big-endian": lambda: np.array(VALUES, ">f8"),
    "strided": lambda: np.repeat(VALUES, 3)[::3],
    "reversed view": lambda: np.array(VALUES[::-1])[::-1],
    "read only": lambda: _frozen(VALUES),
    "objects": lambda: _objects(VALUES),
    "objects of several types": lambda: _objects([float(v) if k % 2 else v for k, v in enumerate(VALUES)]),
    "Decimal": lambda: [decimal.Decimal(v) for v in VALUES],
    "Fraction": lambda: [fractions.Fraction(v) for v in VALUES],
    "masked without mask": lambda: np.ma.masked_array(VALUES, mask=False),
    "subclass": lambda: np.array(VALUES).view(np.recarray),
    "__array__": lambda: Wrapper(VALUES),
}
if pd:
    X_SAME |= {
        "pandas": lambda: pd.Series(VALUES),
        "pandas float32": lambda: pd.Series(VALUES, dtype="float32"),
        "pandas Int64": lambda: pd.Series(VALUES, dtype="Int64"),
        "pandas Float64": lambda: pd.Series(VALUES, dtype="Float64"),
        "pandas pyarrow": lambda: pd.Series(VALUES, dtype="int64[pyarrow]"),
        "pandas category": lambda: pd.Series(VALUES, dtype="category"),
        "pandas object": lambda: pd.Series(VALUES, dtype=object),
        "pandas Index": lambda: pd.Index(VALUES),
        "pandas array": lambda: pd.array(VALUES),
        "pandas named rows": lambda: pd.Series(VALUES, index=[f"r{k}" for k in range(N)]),
        "pandas equal index twice": lambda: pd.Series(VALUES, index=[0] * N),
        "polars": lambda: pl.Series(VALUES),
        "polars Float32": lambda: pl.Series(VALUES, dtype=pl.Float32),
        "polars Decimal": lambda: pl.Series([decimal.Decimal(v) for v in VALUES]),
        "pyarrow": lambda: pa.array(VALUES),
        "pyarrow chunked": lambda: pa.chunked_array([VALUES[:5], VALUES[5:]]),
        "narwhals": lambda: nw.from_native(pl.Series(VALUES), series_only=True),
    }
X_ITERATORS = {
    "generator": lambda: (value for value in VALUES),
    "iterator": lambda: iter(VALUES),
    "map": lambda: map(float, VALUES),
    "chain": lambda: itertools.chain(VALUES[:3], VALUES[3:]),
}
X_WRONG = {
    "None": lambda: None,
    "items without an iterator": lambda: Items(VALUES),
    "number": lambda: 3.0,
    "text": lambda: "x",
    "bytes": lambda: b"x",
    "empty": list,
    "set": lambda: set(VALUES),
    "mapping": lambda: dict(enumerate(VALUES)),
    "0-d": lambda: np.array(3.0),
    "shape (1, n)": lambda: np.array([VALUES]),
    "ragged": lambda: [[1.0, 2.0], [3.0]] * (N // 2),
    "text numbers": lambda: [str(v) for v in VALUES],
    "text array": lambda: np.array([str(v) for v in VALUES]),
    "one text": lambda: _with(VALUES, "high"),
    "complex": lambda: np.array(VALUES) * 1j,
    "dates": lambda: np.array(DAYS, "M8[D]"),
    "durations": lambda: np.array(VALUES, "m8[s]"),
    "records": lambda: np.array([(v, v) for v in VALUES], dtype=[("a", float), ("b", float)]),
    "objects of no number": lambda: _objects([object()] * N),
    "None among": lambda: _with(VALUES, None),
    "NaN among": lambda: _with(VALUES, np.nan),
    "masked": lambda: np.ma.masked_array(VALUES, mask=_with([False] * N, True)),
    "Decimal sNaN": lambda: _with(VALUES, decimal.Decimal("sNaN")),
    "too large integer": lambda: _with(VALUES, 2**53 + 1),
    "huge integer": lambda: _with(VALUES, 10**400),
    "sparse": lambda: sparse.csr_array(np.array(VALUES)[:, None]),
    "too short": lambda: VALUES[:-1],
    "too long": lambda: [*VALUES, 1.0],
    "function": lambda: len,
    "type": lambda: float,
}
if pd:
    X_WRONG |= {
        "pandas dates": lambda: pd.Series(pd.to_datetime(DAYS)),
        "NA among": lambda: pd.Series(_with(VALUES, pd.NA), dtype="Int64"),
        "null among": lambda: pl.Series(_with(VALUES, None)),
        "LazyFrame": lambda: pl.LazyFrame({"x": VALUES}),
        "relation": lambda: duckdb.sql("select 1.0 as x"),
    }
"""Each is refused where x is one feature."""
MISSING = {"None among", "NaN among", "NA among", "null among", "masked"}
"""Of these, the forms that a table may hold: screening leaves missing values out feature by feature."""
Y_SAME: dict[str, tuple[Any, Any]] = {
    "list": (lambda: LABELS, None),
    "tuple": (lambda: tuple(LABELS), None),
    "deque": (lambda: collections.deque(LABELS), None),
    "array.array": (lambda: array.array("b", LABELS), None),
    "int8": (lambda: np.array(LABELS, np.int8), None),
    "uint8": (lambda: np.array(LABELS, np.uint8), None),
    "float": (lambda: np.array(LABELS, float), None),
    "float32": (lambda: np.array(LABELS, np.float32), None),
    "bool": (lambda: np.array(LABELS, bool), None),
    "list of bool": (lambda: [bool(label) for label in LABELS], None),
    "minus one and one": (lambda: [2 * label - 1 for label in LABELS], None),
    "objects": (lambda: _objects(LABELS), None),
    "object booleans": (lambda: _objects([bool(label) for label in LABELS]), None),
    "read only": (lambda: _frozen(LABELS), None),
    "strided": (lambda: np.repeat(LABELS, 2)[::2], None),
    "masked without mask": (lambda: np.ma.masked_array(LABELS, mask=False), None),
    "__array__": (lambda: Wrapper(LABELS), None),
    "IntEnum": (lambda: [Level(label) for label in LABELS], None),
    "text": (lambda: NAMES, "sick"),
    "text array": (lambda: np.array(NAMES), "sick"),
    "text objects": (lambda: _objects(NAMES), "sick"),
    "NumPy strings": (lambda: np.array(NAMES, dtype=np.dtypes.StringDType()), "sick"),
    "bytes": (lambda: [name.encode() for name in NAMES], b"sick"),
    "text that ends in NUL": (lambda: _objects(["a\0" if label else "a" for label in LABELS]), "a\0"),
    "list with NUL": (lambda: ["a" if label else "a\0" for label in LABELS], "a"),
    "bytes with NUL": (lambda: _objects([b"a\0" if label else b"a" for label in LABELS]), b"a\0"),
    "empty text": (lambda: ["" if label else "a" for label in LABELS], ""),
    "Enum": (lambda: [Color(label) for label in LABELS], Color.BLUE),
    "dates": (lambda: DAYS, DAYS[0]),
    "NumPy days": (lambda: np.array(DAYS, "M8[D]"), DAYS[0]),
    "NumPy nanoseconds": (lambda: np.array(DAYS, "M8[ns]"), np.datetime64(DAYS[0], "ns")),
    "Decimal": (lambda: [decimal.Decimal(label) for label in LABELS], decimal.Decimal(1)),
    "numbers beyond 2**53": (lambda: [2**53 + label for label in LABELS], 2**53 + 1),
    "two kinds": (lambda: _objects([1 if label else "0" for label in LABELS]), 1),
}
if pd:
    Y_SAME |= {
        "pandas": (lambda: pd.Series(LABELS), None),
        "pandas bool": (lambda: pd.Series(LABELS, dtype=bool), None),
        "pandas Int64": (lambda: pd.Series(LABELS, dtype="Int64"), None),
        "pandas boolean": (lambda: pd.Series(LABELS, dtype="boolean"), None),
        "pandas Index": (lambda: pd.Index(LABELS), None),
        "pandas named rows": (lambda: pd.Series(LABELS, index=[f"r{k}" for k in range(N)]), None),
        "polars": (lambda: pl.Series(LABELS), None),
        "polars Boolean": (lambda: pl.Series([bool(label) for label in LABELS]), None),
        "pyarrow": (lambda: pa.array(LABELS), None),
        "pyarrow chunked": (lambda: pa.chunked_array([LABELS[:5], LABELS[5:]]), None),
        "narwhals": (lambda: nw.from_native(pl.Series(LABELS), series_only=True), None),
        "pandas text": (lambda: pd.Series(NAMES), "sick"),
        "pandas string": (lambda: pd.Series(NAMES, dtype="string"), "sick"),
        "pandas category": (lambda: pd.Series(NAMES, dtype="category"), "sick"),
        "pandas Categorical": (lambda: pd.Categorical(NAMES, ["sick", "well", "unused"]), "sick"),
        "polars text": (lambda: pl.Series(NAMES), "sick"),
        "polars Categorical": (lambda: pl.Series(NAMES, dtype=pl.Categorical), "sick"),
        "pyarrow text": (lambda: pa.array(NAMES), "sick"),
        "pyarrow dictionary": (lambda: pa.array(NAMES).dictionary_encode(), "sick"),
        "pandas times": (lambda: pd.Series(pd.to_datetime(DAYS)), pd.Timestamp(DAYS[0])),
        "polars dates": (lambda: pl.Series(DAYS), DAYS[0]),
    }
Y_ITERATORS = {"generator": (lambda: (label for label in LABELS), None), "iterator": (lambda: iter(NAMES), "sick")}
Y_WRONG: dict[str, tuple[Any, Any]] = {
    "number": (lambda: 1, None),
    "missing column": (lambda: "outcome", None),
    "bytes alone": (lambda: b"outcome", None),
    "empty": (list, None),
    "set": (lambda: {0, 1}, None),
    "mapping": (lambda: dict(enumerate(LABELS)), None),
    "one class": (lambda: [1] * N, None),
    "shape (n, 1)": (lambda: np.array(LABELS)[:, None], None),
    "one-hot": (lambda: np.eye(2)[LABELS], None),
    "pairs": (lambda: [(label, label) for label in LABELS], None),
    "ragged": (lambda: [[0], [0, 1]] * (N // 2), None),
    "None among": (lambda: _with(LABELS, None), None),
    "NaN among": (lambda: _with(LABELS, np.nan), None),
    "masked": (lambda: np.ma.masked_array(LABELS, mask=_with([False] * N, True)), None),
    "text without positive": (lambda: NAMES, None),
    "one and two": (lambda: [label + 1 for label in LABELS], None),
    "dates without positive": (lambda: DAYS, None),
    "too short": (lambda: LABELS[:-1], None),
    "too long": (lambda: [*LABELS, 1], None),
    "values": (lambda: SECOND, None),
    "sparse": (lambda: sparse.csr_array(np.array(LABELS)[:, None]), None),
    "function": (lambda: len, None),
    "unknown positive": (lambda: NAMES, "ill"),
    "positive that is a list": (lambda: LABELS, [[1], [0]]),
    "positive that is an array": (lambda: LABELS, np.array([0, 1])),
    "positive that is NaN": (lambda: LABELS, np.nan),
    "positive that is sNaN": (lambda: LABELS, decimal.Decimal("sNaN")),
}
if pd:
    Y_WRONG |= {
        "NA among": (lambda: pd.Series(_with(LABELS, pd.NA), dtype="Int64"), None),
        "NaT among": (lambda: pd.Series(_with(list(pd.to_datetime(DAYS)), pd.NaT)), pd.Timestamp(DAYS[1])),
        "null among": (lambda: pl.Series(_with(NAMES, None)), "sick"),
        "DataFrame": (lambda: pd.DataFrame({"y": LABELS}), None),
        "LazyFrame": (lambda: pl.LazyFrame({"y": LABELS}), None),
        "positive that is a frame": (lambda: LABELS, pd.DataFrame({"a": [1]})),
    }


def _named(positive: Any) -> dict[str, Any]:
    return {} if positive is None else {"positive": positive}


def _matrix(x: Any) -> Any:
    if pd and isinstance(x, pd.Series):
        return pd.DataFrame({"x": x, "z": pd.Series(SECOND, index=x.index)})
    return np.column_stack([x, SECOND])


def _report(x: Any, y: Any, path: Path, **options: Any) -> float:
    page = rp.feature_report(x, y, path / "report.html", n_resamples=20, date="2024-01-01", **options).read_text()
    return page.count("0.851")  # the empirical AUC


def _estimator_auc(x: Any, y: Any, path: Path, **options: Any) -> float:
    fitted = LogisticRegression().fit(_matrix(x), LABELS)
    return rp.EmpiricalRoc.from_estimator(fitted, _matrix(x), y, **options).auc()


DOORS: dict[str, Callable[..., Any]] = {
    "predict_roc": lambda x, y, path, **o: rp.predict_roc(x, y, **o).auc(),
    "empirical_roc": lambda x, y, path, **o: rp.empirical_roc(x, y, **o).auc(),
    "from_predictions": lambda x, y, path, **o: rp.EmpiricalRoc.from_predictions(y, x, **o).auc(),
    "screen": lambda x, y, path, **o: rp.screen({"x": x}, y, nan_policy="raise", **o)["empirical_auc"].item(),
    "summarize": lambda x, y, path, **o: rp.summarize({"x": x}, y, **o).positive.mean.item(),
    "auc_test": lambda x, y, path, **o: rp.auc_test(x, SECOND, y, **o).p_value,
    "auc_test_many": lambda x, y, path, **o: rp.auc_test_many([x, SECOND], y, **o).p_value,
    "auc_estimate": lambda x, y, path, **o: rp.auc_estimate(x, y, **o).auc,
    "mean_roc": lambda x, y, path, **o: rp.mean_roc([(x, y), rp.empirical_roc(VALUES, LABELS)], **o).auc,
    "fit_linear_combination": lambda x, y, path, **o: (
        rp.fit_linear_combination({"x": x, "z": SECOND}, y, n_folds=None, **o).auc
    ),
    "class_mean_distance": lambda x, y, path, positive=1: rp.class_mean_distance(
        {"x": x}, y, class_label=positive
    ).sum(),
    "diagnose": lambda x, y, path, **o: rp.diagnose(x, y, n_resamples=20, rng=0, **o).auc_error,
    "feature_report": _report,
    "TeachingPage": lambda x, y, path, **o: sorted(
        map(str, rp.TeachingPage(x, y, **o).payload(live=True)["datasets"][0]["columns"].values())
    ),
}
SLOW = {"diagnose": 4, "feature_report": 12}
"""Functions that take long: they get one form of so many."""
TABLES = {"screen", "summarize", "TeachingPage"}
LABEL_DOORS: dict[str, Callable[..., Any]] = {
    "mcnemar_test": lambda x, y, path, **o: rp.mcnemar_test(_right(x, y), _right(x, y), y, **o).p_value
}
"""Functions in which only y takes these forms."""
if pd:
    from sklearn.linear_model import LogisticRegression

    from rocpredict.sklearn import RocSelector, ThresholdedClassifier

    LABEL_DOORS |= {
        "from_estimator": _estimator_auc,
        "RocSelector": lambda x, y, path, **o: RocSelector(k=1, **o).fit(_matrix(x), y).auc_[0],
        "ThresholdedClassifier": lambda x, y, path, **o: (
            ThresholdedClassifier(LogisticRegression(), cv=3, **o).fit(_matrix(x), y).threshold_.__round__(9)
        ),
    }
ORDERED = {"one and two", "text without positive", "dates without positive", "shape (n, 1)", "DataFrame"}
"""Forms that scikit-learn's objects accept too: they use the last label in its order, and a column as an array."""


def _right(x: Any, y: Any) -> Any:
    """Return predictions that are all right, with the index of x if it has one."""
    if pd and isinstance(x, pd.Series):
        return pd.Series(LABELS, index=x.index)
    return list(y) if hasattr(y, "__len__") and not hasattr(y, "__array__") else y


def outcome(door: Callable[..., Any], x: Any, y: Any, path: Path, positive: Any = None) -> tuple[str, Any]:
    """Return ("answer", value), ("refusal", message) or ("foreign", error)."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return "answer", door(x, y, path, **_named(positive))
    except RocPredictError as error:
        return "refusal", str(error)
    except Exception as error:
        return "foreign", repr(error)


def check_outcomes(outcomes: dict[str, tuple[str, Any]], allowed: dict[str, Any]) -> None:
    """Compare each outcome with the allowed result or "refusal", and name all outcomes that differ."""
    failures = []
    for form, (kind, value) in outcomes.items():
        same = [want for want in allowed[form] if want != "refusal" and kind == "answer" and value == want]
        clear = "refusal" in allowed[form] and kind == "refusal" and "\n" not in value and 15 < len(value) < 300
        if not same and not clear:
            failures.append(f"{form}: {kind} {value!r:.200}")
    assert not failures, "\n".join(failures)


def _some(forms: dict[str, Any], door: str) -> dict[str, Any]:
    return dict(list(forms.items())[:: SLOW.get(door, 1)])


@pytest.mark.parametrize("door", DOORS)
def test_forms_of_x(door, tmp_path):
    """One feature in 45 forms is the same feature; 35 others are refused in one line."""
    expected = outcome(DOORS[door], VALUES, LABELS, tmp_path)
    assert expected[0] == "answer"
    valid, wrong = _some(X_SAME, door) | X_ITERATORS, _some(X_WRONG, door)
    if door in TABLES:
        wrong = {name: form for name, form in wrong.items() if name not in MISSING}
    if door == "TeachingPage":  # which takes tables, too
        wrong = {
            name: form for name, form in wrong.items() if name not in ("sparse", "LazyFrame", "mapping", "relation")
        }
    check_outcomes(
        {name: outcome(DOORS[door], form(), LABELS, tmp_path) for name, form in (valid | wrong).items()},
        {name: [expected[1]] if name in valid else ["refusal"] for name in valid | wrong},
    )


@pytest.mark.parametrize("door", DOORS | LABEL_DOORS)
def test_forms_of_y(door, tmp_path):
    """The labels of two classes in 50 forms are the same classes; 35 others are refused in one line."""
    function = (DOORS | LABEL_DOORS)[door]
    expected = outcome(function, VALUES, LABELS, tmp_path)
    assert expected[0] == "answer"
    valid, wrong = _some(Y_SAME, door) | Y_ITERATORS, dict(_some(Y_WRONG, door))
    allowed = {name: [expected[1]] if name in valid else ["refusal"] for name in valid | wrong}
    if door in ("RocSelector", "ThresholdedClassifier"):
        allowed = {name: [*wants, "refusal"] for name, wants in allowed.items()}
        for name in ORDERED:
            allowed[name] = [expected[1], "refusal", *outcome(function, VALUES, NAMES, tmp_path)[1:]]
    elif door == "from_estimator":  # whose labels are those that it was fitted to
        allowed = {name: [*wants, "refusal"] for name, wants in allowed.items()}
        del wrong["one and two"]
    elif door in ("mcnemar_test", "class_mean_distance"):  # which need no positive class
        valid = {name: form for name, form in valid.items() if name not in {"minus one and one", *Y_ITERATORS}}
        for name in (
            "text without positive",
            "one and two",
            "dates without positive",
            "one class",
            "too short",
            "too long",
        ):
            del wrong[name]
    check_outcomes(
        {n: outcome(function, VALUES, form(), tmp_path, positive) for n, (form, positive) in (valid | wrong).items()},
        allowed,
    )


ROWS = [f"row {k}" for k in range(N)]
INDEXES: dict[str, tuple[Any, Any, bool]] = {
    "both default": (None, None, True),
    "names and default": (ROWS, None, True),
    "default and other numbers": (None, np.arange(N)[::-1] + 7, True),
    "equal names": (ROWS, ROWS, True),
    "equal and twice": ([0] * N, [0] * N, True),
    "default and its permutation": (None, np.arange(N)[::-1], False),
    "permutation and default": (np.arange(N)[::-1], None, False),
    "names permuted": (ROWS, ROWS[::-1], False),
    "other names": (ROWS, [f"line {k}" for k in range(N)], False),
    "numbers and names": (np.arange(N) + 3, ROWS, False),
}


@pytest.mark.extra("pandas")
@pytest.mark.parametrize("door", DOORS | LABEL_DOORS)
def test_pandas_index(door, tmp_path):
    """Rows correspond by position; an index that contradicts it is refused with both remedies."""
    function = (DOORS | LABEL_DOORS)[door]
    expected = outcome(function, VALUES, LABELS, tmp_path)
    check_outcomes(
        {
            name: outcome(function, pd.Series(VALUES, first), pd.Series(LABELS, second), tmp_path)
            for name, (first, second, _) in INDEXES.items()
        },
        {name: [expected[1]] if answered else ["refusal"] for name, (*_, answered) in INDEXES.items()},
    )


@pytest.mark.extra("anndata", "pandas")
def test_pandas_index_of_further_columns():
    x, y, other = (pd.Series(column, ROWS[: len(column)]) for column in (VALUES, LABELS, np.ones(N)))
    permuted = other[::-1]
    adata = anndata.AnnData(_matrix(VALUES).astype(float), obs=pd.DataFrame({"y": LABELS}, index=ROWS))
    calls = {
        "weights": lambda column: rp.empirical_roc(x, y, weights=column),
        "predict_roc": lambda column: rp.predict_roc(x, y, weights=column),
        "screen": lambda column: rp.screen({"x": x}, y, weights=column),
        "screen by name": lambda column: rp.screen(pd.DataFrame({"x": x, "y": y}), "y", weights=column),
        "summarize": lambda column: rp.summarize({"x": x}, y, weights=column),
        "clusters": lambda column: rp.auc_estimate(x, y, clusters=column + np.arange(N)),
        "strata": lambda column: rp.auc_estimate(x, y, strata=column),
        "groups": lambda column: rp.auc_estimate(x, y, groups=column),
        "multiclass": lambda column: rp.multiclass_auc(x, y, weights=column),
        "AnnData": lambda column: rp.screen(
            adata, column.index.map(dict(zip(ROWS, LABELS, strict=True))).to_series(column.index)
        ),
    }
    for name, call in calls.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            call(other)
            with pytest.raises(RocPredictError, match=r"indexes of .+ and .+ differ; align .+to_numpy\(\)") as error:
                call(permuted)
            assert error, name


@pytest.mark.extra("pandas", "polars")
def test_missing_labels_and_groups_are_omitted():
    """Under "omit" a row without a label or group is left out; by default it is refused."""
    hole = _with(LABELS, None)
    rest = rp.empirical_roc(VALUES[1:], LABELS[1:])
    for missing in (hole, _with(LABELS, np.nan), pd.Series(hole, dtype="Int64"), pl.Series(hole)):
        roc = rp.empirical_roc(VALUES, missing, nan_policy="omit")
        assert roc.auc() == rest.auc()
        assert roc.omitted == (0, 0)
        assert roc.n_unlabelled == 1
    labels = {"nan_policy": "omit"}
    test, expected = rp.auc_test(VALUES, SECOND, hole, **labels), rp.auc_test(VALUES[1:], SECOND[1:], LABELS[1:])
    assert test.p_value == expected.p_value
    groups = [*"abcd"] * (N // 4)
    y = [k // 4 % 2 for k in range(N)]
    for name in ("groups", "strata", "clusters"):
        expected = rp.auc_estimate(VALUES[1:], y[1:], **{name: groups[1:]})
        for gap in (None, np.nan, pd.NA, "masked"):
            column = (
                np.ma.masked_array(groups, [True] + [False] * (N - 1)) if isinstance(gap, str) else _with(groups, gap)
            )
            result = rp.auc_estimate(VALUES, y, **{name: column}, **labels)
            omitted = result.stratified.omitted if name == "groups" else result.omitted
            assert omitted == (1, 0)
            assert repr(result).replace(", omitted=(1, 0)", "") == repr(expected), (name, gap)
            message = f"{name} has missing values (NaN) in 1 of {N} rows: 0; pass nan_policy='omit' to omit them"
            refuses(re.escape(message), rp.auc_estimate, VALUES, y, **{name: column})


@pytest.mark.extra("pandas", "polars")
def test_rows_without_a_label_are_counted_or_refused_by_every_function(tmp_path, monkeypatch, capsys):
    """With "omit" every result states their number; without it, an error names the remedy."""
    gap, table = _with(LABELS, None), np.column_stack([VALUES, SECOND])
    functions = {
        "diagnose": lambda **options: rp.diagnose(VALUES, gap, n_resamples=20, **options),
        "from_predictions": lambda **options: rp.EmpiricalRoc.from_predictions(gap, VALUES, **options),
        "empirical_roc": lambda **options: rp.empirical_roc(VALUES, gap, **options),
        "predict_roc": lambda **options: rp.predict_roc(VALUES, gap, **options),
        "auc_estimate": lambda **options: rp.auc_estimate(VALUES, gap, **options),
        "auc_test": lambda **options: rp.auc_test(VALUES, SECOND, gap, **options),
        "auc_test_many": lambda **options: rp.auc_test_many([VALUES, SECOND], gap, **options),
        "curves": lambda **options: rp.auc_test(*(rp.empirical_roc(x, gap, **options) for x in (VALUES, SECOND))),
        "combination": lambda **options: rp.fit_linear_combination(table, gap, n_folds=None, **options).roc,
    }
    for name, call in functions.items():
        result = call(nan_policy="omit")
        assert (result.n_unlabelled, result.omitted) == (1, (0, 0)), name
        assert "n_unlabelled=1" in repr(result)
        assert "without a label" in result.table().to_text()
        refuses("1 of 24 rows: 0; pass nan_policy='omit' to omit them", call)
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame({"a": VALUES, "b": SECOND, "y": pd.array(gap, dtype="Int64")})
    frame.to_csv("t.csv", index=False)
    frame.to_parquet("t.parquet", index=False)
    expected = rp.screen(table[1:], LABELS[1:], feature_names=["a", "b"]).in_input_order()
    named = {"feature_names": ["a", "b"]}
    for X, y, options in ((table, gap, named), (frame, "y", {}), ("t.csv", "y", {}), ("t.parquet", "y", {})):
        for empirical in (True, "histogram"):
            screened = rp.screen(X, y, empirical=empirical, **options)
            assert (screened.n_unlabelled, screened.n_observations) == (1, N)
            assert (
                "1 observation without a class label was omitted." in screened.report(tmp_path / "s.html").read_text()
            )
            assert "1 observation without a label omitted" in repr(screened)
            for name in ("auc", "n_negative", "n_missing"):
                np.testing.assert_array_equal(screened.in_input_order()[name], expected[name])
        page = screened.report("r.html", data=None if X is table else (X, y)).read_text(encoding="utf-8")
        assert "1 observation without a class label was omitted." in page
        assert "1 of them without a label (omitted)" in page
        refuses("pass nan_policy='omit'", rp.screen, X, y, nan_policy="raise", **options)
    refuses("1 of 24 rows: 0; pass nan_policy='omit' to omit them", rp.summarize, table, gap)
    refuses("1 of 24 rows: 0; remove these rows", rp.screen, [(table, gap)], empirical=False)
    assert rp.summarize(table, gap, nan_policy="omit").negative.count.sum() > 0
    commands = (
        "diagnose t.csv --feature a --resamples 20",
        "compare t.csv --feature a",
        "compare t.csv --feature a --feature b",
        "screen t.csv",
    )
    for command in commands:
        assert main([*command.split(), "--label", "y", "--positive", "1", "--nan", "omit"]) == 0
        assert "1 observation without a label omitted." in capsys.readouterr().out
        assert main([*command.split(), "--label", "y", "--positive", "1", "--nan", "raise"]) == 2
        assert (
            "line 2: the label in column 'y' is missing; add it, delete the line, or pass --nan omit"
            in capsys.readouterr().err
        )


def test_groups_that_end_in_nul_and_iterators_of_groups():
    groups = ["a", "a\0"] * (N // 2)
    y = [k // 2 % 2 for k in range(N)]
    assert list(rp.auc_estimate(VALUES, y, groups=groups).groups) == ["a", "a\0"]
    assert list(rp.auc_estimate(VALUES, y, groups=iter(groups)).groups) == ["a", "a\0"]


@pytest.mark.extra("pandas", "polars", "pyarrow")
def test_frames_as_features_of_auc_test_many():
    columns = {"first": VALUES, "second": SECOND}
    expected = rp.auc_test_many(columns, LABELS)
    for table in (pd.DataFrame(columns), pl.DataFrame(columns), pl.LazyFrame(columns), pa.table(columns)):
        assert repr(rp.auc_test_many(table, LABELS)) == repr(expected)
    for wrong in (1, "ab", np.array(3.0), np.arange(6.0), None):
        refuses("is not a list of features", rp.auc_test_many, wrong, LABELS)


@pytest.mark.extra("sklearn")
def test_selector_needs_a_positive_label_only_for_a_direction():
    """The positive label does not change the selection without a direction; with one, it has to be named."""
    X = np.column_stack([VALUES, -np.array(VALUES), SECOND])
    named = RocSelector(k=2, positive="sick").fit(X, NAMES)
    other = RocSelector(k=2).fit(X, NAMES)
    assert (named.get_support() == other.get_support()).all()
    np.testing.assert_allclose(named.auc_, 1 - other.auc_, rtol=1e-12)
    with pytest.raises(RocPredictError, match=r"direction='higher' needs a positive class; pass one of the labels"):
        RocSelector(direction="higher").fit(X, NAMES)
    higher = RocSelector(k=1, direction="higher", positive="sick").fit(X, NAMES)
    assert higher.get_support().tolist() == [True, False, False]
    assert RocSelector(k=1, direction="higher").fit(X, LABELS).get_support().tolist() == [True, False, False]
