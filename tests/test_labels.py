"""Validation of x and y: accepted inputs, refused inputs, and their messages."""

import re
from decimal import Decimal
from fractions import Fraction
from functools import partial

import numpy as np
import pytest

import rocpredict as rp
from rocpredict.base.labels import check_labels, split_classes
from tests.cases import check_each, for_each, optional, refusal

pd, pl, pa = map(optional, ("pandas", "polars", "pyarrow"))
X = [1.0, 2.0, 3.0, 4.0]
Y = [0, 0, 1, 1]
CLASSES = ("positive", "negative")


def assert_split(classes, negative, positive, *, labels):
    assert classes.negative.tolist() == negative
    assert classes.positive.tolist() == positive
    assert classes.negative.dtype == classes.positive.dtype == np.float64
    found = classes.rows.negative_label, classes.rows.positive_label
    assert found == labels
    assert tuple(map(type, found)) == tuple(map(type, labels))


message_of = partial(refusal, split_classes)
OBVIOUS = {
    "list of 0 and 1": ([0, 0, 1, 1], (0, 1)),
    "list of -1 and 1": ([-1, -1, 1, 1], (-1, 1)),
    "booleans": ([False, False, True, True], (False, True)),
    "floats": ([0.0, 0.0, 1.0, 1.0], (0.0, 1.0)),
    "int8": (np.array([0, 0, 1, 1], dtype=np.int8), (0, 1)),
    "objects": (np.array([0, 0, 1, 1], dtype=object), (0, 1)),
    "tuple": ((0, 0, 1, 1), (0, 1)),
    "generator": ((label for label in [0, 0, 1, 1]), (0, 1)),
    "masked array, nothing masked": (np.ma.array([False, False, True, True]), (False, True)),
}
if pd:
    OBVIOUS |= {
        "pandas": (pd.Series([0, 0, 1, 1], index=[7, 7, 8, 9]), (0, 1)),
        "pandas boolean": (pd.Series([False, False, True, True], dtype="boolean"), (False, True)),
        "pandas Int64": (pd.Series([0, 0, 1, 1], dtype="Int64"), (0, 1)),
        "pandas category": (pd.Series([0, 0, 1, 1], dtype="category"), (0, 1)),
        "polars": (pl.Series([0, 0, 1, 1]), (0, 1)),
        "polars Boolean": (pl.Series([False, False, True, True]), (False, True)),
        "pyarrow": (pa.array([0, 0, 1, 1]), (0, 1)),
        "pyarrow chunked": (pa.chunked_array([[0, 0], [1, 1]]), (0, 1)),
    }


def test_numeric_and_boolean_labels_need_no_positive():
    check_each(OBVIOUS, lambda case: assert_split(split_classes(X, case[0]), [1, 2], [3, 4], labels=case[1]))


NAMED = {
    "list": ["a", "a", "b", "b"],
    "array": np.array(["a", "a", "b", "b"]),
    "objects": np.array(["a", "a", "b", "b"], dtype=object),
    "masked array, nothing masked": np.ma.array(["a", "a", "b", "b"]),
}
if pd:
    NAMED |= {
        "pandas": pd.Series(["a", "a", "b", "b"]),
        "pandas string": pd.Series(["a", "a", "b", "b"], dtype="string"),
        "pandas category": pd.Series(["a", "a", "b", "b"], dtype="category"),
        "polars": pl.Series(["a", "a", "b", "b"]),
        "polars Categorical": pl.Series(["a", "a", "b", "b"], dtype=pl.Categorical),
        "pyarrow": pa.array(["a", "a", "b", "b"]),
        "pyarrow dictionary": pa.array(["a", "a", "b", "b"]).dictionary_encode(),
    }


@for_each(NAMED)
def test_text_labels_take_a_named_positive_or_a_named_negative(y):
    assert_split(split_classes(X, y, positive="b"), [1, 2], [3, 4], labels=("a", "b"))
    assert_split(split_classes(X, y, negative="a"), [1, 2], [3, 4], labels=("a", "b"))
    assert_split(split_classes(X, y, positive="a", negative="b"), [3, 4], [1, 2], labels=("b", "a"))
    assert message_of(X, y) == "positive= is needed: which of the labels ['a', 'b'] is the positive class?"


def test_labels_of_other_and_of_mixed_kinds():
    for y in (["a", 1, "a", 1], np.array(["a", 1, "a", 1], dtype=object)):
        assert_split(split_classes(X, y, positive=1), [1, 3], [2, 4], labels=("a", 1))
    assert "'1' is not a label" in message_of(X, ["a", 1, "a", 1], positive="1")
    words = "y contains the labels '1' and 1, which differ only in their type; convert all labels to the same type"
    assert message_of(X, ["1", 1, "a", "a"], positive="1") == words
    assert split_classes(X, [b"a", b"a", b"b", b"b"], positive=b"b").positive.tolist() == [3, 4]
    days = np.array(["2020-01-01", "2020-01-01", "2021-01-01", "2021-01-01"], dtype="datetime64[D]")
    assert split_classes(X, days, positive=np.datetime64("2021-01-01").item()).positive.tolist() == [3, 4]
    pairs = np.empty(4, dtype=object)
    pairs[:] = [(1, 2), (1, 2), (3, 4), (3, 4)]
    assert (
        message_of(X, pairs, positive=(1, 2))
        == "y contains (1, 2); each label must be a single value such as a number or text"
    )


def test_one_against_the_rest_and_one_against_one():
    x, y = [1, 2, 3, 4, 5], ["a", "a", "b", "b", "c"]
    assert_split(split_classes(x, y, positive="b"), [1, 2, 5], [3, 4], labels=("rest", "b"))
    assert_split(split_classes(x, y, positive="b", negative="a"), [1, 2], [3, 4], labels=("a", "b"))
    assert message_of(x, y, negative="a") == (
        "positive= is needed: which of the labels ['a', 'b', 'c'] is the positive class?"
    )
    x, y = [1, 2, 3, np.nan], ["a", "a", "b", "c"]  # missing values of a dropped class do not count
    assert_split(split_classes(x, y, positive="b", negative="a"), [1, 2], [3], labels=("a", "b"))
    omitted = split_classes(x, y, positive="b", negative="a", nan_policy="omit")
    assert omitted.rows.omitted == (0, 0)
    assert "x has missing values (NaN) in 1 of 4 rows" in message_of(x, y, positive="b")


MISSING = {
    "NaN": [1, 2, 3, np.nan],
    "None": [1, 2, 3, None],
    "Decimal NaN": [Decimal(1), Decimal(2), Decimal(3), Decimal("nan")],
    "masked": np.ma.array([1, 2, 3, 999], mask=[0, 0, 0, 1]),
}
if pd:
    MISSING |= {
        "pandas Int64": pd.Series([1, 2, 3, pd.NA], dtype="Int64"),
        "pandas Float64": pd.Series([1, 2, 3, pd.NA], dtype="Float64"),
        "polars": pl.Series([1, 2, 3, None]),
        "pyarrow": pa.array([1.0, 2.0, 3.0, None]),
    }


def test_missing_values_are_refused_with_their_rows_or_omitted_and_counted():
    def check(x):
        assert message_of(x, Y) == "x has missing values (NaN) in 1 of 4 rows: 3; pass nan_policy='omit' to omit them"
        classes = split_classes(x, Y, nan_policy="omit")
        assert_split(classes, [1, 2], [3], labels=(0, 1))
        assert classes.rows.omitted == (0, 1)

    check_each(MISSING, check)
    assert message_of([np.nan] * 8 + [1, 1], [0, 1] * 5) == (
        "x has missing values (NaN) in 8 of 10 rows: 0, 1, 2, 3, 4, ...; pass nan_policy='omit' to omit them"
    )
    assert message_of([np.nan] * 5 + [1, 1], [0, 1, 0, 1, 0, 0, 1]) == (
        "x has missing values (NaN) in 5 of 7 rows: 0, 1, 2, 3, 4; pass nan_policy='omit' to omit them"
    )


MISSING_LABELS = {
    "NaN": [0, 0, 1, np.nan],
    "None": [0, 0, 1, None],
    "NaN among text": ["0", "0", "1", np.nan],
    "None among text": ["0", "0", "1", None],
    "masked": np.ma.array([0, 0, 1, 1], mask=[0, 0, 0, 1]),
    "masked text": np.ma.array(["a", "a", "b", "b"], mask=[0, 0, 0, 1]),
    "NaT": np.array(["2020", "2020", "2021", "NaT"], dtype="datetime64[Y]"),
}
if pd:
    MISSING_LABELS |= {
        "pandas Int64": pd.Series([0, 0, 1, pd.NA], dtype="Int64"),
        "pandas boolean": pd.Series([False, False, True, pd.NA], dtype="boolean"),
        "pandas string": pd.Series(["a", "a", "b", pd.NA], dtype="string"),
        "pandas category": pd.Series(["a", "a", "b", None], dtype="category"),
        "polars": pl.Series([0, 0, 1, None]),
        "polars Boolean": pl.Series([False, False, True, None]),
        "polars text": pl.Series(["a", "a", "b", None]),
        "pyarrow": pa.array([0, 0, 1, None]),
        "pyarrow text": pa.array(["a", "a", "b", None]),
    }


def test_several_negative_labels_are_shown(tmp_path):
    """A third label, such as 9 for unknown, is negative unless ``negative`` is named; curves and the report say so."""
    x, y = np.arange(40.0), [0, 1, 0, 9] * 10
    several = {"positive": 1}
    for curve in (rp.empirical_roc(x, y, **several), rp.predict_roc(x, y, **several)):
        assert curve.negative_labels == (0, 9)
        assert repr(curve).endswith(", negative_labels=(0, 9))")
        assert ["negative labels", "0, 9"] in curve.table().rows
    for options in (several | {"negative": 0}, {"positive": 0, "negative": 9}):
        assert "negative_labels" not in repr(rp.empirical_roc(x, y, **options))
    assert rp.empirical_roc(x[:40:2], [0, 0, 0, 9] * 5, positive=9).negative_labels == ()
    report = rp.feature_report(x, y, tmp_path / "r.html", feature="x", n_resamples=20, **several)
    assert "rest is negative (0, 9)" in re.sub("<[^>]*>", "", report.read_text(encoding="utf-8"))


@for_each(MISSING_LABELS)
def test_missing_labels_are_never_a_class(y):
    assert message_of(X, y) == "y has missing values (NaN) in 1 of 4 rows: 3; pass nan_policy='omit' to omit them"
    label = check_labels(y, X, nan_policy="omit")[2]
    rows = split_classes(X, y, positive=label, nan_policy="omit").rows
    assert (rows.negative.tolist(), rows.positive.tolist(), rows.omitted) == ([0, 1], [2], (0, 0))
    assert rows.n_unlabelled == 1


REFUSALS = {
    "positive='sick' is not a label in y; labels are ['healthy', 'ill']": (["ill"] * 2 + ["healthy"] * 2, "sick"),
    "positive='1' is not a label in y; labels are [0, 1]; did you mean 1?": (Y, "1"),
    "labels are [False, True]; did you mean True?": ([False, False, True, True], "true"),
    "labels are ['False', 'True']; did you mean 'True'?": (["False", "True"] * 2, True),
    "labels are ['0', '1.0']; did you mean '1.0'?": (["0", "1.0"] * 2, 1),
    "positive=nan is not a label in y": (Y, np.nan),
    "positive=[1] is not a label in y": (Y, [1]),
    "positive=array([1]) is not a label in y": (Y, np.array([1])),
    "negative=7 is not a label in y; labels are [0, 1]": (Y, 1, 7),
    "negative=1 is also the positive label; pass two different labels": (Y, 1, 1),
    "labels are [1, 2], and only {0, 1}, {-1, 1} and booleans have a default positive label": ([1, 1, 2, 2],),
    "positive= is needed: labels are [-1, 0, 1], and only": ([-1, 0, 1, 1],),
    "y has only the label 1; two classes are needed": ([1, 1, 1, 1],),
    "y has only the label 'a'; two classes are needed": (["a"] * 4, "a"),
    "y is empty; pass one label for each row": ([],),
    "x has 4 values and y has 3; both must have the same length": ([0, 0, 1],),
    "y has shape (4, 1); pass an array of shape (n,) with one label for each row": ([[0], [0], [1], [1]],),
    "y=[[1], [2, 3], [4], [5]] is ragged": ([[1], [2, 3], [4], [5]],),
    "y='abcd' is not an array": ("abcd", "a"),
    "y=1 is not an array": (1,),
    "y has shape ()": (np.int64(1),),
}
if pd:
    REFUSALS |= {"positive=<NA> is not a label in y": (Y, pd.NA)}
REFUSED_VALUES = {
    "x has shape (4, 2); pass one feature of shape (n,)": [np.ones((4, 2))],
    "x=[[1], [2, 3], [4], [5]] is ragged": [[[1], [2, 3], [4], [5]]],
    "x is empty; pass one value for each row": [[]],
    "x={'a': 1} is not an array; pass one value for each row": [{"a": 1}],
    "x={1, 2} is not an array": [{1, 2}],
    "x=3.0 is not an array": [3.0],
    "x=None is not an array": [None],
    "x contains text such as '1'; numbers are needed": [["1", "2", "3", "4"]],
    "x contains text such as 'a'; numbers are needed": [[1, "a", 3, 4]],
    "x contains bytes such as b'1'; numbers are needed": [[b"1", b"2", b"3", b"4"]],
    "x contains complex numbers such as 1j; numbers are needed": [[1j, 2, 3, 4]],
    "x contains complex numbers": [np.ma.array([1j, 2, 3, 4])],
    "x contains dates such as '2020-01-01'; numbers": [np.array(["2020"] * 4, dtype="M8[Y]")],
    "x contains dates such as '2020-01-02 12:00:00'; numbers": [np.array(["NaT", *["2020-01-02T12"] * 3], "M8[ns]")],
    "x contains durations such as '0:00:01'; numbers": [np.array([1, 2, 3, 4], dtype="m8[s]")],
    "x contains objects (int, object) that cannot all be converted": [[1, object(), 3, 4]],
    "x contains integers beyond 2**53 that float64 cannot distinguish; subtract an offset first": [
        [2**53 + 1, 2, 3, 4],
        [2**53 + 1, 0.5, 3, 4],
        np.array([2**63 - 1, 2, 3, 4]),
        np.array([2**64 - 1, 2, 3, 4], dtype=np.uint64),
        [10**30 + 1, 2, 3, 4],
        [10**400, 2, 3, 4],
        np.ma.array([2**53 + 1, 2, 3, 4], mask=[0, 0, 1, 0]),
    ],
    "cannot all be converted to float": [[Fraction(10**400), 2, 3, 4], [Decimal("sNaN"), 2, 3, 4]],
}
if pd:
    REFUSED_VALUES |= {"x has shape (4, 1); pass one feature of shape (n,)": [pd.DataFrame({"a": X})]}


def test_refusals_name_the_argument_the_value_and_what_is_accepted():
    messages = {
        words: message_of(X, y, **dict(zip(CLASSES, labels, strict=False))) for words, (y, *labels) in REFUSALS.items()
    }
    assert [words for words, message in messages.items() if words not in message] == []
    assert [words for words, values in REFUSED_VALUES.items() for x in values if words not in message_of(x, Y)] == []
    assert "'s08', 's09', ...] (30 in all)" in message_of(range(30), [f"s{i:02}" for i in range(30)], positive="zz")
    assert message_of(X, Y, nan_policy="drop") == "nan_policy='drop' is not allowed; choose one of 'raise', 'omit'"
    words = "all observations of the positive class have missing values; labels are [0, 1]"
    assert message_of([1, 2, np.nan, np.nan], Y, nan_policy="omit") == words
    words = "x contains text such as 'a'; numbers are needed (were x and y exchanged?)"
    assert message_of(["a", "b", "a", "b"], [1, 2, 3, 4], positive="a") == words
    words = "x contains text such as {!r}; numbers are needed"
    hint = "(write a decimal point, no thousands separator and no unit)"
    for cell in ("1.100,5", "7%", "3 mg"):
        for x in ([cell] * 4, np.array([cell] * 4, dtype=object)):
            assert message_of(x, Y) == f"{words.format(cell)} {hint}"
    remedies = {
        "7": "; convert the text to numbers, for example with astype(float)",
        "case 7": " (were x and y exchanged?)",
    }
    for cell, remedy in remedies.items():
        for x in ([cell] * 4, np.array([cell] * 4, dtype=object)):
            assert message_of(x, Y) == f"{words.format(cell)}{remedy}"
    words = "y has 30 different values, too many for class labels (were x and y exchanged?)"
    assert message_of([0, 1] * 15, np.linspace(0, 1, 30)) == words


def test_the_range_of_float64():
    lowest = np.iinfo(np.int64).min
    assert split_classes(np.array([lowest, 2**60]), [0, 1]).negative.tolist() == [float(lowest)]
    assert split_classes([2**100, 1], [0, 1]).negative.tolist() == [2.0**100]
    huge = np.array([np.finfo(np.longdouble).max, 1], dtype=np.longdouble)
    if np.isinf(float(huge[0])):  # elsewhere a long double is a double
        assert message_of(huge, [0, 1]) == "x contains numbers beyond the range of float64; pass smaller numbers"
    assert_split(split_classes([1, np.inf, -np.inf, 3], Y), [1, np.inf], [-np.inf, 3], labels=(0, 1))


def test_many_numbers_as_labels_of_a_screening():
    """Fractions are measurements; whole numbers such as ages may be labels, with a warning."""
    ages, x = np.tile(np.arange(30), 4), {"x": np.arange(120.0)}
    with pytest.warns(rp.AssumptionWarning, match="^y has 30 different numbers, and each would be a separate"):
        assert len(rp.screen(x, ages).class_pairs) == 30
    rp.screen(x, ages, positive=3)
    assert "y has 30 different values, too many for class labels" in refusal(lambda: rp.screen(x, ages / 4))
