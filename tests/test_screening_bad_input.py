"""Bad input to a screening: a flagged row for the feature, or one clear message; other features are not changed."""

import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse

import rocpredict as rp
from rocpredict.base.results import FLAG_DESCRIPTIONS
from tests.cases import CORE, ENGINES, check_each, refusal, refuses

ROWS = 40
Y = np.arange(ROWS) % 2
GOOD = np.random.default_rng(30).normal(size=ROWS) + Y
OTHER = np.random.default_rng(31).normal(size=ROWS) - 0.7 * Y
X = np.column_stack([GOOD, OTHER])
OF_A_PREDICTION = ["effect_size", "auc", "auc_low", "auc_high", "threshold", "ameans", "ameans_corrected"]
OF_A_PREDICTION += ["tpr", "fpr", "misfit"]
UNKNOWN = (*OF_A_PREDICTION, "empirical_auc", "empirical_se", "empirical_low", "empirical_high", "p_value", "q_value")
engines = pytest.mark.parametrize("engine", ENGINES)


def refused(*arguments, call=rp.screen, **options):
    """Return the message of the refusal, which is one line."""
    return refusal(call, *arguments, **options)


def assert_refused(cases):
    """Check the message of each call."""
    messages = {words: refused(*arguments, **options) for words, (*arguments, options) in cases.items()}
    assert {words: message for words, message in messages.items() if words not in message} == {}


def _at(rows, value, base=GOOD):
    return np.where(np.isin(np.arange(ROWS), rows), value, base)


NAN, INF = np.nan, np.inf
BAD = {
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
def test_a_bad_feature_is_flagged_and_its_neighbours_are_as_without_it(engine, empirical):
    """All kinds of bad features in one table: each has its flag, the two good ones their numbers to the last bit."""
    table = np.column_stack([GOOD, *(values for values, _ in BAD.values()), OTHER])
    options = {"engine": engine, "empirical": empirical, "moments": 4}
    for form in (np.asarray, np.asfortranarray, sparse.csc_array, sparse.csr_array):
        result = rp.screen(form(table), Y, feature_names=["good", *BAD, "other"], **options).in_input_order()
        alone = rp.screen(form(X), Y, feature_names=["good", "other"], **options).in_input_order()
        for row, (name, (_, flag)) in enumerate(BAD.items(), start=1):
            if flag != "perfect_reversal" or empirical:
                assert flag in result["flags"][row].split(), name
        assert set(" ".join(result["flags"]).split()) <= set(FLAG_DESCRIPTIONS)
        for name in alone:
            if name not in {"q_value", "feature"}:
                np.testing.assert_array_equal(result[name][[0, -1]], alone[name], err_msg=name)


@pytest.mark.parametrize("empirical", [True, False])
def test_undefined_results_are_nan(empirical):
    """Without two moments in each class nothing is predicted; without values nothing is computed."""

    def check(case):
        values, flag = case
        row = rp.screen(np.column_stack([GOOD, values]), Y, empirical=empirical).feature("x1")
        unknown = UNKNOWN if flag == "no_values" or not empirical else OF_A_PREDICTION
        assert [column for column in unknown if not np.isnan(row[column][0])] == []
        if flag != "no_values" and empirical:
            there = ~np.isnan(values)
            assert row["empirical_auc"][0] == rp.empirical_roc(values[there], Y[there]).auc()
            assert 0 < row["p_value"][0] <= 1

    undefined = {"no_values", "single_observation", "infinite"}
    check_each({name: case for name, case in BAD.items() if case[1] in undefined}, check)


@engines
def test_few_tiny_and_no_values(engine):
    """Two values of a class are enough, one has an empirical AUC, none is flagged; tiny values are not equal."""
    for labels, defined in (([0, 0, 1, 1], True), ([0, 1, 1, 1], False), ([0, 1], False)):
        table = rp.screen(X[: len(labels)], labels, engine=engine)
        assert np.isnan(table["auc"]).any() == (not defined)
        assert ("single_observation" in table.flags) == (not defined)
        assert not np.isnan(table["empirical_auc"]).any()
    assert rp.screen(X, Y, weights=1.0 - Y, engine=engine)["flags"].tolist() == ["no_values"] * 2
    table = rp.screen(np.full((ROWS, 3), np.nan), Y, engine=engine)
    assert table["flags"].tolist() == ["no_values"] * 3
    assert np.isnan([table[name] for name in UNKNOWN]).all()
    assert repr(table) == "ScreeningResult(3 rows, negative 0, positive 1)"
    assert "no_values" in table._repr_html_()
    assert (table["n_missing"] == ROWS).all()
    for scale in (1e-170, 1e-300):  # squares below the range of float64
        row = rp.screen((GOOD * scale)[:, None], Y, engine=engine)
        assert row["empirical_auc"][0] == rp.empirical_roc(GOOD, Y).auc()
        assert not {"label_leakage", "constant", "point_mass"} & set(row["flags"][0].split())
        assert not row["auc"][0] > 0.99


BAD_TABLES = {
    "column 'a' contains": {"a": [object()] * 39 + [1.0]},
    "column 'b' contains 'two' at row 1, which is not a number": {"a": GOOD, "b": [1.0, "two"] * 20},
    "beyond 2**53 that float64 cannot distinguish; subtract an offset first": np.full((ROWS, 2), 2**53 + 1),
    "table.csv: No such file": "table.csv",
}
NEEDED = "positive= is needed: "
BAD_LABELS = {
    "X has 40 rows and y has 39; both must have the same length": (Y[:-1],),
    "positive='1' is not a label in y; labels are [0, 1]": (Y, "1"),
    "positive=nan is not a label in y; labels are [0, 1]": (Y, np.nan),
    NEEDED + "which of the labels ['a', 'b'] is the positive class?": (np.array(["b", "a"])[Y],),
    NEEDED + "labels are [4, 5], and only {0, 1}, {-1, 1} and booleans have a default positive label": (Y + 4,),
    "y=3 is not an array; pass one value for each row": (3,),
    "y has 40 different values, too many for class labels": (GOOD,),
}
BAD_OPTIONS = {
    "level=95 is outside the open interval (0, 1); pass fractions, not percentages": {"level": 95},
    "level=0 is outside the open interval (0, 1)": {"level": 0},
    "level=nan contains NaN": {"level": NAN},
    "level=[0.9, 0.95] has shape (2,); pass one number": {"level": [0.9, 0.95]},
    "adjust='bh' is not allowed; choose one of 'benjamini-hochberg', 'benjamini-yekutieli', ": {"adjust": "bh"},
    "engine='cuda' is not allowed; choose one of 'auto', 'numpy', 'numba'": {"engine": "cuda"},
    "n_jobs=0 is not valid; pass a positive integer, or -1 for one thread per processor": {"n_jobs": 0},
    "n_jobs=-2 is not valid; pass a positive integer, or -1 for one thread per processor": {"n_jobs": -2},
    "n_jobs=1.5 is not an integer": {"n_jobs": 1.5},
    "n_top=0 is below 1": {"n_top": 0},
    "n_top=2.5 is not an integer": {"n_top": 2.5},
    "pairs='ovr' is not allowed; choose one of 'rest', 'all'": {"pairs": "ovr"},
    "pairs=None is not allowed; choose one of 'rest', 'all'": {"pairs": None},
    "empirical='yes' is not allowed; choose one of True, False, 'top'": {"empirical": "yes"},
    "moments=3 is not allowed; choose one of 2, 4": {"moments": 3},
    "direction='<' is not allowed; choose one of 'auto', None, 'higher', 'lower'": {"direction": "<"},
    "nan_policy='drop' is not allowed; choose one of 'omit', 'raise'": {"nan_policy": "drop"},
    "family='weibull' is not available for screening; use 'gaussian'": {"family": "weibull"},
    "is not available for screening; use 'gaussian'": {"family": rp.Gaussian(0, 1)},
    "weights has shape (3,); pass one weight for each of the 40 rows": {"weights": np.ones(3)},
    "is negative; it must be 0 or more": {"weights": -np.ones(ROWS)},
    "contains NaN; real numbers are needed": {"weights": np.full(ROWS, NAN)},
    "contains infinite values; finite numbers are needed": {"weights": np.full(ROWS, INF)},
    "weights has shape (); pass one weight for each of the 40 rows": {"weights": 2.0},
    "progress=True is not": {"progress": True},
}


def test_arguments_that_are_refused():
    assert_refused({words: (table, Y, {}) for words, table in BAD_TABLES.items()})
    for words, (labels, *classes) in BAD_LABELS.items():
        assert_refused({words: (X, labels, dict(zip(("positive", "negative"), classes, strict=False)))})
    for rows, labels in {
        "1 of 40 rows: 5": np.where(np.arange(ROWS) == 5, NAN, Y),
        "1 of 40 rows: 0": [None, *Y[1:].tolist()],
        "20 of 40 rows: 1, 3, 5, 7, 9, ...": ["a", None] * 20,
    }.items():
        words = f"y has missing values (NaN) in {rows}; pass nan_policy='omit' to omit them"
        assert_refused({words: (X, labels, {"nan_policy": "raise"})})
    assert_refused({words: (X, Y, options) for words, options in BAD_OPTIONS.items()})
    assert "different values" in refused(np.zeros((33_000, 1)), np.arange(33_000))
    assert refused(X, Y, pairs="ovr").endswith("choose one of 'rest', 'all'")


def test_labels_of_several_kinds_and_a_label_called_rest():
    """Text and numbers in one column are classes; the label "rest" differs from all other classes together."""
    labels = np.array(["a", "b", 2.5] * 14, dtype=object)[:ROWS]
    table = rp.screen(X, labels)
    assert len(table.class_pairs) == 3
    assert len(table) == 6
    labels = np.array(["a", "rest", "b"])[np.arange(ROWS) % 3]
    named, others = (rp.screen(X, labels, positive="a", negative=negative) for negative in ("rest", None))
    assert (named["n_negative"] != others["n_negative"]).all()
    assert named.class_pairs != others.class_pairs
    assert all(negative != positive for negative, positive in rp.screen(X, labels).class_pairs)


def test_options_are_checked_first_and_may_be_numpy_scalars():
    for options in ({"level": 2}, {"adjust": "x"}, {"engine": "x"}, {"n_jobs": 0}, {"n_top": 0}, {"direction": "x"}):
        assert next(iter(options)) in refused(None, Y, **options)
    options = {"empirical": np.True_, "moments": np.int64(4), "n_top": np.int32(1), "n_jobs": np.int64(2)}
    for name, value in [*options.items(), ("empirical", np.False_), ("level", np.float32(0.5))]:
        result, expected = (rp.screen(X, Y, **{name: scalar}) for scalar in (value, value.item()))
        for column in expected:
            np.testing.assert_array_equal(result[column], expected[column])


def test_without_numba(monkeypatch):
    """engine="numba" is refused with the command that installs it; "auto" uses numpy, also if the import fails."""
    monkeypatch.setattr("rocpredict.screening.kernels.base._numba_works", lambda: False)
    assert refused(X, Y, engine="numba") == "engine='numba' needs numba: pip install 'rocpredict[fast]'"
    result, expected = rp.screen(X, Y), rp.screen(X, Y, engine="numpy")
    for name in expected:
        np.testing.assert_array_equal(result[name], expected[name])
    code = (
        "import sys; sys.modules['numba'] = None; import numpy as np, rocpredict as rp; "
        "print(len(rp.screen(np.arange(12.0).reshape(6, 2), np.arange(6) % 2)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout == "2\n"


def test_a_dataset_is_refused_with_the_names_of_its_arrays():
    iris = rp.datasets.load_iris()
    for arguments in ((iris,), (iris, iris.y), (iris, "label")):
        message = "X is a Dataset, which contains features and labels; pass data.X and data.y"
        assert refused(*arguments, positive="virginica") == message
    refuses("X is a Dataset, which contains features and labels", rp.summarize, iris, positive="virginica")


@pytest.mark.extra("pandas", "polars")
def test_missing_values_are_refused_on_request(monkeypatch):
    """Up to five features are named, in any form of the table; rows of no class and text do not count."""
    import pandas as pd
    import polars as pl

    features = np.column_stack([X] * 4)
    features[0, [1, 3, 4, 5, 6, 7]] = NAN
    features[1, 1] = NAN
    message = "X has 7 missing values (NaN) in 6 features: x1, x3, x4, x5, x6, ...; pass nan_policy='omit' to omit them"
    assert refused(features, Y, nan_policy="raise") == message
    for engine in ENGINES:
        for make in (sparse.csc_array, sparse.csr_array):
            assert refused(make(features), Y, nan_policy="raise", engine=engine) == message
    with monkeypatch.context() as patch:
        patch.setattr("rocpredict.sources.blocks.BLOCK_BYTES", 1)
        frame = pl.DataFrame(features, schema=[f"x{j}" for j in range(8)])
        assert refused(frame, Y, nan_policy="raise") == message
    labels = np.where(np.arange(ROWS) < 2, 2, Y)
    table = rp.screen(features, labels, positive=1, negative=0, nan_policy="raise")
    assert table["n_missing"].sum() == 0
    frame = pd.DataFrame({"size": GOOD, "name": [f"case {k}" for k in range(ROWS)]})
    table = rp.screen(frame, Y, nan_policy="raise").in_input_order()
    assert table["flags"].tolist()[1] == "not_numeric"
    assert table["n_missing"].tolist() == [0, 0]
    assert table["flags"].tolist()[0] == rp.screen(frame[["size"]], Y)["flags"][0]


def _batches():
    return [(X[:20], Y[:20]), (X[20:], Y[20:])]


def test_batches_have_no_empirical_auc():
    """Exact AUCs need all rows at once; the message says which inputs go with empirical=False."""
    words = (
        "y is missing; pass one label for each row or, if X consists of (X, y) batches, pass empirical=False or "
        "empirical='histogram'"
    )
    summary = (
        "needs observations, but X is a summary; pass empirical=False or, if the summary contains histograms, "
        "empirical='histogram'"
    )
    for empirical in (True, "top"):
        for data in (_batches(), X):
            assert refused(data, empirical=empirical) == words
        assert refused(rp.summarize(X, Y), empirical=empirical) == f"{empirical=} {summary}"
    assert "y is missing, and X=array(" in refused(X, empirical=False)


@pytest.mark.extra("pandas")
def test_options_that_batches_and_summaries_do_not_accept():
    import pandas as pd

    missing = np.where(np.arange(2 * ROWS).reshape(ROWS, 2) == 0, NAN, X)
    for data, lacking in ((_batches(), [(missing, Y)]), (rp.summarize(X, Y), rp.summarize(missing, Y))):
        for name, value in (("weights", np.arange(ROWS)), ("pairs", "nonsense"), ("feature_names", ["only one"])):
            assert name in refused(data, empirical=False, **{name: value})
        words = refused(lacking, empirical=False, nan_policy="raise")
        assert "1 missing value (NaN) in 1 feature: x0" in words
    for name, value in (("positive", "nonsense"), ("positive", 0), ("negative", 1), ("moments", 4)):
        assert name in refused(rp.summarize(X, Y), empirical=False, **{name: value})
    assert len(rp.screen(rp.summarize(X, Y).select([]), empirical=False)) == 0
    frames = [(pd.DataFrame({"a": X[k::2, 0], "b": X[k::2, 1]}), np.arange(20) % 2) for k in (0, 1)]
    assert len(rp.screen(frames, empirical=False)) == 2
    frames[1] = (frames[1][0].rename(columns={"b": "c"}), frames[1][1])
    words = "a batch has the features a, c, but the first batch has a, b; pass the same features in each batch"
    assert refused(frames, empirical=False) == words
    assert "cannot be added" in refused(frames, empirical=False, positive=1)


def test_refusals_of_the_result():
    table = rp.screen(X, Y)
    cases = {
        "column='p' is not allowed; choose one of 'feature', 'n_negative'": (table.__getitem__, "p"),
        "by='p' is not allowed; choose one of 'discrimination', 'feature'": (table.sort, "p"),
        "k=-1 is below 0; pass 0 or more": (table.top, -1),
        "k=1.5 is not an integer": (table.top, 1.5),
        "name='x7' is not a feature of this table": (table.feature, "x7"),
        "name='X0' is not a feature of this table; see table['feature']; did you mean 'x0'?": (table.feature, "X0"),
        "name=0 is not a feature of this table": (table.feature, 0),
        "is not a feature of this table": (table.feature, ["x0", "x1", "x0"]),
        "kind='pie' is not allowed": (table.plot, "pie"),
        "no/such/folder.csv cannot be written": (table.to_csv, "no/such/folder.csv"),
    }
    if not CORE:
        cases["no/such/folder.parquet cannot be written"] = table.to_parquet, "no/such/folder.parquet"
    assert_refused({words: (argument, {"call": method}) for words, (method, argument) in cases.items()})
