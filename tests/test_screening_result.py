"""Tables of a screening: what selects rows, and what is written to files."""

import csv
import io
import json
from decimal import Decimal

import numpy as np
import pytest

import rocpredict as rp
from rocpredict.base.files import format_csv
from rocpredict.base.validation import RocPredictError
from tests.cases import optional, refuses

pd = optional("pandas")
RNG = np.random.default_rng(3)
Y = np.arange(40) % 2
X = RNG.normal(size=(40, 5)) + Y[:, None] * np.linspace(0, 2, 5)
X[:, 4] = np.where(Y == 1, np.inf, X[:, 4])
TABLE = rp.screen(X, Y)
SUMMARY = rp.summarize(X, Y)
KEYS = {
    "index": (1, [1]),
    "negative index": (-1, [4]),
    "NumPy index": (np.int64(2), [2]),
    "slice": (slice(1, 4, 2), [1, 3]),
    "list": ([3, 0], [3, 0]),
    "tuple": ((3, 0), [3, 0]),
    "array": (np.array([4, 4]), [4, 4]),
    "nothing": ([], []),
    "mask": (np.array([True, False, True, False, False]), [0, 2]),
    "list of booleans": ([False, True, False, False, False], [1]),
}
WRONG_KEYS = {
    "True": True,
    "None": None,
    "float": 1.0,
    "floats": [0.0, 1.0],
    "beyond": 5,
    "beyond in a list": [0, 9],
    "short mask": [True, False],
    "long mask": np.ones(6, bool),
    "two axes": [[0, 1], [2, 3]],
    "dict": {"a": 1},
    "set": {0, 1},
    "Ellipsis": ...,
    "Decimal": Decimal(1),
    "sNaN": Decimal("sNaN"),
    "object": object(),
    "bytes": b"auc",
    "slice of text": slice("a", "b"),
    "huge": 10**30,
    "NaN": np.nan,
}
if pd:
    for kind in ("pandas", "polars"):
        KEYS[f"{kind} mask"] = (optional(kind).Series([False, True, False, False, True]), [1, 4])
    WRONG_KEYS["frame"] = pd.DataFrame({"a": [0, 1]})


def test_keys_select_rows_or_are_refused():
    for name, (key, rows) in KEYS.items():
        for column in ("feature", "auc", "flags"):
            np.testing.assert_array_equal(TABLE[key][column], TABLE[column][rows], err_msg=name)
        assert TABLE[key].row_index.tolist() == TABLE.row_index[rows].tolist(), name
        assert SUMMARY.select(key).feature_names == tuple(SUMMARY.feature_names[row] for row in rows), name
        assert SUMMARY.negative.select(key).mean.tolist() == SUMMARY.negative.mean[rows].tolist(), name
    failures = []
    for name, key in WRONG_KEYS.items():
        for select in (TABLE.__getitem__, SUMMARY.select, SUMMARY.positive.select):
            try:
                failures.append((name, select(key)))
            except RocPredictError as error:
                assert "is not a valid index into 5 items; pass an index, a slice" in str(error), name  # noqa: PT017
    assert not failures


NAMES = [["feature", "auc"], ("auc",), np.array(["feature", "auc"]), *([pd.Index(["auc", "tpr"])] if pd else [])]


@pytest.mark.parametrize("key", NAMES)
def test_names_of_columns_in_a_list(key):
    with pytest.raises(RocPredictError, match=r"names several columns; pass one name, or .+ table\.to_pandas\(\)"):
        TABLE[key]


def test_a_short_table_states_how_many_rows_it_leaves_out():
    assert TABLE.table(3).notes == ["The first 3 of 5 rows."]
    assert TABLE.table(None).notes == []


def test_json_holds_the_table(tmp_path):
    """JSON of a screening: an object a row, NaN as null, infinities as text; a file holds the same."""
    text = TABLE.to_json()
    document = json.loads(text)
    assert [row["feature"] for row in document["features"]] == TABLE["feature"].tolist()
    assert document["class_pairs"] == [{"negative": 0, "positive": 1}]
    assert (document["level"], document["family"], document["n_observations"]) == (0.95, "gaussian", 40)
    infinite = next(row for row in document["features"] if row["feature"] == "x4")
    assert infinite["auc"] is None
    assert "infinite" in infinite["flags"]
    assert infinite["positive_mean"] == "inf"
    last = document["features"][-1]
    assert last["auc"] == TABLE["auc"][-1]
    assert TABLE.to_json(tmp_path / "table.json") is None
    assert (tmp_path / "table.json").read_text() == text + "\n"
    with io.StringIO() as file:
        TABLE.to_json(file)
        assert file.getvalue() == text + "\n"
    refuses("cannot be written", TABLE.to_json, tmp_path / "none" / "table.json")


@pytest.mark.parametrize(
    ("write", "name", "allowed"),
    [
        ("to_csv", "q.xlsx", ".csv or .txt"),
        ("to_csv", "q.csv.gz", ".csv or .txt"),
        ("to_json", "q.csv", ".json or .txt"),
        ("report", "q.pdf", ".html or .htm"),
        ("report", "q", ".html or .htm"),
    ],
)
def test_a_file_name_of_another_format_is_refused(tmp_path, write, name, allowed):
    """Nothing is written. A name without a suffix is allowed for tables, as is a suffix in capitals."""
    with pytest.raises(RocPredictError) as error:
        getattr(TABLE, write)(tmp_path / name)
    assert str(error.value) == f"path={tmp_path / name}: pass a name that ends in {allowed}"
    assert not list(tmp_path.iterdir())
    TABLE.to_csv(tmp_path / "q")
    TABLE.to_csv(tmp_path / "Q.CSV")
    assert (tmp_path / "q").read_bytes() == (tmp_path / "Q.CSV").read_bytes()


INVISIBLE = [
    "\ufeff",
    "\u200b",
    "\x00",
    "\u00a0",
    "\u2060",
    "\u202e",
    "\u3000",
    "\x1f",
    "\u00ad",
    "\u2800",
    " \ufeff\x00",
]


def _spreadsheet_cells(text, separator):
    """Return the cells of a reader that separates by this character."""
    return [cell for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator) for cell in row]


def _is_formula(cell):
    visible = cell.lstrip("".join(INVISIBLE) + " \t\r\n\"'" if not cell.startswith("'") else "")
    return visible[:1] in tuple("=+-@") and not visible.lstrip("+-").replace(".", "").replace("e", "").isdigit()


def test_no_spreadsheet_reads_a_formula():
    """Names with signs behind invisible characters and separators: no formula by comma, semicolon, tab or bar."""
    heads = ["", *INVISIBLE, "x;", "x\t", "x\n", "x\r", "x|", 'x";"', "x;\ufeff", "x;;", "\t", ";", 'a"b;']
    names = [f"{head}{sign}HYPERLINK(1)" for head in heads for sign in ("=", "+", "-", "@")]
    text = format_csv([[name, 1.5, "y"] for name in names])
    for separator in ",;\t|":
        assert [cell for cell in _spreadsheet_cells(text, separator) if _is_formula(cell)] == [], separator
    cells = [row[0] for row in csv.reader(io.StringIO(text, newline=""))]
    assert [cell.replace("'", "") for cell in cells] == names


def test_cells_without_formulas_stay():
    rows = [
        ["a;b", "a-b", "-1.5", "+4e-3", "1;-2", "", "x = y", 'say "a"'],
        ["-", -1.5, 2, True, None, np.float64(0.1), "é", "a,b"],
    ]
    plain = format_csv(rows)
    read = list(csv.reader(io.StringIO(plain, newline="")))
    assert read[0] == rows[0]
    assert read[1] == ["'-", "-1.5", "2", "True", "", "0.1", "é", "a,b"]
    assert format_csv([["a"], [""]]) == 'a\n""\n'


def test_flags_without_a_meaning_are_refused():
    refuses(r"^a: unknown flag; flags are always_negative, .+", rp.Flags, a=True)


@pytest.mark.parametrize("wrong", [X, None, "iris", SUMMARY.positive, *([pd.DataFrame(X)] if pd else [])])
def test_from_summary_takes_a_summary(wrong):
    refuses(r"^summary=.+ is not a TwoClassSummary; pass rp\.summarize\(X, y\)$", rp.PredictedRoc.from_summary, wrong)
