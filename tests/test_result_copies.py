"""Results after use through pickle, deepcopy, joblib and processes: the same object again."""

import copy
import io
import multiprocessing
import pickle
import warnings
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

import rocpredict as rp
from rocpredict.base.tables import Table
from rocpredict.sources import csv_reader, streams
from rocpredict.sources.csv_reader import CsvTable, read_csv
from rocpredict.sources.files import open_tables
from rocpredict.sources.table import as_feature_table
from tests.cases import CORE

OF_POLARS = {"features of polars", "features of a lazy frame", "features of Parquet"}
CLASSES = {"positive": "virginica", "negative": "versicolor"}


def _use(result):
    """Call what is computed late and kept."""
    repr(result)
    if hasattr(result, "_repr_html_"):
        result._repr_html_()
    if isinstance(result, rp.ScreeningResult):
        result.plot().figure.clf()
        result.to_csv()
        hash(result)
    if hasattr(result, "best_threshold_"):
        best = result.best_threshold_
        best.threshold_interval(), best.table()
        result.roc_.auc_interval(), result.roc_.curve(), result.roc_.best_threshold("youden"), result.roc_.auc()
    return result


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    (folder / "t.csv").write_text("a,b,y\n" + "".join(f"{k},{k * k},{k % 2}\n" for k in range(3_000)))
    iris = rp.datasets.load_iris()
    X, y = iris.X[50:], iris.y[50:]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streams, "MEMORY_BYTES", 1_000)  # so that the numbers lie in a file
        patch.setattr(streams, "SPOOL_CELLS", 500)
        large = open_tables(folder / "t.csv").features(label="y")[0]
    held = {
        "screening": rp.screen(X, y, **CLASSES),
        "table of a screening": rp.screen(X, y, **CLASSES).table(),
        "features": as_feature_table(X),
        "features of a mapping": as_feature_table({"a": [1, 2], "b": [3, 4]}),
        "features of CSV": open_tables(folder / "t.csv").features(label="y")[0],
        "features of a large CSV": large,
        "CSV": read_csv(folder / "t.csv"),
        "CSV reader": open_tables(folder / "t.csv"),
    }
    held |= {} if CORE else _results_of_extras(folder)
    return {name: _use(result) for name, result in held.items()}


def _results_of_extras(folder):
    import pandas as pd
    import polars as pl
    from sklearn.naive_bayes import GaussianNB

    from rocpredict.sklearn import RocSelector, ThresholdedClassifier

    iris = rp.datasets.load_iris()
    X, y = iris.X[50:], (iris.y[50:] == "virginica").astype(int)
    pl.DataFrame({"a": np.arange(6.0), "y": [0, 1] * 3}).write_parquet(folder / "t.parquet")
    return {
        "RocSelector": RocSelector(k=2).fit(X, y),
        "ThresholdedClassifier": ThresholdedClassifier(GaussianNB()).fit(X, y),
        "ThresholdedClassifier gaussian": ThresholdedClassifier(GaussianNB(), family="gaussian").fit(X, y),
        "features of pandas": as_feature_table(pd.DataFrame({"a": [1, 2], "b": ["u", "v"]})),
        "features of polars": as_feature_table(pl.DataFrame({"a": [1.0, 2.0]})),
        "features of a lazy frame": as_feature_table(pl.LazyFrame({"a": [1.0, 2.0]})),
        "features of Parquet": open_tables(folder / "t.parquet").features(label="y")[0],
    }


def content(result):
    """Return what has to be equal, of a class of results."""
    if hasattr(result, "iter_blocks"):
        return (
            repr(result),
            repr([np.array(block).tolist() for _, block in result.iter_blocks()]),
            result.names.tolist(),
        )
    if isinstance(result, Table):  # whose repr holds the address of a function
        return result.to_text(), result
    if hasattr(result, "screening_"):
        return result.screening_, result.auc_.tolist(), result.get_support().tolist()
    if hasattr(result, "best_threshold_"):
        return (
            result.best_threshold_,
            result.roc_,
            result.threshold_,
            result.predict(rp.datasets.load_iris().X).tolist(),
        )
    return (repr(result),) if isinstance(result, (CsvTable, csv_reader.TableReader)) else (repr(result), result)


def copies(results):
    """Return all results as another process has received them."""
    return {name: (content(result), result) for name, result in results.items()}


def _joblib(value):
    import joblib

    file = io.BytesIO()
    joblib.dump(value, file)
    file.seek(0)
    return joblib.load(file)


COPIES = {
    "pickle": lambda value: pickle.loads(pickle.dumps(value)),
    "oldest pickle": lambda value: pickle.loads(pickle.dumps(value, protocol=2)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
} | ({} if CORE else {"joblib": _joblib})


@pytest.mark.parametrize("how", COPIES)
def test_copies_in_this_process(results, how):
    for name, result in results.items():
        again = COPIES[how](result)
        assert type(again) is type(result), name
        assert content(again) == content(result), name
        _use(again)


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_copies_in_another_process(results, start):
    if start not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this system has no {start}")
    if start == "fork":  # which polars does not survive
        results = {name: result for name, result in results.items() if name not in OF_POLARS}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
        with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context(start)) as pool:
            received = pool.submit(copies, results).result()
    for name, (there, again) in received.items():
        assert there == content(results[name]), name
        assert content(again) == there, name


def test_labels_of_csv_that_differ_as_text_stay_different(tmp_path):
    path = tmp_path / "labels.csv"
    cases = {
        ("1", "01", "2"): ["1", "01", "2"],
        ("7.0", "007"): ["7.0", "007"],
        (str(2**53), str(2**53 + 1)): [str(2**53), str(2**53 + 1)],
        ("1e30", "1e31"): ["1e30", "1e31"],
        ("1", "1.0"): ["1", "1.0"],
        ("0", "-0"): ["0", "-0"],
        ("inf", "1"): ["inf", "1"],
        ("1e999", "2e999"): ["1e999", "2e999"],
        ("0", "1"): [0, 1],
        ("0.0", "1.0"): [0, 1],
        ("-1", "+1"): [-1, 1],
        ("1.5", "2"): [1.5, 2.0],
        ("007", "008"): [7, 8],
        (str(2**53), "-5"): [2**53, -5],
    }
    for texts, expected in cases.items():
        path.write_text("x,y\n" + "".join(f"{k},{text}\n" for k, text in enumerate(texts * 2)))
        _, labels = open_tables(path).features(label="y")
        for found in (labels, read_csv(path).labels("y")):
            assert found.tolist() == expected * 2, texts
            assert len(set(found.tolist())) == len(texts)
