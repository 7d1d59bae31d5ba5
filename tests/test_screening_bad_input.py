"""Bad input to a screening: a flagged row for the feature, or one clear message; the other features are answered."""

import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

import rocpredict as rp
from rocpredict.base.results import FLAG_DESCRIPTIONS
from rocpredict.base.validation import RocPredictError

ROWS = 40
Y = np.arange(ROWS) % 2
GOOD = np.random.default_rng(30).normal(size=ROWS) + Y
OTHER = np.random.default_rng(31).normal(size=ROWS) - 0.7 * Y
X = np.column_stack([GOOD, OTHER])
UNKNOWN = (
    *("effect_size", "auc", "auc_low", "auc_high", "threshold", "ameans", "ameans_corrected", "tpr", "fpr", "misfit"),
    *("empirical_auc", "empirical_se", "empirical_low", "empirical_high", "p_value", "q_value"),
)
OF_A_PREDICTION = UNKNOWN[:10]
engines = pytest.mark.parametrize("engine", ["numpy", "numba"])


def refused(*arguments, **options):
    """Give the message of the refusal; anything else fails."""
    with pytest.raises(RocPredictError) as error:
        rp.screen(*arguments, **options)
    assert "\n" not in str(error.value)
    return str(error.value)


# Features: a flagged row each, and the neighbours as without it


def _at(rows, value, base=GOOD):
    return np.where(np.isin(np.arange(ROWS), rows), value, base)


NAN, INF = np.nan, np.inf
ONLY = {
    "all missing": (np.full(ROWS, NAN), "no_values"),
    "missing in the positives": (np.where(Y == 1, NAN, GOOD), "no_values"),
    "missing in the negatives": (np.where(Y == 0, NAN, GOOD), "no_values"),
    "a single positive": (np.where((Y == 0) | (np.arange(ROWS) == 1), GOOD, NAN), "single_observation"),
    "one of each": (np.where(np.arange(ROWS) < 2, GOOD, NAN), "single_observation"),
    "an infinity": (_at([3], INF), "infinite"),
    "a negative infinity": (_at([2], -INF), "infinite"),
    "both infinities in a class": (_at([1], INF, _at([3], -INF)), "infinite"),
    "nothing but infinity": (np.full(ROWS, INF), "infinite"),
    "infinite positives": (np.where(Y == 1, INF, GOOD), "infinite"),
    "beyond float64 in square": (GOOD * 1e200, "infinite"),
    "the ends of float64": (np.where(Y == 1, 1.7e308, -1.7e308) * (1 - 0.1 * np.abs(OTHER) / 9), "infinite"),
    "constant": (np.full(ROWS, 7.1), "constant"),
    "constant zero": (np.where(Y == 1, 0.0, -0.0), "constant"),
    "the labels": (Y * 1.0, "label_leakage"),
    "the labels reversed": (5.0 - Y, "label_leakage"),
    "the labels with holes": (_at([0, 1], NAN, Y * 1.0), "label_leakage"),
    "a constant class": (np.where(Y == 1, 3.0, GOOD), "point_mass"),
    "apart": (GOOD + 100 * Y, "perfect_separation"),
    "apart the other way": (GOOD - 100 * Y, "perfect_reversal"),
}


@engines
@pytest.mark.parametrize("empirical", [True, False, "top"])
@pytest.mark.parametrize("form", ["dense", "Fortran", "csc", "csr"])
def test_a_bad_feature_is_flagged_and_its_neighbours_are_as_without_it(engine, empirical, form):
    """All kinds of bad features in one table: each has its flag, the two good ones their numbers to the last bit."""
    table = np.column_stack([GOOD, *(values for values, _ in ONLY.values()), OTHER])
    make = {"dense": np.asarray, "Fortran": np.asfortranarray, "csc": sparse.csc_array, "csr": sparse.csr_array}[form]
    options = {"engine": engine, "empirical": empirical, "moments": 4}
    found = rp.screen(make(table), Y, feature_names=["good", *ONLY, "other"], **options).in_input_order()
    alone = rp.screen(make(X), Y, feature_names=["good", "other"], **options).in_input_order()
    for place, (name, (_, flag)) in enumerate(ONLY.items(), start=1):
        if flag != "perfect_reversal" or empirical:
            assert flag in found["flags"][place].split(), name
    assert set(" ".join(found["flags"]).split()) <= set(FLAG_DESCRIPTIONS)
    for name in alone:
        if name not in {"q_value", "feature"}:
            np.testing.assert_array_equal(found[name][[0, -1]], alone[name], err_msg=name)


@pytest.mark.parametrize(
    "name", [name for name, (_, flag) in ONLY.items() if flag in {"no_values", "single_observation", "infinite"}]
)
@pytest.mark.parametrize("empirical", [True, False])
def test_what_is_not_known_is_nan(name, empirical):
    """Without two moments in each class nothing predicted is there, the honest Ameans neither; no values, no answer."""
    values, flag = ONLY[name]
    row = rp.screen(np.column_stack([GOOD, values]), Y, empirical=empirical).feature("x1")
    unknown = UNKNOWN if flag == "no_values" or not empirical else OF_A_PREDICTION
    assert [column for column in unknown if not np.isnan(row[column][0])] == []
    if flag != "no_values" and empirical:
        there = ~np.isnan(values)
        assert row["empirical_auc"][0] == rp.empirical_roc(values[there], Y[there]).auc()
        assert 0 < row["p_value"][0] <= 1


@pytest.mark.parametrize("scale", [1e-170, 1e-300])
def test_tiny_values_are_not_called_equal(scale):
    """Squares below the range of float64: values differ, so no flag "constant" and no AUC of 1."""
    row = rp.screen((GOOD * scale)[:, None], Y)
    assert row["empirical_auc"][0] == rp.empirical_roc(GOOD, Y).auc()
    assert not {"label_leakage", "constant", "point_mass"} & set(row["flags"][0].split())
    assert not row["auc"][0] > 0.99


@engines
def test_a_table_of_bad_features_only(engine):
    """Nothing can be said of any feature, and that is said of each."""
    table = rp.screen(np.full((ROWS, 3), np.nan), Y, engine=engine)
    assert table["flags"].tolist() == ["no_values"] * 3
    assert np.isnan([table[name] for name in UNKNOWN]).all()
    assert repr(table) == "ScreeningResult(3 rows, negative 0, positive 1)"
    assert "no_values" in table._repr_html_()
    assert (table["n_missing"] == ROWS).all()


def test_a_class_without_weight_is_a_class_without_values():
    weighed = rp.screen(X, Y, weights=1.0 - Y)
    assert weighed["flags"].tolist() == ["no_values"] * 2


@engines
def test_two_rows_of_a_class_are_enough_and_one_is_not(engine):
    """Classes of 2 and 2, of 1 and 3, of 1 and 1: predicted, then flagged; counted always."""
    for labels, known in (([0, 0, 1, 1], True), ([0, 1, 1, 1], False), ([0, 1], False)):
        rows = len(labels)
        table = rp.screen(X[:rows], labels, engine=engine)
        assert np.isnan(table["auc"]).any() == (not known)
        assert ("single_observation" in table.flags) == (not known)
        assert not np.isnan(table["empirical_auc"]).any()


# Tables

TABLES = [
    (GOOD, "X has shape (40,); give a table of shape (n, features); X[:, None] makes a table of one feature"),
    (X[None], "X has shape (1, 40, 2); give a table of shape (n, features)"),
    (X[:0], "X has shape (0, 2): no rows; give one or more of both"),
    (X[:, :0], "X has shape (40, 0): no columns; give one or more of both"),
    (np.array(3.0), "X has shape (); give a table of shape (n, features)"),
    ([], "X is empty; give a table of shape (n, features)"),
    (X * 1j, "X holds complex numbers; real numbers are needed"),
    (sparse.csr_array(X * 1j), "X is a sparse matrix of complex128; real numbers are needed"),
    (sparse.csr_array((40, 0)), "X has shape (40, 0): no columns; give one or more of both"),
    (X.astype(str), "X has no column of numbers; all 2 hold text, dates or other things: 'x0', 'x1'"),
    (X.astype("datetime64[s]"), "X has no column of numbers; all 2 hold text, dates or other things: 'x0', 'x1'"),
    ([[1.0, 2.0], [3.0]] * 20, "X is ragged: row 1 has 1 values where row 0 has 2"),
    (pd.DataFrame(X, columns=["a", "a"]), "X has the column name 'a' twice; features need different names"),
    (pd.DataFrame(X, columns=[1, "1"]), "X has the column names '1' and 1, which are the same as text"),
    (pd.DataFrame(), "X has no columns; give one feature or more"),
    (pl.DataFrame({"a": []}), "X has shape (0, 1): no rows"),
    (pd.DataFrame({"a": [object()] * 39 + [1.0]}), "column 'a' holds"),
    ({"a": GOOD, "b": GOOD[:-1]}, "X has columns of different lengths: 'a' has 40 rows, 'b' 39"),
    ({"a": GOOD, "b": [1.0, "two"] * 20}, "column 'b' holds 'two' at row 1, which is not a number, among numbers"),
    (np.full((ROWS, 2), 2**53 + 1), "integers beyond 2**53 that float64 cannot tell apart; subtract an offset first"),
    ("table.csv", "X='table.csv' is not a table; give an array of shape (n, features)"),
    (None, "X=None is not a table"),
    (5, "X=5 is not a table"),
]


@pytest.mark.parametrize(("table", "words"), TABLES)
def test_what_is_no_table(table, words):
    assert words in refused(table, Y)


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["a"], "feature_names has 1 names and X has 2 columns; give one for each"),
        (["a", "b", "c"], "feature_names has 3 names and X has 2 columns; give one for each"),
        ("ab", "feature_names='ab' is not a list of names; give one for each column of X"),
        (7, "feature_names=7 is not a list of names"),
        (["a", "a"], "the column name 'a' twice; features need different names"),
        ([1, "1"], "the column names '1' and 1, which are the same as text"),
    ],
)
def test_names_that_do_not_fit(names, words):
    """Said of feature_names=, which is what the argument is called."""
    assert words in refused(X, Y, feature_names=names)


# Labels


@pytest.mark.parametrize(
    ("labels", "options", "words"),
    [
        (Y[:-1], {}, "X has 40 rows and y has 39; they must have as many"),
        (np.r_[Y, 0], {}, "X has 40 rows and y has 41; they must have as many"),
        (np.where(np.arange(ROWS) == 5, NAN, Y), {}, "y has 1 missing (NaN) of 40, at rows 5; leave these rows out"),
        ([None, *Y[1:].tolist()], {}, "y has 1 missing (NaN) of 40, at rows 0; leave these rows out"),
        (pd.Series(["a", pd.NA] * 20), {"positive": "a"}, "y has 20 missing (NaN) of 40, at rows 1, 3, 5, 7, 9, ..."),
        (np.zeros(ROWS), {}, "y has the one label 0.0; two classes are needed"),
        (["a"] * ROWS, {"positive": "a"}, "y has the one label 'a'; two classes are needed"),
        (Y, {"positive": 5}, "positive=5 is not a label in y; labels are [0, 1]"),
        (Y, {"positive": "1"}, "positive='1' is not a label in y; labels are [0, 1]"),
        (Y, {"positive": [1]}, "positive=[1] is not a label in y; labels are [0, 1]"),
        (Y, {"positive": np.nan}, "positive=nan is not a label in y; labels are [0, 1]"),
        (Y, {"negative": 5}, "negative=5 is not a label in y; labels are [0, 1]"),
        (Y, {"positive": 1, "negative": 1}, "negative=1 is also the positive label; name two different ones"),
        (np.array(["b", "a"])[Y], {}, "positive= is needed: which of the labels ['a', 'b'] is the positive class?"),
        (
            Y + 4,
            {},
            "positive= is needed: labels are [4, 5], and only {0, 1}, {-1, 1} and booleans speak for themselves",
        ),
        (Y[:, None], {}, "y has shape (40, 1); give one label for each row, shape (n,)"),
        ([], {}, "y is empty; give one label for each row"),
        (3, {}, "y=3 is not an array; give one value for each row"),
        (GOOD, {}, "y has 40 different values, more than labels would have"),
        ([[0], [1]] * 20, {}, "y has shape (40, 1); give one label for each row"),
        ("outcome", {}, "y='outcome' is not a column of X; columns are 'x0', 'x1'"),
    ],
)
def test_labels_that_do_not_fit(labels, options, words):
    assert words in refused(X, labels, **options)


def test_a_column_of_identities_is_not_taken_for_labels():
    """33,000 different integers are no classes: one clear message, as for as many different floats."""
    rows = 33_000
    assert "different values" in refused(np.zeros((rows, 1)), np.arange(rows))


def test_a_column_that_is_none_is_named_with_those_there_are():
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(**{f"c{k}": GOOD for k in range(20)})
    words = refused(frame, "outcome")
    assert words.startswith("y='outcome' is not a column of X; columns are 'a', 'b', 'c0'")
    assert words.endswith("'c7', ... (22 in all)")
    assert "no column beside the labels" in refused(pd.DataFrame({"y": Y}), "y")


def test_the_labels_among_the_features_are_flagged():
    """Left in the table by mistake the labels come first, and are called what they are."""
    table = rp.screen(pd.DataFrame({"size": GOOD, "outcome": Y}), Y)
    assert table["feature"][0] == "outcome"
    assert "label_leakage" in table["flags"][0].split()
    assert "label_leakage" not in table["flags"][1]


def test_labels_of_two_kinds_and_of_many_kinds():
    """Text and numbers in one column have no order and are classes all the same."""
    labels = np.array(["a", 1, 2.5, True][: ROWS // 10] * 10, dtype=object)
    labels[labels == True] = "b"  # noqa: E712 - 1 goes with it: True equals 1
    table = rp.screen(X, labels)
    assert len(table.class_pairs) == 3
    assert len(table) == 6


def test_a_label_called_rest_is_told_from_the_rest():
    """Two different class pairs do not bear one name, and no class is set against a class of its own name."""
    labels = np.array(["a", "rest", "b"])[np.arange(ROWS) % 3]
    named, others = (rp.screen(X, labels, positive="a", negative=negative) for negative in ("rest", None))
    assert (named["n_negative"] != others["n_negative"]).all()
    assert named.class_pairs != others.class_pairs
    assert all(negative != positive for negative, positive in rp.screen(X, labels).class_pairs)


# Options


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"level": 95}, "level=95 is outside the open interval (0, 1); rates are fractions, not percent"),
        ({"level": 1.0}, "level=1.0 is outside the open interval (0, 1)"),
        ({"level": 0}, "level=0 is outside the open interval (0, 1)"),
        ({"level": "high"}, "level='high' is not a real number"),
        ({"level": NAN}, "level=nan is NaN"),
        ({"level": [0.9, 0.95]}, "level has shape (2,); give one number"),
        ({"adjust": "bh"}, "adjust='bh' is not allowed; choose one of 'benjamini-hochberg', 'benjamini-yekutieli', "),
        ({"adjust": None}, "adjust=None is not allowed; choose one of 'benjamini-hochberg'"),
        ({"engine": "cuda"}, "engine='cuda' is not allowed; choose one of 'auto', 'numpy', 'numba'"),
        ({"engine": None}, "engine=None is not allowed"),
        ({"n_jobs": 0}, "n_jobs=0 is not 1 or more, nor -1 for one on each processor"),
        ({"n_jobs": -2}, "n_jobs=-2 is not 1 or more, nor -1 for one on each processor"),
        ({"n_jobs": 1.5}, "n_jobs=1.5 is not a whole number"),
        ({"n_jobs": None}, "n_jobs=None is not a whole number"),
        ({"n_top": 0}, "n_top=0 is below 1"),
        ({"n_top": 2.5}, "n_top=2.5 is not a whole number"),
        ({"pairs": "ovr"}, "pairs='ovr' is not allowed; choose one of 'rest', 'all'"),
        ({"empirical": "yes"}, "empirical='yes' is not allowed; choose one of True, False, 'top'"),
        ({"empirical": None}, "empirical=None is not allowed; choose one of True, False, 'top'"),
        ({"moments": 3}, "moments=3 is not allowed; choose one of 2, 4"),
        ({"direction": "<"}, "direction='<' is not allowed; choose one of 'auto', None, 'higher', 'lower'"),
        ({"nan_policy": "drop"}, "nan_policy='drop' is not allowed; choose one of 'omit', 'raise'"),
        ({"family": "weibull"}, "family='weibull' is not available; a screening takes 'gaussian'"),
        ({"family": rp.Gaussian(0, 1)}, "is not available; a screening takes 'gaussian'"),
        ({"weights": np.ones(3)}, "weights has shape (3,); give one for each of the 40 rows"),
        ({"weights": -np.ones(ROWS)}, "is negative; it must be 0 or more"),
        ({"weights": np.full(ROWS, NAN)}, "is NaN somewhere; real numbers are needed"),
        ({"weights": np.full(ROWS, INF)}, "is infinite somewhere; finite numbers are needed"),
        ({"weights": 2.0}, "weights has shape (); give one for each of the 40 rows"),
        ({"progress": True}, "progress=True is not"),
    ],
)
def test_options_that_do_not_fit(options, words):
    assert words in refused(X, Y, **options)


def test_what_pairs_may_be_does_not_name_what_is_for_others():
    """None is no choice of ``screen``'s ``pairs``: it is not offered."""
    assert refused(X, Y, pairs="ovr").endswith("choose one of 'rest', 'all'")
    assert "pairs=None is not allowed" in refused(X, Y, pairs=None)


@pytest.mark.parametrize(
    "options",
    [
        {"empirical": np.True_},
        {"empirical": np.False_},
        {"moments": np.int64(4)},
        {"n_top": np.int32(1)},
        {"n_jobs": np.int64(2)},
        {"level": np.float32(0.5)},
    ],
)
def test_numpy_scalars_are_the_values_that_they_hold(options):
    """np.True_ is True: a message that "True is not allowed; choose one of True" helps nobody."""
    plain = {name: value.item() for name, value in options.items()}
    found, expected = (rp.screen(X, Y, **given) for given in (options, plain))
    for name in expected:
        np.testing.assert_array_equal(found[name], expected[name])


def test_options_are_checked_before_the_work():
    """A wrong option is refused though the table is none."""
    for options in ({"level": 2}, {"adjust": "x"}, {"engine": "x"}, {"n_jobs": 0}, {"n_top": 0}, {"direction": "x"}):
        assert next(iter(options)) in refused(None, Y, **options)


def test_numba_that_is_not_there(monkeypatch):
    """Asked for, it is one sentence with the command that installs it; not asked for, numpy does the work."""
    monkeypatch.setattr("rocpredict.screening.kernels.base._numba_works", lambda: False)
    assert refused(X, Y, engine="numba") == "engine='numba' needs numba: pip install 'rocpredict[fast]'"
    found, expected = rp.screen(X, Y), rp.screen(X, Y, engine="numpy")
    for name in expected:
        np.testing.assert_array_equal(found[name], expected[name])


def test_screening_works_where_numba_cannot_be_imported():
    """A process in which the import of numba fails: the numpy engine screens the table."""
    code = (
        "import sys; sys.modules['numba'] = None; import numpy as np, rocpredict as rp; "
        "print(len(rp.screen(np.arange(12.0).reshape(6, 2), np.arange(6) % 2)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout == "2\n"


# Missing values that are refused


def test_missing_values_are_refused_on_request():
    """The features that lack values are named, five at most; rows of no class do not count."""
    held = np.column_stack([X] * 4)
    held[0, [1, 3, 4, 5, 6, 7]] = NAN
    held[1, 1] = NAN
    assert refused(held, Y, nan_policy="raise") == (
        "X has 7 missing values (NaN) in 6 features: x1, x3, x4, x5, x6, ...; nan_policy='omit' leaves them out"
    )
    labels = np.where(np.arange(ROWS) < 2, 2, Y)
    table = rp.screen(held, labels, positive=1, negative=0, nan_policy="raise")
    assert table["n_missing"].sum() == 0


def test_missing_values_are_counted_in_all_of_a_frame(monkeypatch):
    """A frame that is read column by column is refused in the words that its array is refused in."""
    held = np.column_stack([X] * 2)
    held[0, 1:] = NAN
    monkeypatch.setattr("rocpredict.sources.blocks.BLOCK_BYTES", 1)
    words = refused(pl.DataFrame(held, schema=["x0", "x1", "x2", "x3"]), Y, nan_policy="raise")
    assert words == refused(held, Y, nan_policy="raise")


def test_a_column_of_text_is_not_a_missing_value():
    """nan_policy="raise" is about values; what is not numeric is flagged, as under "omit"."""
    frame = pd.DataFrame({"size": GOOD, "name": [f"case {k}" for k in range(ROWS)]})
    table = rp.screen(frame, Y, nan_policy="raise").in_input_order()
    assert table["flags"].tolist()[1] == "no_values not_numeric"
    assert table["flags"].tolist()[0] == rp.screen(frame[["size"]], Y)["flags"][0]


@engines
def test_sparse_missing_values_are_refused_too(engine):
    held = X.copy()
    held[4, 1] = NAN
    for make in (sparse.csc_array, sparse.csr_array):
        words = refused(make(held), Y, nan_policy="raise", engine=engine)
        assert words.startswith("X has 1 missing values (NaN) in 1 features: x1")


# Summaries and batches


def _batches():
    return [(X[:20], Y[:20]), (X[20:], Y[20:])]


def test_batches_cannot_be_counted():
    """Exact AUCs need all rows at once; the message says what goes."""
    words = "y is needed to count the exact AUC; a summary, or batches (X, y), go with empirical=False"
    for empirical in (True, "top"):
        for data in (_batches(), rp.summarize(X, Y), X):
            assert refused(data, empirical=empirical) == words
    assert "y is needed with X=array(" in refused(X, empirical=False)


@pytest.mark.parametrize("kind", ["batches", "summary"])
@pytest.mark.parametrize(
    "options",
    [
        {"weights": np.arange(ROWS)},
        {"pairs": "nonsense"},
        {"feature_names": ["only one"]},
    ],
)
def test_what_batches_and_summaries_cannot_do_is_refused(kind, options):
    """An option that would be ignored without a word is refused in words that name it."""
    data = _batches() if kind == "batches" else rp.summarize(X, Y)
    assert next(iter(options)) in refused(data, empirical=False, **options)


@pytest.mark.parametrize("kind", ["batches", "summary"])
def test_missing_values_are_refused_in_batches_and_summaries(kind):
    held = X.copy()
    held[0, 0] = NAN
    data = [(held, Y)] if kind == "batches" else rp.summarize(held, Y)
    assert "1 missing values (NaN) in 1 features: x0" in refused(data, empirical=False, nan_policy="raise")


@pytest.mark.parametrize("options", [{"positive": "nonsense"}, {"positive": 0}, {"negative": 1}, {"moments": 4}])
def test_a_summary_is_not_something_else(options):
    """Classes that are not those of the summary, moments that it has not."""
    assert next(iter(options)) in refused(rp.summarize(X, Y), empirical=False, **options)


def test_a_summary_of_no_features_is_a_table_of_no_rows():
    assert len(rp.screen(rp.summarize(X, Y).select([]), empirical=False)) == 0


def test_batches_of_text_and_of_holes():
    """A column of text in one batch is as one of missing values; batches with other columns are refused."""
    frames = [(pd.DataFrame({"a": X[k::2, 0], "b": X[k::2, 1]}), np.arange(20) % 2) for k in (0, 1)]
    assert len(rp.screen(frames, empirical=False)) == 2
    frames[1] = (frames[1][0].rename(columns={"b": "c"}), frames[1][1])
    assert "do not add up" in refused(frames, empirical=False)


# Asking the result


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda table: table["p"], "column='p' is not allowed; choose one of 'feature', 'n_negative'"),
        (lambda table: table.sort("p"), "by='p' is not allowed; choose one of 'discrimination', 'feature'"),
        (lambda table: table.top(-1), "k=-1 is negative; it must be 0 or more"),
        (lambda table: table.top(1.5), "k=1.5 is not a whole number"),
        (lambda table: table.feature("x7"), "name='x7' is no feature of this table"),
        (lambda table: table.feature(0), "name=0 is no feature of this table"),
        (lambda table: table.feature(["x0", "x1", "x0"]), "is no feature of this table"),
        (lambda table: table.plot("pie"), "kind='pie' is not allowed"),
        (lambda table: table.to_csv("no/such/folder.csv"), "no/such/folder.csv cannot be written"),
        (lambda table: table.to_parquet("no/such/folder.parquet"), "no/such/folder.parquet cannot be written"),
    ],
)
def test_questions_that_have_no_answer(ask, words):
    with pytest.raises(RocPredictError) as error:
        ask(rp.screen(X, Y))
    assert words in str(error.value)
