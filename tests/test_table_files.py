"""CSV and Parquet files as tables: the same results and messages for chunks of any size."""

import contextlib
import csv
import gzip
import json
import os
import re
import sys
import tempfile
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import rocpredict as rp
from rocpredict import RocPredictError
from rocpredict.sources import blocks as parts
from rocpredict.sources import csv_reader, large_csv, streams
from rocpredict.sources.csv_reader import read_csv
from rocpredict.sources.files import open_tables
from tests.cases import check_each, check_refusals, optional, refusal, refuses

anndata, pl = optional("anndata"), optional("polars")
NAN = np.nan


@pytest.fixture(params=["row by row", "whole, without polars"])
def _either(request, monkeypatch):
    """Read each row by itself, and all rows together as if polars were not installed."""
    if "polars" in request.param:
        monkeypatch.setitem(sys.modules, "polars", None)
    else:
        monkeypatch.setattr(csv_reader, "CHUNK_CELLS", 1)


either = pytest.mark.usefixtures("_either")


def written(folder, *contents):
    """Write files t0.csv, t1.csv, ..."""
    paths = []
    for place, content in enumerate(contents):
        paths.append(folder / f"t{place}.csv")
        paths[-1].write_bytes(content if isinstance(content, bytes) else content.encode())
    return paths


def read_features(paths, label="y", only=None):
    table, labels = open_tables(paths).features(label=label, usecols=only)
    return whole(table), None if labels is None else labels.tolist(), table


def whole(table, features=None):
    return np.concatenate([part for _, part in table.iter_blocks(features)], axis=1)


def message_of(paths, label="y", only=None):
    """The error message, with the files as names in their folder."""
    first = paths[0] if isinstance(paths, list) and paths else paths
    folder = f"{first.parent}/" if isinstance(first, Path) else "no folder"
    return refusal(read_features, paths, label, only).replace(folder, "")


USUAL = {
    "plain": "a,b,y\n1,x,p\n2.5,z,q\n",
    "CRLF": "a,b,y\r\n1,x,p\r\n2.5,z,q\r\n",
    "CR": "a,b,y\r1,x,p\r2.5,z,q\r",
    "byte order mark": "\ufeffa,b,y\n1,x,p\n2.5,z,q",
    "quotes and empty lines": '"a",b,y\n"1",x,p\n\n\r\n2.5,"z","q"\n',
    "spaces": " a , b ,y\n 1,x , p\n2.5 ,z,q \n",
    "quotes where none belong": 'a,b,y\n1,5" x,p\n2.5,z,q\n',
}


@either
def test_csv_in_its_usual_forms(tmp_path):
    """A column of words is marked as not numeric, its numbers are NaN, and the labels are no feature."""

    def check(content):
        numbers, labels, table = read_features(written(tmp_path, content))
        np.testing.assert_array_equal(numbers, [[1, NAN], [2.5, NAN]])
        assert labels == ["p", "q"]
        assert table.names.tolist() == ["a", "b"]
        assert table.not_numeric.tolist() == [False, True]

    check_each(USUAL, check)


@either
def test_missing_marks_numbers_and_labels_of_every_form(tmp_path):
    missing = ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "?", " NA ", '""', "-nan"]
    forms = {"1": 1, "-1.5e3": -1500, "+.5": 0.5, "1_000": 1000, "inf": np.inf, "-Infinity": -np.inf, "1e999": np.inf}
    forms |= {"\t7": 7, "\u0663": 3, "0.1": 0.1, "5e-324": 5e-324, "12345678901234567168": 12345678901234567890.0}
    cells = [*missing, *forms]
    numbers, labels, _ = read_features(written(tmp_path, "a,y\n" + "".join(f"{cell},1\n" for cell in cells)))
    np.testing.assert_array_equal(numbers[:, 0], [NAN] * len(missing) + list(forms.values()))
    assert labels == [1] * len(cells)
    for words, expected in ((["0", "1"], [0, 1]), (["0.5", "1"], [0.5, 1.0]), (["1", "x"], ["1", "x"])):
        _, labels, _ = read_features(written(tmp_path, "a,y\n" + "".join(f"1,{word}\n" for word in words)))
        assert labels == expected
        assert [*map(type, labels)] == [*map(type, expected)]


@either
def test_several_files_and_some_columns(tmp_path):
    """Rows in the order of the files, columns in that of the first, or of usecols=; other columns are not read."""
    paths = written(tmp_path, "a,b,y\n1,2,p\n", "y,b,a\nq,4,3\n", "b,y,a\n6,p,5\n")
    numbers, labels, table = read_features(paths)
    assert open_tables(paths).names == ("a", "b", "y")
    assert numbers.tolist() == [[1, 2], [3, 4], [5, 6]]
    assert labels == ["p", "q", "p"]
    numbers, labels, table = read_features([*map(str, paths)], label=None, only=["b", "a"])
    assert (table.names.tolist(), labels) == (["b", "a"], None)
    assert numbers.tolist() == [[2, 1], [4, 3], [6, 5]]
    mixed = written(tmp_path, "a,b,y\nhigh,1,p\n2,3,q\n")
    assert read_features(mixed, only=["b"])[0].tolist() == [[1], [3]]
    assert "line 2: column 'a' contains 'high'" in message_of(mixed)


BROKEN = {
    "t0.csv, line 4: 2 cells, but the header has 3": "a,b,y\n1,2,p\n\n3,q\n",
    "t0.csv, line 3: 3 cells, but the header has 2": "a,y\n1,p\n2,q,3\n",
    "t0.csv, line 4: 1 cell, but the header has 2; every row needs as many cells as the header": 'a,y\n1,"p\nq"\n3\n',
    "t0.csv, line 3: a quoted cell begins here and has no closing quote": 'a,y\n1,p\n"2,q\n3,p\n4,q\n',
    "t0.csv, line 3: ',' expected after '\"'": 'a,y\n1,p\n"2"x,q\n',
    "t0.csv, line 3: column 'a' contains 'high', which is not a number": "a,y\n1,p\nhigh,q\n3,p\n",
    "t0.csv, line 2: column 'a' contains 'high', which is not a": "a,y\nhigh,p\nlow,q\n3,p\n",
    "t0.csv, line 5: column 'a' contains 'high'": "a,y\r\n1,p\r\n\r\n\r\nhigh,q\r\n",
    "t0.csv, line 4: column 'a' contains 'high'": 'a,y\n1,"p\nq"\nhigh,q\n',
    "t0.csv, line 3: column 'a' contains '2,5'": 'a,y\n1,p\n"2,5",q\n',
    "t0.csv, line 2: column 'a' contains '7%', which is not a number (write a decimal point, no thousands separator "
    "and no unit); correct it": "a,y\n7%,p\n2,q\n",
    "t0.csv, line 2: column 'a' contains '1.100,5', which is not a number (write a decimal point or comma, no "
    "thousands separator and no unit); correct it": "a;y\n1.100,5;p\n2,5;q\n",
    "'a'; 'a' contains '7%' (write a decimal point, no": "a,y\n7%,p\n8%,q\n",
    "t0.csv, line 3: column 'b' contains 'y'": "a,b,y\n1,2,p\n3,y,q\nx,4,p\n",
    "t0.csv, line 2: column 'b' contains 'v'": "a,b,y\nNA,v,p\nu,NA,q\n1,2,p\n",
    "t0.csv, line 3: column 'a' contains '2\\x00'": "a,y\n1,p\n2\0,q\n",
    "t0.csv, line 3: the label in column 'y' is missing": "a,y\n1,p\n2, \n",
    "t0.csv has the column name 'a' twice": "a,y,a\n1,2,3\n",
    "t0.csv is empty; a header line with column names is needed": "",
    "t0.csv is empty; a header": "\ufeff",
    "t0.csv begins with a line without column names; a header": ",,\n1,2,p\n",
    "t0.csv has a header but no rows": "a,y\n\n",
    "t0.csv has a header": "a,y",
    "t0.csv is not UTF-8 text; pass a CSV file": b"a,y\n1,p\n\xff,q\n",
    "label='y' is not a column of t0.csv; columns are 'a', 'b'": "a,b\n1,p\n",
    "columns are 'a|y' (cells are separated by '|' here; commas, semicolons or tabs are needed)": "a|y\n1|2\n",
    "columns are '# A' (the first line begins with '#'; delete comments before the line with": "# A\na,y\n1,p\n",
    "X has no numeric column; all 2 columns hold text, dates or other objects: 'a', 'b'": "a,b,y\nu,v,p\n",
    "t0.csv has no column other than the labels": "y\n1\n2\n",
}
MISMATCHED = {
    "t1.csv has no column 'a', which t0.csv has": ("a,y\n1,p\n", "b,y\n1,p\n"),
    "t1.csv has a column 'c', which t0.csv lacks": ("a,y\n1,p\n", "a,y,c\n1,p,2\n"),
    "t1.csv, line 2: column 'a' contains 'x', which is not a number": ("a,y\n1,p\n", "a,y\nx,p\n"),
    "t0.csv, line 2: column 'a' contains 'x', which is not a number": ("a,y\nx,p\n", "a,y\n1,p\n"),
    "t1.csv has a header but no rows": ("a,y\n1,p\n", "a,y\n"),
    "t1.csv is empty": ("a,y\n1,p\n", ""),
}


@either
def test_broken_files_are_refused_with_their_line(tmp_path):
    """The line is named wherever the file is cut into chunks; of two files, the one that differs."""
    files = {words: (content,) for words, content in BROKEN.items()} | MISMATCHED
    messages = {words: message_of(written(tmp_path, *contents)) for words, contents in files.items()}
    assert {words: message for words, message in messages.items() if words not in message} == {}
    content = 'a,y\n1,p\n"2,q\n' + "3,p\n" * 100_000  # a quote left open does not take the whole file
    message = message_of(written(tmp_path, content))
    assert message.startswith("t0.csv, line 3: a cell of more than 131072 characters")


def test_read_csv_returns_the_columns_as_text_and_numbers(tmp_path):
    """A quoted comma, quote and line feed belong to their cell; a wrong cell is refused with its line."""
    table = read_csv(written(tmp_path, 'a,b\n1,"x,""y""\nz"\n\n2,w\n')[0])
    assert table.header == ["a", "b"]
    assert table.numbers("a").tolist() == [1, 2]
    assert table.text("b").tolist() == ['x,"y"\nz', "w"]
    refuses(r"t0.csv, line 3: column 'b' contains 'x,\"y\".*, which is not a number", table.numbers, "b")
    refuses(r"t0.csv has no column 'c'; columns are a, b", table.text, "c")
    assert np.isnan(read_csv(written(tmp_path, "a,b\nNA,1\n,2\n?,3\n")[0]).numbers("a")).all()
    hint = r"2 cells, but the header has 1 \(commas separate cells here; write decimals with a point, or"
    for content, words in (("a,b\n", r"t0.csv has a header but no rows"), ("a|b\n1,5|2\n", hint)):
        refuses(words, read_csv, written(tmp_path, content)[0])


@pytest.mark.extra("polars")
def test_paths_and_columns_that_are_refused(tmp_path):
    csv, parquet = written(tmp_path, "a,y\n1,p\n")[0], tmp_path / "t.parquet"
    (tmp_path / "empty").mkdir()
    pl.DataFrame({"a": [1]}).write_parquet(parquet)
    assert repr(open_tables([csv])) == "CsvFiles(['t0.csv'], 2 columns)"
    assert repr(open_tables([parquet])) == "ColumnarFiles(['t.parquet'], 1 columns)"
    for only, words in (
        (["b"], "usecols='b' is not a column of t0.csv; columns are 'a', 'y'"),
        (["a", "a"], "usecols= contains 'a' twice"),
        (["y"], "'y' is the label column and cannot also be a feature"),
        ("a", "usecols='a' is not a list of columns"),
        ([], "t0.csv has no column other than the labels"),
    ):
        assert words in message_of([csv], only=only)
    for paths, words in (
        (tmp_path / "none.csv", "none.csv: No such file"),
        (tmp_path / "none.parquet", "none.parquet: No such file"),
        (tmp_path / "*.txt", "*.txt matches no file"),
        (tmp_path / "empty", "empty is a folder that contains no file with one of the suffixes .csv, .tsv, .parquet"),
        (tmp_path, "is a folder that contains CSV and Parquet files; pass a pattern such as *.csv"),
        ("https://example.com/t.parquet", "is a remote path; pass a lazy frame, such as polars.scan_parquet("),
        ([], "paths is empty"),
        (3, "3 is not a path"),
        ("a\0b.csv", r"'a\x00b.csv' is not a path"),
        ([csv, parquet], "t0.csv is a CSV file, but t.parquet is a Parquet file"),
    ):
        assert words in message_of(paths)


@either
def test_a_first_line_that_never_ends_is_refused(tmp_path, monkeypatch):
    """NUL bytes or too many characters before the first line end, in files, gzip and devices; UTF-16 is text."""
    nul = "contains NUL bytes in its first line; pass a CSV file in UTF-8 or UTF-16"
    for content in (b"\0" * 5_000, gzip.compress(b"\0" * 5_000)):
        assert message_of(written(tmp_path, content)) == f"t0.csv {nul}"
    archive = "is a spreadsheet or a ZIP archive; save it as a CSV file in UTF-8 or UTF-16"
    assert message_of(written(tmp_path, b"PK\x03\x04\x14\x00\x06\x00\n")) == f"t0.csv {archive}"
    (tmp_path / "a.json").write_text('{\n  "format": 1}')
    assert message_of([tmp_path / "a.json"]).startswith("a.json is a JSON file; pass a CSV, Parquet or Feather file (")
    assert message_of([""]) == "'' is not a path; pass a file name"
    for device in ("full", "zero"):
        assert message_of([f"/dev/{device}"]) == f"/dev/{device} {nul}"
        refuses(nul, read_csv, f"/dev/{device}")
    assert read_features(written(tmp_path, "a,y\n1,p\n2,q\n".encode("utf-16")))[1] == ["p", "q"]
    monkeypatch.setattr(csv_reader, "MAX_LINE", 2**20)
    long = "has a line of more than 1 MB; pass a CSV file with shorter lines"
    assert message_of(written(tmp_path, b"a" * 2**20 + b"aa,y\n1,p\n")) == f"t0.csv {long}"
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=_write_until_closed, args=(pipe, b"a" * 2**16))
    writer.start()
    assert message_of([pipe]) == f"pipe {long}"
    writer.join()


def _write_until_closed(pipe, block):
    with contextlib.suppress(BrokenPipeError), pipe.open("wb") as file:
        while True:
            file.write(block)


ATOMS = ["1", "2.5", "x", "", '"', '""', ",", "\n", "\r\n", "\r", " ", "NA", '"a"', '"a,b"', '"p\nq"', "é", '"x""y"']


def as_read(read):
    try:
        return read()
    except RocPredictError as error:
        return str(error)


def all_cells(path):
    table = read_csv(path)
    return [table.cells(name) for name in table.header], table.lines


def all_chunks(path):
    with csv_reader.open_csv(path) as (header, _, _):
        columns, every_line = [[] for _ in header], []
    for lines, chunk, _ in csv_reader.iter_columns(path):
        every_line.extend(lines)
        for column, cells in zip(columns, chunk, strict=True):
            column.extend(cells)
    if not every_line:
        raise RocPredictError(f"{path} has a header but no rows; write one row per observation")
    return columns, every_line


def rows_of_the_csv_module(path):
    """Return all rows, or None where some are not as long as the first or the csv module refuses them."""
    try:
        with path.open(newline="", encoding="utf-8") as file:
            rows = [row for row in csv.reader(file, strict=True) if row]
    except csv.Error:
        return None
    return rows if len(rows) > 1 and len(set(map(len, rows))) == 1 else None


@settings(deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    header=st.sampled_from(["a,b", "a", '"a\nz",b', "a,b,c"]),
    body=st.lists(st.sampled_from(ATOMS), max_size=25).map("".join),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    chunk=st.sampled_from([3, 20, 2**20]),
)
def test_chunks_hold_what_the_csv_module_reads(tmp_path, header, body, end, chunk):
    """Any mixture of quotes, commas and line ends: the same cells and lines, or the same message."""
    path = written(tmp_path, header + end + body)[0]
    expected = as_read(lambda: all_cells(path))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_reader, "CHUNK_CELLS", chunk)
        assert as_read(lambda: all_chunks(path)) == expected
    rows = rows_of_the_csv_module(path)
    if rows is None:
        assert isinstance(expected, str)
    else:
        assert list(map(list, zip(*expected[0], strict=True))) == rows[1:]


@settings(deadline=None, derandomize=True)
@given(
    cells=st.lists(
        st.one_of(st.text(alphabet="01.eE+-naINFif_ \u0663,x", max_size=8), st.floats().map(repr)), min_size=1
    )
)
def test_a_cell_is_a_number_where_python_reads_one(cells):
    """A cell becomes what float makes of it, NaN if it marks a missing value, or text."""
    values, text = csv_reader.parse_numbers(cells)
    for position, cell in enumerate(cells):
        try:
            np.testing.assert_equal(values[position], float(cell))
            assert position not in text
        except ValueError:
            assert np.isnan(values[position])
            assert (position in text) == (cell.strip() not in csv_reader.MISSING_MARKERS)


@either
def test_numbers_are_read_exactly_in_any_blocks(tmp_path, monkeypatch):
    """The temporary file has the content of the CSV file, for any sizes of pieces and blocks."""
    monkeypatch.setattr(streams, "SPOOL_CELLS", 100)
    monkeypatch.setattr(streams, "MEMORY_BYTES", 500)
    monkeypatch.setattr(parts, "BLOCK_BYTES", 3 * 8 * 90)
    x = np.random.default_rng(2).normal(size=(90, 8)) * 10.0 ** np.arange(-4, 4)
    text = "".join(",".join(map(repr, row)) + f",{row[0] > 0}\n" for row in x.tolist())
    _, labels, table = read_features(written(tmp_path, "a,b,c,d,e,f,g,h,y\n" + text))
    assert (whole(table) == x).all()
    assert [part.shape[1] for _, part in table.iter_blocks()] == [3, 3, 2]
    assert (whole(table, [7, 0, 1, 2, 5]) == x[:, [7, 0, 1, 2, 5]]).all()
    assert labels == [str(value > 0) for value in x[:, 0]]
    assert all(part.flags.f_contiguous for _, part in table.iter_blocks())


class CountedName(str):
    """Column name that counts its comparisons."""

    comparisons = 0
    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other):
        CountedName.comparisons += 1
        return str.__eq__(self, other)


def test_a_column_is_found_without_a_search(tmp_path, monkeypatch):
    """The comparisons of 1,000 names grow as their number does: a search for each would take 500,000."""
    monkeypatch.setattr(CountedName, "comparisons", 0)
    names = [CountedName(f"g{place}") for place in range(1_000)]
    paths = written(tmp_path, ",".join([*names, "y"]) + "\n" + ",".join(["1"] * 1_001) + "\n")
    table, _ = open_tables(paths).features(label="y", usecols=names)
    assert len(table) == len(names)
    assert 0 < CountedName.comparisons < 20 * len(names)


def test_a_full_folder_is_named(tmp_path, monkeypatch):
    """A full disk is one sentence: writing fails once the numbers leave memory."""
    monkeypatch.setattr(streams, "MEMORY_BYTES", 1)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    words = message_of(written(tmp_path, "a,y\n1,p\n2,q\n"))
    assert re.match(r"cannot write temporary data to .*gone: No such file.*set the environment variable TMPDIR", words)


def parquet(folder, *frames):
    paths = []
    for place, frame in enumerate(frames):
        paths.append(folder / f"t{place}.parquet")
        frame.write_parquet(paths[-1])
    return paths


if pl:
    TABLE = pl.DataFrame({"a": [1, 2, None], "b": [1.5, 2.0, 3.0], "s": ["u", "v", "w"], "y": ["p", "q", "p"]})


@pytest.mark.extra("polars")
def test_parquet(tmp_path, monkeypatch):
    """Files follow one another, with integers and floats and columns in another order; float32 is kept."""
    monkeypatch.setattr(parts, "BLOCK_BYTES", 1)
    more = pl.DataFrame({"y": ["q"], "s": [None], "b": [4], "a": [1.25]}, schema_overrides={"s": pl.String})
    numbers, labels, table = read_features(parquet(tmp_path, TABLE, more))
    np.testing.assert_array_equal(numbers, [[1, 1.5, NAN], [2, 2, NAN], [NAN, 3, NAN], [1.25, 4, NAN]])
    assert labels == ["p", "q", "p", "q"]
    assert table.names.tolist() == ["a", "b", "s"]
    assert table.not_numeric.tolist() == [False, False, True]
    assert read_features(tmp_path / "t0.parquet", label=None, only=["b"])[0].tolist() == [[1.5], [2], [3]]
    (tmp_path / "t0.parquet").rename(tmp_path / "plain")
    assert open_tables(tmp_path / "plain").names == ("a", "b", "s", "y")
    small = pl.DataFrame(
        {"a": [1.5, None], "b": [1.0, 2.0], "y": [0, 1]}, schema_overrides=dict.fromkeys("ab", pl.Float32)
    )
    _, labels, table = read_features(parquet(tmp_path, small))
    assert {part.dtype.name for _, part in table.iter_blocks()} == {"float32"}
    assert labels == [0, 1]


@pytest.mark.extra("polars")
def test_parquet_that_cannot_be_read(tmp_path, monkeypatch):
    good = parquet(tmp_path, TABLE, TABLE.drop("b"), TABLE.with_columns(b=pl.lit("x")), TABLE.clear())
    (tmp_path / "words.parquet").write_text("a,b\n1,2\n")
    (tmp_path / "cut.parquet").write_bytes(good[0].read_bytes()[:-20])
    for paths, label, words in (
        (tmp_path / "words.parquet", "y", "words.parquet cannot be read as Parquet: "),
        (tmp_path / "cut.parquet", "y", "cut.parquet cannot be read as Parquet: "),
        (good[:2], "y", "t1.parquet has no column 'b', which t0.parquet has"),
        ([good[1], good[0]], "y", "t0.parquet has a column 'b', which t1.parquet lacks"),
        ([good[0], good[2]], "y", "t2.parquet: column 'b' has the type String, but Float64 in t0.parquet"),
        (good[3], "y", "t3.parquet has columns but no rows"),
        (good[0], "q", "label='q' is not a column of t0.parquet; columns are 'a', 'b', 's', 'y'"),
        (good[0], "a", "y has missing values (NaN) in 1 of 3 rows: 2"),
    ):
        assert words in message_of(paths, label)
    monkeypatch.setitem(sys.modules, "polars", None)
    assert message_of(good[0]) == "t0.parquet is a Parquet file, which needs polars: pip install 'rocpredict[frames]'"


@pytest.mark.extra("polars")
def test_parquet_broken_in_its_middle_is_refused_when_it_is_read(tmp_path):
    """Damage that the footer does not show is one sentence, and no traceback of the reader."""
    x = np.random.default_rng(3).normal(size=20_000)
    (path,) = parquet(tmp_path, pl.DataFrame({"a": x, "y": np.arange(20_000) % 2}))
    content = bytearray(path.read_bytes())
    content[100:60_000] = bytes(59_900)
    path.write_bytes(content)
    assert "t0.parquet cannot be read as Parquet" in message_of(path)


# ---- a path in place of a table
@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """One table as files of every format, in two parts where several may be combined."""
    folder = tmp_path_factory.mktemp("files")
    rng = np.random.default_rng(3)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 4)).round(3) + y[:, None] * [0.2, 1, 2, 0]
    frame = pl.DataFrame(X, schema=["a", "b", "c", "d"]).with_columns(y=pl.Series(np.array(["no", "yes"])[y]))
    for name in ("csv", "parquet", "feather"):
        (folder / name).mkdir()
    for k, part in enumerate((frame[:25], frame[25:])):
        part.write_csv(folder / "csv" / f"part{k}.csv")
        part.write_parquet(folder / "parquet" / f"part{k}.parquet")
        part.write_ipc(folder / "feather" / f"part{k}.feather")
    data = anndata.AnnData(X, obs=frame[["y"]].to_pandas().set_index(np.arange(60).astype(str)))
    data.var_names = ["a", "b", "c", "d"]
    data.write_h5ad(folder / "data.h5ad")
    return folder, rp.screen(frame, "y", positive="yes"), rp.summarize(frame, "y", positive="yes")


PATHS = {
    "folder of CSV": "csv",
    "folder of Parquet": "parquet",
    "folder of Feather": "feather",
    "pattern": "csv/part?.csv",
    "pattern of folders": "**/*.parquet",
    "list": ["csv/part0.csv", "csv/part1.csv"],
    "h5ad": "data.h5ad",
}


@pytest.mark.extra("anndata", "polars")
def test_a_path_is_a_table(files, run):
    """The same screening and summary as of the table in memory, from Python and from the command line."""
    folder, expected, summary = files

    def check(path):
        paths = [str(folder / part) for part in path] if isinstance(path, list) else str(folder / path)
        table = rp.screen(paths, "y", positive="yes")
        assert table["feature"].tolist() == expected["feature"].tolist()
        for name in ("empirical_auc", "empirical_se", "p_value"):
            assert table[name].tolist() == expected[name].tolist()
        assert table["auc"] == pytest.approx(expected["auc"], abs=1e-13)
        assert rp.summarize(paths, "y", positive="yes").positive.mean == pytest.approx(summary.positive.mean, abs=1e-13)
        words = paths if isinstance(paths, list) else [paths]
        code, out, err = run("screen --label y --positive yes --feature b --json", *words)
        assert (code, err) == (0, "")
        assert json.loads(out)["features"][0]["empirical_auc"] == table["empirical_auc"][table["feature"] == "b"][0]

    check_each(PATHS, check)


@pytest.mark.extra("anndata", "polars")
def test_labels_of_files_may_come_apart(files):
    folder, expected, _ = files
    table = rp.screen(folder / "parquet" / "part0.parquet", np.arange(25) % 2, feature_names=["a", "b", "c", "d", "e"])
    assert table["feature"].tolist()[0] == "c"
    renamed = rp.screen([folder / "csv"], "y", positive="yes", feature_names=["w", "x", "y", "z"])
    assert renamed["empirical_auc"].tolist() == expected["empirical_auc"].tolist()


@either
def test_messages_state_the_folder_of_files_with_equal_names(tmp_path):
    """Messages contain the paths as they were passed, as in folders that are named by year."""
    paths = [tmp_path / year / "part.csv" for year in ("2025", "2026")]
    contents = {"has no column 'a', which": "b,y\n1,p\n2,q\n", "column 'a' contains 'x', which": "a,y\n1,p\nx,q\n"}
    for words, content in contents.items():
        for path, text in zip(paths, ("a,y\n1,p\n2,q\n", content), strict=True):
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        message = refusal(rp.screen, str(tmp_path / "*" / "part.csv"), "y", positive="p", empirical=False)
        assert message.startswith(str(paths[1]))
        assert words in message


@pytest.mark.extra("polars")
def test_files_in_subfolders_are_not_ignored(tmp_path):
    """A folder with subfolders is refused with the patterns to pass; hidden files and those of Spark are no tables."""
    for name in ("a", ".hidden", "_metadata", "year=2024/b"):
        path = tmp_path / f"{name}.parquet"
        path.parent.mkdir(exist_ok=True)
        pl.DataFrame({"x": [1.0, 2, 3, 4], "y": [0, 0, 1, 1]}).write_parquet(path)
    message = refusal(rp.screen, tmp_path, "y")
    assert message == (
        f"{tmp_path} is a folder with files in subfolders, such as {tmp_path}/year=2024/b.parquet; pass the pattern "
        f"'{tmp_path}/**/*.parquet' for all files, or '{tmp_path}/*.parquet' without subfolders"
    )
    (tmp_path / "_metadata.parquet").unlink()
    assert rp.screen(f"{tmp_path}/**/*.parquet", "y").n_observations == 8
    (tmp_path / "year=2024" / "b.parquet").rename(tmp_path / "year=2024" / "_b.parquet")
    assert rp.screen(tmp_path, "y").n_observations == 4


@pytest.mark.extra("polars")
@pytest.mark.parametrize("suffix", ["parquet", "csv"])
@pytest.mark.parametrize("empirical", [True, False, "histogram"])
def test_a_file_that_is_replaced_while_it_is_read_is_refused(tmp_path, monkeypatch, suffix, empirical):
    """The new file has the same size and layout, so that labels of the old file would meet values of the new one."""
    monkeypatch.setattr(large_csv, "MIN_BYTES", 0)
    path, other = tmp_path / f"t.{suffix}", tmp_path / f"new.{suffix}"
    frame = pl.DataFrame({f"f{j}": np.arange(400.0) for j in range(4)} | {"y": np.arange(400) // 200})
    for target, table in ((path, frame), (other, frame.reverse())):
        getattr(table, f"write_{suffix}")(target)
    table, labels = open_tables(path).features(label="y")
    other.replace(path)
    message = refusal(rp.screen, table, labels, empirical=empirical)
    assert message == f"{path} changed while it was being read; read it again"


@pytest.mark.extra("anndata", "polars")
def test_paths_without_the_column_of_labels(files):
    folder, _, _ = files
    path = folder / "csv" / "part0.csv"
    cases = {
        f"y='z' is not a column of {path}; columns are 'a', 'b', 'c', 'd', 'y'": lambda: rp.screen(path, "z"),
        "y='z' is not a column of X.obs; columns are 'y'": lambda: rp.screen(folder / "data.h5ad", "z"),
        f"y is missing; pass the name of the label column; columns of {path} are 'a', ": lambda: rp.screen(path),
        f"columns of {path} are 'a', 'b', 'c', 'd', 'y'": lambda: rp.summarize(path),
        f"y is missing; pass the name of the label column; columns of {folder / 'data.h5ad'} are 'y'": lambda: (
            rp.screen(folder / "data.h5ad")
        ),
        "feature_names": lambda: rp.screen(path, "y", feature_names=["a"]),
        "h5ad files cannot be combined with other files": lambda: rp.screen([path, folder / "data.h5ad"], "y"),
        "part0.csv is named twice": lambda: rp.screen([path, folder / "csv"], "y"),
    }

    check_refusals((call, (), re.escape(words)) for words, call in cases.items())


def test_a_folder_has_its_compressed_files_and_not_its_hidden_ones(tmp_path):
    written(tmp_path, "a,y\n1,p\n2,q\n", "a,y\n3,p\n1,q\n")
    (tmp_path / "t2.csv.gz").write_bytes(gzip.compress(b"a,y\n5,q\n6,q\n"))
    (tmp_path / "._t0.csv").write_bytes(b"\0")
    assert rp.summarize(tmp_path, "y", positive="q").positive.count.tolist() == [4]


@pytest.mark.extra("anndata")
def test_a_broken_h5ad_file(tmp_path):
    path = tmp_path / "broken.h5ad"
    path.write_bytes(b"no HDF5")
    refuses(r"broken\.h5ad cannot be read as h5ad", rp.screen, path, "y")


@pytest.mark.parametrize("suffix", ["h5ad", "parquet", "feather", "csv"])
def test_a_missing_file_has_one_message_in_every_format(suffix):
    assert refusal(rp.screen, f"nofile.{suffix}", "y") == f"nofile.{suffix}: No such file or directory"
