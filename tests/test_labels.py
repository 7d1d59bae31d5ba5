"""The validator of x and y: what it understands, what it refuses, and in which words."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from rocpredict import RocPredictError
from rocpredict.base.labels import check_labels, split_classes

X = [1.0, 2.0, 3.0, 4.0]


def assert_split(classes, negative, positive, *, labels):
    assert classes.negative.tolist() == negative
    assert classes.positive.tolist() == positive
    assert classes.negative.dtype == classes.positive.dtype == np.float64
    assert (classes.negative_label, classes.positive_label) == labels
    assert [type(label) for label in (classes.negative_label, classes.positive_label)] == [type(it) for it in labels]


def message_of(*args, **kwargs):
    with pytest.raises(RocPredictError) as caught:
        split_classes(*args, **kwargs)
    assert isinstance(caught.value, ValueError)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def objects(*items):
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array


OBVIOUS = {
    "list of 0 and 1": ([0, 0, 1, 1], (0, 1)),
    "list of -1 and 1": ([-1, -1, 1, 1], (-1, 1)),
    "booleans": ([False, False, True, True], (False, True)),
    "floats": ([0.0, 0.0, 1.0, 1.0], (0.0, 1.0)),
    "int8": (np.array([0, 0, 1, 1], dtype=np.int8), (0, 1)),
    "objects": (np.array([0, 0, 1, 1], dtype=object), (0, 1)),
    "tuple": ((0, 0, 1, 1), (0, 1)),
    "generator": ((label for label in [0, 0, 1, 1]), (0, 1)),
    "pandas": (pd.Series([0, 0, 1, 1], index=[7, 7, 8, 9]), (0, 1)),
    "pandas boolean": (pd.Series([False, False, True, True], dtype="boolean"), (False, True)),
    "pandas Int64": (pd.Series([0, 0, 1, 1], dtype="Int64"), (0, 1)),
    "pandas category": (pd.Series([0, 0, 1, 1], dtype="category"), (0, 1)),
    "polars": (pl.Series([0, 0, 1, 1]), (0, 1)),
    "polars Boolean": (pl.Series([False, False, True, True]), (False, True)),
    "pyarrow": (pa.array([0, 0, 1, 1]), (0, 1)),
    "pyarrow chunked": (pa.chunked_array([[0, 0], [1, 1]]), (0, 1)),
    "masked array, nothing masked": (np.ma.array([False, False, True, True]), (False, True)),
}


@pytest.mark.parametrize(("y", "labels"), OBVIOUS.values(), ids=OBVIOUS)
def test_labels_that_speak_for_themselves(y, labels):
    assert_split(split_classes(X, y), [1, 2], [3, 4], labels=labels)


NAMED = {
    "list": ["a", "a", "b", "b"],
    "array": np.array(["a", "a", "b", "b"]),
    "objects": np.array(["a", "a", "b", "b"], dtype=object),
    "pandas": pd.Series(["a", "a", "b", "b"]),
    "pandas string": pd.Series(["a", "a", "b", "b"], dtype="string"),
    "pandas category": pd.Series(["a", "a", "b", "b"], dtype="category"),
    "polars": pl.Series(["a", "a", "b", "b"]),
    "polars Categorical": pl.Series(["a", "a", "b", "b"], dtype=pl.Categorical),
    "pyarrow": pa.array(["a", "a", "b", "b"]),
    "pyarrow dictionary": pa.array(["a", "a", "b", "b"]).dictionary_encode(),
    "masked array, nothing masked": np.ma.array(["a", "a", "b", "b"]),
}


@pytest.mark.parametrize("y", NAMED.values(), ids=NAMED)
def test_text_labels_take_a_named_positive_or_a_named_negative(y):
    assert_split(split_classes(X, y, positive="b"), [1, 2], [3, 4], labels=("a", "b"))
    assert_split(split_classes(X, y, negative="a"), [1, 2], [3, 4], labels=("a", "b"))
    assert_split(split_classes(X, y, positive="a", negative="b"), [3, 4], [1, 2], labels=("b", "a"))
    assert message_of(X, y) == "positive= is needed: which of the labels ['a', 'b'] is the positive class?"


def test_mixed_labels_keep_their_kinds():
    for y in (["a", 1, "a", 1], np.array(["a", 1, "a", 1], dtype=object)):
        assert_split(split_classes(X, y, positive=1), [1, 3], [2, 4], labels=("a", 1))
    assert "'1' is not a label" in message_of(X, ["a", 1, "a", 1], positive="1")


def test_labels_of_any_single_kind_of_thing():
    assert split_classes(X, [b"a", b"a", b"b", b"b"], positive=b"b").positive.tolist() == [3, 4]
    days = np.array(["2020-01-01", "2020-01-01", "2021-01-01", "2021-01-01"], dtype="datetime64[D]")
    assert split_classes(X, days, positive=np.datetime64("2021-01-01").item()).positive.tolist() == [3, 4]
    assert message_of(X, objects((1, 2), (1, 2), (3, 4), (3, 4)), positive=(1, 2)) == (
        "y holds (1, 2); a label is one number, text or other single thing"
    )


def test_one_against_the_rest_and_one_against_one():
    x, y = [1, 2, 3, 4, 5], ["a", "a", "b", "b", "c"]
    assert_split(split_classes(x, y, positive="b"), [1, 2, 5], [3, 4], labels=("rest", "b"))
    assert_split(split_classes(x, y, positive="b", negative="a"), [1, 2], [3, 4], labels=("a", "b"))
    assert message_of(x, y, negative="a") == (
        "positive= is needed: which of the labels ['a', 'b', 'c'] is the positive class?"
    )


VALUES = {
    "integers": [1, 2, 3, 4],
    "numbers in objects": np.array([1, 2.0, np.float32(3), np.int64(4)], dtype=object),
    "Decimal": [Decimal(1), Decimal(2), Decimal(3), Decimal(4)],
    "Fraction": [Fraction(1), Fraction(2), Fraction(3), Fraction(4)],
    "float16": np.array(X, dtype=np.float16),
    "long double": np.array(X, dtype=np.longdouble),
    "uint8": np.array(X, dtype=np.uint8),
    "big endian": np.array(X, dtype=">f8"),
    "generator": (value for value in X),
    "range": range(1, 5),
    "pandas": pd.Series(X, index=[3, 3, 1, 0]),
    "pandas Float64": pd.Series(X, dtype="Float64"),
    "polars": pl.Series(X),
    "polars Decimal": pl.Series([Decimal(1), Decimal(2), Decimal(3), Decimal(4)]),
    "pyarrow": pa.array(X),
    "masked array, nothing masked": np.ma.array(X),
}


@pytest.mark.parametrize("x", VALUES.values(), ids=VALUES)
def test_values_of_every_kind_become_float64(x):
    assert_split(split_classes(x, [0, 0, 1, 1]), [1, 2], [3, 4], labels=(0, 1))


MISSING = {
    "NaN": [1, 2, 3, np.nan],
    "None": [1, 2, 3, None],
    "Decimal NaN": [Decimal(1), Decimal(2), Decimal(3), Decimal("nan")],
    "pandas Int64": pd.Series([1, 2, 3, pd.NA], dtype="Int64"),
    "pandas Float64": pd.Series([1, 2, 3, pd.NA], dtype="Float64"),
    "polars": pl.Series([1, 2, 3, None]),
    "pyarrow": pa.array([1.0, 2.0, 3.0, None]),
    "masked": np.ma.array([1, 2, 3, 999], mask=[0, 0, 0, 1]),
}


@pytest.mark.parametrize("x", MISSING.values(), ids=MISSING)
def test_missing_values_are_refused_with_their_rows_or_left_out_and_counted(x):
    assert message_of(x, [0, 0, 1, 1]) == "x has 1 missing (NaN) of 4, at rows 3; nan_policy='omit' leaves them out"
    classes = split_classes(x, [0, 0, 1, 1], nan_policy="omit")
    assert_split(classes, [1, 2], [3], labels=(0, 1))
    assert (classes.omitted_negative, classes.omitted_positive) == (0, 1)


def test_many_missing_values_are_counted_and_the_first_rows_named():
    assert message_of([np.nan] * 8 + [1, 1], [0, 1] * 5) == (
        "x has 8 missing (NaN) of 10, at rows 0, 1, 2, 3, 4, ...; nan_policy='omit' leaves them out"
    )


def test_missing_values_of_a_dropped_class_do_not_count():
    x, y = [1, 2, 3, np.nan], ["a", "a", "b", "c"]
    assert_split(split_classes(x, y, positive="b", negative="a"), [1, 2], [3], labels=("a", "b"))
    omitted = split_classes(x, y, positive="b", negative="a", nan_policy="omit")
    assert (omitted.omitted_negative, omitted.omitted_positive) == (0, 0)
    assert "x has 1 missing" in message_of(x, y, positive="b")


MISSING_LABELS = {
    "NaN": [0, 0, 1, np.nan],
    "None": [0, 0, 1, None],
    "NaN among text": ["0", "0", "1", np.nan],
    "None among text": ["0", "0", "1", None],
    "pandas Int64": pd.Series([0, 0, 1, pd.NA], dtype="Int64"),
    "pandas boolean": pd.Series([False, False, True, pd.NA], dtype="boolean"),
    "pandas string": pd.Series(["a", "a", "b", pd.NA], dtype="string"),
    "pandas category": pd.Series(["a", "a", "b", None], dtype="category"),
    "polars": pl.Series([0, 0, 1, None]),
    "polars Boolean": pl.Series([False, False, True, None]),
    "polars text": pl.Series(["a", "a", "b", None]),
    "pyarrow": pa.array([0, 0, 1, None]),
    "pyarrow text": pa.array(["a", "a", "b", None]),
    "masked": np.ma.array([0, 0, 1, 1], mask=[0, 0, 0, 1]),
    "masked text": np.ma.array(["a", "a", "b", "b"], mask=[0, 0, 0, 1]),
    "NaT": np.array(["2020", "2020", "2021", "NaT"], dtype="datetime64[Y]"),
}


@pytest.mark.parametrize("y", MISSING_LABELS.values(), ids=MISSING_LABELS)
def test_missing_labels_are_never_a_class(y):
    """Refused by default; under "omit" their rows belong to no class and are not counted."""
    assert message_of(X, y) == "y has 1 missing (NaN) of 4, at rows 3; nan_policy='omit' leaves them out"
    label = check_labels(y, X, nan_policy="omit")[2]
    classes = split_classes(X, y, positive=label, nan_policy="omit")
    assert (classes.rows.negative.tolist(), classes.rows.positive.tolist(), classes.rows.omitted) == (
        [0, 1],
        [2],
        (0, 0),
    )


REFUSALS = {
    "unknown positive": (
        (X, ["ill", "ill", "healthy", "healthy"]),
        {"positive": "sick"},
        "positive='sick' is not a label in y; labels are ['healthy', 'ill']",
    ),
    "text for a number": ((X, [0, 0, 1, 1]), {"positive": "1"}, "positive='1' is not a label in y; labels are [0, 1]"),
    "NaN for a label": ((X, [0, 0, 1, 1]), {"positive": np.nan}, "positive=nan is not a label in y"),
    "NA for a label": ((X, [0, 0, 1, 1]), {"positive": pd.NA}, "positive=<NA> is not a label in y"),
    "list for a label": ((X, [0, 0, 1, 1]), {"positive": [1]}, "positive=[1] is not a label in y"),
    "array for a label": ((X, [0, 0, 1, 1]), {"positive": np.array([1])}, "positive=array([1]) is not a label in y"),
    "unknown negative": (
        (X, [0, 0, 1, 1]),
        {"positive": 1, "negative": 7},
        "negative=7 is not a label in y; labels are [0, 1]",
    ),
    "twice the same": (
        (X, [0, 0, 1, 1]),
        {"positive": 1, "negative": 1},
        "negative=1 is also the positive label; name two different ones",
    ),
    "ambiguous numbers": (
        (X, [1, 1, 2, 2]),
        {},
        "positive= is needed: labels are [1, 2], and only {0, 1}, {-1, 1} and booleans speak for themselves",
    ),
    "three numbers": ((X, [-1, 0, 1, 1]), {}, "positive= is needed: labels are [-1, 0, 1], and only"),
    "one class": ((X, [1, 1, 1, 1]), {}, "y has the one label 1; two classes are needed"),
    "one class, named": ((X, ["a"] * 4), {"positive": "a"}, "y has the one label 'a'; two classes are needed"),
    "no value in a class": (
        ([1, 2, np.nan, np.nan], [0, 0, 1, 1]),
        {"nan_policy": "omit"},
        "the positive class has no rows with a value; labels are [0, 1]",
    ),
    "unknown policy": (
        (X, [0, 0, 1, 1]),
        {"nan_policy": "drop"},
        "nan_policy='drop' is not allowed; choose one of 'raise', 'omit'",
    ),
    "many labels": (
        (range(30), [f"s{i:02}" for i in range(30)]),
        {"positive": "zz"},
        "'s08', 's09', ...] (30 in all)",
    ),
    "x empty": (([], [0, 1]), {}, "x is empty; give one value for each row"),
    "y empty": ((X, []), {}, "y is empty; give one label for each row"),
    "lengths": ((X, [0, 0, 1]), {}, "x has 4 rows and y has 3; they must have as many"),
    "x of two axes": ((np.ones((4, 2)), [0, 0, 1, 1]), {}, "x has shape (4, 2); give one feature of shape (n,)"),
    "x a frame": ((pd.DataFrame({"a": X}), [0, 0, 1, 1]), {}, "x has shape (4, 1); give one feature of shape (n,)"),
    "y of two axes": ((X, [[0], [0], [1], [1]]), {}, "y has shape (4, 1); give one label for each row, shape (n,)"),
    "x ragged": (([[1], [2, 3], [4], [5]], [0, 0, 1, 1]), {}, "x=[[1], [2, 3], [4], [5]] is ragged"),
    "y ragged": ((X, [[1], [2, 3], [4], [5]]), {}, "y=[[1], [2, 3], [4], [5]] is ragged"),
    "x a dict": (({"a": 1}, [0, 1]), {}, "x={'a': 1} is not an array; give one value for each row"),
    "x a set": (({1, 2}, [0, 1]), {}, "x={1, 2} is not an array"),
    "x a number": ((3.0, [0, 1]), {}, "x=3.0 is not an array"),
    "x None": ((None, [0, 1]), {}, "x=None is not an array"),
    "y a word": ((X, "abcd"), {"positive": "a"}, "y='abcd' is not an array"),
    "y a number": ((X, 1), {}, "y=1 is not an array"),
    "y a numpy number": ((X, np.int64(1)), {}, "y has shape ()"),
    "x and y exchanged, text": (
        (["a", "b", "a", "b"], [1, 2, 3, 4]),
        {"positive": "a"},
        "x holds text such as 'a'; numbers are needed (were x and y exchanged?)",
    ),
    "x and y exchanged, numbers": (
        ([0, 1] * 15, np.linspace(0, 1, 30)),
        {},
        "y has 30 different values, more than labels would have (were x and y exchanged?)",
    ),
    "numbers as text": ((["1", "2", "3", "4"], [0, 0, 1, 1]), {}, "x holds text such as '1'; numbers are needed"),
    "one text among numbers": (([1, "a", 3, 4], [0, 0, 1, 1]), {}, "x holds text such as 'a'; numbers are needed"),
    "bytes": (([b"1", b"2", b"3", b"4"], [0, 0, 1, 1]), {}, "x holds bytes such as b'1'; numbers are needed"),
    "complex": (([1j, 2, 3, 4], [0, 0, 1, 1]), {}, "x holds complex numbers such as 1j; numbers are needed"),
    "masked complex": ((np.ma.array([1j, 2]), [0, 1]), {}, "x holds complex numbers"),
    "dates": ((np.array(["2020"] * 4, dtype="M8[Y]"), [0, 0, 1, 1]), {}, "x holds dates such as"),
    "durations": ((np.array([1, 2, 3, 4], dtype="m8[s]"), [0, 0, 1, 1]), {}, "x holds durations such as"),
    "objects": (([1, object(), 3, 4], [0, 0, 1, 1]), {}, "x holds objects (int, object) that are not all numbers"),
    "2**53 + 1": (
        ([2**53 + 1, 2, 3, 4], [0, 0, 1, 1]),
        {},
        "x holds integers beyond 2**53 that float64 cannot tell apart; subtract an offset first",
    ),
    "2**53 + 1 beside 0.5": (([2**53 + 1, 0.5], [0, 1]), {}, "x holds integers beyond 2**53"),
    "int64 maximum": ((np.array([2**63 - 1, 2]), [0, 1]), {}, "x holds integers beyond 2**53"),
    "uint64 maximum": ((np.array([2**64 - 1, 2], dtype=np.uint64), [0, 1]), {}, "x holds integers beyond 2**53"),
    "10**30 + 1": (([10**30 + 1, 2], [0, 1]), {}, "x holds integers beyond 2**53"),
    "10**400": (([10**400, 2], [0, 1]), {}, "x holds integers beyond 2**53"),
    "masked 2**53 + 1": ((np.ma.array([2**53 + 1, 2, 3], mask=[0, 0, 1]), [0, 1, 1]), {}, "x holds integers beyond"),
    "a fraction beyond floats": (([Fraction(10**400), Fraction(2)], [0, 1]), {}, "not all numbers a float can hold"),
    "a signalling NaN": (([Decimal("sNaN"), Decimal(2)], [0, 1]), {}, "not all numbers a float can hold"),
}


@pytest.mark.parametrize(("args", "kwargs", "words"), REFUSALS.values(), ids=REFUSALS)
def test_refusals_name_the_argument_what_came_and_what_is_allowed(args, kwargs, words):
    assert words in message_of(*args, **kwargs)


def test_long_doubles_beyond_float64_are_refused():
    huge = np.array([np.finfo(np.longdouble).max, 1], dtype=np.longdouble)
    if np.isinf(float(huge[0])):  # elsewhere a long double is a double
        assert message_of(huge, [0, 1]) == "x holds numbers beyond the range of float64"


def test_large_integers_that_float64_holds_are_fine():
    lowest = np.iinfo(np.int64).min
    assert split_classes(np.array([lowest, 2**60]), [0, 1]).negative.tolist() == [float(lowest)]
    assert split_classes([2**100, 1], [0, 1]).negative.tolist() == [2.0**100]


def test_infinities_are_values():
    assert_split(split_classes([1, np.inf, -np.inf, 3], [0, 0, 1, 1]), [1, np.inf], [-np.inf, 3], labels=(0, 1))
