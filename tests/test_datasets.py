"""The built-in data and the reader of tables."""

import hashlib
import re
from pathlib import Path

import numpy as np
import pytest
from sklearn import datasets as sklearn_datasets

from rocpredict import RocPredictError
from rocpredict.datasets import load_iris, simulate_two_gaussians
from rocpredict.sources import read_csv

DATA = Path(__file__).parents[1] / "data"
IRIS = load_iris()


def test_iris_is_scikit_learns_copy():
    theirs = sklearn_datasets.load_iris()
    assert np.array_equal(IRIS.X, theirs.data)
    assert IRIS.y.tolist() == theirs.target_names[theirs.target].tolist()


def test_the_readme_has_the_checksum_of_the_file():
    stated = re.search(
        r"sha256` \| `([0-9a-f]{64})`|sha256 \| `([0-9a-f]{64})`", (DATA / "README.md").read_text("utf-8")
    )
    assert (stated[1] or stated[2]) == hashlib.sha256((DATA / "iris.csv").read_bytes()).hexdigest()


def test_iris_has_the_means_and_deviations_that_fisher_printed():
    for species, means, stds in (
        ("versicolor", "5.94 2.77 4.26 1.33", "0.52 0.31 0.47 0.20"),
        ("virginica", "6.59 2.97 5.55 2.03", "0.64 0.32 0.55 0.27"),
    ):
        rows = IRIS.X[IRIS.y == species]
        assert " ".join(f"{mean:.2f}" for mean in rows.mean(axis=0)) == means
        assert " ".join(f"{std:.2f}" for std in rows.std(axis=0, ddof=1)) == stds


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_frames_hold_the_same_table(backend):
    frame = IRIS.frame(backend)
    assert type(frame).__module__.split(".")[0] == backend
    assert list(getattr(frame, "columns" if backend != "pyarrow" else "column_names")) == [*IRIS.feature_names, "label"]
    assert np.array_equal(np.asarray(frame["petal_width"]), IRIS.column("petal_width"))
    assert np.asarray(frame["label"]).tolist() == IRIS.y.tolist()


def test_unknown_names_are_refused():
    with pytest.raises(RocPredictError, match="name='petal' is not allowed; choose one of 'sepal_length'"):
        IRIS.column("petal")
    with pytest.raises(RocPredictError, match="backend='dask' is not allowed"):
        IRIS.frame("dask")


def test_a_seed_draws_the_same_sample_and_another_seed_another():
    x, y = simulate_two_gaussians(seed=4)
    again, _ = simulate_two_gaussians(seed=4)
    other, _ = simulate_two_gaussians(seed=5)
    assert np.array_equal(x, again)
    assert not np.array_equal(x, other)
    for label, mean, std in ((0, 4, 3), (1, 8, 2)):  # 5 standard errors: fixed seed, else 1 false alarm in 10^6
        assert x[y == label].mean() == pytest.approx(mean, abs=5 * std / np.sqrt(1000))
        assert x[y == label].std() == pytest.approx(std, abs=5 * std / np.sqrt(2000))


@pytest.mark.parametrize(
    "options",
    [
        {"count": (0, 1)},
        {"count": (1.5, 2)},
        {"count": (np.nan, 2)},
        {"count": 5},
        {"std": (-1, 1)},
        {"mean": (np.nan, 1)},
        {"mean": 5},
        {"seed": -1},
        {"seed": "a"},
        {"seed": 1.5},
    ],
)
def test_a_sample_that_cannot_be_drawn(options):
    with pytest.raises(RocPredictError, match=f"{next(iter(options))}="):
        simulate_two_gaussians(**options)


def written(tmp_path, content):
    path = tmp_path / "table.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    "content",
    ["a,b\n1,x\n2,y\n", "a,b\r\n1,x\r\n2,y\r\n", "\ufeffa,b\n1,x\n2,y", 'a,b\n"1",x\n\n2,"y"\n', " a , b \n1,x\n2,y\n"],
    ids=["plain", "CRLF", "byte order mark", "quotes and an empty line", "spaces in the header"],
)
def test_csv_in_its_usual_forms(tmp_path, content):
    table = read_csv(written(tmp_path, content))
    assert table.header == ["a", "b"]
    assert table.numbers("a").tolist() == [1, 2]
    assert table.text("b").tolist() == ["x", "y"]


def test_quoted_commas_quotes_and_line_ends_belong_to_a_cell(tmp_path):
    table = read_csv(written(tmp_path, 'a,b\n1,"x,""y""\nz"\n2,w\n'))
    assert table.text("b").tolist() == ['x,"y"\nz', "w"]


def test_missing_markers_are_nan(tmp_path):
    cells = ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "?", " NA "]
    table = read_csv(written(tmp_path, "a,b\n" + "".join(f"{cell},1\n" for cell in cells)))
    assert np.isnan(table.numbers("a")).all()
    assert len(table.numbers("a")) == len(cells)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("a,b\n1,2\n3\n", "table.csv, line 3: 1 cells where the header has 2"),
        ('a,b\n"1\n2",2\n3\n', "table.csv, line 4: 1 cells where the header has 2"),
        ("a,b\n1,2,3\n", "table.csv, line 2: 3 cells where the header has 2"),
        ("a,a\n1,2\n", "table.csv has the column name 'a' twice"),
        ("", "table.csv is empty; a header line with column names is needed"),
        ("a,b\n", "table.csv has a header and no rows"),
        (b"a,b\n\xff\xfe,2\n", "table.csv is not UTF-8 text"),
        ('a,b\n1,"2\n', "table.csv, line 2"),
    ],
)
def test_broken_tables_are_refused_with_their_line(tmp_path, content, words):
    with pytest.raises(RocPredictError, match=re.escape(words)):
        read_csv(written(tmp_path, content))


def test_text_among_numbers_is_refused_with_its_line(tmp_path):
    table = read_csv(written(tmp_path, "a,b\n1,x\n\nhigh,y\n"))
    with pytest.raises(RocPredictError, match=r"table.csv, line 4: column 'a' holds 'high', which is not a number"):
        table.numbers("a")
    with pytest.raises(RocPredictError, match=r"table.csv has no column 'c'; columns are a, b"):
        table.text("c")


def test_what_is_no_file(tmp_path):
    with pytest.raises(RocPredictError, match="No such file"):
        read_csv(tmp_path / "none.csv")
    with pytest.raises(RocPredictError, match="directory"):
        read_csv(tmp_path)
