"""The built-in data."""

import hashlib
import re
from pathlib import Path

import numpy as np
import pytest

from rocpredict.datasets import load_breast_cancer, load_iris, load_pima, simulate_two_gaussians
from tests.cases import check_each, refuses

DATA = Path(__file__).parents[1] / "data"
IRIS = load_iris()
PIMA = load_pima()
CANCER = load_breast_cancer()


@pytest.mark.extra("sklearn")
def test_iris_and_breast_cancer_are_scikit_learns_copies():
    """Every value, name and label in its order, with the names in snake case."""
    from sklearn import datasets as sklearn_datasets

    theirs = sklearn_datasets.load_iris()
    assert np.array_equal(IRIS.X, theirs.data)
    assert IRIS.y.tolist() == theirs.target_names[theirs.target].tolist()
    theirs = sklearn_datasets.load_breast_cancer()
    assert np.array_equal(CANCER.X, theirs.data)
    assert CANCER.y.tolist() == theirs.target_names[theirs.target].tolist()
    assert list(CANCER.feature_names) == [name.replace(" ", "_") for name in theirs.feature_names]
    assert dict(zip(*np.unique(CANCER.y, return_counts=True), strict=True)) == {"benign": 357, "malignant": 212}
    assert int((CANCER.column("mean_concavity") == 0).sum()) == 13


def test_the_readme_has_the_checksum_of_the_file():
    for file in ("breast_cancer.csv", "iris.csv", "pima.csv"):
        section = (DATA / "README.md").read_text("utf-8").split(f"## {file}\n")[1].split("\n## ")[0]
        stated = re.search(r"^\| sha256 \| `([0-9a-f]{64})` \|$", section, flags=re.MULTILINE)
        assert stated[1] == hashlib.sha256((DATA / file).read_bytes()).hexdigest(), file


def test_pima_has_the_published_counts_and_means():
    """768 women, 500 and 268; the means as the UCI documentation of the donated data prints them."""
    assert PIMA.X.shape == (768, 8)
    assert dict(zip(*np.unique(PIMA.y, return_counts=True), strict=True)) == {"neg": 500, "pos": 268}
    printed = [3.8, 120.9, 69.1, 20.5, 79.8, 32.0, 0.5, 33.2]
    assert [round(float(mean), 1) for mean in PIMA.X.mean(axis=0)] == printed


def test_zeros_of_pima_become_nan_on_request_and_only_where_they_mark_missing_values():
    """The README's counts of zeros are those of the file; the marked table is otherwise the same."""
    marked = load_pima(zeros_as_missing=True)
    missing = {"glucose": 5, "pressure": 35, "triceps": 227, "insulin": 374, "mass": 11}
    assert not np.isnan(PIMA.X).any()
    for name in PIMA.feature_names:
        assert int(np.isnan(marked.column(name)).sum()) == missing.get(name, 0)
        assert np.array_equal(np.nan_to_num(marked.column(name)), PIMA.column(name))
    assert int((PIMA.column("pregnant") == 0).sum()) == 111
    words = (DATA / "README.md").read_text("utf-8")
    assert all(re.search(rf"`{name}` \({count}( rows)?\)", words) for name, count in missing.items())
    refuses("zeros_as_missing='no' is not allowed", load_pima, zeros_as_missing="no")


def test_every_feature_has_its_unit():
    assert IRIS.units == ("cm",) * 4
    assert [PIMA.unit(name) for name in PIMA.feature_names] == list(PIMA.units)
    cancer = [CANCER.unit(part) for part in ("mean_radius", "area_error", "worst_texture", "mean_smoothness")]
    assert cancer == ["a.u.", "a.u.^2", "grey levels", "1"]
    assert (PIMA.unit("glucose"), PIMA.unit("mass"), PIMA.unit("age")) == ("mg/dl", "kg/m^2", "years")
    refuses("name='bmi' is not allowed; choose one of 'pregnant'", PIMA.unit, "bmi")
    refuses("name='petal' is not allowed; choose one of 'sepal_length'", IRIS.column, "petal")
    refuses("backend='dask' is not allowed", IRIS.to_frame, "dask")


def test_iris_has_fishers_printed_means_and_sds():
    for species, means, stds in (
        ("versicolor", "5.94 2.77 4.26 1.33", "0.52 0.31 0.47 0.20"),
        ("virginica", "6.59 2.97 5.55 2.03", "0.64 0.32 0.55 0.27"),
    ):
        rows = IRIS.X[IRIS.y == species]
        assert " ".join(f"{mean:.2f}" for mean in rows.mean(axis=0)) == means
        assert " ".join(f"{std:.2f}" for std in rows.std(axis=0, ddof=1)) == stds


@pytest.mark.extra("pandas", "polars", "pyarrow")
def test_frames_hold_the_same_table():
    for backend in ("pandas", "polars", "pyarrow"):
        frame = IRIS.to_frame(backend)
        assert type(frame).__module__.split(".")[0] == backend
        columns = frame.column_names if backend == "pyarrow" else frame.columns
        assert list(columns) == [*IRIS.feature_names, "label"]
        assert np.array_equal(np.asarray(frame["petal_width"]), IRIS.column("petal_width"))
        assert np.asarray(frame["label"]).tolist() == IRIS.y.tolist()


def test_a_seed_draws_the_same_sample_and_another_seed_another():
    x, y = simulate_two_gaussians(rng=4)
    again, _ = simulate_two_gaussians(rng=4)
    other, _ = simulate_two_gaussians(rng=5)
    assert np.array_equal(x, again)
    assert not np.array_equal(x, other)
    for label, mean, std in ((0, 4, 3), (1, 8, 2)):  # 5 standard errors: fixed seed, else 1 false alarm in 10^6
        assert x[y == label].mean() == pytest.approx(mean, abs=5 * std / np.sqrt(1000))
        assert x[y == label].std() == pytest.approx(std, abs=5 * std / np.sqrt(2000))


def test_options_of_a_simulation_that_are_refused():
    refused = [("count", (0, 1)), ("count", (1.5, 2)), ("count", (np.nan, 2)), ("count", 5), ("std", (-1, 1))]
    refused += [("mean", (np.nan, 1)), ("mean", 5), ("rng", -1), ("rng", "a"), ("rng", 1.5)]

    def check(option):
        refuses(f"{option[0]}=", simulate_two_gaussians, **dict([option]))

    check_each({f"{name}={value}": (name, value) for name, value in refused}, check)
